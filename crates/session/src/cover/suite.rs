//! A small suite that covers what a search covered: greedy set cover, then each input made simpler.

use std::collections::{BTreeMap, BTreeSet};

use pessimum_input::shrink::{Keeper, Part, simplify};
use pessimum_outcome::End;
use pessimum_search::budget::Until;
use pessimum_search::objective::Goal;
use pessimum_search::observation::Observation;
use pessimum_search::places::Places;
use pessimum_search::program::PathLimits;
use pessimum_term::Witness;

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
    /// What its run did.
    pub seen: Observation,
    /// The goals among those asked for that it covers.
    pub goals: BTreeSet<Goal>,
}

impl Covering {
    /// Runs an input and observes which of these goals it covers. None if the program does not accept it.
    pub fn of(
        program: &Target,
        at: usize,
        input: Witness,
        limits: &PathLimits,
        wanted: &BTreeSet<Goal>,
    ) -> Option<Covering> {
        let seen = program.observe(&input, limits);
        let goals = covered(&seen, wanted, &program.places());
        seen.end.is_a_run().then_some(Covering { at, input, seen, goals })
    }
}

/// Which of these goals a run covers.
pub(crate) fn covered(seen: &Observation, wanted: &BTreeSet<Goal>, places: &Places) -> BTreeSet<Goal> {
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
    arms.chain(functions).chain(lines).chain(trap).filter(|goal| wanted.contains(goal)).collect()
}

/// The inputs that together cover what all of them cover: each time the one that adds most, the shortest run among
/// equals. (A smallest suite would take exponential time; this one is at most a logarithm larger: Chvatal, 1979.)
/// What an earlier choice turns out to add nothing to is left out again.
pub fn minimal(candidates: Vec<Covering>) -> Vec<Covering> {
    let mut left = candidates;
    let mut open: BTreeSet<Goal> = left.iter().flat_map(|input| input.goals.iter().copied()).collect();
    let mut chosen: Vec<Covering> = Vec::new();
    while !open.is_empty() {
        let adds = |input: &Covering| input.goals.intersection(&open).count();
        let rank =
            |(index, input): &(usize, &Covering)| (adds(input), std::cmp::Reverse((input.seen.costs.steps(), *index)));
        let Some((best, _)) = left.iter().enumerate().max_by_key(rank) else { break };
        let best = left.remove(best);
        open.retain(|goal| !best.goals.contains(goal));
        chosen.push(best);
    }
    let mut times: BTreeMap<Goal, u32> = BTreeMap::new();
    for goal in chosen.iter().flat_map(|input| &input.goals) {
        *times.entry(*goal).or_default() += 1;
    }
    chosen.retain(|input| {
        let needed = input.goals.iter().any(|goal| times[goal] == 1);
        if !needed {
            input.goals.iter().for_each(|goal| *times.entry(*goal).or_default() -= 1);
        }
        needed
    });
    chosen
}

/// Makes the inputs of a suite simpler, one after the other. Each keeps the goals that no other input of the suite covers
/// at that moment, so that the suite covers what it did, and the way it ends.
pub fn simplest(
    mut suite: Vec<Covering>,
    programs: &[&Target],
    limits: PathLimits,
    wanted: &BTreeSet<Goal>,
    until: &Until,
) -> Vec<Covering> {
    for index in 0..suite.len() {
        if !until.go_on() {
            break;
        }
        let others: BTreeSet<Goal> = suite
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != index)
            .flat_map(|(_, input)| input.goals.iter().copied())
            .collect();
        let input = &suite[index];
        let needed: BTreeSet<Goal> = input.goals.difference(&others).copied().collect();
        // A run that goes on for much longer is not simpler.
        let program = programs[input.at];
        let most = input.seen.costs.steps().saturating_mul(2).saturating_add(program.pace().steps(1_000_000));
        let limits = PathLimits { instructions: limits.instructions.min(most), ..limits };
        let parts = parts(program.plan(), &program.asked_while(&input.input, &limits, &Until::default()));
        let values = input.input.values().to_vec();
        let mut keeper = SameGoals { program, limits, needed, end: input.seen.end, runs: 0, until };
        let simple = Witness::new(simplify(values, parts, &mut keeper).values);
        if let Some(simple) = Covering::of(program, input.at, simple, &limits, wanted) {
            suite[index] = simple;
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
}

impl Keeper for SameGoals<'_> {
    fn keeps(&mut self, values: &[u64]) -> Option<Vec<Part>> {
        self.runs += 1;
        let input = Witness::new(values.to_vec());
        let seen = self.program.observe(&input, &self.limits);
        let same =
            seen.end == self.end && covered(&seen, &self.needed, &self.program.places()).len() == self.needed.len();
        same.then(|| parts(self.program.plan(), &self.program.asked_while(&input, &self.limits, &Until::default())))
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
    use pessimum_outcome::Costs;

    fn covering(name: u64, lines: &[u32], instructions: u64) -> Covering {
        let costs = Costs { instructions, ..Costs::default() };
        let seen = Observation {
            end: End::Returned,
            costs,
            arms: Vec::new(),
            comparisons: Vec::new(),
            divisions: Vec::new(),
            functions: Vec::new(),
            lines: lines.to_vec(),
        };
        let goals = lines.iter().map(|&line| Goal::Line(line)).collect();
        Covering { at: 0, input: Witness::new(vec![name]), seen, goals }
    }

    fn names(suite: &[Covering]) -> Vec<u64> {
        suite.iter().map(|input| input.input.values()[0]).collect()
    }

    #[test]
    fn a_suite_is_small_and_covers_everything() {
        let suite = minimal(vec![
            covering(1, &[1, 2], 5),
            covering(2, &[1, 2, 3, 4], 9),
            covering(3, &[3, 4], 5),
            covering(4, &[5], 7),
            covering(5, &[5], 6),
        ]);
        assert_eq!(names(&suite), [2, 5], "the shorter run among equals");
        assert!(minimal(Vec::new()).is_empty());
    }

    #[test]
    fn what_later_choices_make_useless_is_left_out() {
        // The first choice covers four, but the next two cover all of it.
        let suite =
            minimal(vec![covering(1, &[1, 2, 3, 4], 1), covering(2, &[1, 2, 5], 1), covering(3, &[3, 4, 6], 1)]);
        assert_eq!(names(&suite), [2, 3]);
    }
}
