//! `pessimum replay`: runs a saved input again and shows where its cost is.

use std::path::Path;

use anyhow::{Context, Result, bail};
use pessimum_outcome::{CostModel, Costs};
use pessimum_session::plan::SubjectPlan;
use pessimum_session::replay::{all_costs_while, kept, look};
use pessimum_session::saved::{Saved, other_source, saved_source};
use pessimum_session::{RunPython, Source, WasmSource, values};
use serde_json::json;

use crate::explain::{in_code, rows};
use crate::flags::{ReplayFlags, SubjectFlags};
use crate::interrupt::Interrupt;
use crate::output::{Color, Style, Table, print, print_json, short, tell};
use crate::python;
use crate::whose::{Places, where_the_cost_is};
use crate::written::call_line;
use pessimum_languages::{Wanted, module_bytes};

/// The program of a plan from this directory with the module that `--module` names; none without that flag.
pub fn named_module(flags: &ReplayFlags, plan: &SubjectPlan, directory: &Path) -> Result<Option<Source>> {
    let Some(path) = &flags.module else { return Ok(None) };
    if plan.module.python.is_some() {
        if !python::concerns(path)? {
            bail!("--module {}: the saved input is one of a Python function; name a .py file", path.display());
        }
        // The command line names it, so the user wants it run.
        let mut plan = plan.clone();
        plan.module.name = path.display().to_string();
        return Ok(Some(saved_source(plan, directory, &RunPython::of_own(flags.python.python.clone()))?));
    }
    let subject = SubjectFlags::of_plan(plan).map_err(anyhow::Error::msg)?;
    let wanted = Wanted { path, options: &flags.cflags, with: &flags.with, ..subject.wanted() };
    let (bytes, compiled) = module_bytes(&wanted)?;
    let source = other_source(plan.clone(), path.display().to_string(), bytes, directory)?;
    if let (Some(compiled), Some(module)) = (&compiled, source.code().map(WasmSource::module)) {
        compiled.check(&wanted, module)?;
    }
    Ok(Some(source))
}

/// Whether a cost was counted, so that there is something to show.
pub fn is_shown(model: CostModel, costs: &Costs, weighted: bool) -> bool {
    match model {
        CostModel::Weighted => weighted,
        CostModel::Lines => costs.lines > 0,
        // Python counts some of them only if they are asked for.
        model => costs.lines == 0 || python::is_counted(model) || model.of(costs) > 0,
    }
}

pub fn replay(flags: &ReplayFlags) -> Result<()> {
    let mut saved = Saved::read(&flags.saved)?;
    if !flags.counted.is_empty() {
        saved.plan.counted.clone_from(&flags.counted);
    }
    let counted = &saved.plan.counted;
    let is_priced = saved.plan.weights.is_some();
    let source = match named_module(flags, &saved.plan, saved.directory())? {
        Some(source) => source,
        None => {
            if let Some(note) = saved.changed() {
                tell(&format!("note: {note}; --module runs another"));
            }
            saved.source(&flags.python.run())?
        }
    };
    let file: &Path = &saved.file;
    let program = source.program(saved.plan.size)?;
    let (witness, _) = program.plan().decode(&saved.result.input).with_context(|| file.display().to_string())?;
    let limits = source.limits();
    let model = CostModel::parse(&saved.result.cost.model).unwrap_or_default();
    let until = Interrupt::listen()?.until(flags.budget.and_then(|time| time.0), witness.values().len());
    let replayed = look(&*program, &witness, &limits, u64::MAX, &until);
    let costs = match replayed.profiled {
        // Of a run that was cut off, what it cost up to there.
        Some(_) => Some(replayed.costs),
        None => all_costs_while(&*program, &witness, limits, model, &until),
    };
    let Some(costs) = costs else {
        bail!("{}: the program does not accept this input", file.display());
    };
    let weighted = saved.plan.weights.is_some() || !counted.is_empty();
    let (then, now) = (saved.result.cost.value, model.of(&costs));
    let encoded = program.plan().encode(&witness, &replayed.asked);
    if flags.json {
        return print_json(&json!({
            "module": source.plan().module.name,
            "call": saved.plan.start.text(),
            "size": saved.plan.size,
            "cost": { "model": model.name(), "value": now, "saved": then },
            "costs": costs,
            "input": encoded,
            "end": replayed.end,
            "hottest": replayed.hottest,
            "functions": kept(&replayed.profile.functions),
            "libraries": kept(&replayed.profile.libraries),
            "lines": kept(&replayed.profile.lines),
        }));
    }
    let mut table = Table::default();
    let written = values::arguments(&*program, &saved.plan, &witness);
    table.text(
        "input",
        match written {
            Some(written) => call_line(saved.plan.start.text(), &written),
            None => short(&encoded),
        },
    );
    let crash = replayed.crash.as_ref();
    let why = crash.and_then(|crash| crash.why.as_deref());
    let at = crash.and_then(|crash| crash.at.as_deref());
    rows(&mut table, "end", (source.language().ended)(&replayed.end, why, at));
    table.text(
        "saved cost",
        match then == now {
            _ if replayed.profiled.is_some() => format!("{then} {model}; this run was cut off before its end"),
            true => format!("{then} {model}, the same as now"),
            false if !flags.counted.is_empty() && model == CostModel::Weighted => {
                format!("{then} {model}, of other code")
            }
            false => format!("{then} {model}, but {now} now: {}", source.language().changed),
        },
    );
    let mut text = table.render() + "\n";
    let mut table = Table::default();
    for model in CostModel::ALL {
        if is_shown(model, &costs, weighted) {
            let name = match model {
                CostModel::Weighted if !counted.is_empty() => in_code(counted, is_priced),
                model => model.name().to_string(),
            };
            table.number(&name, model.of(&costs));
        }
    }
    text += &table.render();
    let style = Style::of(Color::default(), &std::io::stdout());
    let places = Places::of_profile(&replayed.profile, &replayed.hottest, replayed.profiled.is_some());
    text += &where_the_cost_is(&places, style);
    print(&text)
}
