//! `pessimum suite`: searches for tests that are sequences of calls and together take every branch.

mod progress;
mod text;
mod worst;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Error, Result, bail};
use pessimum_input::Declaration;
use pessimum_languages::{Case, Interface, Wanted, interface};
use pessimum_program::WasmLibrary;
use pessimum_report::cover::lcov;
use pessimum_report::html::suite_page;
use pessimum_report::suite::{AboutTest, SuiteResult};
use pessimum_report::text::{json_text, printable};
use pessimum_search::budget::{Budget, Until};
use pessimum_search::objective::Goal;
use pessimum_search::program::{Arm, PathLimits, SiteId};
use pessimum_session::cover::Scope;
use pessimum_session::files::{Staged, fingerprint};
use pessimum_session::findings::{Findings, Found};
use pessimum_session::half_of_the_rest;
use pessimum_session::plan::LimitsPlan;
use pessimum_session::result::Origin;
use pessimum_session::saved::{MODULE, RESULT, write_files};
use pessimum_session::suite::{Asked, FoundTest, Mutants, NAME, SuitePlan, derived, distinct, recorded, result};
use pessimum_suites::{Library as _, Progress, SuiteResult as SuiteFound, SuiteSettings, Test, avm_alone};
use pessimum_wasm::{Limits, LoadSettings, Module};

use crate::files::forget_results;
use crate::flags::{ApiFlag, ApiFlags, SuiteFlags, SuiteSolverFlag, own_words, usual_time};
use crate::interrupt::Interrupt;
use crate::output::{print, print_finding, print_json_finding, tell, written_to};
use crate::place::Place;
use crate::queries::Queries;
use crate::report;
use crate::worst::{exit_code, left_of, named_after, seed_of_part};

use progress::Display;
pub use worst::worst;

/// The part of the time that the search may take; the rest is for making the tests notice more.
const SEARCH_SHARE: f64 = 0.75;

/// Returns the exit code.
pub fn suite(flags: &SuiteFlags) -> Result<u8> {
    let wanted = Wanted {
        path: &flags.module,
        call: None,
        entry: None,
        options: &flags.cflags,
        with: &flags.with,
        listed: true,
        sequences: true,
        covered: true,
    };
    let interface = interface(&wanted)?;
    let library = library(&flags.module, &interface, &flags.api, flags.max_instructions)?;
    let places = library.places();
    let scope = match flags.patterns.is_empty() {
        true => Scope::own(&places),
        false => Scope::named(&places, &flags.patterns)?,
    };
    let added = library.module().implicit_failures(&interface.module)?;
    let added = added.into_iter().map(|(site, arm)| (SiteId(site.0), Arm(u64::from(arm)))).collect();
    let files = scope.lines.iter().filter_map(|&line| places.lines.get(line as usize)).map(|line| line.file.as_str());
    let beside = [report::directory_of_module(&flags.module.display().to_string())];
    let sources = report::sources(files.collect(), &flags.module, &beside);
    let scope = scope.without(&added).without(&derived(&places, &sources));
    if scope.is_empty() {
        bail!("there is nothing to cover: the module has no functions of yours; name what counts with --in");
    }
    let plan = SuitePlan {
        module: fingerprint(&interface.module),
        api: library.declarations().iter().map(|declared| declared.text().to_string()).collect(),
        seed: flags.search.seed,
    };
    let (owner, mut part) = match &flags.resume {
        Some(directory) => Part::of_earlier(flags, directory, plan)?,
        None => Part::first(flags, &interface.module, plan)?,
    };
    let queries = Queries::of(&flags.search)?;
    let interrupt = Interrupt::listen()?;
    let until = Until { moment: part.budget.time.map(|time| Instant::now() + time), cancel: interrupt.cancel() };
    let limits = PathLimits {
        instructions: flags.max_instructions,
        memory: LimitsPlan::USUAL.memory,
        depth: u64::from(LimitsPlan::USUAL.depth),
        ..PathLimits::default()
    };
    let began = Instant::now();
    let mut found = search(flags, &library, &scope, &queries, &mut part, limits, &interrupt);
    let runs = found.runs;
    (found.runs, found.elapsed) = (runs + part.past.paths, found.elapsed + part.past.elapsed);
    let tests = found.tests.iter().chain(found.crashes.iter().map(|crash| &crash.test));
    let goals: BTreeSet<Goal> = scope.goals().collect();
    // A quarter of what is left is for numbers that can be told apart.
    let first = half_of_the_rest(half_of_the_rest(until.moment, &until.cancel).moment, &until.cancel);
    let tests: Vec<Test> =
        tests.map(|test| distinct(&library, &test.test, &goals, &limits, &first)).collect::<Result<_, _>>()?;
    let mutants = Mutants::of(&interface.module, &library, &scope, limits, &sources)?;
    // Half of what is left is for the score and for tests that make it better.
    let mut tests = mutants.with_observers(&tests, &goals, &half_of_the_rest(until.moment, &until.cancel))?;
    if flags.mutants {
        let half = half_of_the_rest(until.moment, &until.cancel);
        tests.extend(mutants.stronger(&tests, &found.others, flags.search.seed, flags.paths, &half)?);
    }
    let asked = Asked {
        module: &flags.module.display().to_string(),
        strategy: flags.strategy.name(),
        seed: flags.search.seed,
        limits,
        origin: Origin { arguments: vec![flags.module.display().to_string()], command: own_words() },
    };
    let mut result = result(&library, &scope, &found, &tests, &asked)?;
    if flags.mutants {
        result.mutation = Some(mutants.score(&tests, &until)?);
    }
    // Nothing is printed that is not recorded.
    part.journal.record(tests.iter().map(FoundTest::of), began.elapsed(), runs, &note);
    let printed = match flags.json {
        true => print_json_finding(&result),
        false => print_finding(&(text::suite(flags, &result) + &queries.text())),
    };
    let (written, mut failed) =
        save(flags, &interface, &wanted, (&library, limits), (&tests, &result), owner.directory());
    failed.extend(part.journal.end(began.elapsed(), runs, found.stop.name(), false).err().map(Error::from));
    let unsaved = owner.failure();
    let is_saved = unsaved.is_none();
    failed.extend(unsaved);
    if printed.is_ok() && !flags.json && !written.is_empty() && is_saved {
        let names: Vec<String> = written.iter().map(|name| printable(&name.display().to_string()).into()).collect();
        print(&written_to(owner.directory(), &names))?;
    }
    failed.extend(printed.err());
    failed.extend(queries.verdict().err());
    let is_under = flags.fail_under.is_some_and(|least| result.coverage.branches.per_cent() < least);
    Ok(exit_code(is_under, failed))
}

fn note(text: &str) {
    tell(&format!("note: {text}"));
}

/// One process's part of a search: all of it, unless it continues an earlier one.
struct Part {
    past: Found<SuitePlan, FoundTest>,
    budget: Budget,
    journal: Findings<FoundTest>,
}

impl Part {
    /// A new search.
    fn first(flags: &SuiteFlags, module: &[u8], plan: SuitePlan) -> Result<(Place, Part)> {
        let directory = flags.out.clone().unwrap_or_else(|| named_after(&flags.module));
        let place = Place::with_room(&directory, module.len())?;
        let budget = budget(flags);
        let staged = Staged::new(&place.directory().join(MODULE), module)?;
        let journal = Findings::prepare(&place, NAME, &plan, &budget)?;
        forget_results(place.directory())?;
        staged.put()?;
        let (past, journal) = (Found::new(plan), journal.begin()?);
        Ok((place, Part { past, budget, journal }))
    }

    /// The search in a directory goes on, with what is left of its budget or a new one.
    fn of_earlier(flags: &SuiteFlags, directory: &Path, plan: SuitePlan) -> Result<(Place, Part)> {
        let place = Place::of_search(directory, NAME)?;
        let past: Found<SuitePlan, FoundTest> = Found::read(directory, NAME)?;
        past.note.iter().for_each(|text| note(text));
        if (&past.plan.module, &past.plan.api) != (&plan.module, &plan.api) {
            let (place, module) = (directory.display(), flags.module.display());
            let why = "its compiled code or the functions that tests call differ; start a new search";
            bail!("{place}: this search was of another {module}: {why}");
        }
        let anew = flags.paths.is_some() || flags.search.budget.is_some();
        let budget = if anew { budget(flags) } else { left_of(directory, past.left, past.end.as_ref())? };
        let journal = Findings::go_on(&place, NAME, &past, &budget)?;
        Ok((place, Part { past, budget, journal }))
    }
}

/// The budget of this command line.
fn budget(flags: &SuiteFlags) -> Budget {
    Budget { paths: flags.paths, time: usual_time(flags.search.budget, flags.paths), steps: None }
}

/// The functions that tests call: those that are declared, or those that the source has.
pub fn library(path: &Path, interface: &Interface, api: &ApiFlags, instructions: u64) -> Result<WasmLibrary> {
    let name = path.display();
    let declared = api.api.iter().filter_map(|flag| match flag {
        ApiFlag::Auto => None,
        ApiFlag::Declared(declaration) => Some(declaration.clone()),
    });
    let mut declarations: Vec<Declaration> = declared.collect();
    if let Some(file) = &api.api_file {
        let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
        let parsed = Declaration::parse_file(&text);
        declarations.extend(parsed.map_err(|(line, error)| Error::msg(format!("{}:{line}: {error}", file.display())))?);
    }
    if declarations.is_empty() {
        for function in &interface.functions {
            let text = &function.declaration;
            declarations
                .push(Declaration::parse(text).with_context(|| format!("{name}: our guess for a declaration"))?);
        }
        if declarations.is_empty() {
            let why: Vec<String> =
                interface.left_out.iter().map(|hidden| format!("\n  {}: {}", hidden.name, hidden.why)).collect();
            let hint = "declare functions with --api, as in --api 'list_new() -> List' --api 'list_add(List, i32)'";
            bail!("{name}: no function was found that tests could call; {hint}{}", why.concat());
        }
    }
    let module = Module::load(&interface.module, &LoadSettings::default()).with_context(|| name.to_string())?;
    let usual = LimitsPlan::USUAL;
    let limits = Limits { instructions, memory: usual.memory, call_depth: usual.depth, ..Limits::default() };
    let library = WasmLibrary::new(name.to_string(), Arc::new(module), declarations, limits);
    let library = library.map_err(|error| Error::msg(format!("{name}: {error}")))?;
    let library = library.keeping_apart(|function| interface.is_exclusive(function));
    Ok(library.with_null_handles(api.null_handles))
}

fn search(
    flags: &SuiteFlags,
    library: &WasmLibrary,
    scope: &Scope,
    queries: &Queries,
    part: &mut Part,
    limits: PathLimits,
    interrupt: &Interrupt,
) -> SuiteFound {
    let solver = match flags.genetic.solver {
        SuiteSolverFlag::Ours => queries.settings(),
        SuiteSolverFlag::Avm => avm_alone(queries.settings()),
    };
    let mut display = Display::new(&flags.search, flags.json);
    let earlier = (part.past.elapsed.as_secs_f64(), part.past.paths);
    let mut show = |progress: &Progress| {
        display.show(&Progress { seconds: progress.seconds + earlier.0, runs: progress.runs + earlier.1, ..*progress });
    };
    let usual = SuiteSettings::default();
    let Budget { paths, time, .. } = part.budget;
    let settings = SuiteSettings {
        goals: scope.goals().collect(),
        budget: Budget { paths, time: time.map(|time| time.mul_f64(SEARCH_SHARE)), steps: None },
        seed: seed_of_part(part.past.plan.seed, part.past.parts),
        limits,
        solver,
        cancel: interrupt.cancel(),
        most_calls: flags.max_calls as usize,
        most_size: flags.max_length.unwrap_or(usual.most_size),
        most_grown_size: flags.max_length.unwrap_or(usual.most_grown_size),
        known: part.past.found.iter().map(FoundTest::test).collect(),
        ..usual
    };
    let found = recorded(&mut part.journal, &note, &mut show, |found, listener| {
        let settings = SuiteSettings { found, listener, ..settings };
        pessimum_suites::search(library, &flags.chosen(), &settings)
    });
    display.close();
    found
}

/// Saves a suite and what it covers. Returns the names of what was written, and what could not be saved.
fn save(
    flags: &SuiteFlags,
    interface: &Interface,
    wanted: &Wanted<'_>,
    (library, limits): (&WasmLibrary, PathLimits),
    (tests, result): (&[Test], &SuiteResult),
    directory: &Path,
) -> (Vec<PathBuf>, Vec<Error>) {
    let (mut written, mut failed) = (Vec::new(), Vec::new());
    let mut keep = |files: Result<Vec<PathBuf>>| match files {
        Ok(files) => written.extend(files),
        Err(error) => failed.push(error),
    };
    let saved = || -> Result<Vec<PathBuf>> {
        let mut files = vec![(RESULT.to_string(), json_text(result).context("JSON")?.into_bytes())];
        let tracefile = lcov(&result.coverage);
        if !tracefile.is_empty() {
            files.push(("lcov.info".to_string(), tracefile.into_bytes()));
        }
        let names = result.coverage.files.iter().filter_map(|file| file.file.as_deref()).collect();
        let places = [report::directory_of_module(&result.module)];
        let sources = report::sources(names, Path::new(&result.module), &places);
        files.push((report::FILE.to_string(), suite_page(result, &sources).into_bytes()));
        let mut written = write_files(directory, &files)?;
        written.insert(1, MODULE.into());
        Ok(written)
    };
    keep(saved());
    if flags.emit {
        keep(write_tests(interface, wanted, (library, limits), (tests, result), directory));
    }
    (written, failed)
}

/// Writes the suite as tests in the language of the source, and says what is not among them.
fn write_tests(
    interface: &Interface,
    wanted: &Wanted<'_>,
    (library, limits): (&WasmLibrary, PathLimits),
    (tests, result): (&[Test], &SuiteResult),
    directory: &Path,
) -> Result<Vec<PathBuf>> {
    let mut cases = Vec::new();
    for (test, about) in tests.iter().zip(&result.about) {
        let ran = library.run(test, &limits).map_err(Error::msg)?;
        let (returned, end) = (ran.returned.clone(), ran.end());
        let (calls, input) = (library.laid_out(&test.calls).ok(), test.input.clone());
        cases.push(Case { name: about.name.clone(), remarks: remarks(about), calls, input, returned, end });
    }
    let Some(emitted) = interface.write_tests(wanted, &cases)? else {
        bail!("--emit: tests are written for C files, Rust files and Rust packages; result.json has these as data");
    };
    for (case, why) in &emitted.left_out {
        tell(&format!("note: the test {} is not written: {why}", cases[*case].name));
    }
    if emitted.text.is_empty() {
        bail!("--emit: none of the tests could be written");
    }
    let file = (format!("suite_test.{}", emitted.extension), emitted.text.into_bytes());
    Ok(write_files(directory, &[file])?)
}

/// What a test is about.
fn remarks(about: &AboutTest) -> Vec<String> {
    let mut remarks = vec![match about.adds {
        0 if about.traps() => "Ends as no other test does.".to_string(),
        0 => "Notices mistakes that no other test does.".to_string(),
        adds => format!("Covers {adds} branches, functions and lines that no test before it does."),
    }];
    if about.traps() {
        remarks.push(format!("{}.", about.end));
        remarks.extend(about.backtrace.iter().take(3).map(|call| format!("in {call}")));
    }
    remarks
}
