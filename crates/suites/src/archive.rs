//! What the tests that were run have shown: for each goal the shortest test that covers it, or those that came closest;
//! crashes; and tests that took some arm more often than any before.

use std::collections::BTreeMap;
use std::sync::Arc;

use pessimum_outcome::{Costs, End};
use pessimum_term::distance::normalised;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::library::Ran;
use crate::sequence::Step;
use pessimum_search::objective::Goal;
use pessimum_search::observation::ArmSeen;
use pessimum_search::places::Places;
use pessimum_search::program::{Arm, SiteId};

/// The goals of a suite, by number.
#[derive(Clone, Debug, Default)]
pub struct GoalTable {
    goals: Vec<Goal>,
    numbers: FxHashMap<Goal, u32>,
    twins: BTreeMap<(SiteId, Arm), Arm>,
}

impl GoalTable {
    /// These goals. Arms that lead to the same place are one goal.
    pub fn new(goals: &[Goal], places: &Places) -> GoalTable {
        let mut table = GoalTable { twins: places.twins.clone(), ..GoalTable::default() };
        let mut wanted: Vec<Goal> = goals.iter().map(|&goal| table.stands_for(goal)).collect();
        wanted.sort_unstable();
        wanted.dedup();
        table.numbers = wanted.iter().copied().zip(0..).collect();
        table.goals = wanted;
        table
    }

    fn stands_for(&self, goal: Goal) -> Goal {
        match goal {
            Goal::Arm(site, arm) => Goal::Arm(site, self.twins.get(&(site, arm)).copied().unwrap_or(arm)),
            other => other,
        }
    }

    /// All of them, in order.
    pub fn goals(&self) -> &[Goal] {
        &self.goals
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.goals.len()
    }

    /// The number of a goal, if it is one.
    pub fn number(&self, goal: Goal) -> Option<u32> {
        self.numbers.get(&self.stands_for(goal)).copied()
    }
}

/// What a test's execution has to do with a goal that is an arm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// The goal.
    pub goal: u32,
    /// How often its branch was executed.
    pub evaluations: u64,
    /// The least branch distance; 0 where the arm was taken.
    pub distance: u128,
}

/// A test that was run.
#[derive(Clone, Debug)]
pub struct Tried {
    /// The test.
    pub steps: Vec<Step>,
    /// How it ended.
    pub end: End,
    /// How many of its calls returned.
    pub returned: usize,
    /// The goals that are arms of branches that it executed, in order.
    pub reached: Vec<Reach>,
    /// The goals that it covers, in order.
    pub covered: Vec<u32>,
    /// All costs.
    pub costs: Costs,
}

impl Tried {
    /// What this run showed.
    pub fn new(table: &GoalTable, steps: Vec<Step>, ran: &Ran) -> Tried {
        let (end, costs) = (ran.end(), ran.observation.costs);
        let mut tried =
            Tried { steps, end, returned: ran.returned.len(), reached: Vec::new(), covered: Vec::new(), costs };
        if !tried.is_usable() {
            return tried;
        }
        for seen in &ran.observation.arms {
            let Some(goal) = table.number(Goal::Arm(seen.site, seen.arm)) else { continue };
            let distance = if seen.hits > 0 { 0 } else { seen.distance.max(1) };
            tried.reached.push(Reach { goal, evaluations: seen.evaluations, distance });
        }
        // Of twins the closest counts.
        tried.reached.sort_by_key(|reach| (reach.goal, reach.distance));
        tried.reached.dedup_by_key(|reach| reach.goal);
        let arms = tried.reached.iter().filter(|reach| reach.distance == 0).map(|reach| reach.goal);
        let functions = ran.observation.functions.iter().map(|&function| Goal::Function(function));
        let lines = ran.observation.lines.iter().map(|&line| Goal::Line(line));
        let trap = match end {
            End::Trapped(trap) => Some(Goal::Trap(trap)),
            _ => None,
        };
        let others = functions.chain(lines).chain(trap).filter_map(|goal| table.number(goal));
        let mut covered: Vec<u32> = arms.chain(others).collect();
        covered.sort_unstable();
        covered.dedup();
        tried.covered = covered;
        tried
    }

    /// Whether it can be in a suite: it ended, and the program accepts what it is passed.
    pub fn is_usable(&self) -> bool {
        self.end.is_a_run() && (self.end.is_crash() || !matches!(self.end, End::Limit(_)))
    }

    /// The function whose call did not return, if there is one.
    pub fn failed(&self) -> Option<usize> {
        self.steps.get(self.returned).map(|step| step.call.function)
    }

    /// Less is better for a suite: tests that return before those that do not, short ones before long ones.
    pub fn rank(&self) -> (bool, usize, usize) {
        (self.end != End::Returned, self.steps.len(), self.steps.iter().map(|step| step.values.len()).sum())
    }

    /// Whether it covers a goal.
    pub fn covers(&self, goal: u32) -> bool {
        self.covered.binary_search(&goal).is_ok()
    }
}

/// What tells crashes apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Crash {
    /// How the test ended.
    pub end: End,
    /// The function of the library whose call did not return, by its index.
    pub function: usize,
    /// Where in the program, if that is known.
    pub place: Option<String>,
}

/// What a test brought.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct News {
    /// Goals covered for the first time.
    pub goals: u32,
    /// Arms taken for the first time, goals or not.
    pub arms: u32,
    /// Arms taken more often than ever, by powers of two.
    pub counts: u32,
    /// Open goals to which no test came as close.
    pub closer: u32,
    /// Crashes seen for the first time.
    pub crashes: u32,
}

/// See the module.
pub struct Archive {
    pub table: GoalTable,
    covered: Vec<Option<Arc<Tried>>>,
    /// By goal: the tests that came closest, and their distance, in the order in which they came.
    nearest: Vec<Vec<(u128, Arc<Tried>)>>,
    /// How many tests are kept for an open goal.
    most_nearest: usize,
    open: usize,
    pub crashes: BTreeMap<Crash, Arc<Tried>>,
    /// By arm: which powers of two of its counts occurred.
    counts: FxHashMap<(SiteId, Arm), u64>,
    /// Tests with new counts, the oldest first.
    pub corpus: Vec<Arc<Tried>>,
    most_corpus: usize,
}

impl Archive {
    /// An empty one.
    pub fn new(table: GoalTable, most_nearest: usize, most_corpus: usize) -> Archive {
        let count = table.len();
        Archive {
            table,
            covered: vec![None; count],
            nearest: vec![Vec::new(); count],
            most_nearest: most_nearest.max(1),
            open: count,
            crashes: BTreeMap::new(),
            counts: FxHashMap::default(),
            corpus: Vec::new(),
            most_corpus: most_corpus.max(1),
        }
    }

    /// How many goals are not covered.
    pub fn open(&self) -> usize {
        self.open
    }

    /// How many goals are covered.
    pub fn covered(&self) -> usize {
        self.table.len() - self.open
    }

    /// The tests that a suite can be chosen from: the shortest one for each goal, each once.
    pub fn candidates(&self) -> Vec<Arc<Tried>> {
        let mut known: FxHashSet<*const Tried> = FxHashSet::default();
        self.covered.iter().flatten().filter(|tried| known.insert(Arc::as_ptr(tried))).cloned().collect()
    }

    /// Whether this arm is an open goal.
    pub fn wants(&self, site: SiteId, arm: Arm) -> bool {
        self.table.number(Goal::Arm(site, arm)).is_some_and(|goal| self.covered[goal as usize].is_none())
    }

    /// Whether no run took this arm.
    pub fn is_untaken(&self, site: SiteId, arm: Arm) -> bool {
        !self.counts.contains_key(&(site, arm))
    }

    /// The open goals whose branch was executed. As in DynaMOSA (Panichella, Kifetew, Tonella, TSE 2018) the others wait
    /// until what controls them is covered, which executions show without a control-flow graph.
    pub fn targets(&self) -> Vec<u32> {
        let open = (0..).zip(&self.covered).filter(|(_, test)| test.is_none()).map(|(goal, _)| goal);
        open.filter(|&goal: &u32| !self.nearest[goal as usize].is_empty()).collect()
    }

    /// The tests that came closest to a goal.
    pub fn nearest(&self, goal: u32) -> &[(u128, Arc<Tried>)] {
        &self.nearest[goal as usize]
    }

    /// Takes in a test and says what it brought.
    pub fn see(&mut self, tried: &Arc<Tried>, arms: &[ArmSeen]) -> News {
        let mut news = News::default();
        if !tried.is_usable() {
            return news;
        }
        for seen in arms.iter().filter(|seen| seen.hits > 0) {
            let known = self.counts.entry((seen.site, seen.arm)).or_insert(0);
            let bit = 1u64 << seen.hits.ilog2();
            news.arms += u32::from(*known == 0);
            news.counts += u32::from(*known & bit == 0);
            *known |= bit;
        }
        for &goal in &tried.covered {
            match &mut self.covered[goal as usize] {
                Some(known) if known.rank() <= tried.rank() => {}
                slot => {
                    if slot.is_none() {
                        news.goals += 1;
                        self.open -= 1;
                        self.nearest[goal as usize] = Vec::new();
                    }
                    *slot = Some(Arc::clone(tried));
                }
            }
        }
        for reach in tried.reached.iter().filter(|reach| reach.distance > 0) {
            if self.covered[reach.goal as usize].is_none() {
                news.closer += u32::from(self.come_closer(reach, tried));
            }
        }
        if news.counts > 0 {
            if self.corpus.len() >= self.most_corpus {
                self.corpus.remove(0);
            }
            self.corpus.push(Arc::clone(tried));
        }
        news
    }

    /// Keeps a test for an open goal if there is room, or if it is closer than the farthest one that is kept, or as close
    /// and shorter. Returns whether it is the closest.
    fn come_closer(&mut self, reach: &Reach, tried: &Arc<Tried>) -> bool {
        let kept = &mut self.nearest[reach.goal as usize];
        let key = |distance: u128, test: &Tried| (distance, test.rank());
        let is_closest = kept.iter().all(|(distance, _)| reach.distance < *distance);
        let skeleton = |test: &Tried| -> Vec<usize> { test.steps.iter().map(|step| step.call.function).collect() };
        let new = key(reach.distance, tried);
        // One test of each skeleton, so that they differ.
        let same = kept.iter().position(|(_, test)| skeleton(test) == skeleton(tried));
        let worst = (0..kept.len()).max_by_key(|&index| key(kept[index].0, &kept[index].1));
        match same.or(worst.filter(|_| kept.len() >= self.most_nearest)) {
            Some(index) if new < key(kept[index].0, &kept[index].1) => {
                kept[index] = (reach.distance, Arc::clone(tried));
            }
            Some(_) => {}
            None => kept.push((reach.distance, Arc::clone(tried))),
        }
        is_closest
    }
}

/// What a branch that is not covered adds to the fitness of a suite (ISSRE 2013, section III-A): its normalised distance if
/// it was executed at least twice, otherwise 1.
pub fn contribution(evaluations: u64, distance: u128) -> f64 {
    if distance == 0 {
        0.0
    } else if evaluations >= 2 {
        normalised(distance)
    } else {
        1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_count_from_the_second_execution_on() {
        assert_eq!(contribution(1, 0), 0.0);
        assert_eq!(contribution(1, 3), 1.0);
        assert_eq!(contribution(2, 3), 0.75);
        assert!(contribution(2, 4) > contribution(2, 3));
    }

    #[test]
    fn arms_that_lead_to_the_same_place_are_one_goal() {
        let arms = [0, 1, 2].map(|arm| Goal::Arm(SiteId(4), Arm(arm)));
        let twins = BTreeMap::from([((SiteId(4), Arm(2)), Arm(0))]);
        let table = GoalTable::new(&arms, &Places { twins, ..Places::default() });
        assert_eq!(table.goals(), &arms[..2]);
        assert_eq!(table.number(arms[2]), table.number(arms[0]));
        assert_eq!(table.number(Goal::Function(0)), None);
    }
}
