//! `--emit`: regression tests for what a search found, in a form that fits the user's own tests.

mod python;

use std::path::{Path, PathBuf};

use anyhow::{Context, Error, Result, bail};
use pessimum_languages::emit::{NativeCall, RegressionTest, SuiteTests, c, is_identifier, rust};
use pessimum_outcome::CostModel;
use pessimum_report::text::{json_text, printable};
use pessimum_wasm::script::{self, Counted};

use pessimum_session::{Source, WasmSource};
use serde_json::{Value, json};

use crate::files::write_atomically;
use crate::flags::{CallFlag, CoverFlags, EmitKind, SubjectFlags, WorstFlags};
use pessimum_languages::Usage;

/// Refuses, before a search, what cannot be written after it.
pub fn check(flags: &WorstFlags) -> Result<()> {
    let runs_command = flags.results.emit.iter().any(|kind| matches!(kind, EmitKind::Rust | EmitKind::C));
    if runs_command && flags.maximised.cost == CostModel::Weighted && flags.subject.weights.is_none() {
        let why = "a resumed search knows its prices, but not the file that a test would name";
        bail!(Usage(format!("--emit with --cost weighted: {why}; use --emit json")));
    }
    check_language(&flags.subject, &flags.results.emit)?;
    let cost = flags.maximised.cost;
    if flags.results.emit.contains(&EmitKind::Python) && cost != CostModel::Lines {
        bail!(Usage(format!("--emit python counts lines, not {cost}; use another --emit")));
    }
    if !flags.results.emit.contains(&EmitKind::Wast) {
        return Ok(());
    }
    if flags.subject.call.is_none() {
        bail!(Usage(
            "--emit wast needs --call: a script for any engine can call a function, but cannot be its host".to_string()
        ));
    }
    if counted(flags.maximised.cost).is_none() {
        bail!(Usage(format!("--emit wast counts instructions, branches or calls, not {cost}; use another --emit")));
    }
    Ok(())
}

/// Writes the tests that can be made. Returns their names, and why others were not.
pub fn emit(
    flags: &WorstFlags,
    source: &Source,
    test: &RegressionTest,
    directory: &Path,
) -> (Vec<PathBuf>, Vec<Error>) {
    write_each(&flags.results.emit, "worst_test", directory, |kind| {
        Ok(match kind {
            EmitKind::Rust => rust(test),
            EmitKind::Python => python::worst(source, test)?,
            EmitKind::C => c(test, native_calls(flags, source, test)?.as_deref()),
            EmitKind::Json => json_text(&with_plans(test.json(), source)).context("JSON")?,
            EmitKind::Wast => wast(flags, source, test)?,
        })
    })
}

/// Writes each kind of tests by itself: that one cannot be made is no reason to leave out the rest.
fn write_each(
    kinds: &[EmitKind],
    stem: &str,
    directory: &Path,
    text: impl Fn(EmitKind) -> Result<String>,
) -> (Vec<PathBuf>, Vec<Error>) {
    let (mut written, mut failed): (Vec<PathBuf>, Vec<Error>) = (Vec::new(), Vec::new());
    for (at, &kind) in kinds.iter().enumerate() {
        if kinds[..at].contains(&kind) {
            continue;
        }
        let (flag, ending) = match kind {
            EmitKind::Rust => ("rust", "rs"),
            EmitKind::Python => ("python", "py"),
            EmitKind::C => ("c", "c"),
            EmitKind::Json => ("json", "json"),
            EmitKind::Wast => ("wast", "wast"),
        };
        let name = PathBuf::from(format!("{stem}.{ending}"));
        let made = text(kind).with_context(|| format!("--emit {flag}"));
        match made.and_then(|text| write_atomically(&directory.join(&name), text.as_bytes())) {
            Ok(()) => written.push(name),
            Err(error) => failed.push(error),
        }
    }
    (written, failed)
}

/// Refuses kinds of tests that are for programs of another language.
fn check_language(subject: &SubjectFlags, kinds: &[EmitKind]) -> Result<()> {
    match subject.is_python() {
        true if kinds.contains(&EmitKind::Wast) => {
            bail!(Usage("--emit wast is for modules, and this is Python; use --emit python".to_string()))
        }
        false if kinds.contains(&EmitKind::Python) => {
            bail!(Usage("--emit python is for functions of Python; use --emit rust, c, wast or json".to_string()))
        }
        _ => Ok(()),
    }
}

/// Refuses, before a search for coverage, what cannot be written after it.
pub fn check_cover(flags: &CoverFlags) -> Result<()> {
    check_language(&flags.subject, &flags.results.emit)?;
    if flags.results.emit.contains(&EmitKind::Wast) && flags.subject.call.is_none() {
        bail!(Usage(
            "--emit wast needs --call: a script for any engine can call a function, but cannot be its host".to_string()
        ));
    }
    Ok(())
}

/// The same for the tests of a suite.
pub fn emit_suite(
    flags: &CoverFlags,
    source: &Source,
    tests: &SuiteTests,
    directory: &Path,
) -> (Vec<PathBuf>, Vec<Error>) {
    write_each(&flags.results.emit, "cover_test", directory, |kind| {
        Ok(match kind {
            EmitKind::Rust => tests.rust(),
            EmitKind::Python => python::suite(source, tests)?,
            EmitKind::C => tests.c(),
            EmitKind::Json => json_text(&with_plans(tests.json(), source)).context("JSON")?,
            EmitKind::Wast => suite_script(flags, source, tests)?,
        })
    })
}

fn suite_script(flags: &CoverFlags, source: &Source, tests: &SuiteTests) -> Result<String> {
    let call = flags.subject.call.as_ref().and_then(CallFlag::wasm).context("there is no --call")?;
    let arguments: Vec<String> = tests.arguments.iter().map(|word| printable(word).into_owned()).collect();
    let module = source.code::<WasmSource>().context("there is no module")?.bytes();
    let mut text = script::suite_head(&arguments);
    for case in &tests.cases {
        let subject = source.subject(case.size)?;
        let (witness, _) = subject.plan().decode(&case.input)?;
        text += &script::suite_case(module, &subject, &call.name, &witness)?;
    }
    Ok(text)
}

/// A regression test as data, with the plan of what each of its cases runs.
fn with_plans(mut test: Value, source: &Source) -> Value {
    for case in test["cases"].as_array_mut().into_iter().flatten() {
        case["plan"] = json!(source.at_size(case["size"].as_u64()).plan());
    }
    test
}

/// What a script counts for a cost, where it can count it.
fn counted(model: CostModel) -> Option<Counted> {
    match model {
        CostModel::Instructions => Some(Counted::Instructions),
        CostModel::Branches => Some(Counted::Branches),
        CostModel::Calls => Some(Counted::Calls),
        _ => None,
    }
}

fn wast(flags: &WorstFlags, source: &Source, test: &RegressionTest) -> Result<String> {
    let module = source.code::<WasmSource>().context("there is no module")?.bytes();
    let counted = counted(flags.maximised.cost).context("this cost cannot be counted")?;
    let call = flags.subject.call.as_ref().and_then(CallFlag::wasm).context("there is no --call")?;
    let arguments: Vec<String> = test.arguments.iter().map(|word| printable(word).into_owned()).collect();
    let mut text = script::head(&arguments, counted);
    for case in &test.cases {
        let subject = source.subject(case.size)?;
        let (witness, _) = subject.plan().decode(&case.input)?;
        text += &script::case(module, &subject, &call.name, &witness, counted, case.cost)?;
    }
    Ok(text)
}

/// The calls in C, where the cost is the program's own, so that no engine is needed to count it.
fn native_calls(flags: &WorstFlags, source: &Source, test: &RegressionTest) -> Result<Option<Vec<NativeCall>>> {
    // A name in quotes may be anything, also other code.
    let call = flags.subject.call.as_ref().and_then(CallFlag::wasm).filter(|call| is_identifier(&call.name));
    let (CostModel::User, Some(call)) = (flags.maximised.cost, call) else { return Ok(None) };
    let mut calls = Vec::new();
    for case in &test.cases {
        let plan = source.input(case.size)?;
        let (witness, _) = plan.decode(&case.input)?;
        calls.push(NativeCall::new(&call.name, &plan, &witness));
    }
    Ok(Some(calls))
}
