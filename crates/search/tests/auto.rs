//! `auto` on programs whose worst cases are known, under budgets of paths so that every run can be repeated.

use pessimum_search::budget::Budget;
use pessimum_search::search::{Search, SearchResult, Settings};
use pessimum_search::strategy::{self, Auto};
use pessimum_testkit::benchmarks::SUBJECTS;
use pessimum_testkit::native::NativeFamily;

fn search(name: &str, size: u32, paths: u64, seed: u64) -> (SearchResult, Option<u64>) {
    search_with(Auto::default(), name, size, paths, seed)
}

fn search_with(mut auto: Auto, name: &str, size: u32, paths: u64, seed: u64) -> (SearchResult, Option<u64>) {
    let subject = SUBJECTS.iter().find(|subject| subject.name == name).expect("a subject");
    let (family, program) = (NativeFamily(subject.at), (subject.at)(size));
    let budget = Budget { paths: Some(paths), ..Budget::default() };
    let settings = Settings { cost: subject.cost, budget, seed, ..Settings::default() };
    let search = Search::new(&program, settings).with_family(&family, size);
    let result = strategy::run(search, &mut auto).sound().unwrap_or_else(|error| panic!("{error}"));
    (result, (subject.known)(size))
}

/// The known worst case is reached, and never more than it where it is a proven optimum.
#[test]
fn known_optima_are_reached() {
    for (name, size, paths) in [
        ("insertion_sort", 60, 200),
        ("bst", 60, 200),
        ("heap", 100, 200),
        ("merge_sort", 32, 20_000),
        ("alternate_0", 100, 10_000),
        ("palindrome", 100, 1_000),
        ("memory_fill", 100, 5_000),
        ("boyer_moore", 99, 5_000),
        ("dfs", 6, 10_000),
        ("bfs", 6, 10_000),
    ] {
        let (result, known) = search(name, size, paths, 1);
        assert_eq!(result.best_cost(), known, "{name} {size}");
    }
}

#[test]
fn quicksort_costs_more_than_under_the_killer_adversary() {
    let (result, known) = search("quicksort", 60, 5_000, 1);
    assert!(result.best_cost() >= known, "{:?} {known:?}", result.best_cost());
}

#[test]
fn one_thread_and_a_budget_of_paths_can_be_repeated() {
    for name in ["quicksort", "parser", "kmp"] {
        let run = |seed| {
            let (result, _) = search(name, 20, 700, seed);
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
    let (result, _) = search("insertion_sort", 5, 10_000, 1);
    assert!(result.complete);
    assert_eq!((result.paths, result.best_cost()), (120, Some(10)));
}

/// Each worker has its share of the paths, and what any of them finds is the result of all.
#[test]
fn islands_share_paths_and_results() {
    for (name, size, paths) in [("merge_sort", 16, 9001), ("dfs", 5, 3000)] {
        let (result, known) = search_with(Auto { threads: 3, ..Auto::default() }, name, size, paths, 1);
        assert_eq!(result.best_cost(), known, "{name}");
        assert_eq!(result.paths, paths, "{name}");
        assert!(result.progress.is_sorted_by(|one, next| one.cost < next.cost));
    }
}

/// Where paths are long, a policy found at a smaller size is carried up.
#[test]
fn policies_are_carried_to_large_sizes() {
    let (result, known) = search("insertion_sort", 200, 60, 1);
    assert_eq!(result.best_cost(), known);
    let (result, known) = search("bst", 200, 60, 1);
    assert_eq!(result.best_cost(), known);
}

/// What a search at a small size taught makes a large one quick: the known worst case within a few paths.
#[test]
fn lessons_carry_to_larger_sizes() {
    for (name, small, large, paths) in
        [("insertion_sort", 20, 200, 10), ("bst", 20, 200, 10), ("palindrome", 20, 400, 30), ("quicksort", 20, 60, 400)]
    {
        let subject = SUBJECTS.iter().find(|subject| subject.name == name).expect("a subject");
        let mut auto = Auto { training: false, ..Auto::default() };
        assert!(auto.lessons.is_empty());
        let mut run = |size: u32, paths: u64| {
            let program = (subject.at)(size);
            let budget = Budget { paths: Some(paths), ..Budget::default() };
            let settings = Settings { cost: subject.cost, budget, seed: 1, carries_over: true, ..Settings::default() };
            let result = strategy::run(Search::new(&program, settings), &mut auto)
                .sound()
                .unwrap_or_else(|error| panic!("{error}"));
            assert!(result.complete || result.paths == paths, "{name} {size}");
            result.best_cost()
        };
        run(small, 2000);
        let taught = run(large, paths);
        assert!(!auto.lessons.is_empty());
        assert!(taught >= (subject.known)(large), "{name}: {taught:?}");
    }
}
