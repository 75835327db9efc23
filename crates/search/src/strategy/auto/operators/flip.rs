//! Flip and repair: negate some conditions of a path, assume the others again in the order of the path, skip what
//! conflicts, and follow the witness that comes out.
//!
//! This is ESE's local search (Aquino, Denaro, Salza, ISSRE 2018), with repair where ESE throws the child away.

use super::{Assumption, Proposal, View};
use crate::path::Decision;
use crate::random::Random;

/// Negates one condition.
pub(super) fn propose_one(view: &View<'_>, random: &mut Random) -> Option<Proposal> {
    let parent = view.population.draw(random)?;
    let decisions = &view.population.members[parent].decisions;
    if decisions.is_empty() {
        return None;
    }
    let at = random.index(decisions.len());
    let assumptions = flip(decisions, random.coin(), |index| index == at);
    Some(Proposal::Assume { parent, assumptions })
}

/// Negates a run of conditions, or every second or third of it; all of them or those at one site.
pub(super) fn propose_block(view: &View<'_>, random: &mut Random) -> Option<Proposal> {
    let parent = view.population.draw(random)?;
    let decisions = &view.population.members[parent].decisions;
    let length = decisions.len();
    if length < 2 {
        return None;
    }
    let first = random.index(length);
    let bits = (length.ilog2() as usize + 1).min(view.settings.block_bits);
    let longest = 1usize << (1 + random.index(bits));
    let last = (first + 1 + random.index(longest)).min(length - 1);
    let stride = 1 + random.index(view.settings.block_stride);
    let same_site = random.coin();
    let flipped = |index: usize| {
        (first..=last).contains(&index)
            && (index - first).is_multiple_of(stride)
            && (!same_site || decisions[index].site == decisions[first].site)
    };
    let assumptions = flip(decisions, random.coin(), flipped);
    Some(Proposal::Assume { parent, assumptions })
}

/// All conditions, some of them negated. The negated ones come first and may push out others, or they stay in the
/// order of the path, so that its beginning is kept.
fn flip(decisions: &[Decision], in_order: bool, flipped: impl Fn(usize) -> bool) -> Vec<Assumption> {
    let mut assumptions = Vec::with_capacity(decisions.len());
    if !in_order {
        let negated = decisions.iter().enumerate().filter(|(index, _)| flipped(*index));
        assumptions.extend(negated.map(|(_, decision)| Assumption::flipped(decision)));
    }
    for (index, decision) in decisions.iter().enumerate() {
        if !flipped(index) {
            assumptions.push(Assumption::kept(decision));
        } else if in_order {
            assumptions.push(Assumption::flipped(decision));
        }
    }
    assumptions
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::auto::testing::Scene;

    fn assumptions(proposal: Option<Proposal>) -> Vec<Assumption> {
        match proposal {
            Some(Proposal::Assume { parent: 0, assumptions }) => assumptions,
            other => panic!("{other:?}"),
        }
    }

    /// Positions in the path of the conditions that are negated, in the order in which they are assumed.
    fn negated(scene: &Scene, assumptions: &[Assumption]) -> Vec<usize> {
        let decisions = &scene.population.members[0].decisions;
        let position = |assumption: &Assumption| {
            decisions.iter().position(|decision| decision.condition == assumption.condition).unwrap()
        };
        assumptions.iter().filter(|assumption| !assumption.holds).map(position).collect()
    }

    #[test]
    fn one_condition_is_negated_and_all_others_are_kept() {
        let scene = Scene::new(&[&[1, 0, 1, 1, 0]]);
        let mut random = Random::new(1);
        let mut places = [0; 5];
        let mut first = 0;
        for _ in 0..200 {
            let assumptions = assumptions(propose_one(&scene.view(), &mut random));
            assert_eq!(assumptions.len(), 5);
            let negated = negated(&scene, &assumptions);
            assert_eq!(negated.len(), 1);
            places[negated[0]] += 1;
            let kept: Vec<_> = assumptions.iter().filter(|one| one.holds).map(|one| one.condition).collect();
            let all = scene.population.members[0].decisions.iter().map(|decision| decision.condition);
            let others: Vec<_> =
                all.enumerate().filter(|(index, _)| *index != negated[0]).map(|(_, condition)| condition).collect();
            assert_eq!(kept, others, "in the order of the path");
            first += u32::from(!assumptions[0].holds);
        }
        assert!(places.iter().all(|&count| count > 10), "{places:?}");
        assert!((80..180).contains(&first), "half of them first, and a fifth of the others: {first}");
    }

    #[test]
    fn a_block_is_a_run_with_a_stride() {
        let scene = Scene::new(&[&[1; 40]]);
        let mut random = Random::new(1);
        let mut strides = [0; 4];
        for _ in 0..500 {
            let assumptions = assumptions(propose_block(&scene.view(), &mut random));
            assert_eq!(assumptions.len(), 40);
            let negated = negated(&scene, &assumptions);
            let steps: Vec<usize> = negated.windows(2).map(|pair| pair[1] - pair[0]).collect();
            assert!(!negated.is_empty() && steps.iter().all(|step| step == &steps[0]), "{negated:?}");
            if let Some(&step) = steps.first() {
                strides[step] += 1;
            }
        }
        assert!(strides[0] == 0 && strides[1..].iter().all(|&count| count > 50), "{strides:?}");
    }

    #[test]
    fn paths_that_are_too_short_are_declined() {
        let mut random = Random::new(1);
        assert!(propose_one(&Scene::new(&[]).view(), &mut random).is_none());
        assert!(propose_one(&Scene::new(&[&[]]).view(), &mut random).is_none());
        assert!(propose_block(&Scene::new(&[]).view(), &mut random).is_none());
        assert!(propose_block(&Scene::new(&[&[1]]).view(), &mut random).is_none());
    }
}
