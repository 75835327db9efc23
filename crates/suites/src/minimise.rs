//! From what was found to a small suite: few tests, and in each nothing that changes nothing.
//!
//! Tests are chosen by greedy set cover. Each chosen test is then made smaller as long as it covers the goals that it is in the
//! suite for and ends as it did: calls are removed, arrays shortened, values made simpler ([`pessimum_input::shrink`]). All of it is
//! repeated until nothing changes, so that doing it again would change nothing.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;
use std::time::Duration;

use pessimum_term::ops::signed;

use crate::archive::{Crash, Tried};
use crate::draw::resized;
use crate::sequence::{Step, test_of, variables_of, without};
use crate::trials::Trials;
use pessimum_input::shrink::{Keeper, Look, Part, simplify};
use pessimum_search::program::Variable;

/// Chooses tests that cover together what all of them cover: the one that adds most first, of equals the shorter one. Tests
/// that crash come last, for what nothing else covers. What a test adds never grows, so only the first one is counted again,
/// until one stays first.
pub fn choose(goals: usize, candidates: &[Arc<Tried>]) -> Vec<Arc<Tried>> {
    let mut covered = vec![false; goals];
    let mut chosen: Vec<Arc<Tried>> = Vec::new();
    for crashes in [false, true] {
        let fitting = |tried: &Tried| tried.is_usable() && tried.end.is_crash() == crashes;
        let rank = |(index, tried): (usize, &Arc<Tried>)| (tried.covered.len(), Reverse((tried.rank(), index)));
        let mut queue: BinaryHeap<_> =
            candidates.iter().enumerate().filter(|(_, tried)| fitting(tried)).map(rank).collect();
        while let Some((counted, order)) = queue.pop() {
            let tried = &candidates[order.0.1];
            let adds = tried.covered.iter().filter(|&&goal| !covered[goal as usize]).count();
            if adds > 0 && adds < counted {
                queue.push((adds, order));
            } else if adds > 0 {
                tried.covered.iter().for_each(|&goal| covered[goal as usize] = true);
                chosen.push(Arc::clone(tried));
            }
        }
    }
    prune(goals, &mut chosen);
    chosen
}

/// Drops tests of which the others cover everything, the last first.
fn prune(goals: usize, chosen: &mut Vec<Arc<Tried>>) {
    let mut counts = vec![0u32; goals];
    let each = |tests: &[Arc<Tried>], counts: &mut Vec<u32>| {
        tests.iter().flat_map(|tried| &tried.covered).for_each(|&goal| counts[goal as usize] += 1);
    };
    each(chosen, &mut counts);
    for index in (0..chosen.len()).rev() {
        if chosen[index].covered.iter().all(|&goal| counts[goal as usize] > 1) {
            let gone = chosen.remove(index);
            gone.covered.iter().for_each(|&goal| counts[goal as usize] -= 1);
        }
    }
}

/// The goals that each test is in the suite for: each goal belongs to the first test that covers it.
pub fn assigned(goals: usize, chosen: &[Arc<Tried>]) -> Vec<Vec<u32>> {
    let mut taken = vec![false; goals];
    let own = |tried: &Arc<Tried>| -> Vec<u32> {
        let new: Vec<u32> = tried.covered.iter().copied().filter(|&goal| !taken[goal as usize]).collect();
        new.iter().for_each(|&goal| taken[goal as usize] = true);
        new
    };
    chosen.iter().map(own).collect()
}

/// What a test must keep.
enum Keeps {
    /// These goals, and its end.
    Goals(Vec<u32>),
    /// Its crash.
    Crash(Crash),
}

/// Makes tests smaller.
pub struct Minimiser<'t, 'l> {
    trials: &'t mut Trials<'l>,
    /// Executions that are left.
    left: u64,
    /// Since the start of the search; none where time is not limited.
    until: Option<Duration>,
    /// Executions made.
    pub runs: u64,
}

impl<'t, 'l> Minimiser<'t, 'l> {
    /// Within the limits of the settings; where time is limited, a tenth of it at most.
    pub fn new(trials: &'t mut Trials<'l>) -> Minimiser<'t, 'l> {
        let until = trials.settings.budget.time.map(|time| trials.meter.elapsed() + time / 10);
        let left = trials.settings.minimise_runs;
        Minimiser { trials, left, until, runs: 0 }
    }

    fn is_spent(&self) -> bool {
        self.left == 0 || self.is_late()
    }

    fn is_late(&self) -> bool {
        let late = self.until.is_some_and(|until| self.trials.meter.elapsed() >= until);
        late || self.trials.settings.cancel.is_cancelled()
    }

    /// Makes a suite smaller that was chosen.
    pub fn suite(&mut self, mut chosen: Vec<Arc<Tried>>) -> Vec<Arc<Tried>> {
        let goals = self.trials.archive.table.len();
        while !self.is_spent() {
            let before: Vec<Vec<Step>> = chosen.iter().map(|tried| tried.steps.clone()).collect();
            for (index, own) in assigned(goals, &chosen).into_iter().enumerate() {
                let tried = Arc::clone(&chosen[index]);
                chosen[index] = self.minimal(tried, &Keeps::Goals(own));
            }
            prune(goals, &mut chosen);
            if chosen.iter().map(|tried| &tried.steps).eq(before.iter()) {
                break;
            }
        }
        chosen
    }

    /// Makes a test smaller that crashes.
    pub fn crash(&mut self, crash: &Crash, tried: Arc<Tried>) -> Arc<Tried> {
        self.minimal(tried, &Keeps::Crash(crash.clone()))
    }

    fn minimal(&mut self, mut tried: Arc<Tried>, keeps: &Keeps) -> Arc<Tried> {
        loop {
            let before = tried.steps.clone();
            tried = self.fewer_calls(tried, keeps);
            tried = self.smaller_arrays(tried, keeps);
            tried = self.simpler_values(tried, keeps);
            if tried.steps == before || self.is_spent() {
                return tried;
            }
        }
    }

    /// Runs a candidate; it is returned if it keeps what must be kept.
    fn attempt(&mut self, old: &Tried, steps: Vec<Step>, keeps: &Keeps) -> Option<Arc<Tried>> {
        if self.is_spent() || steps.is_empty() {
            return None;
        }
        self.left -= 1;
        self.runs += 1;
        let test = test_of(&steps);
        let library = self.trials.library();
        let ran = library.run_while(&test, &self.trials.settings.limits, &mut || !self.is_late()).ok()?;
        let tried = Tried::new(&self.trials.archive.table, steps, &ran);
        let kept = tried.end == old.end
            && match keeps {
                Keeps::Goals(goals) => goals.iter().all(|&goal| tried.covers(goal)),
                Keeps::Crash(crash) => {
                    tried.failed() == Some(crash.function)
                        && library.crash_place(&test, &self.trials.settings.limits) == crash.place
                }
            };
        kept.then(|| Arc::new(tried))
    }

    /// Removes calls, the last first: what comes after a crash was never made.
    fn fewer_calls(&mut self, mut tried: Arc<Tried>, keeps: &Keeps) -> Arc<Tried> {
        let made = tried.steps.len().min(tried.returned + 1);
        if made < tried.steps.len() {
            let steps = tried.steps[..made].to_vec();
            tried = self.attempt(&tried, steps, keeps).unwrap_or(tried);
        }
        // Blocks first: half of the calls, a quarter, and so on.
        let mut block = (tried.steps.len() / 2).max(1);
        loop {
            let mut end = tried.steps.len();
            while end > 0 {
                let from = end.saturating_sub(block);
                let mut steps = tried.steps.clone();
                for index in (from..end).rev() {
                    // Those that depend on a removed call are gone already, or refer to another.
                    if index < steps.len() {
                        steps = without(self.trials.library(), &steps, index);
                    }
                }
                if let Some(smaller) = self.attempt(&tried, steps, keeps) {
                    tried = smaller;
                }
                end = from.min(tried.steps.len());
            }
            if block == 1 {
                return tried;
            }
            block /= 2;
        }
    }

    /// Shortens arrays: to nothing, to half, by an element.
    fn smaller_arrays(&mut self, mut tried: Arc<Tried>, keeps: &Keeps) -> Arc<Tried> {
        for index in 0..tried.steps.len() {
            for at in 0..tried.steps[index].call.sizes.len() {
                loop {
                    let size = tried.steps[index].call.sizes[at];
                    let shorter = [0, size / 2, size.saturating_sub(1)].into_iter().filter(|&new| new < size);
                    let mut candidates: Vec<(u32, Option<usize>)> = shorter.map(|new| (new, None)).collect();
                    if size > 0 {
                        candidates.extend((0..size as usize).map(|gone| (size - 1, Some(gone))));
                    }
                    let smaller = candidates.into_iter().find_map(|(new, gone)| {
                        let steps = self.resized(&tried.steps, index, at, new, gone)?;
                        self.attempt(&tried, steps, keeps)
                    });
                    match smaller {
                        Some(smaller) => tried = smaller,
                        None => break,
                    }
                }
            }
        }
        tried
    }

    /// The steps with another size of one call. Arrays that become shorter lose their end or, if they become shorter by
    /// one, the element `gone`.
    fn resized(
        &mut self,
        steps: &[Step],
        index: usize,
        at: usize,
        size: u32,
        gone: Option<usize>,
    ) -> Option<Vec<Step>> {
        let step = &steps[index];
        let mut sizes = step.call.sizes.clone();
        sizes[at] = size;
        let old = self.trials.shapes.of(step.call.function, &step.call.sizes)?;
        let new = self.trials.shapes.of(step.call.function, &sizes)?;
        let mut values = step.values.clone();
        if let Some(gone) = gone {
            let mut later = new.slots.iter();
            for slot in &old.slots {
                let length = later.next().map_or(0, |slot| slot.variables.len());
                if slot.variables.len() == length + 1 && gone < slot.variables.len() {
                    values[slot.variables.start + gone..slot.variables.end].rotate_left(1);
                }
            }
        }
        let values = resized(&old, &values, &new);
        let mut steps = steps.to_vec();
        steps[index].call.sizes = sizes;
        steps[index].values = values;
        Some(steps)
    }

    fn simpler_values(&mut self, tried: Arc<Tried>, keeps: &Keeps) -> Arc<Tried> {
        let Some(variables) = variables_of(&mut self.trials.shapes, &tried.steps) else { return tried };
        if variables.is_empty() {
            return tried;
        }
        let parts = parts_of(&variables);
        let values = tried.steps.iter().flat_map(|step| step.values.iter().copied()).collect();
        let mut keeping = Keeping { minimiser: self, tried, keeps, parts: parts.clone() };
        simplify(values, parts, &mut keeping);
        keeping.tried
    }
}

/// Runs candidates with other values. The simplest that was accepted stays.
struct Keeping<'m, 't, 'l, 'k> {
    minimiser: &'m mut Minimiser<'t, 'l>,
    tried: Arc<Tried>,
    keeps: &'k Keeps,
    parts: Vec<Part>,
}

impl Keeper for Keeping<'_, '_, '_, '_> {
    fn keeps(&mut self, values: &[u64]) -> Option<Vec<Part>> {
        let mut steps = self.tried.steps.clone();
        let mut values = values.iter();
        for step in &mut steps {
            for (value, new) in step.values.iter_mut().zip(values.by_ref()) {
                *value = *new;
            }
        }
        self.tried = self.minimiser.attempt(&self.tried, steps, self.keeps)?;
        Some(self.parts.clone())
    }

    fn is_spent(&self) -> bool {
        self.minimiser.is_spent()
    }
}

/// How the variables are read, neighbours of one type together.
fn parts_of(variables: &[Variable]) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for (index, variable) in variables.iter().enumerate() {
        match parts.last_mut() {
            Some(part) if variables[part.first].is_like(variable) => part.count += 1,
            _ => parts.push(part_of(index, variable)),
        }
    }
    parts
}

fn part_of(first: usize, variable: &Variable) -> Part {
    let width = variable.width;
    let float = |bits: u64| if width == 32 { f64::from(f32::from_bits(bits as u32)) } else { f64::from_bits(bits) };
    let look = if variable.float {
        Look::Float { range: Some((float(variable.low), float(variable.high))) }
    } else {
        // A full range is not marked as signed; reading it so agrees with most programs.
        let is_full = variable.span() == pessimum_term::ops::mask(width);
        match (variable.signed, is_full) {
            (_, true) if width > 8 => {
                let half = 1i128 << (width - 1);
                Look::Integer { signed: true, low: -half, high: half - 1 }
            }
            (true, _) => {
                let number = |bits: u64| i128::from(signed(width, bits));
                Look::Integer { signed: true, low: number(variable.low), high: number(variable.high) }
            }
            _ => Look::Integer { signed: false, low: variable.low.into(), high: variable.high.into() },
        }
    };
    let pieces = variable.pieces.is_some().then(|| variable.pieces().into());
    Part { first, count: 1, width, look, pieces }
}
