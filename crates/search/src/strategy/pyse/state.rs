//! States: a decision and the ones before it as numbers (PySE, section IV-A and Figure 4).

use crate::policy::Row;
use crate::program::{Program, SiteId};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;

/// One row: F1, the number of the decision on its path, from 1; F2, the number of its site, from 1; F3, the action taken
/// there (0 false, 1 true, -1 not yet taken). All are 0 where there was no such decision.
pub type Fields = [i64; 3];

/// A state: the present decision first, then as many earlier ones as the history is long.
pub type State = Rc<[Fields]>;

/// One action of an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// F2 of its site.
    pub site: u32,
    /// True or false.
    pub action: bool,
    /// What the run had cost before the decision.
    pub before: u64,
}

/// Writes the state at a decision of this site after these steps.
pub fn encode(before: &[Step], site: u32, history: usize, state: &mut Vec<Fields>) {
    state.clear();
    let number = before.len() as i64 + 1;
    state.push([number, i64::from(site), -1]);
    for (back, step) in (1..=history).zip(before.iter().rev()) {
        state.push([number - back as i64, i64::from(step.site), i64::from(step.action)]);
    }
    state.resize(history + 1, [0; 3]);
}

/// The state as the network reads it. `longest` divides F1, if it is scaled.
pub fn rows(state: &[Fields], longest: Option<u64>, rows: &mut Vec<Row>) {
    rows.clear();
    let divisor = longest.map_or(1.0, |longest| longest.max(1) as f64);
    rows.extend(state.iter().map(|[number, site, action]| [*number as f64 / divisor, *site as f64, *action as f64]));
}

/// F2: sites by number, in the order in which they are met.
#[derive(Clone, Debug, Default)]
pub struct Numbering {
    /// Whether sites of one source line have one number, as in the paper.
    lines: bool,
    sites: BTreeMap<SiteId, u32>,
    names: FxHashMap<String, u32>,
    last: u32,
}

impl Numbering {
    /// No site met yet.
    pub fn new(lines: bool) -> Numbering {
        Numbering { lines, ..Numbering::default() }
    }

    /// With the numbers of a saved policy.
    pub fn with(mut self, sites: &BTreeMap<SiteId, u32>, program: &dyn Program) -> Numbering {
        self.sites.clone_from(sites);
        self.last = sites.values().copied().max().unwrap_or(0);
        self.names = sites.iter().map(|(site, number)| (program.site_name(*site), *number)).collect();
        self
    }

    /// The number of a site.
    pub fn of(&mut self, site: SiteId, program: &dyn Program) -> u32 {
        if let Some(&number) = self.sites.get(&site) {
            return number;
        }
        let name = program.site_name(site);
        let number = match self.names.get(&name).filter(|_| self.lines) {
            Some(&number) => number,
            None => {
                self.last = self.last.saturating_add(1);
                self.names.insert(name, self.last);
                self.last
            }
        };
        self.sites.insert(site, number);
        number
    }

    /// Every site met, with its number.
    pub fn sites(&self) -> &BTreeMap<SiteId, u32> {
        &self.sites
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_that_of_figure_4() {
        let step = |site, action| Step { site, action, before: 0 };
        let steps = [step(7, true), step(3, false), step(5, true)];
        let mut state = Vec::new();
        encode(&steps, 9, 2, &mut state);
        assert_eq!(state, [[4, 9, -1], [3, 5, 1], [2, 3, 0]]);
        encode(&steps[..1], 9, 2, &mut state);
        assert_eq!(state, [[2, 9, -1], [1, 7, 1], [0, 0, 0]]);
        encode(&[], 9, 0, &mut state);
        assert_eq!(state, [[1, 9, -1]]);
        let mut numbers = Vec::new();
        rows(&[[4, 9, -1], [0, 0, 0]], Some(8), &mut numbers);
        assert_eq!(numbers, [[0.5, 9.0, -1.0], [0.0; 3]]);
    }
}
