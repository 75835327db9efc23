//! What a search for a suite is told.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use pessimum_solver::LayerName;

use crate::library::Test;
use pessimum_search::budget::{Budget, Cancel};
use pessimum_search::objective::Goal;
use pessimum_search::program::PathLimits;

/// How a search for a suite is getting on: one point of its curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Seconds since the start.
    pub seconds: f64,
    /// Test executions so far, concrete and symbolic ones together.
    pub runs: u64,
    /// Goals that are covered.
    pub covered: usize,
    /// Goals in all.
    pub goals: usize,
}

/// Who is told of each improvement (of a suite: each goal that is covered) as it happens, on the searching thread. By default
/// nobody.
#[derive(Clone)]
pub struct Listener<T = Progress>(Option<Told<T>>);

type Told<T> = Arc<dyn Fn(&T) + Send + Sync>;

impl<T> Listener<T> {
    /// Calls this function.
    pub fn new(told: impl Fn(&T) + Send + Sync + 'static) -> Listener<T> {
        Listener(Some(Arc::new(told)))
    }

    pub(crate) fn tell(&self, news: &T) {
        if let Some(told) = &self.0 {
            told(news);
        }
    }
}

impl<T> Default for Listener<T> {
    fn default() -> Listener<T> {
        Listener(None)
    }
}

impl<T> fmt::Debug for Listener<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Listener(..)" } else { "Listener(nobody)" })
    }
}

/// What every search for a suite is told, whatever its strategy.
#[derive(Clone, Debug)]
pub struct SuiteSettings {
    /// What the suite is to cover: arms of the user's code, functions, lines. Goals that a program does not have stay open.
    /// Arms that lead to the same place as another one ([`pessimum_search::places::Places::twins`]) count as one with it.
    pub goals: Vec<Goal>,
    /// When to stop. `paths` are test executions: each concrete run of a test and each symbolic path counts as one, and an
    /// execution that is made both ways with the same input counts once. Default: no limit, so give one.
    pub budget: Budget,
    /// Determines everything but times. Default 0.
    pub seed: u64,
    /// Limits of each execution. A test that reaches one of them, other than that of nested calls, is not used: it would
    /// not end. Default: ten million instructions, otherwise those of paths.
    pub limits: PathLimits,
    /// The solver's settings; [`avm_alone`] for the published solver. Default: all layers.
    pub solver: pessimum_solver::Settings,
    /// Ends the search from outside; what was found until then is the result.
    pub cancel: Cancel,
    /// The most calls in a test, at least 1. Default 40.
    pub most_calls: usize,
    /// The greatest value for a size of an array that is drawn. Small ones are drawn far more often. Default 16.
    pub most_size: u32,
    /// The greatest value to which our own strategy makes a size grow in tests that came close to a goal, at least
    /// [`SuiteSettings::most_size`]. Default 128: limits of texts are often a power of two or a few dozen.
    pub most_grown_size: u32,
    /// Whether the tests of the result are minimised. Default true.
    pub minimise: bool,
    /// The most executions that minimising may take, beside the budget. Default 20,000.
    pub minimise_runs: u64,
    /// Who is told of progress. Default: nobody.
    pub listener: Listener,
    /// Who is told of each test with news, before it counts as progress. Default: nobody.
    pub found: Listener<Test>,
    /// What earlier parts of the search found. It is run first, beside the budget. Default: nothing.
    pub known: Vec<Test>,
}

impl Default for SuiteSettings {
    fn default() -> SuiteSettings {
        SuiteSettings {
            goals: Vec::new(),
            budget: Budget::default(),
            seed: 0,
            limits: PathLimits { instructions: 10_000_000, ..PathLimits::default() },
            solver: pessimum_solver::Settings::default(),
            cancel: Cancel::default(),
            most_calls: 40,
            most_size: 16,
            most_grown_size: 128,
            minimise: true,
            minimise_runs: 20_000,
            listener: Listener::default(),
            found: Listener::default(),
            known: Vec::new(),
        }
    }
}

/// The solver of the paper (section IV-A): the alternating variable method alone. Conditions that the present values
/// satisfy need no solver, as there.
pub fn avm_alone(settings: pessimum_solver::Settings) -> pessimum_solver::Settings {
    pessimum_solver::Settings { layers: vec![LayerName::LocalSearch], ..settings }
}

/// The strategy of a search for a suite.
#[derive(Clone, Debug)]
pub enum SuiteStrategy {
    /// Ours.
    Auto(AutoSuiteSettings),
    /// Whole suites as individuals, as published, with dynamic symbolic execution if its settings say so.
    WholeSuite(WholeSuiteSettings),
}

impl Default for SuiteStrategy {
    fn default() -> SuiteStrategy {
        SuiteStrategy::Auto(AutoSuiteSettings::default())
    }
}

/// The genetic search over whole suites: Fraser and Arcuri, "Whole Test Suite Generation" (TSE 2013), whose numbers are the
/// defaults, as used by Galeotti, Fraser and Arcuri (ISSRE 2013), section III-A.
#[derive(Clone, Debug, PartialEq)]
pub struct WholeSuiteSettings {
    /// Suites in the population, at least 2. Default 80.
    pub population: usize,
    /// The probability that two parents are crossed. Default 0.75.
    pub crossover: f64,
    /// The fittest suites that survive as they are, below the population. Default 1.
    pub elite: usize,
    /// How much the fittest is preferred to the average, from 1 to 2. Default 1.7.
    pub rank_bias: f64,
    /// Sigma: the probability that a mutated suite gets a new test; another one with its square, and so on. Default 0.1.
    pub insertion: f64,
    /// The probability that a mutated test gets a new call when its turn to insert comes; another one with its square, and
    /// so on. Default 0.5.
    pub statement_insertion: f64,
    /// The most statements of a test. Default 80.
    pub most_statements: usize,
    /// The most tests of a suite of the first population, at least 1. Default 10.
    pub first_tests: usize,
    /// The most tests of a suite. Default 100.
    pub most_tests: usize,
    /// The probability that a parameter reuses a statement that fits, where there is one. Default 0.9 as in EvoSuite for
    /// objects; half as often for primitives.
    pub reuse: f64,
    /// Whether the result also has the tests of goals that the best suite lost or never had. As published: false.
    pub archive: bool,
    /// Dynamic symbolic execution; none for the genetic search alone. Default: none.
    pub dse: Option<DseSettings>,
}

impl Default for WholeSuiteSettings {
    fn default() -> WholeSuiteSettings {
        WholeSuiteSettings {
            population: 80,
            crossover: 0.75,
            elite: 1,
            rank_bias: 1.7,
            insertion: 0.1,
            statement_insertion: 0.5,
            most_statements: 80,
            first_tests: 10,
            most_tests: 100,
            reuse: 0.9,
            archive: false,
            dse: None,
        }
    }
}

/// Dynamic symbolic execution of suites: Galeotti, Fraser and Arcuri (ISSRE 2013), sections III-B and III-C. The defaults are
/// the best configuration of section IV-B.
#[derive(Clone, Debug, PartialEq)]
pub struct DseSettings {
    /// The time of one application, where nothing but time is limited. Default 30 s.
    pub time: Duration,
    /// The share of the budget, of time or of executions, that one application may take whatever the other limits say,
    /// from 0 to 1. The paper has 30 s of 10 minutes, so that no application can take what the genetic search needs; in a
    /// budget of seconds the first one would take all that is left. Default 0.05, the paper's ratio.
    pub share: f64,
    /// The most questions to the solver in one application, which is all that counts where executions are limited.
    /// Default 1000.
    pub queries: u64,
    /// The most that the slow layers of the solver may do in one application, in propagations, which is what stands for its
    /// time where executions are limited. Default 50 million: a few seconds.
    pub work: u64,
    /// Conflicts of one question, and gates of its circuits, at which our solver gives it up; where nothing but time is limited
    /// there is also a thirtieth of the time of the application. Without limits, one question about quotients of 64 bits
    /// took all of every application, and the easy ones behind it were never asked. Default 1000 and 100,000.
    pub conflicts: u64,
    /// See [`DseSettings::conflicts`].
    pub gates: u32,
    /// Whether every new test is kept, and not only those that make the suite fitter. Default false.
    pub keep_all: bool,
    /// Whether only conditions of branches that the suite has seen one way are negated. Default true.
    pub filter: bool,
    /// P: the probability of an application where one is due, from 0 to 1. Default 1.
    pub probability: f64,
    /// R: P is multiplied by it after an application that kept a test, up to 1, and divided by it after one that kept
    /// none. At least 1. Default 1.
    pub rate: f64,
    /// Whether it is applied to every suite that qualifies, and not only to the best one. Default false.
    pub to_all: bool,
    /// Whether an application is due only if the fitness of the suite has changed after a mutation that included a primitive
    /// value; otherwise whenever the best suite has changed. Default true.
    pub adaptive: bool,
}

impl Default for DseSettings {
    fn default() -> DseSettings {
        DseSettings {
            time: Duration::from_secs(30),
            share: 0.05,
            queries: 1000,
            work: 50_000_000,
            conflicts: 1000,
            gates: 100_000,
            keep_all: false,
            filter: true,
            probability: 1.0,
            rate: 1.0,
            to_all: false,
            adaptive: true,
        }
    }
}

/// The numbers that our own strategy works with.
#[derive(Clone, Debug, PartialEq)]
pub struct AutoSuiteSettings {
    /// Paths of one skeleton or test that are explored at a time. Default 12.
    pub paths: u64,
    /// Questions to the solver about one skeleton or test at a time. Default 48.
    pub queries: u64,
    /// Conflicts per question. Default 1000.
    pub conflicts: u64,
    /// Gates of the circuits of a question. Default 100,000.
    pub gates: u32,
    /// What the slow layers of the solver may do for one skeleton or test at a time, in propagations. Default 2 million: about
    /// a twentieth of a second.
    pub work: u64,
    /// Decisions on addresses and lengths that are asked for their other values, for one skeleton or test at a time. Default 64.
    pub addresses: u32,
    /// The share of the budget of time that one skeleton or test may take at a time, from 0 to 1, whatever the other limits
    /// say, which count only what can be counted. Default 0.02: without it one test on a busy machine took all of a budget
    /// for the other values of its addresses.
    pub share: f64,
    /// The share of the budget that exploring each function alone may take at the beginning, from 0 to 1. Default 0.2.
    pub first_share: f64,
    /// Changed tests that are run each time, and where executions are limited. Default 16 and 4.
    pub changes: (u32, u32),
    /// Tests that are kept for each open goal because none came closer. Default 4.
    pub nearest: usize,
    /// Tests that are kept because they took an arm more often than any before, by powers of two. Default 1024.
    pub corpus: usize,
    /// The most calls, beside those that make handles, in the sequences that are tried one by one. Default 3.
    pub skeleton_calls: usize,
    /// The most skeletons of each length that are tried. Default 2000.
    pub skeletons: usize,
}

impl Default for AutoSuiteSettings {
    fn default() -> AutoSuiteSettings {
        AutoSuiteSettings {
            paths: 12,
            queries: 48,
            conflicts: 1000,
            gates: 100_000,
            work: 2_000_000,
            addresses: 64,
            share: 0.02,
            first_share: 0.2,
            changes: (16, 4),
            nearest: 4,
            corpus: 1024,
            skeleton_calls: 3,
            skeletons: 2000,
        }
    }
}
