//! How an argument is made of variables: for the worker, and as Python source for people.

use pessimum_input::{Group, Kind, float_value, sign_extend};
use pessimum_term::{VariableId, Witness};
use serde_json::{Value, json};
use std::fmt::Write as _;

use super::TextKind;

/// Containers of values of one type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Many {
    List,
    Set,
    FrozenSet,
    Deque,
    Tuple,
}

impl Many {
    fn name(self) -> &'static str {
        match self {
            Many::List => "list",
            Many::Set => "set",
            Many::FrozenSet => "frozenset",
            Many::Deque => "deque",
            Many::Tuple => "tuple of",
        }
    }
}

/// How a value is made. Numbers name a column: consecutive variables that are taken one after the other.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Recipe {
    Int(usize),
    Bool(usize),
    Float(usize),
    Text(TextKind, u32, usize),
    Many(Many, u32, Box<Recipe>),
    Dict(u32, Box<(Recipe, Recipe)>),
    Tuple(Vec<Recipe>),
    Make(String, Vec<(String, Recipe)>),
    /// One of these as Python source: names of the file, or constants.
    Choice(Vec<(Choice, String)>, usize),
    Constant(String),
}

/// What there is to choose from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// A name of the file, as that of a member of an enumeration.
    Name,
    Constant,
}

impl Recipe {
    /// For the worker; see `worker/values.py`.
    pub fn to_json(&self) -> Value {
        match self {
            Recipe::Int(column) => json!(["int", column]),
            Recipe::Bool(column) => json!(["bool", column]),
            Recipe::Float(column) => json!(["float", column]),
            Recipe::Text(kind, count, column) => json!([kind.name(), count, column]),
            Recipe::Many(kind, count, of) => json!([kind.name(), count, of.to_json()]),
            Recipe::Dict(count, of) => json!(["dict", count, of.0.to_json(), of.1.to_json()]),
            Recipe::Tuple(of) => json!(["tuple", of.iter().map(Recipe::to_json).collect::<Vec<Value>>()]),
            Recipe::Make(name, fields) => {
                let fields: Vec<Value> = fields.iter().map(|(name, of)| json!([name, of.to_json()])).collect();
                json!(["make", name, fields])
            }
            Recipe::Choice(of, column) => {
                let of = of.iter().map(|(kind, text)| match kind {
                    Choice::Name => json!(["name", text]),
                    Choice::Constant => json!(["constant", text]),
                });
                json!(["choice", of.collect::<Vec<Value>>(), column])
            }
            Recipe::Constant(text) => json!(["constant", text]),
        }
    }

    /// Whether the form that inputs have in files says all: numbers, texts, and lists of them.
    pub fn is_plain(&self) -> bool {
        match self {
            Recipe::Int(_) | Recipe::Float(_) | Recipe::Text(TextKind::Str, ..) => true,
            Recipe::Many(Many::List, _, of) => of.is_plain(),
            // A number, or a text in quotes of its own.
            Recipe::Constant(text) => text.parse::<i64>().is_ok(),
            _ => false,
        }
    }

    /// As Python source; `next` is the number of variables of each column that are used up.
    pub fn source(&self, columns: &[Group], next: &mut [u32], input: &Witness, into: &mut String) {
        let mut take = |column: usize| {
            next[column] += 1;
            input.get(VariableId(columns[column].first + next[column] - 1))
        };
        match self {
            Recipe::Int(column) => {
                let (kind, bits) = (columns[*column].kind, take(*column));
                let _ = match kind.is_signed() {
                    true => write!(into, "{}", sign_extend(bits, kind.width())),
                    false => write!(into, "{bits}"),
                };
            }
            Recipe::Bool(column) => into.push_str(if take(*column) == 0 { "False" } else { "True" }),
            Recipe::Float(column) => into.push_str(&float_source(float_value(Kind::F64, take(*column)))),
            Recipe::Text(kind, count, column) => {
                let codes: Vec<u32> = (0..*count).map(|_| take(*column) as u32).collect();
                into.push_str(&text_source(*kind, &codes));
            }
            Recipe::Many(kind, count, of) => {
                let (open, close) = match kind {
                    Many::List => ("[", "]"),
                    Many::Set if *count == 0 => ("set(", ")"),
                    Many::Set => ("{", "}"),
                    Many::FrozenSet => ("frozenset([", "])"),
                    Many::Deque => ("deque([", "])"),
                    Many::Tuple if *count == 1 => ("(", ",)"),
                    Many::Tuple => ("(", ")"),
                };
                into.push_str(open);
                for at in 0..*count {
                    into.push_str(if at > 0 { ", " } else { "" });
                    of.source(columns, next, input, into);
                }
                into.push_str(close);
            }
            Recipe::Dict(count, of) => {
                into.push('{');
                for at in 0..*count {
                    into.push_str(if at > 0 { ", " } else { "" });
                    of.0.source(columns, next, input, into);
                    into.push_str(": ");
                    of.1.source(columns, next, input, into);
                }
                into.push('}');
            }
            Recipe::Tuple(of) => {
                into.push('(');
                for (at, of) in of.iter().enumerate() {
                    into.push_str(if at > 0 { ", " } else { "" });
                    of.source(columns, next, input, into);
                }
                into.push_str(if of.len() == 1 { ",)" } else { ")" });
            }
            Recipe::Make(name, fields) => {
                let _ = write!(into, "{name}(");
                for (at, (field, of)) in fields.iter().enumerate() {
                    let _ = write!(into, "{}{field}=", if at > 0 { ", " } else { "" });
                    of.source(columns, next, input, into);
                }
                into.push(')');
            }
            Recipe::Choice(of, column) => {
                let chosen = of.get(take(*column) as usize);
                into.push_str(chosen.map_or("None", |(_, text)| text));
            }
            Recipe::Constant(text) => into.push_str(text),
        }
    }
}

fn float_source(value: f64) -> String {
    match value {
        _ if value.is_nan() => "float('nan')".to_string(),
        f64::INFINITY => "float('inf')".to_string(),
        f64::NEG_INFINITY => "float('-inf')".to_string(),
        _ => format!("{value:?}"),
    }
}

/// A text as Python would show it, but for characters that some terminals would not.
fn text_source(kind: TextKind, codes: &[u32]) -> String {
    let is_str = kind == TextKind::Str;
    let quote = if codes.contains(&39) && !codes.contains(&34) { '"' } else { '\'' };
    let mut text = String::new();
    text.push(quote);
    for &code in codes {
        let _ = match char::from_u32(code) {
            Some('\n') => write!(text, "\\n"),
            Some('\r') => write!(text, "\\r"),
            Some('\t') => write!(text, "\\t"),
            Some('\\') => write!(text, "\\\\"),
            Some(c) if c == quote => write!(text, "\\{c}"),
            Some(c @ ' '..='~') => write!(text, "{c}"),
            Some(c) if is_str && code > 0xff && c.is_alphanumeric() => write!(text, "{c}"),
            _ if code <= 0xff => write!(text, "\\x{code:02x}"),
            _ if code <= 0xffff => write!(text, "\\u{code:04x}"),
            _ => write!(text, "\\U{code:08x}"),
        };
    }
    text.push(quote);
    match kind {
        TextKind::Str => text,
        TextKind::Bytes => format!("b{text}"),
        TextKind::ByteArray => format!("bytearray(b{text})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_written_as_python_reads_them() {
        let codes = |text: &str| text.chars().map(u32::from).collect::<Vec<u32>>();
        assert_eq!(text_source(TextKind::Str, &codes("it's\n\\\u{1}é\u{1f600}")), r#""it's\n\\\x01\xe9\U0001f600""#);
        assert_eq!(text_source(TextKind::Str, &codes("'\"")), r#"'\'"'"#);
        assert_eq!(text_source(TextKind::Bytes, &[0, 255, 65]), r"b'\x00\xffA'");
        assert_eq!(float_source(1e300), "1e300");
        assert_eq!(float_source(-0.0), "-0.0");
        assert_eq!(float_source(f64::NAN), "float('nan')");
    }
}
