//! Several sizes, one after the other: in which order, with what share of the time, and how settled each of them is.
//!
//! Where only time is limited, three tenths of it are for a second round: the size that lags most goes on from its
//! journal and from its neighbours' inputs, made to fit array by array.

use std::collections::BTreeMap;
use std::time::Duration;

use pessimum_report::curve::{CurvePoint, growths};
use pessimum_report::result::WorstResult;
use pessimum_search::budget::Stop;

/// The order in which sizes are searched. It is ascending, so that each begins with what the smaller ones taught; a
/// strategy that learns at its own sizes, below the one searched, begins with the largest.
pub fn order(ascending: &[u64], learns: bool) -> Vec<u64> {
    let mut sizes = ascending.to_vec();
    if learns {
        sizes.rotate_right(1);
    }
    sizes
}

/// The share of the remaining time for the first of the remaining sizes. It goes by the square root of the size, so
/// that large ones get more; a size at which the policy for all is learnt gets half.
pub fn share(sizes: &[u64], learns: bool) -> f64 {
    let weight = |size: &u64| (*size as f64).sqrt();
    if learns && sizes.len() > 1 && sizes[0] > sizes[1] {
        return 0.5;
    }
    weight(&sizes[0]) / sizes.iter().map(weight).sum::<f64>()
}

/// The part of a curve's time in which every size has its turn. The rest goes to the sizes that lag behind the others,
/// which are only known then.
pub const FIRST_ROUND: f64 = 0.7;

/// A search that is shorter than this hardly gets beyond its first inputs.
const SHORTEST: Duration = Duration::from_millis(400);

/// The size that most deserves more time, and how much of what is left; none if no size does or nothing is left.
/// `fruitless` says how often a size got more and found nothing. Points are in ascending order of sizes.
pub fn lagging(points: &[CurvePoint], fruitless: &BTreeMap<u64, u32>, left: Duration) -> Option<(u64, Duration)> {
    if left < SHORTEST {
        return None;
    }
    let fit = growths(points).0.fit;
    let largest = points.last()?.size as f64;
    let mut highest = 0;
    let mut most: Option<(f64, u64)> = None;
    for point in points {
        let cost = point.cost.max(1) as f64;
        highest = highest.max(point.cost);
        let expected = fit.as_ref().filter(|fit| fit.from <= point.size).map_or(0.0, |fit| fit.at(point.size as f64));
        let missing = (expected.max(highest as f64) / cost - 1.0).clamp(0.0, 1.0);
        // Where all sizes are alike, the larger ones are harder.
        let size = (point.size as f64 / largest).sqrt();
        let need = point.late_gain + missing + 0.001 * size;
        let need = need / 4f64.powi(fruitless.get(&point.size).map_or(0, |&times| times.min(100) as i32));
        let is_open = !point.complete && point.stopped == Stop::Time.name() && !point.end.starts_with("limit");
        if is_open && most.is_none_or(|(greatest, _)| need > greatest) {
            most = Some((need, point.size));
        }
    }
    let (_, size) = most?;
    let part = left.mul_f64(0.15 + 0.35 * (size as f64 / largest).sqrt()).max(SHORTEST);
    Some((size, if left - part < SHORTEST { left } else { part }))
}

/// The share of the best cost that was gained in the second half of a search; 0 for a search that finished. Halves are of
/// paths, and of time too if the clock or Ctrl-C ended it: the costliest runs are slow, so that the last few paths may take half of
/// the time, and runs of a search that got slower may be most of its paths.
pub fn late_gain(found: &WorstResult) -> f64 {
    let Some(&(_, _, last)) = found.progress.last() else { return 0.0 };
    if found.stopped == Stop::Finished.name() {
        return 0.0;
    }
    let gain = |is_early: &dyn Fn(f64, u64) -> bool| {
        let early = found.progress.iter().rev().find(|&&(seconds, paths, _)| is_early(seconds, paths));
        early.map_or(1.0, |&(_, _, early)| last.saturating_sub(early) as f64 / last.max(1) as f64)
    };
    let of_paths = gain(&|_, paths| paths.saturating_mul(2) <= found.paths);
    let by_time = [Stop::Time, Stop::Cancelled].iter().any(|stop| found.stopped == stop.name());
    let of_time = if by_time { gain(&|seconds, _| 2.0 * seconds <= found.elapsed_s) } else { 0.0 };
    of_paths.max(of_time)
}

/// The path at which the best cost was reached; 0 if it is that of a random input of the comparison.
pub fn reached_at(found: &WorstResult) -> u64 {
    found.progress.last().map_or(0, |&(_, paths, _)| paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(size: u64, cost: u64) -> CurvePoint {
        let point = serde_json::json!({
            "size": size, "cost": cost, "random": null, "complete": false, "late_gain": 0.0, "paths": 1, "reached_at": 1,
            "stopped": "time", "elapsed_s": 0.5, "end": "returned", "input": [1], "directory": "n",
        });
        serde_json::from_value(point).unwrap()
    }

    #[test]
    fn time_goes_to_the_sizes_that_lag() {
        let second = Duration::from_secs(1);
        let chosen = |points: &[CurvePoint], fruitless: &[(u64, u32)]| {
            lagging(points, &fruitless.iter().copied().collect(), second).map(|(size, _)| size)
        };
        let mut points: Vec<CurvePoint> = [8, 16, 32, 64, 128].map(|n| point(n, 3 * n * n)).to_vec();
        assert_eq!(chosen(&points, &[]), Some(128), "all are alike");
        points[1].cost = 500;
        assert_eq!(chosen(&points, &[]), Some(16), "below what the others predict");
        assert_eq!(chosen(&points, &[(16, 9)]), Some(128), "more did not help");
        points[2].late_gain = 0.7;
        assert_eq!(chosen(&points, &[]), Some(32), "still improving");
        points[2].complete = true;
        points[4].end = "limit: instructions".to_string();
        points[1].stopped = "finished".to_string();
        assert_eq!(chosen(&points, &[]), Some(64), "the others cannot gain");
        points[3].cost = 1;
        assert_eq!(chosen(&points[3..4], &[]), Some(64));
        assert_eq!(lagging(&points, &BTreeMap::new(), Duration::from_millis(10)), None);
        assert_eq!(lagging(&[], &BTreeMap::new(), second), None);
    }

    #[test]
    fn the_time_that_is_left_is_spent_to_the_end() {
        let points = [point(8, 100), point(512, 5)];
        let (mut left, mut searches) = (Duration::from_secs(10), 0);
        while let Some((_, time)) = lagging(&points, &BTreeMap::new(), left) {
            assert!(time <= left && time >= SHORTEST);
            left -= time;
            searches += 1;
        }
        assert_eq!(left, Duration::ZERO);
        assert!(searches < 25, "{searches}");
    }

    /// Improvements as `(seconds, paths, cost)` of a search that took 10 s and 107 paths.
    fn gain(stopped: &str, progress: &[(f64, u64, u64)]) -> f64 {
        let result = serde_json::json!({
            "module": "m", "call": null, "size": 24, "strategy": "auto", "seed": 1, "cost": { "model": "instructions", "value": 1 },
            "costs": pessimum_outcome::Costs::default(), "input": [], "end": "returned", "paths": 107, "decisions": 0,
            "solver": null, "complete": false, "stopped": stopped, "elapsed_s": 10.0, "progress": progress, "ends": {},
            "random": null, "hottest": [], "policy": null, "arguments": [],
        });
        late_gain(&serde_json::from_value(result).unwrap())
    }

    /// The last four paths of a search took most of its time, because what they found is slow.
    #[test]
    fn a_gain_is_late_by_paths_or_by_time() {
        let slow_at_last = [(0.1, 25, 99_083), (4.0, 103, 151_453)];
        let part = (151_453.0 - 99_083.0) / 151_453.0;
        assert_eq!(gain("time", &slow_at_last), part);
        assert_eq!(gain("paths", &slow_at_last), part);
        assert_eq!(gain("finished", &slow_at_last), 0.0);
        let quick_at_last = [(0.1, 25, 100), (9.0, 50, 200)];
        assert_eq!((gain("time", &quick_at_last), gain("paths", &quick_at_last)), (0.5, 0.0));
        assert_eq!(gain("time", &[(0.1, 25, 100)]), 0.0);
    }

    /// The shares of the time that the sizes get if none leaves any unused.
    fn parts(sizes: &[u64], learns: bool) -> Vec<f64> {
        let mut left = 1.0;
        let mut parts = Vec::new();
        for i in 0..sizes.len() {
            parts.push(left * share(&sizes[i..], learns));
            left -= parts[i];
        }
        parts
    }

    #[test]
    fn all_time_is_allotted_and_larger_sizes_get_more() {
        let sizes = [4, 8, 16, 64, 256];
        let given = parts(&order(&sizes, false), false);
        assert!((given.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{given:?}");
        for (i, &size) in sizes.iter().enumerate() {
            let expected = given[0] * (size as f64 / 4.0).sqrt();
            assert!((given[i] - expected).abs() < 1e-9, "{given:?}");
        }
        let learning = parts(&order(&sizes, true), true);
        assert!((learning.iter().sum::<f64>() - 1.0).abs() < 1e-9 && learning[0] == 0.5, "{learning:?}");
    }
}
