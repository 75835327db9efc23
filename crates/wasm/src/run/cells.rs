//! The code of a module in the form that the run loop reads: each instruction with what it would otherwise look up.
//!
//! Concrete runs pass the result of an instruction to the next one in a register of the processor, besides writing it to its
//! slot ([`super::control::Registers::last`]). A slot that is read right after it was written takes several cycles longer than
//! a register, and the processor waits that long for the outcome of a branch that it has predicted wrongly. Which slot the
//! register stands for is known for each position before anything runs; an instruction that reads this slot gets a handler
//! that takes the register instead.
//!
//! Pairs that compilers emit next to each other are one instruction: an operator on the result of another, a load from
//! a sum, moves between slots, a sum or mask and the branch on it. The first half must not trap, or its count would be
//! wrong; in a branch that may ask, its result is written last.

#[cfg(all(tail_calls, not(debug_assertions)))]
use super::dispatch::Handler;
use crate::code::{Instr, Slot, instruction_tables};
use crate::module::{Arm, Module};
use crate::verify::Verified;

/// One instruction.
#[derive(Debug)]
pub(super) struct Cell {
    /// What executes it in a concrete run.
    #[cfg(all(tail_calls, not(debug_assertions)))]
    pub handler: Handler,
    pub instr: Instr,
    /// For a jump or branch: the distance to its target in bytes.
    pub hop: i32,
    /// For a jump or branch: what it adds to the accumulated cost, see [`Instr::Jump`].
    pub adjust: i32,
}

const CELL: usize = size_of::<Cell>();

/// As many instructions as [`Cell::hop`] can cross.
pub(crate) const MOST_CELLS: usize = i32::MAX as usize / 32;
const _: () = assert!(CELL <= 32);

/// The code of a verified module.
#[derive(Debug, Default)]
pub(crate) struct Cells {
    pub(super) all: Vec<Cell>,
    /// For each of them, the slot whose value is passed to it in a register, if there is one.
    pub(super) passed: Vec<Option<Slot>>,
}

impl Cells {
    pub(crate) fn of(module: &Module, _: Verified) -> Cells {
        let passed = passed_slots(module);
        let cell = |(at, instr): (usize, &Instr)| {
            let (target, adjust) = jump(module, instr).unwrap_or((at as u32, 0));
            Cell {
                #[cfg(all(tail_calls, not(debug_assertions)))]
                handler: super::dispatch::handler(instr, forwarded(instr, passed[at])),
                instr: *instr,
                hop: ((i64::from(target) - at as i64) * CELL as i64) as i32,
                adjust,
            }
        };
        assert!(module.code.len() <= MOST_CELLS, "the module compiler refuses longer code");
        let all = module.code.iter().enumerate().map(cell).collect();
        Cells { all, passed }
    }
}

/// Where a jump or branch goes if it jumps, and what it then adds to the accumulated cost.
fn jump(module: &Module, instr: &Instr) -> Option<(u32, i32)> {
    match *instr {
        Instr::Jump { target, adjust } => Some((target, adjust)),
        Instr::BrTable { .. } => None,
        _ => instr.arm().map(|arm| module.arms[arm as usize]).map(|Arm { adjust, target }| (target, adjust)),
    }
}

/// For each position, the slot whose value the register has whenever control arrives there, if there is one.
fn passed_slots(module: &Module) -> Vec<Option<Slot>> {
    /// What is known of a position so far.
    #[derive(Clone, Copy, PartialEq)]
    enum Passed {
        NotReached,
        Slot(Slot),
        Nothing,
    }
    let code = &module.code;
    let mut passed = vec![Passed::NotReached; code.len()];
    // A function is called from anywhere, and what a loop gets from its own end is not known when its start is looked at.
    for body in &module.bodies {
        passed[body.entry as usize] = Passed::Nothing;
    }
    let targets = |instr: &Instr| {
        let table = match *instr {
            Instr::BrTable { last, arm, .. } => &module.arms[arm as usize..][..last as usize + 1],
            _ => &[],
        };
        table.iter().map(|arm| arm.target).chain(jump(module, instr).map(|(target, _)| target))
    };
    for (at, instr) in code.iter().enumerate() {
        for target in targets(instr).filter(|&target| target as usize <= at) {
            passed[target as usize] = Passed::Nothing;
        }
    }
    for (at, instr) in code.iter().enumerate() {
        let after = match effect(instr) {
            Effect::Keeps => passed[at],
            Effect::Passes(slot) if u32::from(slot) < module.widest_frame => Passed::Slot(slot),
            _ => Passed::Nothing,
        };
        // Where an exception is caught, the register is read anew.
        let ends = matches!(
            instr,
            Instr::Jump { .. }
                | Instr::Return { .. }
                | Instr::BrTable { .. }
                | Instr::Throw { .. }
                | Instr::ThrowRef { .. }
                | Instr::Unreachable
        );
        let next = (!ends).then_some(at as u32 + 1);
        for to in targets(instr).chain(next).filter(|&to| to as usize > at) {
            let Some(place) = passed.get_mut(to as usize) else { continue };
            *place = match *place {
                Passed::NotReached => after,
                same if same == after => same,
                _ => Passed::Nothing,
            };
        }
    }
    let slot = |passed: Passed| match passed {
        Passed::Slot(slot) => Some(slot),
        Passed::NotReached | Passed::Nothing => None,
    };
    passed.into_iter().map(slot).collect()
}

/// What an instruction does to the register, wherever control goes from there without leaving the chain of handlers. Where it
/// leaves, the register is read anew.
enum Effect {
    /// It writes no slot, and hands on what it got.
    Keeps,
    /// It hands on the value of this slot.
    Passes(Slot),
    Unknown,
}

/// Which operands an instruction takes from the register instead of its slots: 1 for the first, 2 for the second.
#[cfg(all(tail_calls, not(debug_assertions)))]
fn forwarded(instr: &Instr, passed: Option<Slot>) -> usize {
    let (first, second) = operands(instr);
    let is = |operand: Option<Slot>| usize::from(passed.is_some() && operand == passed);
    is(first) | is(second) << 1
}

macro_rules! define_operands {
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
        /// The operands that the instruction reads by [`super::control::Registers::first`] and `second`, before it writes
        /// anything.
        #[cfg_attr(not(all(tail_calls, not(debug_assertions))), allow(dead_code))]
        fn operands(instr: &Instr) -> (Option<Slot>, Option<Slot>) {
            match *instr {
                $(Instr::$bin { a, b, .. } => (Some(a), Some(b)),)*
                $(Instr::$bini { a, .. } => (Some(a), None),)*
                $(Instr::$div { a, b, .. } => (Some(a), Some(b)),)*
                $(Instr::$cmp { a, b, .. } | Instr::$br { a, b, .. } => (Some(a), Some(b)),)*
                $(Instr::$cmpi { a, .. } | Instr::$bri { a, .. } => (Some(a), None),)*
                $(Instr::$un { a, .. } => (Some(a), None),)*
                $(Instr::$ext { a, .. } => (Some(a), None),)*
                $(Instr::$trunc { a, .. } => (Some(a), None),)*
                $(
                    Instr::$load { base, .. } | Instr::$load_sum { base, .. } => (Some(base), None),
                    Instr::$load_index { a, b, .. } => (Some(a), Some(b)),
                )*
                $(
                    Instr::$store { base, value, .. } => (Some(base), Some(value)),
                    Instr::$store_i { base, .. } => (Some(base), None),
                    Instr::$store_at { value, .. } => (Some(value), None),
                )*
                $(Instr::$fuse { a, c, .. } => (Some(a), Some(c)),)*
                $(Instr::$fusei { a, c, .. } => (Some(a), Some(c)),)*
                $(Instr::$fuseis { a, .. } => (Some(a), None),)*
                $(Instr::$sbr { a, b, .. } => (Some(a), Some(b)),)*
                $(Instr::$sbri { a, .. } => (Some(a), None),)*
                Instr::Copy { src, .. } => (Some(src), None),
                Instr::Copies { first: (to, from), src, .. } => (Some(from), Some(src).filter(|&src| src != to)),
                Instr::I32AddIs { first: (to, from, _), a, .. } => (Some(from), Some(a).filter(|&a| a != to)),
                Instr::I32AddICopy { first: (to, from, _), src, .. } => (Some(from), Some(src).filter(|&src| src != to)),
                Instr::Wrap { a, .. } => (Some(a), None),
                Instr::Select { condition, .. } | Instr::SelectRef { condition, .. } => (Some(condition), None),
                Instr::GlobalSet { src, .. } => (Some(src), None),
                Instr::BrNonZero { a, .. } | Instr::BrZero { a, .. } => (Some(a), None),
                Instr::BrTable { index, .. } | Instr::CallIndirect { index, .. } => (Some(index), None),
                Instr::Return { first, count: 1, .. } => (Some(first), None),
                _ => (None, None),
            }
        }

        fn effect(instr: &Instr) -> Effect {
            match *instr {
                $(Instr::$br { .. } => Effect::Keeps,)*
                $(Instr::$bri { .. } => Effect::Keeps,)*
                $(Instr::$store { .. } | Instr::$store_i { .. } | Instr::$store_at { .. } => Effect::Keeps,)*
                Instr::BrNonZero { .. } | Instr::BrZero { .. } | Instr::BrTable { .. } | Instr::Jump { .. }
                | Instr::GlobalSet { .. } | Instr::Charge { .. } => Effect::Keeps,
                $(Instr::$sbr { dst, .. } => Effect::Passes(dst),)*
                $(Instr::$sbri { dst, .. } => Effect::Passes(dst),)*
                Instr::Copies { dst, .. } | Instr::I32AddIs { dst, .. } | Instr::I32AddICopy { dst, .. } =>
                    Effect::Passes(dst),
                // A function that returns passes its first slot, whether there is a result in it or not.
                Instr::Call { base, .. } | Instr::CallImport { base, .. } | Instr::CallIndirect { base, .. } =>
                    Effect::Passes(base),
                mut other => other.destination().map_or(Effect::Unknown, |dst| Effect::Passes(*dst)),
            }
        }
    };
}
instruction_tables!(define_operands {});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::LoadSettings;

    /// What the first instruction that a function picks gets, in a function with these parameters: two `i32`.
    fn passed_to(body: &str, pick: impl Fn(&Instr) -> bool) -> Option<Slot> {
        let text = format!(
            "(module (memory 1) (func $g (result i32) (i32.const 1)) (func (param i32 i32) (result i32) (local i32) {body}))"
        );
        let module = Module::load(text.as_bytes(), &LoadSettings::default()).unwrap_or_else(|e| panic!("{body}: {e}"));
        let at = module.code.iter().position(pick).unwrap_or_else(|| panic!("{body} has no such instruction"));
        module.cells.passed[at]
    }

    #[test]
    fn a_result_is_passed_until_there_is_another() {
        let xor = |instr: &Instr| matches!(instr, Instr::I32XorI { .. });
        let pieces = "(local.set 2 (i32.add (local.get 0) (local.get 1)))";
        let last = "(i32.xor (local.get 2) (i32.const 7))";
        assert_eq!(passed_to(&format!("{pieces} {last}"), xor), Some(2));
        // Stores and branches that are not taken keep it, other results and the rarer instructions do not.
        assert_eq!(passed_to(&format!("{pieces} (i32.store (local.get 0) (local.get 1)) {last}"), xor), Some(2));
        let branch = "(if (local.get 1) (then (return (i32.const 1))))";
        assert_eq!(passed_to(&format!("{pieces} {branch} {last}"), xor), Some(2));
        assert_eq!(passed_to(&format!("{pieces} (local.set 0 (i32.clz (local.get 1))) {last}"), xor), Some(0));
        let fill = "(memory.fill (local.get 0) (local.get 1) (local.get 1))";
        assert_eq!(passed_to(&format!("{pieces} {fill} {last}"), xor), None);
    }

    #[test]
    fn where_control_joins_all_must_pass_the_same() {
        let xor = |instr: &Instr| matches!(instr, Instr::I32XorI { .. });
        let set = |local: u32| format!("(local.set {local} (i32.mul (local.get 0) (local.get 1)))");
        let joined = |first: u32, second: u32| {
            let (first, second) = (set(first), set(second));
            let last = "(i32.xor (local.get 2) (i32.const 7))";
            passed_to(&format!("(if (local.get 0) (then {first}) (else {second})) {last}"), xor)
        };
        assert_eq!(joined(2, 2), Some(2));
        assert_eq!(joined(2, 1), None);
        // The start of a loop is reached from its end too.
        let again = "(loop (local.set 2 (i32.xor (local.get 2) (i32.const 7))) (br_if 0 (local.get 1)))";
        assert_eq!(passed_to(&format!("{} {again} (local.get 2)", set(2)), xor), None);
    }

    #[test]
    fn a_call_passes_its_result_and_a_function_gets_nothing() {
        let add = |instr: &Instr| matches!(instr, Instr::I32Add { .. });
        assert_eq!(passed_to("(i32.add (call $g) (local.get 1))", add), Some(3));
        assert_eq!(passed_to("(i32.add (local.get 0) (local.get 1))", add), None);
    }
}
