//! Prices of instructions.

use rustc_hash::FxHashMap;

/// Prices of instructions, for users with a cost model of their own (gas, cycles).
///
/// Instructions are named as in the text format (`i32.add`). `block`, `loop`, `end`, `else` and `nop` are free unless
/// listed; all others that are not listed cost `other`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Weights {
    /// The price of an instruction that is not listed.
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
