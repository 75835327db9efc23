//! The random source of searches, solvers, subjects and tests: seeded, small, and the same on every machine.

use crate::arena::VariableId;
use crate::evaluate::Witness;

/// A variable with a range of allowed values, from which [`Random::value`] draws.
pub trait Ranged {
    /// The variable.
    fn id(&self) -> VariableId;
    /// The width in bits.
    fn width(&self) -> u32;
    /// The number of values allowed, less one.
    fn span(&self) -> u64;
    /// The value with this number, counted from 0 for the least one up to [`Ranged::span`].
    fn at(&self, number: u64) -> u64;
    /// The least and the greatest value of a range of floats, from which values are drawn as numbers, not as bits.
    /// One of them, where the range has gaps.
    fn floats(&self, _random: &mut Random) -> Option<(f64, f64)> {
        None
    }
}

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014), which takes one addition and one mix per number and has no bad seeds.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// A source fixed by its seed.
    pub fn new(seed: u64) -> Random {
        Random { state: seed }
    }

    /// The next 64 bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform below `bound`, without bias (Lemire, TOMACS 2019). `bound` is not 0.
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        assert!(bound > 0, "nothing to choose from");
        loop {
            let product = u128::from(self.bits()) * u128::from(bound);
            if product as u64 >= bound.wrapping_neg() % bound {
                return (product >> 64) as u64;
            }
        }
    }

    /// An index into something of this length. The length is not 0.
    #[inline]
    pub fn index(&mut self, length: usize) -> usize {
        self.below(length as u64) as usize
    }

    /// One of these items, of which there must be at least one.
    #[inline]
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.index(from.len())]
    }

    /// A fair coin.
    #[inline]
    pub fn coin(&mut self) -> bool {
        self.bits() >> 63 == 1
    }

    /// Uniform in `0.0 .. 1.0`, in steps of 2^-53.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// True with this probability.
    #[inline]
    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// Puts the items in random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.index(last + 1));
        }
    }

    /// An independent source, for a part that draws an unknown number of times.
    pub fn split(&mut self) -> Random {
        Random { state: self.bits() }
    }

    /// A value drawn uniformly from the variable's range.
    pub fn value(&mut self, variable: &impl Ranged) -> u64 {
        if let Some((low, high)) = variable.floats(self) {
            let share = self.unit();
            // Neither end times its share overflows, unlike their distance.
            let value = (low * (1.0 - share) + high * share).clamp(low, high);
            return if variable.width() == 32 { u64::from((value as f32).to_bits()) } else { value.to_bits() };
        }
        variable.at(match variable.span() {
            u64::MAX => self.bits(),
            span => self.below(span + 1),
        })
    }

    /// An input drawn uniformly from the ranges.
    pub fn witness(&mut self, variables: &[impl Ranged]) -> Witness {
        let length = variables.iter().map(|variable| variable.id().0 as usize + 1).max().unwrap_or(0);
        let mut values = vec![0; length];
        for variable in variables {
            values[variable.id().0 as usize] = self.value(variable);
        }
        Witness::new(values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_numbers_are_those_of_the_published_generator() {
        // Known answers of SplitMix64 with seed 1234567 (Rosetta Code, task "Pseudo-random numbers/Splitmix64").
        let mut random = Random::new(1_234_567);
        let expected = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        assert_eq!(expected.map(|_| random.bits()), expected);
    }

    #[test]
    fn below_is_uniform() {
        let mut random = Random::new(7);
        let mut counts = [0u32; 6];
        for _ in 0..60_000 {
            counts[random.index(6)] += 1;
        }
        // Six standard deviations of a binomial with p = 1/6.
        assert!(counts.iter().all(|&count| count.abs_diff(10_000) < 550), "{counts:?}");
    }
}
