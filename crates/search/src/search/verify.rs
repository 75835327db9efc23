//! The last check of a search, in which its best input is run again, and how long concrete runs may take, given that
//! they cannot be interrupted.

use super::{Defect, Mismatch, SearchResult, Settings};
use crate::budget::{Budget, Cancel, Meter};
use crate::decider::FollowWitness;
use crate::kernel::{Kernel, Outcome, Start};
use crate::path::{Origin, Path};
use crate::program::{PathLimits, Program, Replay};
use pessimum_outcome::{CostModel, End, Limit};
use pessimum_term::Witness;
use std::time::{Duration, Instant};

/// The time that may be spent after the end of the budget on runs without which something would be lost.
pub(super) fn grace(budget: &Budget) -> Duration {
    /// A fiftieth of the budget, but enough for short runs and never long enough to be noticed.
    const LEAST: Duration = Duration::from_millis(50);
    const MOST: Duration = Duration::from_secs(1);
    budget.time.map_or(MOST, |time| (time / 50).clamp(LEAST, MOST))
}

/// Instructions up to which following an input symbolically takes negligible time.
const CHEAP: u64 = 2_000_000;

/// How fast concrete runs are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    /// Instructions per second, as last measured.
    speed: f64,
}

impl Default for Pace {
    /// Before anything is measured: slower than any of our engines.
    fn default() -> Pace {
        Pace { speed: 20e6 }
    }
}

impl Pace {
    /// Takes in a measurement. Short runs are ignored, since most of their time goes into starting up.
    pub(super) fn measure(&mut self, instructions: u64, took: Duration) {
        if instructions > 100_000 {
            self.speed = instructions as f64 / took.as_secs_f64().max(1e-9);
        }
    }

    /// The limits, with no more instructions than fit into this time.
    pub(super) fn limits(&self, limits: &PathLimits, time: Duration) -> PathLimits {
        let instructions = (self.speed * time.as_secs_f64()) as u64;
        PathLimits { instructions: limits.instructions.min(instructions), ..*limits }
    }
}

/// Runs an input for about this time at most. The speed of runs is measured on the way: a run that was cut off too
/// early is repeated.
pub(super) fn replay_for(
    program: &dyn Program,
    input: &Witness,
    limits: &PathLimits,
    pace: &mut Pace,
    time: Duration,
) -> (Replay, PathLimits) {
    let until = Instant::now() + time;
    loop {
        let began = Instant::now();
        let within = pace.limits(limits, until.saturating_duration_since(began));
        let replay = program.replay(input, &within);
        pace.measure(replay.costs.instructions, began.elapsed());
        let cut_off = replay.end == End::Limit(Limit::Instructions) && within.instructions < limits.instructions;
        let longer = pace.limits(limits, until.saturating_duration_since(Instant::now()));
        if !cut_off || longer.instructions / 2 < within.instructions {
            return (replay, within);
        }
    }
}

/// Runs the best input again, unless it is known from a concrete run, and compares every cost and the end. After a
/// mismatch, which is a bug in Pessimum, the costliest run that did happen takes its place.
pub(super) fn verify(program: &dyn Program, settings: &Settings, mut pace: Pace, result: &mut SearchResult) {
    let Some(mut path) = result.best.take() else { return };
    let until = Instant::now() + 2 * grace(&settings.budget);
    let mut mismatch = None;
    if path.origin == Origin::Symbolic {
        // A run that cannot be repeated in the remaining time is checked as far as it gets.
        let (replay, limits) = match settings.budget.time {
            Some(_) => replay_for(program, &path.witness, &settings.limits, &mut pace, grace(&settings.budget)),
            None => (program.replay(&path.witness, &settings.limits), settings.limits),
        };
        mismatch = compare(program, &path, &replay, &limits);
        if mismatch.is_some() || matches!(replay.end, End::Limit(_)) || path.end == End::Limit(Limit::Decisions) {
            let decisions = path.costs.decisions;
            (path.costs, path.end, path.origin) = (replay.costs, replay.end, Origin::Concrete(limits));
            path.costs.decisions = decisions;
        }
    }
    if mismatch.is_none() && (result.cost == CostModel::Decisions || path.costs.instructions <= CHEAP) {
        mismatch = follow(program, settings, &mut path, until);
    }
    result.defects.extend(mismatch.map(Defect::Mismatch));
    let model = result.cost;
    let better = |verified: &Path| !path.end.is_a_run() || model.of(&verified.costs) > model.of(&path.costs);
    result.best = match result.verified.take() {
        Some(verified) if better(&verified) => Some(verified),
        _ => path.end.is_a_run().then_some(path),
    };
}

/// What a symbolic path promised and its concrete run did not keep. A path that met a limit promises only that the
/// program accepts the input: a concrete run may meet another limit, or meet it at another moment.
fn compare(program: &dyn Program, path: &Path, replay: &Replay, limits: &PathLimits) -> Option<Box<Mismatch>> {
    let cut_off = replay.end == End::Limit(Limit::Instructions) && path.costs.instructions >= limits.instructions;
    if matches!(path.end, End::Limit(_)) || cut_off {
        return (replay.end == End::AssumptionViolated).then(|| Mismatch::new(program, path, replay));
    }
    let mut replay = *replay;
    // A concrete engine cannot count decisions.
    replay.costs.decisions = path.costs.decisions;
    ((replay.costs, replay.end) != (path.costs, path.end)).then(|| Mismatch::new(program, path, &replay))
}

/// Follows the input symbolically to learn its decisions, but not beyond the remaining time.
fn follow(program: &dyn Program, settings: &Settings, path: &mut Path, until: Instant) -> Option<Box<Mismatch>> {
    let time = settings.budget.time.map(|_| until.saturating_duration_since(Instant::now()));
    let limits = match path.origin {
        Origin::Symbolic => settings.limits,
        Origin::Concrete(limits) => limits,
    };
    let settings = Settings { budget: Budget { time, ..Budget::default() }, limits, ..settings.clone() };
    let followed = follow_input(program, &settings, &path.witness)?;
    if followed.witness != path.witness {
        let found = Replay { costs: followed.costs, end: End::AssumptionViolated };
        return Some(Mismatch::new(program, path, &found));
    }
    if matches!(followed.end, End::Limit(_)) || matches!(path.end, End::Limit(_)) {
        return None;
    }
    if path.decisions.is_empty() && path.origin != Origin::Symbolic {
        path.costs.decisions = followed.costs.decisions;
    }
    if (followed.costs, followed.end) != (path.costs, path.end) {
        let found = Replay { costs: followed.costs, end: followed.end };
        return Some(Mismatch::new(program, path, &found));
    }
    if path.decisions.is_empty() {
        path.decisions = followed.decisions;
    }
    None
}

/// The path of one input, if the settings' budget of time and steps is enough for it. Also `None` if the input
/// violates the program's preconditions or assumptions.
pub fn path_of(program: &dyn Program, settings: &Settings, input: &Witness) -> Option<Path> {
    let followed = follow_input(program, settings, input);
    followed.filter(|path| path.witness == *input && path.end != End::AssumptionViolated)
}

/// The path that begins with this input; its witness is another one if assumptions do not hold for the input.
fn follow_input(program: &dyn Program, settings: &Settings, input: &Witness) -> Option<Path> {
    let meter = Meter::new(Budget { paths: None, ..settings.budget }, Cancel::default());
    let mut kernel = Kernel::new(program, settings.solver.clone(), settings.limits, meter);
    let mut path = Path::default();
    let start = Start { witness: Some(input), ..Start::default() };
    match kernel.run(&start, &mut FollowWitness, &mut path) {
        Outcome::Path(_) => Some(path),
        _ => None,
    }
}
