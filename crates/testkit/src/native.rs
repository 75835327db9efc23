//! Programs written as native async functions behind the trait `Program`.
//!
//! A body awaits each decision; the compiler turns it into the state machine that [`Run::next`] steps, so that a
//! decision costs one poll. The same body runs concretely (nothing is ever awaited then) and symbolically.

use crate::value::Value;
use pessimum_outcome::{Costs, End, Limit};
use pessimum_search::program::{
    Arm, Event, Family, Kind, Observer, PathLimits, Program, Replay, Run, SiteId, Variable,
};
use pessimum_term::{Arena, BinaryOp, TermId, VariableId, Witness};
use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

/// What a body works with. Clones share one state.
#[derive(Clone)]
pub struct Guest {
    state: Rc<RefCell<State>>,
}

struct State {
    /// The caller's arena while the body runs symbolically; an empty one otherwise, made once because that allocates.
    arena: Arena,
    variables: Rc<[Variable]>,
    /// The input of a concrete run.
    input: Option<Witness>,
    costs: Costs,
    limits: PathLimits,
    /// Executions by site.
    hits: Vec<u64>,
    frame: u32,
    frames: u32,
    depth: u64,
    asked: Option<(SiteId, Kind, TermId)>,
    assumed: Option<TermId>,
    told: Option<Arm>,
    over: Option<End>,
}

/// Never ready, so that a body that has met a limit stays where it is.
struct Never;

impl Future for Never {
    type Output = ();
    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        Poll::Pending
    }
}

/// Ready once the arm is known.
struct Told(Guest);

impl Future for Told {
    type Output = Arm;
    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Arm> {
        match self.0.state.borrow_mut().told.take() {
            Some(arm) => Poll::Ready(arm),
            None => Poll::Pending,
        }
    }
}

/// Ready at the second poll.
struct Once(bool);

impl Future for Once {
    type Output = ();
    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if std::mem::replace(&mut self.0, true) { Poll::Ready(()) } else { Poll::Pending }
    }
}

/// Restores the caller's frame when a call returns.
pub struct Call {
    guest: Guest,
    caller: u32,
}

impl Drop for Call {
    fn drop(&mut self) {
        let mut state = self.guest.state.borrow_mut();
        state.frame = self.caller;
        state.depth -= 1;
    }
}

impl Guest {
    fn new(variables: Rc<[Variable]>, input: Option<Witness>, limits: PathLimits) -> Guest {
        let state = State {
            arena: Arena::new(),
            variables,
            input,
            costs: Costs { depth: 1, ..Costs::default() },
            limits,
            hits: Vec::new(),
            frame: 0,
            frames: 0,
            depth: 1,
            asked: None,
            assumed: None,
            told: None,
            over: None,
        };
        Guest { state: Rc::new(RefCell::new(state)) }
    }

    /// The input variable with this index.
    pub fn input(&self, index: usize) -> Value {
        let state = &mut *self.state.borrow_mut();
        let variable = state.variables[index].clone();
        match &state.input {
            Some(input) => Value::concrete(variable.width, input.get(variable.id)),
            None => {
                let term = state.arena.variable(variable.id, variable.width);
                Value::of_term(&state.arena, term)
            }
        }
    }

    /// All input variables of a range.
    pub fn inputs(&self, range: std::ops::Range<usize>) -> Vec<Value> {
        range.map(|index| self.input(index)).collect()
    }

    /// An operator with two operands.
    pub fn binary(&self, op: BinaryOp, x: Value, y: Value) -> Value {
        let state = &mut *self.state.borrow_mut();
        state.costs.instructions += 1;
        x.binary(&mut state.arena, op, y)
    }

    /// Whether `x < y`, signed.
    pub fn less(&self, x: Value, y: Value) -> Value {
        self.binary(BinaryOp::LtS, x, y)
    }

    /// Whether `x <= y`, signed.
    pub fn at_most(&self, x: Value, y: Value) -> Value {
        self.binary(BinaryOp::LeS, x, y)
    }

    /// Whether they are equal.
    pub fn equal(&self, x: Value, y: Value) -> Value {
        self.binary(BinaryOp::Eq, x, y)
    }

    /// Their sum.
    pub fn add(&self, x: Value, y: Value) -> Value {
        self.binary(BinaryOp::Add, x, y)
    }

    /// The operand with zeros above it.
    pub fn zero_extend(&self, width: u32, x: Value) -> Value {
        x.zero_extend(&mut self.state.borrow_mut().arena, width)
    }

    /// Counts one execution of a site; the run ends here at a limit.
    async fn count(&self, site: u32, conditional: bool) {
        let over = {
            let state = &mut *self.state.borrow_mut();
            state.costs.instructions += 1;
            state.costs.branches += u64::from(conditional);
            let site = site as usize;
            if state.hits.len() <= site {
                state.hits.resize(site + 1, 0);
            }
            state.hits[site] += 1;
            state.costs.hits = state.costs.hits.max(state.hits[site]);
            if state.costs.instructions > state.limits.instructions {
                state.over = Some(End::Limit(Limit::Instructions));
            }
            state.over.is_some()
        };
        if over {
            Never.await;
        }
    }

    async fn decide(&self, site: u32, kind: Kind, value: Value) -> Arm {
        self.count(site, kind.is_branch()).await;
        if let Some(bits) = value.bits() {
            return kind.arm_of(bits);
        }
        {
            let state = &mut *self.state.borrow_mut();
            state.costs.decisions += u64::from(kind.is_branch());
            state.asked = Some((SiteId(site), kind, value.term(&mut state.arena)));
        }
        Told(self.clone()).await
    }

    /// A conditional branch on one bit.
    pub async fn branch(&self, site: u32, condition: Value) -> bool {
        self.decide(site, Kind::Branch, condition).await == Arm::TRUE
    }

    /// A jump through a table.
    pub async fn table(&self, site: u32, targets: u32, index: Value) -> u64 {
        self.decide(site, Kind::Table { targets, branch: true }, index).await.0
    }

    /// An address.
    pub async fn address(&self, site: u32, address: Value) -> u64 {
        self.decide(site, Kind::Value, address).await.0
    }

    /// The run is only of interest if this bit is set.
    pub async fn assume(&self, condition: Value) {
        match condition.bits() {
            Some(0) => {
                self.state.borrow_mut().over = Some(End::AssumptionViolated);
                Never.await;
            }
            Some(_) => {}
            None => {
                {
                    let state = &mut *self.state.borrow_mut();
                    state.assumed = Some(condition.term(&mut state.arena));
                }
                Once(false).await;
            }
        }
    }

    /// A conditional that does not depend on the input and is only counted.
    pub async fn concrete(&self, site: u32, condition: bool) -> bool {
        self.count(site, true).await;
        condition
    }

    /// Charges cost `user`.
    pub fn cost(&self, cost: u64) {
        self.state.borrow_mut().costs.user += cost;
    }

    /// A call, which lasts as long as the returned value lives.
    pub fn call(&self) -> Call {
        let state = &mut *self.state.borrow_mut();
        let caller = state.frame;
        state.frames += 1;
        state.frame = state.frames;
        state.costs.calls += 1;
        state.depth += 1;
        state.costs.depth = state.costs.depth.max(state.depth);
        if state.depth > state.limits.depth {
            state.over = Some(End::Limit(Limit::Depth));
        }
        Call { guest: self.clone(), caller }
    }
}

/// The future of a body.
pub type Running = Pin<Box<dyn Future<Output = ()>>>;

/// A body: from the guest to its future.
pub type Body = Arc<dyn Fn(Guest) -> Running + Send + Sync>;

/// A program with a native body.
pub struct Native {
    name: String,
    variables: Vec<Variable>,
    body: Body,
}

impl Native {
    /// A program over these variables.
    pub fn new<F>(name: &str, variables: Vec<Variable>, body: impl Fn(Guest) -> F + Send + Sync + 'static) -> Native
    where
        F: Future<Output = ()> + 'static,
    {
        Native { name: name.to_owned(), variables, body: Arc::new(move |guest| Box::pin(body(guest))) }
    }

    /// As [`Native::new`], over `count` variables of this width without further limits.
    pub fn over<F>(name: &str, width: u32, count: usize, body: impl Fn(Guest) -> F + Send + Sync + 'static) -> Native
    where
        F: Future<Output = ()> + 'static,
    {
        let variables = (0..count as u32).map(|id| Variable::unlimited(VariableId(id), width)).collect();
        Native::new(name, variables, body)
    }
}

impl Program for Native {
    fn name(&self) -> &str {
        &self.name
    }

    fn variables(&self) -> Vec<Variable> {
        self.variables.clone()
    }

    fn start(&self, _: &mut Arena, limits: &PathLimits) -> Box<dyn Run> {
        Box::new(NativeRun::new(self.body.clone(), self.variables.as_slice().into(), *limits))
    }

    fn run_concrete(&self, input: &Witness, limits: &PathLimits, _: &mut dyn Observer) -> (Replay, PathLimits) {
        let guest = Guest::new(self.variables.as_slice().into(), Some(input.clone()), *limits);
        let mut running = (self.body)(guest.clone());
        let polled = running.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        let state = guest.state.borrow();
        let end = match polled {
            Poll::Ready(()) => End::Returned,
            Poll::Pending => state.over.expect("a concrete run waits for nothing"),
        };
        (Replay { costs: state.costs, end, unsupported: 0 }, *limits)
    }

    fn site_name(&self, site: SiteId) -> String {
        format!("{} site {}", self.name, site.0)
    }
}

struct NativeRun {
    body: Body,
    variables: Rc<[Variable]>,
    limits: PathLimits,
    guest: Guest,
    running: Running,
    /// The arms told, from which a fork is made: futures cannot be copied.
    arms: Vec<Arm>,
    /// Whether the last decision is still open.
    waiting: bool,
}

impl NativeRun {
    fn new(body: Body, variables: Rc<[Variable]>, limits: PathLimits) -> NativeRun {
        let guest = Guest::new(variables.clone(), None, limits);
        let running = body(guest.clone());
        NativeRun { body, variables, limits, guest, running, arms: Vec::new(), waiting: false }
    }

    fn step(&mut self, arena: &mut Arena) -> Event {
        std::mem::swap(arena, &mut self.guest.state.borrow_mut().arena);
        let polled = self.running.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        let state = &mut *self.guest.state.borrow_mut();
        std::mem::swap(arena, &mut state.arena);
        if polled.is_ready() {
            return Event::End(End::Returned);
        }
        if let Some(end) = state.over {
            return Event::End(end);
        }
        if let Some(term) = state.assumed.take() {
            return Event::Assume(term);
        }
        let (site, kind, scrutinee) = state.asked.expect("a body waits for an arm, an assumption or nothing");
        Event::Decision { site, kind, scrutinee, frame: state.frame }
    }
}

/// A fork before it runs again: the arms, and the costs at that point.
struct Suspended {
    body: Body,
    variables: Rc<[Variable]>,
    limits: PathLimits,
    arms: Vec<Arm>,
    costs: Costs,
    /// Whether the last decision is still open.
    waiting: bool,
    resumed: Option<NativeRun>,
}

impl Suspended {
    fn resumed(&mut self, arena: &mut Arena) -> &mut NativeRun {
        self.resumed.get_or_insert_with(|| {
            let mut run = NativeRun::new(self.body.clone(), self.variables.clone(), self.limits);
            let open = self.waiting.then_some(None);
            for arm in self.arms.iter().map(|&arm| Some(arm)).chain(open) {
                while let Event::Assume(_) = run.step(arena) {}
                if let Some(arm) = arm {
                    run.take(arm);
                }
            }
            run.waiting = self.waiting;
            run
        })
    }
}

impl Run for NativeRun {
    fn next(&mut self, arena: &mut Arena) -> Event {
        let event = self.step(arena);
        self.waiting = matches!(event, Event::Decision { .. });
        event
    }

    fn take(&mut self, arm: Arm) {
        self.waiting = false;
        self.arms.push(arm);
        self.guest.state.borrow_mut().told = Some(arm);
    }

    fn costs(&self) -> Costs {
        self.guest.state.borrow().costs
    }

    fn fork(&self) -> Box<dyn Run> {
        Box::new(Suspended {
            body: self.body.clone(),
            variables: self.variables.clone(),
            limits: self.limits,
            arms: self.arms.clone(),
            costs: self.costs(),
            waiting: self.waiting,
            resumed: None,
        })
    }
}

impl Run for Suspended {
    fn next(&mut self, arena: &mut Arena) -> Event {
        self.resumed(arena).next(arena)
    }

    fn take(&mut self, arm: Arm) {
        match &mut self.resumed {
            Some(run) => run.take(arm),
            None => {
                self.arms.push(arm);
                self.waiting = false;
            }
        }
    }

    fn costs(&self) -> Costs {
        self.resumed.as_ref().map_or(self.costs, |run| run.costs())
    }

    fn fork(&self) -> Box<dyn Run> {
        match &self.resumed {
            Some(run) => run.fork(),
            None => Box::new(Suspended {
                body: self.body.clone(),
                variables: self.variables.clone(),
                limits: self.limits,
                arms: self.arms.clone(),
                costs: self.costs,
                waiting: self.waiting,
                resumed: None,
            }),
        }
    }
}

/// A family whose members are native programs.
pub struct NativeFamily(pub fn(u32) -> Native);

impl Family for NativeFamily {
    fn at(&self, size: u32) -> Result<Box<dyn Program>, String> {
        Ok(Box::new((self.0)(size)))
    }
}
