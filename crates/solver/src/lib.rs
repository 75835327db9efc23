//! Is there an input that satisfies these conditions, and which one?

use pessimum_term::{Arena, TermId, Witness};

/// What the solver found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A witness that was evaluated against every condition.
    Sat(Witness),
    /// Conditions that cannot hold together (a subset of those asked about).
    Unsat(Vec<TermId>),
    /// Nobody knows.
    Unknown(Why),
}

/// Why a query was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Why {
    /// The conflict limit of the SAT solver.
    Conflicts,
    /// The step limit of local search.
    Steps,
    /// The deadline.
    Deadline,
}

/// What became of a condition handed to [`Context::assume`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Assumed {
    /// Added; the witness satisfied it already.
    Held,
    /// Added; the witness changed.
    Moved,
    /// Not added: it contradicts the conditions in this core (itself included).
    Conflict(Vec<TermId>),
    /// Not added: given up.
    Unknown(Why),
}

/// Limits and switches.
#[derive(Clone, Debug, Default)]
pub struct Settings {}

/// The conditions of one path, a witness that satisfies all of them, and what the layers know about them.
pub struct Context {}

#[allow(unused_variables, missing_docs)]
impl Context {
    pub fn new(settings: Settings) -> Context {
        todo!()
    }
    /// Drops all conditions and starts again from this witness (a new path). Keeps counters.
    pub fn restart(&mut self, witness: Witness) {
        todo!()
    }
    /// The conditions, oldest first.
    pub fn conditions(&self) -> &[TermId] {
        todo!()
    }
    /// The witness; it satisfies every condition.
    pub fn witness(&self) -> &Witness {
        todo!()
    }
    /// The value of a term under the witness.
    pub fn value(&mut self, arena: &Arena, term: TermId) -> u64 {
        todo!()
    }
    /// Adds a condition, moving the witness if it must. "Add these one by one and skip those that conflict" is a
    /// loop over this.
    pub fn assume(&mut self, arena: &mut Arena, condition: TermId) -> Assumed {
        todo!()
    }
    /// Whether the condition could hold together with those assumed. Adds nothing; an `assume` of the same condition
    /// right afterwards does not solve again.
    pub fn feasible(&mut self, arena: &mut Arena, condition: TermId) -> Answer {
        todo!()
    }
    /// Forgets all but the first `length` conditions; the witness may stay (it satisfies them).
    pub fn truncate(&mut self, length: usize) {
        todo!()
    }
}
