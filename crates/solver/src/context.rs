//! The conditions of one path and a witness that satisfies all of them.

use std::time::{Duration, Instant};

use pessimum_term::{Arena, Revision, TermId, VariableId, Witness};

use crate::layers::{self, Layer, QueryLimits, Reply};
use crate::path::{Change, Path, Query};
use crate::recheck::{self, LoggedQuery, Status, Verdict};
use crate::validate::Validator;
use crate::{Answer, Assumed, Counters, LayerName, Settings, Until, Why};

/// The conditions of one path, a witness that satisfies all of them, and what the layers know about them.
///
/// The conditions must stay valid terms of one arena while they are assumed: [`Arena::collect`] needs a
/// [`Context::restart`] afterwards, and [`Arena::release`] a [`Context::truncate`] to the conditions that are left.
pub struct Context {
    settings: Settings,
    counters: Counters,
    path: Path,
    layers: Vec<Box<dyn Layer>>,
    /// The site of the decision that asks, for [`Settings::log`].
    site: Option<u32>,
    /// Checks the layers' answers, if [`Settings::validate`] is set.
    validator: Option<Validator>,
    /// The last question that the witness did not answer, for an `assume` right after it.
    answered: Option<Answered>,
    patience: Option<Patience>,
}

/// How much circuits have done in vain, and how much of that they may.
enum Patience {
    /// In time, see [`Context::set_fruitless_share`].
    Timed { share: f64, since: Instant, fruitless: Duration },
    /// In work as layers count it, see [`Context::set_fruitless_work`].
    Counted { each_path: u64, allowed: u64, fruitless: u64 },
}

impl Patience {
    fn is_over(&self) -> bool {
        match self {
            Patience::Timed { share, since, fruitless } => {
                *fruitless > FIRST_PATIENCE + since.elapsed().mul_f64(*share)
            }
            Patience::Counted { allowed, fruitless, .. } => fruitless > allowed,
        }
    }

    /// How long one question may take. A little more than is left, so that the last one is not cut off at its beginning.
    fn left(&self) -> Option<Duration> {
        match self {
            Patience::Timed { share, since, fruitless } => {
                let allowed = FIRST_PATIENCE + since.elapsed().mul_f64(*share);
                Some(allowed.saturating_sub(*fruitless) + WORTH_OF_AN_INPUT)
            }
            Patience::Counted { .. } => None,
        }
    }

    /// Another path begins.
    fn restarted(&mut self) {
        if let Patience::Counted { each_path, allowed, .. } = self {
            *allowed = allowed.saturating_add(*each_path);
        }
    }

    /// Adds what a layer took for its answer. The Boolean layer is quick where it is at home: only what it takes beyond that
    /// counts.
    fn add(&mut self, layer: LayerName, taken: Duration, work: u64, reply: &Reply) {
        let (time, effort) = match reply {
            Reply::Sat(_) => (WORTH_OF_AN_INPUT, WORK_OF_AN_INPUT),
            _ if layer == LayerName::Boolean => (QUICK, QUICK_WORK),
            _ => (Duration::ZERO, 0),
        };
        match self {
            Patience::Timed { fruitless, .. } => *fruitless += taken.saturating_sub(time),
            Patience::Counted { fruitless, .. } => *fruitless += work.saturating_sub(effort),
        }
    }
}

/// What circuits may take in vain besides their share.
const FIRST_PATIENCE: Duration = Duration::from_millis(100);

/// The same as work.
const FIRST_WORK: u64 = 1_000_000;

/// The time that an input is worth: in as much, a search tries hundreds of others. What it took beyond that was in vain.
const WORTH_OF_AN_INPUT: Duration = Duration::from_millis(20);

/// The same as work.
const WORK_OF_AN_INPUT: u64 = 200_000;

/// What the Boolean layer may take for an answer that is no input.
const QUICK: Duration = Duration::from_millis(1);

/// The same as work.
const QUICK_WORK: u64 = 10_000;

struct Answered {
    condition: TermId,
    revision: Revision,
    outcome: Outcome,
}

enum Outcome {
    Sat(Vec<Change>),
    Unsat(Vec<TermId>),
    Unknown(Why),
}

/// For the cheap layers, one query in this many is timed.
const TIMED_EVERY: u64 = 64;

impl Context {
    /// A context without conditions, with the all-zero witness.
    pub fn new(settings: Settings) -> Context {
        let layers = layers::stack(&settings);
        let validator = settings.validate.then(Validator::default);
        Context {
            settings,
            counters: Counters::default(),
            path: Path::default(),
            layers,
            site: None,
            validator,
            answered: None,
            patience: None,
        }
    }

    /// Drops all conditions and starts again from this witness (a new path). Keeps the counters.
    pub fn restart(&mut self, witness: Witness) {
        self.path.restart(witness);
        self.answered = None;
        if let Some(patience) = &mut self.patience {
            patience.restarted();
        }
        for layer in &mut self.layers {
            layer.restarted();
        }
    }

    /// The conditions, oldest first.
    pub fn conditions(&self) -> &[TermId] {
        &self.path.conditions
    }

    /// The witness; it satisfies every condition.
    pub fn witness(&self) -> &Witness {
        self.path.evaluator.witness()
    }

    /// The value of a term under the witness.
    pub fn value(&mut self, arena: &Arena, term: TermId) -> u64 {
        self.path.value(arena, term)
    }

    /// Which layer answered how many queries, and how long that took.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Says which site asks from now on, for the names of logged queries; `None` for conditions that no decision made.
    pub fn set_site(&mut self, site: Option<u32>) {
        self.site = site;
    }

    /// Sets the conflicts per call of the SAT solver, for searches that would rather try something else than wait.
    pub fn set_conflicts(&mut self, conflicts: u64) {
        self.settings.conflicts = conflicts;
    }

    /// From now on, circuits, local search and the Boolean layer are asked only while what they took in vain (to answer "no",
    /// to give up, or to find an input too slowly) is at most this share of the time since; beyond that, a query that would
    /// need them is given up on at once. What was taken in vain since an earlier call stays. Answers depend on the machine then: this is for searches that are limited by time, have other
    /// ways to spend it and do not need every path.
    pub fn set_fruitless_share(&mut self, share: f64) {
        match &mut self.patience {
            Some(Patience::Timed { share: now, .. }) => *now = share,
            other => *other = Some(Patience::Timed { share, since: Instant::now(), fruitless: Duration::ZERO }),
        }
    }

    /// The same for searches that are limited by paths, counted so that they can be repeated exactly: for each path,
    /// circuits and local search may do this much in vain, in about the effort of a propagation of the SAT solver. What
    /// one path does not need is left for others.
    pub fn set_fruitless_work(&mut self, each_path: u64) {
        match &mut self.patience {
            Some(Patience::Counted { each_path: now, .. }) => *now = each_path,
            other => *other = Some(Patience::Counted { each_path, allowed: FIRST_WORK, fruitless: 0 }),
        }
    }

    /// Sets how long all work together may go on.
    pub fn set_until(&mut self, until: Until) {
        self.settings.until = until;
    }

    /// Adds a condition, moving the witness if necessary. A caller that wants as many of several conditions as possible
    /// assumes them one by one; a condition that conflicts is not added.
    pub fn assume(&mut self, arena: &mut Arena, condition: TermId) -> Assumed {
        if self.path.value(arena, condition) == 1 {
            self.count_held();
            self.path.add(arena, condition);
            self.answered = None;
            return Assumed::Held;
        }
        match self.solve(arena, condition) {
            Outcome::Unsat(core) => Assumed::Conflict(core.clone()),
            Outcome::Unknown(why) => Assumed::Unknown(*why),
            Outcome::Sat(_) => {
                if let Some(Answered { outcome: Outcome::Sat(changes), .. }) = self.answered.take() {
                    self.path.apply(&changes);
                }
                debug_assert_eq!(self.path.value(arena, condition), 1, "the model does not satisfy the query");
                self.path.add(arena, condition);
                Assumed::Moved
            }
        }
    }

    /// Whether the condition could hold together with those assumed. Adds nothing; an `assume` of the same condition
    /// right afterwards does not solve again.
    pub fn feasible(&mut self, arena: &mut Arena, condition: TermId) -> Answer {
        if self.path.value(arena, condition) == 1 {
            self.count_held();
            return Answer::Sat(self.witness().clone());
        }
        match self.solve(arena, condition) {
            Outcome::Unsat(core) => Answer::Unsat(core.clone()),
            Outcome::Unknown(why) => Answer::Unknown(*why),
            Outcome::Sat(changes) => {
                let changes = changes.clone();
                Answer::Sat(self.changed_witness(&changes))
            }
        }
    }

    /// Like [`Context::feasible`], but without a witness or a core, so that the cost does not depend on the number of
    /// variables. `Err` says why no layer could tell.
    pub fn is_feasible(&mut self, arena: &mut Arena, condition: TermId) -> Result<bool, Why> {
        if self.path.value(arena, condition) == 1 {
            self.count_held();
            return Ok(true);
        }
        match self.solve(arena, condition) {
            Outcome::Sat(_) => Ok(true),
            Outcome::Unsat(_) => Ok(false),
            Outcome::Unknown(why) => Err(*why),
        }
    }

    fn changed_witness(&self, changes: &[Change]) -> Witness {
        let mut witness = self.witness().clone();
        for &(variable, value) in changes {
            witness.set(VariableId(variable), value);
        }
        witness
    }

    /// Forgets all but the first `length` conditions; the witness stays (it satisfies them).
    pub fn truncate(&mut self, length: usize) {
        if length >= self.path.conditions.len() {
            return;
        }
        self.path.truncate(length);
        self.answered = None;
        for layer in &mut self.layers {
            layer.truncated(length);
        }
    }

    fn count_held(&mut self) {
        self.counters.queries += 1;
        let witness = self.counters.layer_mut(LayerName::Witness);
        witness.queries += 1;
        witness.sat += 1;
    }

    /// Answers for a condition that the witness does not satisfy.
    fn solve(&mut self, arena: &Arena, condition: TermId) -> &Outcome {
        let known = self
            .answered
            .take()
            .filter(|answered| answered.condition == condition && answered.revision == arena.revision());
        let outcome = match known {
            Some(answered) => answered.outcome,
            None => {
                self.counters.queries += 1;
                match self.refuted(arena, condition) {
                    Some(outcome) => outcome,
                    None => {
                        let mut query = self.path.query(arena, condition);
                        // The order layer sees it for itself where it knows the form.
                        let excluded = query.form.is_none().then(|| self.path.excluded(arena, condition)).flatten();
                        let outcome = match excluded {
                            Some(positions) => self.said_no(arena, LayerName::Syntactic, &positions, condition),
                            None => self.ask_layers(arena, &mut query),
                        };
                        self.path.recycle(query);
                        self.counters.unknown += matches!(outcome, Outcome::Unknown(_)) as u64;
                        outcome
                    }
                }
            }
        };
        &self.answered.insert(Answered { condition, revision: arena.revision(), outcome }).outcome
    }

    fn refuted(&mut self, arena: &Arena, condition: TermId) -> Option<Outcome> {
        self.counters.layer_mut(LayerName::Syntactic).queries += 1;
        let positions = layers::refuted_by_form(arena, &self.path, condition)?;
        let outcome = self.said_no(arena, LayerName::Syntactic, &positions, condition);
        self.counters.unknown += matches!(outcome, Outcome::Unknown(_)) as u64;
        Some(outcome)
    }

    /// A layer says that the condition contradicts those at these positions. That is the outcome, unless it belongs to
    /// the sample that is re-checked, and is wrong.
    fn said_no(&mut self, arena: &Arena, layer: LayerName, positions: &[u32], condition: TermId) -> Outcome {
        let core = positions.iter().map(|&position| self.path.conditions[position as usize]);
        let core: Vec<TermId> = core.chain([condition]).collect();
        let counters = self.counters.layer_mut(layer);
        let earlier = counters.unsat;
        counters.unsat += 1;
        let Some(recheck) = self.settings.recheck.as_ref().filter(|recheck| recheck.samples(earlier)) else {
            return Outcome::Unsat(core);
        };
        counters.checked += 1;
        match recheck.check(arena, &core, layer, &self.settings.until) {
            Verdict::Agreed => Outcome::Unsat(core),
            Verdict::Undecided => {
                counters.undecided += 1;
                Outcome::Unsat(core)
            }
            Verdict::Disagreed => {
                counters.disagreed += 1;
                Outcome::Unknown(Why::Disputed)
            }
        }
    }

    fn ask_layers(&mut self, arena: &Arena, query: &mut Query) -> Outcome {
        let (outcome, layer) = self.first_answer(arena, query);
        self.log(arena, query, &outcome, layer);
        outcome
    }

    fn log(&self, arena: &Arena, query: &mut Query, outcome: &Outcome, layer: Option<LayerName>) {
        let Some(log) = self.settings.log.as_ref().filter(|log| log.is_open()) else { return };
        let condition = query.condition;
        let part = query.part(&self.path).positions.iter().map(|&at| self.path.conditions[at as usize]);
        let conditions: Vec<TermId> = part.chain([condition]).collect();
        let status = match outcome {
            Outcome::Sat(_) => Status::Sat,
            Outcome::Unsat(_) => Status::Unsat,
            Outcome::Unknown(_) => Status::Unknown,
        };
        let mut remarks = vec![match (layer, outcome) {
            (Some(layer), _) => format!("answered by the layer {}", layer.name()),
            (None, Outcome::Unknown(why)) => format!("given up: {why:?}"),
            (None, _) => String::new(),
        }];
        remarks.extend(self.site.map(|site| format!("asked at site {site}")));
        let script = recheck::script(arena, &conditions, status, &remarks);
        log.take(&LoggedQuery { status, layer, site: self.site, script });
    }

    /// The answer of the first layer that has one, with its name.
    fn first_answer(&mut self, arena: &Arena, query: &mut Query) -> (Outcome, Option<LayerName>) {
        let condition = query.condition;
        let mut why = None;
        for number in 0..self.layers.len() {
            let layer = &mut self.layers[number];
            let name = layer.name();
            let is_slow = matches!(
                name,
                LayerName::Boolean | LayerName::Blast | LayerName::LocalSearch | LayerName::FloatCircuits
            );
            let patience = self.patience.as_ref().filter(|_| is_slow);
            if patience.is_some_and(Patience::is_over) {
                why = why.or(Some(Why::Patience));
                continue;
            }
            let left = patience.and_then(Patience::left);
            let own;
            let until = match self.settings.time_per_query.into_iter().chain(left).min() {
                Some(time) if !layer.is_cheap() => {
                    own = self.settings.until.clone().and_moment(Instant::now().checked_add(time));
                    &own
                }
                _ => &self.settings.until,
            };
            let limits = QueryLimits {
                conflicts: self.settings.conflicts,
                variables: self.settings.variables,
                steps: self.settings.steps,
                until,
            };
            let counters = self.counters.layer_mut(name);
            let weight = if layer.is_cheap() { TIMED_EVERY } else { 1 };
            let start = counters.queries.is_multiple_of(weight).then(Instant::now);
            counters.queries += 1;
            let work = layer.work();
            let reply = layer.ask(arena, &mut self.path, query, &limits);
            let work = layer.work() - work;
            counters.work += work;
            if let Some(start) = start {
                let taken = start.elapsed();
                counters.time += taken * weight as u32;
                if let Some(patience) = self.patience.as_mut().filter(|_| is_slow) {
                    patience.add(name, taken, work, &reply);
                }
            }
            if let Some(validator) = &mut self.validator {
                validator.compare(arena, &mut self.path, query, name, &reply);
            }
            match reply {
                Reply::Sat(changes) => {
                    counters.sat += 1;
                    use LayerName::{Blast, FloatCircuits, LocalSearch, Middle, Sample};
                    if matches!(name, Sample | Middle | Blast | LocalSearch | FloatCircuits) {
                        self.remember(&changes);
                    }
                    return (Outcome::Sat(changes), Some(name));
                }
                Reply::Unsat(positions) => return (self.said_no(arena, name, &positions, condition), Some(name)),
                Reply::Pass => {}
                Reply::GaveUp(reason) => {
                    counters.gave_up += 1;
                    // Circuits come after it, and their reason says more.
                    if name != LayerName::Middle {
                        why = why.or(Some(reason));
                    }
                }
            }
        }
        (Outcome::Unknown(why.unwrap_or(Why::Steps)), None)
    }

    fn remember(&mut self, changes: &[Change]) {
        let witness = self.changed_witness(changes);
        for layer in &mut self.layers {
            layer.found(&witness);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patience_is_spent_by_refusals_and_by_slow_answers() {
        let since = Instant::now().checked_sub(Duration::from_secs(10)).expect("the machine has run for longer");
        let over = |milliseconds: u64, times: u32, reply: Reply| {
            let mut patience = Patience::Timed { share: 0.3, since, fruitless: Duration::ZERO };
            (0..times).for_each(|_| patience.add(LayerName::Blast, Duration::from_millis(milliseconds), 0, &reply));
            patience.is_over()
        };
        assert!(!over(20, 100, Reply::Unsat(Vec::new())));
        assert!(over(20, 200, Reply::Unsat(Vec::new())), "four seconds of ten");
        assert!(over(2000, 2, Reply::GaveUp(Why::Conflicts)));
        assert!(!over(20, 400, Reply::Sat(Vec::new())), "each of these was worth it");
        assert!(over(300, 20, Reply::Sat(Vec::new())), "inputs were found, but slowly");
    }

    /// A search goes to work several times; each time it would have had everything anew.
    #[test]
    fn what_was_in_vain_stays() {
        let mut context = Context::new(Settings::default());
        context.set_fruitless_work(10);
        let Some(patience) = &mut context.patience else { panic!("it was set") };
        patience.add(LayerName::Blast, Duration::ZERO, FIRST_WORK + 1, &Reply::GaveUp(Why::Conflicts));
        context.set_fruitless_work(10);
        assert!(context.patience.as_ref().is_some_and(Patience::is_over));
        context.set_fruitless_share(0.3);
        let Some(patience) = &mut context.patience else { panic!("it was set") };
        patience.add(LayerName::Blast, Duration::from_secs(9), 0, &Reply::GaveUp(Why::Conflicts));
        assert!(
            patience.left().is_some_and(|left| left <= WORTH_OF_AN_INPUT),
            "no question may take what is not there"
        );
        context.set_fruitless_share(0.3);
        assert!(context.patience.as_ref().is_some_and(Patience::is_over));
    }

    #[test]
    fn counted_patience_comes_with_paths() {
        let mut patience = Patience::Counted { each_path: 10, allowed: 100, fruitless: 0 };
        patience.add(LayerName::Blast, Duration::from_secs(9), 101, &Reply::GaveUp(Why::Conflicts));
        assert!(patience.is_over(), "whatever the time was");
        patience.restarted();
        assert!(!patience.is_over());
        patience.add(LayerName::Blast, Duration::ZERO, WORK_OF_AN_INPUT + 9, &Reply::Sat(Vec::new()));
        assert!(!patience.is_over());
        patience.add(LayerName::Boolean, Duration::ZERO, QUICK_WORK, &Reply::Unsat(Vec::new()));
        assert!(!patience.is_over(), "at its own price");
        patience.add(LayerName::Boolean, Duration::ZERO, QUICK_WORK + 1, &Reply::Unsat(Vec::new()));
        assert!(patience.is_over());
    }
}
