//! If-then-else.

use super::rules;
use crate::arena::{Arena, Node, TermId};
use crate::ops::{BinaryOp, UnaryOp, mask};

rules!(CHOICE, if_then_else(condition: TermId, then: TermId, otherwise: TermId):
    choice_same, choice_not, choice_bit, choice_extended_bit, choice_nested);
rules!(UNARY, unary(op: UnaryOp, to_width: u32, x: TermId): unary_choice, float_sign);

/// `c ? x : x` => `x`
fn choice_same(_: &mut Arena, _: TermId, then: TermId, otherwise: TermId) -> Option<TermId> {
    (then == otherwise).then_some(then)
}

/// `not c ? x : y` => `c ? y : x`
fn choice_not(arena: &mut Arena, condition: TermId, then: TermId, otherwise: TermId) -> Option<TermId> {
    let inner = arena.as_unary(UnaryOp::Not, condition)?;
    Some(arena.if_then_else(inner, otherwise, then))
}

/// `c ? 1 : x` => `c | x` and so on, where an arm is a constant or the condition itself, on one bit
fn choice_bit(arena: &mut Arena, condition: TermId, then: TermId, otherwise: TermId) -> Option<TermId> {
    if arena.width(then) != 1 {
        return None;
    }
    let (op, x, y) = match (arena.as_constant(then), arena.as_constant(otherwise)) {
        (Some(1), _) => (BinaryOp::Or, condition, otherwise),
        (Some(_), _) => (BinaryOp::And, arena.not(condition), otherwise),
        (None, Some(0)) => (BinaryOp::And, condition, then),
        (None, Some(_)) => (BinaryOp::Or, arena.not(condition), then),
        (None, None) if then == condition => (BinaryOp::Or, condition, otherwise),
        (None, None) if otherwise == condition => (BinaryOp::And, condition, then),
        (None, None) => return None,
    };
    Some(arena.binary(op, x, y))
}

/// `c ? 1 : 0` => `zero_extend(c)`; `c ? -1 : 0` => `sign_extend(c)`; with `not c` if the arms are exchanged
fn choice_extended_bit(arena: &mut Arena, condition: TermId, then: TermId, otherwise: TermId) -> Option<TermId> {
    let width = arena.width(then);
    let (set, condition) = match (arena.as_constant(then)?, arena.as_constant(otherwise)?) {
        (set, 0) if set == 1 || set == mask(width) => (set, condition),
        (0, set) if set == 1 || set == mask(width) => (set, arena.not(condition)),
        _ => return None,
    };
    let op = if set == 1 { UnaryOp::ZeroExtend } else { UnaryOp::SignExtend };
    Some(arena.unary(op, width, condition))
}

/// `c ? (c ? x : y) : z` => `c ? x : z`, and likewise for the other arm
fn choice_nested(arena: &mut Arena, condition: TermId, then: TermId, otherwise: TermId) -> Option<TermId> {
    let arm = |term: TermId, first: bool| match arena.node(term) {
        Node::IfThenElse { condition: inner, then, otherwise } if inner == condition => {
            Some(if first { then } else { otherwise })
        }
        _ => None,
    };
    let (left, right) = (arm(then, true), arm(otherwise, false));
    if left.is_none() && right.is_none() {
        return None;
    }
    Some(arena.if_then_else(condition, left.unwrap_or(then), right.unwrap_or(otherwise)))
}

/// `op (k ? c : d)` => `k ? op c : op d`
fn unary_choice(arena: &mut Arena, op: UnaryOp, to_width: u32, x: TermId) -> Option<TermId> {
    let Node::IfThenElse { condition, then, otherwise } = arena.node(x) else { return None };
    arena.as_constant(then)?;
    arena.as_constant(otherwise)?;
    let (then, otherwise) = (arena.unary(op, to_width, then), arena.unary(op, to_width, otherwise));
    Some(arena.if_then_else(condition, then, otherwise))
}

/// `fneg fneg x` => `x`; `fabs fneg x`, `fabs fabs x` => `fabs x`: these touch only the sign bit, even of a NaN
fn float_sign(arena: &mut Arena, op: UnaryOp, to_width: u32, x: TermId) -> Option<TermId> {
    let Node::Unary(inner, y) = arena.node(x) else { return None };
    match (op, inner) {
        (UnaryOp::FNeg, UnaryOp::FNeg) => Some(y),
        (UnaryOp::FAbs, UnaryOp::FNeg | UnaryOp::FAbs) => Some(arena.unary(UnaryOp::FAbs, to_width, y)),
        _ => None,
    }
}
