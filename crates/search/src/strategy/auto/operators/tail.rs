//! The head of a path, and a policy for the rest.

use super::{Proposal, Then, View};
use crate::random::Random;
use crate::strategy::auto::policy::Policy;

pub(super) fn propose(view: &View<'_>, random: &mut Random) -> Option<Proposal> {
    let parent = view.population.draw(random)?;
    let length = view.population.members[parent].decisions.len();
    if length == 0 {
        return None;
    }
    let keep = random.index(length);
    let living = &view.lineages.living;
    let policy = if !living.is_empty() && random.chance(view.settings.tail_known_policy) {
        living[random.index(living.len())].policy.clone()
    } else {
        Policy::drawn(random)
    };
    Some(Proposal::Branch { parent, keep, then: Then::Policy(policy) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::auto::testing::Scene;

    #[test]
    fn the_rest_is_made_by_a_known_policy_or_a_fresh_one() {
        let mut scene = Scene::new(&[&[1, 0, 1]]);
        scene.add_lineage(0);
        let mut random = Random::new(1);
        let (mut kept, mut known) = ([0; 3], 0);
        for _ in 0..1000 {
            let Some(Proposal::Branch { parent: 0, keep, then: Then::Policy(policy) }) =
                propose(&scene.view(), &mut random)
            else {
                panic!("a path with decisions has a tail");
            };
            kept[keep] += 1;
            known += u32::from(policy.len() > 0);
        }
        assert!(kept.iter().all(|&count| count > 250), "{kept:?}");
        assert!((650..750).contains(&known), "{known}");
    }

    #[test]
    fn a_path_without_decisions_has_no_tail() {
        let mut random = Random::new(1);
        assert!(propose(&Scene::new(&[]).view(), &mut random).is_none());
        assert!(propose(&Scene::new(&[&[]]).view(), &mut random).is_none());
    }
}
