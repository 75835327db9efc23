//! Symbolic runs against brute force: for small random functions every input is run by an ordinary interpreter, and
//! exhaustive search must find exactly the paths, costs and ends that occur.

#[path = "../common/mod.rs"]
mod common;
mod generate;
mod written;

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Mutex;

use common::{Subject, interpreters};
use pessimum_outcome::{CostModel, End, Ends};
use pessimum_python::PythonProgram;
use pessimum_search::budget::Budget;
use pessimum_search::program::{PathLimits, Program as _};
use pessimum_search::search::{Search, Settings};
use pessimum_search::strategy::{self, ArmOrder, Auto, Exhaustive, Order};
use pessimum_term::Witness;
use pessimum_testkit::oracle;
use serde_json::json;

/// An interpreter that runs `lines.py`.
struct Lines {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Lines {
    fn start(python: &Path) -> Lines {
        let mut child = Command::new(python)
            .args(["-c", include_str!("lines.py")])
            .env("PYTHONHASHSEED", "0")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Lines { child, input, output }
    }

    /// For each input: the number of its sequence of lines, how many they are, how it ended.
    fn of(&mut self, text: &str, program: &PythonProgram, inputs: &[Witness]) -> Vec<(u64, u64, String)> {
        let calls: Vec<String> =
            inputs.iter().map(|input| format!("({},)", program.arguments_text(input).join(", "))).collect();
        writeln!(self.input, "{}", json!({ "text": text, "calls": calls })).unwrap();
        let mut answer = String::new();
        self.output.read_line(&mut answer).unwrap();
        serde_json::from_str(&answer).unwrap_or_else(|error| panic!("{error}: {answer:?}"))
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Totals over the programs that were compared.
#[derive(Debug, Default)]
struct Compared {
    programs: u64,
    /// Those with two paths or more.
    with_decisions: u64,
    /// Those in which the search gave up on a question, so that paths may be missing.
    incomplete: u64,
    paths: u64,
    sequences: u64,
}

impl Compared {
    fn add(&mut self, other: &Compared) {
        self.programs += other.programs;
        self.with_decisions += other.with_decisions;
        self.incomplete += other.incomplete;
        self.paths += other.paths;
        self.sequences += other.sequences;
    }
}

const ORDERS: [Order; 4] =
    [Order::Depth(ArmOrder::TrueFirst), Order::Depth(ArmOrder::Random), Order::Breadth, Order::Deepening(2)];

/// The lines of a program that uses `libraries` in Python can be compared in part only.
fn compare(
    text: &str,
    program: &PythonProgram,
    seed: u64,
    libraries: bool,
    lines: &mut Lines,
    compared: &mut Compared,
) {
    let limits = PathLimits { instructions: 10_000, depth: 50, ..PathLimits::default() };
    let mut settings = Settings { limits, ..Settings::default() };
    settings.solver.validate = seed.is_multiple_of(8);
    // Products and quotients of random numbers are hard. These limits make giving up cheap; it is counted below.
    (settings.solver.conflicts, settings.solver.steps) = (200, 2000);

    let inputs: Vec<Witness> = oracle::inputs(program).collect();
    let sequences = lines.of(text, program, &inputs);
    // Plain and symbolic runs of every input have the same costs and ends; this compares them.
    let expected = oracle::brute_force(program, &limits);
    for (input, (_, count, end)) in inputs.iter().zip(&sequences) {
        let replay = program.replay(input, &limits);
        let ended = matches!(replay.end, End::Returned);
        assert_eq!(ended, end == "returned", "{}", program.show(input));
        // Lines of libraries, which the other side does not record, come on top.
        let counted = if replay.costs.lines > *count && libraries { *count } else { replay.costs.lines };
        assert_eq!(counted, *count, "{}", program.show(input));
    }

    let order = ORDERS[seed as usize % ORDERS.len()];
    let reached = std::cell::RefCell::new(Vec::new());
    let search =
        Search::new(program, settings.clone()).with_visitor(|path| reached.borrow_mut().push(path.witness.clone()));
    strategy::run(search, &mut Exhaustive::new(order)).sound().unwrap_or_else(|mismatch| panic!("{mismatch}"));
    let (found, result) = oracle::visited(program, settings.clone(), &mut Exhaustive::new(order));
    for (path, what) in &found {
        assert_eq!(expected.get(path), Some(what), "no input takes the path {path:?}, or its outcome differs");
    }
    compared.programs += 1;
    compared.paths += expected.len() as u64;
    compared.with_decisions += u64::from(expected.len() > 1);
    if result.counters.unknown > 0 || result.counters.values_cut > 0 {
        assert!(!result.complete, "a search that gave up on a question claims to be complete");
        compared.incomplete += 1;
        return;
    }
    for (path, what) in &expected {
        assert_eq!(found.get(path), Some(what), "the path {path:?} was missed");
    }
    for model in CostModel::ALL {
        let greatest = expected.values().map(|(costs, _)| model.of(costs)).max();
        let least = expected.values().map(|(costs, _)| model.of(costs)).min();
        assert_eq!(result.extremes.map(|extremes| model.of(&extremes.greatest)), greatest, "greatest {model}");
        assert_eq!(result.extremes.map(|extremes| model.of(&extremes.least)), least, "least {model}");
    }
    // The same sequences of lines, as somebody else recorded them.
    let all: BTreeSet<u64> = sequences.iter().map(|sequence| sequence.0).collect();
    let reached = reached.into_inner();
    let met: BTreeSet<u64> = lines.of(text, program, &reached).iter().map(|of| of.1).collect();
    let lengths: BTreeSet<u64> = sequences.iter().map(|sequence| sequence.1).collect();
    assert_eq!(met, lengths, "lengths of paths");
    let known = lines.of(text, program, &inputs.iter().chain(&reached).cloned().collect::<Vec<_>>());
    let of_reached: BTreeSet<u64> = known[inputs.len()..].iter().map(|of| of.0).collect();
    assert_eq!(of_reached, all, "sequences of lines");
    compared.sequences += all.len() as u64;

    // `auto` finds the same maximum.
    let settings = Settings {
        cost: CostModel::Lines,
        ends: Ends::Any,
        budget: Budget { paths: Some(400.max(4 * expected.len() as u64)), ..Budget::default() },
        seed,
        ..settings
    };
    let auto = strategy::run(Search::new(program, settings), &mut Auto::default());
    let auto = auto.sound().unwrap_or_else(|mismatch| panic!("{mismatch}"));
    let most = expected.values().map(|(costs, _)| costs.lines).max();
    assert_eq!(auto.best_cost(), most, "the maximum of auto");
}

/// A program to be compared, and where.
struct Case<'a> {
    /// How to run it alone.
    name: String,
    seed: u64,
    python: &'a Path,
    call: String,
    text: String,
}

/// Compares all of them, on every processor; returns the names of those that fail.
fn compare_all(cases: impl Iterator<Item = Case<'static>> + Send) -> (Compared, Vec<String>) {
    let cases = Mutex::new(cases);
    let (compared, failures) = (Mutex::new(Compared::default()), Mutex::new(Vec::new()));
    let work = || {
        let mut own = Compared::default();
        loop {
            let Some(Case { name, seed, python, call, text }) = cases.lock().unwrap().next() else { break };
            let one = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                let subject = Subject::new(python, &text);
                let libraries = text.contains("import ");
                let mut lines = Lines::start(python);
                compare(&text, &subject.program(&call, 0), seed, libraries, &mut lines, &mut own);
            }));
            if let Err(why) = one {
                let why = why.downcast_ref::<String>().cloned().unwrap_or_default();
                // At once: a sweep may be stopped before its end.
                println!("{name} {call} fails with {}: {why}", python.display());
                failures.lock().unwrap().push(name);
            }
        }
        compared.lock().unwrap().add(&own);
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    (compared.into_inner().unwrap(), failures.into_inner().unwrap())
}

/// How much of the comparison is run: so many times as many programs, and so many interpreters for each that was written
/// by hand. None in the quick tests.
fn scale() -> Option<u64> {
    std::env::var("PESSIMUM_SCALE").ok().map(|scale| scale.parse().expect("PESSIMUM_SCALE is a number"))
}

/// Bits of input, and the number of programs. Few programs have many inputs, since every input is run several times.
const SHARES: [(u32, u64); 4] = [(4, 60), (6, 40), (8, 12), (12, 1)];

#[test]
fn generated_functions_have_the_paths_that_brute_force_finds() {
    let only: Option<u64> = std::env::var("PESSIMUM_SEED").ok().map(|seed| seed.parse().unwrap());
    let scale = scale().unwrap_or(1);
    let pythons = interpreters();
    if pythons.is_empty() {
        return;
    }
    let bits = SHARES.iter().flat_map(move |&(bits, count)| std::iter::repeat_n(bits, (count * scale) as usize));
    let seeds = (1..).zip(bits).filter(move |&(seed, _)| only.is_none_or(|only| only == seed));
    let cases = seeds.map(move |(seed, bits)| {
        let generate::Generated { text, call } = generate::program(seed, bits);
        if only.is_some() {
            println!("{call}\n{text}");
        }
        // Each with another interpreter.
        let python = pythons[seed as usize % pythons.len()];
        Case { name: format!("PESSIMUM_SEED={seed} PESSIMUM_SCALE={scale}"), seed, python, call, text }
    });
    let (compared, failures) = compare_all(cases);
    println!("{compared:?}");
    assert!(failures.is_empty(), "{} seeds failed: {failures:?}", failures.len());
    if only.is_none() {
        assert!(compared.with_decisions * 2 > compared.programs, "most programs should depend on their input");
        assert!(compared.incomplete * 10 < compared.programs, "the search gave up on too many questions");
    }
}
