//! Where the cost of one run arises, with names: by calling context, function and source line.

use pessimum_outcome::Costs;
use serde::{Deserialize, Serialize};

/// What the counts of a profile are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unit {
    /// Executed instructions.
    #[default]
    Instructions,
    /// Executed source lines, where the program is run from its source.
    Lines,
}

impl Unit {
    /// What the profile of a run with these costs counts.
    pub fn of(costs: &Costs) -> Unit {
        if costs.lines > 0 { Unit::Lines } else { Unit::Instructions }
    }

    /// Several of them; also the name of the cost model.
    pub fn name(self) -> &'static str {
        match self {
            Unit::Instructions => "instructions",
            Unit::Lines => "lines",
        }
    }

    /// One of them.
    pub fn one(self) -> &'static str {
        match self {
            Unit::Instructions => "instruction",
            Unit::Lines => "line",
        }
    }
}

/// A function and what it cost over all calls. All counts are in the unit of the profile, which is called instructions
/// here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionCost {
    /// Its name, or `func[12]`.
    pub name: String,
    /// Times called.
    pub calls: u64,
    /// Instructions executed by itself.
    pub own: u64,
    /// Instructions executed by itself and by what it called; recursion counts once.
    pub total: u64,
    /// The library that it belongs to; none for the user's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub library: Option<String>,
}

/// A library and what all of it cost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LibraryCost {
    /// Its name: `libc`, `libc++`, `Rust's library`, the name of a crate.
    pub name: String,
    /// Instructions executed by its functions.
    pub own: u64,
    /// The function of the user's own that called it for most of that; none if it was called from outside.
    pub entered_by: Option<String>,
}

/// A source line and what it cost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineCost {
    /// The file, as the compiler recorded it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The function that it belongs to, where the module says so.
    pub function: Option<String>,
    /// Instructions executed for it.
    pub instructions: u64,
    /// Executions of its most executed instruction.
    pub times: u64,
    /// Instructions executed for it and by what it called; recursion counts once. None in results of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// The library that it belongs to; none for the user's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub library: Option<String>,
}

/// A branch and where it went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchCost {
    /// Function and source line, or offset where the module has no lines; empty where many others were executed more
    /// often.
    pub site: String,
    /// How often each arm was taken; with two arms, the second is taken if the condition holds.
    pub arms: Vec<u64>,
}

impl BranchCost {
    /// How often it was executed.
    pub fn times(&self) -> u64 {
        self.arms.iter().sum()
    }
}

/// What a node of the call tree costs by itself or in total.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeCost {
    /// Executed instructions.
    pub instructions: u64,
    /// Executed branches.
    pub branches: u64,
    /// Calls.
    pub calls: u64,
    /// The cost that the program itself reported.
    pub user: u64,
}

impl NodeCost {
    /// The cost in a model, by its name on the command line; none where it cannot be divided among calls.
    pub fn of(&self, model: &str) -> Option<u64> {
        match model {
            "instructions" | "lines" => Some(self.instructions),
            "branches" => Some(self.branches),
            "calls" => Some(self.calls),
            "user" => Some(self.user),
            _ => None,
        }
    }
}

/// A function in one calling context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The function's name.
    pub name: String,
    /// Index of the caller's node, smaller than this one's.
    pub parent: Option<usize>,
    /// Its cost without what it called.
    pub own: NodeCost,
    /// Its cost including what it called.
    pub total: NodeCost,
}

/// Where the cost of a run arises.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// What is counted.
    pub unit: Unit,
    /// Executed instructions: the sum of all own counts.
    pub instructions: u64,
    /// The call tree, callers before callees.
    pub calls: Vec<Node>,
    /// Calls that were counted in a node nearer to the root than their own (deep recursion).
    pub folded_calls: u64,
    /// Functions, the user's own before those of libraries, the one that costs most by itself first.
    pub functions: Vec<FunctionCost>,
    /// Libraries, the one that costs most first.
    pub libraries: Vec<LibraryCost>,
    /// Source lines, the user's own before those of libraries, the most expensive first; empty where the module has no debug information.
    pub lines: Vec<LineCost>,
    /// Branches by their number in the module, those never executed included: the same in every run of a module.
    pub branches: Vec<BranchCost>,
    /// Instructions of no known line.
    pub without_line: u64,
}
