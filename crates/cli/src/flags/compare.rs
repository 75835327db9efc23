//! The flags of `compare`.

use std::path::PathBuf;

use clap::{Arg, Args};
use pessimum_report::class::Class;

use super::curve::parse_curve_sizes;
use super::{CurveSizes, WorstFlags};

#[derive(Clone, Debug, Args)]
pub struct CompareFlags {
    #[command(flatten)]
    pub worst: WorstFlags,

    /// The new version, in the same words
    #[arg(value_name = "B")]
    pub other: PathBuf,

    /// The program inside of both versions, where these are revisions or directories: `compare v1.0 v2.0 --program
    /// crates/sort`
    #[arg(long, value_name = "PATH")]
    pub program: Option<PathBuf>,

    /// Compare at several sizes, with the class of each side: 8,16,32, or 8..500, or 10..50:5, as for `curve`
    #[arg(long, value_name = "SIZES", value_parser = parse_curve_sizes, allow_hyphen_values = true)]
    #[arg(conflicts_with_all = ["size", "input", "corpus"])]
    pub sizes: Option<CurveSizes>,

    /// Exit with code 3 if the worst case of B costs more than this many times that of A, at any size: 1.05
    #[arg(long, value_name = "RATIO", value_parser = parse_ratio)]
    pub fail_above_ratio: Option<f64>,

    /// Exit with code 3 if the worst case of B grows faster than this class, or with `same` than that of A; with code 1 if
    /// the data is not conclusive
    #[arg(long, value_name = "CLASS", value_parser = parse_class_limit, requires = "sizes")]
    pub fail_above_class: Option<ClassLimit>,
}

/// How fast the worst case of B may grow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ClassLimit {
    /// Like that of A.
    Same,
    /// Like this.
    Class(Class),
}

/// The flags of `worst` that make no sense for two programs at once are refused and not shown.
pub fn of_two(arg: Arg) -> Arg {
    match arg.get_id().as_str() {
        "module" => {
            arg.value_name("A").help("The old version: a module, a source file, a Rust package, or REVISION:PATH")
        }
        "resume" | "run_python" | "emit" | "fail_above" | "policy_out" | "policy-out" => {
            arg.hide(true).conflicts_with("other")
        }
        "paths" => arg.help(
            "End after this many paths, half of them for each side; with --sizes, at each size. Without --budget there \
             is then no time limit, so that runs can be repeated exactly",
        ),
        "budget" => arg.help(
            "Time for everything, half of it for each side, as in 500ms, 60s, 5m, 1h; `none` for no limit [default: \
             60s, or none with --paths]",
        ),
        "out" => arg.help(
            "Directory for compare.json and, in `a` and `b`, what `worst` or `curve` writes about each side [default: \
             pessimum-out/compare-NAME, the name of B]",
        ),
        "junit" => arg.help("Write the verdicts of the limits as JUnit XML, which CI systems show as tests"),
        _ => arg,
    }
}

fn parse_ratio(text: &str) -> Result<f64, String> {
    let ratio = text.trim().parse::<f64>().ok().filter(|ratio| ratio.is_finite() && *ratio > 0.0);
    ratio.ok_or_else(|| "expected a number above 0, as in 1.05 (5 % more)".to_string())
}

fn parse_class_limit(text: &str) -> Result<ClassLimit, String> {
    match text.trim() {
        "same" => Ok(ClassLimit::Same),
        text => text.parse().map(ClassLimit::Class).map_err(|error: String| format!("{error}, or `same`")),
    }
}
