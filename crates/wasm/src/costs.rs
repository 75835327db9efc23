//! What a run costs.

use rustc_hash::FxHashMap;

/// All costs of one run; the names are those of the command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Costs {
    /// Executed instructions; `block`, `loop`, `end`, `else` and `nop` are free, and the one that trapped counts.
    pub instructions: u64,
    /// Executed `if`, `br_if` and `br_table`.
    pub branches: u64,
    /// Decisions: those of them whose condition depended on the input; 0 in concrete runs.
    pub decisions: u64,
    /// Calls made, those of imported functions included.
    pub calls: u64,
    /// Frames on the deepest call stack; the first function counts.
    pub depth: u64,
    /// Bytes of the largest extent of linear memory.
    pub memory: u64,
    /// What the program reported itself.
    pub user: u64,
    /// Executions of the most executed site.
    pub hits: u64,
    /// Sum of the weights of the executed instructions, where weights were given when the module was loaded.
    pub weighted: Option<u64>,
}

/// A price per instruction, for users with a cost model of their own (gas, cycles).
///
/// Instructions are named as in the text format (`i32.add`); those of `block`, `loop`, `end`, `else` and `nop` are 0
/// unless given, all others have `other`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Weights {
    /// Price of an instruction that is not listed.
    pub other: u64,
    /// Prices by name.
    pub by_name: FxHashMap<String, u64>,
}

impl Weights {
    /// The price of the instruction with this name in the text format.
    pub fn price(&self, name: &str) -> u64 {
        match self.by_name.get(name) {
            Some(&price) => price,
            None if matches!(name, "block" | "loop" | "end" | "else" | "nop") => 0,
            None => self.other,
        }
    }
}
