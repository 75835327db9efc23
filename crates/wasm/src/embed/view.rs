//! What a host function can do to the program that called it.

use pessimum_term::VariableId;

use crate::domain::Domain;
use crate::host::{Caller, Interrupt, Kept};
use crate::machine::{Machine, MemoryAddress};

/// The program as a host function sees it.
pub(super) struct View<'a, D: Domain> {
    pub machine: &'a mut Machine<D>,
    pub domain: &'a mut D,
    pub memory: Option<MemoryAddress>,
    pub answers: &'a [u64],
    pub answered: usize,
    /// Bytes moved by this call.
    pub moved: u64,
}

impl<D: Domain> Caller for View<'_, D> {
    type Value = D::Value;

    fn input(&mut self, variable: VariableId, width: u32) -> D::Value {
        self.domain.input(variable, width)
    }

    fn byte(&mut self, byte: u8) -> D::Value {
        D::constant(u64::from(byte))
    }

    fn known(&self, value: D::Value) -> Option<u64> {
        D::known(value)
    }

    fn number(&mut self, value: D::Value, width: u32) -> Result<u64, Interrupt<D::Value>> {
        if let Some(bits) = D::known(value) {
            return Ok(bits);
        }
        self.answered += 1;
        self.answers.get(self.answered - 1).copied().ok_or(Interrupt::NeedConcrete(value, width))
    }

    fn keep(&self, value: D::Value) -> Kept {
        match D::as_term(value) {
            Some(term) => Kept::Term(term),
            None => Kept::Known(D::known(value).unwrap_or_default() as u8),
        }
    }

    fn kept(&mut self, byte: Kept) -> D::Value {
        match byte {
            Kept::Known(byte) => D::constant(u64::from(byte)),
            Kept::Term(term) => self.domain.of_term(term),
        }
    }

    fn work(&mut self, bytes: u64) {
        self.moved += bytes;
    }

    fn add_cost(&mut self, cost: u64) {
        self.machine.add_user_cost(cost);
        self.domain.reported(cost);
    }

    fn begin(&mut self) {
        self.machine.begin_counting();
        self.domain.began();
        self.moved += self.machine.bytes();
    }

    fn end(&mut self) {
        if self.machine.end_counting() {
            self.domain.ended();
            self.moved += self.machine.bytes();
        }
    }

    fn load(&mut self, address: u64) -> Result<D::Value, Interrupt<D::Value>> {
        self.moved += 1;
        let memory = self.memory.ok_or(Interrupt::OutOfBounds)?;
        self.machine.memory(memory).read_value(self.domain, address, 1).ok_or(Interrupt::OutOfBounds)
    }

    fn store(&mut self, address: u64, value: D::Value) -> Result<(), Interrupt<D::Value>> {
        self.moved += 1;
        let memory = self.memory.ok_or(Interrupt::OutOfBounds)?;
        match self.machine.memory_mut(memory).write_value(self.domain, address, value, 1) {
            true => Ok(()),
            false => Err(Interrupt::OutOfBounds),
        }
    }
}
