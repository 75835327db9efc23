//! A generator in English: "n/2 times `(`, then n/2 times `)`".

use crate::language::{Atom, Filling, List, Pattern, Segment, Sequence, Slack, Times};

/// How a slot is spoken of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// What it is: `argument 1`, `standard input`.
    pub name: String,
    /// Whether its values are characters.
    pub text: bool,
    /// Its length as `per_size * n + base`; none where it is not of this form.
    pub length: Option<(u64, i64)>,
}

impl Named {
    /// The letter for its length, and what has to be said about that.
    fn letter(&self) -> (&'static str, Option<String>) {
        match self.length {
            Some((1, 0)) => ("n", None),
            Some((0, fixed)) => ("m", Some(format!("m = {fixed}"))),
            Some((1, base)) => ("m", Some(format!("m = n {}", signed(base)))),
            Some((factor, 0)) => ("m", Some(format!("m = {factor}n"))),
            Some((factor, base)) => ("m", Some(format!("m = {factor}n {}", signed(base)))),
            None => ("m", Some("m values".to_string())),
        }
    }
}

fn signed(number: i64) -> String {
    if number < 0 { format!("- {}", number.unsigned_abs()) } else { format!("+ {number}") }
}

/// The whole input in words; slots are named where there are several.
pub fn words(pattern: &Pattern, names: &[Named]) -> String {
    let one = |(filling, named): (&Filling, &Named)| {
        let text = filling_words(filling, named);
        match (names.len(), filling) {
            (1, Filling::List(_)) => text,
            (1, Filling::Scalar { .. }) => format!("{} is {text}", named.name),
            _ => format!("{}: {text}", named.name),
        }
    };
    pattern.slots.iter().zip(names).map(one).collect::<Vec<String>>().join("; ")
}

fn filling_words(filling: &Filling, named: &Named) -> String {
    match filling {
        Filling::Scalar { per_size: 0, base } => base.to_string(),
        Filling::Scalar { per_size: 1, base: 0 } => "n".to_string(),
        Filling::Scalar { per_size: 1, base } => format!("n {}", signed(*base)),
        Filling::Scalar { per_size, base: 0 } => format!("{per_size}n"),
        Filling::Scalar { per_size, base } => format!("{per_size}n {}", signed(*base)),
        Filling::List(list) => list_words(list, named),
    }
}

fn list_words(list: &List, named: &Named) -> String {
    let (letter, remark) = named.letter();
    // How many values one step of `k` adds; none where repetitions differ in length.
    let step = list.segments.iter().map(per_k).try_fold(0, |sum, length| Some(sum + length?));
    let fixed: u64 = list.segments.iter().filter(|segment| matches!(segment.times, Times::Fixed(_))).map(fixed).sum();
    let mut parts: Vec<String> = Vec::new();
    for (number, segment) in list.segments.iter().enumerate() {
        let block = block_words(&segment.block, named.text);
        parts.push(match segment.times {
            Times::Fixed(1) => block,
            Times::Fixed(times) => format!("{times} times {block}"),
            Times::Share(share) => {
                let times = times_words(share.into(), step, fixed, letter);
                match segment.block[..] {
                    // "n descending numbers", not "n times".
                    [Atom::Number(_)] => format!("{}{block}", times.replace(" times ", " ")),
                    _ => format!("{times}{block}"),
                }
            }
        });
        if let Slack::Pad(at, value) = list.slack
            && at as usize == number
        {
            let plain = block_words(&[Atom::Values(vec![value])], named.text);
            let is_possible = step != Some(1);
            parts.extend(is_possible.then(|| format!("{plain} for what is left")));
        }
    }
    let text = parts.join(", then ");
    match remark {
        Some(remark) => format!("{text} ({remark})"),
        None => text,
    }
}

fn per_k(segment: &Segment) -> Option<u64> {
    match segment.times {
        Times::Fixed(_) => Some(0),
        Times::Share(share) => plain_length(&segment.block).map(|length| length * u64::from(share)),
    }
}

fn fixed(segment: &Segment) -> u64 {
    plain_length(&segment.block).unwrap_or(1) * segment.repetitions(0)
}

/// The length of a block whose repetitions are all alike in length.
fn plain_length(block: &[Atom]) -> Option<u64> {
    let length = |atom: &Atom| match atom {
        Atom::Values(values) => Some(values.len() as u64),
        Atom::Number(_) => Some(1),
        Atom::Name { width, .. } if *width > 1 => Some((*width).into()),
        Atom::Decimal | Atom::Name { .. } => None,
    };
    block.iter().map(length).try_fold(0, |sum, length| Some(sum + length?))
}

fn times_words(share: u64, step: Option<u64>, fixed: u64, letter: &str) -> String {
    let Some(step) = step.filter(|&step| step > 0) else {
        return match share {
            1 => "as often as fits ".to_string(),
            _ => format!("as often as fits, {share} times each, "),
        };
    };
    let divisor = gcd(share, step);
    let (share, step) = (share / divisor, step / divisor);
    let whole = match (fixed, share) {
        (0, _) => letter.to_string(),
        (_, _) if step == 1 && share == 1 => format!("{letter} - {fixed}"),
        _ => format!("({letter} - {fixed})"),
    };
    match (share, step) {
        (1, 1) => format!("{whole} times "),
        (share, 1) => format!("{share}{whole} times "),
        (1, step) => format!("{whole}/{step} times "),
        (share, step) => format!("{share}{whole}/{step} times "),
    }
}

fn gcd(one: u64, other: u64) -> u64 {
    if other == 0 { one.max(1) } else { gcd(other, one % other) }
}

fn block_words(block: &[Atom], text: bool) -> String {
    let one = |atom: &Atom| match atom {
        Atom::Values(values) if text => quoted(values),
        Atom::Values(values) => {
            let numbers: Vec<String> = values.iter().map(i64::to_string).collect();
            match numbers.len() {
                1 => format!("the number {}", numbers[0]),
                _ => format!("the numbers {}", numbers.join(", ")),
            }
        }
        Atom::Number(sequence) => sequence_words(*sequence),
        Atom::Decimal => "a number that counts up".to_string(),
        Atom::Name { width: 1, .. } => "a new name".to_string(),
        Atom::Name { width, .. } => format!("a new name of {width} letters"),
    };
    block.iter().map(one).collect::<Vec<String>>().join(" and ")
}

fn sequence_words(sequence: Sequence) -> String {
    match sequence {
        Sequence::RISING => "ascending numbers".to_string(),
        Sequence::FALLING => "descending numbers".to_string(),
        Sequence::Straight { times, base, step } => {
            let order = if step < 0 { "descending" } else { "ascending" };
            let by = if step.abs() == 1 { String::new() } else { format!(" by {}", step.abs()) };
            let from = match (times, base) {
                (0, base) => base.to_string(),
                (1, 0) => "their count".to_string(),
                (1, base) => format!("their count {}", signed(base)),
                (times, 0) => format!("{times} times their count"),
                (times, base) => format!("{times} times their count {}", signed(base)),
            };
            format!("{order} numbers from {from}{by}")
        }
        Sequence::Middle => "numbers with the greatest of every beginning in its middle".to_string(),
        Sequence::Modular { base, step, modulus } => {
            let from = if base == 0 { String::new() } else { format!(" from {base}") };
            match modulus {
                0 => format!("multiples of {step}{from}, wrapping around"),
                modulus if step == 1 => format!("the numbers below {modulus}{from} over and over"),
                modulus => format!("multiples of {step}{from} modulo {modulus}"),
            }
        }
    }
}

/// Characters as they are written in a text.
fn quoted(values: &[i64]) -> String {
    let mut text = String::new();
    for &value in values {
        match u8::try_from(value) {
            Ok(b'\n') => text.push_str("\\n"),
            Ok(b'\t') => text.push_str("\\t"),
            Ok(b'\r') => text.push_str("\\r"),
            Ok(b'\\') => text.push_str("\\\\"),
            Ok(byte @ b' '..=b'~') => text.push(char::from(byte)),
            Ok(byte) => text.push_str(&format!("\\x{byte:02x}")),
            Err(_) => text.push_str(&format!("\\{{{value}}}")),
        }
    }
    format!("`{text}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: bool) -> Named {
        Named { name: "argument 1".to_string(), text, length: Some((1, 0)) }
    }

    fn literal(text: &str) -> Vec<Atom> {
        vec![Atom::Values(text.bytes().map(i64::from).collect())]
    }

    fn said(list: List, text: bool) -> String {
        words(&Pattern { slots: vec![Filling::List(list)] }, &[named(text)])
    }

    #[test]
    fn lists_are_said_in_proportions() {
        let nested = List {
            segments: vec![Segment::shared(literal("(")), Segment::shared(literal(")"))],
            slack: Slack::More(0),
        };
        assert_eq!(said(nested.clone(), true), "n/2 times `(`, then n/2 times `)`");
        let mut framed = nested;
        framed.segments.insert(0, Segment { block: literal("<\n"), times: Times::Fixed(1) });
        assert_eq!(said(framed, true), "`<\\n`, then (n - 2)/2 times `(`, then (n - 2)/2 times `)`");
        assert_eq!(said(List::repeated(literal("ab")), true), "n/2 times `ab`");
        let name = Atom::Name { first: 97, letters: 26, width: 1 };
        assert_eq!(
            said(List::repeated(vec![name, Atom::Values(vec![59])]), true),
            "as often as fits a new name and `;`"
        );
        let falling = List::repeated(vec![Atom::Number(Sequence::FALLING)]);
        assert_eq!(said(falling, false), "n descending numbers");
        let padded = List { slack: Slack::Pad(0, 32), ..List::repeated(literal("xy")) };
        assert_eq!(said(padded, true), "n/2 times `xy`, then ` ` for what is left");
    }

    #[test]
    fn several_slots_are_named() {
        let names = [
            Named { length: Some((2, 1)), ..named(true) },
            Named { name: "argument 2".to_string(), text: false, length: Some((0, 1)) },
        ];
        let slots = vec![Filling::List(List::repeated(literal("a"))), Filling::Scalar { per_size: 1, base: -1 }];
        assert_eq!(words(&Pattern { slots }, &names), "argument 1: m times `a` (m = 2n + 1); argument 2: n - 1");
    }
}
