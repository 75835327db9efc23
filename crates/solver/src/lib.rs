//! Is there an input that satisfies these conditions, and which one?
//!
//! [`Context`] holds the conditions of one path and a witness that satisfies them. A question that the witness does
//! not answer goes through a stack of layers, cheapest first; `layers::stack` is the list. A layer answers exactly or
//! passes the question on.

mod avm;
#[cfg(not(feature = "cadical"))]
mod batsat;
mod blast;
#[cfg(feature = "cadical")]
mod cadical;
mod circuits;
mod context;
mod counters;
mod domain;
mod form;
mod gates;
mod lanes;
mod layers;
mod linear;
mod order;
mod parts;
mod path;
mod recent;
mod sample;
mod sat;
mod settings;
mod validate;

use pessimum_term::{Arena, TermId, Witness};

pub use context::{Context, Log};
pub use counters::{Counters, LayerCounters, LayerName};
pub use settings::Settings;

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

/// Solves a set of conditions from nothing, starting from the all-zero witness.
pub fn check(arena: &mut Arena, conditions: &[TermId]) -> Answer {
    check_with(arena, conditions, Settings::default())
}

/// The same within other limits.
pub fn check_with(arena: &mut Arena, conditions: &[TermId], settings: Settings) -> Answer {
    let mut context = Context::new(settings);
    for &condition in conditions {
        match context.assume(arena, condition) {
            Assumed::Held | Assumed::Moved => {}
            Assumed::Conflict(core) => return Answer::Unsat(core),
            Assumed::Unknown(why) => return Answer::Unknown(why),
        }
    }
    Answer::Sat(context.witness().clone())
}
