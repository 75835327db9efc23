//! The numbers that a call is passed, and the values that they stand for, as one writes them.

use std::collections::BTreeSet;

use pessimum_input::{Argument, Group, Kind, Shape, Structure};
use pessimum_term::Witness;

use super::{Form, Outline};

/// A number of a call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar {
    /// A whole one, whatever its kind is.
    Whole(i128),
    /// One with a fraction, by its bits.
    Single(u32),
    /// The same with twice as many.
    Double(u64),
}

impl Scalar {
    /// The number that these bits are.
    pub fn new(kind: Kind, bits: u64) -> Scalar {
        match kind {
            Kind::F32 => Scalar::Single(bits as u32),
            Kind::F64 => Scalar::Double(bits),
            kind if kind.is_signed() => {
                let unused = 64 - kind.width();
                Scalar::Whole(i128::from(((bits << unused) as i64) >> unused))
            }
            kind => Scalar::Whole(i128::from(bits & (u64::MAX >> (64 - kind.width())))),
        }
    }

    /// The whole number that it is, or that is left without the fraction.
    pub(super) fn whole(self) -> i128 {
        match self {
            Scalar::Whole(value) => value,
            Scalar::Single(bits) => f32::from_bits(bits) as i128,
            Scalar::Double(bits) => f64::from_bits(bits) as i128,
        }
    }
}

/// The numbers of an argument, in the order in which they are in memory; `None` for what is no number.
pub fn numbers(argument: &Argument, input: &Witness) -> Option<Vec<Scalar>> {
    scalars(argument, &|group| group.variables().map(|variable| Scalar::new(group.kind, input.get(variable))).collect())
}

/// More than any length, so that what is beside it is whole.
const PLACE: i128 = 1 << 40;

/// The same with the place of each number among the variables in its stead, all of them beyond [`PLACE`].
pub fn places(argument: &Argument) -> Option<Vec<Scalar>> {
    scalars(argument, &|group| {
        group.variables().map(|variable| Scalar::Whole(PLACE + i128::from(variable.0))).collect()
    })
}

/// The variables of the characters and bytes of texts in a value whose numbers are [`places`].
pub fn texts(form: &Form, datum: &Datum, found: &mut BTreeSet<u32>) {
    match form {
        Form::Text(..) => {
            let Datum::List(bytes) = datum else { return };
            let places = bytes.iter().filter_map(|byte| Some(number(byte)?.whole() - PLACE));
            found.extend(places.filter_map(|place| u32::try_from(place).ok()));
        }
        Form::At(None, form) => texts(form, datum, found),
        Form::At(Some(at), form) => {
            if let Some(part) = part(datum, *at) {
                texts(form, part, found);
            }
        }
        Form::Parts(_, parts) | Form::Choice(_, parts) => parts.iter().for_each(|form| texts(form, datum, found)),
        Form::Items(_, form, _) | Form::Statements(form) => {
            if let Datum::List(elements) = datum {
                elements.iter().for_each(|element| texts(form, element, found));
            }
        }
        Form::Char => {
            let place = number(datum).and_then(|number| u32::try_from(number.whole() - PLACE).ok());
            found.extend(place);
        }
        Form::Fixed(_) | Form::Number(_) | Form::Wide(_) | Form::Bool => {}
    }
}

fn scalars(argument: &Argument, all: &dyn Fn(&Group) -> Vec<Scalar>) -> Option<Vec<Scalar>> {
    Some(match argument {
        Argument::Scalar(group) | Argument::Buffer(group) | Argument::Text(group) => all(group),
        Argument::Zeroed { kind, count } => vec![Scalar::new(*kind, 0); *count as usize],
        Argument::Structure(structure) => {
            let columns: Vec<Vec<Scalar>> =
                structure.columns.iter().map(|column| column.group.as_ref().map(all).unwrap_or_default()).collect();
            let mut found = Vec::new();
            walk(&structure.shape, structure, &columns, &mut vec![0; columns.len()], &mut found);
            found
        }
        Argument::Constant(bytes) => bytes.iter().map(|byte| Scalar::Whole(i128::from(*byte))).collect(),
        Argument::Integer(value) => vec![Scalar::Whole(*value)],
        Argument::Float(value) => vec![Scalar::Double(value.to_bits())],
        Argument::Function(_) | Argument::Returned(_) => return None,
    })
}

fn walk(shape: &Shape, of: &Structure, columns: &[Vec<Scalar>], next: &mut [usize], found: &mut Vec<Scalar>) {
    match shape {
        Shape::Number(column) => {
            let zero = Scalar::new(of.columns[*column].kind, 0);
            found.push(columns[*column].get(next[*column]).copied().unwrap_or(zero));
            next[*column] += 1;
        }
        Shape::Array(count, element) => (0..*count).for_each(|_| walk(element, of, columns, next, found)),
        Shape::Record(fields) => fields.iter().for_each(|field| walk(field, of, columns, next, found)),
    }
}

/// The numbers of a value, as they belong together.
#[derive(Clone, Debug, PartialEq)]
pub enum Datum {
    /// One of them.
    Number(Scalar),
    /// Several.
    List(Vec<Datum>),
}

/// Takes the numbers of a value from those of the arguments of a call; `None` where they do not fit.
pub fn datum<'a>(outline: &Outline, arguments: &mut impl Iterator<Item = &'a [Scalar]>) -> Option<Datum> {
    match outline {
        Outline::Record(parts) if parts.is_empty() => Some(Datum::List(Vec::new())),
        Outline::Record(parts) if outline.grows() => {
            parts.iter().map(|part| datum(part, arguments)).collect::<Option<Vec<_>>>().map(Datum::List)
        }
        Outline::Items(element, _) => {
            let mut elements = arguments.next()?.iter();
            let count = arguments.next()?.first()?.whole();
            let mut found = Vec::new();
            while elements.len() > 0 && (found.len() as i128) < count {
                found.push(one(element, &mut elements)?);
            }
            Some(Datum::List(found))
        }
        Outline::All(element) => {
            let mut elements = arguments.next()?.iter();
            let mut found = Vec::new();
            while elements.len() > 0 {
                found.push(one(element, &mut elements)?);
            }
            Some(Datum::List(found))
        }
        other => inside(other, &mut arguments.next()?.iter()),
    }
}

/// The same of a value that is in memory.
fn inside(outline: &Outline, numbers: &mut std::slice::Iter<'_, Scalar>) -> Option<Datum> {
    Some(match outline {
        Outline::Number => Datum::Number(*numbers.next()?),
        Outline::Array(element, length) => {
            Datum::List((0..*length).map(|_| one(element, numbers)).collect::<Option<_>>()?)
        }
        Outline::Record(parts) => Datum::List(parts.iter().map(|part| inside(part, numbers)).collect::<Option<_>>()?),
        Outline::Items(element, room) => {
            let length = usize::try_from(numbers.next()?.whole()).ok()?;
            let mut all = (0..*room).map(|_| one(element, numbers)).collect::<Option<Vec<_>>>()?;
            all.truncate(length);
            Datum::List(all)
        }
        Outline::All(_) => return None,
    })
}

/// One of several elements. Each takes some of the numbers, whatever a damaged section says about how many there are.
fn one(element: &Outline, numbers: &mut std::slice::Iter<'_, Scalar>) -> Option<Datum> {
    let before = numbers.len();
    let found = inside(element, numbers)?;
    (numbers.len() < before).then_some(found)
}

/// Writes a value. `path` shortens the paths of the texts that it consists of.
pub fn written(form: &Form, datum: &Datum, path: &mut impl FnMut(&str) -> String) -> Option<String> {
    Some(match form {
        Form::Fixed(text) => path(text),
        Form::Number(ty) => literal(number(datum)?, ty),
        Form::Wide(ty) => {
            let Datum::List(halves) = datum else { return None };
            let [low, high] = &halves[..] else { return None };
            let bits = number(low)?.whole() as u64 as u128 | (number(high)?.whole() as u64 as u128) << 64;
            if ty == "i128" { (bits as i128).to_string() } else { bits.to_string() }
        }
        Form::Bool => (number(datum)?.whole() != 0).to_string(),
        Form::Char => format!("{:?}", char::from_u32(u32::try_from(number(datum)?.whole()).ok()?)?),
        Form::Parts(text, parts) => {
            let mut result = String::new();
            // Texts have an odd number of `@` before a part's number.
            for (at, piece) in path(text).split('@').enumerate() {
                match at % 2 {
                    0 => result += piece,
                    _ => result += &written(parts.get(piece.parse::<usize>().ok()?)?, datum, path)?,
                }
            }
            result
        }
        Form::At(None, form) => written(form, datum, path)?,
        Form::At(Some(at), form) => written(form, part(datum, *at)?, path)?,
        Form::Choice(chooser, arms) => {
            let chosen = usize::try_from(choice(chooser, datum)?).ok()?;
            written(arms.get(chosen).or(arms.last())?, datum, path)?
        }
        Form::Items(before, form, after) => {
            let Datum::List(elements) = datum else { return None };
            let elements: Option<Vec<String>> = elements.iter().map(|element| written(form, element, path)).collect();
            format!("{}{}{}", path(before), elements?.join(", "), path(after))
        }
        Form::Statements(form) => {
            let Datum::List(elements) = datum else { return None };
            elements.iter().map(|element| written(form, element, path)).collect::<Option<String>>()?
        }
        Form::Text(before, after) => {
            let Datum::List(bytes) = datum else { return None };
            let bytes = bytes.iter().map(|byte| Some(number(byte)?.whole() as u8)).collect::<Option<Vec<u8>>>()?;
            format!("{}{:?}{}", path(before), String::from_utf8(bytes).ok()?, path(after))
        }
    })
}

pub(super) fn number(datum: &Datum) -> Option<Scalar> {
    match datum {
        Datum::Number(scalar) => Some(*scalar),
        Datum::List(_) => None,
    }
}

pub(super) fn part(datum: &Datum, at: usize) -> Option<&Datum> {
    match datum {
        Datum::List(parts) => parts.get(at),
        Datum::Number(_) => None,
    }
}

/// The number that a form stands for, where it chooses among others.
pub(super) fn choice(form: &Form, datum: &Datum) -> Option<i128> {
    match form {
        Form::At(None, form) => choice(form, datum),
        Form::At(Some(at), form) => choice(form, part(datum, *at)?),
        Form::Bool => Some(i128::from(number(datum)?.whole() != 0)),
        _ => Some(number(datum)?.whole()),
    }
}

/// A number as Rust writes it.
fn literal(scalar: Scalar, ty: &str) -> String {
    let special = |is_nan: bool, is_infinite: bool, is_negative: bool| match (is_nan, is_infinite, is_negative) {
        (true, ..) => Some("NAN"),
        (_, true, false) => Some("INFINITY"),
        (_, true, true) => Some("NEG_INFINITY"),
        _ => None,
    };
    match (scalar, ty) {
        (Scalar::Double(bits), "f32") => literal(Scalar::Single((f64::from_bits(bits) as f32).to_bits()), ty),
        (Scalar::Single(bits), _) => {
            let value = f32::from_bits(bits);
            match special(value.is_nan(), value.is_infinite(), value < 0.0) {
                Some("NAN") if bits != f32::NAN.to_bits() => format!("f32::from_bits({bits:#x})"),
                Some(name) => format!("f32::{name}"),
                None => format!("{value:?}"),
            }
        }
        (Scalar::Double(bits), _) => {
            let value = f64::from_bits(bits);
            match special(value.is_nan(), value.is_infinite(), value < 0.0) {
                Some("NAN") if bits != f64::NAN.to_bits() => format!("f64::from_bits({bits:#x})"),
                Some(name) => format!("f64::{name}"),
                None => format!("{value:?}"),
            }
        }
        (Scalar::Whole(value), "f32" | "f64") => format!("{value}.0"),
        (Scalar::Whole(value), _) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(values: &[i128]) -> Vec<Scalar> {
        values.iter().map(|value| Scalar::Whole(*value)).collect()
    }

    #[test]
    fn values_are_written_from_their_numbers() {
        // `Option<(char, String)>` beside a `Vec<[i8; 2]>`.
        let text = Form::Text(String::new(), ".to_string()".to_string());
        let pair = Form::Parts(
            "(@0@, @1@)".to_string(),
            vec![Form::At(Some(0), Box::new(Form::Char)), Form::At(Some(1), Box::new(text))],
        );
        let option = Form::Choice(
            Box::new(Form::At(Some(0), Box::new(Form::Bool))),
            vec![Form::fixed("None"), Form::At(Some(1), Box::new(Form::around("Some(@0@)", pair)))],
        );
        let row = Form::Items("[".to_string(), Box::new(Form::Number("i8".to_string())), "]".to_string());
        let rows = Form::Items("vec![".to_string(), Box::new(row), "]".to_string());
        let form = Form::Parts(
            "f(@0@, @1@)".to_string(),
            vec![Form::At(Some(0), Box::new(option)), Form::At(Some(1), Box::new(rows))],
        );
        let texts = Outline::Items(Box::new(Outline::Number), 8);
        let inner = Outline::Record(vec![Outline::Number, texts]);
        let outline = Outline::Record(vec![
            Outline::Record(vec![Outline::Number, inner]),
            Outline::Items(Box::new(Outline::Array(Box::new(Outline::Number), 2)), 8),
        ]);
        let arguments = [
            numbers(&[1]),
            numbers(&[97]),
            numbers(&[b'@'.into(), 48, 64]),
            numbers(&[3]),
            numbers(&[1, -2, 3, 4]),
            numbers(&[2]),
        ];
        let datum = datum(&outline, &mut arguments.iter().map(Vec::as_slice)).unwrap();
        let text = written(&form, &datum, &mut |text| text.to_string());
        assert_eq!(text.as_deref(), Some("f(Some(('a', \"@0@\".to_string())), vec![[1, -2], [3, 4]])"));
        // Inside of another value a collection has its length before it.
        let inside = Outline::Items(Box::new(Outline::Items(Box::new(Outline::Number), 8)), 8);
        let room = [numbers(&[2, 7, 8, 0, 0, 0, 0, 0, 0]), numbers(&[1])];
        let datum = super::datum(&inside, &mut room.iter().map(Vec::as_slice)).unwrap();
        let number = |value| Datum::Number(Scalar::Whole(value));
        assert_eq!(datum, Datum::List(vec![Datum::List(vec![number(7), number(8)])]));
        assert_eq!(super::datum(&inside, &mut room[..1].iter().map(Vec::as_slice)), None, "an argument is missing");
    }

    #[test]
    fn numbers_are_literals() {
        assert_eq!(Scalar::new(Kind::I8, 0xff), Scalar::Whole(-1));
        assert_eq!(Scalar::new(Kind::U16, 0xf_ffff), Scalar::Whole(65535));
        assert_eq!(literal(Scalar::Whole(-3), "f64"), "-3.0");
        assert_eq!(literal(Scalar::Double((-0.0f64).to_bits()), "f64"), "-0.0");
        assert_eq!(literal(Scalar::Double(1e300f64.to_bits()), "f64"), "1e300");
        assert_eq!(literal(Scalar::Single(f32::NAN.to_bits()), "f32"), "f32::NAN");
        assert_eq!(literal(Scalar::Single(0x7fc0_0001), "f32"), "f32::from_bits(0x7fc00001)");
        assert_eq!(literal(Scalar::Double(f64::NEG_INFINITY.to_bits()), "f32"), "f32::NEG_INFINITY");
    }
}
