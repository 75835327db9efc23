//! A summary as a table for `docs/results.md`: a row for each subject and size, a column for each strategy.

use super::summary::{Line, Summary};
use crate::record::Record;

/// The table.
pub fn record(summary: &Summary) -> Record {
    let mut variants: Vec<&str> = Vec::new();
    for line in &summary.rows {
        if !variants.contains(&line.variant.as_str()) {
            variants.push(&line.variant);
        }
    }
    let mut columns = vec!["subject".to_string(), "n".to_string(), "known".to_string()];
    columns
        .extend(variants.iter().flat_map(|name| [format!("`{name}`"), format!("A12, p over `{}`", summary.baseline)]));
    let rows = summary.rows.chunk_by(|above, below| (&above.subject, above.size) == (&below.subject, below.size));
    let mut rows: Vec<Vec<String>> = rows.map(|lines| row(lines, &variants)).collect();
    // The baseline itself, and where nothing is compared.
    for column in (4..columns.len()).step_by(2).rev() {
        if rows.iter().all(|row| row[column].is_empty()) {
            columns.remove(column);
            rows.iter_mut().for_each(|row| drop(row.remove(column)));
        }
    }
    Record { folded: true, ..Record::new(columns, rows) }
}

fn row(lines: &[Line], variants: &[&str]) -> Vec<String> {
    let first = &lines[0];
    let at_least = first.at_least.map_or(String::new(), |cost| format!("≥ {cost}"));
    let known = first.optimum.map_or(at_least, |optimum| optimum.to_string());
    let mut cells = vec![first.subject.clone(), first.size.to_string(), known];
    for variant in variants {
        let line = lines.iter().find(|line| line.variant == *variant);
        cells.push(line.map_or(String::new(), found));
        cells.push(line.and_then(|line| Some(format!("{:.2}, {:.2}", line.a12?, line.p?))).unwrap_or_default());
    }
    cells
}

/// What the runs of a strategy found, and behind a colon what was published.
fn found(line: &Line) -> String {
    let rounded = |value: f64| format!("{:.1}", value).trim_end_matches(".0").to_string();
    let (ours, published) = match (line.coverage, line.average, line.mean) {
        (Some(covered), ..) => {
            (format!("{covered:.3}"), line.published_coverage.map(|covered| format!("{covered:.2}")))
        }
        (_, Some(average), _) => (rounded(average), line.published_average.map(rounded)),
        (.., Some(mean)) => {
            let best = line.best.map_or(String::new(), |best| format!(" ({best})"));
            (rounded(mean) + &best, line.published.map(|cost| cost.to_string()))
        }
        _ => (line.paths.map_or("-".to_string(), rounded), line.published_paths.map(|paths| paths.to_string())),
    };
    published.map_or(ours.clone(), |published| format!("{ours} : {published}"))
}
