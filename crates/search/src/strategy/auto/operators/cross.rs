//! ESE's crossover (Aquino, Denaro, Salza, ISSRE 2018, algorithm 5) with repair: the head of one path, the tail of
//! another.

use super::{Assumption, Proposal, View};
use crate::random::Random;

pub(super) fn propose(view: &View<'_>, random: &mut Random) -> Option<Proposal> {
    let members = &view.population.members;
    if members.len() < 2 {
        return None;
    }
    let parent = view.population.draw(random)?;
    let mate = (parent + 1 + random.index(members.len() - 1)) % members.len();
    let (head, tail) = (&members[parent].decisions, &members[mate].decisions);
    if head.is_empty() || tail.is_empty() {
        return None;
    }
    let cut = 1 + random.index(head.len());
    // The tail begins at the same relative position in the other path, or anywhere.
    let from = if random.coin() { cut * tail.len() / head.len() } else { random.index(tail.len()) };
    let (head, tail) = (head[..cut].iter(), tail[from..].iter());
    let assumptions = if random.chance(view.settings.cross_tail_first) {
        tail.chain(head).map(Assumption::kept).collect()
    } else {
        head.chain(tail).map(Assumption::kept).collect()
    };
    Some(Proposal::Assume { parent, assumptions })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::auto::testing::Scene;

    #[test]
    fn a_child_is_a_head_of_its_parent_and_a_tail_of_another() {
        let scene = Scene::new(&[&[1, 0, 1, 1], &[0; 8]]);
        let mut random = Random::new(1);
        for _ in 0..200 {
            let Some(Proposal::Assume { parent, assumptions }) = propose(&scene.view(), &mut random) else {
                panic!("two members can be crossed");
            };
            let of = |member: usize| -> Vec<_> {
                scene.population.members[member].decisions.iter().map(|decision| decision.condition).collect()
            };
            let (mine, theirs) = (of(parent), of(1 - parent));
            let (head, tail): (Vec<_>, Vec<_>) = assumptions
                .iter()
                .map(|assumption| assumption.condition)
                .partition(|condition| mine.contains(condition));
            assert!(assumptions.iter().all(|assumption| assumption.holds));
            assert!(!head.is_empty() && mine.starts_with(&head) && theirs.ends_with(&tail));
        }
    }

    #[test]
    fn it_takes_two_paths_with_decisions() {
        let mut random = Random::new(1);
        assert!(propose(&Scene::new(&[&[1, 0]]).view(), &mut random).is_none());
        assert!(propose(&Scene::new(&[&[1, 0], &[]]).view(), &mut random).is_none());
    }
}
