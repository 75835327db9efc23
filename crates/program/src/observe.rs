//! Observed runs in the search's terms: the machine's offsets become numbers of functions and source lines.

use std::collections::BTreeMap;
use std::sync::Arc;

use pessimum_search::observation::{ArmSeen, ComparisonSeen, Observation};
use pessimum_search::places::{Line, Places};
use pessimum_search::program::{Arm, SiteId};
use pessimum_wasm::names::{Names, SourceLines};
use pessimum_wasm::{Module, Observed};

/// The places of a module, and which line each instruction belongs to.
pub(crate) struct Map {
    pub places: Arc<Places>,
    /// Offset of each instruction that belongs to a line, and the number of that line, in order of offset.
    lines: Vec<(u32, u32)>,
}

impl Map {
    pub fn of(module: &Module) -> Map {
        let (names, source) = (Names::of(module), SourceLines::of(module));
        let mut offsets: BTreeMap<Line, Vec<u32>> = BTreeMap::new();
        for &offset in module.instruction_offsets() {
            // Line 0 is the compiler's "no line".
            if let Some(place) = source.line(u64::from(offset)).filter(|place| place.line > 0) {
                offsets.entry(Line { file: place.file, line: place.line }).or_default().push(offset);
            }
        }
        let mut lines: Vec<(u32, u32)> = Vec::new();
        for (number, offsets) in (0..).zip(offsets.values()) {
            lines.extend(offsets.iter().map(|&offset| (offset, number)));
        }
        lines.sort_unstable();
        let arms = (0..).zip(module.sites());
        let arms = arms.flat_map(|(site, of)| (0..u64::from(of.arms)).map(move |arm| (SiteId(site), Arm(arm))));
        let own = module.imported_function_count()..module.function_count();
        let functions = own.map(|function| names.function(function)).collect();
        let places = Places { arms: arms.collect(), functions, lines: offsets.into_keys().collect() };
        Map { places: Arc::new(places), lines }
    }

    /// The lines with at least one instruction in this list, which is in ascending order of offset.
    fn reached(&self, instructions: &[(u32, u64)]) -> Vec<u32> {
        let mut reached = vec![false; self.places.lines.len()];
        let mut executed = instructions.iter().map(|&(offset, _)| offset).peekable();
        for &(offset, line) in &self.lines {
            while executed.next_if(|&at| at < offset).is_some() {}
            if executed.peek() == Some(&offset) {
                reached[line as usize] = true;
            }
        }
        (0..).zip(reached).filter_map(|(line, reached)| reached.then_some(line)).collect()
    }

    pub fn observation(&self, module: &Module, seen: &Observed) -> Observation {
        let mut arms = Vec::new();
        for (number, site) in (0..).zip(module.sites()) {
            let of_site = &seen.arms[site.first_arm as usize..][..site.arms as usize];
            let evaluations = of_site.iter().map(|arm| arm.hits).sum();
            arms.extend((0..).zip(of_site).filter_map(|(arm, seen)| {
                let distance = seen.distance?;
                Some(ArmSeen { site: SiteId(number), arm: Arm(arm), hits: seen.hits, evaluations, distance })
            }));
        }
        let comparisons = seen.comparisons.iter().map(|comparison| ComparisonSeen {
            place: SiteId(module.sites().len() as u32 + comparison.location.offset),
            evaluations: comparison.evaluations,
            to_true: comparison.to_true,
            to_false: comparison.to_false,
        });
        let own = &seen.calls[module.imported_function_count() as usize..];
        Observation {
            end: seen.end.kind(),
            costs: seen.costs,
            arms,
            comparisons: comparisons.collect(),
            functions: (0..).zip(own).filter_map(|(function, &calls)| (calls > 0).then_some(function)).collect(),
            lines: self.reached(&seen.instructions),
        }
    }
}
