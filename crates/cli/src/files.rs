//! Files that a run leaves behind.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use pessimum_term::Witness;
use pessimum_wasm::Subject;
use pessimum_wasm::call::{Argument, Content, InputPlan};

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

/// The parts of an input that are bytes, with names for files: standard input, texts, arguments, files.
pub fn raw_inputs(subject: &Subject, witness: &Witness) -> Vec<(PathBuf, Vec<u8>)> {
    let plan = subject.plan();
    let mut files = Vec::new();
    let bytes = |group| InputPlan::content_bytes(&Content::Input(group), witness);
    for (i, argument) in plan.arguments.iter().enumerate() {
        if let Argument::Text(group) = argument {
            files.push((PathBuf::from(format!("argument-{}.bin", i + 1)), bytes(*group)));
        }
    }
    if let Some(group) = plan.stdin {
        files.push((PathBuf::from("stdin.bin"), bytes(group)));
    }
    for (i, content) in plan.command_line.iter().enumerate() {
        if let Content::Input(group) = content {
            files.push((PathBuf::from(format!("arg-{}.bin", i + 1)), bytes(*group)));
        }
    }
    for (i, (name, content)) in plan.files.iter().enumerate() {
        if let Content::Input(group) = content {
            // The subject's name for it may hold separators.
            let name: String = name
                .chars()
                .map(|c| if c.is_alphanumeric() || matches!(c, '.' | '-' | '_') { c } else { '_' })
                .collect();
            files.push((PathBuf::from(format!("file-{}-{name}.bin", i + 1)), bytes(*group)));
        }
    }
    files
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
