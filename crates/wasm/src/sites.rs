//! Sites: the static places of conditional branches.

/// A conditional branch of a module, numbered in module order without gaps. Branches in statically unreachable code
/// have no number: no input can reach them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SiteId(pub u32);

/// Which instruction a site is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SiteKind {
    /// `if`: arm 0 if the condition is zero, arm 1 otherwise.
    If,
    /// `br_if`: arm 0 if the condition is zero, arm 1 otherwise.
    BranchIf,
    /// `br_table`: arm i for index i, the last arm for every larger index.
    Table,
}

/// A place where control may go two or more ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    /// The instruction.
    pub kind: SiteKind,
    /// Index of the function in the module (imports come first).
    pub function: u32,
    /// Offset of the instruction from the start of the module's bytes.
    pub offset: u32,
    /// Where the counters of its arms start; always even, so that the two arms of a branch differ in the last bit.
    pub first_arm: u32,
    /// Number of arms, at least 1.
    pub arms: u32,
}
