//! Open flips: decisions of earlier paths with an arm that nobody has followed yet.

use crate::program::{Arm, SiteId};
use pessimum_term::Witness;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::{Rc, Weak};

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

    /// Bytes that the flips and their trails take, roughly.
    fn bytes(&self) -> u64;

    /// Drops the half whose turn would come last. Returns how many that are.
    fn halve(&mut self) -> u64;
}

/// Bytes of a trail, roughly.
fn bytes_of(trail: &Trail) -> u64 {
    (size_of::<Trail>() + size_of_val(trail.arms.as_slice()) + size_of_val(trail.witness.values())) as u64
}

/// The least depth first, and among equals the oldest first. Pex calls this iterative deepening.
#[derive(Default)]
pub struct BreadthFirst {
    heap: BinaryHeap<Reverse<Ranked>>,
    added: u64,
    /// Bytes of the trails. Those of trails whose flips have all been taken out are subtracted only when the flips are
    /// counted again, so this is never too little.
    trails: u64,
    /// The trail that was added last.
    last: Weak<Trail>,
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
        // All flips of a trail are added together.
        if self.last.as_ptr() != Rc::as_ptr(&flip.trail) {
            self.trails += bytes_of(&flip.trail);
            self.last = Rc::downgrade(&flip.trail);
        }
        self.heap.push(Reverse(Ranked { rank: (flip.depth, self.added), flip }));
        self.added += 1;
    }

    fn next(&mut self) -> Option<Flip> {
        self.heap.pop().map(|Reverse(ranked)| ranked.flip)
    }

    fn bytes(&self) -> u64 {
        self.heap.len() as u64 * size_of::<Ranked>() as u64 + self.trails
    }

    fn halve(&mut self) -> u64 {
        let mut flips = std::mem::take(&mut self.heap).into_vec();
        flips.sort_unstable_by_key(|Reverse(ranked)| ranked.rank);
        let kept = flips.len() / 2;
        let dropped = (flips.len() - kept) as u64;
        flips.truncate(kept);
        flips.shrink_to_fit();
        let mut trails: Vec<&Rc<Trail>> = flips.iter().map(|Reverse(ranked)| &ranked.flip.trail).collect();
        trails.sort_unstable_by_key(|trail| Rc::as_ptr(trail));
        trails.dedup_by_key(|trail| Rc::as_ptr(trail));
        self.trails = trails.into_iter().map(|trail| bytes_of(trail)).sum();
        self.heap = flips.into();
        dropped
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

    #[test]
    fn halving_drops_what_would_come_last() {
        let mut frontier = BreadthFirst::default();
        for depth in [3, 1, 2, 0] {
            let trail = Rc::new(Trail { arms: vec![Arm(0); 100 * depth], witness: Witness::default() });
            frontier.add(Flip { trail, depth, site: SiteId(0), arm: Arm(1) });
        }
        let before = frontier.bytes();
        assert_eq!(frontier.halve(), 2);
        assert!(before - frontier.bytes() > 2 * 500 * size_of::<Arm>() as u64 / 2, "{before} {}", frontier.bytes());
        let order: Vec<usize> = std::iter::from_fn(|| frontier.next()).map(|flip| flip.depth).collect();
        assert_eq!(order, [0, 1]);
    }
}
