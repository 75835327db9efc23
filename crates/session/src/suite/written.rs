//! Which numbers stand in the source. Compilers make many more constants than programmers write: sizes of stack frames and
//! structures, places of fields, masks, numbers of variants; and they write whole functions, such as derived ones. A mistake in
//! one of these is none that anybody could make.

use std::collections::{BTreeMap, BTreeSet};

use pessimum_report::html::SourceFile;
use pessimum_search::places::Places;
use pessimum_search::program::{Arm, SiteId};

/// The numbers in the lines of source files.
#[derive(Debug, Default)]
pub struct Written {
    files: BTreeMap<String, Vec<WrittenLine>>,
}

/// What stands in a line.
#[derive(Debug, Default, PartialEq, Eq)]
struct WrittenLine {
    /// Whether it is code that somebody wrote, and not only a bracket or an attribute.
    is_code: bool,
    numbers: BTreeSet<i64>,
    /// Whether there is a named constant whose value is not known.
    is_open: bool,
}

/// A part of a line.
#[derive(Debug, PartialEq, Eq)]
enum Part<'a> {
    Number(i64),
    Name(&'a str),
    Sign(char),
}

impl Written {
    /// What stands in these files.
    pub fn of(sources: &[SourceFile]) -> Written {
        let mut constants: BTreeMap<&str, BTreeSet<i64>> = BTreeMap::new();
        for line in sources.iter().flat_map(|file| file.text.lines()) {
            if let Some((name, numbers)) = defined(&parts(line)) {
                constants.entry(name).or_default().extend(numbers);
            }
        }
        let line = |text: &str| {
            let mut line = WrittenLine {
                is_code: text.contains(char::is_alphanumeric) && !is_attribute(text),
                ..WrittenLine::default()
            };
            let parts = parts(text);
            for (at, part) in parts.iter().enumerate() {
                match part {
                    Part::Number(number) => _ = line.numbers.insert(*number),
                    Part::Name("true") => _ = line.numbers.insert(1),
                    Part::Name("false" | "NULL") => _ = line.numbers.insert(0),
                    // A macro with arguments is no constant.
                    Part::Name(name) if is_constant(name) && parts.get(at + 1) != Some(&Part::Sign('(')) => {
                        match constants.get(name) {
                            Some(known) if !known.is_empty() => line.numbers.extend(known),
                            _ => line.is_open = true,
                        }
                    }
                    Part::Name(_) => {}
                    Part::Sign(sign @ ('+' | '-')) if parts.get(at + 1) == Some(&Part::Sign(*sign)) => {
                        line.numbers.insert(1);
                    }
                    Part::Sign(_) => {}
                }
            }
            line
        };
        let files = sources.iter().map(|file| (file.name.clone(), file.text.lines().map(line).collect()));
        Written { files: files.collect() }
    }

    fn line(&self, file: &str, number: u32) -> Option<&WrittenLine> {
        self.files.get(file)?.get((number as usize).checked_sub(1)?)
    }

    /// Whether somebody may have written this number in a line; also where the source is not known.
    pub fn has_number(&self, file: &str, line: u32, value: i64) -> bool {
        self.line(file, line).is_none_or(|line| {
            let is_it =
                |&number: &i64| number == value || number == value.wrapping_neg() || number as u32 == value as u32;
            line.is_code && (line.is_open || line.numbers.iter().any(is_it))
        })
    }

    /// Whether somebody may have written a branch in a line; also where the source is not known.
    pub fn has_code(&self, file: &str, line: u32) -> bool {
        self.line(file, line).is_none_or(|line| line.is_code)
    }
}

/// The arms of branches that stand in a line of an attribute: code that it derives, which nobody wrote.
pub fn derived(places: &Places, sources: &[SourceFile]) -> BTreeSet<(SiteId, Arm)> {
    let texts: BTreeMap<&str, Vec<&str>> =
        sources.iter().map(|file| (file.name.as_str(), file.text.lines().collect())).collect();
    let is_derived = |site: SiteId| {
        let line = places.sites.get(site.0 as usize).and_then(|place| places.lines.get(place.line? as usize));
        let text = line.and_then(|line| texts.get(line.file.as_str())?.get((line.line as usize).checked_sub(1)?));
        text.is_some_and(|text| is_attribute(text))
    };
    places.arms.iter().copied().filter(|&(site, _)| is_derived(site)).collect()
}

fn is_attribute(line: &str) -> bool {
    line.trim_start().starts_with("#[")
}

/// Whether a name is one of a constant, by its letters.
fn is_constant(name: &str) -> bool {
    name.len() > 1 && !name.contains(char::is_lowercase) && name.starts_with(char::is_uppercase)
}

/// The constant that a line defines, and the numbers in its definition: `#define MOST 64`, `const MOST: usize = 8;`, `FULL = 3`.
fn defined<'a>(parts: &[Part<'a>]) -> Option<(&'a str, Vec<i64>)> {
    let after_define = parts.iter().position(|part| *part == Part::Name("define")).map(|at| at + 1);
    let is_assigned = |at: usize| parts[at] == Part::Sign('=') && parts.get(at + 1) != Some(&Part::Sign('='));
    let at = match after_define {
        Some(at) => at,
        None => {
            let equals = (1..parts.len()).find(|&at| is_assigned(at))?;
            (0..equals).rev().find(|&at| matches!(parts[at], Part::Name(name) if is_constant(name)))?
        }
    };
    let Part::Name(name) = parts.get(at)? else { return None };
    let numbers = parts[at + 1..].iter().filter_map(|part| match part {
        Part::Number(number) => Some(*number),
        _ => None,
    });
    Some((name, numbers.collect()))
}

/// The numbers, names and signs of a line, without texts and remarks up to its end.
fn parts(line: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let word =
            |text: &str| text.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(text.len());
        let length = if rest.starts_with("//") || rest.starts_with("/*") {
            break;
        } else if first == '"' {
            quoted(rest)
        } else if let Some((value, length)) = character(rest) {
            parts.push(Part::Number(value));
            length
        } else if first.is_ascii_digit() {
            let length = word(rest);
            parts.extend(number(&rest[..length]).map(Part::Number));
            length
        } else if first.is_alphabetic() || first == '_' {
            let length = word(rest);
            parts.push(Part::Name(&rest[..length]));
            length
        } else {
            if !first.is_whitespace() {
                parts.push(Part::Sign(first));
            }
            first.len_utf8()
        };
        rest = &rest[length..];
    }
    parts
}

/// How long a text is that begins here, with its quotes; up to the end of the line if it does not end in it.
fn quoted(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The value and the length of a character in quotes that stands here.
fn character(text: &str) -> Option<(i64, usize)> {
    let inner = text.strip_prefix('\'')?;
    let mut letters = inner.chars();
    let (value, length) = match letters.next()? {
        '\\' => {
            let escaped = letters.next()?;
            let value = match escaped {
                'n' => 10,
                't' => 9,
                'r' => 13,
                '0' => 0,
                other => i64::from(u32::from(other)),
            };
            (value, 1 + escaped.len_utf8())
        }
        letter => (i64::from(u32::from(letter)), letter.len_utf8()),
    };
    // Otherwise it is a lifetime, or something longer.
    inner[length..].starts_with('\'').then_some((value, length + 2))
}

/// The value of a number with its suffix; none if it is none of whole numbers.
fn number(word: &str) -> Option<i64> {
    let word = word.replace('_', "");
    let (digits, radix) = match word.as_bytes() {
        [b'0', b'x' | b'X', ..] => (&word[2..], 16),
        [b'0', b'b' | b'B', ..] => (&word[2..], 2),
        [b'0', b'o' | b'O', ..] => (&word[2..], 8),
        _ => (&word[..], 10),
    };
    let end = digits.find(|digit: char| !digit.is_digit(radix)).unwrap_or(digits.len());
    u64::from_str_radix(&digits[..end], radix).ok().map(|value| value as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> Written {
        Written::of(&[SourceFile { name: "a".to_string(), text: text.to_string() }])
    }

    #[test]
    fn numbers_of_a_line_are_those_that_are_written_there() {
        let source = written(
            "if (x > 1_000 && y == 0x1F && c != 'b') f(-7L); // 5\n    }\nlet s = \"12\"; i++;\n#[derive(Eq)]\n",
        );
        let numbers = |line: u32| -> Vec<i64> {
            [0, 1, 5, 7, -7, 12, 31, 98, 1000]
                .into_iter()
                .filter(|&value| source.has_number("a", line, value))
                .collect()
        };
        assert_eq!(numbers(1), [7, -7, 31, 98, 1000]);
        assert!(numbers(2).is_empty());
        assert_eq!(numbers(3), [1]);
        assert!(numbers(4).is_empty());
        let code: Vec<bool> = (1..=5).map(|line| source.has_code("a", line)).collect();
        // Of what is not in the file nothing is known.
        assert_eq!(code, [true, false, true, false, true]);
        assert!(source.has_number("another file", 1, 99));
    }

    #[test]
    fn a_named_constant_stands_for_its_number_or_if_that_is_not_known_for_any() {
        let source = written(
            "#define MOST 64\nconst LEAST: usize = 3;\nenum { OK, FULL = 9 };\nreturn n < MOST;\nx == LEAST\nOK\nFULL\nNEW(T)\n",
        );
        let numbers = |line: u32| -> Vec<i64> {
            [0, 3, 9, 64].into_iter().filter(|&value| source.has_number("a", line, value)).collect()
        };
        assert_eq!(numbers(4), [64]);
        assert_eq!(numbers(5), [3]);
        assert_eq!(numbers(6), [0, 3, 9, 64], "which number the compiler gave it is not written anywhere");
        assert_eq!(numbers(7), [9]);
        assert!(numbers(8).is_empty());
    }

    #[test]
    fn quotes_of_lifetimes_are_no_characters() {
        let source = written("fn f<'a>(x: &'a str) -> &'a str { if x.len() == 4 { x } else { y('\\n') } }\n");
        assert!(source.has_number("a", 1, 4) && source.has_number("a", 1, 10) && !source.has_number("a", 1, 97));
    }
}
