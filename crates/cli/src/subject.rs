//! From flags to a program: compiles or reads what the flags name.

use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use anyhow::{Context, Error, Result, anyhow, bail};
use pessimum_input::{GuestValue, InputPlan};
use pessimum_languages::{Usage, Wanted, module_bytes};
use pessimum_session::cover::{from_bytes, from_standard_input, raw_parts};
use pessimum_session::files::{self, MAX_JSON, fingerprint, read};
use pessimum_session::plan::{ArgumentPlan, FilePlan, LimitsPlan, ModulePlan, StartPlan, SubjectPlan, WeightsPlan};
use pessimum_session::{Source, WasmSource};
use pessimum_term::Witness;
use pessimum_wasm::names::is_instruction;
use serde_json::Value;

use crate::flags::{ArgumentFlag, CallFlag, FileFlag, InputFile, SubjectFlags};
use crate::output::tell;
use crate::python;

impl SubjectFlags {
    /// What these flags want compiled, where the module is a source file.
    pub fn wanted(&self) -> Wanted<'_> {
        let (call, entry) = (self.call.as_ref().and_then(CallFlag::wasm), self.entry.as_deref());
        Wanted {
            path: &self.module,
            call,
            entry,
            options: &self.cflags,
            with: &self.with,
            listed: false,
            sequences: false,
            covered: self.covered,
        }
    }
}

/// Everything that the flags name, read once.
pub fn source(flags: &SubjectFlags) -> Result<Source> {
    flags.check_sizes(false).map_err(Usage)?;
    if python::concerns(&flags.module)? {
        return python::source(flags);
    }
    let wanted = flags.wanted();
    let (bytes, compiled) = module_bytes(&wanted)?;
    let mut copies = Vec::new();
    let plan = plan(flags, &bytes, &mut copies)?;
    let source = Source::new(plan, bytes, copies)?;
    if let (Some(compiled), Some(module)) = (&compiled, source.code().map(WasmSource::module)) {
        compiled.check(&wanted, module)?;
    }
    Ok(source)
}

/// The flags as data. Reads the price list and the copied files.
fn plan(flags: &SubjectFlags, module: &[u8], copies: &mut Vec<Vec<u8>>) -> Result<SubjectPlan> {
    let argument = |argument: &ArgumentFlag| match argument {
        ArgumentFlag::Literal(text) => ArgumentPlan::Literal(text.clone()),
        ArgumentFlag::Input(length) => ArgumentPlan::Input(length.text().to_string()),
    };
    let mut files = Vec::new();
    for file in &flags.file {
        files.push(match file {
            FileFlag::Input { name, length } => {
                FilePlan::Input { name: name.clone(), length: length.text().to_string() }
            }
            FileFlag::Copy { name, path } => {
                let bytes = read(path)?;
                let (path, fingerprint) = (path.display().to_string(), fingerprint(&bytes));
                copies.push(bytes);
                FilePlan::Copy { name: name.clone(), path, fingerprint }
            }
        });
    }
    Ok(SubjectPlan {
        module: ModulePlan {
            name: flags.module.display().to_string(),
            fingerprint: fingerprint(module),
            named_file: read(&flags.module).ok().map(|bytes| fingerprint(&bytes)),
            python: None,
        },
        start: match (&flags.call, &flags.entry) {
            (Some(call), _) => StartPlan::Call(call.text().to_string()),
            (None, Some(entry)) => StartPlan::Entry(entry.clone()),
            (None, None) => StartPlan::Command,
        },
        stdin: flags.stdin.as_ref().map(|length| length.text().to_string()),
        arguments: flags.arg.iter().map(argument).collect(),
        files,
        environment: flags.env.clone(),
        size: flags.n(),
        sizes: flags.sizes(),
        weights: flags.weights.as_deref().map(weights).transpose()?,
        counted: flags.counted.clone(),
        limits: LimitsPlan {
            instructions: flags.max_instructions.unwrap_or(LimitsPlan::USUAL.instructions),
            memory: flags.max_memory.saturating_mul(1 << 20),
            depth: flags.max_depth,
        },
    })
}

/// The input from a file, checked against the plan; the defaults where there is no file. A file that is neither a list nor
/// an object nor a text in JSON is the input itself, where that is one piece of bytes; so is any other that is said to be.
pub fn input(plan: &InputPlan, file: Option<&InputFile>) -> Result<(Witness, Vec<GuestValue>)> {
    let Some(InputFile { path, is_raw }) = file else { return Ok((plan.default_witness(), Vec::new())) };
    let bytes = read_file(path)?;
    let as_bytes = || raw(plan, &bytes).with_context(|| shown(path));
    let explained = |error: Error| match plan.default_witness().values().is_empty() {
        true => no_place_for(bytes.len(), &error),
        false => error,
    };
    if *is_raw {
        return as_bytes()?.ok_or_else(|| explained(anyhow!("{}: {NOT_BYTES}", shown(path))));
    }
    let mut value = match json(&bytes, path) {
        Ok(Value::Null | Value::Bool(_) | Value::Number(_)) if from_bytes(plan, &bytes).is_some() => {
            return as_bytes()?.context(NOT_BYTES);
        }
        Ok(value) => value,
        Err(error) => return as_bytes()?.ok_or_else(|| explained(error)),
    };
    // A whole result, as --json prints it, has its input under this key.
    if let Some(object) = value.as_object_mut()
        && object.contains_key("costs")
        && let Some(input) = object.remove("input")
    {
        value = input;
    }
    // A text alone, where the input is one piece of bytes.
    let text = match &value {
        Value::String(text) => Some(text),
        Value::Object(object) if object.len() == 1 => match object.get("text") {
            Some(Value::String(text)) => Some(text),
            _ => None,
        },
        _ => None,
    };
    let form = "a text alone is an input of one piece of bytes; this one is a list with an entry for each argument";
    let read = match text {
        Some(text) => raw(plan, text.as_bytes()).and_then(|input| input.context(form)),
        None => plan.decode(&value).map_err(Error::from),
    };
    let hinted = |error: Error| match from_bytes(plan, &bytes) {
        // The input of a program that reads JSON.
        Some((_, length)) if length == bytes.len() => {
            anyhow!("{error:#}; if these bytes are the input itself: --input raw:{}", path.display())
        }
        _ => error,
    };
    read.map_err(hinted).with_context(|| shown(path))
}

/// What is piped into this command, as the standard input of the program.
pub fn piped(plan: &InputPlan, bytes: &[u8]) -> Result<Witness> {
    let found = from_standard_input(plan, bytes).context("the program has no standard input")?;
    let (witness, _) = checked(plan, bytes, found).context("standard input")?;
    Ok(witness)
}

/// What is doubtful about the call, for the user to read.
pub fn tell_doubts(flags: &SubjectFlags, plan: &InputPlan) {
    for doubt in flags.call.iter().flat_map(|call| call.doubts(plan)) {
        tell(&format!("note: {doubt}"));
    }
}

/// The name of a file in messages; `-` is standard input.
fn shown(path: &Path) -> String {
    if path == Path::new("-") { "standard input".to_string() } else { path.display().to_string() }
}

/// What to do about a file of bytes where no input varies, because nobody said that standard input does.
fn no_place_for(bytes: usize, why: &anyhow::Error) -> anyhow::Error {
    anyhow!("{why:#}; raw bytes have no place in this input, but --stdin {bytes} makes them the standard input")
}

const NOT_BYTES: &str = "the input does not consist of one piece of bytes";

/// Bytes as an input; `None` where it consists of anything but one piece of bytes.
fn raw(plan: &InputPlan, bytes: &[u8]) -> Result<Option<(Witness, Vec<GuestValue>)>> {
    from_bytes(plan, bytes).map(|found| checked(plan, bytes, found)).transpose()
}

/// The input made of these bytes, if it is what they are.
fn checked(plan: &InputPlan, bytes: &[u8], found: (Witness, usize)) -> Result<(Witness, Vec<GuestValue>)> {
    let (witness, length) = found;
    if bytes.len() != length {
        bail!("{} bytes, but the input has {length}: give --size or the length that fits", bytes.len());
    }
    let parts = raw_parts(plan, &witness);
    if !parts.iter().any(|(_, part)| part == bytes) {
        let differs = |(_, part): &(String, Vec<u8>)| {
            (part.len() == length).then(|| part.iter().zip(bytes).position(|(kept, given)| kept != given)).flatten()
        };
        let at = parts.iter().filter_map(differs).max().unwrap_or_default();
        bail!("the byte {} at offset {at} is not allowed in the input", bytes[at]);
    }
    Ok((witness, Vec::new()))
}

/// The bytes of a file; `-` is standard input.
fn read_file(path: &Path) -> Result<Vec<u8>> {
    if path == Path::new("-") { standard_input() } else { Ok(files::read_json(path)?) }
}

/// How long standard input is waited for before that is said: a pipe that nobody writes to looks like a long run.
const PATIENCE: Duration = Duration::from_secs(3);

/// All of the standard input of this command, up to the size of the largest file that is read.
pub fn standard_input() -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let (_read, waiting) = channel::<()>();
    std::thread::spawn(move || {
        if waiting.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
            tell("note: waiting for the end of standard input; `< /dev/null` if there is none");
        }
    });
    let mut stdin = std::io::Read::take(std::io::stdin(), MAX_JSON);
    std::io::Read::read_to_end(&mut stdin, &mut bytes).context("standard input")?;
    Ok(bytes)
}

/// A JSON file; `-` is standard input.
pub fn read_json(path: &Path) -> Result<Value> {
    json(&read_file(path)?, path)
}

/// The value in a JSON file.
pub fn json(bytes: &[u8], path: &Path) -> Result<Value> {
    serde_json::from_slice(bytes).with_context(|| format!("{}: not JSON", shown(path)))
}

/// Prices by instruction name. `i32.add = 3` is a nested table for TOML, so nested keys are joined again.
fn weights(path: &Path) -> Result<WeightsPlan> {
    let text = String::from_utf8(read(path)?).with_context(|| format!("{}: not text", path.display()))?;
    let table: toml::Table = text.parse().with_context(|| path.display().to_string())?;
    let mut weights = WeightsPlan { prices: Default::default(), default: 1 };
    let mut open: Vec<(String, toml::Value)> = table.into_iter().collect();
    while let Some((name, value)) = open.pop() {
        match value {
            toml::Value::Table(inner) => {
                open.extend(inner.into_iter().map(|(key, value)| (format!("{name}.{key}"), value)));
            }
            toml::Value::Integer(price) if price >= 0 && name == "default" => weights.default = price as u64,
            toml::Value::Integer(price) if price >= 0 => {
                if !is_instruction(&name) {
                    let hint = "instructions are named as in the text format, as in `i32.add = 3`";
                    bail!("{}: no instruction is named `{name}`; {hint}", path.display());
                }
                weights.prices.insert(name, price as u64);
            }
            toml::Value::Integer(price) => bail!("{}: `{name}` is {price}; prices start at 0", path.display()),
            other => bail!("{}: `{name}` should be a whole number, but is {}", path.display(), other.type_str()),
        }
    }
    Ok(weights)
}
