//! `pessimum pattern`: the rule behind worst inputs, and how far it grows. `curve --extend` does the same after a curve,
//! and `pessimum generate` writes the inputs.

mod files;
mod text;

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use pessimum_outcome::{CostModel, Ends};
use pessimum_patterns::Pattern;
use pessimum_report::curve::CurvePoint;
use pessimum_report::fit::Growth;
use pessimum_report::pattern::{How, PatternResult, conclude, growth_of};
use pessimum_report::text::json_text;
use pessimum_report::work;
use pessimum_search::budget::{Cancel, Until};
use pessimum_session::files::{make_directory_inside, write_atomically};
use pessimum_session::pattern::{Extension, PatternTask, Programs, extend};
use pessimum_session::saved::save_program;
use pessimum_session::{RunPython, Source};
use pessimum_term::Witness;

use crate::cover::corpus;
use crate::curve::{self, PROGRAM};
use crate::flags::{CurveFlags, CurveSizes, PatternFlags, check_prices, usual_time};
use crate::interrupt::Interrupt;
use crate::output::{print, print_finding, print_json_finding, tell};
use crate::place::Place;
use crate::queries::Queries;
use crate::{Usage, python, report, strategy, subject, worst};

pub use files::{FILE, PlannedPattern, afterwards, forget, generate, saved};
pub use text::{section, text};

/// The sizes that are searched if none are given: patterns show at small ones, and those are searched quickly.
const SIZES: [u64; 6] = [4, 6, 8, 12, 16, 24];

/// Paths of the search at each size if neither --paths nor --sizes say that more is wanted.
pub const PATHS: u64 = 1500;

/// Paths of the search for inputs that take every branch.
const COVER_PATHS: u64 = 600;

/// The part of the time that the searches get; the rest is for patterns.
pub const SEARCHES: f64 = 0.5;

/// Returns the exit code.
pub fn pattern(flags: &PatternFlags) -> Result<u8> {
    let mut flags = flags.curve.clone();
    flags.extend = true;
    flags.only_pattern = true;
    if flags.worst.resume.is_some() {
        return curve::curve(&flags);
    }
    flags.sizes.get_or_insert(CurveSizes(SIZES.to_vec()));
    match grows_by_value(&flags)? {
        Some(source) => by_value(&flags, &source),
        None => curve::curve(&flags),
    }
}

/// The program, where no length depends on `n` and a parameter's value takes its place.
fn grows_by_value(flags: &CurveFlags) -> Result<Option<Source>> {
    let subject = &flags.worst.subject;
    subject.check_sizes(true).map_err(Usage)?;
    if subject.entry.is_some() || subject.call.is_none() {
        return Ok(None);
    }
    let source = subject::source(subject)?.counting(flags.worst.maximised.cost);
    let programs = Programs::new(&source, flags.worst.maximised.cost, Ends::default(), Until::default());
    // Where nothing grows at all, that is what there is to say.
    let by_value = programs.map_err(|error| Usage(error.to_string()))?.is_by_value();
    Ok(by_value.then_some(source))
}

/// Growth with the value of a parameter needs no search.
fn by_value(flags: &CurveFlags, source: &Source) -> Result<u8> {
    let usual = &flags.worst;
    check_prices(&usual.subject, usual.maximised)?;
    strategy::check(usual)?;
    let queries = Queries::of(&usual.search)?;
    let owner = Place::of(&worst::directory(usual), source)?;
    forget(owner.directory())?;
    let interrupt = Interrupt::listen()?;
    let time = usual_time(usual.search.budget, usual.results.paths);
    let began = source.opened();
    let end = time.and_then(|time| began.checked_add(time));
    let subject = Subject { flags, source, points: &[], largest: None, searched: None, policy: None };
    let extended = subject.extended(end, &interrupt.cancel(), &queries)?;
    save_program(&make_directory_inside(owner.directory(), PROGRAM)?, source)?;
    let printed = match usual.results.json {
        true => print_json_finding(&extended.result),
        false => print_finding(&text(flags, &extended.result)),
    };
    let mut failed = Vec::new();
    failed.extend(printed.err());
    let saved = extended.save(source, owner.directory()).and_then(|mut names| {
        let page = report::of_pattern(owner.directory(), &RunPython::of_own(usual.subject.python.clone()))?;
        write_atomically(&owner.directory().join(report::FILE), page.as_bytes())?;
        names.push(report::FILE.to_string());
        Ok(names)
    });
    failed.extend(owner.failure());
    match saved {
        Ok(names) if !usual.results.json && failed.is_empty() => {
            let run = python::run_flags(&usual.subject);
            print(&files::afterwards(owner.directory(), &extended.result, &names, &run))?;
        }
        Ok(_) => {}
        Err(error) => failed.push(error),
    }
    let above = match curve::above_class(flags.fail_above_class, &extended.result.verdict()) {
        Ok(above) => above,
        Err(error) => {
            failed.push(error);
            false
        }
    };
    Ok(worst::exit_code(above, failed))
}

/// The greatest size of an input that is given to learn from.
const MOST_GIVEN: u64 = 256;

/// The inputs in a directory, each with its size.
fn given(directory: Option<&Path>, source: &Source) -> Result<Vec<(u64, Witness)>> {
    let Some(directory) = directory else { return Ok(Vec::new()) };
    let sizes: Vec<Option<u64>> = (1..=MOST_GIVEN).map(Some).collect();
    let inputs = corpus(directory, source, &sizes)?;
    Ok(inputs.into_iter().map(|(at, input)| (at as u64 + 1, input)).collect())
}

/// What patterns are looked for in.
pub struct Subject<'a> {
    pub flags: &'a CurveFlags,
    pub source: &'a Source,
    /// What the searches found, in ascending order of sizes.
    pub points: &'a [CurvePoint],
    /// The largest size that was searched for patterns; larger ones that are known are only compared with.
    pub largest: Option<u64>,
    /// How that grows.
    pub searched: Option<&'a Growth>,
    /// What the strategy learnt, in words.
    pub policy: Option<String>,
}

/// Patterns with everything that is said about them.
pub struct Extended {
    pub result: PatternResult,
    /// The generators of the patterns, in the same order.
    pub generators: Vec<Pattern>,
}

impl Subject<'_> {
    /// Looks for patterns up to this moment.
    pub fn extended(&self, end: Option<Instant>, cancel: &Cancel, queries: &Queries) -> Result<Extended> {
        let began = Instant::now();
        let usual = &self.flags.worst;
        let plan = strategy::plan(usual)?;
        // Whatever the searches took, a moment is left.
        let end = end.map(|end| end.max(began + Duration::from_millis(500)));
        let task = PatternTask {
            source: self.source,
            cost: plan.cost,
            ends: plan.ends,
            seed: plan.seed,
            points: self.points,
            largest: self.largest,
            given: given(usual.results.corpus.as_deref(), self.source)?,
            paths: usual.results.paths.map_or(COVER_PATHS, |paths| paths.min(COVER_PATHS)),
            end,
            cancel: cancel.clone(),
            solver: queries.settings(),
        };
        let Extension { patterns, generators, runs } = extend(&task)?;
        let first = patterns.first();
        let mut points: Vec<(u64, u64, How)> =
            self.points.iter().map(|point| (point.size, point.cost, How::Searched)).collect();
        let generated = first.map_or(&[][..], |first| &first.points);
        points.extend(generated.iter().map(|point| (point.size, point.cost, How::Generated)));
        let random: Vec<(u64, u64)> =
            generated.iter().filter_map(|point| Some((point.size, point.random?.round() as u64))).collect();
        points.extend(random.iter().map(|&(size, cost)| (size, cost, How::Random)));
        let conclusion = conclude(self.searched, &patterns);
        let by_value = self.points.is_empty();
        let result = PatternResult {
            module: usual.subject.module.display().to_string(),
            call: usual.subject.started(),
            cost: plan.cost.name().to_string(),
            seed: plan.seed,
            growth_with: if by_value { "value" } else { "size" }.to_string(),
            class: conclusion.class,
            why_not: conclusion.why_not,
            at_least: conclusion.at_least,
            class_from: conclusion.from.map(str::to_string),
            pattern: first.map(|first| first.pattern.clone()),
            words: first.map(|first| first.words.clone()).or_else(|| self.policy.clone()),
            formula: first.and_then(|first| first.formula.clone()),
            points,
            searched: self.searched.cloned(),
            random: (random.len() > 4).then(|| {
                let growths = patterns.iter().map(|found| &found.growth).chain(self.searched);
                growths.fold(growth_of(&random), work::as_in)
            }),
            tried: runs,
            elapsed_s: began.elapsed().as_secs_f64(),
            arguments: usual.subject.at(None).words(),
            patterns,
        };
        Ok(Extended { result, generators })
    }
}

impl Extended {
    /// Writes pattern.json and the code of the generators. Returns the names of the files.
    pub fn save(&self, source: &Source, directory: &Path) -> Result<Vec<String>> {
        let planned = PlannedPattern { result: self.result.clone(), plan: source.at_size(None).plan().clone() };
        let text = json_text(&planned).context("JSON")?;
        write_atomically(&directory.join(FILE), text.as_bytes())?;
        let mut names = vec![FILE.to_string()];
        if let Some(generator) = self.generators.first() {
            for (name, code) in files::code(source, generator, self.result.words.as_deref().unwrap_or_default())? {
                write_atomically(&directory.join(&name), code.as_bytes())?;
                names.push(name);
            }
        }
        Ok(names)
    }
}

/// Tells that patterns could not be looked for, where the rest is fine.
pub fn tell_failure(error: &anyhow::Error) {
    tell(&format!("note: no pattern was looked for: {error:#}"));
}

/// The unit of the costs.
fn unit(result: &PatternResult) -> &str {
    if result.cost == CostModel::User.name() { "cost" } else { &result.cost }
}
