//! How a worst input compares with random ones of the same size.

use pessimum_program::WasmProgram;
use pessimum_report::result::RandomInputs;
use pessimum_search::cost::CostModel;
use pessimum_search::program::{End, Limit, PathLimits, Program, Variable};
use pessimum_search::random::Random;
use pessimum_term::{VariableId, Witness};
use pessimum_wasm::call::GuestValue;

use crate::replay::all_costs;

/// Random inputs tried.
const INPUTS: u64 = 1000;

/// Instructions that all of them may take together: about a second.
const INSTRUCTIONS: u64 = 200_000_000;

/// Runs random inputs; none where not even a few of them can be run in reasonable time. `asked` is what the program
/// asked for by itself on its worst path: its variables are drawn too.
pub fn random_inputs(
    program: &WasmProgram,
    asked: &[GuestValue],
    cost: CostModel,
    limits: PathLimits,
    seed: u64,
) -> Option<RandomInputs> {
    let costs = random_costs(program, &variables(program, asked), cost, limits, seed);
    let highest = costs.iter().map(|&(_, cost)| cost).max()?;
    let average = costs.iter().map(|&(_, cost)| u128::from(cost)).sum::<u128>() as f64 / costs.len() as f64;
    let distance = |&(_, cost): &(u64, u64)| (cost as f64 - average).abs();
    let nearest = costs.iter().copied().min_by(|a, b| distance(a).total_cmp(&distance(b)));
    Some(RandomInputs { inputs: costs.len() as u64, average, highest, nearest })
}

/// The random input that is the given one by the order of drawing.
pub fn random_input(program: &WasmProgram, asked: &[GuestValue], seed: u64, draw: u64) -> Witness {
    let variables = variables(program, asked);
    let mut random = Random::new(seed);
    for _ in 0..draw.min(INPUTS) {
        random.witness(&variables);
    }
    random.witness(&variables)
}

fn variables(program: &WasmProgram, asked: &[GuestValue]) -> Vec<Variable> {
    let mut variables = program.variables();
    for value in asked {
        let width = if value.bytes.is_some() { 8 } else { value.kind.width() };
        let ids = value.first.0..value.first.0 + value.bytes.unwrap_or(1);
        variables.extend(ids.map(|id| Variable::unlimited(VariableId(id), width)));
    }
    variables
}

/// The number of the draw and the cost of each random input that the program accepts; empty where no input may vary.
fn random_costs(
    program: &WasmProgram,
    variables: &[Variable],
    cost: CostModel,
    limits: PathLimits,
    seed: u64,
) -> Vec<(u64, u64)> {
    let mut costs = Vec::new();
    if variables.is_empty() {
        return costs;
    }
    let mut random = Random::new(seed);
    let mut left = INSTRUCTIONS;
    for draw in 0..INPUTS {
        let witness = random.witness(variables);
        let shortened = PathLimits { instructions: limits.instructions.min(left), ..limits };
        let replay = program.replay(&witness, &shortened);
        if replay.end == End::Limit(Limit::Instructions) && shortened.instructions < limits.instructions {
            break;
        }
        left = left.saturating_sub(replay.costs.instructions);
        if replay.end == End::AssumptionViolated {
            continue;
        }
        let found = match cost {
            // Symbolic runs cost several times as much.
            CostModel::Decisions => {
                left = left.saturating_sub(replay.costs.instructions.saturating_mul(9));
                all_costs(program, &witness, limits)
            }
            _ => Some(replay.costs),
        };
        costs.extend(found.map(|found| (draw, cost.of(&found))));
    }
    costs
}
