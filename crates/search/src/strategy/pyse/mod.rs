//! PySE: Koo, Saumya, Kulkarni, Bagchi, "PySE: automatic worst-case test generation by reinforcement learning", ICST 2019.
//!
//! Which way to go at a branch is an action, and what it costs until the next branch is its reward. A small recurrent
//! network estimates, for a decision and the few before it, what each action will bring in all (Q-learning, section
//! IV-B). Executions follow the action of the greater value, now and then a random one; after each of them the network
//! learns from everything that was experienced. In the advanced mode each execution starts with actions that no other
//! one began with (section IV-E).
//!
//! Corners that the paper leaves open, and what is done here:
//! - Equation 8 descends delta; what is meant is its magnitude, so half of its square is descended, with the target held
//!   constant. Optimiser, learning rate, batches and when an update ends ("until convergence") are not given: Adam with
//!   0.02, batches of 4, and passes over the experiences until the weights were moved 3,000 times. The published times are
//!   nine seconds per execution whatever the program, which fits a fixed number of moves. These numbers were chosen by trials
//!   on three subjects with other seeds than those of the tables; docs/results.md has them.
//! - After an infeasible action as after the end of the program there is no future reward.
//! - A site's number (F2) is given when it is first met, from 1, since 0 stands for no decision.
//! - The reward of other costs is their increase up to the next action (section VI), divided by the average increase
//!   of the first execution's actions, so that the penalty keeps its meaning. Under the cost `decisions` it is 1.
//! - Virtual executions go from observed state to observed state (section IV-E), and an infeasible action leads to none, so
//!   where one is known to be infeasible they take the other. Trying further from the start instead hardly ever gets deep
//!   into a tree where every second action is infeasible.
//! - Doubled randomness is for the rest of that one search for a prefix.
//! - A tree without an untried edge ends the search, and proves the worst case if every decision was an action.
//! - Pre-training ends with the tree, or after a number of executions: the paper stops at the worst case, which it knows.
//!   Only weights are kept.
//! - Tables, values and checks are no actions: they follow the witness.
//! - Algorithm 1 draws epsilon at every decision. A path of 435 decisions (insertion sort of 30 numbers, which the paper
//!   finds in 5 executions) then has no random wrong action with probability 0.95^435, one in five billions. Section III
//!   speaks of a proportion of executions instead, and so it is here, for real and for virtual ones; of the latter, one
//!   without random actions is made once for each prefix, since the next would be the same. `--explore decisions` is the
//!   listing's way.

mod execution;
mod learner;
mod state;
mod tree;

use super::wise::{POLICY, POLICY_OUT, TRAIN_SHARE};
use super::{Carried, Declaration, OptionDeclaration, OptionKind, Options, Purpose, Strategy, StrategyReport};
use crate::budget::Budget;
use crate::policy::{LearntPolicy, MOST_HIDDEN, MOST_HISTORY, Network, NetworkPolicy, SavedPolicy, Shape};
use crate::program::Program;
use crate::random::Random;
use crate::search::{Finished, Search, Settings};
use crate::watch::Phase;
use execution::learn;
use learner::{Ended, Learner};
use state::Numbering;
use std::time::Duration;

/// What the command line knows of it.
pub const DECLARATION: Declaration = Declaration {
    name: "pyse",
    summary: "learns by reward which side of each branch to take, with a small neural network",
    citation: Some("Koo, Saumya, Kulkarni, Bagchi, ICST 2019"),
    options: &[
        MODE,
        EPSILON,
        EXPLORE,
        HISTORY_LENGTH,
        HIDDEN,
        EXPERIENCES,
        SEARCHES,
        KNOWN_INFEASIBLE,
        PENALTY,
        LEARNING_RATE,
        BATCH,
        PASSES,
        MOVES,
        F1,
        F2,
        PRETRAIN_SIZES,
        PRETRAIN_EXECUTIONS,
        TRAIN_SHARE,
        POLICY,
        POLICY_OUT,
    ],
    learns: false,
    purpose: Purpose::Cost,
    counts_paths: false,
    make: |options| Ok(Box::new(Pyse::from_options(options)?)),
};

const fn word(
    name: &'static str,
    words: &'static [&'static str],
    default: &'static str,
    help: &'static str,
) -> OptionDeclaration {
    let kind = OptionKind::Word(words);
    OptionDeclaration { name, value: "WHICH", kind, default: Some(default), neutral: None, help }
}

const fn limited(
    name: &'static str,
    least: u64,
    most: usize,
    default: &'static str,
    help: &'static str,
) -> OptionDeclaration {
    let kind = OptionKind::Count { least, most: most as u64 };
    OptionDeclaration { name, value: "N", kind, default: Some(default), neutral: None, help }
}

const MODE: OptionDeclaration =
    word("mode", &["basic", "advanced"], "advanced", "`advanced` begins each execution with actions that are new");
const EPSILON: OptionDeclaration = OptionDeclaration::probability("epsilon", "0.1", "how often an action is random");
const EXPLORE: OptionDeclaration = word(
    "explore",
    &["decisions", "executions"],
    "executions",
    "where epsilon is drawn: at each decision, or first for the whole execution",
);
const HISTORY_LENGTH: OptionDeclaration =
    limited("history-length", 0, MOST_HISTORY, "2", "earlier decisions that the network looks at");
const HIDDEN: OptionDeclaration = limited("hidden", 1, MOST_HIDDEN, "2", "hidden units of the network");
const EXPERIENCES: OptionDeclaration =
    OptionDeclaration::count("experiences", 1, "5000", "experiences that are kept to learn from");
const SEARCHES: OptionDeclaration =
    OptionDeclaration::count("searches", 1, "200", "tries to find new actions to begin with");
const KNOWN_INFEASIBLE: OptionDeclaration = word(
    "known-infeasible",
    &["avoid", "fail"],
    "avoid",
    "a try that comes to an action known to be infeasible takes the other one, or fails",
);
const PENALTY: OptionDeclaration =
    OptionDeclaration::count("penalty", 0, "20", "what an infeasible action is punished with");
const LEARNING_RATE: OptionDeclaration =
    OptionDeclaration::probability("learning-rate", "0.02", "how far a weight moves at once");
const BATCH: OptionDeclaration = OptionDeclaration::count("batch", 1, "4", "experiences that one move learns from");
const PASSES: OptionDeclaration =
    OptionDeclaration::count("passes", 1, "1", "passes over the experiences after each execution, at least");
const MOVES: OptionDeclaration = OptionDeclaration::count(
    "moves",
    1,
    "3000",
    "moves of the weights after each execution, at least: passes are repeated until then",
);
const F1: OptionDeclaration = word(
    "f1",
    &["raw", "scaled"],
    "raw",
    "how the network sees a decision's place on its path: as a number, or as a share of the longest path",
);
const F2: OptionDeclaration =
    word("f2", &["line", "branch"], "line", "which branches the network tells apart: those of different lines, or all");
const PRETRAIN_SIZES: OptionDeclaration = OptionDeclaration {
    name: "pretrain-sizes",
    value: "SIZES",
    kind: OptionKind::Sizes,
    default: None,
    neutral: None,
    help: "sizes to learn at first, as in 5 or 2..6 (ends included) [default: none]",
};
const PRETRAIN_EXECUTIONS: OptionDeclaration =
    OptionDeclaration::count("pretrain-executions", 1, "100", "executions at each of these sizes, at most");

/// Whether executions begin with actions that the Unique Path Finder found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// They do not (Algorithm 1).
    Basic,
    /// They do (Algorithm 2).
    Advanced,
}

impl Mode {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Basic => "basic",
            Mode::Advanced => "advanced",
        }
    }
}

/// Where epsilon is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Explore {
    /// At each decision (Algorithm 1, line 4).
    Decisions,
    /// First for the whole execution, which follows the policy alone unless it is drawn (section III: "the branching
    /// policy is exploited for a proportion 1 - epsilon of executions"); if it is, then at each decision as well.
    Executions,
}

impl Explore {
    /// The probability of a random action at each decision of one execution, real or virtual.
    fn at_decisions(self, epsilon: f64, random: &mut Random) -> f64 {
        match self {
            Explore::Executions if !random.chance(epsilon) => 0.0,
            Explore::Executions | Explore::Decisions => epsilon,
        }
    }
}

/// The numbers that it works with; the defaults are those of section V where it has one.
#[derive(Clone, Debug, PartialEq)]
pub struct PyseSettings {
    /// Basic or advanced.
    pub mode: Mode,
    /// The probability of a random action, from 0 to 1.
    pub epsilon: f64,
    /// Where it is drawn.
    pub explore: Explore,
    /// History L and length of the cell's vectors.
    pub shape: Shape,
    /// N_e: experiences kept.
    pub experiences: usize,
    /// N_search: virtual executions.
    pub searches: usize,
    /// Whether a virtual execution that comes to an action known to be infeasible takes the other one, or fails.
    pub avoid_infeasible: bool,
    /// P: the reward of an infeasible action.
    pub penalty: f64,
    /// Adam's step.
    pub learning_rate: f64,
    /// Experiences per step.
    pub batch: usize,
    /// Passes over the experience set after each execution, at least.
    pub passes: usize,
    /// Moves of the weights after each execution, at least: passes are repeated until so many were made.
    pub moves: usize,
    /// Whether F1 is a share of the longest path instead of the number of the decision, which grows without limit and
    /// saturates the cell.
    pub scaled: bool,
    /// Whether F2 numbers source lines, as in the paper, or branches.
    pub lines: bool,
    /// Sizes of pre-training, ascending.
    pub pretrain: Vec<u32>,
    /// Executions at each of them, at most.
    pub pretrain_executions: u64,
    /// The part of the budget that all of them together may spend, from 0 to 1.
    pub train_share: f64,
}

impl Default for PyseSettings {
    fn default() -> PyseSettings {
        PyseSettings {
            mode: Mode::Advanced,
            epsilon: 0.1,
            explore: Explore::Executions,
            shape: Shape { history: 2, hidden: 2 },
            experiences: 5000,
            searches: 200,
            avoid_infeasible: true,
            penalty: -20.0,
            learning_rate: 0.02,
            batch: 4,
            passes: 1,
            moves: 3000,
            scaled: false,
            lines: true,
            pretrain: Vec::new(),
            pretrain_executions: 100,
            train_share: 0.5,
        }
    }
}

impl PyseSettings {
    fn from_options(options: &Options) -> Result<PyseSettings, String> {
        Ok(PyseSettings {
            mode: if options.word(&MODE)? == "basic" { Mode::Basic } else { Mode::Advanced },
            epsilon: options.probability(&EPSILON)?,
            explore: match options.word(&EXPLORE)? {
                "executions" => Explore::Executions,
                _ => Explore::Decisions,
            },
            shape: Shape { history: options.count(&HISTORY_LENGTH)?, hidden: options.count(&HIDDEN)? },
            experiences: options.count(&EXPERIENCES)?,
            searches: options.count(&SEARCHES)?,
            avoid_infeasible: options.word(&KNOWN_INFEASIBLE)? == "avoid",
            penalty: -(options.count(&PENALTY)? as f64),
            learning_rate: options.probability(&LEARNING_RATE)?,
            batch: options.count(&BATCH)?,
            passes: options.count(&PASSES)?,
            moves: options.count(&MOVES)?,
            scaled: options.word(&F1)? == "scaled",
            lines: options.word(&F2)? == "line",
            pretrain: options.sizes(&PRETRAIN_SIZES)?.unwrap_or_default(),
            pretrain_executions: options.count(&PRETRAIN_EXECUTIONS)? as u64,
            train_share: options.probability(&TRAIN_SHARE)?,
        })
    }
}

/// How executions at one size went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Course {
    /// Executions, those that came to no end included: the paper's "paths".
    pub executions: u64,
    /// Those that ended at an infeasible action.
    pub infeasible: u64,
    /// Those that ended at an action of which the solver could not tell.
    pub given_up: u64,
    /// Those that began with actions of the Unique Path Finder.
    pub prefixes: u64,
    /// The greatest cost of an execution.
    pub best: Option<u64>,
    /// Executions up to the first of this cost; 0 if there is none.
    pub until_best: u64,
}

impl Course {
    fn count(&mut self, ended: Ended) {
        self.executions += 1;
        match ended {
            Ended::Finished(cost) if self.best.is_none_or(|best| cost > best) => {
                self.best = Some(cost);
                self.until_best = self.executions;
            }
            Ended::Finished(_) => {}
            Ended::Infeasible => self.infeasible += 1,
            Ended::Unknown => self.given_up += 1,
        }
    }
}

/// Pre-training at one size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pretraining {
    /// The size.
    pub size: u32,
    /// What was done there.
    pub course: Course,
    /// Whether nothing was left to try.
    pub exhausted: bool,
    /// Wall clock.
    pub elapsed: Duration,
    /// Why there is no program of this size, or what was wrong with its result.
    pub error: Option<String>,
}

/// What a search did.
#[derive(Clone, Debug, PartialEq)]
pub struct PyseReport {
    /// Basic or advanced.
    pub mode: Mode,
    /// Whether it started from given weights.
    pub given: bool,
    /// Pre-training, by size.
    pub pretraining: Vec<Pretraining>,
    /// The search itself.
    pub course: Course,
    /// What was learnt, as a [`LearntPolicy::Network`].
    pub policy: LearntPolicy,
}

/// The strategy.
#[derive(Clone, Debug, Default)]
pub struct Pyse {
    /// The numbers that it works with.
    pub settings: PyseSettings,
    /// The weights to start from, without pre-training.
    pub given: Option<NetworkPolicy>,
    /// What the last search did.
    pub report: Option<PyseReport>,
}

impl Pyse {
    fn from_options(options: &Options) -> Result<Pyse, String> {
        let mut pyse = Pyse { settings: PyseSettings::from_options(options)?, ..Pyse::default() };
        if let Some(policy) = &options.policy {
            if !pyse.settings.pretrain.is_empty() {
                return Err("--policy has weights to start from, so --pretrain-sizes has nothing to do".to_owned());
            }
            pyse.give(policy)?;
        }
        Ok(pyse)
    }

    /// Starts from a learnt policy.
    fn give(&mut self, policy: &LearntPolicy) -> Result<(), String> {
        let LearntPolicy::Network(policy) = policy else {
            return Err(format!("the policy is one of --strategy {}, and pyse needs its own", policy.strategy()));
        };
        let (given, own) = (policy.network.shape(), self.settings.shape);
        if given != own {
            return Err(format!(
                "the saved network has --history-length {} --hidden {}, not {} and {}",
                given.history, given.hidden, own.history, own.hidden
            ));
        }
        if policy.scaled != self.settings.scaled {
            return Err(format!("the saved network has --f1 {}", if policy.scaled { "scaled" } else { "raw" }));
        }
        self.given = Some(policy.clone());
        Ok(())
    }

    /// Pre-training (section V): the same search at other sizes, of which the weights remain.
    fn pretrain(&self, search: &mut Search<'_>, learner: &mut Learner) -> Vec<Pretraining> {
        let mut done = Vec::new();
        let Some((family, _)) = search.family() else { return done };
        let share = self.settings.train_share;
        let whole = search.kernel.meter.remaining();
        let mut left = Budget {
            paths: whole.paths.map(|paths| (paths as f64 * share) as u64),
            steps: whole.steps.map(|steps| (steps as f64 * share) as u64),
            time: whole.time.map(|time| time.mul_f64(share)),
        };
        for &size in &self.settings.pretrain {
            let mut entry =
                Pretraining { size, course: Course::default(), exhausted: false, elapsed: Duration::ZERO, error: None };
            match family.at(size) {
                Ok(program) => {
                    search.settings().watch.phase(Phase::Training(size));
                    let settings = Settings { budget: left, ..search.nested_settings() };
                    let mut inner = Search::new(program.as_ref(), settings);
                    let most = Some(self.settings.pretrain_executions);
                    let finished = learn(&mut inner, &self.settings, learner, most, &mut entry.course);
                    left = inner.kernel.meter.remaining();
                    entry.exhausted = finished == Finished::Everything;
                    let result = inner.finish(finished);
                    search.charge(&result);
                    entry.elapsed = result.elapsed;
                    entry.error = result.defects.first().map(ToString::to_string);
                }
                Err(error) => entry.error = Some(error),
            }
            done.push(entry);
            if search.stop().is_some() {
                break;
            }
        }
        search.settings().watch.phase(Phase::Searching);
        done
    }
}

impl Strategy for Pyse {
    fn search(&mut self, search: &mut Search<'_>) -> Finished {
        let mut random = search.random.split();
        let numbering = Numbering::new(self.settings.lines);
        let (network, numbering) = match &self.given {
            Some(policy) => (policy.network.clone(), numbering.with(&policy.sites, search.kernel.program())),
            None => (Network::random(self.settings.shape, &mut random), numbering),
        };
        let mut learner = Learner::new(&self.settings, network, numbering);
        let pretraining = match &self.given {
            Some(_) => Vec::new(),
            None => self.pretrain(search, &mut learner),
        };
        let mut course = Course::default();
        let finished = learn(search, &self.settings, &mut learner, None, &mut course);
        self.report = Some(PyseReport {
            mode: self.settings.mode,
            given: self.given.is_some(),
            pretraining,
            course,
            policy: LearntPolicy::Network(learner.policy()),
        });
        finished
    }

    fn teaches(&self) -> bool {
        true
    }

    fn report(&self) -> StrategyReport {
        StrategyReport { pyse: self.report.clone(), ..StrategyReport::default() }
    }

    fn carry_over(&mut self) {
        if let Some(PyseReport { policy: LearntPolicy::Network(policy), .. }) = &self.report {
            self.given = Some(policy.clone());
        }
    }

    fn carried(&self, program: &dyn Program) -> Option<Carried> {
        let policy = LearntPolicy::Network(self.given.clone()?);
        Some(Carried::Policy(SavedPolicy::new(&policy, program)))
    }

    fn take_up(&mut self, carried: &Carried, program: &dyn Program) -> Result<(), String> {
        self.give(&carried.policy(program)?)
    }
}
