//! The small-domain layer alone, along paths that grow, are cut and start again while the arena forgets terms, compared
//! with trying every input that is left.

use crate::common::{COMPARISONS, Generator, INTEGER_OPS, Random, satisfies};
use pessimum_solver::{Answer, Assumed, Context, LayerName, Settings};
use pessimum_term::{Arena, BinaryOp, Evaluator, Mark, TermId, UnaryOp, VariableId, Witness};

/// Widths of variables of at most this many bits together.
fn widths(random: &mut Random, most_bits: u64) -> Vec<u32> {
    let mut bits = 1 + random.below(most_bits);
    let mut widths = Vec::new();
    while bits > 0 {
        let width = if random.chance(40) { bits } else { 1 + random.below(bits) };
        widths.push(width as u32);
        bits -= width;
    }
    widths
}

/// What to go back to at one length of the path.
struct Place {
    mark: Mark,
    /// How many of the terms there were.
    terms: usize,
    /// Inputs that satisfy the path.
    left: Vec<Witness>,
}

/// A path with an oracle: the inputs that satisfy it, found one by one.
struct Walk {
    seed: u64,
    generator: Generator,
    /// Number of conditions at the start of each path that few inputs violate, as in a long loop.
    lenient: usize,
    arena: Arena,
    context: Context,
    /// Terms of 16 bits that conditions and further terms are made of, oldest first.
    terms: Vec<TermId>,
    /// One per length of the path, from 0.
    places: Vec<Place>,
    evaluator: Evaluator,
    yes: u64,
    no: u64,
}

impl Walk {
    fn new(seed: u64, widths: impl FnOnce(&mut Random) -> Vec<u32>, lenient: usize) -> Walk {
        let mut random = Random::new(seed);
        let widths = widths(&mut random);
        let generator = Generator { random, widths, floats: seed.is_multiple_of(4), other_widths: vec![8, 16, 32] };
        let settings = Settings { layers: vec![LayerName::SmallDomain], ..Settings::default() };
        let mut walk = Walk {
            seed,
            generator,
            lenient,
            arena: Arena::new(),
            context: Context::new(settings),
            terms: Vec::new(),
            places: Vec::new(),
            evaluator: Evaluator::default(),
            yes: 0,
            no: 0,
        };
        walk.start();
        walk
    }

    /// Starts a path, at the conditions that few inputs violate.
    fn start(&mut self) {
        let widths = &self.generator.widths;
        let bits: u32 = widths.iter().sum();
        let left = (0..1u64 << bits).map(|mut input| {
            let values = widths.iter().map(|&width| {
                let value = input & ((1 << width) - 1);
                input >>= width;
                value
            });
            Witness::new(values.collect())
        });
        self.places = vec![Place { mark: self.arena.mark(), terms: self.terms.len(), left: left.collect() }];
        let value = self.generator.random.next() & 1;
        self.context.restart(Witness::new(vec![value; widths.len()]));
        for number in 0..self.lenient as u64 {
            let x = self.generator.term(&mut self.arena, 16, 0);
            let old = self.terms.last().copied().unwrap_or(x);
            let factor = self.arena.constant(16, 2 * number + 3);
            let product = self.arena.binary(BinaryOp::Mul, old, factor);
            self.terms.push(self.arena.binary(BinaryOp::Add, product, x));
            let value = self.generator.random.next();
            let value = self.arena.constant(16, value);
            let equal = self.arena.binary(BinaryOp::Eq, product, value);
            let differs = self.arena.not(equal);
            self.ask(differs, true);
        }
    }

    fn pick(&mut self) -> TermId {
        // Mostly the newest: a loop's state.
        let count = self.terms.len() as u64;
        let newest = count.saturating_sub(3);
        let from = if self.generator.random.chance(70) { newest } else { 0 };
        self.terms[(from + self.generator.random.below(count - from)) as usize]
    }

    /// A new term, on top of others where there are some.
    fn grow(&mut self) {
        let fresh = self.generator.term(&mut self.arena, 16, 2);
        let term = if self.terms.is_empty() || self.generator.random.chance(10) {
            fresh
        } else {
            let op = self.generator.random.pick(&INTEGER_OPS);
            let old = self.pick();
            match self.generator.random.below(4) {
                0 => {
                    let condition = self.generator.condition(&mut self.arena, 1);
                    self.arena.if_then_else(condition, old, fresh)
                }
                _ => self.arena.binary(op, old, fresh),
            }
        };
        self.terms.push(term);
    }

    fn condition(&mut self) -> TermId {
        let op = self.generator.random.pick(&COMPARISONS);
        let x = self.pick();
        let y =
            if self.generator.random.chance(50) { self.pick() } else { self.generator.term(&mut self.arena, 16, 0) };
        let condition = self.arena.binary(op, x, y);
        if self.generator.random.chance(50) { self.arena.not(condition) } else { condition }
    }

    fn holds(&mut self, witness: &Witness, condition: TermId) -> bool {
        self.evaluator.clone_witness_from(witness);
        self.evaluator.value(&self.arena, condition) == 1
    }

    /// Asks for a condition, and adds it to the path if it is possible and `add` says so.
    fn ask(&mut self, condition: TermId, add: bool) {
        let before = std::mem::take(&mut self.places.last_mut().unwrap().left);
        let left: Vec<Witness> = before.iter().filter(|input| self.holds(input, condition)).cloned().collect();
        self.places.last_mut().unwrap().left = before;
        let mut all = self.context.conditions().to_vec();
        all.push(condition);
        let seed = self.seed;
        match self.context.feasible(&mut self.arena, condition) {
            Answer::Sat(witness) => {
                assert!(satisfies(&self.arena, &witness, &all), "seed {seed}: the witness is wrong");
                self.yes += 1;
            }
            Answer::Unsat(core) => {
                assert!(left.is_empty(), "seed {seed}: {:?} satisfies all", left[0]);
                assert!(core.iter().all(|condition| all.contains(condition)), "seed {seed}: core not a subset");
                let found = crate::common::brute_force(&self.arena, &self.generator.widths, &core);
                assert!(found.is_none(), "seed {seed}: {found:?} satisfies the core");
                self.no += 1;
            }
            Answer::Unknown(why) => panic!("seed {seed}: gave up ({why:?})"),
        }
        if add && !left.is_empty() {
            assert!(matches!(self.context.assume(&mut self.arena, condition), Assumed::Held | Assumed::Moved));
            self.places.push(Place { mark: self.arena.mark(), terms: self.terms.len(), left });
        }
    }

    /// Cuts the path somewhere, and maybe makes the arena forget what was made since.
    fn cut(&mut self) {
        let length = self.generator.random.below(self.places.len() as u64) as usize;
        self.places.truncate(length + 1);
        self.context.truncate(length);
        if self.generator.random.chance(60) {
            let place = &self.places[length];
            self.terms.truncate(place.terms);
            self.arena.release(place.mark);
        }
    }

    /// Starts again: in the same arena, in one that keeps and renames some terms, or in another one.
    fn restart(&mut self) {
        match self.generator.random.below(3) {
            0 => {}
            1 => {
                let keep = self.generator.random.below(self.terms.len() as u64 + 1) as usize;
                self.terms.drain(..keep);
                self.arena.collect(&mut self.terms);
            }
            _ => {
                self.arena = Arena::new();
                self.terms.clear();
            }
        }
        self.start();
    }

    fn run(&mut self, steps: u64) {
        for _ in 0..steps {
            match self.generator.random.below(20) {
                0 => self.restart(),
                1 | 2 => self.cut(),
                3..=8 => self.grow(),
                _ if self.terms.is_empty() => self.grow(),
                action => {
                    let condition = self.condition();
                    self.ask(condition, action > 14);
                }
            }
        }
    }
}

/// Walks from these seeds; both answers must be frequent, or nothing would be compared.
fn walks(seeds: std::ops::Range<u64>, widths: impl Fn(&mut Random) -> Vec<u32>, lenient: usize, steps: u64) {
    let (mut yes, mut no) = (0, 0);
    let count = seeds.end - seeds.start;
    for seed in seeds {
        let mut walk = Walk::new(seed, &widths, lenient);
        walk.run(steps);
        yes += walk.yes;
        no += walk.no;
    }
    println!("{yes} yes, {no} no");
    assert!(yes > count * steps / 8 && no > count * steps / 16, "{yes} yes, {no} no");
}

#[test]
fn walks_over_few_bits_agree_with_trying_every_input() {
    walks(0..700, |random| widths(random, 9), 0, 80);
}

#[test]
fn walks_over_up_to_sixteen_bits_agree_with_trying_every_input() {
    walks(10_000..10_020, |random| widths(random, 16), 0, 60);
}

/// Past some number of conditions the layer no longer looks at each of them.
#[test]
fn walks_with_many_conditions_agree_with_trying_every_input() {
    walks(20_000..20_030, |random| vec![1 + random.below(8) as u32], 70, 80);
    walks(30_000..30_010, |random| widths(random, 10), 70, 80);
}

/// A loop whose state is a growing term over one variable, with a decision in each step: what it decides for each input
/// is known without a solver. With 16 bits the values of all its terms would not fit into the memory that is kept.
fn loop_agrees(bits: u32, steps: usize) {
    let mut arena = Arena::new();
    let settings = Settings { layers: vec![LayerName::SmallDomain], ..Settings::default() };
    let mut context = Context::new(settings);
    let input = arena.variable(VariableId(0), bits);
    let mut state = arena.unary(UnaryOp::ZeroExtend, 32, input);
    let (factor, step) = (arena.constant(32, 1_664_525), arena.constant(32, 1_013_904_223));
    let mut left: Vec<u32> = (0..1 << bits).collect();
    let mut states = left.clone();
    // Rare at first, so that the set stays large for a while.
    for number in 0..steps {
        let product = arena.binary(BinaryOp::Mul, state, factor);
        state = arena.binary(BinaryOp::Add, product, step);
        states.iter_mut().for_each(|state| *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
        let limit = if number < steps / 2 { 1 << 16 } else { 1 << 30 };
        let bound = arena.constant(32, limit as u64);
        let rare = arena.binary(BinaryOp::LtU, state, bound);
        let expected = states.iter().any(|&state| state < limit);
        assert_eq!(context.is_feasible(&mut arena, rare), Ok(expected), "step {number}, {} left", left.len());
        let taken = arena.not(rare);
        if states.iter().any(|&state| state >= limit) {
            assert!(!matches!(context.assume(&mut arena, taken), Assumed::Conflict(_)), "step {number}");
            let kept: Vec<bool> = states.iter().map(|&state| state >= limit).collect();
            let mut keep = kept.iter();
            left.retain(|_| *keep.next().unwrap());
            states.retain(|&state| state >= limit);
        }
        assert!(left.contains(&(context.witness().get(VariableId(0)) as u32)), "step {number}");
    }
}

#[test]
fn a_thousand_steps_over_one_byte_are_decided() {
    loop_agrees(8, 1_000);
}

#[test]
fn a_thousand_steps_over_two_bytes_are_decided() {
    loop_agrees(16, 1_000);
}
