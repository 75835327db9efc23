//! What to open, and with what.

use std::path::PathBuf;
use std::time::Duration;

/// What to open, and with what.
#[derive(Clone, Debug)]
pub struct PythonSettings {
    /// The interpreter; `None` for that of the active virtual environment, else `python3`, else `python`.
    pub python: Option<PathBuf>,
    /// The file.
    pub file: PathBuf,
    /// How long the file may take to be imported, and a run to give a sign of life. Python code gives one all the time; C code
    /// does not.
    pub patience: Duration,
    /// Where library modules are kept that were prepared for symbolic runs, which takes up to some seconds; none keeps nothing.
    /// It must be a directory that only its owner can write to, or nothing in it is used.
    pub cache: Option<PathBuf>,
}

impl PythonSettings {
    /// The defaults for a file.
    pub fn new(file: impl Into<PathBuf>) -> PythonSettings {
        PythonSettings {
            python: None,
            file: file.into(),
            patience: Duration::from_secs(10),
            cache: PythonSettings::usual_cache(),
        }
    }

    /// `$XDG_CACHE_HOME/pessimum/python`, or the same below `~/.cache`.
    fn usual_cache() -> Option<PathBuf> {
        let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let directory = absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")))?;
        Some(directory.join("pessimum/python"))
    }
}
