//! The operator Archive at work: change inputs of the archive, run them concretely, keep what is worth it. Nothing is
//! followed symbolically here; [`Engine::adopt`] does that when a symbolic operator is about to need it.

use super::archive::{Drawn, Source};
use super::edits::{Mode, edit};
use super::engine::Engine;
use super::population::Gain;
use crate::search::Search;
use pessimum_term::Witness;

impl Engine {
    /// Changes inputs of the archive, up to a number of runs or a certain effort.
    pub(super) fn vary(&mut self, search: &mut Search<'_>) -> Gain {
        let until = self.effort(search) + self.settings.archive_effort;
        self.seed_archive_if_empty(search);
        self.take_over(search);
        let before = self.archive.best().map(|best| best.cost);
        for _ in 0..self.settings.archive_parents {
            if search.stop().is_some() || self.effort(search) >= until {
                break;
            }
            let Some((source, Drawn { kept: parent, arm, taken })) = self.draw_parent(search) else { break };
            let mate = self.draw_mate(search);
            // How often the arm is taken that matters, if one does, and then the cost.
            let (mut values, mut height) = (self.inputs.genome.values(&parent.input), (taken, parent.cost));
            let (best, effort) = (self.archive.best().map(|best| best.cost), self.effort(search));
            for _ in 0..self.settings.archive_children {
                let mut child = values.clone();
                let mode = self.modes.draw(&mut search.random, |_| true).unwrap_or(0);
                edit(&self.inputs, Mode::ALL[mode], &mate, &mut child, &mut search.random);
                if search.stop().is_some() || self.effort(search) >= until {
                    break;
                }
                if child == values {
                    continue;
                }
                let reached = self.try_values(search, &child);
                let taken = arm.and_then(|arm| self.runner.arms.get(arm)).copied().unwrap_or(0);
                let reached = reached.map(|cost| (taken, cost));
                let gain = if reached > Some(height) { self.settings.gain_better } else { 0.0 };
                // All changes take the same effort: a higher run is what is wanted.
                self.modes.credit(mode, gain, 1);
                let Some(reached) = reached else { continue };
                // Changes that make no difference add up.
                if reached >= height {
                    (values, height) = (child, reached);
                }
            }
            let improved = self.archive.best().map(|best| best.cost) > best;
            let gain = if improved { self.settings.gain_best } else { 0.0 };
            self.sources.credit(source, gain, self.effort(search) - effort + 1);
        }
        if self.archive.best().map(|best| best.cost) > before { Gain::Better } else { Gain::None }
    }

    /// Draws an input to change from the source that pays. Returns that source as well.
    fn draw_parent(&mut self, search: &mut Search<'_>) -> Option<(usize, Drawn)> {
        let mut empty = [false; Source::ALL.len()];
        loop {
            let source = self.sources.draw(&mut search.random, |source| !empty[source])?;
            match self.archive.draw(Source::ALL[source], &mut search.random) {
                Some(drawn) => return Some((source, drawn)),
                None => empty[source] = true,
            }
        }
    }

    /// The values of any input of the archive, to take parts from.
    pub(super) fn draw_mate(&mut self, search: &mut Search<'_>) -> Vec<u64> {
        let mate = self.archive.draw_any(&mut search.random);
        mate.map_or(Vec::new(), |mate| self.inputs.genome.values(&mate.input))
    }

    /// Uses the archive until the budget is spent or nothing costlier has come for as long again as it took, and a few
    /// uses more.
    pub(super) fn vary_while_it_pays(&mut self, search: &mut Search<'_>) {
        let (mut uses, mut improved, mut best) = (0u64, 0u64, None);
        while search.stop().is_none() && uses < 2 * improved + self.settings.ladder_patience {
            self.vary(search);
            uses += 1;
            if search.best_cost() > best {
                best = search.best_cost();
                improved = uses;
            }
        }
    }

    /// Runs these values concretely and offers them to the archive. Returns the cost.
    fn try_values(&mut self, search: &mut Search<'_>, values: &[u64]) -> Option<u64> {
        let input = self.inputs.witness(search, values);
        self.try_input(search, &input)
    }

    /// Runs an input concretely and offers it to the archive. Returns the cost.
    pub(super) fn try_input(&mut self, search: &mut Search<'_>, input: &Witness) -> Option<u64> {
        if !self.inputs.are_legal(search, input) {
            self.runner.charge(1);
            return None;
        }
        let (cost, instructions) = self.runner.replay_counting(search, input)?;
        self.archive.offer(input, cost, instructions, &self.runner.arms, &mut search.random);
        Some(cost)
    }

    /// The first inputs of the archive: zeros, random ones and, unless it has forgotten them, the best one so far.
    pub(super) fn seed_archive_if_empty(&mut self, search: &mut Search<'_>) {
        if self.archive.best().is_some() {
            return;
        }
        let best = search.best().filter(|_| !self.seeded);
        let mut inputs: Vec<Witness> = best.map(|best| best.witness.clone()).into_iter().collect();
        self.seeded = true;
        inputs.push(self.inputs.genome.witness(&self.inputs.genome.values(&Witness::default())));
        inputs.extend((0..self.settings.archive_first).map(|_| search.random_witness()));
        for input in inputs {
            if search.stop().is_none() {
                self.try_input(search, &input);
            }
        }
    }

    /// Takes over the best input of the population if the archive knows none as good.
    fn take_over(&mut self, search: &mut Search<'_>) {
        let known = self.archive.best().map_or(0, |best| best.cost);
        let best = self.population.best().map(|best| &self.population.members[best]);
        if let Some(input) = best.filter(|best| best.cost > known).map(|best| best.witness.clone())
            && search.stop().is_none()
        {
            self.try_input(search, &input);
        }
    }

    /// Follows the best input of the archive symbolically if the population knows none as good, so that symbolic
    /// operators start from it. A run that would take a large part of the effort so far is not followed yet.
    pub(super) fn adopt(&mut self, search: &mut Search<'_>) {
        let Some(best) = self.archive.best().cloned() else { return };
        let known = self.population.best().map_or(0, |member| self.population.members[member].cost);
        if best.cost <= known.max(self.adopted) || search.stop().is_some() {
            return;
        }
        let most = self.settings.adopt_effort + (self.effort(search) as f64 * self.settings.adopt_share) as u64;
        if self.settings.symbolic_effort(best.instructions) > most {
            return;
        }
        self.adopted = best.cost;
        self.offer_input(search, &best.input);
        if let Some(member) = self.population.best() {
            self.learn_from(search, member);
        }
    }
}
