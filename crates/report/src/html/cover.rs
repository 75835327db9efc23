//! The page of a suite: what it covers, the source marked line by line, its inputs or tests, and what is not covered.

use std::collections::BTreeMap;

use super::element::{Element, element};
use super::source::SourceFile;
use super::{document, note, place, place_in, scrolled, section};
use crate::certainty;
use crate::cover::{CoverResult, Coverage, FileCoverage, Reason, Tally};
use crate::suite::SuiteResult;
use crate::text::{counted, grouped, seconds};

/// Inputs that are listed; result.json has all of them.
const INPUTS: usize = 200;

/// Lines of source text over all files.
const LINES: usize = 20_000;

/// The longest piece of a source line or of an input, in characters.
const WIDEST: usize = 400;

/// The page of a suite of inputs, with the texts of the source files as far as they are available.
pub fn cover_page(result: &CoverResult, sources: &[SourceFile]) -> String {
    Page {
        module: &result.module,
        started: result.call.as_deref().unwrap_or("as a command"),
        coverage: &result.coverage,
        suite: counted(result.inputs.len() as u64, "input", "inputs"),
        effort: counted(result.paths, "path", "paths"),
        elapsed_s: result.elapsed_s,
        tests: inputs(result),
        domain: result.domain.as_deref(),
    }
    .document(sources)
}

/// The page of a suite of tests that are sequences of calls.
pub fn suite_page(result: &SuiteResult, sources: &[SourceFile]) -> String {
    Page {
        module: &result.module,
        started: "by sequences of calls",
        coverage: &result.coverage,
        suite: counted(result.tests.len() as u64, "test", "tests"),
        effort: counted(result.runs, "execution", "executions"),
        elapsed_s: result.elapsed_s,
        tests: tests(result),
        domain: None,
    }
    .document(sources)
}

/// What the pages of both kinds of suites show.
struct Page<'r> {
    module: &'r str,
    started: &'r str,
    coverage: &'r Coverage,
    /// How many inputs or tests there are, in words, and what it took to find them.
    suite: String,
    effort: String,
    elapsed_s: f64,
    /// The inputs or tests.
    tests: Vec<Element>,
    /// For which inputs something is proved, where that is not for all.
    domain: Option<&'r str>,
}

impl Page<'_> {
    fn document(self, sources: &[SourceFile]) -> String {
        let name = self.module.rsplit(['/', '\\']).next().unwrap_or(self.module);
        let heading = element("h1").text("Coverage of ").child(element("span").class("mono").text(name));
        let subtitle = element("p").class("subtitle").child(element("code").text(self.module)).text(", ");
        let kicker = element("p").class("kicker").text("Pessimum report");
        let toggle = element("button").with("type", "button").with("id", "theme").with("hidden", "").text("Dark");
        let started = element("code").text(self.started);
        let header = element("header")
            .class("top")
            .child(element("div").child(kicker).child(heading).child(subtitle.child(started)))
            .child(toggle.with("aria-label", "Switch between light and dark"));
        let mut main = element("main").child(self.tiles());
        let sections = [
            section("files", "Files", vec![files(self.coverage)]),
            section("lines", "Source lines", listings(self.coverage, sources)),
            section("inputs", "The suite", self.tests),
            section("open", "Not covered", open(self.coverage, self.domain)),
        ];
        for section in sections.into_iter().flatten() {
            main = main.child(section);
        }
        document(&format!("Coverage of {name}"), element("body").child(header).child(main))
    }

    fn tiles(&self) -> Element {
        let tile = |name: &str, tally: Tally| {
            let share = if tally.covered < tally.goals { tally.per_cent().floor() } else { tally.per_cent() };
            let value = element("dd").text(format!("{share:.0} %"));
            let more = format!("{} of {}", grouped(tally.covered), grouped(tally.goals));
            element("div")
                .class("tile")
                .child(element("dt").text(name))
                .child(value)
                .child(element("dd").class("more").text(more))
        };
        let coverage = self.coverage;
        let mut tiles = vec![tile("branches", coverage.branches), tile("functions", coverage.functions)];
        if coverage.lines.goals > 0 {
            tiles.insert(0, tile("lines", coverage.lines));
        }
        let suite = element("div")
            .class("tile")
            .child(element("dt").text("suite"))
            .child(element("dd").text(&self.suite))
            .child(element("dd").class("more").text(format!("from {} in {}", self.effort, seconds(self.elapsed_s))));
        tiles.push(suite);
        element("dl").class("tiles").children(tiles)
    }
}

fn table(heads: &[&str], rows: Vec<Element>) -> Element {
    let head = heads.iter().map(|head| element("th").with("scope", "col").text(head));
    let table = element("table").child(element("thead").child(element("tr").children(head)));
    scrolled(table.child(element("tbody").children(rows)))
}

fn cell(text: impl std::fmt::Display) -> Element {
    element("td").text(text)
}

fn number(tally: Tally) -> Element {
    let text = if tally.goals == 0 { String::new() } else { format!("{} of {}", tally.covered, tally.goals) };
    element("td").class("number").text(text)
}

fn file_name(file: &FileCoverage) -> &str {
    file.file.as_deref().unwrap_or("(no debug information)")
}

fn files(coverage: &Coverage) -> Element {
    let mut rows = Vec::new();
    for file in &coverage.files {
        rows.push(
            element("tr")
                .child(place(file_name(file)))
                .child(number(file.line_tally()))
                .child(number(file.branch_tally()))
                .child(number(file.function_tally())),
        );
        for function in file.functions.iter().filter(|function| function.branches.goals > 0 || function.calls == 0) {
            let name = place_in("place inner", &function.name);
            let never = if function.calls == 0 { ", never called" } else { "" };
            rows.push(
                element("tr")
                    .child(name.text(never))
                    .child(number(function.lines))
                    .child(number(function.branches))
                    .child(element("td")),
            );
        }
    }
    table(&["file and function", "lines", "branches", "functions"], rows)
}

/// The source files, each line with the inputs that reach it and the ways that they take at its branches.
fn listings(coverage: &Coverage, sources: &[SourceFile]) -> Vec<Element> {
    let mut parts = Vec::new();
    let mut left = LINES;
    for file in coverage.files.iter().filter(|file| !file.lines.is_empty()) {
        let Some(source) = sources.iter().find(|source| Some(&source.name) == file.file.as_ref()) else { continue };
        parts.push(listing(file, &source.text, &mut left));
    }
    if coverage.lines.goals == 0 {
        parts.push(note("The module has no line information. Compile it with -g to see its source lines here."));
    } else if parts.is_empty() {
        parts.push(note("The source files were not found below the current directory or that of the module."));
    } else {
        parts.push(note(
            "The first column is the number of inputs of the suite that reach the line, the second how many of the ways \
             at its branches they take. A line with ✗ is reached by none; at one with ◐ a way is missing.",
        ));
    }
    parts
}

fn listing(file: &FileCoverage, text: &str, left: &mut usize) -> Element {
    let reached: BTreeMap<u32, u64> = file.lines.iter().copied().collect();
    let mut branches: BTreeMap<u32, Tally> = BTreeMap::new();
    for arm in &file.branches {
        branches.entry(arm.line).or_default().add(arm.taken.is_some_and(|taken| taken > 0));
    }
    let mut rows = Vec::new();
    for (line, code) in (1..).zip(text.lines()) {
        if *left == 0 {
            break;
        }
        *left -= 1;
        let ways = branches.get(&line).copied().unwrap_or_default();
        let (class, mark) = match reached.get(&line) {
            Some(0) => ("missed", "✗"),
            Some(_) if ways.covered < ways.goals => ("partly", "◐"),
            Some(_) => ("hit", ""),
            None => ("none", ""),
        };
        let inputs = reached.get(&line).map_or(String::new(), |&count| grouped(count));
        let code: String = code.chars().take(WIDEST).collect();
        rows.push(
            element("tr")
                .class(class)
                .child(element("td").class("number").text(inputs))
                .child(number(ways))
                .child(cell(mark))
                .child(element("td").class("lineno").text(line))
                .child(element("td").class("code").text(code)),
        );
    }
    let heads = ["inputs", "ways", "", "line", ""].map(|head| element("th").with("scope", "col").text(head));
    let table = element("table").class("source").child(element("thead").child(element("tr").children(heads)));
    let (lines, ways) = (file.line_tally(), file.branch_tally());
    let summary = element("summary")
        .child(element("code").text(file_name(file)))
        .text(format!(", {} of {} lines, {} of {} branches", lines.covered, lines.goals, ways.covered, ways.goals));
    let table = table.child(element("tbody").children(rows));
    element("details").with("open", "").child(summary).child(scrolled(table))
}

fn inputs(result: &CoverResult) -> Vec<Element> {
    let rows = (1..).zip(result.inputs.iter().zip(&result.tests)).take(INPUTS).map(|(index, (input, test))| {
        let input: String = input.to_string().chars().take(WIDEST).collect();
        element("tr")
            .child(element("td").class("number").text(index))
            .child(element("td").class("number").text(test.size.map_or(String::new(), grouped)))
            .child(element("td").class("input").child(element("code").text(input)))
            .child(cell(test.outcome()))
            .child(element("td").class("number").text(test.adds))
    });
    let mut parts = vec![table(&["", "n", "input", "outcome", "adds"], rows.collect())];
    if result.inputs.len() > INPUTS {
        parts.push(note(format!("{} more are in result.json.", grouped((result.inputs.len() - INPUTS) as u64))));
    }
    parts
}

/// The tests, each with its statements.
fn tests(result: &SuiteResult) -> Vec<Element> {
    let rows = (1..).zip(result.tests.iter().zip(&result.about)).take(INPUTS).map(|(index, (statements, about))| {
        let lines = statements.iter().map(|statement| {
            let returned = statement.returned.as_ref().map(|value| format!("  -> {value}")).unwrap_or_default();
            let line: String = format!("{}{returned}", statement.text).chars().take(WIDEST).collect();
            line + "\n"
        });
        let code = element("td").class("input").child(element("strong").text(&about.name));
        element("tr")
            .child(element("td").class("number").text(index))
            .child(code.child(element("pre").child(element("code").text(lines.collect::<String>()))))
            .child(cell(&about.end))
            .child(element("td").class("number").text(about.adds))
    });
    let mut parts = vec![table(&["", "test", "outcome", "adds"], rows.collect())];
    if result.tests.len() > INPUTS {
        parts.push(note(format!("{} more are in result.json.", grouped((result.tests.len() - INPUTS) as u64))));
    }
    if let Some(score) = &result.mutation {
        parts.push(note(format!(
            "Of {} mutants (a negated branch or another constant each) the suite notices {}.",
            grouped(score.tried),
            grouped(score.killed)
        )));
    }
    parts
}

fn open(coverage: &Coverage, domain: Option<&str>) -> Vec<Element> {
    if coverage.open.is_empty() {
        return Vec::new();
    }
    let rows = coverage.open.iter().map(|open| {
        element("tr")
            .child(place(&open.place))
            .child(place(&open.function))
            .child(cell(certainty::open(open.reason)))
            .child(
                element("td").class("input").child(element("code").text(open.condition.as_deref().unwrap_or_default())),
            )
    });
    let is_proved = coverage.open.iter().any(|open| open.reason == Reason::Unreachable);
    let bounded = domain.filter(|_| is_proved).map(|domain| note(certainty::unreachable_for(domain)));
    [table(&["where", "function", "why", "needs"], rows.collect())].into_iter().chain(bounded).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cover::ArmCoverage;

    #[test]
    fn lines_are_marked() {
        let arm = |line, arm, taken| ArmCoverage { line, branch: 1, arm, taken };
        let file = FileCoverage {
            file: Some("a.c".to_string()),
            lines: vec![(1, 2), (2, 2), (3, 0)],
            branches: vec![arm(1, 0, Some(1)), arm(1, 1, Some(2)), arm(2, 0, Some(2)), arm(2, 1, Some(0))],
            ..FileCoverage::default()
        };
        let drawn = listing(&file, "all <of> it\nhalf\nnone\nno code\n", &mut 100).to_string();
        for (class, code) in [("hit", "all &lt;of&gt; it"), ("partly", "half"), ("missed", "none"), ("none", "no code")]
        {
            let row = drawn.split("<tr").find(|row| row.contains(&format!(">{code}<"))).unwrap();
            assert!(row.starts_with(&format!(" class=\"{class}\"")), "{row}");
        }
        assert!(drawn.contains("2 of 3 lines, 3 of 4 branches"), "{drawn}");
    }
}
