//! Random condition sets of any size against Z3, through SMT-LIB. Where `z3` is not installed they are skipped with a
//! notice; with PESSIMUM_REQUIRE_TOOLS=1 that is a failure.
//!
//! `PESSIMUM_Z3_SETS` is the number of sets (default 200, 1,000 in `.ci/run sweeps`; the full check is 20,000), and
//! `PESSIMUM_Z3_FIRST` the seed of the first, to make the full check in slices.

mod common;

use std::io::Write;
use std::process::{Command, Stdio};

use common::{Generator, Random, satisfies};
use pessimum_solver::{Answer, Settings, check_with};
use pessimum_term::smtlib::Definitions;
use pessimum_term::{Arena, TermId};

/// Sets handed to one process.
const BATCH: u64 = 500;

fn conditions(seed: u64) -> (Arena, Vec<TermId>) {
    let mut random = Random::new(seed ^ 0x7a33);
    let floats = false;
    let widths = (0..1 + random.below(5)).map(|_| random.pick(&[1, 8, 8, 16, 24, 32, 32, 64])).collect();
    let mut generator = Generator { random, widths, floats, other_widths: vec![8, 32] };
    let mut arena = Arena::new();
    let count = 1 + generator.random.below(8);
    let depth = generator.random.below(3) as u32;
    let conditions = (0..count).map(|_| generator.condition(&mut arena, depth)).collect();
    (arena, conditions)
}

/// The answers of Z3 within a limit of steps (the same on every machine), in order: `sat`, `unsat`, or something else
/// where it gave up.
fn ask_z3(script: String) -> Vec<String> {
    let mut process = Command::new("z3")
        .args(["-in", "rlimit=1000000"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("z3 was there a moment ago");
    let mut input = process.stdin.take().expect("piped");
    let writer = std::thread::spawn(move || input.write_all(script.as_bytes()));
    let output = process.wait_with_output().expect("z3 ends");
    writer.join().expect("no panic").expect("z3 reads everything");
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
}

#[test]
fn no_disagreement_with_z3() {
    if Command::new("z3").arg("--version").output().is_err() {
        assert!(std::env::var_os("PESSIMUM_REQUIRE_TOOLS").is_none(), "z3 is not installed");
        println!("z3 is not installed: nothing was compared");
        return;
    }
    let number = |name: &str| std::env::var(name).map(|text| text.parse::<u64>().expect("a number"));
    let sets = number("PESSIMUM_Z3_SETS").unwrap_or(200);
    let start = number("PESSIMUM_Z3_FIRST").unwrap_or(0);
    let settings = Settings { conflicts: 1_000, steps: 2_000, ..Settings::default() };
    let (mut sat, mut unsat, mut open) = (0, 0, 0);
    for first in (start..start + sets).step_by(BATCH as usize) {
        let seeds = first..(first + BATCH).min(start + sets);
        let mut script = String::new();
        for seed in seeds.clone() {
            let (arena, conditions) = conditions(seed);
            script.push_str("(reset)\n");
            let definitions = Definitions::new(&arena, &conditions);
            script.push_str(&definitions.text());
            script.extend(conditions.iter().map(|&condition| definitions.assertion(condition)));
            script.push_str("(check-sat)\n");
        }
        let theirs = ask_z3(script);
        assert_eq!(theirs.len() as u64, seeds.end - seeds.start, "{:?}", theirs.iter().find(|line| line.len() > 7));
        for (seed, theirs) in seeds.zip(theirs) {
            let (mut arena, conditions) = conditions(seed);
            match (check_with(&mut arena, &conditions, settings.clone()), theirs.as_str()) {
                (Answer::Sat(witness), _) if !satisfies(&arena, &witness, &conditions) => {
                    panic!("seed {seed}: the witness is wrong")
                }
                (Answer::Sat(_), "unsat") => panic!("seed {seed}: we say sat, Z3 unsat"),
                (Answer::Unsat(_), "sat") => panic!("seed {seed}: we say unsat, Z3 sat"),
                (Answer::Sat(_), "sat") => sat += 1,
                (Answer::Unsat(_), "unsat") => unsat += 1,
                _ => open += 1,
            }
        }
    }
    eprintln!("{sets} sets from {start} on: both sat {sat}, both unsat {unsat}, one gave up {open}");
    assert!(open * 5 <= sets, "too many were left open to mean anything: {open}");
}
