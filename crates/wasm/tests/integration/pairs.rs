//! Pairs of instructions that the module compiler makes one: they do what the two did, and count as much.

use std::sync::Arc;

use pessimum_term::{BinaryOp, ops};
use pessimum_wasm::{Concrete, Costs, End, Event, Limit, Limits, LoadSettings, Machine, Module, Trap};

fn run(text: &str, args: &[u64]) -> (End<u64>, Costs) {
    let module = Module::load(text.as_bytes(), &LoadSettings::default()).expect("the text is a valid module");
    let mut machine = Machine::new(Limits::default());
    let instance = machine.instantiate(Arc::new(module), &mut |_, _| None).expect("there are no imports");
    let function = machine.exported_function(instance, "f").expect("the export exists");
    machine.call(function, args);
    match machine.run(&mut Concrete::default()) {
        Event::End(end) => (end, machine.costs()),
        event => panic!("{event:?}"),
    }
}

const OPERATORS: [(&str, BinaryOp); 10] = [
    ("add", BinaryOp::Add),
    ("sub", BinaryOp::Sub),
    ("mul", BinaryOp::Mul),
    ("and", BinaryOp::And),
    ("or", BinaryOp::Or),
    ("xor", BinaryOp::Xor),
    ("shl", BinaryOp::Shl),
    ("shr_u", BinaryOp::ShrU),
    ("rotl", BinaryOp::Rotl),
    ("rotr", BinaryOp::Rotr),
];

#[test]
fn an_operator_on_the_result_of_another() {
    const VALUES: [u64; 3] = [0xdead_beef_8bad_f00d, 0x0123_4567_89ab_cdef, 0xffff_ffff_ffff_fff9];
    for width in [32, 64] {
        let [x, y, z] = VALUES.map(|value| value & ops::mask(width));
        for (first_name, first) in OPERATORS {
            for (second_name, second) in OPERATORS {
                let inner = ops::binary(first, width, x, y);
                let inner_imm = ops::binary(first, width, x, 13);
                let (a, b, c) = ("(local.get 0)", "(local.get 1)", "(local.get 2)");
                let imm = |n: i32| format!("(i{width}.const {n})");
                let op = |name: &str, x: &str, y: &str| format!("(i{width}.{name} {x} {y})");
                let pair = op(first_name, a, b);
                let pair_imm = op(first_name, a, &imm(13));
                let minus = ops::mask(width) - 6;
                let cases = [
                    (op(second_name, &pair, c), ops::binary(second, width, inner, z)),
                    (op(second_name, c, &pair), ops::binary(second, width, z, inner)),
                    (op(second_name, &pair_imm, c), ops::binary(second, width, inner_imm, z)),
                    (op(second_name, c, &pair_imm), ops::binary(second, width, z, inner_imm)),
                    (op(second_name, &pair, &imm(-7)), ops::binary(second, width, inner, minus)),
                    (op(second_name, &pair_imm, &imm(-7)), ops::binary(second, width, inner_imm, minus)),
                    (op(second_name, &pair, &pair_imm), ops::binary(second, width, inner, inner_imm)),
                ];
                for (expression, expected) in cases {
                    let text = format!(
                        r#"(module (func (export "f") (param i{width} i{width} i{width}) (result i{width}) {expression}))"#
                    );
                    let (end, costs) = run(&text, &[x, y, z]);
                    assert_eq!(end, End::Returned(vec![expected]), "{expression}");
                    assert_eq!(costs.instructions, expression.matches('(').count() as u64, "{expression}");
                }
            }
        }
    }
}

#[test]
fn a_load_from_a_sum() {
    let f = |address: &str| {
        format!(
            r#"(module (memory 1) (data (i32.const 100) "\01\02\03\84\05\06\07\88")
                (func (export "f") (param i32 i32) (result i32) (i32.load {address})))"#
        )
    };
    let loaded = End::Returned(vec![0x8403_0201]);
    let from = |address: &str, args: &[u64]| run(&f(address), args);
    assert_eq!(from("(i32.add (local.get 0) (local.get 1))", &[90, 10]).0, loaded);
    assert_eq!(from("offset=4 (i32.add (local.get 0) (local.get 1))", &[90, 6]).0, loaded);
    assert_eq!(from("(i32.add (local.get 0) (i32.const -20))", &[120, 0]).0, loaded);
    // The sum wraps, the offset does not.
    let minus_four = u64::from(u32::MAX - 3);
    assert_eq!(from("(i32.add (local.get 0) (local.get 1))", &[104, minus_four]).0, loaded);
    assert_eq!(from("offset=8 (i32.add (local.get 0) (i32.const -4))", &[96, 0]).0, loaded);
    let beyond = End::Trapped(Trap::MemoryOutOfBounds);
    // A trap counts up to and including the load.
    for address in
        ["offset=104 (i32.add (local.get 0) (local.get 1))", "offset=104 (i32.add (local.get 0) (i32.const -4))"]
    {
        let (end, costs) = from(address, &[0, minus_four]);
        assert_eq!((end, costs.instructions), (beyond.clone(), 4), "{address}");
    }
}

#[test]
fn moves_do_not_become_one_across_a_label() {
    // The first copy is before the loop, the second is in it: the second round must make it again.
    let text = r#"(module (func (export "f") (param $a i32) (result i32) (local $x i32) (local $y i32) (local $n i32)
        (local.set $x (local.get $a))
        (loop $l
            (local.set $y (local.get $x))
            (local.set $x (i32.const 7))
            (br_if $l (i32.lt_u (local.tee $n (i32.add (local.get $n) (i32.const 1))) (i32.const 2))))
        (local.get $y)))"#;
    assert_eq!(run(text, &[3]).0, End::Returned(vec![7]));
    // The same with sums, and with the end of a block as the label.
    let text = r#"(module (func (export "f") (param $a i32) (param $skip i32) (result i32) (local $x i32) (local $y i32)
        (block $b
            (br_if $b (local.get $skip))
            (local.set $x (i32.add (local.get $a) (i32.const 1))))
        (local.set $y (i32.add (local.get $x) (i32.const 10)))
        (local.get $y)))"#;
    assert_eq!(run(text, &[3, 0]).0, End::Returned(vec![14]));
    assert_eq!(run(text, &[3, 1]).0, End::Returned(vec![10]));
}

#[test]
fn moves_that_are_one_happen_in_order() {
    let text = |first: &str, second: &str| {
        format!(
            r#"(module (func (export "f") (param $a i32) (param $b i32) (result i32 i32) {first} {second}
                (local.get $a) (local.get $b)))"#
        )
    };
    let (a_to_b, b_to_a) = ("(local.set $b (local.get $a))", "(local.set $a (local.get $b))");
    let (more, less) = (
        "(local.set $a (i32.add (local.get $b) (i32.const 300)))",
        "(local.set $b (i32.sub (local.get $a) (i32.const 1)))",
    );
    let much = "(local.set $a (i32.add (local.get $b) (i32.const 300000)))";
    let result = |first, second| run(&text(first, second), &[5, 6]).0;
    assert_eq!(result(a_to_b, b_to_a), End::Returned(vec![5, 5]));
    assert_eq!(result(b_to_a, a_to_b), End::Returned(vec![6, 6]));
    assert_eq!(result(more, less), End::Returned(vec![306, 305]));
    assert_eq!(result(more, a_to_b), End::Returned(vec![306, 306]));
    assert_eq!(result(much, less), End::Returned(vec![300_006, 300_005]));
    assert_eq!(result(a_to_b, more), End::Returned(vec![305, 5]));
}

#[test]
fn a_branch_on_a_sum_or_a_mask() {
    type Holds = fn(i32, i32) -> bool;
    const COMPARISONS: [(&str, Holds); 10] = [
        ("eq", |x, y| x == y),
        ("ne", |x, y| x != y),
        ("lt_s", |x, y| x < y),
        ("lt_u", |x, y| (x as u32) < y as u32),
        ("le_s", |x, y| x <= y),
        ("le_u", |x, y| x as u32 <= y as u32),
        ("gt_s", |x, y| x > y),
        ("gt_u", |x, y| x as u32 > y as u32),
        ("ge_s", |x, y| x >= y),
        ("ge_u", |x, y| x as u32 >= y as u32),
    ];
    // The result of the operator is read after the branch, on both of its arms.
    let branching = |condition: &str, ifs: bool| match ifs {
        true => format!("(if {condition} (then (local.set $taken (i32.const 1))))"),
        false => format!("(block (br_if 0 (i32.eqz {condition})) (local.set $taken (i32.const 1)))"),
    };
    for (name, holds) in COMPARISONS {
        for (operator, step) in [("add", -9), ("add", 1), ("add", 40_000), ("and", 12)] {
            for (a, b) in [(10, 1), (9, 1), (8, 1), (0, -1), (i32::MAX, i32::MIN), (5, 6), (4, 4), (12, 4)] {
                let stepped = if operator == "add" { i32::wrapping_add(a, step) } else { a & step };
                // The local that is compared may be the one that is stepped.
                for local in ["$x", "$a"] {
                    let first = format!("(local.tee {local} (i32.{operator} (local.get $a) (i32.const {step})))");
                    let cases = [
                        (format!("(i32.{name} {first} (local.get $b))"), holds(stepped, b)),
                        (format!("(i32.{name} (local.get $b) {first})"), holds(b, stepped)),
                        (format!("(i32.{name} {first} (i32.const {b}))"), holds(stepped, b)),
                        (format!("(i32.{name} {first} (local.get {local}))"), holds(stepped, stepped)),
                        (first.clone(), stepped != 0),
                        (format!("(i32.eqz {first})"), stepped == 0),
                    ];
                    for (condition, taken) in cases {
                        for ifs in [true, false] {
                            let branch = branching(&condition, ifs);
                            let text = format!(
                                r#"(module (func (export "f") (param $a i32) (param $b i32) (result i32 i32)
                                    (local $x i32) (local $taken i32) {branch} (local.get {local}) (local.get $taken)))"#
                            );
                            let (end, costs) = run(&text, &[a as u32 as u64, b as u32 as u64]);
                            let expected = End::Returned(vec![stepped as u32 as u64, taken as u64]);
                            assert_eq!(end, expected, "{branch} with {a} and {b}");
                            // What the branch takes: its condition, itself, two instructions if it holds; and two at the end.
                            let counted = condition.matches('(').count() as u64 + if ifs { 0 } else { 1 };
                            assert_eq!(
                                costs.instructions,
                                counted + 1 + 2 * taken as u64 + 2,
                                "{branch} with {a} and {b}"
                            );
                            assert_eq!((costs.branches, costs.hits), (1, 1));
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn a_loop_that_ends_with_a_step_pauses_and_ends_where_it_is() {
    let text = r#"(module (func (export "f") (param $n i32) (result i32) (local $i i32)
        (loop $l (br_if $l (i32.ne (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $n))))
        (local.get $i)))"#;
    let module = Arc::new(Module::load(text.as_bytes(), &LoadSettings::default()).expect("the text is a valid module"));
    let mut machine = Machine::new(Limits::default());
    let instance = machine.instantiate(module, &mut |_, _| None).expect("there are no imports");
    let function = machine.exported_function(instance, "f").expect("the export exists");
    machine.call(function, &[100]);
    let mut pauses = 0;
    loop {
        machine.pause_after(machine.instructions() + 1);
        match machine.run(&mut Concrete::default()) {
            Event::Pause => pauses += 1,
            Event::End(end) => break assert_eq!(end, End::Returned(vec![100])),
            event => panic!("{event:?}"),
        }
    }
    assert_eq!(machine.costs().instructions, 7 * 100 + 1);
    assert_eq!(machine.costs().branches, 100);
    assert!(pauses >= 90, "{pauses} pauses");
    machine.reset_costs();
    machine.limits_mut().instructions = 60;
    machine.pause_after(u64::MAX);
    machine.call(function, &[100]);
    assert_eq!(machine.run(&mut Concrete::default()), Event::End(End::Limit(Limit::Instructions)));
    let at_limit = machine.costs();
    assert_eq!((at_limit.instructions, at_limit.branches), (63, 9));
}
