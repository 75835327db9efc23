//! Suites of tests that are sequences of calls.

mod account;
mod mutants;
mod words;

pub use account::{Asked, result, tests_of};
pub use mutants::score;
