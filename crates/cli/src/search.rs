//! What every command that searches does: the program at one size and at others, limits, Ctrl-C, the progress line.

use std::io::{IsTerminal, Write as _};
use std::time::Duration;

use anyhow::{Context, Result};
use pessimum_program::WasmProgram;
use pessimum_search::budget::Cancel;
use pessimum_search::cost::{CostModel, Costs};
use pessimum_search::program::PathLimits;
use pessimum_search::search::Progress;
use pessimum_solver::LayerName;
use serde_json::{Value, json};

use crate::Usage;
use crate::flags::{SearchFlags, SubjectFlags};
use crate::output::{grouped, seconds};
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

/// The line on standard error that is written over while a search runs; silent where nobody watches.
#[derive(Clone, Copy)]
pub struct ProgressLine {
    visible: bool,
}

impl ProgressLine {
    pub fn start() -> ProgressLine {
        let line = ProgressLine { visible: std::io::stderr().is_terminal() };
        line.write("searching (Ctrl-C ends it and keeps the best so far)");
        line
    }

    pub fn show(&self, progress: &Progress<'_>) {
        if !self.visible {
            return;
        }
        let elapsed = progress.elapsed.as_secs_f64();
        let rate = if elapsed > 0.0 { progress.paths as f64 / elapsed } else { 0.0 };
        let share = solver_share(progress.solver, progress.elapsed);
        self.write(&format!(
            "{}  {} paths  {} paths/s  best {}  solver {:.0} %",
            seconds(elapsed),
            grouped(progress.paths),
            grouped(rate as u64),
            progress.best.map_or("none yet".to_string(), grouped),
            100.0 * share
        ));
    }

    /// Leaves an empty line for what is printed next.
    pub fn clear(&self) {
        self.write("");
    }

    fn write(&self, text: &str) {
        if self.visible {
            // A terminal that has gone away is no reason to stop.
            let _ = write!(std::io::stderr(), "\r\x1b[K{text}");
        }
    }
}

/// Part of the time that the solver took, from 0 to 1.
fn solver_share(solver: &pessimum_solver::Counters, elapsed: Duration) -> f64 {
    let time: Duration = LayerName::ALL.iter().map(|&layer| solver.layer(layer).time).sum();
    if elapsed.is_zero() { 0.0 } else { (time.as_secs_f64() / elapsed.as_secs_f64()).min(1.0) }
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

/// All costs by name; `weighted` only where there are prices.
pub fn costs_json(costs: &Costs, weighted: bool) -> Value {
    let models = CostModel::ALL.into_iter();
    let value = |model: CostModel| match model {
        CostModel::Weighted if !weighted => Value::Null,
        model => json!(model.of(costs)),
    };
    models.map(|model| (model.name().to_string(), value(model))).collect()
}
