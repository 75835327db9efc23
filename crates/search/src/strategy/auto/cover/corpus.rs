//! The inputs that are changed.

use crate::search::Search;
use pessimum_term::Witness;

/// Inputs that took some arm more often than any before them, by powers of two.
#[derive(Default)]
pub struct Corpus {
    pub inputs: Vec<Witness>,
    /// By arm, in the order of [`crate::program::Counted::Arms`]: which powers of two of its counts occurred.
    seen: Vec<u64>,
    /// Counts of the last run.
    pub counts: Vec<u64>,
    /// Arms that were taken for the first time so far, and how many of those were credited.
    pub news: u64,
    credited: u64,
}

impl Corpus {
    /// Takes in the input whose counts were just made, if they are new.
    pub fn offer(&mut self, input: &Witness) {
        if self.seen.len() < self.counts.len() {
            self.seen.resize(self.counts.len(), 0);
        }
        let mut is_new = false;
        for (&count, seen) in self.counts.iter().zip(&mut self.seen).filter(|(count, _)| **count > 0) {
            let bit = 1 << count.ilog2();
            if *seen & bit == 0 {
                is_new = true;
                self.news += u64::from(*seen == 0);
                *seen |= bit;
            }
        }
        if is_new {
            self.inputs.push(input.clone());
        }
    }

    /// Arms that are new since the last call.
    pub fn take_news(&mut self) -> u64 {
        let new = self.news - self.credited;
        self.credited = self.news;
        new
    }

    /// Any input; the latest ones as often as all others together.
    pub fn draw(&self, search: &mut Search<'_>) -> Witness {
        const LATEST: usize = 16;
        let count = self.inputs.len();
        let from = if search.random.coin() { count.saturating_sub(LATEST) } else { 0 };
        let drawn = self.inputs.get(from + search.random.index((count - from).max(1)));
        drawn.cloned().unwrap_or_default()
    }
}
