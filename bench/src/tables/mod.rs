//! The published tables: our runs of their experiments, and our numbers beside the published ones.

mod ablation;
mod comparison;
mod figure;
mod page;
mod published;
mod record;
mod run;
mod suites;
mod summary;
mod text;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use pessimum_files::make_directory;
use pessimum_search::budget::Budget;
use pessimum_session::interrupt::Interrupt;
use pessimum_subjects::Subject as Entry;

use crate::args::{Limit, limit};
use published::{Row, Table, Variant};
use record::Record;
use run::Job;

/// The published tables and figures that can be run, and our own.
const TABLES: [&str; 10] = [
    "ese-table3",
    "ese-figure2",
    "ese-table5",
    "wise-table1",
    "pyse-table1",
    "pyse-table2",
    "pyse-figure7",
    "fitnex-table2",
    "evosuite-table2",
    "ablation",
];

/// What can be asked for: one of them, or all.
fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(TABLES.into_iter().chain(["all"]))
}

/// Runs of the experiments of a published table, and our numbers beside the published ones
#[derive(Debug, Args)]
pub struct Tables {
    /// The table; `all` makes every one, each in a directory of its own
    #[arg(value_parser = names())]
    name: String,

    /// Time for each run, as in 500ms, 60s, 5m, 1h; `none` for no limit [default: 60s, evosuite-table2 5s, or none with --paths]
    #[arg(long, value_name = "TIME", value_parser = limit)]
    budget: Option<Limit>,

    /// End each run after this many paths, or executions of tests for evosuite-table2 [default: no limit; fitnex-table2 1000]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..))]
    paths: Option<u64>,

    /// Time for all runs together; those that do not fit are left for another call of the same command. `all` gives each
    /// table an equal share of what is left [default: none]
    #[arg(long, value_name = "TIME", value_parser = limit)]
    total: Option<Limit>,

    /// Runs of each strategy on each subject and size, with seeds 1, 2, 3, ...
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    seeds: u32,

    /// The language of the programs. Rows whose program is not there in it are left out
    #[arg(long, value_enum, value_name = "LANGUAGE", default_value_t = Language::Wasm)]
    language: Language,

    /// The interpreter for --language python, 3.10 or later [default: that of the active virtual environment, else python3]
    #[arg(long, value_name = "PATH")]
    python: Option<PathBuf>,

    /// Only rows whose name (`ese/kmp at 100`) contains one of these strings, in which a number is a whole number
    #[arg(long, value_name = "TEXT,...", value_delimiter = ',')]
    only: Vec<String>,

    /// Only these strategies; `*` stands for any characters, as in `ese 50/*/0.2/*`
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    strategies: Vec<String>,

    /// Only cells that the paper prints a number for
    #[arg(long)]
    published: bool,

    /// Runs at the same time; if there are more than free processors, they distort each other's times
    #[arg(long, value_name = "J", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=256))]
    jobs: u32,

    /// Directory for runs.jsonl, summary.csv, summary.json and figures [default: pessimum-out/bench-NAME, or
    /// bench-NAME-python]. Runs that are already there are not repeated
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Print the summary as one JSON object on standard output
    #[arg(long)]
    json: bool,
}

impl Tables {
    /// Makes the table, or all of them.
    pub fn run(self) -> Result<Option<crate::record::Record>> {
        let flags = &self;
        let entries = match flags.language {
            Language::Wasm => pessimum_subjects::all(),
            Language::Python => pessimum_subjects::python(),
        };
        let interrupt = Interrupt::listen()?;
        if flags.name != "all" {
            let table = table(flags, &flags.name, &entries)?;
            if table.rows.is_empty() {
                let tables =
                    TABLES.iter().map(|name| self::table(flags, name, &entries)).collect::<Result<Vec<_>>>()?;
                let others = tables.iter().filter(|table| !table.rows.is_empty()).map(|table| table.name.as_str());
                let others: Vec<&str> = others.collect();
                let message = format!("no program of {} is there in Python; use {}", table.name, others.join(", "));
                bail!(message);
            }
            let directory = flags.out.clone().unwrap_or_else(|| default_directory(flags, &table.name));
            let end = flags.total().and_then(|total| Instant::now().checked_add(total));
            let summary = run_table(flags, &table, &entries, &directory, end, &interrupt)?;
            print(flags, &summary, || text::text(&summary, &directory))?;
            return Ok(Some(page::record(&summary)));
        }
        let tables: Vec<Table> = TABLES.iter().map(|name| table(flags, name, &entries)).collect::<Result<_>>()?;
        let tables: Vec<Table> = tables.into_iter().filter(|table| !select(flags, table).is_empty()).collect();
        let begin = Instant::now();
        let mut summaries = Vec::new();
        for (done, table) in tables.iter().enumerate() {
            if interrupt.is_heard() {
                break;
            }
            let name = &table.name;
            let directory = flags.out.as_ref().map_or_else(|| default_directory(flags, name), |out| out.join(name));
            // What a table does not need is shared by those after it.
            let left = flags.total().map(|total| total.saturating_sub(begin.elapsed()) / (tables.len() - done) as u32);
            let end = left.and_then(|left| Instant::now().checked_add(left));
            let summary = run_table(flags, table, &entries, &directory, end, &interrupt)?;
            if !flags.json {
                println!("{}", text::text(&summary, &directory));
            }
            summaries.push(summary);
        }
        if summaries.is_empty() && !interrupt.is_heard() {
            bail!("--only and --strategies match nothing in any table");
        }
        print(flags, &summaries, String::new)?;
        Ok(None)
    }

    /// The time of all runs together.
    fn total(&self) -> Option<Duration> {
        self.total.and_then(|limit| limit.0)
    }
}

/// The language of the programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// WebAssembly, made from C
    #[default]
    Wasm,
    /// Python; costs of ESE's tables are then lines that the interpreter counts
    Python,
}

/// Prints as JSON, or as this text.
fn print(flags: &Tables, value: &impl serde::Serialize, text: impl FnOnce() -> String) -> Result<()> {
    print!("{}", if flags.json { serde_json::to_string_pretty(value)? + "\n" } else { text() });
    Ok(())
}

fn default_directory(flags: &Tables, name: &str) -> PathBuf {
    let language = match flags.language {
        Language::Wasm => "",
        Language::Python => "-python",
    };
    Path::new("pessimum-out").join(format!("bench-{name}{language}"))
}

/// The table of this name, with the rows whose programs are there in the language.
fn table(flags: &Tables, name: &str, entries: &[Entry]) -> Result<Table> {
    let mut table = published::table(name)?;
    if flags.language != Language::Wasm {
        table.rows.retain(|row| entries.iter().any(|entry| entry.name == row.subject));
    }
    Ok(table)
}

/// Runs what is still open of a table, as far as that is possible until `end`, and sums up.
fn run_table(
    flags: &Tables,
    table: &Table,
    entries: &[Entry],
    directory: &Path,
    end: Option<Instant>,
    interrupt: &Interrupt,
) -> Result<summary::Summary> {
    let jobs = jobs(flags, table)?;
    make_directory(directory)?;
    let file = directory.join("runs.jsonl");
    let known = record::read(&file)?;
    let find = |job: &Job<'_>| {
        let blank = job.blank();
        known.iter().rev().find(|record| record.is_same_run(&blank))
    };
    let total = jobs.len();
    let (mut records, mut open): (Vec<Record>, VecDeque<Job<'_>>) = Default::default();
    for job in jobs {
        match find(&job) {
            Some(record) => records.push(record.clone()),
            None => open.push_back(job),
        }
    }
    if !records.is_empty() {
        eprintln!("{}: {} of {total} runs are already in {}", table.name, records.len(), file.display());
    }
    let done = records.len();
    let bench = Bench { entries, open: open.into(), finished: (records, done).into(), total, file, end, interrupt };
    let failures = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..flags.jobs).map(|_| scope.spawn(|| bench.work())).collect();
        let results = workers.into_iter().map(|worker| worker.join().unwrap_or_else(|_| bail!("a worker panicked")));
        results.filter_map(Result::err).collect::<Vec<_>>()
    });
    if let Some(error) = failures.into_iter().next() {
        return Err(error);
    }
    let records = std::mem::take(&mut lock(&bench.finished).0);
    let mut summary = summary::Summary::new(flags, table, entries, &records, total);
    summary.save(directory)?;
    summary.add_files(figure::save(table, &records, directory)?);
    Ok(summary)
}

/// Locks even after a panic: a worker that panicked has left nothing half done.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The rows and variants that the flags ask for.
fn select<'t>(flags: &Tables, table: &'t Table) -> Vec<(&'t Row, &'t Variant)> {
    let row_is_wanted = |row: &Row| flags.only.is_empty() || flags.only.iter().any(|text| row.is_named(text));
    let wanted = |name: &str| flags.strategies.is_empty() || flags.strategies.iter().any(|text| matches(text, name));
    let mut selected = Vec::new();
    for row in table.rows.iter().filter(|row| row_is_wanted(row)) {
        let fits = |variant: &&Variant| {
            wanted(&variant.name) && (row.is_published(variant) || !(flags.published || variant.listed))
        };
        selected.extend(table.variants.iter().filter(fits).map(|variant| (row, variant)));
    }
    selected
}

/// Whether the name is the text, in which each `*` stands for any characters.
fn matches(text: &str, name: &str) -> bool {
    let mut parts = text.split('*');
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// All runs that the flags ask for. The seed varies slowest, so that an interrupted bench has a little of everything.
fn jobs<'t>(flags: &'t Tables, table: &'t Table) -> Result<Vec<Job<'t>>> {
    for text in &flags.strategies {
        if !table.variants.iter().any(|variant| matches(text, &variant.name)) && flags.name != "all" {
            let known: Vec<&str> = table.variants.iter().take(12).map(|variant| variant.name.as_str()).collect();
            let more = if table.variants.len() > known.len() { ", ..." } else { "" };
            bail!("--strategies: {text} is not in {}; it has {}{more}", table.name, known.join(", "));
        }
    }
    let selected = select(flags, table);
    if selected.is_empty() {
        let named = |row: &Row| flags.only.is_empty() || flags.only.iter().any(|text| row.is_named(text));
        let message = match table.rows.iter().any(named) {
            true => format!("nothing of {} is left with these --only, --strategies and --published", table.name),
            false => format!(
                "--only {} matches no row of {}; rows have names like `{}`",
                flags.only.join(","),
                table.name,
                table.rows.first().map(Row::name).unwrap_or_default()
            ),
        };
        bail!(message);
    }
    let (budget, language, python) = (budget(flags, table), flags.language, flags.python.as_deref());
    let mut jobs = Vec::new();
    for seed in 1..=u64::from(flags.seeds) {
        jobs.extend(selected.iter().map(|&(row, variant)| Job { language, python, table, row, variant, seed, budget }));
    }
    Ok(jobs)
}

/// What each run of a table may take.
fn budget(flags: &Tables, table: &Table) -> Budget {
    let paths = flags.paths.or(table.paths);
    let time = match (flags.budget, paths, table.seconds) {
        (None, None, Some(seconds)) => Some(Duration::from_secs(seconds)),
        (None, Some(_), _) => None,
        (None, None, None) => Some(Duration::from_secs(60)),
        (Some(limit), ..) => limit.0,
    };
    Budget { paths, time, steps: None }
}

/// No run is begun with less time left than this, whatever its budget.
const SHORTEST: Duration = Duration::from_millis(1);

struct Bench<'b> {
    entries: &'b [Entry],
    open: Mutex<VecDeque<Job<'b>>>,
    /// All records, and the number of runs done.
    finished: Mutex<(Vec<Record>, usize)>,
    total: usize,
    file: PathBuf,
    /// When the last run must have ended.
    end: Option<Instant>,
    interrupt: &'b Interrupt,
}

impl Bench<'_> {
    /// Takes jobs until there are none left, Ctrl-C is pressed, or a run with its whole budget would end too late. Runs
    /// are not cut short: what is recorded has had the budget that it says.
    fn work(&self) -> Result<()> {
        while !self.interrupt.is_heard() {
            let Some(job) = lock(&self.open).pop_front() else { break };
            let needed = job.budget.time.unwrap_or(Duration::ZERO);
            if self.end.is_some_and(|end| end.saturating_duration_since(Instant::now()) < needed.max(SHORTEST)) {
                break;
            }
            let name = job.name();
            let record = job.run(self.entries, self.interrupt.cancel()).with_context(|| name.clone())?;
            if self.interrupt.is_heard() {
                // The run was cut short, so it is not what was asked for.
                break;
            }
            let mut finished = lock(&self.finished);
            record::append(&self.file, &record)?;
            finished.1 += 1;
            let found = match (record.average, record.cost, record.goals, record.paths_to_reference) {
                (Some(average), ..) => format!("{average:.2}"),
                (None, Some(covered), Some(goals), _) => format!("{covered} of {goals} branches"),
                (None, Some(cost), None, _) => cost.to_string(),
                (None, None, _, Some(paths)) => format!("reached after {paths} paths"),
                (None, None, _, None) => "nothing found".to_string(),
            };
            let opened = if record.opened { ", its policy permits no path" } else { "" };
            let (done, time, end) = (finished.1, record.seconds, &record.stopped);
            eprintln!("[{done}/{}] {name}: {found} in {time:.2} s ({end}{opened})", self.total);
            finished.0.push(record);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_anything() {
        for (text, name, expected) in [
            ("ese", "ese", true),
            ("ese", "ese 10/0/0.0/0", false),
            ("ese*", "ese 10/0/0.0/0", true),
            ("ese 50/*/0.2/*", "ese 50/10/0.2/100", true),
            ("ese 50/*/0.2/*", "ese 50/10/0.5/100", false),
            ("*", "", true),
            ("a*a", "a", false),
            ("*0", "10", true),
        ] {
            assert_eq!(matches(text, name), expected, "{text} {name}");
        }
    }
}
