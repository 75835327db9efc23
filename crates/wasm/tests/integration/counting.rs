//! The part of a run that counts, where the program says so: `pessimum.begin` and `pessimum.end`.

use std::sync::Arc;

use pessimum_input::{InputPlan, Signature};
use pessimum_term::Witness;
use pessimum_wasm::{
    Costs, Limit, Limits, LoadSettings, Module, Prefix, Process, ProcessEnd, ProcessEvent, Start, Subject, Symbolic,
    Weights, World,
};

/// `f` sums its array and its callee's results, reports a cost of its own and takes more memory. `harness` does much before
/// and after it; what it adds to the part that counts is `local.get`, `local.get`, `call` and `local.set`.
const TEXT: &str = r#"(module
    (import "pessimum" "begin" (func $begin))
    (import "pessimum" "end" (func $end))
    (import "pessimum" "cost" (func $cost (param i64)))
    (memory (export "memory") 1 20)
    (func $deep (param i32) (if (local.get 0) (then (call $deep (i32.sub (local.get 0) (i32.const 1))))))
    (func $odd (param i32) (result i32) (i32.and (local.get 0) (i32.const 1)))
    (func $f (export "f") (param $at i32) (param $n i32) (result i32) (local $sum i32)
        (drop (memory.grow (i32.const 2)))
        (block $out
            (loop $again
                (br_if $out (i32.eqz (local.get $n)))
                (if (call $odd (i32.load8_u (local.get $at)))
                    (then (call $cost (i64.const 3)) (local.set $sum (i32.add (local.get $sum) (i32.const 1)))))
                (local.set $at (i32.add (local.get $at) (i32.const 1)))
                (local.set $n (i32.sub (local.get $n) (i32.const 1)))
                (br $again)))
        (local.get $sum))
    (func $inner (param $at i32) (param $n i32) (result i32) (local $sum i32)
        (call $begin)
        (local.set $sum (call $f (local.get $at) (local.get $n)))
        (call $end)
        (local.get $sum))
    (func (export "harness") (param $at i32) (param $n i32) (result i32) (local $sum i32)
        (call $deep (i32.const 50))
        (call $cost (i64.const 100))
        (if (i32.gt_u (i32.load8_u (local.get $at)) (i32.const 250)) (then (call $deep (i32.const 9))))
        ;; The last part counts.
        (drop (call $inner (local.get $at) (i32.const 1)))
        (local.set $sum (call $inner (local.get $at) (local.get $n)))
        ;; A second end means nothing.
        (call $deep (i32.const 70))
        (call $end)
        (drop (memory.grow (i32.const 1)))
        (call $cost (i64.const 100))
        (local.get $sum)))"#;

fn subject(text: &str, call: &str, limits: Limits, weights: Option<Weights>) -> Subject {
    let module = Arc::new(Module::load(text.as_bytes(), &LoadSettings { weights, priced: None }).unwrap());
    let mut plan = InputPlan::new(None);
    let signature = Signature::parse(call).unwrap();
    signature.lay_out(&mut plan).unwrap();
    let world = World { plan, program: "test".to_string(), environment: Vec::new() };
    Subject::new(module, Start::Call(signature), world, limits).unwrap()
}

fn input() -> Witness {
    Witness::new(vec![1, 2, 3, 4, 5])
}

fn weights() -> Weights {
    let prices = [("call", 1000), ("local.get", 7), ("local.set", 11), ("i32.load8_u", 13)];
    Weights { other: 1, by_name: prices.into_iter().map(|(name, price)| (name.to_string(), price)).collect() }
}

/// What the part costs that the harness adds to `f`, and the memory that is there before `f` takes more: 4 pages instead
/// of 2.
fn with_harness(direct: Costs) -> Costs {
    Costs {
        instructions: direct.instructions + 4,
        weighted: direct.weighted.map(|weighted| weighted + 7 + 7 + 1000 + 11),
        memory: direct.memory + (2 << 16),
        ..direct
    }
}

#[test]
fn only_the_part_counts_in_concrete_runs() {
    for weights in [None, Some(weights())] {
        let direct = subject(TEXT, "f(u8[5], 5)", Limits::default(), weights.clone()).run_concrete(input()).unwrap();
        let harness = subject(TEXT, "harness(u8[5], 5)", Limits::default(), weights).run_concrete(input()).unwrap();
        assert_eq!(direct.results, harness.results);
        assert_eq!(harness.costs, with_harness(direct.costs));
        assert_eq!(harness.costs.user, 9);
        assert_eq!(harness.costs.depth, 2);
        assert_eq!(harness.costs.calls, 1 + 5 + 3);
    }
}

#[test]
fn only_the_part_counts_in_profiles_and_observations() {
    let harness = subject(TEXT, "harness(u8[5], 5)", Limits::default(), None);
    let ran = harness.run_concrete(input()).unwrap();
    let profile = harness.profile(input(), Limits::default()).unwrap();
    assert_eq!(profile.costs, ran.costs);
    let own: u64 = profile.calls.iter().map(|node| node.own.instructions).sum();
    assert_eq!(own, ran.costs.instructions);
    assert_eq!(profile.calls.iter().map(|node| node.own.calls).sum::<u64>(), ran.costs.calls);
    assert_eq!(profile.instructions.iter().map(|&(_, times)| times).sum::<u64>(), ran.costs.instructions);
    assert_eq!(profile.sites.iter().sum::<u64>(), ran.costs.branches);
    // harness, inner, f, odd and the import that f calls: nothing else was called in this part.
    let called: Vec<(u32, u64, u64)> =
        profile.functions.iter().map(|of| (of.function, of.own.calls, of.total_instructions)).collect();
    let all = ran.costs.instructions;
    assert_eq!(called, [(2, 3, 0), (4, 5, 15), (5, 1, all - 4), (6, 0, all), (7, 0, all)]);

    let observed = harness.observe_while(input(), Limits::default(), &mut || true).unwrap();
    assert_eq!(observed.costs, ran.costs);
    assert_eq!(observed.calls, [0, 0, 3, 0, 5, 1, 0, 0]);
    assert_eq!(observed.instructions, profile.instructions);
    assert_eq!(observed.arms.iter().map(|arm| arm.hits).collect::<Vec<u64>>(), profile.arms);
    // The branches of `deep` and of the harness were executed, but not in this part.
    let sites = harness.module().sites();
    for (site, hits) in sites.iter().zip(&profile.sites) {
        assert_eq!(*hits > 0, site.function == 5, "{site:?}");
        assert_eq!(observed.arms[site.first_arm as usize].distance.is_some(), site.function == 5);
    }
}

#[test]
fn only_the_part_counts_in_symbolic_runs_and_their_forks() {
    let harness = subject(TEXT, "harness(u8[5], 5)", Limits::default(), Some(weights()));
    let ran = harness.run_concrete(input()).unwrap();
    let mut process = Process::<Symbolic>::new(&harness).unwrap();
    let mut domain = Symbolic::default();
    // The arms of this input: not above 250; then, with one byte and with five, odd, even, odd, even, odd.
    let mut arms = [0, 1, 1, 0, 1, 0, 1].into_iter();
    let end = loop {
        match process.run(&mut domain) {
            ProcessEvent::Decision(_) => {
                process = process.clone();
                process.take(arms.next().unwrap());
            }
            ProcessEvent::End(end) => break end,
            event => panic!("{event:?}"),
        }
    };
    assert!(matches!(end, ProcessEnd::Returned(_)));
    assert_eq!(process.costs(), Costs { decisions: 5, ..ran.costs });
}

#[test]
fn a_prefix_may_end_before_in_and_after_the_part() {
    let endings = [
        // Depends on the input before it begins, in it, and after it has ended.
        "(drop (i32.load (local.get 0))) (br_if 0 (local.get 0)) (call $begin) (call $work) (call $end)",
        "(call $work) (call $begin) (call $work) (br_if 0 (local.get 0)) (call $work) (call $end) (call $work)",
        "(call $work) (call $begin) (call $work) (call $end) (br_if 0 (local.get 0)) (call $work)",
    ];
    for body in endings {
        let text = format!(
            r#"(module (import "pessimum" "begin" (func $begin)) (import "pessimum" "end" (func $end)) (memory 1)
            (func $deep (param i32) (if (local.get 0) (then (call $deep (i32.sub (local.get 0) (i32.const 1))))))
            (func $work (call $deep (i32.const 20)))
            (func (export "run") (param i32) (call $deep (i32.const 40)) (block {body})))"#
        );
        let run = subject(&text, "run(i32)", Limits::default(), None);
        let prefix = Prefix::of(&run, 1 << 20).unwrap();
        for value in [0, 1] {
            let witness = Witness::new(vec![value]);
            let mut process = prefix.process(&witness, Limits::default()).unwrap();
            let mut domain = pessimum_wasm::Concrete { witness: witness.clone() };
            assert!(matches!(process.run(&mut domain), ProcessEvent::End(ProcessEnd::Returned(_))));
            assert_eq!(process.costs(), run.run_concrete(witness.clone()).unwrap().costs, "{body} on {value}");
            // The harness needs 42 frames, whatever counts.
            assert!(prefix.process(&witness, Limits { call_depth: 40, ..Limits::default() }).is_none());
        }
    }
}

#[test]
fn limits_hold_in_and_out_of_the_part() {
    let endless = "(loop (br 0))";
    for body in
        [endless.to_string(), format!("(call $begin) {endless}"), format!("(call $begin) (call $end) {endless}")]
    {
        let text = format!(
            r#"(module (import "pessimum" "begin" (func $begin)) (import "pessimum" "end" (func $end))
            (func (export "run") (local i32) {body}))"#
        );
        let ran = subject(&text, "run()", Limits { instructions: 1000, ..Limits::default() }, None);
        let ran = ran.run_concrete(Witness::default()).unwrap();
        assert_eq!(ran.end, ProcessEnd::Limit(Limit::Instructions), "{body}");
    }
    // Nor does beginning again and again put a limit off.
    let text =
        r#"(module (import "pessimum" "begin" (func $begin)) (func (export "run") (loop (call $begin) (br 0))))"#;
    let ran = subject(text, "run()", Limits { instructions: 1000, ..Limits::default() }, None);
    let ran = ran.run_concrete(Witness::default()).unwrap();
    assert_eq!(ran.end, ProcessEnd::Limit(Limit::Instructions));
    assert!(ran.costs.instructions <= 1);
}

#[test]
fn a_message_explains_a_trap() {
    let text = r#"(module (import "pessimum" "message" (func $message (param i32 i32)))
        (memory 1) (data (i32.const 8) "too short: 7")
        (func (export "run") (param i32)
            (call $message (i32.const 8) (i32.const 12))
            (if (local.get 0) (then unreachable)))
        (func (export "outside") (call $message (i32.const 65530) (i32.const 12))))"#;
    let run = subject(text, "run(i32)", Limits::default(), None);
    let trapped = run.run_concrete(Witness::new(vec![1])).unwrap();
    assert_eq!(trapped.message.as_deref(), Some("too short: 7"));
    let returned = run.run_concrete(Witness::new(vec![0])).unwrap();
    assert_eq!(returned.message, None);
    let outside = subject(text, "outside()", Limits::default(), None).run_concrete(Witness::default()).unwrap();
    assert_eq!(outside.end.to_string(), "trapped: failed: `pessimum.message` was given a range outside memory");
}
