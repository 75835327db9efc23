//! Equal terms: what follows from the equations of the path alone, whatever the terms are.
//!
//! A key whose hash is equal to that of a second one is not equal in its hash to a third one that the second differs
//! from. Circuits would need all the hashes to say so; here it is a walk along the equations.

use pessimum_term::{Arena, BinaryOp, Node, TermId, UnaryOp};
use rustc_hash::FxHashMap;

use crate::LayerName;
use crate::layers::{Layer, QueryLimits, Reply};
use crate::path::{Path, Query};

/// The layer of equal terms. It says "no" or nothing.
#[derive(Default)]
pub struct Equality {
    /// Equations by each of their sides: the other side and the position.
    equal: FxHashMap<TermId, Vec<(TermId, u32)>>,
    /// The same for terms that differ.
    different: FxHashMap<TermId, Vec<(TermId, u32)>>,
}

/// Terms that are equal to a first one, each with the term and the position by which it was reached.
type Class = FxHashMap<TermId, Option<(TermId, u32)>>;

impl Layer for Equality {
    fn name(&self) -> LayerName {
        LayerName::Equality
    }

    fn ask(&mut self, arena: &Arena, path: &mut Path, query: &mut Query, _: &QueryLimits) -> Reply {
        let Some((x, y, is_equal)) = equation(arena, query.condition) else { return Reply::Pass };
        // Comparisons of variables are the business of the order layer.
        if [x, y].iter().any(|&side| matches!(arena.node(side), Node::Variable(_) | Node::Constant(_))) {
            return Reply::Pass;
        }
        self.equal.clear();
        self.different.clear();
        for &position in &query.part(path).positions {
            if let Some((x, y, is_equal)) = equation(arena, path.conditions[position as usize]) {
                let list = if is_equal { &mut self.equal } else { &mut self.different };
                list.entry(x).or_default().push((y, position));
                list.entry(y).or_default().push((x, position));
            }
        }
        let (first, second) = (self.class(x), self.class(y));
        if !is_equal {
            return match first.contains_key(&y) {
                true => Reply::Unsat(sorted(reasons(&first, y))),
                false => Reply::Pass,
            };
        }
        // The order of a hash map must not decide which reasons are given.
        let mut members: Vec<TermId> = first.keys().copied().collect();
        members.sort_unstable();
        for member in members {
            for &(other, position) in self.different.get(&member).map_or(&[][..], Vec::as_slice) {
                if second.contains_key(&other) {
                    let mut positions = reasons(&first, member);
                    positions.extend(reasons(&second, other));
                    positions.push(position);
                    return Reply::Unsat(sorted(positions));
                }
            }
        }
        Reply::Pass
    }
}

impl Equality {
    /// The terms that are equal to this one, and itself.
    fn class(&self, first: TermId) -> Class {
        let mut class = Class::from_iter([(first, None)]);
        let mut open = vec![first];
        while let Some(term) = open.pop() {
            for &(other, position) in self.equal.get(&term).map_or(&[][..], Vec::as_slice) {
                class.entry(other).or_insert_with(|| {
                    open.push(other);
                    Some((term, position))
                });
            }
        }
        class
    }
}

/// The positions of the equations that lead from a term to the first one of its class.
fn reasons(class: &Class, mut term: TermId) -> Vec<u32> {
    let mut positions = Vec::new();
    while let Some(&Some((before, position))) = class.get(&term) {
        positions.push(position);
        term = before;
    }
    positions
}

fn sorted(mut positions: Vec<u32>) -> Vec<u32> {
    positions.sort_unstable();
    positions.dedup();
    positions
}

/// Both sides of a condition that says that two terms are equal, or different.
fn equation(arena: &Arena, condition: TermId) -> Option<(TermId, TermId, bool)> {
    match arena.node(condition) {
        Node::Binary(BinaryOp::Eq, x, y) => Some((x, y, true)),
        Node::Unary(UnaryOp::Not, inner) => match arena.node(inner) {
            Node::Binary(BinaryOp::Eq, x, y) => Some((x, y, false)),
            _ => None,
        },
        _ => None,
    }
}
