//! The generational search of Pex, with its frontiers and with Fitnex (Xie, Tillmann, de Halleux, Schulte, "Fitness-guided
//! path exploration in dynamic symbolic execution", DSN 2009).
//!
//! A run follows an earlier path to a node of the execution tree, takes another arm there and then goes where its witness
//! goes. Which node is next is decided by a composition of frontiers ([`frontiers`], [`expression`]); with Fitnex, paths
//! are also observed in a concrete run ([`fitness`]).

mod expression;
mod fitness;
mod frontiers;
mod tree;

pub use expression::Expression;

use super::{Declaration, OptionDeclaration, OptionKind, Purpose, Strategy};
use crate::generation::Generation;
use crate::kernel::Outcome;
use crate::objective::Objective;
use crate::search::{Finished, Search};
use expression::Prioritized;
pub(super) use fitness::Fitness;
pub(super) use frontiers::{Frontier, View, frontier};
pub(super) use tree::{Looker, NodeId, PathId, Tree};

/// The default composition, or another one.
pub const PEX: Declaration = Declaration {
    name: "pex",
    summary: "flips one branch of an earlier path after the other, in the order of a composition of frontiers",
    citation: Some("Xie, Tillmann, de Halleux, Schulte, DSN 2009, section 4"),
    options: &[FRONTIER, WITHOUT_FITNEX],
    learns: false,
    purpose: Purpose::Goals,
    counts_paths: false,
    make: |options| {
        let without = options.switch(&WITHOUT_FITNEX)?;
        let composition = match options.frontier(&FRONTIER)? {
            Some(_) if without => return Err("--frontier says itself whether Fittest is part of it".to_owned()),
            Some(composition) => composition,
            None => Expression::default_composition(!without),
        };
        Ok(Box::new(Pex::new(composition)))
    },
};

/// Fitness alone.
pub const FITNEX: Declaration = Declaration {
    name: "fitnex",
    summary: "flips the branch that promises to bring a path closest to what is not covered; breadth first before that",
    citation: Some("Xie, Tillmann, de Halleux, Schulte, DSN 2009, section 3"),
    options: &[],
    make: |_| Ok(Box::new(Pex::new(Expression::fitnex()))),
    ..PEX
};

const FRONTIER: OptionDeclaration = OptionDeclaration {
    name: "frontier",
    value: "EXPR",
    kind: OptionKind::Frontier,
    default: None,
    neutral: None,
    help: "the composition, as in `ShortCircuit(CLP[Shortest], Random)` [default: that of Pex]",
};

const WITHOUT_FITNEX: OptionDeclaration = OptionDeclaration {
    name: "without-fitnex",
    value: "",
    kind: OptionKind::Switch,
    default: None,
    neutral: None,
    help: "the default composition without Fittest",
};

/// Values of a value decision that become nodes; more are counted and make the search incomplete.
const VALUES: usize = 4096;

/// The strategy.
#[derive(Clone, Debug)]
pub struct Pex {
    composition: Expression,
}

impl Pex {
    /// With this composition.
    pub fn new(composition: Expression) -> Pex {
        Pex { composition }
    }
}

impl Strategy for Pex {
    fn search(&mut self, search: &mut Search<'_>) -> Finished {
        let keep_terms = std::mem::replace(&mut search.kernel.keep_terms, false);
        let finished = explore(search, &self.composition);
        search.kernel.kept = 0;
        search.kernel.keep_terms = keep_terms;
        finished
    }
}

fn explore(search: &mut Search<'_>, composition: &Expression) -> Finished {
    let goals = match search.objective() {
        Objective::Goals(goals) => Some(goals.clone()),
        Objective::HighestCost(_) => None,
    };
    let mut frontier = frontier(composition);
    let detailed = composition.is_detailed();
    let observed = goals.filter(|_| composition.has(Prioritized::Fittest));
    let (mut tree, mut fitness) = (Tree::default(), Fitness::default());
    let mut generation = Generation::new(VALUES);
    let mut random = search.random.split();
    let mut next: Option<NodeId> = None;
    loop {
        if search.stop().is_some() {
            return Finished::Partly;
        }
        let flip = next.map(|node| tree.flip(node));
        let mut looker = Looker::new(detailed, flip.as_ref().map_or(0, |flip| flip.depth + 1));
        let outcome = generation.run(search, flip.as_ref(), &mut |point| looker.look(point));
        if let Outcome::Stopped(_) = outcome {
            return Finished::Partly;
        }
        if search.kernel.meter.is_full(tree.bytes(), 2) {
            // No room for further nodes; those that there are can still be followed.
            search.kernel.counters.dropped += generation.passed().len() as u64;
        } else if !generation.passed().is_empty() || matches!(outcome, Outcome::Path(_)) {
            let path = tree.grow(generation.trail(search), next, generation.passed(), &looker);
            tree.nodes_of(path).for_each(|node| frontier.add(node, &tree));
            if let (Outcome::Path(end), Some(goals)) = (&outcome, &observed)
                && end.is_a_run()
            {
                let witness = search.kernel.context().witness().clone();
                let seen = search.observe_into(goals, &witness, search.kernel.limits());
                fitness.see(&tree, (path, next), &seen, |site, arm| goals.wants(site, arm));
            }
        }
        search.kernel.kept = tree.bytes();
        next = frontier.next(&mut View { tree: &tree, fitness: &fitness, random: &mut random });
        match next {
            Some(node) => tree.close(node),
            None if tree.open() == 0 => return Finished::Everything,
            None => return Finished::Partly,
        }
    }
}
