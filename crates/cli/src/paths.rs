//! `pessimum paths`: every feasible path, counted.

use anyhow::Result;
use pessimum_outcome::{CostModel, End, Ends, Limit};
use pessimum_report::certainty;
use pessimum_search::budget::{Budget, Stop};
use pessimum_search::search::SearchResult;
use pessimum_session::replay::{look, profiled_steps};
use pessimum_session::result::{concretised, ends, left_out, solver_use};
use pessimum_session::{Listeners, Session, Task};
use pessimum_wasm::STDIN;
use serde_json::{Value, json};

use crate::flags::{PathsFlags, check_prices};
use crate::interrupt::Interrupt;
use crate::live::{Shown, Viewer, searched};
use crate::output::{Table, counted, folded, grouped, print, print_json, seconds, tell, width};
use crate::queries::Queries;
use crate::replay::is_shown;
use crate::shape::words;
use crate::{python, subject};

pub fn paths(flags: &PathsFlags) -> Result<()> {
    check_prices(&flags.subject, flags.maximised)?;
    let source = subject::source(&flags.subject)?.counting(flags.maximised.cost);
    let queries = Queries::of(&flags.search)?;
    let budget = Budget { paths: flags.limit, time: flags.search.budget.and_then(|time| time.0), steps: None };
    let session = Session::new(Task {
        source: &source,
        size: flags.subject.n(),
        cost: flags.maximised.cost,
        ends: Ends::Any,
        seed: flags.search.seed,
        baseline_seed: Some(flags.search.seed),
        budget,
        starts: Vec::new(),
        carries_over: false,
        target: None,
        cancel: Interrupt::listen()?.cancel(),
        solver: queries.settings(),
    })?
    .with_memory(flags.search.memory())
    .counting_from(source.opened())
    .with_room()?;
    let shown = Shown { cost: flags.maximised.cost, budget, searched: searched(source.plan()), ..Shown::default() };
    let mut viewer = Viewer::live_only(&flags.search, flags.json, shown);
    let words = words(source.plan(), session.program());
    let listeners = Listeners { record: None, show: Some(&mut |news| viewer.show(news, &words)) };
    let outcome = session.run(&mut session.every_path(), listeners);
    tell_defects(&outcome.found);
    let found = &outcome.found;
    // Calls are counted on every path, but named only for the longest one.
    let named = match &found.best {
        Some(best) if found.counters.unsupported > 0 => {
            let most = profiled_steps(session.program(), budget.time);
            look(session.program(), &best.witness, &outcome.limits, most, &outcome.until()).unsupported
        }
        _ => Vec::new(),
    };
    queries.count(&found.solver);
    let domain = session.program().domain().text();
    match flags.json {
        true => {
            let mut printed = json(flags, found);
            if let Some(domain) = domain {
                printed["domain"] = json!(domain);
            }
            let taken = concretised(session.program());
            if !taken.is_empty() {
                printed["concretised"] = json!(taken);
            }
            let left_out = left_out(session.program());
            if !left_out.is_empty() {
                printed["left_out"] = json!(left_out);
            }
            print_json(&printed)?;
        }
        false => {
            let left_out = python::left_out(&left_out(session.program()));
            let taken = python::taken_as_they_are(&concretised(session.program()), found.complete);
            print(&(text(flags, found, domain.as_deref(), &named) + &left_out + &taken + &queries.text()))?;
        }
    }
    queries.verdict()
}

fn json(flags: &PathsFlags, result: &SearchResult) -> Value {
    let extremes = |pick: fn(&pessimum_search::search::Extremes) -> &pessimum_outcome::Costs| {
        result.extremes.as_ref().map(|extremes| json!(pick(extremes)))
    };
    let of_model = |costs: &Option<Value>| costs.as_ref().map(|costs| costs[result.cost.name()].clone());
    let (longest, shortest) = (extremes(|e| &e.greatest), extremes(|e| &e.least));
    json!({
        "module": flags.subject.module.display().to_string(),
        "call": flags.subject.started(),
        "size": flags.subject.n(),
        "cost": { "model": result.cost.name() },
        "feasible": result.paths,
        "longest": of_model(&longest),
        "shortest": of_model(&shortest),
        "longest_costs": longest,
        "shortest_costs": shortest,
        "complete": result.complete,
        "stopped": result.stop.name(),
        "ends": ends(result),
        "infeasible": result.counters.infeasible,
        "values_cut": result.counters.values_cut,
        "dropped": result.counters.dropped,
        "unsupported": result.counters.unsupported,
        "solver": solver_use(&result.solver),
        "elapsed_s": result.elapsed.as_secs_f64(),
    })
}

fn text(
    flags: &PathsFlags,
    result: &SearchResult,
    domain: Option<&str>,
    unsupported: &[(&'static str, u64)],
) -> String {
    let model = result.cost;
    let mut table = Table::default();
    let more = match result.stop {
        Stop::Paths => " and there are more: stopped at --limit",
        Stop::Time => " and there are more: stopped at --budget",
        Stop::Cancelled => " and there are more: stopped by Ctrl-C",
        Stop::Memory => " and there are more: stopped at --max-search-memory",
        _ => "; some may be missing, see below",
    };
    table.text("feasible paths", certainty::paths(result.paths, result.complete, more));
    if let Some(domain) = certainty::bounded(domain).filter(|_| result.complete) {
        table.text("", domain);
    }
    if let Some(extremes) = &result.extremes {
        let at_least = if result.ends.keys().any(|end| end.is_cut()) { "at least " } else { "" };
        table.text("longest", format!("{at_least}{} {model}", grouped(model.of(&extremes.greatest))));
        table.text("shortest", format!("{} {model}", grouped(model.of(&extremes.least))));
    }
    for (end, count) in &result.ends {
        let note = if *end == End::AssumptionViolated { " (not counted as paths)" } else { "" };
        table.text(&format!("{end}"), format!("{}{note}", grouped(*count)));
    }
    let infeasible = result.counters.infeasible;
    table.text("infeasible", format!("{} ruled out by the solver", counted(infeasible, "arm", "arms")));
    table.text("time", seconds(result.elapsed.as_secs_f64()));
    let mut text = table.render();
    text += &caveats(result, unsupported);
    if let Some(extremes) = &result.extremes {
        let title = "costs of the shortest and the longest path, for each cost separately";
        text += &format!("\n{}\n", folded(title, 0, 0, width()));
        let mut table = Table::default();
        for model in CostModel::ALL {
            if is_shown(model, &extremes.greatest, flags.subject.weights.is_some()) {
                let (least, greatest) = (model.of(&extremes.least), model.of(&extremes.greatest));
                table.text(&format!("  {model}"), format!("{} .. {}", grouped(least), grouped(greatest)));
            }
        }
        text += &table.render();
    }
    text
}

/// Reports what went wrong in a search although it never should.
pub fn tell_defects(found: &SearchResult) {
    for defect in &found.defects {
        tell(&defect.to_string());
    }
}

/// What cut a run off, and which flag moves it; none for what is told elsewhere.
fn cut_off(limit: Limit) -> Option<String> {
    let at = |flag: &str| Some(format!("at the limit of {limit} ({flag})"));
    match limit {
        Limit::Instructions => at("--max-instructions"),
        Limit::Memory => at("--max-memory"),
        Limit::Depth => at("--max-depth"),
        Limit::Decisions | Limit::TableElements => Some(format!("at the limit of {limit}")),
        Limit::SearchMemory => None,
        Limit::Time => Some("after too long without an answer".to_string()),
        Limit::Budget => Some("early, so that others could be run".to_string()),
        Limit::Worker => Some("when somebody killed its process".to_string()),
    }
}

/// Why a search may have missed something; empty if it cannot have. `unsupported` is what its worst run asked the
/// environment for in vain.
pub fn caveats(result: &SearchResult, unsupported: &[(&'static str, u64)]) -> String {
    let mut lines = String::new();
    if result.complete && result.every_input.is_some() {
        // Nothing can be missing, whatever the strategy had to leave out.
        return lines;
    }
    let counters = &result.counters;
    if counters.unknown > 0 {
        let questions = counted(counters.unknown, "question", "questions");
        lines += &format!("the solver gave up on {questions}: paths behind them may be missing\n");
    }
    if counters.values_cut > 0 {
        let places = counted(counters.values_cut, "time", "times");
        lines += &format!("an address or length had more values than were followed, {places}\n");
    }
    for (end, &count) in &result.ends {
        let End::Limit(limit) = end else { continue };
        let paths = counted(count, "path was", "paths were");
        lines += &match cut_off(*limit) {
            Some(why) => format!("{paths} cut off {why}\n"),
            // Paths without memory are counted as dropped.
            None => continue,
        };
    }
    if counters.dropped > 0 {
        let arms = counted(counters.dropped, "path or branch was", "paths or branches were");
        lines += &format!("{arms} dropped because the search had no more memory (--max-search-memory)\n");
    }
    let missing = result.ends.get(&End::Unsupported).copied().unwrap_or(0);
    // Every run of Python has lines.
    let is_python = result.best.iter().chain(&result.other).any(|path| path.costs.lines > 0);
    if missing > 0 {
        let paths = counted(missing, "path", "paths");
        if !is_python {
            lines += &format!("{paths} ended at an import that is not provided; `pessimum inspect` lists them\n");
        }
    }
    if counters.unsupported > 0 && unsupported.is_empty() && !is_python {
        let calls = counted(counters.unsupported, "call", "calls");
        lines += &format!("{calls} of WASI functions that are not provided returned ENOSYS\n");
    }
    for (name, count) in unsupported {
        lines += &match *name {
            STDIN => "the program reads standard input, but --stdin was not given, so it was empty\n".to_string(),
            name => {
                let times = counted(*count, "time", "times");
                format!("the WASI function {name} is not provided; it was called {times} and returned ENOSYS\n")
            }
        };
    }
    lines
}
