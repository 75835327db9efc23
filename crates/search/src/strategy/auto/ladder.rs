//! Small sizes first: what makes a short text slow often makes a long one slow when it is repeated, and runs at a small
//! size are quick. Inputs are changed at doubling sizes, each beginning with the best ones of the size before, and with those
//! that took some arm most often: what pays off only at a larger size is not among the best.

use super::Auto;
use super::engine::Engine;
use super::lessons::{Rows, resized, rows};
use super::training::share_of;
use crate::search::{Finished, Search};
use crate::watch::Phase;
use pessimum_outcome::CostModel;

/// Climbs from small sizes to that of the search, if it is one of a family, and offers what was found to the archive.
pub fn climb(auto: &Auto, search: &mut Search<'_>, engine: &mut Engine) {
    let Some((family, target)) = search.family() else { return };
    if search.cost() == CostModel::Decisions {
        return;
    }
    let mut found: Vec<Rows> = Vec::new();
    for size in rungs(auto.settings.ladder_first_size, target) {
        if search.stop().is_some() {
            return;
        }
        let Ok(program) = family.at(size) else { continue };
        search.settings().watch.phase(Phase::Training(size));
        let mut settings = search.nested_settings();
        settings.budget = share_of(&settings.budget, auto.settings.ladder_share);
        let mut nested = Search::new(program.as_ref(), settings);
        let mut rung = auto.engine(&mut nested);
        offer(&mut nested, &mut rung, &found);
        rung.vary_while_it_pays(&mut nested);
        let best = rung.archive.costliest(auto.settings.ladder_inputs);
        let records = rung.archive.holders_of_highest(auto.settings.ladder_records);
        found = best.chain(records).map(|kept| rows(&kept.input, program.as_ref())).collect();
        search.charge(&nested.finish_worker(Finished::Partly));
    }
    search.settings().watch.phase(Phase::Searching);
    offer(search, engine, &found);
}

/// Runs inputs of a smaller size at the size of the search.
fn offer(search: &mut Search<'_>, engine: &mut Engine, found: &[Rows]) {
    let program = search.kernel.program();
    for input in found.iter().flat_map(|rows| resized(rows, program)) {
        if search.stop().is_none() {
            engine.try_input(search, &input);
        }
    }
}

/// Doubling sizes below the target.
fn rungs(first: u32, target: u32) -> impl Iterator<Item = u32> {
    std::iter::successors(Some(first.max(1)), |size| size.checked_mul(2)).take_while(move |&size| size < target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_double_below_the_target() {
        assert_eq!(rungs(8, 64).collect::<Vec<_>>(), [8, 16, 32]);
        assert_eq!(rungs(8, 65).collect::<Vec<_>>(), [8, 16, 32, 64]);
        assert_eq!(rungs(8, 8).count(), 0);
        assert_eq!(rungs(0, u32::MAX).count(), 32);
    }
}
