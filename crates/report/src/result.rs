//! The result of one search, as `--json` prints it and `result.json` holds it.

use std::collections::BTreeMap;

use pessimum_outcome::Costs;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::profile::{FunctionCost, LibraryCost, LineCost};
use crate::work::Work;

/// What `pessimum worst` found.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WorstResult {
    /// The module's file, as on the command line.
    pub module: String,
    /// What was started: the text of `--call`, or the name after `--entry`; none for a WASI command.
    pub call: Option<String>,
    /// `n`.
    pub size: Option<u64>,
    /// Other sizes, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sizes: BTreeMap<String, u64>,
    /// The strategy's name.
    pub strategy: String,
    /// The seed, which fixes everything but times.
    pub seed: u64,
    /// What was maximised, and the greatest value found.
    pub cost: Cost,
    /// All costs of the worst input; `weighted` is null without prices.
    pub costs: Costs,
    /// The worst input, in the form that `--input` takes.
    pub input: Value,
    /// The same as values in the language of the source, one for each argument, where that says more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<Vec<String>>,
    /// How the run of the worst input ended.
    pub end: String,
    /// Whether it did not end although it had all that a run may take. It is worse than any that ended, then, and its costs are
    /// only those up to where it was stopped.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub endless: bool,
    /// When the state of the program came back, where it did: it never ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recurs: Option<Recurrence>,
    /// Why the program crashed on the worst input, in its own words, or what is known of a run that gave no answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Where it crashed on the worst input, or gave no answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Whether it crashed there on every input that was run: then the call is probably wrong.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub always: bool,
    /// The costliest input that crashes the program, where the worst one does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trapped: Option<OtherInput>,
    /// The costliest input whose run ended, where that of the worst one was cut off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<OtherInput>,
    /// Paths of the whole search.
    pub paths: u64,
    /// Decisions taken by the whole search.
    pub decisions: u64,
    /// What the solver was asked.
    pub solver: Option<SolverUse>,
    /// Whether every feasible path was seen.
    pub complete: bool,
    /// For which inputs that holds, where the types in the source permit more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// How many inputs there are, if each of them was run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub every_input: Option<u64>,
    /// Why the search ended; `running` in a result that was saved during the search, where `decisions`, `solver`,
    /// `ends`, `random` and `policy` are not known yet.
    pub stopped: String,
    /// Wall clock of the search.
    pub elapsed_s: f64,
    /// `[seconds, paths, cost]` at each improvement.
    pub progress: Vec<(f64, u64, u64)>,
    /// Paths by how they ended, in the words of [`pessimum_outcome::End`].
    pub ends: BTreeMap<String, u64>,
    /// Costs of random inputs of the same size; none where they could not be run.
    pub random: Option<RandomInputs>,
    /// The most executed sites of the worst run, most first.
    pub hottest: Vec<HotSite>,
    /// The functions that the worst run spent its instructions in, the user's own before those of libraries, the one that
    /// costs most by itself first; results of earlier versions have none.
    #[serde(default)]
    pub functions: Vec<FunctionCost>,
    /// The libraries that it spent instructions in, the one that costs most first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub libraries: Vec<LibraryCost>,
    /// The source lines that the worst run spent its instructions on, the user's own before those of libraries, the most
    /// expensive first; none without debug information.
    #[serde(default)]
    pub lines: Vec<LineCost>,
    /// How many instructions of the worst run `hottest`, `functions` and `lines` cover, from its beginning; none if
    /// they cover all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profiled: Option<u64>,
    /// What a training strategy learnt, in words.
    pub policy: Option<Vec<String>>,
    /// What was run, as words of a command line, for `pessimum replay`.
    pub arguments: Vec<String>,
    /// The whole command that made this, as words, without the program's name; results of earlier versions have none.
    #[serde(default)]
    pub command: Vec<String>,
    /// The version of the interpreter, if this is a function of Python. Counts in `functions`, `libraries` and `lines` are
    /// lines then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub python: Option<String>,
    /// Values that could not be followed and were taken as they are, with the place, most often first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub concretised: Vec<Concretised>,
    /// Why runs were left out whose cost could not be told, with the place, most often first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<Concretised>,
    /// What C code was handed in the worst run, which costs of Python do not count; none where it is not recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work: Option<Work>,
    /// How much of `paths`, `elapsed_s` and `progress` is from earlier parts of a resumed search; `decisions`,
    /// `solver` and `ends` are those of its last part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resumed: Option<Resumed>,
}

/// What a search took as it is, or left out, because it could not follow it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Concretised {
    /// What, and where.
    pub what: String,
    /// How often, in all runs.
    pub times: u64,
}

/// The state of a program that came back: it goes round for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recurrence {
    /// Instructions after which it was in that state for the first time, as far as anybody looked.
    pub after: u64,
    /// Instructions from there to the next time.
    pub every: u64,
}

/// An input beside the worst one: one that crashes the program, or one whose run ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OtherInput {
    /// Its cost, in the model that was maximised.
    pub cost: u64,
    /// All its costs.
    pub costs: Costs,
    /// The input, in the form that `--input` takes.
    pub input: Value,
    /// The same as values in the language of the source, one for each argument, where that says more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<Vec<String>>,
    /// How its run ended.
    pub end: String,
    /// Why, in the program's own words: its message, or the end of what it wrote to standard error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Where: the innermost function of the user's own, and its line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
}

/// Earlier parts of a resumed search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Resumed {
    /// The number of earlier parts.
    pub parts: u64,
    /// Their paths.
    pub paths: u64,
    /// The wall-clock time that they took.
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

/// What the solver was asked in a search.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SolverUse {
    /// Questions of the search.
    pub queries: u64,
    /// What each layer did, by its name.
    pub layers: BTreeMap<String, LayerUse>,
    /// Questions that no layer could answer.
    pub unknown: u64,
}

/// What one layer of the solver was asked and how it answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LayerUse {
    /// Questions that reached it.
    pub queries: u64,
    /// Those that it answered with an input.
    pub sat: u64,
    /// Those that it proved to have none.
    pub unsat: u64,
    /// Those that it gave up on after it had tried.
    pub gave_up: u64,
    /// The wall-clock time that it took.
    pub time_s: f64,
    /// Proofs that `--validate` re-checked; this and the next two are left out if they are 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub checked: u64,
    /// Those of them that the re-check contradicted.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub disagreed: u64,
    /// Those of them that the re-check could not decide.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub undecided: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Costs of random inputs, drawn uniformly from the ranges.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RandomInputs {
    /// How many were run: fewer than intended where runs are long or the program rejected some.
    pub inputs: u64,
    /// Mean of their costs.
    pub average: f64,
    /// The highest of them.
    pub highest: u64,
    /// An average input: the index, in the order of drawing from 0, of the one whose cost is nearest to the average
    /// (the first of several), and that cost. Results of earlier versions have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nearest: Option<(u64, u64)>,
}

/// A site and how often a run executed it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HotSite {
    /// Function and source line, or offset where the module has no lines.
    pub site: String,
    /// The number of executions.
    pub count: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// A result as it is saved in files.
    fn saved() -> Value {
        json!({
            "module": "sort.wasm", "call": "sort(i32[n], n)", "size": 2, "strategy": "auto", "seed": 1,
            "cost": { "model": "instructions", "value": 40 },
            "costs": {
                "instructions": 40, "branches": 3, "decisions": 1, "calls": 1, "depth": 1, "memory": 65536, "user": 0,
                "hits": 2, "weighted": null,
            },
            "input": [[2, 1], 2], "end": "returned", "paths": 2, "decisions": 2,
            "solver": {
                "queries": 2, "unknown": 0,
                "layers": { "order": { "queries": 2, "sat": 1, "unsat": 1, "gave_up": 0, "time_s": 0.5 } },
            },
            "complete": true, "stopped": "finished", "elapsed_s": 0.25, "progress": [[0.125, 1, 40]],
            "ends": { "returned": 2 }, "random": null, "hottest": [{ "site": "sort", "count": 2 }], "functions": [],
            "lines": [], "policy": null, "arguments": ["sort.wasm"], "command": [],
        })
    }

    #[test]
    fn a_result_reads_back_as_it_was_written() {
        let result: WorstResult = serde_json::from_value(saved()).unwrap();
        assert_eq!((result.costs.instructions, result.costs.weighted), (40, None));
        assert_eq!(serde_json::to_value(&result).unwrap(), saved());
    }

    #[test]
    fn what_is_not_known_while_a_search_runs_is_null() {
        let mut partial = saved();
        partial["solver"] = Value::Null;
        partial["ends"] = json!({});
        let result: WorstResult = serde_json::from_value(partial.clone()).unwrap();
        assert_eq!(result.solver, None);
        assert_eq!(serde_json::to_value(&result).unwrap(), partial);
    }
}
