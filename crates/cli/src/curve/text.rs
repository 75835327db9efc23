//! A curve in words: the table, the chart, what is known about its growth.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

use pessimum_outcome::CostModel;
use pessimum_report::certainty;
use pessimum_report::chart::{Glyphs, Ink, chart};
use pessimum_report::class::Class;
use pessimum_report::curve::{CurvePoint, CurveResult, Standing};
use pessimum_report::fit::Growth;
use pessimum_report::formula;
use pessimum_report::grown::{By, Verdict};
use pessimum_report::text::shell_word;
use pessimum_session::saved::TRAPPED;

use super::above_limit;
use crate::explain::rows;
use crate::flags::{ChartFlag, CurveFlags, not_an_option};
use crate::output::{Style, Table, average, folded, grouped, has_unicode, width, written_to};
use crate::python;

/// What was found.
pub fn text(flags: &CurveFlags, result: &CurveResult) -> String {
    let style = Style::of(flags.worst.search.color, &std::io::stdout());
    let mut text = table(flags, result);
    text.push('\n');
    let glyphs = match flags.chart {
        ChartFlag::Auto if std::io::stdout().is_terminal() && has_unicode() => Some(Glyphs::Unicode),
        ChartFlag::Auto | ChartFlag::Ascii => Some(Glyphs::Ascii),
        ChartFlag::Unicode => Some(Glyphs::Unicode),
        ChartFlag::None => None,
    };
    if let Some(glyphs) = glyphs {
        let paint = |ink: Ink, piece: &str| match ink {
            Ink::Worst => style.bad(piece),
            Ink::Random => style.good(piece),
            Ink::Frame => style.faint(piece),
        };
        text += &format!("{}\n", chart(result, glyphs, width(), &paint));
    }
    let mut summary = Table::default();
    let known = result.verdict();
    let headline = match &known.grown {
        Some(grown) => certainty::grows(grown, style.number(&certainty::named(grown.class))),
        None => certainty::not_known(&known),
    };
    growth_rows(&mut summary, (certainty::subject_of(&known), &headline), &result.worst, &result.points);
    if let (Some(By::Pattern), Some(pattern)) = (known.grown.map(|grown| grown.by), &result.known_pattern) {
        summary.text("", format!("by the pattern {}", style.command(&pattern.words)));
    }
    let costs: Vec<(u64, u64)> = result.points.iter().map(|point| (point.size, point.cost)).collect();
    let is_whole = !result.points.iter().any(CurvePoint::is_cut);
    if let Some(formula) = formula::exact(&costs).filter(|_| is_whole) {
        summary.text("", format!("at these sizes {}", certainty::exactly(&formula, &result.cost)));
    }
    match &result.random {
        Some(random) => {
            let headline = match random.class {
                Some(class) => certainty::grows_like(style.number(&certainty::named(class))),
                None => {
                    let what = if random.uncounted.is_some() { "not known" } else { "not enough data" };
                    format!("{what}: {}", random.why_not.as_deref().unwrap_or_default())
                }
            };
            growth_rows(&mut summary, ("random", &headline), random, &result.points);
        }
        None => summary.text("random", "not fitted: random inputs could not be run at every size"),
    }
    rows(&mut summary, "how sure", certainty::of_curve(result));
    for alike in result.missing.chunk_by(|one, other| one.why == other.why) {
        let sizes: Vec<String> = alike.iter().map(|missing| missing.size.to_string()).collect();
        summary.text("missing", format!("n = {}: {}", sizes.join(", "), alike[0].why));
    }
    let trapped = result.points.iter().filter_map(|point| Some((point, point.trapped?)));
    if let Some((point, cost)) = trapped.max_by_key(|(_, cost)| *cost) {
        let (size, cost, file) = (point.size, grouped(cost), format!("{}/{TRAPPED}", point.directory));
        let language = flags.worst.subject.language();
        let crash = language.crash;
        summary.text(language.crashes, format!("some inputs {crash}: one at n = {size} after {cost}, in {file}"));
    }
    for point in above_limit(flags, result) {
        let most = grouped(flags.worst.fail_above.unwrap_or_default());
        let cost = if point.endless { "a run that did not end".to_string() } else { grouped(point.cost) };
        let above = format!("n = {}: {cost} is above --fail-above {most}", point.size);
        summary.text("limit", style.bad(&above));
    }
    if let Some(limit) = limit_row(flags, &known, style) {
        summary.text("limit", limit);
    }
    text + &summary.render()
}

/// What --fail-above-class says, where the class is known.
pub fn limit_row(flags: &CurveFlags, known: &Verdict, style: Style) -> Option<String> {
    let (_, message) = certainty::class_verdict(known, Some(flags.fail_above_class?));
    known.is_above(flags.fail_above_class?).map(|above| if above { style.bad(&message) } else { style.good(&message) })
}

/// What was written where, and what to do next.
pub fn afterwards(flags: &CurveFlags, result: &CurveResult, directory: &Path, tests: &[PathBuf]) -> String {
    let style = Style::of(flags.worst.search.color, &std::io::stdout());
    let last = result.points.last().map_or(String::new(), |point| point.directory.clone());
    let replayed = shell_word(&format!("{}/{last}", not_an_option(directory)));
    let mut names = vec!["curve.json".to_string(), "report.html".to_string()];
    names.extend(tests.iter().map(|name| name.display().to_string()));
    names.push("n-SIZE/result.json and input.json for each size".to_string());
    let text = written_to(directory, &names);
    let replay = style.command(&format!("pessimum replay {replayed}{}", python::run_flags(&flags.worst.subject)));
    text + &format!("next: {}\n      {replay} runs the largest worst input again\n", next(flags, result))
}

/// A row for each size.
fn table(flags: &CurveFlags, result: &CurveResult) -> String {
    let unit = if flags.worst.maximised.cost == CostModel::User { "cost" } else { &result.cost };
    let mut rows = vec![["n", "worst", "random", "ratio", "how sure"].map(str::to_string)];
    for (point, standing) in result.points.iter().zip(Standing::of(&result.points)) {
        let (average, ratio) = match &point.random {
            Some(random) if random.average > 0.0 => {
                let ratio = format!("{:.1}", point.cost as f64 / random.average);
                (average(random.average), ratio)
            }
            Some(_) => ("0".to_string(), "-".to_string()),
            None => ("-".to_string(), "-".to_string()),
        };
        rows.push([point.size.to_string(), grouped(point.cost), average, ratio, certainty::of_point(point, standing)]);
    }
    let longest = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..4).map(longest).collect();
    let before = 2 + widths.iter().map(|width| width + 2).sum::<usize>();
    let mut text = folded(&format!("{unit} of the worst input found, and of random inputs on average"), 0, 0, width());
    text.push('\n');
    for row in &rows {
        text += "  ";
        for (cell, &width) in row.iter().zip(&widths) {
            text += &format!("{cell:>width$}  ");
        }
        text += &format!("{}\n", folded(&row[4], before, before, width()));
    }
    text
}

/// What is known about a growth: the class, which is the headline, the formula with its quality, and the runner-up.
fn growth_rows(table: &mut Table, (name, headline): (&str, &str), growth: &Growth, points: &[CurvePoint]) {
    let per_cent = |part: f64| match part {
        part if part < 1e-6 => "0 %".to_string(),
        part if part < 5e-5 => "0.01 %".to_string(),
        part => format!("{:.2} %", 100.0 * part),
    };
    table.text(name, headline.to_string());
    let Some(fit) = &growth.fit else { return };
    if growth.class.is_none() {
        let what = if growth.uncounted.is_some() { "what is counted is nearest to" } else { "nearest is" };
        table.text("", format!("{what} {}", certainty::named(fit.class)));
    }
    let mut formula = format!("about {}, off by {} at most", fit.formula(), per_cent(fit.max_error));
    if fit.class != Class::Constant {
        formula += &format!(", R^2 {:.5}", fit.r_squared);
    }
    if points.first().is_some_and(|first| first.size < fit.from)
        || points.last().is_some_and(|last| last.size > fit.largest)
    {
        formula += &format!("; only from n = {} to {}", fit.from, fit.largest);
    }
    table.text("", formula);
    if let Some(other) = &growth.runner_up {
        let (mine, theirs) = (per_cent(fit.error), per_cent(other.error));
        let next = format!("the next best, {}, within {theirs}", other.class);
        table.text("", format!("predicts a left-out size within {mine};"));
        table.text("", next);
    }
}

fn next(flags: &CurveFlags, result: &CurveResult) -> &'static str {
    if result.points.iter().any(|point| point.end == "limit: instructions") {
        return "a higher --max-instructions, for the runs that were cut off";
    }
    if result.worst.uncounted.is_some() {
        return "pessimum.cost(k) in the program and --cost user, to count such work";
    }
    let is_sure = |of: &Standing| matches!(of, Standing::Certain | Standing::Exhausted | Standing::Settled);
    let open = !Standing::of(&result.points).iter().all(is_sure);
    match (result.worst.class.is_some(), open) {
        (_, true) => "more --budget, for the sizes that may still improve",
        (false, false) => "more --sizes, over a wider range",
        (true, false) if flags.fail_above_class.is_some() => "larger --sizes, to see whether this holds",
        (true, false) => "--fail-above-class makes this a check for CI",
    }
}
