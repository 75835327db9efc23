//! Runs what operators propose: a single place for starts, deciders and the accounting of effort.

use super::history::{History, Schema};
use super::operators::Assumption;
use super::policy::{Policy, PolicyDecider, Style, slow_queries, slow_work};
use super::population::Member;
use super::settings::AutoSettings;
use crate::decider::{Choice, Decider, FollowWitness};
use crate::kernel::{Outcome, Point, Start};
use crate::path::{Decision, Path};
use crate::program::{Arm, Counted};
use crate::search::Search;
use pessimum_term::{Arena, TermId, Witness};

/// Makes paths. Each method returns the cost of the path, which is in [`Runner::child`], or none if the run gave no
/// path of the program.
pub struct Runner {
    /// The path of the last run.
    pub child: Path,
    settings: AutoSettings,
    history: History,
    conditions: Vec<TermId>,
    /// How often the last concrete run took each arm, or executed each line; empty if the front end does not count.
    pub arms: Vec<u64>,
    /// Instructions of the last concrete run.
    pub instructions: u64,
    /// Instructions of symbolic runs.
    symbolic_steps: u64,
    /// Conditions assumed before runs, and concrete runs: effort that the kernel does not count as decisions.
    extra_effort: u64,
}

impl Runner {
    /// One that has run nothing yet.
    pub fn new(settings: &AutoSettings) -> Runner {
        Runner {
            child: Path::default(),
            settings: *settings,
            history: History::default(),
            conditions: Vec::new(),
            arms: Vec::new(),
            instructions: 0,
            symbolic_steps: 0,
            extra_effort: 0,
        }
    }

    /// What has been done so far, in decisions.
    pub fn effort(&self, search: &Search<'_>) -> u64 {
        let (counters, settings) = (&search.kernel.counters, &self.settings);
        counters.decisions
            + settings.effort_query * counters.queries
            + settings.effort_slow_query * slow_queries(&search.kernel)
            + slow_work(&search.kernel) / settings.slow_work
            + settings.effort_run * counters.runs
            + settings.symbolic_effort(self.symbolic_steps)
            + self.extra_effort
    }

    /// Follows an input.
    pub fn follow(&mut self, search: &mut Search<'_>, input: &Witness) -> Option<u64> {
        let start = Start { witness: Some(input), ..Start::default() };
        self.run(search, &start, &mut FollowWitness)
    }

    /// Adds to the effort.
    pub fn charge(&mut self, effort: u64) {
        self.extra_effort += effort;
    }

    /// Runs an input concretely and counts arms in [`Runner::arms`]. This gives no path, only its cost and its
    /// instructions.
    pub fn replay_counting(&mut self, search: &mut Search<'_>, input: &Witness) -> Option<(u64, u64)> {
        if search.stop().is_some() {
            return None;
        }
        let (replay, limits) = search.replay_counting(input, Counted::Repeats, &mut self.arms);
        search.count_replay(input, &replay, limits);
        let instructions = replay.costs.steps();
        self.instructions = instructions;
        self.extra_effort += self.settings.replay_effort(instructions);
        replay.end.is_a_run().then(|| (search.worth(&replay.costs, replay.end), instructions))
    }

    /// Follows a policy from the start, with this witness or that of the last run.
    pub fn policy(&mut self, search: &mut Search<'_>, policy: &mut Policy, witness: Option<&Witness>) -> Option<u64> {
        self.policy_after(search, policy, witness, 0)
    }

    /// Follows the witness for some decisions, then a policy.
    pub fn policy_after(
        &mut self,
        search: &mut Search<'_>,
        policy: &mut Policy,
        witness: Option<&Witness>,
        follow: usize,
    ) -> Option<u64> {
        let mut random = search.random.split();
        let allowance = 2 << random.below(self.settings.policy_slow_bits);
        let mut decider = PolicyDecider::new(policy, &mut self.history, &mut random, follow, allowance);
        let before = search.kernel.meter.steps;
        let cost = run(search, &Start { witness, ..Start::default() }, &mut decider, &mut self.child);
        self.symbolic_steps += search.kernel.meter.steps - before;
        cost
    }

    /// Takes `arm` at the decision of index `keep` of a member's path and imitates that path afterwards; see
    /// [`super::operators::Then::Turn`].
    pub fn turn(
        &mut self,
        search: &mut Search<'_>,
        member: &Member,
        keep: usize,
        arm: Arm,
        shift: Option<isize>,
    ) -> Option<u64> {
        let mut decider = |point: &mut Point<'_, '_>| {
            let depth = point.depth();
            if depth == keep {
                return Choice::Prefer(arm);
            }
            let old = shift.filter(|_| depth > keep).and_then(|shift| {
                member.decisions.get(depth.saturating_add_signed(shift)).filter(|old| old.site == point.site())
            });
            old.map_or(Choice::Follow, |old| Choice::Prefer(old.arm))
        };
        let start = Start { witness: Some(&member.witness), ..Start::default() };
        self.run(search, &start, &mut decider)
    }

    /// Follows an input up to the decision of this index and takes this arm there, if that is feasible.
    pub fn require(&mut self, search: &mut Search<'_>, input: &Witness, at: usize, arm: Arm) -> Option<u64> {
        let mut decider = |point: &mut Point<'_, '_>| {
            if point.depth() == at { Choice::Require(arm) } else { Choice::Follow }
        };
        self.run(search, &Start { witness: Some(input), ..Start::default() }, &mut decider)
    }

    /// Assumes conditions in order, skips what conflicts, and follows the witness that comes out.
    pub fn assume(&mut self, search: &mut Search<'_>, witness: &Witness, assumptions: &[Assumption]) -> Option<u64> {
        self.extra_effort += assumptions.len() as u64;
        let arena = search.kernel.arena();
        let term = |assumption: &Assumption| {
            if assumption.holds { assumption.condition } else { arena.not(assumption.condition) }
        };
        self.conditions.clear();
        self.conditions.extend(assumptions.iter().map(term));
        let conditions = std::mem::take(&mut self.conditions);
        let start = Start { precondition: &conditions, witness: Some(witness), repair: true };
        let cost = self.run(search, &start, &mut FollowWitness);
        self.conditions = conditions;
        cost
    }

    /// Nothing runs once the budget is spent, whatever an operator was about to do.
    fn run(&mut self, search: &mut Search<'_>, start: &Start<'_>, decider: &mut dyn Decider) -> Option<u64> {
        if search.stop().is_some() {
            return None;
        }
        let before = search.kernel.meter.steps;
        let cost = run(search, start, decider, &mut self.child);
        self.symbolic_steps += search.kernel.meter.steps - before;
        cost
    }

    /// The policy that a path followed. New keys get corners.
    pub fn policy_of(&mut self, arena: &Arena, schema: Schema, decisions: &[Decision]) -> Policy {
        self.extra_effort += decisions.len() as u64;
        Policy::of_path(schema, Style::Corners, decisions, arena, &mut self.history)
    }
}

fn run(search: &mut Search<'_>, start: &Start<'_>, decider: &mut dyn Decider, child: &mut Path) -> Option<u64> {
    match search.run(start, decider, child) {
        Outcome::Path(end) if end.is_a_run() => Some(search.worth(&child.costs, end)),
        _ => None,
    }
}
