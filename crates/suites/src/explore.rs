//! Symbolic execution of one sequence: its program, an input that is followed, and decisions that are flipped.
//!
//! Given the calls, only numbers are open, each with a variable of its own, whether or not a test shares them between calls:
//! this is the expansion of Galeotti, Fraser and Arcuri (ISSRE 2013), section III-B.

use std::hash::{Hash as _, Hasher as _};
use std::rc::Rc;
use std::time::Duration;

use pessimum_solver::LayerName;
use pessimum_term::Witness;
use rustc_hash::FxHasher;

use crate::library::{Call, Test};
use crate::sequence::{Step, steps_of};
use crate::trials::Trials;
use pessimum_search::frontier::{Flip, Trail};
use pessimum_search::generation::{Generation, Passed};
use pessimum_search::kernel::Outcome;
use pessimum_search::program::Program;
use pessimum_search::search::{Search, Settings};
use pessimum_search::strategy::AutoSettings;
use pessimum_search::strategy::shared::Inputs;

/// Values of an address or a length, or arms of a large table, that are followed.
const VALUES: usize = 8;

/// A path that was followed.
pub struct Followed {
    /// Its arms and its input.
    pub trail: Rc<Trail>,
    /// The arms that it passed beyond the decision that was flipped.
    pub passed: Vec<Passed>,
    /// The test of this input; none if it is not one of the library.
    pub steps: Option<Vec<Step>>,
}

impl Followed {
    /// The flips of the first arms that it passed, each with the hash of its question: the calls, whose hash is given, the arms
    /// before and the arm. Values are no part of a question.
    pub fn flips(&self, calls: u64, most: usize) -> impl Iterator<Item = (Flip, u64)> {
        let mut hasher = FxHasher::default();
        calls.hash(&mut hasher);
        let mut arms = self.trail.arms.iter();
        let mut hashed = 0;
        self.passed.iter().take(most).map(move |passed| {
            for arm in arms.by_ref().take(passed.depth - hashed) {
                arm.0.hash(&mut hasher);
                hashed += 1;
            }
            let mut own = hasher.clone();
            (passed.depth, passed.arm.0).hash(&mut own);
            let trail = Rc::clone(&self.trail);
            (Flip { trail, depth: passed.depth, site: passed.site, arm: passed.arm }, own.finish())
        })
    }
}

/// The hash of calls without the values that they are passed.
pub fn hash_of_calls(calls: &[Call]) -> u64 {
    let mut hasher = FxHasher::default();
    calls.hash(&mut hasher);
    hasher.finish()
}

/// Why a flip gave no path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missed {
    /// No values make it.
    Refuted,
    /// The solver gave up, or the path is no run.
    Unknown,
}

/// Executes one sequence symbolically.
pub struct Explorer<'p> {
    search: Search<'p>,
    generation: Generation,
    calls: Vec<Call>,
    /// Paths, steps and work of the solver that were charged.
    charged: (u64, u64, u64),
}

/// Limits of the solver in one exploration.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Conflicts of one question.
    pub conflicts: u64,
    /// Gates of its circuits.
    pub gates: u32,
    /// Time of each slow layer of the solver for one question; none if it is not limited.
    pub time: Option<Duration>,
    /// How many decisions on addresses and lengths are asked for their other values, which takes the solver, beside the other
    /// arms of branches.
    pub addresses: u32,
    /// Until when, since the start of the search; none if only the budget limits it.
    pub until: Option<Duration>,
}

impl<'p> Explorer<'p> {
    /// For the program of these calls, within what is left of the budget.
    pub fn new(program: &'p dyn Program, calls: Vec<Call>, trials: &Trials<'_>, effort: Effort) -> Explorer<'p> {
        let mut budget = trials.remaining();
        if let Some(until) = effort.until {
            let own = until.saturating_sub(trials.meter.elapsed());
            budget.time = Some(budget.time.map_or(own, |left| left.min(own)));
        }
        let solver = &trials.settings.solver;
        let settings = Settings {
            budget,
            seed: trials.settings.seed,
            limits: trials.settings.limits,
            solver: pessimum_solver::Settings {
                variables: solver.variables.min(effort.gates),
                time_per_query: effort.time.or(solver.time_per_query),
                ..solver.clone()
            },
            cancel: trials.settings.cancel.clone(),
            ..Settings::default()
        };
        let mut search = Search::new(program, settings);
        search.kernel.set_conflicts(solver.conflicts.min(effort.conflicts));
        if trials.is_timed() {
            search.kernel.set_fruitless_share(AutoSettings::DEFAULT.fruitless_share);
        }
        search.kernel.keep_terms = false;
        let generation = Generation::asking(VALUES, effort.addresses);
        Explorer { search, generation, calls, charged: (0, 0, 0) }
    }

    /// Follows an input.
    pub fn follow(&mut self, trials: &mut Trials<'_>, input: &Witness) -> Option<Followed> {
        let outcome = self.generation.follow(&mut self.search, input, &mut |_| {});
        self.take_in(trials, &outcome)
    }

    /// Follows a path up to a decision, and another arm there, if some input does.
    pub fn flip(&mut self, trials: &mut Trials<'_>, flip: &Flip) -> Result<Followed, Missed> {
        trials.counters.flips += 1;
        let outcome = self.generation.run(&mut self.search, Some(flip), &mut |_| {});
        let mut missed = Missed::Unknown;
        match outcome {
            Outcome::Infeasible(_) | Outcome::Conflict(_) => {
                trials.counters.infeasible += 1;
                missed = Missed::Refuted;
            }
            Outcome::GivenUp(_) => trials.counters.given_up += 1,
            _ => {}
        }
        self.take_in(trials, &outcome).ok_or(missed)
    }

    fn take_in(&mut self, trials: &mut Trials<'_>, outcome: &Outcome) -> Option<Followed> {
        let (paths, steps) = (self.search.kernel.meter.paths, self.search.kernel.meter.steps);
        for _ in self.charged.0..paths {
            trials.meter.add_path();
            trials.counters.symbolic += 1;
        }
        trials.meter.steps += steps - self.charged.1;
        let solver = self.search.kernel.context().counters();
        let work = LayerName::ALL.iter().map(|&layer| solver.layer(layer).work).sum();
        trials.work += work - self.charged.2;
        self.charged = (paths, steps, work);
        let Outcome::Path(end) = outcome else { return None };
        if !end.is_a_run() {
            return None;
        }
        self.gather(trials);
        let trail = self.generation.trail(&self.search);
        let test = Test { calls: self.calls.clone(), input: trail.witness.clone() };
        let steps = steps_of(&mut trials.shapes, &test);
        Some(Followed { trail, passed: self.generation.passed().to_vec(), steps })
    }

    /// Remembers constants and words that the path's decisions compare with.
    fn gather(&mut self, trials: &mut Trials<'_>) {
        let decisions = self.search.kernel.decisions().to_vec();
        let mut inputs = Inputs::of(Vec::new());
        std::mem::swap(&mut inputs.constants, &mut trials.pool.constants);
        std::mem::swap(&mut inputs.tokens, &mut trials.pool.tokens);
        let settings = AutoSettings::DEFAULT;
        let mut random = trials.random.split();
        let arena = self.search.kernel.arena();
        inputs.gather_constants(arena, &decisions, &settings, &mut random);
        inputs.gather_tokens(arena, &decisions, &settings, &mut random);
        std::mem::swap(&mut inputs.constants, &mut trials.pool.constants);
        std::mem::swap(&mut inputs.tokens, &mut trials.pool.tokens);
    }
}
