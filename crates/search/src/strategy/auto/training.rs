//! Policies do not depend on the size: they are evolved where paths are short and carried up.

use super::Auto;
use super::Schema;
use super::policy::{Policy, Style};
use crate::budget::Budget;
use crate::search::{Finished, Search, Settings};
use crate::watch::Phase;

/// Decisions of a path at the training size, at most.
const TRAINING_DECISIONS: u64 = 2000;

/// From this many decisions of a path at the target size on, training is worth a large share of the budget.
const LONG: f64 = 20_000.0;

/// Shares of the budget for training: where paths at the target size are short, and where they are long.
const SHARES: (f64, f64) = (0.04, 0.3);

/// Where and how long to train.
pub struct Training {
    size: u32,
    share: f64,
}

impl Training {
    /// Measures paths at doubling sizes. None if there is no family or no smaller size.
    pub fn plan(search: &mut Search<'_>) -> Option<Training> {
        let (family, target) = search.family()?;
        let mut known: Vec<(u32, u64)> = Vec::new();
        let mut size = 4;
        while size < target {
            let Ok(program) = family.at(size) else { break };
            search.settings().watch.phase(Phase::Training(size));
            let mut settings = search.nested_settings();
            settings.budget = share_of(&settings.budget, 0.01);
            let mut nested = Search::new(program.as_ref(), settings);
            let mut engine = Auto::default().engine(&mut nested);
            let mut longest = 0;
            for style in [Style::True, Style::False, Style::Coin] {
                engine.try_policy(&mut nested, Policy::new(Schema::Site, style));
                longest = longest.max(engine.child.decisions.len() as u64);
            }
            search.charge(&nested.finish_worker(Finished::Partly));
            if longest > TRAINING_DECISIONS || search.stop().is_some() {
                break;
            }
            known.push((size, longest));
            size *= 2;
        }
        let &(size, longest) = known.last()?;
        // The growth between the last two sizes, continued.
        let growth = match known.as_slice() {
            [.., (_, before), (_, after)] if *before > 0 => (*after as f64 / *before as f64).max(1.0).log2(),
            _ => 1.0,
        };
        let expected = longest as f64 * (f64::from(target) / f64::from(size)).powf(growth);
        Some(Training { size, share: if expected > LONG { SHARES.1 } else { SHARES.0 } })
    }

    /// Evolves at the training size, until its share of the budget is spent or nothing new comes.
    pub fn run(&self, auto: &Auto, search: &mut Search<'_>) -> Vec<Policy> {
        let Some((family, _)) = search.family() else { return Vec::new() };
        let Ok(program) = family.at(self.size) else { return Vec::new() };
        search.settings().watch.phase(Phase::Training(self.size));
        let settings = search.nested_settings();
        let settings = Settings { budget: share_of(&settings.budget, self.share), ..settings };
        let mut nested = Search::new(program.as_ref(), settings);
        let mut engine = auto.engine(&mut nested);
        auto.first_policies(&mut nested, &mut engine, &[]);
        let (mut steps, mut improved, mut best) = (0u64, 0u64, None);
        while nested.stop().is_none() && steps < 2 * improved + PATIENCE && engine.step(&mut nested) {
            steps += 1;
            if nested.best_cost() > best {
                best = nested.best_cost();
                improved = steps;
            }
        }
        let policies = engine.policies(&mut nested);
        search.charge(&nested.finish_worker(Finished::Partly));
        policies
    }
}

/// Uses of operators without a better path after which training ends, beside twice as many as there were before.
const PATIENCE: u64 = 500;

fn share_of(budget: &Budget, share: f64) -> Budget {
    let part = |left: Option<u64>| left.map(|left| (left as f64 * share) as u64);
    Budget { paths: part(budget.paths), steps: part(budget.steps), time: budget.time.map(|left| left.mul_f64(share)) }
}
