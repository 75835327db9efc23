//! Suites of tests that are sequences of calls.

mod account;
mod distinct;
mod mutants;
mod simple;
mod words;

pub use account::{Asked, result};
pub use distinct::distinct;
pub use mutants::Mutants;
pub use simple::{each, simplified};
pub use words::statements;
