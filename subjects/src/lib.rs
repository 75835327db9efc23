//! The programs under test that come with the project, and what is known about their worst cases.
//!
//! The facts are in `subjects.toml`, whose head explains every field, and in `python/subjects.toml`; this crate reads them
//! for tests and benches, and turns modules into programs.

pub mod program;

use std::path::{Path, PathBuf};

use serde::Deserialize;

/// What is done with a subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Goal {
    /// Find the worst input of a size.
    Worst,
    /// Reach the target, or every branch where there is none.
    Cover,
}

/// An input that reaches the known cost.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorstInput {
    /// Its size.
    pub n: u64,
    /// In the JSON form of `--input`.
    pub input: String,
}

/// One entry of the manifest; see its head for the meaning of the fields.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Subject {
    pub name: String,
    pub module: String,
    pub call: Option<String>,
    pub entry: Option<String>,
    #[serde(default)]
    pub stdin: bool,
    pub from: String,
    pub goal: Goal,
    pub cost: String,
    pub sizes: Vec<u64>,
    #[serde(default)]
    pub paper_sizes: Vec<u64>,
    pub formula: Option<String>,
    #[serde(default)]
    pub optimum: Vec<(u64, u64)>,
    pub why: Option<String>,
    #[serde(default)]
    pub at_least: Vec<(u64, u64)>,
    #[serde(default)]
    pub published: Vec<(u64, u64)>,
    #[serde(default)]
    pub paths: Vec<(u64, u64)>,
    #[serde(default)]
    pub worst: Vec<WorstInput>,
    pub target: Option<String>,
    pub target_size: Option<u64>,
    pub target_input: Option<String>,
    pub note: Option<String>,
}

/// A module whose tests are sequences of calls; see the head of the manifest for the meaning of the fields.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Suite {
    pub name: String,
    pub module: String,
    pub api: String,
    pub from: String,
    pub goal: Goal,
    #[serde(default)]
    pub values: bool,
    #[serde(default)]
    pub infeasible: usize,
    #[serde(default)]
    pub total: Vec<(u64, u64)>,
    #[serde(default)]
    pub last: Vec<(u64, u64)>,
    pub why: Option<String>,
    pub note: Option<String>,
}

impl Suite {
    /// The file with the built module.
    pub fn module_file(&self) -> PathBuf {
        directory().join(&self.module)
    }

    /// The file with the declarations of its functions.
    pub fn api_file(&self) -> PathBuf {
        directory().join(&self.api)
    }
}

fn at(pairs: &[(u64, u64)], n: u64) -> Option<u64> {
    pairs.iter().find(|pair| pair.0 == n).map(|pair| pair.1)
}

impl Subject {
    /// The greatest cost of any input of size `n`, where it is known.
    pub fn optimum_at(&self, n: u64) -> Option<u64> {
        at(&self.optimum, n)
    }

    /// The greatest cost known to be reached at size `n`: the optimum, or less.
    pub fn reached_at(&self, n: u64) -> Option<u64> {
        self.optimum_at(n).or_else(|| at(&self.at_least, n))
    }

    /// The number of feasible paths at size `n`, where it is known.
    pub fn paths_at(&self, n: u64) -> Option<u64> {
        at(&self.paths, n)
    }

    /// The file with the built module.
    pub fn module_file(&self) -> PathBuf {
        directory().join(&self.module)
    }
}

#[derive(Deserialize)]
struct Manifest {
    subject: Vec<Subject>,
    suite: Vec<Suite>,
}

/// Where the subjects are.
pub fn directory() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The manifest of the subjects in Python, which has no suites.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PythonManifest {
    subject: Vec<Subject>,
}

fn manifest() -> Manifest {
    read("subjects.toml")
}

fn read<T: serde::de::DeserializeOwned>(name: &str) -> T {
    let file = directory().join(name);
    let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    // By way of JSON values, as everything else in the command is read: a second way is as much code again.
    let values: serde_json::Value = toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    serde_json::from_value(values).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// All subjects, in the order of the manifest.
///
/// # Panics
/// Where the manifest cannot be read: it is part of the sources.
pub fn all() -> Vec<Subject> {
    manifest().subject
}

/// All subjects in Python, in the order of their manifest. Those that are also subjects of [`all`] have the same names.
///
/// # Panics
/// Where the manifest cannot be read: it is part of the sources.
pub fn python() -> Vec<Subject> {
    read::<PythonManifest>("python/subjects.toml").subject
}

/// All modules whose tests are sequences of calls, in the order of the manifest.
///
/// # Panics
/// Where the manifest cannot be read: it is part of the sources.
pub fn suites() -> Vec<Suite> {
    manifest().suite
}

/// The subject of this name.
///
/// # Panics
/// Where there is none: names are written in tests.
pub fn named(name: &str) -> Subject {
    all().into_iter().find(|subject| subject.name == name).unwrap_or_else(|| panic!("no subject is named {name}"))
}
