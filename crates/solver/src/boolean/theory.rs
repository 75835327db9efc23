//! Whether some input has given truth values of comparisons.

use pessimum_term::ops::{self, mask};
use pessimum_term::{Arena, BinaryOp, Node, TermId, UnaryOp, VariableId};
use rustc_hash::FxHashMap;

use super::skeleton::{Skeleton, is_open};
use crate::form::{self, Relation, Side};
use crate::order::{Constraint, PASSING, QUERY, Reading, Refusal, WIDTH};
use crate::path::{Change, Path};

/// Contradictions collected from one model: each rules out more than the model itself.
const MOST_REFUTED: usize = 16;

/// Part of a contradiction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fact {
    /// A condition has this truth value.
    Truth(TermId, bool),
    /// The condition at this position of the path holds.
    OnPath(u32),
}

/// What became of a model.
pub enum Checked {
    /// Values under which the comparisons have the truth values that matter.
    Values(Vec<Change>),
    /// Sets of facts that cannot be together.
    Refuted(Vec<Vec<Fact>>),
    /// Too many disequalities.
    Declined,
}

/// Why something holds, as an index into the list of these; 0 for "always".
type Why = u32;

#[derive(Clone, Copy)]
enum Cause {
    Fact(Fact),
    /// A reason of the order graph.
    Reason(u32),
    Both(Why, Why),
}

/// What a term is under the truth values: a number, or a node of the order graph plus a number; exactly, not modulo its
/// width.
#[derive(Clone, Copy)]
struct Exact {
    node: Option<(u32, Reading)>,
    offset: i128,
    why: Why,
}

/// How a term is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct View {
    term: TermId,
    signed: bool,
    /// Not by the condition of the path that says which number it is: that condition is what is being checked.
    inside: bool,
}

/// A comparison, or a variable of one bit, with its truth value.
#[derive(Clone, Copy)]
struct Atom {
    term: TermId,
    value: bool,
    signed: bool,
    inside: bool,
}

/// The theory. What it learns about a model it forgets with the next one.
#[derive(Default)]
pub struct Theory {
    /// Terms that conditions of the path equate with a number: the number and the position.
    numbers: FxHashMap<TermId, (u64, u32)>,
    causes: Vec<Cause>,
    /// Conditions whose truth value matters, and those still to be looked at.
    seen: FxHashMap<TermId, bool>,
    pending: Vec<(TermId, bool)>,
    atoms: Vec<Atom>,
    views: Vec<View>,
    exact: FxHashMap<View, Exact>,
    /// Nodes of terms that are neither a variable nor chosen.
    closed: FxHashMap<(TermId, bool), u32>,
    /// The terms of these nodes, which are numbered from `first_closed`.
    closed_terms: Vec<TermId>,
    first_closed: u32,
    /// Constraints that say what the nodes of minima and maxima are, in ascending order of terms.
    definitions: Vec<(Relation, Side, Side, Why)>,
    /// Recorded constraints, by reason: what they rely on.
    asserted: Vec<Why>,
    /// Values before they were moved.
    trail: Vec<(u32, i128)>,
}

/// Whether a comparison below the condition is about variables or choices; without any there is nothing to find out.
pub fn is_grounded(arena: &Arena, skeleton: &Skeleton, condition: TermId) -> bool {
    match arena.node(condition) {
        Node::Unary(UnaryOp::Not, x) => is_grounded(arena, skeleton, x),
        Node::Binary(op, x, y) if op.is_comparison() && arena.width(x) > 1 => {
            [x, y].into_iter().any(|side| skeleton.is_chosen(side) || is_plain(arena, side))
        }
        Node::Binary(op, ..) => !op.is_float(),
        Node::IfThenElse { .. } | Node::Variable(_) => true,
        _ => false,
    }
}

/// Whether the order layer can read a term.
fn is_plain(arena: &Arena, term: TermId) -> bool {
    match arena.node(term) {
        Node::Variable(_) => true,
        Node::Unary(UnaryOp::ZeroExtend | UnaryOp::SignExtend, x) => matches!(arena.node(x), Node::Variable(_)),
        Node::Binary(BinaryOp::Add, x, y) => {
            arena.as_constant(y).is_some() && matches!(arena.node(x), Node::Variable(_) | Node::Unary(..))
        }
        _ => false,
    }
}

impl Theory {
    /// Prepares for a query whose part has conditions at these positions.
    pub fn begin(&mut self, arena: &Arena, path: &Path, skeleton: &Skeleton, positions: &[u32]) {
        self.numbers.clear();
        self.first_closed = path.parts.end();
        for &position in positions.iter().filter(|&&position| path.is_foreign(position)) {
            let Node::Binary(BinaryOp::Eq, x, y) = arena.node(path.conditions[position as usize]) else { continue };
            let Some(number) = arena.as_constant(y) else { continue };
            self.numbers.insert(x, (number, position));
            // The low bits of a small number are the number: what is left of an index after it was scaled.
            if let Node::Extract { of, low: 0 } = arena.node(x)
                && skeleton.most(arena, of) <= mask(arena.width(x))
            {
                self.numbers.insert(of, (number, position));
            }
        }
    }

    /// Comparisons handed to the order graph for the last model.
    pub fn asserted(&self) -> usize {
        self.atoms.len() + self.views.len()
    }

    /// Whether the model of the skeleton's solver, which makes all these conditions true, is that of some input.
    pub fn check(&mut self, arena: &Arena, path: &mut Path, skeleton: &mut Skeleton, conditions: &[TermId]) -> Checked {
        self.causes.clear();
        self.causes.push(Cause::Both(0, 0));
        self.seen.clear();
        self.atoms.clear();
        self.views.clear();
        self.exact.clear();
        self.closed.clear();
        self.closed_terms.clear();
        self.asserted.clear();
        self.definitions.clear();
        for &condition in conditions {
            self.need(condition, true);
            self.justify(arena, path, skeleton);
        }
        // Operands have smaller ids than the terms made of them.
        let mut views = std::mem::take(&mut self.views);
        views.sort_unstable();
        for &view in &views {
            let exact = self.exactly(arena, path, skeleton, view);
            self.exact.insert(view, exact);
        }
        self.views = views;
        let mark = path.order.mark();
        let checked = self.assert_all(arena, path);
        path.order.undo_to(mark);
        path.order.rewind(&mut self.trail);
        checked
    }

    fn need(&mut self, condition: TermId, value: bool) {
        if self.seen.insert(condition, value).is_none() {
            self.pending.push((condition, value));
        }
    }

    fn look_at(&mut self, term: TermId, signed: bool, inside: bool) {
        let view = View { term, signed, inside };
        let nothing = Exact { node: None, offset: 0, why: 0 };
        if self.exact.insert(view, nothing).is_none() {
            self.views.push(view);
        }
    }

    /// Collects the comparisons whose truth values are enough to make what is pending true, and the terms they compare.
    fn justify(&mut self, arena: &Arena, path: &mut Path, skeleton: &mut Skeleton) {
        let mut looked = self.views.len();
        loop {
            while let Some((condition, value)) = self.pending.pop() {
                self.justify_one(arena, path, skeleton, condition, value);
            }
            let Some(&view) = self.views.get(looked) else { return };
            looked += 1;
            self.open(arena, path, skeleton, view);
        }
    }

    fn justify_one(&mut self, arena: &Arena, path: &mut Path, skeleton: &mut Skeleton, condition: TermId, value: bool) {
        use BinaryOp::{And, Eq, LeS, LeU, LtS, LtU, Or, Xor};
        match arena.node(condition) {
            Node::Unary(UnaryOp::Not, x) => self.need(x, !value),
            Node::Binary(op @ (And | Or), x, y) => {
                // For `or` the roles of true and false are exchanged.
                if value == (op == And) {
                    self.need(x, value);
                    self.need(y, value);
                    return;
                }
                // One side is enough: best one that is needed anyway, or that the witness of the path has.
                let (first, second) = (skeleton.value(arena, x) == value, skeleton.value(arena, y) == value);
                let chosen = if first && second {
                    let free = |side: TermId, path: &mut Path| path.value(arena, side) == value as u64;
                    if self.seen.contains_key(&x) {
                        x
                    } else if self.seen.contains_key(&y) || !free(x, path) && free(y, path) {
                        y
                    } else {
                        x
                    }
                } else if first {
                    x
                } else {
                    y
                };
                self.need(chosen, value);
            }
            Node::IfThenElse { condition, then, otherwise } => {
                let truth = skeleton.value(arena, condition);
                self.need(condition, truth);
                self.need(if truth { then } else { otherwise }, value);
            }
            Node::Binary(op @ (Xor | Eq | LtU | LtS | LeU | LeS), x, y) => {
                if arena.width(x) == 1 {
                    for side in [x, y] {
                        let truth = skeleton.value(arena, side);
                        self.need(side, truth);
                    }
                    return;
                }
                let known = path.known(arena, condition).map(|(position, _)| position);
                if known.is_some_and(|position| !path.is_foreign(position)) {
                    // The graph has it already.
                    return;
                }
                let signed = self.signedness(arena, path, skeleton, op, x, y);
                let inside = known.is_some() && self.numbers.get(&x).map(|&(_, position)| position) == known;
                self.atoms.push(Atom { term: condition, value, signed, inside });
                self.look_at(x, signed, inside);
                self.look_at(y, signed, false);
            }
            Node::Variable(_) => self.atoms.push(Atom { term: condition, value, signed: false, inside: false }),
            _ => {}
        }
    }

    fn signedness(
        &self,
        arena: &Arena,
        path: &Path,
        skeleton: &mut Skeleton,
        op: BinaryOp,
        x: TermId,
        y: TermId,
    ) -> bool {
        match op {
            BinaryOp::LtS | BinaryOp::LeS => return true,
            BinaryOp::LtU | BinaryOp::LeU => return false,
            _ => {}
        }
        for mut side in [x, y] {
            while let Node::IfThenElse { condition, then, otherwise } = arena.node(side) {
                side = if skeleton.value(arena, condition) { then } else { otherwise };
            }
            if let Some(signed) = form::natural_sign(arena, &path.order, side) {
                return signed;
            }
        }
        path.order.prefers_signed(arena.width(x))
    }

    /// Looks at what a term consists of under the model.
    fn open(&mut self, arena: &Arena, path: &Path, skeleton: &mut Skeleton, view: View) {
        let View { term, signed, inside } = view;
        if !inside && self.numbers.contains_key(&term) || !is_open(arena, term) {
            return;
        }
        let mut truths = arena.children(term).filter(|&child| arena.width(child) == 1);
        if truths.next().is_some() && !skeleton.is_chosen(term) {
            return;
        }
        let plus_constant =
            matches!(arena.node(term), Node::Binary(BinaryOp::Add, _, y) if arena.as_constant(y).is_some());
        let extended = matches!(arena.node(term), Node::Unary(UnaryOp::ZeroExtend | UnaryOp::SignExtend, _));
        if !skeleton.is_chosen(term) && !plus_constant && !extended && !self.may_be_number(arena, path, term) {
            return;
        }
        match arena.node(term) {
            Node::Constant(_) | Node::Variable(_) => {}
            Node::IfThenElse { condition, then, otherwise } => {
                let truth = skeleton.value(arena, condition);
                self.need(condition, truth);
                let extreme = extreme(arena, condition, then, otherwise, signed).is_some();
                for (arm, taken) in [(then, truth), (otherwise, !truth)] {
                    if taken || extreme {
                        self.look_at(arm, signed, false);
                    }
                }
            }
            Node::Unary(UnaryOp::ZeroExtend | UnaryOp::SignExtend, x) if arena.width(x) == 1 => {
                let truth = skeleton.value(arena, x);
                self.need(x, truth);
            }
            Node::Unary(UnaryOp::SignExtend, x) => self.look_at(x, true, false),
            Node::Binary(BinaryOp::Add | BinaryOp::Sub, x, y) => {
                self.look_at(x, signed, false);
                self.look_at(y, signed, false);
            }
            Node::Extract { of, low: 0 } => {
                let inside = inside && self.by_same_condition(term, of);
                self.look_at(of, false, inside);
            }
            _ => {
                for child in arena.children(term) {
                    if arena.width(child) == 1 {
                        let truth = skeleton.value(arena, child);
                        self.need(child, truth);
                    } else {
                        self.look_at(child, false, false);
                    }
                }
            }
        }
    }

    /// Whether an operand of a term that no condition chooses is a number by the conditions of the path.
    fn may_be_number(&self, arena: &Arena, path: &Path, term: TermId) -> bool {
        let fixed = |child: TermId| match arena.node(child) {
            Node::Variable(variable) => path.order.bounds(variable.0).is_some_and(|[low, high]| low.0 == high.0),
            _ => self.numbers.contains_key(&child),
        };
        let mut children = arena.children(term).filter(|&child| arena.as_constant(child).is_none()).peekable();
        children.peek().is_some() && children.all(fixed)
    }
}

// What terms are under the model.
impl Theory {
    fn because(&mut self, cause: Cause) -> Why {
        self.causes.push(cause);
        self.causes.len() as u32 - 1
    }

    fn both(&mut self, one: Why, other: Why) -> Why {
        match (one, other) {
            (0, why) | (why, 0) => why,
            _ => self.because(Cause::Both(one, other)),
        }
    }

    fn by_reason(&mut self, reason: u32) -> Why {
        if reason == WIDTH { 0 } else { self.because(Cause::Reason(reason)) }
    }

    /// Whether one condition of the path says which numbers both terms are.
    fn by_same_condition(&self, one: TermId, other: TermId) -> bool {
        let position = |term| self.numbers.get(&term).map(|&(_, position)| position);
        position(one).is_some() && position(one) == position(other)
    }

    fn operand(&self, term: TermId, signed: bool) -> Option<Exact> {
        self.exact.get(&View { term, signed, inside: false }).copied()
    }

    /// What a term is; its operands have been worked out where it is worth it.
    fn exactly(&mut self, arena: &Arena, path: &Path, skeleton: &mut Skeleton, view: View) -> Exact {
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
                    ([then, otherwise], _) => {
                        let arm = if truth { then } else { otherwise };
                        arm.map(|arm| Exact { why: self.both(why, arm.why), ..arm })
                    }
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
        let folds = !inside || !matches!(arena.node(term), Node::Extract { .. });
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
        let side = |exact: Exact| -> Side { (exact.node, exact.offset) };
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

#[derive(Clone, Copy, PartialEq, Eq)]
enum Extreme {
    Least,
    Greatest,
}

/// Whether a choice is the smaller or the larger of its arms, in this reading.
fn extreme(arena: &Arena, condition: TermId, then: TermId, otherwise: TermId, signed: bool) -> Option<Extreme> {
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

// The comparisons in the order graph.
impl Theory {
    fn assert_all(&mut self, arena: &Arena, path: &mut Path) -> Checked {
        let mut refuted = Vec::new();
        let definitions = std::mem::take(&mut self.definitions);
        let atoms = std::mem::take(&mut self.atoms);
        let mut declined = false;
        for number in 0..definitions.len() + atoms.len() {
            let outcome = match definitions.get(number) {
                Some(&(relation, x, y, why)) => self.relate(arena, path, relation, x, y, why),
                None => self.assert_one(arena, path, atoms[number - definitions.len()]),
            };
            match outcome {
                Ok(()) => {}
                Err(Some(facts)) => refuted.push(facts),
                Err(None) => declined = true,
            }
            if declined || refuted.len() == MOST_REFUTED {
                break;
            }
        }
        (self.definitions, self.atoms) = (definitions, atoms);
        if !refuted.is_empty() {
            return Checked::Refuted(refuted);
        }
        if declined {
            return Checked::Declined;
        }
        let mut moved: Vec<u32> = self.trail.iter().map(|&(node, _)| node).collect();
        moved.sort_unstable();
        moved.dedup();
        let witness = path.evaluator.witness();
        let change = |&node: &u32| {
            let bits = path.order.bits(node);
            (node < self.first_closed && witness.get(VariableId(node)) != bits).then_some((node, bits))
        };
        Checked::Values(moved.iter().filter_map(change).collect())
    }

    /// Records a comparison. An error has the facts that contradict it, or nothing where the graph declines.
    fn assert_one(&mut self, arena: &Arena, path: &mut Path, atom: Atom) -> Result<(), Option<Vec<Fact>>> {
        let Atom { term, value, signed, inside } = atom;
        let fact = self.because(Cause::Fact(Fact::Truth(term, value)));
        if let Some(form) = form::recognise_atom(arena, &path.order, term, value) {
            let mut why = fact;
            for reason in form.relies_on {
                let reason = self.by_reason(reason);
                why = self.both(why, reason);
            }
            return self.record(arena, path, &form.constraint, form.readings, why);
        }
        let Node::Binary(op, x, y) = arena.node(term) else { return Ok(()) };
        let (x, y) = (View { term: x, signed, inside }, View { term: y, signed, inside: false });
        let (Some(&x), Some(&y)) = (self.exact.get(&x), self.exact.get(&y)) else { return Ok(()) };
        let (relation, turned) = form::relation(op, value);
        let (x, y) = if turned { (y, x) } else { (x, y) };
        let sides = self.both(x.why, y.why);
        let why = self.both(fact, sides);
        self.relate(arena, path, relation, (x.node, x.offset), (y.node, y.offset), why)
    }

    fn relate(
        &mut self,
        arena: &Arena,
        path: &mut Path,
        relation: Relation,
        x: Side,
        y: Side,
        why: Why,
    ) -> Result<(), Option<Vec<Fact>>> {
        match form::relate(relation, x, y) {
            Some((constraint, readings)) => self.record(arena, path, &constraint, readings, why),
            None if x.0 == y.0 && !compare(relation, x.1, y.1) => Err(Some(self.facts(path, &[], why))),
            None => Ok(()),
        }
    }

    fn record(
        &mut self,
        arena: &Arena,
        path: &mut Path,
        constraint: &Constraint,
        readings: [Reading; 2],
        why: Why,
    ) -> Result<(), Option<Vec<Fact>>> {
        let (one, other) = constraint.nodes();
        for (node, reading) in [(one, readings[0]), (other, readings[1])] {
            let bits = self.bits_of(arena, path, node);
            if !path.order.prepare(node, reading, bits) {
                return Ok(());
            }
        }
        match path.order.repair(constraint) {
            Ok(()) => {
                path.order.keep(&mut self.trail);
                path.order.record(constraint, PASSING + self.asserted.len() as u32);
                self.asserted.push(why);
                Ok(())
            }
            Err(Refusal::Conflict(reasons)) => Err(Some(self.facts(path, &reasons, why))),
            Err(Refusal::Declined) => Err(None),
        }
    }

    /// What the witness of the path gives a node.
    fn bits_of(&self, arena: &Arena, path: &mut Path, node: u32) -> u64 {
        if node < self.first_closed {
            return path.evaluator.witness().get(VariableId(node));
        }
        path.value(arena, self.closed_terms[(node - self.first_closed) as usize])
    }

    /// The facts behind reasons of the order graph and behind the constraint that was asked about, each once.
    fn facts(&self, path: &Path, reasons: &[u32], why: Why) -> Vec<Fact> {
        let mut facts = Vec::new();
        let mut positions = Vec::new();
        let mut used = vec![false; self.asserted.len()];
        let mut reasons = reasons.to_vec();
        let mut seen = vec![false; self.causes.len()];
        let mut whys = vec![why];
        loop {
            if let Some(why) = whys.pop() {
                if !std::mem::replace(&mut seen[why as usize], true) {
                    match self.causes[why as usize] {
                        Cause::Fact(Fact::OnPath(position)) => positions.push(position),
                        Cause::Fact(fact) => facts.push(fact),
                        Cause::Reason(reason) => reasons.push(reason),
                        Cause::Both(one, other) => whys.extend([one, other]),
                    }
                }
                continue;
            }
            match reasons.pop() {
                None => break,
                Some(WIDTH | QUERY) => {}
                Some(reason) if reason >= PASSING => {
                    let index = (reason - PASSING) as usize;
                    if !std::mem::replace(&mut used[index], true) {
                        whys.push(self.asserted[index]);
                    }
                }
                Some(position) => positions.push(position),
            }
        }
        facts.extend(path.positions_of(&positions, &[]).into_iter().map(Fact::OnPath));
        facts.sort_unstable();
        facts.dedup();
        facts
    }
}

fn compare(relation: Relation, x: i128, y: i128) -> bool {
    match relation {
        Relation::Less => x < y,
        Relation::AtMost => x <= y,
        Relation::Equal => x == y,
        Relation::Different => x != y,
    }
}
