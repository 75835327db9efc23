//! A walk over every path at the beginning, which settles programs with few paths for certain.

use super::settings::AutoSettings;
use crate::kernel::{Kernel, Point, Start};
use crate::program::Arm;
use crate::random::Random;
use crate::search::{Finished, Search};
use crate::strategy::{AllArms, ArmOrder};
use crate::walk::{Walker, walk};
use std::time::Duration;

/// Visits every path, if that takes no more than a small share of the budget.
pub fn every_path(search: &mut Search<'_>, settings: &AutoSettings) -> Finished {
    if settings.walk_paths == 0 || search.stop().is_some() {
        return Finished::Partly;
    }
    let remaining = search.kernel.meter.remaining();
    let share = |paths: u64| (paths as f64 * settings.walk_path_share) as u64;
    let left = remaining.paths.map_or(settings.walk_paths, |paths| settings.walk_paths.min(share(paths)));
    let until = remaining.time.map(|time| search.kernel.meter.elapsed() + time.mul_f64(settings.walk_time_share));
    let all = AllArms::new(ArmOrder::TrueFirst, Random::new(0), settings.walk_values);
    let mut walker = FewPaths { all, left, until, depth: settings.walk_depth, spent: false };
    let finished = walk(search, &Start::default(), &mut walker);
    if walker.spent { Finished::Partly } else { finished }
}

/// A walk over all arms that ends after a number of paths, at a number of decisions, or at a certain time.
struct FewPaths {
    all: AllArms,
    left: u64,
    /// Since the start of the search; none where time is not limited.
    until: Option<Duration>,
    depth: usize,
    /// Whether something was left out.
    spent: bool,
}

impl Walker for FewPaths {
    fn arms(&mut self, point: &mut Point<'_, '_>, arms: &mut Vec<Arm>) {
        let late = self.until.is_some_and(|until| point.kernel().meter.elapsed() >= until);
        if self.left == 0 || late || point.depth() > self.depth {
            self.left = 0;
            self.spent = true;
            return;
        }
        self.all.arms(point, arms);
    }

    fn ended(&mut self, _: &Kernel<'_>) -> bool {
        if self.left == 0 {
            self.spent = true;
            return false;
        }
        self.left -= 1;
        true
    }

    fn is_over(&self) -> bool {
        self.spent
    }
}
