//! `pessimum worst`: searches for the input that costs the most.

use std::path::{Path, PathBuf};

use anyhow::{Context, Error, Result, bail};
use pessimum_languages::emit::RegressionTest;
use pessimum_outcome::CostModel;
use pessimum_report::certainty::EVERY_PATH;
use pessimum_report::profile::Profile;
use pessimum_report::text::command_line;
use pessimum_search::budget::{Budget, Cancel, Stop, Until};
use pessimum_search::program::PathLimits;
use pessimum_search::random::Random;
use pessimum_search::watch::Standing;
use pessimum_session::Target;
use pessimum_session::journal::{self, Journal, Past, Plan};
use pessimum_session::owner::Owner;
use pessimum_session::plan::{SearchPlan, SubjectPlan};
use pessimum_session::record::Recorder;
use pessimum_session::replay::{all_costs_while, profiled_steps};
use pessimum_session::result::{Account, Origin};
use pessimum_session::saved::{
    PlannedResult, changed, replaced, result_files, saved_source, stage_program, write_files,
};
use pessimum_session::shrink::make_readable;
use pessimum_session::{Listeners, Outcome, Session, Source, Task, half_of_the_rest};
use pessimum_session::{cover, growth, suite};
use pessimum_term::Witness;

use crate::explain::{afterwards, text};
use crate::files::forget_results;
use crate::flags::{SubjectFlags, WorstFlags, check_prices, own_words, usual_time};
use crate::interrupt::Interrupt;
use crate::live::{Shown, Viewer, searched};
use crate::output::{grouped, print, print_finding, print_json_finding, tell};
use crate::paths::tell_defects;
use crate::place::Place;
use crate::queries::Queries;
use crate::shape::words;
use crate::{EXIT_ABOVE, EXIT_FAILED, Usage, emit, gate, report, strategy, subject};

/// Returns the exit code.
pub fn worst(flags: &WorstFlags) -> Result<u8> {
    match &flags.resume {
        Some(directory) => resume(flags, directory),
        None => begin(flags),
    }
}

/// A new search.
fn begin(flags: &WorstFlags) -> Result<u8> {
    check_prices(&flags.subject, flags.maximised)?;
    strategy::check(flags)?;
    emit::check(flags)?;
    let source = subject::source(&flags.subject)?.counting(flags.maximised.cost);
    subject::tell_doubts(&flags.subject, &source.input(flags.subject.n())?);
    let budget =
        Budget { paths: flags.results.paths, time: usual_time(flags.search.budget, flags.results.paths), steps: None };
    let (past, search) = (Past::default(), strategy::plan(flags)?);
    let owner = Place::of(&directory(flags), &source)?;
    let unsaved = owner.failure();
    let part = Part { flags, source: &source, search, budget, past: &past, owner: &owner, unsaved };
    part.search(|plan, budget| {
        if !(flags.results.json || flags.search.quiet)
            && let Some(note) = replaced(owner.directory(), &plan.subject)
        {
            tell(&format!("note: {note}"));
        }
        let prepared = start_journal(&owner, &source, || Journal::prepare(&owner, plan, budget))?;
        Ok(prepared.begin()?)
    })
}

/// Takes a directory of results for this process.
pub fn own(directory: &Path) -> Result<Owner> {
    Ok(Owner::of(directory, &command_line(["pessimum".to_string()].iter().chain(&own_words())))?)
}

/// Begins a new search in a directory. What an earlier one left there is removed once everything that the new one needs
/// is on the disk; the module is in place before the journal, so that a search with a journal can always be resumed.
pub fn start_journal<J>(
    owner: &Owner,
    source: &Source,
    prepare: impl FnOnce() -> Result<J, pessimum_session::Error>,
) -> Result<J> {
    let program = stage_program(owner.directory(), source)?;
    let journal = prepare()?;
    forget_results(owner.directory())?;
    for file in program {
        file.put()?;
    }
    Ok(journal)
}

/// Takes a directory in which there is a search with a journal of this name.
pub fn own_search(directory: &Path, name: &str) -> Result<Owner> {
    if !directory.is_dir() {
        bail!("{}: there is no search to resume", directory.display());
    }
    let others = [
        (journal::NAME, "one of `pessimum worst`"),
        (growth::NAME, "a curve: `pessimum curve --resume`"),
        (cover::NAME, "a suite of inputs: `pessimum cover --resume`"),
        (suite::NAME, "a suite of calls: `pessimum suite --resume`"),
    ];
    let other = others.iter().find(|(other, _)| *other != name && directory.join(other).exists());
    match other.filter(|_| !directory.join(name).exists()) {
        Some((_, what)) => Err(Usage(format!("{}: this is {what}", directory.display())).into()),
        None => own(directory),
    }
}

/// What a search that ended like this has left of its budget, if it is not finished.
pub fn left_of(directory: &Path, left: Budget, end: Option<&journal::End>) -> Result<Budget> {
    let Some(end) = end.filter(|end| end.stopped != Stop::Cancelled.name()) else { return Ok(left) };
    let why = match end.complete {
        true => EVERY_PATH,
        false if end.stopped == Stop::Finished.name() => "the strategy had nothing left to try",
        false if end.stopped == Stop::Covered.name() => "everything is covered",
        false => "its budget was spent; give it more with --budget or --paths",
    };
    Err(Usage(format!("{}: this search is finished: {why}", directory.display())).into())
}

/// Continues the search in a directory, with its plan and module, and with what is left of its budget or a new one.
/// Only the present command line says what is written where.
fn resume(given: &WorstFlags, directory: &Path) -> Result<u8> {
    let owner = own_search(directory, journal::NAME)?;
    let past = Past::read(directory)?;
    let plan = past.plan.clone().with_context(|| format!("{}: no plan", directory.display()))?;
    for note in past.note.iter().chain(&changed(&plan.subject.module)) {
        tell(&format!("note: {note}"));
    }
    let anew = given.results.paths.is_some() || given.search.budget.is_some();
    let budget = match anew {
        true => Budget {
            paths: given.results.paths,
            time: usual_time(given.search.budget, given.results.paths),
            steps: None,
        },
        false => left_of(directory, past.left, past.end.as_ref())?,
    };
    let source = saved_source(plan.subject.clone(), directory, &given.run_python())?.counting(plan.search.cost);
    let mut flags = given.clone();
    flags.subject = SubjectFlags::of_plan(&plan.subject).map_err(anyhow::Error::msg)?;
    flags.subject.python.clone_from(&given.subject.python);
    (flags.maximised.cost, flags.search.seed) = (plan.search.cost, plan.search.seed);
    flags.fail_above = given.fail_above.or(plan.fail_above);
    emit::check(&flags)?;
    let (flags, source, past, unsaved) = (&flags, &source, &past, None);
    let part = Part { flags, source, search: plan.search, budget, past, owner: &owner, unsaved };
    part.search(|_, budget| Ok(Journal::go_on(&owner, past, budget)?))
}

/// One process's part of a search: all of it, unless it continues an earlier one.
struct Part<'a> {
    flags: &'a WorstFlags,
    source: &'a Source,
    search: SearchPlan,
    budget: Budget,
    past: &'a Past,
    owner: &'a Owner,
    /// Why nothing of it stays.
    unsaved: Option<Error>,
}

impl Part<'_> {
    /// Searches, prints, and then saves. `journal` starts the journal or continues it.
    fn search(mut self, journal: impl FnOnce(&Plan, &Budget) -> Result<Journal>) -> Result<u8> {
        let (flags, past) = (self.flags, self.past);
        let plan =
            Plan { subject: self.source.plan().clone(), search: self.search.clone(), fail_above: flags.fail_above };
        let queries = Queries::of(&flags.search)?;
        let interrupt = Interrupt::listen()?;
        let mut session = Session::new(Task {
            source: self.source,
            size: plan.subject.size,
            cost: plan.search.cost,
            ends: plan.search.ends,
            seed: seed_of_part(plan.search.seed, past.parts),
            baseline_seed: Some(plan.search.seed),
            budget: self.budget,
            starts: Vec::new(),
            carries_over: false,
            target: None,
            cancel: interrupt.cancel(),
            solver: queries.settings(),
        })?
        .with_memory(flags.search.memory())
        .counting_from(self.source.opened())
        .trying_every_input()
        .with_room()?;
        let starts = self.starts(session.program(), &interrupt.cancel())?;
        session.add_starts(starts);
        let mut strategy = self.search.strategy(session.program())?;
        let journal = journal(&plan, &self.budget)?;
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
        let mut recorder = Recorder::new(account, self.owner.directory(), journal, &note);
        let shown = Shown {
            cost: plan.search.cost,
            budget: self.budget,
            earlier: (past.elapsed, past.paths),
            searched: searched(&plan.subject),
            ..Shown::default()
        };
        let mut viewer = Viewer::new(&flags.search, flags.results.json, shown);
        let words = words(&plan.subject, session.program());
        let listeners = Listeners {
            record: Some(&mut |news| recorder.take(news)),
            show: Some(&mut |news| viewer.show(news, &words)),
        };
        let mut outcome = session.run(strategy.as_mut(), listeners);
        tell_defects(&outcome.found);
        make_readable(&mut outcome, session.program(), plan.search.cost);
        let report = strategy.report();
        let (subject, origin) = as_run(&flags.subject, &plan.subject, &outcome);
        let finding = Account { subject: &subject, origin: &origin, ..account }.finding(&outcome, report.policy())?;
        let planned = PlannedResult { result: finding.result.clone(), plan: subject };
        queries.count(&outcome.found.solver);
        // The finding is printed first, so that it is not lost whatever happens to the disk; and it is saved even if
        // nobody reads what is printed.
        let printed = match flags.results.json {
            true => print_json_finding(&planned),
            false => print_finding(&(text(flags, &outcome, &report, &finding) + &queries.text())),
        };
        let (written, mut failed) = self.keep(&session, &outcome, (&planned, finding.profile), &mut recorder);
        failed.extend(self.unsaved.take());
        if let (Some(path), Some(policy)) = (&flags.options.policy_out, report.policy()) {
            failed.extend(strategy::save(path, policy, session.program()).err());
        }
        if printed.is_ok() && failed.is_empty() && !flags.results.json {
            print(&afterwards(flags, &outcome, &planned.result, self.owner.directory(), &written))?;
        }
        failed.extend(queries.verdict().err());
        let cost = planned.result.cost.value;
        let lost = printed.err().map(|error| not_printed(error, cost, self.owner.directory()));
        let above = flags.fail_above.is_some_and(|most| cost > most || planned.result.endless);
        Ok(exit_code(above, lost.into_iter().chain(failed)))
    }

    /// The inputs that the search starts from: the best of earlier parts, and those that the user names. They are run within
    /// the time of the search.
    fn starts(&self, program: &Target, cancel: &Cancel) -> Result<Vec<Witness>> {
        let (mut starts, limits) = (Vec::new(), self.source.affordable(self.budget.time));
        let end = self.budget.time.and_then(|time| self.source.opened().checked_add(time));
        let until = || half_of_the_rest(end, cancel);
        starts.extend(recorded_best(program, self.past, self.search.cost, limits, &until())?);
        starts.extend(self.past.other.as_ref().map(|(_, input)| input.clone()));
        for file in &self.flags.input {
            let (witness, _) = subject::input(program.plan(), Some(file))?;
            let until = until();
            if !program.run_concrete(&witness, &limits, &mut || until.go_on()).0.end.is_a_run() {
                bail!("{}: the program does not accept this input", file.path.display());
            }
            starts.push(witness);
        }
        if let Some(directory) = &self.flags.results.corpus {
            // What the program does not accept is left out by the search.
            let inputs = crate::cover::corpus(directory, self.source, &[self.source.plan().size])?;
            starts.extend(inputs.into_iter().map(|(_, input)| input));
        }
        Ok(starts)
    }

    /// Saves everything that was asked for. Returns the files written, and what could not be saved: one failure is no
    /// reason to leave out the rest.
    fn keep(
        &self,
        session: &Session<'_>,
        outcome: &Outcome,
        (planned, profile): (&PlannedResult, Profile),
        recorder: &mut Recorder<'_>,
    ) -> (Vec<PathBuf>, Vec<Error>) {
        let (flags, result, directory) = (self.flags, &planned.result, self.owner.directory());
        let (mut written, mut failed) = (Vec::new(), Vec::new());
        let mut keep = |files: Result<Vec<PathBuf>>| match files {
            Ok(files) => written.extend(files),
            Err(error) => failed.push(error),
        };
        // The result comes first, and the page, which takes longest to make, before what is in the result too.
        let (mut files, raw): (Files, Files) = match kept_files(session, outcome, planned) {
            Ok(files) => files.into_iter().partition(|(name, _)| !name.ends_with(".bin")),
            Err(error) => {
                keep(Err(error));
                (Vec::new(), Vec::new())
            }
        };
        keep(write_files(directory, &files).map_err(Error::from));
        files = vec![(report::FILE.to_string(), page(session, outcome, planned, profile).into_bytes())];
        for files in [files, raw] {
            keep(write_files(directory, &files).map_err(Error::from));
        }
        keep(recorder.end(outcome).map(|()| Vec::new()).map_err(Error::from));
        keep(gate::of_worst(flags, result).map(|()| Vec::new()));
        let (tests, impossible) = emit::emit(flags, self.source, &RegressionTest::of_worst(result), directory);
        written.extend(tests);
        failed.extend(impossible);
        (written, failed)
    }
}

/// The exit code of a search, after everything that failed was told. A cost above the limit is the more important news.
pub fn exit_code(above: bool, failed: impl IntoIterator<Item = Error>) -> u8 {
    let mut code = 0;
    for error in failed {
        tell(&format!("{error:#}"));
        code = EXIT_FAILED;
    }
    if above { EXIT_ABOVE } else { code }
}

/// What to tell on standard error if standard output did not take the finding.
pub fn not_printed(error: Error, cost: u64, directory: &Path) -> Error {
    let (cost, place) = (grouped(cost), directory.display());
    error.context(format!("the worst input costs {cost}; see {place}, since the result could not be printed"))
}

/// The command lines behind a result.
pub fn origin(flags: &SubjectFlags) -> Origin {
    Origin { arguments: flags.words(), command: own_words() }
}

/// What was run, with the limits at which its runs were cut.
pub fn as_run(flags: &SubjectFlags, plan: &SubjectPlan, outcome: &Outcome) -> (SubjectPlan, Origin) {
    let (mut plan, mut flags) = (plan.clone(), flags.clone());
    plan.limits.instructions = outcome.limits.instructions;
    flags.max_instructions = Some(outcome.limits.instructions);
    (plan, origin(&flags))
}

/// Names and contents of files.
pub type Files = Vec<(String, Vec<u8>)>;

/// The files of a result.
pub fn kept_files(session: &Session<'_>, outcome: &Outcome, planned: &PlannedResult) -> Result<Files> {
    let best = outcome.found.best.as_ref().context("no path")?;
    Ok(result_files(session.program(), planned, &best.witness)?)
}

/// The page that shows a result.
pub fn page(session: &Session<'_>, outcome: &Outcome, planned: &PlannedResult, profile: Profile) -> String {
    let most = profiled_steps(session.program(), session.task().budget.time);
    let until = &outcome.until();
    report::of_worst(session.program(), profile, &planned.result, outcome.limits, most, until)
}

/// The best input of an earlier part, if there is one, after making sure that it costs what it did, as far as this time is
/// enough for that.
pub fn recorded_best(
    program: &Target,
    past: &Past,
    cost: CostModel,
    limits: PathLimits,
    until: &Until,
) -> Result<Option<Witness>> {
    let (Some(witness), Some(then)) = (&past.best, past.cost()) else { return Ok(None) };
    if past.standing == Standing::Endless {
        // The search runs it first; what it had cost when it was stopped is no promise.
        return Ok(Some(witness.clone()));
    }
    match all_costs_while(program, witness, limits, cost, until).map(|costs| cost.of(&costs)) {
        Some(now) if now >= then => Ok(Some(witness.clone())),
        // The search runs it again.
        _ if !until.go_on() => Ok(Some(witness.clone())),
        Some(now) => bail!("the recorded input costs {now} now, not {then}; start a new search"),
        None => bail!("the recorded input is not accepted by the program; start a new search"),
    }
}

/// A different seed for each part: with the same random numbers a part would repeat what the one before it did.
pub fn seed_of_part(seed: u64, part: u64) -> u64 {
    if part == 0 { seed } else { Random::new(seed ^ part.rotate_right(8)).bits() }
}

/// Where the results of a search are kept.
pub fn directory(flags: &WorstFlags) -> PathBuf {
    directory_of(flags.results.out.as_deref(), &flags.subject)
}

/// The directory that `--out` names, or one named after the module.
pub fn directory_of(out: Option<&Path>, subject: &SubjectFlags) -> PathBuf {
    out.map(Path::to_path_buf).unwrap_or_else(|| named_after(&subject.module))
}

/// The directory named after a module.
pub fn named_after(module: &Path) -> PathBuf {
    let mut module = module.to_path_buf();
    // The directory of a package, which may be `.`, goes by its own name.
    if module.ends_with("Cargo.toml") || module.is_dir() {
        module = std::fs::canonicalize(&module).unwrap_or(module);
        if module.ends_with("Cargo.toml") {
            module.pop();
        }
    }
    let name = module.file_stem().unwrap_or_else(|| "program".as_ref());
    Path::new("pessimum-out").join(name)
}
