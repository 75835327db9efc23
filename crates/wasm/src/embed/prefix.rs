//! What all concrete runs of a subject have in common: everything before the first event that depends on the input.
//!
//! It is found by a symbolic run, in which nothing but terms distinguishes one input from another, and kept in a form
//! that threads can share. A concrete run that starts there evaluates the terms under its own input and takes over
//! everything else unchanged. Bytes of the input may have been moved around before that event: they are terms like
//! any others.

use std::sync::Arc;

use pessimum_term::{Arena, Evaluator, TermId, Witness};

use super::Subject;
use super::process::{Phase, Process, ProcessEvent};
use crate::domain::{Concrete, Domain};
use crate::exceptions::Exceptions;
use crate::guest::Guest;
use crate::machine::{Counting, Dropped, HostArguments, HostId, InstanceId, Limits, Machine, Status, Store, Table};
use crate::memory::{Memory, SavedMemory};
use crate::run::{Stack, Unfinished};
use crate::symbolic::{Symbolic, SymbolicValue};
use crate::wasi::{SymbolicPieces, Wasi};

/// Terms after which no more is shared: each run evaluates all of them.
const MOST_TERMS: usize = 1 << 18;

/// Instructions between two checks of the number of terms.
const PAUSE_EVERY: u64 = 1 << 17;

/// The common start of the concrete runs of one subject.
pub struct Prefix {
    subject: Subject,
    arena: Arena,
    /// The condition that the program assumed last, if any; a run on an input that violates it ends there.
    assumed: Option<TermId>,
    machine: SavedMachine,
    instance: InstanceId,
    wasi: Wasi,
    /// Where the files of `wasi` hold terms.
    symbolic_pieces: SymbolicPieces,
    guest: Guest,
    phase: Phase,
    addresses: Arc<Vec<Option<u64>>>,
    returned: Vec<Option<SymbolicValue>>,
    pending: Option<(HostId, HostArguments<SymbolicValue>)>,
    before: (u64, u64),
}

/// A [`Machine`] in a form that threads can share. The fields are those of the machine.
struct SavedMachine {
    store: Arc<Store>,
    memories: Vec<SavedMemory>,
    tables: Vec<Table>,
    globals: Vec<SymbolicValue>,
    exceptions: Exceptions<SymbolicValue>,
    dropped: Arc<Vec<Dropped>>,
    /// Where the results of the running host function go, and how many there are.
    host: Option<(usize, usize)>,
    stack: Stack<SymbolicValue>,
    base: usize,
    pc: usize,
    instance: u32,
    in_code: bool,
    accumulated: i64,
    unfinished: Option<Unfinished>,
    executed: u64,
    arms: Vec<Vec<u64>>,
    peak_memory: u64,
    user: u64,
    weighted: u64,
    counting: Counting,
}

impl Prefix {
    /// Runs a subject up to the first event that depends on its input, or to the first jump after `most` instructions or
    /// [`MOST_TERMS`] terms if that comes first. Returns `None` if the program ends earlier or cannot be started, or if
    /// the input alone has so many.
    pub fn of(subject: &Subject, most: u64) -> Option<Prefix> {
        Prefix::up_to(subject, most, &mut || true)
    }

    /// The same, but no further than to where `go_on` says that it is enough: a shorter prefix serves as well.
    pub fn up_to(subject: &Subject, most: u64, go_on: &mut dyn FnMut() -> bool) -> Option<Prefix> {
        if subject.plan().variables() >= MOST_TERMS {
            return None;
        }
        let mut domain = Symbolic::default();
        let mut process = Process::<Symbolic>::new(subject).ok()?;
        *process.limits_mut() = Limits::default();
        process.pause_after(most.min(PAUSE_EVERY));
        // Host functions pause without executing anything.
        let mut pauses = most.div_ceil(PAUSE_EVERY);
        let assumed = loop {
            match process.run(&mut domain) {
                ProcessEvent::End(_) => return None,
                ProcessEvent::Assume(condition) => break Some(condition.term()?),
                ProcessEvent::Pause
                    if pauses > 0 && process.total() < most && domain.arena.len() < MOST_TERMS && go_on() =>
                {
                    pauses -= 1;
                    process.pause_after(process.instructions() + PAUSE_EVERY);
                }
                ProcessEvent::Decision(_) | ProcessEvent::Number { .. } | ProcessEvent::Pause => break None,
            }
        };
        Some(Prefix {
            assumed,
            machine: SavedMachine::of(&process.machine)?,
            arena: domain.arena,
            subject: process.subject,
            instance: process.instance,
            symbolic_pieces: process.wasi.symbolic_pieces(),
            wasi: process.wasi,
            guest: process.guest,
            phase: process.phase,
            addresses: process.addresses,
            returned: process.returned,
            pending: process.pending,
            before: process.before,
        })
    }

    /// The run on this input within these limits, at the end of the prefix; `None` if it would not get there. It
    /// differs from a run from the start only in what it has written to its streams: see [`crate::Captured`].
    pub fn process(&self, input: &Witness, limits: Limits) -> Option<Process<Concrete>> {
        // No number that was checked against a limit before this point was greater than these.
        let instructions = self.machine.executed.max(self.before.0);
        let depth = self.machine.stack.depth.max(self.machine.counting.depth_before).max(self.before.1);
        let common = Limits::default();
        if limits.instructions < instructions
            || u64::from(limits.call_depth) < depth
            || limits.memory < self.machine.peak_memory
            || (limits.stack_values, limits.table_elements) != (common.stack_values, common.table_elements)
        {
            return None;
        }
        let mut evaluator = Evaluator::new(input.clone());
        let mut value = |term| evaluator.value(&self.arena, term);
        if self.assumed.is_some_and(|condition| value(condition) == 0) {
            return None;
        }
        let machine = self.machine.restore(limits, &mut value);
        let wasi = self.wasi.evaluated(&self.symbolic_pieces, &mut value);
        let mut bits = |known: &SymbolicValue| bits(*known, &mut value);
        let pending = self.pending.as_ref().map(|(host, args)| (*host, args.iter().map(&mut bits).collect()));
        Some(Process {
            subject: self.subject.clone(),
            machine,
            instance: self.instance,
            wasi,
            guest: self.guest.clone(),
            phase: self.phase,
            addresses: self.addresses.clone(),
            returned: self.returned.iter().map(|known| known.as_ref().map(&mut bits)).collect(),
            pending,
            answers: Vec::new(),
            failure: String::new(),
            before: self.before,
            moved: 0,
            was_stopped: false,
            asked_host: 0,
        })
    }
}

fn bits(of: SymbolicValue, value: &mut dyn FnMut(TermId) -> u64) -> u64 {
    of.term().map_or_else(|| Symbolic::known(of).unwrap_or_default(), value)
}

impl SavedMachine {
    /// `None` if the machine is not in the middle of a function.
    fn of(machine: &Machine<Symbolic>) -> Option<SavedMachine> {
        let host = match machine.status {
            Status::Running => None,
            Status::Host { at, results } => Some((at, results)),
            Status::Idle | Status::HostEntry { .. } | Status::Ended(_) => return None,
        };
        Some(SavedMachine {
            store: machine.store.clone(),
            memories: machine.memories.iter().map(Memory::save).collect(),
            tables: machine.tables.clone(),
            globals: machine.globals.clone(),
            exceptions: machine.exceptions.clone(),
            dropped: machine.dropped.clone(),
            host,
            stack: Stack {
                values: machine.stack.values[..machine.top_of_stack()].to_vec(),
                callers: machine.stack.callers.clone(),
                calls: machine.stack.calls,
                depth: machine.stack.depth,
            },
            base: machine.base,
            pc: machine.pc,
            instance: machine.instance,
            in_code: machine.in_code,
            accumulated: machine.accumulated,
            unfinished: machine.unfinished,
            executed: machine.executed,
            arms: machine.arms.clone(),
            peak_memory: machine.peak_memory,
            user: machine.user,
            weighted: machine.weighted,
            counting: machine.counting.clone(),
        })
    }

    fn restore(&self, limits: Limits, value: &mut dyn FnMut(TermId) -> u64) -> Machine<Concrete> {
        let memories = self.memories.iter().map(|memory| Memory::restore(memory, value)).collect();
        let exceptions = self.exceptions.map(|of| bits(of, value));
        let mut all = |values: &[SymbolicValue]| values.iter().map(|&of| bits(of, value)).collect();
        Machine {
            limits,
            pause_after: u64::MAX,
            store: self.store.clone(),
            memories,
            tables: self.tables.clone(),
            globals: all(&self.globals),
            exceptions,
            dropped: self.dropped.clone(),
            status: self.host.map_or(Status::Running, |(at, results)| Status::Host { at, results }),
            stack: Stack {
                values: all(&self.stack.values),
                callers: self.stack.callers.clone(),
                calls: self.stack.calls,
                depth: self.stack.depth,
            },
            base: self.base,
            pc: self.pc,
            instance: self.instance,
            in_code: self.in_code,
            accumulated: self.accumulated,
            answers: Vec::new(),
            unfinished: self.unfinished,
            executed: self.executed,
            arms: self.arms.clone(),
            peak_memory: self.peak_memory,
            user: self.user,
            decisions: 0,
            weighted: self.weighted,
            counting: self.counting.clone(),
        }
    }
}
