//! All in one program: each would be linked with the whole crate again.

mod manifest;
mod python;
