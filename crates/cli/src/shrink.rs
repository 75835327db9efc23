//! `pessimum shrink`: a saved worst input made simpler at the same cost.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use pessimum_outcome::CostModel;
use pessimum_report::profile::Profile;
use pessimum_report::result::{Cost, WorstResult};
use pessimum_report::text::{command_line, printable};
use pessimum_search::budget::Until;
use pessimum_session::files::{make_directory_inside, write_atomically};
use pessimum_session::replay::{kept, look};
use pessimum_session::saved::{PlannedResult, Saved, result_files, save_program, write_files};
use pessimum_session::shrink::{Keep, ShrinkTask, Shrinking, Shrunk};
use pessimum_session::{half_of_the_rest, values};
use serde_json::json;

use crate::flags::{ShrinkFlags, ShrinkKeep, SubjectFlags, not_an_option, own_words};
use crate::interrupt::Interrupt;
use crate::output::{Table, counted, grouped, print, print_finding, print_json_finding, seconds, tell, written_to};
use crate::shape::input_lines;
use crate::{report, worst};

/// The time limit if neither --budget nor --paths is given.
const USUAL_TIME: Duration = Duration::from_secs(5);

/// Returns the exit code.
pub fn shrink(flags: &ShrinkFlags) -> Result<u8> {
    let saved = Saved::read(&flags.saved)?;
    let result = &saved.result;
    let cost = CostModel::parse(&result.cost.model)
        .with_context(|| format!("{}: no cost is named `{}`", saved.file.display(), result.cost.model))?;
    if let Some(note) = saved.changed() {
        tell(&format!("note: {note}"));
    }
    let source = saved.source(&flags.python.run())?;
    let (witness, _) =
        source.input(saved.plan.size)?.decode(&result.input).with_context(|| saved.file.display().to_string())?;
    let cancel = Interrupt::listen()?.cancel();
    let shrinking = Shrinking::start(ShrinkTask {
        source: &source,
        witness,
        cost,
        seed: result.seed,
        shorter: flags.shorter.then(|| kept_by(flags, result)).transpose()?,
        random: result.random.clone(),
        time: match (flags.budget, flags.paths) {
            (Some(given), _) => given.0,
            (None, Some(_)) => None,
            (None, None) => Some(USUAL_TIME),
        },
        runs: flags.paths,
        cancel: cancel.clone(),
    })?;
    if shrinking.cost() < result.cost.value {
        bail!(
            "{}: this input costs {} {cost}, not {} as saved: the files do not belong together",
            saved.file.display(),
            grouped(shrinking.cost()),
            grouped(result.cost.value)
        );
    }
    let shrunk = shrinking.run()?;
    let until = || half_of_the_rest(shrunk.overtime, &cancel);
    let (after, profile) = simpler(result, &shrunk, cost, &until())?;
    let shortened = shrunk.source.plan() != &saved.plan;
    let changed = shortened || after.input != result.input;
    let directory = match &flags.out {
        Some(directory) => directory.clone(),
        None => saved.directory().join("shrunk"),
    };
    // The finding is printed first, so that it is not lost whatever happens to the disk.
    let printed = match flags.json {
        true => print_json_finding(&json!({
            "before": { "input": result.input, "size": result.size, "cost": result.cost },
            "after": { "input": after.input, "size": after.size, "cost": after.cost },
            "changed": changed,
            "finished": shrunk.finished,
            "runs": shrunk.runs,
            "elapsed_s": shrunk.elapsed.as_secs_f64(),
            "directory": directory.display().to_string(),
        })),
        false => print_finding(&text((result, &after), (changed, shortened), &shrunk)),
    };
    let cost = after.cost.value;
    let planned = PlannedResult { result: after, plan: shrunk.source.plan().clone() };
    let kept = keep(flags, &saved, &shrunk, &planned, profile, &until());
    if let (Ok(written), false) = (&kept, flags.json) {
        print(&afterwards(&directory, written, shrunk.source.language().permission))?;
    }
    let lost = printed.err().map(|error| worst::not_printed(error, cost, &directory));
    Ok(worst::exit_code(false, lost.into_iter().chain(kept.err())))
}

/// Saves the simpler input with the same files as `worst` writes. Returns their names.
fn keep(
    flags: &ShrinkFlags,
    saved: &Saved,
    shrunk: &Shrunk,
    planned: &PlannedResult,
    profile: Profile,
    until: &Until,
) -> Result<Vec<PathBuf>> {
    let directory = match &flags.out {
        Some(directory) => directory.clone(),
        // The directory may come from somebody else, and a link in it lead to anywhere.
        None => make_directory_inside(saved.directory(), "shrunk")?,
    };
    let owner = worst::own(&directory)?;
    save_program(owner.directory(), &shrunk.source)?;
    let files = result_files(&*shrunk.program, planned, &shrunk.witness)?;
    let mut written = write_files(owner.directory(), &files)?;
    let limits = shrunk.source.limits();
    let page = report::of_worst(&*shrunk.program, profile, &planned.result, limits, u64::MAX, until);
    write_atomically(&directory.join(report::FILE), page.as_bytes())?;
    written.insert(2, PathBuf::from(report::FILE));
    Ok(written)
}

/// What a shorter input keeps.
fn kept_by(flags: &ShrinkFlags, result: &WorstResult) -> Result<Keep> {
    match (flags.keep, ratio(result)) {
        (ShrinkKeep::Cost, _) => Ok(Keep::Cost),
        (ShrinkKeep::Ratio, Some(ratio)) => Ok(Keep::Ratio(ratio)),
        (ShrinkKeep::Ratio, None) => bail!("--keep ratio: the result has no average of random inputs"),
    }
}

/// The result with the simpler input in its place, and where the cost of its run is.
fn simpler(before: &WorstResult, shrunk: &Shrunk, cost: CostModel, until: &Until) -> Result<(WorstResult, Profile)> {
    let plan = shrunk.source.plan();
    let replayed = look(&*shrunk.program, &shrunk.witness, &shrunk.source.limits(), u64::MAX, until);
    let result = WorstResult {
        size: plan.size,
        // What was seen at one size says nothing of another.
        complete: before.complete && plan.size == before.size,
        domain: shrunk.program.domain().text(),
        cost: Cost { model: before.cost.model.clone(), value: cost.of(&shrunk.costs) },
        costs: shrunk.costs,
        input: shrunk.program.plan().encode(&shrunk.witness, &replayed.asked),
        written: values::arguments(&*shrunk.program, plan, &shrunk.witness),
        end: if replayed.profiled.is_some() { before.end.clone() } else { replayed.end },
        // Nobody has looked whether the state of this run comes back.
        recurs: None,
        random: shrunk.random.clone(),
        hottest: replayed.hottest,
        functions: kept(&replayed.profile.functions),
        libraries: kept(&replayed.profile.libraries),
        lines: kept(&replayed.profile.lines),
        profiled: replayed.profiled,
        // Recorded for the other input.
        work: None,
        command: own_words(),
        arguments: SubjectFlags::of_plan(plan).map_err(anyhow::Error::msg)?.words(),
        ..before.clone()
    };
    Ok((result, replayed.profile))
}

fn text((before, after): (&WorstResult, &WorstResult), (changed, shortened): (bool, bool), shrunk: &Shrunk) -> String {
    let size = |result: &WorstResult| match result.size {
        Some(size) if shortened => format!("n = {size}: "),
        _ => String::new(),
    };
    let model =
        if before.cost.model == CostModel::User.name() { "(the program's own cost)" } else { &before.cost.model };
    let cost = |result: &WorstResult| format!("{} {model}", grouped(result.cost.value));
    let mut table = Table::default();
    for (name, result) in [("before", before), ("after", after)] {
        for (index, line) in
            input_lines(&result.input, result.call.as_deref(), result.written.as_deref()).into_iter().enumerate()
        {
            match index {
                0 => table.text(name, size(result) + &line),
                _ => table.text("", line),
            }
        }
    }
    table.text(
        "cost",
        match (before.cost.value == after.cost.value, !shortened) {
            (true, _) => format!("{}, as before", cost(after)),
            (false, true) => format!("{}, which is more than before ({})", cost(after), grouped(before.cost.value)),
            (false, false) => format!("{}; before it was {}", cost(after), grouped(before.cost.value)),
        },
    );
    if shortened && let (Some(then), Some(now)) = (ratio(before), ratio(after)) {
        table.text("", format!("{now:.2} times the random average of this size; before it was {then:.2} times"));
    }
    table.text("end", printable(&after.end));
    let (runs, elapsed) = (counted(shrunk.runs, "run", "runs"), seconds(shrunk.elapsed.as_secs_f64()));
    table.text(
        "tried",
        match (shrunk.finished, changed) {
            (true, true) => format!("{runs} in {elapsed}: nothing simpler is left to try"),
            (true, false) => format!("{runs} in {elapsed}: nothing simpler was found"),
            (false, _) => format!("{runs} in {elapsed}, then the budget was spent: more with --budget or --paths"),
        },
    );
    table.render()
}

/// What was written where, and what to do next.
fn afterwards(directory: &Path, written: &[PathBuf], run: &str) -> String {
    let names: Vec<String> = written.iter().map(|name| name.display().to_string()).collect();
    let command = command_line(["pessimum".to_string(), "replay".to_string(), not_an_option(directory)].iter()) + run;
    written_to(directory, &names) + &format!("next: {command}  runs it again and shows where its cost is\n")
}

/// How many times the average of random inputs.
fn ratio(result: &WorstResult) -> Option<f64> {
    let average = result.random.as_ref()?.average;
    (average > 0.0).then_some(result.cost.value as f64 / average)
}
