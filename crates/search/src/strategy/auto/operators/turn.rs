//! Another arm at one decision, and from there on the old arms where they fit.

use super::{Proposal, Then, View};
use crate::path::Decision;
use crate::program::{Arm, Kind};
use crate::random::Random;

/// Where later arms are taken from: the same index of the old path, one decision later, one earlier, or the witness.
const SHIFTS: [Option<isize>; 4] = [Some(0), Some(1), Some(-1), None];

pub(super) fn propose(view: &View<'_>, random: &mut Random) -> Option<Proposal> {
    let parent = view.population.draw(random)?;
    let decisions = &view.population.members[parent].decisions;
    if decisions.is_empty() {
        return None;
    }
    let keep = random.index(decisions.len());
    let shift = SHIFTS[random.index(SHIFTS.len())];
    let arm = other_arm(decisions, keep, random)?;
    Some(Proposal::Branch { parent, keep, then: Then::Turn(arm, shift) })
}

/// Another arm for a decision: the other side of a branch, another entry of a table, or a value that the path took
/// elsewhere at the same site.
pub(crate) fn other_arm(decisions: &[Decision], at: usize, random: &mut Random) -> Option<Arm> {
    let Decision { kind, arm, site, .. } = decisions[at];
    match kind {
        Kind::Branch | Kind::Check => Some(Arm(1 - arm.0)),
        Kind::Table { targets: 0, .. } => None,
        Kind::Table { targets, .. } => {
            Some(Arm((arm.0 + 1 + random.below(u64::from(targets))) % (u64::from(targets) + 1)))
        }
        Kind::Value => {
            let elsewhere = |other: &&Decision| other.site == site && other.arm != arm;
            let count = decisions.iter().filter(elsewhere).count();
            let drawn = (count > 0).then(|| random.index(count))?;
            decisions.iter().filter(elsewhere).nth(drawn).map(|other| other.arm)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::auto::testing::Scene;

    #[test]
    fn a_branch_is_turned_to_its_other_side() {
        let scene = Scene::new(&[&[1, 0, 1]]);
        let mut random = Random::new(1);
        let mut shifts = Vec::new();
        for _ in 0..100 {
            let Some(Proposal::Branch { parent: 0, keep, then: Then::Turn(arm, shift) }) =
                propose(&scene.view(), &mut random)
            else {
                panic!("a branch can be turned");
            };
            assert_eq!(arm.0, 1 - scene.population.members[0].decisions[keep].arm.0);
            if !shifts.contains(&shift) {
                shifts.push(shift);
            }
        }
        assert_eq!(shifts.len(), SHIFTS.len());
    }

    #[test]
    fn tables_and_values_get_another_arm_or_none() {
        let mut scene = Scene::new(&[&[2, 2, 0, 2]]);
        let decisions = &mut scene.population.members[0].decisions;
        let mut random = Random::new(1);
        decisions.iter_mut().for_each(|decision| decision.kind = Kind::Table { targets: 3, branch: true });
        let mut seen = [0; 4];
        for _ in 0..300 {
            seen[other_arm(decisions, 0, &mut random).unwrap().0 as usize] += 1;
        }
        assert!(seen[2] == 0 && seen[0] > 50 && seen[1] > 50 && seen[3] > 50, "{seen:?}");
        decisions.iter_mut().for_each(|decision| decision.kind = Kind::Value);
        assert_eq!(other_arm(decisions, 0, &mut random), Some(Arm(0)), "the only other value of the site");
        assert_eq!(other_arm(&decisions[..2], 0, &mut random), None, "no other value is known");
        decisions[0].kind = Kind::Table { targets: 0, branch: false };
        assert_eq!(other_arm(decisions, 0, &mut random), None, "one entry");
    }

    #[test]
    fn without_decisions_there_is_nothing_to_turn() {
        let mut random = Random::new(1);
        assert!(propose(&Scene::new(&[]).view(), &mut random).is_none());
        assert!(propose(&Scene::new(&[&[]]).view(), &mut random).is_none());
    }
}
