//! The Python file that a plan names. No code of it is saved: it is run where it is, and only if the user says so.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pessimum_outcome::CostModel;
use pessimum_python::{PythonCall, PythonError, PythonProgram, PythonSettings, PythonSource, Wanted};

use crate::files::{MAX_FILE, checksum};
use crate::language::Language;
use crate::plan::{ModulePlan, PythonPlan, StartPlan, SubjectPlan};
use crate::{At, Code, Error, FrontEnd};

/// Whether a Python file that a saved result names may be run. Nothing confines Python: it has all rights of the user, and
/// a directory that came from somebody else must not be able to start it.
#[derive(Clone, Debug, Default)]
pub struct RunPython {
    /// Whether the user has said so.
    pub allowed: bool,
    /// The interpreter, if it is not the usual one. Saved results do not name it.
    pub python: Option<PathBuf>,
    /// Where the names of files are relative to, if that is not the current directory.
    pub directory: Option<PathBuf>,
}

impl RunPython {
    /// For what this process has searched itself: the user has named the file.
    pub fn of_own(python: Option<PathBuf>) -> RunPython {
        RunPython { allowed: true, python, directory: None }
    }
}

/// A file of Python with the call that is searched. Cheap to clone.
#[derive(Clone)]
pub struct PythonCode {
    source: PythonSource,
    call: PythonCall,
    wanted: Wanted,
}

impl fmt::Debug for PythonCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PythonCode").field("file", &self.source.file()).field("call", &self.call).finish()
    }
}

impl PythonCode {
    /// The call of an opened file.
    pub fn new(source: PythonSource, call: PythonCall) -> PythonCode {
        PythonCode { source, call, wanted: Wanted::default() }
    }

    /// The file of a saved plan as it is now.
    pub fn saved(plan: &SubjectPlan, run: &RunPython) -> Result<PythonCode, Error> {
        let name = &plan.module.name;
        if !run.allowed {
            return Err(Error::new(format!(
                "{name}: this is a result of a Python file, which is not saved with it and runs with all your rights; give \
                 --run-python if you trust it"
            )));
        }
        let StartPlan::Call(text) = &plan.start else {
            return Err(Error::new(format!("{name}: the plan of a Python function has no call")));
        };
        let file = run.directory.as_deref().unwrap_or(Path::new("")).join(name);
        let settings = PythonSettings { python: run.python.clone(), ..PythonSettings::new(file) };
        let source = PythonSource::open(&settings).map_err(|error| Error::new(error.to_string()))?;
        let call = PythonCall::parse(text, &source).at("--call")?;
        Ok(PythonCode::new(source, call))
    }

    /// The opened file.
    pub fn source(&self) -> &PythonSource {
        &self.source
    }

    /// The call.
    pub fn call(&self) -> &PythonCall {
        &self.call
    }
}

impl Code for PythonCode {
    fn language(&self) -> &'static Language {
        &Language::PYTHON
    }

    fn program(&self, name: String, of: &SubjectPlan, size: Option<u64>) -> Result<Box<dyn FrontEnd>, Error> {
        let program = PythonProgram::new(name, &self.source, &self.call, size, &of.sizes, self.wanted);
        match program {
            Ok(program) => Ok(Box::new(program.within(of.limits.into()))),
            Err(PythonError::CallSyntax(error)) => Err(Error::new(format!("--call: {error}"))),
            Err(error) => Err(Error::new(error.to_string())),
        }
    }

    fn counting(&self, cost: CostModel) -> Option<Arc<dyn Code>> {
        let opcodes = matches!(cost, CostModel::Instructions | CostModel::Branches);
        Some(Arc::new(PythonCode { wanted: Wanted { opcodes }, ..self.clone() }))
    }
}

/// A Python file in a plan. Its fingerprint is that of all files of the user's own that it imports.
pub fn python_module(name: String, source: &PythonSource) -> ModulePlan {
    let read = |path: &Path| std::fs::read(path).unwrap_or_default();
    let contents: Vec<Vec<u8>> = source.files().iter().map(|file| read(file)).collect();
    let fingerprint = format!("{:016x}", checksum(contents.iter().map(Vec::as_slice)));
    let named_file = crate::files::read_inside(Path::new(""), &name, MAX_FILE).ok();
    let named_file = named_file.map(|bytes| crate::files::fingerprint(&bytes));
    let python = Some(PythonPlan { version: source.version().to_string() });
    ModulePlan { name, fingerprint, named_file, python }
}
