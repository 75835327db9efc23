//! The parameters of functions as their authors declared them, from DWARF, and the call that follows from them.
//!
//! WebAssembly knows four types of numbers; that a number is the address of an array, and another one its length, is only
//! written in the source. What cannot be told for certain is guessed from names, as a reader would: the guess is shown,
//! and can be written differently in `--call`.

use std::collections::BTreeMap;
use std::fmt;

use addr2line::gimli::{
    self, AttributeValue, DebuggingInformationEntry, Dwarf, EndianSlice, LittleEndian, UnitOffset, constants,
};

use crate::call::Kind;
use crate::module::Module;
use crate::names::demangle;

/// Types are followed through at most this many others: damaged debug information may go round in circles.
const DEEPEST: u32 = 64;

/// A function's declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prototype {
    /// The parameters, in order.
    pub parameters: Vec<Parameter>,
}

/// A parameter of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Empty if it has none.
    pub name: String,
    /// What may be passed.
    pub ty: Type,
}

/// A type, as far as it matters for passing values of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// A number; `is_size` where its author calls it `size_t` or the like, `is_char` for plain characters.
    #[allow(missing_docs)]
    Number { kind: Kind, is_size: bool, is_char: bool },
    /// The address of one value or of several.
    Pointer(Box<Type>),
    /// A C++ reference: the address of one value.
    Reference(Box<Type>),
    /// What only an untyped pointer points to.
    Void,
    /// Anything else, by its name in the source.
    Other(String),
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Number { is_char: true, .. } => f.write_str("char"),
            Type::Number { kind, .. } => write!(f, "{kind}"),
            Type::Pointer(to) => write!(f, "{to} *"),
            Type::Reference(to) => write!(f, "{to} &"),
            Type::Void => f.write_str("void"),
            Type::Other(name) => f.write_str(name),
        }
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
    instead: &'static str,
}

const INSTEAD_OF_OBJECT: &str = "bytes of input are no such object: write a small function that takes numbers or arrays \
     of them, makes the object and calls this one";
const INSTEAD_OF_POINTER: &str = "what it should point to is not known: describe it with --call, as in \
     `name(u8[16*n], n)`, or write a small function that takes numbers or arrays of them and calls this one";

/// The declarations in a module's debug information, by name.
#[derive(Clone, Debug, Default)]
pub struct Prototypes {
    functions: BTreeMap<String, Prototype>,
}

type Reader<'a> = EndianSlice<'a, LittleEndian>;
type Entry<'a> = DebuggingInformationEntry<Reader<'a>>;

impl Prototypes {
    /// Reads the debug information of a module. Damaged parts are left out.
    pub fn of(module: &Module) -> Prototypes {
        let mut prototypes = Prototypes::default();
        let section = |id: gimli::SectionId| {
            let found = module.custom_sections().iter().find(|section| section.name == id.name());
            Ok::<_, gimli::Error>(EndianSlice::new(found.map_or(&[][..], |section| &section.data), LittleEndian))
        };
        let Ok(dwarf) = Dwarf::load(section) else { return prototypes };
        let mut headers = dwarf.units();
        while let Ok(Some(header)) = headers.next() {
            if let Ok(unit) = dwarf.unit(header) {
                let _ = Unit { dwarf: &dwarf, unit, classes: BTreeMap::new() }.read(&mut prototypes.functions);
            }
        }
        prototypes
    }

    /// The declaration of an exported function, under the name that its author gave it or that of the linker.
    pub fn get(&self, name: &str) -> Option<&Prototype> {
        self.functions.get(name)
    }
}

struct Unit<'a, 'd> {
    dwarf: &'d Dwarf<Reader<'a>>,
    unit: gimli::Unit<Reader<'a>>,
    /// The names of classes with their namespaces, by entry.
    classes: BTreeMap<usize, String>,
}

impl<'a> Unit<'a, '_> {
    /// Adds the functions that are defined in this unit.
    fn read(mut self, functions: &mut BTreeMap<String, Prototype>) -> gimli::Result<()> {
        let mut defined = Vec::new();
        let mut scopes: Vec<(isize, String)> = Vec::new();
        let mut entries = self.unit.entries();
        while let Some(entry) = entries.next_dfs()? {
            while scopes.last().is_some_and(|(depth, _)| *depth >= entry.depth()) {
                scopes.pop();
            }
            match entry.tag() {
                constants::DW_TAG_namespace | constants::DW_TAG_class_type | constants::DW_TAG_structure_type => {
                    let name = self.own_text(entry, constants::DW_AT_name).unwrap_or_default();
                    // Versions of a library hide in namespaces that nobody writes.
                    let is_shown = !name.starts_with("__");
                    scopes.push((entry.depth(), if is_shown { name } else { String::new() }));
                    if entry.tag() != constants::DW_TAG_namespace {
                        let path: Vec<&str> = scopes.iter().map(|(_, name)| name.as_str()).collect();
                        let path: Vec<&str> = path.into_iter().filter(|name| !name.is_empty()).collect();
                        // Names in the arguments of a template have the version written out.
                        let path = path.join("::").replace("std::__1::", "std::").replace("std::__2::", "std::");
                        self.classes.insert(entry.offset().0, path);
                    }
                }
                constants::DW_TAG_subprogram if entry.attr_value(constants::DW_AT_low_pc).is_some() => {
                    defined.push(entry.offset());
                }
                _ => {}
            }
        }
        for offset in defined {
            let entry = self.unit.entry(offset)?;
            let prototype = Prototype { parameters: self.parameters(&entry)? };
            let linked = self.text(&entry, constants::DW_AT_linkage_name);
            let plain = self.text(&entry, constants::DW_AT_name);
            let names = [linked.as_deref().map(demangle), linked.clone(), plain];
            for name in names.into_iter().flatten() {
                functions.entry(name).or_insert_with(|| prototype.clone());
            }
        }
        Ok(())
    }

    /// The entry that describes this one in general: optimised code has several copies of a function.
    fn original(&self, entry: &Entry<'a>) -> Option<Entry<'a>> {
        let origin = entry.attr_value(constants::DW_AT_abstract_origin);
        let specification = || entry.attr_value(constants::DW_AT_specification);
        match origin.or_else(specification)? {
            AttributeValue::UnitRef(offset) => self.unit.entry(offset).ok(),
            _ => None,
        }
    }

    fn own_text(&self, entry: &Entry<'a>, name: gimli::DwAt) -> Option<String> {
        let text = self.dwarf.attr_string(&self.unit, entry.attr_value(name)?).ok()?;
        Some(text.to_string_lossy().into_owned())
    }

    fn text(&self, entry: &Entry<'a>, name: gimli::DwAt) -> Option<String> {
        self.own_text(entry, name).or_else(|| {
            let original = self.original(entry)?;
            self.own_text(&original, name).or_else(|| self.own_text(&self.original(&original)?, name))
        })
    }

    fn parameters(&self, entry: &Entry<'a>) -> gimli::Result<Vec<Parameter>> {
        // A copy that was optimised may lack parameters that it does not use.
        let origin = entry.attr_value(constants::DW_AT_abstract_origin).and_then(|_| self.original(entry));
        let mut tree = self.unit.entries_tree(Some(origin.as_ref().unwrap_or(entry).offset()))?;
        let mut children = tree.root()?.children();
        let mut parameters = Vec::new();
        while let Some(child) = children.next()? {
            let entry = child.entry();
            if entry.tag() == constants::DW_TAG_formal_parameter {
                let name = self.text(entry, constants::DW_AT_name).unwrap_or_default();
                let described =
                    if entry.attr_value(constants::DW_AT_type).is_some() { None } else { self.original(entry) };
                parameters.push(Parameter { name, ty: self.type_of(described.as_ref().unwrap_or(entry), 0) });
            }
        }
        Ok(parameters)
    }

    /// The type that an entry refers to.
    fn type_of(&self, entry: &Entry<'a>, depth: u32) -> Type {
        match entry.attr_value(constants::DW_AT_type) {
            Some(AttributeValue::UnitRef(offset)) if depth < DEEPEST => self.ty(offset, depth + 1),
            None => Type::Void,
            _ => Type::Other("of an unknown type".to_string()),
        }
    }

    fn ty(&self, offset: UnitOffset, depth: u32) -> Type {
        let Ok(entry) = self.unit.entry(offset) else { return Type::Other("of an unknown type".to_string()) };
        let name = || self.own_text(&entry, constants::DW_AT_name);
        match entry.tag() {
            constants::DW_TAG_base_type => {
                let name = name().unwrap_or_default();
                let is_char = name == "char";
                number(&entry).map_or(Type::Other(name), |kind| Type::Number { kind, is_size: false, is_char })
            }
            constants::DW_TAG_enumeration_type => match self.type_of(&entry, depth) {
                number @ Type::Number { .. } => number,
                _ => Type::Number { kind: Kind::U32, is_size: false, is_char: false },
            },
            constants::DW_TAG_pointer_type => Type::Pointer(Box::new(self.type_of(&entry, depth))),
            constants::DW_TAG_reference_type | constants::DW_TAG_rvalue_reference_type => {
                Type::Reference(Box::new(self.type_of(&entry, depth)))
            }
            constants::DW_TAG_typedef => match self.type_of(&entry, depth) {
                Type::Number { kind, is_size, is_char } => {
                    let sized = name().is_some_and(|name| name.ends_with("size_t"));
                    Type::Number { kind, is_size: is_size || sized, is_char }
                }
                // As its author writes it, but still recognisable as part of the library: `std::string`.
                Type::Other(of) => {
                    let library = if of.starts_with("std::") { "std::" } else { "" };
                    Type::Other(format!("{library}{}", name().unwrap_or_default()))
                }
                other => other,
            },
            constants::DW_TAG_const_type
            | constants::DW_TAG_volatile_type
            | constants::DW_TAG_restrict_type
            | constants::DW_TAG_atomic_type => self.type_of(&entry, depth),
            constants::DW_TAG_subroutine_type => Type::Other("function".to_string()),
            _ => {
                let class = self.classes.get(&offset.0).cloned().or_else(name);
                Type::Other(class.filter(|name| !name.is_empty()).unwrap_or_else(|| "an unnamed type".to_string()))
            }
        }
    }
}

/// The kind of a basic type, if it is one that can be passed.
fn number(entry: &Entry<'_>) -> Option<Kind> {
    let AttributeValue::Encoding(encoding) = entry.attr_value(constants::DW_AT_encoding)? else { return None };
    let size = entry.attr_value(constants::DW_AT_byte_size)?.udata_value()?;
    let signed = [Kind::I8, Kind::I16, Kind::I32, Kind::I64];
    let unsigned = [Kind::U8, Kind::U16, Kind::U32, Kind::U64];
    let by_size = |kinds: &[Kind]| kinds.iter().copied().find(|kind| kind.bytes() == size);
    match encoding {
        constants::DW_ATE_boolean => by_size(&[Kind::Bool]),
        constants::DW_ATE_float => by_size(&[Kind::F32, Kind::F64]),
        constants::DW_ATE_signed | constants::DW_ATE_signed_char => by_size(&signed),
        constants::DW_ATE_unsigned | constants::DW_ATE_unsigned_char | constants::DW_ATE_UTF => by_size(&unsigned),
        _ => None,
    }
}

impl Prototype {
    /// The arguments to write in `--call`: arrays of `n` elements, their lengths, and numbers.
    pub fn arguments(&self) -> Result<Vec<String>, NotPassable> {
        let mut arguments = Vec::new();
        for (at, parameter) in self.parameters.iter().enumerate() {
            let refuse = |ty: &Type, instead| {
                let (number, name) = (at + 1, parameter.name.clone());
                Err(NotPassable { number, name, ty: ty.to_string(), instead })
            };
            arguments.push(match &parameter.ty {
                Type::Number { kind, .. } => self.number(at).map_or_else(|| kind.to_string(), str::to_string),
                Type::Pointer(to) => match &**to {
                    // A text ends with a zero; bytes with a length may contain some.
                    Type::Number { is_char: true, .. } if !self.has_length(at) => "str[n]".to_string(),
                    Type::Number { is_char: true, .. } | Type::Void => "u8[n]".to_string(),
                    Type::Number { kind, .. } => format!("{kind}[n]"),
                    _ => return refuse(&parameter.ty, INSTEAD_OF_POINTER),
                },
                Type::Reference(to) => match &**to {
                    Type::Number { kind, .. } => format!("{kind}[1]"),
                    _ => return refuse(&parameter.ty, INSTEAD_OF_OBJECT),
                },
                ty => return refuse(ty, INSTEAD_OF_OBJECT),
            });
        }
        Ok(arguments)
    }

    /// A parameter that is an object of a library of C++. Memory of input in its place would be read as pointers.
    pub fn library_object(&self) -> Option<(usize, &Parameter)> {
        self.parameters.iter().enumerate().find(|(_, parameter)| match &parameter.ty {
            Type::Pointer(to) | Type::Reference(to) => matches!(&**to, Type::Other(name) if name.starts_with("std::")),
            _ => false,
        })
    }

    /// What a number after an array says about it, judging by its type and name: its length, or the first and last place.
    fn number(&self, at: usize) -> Option<&'static str> {
        let is_pointer = |parameter: &Parameter| matches!(parameter.ty, Type::Pointer(_));
        if !self.parameters[..at].iter().any(is_pointer) {
            return None;
        }
        let Type::Number { kind, is_size, .. } = self.parameters[at].ty else { return None };
        let is_whole = !kind.is_float() && kind.bytes() >= 4;
        let name = self.parameters[at].name.as_str();
        let has = |names: &[&str]| self.parameters.iter().any(|parameter| names.contains(&parameter.name.as_str()));
        match name {
            _ if !is_whole => None,
            _ if is_size || is_length(name) => Some("n"),
            _ if FIRST.contains(&name) && has(&LAST) => Some("0"),
            _ if LAST.contains(&name) && has(&FIRST) => Some("n-1"),
            _ => None,
        }
    }

    /// Whether a number among the following parameters is the length of the array at this place.
    fn has_length(&self, at: usize) -> bool {
        (at + 1..self.parameters.len()).any(|after| self.number(after).is_some())
    }
}

const FIRST: [&str; 7] = ["lo", "low", "left", "l", "first", "start", "begin"];
const LAST: [&str; 6] = ["hi", "high", "right", "r", "last", "end"];

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
    use super::*;

    fn prototype(parameters: &[(&str, Type)]) -> Prototype {
        let parameter = |(name, ty): &(&str, Type)| Parameter { name: name.to_string(), ty: ty.clone() };
        Prototype { parameters: parameters.iter().map(parameter).collect() }
    }

    fn arguments(parameters: &[(&str, Type)]) -> String {
        match prototype(parameters).arguments() {
            Ok(arguments) => arguments.join(", "),
            Err(refused) => refused.to_string(),
        }
    }

    fn number(kind: Kind) -> Type {
        Type::Number { kind, is_size: false, is_char: false }
    }

    fn pointer(to: Type) -> Type {
        Type::Pointer(Box::new(to))
    }

    #[test]
    fn lengths_are_known_by_their_type_or_name() {
        let int = || number(Kind::I32);
        let size = || Type::Number { kind: Kind::U32, is_size: true, is_char: false };
        let char = || Type::Number { kind: Kind::I8, is_size: false, is_char: true };
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
        assert_eq!(arguments(&[("text", pointer(char())), ("len", int())]), "u8[n], n");
        assert_eq!(arguments(&[("data", pointer(Type::Void)), ("bytes", size())]), "u8[n], n");
        assert_eq!(arguments(&[("x", number(Kind::F64)), ("flag", number(Kind::Bool))]), "f64, bool");
        assert_eq!(arguments(&[("a", pointer(int())), ("size", number(Kind::U8))]), "i32[n], u8");
        assert!(is_length("nelems") && is_length("text_len") && is_length("n1") && !is_length("needle"));
    }

    #[test]
    fn what_cannot_be_passed_is_named() {
        let object = Type::Reference(Box::new(Type::Other("std::vector<int>".to_string())));
        let refused = arguments(&[("x", number(Kind::I32)), ("v", object.clone())]);
        assert!(refused.starts_with("its parameter 2 `v` is `std::vector<int> &`; bytes of input are no such object"));
        assert!(prototype(&[("v", object)]).library_object().is_some());
        let node = pointer(Type::Other("node".to_string()));
        assert!(arguments(&[("", node.clone())]).starts_with("its parameter 1 is `node *`; what it should point to"));
        assert!(prototype(&[("list", node)]).library_object().is_none());
        assert!(arguments(&[("f", pointer(Type::Other("function".to_string())))]).contains("`function *`"));
    }
}
