//! The values of terms for a list of inputs, remembered per term: a term on top of remembered ones costs one operator.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use pessimum_term::{Arena, Revision, TermId};

use crate::lanes::{self, Field, LANES, Lanes};
use crate::until::Until;

/// Values kept in one [`Tables`], 16 MB.
const MOST_VALUES: usize = 1 << 21;
/// Tables kept whatever their size: a step of a loop needs those of the steps before it.
const LEAST_TABLES: usize = 32;
/// Tables kept however small they are.
const MOST_TABLES: usize = 1 << 12;

/// Operators from which on a question looks at the clock.
const LONG_QUESTION: usize = 64;

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
    /// Blocks of the terms whose values are not kept, one after the other.
    passing: Vec<[u64; LANES]>,
    /// The answer: one bit per lane.
    pub truth: Vec<u64>,
    /// For conditions whose values are not worth keeping.
    pub small: Lanes,
}

/// A term to be evaluated.
struct Step {
    term: TermId,
    place: Place,
    /// Whether its values come from elsewhere.
    recalled: bool,
    operands: [Operand; 3],
}

/// Where the values of a term are.
#[derive(Clone, Copy)]
enum Place {
    /// In this slot, for all inputs.
    Slot(usize),
    /// In this block of the workspace, for the block of inputs that is evaluated.
    Passing(usize),
}

#[derive(Clone, Copy)]
enum Operand {
    Unused,
    Leaf(TermId),
    Term(Place),
}

/// A question was not answered in time.
#[derive(Debug)]
pub struct Late;

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
        until: &Until,
        recall: impl Fn(TermId, &mut [u64]) -> bool,
    ) -> Result<(), Late> {
        self.follow(arena);
        self.plan(arena, condition, workspace, recall);
        let Workspace { steps, leaves, passing, truth, .. } = workspace;
        let lanes = self.inputs.len();
        // A few operators take less time than looking at the clock.
        let is_long = steps.len() > LONG_QUESTION;
        for start in (0..lanes).step_by(LANES) {
            if is_long && !until.go_on() {
                // Slots that were taken have no values yet.
                self.clear();
                return Err(Late);
            }
            let block = start..lanes.min(start + LANES);
            for step in &*steps {
                self.evaluate(arena, fields, step, block.clone(), leaves, passing);
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
        Ok(())
    }

    /// Finds the terms that have to be evaluated and gives each a slot; operands come first. Where there are more than are
    /// kept, only the last ones get slots: those that the next steps of a loop need.
    fn plan(
        &mut self,
        arena: &Arena,
        condition: TermId,
        workspace: &mut Workspace,
        recall: impl Fn(TermId, &mut [u64]) -> bool,
    ) {
        self.question += 1;
        self.needed = 0;
        let Workspace { pending, steps, passing, .. } = workspace;
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
            steps.push(Step { term, place: Place::Slot(PLANNED), recalled, operands: [Operand::Unused; 3] });
            if !recalled {
                pending.extend(arena.children(term));
            }
        }
        // Operands have smaller ids than the term. Slots are taken only now that all tables which are needed are known.
        steps.sort_unstable_by_key(|step| step.term);
        let recalled = steps.iter().filter(|step| step.recalled).count();
        let mut surplus = (self.needed + steps.len()).saturating_sub(self.most).min(steps.len() - recalled);
        passing.resize(surplus, [0; LANES]);
        // By the number of their blocks.
        let mut without_slots: Vec<TermId> = Vec::with_capacity(surplus);
        for step in &mut *steps {
            if !step.recalled && surplus > 0 {
                surplus -= 1;
                self.places.remove(&step.term.index());
                step.place = Place::Passing(without_slots.len());
                without_slots.push(step.term);
            } else {
                let slot = self.take_slot(step.term);
                step.place = Place::Slot(slot);
                if step.recalled {
                    recall(step.term, &mut self.values[slot * lanes..][..lanes]);
                    continue;
                }
            }
            for (operand, child) in step.operands.iter_mut().zip(arena.children(step.term)) {
                *operand = if lanes::is_leaf(arena, child) {
                    Operand::Leaf(child)
                } else if let Some(&slot) = self.places.get(&child.index()) {
                    Operand::Term(Place::Slot(slot))
                } else {
                    let block = without_slots.binary_search(&child).expect("operands come before the term");
                    Operand::Term(Place::Passing(block))
                };
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
        passing: &mut [[u64; LANES]],
    ) {
        let lanes = self.inputs.len();
        for (leaf, operand) in leaves.iter_mut().zip(step.operands) {
            if let Operand::Leaf(term) = operand {
                leaf.resize(LANES, 0);
                lanes::leaf(arena, term, fields, &self.inputs[block.clone()], &mut leaf[..block.len()]);
            }
        }
        // What comes before the result, and what comes after it: operands are on either side, results never operands.
        let (own_slot, own_block) = match step.place {
            Place::Slot(slot) => (slot, passing.len()),
            Place::Passing(number) => (self.values.len() / lanes, number),
        };
        let (slots, rest) = self.values.split_at_mut(own_slot * lanes);
        let (own_values, later_slots) = rest.split_at_mut(lanes.min(rest.len()));
        let (blocks, own_values_passing) = passing.split_at_mut(own_block);
        let of = |number: usize| match step.operands[number] {
            Operand::Unused => &[],
            Operand::Leaf(_) => &leaves[number][..block.len()],
            Operand::Term(Place::Passing(number)) => &blocks[number][..block.len()],
            Operand::Term(Place::Slot(slot)) if slot < own_slot => &slots[slot * lanes..][block.clone()],
            Operand::Term(Place::Slot(slot)) => &later_slots[(slot - own_slot - 1) * lanes..][block.clone()],
        };
        let own = match step.place {
            Place::Slot(_) => &mut own_values[block.clone()],
            Place::Passing(_) => &mut own_values_passing[0][..block.len()],
        };
        lanes::apply(arena, step.term, [of(0), of(1), of(2)], own);
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
            tables.ask(&arena, &FIELDS, condition, &mut workspace, &Until::default(), |_, _| false).unwrap();
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
            tables.ask(&arena, &FIELDS, conditions[number], &mut workspace, &Until::default(), |_, _| false).unwrap();
            assert_truth(&arena, &tables, &workspace.truth, conditions[number]);
            assert!(tables.slots.len() <= most);
            assert!(tables.bytes() <= 8 * MOST_VALUES + 2 * tables.inputs().len());
        }
        let before = tables.places.len();
        for &condition in &conditions {
            tables.ask(&arena, &FIELDS, condition, &mut workspace, &Until::default(), |_, _| false).unwrap();
        }
        // The last conditions are still there.
        tables.ask(&arena, &FIELDS, conditions[39], &mut workspace, &Until::default(), |_, _| false).unwrap();
        assert_eq!((workspace.steps.len(), tables.places.len()), (0, before));
    }

    #[test]
    fn a_long_question_ends_when_it_has_to_and_leaves_nothing_half_done() {
        let mut arena = Arena::new();
        let conditions = chain(&mut arena, 40);
        let mut tables = Tables::new((0..30_000).collect());
        let mut workspace = Workspace::default();
        let over = Until::default();
        over.cancel.cancel();
        assert!(tables.ask(&arena, &FIELDS, conditions[39], &mut workspace, &over, |_, _| false).is_err());
        for condition in [conditions[39], conditions[3]] {
            tables.ask(&arena, &FIELDS, condition, &mut workspace, &Until::default(), |_, _| false).unwrap();
            assert_truth(&arena, &tables, &workspace.truth, condition);
        }
        // A few operators more are not worth a look at the clock.
        let more = arena.not(conditions[39]);
        assert!(tables.ask(&arena, &FIELDS, more, &mut workspace, &over, |_, _| false).is_ok());
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
            tables.ask(&arena, &FIELDS, term, &mut workspace, &Until::default(), |_, _| false).unwrap();
            assert_truth(&arena, &tables, &workspace.truth, term);
            terms.push(term);
            arena.release(mark);
        }
        assert!(terms.iter().all(|&term| term == terms[0]), "the id is used again");
        assert_eq!(tables.slots.len(), 1, "the slot is used again");
    }
}
