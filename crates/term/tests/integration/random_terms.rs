//! A term made with rewriting has the value of the same term made without, for every input.

use pessimum_term::random::Random;
use pessimum_term::{Arena, BinaryOp, Evaluator, TermId, UnaryOp, VariableId, Witness};

/// Small numbers, numbers near the ends of the width, powers of two, masks, and arbitrary ones.
fn value(random: &mut Random, width: u32) -> u64 {
    let any = random.bits();
    let value = match random.below(6) {
        0 => random.below(4),
        1 => random.below(4).wrapping_neg(),
        2 => 1 << random.below(width as u64),
        3 => (1 << random.below(width as u64)) - 1,
        4 => (1u64 << (width - 1)).wrapping_add(random.below(3)).wrapping_sub(1),
        _ => any,
    };
    value & (u64::MAX >> (64 - width))
}

const INTEGER_UNARY: [UnaryOp; 5] = [UnaryOp::Not, UnaryOp::Neg, UnaryOp::Clz, UnaryOp::Ctz, UnaryOp::Popcnt];

const INTEGER_BINARY: [BinaryOp; 20] = {
    use BinaryOp::*;
    [Add, Sub, Mul, DivU, DivS, RemU, RemS, And, Or, Xor, Shl, ShrU, ShrS, Rotl, Rotr, Eq, LtU, LtS, LeU, LeS]
};

const FLOAT_UNARY: [UnaryOp; 7] = {
    use UnaryOp::*;
    [FAbs, FNeg, FCeil, FFloor, FTrunc, FNearest, FSqrt]
};

const FLOAT_CONVERSIONS: [UnaryOp; 4] = [UnaryOp::FFromS, UnaryOp::FFromU, UnaryOp::FToS, UnaryOp::FToU];

const FLOAT_BINARY: [BinaryOp; 10] = {
    use BinaryOp::*;
    [FAdd, FSub, FMul, FDiv, FMin, FMax, FCopysign, FEq, FLt, FLe]
};

/// One term twice: as asked for, and rewritten.
type Pair = (TermId, TermId);

struct Terms {
    plain: Arena,
    rewritten: Arena,
    all: Vec<Pair>,
}

impl Terms {
    fn add(&mut self, make: impl Fn(&mut Arena, &dyn Fn(Pair) -> TermId) -> TermId) {
        let pair = (make(&mut self.plain, &|pair| pair.0), make(&mut self.rewritten, &|pair| pair.1));
        assert_eq!(self.plain.width(pair.0), self.rewritten.width(pair.1));
        self.all.push(pair);
    }

    fn width(&self, pair: Pair) -> u32 {
        self.plain.width(pair.0)
    }

    /// Some term of the width, often a recent one; made by extension or extraction if there is none.
    fn of_width(&mut self, random: &mut Random, width: u32) -> Pair {
        for _ in 0..8 {
            let recent = if random.below(2) == 0 { 6.min(self.all.len() as u64) } else { self.all.len() as u64 };
            let pair = self.all[self.all.len() - 1 - random.below(recent) as usize];
            if self.width(pair) == width {
                return pair;
            }
        }
        if random.below(3) == 0 {
            let value = value(random, width);
            self.add(|arena, _| arena.constant(width, value));
        } else {
            let pair = random.pick(&self.all);
            self.resize(random, pair, width);
        }
        self.all[self.all.len() - 1]
    }

    fn resize(&mut self, random: &mut Random, pair: Pair, width: u32) {
        let from = self.width(pair);
        if width >= from {
            let op = random.pick(&[UnaryOp::ZeroExtend, UnaryOp::SignExtend]);
            self.add(|arena, of| arena.unary(op, width, of(pair)));
        } else {
            let low = random.below((from - width) as u64 + 1) as u32;
            self.add(|arena, of| arena.extract(of(pair), low, width));
        }
    }

    fn step(&mut self, random: &mut Random, widths: &[u32], floats: bool) {
        let width = random.pick(widths);
        let x = self.of_width(random, width);
        match random.below(if floats { 14 } else { 11 }) {
            0 => {
                let op = random.pick(&INTEGER_UNARY);
                self.add(|arena, of| arena.unary(op, width, of(x)));
            }
            1..=5 => {
                let (op, y) = (random.pick(&INTEGER_BINARY), self.of_width(random, width));
                self.add(|arena, of| arena.binary(op, of(x), of(y)));
            }
            6 => {
                let y = random.pick(&self.all);
                if self.width(y) + width <= 64 {
                    self.add(|arena, of| arena.concat(of(x), of(y)));
                }
            }
            7 => {
                let to_width = random.pick(widths);
                self.resize(random, x, to_width);
            }
            8 => {
                let (condition, y) = (self.of_width(random, 1), self.of_width(random, width));
                self.add(|arena, of| arena.if_then_else(of(condition), of(x), of(y)));
            }
            9 => self.add(|arena, of| arena.truth(of(x))),
            10 => {
                let bit = self.of_width(random, 1);
                self.add(|arena, of| arena.not(of(bit)));
            }
            11 => {
                let to_width = random.pick(&[32, 64]);
                let (op, from) = (random.pick(&FLOAT_CONVERSIONS), random.pick(&[32, 64]));
                let x = self.of_width(random, from);
                self.add(|arena, of| arena.unary(op, to_width, of(x)));
            }
            12 => {
                let from = random.pick(&[32, 64]);
                let x = self.of_width(random, from);
                match random.below(8) {
                    0 => self.add(|arena, of| arena.unary(UnaryOp::FConvert, 96 - from, of(x))),
                    choice => {
                        let op = FLOAT_UNARY[choice as usize - 1];
                        self.add(|arena, of| arena.unary(op, from, of(x)));
                    }
                }
            }
            _ => {
                let (op, from) = (random.pick(&FLOAT_BINARY), random.pick(&[32, 64]));
                let (x, y) = (self.of_width(random, from), self.of_width(random, from));
                self.add(|arena, of| arena.binary(op, of(x), of(y)));
            }
        }
    }
}

fn check(seed: u64, variables: &[u32], widths: &[u32], steps: u32, floats: bool) {
    let mut random = Random::new(seed);
    let mut terms = Terms { plain: Arena::without_rewriting(), rewritten: Arena::new(), all: Vec::new() };
    for (number, &width) in variables.iter().enumerate() {
        terms.add(|arena, _| arena.variable(VariableId(number as u32), width));
    }
    for _ in 0..steps {
        terms.step(&mut random, widths, floats);
    }
    let bits: u32 = variables.iter().sum();
    let inputs = if bits <= 16 { 1u64 << bits } else { 60 };
    let (mut plain, mut rewritten) = (Evaluator::default(), Evaluator::default());
    for input in 0..inputs {
        let mut rest = input;
        let values: Vec<u64> = variables
            .iter()
            .map(|&width| {
                if bits > 16 {
                    return value(&mut random, width);
                }
                let value = rest & ((1 << width) - 1);
                rest >>= width;
                value
            })
            .collect();
        plain.set_witness(Witness::new(values.clone()));
        rewritten.set_witness(Witness::new(values.clone()));
        for &(x, y) in &terms.all {
            let (expected, found) = (plain.value(&terms.plain, x), rewritten.value(&terms.rewritten, y));
            assert_eq!(
                expected,
                found,
                "seed {seed}, input {values:?}:\n{}\n{}",
                terms.plain.display(x),
                terms.rewritten.display(y)
            );
        }
    }
}

#[test]
fn narrow_terms_on_all_inputs() {
    for seed in 0..6000 {
        check(seed, &[3, 2, 1], &[1, 2, 3, 4, 5], 30, false);
    }
    for seed in 0..3000 {
        check(seed, &[4, 4], &[1, 2, 4, 8], 30, false);
    }
}

#[test]
fn sixteen_bits_on_all_inputs() {
    for seed in 0..20 {
        check(seed, &[8, 8], &[1, 8, 16, 32], 30, false);
        check(seed, &[7, 3, 6], &[1, 3, 6, 7, 13, 64], 30, false);
        check(seed, &[16], &[1, 8, 16, 32, 64], 30, false);
    }
}

#[test]
fn wide_terms_on_chosen_inputs() {
    for seed in 0..4000 {
        check(seed, &[32, 8, 64], &[1, 8, 16, 32, 64], 40, true);
        check(seed, &[64, 33, 5], &[1, 5, 7, 31, 33, 57, 64], 40, false);
    }
}
