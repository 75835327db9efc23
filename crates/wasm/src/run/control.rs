//! Where control goes: jumps, branches, calls and returns, and the costs that they account for.
//!
//! Everything here is inlined into the loop, so that a [`Flow`] lives in registers.

use std::ops::Range;

use pessimum_term::BinaryOp;

use super::Leave;
use super::answers::Answers;
use super::frame::{at, at_mut};
use crate::code::Slot;
use crate::domain::Domain;
use crate::machine::{Callee, End, Frame, Function, HostArguments, HostId, Limit, Limits, Question, Store};
use crate::module::{Arm, Module};

/// Where the loop is, and what it has counted since it was entered.
pub(super) struct Flow<'m> {
    module: &'m Module,
    /// The module's arms, kept here because every branch that is taken reads one.
    arm_table: &'m [Arm],
    /// The instance whose code is running; an instance of the module.
    instance: u32,
    pub pc: usize,
    pub base: usize,
    /// See [`crate::Machine`]'s field of the same name.
    pub accumulated: i64,
    /// Beyond this accumulated cost the loop is left at a jump.
    pause: i64,
    /// Beyond this accumulated cost the run is over.
    limit: i64,
    /// Executed instructions when the loop was left for a pause.
    pub paused_at: u64,
    call_depth: usize,
    stack_values: usize,
    /// How often each arm of the instance was taken.
    pub arms: Vec<u64>,
    /// Branches whose arm was decided by an answer.
    pub decisions: u64,
}

/// A call in the code: the callee's frame starts at this slot, and `cost` is that of the instruction in text order.
#[derive(Clone, Copy)]
pub(super) struct CallSite {
    pub slot: Slot,
    pub cost: u32,
}

impl<'m> Flow<'m> {
    // Inlined like the rest: a call that fills in the structure would keep all of it in memory.
    #[inline(always)]
    pub fn new(module: &'m Module, instance: u32, arms: Vec<u64>, limits: &Limits, pause_after: u64) -> Flow<'m> {
        let limit = i64::try_from(limits.instructions).unwrap_or(i64::MAX);
        Flow {
            module,
            arm_table: &module.arms,
            instance,
            pc: 0,
            base: 0,
            accumulated: 0,
            pause: limit.min(i64::try_from(pause_after).unwrap_or(i64::MAX)),
            limit,
            paused_at: 0,
            call_depth: limits.call_depth as usize,
            stack_values: limits.stack_values as usize,
            arms,
            decisions: 0,
        }
    }

    /// Completes the instruction and moves on to the following one.
    #[inline(always)]
    pub fn next<D: Domain>(&mut self, answers: &mut Answers) {
        answers.clear::<D>();
        self.pc += 1;
    }

    /// Jumps; `adjust` is added to the accumulated cost.
    #[inline(always)]
    pub fn jump<D: Domain>(
        &mut self,
        domain: &mut D,
        answers: &mut Answers,
        target: u32,
        adjust: i32,
    ) -> Result<(), Leave<D::Value>> {
        let adjust = i64::from(adjust);
        self.accumulated += adjust;
        if self.accumulated > self.pause {
            if self.accumulated > self.limit {
                self.accumulated -= adjust;
                return Err(Limit::Instructions.into());
            }
            self.paused_at = (self.accumulated - adjust + i64::from(self.module.counts[self.pc])) as u64;
            self.land(domain, answers, target, adjust);
            return Err(Leave::Pause);
        }
        self.land(domain, answers, target, adjust);
        Ok(())
    }

    /// Completes a jump whose cost has been accounted for.
    #[inline(always)]
    fn land<D: Domain>(&mut self, domain: &mut D, answers: &mut Answers, target: u32, adjust: i64) {
        answers.clear::<D>();
        if D::PROFILED {
            let from = self.module.counts[self.pc];
            domain.jumped(from, (i64::from(from) - adjust) as u32);
        }
        self.pc = target as usize;
    }

    /// A branch with two arms: `arm` jumps to the target and belongs to a nonzero condition, the other one of the
    /// pair falls through.
    #[inline(always)]
    pub fn branch<D: Domain>(
        &mut self,
        domain: &mut D,
        answers: &mut Answers,
        condition: D::Value,
        target: u32,
        arm: u32,
    ) -> Result<(), Leave<D::Value>> {
        let jumps = match D::known(condition) {
            Some(bits) => bits != 0,
            None => {
                // Answers name the arm of the WebAssembly condition; a branch with arm 0 jumps if that fails.
                let answer = match answers.next() {
                    Some(answer) => {
                        self.decisions += 1;
                        answer
                    }
                    None => ask_branch(domain, condition, arm)?,
                };
                answer == u64::from(arm & 1)
            }
        };
        if D::PROFILED {
            domain.branched(arm, condition);
        }
        if jumps {
            let adjust = at(self.arm_table, arm as usize).adjust;
            *at_mut(&mut self.arms, arm as usize) += 1;
            self.jump(domain, answers, target, adjust)
        } else {
            // Checked on its own, unlike in `at_mut`: the compiler would merge two equal counts into one whose address
            // depends on the comparison, which then waits for it instead of running ahead on the predicted arm.
            self.arms[arm as usize ^ 1] += 1;
            self.next::<D>(answers);
            Ok(())
        }
    }

    /// A `br_table`: takes arm `first + min(index, last)`.
    #[inline(always)]
    pub fn branch_table<D: Domain>(
        &mut self,
        domain: &mut D,
        answers: &mut Answers,
        index: D::Value,
        last: u32,
        first: u32,
    ) -> Result<(), Leave<D::Value>> {
        let chosen = answers.bits::<D>(index, |value| Question::Index { value, last })?.min(u64::from(last));
        if D::known(index).is_none() {
            self.decisions += 1;
        }
        let arm = first as usize + chosen as usize;
        *at_mut(&mut self.arms, arm) += 1;
        if D::PROFILED {
            domain.switched(first, first + last, index);
        }
        let taken = *at(self.arm_table, arm);
        self.jump(domain, answers, taken.target, taken.adjust)
    }
}

/// Asks for the arm of a branch. Whether a value is zero may be known even if the value is not.
#[cold]
#[inline(never)]
fn ask_branch<D: Domain>(domain: &mut D, condition: D::Value, arm: u32) -> Result<u64, Leave<D::Value>> {
    let question = domain.compare(BinaryOp::Eq, arm & 1 == 1, 32, condition, D::Value::default());
    D::known(question).ok_or(Leave::Ask(Question::Truth(question)))
}

/// The call stack: the slots of all frames, and the waiting callers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stack<V> {
    /// All frames, each overlapping the next one where arguments and results are.
    pub values: Vec<V>,
    pub callers: Vec<Frame>,
    /// Calls made since costs were last reset.
    pub calls: u64,
    /// The largest number of frames at any time since then.
    pub depth: u64,
}

impl<V: Copy + Default> Stack<V> {
    /// Starts a function of a module; the current one continues after it. Returns the slots of its locals, which must
    /// be set to zero in the new frame.
    #[inline(always)]
    pub(super) fn enter<D: Domain<Value = V>>(
        &mut self,
        domain: &mut D,
        answers: &mut Answers,
        flow: &mut Flow<'_>,
        module: &Module,
        body_index: u32,
        site: CallSite,
    ) -> Result<Range<usize>, Leave<V>> {
        let body = *at(&module.bodies, body_index as usize);
        let base = flow.base + site.slot as usize;
        let top = base + body.slots as usize;
        if self.callers.len() + 1 >= flow.call_depth || top > flow.stack_values {
            return Err(Limit::Depth.into());
        }
        if flow.accumulated + i64::from(site.cost) > flow.limit {
            return Err(Limit::Instructions.into());
        }
        answers.clear::<D>();
        if D::PROFILED {
            domain.left(site.cost);
            domain.entered(body_index);
        }
        flow.accumulated += i64::from(site.cost);
        self.calls += 1;
        self.callers.push(Frame {
            pc: flow.pc as u32,
            base: flow.base as u32,
            instance: flow.instance,
            cost: site.cost,
            call: self.calls as u32,
        });
        self.depth = self.depth.max(self.callers.len() as u64 + 1);
        if self.values.len() < top {
            self.values.resize(top.max(self.values.len() * 2), V::default());
        }
        flow.base = base;
        flow.pc = body.entry as usize;
        Ok(body.params as usize..body.locals as usize)
    }

    /// Calls any function of the store.
    #[inline(always)]
    pub(super) fn call<D: Domain<Value = V>>(
        &mut self,
        domain: &mut D,
        answers: &mut Answers,
        flow: &mut Flow<'_>,
        store: &Store,
        function: u32,
        site: CallSite,
    ) -> Result<(), Leave<V>> {
        let Function { callee, ty } = store.functions[function as usize];
        match callee {
            Callee::Wasm { instance, body } if instance == flow.instance => {
                let locals = self.enter(domain, answers, flow, flow.module, body, site)?;
                self.values[flow.base..][locals].fill(V::default());
                Ok(())
            }
            Callee::Wasm { instance, body } => {
                let module = &store.instances[instance as usize].module;
                let locals = self.enter(domain, answers, flow, module, body, site)?;
                self.values[flow.base..][locals].fill(V::default());
                Err(Leave::Switch(instance))
            }
            Callee::Host(function) => {
                let ty = &store.types[ty as usize];
                Err(self.call_host(domain, function, flow.base + site.slot as usize, ty.params.len(), ty.results.len()))
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn call_host<D: Domain<Value = V>>(
        &mut self,
        domain: &mut D,
        function: HostId,
        at: usize,
        params: usize,
        results: usize,
    ) -> Leave<V> {
        if D::PROFILED {
            domain.called_host(function.0);
        }
        self.calls += 1;
        self.depth = self.depth.max(self.callers.len() as u64 + 2);
        Leave::Host { function, args: HostArguments::from_slice(&self.values[at..][..params]), at, results }
    }

    /// Returns to the caller; the results are the first `count` values of the frame.
    #[inline(always)]
    pub(super) fn leave<D: Domain<Value = V>>(
        &mut self,
        domain: &mut D,
        flow: &mut Flow<'_>,
        count: u16,
        cost: u32,
    ) -> Result<(), Leave<V>> {
        let Some(caller) = self.callers.pop() else {
            return Err(Leave::End(End::Returned(self.values[flow.base..][..count as usize].to_vec())));
        };
        if D::PROFILED {
            domain.left(cost);
            domain.returned();
        }
        flow.accumulated += i64::from(cost) - i64::from(caller.cost);
        flow.base = caller.base as usize;
        flow.pc = caller.pc as usize + 1;
        match caller.instance == flow.instance {
            true => Ok(()),
            false => Err(Leave::Switch(caller.instance)),
        }
    }
}
