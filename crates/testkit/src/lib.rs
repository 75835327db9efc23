//! Programs with known answers and oracles to compare searches with. A dev-dependency only.
//!
//! - [`script`]: programs written as closures; easy to write, slow on long paths (each event runs them again).
//! - [`machine`]: a small register machine with memory; as fast as a program can be, and easy to generate at random.
//! - [`subjects`]: sorting, trees, heaps and tables in one of these forms, with what is known about their paths.
//! - [`calls`]: libraries of functions with state, for tests that are sequences of calls.
//! - [`native`]: programs written as async functions; as easy to write as scripts, and a decision costs one poll.
//! - [`benchmarks`]: the papers' subjects in that form, for comparing strategies.
//! - [`papers`]: subjects of the ESE and WISE papers, with families of programs by size.
//! - [`oracle`]: every input of a small program, run one by one.
//! - [`ranged`]: conditions on wide inputs with few allowed values, tried one by one.
//! - `smith` (a feature): the settings of random modules.
//! - [`rules`]: the rewrite rules of terms as data, for their proofs.
//! - [`tools`]: compilers on this machine.

pub mod benchmarks;
pub mod calls;
pub mod machine;
pub mod native;
pub mod oracle;
pub mod papers;
pub mod ranged;
pub mod rules;
pub mod script;
#[cfg(feature = "smith")]
pub mod smith;
pub mod subjects;
pub mod tools;
pub mod value;
