//! Goals instead of the highest cost.

use pessimum_search::budget::{Budget, Stop};
use pessimum_search::cost::CostModel;
use pessimum_search::objective::{Goal, Goals, Objective};
use pessimum_search::program::{Arm, PathLimits, Program, SiteId, Trap};
use pessimum_search::search::{Search, SearchResult, Settings, path_of};
use pessimum_search::strategy::{self, STRATEGIES};
use pessimum_term::Witness;
use pessimum_testkit::subjects;

/// Both arms of both sites of the search tree.
fn arms() -> [Goal; 4] {
    [(0, Arm::FALSE), (0, Arm::TRUE), (1, Arm::FALSE), (1, Arm::TRUE)].map(|(site, arm)| Goal::Arm(SiteId(site), arm))
}

fn run(program: &dyn Program, strategy: &str, goals: &Goals, paths: u64) -> SearchResult {
    let budget = Budget { paths: Some(paths), ..Budget::default() };
    let settings = Settings { goals: Some(goals.clone()), budget, ..Settings::default() };
    let search = Search::new(program, settings);
    assert!(matches!(search.objective(), Objective::Goals(_)));
    strategy::run(search, strategy::named(strategy).unwrap().as_mut()).sound().unwrap()
}

/// Every strategy, whether its runs are symbolic or concrete, stops when all goals are covered, and every input of the
/// archive does reach its goal.
#[test]
fn goals_are_covered_and_end_the_search() {
    let program = subjects::search_tree(4, 8);
    for strategy in STRATEGIES.iter().filter(|strategy| !strategy.learns) {
        let goals = Goals::new(arms());
        let result = run(&program, strategy.name, &goals, 5000);
        assert_eq!((result.stop, goals.open()), (Stop::Covered, 0), "{}", strategy.name);
        assert!(result.paths < 5000, "{}", strategy.name);
        for (goal, input) in goals.reached() {
            let path = path_of(&program, &Settings::default(), &input.expect("covered")).expect("an input");
            let takes = |(site, arm)| Goal::Arm(site, arm) == goal;
            assert!(path.decisions.iter().any(|decision| takes((decision.site, decision.arm))), "{goal:?}");
        }
    }
}

/// What cannot be reached stays open, and a search that saw everything says so.
#[test]
fn what_cannot_be_reached_stays_open() {
    let program = subjects::search_tree(3, 8);
    let trap = Goal::Trap(Trap::DivideByZero);
    let goals = Goals::new(arms().into_iter().chain([trap]));
    let result = run(&program, "exhaustive", &goals, 5000);
    assert_eq!((result.stop, result.complete, result.paths), (Stop::Finished, true, 13));
    assert_eq!(goals.left(), [trap]);
    let result = run(&program, "random", &goals, 50);
    assert_eq!((result.stop, result.paths), (Stop::Paths, 50));
}

/// A trap is a goal, and inputs that were run before the search count.
#[test]
fn concrete_runs_of_others_cover_goals() {
    let program = subjects::search_tree(4, 8);
    let goals = Goals::new(arms());
    let settings = Settings { goals: Some(goals.clone()), ..Settings::default() };
    let mut search = Search::new(&program, settings);
    let (limits, ascending) = (PathLimits::default(), Witness::new(vec![1, 2, 3, 4]));
    search.offer(&ascending, &program.replay(&ascending, &limits), &limits);
    let [_, equal, _, less] = arms();
    assert_eq!(goals.left(), [equal, less]);
    let mixed = Witness::new(vec![2, 1, 1, 3]);
    search.offer(&mixed, &program.replay(&mixed, &limits), &limits);
    assert_eq!(search.stop(), Some(Stop::Covered));
}

#[test]
fn without_goals_the_highest_cost_is_sought() {
    let program = subjects::search_tree(3, 8);
    let search = Search::new(&program, Settings { cost: CostModel::User, ..Settings::default() });
    assert!(matches!(search.objective(), Objective::HighestCost(CostModel::User)));
    for name in ["random", "exhaustive"] {
        let budget = Budget { paths: Some(100), ..Budget::default() };
        let settings = Settings { cost: CostModel::User, budget, ..Settings::default() };
        let result = strategy::run(Search::new(&program, settings), strategy::named(name).unwrap().as_mut());
        assert_eq!(result.best_cost(), Some(3), "{name}");
    }
}
