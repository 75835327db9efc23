//! SPF-WCA against the counts of the PySE paper, and history policies.

use pessimum_outcome::CostModel;
use pessimum_search::policy::{
    BranchPolicy, HistoryContext, HistoryPolicy, LearntPolicy, PolicyPlan, SavedPolicy, Sites, TrainingSizes,
};
use pessimum_search::search::{Search, SearchResult, Settings};
use pessimum_search::strategy::{self, Declaration, GuidedReport, Options, SpfWca, Teachers};
use pessimum_testkit::papers::{self, Sizes};
use pessimum_testkit::script::Script;
use pessimum_testkit::subjects;
use pessimum_testkit::value::Value;

fn search(
    family: fn(usize) -> Script,
    size: u32,
    cost: CostModel,
    mut strategy: SpfWca,
) -> (SearchResult, GuidedReport) {
    let (program, sizes) = (family(size as usize), Sizes(family));
    let search = Search::new(&program, Settings { cost, ..Settings::default() }).with_family(&sizes, size);
    let result = strategy::run(search, &mut strategy).sound().unwrap_or_else(|mismatch| panic!("{mismatch}"));
    (result, strategy.report.expect("a search leaves a report"))
}

fn trained_at(sizes: &[u32], history: usize) -> SpfWca {
    let plan = PolicyPlan { sizes: TrainingSizes::These(sizes.to_vec()), ..PolicyPlan::default() };
    SpfWca { history, plan, ..SpfWca::default() }
}

fn probing(probe_ties: bool, strategy: SpfWca) -> SpfWca {
    SpfWca { plan: PolicyPlan { probe_ties, ..strategy.plan.clone() }, ..strategy }
}

#[test]
fn boyer_moore_has_the_published_numbers_of_paths() {
    // PySE, Table II: key length 3, histories of two decisions. w = n / 3 windows, 3w decisions at most. At 3 and 4 a
    // match costs as much as a mismatch of the last symbol. Only the policy of the latter goes on, which is seen at the
    // target size alone.
    for (size, windows) in [(10, 3), (20, 6), (30, 10)] {
        let paths = 3u64.pow(windows - 1);
        for (probe_ties, reached) in [(true, (paths, 3 * u64::from(windows))), (false, (1, 3))] {
            let (result, report) =
                search(subjects::boyer_moore, size, CostModel::Decisions, probing(probe_ties, trained_at(&[3, 4], 2)));
            assert_eq!((report.generated.paths, result.best_cost()), (reached.0, Some(reached.1)));
        }
        let (result, report) = search(subjects::boyer_moore, size, CostModel::Decisions, trained_at(&[6, 7], 2));
        assert_eq!((report.generated.paths, result.best_cost()), (1, Some(3 * u64::from(windows))));
    }
}

#[test]
fn of_equally_costly_paths_the_most_decided_one_is_learnt() {
    // The last comparison of each insertion costs the same either way; only one of the eight paths is always true.
    let insertion_sort = |n| subjects::insertion_sort(n, 32);
    let (result, report) = search(insertion_sort, 20, CostModel::User, trained_at(&[4], 1));
    assert_eq!((report.generated.paths, result.best_cost()), (1, Some(190)));
}

#[test]
fn alternation_needs_a_history() {
    // ESE, section 2: a policy per site leaves both arms of alternate_0 open, one decision of history leaves none.
    let (result, report) = search(papers::alternate_0, 50, CostModel::User, trained_at(&[4], 1));
    assert_eq!((report.generated.paths, result.best_cost()), (1, Some(301)));
    let words = report.policy.in_words(&papers::alternate_0(4));
    assert_eq!(
        words,
        [
            "alternate_0:0: always take true as the first decision",
            "alternate_0:0: always take true after false at alternate_0:0",
            "alternate_0:0: always take false after true at alternate_0:0",
        ]
    );
    let without = SpfWca { history: 0, ..trained_at(&[4], 0) };
    let (result, report) = search(papers::alternate_0, 10, CostModel::User, without);
    assert_eq!((report.generated.paths, result.best_cost()), (1024, Some(61)));
    assert_eq!(report.policy.in_words(&papers::alternate_0(4)), ["alternate_0:0: take either"]);
}

/// Asks whether each number is below the next and, from size 2 on, whether the last is below the first, which
/// contradicts the others.
fn cycle(n: usize) -> Script {
    Script::new("cycle", subjects::variables(n + 1, 32), move |c| {
        let values = c.inputs();
        for pair in values.windows(2) {
            let below = c.less(0, pair[0], pair[1])?;
            c.cost(u64::from(below));
        }
        if n > 1 {
            let below = c.less(0, values[n], values[0])?;
            c.cost(10 * u64::from(below));
        }
        Ok(())
    })
}

#[test]
fn an_infeasible_rule_ends_the_path() {
    // Size 1 teaches only true. At size 4 this is infeasible at the last decision, so there is no path until that
    // decision is opened.
    let (result, report) = search(cycle, 4, CostModel::User, trained_at(&[1], 0));
    assert_eq!(report.policy.in_words(&cycle(4)), ["cycle:0: always take true"]);
    assert!(report.generated.opened);
    assert_eq!((report.generated.paths, report.generated.dead_ends, result.best_cost()), (1, 1, Some(4)));
}

/// `n` calls, each of which decides whether its own two variables are below 100 and below 50. A call costs more where the
/// two decisions differ.
fn calls(n: usize) -> Script {
    Script::new("calls", subjects::variables(2 * n, 8), |c| {
        let values = c.inputs();
        for pair in values.chunks(2) {
            let outer = c.less(0, pair[0], pair[1])?;
            c.cost(u64::from(outer));
            c.call(|c| {
                let first = c.less(1, pair[0], Value::concrete(8, 100))?;
                let second = c.less(2, pair[1], Value::concrete(8, 50))?;
                c.cost(2 * u64::from(first != second));
                Ok(())
            })?;
        }
        Ok(())
    })
}

#[test]
fn a_call_frame_has_its_own_history() {
    for context in [HistoryContext::Off, HistoryContext::Callframe] {
        let strategy = SpfWca { context, ..trained_at(&[2], 1) };
        let (result, report) = search(calls, 4, CostModel::User, strategy);
        let program = calls(4);
        let words = report.policy.in_words(&program);
        let first_in_call = words.iter().filter(|line| line.starts_with("calls:1") && line.contains("first")).count();
        assert_eq!(first_in_call, usize::from(context == HistoryContext::Callframe), "{words:#?}");
        assert_eq!(result.best_cost(), Some(12), "{words:#?}");
        let text = serde_json::to_string(&SavedPolicy::new(&report.policy, &program)).expect("plain data");
        let saved: SavedPolicy = serde_json::from_str(&text).expect("what was written can be read");
        assert_eq!(saved.load(&program), Ok(report.policy));
    }
}

#[test]
fn automatic_training_learns_from_the_largest_size() {
    use pessimum_search::budget::Budget;
    let (program, sizes) = (subjects::boyer_moore(30), Sizes(subjects::boyer_moore));
    let budget = Budget { paths: Some(400), ..Budget::default() };
    let settings = Settings { cost: CostModel::Decisions, budget, ..Settings::default() };
    let mut strategy = SpfWca { history: 2, ..SpfWca::default() };
    let search = Search::new(&program, settings).with_family(&sizes, 30);
    let result = strategy::run(search, &mut strategy).sound().unwrap_or_else(|mismatch| panic!("{mismatch}"));
    let report = strategy.report.expect("a search leaves a report");
    // 1, 1, 4, 4, 4, 13, 13, 13, 40, 40, 40 paths at sizes 1 to 11; the 121 at 12 do not fit into the rest of 200.
    assert_eq!(report.training.finished_sizes().last(), Some(11));
    assert_eq!((report.generated.paths, result.best_cost()), (1, Some(30)));
}

#[test]
fn what_training_cannot_tell_apart_is_tried_at_the_target_size() {
    let families: [fn(usize) -> Script; 2] = [|n| subjects::until(n, true), |n| subjects::until(n, false)];
    for family in families {
        let (result, report) = search(family, 20, CostModel::User, probing(true, trained_at(&[1], 0)));
        assert_eq!((report.generated.paths, result.best_cost()), (1, Some(20)));
    }
}

#[test]
fn all_worst_paths_can_teach() {
    // At 3 and 4 a match and a mismatch of the last symbol cost the same: together they leave both arms of its site open.
    // So there is a match in one of the three windows, or in none. With one teacher only the match is learnt.
    let strategy = SpfWca { teachers: Teachers::All, ..trained_at(&[3, 4], 0) };
    let (result, report) = search(subjects::boyer_moore, 10, CostModel::Decisions, strategy);
    assert_eq!((report.generated.paths, result.best_cost()), (4, Some(9)));
    assert_eq!(report.generated.infeasible, 0);
    let (_, report) = search(subjects::boyer_moore, 10, CostModel::Decisions, trained_at(&[3, 4], 0));
    assert_eq!(report.generated.paths, 1);
}

#[test]
fn a_policy_of_another_kind_is_refused() {
    let history = |length| LearntPolicy::History(HistoryPolicy::new(length, HistoryContext::Off));
    let make = |name: &str, words: &[(&'static str, &'static str)], policy: LearntPolicy| {
        let strategy = Declaration::of(name).unwrap();
        let mut options = Options::of(strategy, words.iter().copied()).unwrap();
        options.policy = Some(policy);
        strategy.make(&options).map(drop)
    };
    let branch = LearntPolicy::Branch(BranchPolicy::new(Sites::Branch));
    assert_eq!(
        make("spf-wca", &[("history", "3")], branch.clone()),
        Err("the policy is one of --strategy wise, not spf-wca".to_owned())
    );
    assert_eq!(make("wise", &[], history(2)), Err("the policy is one of --strategy spf-wca, not wise".to_owned()));
    let other = make("spf-wca", &[("history", "3")], history(2));
    assert_eq!(other, Err("--history 3: the policy has histories of 2".to_owned()));
    assert_eq!(make("spf-wca", &[], history(2)), Ok(()), "its own length counts");
    assert_eq!(make("wise", &[], branch), Ok(()));
}
