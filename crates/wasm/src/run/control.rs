//! Where control goes: jumps, branches, calls and returns, and the costs that they account for.
//!
//! Everything here is inlined into the loop, so that a [`Flow`] lives in registers.

use std::hint::cold_path;

use pessimum_term::BinaryOp;

use super::Leave;
use super::answers::Answers;
use super::frame::{Code, Counts, Position, Slots};
use crate::code::Slot;
use crate::domain::Domain;
use crate::machine::{Callee, End, Frame, Function, HostArguments, HostId, Limit, Machine, Question, Store};
use crate::module::{Body, Module};

/// More instructions than any run executes. Costs up to twice this can be added and subtracted without overflow.
const FOREVER: i64 = i64::MAX / 2;

/// Where the loop is, and what it has counted since it was entered.
pub(super) struct Flow<'m> {
    module: &'m Module,
    pub code: Code<'m>,
    /// The instance whose code is running; an instance of the module.
    instance: u32,
    pub at: Position<'m>,
    pub base: usize,
    /// What can still be added to the accumulated cost before the loop is left at a jump. Kept instead of that cost, so
    /// that a jump subtracts and looks at the sign.
    left: i64,
    /// The accumulated cost beyond which it is left.
    pause: i64,
    /// Beyond this accumulated cost the run is over.
    limit: i64,
    /// Executed instructions when the loop was left for a pause.
    pub paused_at: u64,
    call_depth: usize,
    stack_values: usize,
    /// How often each arm of the instance was taken.
    pub arms: Counts,
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
    /// The loop over the code of this machine's current instance. Inlined like the rest: a call that fills in the
    /// structure would keep all of it in memory.
    #[inline(always)]
    pub fn new<D: Domain>(module: &'m Module, machine: &Machine<D>, arms: Vec<u64>) -> Flow<'m> {
        let limits = &machine.limits;
        let limit = i64::try_from(limits.instructions).unwrap_or(FOREVER).min(FOREVER);
        let pause = limit.min(i64::try_from(machine.pause_after).unwrap_or(FOREVER));
        let code = Code::of(module);
        Flow {
            module,
            code,
            instance: machine.instance,
            at: code.position(machine.pc),
            base: machine.base,
            left: pause - machine.accumulated,
            pause,
            limit,
            paused_at: 0,
            call_depth: limits.call_depth as usize,
            stack_values: limits.stack_values as usize,
            arms: Counts::new(arms, &code),
            decisions: 0,
        }
    }

    /// See [`Machine`]'s field of the same name.
    #[inline(always)]
    pub fn accumulated(&self) -> i64 {
        self.pause - self.left
    }

    #[inline(always)]
    pub fn set_accumulated(&mut self, accumulated: i64) {
        self.left = self.pause - accumulated;
    }

    /// The index of the current position in the module's code.
    #[inline(always)]
    pub fn pc(&self) -> usize {
        self.code.index(self.at)
    }

    /// Executed instructions if the current one is the last.
    #[inline(always)]
    pub fn executed(&self) -> u64 {
        (self.accumulated() + i64::from(self.module.counts[self.pc()])) as u64
    }

    /// Completes the instruction and moves on to the following one.
    #[inline(always)]
    pub fn next<D: Domain>(&mut self, answers: &mut Answers) {
        answers.clear::<D>();
        self.at = self.at.next();
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
        let left = self.left - adjust;
        if left < 0 {
            cold_path();
            if self.pause - left > self.limit {
                return Err(Limit::Instructions.into());
            }
            self.paused_at = self.executed();
            self.left = left;
            self.land(domain, answers, target, adjust);
            return Err(Leave::Pause);
        }
        self.left = left;
        self.land(domain, answers, target, adjust);
        Ok(())
    }

    /// Completes a jump whose cost has been accounted for.
    #[inline(always)]
    fn land<D: Domain>(&mut self, domain: &mut D, answers: &mut Answers, target: u32, adjust: i64) {
        answers.clear::<D>();
        if D::PROFILED {
            let from = self.module.counts[self.pc()];
            domain.jumped(from, (i64::from(from) - adjust) as u32);
        }
        self.at = self.code.target(target);
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
            self.arms.count(arm as usize);
            self.jump(domain, answers, target, self.code.arm(arm as usize).adjust)
        } else {
            self.arms.count(arm as usize ^ 1);
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
        self.arms.count(arm);
        if D::PROFILED {
            domain.switched(first, first + last, index);
        }
        let taken = *self.code.arm(arm);
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
    /// Starts a function; the current one continues after it. Its code may be that of another instance, so the position
    /// is left to the caller, and so are the slots of its locals, which must be set to zero in the new frame.
    #[inline(always)]
    fn enter<D: Domain<Value = V>>(
        &mut self,
        domain: &mut D,
        answers: &mut Answers,
        flow: &mut Flow<'_>,
        (body_index, body): (u32, &Body),
        site: CallSite,
    ) -> Result<(), Leave<V>> {
        let base = flow.base + site.slot as usize;
        let top = base + body.slots as usize;
        if self.callers.len() + 1 >= flow.call_depth || top > flow.stack_values {
            return Err(Limit::Depth.into());
        }
        let left = flow.left - i64::from(site.cost);
        if left < 0 {
            cold_path();
            if flow.pause - left > flow.limit {
                return Err(Limit::Instructions.into());
            }
        }
        answers.clear::<D>();
        if D::PROFILED {
            domain.left(site.cost);
            domain.entered(body_index);
        }
        flow.left = left;
        self.calls += 1;
        self.callers.push(Frame {
            pc: flow.pc() as u32,
            base: flow.base as u32,
            instance: flow.instance,
            cost: site.cost,
            call: self.calls as u32,
        });
        self.depth = self.depth.max(self.callers.len() as u64 + 1);
        flow.base = base;
        Ok(())
    }

    /// Calls a function of the running module, as its code says.
    #[inline(always)]
    pub(super) fn call_own<'s, D: Domain<Value = V>>(
        &'s mut self,
        domain: &mut D,
        answers: &mut Answers,
        flow: &mut Flow<'_>,
        body_index: u32,
        site: CallSite,
    ) -> Result<Slots<'s, V>, Leave<V>> {
        let body = flow.code.body(body_index);
        self.enter(domain, answers, flow, (body_index, body), site)?;
        flow.at = flow.code.target(body.entry);
        let mut frame = Slots::new(&mut self.values, flow.base, &flow.code);
        frame.clear(body);
        Ok(frame)
    }

    /// Calls any function of the store.
    #[inline(always)]
    pub(super) fn call<'s, D: Domain<Value = V>>(
        &'s mut self,
        domain: &mut D,
        answers: &mut Answers,
        flow: &mut Flow<'_>,
        store: &Store,
        function: u32,
        site: CallSite,
    ) -> Result<Slots<'s, V>, Leave<V>> {
        let Function { callee, ty } = store.functions[function as usize];
        match callee {
            Callee::Wasm { instance, body } if instance == flow.instance => {
                assert!((body as usize) < flow.module.bodies.len(), "a function has a body in its module");
                self.call_own(domain, answers, flow, body, site)
            }
            Callee::Wasm { instance, body: index } => {
                let module = &store.instances[instance as usize].module;
                let body = &module.bodies[index as usize];
                self.enter(domain, answers, flow, (index, body), site)?;
                Slots::new(&mut self.values, flow.base, &Code::of(module)).clear(body);
                Err(Leave::Switch { instance, pc: body.entry as usize })
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

    /// Returns to the caller and its frame; the results are the first `count` values of the frame.
    #[inline(always)]
    pub(super) fn leave<'s, D: Domain<Value = V>>(
        &'s mut self,
        domain: &mut D,
        flow: &mut Flow<'_>,
        count: u16,
        cost: u32,
    ) -> Result<Slots<'s, V>, Leave<V>> {
        let Some(caller) = self.callers.pop() else {
            return Err(Leave::End(End::Returned(self.values[flow.base..][..count as usize].to_vec())));
        };
        if D::PROFILED {
            domain.left(cost);
            domain.returned();
        }
        flow.left -= i64::from(cost) - i64::from(caller.cost);
        flow.base = caller.base as usize;
        let pc = caller.pc as usize + 1;
        if caller.instance != flow.instance {
            return Err(Leave::Switch { instance: caller.instance, pc });
        }
        flow.at = flow.code.position(pc);
        Ok(Slots::new(&mut self.values, flow.base, &flow.code))
    }
}
