//! What is run and how it is searched, as plain data. Saved results and journals contain this.
//!
//! A plan says nothing about compilers, output files or commands: it may come from a directory received from somebody
//! else. The module itself is stored beside the plan (see [`crate::saved`]); texts in the signature language are
//! parsed, and files compared with their fingerprints, when a [`crate::Source`] is made from the plan.

use std::collections::BTreeMap;

use pessimum_outcome::{CostModel, Ends};
use pessimum_search::policy::SavedPolicy;
use pessimum_search::program::{PathLimits, Program};
use pessimum_search::strategy::{Declaration, Options, Strategy};
use pessimum_wasm::Weights;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::language::Language;

/// The program as it was run.
pub const MODULE: &str = "module.wasm";

/// The name under which the copied file with this place in the plan is saved.
pub(crate) fn copy_name(index: usize) -> String {
    format!("copy-{}.bin", index + 1)
}

/// What is run, and with what input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SubjectPlan {
    /// The module.
    pub module: ModulePlan,
    /// Where it starts.
    pub start: StartPlan,
    /// Bytes of input on standard input, in the words of `--stdin`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdin: Option<String>,
    /// The program's own command line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<ArgumentPlan>,
    /// Files that the program can read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FilePlan>,
    /// Environment variables of the program, `NAME=VALUE` each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub environment: Vec<String>,
    /// `n`; none if no length depends on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// Other sizes, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sizes: BTreeMap<String, u64>,
    /// Prices for the cost `weighted`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<WeightsPlan>,
    /// Patterns of source files and functions: the cost `weighted` is the number of instructions executed there.
    #[serde(default, rename = "in", skip_serializing_if = "Vec::is_empty")]
    pub counted: Vec<String>,
    /// Where a run is cut.
    pub limits: LimitsPlan,
}

impl SubjectPlan {
    /// The language of its program.
    pub fn language(&self) -> &'static Language {
        if self.module.python.is_some() { &Language::PYTHON } else { &Language::WASM }
    }
}

/// Which module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModulePlan {
    /// The file that was named, a module or a source, as it appears in messages.
    pub name: String,
    /// The fingerprint of the WebAssembly bytes that were run.
    pub fingerprint: String,
    /// The fingerprint of the named file, to notice if it has changed; none for a directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub named_file: Option<String>,
    /// The interpreter, if this is a file of Python: its code is not saved, and nothing runs it unless the user says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub python: Option<PythonPlan>,
}

/// An interpreter of Python. Where it is, is not part of a plan: a saved result names no program of this machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PythonPlan {
    /// Its version, as in `3.12.1`.
    pub version: String,
}

/// Where a program starts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StartPlan {
    /// A call of an exported function, in the signature language: `sort(i32[n], n)`.
    Call(String),
    /// An exported function without parameters.
    Entry(String),
    /// `_start`, as a WASI command.
    Command,
}

impl StartPlan {
    /// What is started, as on the command line; none for a WASI command.
    pub fn text(&self) -> Option<&str> {
        match self {
            StartPlan::Call(text) | StartPlan::Entry(text) => Some(text),
            StartPlan::Command => None,
        }
    }
}

/// An argument of the program's own command line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ArgumentPlan {
    /// This text.
    Literal(String),
    /// Bytes of input, as in `str[8]`.
    Input(String),
}

/// A file that the program can read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum FilePlan {
    /// Bytes of input.
    Input {
        /// The program's name for it.
        name: String,
        /// How many bytes, in the words of `--stdin`.
        length: String,
    },
    /// A copy of one of the user's files, which is kept beside the module.
    Copy {
        /// The program's name for it.
        name: String,
        /// Where it was copied from, for human readers.
        path: String,
        /// The fingerprint of its contents: a file with other contents is not used in its place.
        fingerprint: String,
    },
}

/// Prices of instructions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WeightsPlan {
    /// By name in the text format.
    pub prices: BTreeMap<String, u64>,
    /// The price of every other instruction.
    pub default: u64,
}

impl From<&WeightsPlan> for Weights {
    fn from(plan: &WeightsPlan) -> Weights {
        let mut weights = Weights { other: plan.default, ..Weights::default() };
        weights.by_name.extend(plan.prices.iter().map(|(name, &price)| (name.clone(), price)));
        weights
    }
}

/// Where a run is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LimitsPlan {
    /// Executed instructions; lines of Python.
    pub instructions: u64,
    /// Bytes of linear memory.
    pub memory: u64,
    /// Nested calls.
    pub depth: u32,
}

impl LimitsPlan {
    /// The deepest nesting of calls that may be asked for: each takes memory of ours.
    pub const MOST_DEPTH: u32 = 1 << 24;

    /// The limits if nothing else is said. The instructions are about a second of a concrete run: a run that takes
    /// longer is reported as still running, since a search that waited for it would see few others.
    pub const USUAL: LimitsPlan = LimitsPlan { instructions: 1_000_000_000, memory: 1 << 30, depth: 65_536 };

    /// The same for Python, where lines are counted: a few seconds of a run.
    pub const USUAL_PYTHON: LimitsPlan = LimitsPlan { instructions: 5_000_000, ..LimitsPlan::USUAL };
}

impl From<LimitsPlan> for PathLimits {
    fn from(plan: LimitsPlan) -> PathLimits {
        PathLimits {
            instructions: plan.instructions,
            memory: plan.memory,
            depth: u64::from(plan.depth),
            ..PathLimits::default()
        }
    }
}

/// How it is searched. What a search may spend is not part of this: each part of a resumed search has its own budget.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchPlan {
    /// What is maximised.
    #[serde(with = "cost_name")]
    pub cost: CostModel,
    /// Among which runs.
    #[serde(default, rename = "end", skip_serializing_if = "Ends::is_default")]
    pub ends: Ends,
    /// Determines everything but times.
    pub seed: u64,
    /// The strategy's name.
    pub strategy: String,
    /// The strategy's options that were given, by name, as texts.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, String>,
    /// A policy that the strategy applies instead of learning one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<SavedPolicy>,
}

impl SearchPlan {
    /// The strategy with its options, for this program and its sizes.
    pub fn strategy(&self, program: &dyn Program) -> Result<Box<dyn Strategy>, Error> {
        let name = &self.strategy;
        let declared = Declaration::of(name).ok_or_else(|| Error::new(format!("no strategy is named {name}")))?;
        let words = self.options.iter().map(|(name, text)| (name.as_str(), text.as_str()));
        let mut options = Options::of(declared, words).map_err(Error::new)?;
        options.policy = match &self.policy {
            Some(saved) => Some(saved.load(program).map_err(|error| Error::new(error.to_string()))?),
            None => None,
        };
        declared.make(&options).map_err(Error::new)
    }

    /// Whether the strategy learns at its own sizes before it searches.
    pub fn learns(&self) -> bool {
        Declaration::of(&self.strategy).is_some_and(|strategy| strategy.needs_sizes(self.policy.is_some()))
    }
}

mod cost_name {
    use super::CostModel;
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    pub fn serialize<S: Serializer>(cost: &CostModel, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(cost.name())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<CostModel, D::Error> {
        let name = String::deserialize(deserializer)?;
        CostModel::parse(&name).ok_or_else(|| D::Error::custom(format!("no cost is named `{name}`")))
    }
}
