//! What a search is after: the highest cost, or a set of goals.
//!
//! Goals are reached by symbolic and by concrete runs alike; each keeps the first input that reached it. All workers of a
//! search write into one archive.

use crate::cost::CostModel;
use crate::decider::FollowWitness;
use crate::kernel::{Kernel, Outcome, Start};
use crate::path::Path;
use crate::program::{Arm, End, SiteId, Trap};
use pessimum_term::Witness;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What a search is after.
#[derive(Clone, Copy, Debug)]
pub enum Objective<'a> {
    /// The run that costs most by this model.
    HighestCost(CostModel),
    /// An input for every goal.
    Goals(&'a Goals),
}

/// Something that a run may reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Goal {
    /// An arm of a site, whether its condition depends on the input or not.
    Arm(SiteId, Arm),
    /// A call of a function, by the front end's number.
    Function(u32),
    /// A source line.
    Line {
        /// The file, by the front end's number.
        file: u32,
        /// From 1.
        line: u32,
    },
    /// An end in this trap.
    Trap(Trap),
}

/// A set of goals and an archive: for each goal that was reached, the first input that reached it. Clones share both.
/// With several workers, which input is the first depends on timing.
#[derive(Clone, Debug)]
pub struct Goals {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    /// How many are not reached yet.
    open: AtomicUsize,
    archive: Mutex<BTreeMap<Goal, Option<Arc<Witness>>>>,
}

impl Goals {
    /// These goals, none of them reached.
    pub fn new(goals: impl IntoIterator<Item = Goal>) -> Goals {
        let archive: BTreeMap<Goal, Option<Arc<Witness>>> = goals.into_iter().map(|goal| (goal, None)).collect();
        let open = AtomicUsize::new(archive.len());
        Goals { shared: Arc::new(Shared { open, archive: Mutex::new(archive) }) }
    }

    /// A worker that panicked leaves nothing half-written here.
    fn archive(&self) -> MutexGuard<'_, BTreeMap<Goal, Option<Arc<Witness>>>> {
        self.shared.archive.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many are not reached yet.
    pub fn open(&self) -> usize {
        self.shared.open.load(Ordering::Relaxed)
    }

    /// Whether every goal is reached.
    pub fn are_covered(&self) -> bool {
        self.open() == 0
    }

    /// A run of this input reached these. What is no goal, or reached already, is passed over. Returns how many goals
    /// were reached for the first time.
    pub fn see(&self, input: &Witness, reached: impl IntoIterator<Item = Goal>) -> usize {
        if self.are_covered() {
            return 0;
        }
        let mut archive = self.archive();
        let (mut kept, mut new) = (None, 0);
        for goal in reached {
            if let Some(slot @ None) = archive.get_mut(&goal) {
                *slot = Some(Arc::clone(kept.get_or_insert_with(|| Arc::new(input.clone()))));
                new += 1;
            }
        }
        self.shared.open.fetch_sub(new, Ordering::Relaxed);
        new
    }

    /// Every goal with the input that reached it, in the order of goals.
    pub fn reached(&self) -> Vec<(Goal, Option<Arc<Witness>>)> {
        self.archive().iter().map(|(goal, input)| (*goal, input.clone())).collect()
    }

    /// The goals that are not reached yet, in their order.
    pub fn left(&self) -> Vec<Goal> {
        self.archive().iter().filter(|(_, input)| input.is_none()).map(|(goal, _)| *goal).collect()
    }
}

/// What the run that lies in the kernel has reached so far: arms of both kinds, and its trap.
pub(crate) fn reached_by(kernel: &Kernel<'_>, end: Option<End>) -> Vec<Goal> {
    let decided = kernel.decisions().iter().map(|decision| Goal::Arm(decision.site, decision.arm));
    let concrete = kernel.concrete_arms().into_iter().map(|(site, arm)| Goal::Arm(site, arm));
    let trap = match end {
        Some(End::Trapped(trap)) => Some(Goal::Trap(trap)),
        _ => None,
    };
    decided.chain(concrete).chain(trap).collect()
}

/// What a run of this input reaches, found by following it in a kernel of its own; nothing where the program does not
/// accept the input.
pub(crate) fn reached_by_input(mut kernel: Kernel<'_>, input: &Witness) -> Vec<Goal> {
    let mut path = Path::default();
    let start = Start { witness: Some(input), ..Start::default() };
    let end = match kernel.run(&start, &mut FollowWitness, &mut path) {
        Outcome::Path(End::AssumptionViolated) | Outcome::Conflict(_) => return Vec::new(),
        Outcome::Path(end) => Some(end),
        _ => None,
    };
    if kernel.context().witness() == input { reached_by(&kernel, end) } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_input_stays_and_strangers_are_passed_over() {
        let arm = |site, arm| Goal::Arm(SiteId(site), Arm(arm));
        let goals = Goals::new([arm(1, 0), arm(1, 1), Goal::Trap(Trap::DivideByZero), arm(1, 1)]);
        assert_eq!(goals.open(), 3);
        let (one, other) = (Witness::new(vec![1]), Witness::new(vec![2]));
        assert_eq!(goals.see(&one, [arm(1, 0), arm(7, 0)]), 1);
        assert_eq!(goals.clone().see(&other, [arm(1, 0), arm(1, 1), arm(1, 1)]), 1, "clones share the archive");
        assert_eq!(goals.left(), [Goal::Trap(Trap::DivideByZero)]);
        assert!(!goals.are_covered());
        goals.see(&one, [Goal::Trap(Trap::DivideByZero)]);
        assert!(goals.are_covered());
        let inputs: Vec<u64> =
            goals.reached().iter().filter_map(|(_, input)| Some(input.as_ref()?.values()[0])).collect();
        assert_eq!(inputs, [1, 2, 1]);
    }
}
