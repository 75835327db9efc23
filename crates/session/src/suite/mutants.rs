//! How many small mistakes in the user's code a suite notices.
//!
//! A mutant is killed if some test ends otherwise with it, or if a call returns another number. What calls return that is
//! no number does not count, unless its digest does.

use std::collections::BTreeSet;
use std::sync::Arc;

use pessimum_outcome::{End, Limit};
use pessimum_program::WasmLibrary;
use pessimum_report::suite::{MutationScore, Survivor};
use pessimum_search::budget::Until;
use pessimum_search::places::Line;
use pessimum_search::program::PathLimits;
use pessimum_search::suite::{Library as _, Test};
use pessimum_wasm::mutants::{Mutant, mutants};
use pessimum_wasm::names::{Names, SourceLines};
use pessimum_wasm::{LoadSettings, Module};

use crate::Error;
use crate::cover::Scope;

/// How much longer than without the mistake a run may take before it counts as one that does not end.
const LONGER: u64 = 20;

/// Instructions that every run may take.
const LEAST: u64 = 100_000;

/// Survivors that are named.
const NAMED: usize = 100;

/// Tries the mutants of the code in scope, until time is up.
pub fn score(
    bytes: &[u8],
    library: &WasmLibrary,
    tests: &[Test],
    scope: &Scope,
    limits: &PathLimits,
    until: &Until,
) -> Result<MutationScore, Error> {
    let module = library.module();
    let (names, lines, places) = (Names::of(module), SourceLines::of(module), library.places());
    let own: BTreeSet<&Line> = scope.lines.iter().map(|&line| &places.lines[line as usize]).collect();
    let functions: BTreeSet<u32> = scope.functions.iter().copied().collect();
    let line_of = |offset: u32| {
        let place = lines.line(u64::from(offset)).filter(|place| place.line > 0)?;
        Some(Line { file: place.file, line: place.line })
    };
    let chosen = |offset: u32| match line_of(offset) {
        Some(line) => own.contains(&line),
        // What has no line in a module with lines is the compiler's own.
        None => {
            places.lines.is_empty()
                && functions.contains(&(module.function_at(offset) - module.imported_function_count()))
        }
    };
    let found = mutants(bytes, chosen).map_err(|error| Error::new(error.to_string()))?;
    let mut expected = Vec::new();
    for test in tests {
        let ran = library.run(test, limits).map_err(Error::new)?;
        let instructions = (ran.observation.costs.instructions * LONGER + LEAST).min(limits.instructions);
        let limits = PathLimits { instructions, ..*limits };
        expected.push((test, limits, library.outcome(test, &limits, &mut || true).map_err(Error::new)?));
    }
    let mut score = MutationScore { mutants: found.len() as u64, tried: 0, killed: 0, survivors: Vec::new() };
    for mutant in &found {
        if !until.go_on() {
            break;
        }
        score.tried += 1;
        if is_killed(bytes, library, mutant, &expected)? {
            score.killed += 1;
        } else if score.survivors.len() < NAMED {
            let place = match line_of(mutant.offset) {
                Some(line) => format!("{}:{}", line.file, line.line),
                None => format!("{} (offset {:#x})", names.function(module.function_at(mutant.offset)), mutant.offset),
            };
            score.survivors.push(Survivor { place, change: mutant.change.to_string() });
        }
    }
    Ok(score)
}

/// A test, its limits, and what it did without a mistake.
type Expected<'t> = (&'t Test, PathLimits, (End, Vec<Option<u64>>));

fn is_killed(bytes: &[u8], library: &WasmLibrary, mutant: &Mutant, tests: &[Expected<'_>]) -> Result<bool, Error> {
    let changed = mutant.apply(bytes).map_err(|error| Error::new(error.to_string()))?;
    let module = Module::load(&changed, &LoadSettings::default())
        .map_err(|error| Error::new(format!("a mutant does not load, which is a bug in Pessimum: {error}")))?;
    let library = library.of_module(Arc::new(module));
    for (test, limits, expected) in tests {
        let ran = library.outcome(test, limits, &mut || true).map_err(Error::new)?;
        // Both at their limit of instructions: nothing is known.
        let unknown = matches!((expected.0, ran.0), (End::Limit(Limit::Instructions), End::Limit(Limit::Instructions)));
        if !unknown && ran != *expected {
            return Ok(true);
        }
    }
    Ok(false)
}
