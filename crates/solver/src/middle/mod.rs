//! Meeting in the middle: inputs for equations between hashes.
//!
//! That two hashes of 32 bits are equal holds for one input in four billions, so chance does not find it, and circuits of
//! multiplications that wrap are hard for a SAT solver. But the variables of one key mostly stand on one side of the
//! equation only. With all others at their values in the witness, the operators of this side are undone from the
//! outside, which gives the value that an inner term must have for each choice of the outer variables
//! ([`chain`]); the values of the inner term are tabulated for choices of its own variables ([`side`]). A pair that
//! agrees is an input, and among 2^16 times 2^19 pairs some agree (Diffie and Hellman, "Exhaustive cryptanalysis of the
//! NBS data encryption standard", 1977).
//!
//! Nothing rests on the structure: every pair is evaluated against the query and the conditions of the path, and what is
//! not found may still exist, so that this layer never says "no".

mod chain;
mod side;

use pessimum_term::ops::mask;
use pessimum_term::random::Random;
use pessimum_term::{Arena, BinaryOp, Evaluator, Node, TermId, UnaryOp, VariableId};
use rustc_hash::FxHashMap;

use self::chain::{Builder, Chain, Lanes, Set, Terms};
use self::side::{Domain, Program, Side};
use crate::lanes::{self, LANES};
use crate::layers::{Layer, QueryLimits, Reply};
use crate::path::{Change, Path, Query};
use crate::{LayerName, Why};

/// Parts with more conditions are skipped: a table of 64 keys, each compared with every other, has 5,000.
const MOST_CONDITIONS: usize = 16_384;
/// Terms of an equation's side.
const MOST_TERMS: usize = 4096;
/// Equations with fewer bits are left to chance.
const LEAST_BITS: u32 = 4;
/// Conditions into which a conjunction is taken apart.
const MOST_CONJUNCTS: usize = 64;
/// Free variables.
const MOST_VARIABLES: usize = Set::BITS as usize;
/// Sides of equations that are tried for one query: those of the two keys that are compared.
const MOST_SIDES: usize = 2;
/// Inputs of the inner term that are tabulated, as a power of two. The table stays in the second cache.
const FRONT_BITS: u32 = 16;
/// Inputs up to which, or bits of an equation (with three to spare) up to which, whole inputs are tried: no table of halves
/// is needed then, and no operator has to be undone.
const TABLE_BITS: u32 = 17;
/// Tries with the outer variables, as a power of two: with 32 bits, eight of the pairs agree. The first of them is found
/// after an eighth of the tries, which then take as long as the table.
const BACK_BITS: u32 = 19;
/// The same for equations of few bits, where other conditions may refuse most of what is found.
const LEAST_BACK_BITS: u32 = 12;
/// Pairs that agree and are evaluated.
const MOST_CHECKS: u32 = 256;
/// Values of single variables that are evaluated before the tables are made.
const MOST_FILTERED: u32 = 50_000;
/// Terms that are evaluated to see whether an equation contradicts the other conditions.
const MOST_KNOWN: usize = 50_000;
/// Failures in a row after which the queries that are skipped are no longer doubled.
const MOST_FAILURES: u32 = 3;
/// Blocks of inputs between two looks at the clock.
const BLOCKS_PER_LOOK: u64 = 32;

/// The layer that meets in the middle.
pub struct Middle {
    /// Evaluates under the witness that is being tried.
    evaluator: Evaluator,
    random: Random,
    terms: Terms,
    index: Index,
    /// Attempts in a row that found nothing.
    failures: u32,
    /// Whether inputs were tried for this query.
    has_tried: bool,
    /// Queries to skip because of them: what does not work for a program must not cost it much.
    skip: u32,
}

impl Default for Middle {
    fn default() -> Middle {
        Middle {
            evaluator: Evaluator::default(),
            random: Random::new(0),
            terms: Terms::default(),
            index: Index::default(),
            failures: 0,
            has_tried: false,
            skip: 0,
        }
    }
}

/// A side of an equation and what it must be equal to.
#[derive(Clone, Debug)]
struct Equation {
    side: TermId,
    other: TermId,
    /// The variables of `side` that `other` does not have, in ascending order.
    free: Vec<u32>,
    /// One input in two to the power of this satisfies it, roughly.
    bits: u32,
}

impl Layer for Middle {
    fn name(&self) -> LayerName {
        LayerName::Middle
    }

    fn ask(&mut self, arena: &Arena, path: &mut Path, query: &mut Query, limits: &QueryLimits) -> Reply {
        if query.sizes.conditions as usize > MOST_CONDITIONS {
            return Reply::Pass;
        }
        let equations = equations(arena, path, query);
        if equations.is_empty() {
            return Reply::Pass;
        }
        if self.skip > 0 {
            self.skip -= 1;
            return Reply::Pass;
        }
        self.has_tried = false;
        for equation in equations {
            if !limits.until.go_on() {
                return Reply::GaveUp(Why::Deadline);
            }
            if let Some(changes) = self.attempt(arena, path, query, equation, limits) {
                self.failures = 0;
                return Reply::Sat(changes);
            }
        }
        if !self.has_tried {
            return Reply::Pass;
        }
        self.failures = (self.failures + 1).min(MOST_FAILURES);
        self.skip = (1 << self.failures) - 1;
        Reply::GaveUp(Why::Steps)
    }
}

/// The equations among the query and the conditions of its part that a change of the query's variables may break or mend,
/// those most likely to work first.
fn equations(arena: &Arena, path: &mut Path, query: &mut Query) -> Vec<Equation> {
    let positions = query.part(path).positions.clone();
    let mut found: Vec<Equation> = Vec::new();
    let conditions =
        [query.condition].into_iter().chain(positions.iter().rev().map(|&at| path.conditions[at as usize]));
    let mut sides: Vec<(TermId, TermId, u32)> = Vec::new();
    let mut most_bits: FxHashMap<TermId, u32> = FxHashMap::default();
    for condition in conditions.flat_map(|condition| conjuncts(arena, condition)) {
        let Node::Binary(BinaryOp::Eq, x, y) = arena.node(condition) else { continue };
        let bits = entropy(arena, x).min(entropy(arena, y));
        for (side, other) in [(x, y), (y, x)] {
            if bits < LEAST_BITS || !is_arithmetic(arena, side) {
                continue;
            }
            let known = most_bits.entry(side).or_insert(0);
            if *known < bits {
                *known = bits;
                sides.push((side, other, bits));
            }
        }
    }
    for (side, other, bits) in sides {
        let others = path.variables_of(arena, other).to_vec();
        let free = path.variables_of(arena, side).iter().filter(|variable| others.binary_search(variable).is_err());
        let free: Vec<u32> = free.map(|variable| variable.0).collect();
        if free.iter().any(|variable| query.variables.binary_search(variable).is_ok()) {
            found.push(Equation { side, other, free, bits });
        }
    }
    // Of two keys, the later one has been compared with fewer others.
    found.sort_by_key(|equation| std::cmp::Reverse((equation.bits, equation.free.last().copied())));
    found.truncate(MOST_SIDES);
    found
}

/// The conditions of which this one is the conjunction.
fn conjuncts(arena: &Arena, condition: TermId) -> Vec<TermId> {
    let (mut found, mut open) = (Vec::new(), vec![condition]);
    while let Some(condition) = open.pop() {
        match arena.node(condition) {
            // Shared parts of deep terms would be visited again and again.
            Node::Binary(BinaryOp::And, x, y) if arena.width(condition) == 1 && found.len() < MOST_CONJUNCTS => {
                open.extend([y, x]);
            }
            _ => found.push(condition),
        }
    }
    found
}

/// Bits of a term's value that may differ from input to input, judging by its outermost operator.
fn entropy(arena: &Arena, term: TermId) -> u32 {
    let width = arena.width(term);
    match arena.node(term) {
        Node::Unary(UnaryOp::ZeroExtend | UnaryOp::SignExtend, x) => arena.width(x),
        Node::Concat { high, low } if arena.as_constant(high).is_some() => arena.width(low),
        Node::Binary(op, _, y) => match (op, arena.as_constant(y)) {
            (BinaryOp::RemU, Some(divisor)) => 64 - divisor.leading_zeros(),
            (BinaryOp::And, Some(bits)) => bits.count_ones(),
            (BinaryOp::ShrU, Some(count)) => width - (count % u64::from(width)) as u32,
            _ => width,
        },
        _ => width,
    }
}

/// Whether there is an operator to undo, other than those that put bits together.
fn is_arithmetic(arena: &Arena, term: TermId) -> bool {
    let mut term = term;
    loop {
        term = match arena.node(term) {
            Node::Unary(UnaryOp::ZeroExtend | UnaryOp::SignExtend, x) | Node::Extract { of: x, .. } => x,
            Node::Unary(..) | Node::Binary(..) => return true,
            _ => return false,
        };
    }
}

impl Middle {
    /// Looks for values of the free variables with which the query and all conditions hold.
    fn attempt(
        &mut self,
        arena: &Arena,
        path: &mut Path,
        query: &mut Query,
        mut equation: Equation,
        limits: &QueryLimits,
    ) -> Option<Vec<Change>> {
        // The operators on the last characters of a key are the outermost ones.
        let superfluous = equation.free.len().saturating_sub(MOST_VARIABLES);
        equation.free.drain(..superfluous);
        self.evaluator.clone_witness_from(path.evaluator.witness());
        let touched = touched(arena, path, query, &equation.free);
        let domains = self.domains(arena, path, query, &equation.free, &touched)?;
        let mut free: Vec<(u32, Domain)> = Vec::new();
        for (&variable, domain) in equation.free.iter().zip(domains) {
            match domain {
                Domain::List(values) if values.len() == 1 => self.evaluator.set(VariableId(variable), values[0]),
                domain => free.push((variable, domain)),
            }
        }
        let conditions: Vec<TermId> = touched.iter().map(|touched| touched.condition).collect();
        let mut checks = Checks { arena, query: query.condition, conditions: &conditions, left: MOST_CHECKS };
        let found = if free.is_empty() {
            checks.hold(&mut self.evaluator)
        } else {
            self.meet(arena, &equation, &free, &mut checks, limits)
        };
        found.then(|| {
            let (old, new) = (path.evaluator.witness(), self.evaluator.witness());
            let changed = equation.free.iter().map(|&variable| (variable, new.get(VariableId(variable))));
            changed.filter(|&(variable, value)| old.get(VariableId(variable)) != value).collect()
        })
    }

    /// The values that each of these variables may have while the others keep theirs; none if a variable has no value.
    fn domains(
        &mut self,
        arena: &Arena,
        path: &mut Path,
        query: &Query,
        free: &[u32],
        touched: &[Touched],
    ) -> Option<Vec<Domain>> {
        let mut left = MOST_FILTERED;
        let mut domains: Vec<Domain> = free.iter().map(|&variable| bounded(path, variable)).collect();
        let own = conjuncts(arena, query.condition).into_iter().map(|condition| {
            let variables: Vec<u32> = path.variables_of(arena, condition).iter().map(|variable| variable.0).collect();
            Touched { condition, only: only_of(free, &variables), is_in_bounds: false }
        });
        let own: Vec<Touched> = own.collect();
        for touched in own.iter().chain(touched.iter().rev()) {
            let Some(place) = touched.only.filter(|_| !touched.is_in_bounds) else { continue };
            let Domain::List(values) = &mut domains[place] else { continue };
            // One value less is not worth the evaluations; what is found is checked anyway.
            let is_unequal = matches!(arena.node(touched.condition), Node::Unary(UnaryOp::Not, inner)
                if matches!(arena.node(inner), Node::Binary(BinaryOp::Eq, ..)));
            if is_unequal || left < values.len() as u32 {
                continue;
            }
            left -= values.len() as u32;
            let variable = VariableId(free[place]);
            let old = self.evaluator.witness().get(variable);
            values.retain(|&value| {
                self.evaluator.set(variable, value);
                self.evaluator.value(arena, touched.condition) == 1
            });
            self.evaluator.set(variable, old);
            if values.is_empty() {
                return None;
            }
        }
        Some(domains)
    }

    /// Whether a pair was found; the evaluator has it as its witness then.
    fn meet(
        &mut self,
        arena: &Arena,
        equation: &Equation,
        free: &[(u32, Domain)],
        checks: &mut Checks,
        limits: &QueryLimits,
    ) -> bool {
        let place = |variable: u32| free.iter().position(|&(number, _)| number == variable);
        if !self.terms.prepare(arena, equation.side, MOST_TERMS, place) {
            return false;
        }
        let value = self.evaluator.value(arena, equation.other);
        if self.contradicts(arena, equation.side, value, free, checks) {
            return false;
        }
        let inputs = |set: Set| {
            let of = |place: usize| if set >> place & 1 == 1 { free[place].1.more().saturating_add(1) } else { 1 };
            (0..free.len()).map(of).fold(1, u64::saturating_mul)
        };
        let all = inputs(self.terms.set(equation.side));
        let is_easy = all <= 1 << TABLE_BITS || equation.bits + 3 <= TABLE_BITS;
        let is_enough = |set: Set| {
            let back = inputs(set);
            is_easy || back >= 1 << BACK_BITS || u128::from(back) * u128::from(back) >= u128::from(all)
        };
        let evaluator = &mut self.evaluator;
        let mut builder = Builder { arena, terms: &self.terms, value: |term| evaluator.value(arena, term) };
        let chain = builder.chain(equation.side, is_enough);
        let of =
            |set: Set| (0..free.len()).filter(|place| set >> place & 1 == 1).map(|place| free[place].clone()).collect();
        let in_front = chain.front.parts.iter().fold(0, |set, &(_, part)| set | self.terms.set(part));
        let table = if is_easy { TABLE_BITS } else { FRONT_BITS };
        let front = Side::new(of(in_front), 1 << table, self.random.bits());
        // Bits that are drawn have to agree as well.
        let bits = if chain.draws { equation.bits.max(chain.front.width) } else { equation.bits };
        let wanted = (bits + 3).saturating_sub(front.count.ilog2()).clamp(LEAST_BACK_BITS, BACK_BITS);
        let mut back = Side::new(of(chain.back), 1 << wanted, self.random.bits());
        if chain.draws && back.is_complete {
            back = Side { count: 1 << wanted, is_complete: false, ..back };
        }
        // A table alone, without the pairs, has to cover its part of the inputs.
        if back.count == 1 && !front.is_complete && front.count.ilog2() + 3 < equation.bits {
            return false;
        }
        self.has_tried = true;
        if chain.peeled.is_empty() && !chain.draws {
            return self.scan(arena, value, &chain, &front, checks, limits);
        }
        let program = Program::new(arena, chain.peeled.iter().copied(), &self.terms, &back, |term| {
            self.evaluator.value(arena, term)
        });
        self.index.clear(front.count as usize);
        let index = &mut self.index;
        if !is_leaf(arena, &chain)
            && !evaluate(arena, &mut self.evaluator, &self.terms, &chain, &front, limits, |_, _, sum| {
                index.push(sum);
                true
            })
        {
            return false;
        }
        self.pair(arena, (&chain, value), (&front, &back), program, checks, limits)
    }

    /// Tries whole inputs.
    fn scan(
        &mut self,
        arena: &Arena,
        value: u64,
        chain: &Chain,
        front: &Side,
        checks: &mut Checks,
        limits: &QueryLimits,
    ) -> bool {
        let mut lanes = Lanes { values: [0; LANES], alive: [false; LANES] };
        chain.undo(value, &mut lanes, &[], &mut self.random);
        let (wanted, is_possible) = (lanes.values[0], lanes.alive[0]);
        let mut found = false;
        is_possible
            && !evaluate(arena, &mut self.evaluator, &self.terms, chain, front, limits, |evaluator, number, sum| {
                if sum == wanted {
                    give(evaluator, front, number);
                    found = checks.hold(evaluator);
                }
                !found && checks.left > 0
            })
            && found
    }

    /// Whether a condition says "no" as soon as the side of the equation has this value, whatever the free variables are:
    /// another hash that this one is equal to, or the bucket that it is in.
    fn contradicts(
        &mut self,
        arena: &Arena,
        side: TermId,
        value: u64,
        free: &[(u32, Domain)],
        checks: &Checks,
    ) -> bool {
        // None for what depends on free variables otherwise than through the side.
        let mut known: FxHashMap<TermId, Option<u64>> = FxHashMap::from_iter([(side, Some(value))]);
        let mut open: Vec<TermId> = Vec::new();
        for &condition in checks.conditions.iter().chain([&checks.query]) {
            open.push(condition);
            while let Some(&term) = open.last() {
                let unknown = open.len();
                if !known.contains_key(&term) {
                    open.extend(arena.children(term).filter(|child| !known.contains_key(child)));
                }
                if open.len() > unknown {
                    continue;
                }
                open.pop();
                if known.len() > MOST_KNOWN {
                    return false;
                }
                if known.contains_key(&term) {
                    continue;
                }
                let value = match arena.node(term) {
                    Node::Variable(variable) if free.iter().any(|&(number, _)| number == variable.0) => None,
                    Node::Variable(_) | Node::Constant(_) => Some(self.evaluator.value(arena, term)),
                    _ => {
                        let mut operands = [[0u64]; 3];
                        let mut all_known = true;
                        for (operand, child) in operands.iter_mut().zip(arena.children(term)) {
                            match known[&child] {
                                Some(value) => *operand = [value],
                                None => all_known = false,
                            }
                        }
                        let mut result = [0];
                        all_known.then(|| {
                            let [x, y, z] = &operands;
                            lanes::apply(arena, term, [x, y, z], &mut result);
                            result[0]
                        })
                    }
                };
                known.insert(term, value);
            }
            if known[&condition] == Some(0) {
                return true;
            }
        }
        false
    }

    /// Tries values of the outer variables until the inner term can have the value that it must have.
    fn pair(
        &mut self,
        arena: &Arena,
        (chain, value): (&Chain, u64),
        (front, back): (&Side, &Side),
        mut program: Program,
        checks: &mut Checks,
        limits: &QueryLimits,
    ) -> bool {
        let mut inputs = vec![[0; LANES]; back.variables.len()];
        let mut lanes = Lanes { values: [0; LANES], alive: [false; LANES] };
        let is_leaf = is_leaf(arena, chain);
        for block in 0..back.count.div_ceil(LANES as u64) {
            if block % BLOCKS_PER_LOOK == 0 && !limits.until.go_on() {
                return false;
            }
            let numbers = back.fill(block, &mut inputs);
            program.run(arena, &inputs);
            let peeled: Vec<&[u64; LANES]> = chain.peeled.iter().map(|&term| program.values(term)).collect();
            chain.undo(value, &mut lanes, &peeled, &mut self.random);
            for (lane, number) in numbers.enumerate().filter(|&(lane, _)| lanes.alive[lane]) {
                let wanted = lanes.values[lane];
                if is_leaf {
                    give(&mut self.evaluator, back, number);
                    self.evaluator.set(VariableId(front.variables[0].0), wanted);
                    if checks.hold(&mut self.evaluator) {
                        return true;
                    }
                } else {
                    let mut next = self.index.first(wanted);
                    while let Some(found) = next {
                        if self.index.values[found as usize] == wanted {
                            give(&mut self.evaluator, back, number);
                            give(&mut self.evaluator, front, u64::from(found));
                            if checks.hold(&mut self.evaluator) {
                                return true;
                            }
                        }
                        next = self.index.next(found);
                    }
                }
                if checks.left == 0 {
                    return false;
                }
            }
        }
        false
    }
}

/// Evaluates the inner term for the inputs of its side, and hands each over with its number until told to stop. Returns
/// whether that was the end.
fn evaluate(
    arena: &Arena,
    evaluator: &mut Evaluator,
    terms: &Terms,
    chain: &Chain,
    front: &Side,
    limits: &QueryLimits,
    mut take: impl FnMut(&mut Evaluator, u64, u64) -> bool,
) -> bool {
    let parts = &chain.front.parts;
    let roots = parts.iter().map(|&(_, part)| part);
    let mut program = Program::new(arena, roots, terms, front, |term| evaluator.value(arena, term));
    let mut inputs = vec![[0; LANES]; front.variables.len()];
    let mask = mask(chain.front.width);
    for block in 0..front.count.div_ceil(LANES as u64) {
        if block % BLOCKS_PER_LOOK == 0 && !limits.until.go_on() {
            return false;
        }
        let numbers = front.fill(block, &mut inputs);
        program.run(arena, &inputs);
        let mut sums = [0u64; LANES];
        for &(factor, part) in parts {
            for (sum, &value) in sums.iter_mut().zip(program.values(part)) {
                *sum = sum.wrapping_add(factor.wrapping_mul(value));
            }
        }
        for (number, sum) in numbers.zip(sums) {
            if !take(evaluator, number, sum & mask) {
                return false;
            }
        }
    }
    true
}

/// Sets the variables of a side to those of the input with this number.
fn give(evaluator: &mut Evaluator, side: &Side, number: u64) {
    side.input(number, |place, value| evaluator.set(VariableId(side.variables[place].0), value));
}

/// Whether all operators are undone, so that the value that is wanted is that of a variable. A small one is tabulated all
/// the same: its table knows which values it may have.
fn is_leaf(arena: &Arena, chain: &Chain) -> bool {
    matches!(chain.front.parts[..], [(1, part)] if arena.as_variable(part).is_some() && arena.width(part) > FRONT_BITS)
}

/// A condition of the path that mentions a free variable.
struct Touched {
    condition: TermId,
    /// The place of the free variable that it mentions, if there is only one.
    only: Option<usize>,
    /// Whether the bounds of the variable say all that it says.
    is_in_bounds: bool,
}

fn touched(arena: &Arena, path: &mut Path, query: &mut Query, free: &[u32]) -> Vec<Touched> {
    let positions = query.part(path).positions.clone();
    let mut touched = Vec::new();
    for position in positions {
        let condition = path.conditions[position as usize];
        let is_foreign = path.is_foreign(position);
        let variables: Vec<u32> = path.variables_of(arena, condition).iter().map(|variable| variable.0).collect();
        if variables.iter().any(|variable| free.binary_search(variable).is_ok()) {
            let is_in_bounds = variables.len() == 1 && !is_foreign;
            touched.push(Touched { condition, only: only_of(free, &variables), is_in_bounds });
        }
    }
    touched
}

/// The place of the free variable among these, if there is one only.
fn only_of(free: &[u32], variables: &[u32]) -> Option<usize> {
    let mut places = variables.iter().filter_map(|variable| free.binary_search(variable).ok());
    places.next().filter(|_| places.next().is_none())
}

/// The values within the bounds of a variable.
fn bounded(path: &Path, variable: u32) -> Domain {
    let width = path.parts.width(variable).max(1);
    let mask = mask(width);
    let (low, more) = match path.order.bounds(variable) {
        Some([(low, _), (high, _)]) => (low as u64 & mask, (high - low).clamp(0, i128::from(mask)) as u64),
        None => (0, mask),
    };
    if width <= 8 {
        return Domain::List((0..=more).map(|value| low.wrapping_add(value) & mask).collect());
    }
    Domain::Range { low, more, width }
}

/// Evaluates what was found.
struct Checks<'a> {
    arena: &'a Arena,
    query: TermId,
    conditions: &'a [TermId],
    /// How often that may still be done.
    left: u32,
}

impl Checks<'_> {
    fn hold(&mut self, evaluator: &mut Evaluator) -> bool {
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        let arena = self.arena;
        evaluator.value(arena, self.query) == 1
            // The latest first: what was decided last is most likely to change.
            && self.conditions.iter().rev().all(|&condition| evaluator.value(arena, condition) == 1)
    }
}

/// Numbers of inputs by the value they lead to.
#[derive(Default)]
struct Index {
    /// By hash: the number of the last input plus 1, or 0 for none.
    heads: Vec<u32>,
    /// By number: that of the one before with the same hash, plus 1.
    before: Vec<u32>,
    values: Vec<u64>,
}

impl Index {
    fn clear(&mut self, inputs: usize) {
        self.heads.clear();
        self.heads.resize((2 * inputs).next_power_of_two(), 0);
        self.before.clear();
        self.values.clear();
    }

    fn place(&self, value: u64) -> usize {
        // Fibonacci hashing: the upper bits of the product depend on all bits of the value.
        (value.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - self.heads.len().ilog2())) as usize
    }

    fn push(&mut self, value: u64) {
        let place = self.place(value);
        self.before.push(self.heads[place]);
        self.values.push(value);
        self.heads[place] = self.values.len() as u32;
    }

    fn first(&self, value: u64) -> Option<u32> {
        self.heads[self.place(value)].checked_sub(1)
    }

    fn next(&self, number: u32) -> Option<u32> {
        self.before[number as usize].checked_sub(1)
    }
}
