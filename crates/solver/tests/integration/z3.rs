//! Random condition sets of any size against Z3, through SMT-LIB. Where `z3` is not installed they are skipped with a
//! notice; with PESSIMUM_REQUIRE_TOOLS=1 that is a failure.
//!
//! `PESSIMUM_Z3_SETS` is the number of sets (default 200, 1,000 in `.ci/run sweeps`; the full check is 20,000), and
//! `PESSIMUM_Z3_FIRST` the seed of the first, to make the full check in slices.

use crate::common::{Generator, Random, satisfies, z3};
use pessimum_solver::{Answer, Settings, check_with};
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

#[test]
fn no_disagreement_with_z3() {
    if z3::is_missing() {
        return;
    }
    let number = |name: &str| std::env::var(name).map(|text| text.parse::<u64>().expect("a number"));
    let sets = number("PESSIMUM_Z3_SETS").unwrap_or(200);
    let start = number("PESSIMUM_Z3_FIRST").unwrap_or(0);
    let settings = Settings { conflicts: 1_000, steps: 2_000, ..Settings::default() };
    let (mut sat, mut unsat, mut open) = (0, 0, 0);
    for first in (start..start + sets).step_by(BATCH as usize) {
        let seeds = first..(first + BATCH).min(start + sets);
        let theirs = z3::answers(seeds.clone().map(conditions), 1_000_000);
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
