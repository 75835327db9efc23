//! How a worst input compares with random ones of the same size.

use pessimum_program::WasmProgram;
use pessimum_report::result::RandomInputs;
use pessimum_search::cost::CostModel;
use pessimum_search::program::{End, Limit, PathLimits, Program, Variable};
use pessimum_search::random::Random;
use pessimum_term::VariableId;
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
    let mut variables = program.variables();
    for value in asked {
        let width = if value.bytes.is_some() { 8 } else { value.kind.width() };
        let ids = value.first.0..value.first.0 + value.bytes.unwrap_or(1);
        variables.extend(ids.map(|id| Variable::unlimited(VariableId(id), width)));
    }
    if variables.is_empty() {
        return None;
    }
    let mut random = Random::new(seed);
    let mut left = INSTRUCTIONS;
    let (mut inputs, mut sum, mut highest) = (0u64, 0u128, 0);
    for _ in 0..INPUTS {
        let witness = random.witness(&variables);
        let shortened = PathLimits { instructions: limits.instructions.min(left), ..limits };
        let replay = program.replay(&witness, &shortened);
        if replay.end == End::Limit(Limit::Instructions) && shortened.instructions < limits.instructions {
            break;
        }
        left = left.saturating_sub(replay.costs.instructions);
        if replay.end == End::AssumptionViolated {
            continue;
        }
        let costs = match cost {
            // Symbolic runs cost several times as much.
            CostModel::Decisions => {
                left = left.saturating_sub(replay.costs.instructions.saturating_mul(9));
                all_costs(program, &witness, limits)
            }
            _ => Some(replay.costs),
        };
        let Some(costs) = costs else { continue };
        inputs += 1;
        sum += u128::from(cost.of(&costs));
        highest = highest.max(cost.of(&costs));
    }
    (inputs > 0).then(|| RandomInputs { inputs, average: sum as f64 / inputs as f64, highest })
}
