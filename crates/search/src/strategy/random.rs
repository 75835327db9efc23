//! Random paths, uniform over the feasible arms at each decision (Algorithm 3 of "Facilitating program performance
//! profiling via evolutionary symbolic execution", the ESE paper).

use super::{Declaration, Purpose, Strategy};
use crate::decider::RandomFeasible;
use crate::kernel::Start;
use crate::sample::{Over, Sampled, Sampler, Sampling};
use crate::search::{Finished, Search};

/// What the command line knows of it.
pub const DECLARATION: Declaration = Declaration {
    name: "random",
    summary: "random paths, taking one of the possible sides at each branch",
    citation: Some("Aquino, Denaro, Salza, STVR, Algorithm 3"),
    options: &[],
    learns: false,
    purpose: Purpose::Either,
    counts_paths: false,
    make: |_| Ok(Box::<RandomPaths>::default()),
};

/// Samples paths until the budget ends, uniformly over arms rather than over paths. Duplicates are not detected.
#[derive(Clone, Copy, Debug)]
pub struct RandomPaths {
    /// How many values of a value decision are enumerated before one of them is drawn.
    pub values: usize,
    /// Runs in a row without a path after which it gives up (a budget of paths alone would never be spent then).
    pub fruitless: u64,
}

impl Default for RandomPaths {
    fn default() -> RandomPaths {
        RandomPaths { values: 16, fruitless: 10_000 }
    }
}

impl Strategy for RandomPaths {
    fn search(&mut self, search: &mut Search<'_>) -> Finished {
        search.sample(Sampling { keep_terms: false, fruitless: self.fruitless }, |sampler| self.sample(sampler))
    }
}

impl RandomPaths {
    fn sample(&self, sampler: &mut Sampler<'_, '_>) -> Result<Finished, Over> {
        let mut random = sampler.search.random.split();
        let first = sampler.search.random_witness();
        let mut witness = Some(&first);
        while sampler.search.stop().is_none() {
            let start = Start { witness: witness.take(), ..Start::default() };
            match sampler.run(&start, &mut RandomFeasible::new(&mut random, self.values))? {
                // A path without decisions is the only one.
                Sampled::Path(_) if sampler.path.decisions.is_empty() => return Ok(Finished::Everything),
                Sampled::Conflict(_) => return Ok(Finished::Everything),
                Sampled::Path(_) | Sampled::Nothing => {}
            }
        }
        Ok(Finished::Partly)
    }
}
