//! The search at one size: policies and paths side by side, and the operators that change them.

use super::Operator;
use super::bandit::Bandit;
use super::concrete::{self, Inputs};
use super::history::{History, Schema};
use super::policy::{Policy, PolicyDecider, Style, slow_queries};
use super::population::{Lineage, Population, signature};
use crate::cost::CostModel;
use crate::decider::{Choice, Decider, FollowWitness};
use crate::kernel::{Outcome, Point, Start};
use crate::path::Path;
use crate::program::{Arm, End, Kind};
use crate::search::Search;
use pessimum_term::{Node, TermId, Witness};
use std::cmp::Ordering;

/// Gain of a new best cost, for the bandit.
const GAIN_BEST: f64 = 1.0;

/// Gain of a path dearer than its parent's.
const GAIN_BETTER: f64 = 0.1;

/// Attempts without a change after which a member or a lineage that is not the best is replaced.
const STALE: u32 = 400;

/// Attempts after which a member that is not the best one may become a little cheaper.
const LEVEL_PATIENCE: u32 = 40;

/// Decisions of all members together, which bounds memory.
const MEMBER_DECISIONS: usize = 1 << 22;

/// Terms in the arena beyond those in use after which unused ones are collected.
const SPARE_TERMS: usize = 1 << 21;

/// What a query that reaches the SAT solver takes, in decisions: milliseconds against a microsecond.
const SLOW_QUERY: u64 = 10_000;

/// Inputs followed by one use of the concrete operator where a concrete run does not tell the cost.
const FOLLOWS: u32 = 16;

/// Replays of one use of the concrete operator.
const REPLAYS: u32 = 64;

/// Effort of these replays after which no other one is begun, in decisions.
const REPLAY_EFFORT: u64 = 200_000;

/// What one use of an operator brought.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gain {
    /// Nothing: no path, a known path, or a cheaper one.
    None,
    /// Another path of the same cost.
    Equal,
    /// A dearer path than the parent's.
    Better,
}

/// See the module.
pub struct Engine {
    history: History,
    /// The paths.
    pub population: Population,
    /// The policies.
    pub lineages: Vec<Lineage>,
    lineage_limit: usize,
    bandit: Bandit,
    inputs: Inputs,
    /// The path of the last run.
    pub child: Path,
    precondition: Vec<TermId>,
    /// Constants met in conditions, for the concrete operator.
    constants: Vec<u64>,
    /// Conditions assumed before runs, replays: effort that the kernel does not count as decisions.
    extra_effort: u64,
    collect_at: usize,
    /// The best lineages that were forgotten, dearest first.
    forgotten: Vec<Lineage>,
}

impl Engine {
    /// For one program. Closed operators are never used.
    pub fn new(search: &mut Search<'_>, population: usize, lineages: usize, open: impl Fn(Operator) -> bool) -> Engine {
        Engine {
            history: History::default(),
            population: Population { members: Vec::new(), capacity: population.max(1) },
            lineages: Vec::new(),
            lineage_limit: lineages.max(1),
            bandit: Bandit::new(Operator::ALL.map(open)),
            inputs: Inputs::new(search),
            child: Path::default(),
            precondition: Vec::new(),
            constants: Vec::new(),
            extra_effort: 0,
            collect_at: SPARE_TERMS,
            forgotten: Vec::new(),
        }
    }

    /// What has been done so far, in decisions.
    pub fn effort(&self, search: &Search<'_>) -> u64 {
        let counters = &search.kernel.counters;
        let slow = slow_queries(&search.kernel);
        counters.decisions + 8 * counters.queries + SLOW_QUERY * slow + 64 * counters.runs + self.extra_effort
    }

    /// The child's cost, if the run gave a path of the program.
    fn cost_of(&self, search: &Search<'_>, outcome: &Outcome) -> Option<u64> {
        match outcome {
            Outcome::Path(End::AssumptionViolated | End::Unsupported) => None,
            Outcome::Path(_) => Some(search.cost().of(&self.child.costs)),
            _ => None,
        }
    }

    /// Runs a policy from the start, or after `follow` decisions of the witness's path.
    fn run_policy(
        &mut self,
        search: &mut Search<'_>,
        policy: &mut Policy,
        witness: Option<&Witness>,
        follow: usize,
    ) -> Option<u64> {
        let mut random = search.random.split();
        // Slow queries allowed on one path: 2 to 128, so that arithmetic does not hold up everything else.
        let allowance = 2 << random.below(7);
        let mut decider = PolicyDecider::new(policy, &mut self.history, &mut random, follow, allowance);
        let start = Start { witness, ..Start::default() };
        let outcome = search.run(&start, &mut decider, &mut self.child);
        self.cost_of(search, &outcome)
    }

    fn run_start(&mut self, search: &mut Search<'_>, start: &Start<'_>, decider: &mut dyn Decider) -> Option<u64> {
        let outcome = search.run(start, decider, &mut self.child);
        self.cost_of(search, &outcome)
    }

    /// Follows a given input.
    pub fn follow(&mut self, search: &mut Search<'_>, input: &Witness) -> Option<u64> {
        self.run_start(search, &Start { witness: Some(input), ..Start::default() }, &mut FollowWitness)
    }

    /// Follows a given input and offers its path.
    pub fn offer_input(&mut self, search: &mut Search<'_>, input: &Witness) {
        if search.stop().is_none()
            && let Some(cost) = self.follow(search, input)
        {
            self.population.offer(&self.child, cost);
        }
    }

    /// Forgets all paths and policies, but not what operators are worth. The best policies are put aside.
    pub fn forget(&mut self) {
        self.population.members.clear();
        self.forgotten.append(&mut self.lineages);
        self.forgotten.sort_by_key(|lineage| std::cmp::Reverse(lineage.cost));
        self.forgotten.truncate(self.lineage_limit);
    }

    /// The policies of all lineages, dearest first, also of those that were forgotten.
    pub fn lineage_policies(&mut self) -> Vec<Policy> {
        self.forget();
        self.forgotten.iter().map(|lineage| lineage.policy.clone()).collect()
    }

    /// The cost of the dearest lineage, after [`Engine::lineage_policies`].
    pub fn best_lineage(&self) -> Option<u64> {
        self.forgotten.first().map(|lineage| lineage.cost)
    }

    /// As many new policies as there is room for.
    pub fn fresh_policies(&mut self, search: &mut Search<'_>) {
        for _ in self.lineages.len()..self.lineage_limit {
            if search.stop().is_some() {
                break;
            }
            self.fresh(search);
        }
    }

    /// Runs a policy, keeps it as a lineage if there is room or it is dearer than the worst one, and offers its path.
    /// Returns the cost.
    pub fn try_policy(&mut self, search: &mut Search<'_>, mut policy: Policy) -> Option<u64> {
        let witness = (policy.len() == 0 && search.random.coin()).then(|| search.random_witness());
        let cost = self.run_policy(search, &mut policy, witness.as_ref(), 0)?;
        self.population.offer(&self.child, cost);
        let lineage = Lineage { policy, cost, stale: 0 };
        if self.lineages.len() < self.lineage_limit {
            self.lineages.push(lineage);
        } else if let Some(worst) = self.worst_lineage(lineage.policy.schema)
            && self.lineages[worst].cost < cost
        {
            self.lineages[worst] = lineage;
        }
        Some(cost)
    }

    /// The cheapest lineage; one of the same schema first, so that the best schema does not crowd out the others.
    fn worst_lineage(&self, schema: Schema) -> Option<usize> {
        let worst = |same: bool| {
            (0..self.lineages.len())
                .filter(|&index| !same || self.lineages[index].policy.schema == schema)
                .min_by_key(|&index| self.lineages[index].cost)
        };
        worst(true).or_else(|| worst(false))
    }

    /// Adapts to long paths and forgets unused terms.
    pub fn tidy(&mut self, search: &mut Search<'_>) {
        let longest = self.child.decisions.len().max(1);
        let capacity = (MEMBER_DECISIONS / longest).max(2);
        if capacity < self.population.capacity {
            self.population.capacity = capacity;
            self.population.members.sort_by_key(|member| std::cmp::Reverse(member.cost));
            self.population.members.truncate(capacity);
        }
        if search.kernel.arena().len() > self.collect_at {
            let members = self.population.members.iter_mut();
            let conditions = members.flat_map(|member| &mut member.decisions).map(|decision| &mut decision.condition);
            search.kernel.collect(conditions);
            self.collect_at = search.kernel.arena().len() + SPARE_TERMS;
        }
    }

    /// Draws an operator, uses it once and credits it. False if all operators are closed.
    pub fn step(&mut self, search: &mut Search<'_>) -> bool {
        let Some(drawn) = self.bandit.draw(&mut search.random) else { return false };
        let operator = Operator::ALL[drawn];
        let (best, effort) = (search.best_cost(), self.effort(search));
        let gain = match operator {
            Operator::Policy => self.evolve(search),
            Operator::Extract => self.extract(search),
            Operator::Flip => self.flip(search, false),
            Operator::FlipBlock => self.flip(search, true),
            Operator::Cross => self.cross(search),
            Operator::Tail => self.tail(search),
            Operator::Turn => self.turn(search),
            Operator::Concrete => self.change_input(search),
        };
        let new_best = search.best_cost() > best;
        let effort = self.effort(search) - effort + 1;
        let credit = match gain {
            _ if new_best => GAIN_BEST,
            Gain::Better => GAIN_BETTER,
            Gain::Equal | Gain::None => 0.0,
        };
        self.bandit.credit(drawn, credit, effort);
        search.settings().watch.used(operator.name(), new_best);
        self.tidy(search);
        true
    }

    /// The child replaces its parent if it is another path and not cheaper than the parent's level. The best member
    /// keeps its cost as its level. The others leave local optima by threshold accepting (Dueck and Scheuer, Journal of
    /// Computational Physics 1990), with costs that they met as thresholds, since costs have no common unit.
    fn settle(&mut self, parent: usize, cost: Option<u64>) -> Gain {
        let anchor = self.population.best();
        let member = &mut self.population.members[parent];
        member.stale += 1;
        member.at_level += 1;
        if anchor != Some(parent) && member.at_level > LEVEL_PATIENCE && member.runner_up > 0 {
            member.lower_level();
        }
        let Some(cost) = cost else { return Gain::None };
        // A member may have become the best one after its level was lowered.
        let level = if anchor == Some(parent) { member.level.max(member.cost) } else { member.level };
        if cost < level {
            member.runner_up = member.runner_up.max(cost);
            return Gain::None;
        }
        if self.population.knows(signature(&self.child.decisions)) {
            return Gain::None;
        }
        let member = &mut self.population.members[parent];
        let old = member.cost;
        member.become_path(&self.child, cost);
        if cost > member.record {
            member.reset();
        }
        match cost.cmp(&old) {
            Ordering::Greater => Gain::Better,
            Ordering::Equal => Gain::Equal,
            Ordering::Less => Gain::None,
        }
    }

    /// Policy evolution at this size: change a few rules, keep the policy if its path is not cheaper.
    fn evolve(&mut self, search: &mut Search<'_>) -> Gain {
        if self.lineages.is_empty() {
            return self.fresh(search);
        }
        let random = &mut search.random;
        let one = random.index(self.lineages.len());
        let other = random.index(self.lineages.len());
        let chosen = if self.lineages[other].cost > self.lineages[one].cost { other } else { one };
        let best = self.lineages.iter().map(|lineage| lineage.cost).max();
        if self.lineages[chosen].stale > STALE && Some(self.lineages[chosen].cost) < best {
            self.lineages.swap_remove(chosen);
            return if search.random.coin() { self.extract(search) } else { self.fresh(search) };
        }
        let mut policy = self.lineages[chosen].policy.clone();
        policy.mutate(random);
        let mate = random.index(self.lineages.len());
        if mate != chosen && self.lineages[mate].policy.schema == policy.schema && random.chance(0.2) {
            policy.cross(&self.lineages[mate].policy, random);
        }
        let cost = self.run_policy(search, &mut policy, None, 0);
        let lineage = &mut self.lineages[chosen];
        lineage.stale += 1;
        let Some(cost) = cost else { return Gain::None };
        if cost < lineage.cost {
            return Gain::None;
        }
        let better = cost > lineage.cost;
        *lineage = Lineage { policy, cost, stale: if better { 0 } else { lineage.stale } };
        self.population.offer(&self.child, cost);
        if better { Gain::Better } else { Gain::Equal }
    }

    /// A policy that knows nothing yet.
    fn fresh(&mut self, search: &mut Search<'_>) -> Gain {
        let schema = Schema::ALL[search.random.index(Schema::ALL.len())];
        let style = Style::ALL[search.random.index(Style::ALL.len())];
        self.try_policy(search, Policy::new(schema, style));
        Gain::None
    }

    /// The policy that a good path followed, written over some schema: what a path does in places, done everywhere.
    fn extract(&mut self, search: &mut Search<'_>) -> Gain {
        let Some(parent) = self.population.draw(&mut search.random) else { return self.fresh(search) };
        let schema = Schema::ALL[search.random.index(Schema::ALL.len())];
        let decisions = &self.population.members[parent].decisions;
        let mut policy = Policy::of_path(schema, Style::Corners, decisions, search.kernel.arena(), &mut self.history);
        self.extra_effort += decisions.len() as u64;
        if search.random.coin() {
            policy.mutate(&mut search.random);
        }
        let old = self.population.members[parent].cost;
        match self.try_policy(search, policy) {
            Some(cost) if cost > old => Gain::Better,
            Some(cost) if cost == old => Gain::Equal,
            _ => Gain::None,
        }
    }

    /// Flip and repair: negate some conditions of a path, re-add the others in path order, skip what conflicts, and
    /// follow the witness that comes out.
    fn flip(&mut self, search: &mut Search<'_>, block: bool) -> Gain {
        let Some(parent) = self.draw_member(search) else { return self.fresh(search) };
        let length = self.population.members[parent].decisions.len();
        if length == 0 {
            return Gain::None;
        }
        let random = &mut search.random;
        let first = random.index(length);
        // Where the flipped conditions are: from `first` on, every `step`-th, up to `last`.
        let (last, step) = if block {
            let longest = 1usize << (1 + random.index((length.ilog2() as usize + 1).min(10)));
            let run = 1 + random.index(longest);
            ((first + run).min(length - 1), 1 + random.index(3))
        } else {
            (first, 1)
        };
        let same_site = block && random.coin();
        // Either the flipped ones come first and may break earlier ones, or the path keeps its prefix.
        let keep_prefix = random.coin();
        let decisions = &self.population.members[parent].decisions;
        let flipped = |index: usize| {
            index >= first
                && index <= last
                && (index - first).is_multiple_of(step)
                && (!same_site || decisions[index].site == decisions[first].site)
        };
        self.precondition.clear();
        let arena = search.kernel.arena();
        if !keep_prefix {
            for index in (first..=last).filter(|&index| flipped(index)) {
                self.precondition.push(arena.not(decisions[index].condition));
            }
        }
        for (index, decision) in decisions.iter().enumerate() {
            if !flipped(index) {
                self.precondition.push(decision.condition);
            } else if keep_prefix {
                self.precondition.push(arena.not(decision.condition));
            }
        }
        let cost = self.run_repaired(search, parent);
        self.settle(parent, cost)
    }

    fn run_repaired(&mut self, search: &mut Search<'_>, parent: usize) -> Option<u64> {
        self.extra_effort += self.precondition.len() as u64;
        let precondition = std::mem::take(&mut self.precondition);
        let witness = std::mem::take(&mut self.population.members[parent].witness);
        let start = Start { precondition: &precondition, witness: Some(&witness), repair: true };
        let cost = self.run_start(search, &start, &mut FollowWitness);
        self.population.members[parent].witness = witness;
        self.precondition = precondition;
        cost
    }

    /// ESE's crossover (Aquino et al., ICECCS 2018, algorithm 5) with repair: the head of one path, the tail of another.
    fn cross(&mut self, search: &mut Search<'_>) -> Gain {
        let Some(parent) = self.draw_member(search) else { return self.fresh(search) };
        let mate = search.random.index(self.population.members.len());
        if mate == parent {
            return self.flip(search, true);
        }
        let (head, tail) = (&self.population.members[parent].decisions, &self.population.members[mate].decisions);
        if head.is_empty() || tail.is_empty() {
            return Gain::None;
        }
        let cut = 1 + search.random.index(head.len());
        // The same share of the other path, or any place.
        let other = if search.random.coin() { cut * tail.len() / head.len() } else { search.random.index(tail.len()) };
        let tail_first = search.random.chance(0.25);
        self.precondition.clear();
        if tail_first {
            self.precondition.extend(tail[other.min(tail.len())..].iter().map(|decision| decision.condition));
        }
        self.precondition.extend(head[..cut].iter().map(|decision| decision.condition));
        if !tail_first {
            self.precondition.extend(tail[other.min(tail.len())..].iter().map(|decision| decision.condition));
        }
        let cost = self.run_repaired(search, parent);
        self.settle(parent, cost)
    }

    /// Keeps the head of a path and lets a policy make the rest.
    fn tail(&mut self, search: &mut Search<'_>) -> Gain {
        let Some(parent) = self.draw_member(search) else { return self.fresh(search) };
        let length = self.population.members[parent].decisions.len();
        let keep = search.random.index(length + 1);
        let mut policy = if !self.lineages.is_empty() && search.random.chance(0.7) {
            self.lineages[search.random.index(self.lineages.len())].policy.clone()
        } else {
            let schema = Schema::ALL[search.random.index(Schema::ALL.len())];
            Policy::new(schema, Style::ALL[search.random.index(Style::ALL.len())])
        };
        let witness = std::mem::take(&mut self.population.members[parent].witness);
        let cost = self.run_policy(search, &mut policy, Some(&witness), keep);
        self.population.members[parent].witness = witness;
        self.settle(parent, cost)
    }

    /// Takes another arm at one decision and from there on imitates the old path where it can.
    fn turn(&mut self, search: &mut Search<'_>) -> Gain {
        let Some(parent) = self.draw_member(search) else { return self.fresh(search) };
        let length = self.population.members[parent].decisions.len();
        if length == 0 {
            return Gain::None;
        }
        let random = &mut search.random;
        let at = random.index(length);
        // After the turn: the old arms at the same index; the old arms one decision later or earlier; the witness.
        let shift = [Some(0), Some(1), Some(-1), None][random.index(4)];
        let member = &mut self.population.members[parent];
        let decisions = std::mem::take(&mut member.decisions);
        let witness = std::mem::take(&mut member.witness);
        let wanted = other_arm(&decisions[at].kind, decisions[at].arm, &decisions, at, random);
        let mut decider = |point: &mut Point<'_, '_>| {
            let depth = point.depth();
            if depth < at {
                return Choice::Follow;
            }
            if depth == at {
                return match wanted {
                    Some(arm) => Choice::Prefer(arm),
                    None => Choice::Follow,
                };
            }
            let Some(shift) = shift else { return Choice::Follow };
            match decisions.get(depth.saturating_add_signed(shift)) {
                Some(old) if old.site == point.site() => Choice::Prefer(old.arm),
                _ => Choice::Follow,
            }
        };
        let start = Start { witness: Some(&witness), ..Start::default() };
        let cost = self.run_start(search, &start, &mut decider);
        let member = &mut self.population.members[parent];
        member.decisions = decisions;
        member.witness = witness;
        self.settle(parent, cost)
    }

    /// Changes the input itself, again and again, and follows it symbolically if it became no cheaper.
    pub fn change_input(&mut self, search: &mut Search<'_>) -> Gain {
        let Some(parent) = self.draw_member(search) else { return self.fresh(search) };
        self.gather_constants(search, parent);
        self.inputs.discover(search, &self.population.members[parent]);
        // A concrete run cannot count decisions.
        if search.cost() == CostModel::Decisions {
            let mut gain = Gain::None;
            for _ in 0..FOLLOWS {
                if search.stop().is_some() {
                    break;
                }
                let mut input = self.population.members[parent].witness.clone();
                self.change(search, &mut input);
                if self.inputs.are_legal(search, &input) {
                    let cost = self.follow(search, &input);
                    gain = gain.max(self.settle(parent, cost));
                }
            }
            return gain;
        }
        let mut input = self.population.members[parent].witness.clone();
        let limits = *search.kernel.limits();
        let mut reached = self.population.members[parent].cost;
        let mut moved = false;
        let mut changed = input.clone();
        let until = self.extra_effort + REPLAY_EFFORT;
        for _ in 0..REPLAYS {
            if search.stop().is_some() || self.extra_effort > until {
                break;
            }
            self.change(search, &mut changed);
            if !self.inputs.are_legal(search, &changed) {
                changed.clone_from(&input);
                continue;
            }
            let replay = search.kernel.program().replay(&changed, &limits);
            search.record_replay(&changed, &replay);
            self.extra_effort += 16 + self.population.members[parent].decisions.len() as u64 / 4;
            let cost = search.cost().of(&replay.costs);
            let legal = !matches!(replay.end, End::AssumptionViolated | End::Unsupported);
            if legal && cost >= reached {
                reached = cost;
                moved |= changed != input;
                input.clone_from(&changed);
            } else {
                changed.clone_from(&input);
            }
        }
        if !moved {
            self.population.members[parent].stale += 1;
            return Gain::None;
        }
        let cost = self.follow(search, &input);
        self.settle(parent, cost)
    }

    fn change(&mut self, search: &mut Search<'_>, input: &mut Witness) {
        let random = &mut search.random;
        if random.chance(0.15) {
            let mate = random.index(self.population.members.len());
            concrete::mix(input, &self.population.members[mate].witness, &self.inputs.variables, random);
        }
        loop {
            if random.coin() {
                self.inputs.genome.mutate_input(random, input);
            } else {
                concrete::mutate(input, &self.inputs.variables, &self.constants, random);
            }
            if random.coin() {
                break;
            }
        }
    }

    /// Policies to carry to another size: those of the lineages, dearest first, then what the best path followed.
    pub fn policies(&mut self, search: &mut Search<'_>) -> Vec<Policy> {
        self.lineages.sort_by_key(|lineage| std::cmp::Reverse(lineage.cost));
        let mut policies: Vec<Policy> = self.lineages.iter().map(|lineage| lineage.policy.clone()).collect();
        if let Some(best) = self.population.best() {
            let member = &self.population.members[best];
            let reached = self.lineages.first().map_or(0, |lineage| lineage.cost);
            let extracted = Schema::ALL.map(|schema| {
                let arena = search.kernel.arena();
                Policy::of_path(schema, Style::Corners, &member.decisions, arena, &mut self.history)
            });
            // A path that no lineage made is the better teacher.
            let at = if member.cost > reached { 1.min(policies.len()) } else { policies.len() };
            policies.splice(at..at, extracted);
        }
        policies
    }

    /// A few constants of the member's conditions.
    fn gather_constants(&mut self, search: &mut Search<'_>, parent: usize) {
        let decisions = &self.population.members[parent].decisions;
        if decisions.is_empty() {
            return;
        }
        for _ in 0..8 {
            let condition = decisions[search.random.index(decisions.len())].condition;
            let arena = &*search.kernel.arena();
            for child in arena.children(condition) {
                let mut constant = |term| {
                    if let Node::Constant(value) = arena.node(term)
                        && !self.constants.contains(&value)
                        && self.constants.len() < 64
                    {
                        self.constants.push(value);
                    }
                };
                constant(child);
                arena.children(child).for_each(constant);
            }
        }
    }

    /// Draws a parent. One that has been stale for long makes room: for a copy of a better one, or a policy's path.
    fn draw_member(&mut self, search: &mut Search<'_>) -> Option<usize> {
        let drawn = self.population.draw(&mut search.random)?;
        let best = self.population.best()?;
        let patience = STALE + self.population.members[drawn].decisions.len() as u32;
        if self.population.members[drawn].stale > patience
            && self.population.members[drawn].cost < self.population.members[best].cost
        {
            if search.random.coin() {
                let copy = self.population.members[best].clone();
                self.population.members[drawn] = copy;
                self.population.members[drawn].reset();
            } else {
                self.population.members.swap_remove(drawn);
                self.fresh(search);
                return self.population.best();
            }
        }
        Some(drawn)
    }
}

/// Another arm for a decision: the other side of a branch, a value taken elsewhere at the same site, or another entry
/// of a table.
fn other_arm(
    kind: &Kind,
    arm: Arm,
    decisions: &[crate::path::Decision],
    at: usize,
    random: &mut crate::random::Random,
) -> Option<Arm> {
    match kind {
        Kind::Branch | Kind::Check => Some(Arm(1 - arm.0)),
        Kind::Table { targets, .. } => Some(Arm(random.below(u64::from(*targets) + 1))),
        Kind::Value => {
            let site = decisions[at].site;
            let others: Vec<Arm> = decisions
                .iter()
                .filter(|decision| decision.site == site && decision.arm != arm)
                .map(|decision| decision.arm)
                .collect();
            if others.is_empty() { None } else { Some(others[random.index(others.len())]) }
        }
    }
}
