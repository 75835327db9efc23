//! Tests in words: statements as a reader would write them, and names that say what a test is for.

use std::collections::{BTreeMap, BTreeSet};

use pessimum_input::{Argument, DeclaredResult, Kind, Number};
use pessimum_program::WasmLibrary;
use pessimum_report::suite::Statement;
use pessimum_search::objective::Goal;
use pessimum_search::places::Places;
use pessimum_suites::{Call, Library as _, Ran, Returned, Test};
use serde_json::{Value, json};

use crate::Error;

/// The calls of a test with what they are passed and what they returned.
pub fn statements(library: &WasmLibrary, test: &Test, ran: &Ran) -> Result<Vec<Statement>, Error> {
    let (plan, parts) = library.plan(&test.calls).map_err(Error::new)?;
    let encoded = match plan.encode(&test.input, &[]) {
        Value::Array(list) => list,
        _ => Vec::new(),
    };
    let names = handle_names(library, &test.calls);
    let mut statements = Vec::new();
    for (at, (call, part)) in test.calls.iter().zip(parts).enumerate() {
        let declared = &library.declarations()[call.function];
        let (mut arguments, mut shown) = (Vec::new(), Vec::new());
        for index in part {
            match plan.arguments[index] {
                Argument::Returned(handle) => {
                    arguments.push(json!({ "returned": handle }));
                    shown.push(names.get(&handle).cloned().unwrap_or_default());
                }
                _ => {
                    let value = encoded.get(index).cloned().unwrap_or_default();
                    shown.push(if value.is_null() { "out".to_string() } else { value.to_string() });
                    arguments.push(value);
                }
            }
        }
        let name = &declared.signature().name;
        let bound = names.get(&at).map(|name| format!("let {name} = ")).unwrap_or_default();
        let returned = match (&declared.result, ran.returned.get(at).copied().flatten()) {
            (Some(DeclaredResult::Number(kind)), Some(bits)) => {
                let bits = bits & (u64::MAX >> (64 - kind.width()));
                Some(match kind {
                    Kind::Bool => json!(bits != 0),
                    _ => Number { kind: *kind, bits }.to_json(),
                })
            }
            _ => None,
        };
        statements.push(Statement {
            text: format!("{bound}{name}({})", shown.join(", ")),
            call: name.clone(),
            arguments,
            returned,
        });
    }
    Ok(statements)
}

/// Names of what calls return that later ones are passed: `list`, or `list1` and `list2` where there are several.
fn handle_names(library: &WasmLibrary, calls: &[Call]) -> BTreeMap<usize, String> {
    let used: BTreeSet<usize> = calls.iter().flat_map(|call| call.handles.iter().copied()).collect();
    let mut by_type: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, call) in calls.iter().enumerate().filter(|(at, _)| used.contains(at)) {
        if let Returned::Handle(ty) = library.functions()[call.function].returned {
            by_type.entry(ty).or_default().push(at);
        }
    }
    let mut names = BTreeMap::new();
    for (ty, made) in by_type {
        let name = snake(&library.handle_types()[ty]);
        for (number, &at) in (1..).zip(&made) {
            names.insert(at, if made.len() == 1 { name.clone() } else { format!("{name}{number}") });
        }
    }
    names
}

/// A name for a test that is in the suite because of these goals: the function where most of them are, and a line there.
pub fn test_name(places: &Places, adds: &BTreeSet<Goal>, trap: Option<&str>, taken: &mut BTreeSet<String>) -> String {
    let place = |goal: &Goal| match goal {
        Goal::Arm(site, _) => {
            let place = places.sites.get(site.0 as usize)?;
            Some((place.function, place.line))
        }
        Goal::Line(line) => {
            let function = places.line_functions.get(*line as usize)?.first()?;
            Some((*function, Some(*line)))
        }
        Goal::Function(function) => Some((*function, None)),
        Goal::Trap(_) => None,
    };
    let mut found: BTreeMap<u32, (usize, Option<u32>)> = BTreeMap::new();
    for (function, line) in adds.iter().filter_map(place) {
        let (count, first) = found.entry(function).or_default();
        *count += 1;
        *first = [*first, line].into_iter().flatten().min();
    }
    let most = found.into_iter().max_by_key(|(function, (count, _))| (*count, std::cmp::Reverse(*function)));
    let mut name = match most {
        Some((function, (_, line))) => {
            let function = places.functions.get(function as usize).map_or("", String::as_str);
            let line = line.and_then(|line| places.lines.get(line as usize)).map(|line| format!("_line_{}", line.line));
            snake(&short(function)) + &line.unwrap_or_default()
        }
        None => "test".to_string(),
    };
    if let Some(trap) = trap {
        name = format!("{name}_{}", snake(trap));
    }
    let mut unique = name.clone();
    let mut number = 2;
    while !taken.insert(unique.clone()) {
        unique = format!("{name}_{number}");
        number += 1;
    }
    unique
}

/// A function by its own name and that of its type: `<ring::RingBuffer<u32>>::push` is `RingBuffer::push`.
fn short(function: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let words: Vec<&str> = function.split(|c| !is_word(c)).filter(|word| !word.is_empty()).collect();
    let Some((last, before)) = words.split_last() else { return function.to_string() };
    let owner = before.iter().find(|word| word.starts_with(char::is_uppercase));
    owner.map_or(last.to_string(), |owner| format!("{owner}::{last}"))
}

/// A name of any language as one of Rust's and C's variables and functions: `RingBuffer<u32>::new` is `ring_buffer_u32_new`.
pub fn snake(name: &str) -> String {
    let mut snake = String::new();
    let mut before = '_';
    for c in name.chars() {
        if c.is_ascii_alphanumeric() {
            if c.is_ascii_uppercase() && (before.is_ascii_lowercase() || before.is_ascii_digit()) {
                snake.push('_');
            }
            snake.push(c.to_ascii_lowercase());
        } else if !snake.ends_with('_') && !snake.is_empty() {
            snake.push('_');
        }
        before = c;
    }
    let trimmed = snake.trim_end_matches('_');
    match trimmed.chars().next() {
        None => "value".to_string(),
        Some(c) if c.is_ascii_digit() => format!("value_{trimmed}"),
        Some(_) => trimmed.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_named_with_their_type() {
        assert_eq!(short("<ring::RingBuffer<u32>>::push"), "RingBuffer::push");
        assert_eq!(short("core::fmt::write"), "write");
        assert_eq!(short("list_add"), "list_add");
    }

    #[test]
    fn names_of_any_language_become_variables() {
        for (name, expected) in [
            ("RingBuffer<u32>::new", "ring_buffer_u32_new"),
            ("LRUCache", "lrucache"),
            ("list", "list"),
            ("<T as Trait>::f", "t_as_trait_f"),
            ("2d", "value_2d"),
            ("~", "value"),
        ] {
            assert_eq!(snake(name), expected);
        }
    }
}
