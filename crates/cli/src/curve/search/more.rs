//! What sizes give each other: inputs that are stretched or repeated to fit, and the time that is left for those that
//! lag behind.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::Result;
use pessimum_outcome::CostModel;
use pessimum_patterns::Pattern;
use pessimum_report::curve::CurvePoint;
use pessimum_search::budget::Until;
use pessimum_search::strategy::{Carried, Strategy};
use pessimum_session::Target;
use pessimum_session::carry::resized;
use pessimum_session::curve::lagging;
use pessimum_session::files::make_directory_inside;
use pessimum_session::growth::{Reached, SizeDone, directory_of};
use pessimum_session::journal::Past;
use pessimum_session::pattern::generated;
use pessimum_term::Witness;

use super::{Clock, Mode, One, Point, Record, Search, Searched, is_of};
use crate::interrupt::Interrupt;
use crate::worst;

/// As many sizes below the one that is searched give their inputs, and as many above.
const GIVERS: (usize, usize) = (2, 1);

/// What is kept of the time for what comes after all searches.
const KEPT: Duration = Duration::from_millis(100);

impl Search<'_> {
    /// Whether there is a second round: a number of paths is the same for all sizes.
    pub(super) fn has_second_round(&self) -> bool {
        self.budget.time.is_some() && self.budget.paths.is_none() && self.plan.sizes.len() > 1
    }

    /// The costliest input of a neighbouring size that can be made to fit, where the strategy carries neither inputs over
    /// itself nor rules, which need a single path. Runs of those that are compared end at this moment.
    pub(super) fn carried_over(
        &self,
        size: u64,
        points: &[CurvePoint],
        (strategy, largest): (&dyn Strategy, &Target),
        until: &Until,
    ) -> Result<Vec<Witness>> {
        let carries = || matches!(strategy.carried(&*largest), Some(Carried::Lessons(_)));
        if points.is_empty() || self.plan.search.learns() || carries() {
            return Ok(Vec::new());
        }
        let program = self.source.program(Some(size))?;
        let limits = self.source.affordable(self.budget.time);
        let cost = |input: &Witness| {
            let (replay, _) = program.run_concrete(input, &limits, &mut || until.go_on());
            replay.end.is_a_run().then(|| self.plan.search.cost.of(&replay.costs))
        };
        // The first of several that cost the same.
        let costly = self.inputs_for(size, points)?.into_iter().rev().max_by_key(cost);
        Ok(costly.into_iter().collect())
    }

    /// The worst inputs of neighbouring sizes, made to fit. Only symbolic runs count decisions, and those of inputs that
    /// were made like this take too long.
    fn inputs_for(&self, size: u64, points: &[CurvePoint]) -> Result<Vec<Witness>> {
        if self.plan.search.cost == CostModel::Decisions {
            return Ok(Vec::new());
        }
        let mut others: Vec<&CurvePoint> = points.iter().filter(|point| point.size != size).collect();
        others.sort_by_key(|point| point.size.abs_diff(size));
        let below = others.iter().filter(|point| point.size < size).take(GIVERS.0);
        let above = others.iter().filter(|point| point.size > size).take(GIVERS.1);
        let to = self.source.input(Some(size))?;
        let mut inputs = Vec::new();
        for point in below.chain(above) {
            let from = self.source.input(Some(point.size))?;
            inputs.extend(resized(&from, &point.input, &to));
        }
        Ok(inputs)
    }

    /// What the patterns that were found before give at a size.
    pub(super) fn of_pattern(&self, size: u64) -> Vec<Witness> {
        let found = self.known.iter().flat_map(|saved| &saved.result.patterns);
        let patterns = found.filter_map(|found| serde_json::from_value(found.pattern.clone()).ok());
        patterns.filter_map(|pattern: Pattern| Some(generated(self.source, &pattern, size).ok()?.1)).collect()
    }

    /// Gives the time that is left to the sizes that lag behind, one after the other.
    pub(super) fn second_round(
        &self,
        clock: Clock,
        interrupt: &Interrupt,
        strategy: &mut dyn Strategy,
        searched: &mut Searched,
    ) -> Result<()> {
        let mut fruitless: BTreeMap<u64, u32> = BTreeMap::new();
        while !interrupt.is_heard()
            && let Some(left) = clock.left(1.0)
        {
            // The searches are short, and so is what each of them keeps for afterwards.
            let left = left.saturating_sub(KEPT);
            searched.points.sort_by_key(|point| point.size);
            let Some((size, time)) = lagging(&searched.points, &fruitless, left) else { return Ok(()) };
            let Some(before) = searched.points.iter().find(|point| point.size == size).cloned() else { return Ok(()) };
            let Some(point) = self.more(&before, &searched.points, time, interrupt, strategy)? else {
                // Nothing could be recorded for this size, so there is nothing to go on from.
                fruitless.insert(size, u32::MAX);
                continue;
            };
            let seconds = point.elapsed.as_secs_f64();
            let gained = matches!(&point.found, Reached::Point(after) if after.cost > before.cost);
            if !gained {
                *fruitless.entry(size).or_default() += 1;
            }
            let is_kept = matches!(&point.found, Reached::Point(after) if after.cost >= before.cost);
            let (found, files) = match is_kept {
                true => (point.found, point.files),
                false => (Reached::Point(Box::new(before)), None),
            };
            let more = SizeDone { size, seconds, found, carried: None };
            searched.take_more(&more);
            self.save(more, files, Record::More { gained }, searched);
        }
        Ok(())
    }

    /// Goes on with a size; none if there is no record of it.
    fn more(
        &self,
        before: &CurvePoint,
        points: &[CurvePoint],
        time: Duration,
        interrupt: &Interrupt,
        strategy: &mut dyn Strategy,
    ) -> Result<Option<Point>> {
        let source = self.source.at_size(Some(before.size));
        let plan = self.plan_of(&source);
        let place = make_directory_inside(self.owner.directory(), &directory_of(before.size));
        let Ok(owner) = place.map_err(anyhow::Error::from).and_then(|place| worst::own(&place)) else {
            return Ok(None);
        };
        let Ok(past) = Past::read(owner.directory()) else { return Ok(None) };
        if !is_of(&past, &plan) {
            return Ok(None);
        }
        let one = One {
            search: self,
            source: &source,
            plan: &plan,
            owner: Some(&owner),
            time: Some(time),
            starts: self.inputs_for(before.size, points)?,
            random: before.random.clone(),
        };
        Ok(Some(one.run(Mode::More(past), interrupt, strategy)?))
    }
}
