//! Inputs that were run concretely and are worth changing: those of greatest cost, for each arm of each branch the one
//! that took it most often, some of every order of magnitude of cost, and the costliest one for each arm and each order of
//! magnitude of its count.
//!
//! Keeping the highest count per branch besides the highest total is what makes PerfFuzz strong (Lemieux, Padhye, Sen,
//! Song, ISSTA 2018): an input that makes one loop long is kept even if it is cheap as a whole, and two of them meet in
//! one input later. Each count is a goal of its own: what holds a record is changed to take its arm more often still,
//! whatever the run costs. Most such records are as high as they get; the latest ones are where something grows.
//!
//! Where costs span orders of magnitude the costliest inputs are soon all alike, and a run of one takes as long as
//! many of others: those of lower levels are varied and quick.
//!
//! Which of these sources the next input comes from is decided by what each has brought: sorts want the costliest,
//! texts the latest record of some arm (attributes that must differ grow one by one that way), and where costs span
//! orders of magnitude (a backtracking matcher) quick runs of cheaper inputs lead to other families. The costliest
//! input for each arm and order of magnitude (MAP-Elites over AFL's buckets) leads past local optima, where several
//! changes pay only together.

use super::settings::AutoSettings;
use crate::random::Random;
use pessimum_term::Witness;
use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};
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

/// Where an input to change is drawn from. Which of these pays depends on the program: sorts want the costliest one, in
/// whose neighbourhood there are costlier ones, texts want something else first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The costliest inputs.
    Elite,
    /// The inputs that took some arm most often.
    Records,
    /// The latest ones of those.
    Latest,
    /// The levels below the highest one, each as often as any other.
    Below,
    /// The costliest inputs that take some arm about so often.
    Niches,
}

impl Source {
    /// All of them.
    pub const ALL: [Source; 5] = [Source::Elite, Source::Records, Source::Latest, Source::Below, Source::Niches];
}

/// An input that was drawn, to be changed.
#[derive(Clone, Debug)]
pub struct Drawn {
    /// The input.
    pub kept: Rc<Kept>,
    /// The arm that is to be taken more often. None: the cost is what matters.
    pub arm: Option<usize>,
    /// How often the input takes that arm; 0 without one.
    pub taken: u64,
}

/// The inputs.
#[derive(Debug)]
pub struct Archive {
    /// The costliest inputs, the latest of each cost, the costliest first.
    elite: Vec<Rc<Kept>>,
    /// By arm: the greatest count and the input that reached it first.
    records: Vec<(u64, Option<Rc<Kept>>)>,
    /// The inputs of `records`, each once, with the arms whose record it holds; empty if it has to be put together again.
    holders: Vec<(Rc<Kept>, Vec<usize>)>,
    /// The latest inputs that set a record, the last one at the end.
    recent: VecDeque<Rc<Kept>>,
    /// By the logarithm of the cost to base 2: inputs of such costs, one of each cost.
    levels: BTreeMap<u32, Vec<Rc<Kept>>>,
    niches: Niches,
    settings: AutoSettings,
}

impl Archive {
    /// An empty one.
    pub fn new(settings: &AutoSettings) -> Archive {
        Archive {
            elite: Vec::new(),
            records: Vec::new(),
            holders: Vec::new(),
            recent: VecDeque::new(),
            levels: BTreeMap::new(),
            niches: Niches::default(),
            settings: *settings,
        }
    }

    /// The costliest input.
    pub fn best(&self) -> Option<&Rc<Kept>> {
        self.elite.first()
    }

    /// The costliest inputs, at most this many.
    pub fn costliest(&self, most: usize) -> impl Iterator<Item = &Kept> {
        self.elite.iter().take(most).map(Rc::as_ref)
    }

    /// The inputs that took some arm most often, those of the highest counts first, at most this many.
    pub fn holders_of_highest(&self, most: usize) -> Vec<&Kept> {
        let mut records: Vec<(u64, &Kept)> =
            self.records.iter().filter_map(|(count, holder)| Some((*count, holder.as_deref()?))).collect();
        records.sort_by_key(|&(count, _)| Reverse(count));
        let mut holders: Vec<&Kept> = Vec::new();
        for (_, holder) in records {
            if holders.len() < most && !holders.iter().any(|known| std::ptr::eq(*known, holder)) {
                holders.push(holder);
            }
        }
        holders
    }

    /// Takes in a run if it is among the costliest, takes some arm more often than any run before, or gets a place in
    /// its level or in a niche. `arms` are its counts, empty if the front end does not count. Returns whether it was taken in.
    pub fn offer(&mut self, input: &Witness, cost: u64, instructions: u64, arms: &[u64], random: &mut Random) -> bool {
        if self.records.len() < arms.len() {
            self.records.resize(arms.len(), (0, None));
        }
        let most_elite = self.settings.archive_elite.max(1);
        let place = self.elite.partition_point(|known| known.cost > cost);
        let is_elite = place < most_elite;
        let is_record = arms.iter().zip(&self.records).any(|(count, (most, _))| count > most);
        let place_in_level = self.place_in_level(input, cost, random);
        let most_niches = self.settings.archive_niche_values / input.values().len().max(1);
        let fills_niche = self.niches.has_place(cost, arms, most_niches);
        if !is_elite && !is_record && place_in_level.is_none() && !fills_niche {
            return false;
        }
        let kept = Rc::new(Kept { input: input.clone(), cost, instructions });
        if fills_niche {
            self.niches.fill(&kept, arms, most_niches);
        }
        if let Some(place) = place_in_level {
            let level = self.levels.entry(level_of(cost)).or_default();
            match level.get_mut(place) {
                Some(old) => *old = kept.clone(),
                None => level.push(kept.clone()),
            }
        }
        if is_record {
            for (&count, (most, holder)) in arms.iter().zip(&mut self.records) {
                if count > *most {
                    *most = count;
                    *holder = Some(kept.clone());
                }
            }
            self.holders.clear();
            self.recent.push_back(kept.clone());
            if self.recent.len() > self.settings.archive_recent.max(1) {
                self.recent.pop_front();
            }
        }
        if is_elite {
            match self.elite.get_mut(place) {
                // Changes that make no difference add up.
                Some(equal) if equal.cost == cost => *equal = kept,
                _ => self.elite.insert(place, kept),
            }
            self.elite.truncate(most_elite);
        }
        true
    }

    /// The place of an input in its level, if it gets one: a free one, and otherwise, for a few inputs, that of its cost
    /// or of any other.
    fn place_in_level(&self, input: &Witness, cost: u64, random: &mut Random) -> Option<usize> {
        let settings = &self.settings;
        let most = settings.archive_level.min(settings.archive_level_values / input.values().len().max(1));
        let level = self.levels.get(&level_of(cost)).map_or(&[][..], Vec::as_slice);
        let equal = level.iter().position(|known| known.cost == cost);
        if equal.is_none() && level.len() < most {
            return Some(level.len());
        }
        if most == 0 || !random.chance(settings.archive_level_turnover) {
            return None;
        }
        Some(equal.unwrap_or_else(|| random.index(most)))
    }

    /// Draws an input to change from this source, if it has one.
    pub fn draw(&mut self, source: Source, random: &mut Random) -> Option<Drawn> {
        let among = match source {
            Source::Elite => {
                // The costlier one of two.
                let index = random.index(self.elite.len().max(1)).min(random.index(self.elite.len().max(1)));
                return self.elite.get(index).cloned().map(Drawn::for_cost);
            }
            Source::Records => {
                if self.holders.is_empty() {
                    self.gather_holders();
                }
                let (kept, arms) = self.holders.get(random.index(self.holders.len().max(1)))?;
                let arm = arms[random.index(arms.len())];
                return Some(Drawn { kept: kept.clone(), arm: Some(arm), taken: self.records[arm].0 });
            }
            Source::Latest => {
                return self.recent.get(random.index(self.recent.len().max(1))).cloned().map(Drawn::for_cost);
            }
            Source::Niches => return self.niches.draw(random).map(Drawn::for_cost),
            Source::Below => {
                let below = self.levels.len().checked_sub(1).filter(|&below| below > 0)?;
                self.levels.values().nth(random.index(below))?
            }
        };
        among.get(random.index(among.len().max(1))).cloned().map(Drawn::for_cost)
    }

    /// Draws an input from any source that has one.
    pub fn draw_any(&mut self, random: &mut Random) -> Option<Rc<Kept>> {
        let first = random.index(Source::ALL.len());
        let drawn =
            (0..Source::ALL.len()).find_map(|next| self.draw(Source::ALL[(first + next) % Source::ALL.len()], random));
        drawn.map(|drawn| drawn.kept)
    }

    /// Lists each input that holds a record once, in the order of the arms.
    fn gather_holders(&mut self) {
        let mut places = rustc_hash::FxHashMap::default();
        for (arm, (_, holder)) in self.records.iter().enumerate() {
            let Some(holder) = holder else { continue };
            let place = *places.entry(Rc::as_ptr(holder)).or_insert_with(|| {
                self.holders.push((holder.clone(), Vec::new()));
                self.holders.len() - 1
            });
            self.holders[place].1.push(arm);
        }
    }

    /// Forgets the costliest inputs, the levels and the niches, but not the records of arms: another part of the space gets its turn.
    pub fn forget_elite(&mut self) {
        self.elite.clear();
        self.levels.clear();
        self.niches = Niches::default();
    }
}

/// Orders of magnitude of a count that are told apart.
const MAGNITUDES: usize = 16;

/// For each arm and each order of magnitude of its count, the costliest input: MAP-Elites (Mouret, Clune, "Illuminating
/// search spaces by mapping elites", 2015) over the counts of branches, in magnitudes as AFL has them.
///
/// Where several changes pay only together, and each costs more than it brings by itself, the costliest inputs of all do
/// not lead there. An input with the first of these changes is cheaper, but the costliest of those that take its arm so often.
#[derive(Debug, Default)]
struct Niches {
    /// By arm, then by magnitude.
    costliest: Vec<Option<Rc<Kept>>>,
    /// Their costs; 0 where there is none.
    costs: Vec<u64>,
    /// The places that have one, in the order in which they got their first.
    filled: Vec<usize>,
}

impl Niches {
    /// Whether an input of this cost and these counts has a place. Beyond `most` places no other one is opened.
    fn has_place(&self, cost: u64, arms: &[u64], most: usize) -> bool {
        let is_full = self.filled.len() >= most;
        places(arms).any(|place| {
            let known = self.costs.get(place).copied().unwrap_or(0);
            cost > known && (known > 0 || !is_full)
        })
    }

    /// Puts an input in its places.
    fn fill(&mut self, kept: &Rc<Kept>, arms: &[u64], most: usize) {
        if self.costs.len() < arms.len() * MAGNITUDES {
            self.costs.resize(arms.len() * MAGNITUDES, 0);
            self.costliest.resize(arms.len() * MAGNITUDES, None);
        }
        for place in places(arms) {
            let known = self.costs[place];
            if kept.cost > known && (known > 0 || self.filled.len() < most) {
                self.costs[place] = kept.cost;
                self.costliest[place] = Some(kept.clone());
                if known == 0 {
                    self.filled.push(place);
                }
            }
        }
    }

    /// Draws the input of any place.
    fn draw(&self, random: &mut Random) -> Option<Rc<Kept>> {
        let place = self.filled.get(random.index(self.filled.len().max(1)))?;
        self.costliest[*place].clone()
    }
}

/// The places of a run with these counts: each arm taken once, twice, three times, 4 to 7 times, 8 to 15 times and so on.
fn places(arms: &[u64]) -> impl Iterator<Item = usize> {
    arms.iter().enumerate().filter(|(_, count)| **count > 0).map(|(arm, &count)| {
        let magnitude = if count < 4 { count as usize - 1 } else { count.ilog2() as usize + 1 };
        arm * MAGNITUDES + magnitude.min(MAGNITUDES - 1)
    })
}

impl Drawn {
    fn for_cost(kept: Rc<Kept>) -> Drawn {
        Drawn { kept, arm: None, taken: 0 }
    }
}

fn level_of(cost: u64) -> u32 {
    cost.max(1).ilog2()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn archive(most_elite: usize) -> Archive {
        let settings = AutoSettings { archive_level: 0, archive_niche_values: 0, ..AutoSettings::default() };
        Archive::new(&AutoSettings { archive_elite: most_elite, ..settings })
    }

    fn offer(archive: &mut Archive, name: u64, cost: u64, arms: &[u64]) -> bool {
        archive.offer(&Witness::new(vec![name]), cost, cost, arms, &mut Random::new(name))
    }

    fn drawn(archive: &mut Archive) -> Vec<u64> {
        let mut random = Random::new(1);
        let mut names: Vec<u64> =
            (0..300).filter_map(|_| archive.draw_any(&mut random)).map(|kept| kept.input.values()[0]).collect();
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
        assert_eq!(drawn(&mut archive), [1, 2, 4], "the second is one of the latest");
        for count in 10..10 + archive.settings.archive_recent as u64 {
            assert!(offer(&mut archive, count, 2, &[0, count]));
        }
        let drawn = drawn(&mut archive);
        assert!(drawn.contains(&1) && !drawn.contains(&2) && !drawn.contains(&4), "{drawn:?}");
    }

    #[test]
    fn what_holds_a_record_is_changed_to_raise_that_record() {
        let mut archive = archive(1);
        offer(&mut archive, 1, 10, &[5, 0, 7]);
        offer(&mut archive, 2, 3, &[0, 4, 8]);
        let names =
            |most| archive.holders_of_highest(most).iter().map(|kept| kept.input.values()[0]).collect::<Vec<_>>();
        assert_eq!((names(1), names(9)), (vec![2], vec![2, 1]));
        let mut random = Random::new(1);
        let mut goals: Vec<(u64, Option<usize>, u64)> = (0..100)
            .filter_map(|_| archive.draw(Source::Records, &mut random))
            .map(|drawn| (drawn.kept.input.values()[0], drawn.arm, drawn.taken))
            .collect();
        goals.sort_unstable();
        goals.dedup();
        assert_eq!(goals, [(1, Some(0), 5), (2, Some(1), 4), (2, Some(2), 8)]);
        for source in [Source::Elite, Source::Latest] {
            let drawn = archive.draw(source, &mut random).unwrap();
            assert_eq!((drawn.arm, drawn.taken), (None, 0), "{source:?}");
        }
    }

    #[test]
    fn every_order_of_magnitude_keeps_some_inputs() {
        let settings =
            AutoSettings { archive_elite: 1, archive_level: 4, archive_level_values: 4, ..AutoSettings::default() };
        let mut archive = Archive::new(&settings);
        for name in 1..=300 {
            // Costs of three levels: 4 to 7, 64 to 127, 1024 to 2047.
            let cost = [4 + name % 4, 64 + name % 64, 1024 + name][name as usize % 3];
            offer(&mut archive, name, cost, &[]);
        }
        let sizes: Vec<(u32, usize)> = archive.levels.iter().map(|(level, kept)| (*level, kept.len())).collect();
        assert_eq!(sizes, [(2, 4), (6, 4), (10, 4)]);
        let mut costs: Vec<u64> = archive.levels.values().flatten().map(|kept| kept.cost).collect();
        costs.sort_unstable();
        assert!(costs.windows(2).all(|pair| pair[0] < pair[1]), "one of each cost: {costs:?}");
        let highest = archive.levels[&10].iter().map(|kept| kept.input.values()[0]).max();
        assert!(highest > Some(150), "later ones take the place of earlier ones: {highest:?}");
        let mut random = Random::new(1);
        let drawn = (0..400).filter_map(|_| archive.draw(Source::Below, &mut random)).map(|drawn| drawn.kept.cost);
        let (lowest, higher): (Vec<u64>, Vec<u64>) = drawn.partition(|&cost| cost < 8);
        assert!(lowest.len() + higher.len() == 400 && (160..240).contains(&lowest.len()), "{}", lowest.len());
        assert!(higher.iter().all(|&cost| cost < 128), "never of the highest level: {higher:?}");
        // Long inputs take no more room than short ones.
        archive.offer(&Witness::new(vec![0; 5]), 1 << 20, 1, &[], &mut random);
        assert_eq!(archive.levels.len(), 3);
        archive.forget_elite();
        assert!(archive.levels.is_empty() && archive.draw_any(&mut random).is_none());
    }

    #[test]
    fn the_costliest_input_stays_for_each_magnitude_of_a_count() {
        let mut archive = archive(1);
        archive.settings.archive_niche_values = 100;
        // The record of the arm first: those after it are no records.
        for (name, cost, count, taken) in [
            (1, 9, 40, true),
            (2, 3, 1, true),
            (3, 3, 1, false),
            (4, 5, 2, true),
            (5, 4, 4, true),
            (6, 6, 7, true),
            (7, 5, 6, false),
            (8, 4, 1, true),
        ] {
            assert_eq!(offer(&mut archive, name, cost, &[count]), taken, "{name}");
        }
        let mut random = Random::new(1);
        let mut names: Vec<u64> = (0..200)
            .filter_map(|_| archive.draw(Source::Niches, &mut random))
            .map(|drawn| drawn.kept.input.values()[0])
            .collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names, [1, 4, 6, 8], "of 32 to 63 times, twice, 4 to 7 times, once");
        archive.settings.archive_niche_values = 4;
        assert!(offer(&mut archive, 9, 7, &[5]), "it takes the place of another");
        assert!(!offer(&mut archive, 10, 1, &[3]), "no room for another place");
        archive.forget_elite();
        assert!(archive.draw(Source::Niches, &mut random).is_none());
    }

    #[test]
    fn the_costliest_inputs_stay_the_latest_of_each_cost() {
        let mut archive = archive(2);
        assert!(archive.draw_any(&mut Random::new(1)).is_none());
        for (name, cost, taken) in [(1, 5, true), (2, 5, true), (3, 9, true), (4, 4, false), (5, 5, true)] {
            assert_eq!(offer(&mut archive, name, cost, &[]), taken, "{name}");
        }
        assert_eq!(drawn(&mut archive), [3, 5]);
        assert_eq!(archive.best().map(|best| best.cost), Some(9));
        archive.forget_elite();
        assert!(archive.best().is_none() && drawn(&mut archive).is_empty());
    }
}
