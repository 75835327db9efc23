//! One search session, below the command line: what is run, the random inputs that come first, the search itself, the
//! records that survive being killed, and the result that is left behind.
//!
//! Every command that searches goes through [`Session`]. What is saved is data ([`plan`]): reading a directory
//! received from somebody else never starts a compiler and writes nothing outside that directory.

pub mod baseline;
pub mod carry;
pub mod cover;
pub mod curve;
pub mod findings;
pub mod growth;
pub mod interrupt;
pub mod journal;
pub mod language;
mod lines;
mod memory;
pub mod names;
mod own;
pub mod owner;
pub mod pattern;
pub mod plan;
mod profile;
pub mod record;
pub mod replay;
pub mod result;
pub mod saved;
mod scope;
mod session;
pub mod shrink;
mod source;
pub mod suite;
mod target;
pub mod values;
pub mod work;

pub use memory::usual_memory;
pub use pessimum_files as files;
pub use pessimum_files::{At, Error};
pub use profile::named;
pub use session::{
    Listeners, Outcome, Session, Task, check_room, half_of_the_rest, parse_time, time_left, why_nothing, working_time,
};
pub use source::{PythonCode, RunPython, Source, WasmSource, python_module};
pub use target::{Code, Crash, FrontEnd, Profiled, Ran, Target};
