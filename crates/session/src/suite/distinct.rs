//! Tests whose numbers can be told apart. A search makes numbers as small as they can be, which is zero for most of them; but
//! a queue of zeros is the same in every order.

use std::collections::BTreeSet;

use pessimum_outcome::{End, Limit};
use pessimum_program::WasmLibrary;
use pessimum_search::budget::Until;
use pessimum_search::objective::Goal;
use pessimum_search::program::{PathLimits, Variable};
use pessimum_suites::{Library as _, Test};
use pessimum_term::Witness;

use crate::Error;
use crate::cover::goals_covered;

/// Runs that one test may take.
const RUNS: usize = 200;

/// The test with other numbers, different from each other where that keeps all that it covers and how it ends, as far as there is
/// time.
pub fn distinct(
    library: &WasmLibrary,
    test: &Test,
    wanted: &BTreeSet<Goal>,
    limits: &PathLimits,
    until: &Until,
) -> Result<Test, Error> {
    let places = library.places();
    let run = |test: &Test| {
        let ran = library.run_while(test, limits, &mut || until.go_on()).map_err(Error::new)?;
        let calls = ran.returned.len();
        Ok::<_, Error>((goals_covered(&ran.observation, wanted, &places), ran.end(), calls))
    };
    let mut kept = test.clone();
    if !until.go_on() {
        return Ok(kept);
    }
    let (goals, end, calls) = run(test)?;
    if end == End::Limit(Limit::Budget) {
        return Ok(kept);
    }
    let variables = variables(library, test)?;
    let mut next = 1;
    for (at, variable) in variables.iter().enumerate().take(RUNS) {
        if !until.go_on() {
            break;
        }
        let value = kept.input.values().get(at).copied().unwrap_or(0);
        let is_taken = |value: u64| (0..at).any(|other| kept.input.values().get(other).copied().unwrap_or(0) == value);
        let Some(other) = candidate(variable, next, value != 0 && !is_taken(value)) else { continue };
        let mut values = kept.input.values().to_vec();
        values.resize(variables.len(), 0);
        values[at] = other;
        let changed = Test { calls: kept.calls.clone(), input: Witness::new(values) };
        let (covered, ended, returned) = run(&changed)?;
        if covered.is_superset(&goals) && ended == end && returned == calls {
            kept = changed;
            next += 1;
        }
    }
    Ok(kept)
}

/// The number to try for a variable; none where it has one of its own already, or has too few to choose from.
fn candidate(variable: &Variable, number: u64, is_different: bool) -> Option<u64> {
    if is_different || variable.span() < 8 {
        return None;
    }
    let bits = match (variable.float, variable.width) {
        (true, 32) => u64::from((number as f32).to_bits()),
        (true, _) => (number as f64).to_bits(),
        (false, _) => number,
    };
    variable.permits(bits).then_some(bits)
}

/// The variables of all calls, in order.
fn variables(library: &WasmLibrary, test: &Test) -> Result<Vec<Variable>, Error> {
    let mut all = Vec::new();
    for call in &test.calls {
        all.extend(library.variables(call.function, &call.sizes).map_err(Error::new)?.iter().cloned());
    }
    Ok(all)
}
