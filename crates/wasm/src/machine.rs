//! The machine: the state of a running program, and how it is driven.
//!
//! [`Machine::run`] runs until an [`Event`]: the program has ended, has called a host function, or has reached a point
//! where what it does next depends on the input. The caller answers ([`Machine::resume`], [`Machine::trap`],
//! [`Machine::exit`], [`Machine::take`]) and calls `run` again. The machine does no I/O and asks no solver. Cloning a
//! machine is cheap, in any state: code is not copied, and memory with terms is shared page by page. A clone of a run on
//! known values copies the pages that it has written.

use std::sync::Arc;

use pessimum_outcome::Costs;
pub use pessimum_outcome::{Limit, Trap};
use smallvec::SmallVec;

use crate::domain::Domain;
use crate::exceptions::Exceptions;
use crate::memory::Memory;
use crate::module::{Body, ExternKind, FunctionType, GlobalType, Location, Module, TableType};
use crate::run::{Stack, Unfinished};
use crate::sites::SiteId;

/// When a run is stopped although the program has not ended. Reaching a limit is an ordinary end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Counted instructions. Checked at jumps, calls and moves of many bytes, so a run stops at the first of those after
    /// the limit, which is the same one every time.
    pub instructions: u64,
    /// Bytes of linear memory over all memories.
    pub memory: u64,
    /// Frames on the call stack.
    pub call_depth: u32,
    /// Values in all frames together (one per parameter, local and operand stack entry).
    pub stack_values: u32,
    /// Elements of all tables together.
    pub table_elements: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            instructions: 1 << 62,
            memory: 1 << 30,
            call_depth: 100_000,
            stack_values: 1 << 24,
            table_elements: 10_000_000,
        }
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End<V> {
    /// The function returned these values.
    Returned(Vec<V>),
    /// The program trapped.
    Trapped(Trap),
    /// A limit was reached.
    Limit(Limit),
    /// The program ended itself with this code.
    Exited(u32),
}

/// A question about a value that depends on the input. What the program does next depends on the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question<V> {
    /// Whether the value (of width 32) differs from zero: arm 1 if it does, arm 0 if it does not.
    Truth(V),
    /// The same, but arm 1 ends in a trap.
    Trap(V),
    /// The smaller of the value (of width 32) and the index of the last arm. It selects the arm of a `br_table` or
    /// the element that an indirect call goes through (the last arm is then beyond the table).
    Index {
        /// The value.
        value: V,
        /// The last arm.
        last: u32,
    },
    /// The value itself (of width 32): an address, an index or a length. The arm is the value.
    Value(V),
}

/// A point where what the program does next depends on the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision<V> {
    /// The instance whose code is running.
    pub instance: InstanceId,
    /// The branch, if it is one; traps and addresses have no site.
    pub site: Option<SiteId>,
    /// The place in the code.
    pub location: Location,
    /// What must be decided.
    pub question: Question<V>,
}

/// Why [`Machine::run`] returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event<V> {
    /// What comes next depends on the input; answer with [`Machine::take`].
    Decision(Decision<V>),
    /// A host function was called; answer with [`Machine::resume`], [`Machine::trap`] or [`Machine::exit`].
    Host {
        /// The function, by the number it was made with.
        function: HostId,
        /// Its arguments.
        args: HostArguments<V>,
        /// How many results it must return.
        results: usize,
    },
    /// [`Machine::pause_after`] was reached. No answer is expected.
    Pause,
    /// The run is over.
    End(End<V>),
}

/// An instance of a machine; instances are numbered in the order in which they were made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InstanceId(pub u32);

/// The arguments of a call to a host function. Most have few, and a program that counts its own cost calls one in its
/// innermost loop, so few are not worth an allocation.
pub type HostArguments<V> = SmallVec<[V; 4]>;

/// A host function, numbered by whoever made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HostId(pub u32);

macro_rules! addresses {
    ($($(#[$doc:meta])* $name:ident)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub(crate) u32);
    )* };
}
addresses! {
    /// A function of a machine, whichever instance (or the host) it belongs to.
    FunctionAddress
    /// A table of a machine.
    TableAddress
    /// A memory of a machine.
    MemoryAddress
    /// A global of a machine.
    GlobalAddress
    /// A tag of a machine: exceptions with different tags are different, whatever their types.
    TagAddress
}

impl FunctionAddress {
    /// The `funcref` to this function.
    pub fn reference(self) -> u64 {
        self.0 as u64 + 1
    }
}

/// Something that can be imported or exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Extern {
    Function(FunctionAddress),
    Table(TableAddress),
    Memory(MemoryAddress),
    Global(GlobalAddress),
    Tag(TagAddress),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Callee {
    Wasm { instance: u32, body: u32 },
    Host(HostId),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Function {
    pub callee: Callee,
    /// Index into [`Store::types`], where equal types have equal indices.
    pub ty: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct Instance {
    pub module: Arc<Module>,
    /// For each type of the module, its index in [`Store::types`].
    pub types: Vec<u32>,
    pub functions: Vec<FunctionAddress>,
    pub tables: Vec<TableAddress>,
    /// The memory; address 0 is an empty one for instances that have none.
    pub memory: MemoryAddress,
    pub globals: Vec<GlobalAddress>,
    pub tags: Vec<TagAddress>,
}

/// What does not change while a program runs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Store {
    pub instances: Vec<Instance>,
    pub functions: Vec<Function>,
    pub types: Vec<FunctionType>,
    pub global_types: Vec<GlobalType>,
    /// Type of each tag, as an index into `types`.
    pub tags: Vec<u32>,
}

#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub ty: TableType,
    /// References; 0 is null.
    pub elements: Arc<Vec<u64>>,
}

/// Which segments of an instance have been dropped.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Dropped {
    pub elements: Vec<bool>,
    pub data: Vec<bool>,
}

/// A waiting caller.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    /// Its call instruction.
    pub pc: u32,
    pub base: u32,
    pub instance: u32,
    /// The number of counted instructions of its function up to and including the call, in text order.
    pub cost: u32,
    /// The number of the call among all calls of the run.
    pub call: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Status<V> {
    /// No function has been called yet, or the last run is over.
    Idle,
    /// In the middle of a function.
    Running,
    /// A host function is running; where its results go on the stack, and how many there are.
    Host { at: usize, results: usize },
    /// The function called from outside is a host function that has not been started yet.
    HostEntry { function: HostId, args: HostArguments<V>, results: usize },
    /// The run is over, but this has not been reported yet.
    Ended(End<V>),
}

/// The state of a running program. See the [module documentation](self).
pub struct Machine<D: Domain> {
    pub(crate) limits: Limits,
    pub(crate) pause_after: u64,
    pub(crate) store: Arc<Store>,
    pub(crate) memories: Vec<Memory<D>>,
    pub(crate) tables: Vec<Table>,
    pub(crate) globals: Vec<D::Value>,
    pub(crate) exceptions: Exceptions<D::Value>,
    pub(crate) dropped: Arc<Vec<Dropped>>,

    pub(crate) status: Status<D::Value>,
    pub(crate) stack: Stack<D::Value>,
    /// Where the current frame starts in the stack.
    pub(crate) base: usize,
    pub(crate) pc: usize,
    pub(crate) instance: u32,
    /// Whether `instance` and `pc` say where a function has been stopped, which they do neither before its first
    /// instruction nor once the run is over.
    pub(crate) in_code: bool,
    /// Executed instructions are this plus the count at `pc`; see [`crate::code::Instr::Jump`].
    pub(crate) accumulated: i64,
    /// Answers to the questions of the current instruction.
    pub(crate) answers: Vec<u64>,
    /// The current instruction, if it moves bytes and paused before its end.
    pub(crate) unfinished: Option<Unfinished>,

    /// Executed instructions, up to date whenever `run` has returned.
    pub(crate) executed: u64,
    /// How often each arm was taken, per instance.
    pub(crate) arms: Vec<Vec<u64>>,
    pub(crate) peak_memory: u64,
    pub(crate) user: u64,
    pub(crate) decisions: u64,
    pub(crate) weighted: u64,
    pub(crate) counting: Counting,
}

/// Which part of a run counts. The machine's own counters go on, so that limits and pauses hold wherever it is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counting {
    /// What the counters that go on had reached at the beginning of that part: instructions, calls, weighted cost.
    instructions: u64,
    calls: u64,
    weighted: u64,
    /// Frames on the call stack then.
    frames: u64,
    /// The deepest call stack before it.
    pub depth_before: u64,
    /// What had been counted when that part ended: costs, and how often each arm was taken, per instance.
    ended: Option<Arc<(Costs, Vec<Vec<u64>>)>>,
}

impl<D: Domain> Clone for Machine<D> {
    fn clone(&self) -> Self {
        Machine {
            limits: self.limits,
            pause_after: self.pause_after,
            store: self.store.clone(),
            memories: self.memories.clone(),
            tables: self.tables.clone(),
            globals: self.globals.clone(),
            exceptions: self.exceptions.clone(),
            dropped: self.dropped.clone(),
            status: self.status.clone(),
            stack: Stack {
                // Anything above the frames is left over from calls that have returned.
                values: self.stack.values[..self.top_of_stack()].to_vec(),
                callers: self.stack.callers.clone(),
                calls: self.stack.calls,
                depth: self.stack.depth,
            },
            base: self.base,
            pc: self.pc,
            instance: self.instance,
            in_code: self.in_code,
            accumulated: self.accumulated,
            answers: self.answers.clone(),
            unfinished: self.unfinished,
            executed: self.executed,
            arms: self.arms.clone(),
            peak_memory: self.peak_memory,
            user: self.user,
            decisions: self.decisions,
            weighted: self.weighted,
            counting: self.counting.clone(),
        }
    }
}

impl<D: Domain> Machine<D> {
    /// A machine without instances.
    pub fn new(limits: Limits) -> Machine<D> {
        Machine {
            limits,
            pause_after: u64::MAX,
            store: Arc::default(),
            memories: vec![Memory::new(0, Some(0))],
            tables: Vec::new(),
            globals: Vec::new(),
            exceptions: Exceptions::default(),
            dropped: Arc::default(),
            status: Status::Idle,
            stack: Stack::default(),
            base: 0,
            pc: 0,
            instance: 0,
            in_code: false,
            accumulated: 0,
            answers: Vec::new(),
            unfinished: None,
            executed: 0,
            arms: Vec::new(),
            peak_memory: 0,
            user: 0,
            decisions: 0,
            weighted: 0,
            counting: Counting::default(),
        }
    }

    /// The limits, which may be changed between runs and events.
    pub fn limits_mut(&mut self) -> &mut Limits {
        &mut self.limits
    }

    /// From this many counted instructions on, the run pauses at every jump, and in the middle of moves of many bytes, so
    /// that whoever drives it can check the clock and set the next such point.
    pub fn pause_after(&mut self, instructions: u64) {
        self.pause_after = instructions;
    }

    /// The accumulated cost from which on a jump is more than a jump: the run pauses, or is beyond this limit.
    #[inline(always)]
    pub(crate) fn first_look(&self, limit: i64) -> i64 {
        limit.min(i64::try_from(self.pause_after).unwrap_or(i64::MAX))
    }

    /// The call that is running: 0 is the one from outside, k the k-th call made since.
    pub fn current_call(&self) -> u32 {
        self.stack.callers.last().map_or(0, |frame| frame.call)
    }

    /// Bytes that a copy of the machine takes, as long as it shares its memory with others: pages that are written
    /// afterwards come on top.
    pub fn bytes(&self) -> u64 {
        let pages: u64 = self.memories.iter().map(|memory| memory.held() / crate::memory::PAGE as u64).sum();
        let arms: usize = self.arms.iter().map(Vec::len).sum();
        let stack = self.top_of_stack() * size_of::<D::Value>() + self.stack.callers.len() * size_of::<Frame>();
        let stack = stack + self.exceptions.bytes();
        size_of::<Machine<D>>() as u64 + (stack + 8 * (arms + self.globals.len())) as u64 + 8 * pages
    }

    /// Counted instructions since costs were last reset, in and out of the part that counts. Up to date whenever `run`
    /// has returned.
    pub fn instructions(&self) -> u64 {
        self.executed
    }

    /// Prepares a call of a function; [`Machine::run`] starts it. What ran before is forgotten, but its costs are kept.
    ///
    /// # Panics
    /// If the number of arguments is not the number of the function's parameters.
    pub fn call(&mut self, function: FunctionAddress, args: &[D::Value]) {
        let store = self.store.clone();
        let Function { callee, ty } = store.functions[function.0 as usize];
        assert_eq!(args.len(), store.types[ty as usize].params.len(), "wrong number of arguments");
        self.stack.callers.clear();
        self.answers.clear();
        self.unfinished = None;
        self.in_code = false;
        self.stack.calls += 1;
        self.stack.depth = self.stack.depth.max(1);
        self.base = 0;
        self.status = match callee {
            Callee::Host(function) => Status::HostEntry {
                function,
                args: HostArguments::from_slice(args),
                results: store.types[ty as usize].results.len(),
            },
            Callee::Wasm { instance, body } => {
                let Body { entry, slots, locals, .. } = store.instances[instance as usize].module.bodies[body as usize];
                self.instance = instance;
                self.pc = entry as usize;
                let values = &mut self.stack.values;
                values.clear();
                values.extend_from_slice(args);
                values.resize((slots as usize).max(locals as usize), D::Value::default());
                self.accumulated = self.executed as i64;
                if slots > self.limits.stack_values || self.limits.call_depth == 0 {
                    Status::Ended(End::Limit(Limit::Depth))
                } else {
                    Status::Running
                }
            }
        };
    }

    /// Prepares a call of the instance's start function; `false` if it has none.
    #[must_use]
    pub fn call_start(&mut self, instance: InstanceId) -> bool {
        let start = self.instance(instance).module.start.map(|start| self.function(instance, start));
        start.inspect(|&start| self.call(start, &[])).is_some()
    }

    /// Answers [`Event::Host`]: the function returned these values.
    ///
    /// # Panics
    /// If no host function is running, or the number of values is not the number of its results.
    pub fn resume(&mut self, values: &[D::Value]) {
        match std::mem::replace(&mut self.status, Status::Running) {
            Status::Host { at, results } if self.stack.callers.is_empty() && at == usize::MAX => {
                assert_eq!(values.len(), results, "wrong number of results");
                self.status = Status::Ended(End::Returned(values.to_vec()));
            }
            Status::Host { at, results } => {
                assert_eq!(values.len(), results, "wrong number of results");
                let stack = &mut self.stack.values;
                if stack.len() < at + results {
                    stack.resize(at + results, D::Value::default());
                }
                stack[at..at + results].copy_from_slice(values);
                self.pc += 1;
            }
            _ => panic!("no host function is running"),
        }
    }

    /// Answers [`Event::Host`]: the function trapped.
    pub fn trap(&mut self, trap: Trap) {
        self.status = Status::Ended(End::Trapped(trap));
    }

    /// Answers [`Event::Host`]: the function ended the program with this code.
    pub fn exit(&mut self, code: u32) {
        self.status = Status::Ended(End::Exited(code));
    }

    /// Answers [`Event::Decision`]: the run takes this arm.
    pub fn take(&mut self, arm: u64) {
        self.answers.push(arm);
    }

    pub(crate) fn instance(&self, instance: InstanceId) -> &Instance {
        &self.store.instances[instance.0 as usize]
    }

    /// The module of an instance.
    pub fn module(&self, instance: InstanceId) -> &Arc<Module> {
        &self.instance(instance).module
    }

    /// A function of an instance by its index in the module.
    pub fn function(&self, instance: InstanceId, index: u32) -> FunctionAddress {
        self.instance(instance).functions[index as usize]
    }

    /// An export of an instance.
    pub fn export(&self, instance: InstanceId, name: &str) -> Option<Extern> {
        let found = self.instance(instance);
        let export = found.module.export(name)?;
        let index = export.index as usize;
        Some(match export.kind {
            ExternKind::Function => Extern::Function(found.functions[index]),
            ExternKind::Table => Extern::Table(found.tables[index]),
            ExternKind::Memory => Extern::Memory(found.memory),
            ExternKind::Global => Extern::Global(found.globals[index]),
            ExternKind::Tag => Extern::Tag(found.tags[index]),
        })
    }

    /// An exported function of an instance.
    pub fn exported_function(&self, instance: InstanceId, name: &str) -> Option<FunctionAddress> {
        match self.export(instance, name)? {
            Extern::Function(function) => Some(function),
            _ => None,
        }
    }

    /// The type of a function.
    pub fn function_type(&self, function: FunctionAddress) -> &FunctionType {
        &self.store.types[self.store.functions[function.0 as usize].ty as usize]
    }

    /// The memory of an instance.
    pub fn memory_of(&self, instance: InstanceId) -> Option<MemoryAddress> {
        let memory = self.instance(instance).memory;
        (memory.0 != 0).then_some(memory)
    }

    /// A memory.
    pub fn memory(&self, memory: MemoryAddress) -> &Memory<D> {
        &self.memories[memory.0 as usize]
    }

    /// A memory, for writing.
    pub fn memory_mut(&mut self, memory: MemoryAddress) -> &mut Memory<D> {
        &mut self.memories[memory.0 as usize]
    }

    /// Grows a memory from outside by WebAssembly pages, within its maximum and the limits; returns its old size in
    /// bytes.
    pub fn grow_memory(&mut self, memory: MemoryAddress, delta: u32) -> Option<u64> {
        let old = self.memory(memory).len();
        match self.try_grow(memory, delta) {
            Ok(Some(_)) => Some(old),
            _ => None,
        }
    }

    /// The value of a global.
    pub fn global(&self, global: GlobalAddress) -> D::Value {
        self.globals[global.0 as usize]
    }

    /// The type of a global.
    pub fn global_type(&self, global: GlobalAddress) -> GlobalType {
        self.store.global_types[global.0 as usize]
    }

    /// The type of a tag; what an exception carries are the parameters.
    pub fn tag_type(&self, tag: TagAddress) -> &FunctionType {
        &self.store.types[self.store.tags[tag.0 as usize] as usize]
    }

    /// The references in a table; 0 is null.
    pub fn table(&self, table: TableAddress) -> &[u64] {
        &self.tables[table.0 as usize].elements
    }

    /// The instance whose code runs (or ran last), and the place in it.
    pub fn location(&self) -> (InstanceId, Location) {
        let instance = InstanceId(self.instance);
        (instance, self.instance(instance).module.location(self.pc as u32))
    }

    /// The places of the call stack, innermost first.
    pub fn backtrace(&self) -> Vec<(InstanceId, Location)> {
        let callers = self.stack.callers.iter().rev().map(|frame| {
            let instance = InstanceId(frame.instance);
            (instance, self.instance(instance).module.location(frame.pc))
        });
        std::iter::once(self.location()).chain(callers).collect()
    }

    /// How often each arm of each site of an instance was taken, by [`crate::Site::first_arm`].
    pub fn arm_counts(&self, instance: InstanceId) -> &[u64] {
        let arms = self.counting.ended.as_ref().map_or(&self.arms, |ended| &ended.1);
        &arms[instance.0 as usize]
    }

    /// How often a site of an instance was executed.
    pub fn site_hits(&self, instance: InstanceId, site: SiteId) -> u64 {
        let site = self.module(instance).site(site);
        self.arm_counts(instance)[site.first_arm as usize..][..site.arms as usize].iter().sum()
    }

    /// Adds to the cost that the program itself reports.
    pub fn add_user_cost(&mut self, cost: u64) {
        self.user = self.user.saturating_add(cost);
    }

    /// All costs since the machine was made or they were last reset, of the part of the run that counts. Up to date
    /// whenever `run` has returned.
    pub fn costs(&self) -> Costs {
        if let Some(ended) = &self.counting.ended {
            return ended.0;
        }
        let mut costs = Costs {
            instructions: self.executed - self.counting.instructions,
            branches: 0,
            decisions: self.decisions,
            calls: self.stack.calls - self.counting.calls,
            depth: match self.counting.frames {
                0 => self.stack.depth,
                // Without a call, what counts is the code of one function.
                frames => (self.stack.depth - frames).max(1),
            },
            memory: self.peak_memory,
            user: self.user,
            hits: 0,
            weighted: None,
            lines: 0,
        };
        for (instance, counts) in self.store.instances.iter().zip(&self.arms) {
            for site in &instance.module.sites {
                let hits = counts[site.first_arm as usize..][..site.arms as usize].iter().sum::<u64>();
                costs.branches += hits;
                costs.hits = costs.hits.max(hits);
            }
            if instance.module.uncharged.is_some() {
                costs.weighted = Some(self.weighted_so_far() - self.counting.weighted);
            }
        }
        costs
    }

    fn weighted_so_far(&self) -> u64 {
        self.weighted - self.charged_ahead()
    }

    /// From here on everything counts, and nothing before it does. To be called while a host function is running.
    pub(crate) fn begin_counting(&mut self) {
        let frames = self.stack.callers.len() as u64 + 1;
        self.counting = Counting {
            instructions: self.executed,
            calls: self.stack.calls,
            weighted: self.weighted_so_far(),
            frames,
            depth_before: self.counting.depth_before.max(self.stack.depth),
            ended: None,
        };
        for counts in &mut self.arms {
            counts.fill(0);
        }
        self.stack.depth = frames;
        self.user = 0;
        self.decisions = 0;
    }

    /// What follows does not count, nor does the call of the host function that is running. Returns whether there was
    /// anything to end.
    pub(crate) fn end_counting(&mut self) -> bool {
        if self.counting.ended.is_some() {
            return false;
        }
        let mut costs = self.costs();
        // The part may have begun in the same frame, or with the call from outside.
        costs.instructions = costs.instructions.saturating_sub(1);
        costs.calls = costs.calls.saturating_sub(1);
        let price = self.instance(InstanceId(self.instance)).module.call_price;
        costs.weighted = costs.weighted.map(|weighted| weighted.saturating_sub(price));
        self.counting.ended = Some(Arc::new((costs, self.arms.clone())));
        true
    }

    /// Weights charged for instructions that have not been executed: the rest of the straight-line piece in each frame.
    pub(crate) fn charged_ahead(&self) -> u64 {
        if !self.in_code {
            return 0;
        }
        let rest = |instance: u32, pc: usize| {
            let uncharged = &self.store.instances[instance as usize].module.uncharged;
            uncharged.as_ref().map_or(0, |uncharged| uncharged[pc])
        };
        let callers = self.stack.callers.iter().map(|frame| rest(frame.instance, frame.pc as usize)).sum::<u64>();
        callers + rest(self.instance, self.pc)
    }

    /// Sets all costs to zero, and the peak of memory to its current size. May only be called between runs.
    pub fn reset_costs(&mut self) {
        self.executed = 0;
        self.accumulated = 0;
        for counts in &mut self.arms {
            counts.fill(0);
        }
        self.stack.calls = 0;
        self.stack.depth = 0;
        self.peak_memory = self.memories.iter().map(Memory::held).sum();
        self.user = 0;
        self.decisions = 0;
        self.weighted = 0;
        self.counting = Counting::default();
    }
}
