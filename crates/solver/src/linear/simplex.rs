//! Bounds on integers and on their linear combinations, by the simplex method over exact fractions.
//!
//! Source: Dutertre and de Moura, "A Fast Linear-Arithmetic Solver for DPLL(T)" (CAV 2006), section 3, with two changes.
//! Values start where the caller says, not at 0, so that only rows that are violated there need work; and where moving
//! one column repairs a row and breaks no other, the basis stays as it is.

use std::cmp::Ordering;

use super::fraction::{Fraction, gcd};
use crate::Until;

/// A bound and what it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    pub value: i128,
    pub reason: u32,
}

/// Smallest and largest value of a column; `None` for no bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    pub low: Option<Bound>,
    pub high: Option<Bound>,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The reasons of bounds that contradict each other, unordered and with repetitions.
    Conflict(Vec<u32>),
    /// Too much work, or numbers too large.
    Declined,
}

/// A variable, or a combination of variables.
struct Column {
    value: Fraction,
    bounds: Bounds,
    /// The row that defines it, for a basic column.
    row: Option<u32>,
}

impl Column {
    fn is_below(&self) -> bool {
        self.bounds.low.is_some_and(|low| self.value.compare(low.value) == Ordering::Less)
    }
    fn is_above(&self) -> bool {
        self.bounds.high.is_some_and(|high| self.value.compare(high.value) == Ordering::Greater)
    }
    fn would_break(&self, value: Fraction) -> bool {
        self.bounds.low.is_some_and(|low| value.compare(low.value) == Ordering::Less)
            || self.bounds.high.is_some_and(|high| value.compare(high.value) == Ordering::Greater)
    }
}

/// `divisor * value(basic) = sum of coefficient * value(column)` over columns that are not basic.
struct Row {
    basic: u32,
    /// Always positive.
    divisor: i64,
    /// Sorted by column, no coefficient 0.
    terms: Vec<(u32, i64)>,
}

impl Row {
    fn coefficient(&self, column: u32) -> Option<i64> {
        self.terms.binary_search_by_key(&column, |&(column, _)| column).ok().map(|index| self.terms[index].1)
    }
}

/// The tableau. Between calls the values satisfy every row, and the bounds of every column that is not basic.
#[derive(Default)]
pub struct Simplex {
    columns: Vec<Column>,
    rows: Vec<Row>,
    /// Terms that may still be looked at.
    work: u64,
    /// What is left of them when the clock is looked at next.
    look_at: u64,
    until: Until,
    pivots: u32,
    spare: Vec<(u32, i64)>,
}

/// Terms between two looks at the clock.
const LOOK_EVERY: u64 = 1 << 16;

/// Pivots after which columns are chosen by number alone, which cannot cycle (Bland's rule).
const PIVOTS_BY_DAMAGE: u32 = 1_000;

impl Simplex {
    /// Forgets everything; `work` bounds what follows, in terms looked at, and so does the clock.
    pub fn clear(&mut self, work: u64, until: &Until) {
        self.columns.clear();
        self.rows.clear();
        self.work = work;
        self.look_at = work;
        self.until = until.clone();
        self.pivots = 0;
    }

    /// Takes from the work allowed by [`Simplex::clear`]; declines when there is not enough left, or no time.
    pub fn spend(&mut self, work: usize) -> Result<(), Refusal> {
        self.work = self.work.checked_sub(work as u64).ok_or(Refusal::Declined)?;
        if self.work < self.look_at {
            self.look_at = self.work.saturating_sub(LOOK_EVERY);
            if !self.until.go_on() {
                return Err(Refusal::Declined);
            }
        }
        Ok(())
    }

    /// A free column. Its value must lie within the bounds.
    pub fn add_column(&mut self, value: i128, bounds: Bounds) -> u32 {
        self.columns.push(Column { value: value.into(), bounds, row: None });
        self.columns.len() as u32 - 1
    }

    /// A column that is the sum of these `(column, coefficient)`, each column once. Its bounds may be violated.
    pub fn add_sum(&mut self, terms: &[(u32, i64)], bounds: Bounds) -> Result<u32, Refusal> {
        let number = self.columns.len() as u32;
        let mut row = Row { basic: number, divisor: 1, terms: Vec::with_capacity(terms.len()) };
        row.terms.extend_from_slice(terms);
        row.terms.sort_unstable_by_key(|&(column, _)| column);
        for &(column, _) in terms {
            if let Some(definition) = self.columns[column as usize].row {
                self.substitute(&mut row, column, definition)?;
            }
        }
        let value = self.sum(&row)?;
        self.columns.push(Column { value, bounds, row: Some(self.rows.len() as u32) });
        self.rows.push(row);
        Ok(number)
    }

    pub fn value(&self, column: u32) -> Fraction {
        self.columns[column as usize].value
    }

    pub fn bounds(&self, column: u32) -> Bounds {
        self.columns[column as usize].bounds
    }

    /// Tightens the bounds of a column, and moves it to them if it is not basic and outside of them.
    pub fn tighten(&mut self, column: u32, bounds: Bounds) -> Result<(), Refusal> {
        let entry = &mut self.columns[column as usize];
        if let (Some(low), Some(high)) = (bounds.low, bounds.high)
            && low.value > high.value
        {
            return Err(Refusal::Conflict(vec![low.reason, high.reason]));
        }
        entry.bounds = bounds;
        if entry.row.is_none() {
            let target = if entry.is_below() { bounds.low } else { bounds.high };
            if let Some(target) = target.filter(|_| entry.is_below() || entry.is_above()) {
                let step = Fraction::from(target.value).minus(entry.value).ok_or(Refusal::Declined)?;
                self.shift(column, step)?;
            }
        }
        Ok(())
    }

    /// Loosens the bounds of a column again.
    pub fn loosen(&mut self, column: u32, bounds: Bounds) {
        self.columns[column as usize].bounds = bounds;
    }

    /// Makes all bounds hold, or names some that contradict each other.
    pub fn check(&mut self) -> Result<(), Refusal> {
        loop {
            self.spend(self.rows.len())?;
            let columns = &self.columns;
            let violated = |row: &Row| columns[row.basic as usize].is_below() || columns[row.basic as usize].is_above();
            let first = (0..self.rows.len()).filter(|&row| violated(&self.rows[row]));
            let Some(row) = first.min_by_key(|&row| self.rows[row].basic) else { return Ok(()) };
            self.repair(row)?;
        }
    }

    /// Brings the basic column of a row to the bound that it violates.
    fn repair(&mut self, row: usize) -> Result<(), Refusal> {
        let Row { basic, divisor, .. } = self.rows[row];
        let entry = &self.columns[basic as usize];
        let up = entry.is_below();
        let goal = if up { entry.bounds.low } else { entry.bounds.high }.expect("it is violated");
        let missing = Fraction::from(goal.value).minus(entry.value).ok_or(Refusal::Declined)?;
        let by_damage = self.pivots < PIVOTS_BY_DAMAGE;
        let mut best: Option<(usize, u32, Fraction)> = None;
        for index in 0..self.rows[row].terms.len() {
            let (column, coefficient) = self.rows[row].terms[index];
            if self.is_stuck(column, up == (coefficient > 0)) {
                continue;
            }
            // missing = step * coefficient / divisor
            let sign = coefficient.signum();
            let over = coefficient.checked_abs().ok_or(Refusal::Declined)?;
            let step = missing.scaled(divisor * sign, over).ok_or(Refusal::Declined)?;
            if !by_damage {
                best = Some((1, column, step));
                break;
            }
            let damage = self.damage(row, column, step)?;
            if best.is_none_or(|(least, _, _)| damage < least) {
                best = Some((damage, column, step));
                if damage == 0 {
                    break;
                }
            }
        }
        let Some((damage, column, step)) = best else {
            let stuck = self.rows[row].terms.iter().filter_map(|&(column, coefficient)| {
                let bounds = self.columns[column as usize].bounds;
                if up == (coefficient > 0) { bounds.high } else { bounds.low }
            });
            return Err(Refusal::Conflict(stuck.chain([goal]).map(|bound| bound.reason).collect()));
        };
        self.shift(column, step)?;
        if damage == 0 {
            return Ok(());
        }
        self.pivots += 1;
        self.pivot(row, column)
    }

    fn is_stuck(&self, column: u32, up: bool) -> bool {
        let Column { value, bounds, .. } = &self.columns[column as usize];
        let bound = if up { bounds.high } else { bounds.low };
        bound.is_some_and(|bound| value.compare(bound.value) == Ordering::Equal)
    }

    /// How many columns would leave their bounds if this one moved, and one more for leaving the integers.
    fn damage(&mut self, repaired: usize, column: u32, step: Fraction) -> Result<usize, Refusal> {
        let entry = &self.columns[column as usize];
        let target = entry.value.plus(step).ok_or(Refusal::Declined)?;
        let mut damage = entry.would_break(target) as usize;
        damage += (entry.value.as_integer().is_some() && target.as_integer().is_none()) as usize;
        self.spend(self.rows.len())?;
        for (index, row) in self.rows.iter().enumerate() {
            if index == repaired {
                continue;
            }
            if let Some(coefficient) = row.coefficient(column) {
                let basic = &self.columns[row.basic as usize];
                let by = step.scaled(coefficient, row.divisor).ok_or(Refusal::Declined)?;
                damage += basic.would_break(basic.value.plus(by).ok_or(Refusal::Declined)?) as usize;
            }
        }
        Ok(damage)
    }

    /// Moves a column that is not basic, and with it the basic columns that depend on it.
    fn shift(&mut self, column: u32, step: Fraction) -> Result<(), Refusal> {
        self.spend(self.rows.len())?;
        let entry = &mut self.columns[column as usize];
        entry.value = entry.value.plus(step).ok_or(Refusal::Declined)?;
        for row in &self.rows {
            if let Some(coefficient) = row.coefficient(column) {
                let by = step.scaled(coefficient, row.divisor).ok_or(Refusal::Declined)?;
                let basic = &mut self.columns[row.basic as usize];
                basic.value = basic.value.plus(by).ok_or(Refusal::Declined)?;
            }
        }
        Ok(())
    }

    /// Exchanges the basic column of a row with another of its columns.
    fn pivot(&mut self, row: usize, column: u32) -> Result<(), Refusal> {
        let Row { basic, divisor, ref mut terms } = self.rows[row];
        let index = terms.binary_search_by_key(&column, |&(column, _)| column).expect("the row has the column");
        let (_, coefficient) = terms.remove(index);
        // coefficient * column = divisor * basic - the rest
        let negate = |number: i64| number.checked_neg().ok_or(Refusal::Declined);
        for (_, factor) in terms.iter_mut() {
            *factor = if coefficient > 0 { negate(*factor)? } else { *factor };
        }
        let at = terms.partition_point(|&(other, _)| other < basic);
        terms.insert(at, (basic, if coefficient > 0 { divisor } else { negate(divisor)? }));
        let divisor = coefficient.checked_abs().ok_or(Refusal::Declined)?;
        self.rows[row].basic = column;
        self.rows[row].divisor = divisor;
        self.columns[column as usize].row = Some(row as u32);
        self.columns[basic as usize].row = None;
        for other in 0..self.rows.len() {
            if other != row && self.rows[other].coefficient(column).is_some() {
                let empty = Row { basic: 0, divisor: 1, terms: Vec::new() };
                let mut changed = std::mem::replace(&mut self.rows[other], empty);
                self.substitute(&mut changed, column, row as u32)?;
                self.rows[other] = changed;
            }
        }
        Ok(())
    }

    /// Replaces a basic column in a row by its definition.
    fn substitute(&mut self, row: &mut Row, column: u32, definition: u32) -> Result<(), Refusal> {
        let Some(factor) = row.coefficient(column) else { return Ok(()) };
        self.spend(row.terms.len() + self.rows[definition as usize].terms.len())?;
        let Row { divisor, ref terms, .. } = self.rows[definition as usize];
        // row.divisor * basic = factor * column + ..., and divisor * column = terms.
        let mut merged = std::mem::take(&mut self.spare);
        merged.clear();
        let (mut mine, mut theirs) = (row.terms.iter().peekable(), terms.iter().peekable());
        let scale = |number: i64, by: i64| number.checked_mul(by).ok_or(Refusal::Declined);
        loop {
            let order = match (mine.peek(), theirs.peek()) {
                (None, None) => break,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some((one, _)), Some((other, _))) => one.cmp(other),
            };
            let (mut number, mut sum) = (0, 0i64);
            if order != Ordering::Greater {
                let &(own, coefficient) = mine.next().expect("peeked");
                if own == column {
                    continue;
                }
                (number, sum) = (own, scale(coefficient, divisor)?);
            }
            if order != Ordering::Less {
                let &(other, coefficient) = theirs.next().expect("peeked");
                number = other;
                sum = sum.checked_add(scale(coefficient, factor)?).ok_or(Refusal::Declined)?;
            }
            if sum != 0 {
                merged.push((number, sum));
            }
        }
        row.divisor = scale(row.divisor, divisor)?;
        if row.divisor != 1 {
            let start = row.divisor.unsigned_abs() as u128;
            let common = merged.iter().fold(start, |common, &(_, c)| gcd(common, c.unsigned_abs() as u128)) as i64;
            row.divisor /= common;
            merged.iter_mut().for_each(|(_, coefficient)| *coefficient /= common);
        }
        std::mem::swap(&mut row.terms, &mut merged);
        self.spare = merged;
        Ok(())
    }

    fn sum(&self, row: &Row) -> Result<Fraction, Refusal> {
        let mut sum = Fraction::from(0);
        for &(column, coefficient) in &row.terms {
            let part = self.columns[column as usize].value.scaled(coefficient, row.divisor);
            sum = part.and_then(|part| sum.plus(part)).ok_or(Refusal::Declined)?;
        }
        Ok(sum)
    }
}
