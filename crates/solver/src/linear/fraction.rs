//! Exact fractions that notice overflow.

use std::cmp::Ordering;

/// A fraction in lowest terms with a positive denominator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fraction {
    numerator: i128,
    denominator: i128,
}

impl From<i128> for Fraction {
    fn from(numerator: i128) -> Fraction {
        Fraction { numerator, denominator: 1 }
    }
}

impl Fraction {
    /// `None` on overflow; the denominator must not be 0.
    pub fn new(numerator: i128, denominator: i128) -> Option<Fraction> {
        if denominator == 1 {
            return Some(numerator.into());
        }
        let divisor = i128::try_from(gcd(numerator.unsigned_abs(), denominator.unsigned_abs())).ok()?;
        let divisor = if denominator < 0 { -divisor } else { divisor };
        Some(Fraction { numerator: numerator.checked_div(divisor)?, denominator: denominator.checked_div(divisor)? })
    }

    pub fn as_integer(self) -> Option<i128> {
        (self.denominator == 1).then_some(self.numerator)
    }

    /// The largest integer that is not greater than the fraction.
    pub fn floor(self) -> i128 {
        self.numerator.div_euclid(self.denominator)
    }

    pub fn plus(self, other: Fraction) -> Option<Fraction> {
        if self.denominator == other.denominator {
            return Fraction::new(self.numerator.checked_add(other.numerator)?, self.denominator);
        }
        let one = self.numerator.checked_mul(other.denominator)?;
        let two = other.numerator.checked_mul(self.denominator)?;
        Fraction::new(one.checked_add(two)?, self.denominator.checked_mul(other.denominator)?)
    }

    pub fn minus(self, other: Fraction) -> Option<Fraction> {
        self.plus(Fraction { numerator: other.numerator.checked_neg()?, ..other })
    }

    /// Times `by / over`.
    pub fn scaled(self, by: i64, over: i64) -> Option<Fraction> {
        if self.denominator == 1 && over == 1 {
            return Some(self.numerator.checked_mul(by as i128)?.into());
        }
        Fraction::new(self.numerator.checked_mul(by as i128)?, self.denominator.checked_mul(over as i128)?)
    }

    pub fn compare(self, integer: i128) -> Ordering {
        if self.denominator == 1 {
            return self.numerator.cmp(&integer);
        }
        // Strictly between two integers.
        if self.floor() >= integer { Ordering::Greater } else { Ordering::Less }
    }
}

pub fn gcd(mut one: u128, mut other: u128) -> u128 {
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_is_exact_or_refused() {
        let third = Fraction::new(2, -6).unwrap();
        assert_eq!(third, Fraction::new(-1, 3).unwrap());
        assert_eq!((third.floor(), third.compare(0), third.compare(-1)), (-1, Ordering::Less, Ordering::Greater));
        assert_eq!(third.scaled(3, 1).unwrap().as_integer(), Some(-1));
        assert_eq!(third.plus(Fraction::new(5, 6).unwrap()), Fraction::new(1, 2));
        assert_eq!(third.minus(third), Some(Fraction::from(0)));
        assert_eq!(Fraction::from(i128::MAX).plus(1.into()), None);
        assert_eq!(Fraction::new(1, i128::MAX).unwrap().plus(Fraction::new(1, i128::MAX - 1).unwrap()), None);
        assert_eq!(Fraction::new(i128::MIN, i128::MIN), None);
    }
}
