//! Limits and switches.

use std::sync::Arc;
use std::time::Duration;

use crate::{LayerName, QueryLog, Recheck, Until};

/// Limits and switches.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Conflicts per call of the SAT solver. Default 20,000: about a second on hard arithmetic.
    pub conflicts: u64,
    /// Variables of the SAT solver, which are the gates of its circuits. Default 500,000.
    pub variables: u32,
    /// Evaluations of conditions per call of local search. Default 50,000: a few milliseconds.
    pub steps: u64,
    /// Time of each layer that is not cheap, per query: what circuits cannot answer in it is left to local search, which has as
    /// much. A last resort, since it makes answers depend on the machine: none by default.
    pub time_per_query: Option<Duration>,
    /// No query continues past its moment or after its flag is raised. No limit by default.
    pub until: Until,
    /// Compare each answer of a fast layer with bit-blasting, and evaluate every model against all conditions; panics
    /// on a difference. For tests: as slow as bit-blasting alone. Off by default.
    pub validate: bool,
    /// Re-check a sample of the answers "no" in another way. For searches: costs what the sample costs. None by default.
    pub recheck: Option<Recheck>,
    /// Who gets the queries that the layers decide or give up on, as text. Slow for long paths; none by default.
    pub log: Option<Arc<dyn QueryLog>>,
    /// Layers that may answer, for measuring them one by one. Default: all.
    pub layers: Vec<LayerName>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            conflicts: 20_000,
            variables: 500_000,
            steps: 50_000,
            time_per_query: None,
            until: Until::default(),
            validate: false,
            recheck: None,
            log: None,
            layers: LayerName::ALL.to_vec(),
        }
    }
}
