//! The values of terms for a list of inputs, remembered per term: a term on top of remembered ones costs one operator.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use pessimum_term::{Arena, Revision, TermId};

use crate::lanes::{self, Field, LANES, Lanes};

/// Values kept in one [`Tables`], 16 MB.
const MOST_VALUES: usize = 1 << 21;
/// Tables kept whatever their size: a step of a loop needs those of the steps before it.
const LEAST_TABLES: usize = 32;
/// Tables kept however small they are.
const MOST_TABLES: usize = 1 << 12;

/// Stands for the slot of a term that has none yet.
const PLANNED: usize = usize::MAX;

/// For each of some terms its values for all of some inputs, one lane per input.
///
/// May be used across [`Arena::release`] and [`Arena::collect`]. Where it is full, the oldest tables are dropped, and
/// made again when they are asked for.
pub struct Tables {
    /// By lane, in ascending order; see [`Field`].
    inputs: Vec<u16>,
    /// Slots that are kept from one question to the next.
    most: usize,
    /// By the index of a term: its slot. Ordered, because the arena forgets terms from the end.
    places: BTreeMap<usize, usize>,
    slots: Vec<Slot>,
    /// Slot after slot, each with a value for every lane.
    values: Vec<u64>,
    /// Slots whose terms the arena forgot.
    free: Vec<usize>,
    /// The slot that was filled longest ago, when all are in use.
    oldest: usize,
    question: u64,
    /// Slots that the current question needs.
    needed: usize,
    /// The arena's revision that `places` is valid for.
    revision: Revision,
}

struct Slot {
    /// The index of the term.
    term: usize,
    /// The last question that needed it.
    question: u64,
}

/// Memory for one question, shared by all tables.
#[derive(Default)]
pub struct Workspace {
    pending: Vec<TermId>,
    steps: Vec<Step>,
    /// Blocks of the operands that are constants or variables.
    leaves: [Vec<u64>; 3],
    /// The answer: one bit per lane.
    pub truth: Vec<u64>,
    /// For conditions whose values are not worth keeping.
    pub small: Lanes,
}

/// A term to be evaluated.
struct Step {
    term: TermId,
    slot: usize,
    /// Whether its values come from elsewhere.
    recalled: bool,
    operands: [Operand; 3],
}

#[derive(Clone, Copy)]
enum Operand {
    Unused,
    Leaf(TermId),
    Slot(usize),
}

impl Tables {
    pub fn new(inputs: Vec<u16>) -> Tables {
        let most = (MOST_VALUES / inputs.len().max(1)).clamp(LEAST_TABLES, MOST_TABLES);
        Tables {
            inputs,
            most,
            places: BTreeMap::new(),
            slots: Vec::new(),
            values: Vec::new(),
            free: Vec::new(),
            oldest: 0,
            question: 0,
            needed: 0,
            revision: Revision::default(),
        }
    }

    /// By lane.
    pub fn inputs(&self) -> &[u16] {
        &self.inputs
    }

    /// Memory in bytes, without what is small beside it.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.values[..]) + size_of_val(&self.inputs[..])
    }

    /// Drops all values.
    pub fn clear(&mut self) {
        *self = Tables::new(std::mem::take(&mut self.inputs));
    }

    /// Drops the values of terms that the arena has forgotten.
    pub fn follow(&mut self, arena: &Arena) {
        if self.revision == arena.revision() {
            return;
        }
        let kept = arena.kept_since(self.revision);
        self.revision = arena.revision();
        while let Some(last) = self.places.last_entry().filter(|last| *last.key() >= kept) {
            self.free.push(last.remove());
        }
    }

    /// The values of a term, if they are remembered. Only after [`Tables::follow`].
    pub fn values(&self, term: TermId) -> Option<&[u64]> {
        let lanes = self.inputs.len();
        self.slot(term).map(|slot| &self.values[slot * lanes..][..lanes])
    }

    fn slot(&self, term: TermId) -> Option<usize> {
        // Most terms that are not remembered are newer than all that are.
        let (&last, &slot) = self.places.last_key_value()?;
        match last.cmp(&term.index()) {
            Ordering::Less => None,
            Ordering::Equal => Some(slot),
            Ordering::Greater => self.places.get(&term.index()).copied(),
        }
    }

    /// Leaves in the workspace for which inputs the condition is true. `recall` fills in as many values of a term as there
    /// is room for, or returns false where they are not known elsewhere.
    pub fn ask(
        &mut self,
        arena: &Arena,
        fields: &[Field],
        condition: TermId,
        workspace: &mut Workspace,
        recall: impl Fn(TermId, &mut [u64]) -> bool,
    ) {
        self.follow(arena);
        self.plan(arena, condition, workspace, recall);
        let Workspace { steps, leaves, truth, .. } = workspace;
        let lanes = self.inputs.len();
        for start in (0..lanes).step_by(LANES) {
            let block = start..lanes.min(start + LANES);
            for step in &*steps {
                self.evaluate(arena, fields, step, block.clone(), leaves);
            }
        }
        truth.clear();
        if lanes::is_leaf(arena, condition) {
            let mut values = vec![0; lanes];
            lanes::leaf(arena, condition, fields, &self.inputs, &mut values);
            truth.extend(values.chunks(64).map(lanes::bits));
        } else {
            truth.extend(self.values(condition).expect("evaluated above").chunks(64).map(lanes::bits));
        }
        self.drop_surplus();
    }

    /// Finds the terms that have to be evaluated and gives each a slot; operands come first.
    fn plan(
        &mut self,
        arena: &Arena,
        condition: TermId,
        workspace: &mut Workspace,
        recall: impl Fn(TermId, &mut [u64]) -> bool,
    ) {
        self.question += 1;
        self.needed = 0;
        let Workspace { pending, steps, .. } = workspace;
        steps.clear();
        pending.push(condition);
        let lanes = self.inputs.len();
        while let Some(term) = pending.pop() {
            if lanes::is_leaf(arena, term) {
                continue;
            }
            if let Some(slot) = self.slot(term) {
                if slot != PLANNED {
                    self.needed += (self.slots[slot].question != self.question) as usize;
                    self.slots[slot].question = self.question;
                }
                continue;
            }
            self.places.insert(term.index(), PLANNED);
            let recalled = recall(term, &mut []);
            steps.push(Step { term, slot: PLANNED, recalled, operands: [Operand::Unused; 3] });
            if !recalled {
                pending.extend(arena.children(term));
            }
        }
        // Operands have smaller ids than the term. Slots are taken only now that all tables which are needed are known.
        steps.sort_unstable_by_key(|step| step.term);
        for step in &mut *steps {
            step.slot = self.take_slot(step.term);
            if step.recalled {
                recall(step.term, &mut self.values[step.slot * lanes..][..lanes]);
                continue;
            }
            for (operand, child) in step.operands.iter_mut().zip(arena.children(step.term)) {
                let is_leaf = lanes::is_leaf(arena, child);
                *operand = if is_leaf { Operand::Leaf(child) } else { Operand::Slot(self.places[&child.index()]) };
            }
        }
        steps.retain(|step| !step.recalled);
    }

    /// A slot for the values of a term: an empty one, or that of the oldest table that the question does not need.
    fn take_slot(&mut self, term: TermId) -> usize {
        let slot = match self.free.pop() {
            Some(slot) => slot,
            // A single condition may need more than is kept.
            None if self.slots.len() < self.most || self.needed == self.slots.len() => {
                self.slots.push(Slot { term: 0, question: 0 });
                self.values.resize(self.slots.len() * self.inputs.len(), 0);
                self.slots.len() - 1
            }
            None => {
                while self.slots[self.oldest].question == self.question {
                    self.oldest = (self.oldest + 1) % self.slots.len();
                }
                let slot = self.oldest;
                self.oldest = (slot + 1) % self.slots.len();
                self.places.remove(&self.slots[slot].term);
                slot
            }
        };
        self.needed += 1;
        self.slots[slot] = Slot { term: term.index(), question: self.question };
        self.places.insert(term.index(), slot);
        slot
    }

    /// Evaluates one term for a block of inputs.
    fn evaluate(
        &mut self,
        arena: &Arena,
        fields: &[Field],
        step: &Step,
        block: std::ops::Range<usize>,
        leaves: &mut [Vec<u64>; 3],
    ) {
        let lanes = self.inputs.len();
        for (leaf, operand) in leaves.iter_mut().zip(step.operands) {
            if let Operand::Leaf(term) = operand {
                leaf.resize(LANES, 0);
                lanes::leaf(arena, term, fields, &self.inputs[block.clone()], &mut leaf[..block.len()]);
            }
        }
        let (before, rest) = self.values.split_at_mut(step.slot * lanes);
        let (own, after) = rest.split_at_mut(lanes);
        let of = |number: usize| match step.operands[number] {
            Operand::Unused => &[],
            Operand::Leaf(_) => &leaves[number][..block.len()],
            Operand::Slot(slot) if slot < step.slot => &before[slot * lanes..][block.clone()],
            Operand::Slot(slot) => &after[(slot - step.slot - 1) * lanes..][block.clone()],
        };
        lanes::apply(arena, step.term, [of(0), of(1), of(2)], &mut own[block.clone()]);
    }

    /// Goes back to the memory that may be kept, after a condition that needed more.
    fn drop_surplus(&mut self) {
        if self.slots.len() <= self.most {
            return;
        }
        // No slot was free, or none would have been added; the later ones hold the newer terms.
        let surplus = self.slots.len() - self.most;
        for slot in self.slots.drain(..surplus) {
            self.places.remove(&slot.term);
        }
        self.places.values_mut().for_each(|slot| *slot -= surplus);
        self.values.drain(..surplus * self.inputs.len());
        self.values.shrink_to_fit();
        self.oldest = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pessimum_term::{BinaryOp, Evaluator, VariableId, Witness};

    const FIELDS: [Field; 2] = [Field { variable: 0, width: 8, low: 0 }, Field { variable: 1, width: 8, low: 8 }];

    /// Conditions on a chain of terms over two bytes, each on top of the one before.
    fn chain(arena: &mut Arena, length: usize) -> Vec<TermId> {
        let (x, y) = (arena.variable(VariableId(0), 8), arena.variable(VariableId(1), 8));
        let mut term = arena.concat(x, y);
        (0..length)
            .map(|number| {
                let factor = arena.constant(16, 2 * number as u64 + 3);
                let product = arena.binary(BinaryOp::Mul, term, factor);
                let other = arena.constant(16, number as u64 % 7 + 1);
                term = arena.binary(BinaryOp::Xor, product, other);
                let fourth = arena.extract(term, 3, 1);
                let fifth = arena.extract(term, 4, 1);
                arena.binary(BinaryOp::Xor, fourth, fifth)
            })
            .collect()
    }

    fn assert_truth(arena: &Arena, tables: &Tables, truth: &[u64], condition: TermId) {
        let mut evaluator = Evaluator::default();
        for (lane, &input) in tables.inputs().iter().enumerate() {
            evaluator.set_witness(Witness::new(vec![input as u64 & 255, input as u64 >> 8]));
            assert_eq!(truth[lane / 64] >> (lane % 64) & 1, evaluator.value(arena, condition), "input {input}");
        }
    }

    #[test]
    fn a_loop_evaluates_each_of_its_terms_once() {
        let mut arena = Arena::new();
        let mut tables = Tables::new((0..=255).collect());
        let mut workspace = Workspace::default();
        let mut evaluated = 0;
        let conditions = chain(&mut arena, 1_000);
        for &condition in &conditions {
            tables.ask(&arena, &FIELDS, condition, &mut workspace, |_, _| false);
            evaluated += workspace.steps.len();
        }
        assert_truth(&arena, &tables, &workspace.truth, conditions[999]);
        assert!(evaluated <= arena.len(), "{evaluated} operators for {} terms", arena.len());
        assert!(evaluated > 4_000);
    }

    #[test]
    fn memory_is_bounded_and_what_was_dropped_is_made_again() {
        let mut arena = Arena::new();
        // Not a multiple of a block; the last condition needs more tables than fit.
        let mut tables = Tables::new((0..60_001).step_by(2).collect());
        let mut workspace = Workspace::default();
        let conditions = chain(&mut arena, 40);
        let most = tables.most;
        assert!(most < 2 * conditions.len(), "the last condition fits");
        for &number in &[39, 38, 0, 1, 20, 39] {
            tables.ask(&arena, &FIELDS, conditions[number], &mut workspace, |_, _| false);
            assert_truth(&arena, &tables, &workspace.truth, conditions[number]);
            assert!(tables.slots.len() <= most);
            assert!(tables.bytes() <= 8 * MOST_VALUES + 2 * tables.inputs().len());
        }
        let before = tables.places.len();
        for &condition in &conditions {
            tables.ask(&arena, &FIELDS, condition, &mut workspace, |_, _| false);
        }
        // The last conditions are still there.
        tables.ask(&arena, &FIELDS, conditions[39], &mut workspace, |_, _| false);
        assert_eq!((workspace.steps.len(), tables.places.len()), (0, before));
    }

    #[test]
    fn forgotten_terms_leave_no_values_behind() {
        let mut arena = Arena::new();
        let x = arena.variable(VariableId(0), 8);
        let y = arena.variable(VariableId(1), 8);
        let mut tables = Tables::new((0..256).step_by(5).collect());
        let mut workspace = Workspace::default();
        let mark = arena.mark();
        let mut terms = Vec::new();
        for op in [BinaryOp::LtU, BinaryOp::LtS, BinaryOp::Eq, BinaryOp::LeU] {
            let term = arena.binary(op, x, y);
            tables.ask(&arena, &FIELDS, term, &mut workspace, |_, _| false);
            assert_truth(&arena, &tables, &workspace.truth, term);
            terms.push(term);
            arena.release(mark);
        }
        assert!(terms.iter().all(|&term| term == terms[0]), "the id is used again");
        assert_eq!(tables.slots.len(), 1, "the slot is used again");
    }
}
