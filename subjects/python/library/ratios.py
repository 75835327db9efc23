"""fractions: arithmetic, and the nearest fraction with a small denominator.

call: near(int in 1..=1000000, int in 1..=1000000)
call: total(int[n] in 1..=100)
call: continued(int in 1..=1000000, int in 1..=1000000)

`limit_denominator` runs Euclid's algorithm in Python: the worst numbers are neighbours in the sequence of Fibonacci. The
greatest common divisor is in C, so that numbers become concrete where a fraction is made.
"""

from fractions import Fraction


def near(numerator: int, denominator: int) -> Fraction:
    return Fraction(numerator, denominator).limit_denominator(1000)


def total(denominators: list[int]) -> Fraction:
    return sum(Fraction(1, denominator) for denominator in denominators)


def continued(numerator: int, denominator: int) -> list[int]:
    """The continued fraction: Euclid's algorithm without C."""
    terms = []
    while denominator != 0:
        quotient = numerator // denominator
        terms.append(quotient)
        numerator, denominator = denominator, numerator - quotient * denominator
    return terms
