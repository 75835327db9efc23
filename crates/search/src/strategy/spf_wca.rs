//! SPF-WCA: Luckow, Kersten, Pasareanu, "Symbolic complexity analysis using context-preserving histories", ICST 2017,
//! as the ESE paper (Aquino, Denaro, Salza, STVR, section 4.2) and the PySE paper restate it.
//!
//! Like [`super::Wise`], but a policy's key is the site together with the last `history` decisions, and its value is
//! the set of arms that a worst training path took there.
//!
//! Corners that the papers leave open, and what is done here:
//! - Of several worst paths of one size, only one is learnt from: the one whose policy decides most (fewest keys with
//!   more than one arm, then fewest keys), then the first of the walk. An extension (`--probe-ties`) asks first whose
//!   policy reaches the greatest cost on its first paths at the target size.
//! - [`Teachers::All`] learns from every one of them instead. With `history` 0 and source lines as sites this is the
//!   WISE of the PySE paper: it gives that paper's numbers of paths.
//! - With automatic sizes, only the largest finished size is learnt from, as in the ESE paper; with given sizes, one
//!   path of each, as in the PySE paper.
//! - A known key whose arms are all infeasible ends the path (counted as a dead end); an unknown key leaves every
//!   feasible arm open.
//! - `history` 0 is the ESE paper's variant of WISE (site to set of arms, without the notion of forced sides).

use super::exhaustive::ORDER;
use super::wise::{
    GuidedReport, MOST_EQUALS, POLICY, POLICY_OUT, PROBE_TIES, SITES, TRAIN_SHARE, TRAIN_SIZES, policy_plan,
    search_guided,
};
use super::{Carried, Declaration, OptionDeclaration, OptionKind, Purpose, Strategy, StrategyReport};
use crate::kernel::PathView;
use crate::policy::{
    HistoryContext, HistoryPolicy, Learner, LearntPolicy, PolicyPlan, SavedPolicy, TrainingSizes, choose, train,
};
use crate::program::{Arm, Program, SiteId};
use crate::search::{Finished, Search};

/// What the command line knows of it.
pub const DECLARATION: Declaration = Declaration {
    name: "spf-wca",
    summary: "like wise, with rules that also look at earlier decisions",
    citation: Some("Luckow, Kersten, Pasareanu, ICST 2017"),
    options: &[TRAIN_SIZES, TRAIN_SHARE, HISTORY, CONTEXT, LEARN_FROM, ORDER, SITES, PROBE_TIES, POLICY, POLICY_OUT],
    learns: true,
    purpose: Purpose::Cost,
    counts_paths: true,
    make: |options| {
        let context = match options.word(&CONTEXT)? {
            "callframe" => HistoryContext::Callframe,
            _ => HistoryContext::Off,
        };
        let teachers = if options.word(&LEARN_FROM)? == "all" { Teachers::All } else { Teachers::One };
        let (history, plan) = (options.count(&HISTORY)?, policy_plan(options)?);
        if let Some(LearntPolicy::History(policy)) = &options.policy
            && options.is_given(&HISTORY)
            && policy.length() != history
        {
            return Err(format!("--history {history}: the policy has histories of {}", policy.length()));
        }
        Ok(Box::new(SpfWca { history, context, teachers, plan, given: options.policy.clone(), report: None }))
    },
};

const HISTORY: OptionDeclaration = OptionDeclaration {
    name: "history",
    value: "K",
    kind: OptionKind::Count { least: 0, most: 64 },
    default: Some("1"),
    neutral: None,
    help: "earlier decisions that a rule looks at",
};

const CONTEXT: OptionDeclaration = OptionDeclaration {
    name: "context",
    value: "WHICH",
    kind: OptionKind::Word(&["off", "callframe"]),
    default: Some("off"),
    neutral: None,
    help: "which earlier decisions count: `off` for the last ones, `callframe` for those of the same call",
};

const LEARN_FROM: OptionDeclaration = OptionDeclaration {
    name: "learn-from",
    value: "WHICH",
    kind: OptionKind::Word(&["one", "all"]),
    default: Some("one"),
    neutral: None,
    help: "which of the worst paths of a size it learns from",
};

/// Which of the worst paths of a size it learns from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Teachers {
    /// One of them.
    #[default]
    One,
    /// All of them.
    All,
}

/// Learns a history policy at small sizes and applies it.
#[derive(Clone, Debug)]
pub struct SpfWca {
    /// Decisions remembered: 1 in the ESE paper, 2 in the PySE paper.
    pub history: usize,
    /// Which earlier decisions count.
    pub context: HistoryContext,
    /// Which of the worst paths of a size it learns from.
    pub teachers: Teachers,
    /// How it learns and applies its policy.
    pub plan: PolicyPlan,
    /// Applied instead of a learnt policy, without training.
    pub given: Option<LearntPolicy>,
    /// What the last search did.
    pub report: Option<GuidedReport>,
}

impl Default for SpfWca {
    fn default() -> SpfWca {
        SpfWca {
            history: 1,
            context: HistoryContext::Off,
            teachers: Teachers::One,
            plan: PolicyPlan::default(),
            given: None,
            report: None,
        }
    }
}

impl Strategy for SpfWca {
    fn search(&mut self, search: &mut Search<'_>) -> Finished {
        let plan = &self.plan;
        let report = search_guided(search, self.given.as_ref(), plan, |search| {
            let mut learner = WorstPaths {
                history: self.history,
                context: self.context,
                teachers: self.teachers,
                last_only: plan.sizes == TrainingSizes::Automatic,
                sizes: Vec::new(),
                worst: None,
            };
            let training = train(search, plan, &mut learner);
            (LearntPolicy::History(learner.choose(search, plan)), training)
        });
        self.report.insert(report).finished()
    }

    fn teaches(&self) -> bool {
        true
    }

    fn report(&self) -> StrategyReport {
        StrategyReport { guided: self.report.clone(), ..StrategyReport::default() }
    }

    fn carry_over(&mut self) {
        self.given = self.given.take().or_else(|| self.report.as_ref().and_then(GuidedReport::learnt_policy));
    }

    fn carried(&self, program: &dyn Program) -> Option<Carried> {
        self.given.as_ref().map(|policy| Carried::Policy(SavedPolicy::new(policy, program)))
    }

    fn take_up(&mut self, carried: &Carried, program: &dyn Program) -> Result<(), String> {
        self.given = Some(carried.policy(program)?);
        Ok(())
    }
}

/// Learns from the worst paths of each size.
struct WorstPaths {
    history: usize,
    context: HistoryContext,
    teachers: Teachers,
    /// Whether each finished size replaces what was learnt from the ones before.
    last_only: bool,
    /// For each finished size, the policies of its worst paths, those that decide most first.
    sizes: Vec<Vec<HistoryPolicy>>,
    /// The worst paths of the size in progress.
    worst: Option<Worst>,
}

struct Worst {
    rank: (bool, u64),
    /// What each worst path teaches, by rank: keys left open, then keys. Less is better.
    policies: Vec<((usize, usize), HistoryPolicy)>,
}

impl WorstPaths {
    /// One policy of each size, joined; the largest size first, since what it teaches may include all the rest.
    fn choose(self, search: &mut Search<'_>, plan: &PolicyPlan) -> HistoryPolicy {
        let mut joined = HistoryPolicy::new(self.history, self.context);
        joined.sites = plan.sites;
        for policies in self.sizes.iter().rev() {
            if policies.iter().any(|policy| policy.is_below(&joined)) {
                continue;
            }
            let candidates = policies.iter().map(|policy| {
                let mut candidate = joined.clone();
                candidate.join(policy);
                LearntPolicy::History(candidate)
            });
            if let Some(LearntPolicy::History(chosen)) = choose(search, candidates.collect(), plan) {
                joined = chosen;
            }
        }
        joined
    }
}

impl Learner for WorstPaths {
    fn path(&mut self, path: &PathView<'_>, _: &[(SiteId, Arm)], worth: (bool, u64)) {
        if self.worst.as_ref().is_none_or(|worst| worst.rank < worth) {
            self.worst = Some(Worst { rank: worth, policies: Vec::new() });
        }
        let Some(worst) = self.worst.as_mut().filter(|worst| worst.rank == worth) else { return };
        if let (Teachers::All, [(_, known)]) = (self.teachers, worst.policies.as_mut_slice()) {
            known.learn(path.decisions);
            return;
        }
        let mut policy = HistoryPolicy::new(self.history, self.context);
        policy.learn(path.decisions);
        let rank = (policy.rules().filter(|(_, arms)| arms.len() > 1).count(), policy.rules().len());
        let place = worst.policies.partition_point(|(known, _)| *known <= rank);
        if place < MOST_EQUALS && worst.policies.iter().all(|(_, known)| *known != policy) {
            worst.policies.insert(place, (rank, policy));
            worst.policies.truncate(MOST_EQUALS);
        }
    }

    fn size_over(&mut self, _: u32, finished: bool) {
        if let Some(Worst { policies, .. }) = self.worst.take()
            && finished
        {
            if self.last_only {
                self.sizes.clear();
            }
            self.sizes.push(policies.into_iter().map(|(_, policy)| policy).collect());
        }
    }
}
