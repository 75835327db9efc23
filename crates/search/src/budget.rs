//! When to stop.
//!
//! A [`Meter`] holds what a search has spent, an [`Until`] how long a single piece of work may go on, and nothing runs
//! without one of them: symbolic runs pause every 200,000 instructions, between the pieces of a long move and after
//! host functions that moved much; concrete runs ask whether to go on; the solver looks at the same `Until` while it
//! searches. So Ctrl-C ends a hard query, too.
//!
//! Memory is counted, not measured, so that a search in too little of it is the same on every machine: a path that does
//! not fit ends at its limit, walks drop arms, frontiers their last half, populations their cheapest members, and each
//! is counted as dropped.

use std::time::{Duration, Instant};

pub use pessimum_solver::{Cancel, Until};

/// What a search may spend; none means no limit. Budgets of paths and steps make runs repeatable; a budget of time
/// does not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// Completed paths, exactly.
    pub paths: Option<u64>,
    /// Instructions executed by all runs together (checked every 64 decisions).
    pub steps: Option<u64>,
    /// Wall clock.
    pub time: Option<Duration>,
}

impl Budget {
    /// Whether nothing but time is limited, so that the clock may have a say in what is done.
    pub fn is_time_alone(&self) -> bool {
        matches!(self, Budget { paths: None, steps: None, time: Some(_) })
    }
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stop {
    /// The strategy has nothing left to try.
    Finished,
    /// [`Budget::paths`].
    Paths,
    /// [`Budget::steps`].
    Steps,
    /// [`Budget::time`].
    Time,
    /// The caller's flag.
    Cancelled,
    /// The target cost was reached.
    Reached,
    /// Every goal is covered.
    Covered,
    /// What the search has to keep does not fit into its memory.
    Memory,
}

impl Stop {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Stop::Finished => "finished",
            Stop::Paths => "paths",
            Stop::Steps => "steps",
            Stop::Time => "time",
            Stop::Cancelled => "cancelled",
            Stop::Reached => "reached",
            Stop::Covered => "covered",
            Stop::Memory => "memory",
        }
    }
}

/// By how much the runs after a search may exceed its time: a fortieth and this much. What a command may take beyond its
/// budget is twice a fortieth and 100 ms; the rest is for showing and saving the result and giving the memory back.
const OVERTIME: Duration = Duration::from_millis(30);

/// Up to when all of a piece of work may take that began then and was given this time.
pub fn overtime(began: Instant, time: Duration) -> Option<Instant> {
    began.checked_add(time)?.checked_add(time / 40 + OVERTIME)
}

/// What has been spent, against the budget.
#[derive(Clone, Debug)]
pub struct Meter {
    budget: Budget,
    cancel: Cancel,
    started: Instant,
    /// Completed paths: its own and those charged to it, never those that other workers may still complete.
    pub paths: u64,
    /// Instructions executed.
    pub steps: u64,
    /// Paths and steps of the budget that are set aside for other workers.
    reserved: (u64, u64),
    stopped: Option<Stop>,
    /// The bytes that terms, paths and places to come back to may take; see [`crate::kernel::Kernel::bytes`].
    memory: Option<u64>,
}

impl Meter {
    /// The clock starts now.
    pub fn new(budget: Budget, cancel: Cancel) -> Meter {
        let (started, reserved) = (Instant::now(), (0, 0));
        Meter { budget, cancel, started, paths: 0, steps: 0, reserved, stopped: None, memory: None }
    }

    /// Limits the bytes that terms, paths and places to come back to may take.
    pub fn with_memory(self, memory: Option<u64>) -> Meter {
        Meter { memory, ..self }
    }

    /// The limit of bytes.
    pub fn memory(&self) -> Option<u64> {
        self.memory
    }

    /// Whether this many bytes are at least this share of the limit, in quarters.
    pub fn is_full(&self, bytes: u64, quarters: u64) -> bool {
        self.memory.is_some_and(|limit| bytes >= limit / 4 * quarters)
    }

    /// The moment up to which the work after the search (checking its result, showing where the cost is) may take: a
    /// little beyond the budget. None if time is not limited.
    pub fn overtime(&self) -> Option<Instant> {
        self.budget.time.and_then(|time| overtime(self.started, time))
    }

    /// The time since the start.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// How long the search may go on: until its time runs out or its flag is raised.
    pub fn until(&self) -> Until {
        let moment = self.budget.time.and_then(|time| self.started.checked_add(time));
        Until { moment, cancel: self.cancel.clone() }
    }

    /// Whether half of the time is gone.
    pub fn is_half_spent(&self) -> bool {
        self.budget.time.is_some_and(|time| self.elapsed() >= time / 2)
    }

    /// Why it is over, as of the last check.
    pub fn stopped(&self) -> Option<Stop> {
        self.stopped
    }

    /// Sets part of what is left aside as the budget of another worker; this one cannot spend it.
    pub fn reserve(&mut self, part: &Budget) {
        self.reserved.0 += part.paths.unwrap_or(0);
        self.reserved.1 += part.steps.unwrap_or(0);
    }

    /// Takes back a part that was set aside. What the worker spent of it is charged afterwards.
    pub fn give_back(&mut self, part: &Budget) {
        self.reserved.0 = self.reserved.0.saturating_sub(part.paths.unwrap_or(0));
        self.reserved.1 = self.reserved.1.saturating_sub(part.steps.unwrap_or(0));
    }

    /// Ends the search for this reason, unless it is over already.
    pub fn stop(&mut self, reason: Stop) {
        self.stopped.get_or_insert(reason);
    }

    /// Counts a completed path. If it was the last one, no other is begun, whether or not anybody looks in between.
    pub fn add_path(&mut self) {
        self.paths += 1;
        if self.budget.paths.is_some_and(|limit| self.paths + self.reserved.0 >= limit) {
            self.stop(Stop::Paths);
        }
    }

    /// Checks everything; once the search is over, it stays over. `pending` are the steps of a run in progress.
    pub fn look(&mut self, pending: u64) -> Option<Stop> {
        if self.stopped.is_none() {
            let spent = |limit: Option<u64>, used: u64| limit.is_some_and(|limit| used >= limit);
            self.stopped = if spent(self.budget.paths, self.paths + self.reserved.0) {
                Some(Stop::Paths)
            } else if spent(self.budget.steps, self.steps + pending + self.reserved.1) {
                Some(Stop::Steps)
            } else if self.cancel.is_cancelled() {
                Some(Stop::Cancelled)
            } else if self.budget.time.is_some_and(|limit| self.elapsed() >= limit) {
                Some(Stop::Time)
            } else {
                None
            };
        }
        self.stopped
    }

    /// What is left, for a search within a search (training at smaller sizes).
    pub fn remaining(&self) -> Budget {
        Budget {
            paths: self.budget.paths.map(|limit| limit.saturating_sub(self.paths + self.reserved.0)),
            steps: self.budget.steps.map(|limit| limit.saturating_sub(self.steps + self.reserved.1)),
            time: self.budget.time.map(|limit| limit.saturating_sub(self.elapsed())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_reason_stays() {
        let cancel = Cancel::default();
        let mut meter = Meter::new(Budget { paths: Some(2), steps: Some(100), time: None }, cancel.clone());
        assert_eq!(meter.look(99), None);
        meter.steps = 60;
        assert_eq!(meter.look(39), None);
        assert_eq!(meter.remaining(), Budget { paths: Some(2), steps: Some(40), time: None });
        assert_eq!(meter.look(40), Some(Stop::Steps));
        cancel.cancel();
        meter.paths = 2;
        assert_eq!(meter.look(0), Some(Stop::Steps));
    }

    #[test]
    fn what_is_set_aside_is_not_spent() {
        let budget = Budget { paths: Some(10), steps: Some(100), time: None };
        let mut meter = Meter::new(budget, Cancel::default());
        let part = Budget { paths: Some(4), steps: Some(30), time: None };
        meter.reserve(&part);
        meter.reserve(&part);
        assert_eq!(meter.remaining(), Budget { paths: Some(2), steps: Some(40), time: None });
        meter.paths = 2;
        assert_eq!(meter.clone().look(0), Some(Stop::Paths));
        assert_eq!(meter.paths, 2, "only completed paths are counted");
        meter.give_back(&part);
        meter.give_back(&part);
        assert_eq!(meter.look(0), None);
        assert_eq!(meter.remaining(), Budget { paths: Some(8), steps: Some(100), time: None });
    }

    #[test]
    fn cancelling_stops() {
        let cancel = Cancel::default();
        let mut meter = Meter::new(Budget::default(), cancel.clone());
        assert_eq!(meter.look(u64::MAX), None);
        cancel.cancel();
        assert_eq!(meter.look(0), Some(Stop::Cancelled));
    }

    #[test]
    fn memory_is_limited_in_quarters() {
        let meter = Meter::new(Budget::default(), Cancel::default());
        assert!(!meter.is_full(u64::MAX, 4));
        let meter = meter.with_memory(Some(400));
        assert_eq!(
            [299, 300, 399, 400].map(|bytes| (meter.is_full(bytes, 3), meter.is_full(bytes, 4))),
            [(false, false), (true, false), (true, false), (true, true)]
        );
    }

    #[test]
    fn no_time_is_no_time() {
        let budget = Budget { time: Some(Duration::ZERO), ..Budget::default() };
        assert_eq!(Meter::new(budget, Cancel::default()).look(0), Some(Stop::Time));
    }
}
