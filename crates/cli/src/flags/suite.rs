//! The flags of `pessimum suite`, and of others that make sequences of calls.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use pessimum_input::Declaration;
use pessimum_suites::{DseSettings, SuiteStrategy, WholeSuiteSettings};

use super::cover::parse_per_cent;
use super::{SearchFlags, TimeFlag, parse_budget};

/// Which functions tests may call.
#[derive(Clone, Debug, Default, Args)]
pub struct ApiFlags {
    /// A function that tests may call: `list_new() -> List`, `list_add(List, i32) -> bool`; may be repeated.
    ///
    /// Parameters are those of --call, where n and other sizes belong to one call, and types of handles, whose names begin with
    /// an upper-case letter: what an earlier call returned. `move List` takes the handle away. Results are numbers (i32,
    /// u8, f64, bool, ...), which tests assert, or handles. `auto` stands for the functions that the types of the source
    /// give, which `pessimum inspect FILE --api` shows.
    #[arg(long, value_name = "DECLARATION", value_parser = parse_api)]
    pub api: Vec<ApiFlag>,

    /// File with such declarations, one in each line; lines that begin with # are remarks
    #[arg(long, value_name = "FILE")]
    pub api_file: Option<PathBuf>,

    /// Also pass on what a constructor returned that failed (a null pointer). By default no call gets one, because most functions
    /// would read what is there, which WebAssembly permits and no other machine does
    #[arg(long)]
    pub null_handles: bool,
}

impl ApiFlags {
    /// Whether there are any.
    pub fn is_given(&self) -> bool {
        !self.api.is_empty() || self.api_file.is_some()
    }
}

/// What `--api` says.
#[derive(Clone, Debug)]
pub enum ApiFlag {
    /// The functions that the source has.
    Auto,
    /// One function.
    Declared(Declaration),
}

fn parse_api(text: &str) -> Result<ApiFlag, String> {
    if text.trim() == "auto" {
        return Ok(ApiFlag::Auto);
    }
    Declaration::parse(text).map(ApiFlag::Declared).map_err(|error| error.to_string())
}

#[derive(Clone, Debug, Args)]
pub struct SuiteFlags {
    /// What to test: a module (.wasm, .wat), a source file (.c .rs), which is compiled first with the machine's compiler, or
    /// the directory of a Rust package
    pub module: PathBuf,

    #[command(flatten)]
    pub api: ApiFlags,

    /// Options for the compiler of a source file, as one string: `--cflags '-O2 -DN=3'`; may be repeated. For C, source
    /// files among them are compiled and linked too
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    pub cflags: Vec<String>,

    /// What stands for a type parameter of a Rust function: `--with T=u64`, or for a constant one: `--with N=8`; may be
    /// repeated
    #[arg(long, value_name = "NAME=TYPE")]
    pub with: Vec<String>,

    /// Whose code counts: part of the path of a source file or of the name of a function, with `*` for any characters;
    /// may be repeated [default: your own sources, not those of libraries]
    #[arg(long = "in", value_name = "PATTERN")]
    pub patterns: Vec<String>,

    #[command(flatten)]
    pub search: SearchFlags,

    /// End after this many executions of tests. Without --budget there is then no time limit, so that runs can be repeated
    /// exactly
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..))]
    pub paths: Option<u64>,

    /// How to search
    #[arg(long, value_name = "NAME", default_value = "auto")]
    pub strategy: SuiteStrategyFlag,

    /// The most calls of a test
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub max_calls: u64,

    /// The longest array or text that a call is passed, as the value of n [default: 16, and `auto` grows some up to 128 where that leads
    /// somewhere]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=65_536))]
    pub max_length: Option<u32>,

    /// Cut a test after this many instructions
    #[arg(long, value_name = "N", default_value_t = 10_000_000)]
    pub max_instructions: u64,

    #[command(flatten)]
    pub genetic: GeneticFlags,

    /// Also count how many small mistakes in the code (a negated branch, another constant) the suite notices
    #[arg(long)]
    pub mutants: bool,

    /// Write the suite as tests in the language of the source, which call the Rust crate or the C functions themselves:
    /// suite_test.rs or suite_test.c in --out. Each is compiled and run before it is written
    #[arg(long)]
    pub emit: bool,

    /// Directory for result.json, lcov.info and the tests [default: pessimum-out/NAME, the module's name]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,

    /// Continue the search in this directory, of the same program: with the tests that it found and what is left of its budget;
    /// --budget and --paths give it a new one. Everything else is as this command line says
    #[arg(long, value_name = "DIR", conflicts_with = "out")]
    pub resume: Option<PathBuf>,

    /// Print one JSON object and nothing else
    #[arg(long)]
    pub json: bool,

    /// Exit with code 3 if the suite covers less than this share of the branches, in per cent
    #[arg(long, value_name = "PERCENT", value_parser = parse_per_cent)]
    pub fail_under: Option<f64>,
}

/// How a suite is searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SuiteStrategyFlag {
    /// An archive with the shortest test for each goal, sequences and values changed towards open goals, our solver
    Auto,
    /// Whole suites as individuals of a genetic search (EvoSuite)
    Ga,
    /// The same with adaptive dynamic symbolic execution (EvoSuite+DSE)
    GaDse,
}

impl SuiteStrategyFlag {
    /// Its name on the command line and in results.
    pub fn name(self) -> &'static str {
        match self {
            SuiteStrategyFlag::Auto => "auto",
            SuiteStrategyFlag::Ga => "ga",
            SuiteStrategyFlag::GaDse => "ga-dse",
        }
    }
}

/// The parameters of the published genetic search; defaults as published.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Genetic search (--strategy ga and ga-dse)")]
pub struct GeneticFlags {
    /// Suites in the population
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(2..=100_000))]
    pub population: Option<u64>,

    /// The probability that two suites are crossed
    #[arg(long, value_name = "P", value_parser = parse_probability)]
    pub crossover: Option<f64>,

    /// The fittest suites, which survive as they are
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=100_000))]
    pub elite: Option<u64>,

    /// How much the fittest is preferred to the average, from 1 to 2
    #[arg(long, value_name = "B", value_parser = parse_bias)]
    pub rank_bias: Option<f64>,

    /// Sigma, the probability that a mutated suite gets a new test
    #[arg(long, value_name = "P", value_parser = parse_probability)]
    pub insertion: Option<f64>,

    /// The most statements of a test
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub max_statements: Option<u64>,

    /// The most tests of a suite
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub max_tests: Option<u64>,

    /// The time of one application of dynamic symbolic execution, 30 s by default
    #[arg(long, value_name = "TIME", value_parser = parse_budget)]
    pub dse_time: Option<TimeFlag>,

    /// The share of the budget that one application may take at most: by default 0.05, the paper's 30 s of 10 minutes
    #[arg(long, value_name = "P", value_parser = parse_probability)]
    pub dse_share: Option<f64>,

    /// P, the probability of an application where one is due
    #[arg(long, value_name = "P", value_parser = parse_probability)]
    pub dse_probability: Option<f64>,

    /// R: P is multiplied by it after success, and divided by it after failure
    #[arg(long, value_name = "R", value_parser = parse_rate)]
    pub dse_rate: Option<f64>,

    /// Keep every test that it finds, not only those that make the suite fitter
    #[arg(long)]
    pub keep_all: bool,

    /// Which conditions it negates
    #[arg(long, value_name = "WHICH", default_value = "one-sided")]
    pub filter: FilterFlag,

    /// Which suites it is applied to
    #[arg(long, value_name = "WHICH", default_value = "best")]
    pub dse_on: DseOnFlag,

    /// What answers its questions
    #[arg(long, value_name = "SOLVER", default_value = "ours")]
    pub solver: SuiteSolverFlag,
}

/// Which conditions dynamic symbolic execution negates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FilterFlag {
    /// Those of branches that the suite has taken one way only
    OneSided,
    /// All
    None,
}

/// Which suites dynamic symbolic execution is applied to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DseOnFlag {
    /// The best one
    Best,
    /// Every one
    All,
}

/// The solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SuiteSolverFlag {
    /// All layers of ours
    Ours,
    /// The alternating variable method alone, as published
    Avm,
}

impl SuiteFlags {
    /// The strategy with its parameters.
    pub fn chosen(&self) -> SuiteStrategy {
        let usual = WholeSuiteSettings::default();
        let flags = &self.genetic;
        let number = |given: Option<u64>, usual: usize| given.map_or(usual, |given| given as usize);
        let genetic = |dse: Option<DseSettings>| {
            SuiteStrategy::WholeSuite(WholeSuiteSettings {
                population: number(flags.population, usual.population),
                crossover: flags.crossover.unwrap_or(usual.crossover),
                elite: number(flags.elite, usual.elite),
                rank_bias: flags.rank_bias.unwrap_or(usual.rank_bias),
                insertion: flags.insertion.unwrap_or(usual.insertion),
                most_statements: number(flags.max_statements, usual.most_statements),
                most_tests: number(flags.max_tests, usual.most_tests),
                dse,
                ..usual.clone()
            })
        };
        match self.strategy {
            SuiteStrategyFlag::Auto => SuiteStrategy::default(),
            SuiteStrategyFlag::Ga => genetic(None),
            SuiteStrategyFlag::GaDse => {
                let usual = DseSettings::default();
                genetic(Some(DseSettings {
                    time: match flags.dse_time {
                        Some(TimeFlag(time)) => time.unwrap_or(Duration::MAX),
                        None => usual.time,
                    },
                    share: flags.dse_share.unwrap_or(usual.share),
                    keep_all: flags.keep_all,
                    filter: flags.filter == FilterFlag::OneSided,
                    probability: flags.dse_probability.unwrap_or(usual.probability),
                    rate: flags.dse_rate.unwrap_or(usual.rate),
                    to_all: flags.dse_on == DseOnFlag::All,
                    ..usual
                }))
            }
        }
    }
}

fn parse_between(text: &str, least: f64, most: f64) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(number) if (least..=most).contains(&number) => Ok(number),
        _ => Err(format!("expected a number from {least} to {most}")),
    }
}

fn parse_probability(text: &str) -> Result<f64, String> {
    parse_between(text, 0.0, 1.0)
}

fn parse_bias(text: &str) -> Result<f64, String> {
    parse_between(text, 1.0, 2.0)
}

fn parse_rate(text: &str) -> Result<f64, String> {
    parse_between(text, 1.0, 1000.0)
}
