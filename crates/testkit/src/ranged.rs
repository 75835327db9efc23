//! Random conditions on wide inputs with few allowed values, so that every input can be tried although no layer
//! of the solver may enumerate them.
//!
//! The conditions are mostly linear, and mix what a layer that works with integers must not mix up: one variable extended
//! with its sign in one place and with zeros in another, or cut to fewer bits, and sums that wrap. One set in eight has
//! float arithmetic too. Each condition is built twice: with rewriting for the solver, and without for the evaluation
//! that judges its answers.

mod floats;

mod rich;

use pessimum_search::random::Random;
use pessimum_solver::{Answer, Assumed, Context, Counters, LayerName, Settings};
use pessimum_term::ops::mask;
use pessimum_term::{Arena, BinaryOp, Evaluator, TermId, UnaryOp, VariableId, Witness};

/// The most inputs that a set may have: all of them are evaluated for each condition.
const MOST_INPUTS: usize = 160;
/// Inputs tried against a core that leaves out the range of a variable.
const TRIED_OUTSIDE: usize = 24;

/// A condition as the solver gets it and as it was meant.
#[derive(Clone, Copy)]
struct Condition {
    rewritten: TermId,
    plain: TermId,
}

/// One step of the walk: back to some shorter path, then one more condition.
struct Step {
    /// Share of the path to keep, in 1/256.
    keep: Option<u64>,
    /// Whether to ask first and to assume afterwards, as a search does.
    ask_first: bool,
    condition: Condition,
    /// By input.
    truth: Vec<bool>,
}

/// A set of conditions: ranges, which always hold, and a walk through further ones.
pub struct Conditions {
    rewritten: Arena,
    plain: Arena,
    widths: Vec<u32>,
    /// Allowed values of each variable.
    values: Vec<Vec<u64>>,
    /// Every input.
    inputs: Vec<Witness>,
    start: Witness,
    /// With the variable that each limits.
    ranges: Vec<(usize, Condition)>,
    steps: Vec<Step>,
    /// Inputs with values that the ranges do not allow.
    outside: Vec<Witness>,
    /// Numbers that conditions of rich sets have compared, for use in later ones.
    numbers: Vec<Condition>,
}

/// The layers to compare: each one that can answer alone, those for integers together, recent witnesses with a layer
/// that finds some, and all of them.
pub fn stacks() -> Vec<Vec<LayerName>> {
    use LayerName::*;
    let alone = [Order, SmallDomain, Linear, Boolean, Equality, Sample, Middle, Blast, LocalSearch, FloatCircuits];
    let together = [vec![Order, Linear], vec![Recent, Blast], LayerName::ALL.to_vec()];
    alone.into_iter().map(|layer| vec![layer]).chain(together).collect()
}

impl Conditions {
    /// The set for a seed.
    pub fn new(seed: u64) -> Conditions {
        let mut random = Random::new(seed);
        let tame = random.coin();
        let floats = seed % 8 == 5;
        let widths: &[u32] = match random.index(5) {
            0 => &[8, 8, 16],
            _ if tame => &[32],
            _ => &[32, 32, 64, 64, 16],
        };
        let count = 1 + random.index(3);
        let mut set = Conditions {
            rewritten: Arena::new(),
            plain: Arena::without_rewriting(),
            widths: (0..count).map(|_| widths[random.index(widths.len())]).collect(),
            values: Vec::new(),
            inputs: Vec::new(),
            start: Witness::default(),
            ranges: Vec::new(),
            steps: Vec::new(),
            outside: Vec::new(),
            numbers: Vec::new(),
        };
        let most = [9, 9, 5][count - 1];
        for number in 0..count {
            set.limit(&mut random, number, most);
        }
        set.inputs = every(&set.values);
        assert!(set.inputs.len() <= MOST_INPUTS, "{} inputs", set.inputs.len());
        set.start = set.inputs[random.index(set.inputs.len())].clone();
        for _ in 0..TRIED_OUTSIDE {
            let value = |(number, values): (usize, &Vec<u64>)| {
                if random.coin() {
                    values[random.index(values.len())]
                } else {
                    special(&mut random, set.widths[number])
                }
            };
            set.outside.push(Witness::new(set.values.iter().enumerate().map(value).collect()));
        }
        for _ in 0..3 + random.index(6) {
            let keep = (random.index(5) == 0).then(|| random.below(256));
            let ask_first = random.coin();
            let condition = set.condition(&mut random, tame, floats);
            let truth = set.truth(condition);
            set.steps.push(Step { keep, ask_first, condition, truth });
        }
        set
    }

    /// Allows a variable a few neighbouring values, mostly where a sign or a width ends.
    fn limit(&mut self, random: &mut Random, number: usize, most: usize) {
        let width = self.widths[number];
        let count = 2 + random.below(most as u64 - 1);
        let back = random.below(count + 1);
        let low = match random.index(6) {
            0 | 1 => 0u64.wrapping_sub(back),
            2 => (1u64 << (width - 1)).wrapping_sub(back),
            3 => (1u64 << random.below(width as u64)).wrapping_sub(back),
            4 => random.below(200),
            _ => random.bits(),
        };
        let values: Vec<u64> = (0..count).map(|step| low.wrapping_add(step) & mask(width)).collect();
        let sign = 1 << (width - 1);
        // In one reading or the other they follow each other without a gap.
        let rises = |flip: u64| values.windows(2).all(|pair| pair[0] ^ flip < pair[1] ^ flip);
        let as_signed = rises(sign) && (random.coin() || !rises(0));
        let ends = [values[0], values[count as usize - 1]];
        let form = random.index(8);
        let conditions = self.both(|arena| {
            let variable = arena.variable(VariableId(number as u32), width);
            let [first, last] = ends.map(|end| arena.constant(width, end));
            match form {
                // The form to which checks of array indices are compiled.
                0 => {
                    let offset = arena.binary(BinaryOp::Sub, variable, first);
                    let length = arena.constant(width, count);
                    vec![arena.binary(BinaryOp::LtU, offset, length)]
                }
                // One by one: nothing that a layer for integers can read.
                1 => {
                    let equal = values.iter().map(|&value| {
                        let value = arena.constant(width, value);
                        arena.binary(BinaryOp::Eq, variable, value)
                    });
                    let equal: Vec<TermId> = equal.collect();
                    vec![equal.into_iter().reduce(|one, other| arena.binary(BinaryOp::Or, one, other)).expect("values")]
                }
                _ => {
                    let op = if as_signed { BinaryOp::LeS } else { BinaryOp::LeU };
                    vec![arena.binary(op, first, variable), arena.binary(op, variable, last)]
                }
            }
        });
        self.ranges.extend(conditions.into_iter().map(|condition| (number, condition)));
        self.values.push(values);
    }

    fn both(&mut self, mut build: impl FnMut(&mut Arena) -> Vec<TermId>) -> Vec<Condition> {
        let (rewritten, plain) = (build(&mut self.rewritten), build(&mut self.plain));
        rewritten.into_iter().zip(plain).map(|(rewritten, plain)| Condition { rewritten, plain }).collect()
    }

    fn condition(&mut self, random: &mut Random, tame: bool, floats: bool) -> Condition {
        let recipe = random.split();
        // A number that the left side takes for some input, or its neighbour: most other constants decide nothing.
        let input = self.inputs[random.index(self.inputs.len())].clone();
        let by = random.below(3).wrapping_sub(1);
        let mut near = None;
        let widths = &self.widths;
        let mut build = |arena: &mut Arena| {
            let mut writer = Writer { random: recipe.clone(), widths, tame };
            let width = if tame { 64 } else { [64, 64, 32, 32, 16, 8][writer.random.index(6)] };
            let x = if floats { writer.rounded(arena, width, 2) } else { writer.sum(arena, width, 3) };
            let value = *near.get_or_insert_with(|| Evaluator::new(input.clone()).value(arena, x).wrapping_add(by));
            let y = if writer.random.coin() { arena.constant(width, value) } else { writer.sum(arena, width, 2) };
            let ops = [BinaryOp::Eq, BinaryOp::LtU, BinaryOp::LtS, BinaryOp::LeU, BinaryOp::LeS];
            let op = ops[writer.random.index(ops.len())];
            let (x, y) = if writer.random.coin() { (x, y) } else { (y, x) };
            let condition = arena.binary(op, x, y);
            if writer.random.coin() { arena.not(condition) } else { condition }
        };
        let plain = build(&mut self.plain);
        let rewritten = build(&mut self.rewritten);
        Condition { rewritten, plain }
    }

    fn truth(&self, condition: Condition) -> Vec<bool> {
        let mut evaluator = Evaluator::default();
        let holds = |input: &Witness| {
            evaluator.set_witness(input.clone());
            evaluator.value(&self.plain, condition.plain) == 1
        };
        self.inputs.iter().map(holds).collect()
    }

    /// Walks along the conditions with these settings; says what is wrong with the first wrong answer.
    pub fn compare(&mut self, settings: &Settings) -> Result<Counters, String> {
        let mut context = Context::new(settings.clone());
        context.restart(self.start.clone());
        for (_, range) in &self.ranges {
            if context.assume(&mut self.rewritten, range.rewritten) != Assumed::Held {
                return Err("the first input is outside of the ranges".into());
            }
        }
        let mut path: Vec<usize> = Vec::new();
        for number in 0..self.steps.len() {
            if let Some(keep) = self.steps[number].keep {
                path.truncate(path.len() * keep as usize / 256);
                context.truncate(self.ranges.len() + path.len());
            }
            path.push(number);
            let holds =
                self.answer(&mut context, &path).map_err(|wrong| format!("{wrong}: {}", self.described(&path)))?;
            if !holds {
                path.pop();
            }
        }
        Ok(context.counters().clone())
    }

    /// Asks about the last step of the path; returns whether it was added.
    fn answer(&mut self, context: &mut Context, path: &[usize]) -> Result<bool, String> {
        let step = &self.steps[path[path.len() - 1]];
        let condition = step.condition.rewritten;
        let satisfying = (0..self.inputs.len()).find(|&at| path.iter().all(|&step| self.steps[step].truth[at]));
        let satisfying = satisfying.map(|at| &self.inputs[at]);
        let refuted = |input: &Witness| Err(format!("refuted, but {:x?} satisfies", input.values()));
        if step.ask_first {
            match (context.feasible(&mut self.rewritten, condition), satisfying) {
                (Answer::Sat(witness), _) => self.check_witness(&witness, path)?,
                (Answer::Unsat(_), Some(input)) => return refuted(input),
                _ => {}
            }
        }
        match (context.assume(&mut self.rewritten, condition), satisfying) {
            (Assumed::Held | Assumed::Moved, _) => self.check_witness(context.witness(), path).map(|()| true),
            (Assumed::Conflict(_), Some(input)) => refuted(input),
            (Assumed::Conflict(core), None) => self.check_core(&core, path).map(|()| false),
            (Assumed::Unknown(_), _) => Ok(false),
        }
    }

    fn check_witness(&self, witness: &Witness, path: &[usize]) -> Result<(), String> {
        let mut evaluator = Evaluator::new(witness.clone());
        let ranges = self.ranges.iter().map(|(_, range)| range.plain);
        let steps = path.iter().map(|&step| self.steps[step].condition.plain);
        let violated = ranges.chain(steps).find(|&condition| evaluator.value(&self.plain, condition) != 1);
        violated.map_or(Ok(()), |it| Err(format!("{:x?} violates {}", witness.values(), self.plain.display(it))))
    }

    /// A core is part of the path and cannot be satisfied, not even by inputs that ranges outside of the core forbid.
    fn check_core(&self, core: &[TermId], path: &[usize]) -> Result<(), String> {
        let ranges = self.ranges.iter().map(|(_, range)| *range);
        let known: Vec<Condition> = ranges.chain(path.iter().map(|&step| self.steps[step].condition)).collect();
        let mut plain = Vec::new();
        for part in core {
            match known.iter().find(|condition| condition.rewritten == *part) {
                Some(condition) => plain.push(condition.plain),
                None => return Err("the core is not a part of the path".into()),
            }
        }
        let mut evaluator = Evaluator::default();
        for input in self.inputs.iter().chain(&self.outside) {
            evaluator.set_witness(input.clone());
            if plain.iter().all(|&condition| evaluator.value(&self.plain, condition) == 1) {
                return Err(format!("{:x?} satisfies the core", input.values()));
            }
        }
        Ok(())
    }

    fn described(&self, path: &[usize]) -> String {
        let show = |condition: &Condition| self.plain.display(condition.plain).to_string();
        let ranges = self.ranges.iter().map(|(_, range)| show(range));
        let steps = path.iter().map(|&step| show(&self.steps[step].condition));
        ranges.chain(steps).collect::<Vec<_>>().join(" and ")
    }
}

/// Compares the sets of these seeds with every stack; returns the counters of each, in the order of [`stacks`].
pub fn compare(seeds: std::ops::Range<u64>) -> Result<Vec<Counters>, String> {
    compare_sets(seeds, Conditions::new, &stacks())
}

/// Compares the sets that these seeds give with these stacks; returns the counters of each.
pub fn compare_sets(
    seeds: std::ops::Range<u64>,
    set: fn(u64) -> Conditions,
    stacks: &[Vec<LayerName>],
) -> Result<Vec<Counters>, String> {
    let mut totals = vec![Counters::default(); stacks.len()];
    for seed in seeds {
        let mut set = set(seed);
        for (layers, total) in stacks.iter().zip(&mut totals) {
            let settings = Settings { layers: layers.clone(), conflicts: 2_000, steps: 300, ..Settings::default() };
            let counters = set.compare(&settings).map_err(|wrong| format!("seed {seed}, {layers:?}: {wrong}"))?;
            total.add(&counters);
        }
    }
    Ok(totals)
}

/// Every combination of these values.
fn every(values: &[Vec<u64>]) -> Vec<Witness> {
    let count = values.iter().map(Vec::len).product();
    let input = |mut number: usize| {
        let value = |values: &Vec<u64>| {
            let value = values[number % values.len()];
            number /= values.len();
            value
        };
        Witness::new(values.iter().map(value).collect())
    };
    (0..count).map(input).collect()
}

/// A value at which some width or sign ends.
fn special(random: &mut Random, width: u32) -> u64 {
    let edge = 1u64 << random.below(width as u64);
    mask(width) & [0, edge, edge.wrapping_neg(), edge - 1, random.bits()][random.index(5)]
}

/// Writes mostly linear terms. Draws the same random numbers whatever rewriting makes of the terms.
struct Writer<'w> {
    random: Random,
    widths: &'w [u32],
    /// Only sums with small factors, of terms as wide as they may be: what integers can express.
    tame: bool,
}

impl Writer<'_> {
    fn sum(&mut self, arena: &mut Arena, width: u32, depth: u32) -> TermId {
        if depth == 0 {
            return self.leaf(arena, width);
        }
        match self.random.index(if self.tame { 9 } else { 16 }) {
            0..3 => {
                let (x, y) = (self.sum(arena, width, depth - 1), self.sum(arena, width, depth - 1));
                arena.binary(if self.random.coin() { BinaryOp::Add } else { BinaryOp::Sub }, x, y)
            }
            3 | 4 => {
                let x = self.sum(arena, width, depth - 1);
                let constant = self.constant(arena, width);
                arena.binary(if self.random.coin() { BinaryOp::Add } else { BinaryOp::Mul }, x, constant)
            }
            // One term extended in both ways.
            5 | 6 if width > 8 => {
                let narrow =
                    if self.tame { width / 2 } else { [8, 16, 32][self.random.index(width.ilog2() as usize - 3)] };
                let x = self.sum(arena, narrow, depth - 1);
                let (one, other) = (self.extended(arena, x, width), self.extended(arena, x, width));
                arena.binary(if self.random.coin() { BinaryOp::Add } else { BinaryOp::Sub }, one, other)
            }
            9 | 10 => {
                let other = [8, 16, 32, 64][self.random.index(4)];
                let x = self.sum(arena, other, depth - 1);
                self.fit(arena, x, width)
            }
            11 | 12 => {
                let x = self.sum(arena, width, depth - 1);
                let by = arena.constant(width, self.random.below(width as u64));
                let ops = [BinaryOp::Shl, BinaryOp::Shl, BinaryOp::ShrU, BinaryOp::ShrS];
                arena.binary(ops[self.random.index(4)], x, by)
            }
            13 => {
                let x = self.sum(arena, width, depth - 1);
                arena.unary(if self.random.coin() { UnaryOp::Neg } else { UnaryOp::Not }, width, x)
            }
            14 | 15 => {
                let x = self.sum(arena, width, depth - 1);
                let constant = self.constant(arena, width);
                let ops = [BinaryOp::And, BinaryOp::Or, BinaryOp::Xor];
                arena.binary(ops[self.random.index(3)], x, constant)
            }
            _ => self.leaf(arena, width),
        }
    }

    /// A variable, brought to this width, perhaps by way of another width.
    fn leaf(&mut self, arena: &mut Arena, width: u32) -> TermId {
        let number = self.random.index(self.widths.len());
        let mut term = arena.variable(VariableId(number as u32), self.widths[number]);
        if !self.tame && self.random.index(3) == 0 {
            let way = [8, 16, 32, 64][self.random.index(4)];
            term = self.fit(arena, term, way);
        }
        self.fit(arena, term, width)
    }

    fn fit(&mut self, arena: &mut Arena, term: TermId, width: u32) -> TermId {
        match arena.width(term) {
            own if own < width => self.extended(arena, term, width),
            own if own > width => arena.extract(term, 0, width),
            _ => term,
        }
    }

    fn extended(&mut self, arena: &mut Arena, term: TermId, width: u32) -> TermId {
        let op = if self.random.coin() { UnaryOp::SignExtend } else { UnaryOp::ZeroExtend };
        arena.unary(op, width, term)
    }

    fn constant(&mut self, arena: &mut Arena, width: u32) -> TermId {
        let value = match self.random.index(4) {
            0 if !self.tame => special(&mut self.random, width),
            _ => self.random.below(9).wrapping_sub(4),
        };
        arena.constant(width, value)
    }
}
