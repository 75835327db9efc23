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
mod suite;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use pessimum_outcome::{CostModel, End, Ends};
use pessimum_search::budget::{Budget, Cancel, Stop, Until};
use pessimum_search::objective::{Goal, Goals};
use pessimum_search::places::Places;
use pessimum_search::program::PathLimits;
use pessimum_search::search::{Defect, SearchResult};
use pessimum_search::watch::News;
use pessimum_term::Witness;

pub use crate::scope::Scope;
pub use account::{reached, result};
pub use bytes::{from_bytes, from_standard_input, raw_parts};
pub use suite::Covering;
pub(crate) use suite::covered as goals_covered;

use crate::plan::SearchPlan;
use crate::{Error, Listeners, Session, Source, Target, Task, check_room};

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
    fn archive(&self, reached: &Inputs<Goal>) -> Goals {
        let open = self.goals().iter().copied().filter(|goal| !reached.contains_key(goal));
        match self {
            Wanted::All(_) => Goals::new(open),
            Wanted::Any(_) => Goals::any_of(open),
        }
    }
}

/// Inputs by what they did first, each with the index of its search.
type Inputs<K> = BTreeMap<K, (usize, Arc<Witness>)>;

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

/// One search at one size.
pub struct AtSize {
    /// `n`.
    pub size: Option<u64>,
    /// The program.
    pub program: Target,
    /// What the search found; none if everything was covered, or the budget spent, before its turn.
    pub found: Option<SearchResult>,
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
    /// Whether every feasible path was seen, at every size, and with it every arm that it takes.
    pub complete: bool,
    /// Why the last search ended.
    pub stop: Stop,
    /// What went wrong that never should.
    pub defects: Vec<Defect>,
    /// Wall clock of everything.
    pub elapsed: Duration,
    /// The limits of the suite's runs.
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

    /// Paths of all sizes.
    pub fn paths(&self) -> u64 {
        self.found().map(|found| found.paths).sum()
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

/// Searches all sizes and makes the suite.
pub fn cover(task: &CoverTask<'_>, show: &mut (dyn FnMut(&Progress<'_>) + Send)) -> Result<Covered, Error> {
    let mut searches = Searches::new(task, show);
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

/// The searches at all sizes, one after the other.
struct Searches<'t, 's> {
    task: &'t CoverTask<'t>,
    show: &'s mut (dyn FnMut(&Progress<'_>) + Send),
    began: Instant,
    /// When the last search must be over.
    end: Option<Instant>,
    /// By goal: the first input, with the index of its search.
    reached: Inputs<Goal>,
    ends: Inputs<End>,
    at: Vec<AtSize>,
    /// By search: the index of its size.
    sizes: Vec<usize>,
    /// Of those that were asked for.
    paths: u64,
    stop: Stop,
    defects: Vec<Defect>,
}

impl<'t, 's> Searches<'t, 's> {
    fn new(task: &'t CoverTask<'t>, show: &'s mut (dyn FnMut(&Progress<'_>) + Send)) -> Searches<'t, 's> {
        let began = task.source.opened();
        let end = task.budget.time.and_then(|time| {
            let suite = time.mul_f64(SUITE_SHARE.0).min(SUITE_SHARE.1);
            began.checked_add(time - suite)
        });
        let (reached, ends, at, sizes, defects) = (Inputs::new(), Inputs::new(), Vec::new(), Vec::new(), Vec::new());
        Searches { task, show, began, end, reached, ends, at, sizes, paths: 0, stop: Stop::Finished, defects }
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
        let open = || (0..self.at.len()).filter(|&search| !self.is_complete(self.sizes[search]));
        let gave = |search: usize| self.reached.values().any(|(of, _)| *of == search);
        let largest = open().max_by_key(|&search| self.sizes[search]);
        let mut sizes: Vec<usize> =
            open().filter(|&search| gave(search) || Some(search) == largest).map(|search| self.sizes[search]).collect();
        sizes.sort_unstable();
        sizes.dedup();
        sizes
    }

    /// Whether one of the searches at a size saw every path.
    fn is_complete(&self, size: usize) -> bool {
        let is_complete = |at: &AtSize| at.observed && at.found.as_ref().is_some_and(|found| found.complete);
        self.sizes.iter().zip(&self.at).any(|(of, at)| *of == size && is_complete(at))
    }

    /// Searches one size, beginning with what was found at others.
    fn search(&mut self, index: usize, budget: Budget) -> Result<(), Error> {
        let (task, size) = (self.task, self.task.sizes[index]);
        let earlier = self.sizes.iter().filter(|&&of| of == index).count() as u64;
        let session = session(task, (size, earlier), budget)?;
        let goals = task.wanted.archive(&self.reached).with_twins(session.program().places().twins.clone());
        let mut session = session.with_goals(goals.clone());
        // Inputs to start from are run even if nothing is to be searched after them.
        let starts = task.starts.iter().filter(|(at, _)| *at == index).map(|(_, input)| input.clone());
        let has_starts = starts.clone().next().is_some();
        let out_of_time = budget.time.is_some_and(|left| left.is_zero());
        let spent = out_of_time || task.budget.paths.is_some_and(|most| self.paths >= most && !has_starts);
        let (mut found, mut observed) = (None, false);
        let this = self.at.len();
        if goals.are_covered() {
            self.stop = Stop::Covered;
        } else if task.cancel.is_cancelled() {
            self.stop = Stop::Cancelled;
        } else if !spent {
            let mut strategy = task.search.strategy(&**session.program())?;
            session.add_starts(starts);
            if strategy.takes_up_inputs() {
                session.add_starts(self.carried(session.program(), &goals, budget.paths));
            }
            let (before, total) = (self.reached.len(), task.wanted.goals().len());
            let (began, paths, show) = (self.began, self.paths, &mut *self.show);
            let mut showing = |news: &News| {
                show(&Progress {
                    news,
                    size,
                    elapsed: began.elapsed(),
                    paths: paths + news.paths,
                    covered: total.saturating_sub(goals.open()).max(before),
                    goals: total,
                });
            };
            let outcome = session.run(strategy.as_mut(), Listeners { record: None, show: Some(&mut showing) });
            // Inputs that are all run are there besides the paths that were asked for.
            self.paths += if outcome.found.every_input.is_some() { 0 } else { outcome.found.paths };
            self.stop = outcome.found.stop;
            self.defects.extend(outcome.found.defects.iter().cloned());
            observed = outcome.found.complete && self.observe_paths(session.program(), &goals);
            for (goal, input) in goals.reached() {
                self.reached.extend(input.map(|input| (goal, (this, input))));
            }
            for (end, input) in goals.ends() {
                self.ends.entry(end).or_insert((this, input));
            }
            found = Some(outcome.found);
        }
        self.sizes.push(index);
        self.at.push(AtSize { size, program: session.into_program(), found, goals, observed });
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
                goals.see_run(input, &program.observe(input, &limits));
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
        let mut reached: Vec<(usize, Arc<Witness>)> = self.reached.values().cloned().collect();
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
        let until = Until { moment: suite_end, cancel: task.cancel.clone() };
        let limits = task.source.affordable(task.budget.time);
        let mut defects = self.defects;
        let (suite, lost) = make_suite(task, &self.at, (self.reached, self.ends), limits, &until);
        let complete = complete && lost.is_empty();
        defects.extend(lost);
        let elapsed = self.began.elapsed();
        Ok(Covered { at: self.at, suite, complete, stop: self.stop, defects, elapsed, limits, until })
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

/// The inputs that reached a goal first, made into a small suite. Traps that were found on the way stay in it. Goals that an
/// input does not reach when it is run again are defects of ours, unless the program does not do the same twice.
fn make_suite(
    task: &CoverTask<'_>,
    at: &[AtSize],
    (reached, ends): (Inputs<Goal>, Inputs<End>),
    limits: PathLimits,
    until: &Until,
) -> (Vec<Covering>, Vec<Defect>) {
    let programs: Vec<&Target> = at.iter().map(|at| &at.program).collect();
    let mut wanted = task.wanted.goals().clone();
    let traps = ends.into_iter().filter_map(|(end, found)| match end {
        End::Trapped(trap) => Some((Goal::Trap(trap), found)),
        _ => None,
    });
    let mut inputs: Vec<(usize, Arc<Witness>)> = reached.values().cloned().collect();
    if let Wanted::All(_) = task.wanted {
        for (trap, found) in traps {
            wanted.insert(trap);
            inputs.push(found);
        }
    }
    let mut known: BTreeSet<(usize, &[u64])> = BTreeSet::new();
    let mut candidates = Vec::new();
    for (at, input) in &inputs {
        if known.insert((*at, input.values())) {
            candidates.extend(Covering::of(programs[*at], *at, Witness::clone(input), &limits, &wanted));
        }
    }
    let lost = lost(&reached, &candidates, &programs, &limits);
    let suite = suite::minimal(candidates);
    if task.budget.paths == Some(0) {
        // Nothing was searched: these are the user's own inputs, and stay as they are.
        return (suite, lost);
    }
    // A simpler input may cover more, so that another one is not needed any longer.
    (suite::minimal(suite::simplest(suite, &programs, limits, &wanted, until)), lost)
}

/// The goals that the search counted as reached and that no input reaches when it is run again, one for each input. A run that met a limit of the
/// search may meet another one now.
fn lost(reached: &Inputs<Goal>, candidates: &[Covering], programs: &[&Target], limits: &PathLimits) -> Vec<Defect> {
    let covered: BTreeSet<Goal> = candidates.iter().flat_map(|covering| covering.goals.iter().copied()).collect();
    let mut lost: BTreeMap<(usize, &[u64]), Goal> = BTreeMap::new();
    for (goal, (at, input)) in reached.iter().filter(|(goal, _)| !covered.contains(goal)) {
        lost.entry((*at, input.values())).or_insert(*goal);
    }
    let defect = |((at, input), goal): ((usize, &[u64]), Goal)| {
        let (program, input) = (programs[at], Witness::new(input.to_vec()));
        let cut_off =
            candidates.iter().any(|of| of.at == at && of.input == input && matches!(of.seen.end, End::Limit(_)));
        (!cut_off).then(|| match program.repeats(&input, limits) {
            true => Defect::GoalLost { goal: name_of(program, goal), input },
            false => Defect::Unsteady(input),
        })
    };
    lost.into_iter().filter_map(defect).collect()
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
