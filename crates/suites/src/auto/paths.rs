//! Paths of one sequence of calls: arms of open goals first, then arms that nothing took yet, then whatever is nearest to the
//! beginning.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use super::{Auto, remember};
use crate::archive::Tried;
use crate::explore::{Effort, Explorer, Followed, hash_of_calls};
use crate::sequence::test_of;
use crate::settings::AutoSuiteSettings;
use crate::trials::Trials;
use pessimum_search::frontier::Flip;
use pessimum_search::objective::Goal;
use pessimum_search::program::{Arm, SiteId};

/// How much a flip is wanted: less is more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Urgency {
    /// The arm is the target.
    Target,
    /// The arm is an open goal.
    Goal,
    /// No run took the arm.
    Untaken,
    /// Anything else.
    Other,
}

fn urgency(trials: &Trials<'_>, target: Option<u32>, site: SiteId, arm: Arm) -> Urgency {
    if target.is_some() && trials.archive.table.number(Goal::Arm(site, arm)) == target {
        Urgency::Target
    } else if trials.archive.wants(site, arm) {
        Urgency::Goal
    } else if trials.archive.is_untaken(site, arm) {
        Urgency::Untaken
    } else {
        Urgency::Other
    }
}

/// The place of a flip in the queue: by urgency, then by depth, then by age. On the way to a target, what is not urgent by itself
/// comes from the end of the path: the test came close, and its last decisions are what it left the way with.
type Rank = Reverse<(Urgency, usize, usize)>;

fn rank(urgency: Urgency, depth: usize, number: usize, has_target: bool) -> Rank {
    let from_end = has_target && urgency == Urgency::Other;
    Reverse((urgency, if from_end { usize::MAX - depth } else { depth }, number))
}

/// A flip that waits.
struct Waiting {
    rank: Rank,
    flip: Flip,
    /// Of the calls, the arms before and the arm.
    hash: u64,
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Waiting) -> bool {
        self.rank == other.rank
    }
}

impl Eq for Waiting {}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Waiting) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Waiting) -> std::cmp::Ordering {
        self.rank.cmp(&other.rank)
    }
}

/// The most flips of one path that wait: loops have thousands.
const FLIPS: usize = 512;

/// Flips that are not urgent by themselves on the way to a target, at a time.
const DETOURS: u32 = 8;

impl Auto<'_> {
    /// Follows a test symbolically and flips its decisions, as far as paths and questions go. With a target, mostly flips that
    /// something new comes of.
    pub(super) fn explore(&mut self, trials: &mut Trials<'_>, tried: &Arc<Tried>, target: Option<u32>) {
        if trials.stop().is_some() {
            return;
        }
        let test = test_of(&tried.steps);
        let program = match trials.library().program(&test.calls) {
            Ok(program) => program,
            Err(why) => return trials.refuse(why),
        };
        let calls = hash_of_calls(&test.calls);
        let &AutoSuiteSettings { conflicts, gates, addresses, .. } = self.settings;
        let until = trials.share_of_time(self.settings.share).map(|time| trials.meter.elapsed() + time);
        let effort = Effort { conflicts, gates, time: trials.question_time(), addresses, until };
        let mut explorer = Explorer::new(&*program, test.calls, trials, effort);
        let work = trials.work.saturating_add(self.settings.work);
        let mut waiting = BinaryHeap::new();
        let mut count = 0;
        if let Some(followed) = explorer.follow(trials, &test.input) {
            wait(trials, &mut waiting, &mut count, &followed, target, calls);
        }
        let (mut paths, mut queries, mut detours) = (0, 0, 0);
        while paths < self.settings.paths
            && queries < self.settings.queries
            && trials.work < work
            && until.is_none_or(|until| trials.meter.elapsed() < until)
            && trials.stop().is_none()
        {
            let Some(mut next) = waiting.pop() else { break };
            let Reverse((before, _, number)) = next.rank;
            let now = urgency(trials, target, next.flip.site, next.flip.arm);
            if now > before {
                // Something covered it in the meantime.
                next.rank = rank(now, next.flip.depth, number, target.is_some());
                waiting.push(next);
                continue;
            }
            let is_detour = target.is_some() && now == Urgency::Other;
            if is_detour && detours >= DETOURS {
                break;
            }
            if !remember(&mut self.asked, next.hash) {
                continue;
            }
            detours += u32::from(is_detour);
            queries += 1;
            let Ok(followed) = explorer.flip(trials, &next.flip) else { continue };
            paths += 1;
            wait(trials, &mut waiting, &mut count, &followed, target, calls);
            if let Some(steps) = followed.steps {
                remember(&mut self.run, super::hash_of(&steps));
                if let Some((tried, news)) = trials.observe(steps) {
                    self.take_in(&tried, news);
                }
            }
        }
    }
}

/// Puts the flips of a path into the queue.
fn wait(
    trials: &Trials<'_>,
    waiting: &mut BinaryHeap<Waiting>,
    count: &mut usize,
    followed: &Followed,
    target: Option<u32>,
    calls: u64,
) {
    for (flip, hash) in followed.flips(calls, FLIPS) {
        let urgency = urgency(trials, target, flip.site, flip.arm);
        let rank = rank(urgency, flip.depth, *count, target.is_some());
        waiting.push(Waiting { rank, flip, hash });
        *count += 1;
    }
}
