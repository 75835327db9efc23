//! Random paths: the distribution of Algorithm 3, repeatability, and bounded memory.

use pessimum_outcome::CostModel;
use pessimum_search::budget::{Budget, Stop};
use pessimum_search::program::{PathLimits, Program};
use pessimum_search::search::{Finished, Search, SearchResult, Settings};
use pessimum_search::strategy::{self, RandomPaths, Strategy};
use pessimum_testkit::{oracle, subjects};
use std::cell::RefCell;
use std::collections::BTreeMap;

fn sample(program: &dyn Program, seed: u64, paths: u64) -> (BTreeMap<Vec<u64>, u64>, SearchResult) {
    let counts = RefCell::new(BTreeMap::new());
    let budget = Budget { paths: Some(paths), ..Budget::default() };
    let settings = Settings { cost: CostModel::User, budget, seed, ..Settings::default() };
    let search = Search::new(program, settings).with_visitor(|path| {
        let arms = path.decisions.iter().map(|decision| decision.arm.0).collect();
        *counts.borrow_mut().entry(arms).or_insert(0) += 1;
    });
    let result =
        strategy::run(search, &mut RandomPaths::default()).sound().unwrap_or_else(|mismatch| panic!("{mismatch}"));
    (counts.into_inner(), result)
}

/// Each count is within five standard deviations of a binomial.
fn assert_binomial(counts: &BTreeMap<Vec<u64>, u64>, probability: impl Fn(&[u64]) -> f64) {
    let total = counts.values().sum::<u64>() as f64;
    let mut sum = 0.0;
    for (arms, &count) in counts {
        let p = probability(arms);
        let deviation = (total * p * (1.0 - p)).sqrt();
        assert!((count as f64 - total * p).abs() < 5.0 * deviation + 1.0, "{arms:?}: {count} of {total}, expected {p}");
        sum += p;
    }
    assert!((sum - 1.0).abs() < 1e-9, "paths are missing: {sum}");
}

#[test]
fn both_arms_of_a_branch_are_equally_likely() {
    // Insertion sort has no implied decisions.
    let (counts, _) = sample(&subjects::insertion_sort(4, 32), 1, 20_000);
    assert_eq!(counts.len(), 24);
    assert_binomial(&counts, |arms| 0.5f64.powi(arms.len() as i32));
}

#[test]
fn implied_decisions_are_not_drawn() {
    for program in [subjects::insertion_sort(3, 1), subjects::search_tree(4, 1)] {
        let paths = oracle::brute_force(&program, &PathLimits::default()).len() as u64;
        // An exhaustive walk asks about every arm, so it knows which decisions are implied.
        let drawn = RefCell::new(BTreeMap::new());
        let search = Search::new(&program, Settings::default()).with_visitor(|path| {
            let arms: Vec<u64> = path.decisions.iter().map(|decision| decision.arm.0).collect();
            let free = path.decisions.iter().filter(|decision| decision.implied == Some(false)).count();
            assert!(path.decisions.iter().all(|decision| decision.implied.is_some()));
            drawn.borrow_mut().insert(arms, free as i32);
        });
        let mut exhaustive = strategy::named("exhaustive").unwrap();
        assert_eq!(strategy::run(search, &mut *exhaustive).sound().unwrap().paths, paths);
        let drawn = drawn.into_inner();
        let (counts, _) = sample(&program, 4, 50_000);
        assert!(counts.keys().any(|arms| drawn[arms] < arms.len() as i32), "some decisions are implied");
        assert_binomial(&counts, |arms| 0.5f64.powi(drawn[arms]));
    }
}

#[test]
fn all_targets_of_a_table_are_equally_likely() {
    let (counts, _) = sample(&subjects::switch(1, 8), 2, 20_000);
    assert_eq!(counts.len(), 4);
    assert_binomial(&counts, |_| 0.25);
    // With one bit, only the first two targets exist.
    let (counts, _) = sample(&subjects::switch(1, 1), 2, 20_000);
    assert_eq!(counts.len(), 2);
    assert_binomial(&counts, |_| 0.5);
}

#[test]
fn values_are_drawn_from_the_feasible_ones() {
    let (counts, _) = sample(&subjects::hash_table(1, 8), 3, 20_000);
    assert_eq!(counts.keys().cloned().collect::<Vec<_>>(), [[0], [1], [2], [3]]);
    assert_binomial(&counts, |_| 0.25);
}

#[test]
fn a_seed_fixes_everything() {
    for program in [&subjects::quicksort_code(30) as &dyn Program, &subjects::hash_table(5, 16)] {
        let (first, one) = sample(program, 42, 150);
        let (second, two) = sample(program, 42, 150);
        assert_eq!(first, second);
        assert_eq!((one.best_cost(), one.counters, one.steps), (two.best_cost(), two.counters, two.steps));
        let inputs = [one, two].map(|result| result.best.map(|path| path.witness));
        assert_eq!(inputs[0], inputs[1]);
        let (other, _) = sample(program, 43, 150);
        assert_ne!(first, other);
    }
}

#[test]
fn the_budget_is_exact_and_terms_do_not_pile_up() {
    let program = subjects::quicksort_code(20);
    let budget = Budget { paths: Some(5000), ..Budget::default() };
    let mut search = Search::new(&program, Settings { budget, ..Settings::default() });
    assert_eq!(RandomPaths::default().search(&mut search), Finished::Partly);
    // Comparisons of 20 keys with each other, each with its negation and its extension to a word.
    assert!(search.kernel.arena().len() < 20 * 19 * 4, "{}", search.kernel.arena().len());
    let result = search.finish(Finished::Partly).sound().unwrap();
    assert_eq!((result.paths, result.stop, result.complete), (5000, Stop::Paths, false));
}
