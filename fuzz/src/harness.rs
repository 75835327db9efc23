//! What all targets with seeds have in common: which seeds, how long, and what is said about a failure.
//!
//! A target is a function from a seed to a verdict. A panic is a failure like any other; a case that takes too long, or
//! makes the process much larger than it was, is one too. Everything that ends the process without a word (an overflowing
//! stack, a killed process) leaves the number of its case in a file, whose name is printed first.

use std::fs::File;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Which seeds, and when to stop early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seeds {
    /// The first of them.
    pub first: u64,
    /// How many.
    pub count: u64,
    /// The time after which no new case begins.
    pub time: Option<Duration>,
}

impl Seeds {
    /// Reads `FIRST COUNT`, or `[FIRST] --minutes N` for as many seeds as fit into that time.
    pub fn parse(words: &[String]) -> Result<Seeds, String> {
        let number = |word: &String| word.parse::<u64>().map_err(|_| format!("`{word}` is not a number"));
        let Some(at) = words.iter().position(|word| word == "--minutes") else {
            let [first, count] = words else {
                return Err("expected FIRST_SEED COUNT, or [FIRST_SEED] --minutes N".to_string());
            };
            return Ok(Seeds { first: number(first)?, count: number(count)?, time: None });
        };
        let minutes: f64 = match words.get(at + 1).map(|word| word.parse()) {
            Some(Ok(minutes)) => minutes,
            _ => return Err("--minutes needs a number".to_string()),
        };
        let time = Duration::try_from_secs_f64(minutes * 60.0).map_err(|error| format!("--minutes: {error}"))?;
        let first = words.iter().enumerate().find(|(i, _)| *i != at && *i != at + 1).map(|(_, word)| number(word));
        Ok(Seeds { first: first.unwrap_or(Ok(0))?, count: u64::MAX, time: Some(time) })
    }
}

/// What is tried on every seed.
pub trait Target {
    /// The word on the command line.
    const NAME: &'static str;

    /// Tries one seed. An error says what is wrong, in words.
    fn case(&mut self, seed: u64) -> Result<(), String>;

    /// What the cases so far consisted of: a target whose cases are all refused at once proves nothing.
    fn summary(&self) -> String;
}

/// A case that runs this long hangs. The slowest ones take a fraction of a second.
const MOST_TIME: Duration = Duration::from_secs(30);

/// The most memory that a process may need, in KiB: every case works with less than a megabyte of its own.
const MOST_MEMORY: u64 = 1 << 20;

/// Failures after which there is nothing more to learn from a run.
const MOST_FAILURES: u64 = 20;

/// Runs the cases of these seeds one by one, and prints failures with what reproduces them.
pub fn run<T: Target>(mut target: T, seeds: Seeds) -> ExitCode {
    let began = Instant::now();
    let current = Arc::new(Current::new(began));
    watch(current.clone(), T::NAME);
    let mut place = Place::new(T::NAME);
    let (mut cases, mut failures, mut said) = (0u64, 0u64, began);
    let mut last = seeds.first;
    for seed in seeds.first..seeds.first.saturating_add(seeds.count) {
        if seeds.time.is_some_and(|time| began.elapsed() >= time) || failures == MOST_FAILURES {
            break;
        }
        place.note(seed);
        current.begin(seed);
        let verdict = catch_unwind(AssertUnwindSafe(|| target.case(seed)));
        current.end();
        let verdict = verdict.unwrap_or_else(|_| Err("panicked; the message is above".to_string()));
        (cases, last) = (cases + 1, seed);
        if let Err(wrong) = verdict.and_then(|()| memory()) {
            failures += 1;
            println!("{} seed {seed}: {wrong}\n  reproduce: {}", T::NAME, reproduction(T::NAME, seed));
        }
        if said.elapsed() >= Duration::from_secs(60) {
            said = Instant::now();
            eprintln!("{}: {cases} cases, {failures} failures; {}", T::NAME, target.summary());
        }
    }
    place.forget();
    let seconds = began.elapsed().as_secs_f64();
    let (name, summary) = (T::NAME, target.summary());
    println!(
        "{name}: {cases} cases (seeds {}..={last}) in {seconds:.0} s, {failures} failures; {summary}",
        seeds.first
    );
    if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The command that tries one seed again.
fn reproduction(name: &str, seed: u64) -> String {
    format!("cargo run -p pessimum-fuzz -- {name} {seed} 1")
}

/// The case that is being tried, for the thread that watches it.
struct Current {
    origin: Instant,
    seed: AtomicU64,
    /// Milliseconds from `origin` to its beginning, plus 1; 0 between cases.
    began: AtomicU64,
}

impl Current {
    fn new(origin: Instant) -> Current {
        Current { origin, seed: AtomicU64::new(0), began: AtomicU64::new(0) }
    }
    fn begin(&self, seed: u64) {
        self.seed.store(seed, Ordering::Relaxed);
        self.began.store(self.origin.elapsed().as_millis() as u64 + 1, Ordering::Release);
    }
    fn end(&self) {
        self.began.store(0, Ordering::Release);
    }
}

/// Ends the process if a case does not end: nothing else can be done about it.
fn watch(current: Arc<Current>, name: &'static str) {
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(Duration::from_secs(1));
            let began = current.began.load(Ordering::Acquire);
            let now = current.origin.elapsed().as_millis() as u64;
            if began != 0 && now.saturating_sub(began) > MOST_TIME.as_millis() as u64 {
                let seed = current.seed.load(Ordering::Relaxed);
                let seconds = MOST_TIME.as_secs();
                println!("{name} seed {seed}: still running after {seconds} s; no further seed was tried");
                println!("  reproduce: {}", reproduction(name, seed));
                std::process::exit(1);
            }
        }
    });
}

/// The file with the number of the current case, for a process that ends without a word.
struct Place {
    path: PathBuf,
    file: Option<File>,
}

impl Place {
    fn new(name: &str) -> Place {
        let path = std::env::temp_dir().join(format!("pessimum-fuzz-{name}-{}.seed", std::process::id()));
        let file = File::create(&path).ok();
        if file.is_some() {
            eprintln!("{name}: the current seed is in {}", path.display());
        }
        Place { path, file }
    }
    fn note(&mut self, seed: u64) {
        if let Some(file) = &mut self.file {
            let _ = file.seek(SeekFrom::Start(0)).and_then(|_| writeln!(file, "{seed:<20}"));
        }
    }
    fn forget(&self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Fails if the process has needed too much memory since this was asked last. Linux tells; elsewhere nothing is known.
fn memory() -> Result<(), String> {
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else { return Ok(()) };
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let peak = peak.and_then(|text| text.trim().strip_suffix(" kB")?.parse::<u64>().ok()).unwrap_or(0);
    if peak <= MOST_MEMORY {
        return Ok(());
    }
    // Starts the next peak from what is in use now.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    Err(format!("the process needed {} MiB of memory", peak >> 10))
}
