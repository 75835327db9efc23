//! Suites of tests that are sequences of calls.

mod mutants;
mod words;

pub use mutants::score;
