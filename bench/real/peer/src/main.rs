//! A fuzzer in the manner of PerfFuzz (Lemieux, Padhye, Sen, Song: "PerfFuzz: Automatically Generating Pathological
//! Inputs", ISSTA 2018), made with LibAFL.
//!
//! `bench-real-peer TARGET.so SECONDS SEED` runs a native build of a program, made by `bench real`, for so many seconds
//! of processor time. It prints every input that raises the total number of edges, and at the end every input that
//! holds the highest count of an edge: seconds, total, and the bytes of the input in hexadecimal.
//!
//! From the paper (its Algorithm 1): an input is kept if it raises the highest count of any edge; those that hold a
//! highest count are favoured when the next one to mutate is chosen; mutations are AFL's havoc and splice. What
//! differs: there is no stage of deterministic mutations, and the fuzzer is in one process with the program.

mod archive;
mod target;

use std::cell::RefCell;
use std::process::ExitCode;
use std::rc::Rc;

use libafl::corpus::{Corpus, InMemoryCorpus};
use libafl::events::NopEventManager;
use libafl::executors::{Executor, ExitKind, HasObservers};
use libafl::inputs::{BytesInput, HasTargetBytes};
use libafl::mutators::{HavocScheduledMutator, havoc_mutations};
use libafl::stages::{RetryCountRestartHelper, StdMutationalStage};
use libafl::state::{HasCorpus, HasExecutions, HasMaxSize, StdState};
use libafl::{Error, Evaluator, Fuzzer, StdFuzzer};
use libafl_bolts::AsSlice;
use libafl_bolts::rands::{Rand, StdRand};
use libafl_bolts::serdeany::RegistryBuilder;
use libafl_bolts::tuples::{RefIndexable, tuple_list};

use archive::{Archive, Favoured, HighestCounts};
use target::Target;

/// Random inputs to start from, besides the one with every byte zero.
const SEEDS: usize = 32;

/// Recursion in the program under test takes native stack.
const STACK: usize = 1 << 29;

/// Runs the program and leaves its counts in the archive.
struct Native {
    target: Target,
    archive: Rc<RefCell<Archive>>,
    observers: (),
}

impl HasObservers for Native {
    type Observers = ();

    fn observers(&self) -> RefIndexable<&(), ()> {
        RefIndexable::from(&self.observers)
    }

    fn observers_mut(&mut self) -> RefIndexable<&mut (), ()> {
        RefIndexable::from(&mut self.observers)
    }
}

impl<EM, S: HasExecutions, Z> Executor<EM, BytesInput, S, Z> for Native {
    fn run_target(&mut self, _: &mut Z, state: &mut S, _: &mut EM, input: &BytesInput) -> Result<ExitKind, Error> {
        *state.executions_mut() += 1;
        let ended = self.target.run(input.target_bytes().as_slice());
        self.archive.borrow_mut().see(self.target.counts(), self.target.input());
        // A run that was cut off counts: it is at least as long as that.
        Ok(if ended { ExitKind::Ok } else { ExitKind::Timeout })
    }
}

fn fuzz(file: &str, seconds: f64, seed: u64) -> Result<(), Error> {
    // SAFETY: this is the only thread that uses the registry, and nothing has used it yet.
    unsafe { RegistryBuilder::register::<RetryCountRestartHelper>() };
    let target = Target::load(file)?;
    let length = target.input().len();
    let archive = Rc::new(RefCell::new(Archive::new(target.counts().len())));
    let mut feedback = HighestCounts::new(Rc::clone(&archive));
    let mut rand = StdRand::with_seed(seed);
    let seeds: Vec<BytesInput> = std::iter::once(vec![0; length])
        .chain((0..SEEDS).map(|_| (0..length).map(|_| rand.next() as u8).collect()))
        .map(BytesInput::new)
        .collect();
    let mut state = StdState::new(rand, InMemoryCorpus::new(), InMemoryCorpus::new(), &mut feedback, &mut ())?;
    state.set_max_size(length.max(1));
    let mut fuzzer = StdFuzzer::new(Favoured::new(Rc::clone(&archive)), feedback, ());
    let mut manager = NopEventManager::new();
    let mut executor = Native { target, archive: Rc::clone(&archive), observers: () };
    for input in &seeds {
        fuzzer.evaluate_input(&mut state, &mut executor, &mut manager, input)?;
    }
    if state.corpus().count() == 0 {
        fuzzer.add_input(&mut state, &mut executor, &mut manager, seeds[0].clone())?;
    }
    let mut stages = tuple_list!(StdMutationalStage::new(HavocScheduledMutator::new(havoc_mutations())));
    while target::processor_time() < seconds {
        fuzzer.fuzz_one(&mut stages, &mut executor, &mut state, &mut manager)?;
    }
    archive.borrow().print_champions();
    println!("runs {}", state.executions());
    Ok(())
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [file, seconds, seed] = &words[..] else {
        eprintln!("usage: bench-real-peer TARGET.so SECONDS SEED");
        return ExitCode::from(2);
    };
    let (Ok(seconds), Ok(seed)) = (seconds.parse::<f64>(), seed.parse::<u64>()) else {
        eprintln!("bench-real-peer: the seconds and the seed have to be numbers");
        return ExitCode::from(2);
    };
    let file = file.clone();
    let work = std::thread::Builder::new().stack_size(STACK).spawn(move || fuzz(&file, seconds, seed));
    let result = work.expect("a thread can be started").join().expect("the fuzzer does not panic");
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench-real-peer: {error}");
            ExitCode::FAILURE
        }
    }
}
