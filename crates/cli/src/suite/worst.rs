//! `pessimum worst --api`: the sequence of calls that costs most, in all or in its last call.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Context, Error, Result};
use pessimum_languages::{Usage, Wanted, interface};
use pessimum_program::WasmLibrary;
use pessimum_report::certainty;
use pessimum_report::suite::{RandomSequences, SequenceCost, SequenceResult, Statement};
use pessimum_report::text::{json_text, printable};
use pessimum_search::budget::{Budget, Stop, Until};
use pessimum_search::program::PathLimits;
use pessimum_search::search::Improvement;
use pessimum_session::named;
use pessimum_session::plan::LimitsPlan;
use pessimum_session::saved::{MODULE, RESULT, write_files};
use pessimum_session::suite::{each, simplified, statements};
use pessimum_suites::{Counted, Library as _, Listener, WorstCalls, WorstCallsSettings};

use super::library;
use crate::files::forget_results;
use crate::flags::{WorstFlags, own_words, usual_time};
use crate::interrupt::Interrupt;
use crate::output::{
    Style, counted, folded, grouped, print, print_finding, print_json_finding, seconds, width, written_to,
};
use crate::place::Place;
use crate::queries::Queries;
use crate::whose::{Places, where_the_cost_is};
use crate::worst::{directory_of, exit_code};

/// Rows of calls that are shown; result.json has all of them.
const SHOWN: usize = 24;

/// Returns the exit code.
pub fn worst(flags: &WorstFlags) -> Result<u8> {
    check(flags)?;
    let most_calls = flags.subject.n().ok_or_else(|| Usage("--size is needed: the most calls".to_string()))?;
    let wanted = Wanted { sequences: true, listed: true, ..flags.subject.wanted() };
    let interface = interface(&wanted)?;
    let instructions = flags.subject.max_instructions.unwrap_or(LimitsPlan::USUAL.instructions);
    let library = library(&flags.subject.module, &interface, &flags.api, instructions)?;
    let directory = directory_of(flags.results.out.as_deref(), &flags.subject);
    let owner = Place::with_room(&directory, interface.module.len())?;
    let queries = Queries::of(&flags.search)?;
    let counted = if flags.last_call { Counted::LastCall } else { Counted::Everything };
    let limits = PathLimits {
        instructions,
        memory: flags.subject.max_memory.saturating_mul(1 << 20),
        depth: u64::from(flags.subject.max_depth),
        ..PathLimits::default()
    };
    let cancel = Interrupt::listen()?.cancel();
    let display = Arc::new(Mutex::new(Display::new(flags)));
    let shown = display.clone();
    let settings = WorstCallsSettings {
        cost: flags.maximised.cost,
        counted,
        ends: flags.end.map_or_else(Default::default, Into::into),
        most_calls: usize::try_from(most_calls).unwrap_or(usize::MAX).clamp(1, MOST_CALLS),
        budget: Budget {
            paths: flags.results.paths,
            time: usual_time(flags.search.budget, flags.results.paths),
            steps: None,
        },
        seed: flags.search.seed,
        limits,
        solver: queries.settings(),
        cancel: cancel.clone(),
        listener: Listener::new(move |improvement: &Improvement| {
            if let Ok(mut display) = shown.lock() {
                display.show(improvement);
            }
        }),
        ..WorstCallsSettings::default()
    };
    let found = pessimum_suites::worst(&library, &settings);
    if let Ok(mut display) = display.lock() {
        display.close();
    }
    let mut found = found.map_err(|why| Error::msg(format!("{}: {why}", flags.subject.module.display())))?;
    let until = Until { moment: Some(Instant::now() + SIMPLIFYING), cancel };
    let of_wasm = if flags.last_call { pessimum_wasm::Counted::Last } else { pessimum_wasm::Counted::All };
    // A search that counts executions is to be the same every time.
    let until = if flags.search.budget.is_none() && flags.results.paths.is_some() {
        Until { moment: None, ..until }
    } else {
        until
    };
    if found.test.calls.len() <= MOST_SIMPLIFIED {
        found.test = simplified(&library, &found.test, (of_wasm, flags.maximised.cost), limits, &until)?;
        found.calls = each(&library, &found.test, flags.maximised.cost, &limits)?;
    }
    let result = result(flags, &library, &found, (most_calls, limits))?;
    let printed = match flags.results.json {
        true => print_json_finding(&result),
        false => print_finding(&(text(flags, &library, &found, &result, limits)? + &queries.text())),
    };
    let saved = || -> Result<()> {
        let text = json_text(&result).context("JSON")?;
        forget_results(owner.directory())?;
        let files = [(RESULT.to_string(), text.into_bytes()), (MODULE.to_string(), interface.module.clone())];
        write_files(owner.directory(), &files)?;
        if !flags.results.json && owner.failure().is_none() {
            print(&written_to(owner.directory(), &[RESULT, MODULE].map(String::from)))?;
        }
        Ok(())
    };
    let failed = [printed.err(), saved().err(), owner.failure(), queries.verdict().err()];
    let above = flags.fail_above.is_some_and(|most| found.cost > most);
    Ok(exit_code(above, failed.into_iter().flatten()))
}

/// Time to make numbers simpler.
const SIMPLIFYING: Duration = Duration::from_secs(3);

/// The longest sequence that is made simpler: looking at each of its calls takes a run of all before it.
const MOST_SIMPLIFIED: usize = 300;

/// The most calls of a sequence: each is laid out and started on its own.
const MOST_CALLS: usize = 10_000;

/// Refuses what only a single call has.
fn check(flags: &WorstFlags) -> Result<()> {
    let given = [
        (flags.subject.call.is_some(), "--call"),
        (flags.subject.entry.is_some(), "--entry"),
        (flags.subject.stdin.is_some(), "--stdin"),
        (!flags.subject.file.is_empty(), "--file"),
        (!flags.subject.arg.is_empty(), "--arg"),
        (!flags.input.is_empty(), "--input"),
        (flags.results.corpus.is_some(), "--corpus"),
        (!flags.results.emit.is_empty(), "--emit"),
        (flags.resume.is_some(), "--resume"),
        (flags.subject.weights.is_some() || !flags.counted.patterns.is_empty(), "--weights or --in"),
        (flags.strategy != "auto", "--strategy"),
    ];
    match given.into_iter().find(|(is_given, _)| *is_given) {
        Some((_, flag)) => Err(Usage(format!("{flag} is for single calls, and --api for sequences of calls")).into()),
        None => Ok(()),
    }
}

fn result(
    flags: &WorstFlags,
    library: &WasmLibrary,
    found: &WorstCalls,
    (size, limits): (u64, PathLimits),
) -> Result<SequenceResult> {
    let ran = library.run(&found.test, &limits).map_err(Error::msg)?;
    let random = (!found.random.is_empty()).then(|| RandomSequences {
        runs: found.random.len() as u64,
        mean: found.random.iter().sum::<u64>() as f64 / found.random.len() as f64,
        highest: found.random.iter().copied().max().unwrap_or(0),
    });
    Ok(SequenceResult {
        module: flags.subject.module.display().to_string(),
        api: library.declarations().iter().map(|declared| declared.text().to_string()).collect(),
        size,
        strategy: flags.strategy.clone(),
        seed: flags.search.seed,
        cost: SequenceCost {
            model: flags.maximised.cost.name().to_string(),
            last_call: flags.last_call,
            value: found.cost,
        },
        costs: serde_json::to_value(found.costs).context("JSON")?,
        statements: statements(library, &found.test, &ran)?,
        each: found.calls.clone(),
        end: found.end.to_string(),
        runs: found.runs,
        random,
        stopped: found.stop.name().to_string(),
        elapsed_s: found.elapsed.as_secs_f64(),
        progress: found.progress.iter().map(|at| (at.seconds, at.paths, at.cost)).collect(),
        command: own_words(),
    })
}

/// About one screen: the calls, what they cost, and where.
fn text(
    flags: &WorstFlags,
    library: &WasmLibrary,
    found: &WorstCalls,
    result: &SequenceResult,
    limits: PathLimits,
) -> Result<String> {
    let style = Style::of(flags.search.color, &std::io::stdout());
    let count = counted(result.statements.len() as u64, "call", "calls");
    let mut text = format!("worst sequence of {count}, with the {} of each\n", result.cost.model);
    let rows = rows(&result.statements, &result.each);
    for (row, times) in rows.iter().take(SHOWN) {
        let times = if *times > 1 { format!("  {times} times") } else { String::new() };
        text += &format!("    {}\n", folded(&format!("{row}{times}"), 4, 6, width()));
    }
    if rows.len() > SHOWN {
        text += &format!("    and {} more in result.json\n", rows.len() - SHOWN);
    }
    let of = if flags.last_call { "in the last call" } else { "in all calls" };
    let cost = style.number(&grouped(found.cost));
    text += &format!("cost         {cost} {} {of}\n", result.cost.model);
    if let Some(random) = result.random.filter(|random| random.mean > 0.0) {
        let ratio = found.cost as f64 / random.mean;
        let sequences = counted(random.runs, "random sequence", "random sequences");
        let mean = grouped(random.mean.round() as u64);
        text += &format!("             {ratio:.1} times the average of {sequences} ({mean})\n");
    }
    text += &format!("end          {}\n", result.end);
    let (runs, time) = (counted(result.runs, "execution", "executions"), seconds(result.elapsed_s));
    let stopped = match found.stop {
        Stop::Cancelled => ", stopped by Ctrl-C",
        Stop::Paths => ", --paths spent",
        _ => "",
    };
    text += &format!("how sure     {}\n", certainty::best_of(&format!("{runs} in {time}{stopped}")));
    if let Some(most) = flags.fail_above {
        let verdict = if found.cost > most { style.bad("above") } else { "not above".to_string() };
        text += &format!("             {verdict} --fail-above {most}\n");
    }
    let counted = if flags.last_call { pessimum_wasm::Counted::Last } else { pessimum_wasm::Counted::All };
    let program = library.counting(&found.test.calls, counted).map_err(Error::msg)?;
    let mut profile = named(&program.profile(&found.test.input, &limits), &program);
    // Calls that do not count prepared the state.
    profile.functions.retain(|function| function.calls > 0);
    Ok(text + &where_the_cost_is(&Places::of_profile(&profile, &[], false), style))
}

/// Calls one after the other that differ only in what they cost are one row.
fn rows(statements: &[Statement], each: &[u64]) -> Vec<(String, usize)> {
    let mut rows: Vec<(String, usize)> = Vec::new();
    for (at, statement) in statements.iter().enumerate() {
        let cost = each.get(at).map(|&cost| format!("  {}", grouped(cost))).unwrap_or_default();
        let row = format!("{}{cost}", printable(&statement.text));
        match rows.last_mut() {
            Some((last, times)) if *last == row => *times += 1,
            _ => rows.push((row, 1)),
        }
    }
    rows
}

/// How the search is getting on, on standard error.
enum Display {
    Silent,
    Live,
}

impl Display {
    fn new(flags: &WorstFlags) -> Display {
        use std::io::IsTerminal as _;
        match flags.search.quiet || flags.results.json || !std::io::stderr().is_terminal() {
            true => Display::Silent,
            false => Display::Live,
        }
    }

    fn show(&mut self, improvement: &Improvement) {
        use std::io::Write as _;
        if let Display::Live = self {
            let (time, runs) = (seconds(improvement.seconds), grouped(improvement.paths));
            // A closed standard error is no reason to stop.
            let _ = write!(std::io::stderr(), "\r\x1b[K{time}  run {runs}  cost {}", grouped(improvement.cost));
        }
    }

    fn close(&mut self) {
        use std::io::Write as _;
        if let Display::Live = self {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}
