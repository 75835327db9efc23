//! The meaning of every operator, as pure functions on bit patterns.
//!
//! A value of width `w` (1 to 64 bits) is a `u64` whose bits above `w` are zero. Floats are their IEEE 754 bit
//! patterns in widths 32 and 64. The machine, constant folding and evaluation all call these functions, so the three
//! cannot disagree. They are `inline(always)`: with a constant operator and width each call compiles to the one
//! instruction it stands for.
//!
//! Every operator is total. Where WebAssembly traps (division by zero, signed division overflow, conversion of a
//! float out of range), the machine checks for the trap first; the value given here is then only a convention:
//! `x / 0` is all ones and `x % 0` is `x` (as in SMT-LIB), signed division follows SMT-LIB's `bvsdiv` and `bvsrem`,
//! and conversions to integers saturate.

use std::hint::cold_path;

/// Operators with one operand; see [`unary`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum UnaryOp {
    Not,
    Neg,
    Clz,
    Ctz,
    Popcnt,
    ZeroExtend,
    SignExtend,
    FAbs,
    FNeg,
    FCeil,
    FFloor,
    FTrunc,
    FNearest,
    FSqrt,
    /// f32 to f64, or f64 to f32, by the two widths.
    FConvert,
    /// Signed integer of the operand's width to a float of the result's width.
    FFromS,
    /// Unsigned integer of the operand's width to a float of the result's width.
    FFromU,
    /// Float to signed integer, saturating; NaN gives 0.
    FToS,
    /// Float to unsigned integer, saturating; NaN gives 0.
    FToU,
}

/// Operators with two operands of one width; see [`binary`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    DivU,
    DivS,
    RemU,
    RemS,
    And,
    Or,
    Xor,
    /// Shift and rotation counts are taken modulo the width, as in WebAssembly.
    Shl,
    ShrU,
    ShrS,
    Rotl,
    Rotr,
    Eq,
    LtU,
    LtS,
    LeU,
    LeS,
    FAdd,
    FSub,
    FMul,
    FDiv,
    FMin,
    FMax,
    FCopysign,
    FEq,
    FLt,
    FLe,
}

impl BinaryOp {
    /// Whether the result is one bit wide whatever the operands' width.
    #[inline(always)]
    pub fn is_comparison(self) -> bool {
        use BinaryOp::*;
        matches!(self, Eq | LtU | LtS | LeU | LeS | FEq | FLt | FLe)
    }

    /// Whether the operands may change places.
    #[inline(always)]
    pub fn is_commutative(self) -> bool {
        use BinaryOp::*;
        matches!(self, Add | Mul | And | Or | Xor | Eq | FEq)
    }

    /// Whether the operands are floats.
    #[inline(always)]
    pub fn is_float(self) -> bool {
        self >= BinaryOp::FAdd
    }
}

impl UnaryOp {
    /// Whether operand or result is a float.
    #[inline(always)]
    pub fn is_float(self) -> bool {
        self >= UnaryOp::FAbs
    }
}

/// All ones in the low `width` bits.
#[inline(always)]
pub const fn mask(width: u32) -> u64 {
    u64::MAX >> (64 - width)
}

/// The value of a `width`-bit pattern read as two's complement.
#[inline(always)]
pub const fn signed(width: u32, x: u64) -> i64 {
    // The machine's widths are treated separately: a cast is one instruction, while two shifts may remain two.
    match width {
        32 => x as i32 as i64,
        64 => x as i64,
        _ => ((x << (64 - width)) as i64) >> (64 - width),
    }
}

/// Evaluates a unary operator from a `from`-bit operand to a `to`-bit result (the two are equal except for
/// extensions and conversions).
#[inline(always)]
pub fn unary(op: UnaryOp, from: u32, to: u32, x: u64) -> u64 {
    use UnaryOp::*;
    match op {
        Not => !x & mask(to),
        Neg => x.wrapping_neg() & mask(to),
        Clz => x.leading_zeros() as u64 - (64 - from as u64),
        Ctz => x.trailing_zeros().min(from) as u64,
        Popcnt => x.count_ones() as u64,
        ZeroExtend => x,
        SignExtend => signed(from, x) as u64 & mask(to),
        FAbs => x & (mask(from) >> 1),
        FNeg => x ^ (1 << (from - 1)),
        FCeil => float1(from, x, f32::ceil, f64::ceil),
        FFloor => float1(from, x, f32::floor, f64::floor),
        FTrunc => float1(from, x, f32::trunc, f64::trunc),
        FNearest => float1(from, x, f32::round_ties_even, f64::round_ties_even),
        FSqrt => float1(from, x, f32::sqrt, f64::sqrt),
        FConvert if from == 32 => from_f64(f32::from_bits(x as u32) as f64),
        FConvert => from_f32(f64::from_bits(x) as f32),
        FFromS if to == 32 => (signed(from, x) as f32).to_bits() as u64,
        FFromS => (signed(from, x) as f64).to_bits(),
        FFromU if to == 32 => (x as f32).to_bits() as u64,
        FFromU => (x as f64).to_bits(),
        // Rust's `as` saturates and sends NaN to 0, exactly as `trunc_sat` does.
        FToS if to == 32 && from == 32 => f32::from_bits(x as u32) as i32 as u32 as u64,
        FToS if to == 32 => f64::from_bits(x) as i32 as u32 as u64,
        FToS if from == 32 => f32::from_bits(x as u32) as i64 as u64,
        FToS => f64::from_bits(x) as i64 as u64,
        FToU if to == 32 && from == 32 => f32::from_bits(x as u32) as u32 as u64,
        FToU if to == 32 => f64::from_bits(x) as u32 as u64,
        FToU if from == 32 => f32::from_bits(x as u32) as u64,
        FToU => f64::from_bits(x) as u64,
    }
}

/// Evaluates a binary operator on two `width`-bit operands.
#[inline(always)]
pub fn binary(op: BinaryOp, width: u32, x: u64, y: u64) -> u64 {
    use BinaryOp::*;
    let m = mask(width);
    // The machine only uses widths that are powers of two; the general remainder serves the other widths of terms.
    let count = |y: u64| if width.is_power_of_two() { y & (width as u64 - 1) } else { y % width as u64 } as u32;
    match op {
        Add => x.wrapping_add(y) & m,
        Sub => x.wrapping_sub(y) & m,
        Mul => x.wrapping_mul(y) & m,
        DivU => x.checked_div(y).unwrap_or(m),
        RemU => x.checked_rem(y).unwrap_or(x),
        DivS if y == 0 => {
            if signed(width, x) < 0 {
                1
            } else {
                m
            }
        }
        DivS => signed(width, x).wrapping_div(signed(width, y)) as u64 & m,
        RemS if y == 0 => x,
        RemS => signed(width, x).wrapping_rem(signed(width, y)) as u64 & m,
        And => x & y,
        Or => x | y,
        Xor => x ^ y,
        Shl => (x << count(y)) & m,
        ShrU => x >> count(y),
        ShrS => (signed(width, x) >> count(y)) as u64 & m,
        Rotl => rotate_left(width, x, count(y)),
        Rotr => rotate_left(width, x, (width - count(y)) % width),
        Eq => (x == y) as u64,
        LtU => (x < y) as u64,
        // Sign-extended first, two operands of 32 bits would be shifted before they are compared.
        LtS if width == 32 => ((x as i32) < (y as i32)) as u64,
        LtS => (signed(width, x) < signed(width, y)) as u64,
        LeU => (x <= y) as u64,
        LeS if width == 32 => ((x as i32) <= (y as i32)) as u64,
        LeS => (signed(width, x) <= signed(width, y)) as u64,
        FAdd => float2(width, x, y, |a, b| a + b, |a, b| a + b),
        FSub => float2(width, x, y, |a, b| a - b, |a, b| a - b),
        FMul => float2(width, x, y, |a, b| a * b, |a, b| a * b),
        FDiv => float2(width, x, y, |a, b| a / b, |a, b| a / b),
        FMin => float2(width, x, y, min_f32, min_f64),
        FMax => float2(width, x, y, |a, b| -min_f32(-a, -b), |a, b| -min_f64(-a, -b)),
        FCopysign => (x & (m >> 1)) | (y & !(m >> 1)),
        FEq => compare(width, x, y, |a, b| a == b, |a, b| a == b),
        FLt => compare(width, x, y, |a, b| a < b, |a, b| a < b),
        FLe => compare(width, x, y, |a, b| a <= b, |a, b| a <= b),
    }
}

#[inline(always)]
fn rotate_left(width: u32, x: u64, count: u32) -> u64 {
    match width {
        32 => (x as u32).rotate_left(count) as u64,
        64 => x.rotate_left(count),
        _ if count == 0 => x,
        _ => ((x << count) | (x >> (width - count))) & mask(width),
    }
}

// WebAssembly leaves the payload of a NaN result open; we always give the canonical one, so that a run is the same on
// every machine.
#[inline(always)]
fn from_f32(x: f32) -> u64 {
    if x.is_nan() {
        cold_path();
        return 0x7fc0_0000;
    }
    x.to_bits() as u64
}

#[inline(always)]
fn from_f64(x: f64) -> u64 {
    if x.is_nan() {
        cold_path();
        return 0x7ff8_0000_0000_0000;
    }
    x.to_bits()
}

#[inline(always)]
fn float1(width: u32, x: u64, single: fn(f32) -> f32, double: fn(f64) -> f64) -> u64 {
    if width == 32 { from_f32(single(f32::from_bits(x as u32))) } else { from_f64(double(f64::from_bits(x))) }
}

#[inline(always)]
fn float2(width: u32, x: u64, y: u64, single: fn(f32, f32) -> f32, double: fn(f64, f64) -> f64) -> u64 {
    if width == 32 {
        from_f32(single(f32::from_bits(x as u32), f32::from_bits(y as u32)))
    } else {
        from_f64(double(f64::from_bits(x), f64::from_bits(y)))
    }
}

#[inline(always)]
fn compare(width: u32, x: u64, y: u64, single: fn(&f32, &f32) -> bool, double: fn(&f64, &f64) -> bool) -> u64 {
    if width == 32 {
        single(&f32::from_bits(x as u32), &f32::from_bits(y as u32)) as u64
    } else {
        double(&f64::from_bits(x), &f64::from_bits(y)) as u64
    }
}

// WebAssembly's `min`: NaN wins, and -0 is below +0. `max` is its mirror image.
#[inline(always)]
fn min_f32(a: f32, b: f32) -> f32 {
    if a.is_nan() || b.is_nan() {
        f32::NAN
    } else if a == b {
        f32::from_bits(a.to_bits() | b.to_bits())
    } else if a < b {
        a
    } else {
        b
    }
}

#[inline(always)]
fn min_f64(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        f64::NAN
    } else if a == b {
        f64::from_bits(a.to_bits() | b.to_bits())
    } else if a < b {
        a
    } else {
        b
    }
}
