//! What could not be done, and where.

use std::fmt;

/// A message for human readers that begins with the place: a file, a flag, a size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(String);

impl Error {
    /// An error without a place.
    pub fn new(message: impl Into<String>) -> Error {
        Error(message.into())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

/// Says where something went wrong.
pub trait At<T> {
    /// Puts the place before the message.
    fn at(self, place: impl fmt::Display) -> Result<T, Error>;
}

impl<T, E: fmt::Display> At<T> for Result<T, E> {
    fn at(self, place: impl fmt::Display) -> Result<T, Error> {
        self.map_err(|error| Error(format!("{place}: {error}")))
    }
}
