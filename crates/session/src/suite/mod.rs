//! Suites of tests that are sequences of calls.

mod account;
mod mutants;
mod words;

pub use account::{Asked, result};
pub use mutants::Mutants;
