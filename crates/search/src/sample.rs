//! What sampling strategies have in common: one run after another, some of which yield no path, until the budget is
//! spent or no run yields a path any more.

use crate::decider::{Decider, FollowWitness};
use crate::kernel::{Outcome, Start};
use crate::path::Path;
use crate::search::{Finished, Search};
use pessimum_outcome::CostModel;
use pessimum_term::{TermId, Witness};

/// Share of the time that slow queries may take in vain, if nothing but time is limited: a path that follows its witness
/// instead is worth more than an answer that there is none.
pub(crate) const FRUITLESS_SHARE: f64 = 0.33;

/// How a strategy samples.
#[derive(Clone, Copy, Debug)]
pub struct Sampling {
    /// Whether conditions of earlier paths are used later; see [`crate::kernel::Kernel::keep_terms`].
    pub keep_terms: bool,
    /// Runs in a row without a path after which the strategy gives up: a budget of paths would never be spent then.
    pub fruitless: u64,
}

/// The search is over: the budget is spent or runs no longer yield paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Over;

/// What one run gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sampled {
    /// A path of this cost; it is in [`Sampler::path`].
    Path(u64),
    /// No path of the program.
    Nothing,
    /// No path, since these conditions contradict each other.
    Conflict(Vec<TermId>),
}

impl Sampled {
    /// The cost of the path, if it is one.
    pub fn cost(&self) -> Option<u64> {
        match self {
            Sampled::Path(cost) => Some(*cost),
            Sampled::Nothing | Sampled::Conflict(_) => None,
        }
    }
}

/// A search as a sampling strategy sees it.
pub struct Sampler<'s, 'p> {
    /// The search.
    pub search: &'s mut Search<'p>,
    /// The last path.
    pub path: Path,
    most_fruitless: u64,
    fruitless: u64,
}

impl<'p> Search<'p> {
    /// Samples until the body returns, or ends it with [`Over`].
    pub fn sample(
        &mut self,
        sampling: Sampling,
        body: impl FnOnce(&mut Sampler<'_, 'p>) -> Result<Finished, Over>,
    ) -> Finished {
        let keep_terms = std::mem::replace(&mut self.kernel.keep_terms, sampling.keep_terms);
        if self.settings().budget.is_time_alone() {
            self.kernel.set_fruitless_share(FRUITLESS_SHARE);
        }
        let most_fruitless = sampling.fruitless;
        let mut sampler = Sampler { search: &mut *self, path: Path::default(), most_fruitless, fruitless: 0 };
        let finished = body(&mut sampler).unwrap_or(Finished::Partly);
        self.kernel.keep_terms = keep_terms;
        finished
    }
}

impl Sampler<'_, '_> {
    /// The inputs to start from.
    pub fn starts(&self) -> Vec<Witness> {
        self.search.settings().starts.clone()
    }

    /// One symbolic run.
    pub fn run(&mut self, start: &Start<'_>, decider: &mut dyn Decider) -> Result<Sampled, Over> {
        let sampled = match self.search.run(start, decider, &mut self.path) {
            Outcome::Stopped(_) => return Err(Over),
            Outcome::Path(end) if end.is_a_run() => Sampled::Path(self.search.worth(&self.path.costs, end)),
            Outcome::Conflict(core) => Sampled::Conflict(core),
            Outcome::Path(_) | Outcome::GivenUp(_) | Outcome::Infeasible(_) | Outcome::Abandoned => Sampled::Nothing,
        };
        self.count(sampled.cost().is_some())?;
        Ok(sampled)
    }

    /// A symbolic run along an input.
    pub fn follow(&mut self, input: &Witness) -> Result<Option<u64>, Over> {
        let start = Start { witness: Some(input), ..Start::default() };
        self.run(&start, &mut FollowWitness).map(|sampled| sampled.cost())
    }

    /// The cost of an input, found in the quickest way: by a concrete run, unless that does not reveal the cost.
    pub fn try_input(&mut self, input: &Witness) -> Result<Option<u64>, Over> {
        if self.search.cost() == CostModel::Decisions {
            return self.follow(input);
        }
        let (replay, limits) = self.search.replay(input);
        self.search.count_replay(input, &replay, limits);
        let cost = replay.end.is_a_run().then(|| self.search.worth(&replay.costs, replay.end));
        self.count(cost.is_some())?;
        Ok(cost)
    }

    /// Counts an attempt that gave no run at all.
    pub fn fruitless(&mut self) -> Result<(), Over> {
        self.count(false)
    }

    fn count(&mut self, fruitful: bool) -> Result<(), Over> {
        self.fruitless = if fruitful { 0 } else { self.fruitless + 1 };
        let over = !fruitful && (self.fruitless >= self.most_fruitless || self.search.stop().is_some());
        if over { Err(Over) } else { Ok(()) }
    }
}
