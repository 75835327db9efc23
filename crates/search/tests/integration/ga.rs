//! The genetic search on concrete inputs. Budgets are in runs, so a search is the same every time.

use pessimum_outcome::CostModel;
use pessimum_search::budget::{Budget, Stop};
use pessimum_search::program::{Observer, PathLimits, Program, Replay, Run, SiteId, Variable};
use pessimum_search::random::Random;
use pessimum_search::search::{Search, SearchResult, Settings};
use pessimum_search::strategy::{self, Changes, Declaration, Ga, GaSettings, Options};
use pessimum_term::{Arena, BinaryOp, TermId, VariableId, Witness};
use pessimum_testkit::script::Script;
use pessimum_testkit::value::Value;
use pessimum_testkit::{papers, subjects};

fn search(program: &dyn Program, cost: CostModel, seed: u64, paths: u64) -> SearchResult {
    let budget = Budget { paths: Some(paths), ..Budget::default() };
    let settings = Settings { cost, budget, seed, ..Settings::default() };
    strategy::run(Search::new(program, settings), &mut Ga::default())
        .sound()
        .unwrap_or_else(|mismatch| panic!("{mismatch}"))
}

/// The best of as many random inputs.
fn random(program: &dyn Program, cost: CostModel, seed: u64, runs: u64) -> u64 {
    let mut random = Random::new(seed);
    let variables = program.variables();
    let cost = |input: Witness| cost.of(&program.replay(&input, &PathLimits::default()).costs);
    (0..runs).map(|_| cost(random.witness(&variables))).max().unwrap_or(0)
}

#[test]
fn sorting_is_nearly_solved_and_random_inputs_are_not() {
    let program = subjects::insertion_sort_code(30);
    let found = search(&program, CostModel::User, 1, 5000);
    assert!(found.best_cost() > Some(420), "{:?} of 435", found.best_cost());
    let random = random(&program, CostModel::User, 1, 5000);
    assert!(random < 350, "{random}");
    assert_eq!((found.paths, found.stop, found.complete), (5000, Stop::Paths, false));
    let decisions = found.best.map_or(0, |path| path.decisions.len());
    assert!(decisions > 420, "the best input's decisions are found at the end: {decisions}");
}

#[test]
fn equalities_are_found_by_copying_values() {
    // 32-bit equality is out of reach of random values; ESE's EvoSuite column has 4.8 at 10 items.
    let program = papers::is_palindrome(10);
    assert_eq!(search(&program, CostModel::User, 1, 20_000).best_cost(), Some(22));
    assert!(random(&program, CostModel::User, 1, 20_000) <= 5);
}

#[test]
fn decisions_are_counted_by_following_the_input() {
    let program = subjects::insertion_sort(8, 16);
    let result = search(&program, CostModel::Decisions, 1, 2000);
    assert_eq!((result.best_cost(), result.paths), (Some(28), 2000));
}

#[test]
fn the_seed_fixes_the_course() {
    let program = subjects::quicksort_code(20);
    let course = |seed| {
        let result = search(&program, CostModel::Instructions, seed, 700);
        let steps: Vec<(u64, u64)> = result.progress.iter().map(|step| (step.paths, step.cost)).collect();
        (steps, result.best.map(|path| path.witness))
    };
    assert_eq!(course(4), course(4));
    assert_ne!(course(4), course(5));
}

/// A sum of bytes, each of which the program assumes to be below 60; its precondition is that the first one is even.
struct Even(Script);

fn even() -> Even {
    Even(Script::new("even", subjects::variables(3, 8), |c| {
        let values = c.inputs();
        let mut sum = Value::concrete(8, 0);
        for value in values {
            let small = c.binary_const(BinaryOp::LtU, value, 60);
            c.assume(small)?;
            sum = c.binary(BinaryOp::Add, sum, value);
        }
        for bound in (0..200).step_by(10) {
            let above = c.binary_const(BinaryOp::LtU, sum, bound);
            if !c.test(0, above)? {
                c.cost(1);
            }
        }
        Ok(())
    }))
}

impl Program for Even {
    fn name(&self) -> &str {
        self.0.name()
    }
    fn variables(&self) -> Vec<Variable> {
        self.0.variables()
    }
    fn preconditions_beyond_ranges(&self, arena: &mut Arena) -> Vec<TermId> {
        let first = arena.variable(VariableId(0), 8);
        let one = arena.constant(8, 1);
        let low = arena.binary(BinaryOp::And, first, one);
        let zero = arena.constant(8, 0);
        vec![arena.binary(BinaryOp::Eq, low, zero)]
    }
    fn start(&self, arena: &mut Arena, limits: &PathLimits) -> Box<dyn Run> {
        self.0.start(arena, limits)
    }
    fn run_concrete(&self, input: &Witness, limits: &PathLimits, observer: &mut dyn Observer) -> (Replay, PathLimits) {
        self.0.run_concrete(input, limits, observer)
    }
    fn site_name(&self, site: SiteId) -> String {
        self.0.site_name(site)
    }
}

#[test]
fn assumptions_and_preconditions_are_respected() {
    // 58 (even), 59 and 59 sum to 176: the bounds 0, 10, .., 170.
    let result = search(&even(), CostModel::User, 1, 3000);
    assert_eq!(result.best_cost(), Some(18));
    let best = result.best.expect("a best path");
    assert!(best.witness.get(VariableId(0)).is_multiple_of(2));
    assert!((0..3).all(|index| best.witness.get(VariableId(index)) < 60));
}

/// A program that says nothing about its variables beforehand, like one that asks for its input while it runs.
struct Unannounced(Script);

impl Program for Unannounced {
    fn name(&self) -> &str {
        self.0.name()
    }
    fn variables(&self) -> Vec<Variable> {
        Vec::new()
    }
    fn start(&self, arena: &mut Arena, limits: &PathLimits) -> Box<dyn Run> {
        self.0.start(arena, limits)
    }
    fn run_concrete(&self, input: &Witness, limits: &PathLimits, observer: &mut dyn Observer) -> (Replay, PathLimits) {
        self.0.run_concrete(input, limits, observer)
    }
    fn site_name(&self, site: SiteId) -> String {
        self.0.site_name(site)
    }
}

#[test]
fn variables_are_found_while_the_program_runs() {
    // Each test is reached only if the one before it succeeded, so one more variable is known after each improvement.
    let ladder = Script::new("ladder", subjects::variables(5, 8), |c| {
        for value in c.inputs() {
            c.cost(1);
            let above = c.binary_const(BinaryOp::LtU, value, 100);
            if c.test(0, above)? {
                break;
            }
        }
        Ok(())
    });
    let result = search(&Unannounced(ladder), CostModel::User, 1, 3000);
    assert_eq!(result.best_cost(), Some(5));
}

#[test]
fn small_populations_and_budgets_end() {
    let program = subjects::insertion_sort(5, 32);
    for settings in [
        GaSettings { population: 0, elite: 9, rank_bias: 1.0, ..GaSettings::default() },
        GaSettings { patience: 1, crossover: 1.0, ..GaSettings::default() },
    ] {
        for paths in [1, 2, 81, 500] {
            let budget = Budget { paths: Some(paths), ..Budget::default() };
            let search = Search::new(&program, Settings { cost: CostModel::User, budget, ..Settings::default() });
            let result =
                strategy::run(search, &mut Ga { settings }).sound().unwrap_or_else(|mismatch| panic!("{mismatch}"));
            assert_eq!(result.paths, paths);
        }
    }
    let nothing = Script::new("nothing", Vec::new(), |c| c.tick(7));
    let result = search(&nothing, CostModel::Instructions, 1, 100);
    assert_eq!((result.best_cost(), result.paths), (Some(7), 1));
}

#[test]
fn values_drawn_one_by_one_are_hardly_ever_equal() {
    // ESE, Table V: EvoSuite leaves is_palindrome at its first comparison. One pair of numbers from -2048 to 2048 is equal
    // now and then; the plain search does not begin with zeros, which are a palindrome, and copies nothing.
    let program = papers::is_palindrome(10);
    let budget = Budget { paths: Some(2000), ..Budget::default() };
    let settings = GaSettings { changes: Changes::Values, ..GaSettings::default() };
    let best = |settings: GaSettings| {
        let search = Search::new(&program, Settings { cost: CostModel::User, budget, ..Settings::default() });
        let found = strategy::run(search, &mut Ga { settings }).sound().unwrap_or_else(|mismatch| panic!("{mismatch}"));
        assert_eq!(found.paths, 2000);
        let best = found.best.unwrap_or_else(|| panic!("inputs were run"));
        (best.costs.user, best.witness.values().to_vec())
    };
    assert!(best(settings).0 < 22, "{:?}", best(settings));
    // Half of the values can be set: the others are zero, and so is nothing else.
    let (_, values) = best(GaSettings { statements: 5, ..settings });
    assert!(values.iter().skip(5).all(|&value| value == 0), "{values:?}");
    assert!(values.iter().take(5).any(|&value| value != 0), "{values:?}");
}

#[test]
fn its_settings_are_options() {
    let ga = Declaration::of("ga").unwrap();
    let make = |words: &[(&'static str, &'static str)]| {
        Options::of(ga, words.iter().copied()).and_then(|options| ga.make(&options).map(drop))
    };
    assert_eq!(make(&[("changes", "values"), ("statements", "120"), ("rank-bias", "1")]), Ok(()));
    assert_eq!(make(&[("elite", "80")]), Err("--elite 80: must be below --population 80".to_owned()));
    assert_eq!(make(&[("changes", "all")]), Err("--changes all: expected rows or values".to_owned()));
}
