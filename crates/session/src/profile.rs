//! Names for a profile: turns numbers and offsets into functions and source lines.

use pessimum_program::WasmProgram;
use pessimum_report::profile::{BranchCost, FunctionCost, LibraryCost, LineCost, Node, NodeCost, Profile, Unit};
use pessimum_search::program::{Program as _, SiteId};
use pessimum_wasm::names::{Names, SourceLines};
use pessimum_wasm::{Counts, Module, Site};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::own::{HARNESS, Owners, is_harness};

/// Branches that have a name, the most executed first: more than reports show.
const BRANCHES: usize = 100;

/// A profile as reports show it.
pub fn named(profile: &pessimum_wasm::Profile, program: &WasmProgram) -> Profile {
    let module: &Module = program.subject().module();
    let (names, source_lines) = (Names::of(module), SourceLines::of(module));
    let owners = Owners::of(profile, module, &names, &source_lines);
    let cost = |counts: &Counts| NodeCost {
        instructions: counts.instructions,
        branches: counts.branches,
        calls: counts.calls,
        user: counts.user,
    };
    // Graphs begin with the code that we put around a function, whose name means nothing to anybody.
    let shown = |name: String| if is_harness(&name) { "the call".to_string() } else { name };
    let node = |node: &pessimum_wasm::CallNode| Node {
        name: shown(names.function(node.function)),
        parent: node.parent.map(|parent| parent as usize),
        own: cost(&node.own),
        total: cost(&node.total),
    };
    let function = |function: &pessimum_wasm::FunctionProfile| FunctionCost {
        name: names.function(function.function),
        calls: function.own.calls,
        own: function.own.instructions,
        total: function.total_instructions,
        library: owners.library(function.function).cloned(),
    };
    let (lines, without_line) = profile.lines(&source_lines);
    let line = |line: pessimum_wasm::LineProfile| LineCost {
        line: line.place.line,
        library: owners.library_of_line(&line.place.file),
        file: line.place.file,
        function: line.place.function,
        instructions: line.instructions,
        times: line.times,
        total: Some(line.total),
    };
    let mut functions: Vec<FunctionCost> = profile.functions.iter().map(function).collect();
    // The few instructions of the call itself are nobody's.
    functions.retain(|function| !is_harness(&function.name) && function.library.as_deref() != Some(HARNESS));
    functions.sort_by(|a, b| {
        let others = (b.own, b.total, &a.name).cmp(&(a.own, a.total, &b.name));
        a.library.is_some().cmp(&b.library.is_some()).then(others)
    });
    let mut lines: Vec<LineCost> = lines.into_iter().map(line).collect();
    lines.retain(|line| !line.function.as_deref().is_some_and(is_harness));
    // The order among them stays.
    lines.sort_by_key(|line| line.library.is_some());
    // Some modules have hundreds of thousands of branches, of which reports show the most executed ones.
    let mut shown: Vec<(Reverse<u64>, u32)> = profile.sites.iter().copied().map(Reverse).zip(0..).collect();
    shown.sort_unstable();
    shown.truncate(BRANCHES);
    let shown: BTreeSet<u32> = shown.into_iter().map(|(_, index)| index).collect();
    let branch = |(site, index): (&Site, u32)| BranchCost {
        site: if shown.contains(&index) { program.site_name(SiteId(index)) } else { String::new() },
        arms: profile.arms[site.first_arm as usize..][..site.arms as usize].to_vec(),
    };
    Profile {
        unit: Unit::Instructions,
        branches: module.sites().iter().zip(0..).map(branch).collect(),
        instructions: profile.costs.instructions,
        calls: profile.calls.iter().map(node).collect(),
        folded_calls: profile.folded_calls,
        functions,
        libraries: libraries(profile, &owners, &names),
        lines,
        without_line,
    }
}

/// What each library cost, and which function of the user's own called it for most of that.
fn libraries(profile: &pessimum_wasm::Profile, owners: &Owners, names: &Names) -> Vec<LibraryCost> {
    // For each node, the nearest function of the user's own above it, or itself.
    let mut entered: Vec<Option<u32>> = Vec::new();
    let mut costs: BTreeMap<&String, BTreeMap<Option<u32>, u64>> = BTreeMap::new();
    for node in &profile.calls {
        let above = node.parent.and_then(|parent| entered[parent as usize]);
        match owners.library(node.function) {
            None => entered.push(Some(node.function)),
            Some(library) => {
                *costs.entry(library).or_default().entry(above).or_insert(0) += node.own.instructions;
                entered.push(above);
            }
        }
    }
    let library = |(name, by): (&String, BTreeMap<Option<u32>, u64>)| LibraryCost {
        name: name.clone(),
        own: by.values().sum(),
        entered_by: by
            .iter()
            .max_by_key(|(function, cost)| (**cost, Reverse(**function)))
            .and_then(|(function, _)| function.map(|function| names.function(function))),
    };
    let mut libraries: Vec<LibraryCost> =
        costs.into_iter().map(library).filter(|library| library.own > 0 && library.name != HARNESS).collect();
    libraries.sort_by(|a, b| (b.own, &a.name).cmp(&(a.own, &b.name)));
    libraries
}
