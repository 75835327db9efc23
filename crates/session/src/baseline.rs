//! Random inputs of the same size, run before the search. A worst input is compared with them, and they are its first
//! rivals.

use std::time::{Duration, Instant};

use pessimum_input::GuestValue;
use pessimum_outcome::{CostModel, End, Limit};
use pessimum_report::result::RandomInputs;
use pessimum_search::budget::{Cancel, Until};
use pessimum_search::program::{PathLimits, Replay, Variable};
use pessimum_search::random::Random;
use pessimum_term::{VariableId, Witness};

use crate::Target;
use crate::replay::all_costs_while;

/// Random inputs tried.
const INPUTS: u64 = 1000;

/// After this many instructions of all runs together, about a second, no further input is run.
const INSTRUCTIONS: u64 = 200_000_000;

/// The first run gets one part in this many of what a run may take, and at least so much. One that is cut off doubles it, and
/// one that ended takes it to so many times its length: an endless run is not to take the time of all others.
const FIRST_PART: u64 = 64;
const LEAST: u64 = 10_000;
const LONGER: u64 = 8;

/// If a program asks for its input while it runs, what it asks for after this many instructions is not drawn.
const ASKED_WITHIN: u64 = 20_000_000;

/// What came out.
#[derive(Clone, Debug, Default)]
pub struct Baseline {
    /// The summary; none if no input can vary, the program accepted none of them, or there was no time.
    pub summary: Option<RandomInputs>,
    /// How many runs it leaves out because they ended in another way than the best: crashed, or did not.
    pub others: u64,
    /// Number and cost of each run, and how it ended.
    runs: Vec<(u64, u64, End)>,
    /// Whether there was no time to count what a random input costs.
    pub out_of_time: bool,
    /// How many runs of the summary were cut off at a limit; they would have cost more.
    pub cut: u64,
}

/// Is told of each run: the input, what it did, and the limits within which it was run.
pub type Offer<'o> = dyn FnMut(&Witness, &Replay, &PathLimits) + 'o;

/// What the runs may take together, besides the number of instructions.
#[derive(Clone, Copy, Debug)]
pub struct Allowance<'c> {
    /// The time that is left to the search; a tenth of it is for the random inputs.
    pub time: Option<Duration>,
    /// No further input is started once this is raised.
    pub cancel: &'c Cancel,
}

/// Runs random inputs. A run that is cut off at a limit counts with what it has cost up to there.
pub fn baseline(
    program: &Target,
    cost: CostModel,
    limits: PathLimits,
    seed: u64,
    allowance: Allowance<'_>,
    offer: &mut Offer<'_>,
) -> Baseline {
    let after = |time: Duration| Instant::now().checked_add(time);
    let (deadline, half) =
        (allowance.time.and_then(|time| after(time / 10)), allowance.time.and_then(|time| after(time / 2)));
    let is_over = || allowance.cancel.is_cancelled() || deadline.is_some_and(|deadline| Instant::now() >= deadline);
    let (limits, most) =
        (program.language().pace.affordable(limits, allowance.time), program.language().pace.steps(INSTRUCTIONS));
    let mut draws = Draws::new(program, seed, &Until { moment: half, cancel: allowance.cancel.clone() });
    let mut baseline = Baseline::default();
    if draws.is_constant() {
        return baseline;
    }
    let (mut spent, mut allowed) = (0u64, limits.instructions / FIRST_PART);
    for draw in 0..INPUTS {
        if spent >= most || (draw > 0 && is_over()) {
            break;
        }
        let witness = draws.next();
        // The first run has half of the time, so that there is something to compare with, and something left to search.
        let until = Until { moment: if draw == 0 { half } else { deadline }, cancel: allowance.cancel.clone() };
        let within = PathLimits { instructions: limits.instructions.min(allowed.max(LEAST)), ..limits };
        let (mut replay, within) = program.run_concrete(&witness, &within, &mut || until.go_on());
        allowed = match replay.end {
            End::Limit(Limit::Instructions) => allowed.saturating_mul(2),
            _ => allowed.max(replay.costs.steps().saturating_mul(LONGER)),
        };
        draws.learn(&witness, &until);
        spent = spent.saturating_add(replay.costs.steps());
        if !replay.end.is_a_run() {
            continue;
        }
        if cost == CostModel::Decisions {
            // Only symbolic runs know the number of decisions, and they take several times as long.
            spent = spent.saturating_add(replay.costs.steps().saturating_mul(9));
            match all_costs_while(program, &witness, within, cost, &until) {
                // Cut off before they were counted, they are not 0.
                Some(all) if until.go_on() => replay.costs = all,
                _ => {
                    baseline.out_of_time |= !until.go_on();
                    continue;
                }
            }
        }
        let value = cost.of(&replay.costs);
        baseline.runs.push((draw, value, replay.end));
        offer(&witness, &replay, &within);
    }
    baseline.summarise(|_| true);
    baseline
}

impl Baseline {
    /// Compares only with runs that ended so: crashes are not compared with runs that return.
    pub fn summarise(&mut self, counts: impl Fn(End) -> bool) {
        let (compared, others): (Vec<_>, Vec<_>) = self.runs.iter().partition(|(_, _, end)| counts(*end));
        self.others = others.len() as u64;
        self.cut = compared.iter().filter(|(_, _, end)| end.is_cut()).count() as u64;
        let costs: Vec<(u64, u64)> = compared.into_iter().map(|(draw, cost, _)| (draw, cost)).collect();
        self.summary = summary(&costs);
    }
}

fn summary(costs: &[(u64, u64)]) -> Option<RandomInputs> {
    let highest = costs.iter().map(|&(_, cost)| cost).max()?;
    let average = costs.iter().map(|&(_, cost)| u128::from(cost)).sum::<u128>() as f64 / costs.len() as f64;
    let distance = |&(_, cost): &(u64, u64)| (cost as f64 - average).abs();
    let nearest = costs.iter().copied().min_by(|a, b| distance(a).total_cmp(&distance(b)));
    Some(RandomInputs { inputs: costs.len() as u64, average, highest, nearest })
}

/// The random input with this number in the order of drawing; none if it takes longer than this to find it. (What a
/// program asks for while it runs has to be found by running it.)
pub fn random_input(program: &Target, seed: u64, draw: u64, until: &Until) -> Option<Witness> {
    let mut draws = Draws::new(program, seed, until);
    for _ in 0..draw.min(INPUTS) {
        let witness = draws.next();
        draws.learn(&witness, until);
        if draws.asks && !until.go_on() {
            return None;
        }
    }
    Some(draws.next())
}

/// The random inputs in order. A program that asks for its input while it runs is known only as far as it has asked:
/// what earlier runs asked for is drawn for later ones.
struct Draws<'p> {
    program: &'p Target,
    random: Random,
    variables: Vec<Variable>,
    asks: bool,
}

impl<'p> Draws<'p> {
    fn new(program: &'p Target, seed: u64, until: &Until) -> Draws<'p> {
        let (variables, asks) = (program.variables(), program.asks());
        let mut draws = Draws { program, random: Random::new(seed), variables, asks };
        draws.learn(&program.plan().default_witness(), until);
        draws
    }

    /// Whether there is nothing to draw.
    fn is_constant(&self) -> bool {
        self.variables.is_empty()
    }

    fn next(&mut self) -> Witness {
        let mut input = self.random.witness(&self.variables);
        self.program.repair(&mut input);
        input
    }

    /// Takes in what the program asked for on this input, if that is more than was known.
    fn learn(&mut self, witness: &Witness, until: &Until) {
        if !self.asks {
            return;
        }
        let limits = PathLimits { instructions: ASKED_WITHIN, ..PathLimits::default() };
        let asked = self.program.asked_while(witness, &limits, until);
        let known = self.program.variables().len();
        let count = known + asked.iter().map(|value| value.bytes.unwrap_or(1) as usize).sum::<usize>();
        if count > self.variables.len() {
            self.variables.truncate(known);
            self.variables.extend(asked.iter().flat_map(asked_variables));
        }
    }
}

fn asked_variables(value: &GuestValue) -> impl Iterator<Item = Variable> + use<> {
    let width = if value.bytes.is_some() { 8 } else { value.kind.width() };
    let ids = value.first.0..value.first.0 + value.bytes.unwrap_or(1);
    ids.map(move |id| Variable::unlimited(VariableId(id), width))
}
