//! One run of a bench whose result is a suite: how many branches its sequences of calls cover.

use std::collections::BTreeSet;
use std::sync::Arc;

use anyhow::{Context, Error, Result, bail};
use pessimum_files::read;
use pessimum_input::Declaration;
use pessimum_program::WasmLibrary;
use pessimum_search::budget::Cancel;
use pessimum_search::objective::Goal;
use pessimum_search::program::PathLimits;
use pessimum_session::cover::Scope;
use pessimum_session::plan::LimitsPlan;
use pessimum_subjects::Suite;
use pessimum_suites::{
    DseSettings, Library as _, SuiteResult, SuiteSettings, SuiteStrategy, WholeSuiteSettings, avm_alone, search,
};
use pessimum_wasm::{Limits, LoadSettings, Module};

use super::published::Variant;
use super::record::Record;
use super::run::Job;

/// The strategy of a variant with its parameters, and whether its questions are answered by the published solver.
pub fn strategy(variant: &Variant) -> Result<(SuiteStrategy, bool)> {
    let published = |dse| SuiteStrategy::WholeSuite(WholeSuiteSettings { dse, ..WholeSuiteSettings::default() });
    let strategy = match variant.strategy.as_str() {
        "auto" => SuiteStrategy::default(),
        "ga" => published(None),
        "ga-dse" => published(Some(DseSettings::default())),
        other => bail!("{}: there is no strategy {other} for suites", variant.name),
    };
    let options: Vec<(&str, &str)> = variant.options.iter().map(|(name, value)| (&**name, &**value)).collect();
    match options[..] {
        [] => Ok((strategy, false)),
        [("solver", "avm")] => Ok((strategy, true)),
        _ => bail!("{}: its options are not those of suites", variant.name),
    }
}

/// Instructions after which a test is cut.
const MOST_INSTRUCTIONS: u64 = 10_000_000;

/// Searches, and counts once more what the tests that were found cover.
pub fn run(job: &Job<'_>, cancel: Cancel) -> Result<Record> {
    let mut record = job.blank();
    let suite = pessimum_subjects::suites().into_iter().find(|suite| suite.name == job.row.subject);
    let suite = suite.with_context(|| format!("{} is not in the manifest", job.row.subject))?;
    let (strategy, is_avm) = strategy(job.variant)?;
    let library = library(&suite)?;
    let places = library.places();
    let arms: BTreeSet<Goal> = Scope::own(&places).arms.into_iter().map(|(site, arm)| Goal::Arm(site, arm)).collect();
    let usual = LimitsPlan::USUAL;
    let limits = PathLimits {
        instructions: MOST_INSTRUCTIONS,
        memory: usual.memory,
        depth: u64::from(usual.depth),
        ..PathLimits::default()
    };
    let usual = SuiteSettings::default();
    let settings = SuiteSettings {
        goals: arms.iter().copied().collect(),
        budget: job.budget,
        seed: job.seed,
        limits,
        solver: if is_avm { avm_alone(usual.solver.clone()) } else { usual.solver.clone() },
        cancel,
        // What is counted is what the tests cover, however long they are.
        minimise: false,
        ..usual
    };
    let found: SuiteResult = search(&library, &strategy, &settings);
    let mut covered = BTreeSet::new();
    for found in &found.tests {
        let ran = library.run(&found.test, &limits).map_err(Error::msg)?;
        for seen in ran.observation.arms.iter().filter(|seen| seen.hits > 0) {
            let twin = places.twins.get(&(seen.site, seen.arm)).copied();
            covered.extend(Some(Goal::Arm(seen.site, twin.unwrap_or(seen.arm))).filter(|arm| arms.contains(arm)));
        }
    }
    record.cost = Some(covered.len() as u64);
    record.goals = Some(arms.len() as u64);
    record.paths = found.runs;
    record.seconds = found.elapsed.as_secs_f64();
    record.seconds_untrained = record.seconds;
    if let Some(last) = found.progress.last() {
        (record.paths_to_best, record.seconds_to_best) = (last.runs, last.seconds);
    }
    record.progress = found.progress.iter().map(|step| (step.seconds, step.covered as u64)).collect();
    record.queries = found.counters.flips;
    record.complete = covered.len() == arms.len();
    record.stopped = found.stop.name().to_string();
    Ok(record)
}

/// The functions that a subject declares.
fn library(suite: &Suite) -> Result<WasmLibrary> {
    let file = suite.api_file();
    let text = std::fs::read_to_string(&file).with_context(|| file.display().to_string())?;
    let parsed = Declaration::parse_file(&text);
    let declarations = parsed.map_err(|(line, error)| Error::msg(format!("{}:{line}: {error}", file.display())))?;
    let module = Module::load(&read(&suite.module_file())?, &LoadSettings::default()).context(suite.name.clone())?;
    let usual = LimitsPlan::USUAL;
    let limits =
        Limits { instructions: usual.instructions, memory: usual.memory, call_depth: usual.depth, ..Limits::default() };
    WasmLibrary::new(suite.name.clone(), Arc::new(module), declarations, limits).map_err(Error::msg)
}
