//! What a search finds is printed and kept whatever happens to the disk, one directory has one owner, and a directory
//! received from somebody else holds data only.
#![cfg(unix)]

use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

const SORT: [&str; 5] = ["subjects/own/insertion_sort.wasm", "--call", "sort(i32[n], n)", "--size", "6"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn pessimum() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pessimum"));
    command.current_dir(root());
    command
}

fn directory(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("records").join(name);
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).unwrap();
    directory
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A finished search in this directory.
fn searched(out: &Path) -> Value {
    let output = pessimum().arg("worst").args(SORT).args(["--paths", "50", "--json", "--out"]).arg(out).output();
    serde_json::from_slice(&output.unwrap().stdout).unwrap()
}

fn saved(out: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(out.join("result.json")).unwrap()).unwrap()
}

fn fails(output: &Output, message: &str) {
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains(message) && !said.contains("panicked"), "{said}");
}

/// Of four that start at the same time exactly one gets the directory; the others say who has it.
#[test]
fn one_directory_has_one_owner() {
    for (command, flags) in
        [("worst", ["--size", "60", "--strategy", "ese"]), ("curve", ["--sizes", "40,60", "--strategy", "ese"])]
    {
        let out = directory(&format!("owner-{command}"));
        let start = |_| {
            let mut child = pessimum();
            child.arg(command).args(&SORT[..3]).args(flags).args(["--budget", "60s", "--out"]).arg(&out);
            child.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
        };
        let mut children: Vec<_> = (0..4).map(start).collect();
        let mut refused = Vec::new();
        // Those that were refused end by themselves; the owner would go on for a minute.
        while refused.len() < 3 {
            children.retain_mut(|child| match child.try_wait().unwrap() {
                Some(status) => {
                    let mut said = String::new();
                    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
                    refused.push((status.code(), said));
                    false
                }
                None => true,
            });
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        assert_eq!(children.len(), 1);
        assert!(children[0].try_wait().unwrap().is_none(), "the owner is still at work");
        for (code, said) in refused {
            assert_eq!(code, Some(1), "{said}");
            assert!(said.contains("another search is running there") && said.contains("another --out"), "{said}");
        }
        // A kill releases the directory.
        children[0].kill().unwrap();
        children[0].wait().unwrap();
        searched(&out);
    }
}

/// A file may not grow beyond this many KiB, as on a full disk; the process is not killed for trying.
fn with_little_room(kib: u32) -> Command {
    let mut command = Command::new("bash");
    let script = format!("trap '' XFSZ; ulimit -S -f {kib}; exec \"$0\" \"$@\"");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_pessimum")]).current_dir(root());
    command
}

#[test]
fn a_full_disk_leaves_the_printed_result() {
    let out = directory("full");
    let output = with_little_room(16).arg("worst").args(SORT).args(["--paths", "50", "--out"]).arg(&out).output();
    let output = output.unwrap();
    fails(&output, "report.html");
    assert!(text(&output.stdout).contains("worst input"), "{}", text(&output.stdout));
    assert_eq!(saved(&out)["size"], 6, "what fits is saved");
    // Nothing but the journal fits.
    let out = directory("fuller");
    let output = with_little_room(2).arg("worst").args(SORT).args(["--paths", "50", "--out"]).arg(&out).output();
    let output = output.unwrap();
    fails(&output, "result.json");
    assert!(text(&output.stdout).contains("worst input"), "{}", text(&output.stdout));
    // A cost above the limit stays the more important news.
    let mut command = with_little_room(16);
    command.arg("worst").args(SORT).args(["--paths", "50", "--fail-above", "1", "--out"]).arg(&out);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
}

#[test]
fn a_full_disk_leaves_the_printed_curve() {
    let out = directory("full-curve");
    let mut command = with_little_room(8);
    command.arg("curve").args(&SORT[..3]).args(["--sizes", "4,5,6", "--paths", "30", "--chart", "none", "--out"]);
    let output = command.arg(&out).output().unwrap();
    fails(&output, "report.html");
    assert!(text(&output.stdout).contains("worst found"), "{}", text(&output.stdout));
    // With room again the curve is resumed, and complete.
    let output = pessimum().args(["curve", "--json", "--resume"]).arg(&out).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let curve: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(curve["points"].as_array().unwrap().len(), 3);
    assert!(out.join("n-6/report.html").exists() || out.join("report.html").exists());
}

/// A directory that nobody can write to, not even the user who may write everywhere; none if the machine has none.
fn unwritable() -> Option<PathBuf> {
    let place = PathBuf::from("/proc/sys/pessimum");
    let refused = std::fs::create_dir(&place).is_err();
    if !refused {
        println!("not tested: {} can be made", place.display());
    }
    refused.then_some(place)
}

#[test]
fn a_directory_that_cannot_be_written_to_is_no_reason_not_to_search() {
    let Some(place) = unwritable() else { return };
    let (sort, call) = (SORT[0], &SORT[..3]);
    let module = ["crates/cli/tests/cases/gate.wat", "--call=gate(i32, i32)"];
    for (command, words, found) in [
        ("worst", [&SORT[..], &["--paths=20"]].concat(), "worst input"),
        ("curve", [call, &["--sizes=2,3,4,5,6", "--paths=20", "--chart=none"]].concat(), "worst found"),
        ("pattern", [call, &["--sizes=2,3,4,5,6", "--paths=20"]].concat(), "pattern"),
        ("cover", [&module[..], &["--paths=20"]].concat(), "branches"),
        ("compare", [&[sort, sort][..], &SORT[1..], &["--paths=20"]].concat(), "verdict"),
    ] {
        let output = pessimum().arg(command).args(words).args(["--quiet", "--out"]).arg(&place).output().unwrap();
        fails(&output, "nothing was saved");
        fails(&output, "/proc/sys/pessimum");
        let printed = text(&output.stdout);
        assert!(printed.contains(found) && !printed.contains("written to"), "{command}: {printed}");
    }
    // What is asked for elsewhere is written, and a limit counts.
    let junit = directory("unwritable").join("j.xml");
    let mut command = pessimum();
    command.arg("worst").args(SORT).args(["--paths=20", "--fail-above=1", "--out"]).arg(&place);
    let output = command.arg("--junit").arg(&junit).output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    assert!(junit.is_file());
    // A name of something else is a mistake, and is said at once.
    let output = pessimum().arg("worst").args(SORT).args(["--paths=20", "--out", "Cargo.toml"]).output().unwrap();
    fails(&output, "Cargo.toml");
    assert_eq!(text(&output.stdout), "");
}

/// An earlier result is not given up for a search that cannot begin.
#[test]
fn a_full_disk_at_the_start_leaves_the_earlier_result() {
    let out = directory("full-start");
    let before = searched(&out);
    let output =
        with_little_room(1).args(["worst", "subjects/own/json.wasm", "--stdin", "5", "--out"]).arg(&out).output();
    fails(&output.unwrap(), "module.wasm");
    assert_eq!(saved(&out)["input"], before["input"]);
    assert!(pessimum().arg("replay").arg(&out).output().unwrap().status.success());
}

/// The journal goes on when there is room again.
#[test]
fn journaling_resumes_when_space_returns() {
    if Command::new("prlimit").arg("--version").output().is_err() {
        println!("prlimit is not on the machine: the disk cannot be made larger");
        return;
    }
    let out = directory("space");
    let mut command = with_little_room(3);
    command.args(["worst", "subjects/own/insertion_sort.wasm", "--call", "sort(i32[n], n)", "--size", "120"]);
    command.args(["--strategy", "ga", "--budget", "120s", "--out"]).arg(&out);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let (mut failed, mut works_again, mut shown) = (false, false, None::<u64>);
    for line in BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap) {
        if line.contains("the search continues, but cannot be resumed from here") {
            failed = true;
            let pid = child.id().to_string();
            assert!(Command::new("prlimit").args(["--pid", &pid, "--fsize=unlimited:"]).status().unwrap().success());
        }
        if let Some((_, cost)) = line.rsplit_once("  cost ") {
            shown = Some(cost.replace(',', "").parse().unwrap());
        }
        if line.contains("the search is being recorded again") {
            works_again = true;
            break;
        }
    }
    assert!(failed && works_again && shown.is_some());
    child.kill().unwrap();
    child.wait().unwrap();
    let output = pessimum().args(["worst", "--json", "--paths", "5", "--resume"]).arg(&out).output().unwrap();
    let resumed: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(resumed["cost"]["value"].as_u64() >= shown, "{resumed} is less than {shown:?}");
}

/// A finding that cannot be printed is saved, told, and makes the exit code an error.
#[test]
fn standard_output_that_takes_nothing_is_an_error() {
    let out = directory("stdout");
    let command = |out: &Path| {
        let mut command = pessimum();
        command.arg("worst").args(SORT).args(["--paths", "50", "--quiet", "--out"]).arg(out).stderr(Stdio::piped());
        command
    };
    if let Ok(full) = std::fs::File::options().write(true).open("/dev/full") {
        let output = command(&out).stdout(full).output().unwrap();
        fails(&output, "could not be printed");
        assert_eq!(saved(&out)["size"], 6);
    }
    let out = directory("closed");
    let mut child = command(&out).stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    fails(&output, "the worst input costs");
    assert_eq!(saved(&out)["size"], 6);
}

/// One thing that cannot be saved is no reason to leave out the others.
#[test]
fn a_failing_report_or_gate_leaves_the_rest() {
    let out = directory("failing");
    std::fs::create_dir_all(out.join("worst_test.rs")).unwrap();
    std::fs::create_dir_all(out.join("junit.xml")).unwrap();
    let mut command = pessimum();
    command.arg("worst").args(SORT).args(["--paths", "50", "--quiet", "--fail-above", "1000000"]);
    command.arg("--junit").arg(out.join("junit.xml")).args(["--emit", "rust", "--out"]).arg(&out);
    let output = command.output().unwrap();
    fails(&output, "junit.xml");
    assert!(text(&output.stderr).contains("worst_test.rs"), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("worst input"));
    assert_eq!(saved(&out)["size"], 6);
    assert!(out.join("report.html").exists());
}

/// Nothing is read or written through a link in a directory of results.
#[test]
fn links_in_a_directory_of_results_lead_nowhere() {
    let outside = directory("outside");
    let secret = outside.join("secret");
    std::fs::write(&secret, "the key").unwrap();
    let linked = |name: &str, target: &Path| {
        let out = directory(&format!("link-{}", name.replace('/', "-")));
        searched(&out);
        let _ = std::fs::remove_file(out.join(name));
        symlink(target, out.join(name)).unwrap();
        out
    };
    for name in ["result.json", "module.wasm"] {
        let out = linked(name, &secret);
        for command in ["replay", "shrink"] {
            let output = pessimum().arg(command).arg(&out).output().unwrap();
            fails(&output, "links are not followed");
        }
    }
    for name in ["journal.jsonl", ".lock"] {
        let out = linked(name, &secret);
        let output = pessimum().args(["worst", "--paths", "5", "--resume"]).arg(&out).output().unwrap();
        fails(&output, "links are not followed");
    }
    let out = linked("shrunk", &outside);
    fails(&pessimum().arg("shrink").arg(&out).output().unwrap(), "links are not followed");
    // What is written replaces a link.
    let out = linked("report.html", &secret);
    assert!(pessimum().arg("report").arg(&out).output().unwrap().status.success());
    assert!(!out.join("report.html").is_symlink());
    // The directories of a curve's sizes.
    let out = directory("link-sizes");
    let curve = ["--sizes", "4,5", "--paths", "20", "--chart", "none", "--out"];
    symlink(&outside, out.join("n-5")).unwrap();
    let output = pessimum().arg("curve").args(&SORT[..3]).args(curve).arg(&out).output().unwrap();
    fails(&output, "links are not followed");
    let inside: Vec<_> = std::fs::read_dir(&outside).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(inside, ["secret"]);
    assert_eq!(std::fs::read_to_string(&secret).unwrap(), "the key");
}

/// A module's debug information decides what a report asks for; only the user decides what it gets.
#[test]
fn a_report_shows_only_sources_that_the_user_points_at() {
    let base = directory("sources");
    for place in ["theirs/src", "mine"] {
        std::fs::create_dir_all(base.join(place)).unwrap();
    }
    std::fs::copy(root().join("subjects/own/insertion_sort.wasm"), base.join("theirs/src/sort.wasm")).unwrap();
    let (out, module) = (base.join("mine/out"), base.join("theirs/src/sort.wasm"));
    // The debug information names own/insertion_sort.c; this one is above the module's directory.
    std::fs::create_dir_all(base.join("theirs/own")).unwrap();
    std::fs::write(base.join("theirs/own/insertion_sort.c"), "// the secret line\n".repeat(60)).unwrap();
    let mut worst = Command::new(env!("CARGO_BIN_EXE_pessimum"));
    worst.current_dir(base.join("mine")).arg("worst").arg(&module).args(&SORT[1..]).args(["--paths", "50", "--out"]);
    assert!(worst.arg(&out).output().unwrap().status.success());
    let shows = |flags: &[&str]| {
        let mut report = Command::new(env!("CARGO_BIN_EXE_pessimum"));
        report.current_dir(base.join("mine")).arg("report").arg(&out).args(flags);
        assert!(report.output().unwrap().status.success());
        std::fs::read_to_string(out.join("report.html")).unwrap().contains("the secret line")
    };
    assert!(!std::fs::read_to_string(out.join("report.html")).unwrap().contains("the secret line"));
    assert!(!shows(&[]));
    assert!(shows(&["--sources", base.join("theirs").to_str().unwrap()]), "the user may point at it");
}

/// The files that a program was given are kept with the result, which can be moved.
#[test]
fn a_result_with_copied_files_can_be_moved() {
    let base = directory("moved");
    let (data, out, moved) = (base.join("data.txt"), base.join("out"), base.join("elsewhere"));
    std::fs::write(&data, "b a c\n").unwrap();
    let file = format!("words.txt={}", data.display());
    let flags = ["worst", "subjects/own/words.wasm", "--stdin", "3", "--file", &file, "--paths", "20", "--out"];
    let output = pessimum().args(flags).arg(&out).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    std::fs::remove_file(&data).unwrap();
    std::fs::rename(&out, &moved).unwrap();
    for command in [&["replay"][..], &["report"], &["shrink", "--paths", "20"], &["worst", "--paths", "5", "--resume"]]
    {
        let output = pessimum().args(command).arg(&moved).output().unwrap();
        assert!(output.status.success(), "{command:?}: {}", text(&output.stderr));
    }
    std::fs::write(moved.join("copy-1.bin"), "other").unwrap();
    fails(&pessimum().arg("replay").arg(&moved).output().unwrap(), "it has changed since it was recorded");
    std::fs::remove_file(moved.join("copy-1.bin")).unwrap();
    fails(&pessimum().arg("replay").arg(&moved).output().unwrap(), "copy-1.bin, the copy of");
}

/// Whatever numbers and texts somebody writes into a result: they are refused or shown, and nothing panics.
#[test]
fn a_result_with_any_value_in_any_place_is_no_danger() {
    let out = directory("any");
    searched(&out);
    let file = out.join("result.json");
    let good: Value = saved(&out);
    let mut places = Vec::new();
    leaves(&good, String::new(), &mut places);
    let hostile = [json!(u64::MAX), json!(-1), json!(1e308), json!("\u{1b}]0;x\u{7}\u{202e}../../etc"), json!([])];
    assert!(places.len() > 40, "{places:?}");
    for (index, place) in places.iter().enumerate() {
        let mut changed = good.clone();
        *changed.pointer_mut(place).unwrap() = hostile[index % hostile.len()].clone();
        // A run that is never cut off would be long, not dangerous.
        if place.ends_with("/limits/instructions") {
            continue;
        }
        std::fs::write(&file, changed.to_string()).unwrap();
        for command in ["replay", "report"] {
            let output = pessimum().arg(command).arg(&out).output().unwrap();
            let said = text(&output.stderr) + &text(&output.stdout);
            assert!(matches!(output.status.code(), Some(0 | 1)), "{command} {place}: {said}");
            assert!(!said.contains("panicked"), "{command} {place}: {said}");
            assert!(!said.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{command} {place}: {said:?}");
        }
    }
}

/// The places of all numbers and texts.
fn leaves(value: &Value, place: String, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                leaves(member, format!("{place}/{}", name.replace('~', "~0").replace('/', "~1")), found);
            }
        }
        Value::Array(members) => {
            for (index, member) in members.iter().take(2).enumerate() {
                leaves(member, format!("{place}/{index}"), found);
            }
        }
        _ => found.push(place),
    }
}

/// Names and arguments of others are text in every file that is written: they end no comment and hide nothing.
#[test]
fn texts_of_others_are_shown_as_escapes_in_every_file() {
    let out = directory("texts");
    let hostile = "*/ int x; /*\nfn evil() {}\r\u{202e}\u{1b}[2J";
    let (junit, sarif) = (out.join("junit.xml"), out.join("sarif.json"));
    let mut command = pessimum();
    command.args(["worst", "subjects/own/words.wasm", "--stdin", "2", "--arg", hostile, "--paths", "20"]);
    command.args(["--emit", "rust,c,json", "--fail-above", "1", "--out"]).arg(&out);
    let output = command.arg("--junit").arg(&junit).arg("--sarif").arg(&sarif).output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    let names = ["worst_test.rs", "worst_test.c", "worst_test.json", "result.json", "input.json", "report.html"];
    for file in names.map(|name| out.join(name)).iter().chain([&junit, &sarif]) {
        let written = std::fs::read_to_string(file).unwrap();
        let name = file.display();
        assert!(!written.contains(['\u{202e}', '\u{1b}', '\r']), "{name}");
        // A line end is nothing special in a page, where text is text.
        let is_page = file.ends_with("report.html");
        assert!(is_page || !written.lines().any(|line| line.starts_with("fn evil")), "{name}");
    }
    let test = std::fs::read_to_string(out.join("worst_test.c")).unwrap();
    let comment = test.split_once("*/").unwrap().0;
    assert!(comment.contains("* / int x;"), "the comment ends where we end it: {comment}");
    assert!(!(text(&output.stdout) + &text(&output.stderr)).contains(['\u{202e}', '\u{1b}']));
}
