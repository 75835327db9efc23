//! One side of a meeting: some variables, the values they may have, and terms evaluated for many of these at once.

use pessimum_term::ops::mask;
use pessimum_term::{Arena, Node, TermId};
use rustc_hash::FxHashSet;
use std::ops::Range;

use super::chain::{Terms, scaled};
use crate::lanes::{self, LANES};

/// The values that a variable may have.
#[derive(Clone, Debug)]
pub enum Domain {
    List(Vec<u64>),
    /// From `low` on, modulo 2^width.
    Range {
        low: u64,
        /// One less than the number of values.
        more: u64,
        width: u32,
    },
}

impl Domain {
    /// One less than the number of values: 2^64 of them would not fit.
    pub fn more(&self) -> u64 {
        match self {
            Domain::List(values) => (values.len() as u64).saturating_sub(1),
            Domain::Range { more, .. } => *more,
        }
    }

    fn at(&self, number: u64) -> u64 {
        match self {
            Domain::List(values) => values[number as usize],
            Domain::Range { low, width, .. } => low.wrapping_add(number) & mask(*width),
        }
    }
}

/// Bits of a random number that are used before it is mixed again.
const FRESH_BITS: u32 = 32;

/// The inputs of one side, numbered. A number is all that is kept of an input.
#[derive(Debug, Default)]
pub struct Side {
    /// Number and values of each variable.
    pub variables: Vec<(u32, Domain)>,
    /// How many inputs are tried.
    pub count: u64,
    /// Whether these are all that there are, each once.
    pub is_complete: bool,
    pub seed: u64,
}

impl Side {
    /// At most this many inputs of these variables: all of them, if there are no more.
    pub fn new(variables: Vec<(u32, Domain)>, most: u64, seed: u64) -> Side {
        let all = variables.iter().map(|(_, domain)| domain.more().saturating_add(1)).fold(1, u64::saturating_mul);
        Side { variables, count: all.min(most), is_complete: all <= most, seed }
    }

    /// Fills a block of lanes with the inputs that belong there, and returns their numbers.
    pub fn fill(&self, block: u64, lanes: &mut [[u64; LANES]]) -> Range<u64> {
        let numbers = block * LANES as u64..self.count.min((block + 1) * LANES as u64);
        for (lane, number) in numbers.clone().enumerate() {
            self.input(number, |place, value| lanes[place][lane] = value);
        }
        numbers
    }

    /// Hands over the input with this number: the place of each variable, and its value.
    pub fn input(&self, number: u64, mut value: impl FnMut(usize, u64)) {
        if self.is_complete {
            let mut rest = number;
            for (place, (_, domain)) in self.variables.iter().enumerate() {
                let values = domain.more() + 1;
                value(place, domain.at(rest % values));
                rest /= values;
            }
            return;
        }
        let mut bits = mix(self.seed.wrapping_add(number));
        let mut used = 0;
        for (place, (_, domain)) in self.variables.iter().enumerate() {
            let more = domain.more();
            let size = 64 - more.leading_zeros();
            if used + size > FRESH_BITS {
                (bits, used) = (mix(bits), 0);
            }
            used += size;
            value(place, domain.at(scaled(bits, more)));
            // What is left of the fraction decides about the next variable.
            bits = bits.wrapping_mul(more.wrapping_add(1));
        }
    }
}

/// The finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
fn mix(seed: u64) -> u64 {
    let mut bits = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

enum Source {
    /// The same for all inputs.
    Fixed,
    /// The variable at this place of the side.
    Variable(usize),
    /// An operator on the values at these places.
    Operator([usize; 3]),
}

/// Evaluates terms for the inputs of a side, block by block.
#[derive(Default)]
pub struct Program {
    terms: Vec<TermId>,
    sources: Vec<Source>,
    blocks: Vec<[u64; LANES]>,
}

impl Program {
    /// Prepares for these terms. What does not depend on free variables has the value that `value` gives.
    pub fn new(
        arena: &Arena,
        roots: impl Iterator<Item = TermId>,
        terms: &Terms,
        side: &Side,
        mut value: impl FnMut(TermId) -> u64,
    ) -> Program {
        let mut open: Vec<TermId> = roots.collect();
        let mut seen: FxHashSet<TermId> = open.iter().copied().collect();
        let mut program = Program::default();
        while let Some(term) = open.pop() {
            program.terms.push(term);
            if terms.set(term) != 0 {
                open.extend(arena.children(term).filter(|&child| seen.insert(child)));
            }
        }
        program.terms.sort_unstable();
        program.terms.dedup();
        let place_of = |wanted: TermId| program.terms.binary_search(&wanted).unwrap_or(0);
        for &term in &program.terms {
            let mut block = [0; LANES];
            program.sources.push(match arena.node(term) {
                _ if terms.set(term) == 0 => {
                    block.fill(value(term));
                    Source::Fixed
                }
                Node::Variable(variable) => {
                    let place = side.variables.iter().position(|&(number, _)| number == variable.0);
                    Source::Variable(place.unwrap_or(0))
                }
                _ => {
                    let mut places = [0; 3];
                    places.iter_mut().zip(arena.children(term)).for_each(|(place, child)| *place = place_of(child));
                    Source::Operator(places)
                }
            });
            program.blocks.push(block);
        }
        program
    }

    /// Evaluates for a block of inputs, given as the values of each variable.
    pub fn run(&mut self, arena: &Arena, inputs: &[[u64; LANES]]) {
        for (place, (&term, source)) in self.terms.iter().zip(&self.sources).enumerate() {
            let (before, rest) = self.blocks.split_at_mut(place);
            match *source {
                Source::Fixed => {}
                Source::Variable(variable) => {
                    let mask = mask(arena.width(term));
                    rest[0].iter_mut().zip(&inputs[variable]).for_each(|(value, input)| *value = input & mask);
                }
                Source::Operator(places) => {
                    let operands = places.map(|place| before.get(place).map_or(&[][..], |block| &block[..]));
                    lanes::apply(arena, term, operands, &mut rest[0]);
                }
            }
        }
    }

    /// The values of one of the terms for the last block.
    pub fn values(&self, term: TermId) -> &[u64; LANES] {
        let place = self.terms.binary_search(&term).unwrap_or(0);
        &self.blocks[place]
    }
}
