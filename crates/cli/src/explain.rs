//! The result of `pessimum worst` in words.

use std::path::{Path, PathBuf};

use pessimum_outcome::{CostModel, End, Limit};
use pessimum_report::certainty::{self, Best, Search};
use pessimum_report::names::short_name;
use pessimum_report::profile::Unit;
use pessimum_report::result::{OtherInput, WorstResult};
use pessimum_report::text::{printable, shell_word};
use pessimum_search::budget::Stop;
use pessimum_search::policy::LearntPolicy;
use pessimum_search::search::SearchResult;
use pessimum_search::strategy::{Course, GuidedReport, PyseReport, StrategyReport};
use pessimum_session::Outcome;
use pessimum_session::journal::NAME;
use pessimum_session::language::raised;
use pessimum_session::names::with_size_hint;
use pessimum_session::result::Finding;
use pessimum_session::saved::TRAPPED;
use pessimum_wasm::{NO_SIZE, STDIN};

use crate::flags::{WorstFlags, not_an_option};
use crate::output::{Style, Table, average, counted, folded, grouped, seconds, width, written_to};
use crate::paths::caveats;
use crate::python;
use crate::shape::input_lines;
use crate::whose::{Places, look_first, where_the_cost_is};

/// About one screen for people: what was found, how it compares, how sure it is, where the cost is, what to do next.
pub fn text(flags: &WorstFlags, outcome: &Outcome, report: &StrategyReport, finding: &Finding) -> String {
    let result = &finding.result;
    let found = &outcome.found;
    let style = Style::of(flags.search.color, &std::io::stdout());
    let mut table = Table::default();
    let input = match finding.varies {
        true => input_lines(&result.input, result.call.as_deref(), result.written.as_deref()),
        false => without_input(result, finding),
    };
    rows(&mut table, "worst input", input);
    let model = match found.cost {
        CostModel::User => "(the program's own cost)".to_string(),
        CostModel::Weighted if !flags.subject.counted.is_empty() => {
            in_code(&flags.subject.counted, flags.subject.weights.is_some())
        }
        model => model.name().to_string(),
    };
    let end = found.best.as_ref().map_or(End::Returned, |best| best.end);
    // What somebody stopped would have cost more.
    let least = if end.is_cut() { "at least " } else { "" };
    let cost = match result.cost.value {
        0 if end.is_cut() => "not known: nothing was counted before it was stopped".to_string(),
        cost => format!("{least}{} {model}", style.number(&grouped(cost))),
    };
    table.text("cost", cost);
    // Where nothing was counted, or there is no end to it, there is nothing to compare with.
    if finding.varies && !matches!(end, End::NeverEnds | End::Limit(Limit::Time)) {
        rows(&mut table, "", compared(outcome, result));
    }
    rows(&mut table, "end", ended(outcome, finding, style));
    if let Some(ended) = &result.ended {
        let mut lines = input_lines(&ended.input, result.call.as_deref(), ended.written.as_deref());
        lines.push(format!("the costliest of those that ended: {} {model}", grouped(ended.cost)));
        rows(&mut table, "ends on", lines);
    }
    if let Some(trapped) = &result.trapped {
        let name = if result.python.is_some() { "raises on" } else { "traps on" };
        rows(&mut table, name, traps_on(trapped, result, style));
    }
    rows(&mut table, "how sure", how_sure(found, finding, style));
    if let Some(resumed) = &result.resumed {
        let parts = counted(resumed.parts, "earlier part", "earlier parts");
        let paths = counted(resumed.paths, "path", "paths");
        table.text("", format!("{paths} and {} of it in {parts}", seconds(resumed.elapsed_s)));
    }
    if let Some(most) = flags.fail_above.filter(|most| result.cost.value > *most || result.endless) {
        table.text("limit", style.bad(&format!("above --fail-above {}", grouped(most))));
    }
    let mut text = table.render();
    let places = Places::of_result(result);
    text += &where_the_cost_is(&places, style);
    text += &look_first(&places, result.size);
    let words = result.policy.as_deref().unwrap_or_default();
    if let Some(guided) = &report.guided {
        text += &policy_text(guided, words);
    }
    if let Some(pyse) = &report.pyse {
        text += &pyse_text(pyse, words);
    }
    let notes = caveats(&outcome.found, &finding.unsupported)
        + &python::left_out(&result.left_out)
        + &python::taken_as_they_are(&result.concretised, result.complete)
        + &python::not_counted(result);
    if !notes.is_empty() {
        text += &format!("\n{notes}");
    }
    text
}

/// Adds lines of which only the first one has a name.
pub fn rows(table: &mut Table, name: &str, lines: Vec<String>) {
    for (index, line) in lines.into_iter().enumerate() {
        table.text(if index == 0 { name } else { "" }, line);
    }
}

/// Instructions in the code that `--in` names; whether they have prices.
pub fn in_code(patterns: &[String], priced: bool) -> String {
    let what = if priced { "weighted" } else { "instructions" };
    format!("{what} in {}", printable(&patterns.join(", ")))
}

/// Columns for text beside the names of rows.
const COLUMNS: usize = 66;

/// What there is instead of an input.
fn without_input(result: &WorstResult, finding: &Finding) -> Vec<String> {
    let read = finding.unsupported.iter().find(|(name, _)| *name == STDIN).map(|(_, times)| *times);
    let mut lines = vec![match (&result.call, read) {
        (None, Some(times)) => format!(
            "none: the program read standard input {}, and it was empty; --stdin LEN gives it LEN bytes that vary",
            counted(times, "time", "times")
        ),
        (None, None) => "none: the program was given nothing that varies; --stdin LEN, --arg 'str[LEN]' and \
             --file NAME:LEN give it input"
            .to_string(),
        (Some(_), _) if result.python.is_some() => {
            "none: nothing in this call varies; types such as int, str[n] and int[n] in the place of values are input"
                .to_string()
        }
        (Some(_), _) => "none: nothing in this call varies; types such as i32 and i32[n] in the place of numbers and \
             `out` are input"
            .to_string(),
    }];
    if let Some(call) = &result.call {
        lines.push(printable(call).into_owned());
    }
    lines
}

/// The worst input that crashes the program, beside one that does not.
fn traps_on(trapped: &OtherInput, result: &WorstResult, style: Style) -> Vec<String> {
    let mut lines = input_lines(&trapped.input, result.call.as_deref(), trapped.written.as_deref());
    let model = if result.cost.model == "user" { "" } else { &result.cost.model };
    let after = format!("after {} {model}", grouped(trapped.cost));
    match result.python.is_some() {
        true => {
            let end = ended_python(&trapped.end, trapped.why.as_deref(), trapped.at.as_deref());
            lines.push(style.bad(format!("{end}, {after}").trim_end()));
        }
        false => {
            lines.push(style.bad(format!("{} {after}", printable(&trapped.end)).trim_end()));
            lines.extend(words_of_crash(trapped.why.as_deref(), trapped.at.as_deref()));
        }
    }
    lines.push(format!("kept in {TRAPPED}; --end trapped looks for the worst of these"));
    lines
}

/// How a Python function crashed: `raises ValueError: not a number at sort.py:12`.
fn ended_python(end: &str, why: Option<&str>, at: Option<&str>) -> String {
    let at = at.map_or(String::new(), |at| format!(" at {}", printable(at)));
    raised(end, why) + &at
}

/// Why and where a program crashed.
fn words_of_crash(why: Option<&str>, at: Option<&str>) -> Vec<String> {
    let mut lines = why.map_or(Vec::new(), |why| vec![printable(why).into_owned()]);
    if let Some(at) = at {
        let at = printable(at);
        let (name, place) = at.rsplit_once(" (").unwrap_or((&at, ""));
        let place = if place.is_empty() { String::new() } else { format!(" ({place}") };
        lines.push(format!("in {}{place}", short_name(name, COLUMNS / 2, "..")));
    }
    lines
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
    written_to(directory, &names) + &next(flags, &outcome.found, result, directory, style)
}

/// The comparison with random inputs.
fn compared(outcome: &Outcome, result: &WorstResult) -> Vec<String> {
    let baseline = &outcome.baseline;
    let Some(random) = &baseline.summary else {
        let why = match baseline.out_of_time {
            true => "there was no time to count what one of them costs",
            false if baseline.others > 0 => "each of them ends in another way",
            false => "the program accepts none of them",
        };
        return vec!["not compared with random inputs:".to_string(), why.to_string()];
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
        return vec![
            format!("{inputs} {were} cut off at a limit too,"),
            "so there is nothing to compare with".to_string(),
        ];
    }
    // Runs that were cut would have cost more.
    let least = if baseline.cut > 0 { "at least " } else { "" };
    let mut lines = vec![times(random.average, &format!("the average of {inputs} ({least}{average})"))];
    lines.push(times(random.highest as f64, &format!("the highest of them ({least}{})", grouped(random.highest))));
    if baseline.others > 0 {
        let other = match result.trapped.is_some() {
            true if result.python.is_some() => "raise an exception",
            true => "trap",
            false => "return",
        };
        lines.push(format!("{} more of them {other}", grouped(baseline.others)));
    }
    if baseline.cut > 0 {
        lines.push(format!("{} of them were cut off at a limit", grouped(baseline.cut)));
    }
    lines
}

fn ended(outcome: &Outcome, finding: &Finding, style: Style) -> Vec<String> {
    let (result, instructions) = (&finding.result, grouped(outcome.limits.instructions));
    let end = printable(&result.end);
    match outcome.found.best.as_ref().map(|best| best.end) {
        Some(End::Trapped(_)) if finding.failure.as_deref() == Some(NO_SIZE) => {
            vec![style.bad(&format!("trapped: {}", with_size_hint(NO_SIZE)))]
        }
        Some(crash) if crash.is_crash() && result.python.is_some() => {
            let end = ended_python(&result.end, result.why.as_deref(), result.at.as_deref());
            match result.always {
                true => vec![
                    style.bad(&format!("{end}, on every input that was run")),
                    match result.why.as_deref().is_some_and(|why| why.starts_with("EOFError")) {
                        true => "Standard input is empty here: write a function that takes what is read as a text",
                        false => {
                            "Since it does not depend on the input, the call is probably wrong: look at the types in --call"
                        }
                    }
                    .to_string(),
                ],
                false => vec![style.bad(&end), style.bad("This input crashes the program")],
            }
        }
        Some(crash) if crash.is_crash() => {
            let mut lines = match result.always {
                true => vec![style.bad(&format!("{end}, on every input that was run"))],
                false => vec![style.bad(&format!("{end}. This input crashes the program"))],
            };
            lines.extend(words_of_crash(result.why.as_deref(), result.at.as_deref()));
            if result.always {
                lines.push(
                    "Since it does not depend on the input, the call is probably wrong: a null pointer or callback, or a \
                     length that does not fit its buffer"
                        .to_string(),
                );
            }
            lines
        }
        Some(End::NeverEnds) => {
            result.recurs.map(|recurs| style.bad(&certainty::never_ends(recurs))).into_iter().collect()
        }
        Some(End::Limit(Limit::Time)) => {
            vec![style.bad(&ended_python(&result.end, result.why.as_deref(), result.at.as_deref()))]
        }
        Some(End::Limit(Limit::Budget)) => {
            let (steps, unit) = (grouped(result.costs.steps()), Unit::of(&result.costs).name());
            vec![
                style.bad(&format!("still running after {steps} {unit}, when the time was over;")),
                "what it costs to its end is not known".to_string(),
            ]
        }
        Some(End::Limit(Limit::Worker)) => vec![style.bad("the process that ran it was killed by somebody else")],
        Some(End::Limit(Limit::Instructions)) => vec![
            style.bad(&format!("still running after {instructions} {};", Unit::of(&result.costs).name())),
            style.bad(certainty::cut_off_running()),
        ],
        Some(End::Limit(_)) => vec![style.bad(&format!("{end}. The run was cut off there"))],
        _ => vec![end.into_owned()],
    }
}

/// How sure the result is, and why.
fn how_sure(found: &SearchResult, finding: &Finding, style: Style) -> Vec<String> {
    let result = &finding.result;
    if !finding.varies {
        return vec![certainty::NOTHING_VARIES.to_string()];
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
    let best = match result.progress.last() {
        None => Best::Unknown,
        Some(&(_, 0, _)) => Best::BeforeThem,
        Some(&(time, after, _)) => Best::Before {
            seconds: (result.elapsed_s - time).max(0.0),
            paths: result.paths.saturating_sub(after),
            improving: still_improving(found, result),
        },
    };
    let &WorstResult { complete, every_input, always, paths, elapsed_s, .. } = result;
    let domain = result.domain.as_deref();
    let search = Search { complete, every_input, always, paths, elapsed_s, stopped, best, domain };
    certainty::of_search(&search, &|text| style.good(text))
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
        text += &format!("  and {} more (all with --json)\n", counted((words.len() - SHOWN) as u64, "rule", "rules"));
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
    let run = python::run_flags(&flags.subject);
    let resumed = |flag: &str| format!("pessimum worst --resume {place}{flag}{run}");
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
    let on = |command: &str| style.command(&format!("pessimum {command} {place}{run}"));
    let (shrink, replay) = (on("shrink"), on("replay"));
    let report = style.command(&directory.join(crate::report::FILE).display().to_string());
    format!(
        "next: {more}\n      {report}  shows all of this in a browser\n      {shrink}  makes the input simpler at the \
         same cost\n      {replay}  runs it again\n"
    )
}
