//! Branches that nobody wrote: compilers check for divisions by zero, overflow and indices out of range, and call a function
//! that panics where the check fails.

use std::collections::BTreeSet;

use wasmparser::{BinaryReaderError, FunctionBody, Operator, Parser, Payload};

use crate::module::Module;
use crate::names::Names;
use crate::sites::SiteId;

/// How the names of the functions begin that such checks call.
const FAILURES: [&str; 2] = ["core::panicking::panic_const", "core::panicking::panic_bounds_check"];

/// Instructions before the call that fails: they pass what is to be said.
const LONGEST: usize = 16;

impl Module {
    /// The arms of conditional branches that lead straight to the failure of a check which the compiler added. `bytes` are
    /// those that the module was loaded from.
    pub fn implicit_failures(&self, bytes: &[u8]) -> Result<BTreeSet<(SiteId, u32)>, BinaryReaderError> {
        let names = Names::of(self);
        let fails = |function: u32| FAILURES.iter().any(|start| names.function(function).starts_with(start));
        let failing: BTreeSet<u32> = (0..self.function_count()).filter(|&function| fails(function)).collect();
        let mut found = BTreeSet::new();
        if failing.is_empty() {
            return Ok(found);
        }
        for payload in Parser::new(0).parse_all(bytes) {
            if let Payload::CodeSectionEntry(body) = payload? {
                self.failures_of(&body, &failing, &mut found)?;
            }
        }
        Ok(found)
    }

    fn failures_of(
        &self,
        body: &FunctionBody<'_>,
        failing: &BTreeSet<u32>,
        found: &mut BTreeSet<(SiteId, u32)>,
    ) -> Result<(), BinaryReaderError> {
        let operators: Vec<(Operator<'_>, u64)> =
            body.get_operators_reader()?.into_iter_with_offsets().collect::<Result<_, _>>()?;
        let ends = ends(&operators);
        let fails = |from: usize| {
            for (operator, _) in operators.iter().skip(from).take(LONGEST) {
                match operator {
                    Operator::Call { function_index } => return failing.contains(function_index),
                    Operator::Block { .. }
                    | Operator::End
                    | Operator::I32Const { .. }
                    | Operator::LocalGet { .. }
                    | Operator::LocalSet { .. }
                    | Operator::GlobalGet { .. }
                    | Operator::I32Add
                    | Operator::I32Load { .. } => {}
                    _ => return false,
                }
            }
            false
        };
        for (at, (operator, offset)) in operators.iter().enumerate() {
            let Operator::BrIf { relative_depth } = operator else { continue };
            let sites = self.sites();
            let Ok(site) = sites.binary_search_by_key(&(*offset as u32), |site| site.offset) else { continue };
            let id = SiteId(site as u32);
            if fails(at + 1) {
                found.insert((id, 0));
            }
            // A branch out of a block goes on behind its end.
            if ends[at].iter().rev().nth(*relative_depth as usize).is_some_and(|end| end.is_some_and(&fails)) {
                found.insert((id, 1));
            }
        }
        Ok(())
    }
}

/// For each instruction, where the blocks that it is in end, outermost first; `None` for loops, which branches repeat.
fn ends(operators: &[(Operator<'_>, u64)]) -> Vec<Vec<Option<usize>>> {
    let mut closed = vec![None; operators.len()];
    let mut open: Vec<usize> = Vec::new();
    for (at, (operator, _)) in operators.iter().enumerate() {
        match operator {
            Operator::Block { .. } | Operator::Loop { .. } | Operator::If { .. } | Operator::TryTable { .. } => {
                open.push(at)
            }
            Operator::End => {
                if let Some(start) = open.pop() {
                    closed[start] = Some(at + 1);
                }
            }
            _ => {}
        }
    }
    let mut inside: Vec<Option<usize>> = Vec::new();
    let mut result = Vec::new();
    for (at, (operator, _)) in operators.iter().enumerate() {
        match operator {
            Operator::Block { .. } | Operator::If { .. } | Operator::TryTable { .. } => inside.push(closed[at]),
            Operator::Loop { .. } => inside.push(None),
            Operator::End => {
                inside.pop();
            }
            _ => {}
        }
        result.push(if matches!(operator, Operator::BrIf { .. }) { inside.clone() } else { Vec::new() });
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LoadSettings;

    #[test]
    fn arms_that_lead_to_a_check_of_the_compilers() {
        let text = r#"(module
            (func $core::panicking::panic_const::panic_const_rem_by_zero (param i32) unreachable)
            (func $mine (param i32) unreachable)
            (func (export "f") (param i32 i32) (result i32)
                (block $ok
                    (br_if $ok (local.get 1))
                    (call $core::panicking::panic_const::panic_const_rem_by_zero (i32.const 4))
                    unreachable)
                (block $zero
                    (br_if $zero (i32.eqz (local.get 1)))
                    (br_if $zero (local.get 0))
                    (call $mine (i32.const 1))
                    (return (i32.rem_u (local.get 0) (local.get 1))))
                (call $core::panicking::panic_const::panic_const_rem_by_zero (i32.const 4))
                unreachable))"#;
        let bytes = wat::parse_str(text).unwrap();
        let module = Module::load(&bytes, &LoadSettings::default()).unwrap();
        let found: Vec<(u32, u32)> =
            module.implicit_failures(&bytes).unwrap().into_iter().map(|(site, arm)| (site.0, arm)).collect();
        assert_eq!(found, [(0, 0), (1, 1), (2, 1)], "where nothing is called but what was written, nothing is found");
    }
}
