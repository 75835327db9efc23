//! Regression tests for the user's own test suite: they run the worst inputs found and assert counts, never seconds.
//!
//! A test is written in Rust, C or JSON from the same description. Counting is left to the command `pessimum`, which a
//! test runs; only a test in C of a program that counts its own cost, and one in Python, which counts lines, can do without
//! it. (The last kind, a script
//! for any WebAssembly engine, needs the module itself and is made where modules are known: `pessimum_wasm::script`.)
//!
//! Regression tests leave the counting to the command: what a count means is decided in one place only. Two can do
//! without it: where a program counts its own cost, the test in C calls it natively; a `.wast` script holds a module
//! into which counters were written, so that every engine can check it.

mod c;
mod native;
mod python;
mod rust;
mod suite;

use serde_json::{Value, json};

pub use c::c;
pub use native::{NativeCall, NativeValue, is_identifier};
pub use python::{Expects, PythonCase, PythonTests};
pub use rust::rust;
pub use suite::{SuiteCase, SuiteTests};

use pessimum_report::class::Class;
use pessimum_report::curve::CurveResult;
use pessimum_report::result::WorstResult;
use pessimum_report::text::printable;

/// Whether a word of a command line gives `n`, which each case has for itself; other sizes have names.
fn gives_n(word: &str) -> bool {
    word.strip_prefix("--size=").is_some_and(|size| !size.contains('='))
}

/// What a regression test checks.
#[derive(Clone, Debug)]
pub struct RegressionTest {
    /// What is run, as words of a command line without `--size`.
    pub arguments: Vec<String>,
    /// The cost model's name.
    pub model: String,
    /// One per input, in ascending order of size.
    pub cases: Vec<Case>,
    /// The class that the costs of these inputs must not outgrow.
    pub class: Option<Class>,
}

/// One input and what it may cost.
#[derive(Clone, Debug)]
pub struct Case {
    /// `n`.
    pub size: Option<u64>,
    /// What the input cost when it was found.
    pub cost: u64,
    /// In the form that `--input` takes.
    pub input: Value,
}

/// How much the cost may grow from one size to the next.
struct Step {
    from: usize,
    to: usize,
    /// The class's own factor and a tenth more, for terms of lower order; at least what was found.
    factor: f64,
}

/// Text for a comment, on one line: nothing in it may end the comment.
fn in_comment(text: &str) -> String {
    printable(text).replace("*/", "* /")
}

/// What is run, for a comment.
fn title(arguments: &[String]) -> String {
    in_comment(&arguments.join(" "))
}

impl RegressionTest {
    /// The test that an input costs no more than it did.
    pub fn of_worst(result: &WorstResult) -> RegressionTest {
        let arguments = result.arguments.iter().filter(|word| !gives_n(word)).cloned().collect();
        let case = Case { size: result.size, cost: result.cost.value, input: result.input.clone() };
        RegressionTest { arguments, model: result.cost.model.clone(), cases: vec![case], class: None }
    }

    /// The test that the inputs of all sizes cost no more than they did and grow no faster than their class.
    pub fn of_curve(result: &CurveResult) -> RegressionTest {
        let case = |point: &pessimum_report::curve::CurvePoint| Case {
            size: Some(point.size),
            cost: point.cost,
            input: point.input.clone(),
        };
        RegressionTest {
            arguments: result.arguments.clone(),
            model: result.cost.clone(),
            cases: result.points.iter().map(case).collect(),
            class: result.worst.class,
        }
    }

    /// The module or source file, for a comment.
    fn module(&self) -> String {
        self.arguments.first().map_or(String::new(), |module| in_comment(module))
    }

    /// What is run, for a comment.
    fn title(&self) -> String {
        title(&self.arguments)
    }

    /// The unit of a cost, for messages.
    fn unit(&self) -> String {
        match self.model.as_str() {
            "user" => "(the program's own cost)".to_string(),
            model => model.to_string(),
        }
    }

    fn steps(&self) -> Vec<Step> {
        let Some(class) = self.class else { return Vec::new() };
        let mut steps = Vec::new();
        for to in 1..self.cases.len() {
            let (a, b) = (&self.cases[to - 1], &self.cases[to]);
            let (Some(small), Some(large)) = (a.size, b.size) else { continue };
            let wanted = 1.1 * (class.ln(large as f64) - class.ln(small as f64)).exp();
            let found = b.cost as f64 / a.cost.max(1) as f64;
            if wanted.is_finite() {
                // Rounded up, so that the test passes as written, but not for a rounding error in the last bit.
                let factor = (wanted.max(found) * 1000.0 - 1e-6).ceil() / 1000.0;
                steps.push(Step { from: to - 1, to, factor });
            }
        }
        steps
    }

    /// The test as data, in the form of a saved result: `pessimum replay --check FILE` runs it.
    pub fn json(&self) -> Value {
        let cases: Vec<Value> = self.cases.iter().map(|case| self.case_json(case)).collect();
        json!({
            "what": "a regression test by Pessimum: no input may cost more than `value`",
            "command": ["pessimum", "replay", "--check", "worst_test.json"],
            "class": self.class.map(|class| class.to_string()),
            "cases": cases,
        })
    }

    fn case_json(&self, case: &Case) -> Value {
        let mut arguments = self.arguments.clone();
        arguments.extend(case.size.map(|size| format!("--size={size}")));
        json!({
            "size": case.size,
            "cost": { "model": self.model, "value": case.cost },
            "input": case.input,
            "arguments": arguments,
        })
    }
}
