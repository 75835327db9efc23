//! The worst case of two versions of a program, as `pessimum compare --json` prints it and `compare.json` holds it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::curve::MissingSize;
use crate::fit::Growth;
use crate::profile::FunctionCost;
use crate::result::RandomInputs;

/// What `pessimum compare` found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The old version.
    pub a: ComparedVersion,
    /// The new version.
    pub b: ComparedVersion,
    /// The cost model's name: the unit of every cost here.
    pub cost: String,
    /// The strategy's name.
    pub strategy: String,
    /// The seed of both searches.
    pub seed: u64,
    /// One for each size that both were searched at, in ascending order; a single one without `--sizes`.
    pub points: Vec<ComparedPoint>,
    /// The worst cost of B by that of A, at the largest size; none where that of A is 0.
    pub ratio: Option<f64>,
    /// The functions whose part of the worst run changed most, at the largest size.
    pub moved: Vec<Moved>,
    /// Why the worst inputs of one version could not be run on the other; none where they were.
    pub not_exchanged: Option<String>,
    /// Sizes that were asked for and not searched on both sides, with the reason.
    pub missing: Vec<MissingSize>,
    /// Wall clock of all searches together.
    pub elapsed_s: f64,
}

/// One of the versions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComparedVersion {
    /// As on the command line, with the path where that names only a revision.
    pub label: String,
    /// The commit; none for the working tree.
    pub revision: Option<String>,
    /// The program in the working tree, where this version has no program of this name and was compiled with that one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program_from_here: Option<String>,
    /// What was started: the text of `--call`, or the name after `--entry`; none for a WASI command.
    pub call: Option<String>,
    /// How its worst case grows; none without `--sizes`.
    pub growth: Option<Growth>,
    /// The directory of its results, relative to that of the comparison.
    pub directory: String,
}

/// Both versions at one size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComparedPoint {
    /// `n`.
    pub size: Option<u64>,
    /// The old version.
    pub a: ComparedCost,
    /// The new version.
    pub b: ComparedCost,
    /// The worst cost of B by that of A; none where that of A is 0.
    pub ratio: Option<f64>,
    /// The same of the averages of random inputs; none where they could not be run.
    pub random_ratio: Option<f64>,
}

/// The worst case of one version at one size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComparedCost {
    /// The greatest cost found.
    pub cost: u64,
    /// How the run of the worst input ended.
    pub end: String,
    /// Whether it did not end although it had all that a run may take: its cost is only that up to where it was stopped.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub endless: bool,
    /// The worst input, in the form that `--input` takes.
    pub input: Value,
    /// The same as values in the language of the source, one for each argument, where that says more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<Vec<String>>,
    /// Whether the worst input is that of the other version, which its own search had missed.
    pub from_other: bool,
    /// What the input that the other version's search found costs here; none where it could not be run.
    pub on_other_input: Option<u64>,
    /// Whether every feasible path was seen, so that the cost is certain.
    pub complete: bool,
    /// For which inputs that holds, where the types in the source permit more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// Paths of its search.
    pub paths: u64,
    /// Costs of random inputs; none where they could not be run.
    pub random: Option<RandomInputs>,
}

/// A function and the instructions that it took by itself in the two worst runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moved {
    /// Its name.
    pub function: String,
    /// Of A; 0 where it was not called.
    pub a: u64,
    /// Of B; 0 where it was not called.
    pub b: u64,
}

impl ComparedPoint {
    /// Puts two costs beside each other.
    pub fn new(size: Option<u64>, a: ComparedCost, b: ComparedCost) -> ComparedPoint {
        let random_ratio = match (&a.random, &b.random) {
            (Some(a), Some(b)) => ratio(a.average, b.average),
            _ => None,
        };
        ComparedPoint { size, ratio: ratio(a.cost as f64, b.cost as f64), random_ratio, a, b }
    }

    /// Whether the worst case of B costs more than this many times that of A. Where A costs nothing, anything is more,
    /// and so is a run that did not end where A's does.
    pub fn is_above(&self, most: f64) -> bool {
        (self.b.endless && !self.a.endless) || self.b.cost as f64 > most * self.a.cost as f64
    }
}

fn ratio(a: f64, b: f64) -> Option<f64> {
    match a > 0.0 {
        true => Some(b / a),
        false => (b == 0.0).then_some(1.0),
    }
}

/// The functions whose own instructions differ, the largest difference first.
pub fn moved(a: &[FunctionCost], b: &[FunctionCost]) -> Vec<Moved> {
    let mut all = std::collections::BTreeMap::<&str, (u64, u64)>::new();
    for function in a {
        all.entry(&function.name).or_default().0 += function.own;
    }
    for function in b {
        all.entry(&function.name).or_default().1 += function.own;
    }
    let differ = all.into_iter().filter(|(_, (a, b))| a != b);
    let mut moved: Vec<Moved> = differ.map(|(name, (a, b))| Moved { function: name.to_string(), a, b }).collect();
    moved.sort_by_key(|moved| std::cmp::Reverse(moved.a.abs_diff(moved.b)));
    moved
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(cost: u64, average: Option<f64>) -> ComparedCost {
        let random = average.map(|average| RandomInputs { inputs: 1, average, highest: cost, nearest: None });
        ComparedCost {
            cost,
            end: "returned".to_string(),
            endless: false,
            written: None,
            input: Value::Null,
            from_other: false,
            on_other_input: None,
            complete: false,
            domain: None,
            paths: 1,
            random,
        }
    }

    #[test]
    fn ratios_of_nothing_are_told_apart() {
        let point = |a, b| ComparedPoint::new(None, cost(a, None), cost(b, None));
        assert_eq!(point(10, 15).ratio, Some(1.5));
        assert_eq!((point(0, 0).ratio, point(0, 1).ratio), (Some(1.0), None));
        assert!(point(0, 1).is_above(2.0) && !point(0, 0).is_above(1.0) && !point(10, 15).is_above(1.5));
        let random = ComparedPoint::new(None, cost(2, Some(4.0)), cost(2, Some(1.0)));
        assert_eq!(random.random_ratio, Some(0.25));
    }

    #[test]
    fn functions_with_the_largest_change_come_first() {
        let function =
            |name: &str, own| FunctionCost { name: name.to_string(), calls: 1, own, total: own, library: None };
        let a = [function("sort", 100), function("swap", 40), function("same", 7)];
        let b = [function("sort", 90), function("merge", 60), function("same", 7)];
        let found = moved(&a, &b);
        let names: Vec<(&str, u64, u64)> = found.iter().map(|moved| (&*moved.function, moved.a, moved.b)).collect();
        assert_eq!(names, [("merge", 0, 60), ("swap", 40, 0), ("sort", 100, 90)]);
    }
}
