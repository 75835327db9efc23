//! What each instruction does: one function each, named like the instruction and generic in the domain.
//!
//! The functions are inlined into the dispatchers ([`super::dispatch`]), which call each with its own instruction only.
#![allow(non_snake_case)]

use pessimum_term::{BinaryOp, UnaryOp};

use super::Stop;
use super::control::{CallSite, Registers, Run};
use super::frame::wrong_handler;
use super::memory;
use super::numeric::{self, immediate};
use crate::code::{Instr, instruction_tables};
use crate::domain::Domain;
use crate::machine::{Question, Trap};

/// Functions for instructions with these fields.
macro_rules! steps {
    ($($name:ident { $($field:ident),* } ($run:ident, $registers:ident) $body:block)*) => { $(
        #[inline(always)]
        pub(super) fn $name<'r, D: Domain, S: Stop<D::Value>>(
            $run: &mut Run<'r, D>,
            $registers: &mut Registers<'r, D::Value>,
        ) -> Result<(), S> {
            let Instr::$name { $($field,)* .. } = *$registers.at.instr() else { wrong_handler() };
            $body
        }
    )* };
}

/// The families of [`instruction_tables`].
macro_rules! family_steps {
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
    ) => { steps! {
        $($bin { dst, a, b } (run, at) {
            let (x, y) = (at.first::<S>(a), at.second::<S>(b));
            let value = run.domain.binary(BinaryOp::$bin_op, $bin_w, x, y);
            run.result(at, dst, value)
        })*
        $($bini { dst, a, imm } (run, at) {
            let value = run.domain.binary(BinaryOp::$bini_op, $bini_w, at.first::<S>(a), immediate::<D>($bini_w, imm));
            run.result(at, dst, value)
        })*
        $($div { dst, a, b } (run, at) {
            let (x, y) = (at.first::<S>(a), at.second::<S>(b));
            if D::PROFILED {
                let (pc, by_zero) = (run.pc(at) as u32, run.domain.compare(BinaryOp::Eq, false, $div_w, y, D::Value::default()));
                run.domain.divided(pc, by_zero);
            }
            let value = numeric::divide::<D, S>(run.domain, &mut run.answers, BinaryOp::$div_op, $div_w, x, y)?;
            run.result(at, dst, value)
        })*
        $($cmp { dst, a, b } (run, at) {
            let (x, y) = (at.first::<S>(a), at.second::<S>(b));
            let outcome = run.domain.compare(BinaryOp::$cmp_op, $cmp_neg, $cmp_w, x, y);
            if D::PROFILED {
                let pc = run.pc(at) as u32;
                run.domain.compared(pc, outcome);
            }
            run.result(at, dst, outcome)
        })*
        $($br { a, b, arm } (run, at) {
            let condition = |domain: &mut D, at: &Registers<'r, D::Value>| {
                domain.compare(BinaryOp::$cmp_op, $cmp_neg, $cmp_w, at.first::<S>(a), at.second::<S>(b))
            };
            run.branch(at, condition, arm, None)
        })*
        $($cmpi { dst, a, imm } (run, at) {
            let (x, y) = (at.first::<S>(a), immediate::<D>($cmpi_w, imm));
            let outcome = run.domain.compare(BinaryOp::$cmpi_op, $cmpi_neg, $cmpi_w, x, y);
            if D::PROFILED {
                let pc = run.pc(at) as u32;
                run.domain.compared(pc, outcome);
            }
            run.result(at, dst, outcome)
        })*
        $($bri { a, imm, arm } (run, at) {
            let condition = |domain: &mut D, at: &Registers<'r, D::Value>| {
                domain.compare(BinaryOp::$cmpi_op, $cmpi_neg, $cmpi_w, at.first::<S>(a), immediate::<D>($cmpi_w, imm))
            };
            run.branch(at, condition, arm, None)
        })*
        $($fuse { dst, a, b, c } (run, at) {
            let first = run.domain.binary(BinaryOp::$fuse_first, $fuse_w, at.first::<S>(a), at.frame.get(b));
            let value = run.domain.binary(BinaryOp::$fuse_second, $fuse_w, at.second::<S>(c), first);
            run.result(at, dst, value)
        })*
        $($fusei { dst, a, imm, c } (run, at) {
            let (x, y) = (at.first::<S>(a), immediate::<D>($fusei_w, imm));
            let first = run.domain.binary(BinaryOp::$fusei_first, $fusei_w, x, y);
            let value = run.domain.binary(BinaryOp::$fusei_second, $fusei_w, at.second::<S>(c), first);
            run.result(at, dst, value)
        })*
        $($fuseis { dst, a, imm, second } (run, at) {
            let (x, y) = (at.first::<S>(a), immediate::<D>($fuseis_w, imm));
            let first = run.domain.binary(BinaryOp::$fuseis_first, $fuseis_w, x, y);
            let value = run.domain.binary(BinaryOp::$fuseis_second, $fuseis_w, first, immediate::<D>($fuseis_w, second));
            run.result(at, dst, value)
        })*
        $($sbr { dst, a, step, b, arm } (run, at) {
            let (x, y) = (at.first::<S>(a), at.second::<S>(b));
            let value = run.domain.binary(BinaryOp::$sbr_step, 32, x, immediate::<D>(32, step.into()));
            let condition = |domain: &mut D, _: &Registers<'r, D::Value>| {
                domain.compare(BinaryOp::$sbr_op, $sbr_neg, 32, value, y)
            };
            run.branch(at, condition, arm, Some((dst, value)))
        })*
        $($sbri { dst, a, step, imm, arm } (run, at) {
            let x = at.first::<S>(a);
            let value = run.domain.binary(BinaryOp::$sbri_step, 32, x, immediate::<D>(32, step.into()));
            let condition = |domain: &mut D, _: &Registers<'r, D::Value>| {
                domain.compare(BinaryOp::$sbri_op, $sbri_neg, 32, value, immediate::<D>(32, imm))
            };
            run.branch(at, condition, arm, Some((dst, value)))
        })*
        $($un { dst, a } (run, at) {
            let value = run.domain.unary(UnaryOp::$un_op, $un_from, $un_to, at.first::<S>(a));
            run.result(at, dst, value)
        })*
        $($ext { dst, a } (run, at) {
            let value = run.domain.extend_low($ext_from, $ext_to, at.first::<S>(a));
            run.result(at, dst, value)
        })*
        $($trunc { dst, a } (run, at) {
            let x = at.first::<S>(a);
            let value =
                numeric::truncate::<D, S>(run.domain, &mut run.answers, UnaryOp::$trunc_op, $trunc_from, $trunc_to, x)?;
            run.result(at, dst, value)
        })*
        $(
            $load { dst, base, offset } (run, at) {
                let base = at.first_mut::<S>(base);
                let value = memory::load_from::<D, S, $load_n>(run, base, offset, $load_s, $load_to)?;
                run.result(at, dst, value)
            }
            $load_at { dst, address } (run, at) {
                let value = memory::load::<D, S, $load_n>(run, address as u64, $load_s, $load_to)?;
                run.result(at, dst, value)
            }
            $load_sum { dst, base, add, offset } (run, at) {
                let mut base = run.domain.binary(BinaryOp::Add, 32, at.first::<S>(base), immediate::<D>(32, add));
                let value = memory::load_from::<D, S, $load_n>(run, &mut base, offset, $load_s, $load_to)?;
                run.result(at, dst, value)
            }
            $load_index { dst, a, b, offset } (run, at) {
                let mut base = run.domain.binary(BinaryOp::Add, 32, at.first::<S>(a), at.second::<S>(b));
                let value = memory::load_from::<D, S, $load_n>(run, &mut base, offset, $load_s, $load_to)?;
                run.result(at, dst, value)
            }
        )*
        $(
            $store { base, value, offset } (run, at) {
                let address = memory::address::<D, S>(run, at.first_mut::<S>(base), offset, $store_n)?;
                memory::store::<D, S, $store_n>(run, address, at.second::<S>(value))?;
                run.next(at)
            }
            $store_i { base, imm, offset } (run, at) {
                let address = memory::address::<D, S>(run, at.first_mut::<S>(base), offset, $store_n)?;
                memory::store::<D, S, $store_n>(run, address, immediate::<D>($store_n * 8, imm))?;
                run.next(at)
            }
            $store_at { address, value } (run, at) {
                memory::store::<D, S, $store_n>(run, address as u64, at.first::<S>(value))?;
                run.next(at)
            }
        )*
    } };
}
instruction_tables!(family_steps {});

steps! {
    Copy { dst, src } (run, at) {
        let value = at.first::<S>(src);
        run.result(at, dst, value)
    }
    Copies { first, dst, src } (run, at) {
        let (to, from) = first;
        at.frame.set(to, at.first::<S>(from));
        let value = at.second::<S>(src);
        run.result(at, dst, value)
    }
    I32AddIs { first, dst, a, imm } (run, at) {
        let (to, from, add) = first;
        let sum = run.domain.binary(BinaryOp::Add, 32, at.first::<S>(from), immediate::<D>(32, add.into()));
        at.frame.set(to, sum);
        let value = run.domain.binary(BinaryOp::Add, 32, at.second::<S>(a), immediate::<D>(32, imm.into()));
        run.result(at, dst, value)
    }
    I32AddICopy { first, dst, src } (run, at) {
        let (to, from, add) = first;
        let sum = run.domain.binary(BinaryOp::Add, 32, at.first::<S>(from), immediate::<D>(32, add.into()));
        at.frame.set(to, sum);
        let value = at.second::<S>(src);
        run.result(at, dst, value)
    }
    Const { dst, bits } (run, at) {
        run.result(at, dst, D::constant(bits))
    }
    Wrap { dst, a } (run, at) {
        let value = run.domain.wrap(at.first::<S>(a));
        run.result(at, dst, value)
    }
    Select { dst, condition, then, otherwise, wide } (run, at) {
        let width = if wide { 64 } else { 32 };
        let (then, otherwise) = (at.frame.get(then), at.frame.get(otherwise));
        let value = run.domain.select(width, at.first::<S>(condition), then, otherwise);
        run.result(at, dst, value)
    }
    SelectRef { dst, condition, then, otherwise } (run, at) {
        let holds = run.answers.bits::<D, S>(at.first::<S>(condition), Question::Truth)? != 0;
        let value = at.frame.get(if holds { then } else { otherwise });
        run.result(at, dst, value)
    }
    GlobalGet { dst, global } (run, at) {
        let value = run.machine.globals[run.instance.globals[global as usize].0 as usize];
        run.result(at, dst, value)
    }
    GlobalSet { global, src } (run, at) {
        run.machine.globals[run.instance.globals[global as usize].0 as usize] = at.first::<S>(src);
        run.next(at)
    }
    RefFunc { dst, function } (run, at) {
        let reference = run.instance.functions[function as usize].reference();
        run.result(at, dst, D::constant(reference))
    }
    Jump {} (run, at) {
        let (to, adjust) = at.at.jump();
        run.jump(at, to, adjust)
    }
    BrNonZero { a, arm } (run, at) {
        run.branch(at, |_, at| at.first::<S>(a), arm, None)
    }
    BrZero { a, arm } (run, at) {
        run.branch(at, |domain, at| domain.truth(true, at.first::<S>(a)), arm, None)
    }
    BrTable { index, last, arm } (run, at) {
        let index = at.first::<S>(index);
        run.branch_table(at, index, last, arm)
    }
    Call { base, function, cost } (run, at) {
        run.call_own(at, function, CallSite { slot: base, cost })
    }
    CallImport { base, function, cost } (run, at) {
        let function = run.instance.functions[function as usize].0;
        run.call(at, function, CallSite { slot: base, cost })
    }
    CallIndirect { base, index, table, signature, cost } (run, at) {
        let elements = &*run.machine.tables[run.instance.tables[table as usize].0 as usize].elements;
        let last = elements.len() as u32;
        let index = run.answers.bits::<D, S>(at.first::<S>(index), |value| Question::Index { value, last })?;
        let function = match elements.get(index as usize) {
            None => return Err(Trap::UndefinedElement.into()),
            Some(0) => return Err(Trap::UninitializedElement.into()),
            Some(&reference) => (reference - 1) as u32,
        };
        if run.store.functions[function as usize].ty != run.instance.types[signature as usize] {
            return Err(Trap::IndirectCallType.into());
        }
        run.call(at, function, CallSite { slot: base, cost })
    }
    Return { first, count, cost } (run, at) {
        run.return_to_caller(at, first, count, cost)
    }
    Bulk { index } (run, at) {
        run.bulk(at, index)
    }
    Charge { weight } (run, at) {
        run.machine.weighted = run.machine.weighted.saturating_add(weight);
        run.next(at)
    }
    Throw { tag, first } (run, at) {
        run.throw(at, tag, first)
    }
    ThrowRef { src } (run, at) {
        run.throw_ref(at, src)
    }
    Unreachable {} (_run, at) {
        Err(Trap::Unreachable.into())
    }
}
