//! What a call covers of what the hints permit.

use pessimum_input::{Bounds, Domain, Group, Phrase, codes};

use super::layout::Laid;
use super::recipe::{Choice, Many, Recipe};
use super::{PythonCall, TextKind};
use crate::source::{Function, Parameter};

/// What is searched of what `function` takes.
pub(crate) fn domain(laid: &Laid, call: &PythonCall, function: Option<&Function>) -> Domain {
    let mut domain = Domain::default();
    let parameters: Vec<&Parameter> = function.iter().flat_map(|function| &function.parameters).collect();
    let mut in_order = parameters.iter().copied().filter(|parameter| !parameter.name.starts_with('*'));
    for (at, (name, recipe)) in laid.recipes.iter().enumerate() {
        let is_object = at == 0 && call.has_object;
        let parameter = match name {
            _ if is_object => None,
            None => in_order.next(),
            Some(name) => parameters.iter().copied().find(|parameter| parameter.name == *name),
        };
        let mut phrase = if is_everything(recipe, laid) { Phrase::default() } else { phrase(recipe, laid) };
        if parameter.is_some_and(may_be_none) && !has_none(recipe) {
            phrase = phrase.then(Phrase::new(", never None"));
        }
        let name = parameter.map(|parameter| format!("`{}`", parameter.name));
        let numbered = || if is_object { "the object".to_string() } else { format!("argument {}", at + 1) };
        domain.add(Some(name.unwrap_or_else(numbered)), phrase);
    }
    let is_given = |parameter: &Parameter| laid.recipes.iter().any(|(name, _)| name.as_ref() == Some(&parameter.name));
    for parameter in in_order.filter(|parameter| parameter.default.is_some() && !is_given(parameter)) {
        domain.add(Some(format!("`{}`", parameter.name)), Phrase::new("always its default"));
    }
    domain
}

/// Whether a hint or a default says that `None` may be passed.
fn may_be_none(parameter: &Parameter) -> bool {
    let hint = parameter.hint.as_deref().unwrap_or_default();
    let mut words = hint.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    words.any(|word| matches!(word, "None" | "Optional")) || parameter.default.as_deref() == Some("None")
}

/// Whether `None` is among the values, by itself or as a part.
fn has_none(recipe: &Recipe) -> bool {
    match recipe {
        Recipe::Choice(of, _) => of.iter().any(|(kind, text)| *kind == Choice::Constant && text == "None"),
        Recipe::Constant(text) => text == "None",
        Recipe::Many(_, _, of) => has_none(of),
        Recipe::Dict(_, of) => has_none(&of.0) || has_none(&of.1),
        Recipe::Tuple(of) => of.iter().any(has_none),
        Recipe::Int(_) | Recipe::Bool(_) | Recipe::Float(_) | Recipe::Text(..) | Recipe::Make(..) => false,
    }
}

/// Whether the type has no other values.
fn is_everything(recipe: &Recipe, laid: &Laid) -> bool {
    match recipe {
        Recipe::Bool(_) => true,
        Recipe::Float(column) => laid.columns[*column].bounds.is_none(),
        _ => false,
    }
}

/// The values in words.
fn phrase(recipe: &Recipe, laid: &Laid) -> Phrase {
    let ranged = |what: &str, column: usize, wide: &str| match &laid.columns[column] {
        group if group.bounds.is_some() => format!("{what} in {}", group.range_text()),
        _ => format!("{what}{wide}"),
    };
    match recipe {
        Recipe::Int(column) => Phrase::new(ranged("int", *column, " of 32 bits")),
        Recipe::Float(column) => Phrase::new(ranged("float", *column, "")),
        Recipe::Bool(_) => Phrase::new("bool"),
        Recipe::Text(kind, count, column) => {
            Phrase::many((*count).into(), Phrase::new(characters(*kind, &laid.columns[*column])))
        }
        Recipe::Many(Many::Set | Many::FrozenSet, count, of) => {
            Phrase::at_most((*count).into(), Phrase::new("elements, each").then(phrase(of, laid)))
        }
        Recipe::Many(_, count, of) => {
            Phrase::many((*count).into(), Phrase::new("elements, each").then(phrase(of, laid)))
        }
        Recipe::Dict(count, of) => {
            let key = Phrase::new("keys, each").then(phrase(&of.0, laid));
            Phrase::at_most((*count).into(), key.then(Phrase::new(", to")).then(phrase(&of.1, laid)))
        }
        Recipe::Tuple(of) => listed("(", of.iter(), laid),
        Recipe::Make(name, fields) => listed(&format!("{name}("), fields.iter().map(|(_, of)| of), laid),
        Recipe::Choice(of, _) => Phrase::new(format!("one of {} values", of.len())),
        Recipe::Constant(text) => Phrase::new(format!("only {text}")),
    }
}

fn listed<'r>(open: &str, of: impl Iterator<Item = &'r Recipe>, laid: &Laid) -> Phrase {
    let mut all = Phrase::new(open);
    for (at, recipe) in of.enumerate() {
        all = if at > 0 { all.then(Phrase::new(",")) } else { all };
        all = all.then(phrase(recipe, laid));
    }
    all.then(Phrase::new(")"))
}

/// What stands in a text.
fn characters(kind: TextKind, group: &Group) -> String {
    let what = if kind == TextKind::Str { "characters" } else { "bytes" };
    match group.ranges() {
        None => what.to_string(),
        Some([Bounds::Unsigned { low: 1, high: 127 }]) => format!("{what} of ASCII 1 to 127"),
        Some(ranges) => format!("{what} in {}", codes(ranges)),
    }
}
