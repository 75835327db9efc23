//! A search, a curve or a suite that is killed at any moment can be resumed, from at least what it printed last.
//!
//! `PESSIMUM_KILLS=500 cargo test -p pessimum --test thorough -- --nocapture killed` kills each of them 500 times.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use pessimum_report::curve::CurveResult;
use pessimum_search::random::Random;
use serde_json::Value;

/// How often searches are killed, and how often curves.
fn kills(usual: usize) -> usize {
    std::env::var("PESSIMUM_KILLS").map_or(usual, |count| count.parse().unwrap())
}

/// How often one search is killed, each time but the first in a resumed part of it.
const KILLS: usize = 5;

const SUBJECTS: [&[&str]; 4] = [
    &["subjects/own/insertion_sort.wasm", "--call", "sort(i32[n], n)", "--size", "40", "--strategy", "ese"],
    &["subjects/own/insertion_sort.wasm", "--call", "sort(i32[n], n)", "--size", "30", "--strategy", "ga"],
    &["subjects/own/hash_table.wasm", "--call", "fill(u8[6*n], n, out i32[2*n])", "--size", "12", "--threads", "2"],
    &["subjects/own/imports.wasm", "--entry", "run", "--size", "20", "--strategy", "random"],
];

fn pessimum() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pessimum"));
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
    command
}

fn directory(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kill").join(name);
    let _ = std::fs::remove_dir_all(&directory);
    directory
}

/// Starts a search and kills it this long after its first line, or at once. Returns the last number that it printed after this
/// word. The search may also have ended before.
fn killed(command: &mut Command, after: Option<Duration>, word: &str) -> Option<u64> {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut text = String::new();
    if let Some(after) = after {
        stderr.read_line(&mut text).unwrap();
        std::thread::sleep(after);
    }
    child.kill().unwrap();
    stderr.read_to_string(&mut text).unwrap();
    let status = child.wait().unwrap();
    assert!(matches!(status.code(), None | Some(0)), "{text}");
    let lines = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
    let (_, number) = lines.filter_map(|line| line.rsplit_once(&format!("  {word} "))).next_back()?;
    Some(number.split_whitespace().next().unwrap().replace(',', "").parse().unwrap())
}

/// The best cost in a journal. All lines but the last must be whole.
fn recorded(directory: &Path) -> Option<u64> {
    let text = std::fs::read_to_string(directory.join("journal.jsonl")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let mut best = None;
    for (index, line) in lines.iter().enumerate() {
        match serde_json::from_str::<Value>(line) {
            Ok(entry) if entry["event"] == "best" => {
                for step in entry["steps"].as_array().unwrap() {
                    assert!(step[2].as_u64() > best, "{line}: no improvement");
                    best = step[2].as_u64();
                }
            }
            Ok(_) => {}
            Err(error) => assert_eq!(index + 1, lines.len(), "{line}: {error}"),
        }
    }
    best
}

/// When a search is killed is drawn at random, and how far it gets until then is not repeatable, so no assertion
/// depends on it.
#[test]
fn a_killed_search_goes_on_from_what_it_printed() {
    let mut random = Random::new(6);
    let searches = kills(30).div_ceil(KILLS);
    for search in 0..searches {
        let subject = SUBJECTS[search % SUBJECTS.len()];
        let out = directory(&search.to_string());
        // The best that is known of this search, printed or recorded.
        let mut known: Option<u64> = None;
        for kill in 0..KILLS {
            let context = format!("search {search}, kill {kill}");
            let mut command = pessimum();
            command.arg("worst");
            if out.join("journal.jsonl").exists() {
                command.arg("--resume").arg(&out);
            } else {
                command.args(subject).arg("--out").arg(&out).args(["--seed", &search.to_string()]);
            }
            let at_once = random.below(5) == 0;
            let after = (!at_once).then(|| Duration::from_millis(random.below(100)));
            // A part that finds nothing better prints nothing, and is killed when it has ended; the last part is
            // short, so that it is killed at about the time when it saves its result.
            let paths = if kill + 1 < KILLS { "2000" } else { "20" };
            let printed = killed(command.args(["--budget", "none", "--paths", paths]), after, "cost");
            if kill == 0 && !at_once {
                assert!(printed.is_some(), "{context}: the first path of a search is printed");
            }
            if !out.join("journal.jsonl").exists() {
                assert_eq!(printed, None, "{context}: what is printed is in the journal");
                continue;
            }
            let best = recorded(&out);
            assert!(best >= printed && best >= known, "{context}: {best:?} is less than {printed:?} or {known:?}");
            if let Ok(partial) = std::fs::read(out.join("result.json")) {
                let partial: Value = serde_json::from_slice(&partial).unwrap();
                assert!(partial["cost"]["value"].as_u64() <= best, "{context}");
                let last = partial["progress"].as_array().unwrap().last().unwrap();
                assert_eq!(last[2], partial["cost"]["value"], "{context}");
            }
            let output =
                pessimum().args(["worst", "--resume"]).arg(&out).args(["--paths", "5", "--json"]).output().unwrap();
            let message = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(0), "{context}: {message}");
            let found: Value = serde_json::from_slice(&output.stdout).unwrap();
            assert!(found["cost"]["value"].as_u64() >= best, "{context}: worse than recorded");
            assert_eq!(found["stopped"], "paths", "{context}");
            let earlier = found["resumed"]["paths"].as_u64().unwrap();
            assert_eq!(found["paths"].as_u64(), Some(earlier + 5), "{context}: the budget of paths is exact");
            let costs: Vec<u64> =
                found["progress"].as_array().unwrap().iter().map(|step| step[2].as_u64().unwrap()).collect();
            assert!(costs.is_sorted_by(|x, y| x < y), "{context}: {costs:?}");
            known = recorded(&out);
            assert_eq!(known, found["cost"]["value"].as_u64(), "{context}");
            assert_eq!(known, costs.last().copied(), "{context}");
        }
    }
    println!("{} kills of {searches} searches: nothing printed was lost", searches * KILLS);
}

/// Searches for suites, and how those are resumed that search no further.
const SUITES: [(&[&str], &str, &str); 3] = [
    (&["cover", "subjects/own/json.wasm", "--stdin", "n", "--sizes", "0..12"], "--paths=0", "cover.jsonl"),
    (
        &["suite", "subjects/evosuite/foo_bar.wasm", "--api-file=subjects/evosuite/foo_bar.api"],
        "--paths=1",
        "suite.jsonl",
    ),
    (
        &["cover", "subjects/own/hash_table.wasm", "--call", "fill(u8[6*n], n, out i32[2*n])", "--size", "9"],
        "--paths=0",
        "cover.jsonl",
    ),
];

/// Killed at any moment, also while it makes the suite and saves it, a search for a suite covers what it printed when it is
/// resumed.
#[test]
fn a_killed_suite_covers_what_it_printed() {
    let mut random = Random::new(8);
    let searches = kills(6).div_ceil(2);
    for search in 0..searches {
        let (words, no_more, journal) = SUITES[search % SUITES.len()];
        let out = directory(&format!("suite-{search}"));
        let mut known = None;
        for kill in 0..2 {
            let mut command = pessimum();
            match (out.join(journal).exists(), words[0]) {
                (false, _) => command.args(words).arg("--out").arg(&out),
                (true, "cover") => command.args(["cover", "--resume"]).arg(&out),
                (true, _) => command.args(words).arg("--resume").arg(&out),
            };
            let after = (random.below(6) > 0).then(|| Duration::from_millis(random.below(2500)));
            let printed = killed(command.args(["--budget", "2s"]), after, "covered");
            if !out.join(journal).exists() {
                assert_eq!(printed, None, "search {search}, kill {kill}: what is printed is in the journal");
                continue;
            }
            known = known.max(printed);
            let mut command = pessimum();
            match words[0] {
                "cover" => command.args(["cover", "--resume"]).arg(&out),
                _ => command.args(words).arg("--resume").arg(&out),
            };
            let output = command.args([no_more, "--json"]).output().unwrap();
            let context = format!("search {search}, kill {kill}: {}", String::from_utf8_lossy(&output.stderr));
            assert_eq!(output.status.code(), Some(0), "{context}");
            let found: Value = serde_json::from_slice(&output.stdout).unwrap();
            let covered = found["covered"].as_u64();
            assert!(covered >= known, "{context}: {covered:?} covered, {known:?} printed");
            known = covered;
        }
    }
    println!("{} kills of {searches} suites: nothing printed was lost", 2 * searches);
}

const CURVES: [&[&str]; 4] = [
    &["own/insertion_sort.wasm", "--call", "sort(i32[n], n)", "--sizes", "4,6,8,12,16", "--paths", "60"],
    &["own/hash_table.wasm", "--call", "fill(u8[6*n], n, out i32[2*n])", "--sizes", "2,3,4,6", "--paths", "80"],
    &["own/insertion_sort.wasm", "--call", "sort(i32[n], n)", "--sizes", "4,8,16", "--paths", "150", "--strategy=ese"],
    &["own/insertion_sort.wasm", "--call", "sort(i32[n], n)", "--sizes", "4,8,12", "--paths", "60", "--strategy=wise"],
];

fn new_curve(index: usize, out: &Path) -> Command {
    let mut command = pessimum();
    let (module, flags) = CURVES[index % CURVES.len()].split_first().unwrap();
    command.arg("curve").arg(format!("subjects/{module}")).args(flags).args(["--chart", "none", "--out"]).arg(out);
    command
}

/// The curve in a directory, without its times.
fn curve_without_times(out: &Path) -> CurveResult {
    let mut curve: CurveResult = serde_json::from_slice(&std::fs::read(out.join("curve.json")).unwrap()).unwrap();
    curve.elapsed_s = 0.0;
    curve.points.iter_mut().for_each(|point| point.elapsed_s = 0.0);
    curve
}

/// Starts a curve and kills it after a while, unless it ends before. Returns whether it ended, and the sizes and costs
/// that it printed.
fn killed_curve(command: &mut Command, after: Duration) -> (bool, Vec<(u64, u64)>) {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(after);
    child.kill().unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    let is_finished = output.status.code() == Some(2) && text.contains("this curve is finished");
    assert!(is_finished || matches!(output.status.code(), None | Some(0)), "{text}");
    let printed = text.split_inclusive('\n').filter(|line| line.ends_with('\n')).filter_map(|line| {
        let (size, rest) = line.strip_prefix("n = ")?.split_once(": cost ")?;
        let cost = rest.split_once(" after")?.0.replace(',', "");
        Some((size.parse().unwrap(), cost.parse().unwrap()))
    });
    (is_finished || output.status.success(), printed.collect())
}

/// The sizes that a curve's journal has as finished, with their costs. All lines but the last must be whole.
fn recorded_sizes(out: &Path) -> BTreeMap<u64, u64> {
    let text = std::fs::read_to_string(out.join("curve.jsonl")).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    let mut sizes = BTreeMap::new();
    for (index, line) in lines.iter().enumerate() {
        match serde_json::from_str::<Value>(line) {
            Ok(entry) if entry["event"] == "size" => {
                let point = &entry["found"]["point"];
                let before = sizes.insert(point["size"].as_u64().unwrap(), point["cost"].as_u64().unwrap());
                assert_eq!(before, None, "a size is finished once");
            }
            Ok(_) => {}
            Err(error) => assert_eq!(index + 1, lines.len(), "{line}: {error}"),
        }
    }
    sizes
}

/// A curve that is killed again and again loses no size that it printed, and becomes what it would have become. The
/// time until each kill grows, so that a curve gets to its end on a slow machine too.
#[test]
fn a_killed_curve_becomes_what_it_would_have_become() {
    let mut random = Random::new(7);
    let references: Vec<CurveResult> = (0..CURVES.len())
        .map(|index| {
            let out = directory(&format!("reference-{index}"));
            assert!(new_curve(index, &out).output().unwrap().status.success());
            curve_without_times(&out)
        })
        .collect();
    let (mut killed, mut curves) = (0, 0);
    while killed < kills(12) {
        let out = directory(&format!("curve-{curves}"));
        for part in 0.. {
            let context = format!("curve {curves}, part {part}");
            let mut command = match out.join("curve.jsonl").exists() {
                true => pessimum(),
                false => new_curve(curves, &out),
            };
            if out.join("curve.jsonl").exists() {
                command.args(["curve", "--chart", "none", "--resume"]).arg(&out);
            }
            let after = Duration::from_millis(random.below(50 + 30 * part));
            let (ended, printed) = killed_curve(&mut command, after);
            let recorded = recorded_sizes(&out);
            for (size, cost) in printed {
                assert_eq!(recorded.get(&size), Some(&cost), "{context}: n = {size} was printed");
                let saved = std::fs::read(out.join(format!("n-{size}/result.json"))).unwrap();
                let saved: Value = serde_json::from_slice(&saved).unwrap();
                assert_eq!(saved["cost"]["value"].as_u64(), Some(cost), "{context}: n = {size}");
            }
            if ended {
                break;
            }
            killed += 1;
        }
        assert_eq!(curve_without_times(&out), references[curves % CURVES.len()], "curve {curves}");
        curves += 1;
    }
    println!("{killed} kills of {curves} curves: nothing printed was lost, and each became the same curve");
}

/// With a time limit a curve goes on from the inputs that it had, and does not do worse than it printed.
#[test]
fn a_killed_curve_with_a_time_limit_goes_on() {
    let out = directory("curve-time");
    let mut command = new_curve(0, &out);
    let (_, printed) = killed_curve(command.args(["--budget", "60s"]), Duration::from_millis(700));
    let output = pessimum().args(["curve", "--json", "--resume"]).arg(&out).args(["--budget", "2s"]).output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    if !message.contains("this curve is finished") {
        assert!(output.status.success(), "{message}");
        let curve: CurveResult = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(curve.points.len(), 5);
        for (size, cost) in printed {
            let point = curve.points.iter().find(|point| point.size == size).unwrap();
            assert!(point.cost >= cost, "n = {size} was finished, and may have got more time");
        }
    }
    let output = pessimum().args(["curve", "--resume"]).arg(&out).output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("this curve is finished; `pessimum worst --resume"), "{message}");
}

fn small_search(out: &Path) {
    let search = ["--paths", "50", "--json", "--out"];
    let output = pessimum().arg("worst").args(SUBJECTS[1]).args(search).arg(out).output().unwrap();
    assert!(output.status.success());
}

fn resume(out: &Path, more: &[&str]) -> (Option<i32>, String) {
    let output = pessimum().args(["worst", "--resume"]).arg(out).args(more).output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn a_line_that_was_not_written_to_its_end_is_left_out() {
    let out = directory("torn");
    small_search(&out);
    let journal = out.join("journal.jsonl");
    let bytes = std::fs::read(&journal).unwrap();
    std::fs::write(&journal, &bytes[..bytes.len() - 7]).unwrap();
    let (code, message) = resume(&out, &["--paths", "5"]);
    assert_eq!(code, Some(0), "{message}");
    assert!(message.contains("is incomplete"), "{message}");
    let (code, message) = resume(&out, &["--paths", "5", "--quiet"]);
    assert_eq!((code, message.as_str()), (Some(0), ""), "the journal is whole again");
}

/// A search continues with the program that it began with, and says so if the file is a different one now.
#[test]
fn a_changed_module_is_noted_and_a_changed_copy_refused() {
    let out = directory("changed");
    std::fs::create_dir_all(&out).unwrap();
    let module = out.join("copy.wasm");
    let subject = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(SUBJECTS[1][0]);
    let mut bytes = std::fs::read(subject).unwrap();
    std::fs::write(&module, &bytes).unwrap();
    let words = &SUBJECTS[1][1..];
    let found = pessimum().arg("worst").arg(&module).args(words).args(["--paths", "50", "--out"]).arg(&out).output();
    assert!(found.unwrap().status.success());
    // An empty custom section: the same program in another file.
    bytes.extend([0, 2, 1, b'x']);
    std::fs::write(&module, &bytes).unwrap();
    let (code, message) = resume(&out, &["--paths", "5"]);
    assert_eq!(code, Some(0), "{message}");
    assert!(message.contains("has changed since; this is the program as it was then"), "{message}");
    std::fs::write(out.join("module.wasm"), &bytes).unwrap();
    let (code, message) = resume(&out, &["--paths", "5"]);
    assert_eq!(code, Some(1));
    assert!(message.contains("the module is not the one that was recorded"), "{message}");
}

#[test]
fn a_finished_search_wants_a_new_budget() {
    let out = directory("finished");
    small_search(&out);
    let (code, message) = resume(&out, &[]);
    assert_eq!(code, Some(2));
    assert!(message.contains("this search is finished: its budget was spent"), "{message}");
}

/// Flags that concern only this part may be given again; those that concern the search may not.
#[test]
fn a_resumed_search_has_its_flags_already() {
    let out = directory("flags");
    small_search(&out);
    let junit = out.join("junit.xml");
    let (code, message) =
        resume(&out, &["--paths", "5", "--quiet", "--fail-above", "1", "--junit", junit.to_str().unwrap()]);
    assert_eq!((code, message.as_str()), (Some(3), ""));
    assert!(junit.exists());
    for given in [["--size", "5"], ["--seed", "2"], ["--strategy", "ese"], ["--out", "elsewhere"]] {
        let (code, message) = resume(&out, &given);
        assert_eq!(code, Some(2), "{message}");
        assert!(message.contains("cannot be used with"), "{message}");
    }
}

/// A new search in the directory of an old one leaves nothing of the old one.
#[test]
fn a_new_search_replaces_an_old_one() {
    let out = directory("replaced");
    let json = ["worst", "subjects/own/json.wasm", "--stdin", "5", "--paths", "50", "--json", "--out"];
    assert!(pessimum().args(json).arg(&out).output().unwrap().status.success());
    assert!(out.join("stdin.bin").exists());
    small_search(&out);
    assert!(!out.join("stdin.bin").exists());
    let result: Value = serde_json::from_slice(&std::fs::read(out.join("result.json")).unwrap()).unwrap();
    assert_eq!(result["resumed"], Value::Null);
    assert_eq!(recorded(&out), result["cost"]["value"].as_u64());
}
