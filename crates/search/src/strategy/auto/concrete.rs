//! Changes to a concrete input, for programs whose conditions say little (hashes, arithmetic) or whose conditions the
//! solver gives up on.

use super::population::Member;
use crate::program::Variable;
use crate::random::Random;
use crate::search::Search;
use crate::strategy::ga::mutation::Genome;
use pessimum_term::ops::mask;
use pessimum_term::{Evaluator, TermId, Witness};

/// The variables of inputs, and what else is asked of them.
pub struct Inputs {
    /// By number.
    pub variables: Vec<Variable>,
    /// The changes of the genetic search, for the same variables.
    pub genome: Genome,
    /// Which of the program's preconditions say more than ranges, by index.
    beyond_ranges: Vec<usize>,
    /// The longest input looked at for variables that were not known beforehand.
    looked_at: usize,
}

impl Inputs {
    /// Of the search's program.
    pub fn new(search: &mut Search<'_>) -> Inputs {
        let variables = search.kernel.program().variables();
        let mut ranges = Vec::new();
        for variable in &variables {
            variable.conditions(search.kernel.arena(), &mut ranges);
        }
        let preconditions = search.kernel.preconditions();
        let beyond_ranges = (0..preconditions.len()).filter(|&index| !ranges.contains(&preconditions[index])).collect();
        let looked_at = variables.iter().map(|variable| variable.id.0 as usize + 1).max().unwrap_or(0);
        let genome = Genome::new(variables.clone());
        Inputs { variables, genome, beyond_ranges, looked_at }
    }

    /// Whether the program's preconditions hold. Ranges are not looked at: changes keep to them.
    pub fn are_legal(&self, search: &mut Search<'_>, input: &Witness) -> bool {
        if self.beyond_ranges.is_empty() {
            return true;
        }
        let conditions: Vec<TermId> =
            self.beyond_ranges.iter().map(|&index| search.kernel.preconditions()[index]).collect();
        let mut evaluator = Evaluator::new(input.clone());
        let arena = search.kernel.arena();
        conditions.into_iter().all(|condition| evaluator.value(arena, condition) == 1)
    }

    /// Adds variables that a program asked for while it ran, as far as decisions of this path depend on them.
    pub fn discover(&mut self, search: &mut Search<'_>, member: &Member) {
        let length = member.witness.values().len();
        if length <= self.looked_at {
            return;
        }
        self.looked_at = length;
        let arena = search.kernel.arena();
        let mut seen = vec![false; arena.len()];
        let mut pending: Vec<TermId> = member.decisions.iter().map(|decision| decision.condition).collect();
        while let Some(term) = pending.pop() {
            if std::mem::replace(&mut seen[term.index()], true) {
                continue;
            }
            if let Some(id) = arena.as_variable(term)
                && self.variables.iter().all(|known| known.id != id)
            {
                self.variables.push(Variable::unlimited(id, arena.width(term)));
            }
            pending.extend(arena.children(term));
        }
        self.variables.sort_by_key(|variable| variable.id.0);
        self.genome = Genome::new(self.variables.clone());
    }
}

/// Takes a block of values from another input.
pub fn mix(input: &mut Witness, other: &Witness, variables: &[Variable], random: &mut Random) {
    if variables.is_empty() {
        return;
    }
    let length = 1 + random.index(variables.len());
    let from = random.index(variables.len() - length + 1);
    for variable in &variables[from..from + length] {
        input.set(variable.id, other.get(variable.id));
    }
}

/// Changes the input in one place or one block. Values stay in the ranges of their variables; other preconditions are
/// the caller's to check.
pub fn mutate(input: &mut Witness, variables: &[Variable], constants: &[u64], random: &mut Random) {
    if variables.is_empty() {
        return;
    }
    let count = variables.len();
    let any = random.index(count);
    let variable = &variables[any];
    let old = input.get(variable.id);
    match random.below(10) {
        0 => set(input, variable, random.value(variable)),
        1 => {
            // A number near another variable's: orders and ties change one step at a time.
            let other = input.get(variables[random.index(count)].id);
            set(input, variable, other.wrapping_add(random.below(3)).wrapping_sub(1));
        }
        2 | 3 => swap(input, variable, &variables[random.index(count)]),
        4 if !constants.is_empty() => {
            let constant = constants[random.index(constants.len())];
            set(input, variable, constant.wrapping_add(random.below(3)).wrapping_sub(1));
        }
        4 | 5 => {
            let bit = 1u64 << random.below(u64::from(variable.width));
            set(input, variable, old ^ bit);
        }
        6 => {
            let step = 1u64 << random.below(u64::from(variable.width.min(16)));
            set(input, variable, if random.coin() { old.wrapping_add(step) } else { old.wrapping_sub(step) });
        }
        block => {
            let length = 1 + random.index(count.div_ceil(2));
            let from = random.index(count - length + 1);
            let to = random.index(count - length + 1);
            let values: Vec<u64> = variables[from..from + length].iter().map(|other| input.get(other.id)).collect();
            match block {
                // Copy a block, turn one round, move its first value to its end.
                7 => values.iter().zip(&variables[to..]).for_each(|(&value, other)| set(input, other, value)),
                8 => values.iter().rev().zip(&variables[from..]).for_each(|(&value, other)| set(input, other, value)),
                _ => {
                    let rotated = values.iter().skip(1).chain(values.first());
                    rotated.zip(&variables[from..]).for_each(|(&value, other)| set(input, other, value));
                }
            }
        }
    }
}

fn swap(input: &mut Witness, x: &Variable, y: &Variable) {
    let (a, b) = (input.get(x.id), input.get(y.id));
    set(input, x, b);
    set(input, y, a);
}

/// Sets a variable to the value, moved into its range.
fn set(input: &mut Witness, variable: &Variable, value: u64) {
    let offset = value.wrapping_sub(variable.low) & mask(variable.width);
    let span = variable.span();
    let offset = if offset <= span { offset } else { offset % (span + 1) };
    input.set(variable.id, variable.low.wrapping_add(offset) & mask(variable.width));
}

#[cfg(test)]
mod tests {
    use super::*;
    use pessimum_term::VariableId;

    #[test]
    fn values_stay_in_their_ranges() {
        let variables: Vec<Variable> = (0..5)
            .map(|id| Variable { id: VariableId(id), width: 16, signed: true, low: 0xfff0 + u64::from(id), high: 7 })
            .collect();
        let mut random = Random::new(5);
        let mut input = random.witness(&variables);
        let mut changed = 0;
        for _ in 0..5000 {
            let before = input.clone();
            mutate(&mut input, &variables, &[3, 40_000], &mut random);
            changed += u32::from(before != input);
            for variable in &variables {
                let offset = input.get(variable.id).wrapping_sub(variable.low) & 0xffff;
                assert!(offset <= variable.span(), "{input:?}");
            }
        }
        assert!(changed > 3000, "{changed}");
    }
}
