//! What a run has reached of what there is to be reached in a file.

use std::collections::BTreeMap;
use std::sync::Arc;

use pessimum_outcome::Costs;
use pessimum_search::observation::{ArmSeen, Observation};
use pessimum_search::places::Line;
use pessimum_search::program::{Arm, Event, Kind, PathLimits, Run as _, SiteId};
use pessimum_term::distance::to_outcome;
use pessimum_term::{Arena, BinaryOp, Evaluator, Node, TermId, UnaryOp, Witness};

use crate::program::Shared;
use crate::run::PythonRun;
use crate::wire::flag;

/// Runs an input in an ordinary interpreter to see what it reaches, and symbolically to see how far its decisions were from
/// going the other way.
pub fn observe(
    shared: &Arc<Shared>,
    input: &Witness,
    limits: &PathLimits,
    go_on: &mut dyn FnMut() -> bool,
) -> (Observation, PathLimits) {
    let ran = shared.plain(input, limits, flag::ARMS | flag::LINES, go_on);
    let places = &shared.source.inner.places;
    let mut costs = ran.replay.costs;
    if !shared.wanted.opcodes {
        costs = Costs { instructions: 0, branches: 0, ..costs };
    }
    let mut hits: BTreeMap<SiteId, [u64; 2]> = BTreeMap::new();
    for &(site, arm, times) in ran.counted.iter().filter(|(site, ..)| *site < places.sites) {
        hits.entry(SiteId(site)).or_default()[arm.min(1) as usize] += times;
    }
    // Nothing is nearer than what has no distance: a branch on values that do not depend on the input.
    let needs = hits.values().any(|of| of.contains(&0));
    let distances = if needs { distances(shared, input, limits, &hits, go_on) } else { BTreeMap::new() };
    let mut arms = Vec::new();
    for (&site, &of) in &hits {
        for (arm, hits) in [(Arm::FALSE, of[0]), (Arm::TRUE, of[1])] {
            let evaluations = of[0] + of[1];
            let distance = match hits {
                0 => distances.get(&(site, arm)).copied().unwrap_or(pessimum_term::distance::NAN_DISTANCE),
                _ => 0,
            };
            arms.push(ArmSeen { site, arm, hits, evaluations, distance });
        }
    }
    let reached = ran.rest.lines.unwrap_or_default();
    let mut lines = Vec::new();
    for (file, of) in reached.lines {
        for line in of {
            if let Ok(number) = places.places.lines.binary_search(&Line { file: file.clone(), line }) {
                lines.push(number as u32);
            }
        }
    }
    lines.sort_unstable();
    let mut functions: Vec<u32> =
        reached.functions.into_iter().filter_map(|function| places.functions.get(&function).copied()).collect();
    functions.sort_unstable();
    functions.dedup();
    let (comparisons, divisions) = (Vec::new(), Vec::new());
    (Observation { end: ran.replay.end, costs, arms, comparisons, divisions, functions, lines }, ran.limits)
}

/// The least distance to each arm that was not taken, of the decisions of a symbolic run.
fn distances(
    shared: &Arc<Shared>,
    input: &Witness,
    limits: &PathLimits,
    hits: &BTreeMap<SiteId, [u64; 2]>,
    go_on: &mut dyn FnMut() -> bool,
) -> BTreeMap<(SiteId, Arm), u128> {
    let mut run = PythonRun::new(shared.clone(), *limits);
    let mut arena = Arena::new();
    let mut evaluator = Evaluator::new(input.clone());
    let mut found: BTreeMap<(SiteId, Arm), u128> = BTreeMap::new();
    run.follow(input);
    while go_on() {
        if run.wants_witness() {
            run.follow(input);
        }
        match run.next(&mut arena) {
            Event::Decision { site, kind, scrutinee, .. } => {
                let value = evaluator.value(&arena, scrutinee);
                let arm = kind.arm_of(value);
                let other = Arm(1 - arm.0.min(1));
                let is_missing = hits.get(&site).is_some_and(|of| of[other.0 as usize] == 0);
                if is_missing && matches!(kind, Kind::Branch | Kind::Check) {
                    let distance = distance(&arena, &mut evaluator, scrutinee, other == Arm::TRUE);
                    let least = found.entry((site, other)).or_insert(distance);
                    *least = distance.min(*least);
                }
                run.take(arm);
            }
            Event::Assume(condition) if evaluator.value(&arena, condition) == 0 => break,
            Event::Assume(_) | Event::Pause => {}
            Event::End(_) => break,
        }
    }
    found
}

/// How far a condition is from the wanted outcome: the sum for what must hold together, the least for what may.
fn distance(arena: &Arena, evaluator: &mut Evaluator, condition: TermId, wanted: bool) -> u128 {
    // Conditions of texts are long chains; beyond this the rest counts as one step each.
    const DEEPEST: u32 = 2000;
    fn of(arena: &Arena, evaluator: &mut Evaluator, term: TermId, wanted: bool, depth: u32) -> u128 {
        if (evaluator.value(arena, term) == 1) == wanted {
            return 0;
        }
        match arena.node(term) {
            Node::Unary(UnaryOp::Not, of_term) if depth > 0 => of(arena, evaluator, of_term, !wanted, depth - 1),
            Node::Binary(op @ (BinaryOp::And | BinaryOp::Or), x, y) if arena.width(x) == 1 && depth > 0 => {
                let (x, y) = (of(arena, evaluator, x, wanted, depth - 1), of(arena, evaluator, y, wanted, depth - 1));
                // Both sides of an `and` must become true, and one of them false.
                if (op == BinaryOp::And) == wanted { x.saturating_add(y) } else { x.min(y) }
            }
            Node::Binary(op, x, y) if op.is_comparison() && arena.width(x) > 1 => {
                let width = arena.width(x);
                let (x, y) = (evaluator.value(arena, x), evaluator.value(arena, y));
                to_outcome(op, width, x, y, wanted)
            }
            _ => 1,
        }
    }
    of(arena, evaluator, condition, wanted, DEEPEST)
}
