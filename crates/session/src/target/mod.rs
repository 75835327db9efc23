//! What a session asks of a front end.
//!
//! A search knows only the trait [`Program`]. A session needs more: what the input consists of, where the cost of a run is
//! and why a run crashed, in words that fit the language. Each front end answers that itself, so that nothing else asks which
//! one it is. What a front end has no answer to is left to the trait.

mod python;
mod wasm;

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use pessimum_input::{Domain, GuestValue, InputPlan, Length};
use pessimum_outcome::{CostModel, Costs, End};
use pessimum_report::profile::Profile;
use pessimum_report::result::{HotSite, Recurrence};
use pessimum_report::work::Work;
use pessimum_search::budget::Until;
use pessimum_search::program::{PathLimits, Program};
use pessimum_term::Witness;
use serde_json::Value;

use crate::Error;
use crate::language::Language;
use crate::plan::SubjectPlan;

/// Sites, functions and lines kept in results.
pub(crate) const KEPT: usize = 50;

/// The code that a plan names, read and parsed once: it makes programs of any size.
pub trait Code: Any + Debug + Send + Sync {
    /// Its language.
    fn language(&self) -> &'static Language;

    /// The program at a size, as a search sees it. `name` is for messages.
    fn program(&self, name: String, plan: &SubjectPlan, size: Option<u64>) -> Result<Box<dyn FrontEnd>, Error>;

    /// What the input consists of at a size.
    fn input(&self, plan: &SubjectPlan, size: Option<u64>) -> Result<InputPlan, Error> {
        Ok(self.program(String::new(), plan, size)?.plan().clone())
    }

    /// The same, counting what this cost needs; none where everything is counted anyway.
    fn counting(&self, _cost: CostModel) -> Option<Arc<dyn Code>> {
        None
    }

    /// The same with another number of bytes on standard input.
    fn with_stdin(&self, _length: Length) -> Result<Arc<dyn Code>, Error> {
        Err(Error::new("--stdin: this program reads no input of ours"))
    }

    /// Whether programs may ask for their size or for input while they run.
    fn may_ask(&self) -> bool {
        false
    }

    /// What is saved with a result so that it can be run again, by the names of the files, the largest first.
    fn saved(&self) -> Vec<(String, &[u8])> {
        Vec::new()
    }
}

/// A program with its call and size fixed, whichever front end runs it.
pub type Target = dyn FrontEnd;

/// A run with all that a profile tells, in the words of reports.
pub struct Profiled {
    /// How it ended.
    pub end: End,
    /// What it cost.
    pub costs: Costs,
    /// What the host or the program itself said when it gave up.
    pub failure: Option<String>,
    /// What the program itself asked for.
    pub asked: Vec<GuestValue>,
    /// The most executed sites, in descending order.
    pub hottest: Vec<HotSite>,
    /// Functions of the environment that were called but are not provided, and how often.
    pub unsupported: Vec<(&'static str, u64)>,
    /// Functions, lines and calls.
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
    pub innermost: Option<String>,
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

/// A program with its call and size fixed, and all that a session asks of it.
pub trait FrontEnd: Program + Any {
    /// Its language.
    fn language(&self) -> &'static Language;

    /// What its input consists of.
    fn plan(&self) -> &InputPlan;

    /// What is searched of what a caller may pass.
    fn domain(&self) -> Domain {
        self.plan().domain()
    }

    /// Hears that a search begins that has this much time and is over then.
    fn searched_for(&self, _time: Option<Duration>, _until: Until) {}

    /// What was given up to go on, as `reason (file:line)`, and how often: values that could not be followed and were
    /// taken as they are. A search with some of these has not seen everything.
    fn concretised(&self) -> Vec<(String, u64)> {
        Vec::new()
    }

    /// Why runs were left out whose cost could not be told, as `reason (file:line)`, and how often.
    fn left_out(&self) -> Vec<(String, u64)> {
        Vec::new()
    }

    /// Steps that every run takes before its call, which are within its limit and no cost.
    fn before_call(&self, _limits: &PathLimits, _until: &Until) -> u64 {
        0
    }

    /// Why no further run can be made, if that is so.
    fn fatal(&self) -> Option<String> {
        None
    }

    /// Where the cost of a run is, up to where `go_on` says that it is enough.
    fn profile_while(&self, input: &Witness, limits: &PathLimits, go_on: &mut dyn FnMut() -> bool) -> Profiled;

    /// How the program crashes on this input, or where it gave no answer; none if it does neither, or takes longer than this.
    fn crash(&self, input: &Witness, until: &Until) -> Option<Crash>;

    /// When the whole state of a run that was cut off came back; none if it did not, or the front end does not see it.
    fn recurrence(&self, _input: &Witness, _limits: &PathLimits, _until: &Until) -> Option<Recurrence> {
        None
    }

    /// How long it takes to name the source lines of a run.
    fn naming(&self) -> Duration {
        Duration::ZERO
    }

    /// Runs an input as its user would, within the limits of the plan.
    fn run_while(&self, input: &Witness, go_on: &mut dyn FnMut() -> bool) -> Result<Ran, Error>;

    /// What a run needs that is not provided, with what to do about it; none if nothing is missing.
    fn missing(&self) -> Option<String> {
        None
    }

    /// What the program itself asks for on this input, as far as a run gets within these limits and this time, or than it
    /// takes to ask for every value of the input: one that was never asked for could not be written down, and is 0 in
    /// another run.
    fn asked_while(&self, _input: &Witness, _limits: &PathLimits, _until: &Until) -> Vec<GuestValue> {
        Vec::new()
    }

    /// What code of another language is handed in the run of an input, where costs leave that out.
    fn work_while(&self, _input: &Witness, _limits: &PathLimits, _go_on: &mut dyn FnMut() -> bool) -> Option<Work> {
        None
    }

    /// The arguments of the call of this plan as its author would write them; none where they are what `--input` takes.
    fn written(&self, _plan: &SubjectPlan, _input: &Witness) -> Option<Vec<String>> {
        None
    }
}

impl dyn FrontEnd {
    /// The same as a program of this front end, for what only that one has; none if it is none.
    pub fn of<T: FrontEnd>(&self) -> Option<&T> {
        (self as &dyn Any).downcast_ref()
    }
}
