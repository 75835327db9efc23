//! Restarts: when nothing better has been found for long, the population makes room for another one. What it reached
//! is kept, and every few epochs the best inputs of all epochs meet in one population.

use super::engine::Engine;
use super::settings::AutoSettings;
use crate::search::Search;
use pessimum_term::Witness;
use std::cmp::Reverse;

/// The epochs of one worker. Their ends are counted in effort and never in seconds, so that a search under a budget of
/// paths can be repeated.
#[derive(Default)]
pub struct Epochs {
    /// Restarts so far.
    number: u32,
    /// Effort at the beginning of this epoch, and at its last improvement.
    began: u64,
    improved: u64,
    /// The best cost of this epoch and its input.
    best: Option<(u64, Witness)>,
    /// The best inputs of earlier epochs with their costs, the most expensive first.
    kept: Vec<(u64, Witness)>,
}

impl Epochs {
    /// To be called after each use of an operator: ends the epoch when its time has come, and begins the next one.
    pub fn step(&mut self, search: &mut Search<'_>, engine: &mut Engine) {
        let Some(best) = engine.population.best() else { return };
        let best = &engine.population.members[best];
        let decisions = best.decisions.len();
        // An input of the archive may be too long to be followed.
        let concrete = engine.archive.best().filter(|kept| kept.cost > best.cost);
        let (cost, input) = concrete.map_or((best.cost, &best.witness), |kept| (kept.cost, &kept.input));
        if !self.is_over(engine.effort(search), cost, decisions, input, &engine.settings) {
            return;
        }
        self.close(engine.settings.epoch_kept);
        engine.forget();
        if self.number.is_multiple_of(engine.settings.epoch_gather.max(1)) {
            for (_, input) in &self.kept {
                engine.offer_input(search, input);
            }
        } else {
            let input = search.random_witness();
            engine.offer_input(search, &input);
            engine.offer_fresh_policies(search);
        }
        self.began = engine.effort(search);
        self.improved = self.began;
    }

    /// Takes in the best member: its cost, its number of decisions, its input. An epoch is over when the effort since
    /// its last improvement exceeds a constant, plus a multiple of the length of its best path, plus a share of the
    /// effort that it took to get there.
    fn is_over(&mut self, effort: u64, cost: u64, decisions: usize, input: &Witness, settings: &AutoSettings) -> bool {
        if self.best.as_ref().is_none_or(|(known, _)| cost > *known) {
            self.best = Some((cost, input.clone()));
            self.improved = effort;
            return false;
        }
        let patience = settings.epoch_effort
            + settings.epoch_effort_per_decision * decisions as u64
            + (settings.epoch_share * (self.improved - self.began) as f64) as u64;
        effort - self.improved > patience
    }

    /// Keeps what the epoch reached.
    fn close(&mut self, most: usize) {
        self.number += 1;
        if let Some(reached) = self.best.take()
            && !self.kept.contains(&reached)
        {
            self.kept.push(reached);
            self.kept.sort_by_key(|(cost, _)| Reverse(*cost));
            self.kept.truncate(most);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTINGS: fn() -> AutoSettings = || AutoSettings {
        epoch_effort: 100,
        epoch_effort_per_decision: 10,
        epoch_share: 0.5,
        ..AutoSettings::default()
    };

    #[test]
    fn patience_grows_with_the_path_and_with_what_the_epoch_took() {
        let (settings, input) = (SETTINGS(), Witness::default());
        let mut epochs = Epochs::default();
        assert!(!epochs.is_over(0, 5, 3, &input, &settings));
        assert!(!epochs.is_over(130, 5, 3, &input, &settings), "100 and 10 for each of 3 decisions");
        assert!(epochs.is_over(131, 5, 3, &input, &settings));
        assert!(!epochs.is_over(131, 6, 3, &input, &settings), "an improvement");
        assert!(!epochs.is_over(131 + 130 + 65, 6, 3, &input, &settings), "and half of the 131 so far");
        assert!(epochs.is_over(131 + 130 + 66, 6, 3, &input, &settings));
        assert!(epochs.is_over(131 + 130 + 66, 4, 3, &input, &settings), "a cheaper path is no improvement");
    }

    #[test]
    fn the_best_inputs_are_kept_once() {
        let settings = SETTINGS();
        let mut epochs = Epochs::default();
        for cost in [3, 9, 9, 1, 5] {
            assert!(!epochs.is_over(0, cost, 0, &Witness::new(vec![cost]), &settings));
            epochs.close(3);
        }
        let kept: Vec<u64> = epochs.kept.iter().map(|(cost, _)| *cost).collect();
        assert_eq!((kept, epochs.number), (vec![9, 5, 3], 5));
    }
}
