//! The validation switch: a second opinion on every answer.

use pessimum_term::{Arena, Evaluator, VariableId};

use crate::blast::Blaster;
use crate::layers::Reply;
use crate::path::{Path, Query};
use crate::sat::{self, Found, Limits, Literal};
use crate::{LayerName, Until};

/// Judges answers by bit-blasting with a SAT solver of its own, and witnesses by plain evaluation as well.
#[derive(Default)]
pub struct Validator {
    blaster: Option<Blaster>,
    asked: u32,
}

/// Queries after which the solver is replaced, so that what one query leaves behind cannot hide a mistake in others.
const RENEWED_AFTER: u32 = 100;

impl Validator {
    /// Panics if the reply is wrong: that is a mistake in a layer, never the caller's.
    pub fn compare(&mut self, arena: &Arena, path: &mut Path, query: &mut Query, layer: LayerName, reply: &Reply) {
        match reply {
            Reply::Pass | Reply::GaveUp(_) => {}
            Reply::Sat(changes) => {
                let mut witness = path.evaluator.witness().clone();
                for &(variable, value) in changes {
                    witness.set(VariableId(variable), value);
                }
                let mut evaluator = Evaluator::new(witness);
                let all = path.conditions.iter().chain([&query.condition]);
                for &condition in all {
                    assert_eq!(
                        evaluator.value(arena, condition),
                        1,
                        "the {} layer's witness violates {:?}",
                        layer.name(),
                        arena.node(condition)
                    );
                }
                // The circuits must agree that this can be satisfied.
                let positions = query.part(path).positions.clone();
                let (found, _) = self.solve(arena, path, query, &positions);
                assert!(!matches!(found, Found::Core(_)), "the {} layer found what circuits refute", layer.name());
            }
            Reply::Unsat(core) => {
                let (found, loose) = self.solve(arena, path, query, core);
                let wrong = found == Found::Model && !loose;
                assert!(!wrong, "the {} layer's core {core:?} can be satisfied", layer.name());
            }
        }
    }

    fn solve(&mut self, arena: &Arena, path: &Path, query: &Query, positions: &[u32]) -> (Found, bool) {
        self.asked += 1;
        if self.asked.is_multiple_of(RENEWED_AFTER) {
            self.blaster = None;
        }
        let blaster = self.blaster.get_or_insert_with(|| Blaster::new(sat::solver()));
        let conditions = positions.iter().map(|&position| path.conditions[position as usize]);
        let mut loose = false;
        let assumptions: Vec<Literal> = conditions
            .chain([query.condition])
            .map(|condition| {
                let (literal, is_loose) =
                    blaster.literal(arena, condition, u32::MAX, &Until::default()).expect("there is no limit");
                loose |= is_loose;
                literal
            })
            .collect();
        (blaster.gates.sat.solve(&assumptions, &Limits { conflicts: 1_000_000, until: Until::default() }), loose)
    }
}
