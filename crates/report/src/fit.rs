//! Which complexity class a list of sizes and costs belongs to, how well it fits, which class comes next, and whether
//! the data can tell at all.
//!
//! Models (`model.rs`) are compared by how well they predict a size from the others. Exponents and bases that are
//! fitted (n^1.58, 1.62^n) are always a little better than fixed ones; they are chosen only where they are clearly
//! better, and where the same exponent holds for small and for large sizes. Costs are what a search found, so a class is
//! named only if what it leaves unexplained is no more than what the search itself left open.
//!
//! Models are an offset, the class's term and at most one term of lower order, fitted to relative residuals and
//! compared by leave-one-out cross-validation (AICc needs more sizes than a curve has). The greatest error of a class
//! is 2 % and what the searches gained late, or 5 % where the costs scatter around it: a wrong class bends away from
//! them. Fitted exponents (n^1.58) always fit a little better, so they need clear evidence, and where two classes are
//! about as good the answer is that the data do not tell.

use serde::{Deserialize, Serialize};

use crate::class::Class;
use crate::doubts::Uncounted;
use crate::model::{EXACT, FLOOR, Model, Point, models, scaled};

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
    /// What costs leave out and what may grow faster than they do, because of which there is no class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uncounted: Option<Uncounted>,
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

    /// The error, with [`FLOOR`] added in quadrature.
    pub(crate) fn score(&self) -> f64 {
        self.error.hypot(FLOOR)
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

/// A model with a greater error than this says too little about growth for a class. Costs of real programs that a wrong
/// class was once named for were 8 to 15 % from it.
const GREATEST_ERROR: f64 = 0.05;
/// The same for `log n`: a search makes a whole number of steps, so its costs are up to half a step from the formula.
const GREATEST_ERROR_OF_LOG: f64 = 0.1;

/// What rounding, steps of a program and other small irregularities explain where every cost is certain.
const UNEVENNESS: f64 = 0.02;

/// As many of the smallest sizes may be left out if the others then follow a formula exactly or clearly better: small
/// inputs often take another path through a program, such as the insertion sort of a quicksort.
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

/// Costs that grow as little as `log n` must grow by this many times the error, or they may as well be constant.
const GROWTH_BEYOND_NOISE: f64 = 4.0;

/// Costs that lie this far above and below a class by turns may be due to steps, such as those of a table that doubles:
/// it may take twice the memory and three times the work from one element to the next. Greater ones are chaos.
const STEPS: f64 = 0.2;

/// A fitted exponent with an error up to this describes every size. Above it, the smallest ones may follow another law.
const SMOOTH: f64 = 0.005;

/// An exponent that is up to this much above that of a class cannot be told from its product with log n by costs that
/// follow neither exactly: over sizes from 8 to 100, n log n is like n^1.3, and up to 10,000 like n^1.16.
const LIKE_A_LOGARITHM: f64 = 0.36;

/// Fits all classes to sizes and costs and chooses among them. Sizes are ascending and distinct, from 1; a cost of 0
/// counts as 1, because errors are relative.
pub fn fit(points: &[(u64, f64)]) -> Growth {
    fit_within(points, GREATEST_ERROR)
}

/// The greatest error of a class for costs of which the search may have missed these parts (0.01 is one per cent).
pub fn explained(missed: impl IntoIterator<Item = f64>) -> f64 {
    let (sum, count) = missed.into_iter().fold((0.0, 0.0f64), |(sum, count), part| (sum + part * part, count + 1.0));
    (UNEVENNESS + (sum / count.max(1.0)).sqrt()).min(GREATEST_ERROR)
}

/// The same as [`fit`], where no class with an error above this is named unless the costs scatter around it.
pub fn fit_within(points: &[(u64, f64)], greatest: f64) -> Growth {
    let points: Vec<Point> = points.iter().map(|&(size, cost)| Point { n: size as f64, cost: cost.max(1.0) }).collect();
    if points.len() < FEWEST_SIZES {
        let sizes = if points.len() == 1 { "is only 1 size".to_string() } else { format!("are {}", points.len()) };
        return Growth::none(format!("{FEWEST_SIZES} sizes are needed, and there {sizes}"), None, None);
    }
    let growth = choose(&points, models(&points), greatest);
    let Some(whole) = growth.fit.as_ref().filter(|fit| fit.max_error > EXACT) else { return growth };
    let rests = (1..=SMALL_SIZES).filter(|left_out| points.len() - left_out >= FEWEST_SIZES);
    let rests: Vec<(&[Point], Vec<Model>)> =
        rests.map(|left_out| &points[left_out..]).map(|rest| (rest, models(rest))).collect();
    if let Some((rest, models)) = rests.iter().find(|(rest, models)| models.iter().any(|model| model.is_exact(rest))) {
        return choose(rest, models.clone(), greatest);
    }
    for (rest, models) in rests {
        let without = choose(rest, models, greatest);
        let Some(fit) = &without.fit else { continue };
        if is_fitted(fit.class) {
            continue;
        }
        // That a formula suits fewer sizes better is no wonder, unless it does so by far.
        if without.class.is_some() && fit.error <= GOOD && CLEARLY_BETTER * fit.score() <= whole.score() {
            return without;
        }
        if growth.class.is_some_and(is_fitted) && whole.error > SMOOTH && fit.error <= greatest {
            let from = rest[0].n;
            let why = format!("{} fits best, but from n = {from} on {} does as well", whole.class, fit.class);
            return Growth::none(format!("{why}; larger sizes would tell"), growth.fit, without.fit);
        }
    }
    growth
}

/// Whether the exponent or the base is none of the fixed ones.
fn is_fitted(class: Class) -> bool {
    match class {
        Class::Power(k) | Class::PowerLog(k) => ![0.5, 1.0, 2.0, 3.0].contains(&k),
        Class::Exponential(base) => base != 2.0,
        Class::Constant | Class::Logarithmic | Class::Factorial => false,
    }
}

/// Whether the exponent of `power` is one that `other`, with its logarithm, looks like.
fn is_like_a_logarithm(power: Class, other: Class) -> bool {
    matches!((power, other), (Class::Power(k), Class::PowerLog(whole)) if k > whole && k <= whole + LIKE_A_LOGARITHM)
}

impl Growth {
    pub(crate) fn none(why: String, fit: Option<Fit>, runner_up: Option<Fit>) -> Growth {
        Growth { class: None, why_not: Some(why), fit, runner_up, uncounted: None }
    }
}

/// The best model, if the data single it out, and its error is not above the greatest.
fn choose(points: &[Point], mut models: Vec<Model>, greatest: f64) -> Growth {
    models.sort_by(|x, y| x.score().total_cmp(&y.score()));
    let exact = |model: &Model| model.is_exact(points);
    let simplest_exact = (0..models.len()).filter(|&i| exact(&models[i])).min_by_key(|&i| (models[i].parameters(), i));
    let Some(first_fixed) = models.iter().position(|model| !model.is_fitted()) else {
        return Growth::none("no class describes these costs".to_string(), None, None);
    };
    let (first, fixed) = (&models[0], &models[first_fixed]);
    // How far the best fitted exponent or base is ahead of the best fixed class, and how far it must be.
    let (ahead, needed) = (
        fixed.score() / first.score(),
        match first.parameters() <= fixed.parameters() {
            true if points.len() >= MANY_SIZES => CLEARLY_BETTER,
            _ => MUCH_BETTER,
        },
    );
    let stands_for_a_logarithm = is_like_a_logarithm(first.class(), fixed.class()) && fixed.error <= greatest;
    let best = match simplest_exact {
        Some(index) => index,
        None if ahead >= needed && !stands_for_a_logarithm => 0,
        None if ahead >= CLOSE && !stands_for_a_logarithm && fixed.error > GOOD => {
            let (fitted, fixed) = (first.finish(points), fixed.finish(points));
            let why = format!(
                "{} fits better than {}, but not clearly; a wider range of sizes would tell",
                fitted.class, fixed.class
            );
            return Growth::none(why, Some(fitted), Some(fixed));
        }
        None => {
            // Among models that are about as good, the one with the fewest terms is chosen.
            let limit = fixed.score() * CLOSE;
            (first_fixed..models.len())
                .filter(|&i| !models[i].is_fitted() && models[i].score() < limit)
                .min_by_key(|&i| models[i].parameters())
                .unwrap_or(first_fixed)
        }
    };
    let best = models.remove(best);
    let fit = best.finish(points);
    let runner_up = models.first().map(|model| model.finish(points));
    if let Some((small, large)) = best.drift(points).filter(|_| simplest_exact.is_none()) {
        let (turn, from, to) = (if large > small { "rises" } else { "falls" }, points[0].n, points[points.len() - 1].n);
        let why = format!("the exponent still {turn}, from {small:.1} near n = {from} to {large:.1} near n = {to}");
        return Growth::none(format!("{why}; larger sizes would tell"), Some(fit), runner_up);
    }
    let greatest = match best.class() {
        Class::Logarithmic => GREATEST_ERROR_OF_LOG,
        _ if best.scatters(points) => GREATEST_ERROR,
        _ => greatest,
    };
    if best.error > greatest {
        let why = match best.error > GREATEST_ERROR {
            true if best.scatters(points) && best.error < STEPS => {
                let steps = "the costs go up by steps; sizes that double from one to the next might tell";
                format!("no class comes nearer than {:.0} %: {steps}", 100.0 * best.error)
            }
            true => format!("no class comes nearer than {:.0} %", 100.0 * best.error),
            false => {
                let (error, most) = (100.0 * best.error, 100.0 * greatest);
                format!("no class comes nearer than {error:.1} %, and the searches leave only {most:.1} % open")
            }
        };
        return Growth::none(why, Some(fit), runner_up);
    }
    let (first, last) = (points[0].n, points[points.len() - 1].n);
    if best.class() == Class::Constant && last < 4.0 * first {
        let why = "the cost hardly changes, and the sizes are close together".to_string();
        return Growth::none(why, Some(fit), runner_up);
    }
    if best.class() == Class::Logarithmic && fit.at(last) / fit.at(first) - 1.0 < GROWTH_BEYOND_NOISE * best.error {
        let why = "the cost hardly changes; a wider range of sizes would tell whether it grows".to_string();
        return Growth::none(why, Some(fit), runner_up);
    }
    // A model with more terms nearly contains the simpler ones. That it fits as well says nothing; that it fits better
    // says something only where the simpler one is not good.
    let rival = models.iter().find(|model| {
        let counts = match (best.is_fitted(), model.is_fitted()) {
            (false, true) => best.error > GOOD && !is_like_a_logarithm(model.class(), best.class()),
            _ => true,
        };
        counts
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
    Growth { class: Some(best.class()), why_not: None, fit: Some(fit), runner_up, uncounted: None }
}
