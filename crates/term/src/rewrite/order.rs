//! Comparisons of two terms seen as sets of outcomes: less, equal, greater.

use crate::arena::{Arena, Node, TermId};
use crate::ops::{BinaryOp, UnaryOp, mask, signed};

const LESS: u8 = 1;
const EQUAL: u8 = 2;
const GREATER: u8 = 4;
const ANY: u8 = 7;

/// "`x` compared with `y` is in `outcomes`", with `x` the smaller id and neither a constant (neighbouring facts about a
/// constant name different constants: `x < 5` and `4 < x`; see [`Bound`]).
#[derive(Clone, Copy)]
pub(super) struct Relation {
    x: TermId,
    y: TermId,
    /// `None` for equality and its negation, where it does not matter.
    signed: Option<bool>,
    outcomes: u8,
}

impl Relation {
    pub(super) fn of(arena: &Arena, term: TermId) -> Option<Relation> {
        let (x, y, signed, outcomes) = match arena.node(term) {
            Node::Binary(BinaryOp::Eq, x, y) => (x, y, None, EQUAL),
            Node::Binary(BinaryOp::LtU, x, y) => (x, y, Some(false), LESS),
            Node::Binary(BinaryOp::LtS, x, y) => (x, y, Some(true), LESS),
            Node::Binary(BinaryOp::LeU, x, y) => (x, y, Some(false), LESS | EQUAL),
            Node::Binary(BinaryOp::LeS, x, y) => (x, y, Some(true), LESS | EQUAL),
            Node::Unary(UnaryOp::Not, equal) => {
                let Node::Binary(BinaryOp::Eq, x, y) = arena.node(equal) else { return None };
                (x, y, None, LESS | GREATER)
            }
            _ => return None,
        };
        if arena.as_constant(x).is_some() || arena.as_constant(y).is_some() {
            return None;
        }
        if x < y {
            return Some(Relation { x, y, signed, outcomes });
        }
        let turned = (outcomes & EQUAL) | (outcomes & LESS) << 2 | (outcomes & GREATER) >> 2;
        Some(Relation { x: y, y: x, signed, outcomes: turned })
    }

    fn joined(self, other: Relation) -> Option<(u8, u8)> {
        let same_terms = self.x == other.x && self.y == other.y;
        let same_order = self.signed.is_none() || other.signed.is_none() || self.signed == other.signed;
        (same_terms && same_order).then_some((self.outcomes, other.outcomes))
    }
}

/// "`x` is below `constant`", or above it.
struct Bound {
    x: TermId,
    constant: u64,
    below: bool,
    is_signed: bool,
}

impl Bound {
    fn of(arena: &Arena, term: TermId) -> Option<Bound> {
        let (x, y, is_signed) = match arena.node(term) {
            Node::Binary(BinaryOp::LtU, x, y) => (x, y, false),
            Node::Binary(BinaryOp::LtS, x, y) => (x, y, true),
            _ => return None,
        };
        match (arena.as_constant(x), arena.as_constant(y)) {
            (Some(constant), None) => Some(Bound { x: y, constant, below: false, is_signed }),
            (None, Some(constant)) => Some(Bound { x, constant, below: true, is_signed }),
            _ => None,
        }
    }
}

/// Whether exactly one of the two comparisons holds, always.
pub(super) fn are_complements(arena: &Arena, a: TermId, b: TermId) -> bool {
    if let (Some(a), Some(b)) = (Relation::of(arena, a), Relation::of(arena, b)) {
        return a.joined(b).is_some_and(|(a, b)| a ^ b == ANY);
    }
    let (Some(a), Some(b)) = (Bound::of(arena, a), Bound::of(arena, b)) else { return false };
    let (below, above) = if a.below { (&a, &b) } else { (&b, &a) };
    // `x < c` against `c - 1 < x`; the smallest value is never on the right of `<`, so nothing wraps.
    a.below != b.below
        && a.x == b.x
        && a.is_signed == b.is_signed
        && below.constant == above.constant.wrapping_add(1) & mask(arena.width(a.x))
}

/// `a op b` for `And`, `Or`, `Xor`, where both are relations of the same two terms.
pub(super) fn combine(arena: &mut Arena, op: BinaryOp, a: TermId, b: TermId) -> Option<TermId> {
    let (first, second) = (Relation::of(arena, a)?, Relation::of(arena, b)?);
    let (left, right) = first.joined(second)?;
    let outcomes = match op {
        BinaryOp::And => left & right,
        BinaryOp::Or => left | right,
        _ => left ^ right,
    };
    let Relation { x, y, .. } = first;
    let is_signed = first.signed.or(second.signed);
    let (less, less_or_equal) = match is_signed {
        Some(true) => (BinaryOp::LtS, BinaryOp::LeS),
        _ => (BinaryOp::LtU, BinaryOp::LeU),
    };
    Some(match outcomes {
        0 => arena.constant(1, 0),
        LESS => arena.binary(less, x, y),
        EQUAL => arena.binary(BinaryOp::Eq, x, y),
        GREATER => arena.binary(less, y, x),
        3 => arena.binary(less_or_equal, x, y),
        6 => arena.binary(less_or_equal, y, x),
        5 => {
            let equal = arena.binary(BinaryOp::Eq, x, y);
            arena.not(equal)
        }
        _ => arena.constant(1, 1),
    })
}

/// The smallest and the largest value in the order.
pub(super) fn limits(width: u32, is_signed: bool) -> (u64, u64) {
    if is_signed { (1 << (width - 1), mask(width) >> 1) } else { (0, mask(width)) }
}

/// Whether `x < y` in the order.
pub(super) fn less(width: u32, is_signed: bool, x: u64, y: u64) -> bool {
    if is_signed { signed(width, x) < signed(width, y) } else { x < y }
}
