//! A term's value for 256 inputs at once: one dispatch per operator instead of one per operator and input.

use pessimum_term::ops::{self, mask};
use pessimum_term::{Arena, BinaryOp, Node, TermId, UnaryOp};

/// Inputs per block.
pub const LANES: usize = 256;
type Block = [u64; LANES];

/// The input bits of a variable within the number of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    pub variable: u32,
    pub width: u32,
    /// The lowest of its bits.
    pub low: u32,
}

/// Evaluates one condition for blocks of inputs.
#[derive(Default)]
pub struct Lanes {
    /// The terms below the condition, operands first.
    order: Vec<TermId>,
    /// By term: its place in `order`, valid for terms in it.
    place: Vec<u32>,
    blocks: Vec<Block>,
    stack: Vec<TermId>,
}

impl Lanes {
    /// Prepares for a condition.
    pub fn prepare(&mut self, arena: &Arena, condition: TermId) {
        self.order.clear();
        self.place.resize(arena.len().max(self.place.len()), 0);
        self.stack.clear();
        self.stack.push(condition);
        let is_in =
            |order: &[TermId], place: &[u32], term: TermId| order.get(place[term.index()] as usize) == Some(&term);
        while let Some(term) = self.stack.pop() {
            if is_in(&self.order, &self.place, term) {
                continue;
            }
            self.place[term.index()] = self.order.len() as u32;
            self.order.push(term);
            self.stack.extend(arena.children(term));
        }
        // Operands have smaller ids than the term, so sorting by id puts them first.
        self.order.sort_unstable();
        for (index, term) in self.order.iter().enumerate() {
            self.place[term.index()] = index as u32;
        }
        if self.blocks.len() < self.order.len() {
            self.blocks.resize(self.order.len(), [0; LANES]);
        }
    }

    /// The truth of the prepared condition for inputs `256 * number ..`, one bit each.
    pub fn truth(&mut self, arena: &Arena, fields: &[Field], number: usize) -> [u64; LANES / 64] {
        for index in 0..self.order.len() {
            let (before, rest) = self.blocks.split_at_mut(index);
            let term = self.order[index];
            let of = |term: TermId| &before[self.place[term.index()] as usize];
            evaluate(arena, term, fields, number, of, &mut rest[0]);
        }
        let last = &self.blocks[self.order.len() - 1];
        std::array::from_fn(|word| last[word * 64..][..64].iter().rev().fold(0, |bits, &value| bits << 1 | (value & 1)))
    }
}

fn evaluate<'a>(
    arena: &Arena,
    term: TermId,
    fields: &[Field],
    number: usize,
    of: impl Fn(TermId) -> &'a Block,
    result: &mut Block,
) {
    let width = arena.width(term);
    match arena.node(term) {
        Node::Constant(value) => result.fill(value),
        Node::Variable(variable) => {
            let field = fields.iter().find(|field| field.variable == variable.0).expect("all variables have a field");
            let first = number * LANES;
            for (lane, value) in result.iter_mut().enumerate() {
                *value = ((first + lane) as u64 >> field.low) & mask(field.width) & mask(width);
            }
        }
        Node::Extract { of: x, low } => map1(of(x), result, |x| x >> low & mask(width)),
        Node::Concat { high, low } => {
            let shift = arena.width(low);
            map2(of(high), of(low), result, |high, low| high << shift | low);
        }
        Node::IfThenElse { condition, then, otherwise } => {
            let (condition, then, otherwise) = (of(condition), of(then), of(otherwise));
            for lane in 0..LANES {
                result[lane] = if condition[lane] == 1 { then[lane] } else { otherwise[lane] };
            }
        }
        Node::Unary(op, x) => unary(op, arena.width(x), width, of(x), result),
        Node::Binary(op, x, y) => binary(op, arena.width(x), of(x), of(y), result),
    }
}

#[inline(always)]
fn map1(x: &Block, result: &mut Block, f: impl Fn(u64) -> u64) {
    for lane in 0..LANES {
        result[lane] = f(x[lane]);
    }
}

#[inline(always)]
fn map2(x: &Block, y: &Block, result: &mut Block, f: impl Fn(u64, u64) -> u64) {
    for lane in 0..LANES {
        result[lane] = f(x[lane], y[lane]);
    }
}

fn unary(op: UnaryOp, from: u32, to: u32, x: &Block, result: &mut Block) {
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

fn binary(op: BinaryOp, width: u32, x: &Block, y: &Block, result: &mut Block) {
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
