//! What a decision is: its place, its kind and its arms.

use pessimum_term::ops::mask;
use pessimum_term::{Arena, BinaryOp, TermId};
use serde::{Deserialize, Serialize};

/// A static place of a branch. Programs of one family (the same code at different sizes) number their sites alike,
/// because policies learnt at one size are used at another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SiteId(pub u32);

/// An outcome of a decision; what the number means depends on the [`Kind`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Arm(pub u64);

impl Arm {
    /// The arm of a two-armed decision whose scrutinee is 0.
    pub const FALSE: Arm = Arm(0);
    /// The arm of a two-armed decision whose scrutinee is 1.
    pub const TRUE: Arm = Arm(1);
}

/// What sort of decision it is, which determines its arms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A conditional branch. The scrutinee is one bit; arms 0 (false) and 1 (true).
    Branch,
    /// A possible trap (division by zero, address out of bounds). Like [`Kind::Branch`], but arm 1 ends in the trap.
    Check,
    /// A jump or call through a table. Arm `i < targets`: the scrutinee equals `i`; arm `targets`: it is at least
    /// `targets` (unsigned).
    Table {
        /// Number of entries, the default not counted.
        targets: u32,
        /// Whether this is a conditional branch (`br_table`) rather than an indirect call.
        branch: bool,
    },
    /// An address or a length. The arm is the scrutinee's value.
    Value,
}

impl Kind {
    /// Number of arms; none if it is not known beforehand.
    pub fn arms(self) -> Option<u64> {
        match self {
            Kind::Branch | Kind::Check => Some(2),
            Kind::Table { targets, .. } => Some(u64::from(targets) + 1),
            Kind::Value => None,
        }
    }

    /// Whether the cost model `decisions` counts it. Only conditional branches count, whatever the front end.
    pub fn is_branch(self) -> bool {
        matches!(self, Kind::Branch | Kind::Table { branch: true, .. })
    }

    /// The arm taken where the scrutinee has this value.
    #[inline]
    pub fn arm_of(self, value: u64) -> Arm {
        match self {
            Kind::Table { targets, .. } => Arm(value.min(u64::from(targets))),
            Kind::Branch | Kind::Check | Kind::Value => Arm(value),
        }
    }

    /// The condition under which the arm is taken.
    pub fn condition(self, arena: &mut Arena, scrutinee: TermId, arm: Arm) -> TermId {
        if arm.0 > mask(arena.width(scrutinee)) {
            // A table may have more entries than its index has values.
            return arena.constant(1, 0);
        }
        match self {
            Kind::Branch | Kind::Check if arm == Arm::TRUE => scrutinee,
            Kind::Branch | Kind::Check => arena.not(scrutinee),
            Kind::Table { targets, .. } if arm.0 >= u64::from(targets) => {
                let width = arena.width(scrutinee);
                let bound = arena.constant(width, u64::from(targets));
                arena.binary(BinaryOp::LeU, bound, scrutinee)
            }
            Kind::Table { .. } | Kind::Value => {
                let width = arena.width(scrutinee);
                let value = arena.constant(width, arm.0);
                arena.binary(BinaryOp::Eq, scrutinee, value)
            }
        }
    }
}
