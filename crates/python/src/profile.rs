//! Where the cost of a run is.

use pessimum_outcome::{Costs, End};
use pessimum_search::program::Replay;
use serde::Deserialize;

/// A line with its cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineCost {
    /// The file; relative to the directory of the user's file where it is below that.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// The function that has it.
    pub function: String,
    /// How often it was executed.
    pub hits: u64,
    /// Lines executed by it and by what it called.
    pub total: u64,
    /// Whether it is the user's own code rather than a library's.
    pub own: bool,
}

/// A function with its cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionCost {
    /// Its qualified name.
    pub name: String,
    /// Its file.
    pub file: String,
    /// Where it is defined.
    pub line: u32,
    /// How often it was called.
    pub calls: u64,
    /// Lines executed in it.
    pub own_lines: u64,
    /// Lines executed in it and in what it called.
    pub total_lines: u64,
    /// Whether it is the user's own code rather than a library's.
    pub own: bool,
}

/// A node of the call tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallCost {
    /// The function, by its index in [`PythonProfile::functions`].
    pub function: usize,
    /// The caller, by its index in [`PythonProfile::calls`]; none for the call itself.
    pub parent: Option<usize>,
    /// How often it was called from there.
    pub calls: u64,
    /// Lines executed in it, called from there.
    pub own_lines: u64,
    /// With those of what it called.
    pub total_lines: u64,
    /// What `pessimum.cost` was told in it, and with what it called.
    pub user: (u64, u64),
}

/// Where the cost of a run is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PythonProfile {
    /// All costs.
    pub costs: Costs,
    /// How the run ended.
    pub end: End,
    /// Lines, the user's own first, then the most expensive first.
    pub lines: Vec<LineCost>,
    /// Functions, the user's own first, then the most expensive first.
    pub functions: Vec<FunctionCost>,
    /// The call tree, callers before callees.
    pub calls: Vec<CallCost>,
    /// Calls that were counted in a node nearer to the root than their own (deep recursion).
    pub folded_calls: u64,
}

/// What a worker says about a profiled run.
#[derive(Deserialize)]
struct Told {
    functions: Vec<ToldFunction>,
    /// Parent node from 1 (0 for none), function, calls, own lines, own cost.
    calls: Vec<(usize, usize, u64, u64, u64)>,
    /// Function, line, hits, total.
    lines: Vec<(usize, u32, u64, u64)>,
    folded: u64,
}

#[derive(Deserialize)]
struct ToldFunction {
    name: String,
    file: String,
    line: u32,
    own: bool,
    /// Calls, own lines, total lines.
    costs: (u64, u64, u64),
}

/// A profile as the worker tells it; empty if it told nothing, because the run did not come to its end.
pub(crate) fn read(replay: Replay, told: Option<serde_json::Value>) -> PythonProfile {
    let Replay { costs, end, .. } = replay;
    let empty = PythonProfile { costs, end, lines: vec![], functions: vec![], calls: vec![], folded_calls: 0 };
    let Some(told) = told.and_then(|told| serde_json::from_value::<Told>(told).ok()) else { return empty };
    let count = told.functions.len();
    let is_known = |function: usize, parent: usize, at: usize| function < count && parent <= at;
    if told.calls.iter().enumerate().any(|(at, call)| !is_known(call.1, call.0, at))
        || told.lines.iter().any(|line| line.0 >= count)
    {
        return empty;
    }
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|&a, &b| {
        let (a, b) = (&told.functions[a], &told.functions[b]);
        let costs = (b.costs.1, b.costs.2, &a.name, a.line).cmp(&(a.costs.1, a.costs.2, &b.name, b.line));
        b.own.cmp(&a.own).then(costs)
    });
    let mut place = vec![0; count];
    for (new, &old) in order.iter().enumerate() {
        place[old] = new;
    }
    let functions = order.iter().map(|&old| {
        let function = &told.functions[old];
        FunctionCost {
            name: function.name.clone(),
            file: function.file.clone(),
            line: function.line,
            calls: function.costs.0,
            own_lines: function.costs.1,
            total_lines: function.costs.2,
            own: function.own,
        }
    });
    let mut calls: Vec<CallCost> = told
        .calls
        .iter()
        .map(|&(parent, function, calls, own, user)| CallCost {
            function: place[function],
            parent: parent.checked_sub(1),
            calls,
            own_lines: own,
            total_lines: own,
            user: (user, user),
        })
        .collect();
    // Callers come before callees, so sums go backwards.
    for at in (0..calls.len()).rev() {
        let (total, user) = (calls[at].total_lines, calls[at].user.1);
        if let Some(parent) = calls[at].parent {
            calls[parent].total_lines += total;
            calls[parent].user.1 += user;
        }
    }
    let line = |&(function, line, hits, total): &(usize, u32, u64, u64)| {
        let of = &told.functions[function];
        LineCost { file: of.file.clone(), line, function: of.name.clone(), hits, total, own: of.own }
    };
    let mut lines: Vec<LineCost> = told.lines.iter().map(line).collect();
    lines.sort_by(|a, b| {
        let costs =
            (b.hits, b.total, &a.file, a.line, &a.function).cmp(&(a.hits, a.total, &b.file, b.line, &b.function));
        b.own.cmp(&a.own).then(costs)
    });
    PythonProfile { costs, end, lines, functions: functions.collect(), calls, folded_calls: told.folded }
}
