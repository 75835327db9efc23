//! The summary of a bench: mean, best, and how its runs compare with `ese` and with the published results.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use pessimum_subjects::Subject as Entry;
use serde::Serialize;

use super::Record;
use super::published::{Row, Table, Variant};
use super::statistics::compare;
use crate::files::write_atomically;
use crate::flags::BenchFlags;

/// The variant that all others are compared with.
const BASELINE: &str = "ese";

#[derive(Serialize)]
pub struct Summary {
    table: String,
    title: String,
    source: String,
    reference: String,
    budget_s: Option<f64>,
    budget_paths: Option<u64>,
    seeds: u32,
    runs_done: usize,
    runs_wanted: usize,
    rows: Vec<Line>,
}

/// One subject, size and variant.
#[derive(Serialize)]
struct Line {
    subject: String,
    size: u64,
    paper_size: Option<u64>,
    variant: String,
    runs: usize,
    failed: usize,
    mean: Option<f64>,
    best: Option<u64>,
    /// The greatest cost of any input of this size, where it is known.
    optimum: Option<u64>,
    /// A cost that is known to be reachable, where the optimum is not known.
    at_least: Option<u64>,
    /// What the paper takes for the worst case.
    reference: Option<u64>,
    /// What the paper's run of this variant found.
    published: Option<u64>,
    /// Probability that a run of this variant finds more than a run of `ese`, ties counted half (Vargha, Delaney
    /// 2000).
    a12: Option<f64>,
    /// Two-sided Mann-Whitney test against `ese`.
    p: Option<f64>,
    /// Mean number of paths: all of them for guided generation and exhaustive search, for others those until the best
    /// was found.
    paths: Option<f64>,
    published_paths: Option<u64>,
    seconds_to_best: Option<f64>,
    doubt: Option<String>,
}

pub fn summary(flags: &BenchFlags, table: &Table, entries: &[Entry], records: &[Record], wanted: usize) -> Summary {
    let mut rows = Vec::new();
    for row in &table.rows {
        let of = |name: &str| -> Vec<&Record> {
            let fits =
                |record: &&Record| record.subject == row.subject && record.size == row.size && record.variant == name;
            records.iter().filter(fits).collect()
        };
        let baseline = costs(&of(BASELINE));
        let entry = entries.iter().find(|entry| entry.name == row.subject);
        for variant in &table.variants {
            let runs = of(&variant.name);
            if !runs.is_empty() {
                rows.push(line(row, variant, entry, &runs, &baseline));
            }
        }
    }
    Summary {
        table: table.name.clone(),
        title: table.title.clone(),
        source: table.source.clone(),
        reference: table.reference.clone(),
        budget_s: flags.time().map(|time| time.as_secs_f64()),
        budget_paths: flags.paths,
        seeds: flags.seeds,
        runs_done: records.len(),
        runs_wanted: wanted,
        rows,
    }
}

/// The costs of the runs that worked; a run that found nothing counts as 0.
fn costs(runs: &[&Record]) -> Vec<u64> {
    runs.iter().filter(|run| run.error.is_none()).map(|run| run.cost.unwrap_or(0)).collect()
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0u32), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

fn line(row: &Row, variant: &Variant, entry: Option<&Entry>, runs: &[&Record], baseline: &[u64]) -> Line {
    let costs = costs(runs);
    let worked = || runs.iter().filter(|run| run.error.is_none());
    let paths = |run: &&Record| (if variant.counts_paths() { run.paths } else { run.paths_to_best }) as f64;
    let compared = if variant.name == BASELINE { None } else { compare(&costs, baseline) };
    let optimum = entry.and_then(|entry| entry.optimum_at(row.size));
    Line {
        subject: row.subject.clone(),
        size: row.size,
        paper_size: row.paper_size,
        variant: variant.name.clone(),
        runs: runs.len(),
        failed: runs.len() - costs.len(),
        mean: mean(costs.iter().map(|&cost| cost as f64)),
        best: costs.iter().copied().max(),
        optimum,
        at_least: entry.and_then(|entry| entry.reached_at(row.size)).filter(|_| optimum.is_none()),
        reference: row.reference,
        published: row.cost.get(&variant.name).copied(),
        a12: compared.map(|(a12, _)| a12),
        p: compared.map(|(_, p)| p),
        paths: mean(worked().map(paths)),
        published_paths: row.paths.get(&variant.name).copied(),
        seconds_to_best: mean(worked().map(|run| run.seconds_to_best)),
        doubt: row.doubt.clone(),
    }
}

impl Summary {
    /// Writes the summary as JSON and CSV. Returns the names of all files of the bench.
    pub fn save(&self, directory: &Path) -> Result<Vec<PathBuf>> {
        let json = serde_json::to_string_pretty(self).context("JSON")? + "\n";
        let files = [("summary.csv", self.csv()), ("summary.json", json)];
        let mut names = vec![PathBuf::from("runs.jsonl")];
        for (name, text) in files {
            write_atomically(&directory.join(name), text.as_bytes())?;
            names.push(PathBuf::from(name));
        }
        Ok(names)
    }

    fn csv(&self) -> String {
        let mut text =
            "subject,size,paper_size,variant,runs,failed,mean,best,optimum,at_least,reference,published,a12,p,paths,\
                        published_paths,seconds_to_best\n"
                .to_string();
        for line in &self.rows {
            let whole = |value: Option<u64>| value.map_or(String::new(), |value| value.to_string());
            let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
            let cells = [
                line.subject.clone(),
                line.size.to_string(),
                whole(line.paper_size),
                line.variant.clone(),
                line.runs.to_string(),
                line.failed.to_string(),
                number(line.mean),
                whole(line.best),
                whole(line.optimum),
                whole(line.at_least),
                whole(line.reference),
                whole(line.published),
                number(line.a12),
                number(line.p),
                number(line.paths),
                whole(line.published_paths),
                number(line.seconds_to_best),
            ];
            // Names of subjects and strategies contain neither commas nor quotes.
            text += &(cells.join(",") + "\n");
        }
        text
    }

    pub fn text(&self, directory: &Path, written: &[PathBuf]) -> String {
        let mut text = format!("{}: {}\n{}\n", self.table, self.title, self.source);
        let budget = match (self.budget_s, self.budget_paths) {
            (Some(time), Some(paths)) => format!("{time} s or {paths} paths"),
            (Some(time), None) => format!("{time} s"),
            (None, Some(paths)) => format!("{paths} paths"),
            (None, None) => "no limit".to_string(),
        };
        text += &format!(
            "ours: {budget} per run, seeds 1 to {}, {} of {} runs done\n",
            self.seeds, self.runs_done, self.runs_wanted
        );
        text += &format!("reference: {}\n\n", self.reference);
        text += &self.grid();
        text += &self.tally();
        let names: Vec<String> = written.iter().map(|name| name.display().to_string()).collect();
        text += &format!("\nwritten to {}: {}\n", directory.display(), names.join(", "));
        if self.runs_done < self.runs_wanted {
            text += "run the same command again to continue where this one stopped\n";
        }
        text
    }

    fn grid(&self) -> String {
        let heads = [
            "subject",
            "n",
            "strategy",
            "runs",
            "mean",
            "best",
            "optimum",
            "reference",
            "pub. cost",
            "A12",
            "p",
            "paths",
            "pub. paths",
            "s to best",
        ];
        let mut grid: Vec<Vec<String>> = vec![heads.map(String::from).to_vec()];
        let dash = || "-".to_string();
        let whole = |value: Option<u64>| value.map_or_else(dash, |value| value.to_string());
        let number = |value: Option<f64>, digits: usize| value.map_or_else(dash, |value| format!("{value:.digits$}"));
        for line in &self.rows {
            let known = match (line.optimum, line.at_least) {
                (Some(optimum), _) => optimum.to_string(),
                (None, Some(reached)) => format!(">={reached}"),
                (None, None) => dash(),
            };
            let failed = if line.failed > 0 { format!(" ({} failed)", line.failed) } else { String::new() };
            grid.push(vec![
                line.subject.clone(),
                line.size.to_string(),
                line.variant.clone(),
                format!("{}{failed}", line.runs),
                number(line.mean, 1),
                whole(line.best),
                known,
                whole(line.reference),
                whole(line.published),
                number(line.a12, 2),
                number(line.p, 3),
                number(line.paths, 0),
                whole(line.published_paths),
                number(line.seconds_to_best, 2),
            ]);
        }
        let widths: Vec<usize> =
            (0..heads.len()).map(|i| grid.iter().map(|row| row[i].chars().count()).max().unwrap_or(0)).collect();
        let mut text = String::new();
        for row in grid {
            let cells = row.iter().zip(&widths).enumerate().map(|(i, (cell, &width))| match i {
                0 | 2 => format!("{cell:<width$}"),
                _ => format!("{cell:>width$}"),
            });
            text += &(cells.collect::<Vec<_>>().join("  ") + "\n");
        }
        text
    }

    /// For each strategy, in how many rows it reaches the known values.
    fn tally(&self) -> String {
        let mut variants: Vec<&str> = Vec::new();
        for line in &self.rows {
            if !variants.contains(&line.variant.as_str()) {
                variants.push(&line.variant);
            }
        }
        let mut text = "\nrows in which the best of our runs reaches\n".to_string();
        for variant in variants {
            let count = |target: fn(&Line) -> Option<u64>| {
                let of_variant = self.rows.iter().filter(|line| line.variant == variant);
                let known: Vec<bool> =
                    of_variant.filter_map(|line| Some(line.best.unwrap_or(0) >= target(line)?)).collect();
                format!("{} of {}", known.iter().filter(|reached| **reached).count(), known.len())
            };
            let (optimum, reference) = (count(|line| line.optimum), count(|line| line.reference));
            let published = count(|line| line.published);
            text += &format!(
                "  {variant}: the optimum {optimum}, the reference {reference}, its published value {published}\n"
            );
        }
        text
    }
}
