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
    Some(RandomInputs { inputs: costs.len() as u64, average: average(&costs), highest })
}

/// Of the same random inputs, the one whose cost is nearest to their average (the first of several), and its cost.
pub fn average_input(
    program: &WasmProgram,
    asked: &[GuestValue],
    cost: CostModel,
    limits: PathLimits,
    seed: u64,
) -> Option<(Witness, u64)> {
    let variables = variables(program, asked);
    let costs = random_costs(program, &variables, cost, limits, seed);
    let average = average(&costs);
    let distance = |&(_, cost): &(u64, u64)| (cost as f64 - average).abs();
    let (nearest, cost) = costs.into_iter().min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
    let mut random = Random::new(seed);
    let drawn = (0..=nearest).map(|_| random.witness(&variables)).last();
    drawn.map(|witness| (witness, cost))
}

fn average(costs: &[(u64, u64)]) -> f64 {
    costs.iter().map(|&(_, cost)| u128::from(cost)).sum::<u128>() as f64 / costs.len().max(1) as f64
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
