//! Policies do not depend on the size, so they are evolved where paths are short and carried over to the target size.

use super::Auto;
use super::history::Schema;
use super::lessons::{extracted, ordered};
use super::policy::{Policy, Style};
use super::settings::AutoSettings;
use crate::budget::Budget;
use crate::search::{Finished, Search, Settings};
use crate::watch::Phase;

/// Where to train, and how long.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Training {
    size: u32,
    /// Share of the remaining budget, from 0 to 1.
    share: f64,
}

impl Training {
    /// Measures paths at doubling sizes. None if there is no family or no smaller size.
    pub fn plan(auto: &Auto, search: &mut Search<'_>) -> Option<Training> {
        let (family, target) = search.family()?;
        let settings = &auto.settings;
        let mut lengths: Vec<(u32, u64)> = Vec::new();
        let mut size = settings.training_first_size;
        while size < target {
            let Ok(program) = family.at(size) else { break };
            search.settings().watch.phase(Phase::Training(size));
            let mut nested_settings = search.nested_settings();
            nested_settings.budget = share_of(&nested_settings.budget, settings.training_probe_share);
            let mut nested = Search::new(program.as_ref(), nested_settings);
            let mut engine = auto.engine(&mut nested);
            let mut longest = 0;
            for style in [Style::True, Style::False, Style::Coin] {
                engine.offer_policy(&mut nested, Policy::new(Schema::Site, style));
                longest = longest.max(engine.runner.child.decisions.len() as u64);
            }
            search.charge(&nested.finish_worker(Finished::Partly));
            if longest > settings.training_decisions || search.stop().is_some() {
                break;
            }
            lengths.push((size, longest));
            size = size.saturating_mul(2);
        }
        Training::from_lengths(&lengths, target, settings)
    }

    /// Trains at the last size that was measured. For how long depends on the length of paths at the target size,
    /// which is expected to grow as it did between the last two sizes.
    fn from_lengths(lengths: &[(u32, u64)], target: u32, settings: &AutoSettings) -> Option<Training> {
        let &(size, longest) = lengths.last()?;
        let exponent = match lengths {
            [.., (_, before), (_, after)] if *before > 0 => (*after as f64 / *before as f64).max(1.0).log2(),
            _ => 1.0,
        };
        let expected = longest as f64 * (f64::from(target) / f64::from(size)).powf(exponent);
        let is_long = expected > settings.training_long_path as f64;
        let share = if is_long { settings.training_share_long } else { settings.training_share_short };
        Some(Training { size, share })
    }

    /// Evolves policies at the training size until the share of the budget is spent or nothing better is found.
    pub fn run(&self, auto: &Auto, search: &mut Search<'_>) -> Vec<Policy> {
        let Some((family, _)) = search.family() else { return Vec::new() };
        let Ok(program) = family.at(self.size) else { return Vec::new() };
        search.settings().watch.phase(Phase::Training(self.size));
        let settings = search.nested_settings();
        let settings = Settings { budget: share_of(&settings.budget, self.share), ..settings };
        let mut nested = Search::new(program.as_ref(), settings);
        let mut engine = auto.engine(&mut nested);
        let inputs = auto.first_inputs(&mut nested);
        auto.begin(&mut nested, &mut engine, &[], inputs);
        let (mut uses, mut improved, mut best) = (0u64, 0u64, None);
        while nested.stop().is_none()
            && uses < 2 * improved + auto.settings.training_patience
            && engine.step(&mut nested)
        {
            uses += 1;
            if nested.best_cost() > best {
                best = nested.best_cost();
                improved = uses;
            }
        }
        let extracted = extracted(&mut nested, &mut engine);
        let policies = ordered(&engine.lineages.ranked(), extracted, best.unwrap_or(0));
        search.charge(&nested.finish_worker(Finished::Partly));
        policies
    }
}

/// A share of every part of the budget.
pub(super) fn share_of(budget: &Budget, share: f64) -> Budget {
    let part = |left: Option<u64>| left.map(|left| (left as f64 * share) as u64);
    Budget { paths: part(budget.paths), steps: part(budget.steps), time: budget.time.map(|left| left.mul_f64(share)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn long_paths_at_the_target_are_worth_more_training() {
        let settings = AutoSettings::default();
        let plan = |lengths: &[(u32, u64)], target| Training::from_lengths(lengths, target, &settings);
        assert_eq!(plan(&[], 100), None);
        let (short, long) = (settings.training_share_short, settings.training_share_long);
        // Quadratic growth: 240 decisions at 16, about 24,000 at 160.
        assert_eq!(plan(&[(8, 60), (16, 240)], 160), Some(Training { size: 16, share: long }));
        assert_eq!(plan(&[(8, 60), (16, 240)], 100), Some(Training { size: 16, share: short }));
        // Linear growth: 2400.
        assert_eq!(plan(&[(8, 120), (16, 240)], 160), Some(Training { size: 16, share: short }));
        assert_eq!(plan(&[(4, 100)], 1000), Some(Training { size: 4, share: long }), "one size: linear");
    }

    #[test]
    fn a_share_applies_to_every_part_of_the_budget() {
        let budget = Budget { paths: Some(1000), steps: None, time: Some(Duration::from_secs(10)) };
        let part = Budget { paths: Some(40), steps: None, time: Some(Duration::from_millis(400)) };
        assert_eq!(share_of(&budget, 0.04), part);
    }
}
