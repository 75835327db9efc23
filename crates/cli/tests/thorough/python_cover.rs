//! What `cover` says about small functions of Python, against brute force: `python_cover/brute.py` runs every input with
//! `sys.settrace`. What is covered is what some input reaches, and what is open of a search that saw every path is what none
//! does. Without a Python that can be searched these tests pass; with PESSIMUM_REQUIRE_TOOLS=1 they fail then.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;

use serde::Deserialize;
use serde_json::Value;

/// What brute force covers: lines, and how many arms of the branches on each line.
#[derive(Deserialize)]
struct Brute {
    lines: BTreeSet<u64>,
    arms: BTreeMap<u64, usize>,
}

/// What `cover` says about a call that contradicts this; empty if nothing does.
fn contradictions(file: &Path, out: &Path, call: &str, strategy: &str, brute: &Brute) -> String {
    let ran = Command::new(env!("CARGO_BIN_EXE_pessimum"))
        .args(["cover", file.to_str().unwrap(), "--call", call, "--strategy", strategy])
        .args(["--paths", "3000", "--quiet", "--json", "--out", out.to_str().unwrap()])
        .output()
        .unwrap();
    let complaints = String::from_utf8_lossy(&ran.stderr).into_owned();
    let Ok(result) = serde_json::from_slice::<Value>(&ran.stdout) else { return complaints };
    let number = |value: &Value| value.as_u64().unwrap_or(0);
    let (mut known, mut lines) = (BTreeSet::new(), BTreeSet::new());
    let mut arms: BTreeMap<u64, usize> = BTreeMap::new();
    for file in result["files"].as_array().unwrap() {
        for line in file["lines"].as_array().unwrap() {
            known.insert(number(&line[0]));
            lines.extend((number(&line[1]) > 0).then(|| number(&line[0])));
        }
        for arm in file["branches"].as_array().unwrap() {
            *arms.entry(number(&arm["line"])).or_default() += usize::from(number(&arm["taken"]) > 0);
        }
    }
    let expected: BTreeSet<u64> = brute.lines.intersection(&known).copied().collect();
    let expected_arms: BTreeMap<u64, usize> =
        arms.keys().map(|line| (*line, brute.arms.get(line).copied().unwrap_or(0))).collect();
    let stopped = result["stopped"].as_str().unwrap();
    let mut wrong = complaints;
    if !matches!(stopped, "finished" | "covered") {
        wrong += &format!("the search was not complete: {stopped}\n");
    }
    if lines != expected {
        wrong += &format!("lines {lines:?} instead of {expected:?}\n");
    }
    if arms != expected_arms {
        wrong += &format!("arms by line {arms:?} instead of {expected_arms:?}\n");
    }
    wrong
}

#[test]
fn cover_says_what_brute_force_says() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python_cover");
    let file = sources.join("functions.py");
    // 3.10 does not say where the conditions of a line stand.
    let old = "import sys; sys.exit(sys.version_info < (3, 11))";
    if !Command::new("python3").args(["-c", old]).output().is_ok_and(|output| output.status.success()) {
        assert!(std::env::var_os("PESSIMUM_REQUIRE_TOOLS").is_none(), "python3 is not on the machine, or too old");
        println!("skipped: python3 is not on the machine, or too old");
        return;
    }
    let ran = Command::new("python3").arg(sources.join("brute.py")).arg(&file).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let brute: BTreeMap<String, Brute> = serde_json::from_slice(&ran.stdout).unwrap();
    assert!(brute.len() >= 40, "{} functions", brute.len());
    let cases = brute.iter().flat_map(|(call, brute)| [(call, brute, "exhaustive"), (call, brute, "auto")]);
    let (cases, wrong) = (Mutex::new(cases.enumerate()), Mutex::new(Vec::new()));
    let work = || {
        loop {
            let Some((index, (call, brute, strategy))) = cases.lock().unwrap().next() else { break };
            let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("python_cover/{index}"));
            let of = contradictions(&file, &out, call, strategy, brute);
            if !of.is_empty() {
                wrong.lock().unwrap().push(format!("{call} --strategy {strategy}: {of}"));
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} of {} are wrong:\n{}", wrong.len(), 2 * brute.len(), wrong.join("\n"));
}
