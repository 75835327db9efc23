//! Searching the paths of a program for the one that costs most.
//!
//! A [`Program`](program::Program) runs until something depends on the input and yields a decision; the
//! [`kernel`] asks a [`Decider`](decider::Decider) for the arm and the solver whether it is feasible; a
//! [`Strategy`](strategy::Strategy) is the outer loop that invents deciders and preconditions and keeps the best path.
//! Nothing here knows WebAssembly.

pub mod budget;
pub mod decider;
mod decision;
mod domain;
pub mod frontier;
pub mod generation;
pub mod kernel;
pub mod layout;
pub mod objective;
pub mod observation;
pub mod path;
pub mod places;
pub mod policy;
pub mod program;
pub mod random;
pub mod sample;
pub mod search;
pub mod strategy;
mod variable;
pub mod walk;
pub mod watch;
