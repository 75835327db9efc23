//! `pessimum.toml`: targets, each of which is a command line of `worst` or `curve` in other words.
//!
//! A key is the name of a flag, so every flag can be used, and a value is checked by the parser of the command line.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use clap::{ArgAction, CommandFactory as _, Parser as _};
use pessimum_session::names::nearest;
use toml::de::{DeTable, DeValue};

use crate::flags::{Arguments, Command};

/// The file's name.
pub const NAME: &str = "pessimum.toml";

/// The directory of results, beside the file.
const OUT: &str = "pessimum-out";

/// Flags that are about one run of the command, and not about the target.
const NOT_HERE: [&str; 11] =
    ["chart", "color", "emit", "help", "json", "junit", "log-queries", "out", "policy-out", "resume", "sarif"];

/// The key for what is run.
const PROGRAM: &str = "program";

/// A file with targets.
pub struct Project {
    /// As it is shown.
    pub path: PathBuf,
    /// Where it is: paths in it start there.
    pub directory: PathBuf,
    /// In the order of the file.
    pub targets: Vec<Target>,
}

/// One thing to search.
pub struct Target {
    pub name: String,
    /// The words of its command line.
    pub words: Vec<String>,
    /// The same, parsed.
    pub command: Command,
}

impl Target {
    /// Where its results are, from the directory of the file.
    pub fn out(&self) -> PathBuf {
        Path::new(OUT).join(&self.name)
    }
}

/// The file of the current directory or of one above it, up to the root of the repository. Outside of a repository only
/// the current directory counts: what is above it may be anybody's.
pub fn find() -> Result<PathBuf> {
    let here = std::env::current_dir().context("the current directory")?;
    let is_root = |directory: &&Path| directory.join(".git").exists();
    let above = if here.ancestors().any(|directory| is_root(&directory)) { usize::MAX } else { 1 };
    let mut shown = PathBuf::new();
    for directory in here.ancestors().take(above) {
        if directory.join(NAME).is_file() {
            return Ok(shown.join(NAME));
        }
        if is_root(&directory) {
            break;
        }
        shown.push("..");
    }
    let above = if above > 1 { " or above it, up to the root of the repository" } else { "" };
    bail!("there is no {NAME} here{above}; `pessimum init` writes one")
}

/// A value and where its key is.
#[derive(Clone)]
struct Entry {
    at: usize,
    items: Vec<String>,
    is_flag: bool,
    is_list: bool,
}

type Entries = BTreeMap<String, Entry>;

impl Project {
    /// Reads a file. Every error names its line.
    pub fn read(path: &Path) -> Result<Project> {
        let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
        let file = Text { path, text: &text };
        let table = DeTable::parse(&text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            file.error(at, error.message())
        })?;
        let mut targets: Vec<(Range<usize>, String, Entries)> = Vec::new();
        let mut defaults = Entries::new();
        for (key, value) in table.get_ref() {
            let (name, span) = (key.get_ref().as_ref(), key.span());
            match (name, value.get_ref()) {
                ("defaults", DeValue::Table(table)) => defaults = file.entries(table)?,
                ("target", DeValue::Table(table)) => {
                    for (key, value) in table {
                        let (name, span) = (key.get_ref().to_string(), key.span());
                        let DeValue::Table(table) = value.get_ref() else {
                            return Err(file.error(span.start, &format!("a target is a table: [target.{name}]")));
                        };
                        targets.push((span, name, file.entries(table)?));
                    }
                }
                ("defaults" | "target", _) => {
                    return Err(
                        file.error(span.start, &format!("`{name}` is a table, as in [defaults] and [target.sort]"))
                    );
                }
                (name, _) => {
                    let hint = match nearest(name, &["defaults", "target"]) {
                        Some(known) => format!("; did you mean `{known}`?"),
                        None => "; there are [defaults] and [target.NAME]".to_string(),
                    };
                    return Err(file.error(span.start, &format!("unknown key `{name}`{hint}")));
                }
            }
        }
        targets.sort_by_key(|(span, ..)| span.start);
        let known = Known::new();
        for (key, entry) in &defaults {
            known.check(&file, key, entry, None)?;
        }
        let mut project = Project { path: path.to_path_buf(), directory: directory(path), targets: Vec::new() };
        for (span, name, own) in targets {
            project.targets.push(known.target(&file, span.start, name, own, &defaults)?);
        }
        if project.targets.is_empty() {
            bail!("{}: there is no target; one is `[target.sort]` with `program = \"sort.c\"`", path.display());
        }
        Ok(project)
    }
}

fn directory(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

/// The text of the file, for errors.
struct Text<'t> {
    path: &'t Path,
    text: &'t str,
}

impl Text<'_> {
    fn error(&self, at: usize, message: &str) -> anyhow::Error {
        let line = 1 + self.text.bytes().take(at).filter(|byte| *byte == b'\n').count();
        anyhow!("{}:{line}: {message}", self.path.display())
    }

    fn entries(&self, table: &DeTable<'_>) -> Result<Entries> {
        let mut entries = Entries::new();
        for (key, value) in table {
            let (name, at) = (key.get_ref().to_string(), key.span().start);
            let entry = match value.get_ref() {
                DeValue::Boolean(given) => Entry { at, items: vec![given.to_string()], is_flag: true, is_list: false },
                DeValue::Array(list) => {
                    let items = list.iter().map(|item| self.scalar(item.get_ref(), &name, at));
                    Entry { at, items: items.collect::<Result<_>>()?, is_flag: false, is_list: true }
                }
                DeValue::Table(table) => {
                    let item = |(key, value): (&toml::Spanned<_>, &toml::Spanned<DeValue<'_>>)| -> Result<String> {
                        let key: &std::borrow::Cow<'_, str> = key.get_ref();
                        Ok(format!("{key}={}", self.scalar(value.get_ref(), &name, at)?))
                    };
                    Entry { at, items: table.iter().map(item).collect::<Result<_>>()?, is_flag: false, is_list: true }
                }
                value => Entry { at, items: vec![self.scalar(value, &name, at)?], is_flag: false, is_list: false },
            };
            entries.insert(name, entry);
        }
        Ok(entries)
    }

    fn scalar(&self, value: &DeValue<'_>, name: &str, at: usize) -> Result<String> {
        match value {
            DeValue::String(text) => Ok(text.to_string()),
            DeValue::Integer(number) if number.radix() == 10 => Ok(number.as_str().replace('_', "")),
            DeValue::Float(number) => Ok(number.as_str().replace('_', "")),
            DeValue::Integer(_) => Err(self.error(at, &format!("`{name}`: write the number with decimal digits"))),
            _ => Err(self.error(at, &format!("`{name}`: expected a text or a number, or a list of them"))),
        }
    }
}

/// The flags that keys can name.
struct Known {
    command: clap::Command,
    keys: Vec<String>,
}

/// The commands that targets can be.
const COMMANDS: [&str; 2] = ["worst", "curve"];

impl Known {
    fn new() -> Known {
        let mut command = Arguments::command();
        command.build();
        let flags = |name: &str| {
            let arguments = command.find_subcommand(name).map(|command| command.get_arguments()).into_iter().flatten();
            arguments.filter_map(|arg| arg.get_long()).map(str::to_string).collect::<Vec<_>>()
        };
        let mut keys: Vec<String> = COMMANDS.into_iter().flat_map(flags).collect();
        keys.retain(|key| !NOT_HERE.contains(&key.as_str()) && key != "quiet");
        keys.push(PROGRAM.to_string());
        keys.sort();
        keys.dedup();
        Known { command, keys }
    }

    fn flag(&self, command: &str, key: &str) -> Option<&clap::Arg> {
        let mut arguments = self.command.find_subcommand(command)?.get_arguments();
        arguments.find(|arg| arg.get_long() == Some(key))
    }

    /// Checks a key and its value by themselves. `target` is its target's name; none for a default.
    fn check(&self, file: &Text<'_>, key: &str, entry: &Entry, target: Option<&str>) -> Result<()> {
        let place = target.map_or("[defaults]".to_string(), |name| format!("[target.{name}]"));
        if !self.keys.iter().any(|known| known == key) {
            if NOT_HERE.contains(&key) || key == "quiet" {
                let message = format!("`{key}` in {place} is for the command line: this file says what is searched");
                return Err(file.error(entry.at, &message));
            }
            let hint = match nearest(key, &self.keys) {
                Some(known) => format!("; did you mean `{known}`?"),
                None => "; keys are the flags of `worst` and `curve`, as in `fail-above`".to_string(),
            };
            return Err(file.error(entry.at, &format!("unknown key `{key}` in {place}{hint}")));
        }
        if key == PROGRAM {
            return match entry.items.len() == 1 && !entry.is_flag {
                true => Ok(()),
                false => Err(file.error(entry.at, "`program` is one path")),
            };
        }
        // By itself, so that what is wrong can be said of its line.
        let command = COMMANDS.into_iter().find(|command| self.flag(command, key).is_some()).unwrap_or(COMMANDS[0]);
        let mut words = vec![command.to_string()];
        if command == "curve" && key != "sizes" {
            words.push("--sizes=1".to_string());
        }
        words.extend(self.words(command, key, entry).map_err(|message| file.error(entry.at, &message))?);
        words.push("program".to_string());
        match parse(&words) {
            Ok(_) => Ok(()),
            Err(message) => Err(file.error(entry.at, &format!("`{key}`: {message}"))),
        }
    }

    /// A key and its value as words of a command line.
    fn words(&self, command: &str, key: &str, entry: &Entry) -> Result<Vec<String>, String> {
        let Some(flag) = self.flag(command, key) else { return Err(format!("`{key}` is not for `{command}`")) };
        let is_switch = matches!(flag.get_action(), ArgAction::SetTrue);
        match (is_switch, entry.is_flag) {
            (true, true) if entry.items == ["true"] => return Ok(vec![format!("--{key}")]),
            (true, true) => return Ok(Vec::new()),
            (true, false) => return Err(format!("`{key}` is `true` or `false`")),
            (false, true) => return Err(format!("`{key}` needs a value, not `{}`", entry.items.join(""))),
            (false, false) => {}
        }
        let is_repeatable = matches!(flag.get_action(), ArgAction::Append);
        Ok(match entry.is_list && !is_repeatable {
            true => vec![format!("--{key}={}", entry.items.join(","))],
            false => entry.items.iter().map(|item| format!("--{key}={item}")).collect(),
        })
    }

    fn target(&self, file: &Text<'_>, at: usize, name: String, own: Entries, defaults: &Entries) -> Result<Target> {
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        if name.is_empty() || name.starts_with('.') || !name.chars().all(plain) {
            let message =
                format!("the name {name:?} is not one for a directory: use letters, digits, `_`, `-` and `.`");
            return Err(file.error(at, &message));
        }
        for (key, entry) in &own {
            self.check(file, key, entry, Some(&name))?;
        }
        let mut entries = own.clone();
        for (key, entry) in defaults {
            // Of two keys that exclude each other, the target's own counts.
            let excluded = match key.as_str() {
                "size" => own.contains_key("sizes"),
                "sizes" => own.contains_key("size"),
                "call" => own.contains_key("entry"),
                "entry" => own.contains_key("call"),
                _ => false,
            };
            if !excluded && !own.contains_key(key) {
                entries.insert(key.clone(), entry.clone());
            }
        }
        let command = if entries.contains_key("sizes") { "curve" } else { "worst" };
        let Some(program) = entries.remove(PROGRAM) else {
            return Err(file.error(at, &format!("[target.{name}] has no `program`")));
        };
        let mut words = vec![command.to_string()];
        for (key, entry) in &entries {
            if self.flag(command, key).is_none() {
                if own.contains_key(key) {
                    let needs = if command == "worst" { "; it needs `sizes`" } else { "" };
                    return Err(file.error(entry.at, &format!("`{key}` is not for one size{needs}")));
                }
                continue;
            }
            words.extend(self.words(command, key, entry).map_err(|message| file.error(entry.at, &message))?);
        }
        words.push(format!("--out={OUT}/{name}"));
        words.push("--".to_string());
        words.extend(program.items);
        match parse(&words) {
            // Which language a call is in depends on the program.
            Ok(command) => match command.misread_call() {
                Some(message) => {
                    let at = entries.get("call").map_or(at, |entry| entry.at);
                    let lines: Vec<&str> = message.lines().map(str::trim).collect();
                    Err(file.error(at, &format!("`call`: {}", lines.join(" "))))
                }
                None => Ok(Target { name, words, command }),
            },
            Err(message) => Err(file.error(at, &format!("[target.{name}]: {message}"))),
        }
    }
}

/// What a command line means; otherwise the first paragraph of what is wrong with it.
fn parse(words: &[String]) -> Result<Command, String> {
    let words = std::iter::once("pessimum").chain(words.iter().map(String::as_str));
    match Arguments::try_parse_from(words) {
        Ok(arguments) => Ok(arguments.command),
        Err(error) => {
            let text = error.render().to_string();
            let first = text.split("\n\n").next().unwrap_or_default();
            let lines: Vec<&str> = first.trim_start_matches("error: ").lines().map(str::trim).collect();
            Err(lines.join(" "))
        }
    }
}
