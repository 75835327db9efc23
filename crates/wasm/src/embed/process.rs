//! One run of a subject. Calls to host functions are answered here; only decisions, assumptions and the end are left
//! to the caller.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use pessimum_outcome::{self as outcome, Costs, Limit, Trap};
use pessimum_term::{UnaryOp, VariableId};

use super::view::View;
use super::{Allocator, Counted, Host, Invocation, Subject, SubjectError, constant_bits, first_free};
use crate::domain::Domain;
use crate::guest::{self, Guest};
use crate::host::{Captured, Outcome};
use crate::machine::{
    Decision, End, Event, Extern, FunctionAddress, HostArguments, HostId, InstanceId, Limits, Machine,
};
use crate::memory::WASM_PAGE;
use crate::module::{ExternType, Location, ValueType};
use crate::wasi::{self, Wasi};
use pessimum_input::{Argument, Group, GuestValue, Kind, Number};

/// How a process ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProcessEnd<V> {
    /// The function returned these values.
    Returned(Vec<V>),
    /// The program ended itself with this code.
    Exited(u32),
    /// The program trapped; not [`Trap::Host`], which is [`ProcessEnd::Failed`] here.
    Trapped(Trap),
    /// A host function gave up for this reason.
    Failed(String),
    /// A limit was reached.
    Limit(Limit),
    /// The program called an imported function that nothing provides.
    MissingImport {
        /// The import's module.
        module: String,
        /// The import's name.
        name: String,
    },
    /// The input violates an assumption of the program (`pessimum.assume`).
    AssumptionViolated,
}

impl<V> ProcessEnd<V> {
    /// The end without the values returned or the reason for a failure: the form in which ends are counted and saved.
    pub fn kind(&self) -> outcome::End {
        match self {
            ProcessEnd::Returned(_) => outcome::End::Returned,
            ProcessEnd::Exited(code) => outcome::End::Exited(*code),
            ProcessEnd::Trapped(trap) => outcome::End::Trapped(*trap),
            ProcessEnd::Failed(_) => outcome::End::Trapped(Trap::Host),
            ProcessEnd::Limit(limit) => outcome::End::Limit(*limit),
            ProcessEnd::MissingImport { .. } => outcome::End::Unsupported,
            ProcessEnd::AssumptionViolated => outcome::End::AssumptionViolated,
        }
    }
}

impl<V> fmt::Display for ProcessEnd<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProcessEnd::Failed(why) => write!(f, "{}: {why}", self.kind()),
            ProcessEnd::MissingImport { module, name } => {
                write!(f, "{}: the program called the import `{module}.{name}`, which is not provided", self.kind())
            }
            _ => self.kind().fmt(f),
        }
    }
}

/// Why [`Process::run`] returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProcessEvent<V> {
    /// What comes next depends on the input; answer with [`Process::take`].
    Decision(Decision<V>),
    /// A host function needs a number that depends on the input; answer with [`Process::take`], where the arm is the
    /// number.
    Number {
        /// What it needs.
        value: V,
        /// Bits of the value.
        width: u32,
        /// The call of the host function.
        location: Location,
    },
    /// Only inputs for which this value (of width 32) differs from zero are of interest. No answer is expected.
    Assume(V),
    /// The number of instructions set with [`Process::pause_after`] was reached. No answer is expected.
    Pause,
    /// The run is over.
    End(ProcessEnd<V>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Nothing has run yet.
    New,
    /// The start function of the module is running.
    Start,
    /// `_initialize` is running.
    Initialize,
    /// The allocator is running for the argument with this index.
    Allocate(usize),
    /// Everything is ready for the first call; no input has been used, unless an earlier phase asked for some.
    Ready,
    /// The call with this index is running: 0, unless the subject is a sequence of calls.
    Main(usize),
}

/// Instructions between two questions of [`Process::run_while`] whether to go on: some milliseconds.
const ASK_EVERY: u64 = 1_000_000;

/// Bytes that host functions move between two pauses, if there are any, and what a call counts as at least. Host
/// functions count as one instruction whatever they move.
const HOST_BYTES: u64 = 1 << 20;
const HOST_CALL: u64 = 64;

/// A machine and its hosts. Cheap to clone, in any state; see [`crate::machine`].
pub struct Process<D: Domain> {
    pub(super) subject: Subject,
    pub(super) machine: Machine<D>,
    pub(super) instance: InstanceId,
    pub(super) wasi: Wasi,
    pub(super) guest: Guest,
    pub(super) phase: Phase,
    /// Address of each argument that is a buffer.
    pub(super) addresses: Arc<Vec<Option<u64>>>,
    /// What the calls before the running one returned; none for a function without result.
    pub(super) returned: Vec<Option<D::Value>>,
    /// A host call that is waiting for a number, its arguments and the numbers decided so far.
    pub(super) pending: Option<(HostId, HostArguments<D::Value>)>,
    pub(super) answers: Vec<u64>,
    /// Why a host function gave up; empty until one does.
    pub(super) failure: String,
    /// What was executed before the call: instructions, and frames on the deepest call stack.
    pub(super) before: (u64, u64),
    /// Bytes that host functions have moved since the last pause.
    pub(super) moved: u64,
    /// Whether it was told to end where it was.
    pub(super) was_stopped: bool,
    /// How often a host function was called that may not do the same each time, or another phase began.
    pub(super) asked_host: u64,
}

impl<D: Domain> Clone for Process<D> {
    fn clone(&self) -> Self {
        Process {
            subject: self.subject.clone(),
            machine: self.machine.clone(),
            instance: self.instance,
            wasi: self.wasi.clone(),
            guest: self.guest.clone(),
            phase: self.phase,
            addresses: self.addresses.clone(),
            returned: self.returned.clone(),
            pending: self.pending.clone(),
            answers: self.answers.clone(),
            failure: self.failure.clone(),
            before: self.before,
            moved: self.moved,
            was_stopped: self.was_stopped,
            asked_host: self.asked_host,
        }
    }
}

impl<D: Domain> Process<D> {
    /// A process in which nothing has run yet.
    pub fn new(subject: &Subject) -> Result<Process<D>, SubjectError> {
        let inner = &subject.inner;
        let mut machine = Machine::new(inner.limits);
        let mut hosts = 0;
        let mut too_large = None;
        let linked = machine.instantiate(inner.module.clone(), &mut |machine, import| {
            let found = match &import.ty {
                ExternType::Function(ty) => {
                    hosts += 1;
                    Ok(Extern::Function(machine.host_function(ty.clone(), HostId(hosts - 1))))
                }
                ExternType::Memory(ty) => machine.new_memory(*ty).map(Extern::Memory),
                ExternType::Table(ty) => machine.new_table(*ty).map(Extern::Table),
                // Nothing outside throws, so a tag of the module's own will do.
                ExternType::Tag(ty) => Ok(Extern::Tag(machine.new_tag(ty))),
                ExternType::Global(_) => return None,
            };
            found.map_err(|error| too_large = Some(error)).ok()
        });
        let instance = linked.map_err(|error| SubjectError::Link(too_large.unwrap_or(error)))?;
        let plan = subject.plan();
        Ok(Process {
            wasi: inner.wasi.clone(),
            guest: Guest::new(plan.size, first_free(plan).0),
            addresses: Arc::new(vec![None; plan.arguments.len()]),
            subject: subject.clone(),
            machine,
            instance,
            phase: Phase::New,
            returned: Vec::new(),
            pending: None,
            answers: Vec::new(),
            failure: String::new(),
            before: (0, 0),
            moved: 0,
            was_stopped: false,
            asked_host: 0,
        })
    }

    /// Runs what comes before the call (start function, `_initialize`, the allocator), so that clones of this process
    /// start at the call. Returns the event that stopped it on the way, if any; [`Process::run`] then resumes there.
    pub fn prepare(&mut self, domain: &mut D) -> Option<ProcessEvent<D::Value>> {
        loop {
            match self.phase {
                Phase::Ready | Phase::Main(_) => return None,
                Phase::New => self.advance(),
                _ => match self.step(domain) {
                    Some(ProcessEvent::End(ProcessEnd::Returned(values))) => {
                        if let Err(why) = self.allocated(&values) {
                            return Some(ProcessEvent::End(ProcessEnd::Failed(why)));
                        }
                        self.advance();
                    }
                    Some(event) => return Some(event),
                    None => {}
                },
            }
        }
    }

    /// Runs until the next event.
    pub fn run(&mut self, domain: &mut D) -> ProcessEvent<D::Value> {
        if let Some(event) = self.prepare(domain) {
            return event;
        }
        if self.phase == Phase::Ready
            && let Err(message) = self.call(domain, 0)
        {
            return ProcessEvent::End(ProcessEnd::Failed(message));
        }
        loop {
            let event = self.step(domain);
            match (event, self.phase) {
                (None, _) => {}
                (Some(ProcessEvent::End(ProcessEnd::Returned(values))), Phase::Main(at))
                    if at + 1 < self.subject.inner.calls.len() =>
                {
                    self.returned.push(values.first().copied());
                    if !self.subject.inner.null_handles && self.passes_null(at + 1) {
                        return ProcessEvent::End(ProcessEnd::AssumptionViolated);
                    }
                    if let Err(message) = self.call(domain, at + 1) {
                        return ProcessEvent::End(ProcessEnd::Failed(message));
                    }
                }
                (Some(event), _) => return event,
            }
        }
    }

    /// Like [`Process::run`], but asks now and then whether to go on instead of pausing. If not, the run ends where it is
    /// (`Limit::Budget`), and its limit of instructions is set so that another run within it ends in the same place.
    pub fn run_while(&mut self, domain: &mut D, go_on: &mut dyn FnMut() -> bool) -> ProcessEvent<D::Value> {
        self.pause_after(self.instructions().saturating_add(ASK_EVERY));
        loop {
            match self.run(domain) {
                ProcessEvent::Pause => self.ask(go_on),
                event => return self.told(event),
            }
        }
    }

    /// An event with the name of what stopped the run: where it was told to stop, that was no limit of its own.
    fn told(&self, event: ProcessEvent<D::Value>) -> ProcessEvent<D::Value> {
        match event {
            ProcessEvent::End(ProcessEnd::Limit(Limit::Instructions)) if self.was_stopped => {
                ProcessEvent::End(ProcessEnd::Limit(Limit::Budget))
            }
            event => event,
        }
    }

    /// Runs on for about as long as [`Process::run_while`] does between two questions. Returns whether the run goes on.
    pub fn run_some(&mut self, domain: &mut D) -> bool {
        self.pause_after(self.instructions().saturating_add(ASK_EVERY));
        matches!(self.run(domain), ProcessEvent::Pause)
    }

    /// Like [`Process::prepare`], but asks now and then whether to go on, as [`Process::run_while`] does.
    pub fn prepare_while(&mut self, domain: &mut D, go_on: &mut dyn FnMut() -> bool) -> Option<ProcessEvent<D::Value>> {
        self.pause_after(self.instructions().saturating_add(ASK_EVERY));
        loop {
            match self.prepare(domain) {
                Some(ProcessEvent::Pause) => self.ask(go_on),
                event => return event.map(|event| self.told(event)),
            }
        }
    }

    /// After a pause: whether to go on.
    fn ask(&mut self, go_on: &mut dyn FnMut() -> bool) {
        if go_on() {
            self.pause_after(self.instructions().saturating_add(ASK_EVERY));
        } else {
            self.was_stopped = true;
            // No earlier jump exceeded this limit.
            self.machine.limits.instructions = self.machine.limits.instructions.min(self.instructions());
            self.pause_after(u64::MAX);
        }
    }

    /// Answers a decision.
    pub fn take(&mut self, arm: u64) {
        match self.pending {
            Some(_) => self.answers.push(arm),
            None => self.machine.take(arm),
        }
    }

    /// Starts the next phase that has something to run.
    fn advance(&mut self) {
        self.asked_host += 1;
        loop {
            let inner = &self.subject.inner;
            self.phase = match self.phase {
                Phase::New => Phase::Start,
                Phase::Start => Phase::Initialize,
                Phase::Initialize => Phase::Allocate(0),
                Phase::Allocate(argument) => Phase::Allocate(argument + 1),
                phase => phase,
            };
            match self.phase {
                Phase::Start => {
                    if self.machine.call_start(self.instance) {
                        return;
                    }
                }
                Phase::Initialize => {
                    // A command's `_start` does this itself.
                    if let Some(function) = inner.initialize.filter(|&function| function != inner.calls[0].function) {
                        let function = self.function(function);
                        self.machine.call(function, &[]);
                        return;
                    }
                }
                Phase::Allocate(argument) => {
                    let arguments = &inner.world.plan.arguments;
                    if argument >= arguments.len() || inner.allocator == Allocator::Pages {
                        self.phase = Phase::Ready;
                        return;
                    }
                    if let Some(size) = buffer_bytes(&arguments[argument]) {
                        let size = D::constant(size.max(1));
                        let (function, args) = match inner.allocator {
                            Allocator::Realloc(function) => {
                                let zero = D::constant(0);
                                (function, vec![zero, zero, D::constant(16), size])
                            }
                            Allocator::Size(function) => (function, vec![size]),
                            Allocator::Pages => return,
                        };
                        let function = self.function(function);
                        self.machine.call(function, &args);
                        return;
                    }
                }
                Phase::New | Phase::Ready | Phase::Main(_) => return,
            }
        }
    }

    /// Handles the return of a phase before the call.
    fn allocated(&mut self, values: &[D::Value]) -> Result<(), String> {
        let Phase::Allocate(argument) = self.phase else { return Ok(()) };
        let size = buffer_bytes(&self.subject.plan().arguments[argument]).unwrap_or(0);
        match values.first().and_then(|&value| D::known(value)) {
            Some(address) if address != 0 => {
                Arc::make_mut(&mut self.addresses)[argument] = Some(address);
                Ok(())
            }
            _ => {
                let message = format!("the module's allocator returned no buffer of {size} bytes for argument");
                Err(format!("{message} {}", argument + 1))
            }
        }
    }

    /// Whether a call is passed 0 as a handle.
    fn passes_null(&self, at: usize) -> bool {
        let arguments = &self.subject.plan().arguments[self.subject.inner.calls[at].arguments.clone()];
        arguments.iter().any(|argument| match argument {
            Argument::Returned(call) => {
                let handle = self.returned.get(*call).copied().flatten();
                handle.and_then(|handle| D::known(handle)) == Some(0)
            }
            _ => false,
        })
    }

    /// Puts the input of a call in place and starts it. Costs count from the first one on, or from the last one if only
    /// that counts.
    fn call(&mut self, domain: &mut D, at: usize) -> Result<(), String> {
        self.asked_host += 1;
        let subject = self.subject.clone();
        let plan = subject.plan();
        if at == 0 && subject.inner.allocator == Allocator::Pages {
            self.append_buffers(&plan.arguments)?;
        }
        let Invocation { function, arguments } = &subject.inner.calls[at];
        let function = *function;
        let params = &subject.inner.module.function_type(function).params;
        let addresses = self.addresses.clone();
        let mut args = Vec::new();
        for (i, &param) in arguments.clone().zip(params) {
            let argument = &plan.arguments[i];
            let address = addresses[i].unwrap_or(0);
            args.push(match argument {
                Argument::Scalar(group) => scalar(domain, group, param),
                Argument::Buffer(group) => {
                    for (position, variable) in group.variables().enumerate() {
                        let value = domain.input(variable, group.kind.width());
                        let at = address + position as u64 * group.kind.bytes();
                        self.place(domain, i, at, value, group.kind)?;
                    }
                    D::constant(address)
                }
                Argument::Text(group) => {
                    for (position, variable) in group.variables().enumerate() {
                        let value = domain.input(variable, 8);
                        self.place(domain, i, address + position as u64, value, Kind::U8)?;
                    }
                    self.place(domain, i, address + u64::from(group.count), D::constant(0), Kind::U8)?;
                    D::constant(address)
                }
                Argument::Zeroed { kind, count } => {
                    for at in 0..u64::from(*count) * kind.bytes() {
                        self.place(domain, i, address + at, D::constant(0), Kind::U8)?;
                    }
                    D::constant(address)
                }
                Argument::Structure(structure) => {
                    if structure.padded || !structure.is_input() {
                        for at in 0..structure.bytes {
                            self.place(domain, i, address + at, D::constant(0), Kind::U8)?;
                        }
                    }
                    for column in &structure.columns {
                        let Some(group) = &column.group else { continue };
                        for (offset, variable) in column.offsets().zip(group.variables()) {
                            let value = domain.input(variable, column.kind.width());
                            self.place(domain, i, address + offset, value, column.kind)?;
                        }
                    }
                    D::constant(address)
                }
                Argument::Constant(bytes) => {
                    for (at, &byte) in (address..).zip(bytes.iter().chain(&[0])) {
                        self.place(domain, i, at, D::constant(u64::from(byte)), Kind::U8)?;
                    }
                    D::constant(address)
                }
                Argument::Function(name) => {
                    let index = subject.inner.pointers.get(i).copied().flatten();
                    let index = index.and_then(|function| self.machine.table_index(self.instance, function));
                    D::constant(
                        index.ok_or_else(|| format!("there is no room for `{name}` in the table of functions"))?,
                    )
                }
                Argument::Integer(_) | Argument::Float(_) => {
                    D::constant(constant_bits(argument, param).unwrap_or_default())
                }
                Argument::Returned(call) => {
                    self.returned.get(*call).copied().flatten().unwrap_or_else(|| D::constant(0))
                }
            });
        }
        let function = self.function(function);
        if at == 0 {
            self.count_from_here();
        } else if subject.inner.counted == Counted::Last && at + 1 == subject.inner.calls.len() {
            self.count_from_here();
            domain.began();
        }
        self.machine.call(function, &args);
        self.phase = Phase::Main(at);
        Ok(())
    }

    /// Nothing that was executed so far counts, not even for the limits of the run.
    fn count_from_here(&mut self) {
        let (instructions, depth) = self.before;
        self.before = (instructions + self.machine.executed, depth.max(self.machine.stack.depth));
        if self.machine.pause_after != u64::MAX {
            // The next pause is as far away as it was.
            self.machine.pause_after = self.machine.pause_after.saturating_sub(self.machine.executed);
        }
        self.machine.reset_costs();
    }

    fn place(
        &mut self,
        domain: &mut D,
        argument: usize,
        address: u64,
        value: D::Value,
        kind: Kind,
    ) -> Result<(), String> {
        let memory = self.machine.memory_of(self.instance);
        let bytes = kind.bytes() as usize;
        match memory {
            Some(memory) if self.machine.memory_mut(memory).write_value(domain, address, value, bytes) => Ok(()),
            _ => {
                let place = format!("{address:#x}, outside memory");
                Err(format!("the module's allocator put the buffer of argument {} at {place}", argument + 1))
            }
        }
    }

    /// Buffers in fresh pages, each aligned to 16 bytes: at the end of memory, or behind all that it may grow to where the
    /// program itself asks for memory. It may keep account of where its memory ends (Go does), or take all memory that it
    /// finds (AssemblyScript does), and would then overwrite what lies at the end.
    fn append_buffers(&mut self, arguments: &[Argument]) -> Result<(), String> {
        let align = |size: u64| size.max(1).next_multiple_of(16);
        let total: u64 = arguments.iter().filter_map(buffer_bytes).map(align).sum();
        let Some(memory) = self.machine.memory_of(self.instance).filter(|_| total > 0) else { return Ok(()) };
        let is_apart = self.subject.has_buffers_apart();
        // An empty memory would put the first buffer at address 0, which programs take to mean no buffer.
        let skipped = if self.machine.memory(memory).is_empty() && !is_apart { 16 } else { 0 };
        let pages = (total + skipped).div_ceil(WASM_PAGE);
        let most = self.subject.limits().memory;
        let grown = u32::try_from(pages).ok().and_then(|pages| match is_apart {
            true => self.machine.add_apart(memory, pages, most),
            false => self.machine.grow_memory(memory, pages),
        });
        let Some(old) = grown else {
            let reason = "its own maximum or the memory limit";
            return Err(format!(
                "no room for {total} bytes of buffers: memory cannot grow by {pages} pages ({reason})"
            ));
        };
        let mut next = old + skipped;
        for (address, argument) in Arc::make_mut(&mut self.addresses).iter_mut().zip(arguments) {
            if let Some(size) = buffer_bytes(argument) {
                *address = Some(next);
                next += align(size);
            }
        }
        Ok(())
    }

    /// Runs the machine to its next event and answers it if it is a host call; `None` if the run continues.
    fn step(&mut self, domain: &mut D) -> Option<ProcessEvent<D::Value>> {
        if let Some((function, args)) = self.pending.take() {
            return self.host(domain, function, args);
        }
        match self.machine.run(domain) {
            Event::Decision(decision) => Some(ProcessEvent::Decision(decision)),
            Event::Pause => Some(ProcessEvent::Pause),
            Event::Host { function, args, .. } => self.host(domain, function, args),
            Event::End(end) => Some(ProcessEvent::End(match end {
                End::Returned(values) => ProcessEnd::Returned(values),
                End::Trapped(Trap::Host) => ProcessEnd::Failed(self.failure.clone()),
                End::Trapped(trap) => ProcessEnd::Trapped(trap),
                End::Limit(limit) => ProcessEnd::Limit(limit),
                End::Exited(code) => ProcessEnd::Exited(code),
            })),
        }
    }

    fn host(
        &mut self,
        domain: &mut D,
        function: HostId,
        args: HostArguments<D::Value>,
    ) -> Option<ProcessEvent<D::Value>> {
        let memory = self.machine.memory_of(self.instance);
        let answers = std::mem::take(&mut self.answers);
        let mut caller =
            View { machine: &mut self.machine, domain, memory, answers: &answers, answered: 0, moved: HOST_CALL };
        let subject = &self.subject.inner;
        // These only count, or say what is the same all the time.
        const STEADY: [&str; 6] = ["cost", "begin", "end", "size", "assume", "explains"];
        let host = &subject.hosts[function.0 as usize];
        self.asked_host += u64::from(!matches!(host, Host::Guest(name) if STEADY.contains(name)));
        let outcome = match host {
            Host::Wasi(name) => wasi::call(&mut self.wasi, &mut caller, name, &args),
            Host::Guest(name) => guest::call(&mut self.guest, &mut caller, name, &args),
            Host::Abort => guest::abort(&mut caller, &args),
            Host::Missing { module, name } => {
                let (module, name) = (module.clone(), name.clone());
                return Some(ProcessEvent::End(ProcessEnd::MissingImport { module, name }));
            }
        };
        self.moved += caller.moved;
        match outcome {
            Outcome::Return(None) => self.machine.resume(&[]),
            Outcome::Return(Some(bits)) => self.machine.resume(&[D::constant(bits)]),
            Outcome::Value(value) => self.machine.resume(&[value]),
            Outcome::Exit(code) => self.machine.exit(code),
            Outcome::Trap(message) => {
                self.failure = message;
                self.machine.trap(Trap::Host);
            }
            Outcome::NeedConcrete(value, width) => {
                self.pending = Some((function, args));
                self.answers = answers;
                let (_, location) = self.machine.location();
                return Some(ProcessEvent::Number { value, width, location });
            }
            Outcome::Assume(value) if D::known(value).is_some() => {
                return Some(ProcessEvent::End(ProcessEnd::AssumptionViolated));
            }
            Outcome::Assume(value) => {
                self.machine.resume(&[]);
                return Some(ProcessEvent::Assume(value));
            }
        }
        if self.moved >= HOST_BYTES && self.machine.pause_after != u64::MAX {
            self.moved = 0;
            return Some(ProcessEvent::Pause);
        }
        None
    }

    fn function(&self, index: u32) -> FunctionAddress {
        self.machine.function(self.instance, index)
    }

    /// The running subject.
    pub fn subject(&self) -> &Subject {
        &self.subject
    }

    /// How often it has asked its host for what may not be the same each time.
    pub(crate) fn asked_host(&self) -> u64 {
        self.asked_host
    }

    /// The limits of the run, which may be changed before it starts.
    pub fn limits_mut(&mut self) -> &mut Limits {
        self.machine.limits_mut()
    }

    /// From this many instructions of the call on, the run returns now and then with [`ProcessEvent::Pause`].
    pub fn pause_after(&mut self, instructions: u64) {
        self.machine.pause_after(instructions);
    }

    /// Instructions of the call so far, whether they count or not.
    pub fn instructions(&self) -> u64 {
        self.machine.instructions()
    }

    /// Instructions executed before the call that counts, which are within the limit of the run and no cost; before that call
    /// begins, those so far.
    pub fn before_call(&self) -> u64 {
        if matches!(self.phase, Phase::Main(_)) { self.before.0 } else { self.total() }
    }

    /// Instructions so far, including those before the call.
    pub(super) fn total(&self) -> u64 {
        self.before.0 + self.instructions()
    }

    /// What the calls before the running one returned, the first value of each.
    pub fn returned(&self) -> &[Option<D::Value>] {
        &self.returned
    }

    /// Costs of the call so far.
    pub fn costs(&self) -> Costs {
        self.machine.costs()
    }

    /// The machine, for what only it knows (counts of sites, say), and the instance of the subject in it.
    pub fn machine(&self) -> (&Machine<D>, InstanceId) {
        (&self.machine, self.instance)
    }

    /// Bytes that a fork may come to hold for itself alone, apart from the pages of memory that it changes.
    pub fn bytes(&self) -> u64 {
        self.machine.bytes() + self.wasi.own_bytes() + self.guest.own_bytes()
    }

    /// What was written to standard output.
    pub fn stdout(&self) -> &Captured {
        &self.wasi.stdout
    }

    /// What was written to standard error.
    pub fn stderr(&self) -> &Captured {
        &self.wasi.stderr
    }

    /// WASI functions that are not provided and how often each was called.
    pub fn unsupported(&self) -> &BTreeMap<&'static str, u64> {
        &self.wasi.unsupported
    }

    /// The inputs that the program itself has asked for, in order.
    pub fn asked(&self) -> Vec<GuestValue> {
        self.guest.asked()
    }

    /// What the program said to explain a trap that follows (`pessimum.message`).
    pub fn message(&self) -> Option<&str> {
        self.guest.message()
    }

    /// Input variables so far: those of the call, and those that the program asked for.
    pub fn variables(&self) -> usize {
        self.guest.variables()
    }

    /// Places of the call stack, innermost first.
    pub fn backtrace(&self) -> Vec<Location> {
        self.machine.backtrace().into_iter().map(|(_, location)| location).collect()
    }

    /// What the buffers hold now; `None` for arguments that are not buffers. Bytes that depend on the input appear as
    /// the bits kept for them. Those of a structure are by column.
    pub(super) fn buffers(&self) -> Vec<Option<Vec<Number>>> {
        let memory = self.machine.memory_of(self.instance);
        let content = |argument: &Argument, address: &Option<u64>| {
            let (kind, count) = match argument {
                Argument::Buffer(group) => (group.kind, group.count),
                Argument::Text(group) => (Kind::U8, group.count),
                Argument::Zeroed { kind, count } => (*kind, *count),
                Argument::Structure(structure) => {
                    let (memory, at) = memory.zip(*address)?;
                    let bytes = self.machine.memory(memory).read(at, structure.bytes)?;
                    let numbers = structure.columns.iter().flat_map(|column| {
                        let kind = column.kind;
                        let read = |offset: u64| number(kind, &bytes[offset as usize..][..kind.bytes() as usize]);
                        column.offsets().map(read).collect::<Vec<Number>>()
                    });
                    return Some(numbers.collect());
                }
                _ => return None,
            };
            let length = u64::from(count) * kind.bytes();
            let (memory, at) = memory.zip(*address)?;
            let bytes = self.machine.memory(memory).read(at, length)?;
            Some(bytes.chunks(kind.bytes() as usize).map(|chunk| number(kind, chunk)).collect())
        };
        self.subject.plan().arguments.iter().zip(&*self.addresses).map(|(a, at)| content(a, at)).collect()
    }
}

fn number(kind: Kind, bytes: &[u8]) -> Number {
    Number { kind, bits: bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte)) }
}

/// A scalar argument, extended to the width of its parameter.
fn scalar<D: Domain>(domain: &mut D, group: &Group, param: ValueType) -> D::Value {
    let (width, wanted) = (group.kind.width(), param.width());
    let value = domain.input(VariableId(group.first), width);
    if width == wanted {
        return value;
    }
    let op = if group.kind.is_signed() { UnaryOp::SignExtend } else { UnaryOp::ZeroExtend };
    domain.unary(op, width, wanted, value)
}

/// Bytes that an argument's buffer takes, for those that have one.
pub(super) fn buffer_bytes(argument: &Argument) -> Option<u64> {
    match argument {
        Argument::Buffer(group) => Some(u64::from(group.count) * group.kind.bytes()),
        Argument::Text(group) => Some(u64::from(group.count) + 1),
        Argument::Zeroed { kind, count } => Some(u64::from(*count) * kind.bytes()),
        Argument::Structure(structure) => Some(structure.bytes),
        Argument::Constant(bytes) => Some(bytes.len() as u64 + 1),
        Argument::Scalar(_)
        | Argument::Function(_)
        | Argument::Returned(_)
        | Argument::Integer(_)
        | Argument::Float(_) => None,
    }
}
