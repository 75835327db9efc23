//! Which arms are tried first: those that no run has taken.

use crate::objective::Goals;
use crate::program::{Arm, SiteId};
use crate::strategy::pex::{NodeId, Tree, View};
use std::collections::BTreeMap;

/// Nodes whose arm no run has taken yet, by arm: each arm in turn, those first that were tried least, and goals more often
/// than others.
#[derive(Default)]
pub struct Untaken {
    /// Tries and nodes.
    arms: BTreeMap<(SiteId, Arm), (u32, Vec<NodeId>)>,
}

/// Nodes of one arm that are kept: on a long path it is passed very often.
const NODES_PER_ARM: usize = 4096;

impl Untaken {
    /// Adds a node.
    pub fn add(&mut self, node: NodeId, tree: &Tree) {
        let at = tree.node(node);
        let (_, nodes) = self.arms.entry((at.site, at.arm)).or_default();
        if nodes.len() < NODES_PER_ARM {
            nodes.push(node);
        }
    }

    /// The node to follow next. `far` says how many tries an arm is behind another one for what it leads to.
    pub fn next(&mut self, view: &mut View<'_>, goals: &Goals, far: impl Fn((SiteId, Arm)) -> u32) -> Option<NodeId> {
        self.arms.retain(|&(site, arm), (_, nodes)| {
            while nodes.last().is_some_and(|&node| !view.tree.is_open(node)) {
                nodes.pop();
            }
            !nodes.is_empty() && !goals.was_taken(site, arm)
        });
        let wants_goal = view.random.below(4) > 0;
        let open = self.arms.iter().map(|(&(site, arm), (tries, _))| {
            let is_goal = goals.wants(site, arm);
            (is_goal != wants_goal, tries.saturating_add(far((site, arm))), (site, arm))
        });
        let (_, _, key) = open.min()?;
        let (tries, nodes) = self.arms.get_mut(&key)?;
        *tries += 1;
        // One that is no longer open may be anywhere but at the end.
        let index = view.random.index(nodes.len());
        let node = nodes.swap_remove(index);
        if view.tree.is_open(node) { Some(node) } else { nodes.pop() }
    }
}
