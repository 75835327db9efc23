//! What a search found.

use super::Improvement;
use super::best::{Bests, Taken};
use crate::budget::Stop;
use crate::kernel::Counters;
use crate::objective::Goals;
use crate::path::{Origin, Path};
use crate::program::{PathLimits, Program, Replay};
use pessimum_outcome::{CostModel, Costs, End};
use pessimum_term::Witness;
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// The least and the greatest of each cost over all paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extremes {
    /// Each cost's least value; different costs may come from different paths.
    pub least: Costs,
    /// Each cost's greatest value.
    pub greatest: Costs,
}

impl Extremes {
    pub(super) fn add_to(extremes: &mut Option<Extremes>, costs: &Costs) {
        let extremes = extremes.get_or_insert(Extremes { least: *costs, greatest: *costs });
        extremes.least = extremes.least.merge(costs, u64::min);
        extremes.greatest = extremes.greatest.merge(costs, u64::max);
    }
}

/// What a strategy says when it returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finished {
    /// Every feasible path was seen, as far as the solver and the limits let it.
    Everything,
    /// It stopped earlier, or cannot tell.
    Partly,
}

/// What a search found.
#[derive(Clone, Debug)]
pub struct SearchResult {
    /// What was maximised.
    pub cost: CostModel,
    /// The path that costs most of those that ended as the settings want it, its input replayed; none if there is none.
    pub best: Option<Path>,
    /// Whether the best did not end although it had all that a run may take. It is worse than any run that ended, whatever it
    /// had cost when it was cut off.
    pub endless: bool,
    /// The costliest path that ended, if the best was cut off.
    pub ended: Option<Path>,
    /// The costliest path of the other kind: one that crashes if the best does not.
    pub other: Option<Path>,
    /// The costliest paths, for the search that takes this result in; empty after [`super::Search::finish`].
    pub(super) bests: Bests,
    /// The same of the concrete runs.
    pub(super) verified: Bests,
    /// The goals, with the inputs that reached them.
    pub goals: Option<Goals>,
    /// Paths completed.
    pub paths: u64,
    /// Instructions executed by all runs, symbolic and concrete.
    pub steps: u64,
    /// Paths by end. Runs stopped by the program's own assumptions are listed here but are not paths.
    pub ends: BTreeMap<End, u64>,
    /// The least and the greatest of each cost over all paths; none if there was no path.
    pub extremes: Option<Extremes>,
    /// What the kernel counted.
    pub counters: Counters,
    /// What the solver's layers counted.
    pub solver: pessimum_solver::Counters,
    /// Each improvement of the whole search, whichever worker made it: what watchers saw.
    pub progress: Vec<Improvement>,
    /// Why it ended.
    pub stop: Stop,
    /// Whether every feasible path was seen, no query was given up, and no limit was met.
    pub complete: bool,
    /// How many inputs there are, if each was run to its end: then the search is complete, whatever its strategy saw.
    pub every_input: Option<u64>,
    /// Whether the end of the budget cut a run off. Its cost is then unsettled, however quiet the search was before.
    pub cut_off: bool,
    /// What went wrong that never should, and must be reported loudly. The rest of the result is valid nevertheless.
    pub defects: Vec<Defect>,
    /// Wall clock, replay not included.
    pub elapsed: Duration,
}

impl SearchResult {
    /// The best cost.
    pub fn best_cost(&self) -> Option<u64> {
        self.best.as_ref().map(|path| self.cost.of(&path.costs))
    }

    /// The result, or the first of its defects, for callers that want to stop at one.
    pub fn sound(self) -> Result<SearchResult, Defect> {
        match self.defects.first() {
            Some(defect) => Err(defect.clone()),
            None => Ok(self),
        }
    }

    /// Takes in an input that was run after the search, within these limits. Returns whether it is the new best. One
    /// that costs more than every path of a complete search shows that the search was not complete.
    pub fn offer(&mut self, input: &Witness, replay: &Replay, limits: &PathLimits) -> bool {
        let path = Path {
            decisions: Vec::new(),
            costs: replay.costs,
            end: replay.end,
            witness: input.clone(),
            origin: Origin::Concrete(*limits),
        };
        let known = [self.best.take(), self.ended.take(), self.other.take()];
        known.into_iter().flatten().for_each(|path| self.bests.put(path));
        self.bests.put(path);
        self.settle();
        self.check_completeness();
        self.best.as_ref().is_some_and(|best| best.witness == *input)
    }

    /// Takes the best from the costliest paths.
    pub(super) fn settle(&mut self) {
        let Taken { best, ended, other } = self.bests.take();
        self.endless = best.as_ref().is_some_and(|best| self.bests.is_endless(best.end, best.origin));
        (self.best, self.ended, self.other) = (best, ended, other);
    }

    /// Revokes completeness if an input costs more than every path that ended as it did.
    pub(super) fn check_completeness(&mut self) {
        for path in [&self.best, &self.ended, &self.other].into_iter().flatten() {
            let (found, paths) = (self.cost.of(&path.costs), self.bests.greatest(path.end));
            if self.complete && Some(found) > paths {
                self.complete = false;
                self.defects.push(Defect::PathMissed { input: path.witness.clone(), cost: found, paths });
            }
        }
    }
}

/// Something that should never happen, but did. All but the last are bugs in Pessimum.
#[derive(Clone, Debug)]
pub enum Defect {
    /// A found input does not do concretely what its symbolic path says.
    Mismatch(Box<Mismatch>),
    /// Every feasible path seemed to have been seen, but an input costs more than any of them.
    PathMissed {
        /// The input, one value per variable.
        input: Witness,
        /// What it costs.
        cost: u64,
        /// The greatest cost of all paths; none if there seemed to be no path.
        paths: Option<u64>,
    },
    /// An input was counted as reaching a goal, but does not reach it when it is run again.
    GoalLost {
        /// The input, one value per variable.
        input: Witness,
        /// The goal's name.
        goal: String,
    },
    /// A strategy ran an input that the program's ranges or preconditions exclude. It is not in the result.
    NotPermitted(Witness),
    /// What runs the program has failed, in its own words.
    Failed(String),
    /// The program does something else each time that it is run on this input, so nothing said of it is certain.
    Unsteady {
        /// The input, one value per variable.
        input: Witness,
        /// Where two runs differ, if that is known.
        at: Option<String>,
    },
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Defect::Mismatch(mismatch) => mismatch.fmt(f),
            Defect::NotPermitted(input) => write!(
                f,
                "the input {:?}, which is not one that the call permits, was run and left out; this is a bug in Pessimum",
                input.values()
            ),
            Defect::Failed(why) => f.write_str(why),
            Defect::GoalLost { input, goal } => write!(
                f,
                "the input {:?} was counted as reaching {goal}, but does not when it is run again, so nothing is known about \
                 what is not covered; this is a bug in Pessimum",
                input.values()
            ),
            Defect::Unsteady { input, at } => {
                let at = at.as_ref().map_or(String::new(), |at| format!("; two runs differ in {at}"));
                write!(
                    f,
                    "the input {:?} does something else each time that it is run: the program depends on more than its input \
                     (clocks, files, other processes, the order of objects in sets, which follows their addresses), and \
                     another run may cost more or less{at}",
                    input.values()
                )
            }
            Defect::PathMissed { input, cost, paths } => {
                let most = paths.map_or("there seemed to be no path".to_string(), |most| {
                    format!("no path of the search costs more than {most}")
                });
                write!(
                    f,
                    "{most}, but the input {:?} was run and costs {cost}, so a path was missed. This is a bug in Pessimum",
                    input.values()
                )
            }
        }
    }
}

impl std::error::Error for Defect {}

/// A found input does not do concretely what its symbolic path says. This is a bug in Pessimum.
#[derive(Clone, Debug)]
pub struct Mismatch {
    /// Which program.
    pub program: String,
    /// Which input, one value per variable.
    pub input: Witness,
    /// Costs and end of the symbolic path.
    pub symbolic: (Costs, End),
    /// Costs and end of the concrete run.
    pub concrete: (Costs, End),
}

impl Mismatch {
    pub(super) fn new(program: &dyn Program, path: &Path, concrete: &Replay) -> Box<Mismatch> {
        Box::new(Mismatch {
            program: program.name().to_owned(),
            input: path.witness.clone(),
            symbolic: (path.costs, path.end),
            concrete: (concrete.costs, concrete.end),
        })
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: the input {:?} was predicted to end with \"{}\", but ended with \"{}\"{}; this is a bug in Pessimum",
            self.program,
            self.input.values(),
            self.symbolic.1,
            self.concrete.1,
            Differences(&self.symbolic.0, &self.concrete.0),
        )
    }
}

/// The costs in which two runs differ, in words: `, at 633 lines and not 30`.
struct Differences<'c>(&'c Costs, &'c Costs);

impl fmt::Display for Differences<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let differ = CostModel::ALL.into_iter().map(|model| (model, model.of(self.0), model.of(self.1)));
        for (place, (model, one, other)) in differ.filter(|(_, one, other)| one != other).enumerate() {
            let with = if place == 0 { " with" } else { "," };
            write!(f, "{with} {other} {model} in the place of {one}")?;
        }
        Ok(())
    }
}
