//! The subjects' manifest against the engine: published path counts and optima, found by exhaustive search.

use std::sync::Arc;

use pessimum_program::WasmProgram;
use pessimum_search::budget::Budget;
use pessimum_search::cost::CostModel;
use pessimum_search::search::{Search, SearchResult, Settings};
use pessimum_search::strategy;
use pessimum_subjects::Subject as Entry;
use pessimum_wasm::call::{InputPlan, Length, Signature};
use pessimum_wasm::{Limits, LoadSettings, Module, Start, Subject, World};

fn program(entry: &Entry, size: u64) -> WasmProgram {
    let bytes = std::fs::read(entry.module_file()).unwrap();
    let module = Arc::new(Module::load(&bytes, &LoadSettings::default()).unwrap());
    let mut plan = InputPlan::new(Some(size));
    let start = if let Some(call) = &entry.call {
        let signature = Signature::parse(call).unwrap();
        signature.lay_out(&mut plan).unwrap();
        Start::Call(signature)
    } else if entry.stdin {
        Length::parse("n").unwrap().lay_out_stdin(&mut plan).unwrap();
        Start::Command
    } else {
        Start::Entry(entry.entry.clone().unwrap())
    };
    let world = World { plan, program: entry.name.clone(), environment: Vec::new() };
    let subject = Subject::new(module, start, world, Limits::default()).unwrap();
    WasmProgram::new(format!("{} at {size}", entry.name), subject).unwrap()
}

fn exhaustive(entry: &Entry, size: u64, paths: u64) -> SearchResult {
    let program = program(entry, size);
    let cost = CostModel::parse(&entry.cost).unwrap();
    let budget = Budget { paths: Some(paths), ..Budget::default() };
    let settings = Settings { cost, budget, ..Settings::default() };
    let search = Search::new(&program, settings);
    strategy::run(search, &mut *strategy::named("exhaustive").unwrap()).unwrap_or_else(|error| panic!("{error}"))
}

/// Every subject whose paths are known and few enough: their number, and the dearest of them.
#[test]
fn published_path_counts_and_optima() {
    let most: u64 = std::env::var("PESSIMUM_MOST_PATHS").map_or(5_000, |most| most.parse().unwrap());
    let mut failures = Vec::new();
    let mut checked = 0;
    for entry in &pessimum_subjects::all() {
        for &(size, expected) in entry.paths.iter().filter(|&&(_, paths)| paths <= most) {
            let result = exhaustive(entry, size, expected + 1);
            let name = format!("{} at {size}", entry.name);
            println!("{name}: {} paths, {:.2} s", result.paths, result.elapsed.as_secs_f64());
            if result.paths != expected || !result.complete {
                let complete = if result.complete { "complete" } else { "not complete" };
                failures.push(format!("{name}: {expected} paths expected, {} found ({complete})", result.paths));
            }
            if let Some(optimum) = entry.optimum_at(size).filter(|_| result.complete)
                && result.best_cost() != Some(optimum)
            {
                failures.push(format!("{name}: optimum {optimum} expected, {:?} found", result.best_cost()));
            }
            checked += 1;
        }
    }
    println!("{checked} subjects and sizes explored exhaustively");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(checked >= 100, "only {checked} entries have a path count");
}
