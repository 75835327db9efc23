//! Work that costs do not count: what C code does with what a Python program hands it. A line costs 1, whatever
//! `x in list`, `s += t` or `re.match` on it do.
//!
//! A class of costs is not one of the program's time where that work may grow faster than the costs do. Whether it may is
//! decided here, from bounds that recorded runs have told at several sizes.

use serde::{Deserialize, Serialize};

use crate::class::Class;
use crate::doubts::{self, Uncounted};
use crate::fit::{FEWEST_SIZES, Growth, fit};

/// What C code was handed in a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// Elements, bytes and pairs of digits that operations with a bound touched at most.
    pub total: u64,
    /// Those with the most of it, and all operations without a bound.
    pub operations: Vec<Operation>,
}

/// An operation in C at one place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operation {
    /// As in `x in list`.
    pub operation: String,
    /// As in `dup.py:4`.
    pub place: String,
    /// How often it was handed more than one element.
    pub times: u64,
    /// What it touched at most, all times together, where that is known: see `bounded`.
    pub units: u64,
    /// Whether `units` is a bound of its work. If not (`re.Pattern.match()`), it is the most elements or bytes that it was
    /// handed at once, and its work may be anything.
    pub bounded: bool,
}

impl Work {
    /// The operation that most of the work is in, one without a bound first; none where C did next to nothing.
    pub fn heaviest(&self) -> Option<&Operation> {
        let by = |bounded: bool| {
            let operations = self.operations.iter().filter(move |operation| operation.bounded == bounded);
            operations.max_by_key(|operation| operation.units)
        };
        by(false).or_else(|| by(true))
    }
}

/// A run whose work was recorded: size, cost, work.
pub type Recorded<'a> = (u64, u64, &'a Work);

/// The growth without its class, where that would say too little about time. `runs` are in ascending order of sizes.
pub fn judged(growth: Growth, runs: &[Recorded<'_>]) -> Growth {
    let Some(class) = growth.class else { return growth };
    match uncounted(class, runs) {
        Some(uncounted) => withheld(growth, uncounted),
        None => growth,
    }
}

/// A growth without its class, for this reason.
pub fn withheld(growth: Growth, uncounted: Uncounted) -> Growth {
    Growth { class: None, why_not: Some(doubts::not_stated(&uncounted)), uncounted: Some(uncounted), ..growth }
}

/// The growth without its class where the other one has none for such a reason.
pub fn as_in(growth: Growth, other: &Growth) -> Growth {
    match &other.uncounted {
        Some(uncounted) if growth.class.is_some() => withheld(growth, uncounted.clone()),
        _ => growth,
    }
}

/// The ratio of work to cost may be this many times greater at larger sizes than at smaller ones and still be the same.
const SAME: f64 = 1.05;

/// What may grow faster than costs of this class.
fn uncounted(class: Class, runs: &[Recorded<'_>]) -> Option<Uncounted> {
    let [.., (_, _, largest)] = runs else { return Some(Uncounted::Unknown) };
    if runs.len() < 2 {
        return Some(Uncounted::Unknown);
    }
    let (small, large) = runs.split_at(runs.len() / 2);
    let most = |runs: &[Recorded<'_>], wanted: &Operation| {
        let same = |operation: &&Operation| {
            !operation.bounded && operation.operation == wanted.operation && operation.place == wanted.place
        };
        let units = runs.iter().filter_map(|(_, _, work)| work.operations.iter().find(same)).map(|found| found.units);
        units.max().unwrap_or(0)
    };
    let unbounded = large.iter().flat_map(|(_, _, work)| &work.operations).filter(|operation| !operation.bounded);
    let grown = unbounded.filter(|operation| most(large, operation) > most(small, operation));
    if let Some(operation) = grown.max_by_key(|operation| operation.units) {
        let Operation { operation, place, units, .. } = operation.clone();
        return Some(Uncounted::Unbounded { operation, place, most: units });
    }
    if within(class, runs, small, large) {
        return None;
    }
    let heaviest = largest.operations.iter().filter(|operation| operation.bounded).max_by_key(|found| found.units);
    Some(heaviest.map_or(Uncounted::Unknown, |operation| {
        let Operation { operation, place, .. } = operation.clone();
        Uncounted::Grows { operation, place }
    }))
}

/// Whether the bound of the work grows no faster than the costs.
fn within(class: Class, runs: &[Recorded<'_>], small: &[Recorded<'_>], large: &[Recorded<'_>]) -> bool {
    let total = |runs: &[Recorded<'_>]| runs.iter().map(|(_, _, work)| work.total).max().unwrap_or(0);
    if total(large) <= total(small) {
        return true;
    }
    let points: Vec<(u64, f64)> = runs.iter().map(|(size, _, work)| (*size, work.total as f64)).collect();
    let of_work = if points.len() < FEWEST_SIZES { None } else { fit(&points).class };
    if let Some(of_work) = of_work {
        return !of_work.is_above(class);
    }
    let ratio = |runs: &[Recorded<'_>]| {
        let ratios = runs.iter().map(|&(_, cost, work)| work.total as f64 / cost.max(1) as f64);
        ratios.fold(0.0, f64::max)
    };
    ratio(large) <= SAME * ratio(small)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is stated of lines and of work that grow like this, in one operation.
    fn stated(lines: impl Fn(u64) -> u64, units: impl Fn(u64) -> u64, bounded: bool) -> Growth {
        let operation = |units| Operation { operation: "f()".into(), place: "a.py:1".into(), times: 1, units, bounded };
        let sizes = [4, 8, 16, 32, 64, 128];
        let work =
            |size| Work { total: if bounded { units(size) } else { 0 }, operations: vec![operation(units(size))] };
        let works = sizes.map(work);
        let runs: Vec<Recorded<'_>> = sizes.iter().zip(&works).map(|(&size, work)| (size, lines(size), work)).collect();
        let points: Vec<(u64, f64)> = sizes.map(|size| (size, lines(size) as f64)).to_vec();
        judged(fit(&points), &runs)
    }

    #[test]
    fn a_class_stays_where_work_grows_no_faster() {
        let class = |growth: Growth| growth.class.map(|class| class.to_string());
        assert_eq!(class(stated(|n| 3 * n + 3, |n| n, true)).as_deref(), Some("n"));
        assert_eq!(class(stated(|n| 3 * n + 3, |n| 50 * n - 20, true)).as_deref(), Some("n"));
        assert_eq!(class(stated(|n| n * n, |n| n * u64::from(n.ilog2()), true)).as_deref(), Some("n^2"));
        assert_eq!(class(stated(|_| 7, |_| 100, true)).as_deref(), Some("1"));
        assert_eq!(class(stated(|n| 3 * n, |_| 9, false)).as_deref(), Some("n"), "it is handed the same at every size");
        for (lines, units) in [(1, 2), (0, 1)] {
            let growth = stated(|n| 5 * n.pow(lines), |n| n.pow(units), true);
            assert_eq!((growth.class, growth.why_not.is_some()), (None, true));
            assert!(matches!(growth.uncounted, Some(Uncounted::Grows { .. })));
        }
        assert_eq!(stated(|n| 3 * n, |n| n * u64::from(n.ilog2()), true).class, None);
        assert!(matches!(stated(|n| n * n, |n| n, false).uncounted, Some(Uncounted::Unbounded { most: 128, .. })));
    }

    #[test]
    fn nothing_is_stated_of_what_was_not_recorded() {
        let points: Vec<(u64, f64)> = [4, 8, 16, 32, 64].map(|n| (n, 3.0 * n as f64)).to_vec();
        assert_eq!(judged(fit(&points), &[]).uncounted, Some(Uncounted::Unknown));
        let work = Work::default();
        assert_eq!(judged(fit(&points), &[(4, 12, &work)]).uncounted, Some(Uncounted::Unknown));
        assert_eq!(judged(fit(&points), &[(4, 12, &work), (64, 192, &work)]).uncounted, None);
    }
}
