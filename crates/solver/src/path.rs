//! What all layers share: the conditions of the path, a witness that satisfies them, and their parts.

use pessimum_term::ops::mask;
use pessimum_term::{Arena, BinaryOp, Evaluator, Node, TermId, UnaryOp, VariableId, Variables, Witness};

use crate::form::{self, Form};
use crate::order::{Order, WIDTH};
use crate::parts::{Parts, Sizes};

/// A value for a variable.
pub type Change = (u32, u64);

/// Evaluations of conditions spent on keeping old values after a SAT call.
const MOST_SETTLING: usize = 20_000;

/// Marks to return to when a condition is removed again.
struct Entry {
    parts: u32,
    order: u32,
    /// Whether the order graph does not hold the condition.
    foreign: bool,
}

/// The conditions of the current path, its witness, and what layers look up about them.
#[derive(Default)]
pub struct Path {
    pub conditions: Vec<TermId>,
    entries: Vec<Entry>,
    /// Evaluates under the witness of the path, which it holds.
    pub evaluator: Evaluator,
    pub parts: Parts,
    pub order: Order,
    /// Conditions whose form relies on earlier ones, by position in ascending order.
    relies: Vec<(u32, [u32; 4])>,
    /// By term: the position, plus 1, at which it or its negation was assumed last. May be stale: an entry counts only
    /// where the condition at that position says the same. For a wider term it is the position at which it was said to be
    /// equal to a constant.
    known: Vec<u32>,
    variables: Variables,
    /// Evaluates under witnesses that are being tried.
    trial: Evaluator,
    stack: Vec<TermId>,
    /// Memory of the last query, for reuse.
    spare: (Vec<u32>, Vec<u32>),
}

/// A question: can this condition hold together with the path?
pub struct Query {
    pub condition: TermId,
    pub form: Option<Form>,
    /// Its variables, in ascending order.
    pub variables: Vec<u32>,
    /// The parts that its variables belong to, by root.
    pub roots: Vec<u32>,
    /// The sizes of these parts, added up.
    pub sizes: Sizes,
    /// Whether bit-blasting found a model that fails only because float arithmetic was left open; `None` before it was
    /// asked.
    pub left_open: Option<bool>,
    part: Option<Part>,
}

/// The parts of a query, with all their variables and conditions.
#[derive(Default)]
pub struct Part {
    pub variables: Vec<u32>,
    /// Positions of conditions, in ascending order.
    pub positions: Vec<u32>,
}

impl Query {
    /// Gathered when first asked for: the order layer answers without it.
    pub fn part(&mut self, path: &Path) -> &Part {
        self.part.get_or_insert_with(|| {
            let mut part = Part::default();
            for &root in &self.roots {
                path.parts.gather(root, &mut part.variables, &mut part.positions);
            }
            // The conditions of a single variable are in order: there may be thousands, one for each step of a loop.
            if part.variables.len() > 1 {
                part.variables.sort_unstable();
                part.positions.sort_unstable();
            }
            part
        })
    }
}

impl Path {
    pub fn restart(&mut self, witness: Witness) {
        self.conditions.clear();
        self.entries.clear();
        self.relies.clear();
        self.parts.clear();
        self.order.clear();
        self.evaluator.set_witness(witness);
    }

    pub fn value(&mut self, arena: &Arena, term: TermId) -> u64 {
        self.evaluator.value(arena, term)
    }

    /// The position at which the condition (`true`) or its negation (`false`) was assumed.
    pub fn known(&self, arena: &Arena, condition: TermId) -> Option<(u32, bool)> {
        let (atom, positive) = atom_of(arena, condition);
        let position = self.known.get(atom.index())?.checked_sub(1)?;
        let (assumed, sign) = atom_of(arena, *self.conditions.get(position as usize)?);
        (assumed == atom).then_some((position, sign == positive))
    }

    /// For a condition that a term is equal to a constant which it cannot have: the position at which this term was assumed
    /// to be equal to another one, or none where no input gives it such a value. So no circuit is
    /// made to see that a hash is not in two buckets, or that a remainder is not as large as an address.
    pub fn excluded(&self, arena: &Arena, condition: TermId) -> Option<Vec<u32>> {
        let (term, wanted) = pinned(arena, condition)?;
        if wanted > at_most(arena, term) {
            return Some(Vec::new());
        }
        let position = self.known.get(term.index())?.checked_sub(1)?;
        let (same, value) = pinned(arena, *self.conditions.get(position as usize)?)?;
        (same == term && value != wanted).then(|| vec![position])
    }

    /// Adds a condition that the witness satisfies.
    pub fn add(&mut self, arena: &Arena, condition: TermId) {
        let position = self.conditions.len() as u32;
        let (parts, order) = (self.parts.mark() as u32, self.order.mark() as u32);
        self.entries.push(Entry { parts, order, foreign: false });
        let nothing_new = self.known(arena, condition).is_some() || arena.as_constant(condition).is_some();
        self.conditions.push(condition);
        if nothing_new {
            return;
        }
        let (atom, _) = atom_of(arena, condition);
        if self.known.len() <= atom.index() {
            self.known.resize(arena.len(), 0);
        }
        self.known[atom.index()] = position + 1;
        let form = form::recognise(arena, &self.order, condition).filter(|form| self.prepare(form));
        if let Some(form) = form {
            let (one, other) = form.constraint.nodes();
            self.parts.touch(one, form.readings[0].width);
            if one != other {
                self.parts.touch(other, form.readings[1].width);
                self.parts.join(one, other);
            }
            self.parts.file(one, position, false);
            self.order.record(&form.constraint, position);
            if form.relies_on != [WIDTH; 4] {
                self.relies.push((position, form.relies_on));
            }
            return;
        }
        if let Some((term, _)) = pinned(arena, condition) {
            // Operands have smaller ids than the condition.
            self.known[term.index()] = position + 1;
        }
        self.note_signedness(arena, condition);
        let variables = self.touch_variables(arena, condition);
        let Some(&first) = variables.first() else { return };
        for &variable in &variables[1..] {
            self.parts.join(first, variable);
        }
        self.parts.file(first, position, true);
        self.entries[position as usize].foreign = true;
    }

    /// Whether the condition at this position is one that the order graph does not hold.
    pub fn is_foreign(&self, position: u32) -> bool {
        self.entries[position as usize].foreign
    }

    pub fn truncate(&mut self, length: usize) {
        let Some(entry) = self.entries.get(length) else { return };
        self.parts.undo_to(entry.parts as usize);
        self.order.undo_to(entry.order as usize);
        self.entries.truncate(length);
        while self.relies.last().is_some_and(|&(position, _)| position as usize >= length) {
            self.relies.pop();
        }
        self.conditions.truncate(length);
    }

    /// Makes the nodes of a form known to the order graph; false where it reads their variables differently.
    pub fn prepare(&mut self, form: &Form) -> bool {
        let (one, other) = form.constraint.nodes();
        let witness = self.evaluator.witness();
        let (a, b) = (witness.get(VariableId(one)), witness.get(VariableId(other)));
        self.order.prepare(one, form.readings[0], a) && self.order.prepare(other, form.readings[1], b)
    }

    /// Notes how a comparison that the graph could not take reads its variables: later equalities do the same.
    fn note_signedness(&mut self, arena: &Arena, condition: TermId) {
        use BinaryOp::{LeS, LeU, LtS, LtU};
        if let Node::Binary(op @ (LtS | LeS | LtU | LeU), x, y) = arena.node(condition)
            && (arena.as_variable(x).is_some() || arena.as_variable(y).is_some())
        {
            self.order.prefer(arena.width(x), matches!(op, LtS | LeS));
        }
    }

    /// Changes the witness.
    pub fn apply(&mut self, changes: &[Change]) {
        for &(variable, value) in changes {
            self.evaluator.set(VariableId(variable), value);
            self.order.follow(variable, value);
        }
    }

    /// The question, with what is cheap to know about it.
    pub fn query(&mut self, arena: &Arena, condition: TermId) -> Query {
        let form = form::recognise(arena, &self.order, condition);
        let (mut variables, mut roots) = std::mem::take(&mut self.spare);
        variables.clear();
        roots.clear();
        match &form {
            Some(form) => {
                let (one, other) = form.constraint.nodes();
                self.parts.touch(one, form.readings[0].width);
                self.parts.touch(other, form.readings[1].width);
                variables.extend([one.min(other), one.max(other)]);
                variables.dedup();
            }
            None => {
                self.note_signedness(arena, condition);
                variables = self.touch_variables(arena, condition);
            }
        }
        roots.extend(variables.iter().map(|&variable| self.parts.root(variable)));
        if roots.len() > 1 {
            roots.sort_unstable();
            roots.dedup();
        }
        let mut sizes = Sizes { foreign: form.is_none() as u32, ..Sizes::default() };
        for &root in &roots {
            let part = self.parts.sizes(root);
            sizes.variables += part.variables;
            sizes.bits += part.bits;
            sizes.conditions += part.conditions;
            sizes.foreign += part.foreign;
        }
        Query { condition, form, variables, roots, sizes, left_open: None, part: None }
    }

    /// Keeps the memory of a query for the next one.
    pub fn recycle(&mut self, query: Query) {
        self.spare = (query.variables, query.roots);
    }

    /// Positions that the reasons of the order graph stand for, and those that these rely on, each once and sorted.
    pub fn positions_of(&self, reasons: &[u32], relies_on: &[u32]) -> Vec<u32> {
        let mut positions: Vec<u32> = reasons.iter().chain(relies_on).copied().collect();
        let mut next = 0;
        while next < positions.len() {
            if let Ok(found) = self.relies.binary_search_by_key(&positions[next], |&(position, _)| position) {
                for reason in self.relies[found].1 {
                    if !positions.contains(&reason) {
                        positions.push(reason);
                    }
                }
            }
            next += 1;
        }
        positions.retain(|&position| (position as usize) < self.conditions.len());
        positions.sort_unstable();
        positions.dedup();
        positions
    }

    /// Whether the query and all conditions of its part hold with these values; stops at the first that does not.
    pub fn holds_with(&mut self, arena: &Arena, query: &mut Query, changes: &[Change]) -> bool {
        self.condition_holds_with(arena, query.condition, changes) && {
            let part = query.part(self);
            part.positions.iter().all(|&position| self.trial.value(arena, self.conditions[position as usize]) == 1)
        }
    }

    /// Whether the condition and those at these positions hold with these values; stops at the first that does not.
    pub fn hold_with(
        &mut self,
        arena: &Arena,
        condition: TermId,
        mut positions: impl Iterator<Item = u32>,
        changes: &[Change],
    ) -> bool {
        self.condition_holds_with(arena, condition, changes)
            && positions.all(|position| self.trial.value(arena, self.conditions[position as usize]) == 1)
    }

    /// Tries these values; returns whether the condition holds with them.
    fn condition_holds_with(&mut self, arena: &Arena, condition: TermId, changes: &[Change]) -> bool {
        self.trial.clone_witness_from(self.evaluator.witness());
        for &(variable, value) in changes {
            self.trial.set(VariableId(variable), value);
        }
        self.trial.value(arena, condition) == 1
    }

    /// Takes back the changes that are not needed, one by one: a SAT solver gives every variable of the part some value.
    pub fn settle(&mut self, arena: &Arena, query: &mut Query, changes: &mut Vec<Change>) {
        // Only where it is cheap compared with the SAT call that was just made.
        if changes.len() < 2 || changes.len() * (query.part(self).positions.len() + 1) > MOST_SETTLING {
            return;
        }
        let Path { trial, conditions, evaluator, .. } = self;
        let part = query.part.as_ref().expect("gathered above");
        trial.clone_witness_from(evaluator.witness());
        changes.iter().for_each(|&(variable, value)| trial.set(VariableId(variable), value));
        changes.retain(|&(variable, value)| {
            trial.set(VariableId(variable), evaluator.witness().get(VariableId(variable)));
            let needed = trial.value(arena, query.condition) != 1
                || part.positions.iter().any(|&position| trial.value(arena, conditions[position as usize]) != 1);
            if needed {
                trial.set(VariableId(variable), value);
            }
            needed
        });
    }

    /// The variables of a term, in ascending order.
    pub fn variables_of(&mut self, arena: &Arena, term: TermId) -> &[VariableId] {
        self.variables.of(arena, term)
    }

    /// The variables of a term; the parts know their widths afterwards.
    fn touch_variables(&mut self, arena: &Arena, term: TermId) -> Vec<u32> {
        let variables: Vec<u32> = self.variables.of(arena, term).iter().map(|variable| variable.0).collect();
        let mut unknown = variables.iter().filter(|&&variable| self.parts.width(variable) == 0).count();
        if unknown == 0 {
            return variables;
        }
        self.stack.clear();
        self.stack.push(term);
        let mut seen = rustc_hash::FxHashSet::default();
        while let Some(current) = self.stack.pop() {
            match arena.node(current) {
                Node::Variable(variable) => {
                    if self.parts.width(variable.0) == 0 {
                        unknown -= 1;
                    }
                    self.parts.touch(variable.0, arena.width(current));
                    if unknown == 0 {
                        break;
                    }
                }
                Node::Constant(_) => {}
                _ => self.stack.extend(arena.children(current).filter(|&child| seen.insert(child))),
            }
        }
        variables
    }
}

/// The term that the condition says is equal to a constant, and the constant. Not of one bit: such terms are conditions.
fn pinned(arena: &Arena, condition: TermId) -> Option<(TermId, u64)> {
    let Node::Binary(BinaryOp::Eq, x, y) = arena.node(condition) else { return None };
    let (term, value) = match (arena.as_constant(x), arena.as_constant(y)) {
        (None, Some(value)) => (x, value),
        (Some(value), None) => (y, value),
        _ => return None,
    };
    (arena.width(term) > 1).then_some((term, value))
}

/// A bound of the term's value that its outermost operators show.
fn at_most(arena: &Arena, term: TermId) -> u64 {
    let all = mask(arena.width(term));
    match arena.node(term) {
        Node::Unary(UnaryOp::ZeroExtend, x) => at_most(arena, x),
        Node::Binary(BinaryOp::RemU, _, divisor) => match arena.as_constant(divisor) {
            Some(divisor) if divisor > 0 => divisor - 1,
            _ => all,
        },
        Node::Extract { of, low: 0 } => all.min(at_most(arena, of)),
        _ => all,
    }
}

fn atom_of(arena: &Arena, condition: TermId) -> (TermId, bool) {
    match arena.node(condition) {
        Node::Unary(UnaryOp::Not, inner) => (inner, false),
        _ => (condition, true),
    }
}
