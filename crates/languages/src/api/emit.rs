//! Tests handed out as source text. Each is compiled and run before: what does not compile, or does something else on this
//! machine than in WebAssembly, is left out and counted.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read as _, Seek as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use pessimum_input::LaidOut;
use pessimum_outcome::End;
use pessimum_term::Witness;
use serde_json::Value;

use super::Interface;
use super::how::{CCall, How, RustCall};
use super::rust::{Body, Call, Finished, Names, Printed, probe, suite};
use crate::values::{Scalar, numbers};
use crate::{Cache, Native, NativeKind, Wanted};

/// A test to be written.
pub struct Case {
    /// How it is to be called; made into a name that the language has, and unique.
    pub name: String,
    /// What it is about, one line each.
    pub remarks: Vec<String>,
    /// The calls; none where they cannot be laid out.
    pub calls: Option<Vec<LaidOut>>,
    /// Their numbers.
    pub input: Witness,
    /// The numbers that the calls returned in WebAssembly, of those that did return.
    pub returned: Vec<Option<u64>>,
    /// How it ended there.
    pub end: End,
}

/// A file of tests.
#[derive(Debug, Default)]
pub struct Emitted {
    /// Its text; empty where there is no test.
    pub text: String,
    /// The tests in it: their places among the cases, and their names.
    pub tests: Vec<(usize, String)>,
    /// The others, with the reason.
    pub left_out: Vec<(usize, &'static str)>,
}

pub(super) const NOT_WRITTEN: &str = "it cannot be written in the language of its source";
pub(super) const NOT_COMPILED: &str = "the compiler does not accept it";
pub(super) const DIFFERS: &str = "on this machine it ends otherwise than in WebAssembly";
const OVERFLOWS: &str = "arithmetic overflows in it, where a build with checks panics";
const NO_VALUE: &str = "its numbers stand for no value of a type";
const STOPPED: &str = "it ends at a limit, not by itself";
const FAILED: &str = "it fails when it is run again";

/// How long one test may run on this machine.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often a file is compiled again without the tests that the compiler refuses.
const ATTEMPTS: usize = 8;

/// A call of a case, whatever its language is.
pub struct Step<'a> {
    pub how: &'a How,
    pub call: &'a LaidOut,
    pub returned: Option<u64>,
}

/// The calls of a case; `None` where they cannot be laid out.
fn steps<'a>(interface: &'a Interface, case: &'a Case) -> Option<Vec<Step<'a>>> {
    let calls = case.calls.as_ref()?;
    // What comes after the call that did not return was never called.
    let count = calls.len().min(case.returned.len() + usize::from(case.end != End::Returned));
    let step = |(at, call): (usize, &'a LaidOut)| {
        let how = &interface.functions.iter().find(|function| function.name == call.function)?.how;
        Some(Step { how, call, returned: case.returned.get(at).copied().flatten() })
    };
    calls.iter().enumerate().take(count).map(step).collect()
}

/// Writes tests in the language of the source. `Ok(None)` where no tests are written in it.
pub fn emit(interface: &Interface, wanted: &Wanted<'_>, cases: &[Case]) -> Result<Option<Emitted>> {
    let cache = Cache::open()?;
    let is_known = |how: fn(&How) -> bool| interface.functions.iter().any(|function| how(&function.how));
    let (rust, c) = (is_known(|how| matches!(how, How::Rust(_))), is_known(|how| matches!(how, How::C(_))));
    if !rust && !c {
        return Ok(None);
    }
    let Some(native) = Native::new(wanted, &cache)? else { return Ok(None) };
    let names = unique(cases, c);
    let mut emitter = Emitter { native, cases, names, emitted: Emitted::default() };
    let all: Vec<Option<Vec<Step<'_>>>> = cases.iter().map(|case| steps(interface, case)).collect();
    if rust {
        emitter.rust(&all, wanted.path)?
    } else {
        emitter.c(&all, wanted.path)?
    }
    emitter.emitted.left_out.sort_unstable();
    Ok(Some(emitter.emitted))
}

/// Names that every language has, each once. In C they are in one file with those of the source.
fn unique(cases: &[Case], is_c: bool) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let one = |case: &Case| {
        let mut name: String =
            case.name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect();
        let is_name =
            name.starts_with(|c: char| c.is_ascii_alphabetic()) && syn::parse_str::<syn::Ident>(&name).is_ok();
        if !is_name || is_c && !name.starts_with("test_") {
            name.insert_str(0, "test_");
        }
        let numbered = (2..).map(|number| format!("{name}_{number}"));
        let free = std::iter::once(name.clone()).chain(numbered).find(|name| taken.insert(name.clone()));
        free.unwrap_or(name.clone())
    };
    cases.iter().map(one).collect()
}

pub(super) struct Emitter<'a> {
    pub(super) native: Native,
    pub(super) cases: &'a [Case],
    pub(super) names: Vec<String>,
    pub(super) emitted: Emitted,
}

impl Emitter<'_> {
    pub(super) fn leave_out(&mut self, case: usize, why: &'static str) {
        self.emitted.left_out.push((case, why));
    }

    /// The cases that end by themselves, with whether they panic.
    pub(super) fn ending(&mut self, all: &[Option<Vec<Step<'_>>>]) -> Vec<(usize, bool)> {
        let mut found = Vec::new();
        for (number, case) in self.cases.iter().enumerate() {
            match (&all[number], case.end) {
                (None, _) => self.leave_out(number, NOT_WRITTEN),
                (Some(_), End::Returned) => found.push((number, false)),
                (Some(_), end) if end.is_crash() => found.push((number, true)),
                (Some(_), End::AssumptionViolated) => self.leave_out(number, NO_VALUE),
                (Some(_), _) => self.leave_out(number, STOPPED),
            }
        }
        found
    }

    fn rust(&mut self, all: &[Option<Vec<Step<'_>>>], path: &Path) -> Result<()> {
        let mut names = Names::new(self.native.crate_name(), self.native.edition());
        let mut bodies: BTreeMap<usize, Body> = BTreeMap::new();
        for (number, panics) in self.ending(all) {
            let body = all[number].as_ref().and_then(|steps| {
                let calls: Option<Vec<Call<'_>>> =
                    steps.iter().map(|step| rust_call(step, self.cases, number)).collect();
                Body::new(&calls?, panics, &mut names)
            });
            match body {
                Some(body) => {
                    bodies.insert(number, body);
                }
                None => self.leave_out(number, NOT_WRITTEN),
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
                    name: &self.names[number],
                    remarks: &self.cases[number].remarks,
                    body,
                    printed: &printed[&number],
                    plain: plain.contains(&number),
                })
                .collect();
            let written = suite(&head, &tests, &mut names);
            match self.native.compile("suite", &written.text, NativeKind::Tests)? {
                Err(refused) => {
                    let found = written.tests_at(&lines(&refused.messages, "suite.rs"));
                    if found.is_empty() {
                        return Err(refused.error);
                    }
                    for number in found {
                        if !plain.insert(number) {
                            bodies.remove(&number);
                            self.leave_out(number, NOT_COMPILED);
                        }
                    }
                }
                Ok(program) => {
                    let failed = self.failed_tests(&program, &bodies)?;
                    if failed.is_empty() {
                        self.emitted.text = self.native.formatted(written.text)?;
                        self.emitted.tests =
                            bodies.keys().map(|number| (*number, self.names[*number].clone())).collect();
                        return Ok(());
                    }
                    for number in failed {
                        bodies.remove(&number);
                        self.leave_out(number, FAILED);
                    }
                }
            }
        }
        bodies.keys().for_each(|number| self.emitted.left_out.push((*number, NOT_COMPILED)));
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
            match self.native.compile("probe", &written.text, NativeKind::Program)? {
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
                        self.leave_out(number, NOT_COMPILED);
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
                self.leave_out(number, why);
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
        let failed: Vec<usize> = bodies.keys().copied().filter(|number| !passed(&self.names[*number])).collect();
        Ok(if failed.is_empty() { bodies.keys().copied().collect() } else { failed })
    }
}

/// A call of a test in Rust.
fn rust_call<'a>(step: &Step<'a>, cases: &[Case], case: usize) -> Option<Call<'a>> {
    let How::Rust(how) = step.how else { return None };
    let how: &RustCall = how;
    let input = &cases[case].input;
    let numbers =
        step.call.arguments.iter().map(|argument| numbers(argument, input)).collect::<Option<Vec<Vec<Scalar>>>>()?;
    Some(Call { how, handles: step.call.handles.clone(), numbers, returned: step.returned })
}

/// A call of a test in C.
pub(super) fn c_call<'a>(step: &Step<'a>) -> Option<&'a CCall> {
    match step.how {
        How::C(how) => Some(how),
        _ => None,
    }
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

/// A program that has run.
pub(super) struct RanProgram {
    pub(super) printed: String,
    /// On standard error.
    said: String,
    /// Its exit code; none if it was killed.
    pub(super) code: Option<i32>,
    /// It ran for too long.
    pub(super) was_stopped: bool,
}

/// Runs a program, but not for ever.
pub(super) fn patiently(command: &mut Command) -> Result<RanProgram> {
    let (output, errors) = (tempfile::tempfile()?, tempfile::tempfile()?);
    command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(errors.try_clone()?).env("RUST_BACKTRACE", "0");
    let mut child = command.spawn()?;
    let started = Instant::now();
    let mut was_stopped = false;
    let code = loop {
        if let Some(status) = child.try_wait()? {
            break status.code();
        }
        if started.elapsed() > PATIENCE {
            // It may have ended just now.
            let _ = child.kill();
            child.wait()?;
            was_stopped = true;
            break None;
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let text = |mut file: std::fs::File| -> Result<String> {
        let mut bytes = Vec::new();
        file.rewind()?;
        file.read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    Ok(RanProgram { printed: text(output)?, said: text(errors)?, code, was_stopped })
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
