//! Random condition sets, and the oracle that tries every input.
pub mod z3;

use pessimum_term::random;
use pessimum_term::{Arena, BinaryOp, Evaluator, TermId, UnaryOp, VariableId, Witness};

/// Random choices, with chances in percent.
pub struct Random(random::Random);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(random::Random::new(seed))
    }
    pub fn next(&mut self) -> u64 {
        self.0.bits()
    }
    pub fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }
    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}

pub const INTEGER_OPS: [BinaryOp; 15] = [
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::DivU,
    BinaryOp::DivS,
    BinaryOp::RemU,
    BinaryOp::RemS,
    BinaryOp::And,
    BinaryOp::Or,
    BinaryOp::Xor,
    BinaryOp::Shl,
    BinaryOp::ShrU,
    BinaryOp::ShrS,
    BinaryOp::Rotl,
    BinaryOp::Rotr,
];
pub const COMPARISONS: [BinaryOp; 5] = [BinaryOp::Eq, BinaryOp::LtU, BinaryOp::LtS, BinaryOp::LeU, BinaryOp::LeS];
const FLOAT_OPS: [BinaryOp; 7] = [
    BinaryOp::FAdd,
    BinaryOp::FSub,
    BinaryOp::FMul,
    BinaryOp::FDiv,
    BinaryOp::FMin,
    BinaryOp::FMax,
    BinaryOp::FCopysign,
];
const FLOAT_UNARY: [UnaryOp; 7] =
    [UnaryOp::FAbs, UnaryOp::FNeg, UnaryOp::FCeil, UnaryOp::FFloor, UnaryOp::FTrunc, UnaryOp::FNearest, UnaryOp::FSqrt];
const FLOAT_COMPARISONS: [BinaryOp; 3] = [BinaryOp::FEq, BinaryOp::FLt, BinaryOp::FLe];

/// Makes random terms over some variables.
pub struct Generator {
    pub random: Random,
    /// Width of each variable, by number.
    pub widths: Vec<u32>,
    pub floats: bool,
    /// Widths that intermediate terms may have besides those of the variables.
    pub other_widths: Vec<u32>,
}

impl Generator {
    pub fn variable(&mut self, arena: &mut Arena) -> TermId {
        let number = self.random.below(self.widths.len() as u64) as u32;
        arena.variable(VariableId(number), self.widths[number as usize])
    }

    fn interesting_constant(&mut self, arena: &mut Arena, width: u32) -> TermId {
        let value = match self.random.below(6) {
            0 => 0,
            1 => 1,
            2 => u64::MAX,
            3 => 1 << (width - 1),
            4 => self.random.below(20),
            _ => self.random.next(),
        };
        arena.constant(width, value)
    }

    /// Brings a term to this width by extension, extraction or concatenation.
    fn fit(&mut self, arena: &mut Arena, term: TermId, width: u32) -> TermId {
        let own = arena.width(term);
        if own == width {
            return term;
        }
        if own > width {
            let low = self.random.below((own - width + 1) as u64) as u32;
            return arena.extract(term, low, width);
        }
        match self.random.below(3) {
            0 => arena.unary(UnaryOp::ZeroExtend, width, term),
            1 => arena.unary(UnaryOp::SignExtend, width, term),
            _ => {
                let upper = self.interesting_constant(arena, width - own);
                arena.concat(upper, term)
            }
        }
    }

    pub fn term(&mut self, arena: &mut Arena, width: u32, depth: u32) -> TermId {
        if depth == 0 || self.random.chance(15) {
            if self.random.chance(25) {
                return self.interesting_constant(arena, width);
            }
            let variable = self.variable(arena);
            return self.fit(arena, variable, width);
        }
        match self.random.below(10) {
            0..=5 => {
                let op = self.random.pick(&INTEGER_OPS);
                let (x, y) = (self.term(arena, width, depth - 1), self.term(arena, width, depth - 1));
                arena.binary(op, x, y)
            }
            6 => {
                let op = self.random.pick(&[UnaryOp::Not, UnaryOp::Neg, UnaryOp::Clz, UnaryOp::Ctz, UnaryOp::Popcnt]);
                let x = self.term(arena, width, depth - 1);
                arena.unary(op, width, x)
            }
            7 => {
                let condition = self.condition(arena, depth - 1);
                let (x, y) = (self.term(arena, width, depth - 1), self.term(arena, width, depth - 1));
                arena.if_then_else(condition, x, y)
            }
            8 => {
                let widths: Vec<u32> = self.widths.iter().chain(&self.other_widths).copied().collect();
                let inner = self.random.pick(&widths);
                let x = self.term(arena, inner, depth - 1);
                self.fit(arena, x, width)
            }
            _ if self.floats => {
                let float = self.float(arena, 32, depth - 1);
                let op = self.random.pick(&[UnaryOp::FToS, UnaryOp::FToU]);
                let integer = arena.unary(op, 32, float);
                self.fit(arena, integer, width)
            }
            _ => {
                let low = self.random.below(width as u64) as u32;
                if low == 0 {
                    return self.term(arena, width, depth - 1);
                }
                let (x, y) = (self.term(arena, width - low, depth - 1), self.term(arena, low, depth - 1));
                arena.concat(x, y)
            }
        }
    }

    fn float(&mut self, arena: &mut Arena, width: u32, depth: u32) -> TermId {
        if depth == 0 || self.random.chance(30) {
            return match self.random.below(4) {
                0 => {
                    let x = self.term(arena, width, 0);
                    arena.unary(UnaryOp::FFromS, width, x)
                }
                1 => {
                    let x = self.term(arena, 32, 0);
                    arena.unary(UnaryOp::FFromU, width, x)
                }
                2 => {
                    let values = [0.0f64, -0.0, 1.0, 0.5, -3.25, f64::INFINITY, f64::NAN, 1e-320];
                    let value = self.random.pick(&values);
                    let bits = if width == 32 { (value as f32).to_bits() as u64 } else { value.to_bits() };
                    arena.constant(width, bits)
                }
                _ => self.term(arena, width, 0),
            };
        }
        match self.random.below(6) {
            0 => {
                let op = self.random.pick(&FLOAT_UNARY);
                let x = self.float(arena, width, depth - 1);
                arena.unary(op, width, x)
            }
            1 => {
                let other = 96 - width;
                let x = self.float(arena, other, depth - 1);
                arena.unary(UnaryOp::FConvert, width, x)
            }
            _ => {
                let op = self.random.pick(&FLOAT_OPS);
                let (x, y) = (self.float(arena, width, depth - 1), self.float(arena, width, depth - 1));
                arena.binary(op, x, y)
            }
        }
    }

    pub fn condition(&mut self, arena: &mut Arena, depth: u32) -> TermId {
        let widths: Vec<u32> = self.widths.iter().chain(&self.other_widths).copied().collect();
        let width = self.random.pick(&widths);
        let condition = match self.random.below(12) {
            0 if depth > 0 => {
                let op = self.random.pick(&[BinaryOp::And, BinaryOp::Or, BinaryOp::Xor]);
                let (x, y) = (self.condition(arena, depth - 1), self.condition(arena, depth - 1));
                arena.binary(op, x, y)
            }
            1 | 2 if self.floats => {
                let op = self.random.pick(&FLOAT_COMPARISONS);
                let width = self.random.pick(&[32, 64]);
                let (x, y) = (self.float(arena, width, depth), self.float(arena, width, depth));
                arena.binary(op, x, y)
            }
            3 => {
                let x = self.term(arena, width, depth);
                arena.truth(x)
            }
            // Plain comparisons, as sorting programs make them.
            4..=6 => {
                let op = self.random.pick(&COMPARISONS);
                let x = self.variable(arena);
                let width = arena.width(x);
                let mut y =
                    if self.random.chance(60) { self.variable(arena) } else { self.interesting_constant(arena, width) };
                if self.random.chance(15) {
                    let step = self.interesting_constant(arena, arena_width(arena, y));
                    y = arena.binary(BinaryOp::Add, y, step);
                }
                let width = arena.width(x).max(arena.width(y));
                let (x, y) = (self.extend(arena, x, width), self.extend(arena, y, width));
                arena.binary(op, x, y)
            }
            _ => {
                let op = self.random.pick(&COMPARISONS);
                let (x, y) = (self.term(arena, width, depth), self.term(arena, width, depth));
                arena.binary(op, x, y)
            }
        };
        if self.random.chance(30) { arena.not(condition) } else { condition }
    }

    /// A comparison of floats, or of an integer made from a float.
    pub fn float_condition(&mut self, arena: &mut Arena, depth: u32) -> TermId {
        let width = self.random.pick(&[32, 64]);
        let condition = if self.random.chance(80) {
            let op = self.random.pick(&FLOAT_COMPARISONS);
            let (x, y) = (self.float(arena, width, depth), self.float(arena, width, depth));
            arena.binary(op, x, y)
        } else {
            let x = self.float(arena, width, depth);
            let to = self.random.pick(&[32, 64]);
            let integer = arena.unary(self.random.pick(&[UnaryOp::FToS, UnaryOp::FToU]), to, x);
            let op = self.random.pick(&COMPARISONS);
            let y = self.term(arena, to, 1);
            arena.binary(op, integer, y)
        };
        if self.random.chance(30) { arena.not(condition) } else { condition }
    }

    fn extend(&mut self, arena: &mut Arena, term: TermId, width: u32) -> TermId {
        if arena.width(term) == width {
            return term;
        }
        arena.unary(self.random.pick(&[UnaryOp::ZeroExtend, UnaryOp::SignExtend]), width, term)
    }
}

fn arena_width(arena: &Arena, term: TermId) -> u32 {
    arena.width(term)
}

pub fn satisfies(arena: &Arena, witness: &Witness, conditions: &[TermId]) -> bool {
    let mut evaluator = Evaluator::new(witness.clone());
    conditions.iter().all(|&condition| evaluator.value(arena, condition) == 1)
}

/// A witness found by trying all inputs in order.
pub fn brute_force(arena: &Arena, widths: &[u32], conditions: &[TermId]) -> Option<Witness> {
    let bits: u32 = widths.iter().sum();
    let mut evaluator = Evaluator::new(Witness::default());
    (0..1u64 << bits).find_map(|mut input| {
        let values = widths.iter().map(|&width| {
            let value = input & ((1 << width) - 1);
            input >>= width;
            value
        });
        evaluator.set_witness(Witness::new(values.collect()));
        conditions.iter().all(|&c| evaluator.value(arena, c) == 1).then(|| evaluator.witness().clone())
    })
}
