//! The worst case over a range of sizes, as `pessimum curve --json` prints it and `curve.json` holds it.

use pessimum_outcome::{End, Limit};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::class::Class;
use crate::doubts;
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
    /// The steepest pattern of the same program that is known, from `--extend` or from an earlier `pattern` in the same
    /// directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known_pattern: Option<KnownPattern>,
    /// Sizes that were asked for and not searched, with the reason.
    pub missing: Vec<MissingSize>,
    /// Wall clock of all searches together.
    pub elapsed_s: f64,
    /// What was run, as words of a command line without `--size`.
    pub arguments: Vec<String>,
}

/// A pattern, as far as it says how the worst case grows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KnownPattern {
    /// Its class.
    pub class: Class,
    /// In words.
    pub words: String,
    /// The largest size at which it was run.
    pub up_to: u64,
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
    /// gaining has not shown the worst case yet. Halves are of paths; where the clock ended the search, of time too, and the
    /// greater of both counts.
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
    /// Whether it did not end although it had all that a run may take.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub endless: bool,
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

/// How far the cost of one size can be taken for that of its worst case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Every feasible path was seen.
    Certain,
    /// The strategy had nothing left to try; there may be more paths than it wanted.
    Exhausted,
    /// The cost hardly grew in the second half of the search, and not at all in the last tenth of its paths.
    Settled,
    /// No path was done.
    NotSearched,
    /// So few paths that the last tenth of them is none.
    FewPaths,
    /// The costliest run was cut off: whole, it costs more.
    CutOff,
    /// A smaller size costs more.
    Below {
        /// That size.
        size: u64,
        /// What it costs.
        cost: u64,
    },
    /// The second half of the search gained more than [`LATE_GAIN`].
    Improving,
    /// The last tenth of the paths still gained.
    Late,
}

/// A search whose second half gained no more than this part of the cost may count as settled.
const LATE_GAIN: f64 = 0.02;

/// The fewest paths of which a tenth can be said to have brought nothing.
const FEWEST_PATHS: u64 = 10;

impl Standing {
    /// Of each of these sizes, which are in ascending order.
    pub fn of(points: &[CurvePoint]) -> Vec<Standing> {
        let mut costliest: Option<&CurvePoint> = None;
        let mut standings = Vec::new();
        for point in points {
            let below = costliest.filter(|smaller| smaller.cost > point.cost);
            standings.push(Standing::beside(point, below));
            costliest = Some(below.unwrap_or(point));
        }
        standings
    }

    /// Of one size; `below` is the costliest smaller size, if that costs more.
    fn beside(point: &CurvePoint, below: Option<&CurvePoint>) -> Standing {
        let CurvePoint { paths, reached_at, .. } = *point;
        match below {
            _ if point.is_cut_off() => Standing::CutOff,
            _ if point.complete => Standing::Certain,
            _ if paths == 0 => Standing::NotSearched,
            Some(&CurvePoint { size, cost, .. }) => Standing::Below { size, cost },
            None if point.stopped == "finished" => Standing::Exhausted,
            None if paths < FEWEST_PATHS => Standing::FewPaths,
            None if point.late_gain > LATE_GAIN => Standing::Improving,
            None if u128::from(reached_at) * 10 > u128::from(paths) * 9 => Standing::Late,
            None => Standing::Settled,
        }
    }
}

impl CurvePoint {
    /// How the run of its worst input ended, if that is a limit.
    fn limit(&self) -> Option<Limit> {
        match self.end.parse() {
            Ok(End::Limit(limit)) => Some(limit),
            _ => None,
        }
    }

    /// Whether that run would have gone on. One that exhausted the call stack would not.
    fn is_cut_off(&self) -> bool {
        self.end.parse().is_ok_and(End::is_cut)
    }

    /// Whether so little is known of this size that it says nothing about growth. `below`: a smaller size costs more.
    fn is_open(&self, standing: Standing) -> bool {
        match standing {
            Standing::NotSearched | Standing::FewPaths => true,
            Standing::Below { cost, .. } => (1.0 - MATERIAL_GAIN) * cost as f64 > self.cost as f64,
            Standing::Improving | Standing::Late => self.late_gain > MATERIAL_GAIN,
            Standing::Certain | Standing::Exhausted | Standing::Settled | Standing::CutOff => false,
        }
    }

    /// Whether a limit stopped the run of the worst input, so that its cost is not known.
    pub fn is_cut(&self) -> bool {
        self.end.parse().is_ok_and(|end| matches!(end, End::Limit(_) | End::NeverEnds))
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
/// where more than a third of the searches say little about their size, where nothing was counted, or where random inputs grow
/// faster: such costs are not those of the worst case. Sizes from the first on at which a run was cut off are left out (the cost of
/// that is not known, nor is what random inputs cost there), and so are those at which the end of the budget cut the only runs
/// there are.
pub fn growths(points: &[CurvePoint]) -> (Growth, Option<Growth>) {
    let known: Vec<&CurvePoint> = points.iter().filter(|point| point.limit() != Some(Limit::Budget)).collect();
    let cut_off = known.iter().position(|point| point.is_cut());
    let whole = &known[..cut_off.unwrap_or(known.len())];
    let averages: Option<Vec<(u64, f64)>> =
        whole.iter().map(|point| point.random.as_ref().map(|random| (point.size, random.average))).collect();
    let random = averages.map(|averages| fit(&averages));
    let random_class = random.as_ref().and_then(|random| random.class);
    let costs: Vec<(u64, f64)> = whole.iter().map(|point| (point.size, point.cost as f64)).collect();
    let missed = whole.iter().map(|point| if point.complete { 0.0 } else { point.late_gain });
    let worst = fit_within(&costs, explained(missed));
    let standings: Vec<(u64, Standing)> = points.iter().map(|point| point.size).zip(Standing::of(points)).collect();
    let standing = |size: u64| standings.iter().find(|(other, _)| *other == size).map(|(_, standing)| *standing);
    let open = whole.iter().filter(|point| standing(point.size).is_some_and(|of| point.is_open(of))).count();
    let doubt = match cut_off.map(|at| known[at]) {
        _ if !costs.is_empty() && costs.iter().all(|&(_, cost)| cost == 0.0) => {
            Some("nothing of the program was counted at any size".to_string())
        }
        Some(point) if whole.len() < FEWEST_SIZES => {
            let why = format!("the run at n = {} was cut off ({})", point.size, point.end);
            return (Growth::none(why, None, None), random);
        }
        _ if 3 * open > whole.len() => Some(doubts::not_settled(open, whole.len())),
        _ => random_class
            .filter(|random| worst.class.is_some_and(|worst| random.is_above(worst)))
            .map(|random| doubts::random_grows_faster(random, worst.class)),
    };
    match doubt {
        Some(why) if worst.fit.is_some() => (Growth { class: None, why_not: Some(why), ..worst }, random),
        _ => (worst, random),
    }
}

/// The same where a pattern of the program is known: one that grows faster shows inputs that the searches did not find.
pub fn beside_pattern(worst: Growth, pattern: Option<&KnownPattern>) -> Growth {
    match (worst.class, pattern) {
        (Some(class), Some(pattern)) if pattern.class.is_above(class) => {
            let why = doubts::pattern_grows_faster(pattern.class, class);
            Growth { class: None, why_not: Some(why), ..worst }
        }
        _ => worst,
    }
}
