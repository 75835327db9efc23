//! Places to come back to, so that what two paths have in common is executed once.

use super::{Feasible, Kernel, Open, Outcome, Step};
use crate::decider::Decider;
use crate::path::Path;
use crate::program::{Arm, Run};
use pessimum_term::Mark;

/// A place to come back to: an open decision with everything before it.
pub struct Checkpoint {
    run: Box<dyn Run>,
    open: Open,
    decisions: usize,
    conditions: usize,
    mark: Mark,
}

impl Checkpoint {
    /// Number of decisions before this one.
    pub fn depth(&self) -> usize {
        self.decisions
    }

    /// Another one of the same place.
    pub fn fork(&self) -> Checkpoint {
        Checkpoint { run: self.run.fork(), ..*self }
    }
}

/// Snapshots kept of one path; when there are more, every other one is dropped.
const SNAPSHOTS: usize = 64;

impl Kernel<'_> {
    /// A place to come back to. There is an open decision.
    pub fn checkpoint(&self) -> Checkpoint {
        let Some(run) = self.run.as_ref() else { panic!("checkpoint without begin") };
        Checkpoint {
            run: run.fork(),
            open: self.open(),
            decisions: self.decisions.len(),
            conditions: self.context.conditions().len(),
            mark: self.arena.mark(),
        }
    }

    /// Goes back to an open decision of the current path.
    pub fn rewind(&mut self, checkpoint: Checkpoint) {
        self.count_steps();
        self.steps_counted = checkpoint.run.costs().instructions;
        self.run = Some(checkpoint.run);
        self.open = Some(checkpoint.open);
        self.end = None;
        self.asked.clear();
        self.only_arm = false;
        self.decisions.truncate(checkpoint.decisions);
        self.context.truncate(checkpoint.conditions);
        if !self.keep_terms {
            self.arena.release(checkpoint.mark);
        }
        let depth = self.decisions.len();
        self.snapshots.retain(|snapshot| snapshot.depth() <= depth);
    }

    /// Runs again from the decision of this index on, keeping those before it. What is kept is not executed again
    /// from the last snapshot on. Follows a [`Kernel::run`] or [`Kernel::resume`] that gave a path at least this long,
    /// with [`Kernel::snapshot_every`] set; otherwise `None`, and the caller starts anew.
    pub fn resume(&mut self, index: usize, decider: &mut dyn Decider, path: &mut Path) -> Option<Outcome> {
        if self.end.is_none() || index >= self.decisions.len() {
            return None;
        }
        let snapshot = self.snapshots.iter().rev().find(|snapshot| snapshot.depth() <= index)?.fork();
        let replayed: Vec<Arm> = self.decisions[snapshot.depth()..index].iter().map(|decision| decision.arm).collect();
        self.counters.runs += 1;
        self.rewind(snapshot);
        for arm in replayed {
            if self.take(arm) != Feasible::Yes {
                return None;
            }
            match self.advance() {
                Step::Decision => {}
                Step::Stopped(stop) => return Some(Outcome::Stopped(stop)),
                Step::End(_) | Step::GivenUp(_) => return None,
            }
        }
        Some(self.decide(decider, path))
    }

    pub(super) fn keep_snapshot(&mut self, every: usize) {
        let spacing = match self.snapshots.as_slice() {
            [first, second, ..] => second.depth() - first.depth(),
            _ => every.max(1),
        };
        let due = self.snapshots.last().map_or(0, |last| last.depth() + spacing);
        if self.decisions.len() < due {
            return;
        }
        self.snapshots.push(self.checkpoint());
        if self.snapshots.len() > SNAPSHOTS {
            let mut index = 0;
            self.snapshots.retain(|_| {
                index += 1;
                index % 2 == 1
            });
        }
    }
}
