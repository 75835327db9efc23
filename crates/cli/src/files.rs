//! Files that a run leaves behind.

use std::path::Path;

use anyhow::{Context, Result};
use pessimum_session::files;
use pessimum_session::owner::is_result;

/// Writes a file so that a reader finds either the old contents or the new ones, never a part.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<()> {
    Ok(files::write_atomically(path, bytes)?)
}

/// Makes the directory now: a search should not be lost because its result cannot be saved.
pub fn make_directory(path: &Path) -> Result<()> {
    std::fs::create_dir_all(path).with_context(|| path.display().to_string())
}

/// Removes what an earlier search left in a directory, so that two searches are never mixed up there.
pub fn forget_results(directory: &Path) -> Result<()> {
    let listed = std::fs::read_dir(directory).with_context(|| directory.display().to_string())?;
    for entry in listed {
        let entry = entry.with_context(|| directory.display().to_string())?;
        if entry.file_name().to_str().is_some_and(is_result) {
            std::fs::remove_file(entry.path()).with_context(|| entry.path().display().to_string())?;
        }
    }
    Ok(())
}
