//! `pessimum replay --check`: saved inputs must not cost more than they did.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use pessimum_outcome::CostModel;
use pessimum_report::cover::outcome;
use pessimum_search::budget::Until;
use pessimum_search::program::Replay;
use pessimum_session::Source;
use pessimum_session::files::{MAX_FILE, MAX_JSON, read_inside};
use pessimum_session::plan::SubjectPlan;
use pessimum_session::replay::costs_and_end;
use pessimum_session::saved::{RESULT, other_source, saved_source};
use pessimum_term::Witness;
use serde_json::{Value, json};

use crate::EXIT_ABOVE;
use crate::flags::ReplayFlags;
use crate::output::{counted, print, print_json};
use crate::replay::named_module;
use crate::subject::{self, read_json};
use pessimum_languages::binary;

/// Returns the exit code.
pub fn check(flags: &ReplayFlags) -> Result<u8> {
    let file: PathBuf = if flags.saved.is_dir() { flags.saved.join(RESULT) } else { flags.saved.clone() };
    let saved = match flags.saved.is_dir() {
        true => subject::json(&read_inside(&flags.saved, RESULT, MAX_JSON)?, &file)?,
        false => read_json(&file)?,
    };
    let directory = file.parent().unwrap_or(Path::new(""));
    // A regression test has several cases; a result of `worst` is a single one.
    let cases = saved["cases"].as_array().cloned().unwrap_or_else(|| vec![saved]);
    let (mut text, mut list, mut above) = (String::new(), Vec::new(), 0);
    if cases.iter().any(|case| case["expect"].is_string()) {
        return check_suite(flags, &cases, &file);
    }
    for case in &cases {
        let (model, then, ran) = costs(flags, case, directory).with_context(|| file.display().to_string())?;
        let (now, endless) = (model.of(&ran.costs), ran.end.is_endless() && case["endless"] != true);
        let size = case["size"].as_u64();
        let is_more = now > then || endless;
        above += u64::from(is_more);
        let verdict = match (endless, is_more) {
            (true, _) => "DOES NOT END: ",
            (false, true) => "COSTS MORE: ",
            (false, false) => "",
        };
        let at = size.map(|size| format!("n = {size}: ")).unwrap_or_default();
        text += &format!("{verdict}{at}{now} {model}, {then} when it was saved\n");
        list.push(json!({ "size": size, "model": model.name(), "value": now, "saved": then, "above": is_more }));
    }
    if flags.json {
        print_json(&json!({ "cases": list, "above": above }))?;
    } else {
        let checked = counted(cases.len() as u64, "input", "inputs");
        let cost = if above == 1 { "costs" } else { "cost" };
        print(&format!("{text}{checked} checked, {above} {cost} more than when saved\n"))?;
    }
    Ok(if above > 0 { EXIT_ABOVE } else { 0 })
}

/// Checks that the inputs of a suite end as they did and return what they did.
fn check_suite(flags: &ReplayFlags, cases: &[Value], file: &Path) -> Result<u8> {
    let directory = file.parent().unwrap_or(Path::new(""));
    let (mut text, mut list, mut failed) = (String::new(), Vec::new(), 0);
    for (number, case) in (1..).zip(cases) {
        let (source, witness) = program(flags, case, directory).with_context(|| file.display().to_string())?;
        let expected = case["expect"].as_str().context("it has no `expect`")?;
        let ran = source.program(source.plan().size)?.run_while(&witness, &mut || true)?;
        let found = outcome(&ran.end.to_string(), &ran.returned);
        if found != expected {
            failed += 1;
            text += &format!("input {number}: expected \"{expected}\", found \"{found}\"\n");
        }
        list.push(json!({ "size": case["size"], "expected": expected, "found": found }));
    }
    if flags.json {
        print_json(&json!({ "cases": list, "failed": failed }))?;
    } else {
        let checked = counted(cases.len() as u64, "input", "inputs");
        print(&format!("{text}{checked} checked, {failed} did something else\n"))?;
    }
    Ok(if failed > 0 { EXIT_ABOVE } else { 0 })
}

/// The model of a saved input, its cost when it was saved, and what it does now. It runs in the module that --module names
/// or, without that, in the present module of the saved name. Nothing is compiled unless the command line names it.
fn costs(flags: &ReplayFlags, case: &Value, directory: &Path) -> Result<(CostModel, u64, Replay)> {
    let model = case["cost"]["model"].as_str().and_then(CostModel::parse).context("it has no `cost.model`")?;
    let then = case["cost"]["value"].as_u64().context("it has no `cost.value`")?;
    let (source, witness) = program(flags, case, directory)?;
    let program = source.program(source.plan().size)?;
    let ran = costs_and_end(&*program, &witness, source.limits(), model, &Until::default());
    Ok((model, then, ran.context("the program no longer accepts this input")?))
}

/// What a saved case runs, and its input.
fn program(flags: &ReplayFlags, case: &Value, directory: &Path) -> Result<(Source, Witness)> {
    if case["plan"].is_null() {
        bail!("not a saved input, or one from an earlier version: it has no `plan`");
    }
    let plan: SubjectPlan = serde_json::from_value(case["plan"].clone()).context("`plan`")?;
    let model = case["cost"]["model"].as_str().and_then(CostModel::parse);
    let source = match named_module(flags, &plan, directory)? {
        Some(source) => source,
        None if plan.module.python.is_some() => saved_source(plan, directory, &flags.python.run())?,
        None => {
            let name = plan.module.name.clone();
            let path = Path::new(&name);
            if !path.extension().is_some_and(|extension| extension == "wasm" || extension == "wat") {
                bail!("{name} is not a module; give --module {name} to have it compiled");
            }
            let bytes = binary(read_inside(Path::new(""), &name, MAX_FILE)?);
            other_source(plan, name, bytes, directory)?
        }
    };
    let source = source.counting(model.unwrap_or(CostModel::Lines));
    let (witness, _) = source.input(source.plan().size)?.decode(&case["input"])?;
    Ok((source, witness))
}
