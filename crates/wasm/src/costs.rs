//! Prices of instructions.

use rustc_hash::FxHashMap;

/// Prices of instructions, for users with a cost model of their own (gas, cycles).
///
/// Instructions are named as in the text format (`i32.add`). `block`, `loop`, `try`, `try_table`, `delegate`, `end`, `else` and
/// `nop` are free unless listed; all others that are not listed cost `other`. `catch` and its relatives are paid for by
/// whoever catches something, also where they are clauses of a `try_table`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Weights {
    /// The price of an instruction that is not listed.
    pub other: u64,
    /// Prices by name.
    pub by_name: FxHashMap<String, u64>,
}

/// Brackets of the format, which do nothing by themselves.
const FREE: [&str; 8] = ["block", "loop", "try", "try_table", "delegate", "end", "else", "nop"];

impl Weights {
    /// The price of the instruction with this name in the text format.
    pub fn price(&self, name: &str) -> u64 {
        match self.by_name.get(name) {
            Some(&price) => price,
            None if FREE.contains(&name) => 0,
            None => self.other,
        }
    }
}
