//! Values as the language of the source writes them, made from the numbers that a call is passed.
//!
//! Code of ours that makes the values of a function's parameters says in a section of the module how each of them is
//! written, so that results, however old, can show `["abc", "de"]` instead of lengths and bytes.

mod cpp;
mod numbers;
mod shown;

use std::collections::{BTreeMap, BTreeSet};

use pessimum_input::{Argument, InputPlan};
use pessimum_term::Witness;
use pessimum_wasm::Module;
use serde::{Deserialize, Serialize};

pub use numbers::{Datum, Scalar, datum, numbers, written};
pub use shown::ANSWERS;

/// The section of a module that says how values are written: JSON of [`Values`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// In Rust.
    Rust,
    /// In C++.
    Cpp,
}

impl Section {
    /// Its name in the module.
    pub const fn name(self) -> &'static str {
        match self {
            Section::Rust => "pessimum.values",
            Section::Cpp => "pessimum.values.cpp",
        }
    }
}

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

/// The arguments of a call of this function as its author would write them, where the module knows that; none where they
/// are what `--input` takes. `plan` is the input that the call is passed.
pub fn arguments(module: &Module, function: &str, plan: &InputPlan, input: &Witness) -> Option<Vec<String>> {
    let (section, all) = of_module(module)?;
    let known = all.get(function)?;
    let given: Vec<Vec<Scalar>> =
        plan.arguments.iter().map(|argument| numbers(argument, input)).collect::<Option<_>>()?;
    let mut given = given.iter().map(Vec::as_slice);
    let text = match section {
        Section::Rust => shown::shown,
        Section::Cpp => cpp::text,
    };
    let texts: Vec<String> =
        known.iter().map(|one| text(&one.form, &datum(&one.outline, &mut given)?)).collect::<Option<_>>()?;
    given.next().is_none().then_some(texts)
}

/// Marks the bytes in a call of this function that are texts inside other values.
pub fn mark_texts(module: &Module, name: &str, plan: &mut InputPlan) {
    let Some(known) = of_module(module).and_then(|(_, mut all)| all.remove(name)) else { return };
    let Some(places) = plan.arguments.iter().map(numbers::places).collect::<Option<Vec<_>>>() else { return };
    let mut places = places.iter().map(Vec::as_slice);
    let mut texts = BTreeSet::new();
    for one in &known {
        let Some(datum) = datum(&one.outline, &mut places) else { return };
        numbers::texts(&one.form, &datum, &mut texts);
    }
    for group in plan.arguments.iter_mut().flat_map(Argument::groups_mut) {
        group.text = texts.contains(&group.first);
    }
}

/// What the section of a module says; none where it has none, or one that is damaged.
fn of_module(module: &Module) -> Option<(Section, Values)> {
    let find = |kind: Section| {
        let section = module.custom_sections().iter().find(|section| section.name == kind.name())?;
        let values = (section.data.len() <= LONGEST_SECTION).then(|| serde_json::from_slice(&section.data).ok());
        Some((kind, values.flatten()?))
    };
    [Section::Rust, Section::Cpp].into_iter().find_map(find)
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
