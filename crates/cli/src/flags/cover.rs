//! The flags of `pessimum cover`.

use std::path::PathBuf;

use clap::Args;
use pessimum_search::strategy::Purpose;

use super::strategy::{CoverStrategyFlags, strategy_names};
use super::{ResultFlags, SearchFlags, SubjectFlags};

#[derive(Clone, Debug, Args)]
pub struct CoverFlags {
    #[command(flatten)]
    pub subject: SubjectFlags,

    /// Several sizes instead of --size: 0..16 (ends included), 4,8,12, or 0..64:8 (every 8th). Smaller ones come first
    #[arg(long, value_name = "SIZES", value_parser = parse_sizes, allow_hyphen_values = true)]
    pub sizes: Option<CoverSizes>,

    /// Whose code counts: part of the path of a source file or of the name of a function, with `*` for any characters;
    /// may be repeated [default: your own sources, not those of libraries]
    #[arg(long = "in", value_name = "PATTERN")]
    pub patterns: Vec<String>,

    /// Search for one input that gets there, and end: a source line (FILE:LINE), a function by its name, or `trap`
    #[arg(long, value_name = "PLACE", conflicts_with_all = ["patterns", "fail_under", "emit", "junit", "sarif"])]
    pub reach: Option<String>,

    #[command(flatten)]
    pub search: SearchFlags,

    /// How to search
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = strategy_names(Purpose::Goals))]
    pub strategy: String,

    #[command(flatten)]
    pub options: CoverStrategyFlags,

    #[command(flatten)]
    pub results: ResultFlags,

    /// Exit with code 3 if the suite covers less than this share of the branches, in per cent
    #[arg(long, value_name = "PERCENT", value_parser = parse_per_cent)]
    pub fail_under: Option<f64>,

    /// Continue the search in this directory: the same program, strategy and goals, and what is left of its budget;
    /// --budget and --paths give it a new one. Only this command line says which other files to write
    #[arg(long, value_name = "DIR")]
    pub resume: Option<PathBuf>,

    /// With --resume: run the Python file that the search names. It is not saved, and runs with all your rights
    #[arg(long)]
    pub run_python: bool,

    /// Of `worst` only; known here so that it can be refused with a reason.
    #[arg(long, hide = true, value_parser = refuse_cost)]
    pub cost: Option<String>,
}

fn refuse_cost(_: &str) -> Result<String, String> {
    Err("a suite covers branches, functions and lines, whatever they cost; `pessimum worst` searches for a cost"
        .to_string())
}

/// Sizes of a suite: ascending and distinct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoverSizes(pub Vec<u64>);

/// The most sizes of one suite: each is a search of its own.
const MOST_SIZES: u64 = 256;

fn parse_sizes(text: &str) -> Result<CoverSizes, String> {
    let number = |text: &str| {
        let text = text.trim();
        text.parse::<u64>().map_err(|_| format!("`{text}` is not a size; expected 0..16 or 4,8,12 or 0..64:8"))
    };
    let too_many = || format!("more than {MOST_SIZES} sizes; use a step, as in 0..1000:50");
    let mut sizes: Vec<u64> = match text.split_once("..") {
        None => text.split(',').map(number).collect::<Result<_, _>>()?,
        Some((first, rest)) => {
            let (last, step) = match rest.split_once(':') {
                Some((last, step)) => (last, number(step)?.max(1)),
                None => (rest, 1),
            };
            let (first, last) = (number(first)?, number(last.trim_start_matches('='))?);
            if first > last {
                return Err("expected the smaller size first".to_string());
            }
            if (last - first) / step >= MOST_SIZES {
                return Err(too_many());
            }
            (0..=(last - first) / step).map(|index| first + index * step).collect()
        }
    };
    sizes.sort_unstable();
    sizes.dedup();
    if sizes.len() as u64 > MOST_SIZES { Err(too_many()) } else { Ok(CoverSizes(sizes)) }
}

pub(super) fn parse_per_cent(text: &str) -> Result<f64, String> {
    match text.trim_end_matches('%').trim().parse::<f64>() {
        Ok(share) if (0.0..=100.0).contains(&share) => Ok(share),
        _ => Err("expected a number from 0 to 100".to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_ranges_or_lists() {
        assert_eq!(parse_sizes("0..3").unwrap().0, [0, 1, 2, 3]);
        assert_eq!(parse_sizes("8,2,2").unwrap().0, [2, 8]);
        assert_eq!(parse_sizes("0..=9:4").unwrap().0, [0, 4, 8]);
        for (text, message) in [("3..1", "the smaller size first"), ("x", "not a size"), ("0..9999", "a step")] {
            let error = parse_sizes(text).unwrap_err();
            assert!(error.contains(message), "{text}: {error}");
        }
        assert_eq!(parse_per_cent("80%"), Ok(80.0));
        assert!(parse_per_cent("101").is_err());
    }
}
