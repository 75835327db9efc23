//! Programs with planted behaviour, and the classes that are named: by `curve` alone, and by `pattern`.
//!
//! `cargo build --release -p pessimum && cargo run --release -p bench-pattern [-- NAME...]`: all programs, or those whose
//! names contain one of the words. Options: `--programs DIR` for another list (`programs.toml`, with its sources beside it
//! or in `programs/`), `--budget 60s` for each command, `--curve-budget 60s` for `curve` alone (which takes all of it, while
//! `pattern` ends when it has nothing left to do), `--seed 1`, `--out DIR` for a directory in which everything that was
//! found is kept, and `--pessimum FILE` for another build of the command than the one in `target/release`.

mod manifest;
mod table;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

use manifest::Program;
use serde_json::Value;
use table::{Row, Said};

const USAGE: &str = "usage: bench-pattern [NAME...] [--programs DIR] [--budget 60s] [--curve-budget 60s] [--seed N] [--out DIR] [--pessimum FILE]";

/// What `pattern` searches if no sizes are given; `curve` gets the same.
const SIZES: &str = "4,6,8,12,16,24";

struct Settings {
    names: Vec<String>,
    programs: PathBuf,
    budget: String,
    curve_budget: Option<String>,
    seed: String,
    out: Option<PathBuf>,
    pessimum: PathBuf,
}

impl Settings {
    fn parse(words: impl Iterator<Item = String>) -> Result<Settings, String> {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let (names, options) = bench_options::split(words, USAGE)?;
        let mut settings = Settings {
            names,
            programs: here.to_path_buf(),
            budget: "60s".to_string(),
            curve_budget: None,
            seed: "1".to_string(),
            out: None,
            pessimum: here.join("../../target/release/pessimum"),
        };
        for (name, value) in options {
            match name.as_str() {
                "--programs" => settings.programs = PathBuf::from(value),
                "--budget" => settings.budget = value,
                "--curve-budget" => settings.curve_budget = Some(value),
                "--seed" => settings.seed = value,
                "--out" => settings.out = Some(PathBuf::from(value)),
                "--pessimum" => settings.pessimum = PathBuf::from(value),
                _ => return Err(bench_options::unknown(&name, USAGE)),
            }
        }
        Ok(settings)
    }

    /// Runs one command on a program: what it says, or why it says nothing.
    fn run(&self, command: &str, program: &Program, out: &Path) -> Result<(Value, f64), String> {
        let mut words = vec![command.to_string(), program.file(&self.programs).display().to_string()];
        words.extend(program.input());
        match (&program.sizes, command) {
            (Some(sizes), _) => words.extend(["--sizes".to_string(), sizes.clone()]),
            (None, "curve") => words.extend(["--sizes".to_string(), SIZES.to_string()]),
            (None, _) => {}
        }
        let budget = self.curve_budget.as_ref().filter(|_| command == "curve").unwrap_or(&self.budget);
        words.extend(["--budget", budget, "--seed", &self.seed, "--quiet", "--json", "--out"].map(String::from));
        let began = Instant::now();
        let output = Command::new(&self.pessimum).args(&words).arg(out).output();
        let output = output.map_err(|error| format!("{}: {error}", self.pessimum.display()))?;
        let seconds = began.elapsed().as_secs_f64();
        if !output.status.success() {
            let why = String::from_utf8_lossy(&output.stderr);
            return Err(why.lines().next().unwrap_or("no message").to_string());
        }
        let value = serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())?;
        Ok((value, seconds))
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

fn run(settings: &Settings) -> Result<(), String> {
    if !settings.pessimum.exists() {
        return Err(format!(
            "{}: not there; `cargo build --release -p pessimum` makes it",
            settings.pessimum.display()
        ));
    }
    let scratch = tempfile::tempdir().map_err(|error| error.to_string())?;
    let out = settings.out.clone().unwrap_or(scratch.path().to_path_buf());
    let programs = manifest::read(&settings.programs)?;
    let is_wanted = |program: &&Program| bench_options::is_wanted(&program.name, &settings.names);
    let mut rows = Vec::new();
    println!("{}", table::head());
    for program in programs.iter().filter(is_wanted) {
        let place = out.join(&program.name);
        let curve = settings.run("curve", program, &place.join("curve"));
        let pattern = settings.run("pattern", program, &place.join("pattern"));
        let (largest, searched) = pattern.as_ref().map_or((0, 0), |(said, _)| sizes(said));
        let words = pattern.as_ref().ok().and_then(|(said, _)| said["words"].as_str()).unwrap_or("-").to_string();
        let said = |result: &Result<(Value, f64), String>, of: fn(&Value) -> Said| match result {
            Ok((said, _)) => of(said),
            Err(why) => Said::of(None, Some(why)),
        };
        let row = Row {
            name: program.name.clone(),
            class: program.class,
            curve: said(&curve, by_curve),
            pattern: said(&pattern, by_pattern),
            seconds: (curve.map_or(0.0, |(_, seconds)| seconds), pattern.map_or(0.0, |(_, seconds)| seconds)),
            largest,
            searched,
            words,
        };
        println!("{row}");
        rows.push(row);
    }
    print!("{}", table::summary(&rows));
    Ok(())
}

fn main() -> ExitCode {
    bench_options::end("bench-pattern", Settings::parse(std::env::args().skip(1)).and_then(|settings| run(&settings)))
}
