//! Random values for the variables of the query, before the SAT solver is asked.
//!
//! Circuits of hashes and checksums are hard for a SAT solver and easy for chance: one key in `m` falls into a given
//! one of `m` buckets. The number of trials rises with success and falls with failure, so that a program whose
//! conditions are not of this kind pays little.

use pessimum_term::ops::mask;
use pessimum_term::random::Random;
use pessimum_term::{Arena, Evaluator, VariableId};

use crate::LayerName;
use crate::layers::{Layer, QueryLimits, Reply};
use crate::path::{Change, Path, Query};

const LEAST_TRIALS: u32 = 64;
const MOST_TRIALS: u32 = 8192;
/// Parts with more conditions are skipped: finding out which mention which variables would cost more than a SAT call.
const MOST_CONDITIONS: usize = 4096;

/// The layer of random values.
pub struct Sampling {
    evaluator: Evaluator,
    trials: u32,
    random: Random,
}

impl Default for Sampling {
    fn default() -> Sampling {
        Sampling { evaluator: Evaluator::default(), trials: 2048, random: Random::new(0) }
    }
}

/// A variable to change and the values that its bounds allow.
struct Slot {
    variable: VariableId,
    width: u32,
    bounds: Option<(i128, i128)>,
}

impl Layer for Sampling {
    fn name(&self) -> LayerName {
        LayerName::Sample
    }

    fn ask(&mut self, arena: &Arena, path: &mut Path, query: &mut Query, limits: &QueryLimits) -> Reply {
        let own = query.variables.clone();
        let condition = query.condition;
        let positions = query.part(path).positions.clone();
        if positions.len() > MOST_CONDITIONS || own.is_empty() {
            return Reply::Pass;
        }
        // Which conditions mention which of the query's variables.
        let mut degree = vec![0u32; own.len()];
        let mut mentions: Vec<(u32, Vec<u32>)> = Vec::new();
        for position in positions {
            let theirs = path.variables_of(arena, path.conditions[position as usize]);
            let shared = theirs.iter().filter_map(|variable| own.binary_search(&variable.0).ok());
            let shared: Vec<u32> = shared.map(|index| index as u32).collect();
            shared.iter().for_each(|&index| degree[index as usize] += 1);
            if !shared.is_empty() {
                mentions.push((position, shared));
            }
        }
        // Half of the trials move only the variables that the fewest conditions mention.
        let least = degree.iter().copied().min().unwrap_or(0);
        let every: Vec<u32> = (0..own.len() as u32).collect();
        let free: Vec<u32> = every.iter().copied().filter(|&index| degree[index as usize] == least).collect();
        let rounds = if free.len() == own.len() { vec![every] } else { vec![free, every] };
        let trials = self.trials / rounds.len() as u32;
        for chosen in rounds {
            let touched = mentions.iter().filter(|(_, shared)| shared.iter().any(|index| chosen.contains(index)));
            let conditions: Vec<_> = touched.map(|&(position, _)| path.conditions[position as usize]).collect();
            let slots: Vec<Slot> = chosen
                .iter()
                .map(|&index| {
                    let variable = own[index as usize];
                    let bounds = path.order.bounds(variable).map(|[(low, _), (high, _)]| (low, high));
                    Slot { variable: VariableId(variable), width: path.parts.width(variable), bounds }
                })
                .collect();
            self.evaluator.set_witness(path.evaluator.witness().clone());
            for trial in 0..trials {
                if trial.is_multiple_of(64) && !limits.until.go_on() {
                    return Reply::Pass;
                }
                let only = self.random.bits().is_multiple_of(2).then(|| self.random.bits() as usize % slots.len());
                for (index, slot) in slots.iter().enumerate() {
                    if only.is_none_or(|only| only == index) {
                        let value = self.draw(slot);
                        self.evaluator.set(slot.variable, value);
                    }
                }
                let holds = self.evaluator.value(arena, condition) == 1
                    && conditions.iter().all(|&other| self.evaluator.value(arena, other) == 1);
                if holds {
                    self.trials = (self.trials * 2).min(MOST_TRIALS);
                    let (old, new) = (path.evaluator.witness(), self.evaluator.witness());
                    let change = |slot: &Slot| {
                        let value = new.get(slot.variable);
                        (old.get(slot.variable) != value).then_some((slot.variable.0, value))
                    };
                    let changes: Vec<Change> = slots.iter().filter_map(change).collect();
                    return Reply::Sat(changes);
                }
            }
        }
        self.trials = (self.trials / 2).max(LEAST_TRIALS);
        Reply::Pass
    }
}

impl Sampling {
    fn draw(&mut self, slot: &Slot) -> u64 {
        let random = self.random.bits();
        if let Some((low, high)) = slot.bounds {
            return (low + (random as i128).rem_euclid(high - low + 1)) as u64 & mask(slot.width);
        }
        match random >> 62 {
            0 => random & 0xff & mask(slot.width),
            1 => {
                let bit = random % slot.width as u64;
                self.evaluator.witness().get(slot.variable) & mask(slot.width) ^ 1 << bit
            }
            _ => random & mask(slot.width),
        }
    }
}
