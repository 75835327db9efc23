//! The value of a term under a witness, computed once per term and witness.

use crate::arena::{Arena, TermId, VariableId};

/// A concrete input: the value of each variable by its number; variables beyond the end are 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Witness {
    values: Vec<u64>,
}

#[allow(unused_variables, missing_docs)]
impl Witness {
    pub fn new(values: Vec<u64>) -> Witness {
        Witness { values }
    }
    pub fn get(&self, variable: VariableId) -> u64 {
        self.values.get(variable.0 as usize).copied().unwrap_or(0)
    }
    pub fn set(&mut self, variable: VariableId, value: u64) {
        todo!()
    }
    pub fn values(&self) -> &[u64] {
        &self.values
    }
}

/// Evaluates terms under one witness and remembers every value, so that a term on top of evaluated ones costs one
/// operation.
#[derive(Default)]
pub struct Evaluator {}

#[allow(unused_variables, missing_docs)]
impl Evaluator {
    pub fn new(witness: Witness) -> Evaluator {
        todo!()
    }
    pub fn witness(&self) -> &Witness {
        todo!()
    }
    /// Replaces the witness; remembered values are forgotten in constant time.
    pub fn set_witness(&mut self, witness: Witness) {
        todo!()
    }
    /// Changes one variable; remembered values are forgotten in constant time.
    pub fn set(&mut self, variable: VariableId, value: u64) {
        todo!()
    }
    /// The term's value under the witness. Not recursive: deep terms do not use the Rust stack.
    pub fn value(&mut self, arena: &Arena, term: TermId) -> u64 {
        todo!()
    }
}
