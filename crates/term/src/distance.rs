//! How far a comparison is from the other outcome: the branch distance of search-based testing.
//!
//! Source: Korel, "Automated Software Test Data Generation" (IEEE TSE 1990), and Arcuri, "It Does Matter
//! How You Normalise the Branch Distance in Search Based Software Testing" (ICST 2010) for [`normalised`]. Distances
//! are exact integers: the least number of units by which an operand must move. A unit of a float is the step to the
//! next representable number, so that the distance stays positive, finite and monotone from subnormals to infinity.

use crate::ops::{self, BinaryOp, mask, signed};

/// The distance of a comparison with a NaN from being true: further than any two numbers are from each other.
pub const NAN_DISTANCE: u128 = 1 << 64;

/// The distance of the comparison `x op y` of `width`-bit values from being true; 0 where it is.
pub fn to_true(op: BinaryOp, width: u32, x: u64, y: u64) -> u128 {
    to_outcome(op, width, x, y, true)
}

/// The distance of the comparison `x op y` of `width`-bit values from being false; 0 where it is.
pub fn to_false(op: BinaryOp, width: u32, x: u64, y: u64) -> u128 {
    to_outcome(op, width, x, y, false)
}

/// The distance of the comparison `x op y` of `width`-bit values from the wanted outcome; 0 where it has it.
///
/// Equality of integers has no signedness: its distance is the shorter way round the circle of all values. An operator
/// that does not compare counts as true where its lowest bit is 1, and is 1 away from changing that.
pub fn to_outcome(op: BinaryOp, width: u32, x: u64, y: u64, wanted: bool) -> u128 {
    use BinaryOp::{Eq, FEq, FLe, FLt, LeS, LeU, LtS, LtU};
    if (ops::binary(op, width, x, y) & 1 == 1) == wanted {
        return 0;
    }
    let gap = match op {
        Eq => u128::from((x.wrapping_sub(y) & mask(width)).min(y.wrapping_sub(x) & mask(width))),
        LtU | LeU => u128::from(x.abs_diff(y)),
        LtS | LeS => u128::from(signed(width, x).abs_diff(signed(width, y))),
        FEq | FLt | FLe => match (rank(width, x), rank(width, y)) {
            (Some(x), Some(y)) => u128::from(x.abs_diff(y)),
            // No comparison with a NaN is true, so the outcome that is wanted and missing must be true.
            _ => return NAN_DISTANCE,
        },
        _ => return 1,
    };
    match (op, wanted) {
        (Eq | FEq, true) => gap,
        (Eq | FEq, false) => 1,
        // Equal operands would still be on the wrong side.
        (LtU | LtS | FLt, true) | (LeU | LeS | FLe, false) => gap + 1,
        _ => gap,
    }
}

/// Maps a distance monotonically to `0.0 ..= 1.0`, and only 0 to 0, so that in a sum of distances no single one drowns
/// out the others. Distances beyond 2^53 all become 1.0.
pub fn normalised(distance: u128) -> f64 {
    let distance = distance as f64;
    distance / (distance + 1.0)
}

/// The place of a float among all floats of its width, both zeros at 0; `None` for a NaN.
fn rank(width: u32, bits: u64) -> Option<i64> {
    let is_nan = if width == 32 { f32::from_bits(bits as u32).is_nan() } else { f64::from_bits(bits).is_nan() };
    let magnitude = (bits & mask(width - 1)) as i64;
    (!is_nan).then_some(if bits >> (width - 1) & 1 == 1 { -magnitude } else { magnitude })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use BinaryOp::*;

    const COMPARISONS: [BinaryOp; 5] = [Eq, LtU, LtS, LeU, LeS];

    /// The definition: the fewest steps of one operand to a value with which the outcome is the wanted one.
    fn by_definition(op: BinaryOp, width: u32, x: u64, y: u64, wanted: bool) -> Option<u128> {
        let count = 1u64 << width;
        let number = |bits: u64| if matches!(op, LtS | LeS) { signed(width, bits) } else { bits as i64 };
        let steps = |from: u64, to: u64| {
            let straight = number(from).abs_diff(number(to));
            u128::from(if op == Eq { straight.min(count - straight) } else { straight })
        };
        let has = |x: u64, y: u64| (ops::binary(op, width, x, y) == 1) == wanted;
        let moved_x = (0..count).filter(|&other| has(other, y)).map(|other| steps(x, other));
        let moved_y = (0..count).filter(|&other| has(x, other)).map(|other| steps(y, other));
        moved_x.chain(moved_y).min()
    }

    #[test]
    fn integers_agree_with_the_definition() {
        for width in 1..=4 {
            for (op, pair) in COMPARISONS.iter().flat_map(|&op| (0..1u64 << (2 * width)).map(move |pair| (op, pair))) {
                let (x, y) = (pair >> width, pair & mask(width));
                for wanted in [false, true] {
                    // One operand alone is not always enough: nothing is less than 0 or greater than the maximum.
                    let Some(expected) = by_definition(op, width, x, y, wanted) else { continue };
                    let found = to_outcome(op, width, x, y, wanted);
                    assert_eq!(found, expected, "{op:?} of {width} bits: {x}, {y}, {wanted}");
                }
            }
        }
    }

    #[test]
    fn the_distance_is_zero_exactly_where_the_outcome_is_the_wanted_one() {
        let mut random = Random::new(11);
        let floats = [0.0f64, -0.0, 1.0, -1.0, 1e-320, f64::MAX, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
        for _ in 0..100_000 {
            let width = [32, 64][random.index(2)];
            let op = [Eq, LtU, LtS, LeU, LeS, FEq, FLt, FLe][random.index(8)];
            let mut value = || {
                let float = floats[random.index(floats.len())];
                let special = if width == 32 { u64::from((float as f32).to_bits()) } else { float.to_bits() };
                if random.index(2) == 0 { special } else { random.bits() & mask(width) }
            };
            let (x, y) = (value(), value());
            let holds = ops::binary(op, width, x, y) == 1;
            assert_eq!(to_true(op, width, x, y) == 0, holds);
            assert_eq!(to_false(op, width, x, y) == 0, !holds);
            assert!(to_true(op, width, x, y) <= NAN_DISTANCE);
        }
    }

    #[test]
    fn floats_count_representable_numbers() {
        let bits = |x: f64| x.to_bits();
        assert_eq!(to_true(FEq, 64, bits(0.0), bits(-0.0)), 0);
        assert_eq!(to_true(FLt, 64, bits(0.0), bits(-0.0)), 1);
        assert_eq!(to_true(FEq, 64, bits(1.0), bits(1.0 + f64::EPSILON)), 1);
        assert_eq!(to_true(FEq, 64, bits(-f64::from_bits(1)), bits(f64::from_bits(1))), 2);
        assert_eq!(to_true(FLe, 64, bits(1.0 + f64::EPSILON), bits(1.0)), 1);
        assert_eq!(to_true(FLt, 64, bits(f64::NAN), bits(1.0)), NAN_DISTANCE);
        assert!(to_true(FLt, 64, bits(f64::INFINITY), bits(f64::NEG_INFINITY)) < NAN_DISTANCE);
    }

    #[test]
    fn normalising_keeps_the_order() {
        let distances = [0u128, 1, 2, 10, 1 << 32, 1 << 52];
        assert!(distances.windows(2).all(|pair| normalised(pair[0]) < normalised(pair[1])));
        assert_eq!(normalised(0), 0.0);
        assert!(normalised(u128::MAX) <= 1.0);
    }
}
