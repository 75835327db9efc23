//! What a search wants to know about a concrete run besides its cost.

#[cfg(doc)]
use crate::places::Places;
use crate::program::{Arm, Replay, SiteId};
use pessimum_outcome::{Costs, End};

/// What became of one arm of a conditional branch that was executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArmSeen {
    /// The branch.
    pub site: SiteId,
    /// Its arm.
    pub arm: Arm,
    /// How often the arm was taken.
    pub hits: u64,
    /// How often the branch was executed.
    pub evaluations: u64,
    /// The least branch distance to the arm, not normalised; 0 where it was taken.
    pub distance: u128,
}

/// What became of a comparison whose outcome was kept as a value, which a branch may test later (Fitnex's stored
/// booleans).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ComparisonSeen {
    /// The place; never the number of a conditional branch.
    pub place: SiteId,
    /// How often it was made.
    pub evaluations: u64,
    /// The least distance to being true; 0 where it was.
    pub to_true: u128,
    /// The least distance to being false; 0 where it was.
    pub to_false: u128,
}

/// One concrete run, observed. All lists are in ascending order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    /// How it ended.
    pub end: End,
    /// All costs, as a replay counts them.
    pub costs: Costs,
    /// Every arm of every conditional branch that was executed, including branches on concrete values.
    pub arms: Vec<ArmSeen>,
    /// Every comparison that was made for its value.
    pub comparisons: Vec<ComparisonSeen>,
    /// The divisions that were made, with the least distance of a divisor to zero; only those whose divisor varies. The
    /// place is never the number of a conditional branch.
    pub divisions: Vec<(SiteId, u128)>,
    /// The functions that were entered, by their place in [`Places::functions`].
    pub functions: Vec<u32>,
    /// The source lines that were executed, by their place in [`Places::lines`].
    pub lines: Vec<u32>,
}

impl Observation {
    /// What a front end that observes nothing can tell.
    pub fn unobserved(replay: Replay) -> Observation {
        Observation {
            end: replay.end,
            costs: replay.costs,
            arms: Vec::new(),
            comparisons: Vec::new(),
            divisions: Vec::new(),
            functions: Vec::new(),
            lines: Vec::new(),
        }
    }
}
