//! States that come back, and states that only look as if they did.

use std::sync::Arc;

use pessimum_input::InputPlan;
use pessimum_term::Witness;
use pessimum_wasm::{Concrete, Limits, LoadSettings, Module, Process, Recurrence, Start, Subject, World};

/// What is known of a run of `_start` after at most this many instructions.
fn recurrence(body: &str) -> Option<Recurrence> {
    let text = format!(
        r#"(module
          (import "pessimum" "cost" (func $cost (param i64)))
          (import "pessimum" "i32" (func $ask (result i32)))
          (import "wasi_snapshot_preview1" "clock_time_get" (func $clock (param i32 i64 i32) (result i32)))
          (memory (export "memory") 1)
          (global $g (mut i32) (i32.const 0))
          (func $inc (param i32) (result i32) (i32.add (local.get 0) (i32.const 1)))
          (func (export "_start") (local $i i32) {body}))"#
    );
    let module = Arc::new(Module::load(text.as_bytes(), &LoadSettings::default()).unwrap());
    let world = World { plan: InputPlan::new(None), program: "program".into(), environment: Vec::new() };
    let limits = Limits { instructions: 2_000_000, ..Limits::default() };
    let subject = Subject::new(module, Start::Command, world, limits).unwrap();
    let process = Process::<Concrete>::new(&subject).unwrap();
    process.recurrence(&mut Concrete { witness: Witness::default() }, &mut || true)
}

/// Goes round and round after a hundred rounds of something else, with a period of eight rounds in a place that only it
/// knows.
fn ring(place: &str, next: &str) -> String {
    format!(
        "(loop $first (local.set $i (i32.add (local.get $i) (i32.const 1)))
           (br_if $first (i32.lt_u (local.get $i) (i32.const 100))))
         (local.set $i (i32.const 0))
         (loop $again {place} {next} (br $again))"
    )
}

#[test]
fn a_state_that_comes_back_is_noticed_wherever_it_is_kept() {
    let next = |get: &str| format!("(i32.and (i32.add {get} (i32.const 1)) (i32.const 7))");
    let places = [
        ("local", format!("(local.set $i {})", next("(local.get $i)"))),
        ("global", format!("(global.set $g {})", next("(global.get $g)"))),
        ("memory", format!("(i32.store (i32.const 4000) {})", next("(i32.load (i32.const 4000))"))),
        ("last bytes", format!("(i32.store (i32.const 65532) {})", next("(i32.load (i32.const 65532))"))),
        ("across pages", format!("(i32.store (i32.const 8190) {})", next("(i32.load (i32.const 8190))"))),
        ("call", "(local.set $i (i32.and (call $inc (local.get $i)) (i32.const 7)))".to_string()),
    ];
    for (name, place) in places {
        let round = recurrence(&ring("", &format!("{place} (local.set $i (local.get $i))"))).expect(name);
        assert!(round.after > 400, "{name}: {round:?}");
        assert_eq!(round.every % 8, 0, "{name}: {round:?}");
        // What is counted is no part of the state.
        let counted = recurrence(&ring("(call $cost (i64.const 3))", &place)).expect(name);
        assert!(counted.every > 8, "{name}: {counted:?}");
    }
    assert_eq!(recurrence("(loop (br 0))").map(|found| found.every), Some(1));
}

#[test]
fn what_grows_or_asks_does_not_come_back() {
    let bodies = [
        ("ends", "(local.set $i (i32.const 1))"),
        ("counts", "(loop $again (local.set $i (i32.add (local.get $i) (i32.const 1))) (br $again))"),
        (
            "counts in memory",
            "(loop $again (i32.store (i32.const 70) (i32.add (i32.load (i32.const 70)) (i32.const 1))) (br $again))",
        ),
        ("asks for input", "(loop $again (drop (call $ask)) (br $again))"),
        (
            "reads the clock",
            "(loop $again (drop (call $clock (i32.const 0) (i64.const 0) (i32.const 64))) (br $again))",
        ),
    ];
    for (name, body) in bodies {
        assert_eq!(recurrence(body), None, "{name}");
    }
}
