//! Runs an input again: its costs, how it ended, and where the cost is.

use std::time::{Duration, Instant};

use pessimum_input::GuestValue;
use pessimum_outcome::{CostModel, Costs, End, Limit};
use pessimum_report::profile::Profile;
use pessimum_report::result::HotSite;
use pessimum_search::budget::{Budget, Until};
use pessimum_search::program::{PathLimits, Replay};
use pessimum_search::search::{FEW_NUMBERS, Settings, path_of};
use pessimum_term::Witness;

use crate::baseline::random_input;
use crate::target::KEPT;
use crate::{Crash, Target};

/// What can be learnt only by running the machine again.
pub struct Replayed {
    /// How it ended, if all of it was profiled.
    pub end: String,
    /// What it cost, if all of it was profiled, without decisions.
    pub costs: Costs,
    /// What the host or the program itself said when it gave up; none if it ended otherwise.
    pub failure: Option<String>,
    /// How it crashed, if it did, or what is known of a run that gave no answer.
    pub crash: Option<Crash>,
    /// What the program itself asked for.
    pub asked: Vec<GuestValue>,
    /// The most executed sites, in descending order.
    pub hottest: Vec<HotSite>,
    /// WASI functions that were called but are not provided, and how often.
    pub unsupported: Vec<(&'static str, u64)>,
    /// Where the cost is.
    pub profile: Profile,
    /// Instructions that the profile and the sites cover, if that is only the beginning of the run.
    pub profiled: Option<u64>,
}

/// The first items of a list in order of importance, which are worth keeping.
pub fn kept<T: Clone>(list: &[T]) -> Vec<T> {
    list.iter().take(KEPT).cloned().collect()
}

/// How many steps of a run of this program are profiled after a search that had this much time; all of them after a search
/// without a time limit.
pub fn profiled_steps(program: &Target, time: Option<Duration>) -> u64 {
    program.language().pace.profiled(time)
}

/// Runs the program on this input and profiles it, for at most the first `most` instructions and no longer than this.
pub fn look(program: &Target, witness: &Witness, limits: &PathLimits, most: u64, until: &Until) -> Replayed {
    let within = PathLimits { instructions: limits.instructions.min(most), ..*limits };
    let mut stopped = false;
    let mut profiled = program.profile_while(witness, &within, &mut || {
        stopped = !until.go_on();
        !stopped
    });
    let cut = match profiled.end {
        End::Limit(Limit::Instructions) => stopped || within != *limits,
        End::Limit(Limit::Budget) => true,
        _ => false,
    };
    if cut {
        profiled.asked = program.asked_while(witness, limits, until);
    }
    Replayed {
        end: profiled.end.to_string(),
        costs: profiled.costs,
        failure: profiled.failure,
        crash: (profiled.end.is_crash() || profiled.end == End::Limit(Limit::Time))
            .then(|| program.crash(witness, until))
            .flatten(),
        hottest: profiled.hottest,
        unsupported: profiled.unsupported,
        profile: profiled.profile,
        profiled: cut.then_some(profiled.costs.steps()),
        asked: profiled.asked,
    }
}

/// Random inputs that are run to see whether all of them crash in the same place.
const TRIED: u64 = 16;

/// Whether random inputs crash in the same place as this one, all of them.
pub fn crashes_always(program: &Target, crashed: &Crash, seed: u64, until: &Until) -> bool {
    (0..TRIED).all(|draw| {
        let other = random_input(program, seed, draw, until).and_then(|input| program.crash(&input, until));
        other.is_some_and(|other| other.innermost == crashed.innermost)
    })
}

/// Instructions up to which a run is followed symbolically only for its number of decisions.
const FOLLOWED: u64 = 20_000_000;

/// All costs of an input; none if the program does not accept it. Decisions, which only a symbolic run knows, are
/// counted if they are the cost asked for or neither run nor input is long, and are 0 otherwise.
pub fn all_costs(program: &Target, witness: &Witness, limits: PathLimits, model: CostModel) -> Option<Costs> {
    all_costs_while(program, witness, limits, model, &Until::default())
}

/// The same, but no longer than this: the costs of what was run up to then, without decisions if they could not be
/// counted in time.
pub fn all_costs_while(
    program: &Target,
    witness: &Witness,
    limits: PathLimits,
    model: CostModel,
    until: &Until,
) -> Option<Costs> {
    costs_and_end(program, witness, limits, model, until).map(|ran| ran.costs)
}

/// The same, and how the run ended.
pub fn costs_and_end(
    program: &Target,
    witness: &Witness,
    limits: PathLimits,
    model: CostModel,
    until: &Until,
) -> Option<Replay> {
    let (replay, limits) = program.run_concrete(witness, &limits, &mut || until.go_on());
    if !replay.end.is_a_run() {
        return None;
    }
    // To follow what hangs takes as long again.
    if replay.end.is_cut() && replay.end != End::Limit(Limit::Instructions) {
        return Some(replay);
    }
    let is_large = until.moment.is_some() && witness.values().len() > FEW_NUMBERS;
    if model != CostModel::Decisions && (is_large || replay.costs.steps() > program.language().pace.steps(FOLLOWED)) {
        return Some(replay);
    }
    let time = until.moment.map(|moment| moment.saturating_duration_since(Instant::now()));
    let budget = Budget { time, ..Budget::default() };
    let settings = Settings { limits, budget, cancel: until.cancel.clone(), ..Settings::default() };
    match path_of(program, &settings, witness) {
        Some(path) => {
            let costs = Costs { decisions: path.costs.decisions, ..replay.costs };
            Some(Replay { costs, ..replay })
        }
        None if !until.go_on() => Some(replay),
        None => None,
    }
}
