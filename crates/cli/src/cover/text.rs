//! The result of `pessimum cover` in words.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use pessimum_input::{Argument, Kind};
use pessimum_report::certainty;
use pessimum_report::cover::{CoverResult, Coverage, FileCoverage, OpenBranch, ReachResult, Reason, SuiteTest, Tally};
use pessimum_report::names::short_place;
use pessimum_report::text::printable;
use pessimum_search::budget::Stop;
use pessimum_session::cover::Covered;
use pessimum_session::language::raised;
use pessimum_session::plan::SubjectPlan;
use pessimum_session::values;
use serde_json::Value;

use crate::flags::CoverFlags;
use crate::output::{Style, counted, folded, grouped, seconds, width};
use crate::paths::caveats;
use crate::report;
use crate::shape::input_line;
use crate::written::call_line;

/// Rows of functions, of inputs, and of lines that are not covered; `--json` has all of them.
const SHOWN: (usize, usize, usize) = (12, 20, 20);

/// The longest piece of a source line that is shown, in characters.
const WIDEST: usize = 60;
/// Room for what is missing at a line, as in `never executed`.
const MISSING: usize = 16;
/// Room for the numbers beside the name of a file or function.
const NUMBERS: usize = 44;

/// About one screen: coverage by file and function, the suite, and what is not covered and why.
pub fn suite(flags: &CoverFlags, plan: &SubjectPlan, covered: &Covered, result: &CoverResult) -> String {
    let style = Style::of(flags.search.color, &std::io::stdout());
    let mut text = by_file(&result.coverage, style);
    text += &by_function(&result.coverage, style);
    text += &inputs(plan, covered, result, style);
    text += &open(&result.coverage, &result.module, result.domain.as_deref(), style);
    text += &verdict(&result.coverage, flags.fail_under, style);
    text + &notes(covered)
}

/// Whether enough is covered, if there is a limit.
pub fn verdict(coverage: &Coverage, least: Option<f64>, style: Style) -> String {
    let Some(least) = least else { return String::new() };
    let share = coverage.branches.per_cent();
    let (covers, limit) = (format!("the suite covers {share:.1} % of the branches"), format!("--fail-under {least}"));
    match share < least {
        true => format!("\n{}\n", style.bad(&format!("{covers}, under {limit}"))),
        false => format!("\n{covers}, not under {limit}\n"),
    }
}

/// What is known about a place that was to be reached.
pub fn reached(flags: &CoverFlags, plan: &SubjectPlan, covered: &Covered, result: &ReachResult) -> String {
    let style = Style::of(flags.search.color, &std::io::stdout());
    let place = printable(&result.reach);
    let spent = format!("{} in {}", counted(result.paths, "path", "paths"), seconds(result.elapsed_s));
    match &result.test {
        Some(test) => {
            let mut text = format!("{}: {place} is reached ({spent})\n", style.good("yes"));
            let line = shown(plan, covered, test.size, &result.input, result.call.as_deref());
            text += &format!("  {}\n", folded(&printable(&line), 2, 4, width()));
            let at = test.size.map(|size| format!(" at n = {size}")).unwrap_or_default();
            text += &format!("  {}{at}\n", outcome(test, style));
            for call in test.backtrace.iter().take(8) {
                text += &format!("  in {}\n", printable(call));
            }
            text
        }
        None if result.complete => {
            let none = certainty::none_reaches(&place, &spent, result.domain.as_deref());
            format!("{}: {}\n", style.bad("no"), none.join("\n  "))
        }
        None => {
            let why = stopped(covered.stop);
            format!("not found: none of {spent} reaches {place} ({why})\n{}", notes(covered))
        }
    }
}

fn stopped(stop: Stop) -> &'static str {
    match stop {
        Stop::Finished => "the strategy had nothing left to try",
        Stop::Paths => "--paths spent",
        Stop::Steps => "the steps were spent",
        Stop::Time => "--budget spent",
        Stop::Cancelled => "stopped by Ctrl-C",
        Stop::Reached | Stop::Covered => "everything is covered",
        Stop::Memory => "stopped at --max-search-memory",
    }
}

/// `61 of 64  95 %`, in columns.
fn share(tally: Tally, style: Style) -> [String; 2] {
    if tally.goals == 0 {
        return [String::new(), String::new()];
    }
    // Only what is complete is 100 %.
    let share = tally.per_cent();
    let share = format!("{:.0} %", if tally.covered < tally.goals { share.floor() } else { share });
    let share = if tally.covered == tally.goals { style.good(&share) } else { style.strong(&share) };
    [format!("{} of {}", grouped(tally.covered), grouped(tally.goals)), share]
}

/// Rows in columns; the first is left-aligned and the others right-aligned. Styles take no width.
fn columns(rows: &[Vec<String>]) -> String {
    let width = |text: &str| {
        let (mut shown, mut escaped) = (0, false);
        for c in text.chars() {
            escaped |= c == '\x1b';
            shown += usize::from(!escaped);
            escaped &= c != 'm';
        }
        shown
    };
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..count)
        .map(|column| rows.iter().filter_map(|row| row.get(column)).map(|cell| width(cell)).max().unwrap_or(0))
        .collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let pad = " ".repeat(widths[column] - width(cell));
            line += &if column == 0 { format!("{cell}{pad}") } else { format!("  {pad}{cell}") };
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

/// A name that leaves room for its numbers.
fn name(name: &str) -> String {
    short_place(&printable(name), width().saturating_sub(NUMBERS).max(24), "..")
}

fn file_name(file: &FileCoverage) -> String {
    file.file.as_deref().map_or("(no debug information)".to_string(), name)
}

/// The coverage of each source file.
pub fn by_file(coverage: &Coverage, style: Style) -> String {
    let has_lines = coverage.lines.goals > 0;
    let row = |name: String, lines: Tally, branches: Tally, functions: Tally| {
        let mut row = vec![name];
        if has_lines {
            row.extend(share(lines, style));
        }
        row.extend(share(branches, style));
        row.extend(share(functions, style));
        row
    };
    let heads = if has_lines { vec!["lines", "branches", "functions"] } else { vec!["branches", "functions"] };
    let mut head = vec!["coverage".to_string()];
    head.extend(heads.into_iter().flat_map(|head| [head.to_string(), String::new()]));
    let mut rows = vec![head];
    for file in &coverage.files {
        rows.push(row(file_name(file), file.line_tally(), file.branch_tally(), file.function_tally()));
    }
    if coverage.files.len() > 1 {
        rows.push(row("all of it".to_string(), coverage.lines, coverage.branches, coverage.functions));
    }
    columns(&rows)
}

/// The functions that are not wholly covered, those that miss most first.
pub fn by_function(coverage: &Coverage, style: Style) -> String {
    let mut functions: Vec<_> = coverage.files.iter().flat_map(|file| &file.functions).collect();
    functions.retain(|function| function.calls == 0 || function.branches.covered < function.branches.goals);
    functions.sort_by_key(|function| function.branches.covered as i64 - function.branches.goals as i64);
    if functions.is_empty() {
        return String::new();
    }
    let mut rows = vec![vec!["not wholly covered".to_string(), "branches".to_string(), String::new()]];
    for function in functions.iter().take(SHOWN.0) {
        let mut row = vec![format!("  {}", name(&function.name))];
        row.extend(share(function.branches, style));
        if function.calls == 0 {
            row.push("never called".to_string());
        }
        rows.push(row);
    }
    let more = functions.len().saturating_sub(SHOWN.0);
    let more = if more > 0 { format!("  and {}\n", counted(more as u64, "more", "more")) } else { String::new() };
    format!("\n{}{more}", columns(&rows))
}

/// How a test ends.
fn outcome(test: &SuiteTest, style: Style) -> String {
    match (test.traps(), &test.why) {
        (true, Some(why)) => style.bad(&raised(&test.end, Some(why))),
        (true, None) => style.bad(&test.outcome()),
        (false, _) => test.outcome(),
    }
}

/// An input on one line: as the source's author would write it, where that says more than its numbers.
fn shown(plan: &SubjectPlan, covered: &Covered, size: Option<u64>, input: &Value, call: Option<&str>) -> String {
    let program = covered.at.iter().find(|at| at.size == size).map(|at| &at.program);
    let written = program.and_then(|program| {
        let (witness, _) = program.plan().decode(input).ok()?;
        values::arguments(&**program, plan, &witness)
    });
    match written {
        Some(written) => call_line(call, &written),
        None => input_line(input, call, &|index| is_bytes(covered, index)),
    }
}

/// Whether an argument of the call is an array of bytes, which is shown like a text.
fn is_bytes(covered: &Covered, index: usize) -> bool {
    let arguments = covered.at.first().map(|at| at.program.plan().arguments.as_slice()).unwrap_or_default();
    matches!(arguments.get(index), Some(Argument::Buffer(group)) if matches!(group.kind, Kind::U8 | Kind::I8))
}

fn inputs(plan: &SubjectPlan, covered: &Covered, result: &CoverResult, style: Style) -> String {
    let (paths, time) = (counted(result.paths, "path", "paths"), seconds(result.elapsed_s));
    let count = counted(result.inputs.len() as u64, "input", "inputs");
    let mut text = format!("\nsuite: {} from {paths} in {time}\n", style.number(&count));
    let sized = result.sizes.len() > 1;
    for (number, (input, test)) in (1..).zip(result.inputs.iter().zip(&result.tests)).take(SHOWN.1) {
        let line = shown(plan, covered, test.size, input, result.call.as_deref());
        let shown = printable(&line);
        let at = test.size.filter(|_| sized).map(|size| format!("n = {size}  ")).unwrap_or_default();
        let adds = style.faint(&format!("+{}", test.adds));
        let line = format!("{at}{shown}  -> {}  {adds}", outcome(test, style));
        text += &format!("  {number:>3}  {}\n", folded(&line, 7, 7, width()));
    }
    if result.inputs.len() > SHOWN.1 {
        text += &format!("  and {} more in result.json\n", result.inputs.len() - SHOWN.1);
    }
    text
}

/// What is not covered, by reason and line.
pub fn open(coverage: &Coverage, module: &str, domain: Option<&str>, style: Style) -> String {
    let mut text = String::new();
    let names: BTreeSet<&str> = coverage.open.iter().filter_map(|open| open.file.as_deref()).collect();
    let places = [report::directory_of_module(module)];
    let sources = report::sources(names, Path::new(module), &places);
    let lines: BTreeMap<&str, Vec<&str>> =
        sources.iter().map(|source| (source.name.as_str(), source.text.lines().collect())).collect();
    let source = |open: &OpenBranch| -> Option<String> {
        let line = lines.get(open.file.as_deref()?)?.get(open.line?.checked_sub(1)? as usize)?.trim();
        Some(cut(&printable(line), WIDEST))
    };
    for reason in [Reason::NotReached, Reason::GaveUp, Reason::Unreachable] {
        let open: Vec<&OpenBranch> = coverage.open.iter().filter(|open| open.reason == reason).collect();
        if open.is_empty() {
            continue;
        }
        let branches = counted(open.len() as u64, "branch", "branches");
        text += &format!("\n{branches} {}\n", style.strong(certainty::open(reason)));
        if let Some(domain) = certainty::bounded(domain).filter(|_| reason == Reason::Unreachable) {
            text += &format!("  {}\n", folded(&domain, 2, 4, width()));
        }
        // A line may be in many places of the code.
        let mut by_line: BTreeMap<_, Vec<&OpenBranch>> = BTreeMap::new();
        for open in open {
            let function = if open.line.is_some() { "" } else { open.function.as_str() };
            by_line.entry((open.file.as_deref(), open.line, function)).or_default().push(open);
        }
        let rows: Vec<Vec<String>> = by_line.values().take(SHOWN.2).map(|line| row(line, source(line[0]))).collect();
        let left_out: usize = by_line.values().skip(SHOWN.2).map(Vec::len).sum();
        // Cells are texts of different kinds, so all are left-aligned.
        let longest = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let place = longest(0);
        // Room is left for what is missing, which is not cut.
        let source = longest(1).min(width().saturating_sub(place + MISSING + 6).max(MISSING));
        for row in rows {
            let code = cut(&row[1], source);
            let missing = folded(&row[2], place + source + 6, place + source + 6, width());
            let line = format!("  {:<place$}  {code:<source$}  {missing}", row[0]);
            text += &format!("{}\n", line.trim_end());
        }
        if left_out > 0 {
            text += &format!("  and {} more in result.json\n", grouped(left_out as u64));
        }
    }
    text
}

/// Without its end where it is longer than this.
fn cut(text: &str, most: usize) -> String {
    match text.chars().count() > most {
        true => text.chars().take(most.saturating_sub(3)).collect::<String>() + "...",
        false => text.to_string(),
    }
}

/// Place, source text and what is missing of one line.
fn row(open: &[&OpenBranch], source: Option<String>) -> Vec<String> {
    let first = open[0];
    let place = match (&first.file, first.line) {
        (Some(file), Some(line)) => name(&format!("{file}:{line}")),
        _ => name(&first.function),
    };
    let conditions: BTreeSet<&str> = open.iter().filter_map(|open| open.condition.as_deref()).collect();
    let missing = match (conditions.is_empty(), open.iter().any(|open| open.executed)) {
        (false, _) => {
            let conditions: Vec<&str> = conditions.into_iter().take(2).collect();
            format!("needs {}", printable(&conditions.join(", or ")))
        }
        (true, true) if first.line.is_none() => {
            let arms = open.iter().take(4).map(|open| format!("branch {} arm {}", open.branch, open.arm));
            let more = if open.len() > 4 { ", ..." } else { "" };
            format!("{}{more}", arms.collect::<Vec<String>>().join(", "))
        }
        (true, true) => format!("{} missing", counted(open.len() as u64, "way", "ways")),
        (true, false) => "never executed".to_string(),
    };
    vec![place, source.unwrap_or_default(), missing]
}

/// What may have kept the search from seeing more.
fn notes(covered: &Covered) -> String {
    let mut text = String::new();
    for at in &covered.at {
        let Some(found) = &at.found else { continue };
        let notes = caveats(found, &[]);
        if !notes.is_empty() && covered.at.len() > 1 {
            text += &format!("n = {}: ", at.size.unwrap_or_default());
        }
        text += &notes;
    }
    if text.is_empty() { text } else { format!("\n{text}") }
}
