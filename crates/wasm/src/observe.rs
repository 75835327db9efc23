//! What a search wants to know about a concrete run besides its cost: which arms were taken, and how far the values were
//! from taking the others.
//!
//! [`Subject::observe_while`] runs in a domain of its own, as profiles do. A value of this domain carries how far it is from
//! the opposite truth value, if that is known: comparisons produce this distance, negations and logical operators
//! pass it on, and memory forgets it. So a branch knows its distance however many instructions there are between it
//! and the comparison.
//!
//! Distances are those of [`pessimum_term::distance`], without normalisation, as Fitnex (Xie, Tillmann, de Halleux,
//! Schulte, DSN 2009) uses them. Conjunctions and disjunctions add them up or take the lesser one, as Tracey, Clark,
//! Mander and McDermid do (ASE 1998).

use std::sync::Arc;

use pessimum_outcome::Costs;
use pessimum_term::{BinaryOp, UnaryOp, VariableId, Witness, distance, ops};
use rustc_hash::FxHashMap;

use crate::domain::{Concrete, Domain};
use crate::embed::{Process, ProcessEnd, ProcessEvent, Subject, SubjectError};
use crate::machine::{Event, Limits, Machine};
use crate::memory::Flat;
use crate::module::{Location, Module};
use crate::profile::Executions;
use crate::sites::SiteKind;

/// What became of an arm in one run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArmSeen {
    /// How often it was taken.
    pub hits: u64,
    /// The least distance to taking it: 0 if it was taken, `None` if its site was not executed.
    pub distance: Option<u128>,
}

/// What became of a comparison whose outcome was kept as a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ComparisonSeen {
    /// Where it is.
    pub location: Location,
    /// How often it was evaluated.
    pub evaluations: u64,
    /// The least distance to being true; 0 if it was.
    pub to_true: u128,
    /// The least distance to being false; 0 if it was.
    pub to_false: u128,
}

/// One concrete run, observed.
#[derive(Clone, Debug)]
pub struct Observed {
    /// How the run ended.
    pub end: ProcessEnd<u64>,
    /// What each call returned, in order, for those that did: the first value, or none.
    pub returned: Vec<Option<u64>>,
    /// What it cost, as every concrete run counts it.
    pub costs: Costs,
    /// The limit of instructions within which the run ends in the same place again.
    pub within: u64,
    /// Every arm, by [`crate::Site::first_arm`].
    pub arms: Vec<ArmSeen>,
    /// The comparisons that were evaluated for their value, in order of offset.
    pub comparisons: Vec<ComparisonSeen>,
    /// The divisions by something that varies, in order of offset, and the least distance of a divisor to zero.
    pub divisions: Vec<(Location, u128)>,
    /// Calls of every function, by its index in the module, imports first.
    pub calls: Vec<u64>,
    /// Offset in the module's bytes and number of executions of every instruction that was executed, by offset.
    pub instructions: Vec<(u32, u64)>,
}

impl Subject {
    /// Runs on this input within these limits, as long as `go_on` says so, and observes the call.
    pub fn observe_while(
        &self,
        witness: Witness,
        limits: Limits,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Observed, SubjectError> {
        let mut domain = Observing::new(self.module(), witness);
        let mut process = Process::<Observing>::new(self)?;
        *process.limits_mut() = limits;
        let event = match process.prepare_while(&mut domain, go_on) {
            Some(event) => event,
            None => {
                // What comes before the call is the same for every input, and is not counted.
                domain = Observing::new(self.module(), domain.concrete.witness);
                process.run_while(&mut domain, go_on)
            }
        };
        let ProcessEvent::End(end) = event else {
            unreachable!("every value of a concrete run is known, and no pause is an end: {event:?}")
        };
        let within = process.limits_mut().instructions;
        let mut returned: Vec<Option<Value>> = process.returned().to_vec();
        if let ProcessEnd::Returned(values) = &end {
            returned.push(values.first().copied());
        }
        let (machine, instance) = process.machine();
        let domain = domain.counted.take().map_or(domain, |counted| *counted);
        let arms = domain.arms(machine.arm_counts(instance));
        Ok(Observed {
            end: end.bits(),
            returned: returned.into_iter().map(|value| value.map(|value| value.bits)).collect(),
            costs: process.costs(),
            within,
            arms,
            comparisons: domain.comparisons(),
            divisions: domain.divisions(),
            calls: domain.calls,
            instructions: domain.executions.by_offset(),
        })
    }
}

impl ProcessEnd<Value> {
    fn bits(self) -> ProcessEnd<u64> {
        match self {
            ProcessEnd::Returned(values) => ProcessEnd::Returned(values.into_iter().map(|value| value.bits).collect()),
            ProcessEnd::Exited(code) => ProcessEnd::Exited(code),
            ProcessEnd::Trapped(trap) => ProcessEnd::Trapped(trap),
            ProcessEnd::Failed(why) => ProcessEnd::Failed(why),
            ProcessEnd::MissingImport { module, name } => ProcessEnd::MissingImport { module, name },
            ProcessEnd::Limit(limit) => ProcessEnd::Limit(limit),
            ProcessEnd::AssumptionViolated => ProcessEnd::AssumptionViolated,
        }
    }
}

/// A bit pattern and its distance to the opposite truth value; the distance is 0 if it is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Value {
    bits: u64,
    away: u128,
}

impl Value {
    fn plain(bits: u64) -> Value {
        Value { bits, away: 0 }
    }

    /// Whether this is a truth value of known distance.
    fn is_truth(self) -> bool {
        self.away != 0 && self.bits <= 1
    }

    /// How far the value is from the opposite truth value. A number about which nothing else is known is as far from
    /// zero as its magnitude, and zero is one step away from being nonzero.
    fn distance(self, width: u32) -> u128 {
        match (self.away, self.bits) {
            (0, 0) => 1,
            (0, bits) => distance::to_true(BinaryOp::Eq, width, bits, 0),
            (away, _) => away,
        }
    }
}

/// Concrete execution that keeps track of distances, for machines with one instance.
struct Observing {
    concrete: Concrete,
    module: Arc<Module>,
    executions: Executions,
    /// Open calls: number of the function's first counted instruction, and where the current stretch was entered.
    open: Vec<(u32, u32)>,
    calls: Vec<u64>,
    /// For each arm of a branch, the least distance to taking it when it was not taken.
    away: Vec<u128>,
    /// For the last arm of each `br_table`, the least index that went there.
    beyond: FxHashMap<u32, u64>,
    /// For each position in the code, evaluations and the least distance to true and to false.
    comparisons: FxHashMap<u32, (u64, u128, u128)>,
    /// For each position in the code, the least distance of a divisor to zero.
    divisors: FxHashMap<u32, u128>,
    /// The imported function that was called last.
    last_host: Option<u32>,
    /// What had been observed when the part that counts ended.
    counted: Option<Box<Observing>>,
}

impl Observing {
    fn new(module: &Arc<Module>, witness: Witness) -> Observing {
        Observing {
            concrete: Concrete { witness },
            module: module.clone(),
            executions: Executions::new(module),
            open: Vec::new(),
            calls: vec![0; module.functions.len()],
            away: vec![u128::MAX; module.arms.len()],
            beyond: FxHashMap::default(),
            comparisons: FxHashMap::default(),
            divisors: FxHashMap::default(),
            last_host: None,
            counted: None,
        }
    }

    /// As new, in the same calls.
    fn restart(&mut self) {
        let new = Observing::new(&self.module, Witness::default());
        let (witness, open) = (std::mem::take(&mut self.concrete.witness), std::mem::take(&mut self.open));
        *self = Observing { concrete: Concrete { witness }, open, ..new };
    }

    fn leave_stretch(&mut self, last: u32) {
        if let Some((counted, entered)) = self.open.last_mut() {
            self.executions.stretch(*counted, *entered, last);
            *entered = last;
        }
    }

    fn arms(&self, hits: &[u64]) -> Vec<ArmSeen> {
        let mut arms: Vec<ArmSeen> = hits.iter().map(|&hits| ArmSeen { hits, distance: None }).collect();
        for site in &self.module.sites {
            let (first, last) = (site.first_arm as usize, (site.first_arm + site.arms - 1) as usize);
            if hits[first..=last].iter().all(|&hits| hits == 0) {
                continue;
            }
            // The arms of a table that were taken show which indices occurred, except for the last arm.
            let beyond = self.beyond.get(&(last as u32)).copied();
            let taken = (first..last).filter(|&arm| hits[arm] > 0).map(|arm| (arm - first) as u64);
            let indices: Vec<u64> = taken.chain(beyond).collect();
            for arm in first..=last {
                let distance = match site.kind {
                    _ if hits[arm] > 0 => Some(0),
                    SiteKind::If | SiteKind::BranchIf => Some(self.away[arm]),
                    SiteKind::Table => {
                        let wanted = (arm - first) as u64;
                        indices.iter().map(|index| u128::from(index.abs_diff(wanted))).min()
                    }
                };
                arms[arm].distance = distance;
            }
        }
        arms
    }

    fn comparisons(&self) -> Vec<ComparisonSeen> {
        let seen = self.comparisons.iter().map(|(&position, &(evaluations, to_true, to_false))| {
            let location = self.module.location(position);
            ComparisonSeen { location, evaluations, to_true, to_false }
        });
        let mut seen: Vec<ComparisonSeen> = seen.collect();
        seen.sort_unstable_by_key(|comparison| comparison.location.offset);
        seen
    }

    fn divisions(&self) -> Vec<(Location, u128)> {
        let varying = self.divisors.iter().filter(|(position, _)| self.module.divides_by_variable(**position));
        let mut seen: Vec<(Location, u128)> =
            varying.map(|(&position, &distance)| (self.module.location(position), distance)).collect();
        seen.sort_unstable_by_key(|(location, _)| location.offset);
        seen
    }
}

impl Domain for Observing {
    type Value = Value;
    type Byte = u8;
    type Bytes = Flat;
    const SYMBOLIC: bool = false;
    const PROFILED: bool = true;

    #[inline(never)]
    fn drive(&mut self, machine: &mut Machine<Self>) -> Event<Self::Value> {
        machine.interpret(self)
    }

    fn entered(&mut self, body: u32) {
        self.calls[(self.module.imported_functions + body) as usize] += 1;
        self.open.push((self.module.first_counted[body as usize], 0));
    }

    fn jumped(&mut self, from: u32, to: u32) {
        self.leave_stretch(from);
        if let Some((_, entered)) = self.open.last_mut() {
            *entered = to;
        }
    }

    fn left(&mut self, at: u32) {
        self.leave_stretch(at);
    }

    fn returned(&mut self) {
        self.open.pop();
    }

    fn called_host(&mut self, function: u32) {
        self.calls[function as usize] += 1;
        self.last_host = Some(function);
    }

    fn began(&mut self) {
        self.restart();
    }

    fn ended(&mut self) {
        let mut counted = Box::new(Observing {
            concrete: Concrete { witness: Witness::default() },
            module: self.module.clone(),
            executions: self.executions.clone(),
            open: Vec::new(),
            calls: self.calls.clone(),
            away: self.away.clone(),
            beyond: self.beyond.clone(),
            comparisons: self.comparisons.clone(),
            divisors: self.divisors.clone(),
            last_host: None,
            counted: None,
        });
        if let Some(function) = self.last_host {
            counted.calls[function as usize] -= 1;
        }
        if let Some(&(counted_from, entered)) = self.open.last() {
            counted.executions.take_back(counted_from, entered);
        }
        self.counted = Some(counted);
    }

    fn branched(&mut self, arm: u32, condition: Value) {
        let other = if condition.bits != 0 { arm ^ 1 } else { arm };
        let away = &mut self.away[other as usize];
        *away = condition.distance(32).min(*away);
    }

    fn switched(&mut self, first_arm: u32, last_arm: u32, index: Value) {
        if index.bits >= u64::from(last_arm - first_arm) {
            let least = self.beyond.entry(last_arm).or_insert(index.bits);
            *least = index.bits.min(*least);
        }
    }

    fn compared(&mut self, position: u32, outcome: Value) {
        let (evaluations, to_true, to_false) = self.comparisons.entry(position).or_insert((0, u128::MAX, u128::MAX));
        *evaluations += 1;
        let (had, other) = if outcome.bits != 0 { (to_true, to_false) } else { (to_false, to_true) };
        *had = 0;
        *other = outcome.distance(32).min(*other);
    }

    fn divided(&mut self, position: u32, by_zero: Value) {
        let least = self.divisors.entry(position).or_insert(u128::MAX);
        *least = if by_zero.bits != 0 { 0 } else { by_zero.distance(32).min(*least) };
    }

    fn constant(bits: u64) -> Value {
        Value::plain(bits)
    }

    #[inline(always)]
    fn known(value: Value) -> Option<u64> {
        Some(value.bits)
    }

    fn unary(&mut self, op: UnaryOp, from: u32, to: u32, x: Value) -> Value {
        // Widening a truth value leaves it a truth value.
        let kept = matches!(op, UnaryOp::ZeroExtend | UnaryOp::SignExtend) && x.is_truth();
        Value { bits: ops::unary(op, from, to, x.bits), away: if kept { x.away } else { 0 } }
    }

    fn binary(&mut self, op: BinaryOp, width: u32, x: Value, y: Value) -> Value {
        let bits = ops::binary(op, width, x.bits, y.bits);
        let (truth, other) = if x.is_truth() { (x, y) } else { (y, x) };
        let away = match op {
            _ if !truth.is_truth() => 0,
            BinaryOp::And | BinaryOp::Or if other.is_truth() => {
                // A conjunction is false as long as one operand is false, a disjunction true as long as one is true.
                let breaks = u64::from(op == BinaryOp::Or);
                match (truth.bits == breaks, other.bits == breaks) {
                    (true, true) => truth.away + other.away,
                    (true, false) => truth.away,
                    (false, true) => other.away,
                    (false, false) => truth.away.min(other.away),
                }
            }
            BinaryOp::And if other.bits == 1 => truth.away,
            BinaryOp::Or | BinaryOp::Xor if other.bits == 0 => truth.away,
            BinaryOp::Xor if other.bits == 1 && other.away == 0 => truth.away,
            _ => 0,
        };
        Value { bits, away }
    }

    fn compare(&mut self, op: BinaryOp, negate: bool, width: u32, x: Value, y: Value) -> Value {
        let holds = ops::binary(op, width, x.bits, y.bits) == 1;
        let away = match (x, y) {
            // A truth value compared with 0 or 1 yields itself or its opposite, and is as far from changing.
            (truth, Value { bits: 0 | 1, away: 0 }) if op == BinaryOp::Eq && truth.is_truth() => truth.away,
            _ => distance::to_outcome(op, width, x.bits, y.bits, !holds),
        };
        Value { bits: u64::from(holds != negate), away }
    }

    fn extend_low(&mut self, from: u32, to: u32, x: Value) -> Value {
        let bits = ops::signed(from, x.bits) as u64 & ops::mask(to);
        Value { bits, away: if x.is_truth() { x.away } else { 0 } }
    }

    fn wrap(&mut self, x: Value) -> Value {
        Value { bits: u64::from(x.bits as u32), away: if x.is_truth() { x.away } else { 0 } }
    }

    fn select(&mut self, _: u32, condition: Value, then: Value, otherwise: Value) -> Value {
        if condition.bits != 0 { then } else { otherwise }
    }

    fn input(&mut self, variable: VariableId, width: u32) -> Value {
        Value::plain(self.concrete.input(variable, width))
    }

    fn constant_byte(byte: u8) -> u8 {
        byte
    }

    fn join(&mut self, bytes: &[u8]) -> Value {
        Value::plain(self.concrete.join(bytes))
    }

    fn split(&mut self, value: Value, count: usize) -> [u8; 8] {
        self.concrete.split(value.bits, count)
    }
}
