//! The Unique Path Finder: virtual executions over everything that was observed, until one leaves it (PySE, section IV-E).
//!
//! The tree is keyed by actions, not by states: two prefixes may end in the same state, and the second of them would count
//! as known although nothing was ever tried after it. A graph of states did worse (docs/results.md).

use super::learner::{Ended, Learner};
use super::state::{Step, encode};
use super::{Explore, PyseSettings};
use crate::random::Random;

/// What is known of an action at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Edge {
    /// It was never tried.
    Unseen,
    /// The program ends after it.
    End,
    /// It cannot be taken, or the solver does not know whether it can.
    Closed,
    /// The decision that follows.
    Node(u32),
}

/// A decision that an execution reached.
#[derive(Clone, Copy, Debug)]
struct Node {
    site: u32,
    /// By action.
    edges: [Edge; 2],
    /// What the policy said, and after how many updates.
    greedy: Option<(u32, bool)>,
}

/// What virtual executions found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Prefix {
    /// These actions, the last of which was never tried after those before it.
    Found(Vec<bool>),
    /// No try left the tree.
    NotFound,
    /// Everything was tried.
    Exhausted,
}

/// The observed computation tree.
#[derive(Debug, Default)]
pub struct Tree {
    nodes: Vec<Node>,
    /// Edges that were never tried.
    unseen: u64,
}

impl Tree {
    /// Bytes that it takes.
    pub fn bytes(&self) -> u64 {
        (self.nodes.capacity() * size_of::<Node>()) as u64
    }

    /// Forgets everything, and says how many decisions that was.
    pub fn clear(&mut self) -> u64 {
        let nodes = self.nodes.len() as u64;
        *self = Tree::default();
        nodes
    }

    fn add(&mut self, site: u32) -> u32 {
        self.nodes.push(Node { site, edges: [Edge::Unseen; 2], greedy: None });
        self.unseen += 2;
        (self.nodes.len() - 1) as u32
    }

    /// Takes in the actions of an execution. Decisions that are no actions follow the witness, so the same actions may
    /// lead elsewhere than before: the tree then has the newest site, and keeps what it knows beyond it.
    pub fn observe(&mut self, steps: &[Step], ended: Ended) {
        let Some(first) = steps.first() else { return };
        let mut at = if self.nodes.is_empty() { self.add(first.site) } else { 0 };
        for (index, step) in steps.iter().enumerate() {
            let node = &mut self.nodes[at as usize];
            if node.site != step.site {
                node.site = step.site;
                node.greedy = None;
            }
            let edge = node.edges[usize::from(step.action)];
            let next = match (steps.get(index + 1), edge) {
                (Some(_), Edge::Node(child)) => Some(child),
                (Some(following), _) => Some(self.add(following.site)),
                (None, _) => None,
            };
            if edge == Edge::Unseen {
                self.unseen -= 1;
            }
            let known = match (next, edge, ended) {
                (Some(child), ..) => Edge::Node(child),
                (None, Edge::Node(child), _) => Edge::Node(child),
                (None, _, Ended::Finished(_)) => Edge::End,
                (None, _, Ended::Infeasible | Ended::Unknown) => Edge::Closed,
            };
            self.nodes[at as usize].edges[usize::from(step.action)] = known;
            match next {
                Some(child) => at = child,
                None => break,
            }
        }
    }

    /// Algorithm 2, lines 18 to 25: at most N_search virtual executions, with twice the randomness in the second half.
    pub fn find(&mut self, learner: &mut Learner, settings: &PyseSettings, random: &mut Random) -> Prefix {
        let PyseSettings { searches: tries, epsilon, .. } = *settings;
        if self.nodes.is_empty() {
            return Prefix::NotFound;
        }
        if self.unseen == 0 {
            return Prefix::Exhausted;
        }
        let (mut steps, mut state) = (Vec::new(), Vec::new());
        let mut explore = settings.explore;
        for attempt in 0..tries {
            let epsilon = if attempt < tries / 2 { epsilon } else { 2.0 * epsilon };
            let epsilon = explore.at_decisions(epsilon, random);
            if epsilon == 0.0 {
                // Without a random action another try would be the same.
                explore = Explore::Decisions;
            }
            steps.clear();
            let mut at = 0;
            loop {
                let node = &mut self.nodes[at as usize];
                let action = match node.greedy {
                    _ if random.chance(epsilon) => random.coin(),
                    Some((updates, action)) if updates == learner.updates => action,
                    _ => {
                        encode(&steps, node.site, settings.shape.history, &mut state);
                        let action = learner.prefers_true(&state);
                        node.greedy = Some((learner.updates, action));
                        action
                    }
                };
                let avoided = settings.avoid_infeasible && node.edges[usize::from(action)] == Edge::Closed;
                let action = action != avoided;
                steps.push(Step { site: node.site, action, before: 0 });
                match node.edges[usize::from(action)] {
                    Edge::Node(next) => at = next,
                    Edge::Unseen => return Prefix::Found(steps.iter().map(|step| step.action).collect()),
                    Edge::End | Edge::Closed => break,
                }
            }
        }
        Prefix::NotFound
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Network;
    use crate::strategy::pyse::state::Numbering;

    fn steps(actions: &[bool]) -> Vec<Step> {
        actions.iter().map(|&action| Step { site: 1, action, before: 0 }).collect()
    }

    /// Each prefix found is new, and all of them together exhaust the tree: here two decisions, (true, true) infeasible.
    #[test]
    fn prefixes_are_new_until_the_tree_is_exhausted() {
        let settings = PyseSettings { searches: 1000, ..PyseSettings::default() };
        for seed in 1..20 {
            let mut random = Random::new(seed);
            let network = Network::random(settings.shape, &mut random);
            let mut learner = Learner::new(&settings, network, Numbering::default());
            let mut tree = Tree::default();
            assert_eq!(tree.find(&mut learner, &settings, &mut random), Prefix::NotFound);
            tree.observe(&steps(&[false, false]), Ended::Finished(2));
            let mut found = Vec::new();
            let end = loop {
                match tree.find(&mut learner, &settings, &mut random) {
                    Prefix::Found(mut prefix) => {
                        assert!(!found.contains(&prefix));
                        found.push(prefix.clone());
                        let infeasible = prefix == [true, true];
                        if prefix.len() == 1 {
                            prefix.push(false);
                        }
                        tree.observe(&steps(&prefix), if infeasible { Ended::Infeasible } else { Ended::Finished(2) });
                    }
                    end => break end,
                }
            };
            found.sort();
            assert_eq!((end, found), (Prefix::Exhausted, vec![vec![false, true], vec![true], vec![true, true]]));
        }
    }

    /// Where epsilon is drawn for the whole execution, most prefixes are what the policy does as far as the tree goes,
    /// however long that is; where it is drawn at each decision, hardly any is.
    #[test]
    fn a_long_path_of_the_policy_is_continued() {
        const LENGTH: usize = 100;
        let continued = |explore| {
            let settings = PyseSettings { explore, ..PyseSettings::default() };
            let is_continued = |&seed: &u64| {
                let mut random = Random::new(seed);
                let network = Network::random(settings.shape, &mut random);
                let mut learner = Learner::new(&settings, network, Numbering::default());
                let (mut path, mut state) = (Vec::new(), Vec::new());
                for _ in 0..LENGTH {
                    encode(&path, 1, settings.shape.history, &mut state);
                    path.push(Step { site: 1, action: learner.prefers_true(&state), before: 0 });
                }
                let greedy: Vec<bool> = path.iter().map(|step| step.action).collect();
                path[LENGTH - 1].action ^= true;
                let mut tree = Tree::default();
                tree.observe(&path, Ended::Finished(LENGTH as u64));
                tree.find(&mut learner, &settings, &mut random) == Prefix::Found(greedy)
            };
            (1..=40).filter(is_continued).count()
        };
        assert!(continued(Explore::Executions) >= 30);
        assert!(continued(Explore::Decisions) <= 5);
    }
}
