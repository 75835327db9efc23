//! What a gate in CI decided, for JUnit and SARIF.

use crate::certainty;
use crate::cover::CoverResult;
use crate::curve::CurveResult;
use crate::profile::Unit;
use crate::result::WorstResult;

/// Everything that was checked in one run of the command.
#[derive(Clone, Debug)]
pub struct Gate {
    /// What was run, as words of a command line.
    pub subject: String,
    /// The module's or source file's path.
    pub module: String,
    /// The version of Pessimum.
    pub version: String,
    /// Wall clock.
    pub elapsed_s: f64,
    /// The checks, in order.
    pub checks: Vec<Check>,
}

/// One thing that was checked.
#[derive(Clone, Debug)]
pub struct Check {
    /// A short name that is the same in every run, so that CI systems can follow the check over time.
    pub name: String,
    /// What it is about.
    pub rule: Rule,
    /// How it went.
    pub verdict: Verdict,
    /// A sentence for people.
    pub message: String,
    /// The cost model's name.
    pub model: String,
    /// The cost, where there is one.
    pub cost: Option<u64>,
    /// `--fail-above`, where given.
    pub limit: Option<u64>,
    /// `n`.
    pub size: Option<u64>,
    /// Wall clock of its search, in seconds.
    pub elapsed_s: f64,
    /// The hottest source line of its worst run.
    pub place: Option<Place>,
}

/// What a check is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The cost of the worst input.
    WorstCase,
    /// How it grows with the size.
    Growth,
    /// How much of the branches a suite covers.
    Coverage,
    /// An input that ends in a trap.
    Trap,
}

impl Rule {
    /// All of them.
    pub const ALL: [Rule; 4] = [Rule::WorstCase, Rule::Growth, Rule::Coverage, Rule::Trap];
}

/// How a check went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Within the limit, or there is none.
    Passed,
    /// Above the limit.
    Failed,
    /// Neither could be established.
    Unknown,
}

/// A line of the source text.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// The path as the debug information gives it.
    pub file: String,
    /// The line, counted from 1.
    pub line: u32,
    /// Executions of its most executed instruction.
    pub times: u64,
    /// Its part of all executed instructions, from 0 to 1.
    pub share: f64,
    /// What these instructions are, if they are something else.
    pub unit: Unit,
}

impl Place {
    /// The most expensive line of the worst run in a file that is available, or else the most expensive of all.
    /// Libraries were built elsewhere, so their lines cannot be shown to anybody.
    pub fn hottest(result: &WorstResult, at_hand: &dyn Fn(&str) -> bool) -> Option<Place> {
        let line = result.lines.iter().find(|line| at_hand(&line.file)).or(result.lines.first())?;
        let all = result.profiled.unwrap_or(result.costs.steps()).max(1);
        let share = line.instructions as f64 / all as f64;
        Some(Place {
            file: line.file.clone(),
            line: line.line,
            times: line.times,
            share,
            unit: Unit::of(&result.costs),
        })
    }
}

impl Gate {
    /// The verdict of `--fail-above` on one worst case.
    pub fn of_worst(result: &WorstResult, limit: Option<u64>, place: Option<Place>, version: &str) -> Gate {
        let cost = Counted { model: &result.cost.model, cost: result.cost.value, endless: result.endless };
        let check = worst_case(cost, result.size, limit, result.elapsed_s, place);
        Gate {
            subject: result.arguments.join(" "),
            module: result.module.clone(),
            version: version.to_string(),
            elapsed_s: result.elapsed_s,
            checks: vec![check],
        }
    }

    /// The verdict of `--fail-under` on a suite, and each of its inputs that traps.
    pub fn of_cover(result: &CoverResult, least: Option<f64>, version: &str) -> Gate {
        let share = result.coverage.branches.per_cent();
        let covers = format!(
            "the suite covers {share:.1} % of the branches ({} of {})",
            result.coverage.branches.covered, result.coverage.branches.goals
        );
        let (verdict, message) = match least {
            Some(least) if share < least => (Verdict::Failed, format!("{covers}, under --fail-under {least}")),
            Some(least) => (Verdict::Passed, format!("{covers}, not under --fail-under {least}")),
            None => (Verdict::Passed, covers),
        };
        let check = |name: String, rule, verdict, message, size, place| Check {
            name,
            rule,
            verdict,
            message,
            model: String::new(),
            cost: None,
            limit: None,
            size,
            elapsed_s: 0.0,
            place,
        };
        let mut checks = vec![check("branch coverage".to_string(), Rule::Coverage, verdict, message, None, None)];
        for (input, test) in result.inputs.iter().zip(&result.tests).filter(|(_, test)| test.traps()) {
            let at = test.backtrace.first().map(|place| format!(" in {place}")).unwrap_or_default();
            let name = format!("{}{at}", test.end);
            let message = format!("an input ends with \"{}\"{at}: {input}", test.end);
            let place = test.trapped_at.clone().map(|(file, line)| Place {
                file,
                line,
                times: 1,
                share: 0.0,
                unit: Unit::default(),
            });
            checks.push(check(name, Rule::Trap, Verdict::Failed, message, test.size, place));
        }
        Gate {
            subject: result.arguments.join(" "),
            module: result.module.clone(),
            version: version.to_string(),
            elapsed_s: result.elapsed_s,
            checks,
        }
    }

    /// The verdicts of `--fail-above` at every size; with a class, of `--fail-above-class` too. Places are those of the
    /// points, in order.
    pub fn of_curve(
        result: &CurveResult,
        known: &crate::grown::Verdict,
        limit: Option<u64>,
        class: Option<crate::class::Class>,
        places: Vec<Option<Place>>,
        version: &str,
    ) -> Gate {
        let mut checks: Vec<Check> = result
            .points
            .iter()
            .zip(places.iter().chain(std::iter::repeat(&None)))
            .map(|(point, place)| {
                let cost = Counted { model: &result.cost, cost: point.cost, endless: point.endless };
                worst_case(cost, Some(point.size), limit, point.elapsed_s, place.clone())
            })
            .collect();
        for missing in &result.missing {
            checks.push(Check {
                name: format!("worst case at n = {}", missing.size),
                rule: Rule::WorstCase,
                verdict: Verdict::Unknown,
                message: format!("n = {} was not searched: {}", missing.size, missing.why),
                model: result.cost.clone(),
                cost: None,
                limit,
                size: Some(missing.size),
                elapsed_s: 0.0,
                place: None,
            });
        }
        let (verdict, message) = certainty::class_verdict(known, class);
        checks.push(Check {
            name: "growth of the worst case".to_string(),
            rule: Rule::Growth,
            verdict,
            message,
            model: result.cost.clone(),
            cost: None,
            limit: None,
            size: None,
            elapsed_s: 0.0,
            place: places.into_iter().flatten().next_back(),
        });
        Gate {
            subject: result.arguments.join(" "),
            module: result.module.clone(),
            version: version.to_string(),
            elapsed_s: result.elapsed_s,
            checks,
        }
    }
}

/// What a worst input costs.
struct Counted<'a> {
    model: &'a str,
    cost: u64,
    /// Whether its run did not end, so that this is not all. No limit is above that.
    endless: bool,
}

fn worst_case(
    counted: Counted<'_>,
    size: Option<u64>,
    limit: Option<u64>,
    elapsed_s: f64,
    place: Option<Place>,
) -> Check {
    let Counted { model, cost, endless } = counted;
    let above = limit.is_some_and(|most| cost > most || endless);
    let at = size.map(|size| format!(" at n = {size}")).unwrap_or_default();
    let unit = if model == "user" { "(the program's own cost)" } else { model };
    let verdict = match limit {
        Some(most) if above => format!(", above --fail-above {most}"),
        Some(most) => format!(", not above --fail-above {most}"),
        None => String::new(),
    };
    let hottest = place.as_ref().map(|Place { file, line, share, unit, .. }| {
        format!("; the hottest line is {file}:{line}, with {:.0} % of the {}", 100.0 * share, unit.name())
    });
    Check {
        name: format!("worst case{at}"),
        rule: Rule::WorstCase,
        verdict: if above { Verdict::Failed } else { Verdict::Passed },
        message: match endless {
            true => format!("the run of the worst input{at} did not end: at least {cost} {unit}{verdict}"),
            false => format!("the worst input{at} costs {cost} {unit}{verdict}{}", hottest.unwrap_or_default()),
        },
        model: model.to_string(),
        cost: Some(cost),
        limit,
        size,
        elapsed_s,
        place,
    }
}
