//! Linear arithmetic against brute force and against bit-blasting.

use crate::common::{Random, brute_force, satisfies};
use pessimum_solver::{Assumed, Context, Counters, LayerName, Settings};
use pessimum_term::{Arena, BinaryOp, TermId, UnaryOp, VariableId};

/// Random sums of variables that conditions keep in narrow ranges.
struct Systems {
    random: Random,
    widths: Vec<u32>,
    /// Width of the sums.
    wide: u32,
    signed: bool,
    /// Largest factor of a variable.
    factor: u64,
    /// Size of the range of each variable.
    range: u64,
}

impl Systems {
    fn new(seed: u64, widths: Vec<u32>, wide: u32) -> Systems {
        let mut random = Random::new(seed);
        let signed = random.chance(60);
        let factor = random.pick(&[1, 1, 2, 5]);
        let range = 1 << (1 + random.below(widths[0] as u64));
        Systems { random, widths, wide, signed, factor, range }
    }

    fn variable(&mut self, arena: &mut Arena) -> TermId {
        let number = self.random.below(self.widths.len() as u64) as u32;
        let variable = arena.variable(VariableId(number), self.widths[number as usize]);
        let op = if self.signed { UnaryOp::SignExtend } else { UnaryOp::ZeroExtend };
        if self.widths[number as usize] < self.wide { arena.unary(op, self.wide, variable) } else { variable }
    }

    fn sum(&mut self, arena: &mut Arena) -> TermId {
        let constant = self.random.below(8).wrapping_sub(4);
        let mut sum = arena.constant(self.wide, if self.random.chance(50) { 0 } else { constant });
        for _ in 0..self.random.below(4) {
            let mut part = self.variable(arena);
            let factor = 1 + self.random.below(self.factor);
            if factor > 1 {
                let factor = arena.constant(self.wide, factor);
                part = arena.binary(BinaryOp::Mul, part, factor);
            }
            let op = self.random.pick(&[BinaryOp::Add, BinaryOp::Add, BinaryOp::Sub]);
            sum = arena.binary(op, sum, part);
        }
        sum
    }

    /// `low <= variable <= high` for each variable, occasionally with one of the two missing.
    fn bounds(&mut self, arena: &mut Arena) -> Vec<TermId> {
        let mut bounds = Vec::new();
        let op = if self.signed { BinaryOp::LeS } else { BinaryOp::LeU };
        for (number, &width) in self.widths.iter().enumerate() {
            let variable = arena.variable(VariableId(number as u32), width);
            let start = if self.signed { (self.range / 2).wrapping_neg() } else { 0 };
            let low = start.wrapping_add(self.random.below(3));
            let high = low.wrapping_add(self.range - 1);
            let ends = [arena.constant(width, low), arena.constant(width, high)];
            for (x, y) in [(ends[0], variable), (variable, ends[1])] {
                if self.random.chance(95) {
                    bounds.push(arena.binary(op, x, y));
                }
            }
        }
        bounds
    }

    fn condition(&mut self, arena: &mut Arena) -> TermId {
        let signed = if self.random.chance(90) { self.signed } else { !self.signed };
        let usual = if signed { [BinaryOp::LtS, BinaryOp::LeS] } else { [BinaryOp::LtU, BinaryOp::LeU] };
        let op = if self.random.chance(75) { self.random.pick(&usual) } else { BinaryOp::Eq };
        let (x, y) = (self.sum(arena), self.sum(arena));
        let condition = arena.binary(op, x, y);
        if self.random.chance(40) { arena.not(condition) } else { condition }
    }
}

/// Walks along random conditions with backtracking; compares every answer with trying all inputs.
fn compare(seeds: std::ops::Range<u64>, settings: &Settings) -> Counters {
    let mut total = Counters::default();
    for seed in seeds {
        let mut random = Random::new(seed);
        let count = 2 + random.below(2) as usize;
        let width = random.pick(&[3, 4, 5]).min(12 / count as u32);
        // Without extension, sums wrap where bounds do not forbid it.
        let wide = if random.chance(50) { width } else { random.pick(&[8, 32, 64]) };
        let mut systems = Systems::new(seed, vec![width; count], wide);
        let mut arena = Arena::new();
        let mut context = Context::new(settings.clone());
        let mut conditions: Vec<TermId> = Vec::new();
        for bound in systems.bounds(&mut arena) {
            if context.assume(&mut arena, bound) == Assumed::Held || context.conditions().len() > conditions.len() {
                conditions.push(bound);
            }
        }
        for _ in 0..14 {
            if systems.random.chance(20) {
                conditions.truncate(systems.random.below(conditions.len() as u64 + 1) as usize);
                context.truncate(conditions.len());
            }
            let condition = systems.condition(&mut arena);
            conditions.push(condition);
            let expected = brute_force(&arena, &systems.widths, &conditions);
            match context.assume(&mut arena, condition) {
                Assumed::Held | Assumed::Moved => {
                    assert!(expected.is_some(), "seed {seed}");
                    assert!(satisfies(&arena, context.witness(), &conditions), "seed {seed}: the witness is wrong");
                }
                Assumed::Conflict(core) => {
                    assert!(expected.is_none(), "seed {seed}: {expected:?} satisfies all");
                    assert!(core.iter().all(|part| conditions.contains(part)), "seed {seed}: core not a subset");
                    let found = brute_force(&arena, &systems.widths, &core);
                    assert!(found.is_none(), "seed {seed}: {found:?} satisfies the core");
                    conditions.pop();
                }
                Assumed::Unknown(_) => {
                    conditions.pop();
                }
            }
        }
        total.add(context.counters());
    }
    total
}

/// Without the layer that enumerates inputs, which would answer first.
fn settings(layers: &[LayerName]) -> Settings {
    Settings { layers: layers.to_vec(), ..Settings::default() }
}

#[test]
fn linear_agrees_with_brute_force() {
    let counters = compare(0..3_000, &settings(&[LayerName::Order, LayerName::Linear]));
    let linear = counters.layer(LayerName::Linear);
    println!("{linear:?}, unknown {}", counters.unknown);
    // Both answers were compared often enough to mean something.
    assert!(linear.sat > 950 && linear.unsat > 950, "{linear:?}");
}

#[test]
fn linear_alone_agrees_with_brute_force() {
    let counters = compare(100_000..101_500, &settings(&[LayerName::Linear]));
    let linear = counters.layer(LayerName::Linear);
    println!("{linear:?}, unknown {}", counters.unknown);
}

#[test]
fn linear_and_bit_blasting_agree_with_brute_force() {
    let layers = [LayerName::Order, LayerName::Linear, LayerName::Blast];
    let settings = Settings { validate: true, ..settings(&layers) };
    let counters = compare(200_000..201_500, &settings);
    assert_eq!(counters.unknown, 0);
}

/// Wide variables, as graph programs have them: too many inputs to try, so bit-blasting judges.
#[test]
fn linear_agrees_with_bit_blasting_on_wide_variables() {
    let mut linear = 0;
    for seed in 300_000..300_060 {
        let mut systems = Systems::new(seed, vec![32; 6], 32);
        systems.range = 20_001;
        let mut arena = Arena::new();
        let mut context = Context::new(Settings { validate: true, conflicts: 2_000, ..Settings::default() });
        for bound in systems.bounds(&mut arena) {
            context.assume(&mut arena, bound);
        }
        for _ in 0..8 {
            let condition = systems.condition(&mut arena);
            context.assume(&mut arena, condition);
        }
        let counters = context.counters().layer(LayerName::Linear);
        linear += counters.sat + counters.unsat;
    }
    assert!(linear > 60, "{linear}");
}
