//! All in one program: each would be linked with the whole crate again.

mod patterns;
mod random_terms;
mod rules;
mod smtlib;
