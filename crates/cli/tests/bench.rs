//! `pessimum bench`: the same runs give the same summary, in one call or in several.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn directory(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench").join(name);
    let _ = std::fs::remove_dir_all(&directory);
    directory
}

/// Runs a part of Table V and returns its summary without times.
fn bench(out: &Path, seeds: &str, jobs: &str) -> Value {
    let words = ["bench", "ese-table5", "--only", "palindrome at 10", "--paths", "300", "--json"];
    let output = Command::new(env!("CARGO_BIN_EXE_pessimum"))
        .args(words)
        .args(["--strategies", "auto,ese,random,wise", "--seeds", seeds, "--jobs", jobs, "--out"])
        .arg(out)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut summary: Value = serde_json::from_slice(&output.stdout).unwrap();
    let saved: Value = serde_json::from_slice(&std::fs::read(out.join("summary.json")).unwrap()).unwrap();
    assert_eq!(summary, saved);
    for row in summary["rows"].as_array_mut().unwrap() {
        row["seconds_to_best"] = Value::Null;
    }
    summary
}

#[test]
fn a_bench_goes_on_where_it_stopped() {
    let whole = bench(&directory("whole"), "2", "2");
    assert_eq!(whole["runs_done"], 2 * 2 * 4);
    let parts = directory("parts");
    bench(&parts, "1", "1");
    let runs = parts.join("runs.jsonl");
    let first = std::fs::read_to_string(&runs).unwrap();
    assert_eq!(first.lines().count(), 2 * 4);
    // A run whose line was cut off by a crash is repeated, the others are not.
    let kept = first.lines().count() - 1;
    let cut: usize = first.lines().take(kept).map(|line| line.len() + 1).sum::<usize>() + 10;
    std::fs::write(&runs, &first[..cut]).unwrap();
    assert_eq!(bench(&parts, "2", "1"), whole);
    let second = std::fs::read_to_string(&runs).unwrap();
    assert!(second.starts_with(&first[..cut - 10]), "finished runs stay");
    // And nothing is left to do.
    assert_eq!(bench(&parts, "2", "1"), whole);
    assert_eq!(std::fs::read_to_string(&runs).unwrap(), second);
    let csv = std::fs::read_to_string(parts.join("summary.csv")).unwrap();
    assert_eq!(csv.lines().count(), 1 + 2 * 4);
}

#[test]
fn numbers_stand_beside_the_published_ones() {
    let summary = bench(&directory("published"), "2", "1");
    let rows = summary["rows"].as_array().unwrap();
    let ese = rows.iter().find(|row| row["size"] == 100 && row["variant"] == "ese").unwrap();
    assert_eq!(ese["optimum"], 202);
    assert_eq!(ese["reference"], 202);
    assert_eq!(ese["published"], 202);
    assert!(ese["a12"].is_null());
    let random = rows.iter().find(|row| row["size"] == 100 && row["variant"] == "random").unwrap();
    assert_eq!(random["published"], 37);
    assert!(random["best"].as_u64().unwrap() < 202);
    assert!(random["a12"].as_f64().unwrap() <= 0.5);
}
