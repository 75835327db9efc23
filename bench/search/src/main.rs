//! How fast paths are explored, and how much memory it takes.
//!
//! `cargo run --release -p bench-search [MEASUREMENT...]`: all of them, or those whose name contains one of the words.
//! Times are processor times: wall time would also measure whatever else runs on the machine.

use pessimum_search::budget::Budget;
use pessimum_search::search::{Search, Settings};
use pessimum_search::strategy;
use pessimum_subjects::program;
use pessimum_term::Witness;
use pessimum_wasm::{Concrete, Domain, Process, ProcessEvent, Subject, Symbolic};

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

/// User and system time of this process so far, in seconds.
fn processor_time() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks: f64 = after_name.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<f64>().ok()).sum();
    ticks / 100.0
}

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
    let before = processor_time();
    let mut chosen = strategy::named(strategy_name).expect("the strategy exists");
    let result =
        strategy::run(Search::new(&program, settings), &mut *chosen).sound().expect("inputs replay to their costs");
    let seconds = processor_time() - before;
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
    let before = processor_time();
    let mut instructions = 0;
    while processor_time() - before < 1.0 {
        for _ in 0..20 {
            let mut process = Process::<D>::new(subject).expect("the subject starts");
            while !matches!(process.run(domain), ProcessEvent::End(_)) {}
            instructions += process.costs().instructions;
        }
    }
    instructions as f64 / (processor_time() - before)
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|word| name.contains(word.as_str()));
    for &(name, size, strategy, paths) in SEARCHES {
        if is_wanted(&format!("{name} n={size} {strategy}")) {
            search(name, size, strategy, paths);
        }
    }
    if is_wanted("overhead") {
        overhead();
    }
}
