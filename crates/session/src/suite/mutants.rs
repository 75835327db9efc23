//! How many small mistakes in the user's code a suite notices, and calls that make it notice more.
//!
//! A mutant is killed if some test ends otherwise with it, or if a call returns another number. What calls return that is
//! no number does not count, unless its digest does.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use pessimum_outcome::End;
use pessimum_program::WasmLibrary;
pub use pessimum_report::html::SourceFile as Source;
use pessimum_report::suite::{MutationScore, Survivor};
use pessimum_search::budget::Until;
use pessimum_search::objective::Goal;
use pessimum_search::places::Line;
use pessimum_search::program::PathLimits;
use pessimum_suites::{Call, Library as _, Parameter, Returned, Test};
use pessimum_wasm::mutants::{Change, Mutant, mutants};
use pessimum_wasm::names::{Names, SourceLines};
use pessimum_wasm::{LoadSettings, Module};

use super::written::Written;
use crate::Error;
use crate::cover::{Scope, goals_covered};

/// How much longer than without the mistake a run may take before it counts as one that does not end.
const LONGER: u64 = 20;

/// Instructions that every run may take.
const LEAST: u64 = 100_000;

/// Survivors that are named.
const NAMED: usize = 100;

/// The mutants of the code in scope, with what is needed to try a suite on them.
pub struct Mutants<'a> {
    bytes: &'a [u8],
    pub(super) library: &'a WasmLibrary,
    pub(super) limits: PathLimits,
    pub(super) found: Vec<Mutant>,
}

/// How a test ends and the numbers that its calls return.
pub(super) type Outcome = (End, Vec<Option<u64>>);

/// A test with its limits and what it does without a mistake.
pub(super) struct Expected {
    pub(super) test: Test,
    limits: PathLimits,
    pub(super) outcome: Outcome,
}

impl<'a> Mutants<'a> {
    /// The mutants of a module's code in scope, and of that only what stands in the sources, as far as these are known.
    /// `limits` are those of the tests.
    pub fn of(
        bytes: &'a [u8],
        library: &'a WasmLibrary,
        scope: &Scope,
        limits: PathLimits,
        sources: &[Source],
    ) -> Result<Mutants<'a>, Error> {
        let module = library.module();
        let (lines, places) = (SourceLines::of(module), library.places());
        let own: BTreeSet<&Line> = scope.lines.iter().map(|&line| &places.lines[line as usize]).collect();
        let functions: BTreeSet<u32> = scope.functions.iter().copied().collect();
        let chosen = |offset: u32| match line_of(&lines, offset) {
            Some(line) => own.contains(&line),
            // What has no line in a module with lines is the compiler's own.
            None => {
                let function = module.function_at(offset) - module.imported_function_count();
                places.lines.is_empty() && functions.contains(&function)
            }
        };
        let mut found = mutants(bytes, chosen).map_err(|error| Error::new(error.to_string()))?;
        let written = Written::of(sources);
        found.retain(|mutant| {
            line_of(&lines, mutant.offset).is_none_or(|line| match mutant.change {
                Change::Negated => written.has_code(&line.file, line.line),
                Change::Constant { from, .. } => written.has_number(&line.file, line.line, from),
            })
        });
        Ok(Mutants { bytes, library, limits, found })
    }

    /// Tries a suite on them, until time is up.
    pub fn score(&self, tests: &[Test], until: &Until) -> Result<MutationScore, Error> {
        let tests = self.expected(tests)?;
        let mut score = MutationScore { mutants: self.found.len() as u64, tried: 0, killed: 0, survivors: Vec::new() };
        let (names, lines) = (Names::of(self.library.module()), SourceLines::of(self.library.module()));
        for mutant in &self.found {
            if !until.go_on() {
                break;
            }
            score.tried += 1;
            let mistaken = self.mistaken(mutant)?;
            if self.killer(&mistaken, &tests)?.is_some() {
                score.killed += 1;
            } else if score.survivors.len() < NAMED {
                let place = match line_of(&lines, mutant.offset) {
                    Some(line) => format!("{}:{}", line.file, line.line),
                    None => {
                        let function = self.library.module().function_at(mutant.offset);
                        format!("{} (offset {:#x})", names.function(function), mutant.offset)
                    }
                };
                score.survivors.push(Survivor { place, change: mutant.change.to_string() });
            }
        }
        Ok(score)
    }

    /// The tests with calls at their ends that look at what the tests made: those that let them notice a mutant which they
    /// would not notice otherwise (mutation-based assertions: Fraser and Zeller, TSE 2012). Tests that trap stay as they are.
    /// Tests that neither notice a mutant first nor cover any of these goals alone are left out.
    pub fn with_observers(
        &self,
        tests: &[Test],
        wanted_goals: &BTreeSet<Goal>,
        until: &Until,
    ) -> Result<Vec<Test>, Error> {
        if !until.go_on() {
            return Ok(tests.to_vec());
        }
        let plain = self.expected(tests)?;
        let looking: Vec<Test> = plain.iter().map(|expected| self.looking(expected)).collect::<Result<_, _>>()?;
        let looking = self.expected(&looking)?;
        let mut wanted: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        let mut needed: BTreeSet<usize> = BTreeSet::new();
        for mutant in &self.found {
            if !until.go_on() {
                break;
            }
            let mistaken = self.mistaken(mutant)?;
            if let Some(at) = self.killer(&mistaken, &plain)? {
                needed.insert(at);
                continue;
            }
            // A call that is wanted already may notice this one too.
            let places = (0..looking.len()).filter(|at| wanted.contains_key(at));
            let others = (0..looking.len()).filter(|at| !wanted.contains_key(at));
            for at in places.chain(others) {
                let first = plain[at].test.calls.len();
                let differing = self.differing(&mistaken, &looking[at])?;
                let known = wanted.get(&at).and_then(|known| differing.iter().find(|call| known.contains(call)));
                if known.is_some() {
                    break;
                }
                if let Some(&call) = differing.iter().find(|&&call| call >= first) {
                    wanted.entry(at).or_default().insert(call);
                    break;
                }
            }
        }
        let mut result = Vec::new();
        for (at, (plain, looking)) in plain.into_iter().zip(looking).enumerate() {
            let is_needed = needed.contains(&at) || wanted.contains_key(&at) || plain.outcome.0 != End::Returned;
            let mut test = plain.test;
            for &call in wanted.get(&at).into_iter().flatten() {
                test.calls.push(looking.test.calls[call].clone());
            }
            result.push((test, is_needed));
        }
        self.needed(result, wanted_goals)
    }

    /// The tests that are needed, or cover something alone.
    fn needed(&self, tests: Vec<(Test, bool)>, wanted: &BTreeSet<Goal>) -> Result<Vec<Test>, Error> {
        let places = self.library.places();
        let mut times: BTreeMap<Goal, u32> = BTreeMap::new();
        let mut covered = Vec::new();
        for (test, _) in &tests {
            let ran = self.library.run(test, &self.limits).map_err(Error::new)?;
            let goals = goals_covered(&ran.observation, wanted, &places);
            goals.iter().for_each(|goal| *times.entry(*goal).or_default() += 1);
            covered.push(goals);
        }
        let mut kept = Vec::new();
        // Those that came last cover least.
        for ((test, is_needed), goals) in tests.into_iter().zip(covered).rev() {
            let alone = goals.iter().any(|goal| times[goal] == 1);
            if is_needed || alone {
                kept.push(test);
            } else {
                goals.iter().for_each(|goal| *times.entry(*goal).or_default() -= 1);
            }
        }
        kept.reverse();
        Ok(kept)
    }

    /// A test with all calls at its end that only look: functions of one handle that return a number.
    pub(super) fn looking(&self, expected: &Expected) -> Result<Test, Error> {
        let mut test = expected.test.clone();
        if expected.outcome.0 != End::Returned {
            return Ok(test);
        }
        let functions = self.library.functions();
        let gone: BTreeSet<usize> = test.calls.iter().flat_map(|call| taken_away(functions, call)).collect();
        let ran = self.library.run(&expected.test, &self.limits).map_err(Error::new)?;
        for (made, call) in expected.test.calls.iter().enumerate() {
            let Returned::Handle(ty) = functions[call.function].returned else { continue };
            // A constructor may have failed.
            if gone.contains(&made) || ran.returned.get(made).copied().flatten().is_none_or(|handle| handle == 0) {
                continue;
            }
            for (number, function) in functions.iter().enumerate() {
                let looks = function.parameters == [Parameter::Handle { ty, moved: false }]
                    && function.returned == Returned::Number;
                if looks {
                    test.calls.push(Call { function: number, sizes: Vec::new(), handles: vec![made] });
                }
            }
        }
        // What would trap or not end is no way to look.
        let (end, _) = self.library.outcome(&test, &expected.limits, &mut || true).map_err(Error::new)?;
        Ok(if end == End::Returned { test } else { expected.test.clone() })
    }

    pub(super) fn expected(&self, tests: &[Test]) -> Result<Vec<Expected>, Error> {
        let one = |test: &Test| {
            let ran = self.library.run(test, &self.limits).map_err(Error::new)?;
            let instructions = ran.observation.costs.instructions.saturating_mul(LONGER).saturating_add(LEAST);
            let limits = PathLimits { instructions: instructions.min(self.limits.instructions), ..self.limits };
            let outcome = self.library.outcome(test, &limits, &mut || true).map_err(Error::new)?;
            Ok(Expected { test: test.clone(), limits, outcome })
        };
        tests.iter().map(one).collect()
    }

    /// The functions with a mistake.
    pub(super) fn mistaken(&self, mutant: &Mutant) -> Result<WasmLibrary, Error> {
        let changed = mutant.apply(self.bytes).map_err(|error| Error::new(error.to_string()))?;
        let module = Module::load(&changed, &LoadSettings::default())
            .map_err(|error| Error::new(format!("a mutant does not load, which is a bug in Pessimum: {error}")))?;
        Ok(self.library.of_module(Arc::new(module)))
    }

    /// The first test that notices a mistake.
    pub(super) fn killer(&self, mistaken: &WasmLibrary, tests: &[Expected]) -> Result<Option<usize>, Error> {
        for (at, expected) in tests.iter().enumerate() {
            let outcome = mistaken.outcome(&expected.test, &expected.limits, &mut || true).map_err(Error::new)?;
            if !is_unknown(&expected.outcome, &outcome) && outcome != expected.outcome {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    /// The calls of a test that return something else with a mistake.
    fn differing(&self, mistaken: &WasmLibrary, expected: &Expected) -> Result<Vec<usize>, Error> {
        let outcome = mistaken.outcome(&expected.test, &expected.limits, &mut || true).map_err(Error::new)?;
        let calls = expected.outcome.1.iter().enumerate();
        Ok(calls.filter(|(at, value)| outcome.1.get(*at) != Some(value)).map(|(at, _)| at).collect())
    }
}

/// The handles that a call takes away.
fn taken_away(functions: &[pessimum_suites::Function], call: &Call) -> Vec<usize> {
    let handles = functions[call.function].handles().zip(&call.handles);
    handles.filter(|((_, moved), _)| *moved).map(|(_, &handle)| handle).collect()
}

/// Both were cut off: nothing is known.
fn is_unknown(one: &Outcome, other: &Outcome) -> bool {
    one.0.is_cut() && other.0.is_cut()
}

pub(super) fn line_of(lines: &SourceLines<'_>, offset: u32) -> Option<Line> {
    let place = lines.line(u64::from(offset)).filter(|place| place.line > 0)?;
    Some(Line { file: place.file, line: place.line })
}
