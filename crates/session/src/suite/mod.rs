//! Suites of tests that are sequences of calls.

mod account;
mod distinct;
mod mutants;
mod words;

pub use account::{Asked, result};
pub use distinct::distinct;
pub use mutants::Mutants;
pub use words::statements;
