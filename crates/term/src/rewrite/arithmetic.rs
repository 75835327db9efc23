//! Arithmetic and shifts.

use super::{logic, rules, structure};
use crate::arena::{Arena, Node, TermId};
use crate::ops::{BinaryOp, UnaryOp, mask};

rules!(ADD, add(x: TermId, y: TermId):
    add_zero, add_constants, add_negated, add_sub, add_not_one, add_same, add_by_parts);
rules!(SUB, sub(x: TermId, y: TermId): sub_same, sub_constant, sub_from_zero, sub_negated, sub_sum);
rules!(NEG, neg(x: TermId): neg_neg, neg_sub, neg_bit, neg_not);
rules!(MUL, mul(x: TermId, y: TermId): mul_zero, mul_one, mul_minus_one, mul_power_of_two, mul_constants);
rules!(DIV_U, div_u(x: TermId, y: TermId): div_u_zero, div_u_power_of_two);
rules!(DIV_S, div_s(x: TermId, y: TermId): div_s_one, div_s_minus_one, div_s_power_of_two);
rules!(REM_U, rem_u(x: TermId, y: TermId): rem_u_zero, rem_u_power_of_two);
rules!(REM_S, rem_s(x: TermId, y: TermId): rem_s_zero, rem_s_one, rem_s_power_of_two);
rules!(SHIFT, shift(op: BinaryOp, x: TermId, y: TermId): shift_zero, shift_constant, shift_masked_count);

/// `x + 0` => `x`
fn add_zero(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    arena.is_constant(y, 0).then_some(x)
}

/// `(x + c) + d` => `x + (c + d)`
fn add_constants(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    logic::constants_together(arena, BinaryOp::Add, x, y)
}

/// `x + -y` => `x - y`
fn add_negated(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    let (kept, negated) = match (arena.as_unary(UnaryOp::Neg, x), arena.as_unary(UnaryOp::Neg, y)) {
        (_, Some(negated)) => (x, negated),
        (Some(negated), None) => (y, negated),
        (None, None) => return None,
    };
    Some(arena.binary(BinaryOp::Sub, kept, negated))
}

/// `x + (y - x)` => `y`; `(c - x) + d` => `(c + d) - x`
fn add_sub(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    if let (Some((minuend, subtrahend)), Some(_)) = (arena.as_binary(BinaryOp::Sub, x), arena.as_constant(y))
        && arena.as_constant(minuend).is_some()
    {
        let sum = arena.binary(BinaryOp::Add, minuend, y);
        return Some(arena.binary(BinaryOp::Sub, sum, subtrahend));
    }
    let rest = |difference, other| {
        let (minuend, subtrahend) = arena.as_binary(BinaryOp::Sub, difference)?;
        (subtrahend == other).then_some(minuend)
    };
    rest(x, y).or_else(|| rest(y, x))
}

/// `not x + 1` => `-x`
fn add_not_one(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    let inner = arena.as_unary(UnaryOp::Not, x)?;
    arena.is_constant(y, 1).then(|| arena.unary(UnaryOp::Neg, arena.width(x), inner))
}

/// `x + x` => `x << 1`
fn add_same(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    (x == y && arena.width(x) > 1).then(|| shift_left(arena, x, 1))
}

/// `x + y` => `concat` of the parts, where in each part one side is zero: nothing carries
fn add_by_parts(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    structure::by_parts(arena, BinaryOp::Add, x, y)
}

/// `x - x` => `0`
fn sub_same(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    (x == y).then(|| arena.zero(arena.width(x)))
}

/// `x - c` => `x + -c`
fn sub_constant(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    let value = arena.as_constant(y)?;
    let negated = arena.constant(arena.width(y), value.wrapping_neg());
    Some(arena.binary(BinaryOp::Add, x, negated))
}

/// `0 - x` => `-x`
fn sub_from_zero(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    arena.is_constant(x, 0).then(|| arena.unary(UnaryOp::Neg, arena.width(y), y))
}

/// `x - -y` => `x + y`
fn sub_negated(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    let negated = arena.as_unary(UnaryOp::Neg, y)?;
    Some(arena.binary(BinaryOp::Add, x, negated))
}

/// `(x + y) - x` => `y`; `x - (x + y)` => `-y`; `(x + y) - (x + z)` => `y - z`; `c - (x + d)` => `(c - d) - x`
fn sub_sum(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    if let Some((inner, constant)) = arena.as_binary(BinaryOp::Add, y)
        && arena.as_constant(constant).is_some()
        && arena.as_constant(x).is_some()
    {
        let constant = arena.binary(BinaryOp::Sub, x, constant);
        return Some(arena.binary(BinaryOp::Sub, constant, inner));
    }
    let without = |sum, part| {
        let (a, b) = arena.as_binary(BinaryOp::Add, sum)?;
        if a == part { Some(b) } else { (b == part).then_some(a) }
    };
    if let Some(rest) = without(x, y) {
        return Some(rest);
    }
    if let Some(rest) = without(y, x) {
        return Some(arena.unary(UnaryOp::Neg, arena.width(x), rest));
    }
    let (a, b) = arena.as_binary(BinaryOp::Add, x)?;
    let (left, right) = match (without(y, a), without(y, b)) {
        (Some(rest), _) => (b, rest),
        (None, Some(rest)) => (a, rest),
        (None, None) => return None,
    };
    Some(arena.binary(BinaryOp::Sub, left, right))
}

/// `--x` => `x`
fn neg_neg(arena: &mut Arena, x: TermId) -> Option<TermId> {
    arena.as_unary(UnaryOp::Neg, x)
}

/// `-(x - y)` => `y - x`; `-(x + c)` => `-c - x`
fn neg_sub(arena: &mut Arena, x: TermId) -> Option<TermId> {
    if let Some((a, b)) = arena.as_binary(BinaryOp::Sub, x) {
        return Some(arena.binary(BinaryOp::Sub, b, a));
    }
    let (a, constant) = arena.as_binary_with_constant(BinaryOp::Add, x)?;
    let negated = arena.constant(arena.width(x), constant.wrapping_neg());
    Some(arena.binary(BinaryOp::Sub, negated, a))
}

/// `-zero_extend(bit)` => `sign_extend(bit)`; `-sign_extend(bit)` => `zero_extend(bit)`
fn neg_bit(arena: &mut Arena, x: TermId) -> Option<TermId> {
    let Node::Unary(op, bit) = arena.node(x) else { return None };
    let turned = match op {
        UnaryOp::ZeroExtend => UnaryOp::SignExtend,
        UnaryOp::SignExtend => UnaryOp::ZeroExtend,
        _ => return None,
    };
    (arena.width(bit) == 1).then(|| arena.unary(turned, arena.width(x), bit))
}

/// `-not x` => `x + 1`
fn neg_not(arena: &mut Arena, x: TermId) -> Option<TermId> {
    let inner = arena.as_unary(UnaryOp::Not, x)?;
    let one = arena.constant(arena.width(x), 1);
    Some(arena.binary(BinaryOp::Add, inner, one))
}

/// `x * 0` => `0`
fn mul_zero(arena: &mut Arena, _: TermId, y: TermId) -> Option<TermId> {
    arena.is_constant(y, 0).then_some(y)
}

/// `x * 1` => `x`
fn mul_one(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    arena.is_constant(y, 1).then_some(x)
}

/// `x * -1` => `-x`
fn mul_minus_one(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    let width = arena.width(x);
    arena.is_constant(y, mask(width)).then(|| arena.unary(UnaryOp::Neg, width, x))
}

/// `x * 2^k` => `x << k`
fn mul_power_of_two(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    let exponent = power_of_two(arena, y)?;
    Some(shift_left(arena, x, exponent))
}

/// `(x * c) * d` => `x * (c * d)`
fn mul_constants(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    logic::constants_together(arena, BinaryOp::Mul, x, y)
}

/// `x / 0` => `ones`
fn div_u_zero(arena: &mut Arena, _: TermId, y: TermId) -> Option<TermId> {
    arena.is_constant(y, 0).then(|| arena.constant(arena.width(y), u64::MAX))
}

/// `x / 2^k` => `x >> k`, unsigned
fn div_u_power_of_two(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    let exponent = power_of_two(arena, y)?;
    let quotient = arena.extract(x, exponent, arena.width(x) - exponent);
    Some(arena.zero_extend(arena.width(x), quotient))
}

/// `x / 1` => `x`, signed
fn div_s_one(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    (arena.width(x) > 1 && arena.is_constant(y, 1)).then_some(x)
}

/// `x / -1` => `-x`, signed
fn div_s_minus_one(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    let width = arena.width(x);
    arena.is_constant(y, mask(width)).then(|| arena.unary(UnaryOp::Neg, width, x))
}

/// `x / 2^k` => `(x >> k) + (x < 0 and x has any of its low k bits)`, signed: the shift rounds down, the division to 0
fn div_s_power_of_two(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    let (width, exponent) = (arena.width(x), positive_power_of_two(arena, y)?);
    let rounded_up = negative_remainder(arena, x, exponent);
    let rounded_up = arena.zero_extend(width, rounded_up);
    let down = arena.extract(x, exponent, width - exponent);
    let down = arena.sign_extend(width, down);
    Some(arena.binary(BinaryOp::Add, down, rounded_up))
}

/// `x % 0` => `x`, unsigned
fn rem_u_zero(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    arena.is_constant(y, 0).then_some(x)
}

/// `x % 2^k` => the low k bits of `x`, unsigned
fn rem_u_power_of_two(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    let (width, exponent) = (arena.width(x), power_of_two(arena, y)?);
    if exponent == 0 {
        return Some(arena.zero(width));
    }
    let low = arena.extract(x, 0, exponent);
    Some(arena.zero_extend(width, low))
}

/// `x % 0` => `x`, signed
fn rem_s_zero(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    arena.is_constant(y, 0).then_some(x)
}

/// `x % 1`, `x % -1` => `0`, signed
fn rem_s_one(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    let width = arena.width(x);
    (arena.is_constant(y, 1) || arena.is_constant(y, mask(width))).then(|| arena.zero(width))
}

/// `x % 2^k` => the low k bits of `x` below ones if `x < 0` and they are not zero, otherwise below zeros; signed
fn rem_s_power_of_two(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    let (width, exponent) = (arena.width(x), positive_power_of_two(arena, y)?);
    let negative = negative_remainder(arena, x, exponent);
    let high = arena.sign_extend(width - exponent, negative);
    let low = arena.extract(x, 0, exponent);
    Some(arena.concat(high, low))
}

/// One bit: whether `x < 0` and its low `exponent` bits are not all zero.
fn negative_remainder(arena: &mut Arena, x: TermId, exponent: u32) -> TermId {
    let low = arena.extract(x, 0, exponent);
    let inexact = arena.truth(low);
    let negative = arena.extract(x, arena.width(x) - 1, 1);
    arena.binary(BinaryOp::And, negative, inexact)
}

/// `0 << y` => `0`, and likewise for all shifts and rotations
fn shift_zero(arena: &mut Arena, _: BinaryOp, x: TermId, _: TermId) -> Option<TermId> {
    arena.is_constant(x, 0).then_some(x)
}

/// `x << c` => `concat(low bits of x, 0)`; `x >> c` => `extend(high bits of x)`; a rotation => `concat` of both
fn shift_constant(arena: &mut Arena, op: BinaryOp, x: TermId, y: TermId) -> Option<TermId> {
    let width = arena.width(x);
    let count = (arena.as_constant(y)? % width as u64) as u32;
    if count == 0 {
        return Some(x);
    }
    Some(match op {
        BinaryOp::Shl => shift_left(arena, x, count),
        BinaryOp::ShrU | BinaryOp::ShrS => {
            let high = arena.extract(x, count, width - count);
            let extend = if op == BinaryOp::ShrU { UnaryOp::ZeroExtend } else { UnaryOp::SignExtend };
            arena.unary(extend, width, high)
        }
        _ => {
            let left = if op == BinaryOp::Rotl { count } else { width - count };
            let high = arena.extract(x, 0, width - left);
            let low = arena.extract(x, width - left, left);
            arena.concat(high, low)
        }
    })
}

/// `x << (y % width)` => `x << y`, and likewise for all shifts and rotations: counts are modulo the width anyway
fn shift_masked_count(arena: &mut Arena, op: BinaryOp, x: TermId, y: TermId) -> Option<TermId> {
    let width = arena.width(x);
    let count = arena.as_unary(UnaryOp::ZeroExtend, y)?;
    let Node::Extract { of, low: 0 } = arena.node(count) else { return None };
    (arena.width(of) == width && width.is_power_of_two() && 1 << arena.width(count) >= width as u64)
        .then(|| arena.binary(op, x, of))
}

fn shift_left(arena: &mut Arena, x: TermId, count: u32) -> TermId {
    if count == 0 {
        return x;
    }
    let kept = arena.extract(x, 0, arena.width(x) - count);
    let zeros = arena.zero(count);
    arena.concat(kept, zeros)
}

fn power_of_two(arena: &Arena, term: TermId) -> Option<u32> {
    let value = arena.as_constant(term)?;
    value.is_power_of_two().then(|| value.trailing_zeros())
}

/// The exponent, if the constant is a power of two above 1 that is positive as a signed number.
fn positive_power_of_two(arena: &Arena, term: TermId) -> Option<u32> {
    power_of_two(arena, term).filter(|&exponent| exponent > 0 && exponent < arena.width(term) - 1)
}
