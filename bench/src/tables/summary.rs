//! The summary of a bench: mean, best, and how its runs compare with a baseline and with the published results.

use std::cmp::Reverse;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use pessimum_subjects::Subject as Entry;
use serde::Serialize;

use super::budget;
use super::comparison::{Comparison, comparisons};
use super::published::{Counts, Measure, Row, Statistic, Table, Variant};
use super::record::Record;
use super::{Language, Tables};
use crate::statistics::{compare, mean, median};
use pessimum_files::write_atomically;

#[derive(Serialize)]
pub struct Summary {
    pub table: String,
    /// That of the programs.
    pub language: Language,
    pub title: String,
    pub source: String,
    pub reference: String,
    pub note: Option<String>,
    pub budget_s: Option<f64>,
    pub budget_paths: Option<u64>,
    pub seeds: u32,
    pub runs_done: usize,
    pub runs_wanted: usize,
    /// The variant that all others are compared with.
    pub baseline: String,
    /// Whether `paths` counts infeasible executions too, and whether it and `seconds` are medians.
    pub counts_infeasible: bool,
    pub medians: bool,
    /// The options of each variant that was run and has some.
    pub settings: Vec<(String, String)>,
    pub rows: Vec<Line>,
    /// For tables with a grid: what each value of each option is worth.
    pub effects: Vec<Effect>,
    /// For tables that count paths until a target: how much better each variant is than the baseline.
    pub improvements: Vec<Improvement>,
    /// For tables of suites: how much the variants cover, and how they compare.
    pub coverage: Vec<MeanCoverage>,
    pub comparisons: Vec<Comparison>,
    #[serde(skip)]
    pub written: Vec<PathBuf>,
}

/// One subject, size and variant.
#[derive(Default, Serialize)]
pub struct Line {
    pub subject: String,
    pub size: u64,
    pub paper_size: Option<u64>,
    pub variant: String,
    pub runs: usize,
    /// Runs that showed a defect of ours.
    pub failed: usize,
    /// Runs that completed no path. They are in no mean, and lose every comparison.
    pub without_path: usize,
    /// Runs whose policy permitted no path, so that it was applied again with every arm open where it permits none.
    pub opened: usize,
    /// Over the runs that completed a path.
    pub mean: Option<f64>,
    pub best: Option<u64>,
    /// The greatest cost of any input of this size, where it is known.
    pub optimum: Option<u64>,
    /// A cost that is known to be reachable, where the optimum is not known.
    pub at_least: Option<u64>,
    /// What the paper takes for the worst case.
    pub reference: Option<u64>,
    /// What the paper's run of this variant found.
    pub published: Option<u64>,
    /// The mean cost of random inputs.
    pub average: Option<f64>,
    pub published_average: Option<f64>,
    /// Probability that a run of this variant finds more than a run of the baseline, ties counted half (Vargha, Delaney
    /// 2000).
    pub a12: Option<f64>,
    /// Two-sided Mann-Whitney test against the baseline.
    pub p: Option<f64>,
    /// Number of paths: all of them for guided generation and exhaustive search, for others those until the best was
    /// found, or the reference where the paper counts executions. A run that does not reach it counts as more than any
    /// other, so there is no median if half of the runs do not.
    pub paths: Option<f64>,
    /// Runs that reach the reference, where the paths up to it are counted.
    pub reached: Option<usize>,
    /// How many of them are infeasible.
    pub infeasible: Option<f64>,
    pub published_paths: Option<u64>,
    /// Whether every run saw all paths that it was to see; none where their number is no result.
    pub finished: Option<bool>,
    /// Calls of the solver, where all paths are to be seen; for guided generation, WISE's iterations.
    pub queries: Option<f64>,
    pub published_queries: Option<u64>,
    /// As for `paths`: the whole run without training, or until the best was found.
    pub seconds: Option<f64>,
    pub published_seconds: Option<f64>,
    /// The branches that there are, where those that a suite covers were counted; `mean` and `best` are counts, too.
    pub goals: Option<u64>,
    /// Of these, those that no test can take.
    pub infeasible_goals: Option<usize>,
    /// The mean over all of them.
    pub coverage: Option<f64>,
    /// What the paper has for the class that the subject is most like: its name, the coverage and A12.
    pub like: Option<String>,
    pub published_coverage: Option<f64>,
    pub published_a12: Option<f64>,
    pub doubt: Option<String>,
    /// Whether the numbers are costs that a search found.
    #[serde(skip)]
    pub searched: bool,
}

/// What one value of an option of a grid is worth: the mean of cost over reference in all cells that have it.
#[derive(Serialize)]
pub struct Effect {
    pub option: String,
    pub value: String,
    pub cells: usize,
    pub normalised: f64,
}

/// How much better a variant is than the baseline (Fitnex, Table 2, "mean improvement over random"): the mean, over the
/// rows that both were run in, of the baseline's paths over its own.
#[derive(Serialize)]
pub struct Improvement {
    pub variant: String,
    pub rows: usize,
    /// Rows in which half of the runs or more reach the target.
    pub reached: usize,
    /// Rows with fewer and with more paths than the baseline.
    pub better: usize,
    pub worse: usize,
    /// Paths of all rows together.
    pub paths: f64,
    pub mean: f64,
    pub published: Option<f64>,
}

/// The share of branches that a variant covers, mean of the rows that every variant was run in.
#[derive(Serialize)]
pub struct MeanCoverage {
    pub variant: String,
    pub rows: usize,
    pub mean: f64,
    /// Over the paper's classes, which are others.
    pub published: Option<f64>,
}

impl Summary {
    pub fn new(flags: &Tables, table: &Table, entries: &[Entry], records: &[Record], wanted: usize) -> Summary {
        let suites = if table.measures_suites() { pessimum_subjects::suites() } else { Vec::new() };
        let mut rows = Vec::new();
        for row in &table.rows {
            let of = |name: &str| -> Vec<&Record> {
                let fits = |record: &&Record| {
                    record.subject == row.subject && record.size == row.size && record.variant == name
                };
                records.iter().filter(fits).collect()
            };
            let baseline = compared(table, &of(&table.baseline));
            let entry = entries.iter().find(|entry| entry.name == row.subject);
            for variant in &table.variants {
                let runs = of(&variant.name);
                if !runs.is_empty() {
                    let mut line = line(table, row, variant, entry, &runs, &baseline);
                    let suite = suites.iter().find(|suite| suite.name == row.subject);
                    line.infeasible_goals = suite.map(|suite| suite.infeasible);
                    rows.push(line);
                }
            }
        }
        let budget = budget(flags, table);
        let has_run = |variant: &&Variant| rows.iter().any(|line| line.variant == variant.name);
        let says_more = |variant: &&Variant| variant.settings() != variant.name && table.variants.len() < 20;
        let settings = table.variants.iter().filter(has_run).filter(says_more);
        Summary {
            table: table.name.clone(),
            language: flags.language,
            title: table.title.clone(),
            source: table.source.clone(),
            reference: table.reference.clone(),
            note: table.note.clone(),
            budget_s: budget.time.map(|time| time.as_secs_f64()),
            budget_paths: budget.paths,
            seeds: flags.seeds,
            runs_done: records.len(),
            runs_wanted: wanted,
            baseline: table.baseline.clone(),
            counts_infeasible: table.counts == Counts::Executions,
            medians: table.statistic == Statistic::Median,
            settings: settings.map(|variant| (variant.name.clone(), variant.settings())).collect(),
            effects: effects(table, &rows),
            improvements: improvements(table, &rows),
            coverage: coverage(table, &rows),
            comparisons: comparisons(table, &suites, records),
            rows,
            written: vec![PathBuf::from("runs.jsonl")],
        }
    }

    /// Writes the summary as JSON and CSV.
    pub fn save(&mut self, directory: &Path) -> Result<()> {
        let json = serde_json::to_string_pretty(self).context("JSON")? + "\n";
        for (name, text) in [("summary.csv", self.csv()?), ("summary.json", json)] {
            write_atomically(&directory.join(name), text.as_bytes())?;
            self.written.push(PathBuf::from(name));
        }
        Ok(())
    }

    /// Adds files that were written besides.
    pub fn add_files(&mut self, files: Vec<PathBuf>) {
        self.written.extend(files);
    }

    fn csv(&self) -> Result<String> {
        let mut csv = csv::Writer::from_writer(Vec::new());
        self.rows.iter().try_for_each(|line| csv.serialize(line))?;
        Ok(String::from_utf8(csv.into_inner().map_err(|error| error.into_error())?)?)
    }
}

/// How good the runs that worked are, for comparisons: by their cost, where a run that completed no path counts as 0.
/// In an ablation, most of whose variants may reach the optimum, the earlier of two equal costs is better.
fn compared(table: &Table, runs: &[&Record]) -> Vec<(u64, Reverse<u64>)> {
    let is_ablation = table.variants.iter().any(|variant| variant.measure == Measure::Ablation);
    let paths = |run: &Record| if is_ablation { run.paths_to_best } else { 0 };
    let worked = runs.iter().filter(|run| run.error.is_none());
    worked.map(|run| (run.cost.unwrap_or(0), Reverse(paths(run)))).collect()
}

fn line(
    table: &Table,
    row: &Row,
    variant: &Variant,
    entry: Option<&Entry>,
    runs: &[&Record],
    baseline: &[(u64, Reverse<u64>)],
) -> Line {
    let worked: Vec<&&Record> = runs.iter().filter(|run| run.error.is_none()).collect();
    let count = |fits: fn(&Record) -> bool| worked.iter().filter(|run| fits(run)).count();
    // What a run has none of is more than any number.
    let statistic = |of: &dyn Fn(&Record) -> Option<f64>| {
        let values: Vec<f64> = worked.iter().map(|run| of(run).unwrap_or(f64::INFINITY)).collect();
        let value = if table.statistic == Statistic::Median { median(values) } else { mean(values) };
        value.filter(|value| value.is_finite())
    };
    let common = Line {
        subject: row.subject.clone(),
        size: row.size,
        paper_size: row.paper_size,
        variant: variant.name.clone(),
        runs: runs.len(),
        failed: runs.len() - worked.len(),
        published: row.cost.get(&variant.name).copied(),
        doubt: row.doubt.clone(),
        ..Line::default()
    };
    match variant.measure {
        Measure::Average => Line {
            average: mean(worked.iter().filter_map(|run| run.average).collect()),
            published_average: row.average,
            finished: Some(worked.iter().all(|run| run.complete)),
            paths: statistic(&|run| Some(run.paths as f64)),
            seconds: statistic(&|run| Some(run.seconds)),
            ..common
        },
        Measure::Reach => Line {
            // As in the paper, a run that does not get there counts as all the paths that it had.
            paths: statistic(&|run| run.paths_to_reference.or(run.budget_paths).map(|paths| paths as f64)),
            reached: Some(count(|run| run.paths_to_reference.is_some())),
            seconds: statistic(&|run| Some(run.seconds)),
            ..common
        },
        Measure::Suite => {
            let covered: Vec<u64> = worked.iter().filter_map(|run| run.cost).collect();
            let goals = worked.iter().find_map(|run| run.goals);
            let average = mean(covered.iter().map(|&covered| covered as f64).collect());
            let against = if variant.name == table.baseline { None } else { compare(&compared(table, runs), baseline) };
            Line {
                mean: average,
                best: covered.iter().copied().max(),
                goals,
                coverage: average.zip(goals).map(|(covered, goals)| covered / goals.max(1) as f64),
                a12: against.map(|(a12, _)| a12),
                p: against.map(|(_, p)| p),
                paths: statistic(&|run| Some(run.paths as f64)),
                seconds: statistic(&|run| Some(run.seconds)),
                like: row.like.clone(),
                published_coverage: row.coverage.get(&variant.name).copied(),
                published_a12: row.a12.filter(|_| table.pairs.first().is_some_and(|pair| pair.ours == variant.name)),
                ..common
            }
        }
        Measure::NStar => Line {
            without_path: count(|run| run.cost.is_none()),
            best: worked.iter().filter_map(|run| run.cost).max(),
            finished: Some(worked.iter().all(|run| run.complete)),
            seconds: statistic(&|run| Some(run.seconds)),
            ..common
        },
        Measure::Search | Measure::Ablation => {
            let found: Vec<u64> = worked.iter().filter_map(|run| run.cost).collect();
            let (all, infeasible) = (variant.counts_paths(), table.counts == Counts::Executions);
            let reached = || worked.iter().filter(|run| run.counted(variant, table.counts).is_some()).count();
            let against = if variant.name == table.baseline { None } else { compare(&compared(table, runs), baseline) };
            let optimum = entry.and_then(|entry| entry.optimum_at(row.size));
            Line {
                without_path: worked.len() - found.len(),
                opened: count(|run| run.opened),
                mean: mean(found.iter().map(|&cost| cost as f64).collect()),
                best: found.iter().copied().max(),
                optimum,
                at_least: entry.and_then(|entry| entry.reached_at(row.size)).filter(|_| optimum.is_none()),
                reference: row.reference,
                a12: against.map(|(a12, _)| a12),
                p: against.map(|(_, p)| p),
                paths: statistic(&|run| run.counted(variant, table.counts).map(|count| count as f64)),
                reached: (infeasible && !all).then(reached),
                infeasible: statistic(&|run| Some(run.infeasible as f64))
                    .filter(|&some| infeasible && (all || some > 0.0)),
                published_paths: row.paths.get(&variant.name).copied(),
                finished: all.then(|| worked.iter().all(|run| run.complete)),
                queries: statistic(&|run| Some(run.queries as f64)).filter(|_| all),
                published_queries: row.queries.get(&variant.name).copied(),
                seconds: statistic(&|run| run.timed(variant, table.counts)),
                published_seconds: row.seconds.get(&variant.name).copied(),
                searched: true,
                ..common
            }
        }
    }
}

/// What the values of a grid's options are worth, over the cells that were run.
fn effects(table: &Table, lines: &[Line]) -> Vec<Effect> {
    let Some(grid) = &table.grid else { return Vec::new() };
    let mut effects = Vec::new();
    for option in &grid.options {
        for value in &option.values {
            let has = |name: &str| {
                let variant = table.variants.iter().find(|variant| variant.name == name);
                variant.is_some_and(|variant| variant.options.get(&option.name) == Some(value))
            };
            let cells = lines.iter().filter(|line| has(&line.variant));
            let normalised: Vec<f64> =
                cells.filter_map(|line| Some(line.mean? / line.reference.filter(|&cost| cost > 0)? as f64)).collect();
            let cells = normalised.len();
            if let Some(normalised) = mean(normalised) {
                effects.push(Effect { option: option.name.clone(), value: value.clone(), cells, normalised });
            }
        }
    }
    effects
}

/// What the variants cover on average, of the rows that all of them that were run at all were run in.
fn coverage(table: &Table, lines: &[Line]) -> Vec<MeanCoverage> {
    let covered = |row: &Row, variant: &Variant| {
        let is_it = |line: &&Line| line.subject == row.subject && line.variant == variant.name;
        lines.iter().find(is_it).and_then(|line| line.coverage)
    };
    let has_run = |variant: &&Variant| table.rows.iter().any(|row| covered(row, variant).is_some());
    let variants: Vec<&Variant> = table.variants.iter().filter(has_run).collect();
    let is_shared = |row: &&Row| variants.iter().all(|variant| covered(row, variant).is_some());
    let shared: Vec<&Row> = table.rows.iter().filter(is_shared).collect();
    let of = |variant: &&Variant| {
        Some(MeanCoverage {
            variant: variant.name.clone(),
            rows: shared.len(),
            mean: mean(shared.iter().filter_map(|row| covered(row, variant)).collect())?,
            published: table.coverage.get(&variant.name).copied(),
        })
    };
    variants.iter().filter_map(of).collect()
}

/// How much better the variants of a table that counts paths until a target are than its baseline.
fn improvements(table: &Table, lines: &[Line]) -> Vec<Improvement> {
    let measured: Vec<&Variant> = table.variants.iter().filter(|variant| variant.measure == Measure::Reach).collect();
    let paths_in = |row: &Row, variant: &str| {
        let is_it = |line: &&Line| line.subject == row.subject && line.size == row.size && line.variant == variant;
        lines.iter().find(is_it).and_then(|line| Some((line, line.paths?)))
    };
    let mut improvements = Vec::new();
    for variant in measured {
        let pairs: Vec<(&Line, f64, f64)> = table
            .rows
            .iter()
            .filter_map(|row| {
                let ((line, own), (_, baseline)) = (paths_in(row, &variant.name)?, paths_in(row, &table.baseline)?);
                Some((line, own, baseline))
            })
            .collect();
        let Some(mean) = mean(pairs.iter().map(|(_, own, baseline)| baseline / own).collect()) else { continue };
        improvements.push(Improvement {
            variant: variant.name.clone(),
            rows: pairs.len(),
            reached: pairs.iter().filter(|(line, ..)| line.reached.unwrap_or(0) * 2 >= line.runs).count(),
            better: pairs.iter().filter(|(_, own, baseline)| own < baseline).count(),
            worse: pairs.iter().filter(|(_, own, baseline)| own > baseline).count(),
            paths: pairs.iter().map(|(_, own, _)| own).sum(),
            mean,
            published: table.improvement.get(&variant.name).copied(),
        });
    }
    improvements
}
