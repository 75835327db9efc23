//! Blocks, branches and calls.

use rustc_hash::FxHashMap;
use wasmparser::{BlockType, BrTable};

use super::{CompileError, Compiler, Operand};
use crate::code::{Instr, Slot};
use crate::module::Arm;
use crate::sites::{Site, SiteId, SiteKind};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Function,
    Block,
    Loop,
    If,
    /// The body of a `try`.
    Try,
    /// What follows a `catch`.
    Catch,
    TryTable,
}

/// A place that is waiting for the position of a label.
pub(super) enum Fixup {
    /// A jump or branch at this position of the code; for a branch, the arm that jumps.
    Code(usize, Option<u32>),
    /// An arm of a `br_table`, and the cost there.
    Arm(u32, u32),
    /// A clause that catches exceptions.
    Clause(u32),
}

/// An open block.
pub(super) struct Control {
    pub(super) kind: Kind,
    /// Height of the stack below the block's parameters.
    pub(super) height: usize,
    params: usize,
    pub(super) results: usize,
    /// For a loop: its position in the code and the cost there.
    header: Option<(u32, u32)>,
    /// What jumps to the end.
    pub(super) fixups: Vec<Fixup>,
    /// For an `if` before its `else`: the branch that skips the first part.
    otherwise: Option<Fixup>,
    /// For a block that catches exceptions.
    pub(super) guard: Guard,
}

/// What a block that catches exceptions has to remember.
#[derive(Default)]
pub(super) struct Guard {
    /// Where its body starts in the code.
    pub start: u32,
    /// For a `try` after its body: its handler.
    pub handler: Option<usize>,
    /// The clauses of a `try_table`.
    pub clauses: Vec<u32>,
}

impl Control {
    pub(super) fn function(results: usize) -> Control {
        Control {
            kind: Kind::Function,
            height: 0,
            params: 0,
            results,
            header: None,
            fixups: Vec::new(),
            otherwise: None,
            guard: Guard::default(),
        }
    }

    /// Number of values that a branch to this label carries.
    pub(super) fn arity(&self) -> usize {
        if self.kind == Kind::Loop { self.params } else { self.results }
    }
}

/// What a branch tests.
enum Condition {
    /// A comparison, taken out of the code again.
    Compare(Instr),
    Slot(Slot),
}

impl Compiler<'_> {
    fn block_arity(&self, ty: BlockType) -> (usize, usize) {
        match ty {
            BlockType::Empty => (0, 0),
            BlockType::Type(_) => (0, 1),
            BlockType::FuncType(index) => {
                let ty = &self.module.types[index as usize];
                (ty.params.len(), ty.results.len())
            }
        }
    }

    pub(super) fn open(&mut self, kind: Kind, ty: BlockType) -> Control {
        let (params, results) = self.block_arity(ty);
        let height = self.stack.len() - params;
        let guard = Guard::default();
        Control { kind, height, params, results, header: None, fixups: Vec::new(), otherwise: None, guard }
    }

    pub(super) fn block(&mut self, ty: BlockType) {
        self.settle();
        let control = self.open(Kind::Block, ty);
        self.controls.push(control);
    }

    pub(super) fn begin_loop(&mut self, ty: BlockType) {
        self.settle();
        let mut control = self.open(Kind::Loop, ty);
        self.spill_top(control.params);
        self.end_piece();
        control.header = Some((self.mark_label() as u32, self.count));
        self.start_piece();
        self.controls.push(control);
    }

    pub(super) fn begin_if(&mut self, ty: BlockType) {
        let condition = self.pop_condition();
        self.settle();
        let mut control = self.open(Kind::If, ty);
        self.spill_top(control.params);
        let arm = self.site(SiteKind::If, 2);
        control.otherwise = Some(self.branch(condition, true, arm));
        self.controls.push(control);
    }

    pub(super) fn begin_else(&mut self) {
        let mut control = self.controls.pop().expect("validation matches blocks");
        if self.dead.is_none() {
            self.spill_top(control.results);
            let jump = self.emit(Instr::Jump { target: 0, adjust: 0 });
            control.fixups.push(Fixup::Code(jump, None));
        }
        self.end_piece();
        let otherwise = control.otherwise.take().expect("validation allows one else per if");
        self.bind(otherwise);
        self.start_piece();
        self.reset_stack(control.height, control.params);
        self.dead = None;
        self.controls.push(control);
    }

    pub(super) fn end(&mut self) {
        let mut reachable = self.dead.is_none();
        if self.controls.len() == 1 && reachable {
            // Branches to the function's own label return by themselves, so control gets here only from above.
            self.return_values();
        }
        if reachable && self.label(0).kind == Kind::Catch {
            // Its values are above the reference to the exception.
            self.move_to(0);
        }
        let control = self.controls.pop().expect("validation matches blocks");
        match control.kind {
            Kind::Function => return self.return_caught(),
            Kind::TryTable => self.end_guarded(&control),
            _ => {}
        }
        if reachable && control.kind != Kind::Catch {
            self.spill_top(control.results);
        }
        let joined = control.otherwise.is_some() || !control.fixups.is_empty();
        if joined {
            reachable = true;
            self.end_piece();
            for fixup in control.fixups.into_iter().chain(control.otherwise) {
                self.bind(fixup);
            }
            self.start_piece();
        }
        self.reset_stack(control.height, control.results);
        self.dead = if reachable { None } else { Some(0) };
    }

    /// The stack as it is after a label: `height` older entries and `count` in their slots.
    pub(super) fn reset_stack(&mut self, height: usize, count: usize) {
        while self.stack.len() > height {
            self.pop();
        }
        for _ in 0..count {
            self.push(Operand::Slot);
        }
    }

    /// Makes a place jump to the current position.
    fn bind(&mut self, fixup: Fixup) {
        let (target, count) = (self.mark_label() as u32, self.count);
        self.resolve(fixup, target, count);
    }

    fn resolve(&mut self, fixup: Fixup, target: u32, count: u32) {
        match fixup {
            Fixup::Code(at, arm) => {
                let adjust = self.module.counts[at].wrapping_sub(count) as i32;
                match arm {
                    Some(arm) => self.module.arms[arm as usize] = Arm { adjust, target },
                    None => self.module.code[at] = Instr::Jump { target, adjust },
                }
            }
            Fixup::Clause(clause) => {
                let clause = &mut self.module.clauses[clause as usize];
                (clause.target, clause.count) = (target, count);
            }
            Fixup::Arm(arm, cost) => {
                self.module.arms[arm as usize] = Arm { adjust: cost.wrapping_sub(count) as i32, target };
            }
        }
    }

    /// Makes a place jump to a label. It is resolved at once for a loop, and at the end for other blocks.
    pub(super) fn jump_to(&mut self, depth: u32, fixup: Fixup) {
        let index = self.controls.len() - 1 - depth as usize;
        match self.controls[index].header {
            Some((target, count)) => self.resolve(fixup, target, count),
            None => self.controls[index].fixups.push(fixup),
        }
    }

    pub(super) fn label(&self, depth: u32) -> &Control {
        &self.controls[self.controls.len() - 1 - depth as usize]
    }

    /// Adds a site and returns the index of its first arm.
    fn site(&mut self, kind: SiteKind, arms: u32) -> u32 {
        let first_arm = self.module.arms.len() as u32;
        let (site, end) = (SiteId(self.module.sites.len() as u32), (first_arm + arms).next_multiple_of(2) as usize);
        self.module.sites.push(Site { kind, function: self.function, offset: self.offset, first_arm, arms });
        self.module.arms.resize(end, Arm::default());
        self.module.arm_sites.resize(end, site);
        first_arm
    }

    /// Takes the condition from the stack; a comparison just made is taken back, to become part of the branch.
    fn pop_condition(&mut self) -> Condition {
        let fusible = self.fusible;
        let (operand, own) = self.pop();
        if operand == Operand::Slot && fusible {
            let last = self.module.code[self.module.code.len() - 1];
            if last.as_branch(false, 0).is_some() {
                return Condition::Compare(self.retract());
            }
        }
        Condition::Slot(self.in_slot((operand, own)))
    }

    /// Emits a branch that jumps if the condition holds (or, negated, if it does not).
    fn branch(&mut self, condition: Condition, negate: bool, first_arm: u32) -> Fixup {
        let arm = first_arm + !negate as u32;
        let instr = match condition {
            Condition::Compare(compare) => {
                compare.as_branch(negate, arm).expect("`pop_condition` checked that it can be a branch")
            }
            Condition::Slot(a) if negate => Instr::BrZero { a, arm },
            Condition::Slot(a) => Instr::BrNonZero { a, arm },
        };
        let before = self.module.code.last().filter(|_| self.module.code.len() > self.label);
        let at = match before.and_then(|before| before.then_branch(instr)) {
            Some(both) => {
                self.retract();
                self.emit(both)
            }
            None => self.emit(instr),
        };
        self.end_piece();
        self.start_piece();
        Fixup::Code(at, Some(arm))
    }

    /// Whether the values for a branch to a label are already in place.
    fn in_place(&self, depth: u32) -> bool {
        let label = self.label(depth);
        let arity = label.arity();
        let start = self.stack.len() - arity;
        arity == 0 || (start == label.height && self.stack[start..].iter().all(|&entry| entry == Operand::Slot))
    }

    /// Copies the top entries to where a label expects them. The entries stay as they are.
    pub(super) fn move_to(&mut self, depth: u32) {
        let label = self.label(depth);
        let (arity, height) = (label.arity(), label.height);
        let start = self.stack.len() - arity;
        for i in 0..arity {
            let dst = self.slot_of(height + i);
            // Destinations are never above their sources, so no copy overwrites a later source.
            match self.stack[start + i] {
                Operand::Slot if start == height => {}
                Operand::Slot => {
                    let src = self.slot_of(start + i);
                    self.emit_copy(dst, src);
                }
                Operand::Local(src) => self.emit_copy(dst, src),
                Operand::Const(bits) => _ = self.emit(Instr::Const { dst, bits }),
            }
        }
    }

    /// Returns the top entries from the function; on the stack they stay as they are.
    fn return_values(&mut self) {
        let count = self.controls[0].results;
        let start = self.stack.len() - count;
        let first = match (count, self.stack.last()) {
            (1, Some(&Operand::Local(local))) => local,
            _ => {
                for position in start..self.stack.len() {
                    let dst = self.slot_of(position);
                    match self.stack[position] {
                        Operand::Slot => {}
                        Operand::Local(src) => self.emit_copy(dst, src),
                        Operand::Const(bits) => _ = self.emit(Instr::Const { dst, bits }),
                    }
                }
                self.slot_of(start)
            }
        };
        let cost = self.count;
        self.emit(Instr::Return { first, count: count as u16, cost });
    }

    /// Everything until the end of the block (or its `else`) is unreachable.
    pub(super) fn set_dead(&mut self) {
        self.dead = Some(0);
    }

    pub(super) fn is_function(&self, depth: u32) -> bool {
        depth as usize == self.controls.len() - 1
    }

    /// Goes to a label unconditionally.
    fn leave_to(&mut self, depth: u32) {
        if self.is_function(depth) {
            self.return_values();
        } else {
            self.move_to(depth);
            let at = self.emit(Instr::Jump { target: 0, adjust: 0 });
            self.jump_to(depth, Fixup::Code(at, None));
        }
    }

    pub(super) fn br(&mut self, depth: u32) {
        self.leave_to(depth);
        self.set_dead();
    }

    pub(super) fn br_return(&mut self) {
        self.return_values();
        self.set_dead();
    }

    pub(super) fn br_if(&mut self, depth: u32) {
        let condition = self.pop_condition();
        let arm = self.site(SiteKind::BranchIf, 2);
        if !self.is_function(depth) && self.in_place(depth) {
            let fixup = self.branch(condition, false, arm);
            self.jump_to(depth, fixup);
        } else {
            let skip = self.branch(condition, true, arm);
            self.leave_to(depth);
            self.end_piece();
            self.bind(skip);
            self.start_piece();
        }
    }

    pub(super) fn br_table(&mut self, table: &BrTable<'_>) -> Result<(), CompileError> {
        let index = self.pop_slot();
        let default = table.default();
        let arity = self.label(default).arity();
        self.spill_top(arity);
        let arm = self.site(SiteKind::Table, table.len() + 1);
        self.emit(Instr::BrTable { index, last: table.len(), arm });
        let cost = self.count;
        self.end_piece();
        // Labels whose values must move first, or that leave the function, get a piece of code of their own.
        let mut stubs = FxHashMap::default();
        for (i, depth) in table.targets().chain(std::iter::once(Ok(default))).enumerate() {
            let depth = depth?;
            let arm = arm + i as u32;
            if !self.is_function(depth) && self.in_place(depth) {
                self.jump_to(depth, Fixup::Arm(arm, cost));
                continue;
            }
            if let Some(&target) = stubs.get(&depth) {
                self.module.arms[arm as usize] = Arm { adjust: 0, target };
                continue;
            }
            let target = self.mark_label() as u32;
            stubs.insert(depth, target);
            self.module.arms[arm as usize] = Arm { adjust: 0, target };
            self.start_piece();
            self.leave_to(depth);
            self.end_piece();
        }
        self.set_dead();
        Ok(())
    }

    /// Puts the arguments in place and the results on the stack; returns the first slot of both.
    fn call_frame(&mut self, params: usize, results: usize) -> Slot {
        self.spill_top(params);
        for _ in 0..params {
            self.pop();
        }
        let base = self.stack.len();
        for _ in 0..results {
            self.push(Operand::Slot);
        }
        self.slot_of(base)
    }

    pub(super) fn call(&mut self, function: u32) {
        let ty = self.module.function_type(function);
        let (params, results) = (ty.params.len(), ty.results.len());
        let base = self.call_frame(params, results);
        let cost = self.count;
        let imported = self.module.imported_functions;
        self.emit(match function.checked_sub(imported) {
            Some(function) => Instr::Call { base, function, cost },
            None => Instr::CallImport { base, function, cost },
        });
    }

    pub(super) fn call_indirect(&mut self, signature: u32, table: u32) -> Result<(), CompileError> {
        let index = self.pop();
        let ty = &self.module.types[signature as usize];
        let (params, results) = (ty.params.len(), ty.results.len());
        // The index is above the arguments, so it is read before the callee's frame can cover it.
        let index = self.in_slot(index);
        let base = self.call_frame(params, results);
        let table = u16::try_from(table).map_err(|_| self.unsupported("a table with an index above 65535"))?;
        let cost = self.count;
        self.emit(Instr::CallIndirect { base, index, table, signature, cost });
        Ok(())
    }
}
