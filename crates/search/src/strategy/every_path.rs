//! Every path, for `pessimum paths`. Where there are few inputs, each of them is followed, which asks the solver nothing;
//! otherwise the tree is walked.

use super::{AllArms, ArmOrder, Exhaustive, Order, Strategy};
use crate::decider::FollowWitness;
use crate::kernel::{Kernel, Outcome, Point, Start};
use crate::path::{Decision, Path};
use crate::program::Arm;
use crate::random::Random;
use crate::search::{Finished, Pace, Search};
use crate::walk::{Walker, walk};
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// Visits every path, each once.
#[derive(Clone, Copy, Debug)]
pub struct EveryPath {
    /// The steps that following all inputs may take if time is not limited, as in
    /// [`crate::search::Settings::every_input`].
    pub most_steps: u64,
}

impl Strategy for EveryPath {
    fn search(&mut self, search: &mut Search<'_>) -> Finished {
        let mut seen = Seen::default();
        let keep_terms = std::mem::replace(&mut search.kernel.keep_terms, false);
        let followed = follow_every_input(search, self.most_steps, &mut seen);
        search.kernel.keep_terms = keep_terms;
        if followed == Finished::Everything {
            return followed;
        }
        let all = AllArms::new(ArmOrder::TrueFirst, Random::new(0), Exhaustive::new(Order::Breadth).values);
        walk(search, &Start::default(), &mut NewPaths { all, seen })
    }
}

/// Follows each input. Paths that were seen when it has to stop are recorded.
fn follow_every_input(search: &mut Search<'_>, most_steps: u64, seen: &mut Seen) -> Finished {
    let Some(domain) = search.domain() else { return Finished::Partly };
    // As many paths as inputs are possible.
    if search.kernel.meter.remaining().paths.is_some_and(|most| most <= domain.count()) {
        return Finished::Partly;
    }
    let mut pace = Pace::of(search, &domain, most_steps);
    let mut path = Path::default();
    for input in domain.scattered() {
        if !search.kernel.permits(&input) {
            continue;
        }
        let before = search.kernel.meter.steps;
        let outcome =
            search.kernel.run(&Start { witness: Some(&input), ..Start::default() }, &mut FollowWitness, &mut path);
        match outcome {
            Outcome::Path(_) if seen.is_new(&path.decisions) => {
                search.record();
            }
            Outcome::Path(_) => {}
            Outcome::Stopped(_) => {
                search.salvage();
                return Finished::Partly;
            }
            _ => return Finished::Partly,
        }
        let steps = search.kernel.meter.steps - before;
        if search.stop().is_some() || !pace.goes_on(search, steps, path.decisions.len() as u64) {
            return Finished::Partly;
        }
    }
    Finished::Everything
}

/// The paths seen, each by 128 bits of a hash of its decisions.
#[derive(Default)]
struct Seen(HashSet<(u64, u64)>);

impl Seen {
    fn is_new(&mut self, decisions: &[Decision]) -> bool {
        self.0.insert(Seen::key(decisions))
    }

    fn key(decisions: &[Decision]) -> (u64, u64) {
        let hash = |seed: u64| {
            let mut hasher = DefaultHasher::new();
            seed.hash(&mut hasher);
            decisions.iter().for_each(|decision| (decision.site, decision.arm).hash(&mut hasher));
            hasher.finish()
        };
        (hash(0), hash(1))
    }
}

/// A walk over all arms that records no path twice.
struct NewPaths {
    all: AllArms,
    seen: Seen,
}

impl Walker for NewPaths {
    fn arms(&mut self, point: &mut Point<'_, '_>, arms: &mut Vec<Arm>) {
        self.all.arms(point, arms);
    }

    fn ended(&mut self, kernel: &Kernel<'_>) -> bool {
        self.seen.0.is_empty() || !self.seen.0.contains(&Seen::key(kernel.decisions()))
    }
}
