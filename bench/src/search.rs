//! How fast paths are explored, and how much memory it takes. Times are processor times: wall time would also measure whatever else runs on the machine.

use std::time::Duration;

use clap::Args;
use pessimum_search::budget::Budget;
use pessimum_search::search::Settings;
use pessimum_search::strategy;
use pessimum_subjects::program;
use pessimum_term::Witness;
use pessimum_wasm::{Concrete, Domain, Process, ProcessEvent, Subject, Symbolic};

use crate::clock;

/// Subject of the manifest, size, strategy, limit on paths.
const SEARCHES: &[(&str, u64, &str, u64)] = &[
    ("own/insertion_sort", 7, "exhaustive", u64::MAX),
    ("own/insertion_sort", 8, "exhaustive", u64::MAX),
    ("own/insertion_sort", 10, "exhaustive", 1_000_000),
    ("pyse/boyer_moore", 30, "exhaustive", u64::MAX),
    ("ese/quicksort_jdk", 100, "random", 2_000),
    ("ese/quicksort_jdk", 1000, "random", 50),
    ("own/insertion_sort", 100, "random", 2_000),
    ("own/insertion_sort", 100, "ga", 20_000),
];

/// Peak memory of this process so far, in MiB; it never goes down, so later lines include earlier ones.
fn peak_memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kilobytes.unwrap_or(0.0) / 1024.0
}

fn search(name: &str, size: u64, strategy_name: &str, paths: u64) {
    let entry = pessimum_subjects::named(name);
    let program = entry.program(size).expect("the module is part of the sources");
    let budget = Budget { paths: (paths < u64::MAX).then_some(paths), ..Budget::default() };
    let settings = Settings { budget, ..Settings::default() };
    let before = clock::own();
    let mut chosen = strategy::named(strategy_name).expect("the strategy exists");
    let result = strategy::run(pessimum_search::search::Search::new(&program, settings), &mut *chosen)
        .sound()
        .expect("inputs replay to their costs");
    let seconds = (clock::own() - before).as_secs_f64();
    println!(
        "{name} n={size} {strategy_name}: {} paths in {seconds:.2} s of processor time, {:.0} paths/s, peak {:.1} MiB",
        result.paths,
        result.paths as f64 / seconds.max(0.01),
        peak_memory()
    );
}

/// The same run in both domains, without any symbolic input.
fn overhead() {
    let entry = pessimum_subjects::named("own/insertion_sort");
    let module = entry.load().expect("the module is part of the sources");
    let fixed = program::call(&module, "sort(out i32[20000], 20000)", None).expect("the call fits the module");
    let concrete = run(&fixed, &mut Concrete { witness: Witness::default() });
    let symbolic = run(&fixed, &mut Symbolic::default());
    println!(
        "no symbolic input: {:.0} M instructions/s concrete, {:.0} symbolic: {:.2} times as long",
        concrete / 1e6,
        symbolic / 1e6,
        concrete / symbolic
    );
}

/// Instructions per second of processor time.
fn run<D: Domain>(subject: &Subject, domain: &mut D) -> f64 {
    let before = clock::own();
    let mut instructions = 0;
    while clock::own() - before < Duration::from_secs(1) {
        for _ in 0..20 {
            let mut process = Process::<D>::new(subject).expect("the subject starts");
            while !matches!(process.run(domain), ProcessEvent::End(_)) {}
            instructions += process.costs().instructions;
        }
    }
    instructions as f64 / (clock::own() - before).as_secs_f64()
}

/// Paths per second, peak memory, and what symbolic execution costs where nothing is symbolic
#[derive(Args)]
pub struct Search {
    /// Only measurements with one of these words in their names, as in `own/insertion_sort n=7 exhaustive` and `overhead`
    #[arg(value_name = "NAME")]
    names: Vec<String>,
}

impl Search {
    /// Prints a line for each measurement.
    pub fn run(self) {
        let wanted = |name: &str| self.names.is_empty() || self.names.iter().any(|word| name.contains(word.as_str()));
        for &(name, size, strategy, paths) in SEARCHES {
            if wanted(&format!("{name} n={size} {strategy}")) {
                search(name, size, strategy, paths);
            }
        }
        if wanted("overhead") {
            overhead();
        }
    }
}
