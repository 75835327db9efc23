//! Properties of `pessimum worst` that a file of expected output cannot show.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use pessimum_search::strategy::{Purpose, strategies_for};
use serde_json::Value;

const SORT: &[&str] = &["subjects/own/insertion_sort.wasm", "--call", "sort(i32[n], n)"];

fn pessimum() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pessimum"));
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
    command
}

fn directory(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("worst").join(name);
    let _ = std::fs::remove_dir_all(&directory);
    directory
}

fn json(command: &mut Command) -> Value {
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {text}");
    assert!(text.is_empty(), "{command:?}: {text}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// `worst` and then `run` on the input that it saved.
fn worst_and_run(name: &str, subject: &[&str], search: &[&str]) -> (Value, Value) {
    let out = directory(name);
    let found = json(pessimum().arg("worst").args(subject).args(search).arg("--json").arg("--out").arg(&out));
    let saved: Value = serde_json::from_slice(&std::fs::read(out.join("result.json")).unwrap()).unwrap();
    assert_eq!(found, saved, "{name}: result.json is what --json prints");
    let ran = json(pessimum().arg("run").args(subject).arg("--json").arg("--input").arg(out.join("input.json")));
    let again = json(pessimum().arg("replay").arg(&out).arg("--json"));
    assert_eq!(again["costs"], found["costs"], "{name}");
    assert_eq!(again["cost"]["value"], again["cost"]["saved"], "{name}");
    (found, ran)
}

/// The saved input, run again, costs exactly what was reported, for every kind of input and several strategies.
#[test]
fn saved_inputs_cost_what_was_reported() {
    let table = ["subjects/own/hash_table.wasm", "--call", "fill(u8[6*n], n, out i32[2*n])", "--size", "3"];
    let subjects: [(&str, &[&str]); 6] = [
        ("sort", &[SORT, &["--size", "7"]].concat()),
        ("hash_table", &table),
        ("json", &["subjects/own/json.wasm", "--stdin", "9"]),
        ("words", &["subjects/own/words.wasm", "--stdin", "n", "--size", "6"]),
        ("ledger", &["subjects/own/ledger.wasm", "--stdin", "6"]),
        ("imports", &["subjects/own/imports.wasm", "--entry", "run", "--size", "3"]),
    ];
    for (name, subject) in subjects {
        for strategy in ["auto", "random", "ga"] {
            let search = ["--strategy", strategy, "--paths", "150", "--seed", "5"];
            let (found, ran) = worst_and_run(&format!("{name}-{strategy}"), subject, &search);
            for cost in ["instructions", "branches", "calls", "depth", "memory", "user", "hits"] {
                assert_eq!(found["costs"][cost], ran["costs"][cost], "{name}, {strategy}: {cost}");
            }
            assert_eq!(found["input"], ran["input"], "{name}, {strategy}");
            assert_eq!(found["end"], ran["end"], "{name}, {strategy}");
            assert_eq!(found["cost"]["value"], found["costs"]["instructions"], "{name}, {strategy}");
            let last = found["progress"].as_array().unwrap().last().unwrap();
            assert_eq!(last[2], found["cost"]["value"], "{name}, {strategy}: progress ends at the best");
        }
    }
}

/// The raw bytes are those of the input.
#[test]
fn raw_bytes_are_saved() {
    let out = directory("raw");
    let found = json(
        pessimum()
            .args(["worst", "subjects/own/json.wasm", "--stdin", "5", "--paths", "100", "--json", "--out"])
            .arg(&out),
    );
    let bytes = std::fs::read(out.join("stdin.bin")).unwrap();
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(found["input"]["stdin"], hex);
    let names: Vec<String> =
        std::fs::read_dir(&out).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    assert!(!names.iter().any(|name| name.ends_with(".part")), "nothing partial is left behind: {names:?}");
}

/// Removes what a seed does not fix.
fn without_times(mut result: Value) -> String {
    result["elapsed_s"] = Value::Null;
    for step in result["progress"].as_array_mut().unwrap() {
        step[0] = Value::Null;
    }
    for (_, layer) in result["solver"]["layers"].as_object_mut().unwrap() {
        layer["time_s"] = Value::Null;
    }
    result.to_string()
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    for strategy in ["auto", "dfs", "random", "ese", "spf-wca", "pyse", "ga"] {
        let run = |seed: &str| {
            let search = ["--size", "9", "--strategy", strategy, "--paths", "400", "--seed", seed, "--json", "--out"];
            without_times(json(pessimum().arg("worst").args(SORT).args(search).arg(directory("seed"))))
        };
        let first = run("1");
        assert_eq!(first, run("1"), "{strategy}");
        if matches!(strategy, "random" | "ese" | "ga") {
            assert_ne!(first, run("2"), "{strategy}: the seed matters");
        }
    }
}

/// Operators of `auto` that run several inputs in a row end where the budget does.
#[test]
fn a_budget_of_paths_is_kept_to_the_path() {
    let out = directory("paths");
    for seed in 1..=25 {
        let seed = seed.to_string();
        let words = ["--size", "10", "--paths", "2000", "--seed", &seed, "--quiet", "--json", "--out"];
        let found = json(pessimum().arg("worst").args(SORT).args(words).arg(&out));
        assert_eq!(found["paths"], 2000, "seed {seed}");
    }
}

/// Ctrl-C is a normal end, and so is what the end of a session or of a job in CI sends: the best so far is reported and saved.
#[cfg(unix)]
#[test]
fn whatever_ends_a_search_keeps_the_best_so_far() {
    ["-INT", "-TERM", "-HUP"].into_iter().for_each(keeps_the_best_so_far);
}

#[cfg(unix)]
fn keeps_the_best_so_far(signal: &str) {
    let out = directory(&format!("ended{signal}"));
    let search = ["--size", "60", "--strategy", "random", "--budget", "none", "--json", "--out"];
    let mut child = pessimum()
        .arg("worst")
        .args(SORT)
        .args(search)
        .arg(&out)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Once the first path is in the journal, there is something to keep.
    let found_something =
        || std::fs::read_to_string(out.join("journal.jsonl")).is_ok_and(|text| text.contains("\"event\":\"best\""));
    while !found_something() {
        assert!(child.try_wait().unwrap().is_none(), "the search has ended by itself");
        std::thread::yield_now();
    }
    let kill = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["stopped"], "cancelled");
    assert_eq!(found["complete"], false);
    assert!(found["cost"]["value"].as_u64().unwrap() > 0);
    let saved: Value = serde_json::from_slice(&std::fs::read(out.join("result.json")).unwrap()).unwrap();
    assert_eq!(found, saved);
}

/// A wrong name is a usage error, and the right ones are shown.
#[test]
fn a_bad_strategy_name_lists_the_good_ones() {
    let output = pessimum().arg("worst").args(SORT).args(["--size", "4", "--strategy", "magic"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("'magic'"), "{message}");
    for name in strategies_for(Purpose::Cost).map(|strategy| strategy.name) {
        assert!(message.contains(name), "{name} is missing: {message}");
    }
    assert!(!message.contains("fitnex"), "that one is for `cover`: {message}");
}

/// The keys of the object that scripts read.
#[test]
fn the_json_object_has_the_documented_keys() {
    let search = ["--size", "4", "--json", "--out"];
    let found = json(pessimum().arg("worst").args(SORT).args(search).arg(directory("keys")));
    for key in [
        "module",
        "call",
        "size",
        "strategy",
        "seed",
        "cost",
        "costs",
        "input",
        "end",
        "paths",
        "decisions",
        "solver",
        "complete",
        "stopped",
        "elapsed_s",
        "progress",
        "ends",
    ] {
        assert!(!found[key].is_null(), "{key}");
    }
    assert_eq!(found["complete"], true);
    assert_eq!(found["cost"]["model"], "instructions");
    assert!(found["solver"]["layers"]["order"]["queries"].is_u64());
    assert!(found["solver"]["unknown"].is_u64());
    let counted = json(pessimum().arg("paths").args(SORT).args(["--size", "4", "--json"]));
    assert_eq!(counted["feasible"], 24);
    assert_eq!(counted["longest"], found["cost"]["value"]);
    assert_eq!(counted["complete"], true);
    assert_eq!(counted["ends"]["returned"], 24);
}

/// A search of a single path is not trusted more than the random inputs that were run beside it.
#[test]
fn a_random_input_above_the_limit_fails_the_gate() {
    let out = directory("gate_random");
    let mut command = pessimum();
    command.args(["worst", "subjects/own/insertion_sort.wasm", "--call", "sort(i32[n], n)", "--size", "20"]);
    command.args(["--strategy", "dfs", "--paths", "1", "--fail-above", "2000", "--json", "--out"]).arg(&out);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(found["cost"]["value"].as_u64() >= found["random"]["highest"].as_u64(), "{found}");
    assert_eq!(found["paths"], 1);
}

/// Whatever happens to the disk, the finding is printed.
#[test]
fn a_finding_is_printed_before_it_is_saved() {
    let out = directory("printed_first");
    std::fs::create_dir_all(out.join("taken")).unwrap();
    let mut command = pessimum();
    command.args(["worst", "subjects/own/insertion_sort.wasm", "--call", "sort(i32[n], n)", "--size", "4"]);
    command.args(["--paths", "5", "--json", "--fail-above", "100000", "--out"]).arg(out.join("result"));
    // A directory cannot be written to as if it were a file.
    let output = command.arg("--junit").arg(out.join("taken")).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(found["cost"]["value"].as_u64() > Some(0));
    assert!(String::from_utf8_lossy(&output.stderr).contains("printed_first/taken"));
}

/// An input that the user names takes part in the search.
#[test]
fn inputs_of_the_user_take_part() {
    let out = directory("own_input");
    std::fs::create_dir_all(&out).unwrap();
    let file = out.join("input.json");
    std::fs::write(&file, "[[8, 7, 6, 5, 4, 3, 2, 1], 8]").unwrap();
    let subject = ["subjects/own/insertion_sort.wasm", "--call", "sort(i32[n], n)", "--size", "8"];
    let run = json(pessimum().arg("run").args(subject).arg("--input").arg(&file).arg("--json"));
    let mut command = pessimum();
    command.arg("worst").args(subject).args(["--strategy", "dfs", "--paths", "2", "--json", "--out"]).arg(&out);
    let found = json(command.arg("--input").arg(&file));
    assert_eq!(found["cost"]["value"], run["costs"]["instructions"], "the worst case of insertion sort");
    std::fs::write(&file, "[[8], 8]").unwrap();
    let mut command = pessimum();
    command.arg("worst").args(subject).args(["--paths", "2", "--out"]).arg(&out).arg("--input").arg(&file);
    assert_eq!(command.output().unwrap().status.code(), Some(1));
}

/// A directory that somebody sent is only data: it makes no compiler run and no file outside it be read.
#[test]
fn words_in_a_saved_result_are_not_obeyed() {
    let out = directory("sent");
    let mut command = pessimum();
    command.args(["worst", "subjects/own/insertion_sort.wasm", "--call", "sort(i32[n], n)", "--size", "4"]);
    json(command.args(["--paths", "5", "--json", "--out"]).arg(&out));
    let file = out.join("result.json");
    let mut result: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    // The module's name is for people: what is run is the module beside the result.
    result["plan"]["module"]["name"] = "evil.c".into();
    result["arguments"] = serde_json::json!(["evil.c", "--cflags=-fplugin=./evil.so"]);
    std::fs::write(&file, result.to_string()).unwrap();
    let replayed = json(pessimum().arg("replay").arg(&out).arg("--json"));
    assert_eq!(replayed["cost"]["value"], result["cost"]["value"]);
    let output = pessimum().args(["replay", "--check"]).arg(&out).output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(1) && message.contains("--module evil.c"), "{message}");
    result["plan"]["cflags"] = serde_json::json!(["-fplugin=./evil.so"]);
    std::fs::write(&file, result.to_string()).unwrap();
    let output = pessimum().arg("replay").arg(&out).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("cflags"));
    result.as_object_mut().unwrap().remove("plan");
    std::fs::write(&file, result.to_string()).unwrap();
    let output = pessimum().arg("report").arg(&out).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("made by an earlier version"));
}
