//! How far each arm is from a place where a run may trap, by what the code says alone.

use std::collections::VecDeque;

use crate::code::Instr;
use crate::module::Module;

/// No trap is known to be reachable.
const NEVER: u32 = u32::MAX;

impl Module {
    /// For each arm ([`crate::Site::first_arm`]), the least number of further branches on the way to a place that may trap
    /// by itself: `unreachable`, an exception that is thrown, a division by something that is not constant. `None` where
    /// the code leads to none before the function returns. Calls lead into functions of this module; through tables they
    /// lead nowhere here. Memory accesses do not count: nearly every line has one.
    pub fn branches_to_traps(&self) -> Vec<Option<u32>> {
        let least = self.least_branches();
        let mut arms = vec![None; self.arms.len()];
        let mut set = |arm: u32, at: u32| arms[arm as usize] = Some(least[at as usize]).filter(|&least| least != NEVER);
        for (at, instruction) in (0..).zip(&self.code) {
            for (arm, target) in self.ways(at, instruction) {
                set(arm, target);
            }
        }
        arms
    }

    /// Whether the division at this place of the code, if it is one, divides by something that varies.
    pub(crate) fn divides_by_variable(&self, at: u32) -> bool {
        let Some(divisor) = self.code[at as usize].divisor() else { return false };
        // A constant is loaded shortly before, if the compiler left it to the division.
        let before = self.code[..at as usize].iter().rev().take_while(|instruction| instruction.arm().is_none());
        let writes = |instruction: &&Instr| {
            let mut instruction = **instruction;
            instruction.destination().is_some_and(|slot| *slot == divisor)
        };
        !matches!(before.into_iter().find(writes), Some(Instr::Const { .. }))
    }

    /// The arms of a branch with the places to which they lead.
    fn ways(&self, at: u32, instruction: &Instr) -> Vec<(u32, u32)> {
        match (*instruction, instruction.arm()) {
            (Instr::BrTable { last, .. }, Some(first)) => {
                (first..=first + last).map(|arm| (arm, self.arms[arm as usize].target)).collect()
            }
            (_, Some(arm)) => vec![(arm, self.arms[arm as usize].target), (arm ^ 1, at + 1)],
            (_, None) => Vec::new(),
        }
    }

    /// For each place in the code, the least number of branches from there to a trap: a search backwards in which branches
    /// cost 1 and all else nothing.
    fn least_branches(&self) -> Vec<u32> {
        let count = self.code.len();
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); count];
        let mut callers: Vec<Vec<u32>> = vec![Vec::new(); count];
        let mut least = vec![NEVER; count];
        let mut open = VecDeque::new();
        for (at, instruction) in (0..).zip(&self.code) {
            let traps = match instruction {
                Instr::Unreachable | Instr::Throw { .. } | Instr::ThrowRef { .. } => true,
                _ => self.divides_by_variable(at),
            };
            if traps {
                least[at as usize] = 0;
                open.push_back(at);
            }
            let targets: Vec<u32> = match *instruction {
                Instr::Unreachable | Instr::Throw { .. } | Instr::ThrowRef { .. } | Instr::Return { .. } => Vec::new(),
                Instr::Jump { target, .. } => vec![target],
                _ if instruction.arm().is_some() => self.ways(at, instruction).into_iter().map(|way| way.1).collect(),
                _ => vec![at + 1],
            };
            if let Instr::Call { function, .. } = *instruction {
                callers[self.bodies[function as usize].entry as usize].push(at);
            }
            for target in targets {
                if let Some(before) = before.get_mut(target as usize) {
                    before.push(at);
                }
            }
        }
        while let Some(at) = open.pop_front() {
            let (here, mut nearer) = (least[at as usize], |from: u32, branches: u32| {
                if branches < least[from as usize] {
                    least[from as usize] = branches;
                    return true;
                }
                false
            });
            for &from in &callers[at as usize] {
                if nearer(from, here) {
                    open.push_front(from);
                }
            }
            for &from in &before[at as usize] {
                let is_branch = self.code[from as usize].arm().is_some();
                if nearer(from, here + u32::from(is_branch)) {
                    match is_branch {
                        true => open.push_back(from),
                        false => open.push_front(from),
                    }
                }
            }
        }
        least
    }
}

#[cfg(test)]
mod tests {
    use crate::{LoadSettings, Module};

    fn distances(text: &str) -> Vec<Option<u32>> {
        Module::load(text.as_bytes(), &LoadSettings::default()).unwrap().branches_to_traps()
    }

    #[test]
    fn branches_are_counted_up_to_the_nearest_trap() {
        let text = r#"(module
            (func $fails (param i32) (if (i32.eq (local.get 0) (i32.const 3)) (then unreachable)))
            (func (export "f") (param i32 i32) (result i32)
                (if (local.get 0) (then (call $fails (local.get 1))) (else (return (i32.const 1))))
                (if (local.get 1) (then (return (i32.const 2))))
                (i32.const 5)))"#;
        // After `$fails` has returned, nothing can happen any more.
        let (no, yes) = (None, Some);
        assert_eq!(distances(text), [no, yes(0), no, yes(1), no, no]);
    }

    #[test]
    fn divisions_count_where_the_divisor_varies() {
        let by = |divisor: &str| {
            let text = format!(
                r#"(module (func (export "f") (param i32 i32) (result i32)
                (if (result i32) (local.get 0)
                    (then (i32.rem_u (local.get 0) {divisor})) (else (i32.const 1)))))"#
            );
            distances(&text)
        };
        assert_eq!(by("(i32.const 10)"), [None, None]);
        assert_eq!(by("(local.get 1)"), [None, Some(0)]);
        assert_eq!(by("(i32.add (local.get 1) (i32.const 10))"), [None, Some(0)]);
    }

    #[test]
    fn tables_and_loops() {
        let text = r#"(module (func (export "f") (param i32)
            (loop $again
                (block $two (block $one (block $zero
                    (br_table $zero $one $two (local.get 0)))
                    (br $again))
                    unreachable)
                (br_if $again (local.get 0)))))"#;
        assert_eq!(distances(text)[..3], [Some(1), Some(0), Some(2)]);
    }
}
