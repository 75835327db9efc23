//! How a declared function is called in the language of its source. Data only: it is kept with the compiled module.

use crate::values::{Form, Outline};
use serde::{Deserialize, Serialize};

/// A function of the user's that tests may call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Declared {
    /// In the language of `--api`.
    pub declaration: String,
    /// The name in it, under which the module exports the function.
    pub name: String,
    /// How a test in the user's language calls it.
    pub how: How,
}

/// How a test in the user's language calls a function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum How {
    /// As Rust.
    Rust(RustCall),
    /// As C.
    C(CCall),
    /// Its language is not known, or tests in it are not written.
    Unknown,
}

/// A call in Rust. Paths in the texts begin with `::subject` where they lead into the user's crate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RustCall {
    /// The name of a method, called on the first of what is passed; or the path of a function.
    pub callee: Callee,
    /// What is passed, in order.
    pub passed: Vec<Passed>,
    /// What comes back.
    pub output: Output,
    /// It may only be called in an `unsafe` block.
    pub is_unsafe: bool,
    /// What it is passed by reference may be kept by a handle, so it has to live as long.
    pub lends: bool,
}

/// What is called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Callee {
    /// `object.name(...)`.
    Method(String),
    /// `path(...)`.
    Path(String),
    /// `format!` with this text.
    Format(String),
}

/// An argument of a call in Rust.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Passed {
    /// What an earlier call returned.
    Handle(Access),
    /// A value made from numbers.
    Value {
        /// Which numbers.
        outline: Outline,
        /// How it is written.
        form: Form,
        /// The function may change it, so that it is looked at afterwards: what it is then.
        changed: Option<Looks>,
    },
}

/// How a call has a value of an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Access {
    /// `&value`.
    Shared,
    /// `&mut value`.
    Mutable,
    /// The value itself.
    Taken,
}

/// What a function gives back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Output {
    /// Nothing worth a look.
    Nothing,
    /// Something that later calls are passed.
    Handle {
        /// How the variable for it may be called.
        name: String,
        /// It is in an `Option` or a `Result`.
        wrapped: Option<Wrapped>,
        /// What the error of the `Result` looks like.
        error: Looks,
    },
    /// A value that a test can compare, which looks like this.
    Value(Looks),
    /// Values that come one after the other, which look like this; the first of them are looked at.
    Iterator(Looks),
}

/// What a value may be wrapped in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Wrapped {
    Option,
    Result,
}

/// What a value looks like when `{:?}` prints it, as far as that can be read back as Rust.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Looks {
    /// A whole number, a truth value or a character: a literal as it stands.
    Plain,
    /// A number with a fraction, of this type.
    Float(String),
    /// A text; whether it is a `String`.
    Text(bool),
    /// What is behind a reference.
    Behind(Box<Looks>),
    #[allow(missing_docs)]
    Option(Box<Looks>),
    #[allow(missing_docs)]
    Result(Box<Looks>, Box<Looks>),
    #[allow(missing_docs)]
    Tuple(Vec<Looks>),
    /// One after the other: what is before the bracket (`vec!`).
    List(String, Box<Looks>),
    /// A struct or an enum of the crate that can be compared: its path, and its variants (a struct is its own only one).
    Own(String, Vec<Variant>),
    /// Only its text can be compared.
    Debug,
}

/// A struct or a variant as `{:?}` prints it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variant {
    /// The name that is printed.
    pub name: String,
    /// The path that is written.
    pub path: String,
    /// Its fields, with their names where they have some.
    pub fields: Vec<(Option<String>, Looks)>,
}

/// A call in C.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CCall {
    /// The function's name in the source.
    pub function: String,
    /// What is passed, in order.
    pub passed: Vec<CPassed>,
    /// What comes back, in C; empty for nothing.
    pub result: String,
    /// How a variable for the handle that comes back may be called.
    pub variable: Option<String>,
}

/// An argument of a call in C.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CPassed {
    /// What an earlier call returned.
    Handle,
    /// A number of this type.
    Number(String),
    /// The address of values of this type.
    Array(String),
    /// A text.
    Text,
    /// The name of a function, and numbers that the declaration gives.
    Given,
}
