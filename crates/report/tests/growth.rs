//! When a curve has a class, and when its points forbid one.

use pessimum_report::curve::{CurvePoint, growths};
use pessimum_report::fit::Growth;
use pessimum_report::pattern::{FoundPattern, conclude};
use pessimum_report::result::RandomInputs;
use pessimum_report::work::{Uncounted, withheld};

fn points(cost: impl Fn(u64) -> u64, random: impl Fn(u64) -> f64) -> Vec<CurvePoint> {
    let point = |size: u64| CurvePoint {
        size,
        cost: cost(size),
        random: Some(RandomInputs { inputs: 1000, average: random(size), highest: cost(size), nearest: None }),
        complete: false,
        late_gain: 0.0,
        paths: 100,
        reached_at: 10,
        stopped: "paths".to_string(),
        elapsed_s: 1.0,
        trapped: None,
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
    assert!(growths(&improving).0.why_not.unwrap().starts_with("3 of 6 sizes were still improving"));
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
    assert!(growths(&cut).0.why_not.unwrap().starts_with("the run at n = 128 was cut off"), "too few are left");
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
