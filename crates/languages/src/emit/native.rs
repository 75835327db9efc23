//! Calls of the user's functions in C, with their values.

use pessimum_input::{Argument, Column, Group, InputPlan, Kind};
use pessimum_term::Witness;

/// A call of the user's function. It can be tested natively where the program counts its own cost.
#[derive(Clone, Debug)]
pub struct NativeCall {
    /// The function.
    pub function: String,
    /// One per parameter.
    pub arguments: Vec<NativeValue>,
}

impl NativeCall {
    /// A call of this function, with what it is passed.
    pub fn new(function: &str, plan: &InputPlan, witness: &Witness) -> NativeCall {
        let arguments = plan.arguments.iter().map(|argument| value(argument, witness));
        NativeCall { function: function.to_string(), arguments: arguments.collect() }
    }
}

/// An argument of a native call. Types and numbers are in C syntax.
#[derive(Clone, Debug)]
pub enum NativeValue {
    /// A number and its type.
    Number(String, String),
    /// The type of an element, and the elements; at least one.
    Array(String, Vec<String>),
    /// A pointer to the function with this name.
    Function(String),
}

/// Whether a function can have this name in C.
pub fn is_identifier(name: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphabetic() || c == '_';
    name.starts_with(is_letter) && name.chars().all(|c| is_letter(c) || c.is_ascii_digit())
}

/// An argument of a call in C.
fn value(argument: &Argument, witness: &Witness) -> NativeValue {
    let elements = |group: &Group| bits(group, witness).iter().map(|&bits| number(group.kind, bits)).collect();
    let never_empty = |mut elements: Vec<String>| {
        if elements.is_empty() {
            elements.push("0".to_string());
        }
        elements
    };
    match argument {
        Argument::Scalar(group) => {
            let number = bits(group, witness).first().map(|&bits| number(group.kind, bits));
            NativeValue::Number(type_name(group.kind), number.unwrap_or_default())
        }
        Argument::Buffer(group) => NativeValue::Array(type_name(group.kind), never_empty(elements(group))),
        Argument::Text(group) => {
            let mut elements: Vec<String> = elements(group);
            elements.push("0".to_string());
            NativeValue::Array("char".to_string(), elements)
        }
        Argument::Structure(structure) => match structure.columns.as_slice() {
            [Column { group: Some(group), .. }] if !structure.padded => {
                NativeValue::Array(type_name(group.kind), never_empty(elements(group)))
            }
            // The layout is the same wherever numbers are aligned to their size and the low byte comes first.
            _ => {
                let words = structure.image(witness);
                let words = words.chunks(8).map(|chunk| {
                    let bits = chunk.iter().rev().fold(0u64, |bits, &byte| bits << 8 | u64::from(byte));
                    number(Kind::U64, bits)
                });
                NativeValue::Array(type_name(Kind::U64), never_empty(words.collect()))
            }
        },
        Argument::Zeroed { kind, count } => {
            NativeValue::Array(type_name(*kind), never_empty(vec!["0".to_string(); *count as usize]))
        }
        Argument::Constant(bytes) => {
            let elements = bytes.iter().chain(&[0]).map(|&byte| (byte as i8).to_string());
            NativeValue::Array("char".to_string(), elements.collect())
        }
        Argument::Function(name) => NativeValue::Function(name.to_string()),
        // Only sequences of calls have these, and their tests are written elsewhere.
        Argument::Returned(_) => NativeValue::Number("void *".to_string(), "0".to_string()),
        // Only the source knows the parameter's type; in C a number converts to it.
        Argument::Integer(value) => {
            let wide = i32::try_from(*value).is_err();
            NativeValue::Number(if wide { "int64_t" } else { "int32_t" }.to_string(), value.to_string())
        }
        Argument::Float(value) => NativeValue::Number("double".to_string(), format!("{value:?}")),
    }
}

/// The values of a group's variables.
fn bits(group: &Group, witness: &Witness) -> Vec<u64> {
    group.variables().map(|variable| witness.values().get(variable.0 as usize).copied().unwrap_or(0)).collect()
}

fn type_name(kind: Kind) -> String {
    match kind {
        Kind::Bool => "_Bool".to_string(),
        Kind::F32 => "float".to_string(),
        Kind::F64 => "double".to_string(),
        kind => match kind.is_signed() {
            true => format!("int{}_t", kind.width()),
            false => format!("uint{}_t", kind.width()),
        },
    }
}

/// A C constant with exactly these bits, except for the payload of a NaN.
fn number(kind: Kind, bits: u64) -> String {
    let float = match kind {
        Kind::F32 => Some(f64::from(f32::from_bits(bits as u32))),
        Kind::F64 => Some(f64::from_bits(bits)),
        _ => None,
    };
    match float {
        Some(value) if value.is_nan() => "0.0 / 0.0".to_string(),
        Some(value) if value.is_infinite() => (if value > 0.0 { "1.0 / 0.0" } else { "-1.0 / 0.0" }).to_string(),
        Some(value) => format!("{value:?}"),
        None if kind.is_signed() => {
            let unused = 64 - kind.width();
            match ((bits << unused) as i64) >> unused {
                i64::MIN => "INT64_MIN".to_string(),
                value => value.to_string(),
            }
        }
        None if kind == Kind::U64 => format!("{bits}u"),
        None => bits.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_not_code() {
        assert!(is_identifier("sort_2") && is_identifier("_x"));
        for name in ["", "2x", "f(); g", "naïve", "a b"] {
            assert!(!is_identifier(name), "{name}");
        }
    }

    #[test]
    fn numbers_in_c() {
        assert_eq!(number(Kind::I8, 0xff), "-1");
        assert_eq!(number(Kind::I64, 1 << 63), "INT64_MIN");
        assert_eq!(number(Kind::U64, u64::MAX), "18446744073709551615u");
        assert_eq!(number(Kind::F32, u64::from(1.5f32.to_bits())), "1.5");
        assert_eq!(number(Kind::F64, 1e300f64.to_bits()), "1e300");
    }
}
