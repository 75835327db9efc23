//! `--emit`: every kind of regression test is compiled and run, passes as written, and fails when its count is lowered.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use wast::parser::ParseBuffer;
use wast::{QuoteWat, Wast, WastDirective, WastExecute, WastInvoke, WastRet};

fn root() -> PathBuf {
    std::fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).unwrap()
}

/// A fresh directory for one test.
fn fresh(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("emit").join(name);
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).unwrap();
    directory
}

fn pessimum(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pessimum")).current_dir(root()).args(words).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Searches and writes the tests. Returns the JSON that was printed.
fn search(directory: &Path, words: &[&str]) -> Value {
    let more = ["--out", directory.to_str().unwrap(), "--json"];
    let output = pessimum(&[words, &more].concat());
    assert!(output.status.success(), "{}", said(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Replaces a number in a written test.
fn lower(file: &Path, from: &str, to: &str) -> PathBuf {
    let text = std::fs::read_to_string(file).unwrap();
    assert!(text.contains(from), "{from:?} is not in {text}");
    let lowered = file.with_file_name(format!("lowered.{}", file.extension().unwrap().to_str().unwrap()));
    std::fs::write(&lowered, text.replace(from, to)).unwrap();
    lowered
}

/// Compiles and runs a written test in the directory that its paths start from. Returns whether it passed, and what it
/// said.
fn compiled(compiler: &str, options: &[&str], file: &Path) -> (bool, String) {
    let program = file.with_extension("test");
    let output = Command::new(compiler).arg(file).args(options).arg("-o").arg(&program).current_dir(root()).output();
    let output = output.unwrap_or_else(|error| panic!("{compiler}: {error}"));
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(said(&output), "", "no warnings");
    let mut command = Command::new(&program);
    let output =
        command.current_dir(root()).env("PESSIMUM", env!("CARGO_BIN_EXE_pessimum")).env("RUST_BACKTRACE", "0").output();
    let output = output.unwrap();
    (output.status.success(), said(&output))
}

const STRICT_C: [&str; 5] = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror"];

fn rust_passes(file: &Path) -> (bool, String) {
    compiled("rustc", &["--test", "-Dwarnings"], file)
}

fn c_passes(file: &Path) -> (bool, String) {
    compiled("cc", &STRICT_C, file)
}

const SORT: [&str; 4] = ["subjects/own/insertion_sort.wasm", "--call", "sort(i32[n], n)", "--paths=3000"];

#[test]
fn rust_c_and_json_assert_the_count() {
    let directory = fresh("kinds");
    let found = search(&directory, &[&["worst", "--size=6", "--emit=rust,c,json"][..], &SORT].concat());
    let cost = found["cost"]["value"].as_u64().unwrap();

    let rust = directory.join("worst_test.rs");
    let (passed, said) = rust_passes(&rust);
    assert!(passed, "{said}");
    let (passed, said) = rust_passes(&lower(&rust, &format!("cost <= {cost}"), &format!("cost <= {}", cost - 1)));
    assert!(!passed && said.contains(&format!("this input costs {cost} instructions; when the test was")), "{said}");

    let c = directory.join("worst_test.c");
    let (passed, said) = c_passes(&c);
    assert!(passed, "{said}");
    let (passed, said) = c_passes(&lower(&c, &format!("above={cost}"), &format!("above={}", cost - 1)));
    assert!(!passed && said.contains("FAILED: the worst known input at n = 6"), "{said}");
    // A module that is missing is not a failed check.
    let (passed, said) = c_passes(&lower(&c, "run subjects", "run no/such"));
    assert!(!passed && said.contains("could not be tested"), "{said}");

    let json = directory.join("worst_test.json");
    let output = pessimum(&["replay", "--check", json.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0));
    let output = pessimum(&["replay", json.to_str().unwrap()]);
    assert!(self::said(&output).contains("a regression test, not a result of `pessimum worst`; --check runs it"));
    let lowered = lower(&json, &format!("\"value\": {cost}"), &format!("\"value\": {}", cost - 1));
    let output = pessimum(&["replay", "--check", lowered.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        format!(
            "COSTS MORE: n = 6: {cost} instructions, {} when it was saved\n1 input checked, 1 costs more than when saved\n",
            cost - 1
        )
    );
    // The directory of a search can be checked in the same way.
    assert_eq!(pessimum(&["replay", "--check", directory.to_str().unwrap()]).status.code(), Some(0));
}

#[test]
fn bytes_on_standard_input_and_decisions() {
    let directory = fresh("stdin");
    let words = ["worst", "subjects/own/json.wasm", "--stdin=5", "--paths=300", "--cost=decisions", "--emit=rust,c"];
    let cost = search(&directory, &words)["cost"]["value"].as_u64().unwrap();
    let (passed, said) = rust_passes(&directory.join("worst_test.rs"));
    assert!(passed, "{said}");
    let c = directory.join("worst_test.c");
    let (passed, said) = c_passes(&c);
    assert!(passed, "{said}");
    let (passed, said) = c_passes(&lower(&c, &format!("above={cost}"), &format!("above={}", cost - 1)));
    assert!(!passed && said.contains("FAILED"), "{said}");
}

/// A program that counts for itself needs no engine: its own source is linked with the test.
#[test]
fn own_costs_are_counted_natively_in_c() {
    let directory = fresh("native");
    let words = ["worst", "subjects/own/quicksort_comparisons.wasm", "--call=sort(i32[n], n)", "--size=12"];
    let found = search(&directory, &[&words[..], &["--paths=300", "--cost=user", "--emit=c"]].concat());
    let cost = found["cost"]["value"].as_u64().unwrap();
    let c = directory.join("worst_test.c");
    let options = ["-Wall", "-Wextra", "-Werror", "-Isubjects", "-Iguest/c", "subjects/own/quicksort_comparisons.c"];
    let (passed, said) = compiled("cc", &options, &c);
    assert!(passed, "{said}");
    let lowered = lower(&c, &format!(", {cost});"), &format!(", {});", cost - 1));
    let (passed, said) = compiled("cc", &options, &lowered);
    assert!(!passed && said.contains(&format!("it costs {cost}")), "{said}");
}

#[test]
fn a_curve_asserts_every_size_and_the_growth() {
    let directory = fresh("curve");
    let words = [&["curve", "--sizes=2,4,8,16,32", "--emit=rust,c,wast,json"][..], &SORT].concat();
    let found = search(&directory, &words);
    assert_eq!(found["worst"]["class"], "n^2");
    let points = found["points"].as_array().unwrap();
    let last = points.last().unwrap()["cost"].as_u64().unwrap();

    let rust = directory.join("worst_test.rs");
    let (passed, said) = rust_passes(&rust);
    assert!(passed && said.contains("6 passed"), "{said}");
    let (passed, said) = rust_passes(&lower(&rust, &format!("cost <= {last}"), &format!("cost <= {}", last - 1)));
    assert!(!passed && said.contains("5 passed; 1 failed"), "{said}");
    // For a square the limit from 16 to 32 is four times and a tenth; twice is too little.
    let (passed, said) = rust_passes(&lower(&rust, "<= 4.4 * costs[3]", "<= 2.0 * costs[3]"));
    assert!(!passed && said.contains("growth"), "{said}");

    let (passed, said) = c_passes(&directory.join("worst_test.c"));
    assert!(passed, "{said}");
    let output = pessimum(&["replay", "--check", directory.join("worst_test.json").to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", self::said(&output));
    let costs: Vec<i64> = points.iter().map(|point| point["cost"].as_i64().unwrap()).collect();
    assert_eq!(script_counts(&directory.join("worst_test.wast")), costs);
}

#[test]
fn scripts_count_in_another_engine() {
    let kinds = "sum(u8[n], str[2], out i16[n], n, i8 in 0..5, i64, f32, f64)";
    for (name, module, call, size) in [
        ("kinds", "crates/cli/tests/sources/kinds.wat", kinds, "5"),
        ("sort", "subjects/own/insertion_sort.wasm", "sort(i32[n], n)", "9"),
        ("hash_table", "subjects/own/hash_table.wasm", "fill(u8[6*n], n, out i32[2*n])", "3"),
        ("slices", "subjects/own/slices.wasm", "inversions(i32[n], n)", "6"),
    ] {
        for cost in ["instructions", "branches", "calls"] {
            let directory = fresh(&format!("wast-{name}-{cost}"));
            let flags = ["--call", call, "--size", size, "--paths=200", "--emit=wast", "--cost", cost];
            let found = search(&directory, &[&["worst", module][..], &flags].concat());
            let file = directory.join("worst_test.wast");
            let expected = found["cost"]["value"].as_i64().unwrap();
            assert_eq!(script_counts(&file), [expected], "{name} {cost}");
            let from = format!("(i64.const {expected}))\n");
            let lowered = lower(&file, &from, &format!("(i64.const {}))\n", expected - 1));
            assert!(std::panic::catch_unwind(|| script_counts(&lowered)).is_err(), "a lowered count does not pass");
        }
    }
}

#[test]
fn a_run_without_end_is_no_script() {
    let directory = fresh("wast-endless");
    let module = directory.join("endless.wat");
    let text = r#"(module (func (export "f") (param i32) (loop $l (br_if $l (i32.eqz (local.get 0))))))"#;
    std::fs::write(&module, text).unwrap();
    let (module, out) = (module.to_str().unwrap(), directory.to_str().unwrap());
    let words = [
        "worst",
        module,
        "--call=f(i32)",
        "--max-instructions=10000",
        "--emit=rust,wast,c,json",
        "--paths=10",
        "--out",
        out,
    ];
    let output = pessimum(&words);
    let why = "--emit wast: the run on this input does not return (limit: instructions)";
    assert!(said(&output).contains(why), "{}", said(&output));
    assert_eq!(output.status.code(), Some(1));
    let is_written = ["rs", "wast", "c", "json"].map(|ending| directory.join(format!("worst_test.{ending}")).is_file());
    assert_eq!(is_written, [true, false, true, true], "one that cannot be made is no reason to leave out the others");
}

#[test]
fn what_cannot_be_a_script_is_refused_before_the_search() {
    for (words, message) in [
        (&["subjects/own/json.wasm", "--stdin=4"][..], "--emit wast needs --call"),
        (&["subjects/own/insertion_sort.wasm", "--call=sort(i32[n], n)", "--cost=depth"], "not depth"),
    ] {
        let output = pessimum(&[&["worst", "--size=4", "--emit=wast"][..], words].concat());
        assert_eq!(output.status.code(), Some(2));
        assert!(said(&output).contains(message), "{}", said(&output));
    }
}

/// A suite asserts what its inputs return, and which of them trap.
#[test]
fn a_suite_asserts_results_in_every_kind() {
    let directory = fresh("suite");
    let words = ["cover", "crates/cli/tests/cases/gate.wat", "--call=gate(i32, i32)", "--emit=rust,c,wast,json"];
    let found = search(&directory, &[&words[..], &["--paths=300"]].concat());
    let ends: Vec<&str> = found["tests"].as_array().unwrap().iter().map(|test| test["end"].as_str().unwrap()).collect();
    assert!(ends.contains(&"returned") && ends.contains(&"trapped: integer divide by zero"), "{ends:?}");

    let rust = directory.join("cover_test.rs");
    let (passed, said) = rust_passes(&rust);
    assert!(passed && said.contains(&format!("{} passed", ends.len())), "{said}");
    let (passed, said) = rust_passes(&lower(&rust, "\"returned 1\"", "\"returned 2\""));
    assert!(!passed && said.contains("expected \"returned 2\", found \"returned 1\""), "{said}");

    let c = directory.join("cover_test.c");
    let (passed, said) = c_passes(&c);
    assert!(passed, "{said}");
    let (passed, said) = c_passes(&lower(&c, "'returned 1'", "'returned 2'"));
    assert!(!passed && said.contains("FAILED: input"), "{said}");

    let json = directory.join("cover_test.json");
    assert_eq!(pessimum(&["replay", "--check", json.to_str().unwrap()]).status.code(), Some(0));
    let lowered = lower(&json, "\"returned 1\"", "\"returned 2\"");
    let output = pessimum(&["replay", "--check", lowered.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(3), "{}", self::said(&output));

    let script = directory.join("cover_test.wast");
    assert!(script_counts(&script).contains(&1));
    let lowered = lower(&script, "(i32.const 1))\n", "(i32.const 2))\n");
    assert!(std::panic::catch_unwind(|| script_counts(&lowered)).is_err(), "another result does not pass");
}

/// Runs a script in wasmi: modules, registered names, and assertions of integer results and of traps, all of which must
/// hold. Returns the asserted integers.
fn script_counts(file: &Path) -> Vec<i64> {
    let text = std::fs::read_to_string(file).unwrap();
    let buffer = ParseBuffer::new(&text).unwrap();
    let script: Wast<'_> = wast::parser::parse(&buffer).unwrap();
    let engine = wasmi::Engine::default();
    let mut store = wasmi::Store::new(&engine, ());
    let mut linker = wasmi::Linker::<()>::new(&engine);
    let mut named: BTreeMap<String, wasmi::Instance> = BTreeMap::new();
    let mut current = None;
    let mut counts = Vec::new();
    for directive in script.directives {
        match directive {
            WastDirective::Module(mut module) => {
                let name = match &module {
                    QuoteWat::Wat(wast::Wat::Module(module)) => module.id.map(|id| id.name().to_string()),
                    _ => None,
                };
                let module = wasmi::Module::new(&engine, module.encode().unwrap()).unwrap();
                let instance = linker.instantiate_and_start(&mut store, &module).unwrap();
                named.extend(name.map(|name| (name, instance)));
                current = Some(instance);
            }
            WastDirective::Register { name, module, .. } => {
                let instance = module.map_or(current, |id| named.get(id.name()).copied()).unwrap();
                // A later case registers the same names again.
                linker.allow_shadowing(true);
                linker.instance(&mut store, name, instance).unwrap();
            }
            WastDirective::AssertReturn { exec: WastExecute::Invoke(invoke), results, .. } => {
                let WastInvoke { name, args, .. } = invoke;
                assert!(args.is_empty());
                let function = current.unwrap().get_func(&store, name).unwrap();
                let mut found = vec![wasmi::Val::I32(0); results.len()];
                function.call(&mut store, &[], &mut found).unwrap();
                use wast::core::WastRetCore::{I32, I64};
                let (found, expected) = match (&found[..], &results[..]) {
                    ([wasmi::Val::I64(found)], [WastRet::Core(I64(expected))]) => (*found, *expected),
                    ([wasmi::Val::I32(found)], [WastRet::Core(I32(expected))]) => ((*found).into(), (*expected).into()),
                    _ => panic!("{results:?}"),
                };
                assert_eq!(found, expected);
                counts.push(found);
            }
            WastDirective::AssertTrap { exec: WastExecute::Invoke(invoke), .. } => {
                let function = current.unwrap().get_func(&store, invoke.name).unwrap();
                let mut found = vec![wasmi::Val::I32(0); function.ty(&store).results().len()];
                assert!(function.call(&mut store, &[], &mut found).is_err(), "{} does not trap", invoke.name);
            }
            other => panic!("{other:?}"),
        }
    }
    counts
}
