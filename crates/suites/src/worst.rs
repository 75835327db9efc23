//! The sequence of calls that costs most, in all or in its last call.
//!
//! Sequences are changed as those of suites are ([`changes`]): calls inserted, removed, repeated, spliced, the values of a
//! parameter over all calls of its function sorted, counted up, made equal or distinct, as `auto` does with an array. In between,
//! the program of the best sequences, whose calls are then fixed, is searched by `auto` itself.

use std::sync::Arc;
use std::time::Duration;

use pessimum_outcome::{CostModel, Costs, End, Ends};

use crate::auto::changes::{Change, changed, fresh, possible};
use crate::draw::{Drawer, Values};
use crate::library::{Call, Counted, Library, Test};
use crate::sequence::{Step, steps_of, test_of};
use crate::settings::{Listener, SuiteSettings};
use crate::trials::Trials;
use pessimum_search::budget::{Budget, Cancel, Stop};
use pessimum_search::program::{PathLimits, Program};
use pessimum_search::search::{Improvement, Search, Settings};
use pessimum_search::strategy::{self, Auto};

/// What a search for the costliest sequence is told.
#[derive(Clone, Debug)]
pub struct WorstCallsSettings {
    /// What is maximised. Default: instructions.
    pub cost: CostModel,
    /// Which calls count. Default: all of them.
    pub counted: Counted,
    /// Among which runs. Default: those that return, if there are any.
    pub ends: Ends,
    /// The most calls, those that make handles included, at least 1. Default 20.
    pub most_calls: usize,
    /// The greatest value for a size of an array. Default 16.
    pub most_size: u32,
    /// When to stop; `paths` are executions. Default: no limit, so give one.
    pub budget: Budget,
    /// Determines everything but times. Default 0.
    pub seed: u64,
    /// Limits of each execution. Default: those of paths.
    pub limits: PathLimits,
    /// The solver's settings. Default: all layers.
    pub solver: pessimum_solver::Settings,
    /// Ends the search from outside; what was found until then is the result.
    pub cancel: Cancel,
    /// The share of what is left of the budget that each search of the best sequence's values may take, from 0 (none is
    /// made) to 1. Default 0.15.
    pub values_share: f64,
    /// Who is told of improvements. Default: nobody.
    pub listener: Listener<Improvement>,
}

impl Default for WorstCallsSettings {
    fn default() -> WorstCallsSettings {
        WorstCallsSettings {
            cost: CostModel::default(),
            counted: Counted::default(),
            ends: Ends::default(),
            most_calls: 20,
            most_size: 16,
            budget: Budget::default(),
            seed: 0,
            limits: PathLimits::default(),
            solver: pessimum_solver::Settings::default(),
            cancel: Cancel::default(),
            values_share: 0.15,
            listener: Listener::default(),
        }
    }
}

/// The costliest sequence that was found.
#[derive(Clone, Debug)]
pub struct WorstCalls {
    /// The sequence and its numbers.
    pub test: Test,
    /// What was maximised.
    pub cost: u64,
    /// All costs of what counts.
    pub costs: Costs,
    /// How it ended.
    pub end: End,
    /// What each of the calls cost, where the library can tell, otherwise what the calls up to it cost. A call that
    /// crashed is the last one.
    pub calls: Vec<u64>,
    /// What random sequences of that many calls cost which ended as this one did, for comparison.
    pub random: Vec<u64>,
    /// Executions.
    pub runs: u64,
    /// Each improvement.
    pub progress: Vec<Improvement>,
    /// Why the search ended.
    pub stop: Stop,
    /// Its time.
    pub elapsed: Duration,
}

/// Random sequences of the full length, which also show what is usual.
const RANDOM: usize = 32;

/// Sequences that are changed.
const POPULATION: usize = 16;

/// Attempts without an improvement after which values are searched, beside as many as there were up to the last one.
const PATIENCE: u64 = 300;

/// Programs that are kept, because most changes are of values.
const PROGRAMS: usize = 16;

/// A sequence that was run.
#[derive(Clone, Debug)]
struct Ranked {
    /// Whether it ended as wanted, then the cost.
    rank: (bool, u64),
    costs: Costs,
    end: End,
    steps: Vec<Step>,
}

struct WorstSearch<'s, 'l> {
    settings: &'s WorstCallsSettings,
    trials: Trials<'l>,
    /// The costliest first.
    population: Vec<Ranked>,
    changes: Vec<Change>,
    programs: Vec<(Vec<Call>, Arc<dyn Program>)>,
    /// Ranks of random sequences of the full length.
    random: Vec<(bool, u64)>,
    /// The rank of the last sequence that ran.
    last: Option<(bool, u64)>,
    progress: Vec<Improvement>,
    attempts: u64,
    improved: u64,
}

/// Looks for the costliest sequence. None if nothing ran: no function can be called, or the library refuses every sequence.
///
/// The error is what the library refused first.
pub fn worst(library: &dyn Library, settings: &WorstCallsSettings) -> Result<WorstCalls, String> {
    let common = SuiteSettings {
        budget: settings.budget,
        seed: settings.seed,
        limits: settings.limits,
        solver: settings.solver.clone(),
        cancel: settings.cancel.clone(),
        most_calls: settings.most_calls.max(1),
        most_size: settings.most_size,
        most_grown_size: settings.most_size,
        ..SuiteSettings::default()
    };
    let mut trials = Trials::new(library, &common, 1, 1);
    trials.by_archive = false;
    let mut search = WorstSearch {
        settings,
        changes: possible(&trials),
        trials,
        population: Vec::new(),
        programs: Vec::new(),
        random: Vec::new(),
        last: None,
        progress: Vec::new(),
        attempts: 0,
        improved: 0,
    };
    search.begin();
    while search.trials.stop().is_none() && !search.population.is_empty() {
        if search.attempts > 2 * search.improved + PATIENCE {
            search.search_values();
            search.improved = search.attempts;
        }
        search.vary();
    }
    search.finish()
}

impl WorstSearch<'_, '_> {
    /// Each function as often as there is room, with values that are equal, count up, count down, or are drawn; then random
    /// sequences.
    fn begin(&mut self) {
        let most = self.trials.settings.most_calls;
        for function in self.trials.shapes.callable().to_vec() {
            for kind in 0..4 {
                let mut steps = Vec::new();
                let trials = &mut self.trials;
                let drawer = Drawer {
                    values: Values::Pooled(&trials.pool),
                    most_size: trials.settings.most_size,
                    most_calls: most,
                    reuse: 1.0,
                };
                while steps.len() < most
                    && drawer.append(&mut trials.shapes, &mut trials.random, &mut steps, function, &[])
                {
                }
                let mut counter = 0u64;
                for step in &mut steps {
                    let shape = self.trials.shapes.of(step.call.function, &step.call.sizes);
                    let Some(shape) = shape else { continue };
                    for (value, variable) in step.values.iter_mut().zip(shape.variables.iter()) {
                        *value = match kind {
                            0 => *value,
                            1 => variable.nearest(0),
                            2 => variable.nearest(counter),
                            _ => variable.nearest(most as u64 - counter.min(most as u64)),
                        };
                    }
                    counter += 1;
                }
                self.try_steps(steps);
            }
        }
        for _ in 0..RANDOM {
            let mut steps = fresh(&mut self.trials, most);
            steps.truncate(most);
            self.try_steps(steps);
            self.random.extend(self.last.take());
        }
        for _ in 0..POPULATION {
            let calls = 1 + self.trials.random.index(most);
            let steps = fresh(&mut self.trials, calls);
            self.try_steps(steps);
        }
    }

    fn program(&mut self, calls: &[Call]) -> Option<Arc<dyn Program>> {
        if let Some((_, program)) = self.programs.iter().find(|(known, _)| known == calls) {
            return Some(Arc::clone(program));
        }
        match self.trials.library().program_counting(calls, self.settings.counted) {
            Ok(program) => {
                let program: Arc<dyn Program> = program.into();
                if self.programs.len() >= PROGRAMS {
                    self.programs.remove(0);
                }
                self.programs.push((calls.to_vec(), Arc::clone(&program)));
                Some(program)
            }
            Err(why) => {
                self.trials.refuse(why);
                None
            }
        }
    }

    /// Runs a sequence and takes it in. Returns whether it is the new best.
    fn try_steps(&mut self, steps: Vec<Step>) -> bool {
        if steps.is_empty() || self.trials.stop().is_some() {
            return false;
        }
        let (steps, test) = self.trials.repaired(steps);
        let Some(program) = self.program(&test.calls) else { return false };
        let until = self.trials.meter.until();
        let (replay, _) = program.run_concrete(&test.input, &self.settings.limits, &mut || until.go_on());
        self.trials.meter.add_path();
        self.trials.meter.steps += replay.costs.instructions;
        self.take_in(steps, replay.costs, replay.end)
    }

    fn take_in(&mut self, steps: Vec<Step>, costs: Costs, end: End) -> bool {
        let Some(wanted) = self.settings.ends.wants(end).filter(|_| end.is_a_run()) else { return false };
        let rank = (wanted, self.settings.cost.of(&costs));
        self.last = Some(rank);
        let best = self.population.first().map(|best| best.rank);
        if best.is_none_or(|best| rank > best) {
            self.improved = self.attempts;
            let improvement = Improvement {
                seconds: self.trials.meter.elapsed().as_secs_f64(),
                paths: self.trials.meter.paths,
                cost: rank.1,
            };
            if best.is_some_and(|best| !best.0 && wanted) {
                // The costs so far are of another kind.
                self.progress.clear();
            }
            self.progress.push(improvement);
            self.settings.listener.tell(&improvement);
        }
        let new = Ranked { rank, costs, end, steps };
        // Equals come first, so that there is drift; of equal skeletons only the best stays.
        let calls = |ranked: &Ranked| -> Vec<usize> { ranked.steps.iter().map(|step| step.call.function).collect() };
        if let Some(same) = self.population.iter().position(|known| calls(known) == calls(&new)) {
            if self.population[same].rank > new.rank {
                return false;
            }
            self.population.remove(same);
        }
        let place = self.population.partition_point(|known| known.rank > new.rank);
        self.population.insert(place, new);
        self.population.truncate(POPULATION);
        best.is_none_or(|best| rank > best)
    }

    /// Changes a sequence of the population once or more. The best one as often as all others together.
    fn vary(&mut self) {
        self.attempts += 1;
        let count = self.population.len();
        let draw = |trials: &mut Trials<'_>| if trials.random.coin() { 0 } else { trials.random.index(count) };
        let (parent, mate) = (draw(&mut self.trials), draw(&mut self.trials));
        let (mut steps, mate) = (self.population[parent].steps.clone(), self.population[mate].steps.clone());
        loop {
            let change = self.changes[self.trials.random.index(self.changes.len())];
            steps = changed(&mut self.trials, change, &steps, &mate);
            if self.trials.random.coin() {
                break;
            }
        }
        if steps == self.population[parent].steps {
            return;
        }
        self.try_steps(steps);
    }

    /// Searches the values of one of the best sequences with `auto`.
    fn search_values(&mut self) {
        let share = self.settings.values_share.clamp(0.0, 1.0);
        let count = self.population.len().min(3);
        let index = if self.trials.random.coin() { 0 } else { self.trials.random.index(count) };
        let Some(ranked) = self.population.get(index).cloned() else { return };
        let test = test_of(&ranked.steps);
        if share == 0.0 || test.input.values().is_empty() {
            return;
        }
        let Some(program) = self.program(&test.calls) else { return };
        let left = self.trials.remaining();
        let part = |count: u64| (count as f64 * share) as u64;
        let settings = Settings {
            cost: self.settings.cost,
            ends: self.settings.ends,
            budget: Budget {
                paths: left.paths.map(|paths| part(paths).max(1)),
                steps: left.steps.map(part),
                time: left.time.map(|time| time.mul_f64(share)),
            },
            seed: self.trials.random.bits(),
            limits: self.settings.limits,
            solver: self.settings.solver.clone(),
            cancel: self.settings.cancel.clone(),
            starts: vec![test.input],
            ..Settings::default()
        };
        let mut auto = Auto { training: false, ..Auto::default() };
        let found = strategy::run(Search::new(&*program, settings), &mut auto);
        for _ in 0..found.paths {
            self.trials.meter.add_path();
        }
        self.trials.meter.steps += found.steps;
        if let Some(best) = found.best {
            let test = Test { calls: test.calls, input: best.witness };
            if let Some(steps) = steps_of(&mut self.trials.shapes, &test) {
                self.take_in(steps, best.costs, best.end);
            }
        }
    }

    /// What each call of the sequence costs by itself.
    fn calls(&self, steps: &[Step]) -> Vec<u64> {
        let library = self.trials.library();
        let cost = |count: usize| {
            let test = test_of(&steps[..count]);
            let program = library.program_counting(&test.calls, Counted::LastCall).ok()?;
            let replay = program.replay(&test.input, &self.settings.limits);
            Some((self.settings.cost.of(&replay.costs), replay.end))
        };
        let mut costs = Vec::with_capacity(steps.len());
        for count in 1..=steps.len() {
            let Some((cost, end)) = cost(count) else { break };
            costs.push(cost);
            if end != End::Returned {
                break;
            }
        }
        costs
    }

    fn finish(self) -> Result<WorstCalls, String> {
        let Some(best) = self.population.first() else {
            let none = "no function can be called: each needs a handle that no function returns".to_owned();
            return Err(self.trials.refusal.unwrap_or(none));
        };
        let test: Test = test_of(&best.steps);
        Ok(WorstCalls {
            cost: best.rank.1,
            costs: best.costs,
            end: best.end,
            calls: self.calls(&best.steps),
            test,
            random: self.random.iter().filter(|rank| rank.0 == best.rank.0).map(|rank| rank.1).collect(),
            runs: self.trials.meter.paths,
            progress: self.progress.clone(),
            stop: self.trials.meter.stopped().unwrap_or(Stop::Finished),
            elapsed: self.trials.meter.elapsed(),
        })
    }
}
