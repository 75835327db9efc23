//! Sequences of calls: what they share, what they return, and which of them count.

use std::collections::BTreeSet;
use std::sync::Arc;

use pessimum_input::Declaration;
use pessimum_program::WasmLibrary;
use pessimum_search::budget::Budget;
use pessimum_search::generation::Generation;
use pessimum_search::program::{PathLimits, Program as _};
use pessimum_search::search::{Search, Settings};
use pessimum_search::strategy;
use pessimum_suites::{Call, Library as _, Test};
use pessimum_term::Witness;
use pessimum_wasm::{Counted, Limits, LoadSettings, Module};

const FOO_BAR: [&str; 5] =
    ["foo_new() -> Foo", "foo_inc(Foo)", "foo_get_x(Foo) -> i32", "bar_new(u8[4]) -> Bar", "bar_cover_me(Bar, Foo)"];
const LIMITS: PathLimits = PathLimits { instructions: 1_000_000, decisions: 10_000, depth: 1_000, memory: 1 << 24 };

fn module() -> Arc<Module> {
    let bytes = std::fs::read(pessimum_subjects::directory().join("evosuite/foo_bar.wasm")).unwrap();
    Arc::new(Module::load(&bytes, &LoadSettings::default()).unwrap())
}

fn library(declarations: &[&str]) -> Result<WasmLibrary, String> {
    let declarations = declarations.iter().map(|text| Declaration::parse(text).unwrap()).collect();
    WasmLibrary::new("foo_bar".to_string(), module(), declarations, Limits::default())
}

fn call(function: usize, handles: &[usize]) -> Call {
    Call { function, sizes: Vec::new(), handles: handles.to_vec() }
}

/// A Foo, so many increments, what it has counted, and a Bar that is covered with it.
fn covering(increments: usize) -> Vec<Call> {
    let mut calls = vec![call(0, &[])];
    calls.extend((0..increments).map(|_| call(1, &[0])));
    calls.extend([call(2, &[0]), call(3, &[]), call(4, &[increments + 2, 0])]);
    calls
}

#[test]
fn calls_share_one_instance_and_are_passed_what_earlier_ones_returned() {
    let library = library(&FOO_BAR).unwrap();
    let goal = library.places().functions_named("must_reach").unwrap()[0];
    for (increments, text, reached) in [(5, b"baz\0", true), (5, b"bay\0", false), (4, b"baz\0", false)] {
        let input = Witness::new(text.iter().map(|&byte| u64::from(byte)).collect());
        let ran = library.run(&Test { calls: covering(increments), input }, &LIMITS).unwrap();
        assert_eq!(ran.observation.functions.contains(&goal), reached, "{increments} {text:?}");
        assert_eq!(ran.returned.len(), increments + 4);
        assert_eq!(ran.returned[increments + 1], Some(increments as u64), "what foo_get_x returns");
        assert!(ran.returned[0].is_some_and(|handle| handle > 0) && ran.returned[1].is_none());
    }
}

#[test]
fn a_sequence_is_a_program_whose_values_the_solver_finds() {
    let library = library(&FOO_BAR).unwrap();
    let program = library.program(&covering(5)).unwrap();
    assert_eq!(program.variables().len(), 4);
    let settings = Settings { budget: Budget { paths: Some(1_000), ..Budget::default() }, ..Settings::default() };
    let mut exhaustive = strategy::named("exhaustive").unwrap();
    let found = strategy::run(Search::new(&*program, settings), exhaustive.as_mut());
    assert!(found.complete && found.defects.is_empty());
    let best = found.best.unwrap();
    // Zeros at the end may be missing.
    assert_eq!(best.witness.values()[..3], b"baz".map(u64::from), "the costliest path is the one to the goal");
    let ran = library.run(&Test { calls: covering(5), input: best.witness.clone() }, &LIMITS).unwrap();
    assert_eq!(ran.observation.costs.instructions, best.costs.instructions);
}

#[test]
fn only_the_last_call_may_count() {
    let library = library(&FOO_BAR).unwrap();
    let input = Witness::new(b"baz\0".iter().map(|&byte| u64::from(byte)).collect());
    let cost = |increments, counted| {
        let program = library.counting(&covering(increments), counted).unwrap();
        let replay = program.replay(&input, &LIMITS);
        assert_eq!(program.observe(&input, &LIMITS).costs, replay.costs);
        assert_eq!(program.profile(&input, &LIMITS).costs, replay.costs);
        replay.costs.instructions
    };
    let last: BTreeSet<u64> = [1, 2, 3, 4].map(|increments| cost(increments, Counted::Last)).into();
    assert_eq!(last.len(), 1, "earlier calls cost nothing");
    let (two, three, four) = (cost(2, Counted::All), cost(3, Counted::All), cost(4, Counted::All));
    assert!(three > two && four - three == three - two && last.iter().all(|&last| last < two));
}

#[test]
fn a_call_that_traps_ends_the_test() {
    let library = library(&["foo_new() -> Foo", "foo_get_x(Foo) -> i32"]).unwrap();
    // There is room for 4096 of them.
    let test = Test { calls: vec![call(0, &[]); 5000], input: Witness::default() };
    let ran = library.run(&test, &LIMITS).unwrap();
    assert_eq!((ran.returned.len(), ran.end().to_string().as_str()), (4096, "trapped: out of bounds memory access"));
}

#[test]
fn declarations_must_fit_the_module() {
    let refused = |declarations: &[&str], message: &str| {
        let error = library(declarations).err().unwrap();
        assert!(error.contains(message), "{error}");
    };
    refused(&["foo_inc(Foo)"], "`foo_inc` wants a Foo, but no function returns one; declare its constructor");
    refused(&["foo_new() -> Foo", "foo_new() -> Foo"], "`foo_new` is declared twice");
    refused(&["foo_new() -> Foo", "foo_inc(Foo) -> i32"], "`foo_inc` returns nothing");
    refused(&["foo_new() -> Foo", "foo_inc(Foo, i32)"], "the number of parameters is 1");
    refused(&["fooo()"], "no export named `fooo`");
    refused(&[], "no function is declared");
}

/// A constructor that fails returns 0, and what is at address 0 can be read in WebAssembly.
const FAILING: &str = r#"(module
    (memory (export "memory") 1)
    (func (export "make") (param i32) (result i32) (i32.mul (i32.and (local.get 0) (i32.const 1)) (i32.const 64)))
    (func (export "read") (param i32) (result i32) (i32.load (local.get 0))))"#;

#[test]
fn what_a_constructor_did_not_make_is_passed_on_only_if_permitted() {
    let module = Arc::new(Module::load(&wat::parse_str(FAILING).unwrap(), &LoadSettings::default()).unwrap());
    let declarations =
        || ["make(i32) -> Thing", "read(Thing) -> i32"].map(|text| Declaration::parse(text).unwrap()).to_vec();
    let library =
        || WasmLibrary::new("failing".to_string(), module.clone(), declarations(), Limits::default()).unwrap();
    let ended = |library: &WasmLibrary, value: u64| {
        let test = Test { calls: vec![call(0, &[]), call(1, &[0])], input: Witness::new(vec![value]) };
        let ran = library.run(&test, &LIMITS).unwrap();
        (ran.end().is_a_run(), ran.returned.len())
    };
    assert_eq!(ended(&library(), 1), (true, 2));
    assert_eq!(ended(&library(), 2), (false, 1));
    assert_eq!(ended(&library().with_null_handles(true), 2), (true, 2));
}

#[test]
fn bytes_that_are_no_text_are_no_run_of_a_function_of_texts() {
    let mut declarations = FOO_BAR;
    declarations[3] = "bar_new(utf8[4]) -> Bar";
    let library = library(&declarations).unwrap();
    let test = |bytes: [u8; 4]| Test { calls: covering(1), input: Witness::new(bytes.map(u64::from).to_vec()) };
    for (bytes, is_text) in [(*b"baz\0", true), ([0xc3, 0xa4, b'z', 0], true), ([b'b', 0xff, 0xa4, 0], false)] {
        let mut test = test(bytes);
        let end = if is_text { "returned" } else { "assumption violated" };
        assert_eq!(library.run(&test, &LIMITS).unwrap().end().to_string(), end);
        assert_eq!(library.outcome(&test, &LIMITS, &mut || true).unwrap().0.to_string(), end);
        let before = test.clone();
        library.repair(&mut test);
        assert_eq!(test == before, is_text, "what is a text stays");
        assert_eq!(library.run(&test, &LIMITS).unwrap().end().to_string(), "returned");
    }
}

/// A run may come to thousands of addresses that depend on the input, each with several values.
#[test]
fn a_generation_asks_for_other_values_of_so_many_addresses_only() {
    let bytes = wat::parse_str(
        r#"(module (memory 1)
            (func (export "f") (param i32) (result i32) (local $left i32)
                (local.set $left (i32.const 20))
                (loop $again
                    (i32.store8 (i32.and (i32.mul (local.get 0) (local.get $left)) (i32.const 63)) (local.get $left))
                    (br_if $again (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))
                (i32.load8_u (i32.const 5))))"#,
    )
    .unwrap();
    let module = Arc::new(Module::load(&bytes, &LoadSettings::default()).unwrap());
    let library =
        WasmLibrary::new("f".to_string(), module, vec![Declaration::parse("f(u8) -> i32").unwrap()], Limits::default());
    let library = library.unwrap();
    let program = library.program(&[call(0, &[])]).unwrap();
    let asked = |most: u32| {
        let mut search = Search::new(&*program, Settings::default());
        let mut generation = Generation::asking(4, most);
        generation.follow(&mut search, &Witness::new(vec![3]), &mut |_| {});
        let mut depths: Vec<usize> = generation.passed().iter().map(|passed| passed.depth).collect();
        depths.dedup();
        let queries = search.kernel.counters.queries;
        generation.follow(&mut search, &Witness::new(vec![9]), &mut |_| {});
        (depths.len(), queries, search.kernel.counters.queries - queries)
    };
    let (none, one, all) = (asked(0), asked(1), asked(1000));
    assert_eq!(none, (0, 0, 0));
    assert!(one.0 == 1 && one.1 > 0 && one.1 <= 4, "{one:?}");
    assert_eq!(one.2, 0, "the limit is one of all runs together");
    assert!(all.0 > 1 && all.1 > one.1 && all.2 > 0, "{all:?}");
}
