//! The last check of a search, in which its best input is run again, and how long that may take.
//!
//! Every best input is replayed in the concrete machine before it is reported. A difference is reported as our defect,
//! the best run that did happen is kept, and nothing is hidden. A path that the budget cuts off, or that is far longer
//! than the best, is not lost: its input is run concretely and recorded.

use super::{Defect, Mismatch, SearchResult, Settings};
use crate::budget::{Budget, Cancel, Meter, Until};
use crate::decider::FollowWitness;
use crate::kernel::{Kernel, Outcome, Start};
use crate::path::{Origin, Path};
use crate::program::{Afresh, PathLimits, Program, Replay};
use pessimum_outcome::{CostModel, End, Limit};
use pessimum_term::Witness;
use std::time::{Duration, Instant};

/// How long a run after the end of a cancelled search may take: short enough that nobody presses Ctrl-C again.
const GRACE: Duration = Duration::from_millis(200);

/// How long a run after the end of the search may take: half of what is left of its overtime, so that something is left
/// for what comes after it. If time is not limited, it takes as long as it takes, or until the search is cancelled.
pub(super) fn half_of_the_rest(overtime: Option<Instant>, cancel: &Cancel) -> Until {
    let half = overtime.map(|end| Instant::now() + end.saturating_duration_since(Instant::now()) / 2);
    Until::cancelled(cancel, GRACE).and_moment(half)
}

/// Instructions up to which following an input symbolically takes negligible time.
const CHEAP: u64 = 2_000_000;

/// Numbers of an input up to which setting up a symbolic run takes negligible time: their ranges are conditions like any
/// others. Beyond that, an input is not followed only to be checked if time is limited.
pub const FEW_NUMBERS: usize = 50_000;

/// Runs the costliest inputs again, unless they are known from a concrete run, and compares every cost and the end. After
/// a mismatch, which is a bug in Pessimum, the costliest run that did happen takes the place of a path. Where runs may leave
/// something behind, concrete runs are repeated as well, in a place where nothing was run before, and count as they are there.
pub(super) fn verify(program: &dyn Program, settings: &Settings, overtime: Option<Instant>, result: &mut SearchResult) {
    if let Some(path) = result.bests.take_cut() {
        result.bests.put(run_on(program, settings, overtime, path));
    }
    let afresh = program.leaves_traces() && !settings.watch.is_nested();
    let mut known: Vec<Witness> = Vec::new();
    for path in result.bests.take().paths() {
        let (mut path, mismatch) = checked(program, settings, overtime, path);
        result.defects.extend(mismatch.map(Defect::Mismatch));
        known.push(path.witness.clone());
        result.defects.extend(afresh.then(|| repeat(program, settings, overtime, &mut path)).flatten());
        result.bests.put(path);
    }
    for mut path in result.verified.take().paths().filter(|path| !afresh || !known.contains(&path.witness)) {
        result.defects.extend(afresh.then(|| repeat(program, settings, overtime, &mut path)).flatten());
        result.bests.put(path);
    }
    result.settle();
}

/// What becomes of a run that was cut off before it had all that a run may take, if it gets that now.
fn run_on(program: &dyn Program, settings: &Settings, overtime: Option<Instant>, path: Path) -> Path {
    match path.origin {
        Origin::Concrete(limits) if limits.instructions < settings.limits.instructions => {
            let until = half_of_the_rest(overtime, &settings.cancel);
            let (replay, limits) = program.run_concrete(&path.witness, &settings.limits, &mut || until.go_on());
            // On a busy machine it may not have come as far.
            if replay.end.is_cut() && settings.cost.of(&replay.costs) < settings.cost.of(&path.costs) {
                return path;
            }
            Path { costs: replay.costs, end: replay.end, origin: Origin::Concrete(limits), ..path }
        }
        _ => path,
    }
}

/// Runs the input of a concrete run where nothing was run before. What it does there is what counts.
fn repeat(program: &dyn Program, settings: &Settings, overtime: Option<Instant>, path: &mut Path) -> Option<Defect> {
    let Origin::Concrete(limits) = path.origin else { return None };
    // A run that was cut off would be cut off elsewhere.
    if matches!(path.end, End::Limit(_)) {
        return None;
    }
    let until = half_of_the_rest(overtime, &settings.cancel);
    let (mut replay, limits) = program.run_concrete(&path.witness, &limits, &mut Afresh(|| until.go_on()));
    replay.costs.decisions = path.costs.decisions;
    let (is_same, was_cut) = ((replay.costs, replay.end) == (path.costs, path.end), !until.go_on());
    if is_same || was_cut || !replay.end.is_a_run() {
        return None;
    }
    path.decisions.clear();
    (path.costs, path.end, path.origin) = (replay.costs, replay.end, Origin::Concrete(limits));
    Some(Defect::Unsteady { input: path.witness.clone(), at: None })
}

/// What looks like a defect of ours is none if the program does not do the same twice.
pub(super) fn excuse(program: &dyn Program, limits: &PathLimits, defects: &mut Vec<Defect>) {
    let mut told = false;
    defects.retain_mut(|defect| {
        let input = match defect {
            Defect::Mismatch(mismatch) => &mismatch.input,
            Defect::PathMissed { input, .. } => input,
            Defect::Unsteady { input, at } => {
                if !told {
                    *at = program.differs_at(input, limits);
                }
                return !std::mem::replace(&mut told, true);
            }
            Defect::GoalLost { .. } | Defect::NotPermitted(_) | Defect::Failed(_) => return true,
        };
        // Once it is known of one input, it explains the others.
        if !told && !program.repeats(input, limits) {
            told = true;
            *defect = Defect::Unsteady { input: input.clone(), at: program.differs_at(input, limits) };
            return true;
        }
        !told
    });
}

/// A path as it was when its input was run again, and what it had promised and did not keep.
fn checked(
    program: &dyn Program,
    settings: &Settings,
    overtime: Option<Instant>,
    mut path: Path,
) -> (Path, Option<Box<Mismatch>>) {
    let mut mismatch = None;
    if path.origin == Origin::Symbolic {
        // A run that cannot be repeated in the remaining time is checked as far as it gets.
        let until = half_of_the_rest(overtime, &settings.cancel);
        let (replay, limits) = program.run_concrete(&path.witness, &settings.limits, &mut Afresh(|| until.go_on()));
        // A run that could not be made says nothing.
        mismatch = (replay.end != End::Unsupported).then(|| compare(program, &path, &replay, &limits)).flatten();
        let cut_off = path.end.is_cut() && path.end != End::Limit(Limit::Instructions);
        if mismatch.is_some() || matches!(replay.end, End::Limit(_)) || cut_off {
            let decisions = path.costs.decisions;
            (path.costs, path.end, path.origin) = (replay.costs, replay.end, Origin::Concrete(limits));
            path.costs.decisions = decisions;
        }
    }
    let is_small = settings.budget.time.is_none() || path.witness.values().len() <= FEW_NUMBERS;
    let is_cheap = settings.cost == CostModel::Decisions || path.costs.steps() <= CHEAP;
    if mismatch.is_none() && is_small && is_cheap {
        mismatch = follow(program, settings, &mut path, &half_of_the_rest(overtime, &settings.cancel));
    }
    (path, mismatch)
}

/// What a symbolic path promised and its concrete run did not keep. A path that met a limit promises only that the
/// program accepts the input: a concrete run may meet another limit, or meet it at another moment.
fn compare(program: &dyn Program, path: &Path, replay: &Replay, limits: &PathLimits) -> Option<Box<Mismatch>> {
    let cut_off = match replay.end {
        End::Limit(Limit::Instructions | Limit::Budget) => path.costs.steps() >= limits.instructions,
        end => end.is_cut(),
    };
    if matches!(path.end, End::Limit(_)) || cut_off {
        return (replay.end == End::AssumptionViolated).then(|| Mismatch::new(program, path, replay));
    }
    let mut replay = *replay;
    // A concrete engine cannot count decisions.
    replay.costs.decisions = path.costs.decisions;
    ((replay.costs, replay.end) != (path.costs, path.end)).then(|| Mismatch::new(program, path, &replay))
}

/// Follows the input symbolically to learn its decisions, but not beyond the remaining time.
fn follow(program: &dyn Program, settings: &Settings, path: &mut Path, until: &Until) -> Option<Box<Mismatch>> {
    let time = until.moment.map(|moment| moment.saturating_duration_since(Instant::now()));
    let limits = match path.origin {
        Origin::Symbolic => settings.limits,
        Origin::Concrete(limits) => limits,
    };
    let (budget, cancel) = (Budget { time, ..Budget::default() }, until.cancel.clone());
    let settings = Settings { budget, cancel, limits, ..settings.clone() };
    let followed = follow_input(program, &settings, &path.witness)?;
    if followed.witness != path.witness {
        let found = Replay { costs: followed.costs, end: End::AssumptionViolated, unsupported: 0 };
        return Some(Mismatch::new(program, path, &found));
    }
    if matches!(followed.end, End::Limit(_) | End::Unsupported) || matches!(path.end, End::Limit(_)) {
        return None;
    }
    if path.decisions.is_empty() && path.origin != Origin::Symbolic {
        path.costs.decisions = followed.costs.decisions;
    }
    if (followed.costs, followed.end) != (path.costs, path.end) {
        let found = Replay { costs: followed.costs, end: followed.end, unsupported: 0 };
        return Some(Mismatch::new(program, path, &found));
    }
    if path.decisions.is_empty() {
        path.decisions = followed.decisions;
    }
    None
}

/// The path of one input, if the settings' budget of time and steps and their memory are enough for it and nobody
/// cancels them. Also `None` if the input violates the program's preconditions or assumptions.
pub fn path_of(program: &dyn Program, settings: &Settings, input: &Witness) -> Option<Path> {
    let followed = follow_input(program, settings, input);
    followed.filter(|path| path.witness == *input && path.end != End::AssumptionViolated)
}

/// The path that begins with this input; its witness is another one if assumptions do not hold for the input.
fn follow_input(program: &dyn Program, settings: &Settings, input: &Witness) -> Option<Path> {
    let meter = Meter::new(Budget { paths: None, ..settings.budget }, settings.cancel.clone());
    let meter = meter.with_memory(settings.memory);
    let mut kernel = Kernel::new(program, settings.solver.clone(), settings.limits, meter);
    let mut path = Path::default();
    let start = Start { witness: Some(input), ..Start::default() };
    match kernel.run(&start, &mut FollowWitness, &mut path) {
        Outcome::Path(End::Limit(Limit::SearchMemory)) => None,
        Outcome::Path(_) => Some(path),
        _ => None,
    }
}
