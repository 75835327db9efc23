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

/// Whether values lie symmetrically around a centre: the two-sided p of Wilcoxon's signed-rank test of one sample, as in
/// the EvoSuite paper over the A12 of many classes. None if no value is off the centre.
///
/// Values at the centre are left out. The p is exact, ties included: of all ways to put the values on the two sides of
/// the centre, each as far from it as it is, it is the share whose rank sum is at least as far from the mean.
pub fn symmetry(values: &[f64], centre: f64) -> Option<f64> {
    // A12 of samples of the same sizes are multiples of one fraction: what differs by less is rounding.
    const STEP: f64 = 1e-9;
    let off = |value: &f64| ((value - centre) / STEP).round() as i64;
    let differences: Vec<i64> = values.iter().map(off).filter(|&difference| difference != 0).collect();
    if differences.is_empty() {
        return None;
    }
    let mut sorted: Vec<u64> = differences.iter().map(|difference| difference.unsigned_abs()).collect();
    sorted.sort_unstable();
    // Twice the mean rank of ties, so that all ranks are whole numbers.
    let rank = |difference: i64| {
        let distance = difference.unsigned_abs();
        sorted.partition_point(|&other| other < distance) + sorted.partition_point(|&other| other <= distance) + 1
    };
    let above: usize = differences.iter().filter(|&&difference| difference > 0).map(|&above| rank(above)).sum();

    // ways[s] is the number of ways to choose the values above the centre so that their doubled rank sum is s.
    let most: usize = differences.iter().map(|&difference| rank(difference)).sum();
    let mut ways = vec![0.0f64; most + 1];
    ways[0] = 1.0;
    for &difference in &differences {
        let rank = rank(difference);
        for sum in (rank..=most).rev() {
            ways[sum] += ways[sum - rank];
        }
    }
    // The mean is half of `most`, which may be odd.
    let far = (2 * above).abs_diff(most);
    let extreme = ways.iter().enumerate().filter(|(sum, _)| (2 * sum).abs_diff(most) >= far).map(|(_, ways)| ways);
    Some(extreme.sum::<f64>() / ways.iter().sum::<f64>())
}

#[cfg(test)]
mod tests {
    use super::{compare, mean, median, symmetry};

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

    /// By hand: the rank sums of the values on one side, and how many of the 2^n ways to choose them are as extreme.
    #[test]
    fn symmetry_by_hand() {
        let p = |values: &[f64]| symmetry(values, 0.5);
        assert_eq!(p(&[]), None);
        assert_eq!(p(&[0.5, 0.5]), None);
        // One value is always on one side.
        assert_eq!(p(&[0.9]), Some(1.0));
        // Five on one side: the sets {} and all of them.
        assert_eq!(p(&[0.6, 0.7, 0.8, 0.9, 1.0]), Some(2.0 / 32.0));
        assert_eq!(p(&[0.4, 0.3, 0.2, 0.1, 0.0]), Some(2.0 / 32.0));
        // Rank 2 alone is below: {}, {1} and {2} have no greater sum, and their mirror images.
        assert_eq!(p(&[0.6, 0.3, 0.8, 0.9, 1.0]), Some(6.0 / 32.0));
        // Values at the centre change nothing.
        assert_eq!(p(&[0.5, 0.6, 0.3, 0.8, 0.5, 0.9, 1.0]), Some(6.0 / 32.0));
        // Ranks 1.5, 1.5 and 3 with one of the first below: {}, the two sets of 1.5, and their mirror images.
        assert_eq!(p(&[0.4, 0.6, 0.75]), Some(6.0 / 8.0));
        // As symmetrical as can be.
        assert_eq!(p(&[0.3, 0.7]), Some(1.0));
        // Distances that differ by rounding alone are ties: 0.58 - 0.5 and 0.5 - 0.42.
        assert_eq!(p(&[0.58, 0.42, 0.42]), p(&[0.6, 0.4, 0.4]));
    }

    /// The p by choosing the sides of the values in every possible way.
    #[test]
    fn symmetry_as_by_definition() {
        for differences in [&[3i32, -1, 4, 1, -5, 9][..], &[2, 2, -2, 7, 1, 8, -2], &[-1, -1, -1, -1, 2], &[5, -6]] {
            let rank = |distance: i32| {
                let below = differences.iter().filter(|other| other.abs() < distance).count();
                let tied = differences.iter().filter(|other| other.abs() == distance).count();
                below as f64 + (tied + 1) as f64 / 2.0
            };
            let ranks: Vec<f64> = differences.iter().map(|difference| rank(difference.abs())).collect();
            let middle = ranks.iter().sum::<f64>() / 2.0;
            let far = |above: &dyn Fn(usize) -> bool| {
                (0..ranks.len()).filter(|&i| above(i)).map(|i| ranks[i]).sum::<f64>() - middle
            };
            let observed = far(&|i| differences[i] > 0).abs();
            let sets = 0u32..1 << ranks.len();
            let extreme = sets.filter(|set| far(&|i| set >> i & 1 == 1).abs() >= observed - 1e-9).count();
            let values: Vec<f64> = differences.iter().map(|&difference| 0.5 + f64::from(difference) / 20.0).collect();
            let p = symmetry(&values, 0.5).unwrap();
            assert!((p - extreme as f64 / f64::from(1u32 << ranks.len())).abs() < 1e-12, "{differences:?}: {p}");
        }
    }
}
