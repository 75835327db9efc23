//! What a search is after: the highest cost, or a set of goals.
//!
//! Every run feeds the goals' archive, and each goal keeps the first input that reached it. Concrete runs are
//! observed ([`crate::program::Program::observe`]) as long as a goal is open. A symbolic path reveals the arms that
//! it took for free; the functions and lines that it reached, and its distances, come from observing its witness,
//! which is done only for a path with news: an arm that no earlier run took, or an end that none had. All other paths
//! are made of arms whose places are known already. Where a front end does not record the arms of branches on concrete values
//! ([`crate::program::Run::concrete_arms`]), a path reveals nothing but that it may be worth observing, and the inputs of paths
//! that were not observed are kept: as long as there are any, no arm is known to be out of reach. (A call through a table may enter a new function without a new
//! arm if its index does not depend on the input directly; only concrete runs reveal that. Where no arm is a goal, every
//! path is therefore observed, so that a search that saw every path has seen every function and line.)

use crate::observation::{ArmSeen, Observation};
pub use crate::places::Goal;
use crate::program::{Arm, SiteId};
use pessimum_outcome::{CostModel, End};
use pessimum_term::Witness;
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What a search is after.
#[derive(Clone, Copy, Debug)]
pub enum Objective<'a> {
    /// The run that costs most by this model.
    HighestCost(CostModel),
    /// An input for every goal.
    Goals(&'a Goals),
}

/// How close a run came to a goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nearest {
    /// The least branch distance, not normalised.
    pub distance: u128,
    /// The first input that came this close.
    pub input: Arc<Witness>,
}

/// An input whose run was the first to reach something, or to end as it did.
#[derive(Clone, Debug)]
pub struct Find {
    /// The input.
    pub input: Arc<Witness>,
    /// How its run ended.
    pub end: End,
    /// Steps that it took; none where it was a path that was not run concretely.
    pub steps: Option<u64>,
    /// Instructions within which it ends there again.
    pub within: u64,
    /// What it was the first to reach.
    pub goals: Vec<Goal>,
}

/// A set of goals and an archive: for each goal that was reached, the first input that reached it; for each arm that was
/// not, how close a run came. Clones share all of it. With several workers, which input is first depends on timing.
#[derive(Clone, Debug)]
pub struct Goals {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    /// How many are not reached yet.
    open: AtomicUsize,
    /// How many of them need not be reached.
    spare: usize,
    archive: Mutex<Archive>,
}

#[derive(Clone, Debug)]
struct Archive {
    goals: BTreeMap<Goal, Known>,
    /// Every arm that some run took, whether it is a goal or not.
    taken: FxHashSet<(SiteId, Arm)>,
    /// Every end that some run had, with the first input that ended so.
    ends: BTreeMap<End, Arc<Witness>>,
    /// All inputs with news, in order.
    finds: Vec<Find>,
    /// Arms that the solver gave up on at least once.
    given_up: BTreeSet<(SiteId, Arm)>,
    /// See [`Goals::with_twins`].
    twins: BTreeMap<(SiteId, Arm), Arm>,
    /// Whether some goal is an arm.
    of_arms: bool,
    /// Whether some goal is a function or a line.
    of_places: bool,
    /// Inputs of paths whose arms are not known, as far as they were kept.
    unobserved: Vec<Arc<Witness>>,
    /// Whether some were not kept.
    lost: bool,
}

/// Values of inputs that were not observed, all together, that are kept.
const UNOBSERVED: usize = 1 << 21;

impl Archive {
    /// The arm that stands for this one.
    fn of_twins(&self, (site, arm): (SiteId, Arm)) -> (SiteId, Arm) {
        (site, self.twins.get(&(site, arm)).copied().unwrap_or(arm))
    }

    /// The goal that stands for this one.
    fn stands_for(&self, goal: Goal) -> Goal {
        match goal {
            Goal::Arm(site, arm) if !self.twins.is_empty() => {
                let (site, arm) = self.of_twins((site, arm));
                Goal::Arm(site, arm)
            }
            goal => goal,
        }
    }

    /// Notes that a run reached these for the first time, as far as they are open goals.
    fn reach(&mut self, run: &mut Seen<'_>, reached: impl IntoIterator<Item = Goal>) {
        for goal in reached {
            let goal = self.stands_for(goal);
            if let Some(known @ Known::Open(_)) = self.goals.get_mut(&goal) {
                *known = Known::Reached(run.share());
                run.reached.push(goal);
            }
        }
    }
}

/// What is known about a goal.
#[derive(Clone, Debug)]
enum Known {
    Open(Option<Nearest>),
    Reached(Arc<Witness>),
}

impl Known {
    fn input(&self) -> Option<&Arc<Witness>> {
        match self {
            Known::Reached(input) => Some(input),
            Known::Open(_) => None,
        }
    }
}

impl Goals {
    /// These goals, none of them reached. Goals that the program does not have stay open.
    pub fn new(goals: impl IntoIterator<Item = Goal>) -> Goals {
        Goals::with_spare(goals, |_| 0)
    }

    /// These goals, of which one is enough: a line may be in several functions, and any trap is a trap.
    pub fn any_of(goals: impl IntoIterator<Item = Goal>) -> Goals {
        Goals::with_spare(goals, |count| count.saturating_sub(1))
    }

    fn with_spare(goals: impl IntoIterator<Item = Goal>, spare: impl Fn(usize) -> usize) -> Goals {
        let goals: BTreeMap<Goal, Known> = goals.into_iter().map(|goal| (goal, Known::Open(None))).collect();
        let (open, spare) = (AtomicUsize::new(goals.len()), spare(goals.len()));
        let (taken, ends, given_up, twins) = (FxHashSet::default(), BTreeMap::new(), BTreeSet::new(), BTreeMap::new());
        let of_arms = goals.keys().any(|goal| matches!(goal, Goal::Arm(..)));
        let of_places = goals.keys().any(|goal| matches!(goal, Goal::Function(_) | Goal::Line(_)));
        let (unobserved, lost) = (Vec::new(), false);
        let finds = Vec::new();
        let archive = Archive { goals, taken, ends, finds, given_up, twins, of_arms, of_places, unobserved, lost };
        Goals { shared: Arc::new(Shared { open, spare, archive: Mutex::new(archive) }) }
    }

    /// Arms that lead to the same place as another one, which stands for all of them; see
    /// [`crate::places::Places::twins`].
    pub fn with_twins(self, twins: BTreeMap<(SiteId, Arm), Arm>) -> Goals {
        self.archive().twins = twins;
        self
    }

    /// A worker that panicked leaves nothing half-written here.
    fn archive(&self) -> MutexGuard<'_, Archive> {
        self.shared.archive.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many are not reached yet.
    pub fn open(&self) -> usize {
        self.shared.open.load(Ordering::Relaxed)
    }

    /// Whether every goal is reached, or one of them where that is enough.
    pub fn are_covered(&self) -> bool {
        self.open() <= self.shared.spare
    }

    /// Notes that a run of this input reached these. Whatever is not a goal, or has already been reached, is ignored.
    /// Returns how many goals were reached for the first time.
    pub fn see(&self, input: &Witness, reached: impl IntoIterator<Item = Goal>) -> usize {
        if self.are_covered() {
            return 0;
        }
        let mut run = Seen::of(input);
        let archive = &mut *self.archive();
        archive.reach(&mut run, reached);
        self.keep(archive, run, (End::Returned, None, u64::MAX))
    }

    /// Keeps a run that was the first to reach something, or to end in a trap. Returns how many goals it reached first.
    fn keep(&self, archive: &mut Archive, mut run: Seen<'_>, (end, steps, within): (End, Option<u64>, u64)) -> usize {
        let new = run.reached.len();
        let is_first = !archive.ends.contains_key(&end);
        if is_first {
            archive.ends.insert(end, run.share());
        }
        if new > 0 || is_first && trap_of(end).is_some() {
            let input = run.share();
            archive.finds.push(Find { input, end, steps, within, goals: run.reached });
        }
        self.shared.open.fetch_sub(new, Ordering::Relaxed);
        new
    }

    /// Takes in an observed run of this input, which ends there again within these instructions: what it reached, and how close
    /// it came to the arms that it did not take. Returns how many goals were reached for the first time.
    pub fn see_run(&self, input: &Witness, seen: &Observation, within: u64) -> usize {
        if self.are_covered() {
            return 0;
        }
        let mut run = Seen::of(input);
        let archive = &mut *self.archive();
        archive.reach(&mut run, trap_of(seen.end));
        archive.reach(&mut run, seen.functions.iter().map(|&function| Goal::Function(function)));
        archive.reach(&mut run, seen.lines.iter().map(|&line| Goal::Line(line)));
        let (taken, passed): (Vec<&ArmSeen>, Vec<&ArmSeen>) = seen.arms.iter().partition(|arm| arm.hits > 0);
        archive.taken.extend(taken.iter().map(|arm| (arm.site, arm.arm)));
        archive.reach(&mut run, taken.iter().map(|arm| Goal::Arm(arm.site, arm.arm)));
        for arm in passed {
            let goal = archive.stands_for(Goal::Arm(arm.site, arm.arm));
            if let Some(Known::Open(nearest)) = archive.goals.get_mut(&goal)
                && nearest.as_ref().is_none_or(|nearest| arm.distance < nearest.distance)
            {
                *nearest = Some(Nearest { distance: arm.distance, input: run.share() });
            }
        }
        self.keep(archive, run, (seen.end, Some(seen.costs.steps()), within))
    }

    /// Takes in a symbolic path of this input: the arms that it decided for, those that it took on concrete values if they
    /// are known, and its end, within these instructions. Returns whether any of them is new, so that observing the input is
    /// worthwhile.
    pub(crate) fn see_path(
        &self,
        input: &Witness,
        decided: impl Iterator<Item = (SiteId, Arm)>,
        concrete: Option<Vec<(SiteId, Arm)>>,
        (end, within): (End, u64),
    ) -> bool {
        if self.are_covered() {
            return false;
        }
        let tells_all = concrete.is_some();
        // Paths are long and have few distinct arms; collecting these before locking keeps other workers from
        // waiting.
        let arms: FxHashSet<(SiteId, Arm)> = decided.chain(concrete.into_iter().flatten()).collect();
        let archive = &mut *self.archive();
        let new: Vec<(SiteId, Arm)> = arms.into_iter().filter(|&arm| archive.taken.insert(arm)).collect();
        let is_unknown = archive.of_places && !archive.of_arms;
        let news = is_unknown || !archive.ends.contains_key(&end) || !new.is_empty();
        let mut run = Seen::of(input);
        if tells_all {
            let goals = new.into_iter().map(|(site, arm)| Goal::Arm(site, arm));
            archive.reach(&mut run, goals.chain(trap_of(end)));
        } else if !news {
            let most = UNOBSERVED / input.values().len().max(1);
            archive.lost |= archive.unobserved.len() >= most;
            if !archive.lost {
                archive.unobserved.push(run.share());
            }
        }
        self.keep(archive, run, (end, None, within));
        news
    }

    /// Hands out the inputs of paths whose arms are not known yet; none if some were not kept, so that they never will be.
    pub fn take_unobserved(&self) -> Option<Vec<Arc<Witness>>> {
        let archive = &mut *self.archive();
        let unobserved = std::mem::take(&mut archive.unobserved);
        (!archive.lost).then_some(unobserved)
    }

    /// Takes in what another archive holds. A clone shares this archive, so it has nothing to add.
    pub fn join(&self, other: &Goals) {
        if Arc::ptr_eq(&self.shared, &other.shared) {
            return;
        }
        // One lock at a time: two archives may be joined with each other at the same moment.
        let theirs = other.archive().clone();
        let archive = &mut *self.archive();
        archive.taken.extend(theirs.taken);
        archive.given_up.extend(theirs.given_up);
        archive.unobserved.extend(theirs.unobserved);
        archive.lost |= theirs.lost;
        for find in theirs.finds {
            let mut run = Seen { shared: Some(find.input.clone()), ..Seen::of(&find.input) };
            archive.reach(&mut run, find.goals);
            self.keep(archive, run, (find.end, find.steps, find.within));
        }
        for (end, input) in theirs.ends {
            archive.ends.entry(end).or_insert(input);
        }
        for (goal, known) in theirs.goals {
            if let (Known::Open(Some(theirs)), Some(Known::Open(mine))) = (known, archive.goals.get_mut(&goal))
                && mine.as_ref().is_none_or(|mine| theirs.distance < mine.distance)
            {
                *mine = Some(theirs);
            }
        }
    }

    /// Notes that the solver gave up on these arms at least once.
    pub(crate) fn give_up(&self, arms: impl IntoIterator<Item = (SiteId, Arm)>) {
        let archive = &mut *self.archive();
        for arm in arms {
            let arm = archive.of_twins(arm);
            archive.given_up.insert(arm);
        }
    }

    /// Whether the solver gave up on this arm at least once.
    pub fn was_given_up(&self, site: SiteId, arm: Arm) -> bool {
        self.archive().given_up.contains(&(site, arm))
    }

    /// Whether some run took this arm, whether it is a goal or not.
    pub fn was_taken(&self, site: SiteId, arm: Arm) -> bool {
        self.archive().taken.contains(&(site, arm))
    }

    /// Every end that a run had while goals were open, with the first input that ended so.
    pub fn ends(&self) -> Vec<(End, Arc<Witness>)> {
        self.archive().ends.iter().map(|(end, input)| (*end, input.clone())).collect()
    }

    /// Every goal with the input that reached it, in the order of goals.
    pub fn reached(&self) -> Vec<(Goal, Option<Arc<Witness>>)> {
        self.archive().goals.iter().map(|(goal, known)| (*goal, known.input().cloned())).collect()
    }

    /// The inputs with news after the first `known` of them, in the order in which they were found.
    pub fn finds(&self, known: usize) -> Vec<Find> {
        self.archive().finds.get(known..).unwrap_or_default().to_vec()
    }

    /// The goals that are not reached yet, in their order.
    pub fn left(&self) -> Vec<Goal> {
        self.archive().goals.iter().filter(|(_, known)| known.input().is_none()).map(|(goal, _)| *goal).collect()
    }

    /// Whether taking this arm is wanted: it is an open goal or, where no arm is a goal, no run has taken it yet, so that it
    /// may lead to one.
    pub fn wants(&self, site: SiteId, arm: Arm) -> bool {
        let archive = self.archive();
        match archive.of_arms {
            true => matches!(archive.goals.get(&archive.stands_for(Goal::Arm(site, arm))), Some(Known::Open(_))),
            false => !archive.taken.contains(&(site, arm)),
        }
    }

    /// How close the observed runs came to an open goal. Nothing is known about arms whose branch was never executed,
    /// or about goals that are not arms.
    pub fn nearest(&self, goal: Goal) -> Option<Nearest> {
        match self.archive().goals.get(&goal)? {
            Known::Open(nearest) => nearest.clone(),
            Known::Reached(_) => None,
        }
    }
}

/// A run that is being taken in. Its input is copied at most once, however many goals keep it.
struct Seen<'i> {
    input: &'i Witness,
    shared: Option<Arc<Witness>>,
    /// The goals that it is the first to reach.
    reached: Vec<Goal>,
}

impl<'i> Seen<'i> {
    fn of(input: &'i Witness) -> Seen<'i> {
        Seen { input, shared: None, reached: Vec::new() }
    }

    fn share(&mut self) -> Arc<Witness> {
        Arc::clone(self.shared.get_or_insert_with(|| Arc::new(self.input.clone())))
    }
}

fn trap_of(end: End) -> Option<Goal> {
    match end {
        End::Trapped(trap) => Some(Goal::Trap(trap)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pessimum_outcome::{Costs, Trap};

    fn arm(site: u32, arm: u64) -> Goal {
        Goal::Arm(SiteId(site), Arm(arm))
    }

    fn input(value: u64) -> Witness {
        Witness::new(vec![value])
    }

    /// A run that executed site 1 and took its arm 0, at this distance from its arm 1.
    fn run(distance: u128) -> Observation {
        let seen = |arm, hits, distance| ArmSeen { site: SiteId(1), arm: Arm(arm), hits, evaluations: 1, distance };
        Observation {
            end: End::Returned,
            costs: Costs::default(),
            arms: vec![seen(0, 1, 0), seen(1, 0, distance)],
            comparisons: Vec::new(),
            divisions: Vec::new(),
            functions: vec![2],
            lines: vec![5, 7],
        }
    }

    #[test]
    fn the_first_input_stays_and_strangers_are_passed_over() {
        let goals = Goals::new([arm(1, 0), arm(1, 1), Goal::Trap(Trap::DivideByZero), arm(1, 1)]);
        assert_eq!(goals.open(), 3);
        assert_eq!(goals.see(&input(1), [arm(1, 0), arm(7, 0)]), 1);
        assert_eq!(goals.clone().see(&input(2), [arm(1, 0), arm(1, 1), arm(1, 1)]), 1, "clones share the archive");
        assert_eq!(goals.left(), [Goal::Trap(Trap::DivideByZero)]);
        assert!(!goals.are_covered());
        goals.see(&input(1), [Goal::Trap(Trap::DivideByZero)]);
        assert!(goals.are_covered());
        let inputs: Vec<u64> =
            goals.reached().iter().filter_map(|(_, input)| Some(input.as_ref()?.values()[0])).collect();
        assert_eq!(inputs, [1, 2, 1]);
    }

    #[test]
    fn runs_reach_functions_and_lines_and_leave_distances() {
        let goals = Goals::new([arm(1, 0), arm(1, 1), Goal::Function(2), Goal::Line(5), Goal::Line(6)]);
        assert_eq!(goals.nearest(arm(1, 1)), None, "nothing was run");
        assert_eq!(goals.see_run(&input(1), &run(9), 100), 3);
        assert_eq!(goals.left(), [arm(1, 1), Goal::Line(6)]);
        goals.see_run(&input(2), &run(4), 100);
        goals.see_run(&input(3), &run(8), 100);
        let nearest = goals.nearest(arm(1, 1)).unwrap();
        assert_eq!((nearest.distance, nearest.input.values()), (4, &[2][..]), "the least distance stays");
        assert_eq!(goals.nearest(Goal::Line(6)), None, "lines have no distance");
        goals.see(&input(4), [arm(1, 1)]);
        assert_eq!(goals.nearest(arm(1, 1)), None, "nor has a goal that is reached");
    }

    #[test]
    fn a_path_is_news_once() {
        let goals = Goals::new([arm(1, 0), Goal::Line(5), Goal::Trap(Trap::DivideByZero)]);
        let path = |arms: &[u64], end| {
            let (decided, concrete) = arms.split_at(1);
            let arms = |arms: &[u64]| arms.iter().map(|&arm| (SiteId(1), Arm(arm))).collect::<Vec<_>>();
            goals.see_path(&input(1), arms(decided).into_iter(), Some(arms(concrete)), (end, 100))
        };
        assert!(path(&[0, 0], End::Returned));
        assert!(!path(&[0], End::Returned));
        assert!(path(&[1, 0], End::Returned), "arms that are not goals may lead to other places");
        assert!(path(&[1], End::Trapped(Trap::DivideByZero)));
        assert_eq!(goals.left(), [Goal::Line(5)]);
        goals.see_run(&input(1), &run(3), 100);
        assert!(!path(&[7], End::Returned), "nothing is news where nothing is open");
    }

    #[test]
    fn a_path_that_does_not_tell_all_its_arms_reaches_none() {
        let goals = Goals::new([arm(1, 0), arm(2, 0)]);
        let path = |value| goals.see_path(&input(value), [(SiteId(1), Arm(0))].into_iter(), None, (End::Returned, 100));
        assert!(path(1), "worth observing");
        assert_eq!(goals.left(), [arm(1, 0), arm(2, 0)], "what is not observed is not reached");
        goals.see_run(&input(1), &run(9), 100);
        assert_eq!(goals.left(), [arm(2, 0)]);
        assert!(!path(2));
        let unobserved = goals.take_unobserved().unwrap();
        assert_eq!(
            unobserved.iter().map(|input| input.values()).collect::<Vec<_>>(),
            [[2]],
            "it may have taken the other"
        );
        assert!(goals.take_unobserved().unwrap().is_empty());
        let long = Witness::new(vec![0; UNOBSERVED]);
        for _ in 0..2 {
            goals.see_path(&long, [(SiteId(1), Arm(0))].into_iter(), None, (End::Returned, 100));
        }
        assert_eq!(goals.take_unobserved(), None, "the second is not kept");
    }

    #[test]
    fn one_arm_stands_for_its_twins() {
        let twins = BTreeMap::from([((SiteId(1), Arm(7)), Arm(1))]);
        let goals = Goals::new([arm(1, 0), arm(1, 1)]).with_twins(twins);
        goals.give_up([(SiteId(1), Arm(7))]);
        assert!(goals.was_given_up(SiteId(1), Arm(1)) && !goals.was_given_up(SiteId(1), Arm(0)));
        goals.see(&input(1), [arm(1, 7)]);
        assert_eq!(goals.left(), [arm(1, 0)]);
    }

    #[test]
    fn one_of_several_may_be_enough() {
        let goals = Goals::any_of([arm(1, 0), arm(1, 1), arm(2, 0)]);
        assert!(!goals.are_covered());
        goals.see(&input(1), [arm(2, 0)]);
        assert!(goals.are_covered() && goals.left().len() == 2);
        assert!(goals.wants(SiteId(1), Arm(0)) && !goals.wants(SiteId(2), Arm(0)) && !goals.wants(SiteId(7), Arm(0)));
        let function = Goals::new([Goal::Function(1)]);
        assert!(function.wants(SiteId(7), Arm(0)), "it may lead there");
        function.see_path(&input(1), [(SiteId(7), Arm(0))].into_iter(), Some(Vec::new()), (End::Returned, 100));
        assert!(!function.wants(SiteId(7), Arm(0)));
        let again =
            function.see_path(&input(1), [(SiteId(7), Arm(0))].into_iter(), Some(Vec::new()), (End::Returned, 100));
        assert!(again, "which functions a path calls is known only when it is observed");
        assert!(Goals::any_of([]).are_covered(), "nothing is asked for");
    }

    #[test]
    fn archives_are_joined() {
        let all = [arm(1, 0), arm(1, 1), arm(2, 0), Goal::Function(2)];
        let (mine, theirs) = (Goals::new(all), Goals::new(all));
        mine.see(&input(1), [arm(2, 0)]);
        mine.see_run(&input(1), &run(9), 100);
        theirs.see_run(&input(2), &run(4), 100);
        mine.join(&theirs);
        assert_eq!(mine.left(), [arm(1, 1)]);
        assert_eq!(mine.nearest(arm(1, 1)).map(|nearest| nearest.distance), Some(4));
        assert_eq!(theirs.open(), 2, "the other one stays as it is");
        theirs.see(&input(3), [arm(1, 1)]);
        mine.join(&theirs);
        mine.join(&mine.clone());
        assert!(mine.are_covered());
        assert_eq!(mine.reached()[0].1.as_ref().unwrap().values(), [1], "what was reached before stays");
    }
}
