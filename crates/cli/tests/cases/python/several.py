"""Several functions, with and without hints."""

import pessimum


def parse(text: str) -> int:
    """Numbers between commas; anything else is an error."""
    total = 0
    for part in text.split(","):
        if not part:
            raise ValueError("an empty number")
        for c in part:
            if c < "0" or c > "9":
                raise ValueError("not a digit: " + c)
            total += ord(c) - 48
    return total


def untyped(a, b):
    return a + b


def counted(xs: list[int]) -> int:
    """Costs one for each number that is smaller than the one before it."""
    for one, other in zip(xs, xs[1:]):
        if other < one:
            pessimum.cost(1)
    return len(xs)


def kept(x: int) -> int:
    """Only for even numbers."""
    pessimum.assume(x % 2 == 0)
    return x // 2
