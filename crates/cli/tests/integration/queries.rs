//! `--validate` and `--log-queries` in real searches.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Runs the command in a directory, with these programs before those of the machine.
fn pessimum(directory: &Path, programs: Option<&Path>, subject: &str, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pessimum"));
    command.current_dir(directory).arg(words[0]).arg(root().join("subjects").join(subject)).args(&words[1..]);
    if let Some(programs) = programs {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let paths = [programs.to_path_buf()].into_iter().chain(std::env::split_paths(&path));
        command.env("PATH", std::env::join_paths(paths).unwrap());
    }
    command.output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

const TIME: [&str; 4] = ["paths", "--call=is_time(u8[5])", "--limit=200", "--quiet"];

#[test]
fn every_no_of_a_search_is_checked_again() {
    let place = TempDir::new().unwrap();
    let words: Vec<&str> = TIME.into_iter().chain(["--validate=1", "--json"]).collect();
    let output = pessimum(place.path(), None, "evosuite/validators.wasm", &words);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    let layers = result["solver"]["layers"].as_object().unwrap();
    let checked: u64 = layers.values().map(|layer| layer["checked"].as_u64().unwrap_or(0)).sum();
    assert!(checked >= 5, "{layers:?}");
    for (name, layer) in layers {
        assert_eq!(layer["checked"].as_u64().unwrap_or(0), layer["unsat"].as_u64().unwrap(), "{name}: {layer}");
        assert_eq!(layer["disagreed"].as_u64(), None, "{name}: {layer}");
    }
    let words: Vec<&str> = TIME.into_iter().chain(["--validate"]).collect();
    let output = pessimum(place.path(), None, "evosuite/validators.wasm", &words);
    let shown = text(&output.stdout);
    let line = shown.lines().find(|line| line.starts_with("validated ")).unwrap_or_default();
    assert!(line.contains("every 16th of a layer") && line.contains(": no disagreement, "), "{shown}");
}

/// A solver that calls everything satisfiable stands in for a mistake of ours.
#[cfg(unix)]
#[test]
fn a_contradiction_is_an_error_with_the_query() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = TempDir::new().unwrap();
    let programs = place.path().join("bin");
    std::fs::create_dir(&programs).unwrap();
    let fake = "#!/bin/sh\nwhile read -r line; do case $line in\n'(check-sat)') echo sat;;\n\
                '(echo \"'*) line=${line#*\\\"}; echo \"${line%\\\"*}\";;\nesac; done\n";
    std::fs::write(programs.join("z3"), fake).unwrap();
    std::fs::set_permissions(programs.join("z3"), std::fs::Permissions::from_mode(0o755)).unwrap();
    // Products of unknowns are for bit-blasting alone.
    let module = "(module (func (export \"f\") (param i32) (result i32)
        (if (i32.eq (i32.and (i32.mul (local.get 0) (local.get 0)) (i32.const 3)) (i32.const 3)) (then (unreachable)))
        (i32.const 0)))";
    std::fs::write(place.path().join("square.wat"), module).unwrap();
    let square = place.path().join("square.wat");
    let call = ["--call=f(i32)", "--quiet", "--validate=1", "--cost=branches"];
    for command in ["paths", "worst"] {
        let strategy = (command == "worst").then_some("--strategy=dfs");
        let words: Vec<&str> = [command].into_iter().chain(call).chain(strategy).collect();
        let output = pessimum(place.path(), Some(&programs), square.to_str().unwrap(), &words);
        let (shown, told) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(1), "{shown}{told}");
        assert!(told.contains("the layer bit-blasting of the solver says that a query has no solution"), "{told}");
        assert!(told.contains("this is a bug in Pessimum"), "{told}");
        // What was found is there nevertheless, and nothing is certain.
        assert!(shown.contains("bit-blasting 1 by z3): 1 DISAGREEMENT, 0 undecided"), "{shown}");
        assert!(!shown.contains("all of them") && !shown.contains("how sure     certain"), "{shown}");
    }
    for number in 1..=2 {
        let file = place.path().join(format!("pessimum-disagreement-bit-blasting-{number}.smt2"));
        let query = std::fs::read_to_string(file).unwrap();
        assert!(query.contains("bvmul") && query.contains("(check-sat)"), "{query}");
    }
}

#[test]
fn queries_are_written_once_and_z3_agrees_with_them() {
    let place = TempDir::new().unwrap();
    let words: Vec<&str> = TIME.into_iter().chain(["--log-queries=queries/of this"]).collect();
    let output = pessimum(place.path(), None, "evosuite/validators.wasm", &words);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let directory = place.path().join("queries/of this");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(text(&output.stdout).contains(&format!("{} queries written to queries/of this", files.len())));
    let count = |status: &str| files.iter().filter(|file| file.to_str().unwrap().contains(status)).count();
    assert!(count("-sat-") > 10 && count("-unsat-") >= 5, "{files:?}");
    let has_z3 = Command::new("z3").arg("--version").output().is_ok();
    assert!(has_z3 || std::env::var_os("PESSIMUM_REQUIRE_TOOLS").is_none(), "z3 is not installed");
    for file in files.iter().step_by(5) {
        let name = file.file_name().unwrap().to_str().unwrap();
        let status = name.split('-').nth(2).unwrap();
        let query = std::fs::read_to_string(file).unwrap();
        assert!(query.contains(&format!("(set-info :status {status})")), "{name}: {query}");
        if has_z3 {
            let answer = Command::new("z3").arg(file).output().unwrap();
            assert_eq!((answer.status.code(), text(&answer.stdout).trim()), (Some(0), status), "{name}");
        }
    }
    let again = pessimum(place.path(), None, "evosuite/validators.wasm", &words);
    assert_eq!(again.status.code(), Some(2));
    assert!(text(&again.stderr).contains("the directory is not empty"), "{}", text(&again.stderr));
    assert_eq!(std::fs::read_dir(&directory).unwrap().count(), files.len());
}
