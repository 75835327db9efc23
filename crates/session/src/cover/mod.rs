//! Searches for a small suite of inputs that covers the user's code, or for one input that reaches a place.
//!
//! Each size is a session of its own, with the goals that earlier ones left open and, where the strategy takes them up, the
//! inputs that they found, brought to its size ([`carry`]). Sizes with something to give are searched twice: then they get
//! what the others left over. What was found becomes a suite
//! ([`suite`]), and everything that is reported comes from running that suite once more. An arm is proved unreachable
//! only if the searches at all sizes were complete: then every path was seen, and each path lists all arms that it takes, or
//! is observed after the search. Of the functions and lines of a suite nothing of the kind is said, because paths do not list them; where one of them is
//! all that is wanted, every path is observed instead.

mod account;
mod bytes;
mod carry;
pub(crate) mod coverage;
mod goals;
mod record;
mod suite;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use pessimum_outcome::{CostModel, End, Ends, Limit};
use pessimum_search::budget::{Budget, Cancel, Stop, Until};
use pessimum_search::objective::{Find, Goal, Goals};
use pessimum_search::places::Places;
use pessimum_search::program::PathLimits;
use pessimum_search::search::{Defect, SearchResult};
use pessimum_search::watch::News;
use pessimum_term::Witness;

pub use crate::scope::Scope;
pub use account::{reached, result};
pub use bytes::{from_bytes, from_standard_input, raw_parts};
pub use goals::{GoalSet, Numbered};
pub use record::{CoverPlan, FoundInput, NAME, Recorder};
pub use suite::Covering;
pub(crate) use suite::covered as goals_covered;

use crate::plan::SearchPlan;
use crate::{Error, Listeners, Session, Source, Target, Task, check_room, usual_memory};

/// What is to be covered, and what that may take.
pub struct CoverTask<'a> {
    /// The program.
    pub source: &'a Source,
    /// The values of `n`, ascending, or none once where no length depends on it.
    pub sizes: Vec<Option<u64>>,
    /// How it is searched.
    pub search: &'a SearchPlan,
    /// What is to be covered.
    pub wanted: Wanted,
    /// When to stop: the time of everything, and the paths of all sizes together, which may be 0 where there are `starts`.
    pub budget: Budget,
    /// Inputs that take part from the beginning, each with the index of its size.
    pub starts: Vec<(usize, Witness)>,
    /// What earlier parts of the search found. All of it is run again, whatever is left of the budget.
    pub known: Vec<(usize, Find)>,
    /// Time and paths of these parts.
    pub earlier: (Duration, u64),
    /// The bytes that the search may take; a quarter of the machine's memory otherwise.
    pub memory: Option<u64>,
    /// Ends it from outside.
    pub cancel: Cancel,
    /// The solver's settings.
    pub solver: pessimum_solver::Settings,
}

/// What is to be covered.
#[derive(Clone, Debug)]
pub enum Wanted {
    /// All of these.
    All(BTreeSet<Goal>),
    /// One of these.
    Any(BTreeSet<Goal>),
}

impl Wanted {
    fn goals(&self) -> &BTreeSet<Goal> {
        match self {
            Wanted::All(goals) | Wanted::Any(goals) => goals,
        }
    }

    /// An archive for those of the goals that have not been reached yet.
    fn archive(&self, reached: &BTreeSet<Goal>) -> Goals {
        let open = self.goals().iter().copied().filter(|goal| !reached.contains(goal));
        match self {
            Wanted::All(_) => Goals::new(open),
            Wanted::Any(_) => Goals::any_of(open),
        }
    }
}

/// How a search is getting on.
pub struct Progress<'n> {
    /// What the session at this size has to say.
    pub news: &'n News,
    /// The size that is searched.
    pub size: Option<u64>,
    /// Time since the beginning, all sizes together.
    pub elapsed: Duration,
    /// Paths of all sizes.
    pub paths: u64,
    /// Goals that are covered.
    pub covered: usize,
    /// Goals altogether.
    pub goals: usize,
}

/// Who hears of a search. Nothing counts as covered in what is shown that was not recorded before.
pub trait Watcher: Send {
    /// Records inputs with news, found at the size with this index, after this time and so many paths of all sizes.
    fn record(&mut self, _size: usize, _finds: &[Find], _elapsed: Duration, _paths: u64) {}

    /// Shows how the search is getting on.
    fn show(&mut self, progress: &Progress<'_>);
}

/// Hears nothing.
pub struct Nobody;

impl Watcher for Nobody {
    fn show(&mut self, _: &Progress<'_>) {}
}

/// One search at one size.
pub struct AtSize {
    /// `n`.
    pub size: Option<u64>,
    /// The program.
    pub program: Box<Target>,
    /// What the search found; none if everything was covered, or the budget spent, before its turn.
    pub found: Option<SearchResult>,
    /// The index of its size among those of the task.
    index: usize,
    /// The goals that were open when it began.
    goals: Goals,
    /// Whether the arms of all its paths are known.
    observed: bool,
}

/// What was found.
pub struct Covered {
    /// By search: one for each size, and another for some.
    pub at: Vec<AtSize>,
    /// The suite, in the order in which its inputs were chosen.
    pub suite: Vec<Covering>,
    /// What the goals of its inputs stand for.
    pub wanted: Numbered,
    /// Whether every feasible path was seen, at every size, and with it every arm that it takes.
    pub complete: bool,
    /// Why the last search ended.
    pub stop: Stop,
    /// What went wrong that never should.
    pub defects: Vec<Defect>,
    /// Wall clock of everything, earlier parts included.
    pub elapsed: Duration,
    /// Paths of earlier parts.
    earlier: u64,
    /// Wall clock and paths of this part.
    own: (Duration, u64),
    /// The limits of a run.
    pub limits: PathLimits,
    /// How long what comes after may take.
    pub until: Until,
}

impl Covered {
    /// What there is in the program.
    pub fn places(&self) -> Arc<Places> {
        // The numbers depend on the module alone, and there is at least one size.
        self.at.first().map(|at| at.program.places()).unwrap_or_default()
    }

    /// Paths of all sizes, earlier parts included.
    pub fn paths(&self) -> u64 {
        self.earlier + self.found().map(|found| found.paths).sum::<u64>()
    }

    /// What the searches found.
    pub fn found(&self) -> impl Iterator<Item = &SearchResult> {
        self.at.iter().filter_map(|at| at.found.as_ref())
    }
}

/// The part of the time that is kept for making the suite small and simple, and its upper limit.
const SUITE_SHARE: (f64, Duration) = (0.1, Duration::from_secs(5));

/// The most time that the search may have taken for the rest of it to be used for the suite.
const LEAST_SUITE: Duration = Duration::from_millis(500);

/// How long what comes after the search gets to show something where the search was cancelled.
const GRACE: Duration = Duration::from_millis(300);

/// Searches all sizes and makes the suite.
pub fn cover(task: &CoverTask<'_>, watcher: &mut dyn Watcher) -> Result<Covered, Error> {
    let mut searches = Searches::new(task, watcher);
    searches.recall()?;
    let all: Vec<usize> = (0..task.sizes.len()).collect();
    let goes_again = task.sizes.len() > 1 && task.budget.paths != Some(0) && searches.takes_up_inputs()?;
    searches.round(&all, if goes_again { FIRST_ROUND } else { 1.0 })?;
    if goes_again {
        let again = searches.worth_another_round();
        searches.round(&again, 1.0)?;
    }
    searches.finish()
}

/// The part of the time and the paths that the first round over all sizes takes, if there is another one.
const FIRST_ROUND: f64 = 0.5;

/// Inputs of other sizes that a search begins with at most, before they are brought to its size.
const CARRIED: usize = 64;

/// The part of the paths of a search that these may take.
const CARRIED_SHARE: u64 = 8;

/// Goals of which there is room for any number in what a search has.
const FEW_GOALS: usize = 100_000;

/// Whether what is to be covered can be kept and written down in this time and memory. Two million goals took 18 s beside the search, and
/// 5.7 GB.
pub fn check_goals(goals: usize, time: Option<Duration>, memory: Option<u64>) -> Result<(), Error> {
    if goals <= FEW_GOALS {
        return Ok(());
    }
    let (needed, bytes) = (Duration::from_micros(9).saturating_mul(goals as u32), 2800 * goals as u64);
    let memory = memory.unwrap_or_else(usual_memory);
    let why = if bytes > memory {
        format!("about {} MiB of memory, and the search may take {} MiB", bytes >> 20, memory >> 20)
    } else {
        match time.filter(|time| needed > *time) {
            Some(time) => {
                format!("about {:.0} s, and the search may take {:.1} s", needed.as_secs_f64(), time.as_secs_f64())
            }
            None => return Ok(()),
        }
    };
    let instead = "name what counts with --in, or give it more with --budget and --max-search-memory";
    Err(Error::new(format!("to cover {goals} branches, functions and lines takes {why}: {instead}")))
}

/// The searches at all sizes, one after the other.
struct Searches<'t, 's> {
    task: &'t CoverTask<'t>,
    watcher: &'s mut dyn Watcher,
    began: Instant,
    /// When the last search must be over.
    end: Option<Instant>,
    reached: BTreeSet<Goal>,
    /// Inputs with news, each with the index of its search.
    finds: Vec<(usize, Find)>,
    at: Vec<AtSize>,
    /// Of those that were asked for.
    paths: u64,
    stop: Stop,
    defects: Vec<Defect>,
}

impl<'t, 's> Searches<'t, 's> {
    fn new(task: &'t CoverTask<'t>, watcher: &'s mut dyn Watcher) -> Searches<'t, 's> {
        let began = task.source.opened();
        let end = task.budget.time.and_then(|time| {
            let suite = time.mul_f64(SUITE_SHARE.0).min(SUITE_SHARE.1);
            began.checked_add(time - suite)
        });
        let (reached, finds, at, defects) = (BTreeSet::new(), Vec::new(), Vec::new(), Vec::new());
        Searches { task, watcher, began, end, reached, finds, at, paths: 0, stop: Stop::Finished, defects }
    }

    /// Runs again what earlier parts of the search found.
    fn recall(&mut self) -> Result<(), Error> {
        let (limits, until) = (self.task.source.limits(), Until { moment: None, cancel: self.task.cancel.clone() });
        for (index, &size) in self.task.sizes.iter().enumerate() {
            let mut known = self.task.known.iter().filter(|(at, _)| *at == index).peekable();
            if known.peek().is_none() {
                continue;
            }
            let program = self.task.source.program(size)?;
            let goals = self.task.wanted.archive(&self.reached).with_twins(program.places().twins.clone());
            for (_, find) in known {
                let limits = PathLimits { instructions: find.within.min(limits.instructions), ..limits };
                let (seen, within) = program.observe_while(&find.input, &limits, &mut || until.go_on());
                if seen.end.is_a_run() {
                    goals.see_run(&find.input, &seen, within.instructions);
                }
            }
            self.keep(AtSize { size, program, found: None, index, goals, observed: false });
        }
        Ok(())
    }

    /// Keeps a search at a size and what it found.
    fn keep(&mut self, at: AtSize) {
        let this = self.at.len();
        for find in at.goals.finds(0) {
            self.reached.extend(&find.goals);
            self.finds.push((this, find));
        }
        self.at.push(at);
    }

    /// Whether the strategy makes use of inputs that another search found.
    fn takes_up_inputs(&self) -> Result<bool, Error> {
        let Some(&size) = self.task.sizes.first() else { return Ok(false) };
        Ok(self.task.search.strategy(&*self.task.source.program(size)?)?.takes_up_inputs())
    }

    /// Searches these sizes, with this part of what is left of the budget.
    fn round(&mut self, sizes: &[usize], share: f64) -> Result<(), Error> {
        let left = self.end.map(|end| end.saturating_duration_since(Instant::now()).mul_f64(share));
        let end = left.map(|left| Instant::now() + left);
        let paths = self.task.budget.paths.map(|most| (most.saturating_sub(self.paths) as f64 * share) as u64);
        let most_paths = paths.map(|paths| self.paths + paths);
        for (done, &size) in sizes.iter().enumerate() {
            let sizes_left = (sizes.len() - done) as u32;
            let budget = Budget {
                time: end.map(|end| end.saturating_duration_since(Instant::now()) / sizes_left),
                // Later sizes get what earlier ones left over, and each at least one path if there are any.
                paths: most_paths.map(|most| {
                    let share = most.saturating_sub(self.paths) / u64::from(sizes_left);
                    if self.task.budget.paths == Some(0) { 0 } else { share.max(1) }
                }),
                steps: None,
            };
            self.search(size, budget)?;
        }
        Ok(())
    }

    /// The sizes that were not seen completely and had something new to give, and the largest of those.
    fn worth_another_round(&self) -> Vec<usize> {
        let open = || (0..self.at.len()).filter(|&search| !self.is_complete(self.at[search].index));
        let gave = |search: usize| self.finds.iter().any(|(of, find)| *of == search && !find.goals.is_empty());
        let largest = open().max_by_key(|&search| self.at[search].index);
        let mut sizes: Vec<usize> = open()
            .filter(|&search| gave(search) || Some(search) == largest)
            .map(|search| self.at[search].index)
            .collect();
        sizes.sort_unstable();
        sizes.dedup();
        sizes
    }

    /// Whether one of the searches at a size saw every path.
    fn is_complete(&self, size: usize) -> bool {
        let is_complete = |at: &AtSize| at.observed && at.found.as_ref().is_some_and(|found| found.complete);
        self.at.iter().any(|at| at.index == size && is_complete(at))
    }

    /// Searches one size, beginning with what was found at others.
    fn search(&mut self, index: usize, budget: Budget) -> Result<(), Error> {
        let (task, size) = (self.task, self.task.sizes[index]);
        let earlier = self.at.iter().filter(|at| at.index == index && at.found.is_some()).count() as u64;
        let session = session(task, (size, earlier), budget)?;
        let goals = task.wanted.archive(&self.reached).with_twins(session.program().places().twins.clone());
        let mut session = session.with_goals(goals.clone());
        // Inputs to start from are run even if nothing is to be searched after them.
        let starts = task.starts.iter().filter(|(at, _)| *at == index).map(|(_, input)| input.clone());
        let has_starts = starts.clone().next().is_some();
        let out_of_time = budget.time.is_some_and(|left| left.is_zero());
        let spent = out_of_time || task.budget.paths.is_some_and(|most| self.paths >= most && !has_starts);
        let (mut found, mut observed) = (None, false);
        if goals.are_covered() {
            self.stop = Stop::Covered;
        } else if task.cancel.is_cancelled() {
            self.stop = Stop::Cancelled;
        } else if !spent {
            let mut strategy = task.search.strategy(session.program())?;
            session.add_starts(starts);
            if strategy.takes_up_inputs() {
                session.add_starts(self.carried(session.program(), &goals, budget.paths));
            }
            let (before, total) = (self.reached.len(), task.wanted.goals().len());
            let (began, paths, watcher) = (self.began, self.paths, &mut *self.watcher);
            let (mut recorded, mut covered) = (0, before);
            let mut record = |watcher: &mut dyn Watcher, paths: u64| {
                let new = goals.finds(recorded);
                watcher.record(index, &new, began.elapsed(), paths);
                recorded += new.len();
                covered += new.iter().map(|find| find.goals.len()).sum::<usize>();
                covered
            };
            let mut showing = |news: &News| {
                let paths = paths + news.paths;
                let covered = record(watcher, paths);
                let (elapsed, paths) = (task.earlier.0 + began.elapsed(), task.earlier.1 + paths);
                watcher.show(&Progress { news, size, elapsed, paths, covered, goals: total });
            };
            let outcome = session.run(strategy.as_mut(), Listeners { record: None, show: Some(&mut showing) });
            // Inputs that are all run are there besides the paths that were asked for.
            self.paths += if outcome.found.every_input.is_some() { 0 } else { outcome.found.paths };
            self.stop = outcome.found.stop;
            self.defects.extend(outcome.found.defects.iter().cloned());
            observed = outcome.found.complete && self.observe_paths(session.program(), &goals);
            record(&mut *self.watcher, self.paths);
            found = Some(outcome.found);
        }
        self.keep(AtSize { size, program: session.into_program(), found, index, goals, observed });
        Ok(())
    }

    /// Observes the paths of a complete search whose arms are not known, as long as a goal is open and there is time. Returns
    /// whether nothing is left to observe.
    fn observe_paths(&self, program: &Target, goals: &Goals) -> bool {
        let Some(inputs) = goals.take_unobserved() else { return false };
        let (until, limits) = (Until { moment: self.end, cancel: self.task.cancel.clone() }, self.task.source.limits());
        inputs.iter().all(|input| {
            let goes_on = goals.are_covered() || until.go_on();
            if goes_on && !goals.are_covered() {
                let (seen, within) = program.observe_while(input, &limits, &mut || until.go_on());
                goals.see_run(input, &seen, within.instructions);
                return seen.end != End::Limit(Limit::Budget);
            }
            goes_on
        }) && program.left_out().is_empty()
    }

    /// What other searches found, brought to the size of this program: the inputs that came closest to open goals, and
    /// those that reached others, the latest first.
    fn carried(&self, program: &Target, goals: &Goals, paths: Option<u64>) -> Vec<Witness> {
        let near = goals.left().into_iter().flat_map(|goal| {
            let of = |(search, at): (usize, &AtSize)| Some((search, at.goals.nearest(goal)?));
            let nearest = self.at.iter().enumerate().filter_map(of).min_by_key(|(_, nearest)| nearest.distance);
            nearest.map(|(search, nearest)| (search, nearest.input))
        });
        let reached = self.finds.iter().filter(|(_, find)| !find.goals.is_empty());
        let mut reached: Vec<(usize, Arc<Witness>)> =
            reached.map(|(search, find)| (*search, find.input.clone())).collect();
        reached.sort_by_key(|(search, _)| std::cmp::Reverse(*search));
        let mut known: BTreeSet<(usize, Vec<u64>)> = BTreeSet::new();
        let mut carried: Vec<Witness> = Vec::new();
        for (search, input) in near.chain(reached) {
            if known.len() < CARRIED && known.insert((search, input.values().to_vec())) {
                let from = self.at[search].program.plan();
                carried.extend(carry::carried(from, program.plan(), &input));
            }
        }
        carried.truncate(paths.map_or(usize::MAX, |paths| (paths / CARRIED_SHARE) as usize));
        carried
    }

    fn finish(self) -> Result<Covered, Error> {
        let task = self.task;
        let complete = (0..task.sizes.len()).all(|size| self.is_complete(size));
        let end = task.budget.time.and_then(|time| self.began.checked_add(time));
        // What the search left over may be used for the suite, too, but not all of a long time.
        let suite_end = end.map(|end| end.min(Instant::now() + LEAST_SUITE.max(self.began.elapsed() / 2)));
        let until = Until::cancelled(&task.cancel, GRACE).and_moment(suite_end);
        let limits = task.source.limits();
        let mut defects = self.defects;
        let made = make_suite(task, &self.at, &self.finds, limits, &until);
        let complete = complete && made.lost.is_empty();
        defects.extend(made.lost);
        let (suite, wanted, own) = (made.suite, made.wanted, (self.began.elapsed(), self.paths));
        let (elapsed, earlier) = (task.earlier.0 + own.0, task.earlier.1);
        let (at, stop) = (self.at, self.stop);
        Ok(Covered { at, suite, wanted, complete, stop, defects, elapsed, earlier, own, limits, until })
    }
}

/// A search at this size, after so many others there.
fn session<'a>(
    task: &CoverTask<'a>,
    (size, earlier): (Option<u64>, u64),
    budget: Budget,
) -> Result<Session<'a>, Error> {
    let session = Session::new(Task {
        source: task.source,
        size,
        cost: CostModel::default(),
        ends: Ends::Any,
        seed: task.search.seed.wrapping_add(earlier),
        baseline_seed: None,
        budget,
        starts: Vec::new(),
        carries_over: false,
        target: None,
        cancel: task.cancel.clone(),
        solver: task.solver.clone(),
    })?;
    check_room(session.program().plan().variables(), task.budget.time, task.memory)?;
    Ok(session.with_memory(task.memory).trying_every_input())
}

/// A suite.
struct Made {
    suite: Vec<Covering>,
    wanted: Numbered,
    /// What the search had counted and is not there.
    lost: Vec<Defect>,
}

/// The parts of the time for the suite after which its inputs have been run again, and have been made simpler.
const PIECES: (f64, f64) = (0.4, 0.75);

/// This part of the time that is left.
fn part_of(until: &Until, part: f64) -> Until {
    let now = Instant::now();
    let moment = until.moment.map(|moment| now + moment.saturating_duration_since(now).mul_f64(part));
    Until { moment, cancel: until.cancel.clone() }
}

/// The inputs that reached a goal first, made into a small suite. Traps that were found on the way stay in it. Goals that an
/// input does not reach when it is run again are defects of ours, unless the program does not do the same twice.
fn make_suite(task: &CoverTask<'_>, at: &[AtSize], finds: &[(usize, Find)], limits: PathLimits, until: &Until) -> Made {
    let programs: Vec<&Target> = at.iter().map(|at| &*at.program).collect();
    let trap_of = |find: &Find| match (&task.wanted, find.end) {
        (Wanted::All(_), End::Trapped(trap)) => Some(Goal::Trap(trap)),
        _ => None,
    };
    let traps = finds.iter().filter_map(|(_, find)| trap_of(find));
    let wanted = Numbered::of(task.wanted.goals().iter().copied().chain(traps));
    let mut inputs: BTreeMap<(usize, &[u64]), Find> = BTreeMap::new();
    for (at, find) in finds.iter().filter(|(_, find)| !find.goals.is_empty() || trap_of(find).is_some()) {
        let known =
            inputs.entry((*at, find.input.values())).or_insert_with(|| Find { goals: Vec::new(), ..find.clone() });
        known.goals.extend(find.goals.iter().copied().chain(trap_of(find)));
        (known.steps, known.within) = (known.steps.or(find.steps), known.within.min(find.within));
    }
    let mut inputs: Vec<(usize, Find)> = inputs.into_iter().map(|((at, _), find)| (at, find)).collect();
    // Where there is no time for all, it is for those that take least.
    inputs.sort_by_key(|(_, find)| find.steps.unwrap_or(0));
    let pieces = [PIECES.0, PIECES.1].map(|part| part_of(until, part));
    let of = |(at, find): (usize, Find)| suite::covering(programs[at], (at, find), limits, &wanted, &pieces[0]);
    let candidates: Vec<Covering> = inputs.into_iter().filter_map(of).collect();
    let lost = lost(finds, &candidates, &wanted, &programs, &limits);
    let mut suite = suite::minimal(candidates, &wanted);
    // If nothing was searched, these are the user's own inputs, and stay as they are.
    if task.budget.paths != Some(0) {
        suite = suite::simplest(suite, &programs, limits, &wanted, &pieces[1]);
        // A simpler input may cover more, so that another one is not needed any longer.
        suite = suite::minimal(suite, &wanted);
    }
    Made { suite, wanted, lost }
}

/// The goals that the search counted as reached and that no input reaches when it is run again, one for each input.
fn lost(
    finds: &[(usize, Find)],
    candidates: &[Covering],
    wanted: &Numbered,
    programs: &[&Target],
    limits: &PathLimits,
) -> Vec<Defect> {
    let mut covered = wanted.none();
    candidates.iter().for_each(|covering| covering.goals.add_to(&mut covered));
    let is_lost =
        |goal: &&Goal| wanted.number(goal).is_some_and(|number| wanted.set([number].into_iter()).beyond(&covered) > 0);
    let mut lost: BTreeMap<(usize, &[u64]), Goal> = BTreeMap::new();
    for (at, find) in finds {
        if let Some(goal) = find.goals.iter().find(is_lost) {
            lost.entry((*at, find.input.values())).or_insert(*goal);
        }
    }
    let defect = |((at, input), goal): ((usize, &[u64]), Goal)| {
        let (program, input) = (programs[at], Witness::new(input.to_vec()));
        match program.repeats(&input, limits) {
            true => Defect::GoalLost { goal: name_of(program, goal), input },
            false => Defect::Unsteady { at: program.differs_at(&input, limits), input },
        }
    };
    lost.into_iter().map(defect).collect()
}

/// A goal for human readers.
fn name_of(program: &Target, goal: Goal) -> String {
    let places = program.places();
    match goal {
        Goal::Arm(site, _) => program.site_name(site),
        Goal::Function(function) => places.functions.get(function as usize).cloned().unwrap_or_default(),
        Goal::Line(line) => {
            places.lines.get(line as usize).map_or_else(String::new, |of| format!("{}:{}", of.file, of.line))
        }
        Goal::Trap(trap) => trap.to_string(),
    }
}
