//! Restarts: where nothing better has come for long, the population makes room for another one. What it reached is
//! kept, and every few epochs the best of all epochs meet in one population.

use super::engine::Engine;
use crate::search::Search;
use pessimum_term::Witness;

/// Effort without a better path after which an epoch ends, beside half of what it took to its last improvement: so much, in
/// decisions, and so many times the length of its best path.
const PATIENCE: (u64, u64) = (200_000, 1000);

/// Every so many epochs begin with what the others reached.
const GATHER_EVERY: u32 = 4;

/// Inputs that are kept.
const KEPT: usize = 8;

/// Of one worker. Everything is counted in effort, never in seconds, so that a run with a budget of paths can be
/// repeated.
#[derive(Default)]
pub struct Epochs {
    /// Restarts so far.
    number: u32,
    /// Effort at the beginning of this epoch, and at its last improvement.
    began: u64,
    improved: u64,
    /// The best cost of this epoch.
    best: Option<u64>,
    /// Its input.
    input: Witness,
    /// The best inputs of earlier epochs with their costs, dearest first.
    kept: Vec<(u64, Witness)>,
}

impl Epochs {
    /// To be called after each use of an operator.
    pub fn step(&mut self, search: &mut Search<'_>, engine: &mut Engine) {
        let Some(best) = engine.population.best() else { return };
        let best = &engine.population.members[best];
        let effort = engine.effort(search);
        if self.best.is_none_or(|known| best.cost > known) {
            self.best = Some(best.cost);
            self.improved = effort;
            self.input = best.witness.clone();
            return;
        }
        let patience = (self.improved - self.began) / 2 + PATIENCE.0 + PATIENCE.1 * best.decisions.len() as u64;
        if effort - self.improved <= patience {
            return;
        }
        let kept = (self.best.unwrap_or(0), std::mem::take(&mut self.input));
        if !self.kept.contains(&kept) {
            self.kept.push(kept);
            self.kept.sort_by_key(|(cost, _)| std::cmp::Reverse(*cost));
            self.kept.truncate(KEPT);
        }
        self.number += 1;
        engine.forget();
        if self.number.is_multiple_of(GATHER_EVERY) {
            for (_, input) in &self.kept {
                engine.offer_input(search, input);
            }
        } else {
            let input = search.random_witness();
            engine.offer_input(search, &input);
            engine.fresh_policies(search);
        }
        self.best = None;
        self.began = engine.effort(search);
        self.improved = self.began;
    }
}
