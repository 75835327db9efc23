//! Declarations of real sources, and tests that are written, compiled and run. Expected texts are files beside the sources;
//! `PESSIMUM_ACCEPT=1` writes them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pessimum_input::Declaration;
use pessimum_languages::{Case, Emitted, Interface, Wanted, interface};
use pessimum_program::WasmLibrary;
use pessimum_search::program::PathLimits;
use pessimum_session::cover::Scope;
use pessimum_suites::{Call, Library as _, Returned, Test};
use pessimum_term::Witness;
use pessimum_term::random::Random;
use pessimum_wasm::{Limits, LoadSettings, Module};

fn place(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sources/api").join(name)
}

fn wanted(path: &Path) -> Wanted<'_> {
    Wanted { path, call: None, entry: None, options: &[], with: &[], listed: false, sequences: true, covered: false }
}

/// The interface of a source; `None` where its compiler is not on the machine.
fn read(path: &Path) -> Option<Interface> {
    match interface(&wanted(path)) {
        Ok(interface) => Some(interface),
        Err(error) => {
            let error = format!("{error:#}");
            let is_missing =
                error.contains("was not found") || error.contains("no standard library") || error.contains("install");
            assert!(is_missing && std::env::var_os("PESSIMUM_REQUIRE_TOOLS").is_none(), "{error}");
            println!("not tested: {error}");
            None
        }
    }
}

/// Compares with a file. How a Rust file is laid out depends on whether the machine has a formatter.
#[track_caller]
fn same(name: &str, text: &str) {
    let path = place(name);
    if name.ends_with(".rs") && pessimum_python::programs::find("rustfmt").is_none() {
        assert!(std::env::var_os("PESSIMUM_REQUIRE_TOOLS").is_none(), "rustfmt is not on the machine");
        return;
    }
    if std::env::var_os("PESSIMUM_ACCEPT").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(expected == text, "{} is not what comes out:\n{text}", path.display());
}

fn library(interface: &Interface) -> WasmLibrary {
    let module = Arc::new(Module::load(&interface.module, &LoadSettings::default()).unwrap());
    let parse = |declaration: &str| Declaration::parse(declaration).unwrap();
    let declarations = interface.functions.iter().map(|function| parse(&function.declaration)).collect();
    WasmLibrary::new("test".to_string(), module, declarations, Limits::default()).unwrap().with_null_handles(true)
}

/// A call: the function, its sizes, the calls that made its handles, and its numbers.
type Written<'a> = (&'a str, &'a [u32], &'a [usize], &'a [u64]);

fn case(library: &WasmLibrary, name: &str, calls: &[Written<'_>]) -> Case {
    let mut values = Vec::new();
    let mut made = Vec::new();
    for (name, sizes, handles, numbers) in calls {
        let function = library.functions().iter().position(|function| function.name == *name);
        let function = function.unwrap_or_else(|| panic!("no function {name}"));
        let variables = library.variables(function, sizes).unwrap();
        assert_eq!(variables.len(), numbers.len(), "the numbers of {name}");
        values.extend_from_slice(numbers);
        made.push(Call { function, sizes: sizes.to_vec(), handles: handles.to_vec() });
    }
    let test = Test { calls: made, input: Witness::new(values) };
    let ran = library.run(&test, &PathLimits::default()).unwrap();
    Case {
        name: name.to_string(),
        remarks: vec![format!("About {name}.")],
        calls: library.laid_out(&test.calls).ok(),
        input: test.input,
        end: ran.end(),
        returned: ran.returned,
    }
}

fn emitted(interface: &Interface, path: &Path, cases: &[Case]) -> Emitted {
    interface.write_tests(&wanted(path), cases).unwrap().unwrap()
}

/// Tests of random calls, with numbers that are mostly small.
fn random(library: &WasmLibrary, count: usize, seed: u64) -> Vec<Case> {
    let mut random = Random::new(seed);
    let mut cases = Vec::new();
    for number in 0..count {
        let (mut calls, mut values): (Vec<Call>, Vec<u64>) = (Vec::new(), Vec::new());
        let mut gone = Vec::new();
        while calls.len() < 8 {
            // Every function is the first of some test.
            let at = if calls.is_empty() {
                number % library.functions().len()
            } else {
                random.index(library.functions().len())
            };
            let function = &library.functions()[at];
            let mut handles = Vec::new();
            for (ty, moved) in function.handles() {
                let of_type = |at: &usize| library.functions()[calls[*at].function].returned == Returned::Handle(ty);
                let there: Vec<usize> = (0..calls.len()).filter(|at| of_type(at) && !gone.contains(at)).collect();
                if there.is_empty() {
                    break;
                }
                handles.push(random.pick(&there));
                gone.extend(handles.last().filter(|_| moved));
            }
            if handles.len() < function.handles().count() {
                if calls.is_empty() {
                    // What it needs comes first.
                    let makes = library.functions().iter().position(|function| {
                        matches!(function.returned, Returned::Handle(_)) && function.handles().count() == 0
                    });
                    let Some(makes) = makes else { break };
                    let sizes = vec![1; library.functions()[makes].sizes.len()];
                    let variables = library.variables(makes, &sizes).unwrap();
                    values.extend_from_slice(random.witness(&variables).values());
                    calls.push(Call { function: makes, sizes, handles: Vec::new() });
                }
                continue;
            }
            let sizes: Vec<u32> = function.sizes.iter().map(|_| random.below(4) as u32).collect();
            let variables = library.variables(at, &sizes).unwrap();
            for (variable, value) in variables.iter().zip(random.witness(&variables).values()) {
                let small = random.below(5);
                let is_allowed = variable.pieces.is_none() && variable.low == 0 && variable.high > 4;
                values.push(if is_allowed && random.chance(0.8) { small } else { *value });
            }
            calls.push(Call { function: at, sizes, handles });
        }
        let program = library.program(&calls).unwrap();
        let mut input = Witness::new(values);
        program.repair(&mut input);
        let test = Test { calls, input };
        let ran = library.run(&test, &PathLimits::default()).unwrap();
        cases.push(Case {
            name: format!("random {number}"),
            remarks: Vec::new(),
            calls: library.laid_out(&test.calls).ok(),
            input: test.input,
            end: ran.end(),
            returned: ran.returned,
        });
    }
    cases
}

#[test]
fn a_rust_package_is_tested_by_its_users() {
    let path = place("shelf");
    let Some(interface) = read(&path) else { return };
    same("shelf.api", &interface.text());
    let library = library(&interface);
    // What we add to call the functions is no part of what is covered.
    let (places, scope) = (library.places(), Scope::own(&library.places()));
    let files: BTreeSet<&str> = scope.lines.iter().map(|line| places.lines[*line as usize].file.as_str()).collect();
    let ends: Vec<&str> = files.iter().filter_map(|file| file.rsplit("sources/api/").next()).collect();
    assert_eq!(ends, ["shelf/src/lib.rs", "shelf/src/ring.rs"]);
    let cases = [
        case(
            &library,
            "ring",
            &[
                ("RingBuffer::new", &[], &[], &[1]),
                ("RingBuffer::push", &[], &[0], &[7]),
                ("RingBuffer::push", &[], &[0], &[8]),
                ("RingBuffer::get", &[], &[0], &[0]),
                ("RingBuffer::get", &[], &[0], &[9]),
                ("RingBuffer::len", &[], &[0], &[]),
                ("RingBuffer::pop", &[], &[0], &[]),
                ("RingBuffer::is_empty", &[], &[0], &[]),
                ("RingBuffer::into_iter", &[], &[0], &[]),
            ],
        ),
        case(&library, "ring", &[("RingBuffer::new", &[], &[], &[0])]),
        case(
            &library,
            "no label",
            &[
                ("Shelf::labelled", &[0], &[], &[]),
                ("Shelf::put", &[], &[0], &[1, 2]),
                ("sort", &[3], &[], &[3, 0xffff, 2]),
            ],
        ),
        case(
            &library,
            "shelf",
            &[
                ("Shelf::labelled", &[2], &[], &[u64::from(b'"'), u64::from(b'a')]),
                ("Shelf::put", &[], &[0], &[5, 10]),
                ("Shelf::take", &[], &[0], &[5, 11]),
                ("Shelf::take", &[], &[0], &[6, 1]),
                ("Shelf::take", &[], &[0], &[5, 3]),
                ("Shelf::most", &[], &[0], &[]),
                ("Shelf::clone", &[], &[0], &[]),
                ("Shelf::merge", &[], &[6, 0], &[]),
                ("Shelf::merge", &[], &[0, 0], &[]),
                ("Shelf::numbers", &[], &[6], &[]),
                ("Shelf::label", &[], &[6], &[]),
                ("Shelf::fmt", &[], &[6], &[]),
                ("Shelf::price", &[], &[6], &[1, u64::from(0.5f32.to_bits()), 9]),
                ("Shelf::count", &[], &[6], &[]),
                ("Shelf::drop", &[], &[0], &[]),
                ("Shelf::default", &[], &[], &[]),
            ],
        ),
        case(&library, "common", &[("common", &[2, 2], &[], &[97, 98, 97, 99])]),
    ];
    let ends: Vec<bool> = cases.iter().map(|case| case.end.is_crash()).collect();
    assert_eq!(ends, [false, true, false, false, false]);
    let emitted = emitted(&interface, &path, &cases);
    assert_eq!(emitted.left_out, []);
    same("shelf_tests.rs", &emitted.text);
}

#[test]
fn a_rust_file_is_tested_by_its_users() {
    let path = place("lru.rs");
    let Some(interface) = read(&path) else { return };
    same("lru.api", &interface.text());
    let library = library(&interface);
    let cases = [
        case(
            &library,
            "forgets",
            &[
                ("Lru::with_capacity", &[], &[], &[1]),
                ("Lru::put", &[], &[0], &[1, 10]),
                ("Lru::put", &[], &[0], &[2, 20]),
                ("Lru::get", &[], &[0], &[1]),
                ("Lru::get", &[], &[0], &[2]),
                ("Lru::len", &[], &[0], &[]),
            ],
        ),
        case(&library, "nothing", &[("Lru::with_capacity", &[], &[], &[0]), ("Lru::len", &[], &[0], &[])]),
    ];
    let emitted = emitted(&interface, &path, &cases);
    assert_eq!(emitted.left_out, []);
    let without_path = emitted.text.replace(&path.display().to_string(), "lru.rs");
    same("lru_tests.rs", &without_path);
}

#[test]
fn c_is_tested_by_functions_with_assertions() {
    let path = place("stack.c");
    let Some(interface) = read(&path) else { return };
    same("stack.api", &interface.text());
    let library = library(&interface);
    let minus_one = u64::from(u32::MAX);
    let cases = [
        case(
            &library,
            "stack",
            &[
                ("stack_new", &[], &[], &[2]),
                ("stack_fill", &[3], &[0], &[5, minus_one, 7]),
                ("stack_pop", &[], &[0], &[]),
                ("stack_get", &[], &[0], &[0]),
                ("stack_get", &[], &[0], &[1]),
                ("stack_mean", &[], &[0], &[]),
                ("stack_free", &[], &[0], &[]),
            ],
        ),
        case(
            &library,
            "accounts",
            &[
                ("account_open", &[2], &[], &[u64::from(b'a'), 200]),
                ("account_open", &[0], &[], &[]),
                ("account_pay", &[], &[0], &[3, 5]),
                ("account_withdraw", &[], &[0, 1], &[20]),
                ("account_is", &[2], &[0], &[u64::from(b'a'), 200]),
                ("account_close", &[], &[0], &[]),
            ],
        ),
        case(&library, "visible", &[("visible", &[], &[], &[minus_one])]),
    ];
    let emitted = emitted(&interface, &path, &cases);
    assert_eq!(emitted.left_out, []);
    let without_path = emitted.text.replace(&path.display().to_string(), "stack.c");
    same("stack_tests.c", &without_path);
}

/// Every way to make a value, as a test writes it.
#[test]
fn values_are_written_as_they_are_made() {
    let path = place("../types.rs");
    let Some(interface) = read(&path) else { return };
    let library = library(&interface);
    let cases = random(&library, library.functions().len(), 1);
    let emitted = emitted(&interface, &path, &cases);
    let others: Vec<_> = emitted.left_out.iter().filter(|(_, why)| !why.starts_with("arithmetic overflows")).collect();
    assert!(others.is_empty(), "{others:?}");
}

#[test]
fn random_calls_of_a_package_do_the_same_on_this_machine() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../subjects/rust/lru_cache");
    let Some(interface) = read(&path) else { return };
    let library = library(&interface);
    let cases = random(&library, 40, 2);
    let emitted = emitted(&interface, &path, &cases);
    assert_eq!((emitted.tests.len(), emitted.left_out), (40, Vec::new()));
}
