//! Speed of the machine compared with wasmi's on compute-bound programs.
//!
//! Both engines are timed in turn in the same process, by processor time, so that a busy machine slows both. For both,
//! instructions are counted our way (`block`, `loop`, `end`, `else` and `nop` are free).

use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use pessimum_wasm::{Concrete, End, Event, Limits, LoadSettings, Machine, Module};

use crate::clock;
use crate::record::Record;

/// Name, module, argument of its function `run`.
const PROGRAMS: &[(&str, &[u8], i32)] = &[
    ("sort", include_bytes!("../engine/programs/sort.wasm"), 5),
    ("matrix", include_bytes!("../engine/programs/matrix.wasm"), 10),
    ("hash", include_bytes!("../engine/programs/hash.wasm"), 10_000),
    ("calls", include_bytes!("../engine/programs/calls.wasm"), 27),
    ("parse", include_bytes!("../engine/programs/parse.wasm"), 400),
    ("mix64", include_bytes!("../engine/programs/mix64.wasm"), 500_000),
    ("virtual", include_bytes!("../engine/programs/virtual.wasm"), 500),
];
const ROUNDS: u32 = 11;

const COLUMNS: [&str; 5] = ["program", "M instructions", "ours ms (M/s)", "wasmi ms (M/s)", "times as fast"];

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
    let start = clock::own();
    let event = machine.run(&mut Concrete::default());
    let time = clock::own() - start;
    match event {
        Event::End(End::Returned(values)) => {
            Ours { result: values[0] as i32, instructions: machine.costs().instructions, time }
        }
        event => panic!("the programs return: {event:?}"),
    }
}

#[cfg(feature = "wasmi")]
fn theirs(bytes: &[u8], argument: i32) -> Result<(i32, Duration), String> {
    let engine = wasmi::Engine::default();
    let module = wasmi::Module::new(&engine, bytes).expect("the programs are valid");
    let mut store = wasmi::Store::new(&engine, ());
    let linker = wasmi::Linker::new(&engine);
    let instance = linker.instantiate_and_start(&mut store, &module).expect("the programs have no imports");
    let run = instance.get_typed_func::<i32, i32>(&store, "run").expect("the programs export `run`");
    let start = clock::own();
    let result = run.call(&mut store, argument).expect("the programs return");
    Ok((result, clock::own() - start))
}

/// Without the other engine there is nothing to compare with.
#[cfg(not(feature = "wasmi"))]
fn theirs(_: &[u8], _: i32) -> Result<(i32, Duration), String> {
    Err("built without wasmi (`--features wasmi`)".to_string())
}

/// Speed of the machine beside wasmi's, on compute-bound programs
///
/// `cargo run --profile peer -p bench --features wasmi -- engine`: in release wasmi has opt-level 1 and is 13 to 42 times as slow.
#[derive(Args)]
pub struct Engine {
    /// One program, once, for profilers [default: all, the best of eleven runs each]
    #[arg(requires = "argument")]
    program: Option<String>,

    /// What its function `run` is passed
    argument: Option<i32>,

    /// Run it in wasmi
    #[arg(long, requires = "program")]
    wasmi: bool,
}

impl Engine {
    /// Prints the table, or what one run took.
    pub fn run(self) -> Result<Option<Record>, String> {
        let (Some(name), Some(argument)) = (&self.program, self.argument) else { return table().map(Some) };
        let names = || PROGRAMS.iter().map(|program| program.0).collect::<Vec<_>>().join(", ");
        let program = PROGRAMS.iter().find(|program| program.0 == name);
        let (_, bytes, _) = program.ok_or_else(|| format!("no program is named {name}; there are {}", names()))?;
        if self.wasmi {
            let (result, time) = theirs(bytes, argument)?;
            println!("{name}: {result} in {time:?}");
        } else {
            let Ours { result, instructions, time } = ours(bytes, argument);
            println!("{name}: {result}, {instructions} instructions in {time:?}");
        }
        Ok(None)
    }
}

/// Whether this is a build in which both engines are as their authors build them.
fn is_peer_build() -> bool {
    let command = std::env::current_exe().unwrap_or_default();
    command.parent().is_some_and(|directory| directory.ends_with("peer"))
}

fn table() -> Result<Record, String> {
    if !is_peer_build() {
        let instead = "`cargo run --profile peer -p bench --features wasmi -- engine`";
        return Err(format!("wasmi is many times slower in this build than its authors build it: {instead}"));
    }
    println!("{}", line(&COLUMNS));
    let mut rows = Vec::new();
    for &(name, bytes, argument) in PROGRAMS {
        let (mut best, mut their_best, mut instructions) = (Duration::MAX, Duration::MAX, 0);
        for _ in 0..ROUNDS {
            let run = ours(bytes, argument);
            let (result, time) = theirs(bytes, argument)?;
            if run.result != result {
                return Err(format!("{name}: {} here and {result} in wasmi", run.result));
            }
            instructions = run.instructions;
            best = best.min(run.time);
            their_best = their_best.min(time);
        }
        let speed = |time: Duration| instructions as f64 / 1e6 / time.as_secs_f64();
        let cell = |time: Duration| format!("{:.1} ({:.0})", time.as_secs_f64() * 1e3, speed(time));
        let ratio = format!("{:.2}", their_best.as_secs_f64() / best.as_secs_f64());
        let million = format!("{:.1}", instructions as f64 / 1e6);
        let cells = [name.to_string(), million, cell(best), cell(their_best), ratio];
        println!("{}", line(&cells));
        rows.push(cells.to_vec());
    }
    Ok(Record::new(COLUMNS.map(String::from).to_vec(), rows))
}

fn line([name, million, ours, theirs, ratio]: &[impl std::fmt::Display; 5]) -> String {
    format!("{name:<9} {million:>14} {ours:>18} {theirs:>18} {ratio:>14}")
}
