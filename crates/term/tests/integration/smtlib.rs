//! Evaluation and SMT-LIB text mean the same, according to Z3.
//!
//! Skipped, with a notice, where `z3` is not installed; with PESSIMUM_REQUIRE_TOOLS=1 that is a failure.

use std::io::Write as _;
use std::process::{Command, Stdio};

use pessimum_term::{Arena, BinaryOp, Evaluator, TermId, UnaryOp, smtlib};

fn inputs(width: u32) -> Vec<u64> {
    let mut chosen = match width {
        32 => [0.0f32, -0.0, 1.0, -1.5, 0.5, 2.5, 1e-40, 3e9, -3e9, 1e30, f32::INFINITY, f32::NAN, f32::MIN]
            .map(|float| float.to_bits() as u64)
            .to_vec(),
        64 => [0.0f64, -0.0, 1.0, -1.5, 0.5, 2.5, 5e-324, 3e9, -9.3e18, 1e300, f64::INFINITY, f64::NAN, f64::MAX]
            .map(f64::to_bits)
            .to_vec(),
        _ => vec![],
    };
    let all = u64::MAX >> (64 - width);
    chosen.extend([0, 1, 2, 3, 31, all / 3, all >> 1, (all >> 1) + 1, all - 1, all].map(|value| value & all));
    chosen
}

/// The operator on constants must have the values that evaluation gives it: Z3 finds those possible and no others.
fn check(make: &dyn Fn(&mut Arena, TermId, TermId) -> TermId, width: u32) {
    if Command::new("z3").arg("--version").output().is_err() {
        assert!(std::env::var_os("PESSIMUM_REQUIRE_TOOLS").is_none(), "z3 is not installed");
        println!("z3 is not installed: nothing was compared");
        return;
    }
    let mut arena = Arena::without_rewriting();
    let mut all_right = Vec::new();
    let mut one_wrong = arena.constant(1, 0);
    let all = inputs(width);
    for (number, &a) in all.iter().enumerate() {
        for b in [all[(number * 7 + 3) % all.len()], a, all[(number + 1) % all.len()]] {
            let (x, y) = (arena.constant(width, a), arena.constant(width, b));
            let term = make(&mut arena, x, y);
            let value = Evaluator::default().value(&arena, term);
            let value = arena.constant(arena.width(term), value);
            let right = arena.binary(BinaryOp::Eq, term, value);
            all_right.push(right);
            let wrong = arena.not(right);
            one_wrong = arena.binary(BinaryOp::Or, one_wrong, wrong);
        }
    }
    let text = format!("{}(reset)\n{}", smtlib::script(&arena, &all_right), smtlib::script(&arena, &[one_wrong]));
    let mut z3 = Command::new("z3")
        .args(["-in", "-smt2"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("z3 is installed");
    // Z3 writes so little while it reads that its output fits into the pipe.
    z3.stdin.take().expect("stdin is piped").write_all(text.as_bytes()).expect("z3 reads");
    let output = z3.wait_with_output().expect("z3 ends");
    let output = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output, "sat\nunsat\n", "{text}");
}

#[test]
fn binary_operators() {
    use BinaryOp::*;
    for op in [Add, Sub, Mul, DivU, DivS, RemU, RemS, And, Or, Xor, Shl, ShrU, ShrS, Rotl, Rotr, Eq, LtU, LtS, LeU, LeS]
    {
        for width in [1, 5, 8, 32, 64] {
            check(&|arena, x, y| arena.binary(op, x, y), width);
        }
    }
    for op in [FAdd, FSub, FMul, FDiv, FMin, FMax, FCopysign, FEq, FLt, FLe] {
        for width in [32, 64] {
            check(&|arena, x, y| arena.binary(op, x, y), width);
        }
    }
}

#[test]
fn unary_operators() {
    use UnaryOp::*;
    for op in [Not, Neg, Clz, Ctz, Popcnt] {
        for width in [1, 5, 8, 32, 64] {
            check(&|arena, x, _| arena.unary(op, width, x), width);
        }
    }
    for op in [ZeroExtend, SignExtend] {
        check(&|arena, x, _| arena.unary(op, 32, x), 8);
    }
    for width in [32, 64] {
        for op in [FAbs, FNeg, FCeil, FFloor, FTrunc, FNearest, FSqrt] {
            check(&|arena, x, _| arena.unary(op, width, x), width);
        }
        check(&|arena, x, _| arena.unary(FConvert, 96 - width, x), width);
        for op in [FFromS, FFromU, FToS, FToU] {
            for to in [32, 64] {
                check(&|arena, x, _| arena.unary(op, to, x), width);
            }
        }
    }
}

#[test]
fn structure() {
    check(&|arena, x, y| arena.concat(x, y), 8);
    check(&|arena, x, _| arena.extract(x, 3, 7), 32);
    let choice = |arena: &mut Arena, x, y| {
        let less = arena.binary(BinaryOp::LtU, x, y);
        arena.if_then_else(less, x, y)
    };
    check(&choice, 8);
}
