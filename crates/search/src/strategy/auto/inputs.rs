//! The input of a program as the concrete operator sees it: variables, ranges, constants worth trying.

use super::population::Member;
use super::settings::AutoSettings;
use crate::path::Decision;
use crate::program::Variable;
use crate::random::Random;
use crate::search::Search;
use crate::strategy::ga::mutation::Genome;
use crate::strategy::variables::undeclared;
use pessimum_term::{Arena, BinaryOp, Node, TermId, UnaryOp, Witness};

/// The variables of inputs, and what else inputs must satisfy.
pub struct Inputs {
    /// By number.
    pub variables: Vec<Variable>,
    /// The changes of the genetic search, for the same variables.
    pub(crate) genome: Genome,
    /// Constants met in conditions.
    pub constants: Vec<u64>,
    /// Sequences of values that neighbouring variables were compared with, one after the other.
    pub tokens: Vec<Vec<u64>>,
    /// Texts of the program, where they are wanted.
    pub texts: Vec<Vec<u64>>,
    /// Length of the longest input searched for variables that were not known beforehand.
    looked_at: usize,
}

impl Inputs {
    /// The inputs of the search's program.
    pub fn new(search: &mut Search<'_>) -> Inputs {
        let variables = search.kernel.program().variables();
        let looked_at = variables.iter().map(|variable| variable.id.0 as usize + 1).max().unwrap_or(0);
        let genome = Genome::new(variables.clone());
        Inputs { variables, genome, constants: Vec::new(), tokens: Vec::new(), texts: Vec::new(), looked_at }
    }

    /// Inputs of these variables, with nothing else to satisfy.
    pub fn of(variables: Vec<Variable>) -> Inputs {
        let (genome, looked_at) = (Genome::new(variables.clone()), variables.len());
        let (constants, tokens, texts) = (Vec::new(), Vec::new(), Vec::new());
        Inputs { variables, genome, constants, tokens, texts, looked_at }
    }

    /// Adds the texts of the program to what is worth trying, if there are bytes that can hold them.
    pub fn gather_texts(&mut self, texts: Vec<Vec<u8>>) {
        if self.variables.iter().any(|variable| variable.width == 8) {
            self.texts = texts.into_iter().map(|text| text.into_iter().map(u64::from).collect()).collect();
        }
    }

    /// A token or, as often, a text, if there is one.
    pub fn word(&self, random: &mut Random) -> Option<&Vec<u64>> {
        let takes_text = !self.texts.is_empty() && (self.tokens.is_empty() || random.coin());
        let words = if takes_text { &self.texts } else { &self.tokens };
        words.get(random.index(words.len().max(1)))
    }

    /// Whether the program's preconditions hold. Ranges are not checked, since changes stay within them.
    pub fn are_legal(&self, search: &mut Search<'_>, input: &Witness) -> bool {
        debug_assert!(self.variables.iter().all(|one| one.permits(input.get(one.id))), "{:?}", input.values());
        search.kernel.permits(input)
    }

    /// Values of these variables as an input, changed where the program demands more of them than ranges.
    pub fn witness(&self, search: &mut Search<'_>, values: &[u64]) -> Witness {
        let mut input = self.genome.witness(values);
        search.kernel.program().repair(&mut input);
        input
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

    /// Remembers the tokens of a part of the path: values that neighbouring variables were compared with for equality,
    /// one after the other. All but the last comparison held, as those of `memcmp` with a word do.
    pub fn gather_tokens(
        &mut self,
        arena: &Arena,
        decisions: &[Decision],
        settings: &AutoSettings,
        random: &mut Random,
    ) {
        if decisions.is_empty() {
            return;
        }
        let from = random.index(decisions.len().saturating_sub(settings.token_decisions).max(1));
        let part = &decisions[from..decisions.len().min(from + settings.token_decisions)];
        let mut token: Vec<u64> = Vec::new();
        // The variable of the comparison before, if it held.
        let mut before: Option<u32> = None;
        for decision in part {
            let Some((variable, value, held)) = comparison(arena, decision.condition) else {
                continue;
            };
            if before.is_none_or(|before| variable != before + 1) {
                self.remember_token(&mut token, settings);
            }
            token.push(value);
            before = held.then_some(variable);
            if !held {
                self.remember_token(&mut token, settings);
            }
        }
        self.remember_token(&mut token, settings);
    }

    /// Keeps a token of at least two values that is not known yet, and begins another one. When there is no room, the
    /// token that begins alike and is shorter makes room, or the oldest one does.
    fn remember_token(&mut self, token: &mut Vec<u64>, settings: &AutoSettings) {
        let token = std::mem::take(token);
        if token.len() < 2 || settings.tokens == 0 || self.tokens.iter().any(|known| known.starts_with(&token)) {
            return;
        }
        self.tokens.retain(|known| !token.starts_with(known));
        if self.tokens.len() >= settings.tokens {
            self.tokens.remove(0);
        }
        self.tokens.push(token);
    }
}

/// The comparison of a variable with a constant that a condition consists of: the variable, the constant and whether they
/// are equal.
fn comparison(arena: &Arena, mut condition: TermId) -> Option<(u32, u64, bool)> {
    let mut held = true;
    while let Node::Unary(UnaryOp::Not, inner) = arena.node(condition) {
        condition = inner;
        held = !held;
    }
    let Node::Binary(BinaryOp::Eq, x, y) = arena.node(condition) else { return None };
    let (mut term, value) = match (arena.node(x), arena.node(y)) {
        (_, Node::Constant(value)) => (x, value),
        (Node::Constant(value), _) => (y, value),
        _ => return None,
    };
    while let Node::Unary(UnaryOp::ZeroExtend | UnaryOp::SignExtend, inner) = arena.node(term) {
        term = inner;
    }
    arena.as_variable(term).map(|variable| (variable.0, value, held))
}

#[cfg(test)]
mod tests {
    use super::super::testing::decision;
    use super::*;
    use pessimum_term::VariableId;

    fn inputs(count: u32) -> Inputs {
        Inputs::of((0..count).map(|id| Variable::unlimited(VariableId(id), 8)).collect())
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

    #[test]
    fn words_are_tokens_and_texts_of_programs_that_read_bytes() {
        let mut inputs = inputs(2);
        let mut random = Random::new(1);
        assert_eq!(inputs.word(&mut random), None);
        inputs.tokens = vec![vec![1, 2]];
        assert_eq!(inputs.word(&mut random), Some(&vec![1, 2]));
        inputs.gather_texts(vec![b"ab".to_vec()]);
        let texts = (0..200).filter(|_| inputs.word(&mut random) == Some(&vec![97, 98])).count();
        assert!((60..140).contains(&texts), "{texts}");
        let mut numbers = Inputs::of(vec![Variable::unlimited(VariableId(0), 32)]);
        numbers.gather_texts(vec![b"ab".to_vec()]);
        assert!(numbers.texts.is_empty());
    }

    #[test]
    fn tokens_are_compared_one_value_after_the_other() {
        let mut arena = Arena::new();
        let mut decisions = Vec::new();
        let mut compare = |variable: u32, value: u64, equal: bool| {
            let (x, c) = (arena.variable(VariableId(variable), 8), arena.constant(8, value));
            let eq = arena.binary(BinaryOp::Eq, x, c);
            let condition = if equal { eq } else { arena.not(eq) };
            decisions.push(decision(condition, u64::from(equal)));
        };
        // "nu" held and "l" did not; "x" alone is no token; a gap ends one.
        for (variable, value, equal) in
            [(3, 110, true), (4, 117, true), (5, 108, false), (9, 120, false), (1, 7, true), (3, 8, true), (4, 9, true)]
        {
            compare(variable, value, equal);
        }
        let mut inputs = inputs(10);
        let settings = AutoSettings::default();
        for _ in 0..2 {
            inputs.gather_tokens(&arena, &decisions, &settings, &mut Random::new(1));
            assert_eq!(inputs.tokens, [vec![110, 117, 108], vec![8, 9]]);
        }
        inputs.gather_tokens(&arena, &[], &settings, &mut Random::new(1));
        let one = AutoSettings { tokens: 1, ..settings };
        inputs.remember_token(&mut vec![8, 9, 10], &one);
        assert_eq!(inputs.tokens.last(), Some(&vec![8, 9, 10]), "a longer token replaces its beginning");
    }
}
