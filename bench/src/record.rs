//! What was measured, kept for `docs/results.md`: a table with the command, the commit and the date that it is from.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::manifest::directory;

/// A file in `bench/records`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// The words of the command line, from the name of the program on.
    pub command: String,
    /// The state of the sources; none where nobody wrote it down.
    pub commit: Option<String>,
    /// The day, or `by` the day on which it was written down at the latest.
    pub date: String,
    /// The version of Pessimum.
    pub version: String,
    /// Whether rows with the same first cell are shown as one, with the values of each column side by side.
    #[serde(default)]
    pub folded: bool,
    /// The names of the columns, in Markdown like the cells.
    pub columns: Vec<String>,
    /// A cell for each column.
    pub rows: Vec<Vec<String>>,
}

impl Record {
    /// Of what this process measures.
    pub fn new(columns: Vec<String>, rows: Vec<Vec<String>>) -> Record {
        let mut words: Vec<String> = std::iter::once("bench".to_string()).chain(std::env::args().skip(1)).collect();
        if let Some(at) = words.iter().position(|word| word == "--record") {
            words.drain(at..words.len().min(at + 2));
        }
        let ran = Command::new("git").args(["describe", "--always", "--dirty"]).current_dir(directory("")).output();
        let commit = ran.ok().filter(|ran| ran.status.success()).and_then(|ran| String::from_utf8(ran.stdout).ok());
        let date = Command::new("date").args(["-u", "+%F"]).output();
        Record {
            command: shlex::try_join(words.iter().map(String::as_str)).unwrap_or_default(),
            commit: commit.map(|commit| commit.trim().to_string()),
            date: date.map_or(String::new(), |date| String::from_utf8_lossy(&date.stdout).trim().to_string()),
            version: env!("CARGO_PKG_VERSION").to_string(),
            folded: false,
            columns,
            rows,
        }
    }

    fn file(name: &str) -> PathBuf {
        directory("records").join(format!("{name}.json"))
    }

    /// The record of this name.
    pub fn read(name: &str) -> Result<Record> {
        let file = Record::file(name);
        let text = std::fs::read(&file).with_context(|| file.display().to_string())?;
        serde_json::from_slice(&text).with_context(|| file.display().to_string())
    }

    /// Keeps it under this name, each row on a line of its own.
    pub fn save(&self, name: &str) -> Result<()> {
        let rows = self.rows.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?.join(",\n    ");
        let head = serde_json::to_string(&Record { rows: Vec::new(), ..self.clone() })?;
        let text = head.replace("\"rows\":[]}", &format!("\n\"rows\":[\n    {rows}\n]}}\n"));
        let file = Record::file(name);
        std::fs::write(&file, text).with_context(|| file.display().to_string())
    }

    /// Where it comes from, and the table.
    pub fn markdown(&self) -> String {
        let commit = self.commit.as_ref().map_or("commit unknown".to_string(), |commit| format!("commit {commit}"));
        let version = if self.version == env!("CARGO_PKG_VERSION") {
            String::new()
        } else {
            format!(", version {}", self.version)
        };
        let mut text = format!("`{}` ({commit}, {}{version})\n\n", self.command, self.date);
        let rows = if self.folded { folded(&self.rows) } else { self.rows.clone() };
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        text += &line(&self.columns);
        let is_number = |column: usize| rows.iter().all(|row| looks_like_a_number(&row[column]));
        let marks = (0..self.columns.len()).map(|column| if is_number(column) { "--:" } else { "---" });
        text += &format!("|{}|\n", marks.collect::<Vec<_>>().join("|"));
        rows.iter().for_each(|row| text += &line(row));
        text
    }
}

/// Whether a cell is set to the right.
fn looks_like_a_number(cell: &str) -> bool {
    let bare = cell.trim_matches('*');
    bare.is_empty()
        || bare == "-"
        || bare.trim_start_matches("≥ ").starts_with(|first: char| first.is_ascii_digit()) && !bare.contains(['^', 'n'])
}

/// Rows with the same first cell as one: what they agree in stands once.
fn folded(rows: &[Vec<String>]) -> Vec<Vec<String>> {
    rows.chunk_by(|above, below| above[0] == below[0])
        .map(|rows| {
            let column = |column: usize| {
                let cells: Vec<&str> = rows.iter().map(|row| row[column].as_str()).collect();
                if cells.iter().all(|cell| *cell == cells[0]) { cells[0].to_string() } else { cells.join(", ") }
            };
            (0..rows[0].len()).map(column).collect()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_says_where_it_is_from() {
        let cells = |row: &str| row.split('|').map(String::from).collect::<Vec<_>>();
        let record = Record {
            command: "bench real".to_string(),
            commit: None,
            date: "by 2026-11-18".to_string(),
            version: "0.0.9".to_string(),
            folded: true,
            columns: cells("program|n|cost"),
            rows: ["sort|10|**55**", "sort|20|-", "hash|3|2^n", "trie|3|7"].map(cells).to_vec(),
        };
        assert_eq!(
            record.markdown(),
            "`bench real` (commit unknown, by 2026-11-18, version 0.0.9)\n\n\
             | program | n | cost |\n|---|--:|---|\n\
             | sort | 10, 20 | **55**, - |\n| hash | 3 | 2^n |\n| trie | 3 | 7 |\n"
        );
    }
}
