//! Exceptions: from where one is thrown to where it is caught.
//!
//! They cost nothing until one is thrown: a handler is a range of the code with its clauses, beside the code. The
//! innermost one that takes the exception is looked for, the frames on the way are closed (costs, prices paid in
//! advance, profiles), and the values go into the slots where the label expects them. If nothing takes it, nothing is
//! changed, so that the run ends where it was thrown.

use super::Leave;
use super::Stop;
use super::control::{Registers, Run, passed};
use super::frame::{Code, Slots};
use crate::code::Slot;
use crate::domain::Domain;
use crate::exceptions::Exception;
use crate::machine::{Limit, Question, Trap};

impl<'r, D: Domain> Run<'r, D> {
    /// Throws a new exception; its values are the slots from `first`.
    #[inline(always)]
    pub fn throw<S: Stop<D::Value>>(
        &mut self,
        registers: &mut Registers<'r, D::Value>,
        tag: u32,
        first: Slot,
    ) -> Result<(), S> {
        if S::QUICK {
            return Err(S::slowly());
        }
        let count = self.instance.module.tag_type(tag).params.len() as Slot;
        let values = (first..first + count).map(|slot| registers.frame.get(slot)).collect();
        let exception = Exception { tag: self.instance.tags[tag as usize], values };
        self.unwind(registers, exception, None).map_err(|leave| S::because(|| leave))
    }

    /// Throws the exception that a reference refers to.
    #[inline(always)]
    pub fn throw_ref<S: Stop<D::Value>>(
        &mut self,
        registers: &mut Registers<'r, D::Value>,
        src: Slot,
    ) -> Result<(), S> {
        if S::QUICK {
            return Err(S::slowly());
        }
        let reference = self.answers.bits::<D, S>(registers.frame.get(src), Question::Value)?;
        let Some(exception) = self.machine.exceptions.get(reference).cloned() else {
            return Err(Trap::NullException.into());
        };
        self.unwind(registers, exception, Some(reference)).map_err(|leave| S::because(|| leave))
    }

    /// Goes to the innermost handler that takes the exception. If there is none, or a limit is reached, nothing changes, so that
    /// the run ends where the exception was thrown.
    #[cold]
    #[inline(never)]
    fn unwind(
        &mut self,
        registers: &mut Registers<'r, D::Value>,
        exception: Exception<D::Value>,
        reference: Option<u64>,
    ) -> Result<(), Leave<D::Value>> {
        let store = self.store;
        let thrown = self.pc(registers) as u32;
        let callers = self.machine.stack.callers.iter().rev().map(|caller| (caller.instance, caller.pc));
        let mut frames = std::iter::once((self.number(), thrown)).chain(callers).enumerate();
        let found = frames.find_map(|(left, (number, pc))| {
            let instance = &store.instances[number as usize];
            let clause = instance.module.clause_at(pc, |tag| instance.tags[tag as usize] == exception.tag)?;
            Some((left, number, *clause))
        });
        let Some((frames_left, number, clause)) = found else {
            return Err(Trap::UncaughtException.into());
        };
        // The costs of calls and returns between cancel each other.
        let mut cost = self.instance.module.counts[thrown as usize];
        let left = registers.left - (i64::from(cost) - i64::from(clause.count)) - i64::from(clause.extra);
        if self.is_beyond_limit(left) {
            return Err(Limit::Instructions.into());
        }
        let reference = match (clause.reference, reference) {
            (None, _) => 0,
            (Some(_), Some(reference)) => reference,
            (Some(_), None) => self.machine.keep_exception(exception.clone())?,
        };

        let pauses = left < 0 && number == self.number();
        if pauses {
            self.paused_at = self.executed(registers);
        }
        if D::PROFILED {
            self.domain.left(cost);
        }
        let mut position = (self.number(), thrown as usize);
        for _ in 0..frames_left {
            self.refund(position);
            let caller = self.machine.stack.callers.pop().expect("a handler was found in a caller");
            if D::PROFILED {
                self.domain.returned();
            }
            (self.base, cost) = (caller.base as usize, caller.cost);
            position = (caller.instance, caller.pc as usize);
        }
        self.refund(position);
        self.machine.weighted = self.machine.weighted.saturating_add(clause.price);
        registers.left = left;
        self.answers.clear::<D>();

        let code = Code::of(&store.instances[number as usize].module);
        let mut frame = Slots::new(&mut self.machine.stack.values, self.base, &code);
        for (slot, &value) in clause.values.into_iter().flat_map(|first| first..).zip(&exception.values) {
            frame.set(slot, value);
        }
        if let Some(slot) = clause.reference {
            frame.set(slot, D::constant(reference));
        }
        if D::PROFILED {
            self.domain.jumped(cost, clause.count);
            if clause.extra > 0 {
                self.domain.moved(clause.target, clause.extra.into());
            }
        }
        if number != self.number() {
            return Err(Leave::Switch { instance: number, pc: clause.target as usize });
        }
        registers.frame = frame;
        registers.at = self.code.target(clause.target);
        registers.last = passed(&self.code, registers.at, registers.frame);
        if pauses { Err(Leave::Pause) } else { Ok(()) }
    }

    /// With weights, takes back what was charged in advance for code after a position, which is not executed.
    fn refund(&mut self, (number, pc): (u32, usize)) {
        if let Some(uncharged) = &self.store.instances[number as usize].module.uncharged {
            self.machine.weighted -= uncharged[pc];
        }
    }
}
