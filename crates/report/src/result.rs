//! The result of one search, as `--json` prints it and `result.json` holds it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::profile::{FunctionCost, LineCost};

/// What `pessimum worst` found.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WorstResult {
    /// The module's file, as on the command line.
    pub module: String,
    /// What was started: the text of `--call`, or the name after `--entry`; none for a WASI command.
    pub call: Option<String>,
    /// `n`.
    pub size: Option<u64>,
    /// The strategy's name.
    pub strategy: String,
    /// Fixes everything but times.
    pub seed: u64,
    /// What was maximised, and how far.
    pub cost: Cost,
    /// All costs of the worst input by name; `weighted` is null without prices.
    pub costs: Value,
    /// The worst input, in the form that `--input` takes.
    pub input: Value,
    /// How the run of the worst input ended.
    pub end: String,
    /// Paths of the whole search.
    pub paths: u64,
    /// Decisions taken by the whole search.
    pub decisions: u64,
    /// Queries, by layer, and those given up.
    pub solver: Value,
    /// Whether every feasible path was seen.
    pub complete: bool,
    /// Why the search ended; `running` in a result that was saved meanwhile, where `decisions`, `solver`, `ends`,
    /// `random` and `policy` are not known yet.
    pub stopped: String,
    /// Wall clock of the search.
    pub elapsed_s: f64,
    /// `[seconds, paths, cost]` at each improvement.
    pub progress: Vec<(f64, u64, u64)>,
    /// Paths by how they ended.
    pub ends: Value,
    /// Costs of random inputs of the same size; none where they could not be run.
    pub random: Option<RandomInputs>,
    /// The most executed sites of the worst run, most first.
    pub hottest: Vec<HotSite>,
    /// The functions that the worst run spent its instructions in, the dearest by themselves first; results of
    /// earlier versions have none.
    #[serde(default)]
    pub functions: Vec<FunctionCost>,
    /// The source lines that the worst run spent its instructions on, dearest first; none without debug information.
    #[serde(default)]
    pub lines: Vec<LineCost>,
    /// What a training strategy learnt, in words.
    pub policy: Option<Vec<String>>,
    /// What was run, as words of a command line, for `pessimum replay`.
    pub arguments: Vec<String>,
    /// The whole command that made this, as words, without the program's name; results of earlier versions have none.
    #[serde(default)]
    pub command: Vec<String>,
    /// What of `paths`, `elapsed_s` and `progress` is from earlier parts of a resumed search; `decisions`, `solver` and
    /// `ends` are those of its last part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resumed: Option<Resumed>,
}

/// Earlier parts of a resumed search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Resumed {
    /// How many.
    pub parts: u64,
    /// Their paths.
    pub paths: u64,
    /// Their wall clock.
    pub elapsed_s: f64,
}

/// A cost and the model that it was counted in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cost {
    /// The model's name on the command line.
    pub model: String,
    /// The greatest cost found.
    pub value: u64,
}

/// Costs of random inputs, drawn uniformly from the ranges.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RandomInputs {
    /// How many were run: fewer than intended where runs are long or the program turned some away.
    pub inputs: u64,
    /// Mean of their costs.
    pub average: f64,
    /// The dearest of them.
    pub highest: u64,
    /// Which of them, by the order of drawing from 0, costs what is nearest to the average (the first of several), and
    /// what it costs: an average input. Results of earlier versions have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nearest: Option<(u64, u64)>,
}

/// A site and how often a run executed it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HotSite {
    /// Function and source line, or offset where the module has no lines.
    pub site: String,
    /// Executions.
    pub count: u64,
}
