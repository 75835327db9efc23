//! What a host function may do to the program that called it: the seam between the machine on one side and
//! [`crate::wasi`] and [`crate::guest`] on the other.

use pessimum_term::{TermId, VariableId};

use crate::shared_list::SharedList;

/// A byte that a host function keeps beyond its call, in whatever domain it was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kept {
    /// It does not depend on the input.
    Known(u8),
    /// It does: a term of 8 bits.
    Term(TermId),
}

/// The program that called a host function: its memory and its input, in whatever values it computes with.
pub(crate) trait Caller {
    /// A value; bytes of memory are values of 8 bits.
    type Value: Copy;

    /// The input variable with this number.
    fn input(&mut self, variable: VariableId, width: u32) -> Self::Value;

    /// A constant byte.
    fn byte(&mut self, byte: u8) -> Self::Value;

    /// The number, if the value does not depend on the input.
    fn known(&self, value: Self::Value) -> Option<u64>;

    /// The number, decided if it depends on the input. An undecided number interrupts the call; when the call is
    /// repeated, the answers are given out in the order in which they were asked for.
    fn number(&mut self, value: Self::Value, width: u32) -> Result<u64, Interrupt<Self::Value>>;

    /// A byte in the form in which it outlives the call.
    fn keep(&self, value: Self::Value) -> Kept;

    /// The value of a byte that was kept.
    fn kept(&mut self, byte: Kept) -> Self::Value;

    /// Counts work other than moving bytes to and from memory as if it moved this many.
    fn work(&mut self, bytes: u64);

    /// Adds to the cost that the program itself reports.
    fn add_cost(&mut self, cost: u64);

    /// From here on everything counts, and nothing before it does.
    fn begin(&mut self);

    /// What follows does not count.
    fn end(&mut self);

    /// The byte at an address.
    fn load(&mut self, address: u64) -> Result<Self::Value, Interrupt<Self::Value>>;

    /// Replaces the byte at an address.
    fn store(&mut self, address: u64, value: Self::Value) -> Result<(), Interrupt<Self::Value>>;
}

/// Why a host function could not finish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Interrupt<V> {
    /// An address outside the memory.
    OutOfBounds,
    /// A number is needed, but the value (of this width) depends on the input: decide it and call again.
    NeedConcrete(V, u32),
}

/// How a host function ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome<V> {
    /// With this result, or none.
    Return(Option<u64>),
    /// With a result that depends on the input.
    Value(V),
    /// The program asked to end with this code.
    Exit(u32),
    /// See [`Interrupt::NeedConcrete`].
    NeedConcrete(V, u32),
    /// The condition must differ from zero for the path to be of interest; the function returns nothing.
    Assume(V),
    /// The call cannot be carried out; the program traps for this reason.
    Trap(String),
}

pub(crate) fn read_bytes<C: Caller>(caller: &mut C, address: u64, length: u64) -> Result<Vec<u8>, Interrupt<C::Value>> {
    let mut bytes = Vec::new();
    for i in 0..length {
        let value = caller.load(address + i)?;
        bytes.push(caller.number(value, 8)? as u8);
    }
    Ok(bytes)
}

pub(crate) fn read_u32<C: Caller>(caller: &mut C, address: u64) -> Result<u32, Interrupt<C::Value>> {
    let bytes = read_bytes(caller, address, 4)?;
    Ok(bytes.iter().rev().fold(0, |value, &byte| value << 8 | u32::from(byte)))
}

pub(crate) fn read_u64<C: Caller>(caller: &mut C, address: u64) -> Result<u64, Interrupt<C::Value>> {
    let bytes = read_bytes(caller, address, 8)?;
    Ok(bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte)))
}

pub(crate) fn write_bytes<C: Caller>(caller: &mut C, address: u64, bytes: &[u8]) -> Result<(), Interrupt<C::Value>> {
    for (i, &byte) in bytes.iter().enumerate() {
        let value = caller.byte(byte);
        caller.store(address + i as u64, value)?;
    }
    Ok(())
}

pub(crate) fn write_u32<C: Caller>(caller: &mut C, address: u64, value: u32) -> Result<(), Interrupt<C::Value>> {
    write_bytes(caller, address, &value.to_le_bytes())
}

pub(crate) fn write_u64<C: Caller>(caller: &mut C, address: u64, value: u64) -> Result<(), Interrupt<C::Value>> {
    write_bytes(caller, address, &value.to_le_bytes())
}

/// Finds out whether a range is in memory before anything is changed. Ranges have no holes: both ends tell.
pub(crate) fn check_range<C: Caller>(caller: &mut C, address: u64, length: u64) -> Result<(), Interrupt<C::Value>> {
    if let Some(last) = length.checked_sub(1) {
        caller.load(address)?;
        caller.load(address + last)?;
    }
    Ok(())
}

/// At most this many bytes of each output stream are kept.
pub const MAX_CAPTURED: usize = 1 << 20;

/// What a program wrote to a stream: the first bytes and how many there were in all. Bytes that depend on the input
/// appear as `?` (a concrete run has none).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    kept: SharedList<u8, CAPTURED_CHUNK>,
    total: u64,
}

/// Captured bytes that are shared between forks as one.
const CAPTURED_CHUNK: usize = 4096;

impl Captured {
    /// How many more bytes are kept.
    pub(crate) fn room(&self) -> u64 {
        (MAX_CAPTURED - self.kept.len()) as u64
    }

    /// Takes the first of `total` bytes that were written, as many as there is room for.
    pub(crate) fn push(&mut self, bytes: impl Iterator<Item = Option<u64>>, total: u64) {
        self.total += total;
        for byte in bytes {
            self.kept.push(byte.map_or(b'?', |byte| byte as u8));
        }
    }

    /// Bytes that a fork may come to hold for itself alone.
    pub(crate) fn own_bytes(&self) -> u64 {
        self.kept.own_bytes()
    }

    /// The first [`MAX_CAPTURED`] bytes.
    pub fn bytes(&self) -> Vec<u8> {
        self.kept.to_vec()
    }

    /// Number of bytes written, kept or not.
    pub fn total(&self) -> u64 {
        self.total
    }
}
