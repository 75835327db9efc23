//! Rewrite rules: how a new term is brought into canonical form (stated on [`Arena`]).
//!
//! A rule is a function named after what it does, with `match => result` above it. It looks at the operands of a term
//! about to be made (already canonical, never all constants) and either gives the term to use instead or `None`. The
//! lists in each family say which rules are tried for which operator, in which order.
//!
//! Every rule has an entry in `pessimum_testkit::rules`: terms to which it applies and terms to which it does not.
//! With them the tests here prove the rule for all inputs of small widths, and the solver's tests prove it for 32 and
//! 64 bits. A rule without an entry fails a test.
//!
//! Rules must terminate and must not use unbounded stack: a rule may build terms only over operands that are
//! narrower, or constant, or a fixed number of levels below the match.

mod arithmetic;
mod choice;
mod compare;
mod logic;
mod order;
mod structure;

use crate::arena::{Arena, Node, TermId};
use crate::ops::{BinaryOp, UnaryOp};

/// Declares the rules tried for an operator: the list of their names and the function that tries them in order.
macro_rules! rules {
    ($names:ident, $try_all:ident ( $($operand:ident : $type:ty),* ) : $($rule:ident),* $(,)?) => {
        pub(super) const $names: &[&str] = &[$(stringify!($rule)),*];
        pub(super) fn $try_all(arena: &mut Arena, $($operand: $type),*) -> Option<TermId> {
            rules!(@each arena, ($($operand),*), $($rule),*);
            None
        }
    };
    (@each $arena:ident, $operands:tt, $($rule:ident),*) => {
        $(rules!(@one $arena, $operands, $rule);)*
    };
    (@one $arena:ident, ($($operand:ident),*), $rule:ident) => {
        if let Some(term) = $rule($arena, $($operand),*) {
            $arena.note_rule(stringify!($rule));
            return Some(term);
        }
    };
}
use rules;

/// The names of all rules, some more than once.
pub fn names() -> impl Iterator<Item = &'static str> {
    [
        logic::ONE_BIT_UNARY,
        logic::ONE_BIT,
        logic::NOT,
        logic::AND,
        logic::OR,
        logic::XOR,
        arithmetic::ADD,
        arithmetic::SUB,
        arithmetic::NEG,
        arithmetic::MUL,
        arithmetic::DIV_U,
        arithmetic::DIV_S,
        arithmetic::REM_U,
        arithmetic::REM_S,
        arithmetic::SHIFT,
        compare::EQ,
        compare::ORDER,
        structure::EXTRACT,
        structure::CONCAT,
        structure::EXTEND,
        choice::CHOICE,
        choice::UNARY,
    ]
    .into_iter()
    .flatten()
    .copied()
}

pub(crate) fn unary(arena: &mut Arena, op: UnaryOp, to_width: u32, x: TermId) -> Option<TermId> {
    if arena.width(x) == 1
        && to_width == 1
        && let Some(term) = logic::one_bit_unary(arena, op, x)
    {
        return Some(term);
    }
    match op {
        UnaryOp::Not => logic::not(arena, x),
        UnaryOp::Neg => arithmetic::neg(arena, x),
        UnaryOp::ZeroExtend | UnaryOp::SignExtend => structure::extend(arena, op, to_width, x),
        _ => None,
    }
    .or_else(|| choice::unary(arena, op, to_width, x))
}

pub(crate) fn binary(arena: &mut Arena, op: BinaryOp, x: TermId, y: TermId) -> Option<TermId> {
    use BinaryOp::*;
    if arena.width(x) == 1
        && let Some(term) = logic::one_bit_binary(arena, op, x, y)
    {
        return Some(term);
    }
    match op {
        Add => arithmetic::add(arena, x, y),
        Sub => arithmetic::sub(arena, x, y),
        Mul => arithmetic::mul(arena, x, y),
        DivU => arithmetic::div_u(arena, x, y),
        DivS => arithmetic::div_s(arena, x, y),
        RemU => arithmetic::rem_u(arena, x, y),
        RemS => arithmetic::rem_s(arena, x, y),
        And => logic::and(arena, x, y),
        Or => logic::or(arena, x, y),
        Xor => logic::xor(arena, x, y),
        Shl | ShrU | ShrS | Rotl | Rotr => arithmetic::shift(arena, op, x, y),
        Eq => compare::eq(arena, x, y),
        LtU | LtS | LeU | LeS => compare::order(arena, op, x, y),
        _ => None,
    }
}

pub(crate) fn extract(arena: &mut Arena, of: TermId, low: u32, width: u32) -> Option<TermId> {
    structure::extract(arena, of, low, width)
}

pub(crate) fn concat(arena: &mut Arena, high: TermId, low: TermId) -> Option<TermId> {
    structure::concat(arena, high, low)
}

pub(crate) fn if_then_else(arena: &mut Arena, condition: TermId, then: TermId, other: TermId) -> Option<TermId> {
    choice::if_then_else(arena, condition, then, other)
}

// Helpers for matching in rules.
impl Arena {
    fn as_unary(&self, op: UnaryOp, term: TermId) -> Option<TermId> {
        match self.node(term) {
            Node::Unary(found, x) if found == op => Some(x),
            _ => None,
        }
    }

    fn as_binary(&self, op: BinaryOp, term: TermId) -> Option<(TermId, TermId)> {
        match self.node(term) {
            Node::Binary(found, x, y) if found == op => Some((x, y)),
            _ => None,
        }
    }

    /// `x op constant`.
    fn as_binary_with_constant(&self, op: BinaryOp, term: TermId) -> Option<(TermId, u64)> {
        let (x, y) = self.as_binary(op, term)?;
        Some((x, self.as_constant(y)?))
    }

    fn is_constant(&self, term: TermId, value: u64) -> bool {
        self.as_constant(term) == Some(value)
    }

    /// Whether one is the negation of the other, as far as canonical forms show it.
    fn are_complements(&self, x: TermId, y: TermId) -> bool {
        if self.as_unary(UnaryOp::Not, x) == Some(y) || self.as_unary(UnaryOp::Not, y) == Some(x) {
            return true;
        }
        self.width(x) == 1 && order::are_complements(self, x, y)
    }

    fn zero(&mut self, width: u32) -> TermId {
        self.constant(width, 0)
    }

    fn zero_extend(&mut self, to_width: u32, x: TermId) -> TermId {
        self.unary(UnaryOp::ZeroExtend, to_width, x)
    }

    fn sign_extend(&mut self, to_width: u32, x: TermId) -> TermId {
        self.unary(UnaryOp::SignExtend, to_width, x)
    }
}
