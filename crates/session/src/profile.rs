//! Names for a profile: turns numbers and offsets into functions and source lines.

use pessimum_program::WasmProgram;
use pessimum_report::profile::{BranchCost, FunctionCost, LineCost, Node, NodeCost, Profile};
use pessimum_search::program::{Program as _, SiteId};
use pessimum_wasm::names::{Names, SourceLines};
use pessimum_wasm::{Counts, Module, Site};

/// A profile as reports show it.
pub fn named(profile: &pessimum_wasm::Profile, program: &WasmProgram) -> Profile {
    let module: &Module = program.subject().module();
    let (names, source_lines) = (Names::of(module), SourceLines::of(module));
    let cost = |counts: &Counts| NodeCost {
        instructions: counts.instructions,
        branches: counts.branches,
        calls: counts.calls,
        user: counts.user,
    };
    let node = |node: &pessimum_wasm::CallNode| Node {
        name: names.function(node.function),
        parent: node.parent.map(|parent| parent as usize),
        own: cost(&node.own),
        total: cost(&node.total),
    };
    let function = |function: &pessimum_wasm::FunctionProfile| FunctionCost {
        name: names.function(function.function),
        calls: function.own.calls,
        own: function.own.instructions,
        total: function.total_instructions,
    };
    let (lines, without_line) = profile.lines(&source_lines);
    let line = |line: pessimum_wasm::LineProfile| LineCost {
        file: line.place.file,
        line: line.place.line,
        function: line.place.function,
        instructions: line.instructions,
        times: line.times,
    };
    let mut functions: Vec<FunctionCost> = profile.functions.iter().map(function).collect();
    // Code of ours that makes the objects for a call: the few instructions of the call itself are nobody's.
    let is_ours = |name: &str| name.rsplit('/').next().is_some_and(|name| name.starts_with("pessimum_call_"));
    functions.retain(|function| !is_ours(&function.name));
    functions.sort_by(|a, b| (b.own, b.total, &a.name).cmp(&(a.own, a.total, &b.name)));
    let branch = |(site, index): (&Site, u32)| BranchCost {
        site: program.site_name(SiteId(index)),
        arms: profile.arms[site.first_arm as usize..][..site.arms as usize].to_vec(),
    };
    Profile {
        branches: module.sites().iter().zip(0..).map(branch).collect(),
        instructions: profile.costs.instructions,
        calls: profile.calls.iter().map(node).collect(),
        folded_calls: profile.folded_calls,
        functions,
        lines: lines.into_iter().map(line).collect(),
        without_line,
    }
}
