//! A program with its call and size fixed, whichever front end runs it.
//!
//! A search knows only the trait [`Program`]. A session needs more: what the input consists of, where the cost of a run is
//! and why a run crashed, in words that fit the language. That is answered here, so that nothing else asks which front end
//! it is; what only WebAssembly has (values that a program asks for while it runs, imports that are not provided) is empty
//! elsewhere.

mod pace;
mod python;
mod wasm;

use std::ops::Deref;
use std::time::Duration;

use pessimum_input::{Domain, GuestValue, InputPlan};
use pessimum_outcome::{Costs, End};
use pessimum_program::WasmProgram;
use pessimum_python::{NoteKind, PythonProgram};
use pessimum_report::profile::Profile;
use pessimum_report::result::{HotSite, Recurrence};
use pessimum_search::budget::Until;
use pessimum_search::program::{PathLimits, Program};
use pessimum_term::Witness;
use serde_json::Value;

use crate::Error;

pub(crate) use pace::Pace;
pub use python::PythonTarget;

/// Sites, functions and lines kept in results.
pub(crate) const KEPT: usize = 50;

/// A program with its call and size fixed.
pub enum Target {
    /// A WebAssembly module.
    Wasm(Box<WasmProgram>),
    /// A function of Python.
    Python(PythonTarget),
}

/// A run with all that a profile tells, in the words of reports.
pub(crate) struct Profiled {
    pub end: End,
    pub costs: Costs,
    /// What the host or the program itself said when it gave up.
    pub failure: Option<String>,
    pub asked: Vec<GuestValue>,
    /// The most executed sites, in descending order.
    pub hottest: Vec<HotSite>,
    /// Functions of the environment that were called but are not provided, and how often.
    pub unsupported: Vec<(&'static str, u64)>,
    pub profile: Profile,
}

/// A run that crashed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Crash {
    /// Why, in the program's own words: its message, what a host function says, or the end of what it wrote to standard
    /// error.
    pub why: Option<String>,
    /// Where: the innermost function of the user's own on the call stack, or the innermost one.
    pub at: Option<String>,
    /// The exact place, as the front end tells places apart.
    pub(crate) innermost: Option<String>,
}

/// One run without observation, as a test of a suite repeats it.
pub struct Ran {
    /// How it ended.
    pub end: End,
    /// What it returned, as JSON; empty if it did not.
    pub returned: Vec<Value>,
    /// What the program itself asked for.
    pub asked: Vec<GuestValue>,
    /// Why it crashed, if the front end knows it without another run.
    pub why: Option<String>,
    /// Where it crashed, innermost call first; empty if it did not.
    pub backtrace: Vec<String>,
    /// Source file and line of that, where they are known.
    pub crashed_at: Option<(String, u32)>,
}

impl Target {
    /// What its input consists of.
    pub fn plan(&self) -> &InputPlan {
        match self {
            Target::Wasm(program) => program.subject().plan(),
            Target::Python(target) => target.program.plan(),
        }
    }

    /// What is searched of what a caller may pass.
    pub fn domain(&self) -> Domain {
        match self {
            Target::Wasm(program) => program.subject().plan().domain(),
            Target::Python(target) => target.program.domain(),
        }
    }

    /// The same as a WebAssembly program; none if it is not one.
    pub fn wasm(&self) -> Option<&WasmProgram> {
        match self {
            Target::Wasm(program) => Some(program),
            Target::Python(_) => None,
        }
    }

    /// The same as a Python program; none if it is not one.
    pub fn python(&self) -> Option<&PythonProgram> {
        match self {
            Target::Python(target) => Some(&target.program),
            Target::Wasm(_) => None,
        }
    }

    /// What was given up to go on, as `reason (file:line)`, and how often: values that could not be followed and were
    /// taken as they are. A search with some of these has not seen everything.
    pub fn concretised(&self) -> Vec<(String, u64)> {
        match self {
            Target::Wasm(_) => Vec::new(),
            Target::Python(target) => target.program.notes(NoteKind::Concretised),
        }
    }

    /// Why runs were left out whose cost could not be told, as `reason (file:line)`, and how often.
    pub fn left_out(&self) -> Vec<(String, u64)> {
        match self {
            Target::Wasm(_) => Vec::new(),
            Target::Python(target) => target.program.notes(NoteKind::LeftOut),
        }
    }

    /// Steps that every run takes before its call, which are within its limit and no cost.
    pub(crate) fn before_call(&self, limits: &PathLimits, until: &Until) -> u64 {
        match self {
            Target::Wasm(program) => program.before_call(limits, &mut || until.go_on()),
            Target::Python(_) => 0,
        }
    }

    /// Why no further run can be made, if that is so.
    pub fn fatal(&self) -> Option<String> {
        self.python()?.fatal()
    }

    /// How fast its runs are.
    pub(crate) fn pace(&self) -> Pace {
        match self {
            Target::Wasm(_) => Pace::Instructions,
            Target::Python(_) => Pace::Lines,
        }
    }

    /// Where the cost of a run is, up to where `go_on` says that it is enough.
    pub(crate) fn profile_while(
        &self,
        input: &Witness,
        limits: &PathLimits,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Profiled {
        match self {
            Target::Wasm(program) => wasm::profile_while(program, input, limits, go_on),
            Target::Python(target) => python::profile_while(&target.program, input, limits, go_on),
        }
    }

    /// How the program crashes on this input, or where it gave no answer; none if it does neither, or takes longer than this.
    pub fn crash(&self, input: &Witness, until: &Until) -> Option<Crash> {
        match self {
            Target::Wasm(program) => wasm::crash(program, input, until),
            Target::Python(target) if until.go_on() => python::crash(target, input),
            Target::Python(target) => python::hang(target, input),
        }
    }

    /// When the whole state of a run that was cut off came back; none if it did not, or the front end does not see it.
    pub(crate) fn recurrence(&self, input: &Witness, limits: &PathLimits, until: &Until) -> Option<Recurrence> {
        let program = self.wasm()?;
        let found = program.recurrence(input, limits, &mut || until.go_on())?;
        Some(Recurrence { after: found.after, every: found.every })
    }

    /// What is kept of a search's time for naming the source lines of its worst run.
    pub(crate) fn naming(&self, time: Duration) -> Duration {
        self.wasm().map_or(Duration::ZERO, |program| wasm::naming(program).min(time / 10))
    }

    /// Runs an input as its user would, within the limits of the plan.
    pub fn run_while(&self, input: &Witness, go_on: &mut dyn FnMut() -> bool) -> Result<Ran, Error> {
        match self {
            Target::Wasm(program) => wasm::run_while(program, input, go_on),
            Target::Python(target) => Ok(python::run(target, input)),
        }
    }

    /// What a run needs that is not provided, with what to do about it; none if nothing is missing.
    pub(crate) fn missing(&self) -> Option<String> {
        match self {
            Target::Wasm(program) => wasm::missing_import(program),
            Target::Python(target) => Some(python::missing(target)),
        }
    }

    /// What the program itself asks for on this input, as far as a run gets within these limits and this time, or than it
    /// takes to ask for every value of the input: one that was never asked for could not be written down, and is 0 in
    /// another run.
    pub(crate) fn asked_while(&self, input: &Witness, limits: &PathLimits, until: &Until) -> Vec<GuestValue> {
        match self {
            Target::Wasm(program) => wasm::asked_while(program, input, limits, until),
            Target::Python(_) => Vec::new(),
        }
    }

    /// The front end alone.
    pub(crate) fn into_program(self) -> Box<dyn Program> {
        match self {
            Target::Wasm(program) => program,
            Target::Python(target) => Box::new(target.program),
        }
    }
}

/// What a search asks goes to the front end, all of it: a method of the trait that was not passed on would fall back to the
/// trait's own answer without a word.
impl Deref for Target {
    type Target = dyn Program;

    fn deref(&self) -> &(dyn Program + 'static) {
        match self {
            Target::Wasm(program) => &**program,
            Target::Python(target) => &target.program,
        }
    }
}
