//! The language of `--call` and of lengths, and the JSON form of inputs.
//!
//! A call is made up together with what it means, printed in one of many ways, and parsed: the layout must be the one
//! that was meant. Its text is then damaged and parsed again, and inputs for the layout are printed, read, damaged and
//! read again.

use pessimum_input::{
    Argument, Bounds, Column, Group, InputPlan, Kind, Length, Shape, Signature, Structure, SyntaxError,
};
use pessimum_term::Witness;
use pessimum_term::random::Random;
use serde_json::Value;

use crate::harness::Target;
use crate::mutate;

/// Pieces of the language, and some that are none.
const ALPHABET: [&str; 51] = [
    "(",
    ")",
    "[",
    "]",
    ",",
    " ",
    "..",
    "..=",
    "+",
    "-",
    "*",
    "/",
    "n",
    "in",
    "out",
    "str",
    "i32",
    "i64",
    "u8",
    "u64",
    "f32",
    "f64",
    "bool",
    "'a'",
    "'\\n'",
    "'",
    "\\",
    "\"",
    "0",
    "1",
    "255",
    "0x",
    "0xff",
    "1e3",
    "0.5",
    "1e400",
    "99999999999999999999999999999999999999999",
    "é",
    "\u{1b}",
    "\0",
    ".",
    "=",
    "_",
    "str[",
    "{",
    "}",
    "|",
    "&",
    "utf8",
    "m",
    "][",
];

/// An input with more variables than this is only laid out: its values would take most of the time.
const MOST_VARIABLES: u32 = 4096;

/// Tries texts of calls, lengths and inputs.
#[derive(Default)]
pub struct Calls {
    meant: u64,
    accepted: u64,
    refused: u64,
    inputs: u64,
    inputs_refused: u64,
}

impl Target for Calls {
    const NAME: &'static str = "calls";

    fn case(&mut self, seed: u64) -> Result<(), String> {
        let mut random = Random::new(seed);
        let (text, expected) = made_up(&mut random);
        let signature = Signature::parse(&text).map_err(|error| format!("{text:?} is refused: {error}"))?;
        let mut plan = InputPlan { sizes: expected.sizes.clone(), ..InputPlan::new(expected.size) };
        signature.lay_out(&mut plan).map_err(|error| format!("{text:?} is not laid out: {error}"))?;
        if plan != expected {
            return Err(format!("{text:?} at {:?} means {plan:?}, not {expected:?}", expected.size));
        }
        self.meant += 1;
        self.inputs_of(&plan, &mut random)?;
        for _ in 0..8 {
            let damaged = mutate::text(&text, &ALPHABET, &mut random);
            self.call(&damaged, &mut random)?;
            self.length(&damaged, &mut random)?;
        }
        let noise: String = (0..random.index(40)).map(|_| random.pick(&ALPHABET)).collect();
        self.call(&noise, &mut random)?;
        self.call(&format!("f({noise})"), &mut random)?;
        self.length(&noise, &mut random)?;
        self.length(&format!("str[{noise}"), &mut random)
    }

    fn summary(&self) -> String {
        let Calls { meant, accepted, refused, inputs, inputs_refused } = self;
        format!(
            "{meant} calls as they were meant, {accepted} damaged texts accepted and {refused} refused, {inputs} \
             inputs read back and {inputs_refused} refused"
        )
    }
}

/// The sizes at which lengths are evaluated.
const SIZES: [Option<u64>; 5] = [None, Some(0), Some(3), Some(1 << 40), Some(u64::MAX)];

impl Calls {
    /// Parses any text as a call.
    fn call(&mut self, text: &str, random: &mut Random) -> Result<(), String> {
        match Signature::parse(text) {
            Err(error) => self.refusal(text, &error),
            Ok(signature) => {
                self.accepted += 1;
                if Signature::parse(signature.text()).as_ref() != Ok(&signature) {
                    return Err(format!("{text:?} is not what its own text means"));
                }
                let last = signature.arity().checked_sub(1).map_or(0, |last| signature.column(last));
                if last > text.chars().count() {
                    return Err(format!("{text:?}: column {last}"));
                }
                for size in SIZES {
                    let mut plan = InputPlan::new(size);
                    match signature.lay_out(&mut plan) {
                        Ok(()) => self.laid_out(text, &plan, random)?,
                        Err(error) => self.refusal(text, &error)?,
                    }
                }
                Ok(())
            }
        }
    }

    /// Parses any text as a length of standard input, and as an argument of a command line.
    fn length(&mut self, text: &str, random: &mut Random) -> Result<(), String> {
        for parsed in [Some(Length::parse(text)), Length::parse_argument(text)].into_iter().flatten() {
            let length = match parsed {
                Ok(length) => length,
                Err(error) => {
                    self.refusal(text, &error)?;
                    continue;
                }
            };
            self.accepted += 1;
            for size in SIZES {
                let mut plan = InputPlan::new(size);
                let laid_out = length
                    .lay_out_stdin(&mut plan)
                    .and_then(|()| length.lay_out_argument(&mut plan))
                    .and_then(|()| length.lay_out_file("a/b", &mut plan));
                match laid_out {
                    Ok(()) => self.laid_out(text, &plan, random)?,
                    Err(error) => self.refusal(text, &error)?,
                }
            }
        }
        Ok(())
    }

    /// A refusal points into the text and can be shown.
    fn refusal(&mut self, text: &str, error: &SyntaxError) -> Result<(), String> {
        self.refused += 1;
        let shown = error.to_string();
        let inside = error.text == text && error.column <= text.chars().count();
        match inside && !error.message.is_empty() && shown.contains('^') {
            true => Ok(()),
            false => Err(format!("{text:?}: a message that points nowhere: {error:?}")),
        }
    }

    fn laid_out(&mut self, text: &str, plan: &InputPlan, random: &mut Random) -> Result<(), String> {
        let mut next = 0;
        for group in plan.groups() {
            if group.first != next || !group.allows(group.default_bits()) {
                return Err(format!("{text:?}: {group:?} does not follow variable {next}, or forbids its own default"));
            }
            next += group.count;
        }
        if next != plan.variables {
            return Err(format!("{text:?}: {next} variables in groups, {} in all", plan.variables));
        }
        if plan.variables <= MOST_VARIABLES { self.inputs_of(plan, random) } else { Ok(()) }
    }

    /// Inputs of a plan: random ones read back as they were written, damaged ones are refused or read back as well.
    fn inputs_of(&mut self, plan: &InputPlan, random: &mut Random) -> Result<(), String> {
        let bits =
            plan.groups().flat_map(|group| group.variables().map(|_| allowed(group, random)).collect::<Vec<_>>());
        let mut witness = Witness::new(bits.collect());
        plan.repair(&mut witness);
        if !plan.is_utf8(&witness) {
            return Err(format!("{plan:?}: {:x?} is no UTF-8", witness.values()));
        }
        let written = plan.encode(&witness, &[]);
        let printed = written.to_string();
        let read: Value = serde_json::from_str(&printed).map_err(|error| format!("{printed}: {error}"))?;
        match plan.decode(&read) {
            Ok((again, guest)) if again == witness && guest.is_empty() => self.inputs += 1,
            other => {
                return Err(format!("{plan:?}: {:x?} is written as {printed}, read as {other:x?}", witness.values()));
            }
        }
        for _ in 0..2 {
            let mut damaged = written.clone();
            mutate::json(&mut damaged, random);
            match plan.decode(&damaged) {
                Err(error) if error.message.is_empty() => return Err(format!("{damaged}: a refusal without a word")),
                Err(_) => self.inputs_refused += 1,
                Ok((witness, guest)) => {
                    self.inputs += 1;
                    let forbidden = plan
                        .groups()
                        .find(|group| group.variables().any(|variable| !group.allows(witness.get(variable))));
                    if let Some(group) = forbidden {
                        return Err(format!("{damaged} is accepted, against {group:?}"));
                    }
                    if !plan.is_utf8(&witness) {
                        return Err(format!("{damaged} is accepted, and is no UTF-8"));
                    }
                    let again = plan.decode(&plan.encode(&witness, &guest));
                    if again.as_ref().ok() != Some(&(witness, guest)) {
                        return Err(format!("{plan:?}: {damaged} is accepted, but read differently again: {again:x?}"));
                    }
                }
            }
        }
        Ok(())
    }
}

/// The bits of some value that a group allows.
fn allowed(group: &Group, random: &mut Random) -> u64 {
    let width = group.kind.width();
    let any = random.bits() >> random.index(64) & (u64::MAX >> (64 - width));
    let bounds = group.ranges().map(|ranges| ranges[random.index(ranges.len())]);
    let bits = match bounds {
        None => any,
        Some(Bounds::Signed { low, high }) => {
            let span = (high as u64).wrapping_sub(low as u64);
            let offset = if span == u64::MAX { random.bits() } else { random.below(span + 1) };
            (low as u64).wrapping_add(offset) & (u64::MAX >> (64 - width))
        }
        Some(Bounds::Unsigned { low, high }) => match high - low {
            u64::MAX => random.bits(),
            span => low + random.below(span + 1),
        },
        Some(Bounds::Float { low, high }) => {
            let value = if random.coin() { low } else { low / 2.0 + high / 2.0 };
            if group.kind == Kind::F32 { u64::from((value as f32).to_bits()) } else { value.to_bits() }
        }
    };
    if group.allows(bits) { bits } else { group.default_bits() }
}

/// A call with its layout.
fn made_up(random: &mut Random) -> (String, InputPlan) {
    let size = random.coin().then(|| random.below(40));
    let sizes = [("m".to_string(), random.below(9))].into_iter().collect();
    let mut plan = InputPlan { sizes, ..InputPlan::new(size) };
    let mut texts = Vec::new();
    for _ in 0..random.index(5) {
        let kind = random.pick(&Kind::ALL);
        let mut group = |count: u32, bounds: Option<Bounds>| {
            let bounds = bounds.or((kind == Kind::Bool).then_some(Bounds::Unsigned { low: 0, high: 1 }));
            let group = Group { bounds, ..Group::new(plan.variables, count, kind) };
            plan.variables += count;
            group
        };
        let (argument, text) = match random.index(11) {
            0 => {
                let (range, bounds) = range(kind, size, random);
                (Argument::Scalar(group(1, bounds)), format!("{kind}{range}"))
            }
            1 => {
                let count = random.below(20);
                let (range, bounds) = range(kind, size, random);
                let length = expression(i128::from(count), size, random, 3);
                (Argument::Buffer(group(count as u32, bounds)), format!("{kind}[{length}]{range}"))
            }
            2 => {
                let count = random.below(20);
                let first = plan.variables;
                plan.variables += count as u32;
                let (low, high) = (1 + random.below(100), 120 + random.below(136));
                let bounds = Some(Bounds::Unsigned { low, high });
                let group = Group { bounds, ..Group::new(first, count as u32, Kind::U8) };
                let length = expression(i128::from(count), size, random, 3);
                (Argument::Text(group), format!("str[{length}] in {low}..={high}"))
            }
            3 => {
                let count = random.below(20);
                let length = expression(i128::from(count), size, random, 3);
                (Argument::Zeroed { kind, count: count as u32 }, format!("out {kind}[{length}]"))
            }
            4 => {
                let bytes: Vec<u8> = (0..random.index(6)).map(|_| random.bits() as u8).collect();
                let written = bytes.iter().map(|&byte| match byte {
                    b' '..=b'~' if !matches!(byte, b'"' | b'\\') && random.coin() => char::from(byte).to_string(),
                    _ => format!("\\x{byte:02x}"),
                });
                let written: String = written.collect();
                (Argument::Constant(bytes.as_slice().into()), format!("\"{written}\""))
            }
            6 => {
                // Pieces far from each other, in any order.
                let count = random.below(9);
                let first = plan.variables;
                plan.variables += count as u32;
                let pieces: Vec<(u64, u64)> = (0..1 + random.below(4))
                    .map(|number| {
                        let low = 60 * number + random.below(20);
                        (low, low + random.below(30))
                    })
                    .collect();
                let mut written: Vec<String> = pieces
                    .iter()
                    .map(|&(low, high)| if low == high { low.to_string() } else { format!("{low}..={high}") })
                    .collect();
                random.shuffle(&mut written);
                let ranges: Vec<Bounds> = pieces.iter().map(|&(low, high)| Bounds::Unsigned { low, high }).collect();
                let bounds = Some(Bounds::Unsigned { low: pieces[0].0, high: pieces[pieces.len() - 1].1 });
                let pieces = (ranges.len() > 1).then(|| ranges.into());
                let group = Group { bounds, pieces, ..Group::new(first, count as u32, Kind::U8) };
                (Argument::Buffer(group), format!("u8[{count}] in {}", written.join(" | ")))
            }
            7 => {
                // Two fields and an array of them, with the padding between them.
                let (m, first) = (plan.sizes["m"] as u32, plan.variables);
                let other = random.pick(&[Kind::U8, Kind::I16, Kind::I32, Kind::I64]);
                plan.variables += 3 * m;
                // The first field and its padding are as wide as an element of the second one.
                let (width, stride) = (other.bytes(), 3 * other.bytes());
                let column = |kind: Kind, offset: u64, repeated: Vec<(u32, u64)>, first: u32| {
                    let row = repeated.iter().skip(1).map(|&(count, _)| count).product();
                    let count = repeated.iter().map(|&(count, _)| count).product();
                    Column { kind, offset, repeated, group: Some(Group { row, ..Group::new(first, count, kind) }) }
                };
                let columns = vec![
                    column(Kind::I8, 0, vec![(m, stride)], first),
                    column(other, width, vec![(m, stride), (2, width)], first + m),
                ];
                let pair = Shape::Array(2, Box::new(Shape::Number(1)));
                let shape = Shape::Array(m, Box::new(Shape::Record(vec![Shape::Number(0), pair])));
                let bytes = stride * u64::from(m);
                let padded = u64::from(m) * (1 + 2 * width) < bytes;
                (Argument::Structure(Structure { shape, columns, bytes, padded }), format!("{{i8, {other}[2]}}[m]"))
            }
            8 => {
                let (count, first) = (random.below(12) as u32, plan.variables);
                plan.variables += count;
                let with_nul = random.coin();
                let bounds = Some(Bounds::Unsigned { low: u64::from(with_nul), high: 0xf4 });
                let group = Group { bounds, utf8: true, ..Group::new(first, count, Kind::U8) };
                match with_nul {
                    true => (Argument::Text(group), format!("str utf8[{count}]")),
                    false => (Argument::Buffer(group), format!("utf8[{count}]")),
                }
            }
            9 => (Argument::Function("compare".into()), "&compare".to_string()),
            5 => {
                let value = random.bits() as i64 >> random.index(64);
                (Argument::Integer(value.into()), expression(value.into(), size, random, 3))
            }
            _ => {
                let value = random.below(1000) as f64 / 8.0 * if random.coin() { -1.0 } else { 1.0 };
                (Argument::Float(value), format!("{value:?}"))
            }
        };
        plan.arguments.push(argument);
        texts.push(text);
    }
    let name = random.pick(&["f", "sort", " g", "a.b", "\"with (parentheses)\"", "_start", "µ"]);
    let space = random.pick(&["", " ", "  ", "\t"]);
    let arguments = texts.join(&format!("{space},{space}"));
    (format!("{name}{space}({space}{arguments}{space}){space}"), plan)
}

/// An expression with this value, built up from its value.
fn expression(value: i128, size: Option<u64>, random: &mut Random, depth: u32) -> String {
    let deeper = |value: i128, random: &mut Random| expression(value, size, random, depth.saturating_sub(1));
    match random.index(if depth == 0 { 3 } else { 8 }) {
        1 if value >= 0 => format!("0x{value:x}"),
        2 if (33..127).contains(&value) && !matches!(value as u8, b'\'' | b'\\') => {
            format!("'{}'", value as u8 as char)
        }
        3 => {
            let part = i128::from(random.below(100));
            format!("({} + {})", deeper(value - part, random), deeper(part, random))
        }
        4 => {
            let part = i128::from(random.below(100));
            format!("({}-{})", deeper(value + part, random), deeper(part, random))
        }
        5 if value % 2 == 0 => format!("{} * ({})", 2, deeper(value / 2, random)),
        6 => format!("({}) / {}", deeper(value * 3, random), 3),
        7 => match size {
            Some(n) => format!("(n + ({}))", deeper(value - i128::from(n), random)),
            None => format!("-({})", deeper(-value, random)),
        },
        _ => format!("{value}"),
    }
}

/// A range of a kind as text, and the bounds that it stands for; nothing half of the time.
fn range(kind: Kind, size: Option<u64>, random: &mut Random) -> (String, Option<Bounds>) {
    if random.coin() {
        return (String::new(), None);
    }
    if kind.is_float() {
        // Eighths are exact in both formats.
        let low = random.below(2000) as f64 / 8.0 - 100.0;
        let high = low + random.below(1000) as f64 / 8.0;
        return (format!(" in {low:?}..={high:?}"), Some(Bounds::Float { low, high }));
    }
    let (least, most): (i128, i128) = match (kind, kind.width()) {
        (Kind::Bool, _) => (0, 1),
        (kind, width) if kind.is_signed() => (-(1 << (width - 1)), (1 << (width - 1)) - 1),
        (_, width) => (0, (1 << width) - 1),
    };
    let within = |random: &mut Random| match random.index(4) {
        0 => least,
        1 => most,
        _ => least + ((i128::from(random.bits() >> 1) * (most - least + 1)) >> 63),
    };
    let (one, other) = (within(random), within(random));
    let (low, high) = (one.min(other), one.max(other));
    let text = match random.coin() {
        true => format!("..={}", expression(high, size, random, 2)),
        false => format!("..{}", expression(high + 1, size, random, 2)),
    };
    let bounds = match kind.is_signed() {
        true => Bounds::Signed { low: low as i64, high: high as i64 },
        false => Bounds::Unsigned { low: low as u64, high: high as u64 },
    };
    (format!(" in {}{text}", expression(low, size, random, 2)), Some(bounds))
}
