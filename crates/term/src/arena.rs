//! The arena: the only place where terms are made.

use crate::ops::{BinaryOp, UnaryOp};

/// A term in its [`Arena`]. Equal terms have equal ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TermId(u32);

/// An input variable, numbered from 0 in the order in which the program asks for its input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VariableId(pub u32);

/// A term taken apart, for matching.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// A constant.
    Constant(u64),
    /// An input variable.
    Variable(VariableId),
    /// An operator with one operand (extensions and conversions: to the term's own width).
    Unary(UnaryOp, TermId),
    /// An operator with two operands of one width.
    Binary(BinaryOp, TermId, TermId),
    /// Bits `low .. low + width` of the operand.
    Extract {
        /// The operand.
        of: TermId,
        /// The first bit taken.
        low: u32,
    },
    /// `high` above `low`.
    Concat {
        /// The upper bits.
        high: TermId,
        /// The lower bits.
        low: TermId,
    },
    /// If-then-else; the condition is one bit wide.
    IfThenElse {
        /// The one-bit condition.
        condition: TermId,
        /// The value where the condition is 1.
        then: TermId,
        /// The value where the condition is 0.
        otherwise: TermId,
    },
}

/// A point in the arena's growth; see [`Arena::release`].
#[derive(Clone, Copy, Debug)]
pub struct Mark(u32);

/// All terms of one worker.
#[derive(Default)]
pub struct Arena {}

#[allow(unused_variables, missing_docs)]
impl Arena {
    pub fn new() -> Arena {
        todo!()
    }
    /// The variable with this number; always the same term for the same number and width.
    pub fn variable(&mut self, id: VariableId, width: u32) -> TermId {
        todo!()
    }
    pub fn constant(&mut self, width: u32, value: u64) -> TermId {
        todo!()
    }
    pub fn unary(&mut self, op: UnaryOp, to_width: u32, x: TermId) -> TermId {
        todo!()
    }
    pub fn binary(&mut self, op: BinaryOp, x: TermId, y: TermId) -> TermId {
        todo!()
    }
    pub fn extract(&mut self, of: TermId, low: u32, width: u32) -> TermId {
        todo!()
    }
    pub fn concat(&mut self, high: TermId, low: TermId) -> TermId {
        todo!()
    }
    pub fn if_then_else(&mut self, condition: TermId, then: TermId, otherwise: TermId) -> TermId {
        todo!()
    }
    /// Boolean negation of a one-bit term.
    pub fn not(&mut self, condition: TermId) -> TermId {
        todo!()
    }
    /// One bit: whether the term differs from zero (what a Wasm branch tests).
    pub fn truth(&mut self, x: TermId) -> TermId {
        todo!()
    }
    pub fn node(&self, term: TermId) -> Node {
        todo!()
    }
    pub fn width(&self, term: TermId) -> u32 {
        todo!()
    }
    pub fn as_constant(&self, term: TermId) -> Option<u64> {
        todo!()
    }
    /// Number of live terms.
    pub fn len(&self) -> usize {
        todo!()
    }
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    pub fn mark(&self) -> Mark {
        todo!()
    }
    /// Forgets every term made since the mark; ids of older terms stay valid.
    pub fn release(&mut self, mark: Mark) {
        todo!()
    }
    /// Keeps only what the roots need, rewriting each root in place; all other ids become invalid.
    pub fn collect<'a>(&mut self, roots: impl IntoIterator<Item = &'a mut TermId>) {
        todo!()
    }
}
