//! Inputs as genomes: typed values, rows of equal variables, and the operators on them.

use crate::program::Variable;
use crate::random::Random;
use pessimum_term::Witness;
use std::ops::Range;

/// The variables of a program, in the order in which they became known. Values are in this order.
pub(crate) struct Genome {
    variables: Vec<Variable>,
    /// Rows of neighbours with the same type and range, which were arrays in the program.
    rows: Vec<Range<usize>>,
}

impl Genome {
    /// A genome of the variables known beforehand, by number.
    pub(crate) fn new(mut variables: Vec<Variable>) -> Genome {
        variables.sort_by_key(|variable| variable.id);
        variables.dedup_by_key(|variable| variable.id);
        Genome::in_order(variables)
    }

    fn in_order(variables: Vec<Variable>) -> Genome {
        let mut rows: Vec<Range<usize>> = Vec::new();
        for (index, variable) in variables.iter().enumerate() {
            match rows.last_mut() {
                Some(row) if variables[row.start].is_like(variable) => row.end = index + 1,
                _ => rows.push(index..index + 1),
            }
        }
        Genome { variables, rows }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.variables.is_empty()
    }

    /// The variables, in the order of values.
    pub(crate) fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// The rows: neighbours with the same type and range.
    pub(crate) fn rows(&self) -> &[Range<usize>] {
        &self.rows
    }

    /// The row that a value belongs to.
    pub(crate) fn row_of(&self, index: usize) -> Range<usize> {
        self.rows[self.rows.partition_point(|row| row.end <= index)].clone()
    }

    /// Adds variables that are not known yet. Returns whether there were any. Values made before are completed by
    /// [`Genome::adapt`].
    pub(super) fn add(&mut self, new: Vec<Variable>) -> bool {
        let found_some = !new.is_empty();
        let mut variables = std::mem::take(&mut self.variables);
        variables.extend(new);
        *self = Genome::in_order(variables);
        found_some
    }

    /// The values as an input.
    pub(crate) fn witness(&self, values: &[u64]) -> Witness {
        let mut witness = Witness::default();
        for (variable, &value) in self.variables.iter().zip(values) {
            witness.set(variable.id, value);
        }
        witness
    }

    /// An input's values; those outside their ranges are moved to the nearer end.
    pub(crate) fn values(&self, input: &Witness) -> Vec<u64> {
        self.variables.iter().map(|variable| within(variable, input.get(variable.id))).collect()
    }

    /// Values made when fewer variables were known, completed with zeros (or the least value).
    pub(super) fn adapt(&self, values: &[u64]) -> Vec<u64> {
        let mut values = values.to_vec();
        values.truncate(self.variables.len());
        for variable in &self.variables[values.len()..] {
            values.push(within(variable, 0));
        }
        values
    }

    pub(super) fn random(&self, random: &mut Random) -> Vec<u64> {
        self.variables.iter().map(|variable| random.value(variable)).collect()
    }

    /// Values that are small numbers of either sign, each for itself: EvoSuite's default range (`max_int`).
    pub(super) fn draw(&self, random: &mut Random) -> Vec<u64> {
        self.variables.iter().map(|variable| drawn(random, variable)).collect()
    }

    /// Changes one value on average: by EvoSuite's greatest step (`max_delta`) at most, or to a
    /// newly drawn one.
    pub(super) fn redraw(&self, random: &mut Random, values: &mut [u64]) {
        let chance = 1.0 / values.len().max(1) as f64;
        for (variable, value) in self.variables.iter().zip(values) {
            if random.chance(chance) {
                *value = match random.coin() {
                    true => drawn(random, variable),
                    false => {
                        let step = 1 + random.below(MOST_STEP);
                        let moved = if random.coin() { value.wrapping_add(step) } else { value.wrapping_sub(step) };
                        within(variable, moved)
                    }
                };
            }
        }
    }

    /// Exchanges parts: after one point, between two points, or each value with even odds.
    pub(super) fn cross(&self, random: &mut Random, first: &mut [u64], second: &mut [u64]) {
        let length = first.len();
        match random.below(3) {
            0 => {
                let from = random.index(length);
                first[from..].swap_with_slice(&mut second[from..]);
            }
            1 => {
                let part = segment(random, 0..length);
                first[part.clone()].swap_with_slice(&mut second[part]);
            }
            _ => {
                for (x, y) in first.iter_mut().zip(second) {
                    if random.coin() {
                        std::mem::swap(x, y);
                    }
                }
            }
        }
    }

    /// Like [`Genome::mutate`], for an input of these variables.
    pub(crate) fn mutate_input(&self, random: &mut Random, input: &mut Witness) {
        if self.is_empty() {
            return;
        }
        let mut values: Vec<u64> = self.variables.iter().map(|variable| input.get(variable.id)).collect();
        self.mutate(random, &mut values);
        for (variable, &value) in self.variables.iter().zip(&values) {
            input.set(variable.id, value);
        }
    }

    /// Makes at least one change, with even odds another, and so on.
    pub(crate) fn mutate(&self, random: &mut Random, values: &mut [u64]) {
        loop {
            let index = random.index(values.len());
            let row = self.row_of(index);
            if row.len() >= 3 && random.coin() {
                self.change_row(random, values, row);
            } else {
                values[index] = self.changed(random, values, index, row);
            }
            if random.coin() {
                return;
            }
        }
    }

    /// Another value for one variable.
    fn changed(&self, random: &mut Random, values: &[u64], index: usize, row: Range<usize>) -> u64 {
        let variable = &self.variables[index];
        let neighbour = values[row.start + random.index(row.len())];
        let value = match random.below(6) {
            0 => step(random, values[index]),
            1 => neighbour,
            2 => step(random, neighbour),
            3 => variable.end(random),
            4 => [0, 1, u64::MAX][random.index(3)],
            _ => random.value(variable),
        };
        within(variable, value)
    }

    /// Reorders or overwrites a part of a row.
    fn change_row(&self, random: &mut Random, values: &mut [u64], row: Range<usize>) {
        let variable = &self.variables[row.start];
        let part = segment(random, row.clone());
        let key = |value: &u64| variable.order(*value);
        match random.below(9) {
            0 => values[part].reverse(),
            1 => values[part.clone()].rotate_left(random.index(part.len())),
            2 => values[part].sort_by_key(key),
            3 => values[part].sort_by_key(|value| std::cmp::Reverse(variable.order(*value))),
            4 => random.shuffle(&mut values[part]),
            5 => {
                let value = values[row.start + random.index(row.len())];
                values[part].fill(value);
            }
            6 => {
                // Another part of the row gets the same values.
                let to = row.start + random.index(row.len() - part.len() + 1);
                values.copy_within(part, to);
            }
            7 => {
                // The part repeats its own beginning.
                let period = 1 + random.index(part.len());
                for index in part.start + period..part.end {
                    values[index] = values[index - period];
                }
            }
            _ => {
                // A run of consecutive values, up or down.
                let first = values[part.start];
                let up = random.coin();
                for (offset, index) in part.enumerate() {
                    let offset = offset as u64;
                    let value = if up { first.wrapping_add(offset) } else { first.wrapping_sub(offset) };
                    values[index] = within(variable, value);
                }
            }
        }
    }
}

/// EvoSuite's default `max_int`: numbers are drawn from minus this to this.
const MOST_DRAWN: u64 = 2048;

/// EvoSuite's default `max_delta`.
pub const MOST_STEP: u64 = 20;

/// A number as EvoSuite draws them, within the range of the variable.
pub fn drawn(random: &mut Random, variable: &Variable) -> u64 {
    let number = random.below(2 * MOST_DRAWN + 1).wrapping_sub(MOST_DRAWN);
    within(variable, number)
}

/// A part of a range with at least one member; short parts are as likely as long ones.
fn segment(random: &mut Random, of: Range<usize>) -> Range<usize> {
    let length = 1 + random.index(of.len());
    let from = of.start + random.index(of.len() - length + 1);
    from..from + length
}

/// A little more or less.
fn step(random: &mut Random, value: u64) -> u64 {
    let most = 1 << random.below(5);
    let size = 1 + random.below(most);
    if random.coin() { value.wrapping_add(size) } else { value.wrapping_sub(size) }
}

/// The value if it is in the variable's range, otherwise the nearest one that is.
pub(crate) fn within(variable: &Variable, value: u64) -> u64 {
    variable.nearest(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pessimum_term::VariableId;

    #[test]
    fn every_operator_stays_within_the_ranges() {
        let limited = |id: u32| Variable {
            id: VariableId(id),
            width: 8,
            signed: true,
            float: false,
            low: 0xf0,
            high: 0x20,
            pieces: None,
        };
        let mut variables: Vec<Variable> = (0..6).map(limited).collect();
        variables.push(Variable::unlimited(VariableId(6), 64));
        variables.push(Variable {
            id: VariableId(9),
            width: 16,
            signed: false,
            float: false,
            low: 7,
            high: 7,
            pieces: None,
        });
        let genome = Genome::new(variables);
        assert_eq!(genome.rows, [0..6, 6..7, 7..8]);
        let mut random = Random::new(5);
        let mut values = genome.random(&mut random);
        let mut other = genome.random(&mut random);
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..20_000 {
            genome.mutate(&mut random, &mut values);
            genome.redraw(&mut random, &mut other);
            genome.cross(&mut random, &mut values, &mut other);
            for (variable, &value) in genome.variables.iter().zip(values.iter().chain(&other)) {
                assert_eq!(within(variable, value), value);
            }
            seen.insert(values[0]);
        }
        assert_eq!(seen.len(), 0x31, "every value of a small range is reached");
        assert_eq!(genome.witness(&values).values().len(), 10);
    }

    #[test]
    fn values_outside_go_to_the_nearer_end() {
        let variable =
            Variable { id: VariableId(0), width: 8, signed: true, float: false, low: 0xf0, high: 0x20, pieces: None };
        assert_eq!(within(&variable, 0x21), 0x20);
        assert_eq!(within(&variable, 0xef), 0xf0);
        assert_eq!(within(&variable, 0x105), 5);
        assert!(variable.order(0xff) < variable.order(0));
    }

    #[test]
    fn later_variables_complete_earlier_values() {
        let mut genome = Genome::new(vec![Variable::unlimited(VariableId(0), 8)]);
        assert!(genome.add(vec![Variable::unlimited(VariableId(1), 8)]));
        assert!(!genome.add(Vec::new()));
        assert_eq!(genome.adapt(&[3]), [3, 0]);
        assert_eq!(genome.rows.len(), 1);
    }
}
