//! The call that follows from a function's declaration.

use super::{Library, Parameter, Prototype, Prototypes, Record, TemplateArgument, Type, is_char};
use pessimum_input::Kind;

/// The room for collections inside of other objects. How much of it is in use is input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// A text has at most this many bytes.
    pub bytes: u64,
    /// Any other collection has at most this many elements.
    pub items: u64,
}

impl Default for Room {
    fn default() -> Room {
        Room { bytes: 8, items: 4 }
    }
}

/// A parameter for which no input can be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("its parameter {number}{} is `{ty}`; {instead}", if name.is_empty() { String::new() } else { format!(" `{name}`") })]
pub struct NotPassable {
    /// Counted from 1.
    number: usize,
    name: String,
    ty: String,
    instead: String,
}

const SMALL_FUNCTION: &str =
    "write a small function that takes numbers or arrays of them, makes the object and calls this one";
const UNKNOWN_TARGET: &str = "what it should point to is not known: describe it with --call, as in \
     `name(u8[16*n], n)`, or write a small function that takes numbers or arrays of them and calls this one";
const POINTERS: &str = "input holds no addresses: write a small function that takes the texts or arrays one after the other, \
     makes the table of pointers and calls this one";
const STREAM: &str = "input is no open file: write a `main` that passes `stdin`, and use --stdin, or a small function that \
     opens its bytes with `fmemopen`";
const NO_FUNCTION: &str = "no function of this file has that type: write one, and it is passed with `&its_name`";

/// Values side by side in memory, in the language of `--call`: `u32[4][n] in 0..=2`.
#[derive(Clone, Debug)]
struct Piece {
    base: String,
    counts: Vec<String>,
    range: String,
}

impl Piece {
    fn new(base: String, range: String) -> Piece {
        Piece { base, counts: Vec::new(), range }
    }

    /// That many of these, one after the other.
    fn times(mut self, count: &str) -> Piece {
        self.counts.insert(0, count.to_string());
        self
    }

    fn text(&self) -> String {
        let counts: String = self.counts.iter().map(|count| format!("[{count}]")).collect();
        format!("{}{counts}{}", self.base, self.range)
    }
}

/// A value of this type in memory, or what is wrong with it. `objects` is the room in those that code around the
/// call makes of C++'s library from it; none where there is no such code.
fn piece(ty: &Type, objects: Option<Room>) -> Result<Piece, String> {
    let several = |count: u64, of: &Type| {
        Ok(Piece::new(
            format!("{{u8 in 0..={count}, {}}}", element(of, objects)?.times(&count.to_string()).text()),
            String::new(),
        ))
    };
    let room = objects.unwrap_or_default();
    match ty.plain() {
        Type::Number { kind, .. } => Ok(Piece::new(kind.to_string(), String::new())),
        Type::Enumeration { kind, values, .. } => Ok(Piece::new(kind.to_string(), range(*kind, values))),
        Type::Array(of, Some(count)) if *count > 0 => Ok(element(of, objects)?.times(&count.to_string())),
        Type::Record(record) => Ok(Piece::new(fields(record, objects)?, String::new())),
        Type::Template(..) if objects.is_some() => match ty.library() {
            Some(Library::Text(of) | Library::View(of)) if is_char(of) => several(room.bytes, of),
            Some(Library::Text(of) | Library::Sequence(of)) => several(room.items, of),
            Some(Library::Map(key, value)) => {
                let items = room.items;
                let entry = format!("{{{}, {}}}", piece(key, objects)?.text(), piece(value, objects)?.text());
                Ok(Piece::new(format!("{{u8 in 0..={items}, {entry}[{items}]}}"), String::new()))
            }
            Some(Library::Tuple(parts)) => {
                let part = |part: &TemplateArgument| match part {
                    TemplateArgument::Type(ty) => Ok(piece(ty, objects)?.text()),
                    TemplateArgument::Value(_) => Err(SMALL_FUNCTION.to_string()),
                };
                let parts = parts.iter().map(part).collect::<Result<Vec<String>, String>>()?;
                Ok(Piece::new(format!("{{{}}}", parts.join(", ")), String::new()))
            }
            Some(Library::Optional(of)) => {
                Ok(Piece::new(format!("{{bool, {}}}", piece(of, objects)?.text()), String::new()))
            }
            Some(Library::Array(of, count)) if count > 0 => Ok(element(of, objects)?.times(&count.to_string())),
            _ => Err(SMALL_FUNCTION.to_string()),
        },
        Type::Pointer(_) | Type::Reference(_) => Err(format!("it has a pointer in it: {SMALL_FUNCTION}")),
        _ => Err(SMALL_FUNCTION.to_string()),
    }
}

/// The same as an element of an array: characters are bytes of text there.
fn element(ty: &Type, objects: Option<Room>) -> Result<Piece, String> {
    if is_char(ty) { Ok(Piece::new("u8".to_string(), String::new())) } else { piece(ty, objects) }
}

fn fields(record: &Record, objects: Option<Room>) -> Result<String, String> {
    let (mut texts, mut end) = (Vec::new(), 0);
    if record.is_derived {
        return Err(format!("it is derived from another class: {SMALL_FUNCTION}"));
    }
    let odd = || "there is more in it than its fields, one after the other: ".to_string() + SMALL_FUNCTION;
    let is_plain = objects.is_none() || is_fixed(&Type::Record(record.clone()));
    for field in &record.fields {
        let named = |why: String| match &field.ty {
            Type::Pointer(to) => format!("its field `{}` is `{to} *`: {SMALL_FUNCTION}", field.name),
            ty => format!("its field `{}` is `{ty}`: {why}", field.name),
        };
        if !field.is_public {
            return Err(format!("its field `{}` is private: {SMALL_FUNCTION}", field.name));
        }
        texts.push(piece(&field.ty, objects).map_err(named)?.text());
        // What the call puts into memory has the alignment and the padding of plain C.
        if is_plain {
            let (size, alignment) = layout(&field.ty).ok_or_else(odd)?;
            if field.offset != Some(u64::next_multiple_of(end, alignment)) {
                return Err(odd());
            }
            end = u64::next_multiple_of(end, alignment) + size;
        }
    }
    if texts.is_empty() {
        return Err(odd());
    }
    Ok(format!("{{{}}}", texts.join(", ")))
}

/// Size and alignment in memory, in bytes, of what needs no code to be made.
fn layout(ty: &Type) -> Option<(u64, u64)> {
    match ty.plain() {
        Type::Number { kind, .. } | Type::Enumeration { kind, .. } => Some((kind.bytes(), kind.bytes())),
        Type::Array(of, Some(count)) => layout(of).map(|(size, alignment)| (size.saturating_mul(*count), alignment)),
        Type::Record(record) if !record.is_derived => {
            let parts = record.fields.iter().map(|field| layout(&field.ty)).collect::<Option<Vec<_>>>()?;
            Some((record.size, parts.into_iter().map(|(_, alignment)| alignment).max()?))
        }
        _ => None,
    }
}

/// Whether values of this type are in memory as they are in the call, so that no code is needed to make them.
pub fn is_fixed(ty: &Type) -> bool {
    layout(ty).is_some()
}

/// The values of an enumeration: `in 0..=3`, or `in 0..=3 | 10`. Flags may be combined.
fn range(kind: Kind, values: &[i128]) -> String {
    const MOST_PARTS: usize = 16;
    let (Some(first), Some(last)) = (values.first(), values.last()) else { return String::new() };
    if kind == Kind::Bool {
        return String::new();
    }
    let are_flags = values.len() > 2 && values.iter().all(|value| *value >= 0 && value.count_ones() <= 1) && *last > 3;
    if are_flags {
        return format!(" in 0..={}", values.iter().fold(0, |all, value| all | value));
    }
    let mut runs: Vec<(i128, i128)> = Vec::new();
    for value in values {
        match runs.last_mut() {
            Some((_, end)) if *end + 1 == *value => *end = *value,
            _ => runs.push((*value, *value)),
        }
    }
    if runs.len() > MOST_PARTS {
        runs = vec![(*first, *last)];
    }
    let run = |(low, high): &(i128, i128)| if low == high { low.to_string() } else { format!("{low}..={high}") };
    let runs: Vec<String> = runs.iter().map(run).collect();
    format!(" in {}", runs.join(" | "))
}

impl Prototype {
    /// The arguments to write in `--call`: arrays of `n` elements, their lengths, and numbers. `objects` is the
    /// room in the objects of C++'s library that code around the call makes, if there is such code; functions to pass are looked for in `others`.
    pub fn arguments(&self, objects: Option<Room>, others: &Prototypes) -> Result<Vec<String>, NotPassable> {
        let mut arguments = Vec::new();
        if objects.is_none()
            && let Some(size) = self.returned_in_memory()
        {
            arguments.push(format!("out u8[{size}]"));
        }
        for (at, _) in self.own_parameters(objects.is_some()) {
            arguments.push(self.passable(at, objects, others)?);
        }
        // A stream to write to is made without any input.
        arguments.retain(|argument| !argument.is_empty());
        Ok(arguments)
    }

    /// The argument for one parameter, where no code of ours is around the call.
    pub fn declared(&self, at: usize, others: &Prototypes) -> Result<String, NotPassable> {
        self.passable(at, None, others)
    }

    fn passable(&self, at: usize, objects: Option<Room>, others: &Prototypes) -> Result<String, NotPassable> {
        let parameter = &self.parameters[at];
        self.argument(at, &parameter.ty, objects, others).map_err(|instead| NotPassable {
            number: at + 1,
            name: parameter.name.clone(),
            ty: parameter.ty.to_string(),
            instead,
        })
    }

    /// Whether a parameter says how long an array before it is.
    pub fn is_length_of_array(&self, at: usize) -> bool {
        self.number(at).is_some()
    }

    /// How many of its parameters are lengths of arrays before them.
    pub fn lengths(&self) -> usize {
        (0..self.parameters.len()).filter(|at| self.number(*at).is_some()).count()
    }

    /// The bytes of the result, where C passes the address for it as the first parameter: a structure, unless it has one
    /// number only.
    pub fn returned_in_memory(&self) -> Option<u64> {
        let Type::Record(record) = self.result.plain() else { return None };
        let is_number =
            |ty: &Type| matches!(ty.plain(), Type::Number { .. } | Type::Enumeration { .. } | Type::Pointer(_));
        (record.fields.len() != 1 || !is_number(&record.fields[0].ty)).then_some(record.size)
    }

    /// The parameters that a caller gives, with their places. Code around the call makes the object of a method.
    pub fn own_parameters(&self, objects: bool) -> impl Iterator<Item = (usize, &Parameter)> {
        let skipped = usize::from(objects && matches!(self.member, super::Member::Method(_)));
        self.parameters.iter().enumerate().skip(skipped)
    }

    fn argument(&self, at: usize, ty: &Type, objects: Option<Room>, others: &Prototypes) -> Result<String, String> {
        match ty.plain() {
            Type::Number { kind, .. } => Ok(match self.number(at) {
                Some(known) => known.to_string(),
                // Whichever of two numbers is the length, nothing beyond the array is read.
                None if objects.is_none() && self.names_next_array(at) => format!("{kind} in 0..=n"),
                None => kind.to_string(),
            }),
            Type::Enumeration { .. } => Ok(piece(ty, objects)?.text()),
            Type::Pointer(to) if to.library().is_none() => self.pointer(at, to, objects, others),
            Type::Pointer(to) | Type::Reference(to) | Type::Moved(to) => match to.plain() {
                Type::Number { kind, .. } => Ok(format!("{kind}[1]")),
                Type::Function(..) => function(to, others),
                _ => object(to, objects),
            },
            // C passes a structure of one number as that number.
            Type::Record(record) if objects.is_none() && record.fields.len() == 1 => {
                match record.fields[0].ty.plain() {
                    Type::Number { .. } | Type::Enumeration { .. } => Ok(piece(&record.fields[0].ty, objects)?.text()),
                    _ => object(ty, objects),
                }
            }
            _ => object(ty, objects),
        }
    }

    fn pointer(&self, at: usize, to: &Type, objects: Option<Room>, others: &Prototypes) -> Result<String, String> {
        if let Some(kind) = grid_kind(to).filter(|_| self.dimensions(at).is_some()) {
            return Ok(format!("{kind}[n*n]"));
        }
        match to.plain() {
            // A text ends with a zero; bytes with a length may contain some.
            Type::Number { is_char: true, .. } if !self.has_length(at) => Ok("str[n]".to_string()),
            Type::Number { is_char: true, .. } | Type::Void => Ok("u8[n]".to_string()),
            Type::Number { kind, .. } => Ok(match self.result_length(at, to) {
                Some("n") if (0..at).any(|before| self.dimensions(before).is_some()) => format!("out {kind}[n*n]"),
                // What several arrays are put together in has room for all of them.
                Some("n") if self.lengths_before(at) > 1 => format!("out {kind}[{}*n]", self.lengths_before(at)),
                Some(length) => format!("out {kind}[{length}]"),
                None => format!("{kind}[n]"),
            }),
            Type::Enumeration { .. } => Ok(piece(to, objects)?.times("n").text()),
            Type::Array(..) => match element(to, objects) {
                Ok(row) => Ok(row.times("n").text()),
                Err(_) => Err(UNKNOWN_TARGET.to_string()),
            },
            Type::Record(_) => {
                let one = piece(to, objects).map_err(|why| why.to_string())?;
                Ok(if self.has_length(at) { one.times("n") } else { one }.text())
            }
            Type::Function(..) => function(to, others),
            Type::Pointer(_) => Err(POINTERS.to_string()),
            Type::Other(name) if name == "_IO_FILE" => Err(STREAM.to_string()),
            _ => Err(UNKNOWN_TARGET.to_string()),
        }
    }

    /// How many lengths of arrays come before a parameter.
    fn lengths_before(&self, at: usize) -> usize {
        (0..at).filter(|before| self.number(*before) == Some("n")).count()
    }

    /// The length of an array that a function only writes to: what follows an array and its length, is not constant and has
    /// no length of its own. It is one number if its name says so.
    fn result_length(&self, at: usize, to: &Type) -> Option<&'static str> {
        let is_array = |parameter: &Parameter| matches!(parameter.ty.plain(), Type::Pointer(_));
        let first_length = (0..at).find(|before| self.number(*before) == Some("n"))?;
        if to.is_const() || self.has_length(at) || !self.parameters[..first_length].iter().any(is_array) {
            return None;
        }
        let name = self.parameters[at].name.to_lowercase();
        let is_one =
            is_length(&self.parameters[at].name) || ONE.iter().any(|word| name.split('_').any(|part| part == *word));
        Some(if is_one { "1" } else { "n" })
    }

    /// What a number says about an array, judging by its type and name: its length, or the first and last place.
    fn number(&self, at: usize) -> Option<&'static str> {
        let is_before = || (self.is_length_before(at) || self.is_dimension(at)).then_some("n");
        self.number_after(at).or_else(is_before)
    }

    /// The two numbers that say how many rows and columns an array has: `grid, rows, cols`, or before it.
    pub(super) fn dimensions(&self, array: usize) -> Option<[usize; 2]> {
        let Type::Pointer(to) = self.parameters[array].ty.plain() else { return None };
        grid_kind(to)?;
        let name = |at: usize| match self.parameters.get(at)?.ty.plain() {
            Type::Number { kind, .. } if !kind.is_float() && kind.bytes() >= 4 => {
                Some(self.parameters[at].name.to_lowercase().replace('_', ""))
            }
            _ => None,
        };
        let are_both = |[first, second]: &[usize; 2]| match (name(*first), name(*second)) {
            (Some(first), Some(second)) => DIMENSIONS.iter().any(|[rows, columns]| {
                let fits = |name: &str, of: &str| name == of || name.trim_start_matches(['n', 'm']) == of;
                fits(&first, rows) && fits(&second, columns) || fits(&first, columns) && fits(&second, rows)
            }),
            _ => false,
        };
        let before = array.checked_sub(2).map(|first| [first, first + 1]);
        [Some([array + 1, array + 2]), before].into_iter().flatten().find(are_both)
    }

    fn is_dimension(&self, at: usize) -> bool {
        (0..self.parameters.len()).any(|array| self.dimensions(array).is_some_and(|both| both.contains(&at)))
    }

    /// Whether a number is the length of the array that follows it: `sum(size_t n, const int *values)`.
    pub(super) fn is_length_before(&self, at: usize) -> bool {
        // A length behind the array is the usual way, and then this is another number. But it may be before an array itself.
        let is_behind = |after: usize| self.number_after(after).is_some() && !self.names_next_array(after);
        self.names_next_array(at) && self.number_after(at).is_none() && !(at + 2..self.parameters.len()).any(is_behind)
    }

    /// Whether a number looks like the length of the array that follows it. A text needs none, so it has one only where
    /// the type says so.
    pub(super) fn names_next_array(&self, at: usize) -> bool {
        let Type::Number { kind, is_size, .. } = self.parameters[at].ty.plain() else { return false };
        let Some(Type::Pointer(to)) = self.parameters.get(at + 1).map(|next| next.ty.plain()) else { return false };
        let is_array = match to.plain() {
            Type::Number { is_char: true, .. } => *is_size,
            Type::Function(..) => false,
            to => to.library().is_none(),
        };
        let is_named = *is_size || is_length(&self.parameters[at].name) || self.names_length_of(at, at + 1);
        !kind.is_float() && kind.bytes() >= 4 && is_array && is_named
    }

    /// Whether a number is called `n` with the name of this array.
    fn names_length_of(&self, number: usize, array: usize) -> bool {
        let plain = |name: &str| name.replace('_', "").to_lowercase();
        let (number, array) = (plain(&self.parameters[number].name), plain(&self.parameters[array].name));
        !array.is_empty() && (number == format!("n{array}") || number == format!("{array}n"))
    }

    pub(super) fn number_after(&self, at: usize) -> Option<&'static str> {
        let is_array = |parameter: &Parameter| match parameter.ty.plain() {
            Type::Pointer(to) => !matches!(to.plain(), Type::Function(..)),
            Type::Reference(to) | Type::Moved(to) => to.library().is_some(),
            ty => ty.library().is_some(),
        };
        if !self.parameters[..at].iter().any(is_array) {
            return None;
        }
        let Type::Number { kind, is_size, .. } = self.parameters[at].ty.plain() else { return None };
        let is_whole = !kind.is_float() && kind.bytes() >= 4;
        let name = self.parameters[at].name.as_str();
        let has = |names: &[&str]| self.parameters.iter().any(|parameter| names.contains(&parameter.name.as_str()));
        match name {
            _ if !is_whole => None,
            _ if *is_size || is_length(name) => Some("n"),
            _ if (0..at).any(|array| is_array(&self.parameters[array]) && self.names_length_of(at, array)) => Some("n"),
            _ if FIRST.contains(&name) && has(&LAST) => Some("0"),
            _ if LAST.contains(&name) && has(&FIRST) => Some("n-1"),
            _ => None,
        }
    }

    /// Whether a number among the following parameters is the length of the array at this place.
    pub fn has_length(&self, at: usize) -> bool {
        (at + 1..self.parameters.len()).any(|after| self.number(after).is_some())
            || at.checked_sub(1).is_some_and(|before| self.is_length_before(before))
    }

    /// The places of parameters that are objects of a library of C++. Memory of input there would be read as pointers.
    pub fn library_objects(&self) -> Vec<usize> {
        let is_one = |parameter: &Parameter| match parameter.ty.plain() {
            Type::Pointer(to) | Type::Reference(to) | Type::Moved(to) => is_object(to),
            ty => is_object(ty),
        };
        (0..self.parameters.len()).filter(|at| is_one(&self.parameters[*at])).collect()
    }

    /// Whether code around the call has to make something for it.
    pub fn needs_objects(&self) -> bool {
        let makes = |parameter: &Parameter| match parameter.ty.plain() {
            Type::Pointer(to) | Type::Reference(to) | Type::Moved(to) => match to.plain() {
                Type::Record(_) => !is_fixed(to),
                to => is_object(to),
            },
            Type::Record(_) => true,
            ty => is_object(ty),
        };
        let returns = matches!(self.result.plain(), Type::Record(_)) || is_object(&self.result);
        self.member != super::Member::Free || returns || self.parameters.iter().any(makes)
    }
}

/// Whether this is a class of C++'s library.
fn is_object(ty: &Type) -> bool {
    match ty.plain() {
        Type::Template(..) => true,
        Type::Other(name) => name.starts_with("std::"),
        _ => false,
    }
}

/// A collection is its elements and their number; anything else is what it consists of.
fn object(ty: &Type, objects: Option<Room>) -> Result<String, String> {
    if objects.is_none() {
        return match ty.plain() {
            Type::Record(_) => Ok(piece(ty, objects)?.text()),
            _ => Err(format!("bytes of input are no such object: {SMALL_FUNCTION}")),
        };
    }
    let several = |of: &Type| Ok(format!("{}, n", element(of, objects)?.times("n").text()));
    match ty.library() {
        Some(Library::Text(of) | Library::View(of) | Library::Sequence(of) | Library::Adapter(of)) => several(of),
        Some(Library::Map(key, value)) => {
            Ok(format!("{{{}, {}}}[n], n", piece(key, objects)?.text(), piece(value, objects)?.text()))
        }
        Some(Library::Input) => Ok("u8[n], n".to_string()),
        Some(Library::Output) => Ok(String::new()),
        _ => {
            let piece = piece(ty, objects)?;
            // Numbers are passed by their address here, too.
            let is_number = piece.counts.is_empty() && !piece.base.starts_with('{');
            Ok(if is_number { piece.times("1") } else { piece }.text())
        }
    }
}

/// A function of the same type.
fn function(ty: &Type, others: &Prototypes) -> Result<String, String> {
    let Type::Function(parameters, result) = ty.plain() else { return Err(NO_FUNCTION.to_string()) };
    let fits = |other: &&Prototype| {
        let types = other.parameters.iter().map(|parameter| &parameter.ty);
        other.is_defined && other.member == super::Member::Free && other.result == **result && types.eq(parameters)
    };
    // Another one is a line of editing away.
    others.all().find(fits).map(|found| format!("&{}", found.path)).ok_or_else(|| NO_FUNCTION.to_string())
}

/// Names of numbers that a function gives back through a pointer.
const ONE: [&str; 16] = [
    "min", "max", "sum", "avg", "mean", "total", "pos", "position", "index", "idx", "found", "err", "error", "status",
    "carry", "rc",
];

/// The numbers in an array whose rows one counts by oneself.
fn grid_kind(to: &Type) -> Option<Kind> {
    match to.plain() {
        Type::Number { is_char: true, .. } => Some(Kind::U8),
        Type::Number { kind, .. } => Some(*kind),
        Type::Array(of, None) => grid_kind(of),
        _ => None,
    }
}

/// How rows and columns are called, with or without an `n` before them.
const DIMENSIONS: [[&str; 2]; 9] = [
    ["rows", "cols"],
    ["rows", "columns"],
    ["row", "col"],
    ["width", "height"],
    ["w", "h"],
    ["r", "c"],
    ["n", "m"],
    ["gridsize", "gridcolsize"],
    ["matrixsize", "matrixcolsize"],
];

pub(super) const FIRST: [&str; 7] = ["lo", "low", "left", "l", "first", "start", "begin"];
pub(super) const LAST: [&str; 6] = ["hi", "high", "right", "r", "last", "end"];

/// Whether a number of this name counts elements: `n`, `len`, `text_length`, `numItems`, `nelems`.
fn is_length(name: &str) -> bool {
    const WORDS: [&str; 9] = ["n", "m", "len", "length", "size", "count", "num", "sz", "cnt"];
    let mut words: Vec<String> = vec![String::new()];
    for c in name.chars() {
        if c == '_' || c.is_uppercase() {
            words.push(String::new());
        }
        if c != '_' {
            words.last_mut().expect("there is a first word").extend(c.to_lowercase());
        }
    }
    let ends = ["len", "length", "size", "count"];
    words.iter().any(|word| WORDS.contains(&word.trim_end_matches(|c: char| c.is_ascii_digit())))
        || words.iter().any(|word| ends.iter().any(|end| word.ends_with(end)))
        || ["nelem", "nmemb", "nitems", "elements"].iter().any(|start| name.starts_with(start))
}
#[cfg(test)]
mod tests {
    use super::super::{Field, Member};
    use super::*;

    fn prototype(parameters: &[(&str, Type)]) -> Prototype {
        let parameter = |(name, ty): &(&str, Type)| Parameter { name: name.to_string(), ty: ty.clone() };
        Prototype {
            path: "f".to_string(),
            symbol: "f".to_string(),
            file: String::new(),
            line: 0,
            member: Member::Free,
            is_public: true,
            is_defined: true,
            parameters: parameters.iter().map(parameter).collect(),
            result: Type::Void,
        }
    }

    fn called(parameters: &[(&str, Type)], objects: bool) -> String {
        match prototype(parameters).arguments(objects.then(Room::default), &Prototypes::default()) {
            Ok(arguments) => arguments.join(", "),
            Err(refused) => refused.to_string(),
        }
    }

    fn arguments(parameters: &[(&str, Type)]) -> String {
        called(parameters, false)
    }

    fn number(kind: Kind) -> Type {
        Type::Number { kind, is_size: false, is_char: false, name: kind.to_string() }
    }

    fn char() -> Type {
        Type::Number { kind: Kind::I8, is_size: false, is_char: true, name: "char".to_string() }
    }

    fn size() -> Type {
        Type::Number { kind: Kind::U32, is_size: true, is_char: false, name: "unsigned long".to_string() }
    }

    fn int() -> Type {
        number(Kind::I32)
    }

    fn pointer(to: Type) -> Type {
        Type::Pointer(Box::new(to))
    }

    fn constant(of: Type) -> Type {
        Type::Const(Box::new(of))
    }

    fn record(fields: &[(&str, Type, u64)], size: u64) -> Type {
        let field = |(name, ty, offset): &(&str, Type, u64)| Field {
            name: name.to_string(),
            ty: ty.clone(),
            offset: Some(*offset),
            is_public: true,
        };
        let fields = fields.iter().map(field).collect();
        Type::Record(Record { name: "item".to_string(), size, fields, is_derived: false })
    }

    fn library(name: &str, of: &[Type]) -> Type {
        Type::Template(format!("std::{name}"), of.iter().cloned().map(TemplateArgument::Type).collect())
    }

    #[test]
    fn lengths_are_known_by_their_type_or_name() {
        assert_eq!(arguments(&[("a", pointer(int())), ("n", int())]), "i32[n], n");
        assert_eq!(arguments(&[("a", pointer(int())), ("how_many", size())]), "i32[n], n");
        assert_eq!(
            arguments(&[("a", pointer(int())), ("b", pointer(int())), ("itemCount", int())]),
            "i32[n], i32[n], n"
        );
        assert_eq!(arguments(&[("a", pointer(int())), ("key", int())]), "i32[n], i32");
        assert_eq!(arguments(&[("a", pointer(int())), ("lo", int()), ("hi", int())]), "i32[n], 0, n-1");
        assert_eq!(arguments(&[("a", pointer(int())), ("hi", int())]), "i32[n], i32");
        assert_eq!(arguments(&[("n", int())]), "i32", "a number without an array is input");
        assert_eq!(arguments(&[("text", pointer(char()))]), "str[n]");
        assert_eq!(arguments(&[("text", pointer(constant(char()))), ("len", int())]), "u8[n], n");
        assert_eq!(arguments(&[("data", pointer(Type::Void)), ("bytes", size())]), "u8[n], n");
        assert_eq!(arguments(&[("n", size()), ("values", pointer(int()))]), "n, i32[n]");
        assert_eq!(arguments(&[("rows", int()), ("n", int()), ("values", pointer(int()))]), "i32, n, i32[n]");
        let row = Type::Array(Box::new(int()), Some(4));
        assert_eq!(arguments(&[("n", int()), ("rows", pointer(row))]), "n, i32[n][4]");
        let both = [("n", int()), ("values", pointer(int())), ("len", int())];
        assert_eq!(arguments(&both), "i32 in 0..=n, i32[n], n", "either may be the length");
        let four = [("n", int()), ("a", pointer(int())), ("m", int()), ("b", pointer(int()))];
        assert_eq!(arguments(&four), "n, i32[n], n, i32[n]", "each before its array");
        assert_eq!(arguments(&[("n", int()), ("text", pointer(char()))]), "i32, str[n]", "a text has an end");
        assert_eq!(arguments(&[("bytes", size()), ("text", pointer(char()))]), "n, u8[n]");
        let both = [("a", pointer(char())), ("na", int()), ("b", pointer(char())), ("nb", int())];
        assert_eq!(arguments(&both), "u8[n], n, u8[n], n");
        assert_eq!(arguments(&[("x", number(Kind::F64)), ("flag", number(Kind::Bool))]), "f64, bool");
        assert_eq!(arguments(&[("a", pointer(int())), ("size", number(Kind::U8))]), "i32[n], u8");
        assert!(is_length("nelems") && is_length("text_len") && is_length("n1") && !is_length("needle"));
    }

    #[test]
    fn rows_and_columns_are_two_lengths() {
        let grid = |of| ("grid", pointer(of));
        assert_eq!(arguments(&[grid(int()), ("rows", int()), ("cols", int())]), "i32[n*n], n, n");
        assert_eq!(arguments(&[("height", int()), ("width", int()), grid(char())]), "n, n, u8[n*n]");
        let rows = Type::Array(Box::new(int()), None);
        assert_eq!(arguments(&[("n", int()), ("m", int()), grid(rows)]), "n, n, i32[n*n]");
        assert_eq!(
            arguments(&[("a", pointer(int())), ("n", int()), ("b", pointer(int())), ("m", int())]),
            "i32[n], n, i32[n], n"
        );
        assert_eq!(arguments(&[("a", pointer(int())), ("n", int()), ("k", int())]), "i32[n], n, i32");
    }

    #[test]
    fn what_a_function_only_writes_is_no_input() {
        let array = || ("a", pointer(constant(int())));
        let after = |name, ty| arguments(&[array(), ("n", int()), (name, ty)]);
        assert_eq!(after("max", pointer(int())), "i32[n], n, out i32[1]");
        assert_eq!(after("returnSize", pointer(int())), "i32[n], n, out i32[1]");
        assert_eq!(after("sorted", pointer(int())), "i32[n], n, out i32[n]");
        let two = [array(), ("n", int()), ("b", pointer(constant(int()))), ("m", int()), ("both", pointer(int()))];
        assert_eq!(arguments(&two), "i32[n], n, i32[n], n, out i32[2*n]");
        assert_eq!(after("other", pointer(constant(int()))), "i32[n], n, i32[n]");
        assert_eq!(arguments(&[("a", pointer(int())), ("b", pointer(int()))]), "i32[n], i32[n]");
    }

    #[test]
    fn structures_are_records() {
        let point = || record(&[("x", int(), 0), ("y", number(Kind::I64), 8)], 16);
        assert_eq!(arguments(&[("p", pointer(point()))]), "{i32, i64}");
        assert_eq!(arguments(&[("p", pointer(constant(point()))), ("n", size())]), "{i32, i64}[n], n");
        let name = Type::Array(Box::new(char()), Some(8));
        let colour = Type::Enumeration { name: "colour".to_string(), kind: Kind::U32, values: vec![0, 1, 2, 7] };
        let both = record(&[("name", name, 0), ("p", point(), 8), ("c", colour.clone(), 24)], 32);
        assert_eq!(arguments(&[("p", pointer(both))]), "{u8[8], {i32, i64}, u32 in 0..=2 | 7}");
        assert_eq!(arguments(&[("c", colour)]), "u32 in 0..=2 | 7");
        let flags = Type::Enumeration { name: String::new(), kind: Kind::U32, values: vec![1, 2, 4] };
        assert_eq!(arguments(&[("flags", flags)]), "u32 in 0..=7");
        let packed = record(&[("a", number(Kind::U8), 0), ("b", int(), 1)], 5);
        assert!(arguments(&[("p", pointer(packed))]).contains("there is more in it than its fields"));
        let node = record(&[("value", int(), 0), ("next", pointer(Type::Other("node".to_string())), 4)], 8);
        assert!(arguments(&[("list", pointer(node))]).contains("its field `next` is `node *`"));
        let rows = pointer(Type::Array(Box::new(int()), Some(4)));
        assert_eq!(arguments(&[("a", rows), ("rows", size())]), "i32[n][4], n");
        assert_eq!(arguments(&[("p", record(&[("x", int(), 0)], 4))]), "i32", "C passes it as the number");
    }

    #[test]
    fn objects_are_made_from_their_parts() {
        let string = || library("basic_string", &[char()]);
        let reference = |to: Type| Type::Reference(Box::new(constant(to)));
        assert_eq!(called(&[("s", reference(string()))], true), "u8[n], n");
        assert_eq!(called(&[("v", library("vector", &[string()]))], true), "{u8 in 0..=8, u8[8]}[n], n");
        let rows = library("vector", &[library("vector", &[int()])]);
        assert_eq!(called(&[("v", rows)], true), "{u8 in 0..=4, i32[4]}[n], n");
        assert_eq!(called(&[("m", library("map", &[string(), int()]))], true), "{{u8 in 0..=8, u8[8]}, i32}[n], n");
        assert_eq!(called(&[("o", library("optional", &[int()]))], true), "{bool, i32}");
        assert_eq!(called(&[("p", library("pair", &[int(), number(Kind::F64)]))], true), "{i32, f64}");
        assert_eq!(called(&[("v", reference(library("vector", &[int()]))), ("k", int())], true), "i32[n], n, i32");
        let function = library("function", &[Type::Void]);
        assert!(called(&[("f", function)], true).starts_with("its parameter 1 `f` is `std::function<void>`; write a"));
    }

    #[test]
    fn what_cannot_be_passed_is_named() {
        let object = Type::Reference(Box::new(library("vector", &[int()])));
        let refused = arguments(&[("x", int()), ("v", object.clone())]);
        assert!(refused.starts_with("its parameter 2 `v` is `std::vector<i32> &`; bytes of input are no such object"));
        assert!(prototype(&[("v", object)]).library_objects() == [0]);
        let node = pointer(Type::Other("node".to_string()));
        assert!(arguments(&[("", node.clone())]).starts_with("its parameter 1 is `node *`; what it should point to"));
        assert!(prototype(&[("list", node)]).library_objects().is_empty());
        let compare = pointer(Type::Function(vec![int(), int()], Box::new(int())));
        assert!(arguments(&[("f", compare)]).contains("is `i32 (*)(i32, i32)`; no function of this file"));
    }
}
