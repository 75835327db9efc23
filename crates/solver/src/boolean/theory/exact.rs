//! What terms are under the truth values of a model: numbers, or nodes of the order graph plus numbers.

use pessimum_term::ops::{self, mask};
use pessimum_term::{Arena, BinaryOp, Node, TermId, UnaryOp};

use super::super::skeleton::Skeleton;
use super::{Cause, Exact, Fact, Theory, View, Why};
use crate::form::{Relation, Side};
use crate::order::{Reading, WIDTH};
use crate::path::Path;

impl Theory {
    pub(super) fn because(&mut self, cause: Cause) -> Why {
        self.causes.push(cause);
        self.causes.len() as u32 - 1
    }

    pub(super) fn both(&mut self, one: Why, other: Why) -> Why {
        match (one, other) {
            (0, why) | (why, 0) => why,
            _ => self.because(Cause::Both(one, other)),
        }
    }

    pub(super) fn by_reason(&mut self, reason: u32) -> Why {
        if reason == WIDTH { 0 } else { self.because(Cause::Reason(reason)) }
    }

    /// Whether one condition of the path says which numbers both terms are.
    pub(super) fn by_same_condition(&self, one: TermId, other: TermId) -> bool {
        let position = |term| self.numbers.get(&term).map(|&(_, position)| position);
        position(one).is_some() && position(one) == position(other)
    }

    fn operand(&self, term: TermId, signed: bool) -> Option<Exact> {
        self.exact.get(&View { term, signed, inside: false }).copied()
    }

    /// What a term is; its operands have been worked out where it is worth it.
    pub(super) fn exactly(&mut self, arena: &Arena, path: &Path, skeleton: &mut Skeleton, view: View) -> Exact {
        let View { term, signed, inside } = view;
        let reading = Reading { width: arena.width(term), signed };
        if let Some(&(number, position)) = self.numbers.get(&term).filter(|_| !inside) {
            let why = self.because(Cause::Fact(Fact::OnPath(position)));
            return Exact { node: None, offset: reading.decode(number), why };
        }
        let found = match arena.node(term) {
            Node::Constant(number) => Some(Exact { node: None, offset: reading.decode(number), why: 0 }),
            Node::Variable(variable) => self.variable(path, variable.0, reading),
            Node::IfThenElse { condition, then, otherwise } if skeleton.is_chosen(term) => {
                let truth = skeleton.value(arena, condition);
                let why = self.because(Cause::Fact(Fact::Truth(condition, truth)));
                let arms = [self.operand(then, signed), self.operand(otherwise, signed)];
                match (arms, extreme(arena, condition, then, otherwise, signed)) {
                    ([Some(then), Some(otherwise)], Some(extreme))
                        if then.node.is_some() || otherwise.node.is_some() =>
                    {
                        let node = self.closed_node(term, reading);
                        self.define(node, [then, otherwise], extreme, truth, why);
                        Some(node)
                    }
                    ([then, otherwise], _) => (if truth { then } else { otherwise }).map(|arm| {
                        let why = self.both(why, arm.why);
                        if arm.node.is_none() {
                            return Exact { why, ..arm };
                        }
                        // Comparisons with the pivot of a partition contradict each other whichever value it is.
                        let node = self.closed_node(term, reading);
                        self.definitions.push((Relation::Equal, side(node), side(arm), why));
                        node
                    }),
                }
            }
            Node::Unary(op @ (UnaryOp::ZeroExtend | UnaryOp::SignExtend), x) if arena.width(x) == 1 => {
                let truth = skeleton.value(arena, x);
                let why = self.because(Cause::Fact(Fact::Truth(x, truth)));
                let bits = ops::unary(op, 1, reading.width, truth as u64);
                Some(Exact { node: None, offset: reading.decode(bits), why })
            }
            // A number of fewer bits is the same number in more of them.
            Node::Unary(UnaryOp::ZeroExtend, x) => self.operand(x, false),
            Node::Unary(UnaryOp::SignExtend, x) if signed => self.operand(x, true),
            Node::Binary(BinaryOp::Add, x, y) => match (self.operand(x, signed), self.operand(y, signed)) {
                (Some(x), Some(y)) if y.node.is_none() => self.plus(path, x, y, 1, reading),
                (Some(x), Some(y)) if x.node.is_none() => self.plus(path, y, x, 1, reading),
                _ => None,
            },
            Node::Binary(BinaryOp::Sub, x, y) => match (self.operand(x, signed), self.operand(y, signed)) {
                (Some(x), Some(y)) if y.node.is_none() => self.plus(path, x, y, -1, reading),
                (Some(x), Some(y)) if x.node == y.node => {
                    let bits = (x.offset - y.offset) as u64 & mask(reading.width);
                    Some(Exact { node: None, offset: reading.decode(bits), why: self.both(x.why, y.why) })
                }
                _ => None,
            },
            Node::Extract { of, low: 0 } => {
                let inside = inside && self.by_same_condition(term, of);
                let of = self.exact.get(&View { term: of, signed: false, inside }).copied();
                of.and_then(|of| self.fitting(path, of, reading))
            }
            _ => None,
        };
        // The outer view of an operand that the same condition fixes would make the condition prove itself.
        let fixed_alike = |of| inside && self.by_same_condition(term, of);
        let folds = !matches!(arena.node(term), Node::Extract { of, low: 0 } if fixed_alike(of));
        let found = found.or_else(|| if folds { self.folded(arena, skeleton, term, reading) } else { None });
        found.unwrap_or_else(|| self.closed_node(term, reading))
    }

    /// A node of its own for a term.
    fn closed_node(&mut self, term: TermId, reading: Reading) -> Exact {
        let next = self.first_closed + self.closed.len() as u32;
        let node = *self.closed.entry((term, reading.signed)).or_insert(next);
        if node == next {
            self.closed_terms.push(term);
        }
        Exact { node: Some((node, reading)), offset: 0, why: 0 }
    }

    /// Says what the smaller or the larger of two numbers is. That it is not above, or below, either of them holds
    /// always, so that contradictions between sorted values need not name the comparisons that sorted them.
    fn define(&mut self, node: Exact, arms: [Exact; 2], extreme: Extreme, truth: bool, chosen: Why) {
        for (arm, taken) in arms.into_iter().zip([truth, !truth]) {
            let (low, high) = match extreme {
                Extreme::Least => (node, arm),
                Extreme::Greatest => (arm, node),
            };
            self.definitions.push((Relation::AtMost, side(low), side(high), arm.why));
            if taken {
                let why = self.both(chosen, arm.why);
                self.definitions.push((Relation::AtMost, side(high), side(low), why));
            }
        }
    }

    fn variable(&mut self, path: &Path, variable: u32, reading: Reading) -> Option<Exact> {
        let recorded = path.order.reading(variable).unwrap_or(reading);
        if recorded.width != reading.width {
            return None;
        }
        let Some([(low, low_reason), (high, high_reason)]) = path.order.bounds(variable) else {
            return Some(Exact { node: Some((variable, recorded)), offset: 0, why: 0 });
        };
        let mut bounded = || {
            let (low, high) = (self.by_reason(low_reason), self.by_reason(high_reason));
            self.both(low, high)
        };
        if low == high {
            return Some(Exact { node: None, offset: reading.decode(recorded.encode(low)), why: bounded() });
        }
        if recorded == reading {
            return Some(Exact { node: Some((variable, recorded)), offset: 0, why: 0 });
        }
        // Both readings agree where bounds keep the value out of the upper half.
        (low >= 0 && high < 1 << (reading.width - 1)).then(|| Exact {
            node: Some((variable, recorded)),
            offset: 0,
            why: bounded(),
        })
    }

    /// `x + sign * y`, where `y` is a number.
    fn plus(&mut self, path: &Path, x: Exact, y: Exact, sign: i128, reading: Reading) -> Option<Exact> {
        let why = self.both(x.why, y.why);
        let Some((node, own)) = x.node else {
            let bits = reading.encode(x.offset + sign * y.offset);
            return Some(Exact { node: None, offset: reading.decode(bits), why });
        };
        let [(low, low_reason), (high, high_reason)] = bounds(path, node, own);
        let (smallest, largest) = reading.range();
        let step = reading.encode(sign * y.offset);
        // The number may stand for a step up or a step down; only one of the two can stay in range.
        [true, false].into_iter().find_map(|signed| {
            let offset = x.offset + Reading { signed, ..reading }.decode(step);
            (low + offset >= smallest && high + offset <= largest).then(|| {
                let (low, high) = (self.by_reason(low_reason), self.by_reason(high_reason));
                let bounded = self.both(low, high);
                Exact { node: x.node, offset, why: self.both(why, bounded) }
            })
        })
    }

    /// The low bits of an unsigned number, where they are all of it.
    fn fitting(&mut self, path: &Path, x: Exact, reading: Reading) -> Option<Exact> {
        let Some((node, own)) = x.node else {
            let bits = x.offset as u64 & mask(reading.width);
            return Some(Exact { node: None, offset: reading.decode(bits), why: x.why });
        };
        let [(low, low_reason), (high, high_reason)] = bounds(path, node, own);
        let (smallest, largest) = reading.range();
        (low + x.offset >= smallest.max(0) && high + x.offset <= largest).then(|| {
            let (low, high) = (self.by_reason(low_reason), self.by_reason(high_reason));
            let bounded = self.both(low, high);
            Exact { why: self.both(x.why, bounded), ..x }
        })
    }

    /// A term whose operands are all numbers.
    fn folded(&mut self, arena: &Arena, skeleton: &mut Skeleton, term: TermId, reading: Reading) -> Option<Exact> {
        if !skeleton.is_chosen(term) && arena.children(term).any(|child| arena.width(child) == 1) {
            // Left closed, with the truth values in it.
            return None;
        }
        let mut why = 0;
        let mut bits = |child: TermId| {
            let width = arena.width(child);
            if let Some(number) = arena.as_constant(child) {
                return Some(number);
            }
            if width == 1 {
                let truth = skeleton.value(arena, child);
                let fact = self.because(Cause::Fact(Fact::Truth(child, truth)));
                why = self.both(why, fact);
                return Some(truth as u64);
            }
            let (exact, signed) = match (self.operand(child, false), self.operand(child, true)) {
                (Some(exact), _) if exact.node.is_none() => (exact, false),
                (_, Some(exact)) if exact.node.is_none() => (exact, true),
                _ => return None,
            };
            why = self.both(why, exact.why);
            Some(Reading { width, signed }.encode(exact.offset))
        };
        let width = reading.width;
        let value = match arena.node(term) {
            Node::Unary(op, x) => ops::unary(op, arena.width(x), width, bits(x)?),
            Node::Binary(op, x, y) if !op.is_comparison() => ops::binary(op, width, bits(x)?, bits(y)?),
            Node::Extract { of, low } => bits(of)? >> low & mask(width),
            Node::Concat { high, low } => bits(high)? << arena.width(low) | bits(low)?,
            _ => return None,
        };
        Some(Exact { node: None, offset: reading.decode(value), why })
    }
}

pub(super) fn side(exact: Exact) -> Side {
    (exact.node, exact.offset)
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Extreme {
    Least,
    Greatest,
}

/// Whether a choice is the smaller or the larger of its arms, in this reading.
pub(super) fn extreme(
    arena: &Arena,
    condition: TermId,
    then: TermId,
    otherwise: TermId,
    signed: bool,
) -> Option<Extreme> {
    use BinaryOp::{LeS, LeU, LtS, LtU};
    let Node::Binary(op @ (LtS | LeS | LtU | LeU), x, y) = arena.node(condition) else { return None };
    if matches!(op, LtS | LeS) != signed {
        return None;
    }
    if (x, y) == (then, otherwise) {
        Some(Extreme::Least)
    } else {
        ((x, y) == (otherwise, then)).then_some(Extreme::Greatest)
    }
}

fn bounds(path: &Path, node: u32, reading: Reading) -> [(i128, u32); 2] {
    let (low, high) = reading.range();
    path.order.bounds(node).unwrap_or([(low, WIDTH), (high, WIDTH)])
}
