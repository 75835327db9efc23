//! The command line of Pessimum.
fn main() {}
