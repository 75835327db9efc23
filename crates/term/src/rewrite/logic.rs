//! Bitwise operators, and all operators on one bit.

use super::{order, rules, structure};
use crate::arena::{Arena, Node, TermId};
use crate::ops::{BinaryOp, UnaryOp, mask};

rules!(ONE_BIT_UNARY, one_bit_unary(op: UnaryOp, x: TermId): one_bit_unary_operator);
rules!(ONE_BIT, one_bit_binary(op: BinaryOp, x: TermId, y: TermId): one_bit_operator);
rules!(NOT, not(x: TermId): not_not, not_order);
rules!(AND, and(x: TermId, y: TermId):
    and_zero, and_ones, and_same, and_complement, and_constants, and_absorb, and_implied, and_relations,
    and_zero_extended, bitwise_extended_and, and_by_parts);
rules!(OR, or(x: TermId, y: TermId):
    or_zero, or_ones, or_same, or_complement, or_constants, or_absorb, or_implied, or_relations,
    bitwise_extended_or, or_by_parts);
rules!(XOR, xor(x: TermId, y: TermId):
    xor_zero, xor_ones, xor_same, xor_complement, xor_not, xor_constants, xor_cancel, xor_relations, xor_sign_bit,
    bitwise_extended_xor, xor_by_parts);

/// `-x`, `popcnt x` => `x`; `clz x`, `ctz x` => `not x`, on one bit.
fn one_bit_unary_operator(arena: &mut Arena, op: UnaryOp, x: TermId) -> Option<TermId> {
    match op {
        UnaryOp::Neg | UnaryOp::Popcnt => Some(x),
        UnaryOp::Clz | UnaryOp::Ctz => Some(arena.not(x)),
        _ => None,
    }
}

/// `x op y` on one bit => and, or, xor, not: arithmetic, shifts and comparisons do not occur there.
fn one_bit_operator(arena: &mut Arena, op: BinaryOp, x: TermId, y: TermId) -> Option<TermId> {
    use BinaryOp::*;
    Some(match op {
        Add | Sub => arena.binary(Xor, x, y),
        Mul => arena.binary(And, x, y),
        // Counts are taken modulo 1.
        Shl | ShrU | ShrS | Rotl | Rotr => x,
        Eq => {
            let different = arena.binary(Xor, x, y);
            arena.not(different)
        }
        LtU => {
            let not_x = arena.not(x);
            arena.binary(And, not_x, y)
        }
        LeU => {
            let not_x = arena.not(x);
            arena.binary(Or, not_x, y)
        }
        // Read as signed, 1 is -1; `x % 0` is `x` and `x % 1` is 0.
        LtS | RemU | RemS => {
            let not_y = arena.not(y);
            arena.binary(And, x, not_y)
        }
        // `x / 0` is all ones and `x / 1` is `x`.
        LeS | DivU | DivS => {
            let not_y = arena.not(y);
            arena.binary(Or, x, not_y)
        }
        _ => return None,
    })
}

/// `not not x` => `x`
fn not_not(arena: &mut Arena, x: TermId) -> Option<TermId> {
    arena.as_unary(UnaryOp::Not, x)
}

/// `not (x < y)` => `y <= x`; `not (x <= y)` => `y < x`
fn not_order(arena: &mut Arena, x: TermId) -> Option<TermId> {
    let Node::Binary(op, x, y) = arena.node(x) else { return None };
    let turned = match op {
        BinaryOp::LtU => BinaryOp::LeU,
        BinaryOp::LtS => BinaryOp::LeS,
        BinaryOp::LeU => BinaryOp::LtU,
        BinaryOp::LeS => BinaryOp::LtS,
        _ => return None,
    };
    Some(arena.binary(turned, y, x))
}

/// `x & 0` => `0`
fn and_zero(arena: &mut Arena, _: TermId, y: TermId) -> Option<TermId> {
    arena.is_constant(y, 0).then_some(y)
}

/// `x & ones` => `x`
fn and_ones(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    arena.is_constant(y, mask(arena.width(y))).then_some(x)
}

/// `x & x` => `x`
fn and_same(_: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    (x == y).then_some(x)
}

/// `x & not x` => `0`
fn and_complement(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    arena.are_complements(x, y).then(|| arena.zero(arena.width(x)))
}

/// `(x & c) & d` => `x & (c & d)`
fn and_constants(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    constants_together(arena, BinaryOp::And, x, y)
}

/// `x & (x & y)` => `x & y`; `x & (x | y)` => `x`
fn and_absorb(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    absorb(arena, BinaryOp::And, BinaryOp::Or, x, y)
}

/// `x & not (not x & y)` => `x`
fn and_implied(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    implied(arena, BinaryOp::And, x, y)
}

/// `x < y & x <= y` => `x < y`, and likewise for any two comparisons of the same two terms
fn and_relations(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    order::combine(arena, BinaryOp::And, x, y)
}

/// `zero_extend(x) & y` => `zero_extend(x & low bits of y)`
fn and_zero_extended(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    let (inner, other) = match (arena.as_unary(UnaryOp::ZeroExtend, x), arena.as_unary(UnaryOp::ZeroExtend, y)) {
        (Some(a), Some(b)) if arena.width(b) < arena.width(a) => (b, x),
        (Some(a), _) => (a, y),
        (None, Some(b)) => (b, x),
        (None, None) => return None,
    };
    let low = arena.extract(other, 0, arena.width(inner));
    let both = arena.binary(BinaryOp::And, inner, low);
    Some(arena.zero_extend(arena.width(x), both))
}

/// `sign_extend(x) & sign_extend(y)` => `sign_extend(x & y)`, for operands of one width, or a constant of that form
fn bitwise_extended_and(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    bitwise_extended(arena, BinaryOp::And, x, y)
}

/// `x & y` => `concat` of the parts, where in each part one side is all zeros or all ones
fn and_by_parts(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    structure::by_parts(arena, BinaryOp::And, x, y)
}

/// `x | 0` => `x`
fn or_zero(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    arena.is_constant(y, 0).then_some(x)
}

/// `x | ones` => `ones`
fn or_ones(arena: &mut Arena, _: TermId, y: TermId) -> Option<TermId> {
    arena.is_constant(y, mask(arena.width(y))).then_some(y)
}

/// `x | x` => `x`
fn or_same(_: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    (x == y).then_some(x)
}

/// `x | not x` => `ones`
fn or_complement(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    arena.are_complements(x, y).then(|| arena.constant(arena.width(x), u64::MAX))
}

/// `(x | c) | d` => `x | (c | d)`
fn or_constants(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    constants_together(arena, BinaryOp::Or, x, y)
}

/// `x | (x | y)` => `x | y`; `x | (x & y)` => `x`
fn or_absorb(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    absorb(arena, BinaryOp::Or, BinaryOp::And, x, y)
}

/// `x | not (not x | y)` => `x`
fn or_implied(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    implied(arena, BinaryOp::Or, x, y)
}

/// `x < y | x == y` => `x <= y`, and likewise for any two comparisons of the same two terms
fn or_relations(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    order::combine(arena, BinaryOp::Or, x, y)
}

/// `extend(x) | extend(y)` => `extend(x | y)`, for operands of one width, or a constant of that form
fn bitwise_extended_or(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    bitwise_extended(arena, BinaryOp::Or, x, y)
}

/// `x | y` => `concat` of the parts, where in each part one side is all zeros or all ones
fn or_by_parts(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    structure::by_parts(arena, BinaryOp::Or, x, y)
}

/// `x ^ 0` => `x`
fn xor_zero(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    arena.is_constant(y, 0).then_some(x)
}

/// `x ^ ones` => `not x`
fn xor_ones(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    let width = arena.width(x);
    arena.is_constant(y, mask(width)).then(|| arena.unary(UnaryOp::Not, width, x))
}

/// `x ^ x` => `0`
fn xor_same(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    (x == y).then(|| arena.zero(arena.width(x)))
}

/// `x ^ not x` => `ones`
fn xor_complement(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    arena.are_complements(x, y).then(|| arena.constant(arena.width(x), u64::MAX))
}

/// `not x ^ y` => `not (x ^ y)`, or `x ^ not y` for a constant
fn xor_not(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    let width = arena.width(x);
    let (inner, other) = match (arena.as_unary(UnaryOp::Not, x), arena.as_unary(UnaryOp::Not, y)) {
        (Some(inner), _) => (inner, y),
        (None, Some(inner)) => (inner, x),
        (None, None) => return None,
    };
    if let Some(constant) = arena.as_constant(other) {
        let flipped = arena.constant(width, !constant);
        return Some(arena.binary(BinaryOp::Xor, inner, flipped));
    }
    let different = arena.binary(BinaryOp::Xor, inner, other);
    Some(arena.unary(UnaryOp::Not, width, different))
}

/// `(x ^ c) ^ d` => `x ^ (c ^ d)`
fn xor_constants(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    constants_together(arena, BinaryOp::Xor, x, y)
}

/// `x ^ (x ^ y)` => `y`
fn xor_cancel(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    let other = |whole, part| {
        let (a, b) = arena.as_binary(BinaryOp::Xor, whole)?;
        if a == part { Some(b) } else { (b == part).then_some(a) }
    };
    other(x, y).or_else(|| other(y, x))
}

/// `x < y ^ y < x` => `x != y`, and likewise for any two comparisons of the same two terms
fn xor_relations(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    order::combine(arena, BinaryOp::Xor, x, y)
}

/// `x ^ 0x80..0` => `x + 0x80..0`, so that comparisons see through it as through any sum with a constant
fn xor_sign_bit(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    let top = 1 << (arena.width(x) - 1);
    (arena.width(x) > 1 && arena.is_constant(y, top)).then(|| arena.binary(BinaryOp::Add, x, y))
}

/// `extend(x) ^ extend(y)` => `extend(x ^ y)`, for operands of one width, or a constant of that form
fn bitwise_extended_xor(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    bitwise_extended(arena, BinaryOp::Xor, x, y)
}

/// `x ^ y` => `concat` of the parts, where in each part one side is all zeros
fn xor_by_parts(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    structure::by_parts(arena, BinaryOp::Xor, x, y)
}

/// `(x op c) op d` => `x op (c op d)` for an associative operator.
pub(super) fn constants_together(arena: &mut Arena, op: BinaryOp, x: TermId, y: TermId) -> Option<TermId> {
    arena.as_constant(y)?;
    let (inner, constant) = arena.as_binary(op, x)?;
    arena.as_constant(constant)?;
    let constant = arena.binary(op, constant, y);
    Some(arena.binary(op, inner, constant))
}

fn absorb(arena: &Arena, op: BinaryOp, dual: BinaryOp, x: TermId, y: TermId) -> Option<TermId> {
    let absorbed = |whole: TermId, part: TermId| match arena.node(whole) {
        Node::Binary(found, a, b) if a == part || b == part => {
            if found == op {
                Some(whole)
            } else {
                (found == dual).then_some(part)
            }
        }
        _ => None,
    };
    absorbed(x, y).or_else(|| absorbed(y, x))
}

fn implied(arena: &Arena, op: BinaryOp, x: TermId, y: TermId) -> Option<TermId> {
    let implies = |x: TermId, y: TermId| {
        let (a, b) = arena.as_binary(op, arena.as_unary(UnaryOp::Not, y)?)?;
        (arena.are_complements(x, a) || arena.are_complements(x, b)).then_some(x)
    };
    implies(x, y).or_else(|| implies(y, x))
}

fn bitwise_extended(arena: &mut Arena, op: BinaryOp, x: TermId, y: TermId) -> Option<TermId> {
    let Node::Unary(extend @ (UnaryOp::ZeroExtend | UnaryOp::SignExtend), a) = arena.node(x) else { return None };
    let (width, inner) = (arena.width(x), arena.width(a));
    let b = match arena.node(y) {
        Node::Unary(found, b) if found == extend && arena.width(b) == inner => b,
        Node::Constant(value) => {
            let low = arena.constant(inner, value);
            let fits = arena.unary(extend, width, low) == y;
            fits.then_some(low)?
        }
        _ => return None,
    };
    let narrow = arena.binary(op, a, b);
    Some(arena.unary(extend, width, narrow))
}
