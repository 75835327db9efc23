//! Command-line tests as files: one test for each `tests/cases/NAME.txt`, named after it.
//!
//! A file contains commands, each with its exit code and its exact output below. They run in a shell at the root of the
//! repository, one after the other; `$TMP` is an empty directory for this file alone. Lines before the first command are remarks:
//! `# varies: LABEL | ...` names what a search happens to find and is not compared (see `expected/mod.rs`). Times are written
//! as `T s`; lines of progress, which depend on timing, are left out. `PESSIMUM_ACCEPT=1` writes what was found.
//! `# needs: python3` says that the file is for machines that have this command; elsewhere the test passes, and fails with
//! `PESSIMUM_REQUIRE_TOOLS=1`.
//!
//! `cargo test -p pessimum --test cases worst_sort` runs one of them.

mod expected;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use libtest_mimic::{Arguments, Failed, Trial};

fn main() {
    let arguments = Arguments::from_args();
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut files: Vec<PathBuf> = std::fs::read_dir(directory)
        .expect("the directory of the cases")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .collect();
    files.sort();
    let name = |file: &Path| file.file_stem().expect("a file").to_string_lossy().into_owned();
    let mut trials: Vec<Trial> =
        files.into_iter().map(|file| Trial::test(name(&file), move || check(&file, &name(&file)))).collect();
    trials.push(Trial::test("comparison", || {
        expected::check();
        Ok(())
    }));
    trials.push(Trial::test("what_is_left_out_is_run_by_ci", what_is_left_out_is_run_by_ci));
    libtest_mimic::run(&arguments, trials).exit();
}

/// What takes long is in targets that `cargo test --workspace` leaves out. It says so, and `.ci/run` names each of them.
fn what_is_left_out_is_run_by_ci() -> Result<(), Failed> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let steps = std::fs::read_to_string(root.join(".ci/run"))?;
    let mut left_out = BTreeSet::new();
    for manifest in ["crates", "bench", "fuzz", "subjects"].iter().flat_map(|place| manifests(&root.join(place))) {
        let manifest: toml::Table = std::fs::read_to_string(manifest)?.parse()?;
        let tests = manifest.get("test").and_then(toml::Value::as_array).into_iter().flatten();
        let is_left_out = |test: &&toml::Value| test.get("test").and_then(toml::Value::as_bool) == Some(false);
        left_out.extend(tests.filter(is_left_out).filter_map(|test| test["name"].as_str().map(str::to_string)));
    }
    println!("left out of `cargo test --workspace`, and run by `.ci/run thorough sweeps`: {left_out:?}");
    match left_out.iter().find(|name| !steps.contains(&format!("--test {name}"))) {
        None => Ok(()),
        Some(name) => Err(format!(".ci/run does not run `--test {name}`").into()),
    }
}

/// The manifest of this directory and those of the directories in it.
fn manifests(directory: &Path) -> Vec<PathBuf> {
    let inside = std::fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path());
    [directory.to_path_buf()]
        .into_iter()
        .chain(inside)
        .map(|place| place.join("Cargo.toml"))
        .filter(|file| file.is_file())
        .collect()
}

/// Runs the commands of one file.
fn check(file: &Path, name: &str) -> Result<(), Failed> {
    let text = std::fs::read_to_string(file)?;
    let mut lines = text.lines().peekable();
    let mut rules = expected::Rules::default();
    let mut found = String::new();
    while let Some(remark) = lines.next_if(|line| line.starts_with("# ")) {
        if let Some(tool) = remark.strip_prefix("# needs: ").filter(|tool| !is_there(tool)) {
            return match std::env::var_os("PESSIMUM_REQUIRE_TOOLS") {
                Some(_) => Err(format!("{tool} is not on the machine").into()),
                None => {
                    eprintln!("{name}: {tool} is not on the machine");
                    Ok(())
                }
            };
        }
        rules.add(&remark[2..]);
        writeln!(found, "{remark}")?;
    }
    let expected: Vec<String> = lines.map(str::to_string).collect();
    if !expected.first().is_some_and(|line| line.starts_with("$ ")) {
        return Err("the first line after the remarks must be a command, `$ pessimum ...`".into());
    }
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cases").join(name);
    let _ = std::fs::remove_dir_all(&scratch);
    std::fs::create_dir_all(&scratch)?;
    let mut output: Vec<String> = Vec::new();
    for command in expected.iter().filter_map(|line| line.strip_prefix("$ ")) {
        output.push(format!("$ {command}"));
        run(command, &scratch, &mut output)?;
    }
    if rules.agree(&expected, &output) {
        return Ok(());
    }
    for line in &output {
        writeln!(found, "{line}")?;
    }
    if std::env::var_os("PESSIMUM_ACCEPT").is_some() {
        std::fs::write(file, found)?;
        return Ok(());
    }
    Err(format!("=== expected\n{text}=== found\n{found}(PESSIMUM_ACCEPT=1 accepts what was found)").into())
}

/// Whether a command is on the machine; Python only if it is one that can be searched.
fn is_there(tool: &str) -> bool {
    let asked = match tool {
        "python3" => "import sys; sys.exit(sys.version_info < (3, 10))",
        _ => "",
    };
    let mut command = Command::new(tool);
    match asked {
        "" => command.arg("--version"),
        asked => command.args(["-c", asked]),
    };
    command.output().is_ok_and(|output| output.status.success())
}

/// Adds what a command prints, in the form of the files.
fn run(command: &str, scratch: &Path, lines: &mut Vec<String>) -> Result<(), Failed> {
    let binary = Path::new(env!("CARGO_BIN_EXE_pessimum")).parent().expect("a file");
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new("sh")
        .args(["-c", command])
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
        .env("PATH", format!("{}:{path}", binary.display()))
        .env("TMP", scratch)
        .output()?;
    lines.push(format!("exit {}", output.status.code().ok_or("killed by a signal")?));
    let temporary = scratch.to_string_lossy();
    for (name, stream) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
        let text = String::from_utf8_lossy(stream).replace(&*temporary, "$TMP");
        let is_progress = |line: &str| name == "stderr" && line.starts_with(" T s  ") && line.contains("  cost ");
        let shown = text.lines().map(expected::normalised).filter(|line| !is_progress(line));
        let mut shown = shown.peekable();
        if shown.peek().is_some() {
            lines.push(format!("--- {name}"));
            lines.extend(shown);
        }
    }
    Ok(())
}
