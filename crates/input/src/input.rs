//! The JSON form of an input.
//!
//! A bare call is a list with one entry per argument: a number, a list of numbers, a string for `str` (a list of
//! bytes where they are not UTF-8), a list of its fields for a record, lists of these for arrays of records and of
//! arrays, `null` for `out`; concrete arguments carry their value. Bytes may also be given as a string, as
//! `{"text": "..."}` or as `{"bytes": "00ff"}` in hex. Anything more is an
//! object with `arguments` (that list), `stdin` and `args` and `files` (bytes in hex, or `{"text": "..."}` on the
//! way in), and `values`: what the program itself asked for, in order, each as `{"i32": 5}`, `{"i64": 5}`,
//! `{"f32": 0.5}`, `{"f64": 0.5}` or `{"bytes": "00ff"}`. Floats that JSON lacks are `"inf"`, `"-inf"` and
//! `"nan:0x7ff8000000000000"` (the bit pattern).

use serde_json::{Map, Value, json};

use super::{
    Argument, Content, Group, InputPlan, Kind, MAX_VARIABLES, Shape, Structure, float_bits, float_value, sign_extend,
};
use pessimum_term::{VariableId, Witness};

/// One answer to a question that the program asked through an import of module `pessimum`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GuestValue {
    /// Number of the (first) variable.
    pub first: VariableId,
    /// What was asked for.
    pub kind: Kind,
    /// Number of bytes for `bytes`; `None` for one scalar.
    pub bytes: Option<u32>,
}

/// An input that does not fit its plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {message}")]
pub struct InputError {
    /// The place in the JSON, for example `input[0][3]`.
    pub path: String,
    /// What is wrong.
    pub message: String,
}

fn error<T>(path: &str, message: impl Into<String>) -> Result<T, InputError> {
    Err(InputError { path: path.to_string(), message: message.into() })
}

impl InputPlan {
    /// Reads an input. The answers to the program's own questions are returned alongside the witness, so that their
    /// kinds can be compared with what the program then asks.
    pub fn decode(&self, input: &Value) -> Result<(Witness, Vec<GuestValue>), InputError> {
        let mut values: Vec<u64> = self.default_witness().values().to_vec();
        let mut guest = Vec::new();
        match input {
            Value::Array(list) => self.decode_arguments("input", list, &mut values)?,
            Value::Object(object) => {
                for (key, value) in object {
                    let path = format!("input.{key}");
                    match key.as_str() {
                        "arguments" => match value {
                            Value::Array(list) => self.decode_arguments(&path, list, &mut values)?,
                            other => return error(&path, format!("expected a list, found {}", describe(other))),
                        },
                        "stdin" => match &self.stdin {
                            Some(group) => decode_bytes(&path, value, group, &mut values)?,
                            None => {
                                let length = bytes(&path, value)?.len();
                                if length > 0 {
                                    return error(&path, format!("{length} bytes for a standard input of length 0"));
                                }
                            }
                        },
                        "args" => self.decode_command_line(&path, value, &mut values)?,
                        "files" => self.decode_files(&path, value, &mut values)?,
                        "values" => guest = self.decode_guest(&path, value, &mut values)?,
                        _ => {
                            let known = "known keys are arguments, stdin, args, files, values";
                            return error("input", format!("unknown key `{key}`; {known}"));
                        }
                    }
                }
            }
            other => return error("input", format!("expected a list or an object, found {}", describe(other))),
        }
        Ok((Witness::new(values), guest))
    }

    fn decode_arguments(&self, path: &str, list: &[Value], values: &mut [u64]) -> Result<(), InputError> {
        if list.len() != self.arguments.len() {
            let (given, wanted) = (list.len(), self.arguments.len());
            return error(
                path,
                format!("{given} entries for a call with {wanted} arguments; each argument needs one entry"),
            );
        }
        for (i, (argument, value)) in self.arguments.iter().zip(list).enumerate() {
            let path = format!("{path}[{i}]");
            match argument {
                Argument::Scalar(group) => {
                    values[group.first as usize] = decode_number(&path, value, group.kind, group)?;
                }
                Argument::Buffer(group) | Argument::Text(group) => decode_list(&path, value, group, values)?,
                Argument::Structure(structure) if structure.is_input() => {
                    let mut next = vec![0; structure.columns.len()];
                    decode_shape(&path, value, structure, &structure.shape, &mut next, values)?;
                }
                Argument::Structure(_) | Argument::Zeroed { .. } => {
                    if !value.is_null() {
                        return error(&path, "this argument is `out`: its buffer starts as zeros, so write null here");
                    }
                }
                Argument::Constant(expected) => {
                    if !value.is_null() && *value != constant(expected) {
                        return error(
                            &path,
                            format!("the call sets this argument to {}, not {value}", constant(expected)),
                        );
                    }
                }
                Argument::Returned(call) => {
                    if !value.is_null() {
                        return error(
                            &path,
                            format!("this argument is what call {} returned, so write null here", call + 1),
                        );
                    }
                }
                Argument::Function(name) => {
                    if !value.is_null() && *value != json!(format!("&{name}")) {
                        return error(&path, format!("the call sets this argument to \"&{name}\", not {value}"));
                    }
                }
                Argument::Integer(expected) => {
                    let equal = whole_number(value) == Some(*expected) || value.as_f64() == Some(*expected as f64);
                    if !value.is_null() && !equal {
                        return error(&path, format!("the call sets this argument to {expected}, not {value}"));
                    }
                }
                Argument::Float(expected) => {
                    if !value.is_null() && value.as_f64() != Some(*expected) {
                        return error(&path, format!("the call sets this argument to {expected}, not {value}"));
                    }
                }
            }
        }
        Ok(())
    }

    fn decode_command_line(&self, path: &str, value: &Value, values: &mut [u64]) -> Result<(), InputError> {
        let Value::Array(list) = value else {
            return error(path, format!("expected a list, found {}", describe(value)));
        };
        if list.len() != self.command_line.len() {
            let (given, wanted) = (list.len(), self.command_line.len());
            return error(path, format!("{given} entries, but the command line has {wanted} arguments"));
        }
        for (i, (content, value)) in self.command_line.iter().zip(list).enumerate() {
            decode_content(&format!("{path}[{i}]"), value, content, values)?;
        }
        Ok(())
    }

    fn decode_files(&self, path: &str, value: &Value, values: &mut [u64]) -> Result<(), InputError> {
        let Value::Object(object) = value else {
            return error(path, format!("expected an object, found {}", describe(value)));
        };
        for (name, value) in object {
            let path = format!("{path}[{name:?}]");
            let Some((_, content)) = self.files.iter().find(|(file, _)| file == name) else {
                return error(&path, "the program was given no file with this name".to_string());
            };
            decode_content(&path, value, content, values)?;
        }
        Ok(())
    }

    fn decode_guest(&self, path: &str, value: &Value, values: &mut Vec<u64>) -> Result<Vec<GuestValue>, InputError> {
        let Value::Array(list) = value else {
            return error(path, format!("expected a list, found {}", describe(value)));
        };
        let mut guest = Vec::new();
        for (i, entry) in list.iter().enumerate() {
            let path = format!("{path}[{i}]");
            let (key, value) = match entry {
                Value::Object(object) if object.len() == 1 => object.iter().next().expect("one entry"),
                other => {
                    let forms = "expected {\"i32\": N}, {\"i64\": N}, {\"f32\": X}, {\"f64\": X} or {\"bytes\": HEX}";
                    return error(&path, format!("{forms}, found {}", describe(other)));
                }
            };
            let first = VariableId(values.len() as u32);
            let kind = match key.as_str() {
                "i32" => Kind::I32,
                "i64" => Kind::I64,
                "f32" => Kind::F32,
                "f64" => Kind::F64,
                "bytes" => {
                    let content = bytes(&path, value)?;
                    values.extend(content.iter().map(|&byte| u64::from(byte)));
                    guest.push(GuestValue { first, kind: Kind::U8, bytes: Some(content.len() as u32) });
                    continue;
                }
                _ => return error(&path, format!("unknown kind `{key}`; known kinds are i32, i64, f32, f64, bytes")),
            };
            let group = Group::new(first.0, 1, kind);
            values.push(decode_number(&path, value, kind, &group)?);
            guest.push(GuestValue { first, kind, bytes: None });
        }
        if values.len() as u64 > MAX_VARIABLES {
            return error(path, format!("more than {MAX_VARIABLES} input variables"));
        }
        Ok(guest)
    }

    /// Writes an input: the reverse of [`InputPlan::decode`].
    pub fn encode(&self, witness: &Witness, guest: &[GuestValue]) -> Value {
        let arguments: Vec<Value> = self.arguments.iter().map(|argument| encode_argument(argument, witness)).collect();
        let plain = self.stdin.is_none() && self.command_line.is_empty() && self.files.is_empty();
        if plain && guest.is_empty() {
            return Value::Array(arguments);
        }
        let mut object = Map::new();
        if !arguments.is_empty() {
            object.insert("arguments".into(), Value::Array(arguments));
        }
        if let Some(group) = &self.stdin {
            object.insert("stdin".into(), json!(hex(&group_bytes(group, witness))));
        }
        let content = |content: &Content| match content {
            Content::Input(group) => json!(hex(&group_bytes(group, witness))),
            Content::Fixed(bytes) => json!(hex(bytes)),
        };
        if !self.command_line.is_empty() {
            object.insert("args".into(), self.command_line.iter().map(content).collect());
        }
        if !self.files.is_empty() {
            let files = self.files.iter().map(|(name, file)| (name.clone(), content(file)));
            object.insert("files".into(), Value::Object(files.collect()));
        }
        if !guest.is_empty() {
            let values = guest.iter().map(|asked| match asked.bytes {
                Some(count) => {
                    let group = Group::new(asked.first.0, count, Kind::U8);
                    json!({ "bytes": hex(&group_bytes(&group, witness)) })
                }
                None => json!({ asked.kind.name(): encode_number(asked.kind, witness.get(asked.first)) }),
            });
            object.insert("values".into(), values.collect());
        }
        Value::Object(object)
    }

    /// The bytes of an argument, of standard input or of a file under a witness.
    pub fn content_bytes(content: &Content, witness: &Witness) -> Vec<u8> {
        match content {
            Content::Input(group) => group_bytes(group, witness),
            Content::Fixed(bytes) => bytes.to_vec(),
        }
    }
}

/// Bytes that the call gives, as text where they are text.
fn constant(bytes: &[u8]) -> Value {
    match std::str::from_utf8(bytes) {
        Ok(text) => json!(text),
        Err(_) => json!(bytes),
    }
}

fn encode_argument(argument: &Argument, witness: &Witness) -> Value {
    let numbers = |group: &Group| -> Value {
        group.variables().map(|variable| encode_number(group.kind, witness.get(variable))).collect()
    };
    match argument {
        Argument::Scalar(group) => encode_number(group.kind, witness.get(VariableId(group.first))),
        Argument::Structure(structure) if structure.is_input() => {
            let bits = |column: usize, at: usize| {
                let first = structure.columns[column].group.as_ref().map_or(0, |group| group.first);
                witness.get(VariableId(first + at as u32))
            };
            structure.nested_texts(&mut |column, at, count| match count {
                None => encode_number(structure.columns[column].kind, bits(column, at)),
                Some(count) => characters((0..count).map(|i| bits(column, at + i))),
            })
        }
        Argument::Buffer(group) | Argument::Text(group) if group.characters => {
            characters((group.first..group.first + group.count).map(|number| witness.get(VariableId(number))))
        }
        Argument::Buffer(group) if !group.utf8 => numbers(group),
        Argument::Text(group) | Argument::Buffer(group) => match String::from_utf8(group_bytes(group, witness)) {
            Ok(text) => Value::String(text),
            Err(_) => numbers(group),
        },
        Argument::Zeroed { .. } | Argument::Structure(_) => Value::Null,
        Argument::Constant(bytes) => constant(bytes),
        Argument::Function(name) => json!(format!("&{name}")),
        Argument::Returned(_) => Value::Null,
        Argument::Integer(value) => match (i64::try_from(*value), u64::try_from(*value)) {
            (Ok(value), _) => json!(value),
            (_, Ok(value)) => json!(value),
            _ => json!(*value as f64),
        },
        Argument::Float(value) => json!(value),
    }
}

/// Code points as a text; as a list of numbers where they are none.
fn characters(codes: impl Iterator<Item = u64> + Clone) -> Value {
    let text: Option<String> = codes.clone().map(|code| char::from_u32(u32::try_from(code).ok()?)).collect();
    text.map_or_else(|| codes.map(Value::from).collect(), Value::String)
}

/// A number that a program returned or left behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number {
    /// How its bits are to be read.
    pub kind: Kind,
    /// Its bits, with zeros above the width of the kind.
    pub bits: u64,
}

impl Number {
    /// The number in the JSON form that inputs use as well.
    pub fn to_json(self) -> Value {
        encode_number(self.kind, self.bits)
    }
}

fn encode_number(kind: Kind, bits: u64) -> Value {
    if !kind.is_float() {
        return if kind.is_signed() { json!(sign_extend(bits, kind.width())) } else { json!(bits) };
    }
    let value = float_value(kind, bits);
    if value.is_nan() {
        return json!(format!("nan:{bits:#x}"));
    }
    if value.is_infinite() {
        return json!(if value > 0.0 { "inf" } else { "-inf" });
    }
    if kind == Kind::F32 {
        // Prefer the shortest text of the f32 if reading it back as f64 and rounding gives the same f32.
        let short: f64 = (value as f32).to_string().parse().unwrap_or(value);
        if (short as f32).to_bits() == bits as u32 {
            return json!(short);
        }
    }
    json!(value)
}

fn decode_number(path: &str, value: &Value, kind: Kind, group: &Group) -> Result<u64, InputError> {
    let bits = if kind.is_float() {
        match value {
            Value::String(text) => match (text.as_str(), text.strip_prefix("nan:0x")) {
                ("inf", _) => float_bits(kind, f64::INFINITY),
                ("-inf", _) => float_bits(kind, f64::NEG_INFINITY),
                ("nan", _) => float_bits(kind, f64::NAN),
                (_, Some(digits)) => match u64::from_str_radix(digits, 16) {
                    Ok(bits) if bits >> (kind.width() - 1) >> 1 == 0 && float_value(kind, bits).is_nan() => bits,
                    _ => return error(path, format!("{text:?} is not the bit pattern of an {kind} NaN")),
                },
                _ => return error(path, format!("{text:?} is not a number; strings may be inf, -inf, nan, nan:0x...")),
            },
            Value::Number(number) => float_bits(kind, number.as_f64().unwrap_or(f64::NAN)),
            other => return error(path, format!("expected a number, found {}", describe(other))),
        }
    } else {
        let number = match value {
            Value::Bool(value) if kind == Kind::Bool => i128::from(*value),
            Value::Number(number) => match whole_number(value) {
                Some(number) => number,
                None => return error(path, format!("{number} is not a whole number, as {kind} requires")),
            },
            other => return error(path, format!("expected a number, found {}", describe(other))),
        };
        let (least, most) = kind.limits();
        if number < least || number > most {
            return error(path, format!("{number} is outside {kind}, whose values are {least}..={most}"));
        }
        super::truncate(number as u64, kind.width())
    };
    if !group.allows(bits) {
        return error(path, format!("{value} is outside the range given in the call, {}", group.range_text()));
    }
    Ok(bits)
}

/// The integer that a JSON number denotes, if it is one.
fn whole_number(value: &Value) -> Option<i128> {
    if let Some(value) = value.as_i64() {
        return Some(i128::from(value));
    }
    if let Some(value) = value.as_u64() {
        return Some(i128::from(value));
    }
    // Some writers give every number a fraction; above 2^53 such a number is no longer exact.
    value.as_f64().filter(|value| value.fract() == 0.0 && value.abs() <= 9007199254740992.0).map(|value| value as i128)
}

fn decode_list(path: &str, value: &Value, group: &Group, values: &mut [u64]) -> Result<(), InputError> {
    decode_elements(path, value, group, values)?;
    if group.utf8 {
        let bytes: Vec<u8> = group.variables().map(|id| values[id.0 as usize] as u8).collect();
        if let Err(mistake) = std::str::from_utf8(&bytes) {
            let at = mistake.valid_up_to();
            return error(path, format!("this is no UTF-8, as the call requires: see byte {at}"));
        }
    }
    Ok(())
}

fn decode_elements(path: &str, value: &Value, group: &Group, values: &mut [u64]) -> Result<(), InputError> {
    if group.characters
        && let Value::String(text) = value
    {
        return store_characters(path, text, group, values);
    }
    if group.is_bytes()
        && let Some(bytes) = text_or_hex(path, value)?
    {
        return store_bytes(path, &bytes, group, values);
    }
    let Value::Array(list) = value else {
        let found = describe(value);
        return match group.is_bytes() {
            true => error(path, format!("expected a text or a list of {} bytes, found {found}", group.count)),
            false => error(path, format!("expected a list of {} numbers, found {found}", group.count)),
        };
    };
    if list.len() != group.count as usize {
        return error(path, format!("{} numbers, but the call's buffer has {} elements", list.len(), group.count));
    }
    for (i, value) in list.iter().enumerate() {
        values[group.first as usize + i] = decode_number(&format!("{path}[{i}]"), value, group.kind, group)?;
    }
    Ok(())
}

fn store_characters(path: &str, text: &str, group: &Group, values: &mut [u64]) -> Result<(), InputError> {
    let count = text.chars().count();
    if count != group.count as usize {
        return error(path, format!("{count} characters, but the length given is {}", group.count));
    }
    for (i, c) in text.chars().enumerate() {
        let code = u64::from(u32::from(c));
        if code > kind_mask(group) || !group.allows(code) {
            return error(path, format!("character {i} is {c:?} ({code}), outside the range {}", group.range_text()));
        }
        values[group.first as usize + i] = code;
    }
    Ok(())
}

fn kind_mask(group: &Group) -> u64 {
    u64::MAX >> (64 - group.kind.width())
}

/// Bytes that are not given as a list of numbers: as a string, as `{"text": "..."}` or in hex as `{"bytes": "00ff"}`.
fn text_or_hex(path: &str, value: &Value) -> Result<Option<Vec<u8>>, InputError> {
    match value {
        Value::String(text) => Ok(Some(text.clone().into_bytes())),
        Value::Object(object) if object.len() == 1 => match (object.get("text"), object.get("bytes")) {
            (Some(Value::String(text)), _) => Ok(Some(text.clone().into_bytes())),
            (_, Some(hex @ Value::String(_))) => bytes(path, hex).map(Some),
            _ => Ok(None),
        },
        _ => Ok(None),
    }
}

fn decode_shape(
    path: &str,
    value: &Value,
    structure: &Structure,
    shape: &Shape,
    next: &mut [usize],
    values: &mut [u64],
) -> Result<(), InputError> {
    let list = |wanted: usize| match value {
        Value::Array(list) if list.len() == wanted => Ok(list),
        Value::Array(list) => error(path, format!("expected {}, found a list of {}", shape.describe(), list.len())),
        other => error(path, format!("expected {}, found {}", shape.describe(), describe(other))),
    };
    match shape {
        Shape::Number(column) => {
            let Some(group) = &structure.columns[*column].group else { return Ok(()) };
            values[group.first as usize + next[*column]] = decode_number(path, value, group.kind, group)?;
            next[*column] += 1;
        }
        Shape::Array(count, of) => {
            if let Shape::Number(column) = **of
                && let Some(group) = structure.columns[column].group.as_ref().filter(|group| group.characters)
                && let Value::String(text) = value
            {
                let first = group.first + next[column] as u32;
                next[column] += *count as usize;
                return store_characters(path, text, &Group { first, count: *count, ..group.clone() }, values);
            }
            if let Shape::Number(column) = **of
                && let Some(group) = structure.columns[column].group.as_ref().filter(|group| group.is_bytes())
                && let Some(bytes) = text_or_hex(path, value)?
            {
                let first = group.first + next[column] as u32;
                next[column] += *count as usize;
                return store_bytes(path, &bytes, &Group { first, count: *count, ..group.clone() }, values);
            }
            for (i, value) in list(*count as usize)?.iter().enumerate() {
                decode_shape(&format!("{path}[{i}]"), value, structure, of, next, values)?;
            }
        }
        Shape::Record(fields) => {
            for (i, (field, value)) in fields.iter().zip(list(fields.len())?).enumerate() {
                decode_shape(&format!("{path}[{i}]"), value, structure, field, next, values)?;
            }
        }
    }
    Ok(())
}

fn decode_content(path: &str, value: &Value, content: &Content, values: &mut [u64]) -> Result<(), InputError> {
    match content {
        Content::Input(group) => decode_bytes(path, value, group, values),
        Content::Fixed(fixed) => {
            if bytes(path, value)?[..] != fixed[..] {
                return error(path, "differs from the content given on the command line");
            }
            Ok(())
        }
    }
}

fn decode_bytes(path: &str, value: &Value, group: &Group, values: &mut [u64]) -> Result<(), InputError> {
    store_bytes(path, &bytes(path, value)?, group, values)
}

fn store_bytes(path: &str, bytes: &[u8], group: &Group, values: &mut [u64]) -> Result<(), InputError> {
    if bytes.len() != group.count as usize {
        return error(path, format!("{} bytes, but the length given is {}", bytes.len(), group.count));
    }
    for (i, &byte) in bytes.iter().enumerate() {
        if !group.allows(u64::from(byte)) {
            return error(path, format!("byte {i} is {byte}, outside the range {}", group.range_text()));
        }
        values[group.first as usize + i] = u64::from(byte);
    }
    Ok(())
}

/// Bytes from a string of hex digits or from `{"text": "..."}`.
fn bytes(path: &str, value: &Value) -> Result<Vec<u8>, InputError> {
    if let Some(Value::String(text)) = value.get("text") {
        return Ok(text.clone().into_bytes());
    }
    let Value::String(text) = value else {
        let form = "expected bytes as hex digits (\"68690a\") or {\"text\": \"hi\\n\"}";
        return error(path, format!("{form}, found {}", describe(value)));
    };
    let digits: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
    let digit = |c: char| c.to_digit(16).map(|digit| digit as u8);
    if !digits.len().is_multiple_of(2) {
        return error(path, format!("an odd number of hex digits ({}); a byte is two digits", digits.len()));
    }
    digits
        .chunks(2)
        .map(|pair| match (digit(pair[0]), digit(pair[1])) {
            (Some(high), Some(low)) => Ok(high << 4 | low),
            _ => {
                let form = "bytes are given as hex digits, or as {\"text\": \"...\"}";
                error(path, format!("`{}{}` is not a pair of hex digits; {form}", pair[0], pair[1]))
            }
        })
        .collect()
}

fn group_bytes(group: &Group, witness: &Witness) -> Vec<u8> {
    group.variables().map(|variable| witness.get(variable) as u8).collect()
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn describe(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) if text.chars().count() > 30 => "a string".into(),
        Value::String(text) => format!("{text:?}"),
        Value::Array(list) => format!("a list of {}", list.len()),
        Value::Object(_) => "an object".into(),
    }
}
