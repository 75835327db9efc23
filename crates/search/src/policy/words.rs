//! Policies in words, for human readers: one line per site or history.

use super::{BranchPolicy, HistoryContext, HistoryPolicy, LearntPolicy, NetworkPolicy, Permission};
use crate::program::{Arm, Program, SiteId};
use std::collections::BTreeMap;

impl LearntPolicy {
    /// One line per rule, in the order of sites.
    pub fn in_words(&self, program: &dyn Program) -> Vec<String> {
        match self {
            LearntPolicy::Branch(policy) => branch_policy(policy, program),
            LearntPolicy::History(policy) => history_policy(policy, program),
            LearntPolicy::Network(policy) => network_policy(policy, program),
        }
    }
}

/// The name of an arm; arms of a two-armed site are named by their truth values.
fn arm_name(arm: Arm, two_armed: bool) -> String {
    match arm {
        Arm::FALSE if two_armed => "false".to_owned(),
        Arm::TRUE if two_armed => "true".to_owned(),
        Arm(case) => format!("case {case}"),
    }
}

/// "a", "a or b", "a, b or c".
fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [only] => only.clone(),
        [init @ .., last] => format!("{} or {last}", init.join(", ")),
    }
}

fn branch_policy(policy: &BranchPolicy, program: &dyn Program) -> Vec<String> {
    let mut sites: BTreeMap<SiteId, Vec<(Arm, Permission)>> = BTreeMap::new();
    for (site, arm, permission) in policy.permissions() {
        sites.entry(site).or_default().push((arm, permission));
    }
    let line = |(&site, arms): (&SiteId, &Vec<(Arm, Permission)>)| {
        let two_armed = arms.iter().all(|(arm, _)| arm.0 <= 1);
        let named = |wanted: Permission| -> Vec<String> {
            let chosen = arms.iter().rev().filter(|(_, permission)| *permission == wanted);
            chosen.map(|(arm, _)| arm_name(*arm, two_armed)).collect()
        };
        let (free, forced) = (named(Permission::Free), named(Permission::Forced));
        format!("{}: {}", program.site_name(site), rule(two_armed, &free, &forced))
    };
    sites.iter().map(line).collect()
}

fn rule(two_armed: bool, free: &[String], forced: &[String]) -> String {
    match (free, forced) {
        ([], forced) => format!("take {} only where nothing else is feasible", listed(forced)),
        ([_, _], []) if two_armed => "take either".to_owned(),
        (free, []) => format!("always take {}", listed(free)),
        (free, [_]) if two_armed => format!("take {} whenever feasible", listed(free)),
        (free, forced) => {
            format!("take {} whenever feasible, {} only where nothing else is", listed(free), listed(forced))
        }
    }
}

fn history_policy(policy: &HistoryPolicy, program: &dyn Program) -> Vec<String> {
    let mut two_armed: BTreeMap<SiteId, bool> = BTreeMap::new();
    for (key, arms) in policy.rules() {
        *two_armed.entry(key.site).or_insert(true) &= arms.iter().all(|arm| arm.0 <= 1);
    }
    let two_armed = |site: SiteId| two_armed.get(&site).copied().unwrap_or(true);
    let within = match policy.context() {
        HistoryContext::Off => "",
        HistoryContext::Callframe => " in this call",
    };
    let mut lines = Vec::new();
    for (key, arms) in policy.rules() {
        let arms: Vec<String> = arms.iter().rev().map(|&arm| arm_name(arm, two_armed(key.site))).collect();
        let taken = match arms.as_slice() {
            [_, _] if two_armed(key.site) => "take either".to_owned(),
            arms => format!("always take {}", listed(arms)),
        };
        let after = |(site, arm): &(SiteId, Arm)| {
            format!("{} at {}", arm_name(*arm, two_armed(*site)), program.site_name(*site))
        };
        let when = match key.history.as_slice() {
            [] if policy.length() == 0 => String::new(),
            [] => format!(" as the first decision{within}"),
            history => format!(" after {}{within}", history.iter().map(after).collect::<Vec<_>>().join(", then ")),
        };
        lines.push(format!("{}: {taken}{when}", program.site_name(key.site)));
    }
    lines
}

/// A network has no rules to print, so this says what it looks at.
fn network_policy(policy: &NetworkPolicy, program: &dyn Program) -> Vec<String> {
    let shape = policy.network.shape();
    let looks = match shape.history {
        0 => "the present decision".to_owned(),
        1 => "the present decision and the one before".to_owned(),
        before => format!("the present decision and the {before} before it"),
    };
    let mut lines = vec![format!("a network of {} weights looks at {looks}", shape.weights())];
    lines.extend(policy.sites.iter().map(|(site, number)| format!("{}: F2 = {number}", program.site_name(*site))));
    lines
}
