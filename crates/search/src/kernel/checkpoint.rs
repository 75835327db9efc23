//! Places to come back to, so that what two paths have in common is executed only once.

use super::{Kernel, Open};
use crate::program::Run;
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
    /// Bytes that it takes, roughly.
    pub fn bytes(&self) -> u64 {
        self.run.bytes()
    }

    /// Another checkpoint at the same place.
    pub fn fork(&self) -> Checkpoint {
        Checkpoint { run: self.run.fork(), ..*self }
    }
}

impl Kernel<'_> {
    /// A checkpoint at the open decision, which there must be.
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
        self.steps_counted = checkpoint.run.steps();
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
    }
}
