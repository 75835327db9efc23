//! Which operator is tried next: mostly those that repaid their effort, the others now and then.

use super::settings::AutoSettings;
use crate::random::Random;

/// Probability matching with a floor (Thierens, GECCO 2005) over gain per effort, both fading.
#[derive(Clone, Debug)]
pub struct Bandit {
    arms: Vec<Score>,
    settings: AutoSettings,
}

#[derive(Clone, Debug)]
struct Score {
    open: bool,
    gain: f64,
    effort: f64,
    tried: f64,
}

impl Score {
    /// Average effort of one use; operators not yet used are assumed to be cheap.
    fn mean_effort(&self) -> f64 {
        if self.tried > 0.0 { self.effort / self.tried } else { 1.0 }
    }
}

impl Bandit {
    /// One arm per operator; closed ones are never drawn.
    pub fn new(settings: &AutoSettings, open: impl IntoIterator<Item = bool>) -> Bandit {
        let score = |open| Score { open, gain: settings.bandit_prior, effort: 0.0, tried: 0.0 };
        Bandit { arms: open.into_iter().map(score).collect(), settings: *settings }
    }

    /// Whether there is nothing to draw.
    pub fn is_closed(&self) -> bool {
        self.arms.iter().all(|score| !score.open)
    }

    /// Draws an operator for which `candidate` holds; none if all such operators are closed.
    pub fn draw(&self, random: &mut Random, candidate: impl Fn(usize) -> bool) -> Option<usize> {
        let floor = random.chance(self.settings.bandit_floor);
        let average = self.arms.iter().map(|score| score.effort).sum::<f64>() / self.arms.len() as f64;
        let rate = |score: &Score| score.gain / (score.effort + self.settings.bandit_blend * average + 1.0);
        // Shares are shares of the effort: one use of an expensive operator counts as much as many of a cheap one.
        let weight =
            |score: &Score| if floor { 1.0 } else { rate(score) }.max(f64::MIN_POSITIVE) / (score.mean_effort() + 1.0);
        let drawable = |arm: &usize| self.arms[*arm].open && candidate(*arm);
        let weights: Vec<(usize, f64)> =
            (0..self.arms.len()).filter(drawable).map(|arm| (arm, weight(&self.arms[arm]))).collect();
        let mut left = random.unit() * weights.iter().map(|(_, weight)| weight).sum::<f64>();
        for &(arm, weight) in &weights {
            left -= weight;
            if left < 0.0 {
                return Some(arm);
            }
        }
        weights.last().map(|(arm, _)| *arm)
    }

    /// Notes what a use of an operator gained, and what effort it took.
    pub fn credit(&mut self, arm: usize, gain: f64, effort: u64) {
        let fade = self.settings.bandit_fade;
        let score = &mut self.arms[arm];
        score.tried = score.tried * fade + 1.0;
        score.gain = score.gain * fade + gain;
        score.effort = score.effort * fade + effort as f64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bandit(open: &[bool]) -> Bandit {
        Bandit::new(&AutoSettings::default(), open.iter().copied())
    }

    #[test]
    fn what_pays_is_drawn_more_often_and_nothing_is_forgotten() {
        let mut bandit = bandit(&[true, true, false]);
        let mut random = Random::new(1);
        let mut drawn = [0u32; 3];
        for _ in 0..2000 {
            let arm = bandit.draw(&mut random, |_| true).unwrap();
            drawn[arm] += 1;
            bandit.credit(arm, if arm == 0 { 1.0 } else { 0.0 }, 100);
        }
        assert!(drawn[0] > 1500 && drawn[1] > 100 && drawn[2] == 0, "{drawn:?}");
    }

    #[test]
    fn effort_counts() {
        let mut bandit = bandit(&[true, true]);
        let mut random = Random::new(1);
        let mut drawn = [0u32; 2];
        for _ in 0..2000 {
            let arm = bandit.draw(&mut random, |_| true).unwrap();
            drawn[arm] += 1;
            bandit.credit(arm, 1.0, if arm == 0 { 1000 } else { 10 });
        }
        assert!(drawn[1] > 4 * drawn[0], "{drawn:?}");
    }

    #[test]
    fn only_open_candidates_are_drawn() {
        let bandit = bandit(&[true, false, true, true]);
        let mut random = Random::new(1);
        for _ in 0..200 {
            assert!(matches!(bandit.draw(&mut random, |arm| arm != 0), Some(2 | 3)));
            assert_eq!(bandit.draw(&mut random, |arm| arm == 1), None);
        }
    }

    #[test]
    fn old_gains_fade() {
        let mut bandit = bandit(&[true, true]);
        let mut random = Random::new(1);
        // The first operator paid once, long ago; the second one pays now and then.
        bandit.credit(0, 1.0, 100);
        for use_ in 0..2000 {
            bandit.credit(0, 0.0, 100);
            bandit.credit(1, if use_ % 100 == 0 { 1.0 } else { 0.0 }, 100);
        }
        let second = (0..1000).filter(|_| bandit.draw(&mut random, |_| true) == Some(1)).count();
        assert!(second > 800, "{second}");
    }
}
