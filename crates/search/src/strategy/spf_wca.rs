//! SPF-WCA: Luckow, Kersten, Pasareanu, "Symbolic complexity analysis using context-preserving histories", ICST 2017,
//! as the ESE paper (Aquino, Denaro, Salza, STVR, section 4.2) and the PySE paper restate it.
//!
//! As [`super::Wise`], but a policy's key is the site together with the last `history` decisions, and its value the set
//! of arms that a dearest training path took there.
//!
//! Corners that the papers leave open, and what is done here:
//! - Of several dearest paths of one size, one is learnt from: that whose policy decides most (fewest keys with more than
//!   one arm, then fewest keys), then the first of a walk that takes false before true.
//! - With automatic sizes the largest finished one is learnt from, as in the ESE paper; with given sizes one path of
//!   each, as in the PySE paper.
//! - A known key whose arms are all infeasible ends the path (counted as a dead end); an unknown key leaves every
//!   feasible arm open.
//! - `history` 0 is the ESE paper's variant of WISE (site to set of arms, without the notion of forced sides).

use super::Strategy;
use super::wise::{GuidedReport, apply};
use crate::kernel::PathView;
use crate::path::Decision;
use crate::policy::{HistoryContext, HistoryPolicy, Learner, Policy, Training, TrainingReport, TrainingSizes, train};
use crate::program::{Arm, SiteId};
use crate::search::{Finished, Search};

/// Learns a history policy at small sizes and applies it.
#[derive(Clone, Debug)]
pub struct SpfWca {
    /// Decisions remembered: 1 in the ESE paper, 2 in the PySE paper.
    pub history: usize,
    /// Which earlier decisions count.
    pub context: HistoryContext,
    /// Sizes and budget of training.
    pub training: Training,
    /// Applied instead of a learnt one; there is no training then.
    pub given: Option<Policy>,
    /// What the last search did.
    pub report: Option<GuidedReport>,
}

impl Default for SpfWca {
    fn default() -> SpfWca {
        SpfWca { history: 1, context: HistoryContext::Off, training: Training::default(), given: None, report: None }
    }
}

impl SpfWca {
    /// WISEpy: the ESE paper's variant of WISE.
    pub fn without_history() -> SpfWca {
        SpfWca { history: 0, ..SpfWca::default() }
    }
}

impl Strategy for SpfWca {
    fn search(&mut self, search: &mut Search<'_>) -> Finished {
        let (policy, training) = match &self.given {
            Some(policy) => (policy.clone(), TrainingReport::default()),
            None => {
                let mut learner = WorstPaths {
                    history: self.history,
                    context: self.context,
                    last_only: self.training.sizes == TrainingSizes::Automatic,
                    policy: HistoryPolicy::new(self.history, self.context),
                    worst: None,
                };
                let report = train(search, &self.training, &mut learner);
                (Policy::History(learner.policy), report)
            }
        };
        let report = apply(search, policy, training, self.training.values);
        let finished = report.generated.finished;
        self.report = Some(report);
        if finished { Finished::Everything } else { Finished::Partly }
    }
}

/// Learns from one dearest path per size.
struct WorstPaths {
    history: usize,
    context: HistoryContext,
    /// Whether each finished size replaces what was learnt from the ones before.
    last_only: bool,
    policy: HistoryPolicy,
    /// Of the size in progress.
    worst: Option<Worst>,
}

struct Worst {
    cost: u64,
    /// Keys left open by what this path teaches, and keys: less is better.
    rank: (usize, usize),
    decisions: Vec<Decision>,
}

impl WorstPaths {
    fn rank(&self, decisions: &[Decision]) -> (usize, usize) {
        let mut policy = HistoryPolicy::new(self.history, self.context);
        policy.learn(decisions);
        (policy.rules().filter(|(_, arms)| arms.len() > 1).count(), policy.rules().len())
    }
}

impl Learner for WorstPaths {
    fn path(&mut self, path: &PathView<'_>, _: &[(SiteId, Arm)], cost: u64) {
        let known = self.worst.as_ref().map(|worst| worst.cost);
        if known > Some(cost) {
            return;
        }
        let rank = self.rank(path.decisions);
        if known == Some(cost) && self.worst.as_ref().is_some_and(|worst| worst.rank <= rank) {
            return;
        }
        self.worst = Some(Worst { cost, rank, decisions: path.decisions.to_vec() });
    }

    fn size_over(&mut self, _: u32, finished: bool) {
        if let Some(Worst { decisions, .. }) = self.worst.take()
            && finished
        {
            if self.last_only {
                self.policy = HistoryPolicy::new(self.history, self.context);
            }
            self.policy.learn(&decisions);
        }
    }
}
