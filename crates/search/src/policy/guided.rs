//! Guided generation: every path that a policy leaves open (WISE, Algorithm 3).

use super::{BranchPolicy, HistoryPolicy, LearntPolicy, Permission, PolicyPlan, Sites, speaks_about};
use crate::kernel::{Kernel, Point, Start};
use crate::program::Arm;
use crate::random::Random;
use crate::search::{Finished, Search};
use crate::walk::{ArmOrder, Walker, walk};
use pessimum_outcome::CostModel;
use std::time::Duration;

/// Follows the arms that a policy permits.
pub struct GuidedWalk<'a> {
    policy: &'a LearntPolicy,
    values: usize,
    order: ArmOrder,
    random: Random,
    lenient: bool,
    /// Paths given up because the policy permits no feasible arm.
    pub dead_ends: u64,
    /// Sides that the solver was asked about: not those that the witness takes, and each once.
    asked: u64,
}

impl<'a> GuidedWalk<'a> {
    /// Where the policy permits no feasible arm, a lenient walk follows every feasible one.
    pub fn new(policy: &'a LearntPolicy, plan: &PolicyPlan, random: Random, lenient: bool) -> GuidedWalk<'a> {
        GuidedWalk { policy, values: plan.values, order: plan.order, random, lenient, dead_ends: 0, asked: 0 }
    }
}

impl Walker for GuidedWalk<'_> {
    fn arms(&mut self, point: &mut Point<'_, '_>, arms: &mut Vec<Arm>) {
        let before = point.kernel().counters.queries;
        self.permitted_arms(point, arms);
        self.asked += point.kernel().counters.queries - before;
    }

    fn ended(&mut self, kernel: &Kernel<'_>) -> bool {
        let permitted = self.lenient || concrete_permitted(self.policy, kernel);
        self.dead_ends += u64::from(!permitted);
        permitted
    }
}

impl GuidedWalk<'_> {
    fn permitted_arms(&mut self, point: &mut Point<'_, '_>, arms: &mut Vec<Arm>) {
        if !speaks_about(point.kind()) {
            point.enumerate(self.values, arms);
            return;
        }
        match self.policy {
            LearntPolicy::Branch(policy) => branch_arms(policy, self.values, point, arms),
            LearntPolicy::History(policy) => history_arms(policy, self.values, point, arms),
            // It prefers arms and forbids none.
            LearntPolicy::Network(_) => point.enumerate(self.values, arms),
        }
        // A forbidden side of a concrete conditional ends the path. This is checked only where the tree branches:
        // along a single path, checking at the end is enough.
        if !self.lenient && arms.len() > 1 && !concrete_permitted(self.policy, point.kernel()) {
            arms.clear();
        }
        if arms.is_empty() {
            self.dead_ends += 1;
            if self.lenient {
                point.enumerate(self.values, arms);
            }
        }
        self.order.arrange(&mut self.random, arms);
    }
}

/// Follows a side if its permission is 1 and it is feasible, or if it is 1/2 and no other side is feasible. The
/// second question is asked only where no free arm is feasible, since a feasible free arm answers it. A side is not
/// forced by another one that the solver gave up on.
fn branch_arms(policy: &BranchPolicy, values: usize, point: &mut Point<'_, '_>, arms: &mut Vec<Arm>) {
    let site = point.site();
    for (arm, permission) in policy.arms(site) {
        if permission == Permission::Free && possible(point, arm) && point.is_feasible(arm) {
            arms.push(arm);
        }
    }
    if arms.is_empty() && policy.knows(site) {
        point.enumerate(values, arms);
        let kind = point.kind();
        let permitted = matches!(arms.as_slice(), [only] if policy.permission(site, *only) != Permission::Forbidden);
        if !permitted || point.kernel().implied(kind) != Some(true) {
            arms.clear();
        }
    }
}

fn history_arms(policy: &HistoryPolicy, values: usize, point: &mut Point<'_, '_>, arms: &mut Vec<Arm>) {
    match policy.arms(point.site(), point.frame(), point.decisions()) {
        Some(known) => {
            for &arm in known {
                if possible(point, arm) && point.is_feasible(arm) {
                    arms.push(arm);
                }
            }
        }
        None => point.enumerate(values, arms),
    }
}

/// Whether the decision has this arm at all; a saved policy may say anything.
fn possible(point: &Point<'_, '_>, arm: Arm) -> bool {
    point.kind().arms().is_none_or(|count| arm.0 < count)
}

fn concrete_permitted(policy: &LearntPolicy, kernel: &Kernel<'_>) -> bool {
    match policy {
        LearntPolicy::Branch(policy) if policy.sites == Sites::Branch => {
            let concrete = kernel.concrete_arms().unwrap_or_default();
            concrete.iter().all(|&(site, arm)| policy.permission(site, arm) != Permission::Forbidden)
        }
        LearntPolicy::Branch(_) | LearntPolicy::History(_) | LearntPolicy::Network(_) => true,
    }
}

/// What guided generation did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Generated {
    /// Paths completed.
    pub paths: u64,
    /// Sides that the policy permits and that turned out to be infeasible: PySE counts them as paths.
    pub infeasible: u64,
    /// The iterations of WISE's Table 1: executions of a concolic search. The first has the input of zeros; each other one
    /// asks the solver for the side of a decision that the input at hand does not take, where the policy forbids the
    /// side that it takes, or leaves both open.
    pub iterations: u64,
    /// Paths given up because the policy permits no feasible arm.
    pub dead_ends: u64,
    /// Whether the policy generated no path at all at this size, so that the walk was repeated with every feasible
    /// arm open wherever the policy permits none.
    pub opened: bool,
    /// Whether all open paths were seen within the budget.
    pub finished: bool,
    /// How long this took, training not included.
    pub elapsed: Duration,
}

/// Walks the paths that the policy leaves open under the rest of the budget.
pub fn generate(search: &mut Search<'_>, policy: &LearntPolicy, plan: &PolicyPlan) -> Generated {
    // Paths are left out on purpose.
    search.mark_incomplete();
    search.kernel.line_sites = policy.sites() == Sites::Line;
    let started = search.kernel.meter.elapsed();
    let mut generated = Generated {
        paths: 0,
        infeasible: 0,
        iterations: 0,
        dead_ends: 0,
        opened: false,
        finished: true,
        elapsed: Duration::ZERO,
    };
    for lenient in [false, true] {
        let (before, counters) = (search.kernel.meter.paths, search.kernel.counters);
        let mut walker = GuidedWalk::new(policy, plan, search.random.split(), lenient);
        let finished = walk(search, &Start::default(), &mut walker) == Finished::Everything;
        generated = Generated {
            paths: search.kernel.meter.paths - before,
            infeasible: search.kernel.counters.infeasible - counters.infeasible,
            iterations: 1 + walker.asked,
            dead_ends: walker.dead_ends,
            opened: lenient,
            finished,
            elapsed: search.kernel.meter.elapsed().saturating_sub(started),
        };
        if generated.paths > 0 || !generated.finished || !plan.opens {
            break;
        }
    }
    search.kernel.line_sites = false;
    generated
}

/// Share of what is left of the budget that one choice among policies may take.
const PROBE_SHARE: f64 = 0.1;

/// Paths of one policy that are compared for the choice.
const PROBE_PATHS: u64 = 200;

/// One of several policies that training cannot tell apart: the first, or with [`PolicyPlan::probe_ties`] the one whose
/// first paths at the target size reach the greatest cost, the earliest among equals. These paths are recorded. None if
/// there is no policy.
pub fn choose(search: &mut Search<'_>, policies: Vec<LearntPolicy>, plan: &PolicyPlan) -> Option<LearntPolicy> {
    let count = policies.len();
    let mut best: Option<(Option<u64>, LearntPolicy)> = None;
    for policy in policies {
        if count == 1 || !plan.probe_ties {
            return Some(policy);
        }
        if best.is_some() && search.stop().is_some() {
            break;
        }
        let reached = probe(search, &policy, plan, PROBE_SHARE / count as f64);
        if best.as_ref().is_none_or(|(known, _)| reached > *known) {
            best = Some((reached, policy));
        }
    }
    best.map(|(_, policy)| policy)
}

/// The greatest cost among the first paths that the policy leaves open.
fn probe(search: &mut Search<'_>, policy: &LearntPolicy, plan: &PolicyPlan, share: f64) -> Option<u64> {
    search.mark_incomplete();
    search.kernel.line_sites = plan.sites == Sites::Line;
    let remaining = search.kernel.meter.remaining();
    let mut walker = Probe {
        guided: GuidedWalk::new(policy, plan, search.random.split(), false),
        cost: search.cost(),
        best: None,
        left: remaining.paths.map_or(PROBE_PATHS, |paths| PROBE_PATHS.min((paths as f64 * share) as u64)),
        until: remaining.time.map(|time| search.kernel.meter.elapsed() + time.mul_f64(share)),
    };
    walk(search, &Start::default(), &mut walker);
    search.kernel.line_sites = false;
    walker.best
}

/// A guided walk that ends after some paths.
struct Probe<'a> {
    guided: GuidedWalk<'a>,
    cost: CostModel,
    best: Option<u64>,
    left: u64,
    /// Since the start of the search; none where time is not limited.
    until: Option<Duration>,
}

impl Walker for Probe<'_> {
    fn arms(&mut self, point: &mut Point<'_, '_>, arms: &mut Vec<Arm>) {
        if self.until.is_some_and(|until| point.kernel().meter.elapsed() >= until) {
            self.left = 0;
        }
        if self.left > 0 {
            self.guided.arms(point, arms);
        }
    }

    fn ended(&mut self, kernel: &Kernel<'_>) -> bool {
        if self.left == 0 || !self.guided.ended(kernel) {
            return false;
        }
        self.left -= 1;
        self.best = self.best.max(kernel.path().map(|path| self.cost.of(path.costs)));
        true
    }
}
