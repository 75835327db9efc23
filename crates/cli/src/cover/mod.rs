//! `pessimum cover`: searches for a small suite that takes every branch, or for one input that reaches a place.

mod files;
mod progress;
pub mod text;

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::{Error, Result, bail};
use pessimum_outcome::Trap;
use pessimum_report::cover::{CoverResult, ReachResult};
use pessimum_report::text::printable;
use pessimum_search::budget::Budget;
use pessimum_search::objective::Goal;
use pessimum_search::places::Places;
use pessimum_session::Source;
use pessimum_session::cover::{CoverTask, Covered, Scope, Wanted, cover as search, reached, result};
use pessimum_session::plan::SearchPlan;

use crate::flags::{CoverFlags, SubjectFlags, usual_time};
use crate::interrupt::Interrupt;
use crate::output::{print, print_finding, print_json_finding, tell, written_to};
use crate::place::Place;
use crate::queries::Queries;
use crate::worst::{directory_of, exit_code, origin};
use crate::{Usage, emit, strategy, subject};

pub use files::corpus;
use progress::Display;

/// The word after `--reach` that stands for a trap of any kind.
const ANY_TRAP: &str = "trap";

/// Returns the exit code.
pub fn cover(flags: &CoverFlags) -> Result<u8> {
    let plan = strategy::cover_plan(flags)?;
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
    let program = source.program(most)?;
    if flags.sizes.is_some() && least != most && same_input(&source, least, most)? {
        let hint = "write lengths in terms of n, as in `--stdin n` or `--call 'f(u8[n], n)'`";
        return Err(Usage(format!("--sizes: no length depends on n; {hint}")).into());
    }
    let places = program.places();
    let starts = match &flags.results.corpus {
        Some(directory) => files::corpus(directory, &source, &sizes)?,
        None => Vec::new(),
    };
    let part = Part { flags, source: &source, plan, sizes, starts };
    match &flags.reach {
        Some(place) => part.reach(place, &places),
        None => part.cover(&places),
    }
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
    let imports = source.wasm().map_or(&[][..], |source| source.module().imports());
    let asks = imports.iter().any(|import| import.module == "pessimum");
    Ok(!asks && shape(one)? == shape(other)?)
}

/// One search.
struct Part<'a> {
    flags: &'a CoverFlags,
    source: &'a Source,
    plan: SearchPlan,
    sizes: Vec<Option<u64>>,
    starts: Vec<(usize, pessimum_term::Witness)>,
}

impl Part<'_> {
    /// Searches for a suite, prints it, and then saves it.
    fn cover(&self, places: &Places) -> Result<u8> {
        let flags = self.flags;
        let scope = match flags.patterns.is_empty() {
            true => Scope::own(places),
            false => Scope::named(places, &flags.patterns)?,
        };
        if scope.is_empty() {
            bail!("there is nothing to cover: the module has no functions of yours; name what counts with --in");
        }
        let queries = Queries::of(&flags.search)?;
        let owner = Place::of(&directory_of(flags.results.out.as_deref(), &flags.subject), self.source)?;
        let covered = self.search(Wanted::All(scope.goals().collect()), &queries)?;
        let origin = origin(&self.subject_flags());
        let result = result(&covered, &scope, (self.source.plan(), &self.plan), &origin)?;
        let printed = match flags.results.json {
            true => print_json_finding(&files::Planned { result: &result, plan: self.source.plan() }),
            false => print_finding(&(text::suite(flags, self.source.plan(), &covered, &result) + &queries.text())),
        };
        let (written, mut failed) = files::save(flags, self.source, &covered, &result, owner.directory());
        self.finish(&written, &mut failed, printed, &queries, &owner)?;
        Ok(exit_code(is_under(flags, &result), failed))
    }

    /// Searches for one input, prints it, and then saves it.
    fn reach(&self, place: &str, places: &Places) -> Result<u8> {
        let flags = self.flags;
        let goals: BTreeSet<Goal> = match place {
            ANY_TRAP => Trap::ALL.iter().map(|&trap| Goal::Trap(trap)).collect(),
            place => places.named(place).map_err(|why| Usage(format!("--reach {place}: {why}")))?.into_iter().collect(),
        };
        let queries = Queries::of(&flags.search)?;
        let owner = Place::of(&directory_of(flags.results.out.as_deref(), &flags.subject), self.source)?;
        let covered = self.search(Wanted::Any(goals), &queries)?;
        let origin = origin(&self.subject_flags());
        let result: ReachResult = reached(&covered, place, (self.source.plan(), &self.plan), &origin)?;
        let printed = match flags.results.json {
            true => print_json_finding(&files::Planned { result: &result, plan: self.source.plan() }),
            false => print_finding(&(text::reached(flags, self.source.plan(), &covered, &result) + &queries.text())),
        };
        let (written, mut failed) = files::save_reached(self.source, &covered, &result, owner.directory());
        self.finish(&written, &mut failed, printed, &queries, &owner)?;
        Ok(exit_code(false, failed))
    }

    fn search(&self, wanted: Wanted, queries: &Queries) -> Result<Covered> {
        let flags = self.flags;
        let budget = Budget {
            paths: flags.results.paths,
            time: usual_time(flags.search.budget, flags.results.paths),
            steps: None,
        };
        let task = CoverTask {
            source: self.source,
            sizes: self.sizes.clone(),
            search: &self.plan,
            wanted,
            budget,
            starts: self.starts.clone(),
            memory: flags.search.memory(),
            cancel: Interrupt::listen()?.cancel(),
            solver: queries.settings(),
        };
        let mut display = Display::new(&flags.search, flags.results.json, self.sizes.len() > 1, flags.reach.is_none());
        let covered = search(&task, &mut |progress| display.show(progress));
        display.close();
        let covered = covered?;
        for defect in &covered.defects {
            tell(&defect.to_string());
        }
        covered.found().for_each(|found| queries.count(&found.solver));
        Ok(covered)
    }

    /// What comes after everything was printed and saved.
    fn finish(
        &self,
        written: &[PathBuf],
        failed: &mut Vec<Error>,
        printed: Result<()>,
        queries: &Queries,
        owner: &Place,
    ) -> Result<()> {
        failed.extend(owner.failure());
        if printed.is_ok() && !self.flags.results.json && !written.is_empty() && owner.failure().is_none() {
            let names: Vec<String> = written.iter().map(|name| printable(&name.display().to_string()).into()).collect();
            print(&written_to(owner.directory(), &names))?;
        }
        failed.extend(printed.err());
        failed.extend(queries.verdict().err());
        Ok(())
    }

    /// The flags behind every input; each has its own size.
    fn subject_flags(&self) -> SubjectFlags {
        match self.flags.sizes {
            Some(_) => self.flags.subject.at(None),
            None => self.flags.subject.clone(),
        }
    }
}

/// Whether less is covered than `--fail-under` wants.
fn is_under(flags: &CoverFlags, result: &CoverResult) -> bool {
    flags.fail_under.is_some_and(|least| result.coverage.branches.per_cent() < least)
}
