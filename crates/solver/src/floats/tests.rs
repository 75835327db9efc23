//! Small formats against a reference for every operand, f32 and f64 against the machine's own arithmetic.
//!
//! `PESSIMUM_SCALE` multiplies the number of random operands.

use pessimum_term::ops;
use pessimum_term::random::Random;
use pessimum_term::{BinaryOp, UnaryOp};

use super::*;
use crate::circuits::as_constant;
use crate::gates::Simulation;
use crate::sat::{Found, Limits, Sat};

/// Small enough to try all pairs: with many subnormals, with few, with as short a fraction as there can be, and with
/// subnormals whose root is subnormal.
const SMALL: [Format; 6] = [
    Format { exponent: 3, fraction: 4 },
    Format { exponent: 4, fraction: 3 },
    Format { exponent: 5, fraction: 2 },
    Format { exponent: 3, fraction: 1 },
    Format { exponent: 4, fraction: 1 },
    Format { exponent: 3, fraction: 5 },
];
const HALF: Format = Format { exponent: 5, fraction: 10 };

/// Numbers variables; the simulation needs no clauses.
struct NoSolver(u32);

impl Sat for NoSolver {
    fn variable(&mut self) -> u32 {
        self.0 += 1;
        self.0 - 1
    }
    fn variables(&self) -> u32 {
        self.0
    }
    fn clause(&mut self, _: &[Literal]) {}
    fn solve(&mut self, _: &[Literal], _: &Limits) -> Found {
        unreachable!("nothing is solved")
    }
    fn work(&self) -> u64 {
        0
    }
    fn value(&mut self, _: Literal) -> bool {
        unreachable!("nothing is solved")
    }
}

/// A circuit with free operands.
struct Circuit {
    simulation: Simulation,
    operands: Vec<Bits>,
    result: Bits,
}

type Case = [u64; 2];

impl Circuit {
    fn new(widths: &[usize], build: impl FnOnce(&mut Gates, &[Bits]) -> Bits) -> Circuit {
        let mut gates = Gates::new(Box::new(NoSolver(1)));
        let operands: Vec<Bits> = widths.iter().map(|&width| (0..width).map(|_| gates.fresh()).collect()).collect();
        let result = build(&mut gates, &operands);
        Circuit { simulation: Simulation::new(&gates), operands, result }
    }

    /// The results for up to 64 cases.
    fn results(&mut self, cases: &[Case]) -> Vec<u64> {
        for (number, operand) in self.operands.iter().enumerate() {
            for (at, &bit) in operand.iter().enumerate() {
                let lanes =
                    cases.iter().enumerate().fold(0, |lanes, (lane, case)| lanes | (case[number] >> at & 1) << lane);
                self.simulation.set(bit, lanes);
            }
        }
        self.simulation.run();
        let bits: Vec<u64> = self.result.iter().map(|&bit| self.simulation.get(bit)).collect();
        let value = |lane| bits.iter().enumerate().fold(0, |value, (at, lanes)| value | (lanes >> lane & 1) << at);
        (0..cases.len()).map(value).collect()
    }

    fn compare(&mut self, name: &str, cases: &[Case], reference: impl Fn(Case) -> u64) {
        for block in cases.chunks(64) {
            for (&[x, y], found) in block.iter().zip(self.results(block)) {
                let expected = reference([x, y]);
                assert_eq!(found, expected, "{name} of {x:#x}, {y:#x}: {found:#x} instead of {expected:#x}");
            }
        }
    }
}

/// The number that the bits stand for: exact for every format below f64.
fn decoded(format: Format, bits: u64) -> f64 {
    let sign = if bits >> (format.width() - 1) & 1 == 1 { -1.0 } else { 1.0 };
    let field = bits >> format.fraction & ((1 << format.exponent) - 1);
    let fraction = bits & ((1 << format.fraction) - 1);
    if field == (1 << format.exponent) - 1 {
        return if fraction == 0 { sign * f64::INFINITY } else { f64::NAN };
    }
    sign * finite(format, bits & ((1 << (format.width() - 1)) - 1))
}

/// The number with this magnitude; that of infinity has the value which comes after the largest finite number.
fn finite(format: Format, magnitude: u64) -> f64 {
    let (field, fraction) = (magnitude >> format.fraction, magnitude & ((1 << format.fraction) - 1));
    let significand = if field == 0 { fraction } else { fraction | 1 << format.fraction };
    significand as f64 * 2f64.powi(field.max(1) as i32 - format.bias() as i32 - format.fraction as i32)
}

/// The nearest number of the format, of two equally near ones the even one.
fn encoded(format: Format, number: f64) -> u64 {
    let infinity = ((1u64 << format.exponent) - 1) << format.fraction;
    if number.is_nan() {
        return infinity | 1 << (format.fraction - 1);
    }
    let sign = (number.is_sign_negative() as u64) << (format.width() - 1);
    let number = number.abs();
    // The numbers on both sides of it.
    let (mut low, mut next) = (0, infinity + 1);
    while next - low > 1 {
        let between = (low + next) / 2;
        *(if finite(format, between) > number { &mut next } else { &mut low }) = between;
    }
    if low == infinity {
        return sign | infinity;
    }
    let middle = (finite(format, low) + finite(format, next)) / 2.0;
    let up = number > middle || number == middle && low % 2 == 1;
    sign | if up { next } else { low }
}

fn pairs(format: Format) -> Vec<Case> {
    let count = 1u64 << format.width();
    (0..count * count).map(|pair| [pair / count, pair % count]).collect()
}

fn singles(width: usize) -> Vec<Case> {
    (0..1u64 << width).map(|x| [x, 0]).collect()
}

#[test]
fn every_pair_of_small_numbers() {
    // The results in f64 are exact or, for quotients, so much more precise that rounding them again changes nothing
    // (Figueroa, "When is double rounding innocuous?", 1995).
    type Operator = (&'static str, fn(&mut Floats, &[Literal], &[Literal]) -> Bits, fn(f64, f64) -> f64);
    let operators: [Operator; 4] = [
        ("sum", |floats, x, y| floats.add(x, y), |x, y| x + y),
        ("difference", |floats, x, y| floats.subtract(x, y), |x, y| x - y),
        ("product", |floats, x, y| floats.multiply(x, y), |x, y| x * y),
        ("quotient", |floats, x, y| floats.divide(x, y), |x, y| x / y),
    ];
    for format in SMALL {
        let width = format.width();
        let cases = pairs(format);
        for (name, circuit, exact) in operators {
            let mut circuit =
                Circuit::new(&[width; 2], |gates, xs| circuit(&mut Floats::new(gates, format), &xs[0], &xs[1]));
            circuit.compare(&format!("{format:?} {name}"), &cases, |[x, y]| {
                encoded(format, exact(decoded(format, x), decoded(format, y)))
            });
        }
        type Comparison = (&'static str, fn(&mut Floats, &[Literal], &[Literal]) -> Literal, fn(&f64, &f64) -> bool);
        let comparisons: [Comparison; 2] = [
            ("equality", |floats, x, y| floats.equal(x, y), f64::eq),
            ("order", |floats, x, y| floats.less(x, y), f64::lt),
        ];
        for (name, circuit, holds) in comparisons {
            let mut circuit =
                Circuit::new(&[width; 2], |gates, xs| vec![circuit(&mut Floats::new(gates, format), &xs[0], &xs[1])]);
            circuit.compare(&format!("{format:?} {name}"), &cases, |[x, y]| {
                holds(&decoded(format, x), &decoded(format, y)) as u64
            });
        }
        for (op, largest) in [(BinaryOp::FMin, false), (BinaryOp::FMax, true)] {
            let mut circuit =
                Circuit::new(&[width; 2], |gates, xs| Floats::new(gates, format).extreme(largest, &xs[0], &xs[1]));
            circuit.compare(&format!("{format:?} {op:?}"), &cases, |[x, y]| {
                let [x, y] = [x, y].map(|bits| decoded(format, bits).to_bits());
                encoded(format, f64::from_bits(ops::binary(op, 64, x, y)))
            });
        }
    }
}

#[test]
fn every_small_number() {
    for format in SMALL.into_iter().chain([HALF]) {
        let width = format.width();
        let cases = singles(width);
        let mut root = Circuit::new(&[width], |gates, xs| Floats::new(gates, format).square_root(&xs[0]));
        root.compare(&format!("{format:?} root"), &cases, |[x, _]| encoded(format, decoded(format, x).sqrt()));
        for (op, rounded) in [
            (UnaryOp::FCeil, f64::ceil as fn(f64) -> f64),
            (UnaryOp::FFloor, f64::floor),
            (UnaryOp::FTrunc, f64::trunc),
            (UnaryOp::FNearest, f64::round_ties_even),
        ] {
            let mut circuit =
                Circuit::new(&[width], |gates, xs| Floats::new(gates, format).round_to_integer(op, &xs[0]));
            circuit
                .compare(&format!("{format:?} {op:?}"), &cases, |[x, _]| encoded(format, rounded(decoded(format, x))));
        }
        for to in SMALL.into_iter().chain([HALF]) {
            let mut circuit = Circuit::new(&[width], |gates, xs| Floats::new(gates, format).convert(to, &xs[0]));
            circuit.compare(&format!("{format:?} to {to:?}"), &cases, |[x, _]| encoded(to, decoded(format, x)));
        }
        for integer in [2, 3, 4, 7, 8, 11] {
            for signed in [false, true] {
                let name = format!("{format:?}, integer of {integer} bits, signed {signed}");
                let mut circuit =
                    Circuit::new(&[width], |gates, xs| Floats::new(gates, format).integer_of(signed, integer, &xs[0]));
                circuit.compare(&format!("to {name}"), &cases, |[x, _]| {
                    let number = decoded(format, x);
                    let (low, high) = if signed {
                        (-(1i64 << (integer - 1)), (1i64 << (integer - 1)) - 1)
                    } else {
                        (0, (1i64 << integer) - 1)
                    };
                    (number as i64).clamp(low, high) as u64 & ops::mask(integer as u32)
                });
                let mut circuit =
                    Circuit::new(&[integer], |gates, xs| Floats::new(gates, format).of_integer(signed, &xs[0]));
                circuit.compare(&format!("from {name}"), &singles(integer), |[x, _]| {
                    let number = if signed { ops::signed(integer as u32, x) } else { x as i64 };
                    encoded(format, number as f64)
                });
            }
        }
    }
}

/// Bit patterns at which something changes.
fn edges(format: Format) -> Vec<u64> {
    let Format { fraction, .. } = format;
    let field = |field: u64| field << fraction;
    let bias = format.bias();
    let all = (1u64 << fraction) - 1;
    let highest = (1u64 << format.exponent) - 1;
    let mut list = vec![0, 1, 2, 3, all / 2, all / 2 + 1, all / 2 + 2, all - 1, all, field(1), field(1) + 1, field(2)];
    // Around 1 and its neighbours, halves, and where the units of the fraction are 1.
    for exponent in [bias - 2, bias - 1, bias, bias + 1, bias + 2, bias + 3] {
        list.extend([0, 1, 2, all / 2, all / 2 + 1, all - 1, all].map(|low| field(exponent) | low));
    }
    for distance in [fraction as u64 - 1, fraction as u64, fraction as u64 + 1, fraction as u64 + 2] {
        for low in [0, 1, 2, 3, all / 2 + 1, all] {
            list.extend([field(bias + distance) | low, field(bias - distance) | low, field(distance) | low]);
        }
    }
    // The limits of integers.
    for exponent in [30, 31, 32, 62, 63, 64] {
        list.extend([field(bias + exponent) - 1, field(bias + exponent), field(bias + exponent) + 1]);
    }
    // The root of the largest and of the least number, and the ends of the other format.
    list.extend([field(bias + bias / 2), field(bias - bias / 2), field(bias / 2), field(bias / 2) + all]);
    if format == Format::DOUBLE {
        for exponent in [-151i64, -150, -149, -148, -127, -126, -125, 126, 127, 128] {
            let base = field((bias as i64 + exponent) as u64);
            let single = single_tie();
            list.extend([base, base + 1, base | all, base + single, base + single - 1, base + 3 * single]);
        }
        list.push(field(bias + 127) | (all & !(single_tie() - 1)));
        list.push((field(bias + 127) | (all & !(single_tie() - 1))) - 1);
    }
    list.extend([field(highest - 1), field(highest - 1) | all, field(highest - 1) | (all - 1)]);
    // Infinity, and NaNs with payloads, signalling ones too.
    list.extend([field(highest), field(highest) | 1, field(highest) | (all / 2 + 1), field(highest) | all]);
    let sign = 1 << (format.width() - 1);
    list.extend(list.clone().iter().map(|bits| bits | sign));
    list.sort_unstable();
    list.dedup();
    list
}

/// Half a unit of the fraction of an f32, in one of an f64.
fn single_tie() -> u64 {
    1 << (52 - 24)
}

/// Random operands: any bits, exponents near each other, few ones or zeros at the end (for ties), and small integers.
fn operands(random: &mut Random, format: Format) -> Case {
    let mask = ops::mask(format.width() as u32);
    let all = (1u64 << format.fraction) - 1;
    let mut x = random.bits() & mask;
    let mut y = random.bits() & mask;
    let shape = random.bits();
    let sparse = |bits: u64, shape: u64| match shape % 3 {
        0 => bits,
        1 => bits & !(all >> (shape / 3 % (format.fraction as u64 + 1))),
        _ => bits | all >> (shape / 3 % (format.fraction as u64 + 1)),
    };
    if shape & 1 == 1 {
        x = sparse(x, shape >> 8);
    }
    if shape & 2 == 2 {
        y = sparse(y, shape >> 24);
    }
    match shape >> 2 & 7 {
        // Near each other, so that a sum keeps bits of both.
        0..=2 => {
            let reach = format.fraction as i64 + 4;
            let field = (x >> format.fraction & ((1 << format.exponent) - 1)) as i64;
            let by = (random.bits() % (2 * reach as u64 + 1)) as i64 - reach;
            let field = (field + by).clamp(0, (1 << format.exponent) - 1) as u64;
            y = y & !(mask >> 1 & !all) | field << format.fraction;
        }
        // Products and quotients near 1, near overflow and near underflow.
        3 | 4 => {
            let field = x >> format.fraction & ((1 << format.exponent) - 1);
            let near = [2 * format.bias(), 3 * format.bias(), format.bias()][random.index(3)];
            let field = (near + random.bits() % 60).saturating_sub(field + 30).min((1 << format.exponent) - 1);
            y = y & !(mask >> 1 & !all) | field << format.fraction;
        }
        // Numbers of everyday size.
        5 => {
            for operand in [&mut x, &mut y] {
                let field = format.bias() + random.bits() % 70 - 4;
                *operand = *operand & !(mask >> 1 & !all) | field << format.fraction;
            }
        }
        _ => {}
    }
    [x, y]
}

fn scale() -> usize {
    std::env::var("PESSIMUM_SCALE").map_or(1, |scale| scale.parse().expect("PESSIMUM_SCALE is a number"))
}

/// Edge cases in all pairs, then random operands.
fn against_the_machine(
    name: &str,
    format: Format,
    circuit: &mut Circuit,
    blocks: usize,
    reference: impl Fn(Case) -> u64,
) {
    let edges = edges(format);
    let cases: Vec<Case> = if circuit.operands.len() == 2 {
        edges.iter().flat_map(|&x| edges.iter().map(move |&y| [x, y])).collect()
    } else {
        edges.iter().map(|&x| [x, 0]).collect()
    };
    circuit.compare(name, &cases, &reference);
    let mut random = Random::new(format.width() as u64);
    for _ in 0..blocks * scale() {
        let cases: Vec<Case> = (0..64).map(|_| operands(&mut random, format)).collect();
        circuit.compare(name, &cases, &reference);
    }
    println!(
        "{name}: {} gates, {} pairs of edge cases, {} random",
        circuit.simulation.count(),
        cases.len(),
        blocks * 64
    );
}

#[test]
fn binary_operators_agree_with_the_machine() {
    use BinaryOp::*;
    for op in [FAdd, FSub, FMul, FDiv, FMin, FMax, FCopysign, FEq, FLt, FLe] {
        for width in [32, 64] {
            let mut circuit = Circuit::new(&[width; 2], |gates, xs| crate::blast::binary(gates, op, &xs[0], &xs[1]));
            let name = format!("{op:?} of {width} bits");
            against_the_machine(&name, Format::of_width(width), &mut circuit, 4_000, |[x, y]| {
                ops::binary(op, width as u32, x, y)
            });
        }
    }
}

#[test]
fn unary_operators_agree_with_the_machine() {
    use UnaryOp::*;
    for from in [32, 64] {
        let same = [FAbs, FNeg, FCeil, FFloor, FTrunc, FNearest, FSqrt].map(|op| (op, from));
        let others = [(FConvert, 96 - from), (FToS, 32), (FToS, 64), (FToU, 32), (FToU, 64)];
        for (op, to) in same.into_iter().chain(others) {
            let mut circuit = Circuit::new(&[from], |gates, xs| crate::blast::unary(gates, op, to as u32, &xs[0]));
            let name = format!("{op:?} of {from} bits to {to}");
            against_the_machine(&name, Format::of_width(from), &mut circuit, 4_000, |[x, _]| {
                ops::unary(op, from as u32, to as u32, x)
            });
        }
    }
}

#[test]
fn integers_become_floats_as_the_machine_makes_them() {
    for op in [UnaryOp::FFromS, UnaryOp::FFromU] {
        // Terms may have other widths than the machine.
        for from in [8, 16, 31, 32, 63, 64u32] {
            for to in [32, 64u32] {
                let mut circuit =
                    Circuit::new(&[from as usize], |gates, xs| crate::blast::unary(gates, op, to, &xs[0]));
                let mask = ops::mask(from);
                // Around every power of two, and around the ties that a fraction of the result's width can have.
                let mut cases: Vec<Case> = Vec::new();
                for at in 0..from {
                    let power = 1u64 << at;
                    for tie in
                        [0, power >> 24, power >> 25, power >> 53, power >> 54, 3 * (power >> 24), 3 * (power >> 53)]
                    {
                        for value in [power + tie, (power + tie).wrapping_sub(1), (power + tie).wrapping_add(1)] {
                            cases.extend([[value & mask, 0], [value.wrapping_neg() & mask, 0]]);
                        }
                    }
                }
                let mut random = Random::new(from as u64);
                for _ in 0..100_000 * scale() {
                    let shift = random.bits() % from as u64;
                    cases.push([(random.bits() & mask) >> shift, 0]);
                }
                let name = format!("{op:?} of {from} bits to {to}");
                circuit.compare(&name, &cases, |[x, _]| ops::unary(op, from, to, x));
            }
        }
    }
}

/// Constants make a circuit of constants; this is another way through the same code than free operands.
#[test]
fn constants_fold() {
    use BinaryOp::*;
    let mut random = Random::new(7);
    for width in [32, 64] {
        let format = Format::of_width(width);
        for _ in 0..1_000 * scale() {
            let [x, y] = operands(&mut random, format);
            for op in [FAdd, FSub, FMul, FDiv] {
                let mut gates = Gates::new(Box::new(NoSolver(1)));
                let [a, b] = [x, y].map(|value| constant(width as u32, value));
                let found = as_constant(&crate::blast::binary(&mut gates, op, &a, &b));
                assert_eq!(found, Some(ops::binary(op, width as u32, x, y)), "{op:?} of {x:#x}, {y:#x}");
            }
            // One constant operand: most of the circuit folds.
            for op in [FAdd, FMul, FDiv] {
                let mut circuit = Circuit::new(&[width], |gates, xs| {
                    crate::blast::binary(gates, op, &xs[0], &constant(width as u32, y))
                });
                circuit.compare("one constant", &[[x, 0]], |[x, _]| ops::binary(op, width as u32, x, y));
            }
        }
    }
}
