//! Source lines with the instructions that the worst run, and an average one, executed for them.

use std::collections::BTreeMap;

use super::element::{Element, element};
use super::{place, scrolled};
use crate::profile::{LineCost, Profile};
use crate::text::{counted, grouped, per_cent};

/// The text of a source file, by the name that the debug information gives it.
pub struct SourceFile {
    /// As in [`LineCost::file`].
    pub name: String,
    /// Its text.
    pub text: String,
}

/// At most this many files are listed, the most expensive first.
const FILES: usize = 6;
/// At most this many lines are listed over all files.
const LINES: usize = 600;
/// This many lines are shown before and after one that was executed.
const AROUND: u32 = 2;
/// The table has at most this many lines.
const TABLE_LINES: usize = 20;

type Counts<'a> = BTreeMap<(&'a str, u32), &'a LineCost>;

fn by_line(profile: &Profile) -> Counts<'_> {
    profile.lines.iter().map(|line| ((line.file.as_str(), line.line), line)).collect()
}

/// The most expensive lines as a table, then the listings of the files whose text is available.
pub fn lines(worst: &Profile, average: Option<&Profile>, files: &[SourceFile]) -> Vec<Element> {
    if worst.lines.is_empty() {
        return vec![element("p").class("note").text(
            "The module has no line information. Compile it with -g (in Rust, debug = \"line-tables-only\" or more) \
             to see its source lines here.",
        )];
    }
    let averages = average.map(by_line).unwrap_or_default();
    let mut parts = vec![table(worst, average.is_some().then_some(&averages))];
    let mut costs: BTreeMap<&str, u64> = BTreeMap::new();
    for line in &worst.lines {
        *costs.entry(&line.file).or_default() += line.instructions;
    }
    let mut names: Vec<(&str, u64)> = costs.into_iter().collect();
    names.sort_by_key(|&(name, cost)| (std::cmp::Reverse(cost), name));
    let counts = by_line(worst);
    let mut left = LINES;
    let mut without_text = Vec::new();
    for &(name, cost) in &names {
        match files.iter().find(|file| file.name == name) {
            Some(file) if left > 0 && parts.len() <= FILES => {
                let share = format!("{} of the {}", per_cent(cost, worst.instructions), worst.unit.name());
                parts.push(listing(
                    file,
                    &counts,
                    average.is_some().then_some(&averages),
                    &share,
                    &mut left,
                    parts.len() == 1,
                ));
            }
            _ => without_text.push((name, cost)),
        }
    }
    if !without_text.is_empty() {
        let shown: Vec<String> = without_text
            .iter()
            .take(5)
            .map(|(name, cost)| format!("{name} ({})", per_cent(*cost, worst.instructions)))
            .collect();
        let more = without_text.len().saturating_sub(shown.len());
        let more = if more > 0 {
            format!(" and {}", counted(more as u64, "other file", "other files"))
        } else {
            String::new()
        };
        parts.push(
            element("p")
                .class("note")
                .text(format!("Not listed, with their share of the run: {}{more}.", shown.join(", "))),
        );
    }
    parts
}

fn head(names: &[(&str, bool)]) -> Element {
    let cell = |&(name, is_number): &(&str, bool)| {
        let cell = element("th").with("scope", "col").text(name);
        if is_number { cell.class("number") } else { cell }
    };
    element("thead").child(element("tr").children(names.iter().map(cell)))
}

fn number(value: Option<u64>) -> Element {
    element("td").class("number").text(value.map_or(String::new(), grouped))
}

/// A bar for a part of the whole.
pub fn share(part: u64, whole: u64) -> Element {
    let width = if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 };
    let cell = element("td").class("share").with("title", per_cent(part, whole));
    if part == 0 {
        return cell;
    }
    cell.child(element("span").class("meter").with("style", format!("width:{width:.2}%")))
}

fn table(worst: &Profile, averages: Option<&Counts<'_>>) -> Element {
    let mut names = vec![("line", false), ("function", false), ("times", true), (worst.unit.name(), true), ("", false)];
    if averages.is_some() {
        names.push(("average run", true));
    }
    let row = |line: &LineCost| {
        let mut row = element("tr")
            .child(place(&format!("{}:{}", line.file, line.line)))
            .child(place(line.function.as_deref().unwrap_or_default()))
            .child(number(Some(line.times)))
            .child(number(Some(line.instructions)))
            .child(share(line.instructions, worst.instructions));
        if let Some(averages) = averages {
            let average = averages.get(&(line.file.as_str(), line.line)).map_or(0, |line| line.instructions);
            row = row.child(number(Some(average)));
        }
        row
    };
    let rows = worst.lines.iter().take(TABLE_LINES).map(row);
    let table = element("table").child(head(&names)).child(element("tbody").children(rows));
    let mut part = element("div").child(scrolled(table));
    let mut notes = Vec::new();
    if worst.lines.len() > TABLE_LINES {
        let more = (worst.lines.len() - TABLE_LINES) as u64;
        notes.push(format!("{} more", counted(more, "line was executed", "lines were executed")));
    }
    if worst.without_line > 0 {
        let share = per_cent(worst.without_line, worst.instructions);
        notes.push(format!(
            "{} ({share}) belong to no line",
            counted(worst.without_line, worst.unit.one(), worst.unit.name())
        ));
    }
    if !notes.is_empty() {
        part = part.child(element("p").class("note").text(format!("{}.", notes.join("; "))));
    }
    part
}

/// The lines of a file that were executed, with a few around each.
fn listing(
    file: &SourceFile,
    counts: &Counts<'_>,
    averages: Option<&Counts<'_>>,
    share: &str,
    left: &mut usize,
    is_first: bool,
) -> Element {
    let executed: Vec<u32> =
        counts.range((file.name.as_str(), 0)..=(file.name.as_str(), u32::MAX)).map(|(key, _)| key.1).collect();
    let greatest =
        executed.iter().filter_map(|&line| counts.get(&(file.name.as_str(), line))).map(|line| line.instructions).max();
    let text: Vec<&str> = file.text.lines().collect();
    let mut rows = element("tbody");
    let mut last = 0;
    let columns = if averages.is_some() { 3 } else { 2 };
    let mut cut = false;
    for (index, code) in text.iter().enumerate() {
        let line = index as u32 + 1;
        let near = executed.partition_point(|&other| other + AROUND < line);
        if executed.get(near).is_none_or(|&other| other > line + AROUND) {
            continue;
        }
        if *left == 0 {
            cut = true;
            break;
        }
        *left -= 1;
        if last + 1 < line && last > 0 {
            let cells = (0..columns).map(|_| element("td"));
            rows = rows
                .child(element("tr").class("gap").children(cells).child(element("td").class("code").text("\u{22ee}")));
        }
        last = line;
        let key = (file.name.as_str(), line);
        let count = counts.get(&key).map(|line| line.instructions);
        let heat = count.map_or("none", |count| heat(count, greatest.unwrap_or(0)));
        let class = format!("number {heat}");
        let mut row =
            element("tr").child(element("td").with("class", class).text(count.map_or(String::new(), grouped)));
        if let Some(averages) = averages {
            row = row.child(number(averages.get(&key).map(|line| line.instructions)));
        }
        let code: String = code.chars().take(400).collect();
        rows = rows
            .child(row.child(element("td").class("lineno").text(line)).child(element("td").class("code").text(code)));
    }
    let mut names = vec![("worst run", true)];
    if averages.is_some() {
        names.push(("average run", true));
    }
    names.extend([("line", true), ("", false)]);
    let table = element("table").class("source").child(head(&names)).child(rows);
    let summary = element("summary").child(element("code").text(&file.name)).text(format!(", {share}"));
    let mut part = element("details").child(summary).child(scrolled(table));
    if is_first {
        part = part.with("open", "");
    }
    if cut {
        part = part.child(element("p").class("note").text("The rest of the file is left out."));
    }
    part
}

/// The colour of a count, relative to that of the most expensive line.
fn heat(count: u64, greatest: u64) -> &'static str {
    match count as f64 / greatest.max(1) as f64 {
        s if s < 0.02 => "heat0",
        s if s < 0.10 => "heat1",
        s if s < 0.30 => "heat2",
        s if s < 0.70 => "heat3",
        _ => "heat4",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(line: u32, instructions: u64) -> LineCost {
        LineCost { file: "a.c".to_string(), line, function: None, instructions, times: 1, total: None, library: None }
    }

    #[test]
    fn executed_lines_are_listed_with_their_surroundings() {
        let profile = Profile { instructions: 110, lines: vec![line(10, 100), line(20, 10)], ..Profile::default() };
        let text: String = (1..=30).map(|i| format!("line<{i}>\n")).collect();
        let file = SourceFile { name: "a.c".to_string(), text };
        let drawn: String = lines(&profile, None, &[file]).iter().map(Element::to_string).collect();
        for shown in [8, 9, 10, 11, 12, 18, 20, 22] {
            assert!(drawn.contains(&format!(">line&lt;{shown}&gt;<")), "{shown} in {drawn}");
        }
        for left_out in [7, 13, 17, 23] {
            assert!(!drawn.contains(&format!(">line&lt;{left_out}&gt;<")), "{left_out} in {drawn}");
        }
        assert_eq!(drawn.matches("class=\"gap\"").count(), 1);
        assert!(drawn.contains("90.9 %"));
    }

    #[test]
    fn files_without_text_are_named() {
        let profile = Profile { instructions: 100, lines: vec![line(10, 100)], ..Profile::default() };
        let drawn: String = lines(&profile, None, &[]).iter().map(Element::to_string).collect();
        assert!(drawn.contains("Not listed, with their share of the run: a.c (100 %)."), "{drawn}");
    }
}
