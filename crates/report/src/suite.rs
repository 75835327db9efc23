//! What `pessimum suite` found: tests that are sequences of calls, what they cover, and what they do not.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::cover::{Coverage, Tally};

/// What `pessimum suite` prints as JSON and keeps as result.json.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SuiteResult {
    /// The module's file, as on the command line.
    pub module: String,
    /// The declarations of the functions that tests call.
    pub api: Vec<String>,
    /// The strategy's name.
    pub strategy: String,
    /// The seed, which fixes everything but times.
    pub seed: u64,
    /// What the suite covers.
    #[serde(flatten)]
    pub coverage: Coverage,
    /// The tests, each a list of statements.
    pub tests: Vec<Vec<Statement>>,
    /// What each of these tests does, in the same order.
    pub about: Vec<AboutTest>,
    /// Executions of tests, concrete and symbolic.
    pub runs: u64,
    /// Flips of decisions that the solver was asked for, those that no input makes, and those that it gave up on.
    pub flips: [u64; 3],
    /// Executions that ended at a limit, so that their tests are not used.
    pub limits: u64,
    /// Why the search ended.
    pub stopped: String,
    /// Wall clock.
    pub elapsed_s: f64,
    /// Seconds, executions and covered goals, each time that more were covered.
    pub progress: Vec<(f64, u64, u64)>,
    /// What small mistakes the suite notices, if that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mutation: Option<MutationScore>,
    /// What was run, as words of a command line.
    pub arguments: Vec<String>,
    /// The whole command that made this, as words, without the program's name.
    pub command: Vec<String>,
}

/// One call of a test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Statement {
    /// As a reader would write it: `let list = list_new()`, `list_add(list, 3)`.
    pub text: String,
    /// The function.
    pub call: String,
    /// What it is passed, one entry for each parameter, in the form that `--input` takes; `{"returned": 0}` is what the
    /// first statement returned.
    pub arguments: Vec<Value>,
    /// What it returned, if that is a number; the address behind a handle and a digest mean nothing, and are not there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub returned: Option<Value>,
}

/// What a test does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AboutTest {
    /// A name that says what it covers, fit to be that of a function.
    pub name: String,
    /// How it ends.
    pub end: String,
    /// Goals that it covers and that no test before it does.
    pub adds: u64,
    /// Instructions of all its calls.
    pub instructions: u64,
    /// For a trap, where it happened, innermost call first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub backtrace: Vec<String>,
}

impl AboutTest {
    /// Whether it ends in a trap.
    pub fn traps(&self) -> bool {
        self.end.starts_with("trapped")
    }
}

/// How many small mistakes in the code a suite notices.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MutationScore {
    /// Mutants of the code that counts: a negated branch or another constant each.
    pub mutants: u64,
    /// Those that there was time for.
    pub tried: u64,
    /// Those with which some test ends otherwise or returns something else.
    pub killed: u64,
    /// Others, as far as they are named.
    pub survivors: Vec<Survivor>,
}

impl MutationScore {
    /// The killed part of those that were tried, in per cent.
    pub fn per_cent(&self) -> f64 {
        Tally { goals: self.tried, covered: self.killed }.per_cent()
    }
}

/// A mistake that no test notices.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Survivor {
    /// Source line, or function and offset.
    #[serde(rename = "where")]
    pub place: String,
    /// What was changed, in words.
    pub change: String,
}

/// What `pessimum worst --api` prints as JSON and keeps as result.json.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SequenceResult {
    /// The module's file, as on the command line.
    pub module: String,
    /// The declarations of the functions that could be called.
    pub api: Vec<String>,
    /// The most calls.
    pub size: u64,
    /// The strategy's name.
    pub strategy: String,
    /// The seed, which fixes everything but times.
    pub seed: u64,
    /// What was maximised.
    pub cost: SequenceCost,
    /// All costs of what counts.
    pub costs: Value,
    /// The calls.
    pub statements: Vec<Statement>,
    /// What each of them cost.
    pub each: Vec<u64>,
    /// How the sequence ends.
    pub end: String,
    /// Executions of sequences, concrete and symbolic.
    pub runs: u64,
    /// The mean and the highest cost of random sequences, and how many there were.
    pub random: Option<RandomSequences>,
    /// Why the search ended.
    pub stopped: String,
    /// Wall clock.
    pub elapsed_s: f64,
    /// Seconds, executions and cost at each improvement.
    pub progress: Vec<(f64, u64, u64)>,
    /// The whole command that made this, as words, without the program's name.
    pub command: Vec<String>,
}

/// A cost and its model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SequenceCost {
    /// The cost model's name.
    pub model: String,
    /// Whether only the last call counts.
    pub last_call: bool,
    /// The value.
    pub value: u64,
}

/// What random sequences of the same length cost.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RandomSequences {
    /// How many were run.
    pub runs: u64,
    /// Their mean cost.
    pub mean: f64,
    /// The highest cost.
    pub highest: u64,
}
