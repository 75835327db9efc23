//! `pessimum worst --api` finds the costliest sequences of calls that are known: those of the manifest of subjects.

use std::path::Path;

use assert_cmd::Command;
use pessimum_subjects::{Goal, Suite};
use serde_json::Value;

/// The cost of the worst sequence of `calls` calls that a search finds, in total or of its last call.
fn worst(suite: &Suite, calls: u64, last: bool) -> u64 {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sequences");
    let mut command = Command::cargo_bin("pessimum").unwrap();
    command.arg("worst").arg(suite.module_file()).arg("--api-file").arg(suite.api_file());
    command.args(["--size", &calls.to_string(), "--cost", "user", "--paths", "20000", "--json", "--out"]).arg(out);
    if last {
        command.arg("--last-call");
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}: {}", suite.name, String::from_utf8_lossy(&output.stderr));
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    result["costs"]["user"].as_u64().unwrap()
}

#[test]
fn known_worst_sequences_are_found() {
    let suites = pessimum_subjects::suites();
    let mut checked = 0;
    for suite in suites.iter().filter(|suite| suite.goal == Goal::Worst) {
        for (known, last) in [(&suite.total, false), (&suite.last, true)] {
            for &(calls, cost) in known.iter().filter(|(calls, _)| [4, 8].contains(calls)) {
                assert_eq!(worst(suite, calls, last), cost, "{}: {calls} calls, last: {last}", suite.name);
                checked += 1;
            }
        }
    }
    assert_eq!(checked, 2 * 2 * 2);
}
