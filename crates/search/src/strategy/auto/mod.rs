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
mod history;
mod policy;
mod population;

use super::{AllArms, ArmOrder, Strategy};
use crate::kernel::{Kernel, Point, Start};
use crate::program::Arm;
use crate::random::Random;
use crate::search::{Finished, Search};
use crate::walk::{Walker, walk};
use engine::Engine;
use history::Schema;
use policy::{Policy, Style};
use std::time::Duration;

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
}

/// The strategy's settings.
#[derive(Clone, Debug)]
pub struct Auto {
    /// Members of the population. Long paths get fewer, to bound memory.
    pub population: usize,
    /// Lineages of policies.
    pub lineages: usize,
    /// Operators that are not used, to measure what each is worth.
    pub without: Vec<Operator>,
    /// Paths that an exhaustive walk may take at first; 0 for none.
    pub walk_paths: u64,
}

impl Default for Auto {
    fn default() -> Auto {
        Auto { population: 8, lineages: 10, without: Vec::new(), walk_paths: 2000 }
    }
}

impl Strategy for Auto {
    fn search(&mut self, search: &mut Search<'_>) -> Finished {
        search.kernel.keep_terms = true;
        let open = |operator| !self.without.contains(&operator);
        let mut engine = Engine::new(search.kernel.program().variables(), self.population, self.lineages, open);
        if self.begin(search, &mut engine) == Finished::Everything {
            return Finished::Everything;
        }
        while search.stop().is_none() && engine.step(search) {}
        Finished::Partly
    }
}

impl Auto {
    /// The first paths: extreme policies, and every path if there are few.
    fn begin(&mut self, search: &mut Search<'_>, engine: &mut Engine) -> Finished {
        for (number, style) in Style::ALL.into_iter().enumerate() {
            for (schema_number, schema) in Schema::ALL.into_iter().enumerate() {
                // Where no key has a rule of its own the schema makes no difference.
                if schema_number > 0 && style != Style::Corners {
                    continue;
                }
                if search.stop().is_some() {
                    return Finished::Partly;
                }
                engine.try_policy(search, Policy::new(schema, style));
                if number == 0 && self.walk(search, engine) == Finished::Everything {
                    return Finished::Everything;
                }
            }
        }
        Finished::Partly
    }

    /// Visits every path, if that takes no more than a small share of the budget.
    fn walk(&self, search: &mut Search<'_>, engine: &mut Engine) -> Finished {
        if engine.child.decisions.len() > LONGEST_WALK || self.walk_paths == 0 {
            return Finished::Partly;
        }
        let remaining = search.kernel.meter.remaining();
        let paths = remaining.paths.map_or(self.walk_paths, |paths| self.walk_paths.min(paths / 20));
        let until = remaining.time.map(|time| search.kernel.meter.elapsed() + time.mul_f64(WALK_SHARE));
        let mut walker = FewPaths {
            until,
            all: AllArms::new(ArmOrder::TrueFirst, Random::new(0), WALK_VALUES),
            left: paths,
            spent: false,
        };
        let finished = walk(search, &Start::default(), &mut walker);
        // The walk released the terms of the first path.
        engine.population.members.clear();
        if walker.spent { Finished::Partly } else { finished }
    }
}

/// Decisions of the first path beyond which an exhaustive walk is not tried.
const LONGEST_WALK: usize = 200;

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
        if self.left == 0 || late {
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
