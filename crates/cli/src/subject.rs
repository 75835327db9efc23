//! From flags to a subject: reads the files that the flags name.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use pessimum_wasm::call::{Content, GuestValue, InputPlan};
use pessimum_wasm::names::{Names, is_instruction};
use pessimum_wasm::{Limits, LoadSettings, Module, Start, Subject, Weights, World};
use serde_json::Value;

use crate::compile::{Wanted, compile};
use crate::flags::{ArgumentFlag, FileFlag, SubjectFlags};
use crate::journal::checksum;
use crate::names::with_hint;

/// Larger files are not what the flags mean.
const MAX_FILE: u64 = 1 << 30;

/// Reads and checks a module, or compiles it first where it is a source file. Gives the checksum of its bytes too.
pub fn load(wanted: &Wanted<'_>, weights: Option<Weights>) -> Result<(Module, u64)> {
    let path = wanted.path;
    let compiled = compile(wanted)?;
    let read = if compiled.is_none() { read(path)? } else { Vec::new() };
    let bytes = compiled.as_ref().map_or(&read, |compiled| &compiled.bytes);
    let module = Module::load(bytes, &LoadSettings { weights }).map_err(|error| {
        let names = Names::read(bytes);
        let function = error.function.and_then(|index| names.get(index)).map(|name| format!(" in `{name}`"));
        anyhow::anyhow!("{}: {error}{}", path.display(), function.unwrap_or_default())
    })?;
    if let Some(compiled) = &compiled {
        compiled.check(wanted, &module)?;
    }
    Ok((module, checksum([bytes.as_slice()])))
}

/// The bytes of the module, in the binary format.
pub fn module_bytes(flags: &SubjectFlags) -> Result<Vec<u8>> {
    let wanted = flags.wanted();
    let bytes = match compile(&wanted)? {
        Some(compiled) => compiled.bytes,
        None => read(wanted.path)?,
    };
    let bytes = wat::parse_bytes(&bytes).with_context(|| wanted.path.display().to_string())?;
    Ok(bytes.into_owned())
}

/// Everything that the flags name, read once; subjects of any size are made from it.
pub struct Source<'f> {
    flags: &'f SubjectFlags,
    module: Arc<Module>,
    /// Of the module's bytes.
    module_checksum: u64,
    /// The copied files, in the order of the flags.
    copies: Vec<Arc<[u8]>>,
}

impl<'f> Source<'f> {
    /// Reads the module and the files.
    pub fn read(flags: &'f SubjectFlags) -> Result<Source<'f>> {
        let weights = flags.weights.as_deref().map(weights).transpose()?;
        let (module, module_checksum) = load(&flags.wanted(), weights)?;
        let mut copies = Vec::new();
        for file in &flags.file {
            if let FileFlag::Copy { path, .. } = file {
                copies.push(read(path)?.into());
            }
        }
        Ok(Source { flags, module: Arc::new(module), module_checksum, copies })
    }

    /// Of the module and the files that the flags name, to notice when one of them has changed.
    pub fn checksum(&self) -> Result<u64> {
        let mut pieces = vec![self.module_checksum.to_le_bytes().to_vec()];
        if let Some(weights) = &self.flags.weights {
            pieces.push(read(weights)?);
        }
        let copies = self.copies.iter().map(|copy| &copy[..]);
        Ok(checksum(pieces.iter().map(Vec::as_slice).chain(copies)))
    }

    /// Lays out the input for this size.
    pub fn subject(&self, size: Option<u64>) -> Result<Subject> {
        let flags = self.flags;
        let mut plan = InputPlan::new(size);
        if let Some(call) = &flags.call {
            call.lay_out(&mut plan).context("--call")?;
        }
        if let Some(length) = &flags.stdin {
            length.lay_out_stdin(&mut plan).context("--stdin")?;
        }
        for argument in &flags.arg {
            match argument {
                ArgumentFlag::Literal(text) => plan.command_line.push(Content::Fixed(text.as_bytes().into())),
                ArgumentFlag::Input(length) => length.lay_out_argument(&mut plan).context("--arg")?,
            }
        }
        let mut copies = self.copies.iter();
        for file in &flags.file {
            match file {
                FileFlag::Input { name, length } => length.lay_out_file(name, &mut plan).context("--file")?,
                FileFlag::Copy { name, .. } => {
                    let bytes = copies.next().expect("one per flag was read");
                    plan.files.push((name.clone(), Content::Fixed(bytes.clone())));
                }
            }
        }
        let start = match (&flags.call, &flags.entry) {
            (Some(call), _) => Start::Call(call.clone()),
            (None, Some(entry)) => Start::Entry(entry.clone()),
            (None, None) => Start::Command,
        };
        let program = flags.module.file_name().map_or("program".into(), |name| name.to_string_lossy().into_owned());
        let world = World { plan, program, environment: flags.env.clone() };
        let limits = Limits {
            instructions: flags.max_instructions,
            memory: flags.max_memory.saturating_mul(1 << 20),
            call_depth: flags.max_depth,
            ..Limits::default()
        };
        let subject = Subject::new(self.module.clone(), start, world, limits);
        subject.map_err(|error| anyhow::anyhow!("{}: {}", flags.module.display(), with_hint(&error)))
    }
}

/// Loads the module and lays out its input for the size in the flags.
pub fn subject(flags: &SubjectFlags) -> Result<Subject> {
    Source::read(flags)?.subject(flags.size)
}

/// What is started, as on the command line.
pub fn started(flags: &SubjectFlags) -> Option<String> {
    flags.call.as_ref().map(|call| call.text().to_string()).or_else(|| flags.entry.clone())
}

/// The input from a JSON file, checked against the subject's plan; the defaults where there is no file.
pub fn input(subject: &Subject, path: Option<&Path>) -> Result<(pessimum_term::Witness, Vec<GuestValue>)> {
    let Some(path) = path else { return Ok((subject.plan().default_witness(), Vec::new())) };
    let mut value = read_json(path)?;
    // A whole result, as --json prints it, holds its input under this key.
    if let Some(object) = value.as_object_mut()
        && object.contains_key("costs")
        && let Some(input) = object.remove("input")
    {
        value = input;
    }
    subject.plan().decode(&value).with_context(|| shown(path))
}

/// How messages call a file; `-` is standard input.
fn shown(path: &Path) -> String {
    if path == Path::new("-") { "standard input".to_string() } else { path.display().to_string() }
}

/// A JSON file; `-` is standard input.
pub fn read_json(path: &Path) -> Result<Value> {
    let bytes = if path == Path::new("-") {
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut std::io::stdin(), &mut bytes).context("standard input")?;
        bytes
    } else {
        read(path)?
    };
    serde_json::from_slice(&bytes).with_context(|| format!("{}: not JSON", shown(path)))
}

/// Prices by instruction name. `i32.add = 3` is a nested table for TOML, so nested keys are joined again.
fn weights(path: &Path) -> Result<Weights> {
    let text = String::from_utf8(read(path)?).with_context(|| format!("{}: not text", path.display()))?;
    let table: toml::Table = text.parse().with_context(|| path.display().to_string())?;
    let mut weights = Weights { other: 1, ..Weights::default() };
    let mut open: Vec<(String, toml::Value)> = table.into_iter().collect();
    while let Some((name, value)) = open.pop() {
        match value {
            toml::Value::Table(inner) => {
                open.extend(inner.into_iter().map(|(key, value)| (format!("{name}.{key}"), value)));
            }
            toml::Value::Integer(price) if price >= 0 && name == "default" => weights.other = price as u64,
            toml::Value::Integer(price) if price >= 0 => {
                if !is_instruction(&name) {
                    let hint = "instructions are named as in the text format, as in `i32.add = 3`";
                    bail!("{}: no instruction is named `{name}`; {hint}", path.display());
                }
                weights.by_name.insert(name, price as u64);
            }
            toml::Value::Integer(price) => bail!("{}: `{name}` is {price}; prices start at 0", path.display()),
            other => bail!("{}: `{name}` should be a whole number from 0, but is {}", path.display(), other.type_str()),
        }
    }
    Ok(weights)
}

fn read(path: &Path) -> Result<Vec<u8>> {
    let length = std::fs::metadata(path).with_context(|| path.display().to_string())?.len();
    if length > MAX_FILE {
        bail!("{}: {length} bytes are more than the {MAX_FILE} that are read", path.display());
    }
    std::fs::read(path).with_context(|| path.display().to_string())
}
