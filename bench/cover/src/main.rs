//! Branches covered at equal processor time: by the strategies of `pessimum cover`, by libFuzzer and by AFL++, the latter
//! two on native builds of the same sources. Whatever a contestant leaves is run once more by one counter, so that every
//! figure is a number of arms of conditional branches in the same module.
//!
//! `cargo build --release -p pessimum && cargo run --release -p bench-cover [-- NAME...]`: all programs, or those whose
//! names contain one of the words. Options: `--budget 10s` of processor time for each search, `--seeds 3` (the median is
//! shown), `--contestants auto,libfuzzer,afl` (the first is compared with the others), `--out DIR` for a directory in which
//! everything is kept, and `--pessimum FILE` for another build of the command than the one in `target/release`. What cannot
//! be run is named at the end, with the reason.

mod contest;
mod counter;
mod fuzzers;
mod manifest;
mod table;
mod watch;

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use bench_options::{is_wanted, list, number, seconds, split};
use contest::{Pessimum, Run, score};
use counter::Counter;
use fuzzers::Fuzzer;
use manifest::Program;
use table::Row;

const USAGE: &str = "usage: bench-cover [NAME...] [--budget 10s] [--seeds K] \
     [--contestants auto,pex,fitnex,random,libfuzzer,libfuzzer-vp,afl,afl-cmplog] [--out DIR] [--pessimum FILE]";

/// The input that every contestant starts from: AFL++ takes no empty one.
const SEED_INPUT: &[u8] = b"0";

struct Settings {
    names: Vec<String>,
    budget: Duration,
    seeds: u64,
    columns: Vec<String>,
    out: Option<PathBuf>,
    pessimum: Option<PathBuf>,
}

impl Settings {
    fn parse(words: impl Iterator<Item = String>) -> Result<Settings, String> {
        let columns = ["auto", "pex", "fitnex", "random", "libfuzzer", "libfuzzer-vp", "afl", "afl-cmplog"];
        let (names, options) = split(words, USAGE)?;
        let (budget, columns) = (Duration::from_secs(10), columns.map(String::from).to_vec());
        let mut settings = Settings { names, budget, seeds: 3, columns, out: None, pessimum: None };
        for (name, value) in options {
            match name.as_str() {
                "--budget" => settings.budget = seconds(&name, &value)?,
                "--seeds" => settings.seeds = number(&name, &value, 1)?,
                "--contestants" => settings.columns = list(&value),
                "--out" => settings.out = Some(PathBuf::from(value)),
                "--pessimum" => settings.pessimum = Some(PathBuf::from(value)),
                _ => return Err(bench_options::unknown(&name, USAGE)),
            }
        }
        Ok(settings)
    }
}

/// One run of the bench, and what has been left out so far.
struct Bench {
    settings: Settings,
    pessimum: Pessimum,
    out: PathBuf,
    left_out: BTreeSet<String>,
}

impl Bench {
    fn row(&mut self, program: &Program) -> Result<Row, String> {
        let directory = self.out.join(&program.name);
        let module = self.pessimum.compile(program, &directory.join("module"))?;
        let counter = Counter::new(program, &module)?;
        let mut row = Row { name: program.name.clone(), arms: counter.all(), covered: Vec::new() };
        for column in self.settings.columns.clone() {
            let scores: Result<Vec<usize>, String> = (1..=self.settings.seeds)
                .map(|seed| {
                    let directory = directory.join(format!("{column}-{seed}"));
                    let run = Run { budget: self.settings.budget, seed, seed_input: SEED_INPUT, directory: &directory };
                    score(&mut self.pessimum, &column, program, (&module, &counter), &run)
                })
                .collect();
            row.covered
                .push(scores.map_err(|why| self.left_out.insert(format!("{} by {column}: {why}", row.name))).ok());
        }
        Ok(row)
    }
}

fn run(mut settings: Settings) -> Result<(), String> {
    let command = settings.pessimum.clone().unwrap_or(manifest::root().join("target/release/pessimum"));
    if !command.exists() {
        return Err(format!("{}: not there; `cargo build --release -p pessimum` makes it", command.display()));
    }
    let scratch = tempfile::tempdir().map_err(|error| error.to_string())?;
    let out = settings.out.clone().unwrap_or(scratch.path().to_path_buf());
    std::fs::create_dir_all(&out).map_err(|error| format!("{}: {error}", out.display()))?;
    // Programs are run in other directories than this one.
    let out = out.canonicalize().map_err(|error| format!("{}: {error}", out.display()))?;
    let mut left_out = BTreeSet::new();
    settings.columns.retain(|column| match Fuzzer::named(column).map(Fuzzer::version) {
        Some(Ok(version)) => {
            println!("{column}: {version}");
            true
        }
        Some(Err(reason)) => {
            left_out.insert(format!("{column}: {reason}"));
            false
        }
        None => true,
    });
    let programs: Vec<Program> =
        manifest::read()?.into_iter().filter(|program| is_wanted(&program.name, &settings.names)).collect();
    let clock = if Path::new("/proc/self/stat").exists() {
        "processor time"
    } else {
        "wall time, because this system does not tell the processor time of a process"
    };
    println!(
        "{} s of {clock} for each search, median of {} seed(s); arms of conditional branches",
        settings.budget.as_secs_f64(),
        settings.seeds
    );
    println!("{}", table::heading(&settings.columns));
    let mut bench = Bench { settings, pessimum: Pessimum::new(command), out, left_out };
    let mut rows = Vec::new();
    for program in &programs {
        match bench.row(program) {
            Ok(row) => {
                println!("{}", table::line(&row));
                let _ = std::io::stdout().flush();
                rows.push(row);
            }
            Err(reason) => {
                bench.left_out.insert(format!("{}: {reason}", program.name));
            }
        }
    }
    println!();
    table::summary(&bench.settings.columns, &rows).iter().for_each(|line| println!("{line}"));
    bench.left_out.iter().for_each(|line| println!("left out: {line}"));
    Ok(())
}

fn main() -> ExitCode {
    bench_options::end("bench-cover", Settings::parse(std::env::args().skip(1)).and_then(run))
}
