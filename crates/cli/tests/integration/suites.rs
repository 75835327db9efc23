//! `pessimum suite` from the outside: what it passes on is what its functions accept, texts become as long as they have to be,
//! and its tests notice the mistakes that somebody could make in the source.

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::Value;

fn directory(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("suites").join(name);
    std::fs::create_dir_all(&directory).unwrap();
    directory
}

/// A source file in a directory of its own.
fn source(name: &str, text: &str) -> PathBuf {
    let file = directory("sources").join(name);
    std::fs::write(&file, text).unwrap();
    file
}

/// The result for a source file or module.
fn suite(name: &str, file: &Path, more: &[&str]) -> Value {
    let mut command = Command::cargo_bin("pessimum").unwrap();
    command.arg("suite").arg(file).args(more).arg("--json").arg("--out").arg(directory(name));
    let output = command.output().unwrap();
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Whether the tools for a test are there; without them it passes, unless they are required.
fn can_compile(tool: &str) -> bool {
    let is_there = match tool {
        "clang" => pessimum_testkit::tools::clang().is_some(),
        _ => std::process::Command::new(tool).arg("--version").output().is_ok(),
    };
    assert!(is_there || std::env::var_os("PESSIMUM_REQUIRE_TOOLS").is_none(), "{tool} is required");
    if !is_there {
        eprintln!("not tested: there is no {tool}");
    }
    is_there
}

#[test]
fn texts_of_rust_are_utf8_in_every_call() {
    if !can_compile("cargo") {
        return;
    }
    // Cutting at a character's beginning never fails, whatever the text is; between the bytes of one it would.
    let file = source(
        "words.rs",
        "pub struct Words { text: String }\n\
         impl Words {\n\
         \x20   pub fn new() -> Words { Words { text: String::new() } }\n\
         \x20   pub fn push(&mut self, word: &str) { self.text.push_str(word); }\n\
         \x20   pub fn first(&self) -> u32 {\n\
         \x20       if std::str::from_utf8(self.text.as_bytes()).is_err() { panic!(\"no text\"); }\n\
         \x20       match self.text.chars().next() { Some(letter) if letter > 'z' => 2, Some(_) => 1, None => 0 }\n\
         \x20   }\n\
         }\n",
    );
    for strategy in ["auto", "ga", "ga-dse"] {
        let result = suite("words", &file, &["--paths", "400", "--strategy", strategy, "--seed", "1"]);
        let about = result["about"].as_array().unwrap();
        assert!(about.iter().all(|test| test["end"] == "returned"), "{strategy}: {about:?}");
        let texts = result["tests"].as_array().unwrap().iter().flat_map(|test| test.as_array().unwrap());
        let pushed = texts.filter(|call| call["call"] == "Words::push").map(|call| &call["arguments"][1]);
        let pushed: Vec<&Value> = pushed.collect();
        assert!(!pushed.is_empty() && pushed.iter().all(|text| text.is_string()), "{strategy}: {pushed:?}");
    }
}

#[test]
fn texts_become_as_long_as_they_have_to_be_but_no_longer_than_permitted() {
    let subjects = pessimum_subjects::directory().join("evosuite");
    let api = subjects.join("uri.api");
    let (module, api) = (subjects.join("uri.wasm"), api.to_str().unwrap().to_string());
    let longest = |more: &[&str]| {
        let flags = [&["--api-file", &api, "--paths", "8000", "--seed", "1"][..], more].concat();
        let result = suite("uri", &module, &flags);
        let calls = result["tests"].as_array().unwrap().iter().flat_map(|test| test.as_array().unwrap());
        let lengths = calls.filter(|call| call["call"] == "uri_new").filter_map(|call| call["arguments"][1].as_u64());
        lengths.max().unwrap()
    };
    // One way through its constructor is for texts of more than 32 bytes.
    assert!(longest(&[]) > 32);
    assert!(longest(&["--max-length", "12"]) <= 12);
}

#[test]
fn tests_notice_mistakes_at_bounds_and_constants_of_the_compiler_are_none() {
    if !can_compile("clang") {
        return;
    }
    let file = source(
        "gauge.c",
        "#include <stdlib.h>\n\
         #define MOST 900\n\
         struct gauge { int level, peak; };\n\
         struct gauge *gauge_new(void) { return calloc(1, sizeof(struct gauge)); }\n\
         int gauge_raise(struct gauge *gauge, int by) {\n\
         \x20   if (by < 0 || by > 350) return -1;\n\
         \x20   gauge->level += by;\n\
         \x20   if (gauge->level > MOST) gauge->level = 17;\n\
         \x20   if (gauge->level > gauge->peak) gauge->peak = gauge->level;\n\
         \x20   return gauge->level;\n\
         }\n\
         int gauge_peak(const struct gauge *gauge) { return gauge->peak; }\n",
    );
    let result = suite("gauge", &file, &["--mutants", "--paths", "4000", "--seed", "1"]);
    let mutation = &result["mutation"];
    let count = |name: &str| mutation[name].as_u64().unwrap();
    let survivors = mutation["survivors"].as_array().unwrap();
    // -1, 0, 350, 900, 17 and the branches: of three, one of them of two conditions; sizes of frames and of the structure are none.
    assert_eq!(count("mutants"), count("tried"));
    assert!((8..=12).contains(&count("mutants")), "{mutation}");
    let missed: Vec<&str> = survivors.iter().map(|one| one["change"].as_str().unwrap()).collect();
    // For 900 one mistake more the level has to be 901: a sum of three arguments that no other mistake asks for.
    assert!(!missed.contains(&"350 changed to 351") && !missed.contains(&"17 changed to 18"), "{missed:?}");
    assert!(count("killed") + 3 >= count("mutants"), "{missed:?}");
}

#[test]
fn variables_of_c_do_not_hide_their_types() {
    if !can_compile("clang") || !can_compile("cc") {
        return;
    }
    let file = source(
        "bag.c",
        "#include <stdlib.h>\n\
         typedef struct { int count; } bag;\n\
         bag *bag_new(void) { return calloc(1, sizeof(bag)); }\n\
         void bag_add(bag *one) { one->count++; }\n\
         int bag_compare(const bag *one, const bag *other) {\n\
         \x20   if (one == other) return 2;\n\
         \x20   if (one->count > other->count) return 1;\n\
         \x20   return 0;\n\
         }\n",
    );
    let out = directory("bag");
    let mut command = Command::cargo_bin("pessimum").unwrap();
    command.arg("suite").arg(&file).args(["--emit", "--paths", "2000", "--seed", "1", "--out"]).arg(&out);
    let output = command.output().unwrap();
    let remarks = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !remarks.contains("not written"), "{remarks}");
    let text = std::fs::read_to_string(out.join("suite_test.c")).unwrap();
    assert!(text.contains("bag *bag1 = bag_new();") && text.contains("bag *bag2 = bag_new();"), "{text}");
}
