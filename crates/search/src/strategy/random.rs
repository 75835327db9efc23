//! Random paths: at each decision uniform over the feasible arms (Algorithm 3 of "Facilitating program performance
//! profiling via evolutionary symbolic execution", the ESE paper).

use super::{Declaration, Strategy};
use crate::decider::RandomFeasible;
use crate::kernel::{Outcome, Start};
use crate::path::Path;
use crate::program::End;
use crate::search::{Finished, Search};

/// What the command line knows of it.
pub const DECLARATION: Declaration = Declaration {
    name: "random",
    summary: "random paths, at each branch one of the sides that are possible",
    citation: Some("Aquino, Denaro, Salza, STVR, Algorithm 3"),
    options: &[],
    learns: false,
    counts_paths: false,
    make: |_| Ok(Box::<RandomPaths>::default()),
};

/// Samples paths until the budget ends. Uniform over decisions, not over paths; duplicates are not looked for.
#[derive(Clone, Copy, Debug)]
pub struct RandomPaths {
    /// How many values of a value decision are enumerated before one of them is drawn.
    pub values: usize,
    /// Gives up after so many runs in a row that gave no path (a budget of paths alone would never end then).
    pub fruitless: u64,
}

impl Default for RandomPaths {
    fn default() -> RandomPaths {
        RandomPaths { values: 16, fruitless: 10_000 }
    }
}

impl Strategy for RandomPaths {
    fn search(&mut self, search: &mut Search<'_>) -> Finished {
        let keep_terms = std::mem::replace(&mut search.kernel.keep_terms, false);
        let finished = self.sample(search);
        search.kernel.keep_terms = keep_terms;
        finished
    }
}

impl RandomPaths {
    fn sample(&self, search: &mut Search<'_>) -> Finished {
        let mut random = search.random.split();
        let mut path = Path::default();
        let mut fruitless = 0;
        let first = search.random_witness();
        let mut witness = Some(&first);
        while search.stop().is_none() && fruitless < self.fruitless {
            let start = Start { witness: witness.take(), ..Start::default() };
            let mut decider = RandomFeasible::new(&mut random, self.values);
            match search.run(&start, &mut decider, &mut path) {
                // A path without decisions is the only one.
                Outcome::Path(_) if path.decisions.is_empty() => return Finished::Everything,
                Outcome::Path(End::AssumptionViolated) | Outcome::GivenUp(_) => fruitless += 1,
                Outcome::Path(_) => fruitless = 0,
                Outcome::Conflict(_) => return Finished::Everything,
                Outcome::Stopped(_) | Outcome::Infeasible(_) | Outcome::Abandoned => return Finished::Partly,
            }
        }
        Finished::Partly
    }
}
