//! Limits and switches.

use std::time::{Duration, Instant};

use crate::LayerName;

/// Limits and switches.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Conflicts per call of the SAT solver. Default 20,000: about a second on hard arithmetic.
    pub conflicts: u64,
    /// Variables of the SAT solver, which are the gates of its circuits. Default 500,000.
    pub variables: u32,
    /// Evaluations of conditions per call of local search. Default 50,000: a few milliseconds.
    pub steps: u64,
    /// Time per query. A last resort, since it makes answers depend on the machine: none by default.
    pub time_per_query: Option<Duration>,
    /// No query continues past this moment. None by default.
    pub deadline: Option<Instant>,
    /// Compare each answer of a fast layer with bit-blasting, and evaluate every model against all conditions; panics
    /// on a difference. For tests: as slow as bit-blasting alone. Off by default.
    pub validate: bool,
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
            deadline: None,
            validate: false,
            layers: LayerName::ALL.to_vec(),
        }
    }
}
