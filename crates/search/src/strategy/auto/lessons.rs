//! What a search leaves for the next one at another size.

use super::Auto;
use super::engine::Engine;
use super::history::Schema;
use super::lineages::Lineage;
use super::policy::{Policy, SavedRules};
use crate::budget::Budget;
use crate::program::Program;
use crate::search::{Finished, Search, Settings};
use crate::watch::Watch;
use pessimum_term::{VariableId, Witness};
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// Policies and the worst input of a search. Policies mean the same at every size; an input is stretched, repeated or
/// filled up.
#[derive(Clone, Debug, Default)]
pub struct Lessons {
    /// The most promising ones first.
    pub(super) policies: Vec<Policy>,
    /// The worst input: the values of the program's variables, in their order.
    input: Vec<u64>,
}

/// [`Lessons`] as data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedLessons {
    policies: Vec<SavedRules>,
    input: Vec<u64>,
}

impl Lessons {
    /// The lessons as data.
    pub fn save(&self) -> SavedLessons {
        SavedLessons { policies: self.policies.iter().map(Policy::save).collect(), input: self.input.clone() }
    }

    /// The lessons that data stands for, which may come from a file that anybody wrote.
    pub fn load(saved: &SavedLessons) -> Result<Lessons, String> {
        let policies = saved.policies.iter().map(Policy::load).collect::<Result<_, _>>()?;
        Ok(Lessons { policies, input: saved.input.clone() })
    }

    /// The best policy that can be told, in words.
    pub fn in_words(&self, program: &dyn Program) -> Vec<String> {
        self.policies.iter().map(|policy| policy.in_words(program)).find(|words| !words.is_empty()).unwrap_or_default()
    }

    /// Whether nothing was learnt.
    pub fn is_empty(&self) -> bool {
        self.policies.is_empty() && self.input.is_empty()
    }

    /// What a finished search taught, followed by what it had been taught itself.
    pub(super) fn of(auto: &Auto, search: &mut Search<'_>, engine: &Engine, given: Lessons) -> Lessons {
        let (Some(best), Some(cost)) = (search.best(), search.best_cost()) else { return given };
        let witness = best.witness.clone();
        let program = search.kernel.program();
        // The conditions of the best path may be gone and the budget is spent: its input is followed once more, for no
        // longer than half of what is left of the overtime.
        let left = search.kernel.meter.overtime().map(|end| end.saturating_duration_since(Instant::now()) / 2);
        let budget = Budget { time: left, ..Budget::default() };
        let settings = Settings { budget, watch: Watch::default(), ..search.settings().clone() };
        let mut again = Search::new(program, settings);
        let mut follower = auto.engine(&mut again);
        follower.offer_input(&mut again, &witness);
        let extracted = extracted(&mut again, &mut follower);
        search.charge_solver(&again.finish_worker(Finished::Partly).solver);
        let mut policies = ordered(&engine.lineages.ranked(), extracted, cost);
        policies.extend(given.policies);
        policies.truncate(auto.settings.lessons_policies);
        Lessons { policies, input: values(&witness, program) }
    }

    /// The worst input at the size of this program: stretched (which preserves an order), repeated (which preserves a
    /// pattern), and at the beginning of an input of zeros.
    pub(super) fn inputs(&self, program: &dyn Program) -> Vec<Witness> {
        let ids: Vec<VariableId> = program.variables().iter().map(|variable| variable.id).collect();
        resized(&self.input, &ids)
    }
}

/// The policies that the best member's path followed, one per schema.
pub(super) fn extracted(search: &mut Search<'_>, engine: &mut Engine) -> Vec<Policy> {
    let Some(best) = engine.population.best() else { return Vec::new() };
    let decisions = &engine.population.members[best].decisions;
    Schema::ALL.iter().map(|&schema| engine.runner.policy_of(search.kernel.arena(), schema, decisions)).collect()
}

/// Policies for another size, the most promising ones first: those of the lineages and those extracted from the best
/// path. If no lineage reached that path's cost, it is the better teacher, and only the best lineage comes before it.
pub(super) fn ordered(lineages: &[&Lineage], extracted: Vec<Policy>, best_path: u64) -> Vec<Policy> {
    let mut policies: Vec<Policy> = lineages.iter().map(|lineage| lineage.policy.clone()).collect();
    let reached = lineages.first().is_some_and(|lineage| lineage.cost >= best_path);
    let at = if reached { policies.len() } else { policies.len().min(1) };
    policies.splice(at..at, extracted);
    policies
}

/// The values of the program's variables, in their order.
pub(super) fn values(witness: &Witness, program: &dyn Program) -> Vec<u64> {
    program.variables().iter().map(|variable| witness.get(variable.id)).collect()
}

/// The values as inputs of these variables: stretched, repeated as a whole, its halves repeated (two texts, one after
/// the other), its middle repeated between its first and its last quarter, its longest repetition continued, filled up
/// with zeros.
pub(super) fn resized(values: &[u64], ids: &[VariableId]) -> Vec<Witness> {
    if values.is_empty() || ids.is_empty() {
        return Vec::new();
    }
    let (old, new) = (values.len(), ids.len());
    let made = |index: &dyn Fn(usize) -> usize| {
        let mut witness = Witness::default();
        for (i, &id) in ids.iter().enumerate() {
            witness.set(id, values.get(index(i)).copied().unwrap_or(0));
        }
        witness
    };
    let mut inputs = vec![made(&|i| i * old / new), made(&|i| i % old), made(&|i| i)];
    if old.is_multiple_of(2) && new.is_multiple_of(2) {
        inputs.push(made(&|i| i / (new / 2) * (old / 2) + i % (new / 2) % (old / 2)));
    }
    let quarter = old / 4;
    if quarter > 0 && new > old {
        inputs.push(made(&|i| match i {
            _ if i < quarter => i,
            _ if i >= new - quarter => old - (new - i),
            _ => quarter + (i - quarter) % (old - 2 * quarter),
        }));
    }
    if let Some((end, period)) = longest_repetition(values).filter(|_| new > old) {
        inputs.push(made(&|i| match i {
            _ if i < end => i,
            _ if i < end + new - old => end - period + (i - end) % period,
            _ => i - (new - old),
        }));
    }
    inputs
}

/// Units of repetitions that are looked for have at most this many values.
const LONGEST_UNIT: usize = 16;

/// Where the longest repetition of a unit ends, and how long the unit is. Of equally long ones the first with the shortest
/// unit counts; there is none if no unit occurs twice in a row.
fn longest_repetition(values: &[u64]) -> Option<(usize, usize)> {
    let mut longest = (0, None);
    for period in 1..=LONGEST_UNIT.min(values.len() / 2) {
        // How many values before this one are the same as those one unit earlier.
        let mut same = 0;
        for end in period..values.len() {
            same = if values[end] == values[end - period] { same + 1 } else { 0 };
            if same >= period && same > longest.0 {
                longest = (same, Some((end + 1, period)));
            }
        }
    }
    longest.1
}

#[cfg(test)]
mod tests {
    use super::super::lineages::Lineages;
    use super::super::policy::Style;
    use super::*;

    #[test]
    fn inputs_are_stretched_repeated_and_filled_up() {
        let ids: Vec<VariableId> = (0..6).map(VariableId).collect();
        let made = |values: &[u64], ids: &[VariableId]| -> Vec<Vec<u64>> {
            let values_of = |input: &Witness| ids.iter().map(|&id| input.get(id)).collect();
            resized(values, ids).iter().map(values_of).collect()
        };
        assert_eq!(made(&[7, 8, 9], &ids), [[7, 7, 8, 8, 9, 9], [7, 8, 9, 7, 8, 9], [7, 8, 9, 0, 0, 0]]);
        let eight: Vec<VariableId> = (0..8).map(VariableId).collect();
        assert_eq!(
            made(&[1, 2, 3, 4], &eight)[3..],
            [[1, 2, 1, 2, 3, 4, 3, 4], [1, 2, 3, 2, 3, 2, 3, 4]],
            "two texts; a prefix, a unit, a suffix"
        );
        assert_eq!(made(&[1, 2, 2, 3], &eight)[5], [1, 2, 2, 2, 2, 2, 2, 3], "a repetition");
        assert!(resized(&[], &ids).is_empty() && resized(&[7], &[]).is_empty());
        let smaller = resized(&[7, 8, 9], &ids[..2]);
        assert_eq!((smaller[0].get(ids[0]), smaller[0].get(ids[1])), (7, 8));
    }

    #[test]
    fn the_longest_repetition_is_found_with_its_unit() {
        assert_eq!(longest_repetition(&[9, 1, 2, 1, 2, 1, 9]), Some((6, 2)));
        assert_eq!(longest_repetition(&[5, 5, 1, 2, 3, 1, 2, 3]), Some((8, 3)), "the longest, not the first");
        assert_eq!(longest_repetition(&[5, 5, 5, 5]), Some((4, 1)), "the shortest unit");
        assert_eq!(longest_repetition(&[1, 2, 3, 1, 2]), None, "the unit is not complete");
        assert_eq!((longest_repetition(&[]), longest_repetition(&[1])), (None, None));
    }

    #[test]
    fn a_path_that_no_policy_made_is_the_better_teacher() {
        let mut lineages = Lineages::new(3);
        for (schema, cost) in [(Schema::Path(1), 5), (Schema::Path(2), 9)] {
            lineages.offer(Policy::new(schema, Style::True), cost);
        }
        let order = |best_path| -> Vec<Schema> {
            let extracted = vec![Policy::new(Schema::Data, Style::True)];
            ordered(&lineages.ranked(), extracted, best_path).iter().map(|policy| policy.schema).collect()
        };
        assert_eq!(order(9), [Schema::Path(2), Schema::Path(1), Schema::Data]);
        assert_eq!(order(10), [Schema::Path(2), Schema::Data, Schema::Path(1)]);
        assert_eq!(ordered(&[], vec![Policy::new(Schema::Data, Style::True)], 1).len(), 1);
    }
}
