//! Which layer answered how many queries, and how long it took.

use std::time::Duration;

/// The layers, cheapest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LayerName {
    /// A constant, a condition of the path, the negation of one, or another value of a term that has one.
    Syntactic,
    /// The witness of the path.
    Witness,
    /// Comparisons as difference constraints.
    Order,
    /// A part with few bits, as a set of values.
    SmallDomain,
    /// Comparisons of sums that do not wrap, by the simplex method.
    Linear,
    /// Boolean combinations of comparisons, and choices between numbers, by a SAT solver over the comparisons.
    Boolean,
    /// What follows from equations between terms.
    Equality,
    /// Witnesses of recent queries that needed an expensive layer.
    Recent,
    /// Random values for the variables of the query.
    Sample,
    /// Values for both halves of a hash that meet in the middle.
    Middle,
    /// Bit-blasting to a SAT solver, with free bits for the results of float arithmetic.
    Blast,
    /// Alternating variable method.
    LocalSearch,
    /// Bit-blasting with circuits for float arithmetic.
    FloatCircuits,
}

impl LayerName {
    /// All of them, in the order of declaration.
    pub const ALL: [LayerName; 13] = [
        LayerName::Syntactic,
        LayerName::Witness,
        LayerName::Order,
        LayerName::SmallDomain,
        LayerName::Linear,
        LayerName::Boolean,
        LayerName::Equality,
        LayerName::Recent,
        LayerName::Sample,
        LayerName::Middle,
        LayerName::Blast,
        LayerName::LocalSearch,
        LayerName::FloatCircuits,
    ];

    /// The name in tables and reports.
    pub fn name(self) -> &'static str {
        match self {
            LayerName::Syntactic => "syntactic",
            LayerName::Witness => "witness",
            LayerName::Order => "order",
            LayerName::SmallDomain => "small-domain",
            LayerName::Linear => "linear",
            LayerName::Boolean => "boolean",
            LayerName::Equality => "equality",
            LayerName::Recent => "recent",
            LayerName::Sample => "sampling",
            LayerName::Middle => "middle",
            LayerName::Blast => "bit-blasting",
            LayerName::LocalSearch => "search",
            LayerName::FloatCircuits => "float-circuits",
        }
    }
}

/// What one layer did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LayerCounters {
    /// Queries that reached the layer.
    pub queries: u64,
    /// Queries it answered with "yes, with this witness".
    pub sat: u64,
    /// Queries it answered with "no".
    pub unsat: u64,
    /// Queries it stopped working on because of a limit.
    pub gave_up: u64,
    /// Work done by slow layers, in about the effort of a propagation of the SAT solver: the same on every machine.
    pub work: u64,
    /// Time spent; for the cheap layers, an estimate from every 64th query.
    pub time: Duration,
    /// Answers "no" that were re-checked in another way; 0 without [`crate::Settings::recheck`].
    pub checked: u64,
    /// Those of them that the re-check contradicted: mistakes of ours.
    pub disagreed: u64,
    /// Those of them that the re-check could not decide.
    pub undecided: u64,
}

/// What a context and its layers have done since it was made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Questions asked by `assume`, `feasible` and `is_feasible`.
    pub queries: u64,
    /// Questions that no layer could answer.
    pub unknown: u64,
    layers: [LayerCounters; LayerName::ALL.len()],
}

impl Counters {
    /// The counters of one layer.
    pub fn layer(&self, name: LayerName) -> &LayerCounters {
        &self.layers[name as usize]
    }

    pub(crate) fn layer_mut(&mut self, name: LayerName) -> &mut LayerCounters {
        &mut self.layers[name as usize]
    }

    /// Adds the counters of another context.
    pub fn add(&mut self, other: &Counters) {
        self.queries += other.queries;
        self.unknown += other.unknown;
        for (mine, theirs) in self.layers.iter_mut().zip(&other.layers) {
            mine.queries += theirs.queries;
            mine.sat += theirs.sat;
            mine.unsat += theirs.unsat;
            mine.gave_up += theirs.gave_up;
            mine.work += theirs.work;
            mine.time += theirs.time;
            mine.checked += theirs.checked;
            mine.disagreed += theirs.disagreed;
            mine.undecided += theirs.undecided;
        }
    }
}
