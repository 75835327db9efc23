//! The operators: ways to make a new path from what is known.
//!
//! An operator looks at a [`View`] and makes a [`Proposal`], which is plain data. It runs nothing and changes nothing.
//! `None` means that there is nothing here for it to work on; the engine then draws another operator, so that each is
//! credited with its own work only.

mod archive;
mod concrete;
mod cross;
mod extract;
mod flip;
mod policy;
mod tail;
mod turn;

pub use concrete::change;
pub(super) use turn::other_arm;

use super::history::Schema;
use super::lineages::Lineages;
use super::policy::Policy;
use super::population::Population;
use super::settings::AutoSettings;
use crate::path::Decision;
use crate::program::Arm;
use crate::random::Random;
use pessimum_term::TermId;

/// A way to make a new path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// Change a few rules of a policy.
    Policy,
    /// Write down the policy that a good path followed, and run it.
    Extract,
    /// Negate one condition and repair the rest.
    Flip,
    /// Negate a run of conditions, or every second or third of it, and repair the rest.
    FlipBlock,
    /// The head of one path and the tail of another, repaired.
    Cross,
    /// The head of a path, then a policy.
    Tail,
    /// Another arm at one decision, then the old arms where they fit.
    Turn,
    /// Change the input itself.
    Concrete,
    /// Change an input of the archive and take other arms at the end of its path.
    Mend,
    /// Change inputs of the archive, without following them.
    Archive,
}

impl Operator {
    /// All of them.
    pub const ALL: [Operator; 10] = [
        Operator::Policy,
        Operator::Extract,
        Operator::Flip,
        Operator::FlipBlock,
        Operator::Cross,
        Operator::Tail,
        Operator::Turn,
        Operator::Concrete,
        Operator::Mend,
        Operator::Archive,
    ];

    /// The name in displays.
    pub fn name(self) -> &'static str {
        match self {
            Operator::Policy => "policy",
            Operator::Extract => "extract",
            Operator::Flip => "flip",
            Operator::FlipBlock => "flip block",
            Operator::Cross => "cross",
            Operator::Tail => "tail",
            Operator::Turn => "turn",
            Operator::Concrete => "concrete",
            Operator::Mend => "mend",
            Operator::Archive => "archive",
        }
    }

    /// What to try next; none if the operator has nothing to work on.
    pub(super) fn propose(self, view: &View<'_>, random: &mut Random) -> Option<Proposal> {
        match self {
            Operator::Policy => Some(policy::propose(view, random)),
            Operator::Extract => extract::propose(view, random),
            Operator::Flip => flip::propose_one(view, random),
            Operator::FlipBlock => flip::propose_block(view, random),
            Operator::Cross => cross::propose(view, random),
            Operator::Tail => tail::propose(view, random),
            Operator::Turn => turn::propose(view, random),
            Operator::Concrete => concrete::propose(view, random),
            Operator::Mend => view.can_count.then_some(Proposal::Mend),
            Operator::Archive => archive::propose(view),
        }
    }
}

/// What an operator sees: the engine's state, read-only.
pub struct View<'a> {
    /// The paths.
    pub population: &'a Population,
    /// The policies.
    pub lineages: &'a Lineages,
    /// The numbers that operators draw with.
    pub settings: &'a AutoSettings,
    /// Whether there are variables to change, and a concrete run reveals the cost.
    pub can_count: bool,
}

/// What to try. Indices are those of the view it was made from.
#[derive(Clone, Debug)]
pub enum Proposal {
    /// Run a policy that has no parent.
    Fresh(Policy),
    /// Run a child of a lineage.
    Evolve {
        /// The lineage.
        parent: usize,
        /// The child.
        policy: Policy,
    },
    /// Write down the policy that a member's path followed, and run it.
    Extract {
        /// The member.
        parent: usize,
        /// What the policy is written over.
        schema: Schema,
        /// Whether a few of its rules are changed.
        mutate: bool,
    },
    /// Assume conditions in this order, skip those that conflict with earlier ones, and follow the witness that comes
    /// out; it starts as the member's.
    Assume {
        /// The member.
        parent: usize,
        /// The conditions.
        assumptions: Vec<Assumption>,
    },
    /// Keep the first decisions of a member's path and make the rest anew.
    Branch {
        /// The member.
        parent: usize,
        /// Decisions that are kept.
        keep: usize,
        /// Who makes the rest.
        then: Then,
    },
    /// Change inputs of the archive and run them concretely.
    Vary,
    /// Change an input of the archive, and turn the last decisions of its path where it has become cheaper.
    Mend,
    /// Change a member's input step by step ([`change`]), keeping each change that makes it no cheaper.
    Climb {
        /// The member.
        parent: usize,
    },
}

/// A condition of a path, or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assumption {
    /// In the kernel's arena.
    pub condition: TermId,
    /// Whether it is to hold.
    pub holds: bool,
}

impl Assumption {
    /// The condition of a decision holds, as it did on its path.
    fn kept(decision: &Decision) -> Assumption {
        Assumption { condition: decision.condition, holds: true }
    }

    /// Another arm is taken.
    fn flipped(decision: &Decision) -> Assumption {
        Assumption { condition: decision.condition, holds: false }
    }
}

/// Who makes the decisions after those that are kept.
#[derive(Clone, Debug)]
pub enum Then {
    /// A policy.
    Policy(Policy),
    /// This arm at the first decision. After that, the parent's arms at the same index, shifted by this many
    /// decisions, where the site is the same; elsewhere, or if there is no shift, the witness decides.
    Turn(Arm, Option<isize>),
}
