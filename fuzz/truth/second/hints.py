"""More of what hints permit."""

import enum
from dataclasses import dataclass
from typing import NamedTuple, Optional, Sequence, Set, Tuple


class Color(enum.Enum):
    RED = 1
    BLUE = 2


class Span(NamedTuple):
    start: int
    end: Optional[int]


@dataclass
class Order:
    price: int
    note: Optional[str] = None


# call: shade
# all: ones(list(Color))
def shade(color: Color) -> int:
    if color is Color.RED:
        return 1
    return 2


# call: coupon
# size: 4
# some: ones(["FREE", "SAVE", "zzzz"])
# beyond: [(None,), ("",), ("\u0436" * 4,)]
def coupon(code: Optional[str]) -> int:
    if code is None:
        return 0
    if len(code) == 0:
        return 1
    if code == "FREE":
        return 100
    if not code.isascii():
        return 50
    return 5


# call: accents
# size: 2
# some: ones(["ab", "zz", "\x01\x7f"])
# beyond: [("\u00e9a",), ("\U0001f600b",)]
def accents(word: str) -> int:
    found = 0
    for c in word:
        if ord(c) >= 0xC0:
            found += 1
        if ord(c) > 0xFFFF:
            found += 10
    return found


# call: first
# size: 3
# some: ones([[1, 2, 3], [0, 0, 0]])
# beyond: [([],)]
def first(items: Sequence[int]) -> int:
    for item in items:
        return item
    return -1


# call: unique
# size: 2
# some: ones([{1, 2}, {5}])
# beyond: [(set(),), ({1, 2, 3},)]
def unique(items: Set[int]) -> str:
    if len(items) == 0:
        return "none"
    if len(items) >= 3:
        return "many"
    return "few"


# call: pair
# size: 2
# some: ones([(1, "ab"), (-1, "zz")])
# beyond: [((1, ""),), ((2**60, "ab"),)]
def pair(both: Tuple[int, str]) -> str:
    number, text = both
    if number > 2**40:
        return "big"
    if not text:
        return "empty"
    return text


# call: narrow(int in 0..=7)
# all: ones(range(8))
# beyond: ones([-1, 8, 2**70])
def narrow(x: int) -> int:
    if x < 0:
        return -1
    if x > 7:
        return sum(range(20)) + x
    return x


# call: limit
# some: ones([5, 0, -5])
# beyond: [(5, 2), (5, None)]
def limit(x: int, most: Optional[int] = 10) -> int:
    if most is None:
        return x
    if most < 5:
        return 1
    return 0


# call: flagged(bool, "on")
# all: product((False, True), ["on"])
# beyond: [(True, "off")]
def flagged(x: bool, how: str) -> int:
    if how == "off":
        return 9
    return 1 if x else 0


# call: rows
# size: 2
# some: ones([["abcd", "abce"], ["zzzz", "aaaa"]])
# beyond: [([],), (["a"],)]
def rows(lines: "list[str]") -> int:
    if not lines:
        return 0
    if len(lines[0]) == 1:
        return 1
    return 2


# call: optional_pair
# some: product([1, 2, -2], [0, 4])
# beyond: [(None, 1), (1, None), (None, None)]
def optional_pair(a: Optional[int], b: Optional[int]) -> int:
    if a is None:
        return 1 if b is None else 2
    if b is None:
        return 3
    return 0


# call: digits
# size: 2
# some: ones(["12", "ab", "a1", "  "])
# beyond: [("\u0661\u0662",), ("123",)]
def digits(text: str) -> int:
    value = 0
    for c in text:
        if "0" <= c <= "9":
            value += 1
        elif ord(c) > 127 and c.isdigit():
            value += 100
    return value
