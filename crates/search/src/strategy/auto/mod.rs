//! Our own strategy: policy evolution at the target size finds the shape of a worst case, flip-and-repair on path
//! conditions refines it, concrete changes help where conditions say little, and a bandit follows what pays.
//!
//! Policies over sites and short histories are those of WISE (Burnim, Juvekar, Sen, ICSE 2009) and SPF-WCA (Luckow,
//! Kersten, Pasareanu, ICST 2017), made probabilistic and evolved by the cost of the path they make, not learnt from
//! exhaustive search. Refinement is the local search and crossover of ESE (Aquino, Denaro, Salza, ICECCS 2018) with
//! one change: conditions that conflict are skipped, where ESE throws the child away.

mod bandit;
mod concrete;
mod engine;
mod epochs;
mod history;
mod islands;
mod lessons;
mod policy;
mod population;
mod training;

use super::{AllArms, ArmOrder, Declaration, OptionDeclaration, OptionKind, Strategy};
use crate::kernel::{Kernel, Point, Start};
use crate::program::Arm;
use crate::random::Random;
use crate::search::{Finished, Search};
use crate::walk::{Walker, walk};
use crate::watch::Phase;
use engine::Engine;
use history::Schema;
pub use lessons::Lessons;
use pessimum_term::Witness;
use policy::{Policy, Style};
use std::time::Duration;
use training::Training;

/// What the command line knows of it.
pub const DECLARATION: Declaration = Declaration {
    name: "auto",
    summary: "policies, path conditions and inputs evolved side by side; whatever pays is used more",
    citation: None,
    options: &[THREADS],
    learns: false,
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

/// A way to make a new path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// Change a few rules of a policy.
    Policy,
    /// Write down the policy that a good path followed, and run it.
    Extract,
    /// Negate one condition, repair the rest.
    Flip,
    /// Negate a run of conditions, or every second or third of it, repair the rest.
    FlipBlock,
    /// The head of one path and the tail of another, repaired.
    Cross,
    /// The head of a path, then a policy.
    Tail,
    /// Another arm at one decision, then the old arms where they fit.
    Turn,
    /// Change the input itself.
    Concrete,
}

impl Operator {
    /// All of them.
    pub const ALL: [Operator; 8] = [
        Operator::Policy,
        Operator::Extract,
        Operator::Flip,
        Operator::FlipBlock,
        Operator::Cross,
        Operator::Tail,
        Operator::Turn,
        Operator::Concrete,
    ];

    /// For people who watch.
    pub fn name(self) -> &'static str {
        match self {
            Operator::Policy => "policy",
            Operator::Extract => "extract",
            Operator::Flip => "flip",
            Operator::FlipBlock => "flip block",
            Operator::Cross => "cross",
            Operator::Tail => "tail",
            Operator::Turn => "turn",
            Operator::Concrete => "concrete",
        }
    }
}

/// The strategy's settings.
#[derive(Clone, Debug)]
pub struct Auto {
    /// Workers. More than one makes runs depend on timing.
    pub threads: usize,
    /// Members of the population. Long paths get fewer, to bound memory.
    pub population: usize,
    /// Lineages of policies.
    pub lineages: usize,
    /// Operators that are not used, to measure what each is worth.
    pub without: Vec<Operator>,
    /// Paths that an exhaustive walk may take at first; 0 for none.
    pub walk_paths: u64,
    /// Whether policies are evolved at a smaller size first, where there is a family.
    pub training: bool,
    /// What a search at a smaller size taught; then there is no training.
    pub lessons: Lessons,
}

impl Default for Auto {
    fn default() -> Auto {
        Auto {
            threads: 1,
            population: 8,
            lineages: 10,
            without: Vec::new(),
            walk_paths: 2000,
            training: true,
            lessons: Lessons::default(),
        }
    }
}

impl Strategy for Auto {
    fn search(&mut self, search: &mut Search<'_>) -> Finished {
        search.kernel.keep_terms = true;
        let mut engine = self.engine(search);
        let given = std::mem::take(&mut self.lessons);
        let finished = self.search_from(search, &mut engine, &given);
        self.lessons =
            if search.settings().carries_over { Lessons::of(self, search, &mut engine, given) } else { given };
        finished
    }
}

impl Auto {
    fn search_from(&self, search: &mut Search<'_>, engine: &mut Engine, given: &Lessons) -> Finished {
        // First, so that a program with few paths is done without anything else, and each of them counted once.
        search.settings().watch.phase(Phase::EveryPath);
        if self.walk(search) == Finished::Everything {
            return Finished::Everything;
        }
        let mut policies = given.policies.clone();
        if self.training
            && given.is_empty()
            && let Some(training) = Training::plan(search)
        {
            policies = training.run(self, search);
        }
        if let Some(policy) = policies.first() {
            engine.try_policy(search, policy.clone());
        }
        search.settings().watch.phase(Phase::Searching);
        for input in given.inputs(search.kernel.program()) {
            engine.offer_input(search, &input);
        }
        self.first_policies(search, engine, &policies);
        islands::search(self, search, engine, &policies);
        Finished::Partly
    }

    fn engine(&self, search: &mut Search<'_>) -> Engine {
        Engine::new(search, self.population, self.lineages, |operator| !self.without.contains(&operator))
    }

    /// The first paths: given policies, given inputs, extreme policies, changed inputs. Ends early where paths are long
    /// or the solver is slow.
    fn first_policies(&self, search: &mut Search<'_>, engine: &mut Engine, policies: &[Policy]) {
        search.kernel.set_conflicts(CONFLICTS);
        let until = engine.effort(search) + FIRST_EFFORT;
        for policy in policies {
            if search.stop().is_some() || engine.effort(search) > until {
                break;
            }
            engine.try_policy(search, policy.clone());
        }
        let mut inputs = search.settings().starts.clone();
        inputs.extend([Witness::default(), search.random_witness()]);
        for input in inputs {
            engine.offer_input(search, &input);
        }
        let until = engine.effort(search) + FIRST_EFFORT;
        'policies: for style in Style::ALL {
            for (number, schema) in Schema::ALL.into_iter().enumerate() {
                // Where no key has a rule of its own the schema makes no difference.
                if number > 0 && style != Style::Corners {
                    continue;
                }
                if search.stop().is_some() || engine.effort(search) > until {
                    break 'policies;
                }
                engine.try_policy(search, Policy::new(schema, style));
            }
        }
        // After the policies: on long paths a few concrete runs take as long as all of these.
        let until = engine.effort(search) + FIRST_EFFORT;
        if !self.without.contains(&Operator::Concrete) {
            for _ in 0..FIRST_CHANGES {
                if search.stop().is_some() || engine.effort(search) > until {
                    break;
                }
                engine.change_input(search);
            }
        }
    }

    /// Visits every path, if that takes no more than a small share of the budget.
    fn walk(&self, search: &mut Search<'_>) -> Finished {
        if self.walk_paths == 0 || search.stop().is_some() {
            return Finished::Partly;
        }
        let remaining = search.kernel.meter.remaining();
        let left = remaining.paths.map_or(self.walk_paths, |paths| self.walk_paths.min(paths / 20));
        let until = remaining.time.map(|time| search.kernel.meter.elapsed() + time.mul_f64(WALK_SHARE));
        let all = AllArms::new(ArmOrder::TrueFirst, Random::new(0), WALK_VALUES);
        let mut walker = FewPaths { all, left, until, spent: false };
        let finished = walk(search, &Start::default(), &mut walker);
        if walker.spent { Finished::Partly } else { finished }
    }
}

/// Conflicts per query: a path that needs more is left for another one.
const CONFLICTS: u64 = 2000;

/// Effort that the first policies may take together, and the first changes of inputs, in decisions.
const FIRST_EFFORT: u64 = 1_000_000;

/// Uses of the concrete operator at first.
const FIRST_CHANGES: u32 = 4;

/// Decisions of a path beyond which an exhaustive walk is not tried, or given up.
const LONGEST_WALK: usize = 100;

/// Share of the time that remains for the exhaustive walk.
const WALK_SHARE: f64 = 0.03;

/// Values of a value decision in an exhaustive walk.
const WALK_VALUES: usize = 64;

/// A walk over all arms that ends after so many paths.
struct FewPaths {
    all: AllArms,
    left: u64,
    /// Since the start of the search; none where time is not limited.
    until: Option<Duration>,
    spent: bool,
}

impl Walker for FewPaths {
    fn arms(&mut self, point: &mut Point<'_, '_>, arms: &mut Vec<Arm>) {
        let late = self.until.is_some_and(|until| point.kernel().meter.elapsed() >= until);
        if self.left == 0 || late || point.depth() > LONGEST_WALK {
            self.left = 0;
            self.spent = true;
            return;
        }
        self.all.arms(point, arms);
    }

    fn ended(&mut self, _: &Kernel<'_>) -> bool {
        if self.left == 0 {
            self.spent = true;
            return false;
        }
        self.left -= 1;
        true
    }
}
