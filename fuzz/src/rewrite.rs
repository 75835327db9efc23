//! What wasmi gets: the same module, but for one fault and one freedom.
//!
//! wasmi 2.0.0 fuses a comparison with the `select` that follows and then tests the wrong register: in
//! `translate_select` the comparison is dropped, but the condition still names the register that it would have
//! written. V8 agrees with us on the modules where that shows (about one in a thousand). So wasmi gets each module with
//! the condition of every `select` passed through a fresh local, which keeps the two apart and changes nothing else.
//!
//! The standard leaves the payload of a NaN result open, and ours is always the canonical one. The generator makes the
//! results of arithmetic canonical by itself, but not those of `f32.demote_f64` and `f64.promote_f32`: that is done here.

use pessimum_wasm::Module;
use wasm_encoder::reencode::{Error, Reencode};
use wasm_encoder::{CodeSection, Function, Instruction, ValType};
use wasmparser::{FunctionBody, Operator, Parser};

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
        for operator in body.get_operators_reader()? {
            let operator = operator?;
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
