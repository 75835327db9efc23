//! Compares the machine with wasmi on random modules, tries damaged ones, or compares the solver with brute force, on
//! as many seeds as asked.
//!
//!     cargo run --release -p pessimum-fuzz -- compare FIRST_SEED COUNT
//!     cargo run --release -p pessimum-fuzz -- damage FIRST_SEED COUNT
//!     cargo run --release -p pessimum-fuzz -- conditions FIRST_SEED COUNT
//!     cargo run --release -p pessimum-fuzz -- native [FILE...]
//!
//! A difference is printed with its seed, and the module is left in the current directory.

mod conditions;

use std::process::ExitCode;

use pessimum_fuzz::{compare, damage, generate, survive};
use pessimum_term::random::Random;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize| args.get(i).and_then(|arg| arg.parse::<u64>().ok());
    match (args.first().map(String::as_str), number(1), number(2)) {
        (Some("compare"), Some(first), Some(count)) => compare_many(first, count),
        (Some("damage"), Some(first), Some(count)) => damage_many(first, count),
        (Some("conditions"), Some(first), Some(count)) => conditions::compare_many(first, count),
        (Some("native"), _, _) => pessimum_fuzz::native::compare_all(&args[1..]),
        _ => {
            eprintln!("usage: pessimum-fuzz (compare | damage | conditions) FIRST_SEED COUNT, or native [FILE...]");
            ExitCode::from(2)
        }
    }
}

/// Seeds whose modules wasmi 2.0.0 runs wrongly in ways that [`pessimum_fuzz::compare`] does not work around: its result
/// differs from process to process, as if it read a register that was never written. V8 agrees with us on each.
const FAULTS_OF_WASMI: &[u64] = &[1_028_074];

fn compare_many(first: u64, count: u64) -> ExitCode {
    let (mut modules, mut empty, mut refused, mut calls, mut traps, mut panicked, mut differences) =
        (0u64, 0u64, 0u64, 0u64, 0u64, 0u64, 0u64);
    for seed in first..first + count {
        let Some(bytes) = generate(seed) else {
            empty += 1;
            continue;
        };
        modules += 1;
        match compare(&bytes, seed) {
            Ok(compared) => {
                refused += compared.refused as u64;
                calls += compared.calls as u64;
                traps += compared.traps as u64;
                panicked += compared.panicked_there as u64;
            }
            Err(difference) if FAULTS_OF_WASMI.contains(&seed) => {
                println!("seed {seed}, a fault of wasmi: {difference}")
            }
            Err(difference) => {
                differences += 1;
                println!("seed {seed}: {difference}");
                let _ = std::fs::write(format!("difference-{seed}.wasm"), &bytes);
            }
        }
        if modules.is_multiple_of(10_000) {
            eprintln!("{modules} modules, {differences} differences");
        }
    }
    println!(
        "{modules} modules ({empty} seeds gave none): {refused} refused by both, {calls} calls compared, {traps} of \
         them trapped, {panicked} modules cut short by a panic of wasmi, {differences} differences"
    );
    if differences == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn damage_many(first: u64, count: u64) -> ExitCode {
    let (mut tried, mut loaded) = (0u64, 0u64);
    for seed in first..first + count {
        let mut random = Random::new(seed);
        if let Some(bytes) = generate(seed / 16) {
            tried += 1;
            loaded += survive(&damage(&bytes, &mut random)) as u64;
        }
    }
    println!("{tried} damaged modules, {loaded} of them still loaded and were run");
    ExitCode::SUCCESS
}
