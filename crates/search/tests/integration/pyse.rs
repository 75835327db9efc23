//! PySE on small programs whose worst case is known.

use pessimum_outcome::CostModel;
use pessimum_search::budget::{Budget, Stop};
use pessimum_search::policy::{BranchPolicy, LearntPolicy, SavedPolicy, SavedRules};
use pessimum_search::program::Program;
use pessimum_search::search::{Search, SearchResult, Settings};
use pessimum_search::strategy::{
    self, Carried, Declaration, Explore, Mode, Options, Pyse, PyseReport, PyseSettings, RandomPaths, Strategy,
};
use pessimum_testkit::papers::Sizes;
use pessimum_testkit::script::Script;
use pessimum_testkit::subjects;
use pessimum_testkit::value::Value;

fn settings(cost: CostModel, seed: u64, paths: u64) -> Settings {
    Settings { cost, seed, budget: Budget { paths: Some(paths), ..Budget::default() }, ..Settings::default() }
}

fn search(program: &dyn Program, settings: Settings, mut pyse: Pyse) -> (SearchResult, PyseReport) {
    let result = strategy::run(Search::new(program, settings), &mut pyse);
    let result = result.sound().unwrap_or_else(|mismatch| panic!("{mismatch}"));
    (result, pyse.report.expect("a search leaves a report"))
}

fn with(settings: PyseSettings) -> Pyse {
    Pyse { settings, ..Pyse::default() }
}

fn text(policy: &LearntPolicy, program: &dyn Program) -> String {
    serde_json::to_string(&SavedPolicy::new(policy, program)).expect("plain data")
}

/// Compares each number with the one before, as long as they rise: one wrong decision ends the path.
fn rising(n: usize) -> Script {
    Script::new("rising", subjects::variables(n, 32), |c| {
        let list = c.inputs();
        for pair in list.windows(2) {
            c.cost(1);
            if !c.less(0, pair[0], pair[1])? {
                break;
            }
        }
        Ok(())
    })
}

/// A number below one bound is below the greater ones: the comparisons with those are implied.
fn implied(n: usize) -> Script {
    Script::new("implied", subjects::variables(n, 8), |c| {
        for value in c.inputs() {
            for (site, bound) in [(0, 10), (1, 20), (2, 30)] {
                c.cost(1);
                if c.less(site, value, Value::concrete(8, bound))? {
                    c.cost(1);
                }
            }
        }
        Ok(())
    })
}

#[test]
fn learnt_decisions_reach_what_random_ones_miss() {
    const EXECUTIONS: u64 = 100;
    let program = subjects::insertion_sort_code(10);
    for mode in [Mode::Advanced, Mode::Basic] {
        for seed in 1..=3 {
            let pyse = with(PyseSettings { mode, moves: 1000, ..PyseSettings::default() });
            let (learnt, report) = search(&program, settings(CostModel::Decisions, seed, EXECUTIONS), pyse);
            assert_eq!(learnt.best_cost(), Some(45), "{mode:?}, seed {seed}");
            assert_eq!(report.course.best, Some(45));
            assert_eq!((report.mode, report.course.executions), (mode, EXECUTIONS));
            assert_eq!(report.course.prefixes > 0, mode == Mode::Advanced);
            let search = Search::new(&program, settings(CostModel::Decisions, seed, EXECUTIONS));
            let random = strategy::run(search, &mut RandomPaths::default());
            assert!(random.best_cost() < Some(40), "seed {seed}: {:?}", random.best_cost());
        }
    }
}

/// Rewards are differences of whatever is maximised.
#[test]
fn every_cost_can_be_learnt() {
    let program = rising(12);
    for cost in [CostModel::User, CostModel::Decisions, CostModel::Instructions] {
        let (result, _) = search(&program, settings(cost, 1, 500), Pyse::default());
        assert_eq!(result.best.expect("a path").costs.user, 11, "{cost:?}");
    }
}

#[test]
fn infeasible_executions_are_counted() {
    let program = implied(2);
    // With the usual randomness, what the network has learnt to avoid is tried late.
    let pyse = with(PyseSettings { epsilon: 0.5, ..PyseSettings::default() });
    let (result, report) = search(&program, settings(CostModel::User, 1, 1000), pyse);
    let course = report.course;
    // Each number is below 10, 20, 30 or none of them, and three sides of its tests are infeasible.
    assert_eq!((result.best_cost(), result.stop, result.complete), (Some(12), Stop::Finished, true));
    assert!(course.infeasible >= 3 + 4 * 3 && course.executions - course.infeasible >= 4 * 4, "{course:?}");
    assert_eq!((result.paths, course.given_up), (course.executions, 0));
    assert!(course.until_best >= 1 && course.until_best <= course.executions);
    let exhaustive =
        strategy::run(Search::new(&program, Settings::default()), strategy::named("exhaustive").unwrap().as_mut());
    assert_eq!(exhaustive.paths, 16);
}

/// A search that has tried everything ends, and knows what exhaustive search knows.
#[test]
fn an_exhausted_tree_proves_the_worst_case() {
    let program = subjects::search_tree(3, 8);
    for seed in 1..=5 {
        let (result, report) = search(&program, settings(CostModel::User, seed, 100_000), Pyse::default());
        assert_eq!((result.stop, result.complete), (Stop::Finished, true), "seed {seed}");
        let known = strategy::named("exhaustive").map(|mut every| {
            let settings = Settings { cost: CostModel::User, ..Settings::default() };
            strategy::run(Search::new(&program, settings), every.as_mut())
        });
        assert_eq!(result.best_cost(), known.expect("a strategy").best_cost());
        assert!(report.course.executions >= 13, "13 paths");
    }
}

#[test]
fn the_seed_fixes_everything() {
    let program = subjects::insertion_sort_code(8);
    for explore in [Explore::Decisions, Explore::Executions] {
        let run = |seed| {
            let pyse = with(PyseSettings { explore, ..PyseSettings::default() });
            let (result, report) = search(&program, settings(CostModel::User, seed, 20), pyse);
            (result.best.expect("a path").witness, report.course, text(&report.policy, &program))
        };
        assert_eq!(run(7), run(7));
        assert_ne!(run(7).2, run(8).2);
    }
}

#[test]
fn saved_weights_give_the_same_search() {
    let (small, large) = (subjects::insertion_sort(5, 32), subjects::insertion_sort(7, 32));
    for scaled in [false, true] {
        let own = PyseSettings { scaled, ..PyseSettings::default() };
        let (_, taught) = search(&small, settings(CostModel::User, 3, 50), with(own.clone()));
        let saved: SavedPolicy = serde_json::from_str(&text(&taught.policy, &small)).expect("what was written");
        let loaded = saved.load(&large).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(loaded, taught.policy);
        let LearntPolicy::Network(direct) = taught.policy else { panic!("a network") };
        let given = Pyse { given: Some(direct), ..with(own.clone()) };
        let mut taken_up = with(own);
        taken_up.take_up(&Carried::Policy(saved), &large).expect("its own weights");
        let (first, first_report) = search(&large, settings(CostModel::User, 5, 40), given);
        let (second, second_report) = search(&large, settings(CostModel::User, 5, 40), taken_up);
        assert_eq!(first_report, second_report);
        assert_eq!(first.best.expect("a path").witness, second.best.expect("a path").witness);
        let (_, fresh) = search(&large, settings(CostModel::User, 5, 40), Pyse::default());
        assert_ne!(fresh.policy, first_report.policy, "weights matter");
        assert!(first_report.given && !fresh.given);
    }
}

#[test]
fn damaged_and_foreign_policies_are_refused() {
    let program = subjects::insertion_sort(4, 32);
    let (_, report) = search(&program, settings(CostModel::User, 1, 5), Pyse::default());
    let saved = SavedPolicy::new(&report.policy, &program);
    let damaged = |damage: fn(&mut Vec<f64>, &mut Vec<f64>, &mut usize)| {
        let mut saved = saved.clone();
        let SavedRules::Network { cell, output, hidden, .. } = &mut saved.rules else { panic!("a network") };
        damage(cell, output, hidden);
        saved.load(&program).expect_err("damaged").to_string()
    };
    assert_eq!(damaged(|cell, _, _| cell[5] = f64::NAN), "weight 5 of the network is not a finite number");
    assert_eq!(damaged(|_, output, _| output.truncate(3)), "the network's output has 3 weights instead of 12");
    assert_eq!(damaged(|_, _, hidden| *hidden = 3), "the network's cell has 48 weights instead of 84");
    assert!(damaged(|_, _, hidden| *hidden = usize::MAX).contains("from 1 to 64"));
    let text = serde_json::to_string(&saved).expect("plain data").replace("\"cell\":[", "\"cell\":[1e999,");
    assert!(serde_json::from_str::<SavedPolicy>(&text).is_err(), "no such number");
    let other = saved.load(&subjects::search_tree(3, 8)).expect_err("another program").to_string();
    assert!(other.contains("learnt on another program (insertion sort)"), "{other}");

    let make = |name: &str, policy: LearntPolicy, words: &[(&str, &str)]| {
        let declared = Declaration::of(name).expect("a strategy");
        let mut options = Options::of(declared, words.iter().copied()).expect("options");
        options.policy = Some(policy);
        declared.make(&options).map(|_| ())
    };
    let branches = || LearntPolicy::Branch(BranchPolicy::default());
    let network = || report.policy.clone();
    assert_eq!(make("pyse", branches(), &[]), Err("the policy is one of --strategy wise, not pyse".to_owned()));
    assert_eq!(make("wise", network(), &[]), Err("the policy is one of --strategy pyse, not wise".to_owned()));
    assert_eq!((make("wise", branches(), &[]), make("pyse", network(), &[])), (Ok(()), Ok(())));
    assert_eq!(
        make("pyse", network(), &[("hidden", "3")]),
        Err("the saved network has --history-length 2 --hidden 2, not 2 and 3".to_owned())
    );
    assert_eq!(make("pyse", network(), &[("f1", "scaled")]), Err("the saved network has --f1 raw".to_owned()));
    assert!(make("pyse", network(), &[("pretrain-sizes", "3")]).is_err());
}

#[test]
fn pretraining_happens_at_other_sizes_and_is_charged() {
    fn family(n: usize) -> Script {
        subjects::insertion_sort(n, 32)
    }
    let (program, sizes) = (family(6), Sizes(family));
    let mut pyse = with(PyseSettings { pretrain: vec![2, 3], ..PyseSettings::default() });
    let search = Search::new(&program, settings(CostModel::User, 1, 200)).with_family(&sizes, 6);
    let result = strategy::run(search, &mut pyse).sound().unwrap();
    let report = pyse.report.take().expect("a report");
    let trained: Vec<_> = report.pretraining.iter().map(|size| (size.size, size.course.best, size.exhausted)).collect();
    assert_eq!(trained, [(2, Some(1), true), (3, Some(3), true)]);
    let before: u64 = report.pretraining.iter().map(|size| size.course.executions).sum();
    assert_eq!((result.paths, result.stop), (200, Stop::Paths));
    assert_eq!(before + report.course.executions, 200);
    // What was learnt goes on to the next size, and there is nothing to pre-train then.
    pyse.report = Some(report);
    pyse.carry_over();
    assert!(matches!(pyse.carried(&program), Some(Carried::Policy(_))));
    let (_, next) = self::search(&family(7), settings(CostModel::User, 1, 10), pyse);
    assert!(next.given && next.pretraining.is_empty());
}
