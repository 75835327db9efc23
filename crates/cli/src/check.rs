//! `pessimum replay --check`: saved inputs must not cost more than they did.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::Parser as _;
use pessimum_search::cost::CostModel;
use serde_json::{Value, json};

use crate::EXIT_ABOVE;
use crate::flags::{Arguments, Command, ReplayFlags};
use crate::output::{counted, print, print_json};
use crate::replay::all_costs;
use crate::search::{limits, program};
use crate::subject::{Source, read_json};

/// Gives the exit code.
pub fn check(flags: &ReplayFlags) -> Result<u8> {
    let file: PathBuf = if flags.saved.is_dir() { flags.saved.join("result.json") } else { flags.saved.clone() };
    let saved = read_json(&file)?;
    // A regression test has several; a result of `worst` is one itself.
    let cases = saved["cases"].as_array().cloned().unwrap_or_else(|| vec![saved]);
    let (mut text, mut list, mut above) = (String::new(), Vec::new(), 0);
    for case in &cases {
        let (model, then, now) = costs(case).with_context(|| file.display().to_string())?;
        let size = case["size"].as_u64();
        above += u64::from(now > then);
        let verdict = if now > then { "COSTS MORE: " } else { "" };
        let at = size.map(|size| format!("n = {size}: ")).unwrap_or_default();
        text += &format!("{verdict}{at}{now} {model}, {then} when it was saved\n");
        list.push(json!({ "size": size, "model": model.name(), "value": now, "saved": then, "above": now > then }));
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

/// The model of a saved input, its cost then, and its cost now.
fn costs(case: &Value) -> Result<(CostModel, u64, u64)> {
    let words = case["arguments"].as_array().context("not a saved input: it has no list `arguments`")?;
    let words = words.iter().map(|word| word.as_str().unwrap_or_default());
    let arguments = match Arguments::try_parse_from(["pessimum", "run"].into_iter().chain(words)) {
        Ok(Arguments { command: Command::Run(run), .. }) => run,
        Ok(_) => bail!("`arguments` does not start a program"),
        Err(error) => bail!("`arguments`: {error}"),
    };
    let model = case["cost"]["model"].as_str().and_then(CostModel::parse).context("it has no `cost.model`")?;
    let then = case["cost"]["value"].as_u64().context("it has no `cost.value`")?;
    let subject = &arguments.subject;
    let source = Source::read(subject)?;
    let program = program(&source, subject, subject.size)?;
    let (witness, _) = program.subject().plan().decode(&case["input"])?;
    let costs = all_costs(&program, &witness, limits(subject));
    let costs = costs.context("the program does not accept this input (any more)")?;
    Ok((model, then, model.of(&costs)))
}
