//! The flat code that the machine runs: a register form of WebAssembly.
//!
//! Each instruction reads and writes *slots* of the current frame: first the parameters and locals, then one slot per
//! height of the operand stack. Reading a local or a constant is part of the instruction that uses it, and a
//! comparison is part of the branch that tests it, so one instruction here stands for two or three of WebAssembly.
//! Branch targets are positions in the code of the whole module.
//!
//! [`instruction_tables!`] is the one list of operators; the instruction set, its constructors, the destination slot
//! and the machine's dispatch are all derived from it.

use pessimum_term::{BinaryOp, UnaryOp};

/// A slot of the current frame.
pub type Slot = u16;

/// The second operand of an operator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Second {
    /// A slot.
    Slot(Slot),
    /// A constant, sign-extended to the width.
    Imm(i32),
}

/// Hands the operator tables to a macro, together with tokens of its caller.
macro_rules! instruction_tables {
    ($callback:ident { $($context:tt)* }) => { $callback! { { $($context)* }
        // Name, operator, width: both operands in slots.
        binary {
            I32Add Add 32, I32Sub Sub 32, I32Mul Mul 32, I32And And 32, I32Or Or 32, I32Xor Xor 32,
            I32Shl Shl 32, I32ShrS ShrS 32, I32ShrU ShrU 32, I32Rotl Rotl 32, I32Rotr Rotr 32,
            I64Add Add 64, I64Sub Sub 64, I64Mul Mul 64, I64And And 64, I64Or Or 64, I64Xor Xor 64,
            I64Shl Shl 64, I64ShrS ShrS 64, I64ShrU ShrU 64, I64Rotl Rotl 64, I64Rotr Rotr 64,
            F32Add FAdd 32, F32Sub FSub 32, F32Mul FMul 32, F32Div FDiv 32, F32Min FMin 32, F32Max FMax 32,
            F32Copysign FCopysign 32,
            F64Add FAdd 64, F64Sub FSub 64, F64Mul FMul 64, F64Div FDiv 64, F64Min FMin 64, F64Max FMax 64,
            F64Copysign FCopysign 64,
        }
        // Name, operator, width: the second operand is an immediate. Division only by constants that cannot trap.
        binary_imm {
            I32AddI Add 32, I32MulI Mul 32, I32AndI And 32, I32OrI Or 32, I32XorI Xor 32,
            I32ShlI Shl 32, I32ShrSI ShrS 32, I32ShrUI ShrU 32, I32RotlI Rotl 32, I32RotrI Rotr 32,
            I32DivSI DivS 32, I32DivUI DivU 32, I32RemSI RemS 32, I32RemUI RemU 32,
            I64AddI Add 64, I64MulI Mul 64, I64AndI And 64, I64OrI Or 64, I64XorI Xor 64,
            I64ShlI Shl 64, I64ShrSI ShrS 64, I64ShrUI ShrU 64, I64RotlI Rotl 64, I64RotrI Rotr 64,
            I64DivSI DivS 64, I64DivUI DivU 64, I64RemSI RemS 64, I64RemUI RemU 64,
        }
        // Name, operator, width: traps on zero, and on overflow where signed.
        divide {
            I32DivS DivS 32, I32DivU DivU 32, I32RemS RemS 32, I32RemU RemU 32,
            I64DivS DivS 64, I64DivU DivU 64, I64RemS RemS 64, I64RemU RemU 64,
        }
        // Name, name of the branch, operator, width, whether negated.
        compare {
            I32Eq BrI32Eq Eq 32 false, I32Ne BrI32Ne Eq 32 true,
            I32LtS BrI32LtS LtS 32 false, I32LtU BrI32LtU LtU 32 false,
            I32LeS BrI32LeS LeS 32 false, I32LeU BrI32LeU LeU 32 false,
            I64Eq BrI64Eq Eq 64 false, I64Ne BrI64Ne Eq 64 true,
            I64LtS BrI64LtS LtS 64 false, I64LtU BrI64LtU LtU 64 false,
            I64LeS BrI64LeS LeS 64 false, I64LeU BrI64LeU LeU 64 false,
            F32Eq BrF32Eq FEq 32 false, F32Ne BrF32Ne FEq 32 true,
            F32Lt BrF32Lt FLt 32 false, F32NotLt BrF32NotLt FLt 32 true,
            F32Le BrF32Le FLe 32 false, F32NotLe BrF32NotLe FLe 32 true,
            F64Eq BrF64Eq FEq 64 false, F64Ne BrF64Ne FEq 64 true,
            F64Lt BrF64Lt FLt 64 false, F64NotLt BrF64NotLt FLt 64 true,
            F64Le BrF64Le FLe 64 false, F64NotLe BrF64NotLe FLe 64 true,
        }
        // Name, name of the branch, operator, width, whether negated: `operator(slot, immediate)`. With `>` and `>=`
        // as negations of `<=` and `<`, these cover a constant on either side.
        compare_imm {
            I32EqI BrI32EqI Eq 32 false, I32NeI BrI32NeI Eq 32 true,
            I32LtSI BrI32LtSI LtS 32 false, I32LtUI BrI32LtUI LtU 32 false,
            I32LeSI BrI32LeSI LeS 32 false, I32LeUI BrI32LeUI LeU 32 false,
            I32GeSI BrI32GeSI LtS 32 true, I32GeUI BrI32GeUI LtU 32 true,
            I32GtSI BrI32GtSI LeS 32 true, I32GtUI BrI32GtUI LeU 32 true,
            I64EqI BrI64EqI Eq 64 false, I64NeI BrI64NeI Eq 64 true,
            I64LtSI BrI64LtSI LtS 64 false, I64LtUI BrI64LtUI LtU 64 false,
            I64LeSI BrI64LeSI LeS 64 false, I64LeUI BrI64LeUI LeU 64 false,
            I64GeSI BrI64GeSI LtS 64 true, I64GeUI BrI64GeUI LtU 64 true,
            I64GtSI BrI64GtSI LeS 64 true, I64GtUI BrI64GtUI LeU 64 true,
        }
        // Name, operator, width of the operand, width of the result. An operand narrower than its slot is truncated.
        unary {
            I32Clz Clz 32 32, I32Ctz Ctz 32 32, I32Popcnt Popcnt 32 32,
            I64Clz Clz 64 64, I64Ctz Ctz 64 64, I64Popcnt Popcnt 64 64,
            I64ExtendI32U ZeroExtend 32 64, I64ExtendI32S SignExtend 32 64,
            F32Abs FAbs 32 32, F32Neg FNeg 32 32, F32Ceil FCeil 32 32, F32Floor FFloor 32 32, F32Trunc FTrunc 32 32,
            F32Nearest FNearest 32 32, F32Sqrt FSqrt 32 32,
            F64Abs FAbs 64 64, F64Neg FNeg 64 64, F64Ceil FCeil 64 64, F64Floor FFloor 64 64, F64Trunc FTrunc 64 64,
            F64Nearest FNearest 64 64, F64Sqrt FSqrt 64 64,
            F32DemoteF64 FConvert 64 32, F64PromoteF32 FConvert 32 64,
            F32ConvertI32S FFromS 32 32, F32ConvertI32U FFromU 32 32,
            F32ConvertI64S FFromS 64 32, F32ConvertI64U FFromU 64 32,
            F64ConvertI32S FFromS 32 64, F64ConvertI32U FFromU 32 64,
            F64ConvertI64S FFromS 64 64, F64ConvertI64U FFromU 64 64,
            I32TruncSatF32S FToS 32 32, I32TruncSatF32U FToU 32 32,
            I32TruncSatF64S FToS 64 32, I32TruncSatF64U FToU 64 32,
            I64TruncSatF32S FToS 32 64, I64TruncSatF32U FToU 32 64,
            I64TruncSatF64S FToS 64 64, I64TruncSatF64U FToU 64 64,
        }
        // Name, bits kept, width of the result: the low bits, sign-extended.
        extend {
            I32Extend8S 8 32, I32Extend16S 16 32, I64Extend8S 8 64, I64Extend16S 16 64, I64Extend32S 32 64,
        }
        // Name, operator, width of the operand, width of the result: traps where the result does not fit.
        truncate {
            I32TruncF32S FToS 32 32, I32TruncF32U FToU 32 32, I32TruncF64S FToS 64 32, I32TruncF64U FToU 64 32,
            I64TruncF32S FToS 32 64, I64TruncF32U FToU 32 64, I64TruncF64S FToS 64 64, I64TruncF64U FToU 64 64,
        }
        // Name, name with a constant address, with a sum of a slot and a constant as the address, with the sum of two
        // slots, bytes, whether sign-extended, width of the result.
        load {
            I32Load I32LoadAt I32LoadSum I32LoadIndex 4 false 32,
            I64Load I64LoadAt I64LoadSum I64LoadIndex 8 false 64,
            I32Load8S I32Load8SAt I32Load8SSum I32Load8SIndex 1 true 32,
            I32Load8U I32Load8UAt I32Load8USum I32Load8UIndex 1 false 32,
            I32Load16S I32Load16SAt I32Load16SSum I32Load16SIndex 2 true 32,
            I32Load16U I32Load16UAt I32Load16USum I32Load16UIndex 2 false 32,
            I64Load8S I64Load8SAt I64Load8SSum I64Load8SIndex 1 true 64,
            I64Load8U I64Load8UAt I64Load8USum I64Load8UIndex 1 false 64,
            I64Load16S I64Load16SAt I64Load16SSum I64Load16SIndex 2 true 64,
            I64Load16U I64Load16UAt I64Load16USum I64Load16UIndex 2 false 64,
            I64Load32S I64Load32SAt I64Load32SSum I64Load32SIndex 4 true 64,
            I64Load32U I64Load32UAt I64Load32USum I64Load32UIndex 4 false 64,
        }
        // Name, name with a constant value, name with a constant address, bytes.
        store {
            Store8 Store8I Store8At 1, Store16 Store16I Store16At 2, Store32 Store32I Store32At 4,
            Store64 Store64I Store64At 8,
        }
        // Name, two operators, width: `c second (a first b)`, where the second operator is commutative. What compilers
        // emit next to each other most: the second one costs a fraction of an instruction of its own.
        fused {
            I32AddAdd Add Add 32, I32SubAdd Sub Add 32, I32MulAdd Mul Add 32, I32XorAdd Xor Add 32,
            I32XorXor Xor Xor 32, I32AndXor And Xor 32, I32XorAnd Xor And 32, I32AndOr And Or 32,
            I64AddAdd Add Add 64, I64MulAdd Mul Add 64, I64XorAdd Xor Add 64,
            I64XorXor Xor Xor 64, I64AndXor And Xor 64, I64XorAnd Xor And 64, I64AndOr And Or 64,
        }
        // The same with an immediate in place of `b`.
        fused_imm {
            I32AddIAdd Add Add 32, I32MulIAdd Mul Add 32, I32ShlIAdd Shl Add 32, I32ShlIOr Shl Or 32,
            I32ShrUIXor ShrU Xor 32, I32ShrUIAdd ShrU Add 32, I32RotlIXor Rotl Xor 32, I32RotlIAdd Rotl Add 32,
            I32XorIAnd Xor And 32, I32ShlIXor Shl Xor 32,
            I64AddIAdd Add Add 64, I64MulIAdd Mul Add 64, I64ShlIAdd Shl Add 64, I64ShlIOr Shl Or 64,
            I64ShrUIXor ShrU Xor 64, I64RotlIXor Rotl Xor 64, I64RotlIAdd Rotl Add 64, I64XorIAnd Xor And 64,
            I64ShlIXor Shl Xor 64,
        }
        // The same with an immediate in place of `c` too, which is then the second operand.
        fused_imms {
            I32MulIAddI Mul Add 32, I32ShlIAddI Shl Add 32, I32AddIAndI Add And 32, I32AddIShrUI Add ShrU 32,
            I32ShrUIAndI ShrU And 32, I64MulIAddI Mul Add 64, I64ShrUIAndI ShrU And 64,
        }
        // Name, operator, comparison, whether negated: an operator with a small immediate, and a branch that compares its result
        // with a slot. The ends of loops; width 32.
        step_branch {
            AddBrEq Add Eq false, AddBrNe Add Eq true, AddBrLtS Add LtS false, AddBrLtU Add LtU false,
            AddBrLeS Add LeS false, AddBrLeU Add LeU false, AddBrGeS Add LtS true, AddBrGeU Add LtU true,
            AddBrGtS Add LeS true, AddBrGtU Add LeU true,
        }
        // The same with an immediate in place of the slot. Classes of characters, flags.
        step_branch_imm {
            AddBrEqI Add Eq false, AddBrNeI Add Eq true, AddBrLtSI Add LtS false, AddBrLtUI Add LtU false,
            AddBrLeSI Add LeS false, AddBrLeUI Add LeU false, AddBrGeSI Add LtS true, AddBrGeUI Add LtU true,
            AddBrGtSI Add LeS true, AddBrGtUI Add LeU true, AndBrEqI And Eq false, AndBrNeI And Eq true,
        }
    } };
}
pub(crate) use instruction_tables;

/// Hands the names of all instructions to a macro, in the order of [`Instr`]: `instruction_tables!(every_name { callback })`.
macro_rules! every_name {
    ({ $callback:ident }
        binary { $($bin:ident $bin_op:ident $bin_w:literal,)* }
        binary_imm { $($bini:ident $bini_op:ident $bini_w:literal,)* }
        divide { $($div:ident $div_op:ident $div_w:literal,)* }
        compare { $($cmp:ident $br:ident $cmp_op:ident $cmp_w:literal $cmp_neg:literal,)* }
        compare_imm { $($cmpi:ident $bri:ident $cmpi_op:ident $cmpi_w:literal $cmpi_neg:literal,)* }
        unary { $($un:ident $un_op:ident $un_from:literal $un_to:literal,)* }
        extend { $($ext:ident $ext_from:literal $ext_to:literal,)* }
        truncate { $($trunc:ident $trunc_op:ident $trunc_from:literal $trunc_to:literal,)* }
        load { $($load:ident $load_at:ident $load_sum:ident $load_index:ident
            $load_n:literal $load_s:literal $load_to:literal,)* }
        store { $($store:ident $store_i:ident $store_at:ident $store_n:literal,)* }
        fused { $($fuse:ident $fuse_first:ident $fuse_second:ident $fuse_w:literal,)* }
        fused_imm { $($fusei:ident $fusei_first:ident $fusei_second:ident $fusei_w:literal,)* }
        fused_imms { $($fuseis:ident $fuseis_first:ident $fuseis_second:ident $fuseis_w:literal,)* }
        step_branch { $($sbr:ident $sbr_step:ident $sbr_op:ident $sbr_neg:literal,)* }
        step_branch_imm { $($sbri:ident $sbri_step:ident $sbri_op:ident $sbri_neg:literal,)* }
    ) => {
        $callback! {
            $($bin)* $($bini)* $($div)* $($cmp $br)* $($cmpi $bri)* $($un)* $($ext)* $($trunc)*
            $($load $load_at $load_sum $load_index)* $($store $store_i $store_at)* $($fuse)* $($fusei)* $($fuseis)*
            $($sbr)* $($sbri)*
            Copy Copies I32AddIs I32AddICopy Const Wrap Select SelectRef GlobalGet GlobalSet RefFunc Jump BrNonZero BrZero
            BrTable Call CallImport CallIndirect Return Bulk Charge Throw ThrowRef Unreachable
        }
    };
}
pub(crate) use every_name;

macro_rules! define_instructions {
    ({}
        binary { $($bin:ident $bin_op:ident $bin_w:literal,)* }
        binary_imm { $($bini:ident $bini_op:ident $bini_w:literal,)* }
        divide { $($div:ident $div_op:ident $div_w:literal,)* }
        compare { $($cmp:ident $br:ident $cmp_op:ident $cmp_w:literal $cmp_neg:literal,)* }
        compare_imm { $($cmpi:ident $bri:ident $cmpi_op:ident $cmpi_w:literal $cmpi_neg:literal,)* }
        unary { $($un:ident $un_op:ident $un_from:literal $un_to:literal,)* }
        extend { $($ext:ident $ext_from:literal $ext_to:literal,)* }
        truncate { $($trunc:ident $trunc_op:ident $trunc_from:literal $trunc_to:literal,)* }
        load { $($load:ident $load_at:ident $load_sum:ident $load_index:ident
            $load_n:literal $load_s:literal $load_to:literal,)* }
        store { $($store:ident $store_i:ident $store_at:ident $store_n:literal,)* }
        fused { $($fuse:ident $fuse_first:ident $fuse_second:ident $fuse_w:literal,)* }
        fused_imm { $($fusei:ident $fusei_first:ident $fusei_second:ident $fusei_w:literal,)* }
        fused_imms { $($fuseis:ident $fuseis_first:ident $fuseis_second:ident $fuseis_w:literal,)* }
        step_branch { $($sbr:ident $sbr_step:ident $sbr_op:ident $sbr_neg:literal,)* }
        step_branch_imm { $($sbri:ident $sbri_step:ident $sbri_op:ident $sbri_neg:literal,)* }
    ) => {
        /// One instruction: 16 bytes.
        ///
        /// `target` is a position in the module's code, `arm` an index into its arms, which know their targets (see
        /// [`crate::Site`]), `cost`
        /// the number of counted instructions of the function up to and including this one, in text order.
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[allow(missing_docs)]
        pub enum Instr {
            $($bin { dst: Slot, a: Slot, b: Slot },)*
            $($bini { dst: Slot, a: Slot, imm: i32 },)*
            $($div { dst: Slot, a: Slot, b: Slot },)*
            $($cmp { dst: Slot, a: Slot, b: Slot }, $br { a: Slot, b: Slot, arm: u32 },)*
            $($cmpi { dst: Slot, a: Slot, imm: i32 }, $bri { a: Slot, imm: i32, arm: u32 },)*
            $($un { dst: Slot, a: Slot },)*
            $($ext { dst: Slot, a: Slot },)*
            $($trunc { dst: Slot, a: Slot },)*
            $(
                $load { dst: Slot, base: Slot, offset: u32 },
                $load_at { dst: Slot, address: u32 },
                /// At the sum of a slot and `add`, which wraps, plus `offset`, which does not.
                $load_sum { dst: Slot, base: Slot, add: i32, offset: u32 },
                /// The same with two slots.
                $load_index { dst: Slot, a: Slot, b: Slot, offset: u32 },
            )*
            $(
                $store { base: Slot, value: Slot, offset: u32 },
                $store_i { base: Slot, imm: i32, offset: u32 },
                $store_at { address: u32, value: Slot },
            )*
            $($fuse { dst: Slot, a: Slot, b: Slot, c: Slot },)*
            $($fusei { dst: Slot, a: Slot, imm: i32, c: Slot },)*
            $($fuseis { dst: Slot, a: Slot, imm: i32, second: i32 },)*
            $($sbr { dst: Slot, a: Slot, step: i16, b: Slot, arm: u32 },)*
            $($sbri { dst: Slot, a: Slot, step: i16, imm: i32, arm: u32 },)*
            Copy { dst: Slot, src: Slot },
            /// Two of them, one after the other.
            Copies { first: (Slot, Slot), dst: Slot, src: Slot },
            /// Two `I32AddI`, one after the other.
            I32AddIs { first: (Slot, Slot, i16), dst: Slot, a: Slot, imm: i16 },
            /// An `I32AddI`, then a `Copy`.
            I32AddICopy { first: (Slot, Slot, i16), dst: Slot, src: Slot },
            Const { dst: Slot, bits: u64 },
            /// The low 32 bits.
            Wrap { dst: Slot, a: Slot },
            /// `wide` if both values have width 64.
            Select { dst: Slot, condition: Slot, then: Slot, otherwise: Slot, wide: bool },
            /// `select` between references: the condition must be known.
            SelectRef { dst: Slot, condition: Slot, then: Slot, otherwise: Slot },
            GlobalGet { dst: Slot, global: u32 },
            GlobalSet { global: u32, src: Slot },
            RefFunc { dst: Slot, function: u32 },
            /// `adjust` is added to the accumulated cost: cost here minus cost at the target, in text order.
            Jump { target: u32, adjust: i32 },
            BrNonZero { a: Slot, arm: u32 },
            BrZero { a: Slot, arm: u32 },
            /// Arm `min(index, last)`; its target is in the module's arm table.
            BrTable { index: Slot, last: u32, arm: u32 },
            /// A function of this module; its frame starts at `base`.
            Call { base: Slot, function: u32, cost: u32 },
            /// An imported function, by its index in the instance.
            CallImport { base: Slot, function: u32, cost: u32 },
            CallIndirect { base: Slot, index: Slot, table: u16, signature: u32, cost: u32 },
            /// The results are `count` slots from `first`.
            Return { first: Slot, count: u16, cost: u32 },
            /// A rarer instruction, by its index in the module's bulk table.
            Bulk { index: u32 },
            /// Adds to the weighted cost; only in code compiled with weights.
            Charge { weight: u64 },
            /// Throws an exception with this tag; its values are the slots from `first`.
            Throw { tag: u32, first: Slot },
            /// Throws the exception that a reference in a slot refers to.
            ThrowRef { src: Slot },
            Unreachable,
        }

        impl Instr {
            /// The slot that the instruction writes, if it writes one and may be changed to write another.
            pub fn destination(&mut self) -> Option<&mut Slot> {
                match self {
                    $(Instr::$bin { dst, .. } => Some(dst),)*
                    $(Instr::$bini { dst, .. } => Some(dst),)*
                    $(Instr::$div { dst, .. } => Some(dst),)*
                    $(Instr::$cmp { dst, .. } => Some(dst),)*
                    $(Instr::$cmpi { dst, .. } => Some(dst),)*
                    $(Instr::$un { dst, .. } => Some(dst),)*
                    $(Instr::$ext { dst, .. } => Some(dst),)*
                    $(Instr::$trunc { dst, .. } => Some(dst),)*
                    $(Instr::$load { dst, .. } | Instr::$load_at { dst, .. } => Some(dst),)*
                    $(Instr::$load_sum { dst, .. } | Instr::$load_index { dst, .. } => Some(dst),)*
                    $(Instr::$fuse { dst, .. } => Some(dst),)*
                    $(Instr::$fusei { dst, .. } => Some(dst),)*
                    $(Instr::$fuseis { dst, .. } => Some(dst),)*
                    Instr::Copy { dst, .. } | Instr::Const { dst, .. } | Instr::Wrap { dst, .. } | Instr::Select { dst, .. }
                    | Instr::SelectRef { dst, .. } | Instr::GlobalGet { dst, .. } | Instr::RefFunc { dst, .. } =>
                        Some(dst),
                    _ => None,
                }
            }

            /// The operator, width and operands, if this is an integer operator that cannot trap.
            fn parts(&self) -> Option<(BinaryOp, u32, Slot, Second)> {
                Some(match *self {
                    $(Instr::$bin { a, b, .. } => (BinaryOp::$bin_op, $bin_w, a, Second::Slot(b)),)*
                    $(Instr::$bini { a, imm, .. } => (BinaryOp::$bini_op, $bini_w, a, Second::Imm(imm)),)*
                    _ => return None,
                })
            }

            /// This instruction, and then `op` on its result and another operand, as one instruction. Its destination must
            /// still be set.
            pub fn then(&self, op: BinaryOp, width: u32, other: Second) -> Option<Instr> {
                let (first, first_width, a, second) = self.parts()?;
                if first_width != width {
                    return None;
                }
                Some(match (first, op, width, second, other) {
                    $((BinaryOp::$fuse_first, BinaryOp::$fuse_second, $fuse_w, Second::Slot(b), Second::Slot(c)) =>
                        Instr::$fuse { dst: 0, a, b, c },)*
                    $((BinaryOp::$fusei_first, BinaryOp::$fusei_second, $fusei_w, Second::Imm(imm), Second::Slot(c)) =>
                        Instr::$fusei { dst: 0, a, imm, c },)*
                    $((BinaryOp::$fuseis_first, BinaryOp::$fuseis_second, $fuseis_w, Second::Imm(imm), Second::Imm(second)) =>
                        Instr::$fuseis { dst: 0, a, imm, second },)*
                    _ => return None,
                })
            }

            /// This instruction, and then a load from the address that it computes, as one instruction. Its destination must
            /// still be set.
            pub fn then_load(&self, bytes: u32, sign: bool, to: u32, offset: u32) -> Option<Instr> {
                Some(match (*self, bytes, sign, to) {
                    $((Instr::I32AddI { a, imm, .. }, $load_n, $load_s, $load_to) =>
                        Instr::$load_sum { dst: 0, base: a, add: imm, offset },)*
                    $((Instr::I32Add { a, b, .. }, $load_n, $load_s, $load_to) =>
                        Instr::$load_index { dst: 0, a, b, offset },)*
                    _ => return None,
                })
            }

            /// Two instructions that move values between slots, as one.
            pub fn then_move(&self, next: Instr) -> Option<Instr> {
                let small = |imm: i32| i16::try_from(imm).ok();
                Some(match (*self, next) {
                    (Instr::Copy { dst: to, src: from }, Instr::Copy { dst, src }) =>
                        Instr::Copies { first: (to, from), dst, src },
                    (Instr::I32AddI { dst: to, a: from, imm }, Instr::Copy { dst, src }) =>
                        Instr::I32AddICopy { first: (to, from, small(imm)?), dst, src },
                    (Instr::I32AddI { dst: to, a: from, imm: first }, Instr::I32AddI { dst, a, imm }) =>
                        Instr::I32AddIs { first: (to, from, small(first)?), dst, a, imm: small(imm)? },
                    _ => return None,
                })
            }

            /// This operator, and then a branch on its result, as one instruction.
            pub fn then_branch(&self, branch: Instr) -> Option<Instr> {
                let (dst, a, first, step) = match *self {
                    Instr::I32AddI { dst, a, imm } => (dst, a, BinaryOp::Add, imm),
                    Instr::I32AndI { dst, a, imm } => (dst, a, BinaryOp::And, imm),
                    _ => return None,
                };
                let step = i16::try_from(step).ok()?;
                let (op, negate, left, right, arm) = branch.comparison()?;
                let (op, negate, other) = match right {
                    Second::Imm(_) if left == dst => (op, negate, right),
                    Second::Slot(b) if left == dst && b != dst => (op, negate, right),
                    // With its sides exchanged, an order is the opposite of the other order.
                    Second::Slot(b) if b == dst && left != dst => match op {
                        BinaryOp::LtS => (BinaryOp::LeS, !negate, Second::Slot(left)),
                        BinaryOp::LtU => (BinaryOp::LeU, !negate, Second::Slot(left)),
                        BinaryOp::LeS => (BinaryOp::LtS, !negate, Second::Slot(left)),
                        BinaryOp::LeU => (BinaryOp::LtU, !negate, Second::Slot(left)),
                        op => (op, negate, Second::Slot(left)),
                    },
                    _ => return None,
                };
                Some(match (first, op, negate, other) {
                    $((BinaryOp::$sbr_step, BinaryOp::$sbr_op, $sbr_neg, Second::Slot(b)) =>
                        Instr::$sbr { dst, a, step, b, arm },)*
                    $((BinaryOp::$sbri_step, BinaryOp::$sbri_op, $sbri_neg, Second::Imm(imm)) =>
                        Instr::$sbri { dst, a, step, imm, arm },)*
                    _ => return None,
                })
            }

            /// What a branch of width 32 compares, whether that is negated, and its arm.
            fn comparison(&self) -> Option<(BinaryOp, bool, Slot, Second, u32)> {
                Some(match *self {
                    $(Instr::$br { a, b, arm } if $cmp_w == 32 =>
                        (BinaryOp::$cmp_op, $cmp_neg, a, Second::Slot(b), arm),)*
                    $(Instr::$bri { a, imm, arm } if $cmpi_w == 32 =>
                        (BinaryOp::$cmpi_op, $cmpi_neg, a, Second::Imm(imm), arm),)*
                    Instr::BrNonZero { a, arm } => (BinaryOp::Eq, true, a, Second::Imm(0), arm),
                    Instr::BrZero { a, arm } => (BinaryOp::Eq, false, a, Second::Imm(0), arm),
                    _ => return None,
                })
            }

            /// An arm of the branch, if this is one.
            pub fn arm(&self) -> Option<u32> {
                match *self {
                    $(Instr::$br { arm, .. } => Some(arm),)*
                    $(Instr::$bri { arm, .. } => Some(arm),)*
                    $(Instr::$sbr { arm, .. } => Some(arm),)*
                    $(Instr::$sbri { arm, .. } => Some(arm),)*
                    Instr::BrNonZero { arm, .. } | Instr::BrZero { arm, .. } | Instr::BrTable { arm, .. } => Some(arm),
                    _ => None,
                }
            }

            /// What the instruction divides by, if it is an integer division.
            pub fn divisor(&self) -> Option<Slot> {
                match *self {
                    $(Instr::$div { b, .. } => Some(b),)*
                    _ => None,
                }
            }

            /// The branch that jumps if this comparison holds (or, negated, if it does not).
            pub fn as_branch(&self, negate: bool, arm: u32) -> Option<Instr> {
                Some(match *self {
                    $(Instr::$cmp { a, b, .. } => {
                        let (op, negated) = (BinaryOp::$cmp_op, $cmp_neg ^ negate);
                        // The opposite of an integer order is the other order with its sides exchanged.
                        let (op, negated, a, b) = match op {
                            BinaryOp::LtS if negated => (BinaryOp::LeS, false, b, a),
                            BinaryOp::LtU if negated => (BinaryOp::LeU, false, b, a),
                            BinaryOp::LeS if negated => (BinaryOp::LtS, false, b, a),
                            BinaryOp::LeU if negated => (BinaryOp::LtU, false, b, a),
                            op => (op, negated, a, b),
                        };
                        branch(op, $cmp_w, negated, a, b, arm)?
                    })*
                    $(Instr::$cmpi { a, imm, .. } =>
                        branch_imm(BinaryOp::$cmpi_op, $cmpi_w, $cmpi_neg ^ negate, a, imm, arm)?,)*
                    _ => return None,
                })
            }

            /// The comparison with the opposite outcome.
            pub fn opposite(&self) -> Option<Instr> {
                Some(match *self {
                    $(Instr::$cmp { dst, a, b } => {
                        let op = BinaryOp::$cmp_op;
                        match op {
                            BinaryOp::LtS | BinaryOp::LtU | BinaryOp::LeS | BinaryOp::LeU => {
                                let other = match op {
                                    BinaryOp::LtS => BinaryOp::LeS,
                                    BinaryOp::LtU => BinaryOp::LeU,
                                    BinaryOp::LeS => BinaryOp::LtS,
                                    _ => BinaryOp::LtU,
                                };
                                compare(other, $cmp_w, false, dst, b, a)?
                            }
                            op => compare(op, $cmp_w, !$cmp_neg, dst, a, b)?,
                        }
                    })*
                    $(Instr::$cmpi { dst, a, imm } =>
                        compare_imm(BinaryOp::$cmpi_op, $cmpi_w, !$cmpi_neg, dst, a, imm)?,)*
                    _ => return None,
                })
            }
        }

        /// An operator on two slots.
        pub fn binary(op: BinaryOp, width: u32, dst: Slot, a: Slot, b: Slot) -> Option<Instr> {
            match (op, width) {
                $((BinaryOp::$bin_op, $bin_w) => Some(Instr::$bin { dst, a, b }),)*
                $((BinaryOp::$div_op, $div_w) => Some(Instr::$div { dst, a, b }),)*
                _ => None,
            }
        }

        /// An operator on a slot and an immediate, sign-extended to the width.
        pub fn binary_imm(op: BinaryOp, width: u32, dst: Slot, a: Slot, imm: i32) -> Option<Instr> {
            match (op, width) {
                $((BinaryOp::$bini_op, $bini_w) => Some(Instr::$bini { dst, a, imm }),)*
                _ => None,
            }
        }

        /// A comparison of two slots.
        pub fn compare(op: BinaryOp, width: u32, negate: bool, dst: Slot, a: Slot, b: Slot) -> Option<Instr> {
            match (op, width, negate) {
                $((BinaryOp::$cmp_op, $cmp_w, $cmp_neg) => Some(Instr::$cmp { dst, a, b }),)*
                _ => None,
            }
        }

        /// A comparison of a slot and an immediate, sign-extended to the width.
        pub fn compare_imm(op: BinaryOp, width: u32, negate: bool, dst: Slot, a: Slot, imm: i32) -> Option<Instr> {
            match (op, width, negate) {
                $((BinaryOp::$cmpi_op, $cmpi_w, $cmpi_neg) => Some(Instr::$cmpi { dst, a, imm }),)*
                _ => None,
            }
        }

        fn branch(
            op: BinaryOp, width: u32, negate: bool, a: Slot, b: Slot, arm: u32,
        ) -> Option<Instr> {
            match (op, width, negate) {
                $((BinaryOp::$cmp_op, $cmp_w, $cmp_neg) => Some(Instr::$br { a, b, arm }),)*
                _ => None,
            }
        }

        fn branch_imm(
            op: BinaryOp, width: u32, negate: bool, a: Slot, imm: i32, arm: u32,
        ) -> Option<Instr> {
            match (op, width, negate) {
                $((BinaryOp::$cmpi_op, $cmpi_w, $cmpi_neg) => Some(Instr::$bri { a, imm, arm }),)*
                _ => None,
            }
        }

        /// A non-trapping operator on one slot.
        pub fn unary(op: UnaryOp, from: u32, to: u32, dst: Slot, a: Slot) -> Option<Instr> {
            match (op, from, to) {
                $((UnaryOp::$un_op, $un_from, $un_to) => Some(Instr::$un { dst, a }),)*
                _ => None,
            }
        }

        /// The low `from` bits, sign-extended.
        pub fn extend(from: u32, to: u32, dst: Slot, a: Slot) -> Option<Instr> {
            match (from, to) {
                $(($ext_from, $ext_to) => Some(Instr::$ext { dst, a }),)*
                _ => None,
            }
        }

        /// A float to an integer, trapping if it does not fit.
        pub fn truncate(op: UnaryOp, from: u32, to: u32, dst: Slot, a: Slot) -> Option<Instr> {
            match (op, from, to) {
                $((UnaryOp::$trunc_op, $trunc_from, $trunc_to) => Some(Instr::$trunc { dst, a }),)*
                _ => None,
            }
        }

        /// A load from the address in a slot plus an offset.
        pub fn load(bytes: u32, sign: bool, to: u32, dst: Slot, base: Slot, offset: u32) -> Option<Instr> {
            match (bytes, sign, to) {
                $(($load_n, $load_s, $load_to) => Some(Instr::$load { dst, base, offset }),)*
                _ => None,
            }
        }

        /// A load from a constant address.
        pub fn load_at(bytes: u32, sign: bool, to: u32, dst: Slot, address: u32) -> Option<Instr> {
            match (bytes, sign, to) {
                $(($load_n, $load_s, $load_to) => Some(Instr::$load_at { dst, address }),)*
                _ => None,
            }
        }

        /// A store of a slot's low bytes to the address in a slot plus an offset.
        pub fn store(bytes: u32, base: Slot, value: Slot, offset: u32) -> Option<Instr> {
            match bytes {
                $($store_n => Some(Instr::$store { base, value, offset }),)*
                _ => None,
            }
        }

        /// A store of an immediate, sign-extended to 64 bits and truncated.
        pub fn store_imm(bytes: u32, base: Slot, imm: i32, offset: u32) -> Option<Instr> {
            match bytes {
                $($store_n => Some(Instr::$store_i { base, imm, offset }),)*
                _ => None,
            }
        }

        /// A store to a constant address.
        pub fn store_at(bytes: u32, address: u32, value: Slot) -> Option<Instr> {
            match bytes {
                $($store_n => Some(Instr::$store_at { address, value }),)*
                _ => None,
            }
        }
    };
}
instruction_tables!(define_instructions {});

/// The rarer instructions on memories and tables; operands are slots.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Bulk {
    MemorySize { dst: Slot },
    MemoryGrow { dst: Slot, delta: Slot },
    MemoryCopy { to: Slot, from: Slot, count: Slot },
    MemoryFill { to: Slot, value: Slot, count: Slot },
    MemoryInit { to: Slot, from: Slot, count: Slot, segment: u32 },
    DataDrop { segment: u32 },
    TableGet { dst: Slot, index: Slot, table: u32 },
    TableSet { index: Slot, value: Slot, table: u32 },
    TableSize { dst: Slot, table: u32 },
    TableGrow { dst: Slot, value: Slot, delta: Slot, table: u32 },
    TableFill { to: Slot, value: Slot, count: Slot, table: u32 },
    TableCopy { to: Slot, from: Slot, count: Slot, to_table: u32, from_table: u32 },
    TableInit { to: Slot, from: Slot, count: Slot, table: u32, segment: u32 },
    ElementDrop { segment: u32 },
}

const _: () = assert!(std::mem::size_of::<Instr>() == 16);
