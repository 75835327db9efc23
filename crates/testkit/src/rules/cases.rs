//! The list of all rules with their expressions.

use super::{Case, Expression, Operands};
use pessimum_term::BinaryOp::{self, *};
use pessimum_term::UnaryOp::{self, *};

// Expressions in a notation short enough that a case is a line or two.

fn un(op: UnaryOp, x: Expression) -> Expression {
    Expression::Unary(op, x.width(), x.into())
}

fn bin(op: BinaryOp, x: Expression, y: Expression) -> Expression {
    Expression::Binary(op, x.into(), y.into())
}

fn zext(width: u32, x: Expression) -> Expression {
    Expression::Unary(ZeroExtend, width, x.into())
}

fn sext(width: u32, x: Expression) -> Expression {
    Expression::Unary(SignExtend, width, x.into())
}

fn cut(of: Expression, low: u32, width: u32) -> Expression {
    Expression::Extract { of: of.into(), low, width }
}

fn cat(high: Expression, low: Expression) -> Expression {
    Expression::Concat(high.into(), low.into())
}

fn ite(condition: Expression, then: Expression, otherwise: Expression) -> Expression {
    Expression::IfThenElse(condition.into(), then.into(), otherwise.into())
}

fn konst(width: u32, value: u64) -> Expression {
    Expression::Constant { width, value }
}

fn variable(number: u32, width: u32) -> Expression {
    Expression::Variable { number, width }
}

impl Operands {
    fn x(&self) -> Expression {
        variable(0, self.width)
    }
    fn y(&self) -> Expression {
        variable(1, self.width)
    }
    fn z(&self) -> Expression {
        variable(2, self.width)
    }
    /// One bit.
    fn p(&self) -> Expression {
        variable(3, 1)
    }
    /// One bit.
    fn q(&self) -> Expression {
        variable(4, 1)
    }
    /// Half the width, rounded down.
    fn half(&self) -> u32 {
        self.width / 2
    }
    /// Half the width.
    fn n(&self) -> Expression {
        variable(5, self.half())
    }
    /// Half the width.
    fn m(&self) -> Expression {
        variable(6, self.half())
    }
    /// The other half of the width.
    fn upper(&self) -> Expression {
        variable(7, self.width - self.half())
    }
    /// A quarter of the width, at least 1.
    fn quarter(&self) -> u32 {
        (self.width / 4).max(1)
    }
    /// A quarter of the width.
    fn r(&self) -> Expression {
        variable(8, self.quarter())
    }
    /// A quarter of the width.
    fn s(&self) -> Expression {
        variable(9, self.quarter())
    }
    /// A quarter of the width.
    fn t(&self) -> Expression {
        variable(10, self.quarter())
    }
    fn k(&self, value: u64) -> Expression {
        konst(self.width, value)
    }
    /// The width of lanes of which the width has at least three, or 0.
    fn lane(&self) -> u32 {
        match self.width {
            6 | 8 => 2,
            9 => 3,
            32 | 64 => 8,
            _ => 0,
        }
    }
    /// 1 in every lane.
    fn lane_ones(&self) -> u64 {
        (0..self.width / self.lane()).fold(0, |ones, number| ones | 1 << (number * self.lane()))
    }
    /// The top bit of every lane.
    fn lane_tops(&self) -> u64 {
        self.lane_ones() << (self.lane() - 1)
    }
    /// `x` with the lowest bit of every lane flipped.
    fn lane_flipped(&self) -> Expression {
        bin(Xor, self.x(), self.k(self.lane_ones()))
    }
    /// `x - 1` in every lane, with borrows.
    fn lane_less(&self, x: Expression) -> Expression {
        bin(Sub, x, self.k(self.lane_ones()))
    }
    /// `-x` in every lane, with borrows.
    fn lane_minus(&self, x: Expression) -> Expression {
        bin(Sub, self.k(self.lane_ones() - 1), x)
    }
    fn at_tops(&self, x: Expression) -> Expression {
        bin(And, x, self.k(self.lane_tops()))
    }
    fn c(&self) -> Expression {
        self.k(self.c)
    }
    fn d(&self) -> Expression {
        self.k(self.d)
    }
    fn ones(&self) -> Expression {
        self.k(u64::MAX)
    }
    fn top(&self) -> Expression {
        self.k(1 << (self.width - 1))
    }
    /// Ones in the lower half.
    fn low_ones(&self) -> Expression {
        self.k((1 << self.half()) - 1)
    }
    fn z_n(&self) -> Expression {
        zext(self.width, self.n())
    }
    fn z_m(&self) -> Expression {
        zext(self.width, self.m())
    }
    fn s_n(&self) -> Expression {
        sext(self.width, self.n())
    }
    fn s_m(&self) -> Expression {
        sext(self.width, self.m())
    }
    fn z_p(&self) -> Expression {
        zext(self.width, self.p())
    }
    fn z_q(&self) -> Expression {
        zext(self.width, self.q())
    }
    /// `y` modulo a fraction of the width.
    fn masked_count(&self, part: u64) -> Expression {
        bin(RemU, self.y(), self.k(self.width as u64 / part))
    }
    /// `upper` above zeros.
    fn shifted(&self) -> Expression {
        cat(self.upper(), konst(self.half(), 0))
    }
}

macro_rules! cases {
    ($($name:ident: $o:ident => [$($yes:expr),* $(,)?], [$($no:expr),* $(,)?] $(, if $when:expr)?;)*) => {
        /// All rules, by family.
        pub fn all() -> Vec<Case> {
            vec![$(Case {
                name: stringify!($name),
                applies: |$o| if true $(&& $when)? { vec![$($yes),*] } else { vec![] },
                does_not_apply: |$o| if true $(&& $when)? { vec![$($no),*] } else { vec![] },
            }),*]
        }
    };
}

cases! {
    // One bit.
    one_bit_unary_operator: o => [un(Neg, o.p()), un(Popcnt, o.p()), un(Clz, o.p()), un(Ctz, o.p())],
        [un(Not, o.p()), un(Neg, o.x())];
    one_bit_operator: o => [
        bin(Add, o.p(), o.q()), bin(Sub, o.p(), o.q()), bin(Mul, o.p(), o.q()), bin(Eq, o.p(), o.q()),
        bin(DivU, o.p(), o.q()), bin(DivS, o.p(), o.q()), bin(RemU, o.p(), o.q()), bin(RemS, o.p(), o.q()),
        bin(Shl, o.p(), o.q()), bin(ShrU, o.p(), o.q()), bin(ShrS, o.p(), o.q()), bin(Rotl, o.p(), o.q()),
        bin(Rotr, o.p(), o.q()), bin(LtU, o.p(), o.q()), bin(LtS, o.p(), o.q()), bin(LeU, o.p(), o.q()),
        bin(LeS, o.p(), o.q()), bin(Eq, o.p(), konst(1, 0)), bin(Eq, o.p(), konst(1, 1)),
    ], [bin(And, o.p(), o.q()), bin(Add, o.x(), o.y())];
    // Not.
    not_not: o => [un(Not, un(Not, o.x())), un(Not, un(Not, o.p()))], [un(Not, un(Neg, o.x()))];
    not_order: o => [
        un(Not, bin(LtU, o.x(), o.y())), un(Not, bin(LtS, o.x(), o.y())), un(Not, bin(LeU, o.x(), o.y())),
        un(Not, bin(LeS, o.x(), o.y())),
    ], [un(Not, bin(Eq, o.x(), o.y()))];
    // And.
    and_zero: o => [bin(And, o.x(), o.k(0)), bin(And, o.p(), konst(1, 0))], [bin(And, o.x(), o.k(1))];
    and_ones: o => [bin(And, o.x(), o.ones()), bin(And, o.p(), konst(1, 1))], [bin(And, o.x(), o.k(1))];
    and_same: o => [bin(And, o.x(), o.x()), bin(And, o.p(), o.p())], [bin(And, o.x(), o.y())];
    and_complement: o => [
        bin(And, o.x(), un(Not, o.x())), bin(And, bin(LtU, o.x(), o.y()), bin(LeU, o.y(), o.x())),
        bin(And, bin(LtS, o.x(), o.c()), bin(LeS, o.c(), o.x())),
    ], [bin(And, o.x(), un(Not, o.y())), bin(And, bin(LtU, o.x(), o.y()), bin(LeS, o.y(), o.x()))];
    // Masks with few runs of ones become parts before they meet, so the constants need several runs.
    and_constants: o => [bin(And, bin(And, o.x(), o.k(0x5555_5555_5555_5555)), o.c())],
        [bin(And, bin(And, o.x(), o.y()), o.c())], if o.width >= 5;
    and_absorb: o => [
        bin(And, o.x(), bin(And, o.x(), o.y())), bin(And, bin(Or, o.x(), o.y()), o.x()),
        bin(And, o.p(), bin(Or, o.q(), o.p())),
    ], [bin(And, o.x(), bin(Xor, o.x(), o.y()))];
    and_implied: o => [
        bin(And, o.x(), un(Not, bin(And, un(Not, o.x()), o.y()))),
        bin(And, bin(LtU, o.x(), o.y()), un(Not, bin(And, o.p(), bin(LeU, o.y(), o.x())))),
    ], [bin(And, o.x(), un(Not, bin(And, o.x(), o.y())))];
    and_relations: o => [
        bin(And, bin(LtU, o.x(), o.y()), bin(LeU, o.x(), o.y())),
        bin(And, bin(LeS, o.x(), o.y()), bin(LeS, o.y(), o.x())),
        bin(And, bin(LeU, o.x(), o.y()), un(Not, bin(Eq, o.x(), o.y()))),
        bin(And, bin(LeS, o.y(), o.x()), bin(Eq, o.x(), o.y())),
        bin(And, bin(LtS, o.x(), o.y()), bin(LtS, o.y(), o.x())),
    ], [bin(And, bin(LtU, o.x(), o.y()), bin(LtS, o.x(), o.y())), bin(And, bin(LtU, o.x(), o.y()), bin(LtU, o.x(), o.z()))];
    and_zero_extended: o => [bin(And, o.z_n(), o.y()), bin(And, o.y(), o.z_n()), bin(And, o.z_n(), zext(o.width, o.r()))],
        [bin(And, o.s_n(), o.y())];
    bitwise_extended_and: o => [bin(And, o.s_n(), o.s_m())], [bin(And, o.s_n(), o.x()), bin(And, o.z_n(), o.s_m())];
    and_by_parts: o => [
        bin(And, o.x(), o.low_ones()), bin(And, o.x(), o.k(!((1 << o.half()) - 1))), bin(And, o.shifted(), o.low_ones()),
        bin(And, o.x(), o.k(6)),
    ], [bin(And, o.x(), o.y()), bin(And, o.shifted(), o.y())], if o.width >= 3;
    // Or.
    or_zero: o => [bin(Or, o.x(), o.k(0)), bin(Or, o.p(), konst(1, 0))], [bin(Or, o.x(), o.k(1))];
    or_ones: o => [bin(Or, o.x(), o.ones()), bin(Or, o.p(), konst(1, 1))], [bin(Or, o.x(), o.k(1))];
    or_same: o => [bin(Or, o.x(), o.x()), bin(Or, o.p(), o.p())], [bin(Or, o.x(), o.y())];
    or_complement: o => [
        bin(Or, o.x(), un(Not, o.x())), bin(Or, bin(LtS, o.x(), o.y()), bin(LeS, o.y(), o.x())),
        bin(Or, bin(LtU, o.x(), o.c()), bin(LeU, o.c(), o.x())),
    ], [bin(Or, o.x(), un(Not, o.y())), bin(Or, bin(LtU, o.x(), o.y()), bin(LtU, o.y(), o.x()))];
    or_constants: o => [bin(Or, bin(Or, o.x(), o.k(0x5555_5555_5555_5555)), o.c())],
        [bin(Or, bin(Or, o.x(), o.y()), o.c())], if o.width >= 5;
    or_absorb: o => [
        bin(Or, o.x(), bin(Or, o.x(), o.y())), bin(Or, bin(And, o.x(), o.y()), o.x()),
        bin(Or, o.p(), bin(And, o.q(), o.p())),
    ], [bin(Or, o.x(), bin(Xor, o.x(), o.y()))];
    or_implied: o => [
        bin(Or, o.x(), un(Not, bin(Or, un(Not, o.x()), o.y()))),
        bin(Or, bin(LtU, o.x(), o.y()), un(Not, bin(Or, o.p(), bin(LeU, o.y(), o.x())))),
    ], [bin(Or, o.x(), un(Not, bin(Or, o.x(), o.y())))];
    or_relations: o => [
        bin(Or, bin(LtU, o.x(), o.y()), bin(Eq, o.x(), o.y())),
        bin(Or, bin(LtS, o.x(), o.y()), bin(LtS, o.y(), o.x())),
        bin(Or, bin(LeU, o.x(), o.y()), bin(LeU, o.y(), o.x())),
        bin(Or, bin(LeS, o.x(), o.y()), bin(LtS, o.x(), o.y())),
        bin(Or, bin(LtU, o.y(), o.x()), un(Not, bin(Eq, o.x(), o.y()))),
    ], [bin(Or, bin(LtU, o.x(), o.y()), bin(LtS, o.y(), o.x())), bin(Or, bin(LtU, o.x(), o.y()), bin(LtU, o.x(), o.z()))];
    bitwise_extended_or: o => [bin(Or, o.z_n(), o.z_m()), bin(Or, o.s_n(), o.s_m()), bin(Or, o.z_n(), o.k(1))],
        [bin(Or, o.z_n(), o.x()), bin(Or, o.z_n(), o.s_m())];
    or_by_parts: o => [bin(Or, o.z_n(), o.shifted()), bin(Or, o.x(), o.low_ones()), bin(Or, o.shifted(), o.k(1))],
        [bin(Or, o.x(), o.y()), bin(Or, o.z_n(), o.y())];
    // Xor.
    xor_zero: o => [bin(Xor, o.x(), o.k(0)), bin(Xor, o.p(), konst(1, 0))], [bin(Xor, o.x(), o.k(1))];
    xor_ones: o => [bin(Xor, o.x(), o.ones()), bin(Xor, o.p(), konst(1, 1))], [bin(Xor, o.x(), o.k(1))];
    xor_same: o => [bin(Xor, o.x(), o.x()), bin(Xor, o.p(), o.p())], [bin(Xor, o.x(), o.y())];
    xor_complement: o => [
        bin(Xor, o.x(), un(Not, o.x())), bin(Xor, bin(LtS, o.x(), o.y()), bin(LeS, o.y(), o.x())),
    ], [bin(Xor, o.x(), un(Not, o.y()))];
    xor_not: o => [
        bin(Xor, un(Not, o.x()), o.y()), bin(Xor, o.x(), un(Not, o.y())), bin(Xor, un(Not, o.x()), o.c()),
        bin(Xor, un(Not, o.x()), un(Not, o.y())),
    ], [bin(Xor, o.x(), o.y())];
    xor_constants: o => [bin(Xor, bin(Xor, o.x(), o.k(1)), o.c())], [bin(Xor, bin(Xor, o.x(), o.y()), o.c())];
    xor_cancel: o => [bin(Xor, o.x(), bin(Xor, o.x(), o.y())), bin(Xor, bin(Xor, o.x(), o.y()), o.y())],
        [bin(Xor, o.x(), bin(Xor, o.y(), o.z()))];
    xor_relations: o => [
        bin(Xor, bin(LtS, o.x(), o.y()), bin(LtS, o.y(), o.x())), bin(Xor, bin(LtU, o.x(), o.y()), bin(Eq, o.x(), o.y())),
        bin(Xor, bin(LeU, o.x(), o.y()), bin(Eq, o.x(), o.y())),
    ], [bin(Xor, bin(LtU, o.x(), o.y()), bin(LtS, o.y(), o.x()))];
    xor_sign_bit: o => [bin(Xor, o.x(), o.top())], [bin(Xor, o.x(), o.k(1))];
    bitwise_extended_xor: o => [bin(Xor, o.z_n(), o.z_m()), bin(Xor, o.s_n(), o.s_m()), bin(Xor, o.z_n(), o.k(1))],
        [bin(Xor, o.z_n(), o.x()), bin(Xor, o.z_n(), o.s_m())];
    xor_by_parts: o => [bin(Xor, o.z_n(), o.shifted()), bin(Xor, o.shifted(), o.low_ones())],
        [bin(Xor, o.x(), o.low_ones()), bin(Xor, o.x(), o.y())];
    // Addition and subtraction.
    add_zero: o => [bin(Add, o.x(), o.k(0))], [bin(Add, o.x(), o.k(1))];
    add_constants: o => [bin(Add, bin(Add, o.x(), o.c()), o.d())], [bin(Add, bin(Add, o.x(), o.y()), o.d())];
    add_negated: o => [bin(Add, o.x(), un(Neg, o.y())), bin(Add, un(Neg, o.x()), o.y())],
        [bin(Add, o.x(), un(Not, o.y()))];
    add_sub: o => [
        bin(Add, o.x(), bin(Sub, o.y(), o.x())), bin(Add, bin(Sub, o.y(), o.x()), o.x()),
        bin(Add, bin(Sub, o.c(), o.x()), o.d()),
    ], [bin(Add, o.x(), bin(Sub, o.x(), o.y())), bin(Add, bin(Sub, o.x(), o.y()), o.c())];
    add_not_one: o => [bin(Add, un(Not, o.x()), o.k(1))], [bin(Add, un(Not, o.x()), o.k(2))];
    add_same: o => [bin(Add, o.x(), o.x())], [bin(Add, o.x(), o.y())];
    add_by_parts: o => [bin(Add, o.z_n(), o.shifted()), bin(Add, o.shifted(), o.k(1))],
        [bin(Add, o.z_n(), o.z_m()), bin(Add, o.x(), o.low_ones())];
    sub_same: o => [bin(Sub, o.x(), o.x())], [bin(Sub, o.x(), o.y())];
    sub_constant: o => [bin(Sub, o.x(), o.c())], [bin(Sub, o.c(), o.x())];
    sub_from_zero: o => [bin(Sub, o.k(0), o.x())], [bin(Sub, o.k(1), o.x())];
    sub_negated: o => [bin(Sub, o.x(), un(Neg, o.y()))], [bin(Sub, un(Neg, o.x()), o.y())];
    sub_sum: o => [
        bin(Sub, bin(Add, o.x(), o.y()), o.x()), bin(Sub, bin(Add, o.x(), o.y()), o.y()),
        bin(Sub, o.x(), bin(Add, o.y(), o.x())), bin(Sub, bin(Add, o.x(), o.y()), bin(Add, o.x(), o.z())),
        bin(Sub, bin(Add, o.x(), o.y()), bin(Add, o.z(), o.y())), bin(Sub, o.c(), bin(Add, o.x(), o.d())),
    ], [bin(Sub, bin(Add, o.x(), o.y()), o.z())];
    neg_neg: o => [un(Neg, un(Neg, o.x()))], [un(Neg, un(Not, o.x()))];
    neg_sub: o => [un(Neg, bin(Sub, o.x(), o.y())), un(Neg, bin(Add, o.x(), o.c()))], [un(Neg, bin(Add, o.x(), o.y()))];
    neg_bit: o => [un(Neg, o.z_p()), un(Neg, sext(o.width, o.p()))], [un(Neg, o.z_n()), un(Neg, o.s_n())], if o.width >= 4;
    neg_not: o => [un(Neg, un(Not, o.x()))], [un(Neg, bin(Xor, o.x(), o.y()))];
    // Multiplication and division.
    mul_zero: o => [bin(Mul, o.x(), o.k(0))], [bin(Mul, o.x(), o.k(1))];
    mul_one: o => [bin(Mul, o.x(), o.k(1))], [bin(Mul, o.x(), o.k(2))];
    mul_minus_one: o => [bin(Mul, o.x(), o.ones())], [bin(Mul, o.x(), o.k(2))];
    mul_power_of_two: o => [bin(Mul, o.x(), o.k(2)), bin(Mul, o.x(), o.top())], [bin(Mul, o.x(), o.k(3)), bin(Mul, o.x(), o.k(0))];
    mul_constants: o => [bin(Mul, bin(Mul, o.x(), o.k(3)), o.c())], [bin(Mul, bin(Mul, o.x(), o.y()), o.c())], if o.width >= 3;
    div_u_zero: o => [bin(DivU, o.x(), o.k(0))], [bin(DivU, o.x(), o.k(1))];
    div_u_power_of_two: o => [bin(DivU, o.x(), o.k(1)), bin(DivU, o.x(), o.k(2)), bin(DivU, o.x(), o.top())],
        [bin(DivU, o.x(), o.k(3))];
    div_s_one: o => [bin(DivS, o.x(), o.k(1))], [bin(DivS, o.x(), o.k(2))];
    div_s_minus_one: o => [bin(DivS, o.x(), o.ones())], [bin(DivS, o.x(), o.top())];
    div_s_power_of_two: o => [bin(DivS, o.x(), o.k(2)), bin(DivS, o.x(), o.k(1 << (o.width - 2)))],
        [bin(DivS, o.x(), o.top()), bin(DivS, o.x(), o.k(3))], if o.width >= 3;
    rem_u_zero: o => [bin(RemU, o.x(), o.k(0))], [bin(RemU, o.x(), o.k(1))];
    rem_u_power_of_two: o => [bin(RemU, o.x(), o.k(1)), bin(RemU, o.x(), o.k(2)), bin(RemU, o.x(), o.top())],
        [bin(RemU, o.x(), o.k(3))];
    rem_s_zero: o => [bin(RemS, o.x(), o.k(0))], [bin(RemS, o.x(), o.k(1))];
    rem_s_one: o => [bin(RemS, o.x(), o.k(1)), bin(RemS, o.x(), o.ones())], [bin(RemS, o.x(), o.k(2))];
    rem_s_power_of_two: o => [bin(RemS, o.x(), o.k(2)), bin(RemS, o.x(), o.k(1 << (o.width - 2)))],
        [bin(RemS, o.x(), o.top()), bin(RemS, o.x(), o.k(3))], if o.width >= 3;
    // Shifts.
    shift_zero: o => [
        bin(Shl, o.k(0), o.y()), bin(ShrU, o.k(0), o.y()), bin(ShrS, o.k(0), o.y()), bin(Rotl, o.k(0), o.y()),
        bin(Rotr, o.k(0), o.y()),
    ], [bin(Shl, o.k(1), o.y())];
    shift_constant: o => [
        bin(Shl, o.x(), o.c()), bin(ShrU, o.x(), o.c()), bin(ShrS, o.x(), o.c()), bin(Rotl, o.x(), o.c()),
        bin(Rotr, o.x(), o.c()), bin(Rotl, o.x(), o.k(1)), bin(Rotr, o.x(), o.k(1)),
    ], [bin(Shl, o.c(), o.x())];
    shift_masked_count: o => [
        bin(Shl, o.x(), o.masked_count(1)), bin(ShrU, o.x(), o.masked_count(1)), bin(ShrS, o.x(), o.masked_count(1)),
        bin(Rotl, o.x(), o.masked_count(1)), bin(Rotr, o.x(), o.masked_count(1)),
    ], [bin(Shl, o.x(), o.masked_count(2))], if o.width.is_power_of_two() && o.width >= 4;
    // Extraction, concatenation, extension.
    extract_all: o => [cut(o.x(), 0, o.width)], [cut(o.x(), 0, o.width - 1)];
    extract_extract: o => [cut(cut(o.x(), 1, o.width - 2), 1, 1), cut(cut(o.x(), 1, o.width - 1), 0, 2)],
        [cut(o.x(), 1, 1)], if o.width >= 4;
    extract_concat: o => [
        cut(cat(o.upper(), o.n()), 0, o.half()), cut(cat(o.upper(), o.n()), o.half(), 1),
        cut(cat(o.upper(), o.n()), o.half() - 1, 2), cut(cat(o.upper(), o.n()), 1, o.width - 1),
    ], [cut(o.x(), 0, o.half())], if o.width >= 3;
    extract_zero_extended: o => [
        cut(o.z_n(), 0, o.half()), cut(o.z_n(), o.half(), 1), cut(o.z_n(), o.half() - 1, 2), cut(o.z_n(), 1, o.width - 1),
    ], [cut(o.s_n(), 0, o.half()), cut(o.x(), 0, 1)], if o.width >= 3;
    extract_sign_extended: o => [
        cut(o.s_n(), 0, o.half()), cut(o.s_n(), o.half(), 1), cut(o.s_n(), o.half() - 1, 2), cut(o.s_n(), 1, o.width - 1),
        cut(o.s_n(), o.width - 1, 1),
    ], [cut(o.z_n(), 0, o.half()), cut(o.x(), 0, 1)], if o.width >= 3;
    extract_low_bits: o => [
        cut(bin(Add, o.z_n(), o.k(1)), 0, o.half()), cut(bin(Mul, o.s_n(), o.z_m()), 0, o.half()),
        cut(bin(Sub, o.z_n(), o.s_m()), 0, o.half()), cut(un(Not, o.z_n()), 0, o.half()), cut(un(Neg, o.z_n()), 0, o.half()),
        cut(bin(Xor, o.z_n(), o.s_m()), 0, o.half()), cut(bin(Or, o.z_n(), o.s_m()), 0, 1),
    ], [cut(bin(Add, o.x(), o.y()), 0, 1), cut(bin(Add, o.z_n(), o.k(1)), 1, 1), cut(bin(DivU, o.z_n(), o.k(3)), 0, 1)],
        if o.width >= 4;
    extract_sign_bit: o => [cut(o.x(), o.width - 1, 1)], [cut(o.x(), 0, 1)];
    concat_zero: o => [cat(konst(o.half(), 0), o.n())], [cat(konst(o.half(), 1), o.n())];
    concat_concat: o => [cat(cat(o.r(), o.s()), o.t())], [cat(o.r(), cat(o.s(), o.t()))];
    concat_extended: o => [cat(zext(o.quarter() + 1, o.r()), o.s()), cat(sext(o.quarter() + 1, o.r()), o.s())],
        [cat(o.r(), zext(o.quarter() + 1, o.s()))];
    concat_constants: o => [
        cat(konst(o.quarter(), 1), cat(konst(o.quarter(), o.c), o.s())),
        cat(konst(o.quarter(), 1), zext(o.quarter() + 1, o.s())),
    ], [cat(konst(o.quarter(), 1), cat(o.r(), o.s()))];
    concat_adjacent: o => [
        cat(cut(o.x(), o.half(), o.width - o.half()), cut(o.x(), 0, o.half())),
        cat(cut(o.x(), 1, 1), cut(o.x(), 0, 1)),
        // One part or the other was rewritten when it was extracted.
        cat(cut(bin(Add, o.z_n(), o.k(3)), o.half(), o.width - o.half()), cut(bin(Add, o.z_n(), o.k(3)), 0, o.half())),
        cat(cut(o.x(), o.width - 1, 1), cut(o.x(), 0, o.width - 1)),
    ], [cat(cut(o.x(), 0, 1), cut(o.x(), 1, 1)), cat(cut(o.x(), 1, 1), cut(o.y(), 0, 1))], if o.width >= 3;
    concat_adjacent_nested: o => [cat(cut(o.x(), 1, 1), cat(cut(o.x(), 0, 1), o.s()))],
        [cat(cut(o.x(), 0, 1), cat(cut(o.x(), 1, 1), o.s()))], if o.width >= 3;
    concat_sign_copy: o => [cat(cut(o.n(), o.half() - 1, 1), o.n())], [cat(cut(o.n(), 0, 1), o.n())], if o.width >= 4;
    extend_to_same: o => [zext(o.width, o.x()), sext(o.width, o.x())], [zext(o.width, o.n())];
    extend_extended: o => [
        zext(o.width, zext(o.quarter() + 1, o.r())), sext(o.width, sext(o.quarter() + 1, o.r())),
        sext(o.width, zext(o.quarter() + 1, o.r())),
    ], [zext(o.width, sext(o.quarter() + 1, o.r()))], if o.width >= 3;
    extend_constant_part: o => [zext(o.width, cat(konst(1, 1), o.r())), sext(o.width, cat(konst(1, 1), o.r()))],
        [zext(o.width, cat(o.p(), o.r()))], if o.width >= 3;
    // Choice.
    choice_same: o => [ite(o.p(), o.x(), o.x())], [ite(o.p(), o.x(), o.y())];
    choice_not: o => [ite(un(Not, o.p()), o.x(), o.y())], [ite(o.p(), un(Not, o.x()), o.y())];
    choice_bit: o => [
        ite(o.p(), konst(1, 1), o.q()), ite(o.p(), konst(1, 0), o.q()), ite(o.p(), o.q(), konst(1, 0)),
        ite(o.p(), o.q(), konst(1, 1)), ite(o.p(), o.p(), o.q()), ite(o.p(), o.q(), o.p()),
        ite(o.p(), konst(1, 0), konst(1, 1)),
    ], [ite(o.p(), o.q(), bin(Eq, o.x(), o.y())), ite(o.p(), o.k(1), o.x())];
    choice_extended_bit: o => [
        ite(o.p(), o.k(1), o.k(0)), ite(o.p(), o.k(0), o.k(1)), ite(o.p(), o.ones(), o.k(0)), ite(o.p(), o.k(0), o.ones()),
    ], [ite(o.p(), o.k(2), o.k(0)), ite(o.p(), o.k(1), o.x())];
    choice_nested: o => [
        ite(o.p(), ite(o.p(), o.x(), o.y()), o.z()), ite(o.p(), o.x(), ite(o.p(), o.y(), o.z())),
    ], [ite(o.p(), ite(o.q(), o.x(), o.y()), o.x())];
    unary_choice: o => [
        un(Not, ite(o.p(), o.c(), o.k(2))), un(Popcnt, ite(o.p(), o.c(), o.k(2))),
        zext(o.width, ite(o.p(), konst(o.half(), o.c), konst(o.half(), 2))),
    ], [un(Not, ite(o.p(), o.x(), o.c()))], if o.width >= 4;
    float_sign: o => [un(FNeg, un(FNeg, o.x())), un(FAbs, un(FNeg, o.x())), un(FAbs, un(FAbs, o.x()))],
        [un(FNeg, un(FAbs, o.x()))];
    // Equality.
    eq_same: o => [bin(Eq, o.x(), o.x())], [bin(Eq, o.x(), o.y())];
    eq_not: o => [bin(Eq, un(Not, o.x()), o.c()), bin(Eq, un(Not, o.x()), un(Not, o.y()))], [bin(Eq, un(Not, o.x()), o.y())];
    eq_neg: o => [bin(Eq, un(Neg, o.x()), o.c()), bin(Eq, un(Neg, o.x()), un(Neg, o.y()))], [bin(Eq, un(Neg, o.x()), o.y())];
    eq_sum_constant: o => [bin(Eq, bin(Add, o.x(), o.c()), o.d())],
        [bin(Eq, bin(Add, o.x(), o.y()), o.d()), bin(Eq, bin(Add, o.x(), o.c()), o.y())];
    eq_difference_constant: o => [bin(Eq, bin(Sub, o.x(), o.y()), o.k(0)), bin(Eq, bin(Sub, o.c(), o.x()), o.d())],
        [bin(Eq, bin(Sub, o.x(), o.y()), o.k(1))];
    eq_sum_shared: o => [
        bin(Eq, bin(Add, o.x(), o.y()), o.x()), bin(Eq, bin(Add, o.x(), o.y()), bin(Add, o.x(), o.z())),
        bin(Eq, bin(Add, o.x(), o.k(1)), bin(Add, o.y(), o.k(1))), bin(Eq, bin(Add, o.x(), o.k(1)), o.x()),
    ], [bin(Eq, bin(Add, o.x(), o.y()), o.z()), bin(Eq, bin(Mul, o.x(), o.y()), o.x())];
    eq_xor: o => [
        bin(Eq, bin(Xor, o.x(), o.k(1)), o.d()), bin(Eq, bin(Xor, o.x(), o.y()), o.k(0)), bin(Eq, bin(Xor, o.x(), o.y()), o.x()),
        bin(Eq, bin(Xor, o.x(), o.y()), bin(Xor, o.z(), o.y())),
    ], [bin(Eq, bin(Xor, o.x(), o.y()), o.k(1)), bin(Eq, bin(Xor, o.x(), o.y()), o.z())];
    eq_product: o => [bin(Eq, bin(Mul, o.x(), o.k(3)), o.d()), bin(Eq, bin(Mul, o.x(), o.k(6)), o.d()), bin(Eq, bin(Mul, o.x(), o.c()), o.d())],
        [bin(Eq, bin(Mul, o.x(), o.y()), o.d())], if o.width >= 4;
    eq_or_zero: o => [bin(Eq, bin(Or, o.x(), o.y()), o.k(0))], [bin(Eq, bin(Or, o.x(), o.y()), o.k(1))];
    eq_extended_constant: o => [bin(Eq, o.z_n(), o.c()), bin(Eq, o.s_n(), o.c()), bin(Eq, o.z_n(), o.top())],
        [bin(Eq, o.z_n(), o.x())];
    eq_extended: o => [bin(Eq, o.z_n(), o.z_m()), bin(Eq, o.s_n(), o.s_m()), bin(Eq, o.z_n(), zext(o.width, o.r())), bin(Eq, sext(o.width, o.r()), o.s_n())],
        [bin(Eq, o.z_n(), o.s_m()), bin(Eq, o.z_n(), o.x())];
    eq_concat_constant: o => [bin(Eq, cat(o.upper(), o.n()), o.c())], [bin(Eq, cat(o.upper(), o.n()), o.x())];
    eq_concat: o => [bin(Eq, cat(o.upper(), o.n()), cat(cut(o.x(), 0, o.width - o.half()), o.m()))],
        [bin(Eq, cat(o.n(), o.r()), cat(o.r(), o.n()))], if o.width >= 4;
    eq_no_zero_lane: o => [
        bin(Eq, o.at_tops(bin(And, o.lane_less(o.x()), un(Not, o.x()))), o.k(0)),
        bin(Eq, bin(And, o.lane_less(o.x()), o.at_tops(un(Not, o.x()))), o.k(0)),
        bin(Eq, o.at_tops(bin(And, un(Not, o.lane_flipped()), o.lane_less(o.lane_flipped()))), o.k(0)),
        bin(Eq, o.at_tops(bin(Or, o.lane_minus(o.x()), o.x())), o.k(o.lane_tops())),
        bin(Eq, o.at_tops(bin(Or, o.x(), o.lane_minus(o.lane_flipped()))), o.k(o.lane_tops())),
    ], [
        bin(Eq, o.at_tops(bin(And, o.lane_less(o.x()), un(Not, o.y()))), o.k(0)),
        bin(Eq, o.at_tops(bin(And, bin(Sub, o.x(), o.k(1)), un(Not, o.x()))), o.k(0)),
        bin(Eq, o.at_tops(bin(And, o.lane_less(o.x()), un(Not, o.x()))), o.k(1)),
        bin(Eq, o.at_tops(bin(Or, o.lane_minus(o.x()), un(Not, o.x()))), o.k(o.lane_tops())),
    ], if o.lane() > 0;
    eq_masked_concat: o => [
        bin(Eq, o.at_tops(cat(o.upper(), o.n())), o.k(0)), bin(Eq, o.at_tops(cat(o.upper(), o.n())), o.k(o.lane_tops())),
        bin(Eq, o.at_tops(cat(o.upper(), o.n())), o.c()),
    ], [bin(Eq, o.at_tops(cat(o.upper(), o.n())), o.x()), bin(Eq, o.at_tops(o.x()), o.k(0))], if o.lane() > 0;
    eq_masked_pair: o => [
        bin(Eq, o.at_tops(bin(Or, o.x(), o.y())), o.k(0)), bin(Eq, o.at_tops(bin(And, o.x(), o.y())), o.k(o.lane_tops())),
        bin(Eq, o.at_tops(bin(Or, bin(Or, o.x(), o.y()), o.z())), o.k(0)),
    ], [
        bin(Eq, o.at_tops(bin(Or, o.x(), o.y())), o.k(o.lane_tops())), bin(Eq, o.at_tops(bin(And, o.x(), o.y())), o.k(0)),
        bin(Eq, o.at_tops(o.x()), o.k(0)),
    ], if o.lane() > 0;
    compare_bits: o => [bin(Eq, bin(Sub, o.z_p(), o.z_q()), o.c()), bin(Eq, bin(Add, o.z_p(), o.z_q()), o.c()), bin(Eq, bin(Sub, o.z_p(), sext(o.width, o.q())), o.c())],
        [bin(Eq, bin(Sub, o.z_n(), o.z_m()), o.c())], if o.width >= 4;
    compare_choice: o => [
        bin(Eq, ite(o.p(), o.c(), o.x()), o.d()), bin(Eq, ite(o.p(), o.x(), o.c()), o.d()), bin(Eq, ite(o.p(), o.c(), o.k(2)), o.k(2)),
        bin(Eq, ite(o.p(), o.k(3), ite(o.q(), o.x(), o.k(2))), o.d()),
    ], [bin(Eq, ite(o.p(), o.x(), o.y()), o.c()), bin(Eq, ite(o.p(), o.k(2), o.x()), o.y())];
    // Order.
    order_same: o => [bin(LtU, o.x(), o.x()), bin(LtS, o.x(), o.x()), bin(LeU, o.x(), o.x()), bin(LeS, o.x(), o.x())],
        [bin(LtU, o.x(), o.y())];
    order_not_strict: o => [bin(LeU, o.x(), o.c()), bin(LeS, o.x(), o.c()), bin(LeU, o.c(), o.x()), bin(LeS, o.c(), o.x())],
        [bin(LtU, o.x(), o.c()), bin(LeS, o.x(), o.y())];
    order_limit: o => [
        bin(LtU, o.x(), o.k(0)), bin(LtU, o.ones(), o.x()), bin(LtS, o.x(), o.top()), bin(LtS, o.k((1 << (o.width - 1)) - 1), o.x()),
    ], [bin(LtU, o.x(), o.k(1)), bin(LtS, o.x(), o.k(0))];
    order_edge: o => [
        bin(LtU, o.x(), o.k(1)), bin(LtU, o.k(0), o.x()), bin(LtU, o.x(), o.ones()), bin(LtU, o.k(u64::MAX - 1), o.x()),
        bin(LtS, o.x(), o.k((1 << (o.width - 1)) + 1)), bin(LtS, o.top(), o.x()),
        bin(LtS, o.x(), o.k((1 << (o.width - 1)) - 1)), bin(LtS, o.k((1 << (o.width - 1)) - 2), o.x()),
    ], [bin(LtU, o.x(), o.k(2)), bin(LtS, o.x(), o.k(0)), bin(LeU, o.x(), o.y())], if o.width >= 3;
    order_extended_constant: o => [
        bin(LtU, o.z_n(), o.c()), bin(LtU, o.c(), o.z_n()), bin(LtS, o.z_n(), o.c()), bin(LtS, o.c(), o.z_n()),
        bin(LtU, o.s_n(), o.c()), bin(LtU, o.c(), o.s_n()), bin(LtS, o.s_n(), o.c()), bin(LtS, o.c(), o.s_n()),
    ], [bin(LtU, o.z_n(), o.x()), bin(LtU, o.x(), o.c())], if o.width >= 3;
    order_extended: o => [
        bin(LtU, o.z_n(), o.z_m()), bin(LtS, o.z_n(), o.z_m()), bin(LeU, o.s_n(), o.s_m()), bin(LeS, o.s_n(), o.s_m()),
        bin(LeS, zext(o.width, o.r()), o.z_m()), bin(LtU, o.s_n(), sext(o.width, o.r())),
    ], [bin(LtU, o.z_n(), o.s_m()), bin(LtU, o.z_n(), o.x())];
    order_sum_constant: o => [
        bin(LtU, bin(Add, o.x(), o.c()), o.d()), bin(LtS, bin(Add, o.x(), o.c()), o.d()),
        bin(LtU, o.d(), bin(Add, o.x(), o.c())), bin(LtS, o.d(), bin(Add, o.x(), o.c())),
        bin(LtU, bin(Sub, o.x(), o.k(2)), o.k(3)),
    ], [bin(LtU, bin(Add, o.x(), o.c()), o.y()), bin(LtS, bin(Add, o.x(), o.k(1)), o.k(3))], if o.width >= 4;
    order_sign_bit: o => [
        bin(LtU, bin(Xor, o.x(), o.top()), bin(Xor, o.y(), o.top())), bin(LtS, bin(Add, o.x(), o.top()), bin(Add, o.y(), o.top())),
        bin(LeU, bin(Xor, o.x(), o.top()), bin(Xor, o.y(), o.top())), bin(LeS, bin(Xor, o.x(), o.top()), bin(Xor, o.y(), o.top())),
    ], [bin(LtU, bin(Add, o.x(), o.k(1)), bin(Add, o.y(), o.k(1)))];
    compare_bits_in_order: o => [
        bin(LtS, bin(Sub, o.z_p(), o.z_q()), o.c()), bin(LtS, o.c(), bin(Sub, o.z_p(), o.z_q())), bin(LtU, bin(Add, o.z_p(), o.z_q()), o.k(2)),
        bin(LtS, bin(Sub, zext(o.width, bin(LtS, o.y(), o.x())), zext(o.width, bin(LtS, o.x(), o.y()))), o.k(0)),
    ], [bin(LtS, bin(Sub, o.z_n(), o.z_m()), o.c())], if o.width >= 4;
    compare_choice_in_order: o => [
        bin(LtU, ite(o.p(), o.c(), o.x()), o.d()), bin(LtS, ite(o.p(), o.x(), o.c()), o.d()), bin(LtS, o.d(), ite(o.p(), o.c(), o.k(2))),
        bin(LtS, ite(o.p(), o.ones(), zext(o.width, o.q())), o.k(0)),
    ], [bin(LtU, ite(o.p(), o.x(), o.y()), o.c())];
}
