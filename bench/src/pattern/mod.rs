//! Programs with planted behaviour, and the classes that are named: by `curve` alone, and by `pattern`.

mod manifest;
mod table;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use clap::Args;
use manifest::Program;
use serde_json::Value;
use table::{Row, Said};

use crate::args::Programs;
use crate::manifest::{directory, read};
use crate::record::Record;

/// What `pattern` searches if no sizes are given; `curve` gets the same.
const SIZES: &str = "4,6,8,12,16,24";

/// Classes of programs with planted growth, as `curve` alone and `pattern` name them
#[derive(Args)]
pub struct Pattern {
    #[command(flatten)]
    programs: Programs,

    /// Another list: `programs.toml`, with its sources beside it or in `programs/`
    #[arg(long = "programs", value_name = "DIR")]
    list: Option<PathBuf>,

    /// Time of each command
    #[arg(long, value_name = "TIME", default_value = "60s")]
    budget: String,

    /// Time of `curve` [default: that of --budget]. It takes all of it, while `pattern` ends when it has nothing left to do
    #[arg(long, value_name = "TIME")]
    curve_budget: Option<String>,

    /// The seed of all searches
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

impl Pattern {
    /// Prints the table.
    pub fn run(self) -> Result<Record, String> {
        let command = self.programs.command()?;
        let (out, _scratch) = self.programs.place()?;
        let list = self.list.clone().unwrap_or_else(|| directory("pattern"));
        let mut programs: Vec<Program> = read(&list)?;
        programs.retain(|program| self.programs.wants(&program.name));
        println!("{}", table::line(table::COLUMNS));
        let mut rows = Vec::new();
        for program in &programs {
            let place = out.join(&program.name);
            let ran =
                |name: &str| self.run_one(Command::new(&command).arg(name), name, program, &list, &place.join(name));
            let row = row(program, ran("curve"), ran("pattern"));
            println!("{}", table::line(row.cells()));
            rows.push(row);
        }
        print!("{}", table::summary(&rows));
        Ok(Record::new(
            table::COLUMNS.map(String::from).to_vec(),
            rows.iter().map(|row| row.cells().to_vec()).collect(),
        ))
    }

    /// Runs one command on a program: what it says and how long it took, or why it says nothing.
    fn run_one(
        &self,
        command: &mut Command,
        name: &str,
        program: &Program,
        list: &Path,
        out: &Path,
    ) -> Result<(Value, f64), String> {
        command.arg(program.file(list)).args(program.input());
        match (&program.sizes, name) {
            (Some(sizes), _) => command.args(["--sizes", sizes]),
            (None, "curve") => command.args(["--sizes", SIZES]),
            (None, _) => command,
        };
        let budget = self.curve_budget.as_ref().filter(|_| name == "curve").unwrap_or(&self.budget);
        command.args(["--budget", budget, "--seed", &self.seed.to_string(), "--quiet", "--json", "--out"]).arg(out);
        let began = Instant::now();
        let output = command.output().map_err(|error| format!("{}: {error}", command.get_program().display()))?;
        let seconds = began.elapsed().as_secs_f64();
        if !output.status.success() {
            let why = String::from_utf8_lossy(&output.stderr);
            return Err(why.lines().next().unwrap_or("no message").to_string());
        }
        let value = serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())?;
        Ok((value, seconds))
    }
}

/// What the two commands said of a program.
fn row(program: &Program, curve: Result<(Value, f64), String>, pattern: Result<(Value, f64), String>) -> Row {
    let (largest, searched) = pattern.as_ref().map_or((0, 0), |(said, _)| sizes(said));
    let words = pattern.as_ref().ok().and_then(|(said, _)| said["words"].as_str()).unwrap_or("-").to_string();
    let said = |result: &Result<(Value, f64), String>, of: fn(&Value) -> Said| match result {
        Ok((said, _)) => of(said),
        Err(why) => Said::of(None, Some(why)),
    };
    Row {
        name: program.name.clone(),
        class: program.class,
        curve: said(&curve, by_curve),
        pattern: said(&pattern, by_pattern),
        seconds: (curve.map_or(0.0, |(_, seconds)| seconds), pattern.map_or(0.0, |(_, seconds)| seconds)),
        largest,
        searched,
        words,
    }
}

/// The class by `curve` alone.
fn by_curve(said: &Value) -> Said {
    Said::of(said["worst"]["class"].as_str(), said["worst"]["why_not"].as_str())
}

/// The class by `pattern`.
fn by_pattern(said: &Value) -> Said {
    Said::of(said["class"].as_str(), said["why_not"].as_str())
}

/// The largest size that was run, and the largest that was searched.
fn sizes(said: &Value) -> (u64, u64) {
    let largest = |wanted: &str| {
        let points = said["points"].as_array().into_iter().flatten();
        points.filter(|point| point[2] == wanted).filter_map(|point| point[0].as_u64()).max().unwrap_or(0)
    };
    (largest("generated"), largest("searched"))
}
