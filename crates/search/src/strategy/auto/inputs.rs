//! The input of a program as the concrete operator sees it: variables, ranges, constants worth trying.

use super::population::Member;
use super::settings::AutoSettings;
use crate::path::Decision;
use crate::program::Variable;
use crate::random::Random;
use crate::search::Search;
use crate::strategy::ga::mutation::Genome;
use crate::strategy::variables::undeclared;
use pessimum_term::{Arena, Node, TermId, Witness};

/// The variables of inputs, and what else inputs must satisfy.
pub struct Inputs {
    /// By number.
    pub variables: Vec<Variable>,
    /// The changes of the genetic search, for the same variables.
    pub genome: Genome,
    /// Constants met in conditions.
    pub constants: Vec<u64>,
    /// Length of the longest input searched for variables that were not known beforehand.
    looked_at: usize,
}

impl Inputs {
    /// The inputs of the search's program.
    pub fn new(search: &mut Search<'_>) -> Inputs {
        let variables = search.kernel.program().variables();
        let looked_at = variables.iter().map(|variable| variable.id.0 as usize + 1).max().unwrap_or(0);
        let genome = Genome::new(variables.clone());
        Inputs { variables, genome, constants: Vec::new(), looked_at }
    }

    /// Whether the program's preconditions hold. Ranges are not checked, since changes stay within them.
    pub fn are_legal(&self, search: &mut Search<'_>, input: &Witness) -> bool {
        search.kernel.permits(input)
    }

    /// Adds variables that a program asked for while it ran, if decisions of this path depend on them.
    pub fn discover(&mut self, arena: &Arena, member: &Member) {
        let length = member.witness.values().len();
        if length <= self.looked_at {
            return;
        }
        self.looked_at = length;
        let conditions = member.decisions.iter().map(|decision| decision.condition);
        let found = undeclared(arena, conditions, &self.variables);
        self.variables.extend(found);
        self.variables.sort_by_key(|variable| variable.id);
        self.genome = Genome::new(self.variables.clone());
    }

    /// Remembers constants of a few of the path's conditions, drawn at random.
    pub fn gather_constants(
        &mut self,
        arena: &Arena,
        decisions: &[Decision],
        settings: &AutoSettings,
        random: &mut Random,
    ) {
        if decisions.is_empty() {
            return;
        }
        let mut remember = |term: TermId| {
            if let Node::Constant(value) = arena.node(term)
                && self.constants.len() < settings.climb_constants
                && !self.constants.contains(&value)
            {
                self.constants.push(value);
            }
        };
        for _ in 0..settings.climb_conditions {
            let condition = decisions[random.index(decisions.len())].condition;
            for child in arena.children(condition) {
                remember(child);
                arena.children(child).for_each(&mut remember);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::decision;
    use super::*;
    use pessimum_term::{BinaryOp, VariableId};

    fn inputs(count: u32) -> Inputs {
        let variables: Vec<Variable> = (0..count).map(|id| Variable::unlimited(VariableId(id), 8)).collect();
        let genome = Genome::new(variables.clone());
        let looked_at = variables.len();
        Inputs { variables, genome, constants: Vec::new(), looked_at }
    }

    #[test]
    fn variables_of_longer_inputs_are_found_once() {
        let mut arena = Arena::new();
        let (x, y) = (arena.variable(VariableId(1), 8), arena.variable(VariableId(4), 32));
        let x = arena.unary(pessimum_term::UnaryOp::ZeroExtend, 32, x);
        let condition = arena.binary(BinaryOp::LtU, x, y);
        let mut inputs = inputs(2);
        let path = crate::path::Path {
            decisions: vec![decision(condition, 1)],
            witness: Witness::new(vec![0; 5]),
            ..crate::path::Path::default()
        };
        let member = Member::of(&path, 1);
        for _ in 0..2 {
            inputs.discover(&arena, &member);
            let widths: Vec<(u32, u32)> = inputs.variables.iter().map(|one| (one.id.0, one.width)).collect();
            assert_eq!(widths, [(0, 8), (1, 8), (4, 32)]);
        }
    }

    #[test]
    fn constants_come_from_both_sides_and_one_level_below() {
        let mut arena = Arena::new();
        let x = arena.variable(VariableId(0), 8);
        let (two, ten) = (arena.constant(8, 2), arena.constant(8, 10));
        let sum = arena.binary(BinaryOp::Mul, x, ten);
        let condition = arena.binary(BinaryOp::LtU, sum, two);
        let mut inputs = inputs(1);
        let settings = AutoSettings { climb_constants: 2, ..AutoSettings::default() };
        let decisions = [decision(condition, 1)];
        inputs.gather_constants(&arena, &decisions, &settings, &mut Random::new(1));
        inputs.constants.sort_unstable();
        assert_eq!(inputs.constants, [2, 10]);
    }
}
