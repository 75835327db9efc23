//! The subjects' manifest against the engine: published path counts and optima, found by exhaustive search.

use pessimum_outcome::CostModel;
use pessimum_search::budget::Budget;
use pessimum_search::search::{Search, SearchResult, Settings};
use pessimum_search::strategy;
use pessimum_subjects::Subject as Entry;

fn exhaustive(entry: &Entry, size: u64, paths: u64) -> SearchResult {
    let program = entry.program(size).unwrap();
    let cost = CostModel::parse(&entry.cost).unwrap();
    let budget = Budget { paths: Some(paths), ..Budget::default() };
    let settings = Settings { cost, budget, ..Settings::default() };
    let search = Search::new(&program, settings);
    strategy::run(search, &mut *strategy::named("exhaustive").unwrap())
        .sound()
        .unwrap_or_else(|error| panic!("{error}"))
}

/// Checks every subject whose number of paths is known and small enough: that number, and the cost of the worst path.
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
