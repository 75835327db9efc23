//! What a second worker brings: `auto` with one thread and with more, at equal time of the clock.
//!
//! Only on a machine with that many idle processors do these figures say anything.

use std::path::Path;
use std::process::{Command, Stdio};

use serde::Deserialize;

use super::Real;
use super::manifest::Program;
use crate::args::median;

/// What `result.json` says of a search.
#[derive(Deserialize)]
struct Outcome {
    paths: u64,
    cost: Cost,
}

#[derive(Deserialize)]
struct Cost {
    value: u64,
}

/// Prints one line for each program, and what they say together.
pub fn run(settings: &Real, programs: &[Program], command: &Path, threads: u64, scratch: &Path) -> Result<(), String> {
    let seconds = settings.budget.as_secs_f64();
    println!("{seconds} s of the clock for each search with `auto`, {} seed(s); medians", settings.seeds);
    println!(
        "{:<16} | {:>12} {:>12} {:>6} | {:>13} {:>13}",
        "program", "paths, 1", threads, "times", "cost, 1", threads
    );
    let (mut ratios, mut better, mut worse) = (Vec::new(), 0, 0);
    for program in programs {
        let search = |threads: u64, seed: u64| outcome(settings, program, command, threads, seed, scratch);
        let (mut alone, mut together) = (Vec::new(), Vec::new());
        // In turn, so that whatever else the machine does slows both.
        for seed in 1..=settings.seeds {
            alone.push(search(1, seed)?);
            together.push(search(threads, seed)?);
        }
        let paths = |outcomes: &[Outcome]| {
            median(outcomes.iter().map(|outcome| outcome.paths).collect(), |&paths| paths).unwrap_or(0)
        };
        let costs = |outcomes: &[Outcome]| {
            median(outcomes.iter().map(|outcome| outcome.cost.value).collect(), |&cost| cost).unwrap_or(0)
        };
        let ratio = paths(&together) as f64 / paths(&alone).max(1) as f64;
        println!(
            "{:<16} | {:>12} {:>12} {ratio:>6.2} | {:>13} {:>13}",
            program.name,
            paths(&alone),
            paths(&together),
            costs(&alone),
            costs(&together)
        );
        ratios.push((ratio * 100.0) as u64);
        better += u32::from(costs(&together) > costs(&alone));
        worse += u32::from(costs(&together) < costs(&alone));
    }
    let ratio = median(ratios, |&ratio| ratio).unwrap_or(0) as f64 / 100.0;
    println!(
        "{threads} threads: {ratio:.2} times the paths in the median; a better cost on {better}, a worse on {worse}"
    );
    Ok(())
}

fn outcome(
    settings: &Real,
    program: &Program,
    command: &Path,
    threads: u64,
    seed: u64,
    scratch: &Path,
) -> Result<Outcome, String> {
    let out = scratch.join("threads");
    let mut search = Command::new(command);
    search.arg("worst").args(program.words()).args([format!("--threads={threads}"), format!("--seed={seed}")]);
    search.arg(format!("--budget={}ms", settings.budget.as_millis())).arg(format!("--out={}", out.display()));
    search.arg("--quiet").stdin(Stdio::null()).stdout(Stdio::null());
    let ran = search.output().map_err(|error| format!("{}: {error}", command.display()))?;
    if !ran.status.success() {
        return Err(format!("{}: {}", program.name, String::from_utf8_lossy(&ran.stderr).trim()));
    }
    let text =
        std::fs::read_to_string(out.join("result.json")).map_err(|error| format!("{}: {error}", out.display()))?;
    serde_json::from_str(&text).map_err(|error| format!("{}: {error}", out.display()))
}
