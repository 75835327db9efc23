//! Comparisons: equality and the two orders.

use super::order::{less, limits};
use super::rules;
use crate::arena::{Arena, Node, TermId};
use crate::ops::{BinaryOp, UnaryOp, mask, signed};

rules!(EQ, eq(x: TermId, y: TermId):
    eq_same, eq_not, eq_neg, eq_sum_constant, eq_difference_constant, eq_sum_shared, eq_xor, eq_product, eq_or_zero,
    eq_extended_constant, eq_extended, eq_concat_constant, eq_concat, eq_no_zero_lane, eq_masked_concat, eq_masked_pair,
    compare_bits, compare_choice);
rules!(ORDER, order(op: BinaryOp, x: TermId, y: TermId):
    order_same, order_not_strict, order_limit, order_edge, order_extended_constant, order_extended, order_sum_constant,
    order_sign_bit, compare_bits_in_order, compare_choice_in_order);

/// `x == x` => `1`
fn eq_same(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    (x == y).then(|| arena.constant(1, 1))
}

/// `not x == c` => `x == not c`; `not x == not y` => `x == y`
fn eq_not(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    eq_inverted(arena, UnaryOp::Not, x, y)
}

/// `-x == c` => `x == -c`; `-x == -y` => `x == y`
fn eq_neg(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    eq_inverted(arena, UnaryOp::Neg, x, y)
}

fn eq_inverted(arena: &mut Arena, op: UnaryOp, x: TermId, y: TermId) -> Option<TermId> {
    let inner = arena.as_unary(op, x)?;
    let other = match arena.as_unary(op, y) {
        Some(other) => other,
        None => {
            arena.as_constant(y)?;
            arena.unary(op, arena.width(y), y)
        }
    };
    Some(arena.binary(BinaryOp::Eq, inner, other))
}

/// `x + c == d` => `x == d - c`
fn eq_sum_constant(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    let (inner, constant) = arena.as_binary_with_constant(BinaryOp::Add, x)?;
    let wanted = arena.as_constant(y)?.wrapping_sub(constant);
    let wanted = arena.constant(arena.width(x), wanted);
    Some(arena.binary(BinaryOp::Eq, inner, wanted))
}

/// `x - y == 0` => `x == y`; `c - x == d` => `x == c - d`
fn eq_difference_constant(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    let (minuend, subtrahend) = arena.as_binary(BinaryOp::Sub, x)?;
    let value = arena.as_constant(y)?;
    if value == 0 {
        return Some(arena.binary(BinaryOp::Eq, minuend, subtrahend));
    }
    let wanted = arena.as_constant(minuend)?.wrapping_sub(value);
    let wanted = arena.constant(arena.width(x), wanted);
    Some(arena.binary(BinaryOp::Eq, subtrahend, wanted))
}

/// `x + y == x` => `y == 0`; `x + y == x + z` => `y == z`
fn eq_sum_shared(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    eq_shared(arena, BinaryOp::Add, x, y)
}

/// `x ^ c == d` => `x == c ^ d`; `x ^ y == 0` => `x == y`; `x ^ y == x` => `y == 0`; `x ^ y == x ^ z` => `y == z`
fn eq_xor(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    if let Some(value) = arena.as_constant(y) {
        let (a, b) = arena.as_binary(BinaryOp::Xor, x)?;
        if value == 0 {
            return Some(arena.binary(BinaryOp::Eq, a, b));
        }
        arena.as_constant(b)?;
        let wanted = arena.binary(BinaryOp::Xor, b, y);
        return Some(arena.binary(BinaryOp::Eq, a, wanted));
    }
    eq_shared(arena, BinaryOp::Xor, x, y)
}

fn eq_shared(arena: &mut Arena, op: BinaryOp, x: TermId, y: TermId) -> Option<TermId> {
    let without = |whole, part| {
        let (a, b) = arena.as_binary(op, whole)?;
        if a == part { Some(b) } else { (b == part).then_some(a) }
    };
    if let Some(rest) = without(x, y).or_else(|| without(y, x)) {
        let zero = arena.zero(arena.width(x));
        return Some(arena.binary(BinaryOp::Eq, rest, zero));
    }
    let (a, b) = arena.as_binary(op, x)?;
    let (left, right) = match (without(y, a), without(y, b)) {
        (Some(rest), _) => (b, rest),
        (None, Some(rest)) => (a, rest),
        (None, None) => return None,
    };
    Some(arena.binary(BinaryOp::Eq, left, right))
}

/// `x * c == d` => `x == d / c` modulo `2^width` for odd `c`. For `c = 2^k * odd`: `0` if `2^k` does not divide `d`,
/// otherwise the same for the low `width - k` bits of `x`
fn eq_product(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    let (inner, factor) = arena.as_binary_with_constant(BinaryOp::Mul, x)?;
    let (width, product) = (arena.width(x), arena.as_constant(y)?);
    let twos = factor.trailing_zeros();
    if product & !(u64::MAX << twos) != 0 {
        return Some(arena.constant(1, 0));
    }
    let odd = factor >> twos;
    // Newton's iteration: each step doubles the number of correct low bits; an odd number is its own inverse modulo 8.
    let inverse = (0..5).fold(odd, |inverse, _| inverse.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(inverse))));
    let low = arena.extract(inner, 0, width - twos);
    let wanted = arena.constant(width - twos, (product >> twos).wrapping_mul(inverse));
    Some(arena.binary(BinaryOp::Eq, low, wanted))
}

/// `x | y == 0` => `x == 0 & y == 0`
fn eq_or_zero(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    let (a, b) = arena.as_binary(BinaryOp::Or, x)?;
    if !arena.is_constant(y, 0) {
        return None;
    }
    let (a, b) = (arena.binary(BinaryOp::Eq, a, y), arena.binary(BinaryOp::Eq, b, y));
    Some(arena.binary(BinaryOp::And, a, b))
}

/// `extend(x) == c` => `x == c`, or `0` if `c` is out of reach
fn eq_extended_constant(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    let Node::Unary(op @ (UnaryOp::ZeroExtend | UnaryOp::SignExtend), inner) = arena.node(x) else { return None };
    let value = arena.as_constant(y)?;
    let narrow = arena.constant(arena.width(inner), value);
    if arena.unary(op, arena.width(x), narrow) != y {
        return Some(arena.constant(1, 0));
    }
    Some(arena.binary(BinaryOp::Eq, inner, narrow))
}

/// `extend(x) == extend(y)` => `x == y`, the narrower extended to the width of the wider
fn eq_extended(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    let (_, x, y) = common_extension(arena, x, y)?;
    Some(arena.binary(BinaryOp::Eq, x, y))
}

/// `concat(x, y) == c` => `x == high bits of c & y == low bits of c`
fn eq_concat_constant(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    let Node::Concat { high, low } = arena.node(x) else { return None };
    let (value, border) = (arena.as_constant(y)?, arena.width(low));
    let (upper, lower) = (arena.constant(arena.width(high), value >> border), arena.constant(border, value));
    let (upper, lower) = (arena.binary(BinaryOp::Eq, high, upper), arena.binary(BinaryOp::Eq, low, lower));
    Some(arena.binary(BinaryOp::And, upper, lower))
}

/// `concat(x, y) == concat(z, t)` => `x == z & y == t`, where `y` and `t` are of one width
fn eq_concat(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    let (Node::Concat { high: a, low: b }, Node::Concat { high: c, low: d }) = (arena.node(x), arena.node(y)) else {
        return None;
    };
    if arena.width(b) != arena.width(d) {
        return None;
    }
    let (upper, lower) = (arena.binary(BinaryOp::Eq, a, c), arena.binary(BinaryOp::Eq, b, d));
    Some(arena.binary(BinaryOp::And, upper, lower))
}

/// `((x - 0x01..01) & not x & 0x80..80) == 0`, `((0x01..00 - x) | x) & 0x80..80 == 0x80..80` => no byte of `x` is 0:
/// how `strlen` and `memchr` look at a whole word. Lanes of other widths count as bytes; for the second `x` there may
/// stand any term that has the same top bits in all lanes
fn eq_no_zero_lane(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    let (tested, tops) = masked(arena, x)?;
    let (width, wanted) = (arena.width(x), arena.as_constant(y)?);
    let lane = lane_width(width, tops)?;
    let ones = tops >> (lane - 1);
    let word = if wanted == 0 {
        let Tested::And(factors) = tested else { return None };
        let [a, b] = factors;
        let decremented = |term: TermId| {
            let (word, constant) = arena.as_binary_with_constant(BinaryOp::Add, term)?;
            (constant == ones.wrapping_neg() & mask(width)).then_some(word)
        };
        let (word, inverted) = match (decremented(a), decremented(b)) {
            (Some(word), _) => (word, b),
            (None, Some(word)) => (word, a),
            (None, None) => return None,
        };
        let inverted = arena.as_unary(UnaryOp::Not, inverted)?;
        have_same_bits(arena, word, inverted, tops).then_some(word)?
    } else if wanted == tops {
        let Tested::One(term) = tested else { return None };
        let (a, b) = arena.as_binary(BinaryOp::Or, term)?;
        let subtracted = |term: TermId| {
            let (minuend, word) = arena.as_binary(BinaryOp::Sub, term)?;
            arena.is_constant(minuend, ones - 1).then_some(word)
        };
        let (word, other) = match (subtracted(a), subtracted(b)) {
            (Some(word), _) => (word, b),
            (None, Some(word)) => (word, a),
            (None, None) => return None,
        };
        have_same_bits(arena, word, other, tops).then_some(word)?
    } else {
        return None;
    };
    let (base, flips) = flipped(arena, word);
    let mut none = arena.constant(1, 1);
    for low in (0..width).step_by(lane as usize) {
        let (part, zero) = (arena.extract(base, low, lane), arena.constant(lane, flips >> low));
        let is_zero = arena.binary(BinaryOp::Eq, part, zero);
        let is_not = arena.not(is_zero);
        none = arena.binary(BinaryOp::And, none, is_not);
    }
    Some(none)
}

/// A term under a mask, which may be one of three factors.
enum Tested {
    One(TermId),
    And([TermId; 2]),
}

/// `x & c`, where `x` may be a product of two, one of them with the constant.
fn masked(arena: &Arena, term: TermId) -> Option<(Tested, u64)> {
    if let Some((inner, constant)) = arena.as_binary_with_constant(BinaryOp::And, term) {
        let tested = match arena.as_binary(BinaryOp::And, inner) {
            Some((a, b)) => Tested::And([a, b]),
            None => Tested::One(inner),
        };
        return Some((tested, constant));
    }
    let (a, b) = arena.as_binary(BinaryOp::And, term)?;
    let inside = |term: TermId| arena.as_binary_with_constant(BinaryOp::And, term);
    match (inside(a), inside(b)) {
        (Some((inner, constant)), _) => Some((Tested::And([inner, b]), constant)),
        (None, Some((inner, constant))) => Some((Tested::And([a, inner]), constant)),
        (None, None) => None,
    }
}

/// The width of the lanes whose top bits these are, if there are several and they fill the width.
fn lane_width(width: u32, tops: u64) -> Option<u32> {
    let lane = tops.trailing_zeros() + 1;
    if lane < 2 || lane >= width || !width.is_multiple_of(lane) {
        return None;
    }
    let all = (0..width / lane).fold(0, |all, number| all | 1u64 << (number * lane + lane - 1));
    (all == tops).then_some(lane)
}

/// A term as another one with some bits flipped.
fn flipped(arena: &Arena, term: TermId) -> (TermId, u64) {
    arena.as_binary_with_constant(BinaryOp::Xor, term).unwrap_or((term, 0))
}

/// Whether two terms visibly agree in these bits.
fn have_same_bits(arena: &Arena, x: TermId, y: TermId, bits: u64) -> bool {
    let ((x, of_x), (y, of_y)) = (flipped(arena, x), flipped(arena, y));
    x == y && (of_x ^ of_y) & bits == 0
}

/// `concat(x, y) & c == d` => `x & high bits of c == high bits of d & y & low bits of c == low bits of d`
fn eq_masked_concat(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    let (inner, bits) = arena.as_binary_with_constant(BinaryOp::And, x)?;
    let Node::Concat { high, low } = arena.node(inner) else { return None };
    let (value, border) = (arena.as_constant(y)?, arena.width(low));
    let mut part = |term: TermId, shift: u32| {
        let width = arena.width(term);
        let (bits, value) = (arena.constant(width, bits >> shift), arena.constant(width, value >> shift));
        let cut = arena.binary(BinaryOp::And, term, bits);
        arena.binary(BinaryOp::Eq, cut, value)
    };
    let (upper, lower) = (part(high, border), part(low, 0));
    Some(arena.binary(BinaryOp::And, upper, lower))
}

/// `(x | y) & c == 0` => `x & c == 0 & y & c == 0`; `(x & y) & c == c` => `x & c == c & y & c == c`. Long chains stay
/// as they are: their parts may be shared
fn eq_masked_pair(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    const MOST: usize = 8;
    let (inner, bits) = arena.as_binary_with_constant(BinaryOp::And, x)?;
    let op = match arena.as_constant(y)? {
        0 => BinaryOp::Or,
        value if value == bits => BinaryOp::And,
        _ => return None,
    };
    let (mut pending, mut parts) = (vec![inner], Vec::new());
    while let Some(term) = pending.pop() {
        match arena.as_binary(op, term) {
            Some((a, b)) => pending.extend([b, a]),
            None => parts.push(term),
        }
        if pending.len() + parts.len() > MOST {
            return None;
        }
    }
    if parts.len() == 1 {
        return None;
    }
    let bits = arena.constant(arena.width(x), bits);
    let mut all = arena.constant(1, 1);
    for part in parts {
        let cut = arena.binary(BinaryOp::And, part, bits);
        let holds = arena.binary(BinaryOp::Eq, cut, y);
        all = arena.binary(BinaryOp::And, all, holds);
    }
    Some(all)
}

/// see [`compare_two_bits`]
fn compare_bits(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    compare_two_bits(arena, BinaryOp::Eq, x, y)
}

/// see [`compare_choice_of`]
fn compare_choice(arena: &mut Arena, x: TermId, y: TermId) -> Option<TermId> {
    compare_choice_of(arena, BinaryOp::Eq, x, y)
}

/// `x < x` => `0`; `x <= x` => `1`
fn order_same(arena: &mut Arena, op: BinaryOp, x: TermId, y: TermId) -> Option<TermId> {
    (x == y).then(|| arena.constant(1, !is_strict(op) as u64))
}

/// `x <= c` => `x < c + 1`; `c <= x` => `c - 1 < x`; `1` where that is beyond the width
fn order_not_strict(arena: &mut Arena, op: BinaryOp, x: TermId, y: TermId) -> Option<TermId> {
    if is_strict(op) {
        return None;
    }
    let (smallest, largest) = limits(arena.width(x), is_signed(op));
    let (constant, limit, step) = match (arena.as_constant(x), arena.as_constant(y)) {
        (None, Some(constant)) => (constant, largest, 1),
        (Some(constant), None) => (constant, smallest, u64::MAX),
        _ => return None,
    };
    if constant == limit {
        return Some(arena.constant(1, 1));
    }
    let moved = arena.constant(arena.width(x), constant.wrapping_add(step));
    let (x, y) = if step == 1 { (x, moved) } else { (moved, y) };
    Some(arena.binary(strict(op), x, y))
}

/// `x < smallest`, `largest < x` => `0`
fn order_limit(arena: &mut Arena, op: BinaryOp, x: TermId, y: TermId) -> Option<TermId> {
    let (smallest, largest) = limits(arena.width(x), is_signed(op));
    (is_strict(op) && (arena.is_constant(y, smallest) || arena.is_constant(x, largest))).then(|| arena.constant(1, 0))
}

/// `x < smallest + 1` => `x == smallest`; `smallest < x` => `x != smallest`; likewise at the other end
fn order_edge(arena: &mut Arena, op: BinaryOp, x: TermId, y: TermId) -> Option<TermId> {
    if !is_strict(op) {
        return None;
    }
    let width = arena.width(x);
    let (smallest, largest) = limits(width, is_signed(op));
    let (term, value, equal) = match (arena.as_constant(x), arena.as_constant(y)) {
        (None, Some(c)) if c == smallest.wrapping_add(1) & mask(width) => (x, smallest, true),
        (None, Some(c)) if c == largest => (x, largest, false),
        (Some(c), None) if c == largest.wrapping_sub(1) & mask(width) => (y, largest, true),
        (Some(c), None) if c == smallest => (y, smallest, false),
        _ => return None,
    };
    let value = arena.constant(width, value);
    let same = arena.binary(BinaryOp::Eq, term, value);
    Some(if equal { same } else { arena.not(same) })
}

/// `extend(x) < c` => `x < c`, or `0`, or `1`, in the order that the narrow values have; the same for `c < extend(x)`
fn order_extended_constant(arena: &mut Arena, op: BinaryOp, x: TermId, y: TermId) -> Option<TermId> {
    if !is_strict(op) {
        return None;
    }
    let (term, constant, below) = match (arena.as_constant(x), arena.as_constant(y)) {
        (None, Some(constant)) => (x, constant, true),
        (Some(constant), None) => (y, constant, false),
        _ => return None,
    };
    let Node::Unary(extend @ (UnaryOp::ZeroExtend | UnaryOp::SignExtend), inner) = arena.node(term) else {
        return None;
    };
    let (wide, narrow) = (arena.width(term), arena.width(inner));
    let widened = |value: u64| {
        if extend == UnaryOp::SignExtend { signed(narrow, value) as u64 & mask(wide) } else { value }
    };
    let low = constant & mask(narrow);
    // The narrow values keep their signed or unsigned order; zero extended ones are in unsigned order either way.
    let narrow_signed = is_signed(op) && extend == UnaryOp::SignExtend;
    let narrow_op = if narrow_signed { BinaryOp::LtS } else { BinaryOp::LtU };
    if widened(low) == constant {
        let low = arena.constant(narrow, low);
        return Some(if below { arena.binary(narrow_op, inner, low) } else { arena.binary(narrow_op, low, inner) });
    }
    // Out of reach: below all, above all, or (sign extended in unsigned order) between the two halves.
    let (smallest, largest) = limits(narrow, narrow_signed);
    let order = is_signed(op);
    if less(wide, order, constant, widened(smallest)) {
        return Some(arena.constant(1, !below as u64));
    }
    if less(wide, order, widened(largest), constant) {
        return Some(arena.constant(1, below as u64));
    }
    let zero = arena.zero(narrow);
    Some(if below { arena.binary(BinaryOp::LeS, zero, inner) } else { arena.binary(BinaryOp::LtS, inner, zero) })
}

/// `extend(x) < extend(y)` => `x < y`, the narrower extended to the width of the wider; unsigned if zero extended
fn order_extended(arena: &mut Arena, op: BinaryOp, x: TermId, y: TermId) -> Option<TermId> {
    let (extend, x, y) = common_extension(arena, x, y)?;
    let narrow_op = match (extend, op) {
        (UnaryOp::ZeroExtend, BinaryOp::LtS) => BinaryOp::LtU,
        (UnaryOp::ZeroExtend, BinaryOp::LeS) => BinaryOp::LeU,
        _ => op,
    };
    Some(arena.binary(narrow_op, x, y))
}

/// `x + c < d` => `lowest <= x & x < lowest + count`, where the values of `x` for which it holds do not wrap around;
/// the same for `d < x + c`
fn order_sum_constant(arena: &mut Arena, op: BinaryOp, x: TermId, y: TermId) -> Option<TermId> {
    if !is_strict(op) {
        return None;
    }
    let (width, order) = (arena.width(x), is_signed(op));
    let (smallest, largest) = limits(width, order);
    // The sum is in `first ..= last`, of which neither end is cut off by the width: see `order_limit`.
    let (sum, first, last) = match (arena.as_constant(x), arena.as_constant(y)) {
        (None, Some(bound)) => (x, smallest, bound.wrapping_sub(1)),
        (Some(bound), None) => (y, bound.wrapping_add(1), largest),
        _ => return None,
    };
    let (inner, constant) = arena.as_binary_with_constant(BinaryOp::Add, sum)?;
    let (first, last) = (first.wrapping_sub(constant) & mask(width), last.wrapping_sub(constant) & mask(width));
    if less(width, order, last, first) {
        return None;
    }
    let (first, last) = (arena.constant(width, first), arena.constant(width, last));
    let not_strict = if order { BinaryOp::LeS } else { BinaryOp::LeU };
    let (above, below) = (arena.binary(not_strict, first, inner), arena.binary(not_strict, inner, last));
    Some(arena.binary(BinaryOp::And, above, below))
}

/// `x + 0x80..0 < y + 0x80..0` => `x < y` in the other order
fn order_sign_bit(arena: &mut Arena, op: BinaryOp, x: TermId, y: TermId) -> Option<TermId> {
    let top = 1 << (arena.width(x) - 1);
    let flipped = |term| arena.as_binary_with_constant(BinaryOp::Add, term).filter(|&(_, c)| c == top);
    let ((a, _), (b, _)) = (flipped(x)?, flipped(y)?);
    let other = match op {
        BinaryOp::LtU => BinaryOp::LtS,
        BinaryOp::LtS => BinaryOp::LtU,
        BinaryOp::LeU => BinaryOp::LeS,
        _ => BinaryOp::LeU,
    };
    Some(arena.binary(other, a, b))
}

/// see [`compare_two_bits`]
fn compare_bits_in_order(arena: &mut Arena, op: BinaryOp, x: TermId, y: TermId) -> Option<TermId> {
    compare_two_bits(arena, op, x, y)
}

/// see [`compare_choice_of`]
fn compare_choice_in_order(arena: &mut Arena, op: BinaryOp, x: TermId, y: TermId) -> Option<TermId> {
    compare_choice_of(arena, op, x, y)
}

/// `extend(p) op extend(q)` compared with a constant (`(a > b) - (a < b) < 0` in C) => a function of the bits `p`, `q`
fn compare_two_bits(arena: &mut Arena, compare: BinaryOp, x: TermId, y: TermId) -> Option<TermId> {
    let (term, constant, on_left) = match (arena.as_constant(x), arena.as_constant(y)) {
        (None, Some(constant)) => (x, constant, true),
        (Some(constant), None) => (y, constant, false),
        _ => return None,
    };
    let Node::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) = arena.node(term) else { return None };
    let bit = |term: TermId| match arena.node(term) {
        Node::Unary(extend @ (UnaryOp::ZeroExtend | UnaryOp::SignExtend), p) if arena.width(p) == 1 => {
            Some((extend, p))
        }
        _ => None,
    };
    let ((extend_p, p), (extend_q, q)) = (bit(a)?, bit(b)?);
    let width = arena.width(term);
    let holds = |p: u64, q: u64| {
        let (a, b) = (crate::ops::unary(extend_p, 1, width, p), crate::ops::unary(extend_q, 1, width, q));
        let value = crate::ops::binary(op, width, a, b);
        let (x, y) = if on_left { (value, constant) } else { (constant, value) };
        crate::ops::binary(compare, width, x, y)
    };
    // As a choice by `p` between two functions of `q`, each of them 0, 1, `q` or `not q`.
    let mut arm = |p: u64| match (holds(p, 0), holds(p, 1)) {
        (0, 1) => q,
        (1, 0) => arena.not(q),
        (value, _) => arena.constant(1, value),
    };
    let (then, otherwise) = (arm(1), arm(0));
    Some(arena.if_then_else(p, then, otherwise))
}

/// `(k ? c : x)` compared with `d` => `k ? (c compared with d) : (x compared with d)`, which is `and`, `or` or
/// something simpler. `x` must not be a deep choice itself (a table of many entries): those stay as they are.
fn compare_choice_of(arena: &mut Arena, op: BinaryOp, x: TermId, y: TermId) -> Option<TermId> {
    const DEEPEST: u32 = 4;
    let (choice, on_left) = match (arena.as_constant(x), arena.as_constant(y)) {
        (None, Some(_)) => (x, true),
        (Some(_), None) => (y, false),
        _ => return None,
    };
    let mut innermost = choice;
    for depth in 0.. {
        let Node::IfThenElse { then, otherwise, .. } = arena.node(innermost) else {
            if depth == 0 {
                return None;
            }
            break;
        };
        innermost = match (arena.as_constant(then), arena.as_constant(otherwise)) {
            (Some(_), _) => otherwise,
            (None, Some(_)) => then,
            (None, None) => return None,
        };
        if depth == DEEPEST {
            return None;
        }
    }
    let Node::IfThenElse { condition, then, otherwise } = arena.node(choice) else { return None };
    let mut compared = |arm| if on_left { arena.binary(op, arm, y) } else { arena.binary(op, x, arm) };
    let (then, otherwise) = (compared(then), compared(otherwise));
    Some(arena.if_then_else(condition, then, otherwise))
}

/// Two extensions of one kind without the bits that both add; the narrower operand is extended to the wider's width.
fn common_extension(arena: &mut Arena, x: TermId, y: TermId) -> Option<(UnaryOp, TermId, TermId)> {
    let (Node::Unary(op @ (UnaryOp::ZeroExtend | UnaryOp::SignExtend), a), Node::Unary(other, b)) =
        (arena.node(x), arena.node(y))
    else {
        return None;
    };
    if op != other {
        return None;
    }
    let width = arena.width(a).max(arena.width(b));
    Some((op, arena.unary(op, width, a), arena.unary(op, width, b)))
}

fn is_strict(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::LtU | BinaryOp::LtS)
}

fn is_signed(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::LtS | BinaryOp::LeS)
}

fn strict(op: BinaryOp) -> BinaryOp {
    if is_signed(op) { BinaryOp::LtS } else { BinaryOp::LtU }
}
