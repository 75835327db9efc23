//! Programs written as closures over a [`Script`]'s context. To continue after an event the closure is run again from
//! its start with the arms taken so far, so forks are trivial but long paths are slow.

use crate::value::Value;
use pessimum_outcome::{Costs, End, Limit, Trap};
use pessimum_search::observation::{ArmSeen, Observation};
use pessimum_search::places::Places;
use pessimum_search::program::{Arm, Event, Kind, Observer, PathLimits, Program, Replay, Run, SiteId, Variable};
use pessimum_term::{Arena, BinaryOp, Witness, distance};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What a script's closure returns early with: an end, or an event that waits for an answer.
#[derive(Debug)]
pub struct Halt(Event);

/// What a closure's steps return.
pub type Step<T> = Result<T, Halt>;

type Body = dyn Fn(&mut Context<'_>) -> Step<()> + Send + Sync;

/// A program made of a closure.
pub struct Script {
    name: String,
    variables: Vec<Variable>,
    body: Arc<Body>,
    places: Arc<Places>,
}

impl Script {
    /// A program over these inputs.
    pub fn new(
        name: &str,
        variables: Vec<Variable>,
        body: impl Fn(&mut Context<'_>) -> Step<()> + Send + Sync + 'static,
    ) -> Script {
        Script { name: name.to_owned(), variables, body: Arc::new(body), places: Arc::default() }
    }

    /// Declares what can be reached; the closure reports it with [`Context::function`] and [`Context::line`].
    pub fn with_places(mut self, places: Places) -> Script {
        self.places = Arc::new(places);
        self
    }
}

#[derive(Clone, Copy, Debug)]
enum Answer {
    Arm(Arm),
    Assumed,
}

enum Inputs<'a> {
    Symbolic,
    Concrete(&'a Witness),
}

/// What a closure works with.
pub struct Context<'a> {
    arena: &'a mut Arena,
    inputs: Inputs<'a>,
    variables: &'a [Variable],
    limits: &'a PathLimits,
    answers: &'a [Answer],
    answered: usize,
    costs: Costs,
    hits: BTreeMap<SiteId, u64>,
    /// The arms of branches on known values, taken or not.
    concrete: BTreeMap<(SiteId, Arm), ArmSeen>,
    functions: BTreeSet<u32>,
    lines: BTreeSet<u32>,
    /// The numbers of the calls in progress.
    frames: Vec<u32>,
    /// What is being compared, where that is known.
    operands: Option<(BinaryOp, u32, u64, u64)>,
}

impl<'a> Context<'a> {
    fn new(
        arena: &'a mut Arena,
        inputs: Inputs<'a>,
        variables: &'a [Variable],
        limits: &'a PathLimits,
        answers: &'a [Answer],
    ) -> Context<'a> {
        Context {
            arena,
            inputs,
            variables,
            limits,
            answers,
            answered: 0,
            costs: Costs::default(),
            hits: BTreeMap::new(),
            concrete: BTreeMap::new(),
            functions: BTreeSet::new(),
            lines: BTreeSet::new(),
            frames: Vec::new(),
            operands: None,
        }
    }

    /// Runs the closure from its start.
    fn execute(&mut self, body: &Body) -> Event {
        match body(self) {
            Ok(()) => Event::End(End::Returned),
            Err(Halt(event)) => event,
        }
    }

    /// An input variable.
    pub fn input(&mut self, index: usize) -> Value {
        let variable = &self.variables[index];
        match self.inputs {
            Inputs::Concrete(witness) => Value::concrete(variable.width, witness.get(variable.id)),
            Inputs::Symbolic => {
                let term = self.arena.variable(variable.id, variable.width);
                Value::of_term(self.arena, term)
            }
        }
    }

    /// All input variables.
    pub fn inputs(&mut self) -> Vec<Value> {
        (0..self.variables.len()).map(|index| self.input(index)).collect()
    }

    /// One instruction with two operands.
    pub fn binary(&mut self, op: BinaryOp, x: Value, y: Value) -> Value {
        x.binary(self.arena, op, y)
    }

    /// One instruction with a constant.
    pub fn binary_const(&mut self, op: BinaryOp, x: Value, y: u64) -> Value {
        x.binary(self.arena, op, Value::concrete(x.width, y))
    }

    /// The operand with zeros above it.
    pub fn zero_extend(&mut self, width: u32, x: Value) -> Value {
        x.zero_extend(self.arena, width)
    }

    /// Charges instructions.
    pub fn tick(&mut self, instructions: u64) -> Step<()> {
        self.costs.instructions += instructions;
        if self.costs.instructions > self.limits.instructions {
            self.costs.instructions = self.limits.instructions;
            return Err(Halt(Event::End(End::Limit(Limit::Instructions))));
        }
        Ok(())
    }

    /// Counts costs from here on.
    pub fn forget_costs(&mut self) {
        self.costs = Costs::default();
        self.hits.clear();
    }

    /// Reports cost `user`.
    pub fn cost(&mut self, cost: u64) {
        self.costs.user += cost;
    }

    /// A call around `inside`.
    pub fn call<T>(&mut self, inside: impl FnOnce(&mut Self) -> Step<T>) -> Step<T> {
        self.costs.calls += 1;
        self.frames.push(self.costs.calls as u32);
        self.costs.depth = self.costs.depth.max(self.frames.len() as u64);
        let result = inside(self)?;
        self.frames.pop();
        Ok(result)
    }

    /// Ends the run in a trap.
    pub fn trap(&mut self, trap: Trap) -> Halt {
        Halt(Event::End(End::Trapped(trap)))
    }

    /// Says that this function was entered, by its index in the places.
    pub fn function(&mut self, index: u32) {
        self.functions.insert(index);
    }

    /// Says that this line was executed, by its index in the places.
    pub fn line(&mut self, index: u32) {
        self.lines.insert(index);
    }

    /// A conditional branch on a bit.
    pub fn test(&mut self, site: u32, condition: Value) -> Step<bool> {
        Ok(self.decide(SiteId(site), Kind::Branch, condition)? == Arm::TRUE)
    }

    /// `x < y`, signed, as a branch.
    pub fn less(&mut self, site: u32, x: Value, y: Value) -> Step<bool> {
        let condition = self.binary(BinaryOp::LtS, x, y);
        self.test(site, condition)
    }

    /// `x == y` as a branch.
    pub fn equal(&mut self, site: u32, x: Value, y: Value) -> Step<bool> {
        let condition = self.binary(BinaryOp::Eq, x, y);
        self.test(site, condition)
    }

    /// A comparison as a branch, observed with the distance of its operands from each outcome.
    pub fn compare(&mut self, site: u32, op: BinaryOp, x: Value, y: Value) -> Step<bool> {
        let known = x.bits().zip(y.bits());
        self.operands = known.map(|(left, right)| (op, x.width, left, right));
        let condition = self.binary(op, x, y);
        let taken = self.test(site, condition);
        self.operands = None;
        taken
    }

    /// A jump through a table of `targets` entries; `targets` is the default.
    pub fn switch(&mut self, site: u32, on: Value, targets: u32) -> Step<u64> {
        Ok(self.decide(SiteId(site), Kind::Table { targets, branch: true }, on)?.0)
    }

    /// A value that must be known: an address.
    pub fn resolve(&mut self, site: u32, value: Value) -> Step<u64> {
        Ok(self.decide(SiteId(site), Kind::Value, value)?.0)
    }

    /// Traps where the bit is set.
    pub fn check(&mut self, site: u32, condition: Value, trap: Trap) -> Step<()> {
        match self.decide(SiteId(site), Kind::Check, condition)? {
            Arm::TRUE => Err(Halt(Event::End(End::Trapped(trap)))),
            _ => Ok(()),
        }
    }

    fn decide(&mut self, site: SiteId, kind: Kind, value: Value) -> Step<Arm> {
        self.tick(1)?;
        if kind.is_branch() {
            self.costs.branches += 1;
            let hits = self.hits.entry(site).or_insert(0);
            *hits += 1;
            self.costs.hits = self.costs.hits.max(*hits);
        }
        if let Some(bits) = value.bits() {
            let arm = kind.arm_of(bits);
            if kind.is_branch() {
                self.observe(site, kind, bits);
            }
            return Ok(arm);
        }
        self.costs.decisions += u64::from(kind.is_branch());
        match self.answer() {
            Some(Answer::Arm(arm)) => Ok(arm),
            Some(Answer::Assumed) => panic!("a script must do the same each time it is run"),
            None => {
                let frame = self.frames.last().copied().unwrap_or(0);
                Err(Halt(Event::Decision { site, kind, scrutinee: value.term(self.arena), frame }))
            }
        }
    }

    /// Notes a branch on a known value. Unless the operands of a comparison are known, a bit is 1 away from its negation.
    fn observe(&mut self, site: SiteId, kind: Kind, value: u64) {
        let taken = kind.arm_of(value);
        for arm in (0..kind.arms().unwrap_or_default()).map(Arm) {
            let distance = match self.operands {
                _ if arm == taken => 0,
                Some((op, width, x, y)) => distance::to_outcome(op, width, x, y, arm == Arm::TRUE),
                None => u128::from(value.abs_diff(arm.0)),
            };
            let new = ArmSeen { site, arm, hits: 0, evaluations: 0, distance };
            let seen = self.concrete.entry((site, arm)).or_insert(new);
            seen.hits += u64::from(arm == taken);
            seen.evaluations += 1;
            seen.distance = seen.distance.min(distance);
        }
    }

    /// Continues only if the bit is set.
    pub fn assume(&mut self, condition: Value) -> Step<()> {
        match condition.bits() {
            Some(0) => Err(Halt(Event::End(End::AssumptionViolated))),
            Some(_) => Ok(()),
            None => match self.answer() {
                Some(_) => Ok(()),
                None => Err(Halt(Event::Assume(condition.term(self.arena)))),
            },
        }
    }

    fn answer(&mut self) -> Option<Answer> {
        let answer = self.answers.get(self.answered).copied();
        self.answered += 1;
        answer
    }
}

impl Program for Script {
    fn name(&self) -> &str {
        &self.name
    }

    fn variables(&self) -> Vec<Variable> {
        self.variables.clone()
    }

    fn start(&self, _: &mut Arena, limits: &PathLimits) -> Box<dyn Run> {
        Box::new(ScriptRun {
            variables: self.variables.clone().into(),
            body: Arc::clone(&self.body),
            limits: *limits,
            answers: Vec::new(),
            costs: Costs::default(),
            concrete: Vec::new(),
        })
    }

    fn run_concrete(&self, input: &Witness, limits: &PathLimits, _: &mut dyn Observer) -> (Replay, PathLimits) {
        let (seen, limits) = self.observe_while(input, limits, &mut || true);
        (Replay { costs: seen.costs, end: seen.end, unsupported: 0 }, limits)
    }

    fn observe_while(
        &self,
        input: &Witness,
        limits: &PathLimits,
        _go_on: &mut dyn FnMut() -> bool,
    ) -> (Observation, PathLimits) {
        let mut arena = Arena::new();
        let mut context = Context::new(&mut arena, Inputs::Concrete(input), &self.variables, limits, &[]);
        let seen = match context.execute(&*self.body) {
            Event::End(end) => Observation {
                end,
                costs: context.costs,
                arms: context.concrete.into_values().collect(),
                comparisons: Vec::new(),
                divisions: Vec::new(),
                functions: context.functions.into_iter().collect(),
                lines: context.lines.into_iter().collect(),
            },
            event => panic!("a concrete run yielded {event:?}"),
        };
        (seen, *limits)
    }

    fn places(&self) -> Arc<Places> {
        Arc::clone(&self.places)
    }

    fn site_name(&self, site: SiteId) -> String {
        format!("{}:{}", self.name, site.0)
    }
}

struct ScriptRun {
    variables: Arc<[Variable]>,
    body: Arc<Body>,
    limits: PathLimits,
    answers: Vec<Answer>,
    costs: Costs,
    concrete: Vec<(SiteId, Arm)>,
}

impl Run for ScriptRun {
    fn next(&mut self, arena: &mut Arena) -> Event {
        let mut context = Context::new(arena, Inputs::Symbolic, &self.variables, &self.limits, &self.answers);
        let event = context.execute(&*self.body);
        self.costs = context.costs;
        let taken = context.concrete.into_iter().filter(|(_, seen)| seen.hits > 0);
        self.concrete = taken.map(|(arm, _)| arm).collect();
        if let Event::Assume(_) = event {
            self.answers.push(Answer::Assumed);
        }
        event
    }

    fn take(&mut self, arm: Arm) {
        self.answers.push(Answer::Arm(arm));
    }

    fn costs(&self) -> Costs {
        self.costs
    }

    fn fork(&self) -> Box<dyn Run> {
        Box::new(ScriptRun {
            variables: Arc::clone(&self.variables),
            body: Arc::clone(&self.body),
            answers: self.answers.clone(),
            concrete: self.concrete.clone(),
            ..*self
        })
    }

    fn concrete_arms(&self) -> Option<Vec<(SiteId, Arm)>> {
        Some(self.concrete.clone())
    }
}
