//! Hash-consed terms over bit-vectors: what a program's values look like as functions of its input.

pub mod distance;
pub mod ops;
pub mod random;

mod arena;
mod display;
mod evaluate;
mod recent;
mod rewrite;
pub mod smtlib;
mod table;
mod variables;

pub use arena::{Arena, Mark, Node, Revision, TermId, VariableId};
pub use display::Displayed;
pub use evaluate::{Evaluator, Witness};
pub use ops::{BinaryOp, UnaryOp};
pub use rewrite::names as rewrite_rules;
pub use variables::Variables;
