//! One run of a generational search (Godefroid, Levin, Molnar, NDSS 2008): an earlier path up to one of its decisions, another
//! arm there, and from then on wherever the witness goes. The arms that it passes are the next generation.

use crate::decider::Choice;
use crate::frontier::{Flip, Trail};
use crate::kernel::{MOST_ARMS, Outcome, Point, Start};
use crate::path::Path;
use crate::program::{Arm, Kind, SiteId};
use crate::search::Search;
use pessimum_term::{TermId, Witness};
use std::rc::Rc;

/// An arm that a run could perhaps have taken, but did not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passed {
    /// The index of the decision.
    pub depth: usize,
    /// Its site.
    pub site: SiteId,
    /// The arm; perhaps infeasible.
    pub arm: Arm,
}

/// Makes the runs.
#[derive(Debug)]
pub struct Generation {
    /// How many values of a value decision are found at most; more are counted and make a search incomplete.
    values: usize,
    /// How many more decisions on addresses and lengths are asked for their other values; none if all are.
    addresses: Option<u32>,
    path: Path,
    passed: Vec<Passed>,
    arms: Vec<Arm>,
}

impl Generation {
    /// At most `values` values of a value decision become arms to follow.
    pub fn new(values: usize) -> Generation {
        Generation { values, addresses: None, path: Path::default(), passed: Vec::new(), arms: Vec::new() }
    }

    /// The same, but in all runs together only this many decisions on addresses, lengths and the like are asked for their other
    /// values: one run may come to thousands, and each takes the solver several times. After that, and from the beginning if
    /// there are none, an address is what it is for the input, as usual in concolic execution: a run asks the solver nothing
    /// unless it has a flip, and the input that it follows stays what it was.
    pub fn asking(values: usize, addresses: u32) -> Generation {
        Generation { addresses: Some(addresses), ..Generation::new(values) }
    }

    /// The arms that the last run passed beyond the decision that it flipped, in the order of decisions.
    pub fn passed(&self) -> &[Passed] {
        &self.passed
    }

    /// The last run as what open flips belong to.
    pub fn trail(&self, search: &Search<'_>) -> Rc<Trail> {
        let arms = search.kernel.decisions().iter().map(|decision| decision.arm).collect();
        Rc::new(Trail { arms, witness: search.kernel.context().witness().clone() })
    }

    /// Runs a flip, or the first path of all. `look` sees every decision before it is taken.
    pub fn run(
        &mut self,
        search: &mut Search<'_>,
        flip: Option<&Flip>,
        look: &mut dyn FnMut(&mut Point<'_, '_>),
    ) -> Outcome {
        self.run_within(search, flip, &[], look)
    }

    /// Like [`Generation::run`] for inputs that satisfy these conditions besides. The path is one of the program like any
    /// other; that there is none says nothing about other inputs.
    pub fn run_within(
        &mut self,
        search: &mut Search<'_>,
        flip: Option<&Flip>,
        precondition: &[TermId],
        look: &mut dyn FnMut(&mut Point<'_, '_>),
    ) -> Outcome {
        let witness = flip.map(|flip| &flip.trail.witness);
        self.go(search, flip, &Start { precondition, witness, repair: false }, look)
    }

    /// Follows an input, whose arms are all passed.
    pub fn follow(
        &mut self,
        search: &mut Search<'_>,
        input: &Witness,
        look: &mut dyn FnMut(&mut Point<'_, '_>),
    ) -> Outcome {
        self.go(search, None, &Start { witness: Some(input), ..Start::default() }, look)
    }

    fn go(
        &mut self,
        search: &mut Search<'_>,
        flip: Option<&Flip>,
        start: &Start<'_>,
        look: &mut dyn FnMut(&mut Point<'_, '_>),
    ) -> Outcome {
        self.passed.clear();
        let Generation { values, addresses, path, passed, arms } = self;
        let mut decider = |point: &mut Point<'_, '_>| {
            look(point);
            let depth = point.depth();
            if let Some(flip) = flip
                && depth <= flip.depth
            {
                return Choice::Require(if depth < flip.depth { flip.trail.arms[depth] } else { flip.arm });
            }
            if point.kind() == Kind::Value
                && let Some(left) = addresses
            {
                let Some(less) = left.checked_sub(1) else { return Choice::Follow };
                *left = less;
            }
            let site = point.site();
            let few = point.kind().arms().is_some_and(|count| count <= MOST_ARMS);
            if !few {
                point.enumerate(*values, arms);
            }
            let taken = point.witness_arm();
            let mut pass = |arm: Arm| passed.push(Passed { depth, site, arm });
            match point.kind() {
                Kind::Branch | Kind::Check => pass(Arm(1 - taken.0)),
                Kind::Table { targets, .. } if few => {
                    (0..=u64::from(targets)).map(Arm).filter(|&arm| arm != taken).for_each(pass);
                }
                Kind::Table { .. } | Kind::Value => arms.iter().copied().filter(|&arm| arm != taken).for_each(pass),
            }
            Choice::Follow
        };
        search.run(start, &mut decider, path)
    }
}
