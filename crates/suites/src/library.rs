//! What tests are made of.

use std::ops::Range;
use std::sync::Arc;

use pessimum_outcome::End;
use pessimum_term::Witness;
use serde::{Deserialize, Serialize};

use pessimum_search::observation::Observation;
use pessimum_search::places::Places;
use pessimum_search::program::{PathLimits, Program, Variable};

/// What a function wants to be passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// Numbers: a scalar, an array, a text, or a length that follows from the sizes. Which variables it has is the front
    /// end's business ([`Library::variables`]).
    Data,
    /// What an earlier call returned.
    Handle {
        /// Its type, by its index in [`Library::handle_types`].
        ty: usize,
        /// Whether the call takes it away, so that no later call may use it.
        moved: bool,
    },
}

/// What a function returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returned {
    /// Nothing.
    Nothing,
    /// A number, which a test can assert.
    Number,
    /// Something that later calls can be passed, by its index in [`Library::handle_types`].
    Handle(usize),
}

/// A function that tests can call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Its parameters, in order.
    pub parameters: Vec<Parameter>,
    /// The names of the sizes that its parameters depend on. Each call has values of its own for them.
    pub sizes: Vec<String>,
    /// What it returns.
    pub returned: Returned,
}

impl Function {
    /// The types of the handles that it wants, in order, and whether each is taken away.
    pub fn handles(&self) -> impl Iterator<Item = (usize, bool)> + '_ {
        self.parameters.iter().filter_map(|parameter| match *parameter {
            Parameter::Handle { ty, moved } => Some((ty, moved)),
            Parameter::Data => None,
        })
    }
}

/// A call in a sequence: everything but its numbers.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Call {
    /// The function, by its index in [`Library::functions`].
    pub function: usize,
    /// Values for [`Function::sizes`], in the same order.
    pub sizes: Vec<u32>,
    /// For each handle that it wants, in order: the index of the earlier call in the same sequence that returned it.
    pub handles: Vec<usize>,
}

/// A sequence of calls with the numbers that they are passed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Test {
    /// The calls, in order.
    pub calls: Vec<Call>,
    /// The values of the variables of all calls, in the order of [`Library::variables`], one call after the other.
    pub input: Witness,
}

/// A run of a test on a fresh instance.
#[derive(Clone, Debug)]
pub struct Ran {
    /// What was seen on the way, all calls together.
    pub observation: Observation,
    /// What each call returned, as bits: of numbers and handles alike, none for functions that return nothing. Calls that
    /// did not return are missing, so the length is the number of calls that did.
    pub returned: Vec<Option<u64>>,
}

impl Ran {
    /// How it ended. [`End::Returned`] if every call returned.
    pub fn end(&self) -> End {
        self.observation.end
    }
}

/// Which part of a sequence's run counts as its cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Counted {
    /// All calls together.
    #[default]
    Everything,
    /// The last call: what an operation costs after the others have prepared the state for it.
    LastCall,
}

/// How many neighbours of one type and range are taken for an array by default, where no size says that there is one.
const ROW: usize = 4;

/// The functions that tests can call. Sites, functions and lines of all its programs are numbered alike, as
/// [`Library::places`] says.
pub trait Library: Send + Sync {
    /// Its name in messages.
    fn name(&self) -> &str;

    /// The functions.
    fn functions(&self) -> &[Function];

    /// The names of the types of handles.
    fn handle_types(&self) -> &[String];

    /// What there is to be reached.
    fn places(&self) -> Arc<Places>;

    /// Texts among the constants of the program ([`Program::texts`]).
    fn texts(&self) -> Vec<Vec<u8>> {
        Vec::new()
    }

    /// The variables of one call, numbered from 0. The same for every call with this function and these sizes, so front
    /// ends keep what they found out. Fails where the sizes are too large or make no sense for the function.
    fn variables(&self, function: usize, sizes: &[u32]) -> Result<Arc<[Variable]>, String>;

    /// The program that makes these calls one after the other on a fresh instance. Its variables are those of the calls,
    /// in order, numbered from 0 on. A call that traps ends the run.
    fn program(&self, calls: &[Call]) -> Result<Box<dyn Program>, String>;

    /// Like [`Library::program`], with costs of a part of the run alone. By default everything counts.
    fn program_counting(&self, calls: &[Call], _counted: Counted) -> Result<Box<dyn Program>, String> {
        self.program(calls)
    }

    /// Which variables of a call are an array together, by their numbers; all others are numbers of their own. By default
    /// neighbours of one type and range: two where the function has sizes, otherwise four.
    fn arrays(&self, function: usize, sizes: &[u32]) -> Vec<Range<usize>> {
        let Ok(variables) = self.variables(function, sizes) else { return Vec::new() };
        let least = if sizes.is_empty() { ROW } else { 2 };
        let mut rows: Vec<Range<usize>> = Vec::new();
        for (index, variable) in variables.iter().enumerate() {
            match rows.last_mut() {
                Some(row) if variables[row.start].is_like(variable) => row.end = index + 1,
                _ => rows.push(index..index + 1),
            }
        }
        rows.retain(|row| row.len() >= least);
        rows
    }

    /// Whether a call of this function may be passed the same handle twice. Not where a language forbids it, as Rust does
    /// for what is borrowed exclusively. A handle that is taken away is never passed twice.
    fn permits_same_handle(&self, _function: usize) -> bool {
        true
    }

    /// Changes the numbers of a test where they are none of its functions' arguments although each is within its range, such as
    /// bytes of a text that are no UTF-8. A run of a test for which that would have been necessary is none
    /// ([`End::AssumptionViolated`]). By default there is nothing to change.
    fn repair(&self, _test: &mut Test) {}

    /// Where the run of a test that crashes does so, to tell crashes apart that end alike. None where it is not known.
    fn crash_place(&self, _test: &Test, _limits: &PathLimits) -> Option<String> {
        None
    }

    /// One concrete run, observed.
    fn run(&self, test: &Test, limits: &PathLimits) -> Result<Ran, String> {
        self.run_while(test, limits, &mut || true)
    }

    /// The same as long as `go_on` says so ([`Program::observe_while`]).
    fn run_while(&self, test: &Test, limits: &PathLimits, go_on: &mut dyn FnMut() -> bool) -> Result<Ran, String>;
}
