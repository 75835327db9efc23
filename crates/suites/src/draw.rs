//! What is drawn at random: sizes, values, calls with everything that they need, whole tests.

use pessimum_term::VariableId;
use pessimum_term::ops::mask;

use crate::library::Call;
use crate::sequence::{Step, available};
use crate::shapes::{Shape, Shapes};
use pessimum_search::program::Variable;
use pessimum_search::random::Random;
use pessimum_search::strategy::shared::drawn;

/// Values worth trying: what the program was seen to compare its input with, and the texts in it.
#[derive(Clone, Debug, Default)]
pub struct Pool {
    /// Constants met in conditions.
    pub constants: Vec<u64>,
    /// Sequences of values that neighbours were compared with.
    pub tokens: Vec<Vec<u64>>,
    /// Texts of the program.
    pub texts: Vec<Vec<u64>>,
}

impl Pool {
    /// A token or a text, if there is one.
    fn word(&self, random: &mut Random) -> Option<&[u64]> {
        let count = self.tokens.len() + self.texts.len();
        let drawn = random.index(count.max(1));
        self.tokens.iter().chain(&self.texts).nth(drawn).map(Vec::as_slice)
    }

    /// Something to put into a text: a word or a value that the program compares with or, as often, both, since what is read word
    /// by word has something between them. None if there is none.
    pub fn phrase(&self, random: &mut Random) -> Option<Vec<u64>> {
        let mut phrase = Vec::new();
        let (first, second) = (random.coin(), random.coin());
        let constant = |random: &mut Random| self.constants.get(random.index(self.constants.len().max(1))).copied();
        if first || !second {
            phrase.extend(constant(random));
        }
        if second || !first {
            phrase.extend(self.word(random).unwrap_or_default());
        }
        (!phrase.is_empty()).then_some(phrase)
    }
}

/// Where values come from.
#[derive(Clone, Copy)]
pub enum Values<'p> {
    /// Small numbers of either sign, or any character, as EvoSuite draws them.
    Published,
    /// Simple numbers, numbers of the pool, any numbers.
    Pooled(&'p Pool),
}

/// Variables with no more values than this are as wide as what EvoSuite draws numbers from, or less.
const NARROW: u64 = 4096;

impl Values<'_> {
    /// One value.
    pub fn draw(self, random: &mut Random, variable: &Variable) -> u64 {
        let pool = match self {
            // Characters and bytes are drawn from all that they can be, numbers from a few thousand around 0.
            Values::Published if variable.span() < NARROW && !variable.float => return random.value(variable),
            Values::Published => return drawn(random, variable),
            Values::Pooled(pool) => pool,
        };
        match random.below(8) {
            0 => variable.nearest(0),
            1..=3 => variable.nearest(random.below(8)),
            4 if !pool.constants.is_empty() => variable.nearest(pool.constants[random.index(pool.constants.len())]),
            5 => variable.end(random),
            6 => drawn(random, variable),
            _ => random.value(variable),
        }
    }

    /// The values of a call.
    pub fn fill(self, random: &mut Random, shape: &Shape) -> Vec<u64> {
        let mut values: Vec<u64> = shape.variables.iter().map(|variable| self.draw(random, variable)).collect();
        let Values::Pooled(pool) = self else { return values };
        for slot in shape.slots.iter().filter(|slot| slot.is_array) {
            let row = slot.variables.clone();
            if random.below(3) == 0
                && let Some(word) = pool.word(random)
            {
                for (index, &value) in row.zip(word) {
                    values[index] = shape.variables[index].nearest(value);
                }
            }
        }
        values
    }
}

/// Draws calls and tests.
#[derive(Clone, Copy)]
pub struct Drawer<'p> {
    /// Where values come from.
    pub values: Values<'p>,
    /// The greatest size.
    pub most_size: u32,
    /// The most calls in a sequence.
    pub most_calls: usize,
    /// The probability that a handle that is there is used again.
    pub reuse: f64,
}

/// Calls that may be nested to make a handle before the shortest way is taken.
const DEPTH: u32 = 3;

/// Attempts to find sizes that a function permits.
const SIZES: u32 = 8;

impl Drawer<'_> {
    /// Sizes for a function and the shape that they give. Small ones are the most frequent: each bound is as often the
    /// largest as any other power of two.
    pub fn sizes(
        &self,
        shapes: &mut Shapes<'_>,
        random: &mut Random,
        function: usize,
    ) -> Option<(Vec<u32>, std::sync::Arc<Shape>)> {
        let count = shapes.function(function).sizes.len();
        for attempt in 0..SIZES {
            let mut size = || {
                if let Values::Pooled(pool) = self.values
                    && random.below(6) == 0
                    && let Some(word) = pool.word(random)
                {
                    return (word.len() as u32).min(self.most_size);
                }
                let bits = u64::from(self.most_size.max(1).ilog2()) + 2;
                let bound = (1u64 << random.below(bits)).min(u64::from(self.most_size));
                // Later attempts are for functions that permit only some sizes.
                if attempt + 1 < SIZES { random.below(bound + 1) as u32 } else { 1.min(self.most_size) }
            };
            let sizes: Vec<u32> = (0..count).map(|_| size()).collect();
            if let Some(shape) = shapes.of(function, &sizes) {
                return Some((sizes, shape));
            }
        }
        None
    }

    /// Appends a call of this function, and before it whatever it needs. `kept` are handles that must not be taken away,
    /// because later calls use them. Returns whether there is room for it; otherwise nothing is changed.
    pub fn append(
        &self,
        shapes: &mut Shapes<'_>,
        random: &mut Random,
        steps: &mut Vec<Step>,
        function: usize,
        kept: &[usize],
    ) -> bool {
        let before = steps.len();
        let done = self.append_nested(shapes, random, steps, function, kept, 0);
        if !done {
            steps.truncate(before);
        }
        done
    }

    fn append_nested(
        &self,
        shapes: &mut Shapes<'_>,
        random: &mut Random,
        steps: &mut Vec<Step>,
        function: usize,
        kept: &[usize],
        depth: u32,
    ) -> bool {
        if steps.len() >= self.most_calls || depth > 64 {
            return false;
        }
        let library = shapes.library();
        let same = library.permits_same_handle(function);
        let wanted: Vec<(usize, bool)> = shapes.function(function).handles().collect();
        let mut handles: Vec<usize> = Vec::with_capacity(wanted.len());
        for (position, &(ty, moved)) in wanted.iter().enumerate() {
            let mut fitting = available(library, steps, ty);
            fitting.retain(|handle| {
                let earlier = handles.iter().zip(&wanted).any(|(other, (_, gone))| other == handle && (moved || *gone));
                let twice = handles.contains(handle) && !same;
                !(earlier || twice || moved && kept.contains(handle))
            });
            if !fitting.is_empty() && random.chance(self.reuse) {
                handles.push(fitting[random.index(fitting.len())]);
                continue;
            }
            let producers = shapes.producers(ty);
            // Handles that this call has already chosen must stay.
            let kept: Vec<usize> = kept.iter().chain(&handles).copied().collect();
            let producer = match depth < DEPTH {
                true if !producers.is_empty() => producers[random.index(producers.len())],
                false if !producers.is_empty() => producers[0],
                _ => return false,
            };
            debug_assert!(position < wanted.len());
            if self.append_nested(shapes, random, steps, producer, &kept, depth + 1) {
                handles.push(steps.len() - 1);
            } else if let Some(&handle) = fitting.last() {
                handles.push(handle);
            } else {
                return false;
            }
        }
        if steps.len() >= self.most_calls {
            return false;
        }
        let Some((sizes, shape)) = self.sizes(shapes, random, function) else { return false };
        let values = self.values.fill(random, &shape);
        steps.push(Step { call: Call { function, sizes, handles }, values });
        true
    }

    /// A test of up to this many calls, beside those that make handles.
    pub fn test(&self, shapes: &mut Shapes<'_>, random: &mut Random, calls: usize) -> Vec<Step> {
        let mut steps = Vec::new();
        for _ in 0..calls {
            let callable = shapes.callable();
            if callable.is_empty() {
                break;
            }
            let function = callable[random.index(callable.len())];
            self.append(shapes, random, &mut steps, function, &[]);
        }
        steps
    }
}

/// The values of a call with other sizes, as far as there are any: each slot keeps its first values, and what is new is the
/// value nearest to 0.
pub fn resized(old: &Shape, values: &[u64], new: &Shape) -> Vec<u64> {
    let mut kept: Vec<u64> = new.variables.iter().map(|variable| variable.nearest(0)).collect();
    for (from, to) in old.slots.iter().zip(&new.slots) {
        for (index, value) in to.variables.clone().zip(&values[from.variables.clone()]) {
            kept[index] = new.variables[index].nearest(*value);
        }
    }
    kept
}

/// A variable without a number, for comparing types.
pub fn numberless(variable: &Variable) -> Variable {
    Variable { id: VariableId(0), ..variable.clone() }
}

/// The value that is this far above or below, within the variable's range.
pub fn moved(variable: &Variable, value: u64, by: u64, up: bool) -> u64 {
    let moved = if up { value.wrapping_add(by) } else { value.wrapping_sub(by) };
    variable.nearest(moved & mask(variable.width))
}
