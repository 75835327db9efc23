//! Linear arithmetic: comparisons of sums that bounds on their variables keep from wrapping.
//!
//! Where no sum can wrap, bit-vectors are integers, and a path condition is a system of linear inequalities. It is
//! solved starting from the witness: first by moving one variable of the query, then by the simplex method on the
//! query and the rows that turn out to be violated on the way. Most rows of a long path never take part.

mod fraction;
mod rows;
mod simplex;
mod sums;

use pessimum_term::{Arena, VariableId};

use crate::layers::{Layer, QueryLimits, Reply};
use crate::path::{Change, Path, Query};
use crate::{LayerName, Until, Why};
use rows::{Limit, Rows, Seen};
use simplex::{Bound, Bounds, Refusal, Simplex};

/// Terms looked at per query before the layer declines. With a million, long paths of graph programs were passed on
/// to circuits, which took seconds and mostly gave up.
const MOST_WORK: u64 = 8_000_000;
/// Choices made per query for fractions and disequalities.
const MOST_CHOICES: u32 = 500;
/// How deeply choices may be nested.
const DEEPEST: u32 = 60;
/// Violated rows that join the tableau at a time.
const MOST_JOINING: usize = 24;

/// What a bound comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reason {
    /// Conditions on the variable alone, by position; [`crate::order::WIDTH`] for none.
    Variable([u32; 2]),
    Row(u32),
    Query,
    /// A choice of this depth.
    Choice(u32),
}

/// The linear arithmetic layer.
#[derive(Default)]
pub struct Linear {
    rows: Rows,
    simplex: Simplex,
    /// What each bound in the tableau comes from; bounds refer to it by index.
    reasons: Vec<Reason>,
    /// Each variable that has a column, with that column, in the order in which they were added.
    columns: Vec<(u32, u32)>,
    /// By variable: its column plus 1, or 0.
    column_of: Vec<u32>,
    /// By row: its column plus 1, or 0.
    row_columns: Vec<u32>,
    /// Rows in the tableau.
    joined: Vec<u32>,
    query_column: Option<u32>,
    choices_left: u32,
}

impl Layer for Linear {
    fn name(&self) -> LayerName {
        LayerName::Linear
    }

    fn ask(&mut self, arena: &Arena, path: &mut Path, query: &mut Query, limits: &QueryLimits) -> Reply {
        // A part of plain comparisons belongs to the order layer.
        if query.sizes.foreign == 0 {
            return Reply::Pass;
        }
        if !self.rows.follow(arena, path, limits.until) {
            return Reply::GaveUp(Why::Deadline);
        }
        let limit = match self.rows.see(arena, path, query.condition) {
            Seen::Limit(limit) => limit,
            Seen::False(relies) => {
                self.rows.forget_query();
                return Reply::Unsat(path.positions_of(&relies, &[]));
            }
            Seen::True(_) | Seen::Foreign => {
                self.rows.forget_query();
                return Reply::Pass;
            }
        };
        let reply = self.solve(arena, path, query, &limit, limits.until);
        self.rows.forget_query();
        reply
    }

    fn truncated(&mut self, length: usize) {
        self.rows.truncate(length);
    }

    fn restarted(&mut self) {
        self.rows.truncate(0);
    }
}

impl Linear {
    fn solve(&mut self, arena: &Arena, path: &mut Path, query: &mut Query, limit: &Limit, until: &Until) -> Reply {
        let changes = match self.nudge(path, limit) {
            Some(change) => vec![change],
            None => match self.search(path, limit, until) {
                Ok(()) => self.changes(path),
                Err(Refusal::Declined) => return Reply::Pass,
                Err(Refusal::Conflict(reasons)) => return Reply::Unsat(self.core(path, limit, &reasons)),
            },
        };
        let holds = if self.rows.foreign() > 0 {
            path.holds_with(arena, query, &changes)
        } else {
            // Nothing else can have become false.
            let moved = changes.iter().flat_map(|&(variable, _)| self.rows.with(variable)).map(|row| row.position);
            path.hold_with(arena, query.condition, moved, &changes)
        };
        if holds { Reply::Sat(changes) } else { Reply::Pass }
    }

    /// A value for one variable of the query that makes the query hold and keeps every row true.
    fn nudge(&self, path: &Path, limit: &Limit) -> Option<Change> {
        let sum = self.rows.sum_of(path, limit)?;
        'variables: for &(variable, coefficient) in &limit.parts {
            let value = self.rows.value(path, variable);
            let [(mut low, _), (mut high, _)] = self.rows.bounds(path, variable);
            let others = sum.checked_sub(value.checked_mul(coefficient as i128)?)?;
            limit.narrow(coefficient, others, &mut low, &mut high)?;
            for row in self.rows.with(variable) {
                let coefficient = row.coefficient(variable);
                let others = self.rows.sum_of(path, row)?.checked_sub(value.checked_mul(coefficient as i128)?)?;
                row.narrow(coefficient, others, &mut low, &mut high)?;
                if low > high {
                    continue 'variables;
                }
            }
            if low > high {
                continue;
            }
            // The value closest to the old one that no disequality forbids.
            let step = if value < low { 1 } else { -1 };
            let mut target = value.clamp(low, high);
            let forbidden = |target: i128| {
                let forbids = |row: &Limit, sum: Option<i128>| {
                    let moved = (target - value).checked_mul(row.coefficient(variable) as i128);
                    row.not.is_some() && sum.zip(moved).and_then(|(sum, moved)| sum.checked_add(moved)) == row.not
                };
                forbids(limit, Some(sum))
                    || self
                        .rows
                        .with(variable)
                        .any(|row| row.not.is_some() && forbids(row, self.rows.sum_of(path, row)))
            };
            for _ in 0..4 {
                if target < low || target > high {
                    break;
                }
                if target != value && !forbidden(target) {
                    return Some((variable, self.rows.encode(variable, target)));
                }
                target += step;
            }
        }
        None
    }

    /// Values for the variables in the tableau, by the simplex method.
    fn search(&mut self, path: &Path, limit: &Limit, until: &Until) -> Result<(), Refusal> {
        self.simplex.clear(MOST_WORK, until);
        self.reasons.clear();
        for &(variable, _) in &self.columns {
            self.column_of[variable as usize] = 0;
        }
        self.columns.clear();
        for &row in &self.joined {
            self.row_columns[row as usize] = 0;
        }
        self.joined.clear();
        if self.row_columns.len() < self.rows.len() {
            self.row_columns.resize(self.rows.len(), 0);
        }
        self.choices_left = MOST_CHOICES;
        self.query_column = Some(self.join(path, limit, Reason::Query)?);
        self.settle(path, limit, 0)
    }

    /// Puts a limit into the tableau.
    fn join(&mut self, path: &Path, limit: &Limit, reason: Reason) -> Result<u32, Refusal> {
        let mut terms = Vec::with_capacity(limit.parts.len());
        for &(variable, coefficient) in &limit.parts {
            terms.push((self.column(path, variable), coefficient));
        }
        let reason = self.reason(reason);
        let bound = |value: Option<i128>| value.map(|value| Bound { value, reason });
        self.simplex.spend(terms.len())?;
        self.simplex.add_sum(&terms, Bounds { low: bound(limit.low), high: bound(limit.high) })
    }

    fn reason(&mut self, reason: Reason) -> u32 {
        self.reasons.push(reason);
        self.reasons.len() as u32 - 1
    }

    fn column(&mut self, path: &Path, variable: u32) -> u32 {
        if self.column_of.len() <= variable as usize {
            self.column_of.resize(variable as usize + 1, 0);
        }
        if let Some(column) = self.column_of[variable as usize].checked_sub(1) {
            return column;
        }
        let [low, high] = self.rows.bounds(path, variable).map(|(value, reasons)| {
            let reason = self.reason(Reason::Variable(reasons));
            Some(Bound { value, reason })
        });
        let column = self.simplex.add_column(self.rows.value(path, variable), Bounds { low, high });
        self.column_of[variable as usize] = column + 1;
        self.columns.push((variable, column));
        column
    }

    /// The value of a variable, from its column if it has one and from the witness otherwise.
    fn value(&self, path: &Path, variable: u32) -> Option<i128> {
        match self.column_of.get(variable as usize).and_then(|column| column.checked_sub(1)) {
            Some(column) => self.simplex.value(column).as_integer(),
            None => Some(self.rows.value(path, variable)),
        }
    }

    fn sum(&self, path: &Path, limit: &Limit) -> Option<i128> {
        limit.parts.iter().try_fold(0i128, |sum, &(variable, coefficient)| {
            sum.checked_add(self.value(path, variable)?.checked_mul(coefficient as i128)?)
        })
    }

    /// Makes everything hold: bounds by the tableau, whole numbers and disequalities by choices, depth first, and rows
    /// outside of the tableau by letting them join it.
    fn settle(&mut self, path: &Path, limit: &Limit, depth: u32) -> Result<(), Refusal> {
        loop {
            self.simplex.check()?;
            let fraction = self.columns.iter().find(|&&(_, column)| self.simplex.value(column).as_integer().is_none());
            if let Some(&(_, column)) = fraction {
                let floor = self.simplex.value(column).floor();
                return self.choose(path, limit, depth, column, (floor, floor + 1), None);
            }
            if limit.not.is_some() && self.sum(path, limit) == limit.not {
                let column = self.query_column.expect("the query is in the tableau");
                return self.choose(path, limit, depth, column, around(limit.not), Some(Reason::Query));
            }
            let (violated, different) = self.violated(path)?;
            if let (true, Some(row)) = (violated.is_empty(), different) {
                let not = self.rows.get(row).not;
                let column = self.join_row(path, row)?;
                return self.choose(path, limit, depth, column, around(not), Some(Reason::Row(row)));
            }
            if violated.is_empty() {
                return Ok(());
            }
            for row in violated {
                self.join_row(path, row)?;
            }
        }
    }

    fn join_row(&mut self, path: &Path, row: u32) -> Result<u32, Refusal> {
        if let Some(column) = self.row_columns[row as usize].checked_sub(1) {
            return Ok(column);
        }
        let limit = self.rows.get(row).clone();
        let column = self.join(path, &limit, Reason::Row(row))?;
        self.row_columns[row as usize] = column + 1;
        self.joined.push(row);
        Ok(column)
    }

    /// Rows outside of the tableau that do not hold, and a disequality that does not. Only rows with a variable that
    /// moved can be among them.
    fn violated(&mut self, path: &Path) -> Result<(Vec<u32>, Option<u32>), Refusal> {
        let (mut violated, mut different, mut work) = (Vec::new(), None, 0);
        'variables: for &(variable, column) in &self.columns {
            if self.simplex.value(column).as_integer() == Some(self.rows.value(path, variable)) {
                continue;
            }
            for number in self.rows.numbers_with(variable) {
                let row = self.rows.get(number);
                if self.row_columns[number as usize] != 0 && row.not.is_none() {
                    continue;
                }
                work += row.parts.len();
                let sum = self.sum(path, row).ok_or(Refusal::Declined)?;
                if row.not == Some(sum) {
                    different = different.or(Some(number));
                }
                if row.excludes(sum) && !violated.contains(&number) {
                    violated.push(number);
                    if violated.len() == MOST_JOINING {
                        break 'variables;
                    }
                }
            }
        }
        // Looking at a row outside of the tableau is much cheaper than moving one inside.
        self.simplex.spend(work / 8)?;
        Ok((violated, different))
    }

    /// Tries `column <= sides.0` and `column >= sides.1`.
    fn choose(
        &mut self,
        path: &Path,
        limit: &Limit,
        depth: u32,
        column: u32,
        sides: (i128, i128),
        why: Option<Reason>,
    ) -> Result<(), Refusal> {
        if self.choices_left == 0 || depth == DEEPEST {
            return Err(Refusal::Declined);
        }
        self.choices_left -= 1;
        let choice = self.reason(Reason::Choice(depth));
        let old = self.simplex.bounds(column);
        let mut cores: Vec<u32> = why.map(|why| self.reason(why)).into_iter().collect();
        // The side with more room goes first.
        let room =
            |bound: Option<Bound>, side: i128| bound.map_or(i128::MAX, |bound| bound.value.abs_diff(side) as i128);
        let up_first = room(old.high, sides.1) >= room(old.low, sides.0);
        for up in [up_first, !up_first] {
            let mut bounds = old;
            let side = if up { &mut bounds.low } else { &mut bounds.high };
            *side = Some(Bound { value: if up { sides.1 } else { sides.0 }, reason: choice });
            let outcome = self.simplex.tighten(column, bounds).and_then(|()| self.settle(path, limit, depth + 1));
            let Err(Refusal::Conflict(core)) = outcome else { return outcome };
            self.simplex.loosen(column, old);
            if !core.contains(&choice) {
                return Err(Refusal::Conflict(core));
            }
            cores.extend(core.into_iter().filter(|&reason| reason != choice));
        }
        Err(Refusal::Conflict(cores))
    }

    fn changes(&self, path: &Path) -> Vec<Change> {
        let witness = path.evaluator.witness();
        let changed = |&(variable, column): &(u32, u32)| {
            let bits = self.rows.encode(variable, self.simplex.value(column).as_integer()?);
            (witness.get(VariableId(variable)) != bits).then_some((variable, bits))
        };
        self.columns.iter().filter_map(changed).collect()
    }

    /// The positions that these reasons stand for.
    fn core(&self, path: &Path, limit: &Limit, reasons: &[u32]) -> Vec<u32> {
        let mut positions: Vec<u32> = limit.relies.clone();
        for &reason in reasons {
            match self.reasons[reason as usize] {
                Reason::Variable(conditions) => positions.extend(conditions),
                Reason::Row(row) => {
                    let row = self.rows.get(row);
                    positions.push(row.position);
                    positions.extend_from_slice(&row.relies);
                }
                Reason::Query => {}
                Reason::Choice(_) => unreachable!("choices are resolved where they are made"),
            }
        }
        positions.sort_unstable();
        positions.dedup();
        path.positions_of(&positions, &[])
    }
}

fn around(not: Option<i128>) -> (i128, i128) {
    let not = not.expect("a disequality");
    (not - 1, not + 1)
}
