//! Our own strategy: policies evolved at the size of the search find the shape of a worst case, flip and repair on path
//! conditions refines it, changes to inputs help where conditions say little, and a bandit favours what pays off.
//!
//! Policies over sites and short histories are those of WISE (Burnim, Juvekar, Sen, ICSE 2009) and SPF-WCA (Luckow,
//! Kersten, Pasareanu, ICST 2017), made probabilistic and evolved by the cost of the path they make, not learnt from
//! exhaustive search. Refinement is the local search and crossover of ESE (Aquino, Denaro, Salza, ISSRE 2018) with
//! one change: conditions that conflict are skipped, where ESE throws the child away.
//!
//! After goals instead of a cost, it does something else: see [`cover`].
//!
//! [`operators`] propose, [`engine`] draws, runs, settles and credits; [`Auto::improve`] is the main loop.
//!
//! A walk over every path begins, with a small share of the budget, and settles small programs for certain. Then
//! changes of concrete inputs come first, until something symbolic finds new bests; only the best input is followed
//! symbolically, when an operator is about to need it. Operators are drawn by what they found for their price, which is
//! counted in paths where those are limited, otherwise in decisions, instructions, queries and propagations, never in
//! seconds. Where the size is one of a family, [`ladder`] does the same at 8, 16, ... first and carries inputs up.

mod archive;
mod balance;
pub(crate) mod bandit;
mod climb;
mod cover;
pub(crate) mod edits;
mod engine;
mod epochs;
mod history;
pub(crate) mod inputs;
mod islands;
mod ladder;
mod lessons;
mod lineages;
mod mend;
mod operators;
mod policy;
mod population;
mod runner;
mod settings;
#[cfg(test)]
mod testing;
mod training;
mod vary;
mod walk;

pub use lessons::{Lessons, SavedLessons};
pub use operators::Operator;
pub use settings::AutoSettings;

use super::{Carried, Declaration, OTHER_STRATEGY, OptionDeclaration, OptionKind, Purpose, Strategy, StrategyReport};
use crate::objective::Objective;
use crate::program::Program;
use crate::search::{Finished, Search};
use crate::watch::{OperatorUse, Phase};
use engine::Engine;
use epochs::Epochs;
use history::Schema;
use islands::Mail;
use pessimum_outcome::{CostModel, Ends};
use pessimum_term::Witness;
use policy::{Policy, Style};
use training::Training;

/// What the command line knows of it.
pub const DECLARATION: Declaration = Declaration {
    name: "auto",
    summary: "policies, path conditions and inputs evolved side by side; whatever pays off is used more",
    citation: None,
    options: &[THREADS],
    learns: false,
    purpose: Purpose::Either,
    counts_paths: false,
    make: |options| Ok(Box::new(Auto { threads: options.count(&THREADS)?, ..Auto::default() })),
};

const THREADS: OptionDeclaration = OptionDeclaration {
    name: "threads",
    value: "T",
    kind: OptionKind::Count { least: 1, most: 256 },
    default: Some("1"),
    neutral: Some("1"),
    help: "workers. With more than one, results depend on timing",
};

/// The strategy.
#[derive(Clone, Debug)]
pub struct Auto {
    /// Workers. With more than one, results depend on timing.
    pub threads: usize,
    /// Operators that are not used, to measure what each is worth.
    pub without: Vec<Operator>,
    /// Whether policies are evolved at a smaller size first, where there is a family.
    pub training: bool,
    /// What a search at another size taught; if there is anything, training is skipped.
    pub lessons: Lessons,
    /// The numbers that it works with.
    pub settings: AutoSettings,
    /// How the operators fared in the last search.
    pub used: Vec<OperatorUse>,
}

impl Default for Auto {
    fn default() -> Auto {
        Auto {
            threads: 1,
            without: Vec::new(),
            training: true,
            lessons: Lessons::default(),
            settings: AutoSettings::default(),
            used: Vec::new(),
        }
    }
}

impl Strategy for Auto {
    fn search(&mut self, search: &mut Search<'_>) -> Finished {
        if let Objective::Goals(goals) = search.objective() {
            let goals = goals.clone();
            let finished = cover::search(self, search, &goals);
            self.used = search.settings().watch.operators();
            return finished;
        }
        let mut engine = self.engine(search);
        let given = std::mem::take(&mut self.lessons);
        let finished = self.search_from(search, &mut engine, &given);
        self.lessons = if search.settings().carries_over { Lessons::of(self, search, &engine, given) } else { given };
        self.used = search.settings().watch.operators();
        finished
    }

    fn report(&self) -> StrategyReport {
        StrategyReport { operators: self.used.clone(), ..StrategyReport::default() }
    }

    fn learnt(&self, program: &dyn Program) -> Vec<String> {
        self.lessons.in_words(program)
    }

    fn takes_up_inputs(&self) -> bool {
        true
    }

    fn carried(&self, _: &dyn Program) -> Option<Carried> {
        (!self.lessons.is_empty()).then(|| Carried::Lessons(self.lessons.save()))
    }

    fn take_up(&mut self, carried: &Carried, _: &dyn Program) -> Result<(), String> {
        let Carried::Lessons(saved) = carried else { return Err(OTHER_STRATEGY.to_string()) };
        self.lessons = Lessons::load(saved)?;
        Ok(())
    }
}

impl Auto {
    /// The whole search, from the first concrete run on.
    fn search_from(&self, search: &mut Search<'_>, engine: &mut Engine, given: &Lessons) -> Finished {
        // Concrete runs need no solver, so there is a result whatever takes too long later. They are counted as paths
        // when they are followed.
        let mut inputs = self.first_inputs(search);
        let mut shortest = u64::MAX;
        for input in &inputs {
            if search.stop().is_none() {
                let (replay, limits) = search.replay(input);
                shortest = shortest.min(replay.costs.steps());
                search.offer(input, &replay, &limits);
            }
        }
        search.settings().watch.phase(Phase::EveryPath);
        // What a walk had to leave out may be worse than all that it saw.
        let walked = walk::every_path(search, &self.settings);
        if walked == Finished::Everything && search.kernel.counters.are_exact() {
            return walked;
        }
        if search.settings().ends == Ends::Trapped {
            search.settings().watch.phase(Phase::Searching);
            inputs.splice(..0, cover::crashes(self, search, shortest));
        }
        islands::search(self, search, engine, given, inputs);
        Finished::Partly
    }

    /// What each worker does: small sizes first, then the size of the search.
    fn work(
        &self,
        search: &mut Search<'_>,
        engine: &mut Engine,
        given: &Lessons,
        inputs: Vec<Witness>,
        mail: &mut Mail,
    ) {
        engine.vary_first(search);
        if self.training && given.is_empty() && !self.without.contains(&Operator::Archive) {
            ladder::climb(self, search, engine);
        }
        let mut policies = given.policies.clone();
        if self.training
            && given.is_empty()
            && let Some(training) = Training::plan(self, search)
        {
            policies = training.run(self, search);
            mail.teach(&policies);
        }
        search.settings().watch.phase(Phase::Searching);
        let inherited = given.inputs(search.kernel.program());
        if search.cost() != CostModel::Decisions {
            for input in &inherited {
                if search.stop().is_none() {
                    engine.try_input(search, input);
                }
            }
        }
        for input in &inherited {
            engine.offer_input(search, input);
        }
        self.begin(search, engine, &policies, inputs);
        self.improve(search, engine, mail);
    }

    fn engine(&self, search: &mut Search<'_>) -> Engine {
        Engine::new(search, &self.settings, |operator| !self.without.contains(&operator))
    }

    /// An input of zeros and random ones.
    fn first_inputs(&self, search: &mut Search<'_>) -> Vec<Witness> {
        let mut inputs = vec![Witness::default()];
        inputs.extend((0..self.settings.first_inputs).map(|_| search.random_witness()));
        inputs
    }

    /// The first paths of a worker: given policies, inputs, extreme policies, changed inputs. Each group ends early
    /// if paths are long or the solver is slow.
    fn begin(&self, search: &mut Search<'_>, engine: &mut Engine, policies: &[Policy], inputs: Vec<Witness>) {
        engine.limit_fruitless_queries(search);
        let mark = engine.mark(search);
        self.offer_policies(search, engine, policies.iter().cloned());
        for input in search.settings().starts.clone().into_iter().chain(inputs) {
            engine.offer_input(search, &input);
        }
        let extreme = Style::ALL.into_iter().flat_map(|style| {
            // Where no key has a rule of its own the schema makes no difference.
            let schemas = if style == Style::Corners { Schema::ALL.as_slice() } else { &Schema::ALL[..1] };
            schemas.iter().map(move |&schema| Policy::new(schema, style))
        });
        self.offer_policies(search, engine, extreme);
        engine.note_symbolic(search, mark);
        // After the policies, because on long paths a few climbs take as long as all of those.
        if !self.without.contains(&Operator::Concrete) {
            let until = engine.effort(search) + self.settings.first_effort;
            for _ in 0..self.settings.first_climbs {
                if search.stop().is_some() || engine.effort(search) > until {
                    break;
                }
                engine.use_operator(search, Operator::Concrete);
            }
        }
    }

    /// Runs policies until the effort for the first ones, or their share of the time, is spent.
    fn offer_policies(&self, search: &mut Search<'_>, engine: &mut Engine, policies: impl Iterator<Item = Policy>) {
        let until = engine.effort(search) + self.settings.first_effort;
        // One query may take a second, which effort does not show.
        let moment = search.kernel.meter.remaining().time.map(|left| left.mul_f64(self.settings.first_time_share));
        let moment = moment.map(|share| search.kernel.meter.elapsed() + share);
        for policy in policies {
            let late = engine.counts_time() && moment.is_some_and(|moment| search.kernel.meter.elapsed() > moment);
            if search.stop().is_some() || late || engine.effort(search) > until {
                break;
            }
            engine.offer_policy(search, policy);
        }
    }

    /// The main loop of a worker.
    fn improve(&self, search: &mut Search<'_>, engine: &mut Engine, mail: &mut Mail) {
        let mut epochs = Epochs::default();
        while search.stop().is_none() && engine.step(search) {
            epochs.step(search, engine);
            mail.exchange(self, search, engine);
        }
    }
}
