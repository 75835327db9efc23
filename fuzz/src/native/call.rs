//! How a function is called: the first line of its file.

use pessimum_input::Signature;
use pessimum_search::program::Variable;
use pessimum_term::Witness;
use pessimum_term::ops::mask;

/// The inputs of every function.
pub const INPUTS: u64 = 1 << 16;

/// A call such as `sort(u8[4] in 0..16, 4) -> u32`.
#[derive(Clone, Debug)]
pub struct Call {
    /// As the command line would have it.
    text: String,
    /// Of the function.
    pub name: String,
    /// In the order of the call.
    pub parameters: Vec<Parameter>,
    /// The type of the result, by its name in Rust.
    pub result: String,
}

/// One parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// A number that is part of the input.
    Number(Numbers),
    /// This many of them in memory, followed by their count as another parameter.
    Buffer(Numbers, usize),
}

/// The type of numbers by its name in Rust, the least of them and how many there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbers {
    /// As in Rust.
    pub ty: String,
    /// The least.
    pub low: i64,
    /// How many there are.
    pub count: u64,
}

impl Call {
    /// Reads the line; the error says what is wrong with it.
    pub fn parse(line: &str) -> Result<Call, String> {
        let wrong = || format!("`{line}` should be a call and the type of its result, as in `f(u8, i8) -> i32`");
        let (text, result) = line.split_once(" -> ").ok_or_else(wrong)?;
        let (name, rest) = text.split_once('(').ok_or_else(wrong)?;
        let mut parameters: Vec<Parameter> = Vec::new();
        for word in rest.strip_suffix(')').ok_or_else(wrong)?.split(", ") {
            if let (Some(Parameter::Buffer(_, length)), Ok(count)) = (parameters.last(), word.parse::<usize>()) {
                if *length != count {
                    return Err(format!("a buffer of {length} is not followed by its length"));
                }
                continue;
            }
            let (ty, range) = word.split_once(" in ").map_or((word, None), |(ty, range)| (ty, Some(range)));
            let (ty, length) = match ty.split_once('[') {
                Some((ty, length)) => (ty, Some(length.trim_end_matches(']').parse().map_err(|_| wrong())?)),
                None => (ty, None),
            };
            let numbers = Numbers::new(ty, range).ok_or_else(wrong)?;
            parameters.push(match length {
                Some(length) => Parameter::Buffer(numbers, length),
                None => Parameter::Number(numbers),
            });
        }
        let call = Call { text: text.to_string(), name: name.to_string(), parameters, result: result.to_string() };
        let inputs = call.numbers().try_fold(1u64, |inputs, numbers| inputs.checked_mul(numbers.count));
        match inputs {
            Some(INPUTS) if ["i32", "u32", "i64", "f32", "f64"].contains(&result) => Ok(call),
            Some(INPUTS) => Err(wrong()),
            other => Err(format!("`{line}` has {other:?} inputs instead of {INPUTS}")),
        }
    }

    /// What the machine is called with.
    pub fn signature(&self) -> Result<Signature, String> {
        Signature::parse(&self.text).map_err(|error| error.to_string())
    }

    /// The numbers of the input in order, those of buffers one by one.
    pub fn numbers(&self) -> impl Iterator<Item = &Numbers> {
        self.parameters.iter().flat_map(|parameter| match parameter {
            Parameter::Number(numbers) => std::iter::repeat_n(numbers, 1),
            Parameter::Buffer(numbers, length) => std::iter::repeat_n(numbers, *length),
        })
    }

    /// The input with this number: the first variable changes fastest.
    pub fn input(&self, number: u64) -> Witness {
        let (mut values, mut rest) = (Vec::new(), number);
        for numbers in self.numbers() {
            values.push(numbers.low.wrapping_add((rest % numbers.count) as i64) as u64 & mask(numbers.width()));
            rest /= numbers.count;
        }
        Witness::new(values)
    }

    /// Checks that a program has the variables that the line describes.
    pub fn fits(&self, variables: &[Variable]) -> Result<(), String> {
        let ours =
            self.numbers().map(|numbers| (numbers.width(), numbers.low as u64 & mask(numbers.width()), numbers.count));
        let theirs = variables.iter().map(|variable| (variable.width, variable.low, variable.span() + 1));
        match ours.eq(theirs) {
            true => Ok(()),
            false => {
                Err(format!("`{}` was read as {:?}, but lies in memory as {variables:?}", self.text, self.parameters))
            }
        }
    }
}

impl Numbers {
    fn new(ty: &str, range: Option<&str>) -> Option<Numbers> {
        let width: u32 = ty.get(1..)?.parse().ok()?;
        let (low, count) = match range {
            Some(range) => {
                let (low, high) = range.split_once("..")?;
                let (low, high) = (number(low)?, number(high)?);
                (low, u64::try_from(high.checked_sub(low)?).ok()?)
            }
            None if width > 16 => return None,
            None if ty.starts_with('i') => (-(1 << (width - 1)), 1 << width),
            None => (0, 1 << width),
        };
        matches!(ty, "i8" | "u8" | "i16" | "u16" | "i32" | "u32" | "i64").then(|| Numbers {
            ty: ty.to_string(),
            low,
            count,
        })
    }

    /// Bits.
    pub fn width(&self) -> u32 {
        self.ty[1..].parse().unwrap_or(64)
    }

    /// The type in C.
    pub fn c_type(&self) -> String {
        format!("{}int{}_t", if self.ty.starts_with('u') { "u" } else { "" }, self.width())
    }
}

fn number(text: &str) -> Option<i64> {
    match text.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}
