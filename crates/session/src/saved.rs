//! What a search leaves in its directory, and how it is read back.
//!
//! `result.json` contains the result and the plan, `module.wasm` the program as it was run. A saved result can
//! therefore be run again without a compiler, and a directory received from somebody else can at most make us run a
//! module, which can touch nothing.

use std::path::{Path, PathBuf};

use pessimum_program::WasmProgram;
use pessimum_report::result::WorstResult;
use pessimum_term::Witness;
use serde::{Deserialize, Serialize};

use crate::files::{fingerprint, make_directory, read, write_atomically};
use crate::plan::{FilePlan, ModulePlan, SubjectPlan};
use crate::result::raw_inputs;
use crate::{At, Error, Source};

/// The result.
pub const RESULT: &str = "result.json";

/// The program as it was run.
pub const MODULE: &str = "module.wasm";

/// What is printed and saved: a result with the data to run it again.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PlannedResult {
    /// What was found.
    #[serde(flatten)]
    pub result: WorstResult,
    /// What was run.
    pub plan: SubjectPlan,
}

/// A result on disk.
#[derive(Clone, Debug)]
pub struct Saved {
    /// Where it was read from.
    pub file: PathBuf,
    /// What was found.
    pub result: WorstResult,
    /// What was run.
    pub plan: SubjectPlan,
}

impl Saved {
    /// Reads what `pessimum worst` left behind: its directory, or the result in it.
    pub fn read(path: &Path) -> Result<Saved, Error> {
        let file = if path.is_dir() { path.join(RESULT) } else { path.to_path_buf() };
        if !file.exists() && path.join("curve.json").exists() {
            let place = path.display();
            let why = format!("the results of a curve are in one directory per size: {place}/n-SIZE");
            return Err(Error::new(format!("{place}: {why}")));
        }
        let PlannedResult { result, plan } = parse(&read(&file)?).at(file.display())?;
        Ok(Saved { file, result, plan })
    }

    /// Where the result is.
    pub fn directory(&self) -> &Path {
        match self.file.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        }
    }

    /// The program as it was run.
    pub fn source(&self) -> Result<Source, Error> {
        saved_source(self.plan.clone(), self.directory())
    }

    /// What to tell the reader if the file that was named has changed since.
    pub fn changed(&self) -> Option<String> {
        changed(&self.plan.module)
    }
}

/// A result and its plan, from JSON.
pub fn parse(bytes: &[u8]) -> Result<PlannedResult, Error> {
    let value: serde_json::Value = serde_json::from_slice(bytes).at("not JSON")?;
    if value["cases"].is_array() {
        return Err(Error::new("a regression test, not a result of `pessimum worst`; --check runs it"));
    }
    if !value["costs"].is_object() || !value["cost"].is_object() {
        return Err(Error::new("not a result of `pessimum worst`"));
    }
    if value["plan"].is_null() {
        return Err(Error::new("made by an earlier version of Pessimum; run the search again"));
    }
    serde_json::from_value(value).at("not a result of `pessimum worst`")
}

/// The program of a plan whose module is in this directory. Copied files are read from where they were, and refused
/// if they have changed.
pub fn saved_source(plan: SubjectPlan, directory: &Path) -> Result<Source, Error> {
    let module = read(&directory.join(MODULE))?;
    let copies = copies(&plan)?;
    Source::new(plan, module, copies)
}

/// The program of a plan with another module, which the user names.
pub fn other_source(mut plan: SubjectPlan, name: String, module: Vec<u8>) -> Result<Source, Error> {
    plan.module = ModulePlan { name, fingerprint: fingerprint(&module), named_file: None };
    let copies = copies(&plan)?;
    Source::new(plan, module, copies)
}

fn copies(plan: &SubjectPlan) -> Result<Vec<Vec<u8>>, Error> {
    let paths = plan.files.iter().filter_map(|file| match file {
        FilePlan::Copy { path, .. } => Some(Path::new(path)),
        FilePlan::Input { .. } => None,
    });
    paths.map(read).collect()
}

/// What to tell the reader if the named file is no longer the one that was run or compiled.
pub fn changed(module: &ModulePlan) -> Option<String> {
    let then = module.named_file.as_ref()?;
    let now = read(Path::new(&module.name)).ok()?;
    (fingerprint(&now) != *then)
        .then(|| format!("{} has changed since; this is the program as it was then", module.name))
}

/// What to tell the user if the new search replaces the result of another program or function.
pub fn replaced(directory: &Path, plan: &SubjectPlan) -> Option<String> {
    let earlier = Saved::read(directory).ok()?.plan;
    if (&earlier.module.name, &earlier.start) == (&plan.module.name, &plan.start) {
        return None;
    }
    let started = earlier.start.text().map_or(String::new(), |text| format!(" {text}"));
    let place = directory.display();
    Some(format!("this replaces the result of {}{started} in {place}; use --out to keep both", earlier.module.name))
}

/// Writes the program as it is run into a directory.
pub fn save_module(directory: &Path, source: &Source) -> Result<(), Error> {
    make_directory(directory)?;
    write_atomically(&directory.join(MODULE), source.bytes())
}

/// Writes a result with its input and, if given, the report. Returns the names of the files.
pub fn save(
    directory: &Path,
    program: &WasmProgram,
    plan: &SubjectPlan,
    witness: &Witness,
    result: &WorstResult,
    report: Option<String>,
) -> Result<Vec<PathBuf>, Error> {
    let line = |text: String| format!("{text}\n").into_bytes();
    let planned = PlannedResult { result: result.clone(), plan: plan.clone() };
    let mut files = vec![
        (RESULT.to_string(), line(serde_json::to_string_pretty(&planned).at("JSON")?)),
        ("input.json".to_string(), line(serde_json::to_string(&result.input).at("JSON")?)),
    ];
    files.extend(report.map(|page| ("report.html".to_string(), page.into_bytes())));
    files.extend(raw_inputs(program, witness));
    let mut written = Vec::new();
    for (name, bytes) in files {
        write_atomically(&directory.join(&name), &bytes)?;
        written.push(PathBuf::from(name));
    }
    Ok(written)
}
