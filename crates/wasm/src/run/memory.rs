//! Loads and stores.

use pessimum_term::{BinaryOp, UnaryOp};

use super::Leave;
use super::answers::Answers;
use crate::domain::Domain;
use crate::machine::{Question, Trap};
use crate::memory::Memory;

/// The address of an access of `count` bytes. Once decided, the base is that constant on the rest of the path.
#[inline(always)]
pub(super) fn address<D: Domain>(
    domain: &mut D,
    answers: &mut Answers,
    memory: &Memory<D>,
    base: &mut D::Value,
    offset: u32,
    count: u64,
) -> Result<u64, Leave<D::Value>> {
    let bits = match D::known(*base) {
        Some(bits) => bits,
        None => decide_base(domain, answers, memory, base, u64::from(offset), count)?,
    };
    Ok(bits + u64::from(offset))
}

#[cold]
#[inline(never)]
fn decide_base<D: Domain>(
    domain: &mut D,
    answers: &mut Answers,
    memory: &Memory<D>,
    base: &mut D::Value,
    offset: u64,
    count: u64,
) -> Result<u64, Leave<D::Value>> {
    let beyond = match memory.len().checked_sub(offset + count) {
        Some(last) if last >= u64::from(u32::MAX) => D::constant(0),
        Some(last) => domain.compare(BinaryOp::LtU, false, 32, D::constant(last), *base),
        None => D::constant(1),
    };
    if answers.traps::<D>(beyond)? {
        return Err(Trap::MemoryOutOfBounds.into());
    }
    let bits = answers.bits::<D>(*base, Question::Value)?;
    *base = D::constant(bits);
    Ok(bits)
}

/// The `N` bytes at an address, extended to width `to`.
#[inline(always)]
pub(super) fn load<D: Domain, const N: usize>(
    domain: &mut D,
    memory: &Memory<D>,
    address: u64,
    signed: bool,
    to: u32,
) -> Result<D::Value, Leave<D::Value>> {
    let value = match memory.load_plain::<N>(address) {
        Some(value) => value,
        None => memory.load_bytes(domain, address, N).map_err(|_| Trap::MemoryOutOfBounds)?,
    };
    Ok(extended(domain, 8 * N as u32, signed, to, value))
}

/// The same at `base + offset`. Even if that depends on the input, the domain may know the bytes.
#[inline(always)]
pub(super) fn load_from<D: Domain, const N: usize>(
    domain: &mut D,
    answers: &mut Answers,
    memory: &Memory<D>,
    base: &mut D::Value,
    offset: u32,
    signed: bool,
    to: u32,
) -> Result<D::Value, Leave<D::Value>> {
    if D::SYMBOLIC
        && D::known(*base).is_none()
        && let Some(value) = domain.look_up(memory, *base, u64::from(offset), N)
    {
        return Ok(extended(domain, 8 * N as u32, signed, to, value));
    }
    let address = address(domain, answers, memory, base, offset, N as u64)?;
    load::<D, N>(domain, memory, address, signed, to)
}

#[inline(always)]
fn extended<D: Domain>(domain: &mut D, from: u32, signed: bool, to: u32, value: D::Value) -> D::Value {
    match signed {
        _ if from == to => value,
        true => domain.unary(UnaryOp::SignExtend, from, to, value),
        false => domain.unary(UnaryOp::ZeroExtend, from, to, value),
    }
}

/// Stores the low `N` bytes of a value.
#[inline(always)]
pub(super) fn store<D: Domain, const N: usize>(
    domain: &mut D,
    memory: &mut Memory<D>,
    address: u64,
    value: D::Value,
) -> Result<(), Leave<D::Value>> {
    memory.store::<N>(domain, address, value).map_err(|_| Trap::MemoryOutOfBounds.into())
}
