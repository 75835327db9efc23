//! The module that wasmi gets: an equivalent one that avoids two of its faults and one freedom of the standard.
//!
//! wasmi 2.0.0 fuses a comparison with the `select` that follows and then tests the wrong register: in
//! `translate_select` the comparison is dropped, but the condition still names the register that it would have
//! written. V8 agrees with us on the modules where that shows (about one in a thousand). Here the condition of every
//! `select` passes through a fresh local, which keeps the two apart.
//!
//! wasmi 2.0.0 also forgets to move the operands of some `br_table`s. `visit_br_table` moves them where the heights of
//! the targets differ from each other, but not where all targets have the same height and other operands lie between
//! that height and the operands of the branch. V8 agrees with us here too, on the module of seed 2360 among others. Here
//! a `br_table` becomes a chain of `br_if`s, one per target, on a fresh local that holds the index. Dead code keeps its
//! `br_table`s: there the types of the targets may differ, which a chain does not allow.
//!
//! The standard leaves the payload of a NaN result open, and ours is always the canonical one. The generator makes the
//! results of arithmetic canonical on its own, but not those of `f32.demote_f64` and `f64.promote_f32`: that is done
//! here.

use pessimum_wasm::Module;
use wasm_encoder::reencode::{Error, Reencode};
use wasm_encoder::{CodeSection, Function, Instruction, ValType};
use wasmparser::{BrTable, FunctionBody, Operator, Parser};

/// Where the code of a function cannot be reached, by the rules of validation.
#[derive(Default)]
struct Reachability {
    /// Blocks around the current operator.
    depth: u32,
    /// The depth at which an unconditional branch cut off the rest of its block.
    dead_from: Option<u32>,
}

impl Reachability {
    /// Records an operator; returns whether it can be reached.
    fn pass(&mut self, operator: &Operator<'_>) -> bool {
        match operator {
            Operator::Block { .. } | Operator::Loop { .. } | Operator::If { .. } => self.depth += 1,
            Operator::Else | Operator::End => {
                self.dead_from.take_if(|dead_from| *dead_from == self.depth);
                if matches!(operator, Operator::End) {
                    self.depth = self.depth.saturating_sub(1);
                }
            }
            _ => {}
        }
        let reached = self.dead_from.is_none();
        if matches!(operator, Operator::Unreachable | Operator::Return | Operator::Br { .. } | Operator::BrTable { .. })
        {
            self.dead_from.get_or_insert(self.depth);
        }
        reached
    }
}

/// The instructions of a `br_table` as conditional branches, with the index in this local.
fn branch_chain(targets: &BrTable<'_>, index: u32) -> Result<Vec<Instruction<'static>>, Error> {
    let mut chain = vec![Instruction::LocalSet(index)];
    for (arm, target) in (0..).zip(targets.targets()) {
        chain.push(Instruction::LocalGet(index));
        chain.push(Instruction::I32Const(arm));
        chain.push(Instruction::I32Eq);
        chain.push(Instruction::BrIf(target?));
    }
    chain.push(Instruction::Br(targets.default()));
    Ok(chain)
}

struct ForWasmi<'m> {
    module: &'m Module,
    /// Index of the next function that has a body.
    next: u32,
}

impl Reencode for ForWasmi<'_> {
    type Error = std::convert::Infallible;

    fn parse_function_body(&mut self, code: &mut CodeSection, body: FunctionBody<'_>) -> Result<(), Error> {
        let params = self.module.function_type(self.next).params.len() as u32;
        self.next += 1;
        let mut locals = Vec::new();
        for local in body.get_locals_reader()? {
            let (count, ty) = local?;
            locals.push((count, self.val_type(ty)?));
        }
        let fresh = params + locals.iter().map(|local| local.0).sum::<u32>();
        locals.extend([(1, ValType::I32), (1, ValType::F32), (1, ValType::F64)]);
        let mut function = Function::new(locals);
        let mut reachability = Reachability::default();
        for operator in body.get_operators_reader()? {
            let operator = operator?;
            let reached = reachability.pass(&operator);
            let instruction = self.instruction(operator.clone())?;
            let keep_condition = [Instruction::LocalSet(fresh), Instruction::LocalGet(fresh)];
            let canonical = |float: u32, nan: Instruction<'static>, equal: Instruction<'static>| {
                let get = Instruction::LocalGet(float);
                let [set_condition, get_condition] = keep_condition.clone();
                let value = [Instruction::LocalTee(float), nan, get.clone(), get, equal];
                value.into_iter().chain([set_condition, get_condition, Instruction::Select])
            };
            match operator {
                Operator::Select | Operator::TypedSelect { .. } => {
                    for instruction in &keep_condition {
                        function.instruction(instruction);
                    }
                    function.instruction(&instruction);
                }
                Operator::BrTable { targets } if reached => {
                    for instruction in branch_chain(&targets, fresh)? {
                        function.instruction(&instruction);
                    }
                }
                Operator::F32DemoteF64 => {
                    function.instruction(&instruction);
                    for instruction in canonical(fresh + 1, Instruction::F32Const(f32::NAN.into()), Instruction::F32Eq)
                    {
                        function.instruction(&instruction);
                    }
                }
                Operator::F64PromoteF32 => {
                    function.instruction(&instruction);
                    for instruction in canonical(fresh + 2, Instruction::F64Const(f64::NAN.into()), Instruction::F64Eq)
                    {
                        function.instruction(&instruction);
                    }
                }
                _ => _ = function.instruction(&instruction),
            }
        }
        code.function(&function);
        Ok(())
    }
}

/// The module as wasmi gets it.
pub fn for_wasmi(bytes: &[u8], module: &Module) -> Result<Vec<u8>, String> {
    let mut encoded = wasm_encoder::Module::new();
    let mut reencoder = ForWasmi { module, next: module.imported_function_count() };
    reencoder.parse_core_module(&mut encoded, Parser::new(0), bytes).map_err(|error| error.to_string())?;
    Ok(encoded.finish())
}
