//! Witnesses of recent answers, tried before the expensive layers.

use pessimum_term::{Arena, Evaluator, VariableId, Witness};

use crate::LayerName;
use crate::layers::{Layer, QueryLimits, Reply};
use crate::path::{Change, Path, Query};

/// Witnesses kept: only a few, because each has an evaluator with a value per term.
const KEPT: usize = 4;

/// The layer of recent witnesses.
#[derive(Default)]
pub struct Recent {
    evaluators: Vec<Evaluator>,
    next: usize,
}

impl Layer for Recent {
    fn name(&self) -> LayerName {
        LayerName::Recent
    }

    fn ask(&mut self, arena: &Arena, path: &mut Path, query: &mut Query, _: &QueryLimits) -> Reply {
        for evaluator in &mut self.evaluators {
            if evaluator.value(arena, query.condition) != 1 {
                continue;
            }
            let part = query.part(path);
            if part.positions.iter().rev().all(|&at| evaluator.value(arena, path.conditions[at as usize]) == 1) {
                let (old, new) = (path.evaluator.witness(), evaluator.witness());
                let change = |&number: &u32| {
                    let value = new.get(VariableId(number));
                    (old.get(VariableId(number)) != value).then_some((number, value))
                };
                let changes: Vec<Change> = part.variables.iter().filter_map(change).collect();
                return Reply::Sat(changes);
            }
        }
        Reply::Pass
    }

    fn found(&mut self, witness: &Witness) {
        if self.evaluators.len() < KEPT {
            self.evaluators.push(Evaluator::new(witness.clone()));
        } else {
            self.evaluators[self.next].set_witness(witness.clone());
            self.next = (self.next + 1) % KEPT;
        }
    }
}
