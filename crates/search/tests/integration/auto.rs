//! `auto` on programs whose worst cases are known.
//!
//! Budgets of paths make every run repeatable. They are many times what the searches need, and a search ends when it
//! reaches the known cost: a test fails if `auto` has become far worse, not if it merely takes another course.

use pessimum_outcome::CostModel;
use pessimum_search::budget::Budget;
use pessimum_search::search::{Search, SearchResult, Settings};
use pessimum_search::strategy::{self, Auto, AutoSettings, Operator};
use pessimum_search::watch::Watch;
use pessimum_term::BinaryOp;
use pessimum_testkit::benchmarks::{SUBJECTS, Subject};
use pessimum_testkit::native::NativeFamily;
use pessimum_testkit::script::Script;
use pessimum_testkit::subjects;
use pessimum_testkit::value::Value;

fn subject(name: &str) -> &'static Subject {
    SUBJECTS.iter().find(|subject| subject.name == name).expect("a subject")
}

fn settings(subject: &Subject, paths: u64, seed: u64) -> Settings {
    let budget = Budget { paths: Some(paths), ..Budget::default() };
    Settings { cost: subject.cost, budget, seed, ..Settings::default() }
}

fn search(name: &str, size: u32, paths: u64, seed: u64) -> SearchResult {
    search_with(Auto::default(), name, size, paths, seed)
}

fn search_with(mut auto: Auto, name: &str, size: u32, paths: u64, seed: u64) -> SearchResult {
    let subject = subject(name);
    let (family, program) = (NativeFamily(subject.at), (subject.at)(size));
    let search = Search::new(&program, settings(subject, paths, seed)).with_family(&family, size);
    strategy::run(search, &mut auto).sound().unwrap_or_else(|error| panic!("{error}"))
}

/// The best cost of a search that ends at the first path of at least the known worst cost.
fn best_until_known(auto: &mut Auto, name: &str, size: u32, paths: u64, seed: u64) -> (Option<u64>, u64) {
    let subject = subject(name);
    let known = (subject.known)(size).expect("a known worst case");
    let (family, program) = (NativeFamily(subject.at), (subject.at)(size));
    let settings = Settings { target: Some(known), ..settings(subject, paths, seed) };
    let search = Search::new(&program, settings).with_family(&family, size);
    let result = strategy::run(search, auto).sound().unwrap_or_else(|error| panic!("{error}"));
    (result.best_cost(), known)
}

/// The known worst case is reached, and never exceeded if it is a proven optimum.
#[test]
fn known_optima_are_reached() {
    for (name, size, paths) in [
        ("insertion_sort", 60, 5_000),
        ("bst", 60, 5_000),
        ("heap", 100, 5_000),
        ("merge_sort", 32, 200_000),
        ("alternate_0", 100, 100_000),
        ("palindrome", 100, 20_000),
        ("memory_fill", 100, 50_000),
        ("boyer_moore", 99, 50_000),
        ("dfs", 6, 100_000),
        ("bfs", 6, 100_000),
    ] {
        for seed in 1..=3 {
            let (best, known) = best_until_known(&mut Auto::default(), name, size, paths, seed);
            assert_eq!(best, Some(known), "{name} {size}, seed {seed}");
        }
    }
}

#[test]
fn quicksort_costs_at_least_as_much_as_under_the_killer_adversary() {
    let (best, known) = best_until_known(&mut Auto::default(), "quicksort", 60, 50_000, 1);
    assert!(best >= Some(known), "{best:?} {known}");
}

#[test]
fn one_thread_and_a_budget_of_paths_can_be_repeated() {
    for name in ["quicksort", "parser", "kmp"] {
        let run = |seed| {
            let result = search(name, 20, 700, seed);
            assert_eq!(result.paths, 700, "{name}");
            let costs: Vec<(u64, u64)> = result.progress.iter().map(|step| (step.paths, step.cost)).collect();
            (costs, result.best.expect("a path").witness, result.counters)
        };
        assert_eq!(run(3), run(3), "{name}");
        assert_ne!(run(3).2, run(4).2, "{name}");
    }
}

#[test]
fn few_paths_are_all_visited() {
    let result = search("insertion_sort", 5, 10_000, 1);
    assert!(result.complete);
    assert_eq!((result.paths, result.best_cost()), (120, Some(10)));
}

/// A byte has 256 values, and so many paths at most, however long they are.
#[test]
fn few_inputs_are_all_tried() {
    let program = Script::new("countdown", subjects::variables(1, 8), |c| {
        let mut left = c.input(0);
        while !c.equal(0, left, Value::concrete(8, 0))? {
            c.cost(1);
            left = c.binary_const(BinaryOp::Add, left, 0xff);
        }
        Ok(())
    });
    let found = |few_inputs: u64| {
        let budget = Budget { paths: Some(1_000), ..Budget::default() };
        let search = Search::new(&program, Settings { cost: CostModel::User, budget, ..Settings::default() });
        let settings = AutoSettings { few_inputs, ..AutoSettings::default() };
        strategy::run(search, &mut Auto { settings, ..Auto::default() }).sound().unwrap()
    };
    let result = found(256);
    assert_eq!((result.complete, result.paths, result.best_cost()), (true, 256, Some(255)));
    assert!(!found(255).complete, "long paths are not all visited elsewhere");
}

/// Concrete runs and the path that follows the best of them together keep to the budget.
#[test]
fn a_budget_of_paths_is_not_exceeded() {
    for name in ["dfs", "merge_sort", "palindrome", "quicksort"] {
        for paths in 100..400 {
            let result = search(name, 8, paths, paths);
            assert!(result.paths <= paths, "{name}: {} of {paths}", result.paths);
        }
    }
}

/// Each worker has its share of the paths, and what any of them finds is the result of all.
#[test]
fn islands_share_paths_and_results() {
    for (name, size, paths) in [("merge_sort", 16, 30_001), ("dfs", 5, 30_001)] {
        let result = search_with(Auto { threads: 3, ..Auto::default() }, name, size, paths, 1);
        assert_eq!(result.best_cost(), (subject(name).known)(size), "{name}");
        assert_eq!(result.paths, paths, "{name}");
        let progress = &result.progress;
        assert!(progress.is_sorted_by(|one, next| one.cost < next.cost && one.paths <= next.paths), "{progress:?}");
        let last = progress.last().expect("an improvement");
        assert!(Some(last.cost) == (subject(name).known)(size) && last.paths <= paths, "{last:?}");
    }
}

/// A step is stamped with the number of paths that all workers have completed by then. What one worker finds on its
/// n-th path is not stamped with the paths that the others may still complete.
#[test]
fn progress_of_islands_does_not_jump_over_what_is_reserved() {
    let result = search_with(Auto { threads: 4, ..Auto::default() }, "quicksort", 20, 40_000, 1);
    let begun = result.progress.iter().filter(|step| step.paths < 10_000).count();
    assert!(begun * 2 > result.progress.len(), "most is found early: {:?}", result.progress);
}

/// A closed operator is not used through another one either.
#[test]
fn closed_operators_are_never_used() {
    let subject = subject("quicksort");
    let program = (subject.at)(12);
    for closed in Operator::ALL {
        let watch = Watch::new();
        let settings = Settings { watch: watch.clone(), ..settings(subject, 2000, 1) };
        let mut auto = Auto { without: vec![closed], ..Auto::default() };
        strategy::run(Search::new(&program, settings), &mut auto).sound().unwrap_or_else(|error| panic!("{error}"));
        let used: Vec<&str> = watch.operators().iter().map(|operator| operator.name).collect();
        assert!(!used.contains(&closed.name()) && used.len() == Operator::ALL.len() - 1, "{closed:?}: {used:?}");
    }
}

/// The bandit, to which concrete runs are cheap, does not draw the archive beyond its share.
#[test]
fn concrete_runs_take_no_more_than_their_share_of_the_paths() {
    let subject = subject("quicksort");
    let program = (subject.at)(30);
    let watch = Watch::new();
    let settings = Settings { watch: watch.clone(), ..settings(subject, 4000, 1) };
    strategy::run(Search::new(&program, settings), &mut Auto::default());
    let news = watch.wait(0, std::time::Duration::ZERO);
    let uses = |name: &str| news.operators.iter().find(|operator| operator.name == name).map_or(0, |found| found.uses);
    let all: u64 = news.operators.iter().map(|operator| operator.uses).sum();
    // One use runs up to 64 inputs, so half of the paths are 31 uses.
    assert!((1..=34).contains(&uses("archive")), "{} uses of {all}", uses("archive"));
}

/// Checks in a row, each with an arm that ends the run: no policy knows the arms beforehand, and by chance hardly any
/// check holds. Mending the last one again and again passes them all.
#[test]
fn inputs_are_mended_where_their_runs_end() {
    const CHECKS: usize = 40;
    let program = Script::new("checks", subjects::variables(CHECKS, 32), |c| {
        for index in 0..CHECKS {
            let x = c.input(index);
            let product = c.binary_const(BinaryOp::Mul, x, 0x9e37_79b1);
            let holds = c.equal(0, product, Value::concrete(32, 12_345 + index as u64))?;
            if holds != (0xb2_d59c_4a6bu64 >> index & 1 == 1) {
                return Ok(());
            }
            c.cost(1);
        }
        Ok(())
    });
    let found = |open: &[Operator]| {
        let budget = Budget { paths: Some(2_000), ..Budget::default() };
        let search = Search::new(&program, Settings { cost: CostModel::User, budget, ..Settings::default() });
        let without = Operator::ALL.into_iter().filter(|operator| !open.contains(operator)).collect();
        // There are few paths: a walk through all of them would find the longest one.
        let settings = AutoSettings { walk_paths: 0, ..AutoSettings::default() };
        strategy::run(search, &mut Auto { without, settings, ..Auto::default() }).sound().unwrap().best_cost()
    };
    assert_eq!(found(&[Operator::Mend]), Some(CHECKS as u64));
    let (by_archive, by_none) = (found(&[Operator::Archive]), found(&[]));
    assert!(by_archive < Some(20) && by_none < Some(20), "{by_archive:?} {by_none:?}");
}

/// Without any operator the search ends after its first paths.
#[test]
fn a_search_without_operators_ends() {
    let auto = Auto { without: Operator::ALL.to_vec(), training: false, ..Auto::default() };
    let result = search_with(auto, "quicksort", 12, 100_000, 1);
    assert!(result.best.is_some() && result.paths < 100_000, "{}", result.paths);
}

/// The first inputs are run before anything else and counted only when they are followed: a search with a budget of
/// one path has an answer, and it is one path.
#[test]
fn one_path_is_enough_for_an_answer() {
    for name in ["quicksort", "parser", "merge_sort"] {
        let result = search(name, 50, 1, 1);
        assert!(result.best.is_some(), "{name}");
        assert_eq!(result.paths, 1, "{name}");
    }
}

/// Where paths are long, a policy found at a smaller size is carried over: a few paths are enough to find what random
/// decisions would not find among very many.
#[test]
fn policies_are_carried_to_large_sizes() {
    for name in ["insertion_sort", "bst"] {
        let (best, known) = best_until_known(&mut Auto::default(), name, 200, 600, 1);
        assert_eq!(best, Some(known), "{name}");
    }
}

/// What a search at a small size taught makes a search at a large size quick.
#[test]
fn lessons_carry_to_larger_sizes() {
    for (name, small, large, paths) in [
        ("insertion_sort", 20, 200, 100),
        ("bst", 20, 200, 100),
        ("palindrome", 20, 400, 300),
        ("quicksort", 20, 60, 4000),
    ] {
        let mut auto = Auto { training: false, ..Auto::default() };
        assert!(auto.lessons.is_empty());
        let program = (subject(name).at)(small);
        let settings = Settings { carries_over: true, ..settings(subject(name), 2000, 1) };
        strategy::run(Search::new(&program, settings), &mut auto).sound().unwrap_or_else(|error| panic!("{error}"));
        assert!(!auto.lessons.is_empty());
        let (taught, known) = best_until_known(&mut auto, name, large, paths, 1);
        assert!(taught >= Some(known), "{name}: {taught:?}");
    }
}
