//! Programs with known answers and oracles to compare searches with. A dev-dependency only.
//!
//! - [`script`]: programs written as closures; easy to write, slow on long paths (each event runs them again).
//! - [`machine`]: a small register machine with memory; as fast as a program can be, and easy to generate at random.
//! - [`subjects`]: sorting, trees, heaps, tables in both forms, with what is known of their paths.
//! - [`oracle`]: every input of a small program, run one by one.

pub mod machine;
pub mod oracle;
pub mod script;
pub mod subjects;
pub mod value;
