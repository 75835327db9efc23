//! One search: a kernel, what is maximised, the best path so far, and what was counted on the way.

use crate::budget::{Budget, Cancel, Meter, Stop};
use crate::cost::{CostModel, Costs};
use crate::decider::{Decider, FollowWitness};
use crate::kernel::{Counters, Kernel, Outcome, PathView, Start};
use crate::path::Path;
use crate::program::{End, Family, Limit, PathLimits, Program, Replay};
use crate::random::Random;
use crate::watch::Watch;
use pessimum_solver::LayerName;
use pessimum_term::Witness;
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// What a search is told.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// What is maximised.
    pub cost: CostModel,
    /// When to stop.
    pub budget: Budget,
    /// Fixes everything but times.
    pub seed: u64,
    /// Limits of each path.
    pub limits: PathLimits,
    /// The solver's own.
    pub solver: pessimum_solver::Settings,
    /// Ends the search from outside.
    pub cancel: Cancel,
    /// Inputs that every strategy runs first, each as one path, whatever the budget: what an earlier search found.
    /// Those that the program does not accept are left out.
    pub starts: Vec<Witness>,
    /// Shows other threads how the search gets on.
    pub watch: Watch,
}

/// One improvement: when, after how many paths, to what cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Improvement {
    /// Seconds since the start.
    pub seconds: f64,
    /// Paths completed, this one included.
    pub paths: u64,
    /// The cost reached.
    pub cost: u64,
}

/// Called with each improvement, by the thread that searches. Improvements of other workers are not among them: see
/// [`Watch`].
pub type Observer<'o> = dyn FnMut(&Improvement) + 'o;

/// Sees every recorded path.
pub type Visitor<'v> = dyn FnMut(&PathView<'_>) + 'v;

/// The least and the greatest of each cost over all paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extremes {
    /// Each cost's least value; different costs may come from different paths.
    pub least: Costs,
    /// Each cost's greatest value.
    pub greatest: Costs,
}

impl Extremes {
    fn add(&mut self, costs: &Costs) {
        self.least = self.least.merge(costs, u64::min);
        self.greatest = self.greatest.merge(costs, u64::max);
    }
}

/// Between two reports of the solver's time to a watch.
const REPORT_EVERY: Duration = Duration::from_millis(100);

/// A search in progress; strategies work on this.
pub struct Search<'p> {
    /// Runs the paths.
    pub kernel: Kernel<'p>,
    /// The random source of the strategy.
    pub random: Random,
    cost: CostModel,
    settings: Settings,
    family: Option<(&'p dyn Family, u32)>,
    best: Option<Path>,
    progress: Vec<Improvement>,
    ends: BTreeMap<End, u64>,
    extremes: Option<Extremes>,
    visitor: Option<Box<Visitor<'p>>>,
    observer: Option<Box<Observer<'p>>>,
    /// When the solver's time was reported last, and how much of it.
    reported: (Duration, Duration),
    incomplete: bool,
    nested: Counters,
    nested_solver: pessimum_solver::Counters,
}

impl<'p> Search<'p> {
    /// The clock starts now.
    pub fn new(program: &'p dyn Program, settings: Settings) -> Search<'p> {
        let meter = Meter::new(settings.budget, settings.cancel.clone());
        Search {
            kernel: Kernel::new(program, settings.solver.clone(), settings.limits, meter),
            random: Random::new(settings.seed),
            cost: settings.cost,
            settings,
            family: None,
            best: None,
            progress: Vec::new(),
            ends: BTreeMap::new(),
            extremes: None,
            visitor: None,
            observer: None,
            reported: (Duration::ZERO, Duration::ZERO),
            incomplete: false,
            nested: Counters::default(),
            nested_solver: pessimum_solver::Counters::default(),
        }
    }

    /// Says that the program is the member of this size of a family, for strategies that train at smaller sizes.
    pub fn with_family(mut self, family: &'p dyn Family, size: u32) -> Search<'p> {
        self.family = Some((family, size));
        self
    }

    /// Tells this of each improvement.
    pub fn with_observer(mut self, observer: impl FnMut(&Improvement) + 'p) -> Search<'p> {
        self.observer = Some(Box::new(observer));
        self
    }

    /// Shows every recorded path to this, while it lies in the kernel.
    pub fn with_visitor(mut self, visitor: impl FnMut(&PathView<'_>) + 'p) -> Search<'p> {
        self.visitor = Some(Box::new(visitor));
        self
    }

    /// What is maximised.
    pub fn cost(&self) -> CostModel {
        self.cost
    }

    /// What the search was told.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The family and this program's size in it.
    pub fn family(&self) -> Option<(&'p dyn Family, u32)> {
        self.family
    }

    /// The best path so far. Its conditions are valid only under [`Kernel::keep_terms`].
    pub fn best(&self) -> Option<&Path> {
        self.best.as_ref()
    }

    /// The best cost so far.
    pub fn best_cost(&self) -> Option<u64> {
        self.best.as_ref().map(|path| self.cost.of(&path.costs))
    }

    /// Whether the budget is spent, and why.
    pub fn stop(&mut self) -> Option<Stop> {
        self.kernel.meter.look(0)
    }

    /// A random input from the ranges of the program's variables. It need not satisfy other preconditions: the kernel
    /// moves it.
    pub fn random_witness(&mut self) -> Witness {
        self.random.witness(&self.kernel.program().variables())
    }

    /// Settings for a search at another size within this one: what is left of the budget, a seed of its own, no
    /// inputs to start from, the rest alike.
    pub fn nested_settings(&mut self) -> Settings {
        Settings {
            budget: self.kernel.meter.remaining(),
            seed: self.random.bits(),
            starts: Vec::new(),
            watch: self.settings.watch.nested(),
            ..self.settings.clone()
        }
    }

    /// Settings for another worker of this search.
    pub fn worker_settings(&mut self, budget: Budget) -> Settings {
        Settings { budget, seed: self.random.bits(), ..self.settings.clone() }
    }

    /// Runs the inputs to start from.
    pub fn run_starts(&mut self) {
        for input in std::mem::take(&mut self.settings.starts) {
            if let Some(path) = path_of(self.kernel.program(), &self.settings, &input) {
                self.record_replay(&input, &Replay { costs: path.costs, end: path.end });
                // Strategies take them into their populations.
                self.settings.starts.push(input);
            }
        }
        self.kernel.meter.look(0);
    }

    /// Charges a search within this one to it. What was left out there does not make this one incomplete.
    pub fn charge(&mut self, nested: &SearchResult) {
        self.kernel.meter.paths += nested.paths;
        self.kernel.meter.steps += nested.steps;
        self.nested.add(&nested.counters);
        self.nested_solver.add(&nested.solver);
    }

    /// Charges the work of a solver context of a strategy's own.
    pub fn charge_solver(&mut self, counters: &pessimum_solver::Counters) {
        self.nested_solver.add(counters);
    }

    /// Runs one path and keeps account of it.
    pub fn run(&mut self, start: &Start<'_>, decider: &mut dyn Decider, path: &mut Path) -> Outcome {
        let outcome = self.kernel.run(start, decider, path);
        self.account(&outcome);
        outcome
    }

    /// As [`Search::run`], from a decision of the last path on; see [`Kernel::resume`].
    pub fn resume(&mut self, index: usize, decider: &mut dyn Decider, path: &mut Path) -> Option<Outcome> {
        let outcome = self.kernel.resume(index, decider, path)?;
        self.account(&outcome);
        Some(outcome)
    }

    fn account(&mut self, outcome: &Outcome) {
        if let Outcome::Path(_) = outcome {
            self.record();
        }
        self.kernel.meter.look(0);
    }

    /// Keeps account of the path that lies finished in the kernel (after [`Kernel::advance`] said so). Returns whether
    /// it is the new best.
    pub fn record(&mut self) -> bool {
        let Some(path) = self.kernel.path() else { return false };
        *self.ends.entry(path.end).or_insert(0) += 1;
        if path.end == End::AssumptionViolated {
            return false;
        }
        let paths = self.kernel.meter.paths + 1;
        match &mut self.extremes {
            Some(extremes) => extremes.add(path.costs),
            None => self.extremes = Some(Extremes { least: *path.costs, greatest: *path.costs }),
        }
        if let Some(visitor) = &mut self.visitor {
            visitor(&path);
        }
        let cost = self.cost.of(path.costs);
        let improved =
            path.end != End::Unsupported && self.best.as_ref().is_none_or(|best| cost > self.cost.of(&best.costs));
        if improved {
            path.copy_to(self.best.get_or_insert_default());
        }
        self.kernel.meter.paths = paths;
        self.tell(improved, cost);
        improved
    }

    /// Keeps account of a concrete run, for strategies that run programs without the kernel: one path. Which decisions
    /// it made is found out in [`Search::finish`], if it is the best one then. Returns whether it is the new best.
    pub fn record_replay(&mut self, input: &Witness, replay: &Replay) -> bool {
        *self.ends.entry(replay.end).or_insert(0) += 1;
        self.kernel.meter.steps += replay.costs.instructions;
        if replay.end == End::AssumptionViolated {
            return false;
        }
        self.kernel.meter.paths += 1;
        match &mut self.extremes {
            Some(extremes) => extremes.add(&replay.costs),
            None => self.extremes = Some(Extremes { least: replay.costs, greatest: replay.costs }),
        }
        let cost = self.cost.of(&replay.costs);
        let improved =
            replay.end != End::Unsupported && self.best.as_ref().is_none_or(|best| cost > self.cost.of(&best.costs));
        if improved {
            let best = self.best.get_or_insert_default();
            best.decisions.clear();
            best.costs = replay.costs;
            best.end = replay.end;
            best.witness.clone_from(input);
        }
        self.tell(improved, cost);
        improved
    }

    /// Tells observer and watch of a path that was counted.
    fn tell(&mut self, improved: bool, cost: u64) {
        let watch = &self.settings.watch;
        watch.path();
        if improved {
            let (seconds, paths) = (self.kernel.meter.elapsed().as_secs_f64(), self.kernel.meter.paths);
            let improvement = Improvement { seconds, paths, cost };
            self.progress.push(improvement);
            if let Some(best) = &self.best {
                watch.found(cost, &best.costs, &best.witness);
            }
            if let Some(observer) = &mut self.observer {
                observer(&improvement);
            }
        }
        // Concrete runs may be short: the clock is not asked after each of them.
        if self.kernel.meter.paths.is_multiple_of(16) {
            self.report_solver(REPORT_EVERY);
        }
    }

    /// Tells the watch how long the solver took, if the last report is so old.
    fn report_solver(&mut self, age: Duration) {
        let elapsed = self.kernel.meter.elapsed();
        if elapsed >= self.reported.0 + age {
            let counters = self.kernel.context().counters();
            let time: Duration = LayerName::ALL.iter().map(|&layer| counters.layer(layer).time).sum();
            self.settings.watch.solver(time.saturating_sub(self.reported.1));
            self.reported = (elapsed, time);
        }
    }

    /// Says that paths were left out on purpose (a policy, a depth limit): the search cannot be complete.
    pub fn mark_incomplete(&mut self) {
        self.incomplete = true;
    }

    /// Takes in what another worker of the same search did.
    pub fn join(&mut self, worker: SearchResult) {
        self.charge(&worker);
        for (end, count) in worker.ends {
            *self.ends.entry(end).or_insert(0) += count;
        }
        if let Some(theirs) = worker.extremes {
            let mine = self.extremes.get_or_insert(theirs);
            mine.add(&theirs.least);
            mine.add(&theirs.greatest);
        }
        if let Some(theirs) = worker.best
            && self.best.as_ref().is_none_or(|mine| self.cost.of(&theirs.costs) > self.cost.of(&mine.costs))
        {
            let cost = self.cost.of(&theirs.costs);
            self.best = Some(theirs);
            let (seconds, paths) = (self.kernel.meter.elapsed().as_secs_f64(), self.kernel.meter.paths);
            self.progress.push(Improvement { seconds, paths, cost });
        }
    }

    /// Ends the search: replays the best input and puts the result together. `finished` says whether the strategy
    /// saw every path that it could reach; the result is complete only if nothing was given up or cut off either.
    pub fn finish(self, finished: Finished) -> Result<SearchResult, Box<Mismatch>> {
        let (program, settings) = (self.kernel.program(), self.settings.clone());
        let mut result = self.finish_worker(finished);
        if let Some(path) = &mut result.best {
            // A path recorded from a concrete run has no decisions yet; the check that follows compares the rest.
            if path.decisions.is_empty()
                && let Some(followed) = path_of(program, &settings, &path.witness)
            {
                path.costs.decisions = followed.costs.decisions;
                path.decisions = followed.decisions;
            }
            check_by_replay(program, &settings, path)?;
        }
        Ok(result)
    }

    /// As [`Search::finish`] without the replay, for a worker whose result another search takes in: that one replays
    /// the best input of all.
    pub fn finish_worker(mut self, finished: Finished) -> SearchResult {
        let stop = self.kernel.meter.stopped().unwrap_or(Stop::Finished);
        let mut counters = self.kernel.counters;
        let limits = self.ends.keys().any(|end| matches!(end, End::Limit(_) | End::Unsupported));
        let complete = finished == Finished::Everything
            && !self.incomplete
            && counters.unknown == 0
            && counters.values_cut == 0
            && counters.unsupported == 0
            && !limits;
        counters.add(&self.nested);
        let mut solver = self.kernel.context().counters().clone();
        solver.add(&self.nested_solver);
        let elapsed = self.kernel.meter.elapsed();
        self.report_solver(Duration::ZERO);
        SearchResult {
            cost: self.cost,
            best: self.best,
            paths: self.kernel.meter.paths,
            steps: self.kernel.meter.steps,
            ends: self.ends,
            extremes: self.extremes,
            counters,
            solver,
            progress: self.progress,
            stop: if finished == Finished::Everything { Stop::Finished } else { stop },
            complete,
            elapsed,
        }
    }
}

/// What a strategy says when it returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finished {
    /// Every feasible path was seen, as far as the solver and the limits let it.
    Everything,
    /// It stopped before, or cannot tell.
    Partly,
}

/// What a search found.
#[derive(Clone, Debug)]
pub struct SearchResult {
    /// What was maximised.
    pub cost: CostModel,
    /// The dearest path, its input replayed; none if no path was completed.
    pub best: Option<Path>,
    /// Paths completed.
    pub paths: u64,
    /// Instructions executed by symbolic runs.
    pub steps: u64,
    /// Paths by end. Runs stopped by the program's own assumptions are listed here but are not paths.
    pub ends: BTreeMap<End, u64>,
    /// The least and the greatest of each cost over all paths; none if there was no path.
    pub extremes: Option<Extremes>,
    /// What the kernel counted.
    pub counters: Counters,
    /// What the solver's layers counted.
    pub solver: pessimum_solver::Counters,
    /// Each improvement.
    pub progress: Vec<Improvement>,
    /// Why it ended.
    pub stop: Stop,
    /// Whether every feasible path was seen, no query was given up, and no limit was met.
    pub complete: bool,
    /// Wall clock, replay not included.
    pub elapsed: Duration,
}

impl SearchResult {
    /// The best cost.
    pub fn best_cost(&self) -> Option<u64> {
        self.best.as_ref().map(|path| self.cost.of(&path.costs))
    }
}

/// A found input does not do concretely what its symbolic path says. This is a defect of Pessimum.
#[derive(Clone, Debug)]
pub struct Mismatch {
    /// Which program.
    pub program: String,
    /// Which input, one value per variable.
    pub input: Witness,
    /// Costs and end of the symbolic path.
    pub symbolic: (Costs, End),
    /// Costs and end of the concrete run.
    pub concrete: (Costs, End),
}

impl Mismatch {
    fn new(program: &dyn Program, path: &Path, costs: Costs, end: End) -> Mismatch {
        Mismatch {
            program: program.name().to_owned(),
            input: path.witness.clone(),
            symbolic: (path.costs, path.end),
            concrete: (costs, end),
        }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: the input {:?} was predicted to end with \"{}\" at {:?}, but ended with \"{}\" at {:?}; this is a \
             defect of Pessimum",
            self.program,
            self.input.values(),
            self.symbolic.1,
            self.symbolic.0,
            self.concrete.1,
            self.concrete.0
        )
    }
}

impl std::error::Error for Mismatch {}

/// Replays a path's input concretely and compares every cost and the end. `decisions`, which a concrete engine cannot
/// count, is compared with a symbolic run that follows the input. A path cut off at its limit of decisions takes the
/// replayed costs, which are those of the whole run.
pub fn check_by_replay(program: &dyn Program, settings: &Settings, path: &mut Path) -> Result<(), Box<Mismatch>> {
    let replay = program.replay(&path.witness, &settings.limits);
    let mut concrete = replay.costs;
    concrete.decisions = path.costs.decisions;
    if path.end == End::Limit(Limit::Decisions) {
        path.costs = concrete;
        path.end = replay.end;
        return Ok(());
    }
    let mut end = replay.end;
    if (concrete, end) == (path.costs, path.end) {
        let Some(followed) = path_of(program, settings, &path.witness) else {
            return Err(Box::new(Mismatch::new(program, path, concrete, End::AssumptionViolated)));
        };
        concrete = followed.costs;
        end = followed.end;
    }
    if (concrete, end) != (path.costs, path.end) {
        return Err(Box::new(Mismatch::new(program, path, concrete, end)));
    }
    Ok(())
}

/// The path of one input, without a budget. `None` if the input violates the program's preconditions or assumptions.
pub fn path_of(program: &dyn Program, settings: &Settings, input: &Witness) -> Option<Path> {
    let meter = Meter::new(Budget::default(), Cancel::default());
    let mut kernel = Kernel::new(program, settings.solver.clone(), settings.limits, meter);
    let mut path = Path::default();
    let start = Start { witness: Some(input), ..Start::default() };
    match kernel.run(&start, &mut FollowWitness, &mut path) {
        Outcome::Path(end) if end != End::AssumptionViolated && path.witness == *input => Some(path),
        _ => None,
    }
}
