//! An operator applied to many inputs at once: one dispatch per operator instead of one per operator and input.

use pessimum_term::ops::{self, mask};
use pessimum_term::{Arena, BinaryOp, Node, TermId, UnaryOp};

/// Inputs per block. The blocks of an operator and its operands stay in the fastest cache.
pub const LANES: usize = 256;

/// The input bits of a variable within the number of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    pub variable: u32,
    pub width: u32,
    /// The lowest of its bits.
    pub low: u32,
}

/// Evaluates small conditions block by block and remembers nothing: for few operators that takes less than keeping their
/// values does.
#[derive(Default)]
pub struct Lanes {
    /// The terms of the condition, operands first.
    terms: Vec<TermId>,
    /// By the place in `terms`.
    blocks: Vec<[u64; LANES]>,
}

impl Lanes {
    /// Prepares for a condition; false if it consists of more than so many terms.
    pub fn prepare(&mut self, arena: &Arena, condition: TermId, most: usize) -> bool {
        self.terms.clear();
        self.terms.push(condition);
        let mut next = 0;
        while let Some(&term) = self.terms.get(next) {
            for child in arena.children(term) {
                if !self.terms.contains(&child) {
                    self.terms.push(child);
                }
            }
            if self.terms.len() > most {
                return false;
            }
            next += 1;
        }
        // Operands have smaller ids than the term.
        self.terms.sort_unstable();
        if self.blocks.len() < self.terms.len() {
            self.blocks.resize(self.terms.len(), [0; LANES]);
        }
        true
    }

    /// Sets `truth` to the inputs for which the prepared condition is true, one bit each.
    pub fn ask(&mut self, arena: &Arena, fields: &[Field], inputs: &[u16], truth: &mut Vec<u64>) {
        truth.clear();
        for inputs in inputs.chunks(LANES) {
            for (place, &term) in self.terms.iter().enumerate() {
                let (before, rest) = self.blocks.split_at_mut(place);
                let result = &mut rest[0][..inputs.len()];
                if is_leaf(arena, term) {
                    leaf(arena, term, fields, inputs, result);
                    continue;
                }
                let mut operands: [&[u64]; 3] = [&[]; 3];
                for (operand, child) in operands.iter_mut().zip(arena.children(term)) {
                    let place = self.terms.binary_search(&child).expect("operands are terms of the condition");
                    *operand = &before[place][..inputs.len()];
                }
                apply(arena, term, operands, result);
            }
            truth.extend(self.blocks[self.terms.len() - 1][..inputs.len()].chunks(64).map(bits));
        }
    }
}

/// One-bit values, the first one lowest.
pub fn bits(values: &[u64]) -> u64 {
    values.iter().rev().fold(0, |bits, &value| bits << 1 | (value & 1))
}

/// The values of a constant or a variable for these inputs. Needs no memory of its own beside the terms' values, because
/// it costs as much to read as to make.
pub fn leaf(arena: &Arena, term: TermId, fields: &[Field], inputs: &[u16], result: &mut [u64]) {
    match arena.node(term) {
        Node::Constant(value) => result.fill(value),
        Node::Variable(variable) => {
            let field = fields.iter().find(|field| field.variable == variable.0).expect("all variables have a field");
            let (low, mask) = (field.low, mask(field.width.min(arena.width(term))));
            for (value, &input) in result.iter_mut().zip(inputs) {
                *value = input as u64 >> low & mask;
            }
        }
        _ => unreachable!("only constants and variables have no operands"),
    }
}

/// Whether the term is a constant or a variable.
#[inline]
pub fn is_leaf(arena: &Arena, term: TermId) -> bool {
    matches!(arena.node(term), Node::Constant(_) | Node::Variable(_))
}

/// The values of a term that has operands, from the values of these. Unused operands are ignored.
pub fn apply(arena: &Arena, term: TermId, [x, y, z]: [&[u64]; 3], result: &mut [u64]) {
    let width = arena.width(term);
    match arena.node(term) {
        Node::Constant(_) | Node::Variable(_) => unreachable!("constants and variables have no operands"),
        Node::Extract { low, .. } => map1(x, result, |x| x >> low & mask(width)),
        Node::Concat { low, .. } => {
            let shift = arena.width(low);
            map2(x, y, result, |high, low| high << shift | low);
        }
        Node::IfThenElse { .. } => {
            for (((result, &condition), &then), &otherwise) in result.iter_mut().zip(x).zip(y).zip(z) {
                *result = if condition == 1 { then } else { otherwise };
            }
        }
        Node::Unary(op, operand) => unary(op, arena.width(operand), width, x, result),
        Node::Binary(op, operand, _) => binary(op, arena.width(operand), x, y, result),
    }
}

#[inline(always)]
fn map1(x: &[u64], result: &mut [u64], f: impl Fn(u64) -> u64) {
    for (result, &x) in result.iter_mut().zip(x) {
        *result = f(x);
    }
}

#[inline(always)]
fn map2(x: &[u64], y: &[u64], result: &mut [u64], f: impl Fn(u64, u64) -> u64) {
    for ((result, &x), &y) in result.iter_mut().zip(x).zip(y) {
        *result = f(x, y);
    }
}

fn unary(op: UnaryOp, from: u32, to: u32, x: &[u64], result: &mut [u64]) {
    // One loop per operator, so that the operator is a constant inside it.
    macro_rules! loops {
        ($($name:ident)*) => {
            match op {
                $(UnaryOp::$name => map1(x, result, |x| ops::unary(UnaryOp::$name, from, to, x)),)*
            }
        };
    }
    loops!(Not Neg Clz Ctz Popcnt ZeroExtend SignExtend FAbs FNeg FCeil FFloor FTrunc FNearest FSqrt FConvert FFromS
        FFromU FToS FToU)
}

fn binary(op: BinaryOp, width: u32, x: &[u64], y: &[u64], result: &mut [u64]) {
    macro_rules! loops {
        ($($name:ident)*) => {
            match op {
                $(BinaryOp::$name => map2(x, y, result, |x, y| ops::binary(BinaryOp::$name, width, x, y)),)*
            }
        };
    }
    loops!(Add Sub Mul DivU DivS RemU RemS And Or Xor Shl ShrU ShrS Rotl Rotr Eq LtU LtS LeU LeS FAdd FSub FMul FDiv FMin
        FMax FCopysign FEq FLt FLe)
}
