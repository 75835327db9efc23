//! Conversions between formats, to and from integers, and rounding to integers.

use pessimum_term::UnaryOp;

use super::{Floats, Format, Kinds, needed_for};
use crate::circuits::{Bits, constant, extended};
use crate::gates::Gates;
use crate::sat::Literal;

impl Floats<'_> {
    /// To the other format.
    pub fn convert(&mut self, to: Format, x: &[Literal]) -> Bits {
        let from = self.format;
        let kinds = self.kinds(x);
        let sign = self.sign(x);
        let (exponent, significand) = self.normalised(x);
        let wider = to.fraction >= from.fraction;
        let mut target = Floats::new(self.gates, to);
        let width = exponent.len().max(to.signed_exponent()) + 1;
        let exponent = extended(&exponent, width as u32, exponent[exponent.len() - 1]);
        let above = target.plus(&exponent, to.bias() as i64 - from.bias() as i64 - 1, Literal::FALSE);
        let result = if wider && to.bias() >= from.bias() + from.fraction as u64 {
            // Every number of the old format is a normal one of the new.
            target.pack(sign, &above[..to.exponent], &significand)
        } else {
            let mut bits = vec![Literal::FALSE; (to.fraction + 3).saturating_sub(significand.len())];
            bits.extend(significand);
            target.pack_signed(sign, &above, &bits)
        };
        target.special(&result, sign, kinds)
    }

    /// From an integer.
    pub fn of_integer(&mut self, signed: bool, x: &[Literal]) -> Bits {
        let sign = if signed { x[x.len() - 1] } else { Literal::FALSE };
        let magnitude = self.gates.negate_if(sign, x);
        let (significand, mut zeros) = self.gates.normalise(&magnitude);
        // Not negative: there is at most one zero less than there are bits, unless the integer is 0.
        let highest = self.format.bias() + x.len() as u64 - 2;
        let width = (64 - highest.leading_zeros() as usize).max(zeros.len());
        zeros.resize(width, Literal::FALSE);
        let above = self.gates.subtract(&constant(width as u32, highest), &zeros);
        let some = significand[significand.len() - 1];
        let above: Bits = above.iter().map(|&bit| self.gates.and(bit, some)).collect();
        self.pack(sign, &above, &significand)
    }

    /// To an integer of this width: towards 0 and saturating, and NaN becomes 0.
    pub fn integer_of(&mut self, signed: bool, to: usize, x: &[Literal]) -> Bits {
        let Format { exponent, fraction } = self.format;
        let bias = self.format.bias();
        let kinds = self.kinds(x);
        let sign = self.sign(x);
        let field = self.exponent_field(x).to_vec();
        let small = self.below(&field, bias);
        let large = !self.below(&field, bias + to as u64 - signed as u64);
        let large = self.gates.or(large, kinds.infinite);
        // The significand at the top is 2^(to - 1) times a number in [1, 2).
        let mut register = vec![Literal::FALSE; (to - 1).saturating_sub(fraction)];
        register.extend(&x[fraction - (to - 1).min(fraction)..fraction]);
        register.push(Literal::TRUE);
        let bits = needed_for(to);
        let low: Bits = (0..bits).map(|at| if at < exponent { field[at] } else { Literal::FALSE }).collect();
        let count = self.gates.subtract(&constant(bits as u32, bias + to as u64 - 1), &low);
        let magnitude = self.gates.shift_right(&register, &count, Literal::FALSE);
        let magnitude: Bits = magnitude.iter().map(|&bit| self.gates.and(bit, !small)).collect();
        let (number, limit, nothing) = if signed {
            let mut limit = vec![!sign; to - 1];
            limit.push(sign);
            (self.gates.negate_if(sign, &magnitude), limit, kinds.nan)
        } else {
            (magnitude, vec![Literal::TRUE; to], self.gates.or(kinds.nan, sign))
        };
        let number = self.gates.choose_bits(large, &limit, &number);
        number.iter().map(|&bit| self.gates.and(bit, !nothing)).collect()
    }

    /// Whether the exponent field is below this number.
    fn below(&mut self, field: &[Literal], limit: u64) -> Literal {
        if limit >> field.len() != 0 {
            return Literal::TRUE;
        }
        self.gates.less(field, &constant(field.len() as u32, limit), false)
    }

    /// To the next integer up, down, towards 0 or nearest (ties to even), as a float.
    pub fn round_to_integer(&mut self, op: UnaryOp, x: &[Literal]) -> Bits {
        let Format { exponent, fraction } = self.format;
        let bias = self.format.bias();
        let kinds = self.kinds(x);
        let sign = self.sign(x);
        let field = self.exponent_field(x).to_vec();
        let below_one = self.below(&field, bias);
        let whole = !self.below(&field, bias + fraction as u64);
        // Between 1 and 2^fraction: exponent k leaves the lowest `fraction - k` bits of the fraction behind the point.
        let bits = needed_for(fraction).min(exponent);
        let k = self.plus(&field[..bits.max(1)], -(bias as i64), Literal::FALSE);
        let behind = self.gates.shift_right(&vec![Literal::TRUE; fraction], &k, Literal::FALSE);
        let digits = self.fraction(x);
        // Bit `at` is the first behind the point if the one above it is not behind it.
        let (mut half, mut rest, mut odd) = (Literal::FALSE, Literal::FALSE, Literal::FALSE);
        let mut unit = vec![Literal::FALSE];
        for at in 0..fraction {
            let next_behind = behind.get(at + 1).copied().unwrap_or(Literal::FALSE);
            let next_digit = digits.get(at + 1).copied().unwrap_or(Literal::TRUE);
            let first = self.gates.and(behind[at], !next_behind);
            let is_half = self.gates.and(first, digits[at]);
            half = self.gates.or(half, is_half);
            let is_rest = self.gates.and(next_behind, digits[at]);
            rest = self.gates.or(rest, is_rest);
            // The bit above the first one behind the point is the unit; above the fraction it is the leading 1.
            let is_odd = self.gates.and(first, next_digit);
            odd = self.gates.or(odd, is_odd);
            unit.push(first);
        }
        let away = {
            let inexact = self.gates.or(half, rest);
            let not_even = self.gates.or(rest, odd);
            away_from_zero(self.gates, op, sign, inexact, (half, not_even))
        };
        let mut cut: Bits = (0..fraction).map(|at| self.gates.and(digits[at], !behind[at])).collect();
        cut.extend(&field);
        unit.resize(cut.len(), Literal::FALSE);
        let unit: Bits = unit.iter().map(|&bit| self.gates.and(bit, away)).collect();
        // A carry out of the fraction makes the exponent one more, which is right.
        let mut result = self.gates.add(&cut, &unit, Literal::FALSE);
        result.push(sign);
        let mut number = self.gates.choose_bits(whole, x, &result);
        // Numbers below 1 become 0 or 1, with their sign; above 1/2 means the exponent field below that of 1 and a digit.
        let half_field = self.gates.equal_bits(&field, &constant(exponent as u32, bias - 1));
        let some_digit = self.gates.any(digits.iter().copied());
        let one = away_from_zero(self.gates, op, sign, !kinds.zero, (half_field, some_digit));
        let mut little = vec![Literal::FALSE; fraction];
        little.extend((0..exponent).map(|at| if bias >> at & 1 == 1 { one } else { Literal::FALSE }));
        little.push(sign);
        number = self.gates.choose_bits(below_one, &little, &number);
        let only_nan = Kinds { infinite: Literal::FALSE, zero: Literal::FALSE, ..kinds };
        self.special(&number, sign, only_nan)
    }
}

/// Whether rounding goes away from zero; `nearest` says whether at least half is cut off, and whether that is more than
/// half or leaves an odd number.
fn away_from_zero(
    gates: &mut Gates,
    op: UnaryOp,
    sign: Literal,
    inexact: Literal,
    nearest: (Literal, Literal),
) -> Literal {
    match op {
        UnaryOp::FCeil => gates.and(inexact, !sign),
        UnaryOp::FFloor => gates.and(inexact, sign),
        UnaryOp::FNearest => gates.and(nearest.0, nearest.1),
        _ => Literal::FALSE,
    }
}
