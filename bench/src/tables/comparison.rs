//! Variants compared over all rows of a table: A12 of each row, and whether the A12 lie around a half (EvoSuite, section V).

use pessimum_subjects::Suite;
use serde::Serialize;

use super::published::{PublishedPair, Row, Table};
use super::record::Record;
use crate::statistics::{compare, mean, symmetry};

/// Below this p a row counts as significantly different, as in the paper.
const SIGNIFICANT: f64 = 0.05;

/// One row: how the runs of two variants compare.
#[derive(Clone, Serialize)]
pub struct Pair {
    pub subject: String,
    /// Probability that a run of `ours` covers more than one of `theirs`, ties counted half (Vargha, Delaney 2000).
    pub a12: f64,
    /// Two-sided Mann-Whitney test.
    pub p: f64,
    /// Whether some branch depends on the numbers that tests pass.
    pub values: bool,
}

/// All rows, or those with branches that depend on values.
#[derive(Clone, Serialize)]
pub struct Total {
    pub rows: usize,
    /// Rows with A12 above and below a half.
    pub better: usize,
    pub worse: usize,
    /// Of these, those with p below 0.05.
    pub significantly_better: usize,
    pub significantly_worse: usize,
    pub mean_a12: f64,
    /// Whether the A12 are symmetric around a half: Wilcoxon's signed-rank test. None if all are a half.
    pub symmetry_p: Option<f64>,
}

impl Total {
    fn of(pairs: &[&Pair]) -> Option<Total> {
        let a12: Vec<f64> = pairs.iter().map(|pair| pair.a12).collect();
        let count = |fits: &dyn Fn(&Pair) -> bool| pairs.iter().filter(|pair| fits(pair)).count();
        Some(Total {
            rows: pairs.len(),
            better: count(&|pair| pair.a12 > 0.5),
            worse: count(&|pair| pair.a12 < 0.5),
            significantly_better: count(&|pair| pair.a12 > 0.5 && pair.p < SIGNIFICANT),
            significantly_worse: count(&|pair| pair.a12 < 0.5 && pair.p < SIGNIFICANT),
            symmetry_p: symmetry(&a12, 0.5),
            mean_a12: mean(a12)?,
        })
    }
}

/// Two variants of a table.
#[derive(Clone, Serialize)]
pub struct Comparison {
    pub ours: String,
    pub theirs: String,
    pub pairs: Vec<Pair>,
    pub all: Option<Total>,
    /// The rows with branches that depend on the numbers that tests pass.
    pub with_values: Option<Total>,
    pub published_mean_a12: Option<f64>,
}

/// What the table wants compared, as far as it was run.
pub fn comparisons(table: &Table, suites: &[Suite], records: &[Record]) -> Vec<Comparison> {
    table.pairs.iter().map(|pair| comparison(table, pair, suites, records)).collect()
}

fn comparison(table: &Table, wanted: &PublishedPair, suites: &[Suite], records: &[Record]) -> Comparison {
    let covered = |row: &Row, variant: &str| -> Vec<u64> {
        let runs = records.iter().filter(|run| run.subject == row.subject && run.variant == variant);
        runs.filter(|run| run.error.is_none()).filter_map(|run| run.cost).collect()
    };
    let pair = |row: &Row| {
        let (a12, p) = compare(&covered(row, &wanted.ours), &covered(row, &wanted.theirs))?;
        let values = suites.iter().any(|suite| suite.name == row.subject && suite.values);
        Some(Pair { subject: row.subject.clone(), a12, p, values })
    };
    let pairs: Vec<Pair> = table.rows.iter().filter_map(pair).collect();
    let of = |fits: fn(&Pair) -> bool| Total::of(&pairs.iter().filter(|pair| fits(pair)).collect::<Vec<_>>());
    Comparison {
        ours: wanted.ours.clone(),
        theirs: wanted.theirs.clone(),
        all: of(|_| true),
        with_values: of(|pair| pair.values),
        published_mean_a12: wanted.a12,
        pairs,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::published::table;

    /// Two rows by hand: one won always, one with as many won as lost pairs.
    #[test]
    fn rows_are_counted() {
        let table = table("evosuite-table2").unwrap();
        let suites = pessimum_subjects::suites();
        let run = |subject: &str, variant: &str, covered: u64| Record {
            subject: subject.to_string(),
            variant: variant.to_string(),
            cost: Some(covered),
            ..Record::default()
        };
        let mut records = Vec::new();
        for covered in 1..=4 {
            records.push(run("evosuite/linear", "ga", covered));
            records.push(run("evosuite/linear", "ga+dse", covered + 4));
            records.push(run("evosuite/bounded_queue", "ga", covered));
            records.push(run("evosuite/bounded_queue", "ga+dse", covered));
        }
        let all = comparisons(&table, &suites, &records);
        let found = all.iter().find(|found| found.ours == "ga+dse" && found.theirs == "ga").unwrap();
        assert_eq!(found.pairs.iter().map(|pair| pair.a12).collect::<Vec<_>>(), [1.0, 0.5]);
        let total = found.all.as_ref().unwrap();
        assert_eq!((total.rows, total.better, total.worse, total.mean_a12), (2, 1, 0, 0.75));
        assert_eq!((total.significantly_better, total.symmetry_p), (1, Some(1.0)));
        let with_values = found.with_values.as_ref().unwrap();
        assert_eq!((with_values.rows, with_values.mean_a12), (1, 1.0));
        assert!(all.iter().filter(|found| found.ours == "auto").all(|found| found.all.is_none()), "it was not run");
    }
}
