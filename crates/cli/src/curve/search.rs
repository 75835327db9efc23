//! The searches of a curve, one size after the other.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Error, Result, bail};
use pessimum_report::curve::{CurvePoint, MissingSize};
use pessimum_report::result::WorstResult;
use pessimum_search::budget::{Budget, Until, overtime};
use pessimum_search::strategy::Strategy;
use pessimum_search::watch::News;
use pessimum_session::baseline::affordable;
use pessimum_session::curve::{late_gain, order, reached_at, share};
use pessimum_session::files::make_directory_inside;
use pessimum_session::growth::{CurveJournal, CurvePast, CurvePlan, Reached, SizeDone, directory_of};
use pessimum_session::journal::{Journal, Past, Plan};
use pessimum_session::owner::Owner;
use pessimum_session::record::Recorder;
use pessimum_session::result::{Account, Finding};
use pessimum_session::saved::{PlannedResult, write_files};
use pessimum_session::{Listeners, Session, Source, Task, half_of_the_rest, time_left, why_nothing};

use crate::flags::{CurveFlags, SubjectFlags};
use crate::interrupt::Interrupt;
use crate::live::{Shown, Viewer};
use crate::output::{counted, grouped, tell};
use crate::paths::tell_defects;
use crate::queries::Queries;
use crate::{report, strategy, worst};

/// What is to be searched.
pub struct Search<'a> {
    pub flags: &'a CurveFlags,
    pub queries: &'a Queries,
    pub source: &'a Source,
    pub plan: &'a CurvePlan,
    pub owner: &'a Owner,
    /// Paths for each size, and the time for all that are left.
    pub budget: Budget,
    /// What an earlier process left; none for a new curve.
    pub past: Option<&'a CurvePast>,
    /// Whether this process has a budget of its own.
    pub anew: bool,
}

/// What the searches left.
pub struct Searched {
    pub points: Vec<CurvePoint>,
    pub missing: Vec<MissingSize>,
    /// The time of all searches.
    pub elapsed: Duration,
    pub journal: CurveJournal,
    /// Directories and files that could not be written.
    pub unsaved: Vec<Unsaved>,
    /// What went wrong besides.
    pub failed: Vec<Error>,
    /// Whether Ctrl-C was pressed.
    pub interrupted: bool,
    /// Up to when what comes after the searches may take; none if time is not limited.
    overtime: Option<Instant>,
    interrupt: Interrupt,
}

impl Searched {
    /// How long the next run after the searches may take.
    pub fn until(&self) -> Until {
        half_of_the_rest(self.overtime, &self.interrupt.cancel())
    }
}

type Unsaved = (PathBuf, worst::Files);

/// How a size is searched.
#[derive(Clone, Debug)]
enum Mode {
    /// From the beginning.
    New,
    /// From the beginning once more: what a killed process did is met again, and what comes after it is what would
    /// have come.
    Again(Past),
    /// From the best input that an earlier process found.
    GoOn(Past),
}

impl Mode {
    fn past(&self) -> Past {
        match self {
            Mode::New => Past::default(),
            Mode::Again(past) => past.again(),
            Mode::GoOn(past) => past.clone(),
        }
    }
}

/// What came of one size.
struct Point {
    found: Reached,
    elapsed: Duration,
    files: Option<Unsaved>,
}

impl Search<'_> {
    /// Searches every size that is not finished.
    pub fn run(&self, journal: CurveJournal) -> Result<Searched> {
        let learns = self.plan.search.learns();
        let sizes = order(&self.plan.sizes, learns);
        let (interrupt, began) = (Interrupt::listen()?, Instant::now());
        let time = self.budget.time.map(|time| time_left(time, self.source.opened()));
        let largest = self.source.program(self.plan.sizes.last().copied())?;
        let mut strategy = self.plan.search.strategy(&largest)?;
        let mut searched = Searched {
            points: Vec::new(),
            missing: Vec::new(),
            elapsed: Duration::ZERO,
            journal,
            unsaved: Vec::new(),
            failed: Vec::new(),
            interrupted: false,
            overtime: time.and_then(|time| overtime(began, time)),
            interrupt: interrupt.clone(),
        };
        let done = self.past.map_or(&[][..], |past| &past.done);
        for size in done {
            searched.take(size);
        }
        if let Some(carried) = done.last().and_then(|last| last.carried.as_ref()) {
            let taken = strategy.take_up(carried, &largest).map_err(Error::msg);
            taken.with_context(|| format!("{}: what sizes taught", self.owner.directory().display()))?;
        }
        for (i, &size) in sizes.iter().enumerate() {
            if done.iter().any(|done| done.size == size) {
                continue;
            }
            if interrupt.is_heard() {
                let why = "Ctrl-C was pressed before it was searched".to_string();
                searched.missing.push(MissingSize { size, why });
                continue;
            }
            // Replays and reports of one size come out of the time of those after it.
            let left = time.map(|time| time.saturating_sub(began.elapsed()));
            let time = left.map(|left| left.mul_f64(share(&sizes[i..], learns)));
            let point = self.size(size, time, &interrupt, strategy.as_mut())?;
            strategy.carry_over();
            let carried = strategy.carried(&largest);
            let finished = SizeDone { size, seconds: point.elapsed.as_secs_f64(), found: point.found, carried };
            searched.take(&finished);
            self.save(finished, point.files, interrupt.is_heard(), &mut searched);
        }
        searched.interrupted = interrupt.is_heard();
        if let (Some(path), Some(report)) = (&self.flags.worst.options.policy_out, strategy.report().guided) {
            searched.failed.extend(strategy::save(path, &report.policy, &largest).err());
        }
        if searched.points.is_empty() {
            let why = searched.missing.first().map(|first| format!("n = {}: {}", first.size, first.why));
            bail!("no size was searched: {}", why.unwrap_or_default());
        }
        Ok(searched)
    }

    /// Saves what a size found, and then says so: what is shown can be resumed. A size that Ctrl-C cut short is not
    /// recorded as finished.
    fn save(&self, finished: SizeDone, files: Option<Unsaved>, interrupted: bool, searched: &mut Searched) {
        let size = finished.size;
        let line = match &finished.found {
            Reached::Point(point) => {
                let (cost, paths) = (grouped(point.cost), counted(point.paths, "path", "paths"));
                Some(format!("n = {size}: cost {cost} after {paths}"))
            }
            Reached::Missing(_) => None,
        };
        if let Some((place, files)) = files
            && let Err(error) = write_files(&place, &files)
        {
            tell(&format!("note: {error}; it is tried again at the end"));
            searched.unsaved.push((place, files));
        }
        if !interrupted && let Err(error) = searched.journal.done(finished) {
            tell(&format!("note: {error}; the curve continues, but cannot be resumed from here"));
        }
        if let Some(line) = line.filter(|_| !self.flags.worst.json && !self.flags.worst.search.quiet) {
            // A closed standard error is no reason to stop.
            let _ = writeln!(std::io::stderr(), "{line}");
        }
    }

    /// Searches one size, from where an earlier process was interrupted if there was one.
    fn size(
        &self,
        size: u64,
        time: Option<Duration>,
        interrupt: &Interrupt,
        strategy: &mut dyn Strategy,
    ) -> Result<Point> {
        let source = self.source.at_size(Some(size));
        let plan = Plan {
            subject: source.plan().clone(),
            search: self.plan.search.clone(),
            fail_above: self.flags.worst.fail_above,
        };
        let place = make_directory_inside(self.owner.directory(), &directory_of(size));
        let owner = place.map_err(Error::from).and_then(|place| worst::own(&place));
        // A full disk is no reason to give up the sizes before this one.
        let owner = owner.inspect_err(|error| tell(&format!("note: {error:#}; n = {size} is not recorded"))).ok();
        let mode = owner.as_ref().map_or(Mode::New, |owner| self.mode(owner.directory(), &plan));
        let known = mode.past().cost();
        let one = One { search: self, source: &source, plan: &plan, owner: owner.as_ref(), time };
        let point = one.run(mode, interrupt, strategy)?;
        let cost = match &point.found {
            Reached::Point(point) => Some(point.cost),
            Reached::Missing(_) => None,
        };
        match (known.filter(|known| cost < Some(*known)), &owner) {
            (Some(known), _) if interrupt.is_heard() => {
                let why = format!("Ctrl-C was pressed; the best so far, {}, is kept", grouped(known));
                Ok(Point { found: Reached::Missing(why), files: None, ..point })
            }
            // The search was not the same again, so it goes on from the input that was found before.
            (Some(_), Some(owner)) => {
                tell(&format!("note: n = {size} could not be repeated exactly; it goes on from the recorded input"));
                one.run(Mode::GoOn(Past::read(owner.directory())?), interrupt, strategy)
            }
            _ => Ok(point),
        }
    }

    /// How to search a size, by what is in its directory.
    fn mode(&self, place: &Path, plan: &Plan) -> Mode {
        let is_this = |past: &Past| {
            past.plan.as_ref().is_some_and(|other| (&other.subject, &other.search) == (&plan.subject, &plan.search))
        };
        match Past::read(place) {
            Ok(past) if self.past.is_some() && is_this(&past) => match self.is_repeatable() {
                true => Mode::Again(past),
                false => Mode::GoOn(past),
            },
            _ => Mode::New,
        }
    }

    /// Whether a search does the same again if it is started again.
    fn is_repeatable(&self) -> bool {
        self.budget.time.is_none() && self.plan.search.options.get("threads").is_none_or(|threads| threads == "1")
    }
}

/// The search at one size.
struct One<'a> {
    search: &'a Search<'a>,
    source: &'a Source,
    plan: &'a Plan,
    /// None if nothing can be written.
    owner: Option<&'a Owner>,
    time: Option<Duration>,
}

impl One<'_> {
    fn run(&self, mode: Mode, interrupt: &Interrupt, strategy: &mut dyn Strategy) -> Result<Point> {
        let (past, usual, plan) = (mode.past(), &self.search.flags.worst, self.plan);
        let (size, seed) = (plan.subject.size, plan.search.seed);
        let budget = match &mode {
            Mode::GoOn(past) if !self.search.anew => {
                Budget { paths: past.left.paths.map(|paths| paths.max(1)), ..past.left }
            }
            _ => Budget { paths: self.search.budget.paths, time: self.time, steps: None },
        };
        let mut session = Session::new(Task {
            source: self.source,
            size,
            cost: plan.search.cost,
            seed: worst::seed_of_part(seed, past.parts),
            baseline_seed: Some(seed),
            budget,
            starts: Vec::new(),
            carries_over: true,
            target: None,
            cancel: interrupt.cancel(),
            solver: self.search.queries.settings(),
        })?
        .with_memory(usual.search.memory());
        if let Mode::GoOn(past) = &mode {
            let limits = affordable(self.source.limits(), budget.time);
            session.add_starts(worst::recorded_best(session.program(), past, plan.search.cost, limits)?);
        }
        let origin = worst::origin(&self.flags());
        let account = Account {
            program: session.program(),
            subject: &plan.subject,
            search: &plan.search,
            past: &past,
            origin: &origin,
            time: budget.time,
        };
        let note = |text: &str| tell(&format!("note: {text}"));
        let mut recorder = self.owner.and_then(|owner| match self.journal(owner, &mode, &budget) {
            Ok(journal) => Some(Recorder::new(account, owner.directory(), journal, &note)),
            Err(error) => {
                note(&format!("{error:#}; the curve continues, but cannot be resumed from here"));
                None
            }
        });
        let label = format!("n = {}", size.unwrap_or_default());
        let earlier = (past.elapsed, past.paths);
        let shown = Shown { cost: plan.search.cost, budget, label, earlier };
        let mut viewer = Viewer::live_only(&usual.search, usual.json, shown);
        let mut record = recorder.as_mut().map(|recorder| move |news: &News| recorder.take(news));
        let listeners = Listeners {
            record: record.as_mut().map(|record| record as &mut (dyn FnMut(&News) + Send)),
            show: Some(&mut |news| viewer.show(news)),
        };
        let outcome = session.run(strategy, listeners);
        if let Some(recorder) = &mut recorder
            && let Err(error) = recorder.end(&outcome)
        {
            note(&error.to_string());
        }
        let found = &outcome.found;
        tell_defects(found);
        self.search.queries.count(&found.solver);
        let earlier = if matches!(mode, Mode::GoOn(_)) && !self.search.anew { past.elapsed } else { Duration::ZERO };
        let elapsed = earlier + found.elapsed;
        if found.best.is_none() {
            return Ok(Point { found: Reached::Missing(why_nothing(session.program(), found)), elapsed, files: None });
        }
        let (subject, origin) = worst::as_run(&self.flags(), &plan.subject, &outcome);
        let account = Account { subject: &subject, origin: &origin, ..account };
        let Finding { result, profile, .. } = account.finding(&outcome, strategy.report().guided.as_ref())?;
        let planned = PlannedResult { result, plan: subject };
        let mut files = worst::kept_files(&session, &outcome, &planned)?;
        files.push((report::FILE.to_string(), worst::page(&session, &outcome, &planned, profile).into_bytes()));
        let directory = directory_of(size.unwrap_or_default());
        let place = self.search.owner.directory().join(&directory);
        let found = Reached::Point(Box::new(point(planned.result, directory)));
        Ok(Point { found, elapsed, files: Some((place, files)) })
    }

    fn journal(&self, owner: &Owner, mode: &Mode, budget: &Budget) -> Result<Journal> {
        Ok(match mode {
            Mode::New => worst::start_journal(owner, self.source, self.plan, budget)?,
            Mode::Again(past) => Journal::do_again(owner, past, budget)?,
            Mode::GoOn(past) => Journal::go_on(owner, past, budget)?,
        })
    }

    /// The flags of a single search at this size.
    fn flags(&self) -> SubjectFlags {
        SubjectFlags { size: self.plan.subject.size, ..self.search.flags.worst.subject.clone() }
    }
}

fn point(result: WorstResult, directory: String) -> CurvePoint {
    CurvePoint {
        size: result.size.unwrap_or_default(),
        cost: result.cost.value,
        complete: result.complete,
        late_gain: late_gain(&result),
        paths: result.paths,
        reached_at: reached_at(&result),
        random: result.random,
        stopped: result.stopped,
        elapsed_s: result.elapsed_s,
        end: result.end,
        input: result.input,
        directory,
    }
}

impl Searched {
    /// Takes in a size that is done.
    fn take(&mut self, done: &SizeDone) {
        match &done.found {
            Reached::Point(point) => self.points.push((**point).clone()),
            Reached::Missing(why) => self.missing.push(MissingSize { size: done.size, why: why.clone() }),
        }
        // What is in a file may be any number.
        let seconds = Duration::try_from_secs_f64(done.seconds).unwrap_or_default();
        self.elapsed = self.elapsed.saturating_add(seconds);
    }
}
