//! Which programs are started: those in absolute directories of PATH, never those of the current directory.
#![cfg(unix)]

#[allow(dead_code)] // other tests use the rest
use std::path::Path;

use crate::compiling::{can_compile, fresh, pessimum, stderr};

/// A program that leaves a file behind when it is run.
fn trap(directory: &Path, name: &str) {
    let path = directory.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let ran = directory.join("ran");
    std::fs::write(&path, format!("#!/bin/sh\necho {name} >> {}\nexit 1\n", ran.display())).unwrap();
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
}

/// Runs the command in a directory of traps, which comes first in PATH under every name that it can have there.
fn among_traps(directory: &Path, words: &[&str]) -> std::process::Output {
    for name in
        ["clang", "wasm-ld", "wasm-ld-19", "wasm-opt", "z3", "python3", "python", "git", "asc", "node", "rustfmt"]
    {
        trap(directory, name);
    }
    trap(directory, "node_modules/.bin/asc");
    let path = std::env::var("PATH").unwrap();
    let mut command = pessimum(directory, directory, words);
    let output = command.env("PATH", format!(".::./:{path}")).env_remove("VIRTUAL_ENV").output().unwrap();
    let ran = std::fs::read_to_string(directory.join("ran")).unwrap_or_default();
    assert_eq!(ran, "", "{words:?} ran these: {}", stderr(&output));
    output
}

#[test]
fn compilers_and_linkers_of_the_current_directory_are_not_run() {
    let directory = fresh("path-c");
    std::fs::write(directory.join("f.c"), "int f(int x) { return x + 1; }\n").unwrap();
    let output = among_traps(&directory, &["run", "f.c", "--call", "f(41)"]);
    if can_compile("asks.c") {
        assert!(output.status.success(), "{}", stderr(&output));
    }
}

#[test]
fn a_solver_of_the_current_directory_is_not_run() {
    let directory = fresh("path-z3");
    let module = r#"(module (func (export "f") (param i32) (if (i32.eqz (local.get 0)) (then (nop)))))"#;
    std::fs::write(directory.join("f.wat"), module).unwrap();
    let output = among_traps(&directory, &["paths", "f.wat", "--call", "f(i32)", "--validate"]);
    assert!(output.status.success(), "{}", stderr(&output));
}

#[test]
fn an_interpreter_of_the_current_directory_is_not_run() {
    let directory = fresh("path-python");
    // What the program itself starts gets the same list of directories.
    let program = "import os\ndef f(x: int) -> str:\n    return os.environ['PATH']\n";
    std::fs::write(directory.join("f.py"), program).unwrap();
    let output = among_traps(&directory, &["run", "f.py", "--call", "f(1)", "--json"]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.is_empty() || !said.contains(".::"), "{said}");
}

/// The compiler that npm keeps for a project is the project's, and is run if it is named.
#[test]
fn a_compiler_of_the_project_is_run_only_if_it_is_named() {
    let directory = fresh("path-asc");
    std::fs::write(directory.join("f.ts"), "export function f(x: i32): i32 { return x; }\n").unwrap();
    among_traps(&directory, &["inspect", "f.ts"]);
    let mut command = pessimum(&directory, &directory, &["inspect", "f.ts"]);
    let output = command.env("PATH", "/nowhere").output().unwrap();
    assert!(stderr(&output).contains("PESSIMUM_ASC=node_modules/.bin/asc"), "{}", stderr(&output));
    assert!(!directory.join("ran").exists());
    let mut command = pessimum(&directory, &directory, &["inspect", "f.ts"]);
    command.env("PESSIMUM_ASC", "node_modules/.bin/asc").output().unwrap();
    assert!(directory.join("ran").exists(), "it is the one that was named");
}
