"""More methods, constructors, exceptions and containers."""

from dataclasses import dataclass


class Range:
    def __init__(self, low: int, high: int):
        if high < low:
            raise ValueError("empty")
        self.low, self.high = low, high

    # call: Range(int in 5..=9, int in 0..=4).contains(int in 0..=9)
    # all: product(range(5, 10), range(5), range(10))
    # make: lambda a, b, x: (lambda: Range(a, b).contains(x), ())
    # runs: cover
    def contains(self, x: int) -> bool:
        if x < self.low:
            return False
        return x <= self.high


class Stack:
    def __init__(self, room: int):
        self.room, self.items = room, []

    # call: Stack(int in 0..=2).push_all(int[n])
    # size: 2
    # some: product(range(3), [[1, 2], [0, 0]])
    # make: lambda room, xs: (lambda: Stack(room).push_all(xs), ())
    # runs: cover
    def push_all(self, xs) -> int:
        for x in xs:
            if len(self.items) >= self.room:
                return len(self.items)
            self.items.append(x)
        return -1


# call: safe(int in -3..=3, int in -1..=1)
# all: product(range(-3, 4), range(-1, 2))
def safe(a, b):
    try:
        return a // b
    except ZeroDivisionError:
        if a != 0:
            return None
        return 0


# call: keyed(int in 0..=4)
# all: ones(range(5))
def keyed(x):
    table = {0: "zero", 2: "two"}
    if x in table:
        return table[x]
    return table.get(x - 1, "none")


# call: unpacked(int[n] in 0..=2)
# size: 3
# all: ones(lists(range(3), 3))
def unpacked(xs):
    first, *rest = xs
    if rest != [first, first]:
        return sum(rest) >= 3
    return None


# call: late_exit(int in 0..=20)
# all: ones(range(21))
def late_exit(x):
    total = 0
    for i in range(6):
        total += i
        if total >= x:
            return i
    return None


# call: looked(str[n] in "ab")
# size: 3
# all: ones(texts("ab", 3))
def looked(text):
    at = text.find("ba")
    if at != -1:
        return text.count("a") if at > 0 else at
    return text.index("a") if "a" in text else None


# call: thrown(int in -1..=6)
# all: ones(range(-1, 7))
def thrown(x):
    if x < 0:
        raise ValueError("negative")
    if not x <= 4:
        raise IndexError(x)
    return [10, 20, 30][x % 3]


# call: folded(str[n] in 'A'..='B' | 'a')
# size: 2
# all: ones(texts("ABa", 2))
def folded(text):
    if text.lower() == "aa":
        return 1
    if text.isupper():
        return 2
    return 3


# call: walrus(int in 0..=15)
# all: ones(range(16))
def walrus(x):
    n = 0
    while (x := x // 2) != 0:
        if x >= 3:
            n += 1
    return n


# call: inner(int in 0..=5)
# all: ones(range(6))
def inner(x):
    def helper(y):
        if y >= 4:
            return 2
        return 1
    return helper(x) if x != 0 else None


# call: quantified(int[n] in -1..=1)
# size: 3
# all: ones(lists(range(-1, 2), 3))
def quantified(xs):
    if all(x >= 0 for x in xs):
        return 1
    if any(x != -1 for x in xs):
        return 2
    return 3
