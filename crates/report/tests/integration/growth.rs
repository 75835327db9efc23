//! When a curve has a class, and when its points forbid one.

use pessimum_report::certainty;
use pessimum_report::curve::{CurvePoint, CurveResult, KnownPattern, Standing, beside_pattern, growths};
use pessimum_report::doubts::Uncounted;
use pessimum_report::fit::Growth;
use pessimum_report::grown::By;
use pessimum_report::pattern::{FoundPattern, conclude};
use pessimum_report::result::RandomInputs;
use pessimum_report::work::withheld;

fn points(cost: impl Fn(u64) -> u64, random: impl Fn(u64) -> f64) -> Vec<CurvePoint> {
    let point = |size: u64| CurvePoint {
        size,
        cost: cost(size),
        random: Some(RandomInputs { inputs: 1000, average: random(size), highest: cost(size), nearest: None }),
        complete: false,
        domain: None,
        late_gain: 0.0,
        paths: 100,
        reached_at: 10,
        stopped: "paths".to_string(),
        elapsed_s: 1.0,
        trapped: None,
        endless: false,
        end: "returned".to_string(),
        input: serde_json::Value::Null,
        directory: format!("n-{size}"),
        work: None,
    };
    [8, 16, 32, 64, 128, 256].map(point).to_vec()
}

#[test]
fn no_worst_case_grows_slower_than_random_inputs() {
    let (worst, random) = growths(&points(|n| 9 * n * n + 4, |n| (3 * n * n) as f64));
    assert_eq!(
        (worst.class.unwrap().to_string(), random.unwrap().class.unwrap().to_string()),
        ("n^2".into(), "n^2".into())
    );
    // A search that found nothing at the larger sizes.
    let (worst, random) = growths(&points(|n| 9000 * n, |n| (3 * n * n) as f64));
    assert_eq!((worst.class, random.unwrap().class.unwrap().to_string().as_str()), (None, "n^2"));
    let why = worst.why_not.unwrap();
    assert_eq!(why, "random inputs grow like n^2, so the worst case cannot grow like n");
    assert!(worst.fit.is_some(), "the fit is still shown");
}

#[test]
fn searches_that_were_not_done_have_no_class() {
    let quadratic = || points(|n| 9 * n * n + 4, |n| n as f64);
    let mut improving = quadratic();
    improving[3..].iter_mut().for_each(|point| point.late_gain = 0.5);
    assert_eq!(growths(&improving).0.why_not.unwrap(), "3 of 6 sizes are far from settled");
    improving[3..].iter_mut().for_each(|point| point.late_gain = 0.04);
    assert!(growths(&improving).0.class.is_some(), "a few per cent are noise");
}

/// A run that is cut off costs more than is known: what is below it still grows as it does.
#[test]
fn sizes_that_were_cut_off_are_left_out() {
    let mut cut = points(|n| 9 * n * n + 4, |n| n as f64);
    (cut[5].end, cut[5].cost) = ("limit: instructions".to_string(), 1000);
    let worst = growths(&cut).0;
    assert_eq!((worst.class.unwrap().to_string().as_str(), worst.fit.unwrap().largest), ("n^2", 128));
    cut[4].end = "limit: instructions".to_string();
    let (worst, random) = growths(&cut);
    assert!(worst.why_not.unwrap().starts_with("the run at n = 128 was cut off"), "too few are left");
    assert_eq!((worst.fit, random.and_then(|random| random.fit)), (None, None), "what was cut off is no point");
}

/// A pattern whose costs leave out what may grow faster ends the matter: nothing is concluded from the others.
#[test]
fn nothing_is_concluded_beside_what_is_not_counted() {
    let growth = || growths(&points(|n| 3 * n + 3, |n| n as f64)).0;
    let found = |growth: Growth| FoundPattern {
        pattern: serde_json::Value::Null,
        words: String::new(),
        place: None,
        growth,
        formula: None,
        points: Vec::new(),
        stopped: String::new(),
        behind: None,
    };
    let hidden = withheld(growth(), Uncounted::Unknown);
    assert!(growth().class.is_some() && hidden.class.is_none() && hidden.fit.is_some());
    assert!(conclude(None, &[found(growth())]).class.is_some());
    let conclusion = conclude(None, &[found(growth()), found(hidden.clone())]);
    assert_eq!((conclusion.class, conclusion.why_not), (None, hidden.why_not.clone()));
    assert_eq!(conclude(Some(&hidden), &[found(growth())]).class, None);
}

/// A size that the end of the budget cut says nothing, and those around it do.
#[test]
fn sizes_without_a_whole_run_are_left_out() {
    let mut cut = points(|n| 9 * n * n + 4, |n| n as f64);
    (cut[3].end, cut[3].cost, cut[3].paths) = ("limit: end of the budget".to_string(), 1880, 0);
    let worst = growths(&cut).0;
    assert_eq!((worst.class.unwrap().to_string().as_str(), worst.fit.unwrap().largest), ("n^2", 256));
    for at in [0, 5] {
        (cut[at].end, cut[at].cost, cut[at].paths) = ("limit: end of the budget".to_string(), 1880, 0);
    }
    assert_eq!(growths(&cut).0.why_not.unwrap(), "5 sizes are needed, and there are 3");
}

#[test]
fn where_nothing_was_counted_there_is_no_class() {
    let mut nothing = points(|_| 0, |_| 0.0);
    nothing.iter_mut().for_each(|point| point.end = "exited: 1".to_string());
    let (worst, _) = growths(&nothing);
    assert_eq!(
        (worst.class, worst.why_not.unwrap().as_str()),
        (None, "nothing of the program was counted at any size")
    );
}

/// The path of each size at which its cost was reached, and what is said of it.
fn standing(change: impl Fn(&mut Vec<CurvePoint>)) -> Vec<String> {
    let mut curve = points(|n| 9 * n * n + 4, |n| n as f64);
    change(&mut curve);
    let said = curve.iter().zip(Standing::of(&curve)).map(|(point, of)| certainty::of_point(point, of));
    said.collect()
}

#[test]
fn settled_needs_quiet_paths_and_no_smaller_size_that_costs_more() {
    let said = standing(|_| {});
    assert!(said.iter().all(|said| said == "settled: at path 10 of 100"), "{said:?}");
    // The reviews' cases: the best came with the last paths, which took half of the time.
    let late = standing(|curve| (curve[5].reached_at, curve[5].paths) = (103, 107));
    assert_eq!(late[5], "not settled: at path 103 of 107");
    let on_the_line = standing(|curve| (curve[5].reached_at, curve[4].reached_at) = (90, 91));
    assert_eq!(on_the_line[4..], ["not settled: at path 91 of 100", "settled: at path 90 of 100"]);
    let below = standing(|curve| {
        curve[0].cost = 912_830;
        curve[1..].iter_mut().for_each(|point| (point.cost, point.reached_at, point.paths) = (902_900, 40, 4_729));
    });
    assert_eq!(below[0], "settled: at path 10 of 100");
    assert!(below[1..].iter().all(|said| said == "not settled: n = 8 costs more, 912,830"), "{below:?}");
    let few = standing(|curve| (curve[2].paths, curve[2].reached_at, curve[3].paths) = (9, 1, 0));
    assert_eq!(few[2..4], ["not settled: only 9 paths", "not searched: no path was done in this time"]);
    let cut = standing(|curve| curve[5].end = "limit: instructions".to_string());
    assert_eq!(cut[5], "not settled: the run was cut off; limit: instructions");
    let certain = standing(|curve| (curve[0].cost, curve[1].complete, curve[1].paths) = (u64::MAX, true, 3));
    assert_eq!(certain[1], "certain: all paths seen (3 run)");
}

fn curve(points: Vec<CurvePoint>) -> CurveResult {
    let (worst, random) = growths(&points);
    CurveResult {
        module: "a.wasm".to_string(),
        call: None,
        strategy: "auto".to_string(),
        seed: 1,
        cost: "instructions".to_string(),
        points,
        worst,
        random,
        known_pattern: None,
        missing: Vec::new(),
        elapsed_s: 1.0,
        arguments: Vec::new(),
    }
}

fn said(curve: &CurveResult) -> String {
    let known = curve.verdict();
    let grows = known.grown.map_or_else(|| certainty::not_known(&known), |grown| certainty::all_grow(&grown));
    format!("{}: {grows}", certainty::subject_of(&known))
}

#[test]
fn only_certain_costs_are_those_of_the_worst_case() {
    let mut quadratic = curve(points(|n| 9 * n * n + 4, |n| n as f64));
    let found = "worst found: the cost of the worst inputs found grows like n^2, up to n = 256";
    assert_eq!(said(&quadratic), found);
    quadratic.points[1..].iter_mut().for_each(|point| point.complete = true);
    assert_eq!(said(&quadratic), found, "one size is open");
    quadratic.points[0].complete = true;
    assert_eq!(said(&quadratic), "worst case: the worst case grows like n^2 at these sizes, up to n = 256");
    // Where a search stays in the first branch of a parser, all costs are alike.
    let flat = curve(points(|_| 340, |_| 340.0));
    assert_eq!(said(&flat), "worst found: no growth was found up to n = 256");
    // A linear term that rules up to n = 5,700, and a start that does.
    let mixed = curve(points(|n| 5702 * n + n * n, |n| n as f64));
    assert_eq!(
        said(&mixed),
        "worst found: the cost of the worst inputs found grows like n, up to n = 256; the last sizes grow faster than that"
    );
    let start = curve(points(|n| 9_000 + 20 * n, |n| n as f64));
    assert!(said(&start).ends_with("up to n = 256; lower terms are still 64 % of the cost there"), "{}", said(&start));
}

#[test]
fn a_curve_claims_no_smaller_class_than_a_pattern_has() {
    let mut linear = curve(points(|n| 2851 * n + 400, |n| n as f64));
    let pattern =
        |class: &str| KnownPattern { class: class.parse().unwrap(), words: "n `a`".to_string(), up_to: 1 << 20 };
    for (class, by, exceeds) in [("n^2", By::Pattern, true), ("n", By::Search, false), ("log n", By::Search, false)] {
        linear.known_pattern = Some(pattern(class));
        linear.worst = beside_pattern(growths(&linear.points).0, linear.known_pattern.as_ref());
        assert_eq!(linear.worst.class.is_none(), exceeds, "{class}");
        let known = linear.verdict();
        assert_eq!(known.grown.map(|grown| grown.by), Some(by), "{class}");
        assert_eq!(known.is_above("n log n".parse().unwrap()), Some(exceeds), "{class}");
    }
}
