//! Why a module could not be loaded or linked.

use std::fmt;

/// What is wrong with a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadErrorKind {
    /// The text or the bytes are not well formed, or the module does not validate.
    Invalid,
    /// The module is (or may be) fine but needs a feature that is not there; the message names it.
    Unsupported,
}

/// A module that cannot be run, and where it goes wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadError {
    /// What is wrong.
    pub kind: LoadErrorKind,
    /// The function whose body holds the place, by its index in the module.
    pub function: Option<u32>,
    /// Offset from the start of the module's bytes (for text: of the bytes it translates to).
    pub offset: u64,
    /// What was found, in words.
    pub message: String,
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            LoadErrorKind::Invalid => "not a valid WebAssembly module",
            LoadErrorKind::Unsupported => "not supported",
        };
        write!(f, "{kind}: {}", self.message)?;
        match self.function {
            Some(function) => write!(f, " (function {function}, byte offset {:#x})", self.offset),
            None => write!(f, " (byte offset {:#x})", self.offset),
        }
    }
}

impl std::error::Error for LoadError {}

/// Why a module could not be made an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkError {
    /// Nothing was given for an import.
    Missing {
        /// The import's module.
        module: String,
        /// The import's name.
        name: String,
    },
    /// What was given for an import has another type.
    WrongType {
        /// The import's module.
        module: String,
        /// The import's name.
        name: String,
        /// What the module wants.
        wanted: String,
        /// What it was given.
        found: String,
    },
    /// The memory or tables that the module starts with are larger than the limits in the settings.
    TooLarge(String),
    /// Filling in tables and memories trapped.
    Trapped(crate::Trap),
}

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LinkError::Missing { module, name } => write!(f, "unknown import `{module}.{name}`"),
            LinkError::WrongType { module, name, wanted, found } => {
                write!(f, "incompatible import type: `{module}.{name}` should be {wanted}, but is {found}")
            }
            LinkError::TooLarge(what) => f.write_str(what),
            LinkError::Trapped(trap) => {
                write!(f, "the module trapped while its tables and memory were filled in: {trap}")
            }
        }
    }
}

impl std::error::Error for LinkError {}
