//! One line per operator: what it becomes.

use pessimum_term::{BinaryOp as B, UnaryOp as U};
use wasmparser::{MemArg, Operator, Operator as O, ValType};

use super::{CompileError, Compiler, Operand, price};
use crate::code::{self, Bulk, Instr, Slot};

/// The constant as an immediate that is sign-extended to the width.
fn immediate(bits: u64, width: u32) -> Option<i32> {
    if width == 32 { Some(bits as u32 as i32) } else { i32::try_from(bits as i64).ok() }
}

impl Compiler<'_> {
    pub(super) fn operator(&mut self, operator: &Operator<'_>) -> Result<(), CompileError> {
        if let Some(depth) = self.dead {
            match operator {
                O::Block { .. } | O::Loop { .. } | O::If { .. } => self.dead = Some(depth + 1),
                O::End if depth > 0 => self.dead = Some(depth - 1),
                O::End => self.end(),
                O::Else if depth == 0 => self.begin_else(),
                _ => {}
            }
            return Ok(());
        }
        if let Some(weights) = self.weights {
            self.piece.weight = self.piece.weight.saturating_add(weights.price(&price::text_name(operator)));
        }
        if !matches!(operator, O::Block { .. } | O::Loop { .. } | O::End | O::Else | O::Nop) {
            self.count += 1;
            self.module.counted.push(self.offset);
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
            O::I32Add => self.binary(B::Add, 32),
            O::I32Sub => self.binary(B::Sub, 32),
            O::I32Mul => self.binary(B::Mul, 32),
            O::I32And => self.binary(B::And, 32),
            O::I32Or => self.binary(B::Or, 32),
            O::I32Xor => self.binary(B::Xor, 32),
            O::I32Shl => self.binary(B::Shl, 32),
            O::I32ShrS => self.binary(B::ShrS, 32),
            O::I32ShrU => self.binary(B::ShrU, 32),
            O::I32Rotl => self.binary(B::Rotl, 32),
            O::I32Rotr => self.binary(B::Rotr, 32),
            O::I32DivS => self.binary(B::DivS, 32),
            O::I32DivU => self.binary(B::DivU, 32),
            O::I32RemS => self.binary(B::RemS, 32),
            O::I32RemU => self.binary(B::RemU, 32),
            O::I32Eqz => self.is_zero(32),
            O::I32Eq => self.compare(B::Eq, 32, false, false),
            O::I32Ne => self.compare(B::Eq, 32, false, true),
            O::I32LtS => self.compare(B::LtS, 32, false, false),
            O::I32LtU => self.compare(B::LtU, 32, false, false),
            O::I32GtS => self.compare(B::LtS, 32, true, false),
            O::I32GtU => self.compare(B::LtU, 32, true, false),
            O::I32LeS => self.compare(B::LeS, 32, false, false),
            O::I32LeU => self.compare(B::LeU, 32, false, false),
            O::I32GeS => self.compare(B::LeS, 32, true, false),
            O::I32GeU => self.compare(B::LeU, 32, true, false),
            O::I32Clz => self.unary(U::Clz, 32, 32),
            O::I32Ctz => self.unary(U::Ctz, 32, 32),
            O::I32Popcnt => self.unary(U::Popcnt, 32, 32),
            O::F32Add => self.binary(B::FAdd, 32),
            O::F32Sub => self.binary(B::FSub, 32),
            O::F32Mul => self.binary(B::FMul, 32),
            O::F32Div => self.binary(B::FDiv, 32),
            O::F32Min => self.binary(B::FMin, 32),
            O::F32Max => self.binary(B::FMax, 32),
            O::F32Copysign => self.binary(B::FCopysign, 32),
            O::F32Eq => self.compare(B::FEq, 32, false, false),
            O::F32Ne => self.compare(B::FEq, 32, false, true),
            O::F32Lt => self.compare(B::FLt, 32, false, false),
            O::F32Gt => self.compare(B::FLt, 32, true, false),
            O::F32Le => self.compare(B::FLe, 32, false, false),
            O::F32Ge => self.compare(B::FLe, 32, true, false),
            O::F32Abs => self.unary(U::FAbs, 32, 32),
            O::F32Neg => self.unary(U::FNeg, 32, 32),
            O::F32Ceil => self.unary(U::FCeil, 32, 32),
            O::F32Floor => self.unary(U::FFloor, 32, 32),
            O::F32Trunc => self.unary(U::FTrunc, 32, 32),
            O::F32Nearest => self.unary(U::FNearest, 32, 32),
            O::F32Sqrt => self.unary(U::FSqrt, 32, 32),
            O::I64Add => self.binary(B::Add, 64),
            O::I64Sub => self.binary(B::Sub, 64),
            O::I64Mul => self.binary(B::Mul, 64),
            O::I64And => self.binary(B::And, 64),
            O::I64Or => self.binary(B::Or, 64),
            O::I64Xor => self.binary(B::Xor, 64),
            O::I64Shl => self.binary(B::Shl, 64),
            O::I64ShrS => self.binary(B::ShrS, 64),
            O::I64ShrU => self.binary(B::ShrU, 64),
            O::I64Rotl => self.binary(B::Rotl, 64),
            O::I64Rotr => self.binary(B::Rotr, 64),
            O::I64DivS => self.binary(B::DivS, 64),
            O::I64DivU => self.binary(B::DivU, 64),
            O::I64RemS => self.binary(B::RemS, 64),
            O::I64RemU => self.binary(B::RemU, 64),
            O::I64Eqz => self.is_zero(64),
            O::I64Eq => self.compare(B::Eq, 64, false, false),
            O::I64Ne => self.compare(B::Eq, 64, false, true),
            O::I64LtS => self.compare(B::LtS, 64, false, false),
            O::I64LtU => self.compare(B::LtU, 64, false, false),
            O::I64GtS => self.compare(B::LtS, 64, true, false),
            O::I64GtU => self.compare(B::LtU, 64, true, false),
            O::I64LeS => self.compare(B::LeS, 64, false, false),
            O::I64LeU => self.compare(B::LeU, 64, false, false),
            O::I64GeS => self.compare(B::LeS, 64, true, false),
            O::I64GeU => self.compare(B::LeU, 64, true, false),
            O::I64Clz => self.unary(U::Clz, 64, 64),
            O::I64Ctz => self.unary(U::Ctz, 64, 64),
            O::I64Popcnt => self.unary(U::Popcnt, 64, 64),
            O::F64Add => self.binary(B::FAdd, 64),
            O::F64Sub => self.binary(B::FSub, 64),
            O::F64Mul => self.binary(B::FMul, 64),
            O::F64Div => self.binary(B::FDiv, 64),
            O::F64Min => self.binary(B::FMin, 64),
            O::F64Max => self.binary(B::FMax, 64),
            O::F64Copysign => self.binary(B::FCopysign, 64),
            O::F64Eq => self.compare(B::FEq, 64, false, false),
            O::F64Ne => self.compare(B::FEq, 64, false, true),
            O::F64Lt => self.compare(B::FLt, 64, false, false),
            O::F64Gt => self.compare(B::FLt, 64, true, false),
            O::F64Le => self.compare(B::FLe, 64, false, false),
            O::F64Ge => self.compare(B::FLe, 64, true, false),
            O::F64Abs => self.unary(U::FAbs, 64, 64),
            O::F64Neg => self.unary(U::FNeg, 64, 64),
            O::F64Ceil => self.unary(U::FCeil, 64, 64),
            O::F64Floor => self.unary(U::FFloor, 64, 64),
            O::F64Trunc => self.unary(U::FTrunc, 64, 64),
            O::F64Nearest => self.unary(U::FNearest, 64, 64),
            O::F64Sqrt => self.unary(U::FSqrt, 64, 64),
            O::I32TruncF32S => self.truncate(U::FToS, 32, 32),
            O::I32TruncSatF32S => self.unary(U::FToS, 32, 32),
            O::F32ConvertI32S => self.unary(U::FFromS, 32, 32),
            O::I32TruncF32U => self.truncate(U::FToU, 32, 32),
            O::I32TruncSatF32U => self.unary(U::FToU, 32, 32),
            O::F32ConvertI32U => self.unary(U::FFromU, 32, 32),
            O::I32TruncF64S => self.truncate(U::FToS, 64, 32),
            O::I32TruncSatF64S => self.unary(U::FToS, 64, 32),
            O::F32ConvertI64S => self.unary(U::FFromS, 64, 32),
            O::I32TruncF64U => self.truncate(U::FToU, 64, 32),
            O::I32TruncSatF64U => self.unary(U::FToU, 64, 32),
            O::F32ConvertI64U => self.unary(U::FFromU, 64, 32),
            O::I64TruncF32S => self.truncate(U::FToS, 32, 64),
            O::I64TruncSatF32S => self.unary(U::FToS, 32, 64),
            O::F64ConvertI32S => self.unary(U::FFromS, 32, 64),
            O::I64TruncF32U => self.truncate(U::FToU, 32, 64),
            O::I64TruncSatF32U => self.unary(U::FToU, 32, 64),
            O::F64ConvertI32U => self.unary(U::FFromU, 32, 64),
            O::I64TruncF64S => self.truncate(U::FToS, 64, 64),
            O::I64TruncSatF64S => self.unary(U::FToS, 64, 64),
            O::F64ConvertI64S => self.unary(U::FFromS, 64, 64),
            O::I64TruncF64U => self.truncate(U::FToU, 64, 64),
            O::I64TruncSatF64U => self.unary(U::FToU, 64, 64),
            O::F64ConvertI64U => self.unary(U::FFromU, 64, 64),
            O::I32Extend8S => self.extend(8, 32),
            O::I32Extend16S => self.extend(16, 32),
            O::I64Extend8S => self.extend(8, 64),
            O::I64Extend16S => self.extend(16, 64),
            O::I64Extend32S => self.extend(32, 64),
            O::I32Load { memarg } => self.load(memarg, 4, false, 32),
            O::F32Load { memarg } => self.load(memarg, 4, false, 32),
            O::I64Load { memarg } => self.load(memarg, 8, false, 64),
            O::F64Load { memarg } => self.load(memarg, 8, false, 64),
            O::I32Load8S { memarg } => self.load(memarg, 1, true, 32),
            O::I32Load8U { memarg } => self.load(memarg, 1, false, 32),
            O::I32Load16S { memarg } => self.load(memarg, 2, true, 32),
            O::I32Load16U { memarg } => self.load(memarg, 2, false, 32),
            O::I64Load8S { memarg } => self.load(memarg, 1, true, 64),
            O::I64Load8U { memarg } => self.load(memarg, 1, false, 64),
            O::I64Load16S { memarg } => self.load(memarg, 2, true, 64),
            O::I64Load16U { memarg } => self.load(memarg, 2, false, 64),
            O::I64Load32S { memarg } => self.load(memarg, 4, true, 64),
            O::I64Load32U { memarg } => self.load(memarg, 4, false, 64),
            O::I32Store { memarg } => self.store(memarg, 4),
            O::F32Store { memarg } => self.store(memarg, 4),
            O::I64Store { memarg } => self.store(memarg, 8),
            O::F64Store { memarg } => self.store(memarg, 8),
            O::I32Store8 { memarg } => self.store(memarg, 1),
            O::I32Store16 { memarg } => self.store(memarg, 2),
            O::I64Store8 { memarg } => self.store(memarg, 1),
            O::I64Store16 { memarg } => self.store(memarg, 2),
            O::I64Store32 { memarg } => self.store(memarg, 4),
            O::I32WrapI64 => {
                let a = self.pop_slot();
                self.emit_result(|dst| Some(Instr::Wrap { dst, a }));
            }
            O::I64ExtendI32S => self.unary(U::SignExtend, 32, 64),
            O::I64ExtendI32U => self.unary(U::ZeroExtend, 32, 64),
            O::F32DemoteF64 => self.unary(U::FConvert, 64, 32),
            O::F64PromoteF32 => self.unary(U::FConvert, 32, 64),
            // Values are bit patterns already.
            O::I32ReinterpretF32 | O::I64ReinterpretF64 | O::F32ReinterpretI32 | O::F64ReinterpretI64 => {}
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
        self.emit(Instr::Bulk { index });
    }

    fn bulk_result(&mut self, bulk: impl FnOnce(Slot) -> Bulk) {
        let dst = self.push_slot();
        self.bulk(bulk(dst));
    }

    fn binary(&mut self, op: B, width: u32) {
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
        let a = self.in_slot(a);
        match imm {
            Some(imm) => {
                let op = if op == B::Sub { B::Add } else { op };
                self.emit_result(|dst| code::binary_imm(op, width, dst, a, imm));
            }
            None => {
                let b = self.in_slot(b);
                self.emit_result(|dst| code::binary(op, width, dst, a, b));
            }
        }
    }

    /// `op`, or its opposite, on the two top entries, exchanged first where `swap`.
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
            // c < y is not y <= c, and so on.
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
        // A comparison just made is 0 or 1: turn it round.
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

    /// The address where both the base and the offset are constant, and their sum is a possible address.
    fn fixed_address(base: Operand, offset: u64) -> Option<u32> {
        match base {
            Operand::Const(base) => u32::try_from(base + offset).ok(),
            _ => None,
        }
    }

    fn load(&mut self, memarg: MemArg, bytes: u32, sign: bool, to: u32) {
        let base = self.pop();
        if let Some(address) = Self::fixed_address(base.0, memarg.offset) {
            return self.emit_result(|dst| code::load_at(bytes, sign, to, dst, address));
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
