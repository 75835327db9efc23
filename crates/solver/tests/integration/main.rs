//! All in one program: each would be linked with the whole crate again.

mod common;

mod boolean;
mod brute_force;
mod context;
mod equality;
mod floats;
mod linear;
mod middle;
mod ranged;
mod rewrite_rules;
mod small_domain;
mod z3;
