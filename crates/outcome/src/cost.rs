//! Costs: what a run is charged for, and which of these a search maximises.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Everything counted in one run. The names are those of the command line and of saved results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Costs {
    /// Executed instructions; `block`, `loop`, `end`, `else` and `nop` are free, and the one that trapped counts.
    pub instructions: u64,
    /// Executed `if`, `br_if` and `br_table`, on concrete values too.
    pub branches: u64,
    /// Branches whose condition depends on the input, implied ones included; 0 in runs that cannot know.
    pub decisions: u64,
    /// Calls made, including those of imported functions.
    pub calls: u64,
    /// Frames on the deepest call stack; the first function counts.
    pub depth: u64,
    /// The largest extent of linear memory, in bytes.
    pub memory: u64,
    /// Sum of what the program itself reported.
    pub user: u64,
    /// Executions of the most executed site.
    pub hits: u64,
    /// Sum of the prices of the executed instructions; none where no prices were given.
    pub weighted: Option<u64>,
    /// Executed source lines; only where the front end runs source, 0 elsewhere and not saved then.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lines: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Costs {
    /// What limits and efforts are counted in: source lines where the front end runs source, which may not count anything
    /// smaller, and instructions elsewhere.
    #[inline]
    pub fn steps(&self) -> u64 {
        if self.lines > 0 { self.lines } else { self.instructions }
    }

    /// Combines two of them field by field; `weighted` only where both have it.
    pub fn merge(&self, other: &Costs, with: impl Fn(u64, u64) -> u64) -> Costs {
        Costs {
            instructions: with(self.instructions, other.instructions),
            branches: with(self.branches, other.branches),
            decisions: with(self.decisions, other.decisions),
            calls: with(self.calls, other.calls),
            depth: with(self.depth, other.depth),
            memory: with(self.memory, other.memory),
            user: with(self.user, other.user),
            hits: with(self.hits, other.hits),
            weighted: self.weighted.zip(other.weighted).map(|(mine, theirs)| with(mine, theirs)),
            lines: with(self.lines, other.lines),
        }
    }
}

/// Which cost a search maximises.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CostModel {
    /// Executed instructions.
    #[default]
    Instructions,
    /// The measure of WISE: executed conditionals.
    Branches,
    /// The measure of PySE: conditionals on symbolic values.
    Decisions,
    /// Calls made.
    Calls,
    /// Deepest call stack.
    Depth,
    /// Linear memory in bytes.
    Memory,
    /// The program's own count: in WebAssembly, ESE's measure is one per source line.
    User,
    /// The measure of PerfFuzz: executions of the hottest site.
    Hits,
    /// Instructions by the price list; 0 where there is none.
    Weighted,
    /// The measure of ESE: executed source lines; 0 where the front end does not run source.
    Lines,
}

impl CostModel {
    /// All of them, in the order of reports.
    pub const ALL: [CostModel; 10] = [
        CostModel::Instructions,
        CostModel::Branches,
        CostModel::Decisions,
        CostModel::Calls,
        CostModel::Depth,
        CostModel::Memory,
        CostModel::User,
        CostModel::Hits,
        CostModel::Weighted,
        CostModel::Lines,
    ];

    /// The name on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            CostModel::Instructions => "instructions",
            CostModel::Branches => "branches",
            CostModel::Decisions => "decisions",
            CostModel::Calls => "calls",
            CostModel::Depth => "depth",
            CostModel::Memory => "memory",
            CostModel::User => "user",
            CostModel::Hits => "hits",
            CostModel::Weighted => "weighted",
            CostModel::Lines => "lines",
        }
    }

    /// The model of this name.
    pub fn parse(name: &str) -> Option<CostModel> {
        CostModel::ALL.into_iter().find(|model| model.name() == name)
    }

    /// The cost of a run in this model.
    pub fn of(self, costs: &Costs) -> u64 {
        match self {
            CostModel::Instructions => costs.instructions,
            CostModel::Branches => costs.branches,
            CostModel::Decisions => costs.decisions,
            CostModel::Calls => costs.calls,
            CostModel::Depth => costs.depth,
            CostModel::Memory => costs.memory,
            CostModel::User => costs.user,
            CostModel::Hits => costs.hits,
            CostModel::Weighted => costs.weighted.unwrap_or(0),
            CostModel::Lines => costs.lines,
        }
    }
}

impl fmt::Display for CostModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_parse_back_and_select_their_own_count() {
        let costs = Costs {
            instructions: 1,
            branches: 2,
            decisions: 3,
            calls: 4,
            depth: 5,
            memory: 6,
            user: 7,
            hits: 8,
            weighted: Some(9),
            lines: 10,
        };
        for (index, model) in CostModel::ALL.into_iter().enumerate() {
            assert_eq!(CostModel::parse(model.name()), Some(model));
            assert_eq!(model.of(&costs), index as u64 + 1);
        }
        assert_eq!(CostModel::parse("words"), None);
    }

    #[test]
    fn lines_are_saved_only_where_there_are_some() {
        let without = serde_json::to_string(&Costs::default()).unwrap();
        assert!(!without.contains("lines"), "{without}");
        let costs = Costs { lines: 601, ..Costs::default() };
        for costs in [Costs::default(), costs] {
            assert_eq!(serde_json::from_str::<Costs>(&serde_json::to_string(&costs).unwrap()).unwrap(), costs);
        }
    }
}
