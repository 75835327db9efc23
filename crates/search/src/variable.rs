//! An input variable and the values that it may have.
//!
//! A range with gaps keeps its hull, which is all that most code looks at, and beside it the pieces: numbers of values
//! skip the gaps, and each gap is one condition, an or of two comparisons.

use std::sync::Arc;

use crate::random::Random;
use pessimum_term::ops::{mask, signed};
use pessimum_term::{Arena, BinaryOp, TermId, VariableId};

/// One input variable known before the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its number.
    pub id: VariableId,
    /// Bits.
    pub width: u32,
    /// Whether the bounds of the range are signed numbers.
    pub signed: bool,
    /// Whether the bounds of the range are floats of this width (32 or 64); NaN is in no such range. A float without a
    /// range takes every bit pattern, and this is false.
    pub float: bool,
    /// The least value, as a bit pattern.
    pub low: u64,
    /// The greatest value, as a bit pattern.
    pub high: u64,
    /// The parts of the range that are allowed, where there are gaps in it; none if all of it is.
    pub pieces: Option<Arc<[Piece]>>,
}

/// A part of a range that has gaps. Places are counted from the least value of the range, in its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Place of its least value.
    from: u64,
    /// Place of its greatest value.
    to: u64,
    /// How many values are in the pieces before it.
    before: u64,
}

impl Variable {
    /// A variable that takes every value of its width.
    pub fn unlimited(id: VariableId, width: u32) -> Variable {
        Variable { id, width, signed: false, float: false, low: 0, high: mask(width), pieces: None }
    }

    /// The variable with only these values: the least and the greatest of each piece, as bit patterns. Pieces are in the
    /// order of the type and do not touch.
    ///
    /// # Panics
    /// If there is none.
    pub fn limited_to(self, pieces: &[(u64, u64)]) -> Variable {
        let (low, high) = (pieces[0].0, pieces[pieces.len() - 1].1);
        let whole = Variable { low, high, pieces: None, ..self };
        if pieces.len() == 1 {
            return whole;
        }
        let sign = 1 << (whole.width - 1);
        let mut before = 0;
        let pieces = pieces.iter().map(|&(low, high)| {
            // Both zeros are equal, so a piece that ends with one of them has the other, too.
            let is_zero = |value: u64| whole.float && value & !sign == 0;
            let from = whole.place(if is_zero(low) { sign } else { low });
            let to = whole.place(if is_zero(high) { 0 } else { high });
            let piece = Piece { from, to, before };
            before += to - from + 1;
            piece
        });
        let pieces: Arc<[Piece]> = pieces.collect();
        Variable { pieces: Some(pieces), ..whole }
    }

    /// Number of values, less one (so that the full 64-bit range fits).
    pub fn span(&self) -> u64 {
        if let Some(last) = self.pieces.as_deref().and_then(<[Piece]>::last) {
            return last.before + (last.to - last.from);
        }
        // Both zeros are equal, so a range that ends with one of them has the other, too.
        let sign = 1 << (self.width - 1);
        self.place(if self.float && self.high & !sign == 0 { 0 } else { self.high })
    }

    /// The number of a value in the order of the range, counted from its least value. Values that are not allowed have
    /// numbers beyond its span: without gaps they count on, and around.
    pub fn number(&self, value: u64) -> u64 {
        let place = self.place(value);
        let Some(pieces) = &self.pieces else { return place };
        match pieces[pieces.partition_point(|piece| piece.to < place)..].first() {
            Some(piece) if piece.from <= place => piece.before + (place - piece.from),
            // A range with gaps has fewer values than its width.
            _ => mask(self.width),
        }
    }

    /// The value with this number.
    pub fn at(&self, number: u64) -> u64 {
        let place = match &self.pieces {
            None => number,
            Some(pieces) => {
                let piece = &pieces[pieces.partition_point(|piece| piece.before <= number).saturating_sub(1)];
                piece.from + (number - piece.before)
            }
        };
        self.value_at(place)
    }

    /// Where a value is, counted from the least one and around, gaps included.
    fn place(&self, value: u64) -> u64 {
        self.rank(value).wrapping_sub(self.least()) & mask(self.width)
    }

    fn value_at(&self, place: u64) -> u64 {
        let rank = self.least().wrapping_add(place) & mask(self.width);
        let sign = 1 << (self.width - 1);
        match self.float {
            true if rank & sign == 0 => !rank & mask(self.width),
            true => rank ^ sign,
            false => rank,
        }
    }

    fn least(&self) -> u64 {
        let sign = 1 << (self.width - 1);
        self.rank(if self.float && self.low & !sign == 0 { sign } else { self.low })
    }

    /// A number that counts up with the value. Floats sort like their bits if they are positive, the other way round if
    /// they are negative.
    fn rank(&self, value: u64) -> u64 {
        let sign = 1 << (self.width - 1);
        match self.float {
            true if value & sign != 0 => !value & mask(self.width),
            true => value | sign,
            false => value,
        }
    }

    /// A key that sorts values like the variable's type.
    pub fn order(&self, value: u64) -> u64 {
        // A full range is not marked as signed; treating it as signed agrees with most programs.
        let is_signed = self.signed || self.span() == mask(self.width);
        match (self.float, is_signed) {
            (true, _) => self.rank(value),
            (false, true) => (signed(self.width, value) as u64) ^ (1 << 63),
            (false, false) => value,
        }
    }

    /// Whether the value, a bit pattern of its width, is allowed.
    pub fn permits(&self, value: u64) -> bool {
        value <= mask(self.width) && self.number(value) <= self.span()
    }

    /// The value if it is allowed, otherwise the nearest allowed one in the order of the type (wrapping around).
    pub fn nearest(&self, value: u64) -> u64 {
        let value = value & mask(self.width);
        let place = self.place(value);
        let Some(pieces) = &self.pieces else {
            let span = self.span();
            if place <= span {
                return value;
            }
            let (above, below) = (place - span, (mask(self.width) - place).saturating_add(1));
            return if above <= below { self.high } else { self.low };
        };
        let next = pieces.partition_point(|piece| piece.to < place);
        let before = next.checked_sub(1).map_or(pieces[pieces.len() - 1].to, |index| pieces[index].to);
        let after = pieces.get(next).map_or(0, |piece| piece.from);
        if pieces.get(next).is_some_and(|piece| piece.from <= place) {
            return value;
        }
        let distance = |from: u64, to: u64| to.wrapping_sub(from) & mask(self.width);
        self.value_at(if distance(before, place) <= distance(place, after) { before } else { after })
    }

    /// The value if it is allowed, otherwise an allowed one that differs for values that differ, as far as there are
    /// enough of them.
    pub fn folded(&self, value: u64) -> u64 {
        let value = value & mask(self.width);
        if self.number(value) <= self.span() { value } else { self.at(self.place(value) % (self.span() + 1)) }
    }

    /// The least or the greatest value of the range, or of one of its pieces.
    pub fn end(&self, random: &mut Random) -> u64 {
        match &self.pieces {
            None => [self.low, self.high][random.index(2)],
            Some(pieces) => {
                let piece = pieces[random.index(pieces.len())];
                self.value_at([piece.from, piece.to][random.index(2)])
            }
        }
    }

    /// The least and the greatest value of each piece, as bit patterns; those of the whole range where it has no gaps.
    pub fn pieces(&self) -> Vec<(u64, u64)> {
        match &self.pieces {
            None => vec![(self.low, self.high)],
            Some(pieces) => pieces.iter().map(|piece| (self.value_at(piece.from), self.value_at(piece.to))).collect(),
        }
    }

    /// Whether another variable has the same type and the same values.
    pub fn is_like(&self, other: &Variable) -> bool {
        let plain = |x: &Variable| (x.width, x.signed, x.float, x.low, x.high);
        let same_pieces = match (&self.pieces, &other.pieces) {
            (None, None) => true,
            (Some(one), Some(two)) => Arc::ptr_eq(one, two) || one == two,
            _ => false,
        };
        plain(self) == plain(other) && same_pieces
    }

    /// Adds the conditions that express the range; none for a full range.
    pub fn conditions(&self, arena: &mut Arena, into: &mut Vec<TermId>) {
        let variable = arena.variable(self.id, self.width);
        let op = match (self.float, self.signed) {
            (true, _) => BinaryOp::FLe,
            (false, true) => BinaryOp::LeS,
            (false, false) => BinaryOp::LeU,
        };
        let (least, greatest) = match self.signed {
            true => (signed(self.width, 1 << (self.width - 1)) as u64 & mask(self.width), mask(self.width) >> 1),
            false => (0, mask(self.width)),
        };
        if self.float || self.low != least {
            let low = arena.constant(self.width, self.low);
            into.push(arena.binary(op, low, variable));
        }
        if self.float || self.high != greatest {
            let high = arena.constant(self.width, self.high);
            into.push(arena.binary(op, variable, high));
        }
        let Some(pieces) = &self.pieces else { return };
        for pair in pieces.windows(2) {
            // Comparisons under an or, which the Boolean layer understands, rather than one of a difference that wraps.
            let (before, after) = (self.value_at(pair[0].to), self.value_at(pair[1].from));
            let (before, after) = (arena.constant(self.width, before), arena.constant(self.width, after));
            let (below, above) = (arena.binary(op, variable, before), arena.binary(op, after, variable));
            into.push(arena.binary(BinaryOp::Or, below, above));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pessimum_term::{Evaluator, Witness};

    /// Values, numbers and conditions agree on what is allowed.
    fn check(variable: &Variable, allowed: &[u64], values: impl Iterator<Item = u64>) {
        assert_eq!(variable.span() + 1, allowed.len() as u64);
        for (number, &value) in allowed.iter().enumerate() {
            assert_eq!((variable.at(number as u64), variable.number(value)), (value, number as u64));
        }
        let mut arena = Arena::new();
        let mut conditions = Vec::new();
        variable.conditions(&mut arena, &mut conditions);
        let mut random = Random::new(1);
        for value in values {
            let is_allowed = allowed.contains(&value);
            assert_eq!(variable.permits(value), is_allowed, "{value} of {variable:?}");
            let mut witness = Witness::default();
            witness.set(variable.id, value);
            let mut evaluator = Evaluator::new(witness);
            let holds = conditions.iter().all(|&condition| evaluator.value(&arena, condition) == 1);
            assert_eq!(holds, is_allowed, "{value} of {variable:?}");
            for near in [variable.nearest(value), variable.folded(value)] {
                assert!(allowed.contains(&near) && (!is_allowed || near == value), "{value}: {near}");
            }
            assert!(allowed.contains(&random.value(variable)) && allowed.contains(&variable.end(&mut random)));
        }
    }

    #[test]
    fn unions_have_exactly_their_values() {
        let byte = || Variable::unlimited(VariableId(0), 8);
        let text = byte().limited_to(&[(9, 10), (32, 126)]);
        check(&text, &[9, 10].into_iter().chain(32..=126).collect::<Vec<u64>>(), 0..256);
        assert_eq!(text.pieces(), [(9, 10), (32, 126)]);
        let signed = Variable { signed: true, ..byte() }.limited_to(&[(0x80, 0x81), (0xff, 0), (5, 5)]);
        check(&signed, &[0x80, 0x81, 0xff, 0, 5], 0..256);
        assert_eq!(
            [signed.nearest(4), signed.nearest(2), signed.nearest(0xfc), signed.nearest(0x7f)],
            [5, 0, 0xff, 0x80]
        );
        let edges = byte().limited_to(&[(0, 0), (255, 255)]);
        check(&edges, &[0, 255], 0..256);
        assert!(text.is_like(&text.clone()) && !text.is_like(&byte().limited_to(&[(9, 126)])));
    }

    #[test]
    fn unions_of_floats_have_both_zeros() {
        let bits = |x: f32| u64::from(x.to_bits());
        let variable = Variable { float: true, ..Variable::unlimited(VariableId(0), 32) };
        let variable = variable.limited_to(&[(bits(-2.0), bits(-2.0)), (bits(0.0), bits(0.0)), (bits(1.5), bits(1.5))]);
        let values = [-2.0, -1.0, -0.0, 0.0, 1.0, 1.5, 2.0, f32::NAN, f32::INFINITY].map(bits);
        check(&variable, &[-2.0, -0.0, 0.0, 1.5].map(bits), values.into_iter());
    }

    /// A range of floats is an interval of numbers in the order of its values, with both zeros or none of them.
    #[test]
    fn ranges_of_floats_are_intervals() {
        let edges =
            [f32::NEG_INFINITY, f32::MIN, -7.5, -1.0, -f32::from_bits(1), -0.0, 0.0, f32::from_bits(1), 1.0, 7.5];
        let edges: Vec<f32> = edges.into_iter().chain([f32::MAX, f32::INFINITY, f32::NAN, -f32::NAN]).collect();
        let bits = |x: f32| u64::from(x.to_bits());
        for &low in &edges {
            for &high in edges.iter().filter(|&&high| low <= high) {
                let range = Variable {
                    float: true,
                    low: bits(low),
                    high: bits(high),
                    ..Variable::unlimited(VariableId(0), 32)
                };
                for &value in &edges {
                    let expected = low <= value && value <= high;
                    assert_eq!(range.permits(bits(value)), expected, "{value:?} in {low:?}..={high:?}");
                    assert_eq!(range.at(range.number(bits(value))), bits(value));
                }
                for number in
                    [0, 1, range.span() / 2, range.span()].into_iter().filter(|&number| number <= range.span())
                {
                    let value = f32::from_bits(range.at(number) as u32);
                    assert!(low <= value && value <= high, "{value:?} in {low:?}..={high:?}");
                }
            }
        }
        let range =
            Variable { float: true, low: bits(-2.0), high: bits(3.0), ..Variable::unlimited(VariableId(0), 32) };
        assert!([-2.0, -1.5, -0.0, 0.0, 1e-9, 3.0].map(|x| range.order(bits(x))).is_sorted());
    }
}
