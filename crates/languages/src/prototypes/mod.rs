//! The parameters of functions as their authors declared them, from DWARF, and the call that follows from them.
//!
//! WebAssembly knows four types of numbers; that a number is the address of an array, and another one its length, is only
//! written in the source. What cannot be told for certain is guessed from names, as a reader would: the guess is shown,
//! and can be written differently in `--call`.

mod calls;
mod doubts;
mod read;

use std::collections::BTreeMap;
use std::fmt;

pub use calls::{Room, is_fixed};
pub use doubts::Doubt;

use pessimum_input::Kind;
use pessimum_wasm::Module;

/// A function's declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prototype {
    /// As its author would write it outside of every class and namespace: `text::count_words`.
    pub path: String,
    /// Its name for the linker.
    pub symbol: String,
    /// The file that it is declared in, as the compiler names it; empty where that is not known.
    pub file: String,
    /// The line there; 0 where that is not known.
    pub line: u64,
    /// What it belongs to.
    pub member: Member,
    /// Whether other files may call it: not `static`, and not a private member.
    pub is_public: bool,
    /// Whether the module has code of its own for it.
    pub is_defined: bool,
    /// The parameters, in order; the object of a method is the first.
    pub parameters: Vec<Parameter>,
    /// What it returns.
    pub result: Type,
}

/// What a function belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Member {
    /// Nothing but namespaces.
    Free,
    /// A class, but it is called without an object.
    Static,
    /// A class of this name, with an object.
    Method(String),
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
    /// A number; `is_size` where its author calls it `size_t` or the like, `is_char` for plain characters. The name is
    /// that of the basic type.
    #[allow(missing_docs)]
    Number { kind: Kind, is_size: bool, is_char: bool, name: String },
    /// One of several named numbers.
    #[allow(missing_docs)]
    Enumeration { name: String, kind: Kind, values: Vec<i128> },
    /// The address of one value or of several.
    Pointer(Box<Type>),
    /// A C++ reference: the address of one value.
    Reference(Box<Type>),
    /// A C++ reference to a value that may be taken over.
    Moved(Box<Type>),
    /// What may not be changed.
    Const(Box<Type>),
    /// Values side by side; the number of them may be unknown.
    Array(Box<Type>, Option<u64>),
    /// A structure, or a class of the author's.
    Record(Record),
    /// A class of C++'s library with its arguments: `std::vector` of `int`.
    Template(String, Vec<TemplateArgument>),
    /// A function with these parameters, and what it returns.
    Function(Vec<Type>, Box<Type>),
    /// What only an untyped pointer points to.
    Void,
    /// Anything else, by its name in the source.
    Other(String),
}

/// What is written between `<` and `>`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum TemplateArgument {
    Type(Type),
    Value(u64),
}

/// A structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// With its namespaces; empty if it has none.
    pub name: String,
    /// In bytes.
    pub size: u64,
    /// Its members in memory, in order.
    pub fields: Vec<Field>,
    /// Whether it is derived from another class, so that there is more in it than its fields.
    pub is_derived: bool,
}

/// A member of a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Empty if it has none.
    pub name: String,
    /// What it holds.
    pub ty: Type,
    /// Where it is, in bytes from the start of the structure; `None` for some bits of a number.
    pub offset: Option<u64>,
    /// Whether others may use it.
    pub is_public: bool,
}

/// A class of C++'s library that can be made from input, by what it consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Library<'a> {
    /// `std::string`, and its relatives of other characters.
    Text(&'a Type),
    /// `std::string_view`, `std::span`: memory of others.
    View(&'a Type),
    /// `std::vector`, `std::deque`, `std::list`, sets.
    Sequence(&'a Type),
    /// Maps.
    Map(&'a Type, &'a Type),
    /// `std::stack`, `std::queue`, `std::priority_queue`.
    Adapter(&'a Type),
    /// `std::pair`, `std::tuple`.
    Tuple(&'a [TemplateArgument]),
    /// `std::optional`.
    Optional(&'a Type),
    /// `std::array`.
    Array(&'a Type, u64),
    /// `std::istream`.
    Input,
    /// `std::ostream`.
    Output,
}

impl Type {
    /// The type itself, whether or not it may be changed.
    pub fn plain(&self) -> &Type {
        match self {
            Type::Const(of) => of.plain(),
            other => other,
        }
    }

    /// Whether it may not be changed.
    pub fn is_const(&self) -> bool {
        matches!(self, Type::Const(_))
    }

    /// What it is in C++'s library, if input can be made into it.
    pub fn library(&self) -> Option<Library<'_>> {
        let Type::Template(name, arguments) = self.plain() else { return None };
        let ty = |at: usize| match arguments.get(at) {
            Some(TemplateArgument::Type(ty)) => Some(ty),
            _ => None,
        };
        let value = |at: usize| match arguments.get(at) {
            Some(TemplateArgument::Value(value)) => Some(*value),
            _ => None,
        };
        Some(match name.strip_prefix("std::")? {
            "basic_string" => Library::Text(ty(0)?),
            "basic_string_view" | "span" => Library::View(ty(0)?),
            "vector" | "deque" | "list" | "set" | "multiset" | "unordered_set" | "unordered_multiset" => {
                Library::Sequence(ty(0)?)
            }
            "map" | "multimap" | "unordered_map" | "unordered_multimap" => Library::Map(ty(0)?, ty(1)?),
            "stack" | "queue" | "priority_queue" => Library::Adapter(ty(0)?),
            "pair" | "tuple" => Library::Tuple(arguments),
            "optional" => Library::Optional(ty(0)?),
            "array" => Library::Array(ty(0)?, value(1)?),
            "basic_istream" if is_char(ty(0)?) => Library::Input,
            "basic_ostream" if is_char(ty(0)?) => Library::Output,
            _ => return None,
        })
    }
}

fn is_char(ty: &Type) -> bool {
    matches!(ty.plain(), Type::Number { is_char: true, .. })
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Number { name, .. } => f.write_str(name),
            Type::Enumeration { name, .. } => f.write_str(if name.is_empty() { "enum" } else { name }),
            Type::Pointer(to) => match &**to {
                Type::Function(parameters, result) => write!(f, "{result} (*)({})", listed(parameters)),
                to => write!(f, "{to} *"),
            },
            Type::Reference(to) => write!(f, "{to} &"),
            Type::Moved(to) => write!(f, "{to} &&"),
            Type::Const(of) => match &**of {
                Type::Pointer(_) => write!(f, "{of}const"),
                of => write!(f, "const {of}"),
            },
            Type::Array(of, count) => match count {
                Some(count) => write!(f, "{of}[{count}]"),
                None => write!(f, "{of}[]"),
            },
            Type::Record(record) => {
                f.write_str(if record.name.is_empty() { "an unnamed structure" } else { &record.name })
            }
            Type::Template(name, arguments) => template(f, name, arguments),
            Type::Function(parameters, result) => write!(f, "{result} ({})", listed(parameters)),
            Type::Void => f.write_str("void"),
            Type::Other(name) => f.write_str(name),
        }
    }
}

fn listed(types: &[Type]) -> String {
    types.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// A class of the library as one would write it, without the arguments that nobody gives.
fn template(f: &mut fmt::Formatter<'_>, name: &str, arguments: &[TemplateArgument]) -> fmt::Result {
    let first_is_char = matches!(arguments.first(), Some(TemplateArgument::Type(ty)) if is_char(ty));
    let short = match name {
        "std::basic_string" => Some("std::string"),
        "std::basic_string_view" => Some("std::string_view"),
        "std::basic_istream" => Some("std::istream"),
        "std::basic_ostream" => Some("std::ostream"),
        _ => None,
    };
    if let Some(short) = short.filter(|_| first_is_char) {
        return f.write_str(short);
    }
    let mut written = Vec::new();
    for argument in arguments {
        match argument {
            TemplateArgument::Value(value) if name == "std::span" && *value == u64::from(u32::MAX) => {}
            TemplateArgument::Value(value) => written.push(value.to_string()),
            TemplateArgument::Type(Type::Template(given, _)) if DEFAULTS.contains(&given.as_str()) => {}
            // What an adapter keeps its elements in.
            TemplateArgument::Type(Type::Template(..)) if ADAPTERS.contains(&name) && written.len() == 1 => {}
            TemplateArgument::Type(ty) => written.push(ty.to_string()),
        }
    }
    write!(f, "{name}<{}>", written.join(", "))
}

/// What the library chooses where its user does not.
const DEFAULTS: [&str; 6] =
    ["std::allocator", "std::char_traits", "std::default_delete", "std::less", "std::hash", "std::equal_to"];

const ADAPTERS: [&str; 3] = ["std::stack", "std::queue", "std::priority_queue"];

/// The declarations in a module's debug information, by name.
#[derive(Clone, Debug, Default)]
pub struct Prototypes {
    functions: BTreeMap<String, Prototype>,
}

impl Prototype {
    /// What tells it apart from others of the same name: `twice(int)`.
    pub fn written(&self) -> String {
        let types: Vec<Type> = self.own_parameters(true).map(|(_, parameter)| parameter.ty.clone()).collect();
        format!("{}({})", self.path, listed(&types))
    }
}

impl Prototypes {
    /// Reads the debug information of a module. Damaged parts are left out.
    pub fn of(module: &Module) -> Prototypes {
        Prototypes::read(|name| {
            let found = module.custom_sections().iter().find(|section| section.name == name);
            found.map_or(&[][..], |section| &section.data)
        })
    }

    /// Reads debug information from its sections, which are asked for by name. Damaged parts are left out.
    pub fn read<'a>(section: impl Fn(&str) -> &'a [u8]) -> Prototypes {
        Prototypes { functions: read::functions(section) }
    }

    /// The declaration of an exported function, under the name that its author gave it or that of the linker.
    pub fn get(&self, name: &str) -> Option<&Prototype> {
        self.functions.get(name)
    }

    /// Every function once, by its name for the linker.
    pub fn all(&self) -> impl Iterator<Item = &Prototype> {
        self.functions.iter().filter(|(name, prototype)| **name == prototype.symbol).map(|(_, prototype)| prototype)
    }
}
