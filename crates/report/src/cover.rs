//! What `pessimum cover` found: a suite of inputs, what it covers, and what it does not.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::result::SolverUse;

/// What `pessimum cover` prints as JSON and keeps as result.json.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CoverResult {
    /// The module's file, as on the command line.
    pub module: String,
    /// What was started: the text of `--call`, or the name after `--entry`; none for a WASI command.
    pub call: Option<String>,
    /// The values of `n`, ascending; empty where no length depends on it.
    pub sizes: Vec<u64>,
    /// The strategy's name.
    pub strategy: String,
    /// The seed, which fixes everything but times.
    pub seed: u64,
    /// What the suite covers.
    #[serde(flatten)]
    pub coverage: Coverage,
    /// The suite, each input in the form that `--input` takes.
    pub inputs: Vec<Value>,
    /// What each of these inputs does, in the same order.
    pub tests: Vec<SuiteTest>,
    /// Paths of the whole search.
    pub paths: u64,
    /// Decisions taken by the whole search.
    pub decisions: u64,
    /// What the solver was asked.
    pub solver: SolverUse,
    /// Whether every feasible path was seen, at all sizes.
    pub complete: bool,
    /// For which inputs that holds, where the types in the source permit more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// Why the search ended.
    pub stopped: String,
    /// Wall clock.
    pub elapsed_s: f64,
    /// What was run, as words of a command line.
    pub arguments: Vec<String>,
    /// The whole command that made this, as words, without the program's name.
    pub command: Vec<String>,
}

/// What a suite covers and what it does not.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Coverage {
    /// Arms of branches, functions and lines that count.
    pub goals: u64,
    /// Those of them that the suite covers.
    pub covered: u64,
    /// Arms of conditional branches.
    pub branches: Tally,
    /// Functions.
    pub functions: Tally,
    /// Source lines; none without debug information.
    pub lines: Tally,
    /// The arms that the suite does not take, in the order of the code.
    pub open: Vec<OpenBranch>,
    /// By source file, in alphabetical order; last what belongs to none.
    pub files: Vec<FileCoverage>,
}

/// How many there are, and how many are covered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// How many there are.
    pub goals: u64,
    /// How many are covered.
    pub covered: u64,
}

impl Tally {
    /// Counts another one.
    pub fn add(&mut self, covered: bool) {
        self.goals += 1;
        self.covered += u64::from(covered);
    }

    /// The covered part in per cent; 100 where there is nothing to cover.
    pub fn per_cent(&self) -> f64 {
        if self.goals == 0 { 100.0 } else { 100.0 * self.covered as f64 / self.goals as f64 }
    }
}

/// What an input of the suite does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SuiteTest {
    /// `n`.
    pub size: Option<u64>,
    /// How its run ends.
    pub end: String,
    /// What the function returns; empty where it does not return, or returns nothing.
    pub returned: Vec<Value>,
    /// Goals that it covers and that no input before it does.
    pub adds: u64,
    /// Which exception a Python function raises, with its message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// For a trap, where it happened, innermost call first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub backtrace: Vec<String>,
    /// For a trap, the source line where it happened, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trapped_at: Option<(String, u32)>,
}

/// How a run ends and what it returns, on one line, as `pessimum run --expect` compares it: `returned 5`, `exited: 1`.
pub fn outcome(end: &str, returned: &[Value]) -> String {
    // What Python returned is a text as `repr` shows it.
    let shown = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_string);
    let values: Vec<String> = returned.iter().map(shown).collect();
    if values.is_empty() { end.to_string() } else { format!("{end} {}", values.join(", ")) }
}

impl SuiteTest {
    /// How it ends and what it returns, on one line.
    pub fn outcome(&self) -> String {
        outcome(&self.end, &self.returned)
    }

    /// Whether it ends in a trap.
    pub fn traps(&self) -> bool {
        self.end.starts_with("trapped")
    }
}

/// Why an arm is not covered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reason {
    /// Every feasible path at the sizes searched was seen, and none takes it.
    #[serde(rename = "unreachable")]
    Unreachable,
    /// No run took it.
    #[serde(rename = "not reached")]
    NotReached,
    /// No run took it, and the solver gave up on the question whether one can.
    #[serde(rename = "gave up")]
    GaveUp,
}

/// An arm that no input of the suite takes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenBranch {
    /// Source line, or function and offset, and which arm.
    #[serde(rename = "where")]
    pub place: String,
    /// Why it is open.
    pub reason: Reason,
    /// The function that contains the branch.
    pub function: String,
    /// Source file and line, where known.
    pub file: Option<String>,
    /// The line, from 1.
    pub line: Option<u32>,
    /// Number of the branch among those of its line, or of its function without lines, from 1.
    pub branch: u32,
    /// The arm: 0 (false) or 1 (true), or the number of an entry of a table.
    pub arm: u64,
    /// What would have to hold on the path that came closest, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// Whether the branch was executed at all, so that only this arm is missing.
    pub executed: bool,
}

/// The coverage of one source file. Counts are numbers of inputs of the suite.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileCoverage {
    /// The path as the compiler recorded it; none for code without debug information.
    pub file: Option<String>,
    /// Lines with code, ascending, each with the inputs that reach it.
    pub lines: Vec<(u32, u64)>,
    /// Functions whose text begins in it.
    pub functions: Vec<FunctionCoverage>,
    /// Arms of the branches in it, in the order of lines.
    pub branches: Vec<ArmCoverage>,
}

/// One function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionCoverage {
    /// Its name.
    pub name: String,
    /// The first line of it that has code.
    pub line: Option<u32>,
    /// Inputs that call it.
    pub calls: u64,
    /// The arms of the branches in it that count.
    pub branches: Tally,
    /// Its lines that count.
    pub lines: Tally,
}

/// One arm of a branch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArmCoverage {
    /// The source line; 0 without debug information.
    pub line: u32,
    /// Number of the branch among those of its line, or of its function without lines, from 1.
    pub branch: u32,
    /// The arm.
    pub arm: u64,
    /// Inputs that take it; none where the branch is never executed.
    pub taken: Option<u64>,
}

impl FileCoverage {
    /// Its lines.
    pub fn line_tally(&self) -> Tally {
        tally(self.lines.iter().map(|&(_, count)| count > 0))
    }

    /// Its functions.
    pub fn function_tally(&self) -> Tally {
        tally(self.functions.iter().map(|function| function.calls > 0))
    }

    /// Its arms.
    pub fn branch_tally(&self) -> Tally {
        tally(self.branches.iter().map(|arm| arm.taken.is_some_and(|taken| taken > 0)))
    }
}

fn tally(items: impl Iterator<Item = bool>) -> Tally {
    let mut tally = Tally::default();
    items.for_each(|covered| tally.add(covered));
    tally
}

/// What `pessimum cover --reach` prints as JSON and keeps as result.json.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReachResult {
    /// The module's file, as on the command line.
    pub module: String,
    /// What was started.
    pub call: Option<String>,
    /// What was to be reached.
    pub reach: String,
    /// Whether an input reaches it.
    pub reached: bool,
    /// That input, in the form that `--input` takes; null without one.
    pub input: Value,
    /// What the input does.
    pub test: Option<SuiteTest>,
    /// Whether every feasible path was seen, so that what was not reached cannot be.
    pub complete: bool,
    /// For which inputs that holds, where the types in the source permit more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// Why the search ended.
    pub stopped: String,
    /// Paths of the search.
    pub paths: u64,
    /// Wall clock.
    pub elapsed_s: f64,
    /// The strategy's name.
    pub strategy: String,
    /// The seed.
    pub seed: u64,
    /// What was run, as words of a command line.
    pub arguments: Vec<String>,
    /// The whole command that made this, as words, without the program's name.
    pub command: Vec<String>,
}

/// The coverage as a tracefile of lcov (geninfo(1), FILES), for `genhtml` and editors; empty without debug information.
/// Counts are numbers of inputs of the suite.
pub fn lcov(coverage: &Coverage) -> String {
    tracefile(&coverage.files)
}

fn tracefile(files: &[FileCoverage]) -> String {
    let mut text = String::new();
    for (file, name) in files.iter().filter_map(|file| Some((file, file.file.as_deref()?))) {
        // A name with a line end would be taken for another record.
        let plain = |name: &str| name.replace(['\n', '\r'], " ");
        let _ = writeln!(text, "TN:pessimum\nSF:{}", plain(name));
        // Instances of a generic function share a name, which a tracefile has once.
        let mut functions: BTreeMap<String, (u32, u64)> = BTreeMap::new();
        for function in &file.functions {
            let (_, calls) = functions.entry(plain(&function.name)).or_insert((function.line.unwrap_or(1), 0));
            *calls = (*calls).max(function.calls);
        }
        for (name, (line, _)) in &functions {
            let _ = writeln!(text, "FN:{line},{name}");
        }
        for (name, (_, calls)) in &functions {
            let _ = writeln!(text, "FNDA:{calls},{name}");
        }
        let tally = tally(functions.values().map(|&(_, calls)| calls > 0));
        let _ = writeln!(text, "FNF:{}\nFNH:{}", tally.goals, tally.covered);
        for arm in &file.branches {
            let taken = arm.taken.map_or("-".to_string(), |taken| taken.to_string());
            let _ = writeln!(text, "BRDA:{},{},{},{taken}", arm.line, arm.branch - 1, arm.arm);
        }
        let tally = file.branch_tally();
        let _ = writeln!(text, "BRF:{}\nBRH:{}", tally.goals, tally.covered);
        for (line, count) in &file.lines {
            let _ = writeln!(text, "DA:{line},{count}");
        }
        let tally = file.line_tally();
        let _ = writeln!(text, "LF:{}\nLH:{}\nend_of_record", tally.goals, tally.covered);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Records of geninfo(1), in its order; a branch that was never executed has `-`.
    #[test]
    fn tracefiles() {
        let arm = |line, arm, taken| ArmCoverage { line, branch: 1, arm, taken };
        let function = |name: &str, calls| FunctionCoverage {
            name: name.to_string(),
            line: Some(2),
            calls,
            branches: Tally::default(),
            lines: Tally::default(),
        };
        let file = FileCoverage {
            file: Some("src/a.c".to_string()),
            lines: vec![(2, 3), (4, 0)],
            functions: vec![function("f", 0), function("f", 3), function("g\n", 0)],
            branches: vec![arm(2, 0, Some(3)), arm(2, 1, Some(0)), arm(4, 0, None)],
        };
        let expected = "TN:pessimum\nSF:src/a.c\nFN:2,f\nFN:2,g \nFNDA:3,f\nFNDA:0,g \nFNF:2\nFNH:1\n\
                        BRDA:2,0,0,3\nBRDA:2,0,1,0\nBRDA:4,0,0,-\nBRF:3\nBRH:1\nDA:2,3\nDA:4,0\nLF:2\nLH:1\n\
                        end_of_record\n";
        assert_eq!(tracefile(&[FileCoverage::default(), file]), expected);
    }

    #[test]
    fn shares() {
        assert_eq!(Tally::default().per_cent(), 100.0, "nothing is missing where there is nothing");
        assert_eq!(tally([true, false, true, true].into_iter()), Tally { goals: 4, covered: 3 });
        assert_eq!(Tally { goals: 4, covered: 3 }.per_cent(), 75.0);
    }
}
