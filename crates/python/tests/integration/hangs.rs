//! Inputs that hang: they are what a search is for.

use std::time::Duration;

use crate::common::{Subject, interpreter};
use pessimum_outcome::{CostModel, End, Limit};
use pessimum_search::budget::{Budget, Cancel, Stop, Until};
use pessimum_search::program::{PathLimits, Program as _};
use pessimum_search::search::{Search, SearchResult, Settings};
use pessimum_search::strategy::{self, Strategy};
use pessimum_term::Witness;

fn search(text: &str, call: &str, size: u64, paths: Option<u64>, strategy: &mut dyn Strategy) -> Option<SearchResult> {
    let python = interpreter()?;
    let subject = Subject::open(&python, text, Duration::from_secs(4)).map_err(|(_, error)| error).unwrap();
    subject.source.search(None, Until::default());
    let program = subject.program(call, size);
    let budget = Budget { paths, ..Budget::default() };
    let settings = Settings { cost: CostModel::Lines, budget, ..Settings::default() };
    Some(strategy::run(Search::new(&program, settings), strategy).sound().unwrap_or_else(|defect| panic!("{defect}")))
}

/// One of six inputs hangs in C, where nothing is counted: it is worse than those that cost more lines.
#[test]
fn an_input_that_hangs_is_the_worst_and_the_search_goes_on() {
    let text = "import collections, itertools\ndef f(x):\n    if x == 3:\n        \
                collections.deque(itertools.repeat(0), maxlen=0)\n    n = 0\n    while n < x:\n        n += 1\n    return n\n";
    let mut exhaustive = strategy::named("exhaustive").unwrap();
    let Some(found) = search(text, "f(int in 0..=5)", 0, None, exhaustive.as_mut()) else { return };
    let best = found.best.expect("an input");
    assert_eq!((best.end, best.witness), (End::Limit(Limit::Time), Witness::new(vec![3])));
    let ended = found.ended.expect("others end");
    assert_eq!((found.endless, ended.end, ended.witness), (true, End::Returned, Witness::new(vec![5])));
    assert!(!found.complete, "nobody knows what the one that hangs costs");
    assert_eq!(found.ends.get(&End::Returned), Some(&5), "{:?}", found.ends);
}

/// The first input of all hangs before anything was decided, in an expression that backtracks.
#[test]
fn a_search_that_begins_with_a_hang_spends_its_budget() {
    let text = "import re\nP = re.compile(r'^(a+)+b$')\ndef check(s):\n    return P.match(s) is not None\n";
    let mut auto = strategy::named("auto").unwrap();
    let Some(found) = search(text, "check(str[n] in 97..=99)", 40, Some(12), auto.as_mut()) else { return };
    let best = found.best.expect("an input");
    assert_eq!((best.end, found.endless), (End::Limit(Limit::Time), true));
    assert!(found.ended.is_some_and(|ended| ended.end == End::Returned), "{:?}", found.ends);
    assert_eq!((found.stop, found.paths), (Stop::Paths, 12), "{:?}", found.ends);
}

/// What a run is part of (the random inputs of a search) may have no time left for it: the first that hangs is waited for all
/// the same, unless the search itself is over, and others are not.
#[test]
fn the_first_hang_is_waited_for_whatever_it_is_part_of() {
    let Some(python) = interpreter() else { return };
    let text = "import time\ndef f(x):\n    if x:\n        time.sleep(1000)\n    return x\n";
    let subject = Subject::open(&python, text, Duration::from_secs(2)).map_err(|(_, error)| error).unwrap();
    let program = subject.program("f(int in 0..=5)", 0);
    let end = |x| program.run_concrete(&Witness::new(vec![x]), &PathLimits::default(), &mut || false).0.end;
    let over = Cancel::default();
    over.cancel();
    subject.source.search(None, Until { moment: None, cancel: over });
    assert_eq!(end(3), End::Limit(Limit::Budget));
    subject.source.search(None, Until::default());
    assert_eq!([end(3), end(3), end(4)], [Limit::Time, Limit::Time, Limit::Budget].map(End::Limit));
}

/// A worker that somebody else ends says nothing about the program.
#[test]
fn ends_have_the_names_of_what_they_were() {
    let Some(python) = interpreter() else { return };
    let subject = Subject::new(&python, "def f(x):\n    while x:\n        pass\n");
    let program = subject.program("f(int in 0..=1)", 0);
    let limits = PathLimits { instructions: 1000, ..PathLimits::default() };
    assert_eq!(program.replay(&Witness::new(vec![1]), &limits).end, End::Limit(Limit::Instructions));
    let (replay, _) = program.run_concrete(&Witness::new(vec![1]), &PathLimits::default(), &mut || false);
    assert_eq!(replay.end, End::Limit(Limit::Budget));
}
