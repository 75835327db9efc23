//! How much can be run in a time, in the steps that a front end counts.

use std::time::Duration;

use pessimum_search::program::PathLimits;

/// What a step is. The numbers below are instructions of WebAssembly, of which a slow machine executes 100 millions in a
/// second; a line of Python that is counted takes about as long as a hundred of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pace {
    Instructions,
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
