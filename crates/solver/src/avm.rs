//! Local search by the alternating variable method, for float arithmetic and for queries that hit the conflict limit.
//!
//! It answers most float queries that have an answer in milliseconds; the circuits of `floats` decide the others.
//!
//! Source: Korel, "Automated Software Test Data Generation" (IEEE TSE 1990), and the solver of Galeotti, Fraser and
//! Arcuri, "Improving Search-based Test Suite Generation with Dynamic Symbolic Execution" (ISSRE 2013), section IV-A:
//! the objective is the sum of normalised branch distances; integers move by exploratory and pattern moves, and
//! floats by the same moves with decreasing precision. Trying the constants in the conditions too is our addition.

use pessimum_term::ops::mask;
use pessimum_term::random::Random;
use pessimum_term::{Arena, BinaryOp, Evaluator, Node, TermId, UnaryOp, VariableId, distance};
use rustc_hash::FxHashSet;

use crate::layers::{Layer, QueryLimits, Reply};
use crate::path::{Change, Path, Query};
use crate::{LayerName, Until, Why};

/// The distance from being true of a comparison that cannot be measured (one with a NaN).
const FAR: f64 = 1e300;
/// Constants tried per variable before moving.
const MOST_GUESSES: usize = 32;
/// Terms looked at when collecting constants and finding floats.
const MOST_TERMS: usize = 10_000;
/// Digits after the decimal point to which floats are searched.
const SINGLE_DIGITS: i32 = 7;
const DOUBLE_DIGITS: i32 = 15;

/// Work of evaluating a condition, in propagations of the SAT solver.
const EVALUATION: u64 = 1;

/// The local search layer. It comes last, since it can never say no.
#[derive(Default)]
pub struct LocalSearch {
    evaluator: Evaluator,
    /// Evaluations of conditions so far.
    evaluations: u64,
    /// Counts calls, so that random restarts differ from call to call but repeat from run to run.
    calls: u64,
}

#[derive(Clone, Copy)]
struct Slot {
    variable: VariableId,
    width: u32,
    float: bool,
}

struct Run<'a> {
    arena: &'a Arena,
    evaluator: &'a mut Evaluator,
    /// The condition of the query comes first.
    conditions: Vec<TermId>,
    slots: Vec<Slot>,
    guesses: Vec<(u32, u64)>,
    best: f64,
    /// Number of evaluations of conditions left.
    steps: u64,
    until: &'a Until,
    late: bool,
    random: Random,
}

impl Layer for LocalSearch {
    fn name(&self) -> LayerName {
        LayerName::LocalSearch
    }

    fn work(&self) -> u64 {
        self.evaluations.saturating_mul(EVALUATION)
    }

    fn ask(&mut self, arena: &Arena, path: &mut Path, query: &mut Query, limits: &QueryLimits) -> Reply {
        self.calls += 1;
        let (condition, own) = (query.condition, query.variables.clone());
        let part = query.part(path);
        let conditions = [condition].into_iter().chain(part.positions.iter().map(|&at| path.conditions[at as usize]));
        let mut run = Run {
            arena,
            evaluator: &mut self.evaluator,
            conditions: conditions.collect(),
            slots: Vec::new(),
            guesses: Vec::new(),
            best: f64::INFINITY,
            steps: limits.steps,
            until: limits.until,
            late: false,
            random: Random::new(self.calls.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
        };
        let floats = run.survey();
        let others = part.variables.iter().filter(|variable| !own.contains(variable));
        run.slots = own
            .iter()
            .chain(others)
            .map(|&number| {
                let variable = VariableId(number);
                Slot { variable, width: path.parts.width(number), float: floats.contains(&variable) }
            })
            .collect();
        let start = path.evaluator.witness();
        run.evaluator.set_witness(start.clone());
        let found = run.search(own.len());
        self.evaluations += limits.steps - run.steps;
        if found {
            let found = run.evaluator.witness();
            let change = |slot: &Slot| {
                let value = found.get(slot.variable);
                (start.get(slot.variable) != value).then_some((slot.variable.0, value))
            };
            let changes: Vec<Change> = run.slots.iter().filter_map(change).collect();
            return Reply::Sat(changes);
        }
        Reply::GaveUp(if run.late { Why::Deadline } else { Why::Steps })
    }
}

impl Run<'_> {
    /// Collects constants as first guesses; returns the variables that are read as floats.
    fn survey(&mut self) -> FxHashSet<VariableId> {
        let mut floats = FxHashSet::default();
        let mut seen = FxHashSet::default();
        let mut stack = self.conditions.clone();
        stack.reverse();
        while let Some(term) = stack.pop() {
            if seen.len() == MOST_TERMS {
                break;
            }
            if !seen.insert(term) {
                continue;
            }
            let node = self.arena.node(term);
            let float_operands = match node {
                Node::Binary(op, ..) => op.is_float(),
                Node::Unary(op, _) => op.is_float() && !matches!(op, UnaryOp::FFromS | UnaryOp::FFromU),
                _ => false,
            };
            if let Node::Constant(value) = node
                && self.guesses.len() < MOST_GUESSES
            {
                self.guesses.push((self.arena.width(term), value));
            }
            for child in self.arena.children(term) {
                if let (true, Some(variable)) = (float_operands, self.arena.as_variable(child)) {
                    floats.insert(variable);
                }
                stack.push(child);
            }
        }
        floats
    }

    fn search(&mut self, own: usize) -> bool {
        self.best = self.objective(f64::INFINITY);
        loop {
            while self.improve() {}
            if self.best == 0.0 {
                return true;
            }
            if self.steps == 0 || self.late || self.slots.is_empty() {
                return false;
            }
            // Random restart, mostly of the variables of the query itself.
            for index in 0..self.slots.len() {
                if index < own || self.random.bits().is_multiple_of(4) {
                    let value = self.random_value(self.slots[index]);
                    self.evaluator.set(self.slots[index].variable, value);
                }
            }
            self.best = f64::INFINITY;
            self.best = self.objective(f64::INFINITY);
        }
    }

    /// Tries to improve each variable once. Returns true if the objective fell and there is reason to continue.
    fn improve(&mut self) -> bool {
        let before = self.best;
        for index in 0..self.slots.len() {
            let slot = self.slots[index];
            for guess in 0..self.guesses.len() {
                let (width, value) = self.guesses[guess];
                if width == slot.width {
                    self.attempt(slot, value);
                }
            }
            if slot.float && matches!(slot.width, 32 | 64) {
                let digits = if slot.width == 32 { SINGLE_DIGITS } else { DOUBLE_DIGITS };
                for digit in 0..=digits {
                    self.pattern(slot, |value, steps| moved_float(slot.width, value, steps * 10f64.powi(-digit)));
                }
            }
            // For a float this is the next number up or down, the last resort for exact comparisons.
            self.pattern(slot, |value, steps| value.wrapping_add(steps as i64 as u64) & mask(slot.width));
            if self.best == 0.0 || self.steps == 0 || self.late {
                return false;
            }
        }
        self.best < before
    }

    /// Explores one step in each direction and, while that helps, continues in that direction, doubling the step each
    /// time. Repeats until neither direction helps.
    fn pattern(&mut self, slot: Slot, step: impl Fn(u64, f64) -> u64) {
        loop {
            let mut improved = false;
            for direction in [1.0, -1.0] {
                let mut size = direction;
                loop {
                    let value = self.evaluator.witness().get(slot.variable);
                    if self.best == 0.0 || !self.attempt(slot, step(value, size)) {
                        break;
                    }
                    improved = true;
                    size *= 2.0;
                }
            }
            if !improved {
                return;
            }
        }
    }

    /// Keeps the value if it brings the objective down.
    fn attempt(&mut self, slot: Slot, value: u64) -> bool {
        let old = self.evaluator.witness().get(slot.variable);
        if value == old || self.steps == 0 || self.late {
            return false;
        }
        self.evaluator.set(slot.variable, value);
        let objective = self.objective(self.best);
        if objective < self.best {
            self.best = objective;
            return true;
        }
        self.evaluator.set(slot.variable, old);
        false
    }

    /// The sum of normalised distances; stops adding once it reaches `enough`.
    fn objective(&mut self, enough: f64) -> f64 {
        self.late = !self.until.go_on();
        let mut sum = 0.0;
        for index in 0..self.conditions.len() {
            self.steps = self.steps.saturating_sub(1);
            let distance = self.distance(self.conditions[index], true, 8);
            sum += distance / (distance + 1.0);
            if sum >= enough {
                return sum;
            }
        }
        sum
    }

    /// How far a one-bit term is from the wanted value.
    fn distance(&mut self, term: TermId, wanted: bool, depth: u32) -> f64 {
        let value = self.evaluator.value(self.arena, term) == 1;
        if value == wanted {
            return 0.0;
        }
        if depth == 0 {
            return 1.0;
        }
        match self.arena.node(term) {
            Node::Unary(UnaryOp::Not, x) => self.distance(x, !wanted, depth - 1),
            Node::Binary(op @ (BinaryOp::And | BinaryOp::Or), x, y) => {
                let (a, b) = (self.distance(x, wanted, depth - 1), self.distance(y, wanted, depth - 1));
                if (op == BinaryOp::And) == wanted { a + b } else { a.min(b) }
            }
            Node::IfThenElse { condition, then, otherwise } => {
                let taken = self.evaluator.value(self.arena, condition) == 1;
                let here = self.distance(if taken { then } else { otherwise }, wanted, depth - 1);
                let there = self.distance(if taken { otherwise } else { then }, wanted, depth - 1);
                here.min(there + self.distance(condition, !taken, depth - 1))
            }
            Node::Binary(op, x, y) if op.is_comparison() => {
                let (a, b) = (self.evaluator.value(self.arena, x), self.evaluator.value(self.arena, y));
                compared(op, self.arena.width(x), a, b, wanted)
            }
            _ => 1.0,
        }
    }

    fn random_value(&mut self, slot: Slot) -> u64 {
        let random = self.random.bits();
        if slot.float && !random.is_multiple_of(4) {
            // Numbers of ordinary magnitude, because random bits are almost always huge or tiny.
            let number = (self.random.bits() % 2_000_001) as f64 / 1000.0 - 1000.0;
            return if slot.width == 32 { (number as f32).to_bits() as u64 } else { number.to_bits() };
        }
        let kept = if random.is_multiple_of(3) { 8.min(slot.width) } else { slot.width };
        self.random.bits() & mask(kept)
    }
}

fn moved_float(width: u32, bits: u64, by: f64) -> u64 {
    if width == 32 {
        ((f32::from_bits(bits as u32) as f64 + by) as f32).to_bits() as u64
    } else {
        (f64::from_bits(bits) + by).to_bits()
    }
}

/// Branch distance of a comparison that does not have the wanted outcome.
///
/// Floats are measured by value, not by how many numbers are between them as in [`distance`]: they move by decimal
/// steps, and small differences in value survive normalisation where counts beyond 2^53 do not.
fn compared(op: BinaryOp, width: u32, a: u64, b: u64, wanted: bool) -> f64 {
    if !op.is_float() {
        return distance::to_outcome(op, width, a, b, wanted) as f64;
    }
    let number = |bits: u64| if width == 32 { f32::from_bits(bits as u32) as f64 } else { f64::from_bits(bits) };
    let gap = (number(a) - number(b)).abs();
    let gap = if gap.is_finite() { gap } else { FAR };
    match (op, wanted) {
        (BinaryOp::FEq, false) => 1.0,
        (BinaryOp::FEq, true) => gap.max(f64::MIN_POSITIVE),
        _ => gap + f64::MIN_POSITIVE,
    }
}
