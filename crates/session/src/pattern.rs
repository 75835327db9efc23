//! From worst inputs of small sizes to a generator for any size: examples are gathered, generators synthesised
//! ([`pessimum_patterns`]), run at doubling sizes, and what they cost there is fitted.
//!
//! Examples are worst inputs as found and made simpler, and a small covering suite, since what costs most at a large
//! size may be nothing special at a small one. Candidates are compared in three stages, each at a larger size; one that
//! is cut off is compared at half the size, and ranks above all that were not. Niches by the branch that is taken most
//! keep root causes apart, and each also keeps its purest member, because the costliest candidate may be a mixture of
//! causes.

mod measure;
mod runner;

use std::time::{Duration, Instant};

use pessimum_input::{Argument, Content, InputPlan};
use pessimum_outcome::{CostModel, Ends};
use pessimum_patterns::words::Named;
use pessimum_patterns::{
    Atom, Candidate, Effort, Example, Filling, List, Material, Pattern, Runner as _, chosen, synthesise,
};
use pessimum_report::curve::CurvePoint;
use pessimum_report::pattern::FoundPattern;
use pessimum_search::budget::{Budget, Cancel, Until};
use pessimum_term::Witness;

use crate::cover::{CoverTask, Nobody, Scope, Wanted, cover};
use crate::plan::SearchPlan;
use crate::{Error, Source, work};

use measure::Measure;
pub use runner::Programs;

/// What is to be found, from what, and what that may take.
pub struct PatternTask<'a> {
    /// The program.
    pub source: &'a Source,
    /// What is maximised.
    pub cost: CostModel,
    /// Among which runs.
    pub ends: Ends,
    /// The seed.
    pub seed: u64,
    /// What searches found, in ascending order of sizes; empty where `n` is the value of a parameter.
    pub points: &'a [CurvePoint],
    /// The largest size that patterns are made from; none means the largest of the points.
    pub largest: Option<u64>,
    /// Inputs that were given to learn from, with their sizes.
    pub given: Vec<(u64, Witness)>,
    /// How many paths the search for inputs that take every branch has.
    pub paths: u64,
    /// When everything must be over; none means no limit.
    pub end: Option<Instant>,
    /// Ends it from outside.
    pub cancel: Cancel,
    /// The solver's settings.
    pub solver: pessimum_solver::Settings,
}

/// What came of it.
pub struct Extension {
    /// One for each root cause, the fastest growth first.
    pub patterns: Vec<FoundPattern>,
    /// The generators of the patterns, in the same order.
    pub generators: Vec<Pattern>,
    /// How many inputs were run.
    pub runs: u64,
}

impl<'a> PatternTask<'a> {
    /// The points that patterns are made from. All others are only compared with what a pattern costs.
    fn learnt_from(&self) -> &'a [CurvePoint] {
        let most = self.largest.unwrap_or(u64::MAX);
        &self.points[..self.points.partition_point(|point| point.size <= most)]
    }
}

/// Parts of the time: for inputs that take every branch, and for the synthesis; the rest is for the largest sizes.
const COVER_SHARE: f64 = 0.15;
const SYNTHESIS_SHARE: f64 = 0.5;

/// A parameter whose values are tried has at least these.
const FIRST_VALUES: u64 = 12;

/// Finds patterns and how they grow.
pub fn extend(task: &PatternTask<'_>) -> Result<Extension, Error> {
    let began = Instant::now();
    let part = |share: f64| task.end.map(|end| began + end.saturating_duration_since(began).mul_f64(share));
    let until = |moment: Option<Instant>| Until { moment, cancel: task.cancel.clone() };
    let mut programs = Programs::new(task.source, task.cost, task.ends, until(part(COVER_SHARE + SYNTHESIS_SHARE)))?;
    let base = task.learnt_from().last().map_or(FIRST_VALUES, |point| point.size);
    let material = Material {
        examples: examples(task, part(COVER_SHARE), &mut programs)?,
        texts: programs.at(base)?.map_or_else(Vec::new, |at| at.program.texts()),
    };
    let effort = Effort { seed: task.seed, ..Effort::default() };
    let candidates = match programs.is_by_value() {
        true => by_value(&mut programs, &effort),
        false => synthesise(&mut programs, &material, base, &effort),
    };
    programs.set_until(until(task.end));
    let mut found: Vec<(FoundPattern, Pattern)> = Vec::new();
    let count = candidates.len() as u32;
    for (number, candidate) in candidates.into_iter().enumerate() {
        // The first one gets most of the time that is left.
        let left = task.end.map(|end| end.saturating_duration_since(Instant::now()));
        let share = left.map(|left| if number == 0 { left.mul_f64(0.7) } else { left / (count - number as u32) });
        let moment = |share: Option<Duration>| until(share.and_then(|share| Instant::now().checked_add(share)));
        let kept = |share: Duration| share - work::kept(task.source.language(), task.cost, share);
        let measure = Measure { task, base, until: moment(share.map(kept)), recorded: moment(share) };
        found.extend(measure.decided(&candidate.pattern, &mut programs)?);
    }
    let runs = programs.runs();
    let mut patterns: Vec<FoundPattern> = found.iter().map(|(pattern, _)| pattern.clone()).collect();
    pessimum_report::pattern::sort(&mut patterns);
    worth_telling(&mut patterns);
    let generator = |pattern: &FoundPattern| {
        let same = found.iter().find(|(other, _)| other.pattern == pattern.pattern);
        same.map(|(_, generator)| generator.clone())
    };
    let generators = patterns.iter().filter_map(generator).collect();
    Ok(Extension { patterns, generators, runs })
}

/// Other causes are told only where they grow faster than the input can be read or sorted.
fn worth_telling(patterns: &mut Vec<FoundPattern>) {
    let harmless = pessimum_report::class::Class::PowerLog(1.0);
    let mut first = true;
    patterns.retain(|found| {
        let growth = &found.growth;
        let keeps = first || growth.uncounted.is_some() || growth.class.is_some_and(|class| class.is_above(harmless));
        first = false;
        keeps
    });
}

/// Where `n` is a value: each parameter is `n`, a little less, or small; at least one of them grows.
fn by_value(programs: &mut Programs<'_>, effort: &Effort) -> Vec<Candidate> {
    /// Combinations of several parameters that are tried.
    const MOST: usize = 4000;
    let Some(slots) = programs.slots(FIRST_VALUES) else { return Vec::new() };
    let scalar = |per_size, base| Filling::Scalar { per_size, base };
    let mut patterns: Vec<Vec<Filling>> = vec![Vec::new()];
    for slot in &slots {
        let fillings = match slot.scalar {
            true => vec![scalar(1, 0), scalar(1, -1), scalar(0, 1), scalar(0, 0), scalar(0, 2), scalar(0, 7)],
            // What does not grow stays plain.
            false => vec![Filling::List(List::repeated(vec![Atom::Values(vec![slot.value(slot.literal(0))])]))],
        };
        let with = |done: &Vec<Filling>| {
            let done = done.clone();
            fillings.iter().map(move |filling| [&done[..], std::slice::from_ref(filling)].concat())
        };
        patterns = patterns.iter().flat_map(with).take(MOST).collect();
    }
    let is_value = |filling: &Filling| *filling == scalar(1, 0);
    patterns.retain(|fillings| fillings.iter().any(is_value));
    let patterns: Vec<Pattern> = patterns.into_iter().map(|slots| Pattern { slots }).collect();
    chosen(programs, &patterns, FIRST_VALUES, effort)
}

/// Inputs to learn from: the worst ones that were found, those of the largest size first, and some that take every branch,
/// since what costs most at a large size may be nothing special at a small one.
fn examples(task: &PatternTask<'_>, end: Option<Instant>, programs: &mut Programs<'_>) -> Result<Vec<Example>, Error> {
    let mut examples = Vec::new();
    for (size, input) in &task.given {
        let Some(at) = programs.at(*size)? else { continue };
        let cost = task.cost.of(&at.program.replay(input, &task.source.limits()).costs);
        examples.push(Example { size: *size, values: input.values().to_vec(), cost });
    }
    for point in task.learnt_from().iter().rev() {
        let Some(at) = programs.at(point.size)? else { continue };
        let Ok((witness, _)) = at.program.plan().decode(&point.input) else { continue };
        let values = witness.values().to_vec();
        examples.push(Example { size: point.size, values, cost: point.cost });
    }
    if !programs.is_by_value() {
        let shrunk: Vec<Example> = examples.iter().filter_map(|example| programs.simplified(example)).collect();
        // Plain values first: they are what the pattern will be made of.
        examples = shrunk.into_iter().chain(examples).collect();
        examples.extend(covering(task, end, programs)?);
    }
    Ok(examples)
}

/// Inputs of middle sizes that together take every branch, as far as they are found quickly.
fn covering(task: &PatternTask<'_>, end: Option<Instant>, programs: &Programs<'_>) -> Result<Vec<Example>, Error> {
    let learnt_from = task.learnt_from();
    let sizes: Vec<u64> = learnt_from.iter().map(|point| point.size).filter(|&size| size >= 6).collect();
    let sizes = match sizes[..] {
        [] => learnt_from.iter().map(|point| point.size).collect(),
        [only] => vec![only],
        [.., _] => vec![sizes[sizes.len() / 2 - 1], sizes[sizes.len() - 1]],
    };
    let (Some(&first), Some(&last)) = (sizes.first(), sizes.last()) else { return Ok(Vec::new()) };
    let program = task.source.program(Some(last))?;
    let goals = Scope::own(&program.places()).goals().collect();
    let search = SearchPlan {
        cost: CostModel::default(),
        ends: Ends::default(),
        seed: task.seed,
        strategy: "auto".to_string(),
        options: Default::default(),
        policy: None,
    };
    // Its time is counted from when the program was opened.
    let time = end.map(|end| end.saturating_duration_since(task.source.opened()).max(Duration::from_millis(1)));
    let covered = cover(
        &CoverTask {
            source: task.source,
            sizes: sizes.iter().map(|&size| Some(size)).collect(),
            search: &search,
            wanted: Wanted::All(goals),
            budget: Budget { paths: Some(task.paths), time, steps: None },
            starts: Vec::new(),
            known: Vec::new(),
            earlier: (Duration::ZERO, 0),
            memory: None,
            cancel: task.cancel.clone(),
            solver: task.solver.clone(),
        },
        &mut Nobody,
    )?;
    let limits = programs.limits();
    let mut examples = Vec::new();
    for covering in &covered.suite {
        let Some(at) = covered.at.get(covering.at) else { continue };
        let replay = at.program.replay(&covering.input, &limits);
        let size = at.size.unwrap_or(first);
        examples.push(Example { size, values: covering.input.values().to_vec(), cost: task.cost.of(&replay.costs) });
    }
    examples.sort_by_key(|example| std::cmp::Reverse((example.size, example.cost)));
    Ok(examples)
}

/// How the slots of an input are spoken of.
pub fn named(source: &Source) -> Result<Vec<Named>, Error> {
    let counts = |size: u64| -> Result<Vec<i64>, Error> {
        Ok(source.input(Some(size))?.groups().map(|group| i64::from(group.count)).collect())
    };
    let (one, two, three) = (counts(100)?, counts(200)?, counts(417)?);
    let plan = source.input(Some(100))?;
    let names = slot_names(&plan);
    let mut all = Vec::new();
    for (at, group) in plan.groups().enumerate() {
        let (a, b, c) = (one[at], two[at], three[at]);
        let (factor, base) = ((b - a) / 100, a - (b - a));
        let linear = (b - a) % 100 == 0 && c == 417 * factor + base && factor >= 0;
        let length = linear.then_some((factor as u64, base));
        all.push(Named { name: names[at].clone(), text: group.is_bytes(), length });
    }
    Ok(all)
}

/// The names of the groups, in their order.
fn slot_names(plan: &InputPlan) -> Vec<String> {
    let mut names = Vec::new();
    for (number, argument) in plan.arguments.iter().enumerate() {
        let groups = argument.groups().count();
        for column in 1..=groups {
            names.push(match argument {
                Argument::Structure(_) if groups > 1 => format!("argument {}, field {column}", number + 1),
                _ => format!("argument {}", number + 1),
            });
        }
    }
    names.extend(plan.stdin.iter().map(|_| "standard input".to_string()));
    let contents = plan.command_line.iter().enumerate();
    names.extend(contents.filter_map(|(number, content)| match content {
        Content::Input(_) => Some(format!("argument {} of the command line", number + 1)),
        Content::Fixed(_) => None,
    }));
    names.extend(plan.files.iter().filter_map(|(name, content)| match content {
        Content::Input(_) => Some(format!("file {name}")),
        Content::Fixed(_) => None,
    }));
    names
}

/// The input that a generator gives at a size.
pub fn generated(
    source: &Source,
    pattern: &Pattern,
    size: u64,
) -> Result<(crate::pattern::runner::At, Witness), Error> {
    let programs = Programs::new(source, CostModel::default(), Ends::default(), Until::default())?;
    let at = programs.at(size)?.ok_or_else(|| Error::new(format!("n = {size}: there is no input of this size")))?;
    if at.slots.len() != pattern.slots.len() {
        let (has, wants) = (pattern.slots.len(), at.slots.len());
        return Err(Error::new(format!("the pattern is for an input of {has} parts, and this one has {wants}")));
    }
    let mut witness = Witness::new(pattern.at(size, &at.slots));
    at.program.repair(&mut witness);
    Ok((at, witness))
}
