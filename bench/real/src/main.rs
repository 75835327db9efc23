//! Realistic programs with known worst cases, and what is found of them at equal processor time: by the strategies of
//! `pessimum`, and by a fuzzer in the manner of PerfFuzz on a native build of the same source.
//!
//! `cargo build --release -p pessimum && cargo run --release -p bench-real [-- NAME...]`: all programs, or those whose
//! names contain one of the words. Options: `--budget 60s` of processor time for each search, `--seeds 1` (with more of
//! them, the median), `--strategies auto,ga,ese,random,peer` (the first is compared with the others), `--out DIR` for a
//! directory in which everything that was found is kept, and `--pessimum FILE` for another build of the command than the
//! one in `target/release`. What cannot be run is named at the end, with the reason. With `--threads 2` it compares `auto`
//! with one and two threads instead, at equal time of the clock.

mod course;
mod manifest;
mod measure;
mod peer;
mod strategy;
mod table;
mod threads;

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use bench_options::{is_wanted, list, number, seconds, split};
use course::Course;
use manifest::Program;
use measure::Meter;
use peer::{Peer, Run};
use strategy::Searcher;
use table::Row;

const USAGE: &str = "usage: bench-real [NAME...] [--budget 60s] [--seeds K] [--strategies auto,ga,ese,random,peer] \
     [--out DIR] [--pessimum FILE] [--threads T]";

struct Settings {
    names: Vec<String>,
    budget: Duration,
    seeds: u64,
    columns: Vec<String>,
    out: Option<PathBuf>,
    pessimum: Option<PathBuf>,
    threads: Option<u64>,
}

impl Settings {
    fn parse(words: impl Iterator<Item = String>) -> Result<Settings, String> {
        let columns = ["auto", "ga", "ese", "random", "peer"].map(String::from).to_vec();
        let budget = Duration::from_secs(60);
        let (names, options) = split(words, USAGE)?;
        let mut settings = Settings { names, budget, seeds: 1, columns, out: None, pessimum: None, threads: None };
        for (name, value) in options {
            match name.as_str() {
                "--budget" => settings.budget = seconds(&name, &value)?,
                "--seeds" => settings.seeds = number(&name, &value, 1)?,
                "--strategies" => settings.columns = list(&value),
                "--out" => settings.out = Some(PathBuf::from(value)),
                "--threads" => settings.threads = Some(number(&name, &value, 2)?),
                "--pessimum" => settings.pessimum = Some(PathBuf::from(value)),
                _ => return Err(bench_options::unknown(&name, USAGE)),
            }
        }
        Ok(settings)
    }
}

/// One run of the bench: what there is to run with, and what has been left out so far.
struct Bench {
    settings: Settings,
    searcher: Searcher,
    peer: Option<Peer>,
    out: PathBuf,
    left_out: BTreeSet<String>,
    /// What else there is to know about rows of the table.
    remarks: BTreeSet<String>,
}

impl Bench {
    fn row(&mut self, program: &Program) -> Result<Row, String> {
        let module = self.searcher.prepare(program, &self.out.join(&program.name).join("module"))?;
        let meter = Meter::new(program, &module)?;
        let known = meter.cost_of_json(&program.worst.input)?;
        if known != program.worst.cost {
            let said = program.worst.cost;
            self.remarks
                .insert(format!("{}: with this compiler the known input costs {known}, not {said}", program.name));
        }
        let is_argued = program.worst.is_argued();
        let mut row = Row { name: program.name.clone(), known, is_argued, courses: Vec::new() };
        for column in self.settings.columns.clone() {
            let courses: Result<Vec<Course>, String> =
                (1..=self.settings.seeds).map(|seed| self.course(program, &column, seed, &meter)).collect();
            let course = match courses {
                Ok(courses) => course::median(&courses),
                Err(reason) => {
                    self.left_out.insert(format!("{} by {column}: {reason}", program.name));
                    None
                }
            };
            if let Some(remark) = course.as_ref().and_then(|course| course.remark.as_ref()) {
                self.remarks.insert(format!("* {} by {column}: {remark}", program.name));
            }
            row.courses.push(course);
        }
        Ok(row)
    }

    fn course(&mut self, program: &Program, column: &str, seed: u64, meter: &Meter) -> Result<Course, String> {
        let out = self.out.join(&program.name).join(format!("{column}-{seed}"));
        if column == "peer" {
            let peer = self.peer.as_ref().ok_or("there is no peer, see below")?;
            return peer.search(program, &Run { budget: self.settings.budget, seed, out: &out }, meter);
        }
        self.searcher.search(program, column, seed, &out)
    }
}

fn run(settings: Settings) -> Result<(), String> {
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target");
    let command = settings.pessimum.clone().unwrap_or(target.join("release/pessimum"));
    if !command.exists() {
        return Err(format!("{}: not there; `cargo build --release -p pessimum` makes it", command.display()));
    }
    let scratch = tempfile::tempdir().map_err(|error| error.to_string())?;
    let out = settings.out.clone().unwrap_or(scratch.path().join("out"));
    let programs: Vec<Program> =
        manifest::read()?.into_iter().filter(|program| is_wanted(&program.name, &settings.names)).collect();
    if let Some(threads) = settings.threads {
        return threads::run(&settings, &programs, &command, threads, scratch.path());
    }
    let mut left_out = BTreeSet::new();
    let peer = if settings.columns.iter().any(|column| column == "peer") {
        Peer::build(&target, scratch.path()).map_err(|reason| left_out.insert(format!("the peer: {reason}"))).ok()
    } else {
        None
    };
    let clock = if strategy::processor_time(std::process::id()).is_some() {
        "processor time"
    } else {
        "wall time, because this system does not tell the processor time of a process"
    };
    let budget = settings.budget.as_secs_f64();
    println!("{budget} s of {clock} for each search, {} seed(s); costs in instructions", settings.seeds);
    println!("{}", table::heading(&settings.columns));
    let searcher = Searcher::new(command, settings.budget);
    let mut bench = Bench { settings, searcher, peer, out, left_out, remarks: BTreeSet::new() };
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
    bench.remarks.iter().for_each(|line| println!("{line}"));
    bench.left_out.iter().for_each(|line| println!("left out: {line}"));
    Ok(())
}

fn main() -> ExitCode {
    bench_options::end("bench-real", Settings::parse(std::env::args().skip(1)).and_then(run))
}
