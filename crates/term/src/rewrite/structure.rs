//! Taking values apart into bits and putting them together: extractions, concatenations, extensions.
//!
//! Shifts by constants and masks of contiguous bits are brought into this form too, so that a value that is written
//! to memory bytewise, shifted or masked and put together again is recognised.

use super::rules;
use crate::arena::{Arena, Node, TermId};
use crate::ops::{BinaryOp, UnaryOp, mask};

rules!(EXTRACT, extract(of: TermId, low: u32, width: u32):
    extract_all, extract_extract, extract_concat, extract_zero_extended, extract_sign_extended, extract_low_bits,
    extract_sign_bit);
rules!(CONCAT, concat(high: TermId, low: TermId):
    concat_zero, concat_concat, concat_extended, concat_constants, concat_adjacent, concat_adjacent_nested, concat_sign_copy);
rules!(EXTEND, extend(op: UnaryOp, to_width: u32, x: TermId):
    extend_to_same, extend_extended, extend_constant_part);

/// all bits of `x` => `x`
fn extract_all(arena: &mut Arena, of: TermId, _: u32, width: u32) -> Option<TermId> {
    (width == arena.width(of)).then_some(of)
}

/// bits of bits of `x` => bits of `x`
fn extract_extract(arena: &mut Arena, of: TermId, low: u32, width: u32) -> Option<TermId> {
    let Node::Extract { of, low: first } = arena.node(of) else { return None };
    Some(arena.extract(of, first + low, width))
}

/// bits of `concat(x, y)` => bits of `x`, of `y`, or `concat` of bits of both
fn extract_concat(arena: &mut Arena, of: TermId, low: u32, width: u32) -> Option<TermId> {
    let Node::Concat { high, low: lower } = arena.node(of) else { return None };
    let border = arena.width(lower);
    if low >= border {
        return Some(arena.extract(high, low - border, width));
    }
    if low + width <= border {
        return Some(arena.extract(lower, low, width));
    }
    let upper = arena.extract(high, 0, low + width - border);
    let lower = arena.extract(lower, low, border - low);
    Some(arena.concat(upper, lower))
}

/// bits of `zero_extend(x)` => bits of `x`, zeros, or `zero_extend` of bits of `x`
fn extract_zero_extended(arena: &mut Arena, of: TermId, low: u32, width: u32) -> Option<TermId> {
    let x = arena.as_unary(UnaryOp::ZeroExtend, of)?;
    let border = arena.width(x);
    if low >= border {
        return Some(arena.zero(width));
    }
    let part = arena.extract(x, low, width.min(border - low));
    Some(arena.zero_extend(width, part))
}

/// bits of `sign_extend(x)` => bits of `x`, or `sign_extend` of bits or of the sign of `x`
fn extract_sign_extended(arena: &mut Arena, of: TermId, low: u32, width: u32) -> Option<TermId> {
    let x = arena.as_unary(UnaryOp::SignExtend, of)?;
    let first = low.min(arena.width(x) - 1);
    let part = arena.extract(x, first, width.min(arena.width(x) - first));
    Some(arena.sign_extend(width, part))
}

/// low bits of `x op y` => low bits of `x` op low bits of `y`, where those are simpler than `x` and `y` and `op` carries
/// only upwards. Bits higher up stay as they are: [`concat_adjacent`] must recognise them.
fn extract_low_bits(arena: &mut Arena, of: TermId, low: u32, width: u32) -> Option<TermId> {
    if low != 0 {
        return None;
    }
    let simpler = |x: TermId| {
        matches!(
            arena.node(x),
            Node::Constant(_)
                | Node::Extract { .. }
                | Node::Concat { .. }
                | Node::Unary(UnaryOp::ZeroExtend | UnaryOp::SignExtend, _)
        )
    };
    match arena.node(of) {
        Node::Unary(op @ (UnaryOp::Not | UnaryOp::Neg), x) if simpler(x) => {
            let x = arena.extract(x, 0, width);
            Some(arena.unary(op, width, x))
        }
        Node::Binary(op, x, y) if simpler(x) && simpler(y) => {
            use BinaryOp::*;
            if !matches!(op, Add | Sub | Mul | And | Or | Xor) {
                return None;
            }
            let (x, y) = (arena.extract(x, 0, width), arena.extract(y, 0, width));
            Some(arena.binary(op, x, y))
        }
        _ => None,
    }
}

/// the top bit of `x` => `x < 0`
fn extract_sign_bit(arena: &mut Arena, of: TermId, low: u32, width: u32) -> Option<TermId> {
    (width == 1 && low + 1 == arena.width(of)).then(|| {
        let zero = arena.zero(arena.width(of));
        arena.binary(BinaryOp::LtS, of, zero)
    })
}

/// `concat(0, x)` => `zero_extend(x)`
fn concat_zero(arena: &mut Arena, high: TermId, low: TermId) -> Option<TermId> {
    arena.is_constant(high, 0).then(|| arena.zero_extend(arena.width(high) + arena.width(low), low))
}

/// `concat(concat(x, y), z)` => `concat(x, concat(y, z))`
fn concat_concat(arena: &mut Arena, high: TermId, low: TermId) -> Option<TermId> {
    let Node::Concat { high: first, low: second } = arena.node(high) else { return None };
    let rest = arena.concat(second, low);
    Some(arena.concat(first, rest))
}

/// `concat(extend(x), y)` => `extend(concat(x, y))`
fn concat_extended(arena: &mut Arena, high: TermId, low: TermId) -> Option<TermId> {
    let Node::Unary(op @ (UnaryOp::ZeroExtend | UnaryOp::SignExtend), x) = arena.node(high) else { return None };
    let both = arena.concat(x, low);
    Some(arena.unary(op, arena.width(high) + arena.width(low), both))
}

/// `concat(c, concat(d, x))` => `concat(cd, x)`; `concat(c, zero_extend(x))` => `concat(c0, x)`
fn concat_constants(arena: &mut Arena, high: TermId, low: TermId) -> Option<TermId> {
    arena.as_constant(high)?;
    let (second, rest) = match arena.node(low) {
        Node::Concat { high, low } if arena.as_constant(high).is_some() => (high, low),
        Node::Unary(UnaryOp::ZeroExtend, x) => (arena.zero(arena.width(low) - arena.width(x)), x),
        _ => return None,
    };
    let constant = arena.concat(high, second);
    Some(arena.concat(constant, rest))
}

/// `concat(bits j..k of x, bits i..j of x)` => bits `i..k` of `x`
fn concat_adjacent(arena: &mut Arena, high: TermId, low: TermId) -> Option<TermId> {
    adjacent(arena, high, low)
}

/// `concat(bits j..k of x, concat(bits i..j of x, y))` => `concat(bits i..k of x, y)`
fn concat_adjacent_nested(arena: &mut Arena, high: TermId, low: TermId) -> Option<TermId> {
    let Node::Concat { high: middle, low: rest } = arena.node(low) else { return None };
    let joined = adjacent(arena, high, middle)?;
    Some(arena.concat(joined, rest))
}

/// Joins two neighbouring parts of one term. Either part may have been rewritten when it was extracted (the low bits
/// of a sum, say), so it is compared with what the extraction gives.
fn adjacent(arena: &mut Arena, high: TermId, low: TermId) -> Option<TermId> {
    let (high_width, low_width) = (arena.width(high), arena.width(low));
    if let Node::Extract { of, low: first } = arena.node(high)
        && first >= low_width
        && arena.extract(of, first - low_width, low_width) == low
    {
        return Some(arena.extract(of, first - low_width, high_width + low_width));
    }
    if let Node::Extract { of, low: first } = arena.node(low)
        && first + low_width + high_width <= arena.width(of)
        && arena.extract(of, first + low_width, high_width) == high
    {
        return Some(arena.extract(of, first, high_width + low_width));
    }
    None
}

/// `concat(sign of x, x)` => `sign_extend(x)`
fn concat_sign_copy(arena: &mut Arena, high: TermId, low: TermId) -> Option<TermId> {
    let width = arena.width(low);
    (arena.width(high) == 1 && arena.extract(low, width - 1, 1) == high).then(|| arena.sign_extend(width + 1, low))
}

/// `extend(x)` to the width of `x` => `x`
fn extend_to_same(arena: &mut Arena, _: UnaryOp, to_width: u32, x: TermId) -> Option<TermId> {
    (to_width == arena.width(x)).then_some(x)
}

/// `extend(extend(x))` => `extend(x)`; a sign extension of a zero extension is a zero extension
fn extend_extended(arena: &mut Arena, op: UnaryOp, to_width: u32, x: TermId) -> Option<TermId> {
    match arena.node(x) {
        Node::Unary(UnaryOp::ZeroExtend, inner) => Some(arena.zero_extend(to_width, inner)),
        Node::Unary(UnaryOp::SignExtend, inner) if op == UnaryOp::SignExtend => {
            Some(arena.sign_extend(to_width, inner))
        }
        _ => None,
    }
}

/// `extend(concat(c, x))` => `concat(extend(c), x)`
fn extend_constant_part(arena: &mut Arena, op: UnaryOp, to_width: u32, x: TermId) -> Option<TermId> {
    let Node::Concat { high, low } = arena.node(x) else { return None };
    arena.as_constant(high)?;
    let high = arena.unary(op, to_width - arena.width(low), high);
    Some(arena.concat(high, low))
}

/// The widths of the parts that a term visibly consists of, as a set of borders: bit `i` is set where a part begins.
/// In a constant with few runs of equal bits, each run is a part.
fn borders(arena: &Arena, term: TermId) -> u64 {
    let (mut term, mut found) = (term, 1);
    loop {
        match arena.node(term) {
            // Concatenations and extensions nest downwards only: the upper part is neither.
            Node::Concat { high, low } => {
                found |= borders_of_leaf(arena, high) << arena.width(low);
                term = low;
            }
            Node::Unary(UnaryOp::ZeroExtend, x) => {
                found |= 1 << arena.width(x);
                term = x;
            }
            _ => return found | borders_of_leaf(arena, term),
        }
    }
}

fn borders_of_leaf(arena: &Arena, term: TermId) -> u64 {
    const MOST_RUNS: u32 = 4;
    match arena.node(term) {
        Node::Constant(value) => {
            let runs = (value ^ (value << 1)) & mask(arena.width(term)) | 1;
            if runs.count_ones() <= MOST_RUNS { runs } else { 1 }
        }
        _ => 1,
    }
}

/// `x op y` for a bitwise operator (or an addition that carries nothing), part by part, where each part simplifies to
/// one of its sides.
pub(super) fn by_parts(arena: &mut Arena, op: BinaryOp, x: TermId, y: TermId) -> Option<TermId> {
    let width = arena.width(x);
    let mut starts = borders(arena, x) | borders(arena, y);
    if starts == 1 {
        return None;
    }
    // Which side each part takes is decided before anything is built.
    let mut parts = Vec::with_capacity(8);
    while starts != 0 {
        let start = starts.trailing_zeros();
        starts &= starts - 1;
        let end = if starts == 0 { width } else { starts.trailing_zeros() };
        let part = mask(end - start);
        let (a, b) = (known_bits(arena, x, start, end), known_bits(arena, y, start, end));
        let other = |constant: Option<u64>, from: TermId| match (op, constant?) {
            (BinaryOp::And, 0) => Some(Part::Constant(0)),
            (BinaryOp::And, ones) if ones == part => Some(Part::Of(from)),
            (BinaryOp::Or, ones) if ones == part => Some(Part::Constant(part)),
            (BinaryOp::Or | BinaryOp::Xor | BinaryOp::Add, 0) => Some(Part::Of(from)),
            _ => None,
        };
        parts.push((start, end, other(a, y).or_else(|| other(b, x))?));
    }
    let mut result = None;
    for (start, end, part) in parts {
        let part = match part {
            Part::Constant(value) => arena.constant(end - start, value),
            Part::Of(term) => arena.extract(term, start, end - start),
        };
        result = Some(match result {
            None => part,
            Some(low) => arena.concat(part, low),
        });
    }
    result
}

enum Part {
    Constant(u64),
    Of(TermId),
}

/// The value of bits `start .. end`, where they are constant by the term's visible parts.
fn known_bits(arena: &Arena, term: TermId, start: u32, end: u32) -> Option<u64> {
    let (mut term, mut start, mut end) = (term, start, end);
    loop {
        match arena.node(term) {
            Node::Constant(value) => return Some(value >> start & mask(end - start)),
            Node::Unary(UnaryOp::ZeroExtend, x) => {
                if start >= arena.width(x) {
                    return Some(0);
                }
                term = x;
            }
            Node::Concat { high, low } => {
                let border = arena.width(low);
                if start >= border {
                    (term, start, end) = (high, start - border, end - border);
                } else {
                    term = low;
                }
            }
            _ => return None,
        }
    }
}
