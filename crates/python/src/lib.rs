//! Python functions behind the trait [`Program`](pessimum_search::program::Program).
//!
//! An ordinary interpreter runs the function in a process of its own (`worker/`, embedded in the binary); this crate
//! starts, watches and ends such processes, turns what they send into terms and decisions, and reads the language of calls
//! with Python's types.

mod call;
mod error;
mod hang;
mod observe;
mod places;
mod pool;
#[cfg(unix)]
mod process;
#[cfg(not(unix))]
#[path = "elsewhere.rs"]
mod process;
mod profile;
mod program;
pub mod programs;
mod run;
mod settings;
mod source;
mod wire;
mod work;

pub use call::PythonCall;
pub use error::PythonError;
pub use profile::{CallCost, FunctionCost, LineCost, PythonProfile};
pub use program::{Explained, NoteKind, PythonFamily, PythonProgram, Ran, Wanted};
pub use settings::PythonSettings;
pub use source::{Function, Parameter, PythonSource};
pub use work::{Handed, PythonWork};
