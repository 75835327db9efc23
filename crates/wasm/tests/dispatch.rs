//! Concrete runs go from instruction to instruction by jumps that need no stack, whatever the instruction is.

use std::sync::Arc;

use pessimum_wasm::{Concrete, End, Event, Limits, LoadSettings, Machine, Module};

/// Far more than a run takes, and far less than one return address for each round of a loop.
const STACK: usize = 256 << 10;
const ROUNDS: u64 = 50_000;

/// Runs each piece of code in a loop. A call where a jump should be would overflow the stack, which aborts the test.
fn run_often(pieces: &[String]) {
    for piece in pieces {
        let text = format!(
            r#"(module (memory 1) (table funcref (elem $three)) (tag $none) (tag $one (param i32)) (global $g (mut i32) (i32.const 0))
                (type $constant (func (result i32)))
                (func $none) (func $three (result i32) (i32.const 3))
                (func $throw (throw $one (i32.const 1)))
                (func $two (result i32 i32) (i32.const 1) (i32.const 2))
                (func $locals (local i64 i64 i64 i64 i64 i64 i64 i64 i64))
                (func (export "f") (param $n i32)
                    (local $i i32) (local $j i32) (local $k i32)
                    (local $l i64) (local $m i64) (local $x f32) (local $y f32) (local $p f64) (local $q f64)
                    (local.set $i (i32.const 40)) (local.set $j (i32.const 3)) (local.set $k (i32.const 4093))
                    (local.set $l (i64.const 40)) (local.set $m (i64.const 3))
                    (local.set $x (f32.const 40)) (local.set $y (f32.const 3))
                    (local.set $p (f64.const 40)) (local.set $q (f64.const 3))
                    (loop $again
                        {piece}
                        (br_if $again (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))))"#
        );
        let module = Module::load(text.as_bytes(), &LoadSettings::default()).unwrap_or_else(|e| panic!("{piece}: {e}"));
        let module = Arc::new(module);
        let run = move || {
            let mut machine = Machine::new(Limits::default());
            let instance = machine.instantiate(module, &mut |_, _| None).expect("there are no imports");
            let function = machine.exported_function(instance, "f").expect("the export exists");
            machine.call(function, &[ROUNDS]);
            machine.run(&mut Concrete::default())
        };
        let thread = std::thread::Builder::new().stack_size(STACK).spawn(run).expect("a thread can be started");
        let event = thread.join().expect("the run does not panic");
        assert_eq!(event, Event::End(End::Returned(Vec::new())), "{piece}");
    }
}

/// The locals of a type, and a constant.
fn operands(ty: &str) -> [String; 3] {
    let (a, b) = match ty {
        "i32" => ("$i", "$j"),
        "i64" => ("$l", "$m"),
        "f32" => ("$x", "$y"),
        _ => ("$p", "$q"),
    };
    [format!("(local.get {a})"), format!("(local.get {b})"), format!("({ty}.const 5)")]
}

const INTEGERS: [&str; 2] = ["i32", "i64"];
const FLOATS: [&str; 2] = ["f32", "f64"];

#[test]
fn operators() {
    let mut pieces = Vec::new();
    let integer = "add sub mul and or xor shl shr_s shr_u rotl rotr div_s div_u rem_s rem_u";
    let float = "add sub mul div min max copysign";
    for (types, names) in [(INTEGERS, integer), (FLOATS, float)] {
        for ty in types {
            let [a, b, constant] = operands(ty);
            for name in names.split(' ') {
                pieces.push(format!("(drop ({ty}.{name} {a} {b}))"));
                pieces.push(format!("(drop ({ty}.{name} {a} {constant}))"));
                // On the result of another operator: some of these are one instruction.
                for inner in names.split(' ').filter(|name| !name.contains("div") && !name.contains("rem")) {
                    pieces.push(format!("(drop ({ty}.{name} ({ty}.{inner} {a} {b}) {b}))"));
                    pieces.push(format!("(drop ({ty}.{name} ({ty}.{inner} {a} {constant}) {b}))"));
                    pieces.push(format!("(drop ({ty}.{name} ({ty}.{inner} {a} {constant}) {constant}))"));
                }
            }
        }
    }
    run_often(&pieces);
}

#[test]
fn comparisons_and_branches() {
    let mut pieces = Vec::new();
    let integer = "eq ne lt_s lt_u le_s le_u gt_s gt_u ge_s ge_u";
    for (types, names) in [(INTEGERS, integer), (FLOATS, "eq ne lt le gt ge")] {
        for ty in types {
            let [a, b, constant] = operands(ty);
            for name in names.split(' ') {
                for (x, y) in [(&a, &b), (&b, &a), (&a, &constant), (&b, &constant)] {
                    pieces.push(format!("(drop ({ty}.{name} {x} {y}))"));
                    pieces.push(format!("(if ({ty}.{name} {x} {y}) (then (local.set $j (i32.const 3))))"));
                    pieces.push(format!("(block (br_if 0 ({ty}.{name} {x} {y})))"));
                }
            }
        }
    }
    // On a sum or a mask that was just computed: some of these are one instruction.
    for name in integer.split(' ') {
        for inner in ["add", "and"] {
            let stepped = format!("(local.tee $k (i32.{inner} (local.get $i) (i32.const 5)))");
            for (x, y) in
                [(stepped.as_str(), "(local.get $j)"), ("(local.get $j)", &stepped), (&stepped, "(i32.const 7)")]
            {
                pieces.push(format!("(if (i32.{name} {x} {y}) (then (local.set $j (i32.const 3))))"));
                pieces.push(format!("(block (br_if 0 (i32.{name} {x} {y})))"));
            }
            pieces.push(format!("(block (br_if 0 {stepped}))"));
            pieces.push(format!("(block (br_if 0 (i32.eqz {stepped})))"));
        }
    }
    for index in ["$i", "$j"] {
        pieces.push(format!("(block (block (br_table 0 1 (local.get {index}))))"));
        pieces.push(format!("(block (br_if 0 (local.get {index})))"));
        pieces.push(format!("(if (local.get {index}) (then (nop)) (else (local.set $j (i32.const 3))))"));
    }
    run_often(&pieces);
}

#[test]
fn conversions() {
    let mut pieces = Vec::new();
    for (ty, names) in [
        ("i32", "clz ctz popcnt eqz extend8_s extend16_s"),
        ("i64", "clz ctz popcnt eqz extend8_s extend16_s extend32_s"),
        ("f32", "abs neg ceil floor trunc nearest sqrt"),
        ("f64", "abs neg ceil floor trunc nearest sqrt"),
    ] {
        pieces.extend(names.split(' ').map(|name| format!("(drop ({ty}.{name} {}))", operands(ty)[0])));
    }
    for integer in INTEGERS {
        for float in FLOATS {
            for sign in ["s", "u"] {
                let [from, to] = [&operands(float)[0], &operands(integer)[0]];
                pieces.push(format!("(drop ({integer}.trunc_{float}_{sign} {from}))"));
                pieces.push(format!("(drop ({integer}.trunc_sat_{float}_{sign} {from}))"));
                pieces.push(format!("(drop ({float}.convert_{integer}_{sign} {to}))"));
            }
        }
    }
    let names = ["i32.wrap_i64 (local.get $l)", "i64.extend_i32_s (local.get $i)", "i64.extend_i32_u (local.get $i)"];
    pieces.extend(names.map(|name| format!("(drop ({name}))")));
    pieces.push("(drop (f32.demote_f64 (local.get $p))) (drop (f64.promote_f32 (local.get $x)))".to_string());
    run_often(&pieces);
}

#[test]
fn memory() {
    let mut pieces = Vec::new();
    // Within a page, and across the end of one.
    let addresses = [
        "(local.get $i)",
        "(local.get $k)",
        "(i32.const 64)",
        "(i32.const 4093)",
        "(i32.add (local.get $i) (i32.const 4))",
        "(i32.add (local.get $k) (local.get $j))",
    ];
    let i32_loads = "i32.load i32.load8_s i32.load8_u i32.load16_s i32.load16_u";
    let i64_loads = "i64.load i64.load8_s i64.load8_u i64.load16_s i64.load16_u i64.load32_s i64.load32_u";
    let stores = "i32.store i32.store8 i32.store16 i64.store i64.store8 i64.store16 i64.store32";
    for address in addresses {
        for name in i32_loads.split(' ').chain(i64_loads.split(' ')) {
            pieces.push(format!("(drop ({name} {address}))"));
        }
        for name in stores.split(' ') {
            let [value, _, constant] = operands(&name[..3]);
            pieces.push(format!("({name} {address} {value})"));
            pieces.push(format!("({name} {address} {constant})"));
        }
    }
    pieces.push("(drop (memory.size))".to_string());
    pieces.push("(memory.fill (local.get $i) (i32.const 7) (i32.const 9))".to_string());
    pieces.push("(memory.copy (local.get $i) (local.get $j) (i32.const 9))".to_string());
    run_often(&pieces);
}

#[test]
fn calls_and_moves() {
    let pieces = [
        "(call $none)",
        "(drop (call $three))",
        "(call $two) (drop) (drop)",
        "(call $locals)",
        "(drop (call_indirect (type $constant) (i32.const 0)))",
        "(local.set $i (local.get $j))",
        "(local.set $i (local.get $j)) (local.set $k (local.get $j))",
        "(local.set $i (i32.add (local.get $j) (i32.const 1))) (local.set $k (i32.add (local.get $j) (i32.const 2)))",
        "(local.set $i (i32.add (local.get $j) (i32.const 1))) (local.set $k (local.get $j))",
        "(local.set $l (i64.const 0x123456789abcdef))",
        "(drop (select (local.get $i) (local.get $j) (local.get $k)))",
        "(drop (select (result funcref) (ref.func $three) (ref.null func) (local.get $k)))",
        "(global.set $g (i32.add (global.get $g) (i32.const 1)))",
    ];
    run_often(&pieces.map(str::to_string));
}

#[test]
fn exceptions() {
    let pieces = [
        "(block $h (try_table (catch $none $h) (throw $none)))",
        "(drop (block $h (result i32) (try_table (catch $one $h) (throw $one (local.get $i))) (unreachable)))",
        "(drop (block $h (result exnref) (try_table (catch_all_ref $h) (throw $none)) (unreachable)))",
        "(block $out (try_table (catch_all $out) (block $h (result exnref) (try_table (catch_all_ref $h) (call $throw)) \
            (unreachable)) (throw_ref)))",
        "try (call $throw) catch $one (drop) catch_all end",
        "try try (call $throw) catch_all (rethrow 0) end catch $one (drop) end",
        "try $t try (call $throw) delegate $t catch $one (drop) end",
    ];
    run_often(&pieces.map(str::to_string));
}

/// The results of a function with a parameter and a result, for these arguments.
fn results(text: &str, args: &[u64]) -> Vec<u64> {
    let module = Arc::new(Module::load(text.as_bytes(), &LoadSettings::default()).expect("the text is a valid module"));
    let result = |&arg: &u64| {
        let mut machine = Machine::new(Limits::default());
        let instance = machine.instantiate(module.clone(), &mut |_, _| None).expect("there are no imports");
        let function = machine.exported_function(instance, "f").expect("the export exists");
        machine.call(function, &[arg]);
        match machine.run(&mut Concrete::default()) {
            Event::End(End::Returned(values)) => values[0],
            event => panic!("{text}: {event:?}"),
        }
    };
    args.iter().map(result).collect()
}

/// A result reaches the next instruction in a register as well as in its slot. The chain of jumps is left and entered again
/// wherever an instruction needs a function: here at the last bytes of the memory.
#[test]
fn results_are_passed_on() {
    // The load is left to the other dispatcher; the store and the branch after it hand its result on.
    let text = r#"(module (memory 1) (data (i32.const 65532) "\05\00\00\00")
        (func (export "f") (param $at i32) (result i32) (local $x i32) (local $y i32)
            (local.set $y (i32.const 100))
            (local.set $x (i32.load (local.get $at)))
            (i32.store (i32.const 8) (local.get $y))
            (if (i32.eq (local.get $x) (i32.const 77)) (then (return (i32.const 1))))
            (i32.mul (i32.add (local.get $x) (i32.const 2)) (i32.add (local.get $x) (i32.load (i32.const 8))))))"#;
    assert_eq!(results(text, &[65532, 0]), [7 * 105, 2 * 100]);
    // The same with a store that is left to it.
    let text = r#"(module (memory 1)
        (func (export "f") (param $at i32) (result i32) (local $x i32)
            (local.set $x (i32.add (local.get $at) (i32.const 3)))
            (i32.store8 (local.get $at) (local.get $x))
            (i32.sub (local.get $x) (i32.load8_u (local.get $at)))))"#;
    assert_eq!(results(text, &[65535, 10]), [65538 - 2, 0]);
    // Both operands, the first or the second; and moves of which the first writes what the second reads.
    let text = r#"(module (func (export "f") (param $a i32) (result i32) (local $x i32) (local $y i32)
            (local.set $x (i32.mul (local.get $a) (i32.const 3)))
            (local.set $x (i32.xor (local.get $x) (i32.shl (local.get $x) (i32.const 4))))
            (local.set $y (local.get $x)) (local.set $x (local.get $y))
            (local.set $y (i32.sub (local.get $a) (local.get $x)))
            (local.set $x (i32.sub (local.get $y) (local.get $x)))
            (local.set $y (i32.add (local.get $x) (i32.const 1))) (local.set $a (i32.add (local.get $y) (i32.const 1)))
            (i32.add (local.get $a) (local.get $x))))"#;
    let expected = |a: u32| {
        let x = a.wrapping_mul(3);
        let x = x ^ x << 4;
        let x = a.wrapping_sub(x).wrapping_sub(x);
        u64::from(x.wrapping_add(2).wrapping_add(x))
    };
    assert_eq!(results(text, &[5, 0, 1 << 31]), [5, 0, 1 << 31].map(expected));
    // Through calls: with one result, with two and with none, where the callee has changed its first slot.
    let text = r#"(module
        (func $one (param $a i32) (result i32) (local.set $a (i32.const 9)) (i32.const 4))
        (func $two (param $a i32) (result i32 i32) (local.set $a (i32.const 9)) (i32.const 5) (i32.const 6))
        (func $none (param $a i32) (local.set $a (i32.const 9)))
        (func (export "f") (param $n i32) (result i32) (local $x i32)
            (local.set $x (i32.mul (local.get $n) (call $one (local.get $n))))
            (call $none (local.get $x))
            (local.set $x (i32.add (local.get $x) (i32.const 1)))
            (call $two (local.get $x))
            (i32.add (i32.mul) (local.get $x))))"#;
    assert_eq!(results(text, &[10, 3]), [30 + 41, 30 + 13]);
    // Where control joins and where it starts again, the register may hold something else.
    let text = r#"(module (func (export "f") (param $n i32) (result i32) (local $x i32) (local $sum i32)
            (loop $again
                (if (i32.and (local.get $n) (i32.const 1))
                    (then (local.set $x (i32.add (local.get $x) (i32.const 2))))
                    (else (local.set $sum (i32.sub (local.get $sum) (i32.const 1)))))
                (block $out (block $one (block $none
                    (br_table $none $one $out (local.tee $x (i32.xor (local.get $x) (i32.const 4)))))
                    (local.set $sum (i32.add (local.get $sum) (i32.const 100))))
                    (local.set $x (i32.add (local.get $x) (i32.const 7))))
                (local.set $sum (i32.add (local.get $sum) (local.get $x)))
                (br_if $again (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
            (local.get $sum)))"#;
    let expected = |mut n: u32| {
        let (mut x, mut sum) = (0u32, 0u32);
        while n != 0 {
            if n & 1 == 1 {
                x += 2
            } else {
                sum = sum.wrapping_sub(1)
            }
            x ^= 4;
            if x == 0 {
                sum = sum.wrapping_add(100);
            }
            if x < 2 {
                x += 7;
            }
            sum = sum.wrapping_add(x);
            n -= 1;
        }
        u64::from(sum)
    };
    assert_eq!(results(text, &[1, 2, 3, 50, 1000]), [1, 2, 3, 50, 1000].map(expected));
}
