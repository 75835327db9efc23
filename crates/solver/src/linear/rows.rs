//! The conditions of the path as limits on linear combinations of integers, kept up to date as the path grows and
//! shrinks.

use pessimum_term::{Arena, BinaryOp, Node, TermId, UnaryOp, VariableId};

use super::fraction::gcd;
use super::sums::{Part, Sum, Sums, Taken, fitting, plus};
use crate::Until;
use crate::order::{Reading, WIDTH};
use crate::path::Path;

/// `low <= sum <= high` and `sum != not`, where the sum is over `(variable, coefficient)`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limit {
    /// Sorted by variable, no coefficient 0.
    pub parts: Vec<(u32, i64)>,
    pub low: Option<i128>,
    pub high: Option<i128>,
    pub not: Option<i128>,
    /// Where the condition is on the path.
    pub position: u32,
    /// Positions of the bounds that keep the condition from wrapping.
    pub relies: Vec<u32>,
}

impl Limit {
    pub fn coefficient(&self, variable: u32) -> i64 {
        let found = self.parts.binary_search_by_key(&variable, |&(variable, _)| variable);
        found.map_or(0, |index| self.parts[index].1)
    }

    /// Whether the sum is outside of `low..=high`.
    pub fn excludes(&self, sum: i128) -> bool {
        self.low.is_some_and(|low| sum < low) || self.high.is_some_and(|high| sum > high)
    }

    /// Narrows the range of a variable with this coefficient, where the rest adds up to `others`. `None` on overflow.
    pub fn narrow(&self, coefficient: i64, others: i128, low: &mut i128, high: &mut i128) -> Option<()> {
        let coefficient = coefficient as i128;
        for (end, at_least) in [(self.low, true), (self.high, false)] {
            let Some(end) = end else { continue };
            // variable >= room / |coefficient|, or <=.
            let room = end.checked_sub(others)?.checked_mul(coefficient.signum())?;
            if at_least == (coefficient > 0) {
                *low = (*low).max(-room.checked_neg()?.div_euclid(coefficient.abs()));
            } else {
                *high = (*high).min(room.div_euclid(coefficient.abs()));
            }
        }
        Some(())
    }

    /// Divides by the common divisor of the coefficients; false where a disequality holds for every input.
    fn normalise(&mut self) -> bool {
        let common = self.parts.iter().fold(0, |common, &(_, c)| gcd(common, c.unsigned_abs() as u128)) as i128;
        if common > 1 {
            self.parts.iter_mut().for_each(|(_, coefficient)| *coefficient = (*coefficient as i128 / common) as i64);
            self.low = self.low.map(|low| -(-low).div_euclid(common));
            self.high = self.high.map(|high| high.div_euclid(common));
            if self.not.is_some_and(|not| not.rem_euclid(common) != 0) {
                return false;
            }
            self.not = self.not.map(|not| not / common);
        }
        true
    }
}

/// What a condition is.
pub enum Seen {
    Limit(Limit),
    /// Always true, given the bounds at these positions.
    True(Vec<u32>),
    /// Never true, given the bounds at these positions.
    False(Vec<u32>),
    Foreign,
}

/// What is known about one position of the path.
struct Entry {
    /// Latest position that this entry or an earlier one relies on.
    latest: u32,
    /// Number of rows of earlier positions.
    rows: u32,
    is_foreign: bool,
}

/// A smallest and a largest value, each with the positions it comes from ([`WIDTH`] for none).
pub type Ends = [(i128, [u32; 2]); 2];

/// The linear conditions of the path as rows, found by position and by variable.
#[derive(Default)]
pub struct Rows {
    sums: Sums,
    /// One for each condition of the path that has been looked at, by position.
    entries: Vec<Entry>,
    rows: Vec<Limit>,
    foreign: u32,
    /// By variable: its rows, in ascending order.
    with: Vec<Vec<u32>>,
    /// By variable: how it is read, if a row or the query uses it.
    readings: Vec<Option<Reading>>,
    /// Variables in use, each with the position that first used it.
    chosen: Vec<(u32, u32)>,
}

impl Rows {
    /// Looks at the conditions that were added to the path since the last time. Returns whether there was time for all
    /// of them: a long input has hundreds of thousands of ranges.
    pub fn follow(&mut self, arena: &Arena, path: &Path, until: &Until) -> bool {
        const LOOK_EVERY: usize = 1024;
        self.sums.follow(arena);
        for position in self.entries.len()..path.conditions.len() {
            if position % LOOK_EVERY == LOOK_EVERY - 1 && !until.go_on() {
                return false;
            }
            let rows = self.rows.len() as u32;
            let seen = self.see(arena, path, path.conditions[position]);
            let is_foreign = matches!(seen, Seen::Foreign | Seen::False(_));
            let relies = match seen {
                Seen::Limit(mut limit) => {
                    limit.position = position as u32;
                    for &(variable, _) in &limit.parts {
                        self.with[variable as usize].push(rows);
                    }
                    self.rows.push(limit);
                    &self.rows[rows as usize].relies
                }
                Seen::True(ref relies) => relies,
                Seen::False(_) | Seen::Foreign => &Vec::new(),
            };
            let before = self.entries.last().map_or(0, |entry| entry.latest);
            let latest = relies.iter().copied().chain([before, position as u32]).max().unwrap_or(0);
            self.foreign += is_foreign as u32;
            self.entries.push(Entry { latest, rows, is_foreign });
        }
        true
    }

    /// Forgets what does not follow from the first `length` conditions.
    pub fn truncate(&mut self, length: usize) {
        while self.entries.last().is_some_and(|entry| entry.latest as usize >= length) {
            let entry = self.entries.pop().expect("looked at");
            self.foreign -= entry.is_foreign as u32;
            for row in self.rows.drain(entry.rows as usize..) {
                for (variable, _) in row.parts {
                    self.with[variable as usize].pop();
                }
            }
        }
        self.forget_query();
    }

    /// Forgets how variables that occur only in the query are read.
    pub fn forget_query(&mut self) {
        while self.chosen.last().is_some_and(|&(_, since)| since as usize >= self.entries.len()) {
            let (variable, _) = self.chosen.pop().expect("looked at");
            self.readings[variable as usize] = None;
        }
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Number of conditions of the path that are not linear.
    pub fn foreign(&self) -> u32 {
        self.foreign
    }

    pub fn get(&self, row: u32) -> &Limit {
        &self.rows[row as usize]
    }

    pub fn numbers_with(&self, variable: u32) -> impl Iterator<Item = u32> + '_ {
        self.with[variable as usize].iter().copied()
    }

    pub fn with(&self, variable: u32) -> impl Iterator<Item = &Limit> + '_ {
        self.numbers_with(variable).map(|row| self.get(row))
    }

    fn reading(&self, variable: u32) -> Reading {
        self.readings[variable as usize].expect("variables of rows are read somehow")
    }

    /// The variable's number under the witness.
    pub fn value(&self, path: &Path, variable: u32) -> i128 {
        self.reading(variable).decode(path.evaluator.witness().get(VariableId(variable)))
    }

    /// The limit's sum under the witness; `None` on overflow.
    pub fn sum_of(&self, path: &Path, limit: &Limit) -> Option<i128> {
        limit.parts.iter().try_fold(0i128, |sum, &(variable, coefficient)| {
            sum.checked_add(self.value(path, variable).checked_mul(coefficient as i128)?)
        })
    }

    pub fn encode(&self, variable: u32, value: i128) -> u64 {
        self.reading(variable).encode(value)
    }

    /// The bounds of a variable that conditions on it alone give.
    pub fn bounds(&self, path: &Path, variable: u32) -> Ends {
        let own = self.reading(variable);
        if let (Some(reading), Some(bounds)) = (path.order.reading(variable), path.order.bounds(variable)) {
            let [(low, low_reason), (high, high_reason)] = bounds;
            if reading == own {
                return [(low, [low_reason, WIDTH]), (high, [high_reason, WIDTH])];
            }
            // Both readings agree on the lower half of the bits.
            if reading.width == own.width && low >= 0 && high < 1 << (own.width - 1) {
                let reasons = [low_reason, high_reason];
                return [(low, reasons), (high, reasons)];
            }
        }
        let (low, high) = own.range();
        [(low, [WIDTH; 2]), (high, [WIDTH; 2])]
    }

    /// The condition as a limit. What it relies on holds for the path as it is now.
    pub fn see(&mut self, arena: &Arena, path: &Path, condition: TermId) -> Seen {
        self.try_to_see(arena, path, condition).unwrap_or(Seen::Foreign)
    }

    fn try_to_see(&mut self, arena: &Arena, path: &Path, condition: TermId) -> Option<Seen> {
        use BinaryOp::{Eq, LeS, LeU, LtS, LtU};
        let (positive, atom) = match arena.node(condition) {
            Node::Unary(UnaryOp::Not, inner) => (false, inner),
            _ => (true, condition),
        };
        let mut relies = Vec::new();
        let (parts, low, high, not) = match arena.node(atom) {
            Node::Variable(variable) if arena.width(atom) == 1 => {
                let part = Part { variable: variable.0, width: 1, taken: Taken::Unsigned, coefficient: 1 };
                self.read(path, &part, &mut relies)?;
                let value = Some(positive as i128);
                (vec![(variable.0, 1)], value, value, None)
            }
            Node::Binary(op @ (Eq | LtU | LtS | LeU | LeS), x, y) => {
                if !self.sums.build(arena, x) || !self.sums.build(arena, y) {
                    return None;
                }
                let width = arena.width(x);
                let (one, other) = (self.sums.get(x)?.clone(), self.sums.get(y)?.clone());
                if op == Eq {
                    let difference = plus(&one, &other, -1, width);
                    // The only multiple of 2^width that the difference can be, if any.
                    let multiple = self.interval(path, &difference, &mut relies, |low, high| {
                        let last = high.div_euclid(1 << width) << width;
                        (last - (1 << width) < low).then_some((last >= low).then_some(last))
                    })?;
                    let Some(multiple) = multiple else {
                        return Some(if positive { Seen::False(relies) } else { Seen::True(relies) });
                    };
                    let value = multiple.checked_sub(difference.constant as i128)?;
                    let parts = by_variable(&difference, &Sum::default())?;
                    if positive { (parts, Some(value), Some(value), None) } else { (parts, None, None, Some(value)) }
                } else {
                    let reading = Reading { width, signed: matches!(op, LtS | LeS) };
                    let fit = |low, high| fitting(low, high, reading);
                    let one_shift = self.interval(path, &one, &mut relies, fit)?;
                    let other_shift = self.interval(path, &other, &mut relies, fit)?;
                    let constant = other.constant as i128 + other_shift - one.constant as i128 - one_shift;
                    let parts = by_variable(&one, &other)?;
                    let strict = matches!(op, LtU | LtS) as i128;
                    if positive {
                        (parts, None, Some(constant - strict), None)
                    } else {
                        (parts, Some(constant - strict + 1), None, None)
                    }
                }
            }
            _ => return None,
        };
        let mut limit = Limit { parts, low, high, not, position: WIDTH, relies };
        if !limit.normalise() {
            return Some(Seen::True(limit.relies));
        }
        Some(self.decided(path, limit))
    }

    /// Checks whether the bounds of the variables decide the limit.
    fn decided(&self, path: &Path, limit: Limit) -> Seen {
        let (mut smallest, mut largest) = (0i128, 0i128);
        let mut reasons = limit.relies.clone();
        for &(variable, coefficient) in &limit.parts {
            let ends = self.bounds(path, variable);
            reasons.extend(ends.iter().flat_map(|(_, reasons)| reasons).filter(|&&reason| reason != WIDTH));
            let ends = ends.map(|(end, _)| end.checked_mul(coefficient as i128));
            let [Some(one), Some(other)] = ends else { return Seen::Limit(limit) };
            match (smallest.checked_add(one.min(other)), largest.checked_add(one.max(other))) {
                (Some(low), Some(high)) => (smallest, largest) = (low, high),
                _ => return Seen::Limit(limit),
            }
        }
        // The ends of an equality that no integers satisfy have crossed after the division by the common divisor.
        if limit.low.zip(limit.high).is_some_and(|(low, high)| low > high) {
            return Seen::False(limit.relies);
        }
        let impossible = limit.low.is_some_and(|low| largest < low)
            || limit.high.is_some_and(|high| smallest > high)
            || limit.not.is_some_and(|not| smallest == not && largest == not);
        let certain = limit.low.is_none_or(|low| smallest >= low)
            && limit.high.is_none_or(|high| largest <= high)
            && limit.not.is_none_or(|not| not < smallest || not > largest);
        match (impossible, certain) {
            (true, _) => Seen::False(reasons),
            (_, true) => Seen::True(reasons),
            _ => Seen::Limit(limit),
        }
    }

    /// Fixes how the variable is read. `None` if it is already read differently and the numbers may differ.
    fn read(&mut self, path: &Path, part: &Part, relies: &mut Vec<u32>) -> Option<()> {
        let (variable, width) = (part.variable, part.width as u32);
        // Terms of two widths may share the number of a variable.
        if path.parts.width(variable) != width {
            return None;
        }
        if self.readings.len() <= variable as usize {
            self.readings.resize(variable as usize + 1, None);
            self.with.resize_with(variable as usize + 1, Vec::new);
        }
        let reading = match self.readings[variable as usize] {
            Some(reading) => reading,
            None => {
                let signed = match part.taken {
                    Taken::Signed => true,
                    Taken::Unsigned => false,
                    Taken::Either => path.order.prefers_signed(width),
                };
                let reading = path.order.reading(variable).unwrap_or(Reading { width, signed });
                self.readings[variable as usize] = Some(reading);
                self.chosen.push((variable, self.entries.len() as u32));
                reading
            }
        };
        if reading.width != width {
            return None;
        }
        let agrees = match part.taken {
            Taken::Either => true,
            Taken::Signed => reading.signed,
            Taken::Unsigned => !reading.signed,
        };
        if !agrees {
            let [(low, low_reasons), (high, high_reasons)] = self.bounds(path, variable);
            if low < 0 || high >= 1 << (width - 1) {
                return None;
            }
            relies.extend(low_reasons.into_iter().chain(high_reasons).filter(|&reason| reason != WIDTH));
        }
        Some(())
    }

    /// Calls `work` with the smallest and largest value of a sum: first with those that the widths of its variables
    /// give, and if that fails, with those that conditions on its variables give, which the result then relies on.
    fn interval<T>(
        &mut self,
        path: &Path,
        sum: &Sum,
        relies: &mut Vec<u32>,
        work: impl Fn(i128, i128) -> Option<T>,
    ) -> Option<T> {
        for part in &sum.parts {
            self.read(path, part, relies)?;
        }
        let constant = sum.constant as i128;
        let add = |(smallest, largest): (i128, i128), part: &Part, (low, high): (i128, i128)| {
            let factor = part.coefficient as i128;
            let (one, other) = (low.checked_mul(factor)?, high.checked_mul(factor)?);
            Some((smallest.checked_add(one.min(other))?, largest.checked_add(one.max(other))?))
        };
        let by_width = sum
            .parts
            .iter()
            .try_fold((constant, constant), |ends, part| add(ends, part, self.reading(part.variable).range()));
        if let Some(done) = by_width.and_then(|(low, high)| work(low, high)) {
            return Some(done);
        }
        let mut ends = (constant, constant);
        for part in &sum.parts {
            let [(low, low_reasons), (high, high_reasons)] = self.bounds(path, part.variable);
            relies.extend(low_reasons.into_iter().chain(high_reasons).filter(|&reason| reason != WIDTH));
            ends = add(ends, part, (low, high))?;
        }
        work(ends.0, ends.1)
    }
}

/// `one - other` with one coefficient per variable. All variables of both sums must have been read, so that all the
/// ways in which a variable is taken are known to give the same number. `None` on overflow.
fn by_variable(one: &Sum, other: &Sum) -> Option<Vec<(u32, i64)>> {
    let mut all: Vec<(u32, i64)> = Vec::with_capacity(one.parts.len() + other.parts.len());
    all.extend(one.parts.iter().map(|part| (part.variable, part.coefficient)));
    for part in &other.parts {
        all.push((part.variable, part.coefficient.checked_neg()?));
    }
    // Two sorted runs, which the sort merges in one go.
    all.sort_by_key(|&(variable, _)| variable);
    let mut parts: Vec<(u32, i64)> = Vec::with_capacity(all.len());
    for (variable, coefficient) in all {
        match parts.last_mut().filter(|last| last.0 == variable) {
            Some(last) => last.1 = last.1.checked_add(coefficient)?,
            None => parts.push((variable, coefficient)),
        }
    }
    parts.retain(|&(_, coefficient)| coefficient != 0);
    Some(parts)
}
