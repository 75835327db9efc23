//! `pattern.json`: the rules behind worst inputs, and how costs grow along them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::class::Class;
use crate::curve::KnownPattern;
use crate::doubts;
use crate::fit::{FEWEST_SIZES, Fit, Growth, fit, fit_within};
use crate::work::Work;

/// What `pattern` and `curve --extend` leave behind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PatternResult {
    /// The module or source file, as on the command line.
    pub module: String,
    /// What was started; none for a WASI command.
    pub call: Option<String>,
    /// The cost model's name: the unit of every cost here.
    pub cost: String,
    /// The seed, which fixes everything but times.
    pub seed: u64,
    /// What `n` is: `size`, or `value` where it is the value of a parameter.
    pub growth_with: String,
    /// The class of the worst case; none where it is not known.
    pub class: Option<Class>,
    /// Why there is none.
    pub why_not: Option<String>,
    /// Where there is none, the steepest class of a pattern: the worst case grows no slower.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_least: Option<Class>,
    /// Which costs say so: `pattern` or `search`.
    pub class_from: Option<String>,
    /// The generator that grows fastest; none if no pattern was found.
    pub pattern: Option<Value>,
    /// The same in words; where there is no pattern, what the search has learnt instead.
    pub words: Option<String>,
    /// Its costs as a closed form, where they follow one exactly.
    pub formula: Option<String>,
    /// Size, cost and how it was found: all points of the searches, of the first pattern and of random inputs.
    pub points: Vec<(u64, u64, How)>,
    /// All patterns: one for each root cause, the fastest growth first.
    pub patterns: Vec<FoundPattern>,
    /// How the costs grow that the searches alone found; none without a search.
    pub searched: Option<Growth>,
    /// How the average of random inputs grows at the same sizes as the pattern.
    pub random: Option<Growth>,
    /// Generators that were run.
    pub tried: u64,
    /// Wall clock of everything.
    pub elapsed_s: f64,
    /// What was run, as words of a command line without `--size`.
    pub arguments: Vec<String>,
}

/// Where a point comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum How {
    /// A search at this size found it.
    Searched,
    /// The pattern's input of this size was run.
    Generated,
    /// The average of random inputs.
    Random,
}

/// One pattern with its growth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FoundPattern {
    /// The generator.
    pub pattern: Value,
    /// In words.
    pub words: String,
    /// Function and line that most of the cost is in.
    pub place: Option<String>,
    /// How its cost grows.
    pub growth: Growth,
    /// Its costs as a closed form, where they follow one exactly.
    pub formula: Option<String>,
    /// Its costs, by size.
    pub points: Vec<GeneratedPoint>,
    /// Why no larger size was run.
    pub stopped: String,
    /// How far it is behind what a search found at a small size.
    pub behind: Option<Behind>,
}

/// What the pattern's input costs at one size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GeneratedPoint {
    /// `n`.
    pub size: u64,
    /// The cost of the pattern's input.
    pub cost: u64,
    /// The average cost of a few random inputs of this size; none where none was run.
    pub random: Option<f64>,
    /// What C code was handed in the run, where that is recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work: Option<Work>,
}

/// A pattern that costs less than what a search found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Behind {
    /// The largest size at which both are known.
    pub size: u64,
    /// What the search found there.
    pub searched: u64,
    /// What the pattern costs there.
    pub generated: u64,
}

impl Behind {
    /// How much of the searched cost the pattern misses, from 0 to 1.
    pub fn part(&self) -> f64 {
        self.searched.saturating_sub(self.generated) as f64 / self.searched.max(1) as f64
    }

    /// Why a pattern that is so far behind has no say.
    fn why_not(&self) -> String {
        let (size, part) = (self.size, 100.0 * self.part());
        format!(
            "at n = {size} the pattern costs {part:.1} % less than what the search found: it is not the rule behind that"
        )
    }
}

/// A pattern that misses more than this part of what a search found says nothing about the worst case.
const FAR_BEHIND: f64 = 0.25;

/// What generated costs, which nothing but the program decides, may be off a class.
const UNEVEN: f64 = 0.02;

/// How far the exponent between the last two sizes may be below that of the class.
const LAST_EXPONENT: f64 = 0.2;

/// How costs grow that were run over several orders of magnitude. Where the small sizes follow another law, the large
/// ones decide: that is what they are for.
pub fn growth_of(points: &[(u64, u64)]) -> Growth {
    let points: Vec<(u64, f64)> = points.iter().map(|&(size, cost)| (size, cost as f64)).collect();
    let whole = fit_within(&points, UNEVEN);
    let holds = |growth: &Growth| growth.class.is_some_and(|class| follows(&points, class));
    if holds(&whole) {
        return whole;
    }
    let is_plain = |growth: &Growth| {
        growth.class.is_some_and(|class| match class {
            Class::Power(k) | Class::PowerLog(k) => k.fract() == 0.0 || k == 0.5,
            Class::Exponential(base) => base.fract() == 0.0,
            _ => true,
        })
    };
    let wide = |rest: &[(u64, f64)]| rest.len() >= FEWEST_SIZES && rest[rest.len() - 1].0 >= 16 * rest[0].0;
    for greatest in [UNEVEN, 0.05] {
        for from in 1..points.len() {
            let rest = &points[from..];
            if !wide(rest) {
                break;
            }
            let growth = fit_within(rest, greatest);
            if is_plain(&growth) && holds(&growth) {
                return growth;
            }
        }
    }
    let loose = fit(&points);
    match holds(&loose) {
        true => loose,
        false => Growth { class: None, why_not: whole.why_not.or(Some(UNFIT.to_string())), ..whole },
    }
}

const UNFIT: &str = "the last sizes grow more slowly than the class that fits best";

/// Whether the last sizes grow as fast as the class says.
fn follows(points: &[(u64, f64)], class: Class) -> bool {
    let [.., before, last] = points else { return true };
    let exponent = (last.1 / before.1.max(1.0)).ln() / (last.0 as f64 / before.0.max(1) as f64).ln();
    match class {
        Class::Power(k) | Class::PowerLog(k) => exponent >= k - LAST_EXPONENT,
        Class::Constant | Class::Logarithmic | Class::Exponential(_) | Class::Factorial => true,
    }
}

/// What is concluded from searches and patterns together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conclusion {
    /// The class; none where it is not known.
    pub class: Option<Class>,
    /// Why there is none.
    pub why_not: Option<String>,
    /// Where there is none, the steepest class of a pattern.
    pub at_least: Option<Class>,
    /// Which costs say so.
    pub from: Option<&'static str>,
}

/// The class of the worst inputs that were found. A pattern that comes near what the searches found is the rule behind it, and
/// the fastest one counts. One that is far behind counts only where it grows faster than what is known without it; where nothing is,
/// there is no class. That a pattern does not grow says nothing where the costs that were searched do, or may.
pub fn conclude(searched: Option<&Growth>, patterns: &[FoundPattern]) -> Conclusion {
    // What is not counted may be the worst of all.
    let growths = patterns.iter().map(|found| &found.growth).chain(searched);
    if let Some(growth) = growths.into_iter().find(|growth| growth.uncounted.is_some()) {
        return Conclusion { why_not: growth.why_not.clone(), ..Conclusion::default() };
    }
    let is_near = |found: &FoundPattern| found.behind.as_ref().is_none_or(|behind| behind.part() <= FAR_BEHIND);
    let near = patterns.iter().filter(|found| is_near(found)).find_map(|found| found.growth.class);
    let in_doubt = searched.filter(|growth| near == Some(Class::Constant) && growth.class != near);
    let near = near.filter(|_| in_doubt.is_none());
    let far = patterns.iter().filter(|found| !is_near(found)).find_map(|found| found.growth.class);
    let by_search = searched.and_then(|growth| growth.class).filter(|_| !patterns.iter().any(is_near));
    let known = near.map(|class| (class, "pattern")).or(by_search.map(|class| (class, "search")));
    match (known, far) {
        (Some((class, _)), Some(far)) if far.is_above(class) => {
            Conclusion { class: Some(far), from: Some("pattern"), ..Conclusion::default() }
        }
        (Some((class, from)), _) => Conclusion { class: Some(class), from: Some(from), ..Conclusion::default() },
        (None, far) => {
            let behind = patterns.iter().filter(|found| !is_near(found)).find_map(|found| found.behind.as_ref());
            let why = patterns.iter().filter(|found| is_near(found)).find_map(|found| found.growth.why_not.clone());
            let why = why.or_else(|| behind.map(Behind::why_not));
            let why = why.or_else(|| in_doubt.and_then(|growth| growth.class).map(doubts::searches_grow));
            let why = why.or_else(|| searched.and_then(|growth| growth.why_not.clone()));
            let why_not = Some(why.unwrap_or_else(|| "no pattern was found".to_string()));
            Conclusion { why_not, at_least: far, ..Conclusion::default() }
        }
    }
}

impl PatternResult {
    /// The steepest of the patterns; none where none has a class.
    pub fn steepest(&self) -> Option<KnownPattern> {
        let found = self.patterns.iter().find(|found| found.growth.class.is_some())?;
        let up_to = found.points.last()?.size;
        Some(KnownPattern { class: found.growth.class?, words: found.words.clone(), up_to })
    }
}

/// Sorts patterns by growth, the fastest first; among equals the one that costs most at the largest common size.
pub fn sort(patterns: &mut [FoundPattern]) {
    let rank = |one: &FoundPattern, other: &FoundPattern| {
        let (mine, theirs) = (class_of(one), class_of(other));
        match (mine, theirs) {
            (Some(mine), Some(theirs)) if mine.is_above(theirs) => std::cmp::Ordering::Less,
            (Some(mine), Some(theirs)) if theirs.is_above(mine) => std::cmp::Ordering::Greater,
            (Some(_), None) => std::cmp::Ordering::Less,
            (None, Some(_)) => std::cmp::Ordering::Greater,
            _ => at_common(other, one).cmp(&at_common(one, other)),
        }
    };
    patterns.sort_by(rank);
}

fn class_of(found: &FoundPattern) -> Option<Class> {
    found.growth.class.or(found.growth.fit.as_ref().map(|fit: &Fit| fit.class))
}

/// The cost of the first at the largest size that both have.
fn at_common(one: &FoundPattern, other: &FoundPattern) -> u64 {
    let has = |size: u64| other.points.iter().any(|point| point.size == size);
    one.points.iter().rev().find(|point| has(point.size)).map_or(0, |point| point.cost)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(sizes: &[u64], cost: impl Fn(u64) -> u64) -> Vec<(u64, u64)> {
        sizes.iter().map(|&n| (n, cost(n))).collect()
    }

    fn class(points: &[(u64, u64)]) -> Option<String> {
        growth_of(points).class.map(|class| class.to_string())
    }

    #[test]
    fn large_sizes_decide() {
        let sizes: Vec<u64> = (3..20).map(|i| 1 << i).collect();
        assert_eq!(class(&at(&sizes, |n| 7 * n + 1000)).as_deref(), Some("n"));
        assert_eq!(class(&at(&sizes, |n| n * n / 2 + 5000 * n)).as_deref(), Some("n^2"));
        let bounded = at(&sizes, |n| n * n.min(100) * 3 + 50);
        assert_eq!(class(&bounded).as_deref(), Some("n"), "quadratic up to 100 only");
        let deep = at(&sizes[..10], |n| if n < 50 { 40 * n * n } else { 3 * n * n + 11 });
        assert_eq!(class(&deep).as_deref(), Some("n^2"));
        assert_eq!(class(&at(&sizes, |n| n * u64::from(n.ilog2()) * 5 + 9 * n)).as_deref(), Some("n log n"));
        assert_eq!(class(&at(&[4, 6, 8, 10, 12, 14, 16], |n| 9 << n)).as_deref(), Some("2^n"));
    }

    fn found(class: Option<Class>, behind: Option<(u64, u64)>) -> FoundPattern {
        let why_not = class.is_none().then(|| "?".to_string());
        let growth = Growth { class, why_not, fit: None, runner_up: None, uncounted: None };
        FoundPattern {
            pattern: Value::Null,
            words: String::new(),
            place: None,
            growth,
            formula: None,
            points: Vec::new(),
            stopped: String::new(),
            behind: behind.map(|(searched, generated)| Behind { size: 16, searched, generated }),
        }
    }

    #[test]
    fn searches_count_where_no_pattern_comes_near() {
        let growth = |class| found(Some(class), None).growth;
        let (linear, quadratic) = (Class::Power(1.0), Class::Power(2.0));
        let says = |searched: Option<Class>, patterns: &[FoundPattern]| {
            let searched = searched.map(growth);
            let conclusion = conclude(searched.as_ref(), patterns);
            (conclusion.class.map(|class| class.to_string()), conclusion.from)
        };
        assert_eq!(says(Some(quadratic), &[found(Some(linear), None)]), (Some("n".into()), Some("pattern")));
        assert_eq!(
            says(Some(quadratic), &[found(Some(linear), Some((100, 30)))]),
            (Some("n^2".into()), Some("search"))
        );
        assert_eq!(says(Some(linear), &[found(Some(quadratic), Some((9, 1)))]), (Some("n^2".into()), Some("pattern")));
        assert_eq!(says(Some(linear), &[]), (Some("n".into()), Some("search")));
        assert_eq!(says(None, &[]), (None, None));
        assert_eq!(says(Some(quadratic), &[found(None, None)]), (None, None), "the pattern is near, but undecided");
        let constant = Class::Constant;
        assert_eq!(says(Some(linear), &[found(Some(constant), None)]), (None, None), "near, and yet costs grow");
        assert_eq!(says(Some(constant), &[found(Some(constant), None)]), (Some("1".into()), Some("pattern")));
    }

    /// The reviews' case: a linear pattern that costs 97.7 % less than what a search of unknown class found.
    #[test]
    fn a_pattern_far_behind_has_no_class_of_the_worst_case() {
        let unknown =
            Growth { class: None, why_not: Some("chaos".to_string()), uncounted: None, fit: None, runner_up: None };
        let (linear, quadratic) = (Class::Power(1.0), Class::Power(2.0));
        let far = |class| found(Some(class), Some((513_769, 12_062)));
        let says = |patterns: &[FoundPattern]| conclude(Some(&unknown), patterns);
        let said = says(&[far(linear)]);
        assert_eq!((said.class, said.at_least), (None, Some(linear)));
        assert_eq!(
            said.why_not.unwrap(),
            "at n = 16 the pattern costs 97.7 % less than what the search found: it is not the rule behind that"
        );
        // Costs that grew up to where the time ended, beside a pattern that does not grow.
        let flat = says(&[found(Some(Class::Constant), None)]);
        assert_eq!((flat.class, flat.why_not.as_deref()), (None, Some("chaos")));
        // What is near decides, and a steeper one that is behind at a small size still bounds the growth.
        assert_eq!(says(&[far(linear), found(Some(linear), Some((100, 76)))]).class, Some(linear));
        assert_eq!(says(&[far(quadratic), found(Some(linear), None)]).class, Some(quadratic));
        let undecided = says(&[far(linear), found(None, None)]);
        assert_eq!((undecided.class, undecided.why_not.as_deref()), (None, Some("?")));
    }

    #[test]
    fn the_fastest_growth_comes_first() {
        let mut patterns =
            vec![found(None, None), found(Some(Class::Power(1.0)), None), found(Some(Class::Power(2.0)), None)];
        sort(&mut patterns);
        let classes: Vec<Option<Class>> = patterns.iter().map(|found| found.growth.class).collect();
        assert_eq!(classes, [Some(Class::Power(2.0)), Some(Class::Power(1.0)), None]);
    }
}
