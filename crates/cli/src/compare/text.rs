//! A comparison in words.

use std::path::Path;

use pessimum_outcome::CostModel;
use pessimum_report::certainty;
use pessimum_report::compare::{ComparedCost, ComparedPoint, ComparedVersion, Comparison};
use pessimum_report::text::{printable, shell_word};

use crate::explain::rows as rows_named;
use crate::flags::{ClassLimit, CompareFlags, not_an_option};
use crate::output::{Style, Table, average, grouped};
use crate::shape::input_lines;

/// About one screen for people: both worst cases, what each one's input costs the other, and where the cost moved.
pub fn text(flags: &CompareFlags, result: &Comparison) -> String {
    let style = Style::of(flags.worst.search.color, &std::io::stdout());
    let mut versions = Table::default();
    for (letter, version) in [("A", &result.a), ("B", &result.b)] {
        versions.text(letter, named(version));
        if let Some(program) = &version.program_from_here {
            versions.text("", format!("it has no {}: that of the working tree is used", printable(program)));
        }
    }
    let unit = if flags.worst.maximised.cost == CostModel::User { "(the program's own cost)" } else { &result.cost };
    let mut text = versions.render() + "\n";
    text += &match flags.sizes {
        Some(_) => sizes(result, unit),
        None => result.points.first().map(|point| costs(point, unit)).unwrap_or_default(),
    };
    text.push('\n');
    let mut summary = Table::default();
    if let (Some(point), None) = (result.points.first(), &flags.sizes) {
        inputs(&mut summary, point, result);
    }
    for (name, version) in [("growth of A", &result.a), ("growth of B", &result.b)] {
        if let Some(growth) = &version.growth {
            summary.text(
                name,
                match growth.class {
                    Some(class) => certainty::named(class),
                    None => format!("not known: {}", growth.why_not.as_deref().unwrap_or("not enough data")),
                },
            );
        }
    }
    summary.text("verdict", verdict(result, style));
    rows_named(&mut summary, "how sure", certainty::of_comparison(result));
    if let Some(why) = &result.not_exchanged {
        summary.text("", format!("not every worst input could be run on the other version: {}", printable(why)));
    }
    for missing in &result.missing {
        summary.text("missing", format!("n = {}: {}", missing.size, printable(&missing.why)));
    }
    for limit in limits(flags, result) {
        summary.text("limit", style.bad(&limit));
    }
    text + &summary.render() + &moved(result)
}

/// What was written where.
pub fn afterwards(result: &Comparison, directory: &Path) -> String {
    let place = directory.display();
    let last = result.points.last().and_then(|point| point.size).filter(|_| result.a.growth.is_some());
    let inside = last.map(|size| format!("/n-{size}")).unwrap_or_default();
    let replayed = shell_word(&format!("{}/b{inside}", not_an_option(directory)));
    let run = if result.b.label.ends_with(".py") { " --run-python" } else { "" };
    format!(
        "\nwritten to {place}:\n  compare.json, and the results of each in a and b\nnext: pessimum replay {replayed}{run}\n"
    )
}

fn named(version: &ComparedVersion) -> String {
    let mut text = printable(&version.label).into_owned();
    if let Some(revision) = &version.revision {
        text += &format!("  ({})", &revision[..revision.len().min(10)]);
    }
    if let Some(call) = &version.call {
        text += &format!("  {}", printable(call));
    }
    text
}

fn ratio(ratio: Option<f64>) -> String {
    ratio.map_or("-".to_string(), |ratio| format!("{ratio:.2}"))
}

/// Rows whose cells line up at their last character, except for the first where that is a name.
fn rows(rows: &[Vec<String>], is_named: bool) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let width = widths[column];
            line += &match column {
                0 if is_named => format!("{cell:<width$}"),
                0 => format!("{cell:>width$}"),
                _ => format!("  {cell:>width$}"),
            };
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

/// The costs at one size.
fn costs(point: &ComparedPoint, unit: &str) -> String {
    let random = |cost: &ComparedCost| cost.random.as_ref().map_or("-".to_string(), |random| average(random.average));
    let own = |cost: &ComparedCost| cost.on_other_input.map_or("-".to_string(), grouped);
    let mut table = vec![
        ["", "A", "B", "B / A"].map(str::to_string).to_vec(),
        vec![format!("worst {unit}"), grouped(point.a.cost), grouped(point.b.cost), ratio(point.ratio)],
        vec!["average of random inputs".to_string(), random(&point.a), random(&point.b), ratio(point.random_ratio)],
    ];
    let is_other = |cost: &ComparedCost| cost.from_other;
    if !is_other(&point.a) && !is_other(&point.b) && point.a.input != point.b.input {
        table.push(vec!["on the worst input of A".to_string(), grouped(point.a.cost), own(&point.b)]);
        table.push(vec!["on the worst input of B".to_string(), own(&point.a), grouped(point.b.cost)]);
    }
    rows(&table, true)
}

/// The costs at all sizes.
fn sizes(result: &Comparison, unit: &str) -> String {
    let mut table = vec![["n", "worst of A", "worst of B", "B / A", "random B / A"].map(str::to_string).to_vec()];
    for point in &result.points {
        table.push(vec![
            point.size.map_or(String::new(), |size| size.to_string()),
            grouped(point.a.cost),
            grouped(point.b.cost),
            ratio(point.ratio),
            ratio(point.random_ratio),
        ]);
    }
    format!("{}costs in {unit}\n", rows(&table, false))
}

/// The worst inputs.
fn inputs(summary: &mut Table, point: &ComparedPoint, result: &Comparison) {
    let same = point.a.input == point.b.input && result.a.call == result.b.call;
    for (letter, cost, version) in [("A", &point.a, &result.a), ("B", &point.b, &result.b)] {
        if same && letter == "B" {
            break;
        }
        let name = if same { "worst input of both".to_string() } else { format!("worst input of {letter}") };
        for (index, line) in
            input_lines(&cost.input, version.call.as_deref(), cost.written.as_deref()).into_iter().enumerate()
        {
            summary.text(if index == 0 { &name } else { "" }, line);
        }
        if cost.end != "returned" {
            summary.text("", format!("{} ends with: {}", letter, printable(&cost.end)));
        }
    }
    for (letter, other, cost) in [("A", "B", &point.a), ("B", "A", &point.b)] {
        if cost.from_other {
            summary.text("", format!("it was found for {other}; the search of {letter} had missed it"));
        }
    }
}

fn verdict(result: &Comparison, style: Style) -> String {
    let Some(point) = result.points.last() else { return "there is no size at which both were searched".to_string() };
    let at = point.size.filter(|_| result.points.len() > 1).map(|size| format!(" at n = {size}")).unwrap_or_default();
    let (a, b) = (grouped(point.a.cost), grouped(point.b.cost));
    let text = match point.ratio {
        // What they had cost when they were stopped is nothing to compare.
        _ if point.a.endless && point.b.endless => format!("neither ended{at}, so their costs are not known"),
        _ if point.b.endless => style.bad(&format!("B is worse{at}: its run did not end")),
        _ if point.a.endless => style.good(&format!("B is better{at}: the run of A did not end")),
        _ if point.a.cost == point.b.cost => certainty::both_cost(&at, point.a.cost),
        Some(ratio) if ratio > 1.0 => style.bad(&format!("B is worse{at}: {b} instead of {a}, {}", times(ratio))),
        Some(ratio) => style.good(&format!("B is better{at}: {b} instead of {a}, {}", times(ratio))),
        None => style.bad(&format!("B is worse{at}: {b} instead of nothing")),
    };
    match (result.a.growth.as_ref().and_then(|a| a.class), result.b.growth.as_ref().and_then(|b| b.class)) {
        (Some(a), Some(b)) if b.is_above(a) => format!("{text}; {}", style.bad(&certainty::grows_instead(b, a))),
        (Some(a), Some(b)) if a.is_above(b) => format!("{text}; {}", style.good(&certainty::grows_instead(b, a))),
        _ => text,
    }
}

/// A ratio in words; a small change in per cent.
fn times(ratio: f64) -> String {
    let change = 100.0 * (ratio - 1.0);
    match change.abs() {
        ..0.095 => format!("{change:+.3} %"),
        ..0.95 => format!("{change:+.2} %"),
        ..10.0 => format!("{change:+.1} %"),
        _ => format!("{ratio:.2} times as much"),
    }
}

/// The limits that were exceeded.
fn limits(flags: &CompareFlags, result: &Comparison) -> Vec<String> {
    let mut limits = Vec::new();
    if let Some(most) = flags.fail_above_ratio {
        for point in result.points.iter().filter(|point| point.is_above(most)) {
            let at = point.size.map(|size| format!("n = {size}: ")).unwrap_or_default();
            let ratio = point.ratio.map_or("any number of".to_string(), |ratio| format!("{ratio:.3}"));
            limits.push(format!("{at}{ratio} times is above --fail-above-ratio {most}"));
        }
    }
    let class = |version: &ComparedVersion| version.growth.as_ref().and_then(|growth| growth.class);
    let most = match flags.fail_above_class {
        Some(ClassLimit::Same) => class(&result.a),
        Some(ClassLimit::Class(class)) => Some(class),
        None => None,
    };
    if let (Some(most), Some(found)) = (most, class(&result.b))
        && found.is_above(most)
    {
        limits.push(format!("the class of B, {found}, is above {most} (--fail-above-class)"));
    }
    limits
}

/// Functions shown.
const SHOWN: usize = 6;

fn moved(result: &Comparison) -> String {
    if result.moved.is_empty() {
        return String::new();
    }
    let at = match result.points.last().and_then(|point| point.size) {
        Some(size) if result.points.len() > 1 => format!(" at n = {size}"),
        _ => String::new(),
    };
    let count = |number: u64| if number == 0 { "-".to_string() } else { grouped(number) };
    let mut table = vec![["", "A", "B", "change"].map(str::to_string).to_vec()];
    for moved in result.moved.iter().take(SHOWN) {
        let sign = if moved.b > moved.a { "+" } else { "-" };
        let change = format!("{sign}{}", grouped(moved.a.abs_diff(moved.b)));
        table.push(vec![format!("  {}", short(&moved.function)), count(moved.a), count(moved.b), change]);
    }
    let unit = if result.b.label.ends_with(".py") { "lines" } else { "instructions" };
    format!("\nwhere the {unit} moved, in the worst runs{at}\n{}", rows(&table, true))
}

/// A name that fits into a table.
fn short(name: &str) -> String {
    const MOST: usize = 44;
    let name = printable(name);
    match name.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}...", &name[..end]),
        None => name.into_owned(),
    }
}
