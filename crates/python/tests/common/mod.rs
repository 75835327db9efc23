//! What the tests of this crate share: interpreters, and programs from a text.

#![allow(dead_code)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use pessimum_python::{PythonCall, PythonError, PythonProgram, PythonSettings, PythonSource, Wanted};
use tempfile::TempDir;

/// All interpreters that can be searched with: `python3` in PATH, and those of pyenv of another version. Empty, with a
/// notice, where there is none; with PESSIMUM_REQUIRE_TOOLS=1 that is a failure.
pub fn interpreters() -> Vec<&'static Path> {
    static FOUND: OnceLock<Vec<PathBuf>> = OnceLock::new();
    FOUND.get_or_init(find_interpreters).iter().map(PathBuf::as_path).collect()
}

fn find_interpreters() -> Vec<PathBuf> {
    let mut found = Vec::new();
    if let Some(path) = std::env::var_os("PATH") {
        found.extend(std::env::split_paths(&path).map(|place| place.join("python3")).find(|file| file.is_file()));
    }
    if found.is_empty() {
        assert!(std::env::var_os("PESSIMUM_REQUIRE_TOOLS").is_none(), "python3 is not in PATH");
        println!("skipped: python3 is not in PATH");
        return found;
    }
    let versions = std::env::var_os("HOME").map(|home| Path::new(&home).join(".pyenv/versions"));
    let entries = versions.and_then(|versions| std::fs::read_dir(versions).ok()).into_iter().flatten().flatten();
    let mut others: Vec<PathBuf> = entries
        .filter(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            let minor = name.strip_prefix("3.").and_then(|rest| rest.split('.').next()?.parse::<u32>().ok());
            minor.is_some_and(|minor| minor >= 10)
        })
        .map(|entry| entry.path().join("bin/python"))
        .filter(|python| python.is_file())
        .collect();
    others.sort();
    let versions: BTreeSet<_> = found.iter().filter_map(|python| version(python)).collect();
    found.extend(others.into_iter().filter(|python| version(python).is_some_and(|own| !versions.contains(&own))));
    found
}

/// What an interpreter says that it is.
fn version(python: &Path) -> Option<String> {
    let said = Command::new(python).args(["-c", "import sys; print(sys.version)"]).output().ok()?;
    said.status.success().then(|| String::from_utf8_lossy(&said.stdout).into_owned())
}

/// The first of them.
pub fn interpreter() -> Option<PathBuf> {
    interpreters().first().map(|python| python.to_path_buf())
}

/// A file in a directory of its own.
pub struct Subject {
    pub directory: TempDir,
    pub source: PythonSource,
}

impl Subject {
    pub fn new(python: &Path, text: &str) -> Subject {
        Subject::open(python, text, Duration::from_secs(20)).unwrap_or_else(|(_, error)| panic!("{error}"))
    }

    pub fn open(python: &Path, text: &str, patience: Duration) -> Result<Subject, (TempDir, PythonError)> {
        Subject::inside(python, text, patience, tempfile::tempdir().unwrap())
    }

    /// In a directory that has other files already.
    pub fn beside(python: &Path, text: &str, directory: TempDir) -> Subject {
        Subject::inside(python, text, Duration::from_secs(20), directory).unwrap_or_else(|(_, error)| panic!("{error}"))
    }

    fn inside(
        python: &Path,
        text: &str,
        patience: Duration,
        directory: TempDir,
    ) -> Result<Subject, (TempDir, PythonError)> {
        let file = directory.path().join("subject.py");
        std::fs::write(&file, text).unwrap();
        let settings = PythonSettings { python: Some(python.to_path_buf()), patience, ..PythonSettings::new(file) };
        match PythonSource::open(&settings) {
            Ok(source) => Ok(Subject { directory, source }),
            Err(error) => Err((directory, error)),
        }
    }

    pub fn program(&self, call: &str, size: u64) -> PythonProgram {
        self.program_with(call, size, Wanted::default())
    }

    pub fn program_with(&self, call: &str, size: u64, wanted: Wanted) -> PythonProgram {
        let call = PythonCall::parse(call, &self.source).unwrap_or_else(|error| panic!("{error}"));
        PythonProgram::new(call.text().to_string(), &self.source, &call, Some(size), &BTreeMap::new(), wanted)
            .unwrap_or_else(|error| panic!("{error}"))
    }
}
