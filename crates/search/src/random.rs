//! The random source, and inputs drawn from it.

use crate::program::Variable;
use pessimum_term::VariableId;
pub use pessimum_term::random::Random;
use pessimum_term::random::Ranged;

impl Ranged for Variable {
    fn id(&self) -> VariableId {
        self.id
    }

    fn width(&self) -> u32 {
        self.width
    }

    fn span(&self) -> u64 {
        Variable::span(self)
    }

    fn at(&self, number: u64) -> u64 {
        Variable::at(self, number)
    }

    fn floats(&self, random: &mut Random) -> Option<(f64, f64)> {
        let number =
            |bits: u64| if self.width == 32 { f32::from_bits(bits as u32).into() } else { f64::from_bits(bits) };
        let length = |&(low, high): &(u64, u64)| number(high) - number(low);
        self.float.then(|| {
            if self.pieces.is_none() {
                return (number(self.low), number(self.high));
            }
            // Each piece as often as it is long, and now and then whatever its length: single values count as well.
            let pieces = self.pieces();
            let total: f64 = pieces.iter().map(length).sum();
            let mut at = random.unit() * total;
            let drawn = match random.below(4) == 0 || !total.is_finite() || total == 0.0 {
                true => None,
                false => pieces.iter().find(|piece| {
                    at -= length(piece);
                    at <= 0.0
                }),
            };
            let &(low, high) = drawn.unwrap_or(&pieces[random.index(pieces.len())]);
            (number(low), number(high))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stay_in_their_range_and_reach_its_ends() {
        let mut random = Random::new(3);
        let variable =
            Variable { id: VariableId(0), width: 8, signed: true, float: false, low: 0xfe, high: 1, pieces: None };
        let mut seen = [0u32; 256];
        for _ in 0..1000 {
            seen[random.value(&variable) as usize] += 1;
        }
        let hit: Vec<usize> = (0..256).filter(|&value| seen[value] > 0).collect();
        assert_eq!(hit, [0, 1, 0xfe, 0xff]);
        assert_eq!(random.witness(&[Variable::unlimited(VariableId(3), 64)]).values().len(), 4);
    }

    #[test]
    fn floats_are_drawn_as_numbers() {
        let mut random = Random::new(5);
        let single = |x: f32| u64::from(x.to_bits());
        let narrow =
            Variable { float: true, low: single(-1.0), high: single(3.0), ..Variable::unlimited(VariableId(0), 32) };
        let drawn: Vec<f32> = (0..1000).map(|_| f32::from_bits(random.value(&narrow) as u32)).collect();
        assert!(drawn.iter().all(|value| (-1.0..=3.0).contains(value)));
        let negative = drawn.iter().filter(|&&value| value < 0.0).count();
        assert!((200..300).contains(&negative), "a quarter of the range is below 0, but {negative} of 1000 values");
        let (low, high) = (f64::MIN.to_bits(), f64::MAX.to_bits());
        let wide = Variable { float: true, low, high, ..Variable::unlimited(VariableId(0), 64) };
        assert!((0..100).all(|_| f64::from_bits(random.value(&wide)).is_finite()));
    }
}
