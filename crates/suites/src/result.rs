//! What a search for a suite returns.

use std::sync::Arc;
use std::time::Duration;

use pessimum_outcome::{Costs, End};

use crate::archive::{Crash, Tried};
use crate::library::Test;
use crate::minimise::{Minimiser, assigned, choose};
use crate::sequence::test_of;
use crate::settings::Progress;
use crate::trials::{SuiteCounters, Trials};
use pessimum_search::budget::Stop;
use pessimum_search::objective::Goal;

/// A test of a suite.
#[derive(Clone, Debug, PartialEq)]
pub struct SuiteTest {
    /// The test.
    pub test: Test,
    /// How it ends.
    pub end: End,
    /// What it costs.
    pub costs: Costs,
    /// How many of its calls return.
    pub returned: usize,
    /// The goals that it is in the suite for, in order: no test before it covers them. Empty for tests of crashes.
    pub goals: Vec<Goal>,
    /// All goals that it covers, in order.
    pub covered: Vec<Goal>,
}

/// A test that crashes.
#[derive(Clone, Debug, PartialEq)]
pub struct CrashTest {
    /// What tells it apart from other crashes.
    pub crash: Crash,
    /// The test.
    pub test: SuiteTest,
}

/// What was found.
#[derive(Clone, Debug)]
pub struct SuiteResult {
    /// All goals, in order; of arms that lead to the same place one.
    pub goals: Vec<Goal>,
    /// Those that no test of the suite covers.
    pub open: Vec<Goal>,
    /// The suite. A test in it may crash, if nothing else covers what it is there for.
    pub tests: Vec<SuiteTest>,
    /// One test for each crash that no test of the suite ends in.
    pub crashes: Vec<CrashTest>,
    /// Other tests that the search kept because they took some arm more often than any before, the oldest first: material for
    /// whoever looks for something other than coverage.
    pub others: Vec<Test>,
    /// Test executions of the search.
    pub runs: u64,
    /// Executions that minimising took, beside the budget.
    pub minimise_runs: u64,
    /// What else was counted.
    pub counters: SuiteCounters,
    /// When how many goals were covered: one point for each improvement.
    pub progress: Vec<Progress>,
    /// Why the search ended.
    pub stop: Stop,
    /// The time of the search, minimising included.
    pub elapsed: Duration,
    /// Why the library refused a sequence first, if it did.
    pub refusal: Option<String>,
}

impl SuiteResult {
    /// How many goals the suite covers.
    pub fn covered(&self) -> usize {
        self.goals.len() - self.open.len()
    }
}

/// Puts the result together from the tests that may be in the suite.
pub(crate) fn finish(mut trials: Trials<'_>, candidates: &[Arc<Tried>]) -> SuiteResult {
    let stop = trials.meter.stopped().unwrap_or(Stop::Finished);
    let count = trials.archive.table.len();
    let mut chosen = choose(count, candidates);
    let mut crashes: Vec<(Crash, Arc<Tried>)> = std::mem::take(&mut trials.archive.crashes).into_iter().collect();
    let library = trials.library();
    let crash_of = |trials: &Trials<'_>, tried: &Tried| {
        let function = tried.failed().filter(|_| tried.end.is_crash())?;
        let place = library.crash_place(&test_of(&tried.steps), &trials.settings.limits);
        Some(Crash { end: tried.end, function, place })
    };
    let mut minimise_runs = 0;
    if trials.settings.minimise {
        let mut minimiser = Minimiser::new(&mut trials);
        chosen = minimiser.suite(chosen);
        for (crash, tried) in &mut crashes {
            *tried = minimiser.crash(crash, Arc::clone(tried));
        }
        minimise_runs = minimiser.runs;
    }
    let known: Vec<Crash> = chosen.iter().filter_map(|tried| crash_of(&trials, tried)).collect();
    crashes.retain(|(crash, _)| !known.contains(crash));
    let goals = trials.archive.table.goals().to_vec();
    let named = |numbers: &[u32]| -> Vec<Goal> { numbers.iter().map(|&number| goals[number as usize]).collect() };
    let exported = |tried: &Tried, own: &[u32]| SuiteTest {
        test: test_of(&tried.steps),
        end: tried.end,
        costs: tried.costs,
        returned: tried.returned,
        goals: named(own),
        covered: named(&tried.covered),
    };
    let own = assigned(count, &chosen);
    let tests: Vec<SuiteTest> = chosen.iter().zip(&own).map(|(tried, own)| exported(tried, own)).collect();
    let covered: Vec<u32> = own.into_iter().flatten().collect();
    let open = (0..count as u32).filter(|goal| !covered.contains(goal)).collect::<Vec<u32>>();
    let crashes = crashes.into_iter().map(|(crash, tried)| CrashTest { crash, test: exported(&tried, &[]) }).collect();
    SuiteResult {
        open: named(&open),
        tests,
        crashes,
        others: trials.archive.corpus.iter().map(|tried| test_of(&tried.steps)).collect(),
        runs: trials.meter.paths,
        minimise_runs,
        counters: trials.counters,
        progress: trials.progress,
        stop,
        elapsed: trials.meter.elapsed(),
        refusal: trials.refusal,
        goals,
    }
}
