//! All in one program: each would be linked with everything again.

mod modules;
mod native;
mod targets;
mod words;
