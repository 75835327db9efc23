//! A generator as a program in Python, Rust or C that writes the input of a size given on its command line.
//!
//! The three languages share everything but their spelling: the same statements are written by three [`Syntax`]es.

use crate::language::{Atom, Filling, List, Number, Pattern, Sequence, Slack, Slot, Times};

/// The languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Python 3.
    Python,
    /// Rust, without crates.
    Rust,
    /// C99.
    C,
}

impl Language {
    /// All of them.
    pub const ALL: [Language; 3] = [Language::Python, Language::Rust, Language::C];

    /// The extension of its files.
    pub fn extension(self) -> &'static str {
        match self {
            Language::Python => "py",
            Language::Rust => "rs",
            Language::C => "c",
        }
    }
}

/// What is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// The bytes of the only slot.
    Raw,
    /// A JSON list with one entry for each argument: the slot with this number, or `null` for what is no input.
    Json(Vec<Option<usize>>),
}

/// A pattern with what its slots are.
pub struct Coded<'a> {
    /// The generator.
    pub pattern: &'a Pattern,
    /// The slots at any size, for their ranges.
    pub slots: &'a [Slot],
    /// The length of each slot as `factor * n + base`.
    pub lengths: &'a [(u64, i64)],
    /// What is written.
    pub form: &'a Form,
    /// The pattern in words, for the comment at the top.
    pub words: &'a str,
}

/// Values of all slots in this form; `values` are bits.
pub fn written(form: &Form, slots: &[Slot], values: &[u64]) -> Vec<u8> {
    let mut rest = values;
    let mut parts: Vec<&[u64]> = Vec::new();
    for slot in slots {
        let (own, others) = rest.split_at(slot.count.min(rest.len()));
        parts.push(own);
        rest = others;
    }
    match form {
        Form::Raw => parts.first().map_or_else(Vec::new, |bytes| bytes.iter().map(|&byte| byte as u8).collect()),
        Form::Json(arguments) => {
            let number = |slot: &Slot, bits: u64| match slot.number {
                Number::Signed => slot.value(bits).to_string(),
                Number::Unsigned | Number::Float => bits.to_string(),
            };
            let entry = |argument: &Option<usize>| match argument.and_then(|at| Some((slots.get(at)?, parts.get(at)?)))
            {
                Some((slot, part)) if slot.scalar => part.first().map_or_else(String::new, |&bits| number(slot, bits)),
                Some((slot, part)) => {
                    let numbers: Vec<String> = part.iter().map(|&bits| number(slot, bits)).collect();
                    format!("[{}]", numbers.join(","))
                }
                None => "null".to_string(),
            };
            let entries: Vec<String> = arguments.iter().map(entry).collect();
            format!("[{}]\n", entries.join(",")).into_bytes()
        }
    }
}

/// The program; none for slots that the languages here have no plain form for: floats, and sequences over ranges with
/// gaps.
pub fn code(coded: &Coded<'_>, language: Language) -> Option<String> {
    let mut syntax = Syntax { language, text: String::new(), depth: 0 };
    syntax.begin(coded.words);
    for (number, ((filling, slot), &length)) in
        coded.pattern.slots.iter().zip(coded.slots).zip(coded.lengths).enumerate()
    {
        if slot.number == Number::Float {
            return None;
        }
        slot_code(&mut syntax, number, filling, slot, length)?;
    }
    syntax.end(coded);
    Some(syntax.text)
}

/// The statements of one language.
struct Syntax {
    language: Language,
    text: String,
    depth: usize,
}

impl Syntax {
    fn line(&mut self, line: &str) {
        if !line.is_empty() {
            self.text += &"    ".repeat(self.depth);
            self.text += line;
        }
        self.text.push('\n');
    }

    /// One line of three, by language: Python, Rust, C.
    fn either(&mut self, python: &str, rust: &str, c: &str) {
        let line = match self.language {
            Language::Python => python,
            Language::Rust => rust,
            Language::C => c,
        };
        self.line(line);
    }

    fn block(&mut self, python: &str, rust: &str, c: &str, body: impl FnOnce(&mut Syntax)) {
        self.either(python, rust, c);
        self.depth += 1;
        body(self);
        self.depth -= 1;
        if self.language != Language::Python {
            self.line("}");
        }
    }

    /// A new variable.
    fn set(&mut self, name: &str, value: &str) {
        self.either(
            &format!("{name} = {value}"),
            &format!("let {name}: i128 = {value};"),
            &format!("long long {name} = {value};"),
        );
    }

    fn for_each(&mut self, variable: &str, from: &str, to: &str, body: impl FnOnce(&mut Syntax)) {
        let (python, rust) =
            (format!("for {variable} in range({from}, {to}):"), format!("for {variable} in {from}..{to} {{"));
        let c = format!("for (long long {variable} = {from}; {variable} < {to}; {variable}++) {{");
        self.block(&python, &rust, &c, body);
    }

    fn put(&mut self, value: &str) {
        self.either(&format!("out.append({value})"), &format!("out.push({value});"), &format!("put(&out, {value});"));
    }

    /// Division of numbers that are not negative.
    fn over(&self) -> &'static str {
        if self.language == Language::Python { "//" } else { "/" }
    }

    /// The greater of two numbers.
    fn max(&self, one: &str, other: &str) -> String {
        match self.language {
            Language::Python => format!("max({one}, {other})"),
            Language::Rust => format!("({one}).max({other})"),
            Language::C => format!("greater({one}, {other})"),
        }
    }

    fn begin(&mut self, words: &str) {
        let mark = if self.language == Language::Python { "#" } else { "//" };
        self.line(&format!("{mark} Writes the input of the size that is given as its argument, for example 1000:"));
        for words in words.lines() {
            self.line(&format!("{mark} {words}"));
        }
        self.text += match self.language {
            Language::Python => PYTHON,
            Language::Rust => RUST,
            Language::C => C,
        };
    }

    fn end(&mut self, coded: &Coded<'_>) {
        self.block("def main():", "fn main() {", "int main(int argc, char **argv) {", |syntax| {
            syntax.either(
                "n = int(sys.argv[1])",
                "let n: i128 = std::env::args().nth(1).and_then(|size| size.parse().ok()).expect(\"give a size\");",
                "long long n = argc > 1 ? atoll(argv[1]) : 0;",
            );
            match coded.form {
                Form::Raw => {
                    syntax.either(
                        "sys.stdout.buffer.write(bytes(value & 255 for value in slot_0(n)))",
                        "let bytes: Vec<u8> = slot_0(n).into_iter().map(|value| value as u8).collect();",
                        "list out = slot_0(n);",
                    );
                    match syntax.language {
                        Language::Python => {}
                        Language::Rust => syntax.line("std::io::stdout().write_all(&bytes).expect(\"write\");"),
                        Language::C => {
                            syntax
                                .line("for (size_t i = 0; i < out.count; i++) putchar((unsigned char)out.values[i]);");
                            syntax.line("return 0;");
                        }
                    }
                }
                Form::Json(arguments) => syntax.json(arguments, coded.slots),
            }
        });
        if self.language == Language::Python {
            self.text += "\n\nmain()\n";
        }
    }

    fn json(&mut self, arguments: &[Option<usize>], slots: &[Slot]) {
        let scalar = |at: usize| slots.get(at).is_some_and(|slot| slot.scalar);
        match self.language {
            Language::Python => {
                let entry = |argument: &Option<usize>| match argument {
                    Some(at) if scalar(*at) => format!("slot_{at}(n)[0]"),
                    Some(at) => format!("slot_{at}(n)"),
                    None => "None".to_string(),
                };
                let entries: Vec<String> = arguments.iter().map(entry).collect();
                self.line(&format!("print(json.dumps([{}], separators=(\",\", \":\")))", entries.join(", ")));
            }
            Language::Rust => {
                let entry = |argument: &Option<usize>| match argument {
                    Some(at) if scalar(*at) => format!("slot_{at}(n)[0].to_string()"),
                    Some(at) => format!("list(&slot_{at}(n))"),
                    None => "\"null\".to_string()".to_string(),
                };
                let entries: Vec<String> = arguments.iter().map(entry).collect();
                self.line(&format!("let entries: Vec<String> = vec![{}];", entries.join(", ")));
                self.line("let text = format!(\"[{}]\\n\", entries.join(\",\"));");
                self.line("std::io::stdout().write_all(text.as_bytes()).expect(\"write\");");
            }
            Language::C => {
                for (place, argument) in arguments.iter().enumerate() {
                    self.line(&format!("printf(\"{}\");", if place == 0 { "[" } else { "," }));
                    match argument {
                        Some(at) => {
                            let unsigned = slots.get(*at).is_some_and(|slot| slot.number == Number::Unsigned);
                            let (is_unsigned, is_scalar) = (u8::from(unsigned), u8::from(scalar(*at)));
                            self.line(&format!("print(slot_{at}(n), {is_unsigned}, {is_scalar});"));
                        }
                        None => self.line("printf(\"null\");"),
                    }
                }
                self.line("printf(\"]\\n\");");
                self.line("return 0;");
            }
        }
    }
}

/// What the programs begin with.
const PYTHON: &str = "\
import json
import sys


def digits(t):
    return sum(len(str(i)) for i in range(t))


def width(t, letters, least):
    width, names = 1, letters
    while names < t:
        width, names = width + 1, names * letters
    return max(width, least)


def name(i, width, first, letters):
    return [first + i // letters ** (width - 1 - place) % letters for place in range(width)]


def middle(t):
    numbers = list(range(t))
    for i in range(t):
        numbers[i], numbers[i // 2] = numbers[i // 2], numbers[i]
    return numbers


";

const RUST: &str = "\
#![allow(dead_code, unused)]
use std::io::Write;

fn digits(t: i128) -> i128 {
    let (mut sum, mut from, mut length) = (0, 0, 1);
    while from < t {
        let to = t.min(10i128.pow(length as u32));
        sum += (to - from) * length;
        (from, length) = (to, length + 1);
    }
    sum
}

fn width(t: i128, letters: i128, least: i128) -> i128 {
    let (mut width, mut names) = (1, letters);
    while names < t {
        (width, names) = (width + 1, names * letters);
    }
    width.max(least)
}

fn name(out: &mut Vec<i128>, i: i128, width: i128, first: i128, letters: i128) {
    for place in 0..width {
        out.push(first + i / letters.pow((width - 1 - place) as u32) % letters);
    }
}

fn middle(t: i128) -> Vec<i128> {
    let mut numbers: Vec<i128> = (0..t).collect();
    for i in 0..numbers.len() {
        numbers.swap(i, i / 2);
    }
    numbers
}

fn list(numbers: &[i128]) -> String {
    let numbers: Vec<String> = numbers.iter().map(|number| number.to_string()).collect();
    format!(\"[{}]\", numbers.join(\",\"))
}

";

const C: &str = "\
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    long long *values;
    size_t count, room;
} list;

static void put(list *out, long long value) {
    if (out->count == out->room) {
        out->room = out->room ? 2 * out->room : 64;
        out->values = realloc(out->values, out->room * sizeof *out->values);
        if (!out->values) exit(1);
    }
    out->values[out->count++] = value;
}

static long long greater(long long one, long long other) { return one > other ? one : other; }

static long long smaller(long long one, long long other) { return one < other ? one : other; }

static long long digits(long long t) {
    long long sum = 0, from = 0, length = 1, end = 10;
    while (from < t) {
        long long to = t < end ? t : end;
        sum += (to - from) * length;
        from = to, length++, end *= 10;
    }
    return sum;
}

static long long width(long long t, long long letters, long long least) {
    long long width = 1, names = letters;
    while (names < t) width++, names *= letters;
    return greater(width, least);
}

static void name(list *out, long long i, long long width, long long first, long long letters) {
    long long divisor = 1;
    for (long long place = 1; place < width; place++) divisor *= letters;
    for (; width > 0; width--, divisor /= letters) put(out, first + i / divisor % letters);
}

static void decimal(list *out, long long i) {
    char text[24];
    int length = snprintf(text, sizeof text, \"%lld\", i);
    for (int at = 0; at < length; at++) put(out, text[at]);
}

static list middle(long long t) {
    list out = {0};
    for (long long i = 0; i < t; i++) put(&out, i);
    for (long long i = 0; i < t; i++) {
        long long value = out.values[i];
        out.values[i] = out.values[i / 2];
        out.values[i / 2] = value;
    }
    return out;
}

static void print(list numbers, int is_unsigned, int is_scalar) {
    if (!is_scalar) printf(\"[\");
    for (size_t i = 0; i < numbers.count; i++) {
        if (i) printf(\",\");
        if (is_unsigned) printf(\"%llu\", (unsigned long long)numbers.values[i]);
        else printf(\"%lld\", numbers.values[i]);
    }
    if (!is_scalar) printf(\"]\");
}

";

/// The function that fills one slot.
fn slot_code(
    syntax: &mut Syntax,
    number: usize,
    filling: &Filling,
    slot: &Slot,
    (factor, base): (u64, i64),
) -> Option<()> {
    let mut possible = true;
    if let Filling::List(list) = filling {
        let total = total(list);
        syntax.block(
            &format!("def total_{number}(k):"),
            &format!("fn total_{number}(k: i128) -> i128 {{"),
            &format!("static long long total_{number}(long long k) {{"),
            |syntax| syntax.either(&format!("return {total}"), &total, &format!("return {total};")),
        );
        syntax.line("");
    }
    syntax.block(
        &format!("def slot_{number}(n):"),
        &format!("fn slot_{number}(n: i128) -> Vec<i128> {{"),
        &format!("static list slot_{number}(long long n) {{"),
        |syntax| {
            syntax.either("out = []", "let mut out: Vec<i128> = Vec::new();", "list out = {0};");
            match filling {
                Filling::Scalar { per_size, base } => {
                    syntax.put(&format!("{per_size} * n + {}", in_brackets(*base)));
                }
                Filling::List(list) => {
                    syntax.set("count", &format!("{factor} * n + {}", in_brackets(base)));
                    possible = list_code(syntax, number, list, slot).is_some();
                }
            }
            syntax.either("return out", "out", "return out;");
        },
    );
    syntax.line("");
    if syntax.language == Language::Python {
        syntax.line("");
    }
    possible.then_some(())
}

fn in_brackets(number: i64) -> String {
    if number < 0 { format!("({number})") } else { number.to_string() }
}

/// Repetitions of a segment, in terms of k.
fn repetitions(times: Times) -> String {
    match times {
        Times::Fixed(times) => times.to_string(),
        Times::Share(1) => "k".to_string(),
        Times::Share(share) => format!("{share} * k"),
    }
}

/// How many values there are for a k.
fn total(list: &List) -> String {
    let mut terms = Vec::new();
    for segment in &list.segments {
        let t = repetitions(segment.times);
        for atom in &segment.block {
            terms.push(match atom {
                Atom::Values(values) => format!("{} * ({t})", values.len()),
                Atom::Number(_) => format!("({t})"),
                Atom::Decimal => format!("digits({t})"),
                Atom::Name { letters, width, .. } => format!("({t}) * width({t}, {letters}, {width})"),
            });
        }
    }
    if terms.is_empty() { "0".to_string() } else { terms.join(" + ") }
}

fn list_code(syntax: &mut Syntax, number: usize, list: &List, slot: &Slot) -> Option<()> {
    let grows = list.segments.iter().any(|segment| matches!(segment.times, Times::Share(_)));
    syntax.either("k = 0", "let mut k: i128 = 0;", "long long k = 0;");
    if grows {
        // As often as fits, by doubling and halving.
        syntax.either("step = 1", "let mut step: i128 = 1;", "long long step = 1;");
        let fits = format!("total_{number}(k + step) <= count");
        syntax.block(&format!("while {fits}:"), &format!("while {fits} {{"), &format!("while ({fits}) {{"), |syntax| {
            syntax.either("k, step = k + step, 2 * step", "(k, step) = (k + step, 2 * step);", "k += step, step *= 2;")
        });
        syntax.block("while step > 0:", "while step > 0 {", "while (step > 0) {", |syntax| {
            let fits = format!("total_{number}(k + step) <= count");
            syntax.block(&format!("if {fits}:"), &format!("if {fits} {{"), &format!("if ({fits}) {{"), |syntax| {
                syntax.either("k += step", "k += step;", "k += step;");
            });
            syntax.either("step //= 2", "step /= 2;", "step /= 2;");
        });
    }
    let slack = syntax.max(&format!("count - total_{number}(k)"), "0");
    syntax.set("slack", &slack);
    let straight = |atom: &Atom| matches!(atom, Atom::Number(Sequence::Straight { .. } | Sequence::Middle));
    if list.segments.iter().any(|segment| segment.block.iter().any(straight)) {
        greatest_code(syntax, list);
    }
    for (place, segment) in list.segments.iter().enumerate() {
        let t = repetitions(segment.times);
        syntax.set(&format!("t{place}"), &t);
        if segment.block.iter().any(|atom| matches!(atom, Atom::Number(Sequence::Middle))) {
            let call = format!("middle(t{place})");
            syntax.either(
                &format!("middle{place} = {call}"),
                &format!("let middle{place} = {call};"),
                &format!("list middle{place} = {call};"),
            );
        }
        let mut possible = true;
        syntax.for_each("i", "0", &format!("t{place}"), |syntax| {
            possible &= block_code(syntax, &segment.block, slot, place).is_some();
        });
        match list.slack {
            Slack::More(at) if at as usize == place => {
                // It goes on and is cut.
                syntax.either(
                    "end = len(out) + slack",
                    "let end = out.len() as i128 + slack;",
                    "long long end = (long long)out.count + slack;",
                );
                syntax.either(
                    &format!("i = t{place}"),
                    &format!("let mut i: i128 = t{place};"),
                    &format!("long long i = t{place};"),
                );
                syntax.block(
                    "while len(out) < end:",
                    "while (out.len() as i128) < end {",
                    "while ((long long)out.count < end) {",
                    |syntax| {
                        possible &= block_code(syntax, &segment.block, slot, place).is_some();
                        syntax.either("i += 1", "i += 1;", "i++;");
                    },
                );
                syntax.either("del out[end:]", "out.truncate(end as usize);", "out.count = (size_t)end;");
            }
            Slack::Pad(at, value) if at as usize == place => {
                let pad = number_of(slot, slot.literal(value));
                syntax.for_each(if syntax.language == Language::C { "at" } else { "_" }, "0", "slack", |syntax| {
                    syntax.put(&pad)
                });
            }
            _ => {}
        }
        if !possible {
            return None;
        }
    }
    // Where not even the fixed parts fit, their beginning.
    syntax.either(
        "del out[max(count, 0):]",
        "out.truncate(count.max(0) as usize);",
        "if (out.count > (size_t)greater(count, 0)) out.count = (size_t)greater(count, 0);",
    );
    Some(())
}

/// The number that these bits of a slot are.
fn number_of(slot: &Slot, bits: u64) -> String {
    match slot.number {
        Number::Signed => slot.value(bits).to_string(),
        Number::Unsigned | Number::Float => bits.to_string(),
    }
}

/// The greatest number of all sequences that keep their order.
fn greatest_code(syntax: &mut Syntax, list: &List) {
    let mut ends = "0".to_string();
    for segment in &list.segments {
        let t = repetitions(segment.times);
        for atom in &segment.block {
            let mut with = |end: String| ends = syntax.max(&ends, &end);
            match *atom {
                Atom::Number(Sequence::Straight { times, base, step }) => {
                    with(format!("{times} * ({t}) + ({base})"));
                    let last = syntax.max(&format!("({t}) - 1"), "0");
                    let mut with = |end: String| ends = syntax.max(&ends, &end);
                    with(format!("{times} * ({t}) + ({base}) + ({step}) * ({last})"));
                }
                Atom::Number(Sequence::Middle) => with(format!("({t}) - 1")),
                _ => {}
            }
        }
    }
    syntax.set("most", &ends);
}

/// One repetition.
fn block_code(syntax: &mut Syntax, block: &[Atom], slot: &Slot, place: usize) -> Option<()> {
    for atom in block {
        match *atom {
            Atom::Values(ref values) => {
                for &value in values {
                    let value = number_of(slot, slot.literal(value));
                    syntax.put(&value);
                }
            }
            Atom::Number(sequence) => {
                let value = sequence_code(syntax, sequence, slot, place)?;
                syntax.put(&value);
            }
            Atom::Decimal => {
                syntax.either(
                    "out.extend(str(i).encode())",
                    "out.extend(i.to_string().bytes().map(i128::from));",
                    "decimal(&out, i);",
                );
            }
            Atom::Name { first, letters, width } => {
                let width = format!("width(t{place}, {letters}, {width})");
                syntax.either(
                    &format!("out.extend(name(i, {width}, {first}, {letters}))"),
                    &format!("name(&mut out, i, {width}, {first}, {letters});"),
                    &format!("name(&out, i, {width}, {first}, {letters});"),
                );
            }
        }
    }
    Some(())
}

/// The value of a sequence; none for ranges with gaps.
fn sequence_code(syntax: &Syntax, sequence: Sequence, slot: &Slot, place: usize) -> Option<String> {
    let room = slot.room();
    let scaled = |number: String| {
        let number = syntax.max(&number, "0");
        let over = syntax.over();
        let cut = format!("({number}) * {room} {over} most");
        // Ranges that hold every number that occurs need no scale.
        match (room > 1 << 30, syntax.language) {
            (true, _) => number,
            (false, Language::Python) => format!("min({cut} if most > {room} else {number}, {room})"),
            (false, Language::Rust) => format!("(if most > {room} {{ {cut} }} else {{ {number} }}).min({room})"),
            (false, Language::C) => format!("smaller(most > {room} ? {cut} : {number}, {room})"),
        }
    };
    let rank = match sequence {
        Sequence::Straight { times, base, step } => scaled(format!("{times} * t{place} + ({base}) + ({step}) * i")),
        Sequence::Middle => scaled(match syntax.language {
            Language::Python => format!("(middle{place}[i] if i < t{place} else i)"),
            Language::Rust => format!("middle{place}.get(i as usize).copied().unwrap_or(i)"),
            Language::C => format!("(i < t{place} ? middle{place}.values[i] : i)"),
        }),
        Sequence::Modular { base, step, modulus } => {
            let all = u128::from(room) + 1;
            let modulus = if modulus == 0 { all } else { all.min(modulus.into()) };
            // Numbers of C are not great enough for all 64 bits.
            if syntax.language == Language::C && modulus > 1 << 62 {
                return (step < 1 << 32).then(|| format!("{base} + {step} * i"));
            }
            format!("({base} + {step} * i) % {modulus}")
        }
    };
    if slot.is_full() {
        return Some(rank);
    }
    if slot.variable.pieces.is_some() {
        return None;
    }
    Some(format!("{} + ({rank})", number_of(slot, slot.variable.low)))
}

/// Whether names and digits stay within the range of the slot, so that code need not look for the nearest value.
pub fn fits(pattern: &Pattern, slots: &[Slot]) -> bool {
    let permits = |slot: &Slot, value: i64| slot.variable.permits(value as u64);
    pattern.slots.iter().zip(slots).all(|(filling, slot)| match filling {
        Filling::Scalar { .. } => true,
        Filling::List(list) => list.segments.iter().flat_map(|segment| &segment.block).all(|atom| match *atom {
            Atom::Decimal => (b'0'..=b'9').all(|digit| permits(slot, digit.into())),
            Atom::Name { first, letters, .. } => (0..i64::from(letters)).all(|letter| permits(slot, first + letter)),
            Atom::Values(_) | Atom::Number(_) => true,
        }),
    })
}
