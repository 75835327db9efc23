//! Lengths and ranges evaluated for one size, and variables numbered.
//!
//! Everything is numbered before the program starts; variables that it asks for while it runs come after those of the
//! plan, in the order of the calls. Records are numbered by column: all first fields, then all second ones, so that a
//! group is always neighbours of one type and range, and whatever changes rows changes columns.

use std::collections::BTreeMap;

use super::expression::Expression;
use super::signature::{Bound, Field, FieldType, Piece, Range};
use super::structure::numbers;
use super::{Bounds, Column, Group, InputPlan, Kind, MAX_VARIABLES, Shape, Structure, SyntaxError};

/// Evaluation for one size; numbers variables as it goes.
pub struct Layout<'a> {
    text: &'a str,
    size: Option<u64>,
    sizes: &'a BTreeMap<String, u64>,
    /// The number of the next variable.
    pub next: u32,
}

impl<'a> Layout<'a> {
    /// For a text, after what the plan has already.
    pub fn new(text: &'a str, plan: &'a InputPlan) -> Layout<'a> {
        Layout { text, size: plan.size, sizes: &plan.sizes, next: plan.variables }
    }

    /// A mistake at a column.
    pub fn error(&self, column: usize, message: impl Into<String>) -> SyntaxError {
        SyntaxError { text: self.text.to_string(), column, message: message.into() }
    }

    /// The value of an expression.
    pub fn evaluate(&self, expression: &Expression) -> Result<i128, SyntaxError> {
        expression.evaluate(self.size, self.sizes).map_err(|(column, message)| self.error(column, message))
    }

    /// Number of elements; at most [`MAX_VARIABLES`].
    pub fn count(&self, length: &Expression, of: &str) -> Result<u32, SyntaxError> {
        let value = self.evaluate(length)?;
        if value < 0 {
            return Err(self.error(length.column, format!("the length is {value}; it cannot be negative")));
        }
        if value > i128::from(MAX_VARIABLES) {
            let message = format!("{value} elements of {of} are more than the {MAX_VARIABLES} allowed");
            return Err(self.error(length.column, message));
        }
        Ok(value as u32)
    }

    /// The next variables: so many of a kind and a range.
    pub fn group(
        &mut self,
        kind: Kind,
        count: u32,
        range: &Option<Range>,
        column: usize,
    ) -> Result<Group, SyntaxError> {
        let ranges = match range {
            Some(range) => self.ranges(kind, range)?,
            None if kind == Kind::Bool => vec![Bounds::Unsigned { low: 0, high: 1 }],
            None => Vec::new(),
        };
        let first = self.next;
        if u64::from(first) + u64::from(count) > MAX_VARIABLES {
            return Err(self.error(column, format!("more than {MAX_VARIABLES} input variables in all")));
        }
        self.next += count;
        Ok(limited(Group::new(first, count, kind), ranges))
    }

    /// The allowed values in order, without overlaps.
    fn ranges(&self, kind: Kind, range: &Range) -> Result<Vec<Bounds>, SyntaxError> {
        let mut pieces = Vec::new();
        for piece in &range.pieces {
            pieces.push(if kind.is_float() { self.float_bounds(kind, piece)? } else { self.bounds(kind, piece)? });
        }
        let (low, high) = (|bounds: &Bounds| ends(bounds).0, |bounds: &Bounds| ends(bounds).1);
        pieces.sort_by(|one, other| low(one).total_cmp(&low(other)));
        let mut joined: Vec<Bounds> = Vec::new();
        for piece in pieces {
            match joined.last_mut() {
                Some(last) if high(last).touches(low(&piece), kind) => {
                    if high(last).total_cmp(&high(&piece)).is_lt() {
                        *last = last.up_to(piece);
                    }
                }
                _ => joined.push(piece),
            }
        }
        Ok(joined)
    }

    fn bounds(&self, kind: Kind, piece: &Piece) -> Result<Bounds, SyntaxError> {
        let whole = |bound: &Bound| match bound {
            Bound::Whole(expression) => self.evaluate(expression),
            Bound::Decimal(value) => {
                Err(self.error(piece.column, format!("{value} is not a whole number, as {kind} requires")))
            }
        };
        let low = whole(&piece.low)?;
        let mut high = piece.high.as_ref().map_or(Ok(low), &whole)?;
        if piece.excludes_high {
            high -= 1;
        }
        if low > high {
            return Err(self.error(piece.column, "no value lies in this range"));
        }
        let (least, most) = kind.limits();
        if low < least || high > most {
            let written = if low == high { low.to_string() } else { format!("{low}..={high}") };
            let message = format!("{written} goes beyond {kind}, whose values are {least}..={most}");
            return Err(self.error(piece.column, message));
        }
        Ok(if kind.is_signed() {
            Bounds::Signed { low: low as i64, high: high as i64 }
        } else {
            Bounds::Unsigned { low: low as u64, high: high as u64 }
        })
    }

    fn float_bounds(&self, kind: Kind, piece: &Piece) -> Result<Bounds, SyntaxError> {
        let value = |bound: &Bound| match bound {
            Bound::Whole(expression) => self.evaluate(expression).map(|value| value as f64),
            Bound::Decimal(value) => Ok(*value),
        };
        let mut low = value(&piece.low)?;
        let mut high = piece.high.as_ref().map_or(Ok(low), &value)?;
        let open = piece.excludes_high;
        if kind == Kind::F32 && piece.high.is_none() {
            // A single value is the nearest one that there is.
            (low, high) = (f64::from(low as f32), f64::from(high as f32));
        } else if kind == Kind::F32 {
            // Round inwards, so that every f32 in the range is in the range that was written.
            let (l, h) = (low as f32, high as f32);
            low = f64::from(if f64::from(l) < low { l.next_up() } else { l });
            high = f64::from(if f64::from(h) > high || (open && f64::from(h) == high) { h.next_down() } else { h });
        } else if open {
            high = high.next_down();
        }
        if low > high || !low.is_finite() || !high.is_finite() {
            return Err(self.error(piece.column, "no finite value lies in this range"));
        }
        Ok(Bounds::Float { low, high })
    }

    /// A byte of a C string is never NUL.
    pub(crate) fn without_zero(&self, group: Group, range: &Option<Range>) -> Result<Group, SyntaxError> {
        let ranges = match group.ranges() {
            None => vec![Bounds::Unsigned { low: 1, high: 255 }],
            Some(ranges) => ranges.to_vec(),
        };
        let ranges = ranges.into_iter().filter_map(|range| match range {
            Bounds::Unsigned { low: 0, high: 0 } => None,
            Bounds::Unsigned { low, high } => Some(Bounds::Unsigned { low: low.max(1), high }),
            other => Some(other),
        });
        let ranges: Vec<Bounds> = ranges.collect();
        if ranges.is_empty() {
            let column = range.as_ref().map_or(0, |range| range.column);
            return Err(self.error(column, "a string has no byte 0 before its end, so no value lies in this range"));
        }
        Ok(limited(group, ranges))
    }

    /// Lays a structure out. `is_input` says whether its numbers are variables.
    pub(crate) fn structure(&mut self, of: &Field, is_input: bool) -> Result<Structure, SyntaxError> {
        let mut columns = Vec::new();
        let (shape, bytes, _) = self.place(of, 0, &mut Vec::new(), is_input, &mut columns)?;
        if bytes > MAX_VARIABLES * 8 {
            let message = format!("{bytes} bytes are more than the {} allowed", MAX_VARIABLES * 8);
            return Err(self.error(of.column, message));
        }
        let used: u64 = columns.iter().map(|column: &Column| column.count() * column.kind.bytes()).sum();
        Ok(Structure { shape, padded: used < bytes, columns, bytes })
    }

    /// Puts a field at an offset. Returns its shape, its size and its alignment.
    fn place(
        &mut self,
        field: &Field,
        offset: u64,
        repeated: &mut Vec<(u32, u64)>,
        is_input: bool,
        columns: &mut Vec<Column>,
    ) -> Result<(Shape, u64, u64), SyntaxError> {
        let depth = repeated.len();
        let mut counts = Vec::new();
        for length in &field.lengths {
            counts.push(self.count(length, "this kind")?);
        }
        let (size, alignment) = self.size(&field.of)?;
        // The last index moves fastest.
        let times = |counts: &[u32]| counts.iter().fold(size, |bytes, &count| bytes.saturating_mul(count.into()));
        let bytes = times(&counts);
        for (at, &count) in counts.iter().enumerate() {
            repeated.push((count, times(&counts[at + 1..])));
        }
        let mut shape = match &field.of {
            FieldType::Number(kind, range) => {
                let count = numbers(repeated);
                if count > MAX_VARIABLES {
                    let what = if is_input { "input variables in all" } else { "elements" };
                    return Err(self.error(field.column, format!("more than {MAX_VARIABLES} {what}")));
                }
                let group = match is_input {
                    true => {
                        let row = u32::try_from(numbers(repeated.get(1..).unwrap_or_default())).unwrap_or(u32::MAX);
                        Some(Group { row, ..self.group(*kind, count as u32, range, field.column)? })
                    }
                    false => None,
                };
                columns.push(Column { kind: *kind, offset, repeated: repeated.clone(), group });
                Shape::Number(columns.len() - 1)
            }
            FieldType::Record(fields) => {
                let mut at = 0u64;
                let mut shapes = Vec::new();
                for inner in fields {
                    let (_, alignment) = self.size_with_lengths(inner)?;
                    at = at.next_multiple_of(alignment);
                    let (shape, size, _) = self.place(inner, offset + at, repeated, is_input, columns)?;
                    at = at.saturating_add(size);
                    shapes.push(shape);
                }
                Shape::Record(shapes)
            }
        };
        for &count in counts.iter().rev() {
            shape = Shape::Array(count, Box::new(shape));
        }
        repeated.truncate(depth);
        Ok((shape, bytes, alignment))
    }

    /// Bytes and alignment of one element.
    fn size(&self, of: &FieldType) -> Result<(u64, u64), SyntaxError> {
        match of {
            FieldType::Number(kind, _) => Ok((kind.bytes(), kind.bytes())),
            FieldType::Record(fields) => {
                let (mut bytes, mut most) = (0u64, 1);
                for field in fields {
                    let (size, alignment) = self.size_with_lengths(field)?;
                    bytes = bytes.next_multiple_of(alignment).saturating_add(size).min(u64::MAX / 2);
                    most = most.max(alignment);
                }
                Ok((bytes.next_multiple_of(most), most))
            }
        }
    }

    fn size_with_lengths(&self, field: &Field) -> Result<(u64, u64), SyntaxError> {
        let (mut bytes, alignment) = self.size(&field.of)?;
        for length in &field.lengths {
            bytes = bytes.saturating_mul(self.count(length, "this kind")?.into()).min(u64::MAX / 4);
        }
        Ok((bytes, alignment))
    }
}

/// The group with these ranges, which are in order and do not touch.
fn limited(group: Group, ranges: Vec<Bounds>) -> Group {
    let bounds = ranges.first().zip(ranges.last()).map(|(first, last)| first.up_to(*last));
    let pieces = (ranges.len() > 1).then(|| ranges.into());
    Group { bounds, pieces, ..group }
}

/// An end of a range, to compare.
#[derive(Clone, Copy)]
enum End {
    Whole(i128),
    Float(f64),
}

impl End {
    fn total_cmp(&self, other: &End) -> std::cmp::Ordering {
        match (self, other) {
            (End::Whole(one), End::Whole(other)) => one.cmp(other),
            (End::Float(one), End::Float(other)) => one.partial_cmp(other).unwrap_or(std::cmp::Ordering::Equal),
            _ => std::cmp::Ordering::Equal,
        }
    }

    /// Whether there is nothing between this end of a range and the beginning of the next one.
    fn touches(self, next: End, kind: Kind) -> bool {
        match (self, next) {
            (End::Whole(end), End::Whole(next)) => next <= end + 1,
            (End::Float(end), End::Float(next)) if kind == Kind::F32 => next as f32 <= (end as f32).next_up(),
            (End::Float(end), End::Float(next)) => next <= end.next_up(),
            _ => false,
        }
    }
}

fn ends(bounds: &Bounds) -> (End, End) {
    match *bounds {
        Bounds::Signed { low, high } => (End::Whole(low.into()), End::Whole(high.into())),
        Bounds::Unsigned { low, high } => (End::Whole(low.into()), End::Whole(high.into())),
        Bounds::Float { low, high } => (End::Float(low), End::Float(high)),
    }
}
