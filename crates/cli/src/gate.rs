//! `--junit` and `--sarif`: the verdicts of `--fail-above` and `--fail-above-class` for CI systems.

use std::path::Path;

use anyhow::{Context, Result, bail};
use pessimum_report::class::Class;
use pessimum_report::cover::CoverResult;
use pessimum_report::curve::CurveResult;
use pessimum_report::gate::{Gate, Place};
use pessimum_report::grown::Verdict;
use pessimum_report::junit::junit;
use pessimum_report::result::WorstResult;
use pessimum_report::sarif::sarif;
use pessimum_report::text::json_text;
use pessimum_session::growth::directory_of;
use pessimum_session::saved::Saved;

use crate::files::write_atomically;
use crate::flags::{CoverFlags, WorstFlags};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Writes what the flags ask for, for one worst case.
pub fn of_worst(flags: &WorstFlags, result: &WorstResult) -> Result<()> {
    write(flags, &Gate::of_worst(result, flags.fail_above, place(result), VERSION))
}

/// Writes what the flags ask for, for a curve whose points are saved in this directory.
pub fn of_curve(
    flags: &WorstFlags,
    class: Option<Class>,
    (result, known): (&CurveResult, &Verdict),
    directory: &Path,
) -> Result<()> {
    if flags.results.junit.is_none() && flags.results.sarif.is_none() {
        return Ok(());
    }
    let mut places = Vec::new();
    for point in &result.points {
        places.push(place(&Saved::read(&directory.join(directory_of(point.size)))?.result));
    }
    write(flags, &Gate::of_curve(result, known, flags.fail_above, class, places, VERSION))
}

/// The hottest line of a worst run, where its file is at hand.
pub fn place(result: &WorstResult) -> Option<Place> {
    Place::hottest(result, &|file| Path::new(file).is_file())
}

/// Writes what the flags ask for, for a suite.
pub fn of_cover(flags: &CoverFlags, result: &CoverResult) -> Result<()> {
    write_as(
        flags.results.junit.as_deref(),
        flags.results.sarif.as_deref(),
        &Gate::of_cover(result, flags.fail_under, VERSION),
    )
}

fn write(flags: &WorstFlags, gate: &Gate) -> Result<()> {
    write_as(flags.results.junit.as_deref(), flags.results.sarif.as_deref(), gate)
}

/// Writes verdicts as the files that are named.
pub fn write_as(as_junit: Option<&Path>, as_sarif: Option<&Path>, gate: &Gate) -> Result<()> {
    if let Some(path) = as_junit {
        write_file(path, &junit(gate))?;
    }
    if let Some(path) = as_sarif {
        let root = std::env::current_dir().context("the current directory")?;
        let log = json_text(&sarif(gate, &root.display().to_string())).context("JSON")?;
        write_file(path, &log)?;
    }
    Ok(())
}

/// The files for verdicts that a command line names, and the directory of its results.
#[derive(Clone, Copy, Default)]
pub struct Files<'f> {
    pub junit: Option<&'f Path>,
    pub sarif: Option<&'f Path>,
    pub out: Option<&'f Path>,
}

/// Refuses files in directories that do not exist, before anything is searched: a mistyped directory is not to be made.
/// That of the results, and those above it, are made in any case.
pub fn check(files: Files<'_>) -> Result<()> {
    let out = files.out.unwrap_or(Path::new("pessimum-out"));
    for (flag, path) in [("--junit", files.junit), ("--sarif", files.sarif)] {
        let parent = path.and_then(Path::parent).filter(|parent| !parent.as_os_str().is_empty());
        if let (Some(path), Some(parent)) = (path, parent)
            && !parent.is_dir()
            && !out.starts_with(parent)
        {
            bail!("{flag} {}: the directory {} does not exist", path.display(), parent.display());
        }
    }
    Ok(())
}

fn write_file(path: &Path, text: &str) -> Result<()> {
    write_atomically(path, text.as_bytes())
}
