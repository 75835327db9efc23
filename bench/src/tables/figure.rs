//! The figures of a bench, as SVG with the same numbers as CSV beside it.

use std::path::{Path, PathBuf};

use anyhow::Result;
use pessimum_report::html::figure::{Bar, Series, bars, over_time};

use super::published::{Figure, Row, Table, Variant};
use super::record::Record;
use crate::statistics::{mean, median};
use pessimum_files::write_atomically;

/// Writes the figures of a table, if it has any, and returns their names.
pub fn save(table: &Table, records: &[Record], directory: &Path) -> Result<Vec<PathBuf>> {
    let files = match table.figure {
        None => return Ok(Vec::new()),
        Some(Figure::Time) => over_reference(table, records),
        Some(Figure::Coverage) => coverage(table, records),
        Some(Figure::Bars) => executions(table, records),
    };
    let mut written = Vec::new();
    for (name, text) in files {
        write_atomically(&directory.join(name), text.as_bytes())?;
        written.push(PathBuf::from(name));
    }
    Ok(written)
}

/// Moments at which the cost over time is looked at, for each factor of ten.
const PER_DECADE: i32 = 10;

/// Figure 2 of the ESE paper: for each variant, the cost over the reference, mean of all rows. It is drawn at the end
/// of the runs, as the paper does, and over their time.
fn over_reference(table: &Table, records: &[Record]) -> Vec<(&'static str, String)> {
    let mut end = "variant,cost_over_reference,published\n".to_string();
    let mut ends = Vec::new();
    for variant in drawn(table, records) {
        if let Some(value) = at(table, variant, records, f64::INFINITY) {
            let over = |row: &Row| Some(*row.cost.get(&variant.name)? as f64 / row.reference? as f64);
            let published = mean(table.rows.iter().filter_map(over).collect());
            let cell = published.map_or(String::new(), |value| format!("{value:.5}"));
            end += &format!("{},{value:.5},{cell}\n", variant.name);
            let beside = published.map_or(String::new(), |value| format!(" (published {value:.3})"));
            ends.push(Bar { name: variant.name.clone(), value, text: format!("{value:.3}{beside}") });
        }
    }
    let title = format!("{}: {}", table.name, table.title);
    let mut files = vec![("figure.csv", end), ("figure.svg", bars(&title, "cost over reference", false, &ends))];
    files.extend(curves(table, records, "cost over reference"));
    files
}

/// For each variant, the share of branches that is covered, mean of all rows, over the time of the runs.
fn coverage(table: &Table, records: &[Record]) -> Vec<(&'static str, String)> {
    curves(table, records, "branches covered").to_vec()
}

/// The variants that were run.
fn drawn<'t>(table: &'t Table, records: &[Record]) -> impl Iterator<Item = &'t Variant> {
    table.variants.iter().filter(|variant| at(table, variant, records, f64::INFINITY).is_some())
}

/// What [`at`] says over the time of the runs, which is called this.
fn curves(table: &Table, records: &[Record], value: &str) -> [(&'static str, String); 2] {
    let longest = records.iter().map(|record| record.seconds).fold(0.01, f64::max);
    let last = (longest.log10() * f64::from(PER_DECADE)).ceil() as i32;
    let moments: Vec<f64> =
        (-2 * PER_DECADE..=last).map(|k| 10f64.powf(f64::from(k) / f64::from(PER_DECADE))).collect();
    let mut text = format!("variant,seconds,{}\n", value.replace(' ', "_"));
    let mut series = Vec::new();
    for variant in drawn(table, records) {
        let points: Vec<(f64, f64)> =
            moments.iter().filter_map(|&moment| Some((moment, at(table, variant, records, moment)?))).collect();
        for (moment, value) in &points {
            text += &format!("{},{moment:.4},{value:.5}\n", variant.name);
        }
        series.push(Series { name: variant.name.clone(), points });
    }
    let title = format!("{}: {}", table.name, table.title);
    let high = series.iter().flat_map(|series| &series.points).map(|point| point.1).fold(1.0, f64::max);
    [("time.csv", text), ("time.svg", over_time(&title, value, (0.0, high), &series))]
}

/// The variant's cost over the reference at a moment, or the branches covered over all of them, mean of all rows that
/// were run, each the mean of its runs. A run that has found nothing yet counts as 0.
fn at(table: &Table, variant: &Variant, records: &[Record], moment: f64) -> Option<f64> {
    let of_row = |row: &Row| {
        let fits = |record: &&Record| {
            record.variant == variant.name && record.subject == row.subject && record.size == row.size
        };
        let runs: Vec<&Record> = records.iter().filter(fits).filter(|record| record.error.is_none()).collect();
        let whole = row.reference.or_else(|| runs.iter().find_map(|record| record.goals));
        let cost = |record: &Record| {
            let before = record.progress.iter().take_while(|(seconds, _)| *seconds <= moment);
            before.last().map_or(0.0, |(_, cost)| *cost as f64)
        };
        Some(mean(runs.into_iter().map(cost).collect())? / whole.filter(|&whole| whole > 0)? as f64)
    };
    mean(table.rows.iter().filter_map(of_row).collect())
}

/// Figure 7 of the PySE paper: the median of the executions until the longest path is found, a bar for each variant and
/// row. Runs that do not find it, or that do not get to the end where all paths count, have no bar.
fn executions(table: &Table, records: &[Record]) -> Vec<(&'static str, String)> {
    let mut text = "subject,size,variant,runs,found,executions\n".to_string();
    let mut drawn = Vec::new();
    for row in &table.rows {
        for variant in &table.variants {
            let fits = |record: &&Record| {
                record.variant == variant.name && record.subject == row.subject && record.size == row.size
            };
            let runs: Vec<&Record> = records.iter().filter(fits).collect();
            let is_known = |run: &&&Record| run.complete || !variant.counts_paths();
            let found = runs.iter().filter(|run| run.cost.is_some() && run.cost >= row.reference).filter(is_known);
            let mut counts: Vec<f64> =
                found.filter_map(|run| run.counted(variant, table.counts)).map(|count| count as f64).collect();
            let (total, reached) = (runs.len(), counts.len());
            if total == 0 {
                continue;
            }
            // A run that has not found it counts as more than any other.
            counts.resize(total, f64::INFINITY);
            let value = median(counts).filter(|value| value.is_finite());
            let number = value.map_or(String::new(), |value| value.to_string());
            text += &format!("{},{},{},{total},{reached},{number}\n", row.subject, row.size, variant.name);
            let name = format!("{} {}", row.name(), variant.name);
            let text = if value.is_some() { number } else { "not found".to_string() };
            drawn.push(Bar { name, value: value.unwrap_or(0.0), text });
        }
    }
    let title = format!("{}: {}", table.name, table.title);
    vec![("figure.csv", text), ("figure.svg", bars(&title, "executions", true, &drawn))]
}
