//! Fitnex: how close paths came to what is not covered yet, and which branches it paid to flip (Xie, Tillmann, de Halleux,
//! Schulte, DSN 2009, section 3).

use super::tree::{NodeId, PathId, Tree};
use crate::observation::Observation;
use crate::program::{Arm, SiteId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Something that no path has done yet and that a distance leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Target {
    /// Taking an arm of a conditional branch.
    Arm(SiteId, Arm),
    /// A truth value of a comparison that is kept, and which a branch may test later.
    Truth(SiteId, bool),
}

/// The fitness of all paths. A path's fitness for a target is the least distance over all evaluations of the target on
/// the path; a path that never evaluates it has none (the paper's worst value).
#[derive(Debug, Default)]
pub struct Fitness {
    /// By path.
    own: Vec<FxHashMap<Target, u128>>,
    /// By path: the best fitness of the path and of all that left it, directly or not.
    below: Vec<FxHashMap<Target, u128>>,
    /// By target and branch, which is a site and the arm left there: sum and number of the gains of past flips.
    gains: FxHashMap<(Target, SiteId, Arm), (f64, f64)>,
    /// The best fitness of all paths, for targets that are open.
    best: FxHashMap<Target, u128>,
    done: FxHashSet<Target>,
    /// Open targets that some path evaluated, in the order in which they came up.
    targets: Vec<Target>,
    improvements: u64,
}

impl Fitness {
    /// Takes in an observed path that flipped this node. `wanted` says which arms are to be covered.
    pub fn see(
        &mut self,
        tree: &Tree,
        (path, flipped): (PathId, Option<NodeId>),
        seen: &Observation,
        wanted: impl Fn(SiteId, Arm) -> bool,
    ) {
        let arms = seen.arms.iter().map(|arm| (Target::Arm(arm.site, arm.arm), arm.distance, arm.hits > 0));
        let truths = seen.comparisons.iter().flat_map(|comparison| {
            let to = [(true, comparison.to_true), (false, comparison.to_false)];
            to.map(|(truth, distance)| (Target::Truth(comparison.place, truth), distance, distance == 0))
        });
        let mut own: FxHashMap<Target, u128> = FxHashMap::default();
        for (target, distance, reached) in arms.chain(truths) {
            if self.done.contains(&target) {
                continue;
            }
            if reached || matches!(target, Target::Arm(site, arm) if !wanted(site, arm)) {
                self.done.insert(target);
                self.improvements += u64::from(self.best.remove(&target).is_some());
                continue;
            }
            own.insert(target, distance);
            let is_new = !self.best.contains_key(&target);
            let best = self.best.entry(target).or_insert(u128::MAX);
            if distance < *best {
                *best = distance;
                // The first evaluation of a target is closer than none.
                self.improvements += 1;
            }
            if is_new {
                self.targets.push(target);
            }
        }
        self.targets.retain(|target| self.best.contains_key(target));
        if let Some(flipped) = flipped {
            let node = tree.node(flipped);
            for (target, new) in &own {
                // A flip from or to a path that does not evaluate the target says nothing about its distance.
                if let Some(old) = self.own.get(node.path.0 as usize).and_then(|old| old.get(target)) {
                    self.note_gain(*target, (node.site, node.left), *old as f64 - *new as f64);
                }
            }
        }
        self.add_path(tree, path, own);
    }

    fn note_gain(&mut self, target: Target, (site, left): (SiteId, Arm), gain: f64) {
        let (sum, count) = self.gains.entry((target, site, left)).or_default();
        (*sum, *count) = (*sum + gain, *count + 1.0);
    }

    /// Keeps the fitness of a path, here and with all paths that it descends from.
    fn add_path(&mut self, tree: &Tree, path: PathId, own: FxHashMap<Target, u128>) {
        let index = path.0 as usize;
        self.own.resize_with(self.own.len().max(index + 1), FxHashMap::default);
        self.below.resize_with(self.below.len().max(index + 1), FxHashMap::default);
        let mut ancestor = Some(path);
        while let Some(at) = ancestor {
            let mut better = false;
            for (target, fitness) in &own {
                let known = self.below[at.0 as usize].entry(*target).or_insert(u128::MAX);
                better |= fitness < known;
                *known = (*known).min(*fitness);
            }
            // What is not better here is not better further up.
            ancestor = if better { tree.parent(at) } else { None };
        }
        self.own[index] = own;
    }

    /// Open targets that some path evaluated.
    pub fn targets(&self) -> &[Target] {
        &self.targets
    }

    /// How often the best fitness of a target has improved, reaching it included.
    pub fn improvements(&self) -> u64 {
        self.improvements
    }

    /// What flipping a branch has brought on average: 0 before any flip.
    fn gain(&self, target: Target, branch: (SiteId, Arm)) -> f64 {
        self.gains.get(&(target, branch.0, branch.1)).map_or(0.0, |(sum, count)| sum / count)
    }

    /// The open nodes of the least composite fitness for a target: the fitness of the best path through the node, less
    /// what flipping its branch has gained.
    pub fn fittest(&self, tree: &Tree, target: Target) -> Vec<NodeId> {
        let gains = self.gains.iter().filter(|((of, ..), _)| *of == target).map(|(_, (sum, count))| sum / count);
        let most = gains.fold(0.0, f64::max);
        let (mut least, mut nodes) = (f64::INFINITY, Vec::new());
        for (path, below) in (0..).map(PathId).zip(&self.below) {
            let Some(&below) = below.get(&target).filter(|below| **below as f64 - most <= least) else { continue };
            let mut children: Vec<(u32, u128)> = Vec::new();
            for &(depth, child) in tree.children(path) {
                children
                    .extend(self.below.get(child.0 as usize).and_then(|best| best.get(&target)).map(|&b| (depth, b)));
            }
            children.sort_unstable();
            let mut fitness = self.own[path.0 as usize].get(&target).copied();
            debug_assert!(fitness.is_none_or(|own| own >= below));
            // From the deepest node upwards, more and more of the children pass through.
            for node in tree.nodes_of(path).rev() {
                let at = tree.node(node);
                while let Some(&(_, best)) = children.last().filter(|(depth, _)| *depth > at.depth) {
                    fitness = Some(fitness.map_or(best, |known| known.min(best)));
                    children.pop();
                }
                let Some(fitness) = fitness.filter(|_| tree.is_open(node)) else { continue };
                let composite = fitness as f64 - self.gain(target, (at.site, at.left));
                if composite < least {
                    least = composite;
                    nodes.clear();
                }
                if composite == least {
                    nodes.push(node);
                }
            }
        }
        nodes
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree::Looker;
    use super::*;
    use crate::frontier::Trail;
    use crate::generation::Passed;
    use crate::observation::ArmSeen;
    use pessimum_outcome::{Costs, End};
    use pessimum_term::Witness;
    use std::rc::Rc;

    const TARGET: Target = Target::Arm(SiteId(5), Arm(1));

    fn observation(distance: Option<u128>) -> Observation {
        let arm = |distance| ArmSeen { site: SiteId(5), arm: Arm(1), hits: 0, evaluations: 1, distance };
        Observation {
            end: End::Returned,
            costs: Costs::default(),
            arms: distance.map(arm).into_iter().collect(),
            comparisons: Vec::new(),
            divisions: Vec::new(),
            functions: Vec::new(),
            lines: Vec::new(),
        }
    }

    /// Adds a path of these decisions (site and arm taken) that flipped a node, with this fitness.
    fn grow(
        tree: &mut Tree,
        fitness: &mut Fitness,
        flipped: Option<NodeId>,
        decisions: &[(u32, u64)],
        distance: Option<u128>,
    ) -> PathId {
        let arms = decisions.iter().map(|&(_, arm)| Arm(arm)).collect();
        let trail = Rc::new(Trail { arms, witness: Witness::default() });
        let from = flipped.map_or(0, |node| tree.node(node).depth as usize + 1);
        let passed: Vec<Passed> = decisions
            .iter()
            .enumerate()
            .skip(from)
            .map(|(depth, &(site, arm))| Passed { depth, site: SiteId(site), arm: Arm(1 - arm) })
            .collect();
        let path = tree.grow(trail, flipped, &passed, &Looker::new(false, 0));
        if let Some(flipped) = flipped {
            tree.close(flipped);
        }
        fitness.see(tree, (path, flipped), &observation(distance), |_, _| true);
        path
    }

    /// The node of a path at this depth.
    fn node(tree: &Tree, path: PathId, depth: u32) -> NodeId {
        tree.nodes_of(path).find(|&node| tree.node(node).depth == depth).unwrap()
    }

    /// TestLoop (Figure 1 and section 2): branch 1 is `x == 90`, branch 2 `i < y.Length`, branch 3 `y[i] == 15`; the target
    /// is `x == 110` after the loop. Fitness worst, 20, 19, 18 and 19 for Paths 0, 1, 2, 4 and 3; flipping 3F and 2F gained
    /// 1, flipping 3T lost 1, and the node to flip next is the 2F of Path 4, with 18 - 1.
    #[test]
    fn the_trace_of_test_loop() {
        let (mut tree, mut fitness) = (Tree::default(), Fitness::default());
        let zero = grow(&mut tree, &mut fitness, None, &[(1, 0)], None);
        assert!(fitness.fittest(&tree, TARGET).is_empty(), "every path has the worst value: it declines");
        let (first, flip) = (node(&tree, zero, 0), &[(1, 1), (2, 1), (3, 0), (2, 0)]);
        let one = grow(&mut tree, &mut fitness, Some(first), flip, Some(20));
        // y = {15}
        let flipped = node(&tree, one, 2);
        let two = grow(&mut tree, &mut fitness, Some(flipped), &[(1, 1), (2, 1), (3, 1), (2, 0)], Some(19));
        assert_eq!(fitness.gain(TARGET, (SiteId(3), Arm(0))), 1.0, "3F");
        // y = {15, 15}, Path 4: the new element is 15 by the solver's choice, as the paper assumes.
        let flipped = node(&tree, two, 3);
        let path = [(1, 1), (2, 1), (3, 1), (2, 1), (3, 1), (2, 0)];
        let four = grow(&mut tree, &mut fitness, Some(flipped), &path, Some(18));
        assert_eq!(fitness.gain(TARGET, (SiteId(2), Arm(0))), 1.0, "2F");
        // y = {15, 0}, Path 3
        let flipped = node(&tree, four, 4);
        let path = [(1, 1), (2, 1), (3, 1), (2, 1), (3, 0), (2, 0)];
        grow(&mut tree, &mut fitness, Some(flipped), &path, Some(19));
        assert_eq!(fitness.gain(TARGET, (SiteId(3), Arm(1))), -1.0, "3T");
        assert_eq!(fitness.own.iter().map(|own| own.get(&TARGET).copied()).collect::<Vec<_>>(), {
            [None, Some(20), Some(19), Some(18), Some(19)]
        });
        assert_eq!(fitness.improvements(), 3, "20, 19 and 18");
        let next = node(&tree, four, 5);
        assert_eq!(fitness.fittest(&tree, TARGET), [next], "2F of Path 4");
        let branch = (tree.node(next).site, tree.node(next).left);
        assert_eq!(18.0 - fitness.gain(TARGET, branch), 17.0, "its composite value");
    }

    #[test]
    fn a_node_has_the_fitness_of_the_best_path_through_it() {
        let (mut tree, mut fitness) = (Tree::default(), Fitness::default());
        let root = grow(&mut tree, &mut fitness, None, &[(1, 0), (2, 0), (3, 0)], Some(50));
        let flipped = node(&tree, root, 2);
        grow(&mut tree, &mut fitness, Some(flipped), &[(1, 0), (2, 0), (3, 1)], Some(8));
        // The child made no node of its own; both nodes before its flip lie on its path, too.
        assert_eq!(fitness.fittest(&tree, TARGET), [node(&tree, root, 1), node(&tree, root, 0)]);
        fitness.note_gain(TARGET, (SiteId(1), Arm(0)), -3.0);
        assert_eq!(fitness.fittest(&tree, TARGET), [node(&tree, root, 1)]);
    }

    #[test]
    fn reached_targets_and_unwanted_ones_are_none() {
        let (mut tree, mut fitness) = (Tree::default(), Fitness::default());
        grow(&mut tree, &mut fitness, None, &[(1, 0)], Some(4));
        assert_eq!(fitness.targets(), [TARGET]);
        let mut reached = observation(Some(0));
        reached.arms[0].hits = 1;
        fitness.see(&tree, (PathId(0), None), &reached, |_, _| true);
        assert!(fitness.targets().is_empty());
        let mut other = Fitness::default();
        other.see(&tree, (PathId(0), None), &observation(Some(4)), |_, _| false);
        assert!(other.targets().is_empty());
    }
}
