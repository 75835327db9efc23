//! Policies that evolve side by side, each the latest of its lineage.

use super::history::Schema;
use super::policy::Policy;
use super::population::Gain;
use crate::random::Random;
use std::cmp::Reverse;

/// A lineage of policies: the last accepted one and the cost of the path that it made.
#[derive(Clone, Debug)]
pub struct Lineage {
    /// The policy.
    pub policy: Policy,
    /// The cost of the path it made.
    pub cost: u64,
    /// Attempts since it last became better.
    stale: u32,
}

/// The lineages, in no order.
#[derive(Clone, Debug, Default)]
pub struct Lineages {
    /// Those that evolve now.
    pub living: Vec<Lineage>,
    limit: usize,
    /// The best of those that were put aside, the most expensive first.
    aside: Vec<Lineage>,
}

impl Lineages {
    /// At most `limit` of them, and at least 1.
    pub fn new(limit: usize) -> Lineages {
        Lineages { living: Vec::new(), limit: limit.max(1), aside: Vec::new() }
    }

    /// How many more there is room for.
    pub fn room(&self) -> usize {
        self.limit.saturating_sub(self.living.len())
    }

    /// Draws a parent: the better one of two that are drawn uniformly.
    pub fn draw(&self, random: &mut Random) -> Option<usize> {
        if self.living.is_empty() {
            return None;
        }
        let one = random.index(self.living.len());
        let other = random.index(self.living.len());
        Some(if self.living[other].cost > self.living[one].cost { other } else { one })
    }

    /// Takes in a policy without a parent if there is room, or if its path costs more than the worst lineage, which it
    /// replaces.
    pub fn offer(&mut self, policy: Policy, cost: u64) {
        let lineage = Lineage { policy, cost, stale: 0 };
        if self.room() > 0 {
            self.living.push(lineage);
        } else if let Some(worst) = self.worst(lineage.policy.schema)
            && self.living[worst].cost < cost
        {
            self.living[worst] = lineage;
        }
    }

    /// The cheapest lineage of the same schema, so that the best schema does not crowd out the others; if there is
    /// none, the cheapest of all.
    fn worst(&self, schema: Schema) -> Option<usize> {
        let worst = |same: bool| {
            (0..self.living.len())
                .filter(|&index| !same || self.living[index].policy.schema == schema)
                .min_by_key(|&index| self.living[index].cost)
        };
        worst(true).or_else(|| worst(false))
    }

    /// Settles an attempt to improve on a lineage: the child replaces its parent unless its path costs less or there
    /// was no path.
    pub fn settle(&mut self, parent: usize, child: Policy, cost: Option<u64>) -> Gain {
        let lineage = &mut self.living[parent];
        lineage.stale += 1;
        let Some(cost) = cost.filter(|&cost| cost >= lineage.cost) else { return Gain::None };
        let gain = Gain::of(cost, lineage.cost);
        *lineage = Lineage { policy: child, cost, stale: if gain == Gain::Better { 0 } else { lineage.stale } };
        gain
    }

    /// Removes a lineage that has not become better in more than `patience` attempts and is not among the best. Returns
    /// whether there was one.
    pub fn drop_stale(&mut self, patience: u32) -> bool {
        let best = self.living.iter().map(|lineage| lineage.cost).max();
        let is_stale = |lineage: &Lineage| lineage.stale > patience && Some(lineage.cost) < best;
        let stale = self.living.iter().position(is_stale);
        if let Some(index) = stale {
            self.living.swap_remove(index);
        }
        stale.is_some()
    }

    /// Makes room for new lineages. The best of all so far are put aside.
    pub fn put_aside(&mut self) {
        self.aside.append(&mut self.living);
        self.aside.sort_by_key(|lineage| Reverse(lineage.cost));
        self.aside.truncate(self.limit);
    }

    /// The best of all so far, including those that were put aside, the most expensive first.
    pub fn ranked(&self) -> Vec<&Lineage> {
        let mut all: Vec<&Lineage> = self.aside.iter().chain(&self.living).collect();
        all.sort_by_key(|lineage| Reverse(lineage.cost));
        all.truncate(self.limit);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::super::policy::Style;
    use super::*;

    fn policy(schema: Schema) -> Policy {
        Policy::new(schema, Style::True)
    }

    fn costs(lineages: &Lineages) -> Vec<u64> {
        lineages.living.iter().map(|lineage| lineage.cost).collect()
    }

    fn lineages(costs: &[u64]) -> Lineages {
        let mut lineages = Lineages::new(costs.len());
        for &cost in costs {
            lineages.offer(policy(Schema::Site), cost);
        }
        lineages
    }

    #[test]
    fn a_newcomer_replaces_the_worst_of_its_own_schema_first() {
        let mut lineages = lineages(&[5, 1]);
        lineages.offer(policy(Schema::Frame), 3);
        assert_eq!(costs(&lineages), [5, 3], "no lineage of the schema: the worst of all");
        lineages.offer(policy(Schema::Site), 4);
        assert_eq!(costs(&lineages), [5, 3], "cheaper than the only one of its schema");
        lineages.offer(policy(Schema::Frame), 4);
        assert_eq!(costs(&lineages), [5, 4]);
    }

    #[test]
    fn children_that_are_not_cheaper_replace_their_parents() {
        let mut lineages = lineages(&[5]);
        assert_eq!(lineages.settle(0, policy(Schema::Frame), Some(4)), Gain::None);
        assert_eq!(lineages.settle(0, policy(Schema::Frame), None), Gain::None);
        assert_eq!(lineages.living[0].policy.schema, Schema::Site);
        assert_eq!(lineages.settle(0, policy(Schema::Frame), Some(5)), Gain::Equal);
        assert_eq!((lineages.living[0].policy.schema, lineages.living[0].stale), (Schema::Frame, 3));
        assert_eq!(lineages.settle(0, policy(Schema::Frame), Some(6)), Gain::Better);
        assert_eq!((costs(&lineages), lineages.living[0].stale), (vec![6], 0));
    }

    #[test]
    fn a_stale_lineage_goes_unless_it_is_the_best() {
        let mut lineages = lineages(&[5, 3]);
        for _ in 0..2 {
            assert!(!lineages.drop_stale(1));
            lineages.settle(0, policy(Schema::Site), None);
            lineages.settle(1, policy(Schema::Site), None);
        }
        assert!(lineages.drop_stale(1));
        assert!(!lineages.drop_stale(1));
        assert_eq!((costs(&lineages), lineages.room()), (vec![5], 1));
    }

    #[test]
    fn the_best_of_all_epochs_are_ranked() {
        let mut lineages = lineages(&[5, 3]);
        lineages.put_aside();
        assert_eq!(lineages.room(), 2);
        lineages.offer(policy(Schema::Site), 4);
        assert_eq!(lineages.ranked().iter().map(|lineage| lineage.cost).collect::<Vec<_>>(), [5, 4]);
        lineages.put_aside();
        assert_eq!(lineages.aside.len(), 2);
        assert_eq!(lineages.draw(&mut Random::new(1)), None);
    }
}
