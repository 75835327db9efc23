//! The single record of how a search is getting on. All its workers write to it; a display, or a journal that must
//! not lose what was found, reads it from other threads; the result's list of improvements is taken from it at the
//! end. The searching threads never wait, and nothing that a watcher does influences them.

use crate::path::Path;
use crate::search::Improvement;
use pessimum_outcome::{Costs, End};
use pessimum_term::Witness;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// A handle that a search and its workers write to and watchers read from; clones share one record. A record belongs
/// to one search: a search whose settings have the default handle makes its own.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    shared: Option<Arc<Shared>>,
    /// For a search at another size within a search, the record of the outer one, where its paths count too.
    outer: Option<Arc<Shared>>,
}

#[derive(Debug)]
struct Shared {
    /// When the first search on this record began.
    started: OnceLock<Instant>,
    paths: AtomicU64,
    solver_nanoseconds: AtomicU64,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    best: Option<Found>,
    /// How many improvements there were before the first run of the standing of the best: they are of another kind.
    before: usize,
    /// The costliest of the other kind.
    other: Option<Arc<Found>>,
    improvements: Vec<Improvement>,
    phase: Phase,
    operators: Vec<OperatorUse>,
    over: bool,
}

/// Of which kind a run is; whatever they cost, those of a later kind come before those of an earlier one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// It did not end as it should, and is the best only as long as there is no other.
    Fallback,
    /// It ended as it should, or was cut off earlier than a run may take.
    #[default]
    Wanted,
    /// It had all that a run may take, and did not end.
    Endless,
}

/// The best input so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Of which kind its run is.
    pub standing: Standing,
    /// What is maximised.
    pub cost: u64,
    /// All costs. A strategy that only makes concrete runs does not know `decisions`, which is then 0.
    pub costs: Costs,
    /// How its run ended.
    pub end: End,
    /// The input; not yet checked by replay.
    pub input: Witness,
}

impl Found {
    /// The input of a path of this kind.
    pub fn of(standing: Standing, cost: u64, path: &Path) -> Found {
        Found { standing, cost, costs: path.costs, end: path.end, input: path.witness.clone() }
    }
}

/// What a strategy is busy with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// Searching at the size that was asked for.
    #[default]
    Searching,
    /// Learning at another size.
    Training(u32),
    /// Visiting every path, as far as that goes.
    EveryPath,
}

/// How an operator of a strategy is faring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperatorUse {
    /// Its name.
    pub name: &'static str,
    /// Uses so far, at all sizes.
    pub uses: u64,
    /// Uses that found a new best, at all sizes.
    pub improvements: u64,
}

/// What a watcher sees.
#[derive(Clone, Debug)]
pub struct News {
    /// The time since the start.
    pub elapsed: Duration,
    /// Completed paths, including those of workers and of training.
    pub paths: u64,
    /// Time in solvers, summed over workers.
    pub solver: Duration,
    /// The best so far, if it is better than at the watcher's last look.
    pub found: Option<Found>,
    /// Improvements since the watcher's last look, in order, as far as they are of the same kind as the best.
    pub improvements: Vec<Improvement>,
    /// Whether what the watcher saw before is of another kind: runs that crash, and now there is one that does not.
    pub switched: bool,
    /// How many improvements the watcher knows by now.
    pub seen: usize,
    /// The costliest input whose run ended in another way than that of the best: crashed, or did not.
    pub other: Option<Arc<Found>>,
    /// What the strategy is busy with.
    pub phase: Phase,
    /// In the order of their first use; empty for strategies without operators.
    pub operators: Vec<OperatorUse>,
    /// Whether the search is over; there will be no more news.
    pub over: bool,
}

impl Watch {
    /// A handle that somebody will read from. The clock starts with the search.
    pub fn new() -> Watch {
        let shared = Shared {
            started: OnceLock::new(),
            paths: AtomicU64::new(0),
            solver_nanoseconds: AtomicU64::new(0),
            state: Mutex::new(State::default()),
            changed: Condvar::new(),
        };
        Watch { shared: Some(Arc::new(shared)), outer: None }
    }

    /// Counts the time from this moment on, and not from the beginning of the search.
    pub fn began(&self, at: Instant) {
        if let Some(shared) = &self.shared {
            // The first moment counts.
            let _ = shared.started.set(at);
        }
    }

    /// A handle for a search at another size within this one, with its own record, whose paths and operators count
    /// here too.
    pub fn nested(&self) -> Watch {
        Watch { outer: self.outermost().cloned(), ..Watch::new() }
    }

    /// Called when a search begins. Returns a handle with a record whose clock is running.
    pub(crate) fn begin(self) -> Watch {
        let watch = if self.shared.is_some() { self } else { Watch::new() };
        if let Some(shared) = &watch.shared {
            shared.started.get_or_init(Instant::now);
        }
        watch
    }

    /// Whether this is the record of a search within another one.
    pub(crate) fn is_nested(&self) -> bool {
        self.outer.is_some()
    }

    fn outermost(&self) -> Option<&Arc<Shared>> {
        self.outer.as_ref().or(self.shared.as_ref())
    }

    /// All improvements so far, in order, without those of another kind than the best.
    pub fn progress(&self) -> Vec<Improvement> {
        self.shared.as_ref().map_or_else(Vec::new, |shared| {
            let state = shared.lock();
            state.improvements[state.before..].to_vec()
        })
    }

    /// The best cost of all workers.
    pub fn best_cost(&self) -> Option<u64> {
        self.shared.as_ref()?.lock().best.as_ref().map(|best| best.cost)
    }

    /// How the operators of the strategy fared, at all sizes.
    pub fn operators(&self) -> Vec<OperatorUse> {
        self.outermost().map_or_else(Vec::new, |shared| shared.lock().operators.clone())
    }

    /// Waits until something is found or the search is over, at most for `most`, and says what is new. `seen` is how
    /// many improvements the watcher already knows.
    pub fn wait(&self, seen: usize, most: Duration) -> News {
        let Some(shared) = &self.shared else {
            return News {
                elapsed: Duration::ZERO,
                paths: 0,
                solver: Duration::ZERO,
                found: None,
                improvements: Vec::new(),
                switched: false,
                seen,
                other: None,
                phase: Phase::Searching,
                operators: Vec::new(),
                over: true,
            };
        };
        let nothing_new = |state: &mut State| state.improvements.len() <= seen && !state.over;
        let waited = shared.changed.wait_timeout_while(shared.lock(), most, nothing_new);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let improvements = state.improvements.get(seen.max(state.before)..).unwrap_or_default().to_vec();
        News {
            elapsed: shared.elapsed(),
            paths: shared.paths.load(Ordering::Relaxed),
            solver: Duration::from_nanos(shared.solver_nanoseconds.load(Ordering::Relaxed)),
            found: if improvements.is_empty() { None } else { state.best.clone() },
            improvements,
            switched: seen < state.before,
            seen: seen.max(state.improvements.len()),
            other: state.other.clone(),
            phase: state.phase,
            operators: state.operators.clone(),
            over: state.over,
        }
    }

    /// Says that the search is over, and wakes the watcher for the last time.
    pub fn end(&self) {
        if let Some(shared) = &self.shared {
            shared.lock().over = true;
            shared.changed.notify_all();
        }
    }

    /// Says what the strategy is busy with.
    pub fn phase(&self, phase: Phase) {
        if let Some(shared) = &self.shared {
            shared.lock().phase = phase;
        }
    }

    /// Counts a use of an operator.
    pub fn used(&self, name: &'static str, improved: bool) {
        let Some(shared) = self.outermost() else { return };
        let mut state = shared.lock();
        let known = state.operators.iter().position(|operator| operator.name == name);
        let index = known.unwrap_or_else(|| {
            state.operators.push(OperatorUse { name, uses: 0, improvements: 0 });
            state.operators.len() - 1
        });
        state.operators[index].uses += 1;
        state.operators[index].improvements += u64::from(improved);
    }

    /// Counts a completed path.
    pub(crate) fn path(&self) {
        for shared in self.shared.iter().chain(&self.outer) {
            shared.paths.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Adds time spent in a solver.
    pub(crate) fn solver(&self, time: Duration) {
        let nanoseconds = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        for shared in self.shared.iter().chain(&self.outer) {
            shared.solver_nanoseconds.fetch_add(nanoseconds, Ordering::Relaxed);
        }
    }

    /// Offers a new best of this kind. Of those of several workers, the best stays, and
    /// its improvement is stamped with the number of paths that all workers have completed by now. Its own path is already
    /// counted.
    pub(crate) fn found(&self, standing: Standing, cost: u64, path: &Path) {
        let Some(shared) = &self.shared else { return };
        let mut state = shared.lock();
        let known = state.best.as_ref().map(|best| (best.standing, best.cost));
        if known.is_some_and(|known| (standing, cost) <= known) {
            drop(state);
            self.found_other(cost, path);
            return;
        }
        if known.is_none_or(|(known, _)| known < standing) {
            state.before = state.improvements.len();
        }
        if state.best.as_ref().is_some_and(|best| best.end.is_crash() != path.end.is_crash()) {
            state.other = state.best.take().map(Arc::new);
        }
        match &mut state.best {
            Some(best) => {
                (best.standing, best.cost, best.costs, best.end) = (standing, cost, path.costs, path.end);
                best.input.clone_from(&path.witness);
            }
            none => *none = Some(Found::of(standing, cost, path)),
        }
        let (seconds, paths) = (shared.elapsed().as_secs_f64(), shared.paths.load(Ordering::Relaxed));
        state.improvements.push(Improvement { seconds, paths, cost });
        shared.changed.notify_all();
    }

    /// Offers the costliest of the runs that ended in another way than the best did. Nobody is woken for it.
    pub(crate) fn found_other(&self, cost: u64, path: &Path) {
        let Some(shared) = &self.shared else { return };
        let mut state = shared.lock();
        let is_other = state.best.as_ref().is_none_or(|best| best.end.is_crash() != path.end.is_crash());
        if is_other && state.other.as_ref().is_none_or(|other| cost > other.cost) {
            state.other = Some(Arc::new(Found::of(Standing::Fallback, cost, path)));
        }
    }
}

impl Shared {
    fn elapsed(&self) -> Duration {
        self.started.get().map_or(Duration::ZERO, Instant::elapsed)
    }

    /// A searching thread that panicked leaves nothing half-written here.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_several_workers_the_costliest_stays() {
        let watch = Watch::new().begin();
        let worker = watch.clone();
        for (search, cost) in [(&watch, 5), (&worker, 3), (&worker, 7), (&watch.nested(), 100), (&watch, 7)] {
            search.path();
            search.found(Standing::Wanted, cost, &Path { witness: Witness::new(vec![cost]), ..Path::default() });
        }
        let news = watch.wait(0, Duration::ZERO);
        assert_eq!(news.paths, 5);
        let steps: Vec<(u64, u64)> = news.improvements.iter().map(|step| (step.paths, step.cost)).collect();
        assert_eq!(steps, [(1, 5), (3, 7)]);
        assert_eq!(news.found.map(|found| found.input), Some(Witness::new(vec![7])));
        assert_eq!(watch.progress().len(), 2, "that of the nested search is in its own record");
        let news = watch.wait(2, Duration::ZERO);
        assert!(news.improvements.is_empty() && news.found.is_none() && !news.over);
    }

    #[test]
    fn a_run_that_ended_as_it_should_replaces_costlier_ones() {
        use pessimum_outcome::Trap;
        let watch = Watch::new().begin();
        let path = |end| Path { end, ..Path::default() };
        let (trap, returned) = (path(End::Trapped(Trap::Unreachable)), path(End::Returned));
        watch.found(Standing::Fallback, 9, &trap);
        let news = watch.wait(0, Duration::ZERO);
        assert_eq!((news.improvements.len(), news.switched, news.seen), (1, false, 1));
        watch.found(Standing::Wanted, 3, &returned);
        watch.found_other(12, &trap);
        watch.found(Standing::Wanted, 5, &returned);
        let news = watch.wait(1, Duration::ZERO);
        let costs: Vec<u64> = news.improvements.iter().map(|step| step.cost).collect();
        assert_eq!((costs, news.seen), (vec![3, 5], 3));
        assert!(!news.switched, "the one before it was of the other kind, and nothing came after that");
        assert_eq!(news.other.map(|other| other.cost), Some(12));
        assert!(watch.wait(0, Duration::ZERO).switched);
        assert_eq!(watch.progress().iter().map(|step| step.cost).collect::<Vec<u64>>(), [3, 5]);
        // One that did not end is above them, whatever it had cost up to where it was stopped.
        watch.found(Standing::Endless, 1, &path(End::Limit(pessimum_outcome::Limit::Time)));
        watch.found(Standing::Wanted, 7, &returned);
        let news = watch.wait(3, Duration::ZERO);
        assert_eq!((news.found.map(|found| found.cost), news.switched), (Some(1), false));
        assert_eq!(watch.progress().iter().map(|step| step.cost).collect::<Vec<u64>>(), [1]);
    }

    #[test]
    fn a_watcher_is_woken() {
        let watch = Watch::new();
        let other = watch.clone();
        let thread = std::thread::spawn(move || {
            let news = other.wait(0, Duration::from_secs(600));
            (news.improvements.len(), other.wait(1, Duration::from_secs(600)).over)
        });
        watch.found(Standing::Wanted, 1, &Path::default());
        while !thread.is_finished() {
            watch.end();
        }
        assert_eq!(thread.join().unwrap(), (1, true));
    }

    #[test]
    fn a_search_that_nobody_watches_has_a_record_of_its_own() {
        let watch = Watch::default();
        watch.path();
        watch.used("flip", true);
        assert!(watch.wait(0, Duration::from_secs(600)).over);
        let (one, other) = (watch.clone().begin(), watch.begin());
        one.found(Standing::Wanted, 3, &Path::default());
        assert_eq!((one.progress().len(), other.progress().len()), (1, 0));
    }
}
