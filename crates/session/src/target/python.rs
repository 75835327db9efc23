//! What a session asks of a Python program. Profiles count lines.

use std::collections::BTreeMap;

use pessimum_outcome::End;
use pessimum_python::{Explained, NoteKind, PythonProfile, PythonProgram};
use pessimum_report::profile::{FunctionCost, LibraryCost, LineCost, Node, NodeCost, Profile, Unit};
use pessimum_report::result::HotSite;
use pessimum_search::program::PathLimits;
use pessimum_term::Witness;
use serde_json::Value;

use super::{Crash, KEPT, Profiled, Ran};

/// A Python program with the limits of its plan.
pub struct PythonTarget {
    pub program: PythonProgram,
    pub limits: PathLimits,
}

/// Why no run can be followed to its end.
pub fn missing(target: &PythonTarget) -> String {
    if let Some(why) = target.program.fatal() {
        return why;
    }
    const TWICE: &str = "the program does not do the same twice";
    let notes = target.program.notes(NoteKind::LeftOut);
    let refused = notes.iter().find(|(note, _)| note.starts_with("the program ") && note != TWICE);
    match refused {
        Some((why, _)) => why.clone(),
        None => format!(
            "{TWICE} on the same input; time, random numbers of the system, and what earlier runs left in files may be the \
             reason"
        ),
    }
}

/// Where the cost of a run is.
pub fn profile_while(
    program: &PythonProgram,
    input: &Witness,
    limits: &PathLimits,
    go_on: &mut dyn FnMut() -> bool,
) -> Profiled {
    let profile = program.profile_while(input, limits, go_on);
    let mut hot: Vec<_> = profile.lines.iter().filter(|line| line.hits > 0).collect();
    hot.sort_by_key(|line| (std::cmp::Reverse(line.hits), &line.file, line.line));
    let site = |line: &pessimum_python::LineCost| format!("{} ({}:{})", line.function, line.file, line.line);
    Profiled {
        end: profile.end,
        costs: profile.costs,
        failure: None,
        asked: Vec::new(),
        hottest: hot.iter().take(KEPT).map(|line| HotSite { site: site(line), count: line.hits }).collect(),
        unsupported: Vec::new(),
        profile: named(&profile),
    }
}

/// The profile as reports show it.
fn named(profile: &PythonProfile) -> Profile {
    let library = |own: bool, file: &str| (!own).then(|| library_of(file));
    let function = |function: &pessimum_python::FunctionCost| FunctionCost {
        name: function.name.clone(),
        calls: function.calls,
        own: function.own_lines,
        total: function.total_lines,
        library: library(function.own, &function.file),
    };
    let line = |line: &pessimum_python::LineCost| LineCost {
        file: line.file.clone(),
        line: line.line,
        function: Some(line.function.clone()),
        instructions: line.hits,
        times: line.hits,
        total: Some(line.total),
        library: library(line.own, &line.file),
    };
    let cost = |lines: u64, calls: u64, user: u64| NodeCost { instructions: lines, branches: 0, calls, user };
    // Calls below a node are those of its callees; the tree has callers before callees.
    let mut calls_below: Vec<u64> = profile.calls.iter().map(|node| node.calls).collect();
    for at in (0..profile.calls.len()).rev() {
        if let Some(parent) = profile.calls[at].parent {
            calls_below[parent] += calls_below[at];
        }
    }
    let node = |(node, below): (&pessimum_python::CallCost, &u64)| Node {
        name: profile.functions.get(node.function).map_or(String::new(), |function| function.name.clone()),
        parent: node.parent,
        own: cost(node.own_lines, node.calls, node.user.0),
        total: cost(node.total_lines, *below, node.user.1),
    };
    Profile {
        unit: Unit::Lines,
        instructions: profile.functions.iter().map(|function| function.own_lines).sum(),
        calls: profile.calls.iter().zip(&calls_below).map(node).collect(),
        folded_calls: profile.folded_calls,
        functions: profile.functions.iter().map(function).collect(),
        libraries: libraries(profile),
        lines: profile.lines.iter().map(line).collect(),
        branches: Vec::new(),
        without_line: 0,
    }
}

/// The name of the library that a file belongs to: its package, or its module.
fn library_of(file: &str) -> String {
    let file = file.replace('\\', "/");
    let inside =
        ["/site-packages/", "/dist-packages/"].iter().find_map(|part| file.split_once(part)).map(|(_, path)| path);
    // The standard library is below a directory with the version in its name.
    let standard = || file.rsplit_once("/python3").and_then(|(_, path)| path.split_once('/')).map(|(_, path)| path);
    let path = inside.or_else(standard).unwrap_or_else(|| file.rsplit('/').next().unwrap_or(&file));
    path.split('/').next().unwrap_or(path).trim_end_matches(".py").to_string()
}

/// What each library cost, and which function of the user's own called it for most of that.
fn libraries(profile: &PythonProfile) -> Vec<LibraryCost> {
    let mut entered: Vec<Option<usize>> = Vec::new();
    let mut costs: BTreeMap<String, BTreeMap<Option<usize>, u64>> = BTreeMap::new();
    for node in &profile.calls {
        let above = node.parent.and_then(|parent| entered.get(parent).copied().flatten());
        let function = profile.functions.get(node.function);
        match function.filter(|function| !function.own) {
            None => entered.push(Some(node.function)),
            Some(function) => {
                *costs.entry(library_of(&function.file)).or_default().entry(above).or_insert(0) += node.own_lines;
                entered.push(above);
            }
        }
    }
    let library = |(name, by): (String, BTreeMap<Option<usize>, u64>)| LibraryCost {
        name,
        own: by.values().sum(),
        entered_by: by
            .iter()
            .max_by_key(|(function, cost)| (**cost, std::cmp::Reverse(**function)))
            .and_then(|(function, _)| function.and_then(|at| profile.functions.get(at)))
            .map(|function| function.name.clone()),
    };
    let mut libraries: Vec<LibraryCost> = costs.into_iter().map(library).filter(|library| library.own > 0).collect();
    libraries.sort_by(|a, b| (b.own, &a.name).cmp(&(a.own, &b.name)));
    libraries
}

/// Which exception a run raises, and where, or where it gave no answer; none if it ended otherwise.
pub fn crash(target: &PythonTarget, input: &Witness) -> Option<Crash> {
    target.program.explain(input, &target.limits).map(crashed)
}

/// Where a run gave no answer that has done so before.
pub fn hang(target: &PythonTarget, input: &Witness) -> Option<Crash> {
    target.program.hang(input).map(crashed)
}

fn crashed(explained: Explained) -> Crash {
    let innermost = Some(format!("{} {}", explained.at.as_deref().unwrap_or_default(), kind(&explained.why)));
    Crash { why: Some(explained.why), at: explained.at, innermost }
}

/// The name of an exception, without its message, which may be about the input.
fn kind(why: &str) -> &str {
    why.split(':').next().unwrap_or(why)
}

/// Runs an input in an ordinary interpreter.
pub fn run(target: &PythonTarget, input: &Witness) -> Ran {
    let ran = target.program.run(input, &target.limits);
    let crash = ran.explained.filter(|_| matches!(ran.end, End::Trapped(_)));
    let at = crash.as_ref().and_then(|crash| crash.at.clone());
    let crashed_at = at
        .as_deref()
        .and_then(|at| at.rsplit_once(':'))
        .and_then(|(file, line)| Some((file.to_string(), line.parse().ok()?)));
    Ran {
        end: ran.end,
        returned: ran.returned.map(|text| returned(&text)).into_iter().collect(),
        asked: Vec::new(),
        why: crash.map(|crash| crash.why),
        backtrace: at.into_iter().collect(),
        crashed_at,
    }
}

/// A value as `repr` shows it: numbers as JSON has them, everything else as the text.
fn returned(repr: &str) -> Value {
    match serde_json::from_str::<Value>(repr) {
        Ok(number @ Value::Number(_)) => number,
        _ => Value::String(repr.to_string()),
    }
}
