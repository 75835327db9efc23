//! Functions in C and Rust with 2^16 inputs, compiled for this machine and to WebAssembly.
//!
//! Each is a file below `native/` that starts with its call and the type of its result. The native program runs every
//! input; so does our machine on the module of every optimisation level, concretely and, for some inputs, symbolically,
//! and the results must be the same. Then an exhaustive search of each module must find exactly the paths that the
//! inputs take, with their costs and ends, and claim to be complete only if it is.

mod build;
pub mod call;

use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use pessimum_input::InputPlan;
use pessimum_outcome::{CostModel, End};
use pessimum_program::WasmProgram;
use pessimum_search::program::{Kind, PathLimits, Program};
use pessimum_search::search::Settings;
use pessimum_search::strategy::{ArmOrder, Exhaustive, Order};
use pessimum_term::{Evaluator, Witness};
use pessimum_testkit::oracle;
use pessimum_wasm::{
    Concrete, Domain, Limits, LoadSettings, Module, Prefix, Process, ProcessEnd, ProcessEvent, Question, Start,
    Subject, Symbolic, SymbolicValue, Trap, World,
};

pub use build::Tools;
use call::{Call, INPUTS};

/// Between two inputs that are also run symbolically, so that the result can be compared; prime to every width.
const SYMBOLIC_EVERY: u64 = 61;

/// More than any of the functions needs.
const INSTRUCTIONS: u64 = 1 << 22;

/// What a function gives back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// These bits, without those above its type.
    Returned(u64),
    /// A panic, which is a trap of the module.
    Panicked,
}

/// One source with the path of its file.
#[derive(Clone, Debug)]
pub struct Function {
    path: PathBuf,
    call: Call,
}

impl Function {
    /// The name of the file.
    pub fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    fn is_rust(&self) -> bool {
        self.path.extension().is_some_and(|ending| ending == "rs")
    }

    /// The optimisation levels that it is built with: those that change the code most.
    pub fn levels(&self) -> &'static [&'static str] {
        if self.is_rust() { &["0", "1", "3"] } else { &["0", "1", "2", "s"] }
    }
}

/// The functions below `native/`, by name.
pub fn functions() -> Result<Vec<Function>, String> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("native");
    let listing = std::fs::read_dir(&directory).map_err(|error| format!("{}: {error}", directory.display()))?;
    let mut paths: Vec<PathBuf> = listing.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let function = |path: PathBuf| {
        let at = |what: String| format!("{}: {what}", path.display());
        let text = std::fs::read_to_string(&path).map_err(|error| at(error.to_string()))?;
        let line = text.lines().next().and_then(|line| line.strip_prefix("// ")).unwrap_or_default();
        let call = Call::parse(line).map_err(at)?;
        Ok(Function { path, call })
    };
    paths.into_iter().map(function).collect()
}

/// What a comparison covered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// Modules.
    pub builds: u64,
    /// Inputs that were run by the machine and compared with the native program.
    pub inputs: u64,
    /// Those of them for which the function panicked.
    pub panics: u64,
    /// Inputs that were run symbolically as well.
    pub symbolic: u64,
    /// Paths that the inputs take.
    pub paths: u64,
    /// Modules of which the search said that it had not seen everything.
    pub incomplete: u64,
}

impl Compared {
    fn add(&mut self, other: &Compared) {
        self.builds += other.builds;
        self.inputs += other.inputs;
        self.panics += other.panics;
        self.symbolic += other.symbolic;
        self.paths += other.paths;
        self.incomplete += other.incomplete;
    }
}

/// Compares one function at these levels. The error says what differs.
pub fn compare(function: &Function, tools: &Tools, levels: &[&str]) -> Result<Compared, String> {
    let expected = tools.native(function)?;
    let mut compared = Compared::default();
    for level in levels {
        let at = |what: String| format!("{} -O{level}: {what}", function.name());
        let module = tools.module(function, level).map_err(at)?;
        let one = std::panic::catch_unwind(AssertUnwindSafe(|| compare_module(function, &module, &expected)));
        // The oracle panics where it disagrees.
        let one = one.unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().cloned();
            Err(text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string)).unwrap_or_default())
        });
        compared.add(&one.map_err(at)?);
    }
    Ok(compared)
}

fn compare_module(function: &Function, module: &[u8], expected: &[Outcome]) -> Result<Compared, String> {
    let module = Module::load(module, &LoadSettings::default()).map_err(|error| error.to_string())?;
    let signature = function.call.signature()?;
    let mut plan = InputPlan::new(None);
    signature.lay_out(&mut plan).map_err(|error| error.to_string())?;
    let world = World { plan, program: "native".into(), environment: Vec::new() };
    let subject = Subject::new(module.into(), Start::Call(signature), world, Limits::default());
    let subject = subject.map_err(|error| error.to_string())?;
    let program = WasmProgram::new(function.name(), subject.clone()).map_err(|error| error.to_string())?;
    function.call.fits(&program.variables())?;
    let mut compared = Compared { builds: 1, inputs: INPUTS, ..Compared::default() };
    compared.panics = expected.iter().filter(|&&outcome| outcome == Outcome::Panicked).count() as u64;
    let limits = Limits { instructions: INSTRUCTIONS, ..Limits::default() };
    let prefix = Prefix::of(&subject, INSTRUCTIONS);
    let mut symbolic = Follower::new(&subject);
    for (number, &expected) in (0..INPUTS).zip(expected) {
        let input = function.call.input(number);
        let prepared = prefix.as_ref().and_then(|prefix| prefix.process(&input, limits));
        let process = match prepared {
            Some(process) => process,
            None => Process::<Concrete>::new(&subject).map_err(|error| error.to_string())?,
        };
        let ours = concrete(process, input.clone())?;
        if ours != expected {
            return Err(format!("{:?} gives {ours:x?}, natively {expected:x?}", input.values()));
        }
        if number % SYMBOLIC_EVERY == 0 {
            compared.symbolic += 1;
            let ours = symbolic.outcome(&input)?;
            if ours != expected {
                return Err(format!("{:?} gives {ours:x?} symbolically, natively {expected:x?}", input.values()));
            }
        }
    }
    compare_paths(&program, &mut compared)?;
    Ok(compared)
}

/// The paths of every input against those of an exhaustive search.
fn compare_paths(program: &WasmProgram, compared: &mut Compared) -> Result<(), String> {
    let limits = PathLimits { instructions: INSTRUCTIONS, ..PathLimits::default() };
    let taken = oracle::brute_force(program, &limits);
    let settings = Settings { limits, ..Settings::default() };
    let order = Order::Depth(ArmOrder::TrueFirst);
    let (found, result) = oracle::visited(program, settings, &mut Exhaustive::new(order));
    compared.paths += taken.len() as u64;
    compared.incomplete += u64::from(!result.complete);
    if let Some((path, _)) = found.iter().find(|(path, what)| taken.get(*path) != Some(what)) {
        return Err(format!("no input takes the path {path:?}, or its outcome differs"));
    }
    let missed = taken.keys().filter(|path| !found.contains_key(*path)).count();
    if result.complete && missed > 0 {
        return Err(format!("the search claims to be complete and has missed {missed} of {} paths", taken.len()));
    }
    if !result.complete && result.counters.unknown == 0 && result.counters.values_cut == 0 {
        return Err(format!("the search does not say why it is not complete: {:?}", result.counters));
    }
    for model in CostModel::ALL {
        let greatest = taken.values().map(|(costs, _)| model.of(costs)).max();
        let reported = result.extremes.map(|extremes| model.of(&extremes.greatest));
        if reported > greatest || result.complete && reported != greatest {
            return Err(format!("the greatest {model} is {greatest:?}, the search says {reported:?}"));
        }
    }
    match taken.values().find(|(_, end)| !matches!(end, End::Returned | End::Trapped(_))) {
        Some((_, end)) => Err(format!("an input ends with {end}")),
        None => Ok(()),
    }
}

fn outcome<V>(end: ProcessEnd<V>, bits: impl FnOnce(V) -> u64) -> Result<Outcome, String> {
    match end {
        ProcessEnd::Returned(values) => {
            values.into_iter().next().map(|value| Outcome::Returned(bits(value))).ok_or("no result".to_string())
        }
        ProcessEnd::Trapped(Trap::Unreachable) => Ok(Outcome::Panicked),
        other => Err(format!("it ends with {}", other.kind())),
    }
}

fn concrete(mut process: Process<Concrete>, witness: Witness) -> Result<Outcome, String> {
    match process.run(&mut Concrete { witness }) {
        ProcessEvent::End(end) => outcome(end, |bits| bits),
        other => Err(format!("a concrete run stopped with {other:?}")),
    }
}

/// Runs inputs symbolically, answering every question by evaluating it, and evaluates the result in the end.
struct Follower<'s> {
    subject: &'s Subject,
    domain: Symbolic,
    evaluator: Evaluator,
}

impl<'s> Follower<'s> {
    fn new(subject: &'s Subject) -> Follower<'s> {
        Follower { subject, domain: Symbolic::default(), evaluator: Evaluator::default() }
    }

    fn outcome(&mut self, input: &Witness) -> Result<Outcome, String> {
        let mut process = Process::<Symbolic>::new(self.subject).map_err(|error| error.to_string())?;
        self.evaluator.set_witness(input.clone());
        loop {
            match process.run(&mut self.domain) {
                ProcessEvent::Decision(decision) => {
                    let (kind, value) = match decision.question {
                        Question::Truth(value) => (Kind::Branch, value),
                        Question::Trap(value) => (Kind::Check, value),
                        Question::Index { value, last } => (Kind::Table { targets: last, branch: true }, value),
                        Question::Value(value) => (Kind::Value, value),
                    };
                    let bits = self.bits(value);
                    let truth = matches!(kind, Kind::Branch | Kind::Check);
                    process.take(kind.arm_of(if truth { u64::from(bits != 0) } else { bits }).0);
                }
                ProcessEvent::End(end) => return outcome(end, |value| self.bits(value)),
                ProcessEvent::Pause => {}
                other => return Err(format!("a symbolic run stopped with {other:?}")),
            }
        }
    }

    fn bits(&mut self, value: SymbolicValue) -> u64 {
        match value.term() {
            Some(term) => self.evaluator.value(&self.domain.arena, term),
            None => Symbolic::known(value).unwrap_or_default(),
        }
    }
}

/// Compares the functions with these names, or all, at all levels, and prints what was covered and what differs.
pub fn compare_all(names: &[String]) -> ExitCode {
    let (functions, tools) = match (functions(), Tools::find()) {
        (Ok(functions), Ok(tools)) => (functions, tools),
        (Err(error), _) | (_, Err(error)) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let chosen = |function: &Function| names.is_empty() || names.contains(&function.name());
    let functions: Vec<Function> = functions.into_iter().filter(chosen).collect();
    let (total, differences, next) = (Mutex::new(Compared::default()), AtomicUsize::new(0), AtomicUsize::new(0));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(function) = functions.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let start = Instant::now();
                    match compare(function, &tools, function.levels()) {
                        Ok(one) => {
                            let seconds = start.elapsed().as_secs_f64();
                            println!("{}: {one:?}, {seconds:.1} s", function.name());
                            total.lock().unwrap_or_else(std::sync::PoisonError::into_inner).add(&one);
                        }
                        Err(difference) => {
                            differences.fetch_add(1, Ordering::Relaxed);
                            println!("DIFFERENCE {difference}");
                        }
                    }
                }
            });
        }
    });
    let (total, differences) = (total.into_inner().unwrap_or_default(), differences.into_inner());
    println!("{} functions, {total:?}, {differences} differences", functions.len());
    if differences == 0 && !functions.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
