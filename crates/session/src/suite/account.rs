//! From the tests of a suite to the result that is printed and saved. Every count comes from running them once more.

use std::collections::BTreeSet;

use pessimum_outcome::End;
use pessimum_program::WasmLibrary;
use pessimum_report::cover::Reason;
use pessimum_report::suite::{AboutTest, SuiteResult};
use pessimum_search::objective::Goal;
use pessimum_search::program::PathLimits;
use pessimum_suites::{Library as _, Ran, SuiteResult as Found, Test};
use pessimum_wasm::Counted;
use pessimum_wasm::names::{Names, SourceLines};

use super::words::{statements, test_name};
use crate::Error;
use crate::cover::coverage::{Counts, coverage};
use crate::cover::{Scope, goals_covered};
use crate::result::Origin;

/// Calls of a backtrace that are kept.
const CALLS: usize = 50;

/// What was asked for.
pub struct Asked<'a> {
    /// The module's file, as on the command line.
    pub module: &'a str,
    /// The strategy's name.
    pub strategy: &'a str,
    /// The seed.
    pub seed: u64,
    /// The limits of each test.
    pub limits: PathLimits,
    /// Where the result comes from.
    pub origin: Origin,
}

/// Runs every test of a suite once more and puts together what they cover and what they do not.
pub fn result(
    library: &WasmLibrary,
    scope: &Scope,
    found: &Found,
    suite: &[Test],
    asked: &Asked<'_>,
) -> Result<SuiteResult, Error> {
    let places = &*library.places();
    let wanted: BTreeSet<Goal> = scope.goals().collect();
    let mut seen: Vec<(BTreeSet<Goal>, Ran)> = Vec::new();
    for test in suite {
        let ran = library.run(test, &asked.limits).map_err(Error::new)?;
        seen.push((goals_covered(&ran.observation, &wanted, places), ran));
    }
    let mut counts = Counts::of(seen.iter().map(|(goals, _)| goals));
    counts.execute(seen.iter().flat_map(|(_, ran)| ran.observation.arms.iter().map(|arm| arm.site)));
    let (mut tests, mut about) = (Vec::new(), Vec::new());
    let (mut before, mut taken) = (BTreeSet::new(), BTreeSet::new());
    for (test, (goals, ran)) in suite.iter().zip(&seen) {
        let adds: BTreeSet<Goal> = goals.difference(&before).copied().collect();
        before.extend(adds.iter().copied());
        let trapped = matches!(ran.end(), End::Trapped(_));
        let trap = trapped.then_some("traps");
        // What adds nothing is there because of its end.
        let named_after = if adds.is_empty() { goals } else { &adds };
        tests.push(statements(library, test, ran)?);
        about.push(AboutTest {
            name: test_name(places, named_after, trap, &mut taken),
            end: ran.end().to_string(),
            adds: adds.len() as u64,
            instructions: ran.observation.costs.instructions,
            backtrace: if trapped { backtrace(library, test)? } else { Vec::new() },
        });
    }
    Ok(SuiteResult {
        module: asked.module.to_string(),
        api: library.declarations().iter().map(|declared| declared.text().to_string()).collect(),
        strategy: asked.strategy.to_string(),
        seed: asked.seed,
        coverage: coverage(scope, places, &counts, |_, _| (Reason::NotReached, None)),
        tests,
        about,
        runs: found.runs,
        flips: [found.counters.flips, found.counters.infeasible, found.counters.given_up],
        limits: found.counters.limits,
        stopped: found.stop.name().to_string(),
        elapsed_s: found.elapsed.as_secs_f64(),
        progress: found.progress.iter().map(|at| (at.seconds, at.runs, at.covered as u64)).collect(),
        mutation: None,
        arguments: asked.origin.arguments.clone(),
        command: asked.origin.command.clone(),
    })
}

/// Where a test that traps does so, innermost call first.
fn backtrace(library: &WasmLibrary, test: &Test) -> Result<Vec<String>, Error> {
    let subject = library.subject(&test.calls, Counted::All).map_err(Error::new)?;
    let ran = subject.run_concrete(test.input.clone()).map_err(|error| Error::new(error.to_string()))?;
    let (names, lines) = (Names::of(library.module()), SourceLines::of(library.module()));
    let place = |location: &pessimum_wasm::Location| {
        let line = lines.line(u64::from(location.offset)).map(|line| format!(" ({line})"));
        format!("{}{}", names.function(location.function), line.unwrap_or_default())
    };
    Ok(ran.backtrace.iter().take(CALLS).map(place).collect())
}
