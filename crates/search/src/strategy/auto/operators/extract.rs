//! The policy that a good path followed, written over some schema: what the path does in places is done everywhere.

use super::{Proposal, View};
use crate::random::Random;
use crate::strategy::auto::history::Schema;

pub(super) fn propose(view: &View<'_>, random: &mut Random) -> Option<Proposal> {
    let parent = view.population.draw(random)?;
    if view.population.members[parent].decisions.is_empty() {
        return None;
    }
    let schema = Schema::ALL[random.index(Schema::ALL.len())];
    Some(Proposal::Extract { parent, schema, mutate: random.chance(view.settings.extract_mutate) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::auto::testing::Scene;

    #[test]
    fn every_schema_is_proposed_with_and_without_changes() {
        let scene = Scene::new(&[&[1, 0]]);
        let mut random = Random::new(1);
        let mut seen = Vec::new();
        for _ in 0..300 {
            let Some(Proposal::Extract { parent: 0, schema, mutate }) = propose(&scene.view(), &mut random) else {
                panic!("no policy of the only member");
            };
            if !seen.contains(&(schema, mutate)) {
                seen.push((schema, mutate));
            }
        }
        assert_eq!(seen.len(), 2 * Schema::ALL.len());
    }

    #[test]
    fn a_path_without_decisions_teaches_nothing() {
        let mut random = Random::new(1);
        assert!(propose(&Scene::new(&[&[]]).view(), &mut random).is_none());
        assert!(propose(&Scene::new(&[]).view(), &mut random).is_none());
    }
}
