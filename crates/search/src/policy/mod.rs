//! Policies: rules from a site (and what came before it) to the arms a path may take.
//!
//! There are three kinds. Two are learnt from the worst paths at small sizes and applied at larger ones:
//! - [`BranchPolicy`]: branch policy generators of WISE (Burnim, Juvekar, Sen, ICSE 2009, section 5.1);
//! - [`HistoryPolicy`]: decision histories of SPF-WCA (Luckow, Kersten, Pasareanu, ICST 2017), as restated and used by
//!   the ESE and PySE papers.
//!
//! The third, [`NetworkPolicy`], is what PySE learns while it searches: it prefers arms and forbids none.
//!
//! A policy covers conditionals only. Everything else is left open: the arms of value decisions (addresses, lengths) are
//! numbers that mean something else at another size, and checks and indirect calls are no conditionals of the source.

mod guided;
mod network;
mod saved;
mod training;
mod words;

pub use guided::{Generated, GuidedWalk, choose, generate};
pub use network::{Activations, Adam, MOST_HIDDEN, MOST_HISTORY, Network, NetworkError, NetworkPolicy, Row, Shape};
pub use saved::{PolicyError, SavedPermission, SavedPolicy, SavedRule, SavedRules, SavedSite};
pub use training::{Learner, PolicyPlan, TrainingReport, TrainingSize, TrainingSizes, train};

use crate::path::Decision;
use crate::program::{Arm, Kind, SiteId};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What a policy's sites are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sites {
    /// Branches of the code.
    #[default]
    Branch,
    /// Source lines of the outermost function that has any: what it calls belongs to the line of the call, as library
    /// code does in the PySE paper (Koo, Saumya, Kulkarni, Bagchi), whose branch points are the lines of the program. The
    /// same arm of two branches of one line is one outcome. Branches without a line are sites of their own.
    Line,
}

/// How far a branch policy permits an arm: the values 0, 1/2 and 1 of the WISE paper.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Permission {
    /// 0: never.
    #[default]
    Forbidden,
    /// 1/2: only where no other arm is feasible.
    Forced,
    /// 1: wherever it is feasible.
    Free,
}

/// A permission for every (site, arm). Policies are ordered pointwise; the least one forbids everything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BranchPolicy {
    /// What its sites are.
    pub sites: Sites,
    /// Sorted by site and arm; what is not listed is forbidden.
    permissions: Vec<((SiteId, Arm), Permission)>,
}

impl BranchPolicy {
    /// The least policy: it forbids every arm of these sites.
    pub fn new(sites: Sites) -> BranchPolicy {
        BranchPolicy { sites, permissions: Vec::new() }
    }

    /// What it says about an arm.
    pub fn permission(&self, site: SiteId, arm: Arm) -> Permission {
        match self.permissions.binary_search_by_key(&(site, arm), |(key, _)| *key) {
            Ok(index) => self.permissions[index].1,
            Err(_) => Permission::Forbidden,
        }
    }

    /// Permits an arm at least this far.
    pub fn raise(&mut self, site: SiteId, arm: Arm, permission: Permission) {
        if permission == Permission::Forbidden {
            return;
        }
        match self.permissions.binary_search_by_key(&(site, arm), |(key, _)| *key) {
            Ok(index) => {
                let known = &mut self.permissions[index].1;
                *known = permission.max(*known);
            }
            Err(index) => self.permissions.insert(index, ((site, arm), permission)),
        }
    }

    /// The least policy that generates this path (WISE section 5.3): free where another arm was feasible too, and
    /// forced where the arm occurred otherwise. `concrete` are the arms taken at conditionals on concrete values,
    /// which are always forced. A decision counts as free if it is not known whether it was implied.
    pub fn least(decisions: &[Decision], concrete: &[(SiteId, Arm)]) -> BranchPolicy {
        let mut policy = BranchPolicy::default();
        for decision in decisions.iter().filter(|decision| speaks_about(decision.kind)) {
            let permission = if decision.implied == Some(true) { Permission::Forced } else { Permission::Free };
            policy.raise(decision.site, decision.arm, permission);
        }
        for &(site, arm) in concrete {
            policy.raise(site, arm, Permission::Forced);
        }
        policy
    }

    /// The least policy above both.
    pub fn join(&self, other: &BranchPolicy) -> BranchPolicy {
        let mut joined = self.clone();
        for &((site, arm), permission) in &other.permissions {
            joined.raise(site, arm, permission);
        }
        joined
    }

    /// Whether the other one generates every path that this one does.
    pub fn is_below(&self, other: &BranchPolicy) -> bool {
        self.permissions.iter().all(|&((site, arm), permission)| permission <= other.permission(site, arm))
    }

    /// Every arm that is not forbidden, by site and arm.
    pub fn permissions(&self) -> impl ExactSizeIterator<Item = (SiteId, Arm, Permission)> + '_ {
        self.permissions.iter().map(|&((site, arm), permission)| (site, arm, permission))
    }

    /// Whether any arm of the site is permitted; if not, training never saw it.
    pub fn knows(&self, site: SiteId) -> bool {
        let index = self.permissions.partition_point(|&((known, _), _)| known < site);
        self.permissions.get(index).is_some_and(|&((known, _), _)| known == site)
    }

    /// The arms of the site that are not forbidden.
    pub fn arms(&self, site: SiteId) -> impl Iterator<Item = (Arm, Permission)> + '_ {
        let index = self.permissions.partition_point(|&((known, _), _)| known < site);
        let of_site = self.permissions[index..].iter().take_while(move |&&((known, _), _)| known == site);
        of_site.map(|&((_, arm), permission)| (arm, permission))
    }
}

/// Which earlier decisions are the history of a decision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HistoryContext {
    /// The last ones of the path, wherever they were made.
    #[default]
    Off,
    /// The last ones made by the same call of the same function. A site that always decided the same way in training
    /// is resolved without its history. Both as in the SPF-WCA tool.
    Callframe,
}

/// A site with the decisions before it, oldest first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HistoryKey {
    /// Where.
    pub site: SiteId,
    /// At most as many as the policy's length; fewer at the start of a path (or call).
    pub history: Vec<(SiteId, Arm)>,
}

/// For each (site, last `length` decisions), the arms that the training paths took there. A key that they never met
/// leaves every arm open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HistoryPolicy {
    /// What its sites are.
    pub sites: Sites,
    length: usize,
    context: HistoryContext,
    rules: BTreeMap<HistoryKey, BTreeSet<Arm>>,
    /// Every arm that each site took, for [`HistoryContext::Callframe`].
    by_site: BTreeMap<SiteId, BTreeSet<Arm>>,
}

impl HistoryPolicy {
    /// A policy without rules. Length 0 is ESE's reading of WISE: site to set of arms.
    pub fn new(length: usize, context: HistoryContext) -> HistoryPolicy {
        HistoryPolicy { length, context, ..HistoryPolicy::default() }
    }

    /// Decisions remembered.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Which earlier decisions count.
    pub fn context(&self) -> HistoryContext {
        self.context
    }

    /// The rules, by key.
    pub fn rules(&self) -> impl ExactSizeIterator<Item = (&HistoryKey, &BTreeSet<Arm>)> {
        self.rules.iter()
    }

    /// The key of a decision at this site and in this call, after these decisions.
    pub fn key(&self, site: SiteId, frame: u32, before: &[Decision]) -> HistoryKey {
        // A policy from a file may claim any length.
        let mut key = HistoryKey { site, history: Vec::with_capacity(self.length.min(64)) };
        for decision in before.iter().rev() {
            if key.history.len() >= self.length {
                break;
            }
            if self.context == HistoryContext::Callframe && decision.frame != frame {
                // Calls are numbered as they are made: an older call's decision was made before this call began.
                if decision.frame < frame {
                    break;
                }
                continue;
            }
            if speaks_about(decision.kind) {
                key.history.push((decision.site, decision.arm));
            }
        }
        key.history.reverse();
        key
    }

    /// Learns what a path did at every decision.
    pub fn learn(&mut self, decisions: &[Decision]) {
        for (index, decision) in decisions.iter().enumerate().filter(|(_, decision)| speaks_about(decision.kind)) {
            let key = self.key(decision.site, decision.frame, &decisions[..index]);
            self.add(key, decision.arm);
        }
    }

    /// Learns what another policy of the same length and context knows.
    pub fn join(&mut self, other: &HistoryPolicy) {
        for (key, arms) in &other.rules {
            arms.iter().for_each(|&arm| self.add(key.clone(), arm));
        }
    }

    /// Whether the other one knows every rule of this one.
    pub fn is_below(&self, other: &HistoryPolicy) -> bool {
        self.rules.iter().all(|(key, arms)| other.rules.get(key).is_some_and(|theirs| arms.is_subset(theirs)))
    }

    /// Learns one rule.
    pub fn add(&mut self, key: HistoryKey, arm: Arm) {
        self.by_site.entry(key.site).or_default().insert(arm);
        self.rules.entry(key).or_default().insert(arm);
    }

    /// The arms to take; none if every feasible one is open.
    pub fn arms(&self, site: SiteId, frame: u32, before: &[Decision]) -> Option<&BTreeSet<Arm>> {
        if self.context == HistoryContext::Callframe
            && let Some(arms) = self.by_site.get(&site)
            && arms.len() == 1
        {
            return Some(arms);
        }
        self.rules.get(&self.key(site, frame, before))
    }
}

/// A learnt policy of any kind.
#[derive(Clone, Debug, PartialEq)]
pub enum LearntPolicy {
    /// WISE's.
    Branch(BranchPolicy),
    /// SPF-WCA's.
    History(HistoryPolicy),
    /// PySE's.
    Network(NetworkPolicy),
}

impl LearntPolicy {
    /// The name of the strategy that learns policies of this kind.
    pub fn strategy(&self) -> &'static str {
        match self {
            LearntPolicy::Branch(_) => "wise",
            LearntPolicy::History(_) => "spf-wca",
            LearntPolicy::Network(_) => "pyse",
        }
    }

    /// What its sites are.
    pub fn sites(&self) -> Sites {
        match self {
            LearntPolicy::Branch(policy) => policy.sites,
            LearntPolicy::History(policy) => policy.sites,
            // It numbers branches; those of one line may have one number.
            LearntPolicy::Network(_) => Sites::Branch,
        }
    }
}

/// Whether policies say anything about decisions of this kind.
pub(crate) fn speaks_about(kind: Kind) -> bool {
    kind.is_branch()
}
