//! Suites of tests that are sequences of calls.

mod account;
mod distinct;
mod mutants;
mod simple;
mod stronger;
mod words;
mod written;

/// The name of the journal in the directory of a search.
pub const NAME: &str = "suite.jsonl";

pub use account::{Asked, result};
pub use distinct::distinct;
pub use mutants::{Mutants, Source};
pub use simple::{each, simplified};
pub use words::statements;
pub use written::derived;
