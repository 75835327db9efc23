//! Goals instead of the highest cost.

use pessimum_outcome::{CostModel, Trap};
use pessimum_search::budget::{Budget, Stop};
use pessimum_search::objective::{Goal, Goals, Objective};
use pessimum_search::places::{Line, Places};
use pessimum_search::program::{Arm, PathLimits, Program, SiteId};
use pessimum_search::search::{Finished, Search, SearchResult, Settings, path_of};
use pessimum_search::strategy::{self, Auto, STRATEGIES};
use pessimum_term::Witness;
use pessimum_testkit::script::Script;
use pessimum_testkit::subjects;
use pessimum_testkit::value::Value;

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

/// Every strategy, whether its runs are symbolic or concrete, stops when all goals are covered, and every input in
/// the archive does reach its goal.
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

#[test]
fn runs_made_before_the_search_cover_goals() {
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

/// A program with a function behind a branch, lines on both sides of another, and a trap deep inside.
fn lock() -> Script {
    let line = |line| Line { file: "lock.c".to_owned(), line };
    let arms = (0..3).flat_map(|site| [Arm::FALSE, Arm::TRUE].map(|arm| (SiteId(site), arm))).collect();
    let functions = ["main", "open", "never"].map(str::to_owned).to_vec();
    let places = Places { arms, functions, lines: vec![line(2), line(3), line(5), line(9)], ..Places::default() };
    let lock = Script::new("lock", subjects::variables(2, 8), |c| {
        c.function(0);
        c.line(0);
        let (x, y) = (c.input(0), c.input(1));
        if c.equal(0, x, Value::concrete(8, 77))? {
            c.line(1);
            c.call(|c| {
                c.function(1);
                c.line(3);
                if c.less(1, y, x)? { Ok(()) } else { c.check(9, Value::concrete(1, 1), Trap::Unreachable) }
            })?;
        } else {
            c.line(2);
        }
        // A branch that does not depend on the input.
        c.test(2, Value::concrete(1, 1)).map(|_| ())
    });
    lock.with_places(places)
}

/// Everything that can be reached in [`lock`].
fn reachable() -> Vec<Goal> {
    let places = lock().places();
    let named = |text: &str| places.named(text).unwrap();
    let never = [Goal::Arm(SiteId(2), Arm::FALSE)].into_iter().chain(named("never")).collect::<Vec<Goal>>();
    let all = places.arm_goals().chain(places.function_goals()).chain(places.line_goals());
    all.filter(|goal| !never.contains(goal)).chain([Goal::Trap(Trap::Unreachable)]).collect()
}

/// Symbolic strategies reach functions and lines too: each witness is observed when its path has a new arm.
#[test]
fn arms_functions_lines_and_traps_are_covered() {
    let program = lock();
    for strategy in ["random", "exhaustive", "bfs", "auto"] {
        let goals = Goals::new(reachable());
        let result = run(&program, strategy, &goals, 1000);
        assert_eq!(goals.left(), [], "{strategy}");
        for (goal, input) in goals.reached() {
            let again = Goals::new([goal]);
            let input = input.expect("it was reached");
            again.see_run(&input, &program.observe(&input, &PathLimits::default()), u64::MAX);
            assert!(again.are_covered(), "{strategy}: {goal:?}");
        }
        assert!(result.goals.is_some_and(|goals| goals.are_covered()), "the result holds the archive");
    }
}

/// What nothing reaches stays open, and the search ends when it has seen everything.
#[test]
fn a_function_that_is_never_called_stays_open() {
    let program = lock();
    let never = program.places().named("never").unwrap();
    let goals = Goals::new(reachable().into_iter().chain(never.clone()));
    let result = run(&program, "exhaustive", &goals, 1000);
    assert_eq!((result.stop, result.complete, result.paths), (Stop::Finished, true, 3));
    assert_eq!(goals.left(), never);
}

/// Workers share one archive, and all of them stop when it is full.
#[test]
fn workers_cover_goals_together() {
    let program = lock();
    let goals = Goals::new(reachable());
    let budget = Budget { paths: Some(100_000), ..Budget::default() };
    let settings = Settings { goals: Some(goals.clone()), budget, ..Settings::default() };
    let mut auto = Auto { threads: 3, ..Auto::default() };
    let result = strategy::run(Search::new(&program, settings), &mut auto).sound().unwrap();
    assert_eq!((result.stop, goals.left()), (Stop::Covered, Vec::new()));
    assert!(result.paths < 100_000);
}

/// A worker that has its own archive brings it along.
#[test]
fn archives_of_workers_are_merged() {
    let program = lock();
    let own = |start: u64| {
        let settings = Settings { goals: Some(Goals::new(reachable())), ..Settings::default() };
        let mut search = Search::new(&program, settings);
        let (limits, input) = (PathLimits::default(), Witness::new(vec![start, 0]));
        search.offer(&input, &program.replay(&input, &limits), &limits);
        search
    };
    let (mut mine, theirs) = (own(0), own(77));
    assert_eq!(mine.stop(), None);
    mine.join(theirs.finish_worker(Finished::Partly));
    let Objective::Goals(goals) = mine.objective() else { panic!("goals were set") };
    // 77 with 0 opens the lock and returns; the other arm of the second branch traps.
    assert_eq!(goals.left(), [Goal::Arm(SiteId(1), Arm::FALSE), Goal::Trap(Trap::Unreachable)]);
    assert_eq!(goals.nearest(Goal::Arm(SiteId(1), Arm::FALSE)).map(|nearest| nearest.distance), Some(1));
    let last = Witness::new(vec![77, 100]);
    mine.offer(&last, &program.replay(&last, &PathLimits::default()), &PathLimits::default());
    assert_eq!(mine.stop(), Some(Stop::Covered));
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
