//! This command, started once more for one search of several.
//!
//! Each search has a process of its own, so that every flag means what it means for `worst` and `curve`, and what happens
//! to one of them (a full memory, a crash) does not happen to the others. What it found is read from its directory.

use std::any::TypeId;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use clap::parser::ValueSource;
use clap::{ArgAction, ArgMatches};

use crate::EXIT_FAILED;
use crate::flags::InputFile;

/// How a process ended.
pub struct Ended {
    /// Its exit code; that of a failure where a signal ended it.
    pub code: u8,
    /// What it told, if that was kept; otherwise the user has seen it.
    pub told: String,
}

/// Runs this command with these words, in this directory or the current one. What it tells on standard error is kept or
/// shown.
pub fn run(words: &[OsString], directory: Option<&Path>, is_kept: bool) -> Result<Ended> {
    let this = std::env::current_exe().context("the program that is running")?;
    let mut command = Command::new(&this);
    command.args(words).stdin(Stdio::null()).stdout(Stdio::null());
    if let Some(directory) = directory.filter(|directory| *directory != Path::new(".")) {
        let directory = std::fs::canonicalize(directory).with_context(|| directory.display().to_string())?;
        command.current_dir(&directory);
        // Compilers say where they ran by this variable, if it names the same directory.
        command.env("PWD", directory);
    }
    if is_kept {
        command.stderr(Stdio::piped());
    }
    let output =
        command.spawn().and_then(|child| child.wait_with_output()).with_context(|| this.display().to_string())?;
    let mut told = String::from_utf8_lossy(&output.stderr).trim_end().to_string();
    let code = match output.status.code() {
        Some(code) => u8::try_from(code).unwrap_or(EXIT_FAILED),
        None => {
            told += &format!("pessimum: ended by a signal ({})", output.status);
            EXIT_FAILED
        }
    };
    Ok(Ended { code, told })
}

/// A flag with its value as a word of a command line.
pub fn flag(name: &str, value: impl AsRef<OsStr>) -> OsString {
    let mut word = OsString::from(format!("--{name}="));
    word.push(value);
    word
}

/// The flags that were given, as words again, without some of them. Names of files are made absolute, where the words are
/// for another directory than this one.
pub fn given(command: &clap::Command, matches: &ArgMatches, without: &[&str], here: Option<&Path>) -> Vec<OsString> {
    let mut words = Vec::new();
    for arg in command.get_arguments() {
        let (id, Some(name)) = (arg.get_id().as_str(), arg.get_long()) else { continue };
        let is_given = matches!(matches.try_contains_id(id), Ok(true))
            && matches.value_source(id) == Some(ValueSource::CommandLine);
        if !is_given || without.contains(&id) {
            continue;
        }
        if matches!(arg.get_action(), ArgAction::SetTrue) {
            words.push(format!("--{name}").into());
            continue;
        }
        let is_path = arg.get_value_parser().type_id() == TypeId::of::<PathBuf>();
        for value in matches.get_raw(id).into_iter().flatten() {
            words.push(match here {
                Some(here) if is_path => flag(name, here.join(value)),
                Some(here) if name == "file" => flag(name, absolute_copy(value, here)),
                Some(here) if name == "input" => flag(name, InputFile::from(value.to_os_string()).absolute(here)),
                _ => flag(name, value),
            });
        }
    }
    words
}

/// `NAME=PATH` with an absolute path; anything else as it is.
fn absolute_copy(value: &OsStr, here: &Path) -> OsString {
    match value.to_str().and_then(|text| text.find(['=', ':']).map(|at| (text, at))) {
        Some((text, at)) if text.as_bytes()[at] == b'=' => {
            let mut copy = OsString::from(&text[..=at]);
            copy.push(here.join(&text[at + 1..]));
            copy
        }
        _ => value.to_os_string(),
    }
}
