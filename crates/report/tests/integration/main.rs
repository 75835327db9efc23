//! All in one program: each would be linked with the whole crate again.

mod certainty;
mod fit;
mod growth;
