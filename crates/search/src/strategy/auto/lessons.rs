//! What a search leaves for the next one at a larger size.

use super::Auto;
use super::engine::Engine;
use super::policy::Policy;
use crate::budget::Budget;
use crate::program::Program;
use crate::search::{Finished, Search, Settings};
use pessimum_term::{VariableId, Witness};

/// Policies kept.
const KEPT: usize = 24;

/// Policies and the worst input of a search. Policies mean the same at every size; an input is stretched, repeated or
/// filled up.
#[derive(Clone, Debug, Default)]
pub struct Lessons {
    /// Most promising first.
    pub(super) policies: Vec<Policy>,
    /// The worst input: the values of the program's variables, in their order.
    input: Vec<u64>,
}

impl Lessons {
    /// Whether nothing was learnt.
    pub fn is_empty(&self) -> bool {
        self.policies.is_empty() && self.input.is_empty()
    }

    /// What a finished search taught: the policies of its lineages and those that its best path followed; then what it
    /// had been taught itself.
    pub(super) fn of(auto: &Auto, search: &mut Search<'_>, engine: &mut Engine, given: Lessons) -> Lessons {
        let Some(best) = search.best() else { return given };
        let witness = best.witness.clone();
        let program = search.kernel.program();
        // The best path's conditions may be gone, and the budget is spent: its input is followed once more.
        let settings = Settings { budget: Budget::default(), ..search.settings().clone() };
        let mut again = Search::new(program, settings);
        again.kernel.keep_terms = true;
        let mut follower = auto.engine(&mut again);
        follower.offer_input(&mut again, &witness);
        let extracted = follower.policies(&mut again);
        search.charge_solver(&again.finish_worker(Finished::Partly).solver);
        let mut policies = engine.lineage_policies();
        // A path that no policy made is the better teacher.
        let at = if engine.best_lineage() >= search.best_cost() { policies.len() } else { 0 };
        policies.splice(at..at, extracted);
        policies.extend(given.policies);
        policies.truncate(KEPT);
        Lessons { policies, input: values(&witness, program) }
    }

    /// The worst input at the size of this program: stretched (an order stays that order), repeated (a pattern stays
    /// that pattern), and at the beginning of an input of zeros.
    pub(super) fn inputs(&self, program: &dyn Program) -> Vec<Witness> {
        let ids: Vec<VariableId> = program.variables().iter().map(|variable| variable.id).collect();
        if self.input.is_empty() || ids.is_empty() {
            return Vec::new();
        }
        let (old, new) = (self.input.len(), ids.len());
        let made = |index: &dyn Fn(usize) -> usize| {
            let mut witness = Witness::default();
            for (i, &id) in ids.iter().enumerate() {
                witness.set(id, self.input.get(index(i)).copied().unwrap_or(0));
            }
            witness
        };
        vec![made(&|i| i * old / new), made(&|i| i % old), made(&|i| i)]
    }
}

fn values(witness: &Witness, program: &dyn Program) -> Vec<u64> {
    program.variables().iter().map(|variable| witness.get(variable.id)).collect()
}
