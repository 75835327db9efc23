//! Tests in Rust, compiled and run before they are handed out.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};
use serde_json::Value;

use super::native::{Kind, Native};
use super::suite_text::{Body, Call, Finished, Names, Printed, probe, suite as suite_text};
use crate::calling::{Declared, How, RustCall};
use crate::suite::{Case, DIFFERS, Emitted, NOT_COMPILED, NOT_WRITTEN, Step, Suite, all_steps, patiently};
use crate::values::{Scalar, numbers};

const OVERFLOWS: &str = "arithmetic overflows in it, where a build with checks panics";
const FAILED: &str = "it fails when it is run again";

/// How often a file is compiled again without the tests that the compiler refuses.
const ATTEMPTS: usize = 8;

/// Writes tests of these functions, which were read from this file or package.
pub fn write(native: Native, functions: &[Declared], path: &Path, cases: &[Case]) -> Result<Emitted> {
    let mut suite = RustSuite { native, suite: Suite::new(cases, false, "rs") };
    suite.tests(&all_steps(functions, cases), path)?;
    Ok(suite.suite.finish())
}

struct RustSuite<'a> {
    native: Native,
    suite: Suite<'a>,
}

impl RustSuite<'_> {
    fn tests(&mut self, all: &[Option<Vec<Step<'_>>>], path: &Path) -> Result<()> {
        let mut names = Names::new(self.native.crate_name(), self.native.edition());
        let mut bodies: BTreeMap<usize, Body> = BTreeMap::new();
        for (number, panics) in self.suite.ending(all) {
            let body = all[number].as_ref().and_then(|steps| {
                let calls: Option<Vec<Call<'_>>> =
                    steps.iter().map(|step| call(step, self.suite.cases, number)).collect();
                Body::new(&calls?, panics, &mut names)
            });
            match body {
                Some(body) => {
                    bodies.insert(number, body);
                }
                None => self.suite.leave_out(number, NOT_WRITTEN),
            }
        }
        let printed = self.probe(&mut bodies, &names)?;
        let mut plain: BTreeSet<usize> = BTreeSet::new();
        let head = head(self.native.crate_name(), path);
        for _ in 0..ATTEMPTS {
            if bodies.is_empty() {
                return Ok(());
            }
            let tests: Vec<Finished<'_>> = bodies
                .iter()
                .map(|(&number, body)| Finished {
                    number,
                    name: &self.suite.names[number],
                    remarks: &self.suite.cases[number].remarks,
                    body,
                    printed: &printed[&number],
                    plain: plain.contains(&number),
                })
                .collect();
            let written = suite_text(&head, &tests, &mut names);
            match self.native.compile("suite", &written.text, Kind::Tests)? {
                Err(refused) => {
                    let found = written.tests_at(&lines(&refused.messages, "suite.rs"));
                    if found.is_empty() {
                        return Err(refused.error);
                    }
                    for number in found {
                        if !plain.insert(number) {
                            bodies.remove(&number);
                            self.suite.leave_out(number, NOT_COMPILED);
                        }
                    }
                }
                Ok(program) => {
                    let failed = self.failed_tests(&program, &bodies)?;
                    if failed.is_empty() {
                        self.suite.emitted.text = self.native.formatted(written.text)?;
                        self.suite.emitted.tests =
                            bodies.keys().map(|number| (*number, self.suite.names[*number].clone())).collect();
                        return Ok(());
                    }
                    for number in failed {
                        bodies.remove(&number);
                        self.suite.leave_out(number, FAILED);
                    }
                }
            }
        }
        bodies.keys().for_each(|number| self.suite.emitted.left_out.push((*number, NOT_COMPILED)));
        Ok(())
    }

    /// Runs the calls of all tests on this machine. What they print, twice the same, is what tests will expect.
    fn probe(&mut self, bodies: &mut BTreeMap<usize, Body>, names: &Names) -> Result<BTreeMap<usize, Printed>> {
        let mut program = None;
        for _ in 0..ATTEMPTS {
            if bodies.is_empty() {
                return Ok(BTreeMap::new());
            }
            let written = probe(bodies.iter().map(|(number, body)| (*number, body)), names);
            match self.native.compile("probe", &written.text, Kind::Program)? {
                Ok(found) => {
                    program = Some(found);
                    break;
                }
                Err(refused) => {
                    let found: BTreeSet<usize> = written.tests_at(&lines(&refused.messages, "probe.rs"));
                    if found.is_empty() {
                        return Err(refused.error);
                    }
                    for number in found {
                        bodies.remove(&number);
                        self.suite.leave_out(number, NOT_COMPILED);
                    }
                }
            }
        }
        let Some(program) = program else { bail!("the calls of the tests were not compiled") };
        let mut all = BTreeMap::new();
        for number in bodies.keys().copied().collect::<Vec<_>>() {
            let runs = [self.probed(&program, number)?, self.probed(&program, number)?];
            let body = &bodies[&number];
            let agrees = |run: &Probed| match body.panics {
                true => run.panicked && run.last_call == body.last_call(),
                false => run.ended,
            };
            if runs.iter().all(agrees) {
                let [first, second] = runs;
                // The order of a hash table differs from run to run.
                let same = first.printed.into_iter().filter(|(place, text)| second.printed.get(place) == Some(text));
                all.insert(number, same.collect());
            } else {
                let why = if runs.iter().any(|run| run.overflowed) { OVERFLOWS } else { DIFFERS };
                bodies.remove(&number);
                self.suite.leave_out(number, why);
            }
        }
        Ok(all)
    }

    fn probed(&self, program: &Path, number: usize) -> Result<Probed> {
        let mut command = Command::new(program);
        let ran = patiently(command.arg(number.to_string()).current_dir(self.native.directory()?))?;
        let panicked = ran.code == Some(101);
        let overflowed = panicked && ran.said.contains("attempt to ") && ran.said.contains(" with overflow");
        let mut probed = Probed { panicked, overflowed, ..Probed::default() };
        for line in ran.printed.lines().filter_map(|line| line.strip_prefix("pessimum ")) {
            let words: Vec<&str> = line.split(' ').collect();
            match words[..] {
                ["call", call] => probed.last_call = call.parse().ok(),
                ["show", call, place, digits] => {
                    let place = call.parse().ok().zip(place.parse().ok());
                    if let Some((place, text)) = place.zip(from_digits(digits)) {
                        probed.printed.insert(place, text);
                    }
                }
                ["end"] => probed.ended = ran.code == Some(0),
                _ => {}
            }
        }
        Ok(probed)
    }

    /// Which tests do not pass.
    fn failed_tests(&self, program: &Path, bodies: &BTreeMap<usize, Body>) -> Result<Vec<usize>> {
        let mut command = Command::new(program);
        let ran = patiently(command.args(["--test-threads=1", "--color=never"]).current_dir(self.native.directory()?))?;
        if ran.code == Some(0) {
            return Ok(Vec::new());
        }
        // After an abort nobody knows which one it was.
        let passed = |name: &str| {
            let line = [format!("test {name} ... ok"), format!("test {name} - should panic ... ok")];
            ran.printed.lines().any(|printed| line.iter().any(|line| line == printed))
        };
        let failed: Vec<usize> = bodies.keys().copied().filter(|number| !passed(&self.suite.names[*number])).collect();
        Ok(if failed.is_empty() { bodies.keys().copied().collect() } else { failed })
    }
}

/// A call of a test in Rust.
fn call<'a>(step: &Step<'a>, cases: &[Case], case: usize) -> Option<Call<'a>> {
    let How::Rust(how) = step.how else { return None };
    let how: &RustCall = how;
    let input = &cases[case].input;
    let numbers =
        step.call.arguments.iter().map(|argument| numbers(argument, input)).collect::<Option<Vec<Vec<Scalar>>>>()?;
    Some(Call { how, handles: step.call.handles.clone(), numbers, returned: step.returned })
}

/// What a probe did.
#[derive(Default)]
struct Probed {
    printed: Printed,
    last_call: Option<usize>,
    ended: bool,
    panicked: bool,
    /// It panicked because a number became too large.
    overflowed: bool,
}

fn from_digits(digits: &str) -> Option<String> {
    let digits = digits.strip_suffix('.')?;
    let byte = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    let bytes = (0..digits.len()).step_by(2).map(byte).collect::<Option<Vec<u8>>>()?;
    String::from_utf8(bytes).ok()
}

/// The lines of a file that messages of the compiler are about. Where a macro is in between, they are where it is used.
fn lines(messages: &[Value], file: &str) -> Vec<usize> {
    let mut found = Vec::new();
    for message in messages {
        let spans = message["spans"].as_array().map_or(&[][..], Vec::as_slice);
        let line = |span: &Value| {
            let mut span = span;
            while !span["file_name"].as_str()?.ends_with(file) {
                span = span.get("expansion")?.get("span")?;
            }
            span["line_start"].as_u64().map(|line| line as usize)
        };
        let mut primary = spans.iter().filter(|span| span["is_primary"] == true);
        found.extend(primary.find_map(line).or_else(|| spans.iter().find_map(line)));
    }
    found
}

/// What stands before the tests.
fn head(crate_name: &str, path: &Path) -> String {
    let is_file = path.extension().is_some_and(|ending| ending == "rs");
    let how = match is_file {
        true => format!(
            "//!\n//!     rustc --edition 2024 --crate-type rlib --crate-name {crate_name} {}\n//!     rustc --edition 2024 \
             --test --extern {crate_name}=lib{crate_name}.rlib THIS_FILE\n",
            path.display()
        ),
        false => "//! It belongs into the directory `tests` of the package.\n".to_string(),
    };
    format!(
        "//! Written by Pessimum: tests of the crate `{crate_name}`. They expect what it does now, whether that is right or \
         not.\n{how}"
    )
}
