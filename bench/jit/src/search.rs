//! Searches with either engine for their concrete runs: how much of their time these take, and what a faster one brings.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use pessimum_outcome::{Costs, End, Limit, Trap};
use pessimum_program::WasmProgram;
use pessimum_search::budget::Budget;
use pessimum_search::observation::Observation;
use pessimum_search::places::Places;
use pessimum_search::program::{Family, PathLimits, Program, Replay, Run, SiteId, Variable};
use pessimum_search::search::{Search, Settings};
use pessimum_search::strategy;
use pessimum_term::{Arena, Witness};

use crate::instrument::Counters;
use crate::jit::{Jit, Reset};
use crate::programs::Loaded;

/// What runs concrete inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runs {
    /// Our machine.
    Ours,
    /// Wasmtime, with a counter for each arm.
    Jit(Reset),
}

/// What a search did. Times are seconds of processor time, without those of compiling for wasmtime.
#[derive(Clone, Copy, Debug, Default)]
pub struct Searched {
    pub seconds: f64,
    /// Those of concrete runs.
    pub concrete: f64,
    pub runs: u64,
    /// What it took to compile. This is done twice for each size at which the search learns, which could be less.
    pub compile: f64,
    pub paths: u64,
    pub best: u64,
}

impl Searched {
    /// Paths per second.
    pub fn rate(&self) -> f64 {
        self.paths as f64 / self.seconds
    }

    /// How much of the time concrete runs take.
    pub fn share(&self) -> f64 {
        self.concrete / self.seconds
    }

    /// The mean time of a concrete run, in microseconds.
    pub fn mean(&self) -> f64 {
        self.concrete * 1e6 / self.runs.max(1) as f64
    }

    /// Adds another search; of the costs, the higher one stays.
    pub fn add(&mut self, other: &Searched) {
        self.seconds += other.seconds;
        self.concrete += other.concrete;
        self.runs += other.runs;
        self.compile += other.compile;
        self.paths += other.paths;
        self.best = self.best.max(other.best);
    }
}

/// Processor time of this thread so far, in seconds; none where the system does not tell.
fn processor_time() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(text.split_whitespace().next()?.parse::<f64>().ok()? / 1e9)
}

#[derive(Default)]
struct Clock {
    /// Nanoseconds.
    concrete: AtomicU64,
    runs: AtomicU64,
    /// Nanoseconds.
    compile: AtomicU64,
}

impl Clock {
    fn time<T>(&self, work: impl FnOnce() -> T) -> T {
        let begun = Instant::now();
        let result = work();
        self.concrete.fetch_add(begun.elapsed().as_nanos() as u64, Ordering::Relaxed);
        self.runs.fetch_add(1, Ordering::Relaxed);
        result
    }
}

/// A program whose concrete runs are timed, and made by either engine.
struct Timed {
    program: WasmProgram,
    jit: Option<Mutex<Jit>>,
    clock: Arc<Clock>,
}

impl Timed {
    fn new(loaded: &Loaded, size: Option<u64>, runs: Runs, clock: &Arc<Clock>) -> Result<Timed, String> {
        let program = loaded.wasm_program(size)?;
        let jit = match runs {
            Runs::Ours => None,
            Runs::Jit(reset) => {
                let limit = PathLimits::default().instructions;
                let begun = Instant::now();
                let subject = program.subject();
                let jit = Jit::new(&loaded.bytes, subject, &loaded.function, Counters::Arms, reset, limit)?;
                clock.compile.fetch_add(begun.elapsed().as_nanos() as u64, Ordering::Relaxed);
                Some(Mutex::new(jit))
            }
        };
        Ok(Timed { program, jit, clock: clock.clone() })
    }

    /// A run in wasmtime. It counts instructions and branches; the clock is not looked at while it runs.
    fn in_jit(&self, jit: &Mutex<Jit>, input: &Witness, limits: &PathLimits, arms: &mut Vec<u64>) -> Replay {
        let mut jit = jit.lock().unwrap_or_else(PoisonError::into_inner);
        match jit.run(input, limits.instructions, arms) {
            Ok((ran, _)) => {
                let costs = Costs { instructions: ran.instructions, branches: arms.iter().sum(), ..Costs::default() };
                let end = match ran.returned {
                    true => End::Returned,
                    false if ran.instructions > limits.instructions => End::Limit(Limit::Instructions),
                    false => End::Trapped(Trap::Unreachable),
                };
                Replay { costs, end }
            }
            Err(message) => panic!("an instance could be made before: {message}"),
        }
    }
}

impl Program for Timed {
    fn name(&self) -> &str {
        self.program.name()
    }

    fn variables(&self) -> Vec<Variable> {
        self.program.variables()
    }

    fn start(&self, arena: &mut Arena, limits: &PathLimits) -> Box<dyn Run> {
        self.program.start(arena, limits)
    }

    fn replay(&self, input: &Witness, limits: &PathLimits) -> Replay {
        self.clock.time(|| self.program.replay(input, limits))
    }

    // These few runs check what was found, for which all costs must be there.
    fn replay_while(
        &self,
        input: &Witness,
        limits: &PathLimits,
        go_on: &mut dyn FnMut() -> bool,
    ) -> (Replay, PathLimits) {
        self.clock.time(|| self.program.replay_while(input, limits, go_on))
    }

    fn replay_counting(
        &self,
        input: &Witness,
        limits: &PathLimits,
        go_on: &mut dyn FnMut() -> bool,
        arms: &mut Vec<u64>,
    ) -> (Replay, PathLimits) {
        self.clock.time(|| match &self.jit {
            None => self.program.replay_counting(input, limits, go_on, arms),
            Some(jit) => (self.in_jit(jit, input, limits, arms), *limits),
        })
    }

    fn observe(&self, input: &Witness, limits: &PathLimits) -> Observation {
        self.program.observe(input, limits)
    }

    fn places(&self) -> Arc<Places> {
        self.program.places()
    }

    fn site_name(&self, site: SiteId) -> String {
        self.program.site_name(site)
    }
}

/// The program at other sizes.
struct Sizes<'l> {
    loaded: &'l Loaded,
    runs: Runs,
    clock: Arc<Clock>,
}

impl Family for Sizes<'_> {
    fn at(&self, size: u32) -> Result<Box<dyn Program>, String> {
        Ok(Box::new(Timed::new(self.loaded, Some(size.into()), self.runs, &self.clock)?))
    }
}

/// Searches with `auto` for this long.
pub fn search(loaded: &Loaded, runs: Runs, time: Duration, seed: u64) -> Result<Searched, String> {
    let clock = Arc::new(Clock::default());
    let sizes = Sizes { loaded, runs, clock: clock.clone() };
    let (begun, before) = (Instant::now(), processor_time());
    let program = Timed::new(loaded, loaded.program.size, runs, &clock)?;
    let budget = Budget { time: Some(time.saturating_sub(begun.elapsed())), ..Budget::default() };
    let mut search = Search::new(&program, Settings { budget, seed, ..Settings::default() });
    if let Some(size) = loaded.program.size.and_then(|size| u32::try_from(size).ok()) {
        search = search.with_family(&sizes, size);
    }
    let mut auto = strategy::named("auto").ok_or("there is no strategy `auto`")?;
    let found = strategy::run(search, &mut *auto);
    let seconds = |counter: &AtomicU64| counter.load(Ordering::Relaxed) as f64 / 1e9;
    let wall = begun.elapsed().as_secs_f64();
    let spent = processor_time().zip(before).map_or(wall, |(after, before)| after - before);
    // What is timed within the search is wall time, which other processes stretch like that of the whole.
    let compile = seconds(&clock.compile) * spent / wall;
    Ok(Searched {
        seconds: spent - compile,
        concrete: seconds(&clock.concrete) * spent / wall,
        runs: clock.runs.load(Ordering::Relaxed),
        compile,
        paths: found.paths,
        best: found.best.map_or(0, |best| best.costs.instructions),
    })
}
