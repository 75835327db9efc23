//! Flags for Python programs, and how `--call` is read in either language.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

use clap::Args;
use pessimum_input::{InputPlan, Signature, SyntaxError};
use pessimum_python::{PythonCall, PythonSource};
use pessimum_session::RunPython;

/// Whether the Python file of a saved result may be run, and by what.
#[derive(Clone, Debug, Default, Args)]
pub struct PythonFlags {
    /// Run the Python file that the saved result names. It is not part of the result, and runs with all your rights
    #[arg(long)]
    pub run_python: bool,

    /// The Python interpreter, 3.10 or later [default: that of the active virtual environment, else python3]
    #[arg(long, value_name = "PATH")]
    pub python: Option<PathBuf>,
}

impl PythonFlags {
    /// As sessions understand it.
    pub fn run(&self) -> RunPython {
        RunPython { allowed: self.run_python, python: self.python.clone(), directory: None }
    }
}

/// `--call`. Its language is that of the program, which is known only once all flags are read.
#[derive(Clone, Debug)]
pub enum CallFlag {
    /// A call as WebAssembly has it.
    Wasm(Signature),
    /// A call that was not read yet, or cannot be: then with what is wrong with it as WebAssembly.
    Text(String, Option<SyntaxError>),
    /// A call of a Python function.
    Python(PythonCall),
}

impl CallFlag {
    /// Reads it as WebAssembly, if possible.
    pub fn read(text: &str) -> CallFlag {
        match Signature::parse(text) {
            Ok(signature) => CallFlag::Wasm(signature),
            Err(error) => CallFlag::Text(text.to_string(), Some(error)),
        }
    }

    /// As it was written, or completed.
    pub fn text(&self) -> &str {
        match self {
            CallFlag::Wasm(signature) => signature.text(),
            CallFlag::Text(text, _) => text,
            CallFlag::Python(call) => call.text(),
        }
    }

    /// The call, if it is one of WebAssembly.
    pub fn wasm(&self) -> Option<&Signature> {
        match self {
            CallFlag::Wasm(signature) => Some(signature),
            _ => None,
        }
    }

    /// The names of the sizes in it.
    pub fn sizes(&self) -> BTreeSet<String> {
        match self {
            CallFlag::Wasm(signature) => signature.sizes(),
            CallFlag::Text(..) => BTreeSet::new(),
            CallFlag::Python(call) => call.sizes().clone(),
        }
    }

    /// What is doubtful about it.
    pub fn doubts(&self, plan: &InputPlan) -> Vec<String> {
        self.wasm().map_or(Vec::new(), |call| call.doubts(plan))
    }
}

/// A Python file that was opened when the call was completed: importing it twice would take twice as long.
#[derive(Clone, Default)]
pub struct Opened(pub Option<PythonSource>);

impl fmt::Debug for Opened {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Opened").field(&self.0.as_ref().map(PythonSource::file)).finish()
    }
}

/// Whether this is a file of Python, by its name.
pub fn is_python(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("py"))
}
