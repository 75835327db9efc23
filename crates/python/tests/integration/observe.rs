//! Observed runs, profiles, explanations, and that the same search gives the same result.

use crate::common::{Subject, interpreter, interpreters};
use pessimum_outcome::{CostModel, End, Trap};
use pessimum_python::{NoteKind, Wanted};
use pessimum_search::budget::Budget;
use pessimum_search::objective::Goal;
use pessimum_search::program::{Arm, Counted, Counting, Kind, PathLimits, Program as _, SiteId};
use pessimum_search::search::{Search, Settings};
use pessimum_search::strategy::{self, Auto, Exhaustive, Order};
use pessimum_term::Witness;

const TEXT: &str = "
class Account:
    def pay(self, amount):
        if amount > 1000 and amount % 7 == 3:
            raise ValueError('too much')
        return amount

def total(xs):
    account = Account()
    sum = 0
    for x in xs:
        while x > 5:
            x -= 5
        if x not in (1, 2):
            sum += account.pay(x)
    return sum

def unused():
    return 1

def check(x):
    return Account().pay(x)

def both(xs):
    return total(xs) + check(xs[0]) if 3 < xs[0] <= 1500 else 0
";

#[test]
fn repeated_lines_are_counted_at_the_price_of_a_run() {
    for python in interpreters() {
        let subject = Subject::new(python, TEXT);
        let program = subject.program("total(int[n] in 0..=2000)", 3);
        let (input, limits) = (Witness::new(vec![1, 13, 14]), PathLimits::default());
        let mut counts = vec![7];
        let (replay, _) = program.run_concrete(
            &input,
            &limits,
            &mut Counting { go_on: || true, counted: Counted::Repeats, into: &mut counts },
        );
        assert_eq!(replay.costs, program.replay(&input, &limits).costs);
        let lines = &program.places().lines;
        let counted: Vec<(u32, u64)> = lines
            .iter()
            .zip(&counts)
            .filter(|(_, count)| **count > 0)
            .map(|(line, &count)| (line.line, count))
            .collect();
        // 13 and 14 go through `while x > 5` twice each, and 3 and 4 are paid.
        let expected = [(4, 2), (6, 2), (9, 1), (10, 1), (11, 4), (12, 7), (13, 4), (14, 3), (15, 2), (16, 1)];
        assert_eq!((counted.as_slice(), counts.len()), (&expected[..], lines.len()), "{}", python.display());
        assert_eq!(counts.iter().sum::<u64>(), replay.costs.lines, "all of it is the user's code");
    }
}

#[test]
fn arms_lines_and_functions_are_observed() {
    for python in interpreters() {
        let subject = Subject::new(python, TEXT);
        let program = subject.program("total(int[n] in 0..=2000)", 3);
        let places = program.places();
        let seen = program.observe(&Witness::new(vec![1, 3, 4]), &PathLimits::default());
        assert_eq!((seen.end, seen.costs), {
            let replay = program.replay(&Witness::new(vec![1, 3, 4]), &PathLimits::default());
            (replay.end, replay.costs)
        });
        let functions: Vec<&str> = seen.functions.iter().map(|&at| places.functions[at as usize].as_str()).collect();
        assert_eq!(functions, ["total", "Account.pay"]);
        let lines: Vec<u32> = seen.lines.iter().map(|&at| places.lines[at as usize].line).collect();
        assert_eq!(lines, [4, 6, 9, 10, 11, 12, 14, 15, 16], "{}", python.display());
        // The loop `while x > 5` was never entered; 4 is nearest to it.
        let at_line = |line: u32| {
            let number = places.lines.iter().position(|l| l.line == line).unwrap() as u32;
            let sites: Vec<_> = (0..).zip(&places.sites).filter(|(_, place)| place.line == Some(number)).collect();
            assert!(!sites.is_empty(), "line {line} has no branch");
            sites.iter().map(|(site, _)| pessimum_search::program::SiteId(*site)).collect::<Vec<_>>()
        };
        let of = |line: u32, arm: Arm| {
            let sites = at_line(line);
            let arms = seen.arms.iter().filter(|seen| sites.contains(&seen.site) && seen.arm == arm);
            arms.map(|seen| (seen.hits, seen.distance)).min_by_key(|&(hits, distance)| (distance, hits))
        };
        assert_eq!(of(12, Arm::TRUE), Some((0, 2)), "{}", python.display());
        assert_eq!(of(12, Arm::FALSE).map(|(hits, _)| hits), Some(3));
        assert_eq!(of(14, Arm::TRUE).map(|(hits, _)| hits), Some(2));
        assert_eq!(of(14, Arm::FALSE).map(|(hits, _)| hits), Some(1));
        // What is left of a number is at most 5, so that line 4 asks nothing and has no distance. A number as it is has one:
        // 1001 is the least amount above 1000.
        let single = subject.program("check(int in 0..=2000)", 0);
        let sites = at_line(4);
        let observed = single.observe(&Witness::new(vec![4]), &PathLimits::default());
        let nearest = observed.arms.iter().filter(|seen| sites.contains(&seen.site) && seen.arm == Arm::TRUE);
        assert_eq!(nearest.map(|seen| (seen.hits, seen.distance)).min(), Some((0, 997)));
        assert!(matches!(places.named("Account.pay").unwrap()[..], [Goal::Function(_)]));
        // Counted arms are those that are observed.
        let mut arms = Vec::new();
        let mut counting = Counting { go_on: || true, counted: Counted::Arms, into: &mut arms };
        program.run_concrete(&Witness::new(vec![1, 3, 4]), &PathLimits::default(), &mut counting);
        for arm in &seen.arms {
            assert_eq!(arms[2 * arm.site.0 as usize + arm.arm.0 as usize], arm.hits);
        }
        assert_eq!(arms.iter().sum::<u64>(), seen.arms.iter().map(|arm| arm.hits).sum::<u64>());
    }
}

/// Decisions of symbolic runs are at sites that plain runs count: rewriting changes offsets, not places.
#[test]
fn both_kinds_of_runs_name_branches_alike() {
    for python in interpreters() {
        let subject = Subject::new(python, TEXT);
        let program = subject.program("both(int[n] in 0..=2000)", 2);
        let branches = program.places().sites.len() as u32;
        let settings = Settings {
            cost: CostModel::Lines,
            budget: Budget { paths: Some(60), ..Budget::default() },
            ..Settings::default()
        };
        let mut met = std::collections::BTreeSet::new();
        let search = Search::new(&program, settings).with_visitor(|path| {
            met.extend(
                path.decisions.iter().filter(|decision| decision.kind.is_branch()).map(|decision| decision.site),
            );
        });
        strategy::run(search, &mut Auto::default()).sound().unwrap_or_else(|mismatch| panic!("{mismatch}"));
        let names: Vec<String> = met.iter().map(|&site| program.site_name(site)).collect();
        // `in` compares element by element, each a decision of its own, at a place that is no branch.
        let others = met.iter().filter(|&&site| program.site_name(site) != "total (subject.py:14)");
        assert!(others.clone().all(|site| site.0 < branches), "{}: {names:?}", python.display());
        assert!(others.count() >= 3, "{names:?}");
        assert!(names.iter().any(|name| name == "total (subject.py:12)"), "{names:?}");
        assert!(met.iter().all(|&site| program.line_site(site).is_some()));
    }
}

#[test]
fn a_profile_adds_up() {
    for python in interpreters() {
        let subject = Subject::new(python, TEXT);
        let program = subject.program("total(int[n] in 0..=2000)", 3);
        let input = Witness::new(vec![100, 3, 17]);
        let limits = PathLimits::default();
        let profile = program.profile_while(&input, &limits, &mut || true);
        let replay = program.replay(&input, &limits);
        assert_eq!((profile.costs, profile.end), (replay.costs, End::Returned), "{}", python.display());
        assert_eq!(profile.lines.iter().map(|line| line.hits).sum::<u64>(), replay.costs.lines);
        assert_eq!(profile.functions.iter().map(|function| function.own_lines).sum::<u64>(), replay.costs.lines);
        assert_eq!(profile.calls.iter().map(|call| call.own_lines).sum::<u64>(), replay.costs.lines);
        assert_eq!(profile.calls[0].total_lines, replay.costs.lines);
        assert_eq!(profile.functions.iter().map(|function| function.calls).sum::<u64>(), replay.costs.calls);
        let most = &profile.lines[0];
        assert_eq!((most.line, most.hits, most.own), (12, replay.costs.hits, true));
        let paying = profile.lines.iter().find(|line| line.line == 15).unwrap();
        let pay = profile.functions.iter().find(|function| function.name.ends_with("pay")).unwrap();
        assert_eq!(paying.total, paying.hits + pay.own_lines);
    }
}

#[test]
fn ends_are_explained_and_opcodes_counted() {
    for python in interpreters() {
        let subject = Subject::new(python, TEXT);
        let program = subject.program_with("check(int in 0..=2000)", 0, Wanted { opcodes: true });
        let limits = PathLimits::default();
        assert_eq!(program.explain(&Witness::new(vec![5]), &limits), None);
        let why = program.explain(&Witness::new(vec![1004]), &limits).unwrap();
        assert_eq!((why.why.as_str(), why.at.as_deref()), ("ValueError: too much", Some("subject.py:5")));
        let settings = Settings { cost: CostModel::Instructions, ..Settings::default() };
        let mut ends = Vec::new();
        let search = Search::new(&program, settings).with_visitor(|path| {
            assert!(path.costs.instructions > 5 && path.costs.branches > 0, "{:?}", path.costs);
            ends.push(path.end);
        });
        let mut walk = strategy::Exhaustive::new(strategy::Order::Depth(strategy::ArmOrder::TrueFirst));
        strategy::run(search, &mut walk).sound().unwrap_or_else(|mismatch| panic!("{mismatch}"));
        ends.sort();
        assert_eq!(ends, [End::Returned, End::Returned, End::Trapped(Trap::Exception)]);
    }
}

#[test]
fn the_same_seed_gives_the_same_result() {
    let Some(python) = interpreter() else { return };
    let found = || {
        let subject = Subject::new(&python, TEXT);
        let program = subject.program("total(int[n] in 0..=2000)", 4);
        let settings = Settings {
            cost: CostModel::Lines,
            budget: Budget { paths: Some(150), ..Budget::default() },
            seed: 7,
            ..Settings::default()
        };
        let mut paths = Vec::new();
        let search = Search::new(&program, settings).with_visitor(|path| {
            let arms: Vec<_> = path.decisions.iter().map(|decision| (decision.site, decision.arm)).collect();
            paths.push((arms, *path.costs, path.end, path.witness.clone()));
        });
        let result =
            strategy::run(search, &mut Auto::default()).sound().unwrap_or_else(|mismatch| panic!("{mismatch}"));
        (paths, result.best_cost())
    };
    assert_eq!(found(), found());
}

#[test]
fn a_program_may_say_what_counts_and_what_it_is_for() {
    for python in interpreters() {
        let text = "import pessimum\ndef f(x, y):\n    pessimum.assume(x > y)\n    for i in range(x & 7):\n        pessimum.cost(2)\n    return y\n";
        let subject = Subject::new(python, text);
        let program = subject.program("f(int in 0..=15, int in 0..=15)", 0);
        let limits = PathLimits::default();
        assert_eq!(program.replay(&Witness::new(vec![3, 1]), &limits).costs.user, 6);
        assert_eq!(program.replay(&Witness::new(vec![1, 3]), &limits).end, End::AssumptionViolated);
        let settings = Settings { cost: CostModel::User, ..Settings::default() };
        let mut walk = strategy::Exhaustive::new(strategy::Order::Depth(strategy::ArmOrder::TrueFirst));
        let (paths, result) = pessimum_testkit::oracle::visited(&program, settings, &mut walk);
        assert_eq!((paths.len(), result.best_cost(), result.complete), (8, Some(14), true), "{}", python.display());
    }
}

/// A program that does not do the same twice is told, and no path of it is reported as if it were one.
#[test]
fn a_program_that_changes_its_mind_is_told() {
    let Some(python) = interpreter() else { return };
    let text = "import itertools, sys\nsys.counter = getattr(sys, 'counter', itertools.count())\ndef f(x, y):\n    if next(sys.counter) % 2:\n        x, y = y, x\n    if x > 3:\n        if y > 5:\n            return 1\n        return 2\n    return 3\n";
    let subject = Subject::new(&python, text);
    let program = subject.program("f(int in 0..=15, int in 0..=15)", 0);
    let mut walk = strategy::Exhaustive::new(strategy::Order::Depth(strategy::ArmOrder::TrueFirst));
    strategy::run(Search::new(&program, Settings::default()), &mut walk);
    let notes = program.notes(NoteKind::LeftOut);
    assert!(notes.iter().any(|(note, _)| note == "the program does not do the same twice"), "{notes:?}");
}

#[test]
fn the_arm_of_a_decision_is_the_one_that_an_ordinary_run_takes() {
    let text = include_str!("../../../cli/tests/python_cover/functions.py");
    let calls: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("# ")?.split(" | ").next()).collect();
    assert!(calls.len() >= 40);
    for python in interpreters() {
        let subject = Subject::new(python, text);
        let mut compared = 0;
        // From 3.13 on a comparison asks for the truth of its result itself, in the place where it asks for that of the elements of
        // containers: these two cannot be told apart. Nothing is credited for such an arm before it is observed.
        let minor = subject.source.version().split('.').nth(1).and_then(|minor| minor.parse::<u32>().ok());
        let confused =
            |call: &str| minor >= Some(13) && ["pairs(", "ordered("].iter().any(|name| call.starts_with(name));
        for call in calls.iter().filter(|call| !confused(call)) {
            let program = subject.program(call, 0);
            let goals: std::collections::BTreeSet<_> = program.places().arms.iter().copied().collect();
            let paths = std::cell::RefCell::new(Vec::new());
            let settings = Settings { budget: Budget { paths: Some(100), ..Budget::default() }, ..Settings::default() };
            let search = Search::new(&program, settings).with_visitor(|path| {
                let branches = path.decisions.iter().filter(|decision| decision.kind == Kind::Branch);
                let arms: Vec<_> = branches.map(|decision| (decision.site, decision.arm)).collect();
                paths.borrow_mut().push((path.witness.clone(), arms));
            });
            strategy::run(search, &mut Exhaustive::new(Order::Breadth))
                .sound()
                .unwrap_or_else(|wrong| panic!("{wrong}"));
            for (input, decided) in paths.into_inner() {
                let seen = program.observe(&input, &PathLimits::default());
                let taken =
                    |arm: &(SiteId, Arm)| seen.arms.iter().any(|seen| (seen.site, seen.arm) == *arm && seen.hits > 0);
                for arm in decided.iter().filter(|arm| goals.contains(arm)) {
                    let (shown, site, python) = (program.show(&input), program.site_name(arm.0), python.display());
                    assert!(taken(arm), "{shown} does not take {arm:?} of {site} with {python}");
                    compared += 1;
                }
            }
        }
        assert!(compared > 400, "{compared} decisions with {}", python.display());
    }
}
