//! Every sentence that says how sure a result is, and of what.
//!
//! What is said to be certain, proved, settled, equal, exact or of a class is said here and nowhere else, from evidence
//! that is handed in as values: what was seen, up to which domain, with what left out. A test of this crate looks for such
//! words in the rest of the sources (`crates/report/tests/certainty.rs`).

use std::fmt::Display;

use pessimum_outcome::CostModel;

use crate::class::Class;
use crate::compare::{ComparedCost, Comparison};
use crate::cover::Reason;
use crate::curve::{CurvePoint, CurveResult};
use crate::gate::Verdict;
use crate::text::{counted, grouped, seconds};
use crate::work::Uncounted;

/// Puts colour on a word, where there is any.
pub type Ink<'a> = &'a dyn Fn(&str) -> String;

/// Every input of a search belongs to a path that was run.
pub const EVERY_PATH: &str = "every feasible path was seen";

/// What a search says of the greatest cost that it found.
pub struct Search<'a> {
    /// Whether every feasible path was seen.
    pub complete: bool,
    /// Whether every run crashed in the same place, so that no cost is anybody's worst case.
    pub always: bool,
    /// Paths of the whole search, and how long it took.
    pub paths: u64,
    /// Wall clock.
    pub elapsed_s: f64,
    /// Why it ended, in words.
    pub stopped: &'a str,
    /// When the best was found.
    pub best: Best,
    /// For which inputs that holds, where the types in the source permit more.
    pub domain: Option<&'a str>,
}

/// For which inputs something is certain or proved; nothing where that is for all.
pub fn bounded(domain: Option<&str>) -> Option<String> {
    domain.map(|domain| format!("for {domain}"))
}

/// When the best input of a search was found.
pub enum Best {
    /// Nothing is known about it.
    Unknown,
    /// An input that was run before the first path costs as much.
    BeforeThem,
    /// So much before the end.
    Before {
        /// Seconds.
        seconds: f64,
        /// Paths.
        paths: u64,
        /// Whether that is less than half of it.
        improving: bool,
    },
}

/// How sure the greatest cost of a search is.
pub fn of_search(search: &Search<'_>, good: Ink<'_>) -> Vec<String> {
    let (paths, elapsed) = (counted(search.paths, "path", "paths"), seconds(search.elapsed_s));
    if search.complete {
        let certain = if search.always { String::new() } else { good("certain") + ": " };
        let seen = format!("{certain}{EVERY_PATH} ({paths} run in {elapsed})");
        return [seen].into_iter().chain(bounded(search.domain)).collect();
    }
    let mut lines = vec![format!("best of {paths} in {elapsed}, {}", search.stopped)];
    lines.extend(match search.best {
        Best::Unknown => None,
        Best::BeforeThem => Some("not certain: no path costs more than an input run before them".to_string()),
        Best::Before { paths: 0, .. } => Some("not certain: the last path was the best".to_string()),
        Best::Before { seconds: quiet, paths, improving } => {
            let (quiet, paths) = (seconds(quiet), counted(paths, "path", "paths"));
            Some(match improving {
                true => format!("not certain: still improving {quiet} and {paths} before the end"),
                false => format!("not certain; nothing better in the last {quiet} and {paths}"),
            })
        }
    });
    lines
}

/// The heading and the sentence of a search that saw everything, in a report.
pub fn heading(paths: u64, elapsed_s: f64, domain: Option<&str>) -> (String, String) {
    let seen = format!("{EVERY_PATH}: {} in {}", counted(paths, "path", "paths"), seconds(elapsed_s));
    let bounded = bounded(domain).map_or_else(String::new, |domain| format!(", {domain}"));
    ("Certain".to_string(), seen + &bounded)
}

/// Behind the costliest of so many sequences of calls, of which nobody knows how many there are.
pub fn best_of(runs: &str) -> String {
    format!("best of {runs}; not certain")
}

/// Behind a cost, in brackets; nothing where it is not certain.
pub fn in_brackets(complete: bool, domain: Option<&str>) -> String {
    match (complete, bounded(domain)) {
        (false, _) => String::new(),
        (true, None) => " (certain)".to_string(),
        (true, Some(domain)) => format!(" (certain {domain})"),
    }
}

/// The number of feasible paths; `more` is what to say where there may be others.
pub fn paths(number: u64, complete: bool, more: &str) -> String {
    grouped(number) + if complete { ": all of them" } else { more }
}

/// How sure the cost of one size of a curve is.
pub fn of_point(point: &CurvePoint) -> String {
    let paths = grouped(point.paths);
    let reached = grouped(point.reached_at);
    let gained = 100.0 * point.late_gain;
    let is_early = point.reached_at.saturating_mul(2) <= point.paths;
    let sure = match point.complete {
        true => format!("certain: all paths seen ({paths} run)"),
        false if point.stopped == "finished" => {
            format!("nothing left to try after {}", counted(point.paths, "path", "paths"))
        }
        false if point.paths == 0 => "not searched: no path was done in this time".to_string(),
        false if point.reached_at == 0 => format!("settled: none of {paths} beats a random input"),
        false if point.late_gain < 0.0005 || (point.is_settled() && is_early) => {
            format!("settled: at path {reached} of {paths}")
        }
        false if point.is_settled() => format!("settled but for {gained:.1} %: at path {reached} of {paths}"),
        false => format!("improving: {gained:.0} % in the second half of {paths} paths"),
    };
    match point.end.as_str() {
        "returned" => sure,
        end => format!("{sure}; {end}"),
    }
}

/// The same in a word, for a table or a title in a report: what it is, or nothing.
pub fn word_of_point(point: &CurvePoint) -> Option<&'static str> {
    match (point.complete, point.is_settled()) {
        (true, _) => Some("certain"),
        (false, true) => Some("settled"),
        (false, false) => None,
    }
}

/// How sure the sizes of a curve are together.
pub fn of_curve(result: &CurveResult) -> Vec<String> {
    let count = |word: Option<&str>| result.points.iter().filter(|point| word_of_point(point) == word).count();
    let parts =
        [(count(Some("certain")), "certain"), (count(Some("settled")), "settled"), (count(None), "still improving")];
    let parts = parts.iter().filter(|(count, _)| *count > 0).map(|(count, name)| format!("{count} {name}"));
    let parts: Vec<String> = parts.collect();
    let sizes = counted(result.points.len() as u64, "size", "sizes");
    let paths = counted(result.points.iter().map(|point| point.paths).sum(), "path", "paths");
    let together = format!("{sizes}: {} ({paths} in {})", parts.join(", "), seconds(result.elapsed_s));
    let certain = result.points.iter().rev().find(|point| point.complete);
    let bounded = certain.and_then(|point| {
        bounded(point.domain.as_deref()).map(|domain| format!("certain at n = {} {domain}", point.size))
    });
    [together].into_iter().chain(bounded).collect()
}

/// Heading, number and sentence of the same, in a report.
pub fn settled_sizes(result: &CurveResult) -> (&'static str, String, String) {
    let settled = result.points.iter().filter(|point| point.is_settled()).count();
    let complete = result.points.iter().filter(|point| point.complete).count();
    let sizes = counted(result.points.len() as u64, "size", "sizes");
    let more = format!("{complete} of them certain; searched for {}", seconds(result.elapsed_s));
    ("Settled sizes", format!("{settled} of {sizes}"), more)
}

/// A class with its name: `n^2 (quadratic)`.
pub fn named(class: Class) -> String {
    match class.word() {
        Some(word) => format!("{class} ({word})"),
        None => class.to_string(),
    }
}

/// How something grows; `class` is its name as it is shown.
pub fn grows_like(class: impl Display) -> String {
    format!("grows like {class}")
}

/// How the worst case grows, where only the costs of searches say so.
pub const AS_THE_SEARCHES: &str = ", as the searches have it: no pattern comes near them";

/// How the worst case grows, as the sentence of a report says it. `by_search`: only the costs of searches say so.
pub fn worst_case_grows(class: Class, by_search: bool) -> String {
    let from = if by_search { AS_THE_SEARCHES } else { ", along the first pattern" };
    format!("The worst case {}{from}.", grows_like(class))
}

/// The verdict on a class, for a gate; `most` is the limit that was given.
pub fn class_verdict(found: Class, most: Option<Class>) -> (Verdict, String) {
    let grows = format!("the worst case {}", grows_like(found));
    match most {
        Some(most) if found.is_above(most) => (Verdict::Failed, format!("{grows}, above --fail-above-class {most}")),
        Some(most) => (Verdict::Passed, format!("{grows}, not above --fail-above-class {most}")),
        None => (Verdict::Passed, grows),
    }
}

/// Why a class is none of the worst case: random inputs, which it bounds, grow faster.
pub fn random_grows_faster(random: Class, worst: Option<Class>) -> String {
    let worst = worst.map_or_else(String::new, |worst| worst.to_string());
    format!("random inputs grow like {random}, so the worst case cannot grow like {worst}")
}

/// Costs that follow a closed form without any error. `cost` is the name of what is counted: lines of Python are named,
/// because much of what they do is not among them.
pub fn exactly(formula: &str, cost: &str) -> String {
    let unit = if cost == CostModel::Lines.name() { " lines" } else { "" };
    // Behind some formulas it is said where they hold.
    let end = [" for ", " from "].iter().filter_map(|word| formula.find(word)).min().unwrap_or(formula.len());
    format!("exactly {}{unit}{}", &formula[..end], &formula[end..])
}

/// Why no class is stated of costs that leave out what C code does.
pub fn not_stated(uncounted: &Uncounted) -> String {
    match uncounted {
        Uncounted::Grows { operation, place } => {
            format!("`{operation}` at {place} is C code whose work is not counted and may grow faster than what is")
        }
        Uncounted::Unbounded { operation, place, most } => {
            let most = grouped(*most);
            format!(
                "`{operation}` at {place} is C code whose work is not counted, and it was handed up to {most} elements"
            )
        }
        Uncounted::Unknown => "how the work of C code grows, which is not counted, could not be recorded".to_string(),
    }
}

/// The costs of two versions beside each other, where no more is to be said than that they are equal.
pub fn both_cost(at: &str, cost: u64) -> String {
    format!("both cost the same{at}: {}", grouped(cost))
}

/// How sure a comparison is.
pub fn of_comparison(result: &Comparison) -> Vec<String> {
    let sides: [Vec<&ComparedCost>; 2] =
        [result.points.iter().map(|point| &point.a).collect(), result.points.iter().map(|point| &point.b).collect()];
    if sides.iter().flatten().all(|cost| cost.complete) && !result.points.is_empty() {
        let bounded = bounded(result.points.last().and_then(|point| point.b.domain.as_deref()));
        return ["certain: every feasible path of both was seen".to_string()].into_iter().chain(bounded).collect();
    }
    let of = |side: &[&ComparedCost]| match side.iter().all(|cost| cost.complete) {
        true => "all of its paths".to_string(),
        false => counted(side.iter().map(|cost| cost.paths).sum(), "path", "paths"),
    };
    vec![format!("not certain: the worst of {} for A, and of {} for B", of(&sides[0]), of(&sides[1]))]
}

/// Why arms are not covered.
pub fn open(reason: Reason) -> &'static str {
    match reason {
        Reason::NotReached => "not reached",
        Reason::GaveUp => "not reached, and the solver gave up on it",
        Reason::Unreachable => "proved unreachable: every path was seen",
    }
}

/// For which inputs arms are unreachable, below a list of them.
pub fn unreachable_for(domain: &str) -> String {
    format!("What is unreachable is so for {domain}.")
}

/// The answer where no path reaches a place.
pub fn none_reaches(place: &str, spent: &str, domain: Option<&str>) -> Vec<String> {
    let none = format!("every path was seen ({spent}), and none reaches {place}");
    [none].into_iter().chain(bounded(domain)).collect()
}

/// A run that was cut off while it still went on.
pub fn cut_off_running() -> &'static str {
    "the run was cut off there and may never end"
}
