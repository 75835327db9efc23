//! Keeps on disk what a search for a suite finds while it is running.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use pessimum_suites::{Call, Listener, Progress, Test};
use pessimum_term::Witness;
use serde::{Deserialize, Serialize};

use crate::findings::Findings;

/// The name of the journal in the directory of a search.
pub const NAME: &str = "suite.jsonl";

/// What tests are searched for. How, the command line says each time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuitePlan {
    /// The fingerprint of the module.
    pub module: String,
    /// The functions that tests call, in their order.
    pub api: Vec<String>,
    /// The seed.
    pub seed: u64,
}

/// A test that was the first to cover something, or to crash in its way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FoundTest {
    calls: Vec<Call>,
    input: Vec<u64>,
}

impl FoundTest {
    /// A test as data.
    pub fn of(test: &Test) -> FoundTest {
        FoundTest { calls: test.calls.clone(), input: test.input.values().to_vec() }
    }

    /// The test.
    pub fn test(&self) -> Test {
        Test { calls: self.calls.clone(), input: Witness::new(self.input.clone()) }
    }
}

enum News {
    Test(FoundTest),
    Progress(Progress),
}

/// The time between two looks at a search without news.
const LOOK_EVERY: Duration = Duration::from_millis(125);

/// News within this time is taken together.
const COALESCE: Duration = Duration::from_millis(20);

/// Runs `search` with listeners for the tests that it finds and for how it is getting on. Each test is recorded before progress
/// is shown that counts it. `note` tells the user of the disk.
pub fn recorded<T>(
    journal: &mut Findings<FoundTest>,
    note: &(dyn Fn(&str) + Sync),
    show: &mut (dyn FnMut(&Progress) + Send),
    search: impl FnOnce(Listener<Test>, Listener) -> T,
) -> T {
    let (sender, receiver) = channel();
    let began = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(move || keep(&receiver, began, journal, note, show));
        let told: Sender<News> = sender.clone();
        // The other end is there until both are gone.
        let found = Listener::new(move |test| drop(told.send(News::Test(FoundTest::of(test)))));
        let progress = Listener::new(move |progress: &Progress| drop(sender.send(News::Progress(*progress))));
        search(found, progress)
    })
}

fn keep(
    receiver: &Receiver<News>,
    began: Instant,
    journal: &mut Findings<FoundTest>,
    note: &(dyn Fn(&str) + Sync),
    show: &mut (dyn FnMut(&Progress) + Send),
) {
    let mut runs = 0;
    loop {
        let first = receiver.recv_timeout(LOOK_EVERY);
        let is_over = matches!(first, Err(RecvTimeoutError::Disconnected));
        if first.is_ok() {
            std::thread::sleep(COALESCE);
        }
        let (mut tests, mut last) = (Vec::new(), None);
        for news in first.into_iter().chain(receiver.try_iter()) {
            match news {
                News::Test(test) => tests.push(test),
                News::Progress(progress) => last = Some(progress),
            }
        }
        runs = last.map_or(runs, |progress| progress.runs);
        journal.record(tests, began.elapsed(), runs, note);
        last.iter().for_each(&mut *show);
        if is_over {
            return;
        }
    }
}
