//! What there is to be reached in a file, and what a run has reached of it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use pessimum_outcome::Costs;
use pessimum_search::observation::{ArmSeen, Observation};
use pessimum_search::places::{Line, Place, Places};
use pessimum_search::program::{Arm, Event, Kind, PathLimits, Run as _, SiteId};
use pessimum_term::distance::to_outcome;
use pessimum_term::{Arena, BinaryOp, Evaluator, Node, TermId, UnaryOp, Witness};

use crate::pool::{Opened, OpenedCode};
use crate::program::Shared;
use crate::run::PythonRun;
use crate::wire::flag;

/// Sites that stand for lines have numbers from here on.
const LINE_SITES: u32 = 1 << 28;

/// The places of the user's modules.
pub struct Static {
    pub places: Arc<Places>,
    /// Conditional branches of the user's modules: the sites below this number.
    pub sites: u32,
    /// Functions by file, name and first line.
    functions: BTreeMap<(String, String, u32), u32>,
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

/// Runs an input in an ordinary interpreter to see what it reaches, and symbolically to see how far its decisions were from
/// going the other way.
pub fn observe(shared: &Arc<Shared>, input: &Witness, limits: &PathLimits) -> Observation {
    let ran = shared.plain(input, limits, flag::ARMS | flag::LINES, &mut || true);
    let places = &shared.source.inner.places;
    let mut costs = ran.replay.costs;
    if !shared.wanted.opcodes {
        costs = Costs { instructions: 0, branches: 0, ..costs };
    }
    let mut hits: BTreeMap<SiteId, [u64; 2]> = BTreeMap::new();
    for &(site, arm, times) in ran.counted.iter().filter(|(site, ..)| *site < places.sites) {
        hits.entry(SiteId(site)).or_default()[arm.min(1) as usize] += times;
    }
    // Nothing is nearer than what has no distance: a branch on values that do not depend on the input.
    let needs = hits.values().any(|of| of.contains(&0));
    let distances = if needs { distances(shared, input, limits, &hits) } else { BTreeMap::new() };
    let mut arms = Vec::new();
    for (&site, &of) in &hits {
        for (arm, hits) in [(Arm::FALSE, of[0]), (Arm::TRUE, of[1])] {
            let evaluations = of[0] + of[1];
            let distance = match hits {
                0 => distances.get(&(site, arm)).copied().unwrap_or(pessimum_term::distance::NAN_DISTANCE),
                _ => 0,
            };
            arms.push(ArmSeen { site, arm, hits, evaluations, distance });
        }
    }
    let reached = ran.rest.lines.unwrap_or_default();
    let mut lines = Vec::new();
    for (file, of) in reached.lines {
        for line in of {
            if let Ok(number) = places.places.lines.binary_search(&Line { file: file.clone(), line }) {
                lines.push(number as u32);
            }
        }
    }
    lines.sort_unstable();
    let mut functions: Vec<u32> =
        reached.functions.into_iter().filter_map(|function| places.functions.get(&function).copied()).collect();
    functions.sort_unstable();
    functions.dedup();
    Observation { end: ran.replay.end, costs, arms, comparisons: Vec::new(), divisions: Vec::new(), functions, lines }
}

/// The least distance to each arm that was not taken, of the decisions of a symbolic run.
fn distances(
    shared: &Arc<Shared>,
    input: &Witness,
    limits: &PathLimits,
    hits: &BTreeMap<SiteId, [u64; 2]>,
) -> BTreeMap<(SiteId, Arm), u128> {
    let mut run = PythonRun::new(shared.clone(), *limits);
    let mut arena = Arena::new();
    let mut evaluator = Evaluator::new(input.clone());
    let mut found: BTreeMap<(SiteId, Arm), u128> = BTreeMap::new();
    run.follow(input);
    loop {
        if run.wants_witness() {
            run.follow(input);
        }
        match run.next(&mut arena) {
            Event::Decision { site, kind, scrutinee, .. } => {
                let value = evaluator.value(&arena, scrutinee);
                let arm = kind.arm_of(value);
                let other = Arm(1 - arm.0.min(1));
                let is_missing = hits.get(&site).is_some_and(|of| of[other.0 as usize] == 0);
                if is_missing && matches!(kind, Kind::Branch | Kind::Check) {
                    let distance = distance(&arena, &mut evaluator, scrutinee, other == Arm::TRUE);
                    let least = found.entry((site, other)).or_insert(distance);
                    *least = distance.min(*least);
                }
                run.take(arm);
            }
            Event::Assume(condition) if evaluator.value(&arena, condition) == 0 => return found,
            Event::Assume(_) | Event::Pause => {}
            Event::End(_) => return found,
        }
    }
}

/// How far a condition is from the wanted outcome: the sum for what must hold together, the least for what may.
fn distance(arena: &Arena, evaluator: &mut Evaluator, condition: TermId, wanted: bool) -> u128 {
    // Conditions of texts are long chains; beyond this the rest counts as one step each.
    const DEEPEST: u32 = 2000;
    fn of(arena: &Arena, evaluator: &mut Evaluator, term: TermId, wanted: bool, depth: u32) -> u128 {
        if (evaluator.value(arena, term) == 1) == wanted {
            return 0;
        }
        match arena.node(term) {
            Node::Unary(UnaryOp::Not, of_term) if depth > 0 => of(arena, evaluator, of_term, !wanted, depth - 1),
            Node::Binary(op @ (BinaryOp::And | BinaryOp::Or), x, y) if arena.width(x) == 1 && depth > 0 => {
                let (x, y) = (of(arena, evaluator, x, wanted, depth - 1), of(arena, evaluator, y, wanted, depth - 1));
                // Both sides of an `and` must become true, and one of them false.
                if (op == BinaryOp::And) == wanted { x.saturating_add(y) } else { x.min(y) }
            }
            Node::Binary(op, x, y) if op.is_comparison() && arena.width(x) > 1 => {
                let width = arena.width(x);
                let (x, y) = (evaluator.value(arena, x), evaluator.value(arena, y));
                to_outcome(op, width, x, y, wanted)
            }
            _ => 1,
        }
    }
    of(arena, evaluator, condition, wanted, DEEPEST)
}
