//! The result of `pessimum worst` in words.

use std::path::{Path, PathBuf};

use pessimum_outcome::{CostModel, End, Limit};
use pessimum_report::result::WorstResult;
use pessimum_report::text::{printable, shell_word};
use pessimum_search::budget::Stop;
use pessimum_search::policy::LearntPolicy;
use pessimum_search::search::SearchResult;
use pessimum_search::strategy::{Course, GuidedReport, PyseReport, StrategyReport};
use pessimum_session::Outcome;
use pessimum_session::journal::NAME;
use pessimum_session::names::with_size_hint;
use pessimum_session::result::Finding;
use pessimum_wasm::NO_SIZE;

use crate::flags::{WorstFlags, not_an_option};
use crate::output::{Style, Table, average, counted, folded, grouped, seconds, width};
use crate::paths::caveats;
use crate::replay::hottest_text;
use crate::shape::input_lines;

/// About one screen for people: what was found, how it compares, how sure it is, where the cost is, what to do next.
pub fn text(flags: &WorstFlags, outcome: &Outcome, report: &StrategyReport, finding: &Finding) -> String {
    let result = &finding.result;
    let found = &outcome.found;
    let style = Style::of(flags.search.color, &std::io::stdout());
    let mut table = Table::default();
    for (index, line) in input_lines(&result.input, result.call.as_deref()).into_iter().enumerate() {
        table.text(if index == 0 { "worst input" } else { "" }, line);
    }
    let model = if found.cost == CostModel::User { "(the program's own cost)" } else { &result.cost.model };
    table.text("cost", format!("{} {model}", style.number(&grouped(result.cost.value))));
    for line in compared(outcome, result) {
        table.text("", line);
    }
    table.text("end", ended(outcome, finding, style));
    for (index, line) in how_sure(found, result, style).into_iter().enumerate() {
        table.text(if index == 0 { "how sure" } else { "" }, line);
    }
    if let Some(resumed) = &result.resumed {
        let parts = counted(resumed.parts, "earlier part", "earlier parts");
        let paths = counted(resumed.paths, "path", "paths");
        table.text("", format!("{paths} and {} of it in {parts}", seconds(resumed.elapsed_s)));
    }
    if let Some(most) = flags.fail_above.filter(|most| result.cost.value > *most) {
        table.text("limit", style.bad(&format!("above --fail-above {}", grouped(most))));
    }
    let mut text = table.render();
    text += &where_the_cost_is(result, style);
    let words = result.policy.as_deref().unwrap_or_default();
    if let Some(guided) = &report.guided {
        text += &policy_text(guided, words);
    }
    if let Some(pyse) = &report.pyse {
        text += &pyse_text(pyse, words);
    }
    let notes = caveats(&outcome.found, &finding.unsupported);
    if !notes.is_empty() {
        text += &format!("\n{notes}");
    }
    text
}

/// What was written where, and what to do next.
pub fn afterwards(
    flags: &WorstFlags,
    outcome: &Outcome,
    result: &WorstResult,
    directory: &Path,
    written: &[PathBuf],
) -> String {
    let style = Style::of(flags.search.color, &std::io::stdout());
    let mut names: Vec<String> = written.iter().map(|name| name.display().to_string()).collect();
    names.push(NAME.to_string());
    let text = format!("\nwritten to {}: {}\n", directory.display(), names.join(", "));
    text + &next(flags, &outcome.found, result, directory, style)
}

/// Rows of functions and of source lines shown.
const SHOWN: (usize, usize) = (3, 4);

/// Functions and source lines with their shares of the instructions; the most executed branches where the module has
/// no line information.
fn where_the_cost_is(result: &WorstResult, style: Style) -> String {
    let total = result.profiled.unwrap_or(result.costs.instructions);
    if total == 0 || result.functions.is_empty() {
        return hottest_text(&result.hottest);
    }
    let share = |part: u64| format!("{:>4.0} %", 100.0 * part as f64 / total as f64);
    let mut rows: Vec<(String, String, String)> = Vec::new();
    for function in result.functions.iter().take(SHOWN.0).filter(|function| function.own > 0) {
        let calls = counted(function.calls, "call", "calls");
        rows.push((share(function.own), printable(&function.name).into_owned(), calls));
    }
    let functions = rows.len();
    for line in result.lines.iter().take(SHOWN.1) {
        let place = format!("{}:{}", printable(&line.file), line.line);
        rows.push((share(line.instructions), place, counted(line.times, "time", "times")));
    }
    let width = rows.iter().map(|(_, name, _)| name.chars().count()).max().unwrap_or(0);
    let of = result
        .profiled
        .map_or("the instructions".to_string(), |some| format!("the first {} instructions", grouped(some)));
    let mut text = format!("\nwhere the cost is, as a share of {of}\n");
    for (index, (share, name, times)) in rows.iter().enumerate() {
        let kind = match index {
            0 => "functions",
            index if index == functions => "lines",
            _ => "",
        };
        text += &format!("  {kind:<9}{}  {name:<width$}  {}\n", style.strong(share), style.faint(times));
    }
    if result.lines.is_empty() {
        text += &hottest_text(&result.hottest);
    }
    text
}

/// The comparison with random inputs.
fn compared(outcome: &Outcome, result: &WorstResult) -> Vec<String> {
    let baseline = &outcome.baseline;
    let Some(random) = &baseline.summary else {
        let why = match baseline.out_of_time {
            true => "there was no time to count what one of them costs",
            false => "there is no input to vary, or the program accepts none of them",
        };
        return vec![format!("not compared with random inputs: {why}")];
    };
    let cost = result.cost.value as f64;
    let times = |other: f64, what: &str| match other {
        other if other <= 0.0 => format!("more than {what}"),
        other if cost / other >= 1000.0 => format!("{} times {what}", grouped((cost / other) as u64)),
        other => format!("{:.1} times {what}", cost / other),
    };
    let inputs = counted(random.inputs, "random input", "random inputs");
    let average = average(random.average);
    if baseline.cut == random.inputs {
        let were = if random.inputs == 1 { "was" } else { "were all" };
        return vec![format!("{inputs} {were} cut off at a limit too, so there is nothing to compare with")];
    }
    // Runs that were cut would have cost more.
    let least = if baseline.cut > 0 { "at least " } else { "" };
    let mut lines = vec![times(random.average, &format!("the average of {inputs} ({least}{average})"))];
    lines.push(times(random.highest as f64, &format!("the highest of them ({least}{})", grouped(random.highest))));
    if baseline.cut > 0 {
        lines.push(format!("{} of them were cut off at a limit", grouped(baseline.cut)));
    }
    lines
}

fn ended(outcome: &Outcome, finding: &Finding, style: Style) -> String {
    let (result, instructions) = (&finding.result, grouped(outcome.limits.instructions));
    let crashes = |end: &str| format!("{}. This input crashes the program", printable(end));
    match outcome.found.best.as_ref().map(|best| best.end) {
        Some(End::Trapped(_)) => style.bad(&match finding.failure.as_deref() {
            Some(NO_SIZE) => format!("trapped: {}", with_size_hint(NO_SIZE)),
            Some(why) => crashes(&format!("trapped: {why}")),
            None => crashes(&result.end),
        }),
        Some(End::Limit(Limit::Instructions)) => style.bad(&format!(
            "still running after {instructions} instructions; the run was cut off there and may never end"
        )),
        Some(End::Limit(_)) => style.bad(&format!("{}. The run was cut off there", result.end)),
        _ => printable(&result.end).into_owned(),
    }
}

/// What has the best cost before the first path.
const AN_INPUT: &str = "an input that was run before the search";

/// How sure the result is, and why.
fn how_sure(found: &SearchResult, result: &WorstResult, style: Style) -> Vec<String> {
    let (paths, elapsed) = (counted(result.paths, "path", "paths"), seconds(result.elapsed_s));
    if result.complete {
        let certain = style.good("certain");
        return vec![format!("{certain}: every feasible path was seen ({paths} run in {elapsed})")];
    }
    let stopped = match found.stop {
        Stop::Finished => "the strategy had nothing left to try",
        Stop::Paths => "--paths spent",
        Stop::Steps => "the steps were spent",
        Stop::Time => "--budget spent",
        Stop::Cancelled => "stopped by Ctrl-C",
        Stop::Reached => "stopped, since this is enough",
        Stop::Covered => "stopped, since every goal is covered",
        Stop::Memory => "stopped at the memory limit (--max-search-memory)",
    };
    let best = format!("best of {paths} in {elapsed}, {stopped}");
    match result.progress.last() {
        Some(&(time, after, _)) => {
            let quiet = seconds((result.elapsed_s - time).max(0.0));
            let since = result.paths.saturating_sub(after);
            let paths = counted(since, "path", "paths");
            vec![
                best,
                match since {
                    _ if after == 0 => format!("not certain: no path costs more than {AN_INPUT}"),
                    0 => "not certain: the last path was the best".to_string(),
                    _ if still_improving(found, result) => {
                        format!("not certain: still improving {quiet} and {paths} before the end")
                    }
                    _ => format!("not certain; nothing better in the last {quiet} and {paths}"),
                },
            ]
        }
        None => vec![best],
    }
}

/// What a training strategy learnt, and what came of it.
fn policy_text(report: &GuidedReport, words: &[String]) -> String {
    const SHOWN: usize = 20;
    let sizes: Vec<String> = report.training.finished_sizes().map(|size| size.to_string()).collect();
    let kind = match &report.policy {
        LearntPolicy::Branch(_) | LearntPolicy::Network(_) => "policy".to_string(),
        LearntPolicy::History(policy) => {
            format!("policy over the last {}", counted(policy.length() as u64, "decision", "decisions"))
        }
    };
    let learnt = match (sizes.is_empty(), report.training.sizes.is_empty()) {
        (false, _) => {
            let (paths, sizes) = (counted(report.training.paths(), "path", "paths"), sizes.join(", "));
            format!("learnt from {paths} at n = {sizes}")
        }
        (true, true) => "given".to_string(),
        (true, false) => "nothing learnt: no training size was finished".to_string(),
    };
    let mut text = format!("\n{kind}, {learnt}\n");
    for line in words.iter().take(SHOWN) {
        text += &format!("  {}\n", folded(line, 2, 4, width()));
    }
    if words.len() > SHOWN {
        text += &format!(
            "  and {} more (all of them with --json)\n",
            counted((words.len() - SHOWN) as u64, "rule", "rules")
        );
    }
    for size in &report.training.sizes {
        if let Some(error) = &size.error {
            text += &format!("  n = {}: {error}\n", size.size);
        }
    }
    let generated = &report.generated;
    text += &format!("  it leaves {} open", counted(generated.paths, "path", "paths"));
    text += if generated.finished { " at this size" } else { " at this size, and more that were not seen" };
    if generated.dead_ends > 0 {
        text += &format!(
            "; {} at a rule that could not be followed",
            counted(generated.dead_ends, "path ended", "paths ended")
        );
    }
    text.push('\n');
    if generated.opened {
        text += "  it permits no path at this size, so every feasible arm was open wherever it permits none\n";
    }
    text
}

/// How PySE's executions went.
fn pyse_text(report: &PyseReport, words: &[String]) -> String {
    let executions = |course: &Course| {
        let mut text = counted(course.executions, "execution", "executions");
        if course.infeasible > 0 {
            text += &format!(", {} of them infeasible", grouped(course.infeasible));
        }
        match course.best {
            Some(best) => text + &format!("; the best, {}, was number {}", grouped(best), grouped(course.until_best)),
            None => text + "; none came to an end",
        }
    };
    let weights = if report.given { "given weights" } else { "random weights" };
    let mut text = format!("\nnetwork, {} mode, from {weights}\n", report.mode.name());
    for size in &report.pretraining {
        text += &match &size.error {
            Some(error) => format!("  n = {}: {error}\n", size.size),
            None => format!(
                "  pre-trained at n = {} in {}: {}\n",
                size.size,
                seconds(size.elapsed.as_secs_f64()),
                executions(&size.course)
            ),
        };
    }
    text += &format!("  {}\n", executions(&report.course));
    for line in words {
        text += &format!("  {}\n", folded(line, 2, 4, width()));
    }
    text
}

/// Whether more time would probably find more: the last improvement came in the second half.
fn still_improving(found: &SearchResult, result: &WorstResult) -> bool {
    result.progress.last().is_some_and(|&(time, after, _)| match found.stop {
        Stop::Time | Stop::Cancelled => 2.0 * time > result.elapsed_s,
        _ => after.saturating_mul(2) > result.paths,
    })
}

/// What to try next.
fn next(flags: &WorstFlags, found: &SearchResult, result: &WorstResult, directory: &Path, style: Style) -> String {
    let place = shell_word(&not_an_option(directory));
    let resumed = |flag: &str| format!("pessimum worst --resume {place}{flag}");
    let more = match (found.complete, still_improving(found, result), found.stop) {
        (true, ..) if flags.subject.n().is_some() => "a larger --size".to_string(),
        (true, ..) => "more input".to_string(),
        (false, _, Stop::Cancelled) => format!("{}  continues the search", style.command(&resumed(""))),
        (false, true, Stop::Time) => format!("{}  continues the search", style.command(&resumed(" --budget 5m"))),
        (false, true, Stop::Paths | Stop::Steps) => {
            format!("{}  continues the search", style.command(&resumed(&format!(" --paths {}", 10 * found.paths))))
        }
        _ => "another --seed or --strategy, to see whether they agree".to_string(),
    };
    let on = |command: &str| style.command(&format!("pessimum {command} {place}"));
    let (shrink, replay) = (on("shrink"), on("replay"));
    let report = style.command(&directory.join(crate::report::FILE).display().to_string());
    format!(
        "next: {more}\n      {report}  shows all of this in a browser\n      {shrink}  makes the input simpler at the \
         same cost\n      {replay}  runs it again\n"
    )
}
