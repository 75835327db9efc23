//! Deciders: what answers at a decision.

use crate::kernel::{Feasible, Kernel, MOST_ARMS};
use crate::path::Decision;
use crate::program::{Arm, Kind, SiteId};
use crate::random::Random;
use pessimum_outcome::Costs;
use pessimum_term::TermId;

/// An open decision, as a decider sees it.
pub struct Point<'k, 'p> {
    kernel: &'k mut Kernel<'p>,
}

impl<'k, 'p> Point<'k, 'p> {
    /// The open decision of a kernel.
    pub fn new(kernel: &'k mut Kernel<'p>) -> Point<'k, 'p> {
        Point { kernel }
    }

    /// Where.
    pub fn site(&self) -> SiteId {
        self.kernel.open().site
    }

    /// What sort of decision.
    pub fn kind(&self) -> Kind {
        self.kernel.open().kind
    }

    /// The call that decides.
    pub fn frame(&self) -> u32 {
        self.kernel.open().frame
    }

    /// What the outcome depends on.
    pub fn scrutinee(&self) -> TermId {
        self.kernel.open().scrutinee
    }

    /// Number of decisions before this one.
    pub fn depth(&self) -> usize {
        self.kernel.decisions().len()
    }

    /// The decisions before this one.
    pub fn decisions(&self) -> &[Decision] {
        self.kernel.decisions()
    }

    /// The arm that the witness takes: feasible for free.
    pub fn witness_arm(&mut self) -> Arm {
        self.kernel.witness_arm()
    }

    /// Asks about an arm; each arm costs one query at most.
    pub fn feasible(&mut self, arm: Arm) -> Feasible {
        self.kernel.feasible(arm)
    }

    /// Whether the arm is known to be feasible; if the solver gives up, the answer is no.
    pub fn is_feasible(&mut self, arm: Arm) -> bool {
        self.kernel.feasible(arm) == Feasible::Yes
    }

    /// See [`Kernel::enumerate`].
    pub fn enumerate(&mut self, limit: usize, arms: &mut Vec<Arm>) {
        self.kernel.enumerate(limit, arms);
    }

    /// What the run has cost so far.
    pub fn costs(&self) -> Costs {
        self.kernel.costs()
    }

    /// The arms taken at conditionals on concrete values so far, if the front end records them.
    pub fn concrete_arms(&self) -> Option<Vec<(SiteId, Arm)>> {
        self.kernel.concrete_arms()
    }

    /// The kernel.
    pub fn kernel(&mut self) -> &mut Kernel<'p> {
        self.kernel
    }
}

/// What a decider wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The witness's arm. Costs nothing.
    Follow,
    /// This arm if it is feasible, otherwise the witness's.
    Prefer(Arm),
    /// This arm or the end of the run ([`crate::kernel::Outcome::Infeasible`]).
    Require(Arm),
    /// Give up the run here.
    Abandon,
}

/// Answers at every decision of one run.
pub trait Decider {
    /// Chooses an arm. Everything known is available from `point`; only asking it about feasibility is expensive.
    fn decide(&mut self, point: &mut Point<'_, '_>) -> Choice;
}

impl<F: FnMut(&mut Point<'_, '_>) -> Choice> Decider for F {
    fn decide(&mut self, point: &mut Point<'_, '_>) -> Choice {
        self(point)
    }
}

/// Takes the witness's arm everywhere: the path of a given input, without a solver.
#[derive(Clone, Copy, Debug, Default)]
pub struct FollowWitness;

impl Decider for FollowWitness {
    fn decide(&mut self, _: &mut Point<'_, '_>) -> Choice {
        Choice::Follow
    }
}

/// Uniform over the feasible arms (ESE, Algorithm 3).
///
/// An arm is drawn first and asked about only if it is not the witness's; if it is infeasible, another one is drawn
/// from the rest. This gives the same distribution as collecting the feasible arms first, for half the queries.
pub struct RandomFeasible<'r> {
    random: &'r mut Random,
    /// At a value decision: how many values are enumerated before one of them is drawn.
    values: usize,
    arms: Vec<Arm>,
}

impl<'r> RandomFeasible<'r> {
    /// At most `values` values of a value decision are considered.
    pub fn new(random: &'r mut Random, values: usize) -> RandomFeasible<'r> {
        RandomFeasible { random, values, arms: Vec::new() }
    }
}

impl Decider for RandomFeasible<'_> {
    fn decide(&mut self, point: &mut Point<'_, '_>) -> Choice {
        match point.kind() {
            Kind::Branch | Kind::Check => Choice::Prefer(Arm(u64::from(self.random.coin()))),
            Kind::Table { targets, .. } if u64::from(targets) < MOST_ARMS => {
                self.arms.clear();
                self.arms.extend((0..=u64::from(targets)).map(Arm));
                let witness = point.witness_arm();
                loop {
                    let index = self.random.index(self.arms.len());
                    let arm = self.arms.swap_remove(index);
                    if arm == witness || point.is_feasible(arm) {
                        return Choice::Prefer(arm);
                    }
                    if point.kernel().is_late() {
                        return Choice::Follow;
                    }
                }
            }
            Kind::Table { .. } | Kind::Value => {
                point.enumerate(self.values, &mut self.arms);
                Choice::Prefer(self.arms[self.random.index(self.arms.len())])
            }
        }
    }
}

/// Takes the listed arms in order, then hands over.
pub struct FollowArms<'a, D> {
    arms: &'a [Arm],
    then: D,
}

impl<'a, D: Decider> FollowArms<'a, D> {
    /// The first `arms.len()` decisions are required; the rest are left to `then`.
    pub fn new(arms: &'a [Arm], then: D) -> FollowArms<'a, D> {
        FollowArms { arms, then }
    }
}

impl<D: Decider> Decider for FollowArms<'_, D> {
    fn decide(&mut self, point: &mut Point<'_, '_>) -> Choice {
        match self.arms.get(point.depth()) {
            Some(&arm) => Choice::Require(arm),
            None => self.then.decide(point),
        }
    }
}
