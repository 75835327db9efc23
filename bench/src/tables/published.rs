//! The published tables, read from `bench/tables/published.toml`, whose header explains every field.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};
use pessimum_search::strategy::Declaration;
use serde::Deserialize;

/// A table with all its variants, those of its grid included.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    pub name: String,
    pub title: String,
    pub source: String,
    pub reference: String,
    #[serde(default)]
    pub counts: Counts,
    #[serde(default)]
    pub statistic: Statistic,
    pub figure: Option<Figure>,
    /// The paths that each run has where the command line does not say.
    pub paths: Option<u64>,
    /// The seconds that each run has where the command line limits nothing.
    pub seconds: Option<u64>,
    /// Published means, over all rows, of the baseline's paths over those of a variant.
    #[serde(default)]
    pub improvement: BTreeMap<String, f64>,
    /// Published means, over all classes, of the share of branches that a variant covers.
    #[serde(default)]
    pub coverage: BTreeMap<String, f64>,
    /// Which variants are compared with which over all rows, and the published mean of A12.
    #[serde(default)]
    pub pairs: Vec<PublishedPair>,
    pub note: Option<String>,
    /// The variant that all others are compared with.
    #[serde(default = "ese")]
    pub baseline: String,
    pub variants: Vec<Variant>,
    pub grid: Option<Grid>,
    rows_of: Option<String>,
    #[serde(default)]
    pub rows: Vec<Row>,
}

fn ese() -> String {
    "ese".to_owned()
}

/// Two variants that are compared over all rows.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedPair {
    pub ours: String,
    pub theirs: String,
    /// The published mean of A12 over all classes.
    pub a12: Option<f64>,
}

/// What the paper counts as a path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Counts {
    /// Completed paths.
    #[default]
    Paths,
    /// Completed paths, and those that turned out infeasible.
    Executions,
}

/// What becomes of the paths and times of several runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Statistic {
    #[default]
    Mean,
    Median,
}

/// What is drawn besides the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Figure {
    /// The cost over the reference, mean of all rows, over time and at the end.
    Time,
    /// Executions, a bar per strategy and row.
    Bars,
    /// The share of branches that is covered, mean of all rows, over time.
    Coverage,
}

/// What a variant measures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// The cost that a search finds.
    #[default]
    Search,
    /// The mean cost of random inputs (WISE, Table 1, "Average").
    Average,
    /// The least sufficient training size (WISE, Table 1, "N*").
    NStar,
    /// The cost that `auto` finds without one of its parts.
    Ablation,
    /// The paths until the subject's target is reached.
    Reach,
    /// The branches that a suite of sequences of calls covers.
    Suite,
}

/// A strategy with its options; those not given have their defaults.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    pub name: String,
    #[serde(default)]
    pub measure: Measure,
    #[serde(default)]
    pub strategy: String,
    #[serde(default)]
    pub options: BTreeMap<String, String>,
    /// How many random inputs an average is taken over.
    #[serde(default)]
    pub inputs: u32,
    /// Whether it is run only in rows that have a published number for it.
    #[serde(default)]
    pub listed: bool,
    /// Whether it starts from weights that were learnt at the row's size of pre-training.
    #[serde(default)]
    pub pretrained: bool,
}

impl Variant {
    fn declaration(&self) -> Option<&'static Declaration> {
        Declaration::of(&self.strategy)
    }

    /// Whether it learns at small sizes first.
    pub fn trains(&self) -> bool {
        self.measure == Measure::Search && self.declaration().is_some_and(|strategy| strategy.learns)
    }

    /// Whether its number of paths is itself a result, so that it must not be stopped at the optimum.
    pub fn counts_paths(&self) -> bool {
        self.measure == Measure::Search && self.declaration().is_some_and(|strategy| strategy.counts_paths)
    }

    /// What exactly is run, in words: two runs under the same name but other settings are not the same run.
    pub fn settings(&self) -> String {
        let options = self.options.iter().map(|(name, value)| format!(" --{name} {value}"));
        let mut strategy = options.fold(self.strategy.clone(), |text, option| text + &option);
        if self.pretrained {
            strategy += ", pre-trained at the size that the row has for it";
        }
        match self.measure {
            Measure::Search | Measure::Reach | Measure::Suite => strategy,
            Measure::Average => format!("mean of {} random inputs", self.inputs),
            Measure::NStar => "least training size of wise".to_owned(),
            Measure::Ablation => self.name.clone(),
        }
    }
}

/// Variants for all combinations of the values of some options.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grid {
    pub strategy: String,
    pub options: Vec<GridOption>,
}

/// An option that a grid varies.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GridOption {
    pub name: String,
    pub values: Vec<String>,
}

impl Grid {
    /// One variant for each combination, the last option varying fastest. Its name is the strategy's with the values.
    pub fn variants(&self) -> Vec<Variant> {
        let mut combinations: Vec<Vec<&str>> = vec![Vec::new()];
        for option in &self.options {
            let mut longer = Vec::new();
            for chosen in &combinations {
                longer.extend(option.values.iter().map(|value| [chosen.as_slice(), &[value.as_str()]].concat()));
            }
            combinations = longer;
        }
        let names = || self.options.iter().map(|option| option.name.clone());
        let variant = |values: Vec<&str>| Variant {
            name: format!("{} {}", self.strategy, values.join("/")),
            strategy: self.strategy.clone(),
            options: names().zip(values.into_iter().map(str::to_owned)).collect(),
            ..Variant::default()
        };
        combinations.into_iter().map(variant).collect()
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    pub subject: String,
    /// 0 for the subject of a suite, each of whose calls has sizes of its own.
    #[serde(default)]
    pub size: u64,
    pub paper_size: Option<u64>,
    pub reference: Option<u64>,
    #[serde(default)]
    pub train: Vec<u32>,
    /// The size at which PySE pre-trains (section V).
    pub pretrain: Option<u32>,
    #[serde(default)]
    pub cost: BTreeMap<String, u64>,
    #[serde(default)]
    pub paths: BTreeMap<String, u64>,
    #[serde(default)]
    pub queries: BTreeMap<String, u64>,
    pub average: Option<f64>,
    #[serde(default)]
    pub seconds: BTreeMap<String, f64>,
    /// The class of the paper that the subject is most like. What is published about it is beside ours, but not
    /// about the same program.
    pub like: Option<String>,
    /// For each variant, the share of branches covered.
    #[serde(default)]
    pub coverage: BTreeMap<String, f64>,
    /// A12 of the first of the table's pairs.
    pub a12: Option<f64>,
    pub doubt: Option<String>,
}

impl Row {
    /// Its name in messages and for `--only`.
    pub fn name(&self) -> String {
        match self.size {
            0 => self.subject.clone(),
            size => format!("{} at {size}", self.subject),
        }
    }

    /// Whether the text names this row: it is part of the name, and a number at its end is the whole number.
    pub fn is_named(&self, text: &str) -> bool {
        let name = self.name();
        let digit = |character: Option<char>| character.is_some_and(|character| character.is_ascii_digit());
        let cut = |end: usize| digit(text.chars().next_back()) && digit(name[end..].chars().next());
        name.match_indices(text).any(|(at, found)| !cut(at + found.len()))
    }

    /// Whether the paper prints anything for the variant.
    pub fn is_published(&self, variant: &Variant) -> bool {
        let name = &variant.name;
        let average = variant.measure == Measure::Average && self.average.is_some();
        average || self.cost.contains_key(name) || self.paths.contains_key(name) || self.coverage.contains_key(name)
    }
}

impl Table {
    /// Whether its rows are subjects of suites.
    pub fn measures_suites(&self) -> bool {
        self.variants.iter().any(|variant| variant.measure == Measure::Suite)
    }
}

#[derive(Deserialize)]
struct Tables {
    table: Vec<Table>,
}

/// Where they are.
const FILE: &str = "bench/tables/published.toml";

/// The table of this name.
pub fn table(name: &str) -> Result<Table> {
    // By way of JSON values, like all else that is read: the code to read these types from TOML was 0.2 MB.
    let values: serde_json::Value = toml::from_str(include_str!("../../tables/published.toml")).context(FILE)?;
    let tables: Tables = serde_json::from_value(values).context(FILE)?;
    let mut tables = tables.table;
    let Some(at) = tables.iter().position(|table| table.name == name) else { bail!("no table is named {name}") };
    let mut table = tables.swap_remove(at);
    if let Some(other) = &table.rows_of {
        let other = tables.iter().find(|table| table.name == *other);
        table.rows = other.with_context(|| format!("{name}: the table of its rows does not exist"))?.rows.clone();
    }
    if let Some(grid) = &table.grid {
        table.variants.extend(grid.variants());
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::TABLES;
    use pessimum_search::strategy::Options;

    /// Every table can be run: its subjects are in the manifest, its strategies accept their options, and its columns
    /// have variants.
    #[test]
    fn tables_fit_the_manifest() {
        let subjects = pessimum_subjects::all();
        for name in TABLES {
            let table = table(name).unwrap();
            if table.measures_suites() {
                suites_fit_the_manifest(&table);
                continue;
            }
            for row in &table.rows {
                let subject = subjects.iter().find(|subject| subject.name == row.subject);
                let subject = subject.unwrap_or_else(|| panic!("{name}: {} is not in the manifest", row.subject));
                assert!(subject.sizes.contains(&row.size), "{name}: {}", row.name());
                let known = |column: &&String| table.variants.iter().any(|variant| variant.name == **column);
                let columns =
                    row.cost.keys().chain(row.paths.keys()).chain(row.queries.keys()).chain(row.seconds.keys());
                if name != "ese-figure2" {
                    assert_eq!(columns.filter(|column| !known(column)).count(), 0, "{name}: {}", row.name());
                }
            }
            let is_declared = |variant: &&Variant| matches!(variant.measure, Measure::Search | Measure::Reach);
            for variant in table.variants.iter().filter(is_declared) {
                let declared = variant.declaration().unwrap_or_else(|| panic!("{name}: {}", variant.name));
                let words = variant.options.iter().map(|(name, text)| (name.as_str(), text.as_str()));
                let made = Options::of(declared, words).and_then(|options| declared.make(&options).map(drop));
                assert_eq!(made, Ok(()), "{name}: {}", variant.name);
            }
        }
    }

    /// All of Table V can be made in Python, and what stands in its rows is what the programs there can reach.
    #[test]
    fn table_v_fits_the_manifest_of_python() {
        let subjects = pessimum_subjects::python();
        let table = table("ese-table5").unwrap();
        for row in &table.rows {
            let subject = subjects.iter().find(|subject| subject.name == row.subject);
            let subject = subject.unwrap_or_else(|| panic!("{} is not there in Python", row.subject));
            assert!(subject.sizes.contains(&row.size), "{}", row.name());
            assert_eq!(subject.cost, "lines", "{}", row.name());
            assert!(subject.reached_at(row.size) >= row.reference, "{}", row.name());
        }
    }

    /// The rows are the subjects of suites in the manifest, and the options are those of `pessimum suite`.
    fn suites_fit_the_manifest(table: &Table) {
        let subjects: Vec<String> = pessimum_subjects::suites()
            .into_iter()
            .filter(|suite| suite.goal == pessimum_subjects::Goal::Cover)
            .map(|suite| suite.name)
            .collect();
        let rows: Vec<String> = table.rows.iter().map(|row| row.subject.clone()).collect();
        assert_eq!(rows, subjects, "{}", table.name);
        let is_variant = |name: &String| table.variants.iter().any(|variant| variant.name == *name);
        for row in &table.rows {
            assert!(row.coverage.keys().all(is_variant), "{}: {}", table.name, row.name());
            assert_eq!(row.like.is_some(), row.a12.is_some(), "{}: {}", table.name, row.name());
        }
        for pair in &table.pairs {
            assert!(is_variant(&pair.ours) && is_variant(&pair.theirs), "{}: {pair:?}", table.name);
        }
        for variant in &table.variants {
            assert_eq!(variant.measure, Measure::Suite, "{}: {}", table.name, variant.name);
            crate::tables::suites::strategy(variant).unwrap();
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
        assert_eq!(cell("ese-table5", "ese/dfs at 10", "evosuite"), (Some(193), Some(129), None));
        assert_eq!(cell("ese-table3", "ese/kmp at 100", "ese 75/1/1.0/50"), (Some(713), Some(611), None));
        assert_eq!(cell("wise-table1", "wise/mergesort_jdk15 at 10", "wise"), (Some(106), Some(106), Some(125)));
        assert_eq!(cell("wise-table1", "wise/quicksort_jdk15 at 30", "n-star"), (Some(974), Some(8), None));
        assert_eq!(cell("pyse-table2", "pyse/boyer_moore at 30", "spf-wca"), (Some(30), Some(30), Some(19_683)));
        assert_eq!(cell("pyse-table2", "pyse/dijkstra_heap at 4", "exhaustive"), (Some(29), Some(29), Some(837)));
        let wise = table("wise-table1").unwrap();
        let row = wise.rows.iter().find(|row| row.name() == "wise/bst_search at 30").unwrap();
        assert_eq!((row.queries["wise"], row.average), (465, Some(18.97)));
        let evosuite = table("evosuite-table2").unwrap();
        let row = evosuite.rows.iter().find(|row| row.like.as_deref() == Some("FloatArithmetic")).unwrap();
        assert_eq!((row.coverage["ga"], row.coverage["ga+dse avm"], row.a12), (0.41, 0.85, Some(0.99)));
    }

    /// The paper's 16 combinations are part of the grid, and Figure 2 has the same 16.
    #[test]
    fn the_grid_is_full() {
        let (grid, figure) = (table("ese-table3").unwrap(), table("ese-figure2").unwrap());
        assert_eq!(grid.variants.len(), 1 + 4 * 4 * 4 * 4);
        assert_eq!(grid.variants[1].name, "ese 10/0/0.0/0");
        assert_eq!(grid.variants[256].settings(), "ese --elitesize 10 --lsperiod 100 --mprob 1.0 --popsize 100");
        assert_eq!((figure.variants.len(), figure.rows.len()), (16, 8));
        for variant in &figure.variants {
            assert!(figure.rows.iter().all(|row| row.is_published(variant)), "{}", variant.name);
            assert!(grid.variants.iter().any(|other| other.name == variant.name && other.options == variant.options));
        }
    }

    #[test]
    fn a_number_in_the_name_of_a_row_is_a_whole_number() {
        let table = table("pyse-table2").unwrap();
        let named = |text: &str| table.rows.iter().filter(|row| row.is_named(text)).count();
        assert_eq!(named("boyer_moore at 10"), 1);
        assert_eq!(named("boyer_moore at 1"), 0);
        assert_eq!(named("boyer_moore"), 7);
        assert_eq!(named("at 3"), 3);
        assert_eq!(named(""), table.rows.len());
    }
}
