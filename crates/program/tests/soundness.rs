//! Real code: every input that a search reports, not only the best one, replays to its reported costs and end.

use pessimum_search::budget::Budget;
use pessimum_search::cost::Costs;
use pessimum_search::program::Program;
use pessimum_search::search::{Search, Settings};
use pessimum_search::strategy;
use pessimum_subjects::Subject as Entry;

/// Searches with a budget of paths and replays each of them; returns how many there were.
fn replay_every_path(entry: &Entry, size: u64, strategy: &str, paths: u64) -> u64 {
    let program = entry.program(size).unwrap();
    let budget = Budget { paths: Some(paths), ..Budget::default() };
    let settings = Settings { budget, ..Settings::default() };
    let limits = settings.limits;
    let search = Search::new(&program, settings).with_visitor(|path| {
        let replay = program.replay(path.witness, &limits);
        let concrete = Costs { decisions: path.costs.decisions, ..replay.costs };
        let input = path.witness.values();
        assert_eq!((concrete, replay.end), (*path.costs, path.end), "{}, {strategy}: {input:?}", program.name());
    });
    let mut strategy = strategy::named(strategy).unwrap();
    strategy::run(search, &mut *strategy).sound().unwrap_or_else(|error| panic!("{error}")).paths
}

#[test]
fn every_reported_input_of_real_code_replays() {
    let mut subjects = 0;
    for entry in &pessimum_subjects::all() {
        if !entry.name.starts_with("own/json") && !entry.name.starts_with("own/slices") {
            continue;
        }
        subjects += 1;
        for strategy in ["random", "dfs"] {
            let paths = replay_every_path(entry, 16, strategy, 1000);
            println!("{}, {strategy}: {paths} paths replayed", entry.name);
            assert!(paths > 10, "{}, {strategy}: only {paths} paths", entry.name);
        }
    }
    assert!(subjects >= 3, "the parser and the functions over a slice and a string are missing");
}
