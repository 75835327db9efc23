//! Symbolic runs: what a worker sends, handed out decision by decision.
//!
//! A worker follows the values of a witness ahead of the search and sends the path in pieces. As long as the search takes
//! the arms that the worker took, nothing has to be said. Where it wants another one, the worker either waits at that very
//! decision, and is told, or it has gone on and runs again from the beginning with the new witness.

use std::cell::RefCell;
use std::rc::{Rc, Weak};
use std::sync::Arc;
use std::time::{Duration, Instant};

use pessimum_outcome::{Costs, End, Limit};
use pessimum_search::program::{Arm, Event, Kind, PathLimits, Run, SiteId};
use pessimum_term::{Arena, Witness};

use crate::pool::Worker;
use crate::process::{Lost, Waited};
use crate::program::{Shared, lost_end};
use crate::wire::{Answer, NodeRow, Record, Terms, answer, flag, request, words};

/// Decisions that a worker sends in one piece at most: between two of them the search looks at the clock.
const LARGEST_WINDOW: u32 = 4096;

/// After so many wrong guesses in one run, each of which meant to run again, nothing is guessed any more.
const MOST_SURPRISES: u32 = 8;

/// How long a step may take before the search is given a chance to look at the clock.
const SLICE: Duration = Duration::from_millis(20);

/// How long a worker that runs ahead is waited for when nobody wants its path any more; then it is ended.
const LAST_WORD: Duration = Duration::from_millis(150);

/// Copies of a run keep what the worker sent so far if it is not more than this: each may be the only one that does.
const KEPT_RECORDS: usize = 512;

/// The worker of a run and of all its copies. Only the youngest path is being executed; of the others there is what was
/// sent.
pub struct Session {
    shared: Arc<Shared>,
    worker: Option<Worker>,
    state: State,
    current: Weak<RefCell<Trace>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Idle,
    Running,
    /// It waits for an answer or for the word to go on.
    Waiting,
}

impl Session {
    pub fn new(shared: Arc<Shared>) -> Session {
        Session { shared, worker: None, state: State::Idle, current: Weak::new() }
    }

    /// Executes the call from the beginning; the worker goes on by itself for so many decisions.
    fn start(&mut self, input: &Witness, limits: &PathLimits, window: u64) -> Result<Rc<RefCell<Trace>>, String> {
        self.release();
        let mut worker = match self.worker.take() {
            Some(worker) => worker,
            None => self.shared.symbolic_worker()?,
        };
        let values = self.shared.laid.words(input);
        let mut head =
            self.shared.run_head(&mut worker, flag::SYMBOLIC, limits, i64::try_from(window).unwrap_or(i64::MAX));
        head.push(values.len() as i64);
        head.extend(&values);
        worker.process.send(request::RUN, &words(&head));
        self.worker = Some(worker);
        self.state = State::Running;
        let trace = Rc::new(RefCell::new(Trace { values, heard: Instant::now(), ..Trace::new() }));
        self.current = Rc::downgrade(&trace);
        Ok(trace)
    }

    fn is_current(&self, trace: &Rc<RefCell<Trace>>) -> bool {
        self.current.as_ptr() == Rc::as_ptr(trace) && self.worker.is_some()
    }

    /// Gets the worker out of the path that it is on.
    fn release(&mut self) {
        let state = std::mem::replace(&mut self.state, State::Idle);
        if let Some(trace) = self.current.upgrade() {
            trace.borrow_mut().is_cut = true;
        }
        self.current = Weak::new();
        let Some(mut worker) = self.worker.take() else { return };
        let stopped = match state {
            State::Idle => true,
            State::Waiting => {
                worker.process.send(request::STOP, &[]);
                worker.process.set_unwinding();
                true
            }
            State::Running => match worker.process.wait(LAST_WORD) {
                Waited::Frame(frame) => {
                    if let Some(answer) = Answer::read(&frame.body) {
                        worker.learn(answer.rest.sites);
                        self.shared.add_notes(answer.rest.notes);
                    }
                    if frame.kind != answer::RESULT {
                        worker.process.send(request::STOP, &[]);
                    }
                    worker.process.set_unwinding();
                    true
                }
                Waited::Nothing | Waited::Lost(_) => false,
            },
        };
        if stopped && worker.process.is_ready() {
            self.worker = Some(worker);
        }
    }

    /// Waits a while for the next piece of the path.
    fn receive(&mut self, trace: &RefCell<Trace>) -> Received {
        let Some(worker) = self.worker.as_mut() else { return Received::Lost(Lost::Broken) };
        match worker.process.wait(SLICE) {
            Waited::Nothing if trace.borrow().heard.elapsed() > self.shared.patience_with_run().0 => {
                Received::Lost(worker.process.give_up())
            }
            Waited::Nothing => Received::Nothing,
            Waited::Lost(lost) => Received::Lost(lost),
            Waited::Frame(frame) => {
                let Some(answer) = Answer::read(&frame.body).filter(|_| frame.kind != answer::ERROR) else {
                    worker.process.give_up();
                    self.shared.fail(&frame);
                    return Received::Failed;
                };
                let mut trace = trace.borrow_mut();
                trace.heard = Instant::now();
                if answer.rest.apart > 0 {
                    self.shared.set_apart(answer.rest.apart);
                    return Received::Again;
                }
                if answer.end == Some(End::Unsupported) {
                    self.shared.leave_out_where(&answer.rest);
                }
                worker.learn(answer.rest.sites);
                self.shared.add_notes(answer.rest.notes);
                trace.nodes.extend(answer.nodes);
                trace
                    .records
                    .extend(answer.records.iter().map(|record| Record { site: worker.site(record.site), ..*record }));
                trace.costs = answer.costs;
                self.state = State::Waiting;
                match frame.kind {
                    answer::DECISION | answer::ASSUMPTION => {
                        trace.waits_at_last = true;
                        Received::Records
                    }
                    answer::ALIVE => Received::Alive,
                    _ => {
                        let end = answer.end.unwrap_or(End::Unsupported);
                        trace.end = Some(end);
                        self.state = State::Idle;
                        self.current = Weak::new();
                        if !matches!(end, End::Returned | End::Trapped(_)) {
                            worker.process.set_unwinding();
                            if !worker.process.is_ready() {
                                self.worker = None;
                            }
                        }
                        Received::Records
                    }
                }
            }
        }
    }

    fn go_on(&mut self, kind: u8, body: &[u8]) {
        if let Some(worker) = self.worker.as_mut() {
            worker.process.send(kind, body);
            self.state = State::Running;
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.release();
        if let Some(worker) = self.worker.take() {
            self.shared.source.inner.symbolic.put(worker);
        }
    }
}

enum Received {
    Records,
    Alive,
    Nothing,
    Lost(Lost),
    /// The run has to be made again, in a process of its own.
    Again,
    /// The worker itself has failed, which was noted.
    Failed,
}

/// What is known of a path: all that the worker has sent.
struct Trace {
    nodes: Vec<NodeRow>,
    records: Vec<Record>,
    /// The values of the variables in the worker.
    values: Vec<i64>,
    /// Whether the worker waits at the last record.
    waits_at_last: bool,
    /// The arm that was taken there, still to be told.
    reply: Option<i64>,
    /// Costs as they were last told.
    costs: Costs,
    end: Option<End>,
    /// Whether nobody executes it any further.
    is_cut: bool,
    heard: Instant,
}

impl Trace {
    fn new() -> Trace {
        Trace {
            nodes: Vec::new(),
            records: Vec::new(),
            values: Vec::new(),
            waits_at_last: false,
            reply: None,
            costs: Costs::default(),
            end: None,
            is_cut: false,
            heard: Instant::now(),
        }
    }
}

/// A symbolic run of a call.
pub struct PythonRun {
    session: Rc<RefCell<Session>>,
    shared: Arc<Shared>,
    limits: PathLimits,
    trace: Option<Rc<RefCell<Trace>>>,
    /// Terms of the trace's nodes.
    terms: Terms,
    /// How many records are behind us, and a hash of them.
    at: usize,
    hash: u64,
    /// The record at `at`, if it was handed out and waits for [`Run::take`].
    open: Option<Record>,
    /// Whether the first records of the trace are known to be those behind us.
    verified: bool,
    /// The input to follow when the call is executed again, or to tell the worker.
    witness: Option<Witness>,
    wants_witness: bool,
    window: u32,
    surprises: u32,
    /// Whether the worker stops at each decision, because it was not heard of when it ran ahead: so the path is known up to where
    /// it hangs.
    stepwise: bool,
    /// Whether this run itself has had the trace executed, rather than the one that it is a copy of.
    is_own: bool,
    costs: Costs,
    end: Option<End>,
}

impl PythonRun {
    pub fn new(shared: Arc<Shared>, limits: PathLimits) -> PythonRun {
        PythonRun {
            session: Rc::new(RefCell::new(Session::new(shared.clone()))),
            shared,
            limits,
            trace: None,
            terms: Terms::default(),
            at: 0,
            hash: 0,
            open: None,
            verified: true,
            witness: None,
            wants_witness: true,
            window: LARGEST_WINDOW,
            surprises: 0,
            stepwise: false,
            is_own: true,
            costs: Costs::default(),
            end: None,
        }
    }

    /// Ends the path for a reason that is ours or the program's misbehaviour.
    fn refuse(&mut self, why: &str) -> Event {
        self.shared.leave_out(why);
        self.finish(End::Unsupported)
    }

    fn finish(&mut self, end: End) -> Event {
        self.end = Some(end);
        self.trace = None;
        Event::End(end)
    }

    /// The costs of the whole path, those included that only an ordinary run can count.
    fn complete(&mut self, values: &[i64], costs: Costs, end: End) {
        self.costs = Costs { decisions: self.costs.decisions, ..costs };
        if self.shared.wanted.opcodes || end.is_a_run() && self.shared.looks_again() {
            let replay = self.shared.replay_of(&self.shared.laid.witness(values), &self.limits);
            if replay.end == end && self.shared.wanted.opcodes {
                self.costs = Costs { decisions: self.costs.decisions, ..replay.costs };
            }
        }
    }

    /// Executes the call from the beginning with the witness.
    fn restart(&mut self) -> Result<(), String> {
        let input = match &self.witness {
            Some(witness) => witness.clone(),
            None => self.shared.laid.plan.default_witness(),
        };
        self.wants_witness = false;
        let window = self.at as u64 + u64::from(self.window);
        self.trace = Some(self.session.borrow_mut().start(&input, &self.limits, window)?);
        self.terms = Terms::default();
        self.verified = self.at == 0;
        self.is_own = true;
        Ok(())
    }

    /// Whether what was executed again is what was executed before, as far as that.
    fn verify(&mut self, trace: &Trace) -> bool {
        let behind = trace.records.iter().take(self.at);
        behind.fold(0, |hash, record| hashed(hash, record, record.arm)) == self.hash
    }

    /// Tells a worker that waits at the last record which arm was taken there, and what has changed in the witness.
    fn answer(&mut self, trace: &mut Trace, arm: i64) {
        let mut body = vec![arm, i64::from(self.window)];
        if let Some(witness) = self.witness.as_ref() {
            let values = self.shared.laid.words(witness);
            for (variable, (&new, old)) in values.iter().zip(&mut trace.values).enumerate() {
                if new != *old {
                    body.extend([variable as i64, new]);
                    *old = new;
                }
            }
        }
        trace.waits_at_last = false;
        trace.heard = Instant::now();
        self.session.borrow_mut().go_on(request::ANSWER, &words(&body));
    }

    /// More of the path than was sent: an event if nothing came, or if it is over.
    fn more(&mut self, trace: &Rc<RefCell<Trace>>) -> Option<Event> {
        {
            let borrowed = trace.borrow();
            if let Some(end) = borrowed.end {
                self.complete(&borrowed.values, borrowed.costs, end);
                return Some(self.finish(end));
            }
            if borrowed.is_cut || !self.session.borrow().is_current(trace) {
                // Another copy of this run has had the worker since. The step that follows brings a witness.
                self.trace = None;
                self.wants_witness = true;
                return Some(Event::Pause);
            }
        }
        let reply = trace.borrow_mut().reply.take();
        if let Some(arm) = reply {
            self.answer(&mut trace.borrow_mut(), arm);
        }
        let received = self.session.borrow_mut().receive(trace);
        match received {
            Received::Records => None,
            Received::Nothing => Some(Event::Pause),
            Received::Alive => {
                let costs = trace.borrow().costs;
                self.costs = Costs { decisions: self.costs.decisions, ..costs };
                self.session.borrow_mut().go_on(request::GO, &[]);
                Some(Event::Pause)
            }
            Received::Lost(Lost::Late) if !self.stepwise => {
                self.session.borrow_mut().worker = None;
                (self.stepwise, self.window, self.trace, self.wants_witness) = (true, 1, None, true);
                Some(Event::Pause)
            }
            Received::Again => {
                self.session.borrow_mut().worker = None;
                (self.trace, self.wants_witness) = (None, true);
                Some(Event::Pause)
            }
            Received::Lost(lost) => {
                self.session.borrow_mut().worker = None;
                self.shared.note_lost(&lost);
                let is_all = self.shared.patience_with_run().1;
                Some(self.finish(if lost == Lost::Late && !is_all {
                    End::Limit(Limit::Budget)
                } else {
                    lost_end(&lost)
                }))
            }
            Received::Failed => {
                self.session.borrow_mut().worker = None;
                Some(self.finish(End::Unsupported))
            }
        }
    }

    /// The record at hand as an event; none if it turned out not to depend on the input.
    fn event(&mut self, arena: &mut Arena, trace: &Rc<RefCell<Trace>>) -> Option<Event> {
        let (record, term) = {
            let borrowed = trace.borrow();
            let record = borrowed.records[self.at];
            let shared = &self.shared;
            (record, self.terms.of(arena, &borrowed.nodes, &|variable| shared.laid.form(variable), record.node))
        };
        let Some(scrutinee) = term else {
            return Some(self.refuse("an expression of the worker makes no sense (a defect of ours)"));
        };
        let kind = match record.kind {
            Record::BRANCH => Kind::Branch,
            Record::CHECK => Kind::Check,
            Record::VALUE => Kind::Value,
            _ => {
                self.pass(trace, &record, 1);
                self.costs = Costs { decisions: self.costs.decisions, ..record.costs() };
                return (arena.as_constant(scrutinee) != Some(1)).then_some(Event::Assume(scrutinee));
            }
        };
        let decisions = self.costs.decisions + u64::from(kind.is_branch());
        if let Some(value) = arena.as_constant(scrutinee) {
            self.pass(trace, &record, value as i64);
            return None;
        }
        self.costs = Costs { decisions, ..record.costs() };
        self.open = Some(record);
        let site = SiteId(record.site);
        Some(Event::Decision { site, kind, scrutinee, frame: record.frame })
    }

    /// Goes past the record at hand on this arm.
    fn pass(&mut self, trace: &Rc<RefCell<Trace>>, record: &Record, arm: i64) {
        self.hash = hashed(self.hash, record, arm);
        self.at += 1;
        let mut borrowed = trace.borrow_mut();
        let is_last = self.at == borrowed.records.len();
        if is_last && borrowed.waits_at_last && !borrowed.is_cut && self.session.borrow().is_current(trace) {
            // The worker waits here: any arm will do. It guesses again if the guess was right.
            let guessed = record.arm == arm;
            borrowed.waits_at_last = false;
            borrowed.records[self.at - 1].arm = arm;
            borrowed.reply = Some(arm);
            self.wants_witness = !guessed;
            let doubled = if guessed { self.window.saturating_mul(2) } else { 1 };
            self.window =
                if self.stepwise || self.surprises > MOST_SURPRISES { 1 } else { doubled.min(LARGEST_WINDOW) };
        } else if record.arm == arm {
            // A copy of this run may have left the answer to whoever goes on first.
            self.wants_witness |= is_last && borrowed.reply.is_some();
        } else {
            drop(borrowed);
            self.trace = None;
            self.wants_witness = true;
            if self.is_own {
                self.surprises += 1;
                self.window = 1;
            }
        }
    }
}

/// Continues a hash of a path.
fn hashed(hash: u64, record: &Record, arm: i64) -> u64 {
    let arm = if record.kind == Record::ASSUME { 1 } else { arm };
    let mut hash = hash;
    for word in [u64::from(record.kind), u64::from(record.site), u64::from(record.node), arm as u64] {
        hash = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    }
    hash
}

impl Run for PythonRun {
    fn next(&mut self, arena: &mut Arena) -> Event {
        if let Some(end) = self.end {
            return Event::End(end);
        }
        loop {
            let trace = match &self.trace {
                Some(trace) => trace.clone(),
                None => {
                    if let Err(why) = self.restart() {
                        return self.refuse(&why);
                    }
                    continue;
                }
            };
            if !self.verified {
                let (known, is_over) = {
                    let borrowed = trace.borrow();
                    (borrowed.records.len(), borrowed.end.is_some())
                };
                if known >= self.at {
                    let same = self.verify(&trace.borrow());
                    if !same {
                        return self.refuse("the program does not do the same twice");
                    }
                    self.verified = true;
                } else if is_over {
                    return self.refuse("the program does not do the same twice");
                } else if let Some(event) = self.more(&trace) {
                    return event;
                } else {
                    continue;
                }
            }
            let known = trace.borrow().records.len();
            let event = if self.at < known { self.event(arena, &trace) } else { self.more(&trace) };
            if let Some(event) = event {
                return event;
            }
        }
    }

    fn take(&mut self, arm: Arm) {
        let Some(open) = self.open.take() else { return };
        match self.trace.clone() {
            Some(trace) => {
                // A copy may have taken another arm than the worker would have.
                let record = trace.borrow().records[self.at];
                self.pass(&trace, &record, arm.0 as i64);
            }
            None => {
                self.hash = hashed(self.hash, &open, arm.0 as i64);
                self.at += 1;
                self.wants_witness = true;
            }
        }
    }

    fn wants_witness(&self) -> bool {
        self.wants_witness
    }

    fn follow(&mut self, witness: &Witness) {
        self.witness = Some(witness.clone());
        self.wants_witness = false;
    }

    fn costs(&self) -> Costs {
        self.costs
    }

    fn steps(&self) -> u64 {
        self.costs.lines
    }

    fn unsupported(&self) -> u64 {
        u64::from(self.end == Some(End::Unsupported))
    }

    fn bytes(&self) -> u64 {
        let shared = self.trace.as_ref().map_or(0, |trace| {
            let trace = trace.borrow();
            (trace.records.len() * size_of::<Record>() + trace.nodes.len() * size_of::<NodeRow>()) as u64
        });
        size_of::<PythonRun>() as u64 + shared
    }

    fn fork(&self) -> Box<dyn Run> {
        let kept = self.trace.as_ref().filter(|trace| trace.borrow().records.len() <= KEPT_RECORDS);
        Box::new(PythonRun {
            session: self.session.clone(),
            shared: self.shared.clone(),
            limits: self.limits,
            trace: kept.cloned(),
            terms: Terms::default(),
            at: self.at,
            hash: self.hash,
            open: self.open,
            verified: self.verified,
            witness: self.witness.clone(),
            wants_witness: self.wants_witness || kept.is_none(),
            window: self.window,
            surprises: self.surprises,
            stepwise: self.stepwise,
            is_own: false,
            costs: self.costs,
            end: self.end,
        })
    }

    fn call_stack(&self) -> Vec<SiteId> {
        self.open.map(|record| SiteId(record.site)).into_iter().collect()
    }
}
