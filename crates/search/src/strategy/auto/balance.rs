//! Who gets how much of the budget: concrete search that needs no solver, or everything else.

use super::settings::AutoSettings;
use crate::budget::{Budget, Meter};
use crate::search::Settings;

/// How the work is shared between the archive, which needs no solver, and everything else.
#[derive(Clone, Copy, Debug)]
pub struct Balance {
    /// Whether the operator may be used at all.
    pub open: bool,
    /// What is shared.
    pub unit: Unit,
    archive: f64,
    others: f64,
    /// How much of what was found lately, in relation to what was spent, came from the archive: from 0 to 1. It is 1 until
    /// something else pays.
    recent: f64,
    /// The average of how much a new best cost more than the one before, as the logarithm of their ratio, fading.
    usual_rise: f64,
}

/// What is shared: whatever is limited. Only a share of the time holds whatever a query takes; but a search under a
/// budget of paths or steps must be repeatable, so the clock has no say in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Of the clock.
    Seconds,
    /// Paths and concrete runs.
    Paths,
    /// Instructions.
    Steps,
    /// The effort of the engine, where nothing is limited.
    Effort,
}

impl Unit {
    fn of(budget: &Budget) -> Unit {
        match budget {
            Budget { paths: Some(_), .. } => Unit::Paths,
            Budget { steps: Some(_), .. } => Unit::Steps,
            Budget { time: Some(_), .. } => Unit::Seconds,
            _ => Unit::Effort,
        }
    }

    /// What has been spent, given the effort.
    pub fn spent(self, meter: &Meter, effort: u64) -> f64 {
        match self {
            Unit::Seconds => meter.elapsed().as_secs_f64(),
            Unit::Paths => meter.paths as f64,
            Unit::Steps => meter.steps as f64,
            Unit::Effort => effort as f64,
        }
    }

    /// What is left of a budget; this much effort if it has no limit.
    pub fn left(self, remaining: &Budget, effort: u64) -> f64 {
        match self {
            Unit::Seconds => remaining.time.map_or(0.0, |time| time.as_secs_f64()),
            Unit::Paths => remaining.paths.unwrap_or(0) as f64,
            Unit::Steps => remaining.steps.unwrap_or(0) as f64,
            Unit::Effort => effort as f64,
        }
    }
}

impl Balance {
    /// Nothing is spent yet. Where there are goals, which the archive does not look for, it begins with its least share.
    pub fn new(settings: &Settings, open: bool) -> Balance {
        let recent = if settings.goals.is_some() { 0.0 } else { 1.0 };
        Balance { open, unit: Unit::of(&settings.budget), archive: 0.0, others: 0.0, recent, usual_rise: 0.0 }
    }

    /// Notes what was spent, and by how much the best rose: the logarithm of the ratio of both costs, 0 if it did not. A
    /// rise counts for more if it came from the side with the smaller share, so that shares follow what each side finds
    /// in the same time, and if it is greater than usual: many small steps are not worth more than a large one.
    pub fn add(&mut self, archive: bool, spent: f64, rise: f64, settings: &AutoSettings) {
        let share = self.share(settings);
        let (side, share) = if archive { (&mut self.archive, share) } else { (&mut self.others, 1.0 - share) };
        // A use that spent nothing (of no legal input there is no path) counts as well, or it would always be due.
        *side += if self.unit == Unit::Seconds { spent } else { spent.max(1.0) };
        if rise > 0.0 {
            self.usual_rise = if self.usual_rise > 0.0 { 0.9 * self.usual_rise + 0.1 * rise } else { rise };
            let step = (0.1 / share * rise / self.usual_rise).min(0.5);
            self.recent += step * (f64::from(u8::from(archive)) - self.recent);
        }
    }

    fn share(&self, settings: &AutoSettings) -> f64 {
        let least = settings.archive_least_share;
        let most = match self.unit {
            Unit::Paths => settings.archive_most_path_share,
            Unit::Seconds | Unit::Steps | Unit::Effort => settings.archive_most_share,
        };
        least + (most - least) * self.recent
    }

    /// Whether the archive has had less than its share.
    pub fn is_due(&self, settings: &AutoSettings) -> bool {
        let share = self.share(settings);
        self.open && self.archive * (1.0 - share) < self.others * share
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn the_archive_gets_its_share_of_what_is_limited() {
        let mut balance = Balance::new(&Settings::default(), true);
        let settings = AutoSettings { archive_least_share: 0.25, archive_most_share: 0.75, ..AutoSettings::default() };
        let share = |balance: &mut Balance, symbolic_pays: bool| {
            (balance.archive, balance.others) = (0.0, 0.0);
            for _ in 0..2000 {
                let due = balance.is_due(&settings);
                let rise = if !due && symbolic_pays { 0.01 } else { 0.0 };
                balance.add(due, if due { 1.0 } else { 5.0 }, rise, &settings);
            }
            balance.archive / (balance.archive + balance.others)
        };
        let before = share(&mut balance, false);
        assert!((0.74..0.76).contains(&before), "{before}");
        let after = share(&mut balance, true);
        assert!((0.24..0.27).contains(&after), "{after}");
        assert!(!Balance { open: false, others: 1.0, ..balance }.is_due(&settings), "a closed operator is never due");
    }

    #[test]
    fn a_rise_counts_by_its_size() {
        let settings = AutoSettings::default();
        let share_after = |rises: &[(bool, f64)]| {
            let mut balance = Balance::new(&Settings::default(), true);
            for &(archive, rise) in rises {
                balance.add(archive, 1.0, rise, &settings);
            }
            balance.share(&settings)
        };
        let small_ones = [(true, 0.001); 5];
        let large = share_after(&[&[(false, 0.05)][..], &small_ones].concat());
        let equal = share_after(&[&[(false, 0.001)][..], &small_ones].concat());
        assert!(large + 0.1 < equal, "what the archive finds later is a trifle: {large} {equal}");
    }

    #[test]
    fn the_clock_has_a_say_only_where_nothing_else_is_limited() {
        let time = Some(Duration::from_secs(1));
        assert_eq!(Unit::of(&Budget { time, ..Budget::default() }), Unit::Seconds);
        assert_eq!(Unit::of(&Budget { time, paths: Some(1), steps: None }), Unit::Paths);
        assert_eq!(Unit::of(&Budget { time, paths: None, steps: Some(1) }), Unit::Steps);
        assert_eq!(Unit::of(&Budget::default()), Unit::Effort);
    }
}
