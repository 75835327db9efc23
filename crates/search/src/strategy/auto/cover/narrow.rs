//! What the solver gave up on, asked again with most of the input as it is.
//!
//! Behind `if (checksum(payload) == stored)` every byte of the payload is tied to all others, and another branch on one of
//! them is a question about all of them. With the other bytes of the payload as they are, the checksum is a function of
//! one byte, and what is stored follows. So what stays free are the variables of the wanted condition and, of each
//! equation that these take part in, the side that depends on fewer variables: that is what is stored, or a length.

use crate::path::Decision;
use pessimum_term::{Arena, BinaryOp, Node, TermId, UnaryOp, VariableId};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// Terms of a condition beyond which its variables are not looked for.
const MOST_TERMS: usize = 100_000;

/// The variables to keep as they are when the wanted condition is added to those of the path: those tied to its own by
/// conditions of the path, except what stays free. Empty if there are none, or conditions are too large to tell.
pub fn fixed(arena: &Arena, path: &[Decision], wanted: TermId) -> BTreeSet<VariableId> {
    let Some(mut free) = variables(arena, wanted) else { return BTreeSet::new() };
    let mut tied = BTreeSet::new();
    // Backwards: what is stored may itself be checked by an earlier equation.
    for decision in path.iter().rev() {
        let Some(all) = variables(arena, decision.condition) else { return BTreeSet::new() };
        if all.is_disjoint(&free) {
            continue;
        }
        free.extend(
            equation(arena, decision.condition)
                .and_then(|(x, y)| {
                    let (x, y) = (variables(arena, x)?, variables(arena, y)?);
                    let (fewer, more) = if x.len() <= y.len() { (x, y) } else { (y, x) };
                    (!more.is_disjoint(&free)).then_some(fewer)
                })
                .unwrap_or_default(),
        );
        tied.extend(all);
    }
    tied.difference(&free).copied().collect()
}

/// The two sides of an equation that holds.
fn equation(arena: &Arena, mut condition: TermId) -> Option<(TermId, TermId)> {
    let mut holds = true;
    while let Node::Unary(UnaryOp::Not, inner) = arena.node(condition) {
        condition = inner;
        holds = !holds;
    }
    match arena.node(condition) {
        Node::Binary(BinaryOp::Eq, x, y) if holds => Some((x, y)),
        _ => None,
    }
}

/// The variables of a term; none if it is too large.
fn variables(arena: &Arena, term: TermId) -> Option<BTreeSet<VariableId>> {
    let (mut found, mut known, mut open) = (BTreeSet::new(), FxHashSet::default(), vec![term]);
    while let Some(term) = open.pop() {
        if !known.insert(term) {
            continue;
        }
        if known.len() > MOST_TERMS {
            return None;
        }
        found.extend(arena.as_variable(term));
        open.extend(arena.children(term));
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::decision;
    use super::*;

    #[test]
    fn a_stored_checksum_stays_free_and_the_rest_of_the_payload_does_not() {
        let mut arena = Arena::new();
        // x0 + x1 + x2 == x3, and x4 < 9; wanted: x1 == 7.
        let x: Vec<TermId> = (0..5).map(|id| arena.variable(VariableId(id), 8)).collect();
        let sum = arena.binary(BinaryOp::Add, x[0], x[1]);
        let sum = arena.binary(BinaryOp::Add, sum, x[2]);
        let product = arena.binary(BinaryOp::Mul, sum, x[2]);
        let checked = arena.binary(BinaryOp::Eq, product, x[3]);
        let (seven, nine) = (arena.constant(8, 7), arena.constant(8, 9));
        let below = arena.binary(BinaryOp::LtU, x[4], nine);
        let wanted = arena.binary(BinaryOp::Eq, x[1], seven);
        let path = [decision(below, 1), decision(checked, 1)];
        let kept: Vec<u32> = fixed(&arena, &path, wanted).into_iter().map(|id| id.0).collect();
        assert_eq!(kept, [0, 2], "neither what is wanted, nor what is stored, nor what has nothing to do with it");
        let differs = arena.not(checked);
        let kept: Vec<u32> = fixed(&arena, &[decision(differs, 0)], wanted).into_iter().map(|id| id.0).collect();
        assert_eq!(kept, [0, 2, 3], "an equation that does not hold ties nothing");
        assert!(fixed(&arena, &[], wanted).is_empty());
    }
}
