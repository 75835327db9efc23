//! Files that a run leaves behind.

use std::io::Write as _;
use std::path::Path;

use anyhow::{Context, Result};

/// Writes a file so that a reader finds the old contents or the new, never a part.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.part", std::process::id()));
    let partial = path.with_file_name(name);
    let written = std::fs::File::create(&partial)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| std::fs::rename(&partial, path));
    if written.is_err() {
        let _ = std::fs::remove_file(&partial);
    }
    written.with_context(|| path.display().to_string())
}

/// Makes the directory now: a search should not be lost because its result cannot be saved.
pub fn make_directory(path: &Path) -> Result<()> {
    std::fs::create_dir_all(path).with_context(|| path.display().to_string())
}

/// Removes what an earlier search left in a directory, so that nothing of two searches is mixed up there.
pub fn forget_results(directory: &Path) -> Result<()> {
    let ours = |name: &str| {
        // Left by a process that was killed while it wrote.
        let name = match name.strip_suffix(".part").and_then(|name| name.rsplit_once('.')) {
            Some((name, process)) if process.bytes().all(|byte| byte.is_ascii_digit()) => name,
            _ => name,
        };
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
