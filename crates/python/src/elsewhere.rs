//! Where there are no processes as Unix has them: nothing can be started, and this is said.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::PythonError;
use crate::hang::Place;
use crate::wire::Frame;

/// What became of a worker instead of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(dead_code)]
pub enum Lost {
    Exited(i32),
    Signal(i32),
    Late,
    Broken,
}

/// What waiting has brought.
#[allow(dead_code)]
pub enum Waited {
    Frame(Frame),
    Nothing,
    Lost(Lost),
}

/// A worker process, of which there is none.
pub enum Process {}

impl Process {
    pub fn start(_python: &Path) -> Result<Process, PythonError> {
        Err(PythonError::Platform)
    }

    pub fn version(_python: &Path) -> Result<String, String> {
        Err(String::new())
    }

    pub fn send(&mut self, _kind: u8, _body: &[u8]) {
        match *self {}
    }

    pub fn wait(&mut self, _patience: Duration) -> Waited {
        match *self {}
    }

    pub fn give_up(&mut self) -> Lost {
        match *self {}
    }

    pub fn places(&mut self) -> Vec<Place> {
        match *self {}
    }

    pub fn set_unwinding(&mut self) {
        match *self {}
    }

    pub fn is_ready(&mut self) -> bool {
        match *self {}
    }
}

/// Searches are refused before an interpreter is looked for.
pub fn find_interpreter(_named: Option<&Path>) -> Result<PathBuf, String> {
    Ok(PathBuf::new())
}
