//! docs/result_json.md names every field of real results, and docs/troubleshooting.md only messages that exist.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What a command prints, as JSON.
fn printed(words: &[&str]) -> Value {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("schema");
    let mut command = assert_cmd::Command::cargo_bin("pessimum").unwrap();
    command.current_dir(root()).args(words).arg("--json");
    if ["worst", "curve", "pattern", "cover", "suite"].contains(&words[0]) {
        command.arg("--out").arg(out.join(words.join(" ").replace(['/', ' '], "_")));
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Fields by command and place of the object that has them. A heading is a list of `COMMAND: PLACE`; a place that is no
/// path (a file, a command line) is that of the whole object.
fn documented() -> BTreeMap<(String, String), BTreeSet<String>> {
    let text = std::fs::read_to_string(root().join("docs/result_json.md")).unwrap();
    let mut fields: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
    let mut objects: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        if let Some(heading) = line.strip_prefix('#') {
            let named = heading.trim_start_matches('#').split(';').filter_map(|part| part.trim().split_once(": `"));
            let object = |(command, place): (&str, &str)| {
                let place = place.trim_end_matches('`');
                let whole = place.ends_with(".json") || place.contains("--");
                (command.to_string(), if whole { String::new() } else { place.to_string() })
            };
            objects = named.map(object).collect();
        } else if let Some(field) = line.strip_prefix("| `").and_then(|rest| rest.split('`').next()) {
            for object in &objects {
                fields.entry(object.clone()).or_default().insert(field.to_string());
            }
        }
    }
    fields
}

/// Inputs have a form of their own, and results of functions any.
const ANY_VALUE: [&str; 6] = ["input", "inputs", "buffers", "result", "returned", "pattern"];
/// Objects whose names are not fields.
const MAPS: [&str; 3] = ["ends", "solver.layers", "unsupported"];

fn check(command: &str, place: &str, value: &Value, known: &BTreeMap<(String, String), BTreeSet<String>>) {
    match value {
        Value::Object(object) if MAPS.contains(&place) => {
            for value in object.values() {
                check(command, &format!("{place}.*"), value, known);
            }
        }
        Value::Object(object) => {
            let fields = known.get(&(command.to_string(), place.to_string()));
            let fields = fields.unwrap_or_else(|| panic!("docs/result_json.md has no table for {command}: `{place}`"));
            for (name, value) in object {
                assert!(fields.contains(name), "docs/result_json.md: {command}: `{place}` has no field `{name}`");
                if !ANY_VALUE.contains(&name.as_str()) {
                    let inner = if place.is_empty() { name.clone() } else { format!("{place}.{name}") };
                    check(command, &inner, value, known);
                }
            }
        }
        Value::Array(list) => list.iter().for_each(|value| check(command, &format!("{place}[]"), value, known)),
        _ => {}
    }
}

#[test]
fn every_field_of_a_result_is_documented() {
    let known = documented();
    let sort = ["subjects/own/insertion_sort.wasm", "--call", "sort(i32[n], n)"];
    let json = ["subjects/own/json.wasm", "--stdin", "8"];
    let foo_bar = ["subjects/evosuite/foo_bar.wasm", "--api-file", "subjects/evosuite/foo_bar.api"];
    let cases: [(&str, Vec<&str>); 12] = [
        ("worst", [&["worst"], &sort[..], &["--size", "5", "--paths", "50"]].concat()),
        ("worst", [&["worst"], &sort[..], &["--size", "8", "--paths", "200", "--strategy", "wise"]].concat()),
        ("worst", [&["worst"], &json[..], &["--paths", "50", "--validate=1"]].concat()),
        ("curve", [&["curve"], &sort[..], &["--sizes", "4,5,6,8,10", "--paths", "50"]].concat()),
        ("pattern", [&["pattern"], &sort[..], &["--sizes", "4,6,8,10,12", "--paths", "50"]].concat()),
        ("cover", [&["cover"], &json[..], &["--paths", "50"]].concat()),
        ("reach", [&["cover"], &json[..], &["--paths", "50", "--reach", "parse_string"]].concat()),
        ("suite", [&["suite"], &foo_bar[..], &["--paths", "50", "--mutants"]].concat()),
        ("sequence", [&["worst"], &foo_bar[..], &["--size", "4", "--paths", "50"]].concat()),
        ("run", vec!["run", sort[0], "--call", "sort(i32[3], 3)"]),
        ("paths", [&["paths"], &sort[..], &["--size", "3"]].concat()),
        ("inspect", vec!["inspect", json[0]]),
    ];
    for (command, words) in cases {
        check(command, "", &printed(&words), &known);
    }
    // The test would notice a field that is not there.
    let made_up = serde_json::json!({ "module": "a", "costs": { "joules": 1 } });
    assert!(std::panic::catch_unwind(|| check("worst", "", &made_up, &known)).is_err());
}

/// All source texts, with literals that go over several lines put together.
fn sources(directory: &Path, text: &mut String) {
    for entry in std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            sources(&entry, text);
        } else if entry.extension().is_some_and(|extension| extension == "rs") {
            let lines = std::fs::read_to_string(&entry).unwrap();
            let mut joined = false;
            for line in lines.lines() {
                let line = if joined { line.trim_start() } else { line };
                joined = line.ends_with('\\');
                text.push_str(line.trim_end_matches('\\'));
                if !joined {
                    text.push('\n');
                }
            }
        }
    }
}

#[test]
fn messages_that_are_explained_exist() {
    let mut text = String::new();
    for entry in std::fs::read_dir(root().join("crates")).unwrap() {
        sources(&entry.unwrap().path().join("src"), &mut text);
    }
    let document = std::fs::read_to_string(root().join("docs/troubleshooting.md")).unwrap();
    let mut count = 0;
    for row in document.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| message")) {
        let message = row.trim_start_matches("| ").split(" | ").next().unwrap();
        if message.contains("worst input") {
            continue;
        }
        // Pieces between `backticks`; two of them around a piece with one inside.
        let pieces: Vec<&str> = match message.strip_prefix("`` ") {
            Some(rest) => vec![rest.trim_end_matches(" ``").trim()],
            None => message.split('`').skip(1).step_by(2).collect(),
        };
        assert!(!pieces.is_empty(), "{row}");
        for piece in pieces.into_iter().filter(|piece| *piece != "clang") {
            assert!(text.contains(piece), "docs/troubleshooting.md: no message says {piece:?}");
            count += 1;
        }
    }
    assert!(count > 30, "{count}");
}
