//! Changes to the input itself, for programs whose conditions say little (hashes, arithmetic) or whose conditions the
//! solver gives up on.

use super::{Proposal, View};
use crate::program::Variable;
use crate::random::Random;
use crate::strategy::auto::inputs::Inputs;
use pessimum_term::Witness;

pub(super) fn propose(view: &View<'_>, random: &mut Random) -> Option<Proposal> {
    let parent = view.population.draw(random)?;
    // Without a witness value there is no input to change; variables that are known beforehand always have one.
    let has_input = !view.population.members[parent].witness.values().is_empty();
    has_input.then_some(Proposal::Climb { parent })
}

/// One step of a climb: now and then a block of another member's input, then at least one change, with even odds
/// another, and so on. Values stay in the ranges of their variables; other preconditions are the caller's to check.
pub fn change(view: &View<'_>, inputs: &Inputs, input: &mut Witness, random: &mut Random) {
    let members = &view.population.members;
    if random.chance(view.settings.climb_mix) {
        mix(input, &members[random.index(members.len())].witness, &inputs.variables, random);
    }
    loop {
        if random.coin() {
            inputs.genome.mutate_input(random, input);
        } else {
            mutate(input, &inputs.variables, &inputs.constants, random);
        }
        if random.coin() {
            break;
        }
    }
}

/// Takes a block of values from another input.
fn mix(input: &mut Witness, other: &Witness, variables: &[Variable], random: &mut Random) {
    if variables.is_empty() {
        return;
    }
    let length = 1 + random.index(variables.len());
    let from = random.index(variables.len() - length + 1);
    for variable in &variables[from..from + length] {
        input.set(variable.id, other.get(variable.id));
    }
}

/// Changes the input in one place or one block.
fn mutate(input: &mut Witness, variables: &[Variable], constants: &[u64], random: &mut Random) {
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
            // A value close to another variable's: orders and ties change one step at a time.
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
                // Copy a block, reverse it, move its first value to its end.
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
    input.set(variable.id, variable.folded(value));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::auto::testing::Scene;
    use pessimum_term::VariableId;

    #[test]
    fn values_stay_in_their_ranges() {
        let variables: Vec<Variable> = (0..5)
            .map(|id| Variable {
                id: VariableId(id),
                width: 16,
                signed: true,
                float: false,
                low: 0xfff0 + u64::from(id),
                high: 7,
                pieces: None,
            })
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

    #[test]
    fn a_block_of_another_input_is_taken_over() {
        let variables: Vec<Variable> = (0..6).map(|id| Variable::unlimited(VariableId(id), 8)).collect();
        let mut random = Random::new(5);
        for _ in 0..100 {
            let mut input = Witness::new(vec![1; 6]);
            mix(&mut input, &Witness::new(vec![2; 6]), &variables, &mut random);
            let first = input.values().iter().position(|&value| value == 2).expect("a block of at least one");
            let last = input.values().iter().rposition(|&value| value == 2).unwrap();
            assert!(input.values()[first..=last].iter().all(|&value| value == 2), "{input:?}");
        }
    }

    #[test]
    fn a_climb_starts_from_a_member_with_an_input() {
        let mut random = Random::new(1);
        assert!(propose(&Scene::new(&[]).view(), &mut random).is_none());
        let mut scene = Scene::new(&[&[1, 0]]);
        assert!(propose(&scene.view(), &mut random).is_none(), "no input");
        scene.population.members[0].witness = Witness::new(vec![7]);
        assert!(matches!(propose(&scene.view(), &mut random), Some(Proposal::Climb { parent: 0 })));
    }

    #[test]
    fn constants_of_conditions_are_tried() {
        let variables: Vec<Variable> = (0..2).map(|id| Variable::unlimited(VariableId(id), 32)).collect();
        let mut random = Random::new(5);
        let tried = (0..2000).filter(|_| {
            let mut input = Witness::new(vec![0; 2]);
            mutate(&mut input, &variables, &[123_456], &mut random);
            input.values().contains(&123_456)
        });
        assert!(tried.count() > 20);
    }
}
