//! Loads and stores.

use pessimum_term::{BinaryOp, UnaryOp};

use super::answers::Answers;
use super::control::Run;
use super::{Leave, Stop};
use crate::domain::Domain;
use crate::machine::{Question, Trap};
use crate::memory::Memory;

/// The address of an access of `count` bytes. Once decided, the base is that constant on the rest of the path.
#[inline(always)]
pub(super) fn address<D: Domain, S: Stop<D::Value>>(
    run: &mut Run<'_, D>,
    base: &mut D::Value,
    offset: u32,
    count: u64,
) -> Result<u64, S> {
    let bits = match D::known(*base) {
        Some(bits) => bits,
        None if S::QUICK => return Err(S::slowly()),
        None => decide_base(run.domain, &mut run.answers, &run.memory, base, u64::from(offset), count)
            .map_err(|leave| S::because(|| leave))?,
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
    let mut beyond = match memory.len().checked_sub(offset + count) {
        Some(last) if last >= u64::from(u32::MAX) => D::constant(0),
        Some(last) => domain.compare(BinaryOp::LtU, false, 32, D::constant(last), *base),
        None => D::constant(1),
    };
    if let Some(apart) = memory.apart()
        && let Some(last) = apart.end.checked_sub(offset + count)
    {
        let first = apart.start.saturating_sub(offset);
        beyond = and_outside(domain, beyond, 32, [(*base, first), (*base, last.min(u64::from(u32::MAX)))]);
    }
    if answers.traps::<D, Leave<D::Value>>(beyond)? {
        return Err(Trap::MemoryOutOfBounds.into());
    }
    let bits = answers.bits::<D, Leave<D::Value>>(*base, Question::Value)?;
    *base = D::constant(bits);
    Ok(bits)
}

/// Whether a condition holds and a range is not where bytes lie apart, by its first address, which must not be below a bound,
/// and by another one that must not be above its bound.
pub(super) fn and_outside<D: Domain>(
    domain: &mut D,
    condition: D::Value,
    width: u32,
    [(first, least), (last, most)]: [(D::Value, u64); 2],
) -> D::Value {
    let below = domain.compare(BinaryOp::LtU, false, width, first, D::constant(least));
    let above = domain.compare(BinaryOp::LtU, false, width, D::constant(most), last);
    let outside = domain.binary(BinaryOp::Or, 32, below, above);
    domain.binary(BinaryOp::And, 32, condition, outside)
}

/// The `N` bytes at an address, extended to width `to`.
#[inline(always)]
pub(super) fn load<D: Domain, S: Stop<D::Value>, const N: usize>(
    run: &mut Run<'_, D>,
    address: u64,
    signed: bool,
    to: u32,
) -> Result<D::Value, S> {
    let value = match run.memory.load_plain::<N>(address) {
        Some(value) => value,
        None if S::QUICK => return Err(S::slowly()),
        None => run.memory.load_bytes(run.domain, address, N).map_err(|_| Trap::MemoryOutOfBounds)?,
    };
    Ok(extended(run.domain, 8 * N as u32, signed, to, value))
}

/// The same at `base + offset`. Even if that depends on the input, the domain may know the bytes.
#[inline(always)]
pub(super) fn load_from<D: Domain, S: Stop<D::Value>, const N: usize>(
    run: &mut Run<'_, D>,
    base: &mut D::Value,
    offset: u32,
    signed: bool,
    to: u32,
) -> Result<D::Value, S> {
    if D::SYMBOLIC
        && D::known(*base).is_none()
        && let Some(value) = run.domain.look_up(&run.memory, *base, u64::from(offset), N)
    {
        return Ok(extended(run.domain, 8 * N as u32, signed, to, value));
    }
    let address = address::<D, S>(run, base, offset, N as u64)?;
    load::<D, S, N>(run, address, signed, to)
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
pub(super) fn store<D: Domain, S: Stop<D::Value>, const N: usize>(
    run: &mut Run<'_, D>,
    address: u64,
    value: D::Value,
) -> Result<(), S> {
    if run.memory.store_plain::<N>(address, value) {
        return Ok(());
    }
    if S::QUICK {
        return Err(S::slowly());
    }
    run.memory.store_bytes(run.domain, address, value, N).map_err(|_| Trap::MemoryOutOfBounds.into())
}
