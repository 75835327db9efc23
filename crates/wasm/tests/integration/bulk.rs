//! Instructions that move bytes or elements of tables: they cost what they move, wherever costs are counted, and they can
//! be interrupted.

use std::sync::Arc;

use pessimum_input::{InputPlan, Signature};
use pessimum_term::Witness;
use pessimum_wasm::script::{self, Counted};
use pessimum_wasm::{
    Concrete, Domain, Limit, Limits, LoadSettings, Module, Process, ProcessEnd, ProcessEvent, Start, Subject, Symbolic,
    World,
};

const MEBIBYTE: u64 = 1 << 20;

fn subject(text: &str, call: &str) -> Subject {
    let module = Arc::new(Module::load(text.as_bytes(), &LoadSettings::default()).unwrap());
    let (mut plan, call) = (InputPlan::new(None), Signature::parse(call).unwrap());
    call.lay_out(&mut plan).unwrap();
    let world = World { plan, program: "test".to_string(), environment: Vec::new() };
    Subject::new(module, Start::Call(call), world, Limits::default()).unwrap()
}

fn instructions(text: &str, call: &str) -> u64 {
    let ran = subject(text, call).run_concrete(Witness::default()).unwrap();
    assert!(matches!(ran.end, ProcessEnd::Returned(_) | ProcessEnd::Trapped(_)), "{:?}", ran.end);
    ran.costs.instructions
}

/// A module with one instruction that moves `$n` bytes or elements, after three constants or fewer.
fn moving(instruction: &str) -> String {
    format!(
        r#"(module
            (memory 512) (data $d "{}")
            (table $t 1000 100000 funcref) (elem $e func {})
            (func $f)
            (func (export "f") (param $n i32) {instruction}))"#,
        "0123456789".repeat(100),
        "$f ".repeat(1000)
    )
}

const BYTES: [&str; 3] = [
    "(memory.fill (i32.const 5) (i32.const 7) (local.get $n))",
    "(memory.copy (i32.const 5) (i32.const 9) (local.get $n))",
    "(memory.init $d (i32.const 5) (i32.const 0) (local.get $n))",
];

const ELEMENTS: [&str; 4] = [
    "(table.fill $t (i32.const 0) (ref.null func) (local.get $n))",
    "(table.copy $t $t (i32.const 0) (i32.const 0) (local.get $n))",
    "(table.init $t $e (i32.const 0) (i32.const 0) (local.get $n))",
    "(drop (table.grow $t (ref.null func) (local.get $n)))",
];

#[test]
fn a_move_costs_one_instruction_for_every_eight_bytes() {
    for instruction in BYTES {
        let text = moving(instruction);
        for bytes in [0u64, 1, 8, 9, 16, 17, 1000] {
            let cost = instructions(&text, &format!("f({bytes})"));
            assert_eq!(cost, 3 + u64::max(1, bytes.div_ceil(8)), "{instruction}, {bytes}");
        }
    }
    // Larger than a piece, and not a multiple of one.
    let bytes = 3 * MEBIBYTE + 4;
    assert_eq!(instructions(&moving(BYTES[0]), &format!("f({bytes})")), 3 + bytes.div_ceil(8));
}

#[test]
fn an_element_of_a_table_counts_as_eight_bytes() {
    for (instruction, others) in ELEMENTS.into_iter().zip([3, 3, 3, 3]) {
        let text = moving(instruction);
        for elements in [0u64, 1, 2, 1000] {
            let cost = instructions(&text, &format!("f({elements})"));
            assert_eq!(cost, others + u64::max(1, elements), "{instruction}, {elements}");
        }
    }
    // Nothing is moved where the table cannot grow, or beyond its end.
    assert_eq!(instructions(&moving(ELEMENTS[3]), "f(2000000000)"), 4);
    assert_eq!(instructions(&moving(ELEMENTS[0]), "f(2000000000)"), 4);
    assert_eq!(instructions(&moving(BYTES[0]), "f(2000000000)"), 4);
}

#[test]
fn profiles_and_scripts_count_the_same() {
    for instruction in BYTES.into_iter().chain(ELEMENTS) {
        let text = moving(instruction);
        for count in [0, 5, 8, 9, 999] {
            let call = format!("f({count})");
            let subject = subject(&text, &call);
            let cost = subject.run_concrete(Witness::default()).unwrap().costs.instructions;
            let profile = subject.profile(Witness::default(), Limits::default()).unwrap();
            assert_eq!(profile.costs.instructions, cost);
            assert_eq!(profile.calls[0].total.instructions, cost, "{instruction}, {count}");
            let lines = |list: &[(u32, u64)]| list.iter().map(|&(_, count)| count).sum::<u64>();
            assert_eq!(lines(&profile.instructions) + lines(&profile.moved), cost, "{instruction}, {count}");
            // The script's module is run, and refused if it counts anything else.
            let binary = wat::parse_str(&text).unwrap();
            script::case(&binary, &subject, "f", &Witness::default(), Counted::Instructions, cost).unwrap();
        }
    }
    let subject = subject(&moving(ELEMENTS[3]), "f(2000000000)");
    let binary = wat::parse_str(moving(ELEMENTS[3])).unwrap();
    script::case(&binary, &subject, "f", &Witness::default(), Counted::Instructions, 4).unwrap();
}

/// Fills a mebibyte again and again.
const ENDLESS: &str = r#"(module (memory 16) (func (export "f") (param i32)
    (loop $again
        (memory.fill (i32.const 0) (local.get 0) (i32.const 1048576))
        (br $again))))"#;

#[test]
fn a_loop_around_a_fill_reaches_the_limit() {
    let subject = subject(ENDLESS, "f(i32)");
    let limits = Limits { instructions: 10 * MEBIBYTE / 8, ..Limits::default() };
    let profile = subject.profile(Witness::default(), limits).unwrap();
    assert_eq!(profile.end, ProcessEnd::Limit(Limit::Instructions));
    // Each round costs an eighth of a mebibyte and 3 more, so the tenth does not fit.
    assert_eq!(profile.costs.instructions, 9 * (MEBIBYTE / 8 + 4) + 4);
}

#[test]
fn a_loop_around_a_fill_pauses() {
    for pauses in [1, 3] {
        let subject = subject(ENDLESS, "f(i32)");
        let (mut process, mut domain) = (Process::<Symbolic>::new(&subject).unwrap(), Symbolic::default());
        for _ in 0..pauses {
            process.pause_after(process.instructions() + 1_000_000);
            assert_eq!(process.run(&mut domain), ProcessEvent::Pause);
        }
        assert!(process.instructions() < pauses * 1_200_000, "{}", process.instructions());
    }
}

/// Copies within 24 MiB that are all different in every 8 bytes, up or down by a little.
fn copying(to: u64, from: u64) -> String {
    format!(
        r#"(module (memory (export "memory") 400)
            (func (export "f") (local i32)
                (loop $again
                    (i32.store (local.get 0) (i32.mul (local.get 0) (i32.const 0x9e3779b9)))
                    (local.set 0 (i32.add (local.get 0) (i32.const 4)))
                    (br_if $again (i32.lt_u (local.get 0) (i32.const 25165824))))
                (memory.copy (i32.const {to}) (i32.const {from}) (i32.const 20000001))))"#
    )
}

#[test]
fn a_copy_in_pieces_is_the_copy_at_once() {
    for (to, from) in [(100, 0), (0, 100), (4096, 4096), (3_000_001, 17), (17, 3_000_001)] {
        let subject = subject(&copying(to, from), "f()");
        let run = |asks: bool| {
            let (mut process, mut domain) = (Process::<Concrete>::new(&subject).unwrap(), Concrete::default());
            let mut pauses = 0;
            let event = match asks {
                false => process.run(&mut domain),
                true => loop {
                    process.pause_after(process.instructions() + 1);
                    match process.run(&mut domain) {
                        ProcessEvent::Pause => pauses += 1,
                        event => break event,
                    }
                },
            };
            assert_eq!(event, ProcessEvent::End(ProcessEnd::Returned(vec![])));
            let (machine, instance) = process.machine();
            let memory = machine.memory(machine.memory_of(instance).unwrap());
            (process.costs(), memory.read(0, memory.len()).unwrap(), pauses)
        };
        let (at_once, in_pieces) = (run(false), run(true));
        assert_eq!(at_once.0, in_pieces.0);
        assert!(at_once.1 == in_pieces.1, "copy to {to} from {from}");
        let expected: Vec<u8> = {
            let word = |at: u32| at.wrapping_mul(0x9e37_79b9).to_le_bytes();
            let mut bytes: Vec<u8> = (0..25_165_824).step_by(4).flat_map(word).collect();
            bytes.resize(at_once.1.len(), 0);
            bytes.copy_within(from as usize..from as usize + 20_000_001, to as usize);
            bytes
        };
        assert!(at_once.1 == expected, "copy to {to} from {from}");
    }
}

#[test]
fn an_interrupted_run_ends_in_the_same_place_again() {
    for (text, call) in [(ENDLESS, "f(3)"), (&copying(5, 0), "f()")] {
        let subject = subject(text, call);
        for asked in [1, 2, 5, 30] {
            let (mut process, mut domain) = (Process::<Concrete>::new(&subject).unwrap(), Concrete::default());
            let mut left = asked;
            let end = process.run_while(&mut domain, &mut || {
                left -= 1;
                left > 0
            });
            assert_eq!(end, ProcessEvent::End(ProcessEnd::Limit(Limit::Budget)));
            let (limit, cost) = (process.limits_mut().instructions, process.costs().instructions);
            assert!(cost < asked * 1_200_000 + 400_000, "{asked}: {cost}");
            let mut again = Process::<Concrete>::new(&subject).unwrap();
            again.limits_mut().instructions = limit;
            assert_eq!(again.run(&mut domain), ProcessEvent::End(ProcessEnd::Limit(Limit::Instructions)));
            assert_eq!(again.costs(), process.costs(), "{asked}");
        }
    }
}

#[test]
fn what_comes_before_the_call_pauses_too() {
    let text = r#"(module
        (global $n (mut i32) (i32.const 5000000))
        (func $count
            (loop $again
                (global.set $n (i32.sub (global.get $n) (i32.const 1)))
                (br_if $again (global.get $n))))
        (start $count)
        (func (export "f") (result i32)
            (global.set $n (i32.const 1000000)) (call $count) (global.get $n)))"#;
    let subject = subject(text, "f()");
    let (mut process, mut domain) = (Process::<Concrete>::new(&subject).unwrap(), Concrete::default());
    let mut pauses = 0;
    let end = loop {
        process.pause_after(process.instructions() + 1_000_000);
        match process.run(&mut domain) {
            ProcessEvent::Pause => pauses += 1,
            event => break event,
        }
    };
    assert_eq!(end, ProcessEvent::End(ProcessEnd::Returned(vec![0])));
    // 30 million instructions before the call, 6 million after it.
    assert!((30..=36).contains(&pauses), "{pauses}");
    let mut asked = 0;
    let mut process = Process::<Concrete>::new(&subject).unwrap();
    process.run_while(&mut domain, &mut || {
        asked += 1;
        true
    });
    assert!((30..=36).contains(&asked), "{asked}");
}

#[test]
fn host_functions_that_move_much_pause_although_they_cost_nothing() {
    let text = r#"(module
        (import "wasi_snapshot_preview1" "random_get" (func $random (param i32 i32) (result i32)))
        (memory (export "memory") 512)
        (func (export "f") (result i32)
            (if (i32.ne (call $random (i32.const 0) (i32.const 20000000)) (i32.const 28)) (then unreachable))
            (loop $again
                (drop (call $random (i32.const 64) (i32.const 1048576)))
                (br $again))
            unreachable))"#;
    let subject = subject(text, "f()");
    let (mut process, mut domain) = (Process::<Concrete>::new(&subject).unwrap(), Concrete::default());
    process.pause_after(1_000_000_000);
    for _ in 0..3 {
        assert_eq!(process.run(&mut domain), ProcessEvent::Pause);
    }
    assert!(process.instructions() < 100, "{}", process.instructions());
}

#[test]
fn memory_that_grows_brings_the_next_pause_nearer() {
    // 16 pages of 64 KiB count as 131,072 instructions, of which there are a few.
    let text = r#"(module (memory (export "memory") 1) (func (export "f") (param i32) (local i32)
        (loop $again
            (drop (memory.grow (i32.const 16)))
            (i32.store (i32.const 8) (local.get 0))
            (local.set 1 (i32.add (local.get 1) (i32.const 1)))
            (br_if $again (i32.lt_u (local.get 1) (i32.const 100))))))"#;
    fn pauses<D: Domain>(subject: &Subject, mut domain: D) -> u32 {
        let (mut process, mut pauses) = (Process::<D>::new(subject).unwrap(), 0);
        loop {
            process.pause_after(process.instructions() + 1_000_000);
            match process.run(&mut domain) {
                ProcessEvent::Pause => pauses += 1,
                ProcessEvent::End(ProcessEnd::Returned(_)) => break pauses,
                _ => panic!("it ends after {pauses} pauses"),
            }
        }
    }
    let subject = subject(text, "f(i32)");
    // 13 times 100 thousand in all, eight growths between two pauses.
    assert_eq!(pauses(&subject, Concrete::default()), 12);
    assert_eq!(pauses(&subject, Symbolic::default()), 12);
    assert!(instructions(text, "f(7)") < 1500);
}
