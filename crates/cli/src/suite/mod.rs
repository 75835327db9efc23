//! `pessimum suite`: searches for tests that are sequences of calls and together take every branch.

mod progress;
mod text;
mod worst;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

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
use pessimum_session::half_of_the_rest;
use pessimum_session::plan::LimitsPlan;
use pessimum_session::result::Origin;
use pessimum_session::saved::{MODULE, RESULT, write_files};
use pessimum_session::suite::{Asked, Mutants, derived, distinct, result};
use pessimum_suites::{Library as _, Listener, SuiteResult as Found, SuiteSettings, Test, avm_alone};
use pessimum_wasm::{Limits, LoadSettings, Module};

use crate::files::forget_results;
use crate::flags::{ApiFlag, ApiFlags, SuiteFlags, SuiteSolverFlag, own_words, usual_time};
use crate::interrupt::Interrupt;
use crate::output::{print, print_finding, print_json_finding, tell, written_to};
use crate::place::Place;
use crate::queries::Queries;
use crate::report;
use crate::worst::{exit_code, named_after};

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
    let directory = flags.out.clone().unwrap_or_else(|| named_after(&flags.module));
    let owner = Place::with_room(&directory, interface.module.len())?;
    let queries = Queries::of(&flags.search)?;
    let interrupt = Interrupt::listen()?;
    let time = usual_time(flags.search.budget, flags.paths);
    let until = Until { moment: time.map(|time| Instant::now() + time), cancel: interrupt.cancel() };
    let limits = PathLimits {
        instructions: flags.max_instructions,
        memory: LimitsPlan::USUAL.memory,
        depth: u64::from(LimitsPlan::USUAL.depth),
        ..PathLimits::default()
    };
    let found = search(flags, &library, &scope, &queries, (time, limits), &interrupt);
    let tests = found.tests.iter().chain(found.crashes.iter().map(|crash| &crash.test));
    let goals: BTreeSet<Goal> = scope.goals().collect();
    let tests: Vec<Test> =
        tests.map(|test| distinct(&library, &test.test, &goals, &limits)).collect::<Result<_, _>>()?;
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
    let printed = match flags.json {
        true => print_json_finding(&result),
        false => print_finding(&(text::suite(flags, &result) + &queries.text())),
    };
    let (written, mut failed) =
        save(flags, &interface, &wanted, (&library, limits), (&tests, &result), owner.directory());
    failed.extend(owner.failure());
    if printed.is_ok() && !flags.json && !written.is_empty() && owner.failure().is_none() {
        let names: Vec<String> = written.iter().map(|name| printable(&name.display().to_string()).into()).collect();
        print(&written_to(owner.directory(), &names))?;
    }
    failed.extend(printed.err());
    failed.extend(queries.verdict().err());
    let is_under = flags.fail_under.is_some_and(|least| result.coverage.branches.per_cent() < least);
    Ok(exit_code(is_under, failed))
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
    (time, limits): (Option<Duration>, PathLimits),
    interrupt: &Interrupt,
) -> Found {
    let solver = match flags.genetic.solver {
        SuiteSolverFlag::Ours => queries.settings(),
        SuiteSolverFlag::Avm => avm_alone(queries.settings()),
    };
    let display = Arc::new(Mutex::new(Display::new(&flags.search, flags.json)));
    let shown = display.clone();
    let usual = SuiteSettings::default();
    let settings = SuiteSettings {
        goals: scope.goals().collect(),
        budget: Budget { paths: flags.paths, time: time.map(|time| time.mul_f64(SEARCH_SHARE)), steps: None },
        seed: flags.search.seed,
        limits,
        solver,
        cancel: interrupt.cancel(),
        most_calls: flags.max_calls as usize,
        most_size: flags.max_length.unwrap_or(usual.most_size),
        most_grown_size: flags.max_length.unwrap_or(usual.most_grown_size),
        listener: Listener::new(move |progress| {
            if let Ok(mut display) = shown.lock() {
                display.show(progress);
            }
        }),
        ..usual
    };
    let found = pessimum_suites::search(library, &flags.chosen(), &settings);
    if let Ok(mut display) = display.lock() {
        display.close();
    }
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
        let mut files = vec![
            (RESULT.to_string(), json_text(result).context("JSON")?.into_bytes()),
            (MODULE.to_string(), interface.module.clone()),
        ];
        let tracefile = lcov(&result.coverage);
        if !tracefile.is_empty() {
            files.push(("lcov.info".to_string(), tracefile.into_bytes()));
        }
        let names = result.coverage.files.iter().filter_map(|file| file.file.as_deref()).collect();
        let places = [report::directory_of_module(&result.module)];
        let sources = report::sources(names, Path::new(&result.module), &places);
        files.push((report::FILE.to_string(), suite_page(result, &sources).into_bytes()));
        forget_results(directory)?;
        Ok(write_files(directory, &files)?)
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
