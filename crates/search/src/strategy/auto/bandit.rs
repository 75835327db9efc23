//! Which operator is tried next: those that paid per effort, the others now and then.

use crate::random::Random;

/// Probability matching with a floor (Thierens, GECCO 2005) over gain per effort, both fading. Effort is counted in
/// decisions and queries, never in seconds, so that a run with a budget of paths can be repeated.
#[derive(Clone, Debug)]
pub struct Bandit {
    arms: Vec<Score>,
}

#[derive(Clone, Debug)]
struct Score {
    open: bool,
    gain: f64,
    effort: f64,
    tried: f64,
}

impl Score {
    /// Effort of one use; operators not used yet are taken to be easy.
    fn mean_effort(&self) -> f64 {
        if self.tried > 0.0 { self.effort / self.tried } else { 1.0 }
    }
}

/// Share of the draws that ignores the scores; it gives each operator about the same effort.
const FLOOR: f64 = 0.2;

/// What is left of old scores after each use of the operator.
const FADE: f64 = 0.99;

/// Gain that each operator is thought to have had at first, so that none is written off unheard.
const PRIOR: f64 = 0.5;

impl Bandit {
    /// One arm per operator; closed ones are never drawn.
    pub fn new(open: impl IntoIterator<Item = bool>) -> Bandit {
        let arms = open.into_iter().map(|open| Score { open, gain: PRIOR, effort: 0.0, tried: 0.0 }).collect();
        Bandit { arms }
    }

    fn rate(&self, score: &Score) -> f64 {
        // Without efforts of its own an operator is taken to be as laborious as the others are on average.
        let average = self.arms.iter().map(|score| score.effort).sum::<f64>() / self.arms.len() as f64;
        score.gain / (score.effort + 0.1 * average + 1.0)
    }

    /// Draws an operator; none if all are closed.
    pub fn draw(&self, random: &mut Random) -> Option<usize> {
        let open: Vec<usize> = (0..self.arms.len()).filter(|&arm| self.arms[arm].open).collect();
        if open.is_empty() {
            return None;
        }
        let floor = random.chance(FLOOR);
        let weight = |arm: usize| {
            let score = &self.arms[arm];
            // Drawn by effort spent, and not by use: a use of a laborious operator counts for many of an easy one.
            if floor { 1.0 } else { self.rate(score) }.max(f64::MIN_POSITIVE) / (score.mean_effort() + 1.0)
        };
        let total: f64 = open.iter().map(|&arm| weight(arm)).sum();
        let mut left = random.unit() * total;
        for &arm in &open {
            left -= weight(arm);
            if left < 0.0 {
                return Some(arm);
            }
        }
        open.last().copied()
    }

    /// What a use of an operator brought and took.
    pub fn credit(&mut self, arm: usize, gain: f64, effort: u64) {
        let score = &mut self.arms[arm];
        score.tried = score.tried * FADE + 1.0;
        score.gain = score.gain * FADE + gain;
        score.effort = score.effort * FADE + effort as f64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_pays_is_drawn_more_often_and_nothing_is_forgotten() {
        let mut bandit = Bandit::new([true, true, false]);
        let mut random = Random::new(1);
        let mut drawn = [0u32; 3];
        for _ in 0..2000 {
            let arm = bandit.draw(&mut random).unwrap();
            drawn[arm] += 1;
            bandit.credit(arm, if arm == 0 { 1.0 } else { 0.0 }, 100);
        }
        assert!(drawn[0] > 1500 && drawn[1] > 100 && drawn[2] == 0, "{drawn:?}");
    }

    #[test]
    fn effort_counts() {
        let mut bandit = Bandit::new([true, true]);
        let mut random = Random::new(1);
        let mut drawn = [0u32; 2];
        for _ in 0..2000 {
            let arm = bandit.draw(&mut random).unwrap();
            drawn[arm] += 1;
            bandit.credit(arm, 1.0, if arm == 0 { 1000 } else { 10 });
        }
        assert!(drawn[1] > 4 * drawn[0], "{drawn:?}");
    }
}
