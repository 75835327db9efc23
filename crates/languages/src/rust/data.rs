//! Plain data that values are made from: how `--call` describes it, which Rust type has its layout, and how it becomes
//! the parameters of a function with a C interface.

use std::fmt::Write as _;

use crate::values::Outline;

/// The room for the elements of a collection inside another value, if nothing says otherwise. Its length is input, from 0
/// to this.
pub const ROOM: usize = 8;

/// The numbers that stand for characters.
pub const CHARACTERS: &str = "0..=0xD7FF | 0xE000..=0x10FFFF";

/// Plain data in C layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Data {
    /// A number of this kind, with the range that it is limited to.
    Scalar(&'static str, &'static str),
    /// A choice among so many.
    Choice(usize),
    /// A number that stands for a length or a place in a collection; whether its name says that it is the length.
    Size(bool),
    Array(Box<Data>, u64),
    /// Never of one field or none: see [`record`].
    Record(Vec<Data>),
    /// The elements of a collection: as many as the size says, or, inside another value, some in this room.
    Items(Box<Data>, usize),
    /// The bytes of a text; the room for them is the same.
    Text(usize),
}

/// Nothing at all.
pub const NOTHING: Data = Data::Record(Vec::new());

/// Puts data side by side. Returns it with how each part is found below the whole, which is `@`.
pub fn record(parts: Vec<Data>) -> (Data, Vec<String>) {
    let kept = parts.iter().filter(|part| **part != NOTHING).count();
    let mut places = Vec::new();
    let mut next = 0;
    for part in &parts {
        places.push(match (part, kept) {
            (part, _) if *part == NOTHING => "()".to_string(),
            (_, 1) => "@".to_string(),
            _ => {
                next += 1;
                format!("@.{}", next - 1)
            }
        });
    }
    let mut kept: Vec<Data> = parts.into_iter().filter(|part| *part != NOTHING).collect();
    let whole = if kept.len() == 1 { kept.remove(0) } else { Data::Record(kept) };
    (whole, places)
}

impl Data {
    /// Whether a collection in it has as many elements as the size says, if it is an argument by itself.
    pub fn grows(&self) -> bool {
        match self {
            Data::Items(..) | Data::Text(_) => true,
            Data::Record(parts) => parts.iter().any(Data::grows),
            Data::Scalar(..) | Data::Choice(_) | Data::Size(_) | Data::Array(..) => false,
        }
    }

    /// What it consists of.
    pub fn outline(&self) -> Outline {
        match self {
            Data::Scalar(..) | Data::Choice(_) | Data::Size(_) => Outline::Number,
            Data::Array(element, length) => Outline::Array(Box::new(element.outline()), *length),
            Data::Record(parts) => Outline::Record(parts.iter().map(Data::outline).collect()),
            Data::Items(element, room) => Outline::Items(Box::new(element.outline()), *room),
            Data::Text(room) => Outline::Items(Box::new(Outline::Number), *room),
        }
    }

    /// The number of scalars, where collections have all the room there is.
    pub fn scalars(&self) -> u64 {
        match self {
            Data::Scalar(..) | Data::Choice(_) | Data::Size(_) => 1,
            Data::Array(element, length) => element.scalars().saturating_mul(*length),
            Data::Record(parts) => parts.iter().fold(0, |sum, part| sum.saturating_add(part.scalars())),
            Data::Items(element, room) => element.scalars().saturating_mul(*room as u64).saturating_add(1),
            Data::Text(room) => 1 + *room as u64,
        }
    }

    /// In the language of `--call`, where an array of it has these dimensions.
    pub fn text(&self, dimensions: &str) -> String {
        let ranged = |kind: &str, range: &str| match range.is_empty() {
            true => format!("{kind}{dimensions}"),
            false => format!("{kind}{dimensions} in {range}"),
        };
        match self {
            Data::Scalar(kind, range) => ranged(kind, range),
            Data::Choice(count) => ranged("u8", &format!("0..{count}")),
            Data::Size(_) => ranged("u32", ""),
            Data::Array(element, length) => element.text(&format!("{dimensions}[{length}]")),
            Data::Record(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| part.text("")).collect();
                format!("{{{}}}{dimensions}", parts.join(", "))
            }
            Data::Items(element, room) => {
                format!("{{u8 in 0..={room}, {}}}{dimensions}", element.text(&format!("[{room}]")))
            }
            // The length may be any, so every byte has to be a character.
            Data::Text(room) => format!("{{u8 in 0..={room}, u8[{room}] in 0..=127}}{dimensions}"),
        }
    }
}

/// The Rust types that have the layout of data, one for each record.
#[derive(Default)]
pub struct Layouts {
    records: Vec<String>,
}

impl Layouts {
    /// The type with the layout of this data.
    pub fn layout(&mut self, data: &Data) -> String {
        match data {
            Data::Scalar("bool", _) | Data::Choice(_) => "u8".to_string(),
            Data::Scalar(kind, _) => kind.to_string(),
            Data::Size(_) => "u32".to_string(),
            Data::Array(element, length) => format!("[{}; {length}]", self.layout(element)),
            Data::Items(element, room) => format!("pessimum::Room<{}, {room}>", self.layout(element)),
            Data::Text(room) => format!("pessimum::Room<u8, {room}>"),
            Data::Record(parts) => {
                let fields: Vec<String> = parts.iter().map(|part| self.layout(part)).collect();
                let fields = fields.join(", ");
                let number = self.records.iter().position(|known| *known == fields).unwrap_or_else(|| {
                    self.records.push(fields);
                    self.records.len() - 1
                });
                format!("Record{number}")
            }
        }
    }

    /// The definitions of the records.
    pub fn definitions(&self) -> String {
        let mut text = String::new();
        for (number, fields) in self.records.iter().enumerate() {
            let _ = writeln!(text, "#[repr(C)] #[derive(Clone, Copy)] pub struct Record{number}({fields});");
        }
        text
    }
}

/// The parameters of a function with a C interface, and what to write for them after `--call`.
#[derive(Default)]
pub struct Parameters {
    /// As Rust declares them.
    pub declared: String,
    /// In the language of `--call`.
    pub call: Vec<String>,
    /// Collections have lengths of their own, and lengths without a collection are small.
    own_sizes: bool,
    count: usize,
    collections: usize,
}

/// The names of sizes.
const SIZES: [&str; 8] = ["n", "m", "k", "l", "p", "q", "r", "s"];

/// What a length without a collection is at most, where it would be as large as memory otherwise; the greatest number of all is
/// allowed too, because programs refuse it.
const SMALL: u32 = 256;

impl Parameters {
    /// Those of a function that is called among others: its collections have lengths of their own.
    pub fn with_own_sizes() -> Parameters {
        Parameters { own_sizes: true, ..Parameters::default() }
    }

    /// Adds a handle, whose declaration is this. Returns the expression that has its address.
    pub fn handle(&mut self, declared: &str) -> String {
        let i = self.count;
        self.count += 1;
        let _ = write!(self.declared, "a{i}: usize, ");
        self.call.push(declared.to_string());
        format!("a{i}")
    }

    /// The size of the next collection.
    fn size(&mut self) -> &'static str {
        let at = if self.own_sizes { self.collections.min(SIZES.len() - 1) } else { 0 };
        self.collections += 1;
        SIZES[at]
    }

    /// Adds data as parameters. Returns the expression that has it. `sized` says that `n` is the length of something in
    /// the call.
    pub fn add(&mut self, data: &Data, layouts: &mut Layouts, sized: bool) -> String {
        let i = self.count;
        self.count += 1;
        match data {
            Data::Scalar(kind, _) => {
                // A truth value is passed as a whole number.
                let declared = if *kind == "bool" { "u32" } else { kind };
                let _ = write!(self.declared, "a{i}: {declared}, ");
                self.call.push(data.text(""));
                format!("a{i}")
            }
            Data::Choice(_) => {
                let _ = write!(self.declared, "a{i}: u8, ");
                self.call.push(data.text(""));
                format!("a{i}")
            }
            Data::Size(is_length) => {
                let _ = write!(self.declared, "a{i}: u32, ");
                self.call.push(match (sized, is_length) {
                    (true, true) => "n".to_string(),
                    (true, false) => "u32 in 0..=n".to_string(),
                    (false, true) if self.own_sizes => format!("u32 in 0..={SMALL} | {}", u32::MAX),
                    (false, _) => "u32".to_string(),
                });
                format!("a{i}")
            }
            Data::Record(parts) if parts.is_empty() => "()".to_string(),
            Data::Record(parts) if data.grows() => {
                let parts: Vec<String> = parts.iter().map(|part| self.add(part, layouts, sized)).collect();
                format!("({},)", parts.join(", "))
            }
            Data::Record(_) | Data::Array(..) => {
                let _ = write!(self.declared, "a{i}: *const {}, ", layouts.layout(data));
                self.call.push(data.text(""));
                format!("(unsafe {{ a{i}.read() }})")
            }
            Data::Items(element, _) => {
                let _ = write!(self.declared, "a{i}: *mut {}, l{i}: usize, ", layouts.layout(element));
                let n = self.size();
                self.call.extend([element.text(&format!("[{n}]")), n.to_string()]);
                format!("pessimum::Given(a{i}, l{i})")
            }
            Data::Text(_) => {
                let _ = write!(self.declared, "a{i}: *mut u8, l{i}: usize, ");
                let n = self.size();
                self.call.extend([format!("utf8[{n}]"), n.to_string()]);
                format!("pessimum::Given(a{i}, l{i})")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_is_described_and_laid_out() {
        let number = Data::Scalar("u32", "");
        let (pair, places) = record(vec![number.clone(), NOTHING, Data::Scalar("bool", "")]);
        assert_eq!((pair.text(""), places), ("{u32, bool}".to_string(), vec!["@.0".into(), "()".into(), "@.1".into()]));
        assert_eq!(record(vec![NOTHING, number.clone()]), (number.clone(), vec!["()".into(), "@".into()]));
        let rows = Data::Items(Box::new(Data::Array(Box::new(Data::Scalar("i8", "1..5")), 3)), ROOM);
        let names = Data::Items(Box::new(Data::Text(12)), ROOM);
        let mut layouts = Layouts::default();
        let mut parameters = Parameters::default();
        for data in [&rows, &names, &pair, &Data::Size(true), &Data::Size(false), &Data::Text(ROOM)] {
            parameters.add(data, &mut layouts, true);
        }
        assert_eq!(
            parameters.call.join("; "),
            "i8[n][3] in 1..5; n; {u8 in 0..=12, u8[12] in 0..=127}[n]; n; {u32, bool}; n; u32 in 0..=n; utf8[n]; n"
        );
        assert!(parameters.declared.starts_with("a0: *mut [i8; 3], l0: usize, a1: *mut pessimum::Room<u8, 12>, "));
        assert!(layouts.definitions().contains("pub struct Record0(u32, u8);"));
        let both = record(vec![rows, pair]).0;
        assert!(both.grows() && both.scalars() == 27);
        assert_eq!(both.text(""), "{{u8 in 0..=8, i8[8][3] in 1..5}, {u32, bool}}");
    }
}
