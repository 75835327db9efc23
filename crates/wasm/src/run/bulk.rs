//! The rarer instructions on memories and tables.

use std::sync::Arc;

use pessimum_term::{BinaryOp, UnaryOp};

use super::Leave;
use super::answers::Answers;
use crate::code::{Bulk, Slot};
use crate::domain::Domain;
use crate::machine::{InstanceId, Limit, Machine, Question, TableAddress, Trap};

impl<D: Domain> Machine<D> {
    /// Executes the instruction in the current frame. If it stops with a question or a trap, it has changed nothing.
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
                self.set_slot(dst, D::constant(old.unwrap_or(u32::MAX) as u64));
            }
            Bulk::MemoryCopy { to, from, count } => {
                self.check_memory(domain, to, count, answers)?;
                self.check_memory(domain, from, count, answers)?;
                let [to, from, count] = self.known_slots([to, from, count], answers)?;
                let address = self.instance(id).memory;
                let memory = self.memory_mut(address);
                if !memory.contains(to, count) || !memory.contains(from, count) {
                    return Err(Trap::MemoryOutOfBounds.into());
                }
                memory.copy(to, from, count);
            }
            Bulk::MemoryFill { to, value, count } => {
                self.check_memory(domain, to, count, answers)?;
                let [to, count] = self.known_slots([to, count], answers)?;
                let value = self.slot(value);
                let byte = domain.split(value, 1)[0];
                let address = self.instance(id).memory;
                let memory = self.memory_mut(address);
                if !memory.contains(to, count) {
                    return Err(Trap::MemoryOutOfBounds.into());
                }
                memory.fill(to, byte, D::known(value).map(|bits| bits as u8), count);
            }
            Bulk::MemoryInit { to, from, count, segment } => {
                self.check_memory(domain, to, count, answers)?;
                let [to, from, count] = self.known_slots([to, from, count], answers)?;
                let store = self.store.clone();
                let instance = &store.instances[id.0 as usize];
                let dropped = self.dropped[id.0 as usize].data[segment as usize];
                let bytes: &[u8] = if dropped { &[] } else { &instance.module.data[segment as usize].bytes };
                let range = from as usize..(from + count) as usize;
                let written = bytes.get(range).is_some_and(|bytes| self.memory_mut(instance.memory).write(to, bytes));
                if !written {
                    return Err(Trap::MemoryOutOfBounds.into());
                }
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
                let [value, delta] = self.known_slots([value, delta], answers)?;
                let table = self.instance(id).tables[table as usize];
                let old = self.table(table).len() as u64;
                let maximum = self.tables[table.0 as usize].ty.maximum.unwrap_or(u32::MAX);
                let result = if old + delta > maximum as u64 {
                    u32::MAX as u64
                } else if self.table_elements() + delta > self.limits.table_elements as u64 {
                    return Err(Limit::TableElements.into());
                } else {
                    self.elements_mut(table).resize((old + delta) as usize, value);
                    old
                };
                self.set_slot(dst, D::constant(result));
            }
            Bulk::TableFill { to, value, count, table } => {
                let [to, value, count] = self.known_slots([to, value, count], answers)?;
                let table = self.instance(id).tables[table as usize];
                let elements = self.elements_mut(table);
                elements.get_mut(to as usize..(to + count) as usize).ok_or(Trap::TableOutOfBounds)?.fill(value);
            }
            Bulk::TableCopy { to, from, count, to_table, from_table } => {
                let [to, from, count] = self.known_slots([to, from, count], answers)?;
                let instance = self.instance(id);
                let (target, source) = (instance.tables[to_table as usize], instance.tables[from_table as usize]);
                let copied = self.table(source).get(from as usize..(from + count) as usize).map(<[u64]>::to_vec);
                let copied = copied.ok_or(Trap::TableOutOfBounds)?;
                let elements = self.elements_mut(target);
                let place = elements.get_mut(to as usize..(to + count) as usize).ok_or(Trap::TableOutOfBounds)?;
                place.copy_from_slice(&copied);
            }
            Bulk::TableInit { to, from, count, table, segment } => {
                let [to, from, count] = self.known_slots([to, from, count], answers)?;
                let table = self.instance(id).tables[table as usize];
                self.table_init(id, table, segment, to, from, count)?;
            }
            Bulk::ElementDrop { segment } => self.drop_elements(id, segment),
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
        answers.bits::<D>(self.slot(slot), Question::Value)
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
        let bytes = self.memory(self.instance(InstanceId(self.instance)).memory).len();
        let [address, count] = [address, count].map(|value| domain.unary(UnaryOp::ZeroExtend, 32, 64, value));
        let end = domain.binary(BinaryOp::Add, 64, address, count);
        let beyond = domain.compare(BinaryOp::LtU, false, 64, D::constant(bytes), end);
        if answers.traps::<D>(beyond)? { Err(Trap::MemoryOutOfBounds.into()) } else { Ok(()) }
    }

    fn elements_mut(&mut self, table: TableAddress) -> &mut Vec<u64> {
        Arc::make_mut(&mut self.tables[table.0 as usize].elements)
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
