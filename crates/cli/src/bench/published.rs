//! The published tables, read from `data/published.toml`, whose header explains every field.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use pessimum_search::strategy::Declaration;
use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    pub name: String,
    pub title: String,
    pub source: String,
    pub reference: String,
    pub variants: Vec<Variant>,
    pub rows: Vec<Row>,
}

/// A strategy with its parameters; those not given have their defaults.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    pub name: String,
    pub strategy: String,
    pub popsize: Option<u32>,
    pub elitesize: Option<u32>,
    pub mprob: Option<f64>,
    pub lsperiod: Option<u32>,
    pub history: Option<u16>,
}

impl Variant {
    /// Whether it learns at small sizes first.
    pub fn trains(&self) -> bool {
        Declaration::of(&self.strategy).is_some_and(|strategy| strategy.learns)
    }

    /// Whether its number of paths is itself a result, so that it must not be stopped at the optimum.
    pub fn counts_paths(&self) -> bool {
        Declaration::of(&self.strategy).is_some_and(|strategy| strategy.counts_paths)
    }

    /// The options that it gives its strategy, by name.
    pub fn options(&self) -> BTreeMap<String, String> {
        let given = [
            ("popsize", self.popsize.map(|n| n.to_string())),
            ("elitesize", self.elitesize.map(|n| n.to_string())),
            ("mprob", self.mprob.map(|p| p.to_string())),
            ("lsperiod", self.lsperiod.map(|n| n.to_string())),
            ("history", self.history.map(|k| k.to_string())),
        ];
        given.into_iter().filter_map(|(name, value)| Some((name.to_string(), value?))).collect()
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    pub subject: String,
    pub size: u64,
    pub paper_size: Option<u64>,
    pub reference: Option<u64>,
    #[serde(default)]
    pub train: Vec<u32>,
    #[serde(default)]
    pub cost: BTreeMap<String, u64>,
    #[serde(default)]
    pub paths: BTreeMap<String, u64>,
    pub doubt: Option<String>,
}

impl Row {
    /// Its name in messages and for `--only`.
    pub fn name(&self) -> String {
        format!("{} at {}", self.subject, self.size)
    }
}

#[derive(Deserialize)]
struct Tables {
    table: Vec<Table>,
}

/// The table of this name.
pub fn table(name: &str) -> Result<Table> {
    let tables: Tables = toml::from_str(include_str!("../../data/published.toml")).context("data/published.toml")?;
    tables.table.into_iter().find(|table| table.name == name).with_context(|| format!("no table is named {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flags::BENCHES;

    /// Every table can be run: its subjects are in the manifest, its strategies exist, its columns have variants.
    #[test]
    fn tables_fit_the_manifest() {
        let subjects = pessimum_subjects::all();
        for name in BENCHES {
            let table = table(name).unwrap();
            for row in &table.rows {
                let subject = subjects.iter().find(|subject| subject.name == row.subject);
                let subject = subject.unwrap_or_else(|| panic!("{name}: {} is not in the manifest", row.subject));
                assert!(subject.sizes.contains(&row.size), "{name}: {}", row.name());
                let known = |column: &&String| {
                    *column == "pyse" || table.variants.iter().any(|variant| variant.name == **column)
                };
                let columns = row.cost.keys().chain(row.paths.keys());
                assert_eq!(columns.filter(|column| !known(column)).count(), 0, "{name}: {}", row.name());
            }
            for variant in &table.variants {
                assert!(pessimum_search::strategy::named(&variant.strategy).is_some(), "{name}: {}", variant.name);
            }
        }
    }

    /// A few cells, typed in a second time from the papers.
    #[test]
    fn cells_are_those_of_the_papers() {
        let cell = |table_name: &str, row: &str, column: &str| {
            let table = table(table_name).unwrap();
            let row = table.rows.iter().find(|found| found.name() == row).unwrap();
            (row.reference, row.cost.get(column).copied(), row.paths.get(column).copied())
        };
        assert_eq!(cell("ese-table5", "ese/alternate_0 at 100", "random"), (Some(601), Some(543), None));
        assert_eq!(cell("ese-table5", "ese/dfs at 10", "ga"), (Some(193), Some(129), None));
        assert_eq!(cell("ese-table3", "ese/kmp at 100", "ese 75/1/1.0/50"), (Some(713), Some(611), None));
        assert_eq!(cell("wise-table1", "wise/mergesort_jdk15 at 10", "wise"), (Some(106), Some(106), Some(125)));
        assert_eq!(cell("pyse-table2", "pyse/boyer_moore at 30", "spf-wca"), (Some(30), Some(30), Some(19_683)));
    }
}
