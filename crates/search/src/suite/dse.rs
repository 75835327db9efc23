//! Dynamic symbolic execution of a suite.
//!
//! Source: Galeotti, Fraser and Arcuri, "Improving Search-based Test Suite Generation with Dynamic Symbolic Execution" (ISSRE
//! 2013), section III-B: the tests of a suite are expanded and executed symbolically; of the conditions on their paths, the one
//! with the shortest prefix is negated first; each solution is a new test with the same calls.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;
use std::sync::Arc;

use super::archive::Tried;
use super::explore::{Effort, Explorer, Followed};
use super::sequence::test_of;
use super::settings::DseSettings;
use super::trials::Trials;
use super::whole::{Member, fitness};
use crate::frontier::{Flip, Trail};
use crate::objective::Goal;
use crate::program::{Arm, SiteId};

/// A condition to negate: its size (the conditions of the prefix and itself), then its age.
type Rank = Reverse<(usize, u64)>;

/// Conditions to negate, of all tests, and the decisions that each belongs to.
struct Pool {
    heap: BinaryHeap<(Rank, usize)>,
    tasks: Vec<Option<(usize, Flip)>>,
}

impl Pool {
    /// Adds the conditions of a path of the explorer with this index.
    fn add(&mut self, explorer: usize, followed: &Followed) {
        for passed in &followed.passed {
            let trail: Rc<Trail> = Rc::clone(&followed.trail);
            let flip = Flip { trail, depth: passed.depth, site: passed.site, arm: passed.arm };
            let number = self.tasks.len();
            self.heap.push((Reverse((passed.depth + 1, number as u64)), number));
            self.tasks.push(Some((explorer, flip)));
        }
    }

    fn next(&mut self) -> Option<(usize, Flip)> {
        let (_, number) = self.heap.pop()?;
        self.tasks[number].take()
    }
}

/// Explores from the tests of a suite. Returns the tests to add to it.
pub fn explore(trials: &mut Trials<'_>, settings: &DseSettings, tests: &[Arc<Member>]) -> Vec<Arc<Tried>> {
    let library = trials.library();
    let mut programs = Vec::new();
    for tried in tests.iter().filter_map(|test| test.tried.as_ref()).filter(|tried| tried.is_usable()) {
        let test = test_of(&tried.steps);
        match library.program(&test.calls) {
            Ok(program) => programs.push((program, test)),
            Err(why) => trials.refuse(why),
        }
    }
    let until = trials.is_timed().then(|| trials.meter.elapsed() + settings.time);
    let is_late = |trials: &Trials<'_>| until.is_some_and(|until| trials.meter.elapsed() >= until);
    let effort = Effort { conflicts: u64::MAX, gates: u32::MAX, until };
    let work = trials.work.saturating_add(settings.work);
    let mut pool = Pool { heap: BinaryHeap::new(), tasks: Vec::new() };
    let mut explorers: Vec<Explorer<'_>> = Vec::new();
    for (program, test) in &programs {
        if trials.stop().is_some() || is_late(trials) {
            break;
        }
        let mut explorer = Explorer::new(&**program, test.calls.clone(), trials, effort);
        if let Some(followed) = explorer.follow(trials, &test.input) {
            pool.add(explorers.len(), &followed);
        }
        explorers.push(explorer);
    }
    let mut suite: Vec<Arc<Member>> = tests.to_vec();
    let mut best = fitness(trials, &suite);
    let mut found: Vec<Arc<Tried>> = Vec::new();
    let mut queries = 0;
    while queries < settings.queries && trials.work < work && trials.stop().is_none() && !is_late(trials) {
        let Some((index, flip)) = pool.next() else { break };
        if settings.filter && takes(trials, &suite, flip.site, flip.arm) {
            continue;
        }
        queries += 1;
        let Some(followed) = explorers[index].flip(trials, &flip) else { continue };
        let Some((tried, _)) = followed.steps.clone().and_then(|steps| trials.observe(steps)) else { continue };
        suite.push(Arc::new(Member { statements: Vec::new(), tried: Some(Arc::clone(&tried)) }));
        let with = fitness(trials, &suite);
        if settings.keep_all || with.value < best.value {
            best = with;
            found.push(tried);
            pool.add(index, &followed);
        } else {
            suite.pop();
        }
    }
    found
}

/// Whether some test of the suite takes this arm or, where the arm is no goal, some test that was ever run: which of those a
/// suite takes is not kept.
fn takes(trials: &Trials<'_>, suite: &[Arc<Member>], site: SiteId, arm: Arm) -> bool {
    let Some(goal) = trials.archive.table.number(Goal::Arm(site, arm)) else {
        return !trials.archive.is_untaken(site, arm);
    };
    suite.iter().filter_map(|test| test.tried.as_ref()).any(|tried| tried.covers(goal))
}
