//! What a search needs of a program. WebAssembly is one front end behind these traits; the mock programs of the test
//! kit are another.

use std::sync::Arc;

pub use crate::decision::{Arm, Kind, SiteId};
use crate::observation::Observation;
use crate::places::Places;
pub use crate::variable::Variable;
use pessimum_outcome::{Costs, End};
use pessimum_term::{Arena, TermId, Witness};

/// What a run yields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The run cannot continue until it is told the arm ([`Run::take`]). The scrutinee is not a constant.
    Decision {
        /// Where.
        site: SiteId,
        /// What sort of decision.
        kind: Kind,
        /// What the outcome depends on.
        scrutinee: TermId,
        /// The call that decides: the entry is 0, the k-th call made on this path is k (the calling context of
        /// history policies).
        frame: u32,
    },
    /// The program asked to be run only if this one-bit condition holds.
    Assume(TermId),
    /// Much was executed or many bytes were moved without a decision. Nothing is asked; this is a chance to check the
    /// clock.
    Pause,
    /// The run is over.
    End(End),
}

/// Limits of one path. The kernel watches `decisions`; the run watches the others, since it alone sees what happens
/// between two events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathLimits {
    /// Instructions executed.
    pub instructions: u64,
    /// Decisions recorded, of every kind. Each keeps terms, conditions and table entries alive until the path ends,
    /// an estimated 400 bytes, so this limit bounds the memory of a path.
    pub decisions: u64,
    /// Nested calls.
    pub depth: u64,
    /// Bytes of linear memory.
    pub memory: u64,
}

impl Default for PathLimits {
    /// Far above what terminating programs of the papers' sizes need: limits exist to end infinite loops.
    fn default() -> PathLimits {
        PathLimits { instructions: 1 << 32, decisions: 1 << 22, depth: 1 << 16, memory: 1 << 30 }
    }
}

/// Who watches a concrete run. A closure is one that is asked whether to continue.
pub trait Observer {
    /// Asked now and then whether to continue. If not, the run ends where it is, with `Limit::Budget`. Front ends that
    /// cannot be interrupted never ask.
    fn go_on(&mut self) -> bool;

    /// What is to be counted, and where the counts go when the run is over. They replace what is there, in an order of the
    /// front end's own that is the same for every run. Front ends that do not count leave it empty.
    fn counts(&mut self) -> Option<(Counted, &mut Vec<u64>)> {
        None
    }

    /// Whether nothing may be left of any run before.
    fn is_afresh(&self) -> bool {
        false
    }
}

impl<F: FnMut() -> bool> Observer for F {
    fn go_on(&mut self) -> bool {
        self()
    }
}

/// What is counted in a concrete run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// How often each arm of each conditional branch was taken.
    Arms,
    /// How often the run did the same: whatever the front end counts at the least price, arms or source lines.
    Repeats,
}

/// An observer that counts.
pub struct Counting<'a, F> {
    /// Whether to continue.
    pub go_on: F,
    /// What is counted.
    pub counted: Counted,
    /// Where the counts go.
    pub into: &'a mut Vec<u64>,
}

impl<F: FnMut() -> bool> Observer for Counting<'_, F> {
    fn go_on(&mut self) -> bool {
        (self.go_on)()
    }

    fn counts(&mut self) -> Option<(Counted, &mut Vec<u64>)> {
        Some((self.counted, self.into))
    }
}

/// An observer of a run of which nothing may be left of any run before; it is asked whether to continue.
pub struct Afresh<F>(pub F);

impl<F: FnMut() -> bool> Observer for Afresh<F> {
    fn go_on(&mut self) -> bool {
        (self.0)()
    }

    fn is_afresh(&self) -> bool {
        true
    }
}

/// A program with its call and size fixed: everything but the input.
pub trait Program: Send + Sync {
    /// Its name in messages (module and call).
    fn name(&self) -> &str;

    /// The input variables that are known before the run. A program that asks for its input while it runs may have
    /// more; they are 0 in the first witness.
    fn variables(&self) -> Vec<Variable>;

    /// Whether it asks for more input while it runs.
    fn asks(&self) -> bool {
        false
    }

    /// Conditions that hold before the run, besides the ranges of the variables.
    fn preconditions_beyond_ranges(&self, _arena: &mut Arena) -> Vec<TermId> {
        Vec::new()
    }

    /// Whether an input within the ranges satisfies those conditions, where the program can say so faster than by
    /// evaluating them.
    fn permits(&self, _input: &Witness) -> Option<bool> {
        None
    }

    /// Changes an input that was drawn or edited within the ranges so that it satisfies those conditions, where that is
    /// easy. The same input gives the same input.
    fn repair(&self, _input: &mut Witness) {}

    /// A run that has not executed anything yet. The program itself keeps no terms: the arena may be emptied between
    /// runs.
    fn start(&self, arena: &mut Arena, limits: &PathLimits) -> Box<dyn Run>;

    /// Runs concretely on this input, in an engine that knows nothing of terms. Also returns the limits within which the run
    /// ends in the same place again, which are others where the observer has stopped it.
    fn run_concrete(&self, input: &Witness, limits: &PathLimits, observer: &mut dyn Observer) -> (Replay, PathLimits);

    /// The same without an observer.
    fn replay(&self, input: &Witness, limits: &PathLimits) -> Replay {
        self.run_concrete(input, limits, &mut || true).0
    }

    /// Whether this input does the same each time that it is run. Asked when a run was not as predicted: a program that depends
    /// on more than its input does so without a mistake of anybody else. Front ends that provide everything a program can
    /// ask for know that it does.
    fn repeats(&self, _input: &Witness, _limits: &PathLimits) -> bool {
        true
    }

    /// Where two runs of this input differ, for an input that does not do the same each time.
    fn differs_at(&self, _input: &Witness, _limits: &PathLimits) -> Option<String> {
        None
    }

    /// Whether a run may leave something behind that later runs see, whatever is done against it.
    fn leaves_traces(&self) -> bool {
        false
    }

    /// Runs concretely on this input and reports which arms were taken, and how far the values were from taking the
    /// others. Front ends that cannot observe this report only the end and the costs.
    fn observe(&self, input: &Witness, limits: &PathLimits) -> Observation {
        self.observe_while(input, limits, &mut || true).0
    }

    /// Like [`Program::observe`], asking as [`Program::run_concrete`] does.
    fn observe_while(
        &self,
        input: &Witness,
        limits: &PathLimits,
        go_on: &mut dyn FnMut() -> bool,
    ) -> (Observation, PathLimits) {
        let (replay, limits) = self.run_concrete(input, limits, &mut || go_on());
        (Observation::unobserved(replay), limits)
    }

    /// What there is to be reached, with the numbering that observations use. Empty for front ends that observe
    /// nothing.
    fn places(&self) -> Arc<Places> {
        Arc::default()
    }

    /// Texts among the constants of the program: what it compares its input with is often among them. None by default.
    fn texts(&self) -> Vec<Vec<u8>> {
        Vec::new()
    }

    /// The site that stands for the source line of this place ([`Run::call_stack`]); none where the line is not known.
    /// Where a compiler has inlined calls, the line is that of the outermost one.
    fn line_site(&self, _place: SiteId) -> Option<SiteId> {
        None
    }

    /// Function and line or offset of a site, for human readers.
    fn site_name(&self, site: SiteId) -> String;
}

/// One symbolic run in progress.
pub trait Run {
    /// Executes up to the next event. After [`Event::Decision`] the caller first calls [`Run::take`]; after
    /// [`Event::Assume`] and [`Event::Pause`] it may call this again at once, and after [`Event::End`] never again.
    fn next(&mut self, arena: &mut Arena) -> Event;

    /// The outcome of the decision just yielded. The arm's condition is part of the path from now on.
    fn take(&mut self, arm: Arm);

    /// Whether the next step needs an input that satisfies everything taken so far ([`Run::follow`]). Front ends that execute
    /// programs with concrete values beside the symbolic ones do, now and then; others never.
    fn wants_witness(&self) -> bool {
        false
    }

    /// An input that satisfies the path so far. Called before [`Run::next`] where [`Run::wants_witness`] says so. A run that
    /// has not been given one uses any input within the ranges of the variables.
    fn follow(&mut self, _witness: &Witness) {}

    /// What the run has cost so far, the decision just yielded included (as in a concrete run that stops after it).
    fn costs(&self) -> Costs;

    /// How often the run asked the front end for something that it does not provide but another environment might
    /// have provided, and was told so. A search that encountered this has not seen everything.
    fn unsupported(&self) -> u64 {
        0
    }

    /// Instructions executed so far, as [`Run::costs`] counts them. This is asked at every decision, so front ends
    /// for which computing all costs takes longer than computing one should override it.
    fn steps(&self) -> u64 {
        self.costs().steps()
    }

    /// Bytes that a copy of the run takes, roughly: the same number for the same state.
    fn bytes(&self) -> u64 {
        1 << 10
    }

    /// An independent copy, cheap enough to be made at every open decision and at the start of every path. It is
    /// valid while the arena keeps the terms that existed when it was made. It may also be made after an event that
    /// asks nothing; the copy then continues after that event.
    fn fork(&self) -> Box<dyn Run>;

    /// Where the run is, innermost first: the place in the running function, then those of the calls that led there, for
    /// [`Program::line_site`]. Front ends without source lines return nothing.
    fn call_stack(&self) -> Vec<SiteId> {
        Vec::new()
    }

    /// The arms taken at conditional branches on concrete values so far, each (site, arm) once. Branch policies (WISE)
    /// treat these as forced sides. None from front ends that do not record them: of a path of theirs it is not known which
    /// arms it took until its input is observed.
    fn concrete_arms(&self) -> Option<Vec<(SiteId, Arm)>> {
        None
    }
}

/// What a concrete run did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replay {
    /// All costs. `decisions` is 0 in engines that cannot know which values depend on the input.
    pub costs: Costs,
    /// How it ended.
    pub end: End,
    /// How often the run asked for something that is not provided; see [`Run::unsupported`].
    pub unsupported: u64,
}

/// The same program at other sizes, for strategies that learn at small sizes.
pub trait Family: Sync {
    /// The program at this size, or why there is none.
    fn at(&self, size: u32) -> Result<Box<dyn Program>, String>;
}
