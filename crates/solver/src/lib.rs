//! Is there an input that satisfies these conditions, and which one?
//!
//! [`Context`] holds the conditions of one path and a witness that satisfies them. A question that the witness does
//! not answer goes through a stack of layers, cheapest first; `layers::stack` is the list. A layer answers exactly or
//! passes the question on.
//!
//! What is evaluated before a new witness leaves the solver depends on the layer that found it:
//!
//! - small domain, Boolean combinations, recent witnesses, sampling, meeting in the middle, bit-blasting, local search, float
//!   circuits: the query and every condition of the path that mentions a variable with a new value;
//! - linear: the same; where the whole path is linear, the query and the rows with a variable that has a new value, but
//!   not the bounds of single variables;
//! - order: the same, if some condition connected with the query is not a plain comparison. Among comparisons alone
//!   nothing is evaluated: evaluating the conditions of a sort took 55 to 500 times as long as finding the witness.
//!
//! With [`Settings::validate`], every witness is evaluated against the whole path, and bit-blasting has to agree. With
//! [`Settings::recheck`], a sample of the answers "no" is given again in another way.

mod avm;
mod batsat;
mod blast;
mod boolean;
#[cfg(feature = "cadical")]
mod cadical;
mod circuits;
mod context;
mod counters;
mod domain;
mod equality;
mod floats;
mod form;
mod gates;
mod lanes;
mod layers;
mod linear;
mod middle;
mod order;
mod parts;
mod path;
mod recent;
mod recheck;
mod remaining;
mod sample;
mod sat;
mod settings;
mod tables;
mod until;
mod validate;

use pessimum_term::{Arena, TermId, Witness};

pub use context::Context;
pub use counters::{Counters, LayerCounters, LayerName};
pub use recheck::{Auditor, Disagreement, LoggedQuery, QueryLog, Recheck, SECOND_SOLVER, Status};
pub use settings::Settings;
pub use until::{Cancel, Until};

/// What the solver found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A witness that satisfies every condition.
    Sat(Witness),
    /// Conditions that cannot hold together (a subset of those asked about).
    Unsat(Vec<TermId>),
    /// No layer could tell.
    Unknown(Why),
}

/// Why a query was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Why {
    /// The conflict limit of the SAT solver.
    Conflicts,
    /// The conditions make larger circuits than [`Settings::variables`] allows.
    Circuits,
    /// The step limit of meeting in the middle or of local search.
    Steps,
    /// The deadline, or a flag that was raised ([`Settings::until`]).
    Deadline,
    /// The slow layers had taken their share in vain ([`Context::set_fruitless_share`], [`Context::set_fruitless_work`]).
    Patience,
    /// A layer said "no", and its re-check contradicted it ([`Settings::recheck`]).
    Disputed,
}

/// What became of a condition handed to [`Context::assume`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Assumed {
    /// Added; the witness satisfied it already.
    Held,
    /// Added; the witness changed.
    Moved,
    /// Not added: it contradicts the conditions in this core (which includes the condition itself).
    Conflict(Vec<TermId>),
    /// Not added: the query was given up.
    Unknown(Why),
}

/// Solves a set of conditions from scratch, starting from the all-zero witness.
pub fn check(arena: &mut Arena, conditions: &[TermId]) -> Answer {
    check_with(arena, conditions, Settings::default())
}

/// Like [`check`], with other settings.
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
