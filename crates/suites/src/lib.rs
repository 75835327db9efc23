//! Tests that are sequences of calls, and suites of them.
//!
//! A [`Library`] says which functions there are. Given the sequence, only numbers are open: it is a
//! [`Program`](pessimum_search::program::Program) like any other ([`Library::program`]), so that the kernel, the solver and the
//! strategies work on it unchanged.
//!
//! [`search`] looks for a suite that covers goals, by our own strategy ([`auto`]) or as published ([`whole`], [`dse`]).
//! [`worst()`] looks for the sequence that costs most.

mod archive;
mod auto;
mod draw;
mod dse;
mod explore;
mod library;
mod minimise;
mod result;
mod sequence;
mod settings;
mod shapes;
mod statements;
mod trials;
mod vary;
mod whole;
mod worst;

pub use archive::Crash;
pub use library::{Call, Counted, Function, Library, Parameter, Ran, Returned, Test};
pub use result::{CrashTest, SuiteResult, SuiteTest};
pub use sequence::is_well_typed;
pub use settings::{
    AutoSuiteSettings, DseSettings, Listener, Progress, SuiteSettings, SuiteStrategy, WholeSuiteSettings, avm_alone,
};
pub use trials::SuiteCounters;
pub use vary::Variations;
pub use worst::{WorstCalls, WorstCallsSettings, worst};

use trials::Trials;

/// Runs these tests, and makes a small suite of them that covers what they cover. Tests that the library refuses are left out.
pub fn minimise(library: &dyn Library, tests: &[Test], settings: &SuiteSettings) -> SuiteResult {
    let mut trials = Trials::new(library, settings, 1, 1);
    for test in tests {
        if let Some(steps) = sequence::steps_of(&mut trials.shapes, test) {
            trials.run(steps);
        }
    }
    let candidates = trials.archive.candidates();
    result::finish(trials, &candidates)
}

/// Looks for a suite that covers the goals of the settings. A budget that is spent, a raised flag and a library without
/// functions that can be called are normal ends; what was found until then is the result.
pub fn search(library: &dyn Library, strategy: &SuiteStrategy, settings: &SuiteSettings) -> SuiteResult {
    match strategy {
        SuiteStrategy::Auto(auto) => {
            let mut trials = Trials::new(library, settings, auto.nearest, auto.corpus);
            trials.recall();
            auto::search(&mut trials, auto);
            let candidates = trials.archive.candidates();
            result::finish(trials, &candidates)
        }
        SuiteStrategy::WholeSuite(whole) => {
            let mut trials = Trials::new(library, settings, 1, 1);
            trials.recall();
            let mut candidates = whole::search(&mut trials, whole);
            if whole.archive || !settings.known.is_empty() {
                candidates.extend(trials.archive.candidates());
            }
            result::finish(trials, &candidates)
        }
    }
}
