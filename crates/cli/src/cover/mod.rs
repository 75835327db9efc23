//! `pessimum cover`: searches for a small suite that takes every branch, or for one input that reaches a place.

mod files;
mod progress;
pub mod text;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use anyhow::{Error, Result, bail};
use pessimum_outcome::Trap;
use pessimum_report::cover::{CoverResult, ReachResult};
use pessimum_report::text::printable;
use pessimum_search::budget::Budget;
use pessimum_search::objective::Goal;
use pessimum_session::cover::{
    CoverPlan, CoverTask, FoundInput, NAME, Progress, Recorder, Scope, Wanted, check_goals, cover as search_all,
    reached, result,
};
use pessimum_session::findings::{Findings, Found};
use pessimum_session::saved::{changed, saved_source};
use pessimum_session::{RunPython, Source};
use pessimum_term::Witness;

use crate::flags::{CoverFlags, SubjectFlags, usual_time};
use crate::interrupt::Interrupt;
use crate::output::{print, print_finding, print_json_finding, tell, written_to};
use crate::place::Place;
use crate::queries::Queries;
use crate::worst::{directory_of, exit_code, left_of, origin, seed_of_part, start_journal};
use crate::{Usage, emit, strategy, subject};

pub use files::corpus;
use progress::Display;

/// The word after `--reach` that stands for a trap of any kind.
const ANY_TRAP: &str = "trap";

/// Returns the exit code.
pub fn cover(flags: &CoverFlags) -> Result<u8> {
    match &flags.resume {
        Some(directory) => resume(flags, directory),
        None => begin(flags),
    }
}

/// A new search.
fn begin(flags: &CoverFlags) -> Result<u8> {
    let search = strategy::cover_plan(flags)?;
    emit::check_cover(flags)?;
    if flags.results.paths == Some(0) && flags.results.corpus.is_none() {
        return Err(Usage("--paths 0 runs the inputs of --corpus alone, and there is no --corpus".to_string()).into());
    }
    flags.subject.check_sizes(flags.sizes.is_some()).map_err(Usage)?;
    let source = subject::source(&flags.subject)?;
    let sizes = sizes(flags);
    let (Some(&least), Some(&most)) = (sizes.first(), sizes.last()) else {
        return Err(Usage("--sizes: no size".to_string()).into());
    };
    if flags.sizes.is_some() && least != most && same_input(&source, least, most)? {
        let hint = "write lengths in terms of n, as in `--stdin n` or `--call 'f(u8[n], n)'`";
        return Err(Usage(format!("--sizes: no length depends on n; {hint}")).into());
    }
    let starts = match &flags.results.corpus {
        Some(directory) => files::corpus(directory, &source, &sizes)?,
        None => Vec::new(),
    };
    let plan = CoverPlan {
        subject: source.plan().clone(),
        search,
        sizes,
        patterns: flags.patterns.clone(),
        reach: flags.reach.clone(),
        fail_under: flags.fail_under,
    };
    let part = Part { flags, source: &source, starts, past: Past::new(plan), budget: budget(flags) };
    let wanted = part.wanted()?;
    let place = Place::of(&directory_of(flags.results.out.as_deref(), &flags.subject), &source)?;
    let journal = start_journal(&place, &source, || Findings::prepare(&place, NAME, &part.past.plan, &part.budget))?;
    part.search(wanted, journal.begin()?, &place)
}

/// The budget of this command line.
fn budget(flags: &CoverFlags) -> Budget {
    let time = usual_time(flags.search.budget, flags.results.paths);
    Budget { paths: flags.results.paths, time, steps: None }
}

/// Continues the search in a directory, with its plan and module, and with what is left of its budget or a new one.
fn resume(given: &CoverFlags, directory: &Path) -> Result<u8> {
    let place = Place::of_search(directory, NAME)?;
    let past = Past::read(directory, NAME)?;
    for note in past.note.iter().chain(&changed(&past.plan.subject.module)) {
        tell(&format!("note: {note}"));
    }
    let anew = given.results.paths.is_some() || given.search.budget.is_some();
    let budget = if anew { budget(given) } else { left_of(directory, past.left, past.end.as_ref())? };
    let python = RunPython { allowed: given.run_python, python: given.subject.python.clone(), directory: None };
    let source = saved_source(past.plan.subject.clone(), directory, &python)?;
    let mut flags = given.clone();
    flags.subject = SubjectFlags::of_plan(&past.plan.subject).map_err(anyhow::Error::msg)?;
    flags.subject.python.clone_from(&given.subject.python);
    flags.search.seed = past.plan.search.seed;
    flags.fail_under = given.fail_under.or(past.plan.fail_under);
    emit::check_cover(&flags)?;
    let part = Part { flags: &flags, source: &source, starts: Vec::new(), past, budget };
    let wanted = part.wanted()?;
    let journal = Findings::go_on(&place, NAME, &part.past, &part.budget)?;
    part.search(wanted, journal, &place)
}

/// The sizes to search, ascending; none once where neither --size nor --sizes is given.
fn sizes(flags: &CoverFlags) -> Vec<Option<u64>> {
    match &flags.sizes {
        Some(sizes) => sizes.0.iter().copied().map(Some).collect(),
        None => vec![flags.subject.n()],
    }
}

/// Whether the input is laid out alike at two sizes.
fn same_input(source: &Source, one: Option<u64>, other: Option<u64>) -> Result<bool> {
    let shape = |size| -> Result<_> {
        let plan = source.input(size)?;
        Ok((plan.arguments, plan.stdin, plan.command_line, plan.files))
    };
    // A program may also ask for its size.
    Ok(!source.may_ask() && shape(one)? == shape(other)?)
}

/// What earlier parts of a search found.
type Past = Found<CoverPlan, FoundInput>;

/// One process's part of a search: all of it, unless it continues an earlier one.
struct Part<'a> {
    flags: &'a CoverFlags,
    source: &'a Source,
    starts: Vec<(usize, Witness)>,
    past: Past,
    budget: Budget,
}

/// What is to be covered: places of the user's code, or one place.
enum Goals {
    Suite(Scope),
    Reach(String, BTreeSet<Goal>),
}

impl Part<'_> {
    /// The goals of the plan.
    fn wanted(&self) -> Result<Goals> {
        let plan = &self.past.plan;
        let most = plan.sizes.last().copied().flatten();
        let places = self.source.program(most)?.places();
        if let Some(place) = &plan.reach {
            let goals = match &**place {
                ANY_TRAP => Trap::ALL.iter().map(|&trap| Goal::Trap(trap)).collect(),
                name => places.named(name).map_err(|why| Usage(format!("--reach {name}: {why}")))?,
            };
            return Ok(Goals::Reach(place.clone(), goals.into_iter().collect()));
        }
        let scope = match plan.patterns.is_empty() {
            true => Scope::own(&places),
            false => Scope::named(&places, &plan.patterns)?,
        };
        if scope.is_empty() {
            bail!("there is nothing to cover: the module has no functions of yours; name what counts with --in");
        }
        check_goals(scope.goals().count(), self.budget.time, self.flags.search.memory())?;
        Ok(Goals::Suite(scope))
    }

    /// Searches, prints what was found, and then saves it.
    fn search(&self, goals: Goals, journal: Findings<FoundInput>, place: &Place) -> Result<u8> {
        let (flags, plan, directory) = (self.flags, &self.past.plan, place.directory());
        let queries = Queries::of(&flags.search)?;
        let (wanted, counts) = match &goals {
            Goals::Suite(scope) => (Wanted::All(scope.goals().collect()), true),
            Goals::Reach(_, goals) => (Wanted::Any(goals.clone()), false),
        };
        let display = Mutex::new(Display::new(&flags.search, flags.results.json, plan.sizes.len() > 1, counts));
        let display = || display.lock().unwrap_or_else(PoisonError::into_inner);
        let note = |text: &str| tell(&format!("note: {text}"));
        let mut show = |progress: &Progress<'_>| display().show(progress);
        let mut recorder = Recorder::new(journal, &note, &mut show);
        let mut search = plan.search.clone();
        search.seed = seed_of_part(search.seed, self.past.parts);
        let task = CoverTask {
            source: self.source,
            sizes: plan.sizes.clone(),
            search: &search,
            wanted,
            budget: self.budget,
            starts: self.starts.clone(),
            known: self.past.found.iter().map(FoundInput::find).collect(),
            earlier: (self.past.elapsed, self.past.paths),
            memory: flags.search.memory(),
            cancel: Interrupt::listen()?.cancel(),
            solver: queries.settings(),
        };
        let covered = search_all(&task, &mut recorder);
        display().close();
        let covered = covered?;
        for defect in &covered.defects {
            tell(&defect.to_string());
        }
        covered.found().for_each(|found| queries.count(&found.solver));
        // Nothing is printed that is not recorded.
        recorder.suite(&covered);
        let origin = origin(&self.subject_flags());
        let plans = (self.source.plan(), &plan.search);
        let (printed, (written, mut failed), is_under) = match &goals {
            Goals::Suite(scope) => {
                let result = result(&covered, scope, plans, &origin)?;
                let printed = match flags.results.json {
                    true => print_json_finding(&files::Planned { result: &result, plan: plans.0 }),
                    false => print_finding(&(text::suite(flags, plans.0, &covered, &result) + &queries.text())),
                };
                let saved = files::save(flags, self.source, &covered, &result, directory);
                (printed, saved, is_under(flags, &result))
            }
            Goals::Reach(place, _) => {
                let result: ReachResult = reached(&covered, place, plans, &origin)?;
                let printed = match flags.results.json {
                    true => print_json_finding(&files::Planned { result: &result, plan: plans.0 }),
                    false => print_finding(&(text::reached(flags, plans.0, &covered, &result) + &queries.text())),
                };
                (printed, files::save_reached(self.source, &covered, &result, directory), false)
            }
        };
        failed.extend(recorder.end(&covered).err().map(Error::from));
        let unsaved = place.failure();
        let is_saved = unsaved.is_none();
        failed.extend(unsaved);
        if printed.is_ok() && !flags.results.json && !written.is_empty() && is_saved {
            let names: Vec<String> = written.iter().map(|name| printable(&name.display().to_string()).into()).collect();
            print(&written_to(directory, &names))?;
        }
        failed.extend(printed.err());
        failed.extend(queries.verdict().err());
        Ok(exit_code(is_under, failed))
    }

    /// The flags behind every input; each has its own size.
    fn subject_flags(&self) -> SubjectFlags {
        match self.past.plan.sizes.len() {
            1 => self.flags.subject.clone(),
            _ => self.flags.subject.at(None),
        }
    }
}

/// Whether less is covered than `--fail-under` wants.
fn is_under(flags: &CoverFlags, result: &CoverResult) -> bool {
    flags.fail_under.is_some_and(|least| result.coverage.branches.per_cent() < least)
}
