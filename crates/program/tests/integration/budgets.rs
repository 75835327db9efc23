//! Hostile programs end their searches in time and in little memory. Time is counted in steps and questions, so that
//! nothing depends on the machine.

use std::sync::Arc;

use pessimum_input::{InputPlan, Signature};
use pessimum_outcome::{End, Limit};
use pessimum_program::WasmProgram;
use pessimum_search::budget::{Budget, Cancel, Stop};
use pessimum_search::program::{PathLimits, Program as _};
use pessimum_search::search::{Search, SearchResult, Settings};
use pessimum_search::strategy;
use pessimum_term::Witness;
use pessimum_wasm::{Limits, LoadSettings, Module, Start, Subject, World};

fn program(text: &str, call: &str) -> WasmProgram {
    let module = Arc::new(Module::load(text.as_bytes(), &LoadSettings::default()).unwrap());
    let (mut plan, call) = (InputPlan::new(None), Signature::parse(call).unwrap());
    call.lay_out(&mut plan).unwrap();
    let world = World { plan, program: "test".to_string(), environment: Vec::new() };
    let subject = Subject::new(module, Start::Call(call), world, Limits::default()).unwrap();
    WasmProgram::new("test".to_string(), subject).unwrap()
}

/// One of the programs of `bench/budgets`.
macro_rules! hostile {
    ($name:literal) => {
        include_str!(concat!("../../../../bench/budgets/programs/", $name, ".wat"))
    };
}

fn search(program: &WasmProgram, strategy: &str, settings: Settings) -> SearchResult {
    let mut strategy = strategy::named(strategy).unwrap();
    let result = strategy::run(Search::new(program, settings), strategy.as_mut());
    assert!(result.defects.is_empty(), "{:?}", result.defects);
    result
}

const STRATEGIES: [&str; 8] = ["auto", "exhaustive", "dfs", "bfs", "doubling-dfs", "random", "ese", "ga"];

#[test]
fn steps_end_loops_around_bulk_operations_and_endless_starts() {
    let endless = [hostile!("memset"), hostile!("start"), hostile!("counting"), hostile!("gibibyte")];
    for text in endless {
        let program = program(text, "f(i32)");
        let budget = Budget { steps: Some(3_000_000), ..Budget::default() };
        let limits = PathLimits { instructions: 20_000_000, ..PathLimits::default() };
        for strategy in STRATEGIES {
            let result = search(&program, strategy, Settings { budget, limits, ..Settings::default() });
            assert!(!result.complete, "{strategy}");
            // `memory.fill` of a mebibyte costs 131,072 steps, and the run that is made at the end is not counted.
            assert!(result.steps < 30_000_000, "{strategy}: {}", result.steps);
        }
    }
}

#[test]
fn a_cancelled_search_stops_at_once_and_has_a_result() {
    for text in [hostile!("memset"), hostile!("start"), hostile!("counting"), hostile!("terms")] {
        let call = if text.contains("param i64") { "f(i64)" } else { "f(i32)" };
        let program = program(text, call);
        let cancel = Cancel::default();
        cancel.cancel();
        for strategy in STRATEGIES {
            let result = search(&program, strategy, Settings { cancel: cancel.clone(), ..Settings::default() });
            assert_eq!(result.stop, Stop::Cancelled, "{strategy}");
            assert!(result.best.is_some() && result.steps < 2_000_000, "{strategy}: {}", result.steps);
        }
    }
}

#[test]
fn concrete_runs_ask_whether_to_go_on() {
    for text in [hostile!("memset"), hostile!("start"), hostile!("counting"), hostile!("writes")] {
        let program = program(text, "f(i32)");
        let mut asked = 0;
        let (replay, limits) = program.run_concrete(&Witness::default(), &PathLimits::default(), &mut || {
            asked += 1;
            asked < 3
        });
        assert!(asked <= 4 && replay.end == End::Limit(Limit::Budget), "{asked}");
        let again = program.replay(&Witness::default(), &limits);
        assert_eq!((again.costs, again.end), (replay.costs, End::Limit(Limit::Instructions)));
        let mut asked = 0;
        let profile = program.profile_while(&Witness::default(), &PathLimits::default(), &mut || {
            asked += 1;
            asked < 3
        });
        assert_eq!((asked, profile.end.kind()), (3, End::Limit(Limit::Budget)));
    }
}

#[test]
fn a_table_of_ten_million_elements_takes_few_questions() {
    let program = program(hostile!("indirect"), "f(i32, i32)");
    for strategy in STRATEGIES {
        let budget = Budget { paths: Some(20), ..Budget::default() };
        let result = search(&program, strategy, Settings { budget, ..Settings::default() });
        assert!(result.paths >= 20 && !result.complete, "{strategy}: {}", result.paths);
        assert!(result.counters.queries < 20_000, "{strategy}: {}", result.counters.queries);
    }
}

#[test]
fn tables_are_enumerated_completely_where_few_arms_are_feasible() {
    let text = hostile!("indirect").replace("(param i32 i32)", "(param i32 i32)");
    let program = program(&text, "f(i32 in 0..2, i32 in 0..3)");
    for strategy in ["exhaustive", "bfs", "dfs"] {
        let result = search(&program, strategy, Settings::default());
        // The third element is null, so its calls trap.
        assert!(result.complete && result.paths == 6, "{strategy}: {} {:?}", result.paths, result.ends);
    }
}

const MEBIBYTE: u64 = 1 << 20;

#[test]
fn terms_without_end_reach_the_memory_limit() {
    let program = program(hostile!("terms"), "f(i64)");
    for strategy in STRATEGIES {
        let (memory, limits) = (Some(16 * MEBIBYTE), PathLimits { instructions: 50_000_000, ..PathLimits::default() });
        let budget = Budget { paths: Some(3), ..Budget::default() };
        let result = search(&program, strategy, Settings { memory, limits, budget, ..Settings::default() });
        assert!(!result.complete, "{strategy}");
        // The input is run concretely beyond that point.
        let best = result.best.unwrap();
        assert!(best.costs.instructions > 40_000_000, "{strategy}: {}", best.costs.instructions);
        let reached = result.ends.contains_key(&End::Limit(Limit::SearchMemory)) || result.stop == Stop::Memory;
        assert!(reached || strategy == "ga", "{strategy}: {:?} {:?}", result.ends, result.stop);
    }
}

#[test]
fn places_to_come_back_to_count_as_memory() {
    let program = program(hostile!("tree"), "f(i64)");
    let settings =
        |memory| Settings { memory, budget: Budget { paths: Some(50), ..Budget::default() }, ..Settings::default() };
    let free = search(&program, "exhaustive", settings(None));
    assert_eq!(free.counters.dropped, 0);
    // Each of the 64 levels keeps a list of 262,144 pages.
    let tight = search(&program, "exhaustive", settings(Some(20 * MEBIBYTE)));
    assert!(tight.counters.dropped > 50 && !tight.complete, "{}", tight.counters.dropped);
    assert!(tight.best_cost() > Some(64));
}

/// Never ends, and branches on one bit of its input after the other.
const BITS: &str = r#"(module (func (export "f") (param i64) (local i32)
    (loop $again
        (local.set 0 (i64.rotl (local.get 0) (i64.const 1)))
        (if (i32.wrap_i64 (i64.and (local.get 0) (i64.const 1))) (then (local.set 1 (i32.const 1))))
        (br $again))))"#;

#[test]
fn a_search_in_little_memory_drops_what_it_can_spare_and_goes_on() {
    let program = program(BITS, "f(i64)");
    // A limit that doubles would have to see every prefix of every path first.
    for strategy in STRATEGIES.into_iter().filter(|name| *name != "doubling-dfs") {
        let settings = Settings {
            memory: Some(MEBIBYTE),
            budget: Budget { paths: Some(6), ..Budget::default() },
            limits: PathLimits { instructions: 40_000, ..PathLimits::default() },
            ..Settings::default()
        };
        let result = search(&program, strategy, settings);
        assert!(!result.complete && result.best_cost() > Some(39_000), "{strategy}: {:?}", result.best_cost());
    }
}

#[test]
fn the_memory_limit_is_the_same_on_every_run() {
    let program = program(BITS, "f(i64)");
    for strategy in ["auto", "bfs", "ese"] {
        let run = || {
            let settings = Settings {
                memory: Some(MEBIBYTE),
                budget: Budget { paths: Some(6), ..Budget::default() },
                limits: PathLimits { instructions: 40_000, ..PathLimits::default() },
                ..Settings::default()
            };
            let result = search(&program, strategy, settings);
            (result.best.map(|best| best.witness), result.paths, result.counters, result.ends)
        };
        assert_eq!(run(), run(), "{strategy}");
    }
}
