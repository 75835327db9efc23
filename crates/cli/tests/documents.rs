//! Every command that the documents show is run, and its output is what they show: one test for each document.
//!
//! In `README.md` and `docs/**/*.md`, inside a code block, a line `$ COMMAND` is a command; what follows, up to the next
//! command or the end of the block, is its output: standard output, or standard error where that is empty (what a
//! search writes there while it runs is gone from a terminal when it ends). The commands of one document
//! run in its order in one scratch copy of the repository; `cargo run --release --` is the command `pessimum` there.
//! A command without shown output has to succeed, unless `echo $?` comes next. `PESSIMUM_ACCEPT=1` writes the real output
//! into the documents.
//!
//! Comments before a block say more about it:
//!
//! - `<!-- varies: LABEL | LABEL -->`: what a search happens to find, which is shown as it once was and not compared;
//!   `expected/mod.rs` explains how, and what else is not compared.
//! - `<!-- prints: TEXT -->`: each command of the block prints this text somewhere, whatever varies.
//! - `<!-- needs: TOOL -->`: without that tool on the machine the block is left out, with a message; with
//!   PESSIMUM_REQUIRE_TOOLS=1 it fails.
//! - `<!-- not run: REASON -->`: the block is only shown. There may be no more of these than [`NOT_RUN`] says.

mod expected;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use libtest_mimic::{Arguments, Failed, Trial};

/// The most blocks that may be shown but not run, in all documents together. They install software or need other
/// machines.
const NOT_RUN: usize = 8;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn main() {
    let arguments = Arguments::from_args();
    let root = root();
    let mut documents = vec![root.join("README.md")];
    collect(&root.join("docs"), &mut documents);
    let mut trials = Vec::new();
    for document in &documents {
        let name = document.strip_prefix(&root).unwrap().display().to_string();
        let document = document.clone();
        trials.push(Trial::test(name.clone(), move || shown_output_is_real(&document, &name)));
    }
    let test = |name: &str, run: fn()| {
        Trial::test(name, move || {
            run();
            Ok(())
        })
    };
    trials.push(Trial::test("few_blocks_are_not_run", move || few_blocks_are_not_run(&documents)));
    trials.push(test("examples_of_the_help_succeed", examples_of_the_help_succeed));
    trials.push(test("blocks_are_read", blocks_are_read));
    trials.push(test("comparison", expected::check));
    libtest_mimic::run(&arguments, trials).exit();
}

fn shown_output_is_real(document: &Path, name: &str) -> Result<(), Failed> {
    let accept = std::env::var_os("PESSIMUM_ACCEPT").is_some();
    let text = std::fs::read_to_string(document)?;
    let lines: Vec<&str> = text.lines().collect();
    let mut failures = String::new();
    let blocks = blocks(&lines, name, &mut failures);
    let scratch = Scratch::new(&root(), name);
    let mut written: Vec<(usize, usize, Vec<String>)> = Vec::new();
    for block in blocks.iter().filter(|block| !block.not_run) {
        if let Some(tool) = block.needs.iter().find(|tool| !is_there(tool)) {
            let what = format!("{name}:{}: needs {tool}, which is not on this machine", block.commands[0].line + 1);
            match std::env::var_os("PESSIMUM_REQUIRE_TOOLS") {
                Some(_) => writeln!(failures, "{what}")?,
                _ => println!("left out: {what}"),
            }
            continue;
        }
        for (number, shown) in block.commands.iter().enumerate() {
            let asked = block.commands.get(number + 1).is_some_and(|next| next.command == "echo $?");
            let (found, code) = scratch.run(&shown.command);
            let place = format!("{name}:{}: $ {}", shown.line + 1, shown.command);
            if shown.output.is_empty() {
                if code != 0 && !asked {
                    writeln!(failures, "{place}\nends with exit code {code}:\n{found}")?;
                }
                continue;
            }
            let mut found: Vec<String> = found.lines().map(|line| line.trim_end().to_string()).collect();
            while found.last().is_some_and(String::is_empty) {
                found.pop();
            }
            if block.rules.agree(&shown.output, &found) {
                continue;
            }
            if accept && !shown.output.iter().any(|line| line.trim() == "...") {
                let indent = &block.indent;
                let line = |line: &String| format!("{indent}{line}").trim_end().to_string();
                written.push((shown.first, shown.last, found.iter().map(line).collect()));
            } else {
                let (shown, found) = (shown.output.join("\n"), found.join("\n"));
                writeln!(failures, "{place}\n=== shown\n{shown}\n=== found\n{found}\n")?;
            }
        }
    }
    if !written.is_empty() {
        let mut lines: Vec<String> = lines.iter().map(|line| line.to_string()).collect();
        for (first, last, output) in written.into_iter().rev() {
            lines.splice(first..last, output);
        }
        std::fs::write(document, lines.join("\n") + "\n")?;
    }
    match failures.is_empty() {
        true => Ok(()),
        false => Err(format!("{failures}\n(PESSIMUM_ACCEPT=1 writes what was found into the documents)").into()),
    }
}

fn few_blocks_are_not_run(documents: &[PathBuf]) -> Result<(), Failed> {
    let (mut not_run, mut commands) = (0, 0);
    for document in documents {
        let text = std::fs::read_to_string(document)?;
        let lines: Vec<&str> = text.lines().collect();
        for block in blocks(&lines, &document.display().to_string(), &mut String::new()) {
            not_run += usize::from(block.not_run);
            commands += if block.not_run { 0 } else { block.commands.len() };
        }
    }
    assert!(commands > 10, "only {commands} commands were found in the documents");
    assert!(not_run <= NOT_RUN, "{not_run} blocks are not run, more than the {NOT_RUN} that are meant to be");
    Ok(())
}

/// Every example of every `--help` does what it says: it succeeds.
fn examples_of_the_help_succeed() {
    let scratch = Scratch::new(&root(), "help");
    let (help, _) = scratch.run("pessimum help");
    let names: Vec<String> = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        // What a command does may go on below it.
        .filter_map(|line| line.strip_prefix("  ").filter(|line| !line.starts_with(' ')))
        .filter_map(|line| line.split_whitespace().next().map(str::to_string))
        .filter(|name| name != "help")
        .collect();
    assert!(names.len() >= 7, "{names:?}");
    let mut without = Vec::new();
    for name in &names {
        let (text, code) = scratch.run(&format!("pessimum help {name}"));
        assert_eq!(code, 0, "{name}");
        // Long ones are on several lines.
        let text = text.replace("\\\n", "");
        let examples: Vec<&str> = text.lines().filter_map(|line| line.trim_start().strip_prefix("$ ")).collect();
        if examples.is_empty() {
            without.push(name);
        }
        for example in examples {
            let (output, code) = scratch.run(example);
            // The example of a gate shows the exit code of a gate.
            let expected = i32::from(example.contains("--fail-above")) * 3;
            assert_eq!(code, expected, "help {name}: $ {example}\n{output}");
        }
    }
    assert!(without.is_empty(), "no examples in the help of {without:?}");
}

/// One command and the output that is shown for it.
struct Shown {
    /// Index of the command's line.
    line: usize,
    command: String,
    /// Without indentation, blank lines at the end left out.
    output: Vec<String>,
    /// The lines of the output in the document.
    first: usize,
    last: usize,
}

struct Block {
    indent: String,
    rules: expected::Rules,
    needs: Vec<String>,
    not_run: bool,
    commands: Vec<Shown>,
}

/// The code blocks that hold commands. One without a marked command, but with a line that looks like one, is a failure.
fn blocks(lines: &[&str], name: &str, failures: &mut String) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut at = 0;
    let (mut needs, mut not_run, mut rules) = (Vec::new(), false, expected::Rules::default());
    while at < lines.len() {
        let line = lines[at];
        let (indent, first, last, next) = if line.starts_with("```") {
            let end = (at + 1..lines.len()).find(|&end| lines[end].starts_with("```")).unwrap_or(lines.len());
            (String::new(), at + 1, end, end + 1)
        } else if line.starts_with("    ") && (at == 0 || lines[at - 1].is_empty()) {
            let is_code = |line: &str| line.is_empty() || line.starts_with("    ");
            let end = (at..lines.len()).find(|&end| !is_code(lines[end])).unwrap_or(lines.len());
            let last = (at..end).rev().find(|&line| !lines[line].is_empty()).map_or(end, |line| line + 1);
            ("    ".to_string(), at, last, end)
        } else {
            let comment = line.trim().strip_prefix("<!-- ").and_then(|rest| rest.strip_suffix(" -->"));
            match comment.map(|comment| comment.split_once(": ").unwrap_or((comment, ""))) {
                Some(("needs", tool)) => needs.push(tool.to_string()),
                Some(("not run", reason)) => {
                    assert!(!reason.is_empty(), "{name}:{}: say why it is not run", at + 1);
                    not_run = true;
                }
                Some((name, value)) if rules.add(&format!("{name}: {value}")) => {}
                _ if line.is_empty() => {}
                // A marker is for the next block only, and only if nothing is in between.
                _ => (needs, not_run, rules) = (Vec::new(), false, expected::Rules::default()),
            }
            at += 1;
            continue;
        };
        let commands = shown(lines, first, last, &indent);
        for (number, line) in lines.iter().enumerate().take(last).skip(first) {
            let text = line.trim_start();
            if commands.is_empty() && !not_run && (text.starts_with("pessimum ") || text.starts_with("cargo run ")) {
                writeln!(failures, "{name}:{}: write `$ ` before a command, so that it is run", number + 1).unwrap();
            }
        }
        if !commands.is_empty() || not_run {
            let (needs, rules) = (std::mem::take(&mut needs), std::mem::take(&mut rules));
            blocks.push(Block { indent, rules, needs, not_run, commands });
        }
        (needs, not_run, rules) = (Vec::new(), false, expected::Rules::default());
        at = next;
    }
    blocks
}

fn shown(lines: &[&str], first: usize, last: usize, indent: &str) -> Vec<Shown> {
    let text = |at: usize| lines[at].strip_prefix(indent).unwrap_or("");
    let mut commands: Vec<Shown> = Vec::new();
    let mut at = first;
    while at < last {
        let Some(command) = text(at).strip_prefix("$ ") else {
            if let Some(open) = commands.last_mut() {
                open.output.push(text(at).trim_end().to_string());
                open.last = at + 1;
            }
            at += 1;
            continue;
        };
        let (line, mut command) = (at, command.to_string());
        while let Some(start) = command.strip_suffix('\\') {
            at += 1;
            command = format!("{}{}", start.trim_end_matches(' '), format_args!(" {}", text(at).trim_start()));
        }
        at += 1;
        commands.push(Shown { line, command, output: Vec::new(), first: at, last: at });
    }
    for command in &mut commands {
        while command.output.last().is_some_and(String::is_empty) {
            command.output.pop();
            command.last -= 1;
        }
    }
    commands
}

/// A copy of what the documents' commands use, where they may write.
struct Scratch {
    directory: PathBuf,
    last: std::cell::Cell<i32>,
}

impl Scratch {
    fn new(root: &Path, name: &str) -> Scratch {
        let name: String = name.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("documents").join(name);
        let _ = std::fs::remove_dir_all(&directory);
        for part in ["subjects", "docs", "guest"] {
            copy(&root.join(part), &directory.join(part));
        }
        Scratch { directory, last: std::cell::Cell::new(0) }
    }

    /// Runs a command line in a shell. Returns its output and exit code. `$?` is that of the command before.
    fn run(&self, command: &str) -> (String, i32) {
        let mut command = command.to_string();
        for cargo in ["cargo run --release -q -- ", "cargo run --release -- "] {
            if let Some(rest) = command.strip_prefix(cargo) {
                command = format!("pessimum {rest}");
            }
        }
        let program = command.split_whitespace().next().unwrap_or_default();
        assert!(
            matches!(program, "pessimum" | "cat" | "echo" | "head" | "ls" | "clang" | "rustc" | "xxd"),
            "the test does not run `{program}`: {command}"
        );
        let binary = Path::new(env!("CARGO_BIN_EXE_pessimum")).parent().unwrap();
        let path = std::env::var("PATH").unwrap_or_default();
        let output = Command::new("sh")
            .arg("-c")
            .arg(format!("(exit {})\n{command}", self.last.get()))
            .current_dir(&self.directory)
            .env("PATH", format!("{}:{path}", binary.display()))
            .env("XDG_CACHE_HOME", Path::new(env!("CARGO_TARGET_TMPDIR")).join("documents-cache"))
            .env_remove("PESSIMUM_ACCEPT")
            .stdin(std::process::Stdio::null())
            .output()
            .unwrap();
        let code = output.status.code().unwrap_or(-1);
        self.last.set(code);
        let shown = if output.stdout.is_empty() { &output.stderr } else { &output.stdout };
        (String::from_utf8_lossy(shown).into_owned(), code)
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type().unwrap().is_dir() {
            if entry.file_name() != "target" {
                copy(&path, &target);
            }
        } else {
            std::fs::copy(&path, &target).unwrap();
        }
    }
}

fn collect(directory: &Path, documents: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            collect(&entry, documents);
        } else if entry.extension().is_some_and(|extension| extension == "md") {
            documents.push(entry);
        }
    }
}

/// Whether a program is on the machine. `wasm32-unknown-unknown` and the like are targets of rustc.
fn is_there(tool: &str) -> bool {
    if tool.starts_with("wasm32-") {
        let installed = Command::new("rustc").args(["--print", "target-libdir", "--target", tool]).output();
        return installed.is_ok_and(|output| Path::new(String::from_utf8_lossy(&output.stdout).trim()).is_dir());
    }
    Command::new(tool).arg("--version").output().is_ok_and(|output| output.status.success())
}

fn blocks_are_read() {
    let document =
        "x\n\n    $ pessimum a \\\n        b\n    out\n\n    more\n\ny\n\n<!-- not run: why -->\n\n    pessimum c\n";
    let text: Vec<&str> = document.lines().collect();
    let mut failures = String::new();
    let found = blocks(&text, "test", &mut failures);
    assert_eq!(failures, "");
    assert_eq!((found.len(), found[1].not_run), (2, true));
    let shown = &found[0].commands[0];
    assert_eq!((shown.command.as_str(), shown.output.join("|")), ("pessimum a b", "out||more".to_string()));
}
