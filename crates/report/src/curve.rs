//! The worst case over a range of sizes, as `pessimum curve --json` prints it and `curve.json` holds it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::certainty;
use crate::fit::{FEWEST_SIZES, Growth, explained, fit, fit_within};
use crate::result::RandomInputs;
use crate::work::Work;

/// What `pessimum curve` found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CurveResult {
    /// The module's file, as on the command line.
    pub module: String,
    /// What was started: the text of `--call`, or the name after `--entry`; none for a WASI command.
    pub call: Option<String>,
    /// The strategy's name.
    pub strategy: String,
    /// The seed, which fixes everything but times.
    pub seed: u64,
    /// The cost model's name: the unit of every cost here.
    pub cost: String,
    /// One per size, in ascending order of sizes. Sizes that were not reached (Ctrl-C) are missing.
    pub points: Vec<CurvePoint>,
    /// How the worst case grows.
    pub worst: Growth,
    /// How the average of random inputs grows; none where random inputs could not be run at every size.
    pub random: Option<Growth>,
    /// Sizes that were asked for and not searched, with the reason.
    pub missing: Vec<MissingSize>,
    /// Wall clock of all searches together.
    pub elapsed_s: f64,
    /// What was run, as words of a command line without `--size`.
    pub arguments: Vec<String>,
}

/// The worst case at one size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// `n`.
    pub size: u64,
    /// The greatest cost found.
    pub cost: u64,
    /// Costs of random inputs of the same size; none where they could not be run.
    pub random: Option<RandomInputs>,
    /// Whether every feasible path was seen, so that the cost is certain.
    pub complete: bool,
    /// For which inputs that holds, where the types in the source permit more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// The share of the cost that was gained in the second half of the search, from 0 to 1. A search that is still
    /// gaining has not shown the worst case yet. Halves are of paths if the number of paths ended the search, and of
    /// time otherwise.
    pub late_gain: f64,
    /// Paths of the search at this size.
    pub paths: u64,
    /// Path at which the cost was reached.
    pub reached_at: u64,
    /// Why the search ended.
    pub stopped: String,
    /// Wall clock of the search at this size.
    pub elapsed_s: f64,
    /// How the run of the worst input ended.
    pub end: String,
    /// The cost of the costliest input that crashes the program, where the worst one does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trapped: Option<u64>,
    /// The worst input, in the form that `--input` takes.
    pub input: Value,
    /// The directory of its result and input, relative to that of the curve; `pessimum replay` takes it.
    pub directory: String,
    /// What C code was handed in the run of the worst input, where that is recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work: Option<Work>,
}

/// A search whose second half gained no more than this part of the cost counts as settled.
pub const LATE_GAIN: f64 = 0.02;

impl CurvePoint {
    /// Whether the search was done before its budget ran out: the cost is certain, or hardly grew in the second half.
    pub fn is_settled(&self) -> bool {
        self.complete || self.late_gain <= LATE_GAIN
    }
}

/// A size without a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MissingSize {
    /// `n`.
    pub size: u64,
    /// Why there is none.
    pub why: String,
}

/// A search whose second half gained more than this part of the cost says little about the worst case. Less than that is
/// noise, which the fit allows for.
const MATERIAL_GAIN: f64 = 0.05;

/// How the worst case grows and, where random inputs were run at every size, how their average does. There is no class
/// where more than a third of the searches gained much to the last, or where random inputs grow faster: such costs are
/// not those of the worst case. Sizes from the first on at which a run was cut off are left out.
pub fn growths(points: &[CurvePoint]) -> (Growth, Option<Growth>) {
    let averages: Option<Vec<(u64, f64)>> =
        points.iter().map(|point| point.random.as_ref().map(|random| (point.size, random.average))).collect();
    let random = averages.map(|averages| fit(&averages));
    let random_class = random.as_ref().and_then(|random| random.class);
    let cut_off = points.iter().position(|point| point.end.starts_with("limit"));
    let whole = match cut_off {
        Some(whole) if whole >= FEWEST_SIZES => &points[..whole],
        _ => points,
    };
    let costs: Vec<(u64, f64)> = whole.iter().map(|point| (point.size, point.cost as f64)).collect();
    let missed = whole.iter().map(|point| if point.complete { 0.0 } else { point.late_gain });
    let worst = fit_within(&costs, explained(missed));
    let improving = whole.iter().filter(|point| !point.complete && point.late_gain > MATERIAL_GAIN).count();
    let doubt = match cut_off.map(|at| &points[at]) {
        Some(point) if whole.len() == points.len() => {
            Some(format!("the run at n = {} was cut off ({})", point.size, point.end))
        }
        _ if 3 * improving > whole.len() => {
            let all = whole.len();
            Some(format!("{improving} of {all} sizes were still improving when their share of the budget was spent"))
        }
        _ => random_class
            .filter(|random| worst.class.is_some_and(|worst| random.is_above(worst)))
            .map(|random| certainty::random_grows_faster(random, worst.class)),
    };
    match doubt {
        Some(why) if worst.fit.is_some() => (Growth { class: None, why_not: Some(why), ..worst }, random),
        _ => (worst, random),
    }
}
