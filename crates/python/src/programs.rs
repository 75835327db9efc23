//! The programs of this machine that we start.
//!
//! They are looked for in those directories of PATH that are absolute, and get a PATH with no others: what lies in the
//! current directory, which may be somebody else's, is never run because of its name.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The absolute directories of PATH.
pub fn directories() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).filter(|directory| directory.is_absolute()).collect()
}

/// A program in PATH, or at a path.
pub fn find(name: &str) -> Option<PathBuf> {
    let path = Path::new(name);
    if path.components().count() > 1 {
        return is_program(path).then(|| path.to_path_buf());
    }
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    directories().into_iter().map(|directory| directory.join(&name)).find(|path| is_program(path))
}

/// A command for a program that was found or named.
pub fn command(program: &Path) -> Command {
    let mut command = Command::new(program);
    match std::env::join_paths(directories()) {
        // An empty list would mean the current directory.
        Ok(path) if path != OsString::new() => command.env("PATH", path),
        _ => command.env_remove("PATH"),
    };
    command
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}
