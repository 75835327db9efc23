//! Patterns in words, with a table of what they cost.

use pessimum_report::certainty;
use pessimum_report::pattern::{FoundPattern, How, PatternResult};

use super::unit;
use crate::curve::limit_row;
use crate::flags::CurveFlags;
use crate::output::{Style, Table, average, counted, folded, grouped, seconds, width};

/// Everything that `pattern` prints.
pub fn text(flags: &CurveFlags, result: &PatternResult) -> String {
    let style = Style::of(flags.worst.search.color, &std::io::stdout());
    let mut text = table(result);
    text.push('\n');
    text + &summary(flags, result, style).render()
}

/// What `curve --extend` prints after its own text.
pub fn section(flags: &CurveFlags, result: &PatternResult) -> String {
    format!("\n{}", text(flags, result))
}

/// Searched and generated costs, apart, beside those of random inputs.
fn table(result: &PatternResult) -> String {
    let mut sizes: Vec<u64> = result.points.iter().map(|&(size, _, _)| size).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let at = |size: u64, how: How| {
        let point = result.points.iter().find(|&&(other, _, kind)| other == size && kind == how);
        point.map_or_else(
            || "-".to_string(),
            |&(_, cost, _)| match how {
                How::Random => average(cost as f64),
                How::Searched | How::Generated => grouped(cost),
            },
        )
    };
    let mut rows = vec![["n", "searched", "pattern", "random"].map(str::to_string)];
    for size in sizes {
        rows.push([size.to_string(), at(size, How::Searched), at(size, How::Generated), at(size, How::Random)]);
    }
    // Growth with a value has no searches.
    let columns: Vec<usize> =
        (0..4).filter(|&column| column == 0 || rows[1..].iter().any(|row| row[column] != "-")).collect();
    let widths: Vec<usize> =
        columns.iter().map(|&column| rows.iter().map(|row| row[column].len()).max().unwrap_or(0)).collect();
    let what = match result.growth_with.as_str() {
        "value" => "by the value of its parameter",
        _ => "of inputs that were searched, of the pattern's and of random ones",
    };
    let mut text = folded(&format!("{} {what}", unit(result)), 0, 0, width());
    text.push('\n');
    for row in &rows {
        text += " ";
        for (&column, &width) in columns.iter().zip(&widths) {
            text += &format!(" {:>width$} ", row[column]);
        }
        text = text.trim_end().to_string() + "\n";
    }
    text
}

fn summary(flags: &CurveFlags, result: &PatternResult, style: Style) -> Table {
    let mut table = Table::default();
    if result.patterns.is_empty() {
        table.text("pattern", "none was found");
        if let Some(policy) = &result.words {
            table.text("instead", policy.clone());
        }
    }
    let several = result.patterns.len() > 1;
    for (number, found) in result.patterns.iter().enumerate() {
        let name = if several { format!("pattern {}", number + 1) } else { "pattern".to_string() };
        pattern_rows(&mut table, &name, (found, &result.cost), style);
    }
    let known = result.verdict();
    let headline = match &known.grown {
        Some(grown) => certainty::grows(grown, style.number(&certainty::named(grown.class))),
        None => certainty::not_known(&known),
    };
    table.text(certainty::subject_of(&known), headline);
    if let Some(searched) = &result.searched {
        table.text(
            "search alone",
            match result.by_search() {
                Some(grown) => certainty::grows(&grown, certainty::named(grown.class)),
                None => format!("not known: {}", searched.why_not.as_deref().unwrap_or("not enough data")),
            },
        );
    }
    if let Some(class) = result.random.as_ref().and_then(|random| random.class) {
        table.text("random", certainty::grows_like(certainty::named(class)));
    }
    let inputs = counted(result.tried, "input was run", "inputs were run");
    table.text("how sure", format!("{inputs} in {}", seconds(result.elapsed_s)));
    if let Some(limit) = limit_row(flags, &known, style) {
        table.text("limit", limit);
    }
    table
}

fn pattern_rows(table: &mut Table, name: &str, (found, cost): (&FoundPattern, &str), style: Style) {
    table.text(name, style.command(&found.words));
    let largest = found.points.last().map_or(0, |point| point.size);
    match (found.growth.class, &found.growth.why_not) {
        (Some(class), _) => {
            let fit = found.growth.fit.as_ref().map_or_else(String::new, |fit| format!(", about {}", fit.formula()));
            table.text("", certainty::pattern_grows(class) + &fit);
        }
        (None, why) => table.text("", format!("class not known: {}", why.as_deref().unwrap_or("not enough data"))),
    }
    if let Some(formula) = &found.formula {
        table.text("", certainty::exactly(formula, cost));
    }
    table.text("", format!("run up to n = {}: {}", grouped(largest), found.stopped));
    if let Some(behind) = &found.behind {
        let part = 100.0 * behind.part();
        let (size, searched) = (behind.size, grouped(behind.searched));
        table.text("", format!("at n = {size} it costs {part:.1} % less than the {searched} that the search found"));
    }
    if let Some(place) = &found.place {
        table.text("", format!("most of it in {place}"));
    }
}
