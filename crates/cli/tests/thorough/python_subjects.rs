//! The subjects in Python: an exhaustive search sees as many paths as the manifest says, and the longest costs what it says.
//!
//! Where there is no Python nothing is run; with PESSIMUM_REQUIRE_TOOLS=1 that is a failure.

use std::process::Command;

use pessimum_subjects::Subject;
use serde_json::Value;

/// Subjects with at most so many paths are visited: more take longer than they tell.
const PATHS: u64 = 160;

fn has_python() -> bool {
    let version = ["-c", "import sys; sys.exit(sys.version_info < (3, 10))"];
    let is_there = Command::new("python3").args(version).status().is_ok_and(|status| status.success());
    assert!(is_there || std::env::var_os("PESSIMUM_REQUIRE_TOOLS").is_none(), "no Python from 3.10 on");
    is_there
}

fn paths(subject: &Subject, size: u64) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_pessimum"))
        .arg("paths")
        .arg(subject.module_file())
        .args(["--call", subject.call.as_deref().expect("subjects in Python have calls")])
        .args(["--size", &size.to_string(), "--cost", &subject.cost, "--json", "--quiet"])
        .output()
        .expect("it can be started");
    assert!(output.status.success(), "{}: {}", subject.name, String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("it is JSON")
}

#[test]
fn paths_are_those_of_the_manifest() {
    if !has_python() {
        return;
    }
    let (mut checked, mut longest) = (0, 0);
    for subject in pessimum_subjects::python() {
        for &(size, count) in subject.paths.iter().filter(|(_, count)| *count <= PATHS) {
            let found = paths(&subject, size);
            let name = format!("{} at {size}", subject.name);
            assert_eq!(found["complete"], true, "{name}");
            assert_eq!(found["feasible"], count, "{name}");
            checked += 1;
            if let Some(optimum) = subject.optimum_at(size) {
                assert_eq!(found["longest"], optimum, "{name}");
                longest += 1;
            }
        }
    }
    assert!(checked >= 40 && longest >= 30, "only {checked} counts and {longest} optima");
}
