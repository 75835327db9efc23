//! All in one program: each would be linked with the whole crate again.

#[path = "../common/mod.rs"]
mod common;

mod caches;
mod calls;
mod hangs;
mod hostile;
mod observe;
mod runs;
mod speed;
