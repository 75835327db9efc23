//! What `cover` leaves behind, and the inputs that it starts from.

use std::path::{Path, PathBuf};

use anyhow::{Context, Error, Result, bail};
use pessimum_languages::emit::SuiteTests;
use pessimum_report::cover::{CoverResult, ReachResult, lcov};
use pessimum_report::html::cover_page;
use pessimum_report::text::json_text;
use pessimum_session::Source;
use pessimum_session::cover::{Covered, from_bytes, raw_parts};
use pessimum_session::files::{make_directory_inside, read};
use pessimum_session::plan::SubjectPlan;
use pessimum_session::saved::{RESULT, write_files};
use pessimum_term::Witness;
use serde::Serialize;

use crate::flags::CoverFlags;
use crate::output::{counted, tell};
use crate::subject::json;
use crate::{emit, gate, report};

/// The directory of inputs as raw bytes.
const CORPUS: &str = "corpus";

/// A result with the data to run it again.
#[derive(Serialize)]
pub struct Planned<'a, R: Serialize> {
    /// What was found.
    #[serde(flatten)]
    pub result: &'a R,
    /// What was run.
    pub plan: &'a SubjectPlan,
}

/// Saves a suite and what it covers. Returns the names of what was written, and what could not be saved: one failure is
/// no reason to leave out the rest.
pub fn save(
    flags: &CoverFlags,
    source: &Source,
    covered: &Covered,
    result: &CoverResult,
    directory: &Path,
) -> (Vec<PathBuf>, Vec<Error>) {
    let (mut written, mut failed) = (Vec::new(), Vec::new());
    let mut keep = |files: Result<Vec<PathBuf>>| match files {
        Ok(files) => written.extend(files),
        Err(error) => failed.push(error),
    };
    keep(save_result(source, result, directory));
    let tracefile = lcov(&result.coverage);
    if !tracefile.is_empty() {
        let files = [("lcov.info".to_string(), tracefile.into_bytes())];
        keep(write_files(directory, &files).map_err(Error::from));
    }
    let names = result.coverage.files.iter().filter_map(|file| file.file.as_deref()).collect();
    let places = [report::directory_of_module(&result.module)];
    let sources = report::sources(names, Path::new(&result.module), &places);
    let page = [(report::FILE.to_string(), cover_page(result, &sources).into_bytes())];
    keep(write_files(directory, &page).map_err(Error::from));
    keep(save_corpus(covered, directory));
    keep(gate::of_cover(flags, result).map(|()| Vec::new()));
    let (tests, impossible) = emit::emit_suite(flags, source, &SuiteTests::of(result), directory);
    written.extend(tests);
    failed.extend(impossible);
    (written, failed)
}

/// Saves the input that reaches a place.
pub fn save_reached(
    source: &Source,
    covered: &Covered,
    result: &ReachResult,
    directory: &Path,
) -> (Vec<PathBuf>, Vec<Error>) {
    let (mut written, mut failed) = (Vec::new(), Vec::new());
    for files in [save_result(source, result, directory), save_corpus(covered, directory)] {
        match files {
            Ok(files) => written.extend(files),
            Err(error) => failed.push(error),
        }
    }
    (written, failed)
}

/// Writes the result.
fn save_result(source: &Source, result: &impl Serialize, directory: &Path) -> Result<Vec<PathBuf>> {
    let text = json_text(&Planned { result, plan: source.plan() }).context("JSON")?;
    Ok(write_files(directory, &[(RESULT.to_string(), text.into_bytes())])?)
}

/// Writes the inputs of the suite as raw bytes, one file each; where an input has several parts, one file per part.
/// libFuzzer and AFL++ take such a directory as it is. Nothing is written for inputs that are not bytes.
fn save_corpus(covered: &Covered, directory: &Path) -> Result<Vec<PathBuf>> {
    forget_corpus(&directory.join(CORPUS))?;
    let mut files = Vec::new();
    for (number, covering) in (1..).zip(&covered.suite) {
        let parts = raw_parts(covered.at[covering.at].program.plan(), &covering.input);
        let alone = parts.len() == 1;
        for (name, bytes) in parts {
            let name = if alone { String::new() } else { format!("-{name}") };
            files.push((format!("input-{number:03}{name}.bin"), bytes));
        }
    }
    if files.is_empty() {
        return Ok(Vec::new());
    }
    let corpus = make_directory_inside(directory, CORPUS)?;
    write_files(&corpus, &files)?;
    Ok(vec![PathBuf::from(format!("{CORPUS}/"))])
}

/// Removes what an earlier search left in a corpus; files of others stay.
fn forget_corpus(corpus: &Path) -> Result<()> {
    let Ok(listed) = std::fs::read_dir(corpus) else { return Ok(()) };
    for entry in listed {
        let entry = entry.with_context(|| corpus.display().to_string())?;
        let name = entry.file_name();
        let is_ours = name.to_str().is_some_and(|name| {
            let number = name.strip_prefix("input-").and_then(|rest| rest.strip_suffix(".bin"));
            number.is_some_and(|number| number.starts_with(|c: char| c.is_ascii_digit()))
        });
        if is_ours {
            std::fs::remove_file(entry.path()).with_context(|| entry.path().display().to_string())?;
        }
    }
    Ok(())
}

/// The inputs in a directory, each with the index of the size that it belongs to. JSON files have the form of `--input`;
/// all others are raw bytes, for the largest size that has no more of them, or the smallest size of all.
pub fn corpus(directory: &Path, source: &Source, sizes: &[Option<u64>]) -> Result<Vec<(usize, Witness)>> {
    let listed = std::fs::read_dir(directory).with_context(|| format!("--corpus {}", directory.display()))?;
    let mut paths = Vec::new();
    for entry in listed {
        let path = entry.with_context(|| directory.display().to_string())?.path();
        if path.is_file() {
            paths.push(path);
        }
    }
    // The order of a directory differs from one machine to the next.
    paths.sort_unstable();
    let plans = sizes.iter().map(|&size| Ok(source.input(size)?)).collect::<Result<Vec<_>>>()?;
    let (mut inputs, mut cut) = (Vec::new(), 0);
    for path in &paths {
        let bytes = read(path)?;
        if path.extension().is_some_and(|extension| extension == "json")
            && let Ok(value) = json(&bytes, path)
        {
            let fits = (0..).zip(&plans).find_map(|(at, plan)| {
                let (input, _) = plan.decode(&value).ok()?;
                Some((at, input))
            });
            let Some(fits) = fits else {
                let why = plans.last().and_then(|plan| plan.decode(&value).err());
                bail!("{}: {}", path.display(), why.map_or("no size".to_string(), |why| why.to_string()));
            };
            inputs.push(fits);
            continue;
        }
        let made: Option<Vec<_>> = plans.iter().map(|plan| from_bytes(plan, &bytes)).collect();
        let Some(mut made) = made else {
            bail!(
                "{}: raw bytes are for programs with one part of bytes (--stdin, one str or u8 array); use JSON files here",
                path.display()
            );
        };
        let at = made.iter().rposition(|(_, length)| *length <= bytes.len()).unwrap_or(0);
        cut += u64::from(made[at].1 < bytes.len());
        inputs.push((at, made.swap_remove(at).0));
    }
    if cut > 0 {
        let inputs = counted(cut, "input is", "inputs are");
        tell(&format!("note: --corpus {}: {inputs} longer than the size they belong to, and cut", directory.display()));
    }
    if inputs.is_empty() {
        bail!("--corpus {}: no files", directory.display());
    }
    Ok(inputs)
}
