//! What a module is made from, and how to tell that it has changed.
//!
//! Compilers say which files they read, but not which ones they looked for in vain; so that a file is missing is a
//! state like any other, and directories that are searched count with the names in them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::cache::hash;

/// Something that a module depends on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Input {
    /// The contents of a file.
    File(PathBuf),
    /// A file that is too large to be read each time, by its size and times: a compiler.
    Program(PathBuf),
    /// The libraries and object files in a directory, by their names, sizes and times.
    Libraries(PathBuf),
    /// The contents of every file below a directory, for compilers that do not say what they read.
    Tree(PathBuf),
    /// The value of an environment variable.
    Variable(String),
}

/// What [`Input::state`] says about something that is not there.
const ABSENT: &str = "absent";

/// The most files below a directory that are read, and the most bytes in them. Where there are more, nothing is kept.
const TREE_FILES: usize = 5000;
const TREE_BYTES: u64 = 64 << 20;

/// Files by which a directory of our own results is known.
const RESULTS: [&str; 3] = ["result.json", "journal.jsonl", "curve.json"];

/// How far the time that a file system gives to a change may lie behind the clock.
const COARSE_CLOCK: Duration = Duration::from_millis(10);

impl Input {
    /// A text that changes whenever the input does; `None` where that cannot be told.
    pub fn state(&self) -> Option<String> {
        Some(match self {
            Input::File(path) => std::fs::read(path).map_or(ABSENT.to_string(), |bytes| hash(&bytes)),
            Input::Program(path) => stamp(path),
            Input::Libraries(directory) => {
                let files = listed(directory).into_iter().filter(|path| is_library(path));
                hash(&files.map(|path| (stamp(&path), path)).collect::<Vec<_>>())
            }
            Input::Tree(directory) => hash(&tree(directory)?),
            Input::Variable(name) => std::env::var_os(name).map_or(ABSENT.to_string(), |value| hash(&value)),
        })
    }

    /// Whether it was last changed before this moment, as far as the file system tells.
    pub fn is_older(&self, moment: SystemTime) -> bool {
        match self {
            Input::File(path) | Input::Program(path) => is_older(path, moment),
            Input::Libraries(directory) => listed(directory).iter().all(|path| is_older(path, moment)),
            Input::Tree(directory) => {
                tree(directory).is_some_and(|files| files.iter().all(|(path, _)| is_older(path, moment)))
            }
            Input::Variable(_) => true,
        }
    }
}

/// The states of environment variables that exist and are chosen by name.
pub fn variables(chosen: impl Fn(&str) -> bool) -> Vec<Input> {
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    names.filter(|name| chosen(name)).collect::<BTreeSet<_>>().into_iter().map(Input::Variable).collect()
}

/// The real path, size and times of a file.
fn stamp(path: &Path) -> String {
    let Ok(metadata) = path.metadata() else { return ABSENT.to_string() };
    let real = std::fs::canonicalize(path).unwrap_or_default();
    hash(&(real, metadata.len(), metadata.modified().ok()))
}

fn is_older(path: &Path, moment: SystemTime) -> bool {
    match path.metadata() {
        Ok(metadata) => last_change(&metadata).is_some_and(|change| change + COARSE_CLOCK < moment),
        Err(_) => true,
    }
}

/// The later of the times of the last change to contents and to anything else: a file that replaces another keeps the
/// first of them.
#[cfg(unix)]
fn last_change(metadata: &std::fs::Metadata) -> Option<SystemTime> {
    use std::os::unix::fs::MetadataExt as _;
    let seconds = Duration::from_secs(u64::try_from(metadata.ctime()).ok()?);
    let changed = SystemTime::UNIX_EPOCH + seconds + Duration::from_nanos(u64::try_from(metadata.ctime_nsec()).ok()?);
    Some(metadata.modified().ok()?.max(changed))
}

#[cfg(not(unix))]
fn last_change(metadata: &std::fs::Metadata) -> Option<SystemTime> {
    metadata.modified().ok()
}

/// The paths in a directory, in order; none where it does not exist.
fn listed(directory: &Path) -> Vec<PathBuf> {
    let directory = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

fn is_library(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    // A shared library may go on after its ending: libLLVM.so.19.1.
    let versioned = || path.file_name().is_some_and(|name| name.to_string_lossy().contains(".so."));
    matches!(ending, Some("a" | "o" | "so" | "dylib" | "dll" | "lib" | "rlib" | "rmeta" | "imports")) || versioned()
}

/// Paths and hashed contents of the files below a directory; `None` where there are too many. Hidden files, programs
/// that a compiler left there and the results of our own searches are left out, so that a search beside its source does
/// not make the source look new.
fn tree(directory: &Path) -> Option<Vec<(PathBuf, String)>> {
    let (mut files, mut bytes, mut open) = (Vec::new(), 0, vec![directory.to_path_buf()]);
    while let Some(below) = open.pop() {
        if below != directory && RESULTS.iter().any(|name| below.join(name).is_file()) {
            continue;
        }
        for path in listed(&below) {
            let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
            // A link may lead upwards, and so round in circles.
            let Ok(metadata) = path.symlink_metadata() else { continue };
            if hidden || path.file_name().is_some_and(|name| name == "zig-out") {
                continue;
            } else if metadata.is_dir() {
                open.push(path);
            } else {
                bytes += path.metadata().map_or(0, |metadata| metadata.len());
                if files.len() == TREE_FILES || bytes > TREE_BYTES {
                    return None;
                }
                let contents = std::fs::read(&path).map_or(ABSENT.to_string(), |bytes| hash(&bytes));
                files.push((path, contents));
            }
        }
    }
    files.sort();
    Some(files)
}

/// The most lists of options that are read, each of which may name others.
const LISTS: usize = 100;

/// Options with the contents of the files in place of `@FILE`, however deeply nested; and these files.
pub fn expanded(options: &[String]) -> (Vec<String>, Vec<Input>) {
    let (words, lists) = expanded_from(Path::new(""), options);
    (words, lists.into_iter().map(Input::File).collect())
}

/// The same with names as seen from a directory.
fn expanded_from(directory: &Path, options: &[String]) -> (Vec<String>, Vec<PathBuf>) {
    let (mut words, mut files) = (Vec::new(), Vec::new());
    let mut open: Vec<String> = options.iter().rev().cloned().collect();
    while let Some(option) = open.pop() {
        let list = option.strip_prefix('@').map(|name| directory.join(name));
        match list {
            Some(path) if files.len() < LISTS => {
                let text = std::fs::read(&path).unwrap_or_default();
                let text = String::from_utf8_lossy(&text).into_owned();
                // One option for each line (rustc), or words as in a shell (clang): what is read twice does no harm.
                let split = shlex::split(&text).unwrap_or_default();
                let lines = text.lines().map(str::to_string).filter(|line| !split.contains(line));
                open.extend(split.iter().cloned().chain(lines).rev());
                files.push(path);
            }
            _ => words.push(option),
        }
    }
    (words, files)
}

/// The files that options name, and the directories in which they have libraries looked for.
///
/// No option is known by its name here: whatever part of one is the path of a file counts, since too much costs only
/// another run of the compiler, while too little would measure an old module.
pub fn named(options: &[String]) -> Vec<Input> {
    let (words, lists) = expanded(options);
    let mut found: BTreeSet<Input> = lists.into_iter().collect();
    for (i, word) in words.iter().enumerate() {
        for part in parts(word) {
            let path = Path::new(part);
            if path.is_file() {
                found.insert(Input::File(path.to_path_buf()));
            }
        }
        // rustc may say what kind of library is looked for there: `-L native=DIR`.
        let kinds = |directory: &str| directory.rsplit('=').next().unwrap_or_default().to_string();
        let searched = match word.as_str() {
            "-L" | "-B" | "--library-path" | "-Wl,-L" => words.get(i + 1).map(|directory| kinds(directory)),
            _ => ["-L", "-B", "--library-path=", "-Wl,-L,", "-Wl,-L"]
                .iter()
                .filter_map(|start| word.strip_prefix(start).map(kinds))
                .min_by_key(String::len),
        };
        found.extend(searched.map(|directory| Input::Libraries(PathBuf::from(directory))));
    }
    found.into_iter().collect()
}

/// Whatever in an option may be a path.
fn parts(word: &str) -> impl Iterator<Item = &str> {
    let after = |separator| word.split_once(separator).map(|(_, rest)| rest);
    let short = word.get(2..).filter(|_| word.starts_with('-'));
    let parts = [Some(word), after('='), after(':'), short].into_iter().flatten();
    parts.chain(word.split(',')).chain(word.rsplit('=').take(1)).filter(|part| !part.is_empty())
}

/// The relative names in options, as `--cflags` has them, under which there is something in this directory.
pub fn names_from(directory: &Path, options: &[String]) -> BTreeSet<PathBuf> {
    let options: Vec<String> = options.iter().filter_map(|text| shlex::split(text)).flatten().collect();
    let (words, lists) = expanded_from(directory, &options);
    let lists = lists.iter().filter_map(|list| list.strip_prefix(directory).ok());
    let names = words.iter().flat_map(|word| parts(word)).map(Path::new).chain(lists);
    let is_there = |name: &&Path| name.is_relative() && directory.join(name).exists();
    names.filter(is_there).map(Path::to_path_buf).collect()
}

/// What a file in the format of `make` says.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Rule {
    /// The files after the colon of the first rule.
    pub files: Vec<PathBuf>,
    /// Environment variables that were read, as rustc notes them in comments.
    pub variables: Vec<String>,
}

impl Rule {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Rule> {
        Ok(Rule::parse(&std::fs::read_to_string(path).with_context(|| path.display().to_string())?))
    }

    /// Reads what a compiler printed.
    pub fn parse(text: &str) -> Rule {
        let variables = text.lines().filter_map(|line| line.strip_prefix("# env-dep:"));
        let variables = variables.map(|line| line.split_once('=').map_or(line, |(name, _)| name).to_string()).collect();
        let text = text.replace("\\\r\n", " ").replace("\\\n", " ");
        let rule = text.lines().next().unwrap_or_default();
        // The target may contain a colon too, but not one followed by a space.
        let files = rule.split_once(": ").map_or("", |(_, files)| files);
        let (mut found, mut file) = (Vec::new(), String::new());
        let mut characters = files.chars().peekable();
        while let Some(c) = characters.next() {
            match c {
                '\\' if characters.peek().is_some_and(|next| matches!(next, ' ' | '#' | '\\')) => {
                    file.extend(characters.next());
                }
                '$' if characters.peek() == Some(&'$') => file.extend(characters.next()),
                c if c.is_whitespace() => {
                    if !file.is_empty() {
                        found.push(PathBuf::from(std::mem::take(&mut file)));
                    }
                }
                c => file.push(c),
            }
        }
        if !file.is_empty() {
            found.push(PathBuf::from(file));
        }
        Rule { files: found, variables }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_of_make_name_files_and_variables() {
        let text = "c:x.o: a\\ b.c \\\n  c$$d.h e\\#f.h\n\nother: g.h\n\n# env-dep:HOME=/root\n# env-dep:UNSET\n";
        let rule = Rule::parse(text);
        assert_eq!(rule.files, ["a b.c", "c$d.h", "e#f.h"].map(PathBuf::from));
        assert_eq!(rule.variables, ["HOME", "UNSET"]);
    }

    #[test]
    fn options_name_files_and_directories() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        let shown = |name: &str| path(name).display().to_string();
        for file in ["g.o", "x.syms", "libx.rlib", "inner", "outer"] {
            std::fs::write(path(file), "").unwrap();
        }
        std::fs::write(path("inner"), shown("g.o")).unwrap();
        std::fs::write(path("outer"), format!("-DX @{}", shown("inner"))).unwrap();
        let options = [
            format!("@{}", shown("outer")),
            format!("-Wl,--allow-undefined-file={}", shown("x.syms")),
            format!("--extern=x={}", shown("libx.rlib")),
            "-L".to_string(),
            "native=libs".to_string(),
            "-Lmore".to_string(),
            "-DX=1".to_string(),
        ];
        let mut expected: Vec<Input> =
            ["g.o", "x.syms", "libx.rlib", "inner", "outer"].iter().map(|file| Input::File(path(file))).collect();
        expected.extend(["libs", "more"].map(|name| Input::Libraries(PathBuf::from(name))));
        expected.sort();
        assert_eq!(named(&options), expected);
        // A list that names itself comes to an end.
        std::fs::write(path("inner"), format!("@{}", shown("inner"))).unwrap();
        assert!(named(&options).contains(&Input::File(path("inner"))));
    }

    #[test]
    fn a_state_changes_with_its_input() {
        let directory = tempfile::tempdir().unwrap();
        let (file, library) = (directory.path().join("a.h"), directory.path().join("lib/libx.a"));
        let inputs = [
            Input::File(file.clone()),
            Input::Program(file.clone()),
            Input::Libraries(directory.path().join("lib")),
            Input::Tree(directory.path().to_path_buf()),
        ];
        let states = || inputs.each_ref().map(|input| input.state().unwrap());
        let nothing = states();
        assert_eq!(nothing, states());
        std::fs::write(&file, "1").unwrap();
        std::fs::create_dir(directory.path().join("lib")).unwrap();
        std::fs::write(&library, "1").unwrap();
        let first = states();
        std::fs::write(&file, "22").unwrap();
        std::fs::write(&library, "22").unwrap();
        let second = states();
        for i in 0..inputs.len() {
            assert_ne!(nothing[i], first[i], "{:?}", inputs[i]);
            assert_ne!(first[i], second[i], "{:?}", inputs[i]);
        }
        // What a search leaves behind is no source.
        std::fs::create_dir(directory.path().join("out")).unwrap();
        std::fs::write(directory.path().join("out/result.json"), "{}").unwrap();
        assert_eq!(states()[3], second[3]);
    }
}
