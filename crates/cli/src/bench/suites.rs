//! One run of a bench whose result is a suite: how many branches its sequences of calls cover.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Error, Result};
use clap::{Args as _, FromArgMatches as _};
use pessimum_program::WasmLibrary;
use pessimum_search::budget::Cancel;
use pessimum_search::objective::Goal;
use pessimum_search::program::PathLimits;
use pessimum_session::cover::Scope;
use pessimum_session::files::read;
use pessimum_session::plan::LimitsPlan;
use pessimum_subjects::Suite;
use pessimum_suites::{Library as _, SuiteResult, SuiteSettings, avm_alone, search};
use pessimum_wasm::call::Declaration;
use pessimum_wasm::{Limits, LoadSettings, Module};

use super::published::Variant;
use super::record::Record;
use super::run::Job;
use crate::flags::{SuiteFlags, SuiteSolverFlag};

/// The flags of `pessimum suite` that a variant stands for: there is one place that knows what its options mean.
pub fn flags(variant: &Variant, module: &Path, api: &Path) -> Result<SuiteFlags> {
    let mut words =
        vec!["suite".into(), module.as_os_str().to_owned(), "--api-file".into(), api.as_os_str().to_owned()];
    words.extend(["--strategy".into(), variant.strategy.clone().into()]);
    for (name, value) in &variant.options {
        words.push(format!("--{name}").into());
        if value != "true" {
            words.push(value.into());
        }
    }
    let command = SuiteFlags::augment_args(clap::Command::new("suite"));
    let matches = command.try_get_matches_from(words).with_context(|| variant.name.clone())?;
    Ok(SuiteFlags::from_arg_matches(&matches)?)
}

/// Searches, and counts once more what the tests that were found cover.
pub fn run(job: &Job<'_>, cancel: Cancel) -> Result<Record> {
    let mut record = job.blank();
    let suite = pessimum_subjects::suites().into_iter().find(|suite| suite.name == job.row.subject);
    let suite = suite.with_context(|| format!("{} is not in the manifest", job.row.subject))?;
    let flags = flags(job.variant, &suite.module_file(), &suite.api_file())?;
    let library = library(&suite)?;
    let places = library.places();
    let arms: BTreeSet<Goal> = Scope::own(&places).arms.into_iter().map(|(site, arm)| Goal::Arm(site, arm)).collect();
    let usual = LimitsPlan::USUAL;
    let limits = PathLimits {
        instructions: flags.max_instructions,
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
        solver: match flags.genetic.solver {
            SuiteSolverFlag::Ours => usual.solver.clone(),
            SuiteSolverFlag::Avm => avm_alone(usual.solver.clone()),
        },
        cancel,
        most_calls: flags.max_calls as usize,
        most_size: flags.max_length.unwrap_or(usual.most_size),
        most_grown_size: flags.max_length.unwrap_or(usual.most_grown_size),
        // What is counted is what the tests cover, however long they are.
        minimise: false,
        ..usual
    };
    let found: SuiteResult = search(&library, &flags.chosen(), &settings);
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
