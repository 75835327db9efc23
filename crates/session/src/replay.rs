//! Runs an input again: its costs, how it ended, and where the cost is.

use std::time::{Duration, Instant};

use pessimum_outcome::{CostModel, Costs, End, Limit};
use pessimum_program::WasmProgram;
use pessimum_report::profile::Profile;
use pessimum_report::result::HotSite;
use pessimum_search::budget::{Budget, Until};
use pessimum_search::program::{PathLimits, Program as _, SiteId};
use pessimum_search::search::{FEW_NUMBERS, Settings, path_of};
use pessimum_term::Witness;
use pessimum_wasm::call::GuestValue;
use pessimum_wasm::names::{Names, SourceLines};
use pessimum_wasm::{Concrete, Location, Process, ProcessEnd, Ran};

use crate::baseline::random_input;
use crate::cover::{is_library, is_runtime};
use crate::named;
use crate::own::is_harness;

/// Sites, functions and lines kept in results.
const KEPT: usize = 50;

/// What can be learnt only by running the machine again.
pub struct Replayed {
    /// How it ended, if all of it was profiled.
    pub end: String,
    /// What it cost, if all of it was profiled, without decisions.
    pub costs: Costs,
    /// What the host or the program itself said when it gave up; none if it ended otherwise.
    pub failure: Option<String>,
    /// How it crashed, if it did.
    pub crash: Option<Crash>,
    /// What the program itself asked for.
    pub asked: Vec<GuestValue>,
    /// The most executed sites, in descending order.
    pub hottest: Vec<HotSite>,
    /// WASI functions that were called but are not provided, and how often.
    pub unsupported: Vec<(&'static str, u64)>,
    /// Where the cost is.
    pub profile: Profile,
    /// Instructions that the profile and the sites cover, if that is only the beginning of the run.
    pub profiled: Option<u64>,
}

/// The first items of a list in order of importance, which are worth keeping.
pub fn kept<T: Clone>(list: &[T]) -> Vec<T> {
    list.iter().take(KEPT).cloned().collect()
}

/// How many instructions of a run are profiled after a search that had this much time; all of them after a search without
/// a time limit. Profiling takes about twice as long as running, so this is about a twentieth of the search's time, and
/// at least what takes a fraction of a second. On a slow machine the time that is left ends it earlier.
pub fn profiled_instructions(time: Option<Duration>) -> u64 {
    const LEAST: u64 = 30_000_000;
    const PER_SECOND: f64 = 4_000_000.0;
    time.map_or(u64::MAX, |time| LEAST.max((time.as_secs_f64() * PER_SECOND) as u64))
}

/// Runs the program on this input and profiles it, for at most the first `most` instructions and no longer than this.
pub fn look(program: &WasmProgram, witness: &Witness, limits: &PathLimits, most: u64, until: &Until) -> Replayed {
    let within = PathLimits { instructions: limits.instructions.min(most), ..*limits };
    let mut stopped = false;
    let mut profile = program.profile_while(witness, &within, &mut || {
        stopped = !until.go_on();
        !stopped
    });
    let cut = (stopped || within != *limits) && profile.end.kind() == End::Limit(Limit::Instructions);
    if cut {
        profile.asked = asked_while(program, witness, limits, until);
    }
    let mut counts: Vec<(u64, u32)> = profile.sites.iter().copied().zip(0..).collect();
    counts.retain(|(count, _)| *count > 0);
    counts.sort_by_key(|&(count, site)| (std::cmp::Reverse(count), site));
    let hot = |&(count, site): &(u64, u32)| HotSite { site: program.site_name(SiteId(site)), count };
    Replayed {
        end: profile.end.kind().to_string(),
        costs: profile.costs,
        failure: match &profile.end {
            ProcessEnd::Failed(why) => Some(why.clone()),
            _ => None,
        },
        crash: profile.end.kind().is_crash().then(|| crash(program, witness, until)).flatten(),
        hottest: counts.iter().take(KEPT).map(hot).collect(),
        unsupported: profile.unsupported.iter().map(|(name, count)| (*name, *count)).collect(),
        profile: named(&profile, program),
        profiled: cut.then_some(profile.costs.instructions),
        asked: profile.asked,
    }
}

/// Lines of standard error that say why a program ended, and characters of all of them, that are kept.
const LAST_LINES: usize = 3;
const LAST_CHARACTERS: usize = 400;

/// A run that crashed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Crash {
    /// Why, in the program's own words: its message, what a host function says, or the end of what it wrote to standard
    /// error.
    pub why: Option<String>,
    /// Where: the innermost function of the user's own on the call stack, or the innermost one.
    pub at: Option<String>,
    /// The exact place.
    innermost: Option<Location>,
}

/// How the program crashes on this input; none if it does not, or takes longer than this.
pub fn crash(program: &WasmProgram, witness: &Witness, until: &Until) -> Option<Crash> {
    let subject = program.subject();
    // What a program does to explain a crash may take it beyond a limit.
    let explained = subject.explain_while(witness.clone(), &mut || until.go_on());
    let plain = || subject.run_concrete_while(witness.clone(), &mut || until.go_on());
    let crashes = |ran: &Ran| ran.end.kind().is_crash();
    let ran = explained.ok().filter(crashes).or_else(|| plain().ok().filter(crashes))?;
    let failure = match &ran.end {
        ProcessEnd::Failed(why) => Some(why.clone()),
        _ => None,
    };
    let (names, lines) = (Names::of(subject.module()), SourceLines::of(subject.module()));
    let place = |location: &Location| {
        let name = names.function(location.function);
        // What was inlined may be a library's.
        let innermost = lines.line(u64::from(location.offset)).filter(|line| line.line > 0);
        let own = innermost.clone().filter(|line| !is_library(&line.file));
        let line = own.or_else(|| lines.outermost_line(u64::from(location.offset))).or(innermost);
        let is_own = line.as_ref().map_or(!is_runtime(&name), |line| !is_library(&line.file));
        let text = match line {
            Some(line) => format!("{name} ({}:{})", line.file, line.line),
            None => name,
        };
        (is_own, text)
    };
    let is_shown = |location: &&Location| !is_harness(&names.function(location.function));
    let places: Vec<(bool, String)> = ran.backtrace.iter().take(MOST_FRAMES).filter(is_shown).map(place).collect();
    let own = places.iter().find(|(is_own, _)| *is_own);
    Some(Crash {
        why: ran.message.or(failure).or_else(|| last_lines(&ran.stderr.bytes())),
        at: own.or(places.first()).map(|(_, text)| text.clone()),
        innermost: ran.backtrace.first().copied(),
    })
}

/// Frames in which a function of the user's own is looked for.
const MOST_FRAMES: usize = 100;

/// Random inputs that are run to see whether all of them crash in the same place.
const TRIED: u64 = 16;

/// Whether random inputs crash in the same place as this one, all of them.
pub fn crashes_always(program: &WasmProgram, crashed: &Crash, seed: u64, until: &Until) -> bool {
    (0..TRIED).all(|draw| {
        let other = random_input(program, seed, draw, until).and_then(|input| crash(program, &input, until));
        other.is_some_and(|other| other.innermost == crashed.innermost)
    })
}

/// The last lines of a text without advice on how to get more of it.
fn last_lines(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("note: "));
    let lines: Vec<&str> = lines.collect();
    let kept = lines[lines.len().saturating_sub(LAST_LINES)..].join(" ");
    let kept: String = kept.chars().take(LAST_CHARACTERS).collect();
    (!kept.is_empty()).then_some(kept)
}

/// Instructions up to which a run is followed symbolically only for its number of decisions.
const FOLLOWED: u64 = 20_000_000;

/// All costs of an input; none if the program does not accept it. Decisions, which only a symbolic run knows, are
/// counted if they are the cost asked for or neither run nor input is long, and are 0 otherwise.
pub fn all_costs(program: &WasmProgram, witness: &Witness, limits: PathLimits, model: CostModel) -> Option<Costs> {
    all_costs_while(program, witness, limits, model, &Until::default())
}

/// The same, but no longer than this: the costs of what was run up to then, without decisions if they could not be
/// counted in time.
pub fn all_costs_while(
    program: &WasmProgram,
    witness: &Witness,
    limits: PathLimits,
    model: CostModel,
    until: &Until,
) -> Option<Costs> {
    let (replay, limits) = program.replay_while(witness, &limits, &mut || until.go_on());
    if !replay.end.is_a_run() {
        return None;
    }
    let is_large = until.moment.is_some() && witness.values().len() > FEW_NUMBERS;
    if model != CostModel::Decisions && (is_large || replay.costs.instructions > FOLLOWED) {
        return Some(replay.costs);
    }
    let time = until.moment.map(|moment| moment.saturating_duration_since(Instant::now()));
    let budget = Budget { time, ..Budget::default() };
    let settings = Settings { limits, budget, cancel: until.cancel.clone(), ..Settings::default() };
    match path_of(program, &settings, witness) {
        Some(path) => Some(Costs { decisions: path.costs.decisions, ..replay.costs }),
        None if !until.go_on() => Some(replay.costs),
        None => None,
    }
}

/// Whether the program itself asks for input, through imports of module `pessimum`.
pub fn asks(program: &WasmProgram) -> bool {
    const QUESTIONS: [&str; 5] = ["i32", "i64", "f32", "f64", "bytes"];
    let imports = program.subject().module().imports().iter();
    imports.filter(|import| import.module == "pessimum").any(|import| QUESTIONS.contains(&import.name.as_str()))
}

/// What the program itself asks for on this input.
pub fn asked(program: &WasmProgram, witness: &Witness, limits: &PathLimits) -> Vec<GuestValue> {
    asked_while(program, witness, limits, &Until::default())
}

/// The same, but no longer than this, or than it takes to ask for every value of the input: one that was never asked for
/// could not be written down, and is 0 in another run.
pub fn asked_while(program: &WasmProgram, witness: &Witness, limits: &PathLimits, until: &Until) -> Vec<GuestValue> {
    if !asks(program) {
        return Vec::new();
    }
    // This cannot fail: a process of this subject was made when the program was.
    let Ok(mut process) = Process::<Concrete>::new(program.subject()) else { return Vec::new() };
    process.limits_mut().instructions = limits.instructions;
    let mut domain = Concrete { witness: witness.clone() };
    let values = witness.values().len();
    while process.run_some(&mut domain) && (until.go_on() || process.variables() < values) {}
    process.asked().to_vec()
}
