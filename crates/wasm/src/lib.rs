//! WebAssembly modules: loading them and running them exactly.

pub mod call;
pub mod names;
