//! `pessimum worst`: searches for the input that costs the most.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use pessimum_program::WasmProgram;
use pessimum_report::emit::RegressionTest;
use pessimum_report::profile::Profile;
use pessimum_search::budget::{Budget, Stop};
use pessimum_search::random::Random;
use pessimum_search::strategy::GuidedReport;
use pessimum_session::baseline::affordable;
use pessimum_session::journal::{Journal, Past, Plan, check_free};
use pessimum_session::plan::{SearchPlan, SubjectPlan};
use pessimum_session::record::Recorder;
use pessimum_session::replay::{all_costs, profiled_instructions};
use pessimum_session::result::{Account, Origin};
use pessimum_session::saved::{PlannedResult, changed, replaced, save, save_module, saved_source};
use pessimum_session::{Listeners, Outcome, Session, Source, Task};
use pessimum_term::Witness;

use crate::explain::{afterwards, text};
use crate::files::{forget_results, make_directory};
use crate::flags::{SubjectFlags, WorstFlags, check_prices, own_words, usual_time};
use crate::interrupt::Interrupt;
use crate::live::{Shown, Viewer};
use crate::output::{print, print_json, tell};
use crate::paths::tell_defects;
use crate::queries::Queries;
use crate::{EXIT_ABOVE, Usage, emit, gate, report, strategy, subject};

/// Returns the exit code.
pub fn worst(flags: &WorstFlags) -> Result<u8> {
    match &flags.resume {
        Some(directory) => resume(flags, directory),
        None => begin(flags),
    }
}

/// A new search.
fn begin(flags: &WorstFlags) -> Result<u8> {
    check_prices(&flags.subject, &flags.search)?;
    strategy::check(flags)?;
    emit::check(flags)?;
    let source = subject::source(&flags.subject)?;
    let budget = Budget { paths: flags.paths, time: usual_time(flags.search.budget, flags.paths), steps: None };
    let (past, search) = (Past::default(), strategy::plan(flags)?);
    let part = Part { flags, source: &source, search, budget, past: &past, directory: directory(flags) };
    part.search(|directory, plan, budget| {
        check_free(directory)?;
        if !(flags.json || flags.search.quiet)
            && let Some(note) = replaced(directory, &plan.subject)
        {
            tell(&format!("note: {note}"));
        }
        forget_results(directory)?;
        // The module is saved before the journal, so that a search with a journal can always be resumed.
        save_module(directory, &source)?;
        Ok(Journal::create(directory, plan, budget)?)
    })
}

/// Continues the search in a directory, with its plan and module, and with what is left of its budget or a new one.
/// Only the present command line says what is written where.
fn resume(given: &WorstFlags, directory: &Path) -> Result<u8> {
    let past = Past::read(directory)?;
    let plan = past.plan.clone().with_context(|| format!("{}: no plan", directory.display()))?;
    for note in past.note.iter().chain(&changed(&plan.subject.module)) {
        tell(&format!("note: {note}"));
    }
    let anew = given.paths.is_some() || given.search.budget.is_some();
    let budget = match anew {
        true => Budget { paths: given.paths, time: usual_time(given.search.budget, given.paths), steps: None },
        false => past.left,
    };
    if !anew && let Some(end) = past.end.as_ref().filter(|end| end.stopped != Stop::Cancelled.name()) {
        let why = match end.complete {
            true => "every feasible path was seen",
            false if end.stopped == Stop::Finished.name() => "the strategy had nothing left to try",
            false => "its budget was spent; give it more with --budget or --paths",
        };
        return Err(Usage(format!("{}: this search is finished: {why}", directory.display())).into());
    }
    let source = saved_source(plan.subject.clone(), directory)?;
    let mut flags = given.clone();
    flags.subject = SubjectFlags::of_plan(&plan.subject).map_err(anyhow::Error::msg)?;
    (flags.search.cost, flags.search.seed) = (plan.search.cost, plan.search.seed);
    flags.fail_above = given.fail_above.or(plan.fail_above);
    emit::check(&flags)?;
    let (search, directory) = (plan.search, directory.to_path_buf());
    let part = Part { flags: &flags, source: &source, search, budget, past: &past, directory };
    part.search(|directory, _, budget| Ok(Journal::go_on(directory, &past, budget)?))
}

/// One process's part of a search: all of it, unless it continues an earlier one.
struct Part<'a> {
    flags: &'a WorstFlags,
    source: &'a Source,
    search: SearchPlan,
    budget: Budget,
    past: &'a Past,
    directory: PathBuf,
}

impl Part<'_> {
    /// Searches, prints, and then saves. `journal` starts the journal or continues it.
    fn search(&self, journal: impl FnOnce(&Path, &Plan, &Budget) -> Result<Journal>) -> Result<u8> {
        let (flags, past) = (self.flags, self.past);
        let plan =
            Plan { subject: self.source.plan().clone(), search: self.search.clone(), fail_above: flags.fail_above };
        let queries = Queries::of(&flags.search)?;
        let interrupt = Interrupt::listen()?;
        let mut session = Session::new(Task {
            source: self.source,
            size: plan.subject.size,
            cost: plan.search.cost,
            seed: seed_of_part(plan.search.seed, past.parts),
            baseline_seed: Some(plan.search.seed),
            budget: self.budget,
            starts: Vec::new(),
            carries_over: false,
            target: None,
            cancel: interrupt.cancel(),
            solver: queries.settings(),
        })?;
        let starts = self.starts(session.program())?;
        session.add_starts(starts);
        let mut strategy = self.search.strategy(session.program())?;
        make_directory(&self.directory)?;
        let journal = journal(&self.directory, &plan, &self.budget)?;
        let origin = origin(&flags.subject);
        let account = Account {
            program: session.program(),
            subject: &plan.subject,
            search: &plan.search,
            past,
            origin: &origin,
            time: self.budget.time,
        };
        let note = |text: &str| tell(&format!("note: {text}"));
        let mut recorder = Recorder::new(account, &self.directory, journal, &note);
        let shown = Shown {
            cost: plan.search.cost,
            budget: self.budget,
            earlier: (past.elapsed, past.paths),
            ..Shown::default()
        };
        let mut viewer = Viewer::new(&flags.search, flags.json, shown);
        let listeners =
            Listeners { record: Some(&mut |news| recorder.take(news)), show: Some(&mut |news| viewer.show(news)) };
        let outcome = session.run(strategy.as_mut(), listeners);
        tell_defects(&outcome.found);
        let guided = strategy.report().guided;
        let (subject, origin) = as_run(flags, &plan.subject, &outcome);
        let finding = Account { subject: &subject, origin: &origin, ..account }.finding(&outcome, guided.as_ref())?;
        let planned = PlannedResult { result: finding.result.clone(), plan: subject };
        queries.count(&outcome.found.solver);
        // The finding is printed first, so that it is not lost whatever happens to the disk.
        match flags.json {
            true => print_json(&planned)?,
            false => print(&(text(flags, &outcome, guided.as_ref(), &finding) + &queries.text()))?,
        }
        let kept = self.keep(&session, &outcome, (&planned, finding.profile), recorder, guided.as_ref());
        let above = flags.fail_above.is_some_and(|most| planned.result.cost.value > most);
        match kept {
            Ok(written) if !flags.json => {
                print(&afterwards(flags, &outcome, &planned.result, &self.directory, &written))?
            }
            Ok(_) => {}
            Err(error) if !above => return Err(error),
            Err(error) => tell(&format!("{error:#}")),
        }
        queries.verdict()?;
        Ok(if above { EXIT_ABOVE } else { 0 })
    }

    /// The inputs that the search starts from: the best of earlier parts, and those that the user names.
    fn starts(&self, program: &WasmProgram) -> Result<Vec<Witness>> {
        let (mut starts, limits) = (Vec::new(), affordable(self.source.limits(), self.budget.time));
        let costs_of = |witness: &Witness| all_costs(program, witness, limits, self.search.cost);
        if let (Some(witness), Some(then)) = (&self.past.best, self.past.cost()) {
            match costs_of(witness).map(|costs| self.search.cost.of(&costs)) {
                Some(now) if now >= then => starts.push(witness.clone()),
                Some(now) => bail!("the recorded input costs {now} now, not {then}; start a new search"),
                None => bail!("the recorded input is not accepted by the program; start a new search"),
            }
        }
        for path in &self.flags.input {
            let (witness, _) = subject::input(program.subject(), Some(path))?;
            if costs_of(&witness).is_none() {
                bail!("{}: the program does not accept this input", path.display());
            }
            starts.push(witness);
        }
        Ok(starts)
    }

    /// Saves everything that was asked for. Returns the files written.
    fn keep(
        &self,
        session: &Session<'_>,
        outcome: &Outcome,
        (planned, profile): (&PlannedResult, Profile),
        recorder: Recorder<'_>,
        guided: Option<&GuidedReport>,
    ) -> Result<Vec<PathBuf>> {
        let (flags, result) = (self.flags, &planned.result);
        let mut written = keep_result(&self.directory, session, outcome, planned, profile)?;
        recorder.end(outcome)?;
        if let (Some(path), Some(report)) = (&flags.options.policy_out, guided) {
            strategy::save(path, &report.policy, session.program())?;
        }
        gate::of_worst(flags, result)?;
        written.extend(emit::emit(flags, self.source, &RegressionTest::of_worst(result), &self.directory)?);
        Ok(written)
    }
}

/// The command lines behind a result.
fn origin(flags: &SubjectFlags) -> Origin {
    Origin { arguments: flags.words(), command: own_words() }
}

/// What was run, with the limits at which its runs were cut.
pub fn as_run(flags: &WorstFlags, plan: &SubjectPlan, outcome: &Outcome) -> (SubjectPlan, Origin) {
    let (mut plan, mut flags) = (plan.clone(), flags.subject.clone());
    plan.limits.instructions = outcome.limits.instructions;
    flags.max_instructions = outcome.limits.instructions;
    (plan, origin(&flags))
}

/// Saves a result, its input and its report. Returns the files written.
pub fn keep_result(
    directory: &Path,
    session: &Session<'_>,
    outcome: &Outcome,
    planned: &PlannedResult,
    profile: Profile,
) -> Result<Vec<PathBuf>> {
    let best = outcome.found.best.as_ref().context("no path")?;
    let (program, witness) = (session.program(), &best.witness);
    let most = profiled_instructions(session.task().budget.time);
    let page = report::of_worst(program, profile, &planned.result, outcome.limits, most);
    Ok(save(directory, program, &planned.plan, witness, &planned.result, Some(page))?)
}

/// A different seed for each part: with the same random numbers a part would repeat what the one before it did.
fn seed_of_part(seed: u64, part: u64) -> u64 {
    if part == 0 { seed } else { Random::new(seed ^ part.rotate_right(8)).bits() }
}

/// Where the results of a search are kept.
pub fn directory(flags: &WorstFlags) -> PathBuf {
    flags.out.clone().unwrap_or_else(|| {
        let mut module = flags.subject.module.clone();
        // The directory of a package, which may be `.`, goes by its own name.
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
