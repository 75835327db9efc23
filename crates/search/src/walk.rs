//! The depth-first walk over the tree of decisions: one run with forks at open decisions, nothing executed twice.

use crate::kernel::{Checkpoint, Feasible, Kernel, Outcome, Point, Start, Step};
use crate::program::Arm;
use crate::random::Random;
use crate::search::{Finished, Search};

/// Says which arms a walk follows.
pub trait Walker {
    /// Adds the arms to follow at this decision, in order, to `arms`, which is empty at the call. If there are none,
    /// the path ends here, unrecorded; arms that turn out to be infeasible are dropped.
    fn arms(&mut self, point: &mut Point<'_, '_>, arms: &mut Vec<Arm>);

    /// A path has ended and is in the kernel. Returns whether it is recorded and counted as one.
    fn ended(&mut self, _kernel: &Kernel<'_>) -> bool {
        true
    }

    /// Whether it follows no further arm, so that the walk may end at once.
    fn is_over(&self) -> bool {
        false
    }
}

/// Which of two feasible arms comes first. What arm 0 means is the compiler's choice: for `if (a < b)` it is often
/// `a < b`, because the branch that was compiled is the one around the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArmOrder {
    /// Arms in descending order: true before false.
    TrueFirst,
    /// Arms in ascending order: false before true. ESE's DFS: this gives its published figures.
    FalseFirst,
    /// A new random order at each decision.
    Random,
}

impl ArmOrder {
    /// Puts the arms of one decision, which are in ascending order, into this order.
    pub fn arrange(self, random: &mut Random, arms: &mut [Arm]) {
        match self {
            ArmOrder::FalseFirst => {}
            ArmOrder::TrueFirst => arms.reverse(),
            ArmOrder::Random => random.shuffle(arms),
        }
    }
}

/// Follows every feasible arm.
pub struct AllArms {
    order: ArmOrder,
    random: Random,
    values: usize,
}

impl AllArms {
    /// At most `values` values of a value decision are followed.
    pub fn new(order: ArmOrder, random: Random, values: usize) -> AllArms {
        AllArms { order, random, values }
    }
}

impl Walker for AllArms {
    fn arms(&mut self, point: &mut Point<'_, '_>, arms: &mut Vec<Arm>) {
        point.enumerate(self.values, arms);
        self.order.arrange(&mut self.random, arms);
    }
}

/// An open decision with arms left.
struct Fork {
    checkpoint: Checkpoint,
    /// How many arms of the stack of arms belong to the forks below.
    base: usize,
    /// Bytes that it is counted as.
    bytes: u64,
}

/// Walks all paths that the walker follows. `Everything` means that the walk was not cut short by the budget.
///
/// Memory is bounded by the depth of the tree: terms are released on the way back. Conditions of earlier paths are
/// therefore invalid, whatever [`Kernel::keep_terms`] was. Where the search's memory is too small for that, only the
/// first arm of further decisions is followed, and the others are counted as dropped.
pub fn walk(search: &mut Search<'_>, start: &Start<'_>, walker: &mut dyn Walker) -> Finished {
    let keep_terms = std::mem::replace(&mut search.kernel.keep_terms, false);
    let kept = search.kernel.kept;
    let finished = walk_releasing(search, start, walker);
    search.kernel.keep_terms = keep_terms;
    search.kernel.kept = kept;
    finished
}

fn walk_releasing(search: &mut Search<'_>, start: &Start<'_>, walker: &mut dyn Walker) -> Finished {
    if search.stop().is_some() {
        return Finished::Partly;
    }
    // Without a run there is no path: a conflict is a complete answer, and a query that was given up is counted.
    match search.kernel.begin(start) {
        Ok(()) => {}
        Err(Outcome::Stopped(_)) => return Finished::Partly,
        Err(_) => return Finished::Everything,
    }
    let mut forks: Vec<Fork> = Vec::new();
    let mut left: Vec<Arm> = Vec::new();
    let mut arms: Vec<Arm> = Vec::new();
    loop {
        let onward = match search.kernel.advance() {
            Step::Decision => {
                arms.clear();
                walker.arms(&mut Point::new(&mut search.kernel), &mut arms);
                if search.kernel.meter.stopped().is_some() {
                    // Perhaps not all arms were found.
                    search.salvage();
                    return Finished::Partly;
                }
                if walker.is_over() {
                    return Finished::Partly;
                }
                if arms.len() > 1 {
                    fork(&mut search.kernel, &mut forks, &mut left, &arms[1..]);
                }
                arms.first().is_some_and(|&arm| search.kernel.take(arm) == Feasible::Yes)
            }
            Step::End(_) => {
                if walker.ended(&search.kernel) {
                    search.record();
                }
                if walker.is_over() {
                    return Finished::Partly;
                }
                if !forks.is_empty() && search.stop().is_some() {
                    return Finished::Partly;
                }
                false
            }
            Step::GivenUp(_) => false,
            Step::Stopped(_) => {
                search.salvage();
                return Finished::Partly;
            }
        };
        if !onward && !next_arm(&mut search.kernel, &mut forks, &mut left) {
            return if left.is_empty() { Finished::Everything } else { Finished::Partly };
        }
    }
}

/// Keeps the open decision with these arms for later, as long as a quarter of the memory is free for paths.
fn fork(kernel: &mut Kernel<'_>, forks: &mut Vec<Fork>, left: &mut Vec<Arm>, arms: &[Arm]) {
    let checkpoint = kernel.checkpoint();
    let bytes = checkpoint.bytes() + (size_of::<Fork>() + size_of_val(arms)) as u64;
    if kernel.meter.is_full(kernel.bytes() + bytes, 3) {
        kernel.counters.dropped += arms.len() as u64;
        return;
    }
    kernel.kept += bytes;
    forks.push(Fork { checkpoint, base: left.len(), bytes });
    left.extend(arms.iter().rev());
}

/// Goes back to the deepest open decision and takes its next arm. False when there is none.
fn next_arm(kernel: &mut Kernel<'_>, forks: &mut Vec<Fork>, left: &mut Vec<Arm>) -> bool {
    while let Some(fork) = forks.last()
        && let Some(arm) = left.pop()
    {
        if left.len() > fork.base {
            kernel.rewind(fork.checkpoint.fork());
        } else if let Some(fork) = forks.pop() {
            kernel.kept -= fork.bytes;
            kernel.rewind(fork.checkpoint);
        }
        if kernel.take(arm) == Feasible::Yes {
            return true;
        }
        // After its time the solver answers nothing any more, and the arms that are left would be given up one by one.
        if !left.is_empty() && kernel.meter.look(0).is_some() {
            return false;
        }
    }
    false
}
