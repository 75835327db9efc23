//! Python as a front end. Profiles count lines.

use std::collections::BTreeMap;
use std::time::Duration;

use pessimum_input::{Domain, InputPlan};
use pessimum_outcome::End;
use pessimum_python::{Explained, Handed, NoteKind, PythonProfile, PythonProgram, PythonWork};
use pessimum_report::profile::{FunctionCost, LibraryCost, LineCost, Node, NodeCost, Profile, Unit};
use pessimum_report::result::HotSite;
use pessimum_report::work::{Operation, Work};
use pessimum_search::budget::Until;
use pessimum_search::program::PathLimits;
use pessimum_term::Witness;
use serde_json::Value;

use super::{Crash, FrontEnd, KEPT, Profiled, Ran};
use crate::Error;
use crate::language::Language;
use crate::plan::SubjectPlan;

impl FrontEnd for PythonProgram {
    fn language(&self) -> &'static Language {
        &Language::PYTHON
    }

    fn plan(&self) -> &InputPlan {
        PythonProgram::plan(self)
    }

    fn domain(&self) -> Domain {
        PythonProgram::domain(self)
    }

    fn searched_for(&self, time: Option<Duration>, until: Until) {
        self.source().search(time, until);
    }

    fn concretised(&self) -> Vec<(String, u64)> {
        self.notes(NoteKind::Concretised)
    }

    fn left_out(&self) -> Vec<(String, u64)> {
        self.notes(NoteKind::LeftOut)
    }

    fn fatal(&self) -> Option<String> {
        PythonProgram::fatal(self)
    }

    fn profile_while(&self, input: &Witness, limits: &PathLimits, go_on: &mut dyn FnMut() -> bool) -> Profiled {
        profiled(&PythonProgram::profile_while(self, input, limits, go_on))
    }

    fn crash(&self, input: &Witness, until: &Until) -> Option<Crash> {
        let explained = match until.go_on() {
            true => self.explain(input, &self.limits()),
            false => self.hang(input),
        };
        explained.map(crashed)
    }

    fn run_while(&self, input: &Witness, _go_on: &mut dyn FnMut() -> bool) -> Result<Ran, Error> {
        Ok(ran(self, input))
    }

    fn missing(&self) -> Option<String> {
        Some(missing(self))
    }

    fn work_while(&self, input: &Witness, limits: &PathLimits, go_on: &mut dyn FnMut() -> bool) -> Option<Work> {
        PythonProgram::work_while(self, input, limits, go_on).map(handed)
    }

    fn written(&self, _plan: &SubjectPlan, input: &Witness) -> Option<Vec<String>> {
        self.arguments_written(input)
    }
}

/// Why no run can be followed to its end.
fn missing(program: &PythonProgram) -> String {
    if let Some(why) = PythonProgram::fatal(program) {
        return why;
    }
    const TWICE: &str = "the program does not do the same twice";
    let notes = program.notes(NoteKind::LeftOut);
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
fn profiled(profile: &PythonProfile) -> Profiled {
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
        profile: named(profile),
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

fn crashed(explained: Explained) -> Crash {
    let innermost = Some(format!("{} {}", explained.at.as_deref().unwrap_or_default(), kind(&explained.why)));
    Crash { why: Some(explained.why), at: explained.at, innermost }
}

/// The name of an exception, without its message, which may be about the input.
fn kind(why: &str) -> &str {
    why.split(':').next().unwrap_or(why)
}

/// Runs an input in an ordinary interpreter.
fn ran(program: &PythonProgram, input: &Witness) -> Ran {
    let ran = program.run(input, &program.limits());
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

/// What C code was handed, as it is saved.
fn handed(work: PythonWork) -> Work {
    /// Operations of each kind that are kept.
    const KEPT: usize = 20;
    let operation = |bounded: bool| {
        move |handed: Handed| Operation {
            operation: handed.operation,
            place: format!("{}:{}", handed.file, handed.line),
            times: handed.times,
            units: handed.units,
            bounded,
        }
    };
    let unbounded = work.unbounded.into_iter().take(KEPT).map(operation(false));
    let operations = unbounded.chain(work.bounded.into_iter().take(KEPT).map(operation(true))).collect();
    Work { total: work.total, operations }
}
