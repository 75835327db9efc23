//! What compiled programs do with their input must look simple to the solver.

use pessimum_term::{Arena, BinaryOp, TermId, UnaryOp, VariableId};

fn values(arena: &mut Arena, width: u32) -> Vec<TermId> {
    let x = arena.variable(VariableId(0), width);
    let byte = arena.variable(VariableId(1), 8);
    let half = arena.variable(VariableId(2), width / 2);
    let bit = arena.variable(VariableId(3), 1);
    let wide_byte = arena.unary(UnaryOp::ZeroExtend, width, byte);
    let five = arena.constant(width, 5);
    let pattern = arena.constant(width, 0x0100_0100_0000_0001);
    let signed_byte = arena.unary(UnaryOp::SignExtend, width, byte);
    let signed_bit = arena.unary(UnaryOp::SignExtend, width, bit);
    vec![
        x,
        wide_byte,
        signed_byte,
        signed_bit,
        arena.unary(UnaryOp::ZeroExtend, width, half),
        arena.unary(UnaryOp::SignExtend, width, half),
        arena.binary(BinaryOp::Add, wide_byte, five),
        arena.binary(BinaryOp::Sub, signed_byte, five),
        arena.binary(BinaryOp::Mul, x, five),
        arena.binary(BinaryOp::Xor, wide_byte, signed_byte),
        arena.unary(UnaryOp::Not, width, wide_byte),
        arena.concat(half, half),
        arena.if_then_else(bit, five, pattern),
        arena.if_then_else(bit, x, five),
        arena.unary(UnaryOp::FSqrt, width, x),
    ]
}

#[test]
fn a_value_stored_and_loaded_bytewise_is_the_value() {
    for width in [32, 64] {
        let mut arena = Arena::new();
        for value in values(&mut arena, width) {
            let bytes: Vec<TermId> = (0..width / 8).map(|i| arena.extract(value, i * 8, 8)).collect();
            let upwards = bytes[1..].iter().fold(bytes[0], |low, &high| arena.concat(high, low));
            assert_eq!(upwards, value, "{} became {}", arena.display(value), arena.display(upwards));
            let (top, rest) = bytes.split_last().expect("there are bytes");
            let downwards = rest.iter().rev().fold(*top, |high, &low| arena.concat(high, low));
            assert_eq!(downwards, value, "{} became {}", arena.display(value), arena.display(downwards));
            // In two halves, as a 64-bit load of two 32-bit stores does it.
            let (low, high) = (arena.extract(value, 0, width / 2), arena.extract(value, width / 2, width / 2));
            let halves = arena.concat(high, low);
            assert_eq!(halves, value, "{} became {}", arena.display(value), arena.display(halves));
        }
    }
}

#[test]
fn bytes_put_together_with_shifts_are_the_value() {
    for op in [BinaryOp::Or, BinaryOp::Add, BinaryOp::Xor] {
        let mut arena = Arena::new();
        let x = arena.variable(VariableId(0), 32);
        let mask = arena.constant(32, 0xff);
        let mut whole = arena.constant(32, 0);
        for i in 0..4 {
            let count = arena.constant(32, i * 8);
            let down = arena.binary(BinaryOp::ShrU, x, count);
            let byte = arena.binary(BinaryOp::And, down, mask);
            let up = arena.binary(BinaryOp::Shl, byte, count);
            whole = arena.binary(op, whole, up);
        }
        assert_eq!(whole, x, "{}", arena.display(whole));
    }
}

/// Prints the condition that a program's branch tests.
fn condition(make: impl Fn(&mut Arena, TermId, TermId) -> TermId, width: u32) -> String {
    let mut arena = Arena::new();
    let (x, y) = (arena.variable(VariableId(0), width), arena.variable(VariableId(1), width));
    let value = make(&mut arena, x, y);
    let truth = arena.truth(value);
    arena.display(truth).to_string()
}

#[test]
fn tests_of_bytes_are_about_the_byte() {
    let digit = |arena: &mut Arena, x: TermId, _: TermId| {
        let wide = arena.unary(UnaryOp::ZeroExtend, 32, x);
        let zero = arena.constant(32, 48);
        let offset = arena.binary(BinaryOp::Sub, wide, zero);
        let ten = arena.constant(32, 10);
        let is_digit = arena.binary(BinaryOp::LtU, offset, ten);
        arena.unary(UnaryOp::ZeroExtend, 32, is_digit)
    };
    assert_eq!(condition(digit, 8), "((0x2f <u v0) & (v0 <u 0x3a))");
    let masked_digit = |arena: &mut Arena, x: TermId, _: TermId| {
        let wide = arena.unary(UnaryOp::ZeroExtend, 32, x);
        let offset = arena.constant(32, -48i64 as u64);
        let sum = arena.binary(BinaryOp::Add, wide, offset);
        let mask = arena.constant(32, 255);
        let byte = arena.binary(BinaryOp::And, sum, mask);
        let ten = arena.constant(32, 10);
        arena.binary(BinaryOp::LtU, byte, ten)
    };
    assert_eq!(condition(masked_digit, 8), "((0x2f <u v0) & (v0 <u 0x3a))");
    let newline = |arena: &mut Arena, x: TermId, _: TermId| {
        let wide = arena.unary(UnaryOp::SignExtend, 32, x);
        let ten = arena.constant(32, 10);
        let different = arena.binary(BinaryOp::Xor, wide, ten);
        let zero = arena.constant(32, 0);
        let equal = arena.binary(BinaryOp::Eq, different, zero);
        let number = arena.unary(UnaryOp::ZeroExtend, 32, equal);
        arena.binary(BinaryOp::Eq, number, zero)
    };
    assert_eq!(condition(newline, 8), "not((v0 == 0xa))");
}

#[test]
fn comparison_functions_are_comparisons() {
    // `(x > y) - (x < y)`, then a test of its sign.
    let three_way = |arena: &mut Arena, x: TermId, y: TermId| {
        let (greater, less) = (arena.binary(BinaryOp::LtS, y, x), arena.binary(BinaryOp::LtS, x, y));
        let (greater, less) =
            (arena.unary(UnaryOp::ZeroExtend, 32, greater), arena.unary(UnaryOp::ZeroExtend, 32, less));
        arena.binary(BinaryOp::Sub, greater, less)
    };
    let chosen = |arena: &mut Arena, x: TermId, y: TermId| {
        let (greater, less) = (arena.binary(BinaryOp::LtS, y, x), arena.binary(BinaryOp::LtS, x, y));
        let minus_one = arena.constant(32, u64::MAX);
        let number = arena.unary(UnaryOp::ZeroExtend, 32, greater);
        arena.if_then_else(less, minus_one, number)
    };
    let sign_tests = [
        (BinaryOp::LtS, false, "(v0 <s v1)"),
        (BinaryOp::LeS, false, "(v0 <=s v1)"),
        (BinaryOp::LtS, true, "(v1 <s v0)"),
        (BinaryOp::LeS, true, "(v1 <=s v0)"),
        (BinaryOp::Eq, false, "(v0 == v1)"),
    ];
    for compare in [&three_way as &dyn Fn(&mut Arena, TermId, TermId) -> TermId, &chosen] {
        for (op, zero_first, expected) in sign_tests {
            let test = |arena: &mut Arena, x, y| {
                let (value, zero) = (compare(arena, x, y), arena.constant(32, 0));
                if zero_first { arena.binary(op, zero, value) } else { arena.binary(op, value, zero) }
            };
            assert_eq!(condition(test, 32), expected);
        }
    }
}
