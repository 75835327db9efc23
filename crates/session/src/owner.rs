//! Who may write to a directory of results: one process at a time.
//!
//! The right is a lock of the operating system on a file in the directory, so it ends with the process, however that
//! ends, and there is nothing to clean up after a kill.

use std::fs::{File, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use crate::files::{UNFINISHED, make_directory, plain};
use crate::{At, Error};

/// The file that is locked. It stays in the directory: whoever removed it could lock another one of the same name.
pub const LOCK: &str = ".lock";

/// The longest text about its owner that is read from a lock, in bytes.
const MOST_SAID: u64 = 1000;

/// The right to write to a directory.
#[derive(Debug)]
pub struct Owner {
    directory: PathBuf,
    lock: File,
}

impl Owner {
    /// Makes the directory if need be and takes it for this process. `work` is what is being done there, for whoever
    /// comes second.
    pub fn of(directory: &Path, work: &str) -> Result<Owner, Error> {
        make_directory(directory)?;
        let path = directory.join(LOCK);
        let mut lock = open(&path)?;
        match lock.try_lock() {
            // Not every file system has locks; a search works without them.
            Ok(()) | Err(TryLockError::Error(_)) => {}
            Err(TryLockError::WouldBlock) => return Err(taken(directory, lock)),
        }
        // Only a hint for human readers: it does not matter if it cannot be written.
        let said = format!("process {}: {work}", std::process::id());
        let _ = lock.set_len(0).and_then(|()| lock.rewind()).and_then(|()| lock.write_all(said.as_bytes()));
        let owner = Owner { directory: directory.to_path_buf(), lock };
        owner.remove_unfinished();
        Ok(owner)
    }

    /// The directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Removes files that a killed process had not finished. Nobody else writes here now.
    fn remove_unfinished(&self) {
        let Ok(listing) = std::fs::read_dir(&self.directory) else { return };
        let is_ours = |name: &str| {
            let known = [
                "journal.jsonl",
                "curve.jsonl",
                "cover.jsonl",
                "suite.jsonl",
                "module.wasm",
                "curve.json",
                "worst_test.",
            ];
            name.split_once(UNFINISHED)
                .is_some_and(|(name, _)| known.iter().any(|known| name.starts_with(known)) || is_result(name))
        };
        for entry in listing.flatten().filter(|entry| entry.file_name().to_str().is_some_and(is_ours)) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        // Nobody is to be told of a process that is gone.
        let _ = self.lock.set_len(0);
    }
}

/// Whether a file of this name is part of the result of one search.
pub fn is_result(name: &str) -> bool {
    let numbered =
        |start: &str| name.strip_prefix(start).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let raw = name.ends_with(".bin") && ["argument-", "arg-", "file-", "copy-"].into_iter().any(numbered);
    matches!(name, "result.json" | "input.json" | "report.html" | "stdin.bin" | "lcov.info") || raw
}

/// Opens the lock, which must not be a link: its target would be written to.
fn open(path: &Path) -> Result<File, Error> {
    let mut options = File::options();
    options.read(true).write(true);
    match options.clone().create_new(true).open(path) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            plain(path)?;
            options.open(path).at(path.display())
        }
        other => other.at(path.display()),
    }
}

fn taken(directory: &Path, mut lock: File) -> Error {
    let mut said = String::new();
    let _ = (&mut lock).take(MOST_SAID).read_to_string(&mut said);
    let who = if said.is_empty() { String::new() } else { format!(" ({})", said.replace(char::is_control, " ")) };
    let todo = "wait until it has ended, or use another --out";
    Error::new(format!("{}: another search is running there{who}; {todo}", directory.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_has_one_owner() {
        let directory = tempfile::tempdir().unwrap();
        let out = directory.path().join("new/out");
        let owner = Owner::of(&out, "pessimum worst a.wasm").unwrap();
        let error = Owner::of(&out, "pessimum curve b.wasm").unwrap_err().to_string();
        let process = std::process::id();
        assert!(error.contains(&format!("running there (process {process}: pessimum worst a.wasm); wait")), "{error}");
        drop(owner);
        drop(Owner::of(&out, "pessimum curve b.wasm").unwrap());
    }

    #[test]
    fn exactly_one_of_many_gets_it() {
        let directory = tempfile::tempdir().unwrap();
        let all_there = std::sync::Barrier::new(8);
        let owners: Vec<Option<Owner>> = std::thread::scope(|scope| {
            let start = || {
                all_there.wait();
                Owner::of(directory.path(), "test").ok()
            };
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(start)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(owners.iter().flatten().count(), 1);
    }

    #[test]
    fn only_our_unfinished_files_are_removed() {
        let directory = tempfile::tempdir().unwrap();
        let names = ["result.json.part-abc", "module.wasm.part-abc", "mine.part-abc", "result.json"];
        for name in names {
            std::fs::write(directory.path().join(name), "").unwrap();
        }
        let _owner = Owner::of(directory.path(), "test").unwrap();
        let left = names.map(|name| directory.path().join(name).exists());
        assert_eq!(left, [false, false, true, true]);
    }

    #[cfg(unix)]
    #[test]
    fn a_lock_that_is_a_link_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let victim = directory.path().join("victim");
        std::fs::write(&victim, "precious").unwrap();
        std::os::unix::fs::symlink(&victim, directory.path().join(LOCK)).unwrap();
        assert!(Owner::of(directory.path(), "test").unwrap_err().to_string().contains("links are not followed"));
        assert_eq!(std::fs::read(&victim).unwrap(), b"precious");
    }
}
