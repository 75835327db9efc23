//! The program at every size, for concrete runs.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use pessimum_input::shrink::{Keeper, Part, simplify};
use pessimum_input::{Argument, Group, InputPlan};
use pessimum_outcome::{CostModel, End, Ends};
use pessimum_patterns::{Example, Number, Runner, Slot, Trial};
use pessimum_search::budget::Until;
use pessimum_search::layout::variable;
use pessimum_search::program::{Counted, Counting, PathLimits};
use pessimum_term::Witness;

use crate::shrink::parts;
use crate::{Error, Source, Target};

/// Runs may take this many times the instructions of the search's runs: they are few, and large.
const LONGER: u64 = 2;

/// Runs to make one example simpler, and their instructions.
const SHRINKING: u64 = 1500;
const SHRINKING_INSTRUCTIONS: u64 = 300_000_000;

/// The program at one size.
#[derive(Clone)]
pub struct At {
    /// The program.
    pub program: Rc<Target>,
    /// What its input consists of.
    pub slots: Rc<Vec<Slot>>,
    /// Instructions of every run before the call, which no cost contains.
    before: u64,
}

/// The program at every size; those that were made are kept.
pub struct Programs<'a> {
    source: &'a Source,
    cost: CostModel,
    ends: Ends,
    until: Until,
    by_value: bool,
    known: RefCell<BTreeMap<u64, Option<At>>>,
    runs: u64,
}

impl<'a> Programs<'a> {
    /// Fails where nothing grows: neither a length nor the value of a parameter.
    pub fn new(source: &'a Source, cost: CostModel, ends: Ends, until: Until) -> Result<Programs<'a>, Error> {
        let (small, large) = (source.input(Some(8))?, source.input(Some(24))?);
        let counts = |plan: &InputPlan| plan.groups().map(|group| group.count).collect::<Vec<u32>>();
        let by_value = counts(&small) == counts(&large);
        let has_scalar = small.arguments.iter().any(|argument| matches!(argument, Argument::Scalar(_)));
        if source.program(Some(8))?.asks() {
            let hint = "give the input with --call, --stdin, --arg or --file";
            return Err(Error::new(format!("patterns are for inputs that are known before the run: {hint}")));
        }
        if by_value && !has_scalar {
            let hint = "write lengths in terms of n, as in `--call 'sort(i32[n], n)'` or `--stdin n`";
            return Err(Error::new(format!("nothing here grows: {hint}")));
        }
        Ok(Programs { source, cost, ends, until, by_value, known: RefCell::default(), runs: 0 })
    }

    /// Whether no length depends on the size, so that `n` is the value of a parameter.
    pub fn is_by_value(&self) -> bool {
        self.by_value
    }

    /// How many inputs were run.
    pub fn runs(&self) -> u64 {
        self.runs
    }

    /// Up to when runs may take from now on.
    pub fn set_until(&mut self, until: Until) {
        self.until = until;
    }

    /// The limits of the largest runs.
    pub fn limits(&self) -> PathLimits {
        let limits = self.source.limits();
        PathLimits { instructions: limits.instructions.saturating_mul(LONGER), ..limits }
    }

    /// The program at this size; none where the layout does not allow it.
    pub fn at(&self, size: u64) -> Result<Option<At>, Error> {
        if let Some(known) = self.known.borrow().get(&size) {
            return Ok(known.clone());
        }
        let made = self.source.program(Some(size)).ok().map(|program| {
            let slots = slots(program.plan());
            let before = program.before_call(&self.limits(), &self.until);
            At { program: Rc::from(program), slots: Rc::new(slots), before }
        });
        let made = made.filter(|at| !self.by_value || at.slots.iter().any(|slot| reaches(slot, size)));
        let mut known = self.known.borrow_mut();
        // Large ones take memory, and are run a few times only.
        if size > 1 << 14 {
            known.retain(|&other, _| other <= 1 << 14);
        }
        known.insert(size, made.clone());
        Ok(made)
    }

    /// An example with plainer values at the same cost; none if there is nothing plainer.
    pub fn simplified(&mut self, example: &Example) -> Option<Example> {
        let at = self.at(example.size).ok()??;
        let plan_parts = parts(at.program.plan(), &[]);
        let mut plainer = Plainer {
            programs: self,
            size: example.size,
            parts: plan_parts.clone(),
            bar: example.cost,
            left: SHRINKING,
            instructions: at.program.language().pace.steps(SHRINKING_INSTRUCTIONS),
        };
        let shrunk = simplify(example.values.clone(), plan_parts, &mut plainer);
        let bar = plainer.bar;
        (shrunk.values != example.values).then_some(Example { values: shrunk.values, cost: bar, ..example.clone() })
    }

    /// What the run costs, by a symbolic run where only that can tell.
    fn replay(&mut self, at: &At, witness: &Witness, limits: &PathLimits, arms: &mut Vec<u64>) -> (End, u64, u64) {
        self.runs += 1;
        let until = &self.until;
        arms.clear();
        let mut counting = Counting { go_on: || until.go_on(), counted: Counted::Arms, into: arms };
        let (replay, _) = at.program.run_concrete(witness, limits, &mut counting);
        let costs = match self.cost {
            CostModel::Decisions => {
                let all = crate::replay::all_costs_while(&*at.program, witness, *limits, self.cost, until);
                all.unwrap_or(replay.costs)
            }
            _ => replay.costs,
        };
        (replay.end, self.cost.of(&costs), replay.costs.steps())
    }
}

impl Runner for Programs<'_> {
    fn slots(&self, size: u64) -> Option<Vec<Slot>> {
        self.at(size).ok()?.map(|at| at.slots.to_vec())
    }

    fn run(&mut self, size: u64, values: Vec<u64>, instructions: u64) -> Trial {
        let Ok(Some(at)) = self.at(size) else { return Trial::default() };
        let mut witness = Witness::new(values);
        at.program.repair(&mut witness);
        if at.program.permits(&witness) == Some(false) {
            return Trial::default();
        }
        // What comes before the call is not what is limited here, but is within the limit of the run.
        let limits = PathLimits { instructions: instructions.max(at.before), ..self.limits() };
        let mut arms = Vec::new();
        let (end, cost, executed) = self.replay(&at, &witness, &limits, &mut arms);
        // Whatever cut it: the whole run would cost more.
        let cut = end.is_cut() || executed > instructions;
        let counts = end.is_a_run() && self.ends.wants(end) == Some(true);
        // A crash is where the program stops, not what it costs.
        Trial { cost: if counts { cost } else { 0 }, instructions: executed, cut, arms }
    }

    fn is_spent(&self) -> bool {
        !self.until.go_on()
    }
}

/// Whether a single number of this range can be as great as this.
fn reaches(slot: &Slot, value: u64) -> bool {
    if !slot.scalar {
        return false;
    }
    match slot.number {
        Number::Float => true,
        Number::Unsigned => value <= slot.variable.high,
        Number::Signed => i64::try_from(value).is_ok_and(|value| value <= slot.value(slot.variable.high)),
    }
}

/// The slots of an input: one for each group of variables.
pub fn slots(plan: &InputPlan) -> Vec<Slot> {
    let is_scalar = |group: &Group| {
        plan.arguments.iter().any(|argument| matches!(argument, Argument::Scalar(other) if other.first == group.first))
    };
    let slot = |group: &Group| Slot {
        count: group.count as usize,
        scalar: is_scalar(group),
        text: group.is_bytes() && !is_scalar(group),
        number: match group.kind {
            kind if kind.is_float() => Number::Float,
            kind if kind.is_signed() => Number::Signed,
            _ => Number::Unsigned,
        },
        variable: variable(group),
    };
    plan.groups().map(slot).collect()
}

/// Keeps the cost of an example while its values become plainer.
struct Plainer<'p, 'a> {
    programs: &'p mut Programs<'a>,
    size: u64,
    parts: Vec<Part>,
    bar: u64,
    left: u64,
    instructions: u64,
}

impl Keeper for Plainer<'_, '_> {
    fn keeps(&mut self, values: &[u64]) -> Option<Vec<Part>> {
        self.left = self.left.saturating_sub(1);
        let trial = self.programs.run(self.size, values.to_vec(), self.instructions);
        self.instructions = self.instructions.saturating_sub(trial.instructions);
        if trial.cut || trial.cost < self.bar {
            return None;
        }
        self.bar = trial.cost;
        Some(self.parts.clone())
    }

    fn asks(&self) -> bool {
        false
    }

    fn is_spent(&self) -> bool {
        self.left == 0 || self.instructions == 0 || self.programs.is_spent()
    }
}
