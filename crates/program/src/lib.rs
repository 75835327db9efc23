//! WebAssembly subjects behind the trait [`Program`].
//!
//! This is the only crate that knows both sides: the machine and its hosts on one, the search on the other. It turns
//! the machine's questions into decisions over terms and its ends into those of the search, and nothing more.

mod library;
mod lines;
mod observe;
mod texts;

use std::sync::{Arc, OnceLock};

use pessimum_outcome::Costs;
use pessimum_search::layout;
use pessimum_search::observation::Observation;
use pessimum_search::places::Places;
use pessimum_search::program::{
    Arm, Event, Family, Kind, Observer, PathLimits, Program, Replay, Run, SiteId, Variable,
};
use pessimum_term::{Arena, TermId, Witness};
use pessimum_wasm::names::{Names, SourceLines};
use pessimum_wasm::{
    Concrete, Decision, Domain, Limits, Prefix, Process, ProcessEvent, Profile, Question, Recurrence, Subject,
    SubjectError, Symbolic, SymbolicValue,
};

pub use library::WasmLibrary;
use lines::LineSites;
use observe::Map;

/// Instructions between two chances to check the clock and the terms made: a few milliseconds of symbolic execution on
/// known values, and at most about 50 ms and 10 MB if each of them makes terms.
const PAUSE_EVERY: u64 = 200_000;

/// The most instructions that concrete runs share. It is enough for every runtime library to initialise, and takes
/// less than a tenth of a second to execute.
const PREFIX_INSTRUCTIONS: u64 = 1 << 23;

/// A subject with its call and size fixed, as the search sees it.
pub struct WasmProgram {
    name: String,
    subject: Subject,
    site_names: OnceLock<Vec<String>>,
    /// What concrete runs have in common; computed when the first of them starts.
    prefix: OnceLock<Option<Prefix>>,
    map: OnceLock<Arc<Map>>,
    line_sites: OnceLock<LineSites>,
}

impl WasmProgram {
    /// Checks that the subject can be started at all, so that later starts cannot fail. `name` is for messages.
    pub fn new(name: String, subject: Subject) -> Result<WasmProgram, SubjectError> {
        Process::<Symbolic>::new(&subject)?;
        Ok(WasmProgram {
            name,
            subject,
            site_names: OnceLock::new(),
            prefix: OnceLock::new(),
            map: OnceLock::new(),
            line_sites: OnceLock::new(),
        })
    }

    /// The same with places that are known already.
    fn with_map(self, map: Arc<Map>) -> WasmProgram {
        WasmProgram { map: map.into(), ..self }
    }

    /// The subject.
    pub fn subject(&self) -> &Subject {
        &self.subject
    }

    fn process<D: Domain>(&self, limits: &PathLimits) -> Process<D> {
        let mut process = Process::new(&self.subject).expect("a process of this subject was made before");
        *process.limits_mut() = machine_limits(limits);
        process
    }

    /// Runs an input to its end, or until it may not go on; also returns the limits within which it ends there again,
    /// and the process as it is then.
    fn replayed(
        &self,
        input: &Witness,
        limits: &PathLimits,
        go_on: &mut dyn FnMut() -> bool,
    ) -> (Replay, PathLimits, Process<Concrete>) {
        let mut domain = Concrete { witness: input.clone() };
        let mut process = self.concrete(input, limits, go_on);
        match process.run_while(&mut domain, go_on) {
            ProcessEvent::End(end) => {
                let within = PathLimits { instructions: process.limits_mut().instructions, ..*limits };
                let unsupported = process.unsupported().values().sum();
                (Replay { costs: process.costs(), end: end.kind(), unsupported }, within, process)
            }
            event => unreachable!("every value of a concrete run is known, but it asked {event:?}"),
        }
    }

    /// A concrete run that has not used its input yet. If possible, it starts at the end of what all such runs share.
    fn concrete(&self, input: &Witness, limits: &PathLimits, go_on: &mut dyn FnMut() -> bool) -> Process<Concrete> {
        let prefix = self.prefix.get_or_init(|| Prefix::up_to(&self.subject, PREFIX_INSTRUCTIONS, go_on));
        let prepared = prefix.as_ref().and_then(|prefix| prefix.process(input, machine_limits(limits)));
        prepared.unwrap_or_else(|| self.process(limits))
    }

    /// Instructions that every run takes before its call (the start function, `_initialize`, the allocator), as far as it gets
    /// within these limits. They are no cost, but a run with a lower limit does not reach its call.
    pub fn before_call(&self, limits: &PathLimits, go_on: &mut dyn FnMut() -> bool) -> u64 {
        let mut domain = Concrete { witness: Witness::default() };
        let mut process = self.concrete(&domain.witness, limits, go_on);
        let _ = process.prepare_while(&mut domain, go_on);
        process.before_call()
    }

    /// When the whole state of a run that was cut off came back within these limits, so that it never ends; none if it did not, or
    /// not as long as `go_on` said so.
    pub fn recurrence(
        &self,
        input: &Witness,
        limits: &PathLimits,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Option<Recurrence> {
        self.concrete(input, limits, go_on).recurrence(&mut Concrete { witness: input.clone() }, go_on)
    }

    fn map(&self) -> &Map {
        self.map.get_or_init(|| Arc::new(Map::of_subject(&self.subject)))
    }

    /// Where the cost of a concrete run is spent.
    pub fn profile(&self, input: &Witness, limits: &PathLimits) -> Profile {
        self.profile_while(input, limits, &mut || true)
    }

    /// The same up to where `go_on` says that it is enough.
    pub fn profile_while(&self, input: &Witness, limits: &PathLimits, go_on: &mut dyn FnMut() -> bool) -> Profile {
        let profile = self.subject.profile_while(input.clone(), machine_limits(limits), go_on);
        profile.expect("a process of this subject was made before")
    }

    /// Function and source line (or offset) of a place in the code.
    fn place(names: &Names, lines: &SourceLines<'_>, function: u32, offset: u32) -> String {
        let name = names.function(function);
        match lines.line(u64::from(offset)) {
            Some(line) => format!("{name} ({}:{})", line.file, line.line),
            None => format!("{name} (offset {offset:#x})"),
        }
    }
}

fn machine_limits(limits: &PathLimits) -> Limits {
    Limits {
        instructions: limits.instructions,
        memory: limits.memory,
        call_depth: u32::try_from(limits.depth).unwrap_or(u32::MAX),
        ..Limits::default()
    }
}

impl Program for WasmProgram {
    fn name(&self) -> &str {
        &self.name
    }

    fn variables(&self) -> Vec<Variable> {
        layout::variables(self.subject.plan())
    }

    fn asks(&self) -> bool {
        const QUESTIONS: [&str; 5] = ["i32", "i64", "f32", "f64", "bytes"];
        let imports = self.subject.module().imports().iter();
        imports.filter(|import| import.module == "pessimum").any(|import| QUESTIONS.contains(&import.name.as_str()))
    }

    fn preconditions_beyond_ranges(&self, arena: &mut Arena) -> Vec<TermId> {
        layout::preconditions(self.subject.plan(), arena)
    }

    fn permits(&self, input: &Witness) -> Option<bool> {
        Some(self.subject.plan().is_utf8(input))
    }

    fn repair(&self, input: &mut Witness) {
        self.subject.plan().repair(input);
    }

    fn start(&self, arena: &mut Arena, limits: &PathLimits) -> Box<dyn Run> {
        let process = self.process::<Symbolic>(limits);
        let (machine, instance) = process.machine();
        let arms = machine.arm_counts(instance).len();
        let mut run = WasmRun {
            process,
            domain: Symbolic::default(),
            decided_arms: vec![0; arms],
            open_arms: None,
            stopped: None,
        };
        run.process.pause_after(PAUSE_EVERY);
        // Before the call (in the start function and the allocator) the limits apply, but nothing is counted.
        run.with_arena(arena, |run| run.stopped = run.process.prepare(&mut run.domain));
        Box::new(run)
    }

    fn run_concrete(&self, input: &Witness, limits: &PathLimits, observer: &mut dyn Observer) -> (Replay, PathLimits) {
        let (replay, limits, process) = self.replayed(input, limits, &mut || observer.go_on());
        if let Some((_, counts)) = observer.counts() {
            let (machine, instance) = process.machine();
            counts.clear();
            counts.extend_from_slice(machine.arm_counts(instance));
        }
        (replay, limits)
    }

    fn observe_while(
        &self,
        input: &Witness,
        limits: &PathLimits,
        go_on: &mut dyn FnMut() -> bool,
    ) -> (Observation, PathLimits) {
        let seen = self.subject.observe_while(input.clone(), machine_limits(limits), go_on);
        let seen = seen.expect("a process of this subject was made before");
        let within = PathLimits { instructions: seen.within, ..*limits };
        (self.map().observation(self.subject.module(), &seen), within)
    }

    fn places(&self) -> Arc<Places> {
        self.map().places.clone()
    }

    fn texts(&self) -> Vec<Vec<u8>> {
        texts::of(self.subject.module())
    }

    fn line_site(&self, place: SiteId) -> Option<SiteId> {
        let module = self.subject.module();
        let offset = match module.sites().get(place.0 as usize) {
            Some(site) => site.offset,
            None => place.0 - module.sites().len() as u32,
        };
        self.line_sites.get_or_init(|| LineSites::of(module)).site(offset)
    }

    fn site_name(&self, site: SiteId) -> String {
        let module = self.subject.module();
        if LineSites::are_from(module) <= site.0 {
            return self.line_sites.get_or_init(|| LineSites::of(module)).name(site);
        }
        let names = self.site_names.get_or_init(|| {
            let (names, lines) = (Names::of(module), SourceLines::of(module));
            let sites = module.sites().iter();
            sites.map(|site| WasmProgram::place(&names, &lines, site.function, site.offset)).collect()
        });
        match names.get(site.0 as usize) {
            Some(name) => name.clone(),
            None => {
                let offset = site.0 - names.len() as u32;
                let function = module.function_at(offset);
                let (names, lines) = (Names::of(module), SourceLines::of(module));
                WasmProgram::place(&names, &lines, function, offset)
            }
        }
    }
}

/// A symbolic run of a subject.
struct WasmRun {
    process: Process<Symbolic>,
    /// Holds the search's arena while the process runs, and an empty one otherwise.
    domain: Symbolic,
    /// How often each arm was taken by a decision (the machine's own counts include branches on known values).
    decided_arms: Vec<u64>,
    /// First arm of the branch just yielded.
    open_arms: Option<u32>,
    /// What stopped the run before the call; reported by the next step.
    stopped: Option<ProcessEvent<SymbolicValue>>,
}

impl WasmRun {
    fn with_arena<T>(&mut self, arena: &mut Arena, action: impl FnOnce(&mut WasmRun) -> T) -> T {
        std::mem::swap(arena, &mut self.domain.arena);
        let result = action(self);
        std::mem::swap(arena, &mut self.domain.arena);
        result
    }

    /// The event in the search's terms; `None` if it turned out not to depend on the input.
    fn translate(&mut self, event: ProcessEvent<SymbolicValue>) -> Option<Event> {
        let arena = &mut self.domain.arena;
        match event {
            ProcessEvent::Decision(decision) => {
                let (kind, value) = kind_of(&decision);
                let Some(term) = value.term() else {
                    let bits = Symbolic::known(value).unwrap_or_default();
                    self.process.take(kind.arm_of(bits).0);
                    return None;
                };
                let scrutinee = match kind {
                    Kind::Branch | Kind::Check => arena.truth(term),
                    Kind::Table { .. } | Kind::Value => term,
                };
                if let Some(value) = arena.as_constant(scrutinee) {
                    self.process.take(kind.arm_of(value).0);
                    return None;
                }
                let module = self.process.subject().module();
                self.open_arms = decision.site.map(|site| module.site(site).first_arm);
                let site = match decision.site {
                    Some(site) => SiteId(site.0),
                    None => SiteId(module.sites().len() as u32 + decision.location.offset),
                };
                let frame = self.process.machine().0.current_call();
                Some(Event::Decision { site, kind, scrutinee, frame })
            }
            ProcessEvent::Number { value, location, .. } => {
                self.open_arms = None;
                let site = SiteId(self.process.subject().module().sites().len() as u32 + location.offset);
                let frame = self.process.machine().0.current_call();
                Some(Event::Decision { site, kind: Kind::Value, scrutinee: value.term()?, frame })
            }
            ProcessEvent::Assume(value) => {
                let condition = arena.truth(value.term()?);
                Some(Event::Assume(condition))
            }
            ProcessEvent::Pause => {
                self.process.pause_after(self.process.instructions() + PAUSE_EVERY);
                Some(Event::Pause)
            }
            ProcessEvent::End(end) => Some(Event::End(end.kind())),
        }
    }
}

impl Run for WasmRun {
    fn next(&mut self, arena: &mut Arena) -> Event {
        self.with_arena(arena, |run| {
            loop {
                let event = match run.stopped.take() {
                    Some(event) => event,
                    None => run.process.run(&mut run.domain),
                };
                if let Some(event) = run.translate(event) {
                    return event;
                }
            }
        })
    }

    fn take(&mut self, arm: Arm) {
        if let Some(first) = self.open_arms.take() {
            self.decided_arms[first as usize + arm.0 as usize] += 1;
        }
        self.process.take(arm.0);
    }

    fn costs(&self) -> Costs {
        self.process.costs()
    }

    fn unsupported(&self) -> u64 {
        self.process.unsupported().values().sum()
    }

    fn steps(&self) -> u64 {
        self.process.machine().0.instructions()
    }

    fn bytes(&self) -> u64 {
        self.process.bytes() + 8 * self.decided_arms.len() as u64
    }

    fn fork(&self) -> Box<dyn Run> {
        Box::new(WasmRun {
            process: self.process.clone(),
            domain: Symbolic::default(),
            decided_arms: self.decided_arms.clone(),
            open_arms: self.open_arms,
            stopped: self.stopped.clone(),
        })
    }

    fn call_stack(&self) -> Vec<SiteId> {
        let (machine, own) = self.process.machine();
        let sites = machine.module(own).sites().len() as u32;
        let places = machine.backtrace().into_iter().filter(|(instance, _)| *instance == own);
        places.map(|(_, location)| SiteId(sites + location.offset)).collect()
    }

    fn concrete_arms(&self) -> Option<Vec<(SiteId, Arm)>> {
        let (machine, instance) = self.process.machine();
        let taken = machine.arm_counts(instance);
        let mut arms = Vec::new();
        for (index, site) in machine.module(instance).sites().iter().enumerate() {
            for arm in 0..site.arms {
                let at = (site.first_arm + arm) as usize;
                if taken[at] > self.decided_arms[at] {
                    arms.push((SiteId(index as u32), Arm(u64::from(arm))));
                }
            }
        }
        Some(arms)
    }
}

fn kind_of(decision: &Decision<SymbolicValue>) -> (Kind, SymbolicValue) {
    match decision.question {
        Question::Truth(value) => (Kind::Branch, value),
        Question::Trap(value) => (Kind::Check, value),
        Question::Index { value, last } => (Kind::Table { targets: last, branch: decision.site.is_some() }, value),
        Question::Value(value) => (Kind::Value, value),
    }
}

/// A subject at every size, given by a function that makes the subject of one size.
pub struct WasmFamily<F>(pub F);

impl<F: Fn(u32) -> Result<WasmProgram, String> + Sync> Family for WasmFamily<F> {
    fn at(&self, size: u32) -> Result<Box<dyn Program>, String> {
        Ok(Box::new((self.0)(size)?))
    }
}
