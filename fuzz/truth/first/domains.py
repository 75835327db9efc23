"""What the hints permit and the call leaves out decides what these do."""

from typing import Dict, List, Literal, Optional, Union


# call: badge
# size: 3
# some: ones(["abc", "VIP", "   ", "a", "\x01\x7f"])
# beyond: [(None,), ("",), ("\u4e00" * 3,)]
def badge(name: Optional[str]) -> str:
    if name is None:
        return "anonymous"
    if name == "":
        return "empty"
    return name.strip()


# call: width
# size: 2
# some: ones(["ab", "\x7f\x01"])
# beyond: [("\u00e9\u00e9",), ("\uff21x",), ("abc",)]
def width(text: str) -> int:
    total = 0
    for c in text:
        if c >= "\u1100":
            total += 2
            continue
        if c > "\x7f":
            total += 0
            continue
        total += 1
    return total


# call: maybe_int(int)
# some: ones([0, 5, -5, 2**31 - 1, -2**31])
# beyond: [(None,), (2**40,), (-2**70,)]
def maybe_int(x: "int | None" = None) -> str:
    if x is None:
        return "nothing"
    if x >= 2**33:
        return "huge"
    if x < -2**35:
        return "tiny"
    return "plain"


# call: pick
# size: 2
# some: ones([[1, 2], [5, -5]])
# beyond: [([],), ([1, 2, 3, 4],)]
def pick(xs: List[int]) -> int:
    if not xs:
        return 0
    if len(xs) > 3:
        return xs[3] + xs[0] + 1
    return xs[0]


# call: lookup
# size: 2
# some: ones([{"abcd": 1}, {"abcd": 1, "abce": 2}])
# beyond: [({},), ({"k": 1},)]
def lookup(table: Dict[str, int]) -> int:
    if not table:
        return -1
    if "k" in table:
        return table["k"]
    return 0


# call: either
# some: ones([0, 1, -1, 10])
# beyond: [("x",)]
def either(x: Union[int, str]) -> int:
    if isinstance(x, str):
        return -1
    return x


# call: mode
# all: ones(["fast", "slow"])
def mode(how: Literal["fast", "slow"]) -> int:
    if how == "fast":
        return 1
    return 2


# call: scaled(int in 0..=9)
# all: ones(range(10))
# beyond: [(3, 0), (3, -2)]
def scaled(x: int, by: int = 2) -> int:
    if by == 0:
        return 0
    if by < 0:
        return -x
    return x * by


# call: nested
# size: 2
# some: ones([[1, 2], [0, 0]])
# beyond: [([None, 1],)]
def nested(xs: "List[Optional[int]]") -> int:
    total = 0
    for x in xs:
        if x is None:
            total += 100
        else:
            total += 1
    return total


# call: code(str[n] in 'A'..='C')
# size: 2
# all: ones(texts("ABC", 2))
# beyond: [("",), ("D",), ("ABC",)]
def code(text: str) -> int:
    if len(text) == 3:
        return 3
    if text.startswith("D"):
        return 4
    return 0


# call: blank
# size: 4
# some: ones(["    ", "abcd", "\t\n  ", " x  "])
# beyond: [("\u2003" * 4 + "\u00a0",), ("",)]
def blank(text: str) -> bool:
    for c in text:
        if ord(c) > 8000:
            return True
    return text == ""


# call: raw
# size: 2
# some: ones([b"ab", bytes(2), b"\xff\xfe"])
# beyond: [(b"",), (b"abc",)]
def raw(data: bytes) -> int:
    if not data:
        return -1
    if data[0] == 255:
        return 1
    return 0
