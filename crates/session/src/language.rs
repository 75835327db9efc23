//! What differs between the languages of programs where results are spoken of, and how much can be run in a time, in the
//! steps that a front end counts.

use std::time::Duration;

use pessimum_outcome::CostModel;
use pessimum_report::text::printable;
use pessimum_search::program::PathLimits;

/// What differs between languages where results are spoken of.
#[derive(Debug)]
pub struct Language {
    /// What a run does that crashes.
    pub crashes: &'static str,
    /// What runs do that crash.
    pub crash: &'static str,
    /// What runs did that crashed.
    pub crashed: &'static str,
    /// Why a saved input may cost something else now.
    pub changed: &'static str,
    /// What a command on a saved result needs to run it, with a space before it.
    pub permission: &'static str,
    /// How a run ended, in rows: in which way, why in its own words, and where, as far as that is known.
    pub ended: fn(&str, Option<&str>, Option<&str>) -> Vec<String>,
    /// Whether structures of the input are images in memory, and not objects.
    pub has_images: bool,
    /// Whether costs that stand for time leave out what the code of another language does.
    pub leaves_out: bool,
    /// How fast runs are.
    pub pace: Pace,
}

impl Language {
    /// The language of modules.
    pub const WASM: Language = Language {
        crashes: "traps",
        crash: "trap",
        crashed: "trapped",
        changed: "the module is a different one",
        permission: "",
        ended: |end, why, _| std::iter::once(end).chain(why).map(|row| printable(row).into_owned()).collect(),
        has_images: true,
        leaves_out: false,
        pace: Pace::Instructions,
    };

    /// The language of Python files.
    pub const PYTHON: Language = Language {
        crashes: "raises",
        crash: "raise an exception",
        crashed: "raised an exception",
        changed: "the file or the interpreter is another",
        permission: " --run-python",
        ended: |end, why, at| {
            let at = at.map(|at| format!("at {}", printable(at)));
            std::iter::once(raised(end, why)).chain(at).collect()
        },
        has_images: false,
        leaves_out: true,
        pace: Pace::Lines,
    };

    /// Whether a cost stands for time, and leaves out what the code of another language does. The others count what they say.
    pub fn leaves_out(&self, cost: CostModel) -> bool {
        use CostModel::{Branches, Decisions, Hits, Instructions, Lines, Weighted};
        self.leaves_out && matches!(cost, Instructions | Lines | Branches | Decisions | Hits | Weighted)
    }
}

/// How a run of Python ended, in Python's words: `raises ValueError: not a number`.
pub fn raised(end: &str, why: Option<&str>) -> String {
    match (end, why) {
        ("trapped: exception", Some(why)) => format!("raises {}", printable(why)),
        ("trapped: exception", None) => "raises an exception".to_string(),
        ("limit: depth", None) => "ends the interpreter: code in C crashed, or its recursion was too deep".to_string(),
        ("limit: depth", Some(why)) => format!("recursion too deep ({})", printable(why)),
        ("limit: time of the run", Some(why)) => format!("{}: the run was ended", printable(why)),
        _ => printable(end).into_owned(),
    }
}

/// What a step is. The numbers below are instructions of WebAssembly, of which a slow machine executes 100 millions in a
/// second; a line of Python that is counted takes about as long as a hundred of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Instructions of WebAssembly.
    Instructions,
    /// Lines of Python.
    Lines,
}

impl Pace {
    /// As many steps as take about as long as this many instructions.
    pub fn steps(self, instructions: u64) -> u64 {
        match self {
            Pace::Instructions => instructions,
            Pace::Lines => instructions / 100,
        }
    }

    /// The limits of a single concrete run in a session that has this much time: a long run must not take all of it.
    pub fn affordable(self, limits: PathLimits, time: Option<Duration>) -> PathLimits {
        /// What a slow machine executes in a tenth of a second.
        const TENTH: f64 = 10_000_000.0;
        /// What takes a second or two.
        const LEAST: u64 = 200_000_000;
        let most = time.map_or(u64::MAX, |time| self.steps(LEAST.max((time.as_secs_f64() * TENTH) as u64)));
        PathLimits { instructions: limits.instructions.min(most), ..limits }
    }

    /// How many steps of a run are profiled after a search that had this much time; all of them after a search without a
    /// time limit. Profiling takes about twice as long as running, so this is about a twentieth of the search's time, and at
    /// least what takes a fraction of a second. On a slow machine the time that is left ends it earlier.
    pub fn profiled(self, time: Option<Duration>) -> u64 {
        const LEAST: u64 = 30_000_000;
        const PER_SECOND: f64 = 4_000_000.0;
        time.map_or(u64::MAX, |time| self.steps(LEAST.max((time.as_secs_f64() * PER_SECOND) as u64)))
    }
}
