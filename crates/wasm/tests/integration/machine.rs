//! What the machine promises beyond the standard: costs, limits, errors, clones.

use std::sync::Arc;

use pessimum_wasm::{
    Concrete, Costs, End, Event, Extern, ExternType, HostArguments, HostId, InstanceId, Limit, Limits, LoadErrorKind,
    LoadSettings, Machine, Module, SiteId, SiteKind, Trap, Weights,
};

fn load(text: &str) -> Arc<Module> {
    Arc::new(Module::load(text.as_bytes(), &LoadSettings::default()).expect("the text is a valid module"))
}

fn start(module: Arc<Module>, limits: Limits) -> (Machine<Concrete>, InstanceId) {
    let mut machine = Machine::new(limits);
    let instance = machine
        .instantiate(module, &mut |machine, import| match &import.ty {
            ExternType::Function(ty) => Some(Extern::Function(machine.host_function(ty.clone(), HostId(7)))),
            _ => None,
        })
        .expect("all imports are functions");
    (machine, instance)
}

fn call(machine: &mut Machine<Concrete>, instance: InstanceId, name: &str, args: &[u64]) -> Event<u64> {
    let function = machine.exported_function(instance, name).expect("the export exists");
    machine.call(function, args);
    machine.run(&mut Concrete::default())
}

fn run(text: &str, name: &str, args: &[u64]) -> (End<u64>, Costs) {
    let (mut machine, instance) = start(load(text), Limits::default());
    match call(&mut machine, instance, name, args) {
        Event::End(end) => (end, machine.costs()),
        event => panic!("{event:?}"),
    }
}

/// Sum of 1..=n, where n is at least 1: 9 instructions per round, and 1 after the loop.
const SUM: &str = r#"(module (func (export "sum") (param $n i32) (result i32) (local $s i32)
    (loop $l
        (local.set $s (i32.add (local.get $s) (local.get $n)))
        (br_if $l (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.get $s)))"#;

#[test]
fn instructions_of_a_loop_are_counted_exactly() {
    for n in [1, 2, 10, 1000] {
        let (end, costs) = run(SUM, "sum", &[n]);
        assert_eq!(end, End::Returned(vec![n * (n + 1) / 2]));
        assert_eq!(costs.instructions, 9 * n + 1);
        assert_eq!((costs.branches, costs.hits, costs.calls, costs.depth), (n, n, 1, 1));
    }
}

#[test]
fn both_arms_of_an_if_are_counted_exactly() {
    let text = r#"(module (func (export "f") (param i32) (result i32)
        (if (result i32) (local.get 0)
            (then (nop) (i32.add (local.get 0) (i32.const 1)))
            (else (i32.const 7)))))"#;
    // local.get, if, and three or one more.
    assert_eq!(run(text, "f", &[4]).1.instructions, 5);
    assert_eq!(run(text, "f", &[0]).1.instructions, 3);
    let (mut machine, instance) = start(load(text), Limits::default());
    for argument in [1, 0, 2, 3] {
        call(&mut machine, instance, "f", &[argument]);
    }
    assert_eq!(machine.arm_counts(instance), [1, 3]);
    assert_eq!(machine.site_hits(instance, SiteId(0)), 4);
}

#[test]
fn a_trap_in_mid_block_counts_up_to_and_including_itself() {
    let text = r#"(module (func $inner (param i32) (result i32)
            (i32.add (i32.const 1) (i32.div_u (i32.const 10) (local.get 0))))
        (func (export "f") (param i32) (result i32)
            (i32.mul (call $inner (local.get 0)) (i32.const 3))))"#;
    // local.get, call; const, const, local.get, div; add; const, mul.
    let (end, costs) = run(text, "f", &[5]);
    assert_eq!((end, costs.instructions), (End::Returned(vec![9]), 9));
    let (end, costs) = run(text, "f", &[0]);
    assert_eq!((end, costs.instructions), (End::Trapped(Trap::DivideByZero), 6));
    assert_eq!((costs.calls, costs.depth), (2, 2));
}

#[test]
fn tables_of_branches_count_every_arm() {
    let text = r#"(module (func (export "f") (param i32) (result i32)
        (block $c (block $b (block $a
            (br_table $a $b $c (local.get 0)))
            (return (i32.const 10)))
            (return (i32.const 20)))
        (i32.const 30)))"#;
    let (mut machine, instance) = start(load(text), Limits::default());
    for (argument, result, cost) in [(0, 10, 4), (1, 20, 4), (2, 30, 3), (u32::MAX as u64, 30, 3)] {
        let before = machine.costs().instructions;
        assert_eq!(call(&mut machine, instance, "f", &[argument]), Event::End(End::Returned(vec![result])));
        assert_eq!(machine.costs().instructions - before, cost);
    }
    let site = machine.module(instance).site(SiteId(0));
    assert_eq!((site.kind, site.arms), (SiteKind::Table, 3));
    assert_eq!(machine.arm_counts(instance)[..3], [1, 1, 2]);
    assert_eq!(machine.costs().branches, 4);
}

#[test]
fn weights_price_each_executed_instruction() {
    let mut weights = Weights { other: 1, ..Weights::default() };
    weights.by_name.insert("i32.add".to_string(), 100);
    weights.by_name.insert("br_if".to_string(), 10);
    let module = Module::load(SUM.as_bytes(), &LoadSettings { weights: Some(weights), priced: None }).unwrap();
    let (mut machine, instance) = start(Arc::new(module), Limits::default());
    call(&mut machine, instance, "sum", &[10]);
    let costs = machine.costs();
    assert_eq!(costs.instructions, 91);
    assert_eq!(costs.weighted, Some(10 * (7 + 100 + 10) + 1));
}

#[test]
fn limits_are_ordinary_ends() {
    let forever = r#"(module (func (export "f") (loop (br 0))))"#;
    let (mut machine, instance) = start(load(forever), Limits { instructions: 1000, ..Limits::default() });
    assert_eq!(call(&mut machine, instance, "f", &[]), Event::End(End::Limit(Limit::Instructions)));
    assert!((1000..1010).contains(&machine.costs().instructions), "{:?}", machine.costs());

    let recursion = r#"(module (func $f (export "f") (param i32) (result i32)
        (i32.add (call $f (local.get 0)) (i32.const 1))))"#;
    let (mut machine, instance) = start(load(recursion), Limits::default());
    assert_eq!(call(&mut machine, instance, "f", &[0]), Event::End(End::Limit(Limit::Depth)));
    assert_eq!(machine.costs().depth, Limits::default().call_depth as u64);

    let growth = r#"(module (memory 1) (func (export "f") (loop (br_if 0 (memory.grow (i32.const 100))))))"#;
    let (mut machine, instance) = start(load(growth), Limits { memory: 10 << 20, ..Limits::default() });
    assert_eq!(call(&mut machine, instance, "f", &[]), Event::End(End::Limit(Limit::Memory)));
    assert_eq!(machine.costs().memory, 65536 * 101);
}

#[test]
fn a_clone_goes_its_own_way() {
    let text = r#"(module (import "host" "ask" (func $ask (result i32))) (memory (export "memory") 1)
        (func (export "f") (result i32) (local $i i32)
            (loop $l
                (i32.store (i32.mul (local.get $i) (i32.const 1000)) (call $ask))
                (br_if $l (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 10))))
            (i32.load (i32.const 9000))))"#;
    let (mut machine, instance) = start(load(text), Limits::default());
    let mut event = call(&mut machine, instance, "f", &[]);
    let mut clones = Vec::new();
    for answer in 0..10 {
        assert_eq!(event, Event::Host { function: HostId(7), args: HostArguments::new(), results: 1 });
        clones.push((answer, machine.clone()));
        machine.resume(&[answer]);
        event = machine.run(&mut Concrete::default());
    }
    assert_eq!(event, Event::End(End::Returned(vec![9])));
    let costs = machine.costs();
    let stored = |machine: &Machine<Concrete>| -> Vec<u8> {
        let memory = machine.memory(machine.memory_of(instance).unwrap());
        (0..10).map(|i| memory.read(i * 1000, 1).unwrap()[0]).collect()
    };
    assert_eq!(stored(&machine), (0..10).collect::<Vec<u8>>());
    for (at, mut clone) in clones {
        for answer in at..10 {
            clone.resume(&[100 + answer]);
            event = clone.run(&mut Concrete::default());
        }
        assert_eq!(event, Event::End(End::Returned(vec![109])));
        assert_eq!(clone.costs(), costs);
        let expected: Vec<u8> = (0..10).map(|i| if (i as u64) < at { i } else { 100 + i }).collect();
        assert_eq!(stored(&clone), expected);
    }
    assert_eq!(stored(&machine), (0..10).collect::<Vec<u8>>());
}

#[test]
fn a_clone_made_in_a_callee_with_a_smaller_frame_returns_to_its_caller() {
    // `f` needs more slots for its second call than `$narrow` has above its base.
    let text = r#"(module (import "host" "ask" (func $ask (result i32)))
        (func $narrow (result i32) (call $ask))
        (func $last (param i32 i32 i32 i32 i32 i32 i32 i32) (result i32) (local.get 7))
        (func $f (export "f") (param $depth i32) (result i32)
            (if (result i32) (local.get $depth)
                (then (call $f (i32.sub (local.get $depth) (i32.const 1))))
                (else (call $narrow)))
            (call $last (i32.const 0) (i32.const 1) (i32.const 2) (i32.const 3) (i32.const 4) (i32.const 5)
                (i32.const 6) (local.get $depth))
            (i32.add)))"#;
    for depth in [0, 1, 20] {
        let (mut machine, instance) = start(load(text), Limits::default());
        call(&mut machine, instance, "f", &[depth]);
        let mut clone = machine.clone().clone();
        clone.resume(&[1000]);
        let expected = 1000 + depth * (depth + 1) / 2;
        assert_eq!(clone.run(&mut Concrete::default()), Event::End(End::Returned(vec![expected])));
    }
}

#[test]
fn a_host_function_can_trap_or_exit() {
    let text = r#"(module (import "host" "ask" (func $ask (param i64) (result i32)))
        (func (export "f") (result i32) (call $ask (i64.const -1))))"#;
    let (mut machine, instance) = start(load(text), Limits::default());
    let asked = Event::Host { function: HostId(7), args: [u64::MAX].as_slice().into(), results: 1 };
    assert_eq!(call(&mut machine, instance, "f", &[]), asked);
    machine.trap(Trap::Host);
    assert_eq!(machine.run(&mut Concrete::default()), Event::End(End::Trapped(Trap::Host)));
    assert_eq!(call(&mut machine, instance, "f", &[]), asked);
    machine.exit(3);
    assert_eq!(machine.run(&mut Concrete::default()), Event::End(End::Exited(3)));
}

#[test]
fn unsupported_features_are_named_with_their_place() {
    for (text, feature) in [
        ("(module (func) (func (drop (v128.const i32x4 0 0 0 0))))", "SIMD"),
        ("(module (memory 1) (func) (func (drop (i32.atomic.load (i32.const 0)))))", "threads"),
        ("(module (memory i64 1))", "64-bit addresses"),
        ("(module (func) (func (return_call 0)))", "tail calls"),
        ("(module (memory 1) (memory 1))", "several memories"),
    ] {
        let error = Module::load(text.as_bytes(), &LoadSettings::default()).unwrap_err();
        assert_eq!(error.kind, LoadErrorKind::Unsupported, "{error}");
        let message = error.to_string();
        assert!(message.contains(feature), "{message}");
        assert!(error.offset > 0);
        if text.contains("(func) (func") {
            assert_eq!(error.function, Some(1), "{message}");
        }
    }
    let error = Module::load(b"(module (func (drop (i32.add (i32.const 1) (i64.const 2)))))", &LoadSettings::default());
    let error = error.unwrap_err();
    assert_eq!((error.kind, error.function), (LoadErrorKind::Invalid, Some(0)));
    assert!(Module::load(b"(module (func $f", &LoadSettings::default()).is_err());
    assert!(Module::load(&[0, 0xff, 0xfe], &LoadSettings::default()).is_err());
}

#[test]
fn a_function_with_too_many_slots_is_refused_clearly() {
    // 50,000 locals are the most that a valid function can have; the rest is stack.
    let deep = "(local.get 0)".repeat(16_000);
    let text = format!("(module (func (local {}) {deep} {}))", "i32 ".repeat(50_000), "(drop)".repeat(16_000));
    let error = Module::load(text.as_bytes(), &LoadSettings::default()).unwrap_err();
    assert_eq!((error.kind, error.function), (LoadErrorKind::Unsupported, Some(0)), "{error}");
    assert!(error.message.contains("65535"), "{error}");
}
