//! The rewrite rules as data, so that they can be proved: by the tests of terms for all inputs of small widths, and
//! by those of the solver for 32 and 64 bits.
//!
//! A proof builds each expression of [`Case::applies`] twice in one arena, with rewriting off and on
//! ([`Arena::set_rewriting`]), and shows that the two terms are equal for every input.

mod cases;

use pessimum_term::{Arena, BinaryOp, TermId, UnaryOp, VariableId};

pub use cases::all;

/// A rule with expressions to which it applies and to which it does not.
pub struct Case {
    /// The rule's name.
    pub name: &'static str,
    /// The expressions that the rule rewrites, for operands of some width and some constants. There may be none for
    /// some widths and constants.
    pub applies: fn(&Operands) -> Vec<Expression>,
    /// Similar expressions that it leaves alone, whatever the constants.
    pub does_not_apply: fn(&Operands) -> Vec<Expression>,
}

/// What the expressions of a [`Case`] are made of.
#[derive(Clone, Copy, Debug)]
pub struct Operands {
    /// The width of most operands, at least 2.
    pub width: u32,
    /// A constant.
    pub c: u64,
    /// A constant.
    pub d: u64,
}

/// A term not yet in an arena.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum Expression {
    Variable { number: u32, width: u32 },
    Constant { width: u32, value: u64 },
    Unary(UnaryOp, u32, Box<Expression>),
    Binary(BinaryOp, Box<Expression>, Box<Expression>),
    Extract { of: Box<Expression>, low: u32, width: u32 },
    Concat(Box<Expression>, Box<Expression>),
    IfThenElse(Box<Expression>, Box<Expression>, Box<Expression>),
}

impl Expression {
    /// Makes the term, rewritten or not as the arena is set.
    pub fn build(&self, arena: &mut Arena) -> TermId {
        use Expression::*;
        match self {
            Variable { number, width } => arena.variable(VariableId(*number), *width),
            Constant { width, value } => arena.constant(*width, *value),
            Unary(op, width, x) => {
                let x = x.build(arena);
                arena.unary(*op, *width, x)
            }
            Binary(op, x, y) => {
                let (x, y) = (x.build(arena), y.build(arena));
                arena.binary(*op, x, y)
            }
            Extract { of, low, width } => {
                let of = of.build(arena);
                arena.extract(of, *low, *width)
            }
            Concat(high, low) => {
                let (high, low) = (high.build(arena), low.build(arena));
                arena.concat(high, low)
            }
            IfThenElse(condition, then, otherwise) => {
                let (condition, then, otherwise) = (condition.build(arena), then.build(arena), otherwise.build(arena));
                arena.if_then_else(condition, then, otherwise)
            }
        }
    }

    fn width(&self) -> u32 {
        use Expression::*;
        match self {
            Variable { width, .. } | Constant { width, .. } | Unary(_, width, _) | Extract { width, .. } => *width,
            Binary(op, x, _) => {
                if op.is_comparison() {
                    1
                } else {
                    x.width()
                }
            }
            Concat(high, low) => high.width() + low.width(),
            IfThenElse(_, then, _) => then.width(),
        }
    }
}
