//! Where the cost of a run is, in words: the user's own functions and lines first, libraries in one line each.

use pessimum_report::names::short_name;
use pessimum_report::profile::{FunctionCost, LibraryCost, LineCost, Profile, Unit};
use pessimum_report::result::{HotSite, WorstResult};
use pessimum_report::text::printable;

use crate::output::{Style, Table, average, counted, folded, grouped, width};

/// Rows of functions, of libraries and of source lines shown.
const SHOWN: (usize, usize, usize) = (4, 3, 4);

/// Sites shown where the module has no lines.
const SITES: usize = 5;

/// Where the cost of a run is, from a result or from a profile.
pub struct Places<'a> {
    pub functions: &'a [FunctionCost],
    pub libraries: &'a [LibraryCost],
    pub lines: &'a [LineCost],
    pub hottest: &'a [HotSite],
    /// All instructions that were profiled.
    pub instructions: u64,
    /// What they are, if not instructions.
    pub unit: Unit,
    /// Whether that is only the beginning of the run.
    pub is_part: bool,
}

impl<'a> Places<'a> {
    pub fn of_result(result: &'a WorstResult) -> Places<'a> {
        Places {
            functions: &result.functions,
            libraries: &result.libraries,
            lines: &result.lines,
            hottest: &result.hottest,
            instructions: result.profiled.unwrap_or(result.costs.steps()),
            unit: Unit::of(&result.costs),
            is_part: result.profiled.is_some(),
        }
    }

    pub fn of_profile(profile: &'a Profile, hottest: &'a [HotSite], is_part: bool) -> Places<'a> {
        Places {
            functions: &profile.functions,
            libraries: &profile.libraries,
            lines: &profile.lines,
            hottest,
            instructions: profile.instructions,
            unit: profile.unit,
            is_part,
        }
    }
}

/// A row: its share by itself and with what it called, what it is, and how often.
struct Row {
    kind: &'static str,
    own: u64,
    total: Option<u64>,
    name: String,
    times: String,
}

/// Functions, libraries and source lines with their shares of the instructions; the most executed branches where the
/// module has no line information.
pub fn where_the_cost_is(places: &Places<'_>, style: Style) -> String {
    if places.instructions == 0 || places.functions.is_empty() {
        return hottest_text(places.hottest);
    }
    // Everything but the name and what stands behind it.
    const BEFORE: usize = 2 + 9 + 7 + 7 + 2;
    const BEHIND: usize = 2 + 13;
    let most = width().saturating_sub(BEFORE + BEHIND).max(20);
    let mut rows: Vec<Row> = Vec::new();
    let has_own = places.functions.iter().any(|function| function.library.is_none());
    let functions = places.functions.iter().filter(|function| function.total > 0);
    for function in functions.filter(|function| function.library.is_none() || !has_own).take(SHOWN.0) {
        let times = counted(function.calls, "call", "calls");
        let name = short_name(&printable(&function.name), most, "..");
        rows.push(Row { kind: "functions", own: function.own, total: Some(function.total), name, times });
    }
    for library in places.libraries.iter().filter(|_| has_own).take(SHOWN.1) {
        let by = library.entered_by.as_ref().map(|by| format!(", by {}", short_name(&printable(by), most / 2, "..")));
        let name = format!("{}{}", printable(&library.name), by.unwrap_or_default());
        rows.push(Row { kind: "libraries", own: library.own, total: None, name, times: String::new() });
    }
    for line in places.lines.iter().filter(|line| line.library.is_none() || !has_own).take(SHOWN.2) {
        let place = format!("{}:{}", short_path(&printable(&line.file), most.saturating_sub(7)), line.line);
        let times = counted(line.times, "time", "times");
        rows.push(Row { kind: "lines", own: line.instructions, total: line.total, name: place, times });
    }
    let share = |part: u64| format!("{:>4.0} %", 100.0 * part as f64 / places.instructions as f64);
    let of = match places.is_part {
        true => format!("the first {} {}", grouped(places.instructions), places.unit.name()),
        false => format!("the {}", places.unit.name()),
    };
    let mut text = format!("\nwhere the cost is, as a share of {of}\n  {:<9}{:>6}{:>14}\n", "", "own", "with callees");
    let names = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0);
    let mut last = "";
    for row in &rows {
        let kind = if row.kind == last { "" } else { row.kind };
        last = row.kind;
        let total = row.total.map_or(String::new(), share);
        let (own, total) = (style.strong(&share(row.own)), format!("{total:>8}"));
        let line = format!("  {kind:<9}{own}{total}  {:<names$}  {}", row.name, style.faint(&row.times));
        text += &format!("{}\n", line.trim_end());
    }
    if places.lines.is_empty() {
        text += &hottest_text(places.hottest);
    }
    text
}

/// The line to look at first, and how often it ran for each of the `n` elements, where that is more often than a program needs that looks
/// at each of them once or twice: there is a loop in a loop, or a recursion. Only what was counted is said.
pub fn look_first(places: &Places<'_>, size: Option<u64>) -> String {
    let busiest = places.lines.iter().find(|line| line.library.is_none());
    let (Some(line), Some(size), false) = (busiest, size, places.is_part) else { return String::new() };
    if size < 2 || line.times / size < 3 {
        return String::new();
    }
    let place = format!("{}:{}", short_path(&printable(&line.file), width() / 2), line.line);
    let (times, each) = (grouped(line.times), average(line.times as f64 / size as f64));
    let text = format!("look first at {place}: run {times} times for n = {}, {each} for each", grouped(size));
    format!("  {}\n", folded(&text, 2, 4, width()))
}

/// A path with dots in place of its beginning if it is longer than this.
fn short_path(path: &str, most: usize) -> String {
    let length = path.chars().count();
    if length <= most {
        return path.to_string();
    }
    let tail: String = path.chars().skip(length + 2 - most.max(2)).collect();
    let tail = tail.split_once('/').map_or(tail.as_str(), |(_, rest)| rest);
    format!("..{tail}")
}

/// The hottest sites as lines of text.
pub fn hottest_text(hottest: &[HotSite]) -> String {
    if hottest.is_empty() {
        return String::new();
    }
    let mut table = Table::default();
    let most = width().saturating_sub(40).max(20);
    for HotSite { site, count } in hottest.iter().take(SITES) {
        // The place is behind the name of the function.
        let site = printable(site);
        let (name, place) = site.rsplit_once(" (").unwrap_or((&site, ""));
        let place = place.strip_suffix(')').map_or(String::new(), |place| format!(" ({})", short_path(place, 30)));
        table.number(&format!("  {}{place}", short_name(name, most, "..")), *count);
    }
    format!("\nhottest sites, with the number of times each was executed\n{}", table.render())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_to_look_at_first_is_one_that_runs_often_for_each_element() {
        let line = |times, library: Option<&str>| LineCost {
            file: "src/sort.c".to_string(),
            line: 15,
            function: None,
            instructions: 9 * times,
            times,
            total: None,
            library: library.map(str::to_string),
        };
        let said = |lines: &[LineCost], size, is_part| {
            let unit = Unit::Instructions;
            let places = Places { functions: &[], libraries: &[], lines, hottest: &[], instructions: 1, unit, is_part };
            look_first(&places, size)
        };
        let busy = [line(9_999, Some("libc")), line(1_209, None)];
        assert_eq!(
            said(&busy, Some(20), false),
            "  look first at src/sort.c:15: run 1,209 times for n = 20, 60.5 for each\n"
        );
        assert_eq!(said(&busy, None, false), "", "there is nothing to count for");
        assert_eq!(said(&busy, Some(20), true), "", "the rest of the run was not counted");
        assert_eq!(said(&[line(59, None)], Some(20), false), "", "a line in a single loop");
        assert_eq!(said(&busy[..1], Some(20), false), "", "code of a library is not to be changed");
    }

    #[test]
    fn no_line_is_wider_than_a_terminal() {
        let name = "std::__1::unordered_map<std::__1::basic_string<char>, int>::".repeat(9) + "operator[]";
        let function = |name: &str, library: Option<&str>| FunctionCost {
            name: name.to_string(),
            calls: 123_456,
            own: 100,
            total: 1000,
            library: library.map(str::to_string),
        };
        let file = "/home/somebody/a/very/long/way/down/to/the/source/of/this/program/parser.cpp".to_string();
        let line =
            LineCost { file, line: 12345, function: None, instructions: 9, times: 5, total: Some(9), library: None };
        let library = LibraryCost { name: "libc++".to_string(), own: 900, entered_by: Some(name.clone()) };
        let text = where_the_cost_is(
            &Places {
                functions: &[function(&name, None), function("malloc", Some("libc"))],
                libraries: &[library],
                lines: &[line],
                hottest: &[],
                instructions: 1000,
                unit: Unit::Instructions,
                is_part: false,
            },
            Style::default(),
        );
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        assert!(!text.contains("malloc"), "{text}");
        assert!(text.contains("libc++, by operator[]") && text.contains("parser.cpp:12345"), "{text}");
    }
}
