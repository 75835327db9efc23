//! Source languages: each behind the same few questions of one trait, [`Language`].
//!
//! A folder holds what one language needs: how its compiler is found and asked for a module with source lines, which
//! functions a source has, how they are called, and how values and tests are written in it. Beside the folders stand what
//! they share: tools of the machine (`toolchain`), compiled modules on disk (`cache.rs`), what is said about sources that
//! cannot be compiled or called (`diagnostics.rs`), and what debug information tells (`prototypes`).
//!
//! Compilers run in the current directory and are told to leave it out of the debug information, so that lines are shown as
//! `sort.c:15`.

mod assemblyscript;
mod c;
mod cache;
mod calling;
mod calls;
mod compiled;
mod declarations;
mod diagnostics;
pub mod emit;
mod interface;
mod language;
mod load;
mod prototypes;
mod rust;
mod suite;
mod toolchain;
pub mod values;
mod wanted;
mod written;
mod zig;

pub use cache::{About, Cache, Hidden, hash};
pub use calling::Declared;
pub use calls::Calls;
pub use compiled::Compiled;
pub use interface::{Interface, interface};
pub use language::Language;
pub use load::{binary, load, load_with_bytes, module_bytes};
pub use rust::{CALL_OF, CHARACTERS, is_package};
pub use suite::{Case, Emitted};
pub use toolchain::inputs::names_from;
pub use wanted::{Usage, Wanted};
pub use written::{arguments, mark_texts};
