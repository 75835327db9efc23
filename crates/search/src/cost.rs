//! Costs: what a run is charged, and which of them a search maximises.

use std::fmt;

/// Everything counted in one run. See [`CostModel`] for the meanings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Costs {
    /// Executed instructions; structure (`block`, `loop`, `end`, `else`, `nop`) is free.
    pub instructions: u64,
    /// Executed conditional branches, on concrete values too.
    pub branches: u64,
    /// Those of them whose condition depends on the input, implied ones included.
    pub decisions: u64,
    /// Calls made.
    pub calls: u64,
    /// Deepest call stack.
    pub depth: u64,
    /// Highest number of bytes of linear memory.
    pub memory: u64,
    /// Sum of what the program reported itself.
    pub user: u64,
    /// Executions of the most executed site.
    pub hits: u64,
    /// Sum of the weights of the executed instructions, where weights were given.
    pub weighted: u64,
}

impl Costs {
    /// Combines two field by field.
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
            weighted: with(self.weighted, other.weighted),
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
    /// The program's own count: ESE's measure is one per source line.
    User,
    /// The measure of PerfFuzz: executions of the hottest site.
    Hits,
    /// Weighted instructions.
    Weighted,
}

impl CostModel {
    /// All of them, in the order of reports.
    pub const ALL: [CostModel; 9] = [
        CostModel::Instructions,
        CostModel::Branches,
        CostModel::Decisions,
        CostModel::Calls,
        CostModel::Depth,
        CostModel::Memory,
        CostModel::User,
        CostModel::Hits,
        CostModel::Weighted,
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
        }
    }

    /// The model of this name.
    pub fn parse(name: &str) -> Option<CostModel> {
        CostModel::ALL.into_iter().find(|model| model.name() == name)
    }

    /// What this model says of a run.
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
            CostModel::Weighted => costs.weighted,
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
            weighted: 9,
        };
        for (index, model) in CostModel::ALL.into_iter().enumerate() {
            assert_eq!(CostModel::parse(model.name()), Some(model));
            assert_eq!(model.of(&costs), index as u64 + 1);
        }
        assert_eq!(CostModel::parse("lines"), None);
    }
}
