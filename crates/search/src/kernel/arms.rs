//! Which arms of the open decision are feasible.

use super::{Feasible, Kernel, Open};
use crate::program::{Arm, Kind};
use pessimum_solver::Assumed;

/// Tables with more arms than this are not asked about arm by arm: like the values of an address, their arms are found
/// one after the other, up to a limit.
pub(crate) const MOST_ARMS: u64 = 4096;

impl Kernel<'_> {
    /// Whether no other arm than the witness's is feasible, as far as the answers about the open decision say.
    pub(crate) fn implied(&self, kind: Kind) -> Option<bool> {
        if self.asked.values().any(|answer| *answer == Feasible::Yes) {
            return Some(false);
        }
        let refuted = self.asked.values().filter(|answer| **answer == Feasible::No).count() as u64;
        (self.only_arm || kind.arms() == Some(refuted + 1)).then_some(true)
    }

    /// Remembers an answer about an arm that was not the witness's.
    pub(super) fn note(&mut self, arm: Arm, answer: Feasible) -> Feasible {
        match answer {
            Feasible::Yes => {}
            Feasible::No => self.counters.infeasible += 1,
            Feasible::Unknown(_) => {
                self.counters.unknown += 1;
                let open = self.open();
                if open.kind.is_branch() {
                    self.given_up.insert((open.site, arm));
                }
            }
        }
        self.asked.entry(arm).or_insert(answer);
        answer
    }

    /// Whether the search is over, checked in loops over arms: each of them may be a hard question.
    pub(crate) fn is_late(&mut self) -> bool {
        let pending = self.pending_steps();
        self.meter.look(pending).is_some()
    }

    /// Whether an arm of the open decision is feasible.
    pub fn feasible(&mut self, arm: Arm) -> Feasible {
        if arm == self.witness_arm() {
            return Feasible::Yes;
        }
        if let Some(&answer) = self.asked.get(&arm) {
            return answer;
        }
        let open = self.open();
        let condition = open.kind.condition(&mut self.arena, open.scrutinee, arm);
        self.context.set_site(Some(open.site.0));
        self.counters.queries += 1;
        let answer = match self.context.is_feasible(&mut self.arena, condition) {
            Ok(true) => Feasible::Yes,
            Ok(false) => Feasible::No,
            Err(why) => Feasible::Unknown(why),
        };
        self.note(arm, answer)
    }

    /// The feasible arms of the open decision in ascending order. Arms that the solver gave up on are left out and
    /// counted. At most `limit` arms of a value decision or a large table are found; if there are more, or the search is
    /// over before all were found, that is counted too.
    ///
    /// Enumerating values may move the witness to another of them.
    pub fn enumerate(&mut self, limit: usize, arms: &mut Vec<Arm>) {
        arms.clear();
        match self.open().kind.arms() {
            Some(count) if count <= MOST_ARMS => {
                for arm in (0..count).map(Arm) {
                    if count > 2 && self.is_late() {
                        self.counters.values_cut += 1;
                        break;
                    }
                    if self.feasible(arm) == Feasible::Yes {
                        arms.push(arm);
                    }
                }
            }
            _ => self.enumerate_by_exclusion(limit, arms),
        }
    }

    /// Excludes each arm found until no other is left, then takes the exclusions back.
    fn enumerate_by_exclusion(&mut self, limit: usize, arms: &mut Vec<Arm>) {
        let Open { site, kind, scrutinee, .. } = self.open();
        self.context.set_site(Some(site.0));
        let length = self.context.conditions().len();
        loop {
            let arm = self.witness_arm();
            arms.push(arm);
            let same = kind.condition(&mut self.arena, scrutinee, arm);
            let differs = self.arena.not(same);
            self.counters.queries += 1;
            match self.context.assume(&mut self.arena, differs) {
                Assumed::Held | Assumed::Moved if arms.len() < limit && !self.is_late() => {}
                Assumed::Held | Assumed::Moved => {
                    self.counters.values_cut += 1;
                    break;
                }
                Assumed::Conflict(_) => {
                    self.counters.infeasible += 1;
                    self.only_arm = arms.len() == 1;
                    break;
                }
                Assumed::Unknown(_) => {
                    self.counters.unknown += 1;
                    break;
                }
            }
        }
        self.context.truncate(length);
        let witness = self.witness_arm();
        for &arm in arms.iter().filter(|&&arm| arm != witness) {
            self.note(arm, Feasible::Yes);
        }
        arms.sort_unstable();
    }
}
