//! What a search leaves for the next one at another size.

use super::Auto;
use super::engine::Engine;
use super::history::Schema;
use super::lineages::Lineage;
use super::policy::{Policy, SavedRules};
use crate::budget::Budget;
use crate::program::Program;
use crate::search::{Finished, Search, Settings};
use crate::strategy::ga::mutation::{Genome, within};
use crate::watch::Watch;
use pessimum_term::Witness;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::time::Instant;

/// Policies and the worst input of a search. Policies mean the same at every size; an input is stretched, repeated or
/// filled up.
#[derive(Clone, Debug, Default)]
pub struct Lessons {
    /// The most promising ones first.
    pub(super) policies: Vec<Policy>,
    /// The worst input.
    input: Rows,
}

/// The values of an input, row by row (neighbours with the same type and range, see [`Genome::rows`]): at another size each
/// row has another length.
pub(super) type Rows = Vec<Vec<u64>>;

/// [`Lessons`] as data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedLessons {
    policies: Vec<SavedRules>,
    input: Rows,
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
        Lessons { policies, input: rows(&witness, program) }
    }

    /// The worst input at the size of this program: stretched (which preserves an order), repeated (which preserves a
    /// pattern), and at the beginning of an input of zeros.
    pub(super) fn inputs(&self, program: &dyn Program) -> Vec<Witness> {
        resized(&self.input, program)
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

/// The values of an input of this program, row by row.
pub(super) fn rows(witness: &Witness, program: &dyn Program) -> Rows {
    let genome = Genome::new(program.variables());
    let values = genome.values(witness);
    genome.rows().iter().map(|row| values[row.clone()].to_vec()).collect()
}

/// The input as inputs of this program: stretched, repeated as a whole, its halves (and so on) repeated (two texts, one
/// after the other; records by column), its middle repeated between its first and its last quarter, its longest repetition
/// continued, filled up with zeros. This is done to each row, or, where the other size has other rows, to all values as if
/// they were one. What is then outside the range of its variable is moved into it.
pub(super) fn resized(rows: &Rows, program: &dyn Program) -> Vec<Witness> {
    let genome = Genome::new(program.variables());
    resized_values(rows, &genome).iter().map(|values| genome.witness(values)).collect()
}

fn resized_values(rows: &Rows, genome: &Genome) -> Vec<Vec<u64>> {
    let (old, new): (Rows, Vec<usize>) = if rows.len() == genome.rows().len() {
        (rows.clone(), genome.rows().iter().map(Range::len).collect())
    } else {
        (vec![rows.concat()], vec![genome.variables().len()])
    };
    if old.iter().all(Vec::is_empty) || genome.is_empty() {
        return Vec::new();
    }
    let mut inputs: Vec<Vec<u64>> = Vec::new();
    for resizing in Resizing::ALL {
        if !old.iter().zip(&new).any(|(row, &length)| resizing.applies(row, length)) {
            continue;
        }
        let values = old.iter().zip(&new).flat_map(|(row, &length)| resizing.row(row, length));
        let values = genome.variables().iter().zip(values).map(|(variable, value)| within(variable, value)).collect();
        if !inputs.contains(&values) {
            inputs.push(values);
        }
    }
    inputs
}

/// A way to give a row another length.
#[derive(Clone, Copy)]
enum Resizing {
    /// Each value becomes several, or some are left out: an order stays.
    Stretch,
    /// This many parts of the same length, each repeated for itself: a pattern stays.
    Repeat(usize),
    /// The rest is zeros.
    FillUp,
    /// The middle is repeated between the first and the last quarter.
    RepeatMiddle,
    /// The longest repetition goes on.
    Continue,
}

impl Resizing {
    const ALL: [Resizing; 8] = [
        Resizing::Stretch,
        Resizing::Repeat(1),
        Resizing::FillUp,
        Resizing::Repeat(2),
        Resizing::Repeat(3),
        Resizing::Repeat(4),
        Resizing::RepeatMiddle,
        Resizing::Continue,
    ];

    /// Whether this can be done to the row, which then is not like all others.
    fn applies(self, row: &[u64], length: usize) -> bool {
        match self {
            Resizing::Stretch | Resizing::FillUp => true,
            Resizing::Repeat(parts) => {
                row.len() >= parts && row.len().is_multiple_of(parts) && length.is_multiple_of(parts)
            }
            Resizing::RepeatMiddle => row.len() >= 4 && length > row.len(),
            Resizing::Continue => length > row.len() && longest_repetition(row).is_some(),
        }
    }

    /// The row with this length. Where it cannot be done, the row is stretched.
    fn row(self, row: &[u64], length: usize) -> Vec<u64> {
        let old = row.len();
        let at = |index: &dyn Fn(usize) -> usize| {
            (0..length).map(|new| row.get(index(new)).copied().unwrap_or(0)).collect::<Vec<u64>>()
        };
        if !self.applies(row, length) {
            return Resizing::Stretch.row(row, length);
        }
        match self {
            Resizing::Stretch => at(&|new| new * old / length),
            Resizing::Repeat(parts) => {
                let (before, after) = (old / parts, length / parts);
                at(&|new| new / after * before + new % after % before)
            }
            Resizing::FillUp => at(&|new| new),
            Resizing::RepeatMiddle => {
                let quarter = old / 4;
                at(&|new| match new {
                    _ if new < quarter => new,
                    _ if new >= length - quarter => old - (length - new),
                    _ => quarter + (new - quarter) % (old - 2 * quarter),
                })
            }
            Resizing::Continue => {
                let (end, period) = longest_repetition(row).unwrap_or((old, 1));
                at(&|new| match new {
                    _ if new < end => new,
                    _ if new < end + length - old => end - period + (new - end) % period,
                    _ => new - (length - old),
                })
            }
        }
    }
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
    use crate::program::Variable;
    use pessimum_term::VariableId;

    /// Rows of bytes up to a greatest value, which tells them apart.
    fn genome(rows: &[(u32, u64)]) -> Genome {
        let highs = rows.iter().flat_map(|&(length, high)| (0..length).map(move |_| high));
        let variable = |(id, high)| Variable { high, ..Variable::unlimited(VariableId(id), 8) };
        Genome::new((0..).zip(highs).map(variable).collect())
    }

    #[test]
    fn inputs_are_stretched_repeated_and_filled_up() {
        let made = |values: &[u64], length: u32| resized_values(&vec![values.to_vec()], &genome(&[(length, 255)]));
        assert_eq!(made(&[7, 8, 9], 6), [[7, 7, 8, 8, 9, 9], [7, 8, 9, 7, 8, 9], [7, 8, 9, 0, 0, 0]]);
        assert_eq!(
            made(&[1, 2, 3, 4], 8)[3..],
            [[1, 2, 1, 2, 3, 4, 3, 4], [1, 2, 3, 2, 3, 2, 3, 4]],
            "two texts; a prefix, a unit, a suffix"
        );
        assert!(made(&[1, 2, 2, 3], 8).contains(&vec![1, 2, 2, 2, 2, 2, 2, 3]), "a repetition");
        assert!(
            made(&[1, 2, 3, 4, 5, 6], 12).contains(&vec![1, 2, 1, 2, 3, 4, 3, 4, 5, 6, 5, 6]),
            "records of three, by column"
        );
        assert!(made(&[], 6).is_empty() && made(&[7], 0).is_empty());
        // Lessons may come from a file that anybody wrote.
        let empty_row = resized_values(&vec![Vec::new(), vec![7]], &genome(&[(2, 255), (1, 9)]));
        assert_eq!(empty_row, [[0, 0, 7]]);
        assert_eq!(made(&[7, 8, 9], 2), [[7, 8]], "a smaller one");
    }

    #[test]
    fn each_row_is_resized_and_stays_in_its_range() {
        let lengths_and_texts = vec![vec![3, 4], vec![10, 11, 12, 13]];
        let larger = genome(&[(3, 8), (6, 127)]);
        let made = resized_values(&lengths_and_texts, &larger);
        assert_eq!(made[0], [3, 3, 4, 10, 10, 11, 12, 12, 13]);
        assert_eq!(made[1], [3, 4, 3, 10, 11, 12, 13, 10, 11]);
        // Ranges that are narrower, and rows that are others: nothing is left outside.
        for narrow in [genome(&[(3, 2), (6, 11)]), genome(&[(4, 8), (2, 5), (9, 127)]), genome(&[(5, 1)])] {
            let made = resized_values(&lengths_and_texts, &narrow);
            let permitted = |values: &Vec<u64>| {
                values.len() == narrow.variables().len()
                    && narrow.variables().iter().zip(values).all(|(variable, &value)| variable.permits(value))
            };
            assert!(!made.is_empty() && made.iter().all(permitted), "{made:?}");
        }
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
