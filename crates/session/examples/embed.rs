//! How another program uses Pessimum: the worst input of one function of a module, without the command.
//!
//!     cargo run --release -p pessimum-session --example embed
//!
//! `docs/embedding.md` explains it step by step.

use std::error::Error;

use pessimum_outcome::CostModel;
use pessimum_search::budget::{Budget, Cancel};
use pessimum_search::strategy::named;
use pessimum_session::files::fingerprint;
use pessimum_session::plan::{LimitsPlan, ModulePlan, StartPlan, SubjectPlan};
use pessimum_session::{Listeners, Session, Source, Task};

/// What was found.
pub struct Worst {
    /// Instructions of the worst input.
    pub instructions: u64,
    /// The input, as `pessimum run --input` reads it.
    pub input: String,
    /// Whether every feasible path was seen, so that nothing costs more.
    pub certain: bool,
}

/// Searches one function of a module at size `n`, for so many paths.
pub fn worst(module: Vec<u8>, call: &str, size: u64, paths: u64) -> Result<Worst, Box<dyn Error>> {
    let plan = SubjectPlan {
        module: ModulePlan {
            name: "embedded".to_string(),
            fingerprint: fingerprint(&module),
            named_file: None,
            python: None,
        },
        start: StartPlan::Call(call.to_string()),
        stdin: None,
        arguments: Vec::new(),
        files: Vec::new(),
        environment: Vec::new(),
        size: Some(size),
        sizes: Default::default(),
        counted: Vec::new(),
        weights: None,
        limits: LimitsPlan::USUAL,
    };
    let source = Source::new(plan, module, Vec::new())?;
    let session = Session::new(Task {
        source: &source,
        size: Some(size),
        cost: CostModel::Instructions,
        ends: Default::default(),
        seed: 1,
        baseline_seed: Some(1),
        budget: Budget { paths: Some(paths), ..Budget::default() },
        starts: Vec::new(),
        carries_over: false,
        target: None,
        cancel: Cancel::default(),
        solver: Default::default(),
    })?;
    let mut strategy = named("auto").ok_or("there is no such strategy")?;
    let outcome = session.run(strategy.as_mut(), Listeners::default());
    let best = outcome.found.best.ok_or("no input could be run")?;
    let input = session.program().plan().encode(&best.witness, &[]);
    Ok(Worst { instructions: best.costs.instructions, input: input.to_string(), certain: outcome.found.complete })
}

/// Used by `main`; a test calls the function above.
#[allow(dead_code)]
fn main() -> Result<(), Box<dyn Error>> {
    let module = std::fs::read("subjects/own/insertion_sort.wasm")?;
    let found = worst(module, "sort(i32[n], n)", 6, 2000)?;
    println!("{} instructions for sort{}", found.instructions, found.input);
    println!("{}", if found.certain { "certain" } else { "not certain" });
    Ok(())
}
