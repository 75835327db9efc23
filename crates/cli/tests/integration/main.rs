//! All in one program: each would be linked with the whole crate again.

#[path = "../compiling/mod.rs"]
mod compiling;
mod wasmi_wasi;

mod api;
mod cache;
mod call_language;
mod calls;
mod classes;
mod compare;
mod curve;
mod emit;
mod gate;
mod live;
mod manual;
mod path;
mod pattern;
mod programs;
mod project;
mod python;
mod queries;
mod records;
mod rust_sources;
mod schema;
mod sequences;
mod shrink;
mod sources;
mod suites;
mod whose;
mod width;
mod worst;
