//! Tests of the user's code, compiled for this machine rather than for WebAssembly.
//!
//! They are built as `cargo test` would build them, with its checks of arithmetic: a test that is handed out has to pass there.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result};
use serde_json::Value;

use super::package::Crates;
use super::{crate_name, errors, searched};
use crate::cache::{Cache, hash};
use crate::toolchain::tool::{Tool, attempt, failed, run};
use crate::toolchain::workplace::Workplace;
use crate::wanted::{Wanted, here};
use pessimum_files::write_atomically;

/// The user's code, ready for tests to be compiled with it.
pub struct Native {
    with: With,
    /// Nothing else writes where the tests are.
    _alone: Option<File>,
    /// It is removed when this is dropped.
    work: Option<Workplace>,
}

enum With {
    /// A package that depends on the user's.
    Package(Crates),
    /// A library that was made from one file.
    File { tool: Tool, name: String, library: PathBuf, options: Vec<String> },
}

/// What the file with tests is compiled as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A program.
    Program,
    /// What runs functions marked as tests.
    Tests,
}

/// Why there is no program.
pub struct Refused {
    /// The compiler's errors: JSON from Rust's, otherwise none.
    pub messages: Vec<Value>,
    /// What it said.
    pub error: anyhow::Error,
}

impl Native {
    /// Prepares a package.
    pub fn package(wanted: &Wanted<'_>, cache: &Cache) -> Result<Native> {
        let (crates, alone) = Crates::new(wanted, cache)?;
        Ok(Native { with: With::Package(crates), _alone: Some(alone), work: None })
    }

    /// Prepares a file.
    pub fn file(wanted: &Wanted<'_>, cache: &Cache) -> Result<Native> {
        let options = wanted.options()?;
        let tool = super::compiler()?;
        let (work, name) = (cache.workplace()?, crate_name(&wanted.stem()));
        let library = work.file(&format!("lib{name}.rlib"));
        let mut command = tool.command();
        command.args(edition(&options)).args(["--crate-type", "rlib", "--crate-name", &name, "-A", "warnings"]);
        command.arg("-o").arg(&library).args(&options).arg(wanted.source());
        run(&mut command)?;
        Ok(Native { with: With::File { tool, name, library, options }, _alone: None, work: Some(work) })
    }

    /// How tests name the user's crate.
    pub fn crate_name(&self) -> &str {
        match &self.with {
            With::Package(crates) => &crates.name,
            With::File { name, .. } => name,
        }
    }

    /// Compiles a file of this name. Its path in messages ends with the name.
    pub fn compile(&self, name: &str, text: &str, kind: Kind) -> Result<std::result::Result<PathBuf, Refused>> {
        let work = self.work.as_ref().map_or(Path::new(""), Workplace::path);
        let program = work.join(format!("{name}.program"));
        let (tool, crate_name, library, options) = match &self.with {
            With::Package(crates) => return crates.compile(name, text),
            With::File { tool, name, library, options } => (tool, name, library, options),
        };
        let source = work.join(format!("{name}.rs"));
        write_atomically(&source, text.as_bytes())?;
        let mut command = tool.command();
        command.args(edition(options)).args(["-A", "warnings", "--error-format=json"]).args(searched(options));
        if kind == Kind::Tests {
            command.arg("--test");
        }
        command.arg("--extern").arg(format!("{crate_name}={}", library.display())).arg(&source);
        command.arg("--crate-name").arg(name).arg("-o").arg(&program);
        let output = attempt(&mut command)?;
        if output.status.success() {
            return Ok(Ok(program));
        }
        let messages = errors(&output.stderr, |message| Some(message.clone()));
        Ok(Err(refused(&command, &output, messages)))
    }

    /// The edition of Rust that tests are written in.
    pub fn edition(&self) -> &str {
        match &self.with {
            With::Package(crates) => &crates.edition,
            With::File { .. } => "2024",
        }
    }

    /// The text of a Rust file as `rustfmt` would have it, by the rules of the user's directory; as it is without one.
    pub fn formatted(&self, text: String) -> Result<String> {
        let edition = self.edition();
        let Some(tool) = Tool::named("rustfmt", &[], &["--version"]) else { return Ok(text) };
        let mut command = tool.command();
        command.args(["--edition", edition, "--emit", "stdout"]).current_dir(self.directory()?);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let mut input = child.stdin.take().context("a pipe to rustfmt")?;
        // All of it is read before anything is written.
        let sent = input.write_all(text.as_bytes());
        drop(input);
        let output = child.wait_with_output()?;
        let formatted = String::from_utf8(output.stdout).ok().filter(|_| output.status.success() && sent.is_ok());
        Ok(formatted.filter(|formatted| !formatted.is_empty()).unwrap_or(text))
    }

    /// The directory in which tests run.
    pub fn directory(&self) -> Result<PathBuf> {
        match &self.with {
            With::Package(crates) => Ok(crates.root.clone()),
            With::File { .. } => here(),
        }
    }
}

/// What a compiler said about a file that it did not accept.
pub fn refused(command: &std::process::Command, output: &std::process::Output, messages: Vec<Value>) -> Refused {
    let rendered: Vec<&str> = messages.iter().filter_map(|message| message["rendered"].as_str()).collect();
    let said = match rendered.is_empty() {
        true => String::from_utf8_lossy(&output.stderr).into_owned(),
        false => rendered.concat(),
    };
    Refused { messages, error: failed(command, output, &said) }
}

fn edition(options: &[String]) -> &'static [&'static str] {
    let given = options.iter().any(|option| option.starts_with("--edition"));
    if given { &[] } else { &["--edition", "2024"] }
}

/// The name of the package with tests, which has a place of its own.
pub fn place(manifest: &Path) -> String {
    format!("tests-{}", hash(&manifest))
}
