//! Dynamic symbolic execution of a suite.
//!
//! Source: Galeotti, Fraser and Arcuri, "Improving Search-based Test Suite Generation with Dynamic Symbolic Execution" (ISSRE
//! 2013), section III-B: the tests of a suite are expanded and executed symbolically; of the conditions on their paths, the one
//! with the shortest prefix is negated first; each solution is a new test with the same calls.
//!
//! The published hybrid is kept to its proportions, not to its seconds: an application has 30 s of the paper's 10
//! minutes and one question a second of these in EvoSuite (`dse_constraint_solver_timeout_millis`), so here it is a
//! twentieth of the budget and a thirtieth of that. An address is what it is for the input: asking for its other values
//! took all of an application on a hash map before anything was negated. What was answered with no is not asked again,
//! as in EvoSuite (`SolverCache`). What EvoSuite has and this has not: constants of the code among the values that are
//! drawn (its `primitive_pool`).

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;
use std::time::Duration;

use rustc_hash::FxHashSet;

use crate::archive::Tried;
use crate::explore::{Effort, Explorer, Followed, Missed, hash_of_calls};
use crate::sequence::test_of;
use crate::settings::DseSettings;
use crate::trials::Trials;
use crate::whole::{Member, fitness};
use pessimum_search::frontier::Flip;
use pessimum_search::objective::Goal;
use pessimum_search::program::{Arm, SiteId};

/// A condition to negate: its size (the conditions of the prefix and itself), then its age.
type Rank = Reverse<(usize, u64)>;

/// A condition to negate.
struct Task {
    /// Whose decision it is, by index.
    explorer: usize,
    flip: Flip,
    /// The hash of its question.
    question: u64,
}

/// Conditions to negate, of all tests.
#[derive(Default)]
struct Pool {
    heap: BinaryHeap<(Rank, usize)>,
    tasks: Vec<Option<Task>>,
}

impl Pool {
    /// Adds the conditions of a path of the explorer with this index, whose calls have this hash.
    fn add(&mut self, (explorer, calls): (usize, u64), followed: &Followed) {
        for (flip, question) in followed.flips(calls, usize::MAX) {
            let number = self.tasks.len();
            self.heap.push((Reverse((flip.depth + 1, number as u64)), number));
            self.tasks.push(Some(Task { explorer, flip, question }));
        }
    }

    fn next(&mut self) -> Option<Task> {
        let (_, number) = self.heap.pop()?;
        self.tasks[number].take()
    }
}

/// The questions that were answered with no, by hash, so that none is asked again: tests that differ in values only have the
/// same ones, and the same test may be in the suite twice. EvoSuite keeps the answers of its solver likewise (`SolverCache`).
pub type Refuted = FxHashSet<u64>;

/// Explores from the tests of a suite. Returns the tests to add to it.
pub fn explore(
    trials: &mut Trials<'_>,
    settings: &DseSettings,
    refuted: &mut Refuted,
    tests: &[Arc<Member>],
) -> Vec<Arc<Tried>> {
    let library = trials.library();
    let mut programs = Vec::new();
    for tried in tests.iter().filter_map(|test| test.tried.as_ref()).filter(|tried| tried.is_usable()) {
        let test = test_of(&tried.steps);
        match library.program(&test.calls) {
            Ok(program) => programs.push((program, test)),
            Err(why) => trials.refuse(why),
        }
    }
    let time =
        trials.is_timed().then(|| settings.time.min(trials.share_of_time(settings.share).unwrap_or(Duration::MAX)));
    let until = time.map(|time| trials.meter.elapsed() + time);
    let most = trials.most_effort().map(|all| trials.effort() + (all as f64 * settings.share) as u64);
    let is_late = |trials: &Trials<'_>| {
        until.is_some_and(|until| trials.meter.elapsed() >= until) || most.is_some_and(|most| trials.effort() >= most)
    };
    // As published, conditions are those of branches. What else an address could be is none, and asking for it took a library
    // of hash maps all of its time: no decision was negated before the limit.
    let &DseSettings { conflicts, gates, .. } = settings;
    let effort = Effort { conflicts, gates, time: time.map(|time| time / QUESTIONS), addresses: 0, until };
    let work = trials.work.saturating_add(settings.work);
    let mut pool = Pool::default();
    let mut explorers: Vec<(Explorer<'_>, u64)> = Vec::new();
    for (program, test) in &programs {
        if trials.stop().is_some() || is_late(trials) {
            break;
        }
        let mut explorer = Explorer::new(&**program, test.calls.clone(), trials, effort);
        let calls = hash_of_calls(&test.calls);
        if let Some(followed) = explorer.follow(trials, &test.input) {
            pool.add((explorers.len(), calls), &followed);
        }
        explorers.push((explorer, calls));
    }
    let mut suite: Vec<Arc<Member>> = tests.to_vec();
    let mut best = fitness(trials, &suite);
    let mut found: Vec<Arc<Tried>> = Vec::new();
    let mut queries = 0;
    while queries < settings.queries && trials.work < work && trials.stop().is_none() && !is_late(trials) {
        let Some(Task { explorer: index, flip, question }) = pool.next() else { break };
        if settings.filter && takes(trials, &suite, flip.site, flip.arm) || refuted.contains(&question) {
            continue;
        }
        queries += 1;
        let (explorer, calls) = &mut explorers[index];
        let followed = match explorer.flip(trials, &flip) {
            Ok(followed) => followed,
            Err(missed) => {
                if missed == Missed::Refuted {
                    refuted.insert(question);
                }
                continue;
            }
        };
        let from = (index, *calls);
        let Some((tried, _)) = followed.steps.clone().and_then(|steps| trials.observe(steps)) else { continue };
        suite.push(Arc::new(Member { statements: Vec::new(), tried: Some(Arc::clone(&tried)) }));
        let with = fitness(trials, &suite);
        if settings.keep_all || with.value < best.value {
            best = with;
            found.push(tried);
            pool.add(from, &followed);
        } else {
            suite.pop();
        }
    }
    found
}

/// The part of the time of an application that one question may take. EvoSuite has a second (`dse_constraint_solver_timeout_millis`)
/// where applications have 30.
const QUESTIONS: u32 = 30;

/// Whether some test of the suite takes this arm or, where the arm is no goal, some test that was ever run: which of those a
/// suite takes is not kept.
fn takes(trials: &Trials<'_>, suite: &[Arc<Member>], site: SiteId, arm: Arm) -> bool {
    let Some(goal) = trials.archive.table.number(Goal::Arm(site, arm)) else {
        return !trials.archive.is_untaken(site, arm);
    };
    suite.iter().filter_map(|test| test.tried.as_ref()).any(|tried| tried.covers(goal))
}
