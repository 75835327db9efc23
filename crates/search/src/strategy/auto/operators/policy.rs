//! Policy evolution at the size of the search: change a few rules, and keep the policy if its path is no cheaper. If
//! there is no policy yet, begin one.

use super::{Proposal, View};
use crate::random::Random;
use crate::strategy::auto::policy::Policy;

pub(super) fn propose(view: &View<'_>, random: &mut Random) -> Proposal {
    let Some(parent) = view.lineages.draw(random) else { return Proposal::Fresh(Policy::drawn(random)) };
    let living = &view.lineages.living;
    let mut policy = living[parent].policy.clone();
    policy.mutate(random);
    let mate = random.index(living.len());
    if mate != parent && living[mate].policy.schema == policy.schema && random.chance(view.settings.policy_cross) {
        policy.cross(&living[mate].policy, random);
    }
    Proposal::Evolve { parent, policy }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::auto::testing::Scene;

    #[test]
    fn without_a_policy_one_is_begun() {
        let scene = Scene::new(&[]);
        assert!(matches!(propose(&scene.view(), &mut Random::new(1)), Proposal::Fresh(policy) if policy.len() == 0));
    }

    #[test]
    fn a_child_differs_from_its_parent_in_some_rule() {
        let mut scene = Scene::new(&[&[1, 0, 1, 1], &[0, 0, 1]]);
        scene.add_lineage(0);
        scene.add_lineage(1);
        let mut random = Random::new(1);
        let (mut parents, mut changed) = ([0; 2], 0);
        for _ in 0..200 {
            let Proposal::Evolve { parent, policy } = propose(&scene.view(), &mut random) else {
                panic!("not a child");
            };
            parents[parent] += 1;
            changed += u32::from(policy.rules() != scene.lineages.living[parent].policy.rules());
        }
        assert!(parents[0] > 0 && parents[1] > 0, "{parents:?}");
        assert!(changed > 100, "{changed}");
    }
}
