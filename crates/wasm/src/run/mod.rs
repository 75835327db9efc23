//! The run loop: one body for every domain.
//!
//! [`Machine::run`] is the entry point. The loop ([`Machine::execute`]) is a table from instructions to what they do;
//! what takes more than a line is in a module of its own: [`control`] for everything that moves the position or
//! accounts for costs, [`frame`] for the slots, [`memory`] for loads and stores, [`numeric`] for operators that can
//! trap, and [`bulk`] for the rarer instructions.
//!
//! What the loop keeps in local variables is written back only when the loop is left. Costs need no work per
//! instruction: the executed instructions are the accumulated cost plus the count at the current position in text
//! order, and only a jump that is taken, a call and a return change the accumulated cost.

mod answers;
mod bulk;
mod control;
mod frame;
mod memory;
mod numeric;

use pessimum_term::{BinaryOp, UnaryOp};

use crate::code::{Instr, instruction_tables};
use crate::domain::Domain;
use crate::machine::{Decision, End, Event, HostArguments, HostId, InstanceId, Limit, Machine, Question, Status, Trap};
use answers::Answers;
use control::{CallSite, Flow};
use frame::Slots;
use numeric::immediate;

pub(crate) use bulk::Unfinished;
pub(crate) use control::Stack;

/// Why the loop was left.
pub(crate) enum Leave<V> {
    End(End<V>),
    /// The instruction runs again once this is answered; it has changed nothing.
    Ask(Question<V>),
    /// After a jump, or in the middle of a long move.
    Pause,
    Host {
        function: HostId,
        args: HostArguments<V>,
        at: usize,
        results: usize,
    },
    /// Code of another instance comes next, at this position of its module.
    Switch {
        instance: u32,
        pc: usize,
    },
}

impl<V> From<Trap> for Leave<V> {
    #[cold]
    fn from(trap: Trap) -> Leave<V> {
        Leave::End(End::Trapped(trap))
    }
}

impl<V> From<Limit> for Leave<V> {
    #[cold]
    fn from(limit: Limit) -> Leave<V> {
        Leave::End(End::Limit(limit))
    }
}

/// The value of an instruction that succeeds; otherwise leaves the loop.
macro_rules! go {
    ($result:expr) => {
        match $result {
            Ok(value) => value,
            Err(leave) => break leave,
        }
    };
}

/// What each instruction does: the families of [`instruction_tables`], and the others as given.
macro_rules! dispatch {
    ({ $instr:expr, $frame:ident $domain:ident $memory:ident $answers:ident $flow:ident { $($other:tt)* } }
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
    ) => {{
        macro_rules! get {
            ($slot:expr) => { $frame.get($slot) };
        }
        // The slot is checked here and written at the end of the loop.
        macro_rules! result {
            ($slot:expr, $value:expr) => {{
                let value = $value;
                ($frame.get_mut($slot), value)
            }};
        }
        match $instr {
            $(Instr::$bin { dst, a, b } => {
                result!(dst, $domain.binary(BinaryOp::$bin_op, $bin_w, get!(a), get!(b)))
            })*
            $(Instr::$bini { dst, a, imm } => {
                result!(dst, $domain.binary(BinaryOp::$bini_op, $bini_w, get!(a), immediate::<D>($bini_w, imm)))
            })*
            $(Instr::$div { dst, a, b } => {
                let (x, y) = (get!(a), get!(b));
                result!(dst, go!(numeric::divide($domain, &mut $answers, BinaryOp::$div_op, $div_w, x, y)))
            })*
            $(
                Instr::$cmp { dst, a, b } => {
                    let outcome = $domain.compare(BinaryOp::$cmp_op, $cmp_neg, $cmp_w, get!(a), get!(b));
                    if D::PROFILED {
                        $domain.compared($flow.pc() as u32, outcome);
                    }
                    result!(dst, outcome)
                }
                Instr::$br { a, b, target, arm } => {
                    let condition = $domain.compare(BinaryOp::$cmp_op, $cmp_neg, $cmp_w, get!(a), get!(b));
                    go!($flow.branch($domain, &mut $answers, condition, target, arm));
                    continue;
                }
            )*
            $(
                Instr::$cmpi { dst, a, imm } => {
                    let y = immediate::<D>($cmpi_w, imm);
                    let outcome = $domain.compare(BinaryOp::$cmpi_op, $cmpi_neg, $cmpi_w, get!(a), y);
                    if D::PROFILED {
                        $domain.compared($flow.pc() as u32, outcome);
                    }
                    result!(dst, outcome)
                }
                Instr::$bri { a, imm, target, arm } => {
                    let y = immediate::<D>($cmpi_w, imm);
                    let condition = $domain.compare(BinaryOp::$cmpi_op, $cmpi_neg, $cmpi_w, get!(a), y);
                    go!($flow.branch($domain, &mut $answers, condition, target, arm));
                    continue;
                }
            )*
            $(Instr::$fuse { dst, a, b, c } => {
                let first = $domain.binary(BinaryOp::$fuse_first, $fuse_w, get!(a), get!(b));
                result!(dst, $domain.binary(BinaryOp::$fuse_second, $fuse_w, get!(c), first))
            })*
            $(Instr::$fusei { dst, a, imm, c } => {
                let first = $domain.binary(BinaryOp::$fusei_first, $fusei_w, get!(a), immediate::<D>($fusei_w, imm));
                result!(dst, $domain.binary(BinaryOp::$fusei_second, $fusei_w, get!(c), first))
            })*
            $(Instr::$fuseis { dst, a, imm, second } => {
                let first = $domain.binary(BinaryOp::$fuseis_first, $fuseis_w, get!(a), immediate::<D>($fuseis_w, imm));
                let second = immediate::<D>($fuseis_w, second);
                result!(dst, $domain.binary(BinaryOp::$fuseis_second, $fuseis_w, first, second))
            })*
            $(Instr::$un { dst, a } => result!(dst, $domain.unary(UnaryOp::$un_op, $un_from, $un_to, get!(a))),)*
            $(Instr::$ext { dst, a } => result!(dst, $domain.extend_low($ext_from, $ext_to, get!(a))),)*
            $(Instr::$trunc { dst, a } => {
                let x = get!(a);
                result!(dst, go!(numeric::truncate($domain, &mut $answers, UnaryOp::$trunc_op, $trunc_from, $trunc_to, x)))
            })*
            $(
                Instr::$load { dst, base, offset } => {
                    let base = $frame.get_mut(base);
                    result!(dst, go!(memory::load_from::<D, $load_n>(
                        $domain, &mut $answers, &$memory, base, offset, $load_s, $load_to
                    )))
                }
                Instr::$load_at { dst, address } => {
                    result!(dst, go!(memory::load::<D, $load_n>($domain, &$memory, address as u64, $load_s, $load_to)))
                }
                Instr::$load_sum { dst, base, add, offset } => {
                    let mut base = $domain.binary(BinaryOp::Add, 32, get!(base), immediate::<D>(32, add));
                    result!(dst, go!(memory::load_from::<D, $load_n>(
                        $domain, &mut $answers, &$memory, &mut base, offset, $load_s, $load_to
                    )))
                }
                Instr::$load_index { dst, a, b, offset } => {
                    let mut base = $domain.binary(BinaryOp::Add, 32, get!(a), get!(b));
                    result!(dst, go!(memory::load_from::<D, $load_n>(
                        $domain, &mut $answers, &$memory, &mut base, offset, $load_s, $load_to
                    )))
                }
            )*
            $(
                Instr::$store { base, value, offset } => {
                    let base = $frame.get_mut(base);
                    let at = go!(memory::address($domain, &mut $answers, &$memory, base, offset, $store_n));
                    go!(memory::store::<D, $store_n>($domain, &mut $memory, at, get!(value)));
                    $flow.next::<D>(&mut $answers);
                    continue;
                }
                Instr::$store_i { base, imm, offset } => {
                    let base = $frame.get_mut(base);
                    let at = go!(memory::address($domain, &mut $answers, &$memory, base, offset, $store_n));
                    go!(memory::store::<D, $store_n>($domain, &mut $memory, at, immediate::<D>($store_n * 8, imm)));
                    $flow.next::<D>(&mut $answers);
                    continue;
                }
                Instr::$store_at { address, value } => {
                    go!(memory::store::<D, $store_n>($domain, &mut $memory, address as u64, get!(value)));
                    $flow.next::<D>(&mut $answers);
                    continue;
                }
            )*
            $($other)*
        }
    }};
}

impl<D: Domain> Machine<D> {
    /// Runs until the next event.
    ///
    /// # Panics
    /// If the last event was [`Event::Host`] and has not been answered.
    pub fn run(&mut self, domain: &mut D) -> Event<D::Value> {
        domain.drive(self)
    }

    /// What [`Machine::run`] does, to be called by [`Domain::drive`] only.
    pub(crate) fn interpret(&mut self, domain: &mut D) -> Event<D::Value> {
        loop {
            match &self.status {
                Status::Running => {}
                Status::Idle => return Event::End(End::Returned(Vec::new())),
                Status::Host { .. } => panic!("the call to the host function was not answered"),
                Status::HostEntry { function, args, results } => {
                    let (function, args, results) = (*function, args.clone(), *results);
                    self.status = Status::Host { at: usize::MAX, results };
                    return Event::Host { function, args, results };
                }
                Status::Ended(end) => {
                    let end = end.clone();
                    return self.finish(end);
                }
            }
            match self.execute(domain) {
                Leave::Switch { instance, pc } => (self.instance, self.pc) = (instance, pc),
                Leave::Ask(question) => return self.decision(question),
                Leave::Pause => return Event::Pause,
                Leave::End(end) => return self.finish(end),
                Leave::Host { function, args, at, results } => {
                    self.status = Status::Host { at, results };
                    return Event::Host { function, args, results };
                }
            }
        }
    }

    /// Ends the run and refunds what was charged in advance and not executed.
    fn finish(&mut self, end: End<D::Value>) -> Event<D::Value> {
        self.weighted -= self.charged_ahead();
        self.in_code = false;
        self.status = Status::Idle;
        Event::End(end)
    }

    #[cold]
    #[inline(never)]
    fn decision(&self, question: Question<D::Value>) -> Event<D::Value> {
        let module = &self.store.instances[self.instance as usize].module;
        let pc = self.pc as u32;
        let instance = InstanceId(self.instance);
        Event::Decision(Decision { instance, site: module.site_at(pc), location: module.location(pc), question })
    }

    /// The loop, over code of one instance.
    fn execute(&mut self, domain: &mut D) -> Leave<D::Value> {
        let store = self.store.clone();
        let current = self.instance as usize;
        let instance = &store.instances[current];
        let module = &*instance.module;
        let memory_index = instance.memory.0 as usize;

        let mut answers = Answers::new(std::mem::take(&mut self.answers));
        let arms = std::mem::take(&mut self.arms[current]);
        let mut flow = Flow::new(module, self, arms);
        // Kept in a local variable, so that loads and stores find it without following a pointer that could change.
        let mut memory = self.memories[memory_index].take();
        let mut frame = Slots::new(&mut self.stack.values, flow.base, &flow.code);
        if D::PROFILED && !self.in_code {
            // The first instruction of a call from outside.
            let body = module.bodies.partition_point(|body| body.entry as usize <= self.pc) - 1;
            domain.entered(body as u32);
        }
        let leave = loop {
            // An instruction with a result hands it to the end of the loop; any other one continues by itself. Left to
            // itself, the compiler merges all the places that store a result into a block an extra jump away from here.
            let (slot, value) = instruction_tables!(dispatch { *flow.at.instr(), frame domain memory answers flow {
                    Instr::Copy { dst, src } => result!(dst, frame.get(src)),
                    Instr::Copies { first: (to, from), dst, src } => {
                        frame.set(to, frame.get(from));
                        result!(dst, frame.get(src))
                    }
                    Instr::I32AddIs { first: (to, from, add), dst, a, imm } => {
                        let sum = domain.binary(BinaryOp::Add, 32, frame.get(from), immediate::<D>(32, add.into()));
                        frame.set(to, sum);
                        result!(dst, domain.binary(BinaryOp::Add, 32, frame.get(a), immediate::<D>(32, imm.into())))
                    }
                    Instr::I32AddICopy { first: (to, from, add), dst, src } => {
                        let sum = domain.binary(BinaryOp::Add, 32, frame.get(from), immediate::<D>(32, add.into()));
                        frame.set(to, sum);
                        result!(dst, frame.get(src))
                    }
                    Instr::Const { dst, bits } => result!(dst, D::constant(bits)),
                    Instr::Wrap { dst, a } => result!(dst, domain.wrap(frame.get(a))),
                    Instr::Select { dst, condition, then, otherwise, wide } => {
                        let width = if wide { 64 } else { 32 };
                        let (then, otherwise) = (frame.get(then), frame.get(otherwise));
                        result!(dst, domain.select(width, frame.get(condition), then, otherwise))
                    }
                    Instr::SelectRef { dst, condition, then, otherwise } => {
                        let holds = go!(answers.bits::<D>(frame.get(condition), Question::Truth)) != 0;
                        result!(dst, frame.get(if holds { then } else { otherwise }))
                    }
                    Instr::GlobalGet { dst, global } => result!(dst, self.globals[instance.globals[global as usize].0 as usize]),
                    Instr::GlobalSet { global, src } => {
                        self.globals[instance.globals[global as usize].0 as usize] = frame.get(src);
                        flow.next::<D>(&mut answers);
                        continue;
                    }
                    Instr::RefFunc { dst, function } => result!(dst, D::constant(instance.functions[function as usize].reference())),
                    Instr::Jump { target, adjust } => {
                        go!(flow.jump(domain, &mut answers, target, adjust));
                        continue;
                    }
                    Instr::BrNonZero { a, target, arm } => {
                        go!(flow.branch(domain, &mut answers, frame.get(a), target, arm));
                        continue;
                    }
                    Instr::BrZero { a, target, arm } => {
                        let is_zero = domain.compare(BinaryOp::Eq, false, 32, frame.get(a), D::Value::default());
                        go!(flow.branch(domain, &mut answers, is_zero, target, arm));
                        continue;
                    }
                    Instr::BrTable { index, last, arm } => {
                        go!(flow.branch_table(domain, &mut answers, frame.get(index), last, arm));
                        continue;
                    }
                    Instr::Call { base: slot, function, cost } => {
                        let site = CallSite { slot, cost };
                        frame = go!(self.stack.call_own(domain, &mut answers, &mut flow, function, site));
                        continue;
                    }
                    Instr::CallImport { base: slot, function, cost } => {
                        let (function, site) = (instance.functions[function as usize].0, CallSite { slot, cost });
                        frame = go!(self.stack.call(domain, &mut answers, &mut flow, &store, function, site));
                        continue;
                    }
                    Instr::CallIndirect { base: slot, index, table, signature, cost } => {
                        let elements = &*self.tables[instance.tables[table as usize].0 as usize].elements;
                        let last = elements.len() as u32;
                        let index = go!(answers.bits::<D>(frame.get(index), |value| Question::Index { value, last }));
                        let function = match elements.get(index as usize) {
                            None => break Trap::UndefinedElement.into(),
                            Some(0) => break Trap::UninitializedElement.into(),
                            Some(&reference) => (reference - 1) as u32,
                        };
                        if store.functions[function as usize].ty != instance.types[signature as usize] {
                            break Trap::IndirectCallType.into();
                        }
                        let site = CallSite { slot, cost };
                        frame = go!(self.stack.call(domain, &mut answers, &mut flow, &store, function, site));
                        continue;
                    }
                    Instr::Return { first, count, cost } => {
                        frame.put_first(first, count);
                        frame = go!(self.stack.leave(domain, &mut flow, count, cost));
                        continue;
                    }
                    Instr::Bulk { index } => {
                        let before = flow.accumulated();
                        (self.base, self.pc, self.accumulated) = (flow.base, flow.pc(), before);
                        self.memories[memory_index] = memory;
                        let done = self.bulk(domain, module.bulk[index as usize], &mut answers);
                        memory = self.memories[memory_index].take();
                        if let Some(&price) = module.bulk_prices.get(index as usize) {
                            // The instruction itself is part of its piece; this is what it counts as besides.
                            let moved = (self.accumulated - before) as u64;
                            self.weighted = self.weighted.saturating_add(moved.saturating_mul(price));
                        }
                        flow.set_accumulated(self.accumulated);
                        flow.paused_at = flow.executed();
                        go!(done);
                        frame = Slots::new(&mut self.stack.values, flow.base, &flow.code);
                        flow.next::<D>(&mut answers);
                        continue;
                    }
                    Instr::Charge { weight } => {
                        self.weighted = self.weighted.saturating_add(weight);
                        flow.next::<D>(&mut answers);
                        continue;
                    }
                    Instr::Unreachable => break Trap::Unreachable.into(),
                } });
            *slot = value;
            flow.next::<D>(&mut answers);
        };
        if matches!(leave, Leave::Ask(_)) {
            self.answers = answers.into_given();
        }
        self.pc = flow.pc();
        self.base = flow.base;
        self.accumulated = flow.accumulated();
        self.decisions += flow.decisions;
        self.in_code = true;
        match leave {
            Leave::Switch { .. } => {}
            Leave::Pause => self.executed = flow.paused_at,
            _ => {
                self.executed = flow.executed();
                if D::PROFILED {
                    domain.left(module.counts[self.pc]);
                }
            }
        }
        self.arms[current] = flow.arms.into_inner();
        self.memories[memory_index] = memory;
        leave
    }

    /// Where the highest frame ends; what is above it in the stack is meaningless. A caller's frame overlaps those of
    /// its callees and may end above them.
    pub(crate) fn top_of_stack(&self) -> usize {
        if matches!(self.status, Status::Idle | Status::HostEntry { .. } | Status::Ended(_)) {
            return 0;
        }
        let module = |instance: u32| &self.store.instances[instance as usize].module;
        let widest = self.store.instances.iter().map(|instance| instance.module.widest_frame).max().unwrap_or(0);
        let mut top = self.base + module(self.instance).body_at(self.pc as u32).slots as usize;
        for frame in self.stack.callers.iter().rev() {
            // Bases only rise from caller to callee, so no frame further out can end higher.
            if frame.base as usize + widest as usize <= top {
                break;
            }
            top = top.max(frame.base as usize + module(frame.instance).body_at(frame.pc).slots as usize);
        }
        top.min(self.stack.values.len())
    }
}
