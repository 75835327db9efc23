//! What strategies that change inputs themselves need to know about variables.

use crate::program::Variable;
use pessimum_term::{Arena, TermId, VariableId};
use rustc_hash::FxHashSet;

/// The variables that occur in the conditions and are not among the known ones, by number. They take every value of
/// their width.
pub(super) fn undeclared(arena: &Arena, conditions: impl Iterator<Item = TermId>, known: &[Variable]) -> Vec<Variable> {
    let known: FxHashSet<VariableId> = known.iter().map(|variable| variable.id).collect();
    let mut found = Vec::new();
    let mut seen = vec![false; arena.len()];
    let mut pending: Vec<TermId> = conditions.collect();
    while let Some(term) = pending.pop() {
        if std::mem::replace(&mut seen[term.index()], true) {
            continue;
        }
        if let Some(id) = arena.as_variable(term)
            && !known.contains(&id)
        {
            found.push(Variable::unlimited(id, arena.width(term)));
        }
        pending.extend(arena.children(term));
    }
    found.sort_by_key(|variable| variable.id);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use pessimum_term::BinaryOp;

    #[test]
    fn undeclared_variables_are_listed_by_number_once() {
        let mut arena = Arena::new();
        let terms: Vec<TermId> = [9, 2, 5].map(|id| arena.variable(VariableId(id), 16)).to_vec();
        let first = arena.binary(BinaryOp::LtU, terms[0], terms[1]);
        let second = arena.binary(BinaryOp::LtU, terms[1], terms[2]);
        let known = [Variable::unlimited(VariableId(5), 16)];
        let found = undeclared(&arena, [first, second].into_iter(), &known);
        assert_eq!(found, [2, 9].map(|id| Variable::unlimited(VariableId(id), 16)));
    }
}
