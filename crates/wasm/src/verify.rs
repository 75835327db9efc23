//! Checks compiled code once, so that the run loop need not check each access.
//!
//! The loop indexes frames, code, arms and bodies with numbers that the module compiler wrote into the instructions.
//! Checking each of them on every use took 13 to 39 % of the host instructions of `bench/engine`'s programs. They never change
//! once a module is loaded, so they are checked here instead, and `run/frame.rs` relies on it.

use smallvec::SmallVec;

use crate::code::{Instr, Slot, instruction_tables};
use crate::module::{Arm, Body, Clause, Module};

/// What an instruction refers to, as [`Uses`].
macro_rules! uses {
    ({ $instr:expr }
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
        // Every field is named, so that a new one cannot be forgotten here.
        match $instr {
            $(Instr::$bin { dst, a, b } => Uses::slots(&[dst, a, b]),)*
            $(Instr::$bini { dst, a, imm: _ } => Uses::slots(&[dst, a]),)*
            $(Instr::$div { dst, a, b } => Uses::slots(&[dst, a, b]),)*
            $(
                Instr::$cmp { dst, a, b } => Uses::slots(&[dst, a, b]),
                Instr::$br { a, b, arm } => Uses::branch(&[a, b], arm),
            )*
            $(
                Instr::$cmpi { dst, a, imm: _ } => Uses::slots(&[dst, a]),
                Instr::$bri { a, imm: _, arm } => Uses::branch(&[a], arm),
            )*
            $(Instr::$un { dst, a } => Uses::slots(&[dst, a]),)*
            $(Instr::$ext { dst, a } => Uses::slots(&[dst, a]),)*
            $(Instr::$trunc { dst, a } => Uses::slots(&[dst, a]),)*
            $(
                Instr::$load { dst, base, offset: _ } => Uses::slots(&[dst, base]),
                Instr::$load_at { dst, address: _ } => Uses::slots(&[dst]),
                Instr::$load_sum { dst, base, add: _, offset: _ } => Uses::slots(&[dst, base]),
                Instr::$load_index { dst, a, b, offset: _ } => Uses::slots(&[dst, a, b]),
            )*
            $(
                Instr::$store { base, value, offset: _ } => Uses::slots(&[base, value]),
                Instr::$store_i { base, imm: _, offset: _ } => Uses::slots(&[base]),
                Instr::$store_at { address: _, value } => Uses::slots(&[value]),
            )*
            $(Instr::$fuse { dst, a, b, c } => Uses::slots(&[dst, a, b, c]),)*
            $(Instr::$fusei { dst, a, imm: _, c } => Uses::slots(&[dst, a, c]),)*
            $(Instr::$fuseis { dst, a, imm: _, second: _ } => Uses::slots(&[dst, a]),)*
            $(Instr::$sbr { dst, a, step: _, b, arm } => Uses::branch(&[dst, a, b], arm),)*
            $(Instr::$sbri { dst, a, step: _, imm: _, arm } => Uses::branch(&[dst, a], arm),)*
            Instr::Copy { dst, src } => Uses::slots(&[dst, src]),
            Instr::Copies { first: (to, from), dst, src } => Uses::slots(&[to, from, dst, src]),
            Instr::I32AddIs { first: (to, from, _), dst, a, imm: _ } => Uses::slots(&[to, from, dst, a]),
            Instr::I32AddICopy { first: (to, from, _), dst, src } => Uses::slots(&[to, from, dst, src]),
            Instr::Const { dst, bits: _ } => Uses::slots(&[dst]),
            Instr::Wrap { dst, a } => Uses::slots(&[dst, a]),
            Instr::Select { dst, condition, then, otherwise, wide: _ }
            | Instr::SelectRef { dst, condition, then, otherwise } => Uses::slots(&[dst, condition, then, otherwise]),
            // Globals, functions, tables and signatures are looked up with checks: their use is rarer, and what they
            // index belongs to an instance.
            Instr::GlobalGet { dst, global: _ } => Uses::slots(&[dst]),
            Instr::GlobalSet { global: _, src } => Uses::slots(&[src]),
            Instr::RefFunc { dst, function: _ } => Uses::slots(&[dst]),
            Instr::Jump { target, adjust: _ } => Uses { target: Some(target), ..Uses::default() },
            Instr::BrNonZero { a, arm } | Instr::BrZero { a, arm } => Uses::branch(&[a], arm),
            Instr::BrTable { index, last, arm } => {
                let (first, last) = (u64::from(arm), u64::from(arm) + u64::from(last));
                Uses { arms: Some((first, last)), ..Uses::slots(&[index]) }
            }
            // The callee's frame starts at `base`, which may be just above the caller's; it is made when it is entered.
            Instr::Call { base: _, function: _, cost: _ } | Instr::CallImport { base: _, function: _, cost: _ } => {
                Uses::default()
            }
            Instr::CallIndirect { base: _, index, table: _, signature: _, cost: _ } => Uses::slots(&[index]),
            // The results may be none, and start just above the frame; `check` looks at both together.
            Instr::Return { first: _, count: _, cost: _ } => Uses::default(),
            // These access their slots with checks.
            Instr::Bulk { index: _ } => Uses::default(),
            Instr::Charge { weight: _ } | Instr::Unreachable => Uses::default(),
            // How many values there are depends on the tag; `check` looks at both together.
            Instr::Throw { tag: _, first: _ } => Uses::default(),
            Instr::ThrowRef { src } => Uses::slots(&[src]),
        }
    };
}

/// Proof that the code of a module keeps to its bounds. Only [`Verified::check`] makes one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Verified(());

impl Verified {
    /// Checks the code of a module, which must not change afterwards:
    ///
    /// - a slot that an instruction names is below [`Module::widest_frame`], and so are the locals of each body;
    /// - targets of jumps, branches and arms are positions in the code, and so are the entries of bodies;
    /// - control does not run past the last instruction;
    /// - both arms of a branch, and all arms of a `br_table`, are in [`Module::arms`];
    /// - a function that is called directly is in [`Module::bodies`];
    /// - an exception's values are in the frame where it is thrown and where it is caught, and where it is caught is a position
    ///   in the code.
    pub(crate) fn check(module: &Module) -> Result<Verified, String> {
        let Module { code, arms, bodies, .. } = module;
        let widest = module.widest_frame;
        let values_of = |tag: u32| ((tag as usize) < module.tags.len()).then(|| module.tag_type(tag).params.len());
        for (at, instr) in code.iter().enumerate() {
            let broken = |what: &str| Err(format!("instruction {at}, {instr:?}, names {what}"));
            let uses = Uses::of(instr);
            if uses.slots.iter().any(|&slot| u32::from(slot) >= widest) {
                return broken("a slot outside its frame");
            }
            if uses.target.is_some_and(|target| target as usize >= code.len()) {
                return broken("a target outside the code");
            }
            if uses.arms.is_some_and(|(first, last)| first > last || last >= arms.len() as u64) {
                return broken("an arm that does not exist");
            }
            match *instr {
                Instr::Return { first, count, .. } if u32::from(first) + u32::from(count) > widest => {
                    return broken("results outside its frame");
                }
                Instr::Call { function, .. } if function as usize >= bodies.len() => {
                    return broken("a function that does not exist");
                }
                Instr::Throw { tag, first } => match values_of(tag) {
                    None => return broken("a tag that does not exist"),
                    Some(values) if usize::from(first) + values > widest as usize => {
                        return broken("values outside its frame");
                    }
                    Some(_) => {}
                },
                _ => {}
            }
        }
        let outside = |arm: &&Arm| arm.target as usize >= code.len();
        if let Some(arm) = arms.iter().find(outside) {
            return Err(format!("{arm:?} leads outside the code"));
        }
        let outside = |clause: &&Clause| {
            // One that takes every exception is given no values.
            let values = clause.tag.map_or(Some(0), values_of);
            let end = values.map(|values| clause.values.map_or(0, usize::from) + values);
            clause.target as usize >= code.len()
                || end.is_none_or(|end| end > widest as usize)
                || clause.reference.is_some_and(|slot| u32::from(slot) >= widest)
        };
        if let Some(clause) = module.clauses.iter().find(outside) {
            return Err(format!("{clause:?} leads outside the code or its frame"));
        }
        let outside = |body: &&Body| {
            body.entry as usize >= code.len() || body.params.max(body.locals) > widest || body.params > body.locals
        };
        if let Some(body) = bodies.iter().find(outside) {
            return Err(format!("{body:?} is outside the code or its frame"));
        }
        match code.last() {
            None
            | Some(
                Instr::Return { .. }
                | Instr::Jump { .. }
                | Instr::BrTable { .. }
                | Instr::Throw { .. }
                | Instr::ThrowRef { .. }
                | Instr::Unreachable,
            ) => Ok(Verified(())),
            Some(last) => Err(format!("control runs past the last instruction, {last:?}")),
        }
    }
}

/// What an instruction refers to.
#[derive(Default)]
struct Uses {
    slots: SmallVec<[Slot; 4]>,
    target: Option<u32>,
    /// First and last of the arms that it counts.
    arms: Option<(u64, u64)>,
}

impl Uses {
    fn slots(slots: &[Slot]) -> Uses {
        Uses { slots: SmallVec::from_slice(slots), ..Uses::default() }
    }

    fn branch(slots: &[Slot], arm: u32) -> Uses {
        let (first, last) = (u64::from(arm & !1), u64::from(arm | 1));
        Uses { slots: SmallVec::from_slice(slots), target: None, arms: Some((first, last)) }
    }

    fn of(instr: &Instr) -> Uses {
        instruction_tables!(uses { *instr })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::LoadSettings;

    /// A module with an instruction of each kind that refers to something.
    fn module() -> Module {
        let text = r#"(module (memory 1) (tag $e (param i32))
            (func $callee (param i32) (result i32) local.get 0 i32.const 1 i32.add)
            (func (param i32 i32) (result i32) (local i32)
                (loop
                    (local.set 2 (i32.load (i32.add (local.get 0) (local.get 1))))
                    (br_if 0 (i32.lt_s (local.get 2) (local.get 1))))
                (block (block (block (br_table 0 1 2 (local.get 0)))))
                (drop (block $h (result i32)
                    (try_table (catch $e $h) (throw $e (local.get 0)))
                    (unreachable)))
                (if (local.get 0) (then (nop)) (else (local.set 2 (local.get 1))))
                (call $callee (select (local.get 0) (local.get 1) (local.get 2)))))"#;
        Module::load(text.as_bytes(), &LoadSettings::default()).expect("the module is valid")
    }

    /// The error after a change to the first instruction that the function changes.
    fn after(change: impl Fn(&mut Instr) -> bool) -> String {
        let mut module = module();
        assert!(module.code.iter_mut().any(change), "the module has such an instruction");
        Verified::check(&module).expect_err("the code is broken")
    }

    #[test]
    fn compiled_code_is_accepted() {
        assert!(module().verified.is_some());
        let weights = crate::costs::Weights::default();
        let weighted =
            Module::load(b"(module (func (loop (br 0))))", &LoadSettings { weights: Some(weights), priced: None });
        assert!(weighted.expect("the module is valid").verified.is_some());
    }

    #[test]
    fn a_slot_outside_the_frame_is_refused() {
        let widest = module().widest_frame as Slot;
        // Every operand of every instruction: a destination here, the sources by their kinds below.
        let message = after(|instr| instr.destination().map(|dst| *dst = widest).is_some());
        assert!(message.contains("slot outside"), "{message}");
        for position in 0..4 {
            let message = after(|instr| match instr {
                Instr::Select { dst, condition, then, otherwise, .. } => {
                    *[dst, condition, then, otherwise][position] = widest;
                    true
                }
                _ => false,
            });
            assert!(message.contains("slot outside"), "{message}");
        }
        let message = after(|instr| match instr {
            Instr::I32LoadIndex { b, .. } => {
                *b = widest;
                true
            }
            _ => false,
        });
        assert!(message.contains("slot outside"), "{message}");
    }

    #[test]
    fn results_outside_the_frame_are_refused() {
        let widest = module().widest_frame as Slot;
        let message = after(|instr| match instr {
            Instr::Return { first, .. } => {
                *first = widest;
                true
            }
            _ => false,
        });
        assert!(message.contains("results outside"), "{message}");
    }

    #[test]
    fn targets_arms_and_functions_that_do_not_exist_are_refused() {
        let end = module().code.len() as u32;
        let arms = module().arms.len() as u32;
        let message = after(|instr| match instr {
            Instr::Jump { target, .. } => {
                *target = end;
                true
            }
            _ => false,
        });
        assert!(message.contains("target outside"), "{message}");
        let message = after(|instr| match instr {
            Instr::BrI32LtS { arm, .. } => {
                *arm = arms;
                true
            }
            _ => false,
        });
        assert!(message.contains("arm that does not exist"), "{message}");
        let message = after(|instr| match instr {
            Instr::BrTable { last, .. } => {
                *last = u32::MAX;
                true
            }
            _ => false,
        });
        assert!(message.contains("arm that does not exist"), "{message}");
        let message = after(|instr| match instr {
            Instr::Call { function, .. } => {
                *function = 2;
                true
            }
            _ => false,
        });
        assert!(message.contains("function that does not exist"), "{message}");
        let throw = |instr: &mut Instr, number: u32, slot: Slot| match instr {
            Instr::Throw { tag, first } => {
                (*tag, *first) = (number, slot);
                true
            }
            _ => false,
        };
        let widest = module().widest_frame as Slot;
        assert!(after(|instr| throw(instr, 1, 0)).contains("tag that does not exist"));
        assert!(after(|instr| throw(instr, 0, widest)).contains("values outside"));
    }

    #[test]
    fn what_is_beside_the_code_is_checked_too() {
        let broken = |change: fn(&mut Module)| {
            let mut module = module();
            change(&mut module);
            Verified::check(&module).expect_err("the code is broken")
        };
        assert!(broken(|module| module.arms[0].target = module.code.len() as u32).contains("outside the code"));
        assert!(broken(|module| module.bodies[1].entry = module.code.len() as u32).contains("outside the code"));
        assert!(broken(|module| module.bodies[1].locals = module.widest_frame + 1).contains("its frame"));
        assert!(broken(|module| module.clauses[0].target = module.code.len() as u32).contains("outside the code"));
        assert!(broken(|module| module.clauses[0].values = Some(module.widest_frame as Slot)).contains("its frame"));
        assert!(broken(|module| module.clauses[0].reference = Some(module.widest_frame as Slot)).contains("its frame"));
        assert!(broken(|module| module.clauses[0].tag = Some(9)).contains("its frame"));
        assert!(broken(|module| module.code.push(Instr::Copy { dst: 0, src: 0 })).contains("runs past"));
        assert!(broken(|module| _ = module.code.pop()).contains("runs past"));
    }
}
