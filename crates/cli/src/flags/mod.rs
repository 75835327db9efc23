//! Every flag, defined once. Parsing touches nothing but the command line; files are read later, in `subject.rs`.

use std::path::PathBuf;

use clap::builder::ArgPredicate;
use clap::{Arg, Args, Parser, Subcommand};
use pessimum_outcome::CostModel;
use pessimum_search::strategy::Purpose;
use pessimum_session::RunPython;

use crate::examples;
use crate::gate::Files;

mod common;
mod compare;
mod cover;
mod curve;
mod narrow;
mod project;
mod python;
mod strategy;
mod subject;
mod suite;

pub use common::{
    CostFlag, EmitKind, EndFlag, InFlag, InputFile, ResultFlags, SearchFlags, TimeFlag, check_prices, usual_time,
};
use common::{parse_budget, parse_cost};
use compare::of_two;
pub use compare::{ClassLimit, CompareFlags};
pub use cover::CoverFlags;
pub use curve::{ChartFlag, CurveFlags, CurveSizes, GenerateFlags, PatternFlags};
pub use narrow::{exit, narrow};
pub use project::{CheckFlags, InitFlags};
pub use python::{CallFlag, Opened, PythonFlags, is_python};
pub use strategy::StrategyFlags;
use strategy::strategy_names;
pub use subject::{ArgumentFlag, FileFlag, SubjectFlags, not_an_option};
pub use suite::{ApiFlag, ApiFlags, SuiteFlags, SuiteSolverFlag};

#[derive(Debug, Parser)]
#[command(after_help = examples::PESSIMUM)]
#[command(name = "pessimum", version, about = "Finds the input of a given size that makes a program cost the most")]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a program once, on a given input, and print its result and all costs
    #[command(after_help = examples::RUN)]
    Run(Box<RunFlags>),
    /// Search for the input that costs the most
    #[command(mut_args(beside_resume))]
    #[command(after_help = examples::WORST)]
    Worst(Box<WorstFlags>),
    /// Search for the worst case at several sizes and fit its complexity class
    #[command(mut_arg("size", |arg| arg.value_name("NAME=N").help("Other sizes than n, as in `m=5`; they stay fixed")))]
    #[command(mut_args(beside_resume))]
    #[command(mut_arg("resume", |arg| arg.help(
        "Continue the curve in this directory: finished sizes are kept, and the others are searched with what is left \
         of its budget; --budget and --paths give it a new one. With --paths alone the curve becomes what it would have \
         been without the interruption. Only this command line says which other files to write")))]
    #[command(mut_arg("input", |arg| arg.hide(true)))]
    #[command(mut_arg("corpus", |arg| arg.hide(true)))]
    #[command(mut_arg("paths", |arg| arg.help(
        "End the search of each size after this many paths. Without --budget there is then no time limit, so that \
         runs can be repeated exactly")))]
    #[command(mut_arg("budget", |arg| arg.help(
        "Time for all sizes together, as in 500ms, 60s, 5m, 1h; `none` for no limit. Each share is proportional \
         to the square root of the size; what is left over goes to later sizes [default: 60s, or none with --paths]")))]
    #[command(mut_arg("out", |arg| arg.help(
        "Directory for curve.json and one directory per size, like those of `worst` [default: pessimum-out/NAME, \
         the module's name]")))]
    #[command(after_help = examples::CURVE)]
    Curve(Box<CurveFlags>),
    /// Find the rule behind worst inputs: a generator for any size, and how the cost grows along it
    ///
    /// Small sizes are searched; what their worst inputs have in common is extended, varied and run at ever larger sizes, up
    /// to a million, where growth is plain to see. Where no length depends on n, n is the value of a parameter.
    #[command(mut_arg("size", |arg| arg.value_name("NAME=N").help("Other sizes than n, as in `m=5`; they stay fixed")))]
    #[command(mut_args(beside_resume))]
    #[command(mut_arg("sizes", |arg| arg.help(
        "The sizes that are searched: 4,8,16, or 4..24 (ends included; about 8 sizes), or 4..24:4 (every 4th) [default: \
         4,6,8,12,16,24]")))]
    #[command(mut_arg("extend", |arg| arg.hide(true)))]
    #[command(mut_arg("chart", |arg| arg.hide(true)))]
    #[command(mut_arg("emit", |arg| arg.hide(true)))]
    #[command(mut_arg("input", |arg| arg.hide(true)))]
    #[command(mut_arg("corpus", |arg| arg.help(
        "Also learn from the inputs in this directory, of any size up to 256: raw bytes, as fuzzers keep them, or JSON in the \
         form of --input")))]
    #[command(mut_arg("resume", |arg| arg.help(
        "Continue the searches in this directory, then look for patterns; --budget and --paths give it a new budget")))]
    #[command(mut_arg("paths", |arg| arg.help(
        "End the search of each size after this many paths [default: 1500]. Without --budget there is then no time limit, so \
         that runs can be repeated exactly")))]
    #[command(mut_arg("budget", |arg| arg.help(
        "Time for everything, as in 500ms, 60s, 5m, 1h; `none` for no limit. Simple programs take less [default: 60s, or none \
         with --paths]")))]
    #[command(mut_arg("out", |arg| arg.help(
        "Directory for pattern.json, the generator as code, and what `curve` writes [default: pessimum-out/NAME, the \
         module's name]")))]
    #[command(after_help = examples::PATTERN)]
    Pattern(Box<PatternFlags>),
    /// Write the input of a size that a pattern gives
    #[command(after_help = examples::GENERATE)]
    Generate(GenerateFlags),
    /// Search for a small set of inputs that takes every branch, or for one that reaches a place
    #[command(mut_args(beside_resume))]
    #[command(mut_arg("budget", |arg| arg.help(
        "Time for everything, as in 500ms, 60s, 5m, 1h; `none` for no limit [default: 60s, or none with --paths]")))]
    #[command(mut_arg("paths", |arg| arg.value_parser(clap::value_parser!(u64)).help(
        "End after this many paths; 0 runs the inputs of --corpus alone. Without --budget there is then no time limit, \
         so that runs can be repeated exactly")))]
    #[command(mut_arg("out", |arg| arg.help(
        "Directory for result.json, report.html, lcov.info, the inputs as raw bytes (corpus) and the program as it was \
         run [default: pessimum-out/NAME, the module's name]")))]
    #[command(mut_arg("emit", |arg| arg.help(
        "Write the suite as tests that assert how each input ends and what it returns, each as cover_test.KIND into \
         --out")))]
    #[command(mut_arg("junit", |arg| arg.help(
        "Write the inputs that trap, and the verdict of --fail-under, as JUnit XML, which CI systems show as tests")))]
    #[command(mut_arg("sarif", |arg| arg.help("Write the same as SARIF, which code hosts show beside the source line")))]
    #[command(after_help = examples::COVER)]
    Cover(Box<CoverFlags>),
    /// Search for a small suite of tests, each a sequence of calls, that takes every branch
    ///
    /// Where a single call is not a test because state lives in objects: tests make objects, call functions on them one
    /// after the other, and assert the numbers that come back.
    #[command(mut_arg("budget", |arg| arg.help(
        "Time for everything, as in 500ms, 60s, 5m, 1h; `none` for no limit [default: 60s, or none with --paths]")))]
    #[command(after_help = examples::SUITE)]
    Suite(Box<SuiteFlags>),
    /// Compare the worst case of two versions of a program
    ///
    /// A and B are each a module, a source file or a Rust package as it is now, or as it was in a revision of this
    /// repository: `HEAD~3:sort.c`, or `HEAD~3` for the program that the other side or --program names. Revisions are taken
    /// out of the repository into a place of their own; the working tree is not touched.
    ///
    /// Each side gets half of the budget and the same seed. Each one's worst input is also run on the other, so that a
    /// search without luck does not make a version look good.
    #[command(mut_args(of_two))]
    #[command(after_help = examples::COMPARE)]
    Compare(Box<CompareFlags>),
    /// Run every target of pessimum.toml and say which of them are above their limits
    ///
    /// The file is looked for in the current directory and those above it, up to the root of the repository. It is a list of
    /// command lines of `worst` and `curve`, options of compilers included: one that you did not write deserves a look with
    /// --list.
    #[command(after_help = examples::CHECK)]
    Check(CheckFlags),
    /// Write a pessimum.toml for the programs of a directory
    ///
    /// Sources are compiled with the machine's compilers, to see which functions they have. An existing file is never
    /// overwritten.
    #[command(after_help = examples::INIT)]
    Init(InitFlags),
    /// Visit every feasible path: how many there are, the longest and the shortest
    #[command(after_help = examples::PATHS)]
    Paths(Box<PathsFlags>),
    /// Run a saved worst input again and show where its cost is
    #[command(after_help = examples::REPLAY)]
    Replay(ReplayFlags),
    /// Make a saved worst input simpler at the same cost
    #[command(after_help = examples::SHRINK)]
    Shrink(ShrinkFlags),
    /// Make report.html again from what `worst` or `curve` left behind
    #[command(after_help = examples::REPORT)]
    Report(ReportFlags),
    /// Show what a module offers, needs and contains
    #[command(after_help = examples::INSPECT)]
    Inspect(InspectFlags),
    /// Print completions for a shell
    #[command(after_help = examples::COMPLETIONS)]
    Completions(CompletionsFlags),
    /// Print a man page
    #[command(after_help = examples::MAN)]
    Man(ManFlags),
}

impl Command {
    /// The files for verdicts: --junit and --sarif.
    pub fn verdicts(&self) -> Files<'_> {
        match self {
            Command::Worst(flags) => flags.results.verdicts(),
            Command::Curve(flags) => flags.worst.results.verdicts(),
            Command::Pattern(flags) => flags.curve.worst.results.verdicts(),
            Command::Cover(flags) => flags.results.verdicts(),
            Command::Compare(flags) => flags.worst.results.verdicts(),
            Command::Check(flags) => Files { junit: flags.junit.as_deref(), sarif: flags.sarif.as_deref(), out: None },
            _ => Files::default(),
        }
    }

    /// What is run, where this command line says so itself.
    pub fn subject_mut(&mut self) -> Option<&mut SubjectFlags> {
        match self {
            Command::Run(flags) => Some(&mut flags.subject),
            Command::Worst(flags) => (flags.resume.is_none() && !flags.api.is_given()).then_some(&mut flags.subject),
            Command::Curve(flags) => flags.worst.resume.is_none().then_some(&mut flags.worst.subject),
            Command::Pattern(flags) => flags.curve.worst.resume.is_none().then_some(&mut flags.curve.worst.subject),
            Command::Cover(flags) => {
                flags.subject.covered = true;
                flags.resume.is_none().then_some(&mut flags.subject)
            }
            Command::Paths(flags) => Some(&mut flags.subject),
            _ => None,
        }
    }

    /// The cost that is maximised, where there is one.
    pub fn maximised_mut(&mut self) -> Option<&mut CostFlag> {
        match self {
            Command::Worst(flags) => Some(&mut flags.maximised),
            Command::Curve(flags) => Some(&mut flags.worst.maximised),
            Command::Pattern(flags) => Some(&mut flags.curve.worst.maximised),
            Command::Compare(flags) => Some(&mut flags.worst.maximised),
            Command::Paths(flags) => Some(&mut flags.maximised),
            _ => None,
        }
    }

    /// What is run, also where there are two versions of it.
    fn subject(&self) -> Option<&SubjectFlags> {
        match self {
            Command::Run(flags) => Some(&flags.subject),
            Command::Worst(flags) => Some(&flags.subject),
            Command::Curve(flags) => Some(&flags.worst.subject),
            Command::Pattern(flags) => Some(&flags.curve.worst.subject),
            Command::Cover(flags) => Some(&flags.subject),
            Command::Paths(flags) => Some(&flags.subject),
            Command::Compare(flags) => Some(&flags.worst.subject),
            _ => None,
        }
    }

    /// Whether this command line is about a file of Python.
    pub fn names_python(&self) -> bool {
        let other = match self {
            Command::Compare(flags) => [Some(&flags.other), flags.program.as_ref()],
            _ => [None, None],
        };
        let named = self.subject().map(|subject| &subject.module).into_iter().chain(other.into_iter().flatten());
        named.into_iter().any(|path| is_python(path))
    }

    /// What is wrong with a call that is not for Python, in the words of other flags with mistakes.
    pub fn misread_call(&self) -> Option<String> {
        match self.subject()?.call.as_ref()? {
            CallFlag::Text(text, Some(error)) if !self.names_python() => {
                Some(format!("invalid value '{text}' for '--call <CALL>': {error}"))
            }
            _ => None,
        }
    }

    /// Refuses --api where it means nothing.
    pub fn check_api(&self) -> Result<(), pessimum_languages::Usage> {
        let (api, last_call, is_worst) = match self {
            Command::Worst(flags) => (&flags.api, flags.last_call, true),
            Command::Curve(flags) => (&flags.worst.api, flags.worst.last_call, false),
            Command::Compare(flags) => (&flags.worst.api, flags.worst.last_call, false),
            _ => return Ok(()),
        };
        match (api.is_given(), last_call, is_worst) {
            (true, _, false) => Err(pessimum_languages::Usage(
                "--api is for `pessimum worst` and `pessimum suite`, one size at a time".to_string(),
            )),
            (false, true, _) => {
                Err(pessimum_languages::Usage("--last-call is for sequences of calls: give --api".to_string()))
            }
            _ => Ok(()),
        }
    }

    /// Where `--in` names the code that counts, its instructions are a cost of their own: `weighted`, with a price of one
    /// there and none elsewhere.
    pub fn count_named_code(&mut self) -> Result<(), pessimum_languages::Usage> {
        let (subject, counted) = match self {
            Command::Run(flags) => (&mut flags.subject, &flags.counted),
            Command::Worst(flags) => (&mut flags.subject, &flags.counted),
            Command::Curve(flags) => (&mut flags.worst.subject, &flags.worst.counted),
            Command::Pattern(flags) => (&mut flags.curve.worst.subject, &flags.curve.worst.counted),
            _ => return Ok(()),
        };
        if counted.patterns.is_empty() {
            return Ok(());
        }
        subject.counted = counted.patterns.clone();
        let cost = match self {
            Command::Run(flags) => match &mut flags.cost {
                Some(cost) => cost,
                None => return Ok(()),
            },
            Command::Worst(flags) => &mut flags.maximised.cost,
            Command::Curve(flags) => &mut flags.worst.maximised.cost,
            Command::Pattern(flags) => &mut flags.curve.worst.maximised.cost,
            _ => return Ok(()),
        };
        if !matches!(*cost, CostModel::Instructions | CostModel::Lines | CostModel::Weighted) {
            return Err(pessimum_languages::Usage(format!(
                "--in counts instructions, so it cannot be given with --cost {cost}"
            )));
        }
        *cost = CostModel::Weighted;
        Ok(())
    }
}

#[derive(Debug, Args)]
pub struct CompletionsFlags {
    /// The shell
    pub shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub struct ManFlags {
    /// The command whose page is printed; without it, the page of `pessimum` itself
    #[arg(value_name = "COMMAND", conflicts_with = "out")]
    pub command: Option<String>,

    /// Write the pages of all commands into this directory instead
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct RunFlags {
    #[command(flatten)]
    pub subject: SubjectFlags,

    /// File with the input: JSON, in the form that --json prints, or the bytes themselves where the input is one piece of
    /// bytes; `raw:FILE` where these could be taken for JSON. `-` reads standard input. Without it every number is 0, or
    /// the allowed number nearest to 0, and a program reads what is piped into this command
    #[arg(long, value_name = "FILE")]
    pub input: Option<InputFile>,

    /// Print one JSON object and nothing else
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub counted: InFlag,

    /// Print this cost alone, as a number
    #[arg(long, value_name = "MODEL", value_parser = parse_cost, conflicts_with = "json")]
    pub cost: Option<CostModel>,

    /// Exit with code 3 if the run costs more than this, by --cost or in instructions
    #[arg(long, value_name = "COST")]
    pub fail_above: Option<u64>,

    /// Exit with code 3 unless the run ends so: `returned 5`, `exited: 1`, `trapped: unreachable`, as `cover` writes it
    #[arg(long, value_name = "OUTCOME", conflicts_with = "fail_above")]
    pub expect: Option<String>,

    /// Cut the run after this time, as in 500ms, 60s, 5m, 1h [default: none]
    #[arg(long, value_name = "TIME", value_parser = parse_budget)]
    pub budget: Option<TimeFlag>,
}

#[derive(Clone, Debug, Args)]
pub struct WorstFlags {
    #[command(flatten)]
    pub subject: SubjectFlags,

    #[command(flatten)]
    pub maximised: CostFlag,

    #[command(flatten)]
    pub counted: InFlag,

    #[command(flatten)]
    pub api: ApiFlags,

    /// With --api: only the last call of a sequence counts, and the others prepare it
    #[arg(long)]
    pub last_call: bool,

    /// Which runs to look among for the worst one. By default those that return, if any does, and the worst that traps is
    /// shown beside it
    #[arg(long, value_name = "END")]
    pub end: Option<EndFlag>,

    #[command(flatten)]
    pub search: SearchFlags,

    /// How to search
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = strategy_names(Purpose::Cost))]
    pub strategy: String,

    #[command(flatten)]
    pub options: StrategyFlags,

    /// File with an input to start from, as for `run`: JSON in the form that --json prints, or raw bytes; may be repeated
    #[arg(long, value_name = "FILE")]
    pub input: Vec<InputFile>,

    #[command(flatten)]
    pub results: ResultFlags,

    /// Continue the search in this directory: the same program, strategy and cost, and what is left of its budget;
    /// --budget and --paths give it a new one. Only this command line says which other files to write
    #[arg(long, value_name = "DIR")]
    pub resume: Option<PathBuf>,

    /// With --resume: run the Python file that the search names. It is not saved, and runs with all your rights
    #[arg(long)]
    pub run_python: bool,

    /// Exit with code 3 if an input that costs more than this is found
    #[arg(long, value_name = "COST")]
    pub fail_above: Option<u64>,
}

impl WorstFlags {
    /// Whether the Python file of a search that is resumed may be run.
    pub fn run_python(&self) -> RunPython {
        RunPython { allowed: self.run_python, python: self.subject.python.clone(), directory: None }
    }
}

#[derive(Debug, Args)]
pub struct PathsFlags {
    #[command(flatten)]
    pub subject: SubjectFlags,

    #[command(flatten)]
    pub maximised: CostFlag,

    #[command(flatten)]
    pub search: SearchFlags,

    /// End after this many paths
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..))]
    pub limit: Option<u64>,

    /// Print one JSON object and nothing else
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct ReplayFlags {
    /// What `pessimum worst` left behind: the directory, or result.json in it
    #[arg(value_name = "DIR|FILE")]
    pub saved: PathBuf,

    /// Only check that the input costs no more than when it was saved: exit with code 3 if it does. Also takes the
    /// worst_test.json and the cover_test.json that --emit writes
    #[arg(long)]
    pub check: bool,

    /// Run this module or source file instead of the module that was saved beside the result
    #[arg(long, value_name = "FILE")]
    pub module: Option<PathBuf>,

    /// Options for the compiler of the source file after --module, as one string; may be repeated
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true, requires = "module")]
    pub cflags: Vec<String>,

    /// What stands for a type parameter of a Rust function in the source file after --module; may be repeated
    #[arg(long, value_name = "NAME=TYPE", requires = "module")]
    pub with: Vec<String>,

    /// Count the instructions executed in this code: a part of the path of a source file or of the name of a function, `*`
    /// standing for any characters; may be repeated
    #[arg(long = "in", value_name = "PATTERN", conflicts_with = "check")]
    pub counted: Vec<String>,

    #[command(flatten)]
    pub python: PythonFlags,

    /// Cut the run after this time, as in 500ms, 60s, 5m, 1h [default: none]
    #[arg(long, value_name = "TIME", value_parser = parse_budget, conflicts_with = "check")]
    pub budget: Option<TimeFlag>,

    /// Print one JSON object and nothing else
    #[arg(long)]
    pub json: bool,
}

/// What a shorter input keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ShrinkKeep {
    /// The cost itself
    Cost,
    /// The ratio of its cost to the average of random inputs of its size
    Ratio,
}

#[derive(Debug, Args)]
pub struct ShrinkFlags {
    /// What `pessimum worst` left behind: the directory, or result.json in it
    #[arg(value_name = "DIR|FILE")]
    pub saved: PathBuf,

    /// Also look for a smaller --size (or length of --stdin)
    #[arg(long)]
    pub shorter: bool,

    /// What a shorter input has to keep
    #[arg(long, value_name = "WHAT", default_value = "cost", requires = "shorter")]
    pub keep: ShrinkKeep,

    #[command(flatten)]
    pub python: PythonFlags,

    /// Time to spend, as in 500ms, 60s, 5m, 1h; `none` for no limit [default: 5s, or none with --paths]
    #[arg(long, value_name = "TIME", value_parser = parse_budget)]
    pub budget: Option<TimeFlag>,

    /// End after this many runs
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..))]
    pub paths: Option<u64>,

    /// Directory for the simpler input, with the same files as `worst` writes [default: shrunk, beside the result]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,

    /// Print one JSON object and nothing else
    #[arg(long)]
    pub json: bool,
}

/// The words of this process's command line, without the program's name; what is not Unicode in them is replaced.
pub fn own_words() -> Vec<String> {
    std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect()
}

/// A resumed search has its plan from its journal, so only flags that concern this part of it may be given.
fn beside_resume(arg: Arg) -> Arg {
    match arg.get_id().as_str() {
        "resume" | "run_python" | "python" | "budget" | "paths" | "fail_above" | "fail_above_class" | "fail_under"
        | "junit" | "sarif" | "emit" | "json" | "quiet" | "color" | "chart" | "extend" | "max_search_memory"
        | "validate" | "log_queries" => arg,
        "module" => {
            // Some value must be there; the one in the journal replaces it.
            let arg = arg.required(false).required_unless_present("resume");
            arg.default_value_if("resume", ArgPredicate::IsPresent, "resumed").conflicts_with("resume")
        }
        _ => arg.conflicts_with("resume"),
    }
}

#[derive(Debug, Args)]
pub struct ReportFlags {
    /// What `pessimum worst` or `pessimum curve` left behind: the directory
    #[arg(value_name = "DIR")]
    pub saved: PathBuf,

    /// Show only what can be run in this time, as in 500ms, 60s, 5m, 1h [default: none]
    #[arg(long, value_name = "TIME", value_parser = parse_budget)]
    pub budget: Option<TimeFlag>,

    #[command(flatten)]
    pub python: PythonFlags,

    /// Also show source files from below this directory; may be repeated. Without it only those below the current
    /// directory and DIR are shown
    #[arg(long, value_name = "DIR")]
    pub sources: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub struct InspectFlags {
    /// What to inspect: a module (.wasm, .wat), a source file (.c .cpp .rs .zig .ts), which is compiled first with the
    /// machine's compiler, the directory of a Rust package, or a file of Python (.py)
    pub module: PathBuf,

    /// The Python interpreter for a .py file, 3.10 or later [default: that of the active virtual environment, else python3]
    #[arg(long, value_name = "PATH")]
    pub python: Option<PathBuf>,

    /// Options for the compiler of a source file, as one string: `--cflags '-O2 -DN=3'`; may be repeated. For C, source
    /// files among them are compiled and linked too
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    pub cflags: Vec<String>,

    /// What stands for a type parameter of a Rust function: `--with T=u64`, or for a constant one: `--with N=8`. In Rust and
    /// C++, `--with room=20` makes room for so many elements in each collection inside another value; may be repeated
    #[arg(long, value_name = "NAME=TYPE")]
    pub with: Vec<String>,

    /// Print the functions that tests can call one after the other, as declarations for `--api-file`, and nothing else.
    /// What cannot be called is in remarks, with the reason
    #[arg(long, conflicts_with = "json")]
    pub api: bool,

    /// Print one JSON object and nothing else
    #[arg(long)]
    pub json: bool,
}
