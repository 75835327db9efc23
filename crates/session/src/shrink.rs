//! Makes a worst input simpler at the same cost, and shorter if that is asked for.
//!
//! What simpler means is decided in [`pessimum_input::shrink`]; here candidates are run, and sizes tried.

use std::time::{Duration, Instant};

use pessimum_input::shrink::{Keeper, Look, Part, shortened, simplify};
use pessimum_input::{Argument, Bounds, Group, GuestValue, InputPlan, Kind};
use pessimum_outcome::{CostModel, Costs, End};
use pessimum_report::result::RandomInputs;
use pessimum_search::budget::{Cancel, Until, overtime};
use pessimum_search::program::PathLimits;
use pessimum_term::Witness;

use crate::baseline::{Allowance, baseline};
use crate::replay::all_costs_while;
use crate::{Error, Outcome, Source, Target, half_of_the_rest, time_left, working_time};

/// Sizes above this are not shortened one element at a time from every place.
const MOST_PLACES: usize = 64;

/// The input to be made simpler, and what that may take.
pub struct ShrinkTask<'a> {
    /// The program.
    pub source: &'a Source,
    /// The input.
    pub witness: Witness,
    /// What it has to keep.
    pub cost: CostModel,
    /// The seed of the random inputs of smaller sizes.
    pub seed: u64,
    /// Whether smaller sizes are tried, and what they have to keep.
    pub shorter: Option<Keep>,
    /// The random inputs of the saved result, for comparison.
    pub random: Option<RandomInputs>,
    /// How long to try; none means no limit.
    pub time: Option<Duration>,
    /// How many runs to make; none means no limit.
    pub runs: Option<u64>,
    /// Ends it from outside.
    pub cancel: Cancel,
}

/// What a shorter input keeps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Keep {
    /// The cost.
    Cost,
    /// How many times the average of random inputs of its size it costs.
    Ratio(f64),
}

/// A simpler input.
pub struct Shrunk {
    /// The program at the size that was reached.
    pub source: Source,
    /// The same, ready to run.
    pub program: Box<Target>,
    /// The input.
    pub witness: Witness,
    /// All its costs.
    pub costs: Costs,
    /// Random inputs of this size.
    pub random: Option<RandomInputs>,
    /// Whether nothing simpler was left to try.
    pub finished: bool,
    /// Runs made.
    pub runs: u64,
    /// Wall clock.
    pub elapsed: Duration,
    /// Up to when what comes after it may take; none if time is not limited.
    pub overtime: Option<Instant>,
}

/// An input that is being made simpler.
pub struct Shrinking<'a> {
    task: ShrinkTask<'a>,
    work: Work,
    shortening: Option<Shortening>,
}

impl<'a> Shrinking<'a> {
    /// Runs the input as it is.
    pub fn start(task: ShrinkTask<'a>) -> Result<Shrinking<'a>, Error> {
        let (began, cancel) = (Instant::now(), task.cancel.clone());
        let left = task.time.map(|time| time_left(time, task.source.opened()));
        let time = left.map(|time| working_time(time, task.witness.values().len()));
        let overtime = left.and_then(|time| overtime(began, time));
        let spending = Spending { began, time, overtime, most: task.runs, runs: 0, cancel };
        let work = Work::start(&task, spending)?;
        let shortening = task.shorter.map(|keep| Shortening::new(&task, keep)).transpose()?;
        Ok(Shrinking { task, work, shortening })
    }

    /// What the input costs.
    pub fn cost(&self) -> u64 {
        self.work.bar
    }

    /// Makes it simpler until nothing is left to try or the budget is spent.
    pub fn run(mut self) -> Result<Shrunk, Error> {
        let finished = loop {
            let finished = self.work.simplify();
            let Some(shortening) = &mut self.shortening else { break finished };
            let before = shortening.size;
            shortening.shorten(&mut self.work);
            if shortening.size == before {
                break finished && !self.work.spending.is_spent();
            }
        };
        let (source, random) = match self.shortening {
            Some(shortening) => (shortening.source, shortening.random),
            None => (self.task.source.clone(), self.task.random),
        };
        let Work { program, values, limits, cost, spending, mut costs, .. } = self.work;
        let witness = Witness::new(values);
        let (runs, elapsed, overtime) = (spending.runs, spending.began.elapsed(), spending.overtime);
        // Only a symbolic run knows the decisions. If it takes too long, they are not known.
        let until = half_of_the_rest(overtime, &spending.cancel);
        if let Some(all) = all_costs_while(&*program, &witness, limits, cost, &until)
            && all.steps() == costs.steps()
        {
            costs = all;
        }
        Ok(Shrunk { source, program, witness, costs, random, finished, runs, elapsed, overtime })
    }
}

/// How many runs have been made, and whether there may be more.
struct Spending {
    began: Instant,
    time: Option<Duration>,
    /// Up to when what comes after it may take: as after a search.
    overtime: Option<Instant>,
    most: Option<u64>,
    runs: u64,
    cancel: Cancel,
}

impl Spending {
    fn is_spent(&self) -> bool {
        self.time.is_some_and(|time| self.began.elapsed() >= time)
            || self.most.is_some_and(|most| self.runs >= most)
            || self.cancel.is_cancelled()
    }

    /// How long a run may take.
    fn until(&self) -> Until {
        Until { moment: self.time.and_then(|time| self.began.checked_add(time)), cancel: self.cancel.clone() }
    }
}

/// The limits of runs that have to end like one with these costs: what continues for much longer ends in another way, so there is no
/// need to wait for it. What is not counted, such as code that makes the arguments, takes instructions too.
fn short_of(program: &Target, limits: PathLimits, costs: Costs) -> PathLimits {
    let most = costs.steps().saturating_mul(2).saturating_add(program.language().pace.steps(1_000_000));
    PathLimits { instructions: limits.instructions.min(most), ..limits }
}

/// The input as it is now, and what it has to keep.
struct Work {
    program: Box<Target>,
    values: Vec<u64>,
    parts: Vec<Part>,
    cost: CostModel,
    /// The limits of each candidate's run.
    limits: PathLimits,
    /// The least cost allowed: the greatest seen, so that a costlier input found on the way is not lost.
    bar: u64,
    /// All costs of the input; decisions only if they are what it has to keep.
    costs: Costs,
    end: End,
    spending: Spending,
}

impl Work {
    fn start(task: &ShrinkTask<'_>, spending: Spending) -> Result<Work, Error> {
        let (source, witness, limits) = (task.source, &task.witness, task.source.limits());
        let program = source.program(source.plan().size)?;
        let until = spending.until();
        let mut late = false;
        let (replay, _) = program.run_concrete(witness, &limits, &mut || {
            late = !until.go_on();
            !late
        });
        let refused = || Error::new("the program does not accept this input");
        if late {
            return Err(Error::new(
                "running this input once takes longer than there is time; give it more with --budget",
            ));
        }
        if replay.end == End::AssumptionViolated {
            return Err(refused());
        }
        let parts = parts(program.plan(), &program.asked_while(witness, &limits, &Until::default()));
        let limits =
            if matches!(replay.end, End::Limit(_)) { limits } else { short_of(&*program, limits, replay.costs) };
        let (values, cost, end) = (witness.values().to_vec(), task.cost, replay.end);
        let mut work = Work { program, values, parts, cost, limits, bar: 0, costs: replay.costs, end, spending };
        if cost == CostModel::Decisions {
            work.costs = work.costs_of(witness).ok_or_else(refused)?;
        }
        work.bar = cost.of(&work.costs);
        Ok(work)
    }

    /// The costs, if the run ends as it must and in time.
    fn costs_of(&self, witness: &Witness) -> Option<Costs> {
        if self.program.permits(witness) == Some(false) {
            return None;
        }
        let until = self.spending.until();
        let (replay, _) = self.program.run_concrete(witness, &self.limits, &mut || until.go_on());
        if replay.end != self.end {
            return None;
        }
        match self.cost {
            CostModel::Decisions => all_costs_while(&*self.program, witness, self.limits, self.cost, &until),
            _ => Some(replay.costs),
        }
    }

    /// Makes the input simpler. Returns whether nothing simpler was left to try.
    fn simplify(&mut self) -> bool {
        let shrunk = simplify(self.values.clone(), self.parts.clone(), self);
        (self.values, self.parts) = (shrunk.values, shrunk.parts);
        shrunk.finished
    }
}

impl Keeper for Work {
    fn keeps(&mut self, values: &[u64]) -> Option<Vec<Part>> {
        self.spending.runs += 1;
        let witness = Witness::new(values.to_vec());
        let costs = self.costs_of(&witness).filter(|costs| self.cost.of(costs) >= self.bar)?;
        // A run that the time cut off may seem to be like one that its limit cut off.
        if self.spending.is_spent() && matches!(self.end, End::Limit(_)) {
            return None;
        }
        (self.bar, self.costs) = (self.cost.of(&costs), costs);
        Some(parts(self.program.plan(), &self.program.asked_while(&witness, &self.limits, &Until::default())))
    }

    fn asks(&self) -> bool {
        self.program.asks()
    }

    fn is_spent(&self) -> bool {
        self.spending.is_spent()
    }
}

/// The runs that may be made for the sake of a readable input once a search is over, and the instructions of all of them: less than
/// a tenth of a second. They are counted, so that equal searches show equal inputs.
const READABLE: (u64, u64) = (2_000, 10_000_000);

/// Makes what a search ended with easier to read: values that a solver or chance chose become simple ones where that changes
/// neither a cost nor the end. `pessimum shrink` goes on from there. Nothing is done where only a symbolic run counts the cost.
pub fn make_readable(outcome: &mut Outcome, program: &Target, cost: CostModel) {
    if cost == CostModel::Decisions {
        return;
    }
    let limits = outcome.limits;
    for other in [false, true] {
        let until = outcome.until();
        let path = if other { &mut outcome.found.other } else { &mut outcome.found.best };
        if let Some(path) = path
            && let Some(witness) = readable(program, path.end, &path.witness, limits, until)
        {
            path.witness = witness;
        }
    }
}

/// The input with simpler values; none if a few runs find none.
fn readable(program: &Target, end: End, input: &Witness, limits: PathLimits, until: Until) -> Option<Witness> {
    let (runs, steps) = (READABLE.0, program.language().pace.steps(READABLE.1));
    let mut reader = Reader { program, end, costs: Costs::default(), limits, runs, steps, until };
    // What is cut off is too long to be run again and again.
    if matches!(end, End::Limit(_)) {
        return None;
    }
    reader.costs = reader.costs_of(input)?;
    reader.limits = short_of(program, limits, reader.costs);
    let parts = parts(program.plan(), &program.asked_while(input, &limits, &Until::default()));
    let values = input.values().to_vec();
    let simpler = simplify(values, parts, &mut reader).values;
    (simpler != input.values()).then(|| Witness::new(simpler))
}

/// Runs candidates for a readable input.
struct Reader<'a> {
    program: &'a Target,
    end: End,
    /// What every candidate has to cost.
    costs: Costs,
    limits: PathLimits,
    /// Runs and steps that are left.
    runs: u64,
    steps: u64,
    until: Until,
}

impl Reader<'_> {
    /// The costs of a run that ends as it must.
    fn costs_of(&mut self, witness: &Witness) -> Option<Costs> {
        if self.program.permits(witness) == Some(false) {
            return None;
        }
        let until = &self.until;
        let (replay, _) = self.program.run_concrete(witness, &self.limits, &mut || until.go_on());
        self.steps = self.steps.saturating_sub(replay.costs.steps());
        (replay.end == self.end).then_some(replay.costs)
    }
}

impl Keeper for Reader<'_> {
    fn keeps(&mut self, values: &[u64]) -> Option<Vec<Part>> {
        self.runs = self.runs.saturating_sub(1);
        let witness = Witness::new(values.to_vec());
        let costs = self.costs_of(&witness)?;
        if costs != self.costs {
            return None;
        }
        let (program, limits) = (self.program, self.limits);
        Some(parts(program.plan(), &program.asked_while(&witness, &limits, &Until::default())))
    }

    fn asks(&self) -> bool {
        self.program.asks()
    }

    fn is_spent(&self) -> bool {
        self.runs == 0 || self.steps < self.costs.steps() || !self.until.go_on()
    }
}

/// The input as the shrinker sees it. Bytes of texts, files and standard input are text; everything else is numbers.
pub(crate) fn parts(plan: &InputPlan, asked: &[GuestValue]) -> Vec<Part> {
    let is_text = |group: &Group| {
        let buffer = plan.arguments.iter().any(|argument| match argument {
            Argument::Buffer(other) | Argument::Scalar(other) => {
                other.first == group.first && other.count == group.count && !other.utf8 && !other.text
            }
            Argument::Structure(_) => {
                argument.groups().any(|other| other.first == group.first && !other.characters && !other.text)
            }
            _ => false,
        });
        group.is_bytes() && !buffer
    };
    let mut parts: Vec<Part> = plan.groups().map(|group| part(group, is_text(group))).collect();
    for value in asked {
        let count = value.bytes.unwrap_or(1);
        let kind = if value.bytes.is_some() { Kind::U8 } else { value.kind };
        parts.push(part(&Group::new(value.first.0, count, kind), false));
    }
    parts
}

fn part(group: &Group, text: bool) -> Part {
    let width = group.kind.width();
    let (least, most) = match group.kind {
        Kind::Bool => (0, 1),
        kind if kind.is_signed() => (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1),
        _ => (0, (1i128 << width) - 1),
    };
    let look = match (group.kind.is_float(), text, group.bounds) {
        (true, _, Some(Bounds::Float { low, high })) => Look::Float { range: Some((low, high)) },
        (true, ..) => Look::Float { range: None },
        (_, true, Some(Bounds::Unsigned { low, high })) => Look::Text { low: low as u8, high: high as u8 },
        (_, true, _) => Look::Text { low: 0, high: 255 },
        (_, _, Some(Bounds::Signed { low, high })) => {
            Look::Integer { signed: true, low: low.into(), high: high.into() }
        }
        (_, _, Some(Bounds::Unsigned { low, high })) => {
            Look::Integer { signed: false, low: low.into(), high: high.into() }
        }
        _ => Look::Integer { signed: group.kind.is_signed(), low: least, high: most },
    };
    let pieces = group.pieces.as_ref().map(|pieces| pieces.iter().map(|piece| piece.ends(group.kind)).collect());
    Part { first: group.first as usize, count: group.count as usize, width, look, pieces }
}

/// The search for the smallest size.
struct Shortening {
    source: Source,
    keep: Keep,
    cost: CostModel,
    seed: u64,
    size: usize,
    /// The text of `--stdin` after its number, if that number is the size; otherwise `--size` is.
    stdin_rest: Option<String>,
    /// The random inputs of the size reached.
    random: Option<RandomInputs>,
}

impl Shortening {
    fn new(task: &ShrinkTask<'_>, keep: Keep) -> Result<Shortening, Error> {
        let plan = task.source.plan();
        let stdin = plan.stdin.clone().unwrap_or_default();
        let (digits, rest) = stdin.split_at(stdin.len() - stdin.trim_start_matches(|c: char| c.is_ascii_digit()).len());
        let plain = rest.trim().is_empty() || rest.trim_start().starts_with("in ");
        let (size, stdin_rest) = match (plan.size, digits.parse::<usize>()) {
            (Some(size), _) => (usize::try_from(size).map_err(|_| Error::new("--size: too large"))?, None),
            (None, Ok(length)) if plain => (length, Some(rest.to_string())),
            _ => {
                let needs = "--shorter needs an input whose length can change: --size, or a number after --stdin";
                return Err(Error::new(needs));
            }
        };
        let (source, random) = (task.source.clone(), task.random.clone());
        Ok(Shortening { source, keep, cost: task.cost, seed: task.seed, size, stdin_rest, random })
    }

    /// The same program with another size; none if the program or the call does not allow it.
    fn at(&self, size: usize) -> Option<(Source, Box<Target>)> {
        let source = match &self.stdin_rest {
            None => self.source.at_size(Some(size as u64)),
            Some(rest) => self.source.with_stdin(&format!("{size}{rest}")).ok()?,
        };
        let program = source.program(source.plan().size).ok()?;
        Some((source, program))
    }

    /// Removes elements, half of them first, as long as what must be kept is kept.
    fn shorten(&mut self, work: &mut Work) {
        let mut step = self.size / 2;
        while step >= 1 && self.size > 1 && !work.spending.is_spent() {
            step = step.min(self.size - 1);
            if !self.take_away(step, work) {
                step /= 2;
            }
        }
    }

    /// Tries inputs with this many fewer elements. Returns whether one was accepted.
    fn take_away(&mut self, step: usize, work: &mut Work) -> bool {
        let smaller = self.size - step;
        let Some((source, program)) = self.at(smaller) else { return false };
        let old = std::mem::replace(&mut work.program, program);
        let counts = self.counts(smaller, work);
        let compare = |work: &Work| {
            let time = work.spending.time.map(|time| time.saturating_sub(work.spending.began.elapsed()));
            let allowance = Allowance { time, cancel: &work.spending.cancel };
            baseline(&*work.program, self.cost, work.limits, self.seed, allowance, &mut |_, _, _| {}).summary
        };
        let mut random = None;
        for offset in self.places(step) {
            if work.spending.is_spent() {
                break;
            }
            work.spending.runs += 1;
            let values = shortened(&work.values, &work.parts, &counts, (self.size, smaller, offset));
            let witness = Witness::new(values.clone());
            let Some(costs) = work.costs_of(&witness) else { continue };
            let cost = work.cost.of(&costs);
            let kept = match self.keep {
                Keep::Cost => cost >= work.bar,
                Keep::Ratio(ratio) => {
                    random = random.or_else(|| compare(work));
                    random.as_ref().is_some_and(|random| cost as f64 >= ratio * random.average)
                }
            };
            if !kept {
                continue;
            }
            work.parts =
                parts(work.program.plan(), &work.program.asked_while(&witness, &work.limits, &Until::default()));
            (work.values, work.bar, work.costs) = (values, cost, costs);
            self.random = random.or_else(|| compare(work));
            (self.size, self.source) = (smaller, source);
            return true;
        }
        work.program = old;
        false
    }

    /// The number of elements of each part at a smaller size.
    fn counts(&self, smaller: usize, work: &Work) -> Vec<usize> {
        let plan = work.program.plan();
        let mut counts: Vec<usize> = plan.groups().map(|group| group.count as usize).collect();
        // What the program itself asks for is not known before the run, so it is scaled in proportion.
        for part in work.parts.iter().skip(counts.len()) {
            counts.push(if part.count > 1 { (part.count * smaller).div_ceil(self.size) } else { 1 });
        }
        counts
    }

    /// Where this many elements may be removed. The end comes first: what is read last matters least, and the place
    /// is the same at every size.
    fn places(&self, step: usize) -> Vec<usize> {
        let smaller = self.size - step;
        let stride = step.max(self.size.div_ceil(MOST_PLACES));
        let mut places: Vec<usize> = (0..=smaller).step_by(stride).collect();
        if places.last() != Some(&smaller) {
            places.push(smaller);
        }
        places.reverse();
        places
    }
}
