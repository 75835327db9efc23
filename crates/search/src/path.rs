//! A path: the decisions of one run, what it cost, how it ended, and an input that takes it.

use crate::program::{Arm, Kind, PathLimits, SiteId};
use pessimum_outcome::{Costs, End};
use pessimum_term::{TermId, Witness};

/// One decision of a path, kept small: paths of half a million of them are normal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Where.
    pub site: SiteId,
    /// The condition of the arm taken. Valid while the arena keeps it; see [`crate::kernel::Kernel::release`].
    pub condition: TermId,
    /// The arm taken.
    pub arm: Arm,
    /// What sort of decision.
    pub kind: Kind,
    /// The call that decided.
    pub frame: u32,
    /// Whether no other arm was feasible; known only if somebody asked.
    pub implied: Option<bool>,
}

/// One path.
#[derive(Clone, Debug)]
pub struct Path {
    /// In the order of execution.
    pub decisions: Vec<Decision>,
    /// All costs.
    pub costs: Costs,
    /// How it ended.
    pub end: End,
    /// An input that takes it.
    pub witness: Witness,
    /// How it became known.
    pub origin: Origin,
}

/// How a path became known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// By a symbolic run, decision by decision.
    #[default]
    Symbolic,
    /// By a concrete run of its input within these limits; its decisions may not be known.
    Concrete(PathLimits),
}

impl Default for Path {
    fn default() -> Path {
        Path {
            decisions: Vec::new(),
            costs: Costs::default(),
            end: End::Returned,
            witness: Witness::default(),
            origin: Origin::Symbolic,
        }
    }
}

impl Path {
    /// The arms alone: the portable form of a path. With the same program they lead to the same path again.
    pub fn arms(&self) -> impl ExactSizeIterator<Item = Arm> + '_ {
        self.decisions.iter().map(|decision| decision.arm)
    }

    /// The conditions of the decisions, in order.
    pub fn conditions(&self) -> impl ExactSizeIterator<Item = TermId> + '_ {
        self.decisions.iter().map(|decision| decision.condition)
    }
}

/// A finished path that is still in the kernel.
#[derive(Clone, Copy, Debug)]
pub struct PathView<'a> {
    /// In the order of execution.
    pub decisions: &'a [Decision],
    /// All costs.
    pub costs: &'a Costs,
    /// How it ended.
    pub end: End,
    /// An input that takes it.
    pub witness: &'a Witness,
}

impl PathView<'_> {
    /// Copies it into a path, reusing its memory.
    pub fn copy_to(&self, path: &mut Path) {
        path.decisions.clear();
        path.decisions.extend_from_slice(self.decisions);
        path.costs = *self.costs;
        path.end = self.end;
        path.witness.clone_from(self.witness);
        path.origin = Origin::Symbolic;
    }
}
