//! Blocks that catch exceptions, and what throws them.
//!
//! A handler belongs to a range of the code and is looked up only when something is thrown, so a block that catches costs
//! nothing as long as nothing is. An exception is written straight into the slots where its label expects the values.
//!
//! There are two forms. In the standard, `try_table` names a label for each kind of exception. Compilers still emit the
//! one before it: a `try` whose handlers follow its body, and may throw again what they caught. For that, the reference to the
//! exception is kept in a stack entry of its own, below the values of the handler.

use wasmparser::{BlockType, Catch, Operator, TryTable};

use super::control::{Control, Fixup, Kind};
use super::{Compiler, Operand};
use crate::code::{Instr, Slot};
use crate::module::{Catches, Clause, Handler};

impl Compiler<'_> {
    pub(super) fn begin_try(&mut self, ty: BlockType) {
        self.settle();
        let mut control = self.open(Kind::Try, ty);
        control.guard.start = self.mark_label() as u32;
        self.controls.push(control);
    }

    /// Ends the body of a `try`, or the handler before this one.
    pub(super) fn begin_catch(&mut self, tag: Option<u32>, operator: &Operator<'_>) {
        if self.dead.is_none() {
            self.move_to(0);
            let jump = self.emit(Instr::Jump { target: 0, adjust: 0 });
            let control = self.controls.last_mut().expect("validation matches blocks");
            control.fixups.push(Fixup::Code(jump, None));
        }
        let mut control = self.controls.pop().expect("validation matches blocks");
        self.end_piece();
        let target = self.mark_label() as u32;
        let handler = match control.guard.handler {
            Some(handler) => handler,
            None => self.add_handler(control.guard.start, self.controls.len(), Catches::Clauses(Vec::new())),
        };
        (control.kind, control.guard.handler) = (Kind::Catch, Some(handler));
        let count = self.count;
        self.count_operator();
        self.start_piece();
        self.charge_operator(operator);
        self.reset_stack(control.height, 0);
        self.push(Operand::Slot);
        let (reference, values) = (self.slot_of(control.height), self.slot_of(control.height + 1));
        for _ in 0..tag.map_or(0, |tag| self.module.tag_type(tag).params.len()) {
            self.push(Operand::Slot);
        }
        self.dead = None;
        let clause =
            Clause { tag, target, count, values: tag.map(|_| values), reference: Some(reference), ..Clause::default() };
        self.module.clauses.push(clause);
        let number = self.module.clauses.len() as u32 - 1;
        if let Catches::Clauses(clauses) = &mut self.module.handlers[handler].catches {
            clauses.push(number);
        }
        self.controls.push(control);
    }

    /// Ends a `try` whose exceptions are handled where a label is.
    pub(super) fn delegate(&mut self, depth: u32) {
        let level = self.controls.len() - 1;
        // The label is one outside of the block.
        let to = level - 1 - depth as usize;
        let start = self.label(0).guard.start;
        self.mark_label();
        self.add_handler(start, level, Catches::Delegate(to as u32));
        self.end();
    }

    pub(super) fn begin_try_table(&mut self, table: &TryTable) {
        self.settle();
        let mut control = self.open(Kind::TryTable, table.ty);
        for catch in &table.catches {
            let clause = self.clause(catch);
            control.guard.clauses.push(clause);
        }
        control.guard.start = self.mark_label() as u32;
        self.controls.push(control);
    }

    /// Adds a clause of a `try_table`. Its label is one outside of the block.
    fn clause(&mut self, catch: &Catch) -> u32 {
        let (name, tag, with_reference, depth) = match *catch {
            Catch::One { tag, label } => ("catch", Some(tag), false, label),
            Catch::OneRef { tag, label } => ("catch_ref", Some(tag), true, label),
            Catch::All { label } => ("catch_all", None, false, label),
            Catch::AllRef { label } => ("catch_all_ref", None, true, label),
        };
        let values = tag.map_or(0, |tag| self.module.tag_type(tag).params.len());
        // What returns from the function may have its values anywhere.
        let returns = self.is_function(depth);
        let height = if returns { self.stack.len() } else { self.label(depth).height };
        let all = values + usize::from(with_reference);
        self.slots = self.slots.max(self.locals + height + all);
        let number = self.module.clauses.len() as u32;
        self.module.clauses.push(Clause {
            tag,
            values: tag.map(|_| self.slot_of(height)),
            reference: with_reference.then(|| self.slot_of(height + values)),
            extra: 1,
            price: self.weights.map_or(0, |weights| weights.price(name)),
            ..Clause::default()
        });
        if returns {
            self.caught_to_return.push((number, self.slot_of(height), all as u16));
        } else {
            self.jump_to(depth, Fixup::Clause(number));
        }
        number
    }

    /// Ends the body of a `try_table`.
    pub(super) fn end_guarded(&mut self, control: &Control) {
        self.mark_label();
        self.add_handler(control.guard.start, self.controls.len(), Catches::Clauses(control.guard.clauses.clone()));
    }

    /// Adds a handler for the code from `start` up to here, in a block with this level.
    fn add_handler(&mut self, start: u32, level: usize, catches: Catches) -> usize {
        let end = self.module.code.len() as u32;
        self.module.handlers.push(Handler { start, end, level: level as u32, catches });
        self.module.handlers.len() - 1
    }

    /// After the function's code, what is left for clauses that return from it.
    pub(super) fn return_caught(&mut self) {
        for (clause, first, count) in std::mem::take(&mut self.caught_to_return) {
            self.end_piece();
            let target = self.mark_label() as u32;
            self.start_piece();
            let cost = self.count;
            self.emit(Instr::Return { first, count, cost });
            let clause = &mut self.module.clauses[clause as usize];
            (clause.target, clause.count) = (target, cost);
        }
    }

    pub(super) fn throw(&mut self, tag: u32) {
        let values = self.module.tag_type(tag).params.len();
        self.spill_top(values);
        let first = self.slot_of(self.stack.len() - values);
        self.emit(Instr::Throw { tag, first });
        self.set_dead();
    }

    pub(super) fn throw_ref(&mut self) {
        let src = self.pop_slot();
        self.throw_slot(src);
    }

    /// Throws again what an enclosing handler has caught.
    pub(super) fn rethrow(&mut self, depth: u32) {
        let src = self.slot_of(self.label(depth).height);
        self.throw_slot(src);
    }

    fn throw_slot(&mut self, src: Slot) {
        self.emit(Instr::ThrowRef { src });
        self.set_dead();
    }
}
