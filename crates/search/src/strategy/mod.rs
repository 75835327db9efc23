//! Strategies: the outer loops. Adding one takes a new file with its [`Declaration`], and a line in [`STRATEGIES`].

mod auto;
mod declaration;
mod ese;
mod every_path;
mod exhaustive;
mod ga;
mod pex;
mod pyse;
mod random;
mod spf_wca;
mod variables;
mod wise;

pub use crate::walk::{AllArms, ArmOrder};
pub use auto::{Auto, AutoSettings, Lessons, Operator, SavedLessons};
pub use declaration::{
    Declaration, OptionDeclaration, OptionKind, OptionValue, Options, Purpose, all_options, options_for, strategies_for,
};
pub use ese::{Ese, EseReport, EseSettings};
pub use every_path::EveryPath;
pub use exhaustive::{Exhaustive, Order, explore};
pub use ga::{Changes, Ga, GaSettings};
pub use pex::{Expression, Pex};
pub use pyse::{Course, Explore, Mode, Pretraining, Pyse, PyseReport, PyseSettings};
pub use random::RandomPaths;
pub use spf_wca::{SpfWca, Teachers};
pub use wise::{GuidedReport, Wise};

/// What searches for suites have in common with these strategies.
pub mod shared {
    pub use super::auto::bandit::Bandit;
    pub use super::auto::edits::{Mode, edit};
    pub use super::auto::inputs::Inputs;
    pub use super::ga::mutation::{MOST_STEP, drawn};
}

use crate::policy::{LearntPolicy, SavedPolicy};
use crate::program::Program;
use crate::search::{Finished, Search, SearchResult};
use crate::watch::OperatorUse;
use serde::{Deserialize, Serialize};

/// Every strategy, in the order of the command line's help.
pub const STRATEGIES: &[Declaration] = &[
    auto::DECLARATION,
    exhaustive::EXHAUSTIVE,
    exhaustive::DFS,
    exhaustive::BFS,
    exhaustive::ITERATIVE_DEEPENING,
    exhaustive::DOUBLING_DFS,
    random::DECLARATION,
    pex::PEX,
    pex::FITNEX,
    ese::DECLARATION,
    wise::DECLARATION,
    spf_wca::DECLARATION,
    pyse::DECLARATION,
    ga::DECLARATION,
];

/// An outer loop over paths. It works until it is done or [`Search::stop`] says so.
pub trait Strategy {
    /// Searches. Improvements are recorded by [`Search`] as they are found.
    fn search(&mut self, search: &mut Search<'_>) -> Finished;

    /// What the last search did beyond its paths.
    fn report(&self) -> StrategyReport {
        StrategyReport::default()
    }

    /// What it learnt about the branches of this program, in words; nothing where it learns no rules.
    fn learnt(&self, program: &dyn Program) -> Vec<String> {
        self.report().policy().map_or_else(Vec::new, |policy| policy.in_words(program))
    }

    /// Prepares it for a search at another size, with what the last one taught. Only searches whose
    /// [`crate::search::Settings::carries_over`] is set need to teach anything.
    fn carry_over(&mut self) {}

    /// Whether the course of a search depends on the inputs that it starts from, so that those of searches at other sizes
    /// are worth being handed over, and another search at the same size is not the same again.
    fn takes_up_inputs(&self) -> bool {
        false
    }

    /// Whether what it learns is wanted besides the costliest input, so that it has something to do even after every input
    /// was run.
    fn teaches(&self) -> bool {
        false
    }

    /// What was carried over, as data, so that another process can go on from there; none if there is nothing.
    fn carried(&self, _program: &dyn Program) -> Option<Carried> {
        None
    }

    /// Takes up what another process carried over. The data may come from a file that anybody wrote.
    fn take_up(&mut self, _carried: &Carried, _program: &dyn Program) -> Result<(), String> {
        Err(OTHER_STRATEGY.to_string())
    }
}

/// What a strategy takes from one size to the next, as data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Carried {
    /// What `auto` learnt.
    Lessons(SavedLessons),
    /// The policy of a strategy that learns one and applies it.
    Policy(SavedPolicy),
}

const OTHER_STRATEGY: &str = "what was carried over is that of another strategy";

impl Carried {
    fn policy(&self, program: &dyn Program) -> Result<LearntPolicy, String> {
        match self {
            Carried::Policy(saved) => saved.load(program).map_err(|error| error.to_string()),
            Carried::Lessons(_) => Err(OTHER_STRATEGY.to_string()),
        }
    }
}

/// What a strategy has to say besides the search's result; what does not apply is empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StrategyReport {
    /// The policy that was applied, how it was learnt and what came of it.
    pub guided: Option<GuidedReport>,
    /// What PySE did, and what it learnt.
    pub pyse: Option<PyseReport>,
    /// How often each operator was used and how often it found a new best, at all sizes and by all workers.
    pub operators: Vec<OperatorUse>,
    /// Other counts by name, such as generations.
    pub counts: Vec<(&'static str, u64)>,
}

impl StrategyReport {
    /// The policy that was applied, or learnt on the way.
    pub fn policy(&self) -> Option<&LearntPolicy> {
        let guided = self.guided.as_ref().map(|report| &report.policy);
        guided.or(self.pyse.as_ref().map(|report| &report.policy))
    }
}

/// The strategy of this name with its default options.
pub fn named(name: &str) -> Option<Box<dyn Strategy>> {
    Declaration::of(name)?.make(&Options::default()).ok()
}

/// Runs the inputs to start from, or at least one input, then a strategy to its end, and checks the best input by
/// replaying it.
pub fn run(mut search: Search<'_>, strategy: &mut dyn Strategy) -> SearchResult {
    search.run_starts();
    search.run_first_input();
    let finished = match search.run_every_input() {
        Some(runs) if !(strategy.teaches() || search.settings().carries_over) => {
            search.count_every_input(runs);
            Finished::Everything
        }
        _ => strategy.search(&mut search),
    };
    search.finish(finished)
}
