//! Everything that was run counts: inputs run before the search, runs at a limit, runs that the budget cut off.

use pessimum_outcome::{CostModel, Costs, End, Limit};
use pessimum_search::budget::{Budget, Stop};
use pessimum_search::path::Origin;
use pessimum_search::program::{Observer, PathLimits, Program, Replay, Run, SiteId, Variable};
use pessimum_search::search::{Defect, Search, SearchResult, Settings};
use pessimum_search::strategy::{self, STRATEGIES};
use pessimum_term::{Arena, BinaryOp, VariableId, Witness};
use pessimum_testkit::machine::{Code, Instruction, Machine};
use pessimum_testkit::subjects;
use std::sync::Arc;
use std::time::Duration;

/// Counts up to its input: the greater the input, the more decisions.
fn count_up() -> Machine {
    let instructions = vec![
        Instruction::Input { to: 0, index: 0 },
        Instruction::Constant { to: 1, value: 0 },
        Instruction::Constant { to: 2, value: 1 },
        Instruction::Binary { op: BinaryOp::LtU, to: 3, x: 1, y: 0 },
        Instruction::JumpIf { condition: 3, unless: true, target: 7 },
        Instruction::Binary { op: BinaryOp::Add, to: 1, x: 1, y: 2 },
        Instruction::Jump { target: 3 },
    ];
    let variables = subjects::variables(1, 32);
    Machine(Arc::new(Code { name: "count up".to_owned(), width: 32, variables, registers: 4, memory: 1, instructions }))
}

fn run(program: &dyn Program, strategy: &str, settings: Settings) -> SearchResult {
    strategy::run(Search::new(program, settings), strategy::named(strategy).unwrap().as_mut())
}

/// A path that the budget cuts off is run concretely, within limits that the best remembers.
#[test]
fn what_the_budget_cuts_off_is_not_lost() {
    let program = count_up();
    let budget = Budget { steps: Some(100_000), ..Budget::default() };
    let limits = PathLimits { instructions: 1_000_000, ..PathLimits::default() };
    // True comes before false, so its first path continues until the budget ends.
    let result = run(&program, "exhaustive", Settings { budget, limits, ..Settings::default() });
    assert_eq!((result.stop, result.paths, result.cut_off), (Stop::Steps, 0, true));
    let best = result.sound().unwrap().best.expect("a run");
    assert!(best.costs.instructions > 90_000, "{:?}", best.costs);
    let Origin::Concrete(limits) = best.origin else { panic!("no path was completed") };
    let replay = program.replay(&best.witness, &limits);
    assert_eq!((replay.costs.instructions, replay.end), (best.costs.instructions, best.end));
}

/// A run that would continue beyond its limit costs what it has cost up to there.
#[test]
fn a_run_at_a_limit_is_a_result() {
    let program = count_up();
    let limits = PathLimits { instructions: 1000, ..PathLimits::default() };
    for strategy in STRATEGIES.iter().filter(|strategy| !strategy.learns) {
        let budget = Budget { paths: Some(40), ..Budget::default() };
        let mut made = strategy.make(&strategy::Options::default()).unwrap();
        let result =
            strategy::run(Search::new(&program, Settings { budget, limits, ..Settings::default() }), &mut *made);
        assert!(result.defects.is_empty() && !result.complete, "{}: {:?}", strategy.name, result.defects);
        if matches!(strategy.name, "auto" | "exhaustive" | "ga") {
            let best = result.best.expect("a run");
            assert_eq!(
                (best.end, best.costs.instructions),
                (End::Limit(Limit::Instructions), 1000),
                "{}",
                strategy.name
            );
        }
    }
}

/// Even if no run fits into the time, there is a result.
#[test]
fn one_input_is_run_whatever_the_budget() {
    let program = subjects::insertion_sort_code(50);
    for strategy in STRATEGIES {
        for input_first in [false, true] {
            let budget = Budget { time: Some(Duration::ZERO), ..Budget::default() };
            let settings = Settings { budget, input_first, cost: CostModel::User, ..Settings::default() };
            let result = run(&program, strategy.name, settings);
            assert_eq!((result.stop, result.paths), (Stop::Time, 0), "{}", strategy.name);
            assert_eq!(result.best_cost(), Some(49), "{}: equal numbers are in order", strategy.name);
        }
    }
}

#[test]
fn no_result_is_below_an_input_that_was_run_before() {
    let program = subjects::insertion_sort_code(12);
    let descending = Witness::new((0..12).rev().collect());
    let limits = PathLimits::default();
    let replay = program.replay(&descending, &limits);
    for strategy in STRATEGIES {
        let budget = Budget { paths: Some(1), ..Budget::default() };
        let mut search = Search::new(&program, Settings { cost: CostModel::User, budget, ..Settings::default() });
        assert!(search.offer(&descending, &replay, &limits));
        assert!(!search.offer(&descending, &replay, &limits), "only once");
        let mut made = strategy.make(&strategy::Options::default()).unwrap();
        let result = strategy::run(search, &mut *made).sound().unwrap();
        assert_eq!((result.best_cost(), result.paths), (Some(66), 1), "{}", strategy.name);
        assert_eq!((result.progress[0].paths, result.progress[0].cost), (0, 66), "{}: it is not a path", strategy.name);
        let best = result.best.unwrap();
        assert_eq!((best.witness, best.decisions.len()), (descending.clone(), 66), "{}", strategy.name);
    }
}

/// A program that lies about its replays: this much is added to the cost `user`.
struct Lying(Machine, i64);

impl Program for Lying {
    fn name(&self) -> &str {
        "lying"
    }

    fn variables(&self) -> Vec<Variable> {
        // The inputs must be below 100.
        self.0.variables().iter().map(|variable| Variable { high: 99, ..variable.clone() }).collect()
    }

    fn start(&self, arena: &mut Arena, limits: &PathLimits) -> Box<dyn Run> {
        self.0.start(arena, limits)
    }

    fn run_concrete(&self, input: &Witness, limits: &PathLimits, _: &mut dyn Observer) -> (Replay, PathLimits) {
        let replay = self.0.replay(input, limits);
        let user = replay.costs.user.saturating_add_signed(self.1);
        (Replay { costs: Costs { user, ..replay.costs }, ..replay }, *limits)
    }

    fn site_name(&self, site: SiteId) -> String {
        self.0.site_name(site)
    }
}

/// A found input that does something else is a bug in Pessimum; what it does do is still a result.
#[test]
fn a_mismatch_is_reported_and_the_run_that_happened_is_kept() {
    let program = Lying(subjects::insertion_sort_code(4), -2);
    let settings = Settings { cost: CostModel::User, ..Settings::default() };
    let result = run(&program, "exhaustive", settings);
    assert_eq!((result.best_cost(), result.paths), (Some(4), 24));
    let [Defect::Mismatch(mismatch)] = result.defects.as_slice() else { panic!("{:?}", result.defects) };
    assert_eq!((mismatch.symbolic.0.user, mismatch.concrete.0.user), (6, 4));
    assert!(result.defects[0].to_string().contains("bug in Pessimum"));
    assert!(result.sound().is_err());
}

/// An input that costs more than every path of a complete search shows that a path was missed.
#[test]
fn a_costlier_input_revokes_completeness() {
    let program = Lying(subjects::insertion_sort_code(4), 0);
    let (limits, input) = (PathLimits::default(), Witness::new(vec![1, 2, 3, 4]));
    let costs = Costs { user: 100, ..Costs::default() };
    let costly = Replay { costs, end: End::Returned, unsupported: 0 };
    let settings = Settings { cost: CostModel::User, ..Settings::default() };
    let revoked = |result: &SearchResult| {
        assert_eq!((result.complete, result.best_cost()), (false, Some(100)));
        matches!(result.defects.last(), Some(Defect::PathMissed { cost: 100, paths: Some(6), .. }))
    };
    let mut search = Search::new(&program, settings.clone());
    assert!(search.offer(&input, &costly, &limits));
    assert!(revoked(&strategy::run(search, strategy::named("exhaustive").unwrap().as_mut())));
    let mut result = run(&program, "exhaustive", settings.clone());
    assert!(result.complete && result.defects.is_empty());
    assert!(!result.offer(&input, &Replay { costs: Costs::default(), ..costly }, &limits));
    assert!(!result.offer(&input, &Replay { end: End::AssumptionViolated, ..costly }, &limits));
    assert!(result.complete && result.offer(&input, &costly, &limits));
    assert!(revoked(&result));
    // The program does not accept inputs outside the ranges.
    let mut search = Search::new(&program, settings);
    assert!(!search.offer(&Witness::new(vec![1, 2, 3, 100]), &costly, &limits));
    assert_eq!(program.variables()[3].id, VariableId(3));
}

/// Reaching the target cost ends a search.
#[test]
fn a_target_ends_a_search() {
    let program = subjects::insertion_sort_code(9);
    let result =
        run(&program, "exhaustive", Settings { cost: CostModel::User, target: Some(30), ..Settings::default() });
    assert_eq!((result.stop, result.complete), (Stop::Reached, false));
    assert!(result.best_cost() >= Some(30) && result.paths < 362_880);
}
