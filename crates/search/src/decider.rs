//! Deciders: what answers at a decision.

use crate::kernel::Point;
use crate::program::{Arm, Kind};
use crate::random::Random;

/// What a decider wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The witness's arm. Costs nothing.
    Follow,
    /// This arm if it is feasible, otherwise the witness's.
    Prefer(Arm),
    /// This arm or the end of the run ([`crate::kernel::Outcome::Infeasible`]).
    Require(Arm),
    /// Give the run up here.
    Abandon,
}

/// Answers at every decision of one run.
pub trait Decider {
    /// Which arm. Everything known is behind `point`; asking it for feasibility is what costs.
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
/// An arm is drawn first and asked about only if it is not the witness's; an infeasible one is drawn again without
/// it. This gives the same distribution as collecting the feasible arms first, for half the queries.
pub struct RandomFeasible<'r> {
    random: &'r mut Random,
    /// At a value decision: how many values are enumerated before one of them is drawn.
    values: usize,
    arms: Vec<Arm>,
}

impl<'r> RandomFeasible<'r> {
    /// Of value decisions at most `values` values are considered.
    pub fn new(random: &'r mut Random, values: usize) -> RandomFeasible<'r> {
        RandomFeasible { random, values, arms: Vec::new() }
    }
}

impl Decider for RandomFeasible<'_> {
    fn decide(&mut self, point: &mut Point<'_, '_>) -> Choice {
        match point.kind() {
            Kind::Branch | Kind::Check => Choice::Prefer(Arm(u64::from(self.random.coin()))),
            Kind::Table { targets, .. } => {
                self.arms.clear();
                self.arms.extend((0..=u64::from(targets)).map(Arm));
                let witness = point.witness_arm();
                loop {
                    let index = self.random.index(self.arms.len());
                    let arm = self.arms.swap_remove(index);
                    if arm == witness || point.is_feasible(arm) {
                        return Choice::Prefer(arm);
                    }
                }
            }
            Kind::Value => {
                point.enumerate(self.values, &mut self.arms);
                Choice::Prefer(self.arms[self.random.index(self.arms.len())])
            }
        }
    }
}

/// Takes the listed arms in order, then hands over.
pub struct Replay<'a, D> {
    arms: &'a [Arm],
    then: D,
}

impl<'a, D: Decider> Replay<'a, D> {
    /// The first `arms.len()` decisions are required, the rest is `then`'s.
    pub fn new(arms: &'a [Arm], then: D) -> Replay<'a, D> {
        Replay { arms, then }
    }
}

impl<D: Decider> Decider for Replay<'_, D> {
    fn decide(&mut self, point: &mut Point<'_, '_>) -> Choice {
        match self.arms.get(point.depth()) {
            Some(&arm) => Choice::Require(arm),
            None => self.then.decide(point),
        }
    }
}

/// A policy's arm where it has one and it is feasible; otherwise the fallback decides.
pub struct Prefer<P, D> {
    policy: P,
    otherwise: D,
}

impl<P: FnMut(&Point<'_, '_>) -> Option<Arm>, D: Decider> Prefer<P, D> {
    /// The policy sees the decision and the path so far.
    pub fn new(policy: P, otherwise: D) -> Prefer<P, D> {
        Prefer { policy, otherwise }
    }
}

impl<P: FnMut(&Point<'_, '_>) -> Option<Arm>, D: Decider> Decider for Prefer<P, D> {
    fn decide(&mut self, point: &mut Point<'_, '_>) -> Choice {
        match (self.policy)(point) {
            Some(arm) if point.witness_arm() == arm || point.is_feasible(arm) => Choice::Prefer(arm),
            _ => self.otherwise.decide(point),
        }
    }
}

/// Gives a run up at its `limit`-th decision.
pub struct DepthLimited<D> {
    limit: usize,
    inner: D,
    /// Whether the limit was met.
    pub hit: bool,
}

impl<D: Decider> DepthLimited<D> {
    /// Allows `limit` decisions.
    pub fn new(limit: usize, inner: D) -> DepthLimited<D> {
        DepthLimited { limit, inner, hit: false }
    }
}

impl<D: Decider> Decider for DepthLimited<D> {
    fn decide(&mut self, point: &mut Point<'_, '_>) -> Choice {
        if point.depth() >= self.limit {
            self.hit = true;
            return Choice::Abandon;
        }
        self.inner.decide(point)
    }
}
