//! A small population of paths. Each member is the latest path of a line of descent: children replace their parents.

use super::settings::AutoSettings;
use crate::path::{Decision, Path};
use crate::random::Random;
use pessimum_term::Witness;
use std::cmp::Ordering;

/// What one use of an operator gained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gain {
    /// Nothing: no path, a known path, or a cheaper one.
    None,
    /// Another path of the same cost.
    Equal,
    /// A path that costs more than its parent.
    Better,
}

impl Gain {
    /// Of a child that was accepted.
    pub fn of(child: u64, parent: u64) -> Gain {
        match child.cmp(&parent) {
            Ordering::Greater => Gain::Better,
            Ordering::Equal => Gain::Equal,
            Ordering::Less => Gain::None,
        }
    }
}

/// One member: a path with what an operator needs of it.
#[derive(Clone, Debug)]
pub struct Member {
    /// In the order of execution; the conditions live in the kernel's arena.
    pub decisions: Vec<Decision>,
    /// An input that takes the path.
    pub witness: Witness,
    /// What is maximised.
    pub cost: u64,
    /// A hash of sites and arms: equal paths have equal hashes.
    signature: u64,
    /// Attempts since the last record.
    stale: u32,
    /// The greatest cost of this line of descent.
    record: u64,
    /// What a child must cost at least to replace the member.
    level: u64,
    /// Attempts since the level was set.
    at_level: u32,
    /// The greatest cost of a child below the level since then; 0 if there was none.
    runner_up: u64,
}

impl Member {
    /// Copies a path.
    pub fn of(path: &Path, cost: u64) -> Member {
        let mut member = Member {
            decisions: Vec::new(),
            witness: Witness::default(),
            cost,
            signature: 0,
            stale: 0,
            record: 0,
            level: 0,
            at_level: 0,
            runner_up: 0,
        };
        member.become_path(path, cost);
        member.reset();
        member
    }

    /// Copies a path, reusing the memory.
    fn become_path(&mut self, path: &Path, cost: u64) {
        self.decisions.clone_from(&path.decisions);
        self.witness.clone_from(&path.witness);
        self.cost = cost;
        self.signature = signature(&path.decisions);
    }

    /// Begins a new line of descent with the member as it is now.
    fn reset(&mut self) {
        self.stale = 0;
        self.record = self.cost;
        self.level = self.cost;
        self.at_level = 0;
        self.runner_up = 0;
    }
}

/// A hash of sites and arms (FNV-1a over words).
fn signature(decisions: &[Decision]) -> u64 {
    decisions.iter().fold(0xcbf2_9ce4_8422_2325, |hash, decision| {
        let hash = (hash ^ u64::from(decision.site.0)).wrapping_mul(0x0000_0100_0000_01b3);
        (hash ^ decision.arm.0).wrapping_mul(0x0000_0100_0000_01b3) ^ hash >> 29
    })
}

/// The members, in no order. No two of them take the same path, except for copies of the best one.
#[derive(Default)]
pub struct Population {
    /// The members.
    pub members: Vec<Member>,
    capacity: usize,
}

impl Population {
    /// At most `capacity` members, and at least 1.
    pub fn new(capacity: usize) -> Population {
        Population { members: Vec::new(), capacity: capacity.max(1) }
    }

    /// The index of the member that costs most, the earliest among equals.
    pub fn best(&self) -> Option<usize> {
        let cost = self.members.iter().map(|member| member.cost).max()?;
        self.members.iter().position(|member| member.cost == cost)
    }

    /// The index of the cheapest member, the latest among equals.
    fn worst(&self) -> Option<usize> {
        let cost = self.members.iter().map(|member| member.cost).min()?;
        self.members.iter().rposition(|member| member.cost == cost)
    }

    fn knows(&self, signature: u64) -> bool {
        self.members.iter().any(|member| member.signature == signature)
    }

    /// Draws a parent: the better one of two that are drawn uniformly.
    pub fn draw(&self, random: &mut Random) -> Option<usize> {
        if self.members.is_empty() {
            return None;
        }
        let one = random.index(self.members.len());
        let other = random.index(self.members.len());
        Some(if self.members[other].cost > self.members[one].cost { other } else { one })
    }

    /// Offers a path that has no parent here. It is taken in if there is room or if it costs no less than the cheapest
    /// member, which it replaces.
    pub fn offer(&mut self, path: &Path, cost: u64) {
        if self.knows(signature(&path.decisions)) {
            return;
        }
        if self.members.len() < self.capacity {
            self.members.push(Member::of(path, cost));
        } else if let Some(worst) = self.worst()
            && self.members[worst].cost <= cost
        {
            self.members[worst].become_path(path, cost);
            self.members[worst].reset();
        }
    }

    /// Settles an attempt to improve on `parent`: the child's path and its cost, or no cost if there was no path.
    ///
    /// The child replaces its parent if it is another path and does not cost less than the parent's level. The level
    /// of the best member is its cost. The others leave local optima by threshold accepting (Dueck and Scheuer, Journal
    /// of Computational Physics 1990), with costs that they met as thresholds, since costs have no common unit.
    pub fn settle(&mut self, parent: usize, child: &Path, cost: Option<u64>, level_patience: u32) -> Gain {
        let is_best = self.best() == Some(parent);
        let member = &mut self.members[parent];
        member.stale += 1;
        member.at_level += 1;
        if !is_best && member.at_level > level_patience && member.runner_up > 0 {
            member.level = std::mem::take(&mut member.runner_up);
            member.at_level = 0;
        }
        let Some(cost) = cost else { return Gain::None };
        // A member may have become the best one after its level was lowered.
        let level = if is_best { member.level.max(member.cost) } else { member.level };
        if cost < level {
            member.runner_up = member.runner_up.max(cost);
            return Gain::None;
        }
        if self.knows(signature(&child.decisions)) {
            return Gain::None;
        }
        let member = &mut self.members[parent];
        let old = member.cost;
        member.become_path(child, cost);
        if cost > member.record {
            member.reset();
        }
        Gain::of(cost, old)
    }

    /// A member that has set no record for long and costs less than the best one.
    pub fn stale(&self, settings: &AutoSettings) -> Option<usize> {
        let best = self.members[self.best()?].cost;
        let is_stale = |member: &Member| {
            let patience = settings.stale.saturating_add(member.decisions.len() as u32);
            member.stale > patience && member.cost < best
        };
        self.members.iter().position(is_stale)
    }

    /// Replaces a member by a copy of the best one.
    pub fn copy_best_over(&mut self, index: usize) {
        if let Some(best) = self.best() {
            let copy = self.members[best].clone();
            self.members[index] = copy;
            self.members[index].reset();
        }
    }

    /// Bytes that the members take, besides the terms of their conditions.
    pub fn bytes(&self) -> u64 {
        let of = |member: &Member| size_of_val(member.decisions.as_slice()) + size_of_val(member.witness.values());
        self.members.iter().map(|member| (size_of::<Member>() + of(member)) as u64).sum()
    }

    /// Reduces the capacity from now on, to at least 1, and keeps the best members if there are more than that.
    pub fn shrink(&mut self, capacity: usize) {
        if capacity < self.capacity {
            self.capacity = capacity.max(1);
            self.members.sort_by_key(|member| std::cmp::Reverse(member.cost));
            self.members.truncate(self.capacity);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::path;
    use super::*;

    fn population(costs: &[u64]) -> Population {
        let mut population = Population::new(costs.len());
        for (index, &cost) in costs.iter().enumerate() {
            population.offer(&path(&[index as u64, 1]), cost);
        }
        assert_eq!(population.members.len(), costs.len());
        population
    }

    fn costs(population: &Population) -> Vec<u64> {
        population.members.iter().map(|member| member.cost).collect()
    }

    #[test]
    fn a_known_path_is_not_taken_in_and_a_full_population_drops_its_cheapest() {
        let mut population = population(&[5, 3, 4]);
        population.offer(&path(&[0, 1]), 9);
        assert_eq!(costs(&population), [5, 3, 4], "the path of the first member again");
        population.offer(&path(&[7]), 2);
        assert_eq!(costs(&population), [5, 3, 4], "cheaper than all");
        population.offer(&path(&[7]), 3);
        assert_eq!(costs(&population), [5, 3, 4], "as cheap as the cheapest, which it replaces");
        assert_eq!(population.members[1].decisions.len(), 1);
    }

    #[test]
    fn the_better_of_two_is_drawn() {
        let population = population(&[1, 9]);
        let mut random = Random::new(1);
        let best = (0..1000).filter(|_| population.draw(&mut random) == Some(1)).count();
        assert!((700..800).contains(&best), "{best}");
        assert_eq!(Population::new(3).draw(&mut random), None);
    }

    #[test]
    fn a_child_replaces_its_parent_unless_it_is_cheaper_or_known() {
        let mut population = population(&[5, 3]);
        assert_eq!(population.settle(0, &path(&[8]), Some(4), 40), Gain::None);
        assert_eq!(population.settle(0, &path(&[1, 1]), Some(6), 40), Gain::None, "the other member's path");
        assert_eq!(population.settle(0, &path(&[8]), None, 40), Gain::None);
        assert_eq!(population.members[0].stale, 3);
        assert_eq!(population.settle(0, &path(&[8]), Some(5), 40), Gain::Equal);
        assert_eq!(population.members[0].stale, 4, "an equal cost is no record");
        assert_eq!(population.settle(0, &path(&[9]), Some(7), 40), Gain::Better);
        assert_eq!((population.members[0].stale, costs(&population)), (0, vec![7, 3]));
    }

    #[test]
    fn only_those_that_are_not_best_become_cheaper() {
        let mut population = population(&[50, 30]);
        for attempt in 0..3 {
            assert_eq!(population.settle(0, &path(&[8]), Some(40), 2), Gain::None);
            assert_eq!(population.settle(1, &path(&[9]), Some(20 + attempt), 2), Gain::None);
        }
        // The fourth attempt lowers the level to the best child so far, 22.
        assert_eq!(population.settle(1, &path(&[9]), Some(22), 2), Gain::None);
        assert_eq!(population.settle(0, &path(&[8]), Some(40), 2), Gain::None);
        assert_eq!(costs(&population), [50, 22]);
        assert_eq!(population.members[1].record, 30);
    }

    #[test]
    fn stale_members_are_found_and_replaced_by_the_best() {
        let settings = AutoSettings { stale: 3, ..AutoSettings::default() };
        let mut population = population(&[5, 3]);
        for _ in 0..6 {
            assert_eq!(population.stale(&settings), None);
            population.settle(0, &path(&[8]), None, 40);
            population.settle(1, &path(&[8]), None, 40);
        }
        assert_eq!(population.stale(&settings), Some(1), "after 3 attempts and one per decision; never the best");
        population.copy_best_over(1);
        assert_eq!((costs(&population), population.stale(&settings)), (vec![5, 5], None));
    }

    #[test]
    fn shrinking_keeps_the_best() {
        let mut population = population(&[5, 3, 4]);
        population.shrink(2);
        population.shrink(3);
        assert_eq!(costs(&population), [5, 4]);
        population.offer(&path(&[9]), 1);
        assert_eq!(costs(&population), [5, 4]);
    }
}
