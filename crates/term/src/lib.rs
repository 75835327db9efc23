//! Hash-consed terms over bit-vectors: what a program's values look like as functions of its input.

pub mod ops;

mod arena;
mod evaluate;
mod table;
#[cfg(test)]
mod testing;
mod variables;

pub use arena::{Arena, Mark, Node, Revision, TermId, VariableId};
pub use evaluate::{Evaluator, Witness};
pub use ops::{BinaryOp, UnaryOp};
pub use variables::Variables;
