//! Functions of Python's standard library: `worst` runs each to its budget without an error of ours, and what it reports is
//! what an ordinary run costs.
//!
//! The calls are those in the heads of `subjects/python/library`. Where there is no Python nothing is run; with
//! PESSIMUM_REQUIRE_TOOLS=1 that is a failure.

use std::path::{Path, PathBuf};
use std::process::Command;

use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;

/// Enough to take branches both ways in every program; the time of a program is nearly all that of starting it.
const PATHS: &str = "30";
const SIZE: &str = "6";

fn directory() -> PathBuf {
    pessimum_subjects::directory().join("python/library")
}

/// The calls in the head of a driver.
fn calls(file: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    text.lines().filter_map(|line| line.strip_prefix("call: ")).map(str::to_owned).collect()
}

fn has_python() -> bool {
    let version = ["-c", "import sys; sys.exit(sys.version_info < (3, 10))"];
    Command::new("python3").args(version).status().is_ok_and(|status| status.success())
}

fn pessimum(words: &[&str], file: &Path, out: &Path) -> Result<Value, Failed> {
    let output = Command::new(env!("CARGO_BIN_EXE_pessimum"))
        .args(words)
        .arg(file)
        .args(["--json", "--quiet", "--out"])
        .arg(out)
        .output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() || said.contains("bug in Pessimum") {
        return Err(format!("{}\n{said}", output.status).into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

fn runs_to_its_budget(file: &Path, call: &str) -> Result<(), Failed> {
    let name: String = call.chars().take_while(|character| *character != '(').collect();
    let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("library").join(format!("{stem}-{name}"));
    let _ = std::fs::remove_dir_all(&out);
    let words = ["worst", "--call", call, "--size", SIZE, "--paths", PATHS, "--seed", "1"];
    let result = pessimum(&words, file, &out)?;
    let cost = result["cost"]["value"].as_u64().ok_or_else(|| format!("no cost: {result}"))?;
    // Two lines are the least: the driver's own, and one of the library.
    match cost {
        0 | 1 => Err(format!("{result}").into()),
        _ => Ok(()),
    }
}

fn main() {
    let arguments = Arguments::from_args();
    let mut files: Vec<PathBuf> = std::fs::read_dir(directory())
        .expect("the drivers are there")
        .map(|entry| entry.expect("it can be listed").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "py"))
        .collect();
    files.sort();
    let is_there = has_python();
    if !is_there {
        assert!(std::env::var_os("PESSIMUM_REQUIRE_TOOLS").is_none(), "no Python from 3.10 on");
        println!("left out: no Python from 3.10 on");
    }
    let mut trials = Vec::new();
    for file in files {
        for call in calls(&file) {
            let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let file = file.clone();
            trials.push(
                Trial::test(format!("{stem}: {call}"), move || runs_to_its_budget(&file, &call))
                    .with_ignored_flag(!is_there),
            );
        }
    }
    assert!(trials.len() >= 50, "only {} calls", trials.len());
    libtest_mimic::run(&arguments, trials).exit();
}
