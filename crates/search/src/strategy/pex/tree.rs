//! The execution tree of a generational search: paths, and on them the decisions with an arm that nobody has followed.

use crate::frontier::{Flip, Trail};
use crate::generation::Passed;
use crate::kernel::Point;
use crate::program::{Arm, SiteId};
use pessimum_term::Witness;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::Hasher as _;
use std::rc::Rc;

/// The number of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

/// The number of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PathId(pub u32);

/// Levels at which coverage is compared: counts capped at 1, 2, 4, ..., 256.
pub const LEVELS: usize = 9;

/// What a node is known by, besides its place in the tree; taken when the node is made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attributes {
    /// The calls that led to it, as a hash.
    pub stack: u64,
    /// How many they are.
    pub calls: u32,
    /// How often its site occurred on the path before it.
    pub frequency: u32,
    /// Hashes of how often each arm was taken on the path before it, capped at 2^level.
    pub coverage: [u64; LEVELS],
}

/// A decision of a path and an arm of it that nobody has followed yet.
#[derive(Clone, Debug)]
pub struct Node {
    /// The path that made it.
    pub path: PathId,
    /// The index of the decision: its depth in the tree.
    pub depth: u32,
    /// The site.
    pub site: SiteId,
    /// The arm that the path took.
    pub left: Arm,
    /// The arm to follow.
    pub arm: Arm,
    /// What else is known of it.
    pub attributes: Attributes,
    open: bool,
}

/// A path of the tree.
#[derive(Debug)]
struct Grown {
    trail: Rc<Trail>,
    /// The path that it left, and at which decision; none for the first one.
    parent: Option<(PathId, u32)>,
    /// Its nodes, in the order of their depths.
    nodes: std::ops::Range<u32>,
    /// Paths that left it, each with the decision where.
    children: Vec<(u32, PathId)>,
}

/// All of it.
#[derive(Debug, Default)]
pub struct Tree {
    nodes: Vec<Node>,
    paths: Vec<Grown>,
    open: usize,
    bytes: u64,
}

impl Tree {
    /// Adds a path that flipped this node, with the arms that it passed and what was seen of its decisions. Returns its
    /// number.
    pub fn grow(&mut self, trail: Rc<Trail>, flipped: Option<NodeId>, passed: &[Passed], looker: &Looker) -> PathId {
        let path = PathId(self.paths.len() as u32);
        let first = self.nodes.len() as u32;
        for passed in passed {
            self.nodes.push(Node {
                path,
                depth: passed.depth as u32,
                site: passed.site,
                left: trail.arms.get(passed.depth).copied().unwrap_or(passed.arm),
                arm: passed.arm,
                attributes: looker.of_decision(passed.depth),
                open: true,
            });
        }
        self.open += passed.len();
        self.bytes += (size_of::<Grown>() + size_of_val(&trail.arms[..]) + size_of_val(trail.witness.values())) as u64;
        self.bytes += (passed.len() * size_of::<Node>()) as u64;
        let parent = flipped.map(|node| (self.node(node).path, self.node(node).depth));
        if let Some((parent, depth)) = parent {
            self.paths[parent.0 as usize].children.push((depth, path));
        }
        let nodes = first..self.nodes.len() as u32;
        self.paths.push(Grown { trail, parent, nodes, children: Vec::new() });
        path
    }

    /// A node.
    pub fn node(&self, node: NodeId) -> &Node {
        &self.nodes[node.0 as usize]
    }

    /// Whether nobody has followed it yet.
    pub fn is_open(&self, node: NodeId) -> bool {
        self.node(node).open
    }

    /// Notes that a node is followed.
    pub fn close(&mut self, node: NodeId) {
        let node = &mut self.nodes[node.0 as usize];
        self.open -= usize::from(node.open);
        node.open = false;
    }

    /// How many nodes are open.
    pub fn open(&self) -> usize {
        self.open
    }

    /// Bytes that nodes and paths take, roughly. What frontiers keep is counted with them, as one and a half times that.
    pub fn bytes(&self) -> u64 {
        self.bytes + self.bytes / 2
    }

    /// What has to be run to follow a node.
    pub fn flip(&self, node: NodeId) -> Flip {
        let Node { path, depth, site, arm, .. } = *self.node(node);
        Flip { trail: Rc::clone(&self.paths[path.0 as usize].trail), depth: depth as usize, site, arm }
    }

    /// The input of a path.
    pub fn witness(&self, path: PathId) -> &Witness {
        &self.paths[path.0 as usize].trail.witness
    }

    /// The nodes that a path made.
    pub fn nodes_of(&self, path: PathId) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        self.paths[path.0 as usize].nodes.clone().map(NodeId)
    }

    /// The path that a path left.
    pub fn parent(&self, path: PathId) -> Option<PathId> {
        self.paths[path.0 as usize].parent.map(|(parent, _)| parent)
    }

    /// The paths that left a path, each with the decision where.
    pub fn children(&self, path: PathId) -> &[(u32, PathId)] {
        &self.paths[path.0 as usize].children
    }
}

/// Takes the attributes of decisions while a run is made.
#[derive(Debug)]
pub struct Looker {
    /// Whether call stacks and coverage are wanted; both take time at each decision.
    detailed: bool,
    /// Decisions before this one have nodes already.
    from: usize,
    taken: FxHashMap<(SiteId, Arm), u32>,
    occurred: FxHashMap<SiteId, u32>,
    hashes: [u64; LEVELS],
    counted: usize,
    attributes: Vec<Attributes>,
}

impl Looker {
    /// For a run whose decisions from this one on make nodes.
    pub fn new(detailed: bool, from: usize) -> Looker {
        let (taken, occurred) = (FxHashMap::default(), FxHashMap::default());
        Looker { detailed, from, taken, occurred, hashes: [0; LEVELS], counted: 0, attributes: Vec::new() }
    }

    /// What was seen of a decision.
    fn of_decision(&self, depth: usize) -> Attributes {
        let seen = depth.checked_sub(self.from).and_then(|index| self.attributes.get(index));
        seen.cloned().unwrap_or_default()
    }

    /// Sees a decision before it is taken.
    pub fn look(&mut self, point: &mut Point<'_, '_>) {
        if !self.detailed {
            return;
        }
        for decision in &point.decisions()[self.counted..] {
            *self.occurred.entry(decision.site).or_default() += 1;
            let count = self.taken.entry((decision.site, decision.arm)).or_default();
            *count += 1;
            // Sums do not depend on the order, so that two paths with the same counts have the same hashes.
            for (level, hash) in self.hashes.iter_mut().enumerate() {
                if *count <= 1 << level {
                    *hash = hash.wrapping_add(hash_of(&(decision.site, decision.arm, *count)));
                }
            }
        }
        self.counted = point.depth();
        if point.depth() >= self.from {
            let frequency = self.occurred.get(&point.site()).copied().unwrap_or(0);
            let stack = point.kernel().call_stack();
            // The innermost place is the branch itself.
            let calls = stack.get(1..).unwrap_or_default();
            let (stack, calls) = (hash_of(&calls), calls.len() as u32);
            self.attributes.push(Attributes { stack, calls, frequency, coverage: self.hashes });
        }
    }
}

fn hash_of(value: &impl std::hash::Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
pub mod testing {
    use super::*;

    /// A tree of one path with nodes of these sites, depths and stacks; their arms are their numbers.
    pub fn tree(nodes: &[(u32, usize, u64)]) -> Tree {
        let mut tree = Tree::default();
        let passed: Vec<Passed> = (0..)
            .zip(nodes)
            .map(|(number, &(site, depth, _))| Passed { depth, site: SiteId(site), arm: Arm(number) })
            .collect();
        let trail = Trail { arms: vec![Arm(99); 100], witness: Witness::default() };
        tree.grow(Rc::new(trail), None, &passed, &Looker::new(false, 0));
        for (node, &(_, _, stack)) in tree.nodes.iter_mut().zip(nodes) {
            node.attributes =
                Attributes { stack, calls: stack as u32, frequency: stack as u32, ..Attributes::default() };
            node.attributes.coverage = [stack; LEVELS];
        }
        tree
    }
}
