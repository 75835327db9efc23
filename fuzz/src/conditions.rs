//! Conditions on wide inputs with few values: every layer of the solver, alone and together, against brute force.

use std::process::ExitCode;

use pessimum_testkit::ranged;

/// Sets compared between two lines of progress.
const BATCH: u64 = 1000;

/// Compares the sets of these seeds; a wrong answer is printed with its seed.
pub fn compare_many(first: u64, count: u64) -> ExitCode {
    let stacks = ranged::stacks();
    let mut answers = vec![[0u64; 3]; stacks.len()];
    let mut wrong = 0u64;
    for seed in first..first + count {
        match ranged::compare(seed..seed + 1) {
            Ok(totals) => {
                for (answers, total) in answers.iter_mut().zip(totals) {
                    let known = total.queries - total.unknown;
                    let unsat: u64 =
                        pessimum_solver::LayerName::ALL.iter().map(|&layer| total.layer(layer).unsat).sum();
                    for (sum, more) in answers.iter_mut().zip([known - unsat, unsat, total.unknown]) {
                        *sum += more;
                    }
                }
            }
            Err(what) => {
                wrong += 1;
                println!("{what}");
            }
        }
        if (seed + 1 - first).is_multiple_of(BATCH) {
            eprintln!("{} sets, {wrong} with a wrong answer", seed + 1 - first);
        }
    }
    for (layers, [sat, unsat, unknown]) in stacks.iter().zip(answers) {
        println!("{layers:?}: {sat} satisfiable, {unsat} not, {unknown} unknown");
    }
    println!("{count} sets, {wrong} with a wrong answer");
    if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
