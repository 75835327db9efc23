//! `pessimum worst`: searches for the input that costs the most.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use pessimum_program::{WasmFamily, WasmProgram};
use pessimum_report::result::{Cost, WorstResult};
use pessimum_search::budget::{Budget, Stop};
use pessimum_search::cost::CostModel;
use pessimum_search::policy::Policy;
use pessimum_search::program::Family;
use pessimum_search::search::{Search, SearchResult, Settings};
use pessimum_search::strategy::{self as strategies, GuidedReport};
use pessimum_term::Witness;
use serde_json::{Value, json};

use crate::compare::random_inputs;
use crate::files::{make_directory, raw_inputs, write_atomically};
use crate::flags::{WorstFlags, usual_time};
use crate::output::{Table, counted, grouped, print, print_json, seconds, short};
use crate::paths::{caveats, ends_json};
use crate::replay::{hottest_text, look};
use crate::search::{self, ProgressLine, cancelled_by_ctrl_c, costs_json, solver_json};
use crate::subject::{Source, started};
use crate::{EXIT_ABOVE, strategy};

/// Gives the exit code.
pub fn worst(flags: &WorstFlags) -> Result<u8> {
    search::check(&flags.subject, &flags.search)?;
    strategy::check(flags)?;
    let source = Source::read(&flags.subject)?;
    let program = search::program(&source, &flags.subject, flags.subject.size)?;
    let mut chosen = strategy::choose(flags, &program)?;
    let directory = directory(flags);
    make_directory(&directory)?;
    let time = usual_time(flags.search.budget, flags.paths);
    let settings = Settings {
        cost: flags.search.cost,
        budget: Budget { paths: flags.paths, time, steps: None },
        seed: flags.search.seed,
        limits: search::limits(&flags.subject),
        cancel: cancelled_by_ctrl_c()?,
        ..Settings::default()
    };
    let family = WasmFamily(|size: u32| {
        search::program(&source, &flags.subject, Some(u64::from(size))).map_err(|error| format!("{error:#}"))
    });
    let line = ProgressLine::start();
    let mut search = Search::new(&program, settings).with_observer(move |progress| line.show(progress));
    if let Some(size) = flags.subject.size.and_then(|size| u32::try_from(size).ok()) {
        search = search.with_family(&family as &dyn Family, size);
    }
    let found = strategies::run(search, chosen.strategy());
    line.clear();
    let found = found?;
    let guided = chosen.report();
    if let (Some(path), Some(report)) = (&flags.options.policy_out, guided) {
        strategy::save(path, &report.policy, &program)?;
    }
    let Some(best) = &found.best else { return nothing_found(&found) };
    let (result, unsupported) = result(flags, &program, &found, &best.witness, guided)?;
    let written = save(&directory, &program, &best.witness, &result)?;
    if flags.json {
        print_json(&result)?;
    } else {
        print(&text(flags, &found, &result, guided, &unsupported, &written))?;
    }
    Ok(if flags.fail_above.is_some_and(|most| result.cost.value > most) { EXIT_ABOVE } else { 0 })
}

fn nothing_found(found: &SearchResult) -> Result<u8> {
    bail!("{}", why_nothing(found))
}

/// Why a search has no best path.
pub fn why_nothing(found: &SearchResult) -> String {
    let ends: Vec<String> = found.ends.iter().map(|(end, count)| format!("{end}: {count}")).collect();
    let ends = if ends.is_empty() { String::new() } else { format!(" (runs by end: {})", ends.join(", ")) };
    let why = match found.stop {
        Stop::Finished => "the program accepts no input of this size",
        Stop::Time => "the time was over before; give it more with --budget",
        Stop::Cancelled => "Ctrl-C came before",
        Stop::Paths | Stop::Steps => "the budget was spent before",
    };
    format!("no path was completed: {why}{ends}")
}

pub fn result(
    flags: &WorstFlags,
    program: &WasmProgram,
    found: &SearchResult,
    witness: &Witness,
    guided: Option<&GuidedReport>,
) -> Result<(WorstResult, Vec<(&'static str, u64)>)> {
    let best = found.best.as_ref().context("no path")?;
    let replayed = look(program, witness)?;
    let limits = search::limits(&flags.subject);
    let result = WorstResult {
        module: flags.subject.module.display().to_string(),
        call: started(&flags.subject),
        size: flags.subject.size,
        strategy: flags.strategy.clone(),
        seed: flags.search.seed,
        cost: Cost { model: found.cost.name().to_string(), value: found.cost.of(&best.costs) },
        costs: costs_json(&best.costs, flags.subject.weights.is_some()),
        input: program.subject().plan().encode(witness, &replayed.asked),
        end: replayed.end,
        paths: found.paths,
        decisions: found.counters.decisions,
        solver: solver_json(&found.solver),
        complete: found.complete,
        stopped: found.stop.name().to_string(),
        elapsed_s: found.elapsed.as_secs_f64(),
        progress: found.progress.iter().map(|step| (step.seconds, step.paths, step.cost)).collect(),
        ends: ends_json(found),
        random: random_inputs(program, &replayed.asked, found.cost, limits, flags.search.seed),
        hottest: replayed.hottest,
        policy: guided.map(|report| report.policy.in_words(program)),
        arguments: flags.subject.words(),
    };
    Ok((result, replayed.unsupported))
}

pub fn directory(flags: &WorstFlags) -> PathBuf {
    flags.out.clone().unwrap_or_else(|| {
        let name = flags.subject.module.file_stem().unwrap_or_else(|| "program".as_ref());
        Path::new("pessimum-out").join(name)
    })
}

/// Gives the files written.
pub fn save(directory: &Path, program: &WasmProgram, witness: &Witness, result: &WorstResult) -> Result<Vec<PathBuf>> {
    let json = |value: Result<String, serde_json::Error>| value.map(|text| format!("{text}\n").into_bytes());
    let mut files = vec![
        (PathBuf::from("result.json"), json(serde_json::to_string_pretty(result)).context("JSON")?),
        (PathBuf::from("input.json"), json(serde_json::to_string(&result.input)).context("JSON")?),
    ];
    files.extend(raw_inputs(program.subject(), witness));
    let mut written = Vec::new();
    for (name, bytes) in files {
        write_atomically(&directory.join(&name), &bytes)?;
        written.push(name);
    }
    Ok(written)
}

fn text(
    flags: &WorstFlags,
    found: &SearchResult,
    result: &WorstResult,
    guided: Option<&GuidedReport>,
    unsupported: &[(&'static str, u64)],
    written: &[PathBuf],
) -> String {
    let mut table = Table::default();
    table.text("worst input", shown_input(&result.input));
    let model = if found.cost == CostModel::User { "(the program's own cost)" } else { &result.cost.model };
    table.text("cost", format!("{} {model}", grouped(result.cost.value)));
    table.text("", compared(result));
    table.text("end", ended(result));
    table.text("how sure", how_sure(found));
    if flags.fail_above.is_some_and(|most| result.cost.value > most) {
        table.text("limit", format!("above --fail-above {}", grouped(flags.fail_above.unwrap_or_default())));
    }
    let mut text = table.render();
    text += &hottest_text(&result.hottest);
    if let Some(report) = guided {
        text += &policy_text(report, result.policy.as_deref().unwrap_or_default());
    }
    let mut notes = caveats(found);
    for (name, count) in unsupported {
        notes += &format!("WASI function {name} is not provided; it was called {} and said ENOSYS\n", times(*count));
    }
    if !notes.is_empty() {
        text += &format!("\n{notes}");
    }
    let names: Vec<String> = written.iter().map(|name| name.display().to_string()).collect();
    let directory = directory(flags);
    text += &format!("\nwritten to {}: {}\n", directory.display(), names.join(", "));
    text + &format!("next: {}\n", next(flags, found, &directory))
}

fn times(count: u64) -> String {
    counted(count, "time", "times")
}

/// The input, with bytes as text where they are text.
pub fn shown_input(input: &Value) -> String {
    let mut shown = input.clone();
    let readable = |value: &mut Value| {
        if let Some(hex) = value.as_str()
            && let Some(text) = printable(hex)
        {
            *value = json!({ "text": text });
        }
    };
    if let Some(object) = shown.as_object_mut() {
        if let Some(stdin) = object.get_mut("stdin") {
            readable(stdin);
        }
        for key in ["files", "args"] {
            match object.get_mut(key) {
                Some(Value::Object(files)) => files.iter_mut().for_each(|(_, value)| readable(value)),
                Some(Value::Array(values)) => values.iter_mut().for_each(readable),
                _ => {}
            }
        }
    }
    short(&shown)
}

/// Bytes in hex as text, where all of them are printable.
fn printable(hex: &str) -> Option<String> {
    let byte = |i: usize| u8::from_str_radix(hex.get(i..i + 2)?, 16).ok();
    let bytes: Option<Vec<u8>> = (0..hex.len()).step_by(2).map(byte).collect();
    let text = String::from_utf8(bytes?).ok()?;
    text.chars().all(|c| !c.is_control() || matches!(c, '\n' | '\t' | '\r')).then_some(text)
}

fn compared(result: &WorstResult) -> String {
    let Some(random) = &result.random else {
        return "not compared with random inputs: no input may vary, or its runs are too long".to_string();
    };
    let cost = result.cost.value as f64;
    let ratio = |other: f64| {
        if other <= 0.0 { "more than".to_string() } else { format!("{:.1} times", cost / other) }
    };
    let inputs = counted(random.inputs, "random input", "random inputs");
    format!(
        "{} the average ({}) and {} the highest ({}) of {inputs}",
        ratio(random.average),
        grouped(random.average.round() as u64),
        ratio(random.highest as f64),
        grouped(random.highest)
    )
}

fn ended(result: &WorstResult) -> String {
    match result.end.as_str() {
        end if end.starts_with("trapped") => format!("{end}. This input crashes the program"),
        end if end.starts_with("limit") => format!("{end}. The run was cut off; it may not end at all"),
        end => end.to_string(),
    }
}

fn how_sure(found: &SearchResult) -> String {
    let paths = counted(found.paths, "path", "paths");
    let elapsed = seconds(found.elapsed.as_secs_f64());
    if found.complete {
        return format!("certain: every feasible path was seen ({paths} run, {elapsed})");
    }
    let stopped = match found.stop {
        Stop::Finished => "the strategy had nothing left to try",
        Stop::Paths => "--paths spent",
        Stop::Steps => "the steps were spent",
        Stop::Time => "--budget spent",
        Stop::Cancelled => "stopped by Ctrl-C",
    };
    match found.progress.last() {
        Some(last) => format!(
            "best of {paths} in {elapsed} ({stopped}); last improved at path {} after {}",
            grouped(last.paths),
            seconds(last.seconds)
        ),
        None => format!("best of {paths} in {elapsed} ({stopped})"),
    }
}

/// What a training strategy learnt and how it got on with it.
fn policy_text(report: &GuidedReport, words: &[String]) -> String {
    const SHOWN: usize = 20;
    let sizes: Vec<String> = report.training.finished_sizes().map(|size| size.to_string()).collect();
    let kind = match &report.policy {
        Policy::Branch(_) => "policy".to_string(),
        Policy::History(policy) => {
            format!("policy over the last {}", counted(policy.length() as u64, "decision", "decisions"))
        }
    };
    let learnt = match (sizes.is_empty(), report.training.sizes.is_empty()) {
        (false, _) => {
            let (paths, sizes) = (counted(report.training.paths(), "path", "paths"), sizes.join(", "));
            format!("learnt from {paths} at n = {sizes}")
        }
        (true, true) => "given".to_string(),
        (true, false) => "nothing learnt: no training size was finished".to_string(),
    };
    let mut text = format!("\n{kind}, {learnt}\n");
    for line in words.iter().take(SHOWN) {
        text += &format!("  {line}\n");
    }
    if words.len() > SHOWN {
        text += &format!(
            "  and {} more (all of them with --json)\n",
            counted((words.len() - SHOWN) as u64, "rule", "rules")
        );
    }
    for size in &report.training.sizes {
        if let Some(error) = &size.error {
            text += &format!("  n = {}: {error}\n", size.size);
        }
    }
    let generated = &report.generated;
    text += &format!("  it leaves open {}", counted(generated.paths, "path", "paths"));
    text += if generated.finished { " at this size" } else { " at this size that were seen, and more" };
    if generated.dead_ends > 0 {
        text += &format!(
            "; {} at a rule that could not be kept",
            counted(generated.dead_ends, "path ended", "paths ended")
        );
    }
    text.push('\n');
    if generated.opened {
        text += "  it permits no path at this size, so every feasible arm was open where it permits none\n";
    }
    text
}

fn next(flags: &WorstFlags, found: &SearchResult, directory: &Path) -> String {
    let late = found.progress.last().is_some_and(|last| match found.stop {
        Stop::Time | Stop::Cancelled => 2.0 * last.seconds > found.elapsed.as_secs_f64(),
        _ => last.paths.saturating_mul(2) > found.paths,
    });
    let more = match (found.complete, late, found.stop) {
        (true, ..) if flags.subject.size.is_some() => "a larger --size",
        (true, ..) => "more input",
        (false, true, Stop::Time | Stop::Cancelled) => "it was still improving: more time with --budget",
        (false, true, Stop::Paths | Stop::Steps) => "it was still improving: more --paths",
        _ => "another --seed or --strategy, to see whether they agree",
    };
    format!("{more}; `pessimum replay {}` runs this input again", directory.display())
}
