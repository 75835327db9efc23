//! Several sizes, one after the other: in which order, with what share of the time, and how settled each of them is.

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

/// The share of the best cost that was gained in the second half of a search; 0 for a search that finished. Halves
/// are of time if the clock or Ctrl-C ended it, and of paths otherwise.
pub fn late_gain(found: &WorstResult) -> f64 {
    let Some(&(_, _, last)) = found.progress.last() else { return 0.0 };
    if found.stopped == Stop::Finished.name() {
        return 0.0;
    }
    let by_time = [Stop::Time, Stop::Cancelled].iter().any(|stop| found.stopped == stop.name());
    let early = found.progress.iter().rev().find(|&&(seconds, paths, _)| match by_time {
        true => 2.0 * seconds <= found.elapsed_s,
        false => paths.saturating_mul(2) <= found.paths,
    });
    early.map_or(1.0, |&(_, _, early)| last.saturating_sub(early) as f64 / last.max(1) as f64)
}

/// The path at which the best cost was reached; 0 if it is that of a random input of the comparison.
pub fn reached_at(found: &WorstResult) -> u64 {
    found.progress.last().map_or(0, |&(_, paths, _)| paths)
}

#[cfg(test)]
mod tests {
    use super::*;

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
