//! What takes too long for `cargo test --workspace`: kills, browsers, programs compiled natively, and searches beside brute force
//! or tests by hand. `.ci/run thorough` runs it.

#[path = "../compiling/mod.rs"]
mod compiling;

mod cover;
mod kill;
mod native;
mod python_cover;
mod python_subjects;
mod python_work;
mod report;
