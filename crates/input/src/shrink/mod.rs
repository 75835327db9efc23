//! Makes an input simpler while preserving what it is kept for (its cost, and the way it ends).
//!
//! Delta debugging (Zeller and Hildebrandt, TSE 2002) over values instead of characters: whole inputs first, then runs
//! of values by halves, then single values by bisection. Every candidate is run before it is accepted, and is
//! accepted only if it is simpler by the order of [`Simplicity`]; that order has no infinite descent, so the work
//! ends. Nothing is random: after a round in which no candidate was accepted, another round would change nothing.

mod look;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::hash::{Hash as _, Hasher as _};

use pessimum_term::ops::mask;
use rustc_hash::{FxHashSet, FxHasher};

pub use look::{Look, Part, Simplicity, simplicity};
use look::{TEXT_ORDER, float, float_bits, integer, text_rank};

/// Runs candidates.
pub trait Keeper {
    /// If this input preserves what must be kept, the parts of it that the program read. A program that asks for its
    /// input while it runs may read other parts than before.
    fn keeps(&mut self, values: &[u64]) -> Option<Vec<Part>>;

    /// Whether the program asks for its input while it runs, so that what it reads depends on what it has read.
    fn asks(&self) -> bool {
        false
    }

    /// Whether the budget is spent.
    fn is_spent(&self) -> bool;
}

/// What became of an input.
#[derive(Clone, Debug)]
pub struct Shrunk {
    /// The simplest input found.
    pub values: Vec<u64>,
    /// What the program reads of it.
    pub parts: Vec<Part>,
    /// Whether nothing simpler was left to try; otherwise the budget was spent.
    pub finished: bool,
}

/// Makes the input simpler until nothing is left to try or the budget is spent.
pub fn simplify(values: Vec<u64>, parts: Vec<Part>, keeper: &mut dyn Keeper) -> Shrunk {
    let mut work = Work::new(values, parts, keeper);
    loop {
        let before = work.simplicity;
        work.everything_simplest();
        work.scalars();
        work.ranks();
        work.halved();
        work.parts_simplest();
        work.runs();
        work.equal_values();
        work.single_values();
        work.neighbours();
        if work.simplicity == before || work.stopped {
            let finished = !work.stopped;
            return Shrunk { values: work.values, parts: work.parts, finished };
        }
    }
}

/// The values of an input of a smaller size, without `size - smaller` elements starting at number `offset`. `counts`
/// are the numbers of variables that the parts have at the smaller size. A part with several variables for each
/// element loses all of them; one with `size * size` variables is a matrix and loses rows and columns. Values that
/// are then missing are the simplest allowed.
pub fn shortened(
    values: &[u64],
    parts: &[Part],
    counts: &[usize],
    (size, smaller, offset): (usize, usize, usize),
) -> Vec<u64> {
    let gone = size.saturating_sub(smaller);
    let is_gone = |element: usize| (offset..offset + gone).contains(&element);
    let mut shorter = Vec::new();
    for (part, &count) in parts.iter().zip(counts) {
        let old = &values[part.first..part.first + part.count];
        let kept: Vec<u64> = if part.count == size * size && count == smaller * smaller && size > 1 {
            let cells = old.iter().enumerate().filter(|(at, _)| !is_gone(at / size) && !is_gone(at % size));
            cells.map(|(_, bits)| *bits).collect()
        } else {
            let lost = part.count.saturating_sub(count);
            let from = (offset * lost).checked_div(gone).unwrap_or(0).min(count);
            old.iter().enumerate().filter(|(at, _)| !(from..from + lost).contains(at)).map(|(_, bits)| *bits).collect()
        };
        let start = shorter.len();
        shorter.extend(kept.into_iter().take(count));
        shorter.resize(start + count, part.simplest());
    }
    shorter
}

/// At most this many candidates that need not be run again are remembered, at 8 bytes each.
const REMEMBERED: usize = 1 << 22;

struct Work<'k> {
    values: Vec<u64>,
    parts: Vec<Part>,
    /// Of `values`.
    simplicity: Simplicity,
    keeper: &'k mut dyn Keeper,
    /// Hashes of candidates that were run and rejected. What must be kept never becomes less, so they stay rejected.
    lost: FxHashSet<u64>,
    /// Whether the numbers being tried may be counts of what else is read.
    counting: bool,
    stopped: bool,
}

impl<'k> Work<'k> {
    fn new(values: Vec<u64>, parts: Vec<Part>, keeper: &'k mut dyn Keeper) -> Work<'k> {
        let mut values = values;
        values.resize(extent(&parts), 0);
        let simplicity = simplicity(&values, &parts);
        Work { values, parts, simplicity, keeper, lost: FxHashSet::default(), counting: false, stopped: false }
    }

    /// Whether the budget is spent; once it is, it stays so.
    fn is_over(&mut self) -> bool {
        self.stopped = self.stopped || self.keeper.is_spent();
        self.stopped
    }

    /// Makes a candidate by changing a copy of the values, unless that says that there is none, and accepts it if it is
    /// simpler and preserves what must be kept. Nothing is copied once the budget is spent.
    fn attempt(&mut self, change: impl FnOnce(&mut [u64]) -> bool) -> bool {
        if self.is_over() {
            return false;
        }
        let mut candidate = self.values.clone();
        change(&mut candidate) && self.try_candidate(candidate)
    }

    /// Accepts the candidate if it is simpler and preserves what must be kept.
    fn try_candidate(&mut self, candidate: Vec<u64>) -> bool {
        // A candidate that is not simpler by itself may make the program ask for less.
        if self.is_over() || !self.counting && simplicity(&candidate, &self.parts) >= self.simplicity {
            return false;
        }
        let mut hasher = FxHasher::default();
        candidate.hash(&mut hasher);
        let hash = hasher.finish();
        if self.lost.contains(&hash) {
            return false;
        }
        if self.is_over() {
            return false;
        }
        if let Some(parts) = self.keeper.keeps(&candidate) {
            let mut values = candidate;
            values.resize(extent(&parts), 0);
            let simplicity = simplicity(&values, &parts);
            if simplicity < self.simplicity {
                (self.values, self.parts, self.simplicity) = (values, parts, simplicity);
                return true;
            }
        }
        if self.lost.len() < REMEMBERED {
            self.lost.insert(hash);
        }
        false
    }

    /// Tries to give all of these variables the same value. It is not tried if one of them does not allow it.
    fn try_value(&mut self, variables: &[usize], looks: &[Part], bits: u64) -> bool {
        if !variables.iter().all(|&at| part_of(looks, at).is_some_and(|part| part.allows(bits))) {
            return false;
        }
        self.attempt(|candidate| variables.iter().all(|&at| candidate.get_mut(at).map(|value| *value = bits).is_some()))
    }

    /// Tries the simplest allowed value for every variable.
    fn everything_simplest(&mut self) {
        let parts = self.parts.clone();
        self.attempt(|candidate| {
            parts.iter().for_each(|part| candidate[part.first..part.first + part.count].fill(part.simplest()));
            true
        });
    }

    /// The same for each part of several values.
    fn parts_simplest(&mut self) {
        for part in self.parts.clone() {
            if part.count > 1 && part.first + part.count <= self.values.len() {
                self.attempt(|candidate| {
                    candidate[part.first..part.first + part.count].fill(part.simplest());
                    true
                });
            }
        }
    }

    /// Replaces numbers by their ranks, which preserves their order: all parts of one type together, then each part.
    fn ranks(&mut self) {
        let parts = self.parts.clone();
        let lists = parts.iter().filter(|part| part.count > 1).map(|part| vec![part.clone()]);
        for group in families(&parts).into_iter().chain(lists) {
            if extent(&group) > self.values.len() || self.is_over() {
                continue;
            }
            for candidate in ranked(&self.values, &group) {
                if self.try_candidate(candidate) {
                    break;
                }
            }
        }
    }

    /// Divides all numbers of one type by powers of two, greatest first. This preserves proportions where ranks fail.
    fn halved(&mut self) {
        for group in families(&self.parts) {
            for shift in (1..64).rev() {
                if extent(&group) > self.values.len() {
                    break;
                }
                if self.attempt(|candidate| group.iter().all(|part| divide(candidate, part, shift))) {
                    break;
                }
            }
        }
    }

    /// Tries runs of values, from half the input down to two: all the simplest, or all equal to the value before.
    fn runs(&mut self) {
        let mut length = self.values.len() / 2;
        while length >= 2 {
            let mut start = 0;
            while start < self.values.len() && !self.is_over() {
                let end = (start + length).min(self.values.len());
                let simplest: Vec<u64> = (start..end).map(|at| self.simplest(at)).collect();
                if !self.try_run(start, &simplest) && start > 0 {
                    let before = self.values[start - 1];
                    if (start - 1..end).all(|at| {
                        let (one, other) = (part_of(&self.parts, at), part_of(&self.parts, start - 1));
                        one.zip(other).is_some_and(|(one, other)| one.is_like(&other) && one.allows(before))
                    }) {
                        self.try_run(start, &vec![before; end - start]);
                    }
                }
                start += length;
            }
            length /= 2;
        }
    }

    fn try_run(&mut self, start: usize, run: &[u64]) -> bool {
        self.attempt(|candidate| {
            candidate.get_mut(start..start + run.len()).map(|place| place.copy_from_slice(run)).is_some()
        })
    }

    /// The simplest allowed value of a variable; variables that belong to no part stay as they are.
    fn simplest(&self, at: usize) -> u64 {
        part_of(&self.parts, at).map_or(self.values[at], |part| part.simplest())
    }

    /// Tries variables of equal value and type together, the least simple value first.
    fn equal_values(&mut self) {
        if self.is_over() {
            return;
        }
        let mut groups: BTreeMap<(u8, u32, u64), Vec<usize>> = BTreeMap::new();
        for part in &self.parts {
            for at in part.first..part.first + part.count {
                groups.entry((part.look.number(), part.width, self.values[at])).or_default().push(at);
            }
        }
        let mut groups: Vec<(u64, Vec<usize>)> = groups.into_iter().map(|(key, at)| (key.2, at)).collect();
        groups.sort_by_key(|(bits, at)| Reverse(part_of(&self.parts, at[0]).map(|part| part.distance(*bits))));
        for (bits, variables) in groups {
            if self.is_over() {
                return;
            }
            // An earlier step may have changed some of them, or what the program reads at all.
            if variables.iter().all(|&at| self.values.get(at) == Some(&bits)) {
                self.nearer(&variables);
            }
        }
    }

    /// Tries numbers that stand alone, since they may be counts that decide how much else is read.
    fn scalars(&mut self) {
        if !self.keeper.asks() {
            return;
        }
        self.counting = true;
        let mut at = 0;
        while at < self.values.len() && !self.is_over() {
            if part_of(&self.parts, at).is_some_and(|part| part.count == 1) {
                self.nearer(&[at]);
            }
            at += 1;
        }
        self.counting = false;
    }

    fn single_values(&mut self) {
        let mut at = 0;
        while at < self.values.len() && !self.is_over() {
            self.nearer(&[at]);
            at += 1;
        }
    }

    /// Gives a byte its simplest value while the one beside it takes any value. Sums and hashes tie neighbours
    /// together, so that neither can be changed alone.
    fn neighbours(&mut self) {
        let mut at = 0;
        while at < self.values.len() && !self.is_over() {
            for beside in [Some(at + 1), at.checked_sub(1)].into_iter().flatten() {
                let (Some(part), Some(other)) = (part_of(&self.parts, at), part_of(&self.parts, beside)) else {
                    continue;
                };
                let is_byte = part.width == 8 && matches!(part.look, Look::Integer { .. });
                if !is_byte || !other.is_like(&part) || self.values.get(at) == Some(&part.simplest()) {
                    continue;
                }
                for bits in 0..256 {
                    if self.values.len() <= at.max(beside) || !other.allows(bits) {
                        break;
                    }
                    let both = |candidate: &mut [u64]| {
                        (candidate[at], candidate[beside]) = (part.simplest(), bits);
                        true
                    };
                    if self.attempt(both) {
                        break;
                    }
                }
            }
            at += 1;
        }
    }

    /// Brings variables that share a value closer to the simplest value.
    fn nearer(&mut self, variables: &[usize]) {
        let parts = self.parts.clone();
        let Some(part) = part_of(&parts, variables[0]) else { return };
        let bits = self.values[variables[0]];
        if bits == part.simplest() || self.try_value(variables, &parts, part.simplest()) {
            return;
        }
        // Neighbouring values, since reusing a value leaves fewer distinct ones.
        for neighbour in [variables[0].checked_sub(1), Some(variables[variables.len() - 1] + 1)].into_iter().flatten() {
            if !self.counting
                && part_of(&parts, neighbour).is_some_and(|other| other.is_like(&part))
                && let Some(&like) = self.values.get(neighbour)
                && self.try_value(variables, &parts, like)
            {
                break;
            }
        }
        let Some(&bits) = self.values.get(variables[0]) else { return };
        match part.look {
            Look::Text { .. } => {
                for byte in TEXT_ORDER.iter().take(usize::from(text_rank(bits as u8))) {
                    if self.try_value(variables, &parts, u64::from(*byte)) {
                        return;
                    }
                }
            }
            Look::Integer { signed, .. } => {
                let value = integer(part.width, signed, bits);
                let encode = |value: i128| value as u64 & mask(part.width);
                let mut kept = value;
                if value < 0 && part.allows_integer(-value) && self.try_value(variables, &parts, encode(-value)) {
                    kept = -value;
                }
                let mut lost = integer(part.width, signed, part.simplest());
                while (kept - lost).abs() > 1 && !self.is_over() {
                    let middle = lost + (kept - lost) / 2;
                    if self.try_value(variables, &parts, encode(middle)) {
                        kept = middle;
                    } else {
                        lost = middle;
                    }
                }
            }
            Look::Float { .. } => self.nearer_float(variables, &parts, part),
        }
    }

    fn nearer_float(&mut self, variables: &[usize], parts: &[Part], part: Part) {
        let width = part.width;
        let current = |work: &Work<'_>| work.values.get(variables[0]).map(|&bits| float(width, bits));
        let Some(value) = current(self) else { return };
        let mut candidates = vec![1.0, 2.0, 10.0, -1.0];
        if value.is_finite() {
            candidates.extend([value.abs(), value.trunc(), value.abs().trunc(), value.floor(), value.ceil()]);
            for scale in [10.0, 100.0, 1000.0, 1e6] {
                candidates.extend([(value * scale).trunc() / scale, (value * scale).round() / scale]);
            }
        } else {
            candidates.extend([1e3, 1e9, 1e30, f64::from(f32::MAX), f64::MAX, -1e3, -f64::MAX, f64::INFINITY]);
        }
        for candidate in candidates {
            if candidate.is_nan() || !self.try_value(variables, parts, float_bits(width, candidate)) {
                continue;
            }
            break;
        }
        // Whole numbers are bisected like integers; all others by their bits, which sort in the same order.
        let Some(value) = current(self).filter(|value| value.is_finite()) else { return };
        let sign = if value < 0.0 { -1.0 } else { 1.0 };
        let whole = value.fract() == 0.0 && value.abs() <= 9007199254740992.0;
        let (mut lost, mut kept) = (0, if whole { value.abs() as u64 } else { value.abs().to_bits() });
        while kept - lost > 1 && !self.is_over() {
            let middle = lost + (kept - lost) / 2;
            let number = if whole { middle as f64 } else { f64::from_bits(middle) };
            if self.try_value(variables, parts, float_bits(width, sign * number)) {
                kept = middle;
            } else {
                lost = middle;
            }
        }
    }
}

/// Divides the numbers of a part by a power of two, rounding towards 0. Returns whether the results are allowed.
fn divide(values: &mut [u64], part: &Part, shift: i32) -> bool {
    values[part.first..part.first + part.count].iter_mut().all(|bits| {
        *bits = match part.look {
            Look::Integer { signed, .. } => {
                let value = integer(part.width, signed, *bits);
                let smaller = (value.unsigned_abs() >> shift) as i128;
                (if value < 0 { -smaller } else { smaller }) as u64 & mask(part.width)
            }
            Look::Float { .. } => float_bits(part.width, (float(part.width, *bits) / 2f64.powi(shift)).trunc()),
            Look::Text { .. } => *bits,
        };
        part.allows(*bits)
    })
}

/// One more than the greatest variable.
fn extent(parts: &[Part]) -> usize {
    parts.iter().map(|part| part.first + part.count).max().unwrap_or(0)
}

fn part_of(parts: &[Part], at: usize) -> Option<Part> {
    // Parts are in the order of their variables.
    let after = parts.partition_point(|part| part.first <= at);
    let part = parts[..after].iter().rev().find(|part| part.count > 0)?;
    (at < part.first + part.count).then(|| part.clone())
}

/// Numeric parts by type.
fn families(parts: &[Part]) -> Vec<Vec<Part>> {
    let mut families: BTreeMap<(u8, u32), Vec<Part>> = BTreeMap::new();
    for part in parts.iter().filter(|part| !matches!(part.look, Look::Text { .. })) {
        families.entry((part.look.number(), part.width)).or_default().push(part.clone());
    }
    families.into_values().collect()
}

/// The values with those of these parts (of one type) replaced by consecutive whole numbers in the same order: from the
/// simplest allowed number upwards, or where the range is too narrow for that, from as high as it allows.
fn ranked(values: &[u64], parts: &[Part]) -> Vec<Vec<u64>> {
    let Some(part) = parts.first() else { return Vec::new() };
    let width = part.width;
    let variables: Vec<usize> = parts.iter().flat_map(|part| part.first..part.first + part.count).collect();
    let (low, high) = parts.iter().fold((i128::MIN, i128::MAX), |(low, high), part| match part.look {
        Look::Integer { low: least, high: most, .. } => (low.max(least), high.min(most)),
        Look::Float { range: Some((least, most)) } => (low.max(least.ceil() as i128), high.min(most.floor() as i128)),
        Look::Float { range: None } => (low.max(-(1 << 24)), high.min(1 << 24)),
        Look::Text { .. } => (0, -1),
    });
    // Keys that sort like the values; what is not a number has no rank.
    let key = |bits: u64| match part.look {
        Look::Integer { signed, .. } => Some(integer(width, signed, bits)),
        Look::Float { .. } => {
            let value = float(width, bits) + 0.0;
            let bits = i128::from(value.abs().to_bits());
            (!value.is_nan()).then_some(if value < 0.0 { -bits } else { bits })
        }
        Look::Text { .. } => None,
    };
    let mut sorted: Vec<(i128, usize)> = variables.iter().filter_map(|&at| Some((key(values[at])?, at))).collect();
    sorted.sort_unstable();
    let last = sorted.chunk_by(|(one, _), (other, _)| one == other).count() as i128 - 1;
    if last < 0 || low > high || high - low < last {
        return Vec::new();
    }
    let lowest = 0.clamp(low, high);
    let mut candidates = Vec::new();
    for base in [lowest, high - last] {
        if base < low || base + last > high {
            continue;
        }
        let mut candidate = values.to_vec();
        for (number, equal) in (base..).zip(sorted.chunk_by(|(one, _), (other, _)| one == other)) {
            let bits = match part.look {
                Look::Float { .. } => float_bits(width, number as f64),
                _ => number as u64 & mask(width),
            };
            for &(_, at) in equal {
                candidate[at] = bits;
            }
        }
        let is_allowed = |part: &Part| {
            part.pieces.is_none()
                || candidate[part.first..part.first + part.count].iter().all(|&bits| part.allows(bits))
        };
        if parts.iter().all(is_allowed) {
            candidates.push(candidate);
        }
    }
    candidates
}
