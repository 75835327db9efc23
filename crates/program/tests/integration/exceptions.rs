//! A program that throws as its input says: all its paths are found, each is the run on its input, and whatever watches a run
//! sees the same costs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use pessimum_input::{InputPlan, Signature};
use pessimum_outcome::{Costs, End, Trap};
use pessimum_program::WasmProgram;
use pessimum_search::program::{PathLimits, Program};
use pessimum_search::search::{Search, Settings};
use pessimum_search::strategy;
use pessimum_term::{VariableId, Witness};
use pessimum_wasm::{Limits, LoadSettings, Module, Prefix, ProcessEvent, Start, Subject, World};

/// `step` throws or returns by its argument; `f` calls it twice, with handlers in both forms that look at what was thrown,
/// throw it again, or leave it to the caller. What is thrown depends on the input, and so do branches on it.
const MODULE: &str = r#"(module
    (tag $small (param i32)) (tag $large (param i32 i64)) (tag $never)
    (func $step (param $x i32) (result i32)
        (if (i32.lt_u (local.get $x) (i32.const 3)) (then (return (i32.add (local.get $x) (i32.const 10)))))
        (if (i32.lt_u (local.get $x) (i32.const 5)) (then (throw $small (i32.mul (local.get $x) (i32.const 3)))))
        (if (i32.lt_u (local.get $x) (i32.const 7))
            (then (throw $large (local.get $x) (i64.extend_i32_u (local.get $x)))))
        (throw $never))
    (func $between (param $x i32) (result i32)
        try (result i32)
            (call $step (local.get $x))
        catch_all
            (if (i32.eq (local.get $x) (i32.const 6)) (then (rethrow 1)))
            (if (i32.eq (local.get $x) (i32.const 4)) (then (return (i32.const 77))))
            (rethrow 0)
        end)
    (func (export "f") (param $a i32) (param $b i32) (result i32)
        (local $sum i32) (local $kept exnref)
        (block $small (result i32)
            (block $large (result i32 i64)
                (try_table (catch $small $small) (catch $large $large)
                    (local.set $sum (call $between (local.get $a)))
                    (local.set $sum (i32.add (local.get $sum) (call $step (local.get $b))))
                    (return (local.get $sum)))
                (unreachable))
            (i32.wrap_i64)
            (i32.add))
        (local.set $sum)
        (if (i32.gt_u (local.get $sum) (i32.const 9)) (then (return (i32.const 1))))
        (block $h (result exnref)
            (try_table (catch_all_ref $h) (throw $small (local.get $b)))
            (unreachable))
        (local.set $kept)
        (if (i32.eqz (local.get $b)) (then (throw_ref (local.get $kept))))
        (block $out (result i32)
            (try_table (catch $small $out) (throw_ref (local.get $kept)))
            (unreachable))))"#;

fn subject() -> Subject {
    let module = Arc::new(Module::load(MODULE.as_bytes(), &LoadSettings::default()).unwrap());
    let (mut plan, call) = (InputPlan::new(None), Signature::parse("f(i32 in 0..8, i32 in 0..8)").unwrap());
    call.lay_out(&mut plan).unwrap();
    let world = World { plan, program: "test".to_string(), environment: Vec::new() };
    Subject::new(module, Start::Call(call), world, Limits::default()).unwrap()
}

fn inputs() -> impl Iterator<Item = Witness> {
    (0..64).map(|number| Witness::new(vec![number / 8, number % 8]))
}

#[test]
fn all_paths_are_those_of_all_inputs() {
    let subject = subject();
    // A witness may leave out numbers that are zero.
    let numbers = |input: &Witness| [0, 1].map(|number| input.get(VariableId(number)));
    let mut runs: BTreeMap<[u64; 2], (Costs, End)> = BTreeMap::new();
    for input in inputs() {
        let ran = subject.run_concrete(input.clone()).unwrap();
        runs.insert(numbers(&input), (ran.costs, ran.end.kind()));
    }
    let ends: BTreeSet<End> = runs.values().map(|run| run.1).collect();
    assert_eq!(ends, [End::Returned, End::Trapped(Trap::UncaughtException)].into_iter().collect());

    let program = WasmProgram::new("throws".to_string(), subject).unwrap();
    let settings = Settings::default();
    let limits = settings.limits;
    let classes = Mutex::new(BTreeSet::new());
    let search = Search::new(&program, settings).with_visitor(|path| {
        let (costs, end) = &runs[&numbers(path.witness)];
        assert_eq!((Costs { decisions: path.costs.decisions, ..*costs }, *end), (*path.costs, path.end));
        let replay = program.replay(path.witness, &limits);
        assert_eq!((replay.costs, replay.end), (*costs, *end));
        classes.lock().unwrap().insert((costs.instructions, costs.branches, *end));
    });
    let result = strategy::run(search, &mut *strategy::named("exhaustive").unwrap());
    assert!(result.complete && result.counters.unsupported == 0 && result.paths > 10, "{} paths", result.paths);
    let all: BTreeSet<(u64, u64, End)> =
        runs.values().map(|(costs, end)| (costs.instructions, costs.branches, *end)).collect();
    assert_eq!(classes.into_inner().unwrap(), all, "every kind of run is a path");
}

#[test]
fn whatever_watches_a_run_counts_the_same() {
    let program = WasmProgram::new("throws".to_string(), subject()).unwrap();
    for limits in [PathLimits::default(), PathLimits { instructions: 25, ..PathLimits::default() }] {
        for input in inputs() {
            let replay = program.replay(&input, &limits);
            let seen = program.observe(&input, &limits);
            assert_eq!((seen.costs, seen.end), (replay.costs, replay.end));
            let profile = program.profile(&input, &limits);
            assert_eq!(profile.costs.instructions, replay.costs.instructions);
            let sum = |part: fn(&pessimum_wasm::Counts) -> u64| -> u64 {
                profile.calls.iter().map(|node| part(&node.own)).sum()
            };
            assert_eq!(sum(|own| own.instructions), replay.costs.instructions, "{input:?}");
            assert_eq!(sum(|own| own.calls), replay.costs.calls, "{input:?}");
            let executions: u64 = profile.instructions.iter().chain(&profile.moved).map(|(_, times)| times).sum();
            assert_eq!(executions, replay.costs.instructions, "{input:?}");
            // `f` is the root of everything, and what it calls has been left by return or by exception.
            assert!(profile.calls.iter().all(|node| node.level <= 2), "{input:?}");
        }
    }
}

#[test]
fn a_prefix_keeps_exceptions() {
    // The first decision is in a handler that has caught what depends on the input.
    let text = r#"(module (tag $e (param i32))
        (func (export "f") (param i32) (result i32)
            (block $out (result i32)
                (try_table (catch $e $out)
                    try
                        (throw $e (i32.add (local.get 0) (i32.const 1)))
                    catch $e
                        (if (i32.gt_u (i32.const 4)) (then (rethrow 1)))
                    end
                    (return (i32.const 0)))
                (unreachable))))"#;
    let module = Arc::new(Module::load(text.as_bytes(), &LoadSettings::default()).unwrap());
    let (mut plan, call) = (InputPlan::new(None), Signature::parse("f(i32)").unwrap());
    call.lay_out(&mut plan).unwrap();
    let world = World { plan, program: "test".to_string(), environment: Vec::new() };
    let subject = Subject::new(module, Start::Call(call), world, Limits::default()).unwrap();
    let prefix = Prefix::of(&subject, 1 << 20).expect("there is a decision");
    for x in 0..10 {
        let input = Witness::new(vec![x]);
        let mut process = prefix.process(&input, Limits::default()).expect("the run gets there");
        assert!(process.instructions() > 4, "the exception has been thrown");
        let mut domain = pessimum_wasm::Concrete { witness: input.clone() };
        let ProcessEvent::End(end) = process.run(&mut domain) else { panic!("everything is known") };
        let ran = subject.run_concrete(input).unwrap();
        assert_eq!((process.costs(), end.kind()), (ran.costs, ran.end.kind()));
        let expected = if x + 1 > 4 { x + 1 } else { 0 };
        assert_eq!(ran.results[0].bits, expected);
        assert_eq!(end, pessimum_wasm::ProcessEnd::Returned(vec![expected]));
    }
}
