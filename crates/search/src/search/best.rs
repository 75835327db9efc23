//! The costliest run of each kind: of those that return, of those that crash, and of those that were cut off.
//!
//! A run that had all that a run may take and did not end is above all that did, whatever both cost; but strategies
//! work with the runs that ended, because the neighbours of an endless run are endless, too. Strategies rank runs by
//! `Search::worth`, which is less than half of the best for a run that ended otherwise, so that crashes, which often
//! cost most, do not fill their populations.

use crate::path::{Origin, Path};
use pessimum_outcome::{CostModel, Costs, End, Ends, Limit};

/// The costliest runs, and which of them is the best.
///
/// Strategies work with the runs that ended: what is known of a run that was cut off is how long somebody waited for it, and
/// its neighbours take as long to run. The result is another matter: a run that had all that a run may take and did not end
/// is worse than any that did, and what another one had cost when it was cut off is the least that it costs.
#[derive(Clone, Debug)]
pub(super) struct Bests {
    cost: CostModel,
    ends: Ends,
    /// The instructions that a run may take.
    most: u64,
    /// Of the runs that do not crash, of those that do, and of those that were cut off.
    kept: [Option<Path>; 3],
    /// The greatest cost of all paths that do not crash, and of those that do, kept or not.
    greatest: [Option<u64>; 2],
}

const CUT: usize = 2;

/// The costliest runs, taken apart.
#[derive(Clone, Debug, Default)]
pub(super) struct Taken {
    /// What the search found.
    pub best: Option<Path>,
    /// The costliest run that ended, if the best did not.
    pub ended: Option<Path>,
    /// The costliest of the other kind: one that crashes if the others do not.
    pub other: Option<Path>,
}

impl Taken {
    pub fn paths(self) -> impl Iterator<Item = Path> {
        [self.best, self.ended, self.other].into_iter().flatten()
    }
}

/// What became of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kept {
    /// It is the best.
    Best,
    /// It is the costliest of its kind, but the best is of another kind.
    Other,
    /// It is neither.
    No,
}

impl Bests {
    pub fn new(cost: CostModel, ends: Ends, most: u64) -> Bests {
        Bests { cost, ends, most, kept: [None, None, None], greatest: [None, None] }
    }

    pub fn is_empty(&self) -> bool {
        self.kept.iter().all(Option::is_none)
    }

    /// The costliest run that ended as this one did: returned, crashed, or was cut off.
    pub fn of(&self, end: End) -> Option<&Path> {
        self.kept[self.kind(end)].as_ref()
    }

    /// The costliest of the runs that were cut off, to be run again.
    pub fn take_cut(&mut self) -> Option<Path> {
        self.kept[CUT].take()
    }

    /// What is deepest or largest does not grow while a run goes on and on, so a run that was cut off is one like others then.
    fn kind(&self, end: End) -> usize {
        let grows = !matches!(self.cost, CostModel::Depth | CostModel::Memory);
        if end.is_cut() && grows { CUT } else { usize::from(end.is_crash()) }
    }

    /// Whether a run did not end although it had all that a run may take.
    pub fn is_endless(&self, end: End, origin: Origin) -> bool {
        let had_all = match origin {
            Origin::Concrete(limits) if end == End::Limit(Limit::Instructions) => limits.instructions >= self.most,
            Origin::Concrete(_) | Origin::Symbolic => true,
        };
        end.is_endless() && had_all && self.kind(end) == CUT
    }

    /// How good a run is: whether it ended as it should, and its cost.
    fn rank_of(&self, path: &Path) -> Option<(bool, u64)> {
        Some((self.ends.wants(path.end)?, self.cost.of(&path.costs)))
    }

    /// The better of some kinds. Of two equally good ones it is the first.
    fn better(&self, kinds: std::ops::Range<usize>) -> Option<usize> {
        let ranked = kinds.filter_map(|kind| Some((kind, self.rank_of(self.kept[kind].as_ref()?)?)));
        ranked.reduce(|one, other| if other.1 > one.1 { other } else { one }).map(|(kind, _)| kind)
    }

    /// The best of the runs that ended, or of all if none did, as an index of `kept`. Of two equally good ones it is the one
    /// that does not crash.
    fn index(&self) -> Option<usize> {
        let wanted = |kind: &usize| self.kept[*kind].as_ref().and_then(|path| self.ends.wants(path.end)) == Some(true);
        self.better(0..CUT).filter(wanted).or_else(|| self.better(0..CUT + 1))
    }

    /// The best for strategies.
    pub fn best(&self) -> Option<&Path> {
        self.kept[self.index()?].as_ref()
    }

    /// Whether the best ended as it should, and its cost.
    pub fn rank(&self) -> Option<(bool, u64)> {
        self.rank_of(self.best()?)
    }

    /// Notes the cost of a path.
    pub fn see(&mut self, costs: &Costs, end: End) {
        let greatest = &mut self.greatest[usize::from(end.is_crash())];
        *greatest = (*greatest).max(Some(self.cost.of(costs)));
    }

    /// The greatest cost of the paths that crash, or of those that do not.
    pub fn greatest(&self, end: End) -> Option<u64> {
        self.greatest[usize::from(end.is_crash())]
    }

    /// Whether a run is the costliest of its kind; of those that were cut off, one that had all that a run may take comes
    /// before any other.
    pub fn would_keep(&self, costs: &Costs, end: End, origin: Origin) -> bool {
        let rank = |end, origin, costs| (self.is_endless(end, origin), self.cost.of(costs));
        let known = self.of(end).map(|known| rank(known.end, known.origin, &known.costs));
        end.is_a_run() && known.is_none_or(|known| rank(end, origin, costs) > known)
    }

    /// Keeps a run if it is the costliest of its kind; `copy` writes it down.
    pub fn keep(&mut self, costs: &Costs, end: End, origin: Origin, copy: impl FnOnce(&mut Path)) -> Kept {
        if !self.would_keep(costs, end, origin) {
            return Kept::No;
        }
        let kind = self.kind(end);
        copy(self.kept[kind].get_or_insert_default());
        if self.index() == Some(kind) { Kept::Best } else { Kept::Other }
    }

    /// Takes in those of another worker.
    pub fn join(&mut self, mut other: Bests) {
        for greatest in 0..2 {
            self.greatest[greatest] = self.greatest[greatest].max(other.greatest[greatest]);
        }
        other.kept.iter_mut().filter_map(Option::take).for_each(|path| self.put(path));
    }

    /// Keeps a path if it is the costliest of its kind.
    pub fn put(&mut self, path: Path) {
        let (costs, end, origin) = (path.costs, path.end, path.origin);
        self.keep(&costs, end, origin, |known| *known = path);
    }

    /// Takes all of them out.
    pub fn take(&mut self) -> Taken {
        let endless = self.kept[CUT].as_ref().is_some_and(|path| self.is_endless(path.end, path.origin));
        let cut = self.kept[CUT].as_ref().and_then(|path| self.ends.wants(path.end)).filter(|_| endless);
        let best = match cut {
            Some(_) => Some(CUT),
            None => self.better(0..CUT + 1),
        };
        let Some(best) = best else {
            return Taken { other: self.kept.iter_mut().find_map(Option::take), ..Taken::default() };
        };
        // A run that was cut off and is not the best says nothing any more.
        let ended = (best == CUT).then_some(0);
        let other = if best == 1 { 0 } else { 1 };
        let take = |kept: &mut [Option<Path>; 3], kind: Option<usize>| kind.and_then(|kind| kept[kind].take());
        let [best, ended, other] = [Some(best), ended, Some(other)].map(|kind| take(&mut self.kept, kind));
        self.kept[CUT] = None;
        Taken { best, ended, other }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::PathLimits;
    use pessimum_outcome::Trap;

    fn path(instructions: u64, end: End) -> Path {
        Path { costs: Costs { instructions, ..Costs::default() }, end, ..Path::default() }
    }

    fn kept(ends: Ends, runs: &[(u64, End)]) -> (Vec<Kept>, Option<u64>, Option<u64>) {
        let mut bests = Bests::new(CostModel::Instructions, ends, 100);
        let keep = |&(cost, end): &(u64, End)| {
            let run = path(cost, end);
            bests.keep(&run.costs, run.end, run.origin, |known| *known = run.clone())
        };
        let seen = runs.iter().map(keep).collect();
        let taken = bests.take();
        let cost = |path: Option<Path>| path.map(|path| path.costs.instructions);
        (seen, cost(taken.best), cost(taken.other))
    }

    /// Costs of the best, of the costliest that ended, and of the other, and the best for strategies before that.
    fn taken(cost: CostModel, runs: &[(u64, End, u64)]) -> [Option<u64>; 4] {
        let mut bests = Bests::new(cost, Ends::ReturnedFirst, 100);
        for &(instructions, end, limit) in runs {
            let limits = PathLimits { instructions: limit, ..PathLimits::default() };
            bests.put(Path { origin: Origin::Concrete(limits), ..path(instructions, end) });
        }
        let strategies = bests.best().cloned();
        let Taken { best, ended, other } = bests.take();
        [best, ended, other, strategies].map(|path| path.map(|path| path.costs.instructions))
    }

    #[test]
    fn a_run_that_did_not_end_is_above_all_that_did_but_strategies_work_with_those() {
        const TRAP: End = End::Trapped(Trap::Unreachable);
        const TIME: End = End::Limit(Limit::Time);
        const BUDGET: End = End::Limit(Limit::Budget);
        const INSTRUCTIONS: End = End::Limit(Limit::Instructions);
        let of = |runs: &[(u64, End, u64)]| taken(CostModel::Instructions, runs);
        // What is counted is of no account.
        let hung = [(7, End::Returned, 100), (1, TIME, 100), (9, TRAP, 100), (5, BUDGET, 100)];
        assert_eq!(of(&hung), [Some(1), Some(7), Some(9), Some(7)]);
        assert_eq!(of(&[(7, End::Returned, 100), (100, INSTRUCTIONS, 100)]), [Some(100), Some(7), None, Some(7)]);
        // What had less than a run may take is what it has cost so far.
        assert_eq!(of(&[(7, End::Returned, 100), (5, INSTRUCTIONS, 5)]), [Some(7), None, None, Some(7)]);
        assert_eq!(of(&[(7, End::Returned, 100), (8, INSTRUCTIONS, 8)]), [Some(8), Some(7), None, Some(7)]);
        assert_eq!(of(&[(7, End::Returned, 100), (5, BUDGET, 100)]), [Some(7), None, None, Some(7)]);
        assert_eq!(of(&[(8, INSTRUCTIONS, 8), (6, TIME, 100)]), [Some(6), None, None, Some(6)]);
        // Nothing else is known.
        assert_eq!(of(&[(5, BUDGET, 100), (9, TRAP, 100)]), [Some(5), None, Some(9), Some(5)]);
        // A loop without end is not deep.
        let deep = [(7, End::Returned, 100), (100, INSTRUCTIONS, 100)].map(|(depth, end, limit)| (depth, end, limit));
        assert_eq!(taken(CostModel::Depth, &deep)[0], Some(7), "both are of no depth, and the first stays");
    }

    #[test]
    fn the_best_is_of_the_kind_that_is_wanted() {
        const TRAP: End = End::Trapped(Trap::Unreachable);
        let runs = [(5, TRAP), (3, End::Returned), (9, TRAP), (4, End::Exited(1)), (4, End::Returned)];
        let (best, other, no) = (Kept::Best, Kept::Other, Kept::No);
        assert_eq!(kept(Ends::ReturnedFirst, &runs), (vec![best, best, other, best, no], Some(4), Some(9)));
        assert_eq!(kept(Ends::ReturnedFirst, &runs[..1]), (vec![best], Some(5), None));
        assert_eq!(kept(Ends::Returned, &runs), (vec![other, best, other, best, no], Some(4), Some(9)));
        assert_eq!(kept(Ends::Returned, &runs[..1]), (vec![other], None, Some(5)));
        assert_eq!(kept(Ends::Any, &runs), (vec![best, other, best, other, no], Some(9), Some(4)));
        assert_eq!(kept(Ends::Trapped, &runs), (vec![best, other, best, other, no], Some(9), Some(4)));
        assert_eq!(kept(Ends::Any, &[(5, TRAP), (5, End::Returned)]).1, Some(5));
    }

    #[test]
    fn workers_are_joined_kind_by_kind() {
        let new = || Bests::new(CostModel::Instructions, Ends::ReturnedFirst, 100);
        let (mut one, mut other) = (new(), new());
        one.put(path(5, End::Returned));
        one.put(path(1, End::Limit(pessimum_outcome::Limit::Depth)));
        other.put(path(3, End::Returned));
        other.put(path(7, End::Trapped(Trap::DivideByZero)));
        other.see(&path(3, End::Returned).costs, End::Returned);
        one.join(other);
        assert_eq!(one.greatest(End::Exited(0)), Some(3));
        assert_eq!(one.rank(), Some((true, 5)));
        assert_eq!(one.take().other.map(|path| path.costs.instructions), Some(7));
    }
}
