//! Inputs that were run concretely and are worth changing: those of greatest cost and, for each arm of each branch, the
//! one that took it most often.
//!
//! Keeping the highest count per branch besides the highest total is what makes PerfFuzz strong (Lemieux, Padhye, Sen,
//! Song, ISSTA 2018): an input that makes one loop long is kept even if it is cheap as a whole, and two of them meet in
//! one input later.

use super::settings::AutoSettings;
use crate::random::Random;
use pessimum_term::Witness;
use std::rc::Rc;

/// An input and the cost of its run.
#[derive(Debug)]
pub struct Kept {
    /// The input.
    pub input: Witness,
    /// What is maximised.
    pub cost: u64,
    /// Instructions of its run.
    pub instructions: u64,
}

/// The inputs.
#[derive(Debug, Default)]
pub struct Archive {
    /// The costliest inputs, the latest of each cost, the costliest first.
    elite: Vec<Rc<Kept>>,
    /// By arm: the greatest count and the input that reached it first.
    records: Vec<(u64, Option<Rc<Kept>>)>,
    /// The inputs of `records`, each once; empty if it has to be put together again.
    holders: Vec<Rc<Kept>>,
    most_elite: usize,
    elite_share: f64,
}

impl Archive {
    /// An empty one.
    pub fn new(settings: &AutoSettings) -> Archive {
        let (most_elite, elite_share) = (settings.archive_elite.max(1), settings.archive_elite_share);
        Archive { most_elite, elite_share, ..Archive::default() }
    }

    /// The costliest input.
    pub fn best(&self) -> Option<&Rc<Kept>> {
        self.elite.first()
    }

    /// The costliest inputs, at most this many.
    pub fn costliest(&self, most: usize) -> impl Iterator<Item = &Kept> {
        self.elite.iter().take(most).map(Rc::as_ref)
    }

    /// Takes in a run if it is among the costliest or takes some arm more often than any run before. `arms` are its
    /// counts, empty if the front end does not count. Returns whether it was taken in.
    pub fn offer(&mut self, input: &Witness, cost: u64, instructions: u64, arms: &[u64]) -> bool {
        if self.records.len() < arms.len() {
            self.records.resize(arms.len(), (0, None));
        }
        let place = self.elite.partition_point(|known| known.cost > cost);
        let is_elite = place < self.most_elite;
        let is_record = arms.iter().zip(&self.records).any(|(count, (most, _))| count > most);
        if !is_elite && !is_record {
            return false;
        }
        let kept = Rc::new(Kept { input: input.clone(), cost, instructions });
        if is_record {
            for (&count, (most, holder)) in arms.iter().zip(&mut self.records) {
                if count > *most {
                    *most = count;
                    *holder = Some(kept.clone());
                }
            }
            self.holders.clear();
        }
        if is_elite {
            match self.elite.get_mut(place) {
                // Changes that make no difference add up.
                Some(equal) if equal.cost == cost => *equal = kept,
                _ => self.elite.insert(place, kept),
            }
            self.elite.truncate(self.most_elite);
        }
        true
    }

    /// Draws an input to change: one of the costliest, the costlier one of two that are drawn uniformly, or one that
    /// holds a record.
    pub fn draw(&mut self, random: &mut Random) -> Option<Rc<Kept>> {
        if self.holders.is_empty() {
            self.gather_holders();
        }
        if self.holders.is_empty() || !self.elite.is_empty() && random.chance(self.elite_share) {
            let count = self.elite.len();
            return (count > 0).then(|| self.elite[random.index(count).min(random.index(count))].clone());
        }
        Some(self.holders[random.index(self.holders.len())].clone())
    }

    /// Lists each input that holds a record once, in the order of the arms.
    fn gather_holders(&mut self) {
        let mut seen = rustc_hash::FxHashSet::default();
        let holders = self.records.iter().filter_map(|(_, holder)| holder.as_ref());
        self.holders.extend(holders.filter(|holder| seen.insert(Rc::as_ptr(holder))).cloned());
    }

    /// Forgets the costliest inputs, but not the records of arms: another part of the space gets its turn.
    pub fn forget_elite(&mut self) {
        self.elite.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn archive(most_elite: usize) -> Archive {
        Archive::new(&AutoSettings { archive_elite: most_elite, ..AutoSettings::default() })
    }

    fn offer(archive: &mut Archive, name: u64, cost: u64, arms: &[u64]) -> bool {
        archive.offer(&Witness::new(vec![name]), cost, cost, arms)
    }

    fn drawn(archive: &mut Archive) -> Vec<u64> {
        let mut random = Random::new(1);
        let mut names: Vec<u64> =
            (0..200).filter_map(|_| archive.draw(&mut random)).map(|kept| kept.input.values()[0]).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    #[test]
    fn a_cheap_input_stays_while_it_takes_an_arm_most_often() {
        let mut archive = archive(1);
        assert!(offer(&mut archive, 1, 10, &[5, 0]));
        assert!(offer(&mut archive, 2, 3, &[0, 1]), "the first to take the second arm");
        assert!(!offer(&mut archive, 3, 4, &[5, 1]), "no count is higher");
        assert_eq!(drawn(&mut archive), [1, 2]);
        assert!(offer(&mut archive, 4, 2, &[0, 9]));
        assert_eq!(drawn(&mut archive), [1, 4], "the second input no longer holds a record");
    }

    #[test]
    fn the_costliest_inputs_stay_the_latest_of_each_cost() {
        let mut archive = archive(2);
        assert!(archive.draw(&mut Random::new(1)).is_none());
        for (name, cost, taken) in [(1, 5, true), (2, 5, true), (3, 9, true), (4, 4, false), (5, 5, true)] {
            assert_eq!(offer(&mut archive, name, cost, &[]), taken, "{name}");
        }
        assert_eq!(drawn(&mut archive), [3, 5]);
        assert_eq!(archive.best().map(|best| best.cost), Some(9));
        archive.forget_elite();
        assert!(archive.best().is_none() && drawn(&mut archive).is_empty());
    }
}
