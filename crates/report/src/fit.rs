//! Which complexity class a list of sizes and costs belongs to, how well it fits, which class comes next, and whether
//! the data can tell at all.
//!
//! A model is an offset, the class's term and, where there are enough sizes, one term of lower order: `5 n log n + 7 n - 6`
//! is `n log n`, and without its linear term it would look like n^1.2. Coefficients minimise relative residuals, so that
//! small sizes count as much as large ones. Models are compared by leave-one-out cross-validation (each size but the
//! smallest is predicted from all others), which punishes both too few terms and too many. Exponents and bases that are
//! fitted (n^1.58, 1.62^n) are always a little better than fixed ones; they are chosen only where they are clearly
//! better.

use serde::{Deserialize, Serialize};

use crate::class::Class;

/// How a cost grows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Growth {
    /// The class; none where the data do not tell.
    pub class: Option<Class>,
    /// Why there is no class, in words.
    pub why_not: Option<String>,
    /// The best fit, also where it is not good enough for a class; none with too few sizes.
    pub fit: Option<Fit>,
    /// The best fit of any other class.
    pub runner_up: Option<Fit>,
}

/// A class with its coefficients.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fit {
    /// The class, which is that of the leading term.
    pub class: Class,
    /// The sum of these is the cost; leading term last.
    pub terms: Vec<Term>,
    /// The smallest size that was fitted.
    pub from: u64,
    /// The greatest size; see [`Term::at_largest`].
    pub largest: u64,
    /// Root mean square of the relative errors when each size but the smallest is predicted from all others: 0.01 is one
    /// per cent.
    pub error: f64,
    /// The greatest relative distance between a cost and the fit.
    pub max_error: f64,
    /// The share of the costs' variance that the fit explains, at most 1; meaningless for the class `1`.
    pub r_squared: f64,
}

/// One term of a fit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Term {
    /// Its function.
    pub class: Class,
    /// Its value at the largest size. The coefficient itself may be too small for an `f64` if the function is `n!`.
    pub at_largest: f64,
}

impl Fit {
    /// The fitted cost at a size.
    pub fn at(&self, n: f64) -> f64 {
        let largest = self.largest as f64;
        self.terms.iter().map(|term| term.at_largest * scaled(term.class, n, largest)).sum()
    }

    /// The fit as a formula: `12.5 n^2 + 3 n - 20`. Coefficients too small to matter are left out.
    pub fn formula(&self) -> String {
        let mut text = String::new();
        let total = self.at(self.largest as f64).abs();
        for term in self.terms.iter().rev() {
            let coefficient = term.at_largest / scaled_inverse(term.class, self.largest as f64);
            let is_leading = term.class == self.class;
            if !is_leading && (term.at_largest.abs() < 1e-9 * total || coefficient.abs() < 1e-6) {
                continue;
            }
            let number = three_digits(coefficient.abs());
            match (text.is_empty(), coefficient < 0.0) {
                (true, false) => {}
                (true, true) => text.push('-'),
                (false, false) => text.push_str(" + "),
                (false, true) => text.push_str(" - "),
            }
            match (term.class, number.as_str()) {
                (Class::Constant, _) => text.push_str(&number),
                (class, "1") => text.push_str(&class.to_string()),
                (class, _) => text.push_str(&format!("{number} {class}")),
            }
        }
        text
    }
}

/// The function's value at a size, where its value at the largest size is 1. A function that is 0 there is 0.
fn scaled(class: Class, n: f64, largest: f64) -> f64 {
    let (ln, most) = (class.ln(n), class.ln(largest));
    if ln == f64::NEG_INFINITY || most == f64::NEG_INFINITY { 0.0 } else { (ln - most).exp() }
}

/// What a term's value is divided by to give its coefficient.
fn scaled_inverse(class: Class, largest: f64) -> f64 {
    class.ln(largest).exp()
}

fn three_digits(number: f64) -> String {
    if number == 0.0 {
        return "0".to_string();
    }
    if !(1e-4..1e15).contains(&number) {
        return format!("{number:.2e}");
    }
    let digits = (2 - number.log10().floor() as i32).max(0) as usize;
    let text = format!("{number:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}

/// With fewer sizes than this no class is named.
pub const FEWEST_SIZES: usize = 5;

/// Added in quadrature to every error, which evens out smaller ones. Rounding and special cases for small sizes keep
/// real costs from following any formula more closely, so a difference between two smaller errors says nothing.
const FLOOR: f64 = 0.005;

/// An error up to this is due to rounding: the model is exact.
const EXACT: f64 = 1e-7;

/// A model with a greater error than this says too little about growth for a class. Costs of real programs that a wrong
/// class was once named for were 8 to 15 % from it.
const GREATEST_ERROR: f64 = 0.05;
/// The same for `log n`: a search makes a whole number of steps, so its costs are up to half a step from the formula.
const GREATEST_ERROR_OF_LOG: f64 = 0.1;

/// How much steeper than a fitted exponent the costs may become towards the largest size.
const OUTGROWN: f64 = 0.05;

/// As many of the smallest sizes may be left out if the others then follow a formula exactly: small inputs often take
/// another path through a program, such as the insertion sort of a quicksort.
const SMALL_SIZES: usize = 2;

/// Another class whose error is less than this many times the best one's cannot be excluded.
const CLOSE: f64 = 1.5;

/// How many times smaller than the best fixed class's the error of a fitted exponent or base must be, where it has no more
/// parameters and there are at least [`MANY_SIZES`].
const CLEARLY_BETTER: f64 = 2.0;
/// The same where it has more parameters or there are fewer sizes.
const MUCH_BETTER: f64 = 3.0;
/// With this many sizes or more, [`CLEARLY_BETTER`] is enough.
const MANY_SIZES: usize = 7;

/// A fixed class with an error up to this is good enough; a fitted exponent that is a little better proves nothing.
const GOOD: f64 = 0.01;

/// A term of lower order must make the error this many times smaller.
const WORTH_A_TERM: f64 = 1.3;

/// The leading term must make up at least this part of the growth.
const LEADING_SHARE: f64 = 0.3;
/// A negative term of lower order may take away at most this part of the leading term's value.
const NEGATIVE_SHARE: f64 = 0.9;

/// A fitted exponent this close to a fixed one is not a class of its own.
const NEAR_EXPONENT: f64 = 0.1;

/// The classes with fixed exponents and the terms of lower order that belong to them.
const FIXED: [(Class, &[Class]); 9] = [
    (Class::Constant, &[]),
    (Class::Logarithmic, &[]),
    (Class::Power(1.0), &[Class::Logarithmic]),
    (Class::PowerLog(1.0), &[Class::Power(1.0)]),
    (Class::Power(2.0), &[Class::Power(1.0)]),
    (Class::PowerLog(2.0), &[Class::Power(2.0)]),
    (Class::Power(3.0), &[Class::Power(2.0)]),
    (Class::Exponential(2.0), &[Class::Power(1.0)]),
    (Class::Factorial, &[Class::Exponential(2.0)]),
];

/// Fits all classes to sizes and costs and chooses among them. Sizes are ascending and distinct, from 1; a cost of 0
/// counts as 1, because errors are relative.
pub fn fit(points: &[(u64, f64)]) -> Growth {
    let points: Vec<Point> = points.iter().map(|&(size, cost)| Point { n: size as f64, cost: cost.max(1.0) }).collect();
    if points.len() < FEWEST_SIZES {
        let sizes = if points.len() == 1 { "is only 1 size".to_string() } else { format!("are {}", points.len()) };
        return Growth::none(format!("{FEWEST_SIZES} sizes are needed, and there {sizes}"), None, None);
    }
    let growth = choose(&points, models(&points));
    if growth.fit.as_ref().is_some_and(|fit| fit.max_error > EXACT) {
        for left_out in (1..=SMALL_SIZES).filter(|left_out| points.len() - left_out >= FEWEST_SIZES) {
            let rest = &points[left_out..];
            let models = models(rest);
            if models.iter().any(|model| model.is_exact(rest)) {
                return choose(rest, models);
            }
        }
    }
    growth
}

fn models(points: &[Point]) -> Vec<Model> {
    let fixed = FIXED.iter().filter_map(|(class, lower)| Shape::simplest(*class, lower, points));
    let fitted =
        [Class::Power as fn(f64) -> Class, Class::Exponential].into_iter().filter_map(|family| fitted(family, points));
    fixed.chain(fitted).collect()
}

impl Growth {
    fn none(why: String, fit: Option<Fit>, runner_up: Option<Fit>) -> Growth {
        Growth { class: None, why_not: Some(why), fit, runner_up }
    }
}

#[derive(Clone, Copy, Debug)]
struct Point {
    n: f64,
    cost: f64,
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
struct Model {
    shape: Shape,
    /// Values of the terms at the largest size.
    values: Vec<f64>,
    /// The error by cross-validation.
    error: f64,
    max_error: f64,
}

impl Model {
    fn class(&self) -> Class {
        self.shape.class()
    }

    /// The number of coefficients, and of what is fitted besides them.
    fn parameters(&self) -> usize {
        self.values.len() + usize::from(self.shape.family.is_some())
    }

    /// The error, with [`FLOOR`] added in quadrature.
    fn score(&self) -> f64 {
        self.error.hypot(FLOOR)
    }

    /// Whether the costs become steeper from size to size, and at last clearly steeper than a fitted exponent: then a
    /// greater class begins to show.
    fn is_outgrown(&self, points: &[Point]) -> bool {
        let Class::Power(exponent) = self.class() else { return false };
        let slope = |pair: &[Point]| (pair[1].cost / pair[0].cost).ln() / (pair[1].n / pair[0].n).ln();
        let slopes: Vec<f64> = points.windows(2).map(slope).collect();
        self.shape.family.is_some()
            && slopes.is_sorted()
            && slopes.last().is_some_and(|&last| last > exponent + OUTGROWN)
    }

    fn is_exact(&self, points: &[Point]) -> bool {
        self.max_error <= EXACT && self.error <= 1e3 * EXACT && self.parameters() + 2 <= points.len()
    }

    fn finish(&self, points: &[Point]) -> Fit {
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
        Class::Power(k) => [1.0, 2.0, 3.0].iter().any(|fixed| (k - fixed).abs() < NEAR_EXPONENT),
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

/// The best model, if the data single it out.
fn choose(points: &[Point], mut models: Vec<Model>) -> Growth {
    models.sort_by(|x, y| x.score().total_cmp(&y.score()));
    let exact = |model: &Model| model.is_exact(points);
    let simplest_exact = (0..models.len()).filter(|&i| exact(&models[i])).min_by_key(|&i| (models[i].parameters(), i));
    let Some(first_fixed) = models.iter().position(|model| model.shape.family.is_none()) else {
        return Growth::none("no class describes these costs".to_string(), None, None);
    };
    // How far the best fitted exponent or base is ahead of the best fixed class, and how far it must be.
    let (ahead, needed) = (
        models[first_fixed].score() / models[0].score(),
        match models[0].parameters() <= models[first_fixed].parameters() {
            true if points.len() >= MANY_SIZES => CLEARLY_BETTER,
            _ => MUCH_BETTER,
        },
    );
    let best = match simplest_exact {
        Some(index) => index,
        None if ahead >= needed => 0,
        None if ahead >= CLOSE && models[first_fixed].error > GOOD => {
            let (fitted, fixed) = (models[0].finish(points), models[first_fixed].finish(points));
            let why = format!(
                "{} fits better than {}, but not clearly; a wider range of sizes would tell",
                fitted.class, fixed.class
            );
            return Growth::none(why, Some(fitted), Some(fixed));
        }
        None => {
            // Among models that are about as good, the one with the fewest terms is chosen.
            let limit = models[first_fixed].score() * CLOSE;
            (first_fixed..models.len())
                .filter(|&i| models[i].shape.family.is_none() && models[i].score() < limit)
                .min_by_key(|&i| models[i].parameters())
                .unwrap_or(first_fixed)
        }
    };
    let best = models.remove(best);
    let fit = best.finish(points);
    let runner_up = models.first().map(|model| model.finish(points));
    let greatest = if best.class() == Class::Logarithmic { GREATEST_ERROR_OF_LOG } else { GREATEST_ERROR };
    if best.error > greatest {
        let why = format!("no class comes nearer than {:.0} %", 100.0 * best.error);
        return Growth::none(why, Some(fit), runner_up);
    }
    if best.is_outgrown(points) {
        let why =
            format!("towards the largest size the cost grows faster than {}; larger sizes would tell", best.class());
        return Growth::none(why, Some(fit), runner_up);
    }
    let span = points[points.len() - 1].n / points[0].n;
    if best.class() == Class::Constant && span < 4.0 {
        let why = "the cost hardly changes, and the sizes are close together".to_string();
        return Growth::none(why, Some(fit), runner_up);
    }
    // A model with more terms nearly contains the simpler ones. That it fits as well says nothing; that it fits better
    // says something only where the simpler one is not good.
    let rival = models.iter().find(|model| {
        (model.shape.family.is_none() || best.error > GOOD)
            && (model.parameters() <= best.parameters() || (best.error > GOOD && model.score() < best.score()))
            && model.score() < CLOSE * best.score()
            && simplest_exact.is_none()
    });
    if let Some(rival) = rival {
        let why =
            format!("{} and {} fit about as well; a wider range of sizes would tell", best.class(), rival.class());
        let rival = rival.finish(points);
        return Growth::none(why, Some(fit), Some(rival));
    }
    Growth { class: Some(best.class()), why_not: None, fit: Some(fit), runner_up }
}
