//! What a search claims: every input that it reports replays to its costs and end, and "complete" means complete.

use std::sync::Arc;

use pessimum_input::{InputPlan, Signature};
use pessimum_outcome::{Costs, End};
use pessimum_program::WasmProgram;
use pessimum_search::budget::Budget;
use pessimum_search::program::Program;
use pessimum_search::search::{Search, SearchResult, Settings};
use pessimum_search::strategy;
use pessimum_subjects::Subject as Entry;
use pessimum_wasm::{Limits, LoadSettings, Module, Start, Subject, World};

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

/// All paths of `f(u8)` in a module whose `f` has this body, which may call `missing` and `unsupported`.
fn all_paths(body: &str) -> SearchResult {
    let text = format!(
        r#"(module (import "env" "missing" (func $missing))
            (import "wasi_snapshot_preview1" "sock_shutdown" (func $unsupported (param i32 i32) (result i32)))
            (memory (export "memory") 1)
            (func (export "f") (param $x i32) {body}))"#
    );
    let module = Arc::new(Module::load(text.as_bytes(), &LoadSettings::default()).unwrap());
    let mut plan = InputPlan::new(None);
    let call = Signature::parse("f(u8)").unwrap();
    call.lay_out(&mut plan).unwrap();
    let subject = Subject::new(module, Start::Call(call), World { plan, ..World::default() }, Limits::default());
    let program = WasmProgram::new("f".to_string(), subject.unwrap()).unwrap();
    let search = Search::new(&program, Settings::default());
    strategy::run(search, &mut *strategy::named("exhaustive").unwrap())
}

#[test]
fn an_import_that_is_not_provided_keeps_a_search_from_being_complete() {
    let result = all_paths("(if (local.get $x) (then (nop)))");
    assert_eq!((result.paths, result.complete), (2, true));

    let result = all_paths("(if (local.get $x) (then (call $missing)))");
    assert_eq!((result.paths, result.complete), (2, false));
    assert_eq!(result.ends.get(&End::Unsupported), Some(&1));

    let result = all_paths("(if (local.get $x) (then (drop (call $unsupported (i32.const 0) (i32.const 0)))))");
    assert_eq!((result.paths, result.complete, result.counters.unsupported), (2, false, 1));
    assert_eq!(result.ends.get(&End::Returned), Some(&2));
}
