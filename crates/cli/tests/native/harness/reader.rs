//! Reads values from the text that Pessimum shows for them: `Some(["ab"])`, `{1: (2, 'x')}`.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::fmt::Debug;
use std::hash::Hash;
use std::str::FromStr;

pub struct Reader {
    rest: String,
}

thread_local! {
    static READER: RefCell<Reader> = const { RefCell::new(Reader { rest: String::new() }) };
}

/// Starts to read these arguments, with a comma after each.
pub fn read(text: &str) {
    READER.with(|reader| reader.borrow_mut().rest = text.to_string());
}

/// The next argument.
pub fn made<T: Made>() -> T {
    READER.with(|reader| {
        let reader = &mut *reader.borrow_mut();
        let value = T::made(reader);
        reader.expect(",");
        value
    })
}

pub fn made_in<T: Made>(reader: &mut Reader) -> T {
    T::made(reader)
}

pub trait Made {
    fn made(reader: &mut Reader) -> Self;
}

impl Reader {
    /// Whether the text goes on with this, which is passed if it does. Spaces do not matter.
    pub fn goes_on(&mut self, with: &str) -> bool {
        let mut rest = self.rest.as_str();
        for c in with.chars().filter(|c| *c != ' ') {
            match rest.trim_start().strip_prefix(c) {
                Some(left) => rest = left,
                None => return false,
            }
        }
        self.rest = rest.to_string();
        true
    }

    pub fn expect(&mut self, text: &str) {
        assert!(self.goes_on(text), "expected {text} before {}", self.rest);
    }

    /// A number, or a name with its path.
    pub fn word(&mut self) -> String {
        let rest = self.rest.trim_start();
        let is_part = |c: char| c.is_alphanumeric() || "_:.+-".contains(c);
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let (word, rest) = rest.split_at(end);
        let word = word.trim_end_matches(':').to_string();
        let rest = self.rest.trim_start()[word.len()..].to_string();
        self.rest = rest;
        word
    }

    /// The characters between quotes.
    fn quoted(&mut self, quote: char) -> String {
        self.expect(&quote.to_string());
        let mut letters = self.rest.chars();
        let mut text = String::new();
        loop {
            match letters.next().expect("a text has an end") {
                c if c == quote => break,
                '\\' => text.push(match letters.next().unwrap() {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    '0' => '\0',
                    'u' => {
                        let code: String = letters.by_ref().skip(1).take_while(|c| *c != '}').collect();
                        char::from_u32(u32::from_str_radix(&code, 16).unwrap()).unwrap()
                    }
                    c => c,
                }),
                c => text.push(c),
            }
        }
        self.rest = letters.collect();
        text
    }

    fn list<T>(&mut self, open: &str, close: &str, mut element: impl FnMut(&mut Reader) -> T) -> Vec<T> {
        self.expect(open);
        let mut found = Vec::new();
        while !self.goes_on(close) {
            found.push(element(self));
            self.goes_on(",");
        }
        found
    }

    fn number<T: FromStr<Err: Debug>>(&mut self) -> T {
        let word = self.word();
        word.parse().unwrap_or_else(|error| panic!("{word}: {error:?}"))
    }
}

macro_rules! numbers {
    ($($ty:ty),*) => { $(impl Made for $ty {
        fn made(reader: &mut Reader) -> $ty { reader.number() }
    })* };
}
numbers!(u8, i8, u16, i16, u32, i32, u64, i64, u128, i128, usize, isize, bool);

macro_rules! floats {
    ($($ty:ident),*) => { $(impl Made for $ty {
        fn made(reader: &mut Reader) -> $ty {
            let word = reader.word();
            match word.rsplit("::").next().unwrap() {
                "NAN" => $ty::NAN,
                "INFINITY" => $ty::INFINITY,
                "NEG_INFINITY" => $ty::NEG_INFINITY,
                number => number.parse().unwrap(),
            }
        }
    })* };
}
floats!(f32, f64);

impl Made for char {
    fn made(reader: &mut Reader) -> char {
        reader.quoted('\'').chars().next().unwrap()
    }
}

impl Made for String {
    fn made(reader: &mut Reader) -> String {
        reader.quoted('"')
    }
}

impl Made for &'static str {
    fn made(reader: &mut Reader) -> &'static str {
        String::made(reader).leak()
    }
}

impl<T: Made> Made for &'static T {
    fn made(reader: &mut Reader) -> &'static T {
        Box::leak(Box::new(T::made(reader)))
    }
}

impl<T: Made> Made for &'static mut T {
    fn made(reader: &mut Reader) -> &'static mut T {
        Box::leak(Box::new(T::made(reader)))
    }
}

impl<T: Made> Made for &'static [T] {
    fn made(reader: &mut Reader) -> &'static [T] {
        Vec::made(reader).leak()
    }
}

impl<T: Made> Made for Vec<T> {
    fn made(reader: &mut Reader) -> Vec<T> {
        reader.list("[", "]", T::made)
    }
}

impl<T: Made> Made for VecDeque<T> {
    fn made(reader: &mut Reader) -> VecDeque<T> {
        Vec::made(reader).into()
    }
}

impl<T: Made, const N: usize> Made for [T; N] {
    fn made(reader: &mut Reader) -> [T; N] {
        Vec::made(reader).try_into().ok().expect("an array has its length")
    }
}

impl<T: Made> Made for Box<T> {
    fn made(reader: &mut Reader) -> Box<T> {
        Box::new(T::made(reader))
    }
}

impl<T: Made + Ord> Made for BTreeSet<T> {
    fn made(reader: &mut Reader) -> BTreeSet<T> {
        reader.list("{", "}", T::made).into_iter().collect()
    }
}

impl<T: Made + Hash + Eq> Made for HashSet<T> {
    fn made(reader: &mut Reader) -> HashSet<T> {
        reader.list("{", "}", T::made).into_iter().collect()
    }
}

fn entry<K: Made, V: Made>(reader: &mut Reader) -> (K, V) {
    let key = K::made(reader);
    reader.expect(":");
    (key, V::made(reader))
}

impl<K: Made + Ord, V: Made> Made for BTreeMap<K, V> {
    fn made(reader: &mut Reader) -> BTreeMap<K, V> {
        reader.list("{", "}", entry).into_iter().collect()
    }
}

impl<K: Made + Hash + Eq, V: Made> Made for HashMap<K, V> {
    fn made(reader: &mut Reader) -> HashMap<K, V> {
        reader.list("{", "}", entry).into_iter().collect()
    }
}

impl<T: Made> Made for Option<T> {
    fn made(reader: &mut Reader) -> Option<T> {
        if reader.goes_on("None") {
            return None;
        }
        reader.expect("Some(");
        let value = T::made(reader);
        reader.expect(")");
        Some(value)
    }
}

impl<T: Made, E: Made> Made for Result<T, E> {
    fn made(reader: &mut Reader) -> Result<T, E> {
        let result = match reader.goes_on("Ok(") {
            true => Ok(T::made(reader)),
            false => {
                reader.expect("Err(");
                Err(E::made(reader))
            }
        };
        reader.expect(")");
        result
    }
}

impl<A: Made, B: Made> Made for (A, B) {
    fn made(reader: &mut Reader) -> (A, B) {
        reader.expect("(");
        let first = A::made(reader);
        reader.expect(",");
        let second = B::made(reader);
        reader.expect(")");
        (first, second)
    }
}
