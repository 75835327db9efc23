//! Circuits for IEEE 754 numbers of any format.
//!
//! Each computes what `pessimum_term::ops` does in widths 32 and 64: round to nearest, ties to even, and one canonical
//! NaN as the result of arithmetic. The other formats exist for the tests, which try every pair of numbers of a small one.
//!
//! The scheme is the one of hardware (Muller et al., "Handbook of Floating-Point Arithmetic", chapters 7 and 8): take the
//! operands apart, compute exactly on significands, with what falls off below folded into a sticky bit, normalise, round
//! and put together. Infinities, zeros and NaNs are chosen at the end.

mod arithmetic;
mod conversion;
#[cfg(test)]
mod tests;

use crate::circuits::{Bits, constant};
use crate::gates::Gates;
use crate::sat::Literal;

/// Sign, exponent field and fraction, from the top.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// Bits of the exponent field, at least 3.
    pub exponent: usize,
    /// Bits of the fraction, at least 1; the significand has one more.
    pub fraction: usize,
}

impl Format {
    pub const SINGLE: Format = Format { exponent: 8, fraction: 23 };
    pub const DOUBLE: Format = Format { exponent: 11, fraction: 52 };

    /// The format of a float that is 32 or 64 bits wide.
    pub fn of_width(width: usize) -> Format {
        if width == 32 { Format::SINGLE } else { Format::DOUBLE }
    }

    pub fn width(self) -> usize {
        1 + self.exponent + self.fraction
    }

    /// What is added to the exponent of a number to make its exponent field.
    pub fn bias(self) -> u64 {
        (1 << (self.exponent - 1)) - 1
    }

    /// Bits of a two's complement number that can hold exponents of products and quotients of normalised operands.
    fn signed_exponent(self) -> usize {
        let largest = 2usize << self.exponent;
        let largest = largest.max((3 << (self.exponent - 1)) + 2 * self.fraction + 4);
        1 + needed_for(largest)
    }

    fn infinity(self, sign: Literal) -> Bits {
        let mut bits = vec![Literal::FALSE; self.fraction];
        bits.resize(self.width() - 1, Literal::TRUE);
        bits.push(sign);
        bits
    }

    fn zero(self, sign: Literal) -> Bits {
        let mut bits = vec![Literal::FALSE; self.width() - 1];
        bits.push(sign);
        bits
    }

    /// The one NaN that arithmetic gives: positive and quiet, without a payload.
    fn nan(self) -> Bits {
        let mut bits = self.infinity(Literal::FALSE);
        bits[self.fraction - 1] = Literal::TRUE;
        bits
    }
}

/// The least `k` with `2^k >= count`.
fn needed_for(count: usize) -> usize {
    count.next_power_of_two().trailing_zeros() as usize
}

/// The operators on floats of one format.
pub struct Floats<'a> {
    gates: &'a mut Gates,
    format: Format,
}

/// What kind of number it is; at most one holds.
#[derive(Clone, Copy)]
struct Kinds {
    nan: Literal,
    infinite: Literal,
    zero: Literal,
}

impl<'a> Floats<'a> {
    pub fn new(gates: &'a mut Gates, format: Format) -> Floats<'a> {
        Floats { gates, format }
    }

    fn sign(&self, x: &[Literal]) -> Literal {
        x[self.format.width() - 1]
    }

    fn magnitude<'x>(&self, x: &'x [Literal]) -> &'x [Literal] {
        &x[..self.format.width() - 1]
    }

    fn fraction<'x>(&self, x: &'x [Literal]) -> &'x [Literal] {
        &x[..self.format.fraction]
    }

    fn exponent_field<'x>(&self, x: &'x [Literal]) -> &'x [Literal] {
        &x[self.format.fraction..self.format.width() - 1]
    }

    fn kinds(&mut self, x: &[Literal]) -> Kinds {
        let (fraction, field) = (self.fraction(x), self.exponent_field(x));
        let no_fraction = !self.gates.any(fraction.iter().copied());
        let highest = self.gates.all(field.iter().copied());
        let lowest = !self.gates.any(field.iter().copied());
        Kinds {
            nan: self.gates.and(highest, !no_fraction),
            infinite: self.gates.and(highest, no_fraction),
            zero: self.gates.and(lowest, no_fraction),
        }
    }

    fn ordered(&mut self, x: &[Literal], y: &[Literal]) -> Literal {
        let (a, b) = (self.kinds(x).nan, self.kinds(y).nan);
        self.gates.and(!a, !b)
    }

    fn both_zero(&mut self, x: &[Literal], y: &[Literal]) -> Literal {
        let (a, b) = (self.kinds(x).zero, self.kinds(y).zero);
        self.gates.and(a, b)
    }

    /// Replaces what arithmetic on finite numbers made by the special results; NaN wins over infinity, and infinity
    /// over zero.
    fn special(&mut self, result: &[Literal], sign: Literal, kinds: Kinds) -> Bits {
        let result = self.gates.choose_bits(kinds.zero, &self.format.zero(sign), result);
        let result = self.gates.choose_bits(kinds.infinite, &self.format.infinity(sign), &result);
        self.gates.choose_bits(kinds.nan, &self.format.nan(), &result)
    }

    pub fn equal(&mut self, x: &[Literal], y: &[Literal]) -> Literal {
        let zeros = self.both_zero(x, y);
        let same = self.gates.equal_bits(x, y);
        let equal = self.gates.or(zeros, same);
        let ordered = self.ordered(x, y);
        self.gates.and(ordered, equal)
    }

    /// Sign and magnitude: negative numbers compare the other way round, and the two zeros are equal.
    pub fn less(&mut self, x: &[Literal], y: &[Literal]) -> Literal {
        let (sign_x, sign_y) = (self.sign(x), self.sign(y));
        let smaller = self.gates.less(self.magnitude(x), self.magnitude(y), false);
        let larger = self.gates.less(self.magnitude(y), self.magnitude(x), false);
        let zeros = self.both_zero(x, y);
        // Where the signs differ, x is smaller if it is the negative one and they are not both zero.
        let mixed = self.gates.and(sign_x, !zeros);
        let same_sign = self.gates.choose(sign_x, larger, smaller);
        let differ = self.gates.xor(sign_x, sign_y);
        let less = self.gates.choose(differ, mixed, same_sign);
        let ordered = self.ordered(x, y);
        self.gates.and(ordered, less)
    }

    /// The larger or the smaller of two numbers.
    pub fn extreme(&mut self, largest: bool, x: &[Literal], y: &[Literal]) -> Bits {
        let less = if largest { self.less(y, x) } else { self.less(x, y) };
        let chosen = self.gates.choose_bits(less, x, y);
        // Equal numbers have equal bits or are zeros; the minimum of two zeros is negative if either of them is.
        let equal = self.equal(x, y);
        let (sign_x, sign_y) = (self.sign(x), self.sign(y));
        let sign = if largest { self.gates.and(sign_x, sign_y) } else { self.gates.or(sign_x, sign_y) };
        let mut same = self.magnitude(x).to_vec();
        same.push(sign);
        let number = self.gates.choose_bits(equal, &same, &chosen);
        let ordered = self.ordered(x, y);
        self.gates.choose_bits(ordered, &number, &self.format.nan())
    }

    /// Exponent field and significand of a finite number; the field of a subnormal is raised to 1, with which its
    /// significand (whose highest bit is 0) has the right weight.
    fn unpacked(&mut self, x: &[Literal]) -> (Bits, Bits) {
        let mut exponent = self.exponent_field(x).to_vec();
        let normal = self.gates.any(exponent.iter().copied());
        exponent[0] = self.gates.or(exponent[0], !normal);
        let mut significand = self.fraction(x).to_vec();
        significand.push(normal);
        (exponent, significand)
    }

    /// Exponent (two's complement, biased) and significand of a finite number other than 0, with subnormals shifted up
    /// so that the highest bit is 1.
    fn normalised(&mut self, x: &[Literal]) -> (Bits, Bits) {
        let (mut exponent, significand) = self.unpacked(x);
        let width = self.format.signed_exponent();
        let (significand, mut zeros) = self.gates.normalise(&significand);
        exponent.resize(width, Literal::FALSE);
        zeros.resize(width, Literal::FALSE);
        (self.gates.subtract(&exponent, &zeros), significand)
    }

    /// Rounds and puts together a number whose highest bit has the weight of the exponent field `above + 1`.
    ///
    /// The highest bit of the significand is 1 or `above` is 0. It has any number of bits; those below the last one of
    /// the fraction decide about rounding.
    fn pack(&mut self, sign: Literal, above: &[Literal], significand: &[Literal]) -> Bits {
        let Format { exponent, fraction } = self.format;
        let (below, kept) = match significand.len().checked_sub(fraction + 1) {
            Some(count) => (&significand[..count], significand[count..].to_vec()),
            None => {
                let mut kept = vec![Literal::FALSE; fraction + 1 - significand.len()];
                kept.extend(significand);
                (&significand[..0], kept)
            }
        };
        let up = match below.split_last() {
            Some((&half, rest)) => {
                let rest = self.gates.any(rest.iter().copied());
                let not_even = self.gates.or(rest, kept[0]);
                self.gates.and(half, not_even)
            }
            None => Literal::FALSE,
        };
        // The leading 1 of a normal number makes its exponent field one more, and so does a carry out of the fraction.
        let mut number = kept;
        number.resize(exponent + fraction, Literal::FALSE);
        let mut field = vec![Literal::FALSE; fraction];
        field.extend(above.iter().take(exponent));
        field.resize(exponent + fraction, Literal::FALSE);
        let mut result = self.gates.add(&number, &field, up);
        result.push(sign);
        // Fields from all ones upwards are too large, and so is `above` from one less.
        let far = self.gates.any(above.iter().copied().skip(exponent));
        let highest =
            if above.len() < exponent { Literal::FALSE } else { self.gates.all(above[1..exponent].iter().copied()) };
        let overflow = self.gates.or(far, highest);
        self.gates.choose_bits(overflow, &self.format.infinity(sign), &result)
    }

    /// Like [`Floats::pack`], with a two's complement `above`: if it is negative, the number is subnormal.
    fn pack_signed(&mut self, sign: Literal, above: &[Literal], significand: &[Literal]) -> Bits {
        let (&negative, rest) = above.split_last().expect("exponents have bits");
        let count = self.gates.negate(above);
        let count: Bits = count.iter().map(|&bit| self.gates.and(bit, negative)).collect();
        let shifted = self.gates.shift_right_sticky(significand, &count);
        let above: Bits = rest.iter().map(|&bit| self.gates.and(bit, !negative)).collect();
        self.pack(sign, &above, &shifted)
    }

    /// This two's complement exponent plus a constant.
    fn plus(&mut self, exponent: &[Literal], by: i64, carry: Literal) -> Bits {
        self.gates.add(exponent, &constant(exponent.len() as u32, by as u64), carry)
    }
}
