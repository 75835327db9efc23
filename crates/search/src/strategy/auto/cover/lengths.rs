//! Inputs of which a number says how much of an array is in use: what is inserted makes them longer, what is deleted
//! shorter, as a fuzzer changes a file.

use crate::random::Random;
use crate::strategy::auto::inputs::Inputs;
use crate::strategy::ga::mutation::{Genome, within};
use std::ops::Range;

/// The most values that are inserted or deleted at once, unless it is a token.
const LONGEST: usize = 16;

/// Arrays with their lengths. A number is taken for the length of an array if it ranges from 0 to the number of its
/// elements, which is how calls are written whose length is input: `f(u8[n], i32 in 0..=n)`.
#[derive(Debug, Default)]
pub struct Lengths {
    /// The row of an array and the index of its length.
    arrays: Vec<(Range<usize>, usize)>,
}

impl Lengths {
    /// Those of these variables. Each length belongs to the nearest array before it that it fits.
    pub fn of(genome: &Genome) -> Lengths {
        let fits = |row: &Range<usize>, index: usize| {
            let variable = &genome.variables()[index];
            let whole = variable.low == 0 && variable.high == row.len() as u64;
            !variable.float && whole && row.len() > 1 && !row.contains(&index)
        };
        let of = |index: usize| {
            let rows = genome.rows().iter().filter(|row| fits(row, index));
            let nearest = rows.min_by_key(|row| if row.end <= index { index - row.end } else { usize::MAX })?;
            Some((nearest.clone(), index))
        };
        Lengths { arrays: (0..genome.variables().len()).filter_map(of).collect() }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.arrays.is_empty()
    }

    /// Sets what is not in use to the least values, so that inputs which differ in nothing else are equal.
    pub fn clear_unused(&self, inputs: &Inputs, values: &mut [u64]) {
        for (row, length) in &self.arrays {
            let used = row.start + (values[*length] as usize).min(row.len());
            let unused = values[used..row.end].iter_mut().zip(&inputs.genome.variables()[used..row.end]);
            for (value, variable) in unused {
                *value = within(variable, 0);
            }
        }
    }

    /// Inserts, deletes or cuts off once, with even odds again, and so on. `mate` are the values of another input.
    pub fn change(&self, inputs: &Inputs, mate: &[u64], values: &mut [u64], random: &mut Random) {
        loop {
            let Some((row, length)) = self.arrays.get(random.index(self.arrays.len().max(1))) else { return };
            let used = (values[*length] as usize).min(row.len());
            let new = match random.below(8) {
                0 if used > 0 => random.index(used),
                1 | 2 if used > 0 => {
                    let count = 1 + random.index(used.min(LONGEST));
                    let at = row.start + random.index(used - count + 1);
                    values[at..row.start + used].rotate_left(count);
                    used - count
                }
                _ => {
                    let piece = piece(inputs, (row, *length), mate, values, random);
                    let count = piece.len().min(row.len() - used);
                    // At the end as often as anywhere.
                    let at = row.start + if random.coin() { used } else { random.index(used + 1) };
                    values.copy_within(at..row.start + used, at + count);
                    for (index, value) in (at..at + count).zip(piece) {
                        values[index] = within(&inputs.genome.variables()[index], value);
                    }
                    used + count
                }
            };
            values[*length] = new as u64;
            if random.coin() {
                return;
            }
        }
    }
}

/// Values to insert: a token that the program compares with or a text of it, a part of this array or of the mate's, a constant, or
/// random values.
fn piece(
    inputs: &Inputs,
    (row, length): (&Range<usize>, usize),
    mate: &[u64],
    values: &[u64],
    random: &mut Random,
) -> Vec<u64> {
    let kind = random.below(5);
    if kind == 0
        && let Some(word) = inputs.word(random)
    {
        return word.clone();
    }
    let constants = &inputs.constants;
    if kind == 1 && !constants.is_empty() {
        return vec![constants[random.index(constants.len())]];
    }
    if kind < 4 {
        let source = if random.coin() && mate.len() == values.len() { mate } else { values };
        let used = (source[length] as usize).min(row.len());
        if used > 0 {
            let count = 1 + random.index(used.min(LONGEST));
            let at = row.start + random.index(used - count + 1);
            return source[at..at + count].to_vec();
        }
    }
    let count = if random.coin() { 1 } else { 1 + random.index(row.len().min(LONGEST)) };
    let variable = &inputs.genome.variables()[row.start];
    (0..count).map(|_| random.value(variable)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::Variable;
    use pessimum_term::VariableId;

    /// An array of six bytes, a number that is no length, and the length of the array.
    fn inputs() -> Inputs {
        let mut variables: Vec<Variable> = (0..6).map(|id| Variable::unlimited(VariableId(id), 8)).collect();
        variables.push(Variable { high: 5, ..Variable::unlimited(VariableId(6), 32) });
        variables.push(Variable { high: 6, ..Variable::unlimited(VariableId(7), 32) });
        Inputs::of(variables)
    }

    #[test]
    fn a_number_from_zero_to_the_size_of_an_array_is_its_length() {
        assert_eq!(Lengths::of(&inputs().genome).arrays, [(0..6, 7)]);
        let none = Inputs::of((0..6).map(|id| Variable::unlimited(VariableId(id), 8)).collect());
        assert!(Lengths::of(&none.genome).is_empty());
    }

    #[test]
    fn lengths_grow_and_shrink_with_what_is_in_use() {
        let mut inputs = inputs();
        inputs.tokens = vec![vec![70, 71, 72]];
        let lengths = Lengths::of(&inputs.genome);
        let (mut with_token, mut shorter) = (0, 0);
        for seed in 0..2000 {
            let mut values = vec![1, 2, 3, 0, 0, 0, 4, 3];
            lengths.change(&inputs, &[9, 9, 0, 0, 0, 0, 0, 2], &mut values, &mut Random::new(seed));
            assert!(values[7] <= 6 && values[6] == 4, "{values:?}");
            let used = &values[..values[7] as usize];
            with_token += u32::from(used.windows(3).any(|part| part == [70, 71, 72]));
            shorter += u32::from(used.len() < 3);
        }
        assert!(with_token > 50 && shorter > 300, "{with_token} {shorter}");
        let mut values = vec![1, 2, 3, 7, 7, 7, 4, 3];
        lengths.clear_unused(&inputs, &mut values);
        assert_eq!(values, [1, 2, 3, 0, 0, 0, 4, 3]);
    }
}
