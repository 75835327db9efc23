//! `pessimum bench`: runs the experiments of a published table and prints our numbers beside the published ones.

mod published;
mod statistics;
mod summary;

use std::collections::VecDeque;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::{Context, Result, bail};
use pessimum_outcome::CostModel;
use pessimum_search::budget::{Budget, Stop};
use pessimum_session::files::{fingerprint, read};
use pessimum_session::plan::{LimitsPlan, ModulePlan, SearchPlan, StartPlan, SubjectPlan};
use pessimum_session::{Listeners, Outcome, Session, Source, Task};
use pessimum_subjects::Subject as Entry;
use serde::{Deserialize, Serialize};

use crate::files::{make_directory, write_atomically};
use crate::flags::BenchFlags;
use crate::interrupt::Interrupt;
use crate::output::{print, print_json, seconds};
use published::{Row, Table, Variant};

/// One finished run: a line of `runs.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Record {
    table: String,
    subject: String,
    size: u64,
    variant: String,
    seed: u64,
    /// The time that it had; none if it was unlimited.
    budget_s: Option<f64>,
    /// The paths that it had; none if they were unlimited.
    budget_paths: Option<u64>,
    /// The greatest cost found; none where no path was completed.
    cost: Option<u64>,
    /// Paths of the search, or of guided generation where a policy was learnt first.
    paths: u64,
    paths_to_best: u64,
    seconds: f64,
    seconds_to_best: f64,
    complete: bool,
    /// Why it ended; `optimum` where the known optimum was reached and nothing was left to find.
    stopped: String,
    error: Option<String>,
}

impl Record {
    /// What identifies a run: two with the same key are the same run.
    fn key(&self) -> (&str, &str, u64, &str, u64, Option<u64>, Option<u64>) {
        let budget = self.budget_s.map(f64::to_bits);
        (&self.table, &self.subject, self.size, &self.variant, self.seed, budget, self.budget_paths)
    }
}

/// One run that was asked for.
struct Job<'t> {
    row: &'t Row,
    variant: &'t Variant,
    seed: u64,
}

pub fn bench(flags: &BenchFlags) -> Result<()> {
    let table = published::table(&flags.name)?;
    let manifest = pessimum_subjects::directory().join("subjects.toml");
    if !manifest.is_file() {
        bail!("{}: not found; `bench` needs the subjects in the source tree it was built from", manifest.display());
    }
    let entries = pessimum_subjects::all();
    let jobs = jobs(flags, &table)?;
    let directory =
        flags.out.clone().unwrap_or_else(|| Path::new("pessimum-out").join(format!("bench-{}", table.name)));
    make_directory(&directory)?;
    let file = directory.join("runs.jsonl");
    let known = read_records(&file)?;
    let blank = |job: &Job<'_>| blank(flags, &table, job);
    let is_known = |job: &Job<'_>| known.iter().any(|record| record.key() == blank(job).key());
    let (done, open): (Vec<Job<'_>>, VecDeque<Job<'_>>) = {
        let (done, open): (Vec<_>, Vec<_>) = jobs.into_iter().partition(is_known);
        (done, open.into())
    };
    let mut records: Vec<Record> = done
        .iter()
        .filter_map(|job| known.iter().rev().find(|record| record.key() == blank(job).key()).cloned())
        .collect();
    let total = done.len() + open.len();
    if !done.is_empty() {
        eprintln!("{} of {total} runs are already in {}", done.len(), file.display());
    }
    let bench = Bench {
        flags,
        table: &table,
        entries: &entries,
        open: Mutex::new(open),
        finished: Mutex::new((Vec::new(), done.len())),
        total,
        file,
        interrupt: Interrupt::listen()?,
    };
    let failures = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..flags.jobs).map(|_| scope.spawn(|| bench.work())).collect();
        let results = workers.into_iter().map(|worker| worker.join().unwrap_or_else(|_| bail!("a worker panicked")));
        results.filter_map(Result::err).collect::<Vec<_>>()
    });
    if let Some(error) = failures.into_iter().next() {
        return Err(error);
    }
    records.append(&mut lock(&bench.finished).0);
    let summary = summary::summary(flags, &table, &entries, &records, total);
    let written = summary.save(&directory)?;
    if flags.json { print_json(&summary) } else { print(&summary.text(&directory, &written)) }
}

/// Locks even after a panic: a worker that panicked has left nothing half done.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// All runs that the flags ask for. The seed varies slowest, so that an interrupted bench has a little of everything.
fn jobs<'t>(flags: &BenchFlags, table: &'t Table) -> Result<Vec<Job<'t>>> {
    for name in &flags.strategies {
        if !table.variants.iter().any(|variant| variant.name == *name) {
            let known: Vec<&str> = table.variants.iter().map(|variant| variant.name.as_str()).collect();
            return Err(crate::Usage(format!(
                "--strategies: {name} is not in {}; it has {}",
                table.name,
                known.join(", ")
            ))
            .into());
        }
    }
    let wanted = |row: &Row| flags.only.is_empty() || flags.only.iter().any(|filter| row.name().contains(filter));
    let mut jobs = Vec::new();
    for seed in 1..=u64::from(flags.seeds) {
        for row in table.rows.iter().filter(|row| wanted(row)) {
            for variant in &table.variants {
                if flags.strategies.is_empty() || flags.strategies.contains(&variant.name) {
                    jobs.push(Job { row, variant, seed });
                }
            }
        }
    }
    if jobs.is_empty() {
        let first = table.rows.first().map(Row::name).unwrap_or_default();
        let only = flags.only.join(",");
        return Err(crate::Usage(format!(
            "--only {only} matches no row of {}; rows have names like `{first}`",
            table.name
        ))
        .into());
    }
    Ok(jobs)
}

fn blank(flags: &BenchFlags, table: &Table, job: &Job<'_>) -> Record {
    Record {
        table: table.name.clone(),
        subject: job.row.subject.clone(),
        size: job.row.size,
        variant: job.variant.name.clone(),
        seed: job.seed,
        budget_s: flags.time().map(|time| time.as_secs_f64()),
        budget_paths: flags.paths,
        cost: None,
        paths: 0,
        paths_to_best: 0,
        seconds: 0.0,
        seconds_to_best: 0.0,
        complete: false,
        stopped: String::new(),
        error: None,
    }
}

/// The runs that were finished before. A last line that was cut off is removed, so that its run is repeated.
fn read_records(file: &Path) -> Result<Vec<Record>> {
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

struct Bench<'b> {
    flags: &'b BenchFlags,
    table: &'b Table,
    entries: &'b [Entry],
    open: Mutex<VecDeque<Job<'b>>>,
    /// The records of this call, and the number of runs done in all.
    finished: Mutex<(Vec<Record>, usize)>,
    total: usize,
    file: PathBuf,
    interrupt: Interrupt,
}

impl Bench<'_> {
    /// Takes jobs until there are none left or Ctrl-C is pressed.
    fn work(&self) -> Result<()> {
        while !self.interrupt.is_heard() {
            let Some(job) = lock(&self.open).pop_front() else { break };
            let name = format!("{}, {}, seed {}", job.row.name(), job.variant.name, job.seed);
            let record = self.run(&job).with_context(|| name.clone())?;
            if self.interrupt.is_heard() {
                // The run was cut short, so it is not what was asked for.
                break;
            }
            let mut finished = lock(&self.finished);
            let line = serde_json::to_string(&record).context("JSON")? + "\n";
            let appended = std::fs::OpenOptions::new().create(true).append(true).open(&self.file);
            let appended = appended.and_then(|mut file| file.write_all(line.as_bytes()));
            appended.with_context(|| self.file.display().to_string())?;
            finished.1 += 1;
            let cost = record.cost.map_or("nothing found".to_string(), |cost| cost.to_string());
            let time = seconds(record.seconds);
            eprintln!("[{}/{}] {name}: {cost} in {time} ({})", finished.1, self.total, record.stopped);
            finished.0.push(record);
        }
        Ok(())
    }

    fn run(&self, job: &Job<'_>) -> Result<Record> {
        let mut record = blank(self.flags, self.table, job);
        let entry = self.entries.iter().find(|entry| entry.name == job.row.subject);
        let entry = entry.with_context(|| format!("{} is not in the manifest", job.row.subject))?;
        let (source, search) = (source(entry, job.row.size)?, search_plan(entry, job)?);
        let optimum = entry.optimum_at(job.row.size).filter(|_| !job.variant.counts_paths());
        let session = Session::new(Task {
            source: &source,
            size: Some(job.row.size),
            cost: search.cost,
            seed: search.seed,
            // A table compares strategies: none of them is helped by random inputs.
            baseline_seed: None,
            budget: Budget { paths: self.flags.paths, time: self.flags.time(), steps: None },
            starts: Vec::new(),
            carries_over: false,
            target: optimum,
            cancel: self.interrupt.cancel(),
            solver: Default::default(),
        })?;
        let mut chosen = search.strategy(session.program())?;
        let Outcome { found, .. } = session.run(chosen.as_mut(), Listeners::default());
        let last = found.progress.last();
        record.cost = found.best_cost();
        record.paths = chosen.report().guided.map_or(found.paths, |report| report.generated.paths);
        record.paths_to_best = last.map_or(0, |last| last.paths);
        record.seconds = found.elapsed.as_secs_f64();
        record.seconds_to_best = last.map_or(0.0, |last| last.seconds);
        record.complete = found.complete;
        record.stopped = match found.stop {
            Stop::Reached => "optimum".to_string(),
            stop => stop.name().to_string(),
        };
        // A defect is a bug of ours. It is recorded and shown, and the other runs continue.
        if let Some(defect) = found.defects.first() {
            record.stopped = "failed".to_string();
            record.error = Some(defect.to_string());
        }
        Ok(record)
    }
}

/// The subject of a run.
fn source(entry: &Entry, size: u64) -> Result<Source> {
    let file = entry.module_file();
    let module = read(&file)?;
    let fingerprint = fingerprint(&module);
    let (start, stdin) = match (&entry.call, &entry.entry) {
        (Some(call), _) => (StartPlan::Call(call.clone()), None),
        (None, Some(name)) => (StartPlan::Entry(name.clone()), None),
        (None, None) => (StartPlan::Command, Some("n".to_string())),
    };
    let plan = SubjectPlan {
        module: ModulePlan { name: file.display().to_string(), named_file: Some(fingerprint.clone()), fingerprint },
        start,
        stdin,
        arguments: Vec::new(),
        files: Vec::new(),
        environment: Vec::new(),
        size: Some(size),
        weights: None,
        limits: LimitsPlan::USUAL,
    };
    Ok(Source::new(plan, module, Vec::new())?)
}

/// How a run searches.
fn search_plan(entry: &Entry, job: &Job<'_>) -> Result<SearchPlan> {
    let mut options = job.variant.options();
    if job.variant.trains() && !job.row.train.is_empty() {
        let sizes: Vec<String> = job.row.train.iter().map(u32::to_string).collect();
        options.insert("train-sizes".to_string(), sizes.join(","));
    }
    Ok(SearchPlan {
        cost: CostModel::parse(&entry.cost).with_context(|| format!("no cost is named {}", entry.cost))?,
        seed: job.seed,
        strategy: job.variant.strategy.clone(),
        options,
        policy: None,
    })
}
