//! Speed of the machine compared with wasmi's on compute-bound programs.
//!
//!     cargo run --release -p bench-engine                   all programs, the best of eleven runs each
//!     cargo run --release -p bench-engine -- sort 5         one program, one run of our machine only (for profiling)
//!     cargo run --release -p bench-engine -- sort 5 wasmi   the same in wasmi
//!
//! Both engines are timed in turn in the same process, by processor time, so that a busy machine slows both. For both,
//! instructions are counted our way (`block`, `loop`, `end`, `else` and `nop` are free).

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use pessimum_wasm::{Concrete, End, Event, Limits, LoadSettings, Machine, Module};
use rustix::time::{ClockId, clock_gettime};

/// Name, module, argument of its function `run`.
const PROGRAMS: &[(&str, &[u8], i32)] = &[
    ("sort", include_bytes!("../programs/sort.wasm"), 5),
    ("matrix", include_bytes!("../programs/matrix.wasm"), 10),
    ("hash", include_bytes!("../programs/hash.wasm"), 10_000),
    ("calls", include_bytes!("../programs/calls.wasm"), 27),
    ("parse", include_bytes!("../programs/parse.wasm"), 400),
    ("mix64", include_bytes!("../programs/mix64.wasm"), 500_000),
    ("virtual", include_bytes!("../programs/virtual.wasm"), 500),
];
const ROUNDS: u32 = 11;

/// The time that this thread has had the processor.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

struct Ours {
    result: i32,
    instructions: u64,
    time: Duration,
}

fn ours(bytes: &[u8], argument: i32) -> Ours {
    let module = Arc::new(Module::load(bytes, &LoadSettings::default()).expect("the programs are valid"));
    let mut machine = Machine::new(Limits::default());
    let instance = machine.instantiate(module, &mut |_, _| None).expect("the programs have no imports");
    let run = machine.exported_function(instance, "run").expect("the programs export `run`");
    machine.call(run, &[argument as u32 as u64]);
    let start = processor_time();
    let event = machine.run(&mut Concrete::default());
    let time = processor_time() - start;
    match event {
        Event::End(End::Returned(values)) => {
            Ours { result: values[0] as i32, instructions: machine.costs().instructions, time }
        }
        event => panic!("the programs return: {event:?}"),
    }
}

fn theirs(bytes: &[u8], argument: i32) -> (i32, Duration) {
    let engine = wasmi::Engine::default();
    let module = wasmi::Module::new(&engine, bytes).expect("the programs are valid");
    let mut store = wasmi::Store::new(&engine, ());
    let linker = wasmi::Linker::new(&engine);
    let instance = linker.instantiate_and_start(&mut store, &module).expect("the programs have no imports");
    let run = instance.get_typed_func::<i32, i32>(&store, "run").expect("the programs export `run`");
    let start = processor_time();
    let result = run.call(&mut store, argument).expect("the programs return");
    (result, processor_time() - start)
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [name, argument, engine @ ..] = args.as_slice() {
        let program = PROGRAMS.iter().find(|program| program.0 == name);
        match (program, argument.parse(), engine) {
            (Some(program), Ok(argument), []) => {
                let Ours { result, instructions, time } = ours(program.1, argument);
                println!("{name}: {result}, {instructions} instructions in {time:?}");
            }
            (Some(program), Ok(argument), [engine]) if engine == "wasmi" => {
                let (result, time) = theirs(program.1, argument);
                println!("{name}: {result} in {time:?}");
            }
            _ => {
                eprintln!("usage: bench-engine [PROGRAM ARGUMENT [wasmi]]");
                return ExitCode::from(2);
            }
        }
        return ExitCode::SUCCESS;
    }
    println!("program   M instructions   ours ms (M/s)      wasmi ms (M/s)     ours / wasmi");
    let mut agree = true;
    for &(name, bytes, argument) in PROGRAMS {
        let (mut best, mut their_best, mut instructions) = (Duration::MAX, Duration::MAX, 0);
        for _ in 0..ROUNDS {
            let run = ours(bytes, argument);
            let (result, time) = theirs(bytes, argument);
            agree &= run.result == result;
            instructions = run.instructions;
            best = best.min(run.time);
            their_best = their_best.min(time);
        }
        let speed = |time: Duration| instructions as f64 / 1e6 / time.as_secs_f64();
        println!(
            "{name:<9} {:>14.1}   {:>8.1} ({:>6.0})   {:>8.1} ({:>6.0})   {:.2}",
            instructions as f64 / 1e6,
            best.as_secs_f64() * 1e3,
            speed(best),
            their_best.as_secs_f64() * 1e3,
            speed(their_best),
            their_best.as_secs_f64() / best.as_secs_f64(),
        );
    }
    if !agree {
        eprintln!("the two engines gave different results");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
