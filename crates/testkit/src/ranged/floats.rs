//! Float arithmetic that integers go into and come back from.

use super::Writer;
use pessimum_term::{Arena, BinaryOp, TermId, UnaryOp};

impl Writer<'_> {
    /// A float made an integer of this width.
    pub fn rounded(&mut self, arena: &mut Arena, width: u32, depth: u32) -> TermId {
        let (float, integer) = ([32, 64][self.random.index(2)], [32, 64][self.random.index(2)]);
        let x = self.float(arena, float, depth);
        let op = if self.random.coin() { UnaryOp::FToS } else { UnaryOp::FToU };
        let rounded = arena.unary(op, integer, x);
        self.fit(arena, rounded, width)
    }

    /// A float that depends on integers.
    fn float(&mut self, arena: &mut Arena, width: u32, depth: u32) -> TermId {
        use UnaryOp::{FCeil, FConvert, FFloor, FFromS, FFromU, FNearest, FSqrt, FTrunc};
        if depth == 0 {
            let from = [16, 32, 64][self.random.index(3)];
            let x = self.leaf(arena, from);
            return arena.unary(if self.random.coin() { FFromS } else { FFromU }, width, x);
        }
        match self.random.index(8) {
            0 => {
                let x = self.float(arena, width, depth - 1);
                let ops = [FCeil, FFloor, FTrunc, FNearest, FSqrt];
                arena.unary(ops[self.random.index(ops.len())], width, x)
            }
            1 => {
                let x = self.float(arena, 96 - width, depth - 1);
                arena.unary(FConvert, width, x)
            }
            2 | 3 => {
                let (x, y) = (self.float(arena, width, depth - 1), self.float(arena, width, depth - 1));
                self.float_operator(arena, x, y)
            }
            _ => {
                let x = self.float(arena, width, depth - 1);
                let number = [0.5f32, -0.0, 3.0, 0.1, -1e10, 1e-40, f32::INFINITY][self.random.index(7)];
                let bits = if width == 32 { number.to_bits() as u64 } else { (number as f64).to_bits() };
                let y = arena.constant(width, bits);
                self.float_operator(arena, x, y)
            }
        }
    }

    fn float_operator(&mut self, arena: &mut Arena, x: TermId, y: TermId) -> TermId {
        use BinaryOp::{FAdd, FDiv, FMax, FMin, FMul, FSub};
        let ops = [FAdd, FSub, FMul, FDiv, FMin, FMax];
        arena.binary(ops[self.random.index(ops.len())], x, y)
    }
}
