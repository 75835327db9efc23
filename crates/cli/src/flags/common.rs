//! Flags that several commands have, and what they mean.

use std::ffi::OsString;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};
use pessimum_outcome::{CostModel, Ends};
use pessimum_session::parse_time;

use super::SubjectFlags;
use crate::gate::Files;
use crate::output::Color;

/// Refuses to maximise a cost that needs a price list where there is none.
pub fn check_prices(subject: &SubjectFlags, maximised: CostFlag) -> Result<(), pessimum_languages::Usage> {
    if maximised.cost == CostModel::Weighted && subject.weights.is_none() && subject.counted.is_empty() {
        return Err(pessimum_languages::Usage("--cost weighted needs a price list: --weights FILE".to_string()));
    }
    Ok(())
}

/// The time that a search has: a minute where the flags give no limit at all.
pub fn usual_time(budget: Option<TimeFlag>, paths: Option<u64>) -> Option<Duration> {
    match (budget, paths) {
        (Some(given), _) => given.0,
        (None, Some(_)) => None,
        (None, None) => Some(Duration::from_secs(60)),
    }
}

/// A file with an input.
#[derive(Clone, Debug)]
pub struct InputFile {
    /// `-` is standard input.
    pub path: PathBuf,
    /// Whether it is the bytes of the input, whatever they look like, by `raw:` before the name.
    pub is_raw: bool,
}

impl From<OsString> for InputFile {
    fn from(word: OsString) -> InputFile {
        match word.to_str().and_then(|word| word.strip_prefix(RAW)) {
            Some(path) => InputFile { path: path.into(), is_raw: true },
            None => InputFile { path: word.into(), is_raw: false },
        }
    }
}

const RAW: &str = "raw:";

impl InputFile {
    /// The word for it in a command that is started elsewhere.
    pub fn absolute(self, here: &Path) -> OsString {
        let mut word = OsString::from(if self.is_raw { RAW } else { "" });
        word.push(here.join(self.path));
        word
    }
}

/// The language of a regression test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum EmitKind {
    /// A `#[test]` that runs the command `pessimum`
    Rust,
    /// A test of Python that counts lines itself and needs no Pessimum; for functions of Python
    Python,
    /// A program that runs the command `pessimum`, or does without it with --cost user
    C,
    /// A script for any WebAssembly engine, with a module that counts
    Wast,
    /// Data, checked by `pessimum replay --check`
    Json,
}

/// Which runs a search looks among.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EndFlag {
    /// Those that return, exit, or are still running at a limit
    Returned,
    /// All of them
    Any,
    /// Those that trap, or exhaust the call stack
    Trapped,
}

impl From<EndFlag> for Ends {
    fn from(flag: EndFlag) -> Ends {
        match flag {
            EndFlag::Returned => Ends::Returned,
            EndFlag::Any => Ends::Any,
            EndFlag::Trapped => Ends::Trapped,
        }
    }
}

/// Which code counts.
#[derive(Clone, Debug, Default, Args)]
pub struct InFlag {
    /// Count only the instructions executed in this code: a part of the path of a source file or of the name of a function,
    /// `*` standing for any characters; may be repeated. What it calls does not count. With --weights they are counted at
    /// their prices
    #[arg(long = "in", value_name = "PATTERN")]
    pub patterns: Vec<String>,
}

/// The cost of searches that are after one.
#[derive(Clone, Copy, Debug, Args)]
pub struct CostFlag {
    /// What to maximise [default: instructions, or lines of Python]. Prices for `weighted` come from --weights
    #[arg(long = "cost", id = "cost", value_name = "MODEL", value_parser = parse_cost)]
    given: Option<CostModel>,

    /// The same, once the language is known.
    #[arg(skip)]
    pub cost: CostModel,
}

impl CostFlag {
    /// Fills in the usual cost of the language, or refuses one that it does not have.
    pub fn settle(
        &mut self,
        of: impl FnOnce(Option<CostModel>) -> Result<CostModel, pessimum_languages::Usage>,
    ) -> Result<(), pessimum_languages::Usage> {
        self.cost = of(self.given)?;
        Ok(())
    }
}

/// How far a search goes, what it starts from and what it leaves behind. Helps are those of `worst`; other commands say
/// more exactly what they write.
#[derive(Clone, Debug, Args)]
pub struct ResultFlags {
    /// End after this many paths. Without --budget there is then no time limit, so that runs can be repeated exactly
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..))]
    pub paths: Option<u64>,

    /// Start from the inputs in this directory: raw bytes, as fuzzers keep them, or JSON in the form of --input
    #[arg(long, value_name = "DIR")]
    pub corpus: Option<PathBuf>,

    /// Directory for result.json, input.json, report.html, the program as it was run (module.wasm), journal.jsonl and
    /// the input's raw bytes [default: pessimum-out/NAME, the module's name]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,

    /// Write regression tests that run the worst input and assert its cost, each as worst_test.KIND into --out
    #[arg(long, value_name = "KIND,...", value_delimiter = ',')]
    pub emit: Vec<EmitKind>,

    /// Write the verdict of --fail-above (and --fail-above-class) as JUnit XML, which CI systems show as tests
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,

    /// Write the same as SARIF, which code hosts show beside the hottest source line
    #[arg(long, value_name = "FILE")]
    pub sarif: Option<PathBuf>,

    /// Print one JSON object and nothing else
    #[arg(long)]
    pub json: bool,
}

impl ResultFlags {
    pub(super) fn verdicts(&self) -> Files<'_> {
        Files { junit: self.junit.as_deref(), sarif: self.sarif.as_deref(), out: self.out.as_deref() }
    }
}

/// The flags of every search.
#[derive(Clone, Debug, Args)]
pub struct SearchFlags {
    /// Time to search, as in 500ms, 60s, 5m, 1h; `none` for no limit [default: worst 60s, or none with --paths; paths
    /// none]
    #[arg(long, value_name = "TIME", value_parser = parse_budget)]
    pub budget: Option<TimeFlag>,

    /// The seed for random numbers, which fixes everything but times
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,

    /// Memory for what the search itself keeps (terms, paths), as in 500M, 4G. At this limit it drops what it can spare,
    /// and then ends with what it has found [default: a quarter of the machine's memory]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub max_search_memory: Option<u64>,

    /// Give every K-th answer "no" of each layer of the solver again in another way (without K, every 16th), and exit
    /// with code 1 if one is wrong. Fast layers are re-checked by bit-blasting, and bit-blasting by z3 if it is installed
    #[arg(long, value_name = "K", num_args = 0..=1, require_equals = true, default_missing_value = "16")]
    #[arg(help_heading = "Solver")]
    pub validate: Option<NonZeroU64>,

    /// Write the solver's queries with their answers into this empty or new directory, as SMT-LIB 2
    #[arg(long, value_name = "DIR", help_heading = "Solver")]
    pub log_queries: Option<PathBuf>,

    /// Show nothing while the search runs
    #[arg(long, short)]
    pub quiet: bool,

    /// Colours: `auto` uses them on a terminal, unless NO_COLOR is set
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
}

impl SearchFlags {
    /// The bytes that the search may keep, if the flags say so.
    pub fn memory(&self) -> Option<u64> {
        self.max_search_memory
    }
}

/// A time limit; `None` inside for `none`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeFlag(pub Option<Duration>);

pub(super) fn parse_cost(text: &str) -> Result<CostModel, String> {
    CostModel::parse(text).ok_or_else(|| {
        let names: Vec<&str> = CostModel::ALL.iter().map(|model| model.name()).collect();
        format!("expected one of {}", names.join(", "))
    })
}

pub(super) fn parse_size(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let (number, shift) = match text.trim_end_matches(['B', 'b']).trim_end_matches('i') {
        text if text.ends_with(['K', 'k']) => (&text[..text.len() - 1], 10),
        text if text.ends_with(['M', 'm']) => (&text[..text.len() - 1], 20),
        text if text.ends_with(['G', 'g']) => (&text[..text.len() - 1], 30),
        text => (text, 0),
    };
    let parsed = number.trim().parse::<u64>().ok().and_then(|number| number.checked_mul(1 << shift));
    parsed.filter(|&bytes| bytes >= 1 << 20).ok_or("expected at least one megabyte, as in 500M or 4G".to_string())
}

pub(super) fn parse_budget(text: &str) -> Result<TimeFlag, String> {
    if text == "none" {
        return Ok(TimeFlag(None));
    }
    match parse_time(text) {
        Some(time) => Ok(TimeFlag(Some(time))),
        None => Err("expected a time with its unit (500ms, 60s, 5m, 1h), or `none`".to_string()),
    }
}
