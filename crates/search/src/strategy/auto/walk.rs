//! A walk over every path at the beginning, which settles programs with few paths for certain.

use super::settings::AutoSettings;
use crate::kernel::{Kernel, Point, Start};
use crate::program::Arm;
use crate::random::Random;
use crate::search::{Finished, Search};
use crate::strategy::{AllArms, ArmOrder};
use crate::walk::{Walker, walk};
use std::time::Duration;

/// Visits every path, if that takes no more than a small share of the budget. If there are few inputs, there are few
/// paths, however long they are: then it may take a large one.
pub fn every_path(search: &mut Search<'_>, settings: &AutoSettings) -> Finished {
    if settings.walk_paths == 0 || search.stop().is_some() {
        return Finished::Partly;
    }
    let remaining = search.kernel.meter.remaining();
    let few = search.domain().map(|domain| domain.count()).filter(|&inputs| inputs <= settings.few_inputs);
    let (most, depth, values) = match few {
        Some(inputs) => (inputs.max(settings.walk_paths), usize::MAX, settings.few_inputs as usize),
        None => (settings.walk_paths, settings.walk_depth, settings.walk_values),
    };
    let shares = (settings.walk_path_share, settings.walk_time_share);
    let (path_share, time_share) = few.map_or(shares, |_| (settings.few_inputs_share, settings.few_inputs_share));
    let left = remaining.paths.map_or(most, |paths| most.min((paths as f64 * path_share) as u64));
    let until = remaining.time.map(|time| search.kernel.meter.elapsed() + time.mul_f64(time_share));
    let all = AllArms::new(ArmOrder::TrueFirst, Random::new(0), values);
    let mut walker = FewPaths { all, left, until, depth, spent: false };
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
