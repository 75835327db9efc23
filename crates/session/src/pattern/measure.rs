//! A pattern run at doubling sizes, and what that says.

use std::time::Instant;

use pessimum_outcome::CostModel;
use pessimum_patterns::words::words;
use pessimum_patterns::{Pattern, Runner as _};
use pessimum_report::class::Class;
use pessimum_report::fit::Growth;
use pessimum_report::formula;
use pessimum_report::pattern::{Behind, FoundPattern, GeneratedPoint, growth_of};
use pessimum_report::work::{Recorded, judged};
use pessimum_search::budget::Until;
use pessimum_search::program::PathLimits;
use pessimum_term::Witness;

use super::{PatternTask, Programs, named};
use crate::Error;
use crate::baseline::random_input;
use crate::replay::look;
use crate::work;

/// The largest size that is run.
const LARGEST: u64 = 1 << 20;

/// Instructions of all runs of one pattern together.
const INSTRUCTIONS: u64 = 5_000_000_000;

/// Sizes up to this many times the largest searched one are run if they can be afforded at all. Beyond it a run may take as
/// many instructions as this: growth has shown by then.
const WANTED: u64 = 128;
const BEYOND: u64 = 250_000_000;

/// Random inputs at each size, and the most instructions of all of them at one size.
const RANDOM: u64 = 3;
const RANDOM_INSTRUCTIONS: u64 = 100_000_000;

/// Fewer sizes than this are too few for a class: where the next one is too large, some between are run.
const FEW: usize = 8;

/// The size at which the place of the cost is looked for: the profile does not depend on it much.
const PROFILED: u64 = 64;
const PROFILED_INSTRUCTIONS: u64 = 20_000_000;

/// How patterns are measured.
pub(super) struct Measure<'a> {
    pub task: &'a PatternTask<'a>,
    /// The largest size that was searched.
    pub base: u64,
    /// Up to when it may take.
    pub until: Until,
    /// Up to when recorded runs may take.
    pub recorded: Until,
}

/// The runs so far.
struct Runs {
    points: Vec<GeneratedPoint>,
    spent: u64,
    /// Instructions of the largest one, and the time it took.
    last: Option<(u64, f64)>,
    stopped: String,
}

impl Measure<'_> {
    /// The pattern with its growth, and its generator. Where names that grow longer hide the growth, it is the one with
    /// names of the same length at every size.
    pub fn decided(
        &self,
        pattern: &Pattern,
        programs: &mut Programs<'_>,
    ) -> Result<Option<(FoundPattern, Pattern)>, Error> {
        let Some(found) = self.found(pattern, programs)? else { return Ok(None) };
        let is_plain = |found: &FoundPattern| {
            found.growth.class.is_some_and(|class| match class {
                Class::Power(k) | Class::PowerLog(k) => k.fract() == 0.0,
                _ => true,
            })
        };
        if let Some(even) = pattern.with_even_names().filter(|_| !is_plain(&found))
            && let Some(other) = self.found(&even, programs)?
            && is_plain(&other)
        {
            return Ok(Some((other, even)));
        }
        Ok(Some((found, pattern.clone())))
    }

    /// Runs the pattern at all sizes that can be afforded; none where it has no cost at all.
    fn found(&self, pattern: &Pattern, programs: &mut Programs<'_>) -> Result<Option<FoundPattern>, Error> {
        let by_value = programs.is_by_value();
        let mut runs = Runs { points: Vec::new(), spent: 0, last: None, stopped: String::new() };
        let searched: Vec<u64> = self.task.points.iter().map(|point| point.size).collect();
        let small = if searched.is_empty() { vec![2, 3, 4, 5, 6, 8, 10, 12] } else { searched };
        let mut next = small.clone();
        let mut size = 2 * small.last().copied().unwrap_or(8);
        while size <= LARGEST {
            next.push(size);
            size *= 2;
        }
        let mut above = None;
        for size in next {
            if !self.run(pattern, size, programs, &mut runs) {
                above = Some(size);
                break;
            }
        }
        if runs.stopped.is_empty() {
            runs.stopped = format!("the largest size is {LARGEST}");
        }
        if let Some(above) = above {
            self.between(pattern, above, programs, &mut runs);
        }
        if runs.points.is_empty() {
            return Ok(None);
        }
        let costs: Vec<(u64, u64)> = runs.points.iter().map(|point| (point.size, point.cost)).collect();
        let formula = self.formula(pattern, &costs, programs, &mut runs);
        let names = named(self.task.source)?;
        let behind = self.behind(&costs);
        Ok(Some(FoundPattern {
            pattern: serde_json::to_value(pattern).map_err(|error| Error::new(error.to_string()))?,
            words: words(pattern, &names),
            place: if by_value { None } else { self.place(pattern, programs)? },
            growth: self.judged(growth_of(&costs), pattern, programs, &mut runs.points),
            formula,
            points: runs.points,
            stopped: runs.stopped,
            behind,
        }))
    }

    /// The growth without its class, where work that is not counted may grow faster: some of the runs are made once more and
    /// recorded, the smaller ones first.
    fn judged(
        &self,
        growth: Growth,
        pattern: &Pattern,
        programs: &Programs<'_>,
        points: &mut [GeneratedPoint],
    ) -> Growth {
        /// Lines of all recorded runs, and their largest size: what grows has shown by then.
        const LINES: u64 = 300_000;
        const LARGEST: u64 = 1 << 14;
        let mut left = LINES;
        let mut leaves_out = false;
        for point in points.iter_mut().filter(|point| point.size <= LARGEST) {
            let Ok(Some(at)) = programs.at(point.size) else { continue };
            leaves_out = at.program.language().leaves_out(self.task.cost);
            if !leaves_out || !self.recorded.go_on() {
                break;
            }
            let mut witness = Witness::new(pattern.at(point.size, &at.slots));
            at.program.repair(&mut witness);
            // Other costs than lines are of that order, too.
            point.work = work::of_run(&*at.program, self.task.cost, &witness, point.cost, &self.recorded);
            left = left.saturating_sub(point.cost);
            if left == 0 || point.work.is_none() {
                break;
            }
        }
        if leaves_out { judged(growth, &recorded(points)) } else { growth }
    }

    /// Runs one size. Returns whether larger ones may follow.
    fn run(&self, pattern: &Pattern, size: u64, programs: &mut Programs<'_>, runs: &mut Runs) -> bool {
        let Some(slots) = programs.slots(size) else {
            runs.stopped = format!("there is no input of size {size}");
            return false;
        };
        let most = programs.limits().instructions.min(INSTRUCTIONS.saturating_sub(runs.spent));
        let most = if size > WANTED * self.base { most.min(BEYOND) } else { most };
        if let Some((instructions, seconds)) = expected(runs, size) {
            let left = self.until.moment.map(|moment| moment.saturating_duration_since(Instant::now()).as_secs_f64());
            if instructions > most as f64 || left.is_some_and(|left| seconds > left) {
                runs.stopped = format!("the run at {size} would take too long");
                return false;
            }
        }
        let began = Instant::now();
        programs.set_until(self.until.clone());
        let trial = programs.run(size, pattern.at(size, &slots), most);
        runs.spent = runs.spent.saturating_add(trial.instructions);
        if trial.cut {
            runs.stopped = format!("the run at {size} was cut off");
            return false;
        }
        if trial.cost == 0 {
            runs.stopped = format!("the run at {size} does not return");
            return false;
        }
        runs.last = Some((trial.instructions, began.elapsed().as_secs_f64()));
        let random = self.random(size, programs, trial.instructions);
        let point = GeneratedPoint { size, cost: trial.cost, random, work: None };
        let at = runs.points.partition_point(|other| other.size < size);
        runs.points.insert(at, point);
        true
    }

    /// Sizes between the largest that could be run and the first that could not, where there are few: exponential
    /// growth leaves no room for doubling.
    fn between(&self, pattern: &Pattern, above: u64, programs: &mut Programs<'_>, runs: &mut Runs) {
        let stopped = runs.stopped.clone();
        let Some(last) = runs.points.last().map(|point| point.size) else { return };
        if runs.points.len() >= FEW && last >= 4 * self.base {
            return;
        }
        let mut sizes: Vec<u64> = (1..4).map(|quarter| last + (above - last) * quarter / 4).collect();
        sizes.extend((1..=12).map(|step| last + step));
        sizes.extend((1..=6).map(|part| last * part / 6));
        sizes.sort_unstable();
        sizes.dedup();
        for size in sizes {
            if size < 2 || runs.points.iter().any(|point| point.size == size) {
                continue;
            }
            if !self.run(pattern, size, programs, runs) && size > last {
                break;
            }
        }
        runs.stopped = stopped;
    }

    /// What a few random inputs of this size cost on average.
    fn random(&self, size: u64, programs: &Programs<'_>, instructions: u64) -> Option<f64> {
        let at = programs.at(size).ok()??;
        // A random input seldom costs more than the pattern's.
        if instructions > BEYOND {
            return None;
        }
        let limits = PathLimits { instructions: RANDOM_INSTRUCTIONS.max(instructions), ..programs.limits() };
        let (mut sum, mut count, mut spent) = (0.0, 0.0, 0u64);
        for draw in 0..RANDOM {
            if spent >= RANDOM_INSTRUCTIONS || !self.until.go_on() {
                break;
            }
            let input: Witness = random_input(&*at.program, self.task.seed, draw, &self.until)?;
            let (replay, _) = at.program.run_concrete(&input, &limits, &mut || self.until.go_on());
            spent = spent.saturating_add(replay.costs.steps());
            if replay.end.is_a_run() && !matches!(replay.end, pessimum_outcome::End::Limit(_)) {
                sum += self.task.cost.of(&replay.costs) as f64;
                count += 1.0;
            }
        }
        // Only a symbolic run counts decisions.
        (count > 0.0 && self.task.cost != CostModel::Decisions).then(|| sum / count)
    }

    /// The closed form that all costs follow, checked at sizes that took no part: odd ones among them.
    fn formula(
        &self,
        pattern: &Pattern,
        costs: &[(u64, u64)],
        programs: &mut Programs<'_>,
        runs: &mut Runs,
    ) -> Option<String> {
        let found = |points: &[(u64, u64)]| formula::exact(points);
        // What is special at the smallest sizes need not follow it.
        let from = (0..costs.len()).find(|&from| found(&costs[from..]).is_some())?;
        let first = found(&costs[from..])?;
        let largest = costs.last().map_or(0, |&(size, _)| size);
        let mut checked = costs[from..].to_vec();
        for size in [37, 38, 50, 62, 101, 106, largest / 2 - largest / 8 + 1] {
            if size >= largest || size <= costs[from].0 || costs.iter().any(|&(known, _)| known == size) {
                continue;
            }
            let slots = programs.slots(size)?;
            let trial = programs.run(size, pattern.at(size, &slots), programs.limits().instructions);
            runs.spent = runs.spent.saturating_add(trial.instructions);
            checked.push((size, trial.cost));
        }
        match formula::exact(&checked) {
            Some(formula) => Some(match from {
                0 => formula,
                _ => format!("{formula} from n = {} on", costs[from].0),
            }),
            None => {
                // Odd sizes may leave something over.
                let even = |&&(size, _): &&(u64, u64)| size % 2 == 0;
                let even: Vec<(u64, u64)> = checked.iter().filter(even).copied().collect();
                let holds = formula::exact(&even).as_deref() == Some(first.as_str());
                holds.then(|| format!("{first} for even n"))
            }
        }
    }

    /// How far the pattern is behind the largest search; none where it is not.
    fn behind(&self, costs: &[(u64, u64)]) -> Option<Behind> {
        let point = self.task.points.iter().rev().find(|point| costs.iter().any(|&(size, _)| size == point.size))?;
        let &(size, generated) = costs.iter().find(|&&(size, _)| size == point.size)?;
        (generated < point.cost).then_some(Behind { size, searched: point.cost, generated })
    }

    /// Function and line of the branch that is taken most.
    fn place(&self, pattern: &Pattern, programs: &Programs<'_>) -> Result<Option<String>, Error> {
        let size = PROFILED.max(self.base);
        let Some(at) = programs.at(size)? else { return Ok(None) };
        let witness = Witness::new(pattern.at(size, &at.slots));
        let seen = look(&*at.program, &witness, &programs.limits(), PROFILED_INSTRUCTIONS, &self.until);
        Ok(seen.hottest.first().map(|hot| hot.site.clone()))
    }
}

/// The runs whose work was recorded.
fn recorded(points: &[GeneratedPoint]) -> Vec<Recorded<'_>> {
    points.iter().filter_map(|point| Some((point.size, point.cost, point.work.as_ref()?))).collect()
}

/// Instructions and seconds that the run at a size will take, if growth goes on as between the last two.
fn expected(runs: &Runs, size: u64) -> Option<(f64, f64)> {
    let (instructions, seconds) = runs.last?;
    let [.., before, last] = &runs.points[..] else { return None };
    if size <= last.size || before.cost == 0 || instructions < 1_000_000 {
        return None;
    }
    let exponent = (last.cost as f64 / before.cost as f64).ln() / (last.size as f64 / before.size as f64).ln();
    let mut factor = (size as f64 / last.size as f64).powf(exponent.clamp(0.5, 30.0));
    // Powers grow by less and less from one element to the next, and exponentials do not.
    let per_element = |one: &GeneratedPoint, other: &GeneratedPoint| {
        (other.cost as f64 / one.cost.max(1) as f64).ln() / (other.size - one.size).max(1) as f64
    };
    if let [.., earlier, before, last] = &runs.points[..]
        && per_element(before, last) > EXPONENTIAL * per_element(earlier, before)
    {
        factor = factor.max((per_element(before, last) * (size - last.size) as f64).exp());
    }
    Some((instructions as f64 * factor, seconds * factor))
}

/// Growth per element that stays this much the same from one size to the next looks exponential.
const EXPONENTIAL: f64 = 0.8;
