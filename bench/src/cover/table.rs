//! The table, line by line, and what it says.

use crate::args::median;
use crate::record::Record;

/// One program: how many arms it has, and how many each contestant covered in each search, in the order of the columns.
pub struct Row {
    pub name: String,
    pub arms: usize,
    pub covered: Vec<Option<Vec<usize>>>,
}

impl Row {
    fn median(&self, column: usize) -> Option<usize> {
        median(self.covered[column].clone()?, |&covered| covered)
    }
}

/// The line above the rows.
pub fn heading(columns: &[String]) -> String {
    let names: String = columns.iter().map(|name| format!(" {name:>12}")).collect();
    format!("{:<12}{:>6}{names}", "program", "arms")
}

/// The name, the arms, and what each contestant covers.
fn cells(row: &Row) -> Vec<String> {
    let cell = |column| row.median(column).map_or("-".to_string(), |median| median.to_string());
    [row.name.clone(), row.arms.to_string()].into_iter().chain((0..row.covered.len()).map(cell)).collect()
}

/// One program.
pub fn line(row: &Row) -> String {
    let cells = cells(row);
    let covered: String = cells[2..].iter().map(|cell| format!(" {cell:>12}")).collect();
    format!("{:<12}{:>6}{covered}", cells[0], cells[1])
}

/// The table.
pub fn record(columns: &[String], rows: &[Row]) -> Record {
    let names = ["program", "arms"].map(String::from).into_iter().chain(columns.iter().map(|name| format!("`{name}`")));
    Record::new(names.collect(), rows.iter().map(cells).collect())
}

/// How the first column compares with each of the others.
pub fn summary(columns: &[String], rows: &[Row]) -> Vec<String> {
    let mut lines = Vec::new();
    for (column, name) in columns.iter().enumerate().skip(1) {
        let pairs: Vec<(&Row, usize, usize)> =
            rows.iter().filter_map(|row| Some((row, row.median(0)?, row.median(column)?))).collect();
        let ahead = pairs.iter().filter(|(_, ours, theirs)| ours > theirs).count();
        let equal = pairs.iter().filter(|(_, ours, theirs)| ours == theirs).count();
        let behind: Vec<String> = pairs
            .iter()
            .filter(|(_, ours, theirs)| ours < theirs)
            .map(|(row, ours, theirs)| format!("{} {ours} to {theirs}", row.name))
            .collect();
        let which = if behind.is_empty() { "none".to_string() } else { behind.join(", ") };
        lines.push(format!(
            "{} covers more than {name} on {ahead} of {}, as much on {equal}, less on {} ({which})",
            columns[0],
            pairs.len(),
            behind.len()
        ));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_says_who_is_ahead_where() {
        let row = |name: &str, covered: &[Option<&[usize]>]| Row {
            name: name.into(),
            arms: 20,
            covered: covered.iter().map(|runs| runs.map(<[usize]>::to_vec)).collect(),
        };
        let rows = [
            row("a", &[Some(&[9, 20, 12]), Some(&[11]), Some(&[12])]),
            row("b", &[Some(&[5]), Some(&[7, 6]), None]),
            row("c", &[None, Some(&[7, 6]), Some(&[1])]),
        ];
        assert_eq!(line(&rows[0]), "a               20           12           11           12");
        assert_eq!(line(&rows[1]), "b               20            5            6            -");
        assert_eq!(
            summary(&["auto", "x", "y"].map(String::from), &rows),
            [
                "auto covers more than x on 1 of 2, as much on 0, less on 1 (b 5 to 6)",
                "auto covers more than y on 0 of 1, as much on 1, less on 0 (none)",
            ]
        );
    }
}
