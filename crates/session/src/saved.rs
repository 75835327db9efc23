//! What a search leaves in its directory, and how it is read back.
//!
//! `result.json` contains the result and the plan, `module.wasm` the program as it was run, and `copy-1.bin` and so on
//! the files that it was given. A saved result can therefore be run again without a compiler, also in another place,
//! and a directory received from somebody else can at most make us run a module, which can touch nothing.

use std::path::{Component, Path, PathBuf};

use pessimum_outcome::CostModel;
use pessimum_report::result::WorstResult;
use pessimum_report::text::{json_escaped, json_text};
use pessimum_term::Witness;
use serde::Serialize;

use crate::files::{MAX_FILE, MAX_JSON, Staged, fingerprint, plain, read_inside, read_json, write_atomically};
pub use crate::plan::MODULE;
use crate::plan::{FilePlan, ModulePlan, SubjectPlan, copy_name};
use crate::result::raw_inputs;
use crate::{At, Error, PythonCode, RunPython, Source, Target};

/// The result.
pub const RESULT: &str = "result.json";

/// What is printed and saved: a result with the data to run it again. [`parse`] reads it.
#[derive(Clone, Debug, Serialize)]
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
        let is_directory = path.is_dir();
        let file = if is_directory { path.join(RESULT) } else { path.to_path_buf() };
        if !file.exists() && path.join("curve.json").exists() {
            let place = path.display();
            let why = format!("the results of a curve are in one directory per size: {place}/n-SIZE");
            return Err(Error::new(format!("{place}: {why}")));
        }
        let bytes = if is_directory { read_inside(path, RESULT, MAX_JSON)? } else { read_json(&file)? };
        let PlannedResult { result, plan } = parse(&bytes).at(file.display())?;
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
    pub fn source(&self, python: &RunPython) -> Result<Source, Error> {
        let source = saved_source(self.plan.clone(), self.directory(), python)?;
        Ok(source.counting(CostModel::parse(&self.result.cost.model).unwrap_or_default()))
    }

    /// What to tell the reader if the file that was named has changed since.
    pub fn changed(&self) -> Option<String> {
        changed(&self.plan.module)
    }
}

/// A result and its plan, from JSON.
pub fn parse(bytes: &[u8]) -> Result<PlannedResult, Error> {
    let mut value: serde_json::Value = serde_json::from_slice(bytes).at("not JSON")?;
    if value["cases"].is_array() {
        return Err(Error::new("a regression test, not a result of `pessimum worst`; --check runs it"));
    }
    if !value["costs"].is_object() || !value["cost"].is_object() {
        return Err(Error::new("not a result of `pessimum worst`"));
    }
    if value["plan"].is_null() {
        return Err(Error::new("made by an earlier version of Pessimum; run the search again"));
    }
    let plan = serde_json::from_value(value["plan"].take()).at("not a result of `pessimum worst`: `plan`")?;
    Ok(PlannedResult { result: serde_json::from_value(value).at("not a result of `pessimum worst`")?, plan })
}

/// The program of a plan whose module and copied files are in this directory.
/// A Python file is where it was, and is run as it is now.
pub fn saved_source(plan: SubjectPlan, directory: &Path, python: &RunPython) -> Result<Source, Error> {
    if plan.module.python.is_some() {
        let code = PythonCode::saved(&plan, python)?;
        return Ok(Source::of(plan, code));
    }
    let module = read_inside(directory, MODULE, MAX_FILE)?;
    let copies = copies(&plan, directory)?;
    Source::new(plan, module, copies)
}

/// The program of a plan with another module, which the user names. The copied files are in this directory.
pub fn other_source(mut plan: SubjectPlan, name: String, module: Vec<u8>, directory: &Path) -> Result<Source, Error> {
    plan.module = ModulePlan { name, fingerprint: fingerprint(&module), named_file: None, python: None };
    let copies = copies(&plan, directory)?;
    Source::new(plan, module, copies)
}

/// The copied files. A regression test may have been moved away from them; then they are looked for below the current
/// directory, under the names they had. A file with other contents is never used.
fn copies(plan: &SubjectPlan, directory: &Path) -> Result<Vec<Vec<u8>>, Error> {
    let mut copies = Vec::new();
    for file in &plan.files {
        let FilePlan::Copy { path, .. } = file else { continue };
        let name = copy_name(copies.len());
        let original = Path::new(path);
        let is_below = original.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        let bytes = match plain(&directory.join(&name))? {
            Some(_) => read_inside(directory, &name, MAX_FILE)?,
            None if is_below => read_inside(Path::new(""), path, MAX_FILE)
                .map_err(|error| Error::new(format!("{error}, and no {name} in {}", directory.display())))?,
            None => {
                let place = directory.display();
                return Err(Error::new(format!("{place}: {name}, the copy of {path}, is missing")));
            }
        };
        copies.push(bytes);
    }
    Ok(copies)
}

/// What to tell the reader if the named file is no longer the one that was run or compiled.
pub fn changed(module: &ModulePlan) -> Option<String> {
    let then = module.named_file.as_ref()?;
    let path = Path::new(&module.name);
    // The name may be anybody's: what has no length, like most of what is not on a disk, is not read.
    plain(path).ok().flatten().filter(|metadata| metadata.len() > 0)?;
    let now = read_inside(Path::new(""), &module.name, MAX_FILE).ok()?;
    let runs = match module.python {
        None => "this is the program as it was then",
        Some(_) => "it is run as it is now",
    };
    (fingerprint(&now) != *then).then(|| format!("{} has changed since; {runs}", module.name))
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

/// Writes the program as it is run, with its copied files, but gives them no names yet: on a full disk nothing of an
/// earlier search is lost.
pub fn stage_program(directory: &Path, source: &Source) -> Result<Vec<Staged>, Error> {
    let mut staged = Vec::new();
    for (name, bytes) in source.saved() {
        staged.push(Staged::new(&directory.join(name), bytes)?);
    }
    Ok(staged)
}

/// Writes the program as it is run, with its copied files, into a directory.
pub fn save_program(directory: &Path, source: &Source) -> Result<(), Error> {
    stage_program(directory, source)?.into_iter().try_for_each(Staged::put)
}

/// The name of the file with the costliest input that crashes the program, beside one that does not.
pub const TRAPPED: &str = "trapped.json";

/// Names and contents of the files of a result: the result itself, its input, the costliest input that crashes the
/// program, and the input's bytes.
pub fn result_files(
    program: &Target,
    planned: &PlannedResult,
    witness: &Witness,
) -> Result<Vec<(String, Vec<u8>)>, Error> {
    let input = serde_json::to_string(&planned.result.input).at("JSON")?;
    let mut files = vec![
        (RESULT.to_string(), json_text(planned).at("JSON")?.into_bytes()),
        ("input.json".to_string(), format!("{}\n", json_escaped(&input)).into_bytes()),
    ];
    if let Some(trapped) = &planned.result.trapped {
        let input = serde_json::to_string(&trapped.input).at("JSON")?;
        files.push((TRAPPED.to_string(), format!("{}\n", json_escaped(&input)).into_bytes()));
    }
    files.extend(raw_inputs(program, witness));
    Ok(files)
}

/// Writes files into a directory. Returns their names.
pub fn write_files(directory: &Path, files: &[(String, Vec<u8>)]) -> Result<Vec<PathBuf>, Error> {
    let write = |(name, bytes): &(String, Vec<u8>)| {
        write_atomically(&directory.join(name), bytes)?;
        Ok(PathBuf::from(name))
    };
    files.iter().map(write).collect()
}
