//! Observed runs in the search's terms: the machine's offsets become numbers of functions and source lines.

use std::collections::BTreeMap;
use std::sync::Arc;

use pessimum_search::observation::{ArmSeen, ComparisonSeen, Observation};
use pessimum_search::places::{Line, Place, Places};
use pessimum_search::program::{Arm, SiteId};
use pessimum_wasm::names::{Names, SourceLines};
use pessimum_wasm::{Location, Module, Observed, Site, SiteKind, Subject};

/// The places of a module, and which line each instruction belongs to.
#[derive(Default)]
pub(crate) struct Map {
    pub places: Arc<Places>,
    /// Offset of each instruction that belongs to a line, and the number of that line, in order of offset.
    lines: Vec<(u32, u32)>,
}

impl Map {
    pub fn of_subject(subject: &Subject) -> Map {
        let imported = subject.module().imported_function_count() as usize;
        Map::of(subject.module(), &subject.callable()[imported..])
    }

    /// `callable` says which functions of its own a run can call.
    pub fn of(module: &Module, callable: &[bool]) -> Map {
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
        let imported = module.imported_function_count();
        let mut line_functions: Vec<Vec<u32>> = vec![Vec::new(); offsets.len()];
        for &(offset, line) in &lines {
            let (function, known) = (module.function_at(offset) - imported, &mut line_functions[line as usize]);
            // Offsets ascend, and with them functions.
            if known.last() != Some(&function) {
                known.push(function);
            }
        }
        let number = |offset: u32| {
            let at = lines.binary_search_by_key(&offset, |&(offset, _)| offset).ok()?;
            Some(lines[at].1)
        };
        let place = |site: &Site| Place { function: site.function - imported, line: number(site.offset) };
        let sites = module.sites().iter().map(place).collect();
        let mut twins = BTreeMap::new();
        for (number, site) in (0..).zip(module.sites()).filter(|(_, site)| site.kind == SiteKind::Table) {
            let mut first: BTreeMap<u32, u32> = BTreeMap::new();
            for arm in 0..site.arms {
                let earlier = *first.entry(module.table_target(site.first_arm + arm)).or_insert(arm);
                if earlier < arm {
                    twins.insert((SiteId(number), Arm(u64::from(arm))), Arm(u64::from(earlier)));
                }
            }
        }
        let arms = (0..).zip(module.sites());
        let arms = arms.flat_map(|(site, of)| (0..u64::from(of.arms)).map(move |arm| (SiteId(site), Arm(arm))));
        let named = (imported..module.function_count()).map(|function| names.function(function));
        let functions = with_their_main(named.collect());
        let known: Vec<Line> = offsets.into_keys().collect();
        let beginnings = beginnings(module, &source, (&known, &lines));
        let callable = callable.to_vec();
        let arms = arms.collect();
        let traps = traps(module, &callable);
        let places =
            Places { arms, functions, lines: known, sites, callable, beginnings, line_functions, twins, traps };
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
        let place = |location: Location| SiteId(module.sites().len() as u32 + location.offset);
        let comparisons = seen.comparisons.iter().map(|comparison| ComparisonSeen {
            place: place(comparison.location),
            evaluations: comparison.evaluations,
            to_true: comparison.to_true,
            to_false: comparison.to_false,
        });
        let divisions = seen.divisions.iter().map(|&(location, distance)| (place(location), distance));
        let own = &seen.calls[module.imported_function_count() as usize..];
        Observation {
            end: seen.end.kind(),
            costs: seen.costs,
            arms,
            comparisons: comparisons.collect(),
            divisions: divisions.collect(),
            functions: (0..).zip(own).filter_map(|(function, &calls)| (calls > 0).then_some(function)).collect(),
            lines: self.reached(&seen.instructions),
        }
    }
}

/// The arms that lead to traps, of functions that a run can call.
fn traps(module: &Module, callable: &[bool]) -> BTreeMap<(SiteId, Arm), u32> {
    let (imported, branches) = (module.imported_function_count(), module.branches_to_traps());
    let called = |site: &Site| callable.get((site.function - imported) as usize) == Some(&true);
    let sites = (0..).zip(module.sites()).filter(|(_, site)| called(site));
    let arms = sites.flat_map(|(number, site)| {
        let of_site = &branches[site.first_arm as usize..][..site.arms as usize];
        (0..).zip(of_site).filter_map(move |(arm, branches)| Some(((SiteId(number), Arm(arm)), (*branches)?)))
    });
    arms.collect()
}

/// `main` under the name that its author knows: clang calls it by its signature.
fn with_their_main(mut functions: Vec<String>) -> Vec<String> {
    if !functions.iter().any(|name| name == "main") {
        let is_main = |name: &&mut String| matches!(name.as_str(), "__original_main" | "__main_argc_argv");
        functions.iter_mut().filter(is_main).for_each(|name| *name = "main".to_string());
    }
    functions
}

/// For each function, the first line of its own text, as far as that has code: not a line that was inlined into it.
fn beginnings(
    module: &Module,
    source: &SourceLines<'_>,
    (lines, offsets): (&[Line], &[(u32, u32)]),
) -> Vec<Option<u32>> {
    let imported = module.imported_function_count();
    let mut beginnings = vec![None; (module.function_count() - imported) as usize];
    for &(offset, _) in offsets {
        let beginning: &mut Option<u32> = &mut beginnings[(module.function_at(offset) - imported) as usize];
        if beginning.is_none()
            && let Some(place) = source.outermost_line(u64::from(offset)).filter(|place| place.line > 0)
        {
            let line = Line { file: place.file, line: place.line };
            *beginning = lines.binary_search(&line).ok().map(|index| index as u32);
        }
    }
    beginnings
}
