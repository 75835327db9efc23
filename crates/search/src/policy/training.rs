//! Training: exploring every path at small sizes, within a share of the budget.

use super::Sites;
use crate::budget::Budget;
use crate::kernel::{Kernel, PathView, Point, Start};
use crate::program::{Arm, SiteId};
use crate::search::{Finished, Search, Settings};
use crate::walk::{AllArms, ArmOrder, Walker, walk};
use crate::watch::Phase;
use pessimum_outcome::{CostModel, Ends};

/// How a policy is learnt and applied.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyPlan {
    /// The sizes to train at.
    pub sizes: TrainingSizes,
    /// The part of what is left of the budget (paths, steps and time alike) that training may spend, from 0 to 1. The
    /// ESE paper gave its rivals 30 minutes for training and 30 for the target size: one half.
    pub share: f64,
    /// How many values of a value decision are followed at most.
    pub values: usize,
    /// In which order walks follow arms, in training and at the target size. It decides which of several equally good
    /// policies is found first, and which paths are seen where the budget does not suffice for all.
    pub order: ArmOrder,
    /// What the policy's sites are.
    pub sites: Sites,
    /// Whether policies that training cannot tell apart are compared by their first paths at the target size (see
    /// [`super::choose`]). No paper does this: without it, the first one is taken.
    pub probe_ties: bool,
    /// Whether a policy that generates no path at all is applied again with every feasible arm open where it permits none.
    pub opens: bool,
}

impl Default for PolicyPlan {
    fn default() -> PolicyPlan {
        PolicyPlan {
            sizes: TrainingSizes::Automatic,
            share: 0.5,
            values: 64,
            order: ArmOrder::TrueFirst,
            sites: Sites::Branch,
            probe_ties: false,
            opens: true,
        }
    }
}

/// The sizes to train at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TrainingSizes {
    /// 1, 2, 3, ... until the share of the budget is spent or the target size is reached. A size that was not
    /// finished is forgotten.
    Automatic,
    /// These, in ascending order and each once.
    These(Vec<u32>),
}

/// What became of one training size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrainingSize {
    /// The size.
    pub size: u32,
    /// Paths seen.
    pub paths: u64,
    /// The greatest cost among them.
    pub worst: Option<u64>,
    /// Whether the budget sufficed; if not, nothing was learnt from this size.
    pub finished: bool,
    /// Questions that the solver gave up on: if there are any, paths may be missing.
    pub unknown: u64,
    /// Why there is no program of this size, or what was wrong with its result.
    pub error: Option<String>,
}

/// What training did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrainingReport {
    /// In the order tried.
    pub sizes: Vec<TrainingSize>,
}

impl TrainingReport {
    /// Paths of all sizes together.
    pub fn paths(&self) -> u64 {
        self.sizes.iter().map(|size| size.paths).sum()
    }

    /// The sizes that something was learnt from.
    pub fn finished_sizes(&self) -> impl Iterator<Item = u32> + '_ {
        self.sizes.iter().filter(|size| size.finished).map(|size| size.size)
    }
}

/// Sees every path of every training size.
pub trait Learner {
    /// A path of the size in progress, the arms it took at concrete conditionals, and how bad it is: whether it ended as
    /// the search wants it, and its cost.
    fn path(&mut self, path: &PathView<'_>, concrete: &[(SiteId, Arm)], rank: (bool, u64));

    /// A size is over. Unless it was finished, what was seen of it must be forgotten.
    fn size_over(&mut self, size: u32, finished: bool);
}

/// Visits all paths. A learner that keeps one of several paths of equal cost keeps the first it sees, so the order fixes
/// that choice.
struct TrainingWalk<'l> {
    all: AllArms,
    learner: &'l mut dyn Learner,
    cost: CostModel,
    ends: Ends,
}

impl Walker for TrainingWalk<'_> {
    fn arms(&mut self, point: &mut Point<'_, '_>, arms: &mut Vec<Arm>) {
        self.all.arms(point, arms);
    }

    fn ended(&mut self, kernel: &Kernel<'_>) -> bool {
        if let Some(path) = kernel.path()
            && path.end.is_a_run()
        {
            // Conditionals on concrete values have no line of the outermost function once they are over.
            let concrete = if kernel.line_sites { None } else { kernel.concrete_arms() };
            let rank = (self.ends.wants(path.end) == Some(true), self.cost.of(path.costs));
            self.learner.path(&path, &concrete.unwrap_or_default(), rank);
        }
        true
    }
}

/// The part of the budget that training may spend.
fn allowance(search: &Search<'_>, share: f64) -> Budget {
    let left = search.kernel.meter.remaining();
    let share = share.clamp(0.0, 1.0);
    Budget {
        paths: left.paths.map(|paths| (paths as f64 * share) as u64),
        steps: left.steps.map(|steps| (steps as f64 * share) as u64),
        time: left.time.map(|time| time.mul_f64(share)),
    }
}

/// Explores the training sizes exhaustively and shows every path to the learner. What is spent is charged to the
/// search. Without a family there is nothing to train on.
pub fn train(search: &mut Search<'_>, training: &PolicyPlan, learner: &mut dyn Learner) -> TrainingReport {
    let mut report = TrainingReport::default();
    let Some((family, target)) = search.family() else { return report };
    let sizes: Vec<u32> = match &training.sizes {
        TrainingSizes::Automatic => (1..=target).collect(),
        TrainingSizes::These(sizes) => {
            // What a size teaches is weighed against what smaller ones taught, so the order affects the result.
            let mut sizes = sizes.clone();
            sizes.sort_unstable();
            sizes.dedup();
            sizes
        }
    };
    let mut left = allowance(search, training.share);
    for size in sizes {
        let mut entry = TrainingSize { size, paths: 0, worst: None, finished: false, unknown: 0, error: None };
        let program = match family.at(size) {
            Ok(program) => program,
            Err(error) => {
                entry.error = Some(error);
                report.sizes.push(entry);
                continue;
            }
        };
        search.settings().watch.phase(Phase::Training(size));
        let watch = search.settings().watch.nested();
        let settings = Settings {
            budget: left,
            starts: Vec::new(),
            target: None,
            goals: None,
            watch,
            ..search.settings().clone()
        };
        let mut inner = Search::new(program.as_ref(), settings);
        inner.kernel.line_sites = training.sites == Sites::Line;
        let mut walker = TrainingWalk {
            all: AllArms::new(training.order, inner.random.split(), training.values),
            learner,
            cost: search.cost(),
            ends: search.settings().ends,
        };
        let finished = walk(&mut inner, &Start::default(), &mut walker) == Finished::Everything;
        left = inner.kernel.meter.remaining();
        let result = inner.finish(if finished { Finished::Everything } else { Finished::Partly });
        search.charge(&result);
        entry.paths = result.paths;
        entry.worst = result.best_cost();
        entry.unknown = result.counters.unknown;
        // Nothing is learnt from a size whose result is wrong.
        entry.error = result.defects.first().map(ToString::to_string);
        entry.finished = finished && entry.error.is_none();
        learner.size_over(size, entry.finished);
        let finished = entry.finished;
        report.sizes.push(entry);
        if !finished || search.stop().is_some() {
            break;
        }
    }
    search.settings().watch.phase(Phase::Searching);
    report
}
