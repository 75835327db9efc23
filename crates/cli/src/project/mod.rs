//! The programs of a project: `pessimum.toml`, `pessimum check` and `pessimum init`.

mod check;
mod file;
mod init;

pub use check::check;
pub use init::init;
