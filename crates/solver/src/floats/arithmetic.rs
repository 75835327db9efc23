//! Sum, product, quotient and square root.

use super::{Floats, Format, Kinds, needed_for};
use crate::circuits::Bits;
use crate::sat::Literal;

/// Bits kept below the significands of a sum: guard, round and sticky. A result that moves up by more than one place
/// comes from operands at most one place apart, so none of its bits was lost.
const EXTRA: usize = 3;

impl Floats<'_> {
    pub fn add(&mut self, x: &[Literal], y: &[Literal]) -> Bits {
        let Format { exponent, fraction } = self.format;
        let (kinds_x, kinds_y) = (self.kinds(x), self.kinds(y));
        let differ = self.gates.xor(self.sign(x), self.sign(y));
        // The smaller one is shifted to the larger one.
        let exchange = self.gates.less(self.magnitude(x), self.magnitude(y), false);
        let (a, b) = (self.gates.choose_bits(exchange, y, x), self.gates.choose_bits(exchange, x, y));
        let ((exponent_a, significand_a), (exponent_b, significand_b)) = (self.unpacked(&a), self.unpacked(&b));
        let distance = self.gates.subtract(&exponent_a, &exponent_b);
        let widened = |significand: Bits| {
            let mut bits = vec![Literal::FALSE; EXTRA];
            bits.extend(significand);
            bits
        };
        let (mut a_wide, b_wide) = (widened(significand_a), widened(significand_b));
        let mut b_wide = self.gates.shift_right_sticky(&b_wide, &distance);
        for bits in [&mut a_wide, &mut b_wide] {
            bits.push(Literal::FALSE);
        }
        let b_wide: Bits = b_wide.iter().map(|&bit| self.gates.xor(bit, differ)).collect();
        let sum = self.gates.add(&a_wide, &b_wide, differ);
        let cancelled = !self.gates.any(sum.iter().copied());
        let (above, significand) = self.normalise_down_to_subnormal(exponent_a, &sum);
        let above: Bits = above.iter().map(|&bit| self.gates.and(bit, !cancelled)).collect();
        debug_assert_eq!((above.len(), significand.len()), (exponent, fraction + 2 + EXTRA));
        // A sum that is exactly 0 is positive, unless both operands are -0.
        let both_negative = self.gates.and(self.sign(x), self.sign(y));
        let sign = self.gates.choose(cancelled, both_negative, self.sign(&a));
        let result = self.pack(sign, &above, &significand);
        let nan = self.gates.or(kinds_x.nan, kinds_y.nan);
        let both_infinite = self.gates.and(kinds_x.infinite, kinds_y.infinite);
        let opposite = self.gates.and(both_infinite, differ);
        let kinds = Kinds {
            nan: self.gates.or(nan, opposite),
            infinite: self.gates.or(kinds_x.infinite, kinds_y.infinite),
            zero: Literal::FALSE,
        };
        self.special(&result, sign, kinds)
    }

    /// Shifts up until the highest bit is 1 or the exponent is that of subnormals. The exponent field of the highest bit
    /// is `above + 1` before and afterwards.
    fn normalise_down_to_subnormal(&mut self, mut above: Bits, significand: &[Literal]) -> (Bits, Bits) {
        let width = significand.len();
        let mut bits = significand.to_vec();
        // Shifting by less and less, whenever that much is possible, makes the shift as large as possible.
        for stage in (0..needed_for(width)).rev() {
            let by = 1 << stage;
            let zeros = !self.gates.any(bits[width - by..].iter().copied());
            let (low, high) = above.split_at(stage.min(above.len()));
            let allowed = self.gates.any(high.iter().copied());
            let shift = self.gates.and(zeros, allowed);
            let moved: Bits = (0..width).map(|at| if at < by { Literal::FALSE } else { bits[at - by] }).collect();
            bits = self.gates.choose_bits(shift, &moved, &bits);
            if !high.is_empty() {
                let less = self.gates.add(high, &vec![shift; high.len()], Literal::FALSE);
                above = [low, &less].concat();
            }
        }
        (above, bits)
    }

    pub fn multiply(&mut self, x: &[Literal], y: &[Literal]) -> Bits {
        let Format { fraction, .. } = self.format;
        let (kinds_x, kinds_y) = (self.kinds(x), self.kinds(y));
        let ((exponent_x, x_wide), (exponent_y, y_wide)) = (self.normalised(x), self.normalised(y));
        let product = self.gates.multiply_wide(&x_wide, &y_wide);
        // In [1, 4): the highest bit counts 2.
        let high = product[2 * fraction + 1];
        let product = self.shift_up_unless(high, product);
        let product = self.gates.with_sticky(&product, fraction + 3);
        let exponent = self.gates.add(&exponent_x, &exponent_y, high);
        let above = self.plus(&exponent, -(self.format.bias() as i64) - 1, Literal::FALSE);
        let sign = self.gates.xor(self.sign(x), self.sign(y));
        let result = self.pack_signed(sign, &above, &product);
        let kinds = self.kinds_of_product(kinds_x, kinds_y);
        self.special(&result, sign, kinds)
    }

    fn kinds_of_product(&mut self, x: Kinds, y: Kinds) -> Kinds {
        let zero = self.gates.or(x.zero, y.zero);
        let infinite = self.gates.or(x.infinite, y.infinite);
        let undefined = self.gates.and(zero, infinite);
        let nan = self.gates.or(x.nan, y.nan);
        Kinds { nan: self.gates.or(nan, undefined), infinite, zero }
    }

    fn shift_up_unless(&mut self, stay: Literal, bits: Bits) -> Bits {
        let mut moved = vec![Literal::FALSE];
        moved.extend(&bits[..bits.len() - 1]);
        self.gates.choose_bits(stay, &bits, &moved)
    }

    pub fn divide(&mut self, x: &[Literal], y: &[Literal]) -> Bits {
        let Format { fraction, .. } = self.format;
        let (kinds_x, kinds_y) = (self.kinds(x), self.kinds(y));
        let ((exponent_x, mut rest), (exponent_y, mut divisor)) = (self.normalised(x), self.normalised(y));
        // The quotient is in (1/2, 2). One digit more than the fraction and the guard bit need, in case the first is 0.
        rest.push(Literal::FALSE);
        divisor.push(Literal::FALSE);
        let mut digits = Bits::new();
        for _ in 0..fraction + 3 {
            let fits = self.gates.less(&divisor, &rest, true);
            let less = self.gates.subtract(&rest, &divisor);
            rest = self.gates.choose_bits(fits, &less, &rest);
            digits.push(fits);
            // Below the divisor now, so twice as much fits into as many bits.
            rest.pop();
            rest.insert(0, Literal::FALSE);
        }
        let high = digits[0];
        digits.push(self.gates.any(rest));
        digits.reverse();
        let quotient = self.shift_up_unless(high, digits);
        let exponent = self.gates.subtract(&exponent_x, &exponent_y);
        let above = self.plus(&exponent, self.format.bias() as i64 - 2, high);
        let sign = self.gates.xor(self.sign(x), self.sign(y));
        let result = self.pack_signed(sign, &above, &quotient);
        // As a product with the reciprocal of y: its zeros and infinities exchanged.
        let reciprocal = Kinds { nan: kinds_y.nan, infinite: kinds_y.zero, zero: kinds_y.infinite };
        let kinds = self.kinds_of_product(kinds_x, reciprocal);
        self.special(&result, sign, kinds)
    }

    /// Digit by digit, as on paper.
    pub fn square_root(&mut self, x: &[Literal]) -> Bits {
        let Format { fraction, .. } = self.format;
        let kinds_x = self.kinds(x);
        let (biased, significand) = self.normalised(x);
        let exponent = self.plus(&biased, -(self.format.bias() as i64), Literal::FALSE);
        // An odd exponent is made even by doubling the significand; the root is in [1, 2) either way.
        let odd = exponent[0];
        let digits = fraction + 2;
        let mut radicand = vec![Literal::FALSE; digits];
        radicand.extend(significand);
        radicand.push(Literal::FALSE);
        let radicand = self.shift_up_unless(!odd, radicand);
        // Two bits of the radicand make one of the root, highest first.
        let mut root = Bits::new();
        let mut rest: Bits = Vec::new();
        for pair in radicand.rchunks(2) {
            let mut larger = pair.to_vec();
            larger.extend(&rest);
            // The root so far, followed by 01.
            let mut trial = vec![Literal::TRUE, Literal::FALSE];
            trial.extend(&root);
            let width = larger.len().max(trial.len());
            larger.resize(width, Literal::FALSE);
            trial.resize(width, Literal::FALSE);
            let fits = self.gates.less(&trial, &larger, true);
            let less = self.gates.subtract(&larger, &trial);
            rest = self.gates.choose_bits(fits, &less, &larger);
            root.insert(0, fits);
            // At most twice the root.
            rest.truncate(root.len() + 1);
        }
        debug_assert_eq!(root.len(), digits);
        root.insert(0, self.gates.any(rest));
        // Half of the exponent, rounded down, plus the bias.
        let mut half = exponent[1..].to_vec();
        half.push(exponent[exponent.len() - 1]);
        let above = self.plus(&half, self.format.bias() as i64 - 1, Literal::FALSE);
        let sign = self.sign(x);
        let result = if (fraction as u64) < self.format.bias() {
            // Even the root of the least subnormal is normal.
            self.pack(sign, &above[..self.format.exponent], &root)
        } else {
            self.pack_signed(sign, &above, &root)
        };
        let undefined = self.gates.and(sign, !kinds_x.zero);
        let kinds = Kinds { nan: self.gates.or(kinds_x.nan, undefined), ..kinds_x };
        self.special(&result, sign, kinds)
    }

    pub fn subtract(&mut self, x: &[Literal], y: &[Literal]) -> Bits {
        let mut negated = self.magnitude(y).to_vec();
        negated.push(!self.sign(y));
        self.add(x, &negated)
    }
}
