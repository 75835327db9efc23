//! Whether some input has given truth values of comparisons.

mod exact;

use pessimum_term::ops::mask;
use pessimum_term::{Arena, BinaryOp, Node, TermId, UnaryOp, VariableId};
use rustc_hash::FxHashMap;

use super::skeleton::{Skeleton, is_open};
use crate::form::{self, Relation, Side};
use crate::order::{Constraint, PASSING, QUERY, Reading, Refusal, WIDTH};
use crate::path::{Change, Path};
use exact::{extreme, side};

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
    /// Constraints that say what the nodes of chosen terms are, in ascending order of terms.
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
        let operands = self.both(x.why, y.why);
        let why = self.both(fact, operands);
        self.relate(arena, path, relation, side(x), side(y), why)
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
