//! Our own search for suites: an archive with the shortest test of each goal, and many ways to come to the next one.
//!
//! Targets are the open goals whose branch was executed, as in DynaMOSA (Panichella, Kifetew, Tonella, TSE 2018), found by
//! executions instead of a control-flow graph. Short sequences of calls are tried one by one, each with a few paths that the
//! solver finds. Tests that come closest to a target, and those that took an arm more often than any before, are changed
//! ([`changes`]) or executed symbolically ([`paths`]): given the calls, only numbers are open, so the solver answers what
//! numbers can do, and changes of calls do the rest. Which way is gone next is up to a bandit: those that cover more for their
//! effort are gone more often.
//!
//! Every function is run before the solver is asked anything. Work of the solver counts as effort, in propagations, so
//! that a search under a budget of executions is repeatable and still notices what is slow: a library of fractions
//! spent ten seconds on 300 questions about quotients before it had run 40 tests.
//!
//! A text that is compared in a loop, letter by letter, has no distance left after both arms of the loop's branch were
//! taken, so the published adaptive trigger finds nothing to solve for. For such states calls are changed first and
//! then the solver is asked, whatever the distance says ([`Way::Prepare`]).

pub(super) mod changes;
mod paths;
mod skeletons;

use std::collections::VecDeque;
use std::hash::Hasher as _;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use crate::archive::{News, Tried};
use crate::library::Call;
use crate::sequence::Step;
use crate::settings::AutoSuiteSettings;
use crate::trials::Trials;
use changes::Change;
use pessimum_search::strategy::AutoSettings;
use pessimum_search::strategy::shared::Bandit;
use skeletons::Skeletons;

/// The ways to the next test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// The next short sequence of calls.
    Skeleton,
    /// Inputs that take a target's arm, among those that make the calls of a test near it.
    Flip,
    /// The same after a change of the test's calls: which state calls have made does not show in a distance while the values
    /// are wrong, so that the solver has to be asked.
    Prepare,
    /// Paths of a test that brought something new.
    Explore,
    /// A change of calls or values.
    Change(Change),
    /// A random test.
    Fresh,
}

impl Way {
    /// All of them, with these changes.
    fn all(changes: &[Change]) -> Vec<Way> {
        let changes = changes.iter().copied().map(Way::Change);
        [Way::Skeleton, Way::Flip, Way::Prepare, Way::Explore, Way::Fresh].into_iter().chain(changes).collect()
    }
}

/// Gains beside 1 for each goal.
const NEW_ARM: f64 = 0.2;
const CLOSER: f64 = 0.1;
const NEW_COUNT: f64 = 0.01;
const NEW_CRASH: f64 = 0.5;

/// The latest tests of the corpus, which are drawn as often as all others together.
const LATEST: usize = 16;

/// How often other calls are drawn before there seem to be none.
const DRAWS: u32 = 16;

/// Tests that wait to be explored.
const QUEUE: usize = 256;

/// Hashes of tests and flips that are remembered, so that nothing is done twice.
const REMEMBERED: usize = 1 << 22;

/// Searches until the budget is spent or everything is covered.
pub fn search(trials: &mut Trials<'_>, settings: &AutoSuiteSettings) {
    let mut auto = Auto::new(trials, settings);
    auto.begin(trials);
    while trials.stop().is_none() && auto.step(trials) {}
}

struct Auto<'s> {
    settings: &'s AutoSuiteSettings,
    ways: Vec<Way>,
    changes: Vec<Change>,
    bandit: Bandit,
    skeletons: Skeletons,
    /// Tests that brought something new and were not explored yet.
    queue: VecDeque<Arc<Tried>>,
    /// Hashes of the tests that were run.
    run: FxHashSet<u64>,
    /// Hashes of the flips that were asked for.
    asked: FxHashSet<u64>,
    /// How often each goal was a target.
    tries: FxHashMap<u32, u64>,
    /// What the way that is being gone has brought.
    gain: f64,
}

impl<'s> Auto<'s> {
    fn new(trials: &Trials<'_>, settings: &'s AutoSuiteSettings) -> Auto<'s> {
        let changes = changes::possible(trials);
        let ways = Way::all(&changes);
        Auto {
            settings,
            bandit: Bandit::new(&AutoSettings::DEFAULT, ways.iter().map(|_| true)),
            ways,
            changes,
            skeletons: Skeletons::new(trials, settings),
            queue: VecDeque::new(),
            run: FxHashSet::default(),
            asked: FxHashSet::default(),
            tries: FxHashMap::default(),
            gain: 0.0,
        }
    }

    /// Each function once, with each of a few sizes: all of them are run before the first one is explored.
    fn begin(&mut self, trials: &mut Trials<'_>) {
        let mut first = Vec::new();
        while trials.stop().is_none() {
            let Some(steps) = self.skeletons.first(trials) else { break };
            first.extend(self.try_steps(trials, steps));
        }
        self.go(trials, Way::Fresh);
        self.queue.clear();
        let most = trials.most_effort().map(|most| (most as f64 * self.settings.first_share) as u64);
        for tried in first {
            if most.is_some_and(|most| trials.effort() > most) {
                self.queue.push_back(tried);
            } else {
                self.explore(trials, &tried, None);
            }
        }
    }

    /// Goes one way; false if there is none left.
    fn step(&mut self, trials: &mut Trials<'_>) -> bool {
        let mut declined = vec![false; self.ways.len()];
        loop {
            let Some(index) = self.bandit.draw(&mut trials.random, |way| !declined[way]) else { return false };
            let before = trials.effort();
            self.gain = 0.0;
            if self.go(trials, self.ways[index]) {
                self.bandit.credit(index, self.gain, trials.effort() - before + 1);
                return true;
            }
            declined[index] = true;
        }
    }

    /// Goes a way; false if it leads nowhere now.
    fn go(&mut self, trials: &mut Trials<'_>, way: Way) -> bool {
        match way {
            Way::Skeleton => {
                let Some(steps) = self.skeletons.next(trials) else { return false };
                if let Some(tried) = self.try_steps(trials, steps) {
                    self.explore(trials, &tried, None);
                }
                true
            }
            Way::Flip => {
                let Some((target, tried)) = self.near_target(trials) else { return false };
                self.explore(trials, &tried, Some(target));
                true
            }
            Way::Prepare => {
                let Some((target, parent)) = self.near_target(trials) else { return false };
                let mate = self.corpus(trials);
                let mate = mate.as_ref().unwrap_or(&parent);
                let Some(steps) = self.other_calls(trials, &parent.steps, &mate.steps, target) else { return true };
                if let Some(tried) = self.try_steps(trials, steps)
                    && tried.reached.iter().any(|reach| reach.goal == target)
                {
                    self.explore(trials, &tried, Some(target));
                }
                true
            }
            Way::Explore => {
                let tried = match self.queue.pop_front() {
                    Some(tried) => tried,
                    None => match self.parent(trials) {
                        Some(tried) => tried,
                        None => return false,
                    },
                };
                self.explore(trials, &tried, None);
                true
            }
            Way::Fresh => {
                for _ in 0..self.batch(trials) {
                    let calls = 1 + trials.random.index(8);
                    let steps = changes::fresh(trials, calls);
                    self.try_steps(trials, steps);
                }
                !trials.shapes.callable().is_empty()
            }
            Way::Change(change) => {
                let Some(parent) = self.parent(trials) else { return false };
                for _ in 0..self.batch(trials) {
                    let mate = self.corpus(trials);
                    let mate = mate.as_ref().unwrap_or(&parent);
                    let mut steps = changes::changed(trials, change, &parent.steps, &mate.steps);
                    // More than one change now and then: some goals need two at once.
                    while trials.random.below(3) == 0 {
                        let next = self.changes[trials.random.index(self.changes.len())];
                        steps = changes::changed(trials, next, &steps, &mate.steps);
                    }
                    self.try_steps(trials, steps);
                }
                true
            }
        }
    }

    /// Steps with calls that no input was asked for yet that takes this target.
    fn other_calls(
        &mut self,
        trials: &mut Trials<'_>,
        steps: &[Step],
        mate: &[Step],
        target: u32,
    ) -> Option<Vec<Step>> {
        let changes: Vec<Change> = self.changes.iter().copied().filter(|change| change.is_of_calls()).collect();
        (0..DRAWS).find_map(|_| {
            let change = changes[trials.random.index(changes.len())];
            let mut other = match trials.random.coin() {
                true => changes::counted(trials, steps),
                false => changes::changed(trials, change, steps, mate),
            };
            while trials.random.below(3) == 0 {
                let change = changes[trials.random.index(changes.len())];
                other = changes::changed(trials, change, &other, mate);
            }
            let calls: Vec<&Call> = other.iter().map(|step| &step.call).collect();
            remember(&mut self.asked, hash_of(&(target, calls))).then_some(other)
        })
    }

    /// How many tests one use of a cheap way runs.
    fn batch(&self, trials: &Trials<'_>) -> u32 {
        if trials.is_timed() { self.settings.changes.0 } else { self.settings.changes.1 }
    }

    /// Runs a test that was not run yet.
    fn try_steps(&mut self, trials: &mut Trials<'_>, steps: Vec<Step>) -> Option<Arc<Tried>> {
        if steps.is_empty() || !remember(&mut self.run, hash_of(&steps)) {
            return None;
        }
        let (tried, news) = trials.run(steps)?;
        self.take_in(&tried, news);
        Some(tried)
    }

    /// Adds up what a test brought, and puts it into the queue if that is much.
    fn take_in(&mut self, tried: &Arc<Tried>, news: News) {
        self.gain += f64::from(news.goals)
            + NEW_ARM * f64::from(news.arms)
            + CLOSER * f64::from(news.closer.min(1))
            + NEW_COUNT * f64::from(news.counts.min(1))
            + NEW_CRASH * f64::from(news.crashes);
        if news.goals > 0 || news.arms > 0 || news.closer > 0 {
            if self.queue.len() >= QUEUE {
                self.queue.pop_front();
            }
            self.queue.push_back(Arc::clone(tried));
        }
    }

    /// A target, and a test that came as close to it as few others. Of two targets, the one that had fewer turns.
    fn near_target(&mut self, trials: &mut Trials<'_>) -> Option<(u32, Arc<Tried>)> {
        let targets = trials.archive.targets();
        if targets.is_empty() {
            return None;
        }
        let tries = |goal: &u32| self.tries.get(goal).copied().unwrap_or(0);
        let drawn = [(); 2].map(|()| targets[trials.random.index(targets.len())]);
        let target = if tries(&drawn[1]) < tries(&drawn[0]) { drawn[1] } else { drawn[0] };
        *self.tries.entry(target).or_insert(0) += 1;
        let near = trials.archive.nearest(target);
        // The closest one as often as all others together.
        let closest = near.iter().enumerate().min_by_key(|(_, (distance, test))| (*distance, test.rank()));
        let (closest, count) = (closest.map_or(0, |(index, _)| index), near.len());
        let index = if trials.random.coin() { closest } else { trials.random.index(count) };
        trials.archive.nearest(target).get(index).map(|(_, test)| (target, Arc::clone(test)))
    }

    /// A test to change: mostly one near a target.
    fn parent(&mut self, trials: &mut Trials<'_>) -> Option<Arc<Tried>> {
        if trials.random.below(4) > 0
            && let Some((_, tried)) = self.near_target(trials)
        {
            return Some(tried);
        }
        self.corpus(trials)
    }

    /// Any test of the corpus; the latest ones as often as all others together.
    fn corpus(&mut self, trials: &mut Trials<'_>) -> Option<Arc<Tried>> {
        let count = trials.archive.corpus.len();
        let from = if trials.random.coin() { count.saturating_sub(LATEST) } else { 0 };
        let drawn = from + trials.random.index((count - from).max(1));
        trials.archive.corpus.get(drawn).cloned()
    }
}

/// Remembers a hash; false if it is known already.
fn remember(known: &mut FxHashSet<u64>, hash: u64) -> bool {
    if known.len() >= REMEMBERED {
        known.clear();
    }
    known.insert(hash)
}

fn hash_of(item: &(impl std::hash::Hash + ?Sized)) -> u64 {
    let mut hasher = FxHasher::default();
    item.hash(&mut hasher);
    hasher.finish()
}
