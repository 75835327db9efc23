//! The operator Mend at work: change an input of the archive and, where that ended its run too early, take the other arm
//! at one of the last decisions.
//!
//! A part that is copied into a text often fails one check: the name is there already, a bracket is missing. By chance
//! the copy and the byte that mends it hardly ever come together. On the path of the run the check is among the last
//! decisions, and the solver finds the byte.

use super::edits::{Mode, edit};
use super::engine::Engine;
use super::operators::other_arm;
use super::population::Gain;
use crate::search::Search;

impl Engine {
    /// Changes one input, follows its run, and turns the last decisions as long as that makes the run costlier.
    pub(super) fn mend(&mut self, search: &mut Search<'_>) -> Gain {
        self.seed_archive_if_empty(search);
        let Some(parent) = self.archive.draw_any(&mut search.random) else { return Gain::None };
        let mate = self.draw_mate(search);
        let mut values = self.inputs.genome.values(&parent.input);
        let mode = if search.random.coin() { Mode::Rows } else { Mode::Both };
        edit(&self.inputs, mode, &mate, &mut values, &mut search.random);
        let input = self.inputs.witness(search, &values);
        let until = self.effort(search) + self.settings.mend_effort;
        let Some(cost) = self.try_input(search, &input) else { return Gain::None };
        let too_long = self.settings.symbolic_effort(self.runner.instructions) > self.settings.mend_effort;
        if cost >= parent.cost || too_long || search.stop().is_some() {
            return Gain::None;
        }
        let Some(mut reached) = self.runner.follow(search, &input) else { return Gain::None };
        let mut path = self.runner.child.clone();
        let mut back = 0;
        while back < self.settings.mend_decisions
            && search.stop().is_none()
            && self.effort(search) < until
            && let Some(at) = path.decisions.len().checked_sub(back + 1)
        {
            back += 1;
            let Some(arm) = other_arm(&path.decisions, at, &mut search.random) else { continue };
            if let Some(cost) = self.runner.require(search, &path.witness, at, arm)
                && cost > reached
            {
                reached = cost;
                path.clone_from(&self.runner.child);
                back = 0;
            }
        }
        if search.stop().is_none() {
            self.try_input(search, &path.witness);
        }
        // Parents of every level are drawn: only what costs more than the best path that is known is a gain.
        let gain = Gain::of(reached, self.population.best().map_or(0, |best| self.population.members[best].cost));
        self.population.offer(&path, reached);
        gain
    }
}
