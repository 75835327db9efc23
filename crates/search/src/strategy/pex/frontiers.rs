//! The frontiers of Pex: which open node of the execution tree comes next (Xie, Tillmann, de Halleux, Schulte, DSN 2009,
//! section 4). Each is one idea; compositions of them ([`super::expression`]) are what searches.
//!
//! A frontier keeps numbers of nodes. Asking it for the next node does not take the node out: who follows a node closes
//! it in the tree, and closed nodes are dropped when they are come across.

use super::expression::{Expression, Leaf, Prioritized};
use super::fitness::Fitness;
use super::tree::{Node, NodeId, Tree};
use crate::random::Random;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What frontiers see when they choose.
pub struct View<'v> {
    /// The tree.
    pub tree: &'v Tree,
    /// How close the paths came to what is not covered.
    pub fitness: &'v Fitness,
    /// The random source.
    pub random: &'v mut Random,
}

/// An order over open nodes.
pub trait Frontier {
    /// Adds a node.
    fn add(&mut self, node: NodeId, tree: &Tree);

    /// The node to follow next; none where it declines, which need not be for good.
    fn next(&mut self, view: &mut View<'_>) -> Option<NodeId>;

    /// Whether what it proposed last led closer to something than any path before.
    fn made_progress(&mut self, _fitness: &Fitness) -> bool {
        false
    }

    /// Continues a rotation from this turn on, in a frontier that was made afresh.
    fn rotate(&mut self, _turn: usize) {}
}

/// The frontier that an expression describes, without nodes.
pub fn frontier(expression: &Expression) -> Box<dyn Frontier> {
    match expression {
        Expression::Leaf(Leaf::Shortest) => Box::new(Shortest::default()),
        Expression::Leaf(Leaf::ShortestThroughAllCodeBranches) => {
            Box::new(Classes::new(Key::Covered, Expression::Leaf(Leaf::Shortest)))
        }
        Expression::Leaf(Leaf::IterativeDeepening) => Box::new(IterativeDeepening::default()),
        Expression::Leaf(Leaf::Random) => Box::new(Uniform::default()),
        Expression::Prioritized(Prioritized::Fittest, inner) => Box::new(Fittest::new(inner)),
        Expression::Prioritized(by, inner) => Box::new(Classes::new(Key::of(*by), Expression::clone(inner))),
        Expression::ShortCircuit(members) => {
            Box::new(ShortCircuit { members: members.iter().map(frontier).collect(), last: 0 })
        }
        Expression::RoundRobin(members) => Box::new(RoundRobin::new(members.iter().map(frontier).collect())),
    }
}

/// The first one that does not decline.
struct ShortCircuit {
    members: Vec<Box<dyn Frontier>>,
    /// The member that proposed last.
    last: usize,
}

impl Frontier for ShortCircuit {
    fn add(&mut self, node: NodeId, tree: &Tree) {
        self.members.iter_mut().for_each(|member| member.add(node, tree));
    }

    fn next(&mut self, view: &mut View<'_>) -> Option<NodeId> {
        let mut members = self.members.iter_mut().enumerate();
        let (last, node) = members.find_map(|(index, member)| Some((index, member.next(view)?)))?;
        self.last = last;
        Some(node)
    }

    fn made_progress(&mut self, fitness: &Fitness) -> bool {
        self.members.get_mut(self.last).is_some_and(|member| member.made_progress(fitness))
    }
}

/// The most turns in a row of a member that makes progress.
const MOST_TURNS: u32 = 256;

/// Each in turn. One that makes progress is asked again.
struct RoundRobin {
    members: Vec<Box<dyn Frontier>>,
    turn: usize,
    /// Turns in a row of the member whose turn it was last.
    turns: u32,
}

impl RoundRobin {
    fn new(members: Vec<Box<dyn Frontier>>) -> RoundRobin {
        RoundRobin { members, turn: 0, turns: 0 }
    }
}

impl Frontier for RoundRobin {
    fn add(&mut self, node: NodeId, tree: &Tree) {
        self.members.iter_mut().for_each(|member| member.add(node, tree));
    }

    fn next(&mut self, view: &mut View<'_>) -> Option<NodeId> {
        let count = self.members.len();
        if self.turns > 0 {
            let again = self.members[self.turn].made_progress(view.fitness) && self.turns < MOST_TURNS;
            if !again {
                self.turn = (self.turn + 1) % count;
                self.turns = 0;
            }
        }
        for skipped in 0..count {
            let turn = (self.turn + skipped) % count;
            if let Some(node) = self.members[turn].next(view) {
                self.turns = if turn == self.turn { self.turns + 1 } else { 1 };
                self.turn = turn;
                return Some(node);
            }
        }
        None
    }

    fn made_progress(&mut self, fitness: &Fitness) -> bool {
        self.turns > 0 && self.members[self.turn].made_progress(fitness)
    }

    fn rotate(&mut self, turn: usize) {
        self.turn = turn % self.members.len().max(1);
        self.members.iter_mut().for_each(|member| member.rotate(turn / 2));
    }
}

/// What nodes are put into classes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    Site,
    Stack,
    Frequency,
    CallDepth,
    /// Which arms were taken before, however often.
    Covered,
    /// How often arms were taken before, with counts capped at 2^level.
    Coverage(usize),
}

impl Key {
    fn of(by: Prioritized) -> Key {
        match by {
            Prioritized::CodeLocation => Key::Site,
            Prioritized::CallStackTrace => Key::Stack,
            Prioritized::CodeLocationFrequency => Key::Frequency,
            Prioritized::Depth => Key::CallDepth,
            Prioritized::CappedBranchCoverage | Prioritized::Fittest => Key::Coverage(0),
        }
    }

    fn value(self, node: &Node) -> u64 {
        match self {
            Key::Site => u64::from(node.site.0),
            Key::Stack => node.attributes.stack,
            Key::Frequency => u64::from(node.attributes.frequency),
            Key::CallDepth => u64::from(node.attributes.calls),
            Key::Covered => node.attributes.coverage[0],
            Key::Coverage(level) => node.attributes.coverage[level],
        }
    }

    /// What divides a class further, if anything does: coverage is compared with ever higher counts.
    fn finer(self) -> Option<Key> {
        match self {
            Key::Coverage(level) if level + 1 < super::tree::LEVELS => Some(Key::Coverage(level + 1)),
            _ => None,
        }
    }
}

/// One inner frontier for each class of nodes, each class in turn in the order in which they came up; those that decline
/// are skipped.
struct Classes {
    key: Key,
    inner: Expression,
    classes: Vec<Box<dyn Frontier>>,
    by_value: FxHashMap<u64, usize>,
    turn: usize,
}

impl Classes {
    fn new(key: Key, inner: Expression) -> Classes {
        Classes { key, inner, classes: Vec::new(), by_value: FxHashMap::default(), turn: 0 }
    }
}

impl Frontier for Classes {
    fn add(&mut self, node: NodeId, tree: &Tree) {
        let Classes { key, inner, classes, by_value, .. } = self;
        let class = *by_value.entry(key.value(tree.node(node))).or_insert_with(|| {
            classes.push(match key.finer() {
                Some(finer) => Box::new(Classes::new(finer, inner.clone())),
                None => frontier(inner),
            });
            classes.len() - 1
        });
        classes[class].add(node, tree);
    }

    fn next(&mut self, view: &mut View<'_>) -> Option<NodeId> {
        let count = self.classes.len();
        for skipped in 0..count {
            let turn = (self.turn + skipped) % count;
            if let Some(node) = self.classes[turn].next(view) {
                self.turn = (turn + 1) % count;
                return Some(node);
            }
        }
        None
    }

    fn rotate(&mut self, turn: usize) {
        self.turn = turn % self.classes.len().max(1);
    }
}

/// Nodes by depth, the oldest first among equals.
#[derive(Default)]
struct ByDepth(BinaryHeap<Reverse<(u32, NodeId)>>);

impl ByDepth {
    fn add(&mut self, node: NodeId, tree: &Tree) {
        self.0.push(Reverse((tree.node(node).depth, node)));
    }

    /// The open node of least depth, and that depth.
    fn first(&mut self, tree: &Tree) -> Option<(u32, NodeId)> {
        while let Some(&Reverse((depth, node))) = self.0.peek() {
            if tree.is_open(node) {
                return Some((depth, node));
            }
            self.0.pop();
        }
        None
    }
}

/// The open node of least depth, which makes a breadth-first search.
#[derive(Default)]
struct IterativeDeepening(ByDepth);

impl Frontier for IterativeDeepening {
    fn add(&mut self, node: NodeId, tree: &Tree) {
        self.0.add(node, tree);
    }

    fn next(&mut self, view: &mut View<'_>) -> Option<NodeId> {
        self.0.first(view.tree).map(|(_, node)| node)
    }
}

/// The open node of least depth, but only if none that was ever added was less deep.
#[derive(Default)]
struct Shortest {
    nodes: ByDepth,
    least: Option<u32>,
}

impl Frontier for Shortest {
    fn add(&mut self, node: NodeId, tree: &Tree) {
        let depth = tree.node(node).depth;
        self.least = Some(self.least.map_or(depth, |least| least.min(depth)));
        // Deeper ones than the least will never be proposed.
        if self.least == Some(depth) {
            self.nodes.add(node, tree);
        }
    }

    fn next(&mut self, view: &mut View<'_>) -> Option<NodeId> {
        let (depth, node) = self.nodes.first(view.tree)?;
        (Some(depth) == self.least).then_some(node)
    }
}

/// Any open node, each as likely as any other.
#[derive(Default)]
struct Uniform(Vec<NodeId>);

impl Frontier for Uniform {
    fn add(&mut self, node: NodeId, _: &Tree) {
        self.0.push(node);
    }

    fn next(&mut self, view: &mut View<'_>) -> Option<NodeId> {
        while !self.0.is_empty() {
            let index = view.random.index(self.0.len());
            let node = self.0[index];
            if view.tree.is_open(node) {
                return Some(node);
            }
            self.0.swap_remove(index);
        }
        None
    }
}

/// The nodes whose composite fitness for a target is best, by an inner frontier; targets in turn.
struct Fittest {
    inner: Expression,
    turn: usize,
    /// Improvements of any target when it was asked last.
    improvements: u64,
}

impl Fittest {
    fn new(inner: &Expression) -> Fittest {
        Fittest { inner: inner.clone(), turn: 0, improvements: 0 }
    }
}

impl Frontier for Fittest {
    fn add(&mut self, _: NodeId, _: &Tree) {}

    fn next(&mut self, view: &mut View<'_>) -> Option<NodeId> {
        let targets = view.fitness.targets();
        for skipped in 0..targets.len() {
            let nodes = view.fitness.fittest(view.tree, targets[(self.turn + skipped) % targets.len()]);
            if nodes.is_empty() {
                continue;
            }
            // Composite values change with every flip, so the class of the best is put together each time.
            let mut best = frontier(&self.inner);
            nodes.iter().for_each(|&node| best.add(node, view.tree));
            best.rotate((self.turn + skipped) / targets.len());
            self.turn += skipped + 1;
            self.improvements = view.fitness.improvements();
            return best.next(view);
        }
        None
    }

    fn made_progress(&mut self, fitness: &Fitness) -> bool {
        let made = fitness.improvements() > self.improvements;
        // The same target once more: it is what got closer.
        self.turn -= usize::from(made && self.turn > 0);
        made
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree::testing::tree;
    use super::*;

    /// The order in which an expression proposes nodes of (site, depth, stack).
    fn order(expression: &str, nodes: &[(u32, usize, u64)]) -> Vec<u32> {
        let mut tree = tree(nodes);
        let mut frontier = frontier(&Expression::parse(expression).unwrap());
        (0..nodes.len() as u32).for_each(|node| frontier.add(NodeId(node), &tree));
        let (fitness, mut random) = (Fitness::default(), Random::new(1));
        let mut order = Vec::new();
        while let Some(node) = frontier.next(&mut View { tree: &tree, fitness: &fitness, random: &mut random }) {
            tree.close(node);
            order.push(node.0);
        }
        order
    }

    #[test]
    fn leaves() {
        let nodes = [(1, 3, 0), (1, 1, 0), (2, 2, 0), (2, 1, 0)];
        assert_eq!(order("IterativeDeepening", &nodes), [1, 3, 2, 0]);
        assert_eq!(order("Shortest", &nodes), [1, 3], "it declines when those of least depth are gone");
        let mut random = order("Random", &nodes);
        random.sort_unstable();
        assert_eq!(random, [0, 1, 2, 3]);
        assert!(order("Fittest[Random]", &nodes).is_empty(), "nothing was observed");
    }

    #[test]
    fn combinators() {
        let nodes = [(1, 0, 5), (1, 1, 5), (2, 2, 5), (1, 3, 6)];
        assert_eq!(order("CodeLocationPrioritized[IterativeDeepening]", &nodes), [0, 2, 1, 3]);
        assert_eq!(order("CallStackTracePrioritized[IterativeDeepening]", &nodes), [0, 3, 1, 2]);
        assert_eq!(order("CappedBranchCoveragePrioritized[IterativeDeepening]", &nodes), [0, 3, 1, 2]);
        assert_eq!(order("ShortestThroughAllCodeBranches", &nodes), [0, 3], "one list per set of arms taken");
        assert_eq!(order("ShortCircuit(Shortest, CLP[Shortest], IterativeDeepening)", &nodes), [0, 2, 1, 3]);
        assert_eq!(order("RoundRobin(Shortest, IterativeDeepening)", &nodes), [0, 1, 2, 3]);
        assert_eq!(order("CLP[CSTP[IterativeDeepening]]", &nodes), [0, 2, 3, 1]);
        assert_eq!(order("DepthPrioritized[IterativeDeepening]", &nodes), [0, 3, 1, 2]);
        assert_eq!(order("CodeLocationFrequencyPrioritized[IterativeDeepening]", &nodes), [0, 3, 1, 2]);
    }
}
