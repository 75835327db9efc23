//! `pattern`, `generate` and `curve --extend`: what is found is run again, and the files agree with each other.

use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn place(name: &str) -> PathBuf {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pattern").join(name);
    let _ = std::fs::remove_dir_all(&place);
    place
}

fn pessimum(words: &[&str], input: &[u8]) -> Output {
    let mut command = assert_cmd::Command::cargo_bin("pessimum").unwrap();
    command.current_dir(root()).args(words).write_stdin(input).output().unwrap()
}

fn json(output: &Output) -> Value {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

const SORT: [&str; 3] = ["subjects/own/insertion_sort.wasm", "--call", "sort(i32[n], n)"];

/// The pattern of a sort: its costs at sizes that were never searched are those of the inputs that `generate` writes.
#[test]
fn what_is_generated_costs_what_was_said() {
    let out = place("sort");
    let shown = out.to_str().unwrap();
    let found = json(&pessimum(&[&["pattern"], &SORT[..], &["--paths", "60", "--json", "--out", shown]].concat(), b""));
    assert_eq!(found["class"], "n^2");
    assert_eq!(found["words"], "n descending numbers");
    assert_eq!(found["formula"], "12n^2 + 21n - 25");
    let points = found["points"].as_array().unwrap();
    let generated: Vec<&Value> = points.iter().filter(|point| point[2] == "generated").collect();
    assert!(generated.len() > 8 && points.iter().any(|point| point[2] == "searched"));
    let large = generated.iter().find(|point| point[0].as_u64() > Some(500)).unwrap();
    let size = large[0].to_string();
    let input = pessimum(&["generate", shown, "--size", &size], b"");
    assert!(input.status.success());
    let words = [&["run"], &SORT[..], &["--size", &size, "--input", "-", "--cost", "instructions"]].concat();
    let cost = pessimum(&words, &input.stdout);
    assert_eq!(String::from_utf8(cost.stdout).unwrap().trim(), large[1].to_string());
    // The code that was written gives the same input, and the report shows the pattern.
    let page = std::fs::read_to_string(out.join("report.html")).unwrap();
    assert!(page.contains("n descending numbers") && page.contains("id=\"pattern\""));
    let code = pessimum(&["generate", shown, "--code", "python"], b"");
    assert_eq!(code.stdout, std::fs::read(out.join("pattern.py")).unwrap());
    if let Ok(output) = std::process::Command::new("python3").arg(out.join("pattern.py")).arg(&size).output() {
        assert_eq!(output.stdout, input.stdout);
    }
    let again = pessimum(&["report", shown], b"");
    assert!(again.status.success());
    assert_eq!(std::fs::read_to_string(out.join("report.html")).unwrap().matches("id=\"pattern\"").count(), 1);
}

/// A budget of paths gives the same result again, apart from times.
#[test]
fn patterns_can_be_repeated() {
    let once = |name: &str| {
        let out = place(name);
        let words = [
            "pattern",
            "subjects/own/json.wasm",
            "--stdin",
            "n",
            "--sizes",
            "4,6,8",
            "--paths",
            "40",
            "--json",
            "--out",
            out.to_str().unwrap(),
        ];
        let mut found = json(&pessimum(&words, b""));
        found["elapsed_s"] = Value::Null;
        found["searched"] = Value::Null;
        found
    };
    assert_eq!(once("again-1"), once("again-2"));
}

#[test]
fn gates_go_by_the_class() {
    let out = place("gate");
    let shown = out.to_str().unwrap();
    let sizes = ["--sizes", "4,6,8", "--paths", "40", "--out", shown, "--quiet"];
    let verdicts = out.join("junit.xml");
    let gate = ["--fail-above-class", "n log n", "--junit", verdicts.to_str().unwrap()];
    let output = pessimum(&[&["pattern"], &SORT[..], &sizes, &gate].concat(), b"");
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
    let text = std::fs::read_to_string(&verdicts).unwrap();
    assert!(
        text.contains("inputs found grows like n^2, up to n = ") && text.contains(", above --fail-above-class n log n"),
        "{text}"
    );
    // Three sizes are too few for a class of the searches alone, and enough with the pattern.
    let extended =
        [&["curve", "--extend", "--chart", "none"], &SORT[..], &sizes, &["--fail-above-class", "n^2"]].concat();
    let output = pessimum(&extended, b"");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("not enough data: 5 sizes are needed") && text.contains("exactly 12n^2 + 21n - 25"),
        "{text}"
    );
    // A curve of another program leaves none behind from before.
    let other = ["subjects/own/insertion_sort.wasm", "--call", "sort(i16[n], n)"];
    pessimum(&[&["curve", "--chart", "none"], &other[..], &sizes].concat(), b"");
    assert!(!out.join("pattern.json").exists() && !out.join("pattern.c").exists());
    let output = pessimum(&["generate", shown, "--size", "5"], b"");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("there is no pattern"));
}

/// Directories come from anywhere: what is wrong is said, and nothing panics.
#[test]
fn bad_patterns_are_refused() {
    let out = place("bad");
    let shown = out.to_str().unwrap();
    let words = [&["pattern"], &SORT[..], &["--sizes", "4,6", "--paths", "20", "--json", "--out", shown]].concat();
    json(&pessimum(&words, b""));
    let file = out.join("pattern.json");
    let good: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let generate = |value: &Value, more: &[&str]| {
        std::fs::write(&file, value.to_string()).unwrap();
        let output = pessimum(&[&["generate", shown], more].concat(), b"");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let mut bad = good.clone();
    bad["patterns"][0]["pattern"] = serde_json::json!({ "slots": [{ "list": 7 }] });
    let (code, message) = generate(&bad, &["--size", "5"]);
    assert!(code == Some(1) && message.contains("not a generator"), "{message}");
    bad["patterns"][0]["pattern"] = serde_json::json!({ "slots": [] });
    let (code, message) = generate(&bad, &["--size", "5"]);
    assert!(code == Some(1) && message.contains("the pattern is for an input of 0 parts"), "{message}");
    let huge = serde_json::json!({ "list": {
        "segments": [{ "block": [{ "name": { "first": -5, "letters": 0, "width": 4_000_000_000u32 } }], "times": { "share": 4_000_000_000u32 } }],
        "slack": { "more": 77 },
    }});
    bad["patterns"][0]["pattern"] = serde_json::json!({ "slots": [huge] });
    let (code, message) = generate(&bad, &["--size", "5"]);
    assert!(code == Some(0) || code == Some(1), "{message}");
    let (code, message) = generate(&good, &["--size", "5", "--pattern", "9"]);
    assert!(code == Some(2) && message.contains("the number of patterns is 1"), "{message}");
    let (code, message) = generate(&good, &[]);
    assert!(code == Some(2) && message.contains("give --size"), "{message}");
    let (code, message) = generate(&good, &["--size", "99999999999"]);
    assert!(code == Some(1) && message.contains("there is no input of this size"), "{message}");
}

/// Behind eight bytes that a search of one path does not find, the program is quadratic.
const MAGIC: &str = r#"(module
    (memory (export "memory") 1)
    (func (export "f") (param $at i32) (param $n i32) (local $i i32) (local $j i32)
        (if (i32.lt_u (local.get $n) (i32.const 8)) (then (return)))
        (if (i64.ne (i64.load (local.get $at)) (i64.const 0x4d554d4953534550)) (then (return)))
        (loop $outer
            (local.set $j (i32.const 0))
            (loop $inner
                (local.set $j (i32.add (local.get $j) (i32.const 1)))
                (br_if $inner (i32.lt_u (local.get $j) (local.get $n))))
            (local.set $i (i32.add (local.get $i) (i32.const 1)))
            (br_if $outer (i32.lt_u (local.get $i) (local.get $n))))))"#;

#[test]
fn patterns_learn_from_inputs_that_are_given() {
    let out = place("given");
    let (module, corpus) = (out.join("magic.wat"), out.join("corpus"));
    std::fs::create_dir_all(&corpus).unwrap();
    std::fs::write(&module, MAGIC).unwrap();
    std::fs::write(corpus.join("slow"), "PESSIMUMaaaa").unwrap();
    let (module, corpus, out) = (module.to_str().unwrap(), corpus.to_str().unwrap(), out.to_str().unwrap());
    let class = |more: &[&str]| {
        let words = [
            "pattern",
            module,
            "--call",
            "f(u8[n], n)",
            "--strategy",
            "random",
            "--paths",
            "1",
            "--json",
            "--out",
            out,
        ];
        json(&pessimum(&[&words[..], more].concat(), b""))["class"].clone()
    };
    assert_eq!(class(&["--corpus", corpus]), "n^2");
    assert_ne!(class(&[]), "n^2");
}
