//! Arithmetic on vectors of literals, lowest bit first. Each circuit computes what the corresponding operator in
//! `pessimum_term::ops` does, undefined cases included.

use crate::gates::Gates;
use crate::sat::Literal;

pub type Bits = Vec<Literal>;

/// May be wider than the value; the bits above are zero.
pub fn constant(width: u32, value: u64) -> Bits {
    (0..width).map(|bit| Literal::constant(value.checked_shr(bit).unwrap_or(0) & 1 == 1)).collect()
}

pub fn as_constant(bits: &[Literal]) -> Option<u64> {
    bits.iter().enumerate().try_fold(0, |value, (index, bit)| Some(value | (bit.as_constant()? as u64) << index))
}

pub fn not(bits: &[Literal]) -> Bits {
    bits.iter().map(|&bit| !bit).collect()
}

pub fn extended(bits: &[Literal], to: u32, fill: Literal) -> Bits {
    let mut bits = bits.to_vec();
    bits.resize(to as usize, fill);
    bits
}

impl Gates {
    pub fn choose_bits(&mut self, condition: Literal, then: &[Literal], otherwise: &[Literal]) -> Bits {
        then.iter().zip(otherwise).map(|(&a, &b)| self.choose(condition, a, b)).collect()
    }

    pub fn add(&mut self, a: &[Literal], b: &[Literal], mut carry: Literal) -> Bits {
        let last = a.len() - 1;
        let mut sum = Bits::with_capacity(a.len());
        for (index, (&x, &y)) in a.iter().zip(b).enumerate() {
            sum.push(self.xor3(x, y, carry));
            if index < last {
                carry = self.majority(x, y, carry);
            }
        }
        sum
    }

    pub fn subtract(&mut self, a: &[Literal], b: &[Literal]) -> Bits {
        self.add(a, &not(b), Literal::TRUE)
    }

    pub fn negate(&mut self, a: &[Literal]) -> Bits {
        let zero = constant(a.len() as u32, 0);
        self.subtract(&zero, a)
    }

    pub fn negate_if(&mut self, condition: Literal, a: &[Literal]) -> Bits {
        let flipped: Bits = a.iter().map(|&bit| self.xor(bit, condition)).collect();
        let zero = constant(a.len() as u32, 0);
        self.add(&flipped, &zero, condition)
    }

    /// Unsigned `a < b`, or `a <= b` if `or_equal` holds: the borrow of `a - b`.
    pub fn less(&mut self, a: &[Literal], b: &[Literal], or_equal: bool) -> Literal {
        let start = Literal::constant(or_equal);
        a.iter().zip(b).fold(start, |borrow, (&x, &y)| self.majority(!x, y, borrow))
    }

    pub fn less_signed(&mut self, a: &[Literal], b: &[Literal], or_equal: bool) -> Literal {
        let (mut a, mut b) = (a.to_vec(), b.to_vec());
        for bits in [&mut a, &mut b] {
            if let Some(sign) = bits.last_mut() {
                *sign = !*sign;
            }
        }
        self.less(&a, &b, or_equal)
    }

    pub fn equal_bits(&mut self, a: &[Literal], b: &[Literal]) -> Literal {
        a.iter().zip(b).fold(Literal::TRUE, |all, (&x, &y)| {
            let same = self.equal(x, y);
            self.and(all, same)
        })
    }

    /// The whole product, as wide as both factors together. A constant factor must be at most 64 bits wide.
    pub fn multiply_wide(&mut self, a: &[Literal], b: &[Literal]) -> Bits {
        let width = a.len() + b.len();
        let (a, b) = if as_constant(a).is_some() { (b, a) } else { (a, b) };
        let wide = extended(a, width as u32, Literal::FALSE);
        if let Some(factor) = as_constant(b) {
            return self.multiply_constant(&wide, factor);
        }
        let mut sum = constant(width as u32, 0);
        for (shift, &bit) in b.iter().enumerate() {
            // No row reaches further than the bit above its highest one, because the sum of the rows so far does not.
            let mut row: Bits = a.iter().map(|&x| self.and(x, bit)).collect();
            row.push(Literal::FALSE);
            let upper = self.add(&sum[shift..shift + row.len()], &row, Literal::FALSE);
            sum.splice(shift..shift + row.len(), upper);
        }
        sum
    }

    pub fn multiply(&mut self, a: &[Literal], b: &[Literal]) -> Bits {
        let width = a.len();
        let (a, b) = if as_constant(a).is_some() { (b, a) } else { (a, b) };
        if let Some(factor) = as_constant(b) {
            return self.multiply_constant(a, factor);
        }
        let mut sum = constant(width as u32, 0);
        for (shift, &bit) in b.iter().enumerate() {
            let row: Bits = a[..width - shift].iter().map(|&x| self.and(x, bit)).collect();
            let upper = self.add(&sum[shift..], &row, Literal::FALSE);
            sum.truncate(shift);
            sum.extend(upper);
        }
        sum
    }

    /// Uses the non-adjacent form of the factor, which takes at most half as many additions as the factor has bits.
    fn multiply_constant(&mut self, a: &[Literal], mut factor: u64) -> Bits {
        let width = a.len();
        let mut sum = constant(width as u32, 0);
        for shift in 0..width {
            if factor & 1 == 1 {
                let row = &a[..width - shift];
                let minus = factor & 3 == 3 && shift + 1 < width;
                let upper = if minus {
                    self.subtract(&sum[shift..], row)
                } else {
                    self.add(&sum[shift..], row, Literal::FALSE)
                };
                factor = if minus { factor.wrapping_add(1) } else { factor - 1 };
                sum.truncate(shift);
                sum.extend(upper);
            }
            // A carry out of bit 63 is lost together with the bits above the width.
            factor >>= 1;
        }
        sum
    }

    /// Quotient and remainder, by restoring division. Division by zero gives all ones and the dividend.
    pub fn divide(&mut self, a: &[Literal], b: &[Literal]) -> (Bits, Bits) {
        let width = a.len();
        let mut quotient = constant(width as u32, 0);
        // The remainder is below the divisor, so after a shift to the left it needs one bit more than the divisor.
        let mut divisor = b.to_vec();
        divisor.push(Literal::FALSE);
        let mut remainder = vec![Literal::FALSE; width + 1];
        for bit in (0..width).rev() {
            remainder.pop();
            remainder.insert(0, a[bit]);
            let fits = self.less(&divisor, &remainder, true);
            quotient[bit] = fits;
            let less = self.subtract(&remainder, &divisor);
            remainder = self.choose_bits(fits, &less, &remainder);
        }
        remainder.pop();
        (quotient, remainder)
    }

    pub fn divide_signed(&mut self, a: &[Literal], b: &[Literal]) -> (Bits, Bits) {
        let (sign_a, sign_b) = (a[a.len() - 1], b[b.len() - 1]);
        let (x, y) = (self.negate_if(sign_a, a), self.negate_if(sign_b, b));
        let (quotient, remainder) = self.divide(&x, &y);
        let differ = self.xor(sign_a, sign_b);
        (self.negate_if(differ, &quotient), self.negate_if(sign_a, &remainder))
    }

    /// The count of a shift or rotation, modulo the width.
    pub fn count(&mut self, bits: &[Literal]) -> Bits {
        let width = bits.len() as u32;
        let needed = (32 - (width - 1).leading_zeros()) as usize;
        if width.is_power_of_two() {
            return bits[..needed].to_vec();
        }
        let (_, mut count) = self.divide(bits, &constant(width, width as u64));
        count.truncate(needed);
        count
    }

    /// Fills with zeros; the count is below the width.
    pub fn shift_left(&mut self, a: &[Literal], count: &[Literal]) -> Bits {
        self.barrel(a, count, |bits, by, index| if index >= by { bits[index - by] } else { Literal::FALSE })
    }

    pub fn shift_right(&mut self, a: &[Literal], count: &[Literal], fill: Literal) -> Bits {
        self.barrel(a, count, |bits, by, index| bits.get(index + by).copied().unwrap_or(fill))
    }

    pub fn rotate_left(&mut self, a: &[Literal], count: &[Literal]) -> Bits {
        self.barrel(a, count, |bits, by, index| bits[(index + bits.len() - by % bits.len()) % bits.len()])
    }

    pub fn rotate_right(&mut self, a: &[Literal], count: &[Literal]) -> Bits {
        self.barrel(a, count, |bits, by, index| bits[(index + by) % bits.len()])
    }

    fn barrel(
        &mut self,
        a: &[Literal],
        count: &[Literal],
        source: impl Fn(&[Literal], usize, usize) -> Literal,
    ) -> Bits {
        let mut bits = a.to_vec();
        for (stage, &condition) in count.iter().enumerate() {
            let moved: Bits = (0..bits.len()).map(|index| source(&bits, 1 << stage, index)).collect();
            bits = self.choose_bits(condition, &moved, &bits);
        }
        bits
    }

    /// Shifts right by any count. The lowest bit of the result is also 1 if a 1 was shifted out.
    pub fn shift_right_sticky(&mut self, a: &[Literal], count: &[Literal]) -> Bits {
        let stages = a.len().next_power_of_two().trailing_zeros() as usize;
        let (near, far) = count.split_at(stages.min(count.len()));
        let mut bits = a.to_vec();
        let mut lost = Literal::FALSE;
        for (stage, &condition) in near.iter().enumerate() {
            let by = 1 << stage;
            let dropped = self.any(bits.iter().copied().take(by));
            let dropped = self.and(condition, dropped);
            lost = self.or(lost, dropped);
            let moved: Bits = (0..bits.len()).map(|at| bits.get(at + by).copied().unwrap_or(Literal::FALSE)).collect();
            bits = self.choose_bits(condition, &moved, &bits);
        }
        let far = self.any(far.iter().copied());
        let all = self.any(a.iter().copied());
        lost = self.choose(far, all, lost);
        bits.iter_mut().for_each(|bit| *bit = self.and(*bit, !far));
        bits[0] = self.or(bits[0], lost);
        bits
    }

    /// The highest bits, the last of which is also 1 if a lower one is.
    pub fn with_sticky(&mut self, bits: &[Literal], width: usize) -> Bits {
        let (low, high) = bits.split_at(bits.len() - width + 1);
        let mut kept = vec![self.any(low.iter().copied())];
        kept.extend(high);
        kept
    }

    /// Shifts left until the highest bit is 1, and by how much. Of 0 the shift is as large as it can be written.
    pub fn normalise(&mut self, bits: &[Literal]) -> (Bits, Bits) {
        let width = bits.len();
        let stages = width.next_power_of_two().trailing_zeros() as usize;
        let mut bits = bits.to_vec();
        let mut count = vec![Literal::FALSE; stages];
        for stage in (0..stages).rev() {
            let by = 1 << stage;
            let zeros = !self.any(bits[width - by..].iter().copied());
            let moved: Bits = (0..width).map(|at| if at < by { Literal::FALSE } else { bits[at - by] }).collect();
            bits = self.choose_bits(zeros, &moved, &bits);
            count[stage] = zeros;
        }
        (bits, count)
    }

    /// The number of zeros before the first 1 in the sequence.
    pub fn zeros_before_one(&mut self, bits: impl DoubleEndedIterator<Item = Literal>, width: u32) -> Bits {
        let bits: Bits = bits.collect();
        let mut count = constant(width, bits.len() as u64);
        for (index, &bit) in bits.iter().enumerate().rev() {
            count = self.choose_bits(bit, &constant(width, index as u64), &count);
        }
        count
    }

    pub fn count_ones(&mut self, bits: &[Literal]) -> Bits {
        let width = bits.len() as u32;
        let mut numbers: Vec<Bits> = bits.iter().map(|&bit| vec![bit]).collect();
        while numbers.len() > 1 {
            let mut sums = Vec::with_capacity(numbers.len().div_ceil(2));
            for pair in numbers.chunks(2) {
                let [a, b] = pair else {
                    sums.push(pair[0].clone());
                    continue;
                };
                let size = a.len().max(b.len()) + 1;
                let widen = |x: &Bits| {
                    let mut x = x.clone();
                    x.resize(size, Literal::FALSE);
                    x
                };
                sums.push(self.add(&widen(a), &widen(b), Literal::FALSE));
            }
            numbers = sums;
        }
        let mut count = numbers.pop().unwrap_or_default();
        count.resize(width as usize, Literal::FALSE);
        count
    }
}
