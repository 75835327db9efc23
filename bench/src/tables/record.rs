//! Finished runs of a bench: the lines of `runs.jsonl`.

use std::io::Write as _;
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::Language;
use super::published::{Counts, Variant};
use pessimum_files::write_atomically;

/// One finished run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    pub table: String,
    /// That of the program.
    #[serde(default)]
    pub language: Language,
    pub subject: String,
    pub size: u64,
    pub variant: String,
    /// What exactly was run; see [`super::published::Variant::settings`].
    #[serde(default)]
    pub settings: String,
    pub seed: u64,
    /// The time that it had; none if it was unlimited.
    pub budget_s: Option<f64>,
    /// The paths that it had; none if they were unlimited.
    pub budget_paths: Option<u64>,
    /// The greatest cost found, or the number that was measured instead; none where no path was completed.
    pub cost: Option<u64>,
    /// The branches that there are, where those that a suite covers were counted.
    #[serde(default)]
    pub goals: Option<u64>,
    /// The mean cost of random inputs.
    #[serde(default)]
    pub average: Option<f64>,
    /// Paths of the search, or of guided generation where a policy was learnt first.
    pub paths: u64,
    pub paths_to_best: u64,
    /// Paths until the row's reference, or its target, was reached; none if it was not.
    #[serde(default)]
    pub paths_to_reference: Option<u64>,
    /// Sides that turned out infeasible on the way, where the strategy follows every path that is open; executions that
    /// ended so, for PySE.
    #[serde(default)]
    pub infeasible: u64,
    /// Calls of the solver, those of training not included; for guided generation, WISE's iterations.
    #[serde(default)]
    pub queries: u64,
    /// Whether the policy permitted no path at all, so that it was applied again with every arm open where it permits
    /// none.
    #[serde(default)]
    pub opened: bool,
    /// The whole run.
    pub seconds: f64,
    /// The same without training.
    #[serde(default)]
    pub seconds_untrained: f64,
    pub seconds_to_best: f64,
    /// Time until the row's reference, or its target, was reached, without training; none if it was not.
    #[serde(default)]
    pub seconds_to_reference: Option<f64>,
    /// Whether all paths were seen that there are, or that a policy leaves open.
    pub complete: bool,
    /// Why it ended; `optimum` where the known optimum was reached and nothing was left to find.
    pub stopped: String,
    pub error: Option<String>,
    /// Each improvement: seconds since the start, and the cost or the branches covered.
    #[serde(default)]
    pub progress: Vec<(f64, u64)>,
}

impl Record {
    /// What a table counts of this run: all paths, where their number is itself a result, otherwise those up to the best,
    /// or up to the reference where the paper counts executions until then; none if that was not reached.
    pub fn counted(&self, variant: &Variant, counts: Counts) -> Option<u64> {
        match (variant.counts_paths(), counts) {
            (false, Counts::Paths) => Some(self.paths_to_best),
            (false, Counts::Executions) => self.paths_to_reference,
            (true, Counts::Paths) => Some(self.paths),
            (true, Counts::Executions) => Some(self.paths + self.infeasible),
        }
    }

    /// The time that belongs to [`Record::counted`].
    pub fn timed(&self, variant: &Variant, counts: Counts) -> Option<f64> {
        match (variant.counts_paths(), counts) {
            (false, Counts::Paths) => Some(self.seconds_to_best),
            (false, Counts::Executions) => self.seconds_to_reference,
            (true, _) => Some(self.seconds_untrained),
        }
    }

    /// What identifies a run.
    fn key(&self) -> (Language, [&str; 4], [u64; 2], [Option<u64>; 2]) {
        let names = [&self.table, &self.subject, &self.variant, &self.settings].map(String::as_str);
        (self.language, names, [self.size, self.seed], [self.budget_s.map(f64::to_bits), self.budget_paths])
    }

    /// Whether both are the same run, whatever came out.
    pub fn is_same_run(&self, other: &Record) -> bool {
        self.key() == other.key()
    }
}

/// The runs that were finished before. A last line that was cut off is removed, so that its run is repeated.
pub fn read(file: &Path) -> Result<Vec<Record>> {
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error).with_context(|| file.display().to_string()),
    };
    let whole = &text[..text.rfind('\n').map_or(0, |end| end + 1)];
    if whole.len() < text.len() {
        write_atomically(file, whole.as_bytes())?;
    }
    let record = |(number, line): (usize, &str)| {
        serde_json::from_str(line).with_context(|| format!("{}:{}", file.display(), number + 1))
    };
    whole.lines().enumerate().map(record).collect()
}

/// Adds a finished run.
pub fn append(file: &Path, record: &Record) -> Result<()> {
    let line = serde_json::to_string(record).context("JSON")? + "\n";
    let appended = std::fs::OpenOptions::new().create(true).append(true).open(file);
    appended.and_then(|mut file| file.write_all(line.as_bytes())).with_context(|| file.display().to_string())
}
