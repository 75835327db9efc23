//! Tests that are there only because they notice mistakes that no other test does.

use std::collections::{BTreeMap, BTreeSet};

use pessimum_outcome::End;
use pessimum_program::WasmLibrary;
use pessimum_search::budget::{Budget, Until};
use pessimum_suites::{Library as _, SuiteSettings, Test, Variations};
use pessimum_wasm::mutants::Change;
use pessimum_wasm::names::SourceLines;

use super::mutants::{Expected, Mutants, line_of};
use crate::Error;

/// Changed tests in a row that notice nothing new before there seem to be no more to find.
const PATIENCE: u32 = 4000;

/// Calls that a changed test has at most.
const CALLS: usize = 40;

/// A mistake that no test notices yet.
struct Unnoticed {
    mistaken: WasmLibrary,
    /// Its line, by number; none if it has none.
    line: Option<u32>,
}

impl Mutants<'_> {
    /// Tests that notice mistakes which these do not: others that the search came across, and changes of all of them in which
    /// the constants of the mistakes occur, for what is wrong by one shows at its bound. Each ends in the calls that look at
    /// what it made, as far as they are needed, and has no call that is not.
    ///
    /// `most` limits the changed tests that are tried.
    pub fn stronger(
        &self,
        tests: &[Test],
        others: &[Test],
        seed: u64,
        most: Option<u64>,
        until: &Until,
    ) -> Result<Vec<Test>, Error> {
        let mut unnoticed = self.unnoticed(tests, until)?;
        let constants: BTreeSet<u64> = self.found.iter().flat_map(|mutant| around(mutant.change)).collect();
        let settings = SuiteSettings {
            seed,
            most_calls: CALLS,
            budget: Budget::default(),
            limits: self.limits,
            ..SuiteSettings::default()
        };
        let known: Vec<Test> = tests.iter().chain(others).cloned().collect();
        let mut variations = Variations::new(self.library, &settings, &known, constants);
        let (mut found, mut tried, mut fruitless) = (Vec::new(), 0, 0);
        let mut waiting = others.iter().rev();
        while !unnoticed.is_empty() && fruitless < PATIENCE && most.is_none_or(|most| tried < most) && until.go_on() {
            let Some(candidate) = waiting.next().cloned().or_else(|| variations.draw()) else { break };
            tried += 1;
            fruitless += 1;
            let Some((lines, expected)) = self.usable(&candidate)? else { continue };
            let mut noticed = Vec::new();
            for (at, one) in unnoticed.iter().enumerate() {
                let is_reached = one.line.is_none_or(|line| lines.contains(&line));
                if is_reached && self.killer(&one.mistaken, std::slice::from_ref(&expected))?.is_some() {
                    noticed.push(at);
                }
            }
            if noticed.is_empty() {
                continue;
            }
            let notices = |test: &Test| -> Result<bool, Error> {
                let Some((_, expected)) = self.as_it_is(test)? else { return Ok(false) };
                for &at in &noticed {
                    if self.killer(&unnoticed[at].mistaken, std::slice::from_ref(&expected))?.is_none() {
                        return Ok(false);
                    }
                }
                Ok(true)
            };
            let short = variations.shortened(&expected.test, notices)?;
            variations.add(&short);
            found.push(short);
            for at in noticed.into_iter().rev() {
                unnoticed.swap_remove(at);
            }
            fruitless = 0;
        }
        Ok(found)
    }

    /// The mistakes that these tests do not notice.
    fn unnoticed(&self, tests: &[Test], until: &Until) -> Result<Vec<Unnoticed>, Error> {
        let tests = self.expected(tests)?;
        let (lines, places) = (SourceLines::of(self.library.module()), self.library.places());
        let numbers: BTreeMap<_, u32> = places.lines.iter().zip(0..).collect();
        let mut unnoticed = Vec::new();
        for mutant in self.found.iter().take_while(|_| until.go_on()) {
            let mistaken = self.mistaken(mutant)?;
            if self.killer(&mistaken, &tests)?.is_none() {
                let line = line_of(&lines, mutant.offset).and_then(|line| numbers.get(&line).copied());
                unnoticed.push(Unnoticed { mistaken, line });
            }
        }
        Ok(unnoticed)
    }

    /// A test with all calls that look, and the lines that it executes; none if it does not return.
    fn usable(&self, test: &Test) -> Result<Option<(BTreeSet<u32>, Expected)>, Error> {
        match self.as_it_is(test)? {
            Some((_, expected)) => self.as_it_is(&self.looking(&expected)?),
            None => Ok(None),
        }
    }

    /// The same without further calls.
    fn as_it_is(&self, test: &Test) -> Result<Option<(BTreeSet<u32>, Expected)>, Error> {
        // What the library refuses is no test.
        let Ok(ran) = self.library.run(test, &self.limits) else { return Ok(None) };
        if ran.end() != End::Returned {
            return Ok(None);
        }
        let expected = self.expected(std::slice::from_ref(test))?.pop();
        Ok(expected.map(|expected| (ran.observation.lines.iter().copied().collect(), expected)))
    }
}

/// The values at which a mistake may show: where a constant is a bound, at it and beside it.
fn around(change: Change) -> Vec<u64> {
    match change {
        Change::Negated => Vec::new(),
        Change::Constant { from, to } => [from.wrapping_sub(1), from, to].map(|value| value as u64).to_vec(),
    }
}
