//! What C code is handed by a Python program, which costs do not count: told by one recorded run more of an input that is
//! reported.

use std::time::Duration;

use pessimum_outcome::CostModel;
use pessimum_report::curve::CurvePoint;
use pessimum_report::fit::Growth;
use pessimum_report::work::{self, Recorded, Work};
use pessimum_search::budget::Until;
use pessimum_search::program::PathLimits;
use pessimum_term::Witness;

use crate::Target;
use crate::language::Language;

/// Lines of a run that is recorded where time is limited, which take some tenths of a second, and elsewhere.
const LINES: u64 = 100_000;
const LINES_AT_MOST: u64 = 3_000_000;

/// What is kept of a search's time for the recorded run after it.
pub(crate) fn kept(language: &Language, cost: CostModel, time: Duration) -> Duration {
    const MOST: Duration = Duration::from_millis(700);
    if language.leaves_out(cost) { (time / 8).min(MOST) } else { Duration::ZERO }
}

/// How the worst case and the average of random inputs grow, without their classes where work that costs leave out may
/// grow faster.
pub fn judged(
    language: &Language,
    cost: CostModel,
    points: &[CurvePoint],
    (worst, random): (Growth, Option<Growth>),
) -> (Growth, Option<Growth>) {
    if !language.leaves_out(cost) {
        return (worst, random);
    }
    let runs: Vec<Recorded<'_>> =
        points.iter().filter_map(|point| Some((point.size, point.cost, point.work.as_ref()?))).collect();
    let worst = work::judged(worst, &runs);
    // What random inputs leave C to do was not recorded; the same operations are in their way.
    let random = random.map(|random| work::as_in(random, &worst));
    (worst, random)
}

/// What C code is handed in the run of an input; none where costs leave nothing out, and where the run is too long to be
/// recorded.
pub(crate) fn of_run(program: &Target, cost: CostModel, input: &Witness, lines: u64, until: &Until) -> Option<Work> {
    if !program.language().leaves_out(cost) {
        return None;
    }
    let most = if until.moment.is_some() { LINES } else { LINES_AT_MOST };
    if lines > most {
        return None;
    }
    // What is put into the program may make some lines more of it.
    let limits = PathLimits { instructions: 2 * most, ..PathLimits::default() };
    program.work_while(input, &limits, &mut || until.go_on())
}
