//! Tests that are sequences of calls, and suites of them.
//!
//! A [`Library`] says which functions there are. Given the sequence, only numbers are open: it is a
//! [`Program`](crate::program::Program) like any other ([`Library::program`]), so that the kernel, the solver and the
//! strategies work on it unchanged.

mod library;

pub use library::{Call, Function, Library, Parameter, Ran, Returned, Test};
