//! The kernel: the only place where program, solver and decider meet.
//!
//! It carries a witness along the path. The arm that the witness takes is feasible for free; the solver is asked only
//! when somebody wants to know about another one, so a path costs as many queries as it has surprising decisions.
//!
//! [`Kernel::run`] is the whole loop for strategies that sample paths. Tree walks use the steps it is made of:
//! [`Kernel::begin`], [`Kernel::advance`], [`Kernel::take`], [`Kernel::checkpoint`], [`Kernel::rewind`].

mod arms;
mod checkpoint;

pub use crate::decider::Point;
pub use crate::path::PathView;
pub(crate) use arms::MOST_ARMS;
pub use checkpoint::Checkpoint;

use crate::budget::{Meter, Stop};
use crate::decider::{Choice, Decider};
use crate::path::{Decision, Path};
use crate::program::{Arm, Event, Kind, PathLimits, Program, Run, SiteId};
use pessimum_outcome::{Costs, End, Limit};
use pessimum_solver::{Assumed, Context, Why};
use pessimum_term::{Arena, Evaluator, Mark, TermId, Witness};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::time::Duration;

/// What is imposed on a run before it starts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Start<'a> {
    /// Conditions assumed first, in this order.
    pub precondition: &'a [TermId],
    /// The first witness; none keeps that of the last run, which is cheapest.
    pub witness: Option<&'a Witness>,
    /// Whether conditions that contradict earlier ones are skipped (and counted) instead of ending the run.
    pub repair: bool,
}

/// What became of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It ended in this way; the path was handed over.
    Path(End),
    /// The precondition contradicts itself or the program's own preconditions: these conditions cannot hold together.
    Conflict(Vec<TermId>),
    /// The decider required an infeasible arm at the decision of this index.
    Infeasible(usize),
    /// The solver gave up on a condition that was required.
    GivenUp(Why),
    /// The decider abandoned it.
    Abandoned,
    /// The budget is spent.
    Stopped(Stop),
}

/// Where [`Kernel::advance`] stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// At a decision, now open.
    Decision,
    /// At the end of the path.
    End(End),
    /// At an assumption of the program that the solver gave up on.
    GivenUp(Why),
    /// The budget is spent.
    Stopped(Stop),
}

/// Whether something can happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feasible {
    /// It can.
    Yes,
    /// It cannot.
    No,
    /// The solver gave up.
    Unknown(Why),
}

/// What the kernel counted. Each give-up makes a search incomplete.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Runs begun, failed preconditions included.
    pub runs: u64,
    /// Decisions taken.
    pub decisions: u64,
    /// Questions about an arm that was not the witness's.
    pub queries: u64,
    /// Those answered with no.
    pub infeasible: u64,
    /// Questions that the solver gave up on.
    pub unknown: u64,
    /// Value decisions with more feasible values than were enumerated.
    pub values_cut: u64,
    /// Requests by the programs of finished paths that were refused; see [`Run::unsupported`].
    pub unsupported: u64,
    /// Conditions of preconditions skipped by repair.
    pub repaired: u64,
    /// Arms, paths and policies that were dropped because the memory of the search was full.
    pub dropped: u64,
}

impl Counters {
    /// Whether nothing was given up, cut or dropped, so that a walk that came to its end has seen every path.
    pub fn are_exact(&self) -> bool {
        self.unknown == 0 && self.values_cut == 0 && self.dropped == 0
    }

    /// Adds another search's counts.
    pub fn add(&mut self, other: &Counters) {
        self.runs += other.runs;
        self.decisions += other.decisions;
        self.queries += other.queries;
        self.infeasible += other.infeasible;
        self.unknown += other.unknown;
        self.values_cut += other.values_cut;
        self.unsupported += other.unsupported;
        self.repaired += other.repaired;
        self.dropped += other.dropped;
    }
}

/// A decision that is waiting for its arm.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Open {
    pub site: SiteId,
    pub kind: Kind,
    pub scrutinee: TermId,
    pub frame: u32,
}

/// Runs paths of one program. See the module.
pub struct Kernel<'p> {
    program: &'p dyn Program,
    arena: Arena,
    context: Context,
    limits: PathLimits,
    /// What has been spent.
    pub meter: Meter,
    /// What has been counted.
    pub counters: Counters,
    /// Whether conditions of earlier paths must stay valid. If not, terms are released whenever a run begins or is
    /// rewound; if so, the caller calls [`Kernel::collect`] when the arena has grown.
    pub keep_terms: bool,
    /// Whether sites are source lines, where these are known, instead of branches; see [`crate::policy::Sites`].
    pub line_sites: bool,
    /// The program's own preconditions, and how many conditions they are in the context.
    base: Vec<TermId>,
    base_conditions: usize,
    base_conflict: Option<Vec<TermId>>,
    /// How many of them are the ranges of the variables, which come first.
    ranges: usize,
    /// What every run has in common; none if the budget was spent before its end.
    prefix: Option<Prefix>,
    /// Above the terms of the preconditions and of the prefix, which no release touches.
    base_mark: Mark,
    /// How many terms these are.
    base_terms: u64,
    run: Option<Box<dyn Run>>,
    /// The first event of a run, until it is handled.
    first: Option<Event>,
    open: Option<Open>,
    /// Bytes that the strategy keeps besides the terms and the current path: populations, frontiers, checkpoints.
    pub kept: u64,
    /// Arms of conditional branches that the solver gave up on at least once.
    given_up: BTreeSet<(SiteId, Arm)>,
    /// Arms of the open decision other than the witness's that were asked about. Tables have very many.
    asked: FxHashMap<Arm, Feasible>,
    /// Whether the open decision is a value decision with one feasible value.
    only_arm: bool,
    decisions: Vec<Decision>,
    end: Option<(End, Costs)>,
    /// Instructions of the current run that are accounted for already.
    steps_counted: u64,
    ticks: u32,
}

/// The start of every run, up to the first event that asks something or ends it. Nothing before that event depends on
/// the input, so the start is executed once and copied.
struct Prefix {
    run: Box<dyn Run>,
    event: Event,
}

/// Decisions, or conditions of a precondition, between two checks of the clock: a check costs about as much as a
/// cheap decision, and an expensive decision takes a millisecond in the solver.
const LOOK_EVERY: u32 = 64;

/// Preconditions of the program between two such checks.
const BASE_LOOK_EVERY: usize = 4096;

/// More terms than a run makes from one pause to the next.
const PAUSED_TERMS: usize = 1 << 20;

/// What each term takes when the index of all terms grows.
const GROWTH: Duration = Duration::from_nanos(20);

/// Checks what is limited in the middle of a run. A search that has no time left to make its index of terms larger is over
/// a little early: for tens of millions of terms that takes a quarter of a second, in which nobody looks.
fn look_in_run(meter: &mut Meter, arena: &Arena, pending: u64) -> Option<Stop> {
    let growth = GROWTH * arena.len() as u32;
    if arena.room() < PAUSED_TERMS && meter.remaining().time.is_some_and(|left| left < growth) {
        meter.stop(Stop::Time);
    }
    meter.look(pending)
}

/// The site of the line where the run is: that of the outermost call whose line is known.
fn line_site(program: &dyn Program, run: &dyn Run) -> Option<SiteId> {
    run.call_stack().into_iter().rev().find_map(|place| program.line_site(place))
}

/// Bytes that a term is counted as: its slot, its place in the table of all terms, and its values in the tables of the
/// evaluator and the solver, with the room that growing vectors leave unused.
const TERM_BYTES: u64 = 64;

/// Bytes that a decision of the current path is counted as: the decision itself, and what the solver keeps for its
/// condition.
const DECISION_BYTES: u64 = 400;

impl<'p> Kernel<'p> {
    /// A kernel for this program. The meter's clock is already running.
    pub fn new(program: &'p dyn Program, solver: pessimum_solver::Settings, limits: PathLimits, meter: Meter) -> Self {
        let arena = Arena::new();
        let base_mark = arena.mark();
        let mut kernel = Kernel {
            program,
            arena,
            context: Context::new(solver),
            limits,
            meter,
            counters: Counters::default(),
            keep_terms: true,
            line_sites: false,
            base: Vec::new(),
            base_conditions: 0,
            base_conflict: None,
            ranges: 0,
            prefix: None,
            base_mark,
            base_terms: 0,
            run: None,
            first: None,
            open: None,
            kept: 0,
            given_up: BTreeSet::new(),
            asked: FxHashMap::default(),
            only_arm: false,
            decisions: Vec::new(),
            end: None,
            steps_counted: 0,
            ticks: 0,
        };
        // A hard query must not outlast the budget.
        kernel.context.set_until(kernel.meter.until());
        if kernel.make_preconditions() {
            kernel.prepare();
        }
        kernel.restart(Witness::default());
        kernel
    }

    /// The program.
    pub fn program(&self) -> &'p dyn Program {
        self.program
    }

    /// The limits of each path.
    pub fn limits(&self) -> &PathLimits {
        &self.limits
    }

    /// The arena, to build preconditions in.
    pub fn arena(&mut self) -> &mut Arena {
        &mut self.arena
    }

    /// The solver's view of the current path.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Sets the conflicts per call of the SAT solver from now on.
    pub fn set_conflicts(&mut self, conflicts: u64) {
        self.context.set_conflicts(conflicts);
    }

    /// From now on, slow queries may take this share of the time in vain, see [`Context::set_fruitless_share`].
    pub fn set_fruitless_share(&mut self, share: f64) {
        self.context.set_fruitless_share(share);
    }

    /// From now on, slow queries may do this much for each path in vain, see [`Context::set_fruitless_work`].
    pub fn set_fruitless_work(&mut self, each_path: u64) {
        self.context.set_fruitless_work(each_path);
    }

    /// Bytes that terms, the current path and what the strategy keeps take, as counted: the same for the same search on
    /// every machine.
    pub fn bytes(&self) -> u64 {
        self.arena.len() as u64 * TERM_BYTES + self.decisions.len() as u64 * DECISION_BYTES + self.kept
    }

    /// Whether so much memory is in use that the strategy should drop what it can spare: half of what is left beside the
    /// terms that all runs need.
    pub fn is_crowded(&self) -> bool {
        let base = self.base_terms * TERM_BYTES;
        self.meter.memory().is_some_and(|limit| self.bytes().saturating_sub(base) >= limit.saturating_sub(base) / 2)
    }

    /// Whether the memory is full.
    fn is_full(&self) -> bool {
        self.meter.is_full(self.bytes(), 4)
    }

    /// The program's own preconditions.
    pub fn preconditions(&self) -> &[TermId] {
        &self.base
    }

    /// Those of them that say more than the ranges of the variables.
    pub fn beyond_ranges(&self) -> &[TermId] {
        &self.base[self.ranges..]
    }

    /// Whether an input whose values are in their ranges satisfies the program's own preconditions.
    pub fn permits(&self, input: &Witness) -> bool {
        if let Some(answer) = self.program.permits(input) {
            return answer;
        }
        let beyond = self.beyond_ranges();
        let mut evaluator = Evaluator::new(if beyond.is_empty() { Witness::default() } else { input.clone() });
        beyond.iter().all(|&condition| evaluator.value(&self.arena, condition) == 1)
    }

    /// The decisions of the current path so far.
    pub fn decisions(&self) -> &[Decision] {
        &self.decisions
    }

    /// The path that has just ended.
    pub fn path(&self) -> Option<PathView<'_>> {
        self.end.as_ref().map(|(end, costs)| PathView {
            decisions: &self.decisions,
            costs,
            end: *end,
            witness: self.context.witness(),
        })
    }

    /// Arms of conditional branches that the solver gave up on at least once.
    pub fn given_up(&self) -> &BTreeSet<(SiteId, Arm)> {
        &self.given_up
    }

    /// Where the current run is, innermost call first; see [`Run::call_stack`].
    pub fn call_stack(&self) -> Vec<SiteId> {
        self.run.as_ref().map_or_else(Vec::new, |run| run.call_stack())
    }

    /// The arms that the current run took at conditionals on concrete values; see [`Run::concrete_arms`].
    pub fn concrete_arms(&self) -> Option<Vec<(SiteId, Arm)>> {
        self.run.as_ref()?.concrete_arms()
    }

    /// What the current run has cost so far.
    pub fn costs(&self) -> Costs {
        self.run.as_ref().map_or_else(Costs::default, |run| run.costs())
    }

    /// Keeps only the given conditions (rewritten in place); all other terms of earlier paths become invalid. Between
    /// runs only: the current one is dropped.
    pub fn collect<'a>(&mut self, conditions: impl IntoIterator<Item = &'a mut TermId>) {
        self.drop_run();
        let witness = self.context.witness().clone();
        self.context.restart(Witness::default());
        let conditions = conditions.into_iter().map(|condition| -> &mut TermId { condition });
        self.prefix = None;
        self.arena.collect(self.base.iter_mut().chain(conditions));
        self.prepare();
        self.restart(witness);
    }

    /// The preconditions of every run. An input of a million numbers has two million ranges, so the clock is looked at:
    /// a run takes about as long as they do, so if half of the time is gone before they are all there, the search is
    /// over. Returns whether they are.
    fn make_preconditions(&mut self) -> bool {
        let mut all = true;
        for (number, variable) in self.program.variables().into_iter().enumerate() {
            if number % BASE_LOOK_EVERY == BASE_LOOK_EVERY - 1 {
                if self.meter.is_half_spent() {
                    self.meter.stop(Stop::Time);
                }
                if self.meter.look(0).is_some() {
                    all = false;
                    break;
                }
            }
            variable.conditions(&mut self.arena, &mut self.base);
        }
        self.ranges = self.base.len();
        // Inputs that are run concretely are checked against these whatever the time.
        self.base.extend(self.program.preconditions_beyond_ranges(&mut self.arena));
        all
    }

    /// Executes what all runs have in common. Its terms stay until the next [`Kernel::collect`].
    fn prepare(&mut self) {
        let mut run = self.program.start(&mut self.arena, &self.limits);
        self.prefix = loop {
            match run.next(&mut self.arena) {
                Event::Pause if look_in_run(&mut self.meter, &self.arena, run.steps()).is_some() => break None,
                Event::Pause if self.is_full() => {
                    self.meter.steps += run.steps();
                    break Some(Prefix { run, event: Event::End(End::Limit(Limit::SearchMemory)) });
                }
                Event::Pause => {}
                event => {
                    self.meter.steps += run.steps();
                    break Some(Prefix { run, event });
                }
            }
        };
        self.base_mark = self.arena.mark();
        self.base_terms = self.arena.len() as u64;
    }

    /// Forgets every term except those of the program's preconditions and of what all runs have in common. Between
    /// runs only.
    pub fn release(&mut self) {
        self.drop_run();
        self.context.truncate(self.base_conditions);
        self.arena.release(self.base_mark);
    }

    fn drop_run(&mut self) {
        self.count_steps();
        self.run = None;
        self.first = None;
        self.open = None;
        self.end = None;
        self.decisions.clear();
        self.steps_counted = 0;
    }

    /// A fresh context with the program's preconditions only.
    fn restart(&mut self, witness: Witness) {
        self.context.restart(witness);
        self.base_conflict = None;
        for index in 0..self.base.len() {
            if index % BASE_LOOK_EVERY == BASE_LOOK_EVERY - 1 && self.meter.look(0).is_some() {
                break;
            }
            match self.context.assume(&mut self.arena, self.base[index]) {
                Assumed::Held | Assumed::Moved => {}
                Assumed::Conflict(core) => {
                    self.base_conflict = Some(core);
                    break;
                }
                Assumed::Unknown(_) => self.counters.unknown += 1,
            }
        }
        self.base_conditions = self.context.conditions().len();
    }

    fn pending_steps(&self) -> u64 {
        self.run.as_ref().map_or(0, |run| run.steps().saturating_sub(self.steps_counted))
    }

    fn count_steps(&mut self) {
        let pending = self.pending_steps();
        self.meter.steps += pending;
        self.steps_counted += pending;
    }

    /// Starts a run. `Err` says why there is none (a conflict, a give-up, the end of the budget).
    pub fn begin(&mut self, start: &Start<'_>) -> Result<(), Outcome> {
        self.drop_run();
        self.counters.runs += 1;
        self.context.set_site(None);
        match start.witness {
            Some(witness) => self.restart(witness.clone()),
            None => self.context.truncate(self.base_conditions),
        }
        if !self.keep_terms && start.precondition.is_empty() {
            self.arena.release(self.base_mark);
        }
        if let Some(core) = &self.base_conflict {
            return Err(Outcome::Conflict(core.clone()));
        }
        if let Some(stop) = self.meter.stopped() {
            // Perhaps not all preconditions are assumed.
            return Err(Outcome::Stopped(stop));
        }
        if self.keep_terms && self.is_full() {
            // The strategy could not spare enough.
            self.meter.stop(Stop::Memory);
            return Err(Outcome::Stopped(Stop::Memory));
        }
        for &condition in start.precondition {
            self.ticks += 1;
            if self.ticks >= LOOK_EVERY {
                self.ticks = 0;
                if let Some(stop) = self.meter.look(0) {
                    return Err(Outcome::Stopped(stop));
                }
            }
            match self.context.assume(&mut self.arena, condition) {
                Assumed::Held | Assumed::Moved => {}
                Assumed::Conflict(_) if start.repair => self.counters.repaired += 1,
                Assumed::Conflict(core) => return Err(Outcome::Conflict(core)),
                Assumed::Unknown(why) => {
                    self.counters.unknown += 1;
                    if !start.repair {
                        return Err(Outcome::GivenUp(why));
                    }
                }
            }
        }
        let Some(prefix) = &self.prefix else {
            return Err(Outcome::Stopped(self.meter.stopped().unwrap_or(Stop::Cancelled)));
        };
        let run = prefix.run.fork();
        self.steps_counted = run.steps();
        self.run = Some(run);
        self.first = Some(prefix.event.clone());
        Ok(())
    }

    /// Executes up to the next decision or the end.
    pub fn advance(&mut self) -> Step {
        if let Some(stop) = self.meter.stopped() {
            return Step::Stopped(stop);
        }
        let Some(run) = self.run.as_mut() else { panic!("advance without begin") };
        loop {
            let event = match self.first.take() {
                Some(event) => event,
                None => {
                    if run.wants_witness() {
                        run.follow(self.context.witness());
                    }
                    run.next(&mut self.arena)
                }
            };
            match event {
                Event::Decision { site, kind, scrutinee, frame } => {
                    if self.decisions.len() as u64 >= self.limits.decisions {
                        return self.finish(End::Limit(Limit::Decisions));
                    }
                    let site =
                        if self.line_sites { line_site(self.program, run.as_ref()).unwrap_or(site) } else { site };
                    self.open = Some(Open { site, kind, scrutinee, frame });
                    self.asked.clear();
                    self.only_arm = false;
                    self.ticks += 1;
                    if self.ticks >= LOOK_EVERY {
                        self.ticks = 0;
                        if let Some(stop) = self.meter.look(self.pending_steps()) {
                            return Step::Stopped(stop);
                        }
                        if self.is_full() {
                            return self.finish(End::Limit(Limit::SearchMemory));
                        }
                    }
                    return Step::Decision;
                }
                Event::Assume(condition) => match self.context.assume(&mut self.arena, condition) {
                    Assumed::Held | Assumed::Moved => {}
                    Assumed::Conflict(_) => return self.finish(End::AssumptionViolated),
                    Assumed::Unknown(why) => {
                        self.counters.unknown += 1;
                        return Step::GivenUp(why);
                    }
                },
                Event::Pause => {
                    let pending = run.steps().saturating_sub(self.steps_counted);
                    if let Some(stop) = look_in_run(&mut self.meter, &self.arena, pending) {
                        return Step::Stopped(stop);
                    }
                    let bytes = self.arena.len() as u64 * TERM_BYTES;
                    let path = self.decisions.len() as u64 * DECISION_BYTES;
                    if self.meter.is_full(bytes + path + self.kept, 4) {
                        return self.finish(End::Limit(Limit::SearchMemory));
                    }
                }
                Event::End(end) => return self.finish(end),
            }
        }
    }

    fn finish(&mut self, end: End) -> Step {
        self.end = Some((end, self.costs()));
        self.counters.unsupported += self.run.as_ref().map_or(0, |run| run.unsupported());
        self.count_steps();
        Step::End(end)
    }

    pub(crate) fn open(&self) -> Open {
        self.open.expect("a decision is open between advance and take")
    }

    /// The arm of the open decision that the witness takes.
    pub fn witness_arm(&mut self) -> Arm {
        let open = self.open();
        open.kind.arm_of(self.context.value(&self.arena, open.scrutinee))
    }

    /// Takes an arm of the open decision, moving the witness if necessary. After any answer but `Yes` the decision is
    /// still open.
    pub fn take(&mut self, arm: Arm) -> Feasible {
        let open = self.open();
        if let Some(&answer) = self.asked.get(&arm).filter(|answer| **answer != Feasible::Yes) {
            return answer;
        }
        let condition = open.kind.condition(&mut self.arena, open.scrutinee, arm);
        self.context.set_site(Some(open.site.0));
        match self.context.assume(&mut self.arena, condition) {
            Assumed::Held => {}
            Assumed::Moved => {
                // The old witness took another arm, so at least two are feasible.
                self.counters.queries += 1;
                self.note(arm, Feasible::Yes);
            }
            Assumed::Conflict(_) => {
                self.counters.queries += 1;
                return self.note(arm, Feasible::No);
            }
            Assumed::Unknown(why) => {
                self.counters.queries += 1;
                return self.note(arm, Feasible::Unknown(why));
            }
        }
        self.decisions.push(Decision {
            site: open.site,
            condition,
            arm,
            kind: open.kind,
            frame: open.frame,
            implied: self.implied(open.kind),
        });
        self.counters.decisions += 1;
        self.open = None;
        if let Some(run) = self.run.as_mut() {
            run.take(arm);
        }
        Feasible::Yes
    }

    /// Runs one path under a decider and hands it over in `path`, which stays untouched unless the outcome is a path.
    pub fn run(&mut self, start: &Start<'_>, decider: &mut dyn Decider, path: &mut Path) -> Outcome {
        match self.begin(start) {
            Ok(()) => self.go(decider, path),
            Err(outcome) => outcome,
        }
    }

    fn go(&mut self, decider: &mut dyn Decider, path: &mut Path) -> Outcome {
        match self.advance() {
            Step::Decision => self.decide(decider, path),
            Step::End(end) => self.hand_over(end, path),
            Step::GivenUp(why) => Outcome::GivenUp(why),
            Step::Stopped(stop) => Outcome::Stopped(stop),
        }
    }

    /// The loop, from an open decision on.
    fn decide(&mut self, decider: &mut dyn Decider, path: &mut Path) -> Outcome {
        loop {
            let choice = decider.decide(&mut Point::new(self));
            match choice {
                Choice::Follow => self.follow(),
                Choice::Prefer(arm) => {
                    if self.take(arm) != Feasible::Yes {
                        self.follow();
                    }
                }
                Choice::Require(arm) => match self.take(arm) {
                    Feasible::Yes => {}
                    Feasible::No => return Outcome::Infeasible(self.decisions.len()),
                    Feasible::Unknown(why) => return Outcome::GivenUp(why),
                },
                Choice::Abandon => return Outcome::Abandoned,
            }
            match self.advance() {
                Step::Decision => {}
                Step::End(end) => return self.hand_over(end, path),
                Step::GivenUp(why) => return Outcome::GivenUp(why),
                Step::Stopped(stop) => return Outcome::Stopped(stop),
            }
        }
    }

    fn follow(&mut self) {
        let arm = self.witness_arm();
        let taken = self.take(arm);
        assert_eq!(taken, Feasible::Yes, "the witness satisfies the condition of its own arm");
    }

    fn hand_over(&self, end: End, path: &mut Path) -> Outcome {
        if let Some(view) = self.path() {
            view.copy_to(path);
        }
        Outcome::Path(end)
    }
}
