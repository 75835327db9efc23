//! Why a module could not be loaded or linked.

/// What is wrong with a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadErrorKind {
    /// The text or the bytes are not well formed, or the module does not validate.
    #[error("not a valid WebAssembly module")]
    Invalid,
    /// The module may be valid but needs a feature that is not supported; the message names it.
    #[error("not supported")]
    Unsupported,
}

/// A module that cannot be run, and where the problem is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}: {message} ({}byte offset {offset:#x})", function.map(|index| format!("function {index}, ")).unwrap_or_default())]
pub struct LoadError {
    /// What is wrong.
    pub kind: LoadErrorKind,
    /// The function whose body contains the place, by its index in the module.
    pub function: Option<u32>,
    /// Offset from the start of the module's bytes (for text: of the bytes it translates to).
    pub offset: u64,
    /// What was found, in words.
    pub message: String,
}

/// Why a module could not be instantiated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    /// Nothing was given for an import.
    #[error("unknown import: the module imports `{module}.{name}`, which is not provided")]
    Missing {
        /// The import's module.
        module: String,
        /// The import's name.
        name: String,
    },
    /// What was given for an import has a different type.
    #[error("incompatible import type: `{module}.{name}` should be {wanted}, but is {found}")]
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
    #[error("{0}")]
    TooLarge(String),
    /// Filling in tables and memories trapped.
    #[error("the module trapped while its tables and memory were filled in: {0}")]
    Trapped(crate::Trap),
}
