//! The searches of a curve, one size after the other.

mod more;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Error, Result, bail};
use pessimum_report::curve::{CurvePoint, KnownPattern, MissingSize};
use pessimum_report::result::{RandomInputs, WorstResult};
use pessimum_search::budget::{Budget, Cancel, Until, overtime};
use pessimum_search::strategy::Strategy;
use pessimum_search::watch::News;
use pessimum_session::curve::{FIRST_ROUND, late_gain, order, reached_at, share};
use pessimum_session::files::make_directory_inside;
use pessimum_session::growth::{CurveJournal, CurvePlan, Reached, SizeDone, directory_of};
use pessimum_session::journal::{Journal, Past, Plan};
use pessimum_session::owner::Owner;
use pessimum_session::record::Recorder;
use pessimum_session::result::{Account, Finding};
use pessimum_session::saved::{PlannedResult, write_files};
use pessimum_session::{Listeners, Session, Source, Task, check_room, half_of_the_rest, time_left, why_nothing};
use pessimum_term::Witness;

use crate::flags::{CurveFlags, SubjectFlags};
use crate::interrupt::Interrupt;
use crate::live::{Shown, Viewer, searched};
use crate::output::{counted, grouped, tell};
use crate::paths::tell_defects;
use crate::pattern::PlannedPattern;
use crate::queries::Queries;
use crate::shape::words;
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
    /// Sizes that are finished.
    pub done: &'a [SizeDone],
    /// Whether an earlier process began this curve.
    pub resumed: bool,
    /// Whether this process has a budget of its own.
    pub anew: bool,
    /// The largest size that this command is about.
    pub largest: Option<u64>,
    /// A pattern of the program that was found before: each search begins with its inputs.
    pub known: Option<PlannedPattern>,
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
    /// What the strategy learnt, in words.
    pub policy: Option<String>,
    /// The largest size that the command is about.
    pub largest: Option<u64>,
    /// The steepest pattern that was known before.
    pub known: Option<KnownPattern>,
    /// Up to when what comes after the searches may take; none if time is not limited.
    overtime: Option<Instant>,
    interrupt: Interrupt,
}

impl Searched {
    /// How long the next run after the searches may take.
    pub fn until(&self) -> Until {
        half_of_the_rest(self.overtime, &self.interrupt.cancel())
    }

    /// The flag that Ctrl-C raises.
    pub fn cancel(&self) -> Cancel {
        self.interrupt.cancel()
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
    /// From what this size and the others found, with time of its own.
    More(Past),
}

impl Mode {
    fn past(&self) -> Past {
        match self {
            Mode::New => Past::default(),
            Mode::Again(past) => past.again(),
            Mode::GoOn(past) | Mode::More(past) => past.clone(),
        }
    }
}

/// What came of one size.
struct Point {
    found: Reached,
    elapsed: Duration,
    files: Option<Unsaved>,
}

/// What the journal of the curve is told of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Record {
    Nothing,
    Done,
    /// More time was spent on a finished size, and whether it found anything.
    More {
        gained: bool,
    },
}

/// When the searches began, and the time of all of them.
#[derive(Clone, Copy)]
struct Clock {
    began: Instant,
    /// None if time is not limited.
    time: Option<Duration>,
}

impl Clock {
    /// What is left of this part of the time.
    fn left(self, part: f64) -> Option<Duration> {
        self.time.map(|time| time.mul_f64(part).saturating_sub(self.began.elapsed()))
    }
}

impl Search<'_> {
    /// Searches every size that is not finished.
    pub fn run(&self, journal: CurveJournal) -> Result<Searched> {
        let learns = self.plan.search.learns();
        let is_done = |size: &u64| self.done.iter().any(|done| done.size == *size);
        let open: Vec<u64> = self.plan.sizes.iter().copied().filter(|size| !is_done(size)).collect();
        let sizes = order(&open, learns);
        let (interrupt, began) = (Interrupt::listen()?, Instant::now());
        let time = self.budget.time.map(|time| time_left(time, self.source.opened()));
        let clock = Clock { began, time };
        let largest = self.source.program(self.plan.sizes.last().copied())?;
        let mut strategy = self.plan.search.strategy(&*largest)?;
        let mut searched = Searched {
            points: Vec::new(),
            missing: Vec::new(),
            elapsed: Duration::ZERO,
            journal,
            unsaved: Vec::new(),
            failed: Vec::new(),
            interrupted: false,
            policy: None,
            largest: self.largest,
            known: self.known.as_ref().and_then(|saved| saved.result.steepest()),
            overtime: time.and_then(|time| overtime(began, time)),
            interrupt: interrupt.clone(),
        };
        for size in self.done {
            searched.take(size);
        }
        if let Some(carried) = self.done.last().and_then(|last| last.carried.as_ref()) {
            let taken = strategy.take_up(carried, &*largest).map_err(Error::msg);
            taken.with_context(|| format!("{}: what sizes taught", self.owner.directory().display()))?;
        }
        for (i, &size) in sizes.iter().enumerate() {
            if interrupt.is_heard() {
                let why = "Ctrl-C was pressed before it was searched".to_string();
                searched.missing.push(MissingSize { size, why });
                continue;
            }
            if self.flags.only_pattern && is_hopeless(&searched.points, size) {
                let why = "its runs would take too long, and smaller sizes show the pattern as well".to_string();
                searched.missing.push(MissingSize { size, why });
                continue;
            }
            // Replays and reports of one size come out of the time of those after it.
            let part = if self.has_second_round() { FIRST_ROUND } else { 1.0 };
            let time = || clock.left(part).map(|left| left.mul_f64(share(&sizes[i..], learns)));
            let end = time().and_then(|time| Instant::now().checked_add(time));
            let until = half_of_the_rest(end, &interrupt.cancel());
            let mut starts = self.carried_over(size, &searched.points, (strategy.as_ref(), &*largest), &until)?;
            starts.extend(self.of_pattern(size));
            let time = time();
            let point = self.size(size, time, starts, &interrupt, strategy.as_mut())?;
            strategy.carry_over();
            let carried = strategy.carried(&*largest);
            let finished = SizeDone { size, seconds: point.elapsed.as_secs_f64(), found: point.found, carried };
            searched.take(&finished);
            // A size that Ctrl-C cut short is not finished.
            let record = if interrupt.is_heard() { Record::Nothing } else { Record::Done };
            self.save(finished, point.files, record, &mut searched);
        }
        if self.has_second_round() {
            self.second_round(clock, &interrupt, strategy.as_mut(), &mut searched)?;
        }
        searched.interrupted = interrupt.is_heard();
        searched.policy = in_words(&strategy.learnt(&*largest));
        if let (Some(path), Some(policy)) = (&self.flags.worst.options.policy_out, strategy.report().policy()) {
            searched.failed.extend(strategy::save(path, policy, &*largest).err());
        }
        if searched.points.is_empty() {
            let why = searched.missing.first().map(|first| format!("n = {}: {}", first.size, first.why));
            bail!("no size was searched: {}", why.unwrap_or_default());
        }
        Ok(searched)
    }

    /// Saves what a size found, and then says so: what is shown can be resumed.
    fn save(&self, finished: SizeDone, files: Option<Unsaved>, record: Record, searched: &mut Searched) {
        let size = finished.size;
        let line = match &finished.found {
            Reached::Point(point) if !matches!(record, Record::More { gained: false }) => {
                let (cost, paths) = (grouped(point.cost), counted(point.paths, "path", "paths"));
                Some(format!("n = {size}: cost {cost} after {paths}"))
            }
            _ => None,
        };
        if let Some((place, files)) = files
            && let Err(error) = write_files(&place, &files)
        {
            tell(&format!("note: {error}; it is tried again at the end"));
            searched.unsaved.push((place, files));
        }
        let recorded = match record {
            Record::Nothing => Ok(()),
            Record::Done => searched.journal.done(finished),
            Record::More { .. } => searched.journal.more(finished),
        };
        if let Err(error) = recorded {
            tell(&format!("note: {error}; the curve continues, but cannot be resumed from here"));
        }
        if let Some(line) = line.filter(|_| !self.flags.worst.results.json && !self.flags.worst.search.quiet) {
            // A closed standard error is no reason to stop.
            let _ = writeln!(std::io::stderr(), "{line}");
        }
    }

    /// Searches one size, from where an earlier process was interrupted if there was one.
    fn size(
        &self,
        size: u64,
        time: Option<Duration>,
        starts: Vec<Witness>,
        interrupt: &Interrupt,
        strategy: &mut dyn Strategy,
    ) -> Result<Point> {
        let source = self.source.at_size(Some(size));
        let plan = self.plan_of(&source);
        let place = make_directory_inside(self.owner.directory(), &directory_of(size));
        let owner = place.map_err(Error::from).and_then(|place| worst::own(&place));
        // A full disk is no reason to give up the sizes before this one.
        let owner = owner.inspect_err(|error| tell(&format!("note: {error:#}; n = {size} is not recorded"))).ok();
        let mode = owner.as_ref().map_or(Mode::New, |owner| self.mode(owner.directory(), &plan));
        let known = mode.past().cost();
        let one = One { search: self, source: &source, plan: &plan, owner: owner.as_ref(), time, starts, random: None };
        let point = one.run(mode, interrupt, strategy)?;
        let cost = match &point.found {
            // What is known of its cost is only what it was up to where it was stopped.
            Reached::Point(point) if point.endless => Some(u64::MAX),
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

    /// What is searched at the size of this source.
    fn plan_of(&self, source: &Source) -> Plan {
        let search = self.plan.search.clone();
        Plan { subject: source.plan().clone(), search, fail_above: self.flags.worst.fail_above }
    }

    /// How to search a size, by what is in its directory.
    fn mode(&self, place: &Path, plan: &Plan) -> Mode {
        match Past::read(place) {
            Ok(past) if self.resumed && is_of(&past, plan) => match self.is_repeatable() {
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

/// Whether costs that grow exponentially will be so high at this size that a search sees only a few runs.
fn is_hopeless(points: &[CurvePoint], size: u64) -> bool {
    /// About a tenth of a second.
    const MOST: f64 = 50_000_000.0;
    let mut smaller: Vec<&CurvePoint> = points.iter().filter(|point| point.size < size).collect();
    smaller.sort_by_key(|point| point.size);
    let [.., earlier, before, last] = smaller[..] else { return false };
    let per_element = |one: &CurvePoint, other: &CurvePoint| {
        (other.cost as f64 / one.cost.max(1) as f64).ln() / other.size.saturating_sub(one.size).max(1) as f64
    };
    let (first, second) = (per_element(earlier, before), per_element(before, last));
    let is_exponential = smaller.len() >= 4 && second > 0.8 * first;
    is_exponential && last.cost as f64 * (second * size.saturating_sub(last.size) as f64).exp() > MOST
}

/// The first rules that a strategy learnt; none where it learnt none.
fn in_words(rules: &[String]) -> Option<String> {
    /// Enough to see what it is about.
    const SHOWN: usize = 4;
    let shown = rules.iter().take(SHOWN).cloned().collect::<Vec<String>>().join("; ");
    (!rules.is_empty()).then(|| format!("What the search learnt to do: {shown}"))
}

/// Whether a journal is that of this plan.
fn is_of(past: &Past, plan: &Plan) -> bool {
    past.plan.as_ref().is_some_and(|other| (&other.subject, &other.search) == (&plan.subject, &plan.search))
}

/// The search at one size.
struct One<'a> {
    search: &'a Search<'a>,
    source: &'a Source,
    plan: &'a Plan,
    /// None if nothing can be written.
    owner: Option<&'a Owner>,
    time: Option<Duration>,
    /// Inputs of other sizes, made to fit.
    starts: Vec<Witness>,
    /// What random inputs cost, where they were run before.
    random: Option<RandomInputs>,
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
            ends: plan.search.ends,
            seed: worst::seed_of_part(seed, past.parts),
            // Random inputs are compared with once.
            baseline_seed: (!matches!(mode, Mode::More(_))).then_some(seed),
            budget,
            starts: self.starts.clone(),
            // What the first round taught is enough, and what a search teaches takes time after it.
            carries_over: !matches!(mode, Mode::More(_)),
            target: None,
            cancel: interrupt.cancel(),
            solver: self.search.queries.settings(),
        })?
        .with_memory(usual.search.memory())
        .trying_every_input();
        check_room(session.program().plan().variables(), self.search.budget.time, usual.search.memory())?;
        if let Mode::More(past) = &mode {
            // This process ran it itself, perhaps longer than what is affordable now.
            session.add_starts(past.best.clone());
        }
        if let Mode::GoOn(past) = &mode {
            let limits = self.source.affordable(budget.time);
            let end = budget.time.and_then(|time| Instant::now().checked_add(time));
            let until = half_of_the_rest(end, &interrupt.cancel());
            session.add_starts(worst::recorded_best(session.program(), past, plan.search.cost, limits, &until)?);
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
        let whole = pessimum_session::plan::SubjectPlan { size: None, ..plan.subject.clone() };
        let shown = Shown { cost: plan.search.cost, budget, label, earlier, searched: searched(&whole) };
        let mut viewer = Viewer::live_only(&usual.search, usual.results.json, shown);
        let words = words(&plan.subject, session.program());
        let mut record = recorder.as_mut().map(|recorder| move |news: &News| recorder.take(news));
        let listeners = Listeners {
            record: record.as_mut().map(|record| record as &mut (dyn FnMut(&News) + Send)),
            show: Some(&mut |news| viewer.show(news, &words)),
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
        let Finding { mut result, profile, .. } = account.finding(&outcome, strategy.report().policy())?;
        if let Mode::More(_) = &mode {
            result.random = self.random.clone();
        }
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
            Mode::New => {
                worst::start_journal(owner, self.source, || Journal::prepare(owner, self.plan, budget))?.begin()?
            }
            Mode::Again(past) => Journal::do_again(owner, past, budget)?,
            Mode::GoOn(past) | Mode::More(past) => Journal::go_on(owner, past, budget)?,
        })
    }

    /// The flags of a single search at this size.
    fn flags(&self) -> SubjectFlags {
        self.search.flags.worst.subject.at(self.plan.subject.size)
    }
}

fn point(result: WorstResult, directory: String) -> CurvePoint {
    CurvePoint {
        size: result.size.unwrap_or_default(),
        cost: result.cost.value,
        complete: result.complete,
        domain: result.domain.clone(),
        late_gain: late_gain(&result),
        paths: result.paths,
        reached_at: reached_at(&result),
        random: result.random,
        stopped: result.stopped,
        elapsed_s: result.elapsed_s,
        trapped: result.trapped.map(|trapped| trapped.cost),
        end: result.end,
        endless: result.endless,
        input: result.input,
        work: result.work,
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

    /// Takes in what is known of a size after more time.
    fn take_more(&mut self, more: &SizeDone) {
        if let Reached::Point(point) = &more.found {
            self.points.retain(|other| other.size != more.size);
            self.points.push((**point).clone());
        }
        self.elapsed = self.elapsed.saturating_add(Duration::try_from_secs_f64(more.seconds).unwrap_or_default());
    }
}
