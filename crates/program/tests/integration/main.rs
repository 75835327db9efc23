//! All in one program: each would be linked with the whole crate again.

mod budgets;
mod exceptions;
mod files;
mod goals;
mod library;
mod manifest;
mod observe;
mod prefix;
mod profile;
mod soundness;
mod traps;
