//! Searches with either engine for their concrete runs: how much of their time these take, and what a faster one brings.

use std::collections::BTreeMap;
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

/// What a search did. Times are seconds of processor time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Searched {
    pub seconds: f64,
    /// Those of concrete runs.
    pub concrete: f64,
    pub runs: u64,
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
    jit: Option<Arc<Mutex<Jit>>>,
    clock: Arc<Clock>,
}

/// The program as compiled for wasmtime, by size. Searches with one after the other share it.
#[derive(Default)]
pub struct Compiled(Mutex<BTreeMap<Option<u64>, Arc<Mutex<Jit>>>>);

impl Compiled {
    fn at(
        &self,
        loaded: &Loaded,
        program: &WasmProgram,
        size: Option<u64>,
        reset: Reset,
    ) -> Result<Arc<Mutex<Jit>>, String> {
        let mut compiled = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(jit) = compiled.get(&size) {
            return Ok(jit.clone());
        }
        let limit = PathLimits::default().instructions;
        let jit = Jit::new(&loaded.bytes, program.subject(), &loaded.function, Counters::Arms, reset, limit)?;
        Ok(compiled.entry(size).or_insert(Arc::new(Mutex::new(jit))).clone())
    }
}

impl Timed {
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
                Replay { costs, end, unsupported: 0 }
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

/// A program at every size, with an engine for its concrete runs.
pub struct Searcher<'l> {
    loaded: &'l Loaded,
    runs: Runs,
    compiled: Compiled,
    clock: Arc<Clock>,
}

impl Family for Searcher<'_> {
    fn at(&self, size: u32) -> Result<Box<dyn Program>, String> {
        Ok(Box::new(self.timed(Some(size.into()))?))
    }
}

impl<'l> Searcher<'l> {
    pub fn new(loaded: &'l Loaded, runs: Runs) -> Searcher<'l> {
        Searcher { loaded, runs, compiled: Compiled::default(), clock: Arc::default() }
    }

    fn timed(&self, size: Option<u64>) -> Result<Timed, String> {
        let program = self.loaded.wasm_program(size)?;
        let jit = match self.runs {
            Runs::Ours => None,
            Runs::Jit(reset) => Some(self.compiled.at(self.loaded, &program, size, reset)?),
        };
        Ok(Timed { program, jit, clock: self.clock.clone() })
    }

    /// Searches with `auto` for this long. What an earlier search has compiled needs not be compiled again.
    pub fn search(&self, time: Duration, seed: u64) -> Result<Searched, String> {
        let program = self.timed(self.loaded.program.size)?;
        for counter in [&self.clock.concrete, &self.clock.runs] {
            counter.store(0, Ordering::Relaxed);
        }
        let (begun, before) = (Instant::now(), processor_time());
        let budget = Budget { time: Some(time), ..Budget::default() };
        let mut search = Search::new(&program, Settings { budget, seed, ..Settings::default() });
        if let Some(size) = self.loaded.program.size.and_then(|size| u32::try_from(size).ok()) {
            search = search.with_family(self, size);
        }
        let mut auto = strategy::named("auto").ok_or("there is no strategy `auto`")?;
        let found = strategy::run(search, &mut *auto);
        let wall = begun.elapsed().as_secs_f64();
        let seconds = processor_time().zip(before).map_or(wall, |(after, before)| after - before);
        // What is timed within the search is wall time, which other processes stretch like that of the whole.
        let concrete = self.clock.concrete.load(Ordering::Relaxed) as f64 / 1e9 * seconds / wall;
        let runs = self.clock.runs.load(Ordering::Relaxed);
        let best = found.best.map_or(0, |best| best.costs.instructions);
        Ok(Searched { seconds, concrete, runs, paths: found.paths, best })
    }
}
