//! The value of a term under a witness, computed once per term and witness.

use crate::arena::{Arena, Kind, Revision, Slot, TermId, VariableId, fold_binary, fold_unary};
use crate::ops::mask;

/// A concrete input: the value of each variable by its number; variables beyond the end are 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Witness {
    values: Vec<u64>,
}

impl Witness {
    /// Values by variable number.
    pub fn new(values: Vec<u64>) -> Witness {
        Witness { values }
    }

    /// The variable's value; 0 if none was given.
    #[inline(always)]
    pub fn get(&self, variable: VariableId) -> u64 {
        self.values.get(variable.0 as usize).copied().unwrap_or(0)
    }

    /// Gives the variable a value.
    pub fn set(&mut self, variable: VariableId, value: u64) {
        let number = variable.0 as usize;
        if number >= self.values.len() {
            self.values.resize(number + 1, 0);
        }
        self.values[number] = value;
    }

    /// Values by variable number, up to the last one given.
    pub fn values(&self) -> &[u64] {
        &self.values
    }
}

/// Evaluates terms under one witness and remembers every value, so that a term on top of evaluated ones costs one
/// operation.
///
/// May be used across [`Arena::release`] and [`Arena::collect`], and with several arenas (although alternating
/// between them forgets all values): the values of ids that have come to mean other terms are dropped first.
#[derive(Clone, Default)]
pub struct Evaluator {
    witness: Witness,
    /// By term: the value, and the epoch in which it was computed.
    values: Vec<(u64, u32)>,
    /// Changes with the witness; an entry of `values` from another epoch is stale. Entries never computed have epoch 0.
    epoch: u32,
    /// The arena's revision that `values` is valid for.
    revision: Revision,
    /// Terms under evaluation, each an operand of the one below; kept to reuse its memory.
    pending: Vec<TermId>,
}

impl Evaluator {
    /// An evaluator that remembers nothing yet.
    pub fn new(witness: Witness) -> Evaluator {
        Evaluator { witness, epoch: 1, ..Evaluator::default() }
    }

    /// The current witness.
    pub fn witness(&self) -> &Witness {
        &self.witness
    }

    /// Replaces the witness; remembered values are forgotten in constant time.
    pub fn set_witness(&mut self, witness: Witness) {
        self.witness = witness;
        self.forget();
    }

    /// Replaces the witness with a copy of this one, reusing the old one's memory; remembered values are forgotten in
    /// constant time.
    pub fn clone_witness_from(&mut self, witness: &Witness) {
        self.witness.values.clone_from(&witness.values);
        self.forget();
    }

    /// Changes one variable; remembered values are forgotten in constant time.
    pub fn set(&mut self, variable: VariableId, value: u64) {
        self.witness.set(variable, value);
        self.forget();
    }

    fn forget(&mut self) {
        self.epoch = self.epoch.wrapping_add(1);
        if self.epoch == 0 {
            self.values.clear();
            self.epoch = 1;
        }
    }

    /// The term's value under the witness. Not recursive: deep terms do not use the Rust stack.
    #[inline]
    pub fn value(&mut self, arena: &Arena, term: TermId) -> u64 {
        if self.revision != arena.revision() {
            self.values.truncate(arena.kept_since(self.revision));
            self.revision = arena.revision();
        }
        if self.epoch == 0 {
            self.epoch = 1; // made by `default`
        }
        if self.values.len() < arena.len() {
            self.values.resize(arena.len(), (0, 0));
        }
        match self.known(arena, term) {
            Some(value) => value,
            None => self.compute(arena, term),
        }
    }

    /// The value of a constant, of a variable, or of a term whose value is remembered.
    #[inline(always)]
    fn known(&self, arena: &Arena, term: TermId) -> Option<u64> {
        let slot = arena.slot(term);
        match slot.kind {
            Kind::Constant => Some(slot.constant_value()),
            Kind::Variable => Some(self.witness.get(VariableId(slot.operands[0])) & mask(slot.width as u32)),
            _ => {
                let (value, epoch) = self.values[term.index()];
                (epoch == self.epoch).then_some(value)
            }
        }
    }

    fn compute(&mut self, arena: &Arena, term: TermId) -> u64 {
        let mut current = term;
        loop {
            match self.step(arena, current) {
                Ok(value) => {
                    self.values[current.index()] = (value, self.epoch);
                    match self.pending.pop() {
                        Some(parent) => current = parent,
                        None => return value,
                    }
                }
                Err(unknown) => {
                    self.pending.push(current);
                    current = unknown;
                }
            }
        }
    }

    /// Evaluates one operator, or names an operand that is not known yet.
    #[inline(always)]
    fn step(&self, arena: &Arena, term: TermId) -> Result<u64, TermId> {
        let slot = *arena.slot(term);
        let operand = |index: usize| {
            let child = TermId(slot.operands[index]);
            self.known(arena, child).ok_or(child)
        };
        let width_of = |index: usize| arena.width(TermId(slot.operands[index]));
        let Slot { kind, width, low, .. } = slot;
        Ok(match kind {
            Kind::Constant | Kind::Variable => return self.known(arena, term).ok_or(term),
            Kind::Unary(op) => fold_unary(op, width_of(0), width as u32, operand(0)?),
            Kind::Binary(op) => fold_binary(op, width_of(0), operand(0)?, operand(1)?),
            Kind::Extract => operand(0)? >> low & mask(width as u32),
            Kind::Concat => operand(0)? << width_of(1) | operand(1)?,
            // Only the arm that is taken is needed; the other one may be a large term.
            Kind::IfThenElse => operand(if operand(0)? == 1 { 1 } else { 2 })?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BinaryOp, UnaryOp};

    #[test]
    fn a_changed_witness_is_seen() {
        let mut arena = Arena::new();
        let (x, y) = (arena.variable(VariableId(0), 32), arena.variable(VariableId(1), 32));
        let sum = arena.binary(BinaryOp::Add, x, y);
        let mut evaluator = Evaluator::new(Witness::new(vec![3, 4]));
        assert_eq!(evaluator.value(&arena, sum), 7);
        evaluator.set(VariableId(1), u32::MAX as u64);
        assert_eq!(evaluator.value(&arena, sum), 2);
        evaluator.set_witness(Witness::default());
        assert_eq!(evaluator.value(&arena, sum), 0);
    }

    #[test]
    fn deep_terms_do_not_use_the_stack() {
        let mut arena = Arena::new();
        let x = arena.variable(VariableId(0), 32);
        let mut term = x;
        for _ in 0..1_000_000 {
            let product = arena.binary(BinaryOp::Mul, term, x);
            term = arena.binary(BinaryOp::Xor, product, x);
        }
        let mut evaluator = Evaluator::new(Witness::new(vec![3]));
        let expected = (0..1_000_000).fold(3u32, |t, _| t.wrapping_mul(3) ^ 3);
        assert_eq!(evaluator.value(&arena, term), expected as u64);
    }

    #[test]
    fn reused_ids_do_not_bring_back_old_values() {
        let mut arena = Arena::new();
        let x = arena.variable(VariableId(0), 32);
        let old = arena.unary(UnaryOp::Popcnt, 32, x);
        let mut evaluator = Evaluator::new(Witness::new(vec![7]));
        assert_eq!(evaluator.value(&arena, old), 3);
        let mark = arena.mark();
        let clz = arena.unary(UnaryOp::Clz, 32, x);
        assert_eq!(evaluator.value(&arena, clz), 29);
        arena.release(mark);
        let ctz = arena.unary(UnaryOp::Ctz, 32, x);
        assert_eq!(ctz, clz, "the id is used again");
        assert_eq!(evaluator.value(&arena, ctz), 0);
        assert_eq!(evaluator.value(&arena, old), 3);
        let mut kept = ctz;
        arena.collect([&mut kept]);
        assert_eq!(kept, old, "the id is used again");
        assert_eq!(evaluator.value(&arena, kept), 0);
        let mut other = Arena::new();
        let y = other.variable(VariableId(0), 32);
        let clz = other.unary(UnaryOp::Clz, 32, y);
        assert_eq!(clz, kept);
        assert_eq!(evaluator.value(&other, clz), 29);
    }
}
