//! WebAssembly as a front end.

use std::time::{Duration, Instant};

use pessimum_input::{GuestValue, InputPlan};
use pessimum_outcome::End;
use pessimum_program::WasmProgram;
use pessimum_report::result::{HotSite, Recurrence};
use pessimum_search::budget::Until;
use pessimum_search::program::{PathLimits, Program as _, SiteId};
use pessimum_term::Witness;
use pessimum_wasm::names::{Names, SourceLines};
use pessimum_wasm::{Concrete, Location, Process, ProcessEnd};

use super::{Crash, FrontEnd, KEPT, Profiled, Ran};
use crate::language::Language;
use crate::own::is_harness;
use crate::plan::SubjectPlan;
use crate::scope::{is_library, is_runtime};
use crate::{Error, named, values};

impl FrontEnd for WasmProgram {
    fn language(&self) -> &'static Language {
        &Language::WASM
    }

    fn plan(&self) -> &InputPlan {
        self.subject().plan()
    }

    fn before_call(&self, limits: &PathLimits, until: &Until) -> u64 {
        WasmProgram::before_call(self, limits, &mut || until.go_on())
    }

    fn profile_while(&self, input: &Witness, limits: &PathLimits, go_on: &mut dyn FnMut() -> bool) -> Profiled {
        profiled(self, WasmProgram::profile_while(self, input, limits, go_on))
    }

    fn crash(&self, input: &Witness, until: &Until) -> Option<Crash> {
        crash(self, input, until)
    }

    fn recurrence(&self, input: &Witness, limits: &PathLimits, until: &Until) -> Option<Recurrence> {
        let found = WasmProgram::recurrence(self, input, limits, &mut || until.go_on())?;
        Some(Recurrence { after: found.after, every: found.every })
    }

    fn naming(&self) -> Duration {
        naming(self)
    }

    fn run_while(&self, input: &Witness, go_on: &mut dyn FnMut() -> bool) -> Result<Ran, Error> {
        run_while(self, input, go_on)
    }

    fn missing(&self) -> Option<String> {
        missing_import(self)
    }

    fn asked_while(&self, input: &Witness, limits: &PathLimits, until: &Until) -> Vec<GuestValue> {
        asked_while(self, input, limits, until)
    }

    fn written(&self, plan: &SubjectPlan, input: &Witness) -> Option<Vec<String>> {
        values::of_subject(self.subject(), plan, input)
    }
}

/// How long it takes at most to name the source lines of a run: 12 us for each branch of the program, as measured on 20,000 of
/// them without optimisation.
fn naming(program: &WasmProgram) -> Duration {
    let module = program.subject().module();
    let named = if SourceLines::of(module).present() { module.sites().len() } else { 0 };
    Duration::from_micros(12).saturating_mul(named as u32)
}

/// Where the cost of a run is.
fn profiled(program: &WasmProgram, profile: pessimum_wasm::Profile) -> Profiled {
    let mut counts: Vec<(u64, u32)> = profile.sites.iter().copied().zip(0..).collect();
    counts.retain(|(count, _)| *count > 0);
    counts.sort_by_key(|&(count, site)| (std::cmp::Reverse(count), site));
    let hot = |&(count, site): &(u64, u32)| HotSite { site: program.site_name(SiteId(site)), count };
    let hottest = counts.iter().take(KEPT).map(hot).collect();
    Profiled {
        end: profile.end.kind(),
        costs: profile.costs,
        failure: match &profile.end {
            ProcessEnd::Failed(why) => Some(why.clone()),
            _ => None,
        },
        unsupported: profile.unsupported.iter().map(|(name, count)| (*name, *count)).collect(),
        profile: named(&profile, program),
        asked: profile.asked,
        hottest,
    }
}

/// Lines of standard error that say why a program ended, and characters of all of them, that are kept.
const LAST_LINES: usize = 3;
const LAST_CHARACTERS: usize = 400;

/// Frames in which a function of the user's own is looked for.
const MOST_FRAMES: usize = 100;

/// How the program crashes on this input; none if it does not, or takes longer than this.
fn crash(program: &WasmProgram, witness: &Witness, until: &Until) -> Option<Crash> {
    let subject = program.subject();
    // What a program does to explain a crash may take it beyond a limit.
    let explained = subject.explain_while(witness.clone(), &mut || until.go_on());
    let plain = || subject.run_concrete_while(witness.clone(), &mut || until.go_on());
    let crashes = |ran: &pessimum_wasm::Ran| ran.end.kind().is_crash();
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
        let line = line.or_else(|| lines.line_near(subject.module(), location.offset));
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
        innermost: ran.backtrace.first().map(|location| format!("{}+{}", location.function, location.offset)),
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

/// Calls of a backtrace that are kept.
const CALLS: usize = 50;

/// Runs an input as `pessimum run` does.
fn run_while(program: &WasmProgram, input: &Witness, go_on: &mut dyn FnMut() -> bool) -> Result<Ran, Error> {
    let subject = program.subject();
    let ran = subject.run_concrete_while(input.clone(), go_on).map_err(|error| Error::new(error.to_string()))?;
    let end = ran.end.kind();
    let (mut backtrace, mut crashed_at) = (Vec::new(), None);
    if let End::Trapped(_) = end {
        let (names, lines) = (Names::of(subject.module()), SourceLines::of(subject.module()));
        let place = |location: &Location| {
            let line = lines.line_near(subject.module(), location.offset).map(|line| format!(" ({line})"));
            format!("{}{}", names.function(location.function), line.unwrap_or_default())
        };
        backtrace = ran.backtrace.iter().take(CALLS).map(place).collect();
        let line = ran.backtrace.iter().find_map(|location| lines.line_near(subject.module(), location.offset));
        crashed_at = line.map(|line| (line.file, line.line));
    }
    let returned = ran.results.iter().map(|number| number.to_json()).collect();
    Ok(Ran { end, returned, asked: ran.asked, why: None, backtrace, crashed_at })
}

/// The import that a run calls and that is not provided.
fn missing_import(program: &WasmProgram) -> Option<String> {
    let subject = program.subject();
    // It was called by the runs of the search, so it is called soon.
    let end = Instant::now().checked_add(Duration::from_millis(50));
    let until = Until::moment(end);
    match subject.run_concrete_while(subject.plan().default_witness(), &mut || until.go_on()).ok()?.end {
        ProcessEnd::MissingImport { module, name } => Some(format!(
            "the program calls the import `{module}.{name}`, which is not provided. Link the module with a definition of \
             it, or leave the call out; only WASI and the imports of module `pessimum` are provided"
        )),
        _ => None,
    }
}

/// What the program itself asks for on this input.
fn asked_while(program: &WasmProgram, witness: &Witness, limits: &PathLimits, until: &Until) -> Vec<GuestValue> {
    if !program.asks() {
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
