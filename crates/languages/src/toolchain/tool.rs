//! Finding and running programs on this machine.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use anyhow::{Context, Result, bail};
use pessimum_python::programs::{self, find};
use pessimum_report::text::{command_line, printable_lines};

use super::inputs::Input;

/// What is wrong with text that cannot be split into words the way a shell does.
pub const UNCLOSED: &str = "a quote is not closed, or nothing follows the last backslash";

/// A compiler: a program, with the words that make it one (`python3 -m ziglang`).
#[derive(Clone, Debug)]
pub struct Tool {
    program: PathBuf,
    arguments: Vec<String>,
    /// What it says about itself.
    pub version: String,
    /// The files that it consists of, as far as they are known: the program may be a script that starts another.
    pub parts: Vec<Input>,
}

impl Tool {
    /// The compiler that an environment variable names, if it is set. Such a compiler must work.
    pub fn from_environment(variable: &str, version: &[&str]) -> Result<Option<Tool>> {
        let Ok(text) = std::env::var(variable) else { return Ok(None) };
        if text.trim().is_empty() {
            return Ok(None);
        }
        let words = shlex::split(&text).with_context(|| format!("{variable}={text}: {UNCLOSED}"))?;
        let (program, arguments) = words.split_first().with_context(|| format!("{variable} is empty"))?;
        let tool = find(program).and_then(|program| Tool::new(program, arguments, version));
        match tool {
            Some(tool) => Ok(Some(tool)),
            None => bail!("{variable}={text}: there is no such compiler, or it does not run"),
        }
    }

    /// A program by name, searched for in PATH, or by path.
    pub fn named(name: &str, arguments: &[&str], version: &[&str]) -> Option<Tool> {
        let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        Tool::new(find(name)?, &arguments, version)
    }

    /// `None` where it does not print its version, which means that it does not work.
    fn new(program: PathBuf, arguments: &[String], version: &[&str]) -> Option<Tool> {
        let parts = vec![Input::Program(program.clone())];
        let mut tool = Tool { program, arguments: arguments.to_vec(), version: String::new(), parts };
        tool.version = tool.says(version)?;
        Some(tool)
    }

    /// The directory in which the program really is, behind all links.
    pub fn home(&self) -> Option<PathBuf> {
        Some(std::fs::canonicalize(&self.program).ok()?.parent()?.to_path_buf())
    }

    /// The command, to which arguments can be added.
    pub fn command(&self) -> Command {
        let mut command = programs::command(&self.program);
        command.args(&self.arguments);
        command
    }

    /// What it prints for these arguments; `None` where it fails.
    pub fn says(&self, arguments: &[&str]) -> Option<String> {
        let output = self.command().args(arguments).stdin(Stdio::null()).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_string())
    }

    /// What distinguishes it from other compilers and from itself before an update, for the cache.
    pub fn identity(&self) -> String {
        let mut identity = format!("{} {} {}", self.program.display(), self.arguments.join(" "), self.version);
        for part in &self.parts {
            identity += &format!(" {}", part.state().unwrap_or_default());
        }
        identity
    }

    /// The last part of its path, for messages.
    pub fn name(&self) -> String {
        let mut name = self.program.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for argument in &self.arguments {
            name += &format!(" {argument}");
        }
        name
    }

    /// Says on a terminal that something is being compiled, which can take a while.
    pub fn announce(&self, source: &Path) {
        if std::io::stderr().is_terminal() {
            eprintln!("{}", printable_lines(&format!("compiling {} with {}", source.display(), self.name())));
        }
    }
}

/// Runs a compiler. If it fails, the error is what it said and the command; otherwise what it says (warnings) goes to
/// standard error.
pub fn run(command: &mut Command) -> Result<Output> {
    run_and_show(command, true)
}

/// The same for a program that prints data, which is not part of an error.
pub fn run_for_data(command: &mut Command) -> Result<Output> {
    run_and_show(command, false)
}

fn run_and_show(command: &mut Command, prints_text: bool) -> Result<Output> {
    let output = attempt(command)?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        let printed = if prints_text { String::from_utf8_lossy(&output.stdout) } else { "".into() };
        return Err(failed(command, &output, &[said.trim_end(), printed.trim_end()].join("\n")));
    }
    if !said.trim().is_empty() {
        eprintln!("{}", printable_lines(said.trim_end()));
    }
    Ok(output)
}

/// Runs a compiler, whether it fails or not.
pub fn attempt(command: &mut Command) -> Result<Output> {
    let shown = shown(command);
    command.stdin(Stdio::null()).output().with_context(|| shown)
}

/// The error for a compiler that failed and said this.
pub fn failed(command: &Command, output: &Output, said: &str) -> anyhow::Error {
    let program = Path::new(command.get_program()).file_name().unwrap_or_default().display().to_string();
    let said = said.trim_matches('\n').trim_end();
    anyhow::anyhow!("{program} failed ({})\n{said}\ncommand: {}", output.status, shown(command))
}

/// A command as one would type it.
fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<String> = words.map(|word| word.to_string_lossy().into_owned()).collect();
    command_line(&words)
}
