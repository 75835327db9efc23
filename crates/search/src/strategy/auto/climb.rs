//! The concrete operator at work: change an input again and again, keep each change that makes it no cheaper, and
//! follow the last input symbolically.

use super::engine::Engine;
use super::operators::change;
use super::population::Gain;
use crate::search::Search;
use pessimum_outcome::CostModel;

impl Engine {
    /// Climbs from a member's input.
    pub(super) fn climb(&mut self, search: &mut Search<'_>, parent: usize) -> Gain {
        self.learn_from(search, parent);
        // A concrete run cannot count decisions.
        if search.cost() == CostModel::Decisions {
            self.climb_symbolically(search, parent)
        } else {
            self.climb_concretely(search, parent)
        }
    }

    /// Gathers constants, tokens and variables from a member's path.
    pub(super) fn learn_from(&mut self, search: &mut Search<'_>, member: usize) {
        let member = &self.population.members[member];
        let (arena, random) = (search.kernel.arena(), &mut search.random);
        self.inputs.gather_constants(arena, &member.decisions, &self.settings, random);
        self.inputs.gather_tokens(arena, &member.decisions, &self.settings, random);
        self.inputs.discover(arena, member);
    }

    /// Follows one changed input after the other.
    fn climb_symbolically(&mut self, search: &mut Search<'_>, parent: usize) -> Gain {
        let mut gain = Gain::None;
        for _ in 0..self.settings.climb_follows {
            if search.stop().is_some() {
                break;
            }
            let mut input = self.population.members[parent].witness.clone();
            change(&self.view(search.cost()), &self.inputs, &mut input, &mut search.random);
            search.kernel.program().repair(&mut input);
            if self.inputs.are_legal(search, &input) {
                let cost = self.runner.follow(search, &input);
                gain = gain.max(self.settle(parent, cost));
            }
        }
        gain
    }

    /// Runs changed inputs concretely, and follows the best one if it differs from the parent's.
    fn climb_concretely(&mut self, search: &mut Search<'_>, parent: usize) -> Gain {
        let member = &self.population.members[parent];
        let (mut input, mut reached) = (member.witness.clone(), member.cost);
        let mut moved = false;
        let until = self.effort(search) + self.settings.climb_effort;
        for _ in 0..self.settings.climb_replays {
            if search.stop().is_some() || self.effort(search) > until {
                break;
            }
            let mut changed = input.clone();
            change(&self.view(search.cost()), &self.inputs, &mut changed, &mut search.random);
            search.kernel.program().repair(&mut changed);
            let cost = self.try_input(search, &changed);
            if let Some(cost) = cost.filter(|&cost| cost >= reached) {
                reached = cost;
                moved |= changed != input;
                input = changed;
            }
        }
        let cost = if moved { self.runner.follow(search, &input) } else { None };
        self.settle(parent, cost)
    }
}
