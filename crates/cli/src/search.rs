//! What every command that searches does: the program at one size and at others, limits, Ctrl-C.

use anyhow::{Context, Result};
use pessimum_program::WasmProgram;
use pessimum_search::budget::{Budget, Cancel};
use pessimum_search::cost::CostModel;
use pessimum_search::program::PathLimits;
use pessimum_search::search::Settings;
use pessimum_search::watch::Watch;
use pessimum_solver::LayerName;
use serde_json::{Value, json};

use crate::Usage;
use crate::flags::{SearchFlags, SubjectFlags};
use crate::subject::{Source, started};

/// The program at the given size.
pub fn program(source: &Source<'_>, flags: &SubjectFlags, size: Option<u64>) -> Result<WasmProgram> {
    let mut name = flags.module.display().to_string();
    if let Some(call) = started(flags) {
        name += &format!(" {call}");
    }
    if let Some(size) = size {
        name += &format!(" at {size}");
    }
    WasmProgram::new(name, source.subject(size)?).with_context(|| flags.module.display().to_string())
}

/// The limits of each path, in the search's words: the same as those of a concrete run.
pub fn limits(flags: &SubjectFlags) -> PathLimits {
    PathLimits {
        instructions: flags.max_instructions,
        memory: flags.max_memory.saturating_mul(1 << 20),
        depth: u64::from(flags.max_depth),
        ..PathLimits::default()
    }
}

/// What the flags tell every search.
pub fn settings(
    subject: &SubjectFlags,
    search: &SearchFlags,
    budget: Budget,
    cancel: Cancel,
    watch: &Watch,
) -> Settings {
    Settings {
        cost: search.cost,
        budget,
        seed: search.seed,
        limits: limits(subject),
        cancel,
        watch: watch.clone(),
        ..Settings::default()
    }
}

/// What can be said to be wrong before anything is read.
pub fn check(subject: &SubjectFlags, search: &SearchFlags) -> Result<()> {
    if search.cost == CostModel::Weighted && subject.weights.is_none() {
        return Err(Usage("--cost weighted needs a price list: --weights FILE".to_string()).into());
    }
    Ok(())
}

/// A flag that the first Ctrl-C raises; the second ends the process.
pub fn cancelled_by_ctrl_c() -> Result<Cancel> {
    let cancel = Cancel::default();
    let flag = cancel.clone();
    let handler = move || {
        if flag.is_cancelled() {
            // 128 + SIGINT, as shells report it.
            std::process::exit(130);
        }
        flag.cancel();
    };
    ctrlc::set_handler(handler).context("Ctrl-C")?;
    Ok(cancel)
}

/// The solver's counters as reported.
pub fn solver_json(solver: &pessimum_solver::Counters) -> Value {
    let layer = |&name: &LayerName| {
        let counters = solver.layer(name);
        let value = json!({
            "queries": counters.queries,
            "sat": counters.sat,
            "unsat": counters.unsat,
            "gave_up": counters.gave_up,
            "time_s": counters.time.as_secs_f64(),
        });
        (name.name().to_string(), value)
    };
    let layers: serde_json::Map<String, Value> = LayerName::ALL.iter().map(layer).collect();
    json!({ "queries": solver.queries, "layers": layers, "unknown": solver.unknown })
}
