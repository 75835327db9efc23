//! Values as the language of the source writes them, made from the numbers that a call is passed.
//!
//! Code of ours that makes the values of a function's parameters says in a section of the module how each of them is
//! written, so that results, however old, can show `["abc", "de"]` instead of lengths and bytes.

mod numbers;
mod shown;

use std::collections::BTreeMap;

use pessimum_term::Witness;
use pessimum_wasm::call::Signature;
use pessimum_wasm::{Module, Subject};
use serde::{Deserialize, Serialize};

use crate::Target;
use crate::plan::{StartPlan, SubjectPlan};

pub use numbers::{Datum, Scalar, datum, numbers, written};
pub use shown::ANSWERS;

/// The section of a module that says how values are written: JSON of [`Values`].
pub const SECTION: &str = "pessimum.values";

/// A longer section is not looked at: it is nothing that we made.
const LONGEST_SECTION: usize = 4 << 20;

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

/// The arguments of a call as its author would write them, where the module knows that; none where they are what
/// `--input` takes.
pub fn arguments(program: &Target, plan: &SubjectPlan, input: &Witness) -> Option<Vec<String>> {
    match program {
        Target::Wasm(program) => of_subject(program.subject(), plan, input),
        Target::Python(target) => target.program.arguments_written(input),
    }
}

/// The same of a module whose input is laid out.
pub fn of_subject(subject: &Subject, plan: &SubjectPlan, input: &Witness) -> Option<Vec<String>> {
    let StartPlan::Call(call) = &plan.start else { return None };
    let all = of_module(subject.module())?;
    let known = all.get(&Signature::parse(call).ok()?.name)?;
    let given: Vec<Vec<Scalar>> =
        subject.plan().arguments.iter().map(|argument| numbers(argument, input)).collect::<Option<_>>()?;
    let mut given = given.iter().map(Vec::as_slice);
    let texts: Vec<String> =
        known.iter().map(|one| shown::shown(&one.form, &datum(&one.outline, &mut given)?)).collect::<Option<_>>()?;
    given.next().is_none().then_some(texts)
}

/// What the section of a module says; none where it has none, or one that is damaged.
fn of_module(module: &Module) -> Option<Values> {
    let section = module.custom_sections().iter().find(|section| section.name == SECTION)?;
    (section.data.len() <= LONGEST_SECTION).then(|| serde_json::from_slice(&section.data).ok()).flatten()
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
}

impl Outline {
    /// Whether a collection in it is passed by a pointer and a number of its own.
    pub fn grows(&self) -> bool {
        match self {
            Outline::Items(..) => true,
            Outline::Record(parts) => parts.iter().any(Outline::grows),
            Outline::Number | Outline::Array(..) => false,
        }
    }
}

/// How a value is written in Rust, once its numbers are known.
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
