//! The same comparison on programs written by hand: the language and the library beyond what `generate` writes. Each
//! ends with `told`, which makes every part of the result count.

use std::path::Path;
use std::process::Command;

use crate::common::{Subject, interpreters};
use crate::{Compared, Lines, compare};

/// A program of `programs/` and how to call it.
struct Written {
    name: String,
    call: String,
    text: String,
}

/// The parts of each file that begin with `# call: `.
fn written() -> Vec<Written> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracle/programs");
    let told = std::fs::read_to_string(directory.join("told.py")).unwrap();
    let mut files: Vec<_> = std::fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut programs = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        for (at, part) in text.split("# call: ").skip(1).enumerate() {
            let (call, body) = part.split_once('\n').unwrap();
            let name = format!("{}/{}", file.file_stem().unwrap().to_string_lossy(), at + 1);
            programs.push(Written { name, call: call.to_string(), text: format!("{body}\n\n{told}") });
        }
    }
    programs
}

/// Of so many programs one is run, unless PESSIMUM_SCALE asks for all of them.
const SAMPLED: usize = 4;

/// `PESSIMUM_PROGRAM` is the name of a program here, as in `texts/3`.
#[test]
fn programs_written_by_hand_have_the_paths_that_brute_force_finds() {
    let only = std::env::var("PESSIMUM_PROGRAM").ok();
    let pythons = interpreters();
    if pythons.is_empty() {
        return;
    }
    let everywhere = std::env::var_os("PESSIMUM_SCALE").is_some();
    let programs = written();
    let (mut compared, mut failures) = (Compared::default(), Vec::new());
    for (seed, Written { name, call, text }) in programs.iter().enumerate() {
        if only.as_ref().is_some_and(|only| !name.starts_with(only.as_str())) {
            continue;
        }
        if only.is_none() && !everywhere && seed % SAMPLED != 0 {
            continue;
        }
        // Each with another interpreter, or with all of them.
        let which = seed % pythons.len();
        for (at, python) in pythons.iter().enumerate() {
            if !everywhere && at != which {
                continue;
            }
            let one = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                let subject = Subject::new(python, text);
                let mut lines = Lines::start(python);
                let libraries = text.contains("import ");
                compare(text, &subject.program(call, 0), seed as u64, libraries, &mut lines, &mut compared);
            }));
            if let Err(why) = one {
                let why = why.downcast_ref::<String>().cloned().unwrap_or_default();
                println!("{name} {call} with {}: {why}", python.display());
                failures.push(name.clone());
            }
        }
    }
    println!("{compared:?}");
    assert!(failures.is_empty(), "PESSIMUM_PROGRAM runs one alone: {failures:?}");
    if only.is_none() {
        assert!(compared.programs > 10);
        assert!(compared.incomplete * 10 < compared.programs, "the search gave up on too many questions");
    }
}

/// The worker's own tests, which compare its proxies with plain values: in the first interpreter those of values, with
/// PESSIMUM_SCALE all of them in every one.
#[test]
fn the_worker_passes_its_own_tests() {
    let everywhere = std::env::var_os("PESSIMUM_SCALE").is_some();
    let pythons = interpreters();
    for python in pythons.iter().take(if everywhere { pythons.len() } else { 1 }) {
        let chosen: &[&str] =
            if everywhere { &["discover", "-s", "worker/tests", "-t", "."] } else { &["worker.tests.test_values"] };
        let run = Command::new(python)
            .args(["-m", "unittest"])
            .args(chosen)
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&run.stderr).into_owned();
        assert!(run.status.success(), "{}: {said}", python.display());
        assert!(said.contains("\nRan "), "{}: {said}", python.display());
    }
}
