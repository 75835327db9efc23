//! Small random programs of Python: definitions, every kind of statement and expression, all fed from the parameters.
//!
//! Programs end: loops run over values of a bounded size or count their rounds, recursion counts down, and what is run
//! over is not changed meanwhile.

mod definitions;
mod forms;
mod statements;

use std::fmt::Write;

use pessimum_search::random::Random;

/// A program and how to call it.
pub struct Generated {
    pub text: String,
    /// Its ranges allow at most the wanted number of inputs.
    pub call: String,
}

/// What an expression is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Integer,
    Truth,
    Float,
    Text,
    Bytes,
    List,
    Tuple,
    Set,
    Dict,
    /// An instance of the class that the program defines.
    Object,
}

/// A name that may be read.
#[derive(Clone)]
struct Name {
    name: String,
    kind: Kind,
    /// Whether its value may be changed in place: nobody else holds it, and no loop runs over it.
    changes: bool,
}

struct Writer {
    random: Random,
    text: String,
    indent: usize,
    names: Vec<Name>,
    /// Forms of expressions that definitions have added, as in `forms`.
    added: Vec<(Kind, String)>,
    /// Numbers for new names.
    fresh: usize,
    in_loop: bool,
    /// Whether the function around the statements yields.
    in_generator: bool,
    /// Whether the function around the statements has declared the global counter.
    may_count: bool,
    /// Whether the program has a generator.
    has_generator: bool,
    /// The class of objects, where the program has one.
    class: &'static str,
    /// Statements that may still be written.
    fuel: usize,
}

/// The program for a seed. It has at most `2^bits` inputs.
pub fn program(seed: u64, bits: u32) -> Generated {
    let random = Random::new(seed ^ 0x5079_7468_6f6e);
    let mut writer = Writer {
        random,
        text: String::new(),
        indent: 0,
        names: Vec::new(),
        added: Vec::new(),
        fresh: 0,
        in_loop: false,
        in_generator: false,
        may_count: true,
        has_generator: false,
        class: "",
        fuel: 0,
    };
    writer.imports();
    writer.text.push_str("TABLE = {0: 3, 1: -2, 2: 7, 'a': 1, 'ab': 2, '0': 5}\nNAMES = {'a', 'b', '0', 1, 3}\nWORD = 'b1'\nTOTAL = 0\n\n");
    writer.definitions();

    let (types, names) = writer.parameters(bits);
    let _ = writeln!(writer.text, "def f({}):", names.join(", "));
    writer.indent = 1;
    writer.line("global TOTAL");
    writer.line("n = 0");
    writer.name("n", Kind::Integer, false);
    writer.fuel = 12;
    while writer.fuel > 0 {
        // An exception at the start would leave the rest unseen.
        if writer.random.chance(0.6) {
            writer.guarded_statement();
        } else {
            writer.statement();
        }
    }
    // Every part of what came out has lines of its own; with many inputs there would be too many paths.
    let mut results: Vec<String> = (0..2).map(|_| writer.expression(Kind::Integer, 2)).collect();
    if bits < 12 && writer.random.chance(0.6) {
        let others: Vec<String> = writer
            .names
            .iter()
            .rev()
            .take(3)
            .filter(|name| name.kind != Kind::Object)
            .map(|name| name.name.clone())
            .collect();
        results.extend(others);
        results.push("TOTAL".to_string());
        let _ = writeln!(
            writer.text,
            "    return told(({}))\n\n{}",
            results.join(", "),
            include_str!("../programs/told.py")
        );
    } else {
        writer.line(&format!("return {}", results.join(", ")));
    }
    Generated { call: format!("f({})", types.join(", ")), text: writer.text }
}

impl Writer {
    /// The parameters' types, as in a call, and names, which are known from here on.
    fn parameters(&mut self, bits: u32) -> (Vec<String>, Vec<String>) {
        let mut left = bits;
        let (mut types, mut names) = (Vec::new(), Vec::new());
        while left > 0 && types.len() < 4 {
            let (text, kind, used) = self.parameter(left);
            left -= used.min(left);
            let name = format!("p{}", types.len());
            self.name(&name, kind, false);
            types.push(text);
            names.push(name);
        }
        (types, names)
    }

    /// A parameter of at most so many bits: its type, its kind and how many bits it has.
    fn parameter(&mut self, left: u32) -> (String, Kind, u32) {
        let length =
            |random: &mut Random, bits: u32, most: u32| 1 + random.below(u64::from((left / bits).min(most))) as u32;
        match self.random.below(14) {
            0..=3 => {
                let own = left.min(1 + self.random.below(4) as u32);
                let low = [0i64, -(1 << (own - 1)), 3, -1][self.random.index(4)];
                (format!("int in {low}..={}", low + (1 << own) - 1), Kind::Integer, own)
            }
            4 => ("bool".to_string(), Kind::Integer, 1),
            5..=7 if left >= 2 => {
                let length = length(&mut self.random, 2, 3);
                let low = [b'a', b'0', b' ', b'A'][self.random.index(4)];
                (format!("str[{length}] in {low}..={}", low + 3), Kind::Text, 2 * length)
            }
            8 if left >= 2 => {
                let length = length(&mut self.random, 2, 2);
                (format!("bytes[{length}] in 48..=51"), Kind::Bytes, 2 * length)
            }
            9 if left >= 2 => {
                let length = length(&mut self.random, 2, 3);
                (format!("set(int in -1..=2)[{length}]"), Kind::Set, 2 * length)
            }
            10 if left >= 2 => {
                let length = length(&mut self.random, 2, 2);
                (format!("dict(int in 0..=1: int in 2..=3)[{length}]"), Kind::Dict, 2 * length)
            }
            11 if left >= 3 => ("tuple(int in 0..=3, bool)".to_string(), Kind::Tuple, 3),
            _ => {
                let own = 1 + self.random.below(u64::from(left.min(2))) as u32;
                let length = length(&mut self.random, own, 4);
                (format!("int[{length}] in -1..={}", (1 << own) - 2), Kind::List, own * length)
            }
        }
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{}{text}", "    ".repeat(self.indent));
    }

    fn name(&mut self, name: &str, kind: Kind, changes: bool) {
        self.names.push(Name { name: name.to_string(), kind, changes });
    }

    /// A name that the program does not have yet.
    fn fresh(&mut self, prefix: &str) -> String {
        self.fresh += 1;
        format!("{prefix}{}", self.fresh)
    }

    /// One of the names of a kind, more often a parameter of the function than another.
    fn known(&mut self, kind: Kind, changes: bool) -> Option<String> {
        let fits = |name: &&Name| name.kind == kind && (name.changes || !changes);
        let mut fitting: Vec<&Name> = self.names.iter().filter(fits).collect();
        if self.random.chance(0.6) && fitting.iter().any(|name| name.name.starts_with('p')) {
            fitting.retain(|name| name.name.starts_with('p'));
        }
        (!fitting.is_empty()).then(|| fitting[self.random.index(fitting.len())].name.clone())
    }
}
