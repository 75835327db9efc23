//! Tests handed out as source text. Each is compiled and run before: what does not compile, or does something else on this
//! machine than in WebAssembly, is left out and counted.

use std::collections::BTreeSet;
use std::io::{Read as _, Seek as _};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::Result;
use pessimum_input::LaidOut;
use pessimum_outcome::End;
use pessimum_term::Witness;

use crate::calling::{Declared, How};

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
    /// The extension of its name.
    pub extension: &'static str,
    /// Its text; empty where there is no test.
    pub text: String,
    /// The tests in it: their places among the cases, and their names.
    pub tests: Vec<(usize, String)>,
    /// The others, with the reason.
    pub left_out: Vec<(usize, &'static str)>,
}

pub const NOT_WRITTEN: &str = "it cannot be written in the language of its source";
pub const NOT_COMPILED: &str = "the compiler does not accept it";
pub const DIFFERS: &str = "on this machine it ends otherwise than in WebAssembly";
const NO_VALUE: &str = "its numbers stand for no value of a type";
const STOPPED: &str = "it ends at a limit, not by itself";
/// How long one test may run on this machine.
const PATIENCE: Duration = Duration::from_secs(10);

/// A call of a case, whatever its language is.
pub struct Step<'a> {
    pub how: &'a How,
    pub call: &'a LaidOut,
    pub returned: Option<u64>,
}

/// The calls of all cases; `None` for one whose calls cannot be laid out.
pub fn all_steps<'a>(functions: &'a [Declared], cases: &'a [Case]) -> Vec<Option<Vec<Step<'a>>>> {
    cases.iter().map(|case| steps(functions, case)).collect()
}

fn steps<'a>(functions: &'a [Declared], case: &'a Case) -> Option<Vec<Step<'a>>> {
    let calls = case.calls.as_ref()?;
    // What comes after the call that did not return was never called.
    let count = calls.len().min(case.returned.len() + usize::from(case.end != End::Returned));
    let step = |(at, call): (usize, &'a LaidOut)| {
        let how = &functions.iter().find(|function| function.name == call.function)?.how;
        Some(Step { how, call, returned: case.returned.get(at).copied().flatten() })
    };
    calls.iter().enumerate().take(count).map(step).collect()
}

/// Names that every language has, each once.
fn unique(cases: &[Case], with_source: bool) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let one = |case: &Case| {
        let mut name: String =
            case.name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect();
        let is_name =
            name.starts_with(|c: char| c.is_ascii_alphabetic()) && syn::parse_str::<syn::Ident>(&name).is_ok();
        if !is_name || with_source && !name.starts_with("test_") {
            name.insert_str(0, "test_");
        }
        let numbered = (2..).map(|number| format!("{name}_{number}"));
        let free = std::iter::once(name.clone()).chain(numbered).find(|name| taken.insert(name.clone()));
        free.unwrap_or(name.clone())
    };
    cases.iter().map(one).collect()
}

/// A file of tests that is being written.
pub struct Suite<'a> {
    pub cases: &'a [Case],
    pub names: Vec<String>,
    pub emitted: Emitted,
}

impl<'a> Suite<'a> {
    /// `with_source` says that the tests are in one file with the functions of the source.
    pub fn new(cases: &'a [Case], with_source: bool, extension: &'static str) -> Suite<'a> {
        let emitted = Emitted { extension, ..Emitted::default() };
        Suite { cases, names: unique(cases, with_source), emitted }
    }

    /// What was written.
    pub fn finish(mut self) -> Emitted {
        self.emitted.left_out.sort_unstable();
        self.emitted
    }

    pub fn leave_out(&mut self, case: usize, why: &'static str) {
        self.emitted.left_out.push((case, why));
    }

    /// The cases that end by themselves, with whether they panic.
    pub fn ending(&mut self, all: &[Option<Vec<Step<'_>>>]) -> Vec<(usize, bool)> {
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
}

/// A program that has run.
pub struct RanProgram {
    pub printed: String,
    /// On standard error.
    pub said: String,
    /// Its exit code; none if it was killed.
    pub code: Option<i32>,
    /// It ran for too long.
    pub was_stopped: bool,
}

/// Runs a program, but not for ever.
pub fn patiently(command: &mut Command) -> Result<RanProgram> {
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
