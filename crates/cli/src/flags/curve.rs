//! The flags of `pessimum curve`, `pattern` and `generate`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use pessimum_patterns::code::Language;
use pessimum_report::class::Class;
use pessimum_session::growth::MOST_SIZES;

use super::{PythonFlags, WorstFlags};

/// Each size is searched as `worst` would, starting from what smaller sizes taught: `auto` carries evolved policies and
/// the worst input up, `wise` and `spf-wca` apply the policy that they learnt once, `pyse` starts from the weights that it has
/// learnt so far; other strategies start afresh.
#[derive(Clone, Debug, Args)]
pub struct CurveFlags {
    /// The sizes: 8,16,32, or 8..500 (ends included; about 8 sizes, each the same factor larger), or 10..50:5 (every 5th)
    #[arg(long, value_name = "SIZES", value_parser = parse_curve_sizes, allow_hyphen_values = true)]
    pub sizes: Option<CurveSizes>,

    #[command(flatten)]
    pub worst: WorstFlags,

    /// Exit with code 3 if the worst case grows faster than this class (1, log n, n, n log n, n^2, n^1.5, 2^n, n!), and
    /// with code 1 if the data is not conclusive
    #[arg(long, value_name = "CLASS", value_parser = str::parse::<Class>)]
    pub fail_above_class: Option<Class>,

    /// The chart's characters; `auto` is `unicode` on a terminal with UTF-8 and `ascii` elsewhere
    #[arg(long, value_name = "KIND", default_value = "auto")]
    pub chart: ChartFlag,

    /// Afterwards look for a pattern behind the worst inputs and follow it to large sizes, as `pattern` does; half of the
    /// time is for that. --fail-above-class then goes by both
    #[arg(long)]
    pub extend: bool,

    /// Whether patterns are all that is to be shown.
    #[arg(skip)]
    pub only_pattern: bool,
}

#[derive(Clone, Debug, Args)]
pub struct PatternFlags {
    #[command(flatten)]
    pub curve: CurveFlags,
}

#[derive(Debug, Args)]
pub struct GenerateFlags {
    /// What `pessimum pattern` or `pessimum curve --extend` left behind: the directory
    #[arg(value_name = "DIR")]
    pub saved: PathBuf,

    #[command(flatten)]
    pub python: PythonFlags,

    /// The size of the input, or the value where the growth is with a value
    #[arg(long, value_name = "N")]
    pub size: Option<u64>,

    /// Which of several patterns, from 1
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub pattern: u32,

    /// Write JSON, in the form that --input takes, also where the input is bytes
    #[arg(long)]
    pub json: bool,

    /// Write a program that writes the input instead
    #[arg(long, value_name = "LANGUAGE", conflicts_with_all = ["size", "json"])]
    pub code: Option<CodeFlag>,
}

/// The language of a generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CodeFlag {
    Python,
    Rust,
    C,
}

impl From<CodeFlag> for Language {
    fn from(flag: CodeFlag) -> Language {
        match flag {
            CodeFlag::Python => Language::Python,
            CodeFlag::Rust => Language::Rust,
            CodeFlag::C => Language::C,
        }
    }
}

/// How the chart of a curve is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ChartFlag {
    Auto,
    Unicode,
    Ascii,
    None,
}

/// Sizes of a curve: ascending, distinct, from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CurveSizes(pub Vec<u64>);

/// The number of sizes in a range without a step.
const RANGE_SIZES: u64 = 8;

pub(super) fn parse_curve_sizes(text: &str) -> Result<CurveSizes, String> {
    let number = |text: &str| match text.trim().parse::<u64>() {
        Ok(0) => Err("sizes start at 1".to_string()),
        Ok(size) => Ok(size),
        Err(_) => Err(format!("`{}` is not a size; expected 8,16,32 or 8..500 or 10..50:5", text.trim())),
    };
    let mut sizes: Vec<u64> = match text.split_once("..") {
        None => text.split(',').map(number).collect::<Result<_, _>>()?,
        Some((first, rest)) => {
            let (last, step) = match rest.split_once(':') {
                Some((last, step)) => (last, Some(number(step)?)),
                None => (rest, None),
            };
            let (first, last) = (number(first)?, number(last.trim_start_matches('='))?);
            if first > last {
                return Err("expected the smaller size first".to_string());
            }
            match step {
                Some(step) if (last - first) / step >= MOST_SIZES as u64 => {
                    return Err(format!("more than {MOST_SIZES} sizes; use a larger step after the colon"));
                }
                Some(step) => (first..=last).step_by(usize::try_from(step).unwrap_or(usize::MAX)).collect(),
                None if last - first < RANGE_SIZES => (first..=last).collect(),
                None => {
                    let factor = last as f64 / first as f64;
                    let at = |i: u64| first as f64 * factor.powf(i as f64 / (RANGE_SIZES - 1) as f64);
                    (0..RANGE_SIZES).map(|i| at(i).round() as u64).collect()
                }
            }
        }
    };
    sizes.sort_unstable();
    sizes.dedup();
    match sizes.len() > MOST_SIZES {
        true => Err(format!("more than {MOST_SIZES} sizes")),
        false => Ok(CurveSizes(sizes)),
    }
}
