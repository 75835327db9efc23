//! Every input, where there are so few that all of them can be run: whatever the solver makes of a program, nothing is left
//! to be found then.
//!
//! A session asks for this, not a strategy, so that tables of published strategies have none of it, and what is run
//! counts for no budget of paths. `paths` follows each input symbolically instead, because two inputs may be one path.

use super::best::Bests;
use super::{Extremes, Search};
use crate::decider::FollowWitness;
use crate::domain::Domain;
use crate::kernel::{Outcome, Start};
use crate::path::Path;
use crate::program::{PathLimits, Replay};
use pessimum_outcome::{CostModel, End};
use pessimum_solver::Until;
use pessimum_term::Witness;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// The part of the time, if it is limited, that this may take.
const TIME_SHARE: f64 = 0.3;

/// What a run takes besides its own steps, in steps.
const STEPS_OF_A_RUN: u64 = 1000;

/// What a decision takes beyond that if the run is symbolic, in steps.
const STEPS_OF_A_DECISION: u64 = 100;

/// Runs between two looks at how long all of them will take.
const LOOK_EVERY: u64 = 16;

/// Whether all inputs can be run in what there is for them, as far as those show that were run.
pub(crate) struct Pace {
    inputs: u64,
    done: u64,
    steps: u64,
    /// What all of them may take if time is not limited: the same on every machine.
    most_steps: u64,
    /// When the first run was over, since the start of the search: it makes what all have in common.
    began: Option<Duration>,
    most_time: Option<Duration>,
}

impl Pace {
    /// That of all these inputs, in this share of the time, or in these steps.
    pub fn of(search: &Search<'_>, domain: &Domain, most_steps: u64) -> Pace {
        let most_time = search.kernel.meter.remaining().time.map(|left| left.mul_f64(TIME_SHARE));
        Pace { inputs: domain.count(), done: 0, steps: 0, most_steps, began: None, most_time }
    }

    /// How long a single run may take.
    fn until(&self, search: &Search<'_>) -> Until {
        search.kernel.meter.until().and_moment(self.most_time.and_then(|most| Instant::now().checked_add(most)))
    }

    /// Counts a run with these steps and decisions. Returns whether there is enough left for all.
    pub fn goes_on(&mut self, search: &Search<'_>, steps: u64, decisions: u64) -> bool {
        let effort = steps.saturating_add(decisions.saturating_mul(STEPS_OF_A_DECISION)) + STEPS_OF_A_RUN;
        (self.done, self.steps) = (self.done + 1, self.steps.saturating_add(effort));
        let elapsed = || search.kernel.meter.elapsed();
        let began = *self.began.get_or_insert_with(elapsed);
        if !self.done.is_multiple_of(LOOK_EVERY) {
            return true;
        }
        let times = self.inputs as f64 / self.done as f64;
        match self.most_time {
            Some(most) => elapsed().saturating_sub(began).mul_f64(times) <= most,
            None => self.steps as f64 * times <= self.most_steps as f64,
        }
    }
}

impl Search<'_> {
    /// All inputs, where there are few and all of them are known beforehand.
    pub(crate) fn domain(&mut self) -> Option<Domain> {
        let program = self.kernel.program();
        let domain = Domain::of(self.variables.get_or_insert_with(|| program.variables()));
        domain.filter(|_| !program.asks())
    }

    /// Runs every input, if the settings say so, there are few, and they do not take long. Like the random inputs before a
    /// search they are not paths of the strategy, whose budget stays its own. Returns how many there were if each was run
    /// to its end, so that nothing else is to be found.
    pub(crate) fn run_every_input(&mut self) -> Option<u64> {
        let most_steps = self.settings.every_input?;
        let domain = self.domain()?;
        let mut pace = Pace::of(self, &domain, most_steps);
        let until = pace.until(self);
        let (mut ends, mut extremes) = (BTreeMap::new(), None);
        let mut seen = Bests::new(self.cost, self.settings.ends, self.settings.limits.instructions);
        for input in domain.scattered() {
            if self.stop().is_some() || !until.go_on() {
                return None;
            }
            let mut spent = (0, 0);
            if self.kernel.permits(&input) {
                let (replay, limits) = self.run_exactly(&input, &until)?;
                spent = (replay.costs.steps(), replay.costs.decisions);
                *ends.entry(replay.end).or_insert(0) += 1;
                if replay.end.is_a_run() {
                    seen.see(&replay.costs, replay.end);
                    Extremes::add_to(&mut extremes, &replay.costs);
                    self.consider(&input, &replay, limits);
                }
            }
            if !pace.goes_on(self, spent.0, spent.1) {
                return None;
            }
        }
        let runs = ends.iter().filter(|(end, _)| **end != End::AssumptionViolated).map(|(_, count)| count).sum();
        for (end, count) in ends {
            *self.ends.entry(end).or_insert(0) += count;
        }
        if let Some(seen) = extremes {
            Extremes::add_to(&mut self.extremes, &seen.least);
            Extremes::add_to(&mut self.extremes, &seen.greatest);
        }
        self.bests.join(seen);
        self.every_input = Some(runs);
        Some(runs)
    }

    /// Runs an input to its end; none if it has not come to it in time, at a limit, or without something that is not
    /// provided.
    fn run_exactly(&mut self, input: &Witness, until: &Until) -> Option<(Replay, PathLimits)> {
        let limits = *self.kernel.limits();
        let (mut replay, within) = self.kernel.program().run_concrete(input, &limits, &mut || until.go_on());
        self.kernel.meter.steps += replay.costs.steps();
        if matches!(replay.end, End::Limit(_) | End::Unsupported) || replay.unsupported > 0 {
            self.consider(input, &replay, within);
            return None;
        }
        if self.cost == CostModel::Decisions && replay.end.is_a_run() {
            // Only a symbolic run knows which branches depend on the input.
            let (start, mut path) = (Start { witness: Some(input), ..Start::default() }, Path::default());
            self.kernel.release();
            let Outcome::Path(end) = self.kernel.run(&start, &mut FollowWitness, &mut path) else { return None };
            if (end, &path.witness) != (replay.end, input) {
                return None;
            }
            replay.costs.decisions = path.costs.decisions;
        }
        Some((replay, limits))
    }

    /// Counts the inputs that were run as paths: for strategies that have nothing left to do.
    pub(crate) fn count_every_input(&mut self, runs: u64) {
        (0..runs).for_each(|_| self.count_path());
    }
}
