//! Value domains: what the machine's values are.
//!
//! The machine has one body and is generic over its [`Domain`]. In [`Concrete`] a value is its bit pattern and every
//! question is answered on the spot; the compiler removes all of this trait's indirection. A symbolic domain carries a
//! term alongside the bits. If the machine must know a value and [`Domain::known`] gives none, it stops with a
//! decision.

use pessimum_term::{BinaryOp, TermId, UnaryOp, VariableId, Witness, ops};

use crate::machine::{Event, Machine};
use crate::memory::{Bytes, Flat, Memory};

/// The values that a machine computes with.
///
/// Values have no type of their own: the machine knows the width at each use. `i32` and `f32` have width 32, `i64` and
/// `f64` width 64; references are known values. A known value is a bit pattern with zeros above its width.
pub trait Domain: Sized {
    /// A value; the default is the constant zero.
    type Value: Copy + Default + std::fmt::Debug;
    /// A byte of memory with its meaning.
    type Byte: Copy;
    /// How the bytes of a memory are kept.
    type Bytes: Bytes<Self>;
    /// Whether a value can be unknown. If it cannot, the machine does not keep track of answers.
    const SYMBOLIC: bool;
    /// Whether the machine tells this domain where control goes, through the hooks that follow. A place in a function
    /// is given as the number of its counted instructions in text order, up to and including the one at that place.
    const PROFILED: bool = false;

    /// Runs the machine until its next event. Domains implement this by `Machine::interpret`, so that the loop is
    /// compiled once for it, in this crate: a generic loop would be compiled again in every crate that runs a machine.
    fn drive(&mut self, machine: &mut Machine<Self>) -> Event<Self::Value>;

    /// A function was called, given by its number among those that the module defines. Its caller has already been left.
    fn entered(&mut self, body: u32) {
        let _ = body;
    }
    /// Control left after the instruction `from` and continues after `to`.
    fn jumped(&mut self, from: u32, to: u32) {
        let _ = (from, to);
    }
    /// The instruction `at` was the last one so far; control continues after it, if at all.
    fn left(&mut self, at: u32) {
        let _ = at;
    }
    /// The innermost function, which has already been left, has returned; its caller continues.
    fn returned(&mut self) {}
    /// A branch was executed. A nonzero condition takes this arm, and zero takes the other one of the pair.
    fn branched(&mut self, arm: u32, condition: Self::Value) {
        let _ = (arm, condition);
    }
    /// A `br_table` with these arms was executed; the last one is for every larger index.
    fn switched(&mut self, first_arm: u32, last_arm: u32, index: Self::Value) {
        let _ = (first_arm, last_arm, index);
    }
    /// The comparison at this position of the code was evaluated for its value, not for a branch.
    fn compared(&mut self, position: u32, outcome: Self::Value) {
        let _ = (position, outcome);
    }
    /// The integer division at this position of the code is about to be made; it traps if this holds.
    fn divided(&mut self, position: u32, by_zero: Self::Value) {
        let _ = (position, by_zero);
    }
    /// The imported function with this number was called.
    fn called_host(&mut self, function: u32) {
        let _ = function;
    }
    /// The instruction at this position of the code moved so much that it costs this many instructions more.
    fn moved(&mut self, position: u32, instructions: u64) {
        let _ = (position, instructions);
    }
    /// The program reported a cost of its own.
    fn reported(&mut self, cost: u64) {
        let _ = cost;
    }

    /// From here on everything counts, and nothing before it does: the call of an imported function that says so, which was
    /// the last instruction so far, included.
    fn began(&mut self) {}
    /// What follows does not count, nor does the call that says so.
    fn ended(&mut self) {}

    /// The constant with these bits.
    fn constant(bits: u64) -> Self::Value;
    /// The bits of a value that does not depend on the input.
    fn known(value: Self::Value) -> Option<u64>;
    /// The term of a value that depends on the input. Domains in which every value is known have none.
    fn as_term(value: Self::Value) -> Option<TermId> {
        let _ = value;
        None
    }
    /// The value of a term that [`Domain::as_term`] gave.
    fn of_term(&mut self, term: TermId) -> Self::Value {
        unreachable!("{term:?} in a domain without terms")
    }
    /// Applies an operator to a value of width `from`; the result has width `to`.
    fn unary(&mut self, op: UnaryOp, from: u32, to: u32, x: Self::Value) -> Self::Value;
    /// Applies an operator to two values of one width. Not for comparisons.
    fn binary(&mut self, op: BinaryOp, width: u32, x: Self::Value, y: Self::Value) -> Self::Value;
    /// Compares two values of one width (or, negated, the opposite); the result has width 32 and is 0 or 1.
    fn compare(&mut self, op: BinaryOp, negate: bool, width: u32, x: Self::Value, y: Self::Value) -> Self::Value;
    /// Whether a value of width 32 differs from zero (or, negated, is zero); the result has width 32 and is 0 or 1.
    #[inline(always)]
    fn truth(&mut self, negate: bool, x: Self::Value) -> Self::Value {
        self.compare(BinaryOp::Eq, !negate, 32, x, Self::Value::default())
    }
    /// The low `from` bits of a value, sign-extended to `to`.
    fn extend_low(&mut self, from: u32, to: u32, x: Self::Value) -> Self::Value;
    /// The low 32 bits of a value of width 64.
    fn wrap(&mut self, x: Self::Value) -> Self::Value;
    /// `then` if the condition (of width 32) is nonzero, otherwise `otherwise`; both have this width.
    fn select(&mut self, width: u32, condition: Self::Value, then: Self::Value, otherwise: Self::Value) -> Self::Value;
    /// The input variable with this number.
    fn input(&mut self, variable: VariableId, width: u32) -> Self::Value;

    /// A known byte.
    fn constant_byte(byte: u8) -> Self::Byte;
    /// Up to 8 bytes, lowest first, as a value of width `8 * bytes.len()`.
    fn join(&mut self, bytes: &[Self::Byte]) -> Self::Value;
    /// The low `count` bytes of a value, lowest first.
    fn split(&mut self, value: Self::Value, count: usize) -> [Self::Byte; 8];
    /// The `count` bytes at an unknown address (`base + offset`) as a value, if the domain can provide it without
    /// deciding the address, as it can for small tables.
    fn look_up(&mut self, memory: &Memory<Self>, base: Self::Value, offset: u64, count: usize) -> Option<Self::Value> {
        let _ = (memory, base, offset, count);
        None
    }
}

/// Plain execution: values are bit patterns, and the input is a witness.
#[derive(Clone, Debug, Default)]
pub struct Concrete {
    /// The input.
    pub witness: Witness,
}

impl Domain for Concrete {
    type Value = u64;
    type Byte = u8;
    type Bytes = Flat;
    const SYMBOLIC: bool = false;

    #[inline(never)]
    fn drive(&mut self, machine: &mut Machine<Self>) -> Event<Self::Value> {
        machine.interpret_concrete(self)
    }

    #[inline(always)]
    fn constant(bits: u64) -> u64 {
        bits
    }

    #[inline(always)]
    fn known(value: u64) -> Option<u64> {
        Some(value)
    }

    #[inline(always)]
    fn unary(&mut self, op: UnaryOp, from: u32, to: u32, x: u64) -> u64 {
        ops::unary(op, from, to, x)
    }

    #[inline(always)]
    fn binary(&mut self, op: BinaryOp, width: u32, x: u64, y: u64) -> u64 {
        ops::binary(op, width, x, y)
    }

    #[inline(always)]
    fn compare(&mut self, op: BinaryOp, negate: bool, width: u32, x: u64, y: u64) -> u64 {
        ops::binary(op, width, x, y) ^ negate as u64
    }

    #[inline(always)]
    fn extend_low(&mut self, from: u32, to: u32, x: u64) -> u64 {
        ops::signed(from, x) as u64 & ops::mask(to)
    }

    #[inline(always)]
    fn wrap(&mut self, x: u64) -> u64 {
        x as u32 as u64
    }

    #[inline(always)]
    fn select(&mut self, _: u32, condition: u64, then: u64, otherwise: u64) -> u64 {
        if condition != 0 { then } else { otherwise }
    }

    fn input(&mut self, variable: VariableId, width: u32) -> u64 {
        self.witness.get(variable) & ops::mask(width)
    }

    fn constant_byte(byte: u8) -> u8 {
        byte
    }

    fn join(&mut self, bytes: &[u8]) -> u64 {
        bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | byte as u64)
    }

    fn split(&mut self, value: u64, _: usize) -> [u8; 8] {
        value.to_le_bytes()
    }
}
