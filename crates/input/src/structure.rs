//! Memory that is not one row of numbers: records, arrays of them, arrays of arrays.
//!
//! Variables are numbered by column: all first fields of an array of records, then all second ones. So a group is what it
//! is elsewhere, neighbours of one type and one range, and everything that draws, changes, stretches or shortens rows of
//! equal variables does so with the columns of records.

use pessimum_term::Witness;
use serde_json::Value;

use super::{Group, Kind};
use pessimum_term::VariableId;

/// How a structure is nested.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// The next number of this column.
    Number(usize),
    /// So many of these, one after the other.
    Array(u32, Box<Shape>),
    /// These fields.
    Record(Vec<Shape>),
}

/// The numbers that stand in one place of a structure, in all its records.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Their type.
    pub kind: Kind,
    /// Byte of the first one, from the start of the structure.
    pub offset: u64,
    /// How often it is repeated and after how many bytes, outermost first.
    pub repeated: Vec<(u32, u64)>,
    /// The variables; none if the structure is not input.
    pub group: Option<Group>,
}

impl Column {
    /// How many numbers it has.
    pub fn count(&self) -> u64 {
        numbers(&self.repeated)
    }

    /// Where its numbers are, in bytes from the start of the structure.
    pub fn offsets(&self) -> impl Iterator<Item = u64> + '_ {
        (0..self.count()).map(|mut number| {
            let mut offset = self.offset;
            for &(count, stride) in self.repeated.iter().rev() {
                offset += number % u64::from(count) * stride;
                number /= u64::from(count);
            }
            offset
        })
    }
}

/// How many numbers there are in arrays of arrays. None if one of them is empty, however large the others are.
pub(super) fn numbers(repeated: &[(u32, u64)]) -> u64 {
    repeated.iter().fold(1, |numbers: u64, &(count, _)| numbers.saturating_mul(count.into()))
}

/// Records, arrays of them, or arrays of arrays, as C lays them out in 32-bit WebAssembly.
#[derive(Clone, Debug, PartialEq)]
pub struct Structure {
    /// How its numbers are nested.
    pub shape: Shape,
    /// Its numbers by place.
    pub columns: Vec<Column>,
    /// Bytes of all of it.
    pub bytes: u64,
    /// Whether some of these bytes belong to no number.
    pub padded: bool,
}

impl Structure {
    /// Whether it is filled with input; otherwise with zeros.
    pub fn is_input(&self) -> bool {
        self.columns.iter().any(|column| column.group.is_some())
    }

    /// The place of a variable in the nested lists, as in `[3][0]`; none if it is not in this structure.
    pub fn place_of(&self, variable: VariableId) -> Option<String> {
        let has = |group: &Group| (group.first..group.first + group.count).contains(&variable.0);
        let column = self.columns.iter().position(|column| column.group.as_ref().is_some_and(has))?;
        let first = self.columns[column].group.as_ref()?.first;
        self.shape.path_to(column, u64::from(variable.0 - first), &self.columns[column])
    }

    /// Its bytes under a witness.
    pub fn image(&self, witness: &Witness) -> Vec<u8> {
        let mut bytes = vec![0; self.bytes as usize];
        for column in &self.columns {
            let Some(group) = &column.group else { continue };
            for (offset, variable) in column.offsets().zip(group.variables()) {
                let count = column.kind.bytes() as usize;
                bytes[offset as usize..][..count].copy_from_slice(&witness.get(variable).to_le_bytes()[..count]);
            }
        }
        bytes
    }

    /// The numbers as nested lists; `number` is asked for them by column and position in it.
    pub fn nested(&self, number: &mut dyn FnMut(usize, usize) -> Value) -> Value {
        self.nested_texts(&mut |column, at, count| match count {
            None => number(column, at),
            Some(count) => (at..at + count).map(|at| number(column, at)).collect(),
        })
    }

    /// The same, where the characters of a text are asked for at once: so many from the position on.
    pub fn nested_texts(&self, number: &mut dyn FnMut(usize, usize, Option<usize>) -> Value) -> Value {
        self.walk(&self.shape, &mut vec![0; self.columns.len()], number)
    }

    /// Whether a row of these is a text.
    fn is_text(&self, of: &Shape) -> bool {
        matches!(of, Shape::Number(column) if self.columns[*column].group.as_ref().is_some_and(|group| group.characters))
    }

    fn walk(
        &self,
        shape: &Shape,
        next: &mut [usize],
        number: &mut dyn FnMut(usize, usize, Option<usize>) -> Value,
    ) -> Value {
        match shape {
            Shape::Number(column) => {
                next[*column] += 1;
                number(*column, next[*column] - 1, None)
            }
            Shape::Array(count, of) if self.is_text(of) => {
                let Shape::Number(column) = **of else { return Value::Null };
                next[column] += *count as usize;
                number(column, next[column] - *count as usize, Some(*count as usize))
            }
            Shape::Array(count, of) => (0..*count).map(|_| self.walk(of, next, number)).collect(),
            Shape::Record(fields) => fields.iter().map(|field| self.walk(field, next, number)).collect(),
        }
    }
}

impl Shape {
    /// The indices that lead to the number with this position in a column.
    fn path_to(&self, column: usize, position: u64, of: &Column) -> Option<String> {
        let mut rest: Vec<u64> = Vec::new();
        let mut position = position;
        for &(count, _) in of.repeated.iter().rev() {
            rest.push(position % u64::from(count));
            position /= u64::from(count);
        }
        self.descend(column, &mut rest)
    }

    fn descend(&self, column: usize, indices: &mut Vec<u64>) -> Option<String> {
        match self {
            Shape::Number(number) => (*number == column).then(String::new),
            Shape::Array(_, of) => {
                let index = indices.pop()?;
                let found = of.descend(column, indices).map(|rest| format!("[{index}]{rest}"));
                if found.is_none() {
                    indices.push(index);
                }
                found
            }
            Shape::Record(fields) => fields
                .iter()
                .enumerate()
                .find_map(|(index, field)| Some(format!("[{index}]{}", field.descend(column, indices)?))),
        }
    }

    /// What a list in its place would be, for messages.
    pub(super) fn describe(&self) -> String {
        match self {
            Shape::Number(_) => "a number".to_string(),
            Shape::Array(count, of) if matches!(**of, Shape::Number(_)) => format!("a list of {count} numbers"),
            Shape::Array(count, _) => format!("a list of {count} lists"),
            Shape::Record(fields) => format!("a list of the {} fields of a record", fields.len()),
        }
    }
}
