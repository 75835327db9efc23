//! What can be wrong before anything runs.

use std::path::PathBuf;

/// Why a file of Python cannot be searched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PythonError {
    /// This front end needs processes with limits as Unix has them.
    #[error("Python programs can be searched on Linux and macOS only")]
    Platform,
    /// No interpreter was found or it does not start.
    #[error("{0}")]
    Interpreter(String),
    /// The interpreter is too old.
    #[error("{python} is Python {version}; Python 3.10 or later is needed (`--python PATH` chooses another one)", python = .python.display())]
    TooOld {
        /// The interpreter.
        python: PathBuf,
        /// Its version.
        version: String,
    },
    /// The file cannot be read.
    #[error("{0}")]
    File(String),
    /// The file is not Python: a syntax error with its place.
    #[error("{0}")]
    Syntax(String),
    /// Importing the file failed: an exception, an exit, no end.
    #[error("{0}")]
    Import(String),
    /// The call does not fit the file.
    #[error("{0}")]
    Call(String),
    /// The call as written has a mistake.
    #[error("{0}")]
    CallSyntax(#[from] pessimum_input::SyntaxError),
    /// The worker did what it should not: a defect of ours, or it was ended from outside.
    #[error("{0}")]
    Worker(String),
}
