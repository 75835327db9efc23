//! The costliest run of each kind: of those that crash, and of all others.

use crate::path::Path;
use pessimum_outcome::{CostModel, Costs, End, Ends};

/// The costliest runs, and which of them is the best.
#[derive(Clone, Debug)]
pub(super) struct Bests {
    cost: CostModel,
    ends: Ends,
    /// Of the runs that do not crash, and of those that do.
    kept: [Option<Path>; 2],
    /// The greatest cost of all paths of each kind, kept or not.
    greatest: [Option<u64>; 2],
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
    pub fn new(cost: CostModel, ends: Ends) -> Bests {
        Bests { cost, ends, kept: [None, None], greatest: [None, None] }
    }

    pub fn is_empty(&self) -> bool {
        self.kept.iter().all(Option::is_none)
    }

    /// The costliest run that ended as this one did: crashed or not.
    pub fn of(&self, end: End) -> Option<&Path> {
        self.kept[kind(end)].as_ref()
    }

    /// How good a run is: whether it ended as it should, and its cost.
    fn rank_of(&self, path: &Path) -> Option<(bool, u64)> {
        Some((self.ends.wants(path.end)?, self.cost.of(&path.costs)))
    }

    /// The best, as an index of `kept`. Of two equally good ones it is the one that does not crash.
    fn index(&self) -> Option<usize> {
        let ranked = (0..2).filter_map(|kind| Some((kind, self.rank_of(self.kept[kind].as_ref()?)?)));
        ranked.reduce(|one, other| if other.1 > one.1 { other } else { one }).map(|(kind, _)| kind)
    }

    /// The best.
    pub fn best(&self) -> Option<&Path> {
        self.kept[self.index()?].as_ref()
    }

    /// Whether the best ended as it should, and its cost.
    pub fn rank(&self) -> Option<(bool, u64)> {
        self.rank_of(self.best()?)
    }

    /// Notes the cost of a path.
    pub fn see(&mut self, costs: &Costs, end: End) {
        let greatest = &mut self.greatest[kind(end)];
        *greatest = (*greatest).max(Some(self.cost.of(costs)));
    }

    /// The greatest cost of the paths that ended as this one did.
    pub fn greatest(&self, end: End) -> Option<u64> {
        self.greatest[kind(end)]
    }

    /// Whether a run is the costliest of its kind.
    pub fn would_keep(&self, costs: &Costs, end: End) -> bool {
        let known = self.of(end).map(|known| self.cost.of(&known.costs));
        end.is_a_run() && known.is_none_or(|known| self.cost.of(costs) > known)
    }

    /// Keeps a run if it is the costliest of its kind; `copy` writes it down.
    pub fn keep(&mut self, costs: &Costs, end: End, copy: impl FnOnce(&mut Path)) -> Kept {
        if !self.would_keep(costs, end) {
            return Kept::No;
        }
        let cost = self.cost.of(costs);
        let before = self.rank();
        copy(self.kept[kind(end)].get_or_insert_default());
        match self.ends.wants(end).map(|wanted| (wanted, cost)) {
            Some(rank) if Some(rank) > before => Kept::Best,
            _ => Kept::Other,
        }
    }

    /// Takes in those of another worker.
    pub fn join(&mut self, other: Bests) {
        for greatest in 0..2 {
            self.greatest[greatest] = self.greatest[greatest].max(other.greatest[greatest]);
        }
        other.kept.into_iter().flatten().for_each(|path| self.put(path));
    }

    /// Keeps a path if it is the costliest of its kind.
    pub fn put(&mut self, path: Path) {
        let (costs, end) = (path.costs, path.end);
        self.keep(&costs, end, |known| *known = path);
    }

    /// Takes out the best, and the costliest of the other kind.
    pub fn take(&mut self) -> (Option<Path>, Option<Path>) {
        let best = self.index();
        let other = match best {
            Some(best) => 1 - best,
            None => return (None, self.kept.iter_mut().find_map(Option::take)),
        };
        (best.and_then(|best| self.kept[best].take()), self.kept[other].take())
    }
}

fn kind(end: End) -> usize {
    usize::from(end.is_crash())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pessimum_outcome::Trap;

    fn path(instructions: u64, end: End) -> Path {
        Path { costs: Costs { instructions, ..Costs::default() }, end, ..Path::default() }
    }

    fn kept(ends: Ends, runs: &[(u64, End)]) -> (Vec<Kept>, Option<u64>, Option<u64>) {
        let mut bests = Bests::new(CostModel::Instructions, ends);
        let keep = |&(cost, end): &(u64, End)| {
            let run = path(cost, end);
            bests.keep(&run.costs, run.end, |known| *known = run.clone())
        };
        let seen = runs.iter().map(keep).collect();
        let (best, other) = bests.take();
        (seen, best.map(|path| path.costs.instructions), other.map(|path| path.costs.instructions))
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
        let new = || Bests::new(CostModel::Instructions, Ends::ReturnedFirst);
        let (mut one, mut other) = (new(), new());
        one.put(path(5, End::Returned));
        one.put(path(1, End::Limit(pessimum_outcome::Limit::Depth)));
        other.put(path(3, End::Returned));
        other.put(path(7, End::Trapped(Trap::DivideByZero)));
        other.see(&path(3, End::Returned).costs, End::Returned);
        one.join(other);
        assert_eq!(one.greatest(End::Exited(0)), Some(3));
        assert_eq!(one.rank(), Some((true, 5)));
        assert_eq!(one.take().1.map(|path| path.costs.instructions), Some(7));
    }
}
