//! Sets of goals by number: of ten thousand inputs each may cover ten thousand goals.

use pessimum_search::objective::Goal;
use pessimum_search::observation::Observation;
use pessimum_search::places::Places;

use super::suite::all_covered;

/// Goals and their numbers.
#[derive(Clone, Debug, Default)]
pub struct Numbered(Vec<Goal>);

impl Numbered {
    /// These goals.
    pub fn of(goals: impl IntoIterator<Item = Goal>) -> Numbered {
        let mut goals: Vec<Goal> = goals.into_iter().collect();
        goals.sort_unstable();
        goals.dedup();
        Numbered(goals)
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// The number of a goal, if it is one of these.
    pub fn number(&self, goal: &Goal) -> Option<u32> {
        self.0.binary_search(goal).ok().map(|number| number as u32)
    }

    /// The goal with a number.
    pub fn goal(&self, number: u32) -> Goal {
        self.0[number as usize]
    }

    /// The numbers of those that a run covers.
    pub fn covered(&self, seen: &Observation, places: &Places) -> impl Iterator<Item = u32> {
        all_covered(seen, places).filter_map(|goal| self.number(&goal))
    }

    /// No goals yet, as bits.
    pub fn none(&self) -> Vec<u64> {
        vec![0; self.0.len().div_ceil(64)]
    }

    /// The set of these numbers.
    pub fn set(&self, numbers: impl Iterator<Item = u32>) -> GoalSet {
        let mut numbers: Vec<u32> = numbers.collect();
        numbers.sort_unstable();
        numbers.dedup();
        if numbers.len() * 32 <= self.0.len() {
            return GoalSet::Few(numbers.into());
        }
        let mut words = self.none();
        numbers.iter().for_each(|&number| words[number as usize / 64] |= 1 << (number % 64));
        GoalSet::Many(words.into())
    }
}

/// A set of goals, in whichever form is shorter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GoalSet {
    /// Numbers in ascending order.
    Few(Box<[u32]>),
    /// One bit for each of all goals.
    Many(Box<[u64]>),
}

impl GoalSet {
    /// How many there are.
    pub fn count(&self) -> usize {
        match self {
            GoalSet::Few(numbers) => numbers.len(),
            GoalSet::Many(words) => words.iter().map(|word| word.count_ones() as usize).sum(),
        }
    }

    /// How many are not among these bits.
    pub fn beyond(&self, bits: &[u64]) -> usize {
        match self {
            GoalSet::Few(numbers) => {
                numbers.iter().filter(|&&number| bits[number as usize / 64] >> (number % 64) & 1 == 0).count()
            }
            GoalSet::Many(words) => {
                words.iter().zip(bits).map(|(word, known)| (word & !known).count_ones() as usize).sum()
            }
        }
    }

    /// Sets their bits.
    pub fn add_to(&self, bits: &mut [u64]) {
        match self {
            GoalSet::Few(numbers) => {
                numbers.iter().for_each(|&number| bits[number as usize / 64] |= 1 << (number % 64));
            }
            GoalSet::Many(words) => words.iter().zip(bits).for_each(|(word, known)| *known |= word),
        }
    }

    /// Their numbers, in ascending order.
    pub fn numbers(&self) -> Box<dyn Iterator<Item = u32> + '_> {
        match self {
            GoalSet::Few(numbers) => Box::new(numbers.iter().copied()),
            GoalSet::Many(words) => Box::new((0..).zip(words.iter()).flat_map(|(at, &word)| {
                let rest = std::iter::successors(Some(word), |word| Some(word & word.wrapping_sub(1)));
                rest.take_while(|&word| word != 0).map(move |word| at * 64 + word.trailing_zeros())
            })),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_of_a_set_say_the_same() {
        let all = Numbered::of((0..200).map(Goal::Line));
        let few = all.set([7, 3, 7, 130].into_iter());
        let many = all.set((0..200).filter(|number| number % 3 == 0));
        assert!(matches!((&few, &many), (GoalSet::Few(_), GoalSet::Many(_))));
        assert_eq!(few.numbers().collect::<Vec<_>>(), [3, 7, 130]);
        assert_eq!(many.numbers().collect::<Vec<_>>(), (0..200).step_by(3).collect::<Vec<_>>());
        assert_eq!((few.count(), many.count()), (3, 67));
        let mut bits = all.none();
        few.add_to(&mut bits);
        assert_eq!((few.beyond(&bits), many.beyond(&bits)), (0, 66), "3 is in both");
        many.add_to(&mut bits);
        assert_eq!(few.beyond(&bits) + many.beyond(&bits), 0);
        assert_eq!(
            (all.number(&Goal::Line(9)), all.goal(9), all.number(&Goal::Line(200))),
            (Some(9), Goal::Line(9), None)
        );
    }
}
