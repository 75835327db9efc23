"""Inputs and ends of every kind. Written, with what is true of each, before any of them was searched."""

import contextlib
import enum
import math
from dataclasses import dataclass
from typing import Dict, NamedTuple, Optional, Tuple


class Suit(enum.Enum):
    CLUBS = 1
    HEARTS = 2
    SPADES = 3


@dataclass
class Interval:
    low: int
    high: int


class Cell(NamedTuple):
    row: int
    text: Optional[str]


# call: label
# some: ones([0, 7, -7, 2**31 - 1])
# beyond: [(None,), (2**31,), (3, ""), (3, None)]
def label(value: Optional[int], unit: Optional[str] = "s") -> str:
    if value is None:
        return "-"
    if unit is None:
        return str(value)
    if unit == "":
        return "?"
    if value >= 2**31:
        return "many"
    return unit


# call: initials
# size: 2
# some: ones(["ab", "A ", "  ", "ZZ"])
# beyond: [("\u00c9\u00e9",), ("",), ("A",), ("\U0001f600A",)]
def initials(text: str) -> int:
    if text == "":
        return -1
    found = 0
    for c in text:
        if c.isupper():
            found += 1
            if not c.isascii():
                found += 100
        elif c > "\uffff":
            found -= 1
    return found


# call: letters(str[n] in 97..=98 | 228..=229)
# size: 2
# all: ones(texts("ab\u00e4\u00e5", 2))
# beyond: [("zz",), ("\u00e4",)]
def letters(text):
    folded = 0
    for c in text:
        if c == "\u00e4":
            folded += 1
        if c >= "c" and c < "\u00e0":
            return -1
    if len(text) < 2:
        return -2
    return folded


# call: special(float)
# some: ones([0.0, -0.0, 1.5, -1e308, float("nan"), float("inf"), float("-inf"), 5e-324])
def special(x: float) -> str:
    if x != x:
        return "nan"
    if x == x + 1.0:
        return "large"
    if x * 0.5 == x:
        return "zero"
    if x < 0.0:
        return "negative"
    return "positive"


# call: far(int in -4611686018427387904..=4611686018427387904)
# some: ones([0, 1, -1, 2**62, -2**62, 2**40])
def far(x):
    if x >= 2**62:
        return "most"
    if x < -2**62:
        return "below"
    if x * 4 == 2**63:
        return "never"
    return "rest"


# call: gaps(int in -3..=-1 | 5..=7, int in 0 | 9)
# all: product([-3, -2, -1, 5, 6, 7], [0, 9])
# beyond: [(0, 0), (1, 9), (5, 3)]
def gaps(x, y):
    if 0 <= x < 5:
        return 1
    if y % 9:
        return sum(range(9))
    if x * y == -27:
        return 2
    return 3


# call: empty(str[n])
# size: 0
# all: ones([""])
# beyond: ones(["a", "bb"])
def empty(text: str) -> int:
    for c in text:
        if c == "b":
            return 2
        return 1
    return 0


# call: hanoi(int in 0..=6)
# all: ones(range(7))
def hanoi(disks, source="a", over="b", target="c"):
    if disks == 0:
        return 0
    moved = hanoi(disks - 1, source, target, over)
    return moved + 1 + hanoi(disks - 1, over, source, target)


# call: even(int in 0..=13)
# all: ones(range(14))
def even(x):
    return True if x == 0 else odd(x - 1)


def odd(x):
    if x == 0:
        return False
    return even(x - 1)


# call: located(int[n] in 0..=3, int in 0..=4)
# size: 3
# all: product(lists(range(4), 3), range(5))
def located(xs, x):
    for at, value in enumerate(xs):
        if value == x:
            return at
        if value > x:
            break
    else:
        return None
    return -1


# call: parity(bytes[n])
# size: 1
# all: ones([bytes([b]) for b in range(256)])
# beyond: ones([b"", b"ab"])
def parity(data: bytes) -> int:
    if len(data) != 1:
        return -1
    value = data[0]
    if value >= 128:
        value -= 128
    while value >= 2:
        value -= 2
    return value


# call: suited
# all: ones(list(Suit))
def suited(suit: Suit) -> int:
    if suit is Suit.CLUBS:
        return 1
    if suit.value > 2:
        return 3
    return 2


# call: overlap(Interval, int in 0..=3)
# some: product([Interval(0, 0), Interval(1, 5), Interval(5, 1), Interval(-9, 9)], range(4))
def overlap(a: Interval, x: int) -> bool:
    if a.low > a.high:
        return False
    if x < a.low:
        return False
    return x <= a.high


# call: cell
# size: 2
# some: ones([Cell(0, "ab"), Cell(-1, "zz")])
# beyond: ones([Cell(0, None), Cell(2, ""), Cell(0, "\u00e9a")])
def cell(of: Cell) -> int:
    if of.text is None:
        return 0
    if not of.text:
        return 1
    if of.text[0] > "\x7f":
        return 2
    return 3 if of.row < 0 else 4


# call: tally(dict(int in 0..=2: int in 0..=1)[n])
# size: 2
# all: ones([dict(p) for p in product(product(range(3), range(2)), repeat=2)])
# beyond: ones([{}, {0: 0, 1: 0, 2: 1}])
def tally(table: Dict[int, int]) -> int:
    if not table or len(table) > 2:
        return -1
    total = 0
    for key, value in table.items():
        if value and key:
            total += key
    return total


# call: floored(int in -7..=7, int in -3..=3)
# all: product(range(-7, 8), range(-3, 4))
# paths: 400
def floored(a, b):
    if b == 0:
        return None
    q, r = divmod(a, b)
    if r < 0:
        assert b < 0
        return "negative"
    if q < 0 and r != 0:
        return "rounded"
    return "plain"


# call: suppressed(int in 0..=8)
# all: ones(range(9))
def suppressed(x):
    with contextlib.suppress(KeyError, ZeroDivisionError):
        if x > 6:
            raise KeyError(x)
        return 12 // (x - 3)
    return None


# call: last_word(int in -2..=4)
# all: ones(range(-2, 5))
def last_word(x):
    for i in range(3):
        try:
            if x == i:
                continue
            if x < 0:
                return i
        finally:
            if i == 1 and x > 3:
                break
    return x


# call: guarded(int in -3..=9)
# all: ones(range(-3, 10))
def guarded(x):
    match (x, x % 3):
        case (y, 0) if y > 6:
            return "nine"
        case (y, 0):
            return "three"
        case (y, 1) if y < 0:
            return "never" if y == -1 else "below"
        case _:
            return "rest"


# call: huge(int in 0..=9)
# all: ones(range(10))
def huge(x):
    power = x ** 30
    if power > 2**64:
        return 2
    if power > 2**32:
        return 1
    return 0


# call: number(str[n] in '0'..='1' | '-' | ' ')
# size: 2
# all: ones(texts("01- ", 2))
def number(text):
    try:
        value = int(text)
    except ValueError:
        return None
    if value < 0:
        return "negative"
    return value


# call: hypotenuse(int in 0..=12, int in 0..=12)
# all: product(range(13), repeat=2)
# paths: 400
def hypotenuse(a, b):
    c = math.isqrt(a * a + b * b)
    if c * c == a * a + b * b:
        return c
    return None


# call: closed(int in 0..=5)
# all: ones(range(6))
def closed(stop):
    def counted():
        at = 0
        try:
            while True:
                yield at
                at += 1
        finally:
            at = -1
    numbers = counted()
    for value in numbers:
        if value >= stop:
            numbers.close()
    return stop


# call: exits(int in 0..=4)
# all: ones(range(5))
def exits(x):
    if x == 3:
        raise SystemExit(2)
    if x == 4:
        raise RecursionError("deep")
    return x
