//! What benches that run `pessimum` on the programs of a list have in common: their words, and how they go through the list.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use pessimum_session::parse_time;
use tempfile::TempDir;

/// Which programs, and where to.
#[derive(Clone, Debug, Args)]
pub struct Programs {
    /// Only what has one of these words in its name
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,

    /// The command, if it is another build than the one in target/release
    #[arg(long, value_name = "FILE")]
    pessimum: Option<PathBuf>,

    /// Keep everything that is found in this directory
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Programs {
    /// Whether one of this name is wanted.
    pub fn wants(&self, name: &str) -> bool {
        self.names.is_empty() || self.names.iter().any(|word| name.contains(word.as_str()))
    }

    /// The command, which must be there.
    pub fn command(&self) -> Result<PathBuf, String> {
        let command = self.pessimum.clone().unwrap_or_else(|| root().join("target/release/pessimum"));
        match command.canonicalize() {
            Ok(command) => Ok(command),
            Err(_) => Err(format!("{}: not there; `cargo build --release -p pessimum` makes it", command.display())),
        }
    }

    /// The directory for what is found, which is removed with the second part if nobody asked for it. Its path is whole, because
    /// programs are run in other directories than this one.
    pub fn place(&self) -> Result<(PathBuf, Option<TempDir>), String> {
        let Some(out) = &self.out else {
            let scratch = tempfile::tempdir().map_err(|error| error.to_string())?;
            return Ok((scratch.path().to_path_buf(), Some(scratch)));
        };
        let made = std::fs::create_dir_all(out).and_then(|()| out.canonicalize());
        Ok((made.map_err(|error| format!("{}: {error}", out.display()))?, None))
    }
}

/// The root of the repository.
pub fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// A time with its unit.
pub fn time(text: &str) -> Result<Duration, String> {
    let time = parse_time(text).filter(|time| !time.is_zero());
    time.ok_or("expected a time with its unit (500ms, 60s, 5m, 1h)".to_string())
}

/// A limit on time; none inside for `none`.
#[derive(Clone, Copy, Debug)]
pub struct Limit(pub Option<Duration>);

/// A time with its unit, or `none`.
pub fn limit(text: &str) -> Result<Limit, String> {
    if text == "none" {
        return Ok(Limit(None));
    }
    let time = parse_time(text).ok_or("expected a time with its unit (500ms, 60s, 5m, 1h), or `none`")?;
    Ok(Limit(Some(time)))
}

/// Makes a row for each program, prints it as soon as it is there, and notes why there is none.
pub fn rows<P, R>(
    programs: &[P],
    left_out: &mut BTreeSet<String>,
    mut row: impl FnMut(&P, &mut BTreeSet<String>) -> Result<R, String>,
    line: fn(&R) -> String,
) -> Vec<R> {
    let mut rows = Vec::new();
    for program in programs {
        match row(program, left_out) {
            Ok(row) => {
                println!("{}", line(&row));
                let _ = std::io::stdout().flush();
                rows.push(row);
            }
            Err(reason) => {
                left_out.insert(reason);
            }
        }
    }
    println!();
    rows
}

/// The one in the middle, of an even number the worse one: what one run with any seed can expect. None of nothing.
pub fn median<T, K: Ord>(mut values: Vec<T>, key: fn(&T) -> K) -> Option<T> {
    values.sort_by_key(key);
    let middle = values.len().saturating_sub(1) / 2;
    values.into_iter().nth(middle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_time_is_named() {
        assert_eq!((time("0.5s"), time("2m")), (Ok(Duration::from_millis(500)), Ok(Duration::from_secs(120))));
        for wrong in ["", "0", "0s", "-1s", "NaNs", "5"] {
            assert!(time(wrong).is_err_and(|why| why.contains("expected a time")), "{wrong}");
        }
    }

    #[test]
    fn the_median_of_four_is_the_second_worst() {
        let middle = |values: &[u64]| median(values.to_vec(), |&value| value);
        assert_eq!((middle(&[4, 1, 3, 2]), middle(&[5]), middle(&[])), (Some(2), Some(5), None));
    }
}
