//! What recent operations gave.
//!
//! A program that compares the same byte with the same constant again goes through the rewrite rules once. A comparison
//! is also remembered as a whole, from its operands to the number that the program gets. Following the worst input of a
//! glob matcher (38,645 decisions, nearly all of them implied by earlier ones) took 119 million host instructions with
//! this, 143 without the second and about twice as many without either.

use crate::arena::{Kind, TermId};

/// The results of recent operations, by what was asked for: a program that compares the same byte with the same constant
/// a thousand times goes through the rules once.
///
/// A result is what the rules would give again, because they look at nothing but the terms, which stay until terms are
/// forgotten; the arena tells the moment by `forgotten`, which only rises.
pub(crate) struct Recent {
    entries: Box<[Entry; ENTRIES]>,
}

/// As many as a loop over a text of a few hundred bytes asks for. A power of two.
const ENTRIES: usize = 1024;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Operation {
    pub(crate) kind: Kind,
    pub(crate) width: u8,
    pub(crate) operands: [TermId; 2],
}

#[derive(Clone, Copy)]
struct Entry {
    operation: Operation,
    result: TermId,
    /// 0: nothing is here.
    when: u64,
}

impl Operation {
    #[inline(always)]
    fn place(&self) -> usize {
        let [x, y] = self.operands.map(|operand| u64::from(operand.0));
        let kind = match self.kind {
            Kind::Unary(op) => op as u64,
            Kind::Binary(op) => 0x40 + op as u64,
            Kind::Constant | Kind::Variable | Kind::Extract | Kind::Concat | Kind::IfThenElse => 0x80,
        };
        let mixed = (x | y << 32).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ kind.wrapping_mul(0xd1b5_4a32_d192_ed03);
        (mixed >> (64 - ENTRIES.trailing_zeros())) as usize
    }
}

impl Recent {
    pub(crate) fn new() -> Recent {
        let operation = Operation { kind: Kind::Constant, width: 0, operands: [TermId(0); 2] };
        Recent { entries: Box::new([Entry { operation, result: TermId(0), when: 0 }; ENTRIES]) }
    }

    /// The result, if the operation is among the recent ones since terms were last forgotten.
    #[inline(always)]
    pub(crate) fn get(&self, operation: Operation, forgotten: u64) -> Option<TermId> {
        let entry = &self.entries[operation.place()];
        (entry.when == forgotten + 1 && entry.operation == operation).then_some(entry.result)
    }

    /// Remembers a result.
    #[inline(always)]
    pub(crate) fn put(&mut self, operation: Operation, result: TermId, forgotten: u64) {
        self.entries[operation.place()] = Entry { operation, result, when: forgotten + 1 };
    }
}

#[cfg(test)]
mod tests {
    use crate::{Arena, BinaryOp, Evaluator, UnaryOp, VariableId, Witness};

    #[test]
    fn results_do_not_outlive_their_terms() {
        let mut arena = Arena::new();
        let x = arena.variable(VariableId(0), 8);
        let (one, five) = (arena.constant(8, 1), arena.constant(8, 5));
        let mark = arena.mark();
        // The same ids mean other terms in each round.
        for round in 0..300u64 {
            let other = arena.constant(8, round % 7 + 10);
            let op = [BinaryOp::Add, BinaryOp::Mul, BinaryOp::Xor][round as usize % 3];
            let changed = arena.binary(op, x, other);
            let sum = arena.binary(BinaryOp::Mul, changed, changed);
            let equal = arena.binary(BinaryOp::LtU, sum, five);
            let differs = arena.unary(UnaryOp::Not, 1, equal);
            assert_eq!(arena.binary(BinaryOp::LtU, sum, five), equal, "asked again");
            let mut evaluator = Evaluator::default();
            for value in 0..=255u64 {
                evaluator.set_witness(Witness::new(vec![value]));
                let inner = crate::ops::binary(op, 8, value, round % 7 + 10);
                let less = crate::ops::binary(BinaryOp::Mul, 8, inner, inner) < 5;
                assert_eq!(evaluator.value(&arena, differs), u64::from(!less), "{op:?} {round} {value}");
            }
            arena.release(mark);
            assert_eq!(arena.len(), one.index().max(five.index()) + 1);
        }
    }
}
