//! What compiled code would bring to the concrete runs of a search: our machine and wasmtime side by side.
//!
//!     cargo build --release -p pessimum
//!     cargo run --release --manifest-path bench/jit/Cargo.toml [-- NAME...]
//!
//! runs the programs of `bench/real` (all, or those whose names contain one of the words) on the same inputs: random
//! ones, and ones near the worst known input. The first engine is our machine as a search uses it, from the prefix that
//! all runs share and with its counts of arms. The other is wasmtime, on the module with counters in its code
//! (`instrument.rs`), from a fresh instance for each run (`jit.rs`); once with a counter of instructions alone, and once
//! with one for each arm of each branch as well, which the archive of `auto` needs. Either is limited in its
//! instructions, wasmtime's by comparing the counter with the limit in functions and loops. The counts of both must be
//! equal for every input, or the program fails. A run that traps is compared only in that it does: its last
//! straight-line piece counts as a whole in wasmtime.
//!
//! Both engines take turns, and of each input the best of several rounds counts, so that a busy machine disturbs both
//! alike and little. The medians over the inputs are printed, in microseconds.
//!
//! `--search 5s` runs searches with `auto` instead, by turns with either engine for the inputs of the archive. It
//! prints the paths per second of processor time, the share of concrete runs in it and their mean time; then how many
//! times as many paths there would be in the same search with faster runs (`same`), and how many there were (`x`). A
//! search whose runs are faster gets further and then does other things, so the two differ. Everything has been
//! compiled before.
//!
//! Other options: `--inputs 200`, `--rounds 10` (of the searches, 3), `--reset written|remapped` (how wasmtime's memory
//! becomes fresh; whichever is faster for the program if not given), `--pessimum FILE` (the command that compiles the
//! programs, in `target/release` if not given).

mod instrument;
mod jit;
mod programs;
mod search;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use pessimum_outcome::End;
use pessimum_program::WasmProgram;
use pessimum_search::program::{PathLimits, Program as _};
use pessimum_term::Witness;
use pessimum_wasm::{Limits, Prefix};

use instrument::Counters;
use jit::{Jit, Reset};
use programs::Loaded;
use search::{Runs, Searched, Searcher};

const USAGE: &str = "usage: bench-jit [NAME...] [--inputs N] [--rounds N] [--reset written|remapped] [--search 5s] \
     [--pessimum FILE]";

/// The instructions that runs of our machine share at most, as in a search.
const PREFIX_INSTRUCTIONS: u64 = 1 << 23;

struct Settings {
    names: Vec<String>,
    inputs: usize,
    rounds: Option<usize>,
    reset: Option<Reset>,
    search: Option<Duration>,
    pessimum: PathBuf,
}

impl Settings {
    fn parse(mut words: impl Iterator<Item = String>) -> Result<Settings, String> {
        let pessimum = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/release/pessimum");
        let mut settings =
            Settings { names: Vec::new(), inputs: 200, rounds: None, reset: None, search: None, pessimum };
        while let Some(word) = words.next() {
            if !word.starts_with("--") {
                settings.names.push(word);
                continue;
            }
            let value = words.next().ok_or(format!("{word} needs a value\n{USAGE}"))?;
            let number = || value.parse::<usize>().ok().filter(|&number| number > 0);
            let wrong = || format!("{word} {value}: not understood\n{USAGE}");
            match word.as_str() {
                "--inputs" => settings.inputs = number().ok_or_else(wrong)?,
                "--rounds" => settings.rounds = Some(number().ok_or_else(wrong)?),
                "--reset" if value == "written" => settings.reset = Some(Reset::Written),
                "--reset" if value == "remapped" => settings.reset = Some(Reset::Remapped),
                "--search" => {
                    let seconds = value.trim_end_matches('s').parse::<f64>().ok().filter(|seconds| *seconds > 0.0);
                    settings.search = Some(Duration::from_secs_f64(seconds.ok_or_else(wrong)?.min(1e6)));
                }
                "--pessimum" => settings.pessimum = PathBuf::from(value),
                _ => return Err(wrong()),
            }
        }
        Ok(settings)
    }
}

/// The least time of each input, in one column for each thing that is timed.
struct Times {
    columns: [Vec<Duration>; COLUMNS],
}

const COLUMNS: usize = 8;
const OURS: usize = 0;
const OUR_SET_UP: usize = 1;
const TOTAL: usize = 2;
const TOTAL_SET_UP: usize = 3;
const TOTAL_CALL: usize = 4;
const ARMS: usize = 5;
const ARMS_SET_UP: usize = 6;
const ARMS_CALL: usize = 7;

impl Times {
    fn note(&mut self, column: usize, input: usize, time: Duration) {
        let best = &mut self.columns[column][input];
        *best = time.min(*best);
    }

    fn median(&self, column: usize) -> f64 {
        let mut sorted = self.columns[column].clone();
        sorted.sort_unstable();
        sorted[sorted.len() / 2].as_secs_f64() * 1e6
    }
}

/// What became of one program on one set of inputs.
struct Row {
    /// Instructions of the median run.
    instructions: u64,
    times: Times,
    /// Runs that did not return.
    ended_otherwise: usize,
}

struct Bench<'s> {
    settings: &'s Settings,
    loaded: Loaded,
}

impl Bench<'_> {
    fn rounds(&self, usual: usize) -> usize {
        self.settings.rounds.unwrap_or(usual)
    }

    /// How wasmtime's memory becomes fresh: the faster way on some inputs near the worst, unless the user has chosen.
    fn reset(&self) -> Result<Reset, String> {
        if let Some(reset) = self.settings.reset {
            return Ok(reset);
        }
        let program = self.loaded.wasm_program(self.loaded.program.size)?;
        let [_, inputs] = self.loaded.inputs(&program, 20)?;
        let limit = PathLimits::default().instructions;
        let (bytes, function) = (&self.loaded.bytes, &self.loaded.function);
        let mut fastest = None;
        for reset in [Reset::Written, Reset::Remapped] {
            // Written pages can be asked for since Linux 6.7.
            let Ok(mut jit) = Jit::new(bytes, program.subject(), function, Counters::Arms, reset, limit) else {
                continue;
            };
            let mut times = vec![Duration::MAX; inputs.len()];
            for _ in 0..5 {
                for (input, best) in inputs.iter().zip(&mut times) {
                    let begun = Instant::now();
                    jit.run(input, limit, &mut Vec::new())?;
                    *best = begun.elapsed().min(*best);
                }
            }
            let time: Duration = times.iter().sum();
            if fastest.is_none_or(|(least, _)| time < least) {
                fastest = Some((time, reset));
            }
        }
        fastest.map(|(_, reset)| reset).ok_or("wasmtime cannot run it".to_string())
    }

    /// Both engines on random inputs and on inputs near the worst; also what compiling took, in milliseconds.
    fn compare(&self) -> Result<([Row; 2], [f64; 2]), String> {
        let loaded = &self.loaded;
        let program = loaded.wasm_program(loaded.program.size)?;
        let limits = PathLimits::default();
        let reset = self.reset()?;
        let compiled = |counters| {
            Jit::new(&loaded.bytes, program.subject(), &loaded.function, counters, reset, limits.instructions)
        };
        let (mut total, mut arms) = (compiled(Counters::Total)?, compiled(Counters::Arms)?);
        let mut compile = [total.compile, arms.compile];
        for _ in 0..2 {
            compile[0] = compile[0].min(compiled(Counters::Total)?.compile);
            compile[1] = compile[1].min(compiled(Counters::Arms)?.compile);
        }
        let inputs = loaded.inputs(&program, self.settings.inputs)?;
        self.check_limit(&program, &mut total, &inputs[1][0])?;
        let mut rows = Vec::new();
        for inputs in &inputs {
            rows.push(self.row(&program, &mut total, &mut arms, inputs)?);
        }
        // After everything else: this writes all of the memory, which the pool would have to clean for later runs.
        for (column, jit) in [(TOTAL_CALL, &mut total), (ARMS_CALL, &mut arms)] {
            for (row, inputs) in rows.iter_mut().zip(&inputs) {
                for _ in 0..self.rounds(10) {
                    for (number, input) in inputs.iter().enumerate() {
                        row.times.note(column, number, jit.call_alone(input)?);
                    }
                }
            }
        }
        let rows = rows.try_into().map_err(|_| "there are two sets of inputs")?;
        Ok((rows, compile.map(|time| time.as_secs_f64() * 1e3)))
    }

    /// That a run in wasmtime ends at its limit.
    fn check_limit(&self, program: &WasmProgram, jit: &mut Jit, input: &Witness) -> Result<(), String> {
        let cost = program.replay(input, &PathLimits::default()).costs.instructions;
        let (ran, _) = jit.run(input, cost / 2, &mut Vec::new())?;
        if ran.returned || ran.instructions <= cost / 2 {
            return Err(format!("a run of {cost} instructions did not end at the limit of {}", cost / 2));
        }
        Ok(())
    }

    fn row(&self, program: &WasmProgram, total: &mut Jit, arms: &mut Jit, inputs: &[Witness]) -> Result<Row, String> {
        let limits = PathLimits::default();
        let prefix = Prefix::of(program.subject(), PREFIX_INSTRUCTIONS);
        let mut times = Times { columns: std::array::from_fn(|_| vec![Duration::MAX; inputs.len()]) };
        let mut costs = vec![0; inputs.len()];
        let mut ended_otherwise = 0;
        let (mut our_arms, mut their_arms) = (Vec::new(), Vec::new());
        for round in 0..self.rounds(10) {
            for (number, input) in inputs.iter().enumerate() {
                let begun = Instant::now();
                let (replay, _) = program.replay_counting(input, &limits, &mut || true, &mut our_arms);
                times.note(OURS, number, begun.elapsed());
                let machine_limits = Limits { instructions: limits.instructions, ..Limits::default() };
                let begun = Instant::now();
                let process = prefix.as_ref().and_then(|prefix| prefix.process(input, machine_limits));
                times.note(OUR_SET_UP, number, begun.elapsed());
                drop(process);
                let mut columns = [TOTAL, ARMS].into_iter();
                for jit in [&mut *total, &mut *arms] {
                    let begun = Instant::now();
                    let (ran, set_up) = jit.run(input, limits.instructions, &mut their_arms)?;
                    let time = begun.elapsed();
                    let column = columns.next().unwrap_or_default();
                    times.note(column, number, time);
                    times.note(column + 1, number, set_up);
                    if round > 0 {
                        continue;
                    }
                    let returned = replay.end == End::Returned;
                    let (ours, theirs) = (replay.costs.instructions, ran.instructions);
                    if ran.returned != returned || returned && ours != theirs {
                        return Err(format!(
                            "input {number}: {ours} instructions ({}), but {theirs} in wasmtime",
                            replay.end
                        ));
                    }
                    if returned && !their_arms.is_empty() && their_arms != our_arms {
                        return Err(format!("input {number}: the counts of the arms differ"));
                    }
                }
                if round == 0 {
                    costs[number] = replay.costs.instructions;
                    ended_otherwise += usize::from(replay.end != End::Returned);
                }
            }
        }
        costs.sort_unstable();
        Ok(Row { instructions: costs[costs.len() / 2], times, ended_otherwise })
    }

    /// Searches with several seeds by each engine in turn, all of them added up.
    fn searches(&self, time: Duration) -> Result<[Searched; 2], String> {
        let reset = self.reset()?;
        let engines = [Runs::Ours, Runs::Jit(reset)].map(|runs| Searcher::new(&self.loaded, runs));
        // This compiles for every size at which a search learns.
        engines[1].search(time, 0)?;
        let mut sums = [Searched::default(); 2];
        for seed in 1..=self.rounds(3) as u64 {
            for (engine, sum) in engines.iter().zip(&mut sums) {
                sum.add(&engine.search(time, seed)?);
            }
        }
        Ok(sums)
    }
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(f64::NAN)
}

fn heading(settings: &Settings) -> String {
    match settings.search {
        None => format!(
            "{:16} {:6} {:>9} {:>8} {:>7} | {:>8} {:>7} {:>7} {:>5} | {:>8} {:>7} {:>7} {:>5} | {:>7} {:>7}",
            "us a run",
            "inputs",
            "instr.",
            "ours",
            "set-up",
            "total",
            "set-up",
            "call",
            "x",
            "arms",
            "set-up",
            "call",
            "x",
            "comp ms",
            "arms ms"
        ),
        Some(_) => format!(
            "{:16} {:>9} {:>9} {:>6} | {:>9} {:>9} {:>6} | {:>6} {:>6} | {:>9} {:>9}",
            "paths a second", "ours", "concrete", "us", "wasmtime", "concrete", "us", "same", "x", "best", "best"
        ),
    }
}

fn run(settings: Settings) -> Result<bool, String> {
    let scratch = tempfile::tempdir().map_err(|error| error.to_string())?;
    println!("{}", heading(&settings));
    let (mut gains, mut errors) = ([Vec::new(), Vec::new(), Vec::new()], Vec::new());
    let is_wanted = |name: &str| settings.names.is_empty() || settings.names.iter().any(|word| name.contains(word));
    for program in programs::read()?.iter().filter(|program| is_wanted(&program.name)) {
        let loaded = program.load(&settings.pessimum, scratch.path());
        let outcome =
            loaded.map(|loaded| Bench { settings: &settings, loaded }).and_then(|bench| match settings.search {
                None => print_comparison(&bench, &mut gains),
                Some(time) => print_searches(&bench, time, &mut gains),
            });
        if let Err(reason) = outcome {
            errors.push(format!("{}: {reason}", program.name));
        }
    }
    let labels = match settings.search {
        None => ["x with arms, random inputs", "x with arms, near the worst", "x with total alone, near the worst"],
        Some(_) => ["x", "x if the search had done the same", "share of concrete runs"],
    };
    for (gains, what) in gains.into_iter().zip(labels) {
        if !gains.is_empty() {
            println!("median of {what}: {:.2}", median(gains));
        }
    }
    errors.iter().for_each(|error| eprintln!("bench-jit: {error}"));
    Ok(errors.is_empty())
}

fn print_comparison(bench: &Bench<'_>, gains: &mut [Vec<f64>; 3]) -> Result<(), String> {
    let (rows, compile) = bench.compare()?;
    for (number, (row, inputs)) in rows.iter().zip(["random", "near"]).enumerate() {
        let at = |column| row.times.median(column);
        let gain = [at(OURS) / at(TOTAL), at(OURS) / at(ARMS)];
        gains[number].push(gain[1]);
        if inputs == "near" {
            gains[2].push(gain[0]);
        }
        print!(
            "{:16} {inputs:6} {:>9} {:>8.2} {:>7.2}",
            bench.loaded.program.name,
            row.instructions,
            at(OURS),
            at(OUR_SET_UP)
        );
        print!(" | {:>8.2} {:>7.2} {:>7.2} {:>5.2}", at(TOTAL), at(TOTAL_SET_UP), at(TOTAL_CALL), gain[0]);
        print!(" | {:>8.2} {:>7.2} {:>7.2} {:>5.2}", at(ARMS), at(ARMS_SET_UP), at(ARMS_CALL), gain[1]);
        print!(" | {:>7.1} {:>7.1}", compile[0], compile[1]);
        match row.ended_otherwise {
            0 => println!(),
            some => println!("  {some} did not return"),
        }
    }
    Ok(())
}

fn print_searches(bench: &Bench<'_>, time: Duration, gains: &mut [Vec<f64>; 3]) -> Result<(), String> {
    let [ours, theirs] = bench.searches(time)?;
    let gain = theirs.rate() / ours.rate();
    // Had the search done the same with faster concrete runs.
    let same = 1.0 / (1.0 - ours.share() * (1.0 - theirs.mean() / ours.mean()));
    gains[0].push(gain);
    gains[1].push(same);
    gains[2].push(ours.share());
    let percent = |share: f64| format!("{:.1}%", 100.0 * share);
    print!("{:16} {:>9.0} {:>9} {:>6.1}", bench.loaded.program.name, ours.rate(), percent(ours.share()), ours.mean());
    print!(" | {:>9.0} {:>9} {:>6.1}", theirs.rate(), percent(theirs.share()), theirs.mean());
    print!(" | {same:>6.2} {gain:>6.2}");
    println!(" | {:>9} {:>9}", ours.best, theirs.best);
    Ok(())
}

fn main() -> ExitCode {
    match Settings::parse(std::env::args().skip(1)).and_then(run) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("bench-jit: {message}");
            ExitCode::FAILURE
        }
    }
}
