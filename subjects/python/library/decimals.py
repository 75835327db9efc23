"""decimal in Python: sums and roots of n numbers.

call: total(int[n] in -1000..=1000)
call: root(int in 0..=1000000000)

Digits are kept as text, so that numbers become concrete where a Decimal is made.
"""

from pure import pure

decimal = pure("decimal", "_decimal")


def total(values: list[int]):
    return sum((decimal.Decimal(value) for value in values), decimal.Decimal(0))


def root(value: int):
    return decimal.Decimal(value).sqrt()
