//! Strategies: the outer loops. One file each; adding one is a new file, a line in [`STRATEGIES`], and a citation at
//! its head.

mod auto;
mod ese;
mod exhaustive;
mod ga;
mod random;
mod spf_wca;
mod variables;
mod wise;

pub use auto::{Auto, AutoSettings, Lessons, Operator};
pub use ese::{Ese, EseReport, EseSettings};
pub use exhaustive::{AllArms, ArmOrder, Exhaustive, Order, explore};
pub use ga::{Ga, GaSettings};
pub use random::RandomPaths;
pub use spf_wca::SpfWca;
pub use wise::{GuidedReport, Wise};

use crate::search::{Finished, Mismatch, Search, SearchResult};

/// An outer loop over paths. It works until it is done or [`Search::stop`] says so.
pub trait Strategy {
    /// Searches. Improvements are recorded by [`Search::run`] as they are found.
    fn search(&mut self, search: &mut Search<'_>) -> Finished;
}

/// Makes a strategy in its usual settings.
pub type Make = fn() -> Box<dyn Strategy>;

/// The strategies by name.
pub const STRATEGIES: &[(&str, Make)] = &[
    ("auto", || Box::<Auto>::default()),
    ("exhaustive", || Box::new(Exhaustive::new(Order::Depth(ArmOrder::TrueFirst)))),
    ("dfs", || Box::new(Exhaustive::new(Order::Depth(ArmOrder::Random)))),
    ("bfs", || Box::new(Exhaustive::new(Order::Breadth))),
    ("iterative-deepening", || Box::new(Exhaustive::new(Order::Deepening(1)))),
    ("random", || Box::<RandomPaths>::default()),
    ("ese", || Box::<Ese>::default()),
    ("wise", || Box::<Wise>::default()),
    ("spf-wca", || Box::<SpfWca>::default()),
    ("ga", || Box::<Ga>::default()),
];

/// The strategy of this name.
pub fn named(name: &str) -> Option<Box<dyn Strategy>> {
    STRATEGIES.iter().find(|(known, _)| *known == name).map(|(_, make)| make())
}

/// Runs the inputs to start from and a strategy to its end, and checks the best input by replay.
pub fn run(mut search: Search<'_>, strategy: &mut dyn Strategy) -> Result<SearchResult, Box<Mismatch>> {
    search.run_starts();
    let finished = strategy.search(&mut search);
    search.finish(finished)
}
