//! Brute force: every input of a small program.

use pessimum_outcome::{CostModel, Costs, End, Limit};
use pessimum_search::program::{Arm, Event, PathLimits, Program, SiteId};
use pessimum_search::search::{Search, SearchResult, Settings};
use pessimum_search::strategy::{self, Strategy};
use pessimum_term::{Arena, Evaluator, TermId, Witness};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// A path as both sides know it: the arms in order, with their sites.
pub type Trace = Vec<(SiteId, Arm)>;

/// Paths with what they cost and how they end.
pub type Paths = BTreeMap<Trace, (Costs, End)>;

/// Follows inputs by evaluating each scrutinee under them: no solver and no kernel.
pub struct Follower<'p> {
    program: &'p dyn Program,
    limits: PathLimits,
    arena: Arena,
    evaluator: Evaluator,
    preconditions: Vec<TermId>,
}

impl<'p> Follower<'p> {
    /// For one program. Terms are kept from input to input, so the program must be small.
    pub fn new(program: &'p dyn Program, limits: PathLimits) -> Follower<'p> {
        let mut arena = Arena::new();
        let mut preconditions = Vec::new();
        for variable in program.variables() {
            variable.conditions(&mut arena, &mut preconditions);
        }
        preconditions.extend(program.preconditions_beyond_ranges(&mut arena));
        Follower { program, limits, arena, evaluator: Evaluator::default(), preconditions }
    }

    /// The path of one input. `None` if it violates a precondition or an assumption.
    pub fn trace(&mut self, input: &Witness) -> Option<(Trace, Costs, End)> {
        let Follower { arena, evaluator, .. } = self;
        evaluator.set_witness(input.clone());
        if self.preconditions.iter().any(|&condition| evaluator.value(arena, condition) == 0) {
            return None;
        }
        let mut run = self.program.start(arena, &self.limits);
        let mut trace = Trace::new();
        loop {
            if run.wants_witness() {
                run.follow(input);
            }
            match run.next(arena) {
                Event::Decision { site, kind, scrutinee, .. } => {
                    assert!(arena.as_constant(scrutinee).is_none(), "a decision on a constant");
                    let arm = kind.arm_of(evaluator.value(arena, scrutinee));
                    trace.push((site, arm));
                    run.take(arm);
                }
                Event::Assume(condition) if evaluator.value(arena, condition) == 0 => return None,
                Event::Assume(_) | Event::Pause => {}
                Event::End(End::AssumptionViolated) => return None,
                Event::End(end) => return Some((trace, run.costs(), end)),
            }
        }
    }
}

/// Every input within the ranges of a program's variables.
///
/// # Panics
/// If there are more than 2^20.
pub fn inputs(program: &dyn Program) -> impl Iterator<Item = Witness> {
    let variables = program.variables();
    let inputs =
        variables.iter().fold(1u64, |inputs, variable| inputs.saturating_mul(variable.span().saturating_add(1)));
    assert!(inputs <= 1 << 20, "{inputs} inputs are too many to try");
    (0..inputs).map(move |number| {
        let mut input = Witness::default();
        let mut rest = number;
        for variable in &variables {
            let values = variable.span() + 1;
            input.set(variable.id, variable.at(rest % values));
            rest /= values;
        }
        input
    })
}

/// Every path, by running every input; also compares the symbolic run with the concrete one on each.
///
/// # Panics
/// If there are more than 2^20 inputs within the variables' ranges, or where the two runs differ.
pub fn brute_force(program: &dyn Program, limits: &PathLimits) -> Paths {
    let mut paths = Paths::new();
    let mut follower = Follower::new(program, *limits);
    for input in inputs(program) {
        let Some((trace, costs, end)) = follower.trace(&input) else { continue };
        let replay = program.replay(&input, limits);
        let concrete = Costs { decisions: costs.decisions, ..replay.costs };
        assert_eq!((concrete, replay.end), (costs, end), "{}: {:?}", program.name(), input.values());
        if let Some(other) = paths.insert(trace, (costs, end)) {
            assert_eq!(other, (costs, end), "{}: one path, two costs: {:?}", program.name(), input.values());
        }
    }
    paths
}

/// Every path that a strategy visits. Each path's witness is checked to take exactly that path at exactly that cost.
///
/// # Panics
/// If a path is visited twice, or where a witness does not take its path.
pub fn visited(program: &dyn Program, settings: Settings, strategy: &mut dyn Strategy) -> (Paths, SearchResult) {
    let limits = settings.limits;
    let paths = RefCell::new(Paths::new());
    let mut follower = Follower::new(program, limits);
    let search = Search::new(program, settings).with_visitor(|path| {
        let arms: Trace = path.decisions.iter().map(|decision| (decision.site, decision.arm)).collect();
        let branches = path.decisions.iter().filter(|decision| decision.kind.is_branch()).count() as u64;
        // A path cut off at its limit of decisions has counted one more.
        if path.end != End::Limit(Limit::Decisions) {
            assert_eq!(path.costs.decisions, branches, "{}: the cost `decisions`", program.name());
        }
        let taken = follower.trace(path.witness);
        let expected = Some((arms.clone(), *path.costs, path.end));
        assert_eq!(taken, expected, "{}: {:?} takes another path", program.name(), path.witness.values());
        let again = paths.borrow_mut().insert(arms, (*path.costs, path.end));
        assert!(again.is_none(), "{}: a path was visited twice: {again:?}", program.name());
    });
    let result = strategy::run(search, strategy).sound().unwrap_or_else(|mismatch| panic!("{mismatch}"));
    (paths.into_inner(), result)
}

/// Compares a strategy that claims to visit everything with brute force: the same paths, the same costs and ends, the
/// right extremes.
///
/// # Panics
/// Where they differ.
pub fn assert_same(program: &dyn Program, limits: PathLimits, strategy: &mut dyn Strategy) -> SearchResult {
    let expected = brute_force(program, &limits);
    let (found, result) = visited(program, Settings { limits, ..Settings::default() }, strategy);
    let name = program.name();
    for (path, what) in &expected {
        assert_eq!(found.get(path), Some(what), "{name}: the path {path:?} was missed or differs");
    }
    assert_eq!(found.len(), expected.len(), "{name}: paths that no input takes");
    assert_eq!(result.paths, expected.len() as u64, "{name}: the count of paths");
    for model in CostModel::ALL {
        let greatest = expected.values().map(|(costs, _)| model.of(costs)).max();
        let least = expected.values().map(|(costs, _)| model.of(costs)).min();
        assert_eq!(result.extremes.map(|extremes| model.of(&extremes.greatest)), greatest, "{name}: greatest {model}");
        assert_eq!(result.extremes.map(|extremes| model.of(&extremes.least)), least, "{name}: least {model}");
    }
    result
}
