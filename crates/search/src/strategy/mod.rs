//! Strategies: the outer loops. One file each; adding one is a new file, a line here, and a citation at its head.

use crate::search::{Finished, Mismatch, Search, SearchResult};

/// An outer loop over paths. It works until it is done or [`Search::stop`] says so.
pub trait Strategy {
    /// Searches. Improvements are recorded by [`Search::run`] as they are found.
    fn search(&mut self, search: &mut Search<'_>) -> Finished;
}

/// Runs a strategy to its end and checks its best input by replay.
pub fn run(mut search: Search<'_>, strategy: &mut dyn Strategy) -> Result<SearchResult, Box<Mismatch>> {
    let finished = strategy.search(&mut search);
    search.finish(finished)
}
