//! One search session: random inputs first, then the strategy, watched by whoever records or shows it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use pessimum_outcome::{CostModel, End, Ends};
use pessimum_report::certainty;
use pessimum_report::result::Recurrence;
use pessimum_search::budget::{Budget, Cancel, Stop, Until, overtime};
use pessimum_search::objective::Goals;
use pessimum_search::path::Origin;
use pessimum_search::program::{Family, PathLimits, Replay};
use pessimum_search::search::{Defect, FEW_NUMBERS, Search, SearchResult, Settings};
use pessimum_search::strategy::{self, EveryPath, Strategy};
use pessimum_search::watch::{News, Watch};
use pessimum_term::Witness;

use crate::baseline::{Allowance, Baseline, baseline};
use crate::memory::usual_memory;
use crate::work;
use crate::{Error, Source, Target};

/// What is to be searched, and what it may take.
#[derive(Clone, Debug)]
pub struct Task<'a> {
    /// The program.
    pub source: &'a Source,
    /// `n`.
    pub size: Option<u64>,
    /// What is maximised.
    pub cost: CostModel,
    /// Among which runs.
    pub ends: Ends,
    /// The seed of the search, which determines everything but times.
    pub seed: u64,
    /// The seed of the random inputs. Resumed parts have seeds of their own, but compare with the same inputs.
    pub baseline_seed: Option<u64>,
    /// When to stop, including the random inputs.
    pub budget: Budget,
    /// Inputs that take part from the beginning: the user's own, or what an earlier part found.
    pub starts: Vec<Witness>,
    /// Whether the strategy is to carry over what it learnt to a search at another size.
    pub carries_over: bool,
    /// The session ends as soon as this cost is reached, because nothing is above it.
    pub target: Option<u64>,
    /// Ends the session from outside.
    pub cancel: Cancel,
    /// The solver's settings.
    pub solver: pessimum_solver::Settings,
}

/// Who hears of a session's progress. Each listens in its own thread and never holds up the search.
#[derive(Default)]
pub struct Listeners<'l> {
    /// Records what was found.
    pub record: Option<&'l mut (dyn FnMut(&News) + Send)>,
    /// Shows what was found, and only what was recorded before.
    pub show: Option<&'l mut (dyn FnMut(&News) + Send)>,
}

/// What a session found.
#[derive(Debug)]
pub struct Outcome {
    /// What the search says, with the best of all runs, including random inputs, and the single record of progress.
    pub found: SearchResult,
    /// The random inputs; empty if there were none.
    pub baseline: Baseline,
    /// The limits within which the best input was run.
    pub limits: PathLimits,
    /// When the state of the best run came back, if it was cut off and did.
    pub recurs: Option<Recurrence>,
    /// Up to when what comes after the search may take; none if time is not limited.
    pub overtime: Option<Instant>,
    /// Ends what comes after the search from outside.
    pub cancel: Cancel,
}

impl Outcome {
    /// How long the next run after the search may take: half of the time that is left, so that something is left for
    /// those after it.
    pub fn until(&self) -> Until {
        half_of_the_rest(self.overtime, &self.cancel)
    }
}

/// The instructions that all inputs together may take where there are few and time is not limited: about a second.
const EVERY_INPUT: u64 = 200_000_000;

/// A time with its unit: 500ms, 60s, 5m, 1h.
pub fn parse_time(text: &str) -> Option<Duration> {
    let units = [("ms", 1e-3), ("s", 1.0), ("m", 60.0), ("h", 3600.0)];
    units.iter().find_map(|(unit, seconds)| {
        let number: f64 = text.strip_suffix(unit)?.trim().parse().ok()?;
        Duration::try_from_secs_f64(number * seconds).ok()
    })
}

/// How much of this time the work itself gets. A twentieth, at most a tenth of a second, is kept for what comes after it:
/// its result is run again, profiled, shown and saved. All of that also takes its time per number of the input, 0.5 to
/// 0.9 us on the machine where it was measured, which matters from a hundred thousand numbers on.
pub fn working_time(time: Duration, inputs: usize) -> Duration {
    let numbers = Duration::from_nanos(900).saturating_mul(inputs.try_into().unwrap_or(u32::MAX));
    time - (time / 20).min(Duration::from_millis(100)).max(numbers.min(time / 2))
}

/// Whether so many numbers of input can be searched in this time and with this memory for terms and inputs. To draw, run,
/// write and show them once takes 1.2 us and 300 bytes for each, half of which is beside the search.
pub fn check_room(numbers: usize, time: Option<Duration>, memory: Option<u64>) -> Result<(), Error> {
    if numbers <= FEW_NUMBERS {
        return Ok(());
    }
    let (needed, bytes) = (Duration::from_nanos(1500).saturating_mul(numbers as u32), 150 * numbers as u64);
    let memory = memory.unwrap_or_else(usual_memory);
    if bytes > memory {
        return Err(Error::new(format!(
            "an input of {numbers} numbers needs about {} MiB of memory, and the search may take {} MiB: give it more with \
             --max-search-memory, or make the input smaller",
            bytes >> 20,
            memory >> 20
        )));
    }
    match time.filter(|time| needed > *time) {
        Some(time) => Err(Error::new(format!(
            "to run an input of {numbers} numbers once, and to write it down, takes about {:.0} s, and the search may take \
             {:.1} s: give it more with --budget, or make the input smaller",
            needed.as_secs_f64(),
            time.as_secs_f64()
        ))),
        None => Ok(()),
    }
}

/// What is left of a command's time when it begins its work, having got ready since that moment: to check a large module
/// and to copy it takes long. Half of the time is for the work in any case.
pub fn time_left(time: Duration, since: Instant) -> Duration {
    time - since.elapsed().min(time / 2)
}

/// How long a run may take of which several more may follow before this moment. If the flag is raised already, it gets
/// a moment nevertheless: what was found is to be shown.
pub fn half_of_the_rest(end: Option<Instant>, cancel: &Cancel) -> Until {
    const GRACE: Duration = Duration::from_millis(100);
    let half = end.map(|end| Instant::now() + end.saturating_duration_since(Instant::now()) / 2);
    Until::cancelled(cancel, GRACE).and_moment(half)
}

/// A program that is ready to be searched.
pub struct Session<'a> {
    task: Task<'a>,
    program: Box<Target>,
    memory: u64,
    since: Option<Instant>,
    goals: Option<Goals>,
    every_input: bool,
}

impl<'a> Session<'a> {
    /// Makes the program.
    pub fn new(task: Task<'a>) -> Result<Session<'a>, Error> {
        let program = task.source.program(task.size)?;
        Ok(Session { task, program, memory: usual_memory(), since: None, goals: None, every_input: false })
    }

    /// Limits the bytes that the search may take; a quarter of the machine's memory otherwise.
    pub fn with_memory(self, memory: Option<u64>) -> Session<'a> {
        Session { memory: memory.unwrap_or(self.memory), ..self }
    }

    /// Counts the time from this moment on instead of from the beginning of the run; see [`time_left`].
    pub fn counting_from(self, since: Instant) -> Session<'a> {
        Session { since: Some(since), ..self }
    }

    /// The session, if its input fits into its time and memory.
    pub fn with_room(self) -> Result<Session<'a>, Error> {
        check_room(self.program.plan().variables(), self.task.budget.time, Some(self.memory))?;
        Ok(self)
    }

    /// Searches for inputs that reach these goals instead of the highest cost.
    pub fn with_goals(self, goals: Goals) -> Session<'a> {
        Session { goals: Some(goals), ..self }
    }

    /// Runs every input before the strategy begins, where there are few. Not for strategies that are compared: what they find
    /// then is not theirs.
    pub fn trying_every_input(self) -> Session<'a> {
        Session { every_input: true, ..self }
    }

    /// The strategy that counts paths, and follows every input where there are few.
    pub fn every_path(&self) -> EveryPath {
        EveryPath { most_steps: self.program.language().pace.steps(EVERY_INPUT) }
    }

    /// The program.
    pub fn program(&self) -> &Target {
        &*self.program
    }

    /// The program, without the session.
    pub fn into_program(self) -> Box<Target> {
        self.program
    }

    /// What is to be searched.
    pub fn task(&self) -> &Task<'a> {
        &self.task
    }

    /// Adds inputs that take part from the beginning, besides those of the task.
    pub fn add_starts(&mut self, inputs: impl IntoIterator<Item = Witness>) {
        self.task.starts.extend(inputs);
    }

    /// Runs the random inputs, offers them to the search, and lets the strategy work until it is done or the budget is
    /// spent.
    pub fn run(&self, strategy: &mut dyn Strategy, listeners: Listeners<'_>) -> Outcome {
        let watch = Watch::new();
        watched(&watch, listeners, || self.search(strategy, &watch))
    }

    fn search(&self, strategy: &mut dyn Strategy, watch: &Watch) -> Outcome {
        let Task { source, size, cost, ends, seed, budget, target, carries_over, .. } = self.task;
        let inputs = self.program.plan().variables();
        let left = |time| self.since.map_or(time, |since| time_left(time, since));
        let budget = Budget { time: budget.time.map(left), ..budget };
        let recording = |time| work::kept(self.program.language(), cost, time);
        let working = |time| working_time(time, inputs) - recording(time) - self.program.naming().min(time / 10);
        let settings = Settings {
            cost,
            ends,
            budget: Budget { time: budget.time.map(working), ..budget },
            seed,
            limits: source.limits(),
            goals: self.goals.clone(),
            cancel: self.task.cancel.clone(),
            starts: self.task.starts.clone(),
            target,
            watch: watch.clone(),
            carries_over,
            memory: Some(self.memory),
            solver: self.task.solver.clone(),
            every_input: self.every_input.then(|| self.program.language().pace.steps(EVERY_INPUT)),
            // If no random input can be run, at least one input is.
            input_first: self.task.baseline_seed.is_some(),
        };
        let family = source.family();
        // The clock starts here, so that the budget covers the random inputs too.
        let overtime = budget.time.and_then(|time| overtime(Instant::now(), time));
        if let Some(since) = self.since {
            watch.began(since);
        }
        let mut search = Search::new(&*self.program, settings);
        self.program.searched_for(budget.time, search.kernel.meter.until());
        if let Some(size) = size.and_then(|size| u32::try_from(size).ok()) {
            search = search.with_family(&family as &dyn Family, size);
        }
        let mut baseline = match self.task.baseline_seed {
            Some(seed) => {
                let allowance = Allowance { time: search.kernel.meter.remaining().time, cancel: &self.task.cancel };
                let mut offer = |input: &Witness, replay: &Replay, limits: &PathLimits| {
                    search.offer(input, replay, limits);
                };
                baseline(&*self.program, cost, source.limits(), seed, allowance, &mut offer)
            }
            None => Baseline::default(),
        };
        let mut found = strategy::run(search, strategy);
        // What a run that was left out would have done is not known.
        found.complete &= self.program.left_out().is_empty();
        found.defects.extend(self.program.fatal().map(Defect::Failed));
        if let Some(since) = self.since {
            found.elapsed = since.elapsed();
        }
        if let Some(best) = found.best.as_ref().filter(|_| ends != Ends::Any) {
            baseline.summarise(|end| end.is_crash() == best.end.is_crash());
        }
        let limits = match found.best.as_ref() {
            Some(best) if best.end.is_cut() => match best.origin {
                Origin::Concrete(limits) => limits,
                Origin::Symbolic => source.limits(),
            },
            _ => source.limits(),
        };
        let mut outcome = Outcome { found, baseline, limits, recurs: None, overtime, cancel: self.task.cancel.clone() };
        outcome.recurs = self.recurrence(&outcome);
        if let (Some(_), Some(best)) = (outcome.recurs, &mut outcome.found.best) {
            (best.end, outcome.found.endless) = (End::NeverEnds, true);
        }
        outcome
    }

    /// When the state of the best run came back, if it was cut off.
    fn recurrence(&self, outcome: &Outcome) -> Option<Recurrence> {
        let best = outcome.found.best.as_ref().filter(|best| best.end.is_cut())?;
        self.program.recurrence(&best.witness, &outcome.limits, &outcome.until())
    }
}

/// The time between two looks at a search without news.
const LOOK_EVERY: Duration = Duration::from_millis(125);

/// News within this time is taken together: many small steps at the beginning are one piece of news.
const COALESCE: Duration = Duration::from_millis(20);

/// Runs `work`, which searches, while the listeners hear of it.
fn watched<T>(watch: &Watch, listeners: Listeners<'_>, work: impl FnOnce() -> T) -> T {
    /// Ends the listening even if the search panics.
    struct Ending<'w>(&'w Watch);
    impl Drop for Ending<'_> {
        fn drop(&mut self) {
            self.0.end();
        }
    }
    const ALL: usize = usize::MAX;
    let Listeners { record, show } = listeners;
    // How many improvements have been recorded; all of them if nobody records.
    let recorded = AtomicUsize::new(if record.is_some() { 0 } else { ALL });
    std::thread::scope(|scope| {
        let ending = Ending(watch);
        if let Some(record) = record {
            let recorded = &recorded;
            scope.spawn(move || {
                let mut seen = 0;
                loop {
                    let news = watch.wait(seen, LOOK_EVERY);
                    seen = news.seen;
                    record(&news);
                    recorded.store(if news.over { ALL } else { seen }, Ordering::Release);
                    if news.over {
                        return;
                    }
                    if !news.improvements.is_empty() {
                        std::thread::sleep(COALESCE);
                    }
                }
            });
        }
        if let Some(show) = show {
            let recorded = &recorded;
            scope.spawn(move || {
                let mut seen = 0;
                loop {
                    let known = recorded.load(Ordering::Acquire);
                    let mut news = watch.wait(seen, LOOK_EVERY);
                    let before = news.seen - news.improvements.len();
                    news.improvements.truncate(known.saturating_sub(before));
                    news.over &= known == ALL;
                    seen = before + news.improvements.len();
                    show(&news);
                    if news.over {
                        return;
                    }
                    std::thread::sleep(COALESCE);
                }
            });
        }
        let done = work();
        drop(ending);
        done
    })
}

/// Why a search of this program has no best input.
pub fn why_nothing(program: &Target, found: &SearchResult) -> String {
    if found.ends.contains_key(&End::Unsupported)
        && let Some(missing) = program.missing()
    {
        return format!("no path was completed: {missing}");
    }
    if let Some(other) = &found.other {
        let crashed = program.language().crashed;
        let (wanted, did, instead) = match other.end.is_crash() {
            true => ("no run returned".to_string(), crashed, "trapped"),
            false => (format!("no run {crashed}"), "returned", "returned"),
        };
        let was_cut_off = found.ends.keys().any(|end| end.is_cut());
        let did = if was_cut_off { format!("{did} or were cut off at a limit") } else { did.to_string() };
        let (run, cost) = (found.ends.values().sum::<u64>(), found.cost.of(&other.costs));
        return format!(
            "{wanted}: all {run} that were run {did} (the costliest of them costs {cost} {}). Give more to --budget, or \
             look for them with --end {instead}",
            found.cost
        );
    }
    let ends: Vec<String> = found.ends.iter().map(|(end, count)| format!("{end}: {count}")).collect();
    let ends = if ends.is_empty() { String::new() } else { format!(" (runs by end: {})", ends.join(", ")) };
    let why = match found.stop {
        Stop::Finished => certainty::ACCEPTS_NONE,
        Stop::Time => "the time ran out first; give it more with --budget",
        Stop::Cancelled => "it was interrupted with Ctrl-C first",
        Stop::Memory => "the memory of the search was full first; give it more with --max-search-memory",
        Stop::Paths | Stop::Steps | Stop::Reached | Stop::Covered => "the budget was spent first",
    };
    format!("no path was completed: {why}{ends}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_kept_for_what_comes_after_and_more_of_it_for_large_inputs() {
        let kept = |seconds, inputs| {
            let time = Duration::from_secs(seconds);
            (time - working_time(time, inputs)).as_millis()
        };
        assert_eq!((kept(1, 100), kept(60, 100)), (50, 100));
        assert_eq!((kept(2, 1_000_000), kept(60, 1_000_000)), (900, 900));
        assert_eq!((kept(1, 1_000_000), kept(1, usize::MAX)), (500, 500), "never more than half");
        assert_eq!(working_time(Duration::ZERO, 5), Duration::ZERO);
    }

    #[test]
    fn an_input_that_does_not_fit_is_refused_and_says_what_it_needs() {
        let room = |numbers, seconds, megabytes: u64| {
            let answer = check_room(numbers, Some(Duration::from_secs(seconds)), Some(megabytes << 20));
            answer.map_err(|error| error.to_string())
        };
        assert!(room(1_000_000, 2, 500).is_ok() && room(8_000_000, 60, 2_000).is_ok() && room(50_000, 0, 1).is_ok());
        assert!(
            room(8_000_000, 2, 2_000).is_err_and(|why| why.contains("takes about 12 s, and the search may take 2.0 s"))
        );
        assert!(
            room(8_000_000, 60, 500).is_err_and(|why| why.contains("1144 MiB") && why.contains("--max-search-memory"))
        );
    }

    #[test]
    fn getting_ready_counts_but_half_of_the_time_is_for_the_work() {
        let (time, now) = (Duration::from_secs(10), Instant::now());
        let since = |seconds| now.checked_sub(Duration::from_secs(seconds)).expect("the machine has run for longer");
        assert!(time_left(time, since(4)) <= Duration::from_secs(6));
        assert_eq!(time_left(time, since(20)), Duration::from_secs(5));
        assert!(time_left(time, now + time) == time, "nothing was done yet");
    }
}
