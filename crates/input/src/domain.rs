//! What a search covers of what a caller may pass, in words: `exactly 6 characters of ASCII 1 to 127`.
//!
//! An input is laid out for one size, with given lengths and ranges. A type in the source permits more than that: other
//! lengths, `None`, wider numbers. What is proved of a program is proved for these inputs and for no others, so it is said
//! with them.

use std::fmt::{self, Display};

use crate::{Argument, Bounds, Content, Group, InputPlan, Shape};

/// The part of all inputs that is searched, as far as it is less than what the types in the source permit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Domain {
    /// Names of inputs, as in `code`; empty for the only one. Each has what is searched of it.
    parts: Vec<(Option<String>, Phrase)>,
}

/// Words with lengths among them, which differ from size to size.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Phrase(Vec<Piece>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Words(String),
    /// So many of what follows: these words before the numbers, which ascend, one for each size.
    Length(&'static str, Vec<u64>),
}

impl Phrase {
    /// These words.
    pub fn new(words: impl Into<String>) -> Phrase {
        Phrase(vec![Piece::Words(words.into())])
    }

    /// So many of these.
    pub fn many(count: u64, of: Phrase) -> Phrase {
        Phrase(vec![Piece::Length("exactly", vec![count])]).then(of)
    }

    /// No more than so many of these.
    pub fn at_most(count: u64, of: Phrase) -> Phrase {
        Phrase(vec![Piece::Length("at most", vec![count])]).then(of)
    }

    /// One after the other.
    pub fn then(mut self, other: Phrase) -> Phrase {
        self.0.extend(other.0);
        self
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The same at another size as well.
    fn add(&mut self, other: &Phrase) {
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            match (mine, theirs) {
                (Piece::Length(_, mine), Piece::Length(_, theirs)) => {
                    mine.extend(theirs);
                    mine.sort_unstable();
                    mine.dedup();
                }
                (Piece::Words(mine), Piece::Words(theirs)) if mine != theirs => *mine = format!("{mine} or {theirs}"),
                _ => {}
            }
        }
    }
}

impl Display for Phrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut before, mut is_one) = ("(", false);
        for piece in &self.0 {
            let words = match piece {
                Piece::Words(words) if is_one => singular(words),
                Piece::Words(words) => words.clone(),
                Piece::Length(how, counts) => format!("{how} {}", listed(counts)),
            };
            is_one = matches!(piece, Piece::Length(_, counts) if counts == &[1]);
            let is_joined = before.ends_with('(') || words.starts_with([',', ')']);
            f.write_str(if is_joined { "" } else { " " })?;
            f.write_str(&words)?;
            before = if words.ends_with('(') { "(" } else { "" };
        }
        Ok(())
    }
}

/// One of what the first of these words names.
fn singular(words: &str) -> String {
    let end = words.find(|c: char| !c.is_alphabetic()).unwrap_or(words.len());
    let (first, rest) = words.split_at(end);
    first.strip_suffix('s').unwrap_or(first).to_string() + rest
}

/// `4`, `4 or 6`, `4, 6 or 8`; the middle of many is left out.
fn listed(numbers: &[u64]) -> String {
    const MOST: usize = 6;
    let texts = |numbers: &[u64]| numbers.iter().map(u64::to_string).collect::<Vec<String>>().join(", ");
    match numbers {
        [] => String::new(),
        [one] => one.to_string(),
        [before @ .., last] if numbers.len() <= MOST => format!("{} or {last}", texts(before)),
        [.., last] => format!("{}, ... or {last}", texts(&numbers[..2])),
    }
}

impl Domain {
    /// Adds what is searched of an input; `name` is left out where there is only one.
    pub fn add(&mut self, name: Option<String>, phrase: Phrase) {
        if !phrase.is_empty() {
            self.parts.push((name, phrase));
        }
    }

    /// The inputs of several sizes together.
    pub fn of_sizes(domains: impl IntoIterator<Item = Domain>) -> Domain {
        let mut domains = domains.into_iter();
        let mut all = domains.next().unwrap_or_default();
        for other in domains {
            all.parts.iter_mut().zip(&other.parts).for_each(|((_, mine), (_, theirs))| mine.add(theirs));
        }
        all
    }

    /// In words; none if every input is searched.
    pub fn text(&self) -> Option<String> {
        let mut alike: Vec<(Vec<&str>, String)> = Vec::new();
        for (name, phrase) in &self.parts {
            let (name, phrase) = (name.as_deref(), phrase.to_string());
            match alike.iter_mut().find(|(_, other)| *other == phrase) {
                Some((names, _)) => names.extend(name),
                None => alike.push((name.into_iter().collect(), phrase)),
            }
        }
        let text = |(names, phrase): (Vec<&str>, String)| match names.is_empty() {
            true => phrase,
            false => format!("{}: {phrase}", names.join(", ")),
        };
        (!alike.is_empty()).then(|| alike.into_iter().map(text).collect::<Vec<String>>().join("; "))
    }
}

impl InputPlan {
    /// What of all inputs this is, for a program whose types are those of the call.
    pub fn domain(&self) -> Domain {
        let mut domain = Domain::default();
        let alone = self.arguments.len() == 1;
        for (at, argument) in self.arguments.iter().enumerate() {
            let name = (!alone).then(|| format!("argument {}", at + 1));
            domain.add(name, argument.searched(self));
        }
        let bytes = |group: &Group| Phrase::many(group.count.into(), Phrase::new(bytes(group, false)));
        if let Some(group) = &self.stdin {
            domain.add(Some("standard input".to_string()), bytes(group));
        }
        for (at, content) in self.command_line.iter().enumerate() {
            if let Content::Input(group) = content {
                domain.add(Some(format!("command-line argument {}", at + 1)), bytes(group));
            }
        }
        for (name, content) in &self.files {
            if let Content::Input(group) = content {
                domain.add(Some(format!("file {name}")), bytes(group));
            }
        }
        domain
    }

    /// Whether a number is the size, or the length of an argument: then it says nothing that the length does not.
    fn is_length(&self, number: i128) -> bool {
        let lengths = self.arguments.iter().flat_map(Argument::groups).map(|group| group.count.into());
        self.size.map(i128::from).into_iter().chain(lengths).any(|length| length == number)
    }
}

impl Argument {
    /// What is searched of it; nothing where it is everything.
    fn searched(&self, plan: &InputPlan) -> Phrase {
        let numbers = |group: &Group| match group.ranges() {
            None => Phrase::new(format!("elements of any {}", group.kind)),
            Some(_) => Phrase::new(format!("elements in {}", group.range_text())),
        };
        match self {
            Argument::Scalar(group) if group.bounds.is_none() => Phrase::default(),
            Argument::Scalar(group) => Phrase::new(format!("numbers in {}", group.range_text())),
            Argument::Text(group) => Phrase::many(group.count.into(), Phrase::new(bytes(group, true))),
            Argument::Buffer(group) if group.is_bytes() => {
                Phrase::many(group.count.into(), Phrase::new(bytes(group, false)))
            }
            Argument::Buffer(group) => Phrase::many(group.count.into(), numbers(group)),
            Argument::Structure(structure) if structure.is_input() => {
                let ranges = structure.columns.iter().any(|column| {
                    column.group.as_ref().is_some_and(|group| group.bounds.is_some() && !group.characters)
                });
                let given = if ranges { Phrase::new("in the ranges of the call") } else { Phrase::default() };
                match &structure.shape {
                    Shape::Array(count, _) => Phrase::many((*count).into(), Phrase::new("elements")).then(given),
                    _ => given,
                }
            }
            Argument::Integer(number) if !plan.is_length(*number) => Phrase::new(format!("only {number}")),
            Argument::Float(number) => Phrase::new(format!("only {number}")),
            Argument::Constant(_) => Phrase::new("only the text in the call"),
            Argument::Function(name) => Phrase::new(format!("only {name}")),
            Argument::Structure(_) | Argument::Zeroed { .. } | Argument::Returned(_) | Argument::Integer(_) => {
                Phrase::default()
            }
        }
    }
}

/// What the bytes of a text may be.
fn bytes(group: &Group, ends: bool) -> String {
    match group.ranges() {
        _ if group.utf8 => "bytes of UTF-8".to_string(),
        None => "bytes".to_string(),
        Some([Bounds::Unsigned { low: 1, high: 255 }]) if ends => "bytes other than 0".to_string(),
        Some(ranges) => format!("bytes in {}", codes(ranges)),
    }
}

/// Ranges of codes, those of letters, digits and signs as characters.
pub fn codes(ranges: &[Bounds]) -> String {
    let shown = |code: u64| match u8::try_from(code) {
        Ok(code @ b' '..=b'~') => format!("'{}'", char::from(code)),
        _ => code.to_string(),
    };
    let range = |range: &Bounds| match *range {
        Bounds::Unsigned { low, high } if low == high => shown(low),
        Bounds::Unsigned { low, high } => format!("{}..={}", shown(low), shown(high)),
        other => other.to_string(),
    };
    ranges.iter().map(range).collect::<Vec<String>>().join(" | ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Signature;

    fn text(call: &str, sizes: &[u64]) -> Option<String> {
        let at = |&size: &u64| {
            let mut plan = InputPlan::new(Some(size));
            Signature::parse(call).unwrap().lay_out(&mut plan).unwrap();
            plan.domain()
        };
        Domain::of_sizes(sizes.iter().map(at)).text()
    }

    #[test]
    fn what_is_left_out_is_said() {
        assert_eq!(text("f(i32, u8, f64)", &[1]), None);
        assert_eq!(text("f(i32 in 0..=9 | 20)", &[1]).unwrap(), "numbers in 0..=9 | 20");
        assert_eq!(text("f(u8[n] in ' '..='~', 1)", &[1]).unwrap(), "argument 1: exactly 1 byte in ' '..='~'");
        assert_eq!(text("f(i32[n], n)", &[4]).unwrap(), "argument 1: exactly 4 elements of any i32");
        assert_eq!(
            text("f(i32[n], 3)", &[4]).unwrap(),
            "argument 1: exactly 4 elements of any i32; argument 2: only 3"
        );
        assert_eq!(text("f(str[n], str[n])", &[4]).unwrap(), "argument 1, argument 2: exactly 4 bytes other than 0");
        assert_eq!(text("f(u8[n] in 'a'..='c' | 0)", &[4, 6]).unwrap(), "exactly 4 or 6 bytes in 0 | 'a'..='c'");
        assert_eq!(text("f(u8[n])", &[4, 6, 8]).unwrap(), "exactly 4, 6 or 8 bytes");
    }
}
