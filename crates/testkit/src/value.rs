//! Values that may depend on the input.

use pessimum_term::ops;
use pessimum_term::{Arena, BinaryOp, TermId, UnaryOp};

/// A bit-vector: concrete, or a term where it depends on the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// 1 to 64.
    pub width: u32,
    content: Content,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    Bits(u64),
    Term(TermId),
}

impl Value {
    /// A concrete value.
    pub fn concrete(width: u32, bits: u64) -> Value {
        Value { width, content: Content::Bits(bits & ops::mask(width)) }
    }

    /// A term; concrete if it is a constant.
    pub fn of_term(arena: &Arena, term: TermId) -> Value {
        let content = arena.as_constant(term).map_or(Content::Term(term), Content::Bits);
        Value { width: arena.width(term), content }
    }

    /// The bits, if it does not depend on the input.
    pub fn bits(self) -> Option<u64> {
        match self.content {
            Content::Bits(bits) => Some(bits),
            Content::Term(_) => None,
        }
    }

    /// The value as a term.
    pub fn term(self, arena: &mut Arena) -> TermId {
        match self.content {
            Content::Bits(bits) => arena.constant(self.width, bits),
            Content::Term(term) => term,
        }
    }

    /// One operation; comparisons give one bit.
    pub fn binary(self, arena: &mut Arena, op: BinaryOp, other: Value) -> Value {
        if let (Some(x), Some(y)) = (self.bits(), other.bits()) {
            let width = if op.is_comparison() { 1 } else { self.width };
            return Value::concrete(width, ops::binary(op, self.width, x, y));
        }
        let (x, y) = (self.term(arena), other.term(arena));
        let term = arena.binary(op, x, y);
        Value::of_term(arena, term)
    }

    /// Widened with zeros.
    pub fn zero_extend(self, arena: &mut Arena, width: u32) -> Value {
        match self.content {
            _ if width == self.width => self,
            Content::Bits(bits) => Value::concrete(width, bits),
            Content::Term(term) => {
                let term = arena.unary(UnaryOp::ZeroExtend, width, term);
                Value::of_term(arena, term)
            }
        }
    }

    /// One bit: whether it differs from zero.
    pub fn truth(self, arena: &mut Arena) -> Value {
        match self.content {
            Content::Bits(bits) => Value::concrete(1, u64::from(bits != 0)),
            Content::Term(term) => {
                let term = arena.truth(term);
                Value::of_term(arena, term)
            }
        }
    }

    /// The negation of one bit.
    pub fn negate(self, arena: &mut Arena) -> Value {
        match self.content {
            Content::Bits(bits) => Value::concrete(1, bits ^ 1),
            Content::Term(term) => {
                let term = arena.not(term);
                Value::of_term(arena, term)
            }
        }
    }
}
