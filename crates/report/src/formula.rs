//! Closed forms that costs follow exactly: `n(n-1)/2`, `2^n - 1`, `6n + 1`.
//!
//! A form has as many unknown coefficients as its terms. They are computed exactly, as fractions, from as many points;
//! every other point, and there is at least one, must then agree to the last unit.

use std::fmt;

use crate::fit::FEWEST_SIZES;

/// A term of a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Term {
    /// `n^k`
    Power(u32),
    /// `floor(log2 n)`
    Log,
    /// `n floor(log2 n)`
    PowerLog,
    /// `2^n`
    Exponential,
}

impl Term {
    fn at(self, n: u64) -> Option<i128> {
        let (number, log) = (i128::from(n), i128::from(n.checked_ilog2().unwrap_or(0)));
        match self {
            Term::Power(k) => number.checked_pow(k),
            Term::Log => Some(log),
            Term::PowerLog => number.checked_mul(log),
            Term::Exponential => (n < 100).then(|| 1i128 << n),
        }
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Term::Power(0) => f.write_str(""),
            Term::Power(1) => f.write_str("n"),
            Term::Power(k) => write!(f, "n^{k}"),
            Term::Log => f.write_str("floor(log2 n)"),
            Term::PowerLog => f.write_str("n floor(log2 n)"),
            Term::Exponential => f.write_str("2^n"),
        }
    }
}

/// The forms that are tried, the simplest first; terms in ascending order of growth.
fn forms() -> Vec<Vec<Term>> {
    let powers = |most: u32| (0..=most).map(Term::Power).collect::<Vec<Term>>();
    let with = |terms: &[Term], one: Term| [terms, &[one]].concat();
    vec![
        powers(0),
        powers(1),
        with(&powers(0), Term::Log),
        powers(2),
        with(&powers(1), Term::Exponential),
        with(&powers(1), Term::PowerLog),
        vec![Term::Power(0), Term::Log, Term::Power(1), Term::PowerLog],
        powers(3),
        powers(4),
    ]
}

/// A fraction in lowest terms with a positive denominator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fraction {
    above: i128,
    below: i128,
}

impl Fraction {
    const ZERO: Fraction = Fraction { above: 0, below: 1 };

    fn whole(above: i128) -> Fraction {
        Fraction { above, below: 1 }
    }

    fn new(above: i128, below: i128) -> Option<Fraction> {
        if below == 0 {
            return None;
        }
        let divisor = gcd(above.checked_abs()?, below.checked_abs()?).max(1);
        let divisor = if below < 0 { -divisor } else { divisor };
        Some(Fraction { above: above / divisor, below: below / divisor })
    }

    fn minus(self, other: Fraction) -> Option<Fraction> {
        let one = self.above.checked_mul(other.below)?;
        let two = other.above.checked_mul(self.below)?;
        Fraction::new(one.checked_sub(two)?, self.below.checked_mul(other.below)?)
    }

    fn times(self, other: Fraction) -> Option<Fraction> {
        // Reduced crosswise first, so that less overflows.
        let one = Fraction::new(self.above, other.below)?;
        let two = Fraction::new(other.above, self.below)?;
        Fraction::new(one.above.checked_mul(two.above)?, one.below.checked_mul(two.below)?)
    }

    fn over(self, other: Fraction) -> Option<Fraction> {
        let turned = Fraction::new(other.below, other.above)?;
        self.times(turned)
    }
}

fn gcd(one: i128, other: i128) -> i128 {
    if other == 0 { one } else { gcd(other, one % other) }
}

/// The simplest form that all points follow exactly, in words of mathematics; none if there is none, or fewer than
/// [`FEWEST_SIZES`] points: what is too little for a class is too little for a form.
pub fn exact(points: &[(u64, u64)]) -> Option<String> {
    if points.len() < FEWEST_SIZES {
        return None;
    }
    forms().iter().find_map(|terms| {
        // One more point than coefficients, or anything would fit.
        if points.len() <= terms.len() {
            return None;
        }
        let coefficients = solved(terms, points)?;
        let holds = |&(n, cost): &(u64, u64)| {
            let sum = terms.iter().zip(&coefficients).try_fold(Fraction::ZERO, |sum, (term, coefficient)| {
                let part = coefficient.times(Fraction::whole(-term.at(n)?))?;
                sum.minus(part)
            });
            sum == Some(Fraction::whole(cost.into()))
        };
        let leading = coefficients.last().is_some_and(|last| last.above != 0) || terms.len() == 1;
        (leading && points.iter().all(holds)).then(|| written(terms, &coefficients))
    })
}

/// The coefficients that give the costs of the first points: Gauss's elimination.
fn solved(terms: &[Term], points: &[(u64, u64)]) -> Option<Vec<Fraction>> {
    let count = terms.len();
    let mut rows: Vec<Vec<Fraction>> = Vec::new();
    for &(n, cost) in points.iter().take(count) {
        let mut row: Vec<Fraction> = terms.iter().map(|term| term.at(n).map(Fraction::whole)).collect::<Option<_>>()?;
        row.push(Fraction::whole(cost.into()));
        rows.push(row);
    }
    for column in 0..count {
        let pivot = (column..count).find(|&row| rows[row][column].above != 0)?;
        rows.swap(column, pivot);
        let head = rows[column][column];
        for cell in &mut rows[column] {
            *cell = cell.over(head)?;
        }
        let base = rows[column].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|(row, _)| *row != column) {
            let factor = row[column];
            for (cell, base) in row.iter_mut().zip(&base) {
                *cell = cell.minus(factor.times(*base)?)?;
            }
        }
    }
    Some(rows.into_iter().map(|row| row[count]).collect())
}

/// `(3n^2 + n)/2 + 7` is written over one denominator: `(3n^2 + n + 14)/2`.
fn written(terms: &[Term], coefficients: &[Fraction]) -> String {
    let below = coefficients.iter().fold(1i128, |below, fraction| below / gcd(below, fraction.below) * fraction.below);
    let mut text = String::new();
    for (term, coefficient) in terms.iter().zip(coefficients).rev() {
        let number = coefficient.above * (below / coefficient.below);
        if number == 0 {
            continue;
        }
        match (text.is_empty(), number < 0) {
            (true, true) => text.push('-'),
            (true, false) => {}
            (false, true) => text.push_str(" - "),
            (false, false) => text.push_str(" + "),
        }
        let (size, name) = (number.unsigned_abs(), term.to_string());
        match (size, *term) {
            (_, Term::Power(0)) => text.push_str(&size.to_string()),
            (1, _) => text.push_str(&name),
            (_, Term::Exponential | Term::Log | Term::PowerLog) => text.push_str(&format!("{size} {name}")),
            _ => text.push_str(&format!("{size}{name}")),
        }
    }
    match (text.is_empty(), below) {
        (true, _) => "0".to_string(),
        (false, 1) => text,
        (false, below) => format!("({text})/{below}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(cost: impl Fn(u64) -> u64, sizes: &[u64]) -> Option<String> {
        exact(&sizes.iter().map(|&n| (n, cost(n))).collect::<Vec<_>>())
    }

    #[test]
    fn closed_forms_are_found_exactly() {
        let sizes = [3, 5, 8, 13, 64, 1001, 100_000];
        let small = [3, 5, 8, 13, 20, 33, 41];
        assert_eq!(of(|_| 7, &sizes).as_deref(), Some("7"));
        assert_eq!(of(|n| 6 * n + 1, &sizes).as_deref(), Some("6n + 1"));
        assert_eq!(of(|n| n * (n - 1) / 2, &sizes).as_deref(), Some("(n^2 - n)/2"));
        assert_eq!(of(|n| (1 << n) - 1, &small).as_deref(), Some("2^n - 1"));
        assert_eq!(of(|n| n * n * n + 4, &sizes).as_deref(), Some("n^3 + 4"));
        assert_eq!(of(|n| 5 * u64::from(n.ilog2()) + 3, &sizes).as_deref(), Some("5 floor(log2 n) + 3"));
        assert_eq!(of(|n| n * u64::from(n.ilog2()) + 2 * n, &sizes).as_deref(), Some("n floor(log2 n) + 2n"));
        assert_eq!(of(|n| n * (n - 1) * (n - 2) / 6, &sizes).as_deref(), Some("(n^3 - 3n^2 + 2n)/6"));
    }

    /// One unit off at one size is not exact, and as many points as coefficients prove nothing.
    #[test]
    fn nothing_else_is() {
        let sizes = [3, 5, 8, 13, 64, 1001];
        assert_eq!(of(|n| 6 * n + u64::from(n == 64), &sizes), None);
        assert_eq!(of(|n| n * n, &sizes[..4]), None);
        assert_eq!(exact(&[(1, 1), (2, 16), (3, 81), (4, 256), (5, 625)]), None, "a fourth power through five points");
        assert_eq!(exact(&[(u64::MAX, 3), (u64::MAX - 1, 9), (7, 8), (9, u64::MAX)]), None, "nothing overflows");
    }
}
