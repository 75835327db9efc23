//! Means, medians, and the comparison of two sets of runs.

/// The mean; none of nothing.
pub fn mean(values: Vec<f64>) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The median, which is the mean of the two middle values if there is an even number; none of nothing.
pub fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        count if count % 2 == 1 => Some(values[middle]),
        _ => Some((values[middle - 1] + values[middle]) / 2.0),
    }
}

/// Vargha and Delaney's A12 of `ours` over `theirs` (the probability that one of ours is greater, ties counted half)
/// and the two-sided p of the Mann-Whitney test. None where a side has no runs.
///
/// The p is exact, ties included: of all ways to deal the costs to the two sides, it is the share whose rank sum is at
/// least as far from the mean. Experiments are small enough to do without the normal approximation.
pub fn compare<T: Ord + Copy>(ours: &[T], theirs: &[T]) -> Option<(f64, f64)> {
    if ours.is_empty() || theirs.is_empty() {
        return None;
    }
    let mut all: Vec<T> = ours.iter().chain(theirs).copied().collect();
    all.sort_unstable();
    // Twice the mean rank of ties, so that all ranks are whole numbers.
    let rank = |cost: T| all.partition_point(|&other| other < cost) + all.partition_point(|&other| other <= cost) + 1;
    let observed: usize = ours.iter().map(|&cost| rank(cost)).sum();
    let (n, pairs) = (ours.len(), (ours.len() * theirs.len()) as f64);
    let u = observed as f64 / 2.0 - (n * (n + 1)) as f64 / 2.0;

    // ways[k][s] is the number of sets of k costs whose doubled rank sum is s.
    let most: usize = all.iter().map(|&cost| rank(cost)).sum();
    let mut ways = vec![vec![0.0f64; most + 1]; n + 1];
    ways[0][0] = 1.0;
    for &cost in &all {
        let rank = rank(cost);
        for k in (1..=n).rev() {
            let (fewer, these) = ways.split_at_mut(k);
            for sum in rank..=most {
                these[0][sum] += fewer[k - 1][sum - rank];
            }
        }
    }
    let mean = n * (all.len() + 1);
    let far = observed.abs_diff(mean);
    let total: f64 = ways[n].iter().sum();
    let extreme: f64 =
        ways[n].iter().enumerate().filter(|(sum, _)| sum.abs_diff(mean) >= far).map(|(_, ways)| ways).sum();
    Some((u / pairs, extreme / total))
}

#[cfg(test)]
mod tests {
    use super::{compare, mean, median};

    #[test]
    fn middles() {
        assert_eq!((median(vec![]), mean(vec![])), (None, None));
        assert_eq!((median(vec![5.0, 1.0, 9.0]), mean(vec![5.0, 1.0, 9.0])), (Some(5.0), Some(5.0)));
        assert_eq!(median(vec![4.0, 1.0, 100.0, 2.0]), Some(3.0));
    }

    /// A12 by its definition, over all pairs.
    fn share_of_won_pairs(ours: &[u64], theirs: &[u64]) -> f64 {
        let pairs = ours.iter().flat_map(|x| theirs.iter().map(move |y| x.cmp(y)));
        let wins: i64 = pairs.map(|order| order as i64 + 1).sum();
        wins as f64 / (2 * ours.len() * theirs.len()) as f64
    }

    /// The p by dealing the costs in every possible way.
    fn p_by_dealing(ours: &[u64], theirs: &[u64]) -> f64 {
        let all: Vec<u64> = ours.iter().chain(theirs).copied().collect();
        let far = (share_of_won_pairs(ours, theirs) - 0.5).abs();
        let (mut extreme, mut total) = (0u32, 0u32);
        for set in 0u32..1 << all.len() {
            if set.count_ones() as usize == ours.len() {
                let side = |wanted: u32| -> Vec<u64> {
                    (0..all.len()).filter(|i| set >> i & 1 == wanted).map(|i| all[i]).collect()
                };
                total += 1;
                extreme += u32::from((share_of_won_pairs(&side(1), &side(0)) - 0.5).abs() >= far - 1e-12);
            }
        }
        f64::from(extreme) / f64::from(total)
    }

    #[test]
    fn as_by_definition() {
        let samples: [(&[u64], &[u64]); 7] = [
            (&[5, 6, 7], &[1, 2, 6]),
            (&[1, 1, 2], &[2, 2, 1, 9]),
            (&[3], &[4]),
            (&[7, 7], &[7, 7]),
            (&[296, 293, 292], &[348, 347, 341]),
            (&[1, 2, 3, 4, 5], &[6, 7, 8, 9, 10]),
            (&[9, 9, 9, 4, 4], &[9, 4, 4, 4, 1, 1]),
        ];
        for (ours, theirs) in samples {
            for (x, y) in [(ours, theirs), (theirs, ours)] {
                let (a12, p) = compare(x, y).unwrap();
                assert!((a12 - share_of_won_pairs(x, y)).abs() < 1e-12, "{x:?} {y:?}: A12 {a12}");
                assert!((p - p_by_dealing(x, y)).abs() < 1e-12, "{x:?} {y:?}: p {p}");
            }
        }
        let later = |paths: u64| (7, std::cmp::Reverse(paths));
        assert_eq!(compare(&[later(3)], &[later(9)]).map(|(a12, _)| a12), Some(1.0), "the same cost after fewer paths");
        assert_eq!(compare(&[], &[1]), None);
        assert_eq!(compare(&[1], &[]), None);
    }

    /// Two samples of 5 without overlap: 2 of the C(10, 5) ways.
    #[test]
    fn known_p() {
        let (a12, p) = compare(&[6, 7, 8, 9, 10], &[1, 2, 3, 4, 5]).unwrap();
        assert_eq!(a12, 1.0);
        assert!((p - 2.0 / 252.0).abs() < 1e-12, "{p}");
    }
}
