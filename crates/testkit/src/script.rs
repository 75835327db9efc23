//! Programs written as closures over a [`Script`]'s context. To continue after an event the closure is run again from
//! its start with the arms taken so far: forks are trivial, long paths are slow.

use crate::value::Value;
use pessimum_search::cost::Costs;
use pessimum_search::program::{
    Arm, End, Event, Kind, Limit, PathLimits, Program, Replay, Run, SiteId, Trap, Variable,
};
use pessimum_term::{Arena, BinaryOp, Witness};
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
}

impl Script {
    /// A program over these inputs.
    pub fn new(
        name: &str,
        variables: Vec<Variable>,
        body: impl Fn(&mut Context<'_>) -> Step<()> + Send + Sync + 'static,
    ) -> Script {
        Script { name: name.to_owned(), variables, body: Arc::new(body) }
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
    concrete: BTreeSet<(SiteId, Arm)>,
    /// The numbers of the calls in progress.
    frames: Vec<u32>,
}

impl Context<'_> {
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

    /// Charges instructions.
    pub fn tick(&mut self, instructions: u64) -> Step<()> {
        self.costs.instructions += instructions;
        if self.costs.instructions > self.limits.instructions {
            self.costs.instructions = self.limits.instructions;
            return Err(Halt(Event::End(End::Limit(Limit::Instructions))));
        }
        Ok(())
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
                self.concrete.insert((site, arm));
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

    /// Goes on only where the bit is set.
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
            concrete: BTreeSet::new(),
        })
    }

    fn replay(&self, input: &Witness, limits: &PathLimits) -> Replay {
        let mut arena = Arena::new();
        let inputs = Inputs::Concrete(input);
        let (event, costs, _) = execute(&*self.body, &mut arena, inputs, &self.variables, limits, &[]);
        match event {
            Event::End(end) => Replay { costs, end },
            event => panic!("a concrete run yielded {event:?}"),
        }
    }

    fn site_name(&self, site: SiteId) -> String {
        format!("{}:{}", self.name, site.0)
    }
}

fn execute(
    body: &Body,
    arena: &mut Arena,
    inputs: Inputs<'_>,
    variables: &[Variable],
    limits: &PathLimits,
    answers: &[Answer],
) -> (Event, Costs, BTreeSet<(SiteId, Arm)>) {
    let (costs, hits, concrete) = (Costs::default(), BTreeMap::new(), BTreeSet::new());
    let mut context =
        Context { arena, inputs, variables, limits, answers, answered: 0, costs, hits, concrete, frames: Vec::new() };
    let event = match body(&mut context) {
        Ok(()) => Event::End(End::Returned),
        Err(Halt(event)) => event,
    };
    (event, context.costs, context.concrete)
}

struct ScriptRun {
    variables: Arc<[Variable]>,
    body: Arc<Body>,
    limits: PathLimits,
    answers: Vec<Answer>,
    costs: Costs,
    concrete: BTreeSet<(SiteId, Arm)>,
}

impl Run for ScriptRun {
    fn next(&mut self, arena: &mut Arena) -> Event {
        let (event, costs, concrete) =
            execute(&*self.body, arena, Inputs::Symbolic, &self.variables, &self.limits, &self.answers);
        self.costs = costs;
        self.concrete = concrete;
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

    fn concrete_arms(&self) -> Vec<(SiteId, Arm)> {
        self.concrete.iter().copied().collect()
    }
}
