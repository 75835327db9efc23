//! One run of a bench: a search for a cost, for a target or for a suite, an average over random inputs, or the search for a
//! sufficient training size.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use pessimum_files::{fingerprint, read};
use pessimum_outcome::{CostModel, Ends};
use pessimum_python::{PythonCall, PythonSettings, PythonSource};
use pessimum_search::budget::{Budget, Cancel, Stop};
use pessimum_search::objective::Goals;
use pessimum_search::policy::{PolicyPlan, TrainingSizes};
use pessimum_search::random::Random;
use pessimum_search::search::SearchResult;
use pessimum_search::strategy::{Strategy, Wise};
use pessimum_session::plan::{LimitsPlan, ModulePlan, SearchPlan, StartPlan, SubjectPlan};
use pessimum_session::{Listeners, Outcome, PythonCode, Session, Source, Task, python_module};
use pessimum_subjects::Subject as Entry;

use super::Language;
use super::ablation;
use super::published::{Measure, Row, Table, Variant};
use super::record::Record;
use super::suites;

/// One run that was asked for.
pub struct Job<'t> {
    pub language: Language,
    /// The interpreter, if it is not the usual one.
    pub python: Option<&'t Path>,
    pub table: &'t Table,
    pub row: &'t Row,
    pub variant: &'t Variant,
    pub seed: u64,
    pub budget: Budget,
}

impl Job<'_> {
    /// Its name in messages.
    pub fn name(&self) -> String {
        format!("{}, {}, seed {}", self.row.name(), self.variant.name, self.seed)
    }

    /// Its record before it was run.
    pub fn blank(&self) -> Record {
        Record {
            table: self.table.name.clone(),
            language: self.language,
            subject: self.row.subject.clone(),
            size: self.row.size,
            variant: self.variant.name.clone(),
            settings: self.variant.settings(),
            seed: self.seed,
            budget_s: self.budget.time.map(|time| time.as_secs_f64()),
            budget_paths: self.budget.paths,
            ..Record::default()
        }
    }

    /// Does what the variant measures.
    pub fn run(&self, entries: &[Entry], cancel: Cancel) -> Result<Record> {
        let entry = || {
            let entry = entries.iter().find(|entry| entry.name == self.row.subject);
            entry.with_context(|| format!("{} is not in the manifest", self.row.subject))
        };
        match self.variant.measure {
            Measure::Search | Measure::Ablation => self.search(entry()?, cancel),
            Measure::Reach => self.reach(entry()?, cancel),
            Measure::Average => self.average(entry()?, cancel),
            Measure::NStar => self.n_star(entry()?, cancel),
            Measure::Suite => suites::run(self, cancel),
        }
    }

    fn search(&self, entry: &Entry, cancel: Cancel) -> Result<Record> {
        let mut record = self.blank();
        let source = self.source(entry, self.row.size)?;
        let optimum = entry.optimum_at(self.row.size).filter(|_| !self.variant.counts_paths());
        let plan = self.plan(entry, &self.row.train)?;
        let session = Session::new(self.task(&source, &plan, self.budget, optimum, cancel))?;
        let mut strategy: Box<dyn Strategy> = match self.variant.measure {
            Measure::Ablation => Box::new(ablation::auto_without(&self.variant.name)?),
            _ => plan.strategy(session.program())?,
        };
        let Outcome { found, .. } = session.run(strategy.as_mut(), Listeners::default());
        let last = found.progress.last();
        let report = strategy.report();
        record.cost = found.best_cost();
        record.paths = found.paths;
        record.paths_to_best = last.map_or(0, |last| last.paths);
        record.seconds = found.elapsed.as_secs_f64();
        record.seconds_untrained = record.seconds;
        record.seconds_to_best = last.map_or(0.0, |last| last.seconds);
        record.queries = found.counters.queries;
        record.complete = found.complete;
        // Executions and time of pre-training are not those of the search.
        let (mut executions, mut pretraining) = (0, 0.0);
        if self.variant.counts_paths() {
            record.infeasible = found.counters.infeasible;
        }
        if let Some(guided) = &report.guided {
            let generated = &guided.generated;
            record.paths = generated.paths;
            record.infeasible = generated.infeasible;
            record.queries = generated.iterations;
            record.opened = generated.opened;
            record.complete = generated.finished;
            record.seconds_untrained = generated.elapsed.as_secs_f64();
        }
        if let Some(pyse) = &report.pyse {
            // Executions at the size asked for, infeasible ones included; those of pre-training are not among them.
            record.paths = pyse.course.executions;
            record.paths_to_best = pyse.course.until_best;
            record.infeasible = pyse.course.infeasible;
            executions = pyse.pretraining.iter().map(|size| size.course.executions).sum();
            pretraining = pyse.pretraining.iter().map(|size| size.elapsed.as_secs_f64()).sum();
            record.seconds_untrained = (record.seconds - pretraining).max(0.0);
        }
        if let Some(reference) = self.row.reference
            && let Some(step) = found.progress.iter().find(|step| step.cost >= reference)
        {
            record.paths_to_reference = Some(step.paths.saturating_sub(executions));
            record.seconds_to_reference = Some((step.seconds - pretraining).max(0.0));
        }
        record.progress = found.progress.iter().map(|step| (step.seconds, step.cost)).collect();
        record.end(&found);
        Ok(record)
    }

    /// Fitnex's measure: the paths until the target is reached. A concrete run of a strategy that makes some is a path too.
    fn reach(&self, entry: &Entry, cancel: Cancel) -> Result<Record> {
        let mut record = self.blank();
        let source = self.source(entry, self.row.size)?;
        let plan = self.plan(entry, &[])?;
        let session = Session::new(self.task(&source, &plan, self.budget, None, cancel))?;
        let places = session.program().places();
        let target = entry.target.as_deref().with_context(|| format!("{} has no target", entry.name))?;
        let goals = Goals::any_of(places.named(target).map_err(anyhow::Error::msg)?).with_twins(places.twins.clone());
        let session = session.with_goals(goals.clone());
        let mut strategy = plan.strategy(session.program())?;
        let Outcome { found, .. } = session.run(strategy.as_mut(), Listeners::default());
        record.paths = found.paths;
        record.infeasible = found.counters.infeasible;
        record.queries = found.counters.queries;
        record.complete = found.complete;
        record.seconds = found.elapsed.as_secs_f64();
        record.seconds_untrained = record.seconds;
        if goals.are_covered() {
            record.paths_to_reference = Some(found.paths);
            record.seconds_to_reference = Some(record.seconds);
        }
        record.end(&found);
        Ok(record)
    }

    /// The subject at a size.
    fn source(&self, entry: &Entry, size: u64) -> Result<Source> {
        match self.language {
            Language::Wasm => wasm(entry, size),
            Language::Python => python(entry, size, self.python),
        }
    }

    fn task<'a>(
        &self,
        source: &'a Source,
        plan: &SearchPlan,
        budget: Budget,
        target: Option<u64>,
        cancel: Cancel,
    ) -> Task<'a> {
        Task {
            source,
            size: source.plan().size,
            cost: plan.cost,
            ends: plan.ends,
            seed: self.seed,
            // A table compares strategies: none of them is helped by random inputs.
            baseline_seed: None,
            budget,
            starts: Vec::new(),
            carries_over: false,
            target,
            cancel,
            solver: Default::default(),
        }
    }

    /// How it searches, with these sizes to learn at unless the variant has its own.
    fn plan(&self, entry: &Entry, train: &[u32]) -> Result<SearchPlan> {
        let mut options: BTreeMap<String, String> = self.variant.options.clone();
        if self.variant.trains() && !train.is_empty() {
            let sizes: Vec<String> = train.iter().map(u32::to_string).collect();
            options.entry("train-sizes".to_string()).or_insert(sizes.join(","));
        }
        if let Some(size) = self.row.pretrain.filter(|_| self.variant.pretrained) {
            options.entry("pretrain-sizes".to_string()).or_insert(size.to_string());
        }
        let strategy = match self.variant.measure {
            Measure::Ablation => "auto".to_string(),
            _ => self.variant.strategy.clone(),
        };
        Ok(SearchPlan { cost: cost(entry)?, ends: Ends::Any, seed: self.seed, strategy, options, policy: None })
    }

    /// WISE's "Average": the mean cost of random inputs, uniform in the ranges of the call. Fewer of them are run where
    /// the time does not suffice; `paths` says how many it were.
    fn average(&self, entry: &Entry, cancel: Cancel) -> Result<Record> {
        let mut record = self.blank();
        let source = self.source(entry, self.row.size)?;
        let (program, cost) = (source.program(Some(self.row.size))?, cost(entry)?);
        let limits = source.limits();
        let (variables, mut random) = (program.variables(), Random::new(self.seed));
        let (begin, mut sum) = (Instant::now(), 0u128);
        let over = |begin: Instant| self.budget.time.is_some_and(|time| begin.elapsed() >= time);
        while record.paths < u64::from(self.variant.inputs) && !over(begin) && !cancel.is_cancelled() {
            let cost = cost.of(&program.replay(&random.witness(&variables), &limits).costs);
            record.cost = record.cost.max(Some(cost));
            record.paths += 1;
            sum += u128::from(cost);
        }
        record.complete = record.paths == u64::from(self.variant.inputs);
        record.average = (record.paths > 0).then(|| sum as f64 / record.paths as f64);
        record.seconds = begin.elapsed().as_secs_f64();
        record.seconds_untrained = record.seconds;
        record.stopped = if record.complete { "finished" } else { "time" }.to_string();
        Ok(record)
    }

    /// WISE's "N*": the least N so that the policy learnt at 1..N generates a longest path at every greater size of the
    /// table, as far as these are known. The paper's authors found it by hand. All runs together have the job's budget.
    fn n_star(&self, entry: &Entry, cancel: Cancel) -> Result<Record> {
        let mut record = self.blank();
        let known = |row: &&Row| row.subject == self.row.subject && row.size <= self.row.size;
        let longest = |row: &Row| entry.reached_at(row.size).or(row.reference).map(|cost| (row.size, cost));
        let sizes: Vec<(u64, u64)> = self.table.rows.iter().filter(known).filter_map(longest).collect();
        let begin = Instant::now();
        for n in 1..=u32::try_from(self.row.size)? {
            match self.suffices(entry, n, &sizes, begin, cancel.clone())? {
                Some(true) => {
                    (record.cost, record.complete) = (Some(u64::from(n)), true);
                    break;
                }
                Some(false) => {}
                None => break,
            }
        }
        record.seconds = begin.elapsed().as_secs_f64();
        record.seconds_untrained = record.seconds;
        record.stopped = if record.complete { "finished" } else { "time" }.to_string();
        Ok(record)
    }

    /// Whether the policy learnt at 1..`n` generates a longest path at every one of these sizes from `n` on; none if
    /// there was no time to learn it. Small sizes come first: most policies that do not suffice fail there already.
    fn suffices(
        &self,
        entry: &Entry,
        n: u32,
        sizes: &[(u64, u64)],
        begin: Instant,
        cancel: Cancel,
    ) -> Result<Option<bool>> {
        let plan = self.plan(entry, &[])?;
        let sizes_to_learn = TrainingSizes::These((1..=n).collect());
        let mut wise = Wise {
            plan: PolicyPlan { sizes: sizes_to_learn, opens: false, ..PolicyPlan::default() },
            ..Wise::default()
        };
        for &(size, longest) in sizes.iter().filter(|(size, _)| *size >= u64::from(n)) {
            let left = self.budget.time.map(|time| time.saturating_sub(begin.elapsed()));
            if left.is_some_and(|left| left < Duration::from_millis(1)) || cancel.is_cancelled() {
                return Ok(None);
            }
            let source = self.source(entry, size)?;
            let budget = Budget { time: left, ..self.budget };
            let session = Session::new(self.task(&source, &plan, budget, Some(longest), cancel.clone()))?;
            let Outcome { found, .. } = session.run(&mut wise, Listeners::default());
            let report = wise.report.take().context("the search left no report")?;
            // A size that the program does not have teaches nothing, and is no reason to stop.
            if report.training.sizes.iter().any(|size| !size.finished && size.error.is_none()) {
                return Ok(None);
            }
            // Without a path, the best is that of some input that the search ran in the end.
            if report.generated.paths == 0 || found.best_cost() != Some(longest) {
                return Ok(Some(false));
            }
            wise.given = Some(report.policy);
        }
        Ok(Some(true))
    }
}

impl Record {
    /// Notes why a search ended.
    fn end(&mut self, found: &SearchResult) {
        self.stopped = match found.stop {
            Stop::Reached => "optimum".to_string(),
            stop => stop.name().to_string(),
        };
        // A defect is a bug of ours. It is recorded and shown, and the other runs continue.
        if let Some(defect) = found.defects.first() {
            self.stopped = "failed".to_string();
            self.error = Some(defect.to_string());
        }
    }
}

fn cost(entry: &Entry) -> Result<CostModel> {
    CostModel::parse(&entry.cost).with_context(|| format!("no cost is named {}", entry.cost))
}

/// A module at a size.
fn wasm(entry: &Entry, size: u64) -> Result<Source> {
    let file = entry.module_file();
    let module = read(&file)?;
    let fingerprint = fingerprint(&module);
    let (start, stdin) = match (&entry.call, &entry.entry) {
        (Some(call), _) => (StartPlan::Call(call.clone()), None),
        (None, Some(name)) => (StartPlan::Entry(name.clone()), None),
        (None, None) => (StartPlan::Command, Some("n".to_string())),
    };
    let named = ModulePlan {
        name: file.display().to_string(),
        named_file: Some(fingerprint.clone()),
        fingerprint,
        python: None,
    };
    Ok(Source::new(plan(named, start, stdin, size, LimitsPlan::USUAL), module, Vec::new())?)
}

/// A Python function at a size.
fn python(entry: &Entry, size: u64, interpreter: Option<&Path>) -> Result<Source> {
    let file = entry.module_file();
    let settings = PythonSettings { python: interpreter.map(Path::to_path_buf), ..PythonSettings::new(&file) };
    let source = PythonSource::open(&settings).map_err(anyhow::Error::msg)?;
    let text = entry.call.as_deref().with_context(|| format!("{} has no call", entry.name))?;
    let call = PythonCall::parse(text, &source)?;
    let named = python_module(file.display().to_string(), &source);
    let plan = plan(named, StartPlan::Call(text.to_string()), None, size, LimitsPlan::USUAL_PYTHON);
    Ok(Source::of(plan, PythonCode::new(source, call)))
}

fn plan(module: ModulePlan, start: StartPlan, stdin: Option<String>, size: u64, limits: LimitsPlan) -> SubjectPlan {
    SubjectPlan {
        module,
        start,
        stdin,
        arguments: Vec::new(),
        files: Vec::new(),
        environment: Vec::new(),
        size: Some(size),
        sizes: Default::default(),
        counted: Vec::new(),
        weights: None,
        limits,
    }
}
