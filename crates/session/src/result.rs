//! From what a session found to the result that is printed and saved.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use pessimum_report::profile::Profile;
use pessimum_report::result::{Concretised, Cost, LayerUse, OtherInput, Resumed, SolverUse, WorstResult};
use pessimum_search::budget::Until;
use pessimum_search::path::Path;
use pessimum_search::policy::LearntPolicy;
use pessimum_search::program::PathLimits;
use pessimum_search::search::SearchResult;
use pessimum_search::watch::{Found, Standing};
use pessimum_solver::LayerName;
use pessimum_term::Witness;

use crate::journal::{Past, Step};
use crate::plan::{SearchPlan, SubjectPlan};
use crate::replay::{Replayed, crashes_always, kept, look, profiled_steps};
use crate::{Crash, Error, Outcome, Target, values, work};

/// The reason for the end of the search in a result that is saved while the search is still running.
pub const RUNNING: &str = "running";

/// How long the run behind a partial result is profiled.
const SO_FAR: Duration = Duration::from_millis(50);

/// What all results of one session have in common.
#[derive(Clone, Copy)]
pub struct Account<'a> {
    /// The program at the size that is searched.
    pub program: &'a Target,
    /// What was run.
    pub subject: &'a SubjectPlan,
    /// How it was searched.
    pub search: &'a SearchPlan,
    /// Earlier parts of the same search.
    pub past: &'a Past,
    /// Where it came from.
    pub origin: &'a Origin,
    /// The time of the search, which determines how much of a long run is profiled.
    pub time: Option<Duration>,
}

/// The command lines behind a result, for human readers and never read back.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// What was run, as words of a command line.
    pub arguments: Vec<String>,
    /// The whole command, without the program's name.
    pub command: Vec<String>,
}

/// The result of a session, and what else its worst run reveals.
pub struct Finding {
    /// As it is printed and saved.
    pub result: WorstResult,
    /// Where the cost of the worst run is.
    pub profile: Profile,
    /// Why the worst run gave up, if it did.
    pub failure: Option<String>,
    /// WASI functions that were called but are not provided, and how often.
    pub unsupported: Vec<(&'static str, u64)>,
    /// Whether there is any input: otherwise all runs are the same.
    pub varies: bool,
}

impl Account<'_> {
    /// The result of a session that is over, with the policy that its strategy applied or learnt.
    pub fn finding(&self, outcome: &Outcome, policy: Option<&LearntPolicy>) -> Result<Finding, Error> {
        let found = &outcome.found;
        let best = found.best.as_ref().ok_or_else(|| Error::new(crate::why_nothing(self.program, found)))?;
        let most = profiled_steps(self.program, self.time);
        let replayed = look(self.program, &best.witness, &outcome.limits, most, &outcome.until());
        let crashed = replayed.crash.as_ref();
        let standing = match self.search.ends.wants(best.end) {
            Some(true) if found.endless => Standing::Endless,
            Some(true) => Standing::Wanted,
            _ => Standing::Fallback,
        };
        let known = self.past.cost_of(standing);
        let steps = found.progress.iter().filter(|step| Some(step.cost) > known);
        let steps: Vec<Step> = steps.map(|step| (step.seconds, step.paths, step.cost)).collect();
        let found_best = Found::of(standing, found.cost.of(&best.costs), best);
        let result = WorstResult {
            decisions: found.counters.decisions,
            solver: Some(solver_use(&found.solver)),
            complete: found.complete,
            every_input: found.every_input.filter(|_| found.complete),
            stopped: found.stop.name().to_string(),
            ends: ends(found),
            random: outcome.baseline.summary.clone(),
            policy: policy.map(|policy| policy.in_words(&*self.program)),
            why: crashed.and_then(|crashed| crashed.why.clone()),
            at: crashed.and_then(|crashed| crashed.at.clone()),
            always: crashed.is_some_and(|crashed| self.always(crashed, outcome)),
            trapped: self.trapped(outcome),
            work: work::of_run(self.program, self.search.cost, &best.witness, best.costs.lines, &outcome.until()),
            ended: self.ended(outcome),
            recurs: outcome.recurs,
            ..self.partial(&found_best, &replayed, found.paths, found.elapsed, &steps)
        };
        let varies = !self.program.variables().is_empty() || !replayed.asked.is_empty();
        let Replayed { profile, failure, unsupported, .. } = replayed;
        Ok(Finding { result, profile, failure, unsupported, varies })
    }

    /// The costliest input that crashes the program, beside one that does not.
    fn trapped(&self, outcome: &Outcome) -> Option<OtherInput> {
        let path = outcome.found.other.as_ref().filter(|path| path.end.is_crash())?;
        let crash = self.program.crash(&path.witness, &outcome.until()).unwrap_or_default();
        Some(OtherInput { why: crash.why, at: crash.at, ..self.beside(&self.found(path), &outcome.until()) })
    }

    /// The costliest input whose run ended, beside one that was cut off.
    fn ended(&self, outcome: &Outcome) -> Option<OtherInput> {
        let path = outcome.found.ended.as_ref()?;
        Some(self.beside(&self.found(path), &outcome.until()))
    }

    fn found(&self, path: &Path) -> Found {
        Found::of(Standing::Fallback, self.search.cost.of(&path.costs), path)
    }

    /// Whether every run crashes in the same place.
    fn always(&self, crashed: &Crash, outcome: &Outcome) -> bool {
        let found = &outcome.found;
        found.other.is_none()
            && found.ends.keys().filter(|end| end.is_a_run()).all(|end| end.is_crash())
            && !self.program.variables().is_empty()
            && crashes_always(self.program, crashed, self.search.seed, &outcome.until())
    }

    fn beside(&self, found: &Found, until: &Until) -> OtherInput {
        let limits = PathLimits::from(self.subject.limits);
        let asked = self.program.asked_while(&found.input, &limits, until);
        OtherInput {
            cost: found.cost,
            costs: found.costs,
            input: self.program.plan().encode(&found.input, &asked),
            written: values::arguments(self.program, self.subject, &found.input),
            end: found.end.to_string(),
            why: None,
            at: None,
        }
    }

    /// The result as of now, including earlier parts.
    pub fn partial(
        &self,
        found: &Found,
        replayed: &Replayed,
        paths: u64,
        elapsed: Duration,
        steps: &[Step],
    ) -> WorstResult {
        let past = self.past;
        let earlier = past.elapsed.as_secs_f64();
        let steps =
            steps.iter().map(|&(seconds, paths, cost)| (earlier + seconds, past.paths.saturating_add(paths), cost));
        WorstResult {
            module: self.subject.module.name.clone(),
            call: self.subject.start.text().map(str::to_string),
            size: self.subject.size,
            sizes: self.subject.sizes.clone(),
            strategy: self.search.strategy.clone(),
            seed: self.search.seed,
            cost: Cost { model: self.search.cost.name().to_string(), value: found.cost },
            costs: found.costs,
            input: self.program.plan().encode(&found.input, &replayed.asked),
            written: values::arguments(self.program, self.subject, &found.input),
            end: found.end.to_string(),
            endless: found.standing == Standing::Endless,
            recurs: None,
            why: None,
            at: None,
            always: false,
            trapped: None,
            ended: None,
            paths: past.paths.saturating_add(paths),
            decisions: 0,
            solver: None,
            complete: false,
            domain: self.program.domain().text(),
            every_input: None,
            stopped: RUNNING.to_string(),
            elapsed_s: earlier + elapsed.as_secs_f64(),
            progress: past.progress_of(found.standing).iter().copied().chain(steps).collect(),
            ends: BTreeMap::new(),
            random: None,
            hottest: replayed.hottest.clone(),
            functions: kept(&replayed.profile.functions),
            libraries: kept(&replayed.profile.libraries),
            lines: kept(&replayed.profile.lines),
            profiled: replayed.profiled,
            policy: None,
            arguments: self.origin.arguments.clone(),
            command: self.origin.command.clone(),
            python: self.subject.module.python.as_ref().map(|python| python.version.clone()),
            concretised: concretised(self.program),
            left_out: left_out(self.program),
            work: None,
            resumed: (past.parts > 0).then_some(Resumed { parts: past.parts, paths: past.paths, elapsed_s: earlier }),
        }
    }

    /// The result as of now, from an input that was just found, and the costliest one that ended in another way.
    pub fn so_far(
        &self,
        found: &Found,
        other: Option<&Found>,
        paths: u64,
        elapsed: Duration,
        steps: &[Step],
    ) -> WorstResult {
        let limits = PathLimits::from(self.subject.limits);
        // A search may cut its runs off earlier than the plan does; there is nothing to see beyond that.
        let most = found.costs.steps().saturating_add(1);
        let limits = PathLimits { instructions: limits.instructions.min(most), ..limits };
        // The search goes on, and its end must not have to wait.
        let until = Until::moment(Instant::now().checked_add(SO_FAR));
        let replayed = look(self.program, &found.input, &limits, profiled_steps(self.program, self.time), &until);
        let trapped = other.filter(|other| other.end.is_crash()).map(|other| self.beside(other, &until));
        WorstResult { trapped, ..self.partial(found, &replayed, paths, elapsed, steps) }
    }
}

/// The parts of an input that are bytes (standard input, texts, arguments, files), each with a name for a file.
pub fn raw_inputs(program: &Target, witness: &Witness) -> Vec<(String, Vec<u8>)> {
    use pessimum_input::{Argument, Content, Group, InputPlan};
    let plan = program.plan();
    let mut files = Vec::new();
    let bytes = |group: &Group| InputPlan::content_bytes(&Content::Input(group.clone()), witness);
    let has_images = program.language().has_images;
    for (i, argument) in plan.arguments.iter().enumerate() {
        let content = match argument {
            Argument::Text(group) | Argument::Buffer(group) if group.characters => {
                let codes = group.variables().map(|variable| witness.get(variable) as u32);
                codes.filter_map(char::from_u32).collect::<String>().into_bytes()
            }
            Argument::Text(group) => bytes(group),
            Argument::Buffer(group) if group.utf8 => bytes(group),
            // What a debugger or a test of another language reads back.
            Argument::Structure(structure) if has_images && structure.is_input() => structure.image(witness),
            _ => continue,
        };
        files.push((format!("argument-{}.bin", i + 1), content));
    }
    if let Some(group) = &plan.stdin {
        files.push(("stdin.bin".to_string(), bytes(group)));
    }
    for (i, content) in plan.command_line.iter().enumerate() {
        if let Content::Input(group) = content {
            files.push((format!("arg-{}.bin", i + 1), bytes(group)));
        }
    }
    for (i, (name, content)) in plan.files.iter().enumerate() {
        if let Content::Input(group) = content {
            // The program's name for it may contain separators.
            let plain = |c: char| if c.is_alphanumeric() || matches!(c, '.' | '-' | '_') { c } else { '_' };
            let name: String = name.chars().map(plain).collect();
            files.push((format!("file-{}-{name}.bin", i + 1), bytes(group)));
        }
    }
    files
}

/// What was taken as it is.
pub fn concretised(program: &Target) -> Vec<Concretised> {
    noted(program.concretised())
}

/// Why runs were left out.
pub fn left_out(program: &Target) -> Vec<Concretised> {
    noted(program.left_out())
}

fn noted(notes: Vec<(String, u64)>) -> Vec<Concretised> {
    notes.into_iter().map(|(what, times)| Concretised { what, times }).collect()
}

/// The solver's counters as reported.
pub fn solver_use(solver: &pessimum_solver::Counters) -> SolverUse {
    let layer = |&name: &LayerName| {
        let counters = solver.layer(name);
        let used = LayerUse {
            queries: counters.queries,
            sat: counters.sat,
            unsat: counters.unsat,
            gave_up: counters.gave_up,
            time_s: counters.time.as_secs_f64(),
            checked: counters.checked,
            disagreed: counters.disagreed,
            undecided: counters.undecided,
        };
        (name.name().to_string(), used)
    };
    let layers = LayerName::ALL.iter().map(layer).collect();
    SolverUse { queries: solver.queries, layers, unknown: solver.unknown }
}

/// Paths by how they ended.
pub fn ends(found: &SearchResult) -> BTreeMap<String, u64> {
    found.ends.iter().map(|(end, count)| (end.to_string(), *count)).collect()
}
