//! Operators that can trap, and the meaning of an instruction's constant.

use pessimum_term::{BinaryOp, UnaryOp, ops};

use super::Stop;
use super::answers::Answers;
use crate::domain::Domain;
use crate::machine::Trap;

/// The constant of an instruction, sign-extended to the width.
#[inline(always)]
pub(super) fn immediate<D: Domain>(width: u32, immediate: i32) -> D::Value {
    D::constant(immediate as i64 as u64 & ops::mask(width))
}

/// A quotient or remainder of two values of one width.
#[inline(always)]
pub(super) fn divide<D: Domain, S: Stop<D::Value>>(
    domain: &mut D,
    answers: &mut Answers,
    op: BinaryOp,
    width: u32,
    x: D::Value,
    y: D::Value,
) -> Result<D::Value, S> {
    let by_zero = domain.compare(BinaryOp::Eq, false, width, y, D::Value::default());
    if answers.traps::<D, S>(by_zero)? {
        return Err(Trap::DivideByZero.into());
    }
    if op == BinaryOp::DivS {
        let least = domain.compare(BinaryOp::Eq, false, width, x, D::constant(1 << (width - 1)));
        let by_minus_one = domain.compare(BinaryOp::Eq, false, width, y, D::constant(ops::mask(width)));
        let overflow = domain.binary(BinaryOp::And, 32, least, by_minus_one);
        if answers.traps::<D, S>(overflow)? {
            return Err(Trap::IntegerOverflow.into());
        }
    }
    Ok(domain.binary(op, width, x, y))
}

/// A float of width `from` as an integer of width `to`.
#[inline(always)]
pub(super) fn truncate<D: Domain, S: Stop<D::Value>>(
    domain: &mut D,
    answers: &mut Answers,
    op: UnaryOp,
    from: u32,
    to: u32,
    x: D::Value,
) -> Result<D::Value, S> {
    let is_nan = domain.compare(BinaryOp::FEq, true, from, x, x);
    if answers.traps::<D, S>(is_nan)? {
        return Err(Trap::InvalidConversion.into());
    }
    let (low, inclusive, high) = truncation_range(op, from, to);
    let above = if inclusive { BinaryOp::FLe } else { BinaryOp::FLt };
    let above = domain.compare(above, false, from, D::constant(low), x);
    let below = domain.compare(BinaryOp::FLt, false, from, x, D::constant(high));
    let inside = domain.binary(BinaryOp::And, 32, above, below);
    let outside = domain.compare(BinaryOp::Eq, false, 32, inside, D::Value::default());
    if answers.traps::<D, S>(outside)? {
        return Err(Trap::IntegerOverflow.into());
    }
    Ok(domain.unary(op, from, to, x))
}

/// The floats that a conversion to an integer accepts: above the first, or equal to it if the flag is set, and below
/// the second. Bits of the source's width.
const fn truncation_range(op: UnaryOp, from: u32, to: u32) -> (u64, bool, u64) {
    let (low, inclusive, high) = match (op, from, to) {
        (UnaryOp::FToS, 64, 32) => (-2147483649.0, false, 2147483648.0),
        (UnaryOp::FToS, _, 32) => (-2147483648.0, true, 2147483648.0),
        (UnaryOp::FToS, _, _) => (-9223372036854775808.0, true, 9223372036854775808.0),
        (_, _, 32) => (-1.0, false, 4294967296.0),
        _ => (-1.0, false, 18446744073709551616.0),
    };
    if from == 32 {
        ((low as f32).to_bits() as u64, inclusive, (high as f32).to_bits() as u64)
    } else {
        (f64::to_bits(low), inclusive, f64::to_bits(high))
    }
}
