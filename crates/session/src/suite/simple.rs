//! A costly sequence of calls made simpler at the same cost: without calls that do not matter, and with simpler numbers.

use pessimum_input::shrink::{Keeper, Part, simplify};
use pessimum_outcome::{CostModel, End};
use pessimum_program::{WasmLibrary, WasmProgram};
use pessimum_search::budget::Until;
use pessimum_search::program::{PathLimits, Program as _};
use pessimum_suites::{Call, Library as _, Test};
use pessimum_term::Witness;
use pessimum_wasm::Counted;

use crate::Error;
use crate::shrink::parts;

/// Runs that it may take.
const RUNS: u64 = 5000;

/// The test with fewer calls and simpler numbers, and no less costly.
pub fn simplified(
    library: &WasmLibrary,
    test: &Test,
    (counted, cost): (Counted, CostModel),
    limits: PathLimits,
    until: &Until,
) -> Result<Test, Error> {
    let test = &fewer(library, test, (counted, cost), &limits, until)?;
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

/// What each call of a test costs by itself, after those before it.
pub fn each(library: &WasmLibrary, test: &Test, cost: CostModel, limits: &PathLimits) -> Result<Vec<u64>, Error> {
    let one = |count: usize| {
        let program = library.counting(&test.calls[..count], Counted::Last).map_err(Error::new)?;
        Ok(cost.of(&program.replay(&test.input, limits).costs))
    };
    (1..=test.calls.len()).map(one).collect()
}

/// The test without the calls that it costs as much without.
fn fewer(
    library: &WasmLibrary,
    test: &Test,
    (counted, cost): (Counted, CostModel),
    limits: &PathLimits,
    until: &Until,
) -> Result<Test, Error> {
    let run = |test: &Test| {
        let replay = library.counting(&test.calls, counted).map_err(Error::new)?.replay(&test.input, limits);
        Ok::<_, Error>((cost.of(&replay.costs), replay.end))
    };
    let (least, end) = run(test)?;
    let mut kept = test.clone();
    for at in (0..test.calls.len().saturating_sub(1)).rev() {
        if !until.go_on() {
            break;
        }
        let Some(without) = without(library, &kept, at)? else { continue };
        let (cost, ended) = run(&without)?;
        if cost >= least && ended == end {
            kept = without;
        }
    }
    Ok(kept)
}

/// The test without one call; none where later calls need what it returned.
fn without(library: &WasmLibrary, test: &Test, at: usize) -> Result<Option<Test>, Error> {
    if test.calls.iter().any(|call| call.handles.contains(&at)) {
        return Ok(None);
    }
    let count = |call: &Call| Ok::<_, Error>(library.variables(call.function, &call.sizes).map_err(Error::new)?.len());
    let mut before = 0;
    for call in &test.calls[..at] {
        before += count(call)?;
    }
    let own = count(&test.calls[at])?;
    let mut values = test.input.values().to_vec();
    values.resize(values.len().max(before + own), 0);
    values.drain(before..before + own);
    let mut calls = test.calls.clone();
    calls.remove(at);
    for call in &mut calls[at..] {
        call.handles.iter_mut().filter(|handle| **handle > at).for_each(|handle| *handle -= 1);
    }
    Ok(Some(Test { calls, input: Witness::new(values) }))
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
        let input = Witness::new(values.to_vec());
        if self.program.permits(&input) == Some(false) {
            return None;
        }
        let replay = self.program.replay(&input, &self.limits);
        let same = replay.end == self.end && self.cost.of(&replay.costs) >= self.least;
        same.then(|| self.parts.clone())
    }

    fn is_spent(&self) -> bool {
        self.runs >= RUNS || !self.until.go_on()
    }
}
