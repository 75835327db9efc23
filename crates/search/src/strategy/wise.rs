//! WISE: Burnim, Juvekar, Sen, "WISE: automated test generation for worst-case complexity", ICSE 2009.
//!
//! It explores every path at small sizes (Algorithm 1), takes the least branch policies of the worst ones (section
//! 5.3), searches greedily for a policy that generates a worst path of each training size and few other paths
//! (Algorithm 4), and follows every path that this policy leaves open at the target size (Algorithm 3).
//!
//! Corners that the paper leaves open, and what is done here:
//! - Conditionals on concrete values are sites too; a side taken there is forced. This reproduces the published
//!   number of guided mergesort paths; without it there are more.
//! - Of equally good candidates in the greedy search, it takes the one that permits fewest arms, then the first in the
//!   order of sites. An extension (`--probe-ties`) asks first whose join reaches the greatest cost on its first paths at
//!   the target size: a match that ends a string search may cost as much as a mismatch at the training size, but not later.
//! - The training size is given by the user, or grows until a share of the budget is spent (as in the ESE paper's
//!   comparison). The authors found the least sufficient one by hand.
//! - The worst paths are those by the search's cost; the paper counts executed conditionals (cost `branches`).
//! - A policy that generates no path at all at the target size (say, because a site was never reached in training)
//!   is applied again with every feasible arm open where it permits none. This is reported.
//! - With source lines as sites ([`crate::policy::Sites::Line`]) conditionals on concrete values are not looked at.

use super::exhaustive::{ORDER, arm_order};
use super::{Carried, Declaration, OptionDeclaration, OptionKind, Options, Purpose, Strategy, StrategyReport};
use crate::kernel::PathView;
use crate::policy::{
    BranchPolicy, Generated, Learner, LearntPolicy, PolicyPlan, SavedPolicy, Sites, TrainingReport, TrainingSizes,
    choose, generate, train,
};
use crate::program::{Arm, Program, SiteId};
use crate::search::{Finished, Search};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// What the command line knows of it.
pub const DECLARATION: Declaration = Declaration {
    name: "wise",
    summary: "learns which side of each branch costs most at small sizes, and follows only those",
    citation: Some("Burnim, Juvekar, Sen, ICSE 2009"),
    options: &[TRAIN_SIZES, TRAIN_SHARE, ORDER, SITES, PROBE_TIES, POLICY, POLICY_OUT],
    learns: true,
    purpose: Purpose::Cost,
    counts_paths: true,
    make: |options| {
        let plan = policy_plan(options)?;
        Ok(Box::new(Wise { plan, given: options.policy.clone(), report: None }))
    },
};

/// The sizes of [`PolicyPlan`].
pub(super) const TRAIN_SIZES: OptionDeclaration = OptionDeclaration {
    name: "train-sizes",
    value: "SIZES",
    kind: OptionKind::Sizes,
    default: None,
    neutral: None,
    help: "sizes to learn at, as in 2,3,4 or 2..6 (ends included) [default: 1, 2, 3, ... while time allows]",
};

/// The share of [`PolicyPlan`].
pub(super) const TRAIN_SHARE: OptionDeclaration =
    OptionDeclaration::probability("train-share", "0.5", "part of the budget for learning, from 0 to 1");

/// A policy to apply instead of learning one.
pub(super) const POLICY: OptionDeclaration = OptionDeclaration {
    name: "policy",
    value: "FILE",
    kind: OptionKind::Policy,
    default: None,
    neutral: None,
    help: "apply this saved policy instead of learning one",
};

/// Where the policy that was applied is saved.
pub(super) const POLICY_OUT: OptionDeclaration = OptionDeclaration {
    name: "policy-out",
    value: "FILE",
    kind: OptionKind::PolicyOut,
    default: None,
    neutral: None,
    help: "save the policy that was applied",
};

/// What a policy's sites are.
pub(super) const SITES: OptionDeclaration = OptionDeclaration {
    name: "sites",
    value: "WHICH",
    kind: OptionKind::Word(&["branch", "line"]),
    default: Some("branch"),
    neutral: None,
    help: "what rules are about: branches, or source lines of the function that was called",
};

/// The tie-break of [`PolicyPlan::probe_ties`].
pub(super) const PROBE_TIES: OptionDeclaration = OptionDeclaration {
    name: "probe-ties",
    value: "",
    kind: OptionKind::Switch,
    default: None,
    neutral: None,
    help: "compare policies that training cannot tell apart by their first paths at the size asked for",
};

/// What the options say about learning and applying a policy.
pub(super) fn policy_plan(options: &Options) -> Result<PolicyPlan, String> {
    Ok(PolicyPlan {
        sizes: options.sizes(&TRAIN_SIZES)?.map_or(TrainingSizes::Automatic, TrainingSizes::These),
        share: options.probability(&TRAIN_SHARE)?,
        order: arm_order(options, PolicyPlan::default().order)?,
        sites: if options.word(&SITES)? == "line" { Sites::Line } else { Sites::Branch },
        probe_ties: options.switch(&PROBE_TIES)?,
        ..PolicyPlan::default()
    })
}

/// Learns a branch policy at small sizes and applies it.
#[derive(Clone, Debug, Default)]
pub struct Wise {
    /// How it learns and applies its policy.
    pub plan: PolicyPlan,
    /// Applied instead of a learnt policy, without training.
    pub given: Option<LearntPolicy>,
    /// What the last search did.
    pub report: Option<GuidedReport>,
}

/// Equally good candidates that are tried at the target size: those that permit fewest arms.
pub(super) const MOST_EQUALS: usize = 16;

/// What a search guided by a policy did.
#[derive(Clone, Debug, PartialEq)]
pub struct GuidedReport {
    /// The policy that was applied.
    pub policy: LearntPolicy,
    /// Training sizes and what was seen there; empty for a given policy.
    pub training: TrainingReport,
    /// What was generated at the target size.
    pub generated: Generated,
}

impl GuidedReport {
    /// Whether every path that the policy leaves open was seen.
    pub(super) fn finished(&self) -> Finished {
        if self.generated.finished { Finished::Everything } else { Finished::Partly }
    }

    /// The policy, unless nothing was learnt for it; then another size may teach more.
    pub(super) fn learnt_policy(&self) -> Option<LearntPolicy> {
        self.training.finished_sizes().next().map(|_| self.policy.clone())
    }
}

/// What WISE and SPF-WCA have in common: a policy, given or learnt, applied at the target size.
pub(super) fn search_guided(
    search: &mut Search<'_>,
    given: Option<&LearntPolicy>,
    plan: &PolicyPlan,
    learn: impl FnOnce(&mut Search<'_>) -> (LearntPolicy, TrainingReport),
) -> GuidedReport {
    let (policy, training) = match given {
        Some(policy) => (policy.clone(), TrainingReport::default()),
        None => learn(search),
    };
    let generated = generate(search, &policy, plan);
    GuidedReport { policy, training, generated }
}

impl Strategy for Wise {
    fn search(&mut self, search: &mut Search<'_>) -> Finished {
        let plan = &self.plan;
        let report = search_guided(search, self.given.as_ref(), plan, |search| {
            let mut learner = Summaries::default();
            let training = train(search, plan, &mut learner);
            (LearntPolicy::Branch(learner.find_good_generator(search, plan)), training)
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

/// The summaries of section 5.3: for each finished size, the least policies of its worst paths, and for the last one,
/// how many paths have which least policy. No path is kept.
#[derive(Debug, Default)]
struct Summaries {
    /// By finished size, in the order of training.
    worst_policies: Vec<BTreeSet<BranchPolicy>>,
    /// Least policies of the last finished size with their numbers of paths.
    counts: FxHashMap<BranchPolicy, u64>,
    /// The size in progress.
    current: SizeSummary,
}

#[derive(Debug, Default)]
struct SizeSummary {
    worst: (bool, u64),
    worst_policies: BTreeSet<BranchPolicy>,
    counts: FxHashMap<BranchPolicy, u64>,
}

impl Learner for Summaries {
    fn path(&mut self, path: &PathView<'_>, concrete: &[(SiteId, Arm)], rank: (bool, u64)) {
        let least = BranchPolicy::least(path.decisions, concrete);
        let current = &mut self.current;
        if rank > current.worst {
            current.worst = rank;
            current.worst_policies.clear();
        }
        if rank == current.worst && !current.worst_policies.contains(&least) {
            current.worst_policies.insert(least.clone());
        }
        *current.counts.entry(least).or_insert(0) += 1;
    }

    fn size_over(&mut self, _: u32, finished: bool) {
        let summary = std::mem::take(&mut self.current);
        if finished && !summary.worst_policies.is_empty() {
            self.worst_policies.push(summary.worst_policies);
            self.counts = summary.counts;
        }
    }
}

impl Summaries {
    /// Algorithm 4. Once the budget is spent, the remaining candidates are skipped: any one of a size is enough to
    /// guarantee that its worst path is generated.
    fn find_good_generator(&self, search: &mut Search<'_>, plan: &PolicyPlan) -> BranchPolicy {
        let mut counts: Vec<(&BranchPolicy, u64)> =
            self.counts.iter().map(|(policy, &count)| (policy, count)).collect();
        counts.sort_unstable();
        let mut good = BranchPolicy::new(plan.sites);
        for worst_policies in self.worst_policies.iter().rev() {
            if worst_policies.iter().any(|policy| policy.is_below(&good)) {
                // Such a candidate adds nothing, so none can be better.
                continue;
            }
            let mut least = u64::MAX;
            let mut equals: Vec<(usize, BranchPolicy)> = Vec::new();
            for candidate in worst_policies {
                let joined = good.join(candidate);
                let generated =
                    counts.iter().filter(|(least, _)| least.is_below(&joined)).map(|(_, count)| count).sum();
                if generated < least {
                    least = generated;
                    equals.clear();
                }
                if generated == least {
                    let permitted = joined.permissions().len();
                    equals.push((permitted, joined));
                }
                if search.stop().is_some() {
                    break;
                }
            }
            equals.sort_unstable();
            equals.dedup();
            equals.truncate(MOST_EQUALS);
            let equals = equals.into_iter().map(|(_, policy)| LearntPolicy::Branch(policy)).collect();
            if let Some(LearntPolicy::Branch(joined)) = choose(search, equals, plan) {
                good = joined;
            }
        }
        good
    }
}
