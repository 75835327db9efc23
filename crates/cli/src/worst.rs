//! `pessimum worst`: searches for the input that costs the most.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Parser as _;
use pessimum_program::{WasmFamily, WasmProgram};
use pessimum_report::emit::RegressionTest;
use pessimum_report::result::{Cost, Resumed, WorstResult};
use pessimum_search::budget::{Budget, Stop};
use pessimum_search::cost::Costs;
use pessimum_search::program::Family;
use pessimum_search::random::Random;
use pessimum_search::search::{Search, SearchResult, Settings};
use pessimum_search::strategy::{self as strategies, GuidedReport};
use pessimum_search::watch::{Found, News, Watch};
use pessimum_term::Witness;
use serde_json::{Value, json};

use crate::compare::random_inputs;
use crate::explain::text;
use crate::files::{forget_results, make_directory, raw_inputs, write_atomically};
use crate::flags::{Arguments, Command, WorstFlags, own_words, usual_time};
use crate::journal::{Journal, Past, Step};
use crate::live::{Shown, Viewer, watched};
use crate::output::{print, print_json};
use crate::paths::ends_json;
use crate::replay::{Replayed, all_costs, kept, look};
use crate::search::{self, cancelled_by_ctrl_c, solver_json};
use crate::subject::{Source, started};
use crate::{EXIT_ABOVE, Usage, emit, gate, report, strategy};

/// What a partial result has for the reason why its search ended.
const RUNNING: &str = "running";

/// Between two partial results on disk; the journal has every improvement.
const PARTIAL_EVERY: Duration = Duration::from_secs(1);

/// Gives the exit code.
pub fn worst(flags: &WorstFlags) -> Result<u8> {
    match &flags.resume {
        Some(directory) => resume(flags, directory),
        None => {
            let time = usual_time(flags.search.budget, flags.paths);
            search_part(flags, Budget { paths: flags.paths, time, steps: None }, &Past::default())
        }
    }
}

/// Goes on with the search of a directory: its flags, and what is left of its budget or a new one.
fn resume(given: &WorstFlags, directory: &Path) -> Result<u8> {
    let past = Past::read(directory)?;
    let mut flags =
        match Arguments::try_parse_from(["pessimum"].into_iter().chain(past.words.iter().map(String::as_str))) {
            Ok(Arguments { command: Command::Worst(flags) }) => flags,
            Ok(_) => bail!("{}: the journal is not one of `pessimum worst`", directory.display()),
            Err(error) => bail!("{}: the flags in the journal: {error}", directory.display()),
        };
    if let Some(note) = &past.note {
        eprintln!("pessimum: note: {note}");
    }
    flags.out = Some(directory.to_path_buf());
    flags.json = given.json;
    flags.search.quiet = given.search.quiet;
    flags.search.color = given.search.color;
    flags.fail_above = given.fail_above.or(flags.fail_above);
    flags.junit = given.junit.clone().or(flags.junit);
    flags.sarif = given.sarif.clone().or(flags.sarif);
    flags.emit.extend(&given.emit);
    let anew = given.paths.is_some() || given.search.budget.is_some();
    let budget = if anew {
        Budget { paths: given.paths, time: usual_time(given.search.budget, given.paths), steps: None }
    } else {
        past.left
    };
    if !anew && let Some(end) = past.end.as_ref().filter(|end| end.stopped != Stop::Cancelled.name()) {
        let why = match end.complete {
            true => "every feasible path was seen",
            false if end.stopped == Stop::Finished.name() => "the strategy had nothing left to try",
            false => "its budget was spent; give it more with --budget or --paths",
        };
        return Err(Usage(format!("{}: this search is finished: {why}", directory.display())).into());
    }
    search_part(&flags, budget, &past)
}

/// One process's part of a search: all of it, unless it goes on with an earlier one.
fn search_part(flags: &WorstFlags, budget: Budget, past: &Past) -> Result<u8> {
    search::check(&flags.subject, &flags.search)?;
    strategy::check(flags)?;
    emit::check(flags)?;
    let source = Source::read(&flags.subject)?;
    let hash = format!("{:016x}", source.checksum()?);
    let program = search::program(&source, &flags.subject, flags.subject.size)?;
    if past.parts > 0 {
        check_past(flags, &program, past, &hash)?;
    }
    let mut chosen = strategy::choose(flags, &program)?;
    let directory = directory(flags);
    make_directory(&directory)?;
    let cancel = cancelled_by_ctrl_c()?;
    let journal = if past.parts > 0 {
        Journal::go_on(&directory, past, &budget)?
    } else {
        forget_results(&directory)?;
        Journal::create(&directory, own_words(), hash, &budget)?
    };
    let family = WasmFamily(|size: u32| {
        search::program(&source, &flags.subject, Some(u64::from(size))).map_err(|error| format!("{error:#}"))
    });
    let watch = Watch::new();
    let settings = Settings {
        seed: seed_of_part(flags.search.seed, past.parts),
        starts: past.best.iter().cloned().collect(),
        ..search::settings(&flags.subject, &flags.search, budget, cancel, &watch)
    };
    let mut search = Search::new(&program, settings);
    if let Some(size) = flags.subject.size.and_then(|size| u32::try_from(size).ok()) {
        search = search.with_family(&family as &dyn Family, size);
    }
    let part = Part { flags, program: &program, past };
    let mut recorder = Recorder {
        part: &part,
        directory: &directory,
        journal,
        steps: Vec::new(),
        waiting: None,
        due: Duration::ZERO,
        failed: None,
    };
    let shown = Shown { cost: flags.search.cost, budget, earlier: (past.elapsed, past.paths), ..Shown::default() };
    let viewer = Viewer::new(&flags.search, flags.json, shown);
    let found = watched(&watch, viewer, |news| recorder.take(news), || strategies::run(search, chosen.strategy()))?;
    let Recorder { mut journal, steps, failed, .. } = recorder;
    let guided = chosen.report();
    if let (Some(path), Some(report)) = (&flags.options.policy_out, guided) {
        strategy::save(path, &report.policy, &program)?;
    }
    let Some(best) = &found.best else { bail!("{}", why_nothing(&found)) };
    let (result, unsupported) = part.finished(&found, &best.witness, guided, &steps)?;
    let mut written = save(&directory, &program, &best.witness, &result)?;
    if failed.is_none() {
        journal.end(found.elapsed, found.paths, found.stop.name(), found.complete)?;
    }
    gate::of_worst(flags, &result)?;
    written.extend(emit::emit(flags, &source, &RegressionTest::of_worst(&result), &directory)?);
    if flags.json {
        print_json(&result)?;
    } else {
        print(&text(flags, &found, &result, guided, &unsupported, &directory, &written))?;
    }
    Ok(if flags.fail_above.is_some_and(|most| result.cost.value > most) { EXIT_ABOVE } else { 0 })
}

/// Refuses to go on with another program than before.
fn check_past(flags: &WorstFlags, program: &WasmProgram, past: &Past, hash: &str) -> Result<()> {
    let module = flags.subject.module.display();
    if past.hash != hash {
        bail!("{module}: it, or another file that the search reads, has changed since; start the search anew");
    }
    if let (Some(witness), Some(then)) = (&past.best, past.cost()) {
        let costs = all_costs(program, witness, search::limits(&flags.subject));
        match costs.map(|costs| flags.search.cost.of(&costs)) {
            Some(now) if now == then => {}
            Some(now) => bail!("{module}: the recorded input costs {now} now, not {then}; start the search anew"),
            None => bail!("{module}: the recorded input is not accepted any more; start the search anew"),
        }
    }
    Ok(())
}

/// Another one for each part: with the same random numbers a part would do again what the one before did.
fn seed_of_part(seed: u64, part: u64) -> u64 {
    if part == 0 { seed } else { Random::new(seed ^ part.rotate_right(8)).bits() }
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

/// The result of a search that was made at one go, and the WASI functions that its worst run missed.
pub fn result(
    flags: &WorstFlags,
    program: &WasmProgram,
    found: &SearchResult,
    witness: &Witness,
    guided: Option<&GuidedReport>,
) -> Result<(WorstResult, Vec<(&'static str, u64)>)> {
    let steps: Vec<Step> = found.progress.iter().map(|step| (step.seconds, step.paths, step.cost)).collect();
    Part { flags, program, past: &Past::default() }.finished(found, witness, guided, &steps)
}

/// What results of one part are made from.
struct Part<'a> {
    flags: &'a WorstFlags,
    program: &'a WasmProgram,
    past: &'a Past,
}

impl Part<'_> {
    /// The result of a search that is over.
    fn finished(
        &self,
        found: &SearchResult,
        witness: &Witness,
        guided: Option<&GuidedReport>,
        steps: &[Step],
    ) -> Result<(WorstResult, Vec<(&'static str, u64)>)> {
        let best = found.best.as_ref().context("no path")?;
        let replayed = look(self.program, witness)?;
        let limits = search::limits(&self.flags.subject);
        let result = WorstResult {
            decisions: found.counters.decisions,
            solver: solver_json(&found.solver),
            complete: found.complete,
            stopped: found.stop.name().to_string(),
            ends: ends_json(found),
            random: random_inputs(self.program, &replayed.asked, found.cost, limits, self.flags.search.seed),
            policy: guided.map(|report| report.policy.in_words(self.program)),
            ..self.partial(&best.costs, witness, &replayed, found.paths, found.elapsed, steps)
        };
        Ok((result, replayed.unsupported))
    }

    /// The result as of now, earlier parts included.
    fn partial(
        &self,
        costs: &Costs,
        witness: &Witness,
        replayed: &Replayed,
        paths: u64,
        elapsed: Duration,
        steps: &[Step],
    ) -> WorstResult {
        let (flags, past) = (self.flags, self.past);
        let model = flags.search.cost;
        let earlier = past.elapsed.as_secs_f64();
        let steps = steps.iter().map(|&(seconds, paths, cost)| (earlier + seconds, past.paths + paths, cost));
        WorstResult {
            module: flags.subject.module.display().to_string(),
            call: started(&flags.subject),
            size: flags.subject.size,
            strategy: flags.strategy.clone(),
            seed: flags.search.seed,
            cost: Cost { model: model.name().to_string(), value: model.of(costs) },
            costs: json!(costs),
            input: self.program.subject().plan().encode(witness, &replayed.asked),
            end: replayed.end.clone(),
            paths: past.paths + paths,
            decisions: 0,
            solver: Value::Null,
            complete: false,
            stopped: RUNNING.to_string(),
            elapsed_s: earlier + elapsed.as_secs_f64(),
            progress: past.progress.iter().copied().chain(steps).collect(),
            ends: json!({}),
            random: None,
            hottest: replayed.hottest.clone(),
            functions: kept(&replayed.profile.functions),
            lines: kept(&replayed.profile.lines),
            policy: None,
            arguments: flags.subject.words(),
            command: own_words(),
            resumed: (past.parts > 0).then_some(Resumed { parts: past.parts, paths: past.paths, elapsed_s: earlier }),
        }
    }
}

/// Keeps what is found on disk while the search goes on.
struct Recorder<'a> {
    part: &'a Part<'a>,
    directory: &'a Path,
    journal: Journal,
    /// Improvements of this part.
    steps: Vec<Step>,
    /// Found, and not in a partial result yet.
    waiting: Option<Found>,
    /// When the next partial result may be written.
    due: Duration,
    /// What went wrong with the disk. The search goes on: its end may find room again.
    failed: Option<anyhow::Error>,
}

impl Recorder<'_> {
    fn take(&mut self, news: &News) {
        if self.failed.is_none()
            && let Err(error) = self.record(news)
        {
            eprintln!("pessimum: note: {error:#}; the search goes on, but cannot be resumed");
            self.failed = Some(error);
        }
    }

    fn record(&mut self, news: &News) -> Result<()> {
        // What an earlier part found already is run again, but is no improvement.
        let known = self.part.past.cost();
        let new = news.improvements.iter().filter(|step| Some(step.cost) > known);
        let new: Vec<Step> = new.map(|step| (step.seconds, step.paths, step.cost)).collect();
        match &news.found {
            Some(found) if !new.is_empty() => self.journal.best(news.elapsed, &new, &found.input)?,
            _ => self.journal.alive(news.elapsed, news.paths)?,
        }
        self.steps.extend(new);
        self.waiting = news.found.clone().or(self.waiting.take());
        if !news.over
            && news.elapsed >= self.due
            && let Some(found) = self.waiting.take()
        {
            let began = std::time::Instant::now();
            let replayed = look(self.part.program, &found.input)?;
            let result =
                self.part.partial(&found.costs, &found.input, &replayed, news.paths, news.elapsed, &self.steps);
            save(self.directory, self.part.program, &found.input, &result)?;
            // Long runs are not repeated all the time.
            self.due = news.elapsed + PARTIAL_EVERY.max(10 * began.elapsed());
        }
        Ok(())
    }
}

/// Where the results of a search are kept.
pub fn directory(flags: &WorstFlags) -> PathBuf {
    flags.out.clone().unwrap_or_else(|| {
        let mut module = flags.subject.module.clone();
        // Directories of packages, `.` among them, by their own name.
        if module.ends_with("Cargo.toml") || module.is_dir() {
            module = std::fs::canonicalize(&module).unwrap_or(module);
            if module.ends_with("Cargo.toml") {
                module.pop();
            }
        }
        let name = module.file_stem().unwrap_or_else(|| "program".as_ref());
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
    // Its profiles would hold up a search that still runs.
    if result.stopped != RUNNING {
        files.push((PathBuf::from(report::FILE), report::of_worst(program, witness, result).into_bytes()));
    }
    files.extend(raw_inputs(program.subject(), witness));
    let mut written = Vec::new();
    for (name, bytes) in files {
        write_atomically(&directory.join(&name), &bytes)?;
        written.push(name);
    }
    Ok(written)
}
