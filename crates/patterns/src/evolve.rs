//! The search for generators: all candidates at a size somewhat above the search's, the best of them evolved at a larger
//! one, and the best of those compared at a still larger one.
//!
//! Candidates that spend their cost in different places are kept apart from the beginning (niches by the branch that is
//! taken most), because a program may have several root causes.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash as _, Hasher as _};

use rustc_hash::FxHasher;

use crate::induce::{Material, Palette, cut, induced, palette};
use crate::language::{Pattern, Slot};
use crate::vary::{crossed, mutated, plainer, simpler};
use pessimum_term::random::Random;

/// Runs inputs of every size.
pub trait Runner {
    /// The slots of the input at this size; none where there is no such input.
    fn slots(&self, size: u64) -> Option<Vec<Slot>>;

    /// Runs an input of this size for at most as many instructions.
    fn run(&mut self, size: u64, values: Vec<u64>, instructions: u64) -> Trial;

    /// Whether there is no time left.
    fn is_spent(&self) -> bool;
}

/// What a run did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trial {
    /// What is maximised; 0 where the input is not allowed, or the run ended in a way that does not count.
    pub cost: u64,
    /// Instructions executed.
    pub instructions: u64,
    /// Whether the run was cut off, so that it would have cost more.
    pub cut: bool,
    /// How often each branch was taken.
    pub arms: Vec<u64>,
}

/// How much is tried.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Generators that are read off inputs and enumerated.
    pub induced: usize,
    /// Generators that are made by evolution.
    pub evolved: usize,
    /// Evolution ends if as many in a row bring nothing.
    pub patience: usize,
    /// Instructions of all runs together.
    pub instructions: u64,
    /// The seed.
    pub seed: u64,
}

impl Default for Effort {
    /// A few seconds.
    fn default() -> Effort {
        Effort { induced: 30_000, evolved: 12_000, patience: 4_000, instructions: 6_000_000_000, seed: 1 }
    }
}

/// A generator, and what it costs at the size at which all were compared last.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The generator.
    pub pattern: Pattern,
    /// What it costs.
    pub score: Score,
    /// How often each branch was taken there.
    pub arms: Vec<u64>,
}

/// What a candidate is worth. Greater is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Score {
    /// How often the size had to be halved until the run was not cut off.
    pub halvings: u32,
    /// The cost at that size.
    pub cost: u64,
}

impl Score {
    /// Whether this is at least nearly as good as another one.
    fn keeps(self, other: Score) -> bool {
        self.halvings > other.halvings
            || (self.halvings == other.halvings && self.cost as f64 >= KEPT * other.cost as f64)
    }
}

/// The part of the cost that a simpler generator must keep.
const KEPT: f64 = 0.97;

/// A size at which candidates are compared, and the most instructions of one run there.
#[derive(Clone, Copy, Debug)]
struct Stage {
    size: u64,
    instructions: u64,
    /// Whether the next size counts as well.
    twice: bool,
}

/// Candidates in one niche, and niches, that take part in evolution.
const IN_NICHE: usize = 5;
const NICHES: usize = 20;
/// Candidates that are compared at the last size.
const FINALISTS: usize = 24;
/// How many of the best are compared at the very largest size, besides those of other niches.
const LEADING: usize = 5;
/// How many of the best must not crash at a larger size.
const LEADERS: usize = 3;
/// Candidates of different causes that are returned.
const CAUSES: usize = 6;

/// Two candidates whose profiles are less alike than this (cosine) spend their cost in different places.
const ALIKE: f64 = 0.5;
/// What a simpler candidate must have in common with the one that it stands for: it explains the same cause.
const SAME: f64 = 0.8;

/// Instructions of all runs that make one candidate simpler.
const SIMPLIFYING: u64 = 600_000_000;

struct Work<'r> {
    runner: &'r mut dyn Runner,
    spent: u64,
    most: u64,
    /// Inputs that were run at the current stage: equal ones are run once.
    seen: BTreeSet<u64>,
    /// How often the last candidate's size was halved: the next one's is probably, too.
    guess: u32,
}

impl<'r> Work<'r> {
    fn new(runner: &'r mut dyn Runner, most: u64) -> Work<'r> {
        Work { runner, spent: 0, most, seen: BTreeSet::new(), guess: 0 }
    }

    fn is_over(&self) -> bool {
        self.spent >= self.most || self.runner.is_spent()
    }

    fn run(&mut self, pattern: &Pattern, size: u64, instructions: u64) -> Option<Trial> {
        let slots = self.runner.slots(size)?;
        let trial = self.runner.run(size, pattern.at(size, &slots), instructions);
        self.spent = self.spent.saturating_add(trial.instructions).saturating_add(2000);
        Some(trial)
    }

    /// Runs a candidate at a stage; none where the same input was run there before, or does not count. The size is
    /// halved until the run is not cut off.
    fn weigh(&mut self, pattern: &Pattern, stage: Stage, fresh_only: bool) -> Option<Candidate> {
        if fresh_only {
            let slots = self.runner.slots(stage.size)?;
            if !self.seen.insert(hash(&pattern.at(stage.size, &slots))) {
                return None;
            }
        }
        let size = |halvings: u32| stage.size >> halvings;
        let mut halvings = self.guess;
        let mut trial = self.run(pattern, size(halvings), stage.instructions)?;
        if trial.cut {
            while trial.cut {
                if size(halvings) <= 2 || self.runner.is_spent() {
                    return None;
                }
                halvings += 1;
                trial = self.run(pattern, size(halvings), stage.instructions)?;
            }
        } else {
            while halvings > 0 {
                let larger = self.run(pattern, size(halvings - 1), stage.instructions)?;
                if larger.cut {
                    break;
                }
                (trial, halvings) = (larger, halvings - 1);
            }
        }
        self.guess = halvings;
        if trial.cost == 0 {
            return None;
        }
        let mut score = Score { halvings, cost: trial.cost };
        if stage.twice {
            // What holds at one size only is no pattern: what is left over falls elsewhere at the next one.
            let next = self.run(pattern, size(halvings) + 1, stage.instructions)?;
            if !next.cut {
                score.cost = score.cost.min(next.cost);
            }
        }
        (score.cost > 0).then(|| Candidate { pattern: pattern.clone(), score, arms: trial.arms })
    }

    /// The same candidates at another stage, best first. Where there is no time for that, they stay as they are. Where one of
    /// the best no longer returns (a stack may overflow), the size is halved for all, down to the least: a program that
    /// crashes at a large size is no less slow at smaller ones.
    ///
    /// Also returns the stage whose scores these are; none if they are those from before.
    fn again(&mut self, candidates: Vec<Candidate>, mut stage: Stage, least: u64) -> (Vec<Candidate>, Option<Stage>) {
        while stage.size > least {
            self.seen.clear();
            let mut again = Vec::new();
            let mut failed = false;
            for (place, candidate) in candidates.iter().enumerate() {
                if self.is_over() {
                    return (candidates, None);
                }
                let known = self.seen.len();
                let weighed = self.weigh(&candidate.pattern, stage, true);
                // One whose input another one had is no failure.
                failed |= place < LEADERS && weighed.is_none() && self.seen.len() > known;
                if failed {
                    break;
                }
                again.extend(weighed);
            }
            if !failed && !again.is_empty() {
                sort(&mut again);
                return (again, Some(stage));
            }
            stage.size /= 2;
        }
        (candidates, None)
    }

    /// Instructions that any run takes, whatever its input: the longest run of a tiny one.
    fn overhead(&mut self, patterns: &[Pattern]) -> u64 {
        const TINY: u64 = 2;
        const MOST: u64 = 50_000_000;
        let few = patterns.iter().take(3);
        few.filter_map(|pattern| self.run(pattern, TINY, MOST)).map(|trial| trial.instructions).max().unwrap_or(0)
    }
}

fn hash(values: &[u64]) -> u64 {
    let mut hasher = FxHasher::default();
    values.hash(&mut hasher);
    hasher.finish()
}

/// The best first; among equals the shortest.
fn sort(candidates: &mut [Candidate]) {
    candidates.sort_by(|one, other| {
        other
            .score
            .cmp(&one.score)
            .then_with(|| (one.pattern.length(), &one.pattern).cmp(&(other.pattern.length(), &other.pattern)))
    });
}

/// The branch that is taken most: where a candidate spends its cost.
fn niche(arms: &[u64]) -> usize {
    let most = arms.iter().copied().max().unwrap_or(0);
    arms.iter().position(|&count| count == most).unwrap_or(0)
}

/// Where a candidate belongs: by where it spends its cost, and by whether it makes names, which grow longer. Those that do not are
/// ahead of them at small sizes, as long as there are enough different bytes.
fn home(candidate: &Candidate) -> (usize, bool) {
    (niche(&candidate.arms), candidate.pattern.with_even_names().is_some())
}

/// The part of all branches taken that is the one taken most: 1 where the cost is in one place only.
fn purity(arms: &[u64]) -> f64 {
    let all: u64 = arms.iter().sum();
    arms.iter().copied().max().unwrap_or(0) as f64 / all.max(1) as f64
}

/// Candidates that spend their cost at the same branch.
#[derive(Default)]
struct Niche {
    /// The best first.
    members: Vec<Candidate>,
    /// The best among those that hardly spend any elsewhere: what costs most may be a mixture of several causes.
    pure: Option<Candidate>,
}

/// The best of each niche, and the best niches.
#[derive(Default)]
struct Population {
    niches: BTreeMap<(usize, bool), Niche>,
}

impl Population {
    /// Takes a candidate in if it is among the best of its niche. Returns whether it is the best there by more than a
    /// trifle.
    fn offer(&mut self, candidate: Candidate) -> bool {
        let niche = self.niches.entry(home(&candidate)).or_default();
        let worth = |of: &Candidate| (of.score.halvings, (of.score.cost as f64 * purity(&of.arms)) as u64);
        if niche.pure.as_ref().is_none_or(|pure| worth(pure) < worth(&candidate)) {
            niche.pure = Some(candidate.clone());
        }
        let best = niche.members.first().map(|best| best.score);
        let score = candidate.score;
        niche.members.push(candidate);
        sort(&mut niche.members);
        niche.members.truncate(IN_NICHE);
        best.is_none_or(|best| {
            score.halvings > best.halvings
                || (score.halvings == best.halvings && score.cost as f64 > 1.01 * best.cost as f64)
        })
    }

    /// Only the best niches stay.
    fn trim(&mut self) {
        let mut order: Vec<(Score, (usize, bool))> =
            self.niches.iter().filter_map(|(&at, niche)| Some((niche.members.first()?.score, at))).collect();
        order.sort_by_key(|&(score, at)| (std::cmp::Reverse(score), at));
        for &(_, at) in order.iter().skip(NICHES) {
            self.niches.remove(&at);
        }
    }

    fn all(&self) -> Vec<Candidate> {
        let niches = self.niches.values();
        let mut all: Vec<Candidate> =
            niches.flat_map(|niche| niche.members.iter().chain(&niche.pure)).cloned().collect();
        sort(&mut all);
        all
    }

    /// The best and the purest of each niche, the best first.
    fn finalists(&self) -> Vec<Candidate> {
        let niches = self.niches.values();
        let mut all: Vec<Candidate> =
            niches.flat_map(|niche| niche.members.iter().take(2).chain(&niche.pure)).cloned().collect();
        sort(&mut all);
        all.truncate(FINALISTS);
        all
    }

    /// A parent: of any niche, or one of the best.
    fn parent(&self, ranking: &[Candidate], random: &mut Random) -> Option<Pattern> {
        if random.below(2) == 0 {
            let niche = self.niches.values().nth(random.index(self.niches.len().max(1)))?;
            let members = niche.members.len() + usize::from(niche.pure.is_some());
            let chosen = niche.members.iter().chain(&niche.pure).nth(random.index(members.max(1)));
            return chosen.map(|candidate| candidate.pattern.clone());
        }
        let most = ranking.len().min(8);
        let (one, other) = (random.index(most.max(1)), random.index(most.max(1)));
        ranking.get(one.min(other)).map(|candidate| candidate.pattern.clone())
    }
}

/// The best generators, those that spend their cost in different places apart, the best first. `base` is the largest
/// size that was searched.
pub fn synthesise(runner: &mut dyn Runner, material: &Material, base: u64, effort: &Effort) -> Vec<Candidate> {
    let mut first = Stage { size: (4 * base).clamp(48, 4096), instructions: 200_000, twice: false };
    let mut second = Stage { size: 3 * first.size + 1, instructions: 1_500_000, twice: true };
    let mut third = Stage { size: 16 * first.size + 6, instructions: 20_000_000, twice: true };
    let mut last = Stage { size: 8 * third.size, instructions: 60_000_000, twice: false };
    let Some(slots) = runner.slots(first.size) else { return Vec::new() };
    if slots.is_empty() {
        return Vec::new();
    }
    let palettes = palettes(runner, material, &slots);
    let seeds = induced(material, &|size| runner.slots(size), &palettes);
    let mut random = Random::new(effort.seed);
    let mut work = Work::new(runner, effort.instructions);
    let overhead = work.overhead(&seeds);
    for stage in [&mut first, &mut second, &mut third, &mut last] {
        stage.instructions = stage.instructions.saturating_add(2 * overhead);
    }
    // What can be seen at a glance: one run each, at a size at which growth begins to show.
    let mut population = Population::default();
    let share = effort.instructions / 3;
    for pattern in seeds.iter().take(effort.induced) {
        if work.spent >= share || work.runner.is_spent() {
            break;
        }
        if let Some(candidate) = work.weigh(pattern, first, true) {
            population.offer(candidate);
        }
    }
    population.trim();
    let promising = population.all();
    let mut population = Population::default();
    for candidate in work.again(promising, second, first.size).0 {
        population.offer(candidate);
    }
    evolve(&mut work, &mut population, second, (&slots, &palettes), effort, &mut random);
    population.trim();
    let finalists = population.finalists();
    // The last comparison has something left even if evolution took all there was.
    work.most = work.most.saturating_add(effort.instructions / 4);
    let (ranking, at_third) = work.again(finalists, third, second.size);
    // A few of them at a size at which what is bounded, such as the number of different bytes, has come to its end.
    let (ranking, at_last) = work.again(leading(ranking), last, third.size);
    let large = at_last.or(at_third).unwrap_or(second);
    // Causes are told apart again when everything superfluous is gone, which may come from another cause.
    let simple: Vec<Candidate> =
        causes(ranking).into_iter().map(|candidate| simplified(&mut work, candidate, (second, large))).collect();
    causes(simple)
}

/// The best, and the best of each other niche.
fn leading(ranking: Vec<Candidate>) -> Vec<Candidate> {
    let mut niches = BTreeSet::new();
    let mut place = 0;
    let mut is_leading = |candidate: &Candidate| {
        place += 1;
        niches.insert((home(candidate), purity(&candidate.arms) > 0.9)) || place <= LEADING
    };
    let mut leading = ranking;
    leading.retain(|candidate| is_leading(candidate));
    leading.truncate(2 * LEADING);
    leading
}

/// The best of these generators, those that spend their cost in different places apart: nothing is varied.
pub fn chosen(runner: &mut dyn Runner, patterns: &[Pattern], base: u64, effort: &Effort) -> Vec<Candidate> {
    let mut work = Work::new(runner, effort.instructions);
    let instructions = work.overhead(patterns).saturating_mul(2).saturating_add(4_000_000);
    let stage = Stage { size: 16 * base, instructions, twice: false };
    let mut ranking: Vec<Candidate> = patterns.iter().filter_map(|pattern| work.weigh(pattern, stage, true)).collect();
    sort(&mut ranking);
    causes(ranking)
}

fn palettes(runner: &dyn Runner, material: &Material, slots: &[Slot]) -> Vec<Palette> {
    let cuts: Vec<Vec<Vec<i64>>> = material
        .examples
        .iter()
        .filter_map(|example| Some(cut(example, &runner.slots(example.size)?)?.lists))
        .collect();
    let one = |(at, slot): (usize, &Slot)| {
        let lists: Vec<&[i64]> = cuts.iter().filter_map(|lists| lists.get(at).map(Vec::as_slice)).collect();
        palette(slot, &lists, &material.texts)
    };
    slots.iter().enumerate().map(one).collect()
}

fn evolve(
    work: &mut Work<'_>,
    population: &mut Population,
    stage: Stage,
    (slots, palettes): (&[Slot], &[Palette]),
    effort: &Effort,
    random: &mut Random,
) {
    let mut fruitless = 0;
    let mut ranking = population.all();
    for round in 0..effort.evolved {
        if work.is_over() || fruitless >= effort.patience {
            return;
        }
        if round % 200 == 199 {
            population.trim();
            ranking = population.all();
        }
        let Some(parent) = population.parent(&ranking, random) else { return };
        let child = match random.below(4) {
            0 => match population.parent(&ranking, random) {
                Some(other) => crossed(&parent, &other, random),
                None => parent,
            },
            _ => mutated(&parent, slots, palettes, random),
        };
        fruitless += 1;
        if let Some(candidate) = work.weigh(&child, stage, true) {
            let is_best = ranking.first().is_none_or(|best| candidate.score > best.score);
            let improves = population.offer(candidate);
            if improves {
                fruitless = 0;
            }
            if is_best {
                ranking = population.all();
            }
        }
    }
}

/// The best of each cause: after the best of all, those that cost most elsewhere than those before.
fn causes(mut ranking: Vec<Candidate>) -> Vec<Candidate> {
    sort(&mut ranking);
    let mut causes: Vec<Candidate> = Vec::new();
    while causes.len() < CAUSES {
        let alike =
            |candidate: &Candidate| causes.iter().map(|other| cosine(&other.arms, &candidate.arms)).fold(0.0, f64::max);
        let elsewhere = |candidate: &Candidate| {
            let part = 1.0 - alike(candidate).powi(2);
            (candidate.score.halvings, (candidate.score.cost as f64 * part) as u64)
        };
        ranking.retain(|candidate| alike(candidate) < ALIKE);
        // The first of several that are worth the same.
        let Some(next) = ranking.iter().rev().max_by_key(|candidate| elsewhere(candidate)).cloned() else { break };
        causes.push(next);
    }
    causes
}

/// How alike two profiles are, from 0 to 1.
pub fn cosine(one: &[u64], other: &[u64]) -> f64 {
    let dot = |one: &[u64], other: &[u64]| -> f64 {
        one.iter().zip(other).map(|(&one, &other)| one as f64 * other as f64).sum()
    };
    let (both, lengths) = (dot(one, other), dot(one, one) * dot(other, other));
    if lengths > 0.0 { both / lengths.sqrt() } else { 1.0 }
}

/// The candidate without anything that hardly matters to its cost. The smaller stage decides; where the larger one does not
/// agree in the end, it has a say in every step.
fn simplified(work: &mut Work<'_>, candidate: Candidate, (small, large): (Stage, Stage)) -> Candidate {
    work.most = work.spent.saturating_add(SIMPLIFYING);
    let simple = reduced(work, &candidate, small, None);
    let keeps =
        |weighed: &Candidate| weighed.score.keeps(candidate.score) && cosine(&weighed.arms, &candidate.arms) >= SAME;
    match work.weigh(&simple, large, false).filter(keeps) {
        Some(weighed) => weighed,
        None => {
            let simple = reduced(work, &candidate, small, Some(large));
            work.weigh(&simple, large, false).filter(keeps).unwrap_or(candidate)
        }
    }
}

/// The simplest generator found that keeps the score at the small stage, and at the large one where there is one.
fn reduced(work: &mut Work<'_>, candidate: &Candidate, small: Stage, large: Option<Stage>) -> Pattern {
    let mut best = candidate.pattern.clone();
    let Some(mut bar) = work.weigh(&best, small, false) else { return best };
    let cause = bar.arms.clone();
    let slots = work.runner.slots(small.size).unwrap_or_default();
    'again: loop {
        for pattern in simpler(&best).into_iter().chain(plainer(&best, &slots)) {
            if work.is_over() {
                return best;
            }
            let Some(weighed) = work.weigh(&pattern, small, false) else { continue };
            if !weighed.score.keeps(bar.score) || cosine(&weighed.arms, &cause) < SAME {
                continue;
            }
            if let Some(large) = large
                && !work.weigh(&pattern, large, false).is_some_and(|there| there.score.keeps(candidate.score))
            {
                continue;
            }
            if weighed.score > bar.score {
                bar = weighed;
            }
            best = pattern;
            continue 'again;
        }
        return best;
    }
}
