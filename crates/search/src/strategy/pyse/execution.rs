//! Executions and updates in turn: Algorithms 1 and 2 of the PySE paper.

use super::learner::{Ended, Learner};
use super::state::{Fields, Step, encode};
use super::tree::{Prefix, Tree};
use super::{Course, Mode, PyseSettings};
use crate::decider::{Choice, Decider};
use crate::kernel::{Outcome, Point, Start};
use crate::path::Path;
use crate::program::{Arm, Kind};
use crate::random::Random;
use crate::search::{Finished, Search};
use pessimum_outcome::CostModel;

/// One symbolic execution: the prefix first, then epsilon-greedy. An action is required, not preferred: an infeasible one
/// ends the execution (section IV-B).
struct Execution<'a> {
    learner: &'a mut Learner,
    random: &'a mut Random,
    prefix: &'a [bool],
    epsilon: f64,
    history: usize,
    cost: CostModel,
    steps: &'a mut Vec<Step>,
    state: Vec<Fields>,
    /// Decisions that were no actions.
    followed: u64,
}

impl Decider for Execution<'_> {
    fn decide(&mut self, point: &mut Point<'_, '_>) -> Choice {
        // Tables and values have more arms than true and false, and a check is none of the program's own conditions.
        if point.kind() != Kind::Branch {
            self.followed += 1;
            return Choice::Follow;
        }
        // The present decision is counted already; it belongs to what its action brings (equation 2).
        let own = u64::from(self.cost == CostModel::Decisions);
        let before = self.cost.of(&point.costs()).saturating_sub(own);
        let (site, program) = (point.site(), point.kernel().program());
        let site = self.learner.numbering.of(site, program);
        let action = match self.prefix.get(self.steps.len()) {
            Some(&action) => action,
            None if self.random.chance(self.epsilon) => self.random.coin(),
            None => {
                encode(self.steps, site, self.history, &mut self.state);
                self.learner.prefers_true(&self.state)
            }
        };
        self.steps.push(Step { site, action, before });
        Choice::Require(if action { Arm::TRUE } else { Arm::FALSE })
    }
}

/// Executes and learns until the budget is spent, the tree is exhausted or there were `most` executions.
pub fn learn(
    search: &mut Search<'_>,
    settings: &PyseSettings,
    learner: &mut Learner,
    most: Option<u64>,
    course: &mut Course,
) -> Finished {
    let keep_terms = std::mem::replace(&mut search.kernel.keep_terms, false);
    let mut random = search.random.split();
    let first = search.random_witness();
    let mut witness = Some(&first);
    let mut tree = Tree::default();
    let (mut steps, mut path) = (Vec::new(), Path::default());
    let mut prefix: Vec<bool> = Vec::new();
    learner.begin(search.cost() == CostModel::Decisions);
    let finished = loop {
        if search.stop().is_some() || most.is_some_and(|most| course.executions >= most) {
            break Finished::Partly;
        }
        let epsilon = settings.explore.at_decisions(settings.epsilon, &mut random);
        steps.clear();
        let mut execution = Execution {
            learner: &mut *learner,
            random: &mut random,
            prefix: &prefix,
            epsilon,
            history: settings.shape.history,
            cost: search.cost(),
            steps: &mut steps,
            state: Vec::new(),
            followed: 0,
        };
        let start = Start { witness: witness.take(), ..Start::default() };
        let outcome = search.run(&start, &mut execution, &mut path);
        if execution.followed > 0 {
            search.mark_incomplete();
        }
        let ended = match outcome {
            Outcome::Stopped(_) => break Finished::Partly,
            Outcome::Conflict(_) => break Finished::Everything,
            Outcome::Path(end) if end.is_a_run() => Ended::Finished(search.worth(&path.costs, end)),
            Outcome::Infeasible(_) | Outcome::Path(_) => Ended::Infeasible,
            Outcome::GivenUp(_) | Outcome::Abandoned => Ended::Unknown,
        };
        if !matches!(ended, Ended::Finished(_)) {
            // The paper's tables count infeasible executions as paths.
            search.count_path();
        }
        course.count(ended);
        if steps.is_empty() {
            // Nothing to decide, so every execution is like this one.
            break Finished::Everything;
        }
        learner.observe(&steps, ended);
        let (mut passes, mut moves) = (0, 0);
        while (passes < settings.passes || moves < settings.moves) && search.stop().is_none() {
            moves += learner.update(&mut random);
            passes += 1;
        }
        if settings.mode == Mode::Advanced {
            tree.observe(&steps, ended);
            search.kernel.kept = tree.bytes() + learner.bytes();
            if search.kernel.meter.is_full(search.kernel.kept, 2) {
                search.kernel.counters.dropped += tree.clear();
                search.kernel.kept = learner.bytes();
            }
            prefix.clear();
            match tree.find(learner, settings, &mut random) {
                Prefix::Found(found) => {
                    course.prefixes += 1;
                    prefix = found;
                }
                Prefix::NotFound => {}
                Prefix::Exhausted => break Finished::Everything,
            }
        }
    };
    search.kernel.kept = 0;
    search.kernel.keep_terms = keep_terms;
    finished
}
