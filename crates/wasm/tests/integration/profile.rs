//! Profiles of small modules, counted by hand.

use std::sync::Arc;

use pessimum_input::{InputPlan, Signature};
use pessimum_term::Witness;
use pessimum_wasm::{Limits, LoadSettings, Module, Profile, Start, Subject, World};

fn profile(text: &str, call: &str, limits: Limits) -> Profile {
    let module = Arc::new(Module::load(text.as_bytes(), &LoadSettings::default()).unwrap());
    let mut plan = InputPlan::new(None);
    let signature = Signature::parse(call).unwrap();
    signature.lay_out(&mut plan).unwrap();
    let world = World { plan, program: "test".to_string(), environment: Vec::new() };
    let subject = Subject::new(module, Start::Call(signature), world, limits).unwrap();
    subject.profile(Witness::default(), limits).unwrap()
}

/// One line per node: level, function, calls, own and total instructions, branches, user cost.
fn tree(profile: &Profile) -> Vec<String> {
    let line = |node: &pessimum_wasm::CallNode| {
        let pessimum_wasm::CallNode { function, level, own, total, .. } = node;
        let (calls, instructions, branches) = (own.calls, own.instructions, own.branches);
        format!("{level}: {function} x{calls} {instructions}/{} b{branches} u{}", total.instructions, own.user)
    };
    profile.calls.iter().map(line).collect()
}

fn functions(profile: &Profile) -> Vec<(u32, u64, u64)> {
    profile.functions.iter().map(|f| (f.function, f.own.instructions, f.total_instructions)).collect()
}

#[test]
fn counted_by_hand() {
    // `leaf` executes 2 instructions; the comments say how many `main` executes.
    let text = r#"(module
        (import "pessimum" "cost" (func $cost (param i64)))
        (func $leaf (param i32) (result i32) local.get 0 i32.popcnt)
        (func $main (export "main") (param i32) (result i32) (local i32)
            (block $out
                (loop $again
                    (br_if $out (i32.eqz (local.get 0)))                        ;; 3 in each of the 6 tests
                    (local.set 1 (i32.add (local.get 1) (call $leaf (local.get 0)))) ;; 5 in each of 5 rounds
                    (call $cost (i64.const 10))                                 ;; 2
                    (local.set 0 (i32.sub (local.get 0) (i32.const 1)))         ;; 4
                    (br $again)))                                               ;; 1
            (call $leaf (local.get 1))))                                        ;; 2
        "#;
    let profile = profile(text, "main(5)", Limits::default());
    let main = 6 * 3 + 5 * (5 + 2 + 4 + 1) + 2;
    assert_eq!(profile.costs.instructions, main + 6 * 2);
    assert_eq!(
        tree(&profile),
        [
            format!("0: 2 x1 {main}/{} b6 u50", main + 12),
            "1: 1 x6 12/12 b0 u0".to_string(),
            "1: 0 x5 0/0 b0 u0".to_string()
        ]
    );
    assert_eq!(functions(&profile), [(0, 0, 0), (1, 12, 12), (2, main, main + 12)]);
    assert_eq!(profile.sites, [6]);
    let times: Vec<u64> = profile.instructions.iter().map(|&(_, times)| times).collect();
    let expected = [vec![6; 2], vec![6; 3], vec![5; 12], vec![1; 2]].concat();
    assert_eq!(times, expected);
    assert_eq!(profile.folded_calls, 0);
}

#[test]
fn every_kind_of_jump() {
    // `if` with and without `else`, `br_table` with values to move and out of the function, `return`, dead code.
    let text = r#"(module (func (export "main") (param i32) (result i32)
        (if (i32.and (local.get 0) (i32.const 1)) (then (local.set 0 (i32.const 6))) (else (local.set 0 (i32.const 4))))
        (if (i32.eqz (local.get 0)) (then unreachable))
        (block (result i32)
            (block (result i32)
                i32.const 7
                local.get 0
                br_table 0 0 0 0 1 2 2
                i32.const 9 drop)
            i32.const 1
            i32.add
            return)
        i32.const 2
        i32.add))"#;
    let runs = [("main(1)", 4 + 2 + 3 + 3), ("main(2)", 4 + 2 + 3 + 3 + 2)];
    for (call, expected) in runs {
        let profile = profile(text, call, Limits::default());
        assert_eq!(profile.costs.instructions, expected, "{call}");
        assert_eq!(tree(&profile), [format!("0: 0 x1 {expected}/{expected} b3 u0")], "{call}");
        let sum: u64 = profile.instructions.iter().map(|&(_, times)| times).sum();
        assert_eq!(sum, expected, "{call}");
        assert!(profile.instructions.iter().all(|&(_, times)| times == 1), "{call}");
    }
}

#[test]
fn an_unfinished_run_counts_up_to_its_end() {
    let text = r#"(module
        (func $inner (result i32) (i32.div_u (i32.const 1) (i32.const 0)))
        (func (export "main") (result i32) (drop (i32.const 1)) (call $inner) (i32.const 5) drop))"#;
    let profile = profile(text, "main()", Limits::default());
    assert_eq!(profile.end.to_string(), "trapped: integer divide by zero");
    assert_eq!(tree(&profile), ["0: 1 x1 3/6 b0 u0", "1: 0 x1 3/3 b0 u0"]);
    assert_eq!(functions(&profile), [(0, 3, 3), (1, 3, 6)]);
}

/// Two functions that call each other: 65,536 levels become a small tree, and totals count recursion once.
#[test]
fn deep_recursion_is_folded() {
    let text = r#"(module
        (func $even (export "even") (param i32) (result i32)
            (if (result i32) (i32.eqz (local.get 0)) (then (i32.const 1))
                (else (call $odd (i32.sub (local.get 0) (i32.const 1))))))
        (func $odd (param i32) (result i32)
            (if (result i32) (i32.eqz (local.get 0)) (then (i32.const 0))
                (else (call $even (i32.sub (local.get 0) (i32.const 1)))))))"#;
    let profile = profile(text, "even(65535)", Limits::default());
    let instructions = 65535 * 7 + 4;
    assert_eq!((profile.costs.instructions, profile.costs.depth), (instructions, 65536));
    assert_eq!(profile.calls.len(), 65);
    assert_eq!(profile.folded_calls, 65536 - 65);
    assert_eq!(profile.calls[0].total.instructions, instructions);
    assert_eq!(profile.calls[64].level, 64);
    assert_eq!(functions(&profile), [(0, 32768 * 7, instructions), (1, 32767 * 7 + 4, instructions - 7)]);
    let calls: u64 = profile.calls.iter().map(|node| node.own.calls).sum();
    assert_eq!(calls, 65536);
}

/// With too many contexts, the tree stops growing and everything is still counted.
#[test]
fn too_many_contexts_are_folded() {
    // Each function calls both at the next lower level: 2^17 contexts.
    let text = r#"(module
        (func $a (export "a") (param i32)
            (if (local.get 0) (then
                (call $a (i32.sub (local.get 0) (i32.const 1)))
                (call $b (i32.sub (local.get 0) (i32.const 1))))))
        (func $b (param i32)
            (if (local.get 0) (then
                (call $a (i32.sub (local.get 0) (i32.const 1)))
                (call $b (i32.sub (local.get 0) (i32.const 1)))))))"#;
    let profile = profile(text, "a(16)", Limits::default());
    assert!(profile.calls.len() <= 20_002, "{}", profile.calls.len());
    assert!(profile.folded_calls > 0);
    let own: u64 = profile.calls.iter().map(|node| node.own.instructions).sum();
    assert_eq!(own, profile.costs.instructions);
    assert_eq!(profile.calls[0].total.instructions, own);
}
