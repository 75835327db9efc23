//! Values as the language of the source writes them, made from the numbers that a call is passed.
//!
//! Code of ours that makes the values of a function's parameters says in a section of the module how each of them is
//! written, so that results, however old, can show `["abc", "de"]` instead of lengths and bytes.

pub mod cpp;
mod numbers;
pub mod shown;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use numbers::{Datum, Scalar, datum, numbers, places, texts, written};
pub use shown::ANSWERS;

/// How the arguments of each function are written, by its name.
pub type Values = BTreeMap<String, Vec<Written>>;

/// How one argument is written, in the language of the source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    /// Which numbers it is made from.
    pub outline: Outline,
    /// How it is written.
    pub form: Form,
}

impl Written {
    /// Whether the numbers, as `--input` takes them, read as well.
    pub fn is_plain(&self) -> bool {
        shown::is_plain(&self.form, &self.outline)
    }
}

/// Which numbers a value is made from, as the parameters of a function with a C interface have them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outline {
    /// One number.
    Number,
    /// So many, one after the other.
    Array(Box<Outline>, u64),
    /// These, one after the other.
    Record(Vec<Outline>),
    /// The elements of a collection: by a pointer and their number, or, inside another value, their number and then room
    /// for so many.
    Items(Box<Outline>, usize),
    /// All that there is behind a pointer, whatever its length is.
    All(Box<Outline>),
}

impl Outline {
    /// Whether a collection in it is passed by a pointer and a number of its own.
    pub fn grows(&self) -> bool {
        match self {
            Outline::Items(..) | Outline::All(_) => true,
            Outline::Record(parts) => parts.iter().any(Outline::grows),
            Outline::Number | Outline::Array(..) => false,
        }
    }
}

/// How a value is written in Rust or C++, once its numbers are known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Form {
    /// The same whatever the numbers are.
    Fixed(String),
    /// A number of this type.
    Number(String),
    /// A number of more than 64 bits, of this type: its lower and its upper half.
    Wide(String),
    /// Whether the number is not 0.
    Bool,
    /// The character with this number.
    Char,
    /// A text with its parts in the places `@0@`, `@1@`, and so on.
    Parts(String, Vec<Form>),
    /// The part with this number of what is side by side; all of it without one.
    At(Option<usize>, Box<Form>),
    /// The first form chooses one of the others by its number.
    Choice(Box<Form>, Vec<Form>),
    /// One after the other, with commas between them: what is before them, one of them, and what is after them.
    Items(String, Box<Form>, String),
    /// A statement for each element.
    Statements(Box<Form>),
    /// A text in quotes: what is before and after it.
    Text(String, String),
}

impl Form {
    /// One part in a text, in which its place is `@0@`.
    pub fn around(text: &str, part: Form) -> Form {
        Form::Parts(text.to_string(), vec![part])
    }

    /// Something fixed.
    pub fn fixed(text: &str) -> Form {
        Form::Fixed(text.to_string())
    }
}
