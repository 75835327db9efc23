//! Exhaustive search against known counts and against brute force.

use pessimum_outcome::{CostModel, End, Limit, Trap};
use pessimum_search::budget::{Budget, Stop};
use pessimum_search::program::{PathLimits, Program};
use pessimum_search::random::Random;
use pessimum_search::search::{Search, SearchResult, Settings};
use pessimum_search::strategy::{self, ArmOrder, Declaration, Exhaustive, Options, Order};
use pessimum_testkit::machine::{Machine, random_code};
use pessimum_testkit::{oracle, subjects};
use std::sync::Arc;

const ORDERS: [Order; 5] = [
    Order::Depth(ArmOrder::TrueFirst),
    Order::Depth(ArmOrder::FalseFirst),
    Order::Depth(ArmOrder::Random),
    Order::Breadth,
    Order::Deepening(1),
];

fn exhaustive(program: &dyn Program, cost: CostModel, order: Order) -> SearchResult {
    let search = Search::new(program, Settings { cost, ..Settings::default() });
    let result =
        strategy::run(search, &mut Exhaustive::new(order)).sound().unwrap_or_else(|mismatch| panic!("{mismatch}"));
    assert!(result.complete, "{}: {:?}", program.name(), result.counters);
    assert_eq!(result.stop, Stop::Finished);
    result
}

/// Checks the number of paths and the greatest cost, in every order.
fn check(program: &dyn Program, cost: CostModel, paths: u64, greatest: u64) {
    for order in ORDERS {
        let result = exhaustive(program, cost, order);
        assert_eq!((result.paths, result.best_cost()), (paths, Some(greatest)), "{} {order:?}", program.name());
        assert_eq!(result.ends.values().sum::<u64>(), paths);
    }
}

#[test]
fn insertion_sort_has_n_factorial_paths() {
    for (n, paths) in [(1, 1), (2, 2), (3, 6), (4, 24), (5, 120), (6, 720)] {
        check(&subjects::insertion_sort(n, 32), CostModel::User, paths, (n * (n - 1) / 2) as u64);
        check(&subjects::insertion_sort_code(n), CostModel::Decisions, paths, (n * (n - 1) / 2) as u64);
    }
}

#[test]
fn search_trees_have_as_many_paths_as_there_are_weak_orders() {
    // Each level of a chain tests == and then <.
    for (n, paths) in [(1, 1), (2, 3), (3, 13), (4, 75), (5, 541)] {
        check(&subjects::search_tree(n, 32), CostModel::Decisions, paths, (n * (n - 1)) as u64);
    }
}

#[test]
fn heap_insertion_has_the_published_paths() {
    for (n, paths, longest) in [(3, 4, 2), (4, 12, 4), (5, 36, 6), (6, 108, 8)] {
        check(&subjects::heap(n, 32), CostModel::Decisions, paths, longest);
    }
    assert_eq!(exhaustive(&subjects::heap(10, 32), CostModel::User, ORDERS[0]).paths, 20_736);
}

#[test]
fn boyer_moore_has_the_published_paths() {
    for (n, paths) in [(3, 4), (4, 4), (5, 4), (10, 40)] {
        check(&subjects::boyer_moore(n), CostModel::Decisions, paths, (n / 3 * 3) as u64);
    }
    let result = exhaustive(&subjects::boyer_moore(20), CostModel::Decisions, ORDERS[1]);
    assert_eq!((result.paths, result.best_cost()), (1093, Some(18)));
}

#[test]
fn paths_are_those_of_brute_force() {
    // With three bits each there are enough values for every order of four numbers.
    let limits = PathLimits::default();
    for order in ORDERS {
        oracle::assert_same(&subjects::insertion_sort(4, 3), limits, &mut Exhaustive::new(order));
        oracle::assert_same(&subjects::search_tree(4, 3), limits, &mut Exhaustive::new(order));
        oracle::assert_same(&subjects::switch(4, 3), limits, &mut Exhaustive::new(order));
        let result = oracle::assert_same(&subjects::hash_table(3, 4), limits, &mut Exhaustive::new(order));
        assert!(result.complete);
    }
}

#[test]
fn sorting_paths_do_not_depend_on_the_width_of_the_keys() {
    assert_eq!(exhaustive(&subjects::quicksort_code(5), CostModel::User, ORDERS[0]).best_cost(), Some(10));
    // Three keys of one bit cannot be in every order.
    let narrow = subjects::insertion_sort(3, 1);
    let result = oracle::assert_same(&narrow, PathLimits::default(), &mut Exhaustive::new(ORDERS[0]));
    assert!(result.paths < 6 && result.counters.infeasible > 0);
}

#[test]
fn hash_collisions_are_found() {
    for order in ORDERS {
        let result = exhaustive(&subjects::hash_table(3, 16), CostModel::User, order);
        assert_eq!(result.best_cost(), Some(3));
    }
}

/// Programs are drawn from a fixed seed; a failure names the program, which the seed reproduces.
#[test]
fn random_programs_have_the_paths_that_brute_force_finds() {
    let mut random = Random::new(20);
    let limits = PathLimits { instructions: 60, depth: 5, ..PathLimits::default() };
    let (mut paths, mut traps, mut limited, mut infeasible) = (0, 0, 0, 0);
    for number in 0..1000 {
        let machine = Machine(Arc::new(random_code(&mut random, format!("random program {number}"))));
        let order = ORDERS[number % ORDERS.len()];
        let result = oracle::assert_same(&machine, limits, &mut Exhaustive::new(order));
        let count = |kind: fn(End) -> bool| result.ends.iter().filter(|(end, _)| kind(**end)).map(|(_, n)| n).sum();
        let at_limit: u64 = count(|end| matches!(end, End::Limit(_)));
        let trapped: u64 = count(|end| matches!(end, End::Trapped(_)));
        assert_eq!(result.complete, at_limit == 0, "{}", machine.name());
        paths += result.paths;
        traps += trapped;
        limited += at_limit;
        infeasible += result.counters.infeasible;
    }
    // The comparison is worth something only if there are many paths, of every kind.
    assert!(
        paths > 6_000 && traps > 600 && limited > 60 && infeasible > 3000,
        "{paths} {traps} {limited} {infeasible}"
    );
}

#[test]
fn ends_are_counted_by_kind() {
    let result = exhaustive(&subjects::switch(2, 8), CostModel::User, ORDERS[0]);
    // A closing symbol comes first, or second after one that opens nothing.
    assert_eq!(result.ends[&End::Trapped(Trap::Host)], 1 + 2);
    assert_eq!(result.paths, 1 + 3 * 4);
}

#[test]
fn a_budget_of_paths_is_exact_and_never_complete() {
    for order in ORDERS {
        let program = subjects::insertion_sort(5, 32);
        for paths in [1, 7, 119] {
            let budget = Budget { paths: Some(paths), ..Budget::default() };
            let search = Search::new(&program, Settings { budget, ..Settings::default() });
            let result = strategy::run(search, &mut Exhaustive::new(order)).sound().unwrap();
            assert_eq!((result.paths, result.stop, result.complete), (paths, Stop::Paths, false), "{order:?}");
        }
    }
}

#[test]
fn a_budget_of_steps_ends_a_search() {
    let program = subjects::insertion_sort_code(9);
    let budget = Budget { steps: Some(100_000), ..Budget::default() };
    let search = Search::new(&program, Settings { budget, ..Settings::default() });
    let result = strategy::run(search, &mut Exhaustive::new(ORDERS[0])).sound().unwrap();
    assert_eq!((result.stop, result.complete), (Stop::Steps, false));
    assert!((100_000..120_000).contains(&result.steps), "{}", result.steps);
}

#[test]
fn a_limit_makes_a_search_incomplete_and_is_counted() {
    let program = subjects::insertion_sort(4, 32);
    let limits = PathLimits { decisions: 4, ..PathLimits::default() };
    let search = Search::new(&program, Settings { limits, cost: CostModel::User, ..Settings::default() });
    let result = strategy::run(search, &mut Exhaustive::new(ORDERS[0])).sound().unwrap();
    assert!(!result.complete && result.stop == Stop::Finished);
    assert!(result.ends[&End::Limit(Limit::Decisions)] > 0);
    // The best input was replayed without that limit, so its cost is a real one.
    let best = result.best.unwrap();
    assert_eq!(best.end, End::Returned);
    assert_eq!(program.replay(&best.witness, &PathLimits::default()).costs.user, best.costs.user);
}

#[test]
fn memory_does_not_grow_with_the_number_of_paths() {
    let program = subjects::insertion_sort_code(7);
    let mut search = Search::new(&program, Settings::default());
    let walked = strategy::Strategy::search(&mut Exhaustive::new(ORDERS[0]), &mut search);
    assert_eq!(walked, pessimum_search::search::Finished::Everything);
    // 42 comparisons, with their negations and extensions, are all that exist at once.
    assert_eq!(search.kernel.meter.paths, 5040);
    assert!(search.kernel.arena().len() < 400, "{}", search.kernel.arena().len());
}

/// The same, with every answer of a fast layer checked against bit-blasting and every model evaluated.
#[test]
fn answers_are_the_same_with_a_validating_solver() {
    let mut random = Random::new(77);
    let limits = PathLimits { instructions: 60, depth: 5, ..PathLimits::default() };
    let solver = pessimum_solver::Settings { validate: true, ..pessimum_solver::Settings::default() };
    for number in 0..100 {
        let machine = Machine(Arc::new(random_code(&mut random, format!("validated program {number}"))));
        let settings = Settings { limits, solver: solver.clone(), ..Settings::default() };
        let (paths, _) = oracle::visited(&machine, settings, &mut Exhaustive::new(ORDERS[number % 5]));
        assert_eq!(paths, oracle::brute_force(&machine, &limits), "{}", machine.name());
    }
}

#[test]
fn values_beyond_the_limit_are_counted_and_make_a_search_incomplete() {
    let program = subjects::hash_table(1, 8);
    for (values, paths, cut) in [(4, 4, 0), (3, 3, 1), (1, 1, 1)] {
        let search = Search::new(&program, Settings::default());
        let result = strategy::run(search, &mut Exhaustive { order: ORDERS[0], values }).sound().unwrap();
        assert_eq!((result.paths, result.counters.values_cut, result.complete), (paths, cut, cut == 0));
    }
}

#[test]
fn a_nested_search_is_charged_to_the_outer_one() {
    let (program, small) = (subjects::insertion_sort(6, 32), subjects::insertion_sort(4, 32));
    let budget = Budget { paths: Some(100), ..Budget::default() };
    let mut search = Search::new(&program, Settings { budget, ..Settings::default() });
    let nested = Search::new(&small, search.nested_settings());
    let nested = strategy::run(nested, &mut Exhaustive::new(ORDERS[0])).sound().unwrap();
    assert!(nested.complete && nested.paths == 24);
    search.charge(&nested);
    assert_eq!(search.nested_settings().budget.paths, Some(76));
    let result = strategy::run(search, &mut Exhaustive::new(ORDERS[0])).sound().unwrap();
    assert_eq!((result.paths, result.ends.values().sum::<u64>(), result.stop), (100, 76, Stop::Paths));
    assert!(result.steps > nested.steps && result.counters.decisions > nested.counters.decisions);
}

#[test]
fn the_order_of_arms_decides_which_path_comes_first() {
    let program = subjects::insertion_sort(5, 32);
    let first = |order: &str, seed: u64| {
        let dfs = Declaration::of("dfs").unwrap();
        let mut strategy = dfs.make(&Options::of(dfs, [("order", order)]).unwrap()).unwrap();
        let budget = Budget { paths: Some(1), ..Budget::default() };
        let search = Search::new(&program, Settings { budget, seed, ..Settings::default() });
        let path = strategy::run(search, strategy.as_mut()).best.unwrap();
        path.decisions.iter().map(|decision| decision.arm.0).collect::<Vec<_>>()
    };
    // Every insertion ends at its first test, or goes on to the end.
    assert_eq!(first("0", 1), [0; 4]);
    assert_eq!(first("1", 1), [1; 10]);
    assert!((1..=20).any(|seed| ![vec![0; 4], vec![1; 10]].contains(&first("random", seed))));
}
