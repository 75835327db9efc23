//! From a suite to the result that is printed and saved. Every count comes from running the suite.

use std::collections::BTreeSet;

use pessimum_input::Domain;
use pessimum_outcome::{End, Limit};
use pessimum_report::cover::{CoverResult, ReachResult, Reason, SuiteTest};
use pessimum_search::budget::Until;
use pessimum_search::objective::Goal;
use pessimum_search::program::{Arm, SiteId};

use super::coverage::{Counts, coverage};
use super::words::condition;
use super::{AtSize, Covered, Covering, Scope};
use crate::plan::{SearchPlan, SubjectPlan};
use crate::result::{Origin, solver_use};
use crate::{Error, half_of_the_rest};

/// Open arms whose condition is put into words: each takes a symbolic run.
const CONDITIONS: usize = 200;

/// Runs every input of the suite once more, by itself, and puts together what it covers and what it does not.
pub fn result(
    covered: &Covered,
    scope: &Scope,
    (subject, search): (&SubjectPlan, &SearchPlan),
    origin: &Origin,
) -> Result<CoverResult, Error> {
    let places = &*covered.places();
    let goals = |covering: &Covering| covering.goals.numbers().map(|number| covered.wanted.goal(number)).collect();
    let each: Vec<BTreeSet<Goal>> = covered.suite.iter().map(goals).collect();
    let counts = Counts::of(each.iter());
    let mut solver = pessimum_solver::Counters::default();
    covered.found().for_each(|found| solver.add(&found.solver));
    let mut words = CONDITIONS;
    let mut seen = BTreeSet::new();
    let (mut inputs, mut tests) = (Vec::new(), Vec::new());
    for (covering, goals) in covered.suite.iter().zip(&each) {
        let adds = goals.iter().filter(|goal| seen.insert(**goal)).count() as u64;
        let at = &covered.at[covering.at];
        let (input, test) = run_test(at, covering, adds, &covered.until)?;
        inputs.push(input);
        tests.push(test);
    }
    Ok(CoverResult {
        module: subject.module.name.clone(),
        call: subject.start.text().map(str::to_string),
        sizes: covered.at.iter().filter_map(|at| at.size).collect::<BTreeSet<u64>>().into_iter().collect(),
        strategy: search.strategy.clone(),
        seed: search.seed,
        coverage: coverage(scope, places, &counts, |site, arm| why_open(covered, site, arm, &mut words)),
        inputs,
        tests,
        paths: covered.paths(),
        decisions: covered.found().map(|found| found.counters.decisions).sum(),
        solver: solver_use(&solver),
        complete: covered.complete,
        domain: domain(covered),
        stopped: covered.stop.name().to_string(),
        elapsed_s: covered.elapsed.as_secs_f64(),
        arguments: origin.arguments.clone(),
        command: origin.command.clone(),
    })
}

/// What was searched at all sizes together.
fn domain(covered: &Covered) -> Option<String> {
    Domain::of_sizes(covered.at.iter().map(|at| at.program.domain())).text()
}

/// Runs the input that reaches a place once more, if there is one, and says what it does.
pub fn reached(
    covered: &Covered,
    place: &str,
    (subject, search): (&SubjectPlan, &SearchPlan),
    origin: &Origin,
) -> Result<ReachResult, Error> {
    let found = match covered.suite.first() {
        Some(covering) => Some(run_test(&covered.at[covering.at], covering, 1, &covered.until)?),
        None => None,
    };
    let (input, test) = found.map_or((serde_json::Value::Null, None), |(input, test)| (input, Some(test)));
    Ok(ReachResult {
        module: subject.module.name.clone(),
        call: subject.start.text().map(str::to_string),
        reach: place.to_string(),
        reached: test.is_some(),
        input,
        test,
        complete: covered.complete,
        domain: domain(covered),
        stopped: covered.stop.name().to_string(),
        paths: covered.paths(),
        elapsed_s: covered.elapsed.as_secs_f64(),
        strategy: search.strategy.clone(),
        seed: search.seed,
        arguments: origin.arguments.clone(),
        command: origin.command.clone(),
    })
}

/// One input of a suite in the machine without observation, as `pessimum run` runs it: in the form of `--input`, and what
/// it does. An observed run that ended otherwise would be a defect of ours.
fn run_test(
    at: &AtSize,
    covering: &Covering,
    adds: u64,
    until: &Until,
) -> Result<(serde_json::Value, SuiteTest), Error> {
    let until = half_of_the_rest(until.moment, &until.cancel);
    // Without a clock a run that was cut off would take all that a run may take.
    let goes_on = until.moment.is_some() || !covering.end.is_cut();
    let ran = at.program.run_while(&covering.input, &mut || goes_on && until.go_on())?;
    // Only runs that met a limit may be cut off earlier, and those for which there was no time.
    let cut_off = matches!(covering.end, End::Limit(_)) || ran.end == End::Limit(Limit::Budget);
    if !cut_off && ran.end != covering.end {
        let (then, now) = (covering.end, ran.end);
        return Err(Error::new(format!(
            "the input {:?} ended with \"{then}\" when it was observed, but with \"{now}\" when it was run again; this is \
             a bug in Pessimum",
            covering.input.values()
        )));
    }
    // What a run came to at a limit of the search is nearer to the truth than that there was no time for it.
    let is_unknown = ran.end == End::Limit(Limit::Budget) && covering.end.is_cut();
    let test = SuiteTest {
        size: at.size,
        end: if is_unknown { covering.end } else { ran.end }.to_string(),
        returned: ran.returned,
        adds,
        why: ran.why,
        backtrace: ran.backtrace,
        trapped_at: ran.crashed_at,
    };
    Ok((at.program.plan().encode(&covering.input, &ran.asked), test))
}

/// Why an arm is open, and, for as many as `words` says, what would have to hold for it.
fn why_open(covered: &Covered, site: SiteId, arm: Arm, words: &mut usize) -> (Reason, Option<String>) {
    let given_up = covered.at.iter().any(|at| at.goals.was_given_up(site, arm));
    let reason = match (covered.complete, given_up) {
        (true, _) => Reason::Unreachable,
        (false, true) => Reason::GaveUp,
        (false, false) => Reason::NotReached,
    };
    let mut text = None;
    if reason != Reason::Unreachable && *words > 0 && covered.until.go_on() {
        *words -= 1;
        text = condition_of(covered, site, arm);
    }
    (reason, text)
}

/// What would have to hold for the arm to be taken where a run came closest to it.
fn condition_of(covered: &Covered, site: SiteId, arm: Arm) -> Option<String> {
    let close = covered.at.iter().filter_map(|at| {
        let nearest = at.goals.nearest(Goal::Arm(site, arm))?;
        Some((nearest.distance, nearest.input, &at.program))
    });
    let (_, input, program) = close.min_by_key(|(distance, ..)| *distance)?;
    let until = half_of_the_rest(covered.until.moment, &covered.until.cancel);
    condition(&**program, &input, (site, arm), covered.limits, &until)
}
