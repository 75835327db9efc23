//! Policies as plain data that can be written to a file and read back.

use super::{
    BranchPolicy, HistoryContext, HistoryKey, HistoryPolicy, LearntPolicy, Network, NetworkError, NetworkPolicy,
    Permission, Shape, Sites,
};
use crate::program::{Arm, Program, SiteId};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// A policy with the names of its sites: a number alone would silently mean another branch after the program has
/// changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedPolicy {
    /// The program it was learnt on, for human readers.
    pub learnt_on: String,
    /// What its sites are.
    #[serde(default)]
    pub kind: Sites,
    /// Every site that the rules mention.
    pub sites: Vec<SavedSite>,
    /// What it says.
    pub rules: SavedRules,
}

/// A site and what it was called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedSite {
    /// Its number in the program.
    pub site: u32,
    /// [`Program::site_name`].
    pub name: String,
}

/// The rules of one kind of policy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum SavedRules {
    /// A [`BranchPolicy`].
    Branch(Vec<SavedPermission>),
    /// A [`HistoryPolicy`].
    History {
        /// Decisions remembered.
        length: usize,
        /// Which earlier decisions count.
        context: HistoryContext,
        /// One per key.
        rules: Vec<SavedRule>,
    },
    /// A [`NetworkPolicy`].
    Network {
        /// Decisions before the present one that it looks at.
        history: usize,
        /// Hidden units.
        hidden: usize,
        /// Whether F1 is a share of the longest path.
        scaled: bool,
        /// F2 of each site.
        numbers: BTreeMap<u32, u32>,
        /// The weights of the LSTM cell, by gate (forget, input, candidate, output), unit and input (bias, F1, F2, F3,
        /// hidden units).
        cell: Vec<f64>,
        /// The weights of the linear layer, by action (false, true), row (the present decision first) and unit.
        output: Vec<f64>,
    },
}

/// One permission of a branch policy; what is not listed is forbidden.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedPermission {
    /// Where.
    pub site: u32,
    /// The arm.
    pub arm: u64,
    /// How far it is permitted.
    pub permission: Permission,
}

/// One rule of a history policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedRule {
    /// Where.
    pub site: u32,
    /// Site and arm of the decisions before, oldest first.
    pub history: Vec<(u32, u64)>,
    /// The arms taken.
    pub arms: Vec<u64>,
}

/// Why a saved policy cannot be applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PolicyError {
    /// The program calls a site differently: the policy belongs to another program or another build of it.
    OtherProgram {
        /// The site.
        site: u32,
        /// Its name in the policy.
        saved: String,
        /// Its name in the program.
        here: String,
        /// What the policy was learnt on.
        learnt_on: String,
    },
    /// A rule mentions a site that is not in the list of sites.
    UnknownSite(u32),
    /// A rule of a history policy has a longer history than the policy says.
    LongHistory {
        /// The rule's site.
        site: u32,
        /// Length of its history.
        length: usize,
    },
    /// The weights are not those of a network.
    Network(NetworkError),
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PolicyError::OtherProgram { site, saved, here, learnt_on } => write!(
                f,
                "the policy was learnt on another program ({learnt_on}): site {site} was \"{saved}\" there and is \
                 \"{here}\" here"
            ),
            PolicyError::UnknownSite(site) => write!(f, "a rule mentions site {site}, which the policy does not name"),
            PolicyError::LongHistory { site, length } => {
                write!(f, "a rule for site {site} has a history of {length} decisions, longer than the policy's")
            }
            PolicyError::Network(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for PolicyError {}

impl SavedPolicy {
    /// The policy as data.
    pub fn new(policy: &LearntPolicy, program: &dyn Program) -> SavedPolicy {
        let mut sites: BTreeSet<SiteId> = BTreeSet::new();
        let rules = match policy {
            LearntPolicy::Branch(policy) => {
                sites.extend(policy.permissions().map(|(site, _, _)| site));
                let saved = |(site, arm, permission): (SiteId, Arm, Permission)| SavedPermission {
                    site: site.0,
                    arm: arm.0,
                    permission,
                };
                SavedRules::Branch(policy.permissions().map(saved).collect())
            }
            LearntPolicy::History(policy) => {
                for (key, _) in policy.rules() {
                    sites.insert(key.site);
                    sites.extend(key.history.iter().map(|(site, _)| *site));
                }
                let saved = |(key, arms): (&HistoryKey, &BTreeSet<Arm>)| SavedRule {
                    site: key.site.0,
                    history: key.history.iter().map(|(site, arm)| (site.0, arm.0)).collect(),
                    arms: arms.iter().map(|arm| arm.0).collect(),
                };
                SavedRules::History {
                    length: policy.length(),
                    context: policy.context(),
                    rules: policy.rules().map(saved).collect(),
                }
            }
            LearntPolicy::Network(policy) => {
                sites.extend(policy.sites.keys());
                let Shape { history, hidden } = policy.network.shape();
                let (cell, output) = policy.network.parts();
                SavedRules::Network {
                    history,
                    hidden,
                    scaled: policy.scaled,
                    numbers: policy.sites.iter().map(|(site, number)| (site.0, *number)).collect(),
                    cell: cell.to_vec(),
                    output: output.to_vec(),
                }
            }
        };
        let named = |site: SiteId| SavedSite { site: site.0, name: program.site_name(site) };
        SavedPolicy {
            learnt_on: program.name().to_owned(),
            kind: policy.sites(),
            sites: sites.into_iter().map(named).collect(),
            rules,
        }
    }

    /// Restores the policy for a program whose sites have the same names.
    pub fn load(&self, program: &dyn Program) -> Result<LearntPolicy, PolicyError> {
        let mut names: BTreeMap<u32, &str> = BTreeMap::new();
        for SavedSite { site, name } in &self.sites {
            let here = program.site_name(SiteId(*site));
            if here != *name {
                let (saved, learnt_on) = (name.clone(), self.learnt_on.clone());
                return Err(PolicyError::OtherProgram { site: *site, saved, here, learnt_on });
            }
            names.insert(*site, name);
        }
        let known = |site: u32| match names.contains_key(&site) {
            true => Ok(SiteId(site)),
            false => Err(PolicyError::UnknownSite(site)),
        };
        match &self.rules {
            SavedRules::Branch(permissions) => {
                let mut policy = BranchPolicy::new(self.kind);
                for saved in permissions {
                    policy.raise(known(saved.site)?, Arm(saved.arm), saved.permission);
                }
                Ok(LearntPolicy::Branch(policy))
            }
            SavedRules::History { length, context, rules } => {
                let mut policy = HistoryPolicy::new(*length, *context);
                policy.sites = self.kind;
                for rule in rules {
                    if rule.history.len() > *length {
                        return Err(PolicyError::LongHistory { site: rule.site, length: rule.history.len() });
                    }
                    let mut key = HistoryKey { site: known(rule.site)?, history: Vec::new() };
                    for &(site, arm) in &rule.history {
                        key.history.push((known(site)?, Arm(arm)));
                    }
                    for &arm in &rule.arms {
                        policy.add(key.clone(), Arm(arm));
                    }
                }
                Ok(LearntPolicy::History(policy))
            }
            SavedRules::Network { history, hidden, scaled, numbers, cell, output } => {
                let shape = Shape { history: *history, hidden: *hidden };
                let network = Network::new(shape, cell, output).map_err(PolicyError::Network)?;
                let mut sites = BTreeMap::new();
                for (&site, &number) in numbers {
                    if number == 0 {
                        return Err(PolicyError::Network(NetworkError::Unnumbered(site)));
                    }
                    sites.insert(known(site)?, number);
                }
                Ok(LearntPolicy::Network(NetworkPolicy { network, scaled: *scaled, sites }))
            }
        }
    }
}
