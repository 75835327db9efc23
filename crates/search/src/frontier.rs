//! Open flips: decisions of earlier paths with an arm that nobody has followed yet.

use crate::program::{Arm, SiteId};
use pessimum_term::Witness;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;

/// A path that open flips belong to, stored once for all of them.
#[derive(Debug)]
pub struct Trail {
    /// The arms of its decisions.
    pub arms: Vec<Arm>,
    /// An input that takes it, and so every prefix of it.
    pub witness: Witness,
}

/// "The first `depth` decisions of the trail, then this arm."
#[derive(Clone, Debug)]
pub struct Flip {
    /// The path it leaves.
    pub trail: Rc<Trail>,
    /// Where it leaves it: the index of the decision.
    pub depth: usize,
    /// The site of that decision.
    pub site: SiteId,
    /// The arm to follow instead; perhaps infeasible.
    pub arm: Arm,
}

/// An order over open flips.
pub trait Frontier {
    /// Adds one.
    fn add(&mut self, flip: Flip);

    /// Takes out the next one; none when it declines.
    fn next(&mut self) -> Option<Flip>;
}

/// The least depth first, and among equals the oldest first. Pex calls this iterative deepening.
#[derive(Default)]
pub struct BreadthFirst {
    heap: BinaryHeap<Reverse<Ranked>>,
    added: u64,
}

struct Ranked {
    rank: (usize, u64),
    flip: Flip,
}

impl PartialEq for Ranked {
    fn eq(&self, other: &Ranked) -> bool {
        self.rank == other.rank
    }
}

impl Eq for Ranked {}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Ranked) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ranked {
    fn cmp(&self, other: &Ranked) -> std::cmp::Ordering {
        self.rank.cmp(&other.rank)
    }
}

impl Frontier for BreadthFirst {
    fn add(&mut self, flip: Flip) {
        self.heap.push(Reverse(Ranked { rank: (flip.depth, self.added), flip }));
        self.added += 1;
    }

    fn next(&mut self) -> Option<Flip> {
        self.heap.pop().map(|Reverse(ranked)| ranked.flip)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn breadth_first_is_by_depth_then_age() {
        let trail = Rc::new(Trail { arms: Vec::new(), witness: Witness::default() });
        let mut frontier = BreadthFirst::default();
        for (depth, arm) in [(3, 0), (1, 1), (2, 2), (1, 3), (0, 4)] {
            frontier.add(Flip { trail: Rc::clone(&trail), depth, site: SiteId(0), arm: Arm(arm) });
        }
        let order: Vec<u64> = std::iter::from_fn(|| frontier.next()).map(|flip| flip.arm.0).collect();
        assert_eq!(order, [4, 1, 3, 2, 0]);
    }
}
