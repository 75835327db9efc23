//! Where there are few inputs, all of them are run: counted by their values, whatever the width.

use pessimum_outcome::{CostModel, End};
use pessimum_search::budget::Budget;
use pessimum_search::program::{Observer, PathLimits, Program, Replay, Run, SiteId, Variable};
use pessimum_search::search::{Search, SearchResult, Settings};
use pessimum_search::strategy::{self, EveryPath, STRATEGIES};
use pessimum_term::{Arena, BinaryOp, VariableId, Witness};
use pessimum_testkit::machine::{Code, Instruction, Machine};
use pessimum_testkit::oracle::assert_same;
use pessimum_testkit::subjects;
use std::sync::Arc;

/// Counts up to its input, of 32 bits with these values.
fn count_up(values: &[(u64, u64)]) -> Machine {
    let instructions = vec![
        Instruction::Input { to: 0, index: 0 },
        Instruction::Constant { to: 1, value: 0 },
        Instruction::Constant { to: 2, value: 1 },
        Instruction::Binary { op: BinaryOp::LtU, to: 3, x: 1, y: 0 },
        Instruction::JumpIf { condition: 3, unless: true, target: 7 },
        Instruction::Binary { op: BinaryOp::Add, to: 1, x: 1, y: 2 },
        Instruction::Jump { target: 3 },
    ];
    let variables = vec![Variable::unlimited(VariableId(0), 32).limited_to(values)];
    Machine(Arc::new(Code { name: "count up".to_owned(), width: 32, variables, registers: 4, memory: 1, instructions }))
}

fn search(program: &dyn Program, strategy: &str, settings: Settings) -> SearchResult {
    let settings = Settings { cost: CostModel::Branches, ..settings };
    strategy::run(Search::new(program, settings), strategy::named(strategy).unwrap().as_mut()).sound().unwrap()
}

fn paths(most: u64) -> Settings {
    Settings { budget: Budget { paths: Some(most), ..Budget::default() }, ..Settings::default() }
}

#[test]
fn every_strategy_is_certain_where_every_input_was_run() {
    // Eight inputs; a walk would need more paths than that to see that nothing is between them.
    let program = count_up(&[(5, 9), (1_000, 1_002)]);
    for strategy in STRATEGIES.iter().filter(|strategy| strategy.options.is_empty() || strategy.name == "auto") {
        let result = search(&program, strategy.name, Settings { every_input: Some(1_000_000), ..paths(3) });
        let found = (result.complete, result.every_input, result.best_cost());
        assert_eq!(found, (true, Some(8), Some(1_003)), "{}", strategy.name);
    }
}

#[test]
fn decisions_are_counted_too() {
    let program = count_up(&[(0, 100)]);
    let settings = Settings { every_input: Some(1_000_000), cost: CostModel::Decisions, ..paths(3) };
    let result = strategy::run(Search::new(&program, settings), strategy::named("random").unwrap().as_mut());
    assert_eq!((result.complete, result.best_cost()), (true, Some(101)));
}

#[test]
fn nothing_is_certain_where_an_input_was_not_run_to_its_end() {
    let program = count_up(&[(5, 9), (1_000, 1_002)]);
    let limits = PathLimits { instructions: 3_000, ..PathLimits::default() };
    let result = search(&program, "random", Settings { every_input: Some(1_000_000), limits, ..paths(3) });
    assert!(!result.complete && result.every_input.is_none());
    assert!(result.best.is_some_and(|best| matches!(best.end, End::Limit(_))), "it is kept nevertheless");
}

/// What cannot be afforded takes nothing from a strategy: its paths are its own.
#[test]
fn a_budget_of_paths_is_the_strategys() {
    let program = count_up(&[(0, 1 << 15)]);
    for strategy in ["random", "ga", "bfs", "exhaustive"] {
        let spent = |every_input| search(&program, strategy, Settings { every_input, ..paths(20) }).paths;
        assert_eq!(spent(Some(100_000)), spent(None), "{strategy}");
        assert_eq!(spent(None), 20);
    }
}

/// A program that asks for more than it says.
struct Asking(Machine);

impl Program for Asking {
    fn name(&self) -> &str {
        self.0.name()
    }
    fn variables(&self) -> Vec<Variable> {
        self.0.variables()
    }
    fn asks(&self) -> bool {
        true
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

/// A program that is refused something on every input.
struct Refused(Machine);

impl Program for Refused {
    fn name(&self) -> &str {
        self.0.name()
    }
    fn variables(&self) -> Vec<Variable> {
        self.0.variables()
    }
    fn start(&self, arena: &mut Arena, limits: &PathLimits) -> Box<dyn Run> {
        self.0.start(arena, limits)
    }
    fn run_concrete(&self, input: &Witness, limits: &PathLimits, _: &mut dyn Observer) -> (Replay, PathLimits) {
        (Replay { unsupported: 1, ..self.0.replay(input, limits) }, *limits)
    }
    fn site_name(&self, site: SiteId) -> String {
        self.0.site_name(site)
    }
}

#[test]
fn what_else_a_run_may_depend_on_keeps_it_from_being_certain() {
    let settings = || Settings { every_input: Some(1_000_000), ..paths(3) };
    let values = [(0, 100)];
    assert!(search(&count_up(&values), "random", settings()).complete);
    assert!(!search(&Asking(count_up(&values)), "random", settings()).complete);
    assert!(!search(&Refused(count_up(&values)), "random", settings()).complete);
}

/// Each path once, whether inputs are followed, the tree is walked, or one comes after the other.
#[test]
fn paths_are_counted_once() {
    for most_steps in [0, 5_000, 50_000, u64::MAX] {
        let mut strategy = EveryPath { most_steps };
        for program in [
            subjects::search_tree(3, 3),
            subjects::heap(4, 3),
            subjects::insertion_sort(4, 3),
            subjects::hash_table(3, 3),
            subjects::switch(3, 4),
        ] {
            assert_same(&program, PathLimits::default(), &mut strategy);
        }
    }
}
