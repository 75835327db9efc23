//! A costly sequence of calls with simpler numbers at the same cost.

use pessimum_outcome::{CostModel, End};
use pessimum_program::{WasmLibrary, WasmProgram};
use pessimum_search::budget::Until;
use pessimum_search::program::{PathLimits, Program as _};
use pessimum_search::shrink::{Keeper, Part, simplify};
use pessimum_search::suite::Test;
use pessimum_term::Witness;
use pessimum_wasm::Counted;

use crate::Error;
use crate::shrink::parts;

/// Runs that it may take.
const RUNS: u64 = 5000;

/// The test with simpler numbers, and no less costly.
pub fn simplified(
    library: &WasmLibrary,
    test: &Test,
    (counted, cost): (Counted, CostModel),
    limits: PathLimits,
    until: &Until,
) -> Result<Test, Error> {
    let program = library.counting(&test.calls, counted).map_err(Error::new)?;
    let before = program.replay(&test.input, &limits);
    let parts = joined(parts(program.subject().plan(), &[]));
    let (least, end) = (cost.of(&before.costs), before.end);
    let mut keeper = SameCost { program: &program, parts: parts.clone(), cost, least, end, limits, until, runs: 0 };
    let mut values = test.input.values().to_vec();
    values.resize(program.subject().plan().variables(), 0);
    let simple = simplify(values, parts, &mut keeper).values;
    Ok(Test { calls: test.calls.clone(), input: Witness::new(simple) })
}

/// Numbers of one kind that follow each other are looked at together: what one function is passed in one call after the other
/// is in some order.
fn joined(parts: Vec<Part>) -> Vec<Part> {
    let mut joined: Vec<Part> = Vec::new();
    for part in parts {
        match joined.last_mut() {
            Some(last)
                if last.first + last.count == part.first
                    && (last.width, &last.look, &last.pieces) == (part.width, &part.look, &part.pieces) =>
            {
                last.count += part.count;
            }
            _ => joined.push(part),
        }
    }
    joined
}

struct SameCost<'a> {
    program: &'a WasmProgram,
    parts: Vec<Part>,
    cost: CostModel,
    least: u64,
    end: End,
    limits: PathLimits,
    until: &'a Until,
    runs: u64,
}

impl Keeper for SameCost<'_> {
    fn keeps(&mut self, values: &[u64]) -> Option<Vec<Part>> {
        self.runs += 1;
        let replay = self.program.replay(&Witness::new(values.to_vec()), &self.limits);
        let same = replay.end == self.end && self.cost.of(&replay.costs) >= self.least;
        same.then(|| self.parts.clone())
    }

    fn is_spent(&self) -> bool {
        self.runs >= RUNS || !self.until.go_on()
    }
}
