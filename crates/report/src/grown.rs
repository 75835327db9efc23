//! What is known of how the worst case grows: a class, and what it rests on.
//!
//! Costs of inputs that were run bound the worst case from below. A class of such costs is one of the worst inputs that were
//! found, up to the largest of their sizes; only where every cost is certain it is that of the worst case.

use crate::class::Class;
use crate::curve::CurveResult;
use crate::fit::{Fit, Growth};
use crate::pattern::{How, PatternResult};

/// A class, and what it rests on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grown {
    /// The class.
    pub class: Class,
    /// The largest size at which it was seen.
    pub up_to: u64,
    /// Whether every cost is certain.
    pub certain: bool,
    /// Which inputs say so.
    pub by: By,
    /// Why larger sizes may grow otherwise.
    pub doubt: Option<Doubt>,
}

/// Which inputs say how costs grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// Those that searches found.
    Search,
    /// The same, and no pattern comes near what they cost.
    SearchAlone,
    /// Those of a pattern.
    Pattern,
}

/// Why costs at larger sizes may grow otherwise than those that were fitted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Doubt {
    /// Terms of lower order are this part of the largest cost, more than a half.
    LowerTerms(f64),
    /// The last sizes are steeper than the class, and each step is steeper than the one before.
    Steeper,
}

/// All that is known of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The class; none where it is not known.
    pub grown: Option<Grown>,
    /// Why there is none.
    pub why_not: Option<String>,
    /// Where there is none, a class that some inputs have: the worst case grows no slower.
    pub at_least: Option<Class>,
}

impl Verdict {
    /// Whether it grows faster than this; none where that is not known.
    pub fn is_above(&self, most: Class) -> Option<bool> {
        match (self.grown, self.at_least) {
            (Some(grown), _) => Some(grown.class.is_above(most)),
            (None, Some(least)) if least.is_above(most) => Some(true),
            (None, _) => None,
        }
    }

    /// Why the class is not known.
    pub fn why_not(&self) -> &str {
        self.why_not.as_deref().unwrap_or("not enough data")
    }
}

impl CurveResult {
    /// What the searches say, or a pattern of the same program that grows faster.
    pub fn verdict(&self) -> Verdict {
        let by_search = of_searches(&self.worst, self);
        let known = self.known_pattern.as_ref().map(|pattern| Grown {
            class: pattern.class,
            up_to: pattern.up_to,
            certain: false,
            by: By::Pattern,
            doubt: None,
        });
        let (grown, at_least) = match (by_search, known) {
            (Some(found), Some(known)) if known.class.is_above(found.class) => (Some(known), None),
            (Some(found), _) => (Some(found), None),
            // Its class was given up because the pattern grows faster.
            (None, Some(known))
                if self.worst.uncounted.is_none()
                    && self.worst.fit.as_ref().is_some_and(|fit| known.class.is_above(fit.class)) =>
            {
                (Some(known), None)
            }
            (None, known) => (None, known.map(|known| known.class)),
        };
        Verdict { grown, why_not: self.worst.why_not.clone(), at_least }
    }
}

fn of_searches(growth: &Growth, curve: &CurveResult) -> Option<Grown> {
    let fit = growth.fit.as_ref();
    let up_to = fit.map_or(0, |fit| fit.largest);
    let fitted = || curve.points.iter().filter(|point| point.size <= up_to);
    let costs: Vec<(u64, f64)> = fitted().map(|point| (point.size, point.cost as f64)).collect();
    let certain = fitted().all(|point| point.complete);
    let doubt = fit.and_then(|fit| doubt(fit, &costs));
    Some(Grown { class: growth.class?, up_to, certain, by: By::Search, doubt })
}

impl PatternResult {
    /// What patterns and searches say together.
    pub fn verdict(&self) -> Verdict {
        let grown = match self.class_from.as_deref() {
            Some("search") if self.patterns.is_empty() => self.by_search(),
            Some("search") => self.by_search().map(|grown| Grown { by: By::SearchAlone, ..grown }),
            _ => self.class.and_then(|class| self.by_pattern(class)),
        };
        Verdict { grown, why_not: self.why_not.clone(), at_least: self.at_least }
    }

    /// What the searches say alone.
    pub fn by_search(&self) -> Option<Grown> {
        let growth = self.searched.as_ref()?;
        let (class, fit) = (growth.class?, growth.fit.as_ref()?);
        let searched = self.points.iter().filter(|(_, _, how)| *how == How::Searched);
        let costs: Vec<(u64, f64)> = searched.map(|&(size, cost, _)| (size, cost as f64)).collect();
        Some(Grown { class, up_to: fit.largest, certain: false, by: By::Search, doubt: doubt(fit, &costs) })
    }

    fn by_pattern(&self, class: Class) -> Option<Grown> {
        let found = self.patterns.iter().find(|found| found.growth.class == Some(class))?;
        let costs: Vec<(u64, f64)> = found.points.iter().map(|point| (point.size, point.cost as f64)).collect();
        let doubt = found.growth.fit.as_ref().and_then(|fit| doubt(fit, &costs));
        let up_to = costs.last().map_or(0, |&(size, _)| size);
        Some(Grown { class, up_to, certain: false, by: By::Pattern, doubt })
    }
}

/// A leading term that is a smaller part of the largest cost than this says little about sizes beyond it.
const LEADING: f64 = 0.5;

/// How much steeper than the class the last sizes must be.
const STEEPER: f64 = 0.02;

/// Why larger sizes may grow otherwise than a fit of these costs says; none if nothing points to it.
pub fn doubt(fit: &Fit, costs: &[(u64, f64)]) -> Option<Doubt> {
    let (whole, leading) = (fit.at(fit.largest as f64), fit.terms.last()?.at_largest);
    if leading < LEADING * whole {
        return Some(Doubt::LowerTerms(1.0 - leading / whole));
    }
    let fitted: Vec<(f64, f64)> = costs
        .iter()
        .filter(|(size, _)| (fit.from..=fit.largest).contains(size))
        .map(|&(size, cost)| ((size as f64).ln(), cost.max(1.0).ln()))
        .collect();
    let slope = |one: &(f64, f64), other: &(f64, f64)| (other.1 - one.1) / (other.0 - one.0);
    let [.., a, b, c, d] = &fitted[..] else { return None };
    let steps = [slope(a, b), slope(b, c), slope(c, d)];
    let of_class = (fit.class.ln(d.0.exp()) - fit.class.ln(c.0.exp())) / (d.0 - c.0);
    (steps.is_sorted() && steps[2] > steps[0] && steps[2] > of_class + STEEPER).then_some(Doubt::Steeper)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::fit;

    fn of(sizes: &[u64], cost: impl Fn(f64) -> f64) -> (Option<String>, Option<Doubt>) {
        let costs: Vec<(u64, f64)> = sizes.iter().map(|&n| (n, cost(n as f64).round())).collect();
        let growth = fit(&costs);
        let doubt = growth.fit.as_ref().and_then(|fit| doubt(fit, &costs));
        (growth.class.map(|class| class.to_string()), doubt)
    }

    const DOUBLING: [u64; 5] = [8, 16, 32, 64, 128];

    #[test]
    fn a_term_that_begins_to_show_is_told() {
        // The reviews' shapes: a linear term that rules below n = 300, and a start that rules.
        assert_eq!(of(&DOUBLING, |n| 2851.0 * n + 2.0 * n * n), (Some("n".into()), Some(Doubt::Steeper)));
        let (class, doubt) = of(&DOUBLING, |n| 3000.0 + 12.0 * n);
        assert_eq!(class.as_deref(), Some("n"));
        assert!(matches!(doubt, Some(Doubt::LowerTerms(part)) if (0.6..0.7).contains(&part)), "{doubt:?}");
    }

    #[test]
    fn a_plain_class_leaves_no_doubt() {
        assert_eq!(of(&DOUBLING, |n| 29.7 * n + 369.0), (Some("n".into()), None));
        assert_eq!(of(&DOUBLING, |n| 12.0 * n * n + 21.0 * n - 25.0), (Some("n^2".into()), None));
        assert_eq!(of(&DOUBLING, |n| 5.0 * n * n.log2() + 12.0 * n - 11.0), (Some("n log n".into()), None));
        assert_eq!(of(&[4, 6, 8, 10, 12, 14], |n| 9.0 * n.exp2() + 5.0), (Some("2^n".into()), None));
        assert_eq!(of(&DOUBLING, |_| 340.0), (Some("1".into()), None));
    }
}
