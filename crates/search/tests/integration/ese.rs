//! ESE on the paper's smaller subjects. Budgets are in paths, so a run is the same every time.

use pessimum_outcome::CostModel;
use pessimum_search::budget::{Budget, Stop};
use pessimum_search::program::Program;
use pessimum_search::search::{Search, SearchResult, Settings};
use pessimum_search::strategy::{self, Ese, EseSettings, RandomPaths, Strategy};
use pessimum_testkit::{papers, subjects};

fn search(program: &dyn Program, strategy: &mut dyn Strategy, seed: u64, paths: u64) -> SearchResult {
    let budget = Budget { paths: Some(paths), ..Budget::default() };
    let settings = Settings { cost: CostModel::User, budget, seed, ..Settings::default() };
    let search = Search::new(program, settings);
    strategy::run(search, strategy).sound().unwrap_or_else(|mismatch| panic!("{mismatch}"))
}

/// The number of paths and the cost of each improvement.
fn course(result: &SearchResult) -> Vec<(u64, u64)> {
    result.progress.iter().map(|improvement| (improvement.paths, improvement.cost)).collect()
}

#[test]
fn alternate_0_is_solved_within_2500_paths() {
    // Measured with seeds 1 to 5: 1205 to 1819 paths. ESE's Table V: 301 lines at 50 items.
    for seed in 1..=2 {
        let result = search(&papers::alternate_0(50), &mut Ese::default(), seed, 2500);
        assert_eq!(result.best_cost(), Some(301), "seed {seed}");
    }
}

#[test]
fn is_palindrome_is_solved_within_4000_paths() {
    // Measured with seeds 1 to 5: 940 to 3180 paths. ESE's Table V: 102 lines at 50 items.
    for seed in 1..=3 {
        let mut ese = Ese::default();
        let result = search(&papers::is_palindrome(50), &mut ese, seed, 4000);
        assert_eq!(result.best_cost(), Some(102), "seed {seed}");
        assert_eq!(ese.report.genes, 25, "the second half of a palindrome is implied by the first");
    }
}

#[test]
fn evolution_beats_random_paths() {
    let program = subjects::insertion_sort_code(30);
    let evolved = search(&program, &mut Ese::default(), 1, 2000);
    let random = search(&program, &mut RandomPaths::default(), 1, 2000);
    // Measured: 339 and 88; the optimum is 435.
    assert!(evolved.best_cost() > Some(300), "{:?}", evolved.best_cost());
    assert!(random.best_cost() < Some(120), "{:?}", random.best_cost());
}

#[test]
fn the_budget_of_paths_is_exact_and_the_seed_fixes_the_course() {
    let program = subjects::quicksort_code(12);
    for paths in [1, 49, 50, 51, 333] {
        let result = search(&program, &mut Ese::default(), 7, paths);
        assert_eq!((result.paths, result.stop), (paths, Stop::Paths));
        let again = search(&program, &mut Ese::default(), 7, paths);
        assert_eq!(course(&again), course(&result));
    }
    assert_ne!(
        course(&search(&program, &mut Ese::default(), 8, 333)),
        course(&search(&program, &mut Ese::default(), 7, 333))
    );
}

#[test]
fn sweeping_terms_does_not_change_the_course() {
    let program = subjects::search_tree(8, 32);
    let rarely = search(&program, &mut Ese::default(), 3, 1500);
    let settings = EseSettings { most_terms: 1, ..EseSettings::default() };
    let often = search(&program, &mut Ese { settings, ..Ese::default() }, 3, 1500);
    assert_eq!(course(&often), course(&rarely));
}

#[test]
fn extreme_settings_end() {
    let program = subjects::insertion_sort(4, 32);
    let run = |settings: EseSettings, paths| {
        let mut ese = Ese { settings, ..Ese::default() };
        (search(&program, &mut ese, 1, paths), ese.report)
    };
    let (result, report) = run(EseSettings { popsize: 1, lsperiod: 0, ..EseSettings::default() }, 100);
    assert_eq!((result.paths, result.stop, report.generations), (1, Stop::Finished, 1));
    let (result, report) = run(EseSettings { popsize: 1, ..EseSettings::default() }, 100);
    assert_eq!((result.best_cost(), result.stop), (Some(6), Stop::Paths), "local search alone: {report:?}");
    let (result, _) = run(EseSettings { elitesize: 1000, mprob: 1.0, ..EseSettings::default() }, 1000);
    assert_eq!(result.best_cost(), Some(6));
    // Four numbers have 24 paths, so a population of distinct ones cannot grow beyond that.
    let (result, report) = run(EseSettings { distinct: true, ..EseSettings::default() }, 2000);
    assert_eq!(result.best_cost(), Some(6));
    assert!(report.generations > 40, "{report:?}");
}

#[test]
fn a_program_with_one_path_is_done_at_once() {
    let result = search(&papers::is_palindrome(1), &mut Ese::default(), 1, 100);
    assert_eq!((result.paths, result.best_cost(), result.complete), (1, Some(4), true));
}

#[test]
fn values_and_tables_are_clauses_too() {
    // All eight keys different and in one of four chains: 28 comparisons.
    let result = search(&subjects::hash_table(8, 8), &mut Ese::default(), 1, 3000);
    assert_eq!(result.best_cost(), Some(28));
    let result = search(&subjects::switch(6, 8), &mut Ese::default(), 1, 3000);
    let best = subjects::switch(6, 8);
    let settings = Settings { cost: CostModel::User, ..Settings::default() };
    let mut all = strategy::Exhaustive::new(strategy::Order::Depth(strategy::ArmOrder::TrueFirst));
    let optimum =
        strategy::run(Search::new(&best, settings), &mut all).sound().unwrap_or_else(|mismatch| panic!("{mismatch}"));
    assert_eq!(result.best_cost(), optimum.best_cost());
}

#[test]
fn a_budget_of_generations_is_kept() {
    let mut ese = Ese { settings: EseSettings { generations: 3, ..EseSettings::default() }, ..Ese::default() };
    let result = search(&papers::alternate_0(20), &mut ese, 1, 100_000);
    assert_eq!((ese.report.generations, result.stop), (3, Stop::Finished));
    // The first population, and at most as many children in each generation.
    assert!((50..=200).contains(&result.paths), "{}", result.paths);
}
