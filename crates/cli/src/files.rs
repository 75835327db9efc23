//! Files that a run leaves behind.

use std::path::Path;

use anyhow::{Context, Result};
use pessimum_session::files::{self, UNFINISHED};

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
    let ours = |name: &str| {
        // Unfinished files were left by a process that was killed while writing.
        let name = name.rsplit_once(UNFINISHED).map_or(name, |(name, _)| name);
        let numbered =
            |start: &str| name.strip_prefix(start).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        let raw = name.ends_with(".bin") && ["argument-", "arg-", "file-"].into_iter().any(numbered);
        matches!(name, "result.json" | "input.json" | "report.html" | "stdin.bin") || raw
    };
    let listed = std::fs::read_dir(directory).with_context(|| directory.display().to_string())?;
    for entry in listed {
        let entry = entry.with_context(|| directory.display().to_string())?;
        if entry.file_name().to_str().is_some_and(ours) {
            std::fs::remove_file(entry.path()).with_context(|| entry.path().display().to_string())?;
        }
    }
    Ok(())
}
