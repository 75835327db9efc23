//! Whole suites as individuals of a genetic search.
//!
//! Source: Fraser and Arcuri, "Whole Test Suite Generation" (TSE 2013), section 3 (its Algorithm 1 is [`Population::next`]), as
//! used by Galeotti, Fraser and Arcuri, "Improving Search-based Test Suite Generation with Dynamic Symbolic Execution" (ISSRE
//! 2013), section III-A, whose hybrid, section III-C, is [`Population::apply_dse`].

use std::sync::Arc;

use crate::archive::{Tried, contribution};
use crate::dse::{self, Refuted};
use crate::settings::{DseSettings, WholeSuiteSettings};
use crate::statements::{Breeder, Statements, contracted, expanded};
use crate::trials::Trials;
use pessimum_search::budget::Stop;

/// A test of a suite. It never changes and may belong to many suites, so that it is run once.
#[derive(Clone, Debug)]
pub struct Member {
    /// As published.
    pub statements: Statements,
    /// What its execution showed; none if the library refuses it.
    pub tried: Option<Arc<Tried>>,
}

/// How good a suite is: less is better. By fitness first, then by length.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Fitness {
    /// `|M| - |M_T| + sum of d(b, T)`.
    pub value: f64,
    /// Statements of all tests.
    pub length: usize,
}

/// An individual.
#[derive(Clone, Debug)]
pub struct Suite {
    /// Its tests, in order.
    pub tests: Vec<Arc<Member>>,
    /// How good it is.
    pub fitness: Fitness,
    /// Whether the mutation that made it changed a primitive value and its fitness is not that of its parent.
    pub responds: bool,
}

/// Statements of all tests.
fn length(tests: &[Arc<Member>]) -> usize {
    tests.iter().map(|test| test.statements.len()).sum()
}

/// How good these tests are together (section III-A). Methods are the functions of the library and the functions that are
/// goals; lines and traps that are goals count like branches that were not executed twice.
pub fn fitness(trials: &Trials<'_>, tests: &[Arc<Member>]) -> Fitness {
    let goals = trials.archive.table.len();
    let functions = trials.library().functions().len();
    let (mut covered, mut called) = (vec![false; goals], vec![false; functions]);
    let mut reached: Vec<(u64, u128)> = vec![(0, u128::MAX); goals];
    for tried in tests.iter().filter_map(|test| test.tried.as_ref()) {
        for &goal in &tried.covered {
            covered[goal as usize] = true;
        }
        for reach in &tried.reached {
            let (evaluations, distance) = &mut reached[reach.goal as usize];
            *evaluations += reach.evaluations;
            *distance = (*distance).min(reach.distance);
        }
        for step in tried.steps.iter().take(tried.returned + 1) {
            called[step.call.function] = true;
        }
    }
    let missing = called.iter().filter(|called| !**called).count() as f64;
    let open = covered.iter().zip(&reached).filter(|(covered, _)| !**covered);
    let distances: f64 = open.map(|(_, &(evaluations, distance))| contribution(evaluations, distance)).sum();
    Fitness { value: missing + distances, length: length(tests) }
}

/// How many goals these tests cover together.
pub fn covered(trials: &Trials<'_>, tests: &[Arc<Member>]) -> usize {
    let mut covered = vec![false; trials.archive.table.len()];
    for tried in tests.iter().filter_map(|test| test.tried.as_ref()) {
        tried.covered.iter().for_each(|&goal| covered[goal as usize] = true);
    }
    covered.iter().filter(|covered| **covered).count()
}

/// Searches, and returns the tests of the best suite.
pub fn search(trials: &mut Trials<'_>, settings: &WholeSuiteSettings) -> Vec<Arc<Tried>> {
    trials.by_archive = settings.archive;
    let breeder = Breeder {
        most_statements: settings.most_statements.max(1),
        most_size: trials.settings.most_size,
        most_calls: trials.settings.most_calls,
        reuse: settings.reuse,
        insertion: settings.statement_insertion.clamp(0.0, 0.99),
    };
    let probability = settings.dse.as_ref().map_or(0.0, |dse| dse.probability);
    let mut population =
        Population { settings, breeder, suites: Vec::new(), probability, announced: 0, refuted: Refuted::default() };
    population.begin(trials);
    while population.go_on(trials) {
        population.next(trials);
    }
    let best = population.best();
    let tests = best.map(|suite| suite.tests.clone()).unwrap_or_default();
    tests.iter().filter_map(|test| test.tried.clone()).collect()
}

/// The suites, the fittest first.
struct Population<'s> {
    settings: &'s WholeSuiteSettings,
    breeder: Breeder,
    suites: Vec<Suite>,
    /// P as it is now.
    probability: f64,
    /// Goals that the best suite covered when it was last told.
    announced: usize,
    /// What dynamic symbolic execution need not ask again.
    refuted: Refuted,
}

impl Population<'_> {
    fn best(&self) -> Option<&Suite> {
        self.suites.first()
    }

    /// Tells of the best suite's goals; false if the search is over.
    fn go_on(&mut self, trials: &mut Trials<'_>) -> bool {
        if let Some(best) = self.suites.first() {
            let covered = covered(trials, &best.tests);
            if covered > self.announced && !trials.by_archive {
                self.announced = covered;
                trials.advance(covered);
            }
            if covered == trials.archive.table.len() {
                trials.meter.stop(Stop::Covered);
            }
        }
        trials.stop().is_none() && !self.suites.is_empty() && !trials.shapes.callable().is_empty()
    }

    /// Runs a new test.
    fn member(&self, trials: &mut Trials<'_>, statements: Statements) -> Arc<Member> {
        let steps = expanded(&mut trials.shapes, &statements);
        let tried = trials.run(steps).map(|(tried, _)| tried);
        Arc::new(Member { statements, tried })
    }

    /// The first population: suites of random size, of random tests.
    fn begin(&mut self, trials: &mut Trials<'_>) {
        for _ in 0..self.settings.population.max(2) {
            if trials.stop().is_some() {
                break;
            }
            let count = 1 + trials.random.index(self.settings.first_tests.max(1));
            let mut tests = Vec::new();
            for _ in 0..count {
                let statements = self.breeder.draw(&mut trials.shapes, &mut trials.random);
                if !statements.is_empty() {
                    tests.push(self.member(trials, statements));
                }
            }
            let fitness = fitness(trials, &tests);
            self.suites.push(Suite { tests, fitness, responds: false });
        }
        self.sort();
    }

    fn sort(&mut self) {
        let order =
            |one: &Suite, other: &Suite| one.fitness.partial_cmp(&other.fitness).unwrap_or(std::cmp::Ordering::Equal);
        self.suites.sort_by(order);
    }

    /// A place in the ranking: the fittest `rank_bias` times as likely as the average (Whitley, ICGA 1989).
    fn rank(&self, trials: &mut Trials<'_>) -> usize {
        let bias = self.settings.rank_bias.clamp(1.000_001, 2.0);
        let drawn = bias - (bias * bias - 4.0 * (bias - 1.0) * trials.random.unit()).sqrt();
        let place = self.suites.len() as f64 * drawn / 2.0 / (bias - 1.0);
        (place as usize).min(self.suites.len() - 1)
    }

    /// One generation.
    fn next(&mut self, trials: &mut Trials<'_>) {
        let before = self.suites[0].fitness.value;
        let longest = 2 * self.suites[0].fitness.length;
        let count = self.suites.len();
        let mut next: Vec<Suite> = self.suites[..self.settings.elite.min(count - 1)].to_vec();
        while next.len() < count {
            if trials.stop().is_some() {
                // What is not replaced survives.
                let missing = count - next.len();
                next.extend(self.suites[..missing].iter().cloned());
                break;
            }
            let parents = [self.rank(trials), self.rank(trials)].map(|index| &self.suites[index]);
            let (first, second) = match trials.random.chance(self.settings.crossover) {
                true => cross(trials, &parents[0].tests, &parents[1].tests),
                false => (parents[0].tests.clone(), parents[1].tests.clone()),
            };
            let children = [(first, parents[0]), (second, parents[1])].map(|(tests, parent)| {
                let (tests, primitive) = self.mutated(trials, tests);
                let fitness = fitness(trials, &tests);
                Suite { tests, fitness, responds: primitive && fitness.value != parent.fitness.value }
            });
            let least = |suites: [&Suite; 2]| suites[0].fitness.value.min(suites[1].fitness.value);
            let total = |suites: [&Suite; 2]| suites[0].fitness.length + suites[1].fitness.length;
            let [one, other] = &children;
            let (theirs, ours) = (least([one, other]), least(parents));
            let is_fitter = theirs < ours || theirs == ours && total([one, other]) <= total(parents);
            for (child, parent) in children.iter().zip(parents) {
                // Bloat: nothing longer than twice the best, unless it is fitter than that.
                let is_short = child.fitness.length <= longest || child.fitness.value < before;
                let takes = is_fitter && is_short && !child.tests.is_empty();
                next.push(if takes { child.clone() } else { parent.clone() });
            }
        }
        next.truncate(count);
        self.suites = next;
        self.sort();
        if let Some(dse) = &self.settings.dse {
            self.apply_dse(trials, dse, before);
        }
    }

    /// Mutates a suite: each of its n tests with probability 1/n, then new tests with decreasing probability. Also returns
    /// whether a primitive value was changed.
    fn mutated(&self, trials: &mut Trials<'_>, mut tests: Vec<Arc<Member>>) -> (Vec<Arc<Member>>, bool) {
        let chance = 1.0 / tests.len().max(1) as f64;
        let mut primitive = false;
        for test in &mut tests {
            if trials.random.chance(chance) {
                let mut statements = test.statements.clone();
                primitive |= self.breeder.mutate(&mut trials.shapes, &mut trials.random, &mut statements);
                if statements != test.statements {
                    *test = self.member(trials, statements);
                }
            }
        }
        let sigma = self.settings.insertion.clamp(0.0, 0.99);
        let mut probability = sigma;
        while tests.len() < self.settings.most_tests && trials.random.chance(probability) {
            let statements = self.breeder.draw(&mut trials.shapes, &mut trials.random);
            tests.push(self.member(trials, statements));
            probability *= sigma;
        }
        tests.retain(|test| !test.statements.is_empty());
        tests.truncate(self.settings.most_tests.max(1));
        (tests, primitive)
    }

    /// Applies dynamic symbolic execution where it is due (section III-C).
    fn apply_dse(&mut self, trials: &mut Trials<'_>, dse: &DseSettings, before: f64) {
        let last = if dse.to_all { self.suites.len() } else { 1 };
        for index in 0..last {
            let suite = self.suites[index].clone();
            let due = if dse.adaptive { suite.responds } else { suite.fitness.value != before };
            // A suite that survives is not due again.
            self.suites[index].responds = false;
            if !due || trials.stop().is_some() || !trials.random.chance(self.probability) {
                continue;
            }
            let found = dse::explore(trials, dse, &mut self.refuted, &suite.tests);
            let rate = dse.rate.max(1.0);
            let succeeded = !found.is_empty();
            self.probability = if succeeded { (self.probability * rate).min(1.0) } else { self.probability / rate };
            if succeeded {
                let mut tests = suite.tests;
                tests.extend(found.into_iter().map(|tried| {
                    let statements = contracted(&mut trials.shapes, &tried.steps);
                    Arc::new(Member { statements, tried: Some(tried) })
                }));
                let fitness = fitness(trials, &tests);
                self.suites[index] = Suite { tests, fitness, responds: false };
            }
        }
        self.sort();
    }
}

/// Crosses two suites: the first part of one and the last part of the other, with the same share of each (section III-A).
fn cross(trials: &mut Trials<'_>, one: &[Arc<Member>], other: &[Arc<Member>]) -> (Vec<Arc<Member>>, Vec<Arc<Member>>) {
    let alpha = trials.random.unit();
    let cut = |tests: &[Arc<Member>]| (alpha * tests.len() as f64) as usize;
    let (first, second) = (cut(one), cut(other));
    let join = |head: &[Arc<Member>], tail: &[Arc<Member>]| head.iter().chain(tail).cloned().collect();
    (join(&one[..first], &other[second..]), join(&other[..second], &one[first..]))
}
