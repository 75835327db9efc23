//! All inputs of a program, numbered. What counts is how many values there are, not in how many bits they are written.

use crate::program::Variable;
use pessimum_term::Witness;

/// Inputs up to which all of them may be run.
const FEW: u64 = 1 << 20;

/// The values of all variables together, where there are few.
pub(crate) struct Domain {
    variables: Vec<Variable>,
    count: u64,
}

impl Domain {
    /// None if nothing varies, or there are too many inputs.
    pub fn of(variables: &[Variable]) -> Option<Domain> {
        let mut values = variables.iter().map(|variable| variable.span().checked_add(1));
        let few = |count: u64, values: Option<u64>| count.checked_mul(values?).filter(|&count| count <= FEW);
        let count = values.try_fold(1, few).filter(|_| !variables.is_empty())?;
        Some(Domain { variables: variables.to_vec(), count })
    }

    /// How many inputs there are, those included that the program does not accept.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The input with this number.
    fn input(&self, mut number: u64) -> Witness {
        let mut input = Witness::default();
        for variable in &self.variables {
            // No variable has more values than there are inputs.
            let values = variable.span() + 1;
            input.set(variable.id, variable.at(number % values));
            number /= values;
        }
        input
    }

    /// Each input once, neighbours far apart, so that the first ones show how long all of them will take.
    pub fn scattered(&self) -> impl Iterator<Item = Witness> {
        let mut step = (self.count as f64 * 0.618) as u64 | 1;
        while gcd(step, self.count) > 1 {
            step += 2;
        }
        let place = move |number: u64| u128::from(number) * u128::from(step) % u128::from(self.count);
        (0..self.count).map(move |number| self.input(place(number) as u64))
    }
}

fn gcd(one: u64, other: u64) -> u64 {
    if other == 0 { one } else { gcd(other, one % other) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pessimum_term::VariableId;
    use std::collections::BTreeSet;

    #[test]
    fn every_input_comes_once() {
        let variable = |id, width| Variable::unlimited(VariableId(id), width);
        let gaps = variable(0, 32).limited_to(&[(5, 7), (1000, 1000), (0xffff_fff0, 0xffff_ffff)]);
        let negative = Variable { signed: true, ..variable(2, 64) }.limited_to(&[(-3i64 as u64, 2)]);
        for variables in [vec![gaps.clone()], vec![gaps, variable(1, 1), negative], vec![variable(0, 16)]] {
            let count = variables.iter().map(|variable| variable.span() + 1).product();
            let domain = Domain { variables: variables.clone(), count };
            let inputs: BTreeSet<Vec<u64>> = domain.scattered().map(|input| input.values().to_vec()).collect();
            assert_eq!(inputs.len() as u64, count);
            let permits = |input: &Vec<u64>| variables.iter().all(|known| known.permits(input[known.id.0 as usize]));
            assert!(inputs.iter().all(permits));
        }
    }
}
