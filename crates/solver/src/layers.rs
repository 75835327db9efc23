//! The stack of layers.
//!
//! Order comes before the SAT solver because it is four orders of magnitude cheaper (`bench solver`). Float circuits
//! come after local search: of nine small float programs none had more paths with the circuits first, and Newton's
//! iteration, whose 15 paths local search finds in 0.1 s, was not finished in 8 s.
//!
//! Only the last layers are slow, and the Boolean one where it takes more than a millisecond. A search that is limited
//! by time alone grants them a share of it for what turns out to be in vain, where paths are limited an amount of work
//! for each of them, counted in propagations, so that a run can be repeated. A table of 64 string keys spent 8.6 of 10
//! s on proofs that keys do not collide and ended at 22,286 instructions; with the share it reaches about 50,000. Only
//! refusals count, and what an answer took beyond 20 ms: with a limit on all slow queries, a reader of time stamps that
//! needs hundreds of their inputs, at 5 ms each, fell behind.

use pessimum_term::{Arena, TermId, VariableId, Witness};

use crate::avm::LocalSearch;
use crate::blast::{Blaster, FloatArithmetic};
use crate::boolean::Boolean;
use crate::domain::SmallDomain;
use crate::equality::Equality;
use crate::linear::Linear;
use crate::middle::Middle;
use crate::order::Refusal;
use crate::path::{Change, Path, Query};
use crate::recent::Recent;
use crate::sample::Sampling;
use crate::sat::{self, Found, Limits, Literal};
use crate::{LayerName, Settings, Until, Why};

/// What a layer replies to a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Yes, with these changes to the witness.
    Sat(Vec<Change>),
    /// No: the condition contradicts those at these positions.
    Unsat(Vec<u32>),
    /// Ask the next one.
    Pass,
    /// Ask the next one; if no layer answers, this is why.
    GaveUp(Why),
}

/// A layer. It answers exactly or not at all.
pub trait Layer {
    fn name(&self) -> LayerName;
    /// Whether a query costs less than checking the clock.
    fn is_cheap(&self) -> bool {
        false
    }
    fn ask(&mut self, arena: &Arena, path: &mut Path, query: &mut Query, limits: &QueryLimits) -> Reply;
    /// What the layer has done so far, in about the effort of a propagation of the SAT solver; 0 for layers whose queries
    /// all take about the same.
    fn work(&self) -> u64 {
        0
    }
    /// An expensive layer found this witness.
    fn found(&mut self, _witness: &Witness) {}
    /// The path was cut to this many conditions.
    fn truncated(&mut self, _length: usize) {}
    /// The path was restarted.
    fn restarted(&mut self) {}
}

/// The limits of one query.
pub struct QueryLimits<'a> {
    pub conflicts: u64,
    pub variables: u32,
    pub steps: u64,
    pub until: &'a Until,
}

/// The layers, cheapest first. Two more come before them, in [`crate::Context`]: the witness of the path, which
/// answers for every condition that it satisfies, and [`refuted_by_form`]. Neither needs a [`Query`], which takes
/// longer to make than they take to answer.
pub fn stack(settings: &Settings) -> Vec<Box<dyn Layer>> {
    let all: Vec<Box<dyn Layer>> = vec![
        Box::new(OrderLayer),
        Box::new(SmallDomain::default()),
        Box::new(Linear::default()),
        Box::new(Boolean::default()),
        Box::new(Equality::default()),
        Box::new(Recent::default()),
        Box::new(Sampling::default()),
        Box::new(Middle::default()),
        Box::new(BlastLayer::new(FloatArithmetic::Free)),
        Box::new(LocalSearch::default()),
        Box::new(BlastLayer::new(FloatArithmetic::Exact)),
    ];
    all.into_iter().filter(|layer| settings.layers.contains(&layer.name())).collect()
}

/// The syntactic layer, for a condition that the witness of the path does not satisfy. Returns the position of its
/// negation on the path, or no position for a constant; `None` if its form says nothing.
pub fn refuted_by_form(arena: &Arena, path: &Path, condition: TermId) -> Option<Vec<u32>> {
    if arena.as_constant(condition).is_some() {
        return Some(Vec::new());
    }
    // The witness satisfies all conditions, so what is known and does not hold is known to be false.
    path.known(arena, condition).map(|(position, _)| vec![position])
}

/// Comparisons, by repairing the witness. In a part with other conditions its "no" still holds, and the values it
/// finds are tried on them.
struct OrderLayer;

impl Layer for OrderLayer {
    fn name(&self) -> LayerName {
        LayerName::Order
    }
    fn is_cheap(&self) -> bool {
        true
    }
    fn ask(&mut self, arena: &Arena, path: &mut Path, query: &mut Query, _: &QueryLimits) -> Reply {
        let Some(form) = query.form else { return Reply::Pass };
        if !path.prepare(&form) {
            return Reply::Pass;
        }
        match path.order.repair(&form.constraint) {
            Err(Refusal::Conflict(reasons)) => Reply::Unsat(path.positions_of(&reasons, &form.relies_on)),
            Err(Refusal::Declined) => Reply::Pass,
            Ok(()) => {
                let changes: Vec<Change> = path.order.changes().collect();
                path.order.restore();
                if query.sizes.foreign == 0 || path.holds_with(arena, query, &changes) {
                    Reply::Sat(changes)
                } else {
                    Reply::Pass
                }
            }
        }
    }
}

/// Circuits and a SAT solver, which keeps what it learnt from query to query.
///
/// It is in the stack twice. The circuits of float arithmetic are large and hard, so it is left open at first: that
/// refutes what the other operators rule out. Local search, which finds most of the inputs that floats ask for within
/// milliseconds, comes next, and only then the exact circuits.
pub struct BlastLayer {
    floats: FloatArithmetic,
    blaster: Option<Blaster>,
    /// Number of conditions in a part whose circuits were too large; parts of this path with as many are skipped.
    too_many: Option<usize>,
    /// How often [`FLOAT_EFFORT`] is doubled, or halved if this is negative. A program that asks for what the circuits
    /// cannot answer must not wait each time, so it falls when they give up and rises when they answer.
    patience: i32,
    /// Work of solvers that were thrown away.
    earlier_work: u64,
}

/// The bounds of [`BlastLayer::patience`].
const LEAST_PATIENCE: i32 = -6;
const MOST_PATIENCE: i32 = 2;

/// Conflicts times variables that a query with exact float arithmetic may take. A chain of f64 divisions has hundreds of
/// thousands of variables, and each conflict propagates through a good part of them: by conflicts alone, one such query
/// took several seconds, in which a search follows a hundred paths.
const FLOAT_EFFORT: u64 = 100_000_000;

/// SAT variables beyond which a new path starts with an empty solver: every model assigns all of them.
const MANY_VARIABLES: u32 = 50_000;

impl BlastLayer {
    fn new(floats: FloatArithmetic) -> BlastLayer {
        BlastLayer { floats, blaster: None, too_many: None, patience: 0, earlier_work: 0 }
    }

    fn blaster(&mut self) -> &mut Blaster {
        self.blaster.get_or_insert_with(|| Blaster::with(self.floats, sat::solver()))
    }

    /// Throws the solver away.
    fn empty(&mut self) {
        self.earlier_work = self.work();
        self.blaster = None;
    }

    /// The literals of these conditions, and whether one of them depends on free bits.
    fn circuits(
        &mut self,
        arena: &Arena,
        conditions: &[TermId],
        limits: &QueryLimits,
    ) -> Result<(Vec<Literal>, bool), Why> {
        let blaster = self.blaster();
        let (mut literals, mut loose) = (Vec::with_capacity(conditions.len()), false);
        for &condition in conditions {
            if !limits.until.go_on() {
                return Err(Why::Deadline);
            }
            let (literal, is_loose) = blaster.literal(arena, condition, limits.variables, limits.until)?;
            loose |= is_loose;
            literals.push(literal);
        }
        Ok((literals, loose))
    }
}

impl Layer for BlastLayer {
    fn name(&self) -> LayerName {
        match self.floats {
            FloatArithmetic::Free => LayerName::Blast,
            FloatArithmetic::Exact => LayerName::FloatCircuits,
        }
    }

    fn work(&self) -> u64 {
        self.earlier_work + self.blaster.as_ref().map_or(0, |blaster| blaster.gates.sat.work())
    }

    fn ask(&mut self, arena: &Arena, path: &mut Path, query: &mut Query, limits: &QueryLimits) -> Reply {
        if self.floats == FloatArithmetic::Exact && query.left_open == Some(false) {
            // There is no float arithmetic, or the query is too hard without it.
            return Reply::Pass;
        }
        query.left_open = Some(false);
        let goal = query.condition;
        let part = query.part(path);
        let conditions = part.positions.len();
        if self.too_many.is_some_and(|most| conditions >= most) {
            return Reply::GaveUp(Why::Circuits);
        }
        let of_path = part.positions.iter().map(|&position| path.conditions[position as usize]);
        let terms: Vec<TermId> = [goal].into_iter().chain(of_path).collect();
        let empty = self.blaster.is_none();
        let mut built = self.circuits(arena, &terms, limits);
        if built == Err(Why::Circuits) && !empty {
            // Circuits of other parts, or of conditions that were removed, may be filling the solver.
            self.empty();
            built = self.circuits(arena, &terms, limits);
        }
        let (assumptions, loose) = match built {
            Ok((mut literals, loose)) => {
                // The goal goes last, because cores are matched with positions from the front.
                literals.rotate_left(1);
                (literals, loose)
            }
            Err(why) => {
                if why == Why::Circuits {
                    self.too_many = Some(conditions);
                    self.empty();
                }
                return Reply::GaveUp(why);
            }
        };
        let conflicts = match self.floats {
            FloatArithmetic::Free => limits.conflicts,
            FloatArithmetic::Exact => {
                let affordable = FLOAT_EFFORT / u64::from(self.blaster().gates.sat.variables()).max(1);
                let patience =
                    if self.patience < 0 { affordable >> -self.patience } else { affordable << self.patience };
                limits.conflicts.min(patience).max(1)
            }
        };
        let limits = Limits { conflicts, until: limits.until.clone() };
        let found = self.blaster().gates.sat.solve(&assumptions, &limits);
        if self.floats == FloatArithmetic::Exact {
            self.patience = match found {
                Found::GaveUp(Why::Conflicts) => (self.patience - 2).max(LEAST_PATIENCE),
                Found::GaveUp(_) => self.patience,
                Found::Model | Found::Core(_) => (self.patience + 1).min(MOST_PATIENCE),
            };
        }
        let blaster = self.blaster();
        match found {
            Found::GaveUp(why) => Reply::GaveUp(why),
            Found::Core(core) => {
                let of = |(&position, literal): (&u32, &Literal)| core.contains(literal).then_some(position);
                Reply::Unsat(part.positions.iter().zip(&assumptions).filter_map(of).collect())
            }
            Found::Model => {
                let witness = path.evaluator.witness();
                let mut changes: Vec<Change> = part
                    .variables
                    .iter()
                    .filter_map(|&variable| {
                        let value = blaster.value(variable)?;
                        (witness.get(VariableId(variable)) != value).then_some((variable, value))
                    })
                    .collect();
                if path.holds_with(arena, query, &changes) {
                    path.settle(arena, query, &mut changes);
                    return Reply::Sat(changes);
                }
                debug_assert!(loose, "a circuit and its operator disagree");
                query.left_open = Some(loose);
                Reply::Pass
            }
        }
    }

    fn restarted(&mut self) {
        self.too_many = None;
        if self.blaster.as_ref().is_some_and(|blaster| blaster.gates.sat.variables() > MANY_VARIABLES) {
            self.empty();
        }
    }
}
