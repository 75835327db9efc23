//! A call of a Python function as the search sees it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use pessimum_input::{Domain, InputPlan};
use pessimum_outcome::{Costs, End, Limit};
use pessimum_search::layout;
use pessimum_search::observation::Observation;
use pessimum_search::places::Places;
use pessimum_search::program::{Afresh, Counted, Family, Observer, PathLimits, Program, Replay, Run, SiteId, Variable};
use pessimum_term::{Arena, TermId, Witness};

use crate::call::{Laid, PythonCall, domain, lay_out};
use crate::error::PythonError;
use crate::hang::{Hang, Hangs};
use crate::observe;
use crate::pool::{Pool, Worker, describe, error_of};
use crate::process::{Lost, Waited};
use crate::profile::{self, FunctionCost, PythonProfile};
use crate::run::PythonRun;
use crate::source::PythonSource;
use crate::wire::{Answer, Frame, Note, Rest, answer, flag, request, words};
use crate::work::PythonWork;

/// How long an ordinary run may take before somebody is asked whether it may go on.
const SLICE: Duration = Duration::from_millis(20);

/// What must be counted besides what every run counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Byte codes and branches (`instructions`, `branches`): several times slower, so 0 unless wanted.
    pub opcodes: bool,
}

/// Why a run ended as it did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explained {
    /// As in `ValueError: not a number`.
    pub why: String,
    /// As in `sort.py:12`.
    pub at: Option<String>,
}

/// A run of one input that is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    /// What it returned, as `repr` shows it; none if it did not return.
    pub returned: Option<String>,
    /// What it printed, the last part if it is long.
    pub printed: String,
    /// What it cost.
    pub costs: Costs,
    /// How it ended.
    pub end: End,
    /// Why it ended so, unless it returned.
    pub explained: Option<Explained>,
}

/// A call of a Python function with its size fixed.
pub struct PythonProgram {
    name: String,
    /// What a call may come to counts, other functions of the file do not.
    places: Arc<Places>,
    limits: PathLimits,
    shared: Arc<Shared>,
}

/// What a program and its runs share.
pub(crate) struct Shared {
    pub source: PythonSource,
    pub laid: Laid,
    domain: Domain,
    pub wanted: Wanted,
    id: u64,
    function: String,
    /// Whether it is a method and its first argument the object.
    has_object: bool,
    description: Vec<u8>,
    /// What became concrete or went wrong, and how often.
    notes: Mutex<BTreeMap<(NoteKind, String), u64>>,
    trouble: Mutex<Trouble>,
    hangs: Hangs,
    /// Symbolic runs that came to their end.
    paths: AtomicU64,
}

/// What keeps runs from being made.
#[derive(Default)]
struct Trouble {
    /// Runs that ended their process, one after the other.
    lost: u32,
    /// Why no further run is made.
    fatal: Option<String>,
}

/// After so many runs in a row that ended their process no further one is started: each takes as long as starting an interpreter.
const MOST_LOST: u32 = 32;

/// What a note is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NoteKind {
    /// A run that ended there and is left out: its cost is not known.
    LeftOut,
    /// A value that was taken as it is.
    Concretised,
}

/// An ordinary run that is over.
pub(crate) struct Plain {
    pub replay: Replay,
    /// Limits within which it ends there again.
    pub limits: PathLimits,
    /// (site, arm, times), in ascending order; with `flag::HITS` (index of the code object in `Opened::code`, line, times).
    pub counted: Vec<(u32, u32, u64)>,
    pub rest: Rest,
}

/// What a run may take to say something when the time for it is over: on a busy machine it may not have begun.
const GRACE: Duration = Duration::from_millis(500);

impl Shared {
    fn patience(&self) -> Duration {
        self.source.inner.settings.patience
    }

    /// How long a run is waited for that gives no sign of life, and whether that is as long as any run is.
    pub fn patience_with_run(&self) -> (Duration, bool) {
        self.source.inner.patience.of_run(self.patience(), &self.hangs)
    }

    pub fn symbolic_worker(&self) -> Result<Worker, String> {
        self.worker(&self.source.inner.symbolic).map_err(|error| error.to_string())
    }

    fn trouble(&self) -> MutexGuard<'_, Trouble> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An answer that is an error: the worker itself has failed, and its next run would not be better.
    pub fn fail(&self, frame: &Frame) {
        let said = error_of(frame)
            .map_or_else(|| "it sent an answer that makes no sense".to_string(), |error| error.to_string());
        self.trouble().fatal = Some(said.clone());
        self.leave_out(&said);
    }

    /// A worker that knows the call.
    fn worker(&self, pool: &Pool) -> Result<Worker, PythonError> {
        if let Some(why) = &self.trouble().fatal {
            return Err(PythonError::Worker(why.clone()));
        }
        let (mut worker, _) = pool.take()?;
        if worker.program != Some(self.id) {
            worker.process.send(request::PROGRAM, &self.description);
            match worker.process.wait(self.patience()) {
                Waited::Frame(frame) if frame.kind == b'p' => worker.program = Some(self.id),
                _ => return Err(PythonError::Worker("a worker does not take the call".to_string())),
            }
        }
        Ok(worker)
    }

    /// The numbers at the head of a request to run.
    pub fn run_head(&self, worker: &mut Worker, flags: i64, limits: &PathLimits, window: i64) -> Vec<i64> {
        let is_apart = self.source.inner.apart.load(Ordering::Relaxed);
        if is_apart {
            worker.begin_apart();
        }
        let flags = if is_apart { flags | flag::APART } else { flags };
        let number = |limit: u64| i64::try_from(limit).unwrap_or(i64::MAX);
        let (lines, depth, memory) = (number(limits.instructions), number(limits.depth), number(limits.memory));
        vec![self.id as i64, flags, lines, depth, memory, window]
    }

    /// A run did something else in a process of its own, where so many had been made in its process: from now on each has its own.
    pub fn set_apart(&self, earlier: u64) {
        /// Runs of a process of which each is made twice (worker/apart.py).
        const CHECKED: u64 = 4;
        if !self.source.inner.apart.swap(true, Ordering::Relaxed) && earlier > CHECKED {
            self.leave_out("runs before it was known that runs leave something behind may have cost less than alone");
        }
    }

    /// Whether an ordinary process is to make the run of a path as well, which finds out what runs leave behind: more and more seldom.
    pub fn looks_again(&self) -> bool {
        !self.source.inner.apart.load(Ordering::Relaxed)
            && (self.paths.fetch_add(1, Ordering::Relaxed) + 1).is_power_of_two()
    }

    /// A run is left out for this reason.
    pub fn leave_out(&self, why: &str) {
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        *notes.entry((NoteKind::LeftOut, why.to_string())).or_default() += 1;
    }

    /// The same for a run that the worker itself has ended.
    pub fn leave_out_where(&self, rest: &Rest) {
        match (&rest.why, &rest.at) {
            (Some(why), Some(at)) => self.leave_out(&format!("{why} ({at})")),
            (Some(why), None) => self.leave_out(why),
            _ => {}
        }
    }

    pub fn add_notes(&self, new: Vec<Note>) {
        if new.is_empty() {
            return;
        }
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        for Note(reason, file, line, times) in new {
            let text = if file.is_empty() { reason } else { format!("{reason} ({file}:{line})") };
            *notes.entry((NoteKind::Concretised, text)).or_default() += times;
        }
    }

    pub fn note_lost(&self, lost: &Lost) {
        if !matches!(lost, Lost::Late) {
            let mut trouble = self.trouble();
            trouble.lost += 1;
            if trouble.lost == MOST_LOST {
                trouble.fatal =
                    Some(format!("the program ended its process {MOST_LOST} times in a row ({})", describe(lost)));
            }
        }
        // How long it was waited for is no reason to leave a run out.
        if *lost != Lost::Late {
            self.leave_out(&format!("the run ended its process ({})", describe(lost)));
        }
    }

    /// Ends a run of which nothing is heard.
    fn hang(&self, input: &Witness, costs: Costs, patience: Duration, worker: &mut Worker) -> Hang {
        let places = worker.process.places();
        worker.process.give_up();
        let root = self.source.root().to_string_lossy().into_owned();
        let own = |file: &str| file.strip_prefix(&root).map(|rest| rest.trim_start_matches('/').to_string());
        let at = places.iter().find_map(|place| Some(format!("{}:{}", own(&place.file)?, place.line)));
        let inside = places.first().map_or(String::new(), |place| format!(", inside {}", place.function));
        Hang {
            input: input.clone(),
            costs,
            why: format!("no answer in {} s{inside}", (10.0 * patience.as_secs_f64()).round() / 10.0),
            at,
        }
    }

    pub fn replay_of(&self, input: &Witness, limits: &PathLimits) -> Replay {
        self.plain(input, limits, self.flags(), &mut || true).replay
    }

    fn flags(&self) -> i64 {
        if self.wanted.opcodes { flag::OPCODES } else { 0 }
    }

    /// Runs an input in an ordinary interpreter.
    pub fn plain(&self, input: &Witness, limits: &PathLimits, flags: i64, go_on: &mut dyn FnMut() -> bool) -> Plain {
        self.run_in(&self.source.inner.plain, input, limits, flags, go_on)
    }

    /// Runs an input in an interpreter of a pool.
    fn run_in(
        &self,
        pool: &Pool,
        input: &Witness,
        limits: &PathLimits,
        flags: i64,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Plain {
        let ended = |costs: Costs, end: End, limits: PathLimits| Plain {
            replay: Replay { costs, end, unsupported: 0 },
            limits,
            counted: Vec::new(),
            rest: Rest::default(),
        };
        if let Some(hang) = self.hangs.of(input).filter(|hang| hang.costs.lines <= limits.instructions) {
            return hung(hang, *limits);
        }
        let mut worker = match self.worker(pool) {
            Ok(worker) => worker,
            Err(error) => {
                self.leave_out(&error.to_string());
                return ended(Costs::default(), End::Unsupported, *limits);
            }
        };
        let values = self.laid.words(input);
        let mut head = self.run_head(&mut worker, flags, limits, 0);
        head.push(values.len() as i64);
        head.extend(&values);
        worker.process.send(request::RUN, &words(&head));
        let mut heard = Instant::now();
        // As far as the run is known to have come.
        let mut costs = Costs::default();
        let so_far = |costs: Costs| PathLimits { instructions: costs.lines, ..*limits };
        loop {
            match worker.process.wait(SLICE) {
                Waited::Nothing => {
                    let may_be_first = || self.source.inner.patience.waits_for_first(&self.hangs);
                    if !go_on() && heard.elapsed() > GRACE && !may_be_first() {
                        // It computes in C, or it would have said something.
                        worker.process.give_up();
                        return ended(costs, End::Limit(Limit::Budget), so_far(costs));
                    }
                    let (patience, is_all) = self.patience_with_run();
                    if heard.elapsed() > patience && is_all {
                        let hang = self.hang(input, costs, patience, &mut worker);
                        self.hangs.add(hang.clone());
                        return hung(hang, *limits);
                    }
                    if heard.elapsed() > patience {
                        worker.process.give_up();
                        return ended(costs, End::Limit(Limit::Budget), so_far(costs));
                    }
                }
                Waited::Lost(lost) => {
                    self.note_lost(&lost);
                    return ended(costs, lost_end(&lost), *limits);
                }
                Waited::Frame(frame) => {
                    heard = Instant::now();
                    let Some(mut answer) = Answer::read(&frame.body).filter(|_| frame.kind != answer::ERROR) else {
                        worker.process.give_up();
                        self.fail(&frame);
                        return ended(costs, End::Unsupported, *limits);
                    };
                    worker.learn(std::mem::take(&mut answer.rest.sites));
                    costs = answer.costs;
                    let Some(end) = answer.end.filter(|_| frame.kind == answer::RESULT) else {
                        if go_on() {
                            worker.process.send(request::GO, &[]);
                            continue;
                        }
                        worker.process.send(request::STOP, &[]);
                        worker.process.set_unwinding();
                        pool.put(worker);
                        return ended(costs, End::Limit(Limit::Budget), so_far(costs));
                    };
                    if answer.rest.apart > 0 {
                        worker.process.set_unwinding();
                        pool.put(worker);
                        self.set_apart(answer.rest.apart);
                        return self.run_in(pool, input, limits, flags, go_on);
                    }
                    if end == End::Unsupported {
                        self.leave_out_where(&answer.rest);
                    }
                    if !matches!(end, End::Returned | End::Trapped(_)) {
                        worker.process.set_unwinding();
                    }
                    let mut counted = answer.counted;
                    if flags & flag::HITS == 0 {
                        counted.iter_mut().for_each(|(site, ..)| *site = worker.site(*site));
                    }
                    counted.sort_unstable();
                    self.trouble().lost = 0;
                    pool.put(worker);
                    return Plain {
                        replay: Replay { costs, end, unsupported: 0 },
                        limits: *limits,
                        counted,
                        rest: answer.rest,
                    };
                }
            }
        }
    }
}

/// A run that hung, as if it had been run again.
fn hung(hang: Hang, limits: PathLimits) -> Plain {
    let rest = Rest { why: Some(hang.why), at: hang.at, ..Rest::default() };
    let replay = Replay { costs: hang.costs, end: End::Limit(Limit::Time), unsupported: 0 };
    Plain { replay, limits, counted: Vec::new(), rest }
}

/// How a run ended whose worker is gone. It may have left on its own in ways that nobody can catch.
pub(crate) fn lost_end(lost: &Lost) -> End {
    const KILLED: i32 = 9;
    const BUS: i32 = if cfg!(target_os = "macos") { 10 } else { 7 };
    const SEGMENT: i32 = 11;
    const CPU: i32 = 24;
    match *lost {
        // The kernel ends one that computes on without us; see `cpu_limit` in the worker.
        Lost::Late | Lost::Signal(CPU) => End::Limit(Limit::Time),
        // It limits its own memory, so this was somebody else.
        Lost::Signal(KILLED) => End::Limit(Limit::Worker),
        // The stack of C is exhausted.
        Lost::Signal(SEGMENT | BUS) => End::Limit(Limit::Depth),
        Lost::Signal(signal) => End::Exited(128 + signal.unsigned_abs()),
        Lost::Exited(code) => End::Exited(code.unsigned_abs()),
        Lost::Broken => End::Unsupported,
    }
}

impl PythonProgram {
    /// Lays the call out and makes sure that both kinds of workers take it. `name` is for messages.
    pub fn new(
        name: String,
        source: &PythonSource,
        call: &PythonCall,
        size: Option<u64>,
        sizes: &BTreeMap<String, u64>,
        wanted: Wanted,
    ) -> Result<PythonProgram, PythonError> {
        let laid = lay_out(call, InputPlan { size, sizes: sizes.clone(), ..InputPlan::default() })?;
        let function = source.functions().iter().find(|function| function.name == call.name());
        let domain = domain(&laid, call, function);
        let id = source.next_program();
        let description = laid.to_json(id, call.name());
        let mut words = BTreeSet::new();
        collect_texts(&description, &mut words);
        let places = source.inner.places.for_call(&source.inner.opened, call.name(), &words);
        let description = description.to_string().into_bytes();
        let shared = Shared {
            source: source.clone(),
            laid,
            domain,
            wanted,
            id,
            function: call.name().to_string(),
            has_object: call.has_object,
            description,
            notes: Mutex::default(),
            trouble: Mutex::default(),
            hangs: Hangs::default(),
            paths: AtomicU64::default(),
        };
        let worker = shared.worker(&shared.source.inner.plain)?;
        shared.source.inner.plain.put(worker);
        Ok(PythonProgram { name, places, limits: PathLimits::default(), shared: Arc::new(shared) })
    }

    /// The same with these limits of a run that is not about a search.
    pub fn within(self, limits: PathLimits) -> PythonProgram {
        PythonProgram { limits, ..self }
    }

    /// The limits of a run that is not about a search.
    pub fn limits(&self) -> PathLimits {
        self.limits
    }

    /// How often each arm was taken in a run.
    fn count_arms(&self, ran: &Plain, counts: &mut Vec<u64>) {
        let sites = self.shared.source.inner.places.sites;
        counts.clear();
        counts.resize(2 * sites as usize, 0);
        for &(site, arm, times) in ran.counted.iter().filter(|(site, ..)| *site < sites) {
            counts[2 * site as usize + arm.min(1) as usize] += times;
        }
    }

    /// How often each line was executed in a run.
    fn count_lines(&self, ran: &Plain, counts: &mut Vec<u64>) {
        let inner = &self.shared.source.inner;
        counts.clear();
        counts.resize(inner.places.places.lines.len(), 0);
        for &(code, line, times) in &ran.counted {
            let file = inner.opened.code.get(code as usize).map(|code| code.file.as_str());
            if let Some(number) = file.and_then(|file| inner.places.line_number(file, line)) {
                counts[number] += times;
            }
        }
    }

    /// What the input consists of.
    pub fn plan(&self) -> &InputPlan {
        &self.shared.laid.plan
    }

    /// What is searched of what the function takes.
    pub fn domain(&self) -> Domain {
        self.shared.domain.clone()
    }

    /// The file that it is from.
    pub fn source(&self) -> &PythonSource {
        &self.shared.source
    }

    /// Runs an input and shows everything about it.
    pub fn run(&self, input: &Witness, limits: &PathLimits) -> Ran {
        let ran = self.shared.plain(input, limits, flag::SHOW | flag::OPCODES, &mut || true);
        let Replay { costs, end, .. } = ran.replay;
        let explained = explained(&ran.rest, end);
        Ran { returned: ran.rest.returned, printed: ran.rest.printed, costs, end, explained }
    }

    /// Where the cost of an input is, up to where `go_on` says that it is enough.
    pub fn profile_while(
        &self,
        input: &Witness,
        limits: &PathLimits,
        go_on: &mut dyn FnMut() -> bool,
    ) -> PythonProfile {
        let mut ran = self.shared.plain(input, limits, flag::PROFILE, go_on);
        let told = ran.rest.profile.take();
        profile::read(ran.replay, told)
    }

    /// What C code was handed in the run of an input; none if the run did not come to its end, or could not be recorded.
    pub fn work_while(
        &self,
        input: &Witness,
        limits: &PathLimits,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Option<PythonWork> {
        // A run that cannot be recorded is not one that the search left out.
        let notes = self.shared.notes.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let ran = self.shared.run_in(&self.shared.source.inner.recording, input, limits, flag::WORK, go_on);
        *self.shared.notes.lock().unwrap_or_else(PoisonError::into_inner) = notes;
        let told = ran.rest.work.filter(|_| !matches!(ran.replay.end, End::Limit(_) | End::Unsupported))?;
        serde_json::from_value(told).ok()
    }

    /// What is known of an input that has hung, without another run.
    pub fn hang(&self, input: &Witness) -> Option<Explained> {
        let hang = self.shared.hangs.of(input)?;
        Some(Explained { why: hang.why, at: hang.at })
    }

    /// Why an input does not return; none if it does.
    pub fn explain(&self, input: &Witness, limits: &PathLimits) -> Option<Explained> {
        let ran = self.shared.plain(input, limits, 0, &mut || true);
        explained(&ran.rest, ran.replay.end)
    }

    /// What became concrete in symbolic runs so far, or why runs were left out, as `reason (file:line)`, and how often;
    /// most often first.
    pub fn notes(&self, of: NoteKind) -> Vec<(String, u64)> {
        let notes = self.shared.notes.lock().unwrap_or_else(PoisonError::into_inner);
        let notes = notes.iter().filter(|((kind, _), _)| *kind == of);
        let mut notes: Vec<(String, u64)> = notes.map(|((_, note), times)| (note.clone(), *times)).collect();
        notes.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        notes
    }

    /// Why no further run can be made, if that is so.
    pub fn fatal(&self) -> Option<String> {
        self.shared.trouble().fatal.clone()
    }

    /// Each argument as Python source, classes by their names.
    pub fn arguments_text(&self, input: &Witness) -> Vec<String> {
        self.shared.laid.sources(input)
    }

    /// The same where it says more than the form that inputs have in files, in which a dictionary is a list of lists.
    pub fn arguments_written(&self, input: &Witness) -> Option<Vec<String>> {
        (!self.shared.laid.is_plain()).then(|| self.arguments_text(input))
    }

    /// The call with its arguments as Python source, as in `sort([3, 1, 2])`.
    pub fn show(&self, input: &Witness) -> String {
        let (name, arguments) = (&self.shared.function, self.arguments_text(input));
        match (&arguments[..], name.rsplit_once('.')) {
            ([object, rest @ ..], Some((_, method))) if self.shared.has_object => {
                format!("{object}.{method}({})", rest.join(", "))
            }
            _ => format!("{name}({})", arguments.join(", ")),
        }
    }
}

/// The texts in a description of a call; classes of arguments are among them.
fn collect_texts(value: &serde_json::Value, into: &mut BTreeSet<String>) {
    match value {
        serde_json::Value::String(text) => into.extend(text.rsplit('.').next().map(str::to_string)),
        serde_json::Value::Array(values) => values.iter().for_each(|value| collect_texts(value, into)),
        serde_json::Value::Object(values) => values.values().for_each(|value| collect_texts(value, into)),
        _ => {}
    }
}

fn explained(rest: &Rest, end: End) -> Option<Explained> {
    let why = rest.why.clone().filter(|_| end != End::Returned)?;
    Some(Explained { why, at: rest.at.clone() })
}

impl Program for PythonProgram {
    fn name(&self) -> &str {
        &self.name
    }

    fn variables(&self) -> Vec<Variable> {
        layout::variables(self.plan())
    }

    fn preconditions_beyond_ranges(&self, arena: &mut Arena) -> Vec<TermId> {
        layout::preconditions(self.plan(), arena)
    }

    fn permits(&self, input: &Witness) -> Option<bool> {
        Some(self.plan().is_utf8(input))
    }

    fn start(&self, _arena: &mut Arena, limits: &PathLimits) -> Box<dyn Run> {
        Box::new(PythonRun::new(self.shared.clone(), *limits))
    }

    fn run_concrete(&self, input: &Witness, limits: &PathLimits, observer: &mut dyn Observer) -> (Replay, PathLimits) {
        let pool = &self.shared.source.inner.plain;
        let others = if observer.is_afresh() { pool.set_aside() } else { Vec::new() };
        let counted = observer.counts().map(|(counted, _)| counted);
        // Arms are counted by way of byte codes, which takes six times as long as lines (3.11).
        let flags = match counted {
            None => self.shared.flags(),
            Some(Counted::Repeats) if !self.shared.wanted.opcodes => flag::HITS,
            Some(_) => flag::ARMS,
        };
        let mut ran = self.shared.plain(input, limits, flags, &mut || observer.go_on());
        others.into_iter().for_each(|worker| pool.put(worker));
        if flags == flag::ARMS && !self.shared.wanted.opcodes {
            // Counted only for the arms: the costs are those of every other run.
            (ran.replay.costs.instructions, ran.replay.costs.branches) = (0, 0);
        }
        if let Some((_, counts)) = observer.counts() {
            match flags {
                flag::HITS => self.count_lines(&ran, counts),
                _ => self.count_arms(&ran, counts),
            }
        }
        (ran.replay, ran.limits)
    }

    /// Twice in a new interpreter, and once in one that has run before.
    fn repeats(&self, input: &Witness, limits: &PathLimits) -> bool {
        let earlier = self.shared.replay_of(input, limits);
        let mut again = |_| self.run_concrete(input, limits, &mut Afresh(|| true));
        (0..2).map(&mut again).all(|(replay, _)| replay == earlier)
    }

    /// The function that executes another number of lines in another interpreter, by most.
    fn differs_at(&self, input: &Witness, limits: &PathLimits) -> Option<String> {
        const TIME: Duration = Duration::from_secs(1);
        let lines = || {
            let until = Instant::now() + TIME;
            let pool = &self.shared.source.inner.plain;
            let others = pool.set_aside();
            let profile = self.profile_while(input, limits, &mut || Instant::now() < until);
            others.into_iter().for_each(|worker| pool.put(worker));
            let of = |f: FunctionCost| (format!("{} ({}:{})", f.name, f.file, f.line), f.own_lines);
            profile.functions.into_iter().map(of).collect::<BTreeMap<_, _>>()
        };
        let (one, other) = (lines(), lines());
        let number = |lines: &BTreeMap<String, u64>, name: &str| lines.get(name).copied().unwrap_or(0);
        let names: BTreeSet<_> = one.keys().chain(other.keys()).collect();
        let most = names.into_iter().max_by_key(|name| number(&one, name).abs_diff(number(&other, name)))?;
        let (one, other) = (number(&one, most), number(&other, most));
        (one != other).then(|| format!("{most}: {one} and {other} lines"))
    }

    fn leaves_traces(&self) -> bool {
        true
    }

    fn observe_while(
        &self,
        input: &Witness,
        limits: &PathLimits,
        go_on: &mut dyn FnMut() -> bool,
    ) -> (Observation, PathLimits) {
        observe::observe(&self.shared, input, limits, go_on)
    }

    fn places(&self) -> Arc<Places> {
        self.places.clone()
    }

    fn texts(&self) -> Vec<Vec<u8>> {
        self.shared.source.inner.opened.texts.iter().map(|text| text.clone().into_bytes()).collect()
    }

    fn line_site(&self, place: SiteId) -> Option<SiteId> {
        let key = self.shared.source.inner.sites.key(place.0)?;
        self.shared.source.inner.places.line_site(&key.0, key.2)
    }

    fn site_name(&self, site: SiteId) -> String {
        let inner = &self.shared.source.inner;
        if let Some(line) = inner.places.line_of_site(site) {
            return format!("{}:{}", line.file, line.line);
        }
        match inner.sites.key(site.0) {
            Some(key) if key.0.is_empty() => "the arguments".to_string(),
            // A number tells library functions of one name apart; readers have the line.
            Some(key) => format!("{} ({}:{})", key.1.split(['@', '#']).next().unwrap_or_default(), key.0, key.2),
            None => format!("site {}", site.0),
        }
    }
}

/// A call at every size, given by a function that makes the program of one size.
pub struct PythonFamily<F>(pub F);

impl<F: Fn(u32) -> Result<PythonProgram, String> + Sync> Family for PythonFamily<F> {
    fn at(&self, size: u32) -> Result<Box<dyn Program>, String> {
        Ok(Box::new((self.0)(size)?))
    }
}
