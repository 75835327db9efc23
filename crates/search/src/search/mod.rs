//! One search: a kernel, what is maximised, the best path so far, and what was counted on the way.
//!
//! Everything that was run counts: paths, concrete runs of strategies, inputs that were run before the search, runs
//! that ended at a limit or with the budget. No result is below any of them that ended as the result did: the costliest
//! of the runs that crash and of all others are both kept, and the settings say which of them is the best.

mod best;
mod every;
mod result;
mod verify;

use best::Kept;
pub(crate) use every::Pace;
pub use result::{Defect, Extremes, Finished, Mismatch, SearchResult};
pub use verify::{FEW_NUMBERS, path_of};

use crate::budget::{Budget, Cancel, Meter, Stop, Until};
use crate::decider::{Choice, Decider};
use crate::kernel::{Counters, Kernel, Outcome, PathView, Point, Start};
use crate::objective::{Goals, Objective};
use crate::observation::Observation;
use crate::path::{Origin, Path};
use crate::program::{Counted, Counting, Family, PathLimits, Program, Replay, Variable};
use crate::random::Random;
use crate::watch::{Standing, Watch};
use best::Bests;
use pessimum_outcome::{CostModel, Costs, End, Ends, Limit};
use pessimum_solver::LayerName;
use pessimum_term::Witness;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// What a search is told.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// What is maximised.
    pub cost: CostModel,
    /// Among which runs.
    pub ends: Ends,
    /// What to reach. If given, the search ends as soon as all of it is reached, and the cost only ranks runs. Every
    /// run feeds the archive.
    pub goals: Option<Goals>,
    /// When to stop.
    pub budget: Budget,
    /// Determines everything but times.
    pub seed: u64,
    /// Limits of each path.
    pub limits: PathLimits,
    /// The solver's settings.
    pub solver: pessimum_solver::Settings,
    /// Ends the search from outside.
    pub cancel: Cancel,
    /// Inputs that every strategy runs first, each as one path, whatever the budget: what an earlier search found.
    /// Those that the program does not accept are left out. Inputs that have already been run are handed over with
    /// [`Search::offer`].
    pub starts: Vec<Witness>,
    /// Whether one input is run before the strategy begins, so that there is an answer from the start. Off when a
    /// strategy is measured by itself: for some programs that input is the worst.
    pub input_first: bool,
    /// Whether every input is run before the strategy begins, where there are few: the steps that all of them together may
    /// take if time is not limited, with a thousand more for each. None when a strategy is measured by itself.
    pub every_input: Option<u64>,
    /// The cost that is enough: a search that reaches it ends.
    pub target: Option<u64>,
    /// The record of how the search is getting on, for other threads to see; by default one that nobody sees.
    pub watch: Watch,
    /// The bytes that terms, paths and what the strategy keeps may take, as [`Kernel::bytes`] counts them; none for no
    /// limit. A path that does not fit ends there; a strategy first drops what it can spare, and then ends.
    pub memory: Option<u64>,
    /// Whether the strategy is asked to carry over what it learnt to a search at another size. `auto` needs one path
    /// beyond the budget for this.
    pub carries_over: bool,
}

/// One improvement: when, after how many paths of all workers, to what cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Improvement {
    /// Seconds since the start.
    pub seconds: f64,
    /// Paths completed, this one included; 0 for inputs that were run before the search.
    pub paths: u64,
    /// The cost reached.
    pub cost: u64,
}

/// Sees every recorded path.
pub type Visitor<'v> = dyn FnMut(&PathView<'_>) + 'v;

/// The time between two reports of the solver's time to a watch.
const REPORT_EVERY: Duration = Duration::from_millis(100);

/// A symbolic run this many times as long as the best one, and at least this many instructions long, is worth a
/// concrete run of its witness: it may well be cut off before its end.
const LONG: (u64, u64) = (10, 1_000_000);

/// Decisions between two checks of the length of a symbolic run.
const LENGTH_EVERY: u32 = 128;

/// A concrete run gets one part in this many of what a run may take, or of all that was executed so far, or this many times
/// what the longest one took that ended, whichever is most. One endless run takes a small share of the whole search that way.
const FIRST_PART: u64 = 64;
const PART: u64 = 16;
const LONGER: u64 = 8;

/// The least that a run gets.
const LEAST: u64 = 10_000;

/// Runs that were cut off at such a limit and are kept to be run again at a higher one.
const PENDING: usize = 4;

/// Instructions of a concrete run that no strategy asked for, if time is not limited.
const UNASKED: u64 = 100_000_000;

/// The share of the remaining time that such a run may take, if it is.
const UNASKED_SHARE: f64 = 0.05;

/// A search in progress; strategies work on this.
pub struct Search<'p> {
    /// Runs the paths.
    pub kernel: Kernel<'p>,
    /// The random source of the strategy.
    pub random: Random,
    cost: CostModel,
    settings: Settings,
    family: Option<(&'p dyn Family, u32)>,
    bests: Bests,
    /// The costliest of the concrete runs: what remains if the best path turns out to be wrong.
    verified: Bests,
    /// The variables of the program; none until first needed.
    variables: Option<Vec<Variable>>,
    /// Whether the end of the budget cut a run off.
    salvaged: bool,
    /// The steps of the longest run that ended.
    longest: u64,
    /// Inputs whose runs were cut off before they had all that a run may take, and what they had.
    pending: Vec<(Witness, u64)>,
    ends: BTreeMap<End, u64>,
    extremes: Option<Extremes>,
    visitor: Option<Box<Visitor<'p>>>,
    /// When the solver's time was reported last, and how much of it.
    reported: (Duration, Duration),
    incomplete: bool,
    /// How many inputs there are, if each was run to its end.
    every_input: Option<u64>,
    /// An input that would have been kept although the program does not permit it.
    not_permitted: Option<Witness>,
    nested: Counters,
    nested_solver: pessimum_solver::Counters,
}

impl<'p> Search<'p> {
    /// The clock starts now.
    pub fn new(program: &'p dyn Program, settings: Settings) -> Search<'p> {
        let settings = Settings { watch: settings.watch.clone().begin(), ..settings };
        let meter = Meter::new(settings.budget, settings.cancel.clone()).with_memory(settings.memory);
        Search {
            kernel: Kernel::new(program, settings.solver.clone(), settings.limits, meter),
            random: Random::new(settings.seed),
            cost: settings.cost,
            bests: Bests::new(settings.cost, settings.ends, settings.limits.instructions),
            verified: Bests::new(settings.cost, settings.ends, settings.limits.instructions),
            settings,
            family: None,
            variables: None,
            salvaged: false,
            longest: 0,
            pending: Vec::new(),
            ends: BTreeMap::new(),
            extremes: None,
            visitor: None,
            reported: (Duration::ZERO, Duration::ZERO),
            incomplete: false,
            every_input: None,
            not_permitted: None,
            nested: Counters::default(),
            nested_solver: pessimum_solver::Counters::default(),
        }
    }

    /// Says that the program is the member of this size of a family, for strategies that train at smaller sizes.
    pub fn with_family(mut self, family: &'p dyn Family, size: u32) -> Search<'p> {
        self.family = Some((family, size));
        self
    }

    /// Shows every recorded path to this visitor while the path is still in the kernel.
    pub fn with_visitor(mut self, visitor: impl FnMut(&PathView<'_>) + 'p) -> Search<'p> {
        self.visitor = Some(Box::new(visitor));
        self
    }

    /// What is maximised.
    pub fn cost(&self) -> CostModel {
        self.cost
    }

    /// What the search is after.
    pub fn objective(&self) -> Objective<'_> {
        match &self.settings.goals {
            Some(goals) => Objective::Goals(goals),
            None => Objective::HighestCost(self.cost),
        }
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
        self.bests.best()
    }

    /// The best cost so far.
    pub fn best_cost(&self) -> Option<u64> {
        self.best().map(|path| self.cost.of(&path.costs))
    }

    /// How good the best so far is: whether it ended as it should, and its cost.
    pub fn best_rank(&self) -> Option<(bool, u64)> {
        self.bests.rank()
    }

    /// What a run that ended so is worth to a strategy: its cost if it ended as the search wants it. Others are worth less
    /// than half of the best that did, so that no population is filled with them; they stay in the order of their costs as
    /// long as they are cheap. The same holds for runs that were cut off: their changes would take as long.
    pub fn worth(&self, costs: &Costs, end: End) -> u64 {
        let cost = self.cost.of(costs);
        let best = self.best().filter(|best| !best.end.is_cut() || !end.is_cut());
        match (self.settings.ends.wants(end), best.and(self.best_rank())) {
            (Some(true), _) if !end.is_cut() => cost,
            (_, None | Some((false, _))) => cost,
            (_, Some((true, best))) => cost.min(best) / 2,
        }
    }

    /// Whether the search is over, and why.
    pub fn stop(&mut self) -> Option<Stop> {
        self.stop_if_covered();
        self.kernel.meter.look(0)
    }

    /// Another worker may have reached the last goal.
    fn stop_if_covered(&mut self) {
        if self.settings.goals.as_ref().is_some_and(Goals::are_covered) {
            self.kernel.meter.stop(Stop::Covered);
        }
    }

    /// A random input from the ranges of the program's variables. It need not satisfy other preconditions: the kernel
    /// moves it.
    pub fn random_witness(&mut self) -> Witness {
        let program = self.kernel.program();
        let mut input = self.random.witness(self.variables.get_or_insert_with(|| program.variables()));
        program.repair(&mut input);
        input
    }

    /// Settings for a search at another size within this one: what is left of the budget, a seed of its own, no
    /// inputs to start from, the rest alike.
    pub fn nested_settings(&mut self) -> Settings {
        Settings {
            budget: self.kernel.meter.remaining(),
            seed: self.random.bits(),
            starts: Vec::new(),
            target: None,
            goals: None,
            every_input: None,
            memory: self.settings.memory.map(|limit| limit.saturating_sub(self.kernel.bytes())),
            watch: self.settings.watch.nested(),
            ..self.settings.clone()
        }
    }

    /// Settings for one of this many workers of this search.
    pub fn worker_settings(&mut self, budget: Budget, workers: u64) -> Settings {
        let memory = self.settings.memory.map(|limit| limit / workers);
        Settings { budget, seed: self.random.bits(), memory, every_input: None, ..self.settings.clone() }
    }

    /// The settings with what is left of the budget.
    fn left_of_settings(&self) -> Settings {
        Settings { budget: self.kernel.meter.remaining(), ..self.settings.clone() }
    }

    /// Runs the inputs to start from.
    pub fn run_starts(&mut self) {
        for input in std::mem::take(&mut self.settings.starts) {
            if !self.is_permitted(&input) {
                continue;
            }
            // What somebody names, or was found before, gets all that a run may take.
            let until = self.kernel.meter.until();
            let (mut replay, limits) =
                self.kernel.program().run_concrete(&input, self.kernel.limits(), &mut || until.go_on());
            if self.cost == CostModel::Decisions
                && let Some(path) = path_of(self.kernel.program(), &self.left_of_settings(), &input)
            {
                replay.costs.decisions = path.costs.decisions;
            }
            if replay.end.is_a_run() {
                self.count_replay(&input, &replay, limits);
                // Strategies take them into their populations.
                self.settings.starts.push(input);
            }
        }
        self.kernel.meter.look(0);
    }

    /// Takes in an input that was run before, within these limits; it is not counted as a path. Returns whether it is
    /// the new best. Inputs that the program does not accept are left out.
    pub fn offer(&mut self, input: &Witness, replay: &Replay, limits: &PathLimits) -> bool {
        self.is_permitted(input) && self.consider(input, replay, *limits)
    }

    /// Runs one input if the settings say so and none was run yet.
    pub fn run_first_input(&mut self) {
        if self.settings.input_first && self.bests.is_empty() && self.stop().is_none() {
            let until = self.unasked();
            self.run_any_input(&until);
        }
    }

    /// Runs an input that satisfies the program's preconditions: at the beginning all zeros, as far as they allow it.
    fn run_any_input(&mut self, until: &Until) {
        self.kernel.release();
        let input = self.kernel.context().witness().clone();
        if self.is_permitted(&input) {
            self.run_unasked(&input, until);
        }
    }

    /// Runs an input that no strategy asked for, for no longer than this, and keeps it if it is the best.
    fn run_unasked(&mut self, input: &Witness, until: &Until) {
        let limits = self.unasked_limits();
        let (replay, limits) = self.kernel.program().run_concrete(input, &limits, &mut || until.go_on());
        self.consider(input, &replay, limits);
    }

    /// Whether the program's preconditions hold for the input.
    pub fn is_permitted(&mut self, input: &Witness) -> bool {
        let variables = self.variables.get_or_insert_with(|| self.kernel.program().variables());
        variables.iter().all(|variable| variable.permits(input.get(variable.id))) && self.kernel.permits(input)
    }

    /// Runs an input concretely, up to the end of the budget or until the search is cancelled. Also returns the limits
    /// within which the run ends in the same place again: they begin low and rise, so that no endless run takes a large part of
    /// the search; see [`Search::count_replay`] for what becomes of a run that they cut off.
    pub fn replay(&mut self, input: &Witness) -> (Replay, PathLimits) {
        let (limits, until) = (self.run_limits(), self.kernel.meter.until());
        self.kernel.program().run_concrete(input, &limits, &mut || until.go_on())
    }

    /// The limits of the next concrete run. They depend on nothing but what was executed before.
    fn run_limits(&mut self) -> PathLimits {
        let (limits, done) = (*self.kernel.limits(), self.kernel.meter.steps);
        let most =
            LEAST.max(limits.instructions / FIRST_PART).max(done / PART).max(self.longest.saturating_mul(LONGER));
        let limits = PathLimits { instructions: limits.instructions.min(most), ..limits };
        self.run_on(limits);
        limits
    }

    /// Runs those again that were cut off at half of these limits or less.
    fn run_on(&mut self, limits: PathLimits) {
        let is_due =
            |had: u64| had <= limits.instructions / 2 || limits.instructions == self.kernel.limits().instructions;
        let due: Vec<_> = self.pending.extract_if(.., |(_, had)| is_due(*had)).collect();
        for (input, _) in due {
            let until = self.kernel.meter.until();
            let (replay, limits) = self.kernel.program().run_concrete(&input, &limits, &mut || until.go_on());
            self.uncount(End::Limit(Limit::Budget));
            self.note_end(&input, &replay, &limits);
            self.kernel.meter.steps += replay.costs.steps();
            self.bests.see(&replay.costs, replay.end);
            self.consider(&input, &replay, limits);
        }
    }

    /// Counts how a run ended. One that was cut off earlier than the user says is to be run again.
    fn note_end(&mut self, input: &Witness, replay: &Replay, limits: &PathLimits) {
        let is_early = limits.instructions < self.kernel.limits().instructions;
        let end = match replay.end {
            End::Limit(Limit::Instructions) if is_early => {
                if self.pending.len() < PENDING {
                    self.pending.push((input.clone(), limits.instructions));
                }
                End::Limit(Limit::Budget)
            }
            end => end,
        };
        if !end.is_cut() {
            self.longest = self.longest.max(replay.costs.steps());
        }
        *self.ends.entry(end).or_insert(0) += 1;
    }

    fn uncount(&mut self, end: End) {
        if let Some(count) = self.ends.get_mut(&end) {
            *count -= 1;
            if *count == 0 {
                self.ends.remove(&end);
            }
        }
    }

    /// Like [`Search::replay`], with counts in the place of what is in `into`, which stays empty where the front end does not
    /// count.
    pub fn replay_counting(&mut self, input: &Witness, counted: Counted, into: &mut Vec<u64>) -> (Replay, PathLimits) {
        into.clear();
        let (limits, until) = (self.run_limits(), self.kernel.meter.until());
        let mut observer = Counting { go_on: || until.go_on(), counted, into };
        self.kernel.program().run_concrete(input, &limits, &mut observer)
    }

    /// How long a concrete run that no strategy asked for may take.
    fn unasked(&self) -> Until {
        let left = self.kernel.meter.remaining().time;
        let moment = left.and_then(|left| Instant::now().checked_add(left.mul_f64(UNASKED_SHARE)));
        Until { moment, cancel: self.settings.cancel.clone() }
    }

    /// The limits of such a run. If time is not limited, it gets a fixed number of instructions, so that the search can
    /// be repeated exactly.
    fn unasked_limits(&self) -> PathLimits {
        let limits = *self.kernel.limits();
        match self.settings.budget.time {
            Some(_) => limits,
            None => PathLimits { instructions: limits.instructions.min(UNASKED), ..limits },
        }
    }

    /// Handles a budget that ran out during a run. The run's witness is run concretely, for a little longer than the
    /// budget allows, so that the longest runs are not the ones that get lost.
    pub fn salvage(&mut self) {
        if self.salvaged || self.settings.watch.is_nested() || self.kernel.costs().steps() == 0 {
            return;
        }
        self.salvaged = true;
        let witness = self.kernel.context().witness().clone();
        let until = verify::half_of_the_rest(self.kernel.meter.overtime(), &self.settings.cancel);
        self.run_unasked(&witness, &until);
    }

    /// Charges a nested search to this one. What was left out there does not make this one incomplete.
    pub fn charge(&mut self, nested: &SearchResult) {
        self.kernel.meter.paths += nested.paths;
        self.kernel.meter.steps += nested.steps;
        self.nested.add(&nested.counters);
        self.nested_solver.add(&nested.solver);
        for defect in &nested.defects {
            if let Defect::NotPermitted(input) = defect {
                self.not_permitted.get_or_insert_with(|| input.clone());
            }
        }
    }

    /// Takes over what was counted in a part of this search that has nothing to say about its completeness, because
    /// another part saw everything.
    pub(crate) fn count_apart(&mut self, counters: &Counters) {
        self.nested.add(counters);
    }

    /// Charges the work of a strategy's own solver context.
    pub fn charge_solver(&mut self, counters: &pessimum_solver::Counters) {
        self.nested_solver.add(counters);
    }

    /// Runs one path and accounts for it. If the path is much longer than the best, or was cut off by the end of the
    /// budget, its witness is run concretely.
    pub fn run(&mut self, start: &Start<'_>, decider: &mut dyn Decider, path: &mut Path) -> Outcome {
        let longest = self.longest.saturating_mul(LONG.0).max(LONG.1);
        let (limits, until) = (self.unasked_limits(), self.unasked());
        let mut decider = MindsLength { decider, longest, ticks: 0, limits, until, replayed: None };
        let outcome = self.kernel.run(start, &mut decider, path);
        if let Some((witness, replay, limits)) = decider.replayed {
            self.consider(&witness, &replay, limits);
        }
        match outcome {
            Outcome::Path(_) => {
                self.record();
            }
            Outcome::Stopped(_) => self.salvage(),
            _ => {}
        }
        self.kernel.meter.look(0);
        outcome
    }

    /// Accounts for the finished path in the kernel (after [`Kernel::advance`] said so). Returns whether it is the
    /// new best.
    pub fn record(&mut self) -> bool {
        let Some(path) = self.kernel.path() else { return false };
        *self.ends.entry(path.end).or_insert(0) += 1;
        if path.end == End::AssumptionViolated {
            return false;
        }
        Extremes::add_to(&mut self.extremes, path.costs);
        self.bests.see(path.costs, path.end);
        if let Some(visitor) = &mut self.visitor {
            visitor(&path);
        }
        if path.end.is_a_run()
            && let Some(goals) = &self.settings.goals
        {
            let decided = path.decisions.iter().map(|decision| (decision.site, decision.arm));
            // The same run again. If it met a limit, a concrete run might take long, so it gets tighter limits.
            let cut_off = matches!(path.end, End::Limit(_));
            let limits = if cut_off { self.unasked_limits() } else { *self.kernel.limits() };
            let end = (path.end, limits.instructions);
            if goals.see_path(path.witness, decided, self.kernel.concrete_arms(), end) && !goals.are_covered() {
                self.observe(path.witness, &limits, cut_off);
            }
        }
        let end = path.end;
        if !end.is_cut() {
            self.longest = self.longest.max(path.costs.steps());
        }
        // A path that did not fit into memory goes on, and its input shows how. What takes long in a symbolic run need not
        // take long by itself.
        let unfinished = matches!(end, End::Limit(Limit::SearchMemory | Limit::Time | Limit::Worker));
        let unfinished = unfinished.then(|| path.witness.clone());
        let kept = match end {
            End::Limit(Limit::Time | Limit::Budget | Limit::Worker) => Kept::No,
            _ => self.bests.keep(path.costs, end, Origin::Symbolic, |known| path.copy_to(known)),
        };
        self.count_path();
        self.announce(kept, end);
        if let Some(input) = unfinished {
            let until = match end {
                End::Limit(Limit::SearchMemory) => {
                    self.kernel.counters.dropped += 1;
                    self.unasked()
                }
                _ => self.kernel.meter.until(),
            };
            self.run_unasked(&input, &until);
        }
        kept == Kept::Best
    }

    /// Accounts for a concrete run within the search's own limits as one path, for strategies that run programs
    /// without the kernel. Which decisions it made is determined in [`Search::finish`], if it is the best one then.
    /// Returns whether it is the new best.
    pub fn record_replay(&mut self, input: &Witness, replay: &Replay) -> bool {
        let limits = *self.kernel.limits();
        self.count_replay(input, replay, limits)
    }

    /// Like [`Search::record_replay`], within other limits.
    pub fn count_replay(&mut self, input: &Witness, replay: &Replay, limits: PathLimits) -> bool {
        let counts = self.count_run(input, replay, &limits);
        counts && self.consider(input, replay, limits)
    }

    /// Like [`Search::count_replay`] for a run that is known to bring no goal closer, so that observing it can be saved.
    pub(crate) fn count_unobserved(&mut self, input: &Witness, replay: &Replay, limits: PathLimits) -> bool {
        let counts = self.count_run(input, replay, &limits);
        counts && replay.end.is_a_run() && self.keep_if_best(input, replay, limits)
    }

    /// Counts a concrete run. Returns whether the program accepts its input.
    fn count_run(&mut self, input: &Witness, replay: &Replay, limits: &PathLimits) -> bool {
        self.note_end(input, replay, limits);
        self.kernel.meter.steps += replay.costs.steps();
        if replay.end == End::AssumptionViolated {
            return false;
        }
        Extremes::add_to(&mut self.extremes, &replay.costs);
        self.bests.see(&replay.costs, replay.end);
        self.count_path();
        true
    }

    /// Keeps a concrete run if it is the best so far. It is not counted.
    fn consider(&mut self, input: &Witness, replay: &Replay, limits: PathLimits) -> bool {
        if !replay.end.is_a_run() {
            return false;
        }
        self.see_input(input, replay.end, limits);
        self.keep_if_best(input, replay, limits)
    }

    fn keep_if_best(&mut self, input: &Witness, replay: &Replay, limits: PathLimits) -> bool {
        // A mistake of a strategy must not become a result. Rarely asked: a search has few bests.
        let (costs, end, origin) = (&replay.costs, replay.end, Origin::Concrete(limits));
        let is_kept = self.bests.would_keep(costs, end, origin) || self.verified.would_keep(costs, end, origin);
        if is_kept && !self.is_permitted(input) {
            self.not_permitted.get_or_insert_with(|| input.clone());
            return false;
        }
        let copy = |path: &mut Path| {
            path.decisions.clear();
            path.costs = replay.costs;
            path.end = replay.end;
            path.witness.clone_from(input);
            path.origin = origin;
        };
        self.verified.keep(&replay.costs, replay.end, origin, copy);
        let kept = self.bests.keep(&replay.costs, replay.end, origin, copy);
        self.announce(kept, replay.end);
        kept == Kept::Best
    }

    /// As long as a goal is open, a concrete run is repeated to be observed.
    fn see_input(&mut self, input: &Witness, end: End, limits: PathLimits) {
        if self.settings.goals.as_ref().is_some_and(|goals| !goals.are_covered()) {
            self.observe(input, &limits, end.is_cut());
            self.stop_if_covered();
        }
    }

    /// Observes a run for the goals. One that was cut off may not take more than other runs that nobody asked for: what it has
    /// reached until then counts.
    fn observe(&self, input: &Witness, limits: &PathLimits, is_cut: bool) {
        if let Some(goals) = &self.settings.goals {
            let until = if is_cut { self.unasked() } else { self.kernel.meter.until() };
            self.observe_while(goals, input, limits, &until);
        }
    }

    /// Observes a run up to the end of the budget, and takes it into an archive.
    pub fn observe_into(&self, goals: &Goals, input: &Witness, limits: &PathLimits) -> Observation {
        self.observe_while(goals, input, limits, &self.kernel.meter.until())
    }

    fn observe_while(&self, goals: &Goals, input: &Witness, limits: &PathLimits, until: &Until) -> Observation {
        let (seen, limits) = self.kernel.program().observe_while(input, limits, &mut || until.go_on());
        goals.see_run(input, &seen, limits.instructions);
        seen
    }

    /// Counts one path, or an execution that came to no end where a strategy counts those, too.
    pub(crate) fn count_path(&mut self) {
        self.kernel.meter.add_path();
        self.settings.watch.path();
        // Concrete runs may be short, so the clock is not checked after each of them.
        if self.kernel.meter.paths.is_multiple_of(16) {
            self.report_solver(REPORT_EVERY);
        }
        if self.settings.target.is_some() && self.settings.watch.best_cost() >= self.settings.target {
            self.kernel.meter.stop(Stop::Reached);
        }
        self.stop_if_covered();
    }

    /// Tells the watch of a new best, or of a new best among the runs that ended otherwise.
    fn announce(&mut self, kept: Kept, end: End) {
        let Some(path) = self.bests.of(end).filter(|_| kept != Kept::No) else { return };
        let cost = self.cost.of(&path.costs);
        let standing = match self.settings.ends.wants(end) {
            Some(true) if self.bests.is_endless(end, path.origin) => Standing::Endless,
            Some(true) => Standing::Wanted,
            _ => Standing::Fallback,
        };
        // For strategies, one that was cut off is never the best; for whoever watches, it may be.
        if kept == Kept::Other && !(end.is_cut() && standing > Standing::Fallback) {
            self.settings.watch.found_other(cost, path);
            return;
        }
        self.settings.watch.found(standing, cost, path);
        if self.settings.target.is_some_and(|target| cost >= target) {
            self.kernel.meter.stop(Stop::Reached);
        }
    }

    /// Tells the watch how long the solver took, if the last report is at least this old.
    fn report_solver(&mut self, age: Duration) {
        let elapsed = self.kernel.meter.elapsed();
        if elapsed >= self.reported.0 + age {
            let counters = self.kernel.context().counters();
            let time: Duration = LayerName::ALL.iter().map(|&layer| counters.layer(layer).time).sum();
            self.settings.watch.solver(time.saturating_sub(self.reported.1));
            self.reported = (elapsed, time);
        }
    }

    /// Notes that paths were left out on purpose (a policy, a depth limit), so the search cannot be complete.
    pub fn mark_incomplete(&mut self) {
        self.incomplete = true;
    }

    /// Takes in what another worker of the same search did. Its improvements are in the common record already.
    pub fn join(&mut self, worker: SearchResult) {
        self.charge(&worker);
        self.salvaged |= worker.cut_off;
        if let (Some(mine), Some(theirs)) = (&self.settings.goals, &worker.goals) {
            mine.join(theirs);
            self.stop_if_covered();
        }
        for (end, count) in worker.ends {
            *self.ends.entry(end).or_insert(0) += count;
        }
        if let Some(theirs) = worker.extremes {
            Extremes::add_to(&mut self.extremes, &theirs.least);
            Extremes::add_to(&mut self.extremes, &theirs.greatest);
        }
        self.bests.join(worker.bests);
        self.verified.join(worker.verified);
    }

    /// Ends the search: replays the best input and puts the result together. `finished` says whether the strategy
    /// saw every path that it could reach; the result is complete only if nothing was given up or cut off either.
    pub fn finish(mut self, finished: Finished) -> SearchResult {
        if self.bests.is_empty() && !self.settings.watch.is_nested() {
            // Better than nothing, which is what a search without a single path would return.
            let until = verify::half_of_the_rest(self.kernel.meter.overtime(), &self.settings.cancel);
            self.run_any_input(&until);
        }
        let (program, settings) = (self.kernel.program(), self.settings.clone());
        let overtime = self.kernel.meter.overtime();
        let mut result = self.finish_worker(finished);
        verify::verify(program, &settings, overtime, &mut result);
        result.check_completeness();
        verify::excuse(program, &settings.limits, &mut result.defects);
        // Of a program that depends on more than its input nothing is certain.
        result.complete &= !result.defects.iter().any(|defect| matches!(defect, Defect::Unsteady { .. }));
        result
    }

    /// Like [`Search::finish`] without the replay, for a worker whose result another search takes in: that search
    /// replays the best input of all.
    pub fn finish_worker(mut self, finished: Finished) -> SearchResult {
        let stop = self.kernel.meter.stopped().unwrap_or(Stop::Finished);
        let mut counters = self.kernel.counters;
        let limits = self.ends.keys().any(|end| matches!(end, End::Limit(_) | End::Unsupported));
        let saw_all_paths = finished == Finished::Everything
            && !self.incomplete
            && counters.are_exact()
            && counters.unsupported == 0
            && !limits;
        counters.add(&self.nested);
        let mut solver = self.kernel.context().counters().clone();
        solver.add(&self.nested_solver);
        let elapsed = self.kernel.meter.elapsed();
        self.report_solver(Duration::ZERO);
        if let Some(goals) = &self.settings.goals {
            goals.give_up(self.kernel.given_up().iter().copied());
        }
        SearchResult {
            cost: self.cost,
            best: None,
            endless: false,
            ended: None,
            other: None,
            bests: self.bests,
            verified: self.verified,
            goals: self.settings.goals.clone(),
            paths: self.kernel.meter.paths,
            steps: self.kernel.meter.steps,
            ends: self.ends,
            extremes: self.extremes,
            counters,
            solver,
            progress: self.settings.watch.progress(),
            stop: if finished == Finished::Everything { Stop::Finished } else { stop },
            complete: saw_all_paths || self.every_input.is_some(),
            every_input: self.every_input,
            cut_off: self.salvaged,
            defects: self.not_permitted.map(Defect::NotPermitted).into_iter().collect(),
            elapsed,
        }
    }
}

/// Passes decisions on. When a run has become very long, runs its witness concretely, once. If that does not end either, the
/// run is not followed any further: each of its decisions may take long, and there may be no last one.
struct MindsLength<'d> {
    decider: &'d mut dyn Decider,
    /// Instructions beyond which a run is very long.
    longest: u64,
    ticks: u32,
    limits: PathLimits,
    until: Until,
    replayed: Option<(Witness, Replay, PathLimits)>,
}

impl Decider for MindsLength<'_> {
    fn decide(&mut self, point: &mut Point<'_, '_>) -> Choice {
        self.ticks += 1;
        if self.ticks.is_multiple_of(LENGTH_EVERY) && self.replayed.is_none() && point.costs().steps() > self.longest {
            let (kernel, until) = (point.kernel(), &self.until);
            let witness = kernel.context().witness().clone();
            let (replay, limits) = kernel.program().run_concrete(&witness, &self.limits, &mut || until.go_on());
            self.replayed = Some((witness, replay, limits));
            if replay.end.is_cut() {
                return Choice::Abandon;
            }
        }
        self.decider.decide(point)
    }
}
