//! The regular operators: one line each.

use Meaning::{Binary, Compare, Extend, IsZero, Load, Negated, Store, Swapped, Truncate, Unary};
use pessimum_term::{BinaryOp as B, UnaryOp as U};
use wasmparser::{MemArg, Operator, Operator as O};

/// What a regular operator does to the top of the stack. Widths are in bits.
#[derive(Clone, Copy)]
pub(super) enum Meaning {
    /// An operator on two values of a width.
    Binary(B, u32),
    /// A comparison of two values of a width.
    Compare(B, u32),
    /// A comparison with the two values exchanged.
    Swapped(B, u32),
    /// The opposite of a comparison.
    Negated(B, u32),
    /// Whether a value of a width is zero.
    IsZero(u32),
    /// An operator from one width to another.
    Unary(U, u32, u32),
    /// A float to an integer, trapping if it does not fit; the widths of both.
    Truncate(U, u32, u32),
    /// The low bits, as many as the first number says, sign-extended to the second.
    Extend(u32, u32),
    /// A load of this many bytes, extended to width `to`.
    Load { memarg: MemArg, bytes: u32, signed: bool, to: u32 },
    /// A store of this many bytes.
    Store { memarg: MemArg, bytes: u32 },
}

/// The meaning of an operator, if it is a regular one.
pub(super) fn meaning(operator: &Operator<'_>) -> Option<Meaning> {
    integer_32(operator)
        .or_else(|| integer_64(operator))
        .or_else(|| access(operator))
        .or_else(|| float(operator))
        .or_else(|| conversion(operator))
}

/// Operators on i32.
fn integer_32(operator: &Operator<'_>) -> Option<Meaning> {
    Some(match *operator {
        O::I32Add => Binary(B::Add, 32),
        O::I32Sub => Binary(B::Sub, 32),
        O::I32Mul => Binary(B::Mul, 32),
        O::I32And => Binary(B::And, 32),
        O::I32Or => Binary(B::Or, 32),
        O::I32Xor => Binary(B::Xor, 32),
        O::I32Shl => Binary(B::Shl, 32),
        O::I32ShrS => Binary(B::ShrS, 32),
        O::I32ShrU => Binary(B::ShrU, 32),
        O::I32Rotl => Binary(B::Rotl, 32),
        O::I32Rotr => Binary(B::Rotr, 32),
        O::I32DivS => Binary(B::DivS, 32),
        O::I32DivU => Binary(B::DivU, 32),
        O::I32RemS => Binary(B::RemS, 32),
        O::I32RemU => Binary(B::RemU, 32),
        O::I32Eqz => IsZero(32),
        O::I32Eq => Compare(B::Eq, 32),
        O::I32Ne => Negated(B::Eq, 32),
        O::I32LtS => Compare(B::LtS, 32),
        O::I32LtU => Compare(B::LtU, 32),
        O::I32GtS => Swapped(B::LtS, 32),
        O::I32GtU => Swapped(B::LtU, 32),
        O::I32LeS => Compare(B::LeS, 32),
        O::I32LeU => Compare(B::LeU, 32),
        O::I32GeS => Swapped(B::LeS, 32),
        O::I32GeU => Swapped(B::LeU, 32),
        O::I32Clz => Unary(U::Clz, 32, 32),
        O::I32Ctz => Unary(U::Ctz, 32, 32),
        O::I32Popcnt => Unary(U::Popcnt, 32, 32),
        _ => return None,
    })
}

/// Operators on i64.
fn integer_64(operator: &Operator<'_>) -> Option<Meaning> {
    Some(match *operator {
        O::I64Add => Binary(B::Add, 64),
        O::I64Sub => Binary(B::Sub, 64),
        O::I64Mul => Binary(B::Mul, 64),
        O::I64And => Binary(B::And, 64),
        O::I64Or => Binary(B::Or, 64),
        O::I64Xor => Binary(B::Xor, 64),
        O::I64Shl => Binary(B::Shl, 64),
        O::I64ShrS => Binary(B::ShrS, 64),
        O::I64ShrU => Binary(B::ShrU, 64),
        O::I64Rotl => Binary(B::Rotl, 64),
        O::I64Rotr => Binary(B::Rotr, 64),
        O::I64DivS => Binary(B::DivS, 64),
        O::I64DivU => Binary(B::DivU, 64),
        O::I64RemS => Binary(B::RemS, 64),
        O::I64RemU => Binary(B::RemU, 64),
        O::I64Eqz => IsZero(64),
        O::I64Eq => Compare(B::Eq, 64),
        O::I64Ne => Negated(B::Eq, 64),
        O::I64LtS => Compare(B::LtS, 64),
        O::I64LtU => Compare(B::LtU, 64),
        O::I64GtS => Swapped(B::LtS, 64),
        O::I64GtU => Swapped(B::LtU, 64),
        O::I64LeS => Compare(B::LeS, 64),
        O::I64LeU => Compare(B::LeU, 64),
        O::I64GeS => Swapped(B::LeS, 64),
        O::I64GeU => Swapped(B::LeU, 64),
        O::I64Clz => Unary(U::Clz, 64, 64),
        O::I64Ctz => Unary(U::Ctz, 64, 64),
        O::I64Popcnt => Unary(U::Popcnt, 64, 64),
        _ => return None,
    })
}

/// Operators on f32 and f64.
fn float(operator: &Operator<'_>) -> Option<Meaning> {
    Some(match *operator {
        O::F32Add => Binary(B::FAdd, 32),
        O::F32Sub => Binary(B::FSub, 32),
        O::F32Mul => Binary(B::FMul, 32),
        O::F32Div => Binary(B::FDiv, 32),
        O::F32Min => Binary(B::FMin, 32),
        O::F32Max => Binary(B::FMax, 32),
        O::F32Copysign => Binary(B::FCopysign, 32),
        O::F32Eq => Compare(B::FEq, 32),
        O::F32Ne => Negated(B::FEq, 32),
        O::F32Lt => Compare(B::FLt, 32),
        O::F32Gt => Swapped(B::FLt, 32),
        O::F32Le => Compare(B::FLe, 32),
        O::F32Ge => Swapped(B::FLe, 32),
        O::F32Abs => Unary(U::FAbs, 32, 32),
        O::F32Neg => Unary(U::FNeg, 32, 32),
        O::F32Ceil => Unary(U::FCeil, 32, 32),
        O::F32Floor => Unary(U::FFloor, 32, 32),
        O::F32Trunc => Unary(U::FTrunc, 32, 32),
        O::F32Nearest => Unary(U::FNearest, 32, 32),
        O::F32Sqrt => Unary(U::FSqrt, 32, 32),
        O::F64Add => Binary(B::FAdd, 64),
        O::F64Sub => Binary(B::FSub, 64),
        O::F64Mul => Binary(B::FMul, 64),
        O::F64Div => Binary(B::FDiv, 64),
        O::F64Min => Binary(B::FMin, 64),
        O::F64Max => Binary(B::FMax, 64),
        O::F64Copysign => Binary(B::FCopysign, 64),
        O::F64Eq => Compare(B::FEq, 64),
        O::F64Ne => Negated(B::FEq, 64),
        O::F64Lt => Compare(B::FLt, 64),
        O::F64Gt => Swapped(B::FLt, 64),
        O::F64Le => Compare(B::FLe, 64),
        O::F64Ge => Swapped(B::FLe, 64),
        O::F64Abs => Unary(U::FAbs, 64, 64),
        O::F64Neg => Unary(U::FNeg, 64, 64),
        O::F64Ceil => Unary(U::FCeil, 64, 64),
        O::F64Floor => Unary(U::FFloor, 64, 64),
        O::F64Trunc => Unary(U::FTrunc, 64, 64),
        O::F64Nearest => Unary(U::FNearest, 64, 64),
        O::F64Sqrt => Unary(U::FSqrt, 64, 64),
        _ => return None,
    })
}

/// From one type to another.
fn conversion(operator: &Operator<'_>) -> Option<Meaning> {
    Some(match *operator {
        O::I32TruncF32S => Truncate(U::FToS, 32, 32),
        O::I32TruncSatF32S => Unary(U::FToS, 32, 32),
        O::F32ConvertI32S => Unary(U::FFromS, 32, 32),
        O::I32TruncF32U => Truncate(U::FToU, 32, 32),
        O::I32TruncSatF32U => Unary(U::FToU, 32, 32),
        O::F32ConvertI32U => Unary(U::FFromU, 32, 32),
        O::I32TruncF64S => Truncate(U::FToS, 64, 32),
        O::I32TruncSatF64S => Unary(U::FToS, 64, 32),
        O::F32ConvertI64S => Unary(U::FFromS, 64, 32),
        O::I32TruncF64U => Truncate(U::FToU, 64, 32),
        O::I32TruncSatF64U => Unary(U::FToU, 64, 32),
        O::F32ConvertI64U => Unary(U::FFromU, 64, 32),
        O::I64TruncF32S => Truncate(U::FToS, 32, 64),
        O::I64TruncSatF32S => Unary(U::FToS, 32, 64),
        O::F64ConvertI32S => Unary(U::FFromS, 32, 64),
        O::I64TruncF32U => Truncate(U::FToU, 32, 64),
        O::I64TruncSatF32U => Unary(U::FToU, 32, 64),
        O::F64ConvertI32U => Unary(U::FFromU, 32, 64),
        O::I64TruncF64S => Truncate(U::FToS, 64, 64),
        O::I64TruncSatF64S => Unary(U::FToS, 64, 64),
        O::F64ConvertI64S => Unary(U::FFromS, 64, 64),
        O::I64TruncF64U => Truncate(U::FToU, 64, 64),
        O::I64TruncSatF64U => Unary(U::FToU, 64, 64),
        O::F64ConvertI64U => Unary(U::FFromU, 64, 64),
        O::I32Extend8S => Extend(8, 32),
        O::I32Extend16S => Extend(16, 32),
        O::I64Extend8S => Extend(8, 64),
        O::I64Extend16S => Extend(16, 64),
        O::I64Extend32S => Extend(32, 64),
        O::I64ExtendI32S => Unary(U::SignExtend, 32, 64),
        O::I64ExtendI32U => Unary(U::ZeroExtend, 32, 64),
        O::F32DemoteF64 => Unary(U::FConvert, 64, 32),
        O::F64PromoteF32 => Unary(U::FConvert, 32, 64),
        _ => return None,
    })
}

/// Loads and stores.
fn access(operator: &Operator<'_>) -> Option<Meaning> {
    Some(match *operator {
        O::I32Load { memarg } => Load { memarg, bytes: 4, signed: false, to: 32 },
        O::F32Load { memarg } => Load { memarg, bytes: 4, signed: false, to: 32 },
        O::I64Load { memarg } => Load { memarg, bytes: 8, signed: false, to: 64 },
        O::F64Load { memarg } => Load { memarg, bytes: 8, signed: false, to: 64 },
        O::I32Load8S { memarg } => Load { memarg, bytes: 1, signed: true, to: 32 },
        O::I32Load8U { memarg } => Load { memarg, bytes: 1, signed: false, to: 32 },
        O::I32Load16S { memarg } => Load { memarg, bytes: 2, signed: true, to: 32 },
        O::I32Load16U { memarg } => Load { memarg, bytes: 2, signed: false, to: 32 },
        O::I64Load8S { memarg } => Load { memarg, bytes: 1, signed: true, to: 64 },
        O::I64Load8U { memarg } => Load { memarg, bytes: 1, signed: false, to: 64 },
        O::I64Load16S { memarg } => Load { memarg, bytes: 2, signed: true, to: 64 },
        O::I64Load16U { memarg } => Load { memarg, bytes: 2, signed: false, to: 64 },
        O::I64Load32S { memarg } => Load { memarg, bytes: 4, signed: true, to: 64 },
        O::I64Load32U { memarg } => Load { memarg, bytes: 4, signed: false, to: 64 },
        O::I32Store { memarg } => Store { memarg, bytes: 4 },
        O::F32Store { memarg } => Store { memarg, bytes: 4 },
        O::I64Store { memarg } => Store { memarg, bytes: 8 },
        O::F64Store { memarg } => Store { memarg, bytes: 8 },
        O::I32Store8 { memarg } => Store { memarg, bytes: 1 },
        O::I32Store16 { memarg } => Store { memarg, bytes: 2 },
        O::I64Store8 { memarg } => Store { memarg, bytes: 1 },
        O::I64Store16 { memarg } => Store { memarg, bytes: 2 },
        O::I64Store32 { memarg } => Store { memarg, bytes: 4 },
        _ => return None,
    })
}
