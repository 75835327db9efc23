//! Damage to texts and to JSON, in ways that readers are wont to overlook.

use pessimum_term::random::Random;
use serde_json::{Map, Number, Value};

/// A file that nothing but a damaged record names; it must never come to be.
pub const OUTSIDE: &str = "/tmp/pessimum-outside";

/// Texts that mean something to some layer: paths, options, markup, control characters, numbers at the ends of ranges.
pub const NASTY: [&str; 24] = [
    "",
    "..",
    "../../outside",
    OUTSIDE,
    "n-4/../../outside",
    "-rf",
    "--cflags=-fplugin=x",
    "@x.c",
    "a\0b",
    "\u{1b}]0;title\u{7}",
    "<pwn>&\"'",
    "]]><pwn>",
    "{{\"}}",
    "\u{202e}reversed",
    "é€😀",
    "nan:0x7ff8000000000000",
    "inf",
    "-0",
    "99999999999999999999999999",
    "1e309",
    "f(",
    "f(i32[n] in 0..",
    "str[n * n * n]",
    "limit",
];

/// Numbers at which something ends.
const NUMBERS: [&str; 20] = [
    "0",
    "-0.0",
    "-1",
    "1",
    "0.5",
    "255",
    "256",
    "65536",
    "2147483648",
    "4294967296",
    "9007199254740993",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775809",
    "1e19",
    "1.8e19",
    "1e308",
    "-1e308",
];

/// A text with some of its characters removed, repeated, exchanged or replaced by those of an alphabet.
pub fn text(original: &str, alphabet: &[&str], random: &mut Random) -> String {
    let mut pieces: Vec<String> = original.chars().map(String::from).collect();
    for _ in 0..1 + random.index(4) {
        let at = random.index(pieces.len() + 1);
        let end = (at + random.index(6)).min(pieces.len());
        match random.index(6) {
            0 => drop(pieces.drain(at..end)),
            1 => {
                let copy: Vec<String> = pieces[at..end].to_vec();
                let times = if random.index(20) == 0 { 200 } else { 1 };
                for _ in 0..times {
                    pieces.splice(at..at, copy.iter().cloned());
                }
            }
            2 => pieces.truncate(at),
            3 if end > at + 1 => pieces[at..end].reverse(),
            _ => {
                let end = if random.coin() { at } else { end };
                pieces.splice(at..end, [random.pick(alphabet).to_string()]);
            }
        }
    }
    pieces.concat()
}

/// A JSON value of any kind.
pub fn value(random: &mut Random, depth: u32) -> Value {
    match random.index(if depth == 0 { 4 } else { 6 }) {
        0 => Value::Null,
        1 => Value::Bool(random.coin()),
        2 => number(random),
        3 => Value::String(random.pick(&NASTY).to_string()),
        4 => (0..random.index(4)).map(|_| value(random, depth - 1)).collect(),
        _ => {
            let names = (0..random.index(4)).map(|_| random.pick(&NASTY).to_string()).collect::<Vec<_>>();
            Value::Object(names.into_iter().map(|name| (name, value(random, depth - 1))).collect::<Map<_, _>>())
        }
    }
}

fn number(random: &mut Random) -> Value {
    let number = match random.index(3) {
        0 => Number::from(random.bits() >> random.index(64)),
        1 => Number::from(random.bits() as i64 >> random.index(64)),
        _ => random.pick(&NUMBERS).parse().unwrap_or_else(|_| Number::from(0)),
    };
    Value::Number(number)
}

/// Changes some places of a JSON value. Returns the pointers of the objects that got a key which they never have.
pub fn json(root: &mut Value, random: &mut Random) -> Vec<String> {
    let mut strange = Vec::new();
    for _ in 0..1 + random.index(3) {
        let mut pointers = Vec::new();
        collect(root, String::new(), &mut pointers);
        let pointer = random.pick(&pointers.iter().map(String::as_str).collect::<Vec<_>>()).to_string();
        let Some(place) = root.pointer_mut(&pointer) else { continue };
        match (random.index(6), &mut *place) {
            (0, Value::Object(object)) if !object.is_empty() => {
                let name = object.keys().nth(random.index(object.len())).cloned().unwrap_or_default();
                object.remove(&name);
            }
            (1, Value::Object(object)) => {
                object.insert("surplus".to_string(), value(random, 1));
                strange.push(pointer);
            }
            (0 | 1, Value::Array(list)) if !list.is_empty() => {
                let at = random.index(list.len());
                if random.coin() {
                    list.remove(at);
                } else {
                    let copy = list[at].clone();
                    list.insert(at, copy);
                }
            }
            (2, Value::String(string)) => *string = text(string, &NASTY, random),
            (3, Value::Number(_)) => *place = number(random),
            (4, Value::String(string)) => *string = random.pick(&NASTY).to_string(),
            _ => *place = value(random, 2),
        }
    }
    strange
}

/// The pointers of a value and of everything in it.
fn collect(value: &Value, pointer: String, into: &mut Vec<String>) {
    match value {
        Value::Object(object) => {
            for (name, value) in object {
                let name = name.replace('~', "~0").replace('/', "~1");
                collect(value, format!("{pointer}/{name}"), into);
            }
        }
        Value::Array(list) => {
            for (i, value) in list.iter().enumerate() {
                collect(value, format!("{pointer}/{i}"), into);
            }
        }
        _ => {}
    }
    into.push(pointer);
}
