//! WISE against the published path counts and lengths.

use pessimum_outcome::CostModel;
use pessimum_search::budget::{Budget, Stop};
use pessimum_search::policy::{LearntPolicy, Permission, PolicyPlan, SavedPolicy, TrainingSizes};
use pessimum_search::program::{Arm, Program, SiteId};
use pessimum_search::search::{Search, SearchResult, Settings};
use pessimum_search::strategy::{self, GuidedReport, Wise};
use pessimum_testkit::papers::{self, Sizes};
use pessimum_testkit::script::Script;
use pessimum_testkit::subjects;

fn wise(family: fn(usize) -> Script, cost: CostModel, trained_to: u32, size: u32) -> (SearchResult, GuidedReport) {
    let plan = PolicyPlan { sizes: TrainingSizes::These((1..=trained_to).collect()), ..PolicyPlan::default() };
    search(family, size, Settings { cost, ..Settings::default() }, Wise { plan, ..Wise::default() })
}

fn search(
    family: fn(usize) -> Script,
    size: u32,
    settings: Settings,
    mut strategy: Wise,
) -> (SearchResult, GuidedReport) {
    let (program, sizes) = (family(size as usize), Sizes(family));
    let search = Search::new(&program, settings).with_family(&sizes, size);
    let result = strategy::run(search, &mut strategy).sound().unwrap_or_else(|mismatch| panic!("{mismatch}"));
    (result, strategy.report.expect("a search leaves a report"))
}

fn insertion_sort(n: usize) -> Script {
    subjects::insertion_sort(n, 32)
}

#[test]
fn insertion_sort_is_learnt_from_three_numbers() {
    let (result, report) = wise(insertion_sort, CostModel::User, 3, 30);
    assert_eq!(report.training.sizes.iter().map(|size| size.paths).collect::<Vec<_>>(), [1, 2, 6]);
    assert_eq!((report.generated.paths, result.best_cost()), (1, Some(30 * 29 / 2)));
    assert_eq!((result.paths, result.stop, result.complete), (10, Stop::Finished, false));
    let words = report.policy.in_words(&insertion_sort(30));
    assert_eq!(words, ["insertion sort:0: always take true"]);
}

#[test]
fn a_sorted_list_takes_true_whenever_feasible() {
    for size in [1, 2, 3, 5, 10, 30] {
        let (result, report) = wise(papers::sorted_list, CostModel::User, 2, size);
        assert_eq!((report.generated.paths, result.best_cost()), (1, Some(size.into())));
        let words = report.policy.in_words(&papers::sorted_list(2));
        assert_eq!(words, ["sorted list:0: take true whenever feasible"]);
    }
}

#[test]
fn heap_insertion_generates_the_published_single_path() {
    for (size, longest) in [(2, 13), (3, 20), (4, 29), (5, 38), (10, 89), (15, 144), (20, 209), (30, 339)] {
        let (result, report) = wise(papers::jdk_heap, CostModel::Branches, 2, size);
        assert_eq!((report.generated.paths, result.best_cost()), (1, Some(longest)), "size {size}");
    }
}

#[test]
fn search_tree_lookup_generates_the_published_single_path() {
    for size in [1, 2, 3, 4, 5, 10, 15, 20, 30] {
        let (result, report) = wise(papers::search_tree_lookup, CostModel::User, 3, size);
        assert_eq!(report.training.sizes.iter().map(|size| size.paths).collect::<Vec<_>>(), [1, 3, 13]);
        assert_eq!((report.generated.paths, result.best_cost()), (1, Some(u64::from(3 * size - 2))), "size {size}");
    }
}

#[test]
fn merge_sort_generates_the_published_number_of_paths() {
    // Without concrete conditionals as sites there would be 34 and 69 paths at 7 and 8.
    for (size, paths, longest) in [(5, 1, 32), (7, 19, 66), (8, 34, 78), (10, 125, 106)] {
        let (result, report) = wise(papers::jdk_merge_sort, CostModel::Branches, 7, size);
        assert_eq!((report.generated.paths, result.best_cost()), (paths, Some(longest)), "size {size}");
        assert!(report.generated.finished && !report.generated.opened);
    }
}

/// The first execution has the input of zeros, which takes the costly side of no comparison of a sort. Each number after
/// the first needs a call then, and no comparison more than one; how many are between, the models say.
#[test]
fn iterations_are_those_of_a_concolic_search() {
    for size in [1, 2, 5, 10, 30] {
        let (_, report) = wise(insertion_sort, CostModel::User, 3, size);
        let (least, most) = (u64::from(size), 1 + u64::from(size * (size - 1) / 2));
        let iterations = report.generated.iterations;
        assert!((least..=most).contains(&iterations), "size {size}: {iterations}");
    }
    // Every path but the first has a call of its own; the others are sides that turn out to be infeasible.
    let (_, report) = wise(papers::jdk_merge_sort, CostModel::Branches, 7, 10);
    let iterations = report.generated.iterations;
    assert!((261..=281).contains(&iterations), "published: 271, ours: {iterations}");
}

#[test]
fn a_saved_policy_is_applied_again_without_training() {
    let (_, report) = wise(papers::search_tree_lookup, CostModel::User, 3, 5);
    let program = papers::search_tree_lookup(20);
    let text = serde_json::to_string(&SavedPolicy::new(&report.policy, &program)).expect("plain data");
    let saved: SavedPolicy = serde_json::from_str(&text).expect("what was written can be read");
    let policy = saved.load(&program).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(policy, report.policy);
    let given = Wise { given: Some(policy), ..Wise::default() };
    let settings = Settings { cost: CostModel::User, ..Settings::default() };
    let (result, report) = search(papers::search_tree_lookup, 20, settings, given);
    assert_eq!((result.paths, result.best_cost()), (1, Some(58)));
    assert!(report.training.sizes.is_empty());
    let error = saved.load(&insertion_sort(3)).expect_err("another program");
    assert!(error.to_string().contains("learnt on another program (search tree lookup)"), "{error}");
}

#[test]
fn a_policy_that_generates_nothing_is_opened() {
    // Sizes below seven never reach the merge, so its sites are forbidden.
    let (result, report) = wise(papers::jdk_merge_sort, CostModel::Branches, 4, 8);
    assert!(report.generated.opened && report.generated.paths > 0);
    assert!(result.best_cost().is_some());
    assert!(matches!(&report.policy, LearntPolicy::Branch(policy) if !policy.knows(SiteId(5))));
}

#[test]
fn the_budget_of_paths_is_shared_and_exact() {
    for paths in [1, 2, 3, 10, 100, 1000] {
        let settings = Settings {
            cost: CostModel::Branches,
            budget: Budget { paths: Some(paths), ..Budget::default() },
            ..Settings::default()
        };
        let (result, report) = search(papers::jdk_merge_sort, 12, settings.clone(), Wise::default());
        assert_eq!((result.paths, result.stop), (paths, Stop::Paths), "{:?}", report.training);
        assert!(report.training.paths() <= paths / 2);
        let (again, _) = search(papers::jdk_merge_sort, 12, settings, Wise::default());
        assert_eq!(again.best.map(|path| path.witness), result.best.map(|path| path.witness));
    }
}

#[test]
fn automatic_sizes_grow_until_the_share_is_spent() {
    let settings = Settings {
        cost: CostModel::User,
        budget: Budget { paths: Some(2000), ..Budget::default() },
        ..Settings::default()
    };
    let (result, report) = search(insertion_sort, 20, settings, Wise::default());
    assert_eq!(report.training.finished_sizes().collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6]);
    assert_eq!(report.training.paths(), 1000, "size 7 was cut short");
    assert_eq!((result.paths, result.best_cost()), (1001, Some(190)));
}

#[test]
fn without_a_family_every_arm_is_open() {
    let program = insertion_sort(4);
    let search = Search::new(&program, Settings { cost: CostModel::User, ..Settings::default() });
    let mut strategy = Wise::default();
    let result = strategy::run(search, &mut strategy).sound().unwrap_or_else(|mismatch| panic!("{mismatch}"));
    assert_eq!((result.paths, result.best_cost()), (24, Some(6)));
}

#[test]
fn permissions_form_a_lattice() {
    let (_, report) = wise(papers::jdk_heap, CostModel::Branches, 2, 5);
    let LearntPolicy::Branch(policy) = &report.policy else { panic!("a branch policy") };
    assert_eq!(policy.permission(SiteId(5), Arm::TRUE), Permission::Free);
    assert_eq!(policy.permission(SiteId(5), Arm::FALSE), Permission::Forbidden);
    assert_eq!(policy.permission(SiteId(4), Arm::FALSE), Permission::Forced);
    let mut other = policy.clone();
    other.raise(SiteId(5), Arm::FALSE, Permission::Forced);
    other.raise(SiteId(5), Arm::TRUE, Permission::Forced);
    assert!(policy.is_below(&other) && !other.is_below(policy));
    assert_eq!(policy.join(&other), other);
    assert_eq!(other.join(policy), other);
    assert_eq!(papers::jdk_heap(5).site_name(SiteId(5)), "JDK heap:5");
}

#[test]
fn what_training_cannot_tell_apart_is_tried_at_the_target_size() {
    let families: [fn(usize) -> Script; 2] = [|n| subjects::until(n, true), |n| subjects::until(n, false)];
    for family in families {
        let plan = PolicyPlan { sizes: TrainingSizes::These(vec![1]), probe_ties: true, ..PolicyPlan::default() };
        let settings = Settings { cost: CostModel::User, ..Settings::default() };
        let (result, report) = search(family, 20, settings, Wise { plan, ..Wise::default() });
        assert_eq!((report.generated.paths, result.best_cost()), (1, Some(20)));
    }
}
