//! Richer sets for long runs: more variables and values, gaps between the values, longer walks, and conditions beyond
//! sums: truth values that are added, choices, range checks, and comparisons joined by and, or and xor.

use super::{Condition, Conditions, Step, Writer, every, special};
use pessimum_search::random::Random;
use pessimum_term::ops::mask;
use pessimum_term::{Arena, BinaryOp, Evaluator, TermId, UnaryOp, VariableId, Witness};

/// Values of each variable, by the number of variables: a few hundred inputs in all.
const MOST_VALUES: [u64; 4] = [96, 20, 7, 4];
/// Inputs tried against a core that leaves out the range of a variable.
const TRIED_OUTSIDE: usize = 48;

/// What the conditions of a set are: a single foreign one keeps a layer from answering for its whole part.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    /// Comparisons of variables and constants, which the order layer reads.
    Order,
    /// Comparisons of sums that fit into their width, which the linear layer reads.
    Linear,
    /// Comparisons of variables and constants under and, or, xor and choices, and choices between numbers, which the
    /// layer of Boolean combinations reads.
    Boolean,
    Everything,
}

const COMPARISONS: [BinaryOp; 5] = [BinaryOp::Eq, BinaryOp::LtU, BinaryOp::LtS, BinaryOp::LeU, BinaryOp::LeS];

impl Conditions {
    /// The rich set for a seed.
    pub fn rich(seed: u64) -> Conditions {
        let mut random = Random::new(seed);
        let style = random.pick(&[Style::Order, Style::Linear, Style::Boolean, Style::Everything]);
        Conditions::styled(random, style)
    }

    /// The set for a seed whose conditions are Boolean combinations of comparisons and choices.
    pub fn boolean(seed: u64) -> Conditions {
        Conditions::styled(Random::new(seed), Style::Boolean)
    }

    fn styled(mut random: Random, style: Style) -> Conditions {
        let count = 1 + random.index(4);
        let palettes: [&[u32]; 6] = [&[32], &[64], &[32, 64], &[8, 16, 32, 64], &[32, 8], &[16, 16, 64]];
        let palette = random.pick(&palettes);
        let mut set = Conditions {
            rewritten: Arena::new(),
            plain: Arena::without_rewriting(),
            widths: (0..count).map(|_| random.pick(palette)).collect(),
            values: Vec::new(),
            inputs: Vec::new(),
            start: Witness::default(),
            ranges: Vec::new(),
            steps: Vec::new(),
            outside: Vec::new(),
            numbers: Vec::new(),
        };
        let most = MOST_VALUES[count - 1];
        for number in 0..count {
            match random.index(if style == Style::Everything { 4 } else { 12 }) {
                0 => set.limit_to_islands(&mut random, number, most),
                1 => set.limit_to_steps(&mut random, number, most),
                _ => set.limit(&mut random, number, most as usize),
            }
        }
        set.inputs = every(&set.values);
        set.start = set.inputs[random.index(set.inputs.len())].clone();
        for _ in 0..TRIED_OUTSIDE {
            let value = |(number, values): (usize, &Vec<u64>)| match random.index(3) {
                0 => values[random.index(values.len())],
                1 => special(&mut random, set.widths[number]),
                // Just beyond one of the allowed values.
                _ => values[random.index(values.len())].wrapping_add(random.below(5)).wrapping_sub(2),
            };
            let values = set.values.iter().enumerate().map(value).zip(&set.widths);
            set.outside.push(Witness::new(values.map(|(value, &width)| value & mask(width)).collect()));
        }
        for _ in 0..5 + random.index(14) {
            let keep = (random.index(4) == 0).then(|| random.below(256));
            let ask_first = random.coin();
            let condition = set.rich_condition(&mut random, style);
            let truth = set.truth(condition);
            set.steps.push(Step { keep, ask_first, condition, truth });
        }
        set
    }

    /// Allows two groups of neighbouring values, with a gap between them that only a disjunction can tell.
    fn limit_to_islands(&mut self, random: &mut Random, number: usize, most: u64) {
        let width = self.widths[number];
        let lengths = [1 + random.below(most / 2), 1 + random.below(most / 2)];
        let mut lows = [special(random, width), special(random, width)];
        let ends = |low: u64, length: u64| low.checked_add(length - 1).filter(|&end| end <= mask(width));
        // Where an island would wrap or touch the other, it moves to a place of its own.
        for (low, length) in lows.iter_mut().zip(lengths) {
            if ends(*low, length).is_none() {
                *low -= length;
            }
        }
        if lows[0].abs_diff(lows[1]) <= most {
            lows[1] = lows[0] ^ 1 << (width - 1);
            if ends(lows[1], lengths[1]).is_none() {
                lows[1] -= lengths[1];
            }
        }
        let bounded = random.coin();
        let conditions = self.both(|arena| {
            let variable = arena.variable(VariableId(number as u32), width);
            let islands = lows.iter().zip(lengths).map(|(&low, length)| {
                let [low, high] = [low, low + (length - 1)].map(|end| arena.constant(width, end));
                let above = arena.binary(BinaryOp::LeU, low, variable);
                let below = arena.binary(BinaryOp::LeU, variable, high);
                arena.binary(BinaryOp::And, above, below)
            });
            let islands: Vec<TermId> = islands.collect();
            let mut conditions = vec![arena.binary(BinaryOp::Or, islands[0], islands[1])];
            if bounded {
                let high = lows.iter().zip(lengths).map(|(&low, length)| low + (length - 1)).max();
                let low = arena.constant(width, lows[0].min(lows[1]));
                let high = arena.constant(width, high.unwrap_or(0));
                conditions.push(arena.binary(BinaryOp::LeU, low, variable));
                conditions.push(arena.binary(BinaryOp::LeU, variable, high));
            }
            conditions
        });
        self.ranges.extend(conditions.into_iter().map(|condition| (number, condition)));
        let island = |(&low, length): (&u64, u64)| (0..length).map(move |i| low + i);
        self.values.push(lows.iter().zip(lengths).flat_map(island).collect());
    }

    /// Allows every so manieth value from a lowest one on, wrapping around.
    fn limit_to_steps(&mut self, random: &mut Random, number: usize, most: u64) {
        let width = self.widths[number];
        let count = 2 + random.below(most - 1);
        let step = [2, 4, 8, 3, 5][random.index(5)].min(mask(width) / count).max(1);
        let low = special(random, width);
        let by_mask = step.is_power_of_two() && random.coin();
        let conditions = self.both(|arena| {
            let variable = arena.variable(VariableId(number as u32), width);
            let first = arena.constant(width, low);
            let offset = arena.binary(BinaryOp::Sub, variable, first);
            let last = arena.constant(width, (count - 1) * step);
            let near = arena.binary(BinaryOp::LeU, offset, last);
            let rest = if by_mask {
                let bits = arena.constant(width, step - 1);
                arena.binary(BinaryOp::And, offset, bits)
            } else {
                let step = arena.constant(width, step);
                arena.binary(BinaryOp::RemU, offset, step)
            };
            let zero = arena.constant(width, 0);
            vec![near, arena.binary(BinaryOp::Eq, rest, zero)]
        });
        self.ranges.extend(conditions.into_iter().map(|condition| (number, condition)));
        self.values.push((0..count).map(|i| low.wrapping_add(i * step) & mask(width)).collect());
    }

    fn rich_condition(&mut self, random: &mut Random, style: Style) -> Condition {
        // A search meets the same conditions and their negations again and again.
        if random.index(6) == 0 && !self.steps.is_empty() {
            let earlier = self.steps[random.index(self.steps.len())].condition;
            return match random.coin() {
                true => earlier,
                false => {
                    Condition { rewritten: self.rewritten.not(earlier.rewritten), plain: self.plain.not(earlier.plain) }
                }
            };
        }
        let recipe = random.split();
        let input = &self.inputs[random.index(self.inputs.len())];
        let tame = random.coin() || style != Style::Everything;
        let mut known = Vec::new();
        let numbers = |pick: fn(&Condition) -> TermId| self.numbers.iter().map(pick).collect::<Vec<TermId>>();
        let mut build = |arena: &mut Arena, mut numbers: Vec<TermId>| {
            let writer = Writer { random: recipe.clone(), widths: &self.widths, tame };
            let mut builder = Builder { writer, input, style, known: &mut known, next: 0, numbers: &mut numbers };
            (builder.condition(arena), numbers)
        };
        // Without rewriting first: its values are those that the constants are near to.
        let (plain, plain_numbers) = build(&mut self.plain, numbers(|number| number.plain));
        let (rewritten, rewritten_numbers) = build(&mut self.rewritten, numbers(|number| number.rewritten));
        let both = rewritten_numbers.into_iter().zip(plain_numbers);
        self.numbers = both.map(|(rewritten, plain)| Condition { rewritten, plain }).collect();
        Condition { rewritten, plain }
    }
}

/// Builds one condition, twice in the same way.
struct Builder<'b> {
    writer: Writer<'b>,
    input: &'b Witness,
    style: Style,
    /// Values of terms for the input, in the order in which they were asked for.
    known: &'b mut Vec<u64>,
    next: usize,
    /// Numbers that earlier conditions compared: paths fix them one by one and go on calculating with them.
    numbers: &'b mut Vec<TermId>,
}

impl Builder<'_> {
    /// A constant at or beside the value that a term has for the input: most other constants decide nothing.
    fn near(&mut self, arena: &mut Arena, term: TermId) -> TermId {
        let by = self.writer.random.pick(&[0, 0, 1, u64::MAX, 2]);
        if self.next == self.known.len() {
            self.known.push(Evaluator::new(self.input.clone()).value(arena, term));
        }
        let value = self.known[self.next];
        self.next += 1;
        arena.constant(arena.width(term), value.wrapping_add(by))
    }

    /// A variable, perhaps with a constant added.
    fn shifted(&mut self, arena: &mut Arena, width: u32) -> TermId {
        let variable = self.writer.leaf(arena, width);
        if self.writer.random.coin() {
            return variable;
        }
        let constant = self.writer.constant(arena, width);
        arena.binary(self.writer.random.pick(&[BinaryOp::Add, BinaryOp::Sub]), variable, constant)
    }

    fn width(&mut self) -> u32 {
        let widths: &[u32] = if self.writer.tame { &[64, 64, 32] } else { &[64, 64, 32, 32, 16, 8] };
        self.writer.random.pick(widths)
    }

    fn compare(&mut self, arena: &mut Arena, x: TermId, y: TermId) -> TermId {
        let op = self.writer.random.pick(&COMPARISONS);
        if self.writer.random.coin() { arena.binary(op, x, y) } else { arena.binary(op, y, x) }
    }

    fn comparison(&mut self, arena: &mut Arena) -> TermId {
        let width = self.width();
        let kind = match self.style {
            Style::Order | Style::Boolean => self.writer.random.index(3),
            Style::Linear => 1 + self.writer.random.index(5),
            Style::Everything => self.writer.random.index(6),
        };
        let (x, y) = match kind {
            0 | 1 => (self.shifted(arena, width), self.shifted(arena, width)),
            2 => {
                let x = self.shifted(arena, width);
                (x, self.near(arena, x))
            }
            3 | 4 => {
                let depth = 2 + self.writer.random.index(3) as u32;
                let x = self.writer.sum(arena, width, depth);
                (x, self.near(arena, x))
            }
            _ => (self.writer.sum(arena, width, 3), self.writer.sum(arena, width, 2)),
        };
        self.compare(arena, x, y)
    }

    /// Comparisons joined by logical operators.
    fn truth(&mut self, arena: &mut Arena, depth: u32) -> TermId {
        if depth == 0 {
            return self.comparison(arena);
        }
        let [x, y] = [0; 2].map(|_| {
            let depth = self.writer.random.index(depth as usize) as u32;
            self.truth(arena, depth)
        });
        match self.writer.random.index(9) {
            0..3 => arena.binary(BinaryOp::And, x, y),
            3..6 => arena.binary(BinaryOp::Or, x, y),
            6 => arena.binary(BinaryOp::Xor, x, y),
            7 => arena.not(x),
            _ => {
                let condition = self.comparison(arena);
                arena.if_then_else(condition, x, y)
            }
        }
    }

    /// A number that depends on truth values: a minimum, a select, a count.
    fn number(&mut self, arena: &mut Arena, width: u32, depth: u32) -> TermId {
        if depth == 0 {
            let kind = self.writer.random.index(3);
            return if kind == 0 { self.writer.constant(arena, width) } else { self.shifted(arena, width) };
        }
        match self.writer.random.index(8) {
            0..3 => {
                let condition = self.truth(arena, 1);
                let [then, otherwise] = [0; 2].map(|_| self.number(arena, width, depth - 1));
                arena.if_then_else(condition, then, otherwise)
            }
            3 => {
                let [x, y] = [0; 2].map(|_| self.number(arena, width, depth - 1));
                let op = self.writer.random.pick(&COMPARISONS[1..]);
                let condition = arena.binary(op, x, y);
                if self.writer.random.coin() {
                    arena.if_then_else(condition, x, y)
                } else {
                    arena.if_then_else(condition, y, x)
                }
            }
            4 | 5 => {
                let truth = self.truth(arena, 1);
                let bit = self.writer.extended(arena, truth, width);
                let number = match self.numbers.len() {
                    0 => self.number(arena, width, depth - 1),
                    count => {
                        let earlier = self.numbers[self.writer.random.index(count)];
                        self.writer.fit(arena, earlier, width)
                    }
                };
                arena.binary(self.writer.random.pick(&[BinaryOp::Add, BinaryOp::Sub]), number, bit)
            }
            // A count as an index: scaled, cut, added to an address.
            6 => {
                let [x, y] = [0; 2].map(|_| self.truth(arena, 1));
                let [x, y] = [x, y].map(|truth| arena.unary(UnaryOp::ZeroExtend, width, truth));
                let sum = arena.binary(BinaryOp::Add, x, y);
                let by = arena.constant(width, self.writer.random.below(3));
                let scaled = arena.binary(BinaryOp::Shl, sum, by);
                let base = self.writer.constant(arena, width);
                arena.binary(BinaryOp::Add, base, scaled)
            }
            _ => {
                let other = self.width();
                let number = self.number(arena, other, depth - 1);
                self.writer.fit(arena, number, width)
            }
        }
    }

    fn boolean(&mut self, arena: &mut Arena) -> TermId {
        if self.writer.random.index(5) < 2 {
            return self.truth(arena, 3);
        }
        let width = self.width();
        let depth = 1 + self.writer.random.index(3) as u32;
        let x = match self.numbers.len() {
            count if count > 0 && self.writer.random.index(4) == 0 => self.numbers[self.writer.random.index(count)],
            _ => {
                let number = self.number(arena, width, depth);
                self.numbers.push(number);
                number
            }
        };
        match self.writer.random.index(4) {
            0 => {
                let y = self.number(arena, arena.width(x), depth - 1);
                self.compare(arena, x, y)
            }
            1 => {
                let y = self.near(arena, x);
                self.compare(arena, x, y)
            }
            _ => {
                let y = self.near(arena, x);
                arena.binary(BinaryOp::Eq, x, y)
            }
        }
    }

    fn condition(&mut self, arena: &mut Arena) -> TermId {
        let kind = match self.style {
            Style::Everything => self.writer.random.index(15),
            Style::Boolean if self.writer.random.index(4) > 0 => 14,
            // Rarely, something that is not for this layer.
            _ if self.writer.random.index(12) == 0 => self.writer.random.index(6),
            _ => 6,
        };
        let condition = match kind {
            0 | 1 => {
                let op = self.writer.random.pick(&[BinaryOp::And, BinaryOp::Or, BinaryOp::Xor]);
                let (x, y) = (self.comparison(arena), self.comparison(arena));
                arena.binary(op, x, y)
            }
            // Truth values as numbers: `(a < b) + 2 * (c < d)`.
            2 => {
                let [x, y] = [0; 2].map(|_| self.comparison(arena));
                let [x, y] = [x, y].map(|truth| arena.unary(UnaryOp::ZeroExtend, 32, truth));
                let factor = arena.constant(32, 1 + self.writer.random.below(3));
                let y = arena.binary(BinaryOp::Mul, y, factor);
                let sum = arena.binary(BinaryOp::Add, x, y);
                let bound = self.near(arena, sum);
                self.compare(arena, sum, bound)
            }
            3 => {
                let width = self.width();
                let choice = self.comparison(arena);
                let (then, otherwise) = (self.shifted(arena, width), self.shifted(arena, width));
                let chosen = arena.if_then_else(choice, then, otherwise);
                let other =
                    if self.writer.random.coin() { self.near(arena, chosen) } else { self.shifted(arena, width) };
                self.compare(arena, chosen, other)
            }
            // The form to which checks of array indices are compiled.
            4 | 5 => {
                let width = self.width();
                let index = self.shifted(arena, width);
                let first = self.near(arena, index);
                let offset = arena.binary(BinaryOp::Sub, index, first);
                let length = arena.constant(width, 1 + self.writer.random.below(5));
                arena.binary(BinaryOp::LtU, offset, length)
            }
            14 => self.boolean(arena),
            _ => self.comparison(arena),
        };
        if self.writer.random.coin() { arena.not(condition) } else { condition }
    }
}
