//! What PySE learns: the Q-network, the experience set, and how one updates the other (PySE, sections IV-B to IV-D).

use super::PyseSettings;
use super::state::{Fields, Numbering, State, Step, encode, rows};
use crate::policy::{Activations, Adam, Network, NetworkPolicy, Row};
use crate::random::Random;
use rustc_hash::FxHashSet;
use std::collections::VecDeque;
use std::rc::Rc;

/// A transition: what an action in a state brought.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Experience {
    state: State,
    action: bool,
    /// The cost from this decision to the next; none if the action was infeasible.
    reward: Option<u64>,
    /// The state that followed; none at the end of the run.
    next: Option<State>,
}

/// How an execution ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The program came to its end, at this cost.
    Finished(u64),
    /// The last action cannot be taken.
    Infeasible,
    /// The solver could not tell whether the last action can be taken.
    Unknown,
}

/// The experience set E: at most N_e experiences, each once, the oldest of which make room for new ones (Algorithm 1, lines
/// 9 to 11).
#[derive(Debug, Default)]
struct Experiences {
    most: usize,
    by_age: VecDeque<Rc<Experience>>,
    known: FxHashSet<Rc<Experience>>,
}

impl Experiences {
    fn add(&mut self, experience: Experience) {
        let experience = Rc::new(experience);
        if self.known.insert(Rc::clone(&experience)) {
            self.by_age.push_back(experience);
        }
        while self.by_age.len() > self.most {
            if let Some(oldest) = self.by_age.pop_front() {
                self.known.remove(&oldest);
            }
        }
    }
}

/// Network and experiences of one search. Only the network and the numbers of sites outlast it.
#[derive(Debug)]
pub struct Learner {
    history: usize,
    scaled: bool,
    penalty: f64,
    batch: usize,
    rate: f64,
    network: Network,
    adam: Adam,
    /// F2.
    pub numbering: Numbering,
    experiences: Experiences,
    /// The cost that counts as a reward of 1; none until an execution has shown what an action brings.
    unit: Option<f64>,
    /// The greatest number of actions of an execution so far, which scaled F1 divides by.
    longest: u64,
    /// Policy updates so far, so that others notice when what the network says may have changed.
    pub updates: u32,
    kept: Activations,
    rows: Vec<Row>,
}

impl Learner {
    /// With these weights, and the numbers of sites that they were learnt with.
    pub fn new(settings: &PyseSettings, network: Network, numbering: Numbering) -> Learner {
        let shape = network.shape();
        Learner {
            history: shape.history,
            scaled: settings.scaled,
            penalty: settings.penalty,
            batch: settings.batch,
            rate: settings.learning_rate,
            adam: Adam::new(settings.learning_rate, shape),
            network,
            numbering,
            experiences: Experiences { most: settings.experiences, ..Experiences::default() },
            unit: None,
            longest: 1,
            updates: 0,
            kept: Activations::default(),
            rows: Vec::new(),
        }
    }

    /// Prepares it for a search at another size: the experiences of this one say nothing there. Under the cost
    /// `decisions` every action brings 1 (equation 2); other costs are measured by what the first execution's actions
    /// brought on average, so that the penalty keeps its meaning.
    pub fn begin(&mut self, counts_decisions: bool) {
        let most = self.experiences.most;
        self.experiences = Experiences { most, ..Experiences::default() };
        self.adam = Adam::new(self.rate, self.network.shape());
        self.unit = counts_decisions.then_some(1.0);
        self.longest = 1;
    }

    /// What was learnt so far.
    pub fn policy(&self) -> NetworkPolicy {
        NetworkPolicy { network: self.network.clone(), scaled: self.scaled, sites: self.numbering.sites().clone() }
    }

    /// The number of experiences.
    pub fn experiences(&self) -> usize {
        self.experiences.by_age.len()
    }

    /// Bytes of the experiences, roughly.
    pub fn bytes(&self) -> u64 {
        let state = (self.history as u64 + 1) * size_of::<Fields>() as u64 + 32;
        self.experiences() as u64 * (state + 2 * size_of::<Experience>() as u64)
    }

    fn values(&mut self, state: &[Fields]) -> [f64; 2] {
        let longest = self.scaled.then(|| self.longest.max(state[0][0].unsigned_abs()));
        rows(state, longest, &mut self.rows);
        self.network.values(&self.rows, &mut self.kept)
    }

    /// The policy (equation 1): true if Q(true) is above Q(false).
    pub fn prefers_true(&mut self, state: &[Fields]) -> bool {
        let [no, yes] = self.values(state);
        yes > no
    }

    /// Takes in what an execution went through.
    pub fn observe(&mut self, steps: &[Step], ended: Ended) {
        let certain = if ended == Ended::Unknown { steps.len().saturating_sub(1) } else { steps.len() };
        self.longest = self.longest.max(steps.len() as u64);
        let (first, last) = match (steps.first(), steps.last()) {
            (Some(first), Some(last)) => (first, last),
            _ => return,
        };
        if self.unit.is_none() {
            let (cost, actions) = match ended {
                Ended::Finished(cost) => (cost.saturating_sub(first.before), steps.len()),
                Ended::Infeasible | Ended::Unknown => (last.before.saturating_sub(first.before), steps.len() - 1),
            };
            self.unit = (cost > 0 && actions > 0).then(|| cost as f64 / actions as f64);
        }
        let mut fields = Vec::new();
        let mut state_at = |index: usize| {
            encode(&steps[..index], steps[index].site, self.history, &mut fields);
            State::from(fields.as_slice())
        };
        let mut state = state_at(0);
        for (index, step) in steps.iter().enumerate().take(certain) {
            let following = steps.get(index + 1);
            let next = following.map(|_| state_at(index + 1));
            let reward = match (following, ended) {
                (Some(following), _) => Some(following.before.saturating_sub(step.before)),
                (None, Ended::Finished(cost)) => Some(cost.saturating_sub(step.before)),
                (None, Ended::Infeasible | Ended::Unknown) => None,
            };
            self.experiences.add(Experience {
                state: Rc::clone(&state),
                action: step.action,
                reward,
                next: next.clone(),
            });
            match next {
                Some(next) => state = next,
                None => break,
            }
        }
    }

    /// One pass over the experience set in random order (Algorithm 1, lines 12 to 16). Equation 8 prints the derivative of
    /// delta itself; the text before it asks for the magnitude of delta to become small, so half of its square is
    /// descended, with the target held constant. Returns how often the weights were moved.
    pub fn update(&mut self, random: &mut Random) -> usize {
        let mut order: Vec<Rc<Experience>> = self.experiences.by_age.iter().map(Rc::clone).collect();
        random.shuffle(&mut order);
        let mut gradient = vec![0.0; self.network.shape().weights()];
        for batch in order.chunks(self.batch) {
            gradient.fill(0.0);
            for experience in batch {
                let reward = match experience.reward {
                    Some(cost) => cost as f64 / self.unit.unwrap_or(1.0),
                    None => self.penalty,
                };
                let future = experience.next.as_ref().map_or(0.0, |next| {
                    let [no, yes] = self.values(next);
                    if yes > no { yes } else { no }
                });
                let action = usize::from(experience.action);
                let delta = reward + future - self.values(&experience.state)[action];
                let factor = delta / batch.len() as f64;
                self.network.add_gradient(&self.rows, &mut self.kept, action, factor, &mut gradient);
            }
            self.adam.climb(&mut self.network, &gradient);
        }
        self.updates = self.updates.wrapping_add(1);
        order.len().div_ceil(self.batch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::pyse::PyseSettings;

    fn learner(settings: &PyseSettings) -> Learner {
        let network = Network::random(settings.shape, &mut Random::new(1));
        let mut learner = Learner::new(settings, network, Numbering::default());
        learner.begin(true);
        learner
    }

    fn steps(actions: &[bool]) -> Vec<Step> {
        (0..).zip(actions).map(|(before, &action)| Step { site: 1, action, before }).collect()
    }

    #[test]
    fn experiences_are_unique_and_the_oldest_go_first() {
        let mut learner = learner(&PyseSettings { experiences: 4, ..PyseSettings::default() });
        learner.observe(&steps(&[true, true, false]), Ended::Finished(3));
        learner.observe(&steps(&[true, true, false]), Ended::Finished(3));
        assert_eq!(learner.experiences(), 3);
        learner.observe(&steps(&[true, false]), Ended::Unknown);
        assert_eq!(learner.experiences(), 3, "an unknown action is no experience, and the first is known");
        learner.observe(&steps(&[false, false]), Ended::Infeasible);
        assert_eq!(learner.experiences(), 4);
        let rewards: Vec<_> = learner.experiences.by_age.iter().map(|experience| experience.reward).collect();
        assert_eq!(rewards, [Some(1), Some(1), Some(1), None]);
        assert!(learner.experiences.by_age[1].next.is_none() && learner.experiences.by_age[2].next.is_some());
    }

    /// An infeasible action is avoided, and the longer of two ways is preferred.
    #[test]
    fn updates_lead_to_the_longer_way() {
        let mut learner = learner(&PyseSettings::default());
        let mut random = Random::new(2);
        learner.observe(&steps(&[true, true]), Ended::Infeasible);
        learner.observe(&steps(&[false]), Ended::Finished(1));
        learner.observe(&steps(&[true, false]), Ended::Finished(2));
        for _ in 0..500 {
            learner.update(&mut random);
        }
        let mut state = Vec::new();
        encode(&[], 1, 2, &mut state);
        assert!(learner.prefers_true(&state), "two decisions are more than one");
        let [no, yes] = learner.values(&state);
        assert!((no - 1.0).abs() < 0.1 && yes > 1.3, "{no} and {yes}");
        encode(&steps(&[true]), 1, 2, &mut state);
        assert!(!learner.prefers_true(&state), "true is infeasible there");
    }
}
