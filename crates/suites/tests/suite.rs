//! Suites of sequences of calls: what they cover, that they are small, and that nothing in them is ill-typed.

use pessimum_outcome::{CostModel, End, Trap};
use pessimum_search::budget::{Budget, Cancel, Stop};
use pessimum_search::objective::Goal;
use pessimum_search::program::{Arm, SiteId};
use pessimum_suites::{
    Call, Counted, DseSettings, Library, Returned, SuiteResult, SuiteSettings, SuiteStrategy, Test, WholeSuiteSettings,
    WorstCallsSettings, avm_alone, is_well_typed, minimise, search, worst,
};
use pessimum_term::Witness;
use pessimum_testkit::calls::{Calls, counter, foo_bar, stack, tree};
use std::collections::BTreeSet;

fn settings(library: &Calls, runs: u64, seed: u64) -> SuiteSettings {
    SuiteSettings {
        goals: library.places().arm_goals().collect(),
        budget: Budget { paths: Some(runs), ..Budget::default() },
        seed,
        ..SuiteSettings::default()
    }
}

fn genetic() -> SuiteStrategy {
    SuiteStrategy::WholeSuite(WholeSuiteSettings::default())
}

fn hybrid(dse: DseSettings) -> SuiteStrategy {
    SuiteStrategy::WholeSuite(WholeSuiteSettings { dse: Some(dse), ..WholeSuiteSettings::default() })
}

fn strategies() -> [SuiteStrategy; 3] {
    [genetic(), hybrid(DseSettings::default()), SuiteStrategy::default()]
}

/// The goals that a test covers, by running it.
fn covered(library: &Calls, settings: &SuiteSettings, test: &Test) -> BTreeSet<Goal> {
    let ran = library.run(test, &settings.limits).expect("a test of a suite runs");
    let taken = ran.observation.arms.iter().filter(|seen| seen.hits > 0);
    taken.map(|seen| Goal::Arm(seen.site, seen.arm)).collect()
}

/// Checks what a result says against runs of its tests.
fn check(library: &Calls, settings: &SuiteSettings, result: &SuiteResult) {
    assert_eq!(result.counters.refused, 0, "{}: {:?}", library.name(), result.refusal);
    assert!(settings.budget.paths.is_none_or(|most| result.runs <= most));
    let mut all = BTreeSet::new();
    for test in &result.tests {
        assert!(is_well_typed(library, &test.test.calls), "{:?}", test.test.calls);
        let own = covered(library, settings, &test.test);
        assert_eq!(own.iter().copied().collect::<Vec<_>>(), test.covered);
        assert!(!test.goals.is_empty() && test.goals.iter().all(|goal| own.contains(goal) && all.insert(*goal)));
    }
    let open: BTreeSet<Goal> = result.open.iter().copied().collect();
    assert_eq!(result.goals.iter().copied().filter(|goal| !all.contains(goal)).collect::<BTreeSet<_>>(), open);
    for crash in &result.crashes {
        let ran = library.run(&crash.test.test, &settings.limits).expect("a crashing test runs");
        assert_eq!(ran.end(), crash.crash.end);
    }
}

/// All of them are searches by chance: what they find is a rate over seeds.
#[test]
fn foo_and_bar_need_both_values_and_calls() {
    let library = foo_bar();
    let mut found = [0; 3];
    for seed in 0..4 {
        let settings = settings(&library, 10_000, seed);
        for (strategy, found) in strategies().iter().zip(&mut found) {
            let result = search(&library, strategy, &settings);
            check(&library, &settings, &result);
            *found += u32::from(result.open.is_empty() && result.stop == Stop::Covered);
            if matches!(strategy, SuiteStrategy::Auto(_)) {
                assert!(result.runs < 2000, "{}", result.runs);
                let calls: usize = result.tests.iter().map(|test| test.test.calls.len()).sum();
                // The shortest tests for the four ways through: 8 calls for the target, 3 for each of the others.
                assert!(calls <= 8 + 3 + 3 + 3, "{calls} calls");
            }
        }
    }
    let [genetic, hybrid, auto] = found;
    assert_eq!(genetic, 0, "values alone are found by chance only");
    assert!(hybrid >= 3, "{hybrid} of 4: it depends on whether a mutation of the text is ever seen to matter");
    assert_eq!(auto, 4);
}

/// What one application of dynamic symbolic execution may take is a share of the budget, so that the genetic search goes on.
#[test]
fn no_application_takes_more_than_its_share() {
    let library = counter();
    let most = |share: f64| {
        let settings = settings(&library, 4000, 1);
        let dse = DseSettings { share, filter: false, keep_all: true, ..DseSettings::default() };
        let result = search(&library, &hybrid(dse), &settings);
        check(&library, &settings, &result);
        result.counters.symbolic
    };
    assert_eq!(most(0.0), 0, "no time, no path");
    assert!(most(0.05) < most(1.0));
}

#[test]
fn the_published_solver_finds_a_sum() {
    let library = counter();
    let sum = Goal::Arm(SiteId(1), Arm::TRUE);
    let published = |seed| {
        let settings = settings(&library, 6000, seed);
        SuiteSettings { solver: avm_alone(settings.solver.clone()), ..settings }
    };
    let found = (0..3).filter(|&seed| {
        let settings = published(seed);
        let result = search(&library, &hybrid(DseSettings::default()), &settings);
        check(&library, &settings, &result);
        !result.open.contains(&sum)
    });
    assert!(found.count() >= 2);
}

#[test]
fn every_configuration_of_the_paper_gives_a_valid_suite() {
    let library = counter();
    let settings = settings(&library, 800, 4);
    for number in 0..32 {
        let bit = |place: u32| number >> place & 1 == 1;
        let dse = DseSettings {
            keep_all: bit(0),
            filter: bit(1),
            to_all: bit(2),
            adaptive: bit(3),
            probability: if bit(4) { 0.5 } else { 1.0 },
            rate: if bit(4) { 2.0 } else { 1.0 },
            queries: 100,
            ..DseSettings::default()
        };
        check(&library, &settings, &search(&library, &hybrid(dse), &settings));
    }
}

/// Every well-typed sequence of up to this many calls with all values, as far as the library's numbers are small.
fn every_test(library: &Calls, most: usize, see: &mut dyn FnMut(&Test)) {
    fn extend(library: &Calls, most: usize, test: &Test, see: &mut dyn FnMut(&Test)) {
        if !test.calls.is_empty() {
            see(test);
        }
        if test.calls.len() == most {
            return;
        }
        for (function, declared) in library.functions().iter().enumerate() {
            let variables = library.variables(function, &[]).expect("functions without sizes");
            let handles = declared.handles().count();
            let earlier = test.calls.len();
            for choice in 0..earlier.pow(handles as u32) {
                let handle = |place: usize| choice / earlier.pow(place as u32) % earlier;
                let call = Call { function, sizes: Vec::new(), handles: (0..handles).map(handle).collect() };
                let calls: Vec<Call> = test.calls.iter().cloned().chain([call]).collect();
                if !is_well_typed(library, &calls) {
                    continue;
                }
                let inputs: u64 = variables.iter().map(|variable| variable.span() + 1).product();
                for mut number in 0..inputs {
                    let mut values = test.input.values().to_vec();
                    for variable in variables.iter() {
                        values.push(variable.at(number % (variable.span() + 1)));
                        number /= variable.span() + 1;
                    }
                    extend(library, most, &Test { calls: calls.clone(), input: Witness::new(values) }, see);
                }
            }
        }
    }
    extend(library, most, &Test::default(), see);
}

#[test]
fn all_that_short_sequences_reach_is_reached_and_nothing_else() {
    let library = stack();
    let limited = |seed| SuiteSettings { most_calls: 5, ..settings(&library, 20_000, seed) };
    let mut reachable = BTreeSet::new();
    every_test(&library, 5, &mut |test| {
        reachable.extend(covered(&library, &limited(0), test));
    });
    assert!(reachable.len() > 4 && reachable.len() < library.places().arms.len());
    for seed in 0..3 {
        let settings = limited(seed);
        let result = search(&library, &SuiteStrategy::default(), &settings);
        check(&library, &settings, &result);
        let found: BTreeSet<Goal> = result.tests.iter().flat_map(|test| test.goals.iter().copied()).collect();
        assert_eq!(found, reachable);
    }
}

#[test]
fn all_strategies_make_well_typed_tests_only() {
    // Handles that are taken away, handles that must differ, functions of two handles.
    for library in [counter(), stack(), stack().keeping_handles_apart(), tree(), foo_bar()] {
        for strategy in strategies() {
            for seed in 0..2 {
                let settings = settings(&library, 1500, seed);
                check(&library, &settings, &search(&library, &strategy, &settings));
            }
        }
    }
}

#[test]
fn a_seed_fixes_everything() {
    let library = counter();
    for strategy in strategies() {
        let settings = settings(&library, 3000, 7);
        let [one, other] = [(); 2].map(|()| search(&library, &strategy, &settings));
        assert_eq!(one.tests, other.tests);
        assert_eq!(one.crashes, other.crashes);
        assert_eq!((one.runs, one.minimise_runs, one.counters), (other.runs, other.minimise_runs, other.counters));
        let curve = |result: &SuiteResult| -> Vec<(u64, usize)> {
            result.progress.iter().map(|point| (point.runs, point.covered)).collect()
        };
        assert_eq!(curve(&one), curve(&other));
        assert!(curve(&one).is_sorted());
    }
}

/// The test without one call, if no later call needs it.
fn without(library: &Calls, test: &Test, index: usize) -> Option<Test> {
    let mut calls = test.calls.clone();
    let gone = calls.remove(index);
    let needed = |call: &Call| call.handles.contains(&index);
    if calls[index..].iter().any(needed) {
        return None;
    }
    for handle in calls.iter_mut().flat_map(|call| &mut call.handles).filter(|handle| **handle > index) {
        *handle -= 1;
    }
    let count = |call: &Call| library.variables(call.function, &call.sizes).expect("it ran").len();
    let first: usize = test.calls[..index].iter().map(count).sum();
    let mut values = test.input.values().to_vec();
    values.drain(first..first + count(&gone));
    Some(Test { calls, input: Witness::new(values) })
}

#[test]
fn no_call_is_left_that_changes_nothing_and_doing_it_again_changes_nothing() {
    for library in [counter(), stack(), tree(), foo_bar()] {
        let settings = settings(&library, 5000, 3);
        let result = search(&library, &SuiteStrategy::default(), &settings);
        for test in &result.tests {
            for index in 0..test.test.calls.len() {
                if let Some(shorter) = without(&library, &test.test, index) {
                    let left = covered(&library, &settings, &shorter);
                    assert!(test.goals.iter().any(|goal| !left.contains(goal)), "call {index} of {:?}", test.test);
                }
            }
        }
        let tests: Vec<Test> = result.tests.iter().map(|test| test.test.clone()).collect();
        let again = minimise(&library, &tests, &settings);
        let mut known: Vec<&Test> = result.tests.iter().map(|test| &test.test).collect();
        let mut kept: Vec<&Test> = again.tests.iter().map(|test| &test.test).collect();
        known.sort_by_key(|test| (&test.calls, test.input.values()));
        kept.sort_by_key(|test| (&test.calls, test.input.values()));
        assert_eq!(known, kept, "{}", library.name());
    }
}

#[test]
fn crashes_are_kept_apart_and_minimal() {
    let library = stack();
    // The branch that crashes is no goal here.
    let wanted = |goal: &Goal| *goal != Goal::Arm(SiteId(0), Arm::TRUE);
    let settings = settings(&library, 20_000, 1);
    let settings = SuiteSettings { goals: settings.goals.iter().copied().filter(wanted).collect(), ..settings };
    let mut found = 0;
    for seed in 0..4 {
        let settings = SuiteSettings { seed, ..settings.clone() };
        let result = search(&library, &SuiteStrategy::default(), &settings);
        check(&library, &settings, &result);
        assert!(result.tests.iter().all(|test| test.end == End::Returned));
        for crash in &result.crashes {
            found += 1;
            assert_eq!(crash.crash.end, End::Trapped(Trap::Unreachable));
            assert_eq!(library.functions()[crash.crash.function].name, "push");
            assert_eq!((crash.test.test.calls.len(), crash.test.returned), (6, 5));
        }
    }
    assert!(found >= 1);
}

#[test]
fn a_raised_flag_and_a_library_without_functions_are_normal_ends() {
    let cancel = Cancel::default();
    cancel.cancel();
    let library = tree();
    let cancelled = SuiteSettings { cancel, ..settings(&library, 1000, 1) };
    for strategy in strategies() {
        let result = search(&library, &strategy, &cancelled);
        assert_eq!((result.stop, result.runs, result.tests.len()), (Stop::Cancelled, 0, 0));
        let orphan = Calls::new(
            "orphan",
            &["Thing"],
            1,
            vec![pessimum_testkit::calls::declared(
                "use",
                &[(0, false)],
                pessimum_testkit::calls::Numbers::Widths(&[]),
                Returned::Nothing,
                |_, _, _, _| Ok(None),
            )],
        );
        let result = search(&orphan, &strategy, &settings(&orphan, 1000, 1));
        assert_eq!((result.stop, result.runs, result.open.len()), (Stop::Finished, 0, 2));
    }
    assert!(worst(&tree(), &WorstCallsSettings { cancel: cancelled.cancel, ..WorstCallsSettings::default() }).is_err());
}

#[test]
fn the_worst_sequence_turns_a_tree_into_a_list() {
    let library = tree();
    let settings = |counted| WorstCallsSettings {
        cost: CostModel::User,
        counted,
        most_calls: 10,
        budget: Budget { paths: Some(6000), ..Budget::default() },
        ..WorstCallsSettings::default()
    };
    let all = worst(&library, &settings(Counted::Everything)).expect("a sequence");
    // Nine insertions one below the other, 0 to 8 steps down.
    assert_eq!((all.cost, all.calls.iter().sum::<u64>()), (36, 36));
    assert_eq!(all.test.calls.len(), all.calls.len());
    let program = library.program(&all.test.calls).expect("the sequence's program");
    assert_eq!(program.replay(&all.test.input, &settings(Counted::Everything).limits).costs, all.costs);
    let last = worst(&library, &settings(Counted::LastCall)).expect("a sequence");
    assert_eq!((last.cost, last.calls.last()), (8, Some(&8)));
    let again = worst(&library, &settings(Counted::LastCall)).expect("a sequence");
    assert_eq!((again.test, again.runs), (last.test, last.runs));
}
