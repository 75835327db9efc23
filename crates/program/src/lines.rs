//! Source lines as sites, for policies that are about lines rather than branches.

use pessimum_search::places::Line;
use pessimum_search::program::SiteId;
use pessimum_wasm::Module;
use pessimum_wasm::names::SourceLines;
use std::collections::BTreeMap;

/// The lines of a module that have code, calls that were inlined counting as code of the line they are in. Their numbers
/// depend on the module alone, so that they are the same at every size.
pub(crate) struct LineSites {
    /// In ascending order; the place in this list is the number.
    lines: Vec<Line>,
    /// Offset of each instruction that belongs to a line, and the number of that line, in order of offset.
    numbers: Vec<(u32, u32)>,
    /// The first of their site numbers.
    from: u32,
}

impl LineSites {
    pub fn of(module: &Module) -> LineSites {
        let source = SourceLines::of(module);
        let mut offsets: BTreeMap<Line, Vec<u32>> = BTreeMap::new();
        for &offset in module.instruction_offsets() {
            // Line 0 is the compiler's "no line".
            if let Some(place) = source.outermost_line(u64::from(offset)).filter(|place| place.line > 0) {
                offsets.entry(Line { file: place.file, line: place.line }).or_default().push(offset);
            }
        }
        let mut numbers: Vec<(u32, u32)> = Vec::new();
        for (number, offsets) in (0..).zip(offsets.values()) {
            numbers.extend(offsets.iter().map(|&offset| (offset, number)));
        }
        numbers.sort_unstable();
        LineSites { lines: offsets.into_keys().collect(), numbers, from: LineSites::are_from(module) }
    }

    /// The first site number that stands for a line: beyond those of branches and of other places in the code.
    pub fn are_from(module: &Module) -> u32 {
        // Offsets are in text order.
        let end = module.instruction_offsets().last().map_or(0, |last| last + 1);
        module.sites().len() as u32 + end
    }

    /// The site of the line that the instruction at this offset belongs to.
    pub fn site(&self, offset: u32) -> Option<SiteId> {
        let at = self.numbers.binary_search_by_key(&offset, |&(offset, _)| offset).ok()?;
        Some(SiteId(self.from + self.numbers[at].1))
    }

    pub fn name(&self, site: SiteId) -> String {
        match self.lines.get((site.0 - self.from) as usize) {
            Some(line) => format!("{}:{}", line.file, line.line),
            None => format!("unknown line {}", site.0 - self.from),
        }
    }
}
