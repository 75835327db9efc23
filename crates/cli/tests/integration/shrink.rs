//! `pessimum shrink`: simpler inputs of every kind at the same cost, and nothing more to do the second time.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

const COSTLY: &str = "crates/cli/tests/cases/costly.wat";

fn pessimum() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pessimum"));
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
    command
}

fn json(command: &mut Command) -> Value {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn read(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// The result of a short search; its input is replaced if one is given, and its cost is then that of the given input.
fn result(name: &str, subject: &[&str], input: Option<Value>) -> PathBuf {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("shrink").join(name);
    let _ = std::fs::remove_dir_all(&out);
    json(pessimum().arg("worst").args(subject).args(["--paths", "300", "--json", "--out"]).arg(&out));
    if let Some(input) = input {
        let file = out.join("result.json");
        let mut saved = read(&file);
        saved["input"] = input;
        std::fs::write(&file, saved.to_string()).unwrap();
        let now = json(pessimum().arg("replay").arg(&file).arg("--json"));
        saved["cost"]["value"] = now["cost"]["value"].clone();
        (saved["costs"], saved["end"]) = (now["costs"].clone(), now["end"].clone());
        std::fs::write(&file, saved.to_string()).unwrap();
    }
    out
}

/// Shrinks, and returns the simpler result. What holds for every kind of input is checked here.
fn shrink(directory: &Path, flags: &[&str]) -> Value {
    let original = std::fs::read(directory.join("result.json")).unwrap();
    let said = json(pessimum().arg("shrink").arg(directory).args(["--budget", "none", "--json"]).args(flags));
    assert_eq!(said["finished"], true);
    assert_eq!(std::fs::read(directory.join("result.json")).unwrap(), original, "the original is kept");
    let shrunk = directory.join("shrunk");
    let after = read(&shrunk.join("result.json"));
    let before: Value = serde_json::from_slice(&original).unwrap();
    if flags.is_empty() {
        assert!(after["cost"]["value"].as_u64() >= before["cost"]["value"].as_u64(), "{after}");
        assert_eq!(after["size"], before["size"]);
    }
    assert_eq!(after["end"], before["end"]);
    let replayed = json(pessimum().arg("replay").arg(&shrunk).arg("--json"));
    assert_eq!(replayed["costs"], after["costs"]);
    assert_eq!(replayed["cost"]["value"], after["cost"]["value"]);
    assert_eq!(replayed["input"], after["input"]);
    assert_eq!(read(&shrunk.join("input.json")), after["input"]);
    let again = json(pessimum().arg("shrink").arg(&shrunk).args(["--budget", "none", "--json"]).args(flags));
    assert_eq!(again["changed"], false, "a second time changes nothing: {again}");
    let twice = read(&shrunk.join("shrunk/result.json"));
    assert_eq!((&twice["input"], &twice["arguments"]), (&after["input"], &after["arguments"]));
    let same = json(pessimum().arg("shrink").arg(directory).args(["--budget", "none", "--json"]).args(flags));
    assert_eq!((&same["after"], &same["runs"]), (&said["after"], &said["runs"]), "the same every time");
    after
}

#[test]
fn a_sort_gets_a_tidy_list() {
    let subject = ["subjects/own/insertion_sort.wasm", "--call", "sort(i32[n], n)", "--size", "12"];
    let wild: Vec<i64> = (0..12).map(|i: i64| 2_000_000_011 - i * i * 23_456_789 - i * 100_003_001).collect();
    assert!(wild.is_sorted_by(|a, b| a > b));
    let after = shrink(&result("sort", &subject, Some(json!([wild, 12]))), &[]);
    assert_eq!(after["input"], json!([(0..12).rev().collect::<Vec<i64>>(), 12]));
}

/// What a search shows is plain already, at the cost that is known to be the highest, and the same every time.
#[test]
fn worst_inputs_are_readable_without_shrink() {
    let subject = ["subjects/own/insertion_sort.wasm", "--call", "sort(i32[n], n)", "--size", "12"];
    let out = result("readable", &subject, None);
    let found = read(&out.join("result.json"));
    assert_eq!(found["input"], json!([(0..12).rev().collect::<Vec<i64>>(), 12]));
    let replayed = json(pessimum().arg("replay").arg(&out).arg("--json"));
    assert_eq!(replayed["costs"], found["costs"]);
    let again = result("readable", &subject, None);
    assert_eq!(read(&again.join("result.json"))["input"], found["input"]);
}

#[test]
fn ranges_are_respected() {
    let call = "sort(i32[n] in 100..=5000, n)";
    let subject = ["subjects/own/insertion_sort.wasm", "--call", call, "--size", "8"];
    let start = json!([[4999, 4000, 3000, 2500, 2000, 1500, 300, 120], 8]);
    let after = shrink(&result("ranges", &subject, Some(start)), &[]);
    assert_eq!(after["input"], json!([[107, 106, 105, 104, 103, 102, 101, 100], 8]));
}

#[test]
fn bytes_of_standard_input_become_readable() {
    let out = result(
        "json",
        &["subjects/own/json.wasm", "--stdin", "10"],
        // An open list that nothing closes, then bytes that are never looked at.
        Some(json!({ "stdin": "5b5b5bff000102030405" })),
    );
    let after = shrink(&out, &[]);
    let hex = after["input"]["stdin"].as_str().unwrap();
    assert!(hex.starts_with("5b5b5b"), "{hex}");
    assert!(hex.as_bytes()[6..].chunks(2).all(|digits| digits[0] >= b'2' && digits[0] <= b'7'), "printable: {hex}");
    let bytes = std::fs::read(out.join("shrunk/stdin.bin")).unwrap();
    assert_eq!(bytes.len(), 10, "raw bytes are written too");
}

#[test]
fn texts_keep_only_what_matters() {
    let subject = [COSTLY, "--call", "lonely(str[n])", "--size", "9", "--cost", "user"];
    let after = shrink(&result("texts", &subject, Some(json!(["x\u{1}x\u{2}QxZ~7"]))), &[]);
    assert_eq!(after["input"], json!(["xaxaaxaaa"]));
}

#[test]
fn floats_become_whole() {
    let subject = [COSTLY, "--call", "descents(f64[n], n)", "--size", "4", "--cost", "user"];
    let after = shrink(&result("floats", &subject, Some(json!([[1.5e300, 2.25, -0.001, -7e9], 4]))), &[]);
    assert_eq!(after["input"], json!([[3.0, 2.0, 1.0, 0.0], 4]));
    let call = "descents(f64[n] in 0.25..=0.75, n)";
    let subject = [COSTLY, "--call", call, "--size", "3", "--cost", "user"];
    let after = shrink(&result("float-range", &subject, Some(json!([[0.7123456789, 0.5000001, 0.30303], 3]))), &[]);
    let numbers: Vec<f64> = after["input"][0].as_array().unwrap().iter().map(|n| n.as_f64().unwrap()).collect();
    assert!(numbers.iter().all(|n| (0.25..=0.75).contains(n)), "{numbers:?}");
    assert_eq!(after["cost"]["value"], 2);
}

#[test]
fn keys_of_a_hash_table_still_collide() {
    let call = "fill(u8[6*n], n, out i32[2*n])";
    let subject = ["subjects/own/hash_table.wasm", "--call", call, "--size", "3", "--cost", "user"];
    let out = result("table", &subject, None);
    let before = read(&out.join("result.json"));
    let after = shrink(&out, &[]);
    assert_eq!(after["cost"], before["cost"]);
    let sum = |result: &Value| -> u64 {
        result["input"][0].as_array().unwrap().iter().map(|byte| byte.as_u64().unwrap()).sum()
    };
    assert!(sum(&after) <= sum(&before), "{} {}", before["input"], after["input"]);
}

#[test]
fn what_a_program_asks_for_itself_is_shrunk_too() {
    let values = json!({ "values": [
        { "i32": 1_000_000 }, { "i64": 5_000_000_000_000i64 }, { "f32": -123.5 }, { "f64": 2.5 }, { "bytes": "4f4b" },
    ] });
    let subject = ["subjects/own/imports.wasm", "--entry", "run", "--size", "1", "--cost", "user"];
    let after = shrink(&result("imports", &subject, Some(values)), &[]);
    assert_eq!(
        after["input"]["values"],
        json!([{ "i32": 42 }, { "i64": 1_000_000_000_001i64 }, { "f32": -1.0 }, { "f64": 2.5 }, { "bytes": "4f4b" }])
    );
}

#[test]
fn shorter_inputs_cost_as_much_or_keep_the_ratio() {
    let subject = [COSTLY, "--call", "five(u8[n], n)", "--size", "40", "--cost", "user"];
    let start: Vec<u64> = (0..40).map(|i| 100 + i).collect();
    let out = result("shorter", &subject, Some(json!([start, 40])));
    let after = shrink(&out, &["--shorter"]);
    assert_eq!((&after["size"], &after["cost"]["value"]), (&json!(5), &json!(5)));
    assert_eq!(after["input"], json!([[1, 1, 1, 1, 1], 5]));
    // Standard input of a fixed length has no --size, but its length can change.
    let start = json!({ "stdin": "5b5b5b5d5d5d20202020" });
    let out = result("shorter-stdin", &["subjects/own/json.wasm", "--stdin", "10", "--cost", "depth"], Some(start));
    let after = shrink(&out, &["--shorter"]);
    let hex = after["input"]["stdin"].as_str().unwrap();
    assert!(hex.len() < 20, "{hex}");
    assert!(after["arguments"].as_array().unwrap().contains(&json!(format!("--stdin={}", hex.len() / 2))));
    // Against random inputs a descending list gets no better by being shorter, so nothing may get worse here.
    let subject = ["subjects/own/insertion_sort.wasm", "--call", "sort(i32[n], n)", "--size", "6"];
    let out = result("ratio", &subject, Some(json!([[6, 5, 4, 3, 2, 1], 6])));
    let before = read(&out.join("result.json"));
    let after = shrink(&out, &["--shorter", "--keep", "ratio"]);
    let ratio =
        |result: &Value| result["cost"]["value"].as_f64().unwrap() / result["random"]["average"].as_f64().unwrap();
    assert!(ratio(&after) >= ratio(&before), "{} {}", ratio(&before), ratio(&after));
}

#[test]
fn a_spent_budget_and_a_changed_result_are_said() {
    let subject = ["subjects/own/insertion_sort.wasm", "--call", "sort(i32[n], n)", "--size", "12"];
    let out = result("spent", &subject, Some(json!([(0..12).map(|i| 1000 - 7 * i).collect::<Vec<i64>>(), 12])));
    let said = json(pessimum().arg("shrink").arg(&out).args(["--paths", "2", "--json"]));
    assert_eq!((&said["finished"], &said["runs"]), (&json!(false), &json!(2)));
    let file = out.join("result.json");
    let mut saved = read(&file);
    saved["cost"]["value"] = json!(1_000_000);
    std::fs::write(&file, saved.to_string()).unwrap();
    let output = pessimum().arg("shrink").arg(&out).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("not 1,000,000 as saved"), "{message}");
    // The directory of a curve has a result for each size.
    std::fs::remove_file(&file).unwrap();
    std::fs::write(out.join("curve.json"), "{}").unwrap();
    let output = pessimum().arg("shrink").arg(&out).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("/n-SIZE"));
}
