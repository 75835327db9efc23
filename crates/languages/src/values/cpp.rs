//! Values as C++ writes them: braces around what a value consists of, as an argument or an initialiser has them.

use super::numbers::{Scalar, choice, number, part};
use super::{Datum, Form};

/// The most parts of a value that are written: no value of ours has more, but a damaged section may.
const MOST_PARTS: usize = 1 << 22;

/// A value in C++; `None` where the form does not fit the numbers.
pub fn text(form: &Form, datum: &Datum) -> Option<String> {
    Writer { left: MOST_PARTS }.value(form, datum)
}

struct Writer {
    left: usize,
}

impl Writer {
    fn value(&mut self, form: &Form, datum: &Datum) -> Option<String> {
        self.left = self.left.checked_sub(1)?;
        Some(match form {
            Form::Fixed(text) => text.clone(),
            Form::Number(ty) => literal(number(datum)?, ty),
            Form::Bool => (number(datum)?.whole() != 0).to_string(),
            Form::Char => character(number(datum)?.whole() as u8),
            Form::At(None, form) => self.value(form, datum)?,
            Form::At(Some(at), form) => self.value(form, part(datum, *at)?)?,
            Form::Choice(chooser, arms) => {
                let chosen = usize::try_from(choice(chooser, datum)?).ok()?;
                self.value(arms.get(chosen).or(arms.last())?, datum)?
            }
            Form::Parts(text, parts) => {
                let mut result = String::new();
                for (at, piece) in text.split('@').enumerate() {
                    match at % 2 {
                        0 => result += piece,
                        _ => result += &self.value(parts.get(piece.parse::<usize>().ok()?)?, datum)?,
                    }
                }
                result
            }
            Form::Items(before, form, after) => {
                let Datum::List(elements) = datum else { return None };
                let elements: Option<Vec<String>> = elements.iter().map(|element| self.value(form, element)).collect();
                format!("{before}{}{after}", elements?.join(", "))
            }
            Form::Text(before, after) => {
                let Datum::List(bytes) = datum else { return None };
                let bytes = bytes.iter().map(|byte| Some(number(byte)?.whole() as u8)).collect::<Option<Vec<u8>>>()?;
                // A text in quotes ends at its first zero.
                let quoted = match bytes.contains(&0) {
                    true => format!("std::string({}, {})", quoted(&bytes), bytes.len()),
                    false => quoted(&bytes),
                };
                format!("{before}{quoted}{after}")
            }
            Form::Wide(_) | Form::Statements(_) => return None,
        })
    }
}

/// A number of this type.
fn literal(scalar: Scalar, ty: &str) -> String {
    let float = |value: f64, shortest: String, suffix: &str| match value {
        value if value.is_nan() => "NAN".to_string(),
        f64::INFINITY => "INFINITY".to_string(),
        f64::NEG_INFINITY => "-INFINITY".to_string(),
        _ => shortest + suffix,
    };
    match scalar {
        Scalar::Single(bits) => {
            let value = f32::from_bits(bits);
            float(value.into(), format!("{value:?}"), "f")
        }
        Scalar::Double(bits) => {
            let value = f64::from_bits(bits);
            float(value, format!("{value:?}"), "")
        }
        Scalar::Whole(value) if matches!(ty, "float" | "double") => format!("{value}.0"),
        // What has a minus before it is a number of its own, and that one would be too large.
        Scalar::Whole(value) if value == i64::MIN.into() => format!("({} - 1)", value + 1),
        Scalar::Whole(value) if value > i64::MAX.into() => format!("{value}u"),
        Scalar::Whole(value) => value.to_string(),
    }
}

fn character(byte: u8) -> String {
    match byte {
        b'\'' => "'\\''".to_string(),
        b'"' => "'\"'".to_string(),
        0 => "'\\0'".to_string(),
        byte => format!("'{}'", escaped(byte)),
    }
}

fn quoted(bytes: &[u8]) -> String {
    format!("\"{}\"", bytes.iter().map(|byte| escaped(*byte)).collect::<String>())
}

/// In quotes. Octal escapes end after three digits, those with an `x` nowhere.
fn escaped(byte: u8) -> String {
    match byte {
        b'"' => "\\\"".to_string(),
        b'\\' => "\\\\".to_string(),
        b'\n' => "\\n".to_string(),
        b'\t' => "\\t".to_string(),
        b'\r' => "\\r".to_string(),
        // `??=` and the like were other characters once.
        b' '..=b'~' => char::from(byte).to_string(),
        _ => format!("\\{byte:03o}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(value: i128) -> Datum {
        Datum::Number(Scalar::Whole(value))
    }

    fn bytes(text: &[u8]) -> Datum {
        Datum::List(text.iter().map(|byte| whole((*byte).into())).collect())
    }

    #[test]
    fn values_are_written_in_braces() {
        let word = Form::Text(String::new(), String::new());
        let number = Form::Number("int".to_string());
        let entry = Form::Parts(
            "{@0@, @1@}".to_string(),
            vec![Form::At(Some(0), Box::new(word.clone())), Form::At(Some(1), Box::new(number.clone()))],
        );
        let map = Form::Items("{".to_string(), Box::new(entry), "}".to_string());
        let entries = Datum::List(vec![
            Datum::List(vec![bytes(b"ab\"\xff1"), whole(3)]),
            Datum::List(vec![bytes(b"a\0"), whole(-4)]),
        ]);
        assert_eq!(text(&map, &entries).as_deref(), Some(r#"{{"ab\"\3771", 3}, {std::string("a\000", 2), -4}}"#));
        let option = Form::Choice(
            Box::new(Form::At(Some(0), Box::new(Form::Bool))),
            vec![Form::fixed("std::nullopt"), Form::At(Some(1), Box::new(Form::Char))],
        );
        let some = |there, value: u8| Datum::List(vec![whole(there), whole(value.into())]);
        assert_eq!(text(&option, &some(0, b'x')).as_deref(), Some("std::nullopt"));
        assert_eq!(text(&option, &some(1, b'\'')).as_deref(), Some("'\\''"));
        assert_eq!(text(&number, &bytes(b"a")), None, "a text is no number");
    }

    #[test]
    fn numbers_are_literals_of_their_type() {
        assert_eq!(literal(Scalar::Whole(i64::MIN.into()), "long long"), "(-9223372036854775807 - 1)");
        assert_eq!(literal(Scalar::Whole(u64::MAX.into()), "unsigned long"), "18446744073709551615u");
        assert_eq!(literal(Scalar::Single(0.1f32.to_bits()), "float"), "0.1f");
        assert_eq!(literal(Scalar::Double(1e300f64.to_bits()), "double"), "1e300");
        assert_eq!(literal(Scalar::Double(f64::NEG_INFINITY.to_bits()), "double"), "-INFINITY");
        assert_eq!(literal(Scalar::Whole(3), "double"), "3.0");
    }

    #[test]
    fn what_has_no_end_is_given_up() {
        let form = (0..40).fold(Form::Bool, |form, _| Form::Parts("@0@@0@".to_string(), vec![form]));
        assert_eq!(text(&form, &whole(1)), None);
    }
}
