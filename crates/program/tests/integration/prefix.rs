//! Runs that start at the end of the prefix shared by all runs of a program, compared with runs from the start: they
//! have the same costs, ends, arms and memory for every input and every limit.

#[path = "../oracle/generate.rs"]
mod generate;
#[path = "../oracle/smith.rs"]
mod smith;

use std::sync::Arc;

use pessimum_input::{InputPlan, Length, Signature};
use pessimum_program::WasmProgram;
use pessimum_search::program::Program;
use pessimum_search::random::Random;
use pessimum_term::Witness;
use pessimum_wasm::{
    Concrete, Costs, Limits, LoadSettings, Module, Prefix, Process, ProcessEnd, ProcessEvent, Start, Subject, Weights,
    World,
};

/// Everything that a run leaves behind.
#[derive(Debug, PartialEq)]
struct Left {
    end: ProcessEnd<u64>,
    costs: Costs,
    arms: Vec<u64>,
    memory: Option<Vec<u8>>,
    asked: usize,
}

fn finish(mut process: Process<Concrete>, input: &Witness) -> Left {
    let mut domain = Concrete { witness: input.clone() };
    let ProcessEvent::End(end) = process.run(&mut domain) else { panic!("a concrete run asks nothing") };
    let (machine, instance) = process.machine();
    let memory = machine.memory_of(instance).map(|memory| machine.memory(memory));
    Left {
        end,
        costs: process.costs(),
        arms: machine.arm_counts(instance).to_vec(),
        memory: memory.and_then(|memory| memory.read(0, memory.len().min(1 << 22))),
        asked: process.asked().len(),
    }
}

fn from_the_start(subject: &Subject, input: &Witness, limits: Limits) -> Left {
    let mut process = Process::<Concrete>::new(subject).unwrap();
    *process.limits_mut() = limits;
    finish(process, input)
}

/// Compares runs on one input under all kinds of limits; returns how many of them started at the end of a prefix.
fn compare(name: &str, subject: &Subject, prefixes: &[Prefix], input: &Witness, most: u64) -> u64 {
    let wide = Limits { instructions: most, ..Limits::default() };
    let full = from_the_start(subject, input, wide);
    let instructions = full.costs.instructions;
    let mut compared = 0;
    let mut check = |limits: Limits, expected: &Left| {
        for prefix in prefixes {
            let Some(process) = prefix.process(input, limits) else { continue };
            assert_eq!(&finish(process, input), expected, "{name}, {limits:?}");
            compared += 1;
        }
    };
    check(wide, &full);
    let cut = |instructions| Limits { instructions, ..wide };
    let small = [0, 1, 7, instructions / 3, instructions.saturating_sub(1), instructions, instructions + 1];
    let pages = [0, full.costs.memory.saturating_sub(1), full.costs.memory];
    let depths = [0, 1, 2, full.costs.depth.saturating_sub(1), full.costs.depth];
    let all = small.into_iter().map(cut);
    let all = all.chain(pages.map(|memory| Limits { memory, ..wide }));
    for limits in all.chain(depths.map(|depth| Limits { call_depth: depth as u32, ..wide })) {
        check(limits, &from_the_start(subject, input, limits));
    }
    compared
}

/// Prefixes that end where the input is first used, and some that end sooner.
fn prefixes(subject: &Subject) -> Vec<Prefix> {
    [1 << 23, 5, 50, 2000].into_iter().filter_map(|most| Prefix::of(subject, most)).collect()
}

#[test]
fn every_subject_runs_the_same_from_its_prefix() {
    let mut compared = 0;
    for entry in &pessimum_subjects::all() {
        let size = entry.sizes.iter().copied().min().unwrap_or(4).clamp(1, 20);
        let program = entry.program(size).unwrap();
        let prefixes = prefixes(program.subject());
        let mut random = Random::new(size);
        for _ in 0..3 {
            let input = random.witness(&program.variables());
            compared += compare(&entry.name, program.subject(), &prefixes, &input, 200_000);
        }
    }
    println!("{compared} runs compared");
    assert!(compared > 2000, "{compared}");
}

fn loaded(module: &[u8], call: &str) -> Option<WasmProgram> {
    let settings = LoadSettings { weights: Some(Weights { other: 3, ..Weights::default() }), priced: None };
    let module = Arc::new(Module::load(module, &settings).unwrap());
    let mut plan = InputPlan::new(None);
    let signature = Signature::parse(call).unwrap();
    signature.lay_out(&mut plan).unwrap();
    let world = World { plan, program: "prefix".into(), environment: Vec::new() };
    let subject = Subject::new(module, Start::Call(signature), world, Limits::default()).unwrap();
    WasmProgram::new(call.into(), subject).ok()
}

#[test]
fn generated_programs_run_the_same_from_their_prefix() {
    let mut compared = 0;
    let generated = (0..250).map(|seed| {
        let generated = generate::program(seed, 8);
        (generated.module.into_bytes(), generated.call)
    });
    for (seed, (module, call)) in generated.chain((0..250).filter_map(smith::program)).enumerate() {
        let Some(program) = loaded(&module, &call) else { continue };
        let prefixes = prefixes(program.subject());
        let mut random = Random::new(seed as u64);
        for _ in 0..3 {
            let input = random.witness(&program.variables());
            compared += compare(&format!("{seed}: {call}"), program.subject(), &prefixes, &input, 600);
        }
    }
    println!("{compared} runs compared");
    assert!(compared > 3000, "{compared}");
}

/// Reads its standard input, moves it around without inspecting it, and only then compares a byte.
const READER: &str = r#"(module
  (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
  (import "pessimum" "assume" (func $assume (param i32)))
  (memory (export "memory") 2)
  (global $kept (mut i32) (i32.const 0))
  (func $ready (local $i i32)
    (loop $again
      (i32.store (i32.add (i32.const 4096) (i32.shl (local.get $i) (i32.const 2))) (local.get $i))
      (br_if $again (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 300)))))
  (func (export "_start") (local $x i32)
    call $ready
    (i32.store (i32.const 0) (i32.const 64))
    (i32.store (i32.const 4) (i32.const 4))
    (drop (call $read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 8)))
    (memory.copy (i32.const 70000) (i32.const 64) (i32.const 4))
    (global.set $kept (i32.load (i32.const 70000)))
    (local.set $x (i32.mul (i32.load8_u (i32.const 70001)) (i32.const 3)))
    (i32.store8 (i32.const 69999) (local.get $x))
    (call $assume (i32.lt_u (i32.and (global.get $kept) (i32.const 255)) (i32.const 200)))
    (if (i32.eq (local.get $x) (i32.const 30)) (then (i32.store (i32.const 128) (global.get $kept))))))"#;

#[test]
fn bytes_of_the_input_that_were_only_moved_are_right() {
    let weights = Some(Weights { other: 2, ..Weights::default() });
    let settings = LoadSettings { weights, priced: None };
    let module = Arc::new(Module::load(READER.as_bytes(), &settings).unwrap());
    let mut plan = InputPlan::new(Some(4));
    Length::parse("n").unwrap().lay_out_stdin(&mut plan).unwrap();
    let world = World { plan, program: "reader".into(), environment: Vec::new() };
    let subject = Subject::new(module, Start::Command, world, Limits::default()).unwrap();
    let prefixes = prefixes(&subject);
    assert_eq!(prefixes.len(), 4);
    let mut compared = 0;
    for values in [[0, 0, 0, 0], [1, 10, 255, 77], [199, 9, 8, 7], [200, 10, 10, 10], [255, 255, 255, 255]] {
        compared += compare("reader", &subject, &prefixes, &Witness::new(values.to_vec()), 1_000_000);
    }
    assert!(compared > 100, "{compared}");
    // The whole prefix ends at the assumption, beyond the loop.
    let input = Witness::new(vec![1, 10, 0, 0]);
    let short = Limits { instructions: 2500, ..Limits::default() };
    assert!(prefixes[0].process(&input, Limits::default()).unwrap().costs().instructions > 2700);
    assert!(prefixes[0].process(&input, short).is_none());
    assert!(prefixes[0].process(&Witness::new(vec![200]), Limits::default()).is_none());
}
