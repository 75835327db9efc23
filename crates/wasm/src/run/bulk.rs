//! The rarer instructions on memories and tables.
//!
//! An instruction that moves bytes costs one instruction for every 8 bytes, rounded up and at least 1; an element of a
//! table counts as 8 bytes. Otherwise a loop around `memory.fill` could keep a machine busy for hours while it appeared
//! to execute a few thousand instructions. For the same reason a long move is made in pieces, between which the run may
//! pause or end at its limit.

use std::sync::Arc;

use pessimum_term::{BinaryOp, UnaryOp};

use super::Leave;
use super::answers::Answers;
use super::memory::and_outside;
use crate::code::{Bulk, Slot};
use crate::domain::Domain;
use crate::machine::{InstanceId, Limit, Machine, Question, TableAddress, Trap};
use crate::memory::WASM_PAGE;

/// Bytes that are moved between two checks of the limits: a fraction of a millisecond, or a few if terms are moved. A
/// multiple of 8.
const PIECE: u64 = 1 << 20;

/// Bytes that cost as much as one instruction.
const BYTES_PER_INSTRUCTION: u64 = 8;

/// An instruction on memory that paused before its end. Its operands are decided.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unfinished {
    /// Where to, where from (0 for a fill), and how many bytes.
    operands: [u64; 3],
    /// The bytes that have been moved.
    done: u64,
}

impl<D: Domain> Machine<D> {
    /// Executes the instruction in the current frame and adds to the accumulated cost what it moves. If it stops with a
    /// question or a trap, it has changed nothing; after a pause it continues where it was.
    pub(crate) fn bulk(&mut self, domain: &mut D, bulk: Bulk, answers: &mut Answers) -> Result<(), Leave<D::Value>> {
        let id = InstanceId(self.instance);
        match bulk {
            Bulk::MemorySize { dst } => {
                let pages = self.memory(self.instance(id).memory).wasm_pages();
                self.set_slot(dst, D::constant(pages as u64));
            }
            Bulk::MemoryGrow { dst, delta } => {
                let delta = self.known_slot(delta, answers)?;
                let memory = self.instance(id).memory;
                let old = self.try_grow(memory, delta as u32)?;
                // It costs one instruction, but the operating system takes its time for every page.
                if old.is_some() && self.pause_after != u64::MAX {
                    let bytes = u64::from(delta as u32) * WASM_PAGE;
                    self.pause_after = self.pause_after.saturating_sub(bytes / BYTES_PER_INSTRUCTION);
                }
                self.set_slot(dst, D::constant(old.unwrap_or(u32::MAX) as u64));
            }
            Bulk::MemoryCopy { to, from, count } => self.copy_memory(domain, answers, [to, from, count])?,
            Bulk::MemoryFill { to, value, count } => self.fill_memory(domain, answers, [to, value, count])?,
            Bulk::MemoryInit { to, from, count, segment } => {
                self.init_memory(domain, answers, [to, from, count], segment)?
            }
            Bulk::DataDrop { segment } => self.drop_data(id, segment),
            Bulk::TableGet { dst, index, table } => {
                let index = self.known_slot(index, answers)?;
                let table = self.instance(id).tables[table as usize];
                let reference = *self.table(table).get(index as usize).ok_or(Trap::TableOutOfBounds)?;
                self.set_slot(dst, D::constant(reference));
            }
            Bulk::TableSet { index, value, table } => {
                let [index, value] = self.known_slots([index, value], answers)?;
                let table = self.instance(id).tables[table as usize];
                let elements = self.elements_mut(table);
                *elements.get_mut(index as usize).ok_or(Trap::TableOutOfBounds)? = value;
            }
            Bulk::TableSize { dst, table } => {
                let table = self.instance(id).tables[table as usize];
                let size = self.table(table).len();
                self.set_slot(dst, D::constant(size as u64));
            }
            Bulk::TableGrow { dst, value, delta, table } => {
                self.grow_table(domain, answers, [dst, value, delta], table)?
            }
            Bulk::TableFill { to, value, count, table } => {
                let [to, value, count] = self.known_slots([to, value, count], answers)?;
                let table = self.instance(id).tables[table as usize];
                let range = to as usize..(to + count) as usize;
                self.table(table).get(range.clone()).ok_or(Trap::TableOutOfBounds)?;
                self.charge(domain, count.saturating_sub(1))?;
                self.elements_mut(table)[range].fill(value);
            }
            Bulk::TableCopy { to, from, count, to_table, from_table } => {
                self.copy_table(domain, answers, [to, from, count], [to_table, from_table])?
            }
            Bulk::TableInit { to, from, count, table, segment } => {
                let [to, from, count] = self.known_slots([to, from, count], answers)?;
                let table = self.instance(id).tables[table as usize];
                self.check_table_init(id, table, segment, [to, from, count])?;
                self.charge(domain, count.saturating_sub(1))?;
                self.table_init(id, table, segment, to, from, count)?;
            }
            Bulk::ElementDrop { segment } => self.drop_elements(id, segment),
        }
        Ok(())
    }

    fn copy_memory(
        &mut self,
        domain: &mut D,
        answers: &mut Answers,
        [to, from, count]: [Slot; 3],
    ) -> Result<(), Leave<D::Value>> {
        let id = InstanceId(self.instance);
        let [to, from, count] = match self.unfinished {
            Some(unfinished) => unfinished.operands,
            None => {
                self.check_memory(domain, to, count, answers)?;
                self.check_memory(domain, from, count, answers)?;
                self.known_slots([to, from, count], answers)?
            }
        };
        let address = self.instance(id).memory;
        let memory = self.memory(address);
        if !memory.contains(to, count) || !memory.contains(from, count) {
            return Err(Trap::MemoryOutOfBounds.into());
        }
        self.move_bytes(domain, [to, from, count], |machine, done, length| {
            // In the direction in which no piece overwrites a later one.
            let start = if to > from { count - done - length } else { done };
            machine.memory_mut(address).copy(to + start, from + start, length);
        })?;
        Ok(())
    }

    fn fill_memory(
        &mut self,
        domain: &mut D,
        answers: &mut Answers,
        [to, value, count]: [Slot; 3],
    ) -> Result<(), Leave<D::Value>> {
        let id = InstanceId(self.instance);
        let [to, _, count] = match self.unfinished {
            Some(unfinished) => unfinished.operands,
            None => {
                self.check_memory(domain, to, count, answers)?;
                let [to, count] = self.known_slots([to, count], answers)?;
                [to, 0, count]
            }
        };
        let value = self.slot(value);
        let byte = domain.split(value, 1)[0];
        let address = self.instance(id).memory;
        if !self.memory(address).contains(to, count) {
            return Err(Trap::MemoryOutOfBounds.into());
        }
        let known = D::known(value).map(|bits| bits as u8);
        self.move_bytes(domain, [to, 0, count], |machine, done, length| {
            machine.memory_mut(address).fill(to + done, byte, known, length);
        })?;
        Ok(())
    }

    fn init_memory(
        &mut self,
        domain: &mut D,
        answers: &mut Answers,
        [to, from, count]: [Slot; 3],
        segment: u32,
    ) -> Result<(), Leave<D::Value>> {
        let id = InstanceId(self.instance);
        let [to, from, count] = match self.unfinished {
            Some(unfinished) => unfinished.operands,
            None => {
                self.check_memory(domain, to, count, answers)?;
                self.known_slots([to, from, count], answers)?
            }
        };
        let store = self.store.clone();
        let instance = &store.instances[id.0 as usize];
        let dropped = self.dropped[id.0 as usize].data[segment as usize];
        let bytes: &[u8] = if dropped { &[] } else { &instance.module.data[segment as usize].bytes };
        let bytes = bytes.get(from as usize..(from + count) as usize).ok_or(Trap::MemoryOutOfBounds)?;
        if !self.memory(instance.memory).contains(to, count) {
            return Err(Trap::MemoryOutOfBounds.into());
        }
        self.move_bytes(domain, [to, from, count], |machine, done, length| {
            let piece = &bytes[done as usize..(done + length) as usize];
            let written = machine.memory_mut(instance.memory).write(to + done, piece);
            debug_assert!(written, "the whole range is in bounds");
        })?;
        Ok(())
    }

    fn grow_table(
        &mut self,
        domain: &mut D,
        answers: &mut Answers,
        [dst, value, delta]: [Slot; 3],
        table: u32,
    ) -> Result<(), Leave<D::Value>> {
        let id = InstanceId(self.instance);
        let [value, delta] = self.known_slots([value, delta], answers)?;
        let table = self.instance(id).tables[table as usize];
        let old = self.table(table).len() as u64;
        let maximum = self.tables[table.0 as usize].ty.maximum.unwrap_or(u32::MAX);
        let result = if old + delta > maximum as u64 {
            u32::MAX as u64
        } else if self.table_elements() + delta > self.limits.table_elements as u64 {
            return Err(Limit::TableElements.into());
        } else {
            self.charge(domain, delta.saturating_sub(1))?;
            self.elements_mut(table).resize((old + delta) as usize, value);
            old
        };
        self.set_slot(dst, D::constant(result));
        Ok(())
    }

    fn copy_table(
        &mut self,
        domain: &mut D,
        answers: &mut Answers,
        [to, from, count]: [Slot; 3],
        [to_table, from_table]: [u32; 2],
    ) -> Result<(), Leave<D::Value>> {
        let id = InstanceId(self.instance);
        let [to, from, count] = self.known_slots([to, from, count], answers)?;
        let instance = self.instance(id);
        let (target, source) = (instance.tables[to_table as usize], instance.tables[from_table as usize]);
        let (to, from) = (to as usize..(to + count) as usize, from as usize..(from + count) as usize);
        self.table(target).get(to.clone()).ok_or(Trap::TableOutOfBounds)?;
        self.table(source).get(from.clone()).ok_or(Trap::TableOutOfBounds)?;
        self.charge(domain, count.saturating_sub(1))?;
        let copied = self.table(source)[from].to_vec();
        self.elements_mut(target)[to].copy_from_slice(&copied);
        Ok(())
    }

    /// Moves bytes in pieces: `piece` is told how many are done and how many to move now.
    fn move_bytes(
        &mut self,
        domain: &mut D,
        operands: [u64; 3],
        mut piece: impl FnMut(&mut Machine<D>, u64, u64),
    ) -> Result<(), Leave<D::Value>> {
        let [_, _, count] = operands;
        let mut done = self.unfinished.take().map_or(0, |unfinished| unfinished.done);
        loop {
            let length = (count - done).min(PIECE);
            // The instruction itself is counted like any other.
            let counted = u64::from(done == 0);
            self.charge(domain, length.div_ceil(BYTES_PER_INSTRUCTION).saturating_sub(counted))?;
            piece(self, done, length);
            done += length;
            if done == count {
                return Ok(());
            }
            if self.accumulated > i64::try_from(self.pause_after).unwrap_or(i64::MAX) {
                self.unfinished = Some(Unfinished { operands, done });
                return Err(Leave::Pause);
            }
        }
    }

    /// Adds to the accumulated cost, unless that exceeds the limit.
    fn charge(&mut self, domain: &mut D, instructions: u64) -> Result<(), Leave<D::Value>> {
        if instructions == 0 {
            return Ok(());
        }
        let after = self.accumulated.saturating_add_unsigned(instructions);
        if after > i64::try_from(self.limits.instructions).unwrap_or(i64::MAX) {
            return Err(Limit::Instructions.into());
        }
        self.accumulated = after;
        if D::PROFILED {
            domain.moved(self.pc as u32, instructions);
        }
        Ok(())
    }

    fn slot(&self, slot: Slot) -> D::Value {
        self.stack.values[self.base + slot as usize]
    }

    fn set_slot(&mut self, slot: Slot, value: D::Value) {
        self.stack.values[self.base + slot as usize] = value;
    }

    fn known_slot(&self, slot: Slot, answers: &mut Answers) -> Result<u64, Leave<D::Value>> {
        answers.bits::<D, _>(self.slot(slot), Question::Value)
    }

    fn known_slots<const N: usize>(
        &self,
        slots: [Slot; N],
        answers: &mut Answers,
    ) -> Result<[u64; N], Leave<D::Value>> {
        let mut bits = [0; N];
        for (bits, slot) in bits.iter_mut().zip(slots) {
            *bits = self.known_slot(slot, answers)?;
        }
        Ok(bits)
    }

    /// Asks whether `count` bytes at an address go beyond the memory, if that depends on the input. Known ranges are
    /// checked by the access itself.
    fn check_memory(
        &self,
        domain: &mut D,
        address: Slot,
        count: Slot,
        answers: &mut Answers,
    ) -> Result<(), Leave<D::Value>> {
        let (address, count) = (self.slot(address), self.slot(count));
        if D::known(address).is_some() && D::known(count).is_some() {
            return Ok(());
        }
        let memory = self.memory(self.instance(InstanceId(self.instance)).memory);
        let [address, count] = [address, count].map(|value| domain.unary(UnaryOp::ZeroExtend, 32, 64, value));
        let end = domain.binary(BinaryOp::Add, 64, address, count);
        let mut beyond = domain.compare(BinaryOp::LtU, false, 64, D::constant(memory.len()), end);
        if let Some(apart) = memory.apart() {
            beyond = and_outside(domain, beyond, 64, [(address, apart.start), (end, apart.end)]);
        }
        if answers.traps::<D, Leave<D::Value>>(beyond)? { Err(Trap::MemoryOutOfBounds.into()) } else { Ok(()) }
    }

    fn elements_mut(&mut self, table: TableAddress) -> &mut Vec<u64> {
        Arc::make_mut(&mut self.tables[table.0 as usize].elements)
    }

    /// Whether a part of a segment exists and fits into the table.
    fn check_table_init(
        &self,
        id: InstanceId,
        table: TableAddress,
        segment: u32,
        [to, from, count]: [u64; 3],
    ) -> Result<(), Trap> {
        let dropped = self.dropped[id.0 as usize].elements[segment as usize];
        let items = if dropped { 0 } else { self.module(id).elements[segment as usize].items.len() as u64 };
        let fits = from + count <= items && to + count <= self.table(table).len() as u64;
        if fits { Ok(()) } else { Err(Trap::TableOutOfBounds) }
    }

    pub(crate) fn table_init(
        &mut self,
        id: InstanceId,
        table: TableAddress,
        segment: u32,
        to: u64,
        from: u64,
        count: u64,
    ) -> Result<(), Trap> {
        let module = self.module(id).clone();
        let dropped = self.dropped[id.0 as usize].elements[segment as usize];
        let items = if dropped { &[] } else { module.elements[segment as usize].items.as_slice() };
        let items = items.get(from as usize..(from + count) as usize).ok_or(Trap::TableOutOfBounds)?;
        let references: Vec<u64> = items.iter().map(|&item| self.constant_bits(id, item)).collect();
        let elements = self.elements_mut(table);
        let place = elements.get_mut(to as usize..(to + count) as usize).ok_or(Trap::TableOutOfBounds)?;
        place.copy_from_slice(&references);
        Ok(())
    }

    pub(crate) fn drop_elements(&mut self, id: InstanceId, segment: u32) {
        Arc::make_mut(&mut self.dropped)[id.0 as usize].elements[segment as usize] = true;
    }

    pub(crate) fn drop_data(&mut self, id: InstanceId, segment: u32) {
        Arc::make_mut(&mut self.dropped)[id.0 as usize].data[segment as usize] = true;
    }
}
