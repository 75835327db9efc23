//! Short sequences of calls, one after the other: every function alone with each of a few sizes, then pairs, then more.

use std::sync::Arc;

use crate::draw::{Drawer, Values};
use crate::sequence::Step;
use crate::settings::AutoSuiteSettings;
use crate::shapes::Shape;
use crate::trials::Trials;
use pessimum_search::random::Random;

/// Which sequences were tried.
pub struct Skeletons {
    /// Functions alone: the next one, and the next of its sizes.
    alone: (usize, u32),
    /// The length of the sequences that are being tried, and those that are left, in reverse.
    level: usize,
    left: Vec<Vec<usize>>,
    most_level: usize,
    most: usize,
}

impl Skeletons {
    /// None of them.
    pub fn new(_: &Trials<'_>, settings: &AutoSuiteSettings) -> Skeletons {
        let (most_level, most) = (settings.skeleton_calls, settings.skeletons);
        Skeletons { alone: (0, 0), level: 1, left: Vec::new(), most_level, most }
    }

    /// The next function alone: all its sizes 0, then 1, 2, 4 and so on.
    pub fn first(&mut self, trials: &mut Trials<'_>) -> Option<Vec<Step>> {
        loop {
            let (at, round) = self.alone;
            let &function = trials.shapes.callable().get(at)?;
            let has_sizes = !trials.shapes.function(function).sizes.is_empty();
            let size = if round == 0 { 0 } else { 1 << (round - 1).min(31) };
            if round > 0 && (!has_sizes || size > trials.settings.most_size) {
                self.alone = (at + 1, 0);
                continue;
            }
            self.alone = (at, round + 1);
            let mut steps = built(trials, &[function]);
            let Some(last) = steps.last_mut() else { continue };
            if has_sizes {
                last.call.sizes.iter_mut().for_each(|old| *old = size);
                let Some(shape): Option<Arc<Shape>> = trials.shapes.of(function, &last.call.sizes) else { continue };
                last.values = shape.variables.iter().map(|variable| variable.nearest(0)).collect();
            }
            return Some(steps);
        }
    }

    /// The next sequence of several functions; none when all were tried.
    pub fn next(&mut self, trials: &mut Trials<'_>) -> Option<Vec<Step>> {
        loop {
            if let Some(functions) = self.left.pop() {
                let steps = built(trials, &functions);
                if !steps.is_empty() {
                    return Some(steps);
                }
                continue;
            }
            if self.level >= self.most_level {
                return None;
            }
            self.level += 1;
            self.left = tuples(trials.shapes.callable(), self.level, self.most, &mut trials.random);
        }
    }
}

/// All sequences of this many functions in reverse order, or as many drawn at random as are wanted at most.
fn tuples(functions: &[usize], length: usize, most: usize, random: &mut Random) -> Vec<Vec<usize>> {
    let count = functions.len();
    let all = (0..length).try_fold(1usize, |all, _| all.checked_mul(count)).filter(|&all| all <= most);
    let tuple = |mut number: usize| -> Vec<usize> {
        let digit = |_| {
            let function = functions[number % count];
            number /= count;
            function
        };
        (0..length).map(digit).collect()
    };
    match all {
        Some(all) => (0..all).rev().map(tuple).collect(),
        None if count == 0 => Vec::new(),
        None => (0..most).map(|_| (0..length).map(|_| functions[random.index(count)]).collect()).collect(),
    }
}

/// Calls of these functions, one after the other, mostly on the same handles.
fn built(trials: &mut Trials<'_>, functions: &[usize]) -> Vec<Step> {
    let drawer = Drawer {
        values: Values::Pooled(&trials.pool),
        most_size: trials.settings.most_size,
        most_calls: trials.settings.most_calls,
        reuse: 0.9,
    };
    let mut steps = Vec::new();
    for &function in functions {
        drawer.append(&mut trials.shapes, &mut trials.random, &mut steps, function, &[]);
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_sequences_are_all_tried_and_long_ones_drawn() {
        let mut random = Random::new(1);
        let mut pairs = tuples(&[3, 5, 8], 2, 9, &mut random);
        pairs.sort();
        pairs.dedup();
        assert_eq!(pairs.len(), 9);
        assert_eq!(tuples(&[3, 5, 8], 3, 9, &mut random).len(), 9);
        assert!(tuples(&[], 2, 9, &mut random).is_empty());
    }
}
