//! What tests of source files share: the command with a cache of its own, and whether a compiler is on the machine.

use std::path::{Path, PathBuf};
use std::process::Output;

use assert_cmd::Command;
use serde_json::Value;

pub fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sources")
}

/// A fresh directory for one test.
pub fn fresh(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sources").join(name);
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).unwrap();
    directory
}

/// The command, with a cache of the test's own.
pub fn pessimum(directory: &Path, here: &Path, words: &[&str]) -> Command {
    let mut command = Command::cargo_bin("pessimum").unwrap();
    command.current_dir(here).env("XDG_CACHE_HOME", directory.join("cache")).args(words);
    // Zig's cache of its own library takes long to make and is not what is tested.
    command.env("ZIG_GLOBAL_CACHE_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("zig"));
    for variable in ["PESSIMUM_CC", "PESSIMUM_RUSTC", "PESSIMUM_ZIG", "PESSIMUM_ASC", "PESSIMUM_CARGO"] {
        command.env_remove(variable);
    }
    command
}

/// Runs the command among the test sources.
pub fn run(directory: &Path, words: &[&str]) -> Output {
    pessimum(directory, &sources(), words).output().unwrap()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

pub fn parsed(output: &Output) -> Value {
    assert!(output.status.success(), "{}", stderr(output));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Whether the compiler for this file is on the machine; says so where it is not. All tests share the cache of these
/// questions, also with `cache.rs`, because some compilers take seconds.
pub fn can_compile(file: &str) -> bool {
    let output = run(&Path::new(env!("CARGO_TARGET_TMPDIR")).join("probes"), &["inspect", file]);
    let said = stderr(&output);
    let missing = ["was found: install", "rustup target add", "hint: this needs the C++ library"]
        .iter()
        .any(|text| said.contains(text));
    if !missing {
        assert!(output.status.success(), "{said}");
        return true;
    }
    assert!(std::env::var_os("PESSIMUM_REQUIRE_TOOLS").is_none(), "{said}");
    println!("not tested, the compiler is missing: {said}");
    false
}
