//! Where control goes: jumps, branches, calls and returns, and the costs that they account for.
//!
//! Everything here is inlined into the instructions, so that [`Registers`] live in registers of the processor.

use std::hint::cold_path;

use super::answers::Answers;
use super::frame::{Code, Counts, Position, Room, Slots};
use super::{Leave, Stop};
use crate::code::Slot;
use crate::domain::Domain;
use crate::machine::{Callee, End, Frame, Function, HostArguments, HostId, Instance, Limit, Machine, Question, Store};
use crate::memory::Memory;
use crate::module::{Body, Module};

/// More instructions than any run executes. Costs up to twice this can be added and subtracted without overflow.
const FOREVER: i64 = i64::MAX / 2;

/// What instructions work with, apart from [`Registers`].
pub(super) struct Run<'r, D: Domain> {
    pub machine: &'r mut Machine<D>,
    pub domain: &'r mut D,
    pub store: &'r Store,
    pub instance: &'r Instance,
    module: &'r Module,
    pub code: Code<'r>,
    /// The number of the instance whose code is running.
    number: u32,
    pub answers: Answers,
    /// The memory of the instance, moved here so that loads and stores find it without following a pointer that could
    /// change.
    pub memory: Memory<D>,
    /// How often each arm of the instance was taken.
    pub arms: Counts,
    pub base: usize,
    /// The accumulated cost beyond which the loop is left.
    pause: i64,
    /// Beyond this accumulated cost the run is over.
    limit: i64,
    /// Executed instructions when the loop was left for a pause.
    pub paused_at: u64,
    call_depth: usize,
    stack_values: usize,
    /// Where the frames of quick calls can start.
    room: Room,
    /// Branches whose arm was decided by an answer.
    pub decisions: u64,
    /// Where a quick attempt has stopped; see [`super::dispatch`].
    #[cfg(all(tail_calls, not(debug_assertions)))]
    pub stopped: Option<Registers<'r, D::Value>>,
}

/// What changes with nearly every instruction, and is passed from one to the next in registers of the processor.
pub(super) struct Registers<'r, V> {
    pub at: Position<'r>,
    pub frame: Slots<V>,
    /// What can still be added to the accumulated cost before the loop is left at a jump. Kept instead of that cost, so
    /// that a jump subtracts and looks at the sign.
    pub left: i64,
    /// What the last instruction with a result wrote to its slot. Only concrete runs keep this up to date; see
    /// [`super::cells`].
    pub last: V,
}

impl<V: Copy + Default> Registers<'_, V> {
    /// The first operand of the instruction.
    #[inline(always)]
    pub fn first<S: Stop<V>>(&self, slot: Slot) -> V {
        if S::FIRST_PASSED { self.last } else { self.frame.get(slot) }
    }

    /// The same, for an instruction that may find out what its value is.
    #[inline(always)]
    pub fn first_mut<S: Stop<V>>(&mut self, slot: Slot) -> &mut V {
        if S::FIRST_PASSED { &mut self.last } else { self.frame.get_mut(slot) }
    }

    /// The second operand of the instruction.
    #[inline(always)]
    pub fn second<S: Stop<V>>(&self, slot: Slot) -> V {
        if S::SECOND_PASSED { self.last } else { self.frame.get(slot) }
    }

    /// Writes the result of an instruction that goes on to be a branch, if there is one.
    #[inline(always)]
    fn write<S: Stop<V>>(&mut self, result: Option<(Slot, V)>) {
        if let Some((slot, value)) = result {
            self.frame.set(slot, value);
            self.pass::<S>(value);
        }
    }

    /// Hands a value on to the next instruction, which finds it in a slot as well.
    #[inline(always)]
    fn pass<S: Stop<V>>(&mut self, value: V) {
        if S::QUICK || cfg!(debug_assertions) {
            self.last = value;
        }
    }
}

/// Why the loop was left, and where.
pub(super) type Stopped<'r, V> = (Leave<V>, Registers<'r, V>);

/// A call in the code: the callee's frame starts at this slot, and `cost` is that of the instruction in text order.
#[derive(Clone, Copy)]
pub(super) struct CallSite {
    pub slot: Slot,
    pub cost: u32,
}

impl<'r, D: Domain> Run<'r, D> {
    /// A run of the machine's current instance, and where it starts.
    #[inline(always)]
    pub fn new(
        machine: &'r mut Machine<D>,
        domain: &'r mut D,
        store: &'r Store,
    ) -> (Run<'r, D>, Registers<'r, D::Value>) {
        let number = machine.instance;
        let instance = &store.instances[number as usize];
        let module = &*instance.module;
        let limits = &machine.limits;
        let limit = i64::try_from(limits.instructions).unwrap_or(FOREVER).min(FOREVER);
        let pause = machine.first_look(limit);
        let (call_depth, stack_values) = (limits.call_depth as usize, limits.stack_values as usize);
        let code = Code::of(module);
        let (base, left) = (machine.base, pause - machine.accumulated);
        let at = code.position(machine.pc).expect("the machine stopped outside its code");
        let frame = Slots::new(&mut machine.stack.values, base, &code);
        let registers = Registers { at, frame, left, last: passed(&code, at, frame) };
        let run = Run {
            domain,
            store,
            instance,
            module,
            code,
            number,
            answers: Answers::new(std::mem::take(&mut machine.answers)),
            memory: machine.memories[instance.memory.0 as usize].take(),
            arms: Counts::new(std::mem::take(&mut machine.arms[number as usize]), &code),
            base,
            pause,
            limit,
            paused_at: 0,
            call_depth,
            stack_values,
            room: Room::new(&machine.stack.values, stack_values, &code),
            decisions: 0,
            #[cfg(all(tail_calls, not(debug_assertions)))]
            stopped: None,
            machine,
        };
        (run, registers)
    }

    /// Writes back to the machine what the run has kept to itself.
    pub fn finish(self, registers: &Registers<'r, D::Value>, leave: &Leave<D::Value>) {
        let (pc, accumulated) = (self.pc(registers), self.accumulated(registers));
        let executed = self.executed(registers);
        let machine = self.machine;
        if matches!(leave, Leave::Ask(_)) {
            machine.answers = self.answers.into_given();
        }
        machine.pc = pc;
        machine.base = self.base;
        machine.accumulated = accumulated;
        machine.decisions += self.decisions;
        machine.in_code = true;
        match leave {
            Leave::Switch { .. } => {}
            Leave::Pause => machine.executed = self.paused_at,
            _ => {
                machine.executed = executed;
                if D::PROFILED {
                    self.domain.left(self.module.counts[pc]);
                }
            }
        }
        machine.arms[self.number as usize] = self.arms.into_inner();
        machine.memories[self.instance.memory.0 as usize] = self.memory;
    }

    /// See [`Machine`]'s field of the same name.
    #[inline(always)]
    fn accumulated(&self, registers: &Registers<'r, D::Value>) -> i64 {
        self.pause - registers.left
    }

    /// The index of the current position in the module's code.
    #[inline(always)]
    pub fn pc(&self, registers: &Registers<'r, D::Value>) -> usize {
        self.code.index(registers.at)
    }

    /// The number of the instance whose code is running.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Whether the run is over if this much can still be added to the accumulated cost.
    pub fn is_beyond_limit(&self, left: i64) -> bool {
        self.pause - left > self.limit
    }

    /// Executed instructions if the current one is the last.
    #[inline(always)]
    pub fn executed(&self, registers: &Registers<'r, D::Value>) -> u64 {
        (self.accumulated(registers) + i64::from(self.module.counts[self.pc(registers)])) as u64
    }

    /// Compiled with debug assertions, checks that [`Registers::last`] has the value that the next instruction may take from
    /// there.
    #[inline(always)]
    pub fn check_passed(&self, registers: &Registers<'r, D::Value>) {
        // In a domain with terms, an instruction may replace the term in a slot by its value.
        if cfg!(debug_assertions) && !D::SYMBOLIC {
            let found = passed(&self.code, registers.at, registers.frame);
            if self.code.passed(registers.at).is_some() {
                assert_eq!(D::known(registers.last), D::known(found), "before instruction {}", self.pc(registers));
            }
        }
    }

    /// Completes the instruction and moves on to the following one.
    #[inline(always)]
    pub fn next<S: Stop<D::Value>>(&mut self, registers: &mut Registers<'r, D::Value>) -> Result<(), S> {
        self.answers.clear::<D>();
        registers.at = registers.at.next();
        Ok(())
    }

    /// The same for an instruction with a result.
    #[inline(always)]
    pub fn result<S: Stop<D::Value>>(
        &mut self,
        registers: &mut Registers<'r, D::Value>,
        slot: Slot,
        value: D::Value,
    ) -> Result<(), S> {
        registers.frame.set(slot, value);
        registers.pass::<S>(value);
        self.next(registers)
    }

    /// Jumps; `adjust` is added to the accumulated cost.
    #[inline(always)]
    pub fn jump<S: Stop<D::Value>>(
        &mut self,
        registers: &mut Registers<'r, D::Value>,
        to: Position<'r>,
        adjust: i32,
    ) -> Result<(), S> {
        let adjust = i64::from(adjust);
        let left = registers.left - adjust;
        if left < 0 {
            cold_path();
            if S::QUICK {
                registers.left = left;
                return Err(S::slowly_after_cost());
            }
            if self.pause - left > self.limit {
                return Err(Limit::Instructions.into());
            }
            self.paused_at = self.executed(registers);
            registers.left = left;
            self.land(registers, to, adjust);
            return Err(S::because(|| Leave::Pause));
        }
        registers.left = left;
        self.land(registers, to, adjust);
        Ok(())
    }

    /// Counts an arm, writes a result and jumps. A quick attempt that would leave the loop counts nothing.
    #[inline(always)]
    fn take_arm<S: Stop<D::Value>>(
        &mut self,
        registers: &mut Registers<'r, D::Value>,
        arm: usize,
        to: Position<'r>,
        adjust: i32,
        result: Option<(Slot, D::Value)>,
    ) -> Result<(), S> {
        if !S::QUICK {
            self.arms.count(arm);
            registers.write::<S>(result);
        }
        self.jump::<S>(registers, to, adjust)?;
        if S::QUICK {
            self.arms.count(arm);
            registers.write::<S>(result);
        }
        Ok(())
    }

    /// Completes a jump whose cost has been accounted for.
    #[inline(always)]
    fn land(&mut self, registers: &mut Registers<'r, D::Value>, to: Position<'r>, adjust: i64) {
        self.answers.clear::<D>();
        if D::PROFILED {
            let from = self.module.counts[self.pc(registers)];
            self.domain.jumped(from, (i64::from(from) - adjust) as u32);
        }
        registers.at = to;
    }

    /// A branch with two arms: `arm` jumps and belongs to a nonzero condition, the other one of the
    /// pair falls through. A result is written once nothing can stop the instruction, because what was stopped runs again.
    #[inline(always)]
    pub fn branch<S: Stop<D::Value>>(
        &mut self,
        registers: &mut Registers<'r, D::Value>,
        condition: impl FnOnce(&mut D, &Registers<'r, D::Value>) -> D::Value,
        arm: u32,
        result: Option<(Slot, D::Value)>,
    ) -> Result<(), S> {
        // Answers name the arm of the WebAssembly condition; a branch with arm 0 jumps if that fails. If there is one, the
        // branch has asked for it, and its condition need not be made again.
        let given = if D::SYMBOLIC { self.answers.next() } else { None };
        let jumps = match given {
            Some(answer) => {
                self.decisions += 1;
                answer == u64::from(arm & 1)
            }
            None => {
                let condition = condition(self.domain, registers);
                if D::PROFILED {
                    self.domain.branched(arm, condition);
                }
                match D::known(condition) {
                    Some(bits) => bits != 0,
                    None => {
                        let answer = ask_branch(self.domain, condition, arm);
                        answer.map_err(|leave| S::because(|| leave))? == u64::from(arm & 1)
                    }
                }
            }
        };
        if jumps {
            let (to, adjust) = registers.at.jump();
            self.take_arm(registers, arm as usize, to, adjust, result)
        } else {
            self.arms.count(arm as usize ^ 1);
            registers.write::<S>(result);
            self.next(registers)
        }
    }

    /// A `br_table`: takes arm `first + min(index, last)`.
    #[inline(always)]
    pub fn branch_table<S: Stop<D::Value>>(
        &mut self,
        registers: &mut Registers<'r, D::Value>,
        index: D::Value,
        last: u32,
        first: u32,
    ) -> Result<(), S> {
        let chosen = self.answers.bits::<D, S>(index, |value| Question::Index { value, last })?.min(u64::from(last));
        if D::known(index).is_none() {
            self.decisions += 1;
        }
        let arm = first as usize + chosen as usize;
        let taken = *self.code.arm(arm);
        if S::QUICK && registers.left < taken.adjust.into() {
            // Not after the cost: who executes it instead does not know which arm it was.
            return Err(S::slowly());
        }
        if D::PROFILED {
            self.domain.switched(first, first + last, index);
        }
        self.take_arm(registers, arm, self.code.target(taken.target), taken.adjust, None)
    }

    /// Starts a function; the current one continues after it. Its code may be that of another instance, so the position
    /// is left to the caller, and so are the slots of its locals, which must be set to zero in the new frame.
    #[inline(always)]
    fn enter<S: Stop<D::Value>>(
        &mut self,
        registers: &mut Registers<'r, D::Value>,
        (body_index, body): (u32, &Body),
        site: CallSite,
    ) -> Result<(), S> {
        let base = self.base + site.slot as usize;
        let top = base + body.slots as usize;
        let stack = &mut self.machine.stack;
        if stack.callers.len() + 1 >= self.call_depth || top > self.stack_values {
            return Err(Limit::Depth.into());
        }
        let left = registers.left - i64::from(site.cost);
        if left < 0 {
            cold_path();
            if self.pause - left > self.limit {
                return Err(Limit::Instructions.into());
            }
        }
        self.answers.clear::<D>();
        if D::PROFILED {
            self.domain.left(site.cost);
            self.domain.entered(body_index);
        }
        registers.left = left;
        stack.calls += 1;
        stack.callers.push(Frame {
            pc: self.code.index(registers.at) as u32,
            base: self.base as u32,
            instance: self.number,
            cost: site.cost,
            call: stack.calls as u32,
        });
        stack.depth = stack.depth.max(stack.callers.len() as u64 + 1);
        self.base = base;
        Ok(())
    }

    /// Finds out how much room there is for quick calls, after something that may have extended the stack.
    #[cfg(all(tail_calls, not(debug_assertions)))]
    pub fn measure_room(&mut self) {
        self.room = Room::new(&self.machine.stack.values, self.stack_values, &self.code);
    }

    /// [`Run::call_own`] where nothing is in the way; otherwise nothing is changed.
    #[inline(always)]
    fn call_quickly(&mut self, registers: &mut Registers<'r, D::Value>, body: &Body, site: CallSite) -> Option<()> {
        let mut frame = registers.frame.callee(site.slot, self.base, self.room)?;
        let stack = &mut self.machine.stack;
        let waiting = stack.callers.len();
        if waiting == stack.callers.capacity() || waiting + 1 >= self.call_depth || registers.left < site.cost.into() {
            return None;
        }
        registers.left -= i64::from(site.cost);
        stack.calls += 1;
        stack.callers.push(Frame {
            pc: self.code.index(registers.at) as u32,
            base: self.base as u32,
            instance: self.number,
            cost: site.cost,
            call: stack.calls as u32,
        });
        if stack.depth < waiting as u64 + 2 {
            stack.depth = waiting as u64 + 2;
        }
        self.base += site.slot as usize;
        frame.clear(body);
        registers.frame = frame;
        registers.at = self.code.target(body.entry);
        Some(())
    }

    /// Calls a function of the running module, as its code says.
    #[inline(always)]
    pub fn call_own<S: Stop<D::Value>>(
        &mut self,
        registers: &mut Registers<'r, D::Value>,
        body_index: u32,
        site: CallSite,
    ) -> Result<(), S> {
        let body = self.code.body(body_index);
        if S::QUICK {
            return self.call_quickly(registers, body, site).ok_or_else(S::slowly);
        }
        self.enter::<S>(registers, (body_index, body), site)?;
        registers.frame = Slots::new(&mut self.machine.stack.values, self.base, &self.code);
        registers.at = self.code.target(body.entry);
        registers.frame.clear(body);
        Ok(())
    }

    /// Calls any function of the store.
    #[inline(always)]
    pub fn call<S: Stop<D::Value>>(
        &mut self,
        registers: &mut Registers<'r, D::Value>,
        function: u32,
        site: CallSite,
    ) -> Result<(), S> {
        let Function { callee, ty } = self.store.functions[function as usize];
        match callee {
            Callee::Wasm { instance, body } if instance == self.number => {
                assert!((body as usize) < self.module.bodies.len(), "a function has a body in its module");
                self.call_own(registers, body, site)
            }
            _ if S::QUICK => Err(S::slowly()),
            Callee::Wasm { instance, body: index } => {
                let module = &self.store.instances[instance as usize].module;
                let body = &module.bodies[index as usize];
                self.enter::<S>(registers, (index, body), site)?;
                Slots::new(&mut self.machine.stack.values, self.base, &Code::of(module)).clear(body);
                Err(S::because(|| Leave::Switch { instance, pc: body.entry as usize }))
            }
            Callee::Host(function) => {
                let ty = &self.store.types[ty as usize];
                let at = self.base + site.slot as usize;
                let stack = &mut self.machine.stack;
                Err(S::because(|| stack.call_host(self.domain, function, at, ty.params.len(), ty.results.len())))
            }
        }
    }

    /// Returns to the caller and its frame; the results are `count` slots from `first`.
    #[inline(always)]
    pub fn return_to_caller<S: Stop<D::Value>>(
        &mut self,
        registers: &mut Registers<'r, D::Value>,
        first: Slot,
        count: u16,
        cost: u32,
    ) -> Result<(), S> {
        if S::QUICK {
            return self.return_quickly::<S>(registers, first, count, cost).ok_or_else(S::slowly);
        }
        let stack = &mut self.machine.stack;
        registers.frame.put_first(first, count);
        registers.pass::<S>(registers.frame.get(0));
        let Some(caller) = stack.callers.pop() else {
            return Err(S::because(|| stack.returned(self.base, count)));
        };
        if D::PROFILED {
            self.domain.left(cost);
            self.domain.returned();
        }
        registers.left -= i64::from(cost) - i64::from(caller.cost);
        self.base = caller.base as usize;
        let pc = caller.pc as usize + 1;
        if caller.instance != self.number {
            return Err(S::because(|| Leave::Switch { instance: caller.instance, pc }));
        }
        registers.at = self.code.position(pc).expect("the machine stopped outside its code");
        registers.frame = Slots::new(&mut stack.values, self.base, &self.code);
        Ok(())
    }

    /// The same for at most one result and a caller of the same instance; otherwise nothing is changed.
    #[inline(always)]
    fn return_quickly<S: Stop<D::Value>>(
        &mut self,
        registers: &mut Registers<'r, D::Value>,
        first: Slot,
        count: u16,
        cost: u32,
    ) -> Option<()> {
        let stack = &mut self.machine.stack;
        let &Frame { pc, base, instance, cost: caller_cost, .. } = stack.callers.last()?;
        if count > 1 || instance != self.number {
            return None;
        }
        let at = self.code.position(pc as usize + 1)?;
        let frame = registers.frame.caller(self.base, base as usize)?;
        stack.callers.pop();
        let value = if count == 1 { registers.first::<S>(first) } else { registers.frame.get(0) };
        registers.frame.set(0, value);
        registers.pass::<S>(value);
        registers.left -= i64::from(cost) - i64::from(caller_cost);
        self.base = base as usize;
        (registers.at, registers.frame) = (at, frame);
        Some(())
    }

    /// One of the rarer instructions.
    #[inline(always)]
    pub fn bulk<S: Stop<D::Value>>(&mut self, registers: &mut Registers<'r, D::Value>, index: u32) -> Result<(), S> {
        if S::QUICK {
            return Err(S::slowly());
        }
        let before = self.accumulated(registers);
        let address = self.instance.memory.0 as usize;
        let machine = &mut *self.machine;
        (machine.base, machine.pc, machine.accumulated) = (self.base, self.code.index(registers.at), before);
        machine.memories[address] = self.memory.take();
        let done = machine.bulk(self.domain, self.module.bulk[index as usize], &mut self.answers);
        self.memory = machine.memories[address].take();
        if let Some(&price) = self.module.bulk_prices.get(index as usize) {
            // The instruction itself is part of its piece; this is what it counts as besides.
            let moved = (machine.accumulated - before) as u64;
            machine.weighted = machine.weighted.saturating_add(moved.saturating_mul(price));
        }
        // Growing memory brings the pause nearer.
        self.pause = machine.first_look(self.limit);
        registers.left = self.pause - machine.accumulated;
        registers.frame = Slots::new(&mut machine.stack.values, self.base, &self.code);
        self.paused_at = self.executed(registers);
        done.map_err(|leave| S::because(|| leave))?;
        self.next(registers)
    }
}

/// What the instruction at a position finds in [`Registers::last`].
#[inline(always)]
pub(super) fn passed<V: Copy + Default>(code: &Code<'_>, at: Position<'_>, frame: Slots<V>) -> V {
    code.passed(at).map_or_else(V::default, |slot| frame.get(slot))
}

/// Asks for the arm of a branch. Whether a value is zero may be known even if the value is not.
#[cold]
#[inline(never)]
fn ask_branch<D: Domain>(domain: &mut D, condition: D::Value, arm: u32) -> Result<u64, Leave<D::Value>> {
    let question = domain.truth(arm & 1 == 0, condition);
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

    /// The end of a run whose outermost function has returned.
    #[cold]
    #[inline(never)]
    fn returned(&self, base: usize, count: u16) -> Leave<V> {
        Leave::End(End::Returned(self.values[base..][..count as usize].to_vec()))
    }
}
