//! Models of a cost: an offset, the term of a class and, where there are enough sizes, one term of lower order:
//! `5 n log n + 7 n - 6` is `n log n`, and without its linear term it would look like n^1.2. Coefficients minimise relative
//! residuals, so that small sizes count as much as large ones. Models are judged by leave-one-out cross-validation (each
//! size but the smallest is predicted from all others), which punishes both too few terms and too many.

use crate::class::Class;
use crate::fit::{Fit, Term};

/// Added in quadrature to every error, which evens out smaller ones. Rounding and special cases for small sizes keep
/// real costs from following any formula more closely, so a difference between two smaller errors says nothing.
pub(crate) const FLOOR: f64 = 0.005;

/// An error up to this is due to rounding: the model is exact.
pub(crate) const EXACT: f64 = 1e-7;

/// A term of lower order must make the error this many times smaller.
const WORTH_A_TERM: f64 = 1.3;

/// The leading term must make up at least this part of the growth.
const LEADING_SHARE: f64 = 0.3;

/// A negative term of lower order may take away at most this part of the leading term's value.
const NEGATIVE_SHARE: f64 = 0.9;

/// A fitted exponent this close to a fixed one is not a class of its own.
const NEAR_EXPONENT: f64 = 0.1;

/// Exponents of the smaller and of the larger sizes that differ by more than this are not one exponent. Noise of 1 %
/// moves them by 0.02, a term of lower order by up to 0.08.
const DRIFT: f64 = 0.1;
/// How much steeper than a fitted exponent the costs may become towards the largest size, if they become steeper from
/// size to size.
const OUTGROWN: f64 = 0.05;

/// The classes with fixed exponents and the terms of lower order that belong to them.
const FIXED: [(Class, &[Class]); 10] = [
    (Class::Constant, &[]),
    (Class::Logarithmic, &[]),
    (Class::Power(0.5), &[]),
    (Class::Power(1.0), &[Class::Logarithmic]),
    (Class::PowerLog(1.0), &[Class::Power(1.0)]),
    (Class::Power(2.0), &[Class::Power(1.0)]),
    (Class::PowerLog(2.0), &[Class::Power(2.0)]),
    (Class::Power(3.0), &[Class::Power(2.0)]),
    (Class::Exponential(2.0), &[Class::Power(1.0)]),
    (Class::Factorial, &[Class::Exponential(2.0)]),
];

/// The function's value at a size, where its value at the largest size is 1. A function that is 0 there is 0.
pub(crate) fn scaled(class: Class, n: f64, largest: f64) -> f64 {
    let (ln, most) = (class.ln(n), class.ln(largest));
    if ln == f64::NEG_INFINITY || most == f64::NEG_INFINITY { 0.0 } else { (ln - most).exp() }
}

/// The models of all classes that describe a growing cost.
pub(crate) fn models(points: &[Point]) -> Vec<Model> {
    let fixed = FIXED.iter().filter_map(|(class, lower)| Shape::simplest(*class, lower, points));
    let fitted =
        [Class::Power as fn(f64) -> Class, Class::Exponential].into_iter().filter_map(|family| fitted(family, points));
    fixed.chain(fitted).collect()
}

/// A size and its cost, which is at least 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    pub n: f64,
    pub cost: f64,
}

/// A model's terms, before it has coefficients.
#[derive(Clone, Debug)]
struct Shape {
    /// Leading term last; the offset first.
    terms: Vec<Class>,
    /// What is fitted besides the coefficients: the exponent or the base.
    family: Option<fn(f64) -> Class>,
}

/// A shape with coefficients, and how well it predicts.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    shape: Shape,
    /// Values of the terms at the largest size.
    values: Vec<f64>,
    /// The error by cross-validation.
    pub error: f64,
    max_error: f64,
}

impl Model {
    pub fn class(&self) -> Class {
        self.shape.class()
    }

    /// Whether its exponent or base was fitted.
    pub fn is_fitted(&self) -> bool {
        self.shape.family.is_some()
    }

    /// The number of coefficients, and of what is fitted besides them.
    pub fn parameters(&self) -> usize {
        self.values.len() + usize::from(self.shape.family.is_some())
    }

    /// The error, with [`FLOOR`] added in quadrature.
    pub fn score(&self) -> f64 {
        self.error.hypot(FLOOR)
    }

    /// The exponents of small and of large sizes, where those of a fitted power differ: then a class with terms of
    /// another order begins to show, or the searches lag behind at one end.
    pub fn drift(&self, points: &[Point]) -> Option<(f64, f64)> {
        let Class::Power(exponent) = self.class() else { return None };
        if !self.is_fitted() {
            return None;
        }
        let steps: Vec<f64> = points.windows(2).filter_map(|pair| slope(pair.iter().map(|p| (p.n, p.cost)))).collect();
        if let (Some(&first), Some(&last)) = (steps.first(), steps.last())
            && steps.is_sorted()
            && last > exponent + OUTGROWN
        {
            return Some((first, last));
        }
        // The offset is taken off, because it alone makes small sizes flat.
        let offset = self.values[0];
        let exponent_of = |part: &[Point]| {
            let above = part.iter().filter(|point| point.cost - offset > 0.5 * point.cost);
            slope(above.map(|point| (point.n, point.cost - offset)))
        };
        let middle = points.len() / 2;
        let (small, large) = (exponent_of(&points[..=middle])?, exponent_of(&points[middle..])?);
        ((large - small).abs() > DRIFT).then_some((small, large))
    }

    /// Whether the costs lie above and below the model by turns. Noise and steps of a program do; a wrong class is too
    /// low or too high over long stretches, and crosses the costs no more often than it has parameters.
    pub fn scatters(&self, points: &[Point]) -> bool {
        let largest = points[points.len() - 1].n;
        let is_above = |point: &Point| self.shape.value(&self.values, point.n, largest) > point.cost;
        let crossings = points.windows(2).filter(|pair| is_above(&pair[0]) != is_above(&pair[1])).count();
        crossings > self.parameters()
    }

    pub fn is_exact(&self, points: &[Point]) -> bool {
        self.max_error <= EXACT && self.error <= 1e3 * EXACT && self.parameters() + 2 <= points.len()
    }

    pub fn finish(&self, points: &[Point]) -> Fit {
        let largest = points[points.len() - 1].n;
        let mean = points.iter().map(|point| point.cost).sum::<f64>() / points.len() as f64;
        let (mut residual, mut total) = (0.0, 0.0);
        for point in points {
            let fitted = self.shape.value(&self.values, point.n, largest);
            residual += (point.cost - fitted).powi(2);
            total += (point.cost - mean).powi(2);
        }
        let terms = self.shape.terms.iter().zip(&self.values);
        Fit {
            class: self.class(),
            terms: terms.map(|(&class, &at_largest)| Term { class, at_largest }).collect(),
            from: points[0].n as u64,
            largest: largest as u64,
            error: self.error,
            max_error: self.max_error,
            r_squared: if total > 0.0 { 1.0 - residual / total } else { 1.0 },
        }
    }
}

impl Shape {
    fn class(&self) -> Class {
        *self.terms.last().expect("an offset at least")
    }

    /// The best of the shapes with this leading term: a term of lower order is included only if it is worth it.
    fn simplest(class: Class, lower: &[Class], points: &[Point]) -> Option<Model> {
        let base = if class == Class::Constant { vec![class] } else { vec![Class::Constant, class] };
        let mut best = Shape { terms: base, family: None }.model(points);
        for &term in lower {
            let shape = Shape { terms: vec![Class::Constant, term, class], family: None };
            if shape.terms.len() + 2 <= points.len()
                && let Some(model) = shape.model(points)
                && best.as_ref().is_none_or(|best| {
                    WORTH_A_TERM * model.score() < best.score() || (model.is_exact(points) && !best.is_exact(points))
                })
            {
                best = Some(model);
            }
        }
        best
    }

    fn value(&self, values: &[f64], n: f64, largest: f64) -> f64 {
        self.terms.iter().zip(values).map(|(&class, value)| value * scaled(class, n, largest)).sum()
    }

    /// Coefficients by relative least squares: the values of the terms at size `largest`.
    fn coefficients(&self, points: &[Point], largest: f64) -> Option<Vec<f64>> {
        let columns: Vec<Vec<f64>> = self
            .terms
            .iter()
            .map(|&class| points.iter().map(|point| scaled(class, point.n, largest) / point.cost).collect())
            .collect();
        least_squares(columns, vec![1.0; points.len()])
    }

    /// None if the shape does not describe a growing cost.
    fn model(&self, points: &[Point]) -> Option<Model> {
        let largest = points[points.len() - 1].n;
        let values = self.coefficients(points, largest)?;
        if !self.is_sensible(&values, points) {
            return None;
        }
        let mut max_error = 0f64;
        for point in points {
            max_error = max_error.max((self.value(&values, point.n, largest) / point.cost - 1.0).abs());
        }
        let mut squares = 0.0;
        // The smallest size is never left out: how well larger sizes predict it says little about growth.
        for left_out in 1..points.len() {
            let rest: Vec<Point> =
                points.iter().enumerate().filter(|(i, _)| *i != left_out).map(|(_, point)| *point).collect();
            let shape = self.refitted(&rest);
            let values = shape.coefficients(&rest, largest)?;
            let predicted = shape.value(&values, points[left_out].n, largest);
            squares += (predicted / points[left_out].cost - 1.0).powi(2);
        }
        let error = (squares / (points.len() - 1) as f64).sqrt();
        error.is_finite().then(|| Model { shape: self.clone(), values, error, max_error })
    }

    /// Whether the leading term grows and matters, costs are positive, and no lower term cancels it out.
    fn is_sensible(&self, values: &[f64], points: &[Point]) -> bool {
        let (first, last) = (points[0], points[points.len() - 1]);
        if self.class() == Class::Constant {
            return values[0] > 0.0;
        }
        let leading = values[values.len() - 1];
        let growth = leading * (1.0 - scaled(self.class(), first.n, last.n));
        let whole = self.value(values, last.n, last.n) - self.value(values, first.n, last.n);
        leading > 0.0
            && whole > 0.0
            && growth >= LEADING_SHARE * whole
            && values[1..values.len() - 1].iter().all(|&value| value >= -NEGATIVE_SHARE * leading)
            && points.iter().all(|point| self.value(values, point.n, last.n) > 0.0)
    }

    /// The same shape with the exponent or base that suits these points best.
    fn refitted(&self, points: &[Point]) -> Shape {
        match self.family {
            Some(family) => best_of_family(family, points).unwrap_or_else(|| self.clone()),
            None => self.clone(),
        }
    }

    /// Sum of the squares of the relative residuals.
    fn residual(&self, points: &[Point]) -> f64 {
        let largest = points[points.len() - 1].n;
        let Some(values) = self.coefficients(points, largest) else { return f64::INFINITY };
        if values[values.len() - 1] <= 0.0 {
            return f64::INFINITY;
        }
        points.iter().map(|point| (self.value(&values, point.n, largest) / point.cost - 1.0).powi(2)).sum()
    }
}

/// The model with a fitted exponent or base, unless it is nearly a fixed one.
fn fitted(family: fn(f64) -> Class, points: &[Point]) -> Option<Model> {
    let shape = best_of_family(family, points)?;
    let near = match shape.class() {
        Class::Power(k) => [0.5, 1.0, 2.0, 3.0].iter().any(|fixed| (k - fixed).abs() < NEAR_EXPONENT),
        // Nobody would call growth by a base near 1 exponential.
        Class::Exponential(base) => (base - 2.0).abs() < NEAR_EXPONENT || base < 1.1,
        _ => false,
    };
    if near { None } else { shape.model(points) }
}

/// Exponents from 0.3 (smaller ones cannot be told from log n) to 8 and bases from 1.05 to 20, in steps that become
/// finer, down to the two decimals that are shown.
fn best_of_family(family: fn(f64) -> Class, points: &[Point]) -> Option<Shape> {
    const STEPS: u32 = 24;
    let (least, most) = match family(2.0) {
        Class::Power(_) => (0.3, 8.0),
        _ => (1.05f64, 20.0),
    };
    let shape = |parameter: f64| {
        let parameter = (100.0 * parameter).round() / 100.0;
        Shape { terms: vec![Class::Constant, family(parameter)], family: Some(family) }
    };
    let (mut from, mut to): (f64, f64) = (least, most);
    loop {
        let factor = (to / from).powf(1.0 / f64::from(STEPS));
        let tried = (0..=STEPS).map(|i| from * factor.powf(f64::from(i))).map(|x| (shape(x).residual(points), x));
        let (residual, at) = tried.min_by(|x, y| x.0.total_cmp(&y.0))?;
        if !residual.is_finite() {
            return None;
        }
        if at * (factor - 1.0) < 0.005 {
            return Some(shape(at));
        }
        (from, to) = ((at / factor).max(least), (at * factor).min(most));
    }
}

/// The exponent of the power that suits sizes and costs best, by least squares; none for a single size.
fn slope(points: impl Iterator<Item = (f64, f64)>) -> Option<f64> {
    let points: Vec<(f64, f64)> = points.map(|(n, cost)| (n.ln(), cost.ln())).collect();
    let count = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0 / count, y + point.1 / count));
    let (mut squares, mut products) = (0.0, 0.0);
    for point in points {
        squares += (point.0 - x).powi(2);
        products += (point.0 - x) * (point.1 - y);
    }
    (squares > 0.0).then(|| products / squares)
}

/// Solves for the coefficients of the columns by modified Gram-Schmidt; none where columns depend on each other.
fn least_squares(mut columns: Vec<Vec<f64>>, mut target: Vec<f64>) -> Option<Vec<f64>> {
    let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    let count = columns.len();
    if target.len() < count {
        return None;
    }
    let mut upper = vec![vec![0.0; count]; count];
    let mut right = vec![0.0; count];
    for i in 0..count {
        let before = upper[..i].iter().map(|row| row[i] * row[i]).sum::<f64>();
        let norm = dot(&columns[i], &columns[i]).sqrt();
        if !norm.is_finite() || norm <= 1e-12 * before.sqrt() || norm == 0.0 {
            return None;
        }
        upper[i][i] = norm;
        columns[i].iter_mut().for_each(|x| *x /= norm);
        let (done, rest) = columns.split_at_mut(i + 1);
        for (j, column) in rest.iter_mut().enumerate() {
            let part = dot(&done[i], column);
            upper[i][i + 1 + j] = part;
            column.iter_mut().zip(&done[i]).for_each(|(x, q)| *x -= part * q);
        }
        right[i] = dot(&columns[i], &target);
        target.iter_mut().zip(&columns[i]).for_each(|(x, q)| *x -= right[i] * q);
    }
    for i in (0..count).rev() {
        let known: f64 = (i + 1..count).map(|j| upper[i][j] * right[j]).sum();
        right[i] = (right[i] - known) / upper[i][i];
    }
    right.iter().all(|value| value.is_finite()).then_some(right)
}
