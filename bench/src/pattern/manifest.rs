//! `programs.toml`: what is run, and what is known of it.

use std::path::{Path, PathBuf};

use pessimum_report::class::Class;
use serde::Deserialize;

/// A program with planted behaviour.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// Its name in the table.
    pub name: String,
    /// Its source file.
    source: PathBuf,
    /// As for `--call`.
    call: Option<String>,
    /// As for `--stdin`.
    stdin: Option<String>,
    /// How its worst case grows.
    pub class: Class,
    /// As for `--sizes`; what `pattern` chooses otherwise.
    pub sizes: Option<String>,
    /// What makes it so, for readers of the list.
    #[serde(rename = "why")]
    _why: Option<String>,
}

impl Program {
    /// The source file, beside the list or in `programs/`.
    pub fn file(&self, directory: &Path) -> PathBuf {
        let beside = directory.join(&self.source);
        if beside.exists() { beside } else { directory.join("programs").join(&self.source) }
    }

    /// The words of a command line that say what is run.
    pub fn input(&self) -> Vec<String> {
        let flag = |name: &str, value: &Option<String>| {
            value.iter().flat_map(|value| [name.to_string(), value.clone()]).collect::<Vec<String>>()
        };
        [flag("--call", &self.call), flag("--stdin", &self.stdin)].concat()
    }
}
