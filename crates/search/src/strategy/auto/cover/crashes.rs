//! Inputs that crash, for a search that wants the costliest of them to begin with.

use super::aim::{self, Aim, Target};
use super::{CHANGES, Cover, Patience, Worked};
use crate::budget::Budget;
use crate::objective::{Goal, Goals};
use crate::program::{Counted, PathLimits};
use crate::search::{Finished, Search, Settings};
use crate::strategy::auto::Auto;
use crate::strategy::pex::NodeId;
use pessimum_outcome::{End, Trap};
use pessimum_term::Witness;

/// Crashes that are handed on.
const MOST_CRASHES: usize = 32;

/// Instructions that every run may take, and how many times as many as a short one: a program that may go on for ever does so
/// before anything else, and most crashes come early. Those that come later are left to the search itself.
const INSTRUCTIONS: u64 = 1 << 20;
const TIMES_SHORTEST: u64 = 16;

/// Before a search for the costliest crash: looks for inputs that crash, each in another place, for a share of what is left
/// of the budget, or until nothing new comes once there is one. Returns them, costliest first; they are counted as paths.
/// `shortest` is what the shortest run so far has taken. Nothing where the front end knows of no traps.
pub fn crashes(auto: &Auto, search: &mut Search<'_>, shortest: u64) -> Vec<Witness> {
    let places = search.kernel.program().places();
    let targets = places.traps.clone();
    if targets.is_empty() || search.stop().is_some() {
        return Vec::new();
    }
    let arms = targets.keys().map(|&(site, arm)| Goal::Arm(site, arm));
    let goals = Goals::new(arms.chain(Trap::ALL.iter().map(|&trap| Goal::Trap(trap)))).with_twins(places.twins.clone());
    let left = search.kernel.meter.remaining();
    let share = |left: Option<u64>| left.map(|left| (left as f64 * auto.settings.aim_share) as u64);
    let time = left.time.map(|time| time.mul_f64(auto.settings.aim_share));
    let budget = Budget { paths: share(left.paths), steps: share(left.steps), time };
    let limits = search.kernel.limits();
    let instructions = limits.instructions.min(INSTRUCTIONS.max(shortest.saturating_mul(TIMES_SHORTEST)));
    let limits = PathLimits { instructions, ..*limits };
    let settings = Settings { goals: Some(goals.clone()), limits, ..search.worker_settings(budget, 1) };
    let mut aiming = Search::new(search.kernel.program(), settings);
    let mut cover = Cover::new(&auto.settings, &mut aiming, &goals, Some(Aim::at(targets)));
    while cover.work(&mut aiming, Patience::Limited) == Worked::Stood {
        if goals.ends().iter().any(|(end, _)| end.is_crash()) {
            break;
        }
        cover.uses_to_gain = cover.uses;
    }
    let mut result = aiming.finish_worker(Finished::Partly);
    // What its share of the budget cut off, the search itself may still run.
    result.cut_off = false;
    search.join(result);
    let mut crashing: Vec<(u64, Witness)> = Vec::new();
    for (_, input) in goals.reached() {
        let Some(input) = input.filter(|_| search.stop().is_none()) else { continue };
        let (replay, _) = search.replay(&input);
        if replay.end.is_crash() && crashing.iter().all(|(_, known)| *known != *input) {
            crashing.push((search.cost().of(&replay.costs), (*input).clone()));
        }
    }
    crashing.sort_by_key(|(cost, _)| std::cmp::Reverse(*cost));
    crashing.into_iter().map(|(_, input)| input).take(MOST_CRASHES).collect()
}

impl Cover<'_> {
    /// Changes the input that came closest to a target, goes on from what is no further away, and follows what is closer.
    pub(super) fn approach(&mut self, search: &mut Search<'_>, target: Target, nearest: &Witness, mut least: u128) {
        let mut values = self.inputs.genome.values(nearest);
        let mut follows = None;
        let until = self.runner.effort(search) + self.settings.archive_effort;
        for _ in 0..if self.counts_paths { CHANGES.1 } else { CHANGES.0 } {
            if search.stop().is_some() || self.runner.effort(search) >= until {
                break;
            }
            let mate = self.corpus.draw(search);
            let mate = self.inputs.genome.values(&mate);
            let child = self.changed(search, &values, &mate);
            let input = self.inputs.witness(search, &child);
            if child == values || !self.inputs.are_legal(search, &input) {
                self.runner.charge(1);
                continue;
            }
            let (replay, limits) = search.replay_counting(&input, Counted::Arms, &mut self.corpus.counts);
            search.count_unobserved(&input, &replay, limits);
            self.runner.charge(3 * self.settings.replay_effort(replay.costs.steps()));
            let is_cut_off = matches!(replay.end, End::Limit(_)) && !replay.end.is_crash();
            if !replay.end.is_a_run() || is_cut_off {
                // To observe it would take as long again.
                continue;
            }
            self.corpus.offer(&input);
            let seen = search.observe_into(self.goals, &input, &limits);
            let is_closer = self.aim.as_mut().is_some_and(|aim| aim.see(&input, &seen));
            let Some(distance) = aim::distance(&seen, target) else { continue };
            // What is as close counts: changes that make no difference add up.
            if distance <= least {
                (values, least) = (child, distance);
            }
            if is_closer && self.settings.symbolic_effort(replay.costs.steps()) <= self.settings.first_effort {
                follows = Some(input);
            }
        }
        if let Some(aim) = &mut self.aim {
            aim.drift(target, least, self.inputs.genome.witness(&values));
        }
        if let Some(input) = follows.filter(|_| search.stop().is_none()) {
            self.follow(search, &input);
        }
    }

    /// Follows the input that came closest to a target and takes another arm somewhere on its path, then on the path that
    /// comes out if that is as close, and so on: what has to happen first may make no difference by itself.
    pub(super) fn turn(&mut self, search: &mut Search<'_>, target: Target, nearest: &Witness) {
        let until = self.runner.effort(search) + self.settings.archive_effort;
        self.last = None;
        self.follow(search, nearest);
        let Some((path, seen)) = self.last.take() else { return };
        let mut nodes: Vec<NodeId> = self.tree.nodes_of(path).collect();
        let (mut least, mut last) = (aim::distance(&seen, target), path);
        for _ in 0..if self.counts_paths { CHANGES.1 } else { CHANGES.0 } {
            if nodes.is_empty() || search.stop().is_some() || self.runner.effort(search) >= until {
                break;
            }
            let node = nodes.swap_remove(search.random.index(nodes.len()));
            if !self.tree.is_open(node) {
                continue;
            }
            self.tree.close(node);
            self.run_node(search, Some(node));
            let Some((path, seen)) = self.last.take() else { continue };
            let distance = aim::distance(&seen, target);
            if distance.is_some_and(|distance| least.is_none_or(|least| distance <= least)) {
                let depth = self.tree.node(node).depth;
                nodes.retain(|&node| self.tree.node(node).depth < depth);
                nodes.extend(self.tree.nodes_of(path));
                (least, last) = (distance, path);
            }
        }
        if let (Some(aim), Some(distance)) = (&mut self.aim, least) {
            aim.drift(target, distance, self.tree.witness(last).clone());
        }
    }
}
