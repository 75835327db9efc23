//! Searches for a small suite of inputs that covers the user's code, or for one input that reaches a place.
//!
//! Each size is a session of its own, with the goals that smaller sizes left open. What was found becomes a suite
//! ([`suite`]), and everything that is reported comes from running that suite once more. An arm is proved unreachable
//! only if the searches at all sizes were complete: then every path was seen, and each path lists all arms that it takes.
//! Of the functions and lines of a suite nothing of the kind is said, because paths do not list them; where one of them is
//! all that is wanted, every path is observed instead.

mod account;
mod bytes;
mod scope;
mod suite;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use pessimum_outcome::{CostModel, End};
use pessimum_program::WasmProgram;
use pessimum_search::budget::{Budget, Cancel, Stop, Until};
use pessimum_search::objective::{Goal, Goals};
use pessimum_search::places::Places;
use pessimum_search::program::{PathLimits, Program as _};
use pessimum_search::search::{Defect, SearchResult};
use pessimum_search::watch::News;
use pessimum_term::Witness;

pub use account::{reached, result};
pub use bytes::{from_bytes, raw_parts};
pub use scope::Scope;
pub use suite::Covering;

use crate::baseline::affordable;
use crate::plan::SearchPlan;
use crate::{Error, Listeners, Session, Source, Task};

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

/// Inputs by what they did first, each with the index of its size.
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

/// The search at one size.
pub struct AtSize {
    /// `n`.
    pub size: Option<u64>,
    /// The program.
    pub program: WasmProgram,
    /// What the search found; none if everything was covered, or the budget spent, before its turn.
    pub found: Option<SearchResult>,
    /// The goals that were open when it began.
    goals: Goals,
}

/// What was found.
pub struct Covered {
    /// By size.
    pub at: Vec<AtSize>,
    /// The suite, in the order in which its inputs were chosen.
    pub suite: Vec<Covering>,
    /// Whether every feasible path was seen, at every size.
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
    let began = task.source.opened();
    let end = task.budget.time.and_then(|time| began.checked_add(time));
    let search_end = task.budget.time.and_then(|time| {
        let suite = time.mul_f64(SUITE_SHARE.0).min(SUITE_SHARE.1);
        began.checked_add(time - suite)
    });
    let mut reached = Inputs::<Goal>::new();
    let mut ends = Inputs::<End>::new();
    let (mut at, mut paths, mut stop, mut defects) = (Vec::new(), 0, Stop::Finished, Vec::new());
    for (index, &size) in task.sizes.iter().enumerate() {
        let sizes_left = (task.sizes.len() - index) as u32;
        let left = search_end.map(|end| end.saturating_duration_since(Instant::now()) / sizes_left);
        let budget = Budget {
            time: left,
            // Later sizes get what earlier ones left over, and each at least one path if there are any.
            paths: task.budget.paths.map(|most| (most.saturating_sub(paths) / u64::from(sizes_left)).max(1).min(most)),
            steps: None,
        };
        let session = session(task, size, budget)?;
        let goals = task.wanted.archive(&reached).with_twins(session.program().places().twins.clone());
        let mut session = session.with_goals(goals.clone());
        // Inputs to start from are run even if nothing is to be searched after them.
        let starts = task.starts.iter().filter(|(at, _)| *at == index).map(|(_, input)| input.clone());
        let has_starts = starts.clone().next().is_some();
        session.add_starts(starts);
        let spent = left.is_some_and(|left| left.is_zero())
            || task.budget.paths.is_some_and(|most| paths >= most && !has_starts);
        let mut found = None;
        if goals.are_covered() {
            stop = Stop::Covered;
        } else if task.cancel.is_cancelled() {
            stop = Stop::Cancelled;
        } else if !spent {
            let mut strategy = task.search.strategy(session.program())?;
            let (before, total) = (reached.len(), task.wanted.goals().len());
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
            paths += outcome.found.paths;
            stop = outcome.found.stop;
            defects.extend(outcome.found.defects.iter().cloned());
            for (goal, input) in goals.reached() {
                reached.extend(input.map(|input| (goal, (index, input))));
            }
            for (end, input) in goals.ends() {
                ends.entry(end).or_insert((index, input));
            }
            found = Some(outcome.found);
        }
        at.push(AtSize { size, program: session.into_program(), found, goals });
    }
    let complete = at.iter().all(|at| at.found.as_ref().is_some_and(|found| found.complete));
    // What the search left over may be used for the suite, too, but not all of a long time.
    let suite_end = end.map(|end| end.min(Instant::now() + LEAST_SUITE.max(began.elapsed() / 2)));
    let until = Until { moment: suite_end, cancel: task.cancel.clone() };
    let limits = affordable(task.source.limits(), task.budget.time);
    let suite = make_suite(task, &at, (reached, ends), limits, &until);
    let elapsed = began.elapsed();
    Ok(Covered { at, suite, complete, stop, defects, elapsed, limits, until })
}

fn session<'a>(task: &CoverTask<'a>, size: Option<u64>, budget: Budget) -> Result<Session<'a>, Error> {
    let session = Session::new(Task {
        source: task.source,
        size,
        cost: CostModel::default(),
        seed: task.search.seed,
        baseline_seed: None,
        budget,
        starts: Vec::new(),
        carries_over: false,
        target: None,
        cancel: task.cancel.clone(),
        solver: task.solver.clone(),
    })?;
    Ok(session.with_memory(task.memory))
}

/// The inputs that reached a goal first, made into a small suite. Traps that were found on the way stay in it.
fn make_suite(
    task: &CoverTask<'_>,
    at: &[AtSize],
    (reached, ends): (Inputs<Goal>, Inputs<End>),
    limits: PathLimits,
    until: &Until,
) -> Vec<Covering> {
    let programs: Vec<&WasmProgram> = at.iter().map(|at| &at.program).collect();
    let mut wanted = task.wanted.goals().clone();
    let traps = ends.into_iter().filter_map(|(end, found)| match end {
        End::Trapped(trap) => Some((Goal::Trap(trap), found)),
        _ => None,
    });
    let mut inputs: Vec<(usize, Arc<Witness>)> = reached.into_values().collect();
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
    if task.budget.paths == Some(0) {
        // Nothing was searched: these are the user's own inputs, and stay as they are.
        return suite::minimal(candidates);
    }
    // A simpler input may cover more, so that another one is not needed any longer.
    suite::minimal(suite::simplest(suite::minimal(candidates), &programs, limits, &wanted, until))
}
