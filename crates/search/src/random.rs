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

    fn low(&self) -> u64 {
        self.low
    }

    fn span(&self) -> u64 {
        Variable::span(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stay_in_their_range_and_reach_its_ends() {
        let mut random = Random::new(3);
        let variable = Variable { id: VariableId(0), width: 8, signed: true, low: 0xfe, high: 1 };
        let mut seen = [0u32; 256];
        for _ in 0..1000 {
            seen[random.value(&variable) as usize] += 1;
        }
        let hit: Vec<usize> = (0..256).filter(|&value| seen[value] > 0).collect();
        assert_eq!(hit, [0, 1, 0xfe, 0xff]);
        assert_eq!(random.witness(&[Variable::unlimited(VariableId(3), 64)]).values().len(), 4);
    }
}
