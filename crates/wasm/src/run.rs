//! The run loop: one body for every domain.
//!
//! What it keeps in local variables (position, frame, accumulated cost) it writes back only where it is left. Costs need
//! no work per instruction: the executed instructions are the accumulated cost plus the count at the current position
//! in text order, and only a jump that is taken, a call and a return change the accumulated cost.

use pessimum_term::{BinaryOp, UnaryOp, ops};

use crate::bulk::Stop;
use crate::code::{Instr, instruction_tables};
use crate::domain::Domain;
use crate::machine::{
    Callee, Decision, End, Event, Frame, Function, HostId, InstanceId, Limit, Machine, Question, Status, Trap,
};
use crate::memory::OutOfBounds;

/// Why the loop was left.
enum Leave<V> {
    End(End<V>),
    Ask(Question<V>),
    /// After a jump; `executed` is up to date.
    Pause,
    Host {
        function: HostId,
        args: Vec<V>,
        at: usize,
        results: usize,
    },
    /// Code of another instance comes next, at the position that is current now.
    Switch(u32),
}

/// The floats that a conversion to an integer accepts: above the first, or equal to it where the flag is set, and
/// below the second. Bits of the source's width.
const fn truncation_range(op: UnaryOp, from: u32, to: u32) -> (u64, bool, u64) {
    let (low, inclusive, high) = match (op, from, to) {
        (UnaryOp::FToS, 64, 32) => (-2147483649.0, false, 2147483648.0),
        (UnaryOp::FToS, _, 32) => (-2147483648.0, true, 2147483648.0),
        (UnaryOp::FToS, _, _) => (-9223372036854775808.0, true, 9223372036854775808.0),
        (_, _, 32) => (-1.0, false, 4294967296.0),
        _ => (-1.0, false, 18446744073709551616.0),
    };
    if from == 32 {
        ((low as f32).to_bits() as u64, inclusive, (high as f32).to_bits() as u64)
    } else {
        (f64::to_bits(low), inclusive, f64::to_bits(high))
    }
}

/// Whether an access of `count` bytes at `base + offset` goes beyond a memory of this many bytes, as a value of width
/// 32.
#[cold]
#[inline(never)]
fn beyond<D: Domain>(domain: &mut D, bytes: u64, base: D::Value, offset: u64, count: u64) -> D::Value {
    match bytes.checked_sub(offset + count) {
        Some(last) if last >= u64::from(u32::MAX) => D::constant(0),
        Some(last) => domain.compare(BinaryOp::LtU, false, 32, D::constant(last), base),
        None => D::constant(1),
    }
}

impl<D: Domain> Machine<D> {
    /// Runs until the next event.
    ///
    /// # Panics
    /// Where the last event was [`Event::Host`] and has not been answered.
    pub fn run(&mut self, domain: &mut D) -> Event<D::Value> {
        loop {
            match &self.status {
                Status::Running => {}
                Status::Idle => return Event::End(End::Returned(Vec::new())),
                Status::Host { .. } => panic!("the call of the host's function was not answered"),
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
                Leave::Switch(instance) => self.instance = instance,
                Leave::Ask(question) => return self.decision(question),
                Leave::Pause => return Event::Pause,
                Leave::End(end) => {
                    self.answers.clear();
                    return self.finish(end);
                }
                Leave::Host { function, args, at, results } => {
                    self.status = Status::Host { at, results };
                    return Event::Host { function, args, results };
                }
            }
        }
    }

    /// Ends the run; what was charged in advance and not executed is given back.
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

    // `answered` is also set where the macros know that the loop is left.
    #[allow(unused_assignments)]
    fn execute(&mut self, domain: &mut D) -> Leave<D::Value> {
        let store = self.store.clone();
        let current = self.instance;
        let instance = &store.instances[current as usize];
        let module = &*instance.module;
        let code = module.code.as_slice();
        let arm_table = module.arms.as_slice();
        let memory_index = instance.memory.0 as usize;
        let hard_limit = i64::try_from(self.limits.instructions).unwrap_or(i64::MAX);
        let limit = hard_limit.min(i64::try_from(self.pause_after).unwrap_or(i64::MAX));

        let mut pc = self.pc;
        let mut base = self.base;
        let mut accumulated = self.accumulated;
        // Questions of the current instruction that have been answered already.
        let mut answered = 0;
        let mut counts = self.arms[current as usize].as_mut_slice();
        let mut memory = &mut self.memories[memory_index];
        let mut frame = &mut self.stack[base..];
        if D::PROFILED && !self.in_code {
            // The first instruction of a call from outside.
            let body = module.bodies.partition_point(|body| body.entry as usize <= pc) - 1;
            domain.entered(body as u32);
        }

        macro_rules! get {
            ($slot:expr) => {
                frame[$slot as usize]
            };
        }
        macro_rules! set {
            ($slot:expr, $value:expr) => {{
                let value = $value;
                frame[$slot as usize] = value;
            }};
        }
        macro_rules! ask {
            ($question:expr) => {{
                if answered < self.answers.len() {
                    answered += 1;
                    self.answers[answered - 1]
                } else {
                    break Leave::Ask($question);
                }
            }};
        }
        macro_rules! truth {
            ($value:expr) => {{
                let value = $value;
                match D::known(value) {
                    Some(bits) => bits != 0,
                    None => ask!(Question::Truth(value)) != 0,
                }
            }};
        }
        macro_rules! would_trap {
            ($value:expr) => {{
                let value = $value;
                match D::known(value) {
                    Some(bits) => bits != 0,
                    None => ask!(Question::Trap(value)) != 0,
                }
            }};
        }
        // The address of an access of `$n` bytes. Once decided, the base is that constant on the rest of the path.
        macro_rules! address {
            ($base:expr, $offset:expr, $n:literal) => {{
                let value = get!($base);
                match D::known(value) {
                    Some(bits) => bits + $offset as u64,
                    None => {
                        if would_trap!(beyond(domain, memory.len(), value, $offset as u64, $n)) {
                            trap!(Trap::MemoryOutOfBounds);
                        }
                        let bits = ask!(Question::Value(value));
                        set!($base, D::constant(bits));
                        bits + $offset as u64
                    }
                }
            }};
        }
        // The instruction has all its answers.
        macro_rules! done {
            () => {
                if D::SYMBOLIC && answered > 0 {
                    self.answers.clear();
                    answered = 0;
                }
            };
        }
        macro_rules! end {
            ($end:expr) => {
                break Leave::End($end)
            };
        }
        macro_rules! trap {
            ($trap:expr) => {
                end!(End::Trapped($trap))
            };
        }
        macro_rules! next {
            () => {{
                done!();
                pc += 1;
            }};
        }
        macro_rules! tell_jump {
            ($adjust:expr) => {
                if D::PROFILED {
                    let from = module.counts[pc];
                    domain.jumped(from, (from as i64 - $adjust) as u32);
                }
            };
        }
        macro_rules! jump {
            ($target:expr, $adjust:expr) => {{
                let adjust = $adjust as i64;
                accumulated += adjust;
                if accumulated > limit {
                    if accumulated > hard_limit {
                        accumulated -= adjust;
                        end!(End::Limit(Limit::Instructions));
                    }
                    done!();
                    tell_jump!(adjust);
                    self.executed = (accumulated - adjust + module.counts[pc] as i64) as u64;
                    pc = $target as usize;
                    break Leave::Pause;
                }
                done!();
                tell_jump!(adjust);
                pc = $target as usize;
            }};
        }
        macro_rules! branch {
            ($condition:expr, $target:expr, $arm:expr) => {{
                let condition = $condition;
                let taken = match D::known(condition) {
                    Some(bits) => bits != 0,
                    None => {
                        // The arm is that of the WebAssembly condition; a branch by arm 0 jumps where that fails.
                        let arm = if answered < self.answers.len() {
                            self.decisions += 1;
                            answered += 1;
                            self.answers[answered - 1]
                        } else {
                            // Whether a value is zero may be known although the value is not.
                            let question =
                                domain.compare(BinaryOp::Eq, $arm & 1 == 1, 32, condition, D::Value::default());
                            match D::known(question) {
                                Some(bits) => bits,
                                None => break Leave::Ask(Question::Truth(question)),
                            }
                        };
                        arm == ($arm & 1) as u64
                    }
                };
                if D::PROFILED {
                    domain.branched();
                }
                if taken {
                    let adjust = arm_table[$arm as usize].adjust;
                    counts[$arm as usize] += 1;
                    jump!($target, adjust);
                } else {
                    counts[$arm as usize ^ 1] += 1;
                    next!();
                }
            }};
        }
        macro_rules! extended {
            ($n:literal, $sign:literal, $to:literal, $value:expr) => {{
                let value = $value;
                match ($n * 8, $sign) {
                    ($to, _) => value,
                    (from, true) => domain.unary(UnaryOp::SignExtend, from, $to, value),
                    (from, false) => domain.unary(UnaryOp::ZeroExtend, from, $to, value),
                }
            }};
        }
        macro_rules! load {
            ($n:literal, $sign:literal, $to:literal, $dst:expr, $address:expr) => {{
                match memory.load::<$n>(domain, $address) {
                    Ok(value) => {
                        set!($dst, extended!($n, $sign, $to, value));
                        next!();
                    }
                    Err(OutOfBounds) => trap!(Trap::MemoryOutOfBounds),
                }
            }};
        }
        macro_rules! store {
            ($n:literal, $address:expr, $value:expr) => {{
                let (address, value) = ($address, $value);
                match memory.store::<$n>(domain, address, value) {
                    Ok(()) => next!(),
                    Err(OutOfBounds) => trap!(Trap::MemoryOutOfBounds),
                }
            }};
        }
        // Starts a function of this instance; the current one goes on after `pc`.
        macro_rules! enter {
            ($module:expr, $body:expr, $slot:expr, $cost:expr) => {{
                let body = $module.bodies[$body as usize];
                let new_base = base + $slot as usize;
                let top = new_base + body.slots as usize;
                if self.frames.len() + 1 >= self.limits.call_depth as usize || top > self.limits.stack_values as usize {
                    end!(End::Limit(Limit::Depth));
                }
                if accumulated + $cost as i64 > hard_limit {
                    end!(End::Limit(Limit::Instructions));
                }
                done!();
                if D::PROFILED {
                    domain.left($cost);
                    domain.entered($body);
                }
                accumulated += $cost as i64;
                self.frames.push(Frame {
                    pc: pc as u32,
                    base: base as u32,
                    instance: current,
                    cost: $cost,
                    call: self.calls as u32 + 1,
                });
                self.calls += 1;
                self.depth = self.depth.max(self.frames.len() as u64 + 1);
                if self.stack.len() < top {
                    self.stack.resize(top.max(self.stack.len() * 2), D::Value::default());
                }
                base = new_base;
                frame = &mut self.stack[base..];
                frame[body.params as usize..body.locals as usize].fill(D::Value::default());
                pc = body.entry as usize;
            }};
        }
        macro_rules! call {
            ($function:expr, $slot:expr, $cost:expr) => {{
                let Function { callee, ty } = store.functions[$function as usize];
                match callee {
                    Callee::Wasm { instance, body } if instance == current => {
                        enter!(module, body, $slot, $cost);
                    }
                    Callee::Wasm { instance, body } => {
                        let other = &store.instances[instance as usize].module;
                        enter!(other, body, $slot, $cost);
                        break Leave::Switch(instance);
                    }
                    Callee::Host(function) => {
                        let ty = &store.types[ty as usize];
                        let at = base + $slot as usize;
                        done!();
                        let args = frame[$slot as usize..][..ty.params.len()].to_vec();
                        if D::PROFILED {
                            domain.called_host(function.0);
                        }
                        self.calls += 1;
                        self.depth = self.depth.max(self.frames.len() as u64 + 2);
                        break Leave::Host { function, args, at, results: ty.results.len() };
                    }
                }
            }};
        }
        macro_rules! imm {
            (32, $imm:expr) => {
                D::constant($imm as u32 as u64)
            };
            (64, $imm:expr) => {
                D::constant($imm as i64 as u64)
            };
        }

        macro_rules! dispatch {
            ({ $($other:tt)* }
                binary { $($bin:ident $bin_op:ident $bin_w:literal,)* }
                binary_imm { $($bini:ident $bini_op:ident $bini_w:tt,)* }
                divide { $($div:ident $div_op:ident $div_w:literal,)* }
                compare { $($cmp:ident $br:ident $cmp_op:ident $cmp_w:literal $cmp_neg:literal,)* }
                compare_imm { $($cmpi:ident $bri:ident $cmpi_op:ident $cmpi_w:tt $cmpi_neg:literal,)* }
                unary { $($un:ident $un_op:ident $un_from:literal $un_to:literal,)* }
                extend { $($ext:ident $ext_from:literal $ext_to:literal,)* }
                truncate { $($trunc:ident $trunc_op:ident $trunc_from:literal $trunc_to:literal,)* }
                load { $($load:ident $load_at:ident $load_n:literal $load_s:literal $load_to:literal,)* }
                store { $($store:ident $store_i:ident $store_at:ident $store_n:literal,)* }
            ) => {
                match code[pc] {
                    $(Instr::$bin { dst, a, b } => {
                        set!(dst, domain.binary(BinaryOp::$bin_op, $bin_w, get!(a), get!(b)));
                        next!();
                    })*
                    $(Instr::$bini { dst, a, imm } => {
                        set!(dst, domain.binary(BinaryOp::$bini_op, $bini_w, get!(a), imm!($bini_w, imm)));
                        next!();
                    })*
                    $(Instr::$div { dst, a, b } => {
                        let (x, y) = (get!(a), get!(b));
                        if would_trap!(domain.compare(BinaryOp::Eq, false, $div_w, y, D::Value::default())) {
                            trap!(Trap::DivideByZero);
                        }
                        if BinaryOp::$div_op == BinaryOp::DivS {
                            let minimum = D::constant(1 << ($div_w - 1));
                            let least = domain.compare(BinaryOp::Eq, false, $div_w, x, minimum);
                            let minus_one = D::constant(ops::mask($div_w));
                            let by_minus_one = domain.compare(BinaryOp::Eq, false, $div_w, y, minus_one);
                            if would_trap!(domain.binary(BinaryOp::And, 32, least, by_minus_one)) {
                                trap!(Trap::IntegerOverflow);
                            }
                        }
                        set!(dst, domain.binary(BinaryOp::$div_op, $div_w, x, y));
                        next!();
                    })*
                    $(
                        Instr::$cmp { dst, a, b } => {
                            set!(dst, domain.compare(BinaryOp::$cmp_op, $cmp_neg, $cmp_w, get!(a), get!(b)));
                            next!();
                        }
                        Instr::$br { a, b, target, arm } => {
                            let condition = domain.compare(BinaryOp::$cmp_op, $cmp_neg, $cmp_w, get!(a), get!(b));
                            branch!(condition, target, arm);
                        }
                    )*
                    $(
                        Instr::$cmpi { dst, a, imm } => {
                            let y = imm!($cmpi_w, imm);
                            set!(dst, domain.compare(BinaryOp::$cmpi_op, $cmpi_neg, $cmpi_w, get!(a), y));
                            next!();
                        }
                        Instr::$bri { a, imm, target, arm } => {
                            let y = imm!($cmpi_w, imm);
                            let condition = domain.compare(BinaryOp::$cmpi_op, $cmpi_neg, $cmpi_w, get!(a), y);
                            branch!(condition, target, arm);
                        }
                    )*
                    $(Instr::$un { dst, a } => {
                        set!(dst, domain.unary(UnaryOp::$un_op, $un_from, $un_to, get!(a)));
                        next!();
                    })*
                    $(Instr::$ext { dst, a } => {
                        set!(dst, domain.extend_low($ext_from, $ext_to, get!(a)));
                        next!();
                    })*
                    $(Instr::$trunc { dst, a } => {
                        let x = get!(a);
                        if would_trap!(domain.compare(BinaryOp::FEq, true, $trunc_from, x, x)) {
                            trap!(Trap::InvalidConversion);
                        }
                        const RANGE: (u64, bool, u64) =
                            truncation_range(UnaryOp::$trunc_op, $trunc_from, $trunc_to);
                        let above = if RANGE.1 { BinaryOp::FLe } else { BinaryOp::FLt };
                        let above = domain.compare(above, false, $trunc_from, D::constant(RANGE.0), x);
                        let below = domain.compare(BinaryOp::FLt, false, $trunc_from, x, D::constant(RANGE.2));
                        let inside = domain.binary(BinaryOp::And, 32, above, below);
                        if would_trap!(domain.compare(BinaryOp::Eq, false, 32, inside, D::Value::default())) {
                            trap!(Trap::IntegerOverflow);
                        }
                        set!(dst, domain.unary(UnaryOp::$trunc_op, $trunc_from, $trunc_to, x));
                        next!();
                    })*
                    $(
                        Instr::$load { dst, base, offset } => {
                            if D::SYMBOLIC
                                && let base = get!(base)
                                && D::known(base).is_none()
                                && let Some(value) = domain.look_up(memory, base, offset as u64, $load_n)
                            {
                                set!(dst, extended!($load_n, $load_s, $load_to, value));
                                next!();
                                continue;
                            }
                            let address = address!(base, offset, $load_n);
                            load!($load_n, $load_s, $load_to, dst, address);
                        }
                        Instr::$load_at { dst, address } => load!($load_n, $load_s, $load_to, dst, address as u64),
                    )*
                    $(
                        Instr::$store { base, value, offset } => {
                            let address = address!(base, offset, $store_n);
                            store!($store_n, address, get!(value));
                        }
                        Instr::$store_i { base, imm, offset } => {
                            let address = address!(base, offset, $store_n);
                            store!($store_n, address, D::constant(imm as i64 as u64 & ops::mask($store_n * 8)));
                        }
                        Instr::$store_at { address, value } => store!($store_n, address as u64, get!(value)),
                    )*
                    $($other)*
                }
            };
        }

        let leave = loop {
            instruction_tables!(dispatch {
                Instr::Copy { dst, src } => {
                    set!(dst, get!(src));
                    next!();
                }
                Instr::Const { dst, bits } => {
                    set!(dst, D::constant(bits));
                    next!();
                }
                Instr::Wrap { dst, a } => {
                    set!(dst, domain.wrap(get!(a)));
                    next!();
                }
                Instr::Select { dst, condition, then, otherwise, wide } => {
                    let width = if wide { 64 } else { 32 };
                    set!(dst, domain.select(width, get!(condition), get!(then), get!(otherwise)));
                    next!();
                }
                Instr::SelectRef { dst, condition, then, otherwise } => {
                    set!(dst, if truth!(get!(condition)) { get!(then) } else { get!(otherwise) });
                    next!();
                }
                Instr::GlobalGet { dst, global } => {
                    set!(dst, self.globals[instance.globals[global as usize].0 as usize]);
                    next!();
                }
                Instr::GlobalSet { global, src } => {
                    self.globals[instance.globals[global as usize].0 as usize] = get!(src);
                    next!();
                }
                Instr::RefFunc { dst, function } => {
                    set!(dst, D::constant(instance.functions[function as usize].reference()));
                    next!();
                }
                Instr::Jump { target, adjust } => jump!(target, adjust),
                Instr::BrNonZero { a, target, arm } => branch!(get!(a), target, arm),
                Instr::BrZero { a, target, arm } => {
                    branch!(domain.compare(BinaryOp::Eq, false, 32, get!(a), D::Value::default()), target, arm);
                }
                Instr::BrTable { index, last, arm } => {
                    let value = get!(index);
                    let taken = match D::known(value) {
                        Some(bits) => bits.min(last as u64),
                        None => {
                            let arm = ask!(Question::Index { value, last }).min(last as u64);
                            self.decisions += 1;
                            arm
                        }
                    };
                    let arm = arm as usize + taken as usize;
                    counts[arm] += 1;
                    if D::PROFILED {
                        domain.branched();
                    }
                    jump!(arm_table[arm].target, arm_table[arm].adjust);
                }
                Instr::Call { base: slot, function, cost } => {
                    enter!(module, function, slot, cost);
                }
                Instr::CallImport { base: slot, function, cost } => {
                    call!(instance.functions[function as usize].0, slot, cost);
                }
                Instr::CallIndirect { base: slot, index, table, signature, cost } => {
                    let table = &self.tables[instance.tables[table as usize].0 as usize];
                    let value = get!(index);
                    let index = match D::known(value) {
                        Some(bits) => bits,
                        None => ask!(Question::Index { value, last: table.elements.len() as u32 }),
                    };
                    match table.elements.get(index as usize) {
                        None => trap!(Trap::UndefinedElement),
                        Some(0) => trap!(Trap::UninitializedElement),
                        Some(&reference) => {
                            let function = reference - 1;
                            if store.functions[function as usize].ty != instance.types[signature as usize] {
                                trap!(Trap::IndirectCallType);
                            }
                            call!(function, slot, cost);
                        }
                    }
                }
                Instr::Return { first, count, cost } => {
                    match count {
                        0 => {}
                        1 => set!(0u16, get!(first)),
                        _ => frame.copy_within(first as usize..first as usize + count as usize, 0),
                    }
                    match self.frames.pop() {
                        Some(caller) => {
                            if D::PROFILED {
                                domain.left(cost);
                                domain.returned();
                            }
                            accumulated += cost as i64 - caller.cost as i64;
                            base = caller.base as usize;
                            pc = caller.pc as usize + 1;
                            if caller.instance != current {
                                break Leave::Switch(caller.instance);
                            }
                            frame = &mut self.stack[base..];
                        }
                        None => {
                            let values = frame[..count as usize].to_vec();
                            end!(End::Returned(values));
                        }
                    }
                }
                Instr::Bulk { index } => {
                    self.base = base;
                    let result = self.bulk(domain, module.bulk[index as usize], &mut answered);
                    match result {
                        Ok(()) => {}
                        Err(Stop::Trap(why)) => trap!(why),
                        Err(Stop::Limit(limit)) => end!(End::Limit(limit)),
                        Err(Stop::Ask(question)) => break Leave::Ask(question),
                    }
                    counts = self.arms[current as usize].as_mut_slice();
                    memory = &mut self.memories[memory_index];
                    frame = &mut self.stack[base..];
                    next!();
                }
                Instr::Charge { weight } => {
                    self.weighted = self.weighted.saturating_add(weight);
                    next!();
                }
                Instr::Unreachable => trap!(Trap::Unreachable),
            });
        };
        self.pc = pc;
        self.base = base;
        self.accumulated = accumulated;
        self.in_code = true;
        if !matches!(leave, Leave::Switch(_) | Leave::Pause) {
            self.executed = (accumulated + module.counts[pc] as i64) as u64;
            if D::PROFILED {
                domain.left(module.counts[pc]);
            }
        }
        leave
    }

    /// End of the current frame: what lies above it in the stack means nothing.
    pub(crate) fn top_of_stack(&self) -> usize {
        if matches!(self.status, Status::Idle | Status::HostEntry { .. } | Status::Ended(_)) {
            return 0;
        }
        let module = &self.store.instances[self.instance as usize].module;
        let location = module.location(self.pc as u32);
        let slots = module.bodies[(location.function - module.imported_functions) as usize].slots;
        (self.base + slots as usize).min(self.stack.len())
    }
}
