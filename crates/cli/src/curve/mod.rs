//! `pessimum curve`: the worst case over a range of sizes, and how it grows.

mod search;
mod text;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Error, Result, bail};
use pessimum_languages::emit::RegressionTest;
use pessimum_report::class::Class;
use pessimum_report::curve::{CurvePoint, CurveResult, beside_pattern, growths};
use pessimum_report::grown::Verdict;
use pessimum_report::pattern::PatternResult;
use pessimum_report::text::json_text;
use pessimum_search::budget::Budget;
use pessimum_session::files::{make_directory_inside, write_atomically};
use pessimum_session::growth::{self, CurveJournal, CurvePast, CurvePlan, Reached, SizeDone, directory_of};
use pessimum_session::journal;
use pessimum_session::owner::Owner;
use pessimum_session::saved::{changed, save_program, saved_source, write_files};
use pessimum_session::{RunPython, Source, work};

use crate::flags::{CurveFlags, SubjectFlags, check_prices, usual_time};
use crate::output::{print, print_finding, print_json_finding, tell};
use crate::pattern::{Extended, PlannedPattern};
use crate::place::Place;
use crate::queries::Queries;
use crate::{EXIT_ABOVE, Usage, emit, gate, pattern, python, report, strategy, subject, worst};
use search::{Search, Searched};
use text::{afterwards, text};

pub use text::limit_row;

/// The file with the whole curve.
const FILE: &str = "curve.json";

/// The directory with the program as it is run, in that of the curve; `worst` may have its own in the latter.
pub const PROGRAM: &str = "program";

/// Returns the exit code.
pub fn curve(flags: &CurveFlags) -> Result<u8> {
    match &flags.worst.resume {
        Some(directory) => resume(flags, directory),
        None => begin(flags),
    }
}

/// A new curve.
fn begin(flags: &CurveFlags) -> Result<u8> {
    let Some(sizes) = flags.sizes.as_ref().map(|sizes| sizes.0.clone()) else {
        return Err(Usage("give the sizes of the curve: --sizes 8,16,32, or --sizes 8..500".to_string()).into());
    };
    if !flags.worst.input.is_empty() || flags.worst.results.corpus.is_some() && !flags.only_pattern {
        return Err(Usage("--input and --corpus are for `pessimum worst`, which has one size".to_string()).into());
    }
    let mut flags = flags.clone();
    let usual = &mut flags.worst;
    // The largest size stands for all where only the presence of a size matters.
    usual.subject.check_sizes(true).map_err(Usage)?;
    usual.subject = usual.subject.at(sizes.last().copied());
    check_prices(&usual.subject, usual.maximised)?;
    strategy::check(usual)?;
    emit::check(usual)?;
    check_size_matters(&usual.subject)?;
    let source = subject::source(&usual.subject)?.counting(usual.maximised.cost);
    check_sizes(&source, &sizes)?;
    let largest = sizes.last().copied();
    let mut plan = CurvePlan {
        subject: source.at_size(None).plan().clone(),
        search: strategy::plan(usual)?,
        sizes,
        fail_above: usual.fail_above,
        fail_above_class: flags.fail_above_class,
    };
    let whole = usual_time(usual.search.budget, usual.results.paths);
    let budget = of_searches(&flags, whole);
    let usual = &mut flags.worst;
    let queries = Queries::of(&usual.search)?;
    let owner = Place::of(&worst::directory(usual), &source)?;
    let known = known_pattern(&flags, owner.directory(), &plan);
    let done = if flags.extend { searched_before(owner.directory(), &plan) } else { Vec::new() };
    let mut journal = start_journal(&owner, &source, &plan, &budget, known.is_some())?;
    if !done.is_empty() {
        plan.sizes.extend(done.iter().map(|done| done.size));
        plan.sizes.sort_unstable();
        journal = CurveJournal::prepare(&owner, &plan, &budget)?.begin()?;
        done.iter().try_for_each(|done| journal.done(done.clone()))?;
    }
    let search = Search {
        flags: &flags,
        queries: &queries,
        source: &source,
        plan: &plan,
        owner: &owner,
        budget,
        done: &done,
        resumed: false,
        anew: false,
        largest,
        known,
    };
    let end = end_of(&source, whole);
    let mut searched = search.run(journal)?;
    searched.failed.extend(owner.failure());
    finish(&flags, &queries, &source, &plan, &owner, searched, end)
}

/// What the searches of all sizes may take. Where patterns are looked for afterwards, that is a part of the time; and where
/// nothing but the pattern is wanted, each search ends after a number of paths, too.
fn of_searches(flags: &CurveFlags, whole: Option<Duration>) -> Budget {
    let given = flags.worst.results.paths;
    let paths = if flags.only_pattern { given.or(Some(pattern::PATHS)) } else { given };
    let time = if flags.extend { whole.map(|time| time.mul_f64(pattern::SEARCHES)) } else { whole };
    Budget { paths, time, steps: None }
}

/// When everything must be over.
fn end_of(source: &Source, whole: Option<Duration>) -> Option<Instant> {
    whole.and_then(|time| source.opened().checked_add(time))
}

/// Continues the curve in a directory: finished sizes stay as they are, and the others are searched with what is left
/// of its budget or a new one. Only the present command line says what is written where.
fn resume(given: &CurveFlags, directory: &Path) -> Result<u8> {
    if !directory.is_dir() {
        bail!("{}: there is no curve to resume", directory.display());
    }
    if !directory.join(growth::NAME).exists() && directory.join(journal::NAME).exists() {
        return Err(Usage(format!("{}: this is a search: `pessimum worst --resume`", directory.display())).into());
    }
    let owner = worst::own(directory)?;
    let past = CurvePast::read(directory)?;
    let plan = past.plan.clone();
    for note in past.note.iter().chain(&changed(&plan.subject.module)) {
        tell(&format!("note: {note}"));
    }
    if past.ended {
        let place = directory.display();
        let hint = format!("`pessimum worst --resume {place}/n-SIZE --paths K` goes on with one of its sizes");
        return Err(Usage(format!("{place}: this curve is finished; {hint}")).into());
    }
    let anew = given.worst.results.paths.is_some() || given.worst.search.budget.is_some();
    let budget = match anew {
        true => of_searches(given, usual_time(given.worst.search.budget, given.worst.results.paths)),
        false => past.left,
    };
    let place = make_directory_inside(directory, PROGRAM)?;
    let source = saved_source(plan.subject.clone(), &place, &given.worst.run_python())?.counting(plan.search.cost);
    check_sizes(&source, &plan.sizes)?;
    let mut flags = given.clone();
    let usual = &mut flags.worst;
    usual.subject = SubjectFlags::of_plan(&plan.subject).map_err(Error::msg)?;
    usual.subject = usual.subject.at(plan.sizes.last().copied());
    (usual.maximised.cost, usual.search.seed) = (plan.search.cost, plan.search.seed);
    usual.fail_above = usual.fail_above.or(plan.fail_above);
    emit::check(usual)?;
    flags.fail_above_class = flags.fail_above_class.or(plan.fail_above_class);
    let queries = Queries::of(&usual.search)?;
    let journal = CurveJournal::go_on(&owner, &past, &budget)?;
    let search = Search {
        flags: &flags,
        queries: &queries,
        source: &source,
        plan: &plan,
        owner: &owner,
        budget,
        done: &past.done,
        resumed: true,
        anew,
        largest: plan.sizes.last().copied(),
        known: known_pattern(&flags, owner.directory(), &plan),
    };
    // Patterns get as much time as the searches that are left.
    let end = end_of(&source, budget.time.map(|time| time.mul_f64(1.0 / pattern::SEARCHES)));
    finish(&flags, &queries, &source, &plan, &owner, search.run(journal)?, end)
}

/// Begins a new curve in a directory. What an earlier one left there is removed once everything that the new one needs
/// is on the disk.
fn start_journal(
    owner: &Owner,
    source: &Source,
    plan: &CurvePlan,
    budget: &Budget,
    keeps_pattern: bool,
) -> Result<CurveJournal> {
    let directory = owner.directory();
    let journal = CurveJournal::prepare(owner, plan, budget)?;
    save_program(&make_directory_inside(directory, PROGRAM)?, source)?;
    forget(&directory.join(FILE))?;
    if !keeps_pattern {
        pattern::forget(directory)?;
    }
    for &size in &plan.sizes {
        forget(&make_directory_inside(directory, &directory_of(size))?.join(journal::NAME))?;
    }
    Ok(journal.begin()?)
}

/// The pattern that an earlier search left in this directory for the same program and cost. Where patterns are looked for,
/// it is replaced.
fn known_pattern(flags: &CurveFlags, directory: &Path, plan: &CurvePlan) -> Option<PlannedPattern> {
    let saved = pattern::saved(directory).ok().filter(|_| !flags.extend)?;
    let is_same = saved.plan == plan.subject && saved.result.cost == plan.search.cost.name();
    is_same.then_some(saved)
}

/// The other sizes of the same program that an earlier curve in this directory searched: a pattern is measured against them, too.
fn searched_before(directory: &Path, plan: &CurvePlan) -> Vec<SizeDone> {
    let Ok(past) = CurvePast::read(directory) else { return Vec::new() };
    let (one, other) = (&past.plan.search, &plan.search);
    if past.plan.subject != plan.subject || (one.cost, one.ends) != (other.cost, other.ends) {
        return Vec::new();
    }
    let is_other = |done: &SizeDone| matches!(done.found, Reached::Point(_)) && !plan.sizes.contains(&done.size);
    past.done.into_iter().filter(is_other).map(|done| SizeDone { seconds: 0.0, carried: None, ..done }).collect()
}

fn forget(file: &Path) -> Result<()> {
    match std::fs::remove_file(file) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error).context(file.display().to_string()),
        _ => Ok(()),
    }
}

/// Prints what was found, saves it, and returns the exit code.
fn finish(
    flags: &CurveFlags,
    queries: &Queries,
    source: &Source,
    plan: &CurvePlan,
    owner: &Owner,
    mut searched: Searched,
    end: Option<Instant>,
) -> Result<u8> {
    searched.points.sort_by_key(|point| point.size);
    let points = std::mem::take(&mut searched.points);
    let (growth, random) = work::judged(source.language(), plan.search.cost, &points, growths(&points));
    let usual = &flags.worst;
    let mut result = CurveResult {
        module: usual.subject.module.display().to_string(),
        call: usual.subject.started(),
        strategy: plan.search.strategy.clone(),
        seed: plan.search.seed,
        cost: plan.search.cost.name().to_string(),
        points,
        worst: growth,
        random,
        known_pattern: searched.known.take(),
        missing: std::mem::take(&mut searched.missing),
        elapsed_s: searched.elapsed.as_secs_f64(),
        arguments: usual.subject.at(None).words(),
    };
    let extended = extended(flags, queries, source, &result, &searched, end)?;
    if let Some(extended) = &extended {
        result.known_pattern = extended.result.steepest();
    }
    result.worst = beside_pattern(result.worst, result.known_pattern.as_ref());
    // The finding is printed first, so that it is not lost whatever happens to the disk; and it is saved even if
    // nobody reads what is printed.
    let printed = match (usual.results.json, &extended) {
        (true, Some(extended)) if flags.only_pattern => print_json_finding(&extended.result),
        (true, Some(extended)) => print_json_finding(&WithPattern { curve: &result, extension: &extended.result }),
        (true, None) => print_json_finding(&result),
        (false, Some(extended)) if flags.only_pattern => {
            print_finding(&(pattern::text(flags, &extended.result) + &queries.text()))
        }
        (false, extended) => {
            let section = extended.as_ref().map(|extended| pattern::section(flags, &extended.result));
            print_finding(&(text(flags, &result) + &section.unwrap_or_default() + &queries.text()))
        }
    };
    // What the gates see: searches and patterns together.
    let known = extended.as_ref().map_or_else(|| result.verdict(), |extended| extended.result.verdict());
    // The report shows what is saved.
    let saved = extended.as_ref().map(|extended| extended.save(source, owner.directory()));
    let (tests, mut failed) = keep(flags, source, (&result, &known), owner.directory(), searched);
    let mut written = Vec::new();
    match saved {
        Some(Ok(names)) => written = [names, vec![report::FILE.to_string(), FILE.to_string()]].concat(),
        Some(Err(error)) => failed.push(error),
        None => {}
    }
    if printed.is_ok() && failed.is_empty() && !usual.results.json {
        print(&match &extended {
            Some(extended) if flags.only_pattern => {
                let run = python::run_flags(&flags.worst.subject);
                pattern::afterwards(owner.directory(), &extended.result, &written, &run)
            }
            _ => afterwards(flags, &result, owner.directory(), &tests),
        })?;
    }
    let last = result.points.last().map_or(0, |point| point.cost);
    failed.extend(printed.err().map(|error| worst::not_printed(error, last, owner.directory())));
    let verdict = verdict(flags, &result, &known);
    let above = matches!(verdict, Ok(EXIT_ABOVE));
    failed.extend(verdict.err());
    failed.extend(queries.verdict().err());
    Ok(worst::exit_code(above, failed))
}

/// A curve with the pattern that extends it, as one object.
#[derive(serde::Serialize)]
struct WithPattern<'a> {
    #[serde(flatten)]
    curve: &'a CurveResult,
    extension: &'a PatternResult,
}

/// Looks for patterns where that is wanted. A curve is not lost if that is not possible.
fn extended(
    flags: &CurveFlags,
    queries: &Queries,
    source: &Source,
    result: &CurveResult,
    searched: &Searched,
    end: Option<Instant>,
) -> Result<Option<Extended>> {
    if !flags.extend {
        return Ok(None);
    }
    let (points, growth) = (&result.points[..], Some(&result.worst));
    let (largest, policy) = (searched.largest, searched.policy.clone());
    let subject = pattern::Subject { flags, source, points, largest, searched: growth, policy };
    match subject.extended(end, &searched.cancel(), queries) {
        Ok(extended) => Ok(Some(extended)),
        Err(error) if flags.only_pattern => Err(error),
        Err(error) => {
            pattern::tell_failure(&error);
            Ok(None)
        }
    }
}

/// Saves everything that was asked for. Returns the names of the emitted tests, and what could not be saved: one
/// failure is no reason to leave out the rest.
fn keep(
    flags: &CurveFlags,
    source: &Source,
    (result, known): (&CurveResult, &Verdict),
    directory: &Path,
    searched: Searched,
) -> (Vec<PathBuf>, Vec<Error>) {
    let (usual, until) = (&flags.worst, searched.until());
    let Searched { mut journal, unsaved, mut failed, interrupted, .. } = searched;
    // What did not fit onto the disk may do so by now.
    for (place, files) in unsaved {
        failed.extend(write_files(&place, &files).err().map(Error::from));
    }
    let saved = json_text(result).context("JSON");
    failed.extend(saved.and_then(|text| Ok(write_atomically(&directory.join(FILE), text.as_bytes())?)).err());
    let page = report::of_curve(directory, result, &RunPython::of_own(usual.subject.python.clone()), &until);
    failed.extend(page.and_then(|page| Ok(write_atomically(&directory.join(report::FILE), page.as_bytes())?)).err());
    failed.extend(gate::of_curve(usual, flags.fail_above_class, (result, known), directory).err());
    let (tests, impossible) = emit::emit(usual, source, &RegressionTest::of_curve(result), directory);
    failed.extend(impossible);
    if failed.is_empty() && !interrupted {
        failed.extend(journal.end().err().map(Error::from));
    }
    (tests, failed)
}

/// It is better to fail now than after the smaller sizes have been searched.
fn check_sizes(source: &Source, sizes: &[u64]) -> Result<()> {
    for &size in sizes {
        source.input(Some(size)).with_context(|| format!("n = {size}"))?;
    }
    Ok(())
}

/// Refuses flags under which all sizes are alike.
fn check_size_matters(subject: &SubjectFlags) -> Result<()> {
    let names_n = |word: &String| word.split(|c: char| !c.is_alphanumeric() && c != '_').any(|name| name == "n");
    let without_size = subject.at(None);
    if subject.entry.is_some() || without_size.words().iter().skip(1).any(names_n) {
        return Ok(());
    }
    let hint = "write lengths in terms of n, as in `--call 'sort(i32[n], n)'` or `--stdin n`";
    Err(Usage(format!("nothing here depends on the size: {hint}")).into())
}

/// The exit code by --fail-above and --fail-above-class. A class that is not known does not pass.
fn verdict(flags: &CurveFlags, result: &CurveResult, known: &Verdict) -> Result<u8> {
    let above = !above_limit(flags, result).is_empty() || above_class(flags.fail_above_class, known)?;
    Ok(if above { EXIT_ABOVE } else { 0 })
}

/// Whether the class is above the limit. A class that is not known does not pass.
pub fn above_class(most: Option<Class>, known: &Verdict) -> Result<bool> {
    let Some(most) = most else { return Ok(false) };
    let why = || format!("--fail-above-class {most}: the class is not known: {}", known.why_not());
    known.is_above(most).with_context(why)
}

/// The points above --fail-above.
fn above_limit<'r>(flags: &CurveFlags, result: &'r CurveResult) -> Vec<&'r CurvePoint> {
    let above = |point: &&CurvePoint| flags.worst.fail_above.is_some_and(|most| point.cost > most || point.endless);
    result.points.iter().filter(above).collect()
}
