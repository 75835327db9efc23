//! What each operator becomes.

use pessimum_term::{BinaryOp as B, UnaryOp as U};
use wasmparser::{MemArg, Operator, Operator as O, ValType};

use super::meaning::{Meaning, meaning};
use super::{CompileError, Compiler, Operand, price};
use crate::code::{self, Bulk, Instr, Second, Slot};

/// The constant as an immediate that is sign-extended to the width.
fn immediate(bits: u64, width: u32) -> Option<i32> {
    if width == 32 { Some(bits as u32 as i32) } else { i32::try_from(bits as i64).ok() }
}

/// Whether an operator only says where something begins or ends, which counts as nothing.
fn is_bracket(operator: &Operator<'_>) -> bool {
    matches!(
        operator,
        O::Block { .. }
            | O::Loop { .. }
            | O::Try { .. }
            | O::TryTable { .. }
            | O::Delegate { .. }
            | O::End
            | O::Else
            | O::Nop
    )
}

impl Compiler<'_> {
    pub(super) fn operator(&mut self, operator: &Operator<'_>) -> Result<(), CompileError> {
        if let Some(depth) = self.dead {
            match operator {
                O::Block { .. } | O::Loop { .. } | O::If { .. } | O::Try { .. } | O::TryTable { .. } => {
                    self.dead = Some(depth + 1);
                }
                O::End | O::Delegate { .. } if depth > 0 => self.dead = Some(depth - 1),
                O::End => self.end(),
                O::Else if depth == 0 => self.begin_else(),
                O::Catch { tag_index } if depth == 0 => self.begin_catch(Some(*tag_index), operator),
                O::CatchAll if depth == 0 => self.begin_catch(None, operator),
                O::Delegate { relative_depth } => self.delegate(*relative_depth),
                _ => {}
            }
            return Ok(());
        }
        // A `catch` is executed by whoever catches something.
        if !matches!(operator, O::Catch { .. } | O::CatchAll) {
            self.charge_operator(operator);
            if !is_bracket(operator) {
                self.count_operator();
            }
        }
        match *operator {
            O::Nop => {}
            O::Unreachable => {
                self.emit(Instr::Unreachable);
                self.set_dead();
            }
            O::Block { blockty } => self.block(blockty),
            O::Loop { blockty } => self.begin_loop(blockty),
            O::If { blockty } => self.begin_if(blockty),
            O::Else => self.begin_else(),
            O::End => self.end(),
            O::Try { blockty } => self.begin_try(blockty),
            O::Catch { tag_index } => self.begin_catch(Some(tag_index), operator),
            O::CatchAll => self.begin_catch(None, operator),
            O::Delegate { relative_depth } => self.delegate(relative_depth),
            O::TryTable { ref try_table } => self.begin_try_table(try_table),
            O::Throw { tag_index } => self.throw(tag_index),
            O::ThrowRef => self.throw_ref(),
            O::Rethrow { relative_depth } => self.rethrow(relative_depth),
            O::Br { relative_depth } => self.br(relative_depth),
            O::BrIf { relative_depth } => self.br_if(relative_depth),
            O::BrTable { ref targets } => self.br_table(targets)?,
            O::Return => self.br_return(),
            O::Call { function_index } => self.call(function_index),
            O::CallIndirect { type_index, table_index } => self.call_indirect(type_index, table_index)?,
            O::Drop => _ = self.pop(),
            O::Select => self.select(false),
            O::TypedSelect { ty } => self.select(matches!(ty, ValType::Ref(_))),
            O::LocalGet { local_index } => self.push(Operand::Local(local_index as Slot)),
            O::LocalSet { local_index } => self.set_local(local_index as Slot),
            O::LocalTee { local_index } => self.tee_local(local_index as Slot),
            O::GlobalGet { global_index } => {
                self.emit_result(|dst| Some(Instr::GlobalGet { dst, global: global_index }));
            }
            O::GlobalSet { global_index } => {
                let src = self.pop_slot();
                self.emit(Instr::GlobalSet { global: global_index, src });
            }
            O::I32Const { value } => self.push(Operand::Const(value as u32 as u64)),
            O::I64Const { value } => self.push(Operand::Const(value as u64)),
            O::F32Const { value } => self.push(Operand::Const(value.bits() as u64)),
            O::F64Const { value } => self.push(Operand::Const(value.bits())),
            O::RefNull { .. } => self.push(Operand::Const(0)),
            // Null is 0 in every reference type.
            O::RefIsNull => self.is_zero(64),
            O::RefFunc { function_index } => {
                self.emit_result(|dst| Some(Instr::RefFunc { dst, function: function_index }));
            }
            O::I32WrapI64 => {
                let a = self.pop_slot();
                self.emit_result(|dst| Some(Instr::Wrap { dst, a }));
            }
            // Values are bit patterns already.
            O::I32ReinterpretF32 | O::I64ReinterpretF64 | O::F32ReinterpretI32 | O::F64ReinterpretI64 => {}
            ref other => match meaning(other) {
                Some(meaning) => self.meaning(meaning),
                None => return self.bulk_operator(other),
            },
        }
        Ok(())
    }

    /// With weights, adds the price of an operator to the piece.
    pub(super) fn charge_operator(&mut self, operator: &Operator<'_>) {
        if let Some(weights) = self.weights {
            let counts = self.priced.is_none_or(|priced| priced.contains(&self.offset));
            self.price = if counts { weights.price(&price::text_name(operator)) } else { 0 };
            self.piece.weight = self.piece.weight.saturating_add(self.price);
        }
    }

    /// Counts an operator at the current place in the text.
    pub(super) fn count_operator(&mut self) {
        self.count += 1;
        self.module.counted.push(self.offset);
    }

    fn meaning(&mut self, meaning: Meaning) {
        match meaning {
            Meaning::Binary(op, width) => self.binary(op, width),
            Meaning::Compare(op, width) => self.compare(op, width, false, false),
            Meaning::Swapped(op, width) => self.compare(op, width, true, false),
            Meaning::Negated(op, width) => self.compare(op, width, false, true),
            Meaning::IsZero(width) => self.is_zero(width),
            Meaning::Unary(op, from, to) => self.unary(op, from, to),
            Meaning::Truncate(op, from, to) => self.truncate(op, from, to),
            Meaning::Extend(from, to) => self.extend(from, to),
            Meaning::Load { memarg, bytes, signed, to } => self.load(memarg, bytes, signed, to),
            Meaning::Store { memarg, bytes } => self.store(memarg, bytes),
        }
    }

    /// The rarer operators on memories and tables.
    fn bulk_operator(&mut self, operator: &Operator<'_>) -> Result<(), CompileError> {
        match *operator {
            O::MemorySize { .. } => self.bulk_result(|dst| Bulk::MemorySize { dst }),
            O::MemoryGrow { .. } => {
                let delta = self.pop_slot();
                self.bulk_result(|dst| Bulk::MemoryGrow { dst, delta });
            }
            O::MemoryCopy { .. } => {
                let [to, from, count] = self.pop_three();
                self.bulk(Bulk::MemoryCopy { to, from, count });
            }
            O::MemoryFill { .. } => {
                let [to, value, count] = self.pop_three();
                self.bulk(Bulk::MemoryFill { to, value, count });
            }
            O::MemoryInit { data_index, .. } => {
                let [to, from, count] = self.pop_three();
                self.bulk(Bulk::MemoryInit { to, from, count, segment: data_index });
            }
            O::DataDrop { data_index } => self.bulk(Bulk::DataDrop { segment: data_index }),
            O::TableGet { table } => {
                let index = self.pop_slot();
                self.bulk_result(|dst| Bulk::TableGet { dst, index, table });
            }
            O::TableSet { table } => {
                let value = self.pop_slot();
                let index = self.pop_slot();
                self.bulk(Bulk::TableSet { index, value, table });
            }
            O::TableSize { table } => self.bulk_result(|dst| Bulk::TableSize { dst, table }),
            O::TableGrow { table } => {
                let delta = self.pop_slot();
                let value = self.pop_slot();
                self.bulk_result(|dst| Bulk::TableGrow { dst, value, delta, table });
            }
            O::TableFill { table } => {
                let [to, value, count] = self.pop_three();
                self.bulk(Bulk::TableFill { to, value, count, table });
            }
            O::TableCopy { dst_table, src_table } => {
                let [to, from, count] = self.pop_three();
                self.bulk(Bulk::TableCopy { to, from, count, to_table: dst_table, from_table: src_table });
            }
            O::TableInit { elem_index, table } => {
                let [to, from, count] = self.pop_three();
                self.bulk(Bulk::TableInit { to, from, count, table, segment: elem_index });
            }
            O::ElemDrop { elem_index } => self.bulk(Bulk::ElementDrop { segment: elem_index }),
            _ => return Err(self.unsupported(&format!("the instruction `{}`", price::text_name(operator)))),
        }
        Ok(())
    }

    fn pop_three(&mut self) -> [Slot; 3] {
        let third = self.pop_slot();
        let second = self.pop_slot();
        let first = self.pop_slot();
        [first, second, third]
    }

    fn bulk(&mut self, bulk: Bulk) {
        let index = self.module.bulk.len() as u32;
        self.module.bulk.push(bulk);
        if self.weights.is_some() {
            self.module.bulk_prices.push(self.price);
        }
        self.emit(Instr::Bulk { index });
    }

    fn bulk_result(&mut self, bulk: impl FnOnce(Slot) -> Bulk) {
        let dst = self.push_slot();
        self.bulk(bulk(dst));
    }

    fn binary(&mut self, op: B, width: u32) {
        let fusible = self.fusible;
        let mut b = self.pop();
        let mut a = self.pop();
        if op.is_commutative() && matches!(a.0, Operand::Const(_)) {
            std::mem::swap(&mut a, &mut b);
        }
        let imm = match b.0 {
            Operand::Const(bits) if !op.is_float() => immediate(bits, width),
            _ => None,
        };
        let imm = match (op, imm) {
            (B::DivS | B::DivU | B::RemS | B::RemU, Some(0)) | (B::DivS | B::RemS, Some(-1)) => None,
            (B::Sub, Some(imm)) => imm.checked_neg().or((width == 32).then_some(imm)),
            (_, imm) => imm,
        };
        let op = if op == B::Sub && imm.is_some() { B::Add } else { op };
        if fusible && self.join_binary(op, width, a, b, imm) {
            return;
        }
        let a = self.in_slot(a);
        match imm {
            Some(imm) => self.emit_result(|dst| code::binary_imm(op, width, dst, a, imm)),
            None => {
                let b = self.in_slot(b);
                self.emit_result(|dst| code::binary(op, width, dst, a, b));
            }
        }
    }

    /// Makes one instruction of an operator and the last instruction, which computed one of its operands, if there is one
    /// that stands for both.
    fn join_binary(&mut self, op: B, width: u32, a: (Operand, Slot), b: (Operand, Slot), imm: Option<i32>) -> bool {
        let slot = |(operand, own)| match operand {
            Operand::Slot => Some(own),
            Operand::Local(local) => Some(local),
            Operand::Const(_) => None,
        };
        // The entry on top is the one that was computed last, unless it has not been computed at all.
        let (computed, other) = match (a.0, b.0) {
            (_, Operand::Slot) => (b.1, slot(a).map(Second::Slot)),
            (Operand::Slot, _) => (a.1, imm.map(Second::Imm).or(slot(b).map(Second::Slot))),
            _ => return false,
        };
        let Some(last) = self.module.code.last_mut() else { return false };
        if last.destination().copied() != Some(computed) {
            return false;
        }
        match other.and_then(|other| last.then(op, width, other)) {
            Some(both) => {
                self.retract();
                self.emit_joined(both);
                true
            }
            None => false,
        }
    }

    /// Emits an instruction whose destination, a new entry, is still to be set.
    fn emit_joined(&mut self, mut instr: Instr) {
        self.emit_result(|dst| {
            *instr.destination()? = dst;
            Some(instr)
        });
    }

    /// `op`, or its opposite, on the top two entries, which are exchanged first if `swap` is set.
    fn compare(&mut self, op: B, width: u32, swap: bool, negate: bool) {
        let b = self.pop();
        let a = self.pop();
        let (x, y) = if swap { (b, a) } else { (a, b) };
        let imm = |(operand, _): (Operand, Slot)| match operand {
            Operand::Const(bits) if !op.is_float() => immediate(bits, width),
            _ => None,
        };
        if let Some(imm) = imm(y) {
            let a = self.in_slot(x);
            self.emit_result(|dst| code::compare_imm(op, width, negate, dst, a, imm));
        } else if let Some(imm) = imm(x) {
            // `c < y` is the negation of `y <= c`, and so on.
            let (op, negate) = match op {
                B::LtS => (B::LeS, true),
                B::LtU => (B::LeU, true),
                B::LeS => (B::LtS, true),
                B::LeU => (B::LtU, true),
                op => (op, negate),
            };
            let a = self.in_slot(y);
            self.emit_result(|dst| code::compare_imm(op, width, negate, dst, a, imm));
        } else {
            let a = self.in_slot(x);
            let b = self.in_slot(y);
            self.emit_result(|dst| code::compare(op, width, negate, dst, a, b));
        }
    }

    fn is_zero(&mut self, width: u32) {
        let fusible = self.fusible;
        let popped = self.pop();
        // The outcome of a comparison is 0 or 1, so testing it for zero is the opposite comparison.
        if fusible
            && popped.0 == Operand::Slot
            && let Some(opposite) = self.module.code.last().and_then(Instr::opposite)
        {
            self.retract();
            self.push(Operand::Slot);
            self.emit(opposite);
            self.fusible = true;
            return;
        }
        let a = self.in_slot(popped);
        self.emit_result(|dst| code::compare_imm(B::Eq, width, false, dst, a, 0));
    }

    fn unary(&mut self, op: U, from: u32, to: u32) {
        let a = self.pop_slot();
        self.emit_result(|dst| code::unary(op, from, to, dst, a));
    }

    fn truncate(&mut self, op: U, from: u32, to: u32) {
        let a = self.pop_slot();
        self.emit_result(|dst| code::truncate(op, from, to, dst, a));
    }

    fn extend(&mut self, from: u32, to: u32) {
        let a = self.pop_slot();
        self.emit_result(|dst| code::extend(from, to, dst, a));
    }

    fn select(&mut self, references: bool) {
        let condition = self.pop_slot();
        let otherwise = self.pop_slot();
        let then = self.pop_slot();
        let wide = self.wide_result;
        self.emit_result(|dst| {
            Some(match references {
                true => Instr::SelectRef { dst, condition, then, otherwise },
                false => Instr::Select { dst, condition, then, otherwise, wide },
            })
        });
    }

    /// The address, if both the base and the offset are constant and their sum is a possible address.
    fn fixed_address(base: Operand, offset: u64) -> Option<u32> {
        match base {
            Operand::Const(base) => u32::try_from(base + offset).ok(),
            _ => None,
        }
    }

    fn load(&mut self, memarg: MemArg, bytes: u32, sign: bool, to: u32) {
        let fusible = self.fusible;
        let base = self.pop();
        if let Some(address) = Self::fixed_address(base.0, memarg.offset) {
            return self.emit_result(|dst| code::load_at(bytes, sign, to, dst, address));
        }
        if fusible
            && base.0 == Operand::Slot
            && let Some(last) = self.module.code.last()
            && let Some(both) = last.then_load(bytes, sign, to, memarg.offset as u32)
        {
            self.retract();
            return self.emit_joined(both);
        }
        let base = self.in_slot(base);
        self.emit_result(|dst| code::load(bytes, sign, to, dst, base, memarg.offset as u32));
    }

    fn store(&mut self, memarg: MemArg, bytes: u32) {
        let value = self.pop();
        let base = self.pop();
        let instr = if let Some(address) = Self::fixed_address(base.0, memarg.offset) {
            let value = self.in_slot(value);
            code::store_at(bytes, address, value)
        } else if let Operand::Const(bits) = value.0
            && let Some(imm) = immediate(bits, if bytes == 8 { 64 } else { 32 })
        {
            let base = self.in_slot(base);
            code::store_imm(bytes, base, imm, memarg.offset as u32)
        } else {
            let value = self.in_slot(value);
            let base = self.in_slot(base);
            code::store(bytes, base, value, memarg.offset as u32)
        };
        self.emit(instr.expect("the tables of instructions cover every store"));
    }
}
