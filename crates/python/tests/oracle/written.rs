//! The same comparison on programs written by hand: the language and the library beyond what `generate` writes. Each
//! ends with `told`, which makes every part of the result count.

use std::path::Path;
use std::process::Command;

use crate::common::interpreters;
use crate::{Case, compare_all, scale};

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

/// `PESSIMUM_PROGRAM` is the name of a program here, as in `texts/3`, which every interpreter runs.
#[test]
fn programs_written_by_hand_have_the_paths_that_brute_force_finds() {
    let only = std::env::var("PESSIMUM_PROGRAM").ok();
    let pythons = interpreters();
    if pythons.is_empty() {
        return;
    }
    let scale = if only.is_some() { Some(pythons.len() as u64) } else { scale() };
    let mut cases = Vec::new();
    for (seed, Written { name, call, text }) in written().into_iter().enumerate() {
        let wanted = only.as_ref().map_or(scale.is_some() || seed % SAMPLED == 0, |only| name == *only);
        let times = if wanted { pythons.len().min(scale.unwrap_or(1) as usize) } else { 0 };
        // Each with other interpreters.
        for time in 0..times {
            let python = pythons[(seed + time) % pythons.len()];
            let name = format!("PESSIMUM_PROGRAM={name}");
            cases.push(Case { name, seed: seed as u64, python, call: call.clone(), text: text.clone() });
        }
    }
    let (compared, failures) = compare_all(cases.into_iter());
    println!("{compared:?}");
    assert!(failures.is_empty(), "{failures:?}");
    if only.is_none() {
        assert!(compared.programs > 10);
        assert!(compared.incomplete * 10 < compared.programs, "the search gave up on too many questions");
    } else {
        assert!(compared.programs > 0, "there is no program of this name");
    }
}

/// The worker's own tests, which compare its proxies with plain values: those of values in the first interpreter, with
/// PESSIMUM_SCALE all of them in as many as it says.
#[test]
fn the_worker_passes_its_own_tests() {
    let scale = scale();
    for python in interpreters().into_iter().take(scale.unwrap_or(1) as usize) {
        let chosen: &[&str] = if scale.is_some() {
            &["discover", "-s", "worker/tests", "-t", "."]
        } else {
            &["worker.tests.test_values"]
        };
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
