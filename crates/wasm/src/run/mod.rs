//! The run loop: one body for every domain.
//!
//! [`Machine::run`] is the entry point. What each instruction does is in [`step`]; what takes more than a line is in a
//! module of its own: [`control`] for everything that moves the position or accounts for costs, [`frame`] for the slots,
//! [`memory`] for loads and stores, [`numeric`] for operators that can trap, [`throw`] for exceptions, and [`bulk`] for the
//! rarer instructions.
//! [`dispatch`] goes from one instruction to the next.
//!
//! What the loop keeps in local variables is written back only when the loop is left. Costs need no work per
//! instruction: the executed instructions are the accumulated cost plus the count at the current position in text
//! order, and only a jump that is taken, a call and a return change the accumulated cost.

mod answers;
mod bulk;
mod cells;
mod control;
mod dispatch;
mod frame;
mod memory;
mod numeric;
mod step;
mod throw;

use crate::domain::{Concrete, Domain};
use crate::machine::{Decision, End, Event, HostArguments, HostId, InstanceId, Limit, Machine, Question, Status, Trap};
use control::Run;
use dispatch::Dispatch;

pub(crate) use bulk::Unfinished;
pub(crate) use cells::{Cells, MOST_CELLS};
pub(crate) use control::Stack;
pub(crate) use frame::{Buffer, QUICK};

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

/// How an instruction says that it does not go on to the next one.
///
/// Instructions are written once and compiled for both kinds of it: [`Leave`] says why and is made by whatever it takes;
/// [`Slowly`] only says that the instruction has not been executed.
pub(crate) trait Stop<V>: From<Trap> + From<Limit> {
    /// Whether this is an attempt that stops, before it has changed anything, where a function would have to be called.
    /// A function that calls none needs no frame of its own.
    const QUICK: bool;
    /// Whether the first operand of the instruction is taken from [`Registers::last`](control::Registers::last); it has the
    /// value of the slot.
    const FIRST_PASSED: bool = false;
    /// The same for the second one.
    const SECOND_PASSED: bool = false;
    fn because(leave: impl FnOnce() -> Leave<V>) -> Self;
    /// Ends a quick attempt.
    fn slowly() -> Self;
    /// Ends a quick attempt at a jump whose cost has been accounted for.
    fn slowly_after_cost() -> Self;
}

impl<V> Stop<V> for Leave<V> {
    const QUICK: bool = false;

    #[inline(always)]
    fn because(leave: impl FnOnce() -> Leave<V>) -> Leave<V> {
        leave()
    }

    fn slowly() -> Leave<V> {
        unreachable!("this is not a quick attempt")
    }

    fn slowly_after_cost() -> Leave<V> {
        unreachable!("this is not a quick attempt")
    }
}

/// The instruction must be executed again, not as a quick attempt. It has changed nothing.
///
/// The number says which operands are passed in a register: 1 for the first, 2 for the second.
#[cfg(all(tail_calls, not(debug_assertions)))]
struct Slowly<const PASSED: usize> {
    /// Whether the cost of the jump has been accounted for. The only thing that may have changed: keeping the old number as
    /// well takes two more host instructions at each jump.
    cost: bool,
}

#[cfg(all(tail_calls, not(debug_assertions)))]
impl<V, const PASSED: usize> Stop<V> for Slowly<PASSED> {
    const QUICK: bool = true;
    const FIRST_PASSED: bool = PASSED & 1 != 0;
    const SECOND_PASSED: bool = PASSED & 2 != 0;

    #[inline(always)]
    fn because(_: impl FnOnce() -> Leave<V>) -> Self {
        Slowly { cost: false }
    }

    #[inline(always)]
    fn slowly() -> Self {
        Slowly { cost: false }
    }

    #[inline(always)]
    fn slowly_after_cost() -> Self {
        Slowly { cost: true }
    }
}

#[cfg(all(tail_calls, not(debug_assertions)))]
impl<const PASSED: usize> From<Trap> for Slowly<PASSED> {
    #[inline(always)]
    fn from(_: Trap) -> Self {
        Slowly { cost: false }
    }
}

#[cfg(all(tail_calls, not(debug_assertions)))]
impl<const PASSED: usize> From<Limit> for Slowly<PASSED> {
    #[inline(always)]
    fn from(_: Limit) -> Self {
        Slowly { cost: false }
    }
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

impl Machine<Concrete> {
    /// [`Machine::interpret`] in the quickest way that the build allows.
    pub(crate) fn interpret_concrete(&mut self, domain: &mut Concrete) -> Event<u64> {
        #[cfg(all(tail_calls, not(debug_assertions)))]
        return self.interpret_by(domain, dispatch::threaded);
        #[cfg(not(all(tail_calls, not(debug_assertions))))]
        return self.interpret(domain);
    }
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
        self.interpret_by(domain, dispatch::looped)
    }

    #[inline(always)]
    fn interpret_by(&mut self, domain: &mut D, dispatch: Dispatch<D>) -> Event<D::Value> {
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
            match self.execute(domain, dispatch) {
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

    /// Runs code of one instance.
    fn execute(&mut self, domain: &mut D, dispatch: Dispatch<D>) -> Leave<D::Value> {
        let store = self.store.clone();
        if D::PROFILED && !self.in_code {
            // The first instruction of a call from outside.
            let module = &store.instances[self.instance as usize].module;
            let body = module.bodies.partition_point(|body| body.entry as usize <= self.pc) - 1;
            domain.entered(body as u32);
        }
        let (mut run, registers) = Run::new(self, domain, &store);
        let (leave, registers) = dispatch(&mut run, registers);
        run.finish(&registers, &leave);
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
