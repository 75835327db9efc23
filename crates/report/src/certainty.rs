//! Every sentence that says how sure a result is, and of what.
//!
//! What is said to be certain, proved, settled, equal, exact or of a class is said here and nowhere else, from evidence
//! that is handed in as values: what was seen, up to which domain, with what left out. A test of this crate looks for such
//! words in the rest of the sources (`crates/report/tests/integration/certainty.rs`).

use std::fmt::Display;

use pessimum_outcome::CostModel;

use crate::class::Class;
use crate::compare::{ComparedCost, Comparison};
use crate::cover::Reason;
use crate::curve::{CurvePoint, CurveResult, Standing};
use crate::gate::Verdict;
use crate::grown::{self, By, Doubt, Grown};
use crate::result::Recurrence;
use crate::text::{counted, grouped, seconds};

/// Puts colour on a word, where there is any.
pub type Ink<'a> = &'a dyn Fn(&str) -> String;

/// Every input of a search belongs to a path that was run.
pub const EVERY_PATH: &str = "every feasible path was seen";

/// Nothing else can be given to the program.
pub const EVERY_INPUT: &str = "every input was run";

/// A search that saw everything, and in which no run was completed.
pub const ACCEPTS_NONE: &str = "the program accepts no input of this size";

/// Nothing in a call is input.
pub const NOTHING_VARIES: &str = "there is nothing to search: every run is the same";

/// What a search says of the greatest cost that it found.
pub struct Search<'a> {
    /// Whether every feasible path was seen.
    pub complete: bool,
    /// How many inputs there are, if each of them was run.
    pub every_input: Option<u64>,
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
        let seen = match search.every_input {
            Some(inputs) => format!("{certain}{EVERY_INPUT} ({} in {elapsed})", grouped(inputs)),
            None => format!("{certain}{EVERY_PATH} ({paths} run in {elapsed})"),
        };
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
pub fn heading(every_input: Option<u64>, paths: u64, elapsed_s: f64, domain: Option<&str>) -> (String, String) {
    let seen = match every_input {
        Some(inputs) => format!("{EVERY_INPUT}: {} in {}", counted(inputs, "input", "inputs"), seconds(elapsed_s)),
        None => format!("{EVERY_PATH}: {} in {}", counted(paths, "path", "paths"), seconds(elapsed_s)),
    };
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
pub fn of_point(point: &CurvePoint, standing: Standing) -> String {
    let paths = grouped(point.paths);
    let reached = grouped(point.reached_at);
    let gained = 100.0 * point.late_gain;
    let is_early = point.reached_at.saturating_mul(2) <= point.paths;
    let sure = match standing {
        Standing::Certain => format!("certain: all paths seen ({paths} run)"),
        Standing::Exhausted => format!("nothing left to try after {}", counted(point.paths, "path", "paths")),
        Standing::NotSearched => "not searched: no path was done in this time".to_string(),
        Standing::FewPaths => format!("not settled: only {}", counted(point.paths, "path", "paths")),
        Standing::CutOff => "not settled: the run was cut off".to_string(),
        Standing::Below { size, cost } => format!("not settled: n = {size} costs more, {}", grouped(cost)),
        Standing::Improving => format!("improving: {gained:.0} % in the second half of {paths} paths"),
        Standing::Late => format!("not settled: at path {reached} of {paths}"),
        Standing::Settled if point.reached_at == 0 => format!("settled: none of {paths} beats a random input"),
        Standing::Settled if point.late_gain < 0.0005 || is_early => format!("settled: at path {reached} of {paths}"),
        Standing::Settled => format!("settled but for {gained:.1} %: at path {reached} of {paths}"),
    };
    match point.end.as_str() {
        "returned" => sure,
        end => format!("{sure}; {end}"),
    }
}

/// How sure the sizes of a curve are together.
pub fn of_curve(result: &CurveResult) -> Vec<String> {
    let standings = Standing::of(&result.points);
    let count = |wanted: &[Standing]| standings.iter().filter(|of| wanted.contains(of)).count();
    let sure = [
        (count(&[Standing::Certain]), "certain"),
        (count(&[Standing::Settled]), "settled"),
        (count(&[Standing::Exhausted]), "with nothing left to try"),
    ];
    let rest = standings.len() - sure.iter().map(|(count, _)| count).sum::<usize>();
    let parts = sure.into_iter().chain([(rest, "not settled")]).filter(|(count, _)| *count > 0);
    let parts: Vec<String> = parts.map(|(count, name)| format!("{count} {name}")).collect();
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
    let standings = Standing::of(&result.points);
    let certain = standings.iter().filter(|of| **of == Standing::Certain).count();
    let settled = certain + standings.iter().filter(|of| **of == Standing::Settled).count();
    let sizes = counted(result.points.len() as u64, "size", "sizes");
    let more = format!("{certain} of them certain; searched for {}", seconds(result.elapsed_s));
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

/// The same of the inputs of one pattern.
pub fn pattern_grows(class: Class) -> String {
    if class == Class::Constant { "does not grow".to_string() } else { grows_like(named(class)) }
}

/// What a class is about: the worst case itself only where every cost is certain.
pub fn subject_of(verdict: &grown::Verdict) -> &'static str {
    if verdict.grown.is_some_and(|grown| grown.certain) { "worst case" } else { "worst found" }
}

/// How it grows and up to which size that was seen; `class` is the class's name as it is shown.
pub fn grows(grown: &Grown, class: impl Display) -> String {
    let up_to = format!("up to n = {}", grouped(grown.up_to));
    let text = match grown.class {
        Class::Constant if !grown.certain => format!("no growth was found {up_to}"),
        // Between the sizes the worst case may do something else, such as for odd ones.
        _ if grown.certain => format!("{} at these sizes, {up_to}", grows_like(class)),
        _ => format!("{}, {up_to}", grows_like(class)),
    };
    let by = match grown.by {
        By::SearchAlone => ", as the searches have it: no pattern comes near them",
        By::Search | By::Pattern => "",
    };
    let doubt = match grown.doubt {
        Some(Doubt::LowerTerms(part)) => {
            format!("; lower terms are still {:.0} % of the cost there", 100.0 * part)
        }
        Some(Doubt::Steeper) => "; the last sizes grow faster than that".to_string(),
        None => String::new(),
    };
    text + by + &doubt
}

/// The same as a sentence without its end, for gates and reports.
pub fn all_grow(grown: &Grown) -> String {
    let text = grows(grown, grown.class);
    match (grown.class, grown.certain) {
        (_, true) => format!("the worst case {text}"),
        (Class::Constant, false) => text,
        (_, false) => format!("the cost of the worst inputs found {text}"),
    }
}

/// What is known where there is no class.
pub fn not_known(verdict: &grown::Verdict) -> String {
    let least = verdict.at_least.map(|class| format!("; at least {}", named(class)));
    format!("not known: {}{}", verdict.why_not(), least.unwrap_or_default())
}

/// Heading, class and sentence of the same, in a report.
pub fn growth_of(verdict: &grown::Verdict) -> (&'static str, String, String) {
    match &verdict.grown {
        Some(grown) if grown.certain => ("Worst case grows as", grown.class.to_string(), grows(grown, grown.class)),
        Some(grown) => ("Worst found grows as", grown.class.to_string(), grows(grown, grown.class)),
        None => ("Worst found grows as", "not enough data".to_string(), not_known(verdict)),
    }
}

/// The heading of the class of random inputs, in a report.
pub const RANDOM_GROWS: &str = "Random average grows as";

/// The verdict on a class, for a gate; `most` is the limit that was given.
pub fn class_verdict(known: &grown::Verdict, most: Option<Class>) -> (Verdict, String) {
    let grows = match (&known.grown, known.at_least) {
        (Some(grown), _) => all_grow(grown),
        (None, Some(least)) => format!("a pattern {}", grows_like(least)),
        (None, None) => format!("it is not known how the worst case grows: {}", known.why_not()),
    };
    match most.map(|most| (most, known.is_above(most))) {
        Some((most, Some(true))) => (Verdict::Failed, format!("{grows}, above --fail-above-class {most}")),
        Some((most, Some(false))) => (Verdict::Passed, format!("{grows}, not above --fail-above-class {most}")),
        Some((_, None)) => (Verdict::Unknown, grows),
        // Without a limit there is nothing to check.
        None => (Verdict::Passed, grows),
    }
}

/// How the costs of two versions grow, where that differs.
pub fn grows_instead(b: Class, a: Class) -> String {
    format!("its worst inputs found grow like {b}, not {a}")
}

/// Costs that follow a closed form without any error. `cost` is the name of what is counted: lines of Python are named,
/// because much of what they do is not among them.
pub fn exactly(formula: &str, cost: &str) -> String {
    let unit = match (cost == CostModel::Lines.name(), formula) {
        (true, "1") => " line",
        (true, _) => " lines",
        (false, _) => "",
    };
    // Behind some formulas it is said where they hold.
    let end = [" for ", " from "].iter().filter_map(|word| formula.find(word)).min().unwrap_or(formula.len());
    format!("exactly {}{unit}{}", &formula[..end], &formula[end..])
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

/// A run whose whole state came back.
pub fn never_ends(recurs: Recurrence) -> String {
    let [after, every] = [recurs.after, recurs.every].map(|count| counted(count, "instruction", "instructions"));
    format!("never ends: after {after} its state repeats exactly every {every}")
}
