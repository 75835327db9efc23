//! What patterns leave on the disk, and inputs made of it.

use std::io::Write as _;
use std::path::Path;

use anyhow::{Context, Result, bail};
use pessimum_input::{Argument, InputPlan};
use pessimum_patterns::Pattern;
use pessimum_patterns::code::{Coded, Form, Language, code as coded, fits, written};
use pessimum_patterns::words::words;
use pessimum_report::pattern::PatternResult;
use pessimum_report::text::shell_word;
use pessimum_session::cover::raw_parts;
use pessimum_session::files::{MAX_JSON, read_inside};
use pessimum_session::pattern::{generated, named};
use pessimum_session::plan::SubjectPlan;
use pessimum_session::saved::saved_source;
use pessimum_session::{RunPython, Source};
use serde::Serialize;

use crate::curve::PROGRAM;
use crate::flags::{GenerateFlags, not_an_option};
use crate::output::written_to;
use pessimum_languages::Usage;

/// The name of saved patterns.
pub const FILE: &str = "pattern.json";

/// The name of the code of a generator, without its extension.
const CODE: &str = "pattern";

/// Patterns, and the program that they are for.
#[derive(Serialize)]
pub struct PlannedPattern {
    #[serde(flatten)]
    pub result: PatternResult,
    /// The program and its input, without a size.
    pub plan: SubjectPlan,
}

/// The patterns in a directory.
pub fn saved(directory: &Path) -> Result<PlannedPattern> {
    let place = directory.join(FILE);
    if !place.exists() {
        bail!(
            "{}: there is no pattern; `pessimum pattern` and `pessimum curve --extend` leave one",
            directory.display()
        );
    }
    let read = || -> Result<PlannedPattern> {
        let mut value: serde_json::Value = serde_json::from_slice(&read_inside(directory, FILE, MAX_JSON)?)?;
        let plan = value.get_mut("plan").map(serde_json::Value::take).unwrap_or_default();
        let plan = serde_json::from_value(plan).context("`plan`")?;
        Ok(PlannedPattern { result: serde_json::from_value(value)?, plan })
    };
    read().with_context(|| format!("{}: not a saved pattern", place.display()))
}

impl PlannedPattern {
    /// The input of the first pattern at a size, in the form that `--input` takes; none where it cannot be made.
    pub fn input(&self, directory: &Path, size: u64, python: &RunPython) -> Option<serde_json::Value> {
        let pattern: Pattern = serde_json::from_value(self.result.pattern.clone()?).ok()?;
        let source = saved_source(self.plan.clone(), &directory.join(PROGRAM), python).ok()?;
        let (at, witness) = generated(&source, &pattern, size).ok()?;
        Some(at.program.plan().encode(&witness, &[]))
    }
}

/// Removes what an earlier search for patterns left in a directory.
pub fn forget(directory: &Path) -> Result<()> {
    let codes = Language::ALL.map(|language| format!("{CODE}.{}", language.extension()));
    for name in [FILE.to_string()].iter().chain(&codes) {
        match std::fs::remove_file(directory.join(name)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(error).with_context(|| directory.join(name).display().to_string());
            }
            _ => {}
        }
    }
    Ok(())
}

/// How an input is written: as its bytes where it is one piece of bytes, otherwise as JSON.
fn form(plan: &InputPlan) -> Option<Form> {
    let bytes =
        |argument: &Argument| matches!(argument, Argument::Buffer(group) | Argument::Text(group) if group.is_bytes());
    let parts = plan.groups().count();
    let is_raw = match (parts, &plan.stdin) {
        (1, Some(_)) => true,
        (1, None) => plan.arguments.is_empty() || plan.arguments.iter().any(bytes),
        _ => false,
    };
    if is_raw {
        return Some(Form::Raw);
    }
    if plan.stdin.is_some() || !plan.command_line.is_empty() || !plan.files.is_empty() {
        return None;
    }
    let mut next = 0;
    let mut entries = Vec::new();
    for argument in &plan.arguments {
        entries.push(match argument {
            Argument::Structure(structure) if structure.is_input() => return None,
            Argument::Scalar(_) | Argument::Buffer(_) | Argument::Text(_) => {
                next += 1;
                Some(next - 1)
            }
            _ => None,
        });
    }
    Some(Form::Json(entries))
}

/// The generator as programs, by file name; none where its input has no plain form.
pub fn code(source: &Source, pattern: &Pattern, text: &str) -> Result<Vec<(String, String)>> {
    let names = named(source)?;
    let (at, witness) = generated(source, pattern, 100)?;
    let plan = at.program.plan();
    let lengths: Option<Vec<(u64, i64)>> = names.iter().map(|named| named.length).collect();
    let (Some(form), Some(lengths)) = (form(plan), lengths) else { return Ok(Vec::new()) };
    // Texts that have to be repaired to be UTF-8 are not what the code would write.
    if witness.values() != pattern.at(100, &at.slots) || !fits(pattern, &at.slots) {
        return Ok(Vec::new());
    }
    let text = if text.is_empty() { words(pattern, &names) } else { text.to_string() };
    let described = Coded { pattern, slots: &at.slots, lengths: &lengths, form: &form, words: &text };
    let one = |language: Language| {
        let text = coded(&described, language)?;
        Some((format!("{CODE}.{}", language.extension()), text))
    };
    Ok(Language::ALL.into_iter().filter_map(one).collect())
}

/// Writes the input of a size to standard output.
pub fn generate(flags: &GenerateFlags) -> Result<()> {
    let planned = saved(&flags.saved)?;
    let found = match planned.result.patterns.get(flags.pattern.saturating_sub(1) as usize) {
        Some(found) => found,
        None => {
            let count = planned.result.patterns.len();
            return Err(Usage(format!("--pattern {}: the number of patterns is {count}", flags.pattern)).into());
        }
    };
    let pattern: Pattern = serde_json::from_value(found.pattern.clone())
        .with_context(|| format!("{}: not a generator", flags.saved.join(FILE).display()))?;
    if let Some(language) = flags.code {
        let source = saved_source(planned.plan, &flags.saved.join(PROGRAM), &flags.python.run())?;
        let wanted = format!("{CODE}.{}", Language::from(language).extension());
        let code = code(&source, &pattern, &found.words)?.into_iter().find(|(name, _)| *name == wanted);
        let (_, code) = code.context("this input has no form that a plain program could write")?;
        return write(code.as_bytes());
    }
    let Some(size) = flags.size else {
        return Err(Usage("give --size, the size of the input".to_string()).into());
    };
    let source = saved_source(planned.plan, &flags.saved.join(PROGRAM), &flags.python.run())?;
    let (at, witness) = generated(&source, &pattern, size)?;
    let plan = at.program.plan();
    let bytes = match form(plan) {
        Some(Form::Raw) if !flags.json => match &raw_parts(plan, &witness)[..] {
            [(_, bytes)] => bytes.clone(),
            _ => written(&Form::Raw, &at.slots, witness.values()),
        },
        Some(form @ Form::Json(_)) if !flags.json && !at.slots.iter().any(is_float) => {
            written(&form, &at.slots, witness.values())
        }
        _ => (serde_json::to_string(&plan.encode(&witness, &[])).context("JSON")? + "\n").into_bytes(),
    };
    write(&bytes)
}

fn is_float(slot: &pessimum_patterns::Slot) -> bool {
    slot.number == pessimum_patterns::Number::Float
}

/// Bytes on standard output. A reader that has enough, such as `head`, is no failure.
fn write(bytes: &[u8]) -> Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error).context("standard output"),
        _ => Ok(()),
    }
}

/// What was written where, and what to do next.
pub fn afterwards(directory: &Path, result: &PatternResult, names: &[String], run: &str) -> String {
    let mut text = written_to(directory, names);
    if result.pattern.is_some() {
        let place = shell_word(&not_an_option(directory).to_string());
        text += &format!("next: pessimum generate {place} --size 100000{run} > input\n");
    }
    text
}
