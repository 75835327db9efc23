//! What there is to be reached in a file.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use pessimum_search::places::{Line, Place, Places};
use pessimum_search::program::{Arm, SiteId};

use crate::pool::{Opened, OpenedCode};

/// Sites that stand for lines have numbers from here on.
const LINE_SITES: u32 = 1 << 28;

/// The places of the user's modules.
pub struct Static {
    pub places: Arc<Places>,
    /// Conditional branches of the user's modules: the sites below this number.
    pub sites: u32,
    /// Functions by file, name and first line.
    pub functions: BTreeMap<(String, String, u32), u32>,
}

impl Static {
    pub fn of(code: &[OpenedCode]) -> Static {
        let mut lines: Vec<Line> = Vec::new();
        for code in code {
            lines.extend(code.lines.iter().map(|&line| Line { file: code.file.clone(), line }));
        }
        lines.sort_unstable();
        lines.dedup();
        let line_number = |file: &str, line: u32| number_of(&lines, file, line);
        let mut places = Places { line_functions: vec![Vec::new(); lines.len()], ..Places::default() };
        let mut functions = BTreeMap::new();
        let mut sites: BTreeMap<u32, Place> = BTreeMap::new();
        for (number, code) in (0..).zip(code) {
            functions.entry((code.file.clone(), code.name.clone(), code.line)).or_insert(number);
            places.functions.push(code.name.clone());
            // What is executed by the import is executed before the call.
            places.callable.push(!code.at_import);
            places.beginnings.push(line_number(&code.file, code.line).map(|line| line as u32));
            for &line in &code.lines {
                if let Some(at) = line_number(&code.file, line) {
                    places.line_functions[at].push(number);
                }
            }
            for &site in &code.sites {
                sites.entry(site).or_insert(Place { function: number, line: None });
            }
        }
        let count = sites.keys().next_back().map_or(0, |&last| last + 1);
        places.sites = vec![Place::default(); count as usize];
        for (&site, &place) in &sites {
            places.sites[site as usize] = place;
        }
        places.arms = sites.keys().flat_map(|&site| [(SiteId(site), Arm::FALSE), (SiteId(site), Arm::TRUE)]).collect();
        places.lines = lines;
        Static { places: Arc::new(places), sites: count, functions }
    }

    /// Fills in the lines of sites, which are known once all sites are numbered.
    pub fn with_lines(mut self, line_of: impl Fn(u32) -> Option<(String, u32)>) -> Static {
        let places = Arc::make_mut(&mut self.places);
        for site in 0..self.sites {
            let number = line_of(site).and_then(|(file, line)| places.lines.binary_search(&Line { file, line }).ok());
            places.sites[site as usize].line = number.map(|number| number as u32);
        }
        self
    }

    /// The places, with the functions that a call of this function may come to: by the names that it mentions, and by those
    /// of the classes of its arguments.
    pub fn for_call(&self, opened: &Opened, function: &str, classes: &BTreeSet<String>) -> Arc<Places> {
        let Some(start) = opened.code.iter().position(|code| code.name == function && !code.at_import) else {
            // It has another name than its code.
            return self.places.clone();
        };
        let mut reached = vec![false; opened.code.len()];
        let mut open: Vec<usize> = vec![start];
        let come_to = |to: &Option<Vec<u32>>, open: &mut Vec<usize>| {
            let to = to.as_ref()?;
            open.extend(to.iter().map(|&number| number as usize));
            Some(())
        };
        for class in classes {
            if opened.names.get(class).is_some_and(|to| come_to(to, &mut open).is_none()) {
                return self.places.clone();
            }
        }
        while let Some(number) = open.pop() {
            let Some(code) = opened.code.get(number).filter(|_| !std::mem::replace(&mut reached[number], true)) else {
                continue;
            };
            // The body of a class was executed by the import; its methods are come to by their names.
            if !code.at_import && come_to(&code.leads_to, &mut open).is_none() {
                return self.places.clone();
            }
        }
        let mut places = Places::clone(&self.places);
        for (callable, reached) in places.callable.iter_mut().zip(reached) {
            *callable &= reached;
        }
        Arc::new(places)
    }

    /// The site that stands for a line.
    pub fn line_site(&self, file: &str, line: u32) -> Option<SiteId> {
        self.line_number(file, line).map(|number| SiteId(LINE_SITES + number as u32))
    }

    /// The index of a line among all of them.
    pub fn line_number(&self, file: &str, line: u32) -> Option<usize> {
        number_of(&self.places.lines, file, line)
    }

    /// The line that a site stands for, if it is one of those.
    pub fn line_of_site(&self, site: SiteId) -> Option<&Line> {
        self.places.lines.get(site.0.checked_sub(LINE_SITES)? as usize)
    }
}

/// The index of a line among sorted ones.
fn number_of(lines: &[Line], file: &str, line: u32) -> Option<usize> {
    lines.binary_search_by(|known| (known.file.as_str(), known.line).cmp(&(file, line))).ok()
}
