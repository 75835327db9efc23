//! `pessimum cover` against tests that a person wrote, and what a new user asks of it.
//!
//! A compiler that is not on the machine is reported and its tests pass; with PESSIMUM_REQUIRE_TOOLS=1 they fail.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::Value;

fn hand() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sources/hand")
}

fn fresh(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cover").join(name);
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).unwrap();
    directory
}

/// The result of `cover` among the programs with tests by hand; none if their compiler is missing.
fn cover(out: &Path, words: &[&str]) -> Option<Value> {
    let mut command = Command::cargo_bin("pessimum").unwrap();
    command.current_dir(hand()).env("XDG_CACHE_HOME", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cover/cache"));
    let output = command.arg("cover").args(words).args(["--json", "--out"]).arg(out).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let missing = ["was found: install", "rustup target add", "hint: this needs the C++ library"];
    if missing.iter().any(|text| said.contains(text)) {
        assert!(std::env::var_os("PESSIMUM_REQUIRE_TOOLS").is_none(), "{said}");
        println!("not tested, the compiler is missing: {said}");
        return None;
    }
    assert!(output.status.success(), "{said}");
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

/// Lines and branches that are covered, and all that there are.
fn shares(result: &Value) -> [(u64, u64); 2] {
    ["lines", "branches"]
        .map(|kind| (result[kind]["covered"].as_u64().unwrap(), result[kind]["goals"].as_u64().unwrap()))
}

/// A suite covers at least the lines and branches that tests by hand cover, which are counted by running these alone.
fn as_good_as_by_hand(name: &str, file: &str, call: &[&str], sizes: &str, paths: &str) {
    let out = fresh(name);
    let by_hand = [&[file][..], call, &["--sizes", "0..48", "--corpus", name, "--paths", "0"]].concat();
    let Some(by_hand) = cover(&out, &by_hand) else { return };
    let searched = [&[file][..], call, &["--sizes", sizes, "--paths", paths]].concat();
    let Some(searched) = cover(&out, &searched) else { return };
    let (by_hand, searched) = (shares(&by_hand), shares(&searched));
    println!("{name}: by hand {by_hand:?}, searched {searched:?} (lines, branches)");
    for (by_hand, searched) in by_hand.into_iter().zip(searched) {
        assert_eq!(by_hand.1, searched.1, "{name}: the same counter");
        assert!(by_hand.0 > 0 && searched.0 >= by_hand.0, "{name}: {by_hand:?} by hand, {searched:?} searched");
    }
}

#[test]
fn a_parser_over_standard_input() {
    as_good_as_by_hand("ini", "ini.c", &["--stdin", "n"], "0..8", "60000");
}

#[test]
fn a_rust_function_over_a_text() {
    as_good_as_by_hand("semver", "semver.rs", &["--call", "stable(utf8[n], n)"], "0..8", "4000");
}

#[test]
fn a_program_with_std_string() {
    as_good_as_by_hand("roman", "roman.cpp", &["--stdin", "n"], "0..5", "2000");
}

/// Of another function's lines none is counted, not even its first.
#[test]
fn lines_are_those_of_the_functions_named() {
    let module = pessimum_subjects::directory().join("evosuite/linear.wasm");
    let words = [module.to_str().unwrap(), "--call", "magic(i32, i64)", "--in", "magic", "--paths", "200"];
    let result = cover(&fresh("magic"), &words).unwrap();
    let lines = result["files"][0]["lines"].as_array().unwrap();
    let numbers: Vec<u64> = lines.iter().map(|line| line[0].as_u64().unwrap()).collect();
    assert_eq!(numbers, [30, 31, 32, 33, 34, 37, 39]);
    assert_eq!(shares(&result), [(7, 7), (10, 10)]);
}

/// With a `select` in the place of the last branch there was an outcome that no input of a suite of 100 % had.
#[test]
fn every_outcome_of_a_c_function_is_in_its_suite() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sources/triangle.c");
    let words = [source.to_str().unwrap(), "--call", "triangle(i32, i32, i32)", "--paths", "2000"];
    let Some(result) = cover(&fresh("triangle"), &words) else { return };
    let returned = |result: &Value| {
        let tests = result["tests"].as_array().unwrap().iter();
        tests.map(|test| test["returned"][0].as_i64().unwrap()).collect::<BTreeSet<i64>>()
    };
    assert_eq!((shares(&result)[1], returned(&result)), ((22, 22), BTreeSet::from([0, 1, 2, 3])));
    let optimised = cover(&fresh("triangle"), &[&words[..], &["--cflags", "-O1"]].concat()).unwrap();
    assert_eq!(shares(&optimised)[1], (16, 16), "options of the user's count");
}
