//! A small suite that covers what a search covered: greedy set cover, then each input made simpler.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use pessimum_input::shrink::{Keeper, Part, simplify};
use pessimum_outcome::{End, Limit};
use pessimum_search::budget::Until;
use pessimum_search::objective::{Find, Goal};
use pessimum_search::observation::Observation;
use pessimum_search::places::Places;
use pessimum_search::program::PathLimits;
use pessimum_term::Witness;

use super::goals::{GoalSet, Numbered};
use crate::Target;
use crate::shrink::parts;

/// Runs to make one input simpler. With a budget of paths, this is what ends it.
const RUNS: u64 = 3000;

/// An input and what it covers.
#[derive(Clone, Debug)]
pub struct Covering {
    /// Which of the programs it is for, by the index of their searches.
    pub at: usize,
    /// The input.
    pub input: Witness,
    /// How its run ended.
    pub end: End,
    /// What its run took.
    pub steps: u64,
    /// The goals that it covers.
    pub goals: GoalSet,
}

impl Covering {
    fn of(at: usize, input: Witness, seen: &Observation, goals: GoalSet) -> Covering {
        Covering { at, input, end: seen.end, steps: seen.costs.steps(), goals }
    }
}

/// Runs an input of which the search found out at least this once more, as long as there is time, and notes all that it covers. Of
/// a run that does not come to its end what the search saw counts too. None if the program does not accept it.
pub fn covering(
    program: &Target,
    (at, find): (usize, Find),
    limits: PathLimits,
    wanted: &Numbered,
    until: &Until,
) -> Option<Covering> {
    let known = find.goals.iter().filter_map(|goal| wanted.number(goal));
    let unfinished = |goals: GoalSet| {
        let (end, steps) = (End::Limit(Limit::Budget), find.steps.unwrap_or(u64::MAX));
        Some(Covering { at, input: Witness::clone(&find.input), end, steps, goals })
    };
    if !until.go_on() {
        return unfinished(wanted.set(known));
    }
    let limits = PathLimits { instructions: find.within.min(limits.instructions), ..limits };
    let (seen, _) = program.observe_while(&find.input, &limits, &mut || until.go_on());
    let places = program.places();
    let covered = wanted.covered(&seen, &places);
    match seen.end {
        End::Limit(Limit::Budget) => unfinished(wanted.set(known.chain(covered))),
        end if !end.is_a_run() => None,
        end => {
            let goals = if end.is_cut() { wanted.set(known.chain(covered)) } else { wanted.set(covered) };
            Some(Covering::of(at, Witness::clone(&find.input), &seen, goals))
        }
    }
}

/// Which of these goals a run covers.
pub(crate) fn covered(seen: &Observation, wanted: &BTreeSet<Goal>, places: &Places) -> BTreeSet<Goal> {
    all_covered(seen, places).filter(|goal| wanted.contains(goal)).collect()
}

/// All that a run covers.
pub(super) fn all_covered(seen: &Observation, places: &Places) -> impl Iterator<Item = Goal> {
    let arms = seen.arms.iter().filter(|arm| arm.hits > 0).map(|arm| {
        let twin = places.twins.get(&(arm.site, arm.arm)).copied();
        Goal::Arm(arm.site, twin.unwrap_or(arm.arm))
    });
    let functions = seen.functions.iter().map(|&function| Goal::Function(function));
    let lines = seen.lines.iter().map(|&line| Goal::Line(line));
    let trap = match seen.end {
        End::Trapped(trap) => Some(Goal::Trap(trap)),
        _ => None,
    };
    arms.chain(functions).chain(lines).chain(trap)
}

/// The inputs that together cover what all of them cover: each time the one that adds most, the shortest run among
/// equals. (A smallest suite would take exponential time; this one is at most a logarithm larger: Chvatal, 1979.)
/// What an earlier choice turns out to add nothing to is left out again.
///
/// What an input adds never grows. So only the one that came first when it was counted last is counted again, until
/// one stays first (Minoux, 1978): ten thousand inputs take milliseconds.
pub fn minimal(candidates: Vec<Covering>, wanted: &Numbered) -> Vec<Covering> {
    let mut covered = wanted.none();
    let rank = |(index, input): (usize, &Covering)| (input.goals.count(), Reverse((input.steps, index)));
    let mut queue: BinaryHeap<_> = candidates.iter().enumerate().map(rank).collect();
    let mut left: Vec<Option<Covering>> = candidates.into_iter().map(Some).collect();
    let mut chosen: Vec<Covering> = Vec::new();
    while let Some((counted, order)) = queue.pop() {
        let slot = &mut left[order.0.1];
        let adds = slot.as_ref().map_or(0, |input| input.goals.beyond(&covered));
        if adds == 0 {
            *slot = None;
        } else if adds < counted {
            queue.push((adds, order));
        } else if let Some(input) = slot.take() {
            input.goals.add_to(&mut covered);
            chosen.push(input);
        }
    }
    let mut times = times(&chosen, wanted);
    chosen.retain(|input| {
        let needed = input.goals.numbers().any(|goal| times[goal as usize] == 1);
        if !needed {
            input.goals.numbers().for_each(|goal| times[goal as usize] -= 1);
        }
        needed
    });
    chosen
}

/// How many inputs cover each goal.
fn times(suite: &[Covering], wanted: &Numbered) -> Vec<u32> {
    let mut times = vec![0; wanted.count()];
    suite.iter().flat_map(|input| input.goals.numbers()).for_each(|goal| times[goal as usize] += 1);
    times
}

/// Makes the inputs of a suite simpler, one after the other. Each keeps the goals that no other input of the suite covers
/// at that moment, so that the suite covers what it did, and the way it ends.
pub fn simplest(
    mut suite: Vec<Covering>,
    programs: &[&Target],
    limits: PathLimits,
    wanted: &Numbered,
    until: &Until,
) -> Vec<Covering> {
    let mut times = times(&suite, wanted);
    for input in &mut suite {
        if !until.go_on() {
            break;
        }
        // Nobody knows how it ends.
        if input.end == End::Limit(Limit::Budget) {
            continue;
        }
        let alone = input.goals.numbers().filter(|&goal| times[goal as usize] == 1);
        let needed: BTreeSet<Goal> = alone.map(|goal| wanted.goal(goal)).collect();
        // A run that goes on for much longer is not simpler.
        let program = programs[input.at];
        let most = input.steps.saturating_mul(2).saturating_add(program.language().pace.steps(1_000_000));
        let limits = PathLimits { instructions: limits.instructions.min(most), ..limits };
        let parts = parts(program.plan(), &program.asked_while(&input.input, &limits, until));
        let values = input.input.values().to_vec();
        let mut keeper = SameGoals { program, limits, needed, end: input.end, runs: 0, until, kept: None };
        simplify(values, parts, &mut keeper);
        if let Some((simple, seen)) = keeper.kept {
            let goals = wanted.set(wanted.covered(&seen, &program.places()));
            input.goals.numbers().for_each(|goal| times[goal as usize] -= 1);
            goals.numbers().for_each(|goal| times[goal as usize] += 1);
            *input = Covering::of(input.at, simple, &seen, goals);
        }
    }
    suite
}

/// Keeps goals and the way a run ends.
struct SameGoals<'a> {
    program: &'a Target,
    limits: PathLimits,
    needed: BTreeSet<Goal>,
    end: End,
    runs: u64,
    until: &'a Until,
    /// The simplest that was accepted, which is the last one, with its run.
    kept: Option<(Witness, Observation)>,
}

impl Keeper for SameGoals<'_> {
    fn keeps(&mut self, values: &[u64]) -> Option<Vec<Part>> {
        self.runs += 1;
        let input = Witness::new(values.to_vec());
        let (seen, _) = self.program.observe_while(&input, &self.limits, &mut || self.until.go_on());
        let same =
            seen.end == self.end && covered(&seen, &self.needed, &self.program.places()).len() == self.needed.len();
        same.then(|| {
            let parts = parts(self.program.plan(), &self.program.asked_while(&input, &self.limits, self.until));
            self.kept = Some((input, seen));
            parts
        })
    }

    fn asks(&self) -> bool {
        self.program.asks()
    }

    fn is_spent(&self) -> bool {
        self.runs >= RUNS || !self.until.go_on()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    fn all() -> Numbered {
        Numbered::of((0..=60_000).map(Goal::Line))
    }

    fn covering(name: u64, lines: &[u32], steps: u64) -> Covering {
        let goals = all().set(lines.iter().copied());
        Covering { at: 0, input: Witness::new(vec![name]), end: End::Returned, steps, goals }
    }

    fn names(suite: &[Covering]) -> Vec<u64> {
        suite.iter().map(|input| input.input.values()[0]).collect()
    }

    #[test]
    fn a_suite_is_small_and_covers_everything() {
        let candidates = vec![
            covering(1, &[1, 2], 5),
            covering(2, &[1, 2, 3, 4], 9),
            covering(3, &[3, 4], 5),
            covering(4, &[5], 7),
            covering(5, &[5], 6),
        ];
        assert_eq!(names(&minimal(candidates, &all())), [2, 5], "the shorter run among equals");
        assert!(minimal(Vec::new(), &all()).is_empty());
    }

    #[test]
    fn what_later_choices_make_useless_is_left_out() {
        // The first choice covers four, but the next two cover all of it.
        let candidates = vec![covering(1, &[1, 2, 3, 4], 1), covering(2, &[1, 2, 5], 1), covering(3, &[3, 4, 6], 1)];
        assert_eq!(names(&minimal(candidates, &all())), [2, 3]);
    }

    /// Thirty thousand inputs, each of which adds something, took the square of that many looks.
    #[test]
    fn suites_of_many_inputs_are_chosen_at_once() {
        let wanted = all();
        let input = |at: u32| {
            let own = [at, 30_000 + at];
            let goals = wanted.set(own.into_iter().chain((0..at % 50).map(|other| other * 600)));
            Covering { at: 0, input: Witness::new(vec![u64::from(at)]), end: End::Returned, steps: 1, goals }
        };
        let candidates: Vec<Covering> = (0..30_000).map(input).collect();
        let began = Instant::now();
        assert_eq!(minimal(candidates, &wanted).len(), 30_000);
        assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
    }
}
