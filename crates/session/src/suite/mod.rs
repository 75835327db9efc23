//! Suites of tests that are sequences of calls.

mod account;
mod distinct;
mod mutants;
mod record;
mod simple;
mod stronger;
mod words;
mod written;

pub use account::{Asked, result};
pub use distinct::distinct;
pub use mutants::{Mutants, Source};
pub use record::{FoundTest, NAME, SuitePlan, recorded};
pub use simple::{each, simplified};
pub use words::statements;
pub use written::derived;
