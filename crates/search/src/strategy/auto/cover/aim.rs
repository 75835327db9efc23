//! What a search for traps aims at: the arms on the way to them, and for each the input that came closest to taking it.
//!
//! `crates/wasm/src/traps.rs` says for each arm how many branches are still in between (no memory accesses, which are
//! everywhere). The input that came closest is changed, concretely and by taking other arms on its path, and what is as
//! close replaces it: steps that make no difference by themselves add up.

use crate::observation::Observation;
use crate::program::{Arm, SiteId};
use pessimum_term::Witness;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// An arm, or, with [`Arm::TRUE`], the trap of a division.
pub type Target = (SiteId, Arm);

/// Tries after which a target counts as one branch further away, so that the others have their turns.
const PATIENCE: u32 = 4;

/// Targets that no run has reached yet. Like the approach level and branch distance of Wegener, Baresel and Sthamer (IST
/// 2001), with one record for each arm in the place of one sum, because there are many ways to many traps.
#[derive(Debug, Default)]
pub struct Aim {
    /// Branches from each arm to the nearest trap.
    branches: BTreeMap<Target, u32>,
    near: BTreeMap<Target, Near>,
    reached: FxHashSet<Target>,
    /// How often a run came closer to a target than any before it.
    pub improvements: u64,
}

#[derive(Debug)]
struct Near {
    /// The least branch distance, not normalised.
    distance: u128,
    input: Witness,
    /// Since the last improvement.
    tries: u32,
}

impl Aim {
    /// At these arms, with the branches from each to the nearest trap.
    pub fn at(branches: BTreeMap<Target, u32>) -> Aim {
        Aim { branches, ..Aim::default() }
    }

    /// Branches from this arm to the nearest trap; none if it leads to no trap.
    pub fn branches(&self, target: Target) -> Option<u32> {
        self.branches.get(&target).copied()
    }

    /// Takes in an observed run of this input. Returns whether it came closer to a target than any before it.
    pub fn see(&mut self, input: &Witness, seen: &Observation) -> bool {
        let before = self.improvements;
        for arm in &seen.arms {
            let target = (arm.site, arm.arm);
            if self.branches.contains_key(&target) {
                self.note(target, arm.distance, input);
            }
        }
        for &(place, distance) in &seen.divisions {
            self.note((place, Arm::TRUE), distance, input);
        }
        self.improvements > before
    }

    fn note(&mut self, target: Target, distance: u128, input: &Witness) {
        if distance == 0 {
            self.near.remove(&target);
            self.reached.insert(target);
        } else if !self.reached.contains(&target) && self.near.get(&target).is_none_or(|near| distance < near.distance)
        {
            self.near.insert(target, Near { distance, input: input.clone(), tries: 0 });
            self.improvements += 1;
        }
    }

    /// Goes on from another input that is as close: what has to happen before a target may make no difference by itself, and
    /// comes about by chance, one change after the other.
    pub fn drift(&mut self, target: Target, distance: u128, input: Witness) {
        if let Some(near) = self.near.get_mut(&target).filter(|near| distance <= near.distance) {
            near.input = input;
        }
    }

    /// The target to try next, the input that came closest to it, and how close.
    pub fn draw(&mut self) -> Option<(Target, Witness, u128)> {
        let far = |(target, near): &(&Target, &mut Near)| {
            let branches = self.branches.get(target).copied().unwrap_or(0);
            (branches + near.tries / PATIENCE, near.tries, **target)
        };
        let (target, near) = self.near.iter_mut().min_by_key(far)?;
        near.tries += 1;
        Some((*target, near.input.clone(), near.distance))
    }
}

/// How far an observed run was from a target; none if it did not come to its branch.
pub fn distance(seen: &Observation, target: Target) -> Option<u128> {
    let arm = seen.arms.iter().find(|arm| (arm.site, arm.arm) == target).map(|arm| arm.distance);
    let division = || seen.divisions.iter().find(|(place, _)| (*place, Arm::TRUE) == target);
    arm.or_else(|| division().map(|(_, distance)| *distance))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observation::ArmSeen;
    use crate::program::Replay;
    use pessimum_outcome::{Costs, End};

    fn run(arms: &[(u32, u128)], divisions: &[(u32, u128)]) -> Observation {
        let seen = |&(site, distance): &(u32, u128)| {
            let hits = u64::from(distance == 0);
            ArmSeen { site: SiteId(site), arm: Arm::TRUE, hits, evaluations: 1, distance }
        };
        Observation {
            arms: arms.iter().map(seen).collect(),
            divisions: divisions.iter().map(|&(place, distance)| (SiteId(place), distance)).collect(),
            ..Observation::unobserved(Replay { costs: Costs::default(), end: End::Returned, unsupported: 0 })
        }
    }

    #[test]
    fn the_nearest_arm_is_tried_first_and_none_for_ever() {
        let target = |site| (SiteId(site), Arm::TRUE);
        let input = |value| Witness::new(vec![value]);
        let mut aim = Aim::at([(target(1), 2), (target(2), 0)].into());
        assert!(aim.draw().is_none(), "nothing has come close to anything");
        assert!(aim.see(&input(1), &run(&[(1, 5), (2, 7), (3, 1)], &[])));
        assert!(!aim.see(&input(2), &run(&[(1, 5), (2, 9)], &[])), "no closer than the first");
        assert!(aim.see(&input(3), &run(&[(1, 4)], &[])));
        let drawn: Vec<Target> = (0..12).filter_map(|_| aim.draw()).map(|(target, ..)| target).collect();
        assert_eq!(drawn[..8], [target(2); 8]);
        assert!(drawn[8..].contains(&target(1)));
        assert!(aim.see(&input(4), &run(&[(2, 0), (1, 4)], &[(9, 3)])), "closer to the division");
        assert!(!aim.see(&input(5), &run(&[(2, 3)], &[])), "what was reached is no target any more");
        aim.drift(target(9), 3, input(6));
        aim.drift(target(9), 4, input(7));
        assert_eq!(aim.draw(), Some((target(9), input(6), 3)));
        assert_eq!(distance(&run(&[(2, 3)], &[(9, 1)]), target(9)), Some(1));
        assert_eq!(distance(&run(&[(2, 3)], &[(9, 1)]), target(4)), None);
    }
}
