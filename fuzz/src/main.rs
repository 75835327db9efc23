//! Long random runs: the machine against another engine, the solver against brute force, readers against damage, on as
//! many seeds as asked.
//!
//!     cargo run -p pessimum-fuzz -- TARGET FIRST_SEED COUNT
//!     cargo run -p pessimum-fuzz -- TARGET [FIRST_SEED] --minutes N       (calls, layers, names, records)
//!     cargo run -p pessimum-fuzz -- native [FILE...]
//!
//! | target | what is tried |
//! |---|---|
//! | compare | random modules, here and in wasmi |
//! | damage | damaged modules |
//! | conditions | sets of conditions: every layer of the solver alone and together, against brute force |
//! | layers | richer sets, for the order, linear and Boolean layers |
//! | calls | texts of `--call`, lengths and inputs |
//! | names | damaged names and debug information |
//! | native | functions in C and Rust, natively and here, over all inputs |
//! | records | damaged and made-up results, curves, plans and journals |
//!
//! A failure is printed with its seed and with the command that reproduces it; a module that two engines run
//! differently is left in the current directory. The development profile is optimised and checks for overflow; the release
//! profile finds less, and the first panic ends it, because nothing unwinds there.

mod conditions;

use std::process::ExitCode;

use pessimum_fuzz::harness::{Seeds, run};
use pessimum_fuzz::{calls, compare, damage, generate, layers, names, records, survive};
use pessimum_term::random::Random;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize| args.get(i).and_then(|arg| arg.parse::<u64>().ok());
    match (args.first().map(String::as_str), number(1), number(2)) {
        (Some("compare"), Some(first), Some(count)) => compare_many(first, count),
        (Some("damage"), Some(first), Some(count)) => damage_many(first, count),
        (Some("conditions"), Some(first), Some(count)) => conditions::compare_many(first, count),
        (Some("native"), ..) => pessimum_fuzz::native::compare_all(&args[1..]),
        (Some(target), ..) => seeded(target, &args[1..]),
        (None, ..) => usage("expected a target"),
    }
}

/// The targets of [`pessimum_fuzz::harness`].
fn seeded(target: &str, words: &[String]) -> ExitCode {
    let seeds = match Seeds::parse(words) {
        Ok(seeds) => seeds,
        Err(why) => return usage(&why),
    };
    match target {
        "calls" => run(calls::Calls::default(), seeds),
        "layers" => run(layers::Layers::default(), seeds),
        "names" => run(names::DebugInfo::default(), seeds),
        "records" => run(records::Records::default(), seeds),
        _ => usage(&format!("no target is named `{target}`")),
    }
}

fn usage(why: &str) -> ExitCode {
    eprintln!(
        "{why}\nusage: pessimum-fuzz (compare | damage | conditions | calls | layers | names | records) FIRST_SEED COUNT\n   \
         or: pessimum-fuzz (calls | layers | names | records) [FIRST_SEED] --minutes N"
    );
    ExitCode::from(2)
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
