//! All in one program: each would be linked with the whole crate again.

mod bulk;
mod call;
mod counting;
mod exceptions;
mod files;
mod machine;
mod names;
mod pairs;
mod process;
mod profile;
mod recurrence;
