//! The manifest of the subjects in Python says what they do: in every ordinary interpreter of this machine, each input
//! given as a worst case executes as many lines as the manifest says, counted by `sys.settrace`, without any part of ours.
//!
//! Decisions need symbolic inputs, so their numbers are not checked here but by the searches that find them.
//!
//! Where there is no Python the tests pass with a remark; with PESSIMUM_REQUIRE_TOOLS=1 they fail.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::process::{Command, Stdio};

use pessimum_subjects::{Subject, directory, python};
use serde::Deserialize;
use serde_json::{Value, json};

/// A call of a function of a subject on values.
struct Call {
    what: String,
    subject: Subject,
    arguments: Value,
    expected: u64,
}

#[derive(Deserialize)]
struct Ran {
    lines: u64,
    result: String,
}

/// The interpreters to try: those of the names that systems give them, and those of the list in PESSIMUM_PYTHONS, each of a
/// version once.
fn interpreters() -> Vec<(String, String)> {
    let listed = std::env::var("PESSIMUM_PYTHONS").unwrap_or_default();
    let listed = listed.split(':').filter(|name| !name.is_empty()).map(str::to_owned);
    let named = (10..=14).map(|minor| format!("python3.{minor}"));
    let mut found = BTreeMap::new();
    for name in listed.chain(["python3".to_owned()]).chain(named) {
        let version =
            "import sys; print(*sys.version_info[:3], sep='.') if sys.version_info >= (3, 10) else sys.exit(1)";
        let Ok(output) = Command::new(&name).args(["-c", version]).output() else { continue };
        if output.status.success() {
            found.entry(String::from_utf8_lossy(&output.stdout).trim().to_owned()).or_insert(name);
        }
    }
    if found.is_empty() {
        assert!(std::env::var_os("PESSIMUM_REQUIRE_TOOLS").is_none(), "no Python from 3.10 on");
        eprintln!("no Python from 3.10 on: nothing is run");
    }
    found.into_iter().collect()
}

fn function(subject: &Subject) -> String {
    let call = subject.call.as_deref().unwrap_or_else(|| panic!("{}: no call", subject.name));
    call.split('(').next().unwrap_or(call).to_owned()
}

/// Runs the calls in one process.
fn run(interpreter: &str, calls: &[Call]) -> Vec<Ran> {
    let calls: Vec<Value> = calls
        .iter()
        .map(|call| {
            json!({
                "file": call.subject.module_file(),
                "function": function(&call.subject),
                "arguments": call.arguments,
            })
        })
        .collect();
    let mut child = Command::new(interpreter)
        .arg("-B")
        .arg(directory().join("python/check.py"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{interpreter}: {error}"));
    let mut input = child.stdin.take().expect("it is piped");
    input.write_all(json!(calls).to_string().as_bytes()).unwrap_or_else(|error| panic!("{interpreter}: {error}"));
    drop(input);
    let output = child.wait_with_output().unwrap_or_else(|error| panic!("{interpreter}: {error}"));
    assert!(output.status.success(), "{interpreter}: {}", output.status);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{interpreter}: {error}"))
}

fn parsed(subject: &Subject, input: &str) -> Value {
    serde_json::from_str(input).unwrap_or_else(|error| panic!("{}: {error}", subject.name))
}

#[test]
fn worst_inputs_execute_as_many_lines_as_is_written() {
    let mut calls = Vec::new();
    for subject in python().into_iter().filter(|subject| subject.cost == "lines") {
        for worst in &subject.worst {
            let expected = subject.reached_at(worst.n);
            calls.push(Call {
                what: format!("{} at {}", subject.name, worst.n),
                arguments: parsed(&subject, &worst.input),
                expected: expected.unwrap_or_else(|| panic!("{}: no cost at {}", subject.name, worst.n)),
                subject: subject.clone(),
            });
        }
    }
    assert!(calls.len() >= 40, "only {} inputs", calls.len());
    for (version, interpreter) in interpreters() {
        for (call, ran) in calls.iter().zip(run(&interpreter, &calls)) {
            assert_eq!(ran.lines, call.expected, "{} in Python {version}", call.what);
        }
    }
}

/// The paper's hand-made inputs where they are not the worst there are, and inputs for which it prints what EvoSuite has.
#[test]
fn other_published_lines_are_those_of_the_programs() {
    let subject =
        |name: &str| python().into_iter().find(|subject| subject.name == name).expect("it is in the manifest");
    let mut calls = Vec::new();
    for (n, manual, different) in [(10, 83, 54), (50, 363, 214), (100, 713, 414)] {
        let kmp = subject("ese/kmp");
        assert!(kmp.published.contains(&(n, manual)));
        let what = |which: &str| format!("kmp at {n}, {which}");
        let distinct: Vec<u64> = (3..n + 3).collect();
        let arguments = json!([vec![0; n as usize], [0, 0, 1]]);
        calls.push(Call { what: what("Manual"), arguments, expected: manual, subject: kmp.clone() });
        let arguments = json!([distinct, [0, 1, 2]]);
        calls.push(Call { what: what("no equal symbols"), arguments, expected: different, subject: kmp });
    }
    let early = json!([[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]]);
    let what = "is_palindrome, EvoSuite".to_owned();
    calls.push(Call { what, arguments: early, expected: 3, subject: subject("ese/is_palindrome") });
    for (version, interpreter) in interpreters() {
        for (call, ran) in calls.iter().zip(run(&interpreter, &calls)) {
            assert_eq!(ran.lines, call.expected, "{} in Python {version}", call.what);
        }
    }
}

/// The programs do what their names say, on inputs that are not the worst.
#[test]
fn programs_compute_what_they_should() {
    let subjects = python();
    let call = |name: &str, arguments: Value, result: &str| {
        let subject = subjects.iter().find(|subject| subject.name == name).expect("it is in the manifest").clone();
        (Call { what: format!("{name} of {arguments}"), subject, arguments, expected: 0 }, result.to_owned())
    };
    let (calls, results): (Vec<Call>, Vec<String>) = [
        call("ese/is_palindrome", json!([[1, 2, 1]]), "True"),
        call("ese/is_palindrome", json!([[1, 2, 2]]), "False"),
        call("ese/kmp", json!([[1, 1, 2, 1, 1, 3], [1, 1, 3]]), "3"),
        call("ese/kmp", json!([[1, 1, 2, 1, 1, 3], [3, 1, 1]]), "-1"),
        call("ese/dfs", json!([[[1, 0], [0, 1], [0, 0]]]), "True"),
        call("ese/dfs", json!([[[1, 0], [1, 0], [1, 1]]]), "False"),
        call("ese/bfs", json!([[[1, 0], [0, 1], [0, 0]]]), "True"),
        call("ese/bfs", json!([[[1, 0], [1, 0], [1, 1]]]), "False"),
        call("pyse/smith_waterman", json!(["xAxGx"]), "2"),
        call("pyse/boyer_moore", json!(["xxxabcabc"]), "3"),
        call("pyse/boyer_moore", json!(["xabcxx"]), "-1"),
        call("pyse/priority_queue", json!([[5, 3, 4, 1]]), "[1, 3, 4, 5]"),
        call("pyse/dijkstra_heap", json!([[[1, 5], [9, 2], [9, 9]]]), "3"),
        call("pyse/tsp_heuristic", json!([[9, 1, 2, 5, 7, 3], 4]), "8"),
    ]
    .into_iter()
    .unzip();
    for (version, interpreter) in interpreters() {
        for ((call, result), ran) in calls.iter().zip(&results).zip(run(&interpreter, &calls)) {
            assert_eq!(&ran.result, result, "{} in Python {version}", call.what);
        }
    }
}

#[test]
fn entries_fit_the_files() {
    let subjects = python();
    let names: BTreeSet<&str> = subjects.iter().map(|subject| subject.name.as_str()).collect();
    assert_eq!(names.len(), subjects.len(), "two subjects have the same name");
    let others = pessimum_subjects::all();
    for subject in &subjects {
        let name = &subject.name;
        let text = std::fs::read_to_string(subject.module_file()).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(text.contains(&format!("\ndef {}(", function(subject))), "{name}: no such function");
        let call = format!("\ncall: {}", subject.call.as_deref().unwrap_or_default());
        assert!(text.contains(&call), "{name}: the head of the file has another call");
        assert_eq!(subject.optimum.is_empty(), subject.why.is_none(), "{name}: an optimum needs its reason");
        let other = others.iter().find(|other| other.name == *name);
        let other = other.unwrap_or_else(|| panic!("{name}: not in subjects.toml"));
        assert_eq!(subject.sizes, other.sizes, "{name}");
        assert_eq!(subject.published, other.published, "{name}");
    }
}
