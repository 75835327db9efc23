//! What the input of a subject consists of: the signature language of `--call`, the numbering of input variables,
//! and the JSON form of an input.
//!
//! Text is parsed once ([`Signature`], [`Length`]) and laid out for one size ([`InputPlan`]). After that only
//! numbered variables remain: the machine and the solver never see the names of types.

mod declaration;
mod domain;
mod expression;
mod input;
mod layout;
pub mod shrink;
mod signature;
mod structure;
mod utf8;

/// The parts of the language of calls that other front ends share: expressions over sizes, ranges, numbered variables.
pub mod language {
    pub use crate::expression::{Cursor, Dialect, Expression, Token};
    pub use crate::layout::Layout;
    pub use crate::signature::{Bound, Piece, Range, length, lengths, range, range_sizes};
}

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

pub use declaration::{Declaration, LaidOut, Result as DeclaredResult};
pub use domain::{Domain, Phrase, codes};
pub use input::{GuestValue, InputError, Number};
pub use signature::{Handle, Length, Signature};
pub use structure::{Column, Shape, Structure};
pub use utf8::Rule;

use pessimum_term::{VariableId, Witness};

/// One input may have at most this many variables. Each costs a term, a witness entry and a line in the report, and a
/// larger number is more likely a typo in the size than intended.
pub const MAX_VARIABLES: u64 = 1 << 24;

/// Type of a scalar or of an element of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Kind {
    Bool,
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

impl Kind {
    /// All kinds, in the order in which messages list them.
    pub const ALL: [Kind; 11] = [
        Kind::I32,
        Kind::I64,
        Kind::F32,
        Kind::F64,
        Kind::Bool,
        Kind::I8,
        Kind::U8,
        Kind::I16,
        Kind::U16,
        Kind::U32,
        Kind::U64,
    ];

    /// Its name in the signature language.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Bool => "bool",
            Kind::I8 => "i8",
            Kind::U8 => "u8",
            Kind::I16 => "i16",
            Kind::U16 => "u16",
            Kind::I32 => "i32",
            Kind::U32 => "u32",
            Kind::I64 => "i64",
            Kind::U64 => "u64",
            Kind::F32 => "f32",
            Kind::F64 => "f64",
        }
    }

    /// Bits of the variable and of an element in memory: 8, 16, 32 or 64.
    pub fn width(self) -> u32 {
        match self {
            Kind::Bool | Kind::I8 | Kind::U8 => 8,
            Kind::I16 | Kind::U16 => 16,
            Kind::I32 | Kind::U32 | Kind::F32 => 32,
            Kind::I64 | Kind::U64 | Kind::F64 => 64,
        }
    }

    /// Bytes of an element in memory.
    pub fn bytes(self) -> u64 {
        u64::from(self.width() / 8)
    }

    /// Whether a narrow value is sign-extended to its parameter, and how a report prints it.
    pub fn is_signed(self) -> bool {
        matches!(self, Kind::I8 | Kind::I16 | Kind::I32 | Kind::I64)
    }

    /// Whether the bits are an IEEE 754 number.
    pub fn is_float(self) -> bool {
        matches!(self, Kind::F32 | Kind::F64)
    }

    /// Smallest and largest integer; meaningless for floats.
    fn limits(self) -> (i128, i128) {
        match self {
            Kind::Bool => (0, 1),
            kind if kind.is_signed() => (-(1 << (kind.width() - 1)), (1 << (kind.width() - 1)) - 1),
            kind => (0, (1 << kind.width()) - 1),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The values allowed for a variable, both ends included.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Bounds {
    /// For signed kinds; compared after sign extension.
    Signed { low: i64, high: i64 },
    /// For unsigned kinds.
    Unsigned { low: u64, high: u64 },
    /// For floats; excludes NaN. For `f32` both ends are exact in `f32`.
    Float { low: f64, high: f64 },
}

impl Bounds {
    fn allow(&self, kind: Kind, bits: u64) -> bool {
        match *self {
            Bounds::Signed { low, high } => (low..=high).contains(&sign_extend(bits, kind.width())),
            Bounds::Unsigned { low, high } => (low..=high).contains(&bits),
            Bounds::Float { low, high } => (low..=high).contains(&float_value(kind, bits)),
        }
    }

    /// The value nearest to zero, and how far it is.
    fn nearest_to_zero(&self, kind: Kind) -> (u64, f64) {
        match *self {
            Bounds::Signed { low, high } => {
                let value = 0.clamp(low, high);
                (truncate(value as u64, kind.width()), value.unsigned_abs() as f64)
            }
            Bounds::Unsigned { low, .. } => (low, low as f64),
            Bounds::Float { low, high } => {
                let value = 0f64.clamp(low, high);
                (float_bits(kind, value), value.abs())
            }
        }
    }

    /// Least and greatest value, as bit patterns.
    pub fn ends(&self, kind: Kind) -> (u64, u64) {
        match *self {
            Bounds::Signed { low, high } => (truncate(low as u64, kind.width()), truncate(high as u64, kind.width())),
            Bounds::Unsigned { low, high } => (low, high),
            Bounds::Float { low, high } => (float_bits(kind, low), float_bits(kind, high)),
        }
    }

    /// From the least value of this one to the greatest of another one of the same kind.
    fn up_to(self, other: Bounds) -> Bounds {
        match (self, other) {
            (Bounds::Signed { low, .. }, Bounds::Signed { high, .. }) => Bounds::Signed { low, high },
            (Bounds::Unsigned { low, .. }, Bounds::Unsigned { high, .. }) => Bounds::Unsigned { low, high },
            (Bounds::Float { low, .. }, Bounds::Float { high, .. }) => Bounds::Float { low, high },
            (one, _) => one,
        }
    }
}

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bounds::Signed { low, high } if low == high => write!(f, "{low}"),
            Bounds::Unsigned { low, high } if low == high => write!(f, "{low}"),
            Bounds::Float { low, high } if low == high => write!(f, "{low}"),
            Bounds::Signed { low, high } => write!(f, "{low}..={high}"),
            Bounds::Unsigned { low, high } => write!(f, "{low}..={high}"),
            Bounds::Float { low, high } => write!(f, "{low}..={high}"),
        }
    }
}

/// Consecutive variables of one kind and one range.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// Number of the first variable.
    pub first: u32,
    /// The number of variables.
    pub count: u32,
    /// Their type.
    pub kind: Kind,
    /// The values that they may have; `None` if every bit pattern of the width is allowed.
    pub bounds: Option<Bounds>,
    /// The parts of the bounds that are allowed, in order, where there are gaps between them; `None` if there are none.
    pub pieces: Option<Arc<[Bounds]>>,
    /// How many neighbours belong together: those of one row of an array of arrays, or of one record; 1 elsewhere.
    pub row: u32,
    /// Whether the bytes are UTF-8 together.
    pub utf8: bool,
    /// Whether each number is the code point of a character, so that a row of them is shown as a text.
    pub characters: bool,
    /// Whether bytes in a record are those of a text, so that letters read better than small numbers.
    pub text: bool,
}

impl Group {
    /// Variables of any value.
    pub fn new(first: u32, count: u32, kind: Kind) -> Group {
        Group { first, count, kind, bounds: None, pieces: None, row: 1, utf8: false, characters: false, text: false }
    }

    /// The variables, in order.
    pub fn variables(&self) -> impl Iterator<Item = VariableId> + use<> {
        (self.first..self.first + self.count).map(VariableId)
    }

    /// The allowed values as ranges, in order; `None` if every bit pattern is allowed.
    pub fn ranges(&self) -> Option<&[Bounds]> {
        self.pieces.as_deref().or(self.bounds.as_slice().first().map(std::slice::from_ref))
    }

    /// The allowed value nearest to zero, which a variable has unless an input gives another.
    pub fn default_bits(&self) -> u64 {
        let nearest = self.ranges().into_iter().flatten().map(|range| range.nearest_to_zero(self.kind));
        nearest.min_by(|one, other| one.1.total_cmp(&other.1)).map_or(0, |(bits, _)| bits)
    }

    /// Whether these bits are within the bounds.
    pub fn allows(&self, bits: u64) -> bool {
        self.ranges().is_none_or(|ranges| ranges.iter().any(|range| range.allow(self.kind, bits)))
    }

    /// Whether these are bytes that make up a text, in UTF-8 or otherwise.
    pub fn is_bytes(&self) -> bool {
        matches!(self.kind, Kind::U8 | Kind::I8)
    }

    /// The allowed values in words.
    pub fn range_text(&self) -> String {
        match self.ranges() {
            None => format!("any {}", self.kind),
            Some(ranges) => ranges.iter().map(Bounds::to_string).collect::<Vec<String>>().join(" | "),
        }
    }
}

/// One argument of the call, laid out for one size.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// One variable, passed by value (narrow ones extended to `i32`).
    Scalar(Group),
    /// Pointer to a fresh buffer of these elements.
    Buffer(Group),
    /// Pointer to these bytes and a NUL.
    Text(Group),
    /// Pointer to a fresh zeroed buffer.
    Zeroed {
        /// Type of an element.
        kind: Kind,
        /// Number of elements.
        count: u32,
    },
    /// Pointer to a fresh buffer of records, of arrays, or of both.
    Structure(Structure),
    /// Pointer to these bytes, which are no input, and a NUL.
    Constant(Arc<[u8]>),
    /// Pointer to the function with this name: its index in the table.
    Function(Arc<str>),
    /// What the call with this index, an earlier one of the same sequence, returned.
    Returned(usize),
    /// A concrete integer.
    Integer(i128),
    /// A concrete number with a fraction; the parameter must be a float.
    Float(f64),
}

impl Argument {
    /// Its groups of variables, in the order of their numbers.
    pub fn groups(&self) -> impl Iterator<Item = &Group> {
        let (one, columns): (Option<&Group>, &[Column]) = match self {
            Argument::Scalar(group) | Argument::Buffer(group) | Argument::Text(group) => (Some(group), &[]),
            Argument::Structure(structure) => (None, &structure.columns),
            Argument::Zeroed { .. }
            | Argument::Constant(_)
            | Argument::Function(_)
            | Argument::Returned(_)
            | Argument::Integer(_)
            | Argument::Float(_) => (None, &[]),
        };
        one.into_iter().chain(columns.iter().filter_map(|column| column.group.as_ref()))
    }

    /// The same, to be changed.
    pub fn groups_mut(&mut self) -> impl Iterator<Item = &mut Group> {
        let (one, columns): (Option<&mut Group>, &mut [Column]) = match self {
            Argument::Scalar(group) | Argument::Buffer(group) | Argument::Text(group) => (Some(group), &mut []),
            Argument::Structure(structure) => (None, &mut structure.columns),
            Argument::Zeroed { .. }
            | Argument::Constant(_)
            | Argument::Function(_)
            | Argument::Returned(_)
            | Argument::Integer(_)
            | Argument::Float(_) => (None, &mut []),
        };
        one.into_iter().chain(columns.iter_mut().filter_map(|column| column.group.as_mut()))
    }
}

/// Bytes that the subject finds in a file or in an argument of its command line.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Input variables of 8 bits.
    Input(Group),
    /// Given bytes.
    Fixed(Arc<[u8]>),
}

/// All input that is known before the subject starts. Variables are numbered in the order of the fields; what the
/// program asks for while running (imports of module `pessimum`) is numbered after them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InputPlan {
    /// `n`, if given.
    pub size: Option<u64>,
    /// Other sizes, by name.
    pub sizes: BTreeMap<String, u64>,
    /// Arguments of the called function.
    pub arguments: Vec<Argument>,
    /// Bytes on standard input.
    pub stdin: Option<Group>,
    /// The command line after the program's name.
    pub command_line: Vec<Content>,
    /// Files by name, in the order given.
    pub files: Vec<(String, Content)>,
    /// Number of variables in the fields above.
    pub variables: u32,
}

impl InputPlan {
    /// An input without any variable yet, for this `n`.
    pub fn new(size: Option<u64>) -> InputPlan {
        InputPlan { size, ..InputPlan::default() }
    }

    /// How many numbers the input has, not counting what a program asks for while it runs.
    pub fn variables(&self) -> usize {
        self.groups().map(|group| group.count as usize).sum()
    }

    /// Groups of variables, in the order of their numbers.
    pub fn groups(&self) -> impl Iterator<Item = &Group> {
        let arguments = self.arguments.iter().flat_map(Argument::groups);
        let contents = self.command_line.iter().chain(self.files.iter().map(|(_, content)| content));
        let contents = contents.filter_map(|content| match content {
            Content::Input(group) => Some(group),
            Content::Fixed(_) => None,
        });
        arguments.chain(&self.stdin).chain(contents)
    }

    /// The input in which every variable has its default.
    pub fn default_witness(&self) -> Witness {
        let groups = self.groups();
        Witness::new(groups.flat_map(|group| vec![group.default_bits(); group.count as usize]).collect())
    }
}

/// A mistake in the text of a call or a length, with the place where it was found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}\n  {text}\n  {:>width$}", "^", width = column + 1)]
pub struct SyntaxError {
    /// The whole text.
    pub text: String,
    /// Character position of the mistake, from 0.
    pub column: usize,
    /// What is wrong and what would be right.
    pub message: String,
}

/// The lowest bits of a number.
pub fn truncate(bits: u64, width: u32) -> u64 {
    bits & (u64::MAX >> (64 - width))
}

/// A number of this width with its sign.
pub fn sign_extend(bits: u64, width: u32) -> i64 {
    ((bits << (64 - width)) as i64) >> (64 - width)
}

/// The bit pattern of a number in this kind of float.
pub fn float_bits(kind: Kind, value: f64) -> u64 {
    match kind {
        Kind::F32 => u64::from((value as f32).to_bits()),
        _ => value.to_bits(),
    }
}

/// The number that a bit pattern of this kind of float stands for.
pub fn float_value(kind: Kind, bits: u64) -> f64 {
    match kind {
        Kind::F32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    }
}
